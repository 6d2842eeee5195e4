"""What an environment says of itself to machines: its card, and the descriptions that protocols ask for."""

import inspect
import json
import re
import types
import typing
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from turnwise.core.metrics import wilson
from turnwise.core.registration import env_class, summary
from turnwise.core.settings import Setting, settings_of
from turnwise.serve.table import Served

__all__ = ["audit_figures", "card", "metadata", "openapi", "settings_schema", "sources"]

LICENSE = "Apache-2.0"
AUDITED = Path(__file__).parent / "data" / "audit.json"
"""Counts of the audit of every environment; written by ``docs/generate.py --audit`` from the table in docs/audit.md."""
_TYPES = {int: "integer", float: "number", bool: "boolean", str: "string", type(None): "null"}


def card(env: Served, version: str) -> dict[str, Any]:
    """The card of an environment: version, settings with their ranges, levels, reference scores, audit, sources.

    Args:
        env: The environment as it is served.
        version: Version of turnwise.
    """
    cls = env_class(env.id)
    chance = list(cls.chance)
    levels = [
        {"difficulty": number, "settings": dict(row), **({"chance": chance[number - 1]} if chance else {})}
        for number, row in enumerate(cls.levels, 1)
    ]
    return {
        "name": env.name,
        "id": env.id,
        "version": version,
        "description": summary(env.id),
        "documentation": inspect.cleandoc(cls.__doc__ or ""),
        "tags": ["rl-environment", "openenv"],
        "license": LICENSE,
        "sources": sources(cls),
        "settings": settings_schema(cls),
        "served_with": {name: value for name, value in env.settings.items() if _shown(cls, name, value)},
        "levels": levels,
        "chance_default": cls.chance_default,
        "audit": audit_figures(env.id),
        "reward": {"range": [0.0, 1.0], "solved": 1.0, "per": "turn, summing to the return"},
        "splits": {name: {"tasks": "unlimited", "listed": env.num_tasks} for name in ("train", "test")},
        "oracle": True,
    }


def sources(cls: type) -> str:
    """Where an environment comes from, as its module says after ``Source:``; empty if it says nothing."""
    _, _, rest = (inspect.getdoc(inspect.getmodule(cls)) or "").partition("\n\n")
    match = re.search(r"^Sources?: (.*?)(?:\n\n|\Z)", rest, re.DOTALL | re.MULTILINE)
    return " ".join(match[1].split()) if match else ""


@cache
def _audited() -> Mapping[str, Any]:
    return json.loads(AUDITED.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def audit_figures(env_id: str) -> dict[str, Any] | None:
    """What the audit of an environment counted at its default settings; None if it was not audited.

    False rejects are right answers that were not paid: of the oracle, and other ways to write them. False accepts are
    wrong ones that were paid: cheats, texts without an answer, hedges, and what a search found. Reference scores are
    solve rates over the audit's tasks.

    Args:
        env_id: Id of the environment.
    """
    found = _audited()["environments"].get(env_id)
    if found is None:
        return None

    def share(count: int, of: int) -> dict[str, Any]:
        return {"count": count, "of": of, "ci95": [round(end, 4) for end in wilson(count, of)]}

    tasks = found["tasks"]
    return {
        "command": _audited()["command"],
        "tasks": tasks,
        "findings": found["findings"],
        "false_rejects": share(found["right_refused"], found["right"]),
        "false_accepts": share(found["wrong_paid"], found["wrong"]),
        "reference": {"oracle": share(found["oracle"], tasks), "random": share(found["random"], tasks)},
    }


def _shown(cls: type, name: str, value: Any) -> bool:
    """Whether clients may know a setting: numbers and choices say how hard it is, free texts may be paths or keys."""
    chosen = any(setting.name == name and _schema(setting.hint).get("enum") for setting in settings_of(cls))
    return chosen or isinstance(value, (bool, int, float, type(None)))


def metadata(env: Served, version: str) -> dict[str, Any]:
    """The metadata of OpenEnv, with the card."""
    return {
        "name": env.name,
        "description": summary(env.id) or env.name,
        "version": version,
        "author": "turnwise",
        "readme_content": None,
        "documentation_url": None,
        "card": card(env, version),
    }


def settings_schema(cls: type) -> dict[str, Any]:
    """JSON schema of a class's settings: types, ranges, defaults and what they mean."""
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {setting.name: _property(setting) for setting in settings_of(cls)},
    }


def _property(setting: Setting) -> dict[str, Any]:
    found = _schema(setting.hint)
    if setting.doc:
        found["description"] = setting.doc
    if setting.range is not None:
        ends = {"minimum": setting.range.low, "maximum": setting.range.high,
                "exclusiveMinimum": setting.range.above, "exclusiveMaximum": setting.range.below}  # fmt: skip
        found |= {name: end for name, end in ends.items() if end is not None}
    if isinstance(setting.default, (str, int, float, bool, type(None))):
        found["default"] = setting.default
    return found


def _schema(hint: Any) -> dict[str, Any]:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _schema(parts[0])
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(part) for part in parts]}
    kind = origin or hint
    if kind in _TYPES:
        return {"type": _TYPES[kind]}
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return {"type": "object"}
    if isinstance(kind, type) and issubclass(kind, Sequence):
        return {"type": "array"}
    return {}


def openapi(version: str) -> dict[str, Any]:
    """A description of the HTTP addresses in OpenAPI's form."""
    posts = ("/reset", "/step", "/batch", "/mcp")
    gets = ("/state", "/health", "/metadata", "/schema", "/version", "/metrics", "/list_environments")
    done = {"responses": {"200": {"description": "Done."}}}
    paths = {path: {"post": {"summary": path[1:], **done}} for path in posts}
    paths |= {path: {"get": {"summary": path[1:], **done}} for path in gets}
    return {"openapi": "3.1.0", "info": {"title": f"turnwise {version}", "version": "1.0.0"}, "paths": paths}
