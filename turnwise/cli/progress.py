"""The output of ``turnwise eval`` while it runs and at its end: a bar on a terminal, log lines elsewhere."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self

from turnwise.agents.make import ANSWER_LIMIT
from turnwise.core.durations import duration
from turnwise.core.episode import Episode
from turnwise.core.errors import FatalError
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.evaluate import Summary, evaluate
from turnwise.report.evaluation import scores_table
from turnwise.report.measures import measures_markdown
from turnwise.report.standing import standing_markdown
from turnwise.report.tables import markdown_table

__all__ = ["Log", "Watch", "evaluate_shown"]

FIRST_S = (5.0, 15.0, 30.0)  # when log lines are due, in seconds from the start
EVERY_S = 60.0  # afterwards
Say = Callable[[str], None]


class Log:
    """Writes log lines about the progress of an evaluation when they are due.

    Args:
        say: Writes a line.
        clock: Returns seconds; only differences matter.
    """

    def __init__(self, say: Say, clock: Callable[[], float] = time.monotonic) -> None:
        self.say, self.clock, self.start = say, clock, clock()
        self.done = self.total = self.before = self.solved = self.ended = 0
        self.failed: list[str] = []
        self.chance: tuple[str, int, int] | None = None
        self._lines, self._last = 0, 0.0
        self._lock = threading.Lock()

    def episode(self, done: int, total: int, episode: Episode | None) -> None:
        """`evaluate`'s ``progress``."""
        with self._lock:
            if episode is None:
                self.before = done
            elif episode.status == "error":
                self.failed.append(episode.error or "")
            else:
                self.solved, self.ended = self.solved + episode.solved, self.ended + 1
            self.done, self.total = done, total
        self.tick()

    def measuring(self, env: str, done: int, total: int) -> None:
        """`evaluate`'s ``measuring``."""
        self.chance = (env, done, total)
        self.tick()

    def tick(self) -> None:
        """Write a line about the progress if one is due."""
        with self._lock:
            due = FIRST_S[self._lines] if self._lines < len(FIRST_S) else self._last + EVERY_S
            elapsed = self.clock() - self.start
            if elapsed < due:
                return
            self._last = elapsed
            while self._lines < len(FIRST_S) and FIRST_S[self._lines] <= elapsed:
                self._lines += 1
            text = self.line(elapsed)
        self.say(text)

    def line(self, elapsed: float) -> str:
        """Describe the state after ``elapsed`` seconds."""
        if self.chance is not None:
            env, done, total = self.chance
            return f"{duration(elapsed)}: measuring chance in {env}: {done} of {total} episodes of the random agent"
        if not self.total:
            return f"{duration(elapsed)}: loading the environments and the agent"
        parts = [f"{self.done} of {self.total} episodes", *self.rates()]
        played = self.done - self.before
        if played and self.done < self.total:
            parts.append(f"about {duration(elapsed / played * (self.total - self.done))} left")
        return f"{duration(elapsed)}: {', '.join(parts)}"

    def rates(self) -> list[str]:
        """Describe the results of the episodes so far."""
        solved = [f"{self.solved / self.ended:.1%} solved"] if self.ended else []
        return solved + [f"{len(self.failed)} failed"] * bool(self.failed)


class Watch:
    """Shows an evaluation's progress on standard error, from `evaluate`'s callbacks and a timer thread."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(stderr=True)
        self.log = Log(self.say if not self._console.is_terminal else lambda text: None)
        self._ended = threading.Event()
        self._stack = contextlib.ExitStack()
        self._show: Callable[[], None] = lambda: None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._show = self._stack.enter_context(_bar(self._console, self.log))
        else:
            thread = threading.Thread(target=self._ticks, daemon=True)
            thread.start()
            self._stack.callback(thread.join)
            self._stack.callback(self._ended.set)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def say(self, text: str) -> None:
        """Write a line to standard error, above the bar if there is one."""
        self._console.print(f"turnwise: {text}", markup=False, highlight=False, soft_wrap=True, emoji=False)

    def episode(self, done: int, total: int, episode: Episode | None) -> None:
        """`evaluate`'s ``progress``."""
        self.log.episode(done, total, episode)
        self._show()

    def measuring(self, env: str, done: int, total: int) -> None:
        """`evaluate`'s ``measuring``."""
        self.log.measuring(env, done, total)
        self._show()

    def _ticks(self) -> None:
        """Write lines even while no episode ends."""
        while not self._ended.wait(1.0):
            self.log.tick()


@contextlib.contextmanager
def _bar(console: Any, log: Log) -> Iterator[Callable[[], None]]:
    """Show a bar for the episodes, then one for what is measured."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, transient=True) as bar:
        tasks = {"": bar.add_task("", total=None)}

        def show() -> None:
            if log.chance is None:
                bar.update(tasks[""], completed=log.done, total=log.total, description=", ".join(log.rates()))
                return
            env, done, total = log.chance
            if env not in tasks:
                for task in tasks.values():
                    bar.update(task, visible=False)
                tasks[env] = bar.add_task(f"measuring chance in {env}", total=total)
            bar.update(tasks[env], completed=done)

        yield show


def evaluate_shown(config: EvalConfig, out: Say = print) -> int:
    """Evaluate and show the progress; print the table and remarks about it.

    Returns:
        The exit status: 0, or 1 if no episode could be scored or the budget left some unplayed.
    """
    with Watch() as watch:
        try:
            summary = evaluate(config, None, watch.episode, watch.measuring, watch.say)
        except (FatalError, KeyboardInterrupt):
            if watch.log.total:
                watch.say(_kept(config, watch.log))
            raise
    if summary.suite is not None:
        table = standing_markdown(summary.suite)
    else:
        table = markdown_table(*scores_table(summary.environments))
    out(f"{summary.agent}\n\n{table}{measures_markdown(summary.environments)}")
    for text in _remarks(config, summary, watch.log.failed):
        watch.say(text)
    whole = watch.log.done >= watch.log.total
    return 0 if summary.overall.num_episodes and whole else 1


def _kept(config: EvalConfig, log: Log) -> str:
    """Say what a stopped evaluation has left behind."""
    played = f"stopped after {log.done - len(log.failed)} of {log.total} episodes"
    if config.out is None:
        return f"{played}; without --out none is kept"
    return f"{played}, which are in {config.out}: the same command continues from there"


def _remarks(config: EvalConfig, summary: Summary, failed: list[str]) -> Iterator[str]:
    """Return remarks that accompany the table."""
    if failed:
        again = "; the same command plays them again" if config.out is not None else ""
        yield f"{len(failed)} episode{'s' * (len(failed) > 1)} failed, the first with: {failed[0]}{again}"
    if config.prices is not None and summary.overall.num_episodes and summary.overall.cost is None:
        yield f"no cost: {config.prices} has no price for {summary.agent}, or its endpoint counts no tokens"
    if summary.overall.num_cut:
        name = ANSWER_LIMIT.get(config.agent.partition(":")[0])
        hint = f"; --agent-options {name}=... allows longer ones" if name else ""
        yield f"{summary.overall.num_cut} answers were cut by a token limit (finish is 'length'){hint}"
    if config.out is not None:
        yield f"every episode is in {config.out}; `turnwise report {config.out}` makes a page of it"
