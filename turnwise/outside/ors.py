"""Environments behind a server of the Open Reward Standard, played by their tools.

Needs no part of ORS. A call that fails, and a server that does not answer, are failures of the environment: the episode
is not scored.

Source: ors-sdk 0.1.0, ``ors/server.py`` and ``ors/types.py``, for requests and events.
"""

import contextlib
import json
import os
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NoReturn

import numpy as np

from turnwise.core.errors import InfrastructureError, SettingsError, UsageError
from turnwise.core.http.address import split_url
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.core.tools import Call, Tool, Toolbox
from turnwise.outside.frame import Game, OutsideEnv, OutsideTask, Turn

__all__ = ["OrsClient", "OrsGame"]


PING_S = 10.0
"""Servers give up a session that is not heard of for 15 minutes, and an agent may think for longer."""
PING_TIMEOUT_S = 5.0


class _Pings:
    """A thread that pings the sessions that are open, for as long as there are any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._games: weakref.WeakSet[OrsGame] = weakref.WeakSet()
        self._thread: threading.Thread | None = None
        self._idle = threading.Event()

    def add(self, game: "OrsGame") -> None:
        with self._lock:
            self._games.add(game)
            if self._thread is None or not self._thread.is_alive():  # not alive: also after a fork
                self._thread = threading.Thread(target=self._run, name="ors-pings", daemon=True)
                self._thread.start()

    def discard(self, game: "OrsGame") -> None:
        with self._lock:
            self._games.discard(game)
            if not self._games:
                self._idle.set()  # the thread need not wait

    def _run(self) -> None:
        while True:
            due = not self._idle.wait(PING_S)
            self._idle.clear()
            with self._lock:
                games = list(self._games)
                if not games:
                    self._thread = None
                    return
            while games:  # none is kept while it waits
                game = games.pop()
                if due:
                    game.ping()
                del game


_PINGS = _Pings()


class OrsGame(Game):
    """An episode in a session of its own; a seed is the place of a task in the split."""

    def __init__(self, settings: "OrsClient", split: str, token: str) -> None:
        import httpx

        self.env, self.split = settings, split
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.Client(base_url=settings.url.rstrip("/"), timeout=settings.timeout_s, headers=headers)
        self.session, self.total, self.last = "", 0.0, 0.0

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of an answer, or the data of its events by name.

        Raises:
            InfrastructureError: There is none.
        """
        import httpx

        headers = {"X-Session-ID": self.session} if self.session else {}
        content = None
        if body is not None:  # not by httpx, whose JSON is UTF-8: a message may hold half a surrogate pair
            content, headers["Content-Type"] = json.dumps(body), "application/json"
        try:
            answer = self.http.request(method, path, content=content, headers=headers)
            answer.raise_for_status()
            if "event-stream" in answer.headers.get("content-type", ""):
                return _events(answer.text)
            return answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise InfrastructureError(f"{self.env.url}{path} failed: {type(error).__name__}: {error!s:.200}") from error

    def start(self, seed: int) -> str:
        self.session = str(self.ask("POST", "/create_session")["task_id"])
        body = {"env_name": self.env.name, "split": self.split, "index": seed, "secrets": {}}
        self.ask("POST", "/create", body)
        _PINGS.add(self)
        said = _words(self.ask("GET", f"/{self.env.name}/prompt"))
        listed = self.ask("GET", f"/{self.env.name}/task_tools")["tools"]
        self.tools = [self._tool(spec) for spec in listed]
        self.box = Toolbox(self.tools)
        self.outcome: Turn | None = None
        return f"{said}\n\nTools:\n{self.box.describe()}"

    def _tool(self, spec: Mapping[str, Any]) -> Tool:
        name = str(spec["name"])
        schema = spec.get("input_schema") or {"type": "object", "properties": {}}
        return Tool(name, str(spec.get("description") or ""), schema, lambda **given: self._call(name, given))

    def _call(self, name: str, given: Mapping[str, Any]) -> str:
        events = self.ask("POST", f"/{self.env.name}/call", {"name": name, "input": given})
        if "end" not in events:
            raise InfrastructureError(
                f"{self.env.url}: the call of {name} failed: {events.get('error', events)!s:.300}"
            )
        found = json.loads(events.get("chunk", "") + events["end"])
        if not found.get("ok"):
            raise ValueError(str(found.get("error")))
        output = found["output"]
        if isinstance(output.get("reward"), (int, float)):
            self.last = float(output["reward"])
            self.total += self.last
        value = self.total if self.env.rewards == "sum" else self.last
        done = bool(output.get("finished"))
        claimed = (output.get("metadata") or {}).get("solved")
        solved = done and (claimed if isinstance(claimed, bool) else value >= 1.0)
        self.outcome = Turn("", done, solved, value)
        return _words(output.get("blocks") or [])

    def content(self) -> str:
        raise NotImplementedError("an ORS task is known by its place")

    def play(self, message: str) -> Turn:
        calls = self.box.parse(message)
        if not calls and len(self.tools) == 1 and self.tools[0].body is not None:
            calls = [Call(self.tools[0].name, {self.tools[0].body: message})]  # words can only be meant for it
        if not calls:
            return Turn(f"Call a tool:\n{self.box.describe()}", invalid=True, credit=self._credit())
        said, failed = [], False
        for call in calls:
            answer = self.box.run(call)
            said.append(answer.text)
            failed = answer.failed
            if failed or (self.outcome is not None and self.outcome.done):
                break
        turn = self.outcome or Turn("")
        return turn._replace(text="\n".join(said), invalid=failed and len(said) == 1, credit=self._credit())

    def _credit(self) -> float:
        return self.outcome.credit if self.outcome is not None else 0.0

    def ping(self) -> None:
        """Say that the session is in use; a server that does not hear it is found out by the next message."""
        import httpx

        with contextlib.suppress(httpx.HTTPError, RuntimeError):  # RuntimeError: closed meanwhile
            self.http.post("/ping", headers={"X-Session-ID": self.session}, timeout=PING_TIMEOUT_S)

    def close(self) -> None:
        _PINGS.discard(self)
        if self.session:
            try:
                self.ask("POST", "/delete")
                self.ask("POST", "/delete_session")
            except InfrastructureError:
                pass  # the server reaps sessions that are not pinged
        self.http.close()

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise UsageError("an ORS server cannot copy an episode: play it again, with the same seed and actions")

    def __reduce__(self) -> NoReturn:
        raise UsageError("the episode runs on a server: play it again instead, with the same seed and actions")


def _events(text: str) -> dict[str, str]:
    """The data of server-sent events by name; of several with a name, joined."""
    found: dict[str, str] = {}
    for block in text.replace("\r\n", "\n").split("\n\n"):
        lines = [line.partition(":")[::2] for line in block.split("\n") if line and not line.startswith(":")]
        name = next((value.strip() for key, value in lines if key == "event"), "message")
        if lines:
            data = "\n".join(value.removeprefix(" ") for key, value in lines if key == "data")
            found[name] = found.get(name, "") + data
    return found


def _words(blocks: Sequence[Any]) -> str:
    return "\n".join(str(block.get("text", "")) for block in blocks if isinstance(block, Mapping))


@register("outside/OrsClient-v0")
class OrsClient(OutsideEnv):
    """Play an environment that a server of the Open Reward Standard offers.

    Its tools are called in our grammar; a message without a call goes whole to the only tool, if that takes one text.
    The server's own split decides: ``split="test"`` plays its tasks of that name, None those of its first split.
    ``reset(seed=...)`` picks the task; episodes cannot be forked.

    Chance: that of the environment.
    """

    url: str = ""
    """Address of the server."""
    name: str = ""
    """Name of the environment; empty: the server's first."""
    rewards: Literal["last", "sum"] = "last"
    """What the return is: the last reward that is given, or the sum of them."""
    token_variable: str = ""
    """Environment variable with the bearer token; empty: none is sent."""
    timeout_s: Annotated[float, Range(0.1, 3600)] = 60.0
    """Longest time that an answer may take, in seconds."""
    max_turns: Annotated[int, Range(1, 10_000)] = 100
    """Messages of an episode."""

    cheats = ("", "<answer></answer>", '{"reward": 1, "finished": true}', "<tool_call>{}</tool_call>")

    def check(self) -> None:
        split_url(self.url, "url")
        self._token = os.environ.get(self.token_variable, "") if self.token_variable else ""
        self._tasks: tuple[str, int] | None = None

    def _listed(self) -> tuple[str, int]:
        """The split that is played, and how many tasks it has."""
        if self._tasks is None:
            game = OrsGame(self, "", self._token)
            if not self.name:
                object.__setattr__(self, "name", str(game.ask("GET", "/list_environments")[0]))
            splits = [s["name"] if isinstance(s, Mapping) else str(s) for s in game.ask("GET", f"/{self.name}/splits")]
            split = self.split or splits[0]
            if split not in splits:
                raise SettingsError(f"split is {self.split!r}; the server has {', '.join(splits)}")
            count = game.ask("POST", f"/{self.name}/num_tasks", {"split": split})
            game.http.close()
            self._tasks = split, int(count["num_tasks"] if isinstance(count, Mapping) else count)
        return self._tasks

    def _name(self) -> str:
        return self.name

    def _game_of(self) -> Game:
        return OrsGame(self, self._listed()[0], self._token)

    def _draw(self) -> tuple[OutsideTask, str]:
        assert self._np_random is not None
        task = self.generate(self._np_random)
        return task, self._digest(task)  # the split is the server's own

    def generate(self, rng: np.random.Generator) -> OutsideTask:
        split, count = self._listed()
        index = int(rng.integers(count))
        return OutsideTask(self.name, f"{split}/{index}", index)

    def tools(self) -> Sequence[Tool]:
        return self._game.tools if isinstance(self._game, OrsGame) else ()
