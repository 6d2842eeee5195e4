"""Evaluations that die in the middle, at a counted episode: a kill from outside comes too late on a quick machine."""

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from turnwise.core.episode import Episode
from turnwise.evaluation import store

ROOT = Path(__file__).parents[1]
EVALUATE = """
import json
from turnwise.evaluation.evaluate import EvalConfig, evaluate
evaluate(EvalConfig.from_dict(json.load(open(sys.argv[1]))))
"""
COMMAND_LINE = """
from turnwise.cli.main import main
main()
"""


def die_in_line(number: int) -> None:
    """Make this process kill itself when its evaluation has written half of the episode with this number, from 0."""
    whole, count = store.write_episode, itertools.count()

    def write(path: Path, episode: Episode) -> None:
        if next(count) < number:
            return whole(path, episode)
        line = episode.to_json().encode()
        with path.open("ab") as file:
            file.write(line[: len(line) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

    store.write_episode = write  # type: ignore[attr-defined]


def interrupt_after(number: int) -> None:
    """Make this process interrupt itself, as Ctrl-C does, when its evaluation has written so many episodes."""
    whole, count = store.write_episode, itertools.count(1)

    def write(path: Path, episode: Episode) -> None:
        whole(path, episode)
        if next(count) == number:
            os.kill(os.getpid(), signal.SIGINT)

    store.write_episode = write  # type: ignore[attr-defined]


def heed_ctrl_c() -> None:
    """Undo what shells do to jobs in the background and their children: to ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(script: str, *args: str | Path, end: str = "") -> int:
    """Run a program from the checkout and return its exit status.

    Args:
        script: Its code.
        args: Its arguments.
        end: How it ends: a call of `die_in_line` or of `interrupt_after`; empty if it is left alone.
    """
    code = f"import sys\nfrom tests._killing import die_in_line, interrupt_after\n{end}\n{script}"
    command: Sequence[str] = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.run(command, cwd=ROOT, stderr=subprocess.DEVNULL, preexec_fn=heed_ctrl_c).returncode


def num_lines(path: Path) -> int:
    """Return the number of whole lines of a file, 0 if it does not exist."""
    return path.read_bytes().count(b"\n") if path.exists() else 0
