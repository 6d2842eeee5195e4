r"""Messages on a byte stream: a header with two lengths, a JSON object, and raw bytes if it announces them.

The same frames run between the client and a jailed program (over a socket pair) and between a trainer and a sandbox
elsewhere (over the standard streams of a container). What arrives may be hostile: a frame is bounded in size before
it is read and in depth before it is parsed.
"""

import json
import re
import struct
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["MAX_FRAME_BYTES", "FrameError", "pack", "parse", "read_frame"]

MAX_FRAME_BYTES = 1 << 28
_HEADER = struct.Struct("!II")  # bytes of the JSON part, bytes of the raw part
_MAX_BRACKETS = 64  # messages are flat; values travel in them as text
_MAX_COMMAS = 1 << 18  # the longest is a list of the files of a tree
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)  # possessive: linear, closed or not


class FrameError(ValueError):
    """The bytes are not a frame."""


def pack(message: dict[str, Any], blobs: Sequence[bytes] = ()) -> bytes:
    """Return a message and its raw parts as one frame; ``blobs`` in the message holds their lengths."""
    if blobs:
        message = {**message, "blobs": [len(blob) for blob in blobs]}
    body = json.dumps(message, separators=(",", ":")).encode()
    raw = b"".join(blobs)
    if len(body) + len(raw) > MAX_FRAME_BYTES:
        raise FrameError(f"a frame of {len(body) + len(raw)} bytes: at most {MAX_FRAME_BYTES}")
    return _HEADER.pack(len(body), len(raw)) + body + raw


def parse(body: bytes) -> dict[str, Any]:
    """Return the JSON object, of bounded depth; raise ``FrameError`` for anything else.

    >>> parse(b'{"a": "[[["}')
    {'a': '[[['}
    """
    if _too_many(body) and _too_many(_STRING.sub(b"", body)):
        raise FrameError(f"more than {_MAX_BRACKETS} brackets or {_MAX_COMMAS} commas")
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise FrameError("not JSON") from error
    if not isinstance(message, dict):
        raise FrameError("not an object")
    return message


def _too_many(body: bytes) -> bool:
    return body.count(b"[") + body.count(b"{") > _MAX_BRACKETS or body.count(b",") > _MAX_COMMAS


def read_frame(read: Callable[[int], bytes], limit: int = MAX_FRAME_BYTES) -> tuple[dict[str, Any], list[bytes]] | None:
    """Return the next frame's message and raw parts, or None at the end of the stream.

    Args:
        read: Returns exactly that many bytes, fewer only at the end of the stream.
        limit: Most bytes of a frame.
    """
    header = read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    size, raw_size = _HEADER.unpack(header)
    if size + raw_size > limit:
        raise FrameError(f"a frame of {size + raw_size} bytes: at most {limit}")
    body, raw = read(size), read(raw_size)
    if len(body) < size or len(raw) < raw_size:
        return None
    message = parse(body)
    blobs: list[bytes] = []
    lengths = message.pop("blobs", [])
    if not isinstance(lengths, list) or not all(type(n) is int and n >= 0 for n in lengths) or sum(lengths) != raw_size:
        raise FrameError("the raw parts are not as long as the message says")
    for length in lengths:
        blobs.append(raw[:length])
        raw = raw[length:]
    return message, blobs
