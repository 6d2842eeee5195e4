"""Feedback about a failed program: deterministic, and without details of the host."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from turnwise.sandbox import Limits, Reply, Result

__all__ = [
    "Failure",
    "described",
    "error_line",
    "raised",
    "shown",
    "shown_value",
    "why_ended",
    "why_no_value",
    "without_chance",
]

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")
_BRANCH = re.compile(r"/box/branches/(?:[0-9a-f]{12}/){1,20}a\b")
_SCRATCH = re.compile(r"(?:/box/work|/tmp/[A-Za-z0-9_.-]{1,64})/(?:main/)?")
_LIBRARY = re.compile(r'"/[^"\n]{0,200}?/python3[0-9.]{0,4}/')
_THREAD = re.compile(r"\b(started|stopped)( daemon)? \d{4,20}\b")
_PROCESS = re.compile(
    r"(?P<before>line \d{1,9}:) {1,9}\d{1,9} (?=Killed|Terminated|Hangup|Aborted|Segmentation fault|Bus error"
    r"|Broken pipe|Trace/breakpoint trap|Floating point exc|Illegal instr|Alarm clock|File size limit|CPU time limit"
    r"|User defined)"
    r"|(?P<waited>wait_for: No record of process|kill:) \(?\d{1,9}\b\)?|\b(?P<name>pid|parent)=\d{1,9}\b"
)
_TEMPORARY = re.compile(r"(^sed: .{0,300}?/sed|/cc)[A-Za-z0-9]{6}(?=: |\.[cos]\b)", re.MULTILINE)
_UNDEFINED = re.compile(
    r"(?:AttributeError: module 'builtins' has no attribute|NameError: the program defines no) (?=')"
)
_OURS = re.compile(r'  File "<calls>", line \d{1,4}, in \w{1,20}\n')
_MOST_CHARS = 2000
_MOST_ERROR = 200
_HEAD_OF_KILLED = 400
_ENDS = {
    "wall": "ran out of time ({wall_s:g} s)",
    "cpu": "ran out of processor time ({cpu_s:g} s)",
    "memory": "ran out of memory ({memory_mb} MB)",
    "output": "printed too much",
    "disk": "filled its disk ({file_mb} MB)",
}


class Failure(NamedTuple):
    """The first test that a program failed, for feedback.

    Attributes:
        index: Number of the test, from 0; texts count from 1.
        what: What happened, without revealing what was expected.
        args: The program's arguments or input.
        got: Its answer: plain data, or its output; None if there was none.
        result: Output, times and limits of the failed run or call.
    """

    index: int  # type: ignore[assignment]  # tuples have a method of that name
    what: str
    args: tuple[Any, ...] = ()
    got: object = None
    result: Result = Result()


def without_chance(text: str) -> str:
    r"""Return the text without the process numbers and temporary file names that shells and tools print.

    >>> without_chance("sh: line 2:   417 Killed  ./x\nsed: couldn't open temporary file ./sedMv6X1c: Denied")
    "sh: line 2: Killed  ./x\nsed: couldn't open temporary file ./sedXXXXXX: Denied"
    """
    return _TEMPORARY.sub(r"\1XXXXXX", _PROCESS.sub(_numberless, text))


def _numberless(found: re.Match[str]) -> str:
    if found["before"]:
        return f"{found['before']} "
    return f"{found['waited']} ..." if found["waited"] else f"{found['name']}=..."


def scrubbed(text: str) -> str:
    """Return the text without addresses, thread and process numbers and file paths, which differ from run to run."""
    text = text.encode(errors="replace").decode()  # lone surrogates cannot be written
    text = _SCRATCH.sub("", _BRANCH.sub("/box/work", _ADDRESS.sub("0x...", text)))
    text = _UNDEFINED.sub("the program defines no ", _OURS.sub("", text))
    return _LIBRARY.sub('"python/', without_chance(_THREAD.sub(r"\1\2", text)))


def shown(result: Result, most_chars: int = _MOST_CHARS) -> str:
    r"""Return a program's output as shown to an agent: stdout, then stderr, scrubbed and shortened.

    If a program was killed while printing, only the beginning is shown, because how far it got is random.

    Args:
        result: Result of a run, a turn or a call.
        most_chars: At least 100; a line that says how much was left out is added to it.

    >>> shown(Result("a <f at 0x7f12de30a1b0>\n", "Traceback ..."))
    'a <f at 0x...>\nTraceback ...'
    """
    parts = [part for part in (scrubbed(result.stdout), scrubbed(result.stderr)) if part]
    text = "".join(part if part.endswith("\n") else f"{part}\n" for part in parts).rstrip("\n")
    if result.killed_by in ("wall", "cpu", "output"):
        most_chars = min(most_chars, _HEAD_OF_KILLED)
        return text if len(text) <= most_chars else f"{text[:most_chars]}\n[... the rest is left out ...]"
    if len(text) <= most_chars:
        return text
    head, tail = text[: most_chars // 2], text[len(text) - most_chars // 2 :]
    return f"{head}\n[... {len(text) - len(head) - len(tail)} characters left out ...]\n{tail}"


def shown_value(value: object, most_chars: int = 80) -> str:
    """Return the beginning of the ``repr`` of plain data, with sets in a fixed order, in bounded time.

    >>> shown_value([1, {"b", "a"}]), shown_value(list(range(1000)), 20), shown_value(10**5000, 20)
    ("[1, {'a', 'b'}]", '[0, 1, 2, 3, 4, 5...', 'an int of 16610 bits')
    """
    parts: list[str] = []
    left = most_chars + 1
    for part in _pieces(value):
        parts.append(part)
        left -= len(part)
        if left <= 0:
            break
    text = "".join(parts)
    return text if len(text) <= most_chars else f"{text[: max(1, most_chars - 3)]}..."


def _pieces(value: Any) -> Iterable[str]:
    """Yield the text of a value piece by piece, so that the caller can stop early."""
    kind = type(value)
    if kind is int and value.bit_length() > 4000:
        yield f"an int of {value.bit_length()} bits"
    elif kind in (str, bytes, bytearray):
        yield repr(value[:4000])
    elif kind is list or kind is tuple:
        left, right = "[]" if kind is list else "()"
        yield left
        yield from _joined(map(_pieces, value))
        yield f",{right}" if kind is tuple and len(value) == 1 else right
    elif kind is dict:
        yield "{"
        yield from _joined((_pair(key, item) for key, item in value.items()))
        yield "}"
    elif kind in (set, frozenset) and value:
        yield "{" if kind is set else "frozenset({"
        few = sorted("".join(_pieces(item)) for item in value) if len(value) <= 1000 else ["..."]
        yield from _joined([item] for item in few)
        yield "}" if kind is set else "})"
    else:
        yield repr(value)


def _pair(key: Any, item: Any) -> Iterable[str]:
    yield from _pieces(key)
    yield ": "
    yield from _pieces(item)


def _joined(items: Iterable[Iterable[str]]) -> Iterable[str]:
    first = True
    for item in items:
        if not first:
            yield ", "
        first = False
        yield from item


def described(value: object) -> str:
    """Return a short description of a value and its type.

    >>> described([1, 2]), described(None), described("x" * 100)
    ('[1, 2] (a list of 2 items)', 'None', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... (a str of 100 characters)")
    """
    kind = type(value).__name__
    article = "an" if kind[0] in "aeiou" else "a"
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, (list, tuple, dict, set, frozenset)):
        return f"{shown_value(value, 60)} ({article} {kind} of {_count(len(value), 'item')})"
    if isinstance(value, (str, bytes, bytearray)):
        unit = "character" if isinstance(value, str) else "byte"
        return f"{shown_value(value, 40)} ({article} {kind} of {_count(len(value), unit)})"
    return f"{shown_value(value, 60)} ({article} {kind})"


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def error_line(stderr: str, name: str) -> int | None:
    """Return the last line of a source that a traceback names.

    Args:
        stderr: The program's error output, which it controls.
        name: The source's file name.
    """
    found = re.findall(rf'File "(?:/[^"\n]{{0,200}}/)?{re.escape(name)}", line (\d{{1,7}})', stderr[-20000:])
    return int(found[-1]) if found else None


def why_ended(result: Result, limits: Limits) -> str:
    """Return the limit that ended a run, in words; empty if none did."""
    if not result.killed_by:
        return ""
    cpu_s = limits.cpu_s or limits.wall_s + 1
    return _ENDS[result.killed_by].format(
        wall_s=limits.wall_s, cpu_s=cpu_s, memory_mb=limits.memory_mb, file_mb=limits.file_mb
    )


def why_no_value(reply: Reply, limits: Limits, name: str) -> str:
    """Return why a call gave no value, in words."""
    ended = why_ended(reply.result, limits)
    if ended:
        return ended
    if reply.error.startswith("the program is gone"):
        return "ended the program instead of returning"
    if reply.error.startswith("no plain data: "):
        return f"did not return plain data: {one_line(reply.error[15:])}"
    return raised(reply.error, reply.result, name)


def raised(error: str, result: Result, name: str) -> str:
    """Return a description of an exception in a call.

    Args:
        error: Its type and message.
        result: Result of the call.
        name: The source's file name.
    """
    undefined = _UNDEFINED.match(error)
    if undefined:
        return f"defines no {one_line(error[undefined.end() :], 60)}"
    return f"raised {one_line(error)}{at_line(result.stderr, name)}"


def at_line(stderr: str, name: str) -> str:
    """Return `` (line 3)`` if a traceback names a line of the source."""
    line = error_line(stderr, name)
    return "" if line is None else f" (line {line})"


def one_line(text: str, most_chars: int = _MOST_ERROR) -> str:
    """Scrub a text and put it on one line, replacing unprintable characters."""
    text = " ".join(scrubbed(text[: 4 * most_chars]).split())
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= most_chars else f"{text[: most_chars - 3]}..."
