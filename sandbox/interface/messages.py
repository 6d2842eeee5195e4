"""Packs programs, results and errors into frames, for sandboxes in a container or on another machine."""

from typing import Any

from turnwise.core.errors import InfrastructureError, SettingsError, UsageError
from turnwise.sandbox.interface.records import Limits, Program, Reply, Result
from turnwise.sandbox.interface.sandbox import Unsafe
from turnwise.sandbox.wire.values import MAX_BYTES, ValueFormatError, decode, encode

__all__ = [
    "CONTENT_TYPE",
    "TOKEN_VARIABLE",
    "Frame",
    "as_bytes",
    "limits_message",
    "pack_error",
    "pack_program",
    "pack_reply",
    "pack_result",
    "raise_error",
    "unpack_limits",
    "unpack_program",
    "unpack_reply",
    "unpack_result",
]

TOKEN_VARIABLE = "TURNWISE_SANDBOX_TOKEN"
"""The environment variable with the token that clients must bring."""
CONTENT_TYPE = "application/x-turnwise-frame"
"""A type that no web page can send to another server unasked."""

Frame = tuple[dict[str, Any], list[bytes]]
_ERRORS: dict[str, type[Exception]] = {
    "unsafe": Unsafe,
    "settings": SettingsError,
    "usage": UsageError,
    "infrastructure": InfrastructureError,
}
_RESULT_FIELDS = tuple(name for name in Result._fields if name != "files")
_TYPES: dict[str, tuple[type, ...]] = {
    "stdout": (str,),
    "stderr": (str,),
    "exit_code": (int, type(None)),
    "signal": (int,),
    "killed_by": (str,),
    "wall_s": (int, float),
    "cpu_s": (int, float),
    "peak_memory_mb": (int, float),
    "stdout_cut": (int,),
    "stderr_cut": (int,),
    "lost": (bool,),
}


def limits_message(limits: Limits) -> dict[str, Any]:
    """Return the limits as a message."""
    return {name: getattr(limits, name) for name in Limits.__slots__}


def as_bytes(contents: bytes | str) -> bytes:
    """Return contents as bytes, text encoded as UTF-8."""
    return contents.encode() if isinstance(contents, str) else contents


def pack_program(program: Program, limits: Limits) -> Frame:
    """Return the frame of a program and its limits; the raw parts are its input and its files."""
    message = {
        "source": program.source,
        "argv": list(program.argv),
        "files": list(program.files),
        "collect": list(program.collect),
        "profile": program.profile,
        "name": program.name,
        "limits": limits_message(limits),
    }
    return message, [as_bytes(program.stdin), *map(as_bytes, program.files.values())]


def unpack_program(message: dict[str, Any], blobs: list[bytes]) -> tuple[Program, Limits]:
    """Return the program and its limits; raise ``SettingsError`` if they are malformed."""
    try:
        program = Program(
            message["source"],
            tuple(message["argv"]),
            blobs[0],
            dict(zip(message["files"], blobs[1:], strict=True)),
            tuple(message["collect"]),
            message["profile"],
            message["name"],
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise SettingsError(f"malformed program: {error}") from error
    return program, unpack_limits(message)


def unpack_limits(message: dict[str, Any]) -> Limits:
    """Return the limits; raise ``SettingsError`` if they are malformed."""
    try:
        return Limits(**message["limits"])
    except (KeyError, TypeError) as error:
        raise SettingsError(f"malformed limits: {error}") from error


def pack_result(result: Result) -> Frame:
    """Return the frame of a result; the raw parts are its files."""
    message = {name: getattr(result, name) for name in _RESULT_FIELDS}
    return {**message, "files": list(result.files)}, list(result.files.values())


def unpack_result(message: dict[str, Any], blobs: list[bytes]) -> Result:
    """Return the result; raise ``InfrastructureError`` if it is malformed."""
    for name in _RESULT_FIELDS:
        if name not in message or type(message[name]) not in _TYPES[name]:
            raise InfrastructureError(f"malformed result from a sandbox: {name}={str(message.get(name))[:100]}")
    names = message.get("files")
    if not isinstance(names, list) or len(names) != len(blobs) or not all(isinstance(name, str) for name in names):
        raise InfrastructureError("malformed result from a sandbox: its files")
    return Result(**{name: message[name] for name in _RESULT_FIELDS}, files=dict(zip(names, blobs, strict=True)))


def pack_reply(reply: Reply) -> Frame:
    """Return the frame of a function's reply."""
    message, blobs = pack_result(reply.result)
    return {**message, "error": reply.error, "value": None if reply.error else encode(reply.value)}, blobs


def unpack_reply(message: dict[str, Any], blobs: list[bytes]) -> Reply:
    """Return the reply, its value rebuilt here from plain data."""
    result, error = unpack_result(message, blobs), message.get("error")
    if error:
        return Reply(None, str(error)[:2000], result)
    try:
        return Reply(decode(message["value"], MAX_BYTES), "", result)
    except (ValueFormatError, KeyError, TypeError) as problem:
        raise InfrastructureError(f"malformed answer from a sandbox: {problem}") from problem


def pack_error(error: Exception) -> Frame:
    """Return the frame of an error of the sandbox, not of a program."""
    for kind, known in _ERRORS.items():
        if isinstance(error, known):
            return {"failed": kind, "text": str(error)}, []
    if isinstance(error, OSError):
        return {"failed": "os", "number": error.errno or 5, "text": error.strerror or str(error)}, []
    return {"failed": "infrastructure", "text": f"{type(error).__name__}: {error}"}, []


def raise_error(message: dict[str, Any]) -> None:
    """Raise the error that the message holds, if any."""
    kind = message.get("failed")
    if kind is None:
        return
    text = str(message.get("text"))[:4000]
    number = message.get("number")
    if kind == "os" and type(number) is int:
        raise OSError(number, text)
    raise _ERRORS.get(str(kind), InfrastructureError)(text)
