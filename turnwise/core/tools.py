"""Tools: what an agent may call, how its calls are written in text, and how they are carried out.

One grammar for the wrapper that gives tools to any environment and for environments that are played with tools.
"""

import inspect
import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from turnwise.core.env import MAX_ACTION_CHARS
from turnwise.core.errors import SettingsError, TurnwiseError

__all__ = ["Call", "Carried", "Tool", "ToolAnswer", "Toolbox", "not_carried_out", "shortened", "text_tool"]

MAX_CALLS = 64
"""Calls that are read in one message; more are left unread."""
_ATTRIBUTE = re.compile(r"""\s{1,20}([a-z_][a-z0-9_]{0,40})\s{0,4}=\s{0,4}(?:"([^"<>]{0,1000})"|'([^'<>]{0,1000})')""")
_FENCED = re.compile(r"\s{0,20}```[a-z0-9]{0,20}[ \t]{0,20}\n(.*?)\n?[ \t]{0,20}```\s{0,20}", re.DOTALL)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_LOG = logging.getLogger(__name__)
_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_RESERVED = ("answer", "think", "tool_call", "tool_response", "tool_error")


@dataclass(frozen=True)
class Tool:
    """Something an agent may call.

    Attributes:
        name: Its name, also that of its short tag.
        description: What it does, for the prompt.
        parameters: JSON schema of the arguments: ``{"type": "object", "properties": {...}, "required": [...]}``.
        call: Takes the arguments by name (after the toolbox's context, where it has one), returns text. What it raises
            is an error that the agent reads: a ValueError's message, before that of another exception its class.
            Raised on are turnwise's own errors (`InfrastructureError` ends the episode unscored) and, of a tool that
            belongs to an environment and takes it as context, whatever is no ValueError.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    call: Callable[..., str]

    def __post_init__(self) -> None:
        try:
            signature = inspect.signature(self.call)
        except ValueError:  # of some built-in functions nothing is known
            return
        named = dict.fromkeys(self.properties, "")
        if not any(_binds(signature, *context, **named) for context in ((), ("",))):
            given = ", ".join(f"{name}=..." for name in named) or "no arguments"
            raise SettingsError(f"the tool {self.name!r} is called with {given}; its function takes {signature}")

    @property
    def properties(self) -> Mapping[str, Any]:
        """The parameters by name."""
        found: Mapping[str, Any] = self.parameters.get("properties", {})
        return found

    @property
    def body(self) -> str | None:
        """The parameter that stands between the short tags: the last required one, if it is a text."""
        required = list(self.parameters.get("required", []))
        if required and self.properties[required[-1]].get("type") == "string":
            return str(required[-1])
        return None


def _binds(signature: inspect.Signature, *args: object, **named: object) -> bool:
    try:
        signature.bind(*args, **named)
    except TypeError:
        return False
    return True


def text_tool(name: str, description: str, call: Callable[..., str], **parameters: str) -> Tool:
    """A tool all of whose parameters are required texts: name and meaning of each, the last one the tag's content."""
    properties = {key: {"type": "string", "description": meaning} for key, meaning in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(parameters)}
    return Tool(name, description, schema, call)


class Call(NamedTuple):
    """A call as an agent wrote it.

    Attributes:
        name: The tool's.
        arguments: By name; not yet checked.
        problem: Why it cannot be read; "" where it can.
    """

    name: str
    arguments: Any
    problem: str = ""


class ToolAnswer(NamedTuple):
    """What came of a call: the text for the agent, marked as an answer or an error."""

    text: str
    failed: bool


class Carried(NamedTuple):
    """What came of the calls of one message, which are carried out in order until one fails.

    Attributes:
        answers: Of those that were carried out; only the last one may have failed.
        note: What is said of the others; "" where there are none.
        ended: A call was reached that ends the message; it is for the caller to carry out.
    """

    answers: list[ToolAnswer]
    note: str
    ended: bool

    @property
    def failed(self) -> bool:
        """A call failed."""
        return bool(self.answers) and self.answers[-1].failed

    @property
    def texts(self) -> list[str]:
        """All that is said of the calls."""
        return [*(answer.text for answer in self.answers), *([self.note] if self.note else [])]


class Toolbox:
    """A set of tools and the grammar of calls.

    A call is ``<tool_call>{"name": ..., "arguments": {...}}</tool_call>``, or the short form: ``<name>content</name>``
    for the last required parameter where it is a text, with the others as attributes (``<view path="a.py"/>``) or each
    in a tag of its own (``<edit path="a.py"><old>x</old><new>y</new></edit>``). A text between tags is taken exactly,
    but for one line break right after the opening tag and one right before the closing tag. Where a tool takes nothing
    but a text, a Markdown fence around all of it is taken off. What stands before the last ``</think>`` is not read,
    nor a tag right after a backtick.

    Args:
        tools: The tools; names differ.
        max_chars: Longest answer of a tool; the middle of a longer one is left out.
    """

    def __init__(self, tools: Sequence[Tool], max_chars: int = 4000) -> None:
        if other := [tool for tool in tools if not isinstance(tool, Tool)]:
            raise SettingsError(f"tools has {other[0]!r}; it must be a Tool, such as text_tool makes")
        names = [tool.name for tool in tools]
        bad = [n for n in names if not _NAME.fullmatch(n) or n in _RESERVED]
        if bad or len(set(names)) != len(names):
            raise SettingsError(f"tool names are {names}; they must differ, be lower-case words, and none is 'answer'")
        self.tools = {tool.name: tool for tool in tools}
        self.max_chars = max_chars
        self._tag = re.compile(rf"<({'|'.join([*names, 'tool_call'])})(?=[\s/>])")

    def describe(self) -> str:
        """The tools, one a line, and how to call them."""
        lines = []
        for tool in self.tools.values():
            schema = json.dumps(tool.properties, sort_keys=True)
            lines.append(f"- {tool.name}: {tool.description} Arguments: {schema}")
        lines.append('Call: <tool_call>{"name": "...", "arguments": {...}}</tool_call>')
        return "\n".join(lines)

    def parse(self, message: str) -> list[Call]:
        """The calls of a message, in order.

        An opening tag that is not closed is prose, unless a call comes after it: then it is a call that cannot be read.
        """
        if len(message) > MAX_ACTION_CHARS or "<" not in message:
            return []
        _, closed, text = message.rpartition("</think>")
        if not closed and "<think>" in message:
            text = message[: message.find("<think>")]
        found: list[Call] = []
        taken = 0  # what stands inside a call is an argument of it, no call
        unclosed: set[str] = set()  # names whose closing tag does not come any more
        while len(found) < MAX_CALLS:
            match = self._tag.search(text, taken)
            if match is None:
                break
            start, name = match.start(), match[1]
            taken = match.end()
            if text[start - 1 : start] == "`" and not text.startswith("``", start - 2):
                continue  # spoken of, in the way of Markdown
            if name == "tool_call":
                call, end = (None, -1) if name in unclosed else self._json_call(text, start)
            else:
                call, end = self._tag_call(text, start, name, unclosed)
            if call is not None:
                found.append(call)
                taken = end
            elif end < 0 and name not in unclosed:
                unclosed.add(name)
                found.append(Call(name, {}, f"<{name}> is not closed by </{name}>"))
        while found and found[-1].problem and found[-1].name in unclosed:
            found.pop()
        return found

    def _json_call(self, text: str, start: int) -> tuple[Call | None, int]:
        opened, end = start + len("<tool_call>"), text.find("</tool_call>", start)
        if end < 0:
            return None, -1
        inner = text.rfind("<tool_call>", opened, end)  # an opening that was given up
        opened = inner + len("<tool_call>") if inner >= 0 else opened
        try:
            data = json.loads(text[opened:end])
            call = Call(str(data["name"]), data.get("arguments", {}))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            call = Call("", {}, 'the call is not {"name": ..., "arguments": {...}}')
        return call, end + len("</tool_call>")

    def _tag_call(self, text: str, start: int, name: str, unclosed: set[str]) -> tuple[Call | None, int]:
        tool, position = self.tools[name], start + 1 + len(name)
        arguments: dict[str, Any] = {}
        while match := _ATTRIBUTE.match(text, position):
            arguments[match[1]] = _typed(tool, match[1], match[2] or match[3] or "")
            position = match.end()
        while text[position : position + 1] in ("\n", " ", "\t") and position < start + 5000:
            position += 1
        if text.startswith("/>", position):
            return Call(name, arguments), position + 2
        if not text.startswith(">", position):
            return None, position
        end = -1 if name in unclosed else text.find(f"</{name}>", position)
        if end < 0:
            return None, -1
        content = text[position + 1 : end]
        nested = self._nested(tool, content)
        if nested is not None:
            arguments |= nested
        elif tool.body is not None:
            fenced = _FENCED.fullmatch(content) if len(tool.properties) == 1 else None
            arguments[tool.body] = _unpadded(content) if fenced is None or "```" in fenced[1] else fenced[1]
        elif content.strip():
            return Call(name, {}, f"{name} takes no content; give its arguments as attributes"), end + len(name) + 3
        return Call(name, arguments), end + len(name) + 3

    @staticmethod
    def _nested(tool: Tool, content: str) -> dict[str, Any] | None:
        """Parameters that stand in tags of their own; None where the content is no such list."""
        found: dict[str, Any] = {}
        rest = content.strip()
        while rest:
            name = next((n for n in tool.properties if n not in found and rest.startswith(f"<{n}>")), None)
            end = -1 if name is None else rest.find(f"</{name}>")
            if name is None or end < 0:
                return None
            found[name] = _typed(tool, name, _unpadded(rest[len(name) + 2 : end]))
            rest = rest[end + len(name) + 3 :].lstrip()
        return found or None

    def run_all(self, calls: Sequence[Call], *context: object, ends: str = "") -> Carried:
        """Carries out the calls of a message until one fails: what comes after it may build on its effect.

        Args:
            calls: As they were written.
            *context: Stands before the arguments of each.
            ends: The tool that ends the episode: its call is not carried out, nor is what comes after it.
        """
        answers: list[ToolAnswer] = []
        for place, call in enumerate(calls):
            if ends and call.name == ends and not call.problem:
                return Carried(answers, "", True)
            answers.append(self.run(call, *context))
            if answers[-1].failed:
                return Carried(answers, not_carried_out(calls[place + 1 :]), False)
        return Carried(answers, "", False)

    def run(self, call: Call, *context: object) -> ToolAnswer:
        """Carries out a call; ``context`` stands before the arguments.

        Raises:
            InfrastructureError: The tool failed, not the call, and says so.
        """
        if call.problem:
            return ToolAnswer(f"<tool_error>{call.problem}</tool_error>", True)
        tool = self.tools.get(call.name)
        try:
            if tool is None:
                raise ValueError(f"there is no tool {call.name[:50]!r}; there are {', '.join(self.tools)}")
            _check_arguments(tool, call.arguments)
            text = str(tool.call(*context, **call.arguments))
        except ValueError as error:
            return ToolAnswer(f"<tool_error>{shortened(_said(error), self.max_chars)}</tool_error>", True)
        except Exception as error:
            if context or isinstance(error, TurnwiseError):  # of an environment: a fault of its own, not of the agent
                raise
            _LOG.info("the tool %s failed", call.name[:50], exc_info=True)
            return ToolAnswer(f"<tool_error>{shortened(_said(error), self.max_chars)}</tool_error>", True)
        return ToolAnswer(f"<tool_response>{shortened(text, self.max_chars)}</tool_response>", False)


def _said(error: Exception) -> str:
    """An exception for the agent: no traceback, and nothing that differs from run to run."""
    name = type(error).__name__
    try:
        message = str(error)
    except Exception:  # an exception of someone else's
        return name
    if isinstance(error, ValueError):
        return message or name
    return _ADDRESS.sub("", f"{name}: {message}" if message else name)


def not_carried_out(calls: Sequence[Call]) -> str:
    """What is said of the calls after one that failed; "" where there are none.

    >>> not_carried_out([Call("edit", {}), Call("submit", {})])
    '<tool_error>not carried out, because the call before failed: edit, submit</tool_error>'
    """
    names = [shortened(call.name, 50) or "a call that cannot be read" for call in calls]
    more = [f"{len(names) - 8} more"] if len(names) > 8 else []
    listed = ", ".join([*names[:8], *more])
    return f"<tool_error>not carried out, because the call before failed: {listed}</tool_error>" if names else ""


def shortened(text: str, most: int) -> str:
    r"""The text, the middle left out where it is longer than ``most`` characters.

    >>> shortened("abcdefghij", 4)
    'ab\n... 6 characters left out ...\nij'
    >>> shortened("abcdefghij", 1)
    '\n... 10 characters left out ...\n'
    """
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n... {len(text) - 2 * half} characters left out ...\n{text[len(text) - half :]}"


def _unpadded(content: str) -> str:
    """Without one line break after the opening tag and one before the closing tag; all else stays."""
    content = content.removeprefix("\r\n" if content.startswith("\r\n") else "\n")
    return content.removesuffix("\r\n" if content.endswith("\r\n") else "\n")


_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,), "object": (dict,)
}  # fmt: skip


def _typed(tool: Tool, name: str, text: str) -> Any:
    """What an attribute's text stands for by the schema; the text itself where it stands for nothing."""
    kind = tool.properties.get(name, {}).get("type")
    if kind == "string" or len(text) > 40:
        return text
    if kind == "boolean":
        return {"true": True, "false": False}.get(text.lower(), text)
    try:
        return int(text) if kind == "integer" else float(text) if kind == "number" else text
    except ValueError:
        return text


def _check_arguments(tool: Tool, arguments: Any) -> None:
    """Raise ValueError where the arguments do not fit the schema's properties, types and required names."""
    if not isinstance(arguments, dict):
        raise ValueError("arguments must be an object")
    for name in tool.parameters.get("required", []):
        if name not in arguments:
            raise ValueError(f"{tool.name} needs the argument {name!r}")
    for name, value in arguments.items():
        if name not in tool.properties:
            raise ValueError(f"{tool.name} has no argument {str(name)[:50]!r}; it has {', '.join(tool.properties)}")
        kinds = _TYPES.get(tool.properties[name].get("type", ""), (object,))
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds and object not in kinds):
            raise ValueError(f"{tool.name}: {name} must be of type {tool.properties[name]['type']}")
