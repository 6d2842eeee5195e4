"""JSON on the wire: what is read is finite and ASCII-safe to write back, whatever a client sends."""

import contextlib
import importlib
import json
import math
from typing import Any

from starlette.responses import Response

from turnwise.serve.crew import Refusal

try:
    orjson: Any = importlib.import_module("orjson")
except ImportError:  # it has no wheel for this machine; writing then takes longer
    orjson = None

__all__ = ["Json", "dumps", "encoded", "loads"]


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text:.20} is not a number of JSON")
    return value


# Made once: `json.loads` and `json.dumps` with options make one for each call, which takes longer than a small message.
_READER = json.JSONDecoder(parse_constant=_finite, parse_float=_finite)
_WRITER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def loads(raw: str | bytes) -> Any:
    """Read JSON.

    Raises:
        Refusal: It is none, too deep, or holds a number that JSON does not have (NaN, Infinity, 1e999).
    """
    try:
        text = raw if isinstance(raw, str) else raw.decode(json.detect_encoding(raw))
        if text[:1] == "{" and text[-1] == "}":  # no space around it: without the search for that
            found, end = _READER.raw_decode(text)
            if end == len(text):
                return found
        return _READER.decode(text)
    except (ValueError, RecursionError) as error:
        raise Refusal("bad_request", f"the message is not JSON: {error!s:.200}") from None


def encoded(value: Any) -> bytes:
    """Write JSON as bytes; what orjson cannot write (a lone surrogate, a number of numpy's) is left to `dumps`."""
    if orjson is not None:
        with contextlib.suppress(TypeError):
            written: bytes = orjson.dumps(value)
            return written
    return dumps(value).encode()


def dumps(value: Any) -> str:
    """Write JSON in ASCII: a lone surrogate that an observation repeats must not cost a client its answer."""
    return _WRITER.encode(value)


class Json(Response):
    """A response in JSON."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return encoded(content)
