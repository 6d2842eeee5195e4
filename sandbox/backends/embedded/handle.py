"""Handles on wardens: start one, give it programs, read the results, notice when it breaks."""

import contextlib
import json
import marshal
import os
import select
import socket
import struct
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.sandbox.backends.clock import Clock
from turnwise.sandbox.backends.endings import limit_hit, split_status
from turnwise.sandbox.backends.outputs import Outputs
from turnwise.sandbox.interface.messages import as_bytes, limits_message
from turnwise.sandbox.interface.records import Limits, Program, Result
from turnwise.sandbox.jail import kernel, launch
from turnwise.sandbox.wire import frames, tree

__all__ = ["BOUNDS", "CREDENTIALS", "Broken", "Silent", "Slot", "WardenHandle", "file_contents", "hand_over"]

_START_S = 60.0
_GRACE_S = 10.0  # for a kill to be carried out, on a busy machine
_STRATEGIES = ("root", "user", "none")
_UNSUITABLE = 77  # exit status of outer.py
_MARSHAL = 2  # a format that every version of the interpreter reads
_NAMES_BYTES = 1 << 24  # of the paths in a tree, as JSON writes them
CREDENTIALS = struct.Struct("iII")
"""A ``struct ucred`` of the kernel: process, user, group."""
BOUNDS = ("file_mb", "files", "memory_mb", "processes")
"""The limits that hold for all processes of a warden's child together."""


class Broken(InfrastructureError):
    """The warden ended, or does not answer: what was under way can be done again by another one."""


class Silent(Broken):
    """The warden has said nothing for too long."""


class Slot:
    """A jailed child that waits for its job.

    Attributes:
        number: Its number with the warden.
        job: The socket on which it reads the job.
        stdin: Where its input is written; -1 once it is closed.
        stdout: Where its output is read.
        stderr: The same.
    """

    def __init__(self, number: int, job: int, stdin: int, stdout: int, stderr: int) -> None:
        self.number = number
        self.job = socket.socket(fileno=job)
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr

    def close_stdin(self) -> None:
        """Close the program's standard input."""
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def close(self) -> None:
        """Close the socket and the pipes."""
        self.job.close()
        self.close_stdin()
        for place in (self.stdout, self.stderr):
            os.close(place)


def file_contents(files: Mapping[str, bytes | str], limits: Limits) -> list[bytes]:
    """Return the contents of the files; raise ``SettingsError`` if the limits leave no room for them."""
    contents = [as_bytes(text) for text in files.values()]
    size, places = sum(map(len, contents)), len(contents) + len({os.path.dirname(path) for path in files})
    if size > limits.file_mb * 2**20 * 0.9 or places > limits.files * 0.9:
        raise SettingsError(
            f"file_mb={limits.file_mb}, files={limits.files}: {len(contents)} files of {size} bytes need more"
        )
    return contents


class WardenHandle:
    """The client's handle on one warden, for one thread at a time.

    Attributes:
        layers: What it found in force.
        facts: The circumstances under which it did.
        scratch: Path of the scratch directory, as programs see it.
        strategy: How it is isolated.
    """

    def __init__(self, python: str, config: dict[str, Any], strategy: str | None = None) -> None:
        self.config = config
        self.bounds = {name: config[name] for name in BOUNDS}
        self.slots: list[Slot] = []
        self.owner = os.getpid()
        choices = (strategy,) if strategy else _STRATEGIES
        for choice in choices:
            if self._start(python, choice, last=choice == choices[-1]):
                self.strategy = choice
                return

    def _start(self, python: str, strategy: str, last: bool) -> bool:
        self.control, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        start = os.path.abspath(launch.__file__)
        flags = ["-S", "-s", "-P", "-B", "-X", "utf8"]
        with far, kernel.still_addresses():
            self.process = subprocess.Popen(
                [
                    python,
                    *flags,
                    start,
                    str(far.fileno()),
                    strategy,
                    json.dumps(self.config),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[far.fileno()],
                env={"PYTHONHASHSEED": "0", "MALLOC_ARENA_MAX": "1"},
                cwd="/",
                start_new_session=True,
            )
        try:
            message = self._receive(Clock(_START_S))
        except Broken as error:
            self.close()
            if self.process.returncode == _UNSUITABLE and not last:
                return False
            raise InfrastructureError(
                f"the sandbox did not start ({strategy}): {error}; exit status {self.process.returncode}"
            ) from error
        if "failed" in message:
            self.close()
            raise InfrastructureError(f"the sandbox did not start ({strategy}): {message['failed']}")
        self.layers = frozenset(message["layers"])
        self.facts = message["facts"]
        self.scratch = message["scratch"]
        return True

    def _receive(self, clock: Clock) -> dict[str, Any]:
        """Return the warden's next message; a child that is ready goes into ``slots``."""
        poller = select.poll()
        poller.register(self.control, select.POLLIN)
        if not clock.wait_long(poller):
            raise Silent("the warden does not answer")
        return self._take_message()

    def _take_message(self) -> dict[str, Any]:
        try:
            data, places, _, _ = socket.recv_fds(self.control, 65536, 4, socket.MSG_CMSG_CLOEXEC)
        except OSError as error:
            raise Broken(f"the warden is gone: {error}") from error
        if not data:
            raise Broken("the warden is gone")
        message: dict[str, Any] = json.loads(data)
        if "ready" in message:
            if len(places) != 4:
                for place in places:
                    os.close(place)
                raise Broken("no room for more open files")
            self.slots.append(Slot(message["ready"], *places))
        elif "done" in message:
            for slot in [slot for slot in self.slots if slot.number == message["done"]]:  # it died while it waited
                self.slots.remove(slot)
                slot.close()
        return message

    def order(self, **message: Any) -> None:
        """Send the warden an order."""
        try:
            self.control.send(json.dumps(message).encode())
        except OSError as error:
            raise Broken(f"the warden is gone: {error}") from error

    def take(self) -> Slot:
        """Return a child that is ready; the caller closes it."""
        while not self.slots:
            self.await_message("ready", _START_S)
        return self.slots.pop(0)

    def bound(self, limits: Limits) -> None:
        """Set the limits of the scratch directory and of all processes together."""
        wanted = {name: getattr(limits, name) for name in BOUNDS}
        if wanted == self.bounds:
            return
        self.order(bounds=wanted)
        self.await_message("bounded", _START_S)
        self.bounds = wanted

    def run(self, program: Program, limits: Limits) -> Result:
        """Run a program; raise ``Broken`` if it has to be run again by another warden."""
        self.bound(limits)
        slot = self.take()
        if program.collect:
            self.order(keep=slot.number)
        try:
            result = self._follow(slot, program, limits)
        finally:
            slot.close()
        if program.collect:
            result = result._replace(files=self._collect(program, limits))
        return result

    def _follow(self, slot: Slot, program: Program, limits: Limits) -> Result:
        order = {
            "kind": "run",
            "source": program.source,
            "name": program.name,
            "argv": list(program.argv),
            "files": list(program.files),
            "limits": limits_message(limits),
        }
        contents = file_contents(program.files, limits)
        stdin = memoryview(as_bytes(program.stdin))
        outputs = Outputs(slot.stdout, slot.stderr, limits.output_bytes)
        hand_over(slot.job, order, contents)
        clock = Clock(limits.wall_s)  # getting ready is not the program's time
        if not stdin:
            slot.close_stdin()
        poller = select.poll()
        poller.register(self.control, select.POLLIN)
        outputs.register(poller)
        if stdin:
            os.set_blocking(slot.stdin, False)
            poller.register(slot.stdin, select.POLLOUT)
        killed, done = "", None
        while done is None:
            if clock.left <= 0 and killed:
                raise Broken("the warden does not end a program")
            if clock.left <= 0 or (not killed and outputs.flooded):
                killed = "wall" if clock.left <= 0 else "output"
                self.order(signal=9, to=slot.number)
                clock.extend(_GRACE_S)
            for place, _ in clock.wait(poller):
                if place in outputs.places:
                    if not outputs.read(place):
                        poller.unregister(place)
                elif place == slot.stdin:
                    stdin = _feed(place, stdin)
                    if not stdin:
                        poller.unregister(place)
                        slot.close_stdin()
                else:
                    message = self._take_message()
                    if message.get("done") == slot.number:
                        done = message
        wall_s = clock.read()
        outputs.drain()
        return _result(done, outputs, killed, wall_s, limits)

    def _collect(self, program: Program, limits: Limits) -> dict[str, bytes]:
        slot = self.take()
        limit = int(limits.file_mb * 2**20)
        order = {"kind": "collect", "paths": list(program.collect), "limit": limit, "files": []}
        try:
            hand_over(slot.job, {**order, "limits": limits_message(limits)})
            got = frames.read_frame(_reader(slot.job), limit + 2**20)
        except (OSError, frames.FrameError) as error:
            raise Broken(f"the files cannot be read: {error}") from error
        finally:
            slot.close()
        self.finished(slot.number)
        if got is None:
            return {}
        return dict(zip(got[0]["files"], got[1], strict=True))

    def read_tree(self, folder: str, limits: Limits, most_bytes: int) -> tree.Entries:
        """Return the tree below a directory of a kept scratch directory; raise ``OSError`` if it is too large."""
        slot = self.take()
        order = {"kind": "tree", "folder": folder, "limit": most_bytes, "files": [], "limits": limits_message(limits)}
        try:
            hand_over(slot.job, order)
            got = frames.read_frame(_reader(slot.job), most_bytes + _NAMES_BYTES)
            if got is None:
                raise Broken("the tree cannot be read: its reader died")
            if "errno" in got[0]:
                raise OSError(got[0]["errno"], os.strerror(got[0]["errno"]), folder)
            return tree.unpack(*got)
        except (frames.FrameError, ValueError) as error:
            raise Broken(f"the tree cannot be read: {error}") from error
        finally:
            slot.close()
            self.finished(slot.number)

    def finished(self, number: int) -> None:
        """Wait until the child of that number has ended."""
        while self.await_message("done", _GRACE_S)["done"] != number:
            pass

    def await_message(self, kind: str, seconds: float) -> dict[str, Any]:
        """Return the next message of that kind, skipping others."""
        clock = Clock(seconds)
        while kind not in (message := self._receive(clock)):
            pass
        return message

    @property
    def alive(self) -> bool:
        """Whether the warden is still running."""
        if self.control.fileno() < 0:
            return False
        poller = select.poll()
        poller.register(self.control, 0)
        return not poller.poll(0)  # an end shows as a hang-up

    def __del__(self) -> None:
        if getattr(self, "process", None) is not None and self.process.returncode is None:
            self.close()

    def hang_up(self) -> None:
        """Shut the connection, which ends the warden and wakes those that wait for it; not in a forked process."""
        if os.getpid() == self.owner:
            with contextlib.suppress(OSError):  # closed already
                self.control.shutdown(socket.SHUT_RDWR)  # closing alone would not wake another thread's poll

    def close(self) -> None:
        """End the warden and everything in it; in a forked process, only close the descriptors."""
        while self.slots:
            self.slots.pop().close()
        self.hang_up()
        self.control.close()
        if os.getpid() != self.owner:
            self.process.returncode = 0  # another process's child
            return
        try:
            self.process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _feed(place: int, data: memoryview) -> memoryview:
    """Write as much as fits and return the rest; nothing is left if the reader is gone."""
    try:
        return data[os.write(place, data[:65536]) :]
    except BlockingIOError:
        return data
    except OSError:
        return data[:0]


def _reader(link: socket.socket) -> Any:
    def read(size: int) -> bytes:
        parts: list[bytes] = []
        while size > 0 and (part := link.recv(min(size, 1 << 20))):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    return read


def hand_over(job: socket.socket, order: dict[str, Any], contents: Sequence[bytes] = ()) -> int:
    """Send a child its job, and wait until it confirms the start; return its number, or 0 if that is unknown.

    It travels as ``marshal`` writes it, which the child reads fastest: nothing foreign runs there yet. What comes back
    is never read so. Nor does the child say its number: the kernel does, of who has sent the confirmation.
    """
    data = marshal.dumps((order, list(contents)), _MARSHAL)
    job.settimeout(_START_S)
    said = b""
    ancillary: list[tuple[int, int, bytes]] = []
    with contextlib.suppress(OSError):  # it died
        job.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)  # first: the kernel notes it only of what comes later
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # before it read everything: it may say why
            job.sendall(len(data).to_bytes(4, "big") + data)
        said, ancillary, _, _ = job.recvmsg(1, socket.CMSG_SPACE(CREDENTIALS.size))
        job.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        if said != b"+":
            said += job.recv(4000)
    if said != b"+":
        raise Broken(f"a program did not start: {said.decode(errors='replace') or 'it was killed'}")
    return int(CREDENTIALS.unpack(ancillary[0][2])[0]) if ancillary else 0


def _result(done: dict[str, Any], outputs: Outputs, killed: str, wall_s: float, limits: Limits) -> Result:
    stdout, stderr, stdout_cut, stderr_cut = outputs.take()
    if outputs.flooded and not killed:
        killed = "output"
    number, code = split_status(done["status"])
    cpu_s = done["cpu"]
    killed = killed or ("memory" if done["oom"] else limit_hit(number, code, stderr, cpu_s, limits))
    return Result(stdout, stderr, code, number, killed, wall_s, cpu_s, done["peak"] / 1024, stdout_cut, stderr_cut)
