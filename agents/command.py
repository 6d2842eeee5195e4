"""An agent that is a program: it reads observations and writes actions, as JSON lines on its standard streams.

The program gets a line for every turn::

    {"type": "turn", "episode": "7-0", "turn": 0, "observation": "...", "messages": [...], "seed": 123}

(``messages`` is the whole conversation; ``tools`` has the schemas of the environment's tools, if it has any) and
answers with one line, ``{"action": "..."}``. It may add ``tool_calls`` (``[{"name": ..., "arguments": {...}}]``),
``reasoning``, ``finish``, ``prompt_tokens`` and ``completion_tokens``; ``{"error": "..."}`` gives the episode up,
unscored. At the end of an episode it gets ``{"type": "end", "episode": "7-0"}``, which it does not answer. Each episode
is played by one process, and a process plays one episode at a time. What it writes to standard error is shown if it
fails.
"""

import contextlib
import json
import os
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from turnwise.agents.endpoint.messages import action_of
from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import seed_of
from turnwise.core.errors import FatalError, InfrastructureError, SettingsError, UsageError
from turnwise.core.http.health import Health
from turnwise.core.settings import Range, check_arguments

__all__ = ["CommandAgent"]

MOST_BYTES = 1 << 26
"""Longest line that a program may write."""
_LAST_WORDS = 1500  # of standard error, in bytes
_GRACE_S = 2.0  # to end by itself after the end of its input


class CommandAgent(Agent):
    """Plays the actions that a program writes; see the module.

    Args:
        command: The program and its arguments, as a shell would split them; no shell is involved.
        concurrency: Most processes, and therefore episodes, at a time.
        timeout_s: Longest time for one answer; a process that takes longer is killed, and its episode begins again.
        give_up_after: The run stops when so many processes have failed before the first answer, or so many in a row.
    """

    def __init__(
        self,
        command: str,
        *,
        concurrency: Annotated[int, Range(1)] = 4,
        timeout_s: Annotated[float, Range(above=0)] = 300.0,
        give_up_after: Annotated[int, Range(1)] = 4,
    ) -> None:
        given = {"concurrency": concurrency, "timeout_s": timeout_s, "give_up_after": give_up_after}
        check_arguments(CommandAgent.__init__, **given)
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise SettingsError(f"the agent is 'cmd:{command}': {error}") from error
        if not self.words or shutil.which(self.words[0]) is None:
            found = f"the program {self.words[0]!r} was not found" if self.words else "it names no program"
            raise SettingsError(f"the agent is 'cmd:{command}': {found}; it must look like 'cmd:python3 my_agent.py'")
        self.name, self.concurrency, self.timeout_s = f"cmd:{command}", concurrency, timeout_s
        self._health = Health(give_up_after)
        self._lock = threading.Lock()
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [self._act(play) for play in plays]

    def end(self, play: Play) -> None:
        process, play.state = play.state, None
        if isinstance(process, _Process):
            try:
                process.send({"type": "end", "episode": _name(play)}, time.monotonic() + _GRACE_S)
            except InfrastructureError:
                self._bury(process)
            else:
                with self._lock:
                    self._idle.append(process)

    def interrupt(self) -> None:
        with self._lock:
            busy = self._all.difference(self._idle)
        for process in busy:
            process.kill()

    def close(self) -> None:
        """End all processes: those that do not end with their input are killed."""
        with self._lock:
            found = list(self._all)
        for process in found:
            process.hang_up()
        end = time.monotonic() + _GRACE_S
        for process in found:
            self._bury(process, max(0.01, end - time.monotonic()))

    def _act(self, play: Play) -> Action:
        process: _Process = play.state or self._process()
        play.state = process
        tools = play.env.get_wrapper_attr("tools")() if play.env.has_wrapper_attr("tools") else ()
        turn = {
            "type": "turn",
            "episode": _name(play),
            "turn": play.turn,
            "observation": play.messages[-1]["content"],
            "messages": play.messages,
            "seed": seed_of("cmd", *play.rng_key) >> 11,  # exact for those who know no numbers but doubles
            **({"tools": [tool.schema() for tool in tools]} if tools else {}),
        }
        until = time.monotonic() + self.timeout_s
        try:
            process.send(turn, until)
            answer = process.read(until)
        except InfrastructureError as error:
            play.state = None
            self._bury(process)
            failed = f"{self.name}: {error}{process.last_words()}"
            if process.killed:
                raise InfrastructureError(f"{self.name}: interrupted") from error
            if self._health.failed() or self._health.given_up():
                raise FatalError(f"{failed}; {self._health.limit} processes have failed like this") from error
            raise InfrastructureError(failed) from error
        self._health.answered()
        return self._action(answer, play, [tool.name for tool in tools])

    def _action(self, line: bytes, play: Play, own: Sequence[str]) -> Action:
        """Read an answer; one that is none is a mistake of the program, which it would make again."""
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            data = None
        if isinstance(data, Mapping) and isinstance(data.get("error"), str):
            raise InfrastructureError(f"{self.name}: {data['error'][:500]}")
        fits = isinstance(data, Mapping) and isinstance(data.get("action", "" if data.get("tool_calls") else None), str)
        if not fits:
            raise FatalError(
                f"{self.name} wrote {_short(line)} to its standard output, where every line must be "
                '{"action": "..."}; anything else belongs on standard error'
            )
        caller: Any = play.env if hasattr(play.env, "call_text") else play.env.unwrapped
        try:
            text = action_of({"content": data.get("action", ""), "tool_calls": data.get("tool_calls")}, caller, own)
        except (UsageError, AttributeError) as error:
            raise FatalError(f"{self.name} wrote {_short(line)}: {error}") from error
        counts = [data.get(name) for name in ("prompt_tokens", "completion_tokens")]
        read, written = (n if type(n) is int and n >= 0 else 0 for n in counts)
        return Action(text, str(data.get("finish") or "stop")[:40], read, written, str(data.get("reasoning") or ""))

    def _process(self) -> "_Process":
        """An idle process, or a new one."""
        while True:
            with self._lock:
                idle = self._idle.pop() if self._idle else None
            if idle is None:
                break
            if idle.alive():
                return idle
            self._bury(idle)
        try:
            process = _Process(self.words)
        except OSError as error:
            raise FatalError(f"{self.name} cannot be started: {error}") from error
        with self._lock:
            self._all.add(process)
        return process

    def _bury(self, process: "_Process", patience_s: float = 0.0) -> None:
        with self._lock:
            self._all.discard(process)
            if process in self._idle:
                self._idle.remove(process)
        process.bury(patience_s)


def _name(play: Play) -> str:
    return "-".join(map(str, play.rng_key[:-1]))


def _short(line: bytes) -> str:
    text = line.decode("utf-8", "replace")
    return repr(text if len(text) <= 200 else f"{text[:200]}...")


class _Process:
    """A program that is running, in a process group of its own."""

    def __init__(self, words: Sequence[str]) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (it lives as long as the process)
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, start_new_session=True, bufsize=0
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        self._rest = b""
        self._said = ""
        self.killed = False

    def alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def send(self, value: Mapping[str, Any], until: float) -> None:
        """Write a line."""
        data = memoryview(json.dumps(value).encode() + b"\n")
        while data:
            self._wait(self._in, select.POLLOUT, until, "did not read what it was sent")
            try:
                data = data[os.write(self._in, data[: 1 << 16]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise InfrastructureError(self._end()) from error

    def read(self, until: float) -> bytes:
        """Read a line."""
        while b"\n" not in self._rest:
            self._wait(self._out, select.POLLIN, until, "did not answer")
            part = os.read(self._out, 1 << 16)
            if not part:
                raise InfrastructureError(self._end())
            self._rest += part
            if len(self._rest) > MOST_BYTES:
                raise InfrastructureError(f"wrote a line of more than {MOST_BYTES} bytes")
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _wait(self, file: int, event: int, until: float, what: str) -> None:
        poll = select.poll()
        poll.register(file, event)
        while (left := until - time.monotonic()) > 0:
            if poll.poll(min(left, 60.0) * 1000):
                return
        raise InfrastructureError(f"the program {what} in time")

    def _end(self) -> str:
        code = self._process.wait()
        how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with status {code}"
        return f"the program ended {how} before it had answered"

    def hang_up(self) -> None:
        """End its input."""
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()

    def kill(self) -> None:
        """Kill it and all that it has started; who reads from it gets an error."""
        self.killed = True
        if self.alive():  # its number may be another's otherwise
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def bury(self, patience_s: float) -> None:
        """Wait until it has ended, kill it if that takes too long, and close everything."""
        killed = self.killed
        with contextlib.suppress(subprocess.TimeoutExpired):
            if patience_s:
                self._process.wait(patience_s)
        self.kill()
        self.killed = killed
        self._process.wait()
        self.last_words()
        for file in (self._process.stdin, self._process.stdout, self._errors):
            with contextlib.suppress(OSError):
                assert file is not None
                file.close()

    def last_words(self) -> str:
        """The end of what it wrote to standard error, for a message."""
        if not self._said and not self._errors.closed:
            size = self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(0, size - _LAST_WORDS))
            text = self._errors.read().decode("utf-8", "replace").strip()
            self._said = f"; its last words: {text}" if text else ""
        return self._said
