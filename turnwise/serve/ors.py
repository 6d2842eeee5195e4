"""The Open Reward Standard: tasks by split, sessions that are pinged, tool calls as server-sent events.

A reward is null until the episode is over, then it is the return: right for clients that take the last one as for
those that sum. A failed environment ends the stream with an error. A call that is sent again with its ``task_id`` is
answered and not played again. Sources: ors-sdk 0.1.0, ``ors/server.py``, and openreward 0.1.167.
"""

from collections.abc import Mapping
from typing import Any

from turnwise.core.errors import SettingsError
from turnwise.serve.host import Refusal
from turnwise.serve.slots import Served, Slot
from turnwise.serve.table import Table
from turnwise.serve.wire import dumps
from turnwise.session.rows import seed_at

__all__ = ["called", "create", "events", "splits", "task", "tasks", "tools"]

SPLITS = ("train", "test")
_ASKED = ("split", "index", "seed", "difficulty")


def splits() -> list[dict[str, str]]:
    """The splits."""
    return [{"name": name, "type": name} for name in SPLITS]


def task(env: Served, split: Any, index: Any) -> dict[str, Any]:
    """The task at a place of a split, by which anybody can play it again.

    Raises:
        Refusal: There is none.
    """
    if split not in SPLITS:
        raise Refusal("bad_request", f"split is {split!r:.40}; it must be 'train' or 'test'")
    if type(index) is not int or not 0 <= index < env.num_tasks:
        raise Refusal("bad_request", f"index is {index!r:.40}; it must be from 0 to {env.num_tasks - 1}")
    try:
        seed = seed_at(env.id, split, index)
    except SettingsError as error:
        raise Refusal("bad_request", str(error)) from None
    return {"id": f"{env.name}-{split}-{index}", "env": env.id, "split": split, "index": index, "seed": seed}


def tasks(env: Served, split: Any, start: Any = None, stop: Any = None) -> list[dict[str, Any]]:
    """The tasks of a split from ``start`` to before ``stop``, in the way of Python's slices."""
    ends = [end for end in (start, stop) if end is not None]
    if any(type(end) is not int for end in ends):
        raise Refusal("bad_request", f"start and stop are {start!r:.40} and {stop!r:.40}; they must be whole numbers")
    task(env, split, 0)
    return [task(env, split, index) for index in range(*slice(start, stop).indices(env.num_tasks))]


def tools(found: Any) -> list[dict[str, Any]]:
    """Function schemas in the shape of ORS."""
    return [
        {
            "name": tool["function"]["name"],
            "description": tool["function"]["description"],
            "input_schema": tool["function"]["parameters"],
        }
        for tool in found
    ]


async def create(table: Table, key: str, body: Mapping[str, Any]) -> Slot:
    """Begin the episode that a session is for.

    Raises:
        Refusal: There is no such task, the session plays one already, or there is no room.
    """
    if key in table.slots:
        raise Refusal("bad_request", "the session exists already")
    spec = body.get("task_spec")
    if spec is not None and not isinstance(spec, Mapping):
        raise Refusal("bad_request", f"task_spec is {spec!r:.60}; it must be a task as /tasks lists them")
    asked: Mapping[str, Any] = spec if spec is not None else {"split": body.get("split"), "index": body.get("index")}
    name = body.get("env_name")
    env = table.served(None if name is None else str(name))
    if "index" in asked:
        task(env, asked.get("split"), asked["index"])
    slot = table.new(env.name, key)
    try:
        await table.begin(slot, {name: asked[name] for name in _ASKED if name in asked})
    except BaseException:
        await table.close(slot)
        raise
    return slot


async def called(table: Table, slot: Slot, body: Mapping[str, Any], request: str) -> dict[str, Any]:
    """The output of a tool call, with ``ok`` and the reason if it was not played.

    Raises:
        Refusal: The environment failed, or the session is gone.
    """
    name, given = body.get("name"), body.get("input")
    known = [tool["function"]["name"] for tool in slot.opened.tools] if slot.opened is not None else []
    if slot.done and request not in slot.results:
        return {"ok": False, "error": "the episode is over", "reason": "episode_finished"}
    if name not in known:
        return {"ok": False, "error": f"there is no tool {name!r:.60}", "reason": "not_found"}
    if given is not None and not isinstance(given, Mapping):
        return {"ok": False, "error": "input must be an object", "reason": "input_validation"}
    try:
        found = await table.call(slot, str(name), given or {}, request)
    except Refusal as refusal:
        if refusal.kind != "bad_request":
            raise
        return {"ok": False, "error": refusal.text, "reason": "input_validation"}
    metadata: dict[str, Any] = {"turn": found["turn"]}
    if found["done"]:
        metadata |= {key: found[key] for key in ("solved", "truncated", "metrics", "task_id")}
    output = {
        "blocks": [{"text": found["text"], "detail": None, "type": "text"}],
        "metadata": metadata,
        "reward": found["return"] if found["done"] else None,
        "finished": found["done"],
    }
    return {"ok": True, "output": output}


def events(*pairs: tuple[str, Any]) -> bytes:
    """Server-sent events: of data each line is one of the event, so that no text can begin another event."""
    found = []
    for name, data in pairs:
        text = data if isinstance(data, str) else dumps(data)
        lines = "".join(f"data: {line}\r\n" for line in text.splitlines() or [""])
        found.append(f"event: {name}\r\n{lines}\r\n")
    return "".join(found).encode(errors="backslashreplace")
