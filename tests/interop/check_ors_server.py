# requires: ors-sdk>=0.1.0,<0.2
# light
"""A server made by ors-sdk's own `Server`, played as a turnwise environment."""

import sys
import threading
import time
from typing import Any

import uvicorn
from ors import Environment, Server, TextBlock, ToolOutput, tool
from pydantic import BaseModel

from turnwise.core.registration import make


class Words(BaseModel):
    word: str


class Say(Environment):
    """Say the task's word; `look` shows it."""

    @classmethod
    def list_splits(cls) -> list[str]:
        return ["train", "test"]

    @classmethod
    def list_tasks(cls, split: str) -> list[Any]:
        return [{"word": f"{split}{i}"} for i in range(5)]

    def get_prompt(self) -> list[TextBlock]:
        return [TextBlock(text="Say the word.")]

    @tool
    def look(self, given: Words) -> ToolOutput:
        """Show the word."""
        return ToolOutput(blocks=[TextBlock(text=self.task_spec["word"])], reward=None, finished=False)

    @tool
    def say(self, given: Words) -> ToolOutput:
        """Say a word."""
        if given.word == "boom":
            raise RuntimeError("boom")
        right = given.word == self.task_spec["word"]
        return ToolOutput(blocks=[TextBlock(text="heard")], reward=1.0 if right else 0.25, finished=True)


def main() -> int:
    app = Server([Say]).app
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    env = make("turnwise.outside.ors:OrsClient-v0", url=url, split="test", max_turns=4).unwrapped
    first = env.reset(seed=3)
    assert env.reset(seed=3) == first and first[0].startswith("Say the word."), first
    assert {tool.name for tool in env.tools()} == {"look", "say"}
    word = env.step("<look>now</look>")[0]
    assert "test" in word, word
    word = word[word.index("test") :][:5]
    _, reward, done, _, info = env.step(env.call_text("say", {"word": word}))
    assert (reward, done, info["solved"]) == (1.0, True, True), (reward, done, info)
    env.reset(seed=3)
    _, reward, _, _, info = env.step("<say>x</say>")
    assert (reward, info["solved"]) == (0.25, False), (reward, info)
    env.reset(seed=3)
    assert env.step("no call")[4].get("invalid_action") is True
    env.close()
    server.should_exit = True
    print("ok a server of ors-sdk: solved by its tools, partial credit, its own split")
    return 0


if __name__ == "__main__":
    sys.exit(main())
