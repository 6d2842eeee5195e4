"""The JSON in a message: in ``<answer>``, in a code fence, or between words.

Thinking is not read. All values in ``<answer>``, or else in fences marked ``json`` or unmarked, or else between words,
must be the same: a message that offers different values has none. Between words objects and arrays are read; if there
are objects, an array of plain values (a reference such as ``[1]``) is ignored.
"""

import contextlib
from collections.abc import Iterator

from turnwise.verifiers.blocks import blocks
from turnwise.verifiers.extract import after_thinking, left_open, tagged
from turnwise.verifiers.structured.json_text import (
    MAX_CHARS,
    Json,
    JsonError,
    bracketed,
    equal_json,
    read_json,
)

__all__ = ["read_json_message", "spoken", "values_in"]

MAX_VALUES = 64


def read_json_message(message: str) -> Json:
    r"""Return the JSON value of a message, alone (see `read_json`) or among words.

    Raises:
        JsonError: There is no value, or there are different ones.

    >>> read_json_message('Here it is:\n```json\n{"a": 1}\n```\nAnything else?')
    {'a': 1}
    >>> read_json_message('It is {"a": 1}, see [2].')
    {'a': 1}
    """
    try:
        return read_json(message)
    except JsonError as error:
        alone = error
    texts = spoken(message)
    found: list[Json] = []
    for text in texts:
        try:
            found.append(read_json(text))
        except JsonError:
            found += values_in(text) or [alone]
    for value in found:
        if isinstance(value, JsonError):
            raise value
        if not equal_json(value, found[0]):
            raise JsonError("the message gives different JSON values; give exactly one")
    return found[0]


def spoken(message: str) -> list[str]:
    """Return the parts of a message that contain its answer.

    Raises:
        JsonError: The message is too long, or ends inside its thinking.
    """
    if len(message) > MAX_CHARS:
        raise JsonError(f"the text is longer than {MAX_CHARS} characters")
    rest = after_thinking(message)
    if rest is None:
        raise JsonError("the message ends inside <think>; close it and give the answer")
    answers = tagged(rest, "answer")
    if not answers and (content := left_open(rest)) is not None:
        answers = [content]
    return answers or [rest]


def values_in(text: str) -> list[Json]:
    """Return the JSON values in a text's fences, or else between its words; a fence marked ``json`` must contain one.

    Raises:
        JsonError: A fence marked ``json`` contains none.
    """
    found = []
    for block in blocks(text):
        if block.mark not in ("json", "jsonc", "json5", ""):
            continue
        try:
            found.append(read_json(block.body))
        except JsonError:
            if block.mark:
                raise
    if found:
        return found
    values = list(_between_words(text))
    objects = [value for value in values if isinstance(value, dict) or any(isinstance(v, dict) for v in value)]
    return objects or values


def _between_words(text: str) -> Iterator[Json]:
    at = 0
    for _ in range(MAX_VALUES):
        starts = [start for start in (text.find("{", at), text.find("[", at)) if start >= 0]
        if not starts or (end := bracketed(text, min(starts))) < 0:
            return
        with contextlib.suppress(JsonError):
            yield read_json(text[min(starts) : end])
        at = end
    raise JsonError(f"the message has more than {MAX_VALUES} JSON values")
