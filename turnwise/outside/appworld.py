"""AppWorld's tasks, played on its own environment server.

AppWorld runs the agent's Python in its own process, so this talks to a server of it (``appworld serve environment``,
best with its ``--docker``) and never runs it here. A server holds one world, so it plays one episode at a time.

Source: Trivedi et al., AppWorld (arXiv 2407.18901); the routes of its server, version 0.1.3.
"""

import contextlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import httpx
import numpy as np

from turnwise.core.errors import InfrastructureError, SettingsError, UsageError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.core.tools import Tool, Toolbox, shortened, text_tool
from turnwise.outside.frame import Game, OutsideEnv, Turn

__all__ = ["AppWorld", "AppWorldGame"]

_MAX_CHARS = 20_000  # of what a run prints
_FENCED = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)```", re.DOTALL)
_HOW = (
    "Solve the task by Python, which runs in a shell that keeps its variables; you see what it prints. The apps are "
    "called as apis.APP.API(...): apis.api_docs.show_app_descriptions(), apis.api_docs.show_api_descriptions(app_name="
    "...) and apis.api_docs.show_api_doc(app_name=..., api_name=...) document them. When the task is done, call "
    "apis.supervisor.complete_task(), with answer=... if it asks for one."
)


def _ids(path: str) -> list[str]:
    try:
        lines = Path(path).expanduser().read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"tasks is {path!r}, which cannot be read: {error}") from error
    if not lines:
        raise SettingsError(f"tasks is {path!r}, which names no tasks; AppWorld's are in data/datasets/*.txt")
    return list(dict.fromkeys(lines))


class AppWorldGame(Game):
    """An episode in the world of a server."""

    def __init__(self, url: str, tasks: Sequence[str], timeout_s: float) -> None:
        self.tasks, self.url = tasks, url.rstrip("/")
        self.http = httpx.Client(base_url=self.url, timeout=timeout_s)
        self.box = Toolbox([text_tool("python", "Run Python.", self._run, code="The program.")], _MAX_CHARS)
        self.begun = False

    def _ask(self, path: str, **body: object) -> Any:
        """Return what the server answers to a request about the present task.

        Raises:
            InfrastructureError: It does not answer, or refuses.
        """
        try:
            answer = self.http.post(path, json={"task_id": self.task, **body})
            answer.raise_for_status()
            return answer.json()["output"]
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise InfrastructureError(f"{self.url}{path} failed: {type(error).__name__}: {error!s:.200}") from error

    def start(self, seed: int) -> str:
        self.task = self.tasks[seed % len(self.tasks)]
        known = self._ask("/initialize", experiment_name="turnwise", random_seed=seed)
        self.begun = True
        person = known["supervisor"]
        return (
            f"You act for {person['first_name']} {person['last_name']} ({person['email']}, {person['phone_number']}). "
            f"It is {known['datetime']}. The task:\n{known['instruction']}\n\n{_HOW}\n{self.box.describe()}"
        )

    def content(self) -> str:
        return self.task

    def _run(self, code: str) -> str:
        return str(self._ask("/execute", code=code.encode("utf-8", "replace").decode("utf-8")))

    def play(self, message: str) -> Turn:
        calls = self.box.parse(message)
        if calls:
            said = "\n".join(self.box.run_all(calls).texts)
        elif blocks := _FENCED.findall(message.rpartition("</think>")[2]):
            said = shortened(self._run("\n".join(blocks)), _MAX_CHARS)
        else:
            return Turn("There is no code in your message. Write <python>...</python>.", invalid=True)
        if not self._ask("/task_completed"):
            return Turn(said)
        tests = self._ask("/evaluate", suppress_errors=True)
        passed = len(tests["passes"]) / max(1, int(tests["num_tests"]))
        return Turn(said, True, bool(tests["success"]), passed)

    def sample(self, rng: np.random.Generator) -> str:
        return f"<python>print({int(rng.integers(100))})</python>"

    def close(self) -> None:
        if self.begun:
            self.begun = False
            with contextlib.suppress(InfrastructureError):  # the next task's world takes its place
                self._ask("/close")
        self.http.close()

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise UsageError("a world of AppWorld cannot be copied: play it again, with the same seed and actions")

    def __reduce__(self) -> NoReturn:
        raise UsageError("the world is on a server: play it again instead, with the same seed and actions")


@register("outside/AppWorld-v0")
class AppWorld(OutsideEnv):
    """Solve one of AppWorld's tasks by Python that calls its apps.

    Solved is what AppWorld's own tests call a success when the agent has called ``complete_task``; the share of tests
    passed is partial credit.

    Chance: practically 0.
    """

    url: str = "http://127.0.0.1:9000"
    """Address of the environment server; each process of yours needs one of its own."""
    tasks: str = "data/datasets/train.txt"
    """File with the ids of tasks, such as those in AppWorld's folder ``data/datasets``."""
    timeout_s: Annotated[float, Range(1.0, 3600.0)] = 120.0
    """Seconds that an answer of the server may take."""
    max_turns: Annotated[int, Range(1, 1000)] = 50
    """Messages of an episode."""

    cheats = (
        "", "<python></python>", "<python>apis.supervisor.complete_task()</python>", "The task is done.",
        "<python>apis.supervisor.complete_task(answer='42')</python>",
    )  # fmt: skip

    def check(self) -> None:
        self._known = _ids(self.tasks)

    def _name(self) -> str:
        return self.url

    def _game_of(self) -> Game:
        return AppWorldGame(self.url, self._known, self.timeout_s)

    def tools(self) -> Sequence[Tool]:
        return tuple(self._game.box.tools.values()) if isinstance(self._game, AppWorldGame) else ()
