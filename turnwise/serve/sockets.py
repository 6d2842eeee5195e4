"""WebSockets under a server of one's own: the same talks as on `turnwise.serve.link`, in the way of ASGI.

`turnwise serve` does not come here; an application that others run (in an OpenEnv package, say) does.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from turnwise.serve.crew import Refusal
from turnwise.serve.slots import Talk
from turnwise.serve.table import Table
from turnwise.serve.wire import dumps, loads

__all__ = ["converse"]


async def converse(table: Table, kind: type[Talk], socket: WebSocket) -> None:
    """Speak with a client until it goes; its own session goes with it."""
    await socket.accept()
    with contextlib.suppress(WebSocketDisconnect):
        try:
            talk = kind(table, socket.path_params.get("env"), socket.query_params.get("session_id"))
        except Refusal as refusal:
            await _send(socket, kind.refused(refusal))
            await socket.close()
            return
        gone = asyncio.Event()
        talk.slot.attached, talk.slot.hangup = True, gone.set
        leaving = asyncio.create_task(_leave(socket, gone))
        try:
            await _answer_all(talk, socket)
        finally:
            leaving.cancel()
            talk.slot.attached, talk.slot.hangup = False, lambda: None
            if talk.own:
                await table.close(talk.slot)


async def _answer_all(talk: Talk, socket: WebSocket) -> None:
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text")
        try:
            answer = await talk.answer(loads(text if text is not None else message.get("bytes") or b""))
        except Refusal as refusal:
            answer = talk.unreadable(refusal)
        if answer is None:
            await socket.close()
            return
        if answer:
            await _send(socket, answer)


async def _leave(socket: WebSocket, gone: asyncio.Event) -> None:
    await gone.wait()
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it is closed already
        await socket.close(1001, "the session is gone")


async def _send(socket: WebSocket, answer: Mapping[str, Any]) -> None:
    await socket.send_text(dumps(answer))
