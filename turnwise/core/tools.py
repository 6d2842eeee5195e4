"""Tools that an agent may call: how calls are written in text, and how they are carried out.

The wrapper that adds tools to any environment and the environments with built-in tools share one grammar.
"""

import contextlib
import functools
import inspect
import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from turnwise.core.errors import SettingsError, TurnwiseError
from turnwise.core.settings import fits
from turnwise.core.spaces import MAX_ACTION_CHARS

__all__ = [
    "Call",
    "Carried",
    "Tool",
    "ToolAnswer",
    "Toolbox",
    "call_text",
    "not_carried_out",
    "results_of",
    "shortened",
    "text_tool",
    "untagged",
]

MAX_CALLS = 64
"""Maximum number of calls read in one message; further ones are ignored."""
_ATTRIBUTE = re.compile(r"""\s{1,20}([a-z_][a-z0-9_]{0,40})\s{0,4}=\s{0,4}(?:"([^"<>]{0,1000})"|'([^'<>]{0,1000})')""")
_FENCED = re.compile(r"\s{0,20}```[a-z0-9]{0,20}[ \t]{0,20}\n(.*?)\n?[ \t]{0,20}```\s{0,20}", re.DOTALL)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_LOG = logging.getLogger(__name__)
_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_BETWEEN = re.compile(r"(?<=</tool_response>)\n(?=<tool_(?:response|error)>)")
_ELSEWHERE = "See the last answer."
_SKIPPED = "Not carried out, because a call before it failed."
_RESERVED = ("answer", "think", "tool_call", "tool_response", "tool_error")


@dataclass(frozen=True)
class Tool:
    """Something an agent may call.

    Attributes:
        name: Its name, also that of its short tag.
        description: What it does, for the prompt.
        parameters: JSON schema of the arguments: ``{"type": "object", "properties": {...}, "required": [...]}``.
        call: Takes the arguments by name (after the toolbox's context, if any) and returns text. Exceptions become
            errors that the agent reads: a ValueError's message, or the class and message of any other exception.
            turnwise's own errors propagate (`InfrastructureError` ends the episode unscored), and so does everything
            except ValueError from a tool that takes its environment as context.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    call: Callable[..., str]

    def __post_init__(self) -> None:
        try:
            signature = inspect.signature(self.call)
        except ValueError:  # some built-in functions have no signature
            return
        named = dict.fromkeys(self.properties, "")
        if not any(_binds(signature, *context, **named) for context in ((), ("",))):
            given = ", ".join(f"{name}=..." for name in named) or "no arguments"
            raise SettingsError(f"the tool {self.name!r} is called with {given}; its function takes {signature}")

    @functools.cached_property
    def line(self) -> str:
        """The tool in a line of the prompt."""
        return f"- {self.name}: {self.description} Arguments: {json.dumps(self.properties, sort_keys=True)}"

    @functools.cached_property
    def properties(self) -> Mapping[str, Any]:
        """The parameters by name."""
        found: Mapping[str, Any] = self.parameters.get("properties", {})
        return found

    def schema(self) -> dict[str, Any]:
        """The tool as a function schema, as chat-completions requests and chat templates take it."""
        parameters = {"type": "object", "properties": {}, **self.parameters}
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}

    @property
    def body(self) -> str | None:
        """The parameter written between the short tags: the last required one, if it is a text."""
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
    """Make a tool whose parameters are all required texts, given as name=meaning; the last one is the tag's content."""
    properties = {key: {"type": "string", "description": meaning} for key, meaning in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(parameters)}
    return Tool(name, description, schema, call)


def call_text(name: str, arguments: Any) -> str:
    r"""Write a call so that `Toolbox.parse` reads exactly it.

    Args:
        name: Name of the tool.
        arguments: A mapping, or the JSON text of one as endpoints send it. A text that is not JSON is kept as it is,
            so that the environment's own format error follows.

    >>> call_text("python", {"code": "print(1 < 2)"})
    '<tool_call>{"name": "python", "arguments": {"code": "print(1 \\u003c 2)"}}</tool_call>'
    """
    if isinstance(arguments, str):
        with contextlib.suppress(ValueError, RecursionError):
            arguments = json.loads(arguments or "{}")
    text = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    text = text.replace("<", r"\u003c")  # no tag stands inside
    return f"<tool_call>{text}</tool_call>"


class Call(NamedTuple):
    """A call as an agent wrote it.

    Attributes:
        name: The tool's.
        arguments: By name; not yet checked.
        problem: Why it cannot be read; "" if it can.
    """

    name: str
    arguments: Any
    problem: str = ""


class ToolAnswer(NamedTuple):
    """The result of a call: the text for the agent, marked as an answer or an error."""

    text: str
    failed: bool


class Carried(NamedTuple):
    """The results of the calls of one message, which are carried out in order until one fails.

    Attributes:
        answers: Answers of the calls that were carried out; only the last one may have failed.
        note: The message about the other calls; "" if there are none.
        ended: A call that ends the episode was reached; the caller must carry it out.
    """

    answers: list[ToolAnswer]
    note: str
    ended: bool

    @property
    def failed(self) -> bool:
        """Whether a call failed."""
        return bool(self.answers) and self.answers[-1].failed

    @property
    def texts(self) -> list[str]:
        """All texts about the calls."""
        return [*(answer.text for answer in self.answers), *([self.note] if self.note else [])]


class Toolbox:
    """A set of tools and the grammar of calls.

    A call is ``<tool_call>{"name": ..., "arguments": {...}}</tool_call>``, or the short form: ``<name>content</name>``
    for the last required parameter if it is a text, with the others as attributes (``<view path="a.py"/>``) or each in
    its own tag (``<edit path="a.py"><old>x</old><new>y</new></edit>``). Text between tags is taken exactly, except for
    one line break right after the opening tag and one right before the closing tag. If a tool takes only a text, a
    Markdown fence around all of it is removed. Text before the last ``</think>`` and tags right after a backtick are
    ignored.

    Args:
        tools: The tools; their names must differ.
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
        """Describe the tools, one per line, and how to call them."""
        lines = (tool.line for tool in self.tools.values())
        return "\n".join((*lines, 'Call: <tool_call>{"name": "...", "arguments": {...}}</tool_call>'))

    def parse(self, message: str) -> list[Call]:
        """Parse the calls of a message, in order.

        An unclosed opening tag is prose, unless a call follows it: then it is an unreadable call.
        """
        if len(message) > MAX_ACTION_CHARS or "<" not in message:
            return []
        _, closed, text = message.rpartition("</think>")
        if not closed and "<think>" in message:
            text = message[: message.find("<think>")]
        found: list[Call] = []
        taken = 0  # text inside a call is its argument, not another call
        unclosed: set[str] = set()  # names without a further closing tag
        while len(found) < MAX_CALLS:
            match = self._tag.search(text, taken)
            if match is None:
                break
            start, name = match.start(), match[1]
            taken = match.end()
            if text[start - 1 : start] == "`" and not text.startswith("``", start - 2):
                continue  # quoted as Markdown code
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
        inner = text.rfind("<tool_call>", opened, end)  # an abandoned opening tag
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
        """Read parameters written in their own tags; None if the content is not such a list."""
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
        """Carry out the calls of a message until one fails, since later calls may depend on its effect.

        Args:
            calls: The parsed calls.
            *context: Passed before the arguments of each call.
            ends: The tool that ends the episode: neither its call nor any later one is carried out.
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
        """Carry out a call; ``context`` is passed before the arguments.

        Raises:
            InfrastructureError: The tool's infrastructure failed, not the call.
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
            if context or isinstance(error, TurnwiseError):  # a bug of the environment, not the agent's mistake
                raise
            _LOG.info("the tool %s failed", call.name[:50], exc_info=True)
            return ToolAnswer(f"<tool_error>{shortened(_said(error), self.max_chars)}</tool_error>", True)
        return ToolAnswer(f"<tool_response>{shortened(text, self.max_chars)}</tool_response>", False)


def _said(error: Exception) -> str:
    """Describe an exception to the agent, without a traceback or anything that differs from run to run."""
    name = type(error).__name__
    try:
        message = str(error)
    except Exception:  # a third-party exception
        return name
    if isinstance(error, ValueError):
        return message or name
    return _ADDRESS.sub("", f"{name}: {message}" if message else name)


def not_carried_out(calls: Sequence[Call]) -> str:
    """Return the message about the calls after a failed one; "" if there are none.

    >>> not_carried_out([Call("edit", {}), Call("submit", {})])
    '<tool_error>not carried out, because the call before failed: edit, submit</tool_error>'
    """
    names = [shortened(call.name, 50) or "a call that cannot be read" for call in calls]
    more = [f"{len(names) - 8} more"] if len(names) > 8 else []
    listed = ", ".join([*names[:8], *more])
    return f"<tool_error>not carried out, because the call before failed: {listed}</tool_error>" if names else ""


def untagged(answer: str, most: int) -> list[str]:
    r"""Split the answer to a message into the results of its calls, without the tags that mark them as such in a text.

    For hosts with a message for each result, whose chat templates write these tags themselves.

    Args:
        answer: What the environment said.
        most: Number of calls. If there seem to be more results than that, the answer is not split.

    >>> untagged("<tool_response>6</tool_response>\n<tool_response>7</tool_response>\nOne message left.", 2)
    ['6', '7\nOne message left.']
    """
    parts = _BETWEEN.split(answer)
    found = []
    for part in parts if len(parts) <= most else [answer]:
        inner, _, more = part.removeprefix("<tool_response>").rpartition("</tool_response>")
        found.append(inner + more if part.startswith("<tool_response>") else part)
    return found


def results_of(answer: str, calls: int) -> list[str]:
    r"""Split the answer to a message into one text for each of its calls, in their order.

    Args:
        answer: What the environment said.
        calls: Number of calls, at least one. The calls after one that failed have no result; where there are fewer
            results for another reason, the last call gets the last one.

    >>> results_of("<tool_response>6</tool_response>\n<tool_error>no such file</tool_error>", 3)
    ['6', '<tool_error>no such file</tool_error>', 'Not carried out, because a call before it failed.']
    """
    *first, last = untagged(answer, calls)
    missing = calls - 1 - len(first)
    if last.startswith("<tool_error>"):
        return [*first, last, *[_SKIPPED] * missing]
    return [*first, *[_ELSEWHERE] * missing, last]


def shortened(text: str, most: int) -> str:
    r"""Shorten a text by leaving out its middle if it is longer than ``most`` characters.

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
    """Strip one line break after the opening tag and one before the closing tag, and nothing else."""
    content = content.removeprefix("\r\n" if content.startswith("\r\n") else "\n")
    return content.removesuffix("\r\n" if content.endswith("\r\n") else "\n")


_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}


def _typed(tool: Tool, name: str, text: str) -> Any:
    """Convert an attribute's text by the schema; return the text itself if it cannot be converted."""
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
    """Raise ValueError if the arguments do not fit the schema's properties, types and required names."""
    if not isinstance(arguments, dict):
        raise ValueError("arguments must be an object")
    for name in tool.parameters.get("required", []):
        if name not in arguments:
            raise ValueError(f"{tool.name} needs the argument {name!r}")
    for name, value in arguments.items():
        if name not in tool.properties:
            raise ValueError(f"{tool.name} has no argument {str(name)[:50]!r}; it has {', '.join(tool.properties)}")
        kind = _TYPES.get(tool.properties[name].get("type", ""), object)
        if type(value) is not kind and not fits(value, kind):
            raise ValueError(f"{tool.name}: {name} must be of type {tool.properties[name]['type']}")
