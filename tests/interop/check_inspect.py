# requires: inspect-ai>=0.3.285,<0.4
"""Inspect's own `eval` and command line over our tasks: scores, groups, masks, calls, and our logs in its viewer."""

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessageTool, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolCall
from players import Outage, blocks, knowing, outside
from servers import free_port, until_up

from turnwise.adapters.inspect_ai import environment
from turnwise.session.rows import rows

PAGE = "use_in_inspect.md"
QUIET: dict[str, Any] = {"display": "none", "log_dir": "logs"}


def output(content: str, calls: list[ToolCall] | None = None) -> ModelOutput:
    found = ModelOutput.from_content("mock", content)  # counted here: their count would fetch a tokenizer
    found.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    found.choices[0].message.tool_calls = calls
    return found


def model(answer: Any) -> Any:
    def act(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        found = answer([{"role": m.role, "content": m.text} for m in messages])
        return found if isinstance(found, ModelOutput) else output(found)

    return get_model("mockllm/model", custom_outputs=act)


def means(log: Any) -> list[float]:
    assert log.status == "success", log.error
    return [score.metrics["mean"].value for score in log.results.scores]


def the_page() -> None:
    """Its code and commands, as they stand."""
    space: dict[str, Any] = {}
    for block in blocks(PAGE, "python"):
        exec(block, space)
    assert means(space["log"]) == [1.0, 1.0] and len(space["log"].samples) == 8
    where = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "INSPECT_DISPLAY": "plain"}
    commands = [line for block in blocks(PAGE, "bash") for line in block.splitlines()]
    for line in commands[:-1]:
        done = subprocess.run(line, shell=True, env=where, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}: {done.stdout} {done.stderr}"
    exported = sorted(Path("logs").glob("*_GuessNumber_*.json"))
    log = read_eval_log(str(exported[-1]))
    assert len(log.samples) == 5 and log.results.total_samples == 5 and log.samples[0].scores["solved"].value in (0, 1)
    port = free_port()
    viewer = subprocess.Popen([*commands[-1].split(), "--port", str(port)], env=where, stdout=subprocess.DEVNULL)
    try:
        until_up(viewer, f"http://127.0.0.1:{port}/")
        listed = fetch(f"http://127.0.0.1:{port}/api/logs")
        assert exported[-1].name in listed, listed[:500]
        shown = fetch(f"http://127.0.0.1:{port}/api/logs/{exported[-1].resolve()}")
        assert json.loads(shown)["eval"]["task"] == "turnwise/GuessNumber-v0"
    finally:
        viewer.terminate()
        viewer.wait()


def fetch(url: str) -> str:
    with urllib.request.urlopen(url) as answer:
        return str(answer.read().decode())


def a_model_plays() -> None:
    """Right answers are worth 1, wrong ones 0, and the epochs of a sample play one task."""
    data = list(rows("turnwise/FrozenLake-v0", 3, split="test"))
    task = environment("FrozenLake", n=3)
    [log] = inspect_eval(task, model=model(knowing(data)), epochs=2, **QUIET)
    assert means(log) == [1.0, 1.0]
    tasks = {(sample.id, sample.messages[0].text) for sample in log.samples}
    assert len(log.samples) == 6 and len(tasks) == 3, "the epochs of a sample begin alike"
    assert all(sample.messages[-2].role == "assistant" for sample in log.samples)
    [log] = inspect_eval(task, model=model(lambda messages: "I do not know."), **QUIET)
    assert means(log) == [0.0, 0.0] and log.samples[0].scores["solved"].metadata["truncated"]
    [log] = inspect_eval(task, model=model(lambda messages: "I do not know."), message_limit=4, **QUIET)
    assert means(log) == [0.0, 0.0] and log.samples[0].limit.type == "message"


def an_environment_that_fails() -> None:
    """It is begun again; if that does not help, the sample is an error without a score."""
    Outage.left = 2
    [log] = inspect_eval(environment("Outage", n=1), model=model(lambda messages: "fail"), **QUIET)
    assert means(log) == [0.0, 0.0] and Outage.left == 0, "it worked the third time: a fair 0"
    Outage.left = 1000
    [log] = inspect_eval(environment("Outage", n=2), model=model(lambda messages: "fail"), fail_on_error=False, **QUIET)
    assert all(sample.error and "the sandbox is gone" in sample.error.message for sample in log.samples)
    assert not any(sample.scores for sample in log.samples) and Outage.left < 1000


def native_calls() -> None:
    """A model's tool call is a turn of the episode, and the answer comes back as the tool's."""
    data = list(rows("turnwise/SearchQA-v0", 1, split="test"))
    solve = knowing(data)

    def answer(messages: Any) -> Any:
        if len(messages) == 1:
            return output("", [ToolCall(id="c1", function="search", arguments={"query": "river"})])
        return solve(messages[:1])

    [log] = inspect_eval(environment("SearchQA", n=1), model=model(answer), **QUIET)
    told = log.samples[0].messages[2]
    assert log.status == "success" and isinstance(told, ChatMessageTool) and told.tool_call_id == "c1", log.error
    assert log.samples[0].scores["solved"].metadata["turns"] >= 2 and len(told.text) > 20


if __name__ == "__main__":
    outside()
    for check in (the_page, a_model_plays, an_environment_that_fails, native_calls):
        check()
        print("ok", check.__name__, flush=True)
