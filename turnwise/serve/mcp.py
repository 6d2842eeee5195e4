"""The Model Context Protocol over HTTP: the tools of an environment, for agents that speak nothing else.

MCP knows no episodes, rewards or ends. The tool ``begin`` starts an episode and returns its first observation; reward
and end stand in ``_meta`` of the results. A client with a session (protocol 2025-11-25: ``initialize``, then the header
``Mcp-Session-Id``) plays its own; one without (2026-07-28) names the episode that ``begin`` returned in the argument
``episode`` of each call. Sources: the specifications of both dates; openenv 0.10.0, for its methods
``openenv/session/create`` and ``openenv/session/close``.
"""

from collections.abc import Mapping
from typing import Any

from turnwise.agents.endpoint.messages import act_tool
from turnwise.serve.host import Refusal
from turnwise.serve.slots import Slot
from turnwise.serve.table import Table

__all__ = ["LATEST", "Talk", "answered", "tools_of"]

LATEST, OLDER = "2026-07-28", ("2025-11-25", "2025-06-18", "2025-03-26")
_BEGIN_ARGUMENTS = {
    "seed": {"type": "integer", "minimum": 0, "description": "Repeats an episode."},
    "difficulty": {"type": "integer", "minimum": 1, "description": "Level, if the environment has levels."},
}
_NOT_CACHED = {"ttlMs": 0, "cacheScope": "private"}
_EPISODE = {"type": "string", "description": "The episode that begin returned; needed without a session."}


class _Wrong(Exception):
    """A JSON-RPC error."""

    def __init__(self, code: int, text: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(text)
        self.code, self.text, self.data = code, text, data


def tools_of(table: Table, slot: Slot | None, env: str | None = None) -> list[dict[str, Any]]:
    """Schemas of the tools, in MCP's shape."""
    served = slot.env if slot is not None else table.served(env)
    own = slot.opened.tools if slot is not None and slot.opened is not None else table.tools.get(served.name)
    found = [
        {
            "name": tool["function"]["name"],
            "description": tool["function"]["description"],
            "inputSchema": _with_episode(tool["function"]["parameters"]),
        }
        for tool in (own if own is not None else (act_tool(False).schema(),))
    ]
    about = f"Begin an episode of {served.name}; returns its first message."
    schema = {"type": "object", "properties": _BEGIN_ARGUMENTS}
    return [*found, {"name": "begin", "description": about, "inputSchema": schema}]


def _with_episode(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {**parameters, "properties": {**parameters.get("properties", {}), "episode": _EPISODE}}


async def answered(table: Table, asked: Any, slot: Slot | None, env: str | None = None) -> dict[str, Any]:
    """The answer to a JSON-RPC request; empty for a notification.

    Args:
        table: The sessions.
        asked: The request.
        slot: The session that it belongs to, if its transport knows one.
        env: The environment that new sessions play.
    """
    number = asked.get("id") if isinstance(asked, Mapping) else None
    number = number if isinstance(number, (str, int)) else None
    try:
        if not isinstance(asked, Mapping) or not isinstance(asked.get("method"), str):
            raise _Wrong(-32600, "this is no JSON-RPC request: method is missing")
        params = asked.get("params")
        if params is not None and not isinstance(params, Mapping):
            raise _Wrong(-32602, "params must be an object")
        if "id" not in asked:
            return {}
        result = await _result(table, asked["method"], params or {}, slot, env)
    except _Wrong as wrong:
        return _error(number, wrong.code, wrong.text, wrong.data)
    except Refusal as refusal:
        code = -32602 if refusal.kind in ("bad_request", "unknown") else -32000
        return _error(number, code, refusal.text, refusal.more or None)
    return {"jsonrpc": "2.0", "id": number, "result": {**result, "resultType": "complete"}}


def _error(number: Any, code: int, text: str, data: Mapping[str, Any] | None) -> dict[str, Any]:
    more = {"data": dict(data)} if data else {}
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text, **more}}


async def _result(
    table: Table, method: str, params: Mapping[str, Any], slot: Slot | None, env: str | None
) -> dict[str, Any]:
    if method == "initialize":
        wanted = params.get("protocolVersion")
        version = wanted if wanted in OLDER else OLDER[0]
        return {"protocolVersion": version, **_about(table, env)}
    if method == "server/discover":
        return {"supportedVersions": [LATEST, *OLDER], **_about(table, env), **_NOT_CACHED}
    if method == "ping":
        return {}
    if method == "openenv/session/create":
        return {"session_id": (slot or table.new(env)).key}
    if method == "openenv/session/close":
        target = table.slot(str(params.get("session_id")))
        if target.attached:
            return {"session_id": target.key, "closed": False, "closing": True}
        await table.close(target)
        return {"session_id": target.key, "closed": True}
    if slot is None and params.get("session_id"):
        slot = table.slot(str(params["session_id"]))
    if method == "tools/list":
        return {"tools": tools_of(table, slot, env), **_NOT_CACHED}
    if method == "tools/call":
        return await _called(table, params, slot, env)
    raise _Wrong(-32601, f"there is no method {method!r:.80}")


class Talk:
    """What is said on a socket, which has a session of its own."""

    def __init__(self, table: Table, env: str | None, key: str | None) -> None:
        self.table, self.env, self.own = table, env, True
        self.slot = table.new(env)

    @staticmethod
    def refused(refusal: Refusal) -> dict[str, Any]:
        return _error(None, -32000, refusal.text, refusal.more)

    @staticmethod
    def unreadable(refusal: Refusal) -> dict[str, Any]:
        return _error(None, -32700, refusal.text, None)

    async def answer(self, sent: Any) -> dict[str, Any] | None:
        if self.table.slots.get(self.slot.key) is not self.slot:
            return None
        return await answered(self.table, sent, self.slot, self.env)


def _about(table: Table, env: str | None) -> dict[str, Any]:
    name = table.served(env).name
    return {
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": f"turnwise {name}", "version": table.version},
        "instructions": f"Call begin to start an episode of {name}, then its tools until the result says it is over.",
    }


async def _called(table: Table, params: Mapping[str, Any], slot: Slot | None, env: str | None) -> dict[str, Any]:
    name, arguments = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str) or not isinstance(arguments, Mapping):
        raise _Wrong(-32602, "name must be a text and arguments an object")
    arguments = dict(arguments)
    episode = arguments.pop("episode", None)
    if name == "begin":
        own = slot is None
        slot = slot or table.new(env)
        try:
            opened = await table.begin(slot, arguments)
        except Refusal:
            if own:
                await table.close(slot)
            raise
        note = f"\n\nEpisode: {slot.key}" if own else ""
        return _content(opened.text + note, {"episode": slot.key, "done": False, "task_id": opened.task_id})
    if slot is None and episode is None:
        raise _Wrong(-32602, "no session and no episode: call begin, and give the episode that it returns")
    slot = slot or table.slot(str(episode))
    try:
        if slot.opened is None:
            await table.begin(slot, {})
        found = await table.call(slot, name, arguments)
    except Refusal as refusal:
        if refusal.kind == "bad_request":
            return {**_content(refusal.text, {"done": slot.done}), "isError": True}
        raise
    meta = {"reward": found["reward"], "done": found["done"], "turn": found["turn"]}
    if found["done"]:
        meta |= {key: found[key] for key in ("return", "solved", "truncated", "metrics")}
    over = "\n\nThe episode is over." if found["done"] else ""
    return _content(found["text"] + over, meta)


def _content(text: str, meta: Mapping[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": False, "_meta": dict(meta)}
