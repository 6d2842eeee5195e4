"""A WebSocket connection, under uvicorn: messages in, answers out, one at a time and in order.

Whole messages in one frame, which is what clients send, are read here; all else (handshake, control frames, fragments,
what is malformed) is left to the state machine of the package websockets. There is no queue and no task for a
connection: a message that is answered without waiting is answered where it is read.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, unquote

from turnwise.serve import eager
from turnwise.serve.crew import Refusal
from turnwise.serve.door import Door
from turnwise.serve.slots import Talk
from turnwise.serve.table import Table
from turnwise.serve.wire import encoded, loads

if TYPE_CHECKING:
    from websockets.frames import Frame
    from websockets.http11 import Request

__all__ = ["Link"]

PING_S, MISSED = 20.0, 4
"""A client that was silent for so many pings is gone."""
CLOSE_S, LINGER_S = 10.0, 1.0
"""How long a client may take to say goodbye, and to read why it was thrown out."""
_CONTINUED, _TEXT, _BINARY = 0, 1, 2
_LOG = logging.getLogger(__name__)


class Link(asyncio.Protocol):
    """A connection.

    Args:
        table: The sessions.
        door: Who may come in.
        talks: The protocols, by the last part of their addresses.
        config: uvicorn's, as the two that follow.
        server_state: Its connections and tasks.
        app_state: Not used.
    """

    def __init__(
        self,
        table: Table,
        door: Door,
        talks: Mapping[str, type[Talk]],
        config: Any = None,
        server_state: Any = None,
        app_state: Any = None,
    ) -> None:
        self._table, self._door, self._talks = table, door, talks
        self._connections, self._tasks = server_state.connections, server_state.tasks
        self._most = table.limits.message_bytes
        from websockets.server import ServerProtocol

        self._machine = ServerProtocol(max_size=self._most)
        self._talk: Talk | None = None
        self._rest, self._need = bytearray(), 0  # the beginning of a frame, and how long it is at least
        self._parts: list[bytes] | None = None  # of a message in fragments
        self._waiting: deque[str | bytes] = deque()
        self._busy = self._choked = self._ending = self._over = False
        self._bye: tuple[int, str] | None = None  # once what runs is answered
        self._missed = 0
        self._timer: asyncio.TimerHandle | None = None

    # ---- what uvicorn and the event loop call ---------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one in all but name
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        self._ending = True
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()
        if self._talk is not None:
            slot = self._talk.slot
            slot.attached, slot.hangup = False, lambda: None
            if self._talk.own:
                self._keep(self._loop.create_task(self._table.close(slot)))

    def shutdown(self) -> None:
        """The server ends: what runs is answered first."""
        self._hang_up(1012, "the server is closing")

    def pause_writing(self) -> None:
        self._choked = True
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        self._choked = False
        self._go_on()

    def data_received(self, data: bytes) -> None:
        if self._over:
            return
        self._missed = 0
        if self._rest:
            self._rest += data
            if len(self._rest) < self._need:
                return
            data = bytes(self._rest)
            self._rest.clear()
        if self._talk is None and not self._ending:
            self._shake_hands(data)
        else:
            self._read(data)

    # ---- the beginning --------------------------------------------------------------------------------------------

    def _shake_hands(self, data: bytes) -> None:
        machine = self._machine
        machine.receive_data(data)
        events = machine.events_received()
        if not events:  # it is malformed
            self._end()
            return
        request = cast("Request", events[0])
        path, _, query = request.path.partition("?")
        headers = {
            name.lower().encode(): value.encode("utf-8", "replace") for name, value in request.headers.raw_items()
        }
        refused = self._door.refusal(path, headers)
        env, _, name = unquote(path).removeprefix("/").rpartition("/")
        if refused is None and (name not in self._talks or "/" in env):
            refused = 404, "there is no such socket"
        response = machine.accept(request) if refused is None else machine.reject(HTTPStatus(refused[0]), refused[1])
        machine.send_response(response)
        if response.status_code != 101:
            self._end()
            return
        self._flush()
        talk = self._talks[name]
        try:
            self._talk = talk(self._table, env or None, parse_qs(query).get("session_id", [None])[0])
        except Refusal as refusal:
            self._write(talk.refused(refusal))
            self._close(1000)
            return
        self._talk.slot.attached, self._talk.slot.hangup = True, lambda: self._hang_up(1001, "the session is gone")
        self._timer = self._loop.call_later(PING_S, self._ping)

    def _ping(self) -> None:
        self._missed += not (self._busy and self._waiting)  # nothing is read meanwhile
        if self._missed > MISSED:
            self._transport.abort()
            return
        self._machine.send_ping(b"turnwise")
        self._flush()
        self._timer = self._loop.call_later(PING_S, self._ping)

    # ---- messages -------------------------------------------------------------------------------------------------

    def _read(self, data: bytes) -> None:
        """Read the frames in what has come; the last one may be a part only."""
        at, end = 0, len(data)
        while at < end:
            body, size = at + 6, 0
            if body <= end:
                size = data[at + 1] & 127
                if size > 125:
                    body += 2 if size == 126 else 8
                    size = int.from_bytes(data[at + 2 : body - 4], "big")
            stop = body + size
            wrong = body <= end and (not data[at + 1] & 128 or size > self._most)
            if wrong or self._ending:
                self._strange(data[at:])  # which says what is wrong; of what follows nothing is read
                return
            if stop > end:
                self._rest += data[at:]
                self._need = stop - at
                return
            if data[at] == 0x81 and self._parts is None:
                self._take(_unmasked(data, body, stop), True)
            elif data[at] == 0x82 and self._parts is None:
                self._take(_unmasked(data, body, stop), False)
            else:
                self._strange(data[at:stop])
            at = stop

    def _strange(self, data: bytes) -> None:
        """Have the state machine read a frame that is not a whole message."""
        machine = self._machine
        machine.receive_data(data)
        for event in machine.events_received():
            frame = cast("Frame", event)
            if frame.opcode in (_CONTINUED, _TEXT, _BINARY):
                if frame.opcode != _CONTINUED:
                    self._parts, self._worded = [], frame.opcode == _TEXT
                assert self._parts is not None
                self._parts.append(bytes(frame.data))
                if frame.fin:
                    whole, self._parts = b"".join(self._parts), None
                    self._take(whole, self._worded)
        if machine.parser_exc is not None or machine.close_rcvd is not None:
            self._end()
        else:
            self._flush()

    def _take(self, message: bytes, worded: bool) -> None:
        """Answer a message, or keep it until the one before is answered."""
        if self._ending:
            return
        text: str | bytes = message
        if worded:
            try:
                text = message.decode()
            except UnicodeDecodeError:
                self._machine.fail(1007, "a text that is not UTF-8")
                self._end()
                return
        if self._busy or self._choked or self._waiting:
            self._waiting.append(text)
            self._transport.pause_reading()
        else:
            self._answer(text)

    def _answer(self, text: str | bytes) -> None:
        assert self._talk is not None
        try:
            sent = loads(text)
        except Refusal as refusal:
            self._write(self._talk.unreadable(refusal))
            return
        self._busy = True
        try:
            task = eager.run(self._talk.answer(sent), self._answered)
        except Exception as error:
            self._failed(error)
            return
        if task is not None:
            task.add_done_callback(self._finished)
            self._keep(task)

    def _answered(self, answer: Mapping[str, Any] | None) -> None:
        self._busy = False
        if self._ending:
            return
        if answer:
            self._write(answer)
        if answer is None:
            self._close(1000)
        elif self._bye is not None:
            self._close(*self._bye)

    def _finished(self, task: "asyncio.Task[Mapping[str, Any] | None]") -> None:
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None:
            self._failed(error)
        else:
            self._answered(task.result())
        self._go_on()

    def _failed(self, error: BaseException) -> None:
        _LOG.error("a message could not be answered", exc_info=error)
        self._bye = (1011, "the server failed")
        self._answered({})

    def _go_on(self) -> None:
        """Answer what has waited, then read on."""
        while self._waiting and not (self._busy or self._choked or self._ending):
            self._answer(self._waiting.popleft())
        if not (self._waiting or self._choked or self._transport.is_closing()):
            self._transport.resume_reading()

    def _write(self, answer: Mapping[str, Any]) -> None:
        """Send a text frame."""
        text = encoded(answer)
        size = len(text)
        if size < 126:
            head = bytes((0x81, size))
        elif size < 1 << 16:
            head = b"\x81\x7e" + size.to_bytes(2, "big")
        else:
            head = b"\x81\x7f" + size.to_bytes(8, "big")
        self._transport.write(head + text)

    # ---- the end --------------------------------------------------------------------------------------------------

    def _hang_up(self, code: int, reason: str) -> None:
        if self._talk is None:
            self._transport.close()
        elif self._busy:
            self._bye = (code, reason)
        else:
            self._close(code, reason)

    def _close(self, code: int, reason: str = "") -> None:
        """Say goodbye, and wait for the answer to it."""
        if not self._ending:
            self._machine.send_close(code, reason)
            self._flush()
            self._leave(CLOSE_S)

    def _end(self) -> None:
        """Nothing more is said: the client said goodbye, or is thrown out.

        A socket that is closed with something unread takes back what was sent last, so the client is left to close it.
        """
        self._flush()
        if not self._ending:
            self._leave(LINGER_S)
            self._over = True
            if not self._transport.is_closing():
                self._transport.write_eof()
        elif self._machine.close_rcvd is not None:
            self._transport.close()

    def _leave(self, wait: float) -> None:
        self._ending = True
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()
        if not self._transport.is_closing():
            self._transport.resume_reading()
            self._timer = self._loop.call_later(wait, self._transport.close)

    def _flush(self) -> None:
        for data in self._machine.data_to_send():
            if data and not self._transport.is_closing():
                self._transport.write(data)

    def _keep(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _unmasked(data: bytes, body: int, stop: int) -> bytes:
    """The payload of a frame: its mask stands before it."""
    size = stop - body
    mask = data[body - 4 : body] * (size // 4 + 1)
    found = int.from_bytes(data[body:stop], "big") ^ int.from_bytes(mask[:size], "big")
    return found.to_bytes(size, "big")
