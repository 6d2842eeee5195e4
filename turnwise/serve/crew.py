"""Carries out operations of the sessions of one process, in as few threads as keep up.

Operations of a session are fed one at a time; its number is taken when one is fed and free again when it is done, so
that a session which is given up while an operation of it waits or runs is released by that operation, and by nothing
else at the same time.
"""

import logging
import math
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Any, Literal

from turnwise.core.errors import InfrastructureError, SettingsError, UsageError
from turnwise.serve.quick import Quick
from turnwise.serve.watch import Overdue, Watch
from turnwise.session.session import Answer, Session

__all__ = ["GONE", "Crew", "Opened", "Refusal"]

GONE = "the session is gone; reset to begin another one"
PATIENCE_S = 0.002
"""After this long with something waiting, another thread helps."""
MOST_STUCK = 3
"""Threads that are started in place of stuck ones, as a multiple of those that are allowed."""
_LOG = logging.getLogger(__name__)
Kind = Literal["bad_request", "failed", "lost", "capacity", "unknown"]


class Refusal(Exception):
    """An operation that was not carried out.

    Attributes:
        kind: "bad_request" (what the client sent), "failed" (the environment), "lost" (the session is gone),
            "capacity" (no room for another session) or "unknown" (no such session, environment or tool).
        text: What a client may read of it.
        more: Further fields of the answer.
    """

    def __init__(self, kind: Kind, text: str, **more: Any) -> None:
        super().__init__(kind, text)
        self.kind, self.text, self.more = kind, text, more

    def __reduce__(self) -> Any:
        return _refusal, (self.kind, self.text, self.more)


def _refusal(kind: Kind, text: str, more: dict[str, Any]) -> Refusal:
    return Refusal(kind, text, **more)


@dataclass(frozen=True)
class Opened:
    """How a session began.

    Attributes:
        text: The first observation.
        tools: Function schemas of its tools, ``act`` among them.
        task_id: Hash of the task.
    """

    text: str
    tools: tuple[Mapping[str, Any], ...]
    task_id: str


Done = Callable[[Any, bool], None]
"""Takes the value of an operation, or the `Refusal` and True."""


class Crew:
    """The sessions of one process, by number, and the threads that carry out their operations.

    Args:
        threads: Most operations at a time.
    """

    def __init__(self, threads: int) -> None:
        self.live: dict[int, Session] = {}
        self._runners = _Runners(threads)
        self._lock = threading.Lock()
        self._busy: set[int] = set()  # an operation waits or runs
        self._gone: set[int] = set()  # given up since: that operation releases it
        self._torn: dict[int, int] = {}  # interrupted in the middle of an operation, after so many turns
        self._watch = Watch()

    def feed(self, done: Done, operation: str, number: int, arguments: tuple[Any, ...]) -> None:
        """Have an operation carried out; to be called by one thread, in the order of the operations.

        Args:
            done: Called with what comes of it, in any thread.
            operation: ``open``, ``reply``, ``call``, ``fork`` or ``close``.
            number: Of the session.
            arguments: Of the operation.
        """
        numbers = (number, int(arguments[0])) if operation == "fork" else (number,)
        with self._lock:
            taken = not self._busy.isdisjoint(numbers)
            if not taken:
                self._busy.update(numbers)
            elif operation == "close" and number not in self._gone:
                self._gone.add(number)
                self._runners.stuck(1)
        if not taken:
            self._runners.add(partial(self._carry_out, done, operation, numbers, arguments))
        elif operation == "close":
            done(None, False)
        else:
            done(Refusal("lost", GONE), True)

    def at_once(self, quick: Quick, operation: str, number: int, arguments: tuple[Any, ...]) -> tuple[Any, bool] | None:
        """Carry out an operation in this thread, the one that feeds, if its environment is known to be quick.

        One that computes for longer than `BUDGET_S` is interrupted, and its environment is known to be quick no more.

        Returns:
            What comes of it and whether that is a `Refusal`; None if it must be fed.
        """
        session = self.live.get(number)
        if session is None or session.id not in quick or operation == "close" or number in self._busy:
            return None
        if operation == "open" and (arguments[0], arguments[1]) != (session.id, session.settings):
            return None
        turns, began = session.turn, time.perf_counter()
        try:
            found, refused = self._watch.over(self._do, operation, number, arguments), False
        except Refusal as refusal:
            found, refused = refusal, True
        except Overdue:
            self._torn[number] = turns
            quick.drop(session.id, f"was interrupted after {time.perf_counter() - began:.2f} s")
            return None
        quick.took(session.id, time.perf_counter() - began)
        return found, refused

    def stop(self, wait_s: float) -> None:
        """Let what runs end, for so long, then close every session; nothing may be fed afterwards."""
        deadline = time.monotonic() + wait_s
        while self._busy and time.monotonic() < deadline:
            time.sleep(0.01)
        for number in list(self.live):
            with self._lock:
                taken = number in self._busy
                self._gone.add(number)
            if not taken:
                self._close(number)
        self._runners.stop()
        self._watch.stop()

    def _carry_out(self, done: Done, operation: str, numbers: tuple[int, ...], arguments: tuple[Any, ...]) -> None:
        refused = True
        value: Any
        try:
            if self._gone.isdisjoint(numbers):
                value = self._do(operation, numbers[0], arguments)
                refused = False
            else:
                value = Refusal("lost", GONE)
        except Refusal as refusal:
            value = refusal
        with self._lock:
            self._busy.difference_update(numbers)
            gone = self._gone.intersection(numbers)
            self._gone.difference_update(gone)
        for number in gone:
            self._runners.stuck(-1)
            self._close(number)
        done(value, refused)

    def _do(self, operation: str, number: int, arguments: tuple[Any, ...]) -> Any:
        try:
            if operation == "open":
                return self._open(number, *arguments)
            if operation == "close":
                return self._close(number)
            session = self.live.get(number)
            if session is None:
                raise Refusal("lost", GONE)
            if (turns := self._torn.pop(number, None)) is not None:
                session.repeat(turns)
            if operation == "fork":
                self.live[arguments[0]] = twin = session.fork()
                return twin.turn
            return _plain(session, session.reply(*arguments) if operation == "reply" else session.call(*arguments))
        except Refusal:
            raise
        except (SettingsError, UsageError) as error:
            raise Refusal("bad_request", f"{error!s:.1000}") from None
        except Overdue:
            raise
        except BaseException as error:  # an environment's sys.exit() must not end the server
            self._close(number)
            raise Refusal("failed", _failure(error, "the environment failed")) from None

    def _open(self, number: int, env: str, settings: Mapping[str, Any], seed: int | None) -> Opened:
        """Begin an episode in a new session, or the next one of a session."""
        session = self.live.get(number)
        if session is None or session.settings != dict(settings) or session.id != env or number in self._torn:
            self._close(number)
            session = Session(env, settings)
        self.live[number] = session
        try:
            opening = session.start(seed)
        except InfrastructureError as error:
            self._close(number)
            raise Refusal("failed", _failure(error, "the environment could not begin")) from None
        tools = tuple(tool.schema() for tool in session.tools(always=True))
        return Opened(opening.text, tools, opening.task_id)

    def _close(self, number: int) -> None:
        session = self.live.pop(number, None)
        self._torn.pop(number, None)
        if session is None:
            return
        try:
            session.close()
        except BaseException as error:
            _failure(error, "the environment could not be closed")


def _failure(error: BaseException, what: str) -> str:
    """What a client reads of a failure: its kind, and where the log has the rest.

    The text of an exception may hold paths, addresses, keys, even the solution.
    """
    number = secrets.token_hex(4)
    _LOG.warning("%s (failure %s)", what, number, exc_info=error)
    return f"{what}: {type(error).__name__}; the server's log has it as failure {number}"


def _plain(session: Session, answer: Answer) -> dict[str, Any]:
    """An answer for the wire: nothing in it but what an agent may know."""
    found: dict[str, Any] = {
        "text": answer.text, "reward": answer.reward, "done": answer.done, "truncated": answer.truncated,
        "turn": session.turn, "invalid": answer.invalid,
    }  # fmt: skip
    if not math.isfinite(answer.reward):
        raise Refusal("failed", _failure(ValueError(f"a reward of {answer.reward}"), "the environment failed"))
    if answer.error is not None:
        raise Refusal("failed", _failure(session.failure or Exception(), "the environment failed"))
    if answer.done:
        episode = session.episode
        metrics = {name: value if math.isfinite(value) else None for name, value in episode.metrics.items()}
        found |= {
            "return": episode.episode_return, "solved": episode.solved, "metrics": metrics, "task_id": episode.task_id
        }  # fmt: skip
    return found


class _Runners:
    """Threads that carry out tasks: one as long as it keeps up, more while something waits.

    Most environments answer in microseconds, and handing each message to another thread would cost more than that.
    They are daemons: an environment that hangs does not keep the server from ending.

    Args:
        most: Threads.
    """

    def __init__(self, most: int) -> None:
        self._most, self._stuck = most, 0
        self._tasks: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._awake = self._asleep = 0
        self._calls: SimpleQueue[bool] = SimpleQueue()
        self._crowded = threading.Event()
        self._stopped = False
        threading.Thread(target=self._watch, daemon=True, name="turnwise-serve-watch").start()

    def add(self, task: Callable[[], None]) -> None:
        """Have a task carried out; it does not raise."""
        with self._lock:
            self._tasks.append(task)
            alone = self._awake == 0
        if alone:
            self._wake()
        elif not self._crowded.is_set():
            self._crowded.set()

    def stuck(self, change: int) -> None:
        """A task that nobody waits for any more runs, or has ended: another thread stands in for its own."""
        with self._lock:
            self._stuck += change

    def stop(self) -> None:
        """End the threads that have nothing to do, and the others when they are done."""
        with self._lock:
            self._stopped = True
            asleep, self._asleep = self._asleep, 0
        self._crowded.set()
        for _ in range(asleep):
            self._calls.put(False)

    def _wake(self) -> None:
        with self._lock:
            most = self._most + min(self._stuck, MOST_STUCK * self._most)
            if not self._tasks or self._awake >= most:
                return
            self._awake += 1
            asleep = self._asleep > 0
            self._asleep -= asleep
        if asleep:
            self._calls.put(True)
        else:
            threading.Thread(target=self._run, daemon=True, name="turnwise-serve-step").start()

    def _run(self) -> None:
        while True:
            with self._lock:
                task = self._tasks.popleft() if self._tasks else None
                if task is None:
                    self._awake -= 1
                    if self._stopped:
                        return
                    self._asleep += 1
            if task is not None:
                task()
            elif not self._calls.get():
                return

    def _watch(self) -> None:
        while True:
            self._crowded.wait()
            if self._stopped:
                return
            time.sleep(PATIENCE_S)
            with self._lock:
                waiting, awake = len(self._tasks), self._awake
                if not waiting:
                    self._crowded.clear()
            for _ in range(min(waiting, max(awake, 1))):
                self._wake()
