"""How models of each family write calls of tools: what their turns are read by.

A form reads the text of a sampled turn; it never changes tokens. What a chat template prints around calls and results
is asked of the template itself (`turnwise.engine.tool_renderer`).

Sources: the chat templates and model cards of Hermes 2 Pro and Qwen2.5 and 3 (a JSON object in ``<tool_call>`` tags),
Qwen3-Coder (tags for each parameter), Llama 3.1 (a JSON object alone, perhaps after ``<|python_tag|>``), and Mistral
7B v0.3 to Small 3.2 (after ``[TOOL_CALLS]``, a JSON list, or a name and ``[ARGS]`` for each call).
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from turnwise.core.tools import Tool

__all__ = ["FORMS", "Forms", "Spoken", "ToolCall", "ToolForm"]

Forms = Literal["auto", "text", "hermes", "llama", "mistral", "qwen_coder"]
"""How a local model writes calls: as the environments' prompts say ("text"), in a family's own form, or in that of the
chat template if it has one ("auto")."""
MAX_CALLS = 64
_ID = re.compile(r"[a-zA-Z0-9]{9}")
_DECODER = json.JSONDecoder()


class ToolCall(NamedTuple):
    """A call as a model wrote it.

    Attributes:
        id: Nine letters or digits, as Mistral's templates demand; the model's own if it wrote such an id.
        name: Name of the tool, which may not exist.
        arguments: By name; not checked.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]

    def entry(self) -> dict[str, Any]:
        """As an entry of ``tool_calls`` of a chat message."""
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": dict(self.arguments)}}


@dataclass(frozen=True)
class Spoken:
    """What a turn says.

    Attributes:
        content: Words. A call that cannot be read stands here in ``<tool_call>`` tags, so that the environment says
            what is wrong with it; then all calls of the turn do.
        calls: The calls.
    """

    content: str
    calls: tuple[ToolCall, ...] = ()


class _Broken(ValueError):
    """A call that cannot be read; the text is what was written."""


class ToolForm(ABC):
    """A family's way to write calls.

    Attributes:
        name: Name of the form.
        marks: Texts that begin a call; the first of them in a printed call tells the form.
        special: Texts that such models sample as special tokens.
        stops: Tokens that end a turn with a call, beside the template's own.
    """

    name: str
    marks: tuple[str, ...]
    special: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()

    def read(self, text: str, tools: Mapping[str, Tool]) -> Spoken:
        """Read the text of a turn; calls in its thinking do not count."""
        thought, closed, said = text.rpartition("</think>")
        if not closed and "<think>" in text:
            return Spoken(text)
        try:
            words, calls = self.split(said, tools)
        except _Broken as error:
            words = self.before(said)
            return Spoken(f"{thought}{closed}{words}<tool_call>{error}</tool_call>")
        if not calls:
            return Spoken(text)
        return Spoken((thought + closed + words).strip(), tuple(calls[:MAX_CALLS]))

    @abstractmethod
    def split(self, said: str, tools: Mapping[str, Tool]) -> tuple[str, list[ToolCall]]:
        """The words and the calls of a text."""

    def before(self, said: str) -> str:
        """The words before the first call."""
        places = [said.find(mark) for mark in self.marks if mark in said]
        return said[: min(places)] if places else ""


class Hermes(ToolForm):
    """``<tool_call>{"name": ..., "arguments": {...}}</tool_call>``, one after the other."""

    name = "hermes"
    marks: tuple[str, ...] = ("<tool_call>",)

    def split(self, said: str, tools: Mapping[str, Tool]) -> tuple[str, list[ToolCall]]:
        words, *rest = said.split("<tool_call>")
        calls: list[ToolCall] = []
        for piece in rest[: MAX_CALLS + 1]:
            inner, _, after = piece.partition("</tool_call>")  # the end of the turn closes the last one, too
            calls.append(self.call(inner, len(calls), tools))
            words += after
        return words, calls

    def call(self, inner: str, place: int, tools: Mapping[str, Tool]) -> ToolCall:
        """Read what stands between the tags."""
        return _call(_json(inner), inner, place)


class QwenCoder(Hermes):
    """``<tool_call><function=NAME><parameter=NAME>VALUE</parameter>...</function></tool_call>``."""

    name = "qwen_coder"
    marks = ("<function=", "<tool_call>")
    _PARAMETER = re.compile(r"<parameter=([^>\n]{1,100})>\n?(.*?)\n?</parameter>", re.DOTALL)

    def call(self, inner: str, place: int, tools: Mapping[str, Tool]) -> ToolCall:
        head, opened, body = inner.partition("<function=")
        name, named, body = body.partition(">")
        if head.strip() or not opened or not named:
            raise _Broken(inner)
        body = body.removesuffix("\n").strip().removesuffix("</function>")
        arguments = {key.strip(): self._value(name, key.strip(), value, tools)
                     for key, value in self._PARAMETER.findall(body)}  # fmt: skip
        if self._PARAMETER.sub("", body).strip():
            raise _Broken(inner)
        return ToolCall(f"call{place:05d}", name.strip(), arguments)

    @staticmethod
    def _value(name: str, key: str, text: str, tools: Mapping[str, Tool]) -> Any:
        """A value: a text as it stands, anything else as JSON."""
        known = tools[name].properties.get(key, {}) if name in tools else {}
        if known.get("type") == "string":
            return text
        try:
            return json.loads(text)
        except ValueError:
            return {"True": True, "False": False, "None": None}.get(text.strip(), text)


class Llama(ToolForm):
    """``{"name": ..., "parameters": {...}}`` and nothing else, perhaps several separated by ``;``."""

    name = "llama"
    marks = ('"parameters"', "<|python_tag|>")
    special = ("<|python_tag|>",)
    stops = ("<|eom_id|>",)

    def split(self, said: str, tools: Mapping[str, Tool]) -> tuple[str, list[ToolCall]]:
        words, tagged, rest = said.partition("<|python_tag|>")
        text = (rest if tagged else said).strip()
        if not tagged:
            words = ""
            if not (text.startswith("{") and '"name"' in text and re.search('"(?:parameters|arguments)"', text)):
                return said, []
        calls: list[ToolCall] = []
        at = 0
        while at < len(text) and len(calls) <= MAX_CALLS:
            try:
                value, at = _DECODER.raw_decode(text, at)
            except (ValueError, RecursionError):
                raise _Broken(text) from None
            calls.append(_call(value, text, len(calls), "parameters", "arguments"))
            at += len(text[at:]) - len(text[at:].lstrip("; \t\n,"))
        if not calls:
            raise _Broken(text)
        return words, calls

    def before(self, said: str) -> str:
        return said.partition("<|python_tag|>")[0] if "<|python_tag|>" in said else ""


class Mistral(ToolForm):
    """``[TOOL_CALLS] [{"name": ..., "arguments": {...}}]``, or ``[TOOL_CALLS]NAME[ARGS]{...}`` for each call."""

    name = "mistral"
    marks = ("[TOOL_CALLS]",)
    special = ("[TOOL_CALLS]", "[ARGS]", "[CALL_ID]")
    _NAMED = re.compile(r"\s*([^\[{\s]{1,100})\s*(?:\[CALL_ID\]\s*(\w{1,40})\s*)?(?:\[ARGS\])?\s*(?=\{)")

    def split(self, said: str, tools: Mapping[str, Tool]) -> tuple[str, list[ToolCall]]:
        words, *rest = said.split("[TOOL_CALLS]")
        calls: list[ToolCall] = []
        for piece in rest[: MAX_CALLS + 1]:
            named = self._NAMED.match(piece)
            if named is not None:
                made = {"name": named[1], "id": named[2] or "", "arguments": _json(piece[named.end() :], whole=piece)}
                calls.append(_call(made, piece, len(calls)))
                continue
            found = _json(piece)
            for value in found if isinstance(found, list) else [found]:
                calls.append(_call(value, piece, len(calls)))
        return words, calls


FORMS: dict[str, ToolForm] = {form.name: form for form in (QwenCoder(), Hermes(), Mistral(), Llama())}
"""The forms, in the order in which they are told from what a template prints."""


def _json(text: str, whole: str = "") -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise _Broken(whole or text) from None


def _call(value: Any, text: str, place: int, *names: str) -> ToolCall:
    """A call from a JSON object; ``names`` are those that its arguments may have.

    Raises:
        _Broken: It is none.
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
        raise _Broken(text)
    key = next((name for name in names if name in value), "arguments")
    arguments = value.get(key, {})
    if isinstance(arguments, str):  # some write JSON in JSON
        arguments = _json(arguments or "{}", whole=text)
    if not isinstance(arguments, Mapping):
        raise _Broken(text)
    own = value.get("id")
    found = own if isinstance(own, str) and _ID.fullmatch(own) else f"call{place:05d}"
    return ToolCall(found, value["name"], arguments)
