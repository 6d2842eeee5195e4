"""Environments as task folders of Harbor: a container for the agent, a second one for the judge, the oracle's solution.

Three kinds of environment fit a container: those of one message, which is written to a file; those whose episode is
work on text files (`Workspace`); and those whose episode changes a directory (`Directory`).
"""

import io
import json
import shlex
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import turnwise
from turnwise.core.env import Reply, Split
from turnwise.core.errors import SettingsError
from turnwise.core.registration import parse_spec, written
from turnwise.export.lm_eval import one_message
from turnwise.sandbox import Entry
from turnwise.session.rows import rows
from turnwise.session.session import Opening, Session
from turnwise.worlds.programs.shell.check import literal_commands
from turnwise.worlds.programs.shell.tree import Node

__all__ = ["ANSWER", "TREE", "WORK", "Directory", "Workspace", "kind_of", "write_harbor_tasks"]

WORK, ANSWER, TREE = "/app", "/answer.txt", "/logs/artifacts/app.tar"
IMAGE = "python:3.12-slim"
LONG_AGO = 1577880000  # 2020-01-01 12:00 UTC
_TEST = """#!/bin/sh
# A judge that fails writes no reward: Harbor takes that for an error, never for a 0.
exec python -m turnwise.export.harbor_judge /tests/task.json /logs/verifier/reward.txt
"""
Kind = Literal["message", "files", "tree"]


@runtime_checkable
class Workspace(Protocol):
    """An environment whose episode is work on text files, judged as they are when it ends."""

    files: dict[str, str]

    def brief(self) -> str:
        """What to do, without a word about tools."""


@runtime_checkable
class Directory(Protocol):
    """An environment whose episode changes a directory, or finds an answer in it."""

    task: Any
    asks: bool

    def brief(self) -> str:
        """What to do, without a word about tools."""

    def verdict(self, found: Mapping[str, Entry], text: str = "") -> Reply:
        """Judge the directory and the answer."""


def kind_of(env: Any, spec: str) -> Kind:
    """Return how an environment fits a container.

    Args:
        env: It, after a reset.
        spec: Its name, for the error.

    Raises:
        SettingsError: It does not.
    """
    if isinstance(env, Workspace):
        return "files"
    if isinstance(env, Directory):
        return "tree"
    if one_message(spec):
        return "message"
    raise SettingsError(
        f"{spec} cannot be a task of Harbor: it answers each message, and a container does not. Environments of one "
        "message can be exported, and those that are work on files: CodeRepair, RepoIssue, Shell"
    )


def write_harbor_tasks(
    spec: str, out: Path, num_tasks: int, split: Split = "test", image: str = "", judge_image: str = ""
) -> list[Path]:
    """Write a folder for each task.

    Args:
        spec: The environment, with settings behind a colon if need be.
        out: Where the folders go; made if it does not exist.
        num_tasks: Number of tasks.
        split: "test" or "train".
        image: The agent's image begins with this; it needs a shell, and Python for programs.
        judge_image: An image that has turnwise, for the judge; empty installs it into python:3.12-slim.

    Returns:
        The folders.

    Raises:
        SettingsError: The environment does not fit a container, or a number is out of range.
    """
    if num_tasks < 1:
        raise SettingsError(f"num_tasks is {num_tasks}; it must be at least 1")
    env_id, settings = parse_spec(spec)
    judge = f"FROM {judge_image}" if judge_image else f"FROM {IMAGE}\nRUN pip install {_package()}"
    folders = []
    for row in rows(env_id, num_tasks, split=split, settings=settings):
        with Session(env_id, json.loads(row["settings"])) as session:
            opening = session.start(row["seed"])
            kind = kind_of(session.env.unwrapped, spec)
            short = env_id.rpartition("/")[2].rpartition("-v")[0].lower()
            folder = out / f"{short}-{split}-{row['index']:04}"
            texts: dict[str, str | bytes] = dict(_start_and_end(session, opening, kind, image or IMAGE))
        texts["task.toml"] = _toml(folder.name, kind, written(env_id, settings), split)
        texts["tests/Dockerfile"] = f"{judge}\nCOPY . /tests\n"
        texts["tests/test.sh"] = _TEST
        texts["tests/task.json"] = json.dumps({**row, "task_id": opening.task_id, "kind": kind}, indent=1) + "\n"
        for name, text in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)
            if name.endswith(".sh"):
                path.chmod(0o755)
        folders.append(folder)
    return folders


def _package() -> str:
    return f"'turnwise=={turnwise.__version__}'"


def _start_and_end(session: Session, opening: Opening, kind: Kind, image: str) -> Iterator[tuple[str, str | bytes]]:
    """The instruction, the agent's image and the solution."""
    env = session.env.unwrapped
    docker = f"FROM {image}\nENV TMPDIR=/tmp\nWORKDIR {WORK}\n"
    if kind == "message":
        said = f"{opening.text}\n\nWrite to `{ANSWER}` exactly the message that you would send.\n"
        yield "environment/Dockerfile", docker
        steps = _put(ANSWER, _played(session))
    elif kind == "files":
        said = f"{env.brief()}\n\nThe files are in `{WORK}`; they are judged as they are when you stop.\n"
        start = dict(env.files)
        yield "environment/Dockerfile", f"{docker}COPY files {WORK}\n"
        yield from ((f"environment/files/{path}", text) for path, text in start.items())
        _played(session)
        steps = "".join(_put(f"{WORK}/{path}", text) for path, text in env.files.items() if start.get(path) != text)
    else:
        asked = f" Write the answer, and nothing else, to `{ANSWER}`." if env.asks else ""
        said = f"{env.brief()}\n\nThe directory is `{WORK}`; it is judged as it is when you stop.{asked}\n"
        tree = dict(env.task.start)
        if any(goal.live for goal in env.task.goals):
            raise SettingsError("tasks about running processes cannot be exported; set processes=False")
        yield "environment/Dockerfile", f"{docker}ADD start.tar {WORK}\n"
        yield "environment/start.tar", _tar(tree)
        steps = f"cd {WORK}\n{literal_commands(tree, env.task.wanted())}\n"
        steps += _put(ANSWER, env.task.answer()) if env.asks else ""
    yield "instruction.md", said
    yield "solution/solve.sh", f"#!/bin/sh\nset -e\n{steps}"


def _played(session: Session) -> str:
    """Play the oracle to the end; its last message.

    Raises:
        InfrastructureError: The environment failed, so that the solution is not known to be one.
    """
    action = ""
    while not session.done:
        action = session.env.unwrapped.oracle()
        session.reply(action)
    if (failure := session.failure) is not None:
        raise failure
    return action


def _put(path: str, text: str) -> str:
    folder = shlex.quote(path.rpartition("/")[0] or "/")
    return f"mkdir -p {folder}\nprintf %s {shlex.quote(text)} > {shlex.quote(path)}\n"


def _tar(tree: Mapping[str, Node]) -> bytes:
    """The directory as an archive, the same each time."""
    buffer = io.BytesIO()
    kinds = {"file": tarfile.REGTYPE, "directory": tarfile.DIRTYPE, "link": tarfile.SYMTYPE}
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, node in sorted(tree.items()):
            member = tarfile.TarInfo(path)
            member.type, member.mtime = kinds[node.kind], LONG_AGO
            usual = {"file": 0o644, "directory": 0o755, "link": 0o777}[node.kind]
            member.mode = usual if node.mode is None else node.mode
            contents = node.data() if node.kind == "file" else b""
            member.linkname, member.size = node.contents.decode() if node.kind == "link" else "", len(contents)
            archive.addfile(member, io.BytesIO(contents))
    return buffer.getvalue()


def _toml(name: str, kind: Kind, spec: str, split: str) -> str:
    artifacts = {"message": [ANSWER], "files": [WORK], "tree": [ANSWER]}[kind]
    lines = ['schema_version = "1.4"', f"artifacts = {json.dumps(artifacts)}", "", "[task]"]
    lines += [f"name = {json.dumps(f'turnwise/{name}')}", 'keywords = ["turnwise"]', "", "[metadata]"]
    lines += [
        f"environment = {json.dumps(spec)}",
        f"split = {json.dumps(split)}",
        f"turnwise = {json.dumps(turnwise.__version__)}",
    ]
    lines += ["", "[agent]", "timeout_sec = 1800.0", "", "[verifier]", "timeout_sec = 600.0"]
    lines += ['environment_mode = "separate"']
    if kind == "tree":  # an archive keeps permissions and links, which the copying of folders may not
        lines += ["", "[[verifier.collect]]", f"command = {json.dumps(f'tar -C {WORK} -cf {TREE} .')}"]
    return "\n".join(lines) + "\n"
