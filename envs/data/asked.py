"""The question of a row as one text, from a text or a conversation of chat messages."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["asked_of", "plain_text"]

_NAMES = {"user": "User", "assistant": "Assistant"}


def asked_of(value: object, column: str) -> str:
    r"""Read the question in a cell.

    A list of chat messages (``{"role": ..., "content": ...}``, as in verl's data sets) becomes one text: first the text
    of system messages; then the user's message or, if there are several turns, all of them with the names of their
    speakers. The last message must be the user's: it is the one to answer.

    Raises:
        ValueError: It is neither a text, a number nor such a list; the message has the value.

    >>> asked_of([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+2?"}], "prompt")
    'Be brief.\n\n2+2?'
    """
    messages = _messages(value)
    if messages is None:
        return plain_text(value, f"the column {column!r}")
    system, turns = [], []
    for message in messages:
        role, text = message.get("role"), _content(message.get("content"), column)
        if role in ("system", "developer"):
            system.append(text)
        elif role in _NAMES:
            turns.append((str(role), text))
        else:
            raise ValueError(
                f"a message of the column {column!r} is of the role {role!r}; it must be system, user or assistant"
            )
    if not turns or turns[-1][0] != "user":
        raise ValueError(f"the last message of the column {column!r} must be the user's: it is what is answered")
    if len(turns) == 1:
        return "\n\n".join([*system, turns[0][1]])
    return "\n\n".join([*system, *(f"{_NAMES[role]}: {text}" for role, text in turns)])


def plain_text(value: object, what: str) -> str:
    """Return a text, or a number as text.

    Raises:
        ValueError: It is something else, which would appear in Python's notation.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return str(value)
    raise ValueError(f"{what} is {str(value)[:80]!r}, a {type(value).__name__}; it must be a text or a number")


def _messages(value: object) -> Sequence[Mapping[str, Any]] | None:
    """Return the messages of a conversation; None if the value is none. CSV files store it as JSON."""
    if isinstance(value, str) and value.lstrip().startswith("[") and '"role"' in value:
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if not isinstance(value, list) or not value:
        return None
    return value if all(isinstance(part, Mapping) and "role" in part for part in value) else None


def _content(content: object, column: str) -> str:
    """Return the content of a message: a text, or the joined parts, each of which must be a text."""
    parts = [content] if isinstance(content, str) else content
    if not isinstance(parts, list):
        raise ValueError(f"a message of the column {column!r} says {str(content)[:80]!r}; it must be a text")
    texts = []
    for part in parts:
        text = part.get("text") if isinstance(part, Mapping) and part.get("type", "text") == "text" else part
        if not isinstance(text, str):
            raise ValueError(f"a message of the column {column!r} holds {str(part)[:80]!r}; only text can be played")
        texts.append(text)
    return "\n".join(texts)
