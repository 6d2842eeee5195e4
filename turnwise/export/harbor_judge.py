"""Judges what a Harbor agent has left: ``python -m turnwise.export.harbor_judge TASK REWARD``.

It runs in the container of the judge, where the agent has never been. If the environment fails, no reward is written.
"""

import json
import os
import sys
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.export.harbor import ANSWER, TREE, WORK
from turnwise.sandbox import Entry
from turnwise.session.session import Session

__all__ = ["files_in", "judge", "main", "tree_in"]

MOST_FILES, MOST_BYTES = 400, 1 << 20
"""Files that the agent has added, and the bytes of a file, beyond which they are not read."""
MOST_TREE = 32 << 20
_KINDS = {tarfile.REGTYPE: "file", tarfile.AREGTYPE: "file", tarfile.DIRTYPE: "directory", tarfile.SYMTYPE: "link"}


def judge(task: Mapping[str, Any], root: Path = Path("/")) -> float:
    """Return the reward of what the agent left.

    Args:
        task: The row of the task, with ``kind`` and ``task_id``.
        root: Where the agent's files are; tests have a folder of their own.

    Raises:
        InfrastructureError: The environment failed.
        SettingsError: This version of turnwise makes another task of the seed.
    """
    with Session(str(task["env"]), json.loads(task["settings"]), retries=2) as session:
        if session.start(int(task["seed"])).task_id != task["task_id"]:
            raise SettingsError(f"{task['env']} seed {task['seed']} is another task in this version; export it again")
        env, kind = session.env.unwrapped, task["kind"]
        if kind == "tree":
            found = tree_in(root / TREE.lstrip("/")) if len(env.task.goals) > env.asks else {}
            reply = env.verdict(found, _answer(root).strip())
            return 1.0 if reply.solved else float(reply.reward)
        if kind == "files":
            env.files = files_in(root / WORK.lstrip("/"), env.files)
            answer = session.call("submit", {})
        else:
            answer = session.reply(_answer(root))
        if answer.error is not None:
            raise InfrastructureError(answer.error)
        return session.episode.episode_return


def _answer(root: Path) -> str:
    """The agent's message; empty if it wrote none."""
    path = root / ANSWER.lstrip("/")
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(MOST_BYTES).decode(errors="replace")


def files_in(folder: Path, known: Mapping[str, str]) -> dict[str, str]:
    """Read the text files of a folder; links are not followed, and of unknown files only sources count.

    Args:
        folder: The agent's.
        known: Those that it was given.
    """
    found: dict[str, str] = {}
    if folder.is_symlink():  # to what the judge has
        return found
    for above, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__")))
        for name in sorted(names):
            path = Path(above, name)
            key = path.relative_to(folder).as_posix()
            wanted = key in known or (name.endswith(".py") and len(found) < len(known) + MOST_FILES)
            if not wanted or path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
                continue
            try:
                found[key] = path.read_bytes().decode()
            except UnicodeDecodeError:
                continue
    return found


def tree_in(archive: Path) -> dict[str, Entry]:
    """Read a directory out of an archive, without unpacking it; what is too large or unreadable is missing."""
    found: dict[str, Entry] = {}
    if archive.is_symlink() or not archive.is_file():
        return found
    try:
        with tarfile.open(archive, "r:") as members:
            left = MOST_TREE
            for member in members:
                path = os.path.normpath(member.name)
                if path == ".":
                    continue
                left -= member.size
                if left < 0:
                    break
                if member.islnk():  # a second name of a file
                    first = os.path.normpath(member.linkname)
                    found[path] = found[first] = found.get(first, Entry("file"))._replace(links=2)
                    continue
                kind: Any = _KINDS.get(member.type, "other")
                file = members.extractfile(member) if kind == "file" else None
                contents = file.read() if file is not None else member.linkname.encode() if kind == "link" else b""
                found[path] = Entry(kind, member.mode & 0o7777, contents)
    except (OSError, tarfile.TarError):
        return found
    return found


def main(args: Sequence[str]) -> int:
    """Judge, and write the reward; the exit status."""
    task, reward = map(Path, args)
    value = judge(json.loads(task.read_text(encoding="utf-8")))
    reward.write_text(f"{value}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
