"""The client's end of a live jailed process: its channel, its outputs, its forks."""

import contextlib
import os
import secrets
import select
import socket
from collections.abc import Callable, Mapping
from signal import pidfd_send_signal
from typing import Any

from turnwise.core.errors import UsageError
from turnwise.sandbox.backends.clock import Clock, Processor
from turnwise.sandbox.backends.embedded.handle import (
    CREDENTIALS,
    Broken,
    Silent,
    WardenHandle,
    file_contents,
    hand_over,
)
from turnwise.sandbox.backends.outputs import Outputs
from turnwise.sandbox.interface.messages import limits_message
from turnwise.sandbox.interface.records import Limits
from turnwise.sandbox.wire import frames
from turnwise.sandbox.wire.tree import Entries

__all__ = ["ANSWER_S", "Gone", "Line", "Tree"]

_INTERRUPT_GRACE_S = 0.5
_ENDED_S = 2.0
ANSWER_S = 30.0
"""Seconds for orders that run no foreign code, on a busy machine."""
_OVERHEAD_BYTES = 1 << 16

Answer = tuple[dict[str, Any], list[bytes], str]  # its JSON part, its raw parts, the limit that was hit


class Gone(Exception):
    """The jailed process has ended, or sent something that is not an answer."""


class Tree:
    """A warden that is lent to one session and its branches, and goes back when the last of them is closed.

    Attributes:
        number: The warden's number for the process that it has started itself.
    """

    def __init__(self, warden: WardenHandle, give_back: Callable[[WardenHandle], None]) -> None:
        self.warden = warden
        self.number = 0
        self.users = 0
        self.nursery = False
        self._give_back = give_back

    def leave(self) -> None:
        """Drop one user; with the last one, kill everything that ran and give the warden back."""
        self.users -= 1
        if self.users > 0:
            return
        try:
            self.warden.order(end=self.number)
            self.warden.finished(self.number)
        except Broken:
            self.warden.close()
            return
        self._give_back(self.warden)

    def read_out(self, folder: str, limits: Limits, most_bytes: int) -> Entries:
        """Drop the last user: kill everything that ran, then read the files it has left."""
        self.users -= 1
        try:
            self.warden.order(keep=self.number)
            self.warden.order(end=self.number)
            self.warden.finished(self.number)
            return self.warden.read_tree(folder, limits, most_bytes)
        except Broken:
            self.warden.close()
            raise
        finally:
            if self.warden.alive:
                self._give_back(self.warden)

    def open_nursery(self) -> None:
        """Make a place for the files of branches, once."""
        if not self.nursery:
            self.warden.order(nursery=True)
            self.warden.await_message("nursery", ANSWER_S)
            self.nursery = True

    def end_of_first(self) -> tuple[int, bool]:
        """Return how the first process ended: wait status (-1 if unknown) and whether memory ran out."""
        with contextlib.suppress(Silent):
            message = self.warden.await_message("ended", _ENDED_S)
            return message["status"], bool(message["oom"])
        return -1, False


class Line:
    """The channel and the outputs of one live jailed process.

    Attributes:
        number: The process's number here; 0 if it is unknown, as for forks.
        process: A descriptor of it, -1 for the one that the warden has started itself.
        area: The directory that its files are in.
        nursery: The directory for those of its branches.
        owns_area: The files go with it.
    """

    def __init__(
        self, tree: Tree, channel: socket.socket, outputs: Outputs, most_bytes: int, area: str, nursery: str
    ) -> None:
        self.tree = tree
        self.channel = channel
        self.outputs = outputs
        self.number = 0
        self.process = -1
        self.area = area
        self.nursery = nursery
        self.owns_area = False
        self.most_bytes = most_bytes
        self.flood = False  # the last turn was one, and what it wrote may still be in the pipes
        self.buffer = bytearray()
        channel.setblocking(False)

    @classmethod
    def open(cls, tree: Tree, limits: Limits, files: Mapping[str, bytes | str], name: str, reply_bytes: int) -> "Line":
        """Start a live process in a warden."""
        warden = tree.warden
        warden.bound(limits)
        slot = warden.take()
        warden.order(hold=slot.number)
        tree.number = slot.number
        slot.close_stdin()
        order = {
            "kind": "session",
            "name": name,
            "files": list(files),
            "limits": limits_message(limits),
            "reply_bytes": reply_bytes,
        }
        try:
            number = hand_over(slot.job, order, file_contents(files, limits))
        except BaseException:
            slot.close()
            raise
        outputs = Outputs(slot.stdout, slot.stderr, limits.output_bytes)
        largest = max(reply_bytes, int(limits.file_mb * 2**20))
        nursery = f"{os.path.dirname(warden.scratch)}/branches"
        line = cls(tree, slot.job, outputs, largest + _OVERHEAD_BYTES, warden.scratch, nursery)
        line.number = number
        return line

    def ask(
        self,
        order: dict[str, Any],
        clock: Clock,
        blobs: tuple[bytes, ...] = (),
        processor: Processor | None = None,
    ) -> Answer:
        """Send an order, and return the answer, its raw parts and the limit that was hit.

        Raises:
            Gone: The process has ended; its only argument is the limit that was hit.
        """
        if self.flood:
            self.outputs.discard()
            self.flood = False
        waiting = memoryview(frames.pack(order, blobs))
        killed = ""
        poller = select.poll()
        poller.register(self.channel, select.POLLIN | select.POLLOUT)
        self.outputs.register(poller)
        while True:
            hit = "wall" if clock.left <= 0 else "" if killed else self._hit(processor)
            if hit:
                if killed:
                    self.kill()
                    raise Gone(killed)
                killed = hit
                self.flood = hit == "output"
                self.signal(2)
                clock.extend(_INTERRUPT_GRACE_S)
            for place, _ in clock.wait(poller):
                if place in self.outputs.places:
                    if not self.outputs.read(place):
                        poller.unregister(place)
                    continue
                if waiting:
                    waiting = self._send(waiting, killed)
                    if not waiting:
                        poller.modify(self.channel, select.POLLIN)
                got = self._receive(killed)
                if got is not None:
                    self.outputs.drain()
                    return (*got, killed or self._hit(processor))

    def _hit(self, processor: Processor | None) -> str:
        """Return the limit, other than that of time, that the process has passed."""
        if self.outputs.flooded:
            return "output"
        return "cpu" if processor is not None and processor.over else ""

    def _send(self, data: memoryview, killed: str) -> memoryview:
        try:
            return data[self.channel.send(data[:1048576]) :]
        except BlockingIOError:
            return data
        except OSError as error:
            self.outputs.drain()
            raise Gone(killed) from error

    def _receive(self, killed: str) -> tuple[dict[str, Any], list[bytes]] | None:
        try:
            data = self.channel.recv(1 << 20)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        if not data:
            self.outputs.drain()
            raise Gone(killed)
        self.buffer += data
        if len(self.buffer) < 8:
            return None
        whole = 8 + int.from_bytes(self.buffer[:4], "big") + int.from_bytes(self.buffer[4:8], "big")
        if whole > self.most_bytes:
            raise Gone(killed or "output")
        if len(self.buffer) < whole:
            return None
        frame, self.buffer = memoryview(bytes(self.buffer[:whole])), self.buffer[whole:]
        position = [0]

        def read(size: int) -> bytes:
            position[0] += size
            return bytes(frame[position[0] - size : position[0]])

        try:
            return frames.read_frame(read, self.most_bytes)
        except frames.FrameError as error:
            raise Gone(killed) from error

    def seed(self) -> "Line":
        """Fork a process that runs nothing itself, and forks branches of the session's present state."""
        self.tree.open_nursery()
        nursery = f"{self.nursery}/{secrets.token_hex(6)}"
        seed = self.fork("seed", self.area, nursery)
        seed.nursery, self.nursery = self.nursery, nursery
        return seed

    def branch(self) -> "Line":
        """Fork a branch from this seed, with a copy of the files under a name that no other branch knows."""
        place = f"{self.nursery}/{secrets.token_hex(6)}"
        return self.fork("branch", f"{place}/a", f"{place}/n")

    def fork(self, kind: str, area: str, nursery: str) -> "Line":
        """Fork the process and return the new one; `turnwise.sandbox.jail.repl` documents the arguments."""
        near, far = socket.socketpair()
        near.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)  # the kernel says who speaks
        stdout, stdout_far = os.pipe2(os.O_CLOEXEC)
        stderr, stderr_far = os.pipe2(os.O_CLOEXEC)
        outputs = Outputs(stdout, stderr, self.outputs.limit)
        line = Line(self.tree, near, outputs, self.most_bytes, area, nursery)
        line.owns_area = kind == "branch"
        places = [far.fileno(), stdout_far, stderr_far]
        try:
            self.channel.setblocking(True)
            self.channel.settimeout(ANSWER_S)
            self.channel.sendall(frames.pack({"op": "fork", "kind": kind, "area": area, "nursery": nursery}))
            socket.send_fds(self.channel, [b"+"], places)
            self.channel.setblocking(False)
            answer, _, _ = self._answer()
            if "error" in answer:
                raise UsageError(f"the session cannot be forked: {str(answer['error'])[:200]}")
            for place in places[1:]:
                os.close(place)
            far.close()
            places = []
            line.process = line._speaker()
            line._answer()
            return line
        except (Gone, OSError) as error:
            line.close()
            raise UsageError("the session cannot be forked: it does not answer, or its files have no room") from error
        except BaseException:
            line.close()
            raise
        finally:
            far.close()
            for place in places[1:]:
                os.close(place)

    def _speaker(self) -> int:
        """Return a descriptor of the process that wrote to the channel, as the kernel identifies it."""
        poller = select.poll()
        poller.register(self.channel, select.POLLIN)
        Clock(ANSWER_S).wait_long(poller)
        _, ancillary, _, _ = self.channel.recvmsg(1, socket.CMSG_SPACE(CREDENTIALS.size), socket.MSG_PEEK)
        if not ancillary:
            raise Gone("")
        self.channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        return os.pidfd_open(CREDENTIALS.unpack(ancillary[0][2])[0])

    def _answer(self) -> Answer:
        poller = select.poll()
        poller.register(self.channel, select.POLLIN)
        clock = Clock(ANSWER_S)
        while clock.wait_long(poller):
            got = self._receive("")
            if got is not None:
                return (*got, "")
        raise Gone("wall")

    def signal(self, number: int) -> None:
        """Send the process a signal."""
        if self.process < 0:
            self.tree.warden.order(signal=number, to=self.tree.number)
        elif os.getpid() == self.tree.warden.owner:
            with contextlib.suppress(ProcessLookupError):
                pidfd_send_signal(self.process, number)

    def kill(self) -> None:
        """Kill the process."""
        with contextlib.suppress(Broken):
            self.signal(9)
        self.outputs.drain()

    def close(self) -> None:
        """End the process (a warden's first one by closing the channel) and remove a branch's files."""
        self.channel.close()
        self.outputs.close()
        if self.process >= 0:
            self.signal(9)
            os.close(self.process)
            self.process = -1
        if self.owns_area:
            self.owns_area = False
            with contextlib.suppress(Broken):
                self.tree.warden.order(forget=self.area)

    def __del__(self) -> None:
        self.close()
