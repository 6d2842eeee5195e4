"""OpenEnv 0.10: WebSocket frames and HTTP requests over a table of sessions, with a frame of ours that forks.

Sent and answered on ``/ws`` (a session of its own for each socket, or that of ``?session_id=``):

| frame | answer |
|---|---|
| ``{"type": "reset", "data": {"seed": 7}}`` (or ``split`` and ``index``; ``difficulty``, ``episode_id``) | observed |
| ``{"type": "step", "data": {"message": "..."}}`` (or ``type: call_tool``, ``tool_name``, ``arguments``) | observed |
| ``{"type": "state"}`` | ``{"type": "state", "data": {"episode_id", "step_count", ...}}`` |
| ``{"type": "mcp", "data": {JSON-RPC}}`` | ``{"type": "mcp", "data": {JSON-RPC}}`` |
| ``{"type": "fork"}`` | ``{"type": "fork", "data": {"session_id": ...}}``: a copy of the episode, to be attached to |
| ``{"type": "close"}`` | the socket is closed, and so is the session |

A failed environment is an error frame (EXECUTION_ERROR), never an observation with reward 0. Sources: openenv 0.10.0,
``core/env_server/{http_server,types,serialization}.py``, for frames, codes and requests.
"""

from collections.abc import Mapping
from typing import Any

from turnwise.serve import mcp
from turnwise.serve.host import Refusal
from turnwise.serve.slots import Slot
from turnwise.serve.table import NO_SESSION, Table

__all__ = ["CODES", "SCHEMA", "Talk", "error_frame", "frame", "observed", "refused", "request_of", "state_of"]

CODES = {
    "bad_request": "VALIDATION_ERROR", "failed": "EXECUTION_ERROR", "lost": "SESSION_ERROR",
    "capacity": "CAPACITY_REACHED", "unknown": "SESSION_ERROR",
}  # fmt: skip
MOST_ID = 255
"""Characters of an id that a client chooses."""
_ANY: dict[str, Any] = {"type": "object", "additionalProperties": True}
SCHEMA: dict[str, Any] = {
    "action": {
        "title": "Message",
        "type": "object",
        "properties": {
            "message": {"type": "string", "description": "What the agent says; all of it is read."},
            "metadata": {**_ANY, "description": "Not read, but for request_id: the same id is not played twice."},
        },
        "required": ["message"],
        "additionalProperties": False,
    },
    "observation": {
        "title": "TextObservation",
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What the environment says."},
            "done": {"type": "boolean"},
            "reward": {"type": ["number", "null"], "description": "Of this turn; they sum to the return in [0, 1]."},
            "metadata": {**_ANY, "description": "At the end return, solved, truncated and metrics."},
        },
        "required": ["text"],
    },
    "state": {
        "title": "State",
        "type": "object",
        "properties": {
            "episode_id": {"type": ["string", "null"]},
            "step_count": {"type": "integer", "minimum": 0},
            "env": {"type": "string"},
            "done": {"type": "boolean"},
        },
        "additionalProperties": True,
    },
}
"""JSON schemas of actions, observations and states."""


def state_of(slot: Slot) -> dict[str, Any]:
    """What a client may know of its session."""
    return {"episode_id": slot.episode_id, "step_count": slot.turn, "env": slot.env.name, "done": slot.done}


def observed(slot: Slot, found: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The data of an observation: of a step, or of the reset."""
    if found is None:
        assert slot.opened is not None
        facts = {"task_id": slot.opened.task_id, "seed": slot.seed, "session_id": slot.key, "env": slot.env.name}
        metadata: dict[str, Any] = {**facts, "tools": list(slot.opened.tools)}
        return {"observation": {"text": slot.opened.text, "metadata": metadata}, "reward": None, "done": False,
                "metadata": metadata}  # fmt: skip
    metadata = {"turn": found["turn"]}
    if found["invalid"]:
        metadata["invalid_action"] = True
    if found["done"]:
        metadata |= {name: found[name] for name in ("return", "solved", "truncated", "metrics", "task_id")}
        metadata["reward_valid"] = True
    observation = {"text": found["text"], "metadata": metadata}
    return {"observation": observation, "reward": found["reward"], "done": found["done"], "metadata": metadata}


def error_frame(code: str, text: str, **more: Any) -> dict[str, Any]:
    """An error as a frame."""
    return {"type": "error", "data": {"message": text, "code": code, **more}}


def refused(refusal: Refusal) -> dict[str, Any]:
    """A refusal as a frame."""
    return error_frame(CODES[refusal.kind], refusal.text, **refusal.more)


async def begin(table: Table, slot: Slot, data: Mapping[str, Any]) -> dict[str, Any]:
    """Begin an episode as ``reset`` asks for it; what it does not know is passed over, as OpenEnv does."""
    episode = data.get("episode_id")
    if episode is not None and not (isinstance(episode, str) and len(episode) <= MOST_ID):
        raise Refusal(
            "bad_request", f"episode_id is {episode!r:.60}; it must be a text of at most {MOST_ID} characters"
        )
    name = data.get("env")
    if name is not None and not isinstance(name, str):
        raise Refusal("bad_request", f"env is {name!r:.60}; it must be the name of an environment")
    await table.begin(slot, data, name)
    slot.episode_id = episode or f"{slot.key[:8]}-{slot.seed}"
    return observed(slot)


def request_of(given: Any) -> str | None:
    """A client's own id of a message.

    Raises:
        Refusal: It is too long to distinguish from others.
    """
    if given is None:
        return None
    if not isinstance(given, (str, int)) or len(str(given)) > MOST_ID:
        raise Refusal("bad_request", f"the id is {given!r:.60}; it must be a text of at most {MOST_ID} characters")
    return str(given)


async def play(table: Table, slot: Slot, data: Mapping[str, Any]) -> dict[str, Any]:
    """Play the action of a ``step``: a message, a tool call, or the question which tools there are."""
    metadata = data.get("metadata")
    request = request_of(metadata.get("request_id")) if isinstance(metadata, Mapping) else None
    kind = data.get("type")
    if kind == "list_tools":
        return {"observation": {"tools": mcp.tools_of(table, slot), "metadata": {}}, "reward": None, "done": slot.done}
    if kind == "call_tool":
        name = str(data.get("tool_name", ""))
        found = await table.call(slot, name, data.get("arguments") or {}, request)
        answer = observed(slot, found)
        result = {"tool_name": name, "result": found["text"], "error": None, "metadata": answer["metadata"]}
        return {**answer, "observation": result}
    message = data.get("message")
    unknown = set(data) - {"message", "metadata"}
    if unknown or not isinstance(message, str):
        what = f"the action has {sorted(unknown)}" if unknown else f"message is {message!r:.60}"
        raise Refusal("bad_request", f'{what}; an action is {{"message": "what the agent says"}}')
    return observed(slot, await table.reply(slot, message, request))


async def frame(table: Table, slot: Slot, sent: Any) -> dict[str, Any] | None:
    """The answer to a frame; None closes the session."""
    kind = sent.get("type") if isinstance(sent, Mapping) else None
    data = (sent.get("data") or {}) if isinstance(sent, Mapping) else {}
    if not isinstance(data, Mapping):
        return error_frame("VALIDATION_ERROR", "data must be an object")
    try:
        if kind == "step":
            return {"type": "observation", "data": await play(table, slot, data)}
        if kind == "reset":
            return {"type": "observation", "data": await begin(table, slot, data)}
        if kind == "state":
            return {"type": "state", "data": state_of(slot)}
        if kind == "mcp":
            return {"type": "mcp", "data": await mcp.answered(table, data, slot)}
        if kind == "fork":
            twin = await table.fork(slot)
            return {"type": "fork", "data": {"session_id": twin.key, "step_count": twin.turn}}
    except Refusal as refusal:
        return refused(refusal)
    return None if kind == "close" else error_frame("UNKNOWN_TYPE", f"unknown type of message: {kind!r:.60}")


class Talk:
    """What is said on a socket: in a session of its own, or in the one that it names, which outlives it."""

    def __init__(self, table: Table, env: str | None, key: str | None) -> None:
        self.table, self.own = table, not key
        self.slot = table.slot(key) if key else table.new(env)
        if self.slot.attached:
            raise Refusal("bad_request", "a socket is attached to this session already")

    @staticmethod
    def refused(refusal: Refusal) -> dict[str, Any]:
        return refused(refusal)

    @staticmethod
    def unreadable(refusal: Refusal) -> dict[str, Any]:
        return error_frame("INVALID_JSON", refusal.text)

    async def answer(self, sent: Any) -> dict[str, Any] | None:
        if self.table.slots.get(self.slot.key) is not self.slot:
            return error_frame("SESSION_ERROR", NO_SESSION)
        return await frame(self.table, self.slot, sent)
