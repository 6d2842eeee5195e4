"""Output of programs, read as it comes and kept in bounded space."""

import contextlib
import os
import select
from collections import deque

__all__ = ["Kept", "Outputs"]

FLOOD = 16
"""A stream of more than this many times the bytes kept is a flood, and its program is killed."""
_CHUNK = 65536
_MOST_LEFT = 2**20  # a pipe holds no more, unless it is told to


class Kept:
    """The first and the last bytes of a stream.

    Args:
        limit: Most bytes kept.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.total = 0
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0

    def add(self, data: bytes) -> None:
        """Take in more of the stream."""
        self.total += len(data)
        room = self.limit // 2 - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail.append(data)
            self._tail_bytes += len(data)
            spare = self._tail_bytes - (self.limit - self.limit // 2)
            while self._tail and spare >= len(self._tail[0]):
                spare -= len(self._tail[0])
                self._tail_bytes -= len(self._tail.popleft())

    @property
    def flooded(self) -> bool:
        """Whether far more came than is kept."""
        return self.total > FLOOD * self.limit

    def finish(self) -> tuple[str, int]:
        """Return the text and the number of bytes that were cut from its middle."""
        tail = b"".join(self._tail)
        room = self.limit - self.limit // 2
        tail = tail[max(0, len(tail) - room) :]
        cut = self.total - len(self._head) - len(tail)
        if not cut:
            return (bytes(self._head) + tail).decode(errors="replace"), 0
        return f"{self._head.decode(errors='replace')}\n[... {cut} bytes cut ...]\n{tail.decode(errors='replace')}", cut


class Outputs:
    """The two output pipes of a jailed process.

    Attributes:
        kept: What came on stdout and stderr since the last ``take``.
    """

    def __init__(self, stdout: int, stderr: int, limit: int) -> None:
        self.places = {stdout: 0, stderr: 1}
        self.limit = limit
        self.kept = (Kept(limit), Kept(limit))
        for place in self.places:
            os.set_blocking(place, False)

    def register(self, poller: select.poll) -> None:
        """Register both pipes with a poller."""
        for place in self.places:
            poller.register(place, select.POLLIN)

    def read(self, place: int) -> bool:
        """Read what is available; return False at the end of the stream or if nothing is available."""
        try:
            data = os.read(place, _CHUNK)
        except BlockingIOError:
            return False
        self.kept[self.places[place]].add(data)
        return bool(data)

    @property
    def flooded(self) -> bool:
        """Whether far more came than is kept."""
        return self.kept[0].flooded or self.kept[1].flooded

    def drain(self) -> None:
        """Read what is left in the pipes once nothing writes to them any more (or they are a flood)."""
        for place in self.places:
            while self.read(place) and not self.flooded:
                pass

    def discard(self) -> None:
        """Throw away what a flood has left in the pipes: it belongs to no later turn."""
        for place in self.places:
            with contextlib.suppress(BlockingIOError):
                for _ in range(_MOST_LEFT // _CHUNK):
                    if not os.read(place, _CHUNK):
                        break

    def take(self) -> tuple[str, str, int, int]:
        """Return texts and numbers of bytes cut, of stdout and stderr, and start the next turn empty."""
        (out, out_cut), (err, err_cut) = (kept.finish() for kept in self.kept)
        self.kept = (Kept(self.limit), Kept(self.limit))
        return out, err, out_cut, err_cut

    def close(self) -> None:
        """Close the pipes."""
        for place in self.places:
            os.close(place)
        self.places = {}
