"""Task folders of Harbor in containers of a Docker engine.

Source: Harbor's task format (https://harborframework.com), as its release 0.25 reads it.
"""

import base64
import functools
import hashlib
import io
import json
import math
import os
import re
import shlex
import tarfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

import numpy as np

from turnwise.core.env import Reply
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.core.tools import Tool, Toolbox, text_tool
from turnwise.outside.containers import Container, Shape, archive, image_of
from turnwise.outside.frame import MOST_CREDIT, SEEDS, Game, OutsideEnv, OutsideTask, Turn

__all__ = ["HarborGame", "HarborTask", "TaskFolder", "reward_of", "task_folders"]

TESTS, SOLUTION, ARTIFACTS, VERIFIER = "/tests", "/solution", "/logs/artifacts", "/logs/verifier"
COMMANDS = ("ls", "pwd", "cat *", "env", "find . -maxdepth 2", "true")
_REFUSED = {"steps": "several steps", "simulated_user": "a simulated user"}
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


def _submit(game: "HarborGame") -> str:
    raise AssertionError("the end is not a command")


TOOLS = Toolbox(
    [
        text_tool("bash", "Runs a command.", lambda game, command: game.execute(command), command="For the shell."),
        text_tool("submit", "Ends the episode: the task is done.", _submit),
    ],
    max_chars=8000,
)


class TaskFolder:
    """A task as Harbor lays it out.

    Args:
        path: The folder with ``task.toml``.

    Raises:
        SettingsError: It is none, or needs what is not supported here.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.config: dict[str, Any] = tomllib.loads((path / "task.toml").read_text(encoding="utf-8"))
            self.instruction = (path / "instruction.md").read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise SettingsError(f"path: {path} is not a task of Harbor: {error}") from error
        self.environment: dict[str, Any] = self.config.get("environment", {})
        self.verifier: dict[str, Any] = self.config.get("verifier", {})
        wants = [words for name, words in _REFUSED.items() if self.config.get(name)]
        wants += ["MCP servers"] * bool(self.environment.get("mcp_servers"))
        wants += ["GPUs"] * bool(self.environment.get("gpus") or self.environment.get("tpu"))
        wants += ["Windows"] * (str(self.environment.get("os", "linux")).lower() != "linux")
        folders = ("environment", "tests")
        wants += ["several containers"] * any((path / f / "docker-compose.yaml").exists() for f in folders)
        if wants:
            raise SettingsError(f"path: the task {path.name} needs {', '.join(wants)}, which is not supported here")
        if not (path / "tests" / "test.sh").is_file():
            raise SettingsError(f"path: the task {path.name} has no tests/test.sh")

    @property
    def separate(self) -> bool:
        """Whether the judge has a container of its own."""
        mode = self.verifier.get("environment_mode")
        return bool(mode == "separate" if mode else self.verifier.get("environment"))

    @property
    def artifacts(self) -> list[str]:
        """What of the agent's container the judge gets, by absolute path."""
        found = self.config.get("artifacts", [])
        return [ARTIFACTS, *(entry if isinstance(entry, str) else str(entry["source"]) for entry in found)]

    @functools.cached_property
    def content(self) -> str:
        """Hash of all its files."""
        found = hashlib.blake2b(digest_size=16)
        for file in sorted(file for file in self.path.rglob("*") if file.is_file()):
            found.update(f"{file.relative_to(self.path).as_posix()}\0{file.stat().st_size}\0".encode())
            found.update(file.read_bytes())
        return found.hexdigest()

    def shape(self, network: str, of_judge: bool = False) -> Shape:
        """What a container of the task may use."""
        wanted = {**self.environment, **(self.verifier.get("environment") or {})} if of_judge else self.environment
        isolated = wanted.get("network_mode") == "no-network" or wanted.get("allow_internet") is False
        return Shape(
            memory_mb=int(wanted.get("memory_mb") or 2048),
            cpus=float(wanted.get("cpus") or 1),
            network="none" if isolated else network,
            workdir=str(wanted.get("workdir") or ""),
            variables=_resolved(wanted.get("env", {})),
        )


def task_folders(path: str) -> list[Path]:
    """The tasks at a path: the folder itself, or those in it, by name.

    Raises:
        SettingsError: There are none.
    """
    top = Path(path)
    found = [top] if (top / "task.toml").is_file() else sorted(file.parent for file in top.glob("*/task.toml"))
    if not path or not found:
        raise SettingsError(
            f"path is {path!r}; it must be a task folder of Harbor (with task.toml), or hold such folders"
        )
    return found


def reward_of(name: str, text: str) -> float:
    """Read a reward file of a judge: a number, or JSON with ``reward``, one number or several to average.

    Args:
        name: ``reward.txt`` or ``reward.json``.
        text: What is in it.

    Raises:
        InfrastructureError: There is no finite number in it.

    >>> reward_of("reward.txt", "1"), reward_of("reward.json", '{"reward": 0.5, "speed": 3}')
    (1.0, 0.5)
    """
    try:
        found = json.loads(text) if name.endswith(".json") else float(text)
        values = [found.get("reward", None)] if isinstance(found, dict) and "reward" in found else found
        numbers = (
            list(values.values()) if isinstance(values, dict) else values if isinstance(values, list) else [values]
        )
        value = sum(map(float, numbers)) / len(numbers)
    except (ValueError, TypeError, ZeroDivisionError) as error:
        raise InfrastructureError(f"the judge's {name} is {text!r:.200}: {error}") from error
    if not math.isfinite(value):
        raise InfrastructureError(f"the judge's {name} is {text!r:.200}; it must be a finite number")
    return value


def _resolved(variables: Mapping[str, Any]) -> dict[str, str]:
    """Variables of a task; ``${NAME:-default}`` is taken from the environment of this process."""

    def value(match: re.Match[str]) -> str:
        found = os.environ.get(match[1], match[2])
        if found is None:
            raise SettingsError(f"the task needs the environment variable {match[1]}, which is not set")
        return found

    return {name: _VARIABLE.sub(value, str(text)) for name, text in variables.items()}


class HarborGame(Game):
    """An episode in a task's container."""

    def __init__(self, folders: Sequence[TaskFolder], wall_s: float, network: str, solved_at: float) -> None:
        self.folders, self.wall_s, self.network, self.solved_at = folders, wall_s, network, solved_at
        self.container: Container | None = None
        self.ran = False
        """Whether the solution was run."""

    def start(self, seed: int) -> str:
        self.folder = self.folders[seed % len(self.folders)]
        image = image_of(self.folder.path / "environment", self.folder.environment.get("docker_image"))
        self.container = Container(image, self.folder.shape(self.network))
        return "\n".join([
            self.folder.instruction,
            "",
            f"You work in a container, in the directory {self.container.workdir}. Run one command per message, for "
            "example <bash>ls -la</bash>; you see its output and exit status. Each command runs in a new shell in that "
            f"directory, and may take up to {self.wall_s:g} s. End with <submit/>; what you leave is judged.",
        ])  # fmt: skip

    def content(self) -> str:
        return self.folder.content

    def play(self, message: str) -> Turn:
        calls = TOOLS.parse(message)
        if any(call != calls[0] for call in calls):
            return Turn("Run only one command per message.", invalid=True)
        if not calls:
            return Turn("Run a command with <bash>...</bash>, or end with <submit/>.", invalid=True)
        if not calls[0].problem and calls[0].name == "submit":
            return self.judged()
        answer = TOOLS.run(calls[0], self)
        return Turn(answer.text, invalid=answer.failed)

    def execute(self, command: str) -> str:
        """Run a command of the agent; what it sees."""
        assert self.container is not None
        self.ran = self.ran or command == self.solution()
        user = self.folder.config.get("agent", {}).get("user")
        status, output = self.container.run(command, self.wall_s, user=user)
        said = "stopped: it ran out of time" if status == 124 else f"exit status {status}"
        return f"{output}{'' if output.endswith(chr(10)) or not output else chr(10)}[{said}]"

    def judged(self) -> Turn:
        """Judge what the agent has left, in its container or in the judge's own."""
        assert self.container is not None
        if not self.folder.separate:
            reward = self._judge(self.container, upload=True)
        else:
            for step in self.folder.verifier.get("collect", []):
                self.container.run(f"mkdir -p {ARTIFACTS}", self.wall_s, user="root")
                self.container.run(step["command"], float(step.get("timeout_sec", 60)), user="root")
            own = (self.folder.verifier.get("environment") or {}).get("docker_image")
            bundled = bool(own) or (self.folder.path / "tests" / "Dockerfile").is_file()
            part, given = ("tests", own) if bundled else ("environment", self.folder.environment.get("docker_image"))
            with Container(image_of(self.folder.path / part, given), self.folder.shape(self.network, True)) as judge:
                for source in self.folder.artifacts:
                    if (data := self.container.fetch(source)) is not None:
                        judge.put(str(PurePosixPath(source).parent), data)
                reward = self._judge(judge, upload=not bundled)
        solved = reward >= self.solved_at
        words = "Correct." if solved else "Not correct."
        return Turn(words, done=True, solved=solved, credit=max(reward, 0.0) / self.solved_at)

    def _judge(self, container: Container, upload: bool) -> float:
        container.run(f"rm -rf {VERIFIER} && mkdir -p {VERIFIER}", self.wall_s, user="root")
        if upload:
            container.put(TESTS, archive(self.folder.path / "tests"))
        seconds = float(self.folder.verifier.get("timeout_sec", 600.0))
        test = f"chmod +x {TESTS}/test.sh; {TESTS}/test.sh"
        variables, user = _resolved(self.folder.verifier.get("env", {})), self.folder.verifier.get("user")
        status, output = container.run(test, seconds, user=user, variables=variables)
        for name in ("reward.json", "reward.txt"):
            if (data := container.fetch(f"{VERIFIER}/{name}")) is not None:
                with tarfile.open(fileobj=io.BytesIO(data)) as members:
                    file = members.extractfile(name)
                    return reward_of(name, file.read(1 << 16).decode(errors="replace") if file is not None else "")
        raise InfrastructureError(
            f"the judge of {self.folder.path.name} wrote no reward (status {status}): {output[-500:]}"
        )

    def solution(self) -> str:
        """The command that runs the task's solution."""
        packed = archive(self.folder.path / "solution")
        variables = _resolved(self.folder.config.get("solution", {}).get("env", {}))
        given = "".join(f"{name}={shlex.quote(value)} " for name, value in variables.items())
        data = base64.b64encode(packed).decode()
        unpack = f"mkdir -p {SOLUTION} && echo {data} | base64 -d | tar -x -C {SOLUTION}"
        return f"{unpack} && chmod +x {SOLUTION}/solve.sh && {given}{SOLUTION}/solve.sh"

    def sample(self, rng: np.random.Generator) -> str:
        if rng.random() < 0.2:
            return "<submit/>"
        return f"<bash>{COMMANDS[int(rng.integers(len(COMMANDS)))]}</bash>"

    def __deepcopy__(self, memo: dict[int, Any]) -> "HarborGame":
        twin = HarborGame(self.folders, self.wall_s, self.network, self.solved_at)
        if self.container is not None:
            twin.folder, twin.ran, twin.container = self.folder, self.ran, self.container.copy()
        return twin

    def close(self) -> None:
        container, self.container = self.container, None
        if container is not None:
            container.close()


@register("outside/HarborTask-v0")
class HarborTask(OutsideEnv):
    """Do a task of Harbor with a shell in its container; its own tests judge.

    ``<bash>...</bash>`` runs a command, ``<submit/>`` ends the episode. The judge runs in the agent's container or in
    one of its own, as the task says, and its reward is the return: at ``solved_at`` and above the task is solved. A
    judge that writes no reward has failed, and the episode does not count. A fork goes on in a copy of the container's
    files, without running processes.

    Chance: that of the task; doing nothing earns what the task's tests pay for it.
    """

    path: str = ""
    """A task folder (with task.toml), or a folder of such folders."""
    network: Literal["none", "bridge"] = "none"
    """Network of containers whose task does not rule it out: none, or the engine's bridge."""
    wall_s: Annotated[float, Range(1.0, 3600.0)] = 60.0
    """Seconds that a command may take."""
    solved_at: Annotated[float, Range(0.01, 1e9)] = 1.0
    """Reward that is solved."""
    max_turns: Annotated[int, Range(1, 1000)] = 40
    """Commands and the end together."""

    cheats = (
        "<submit/>",
        "<bash>true</bash><submit/>",
        "<bash>mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt</bash>",
        "<bash>echo '{\"reward\": 1}' > /logs/verifier/reward.json</bash>",
        "",
    )

    def check(self) -> None:
        self._folders = tuple(map(TaskFolder, task_folders(self.path)))

    def _name(self) -> str:
        return Path(self.path).name

    def _game_of(self) -> HarborGame:
        return HarborGame(self._folders, self.wall_s, self.network, self.solved_at)

    def tools(self) -> Sequence[Tool]:
        return tuple(TOOLS.tools.values())

    def generate(self, rng: np.random.Generator) -> OutsideTask:
        seed = int(rng.integers(SEEDS))  # what the task is can be seen without a container: many are drawn for a split
        return OutsideTask(self._name(), self._folders[seed % len(self._folders)].content, seed)

    def respond(self, action: str) -> Reply:
        reply = super().respond(action)
        if reply.done or reply.solved or self.turn < self.max_turns:
            return reply
        assert isinstance(self._game, HarborGame)
        turn = self._game.judged()  # what is left when the turns are used up is judged, too
        credit = 0.0 if turn.solved else min(turn.credit, MOST_CREDIT)
        return reply._replace(observation=f"{reply.observation}\n{turn.text}", reward=credit, solved=turn.solved)

    def oracle(self) -> str:
        assert isinstance(self._game, HarborGame)
        command = self._game.solution()
        return "<submit/>" if self._game.ran else self.call_text("bash", {"command": command})
