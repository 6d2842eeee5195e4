"""Conversations with tools in the form of a model's own chat template, as token rows.

The template prints the tools (``tools=``), the calls of past turns and the results; it sees placeholders for all that
an agent or an environment says, as in `turnwise.engine.tokens`. Turns stay exactly as they were sampled. What is known
of a family beyond its template is how its turns are read: `turnwise.engine.toolforms`.
"""

import copy
import functools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from turnwise.core.errors import SettingsError
from turnwise.core.tools import Tool, Toolbox, call_text, results_of, text_tool
from turnwise.engine.tokens import CALLER, PROBE, HFRenderer, Message, Renderer, RowPerTurnRenderer
from turnwise.engine.toolforms import FORMS, Forms, Spoken, ToolCall, ToolForm

__all__ = ["ToolRenderer", "with_tools"]

_SAMPLE = text_tool("tw_look_up", "Look a word up.", lambda word: word, word="The word.")
_CALL = ToolCall("TWcallID0", _SAMPLE.name, {"word": "TWARGUMENT"})
_RESULT = '  No {}: <b>"colder"</b>\n\n{{x}}, 7 &amp; more\u00e9\\  '
_KEPT = 64  # sets of tools with a renderer of their own


class ToolRenderer(HFRenderer):
    """Renders by a chat template that knows tools; checked at construction to be append-only with them, too.

    As it is made, it renders conversations without tools; `for_tools` gives the renderer of those with some. In them, a
    turn with calls is answered by messages of the role "tool" wherever `Context` has a message of the user.

    Args:
        tokenizer: A transformers tokenizer with a ``chat_template``.
        form: How the family writes calls.
        template_kwargs: Settings of the template.
        options: Further options of `HFRenderer`.
    """

    def __init__(
        self, tokenizer: Any, form: ToolForm, template_kwargs: Mapping[str, Any] | None = None, **options: Any
    ) -> None:
        self.form = form
        self.tools: dict[str, Tool] = {}
        self._plain_kwargs = dict(template_kwargs or {})
        self._bound: dict[str, ToolRenderer] = {}
        self._result: Callable[[str], str] = str
        self._call_prefix = self._prints = ""
        tokens = tokenizer.added_tokens_decoder.values()
        self._special = tuple(token.content for token in tokens if token.special)
        marks = [mark for mark in form.special if mark in self._special]
        self._marks = re.compile(f"({'|'.join(map(re.escape, marks))})") if marks else None
        super().__init__(tokenizer, {**self._plain_kwargs, "tools": [_SAMPLE.schema()]}, **options)
        known = tokenizer.get_added_vocab()
        self.stop_ids += tuple(known[token] for token in form.stops if token in self._special)
        self._stops = frozenset(self.stop_ids)
        self._bind(())

    def for_tools(self, tools: Sequence[Tool]) -> Renderer:
        if not tools:
            return self
        schemas = json.dumps([tool.schema() for tool in tools], ensure_ascii=False)
        found = self._bound.get(schemas)
        if found is None:
            if forged := [token for token in self._special if token in schemas]:
                raise SettingsError(
                    f"the description of a tool has the text {forged[0]!r}, which is a special token of the chat "
                    "template; change it, or set tools='text'"
                )
            while len(self._bound) >= _KEPT:
                self._bound.pop(next(iter(self._bound)))
            found = copy.copy(self)
            found._bind(tools)
            self._bound[schemas] = found
        return found

    def spoken(self, ids: Sequence[int]) -> Spoken:
        """What the tokens of a turn say: words, and calls of tools."""
        text = self.decode(ids)
        return self.form.read(text, self.tools) if self.tools else Spoken(text)

    def said(self, ids: Sequence[int], write: Callable[[str, Any], str] = call_text) -> str:
        spoken = self.spoken(ids)
        parts = [spoken.content, *(write(call.name, dict(call.arguments)) for call in spoken.calls)]
        return "\n".join(part for part in parts if part)

    def action(self, text: str) -> list[int]:
        """Return the tokens of a turn with this text, whose calls in the common grammar are written in this form."""
        calls = Toolbox(list(self.tools.values())).parse(text) if self.tools else []
        if not calls or any(call.problem or not isinstance(call.arguments, dict) for call in calls):
            return super().action(text)
        said = text.rpartition("</think>")[2]
        first = min(place for name in ("tool_call", *self.tools) if (place := said.find(f"<{name}")) >= 0)
        words = text[: len(text) - len(said) + first].strip()
        return self.written(words, [ToolCall(f"call{i:05d}", c.name, c.arguments) for i, c in enumerate(calls)])

    def written(self, words: str, calls: Sequence[ToolCall]) -> list[int]:
        """Return the tokens of a turn with these calls, as the template prints it when it is past; stop token last."""
        said = {"role": "assistant", "content": words, "tool_calls": [call.entry() for call in calls]}
        text = self._past(said)
        pieces = [text] if self._marks is None else self._marks.split(text)
        ids = [i for k, piece in enumerate(pieces) for i in (self._encode_special if k % 2 else self.encode)(piece)]
        return [*ids, self.stop_ids[0]]

    def scaffold(self, roles: tuple[str, ...], *, first: bool) -> list[str]:
        if first or not roles[0].startswith("tool"):
            return super().scaffold(roles, first=first)
        order, texts = self._split(("user", CALLER, *roles))
        if list(order) != sorted(order):
            raise self._unplaced(("user", CALLER, *roles))
        return texts[2:]

    def clean(self, role: str, content: str) -> str:
        return self._result(content) if role.startswith("tool") else super().clean(role, content)

    def bridge(self, messages: Sequence[Message], *, closed: bool, after: Sequence[int] = ()) -> list[int]:
        calls = self.spoken(after).calls if after else ()
        if calls and messages[0]["role"] == "user":
            messages = [*self._results(calls, messages[0]), *messages[1:]]
        return super().bridge(messages, closed=closed)

    # ---- messages -----------------------------------------------------------------------------------------------

    def _bind(self, tools: Sequence[Tool]) -> None:
        """Let this renderer be that of conversations with these tools; the other's caches of contents stay shared."""
        self.tools = {tool.name: tool for tool in tools}
        more = {"tools": [tool.schema() for tool in tools]} if tools else {}
        self.template_kwargs = {**self._plain_kwargs, **more}
        self._scaffold = functools.lru_cache(maxsize=256)(self._encode_scaffold)
        self._trimmed = {}

    def _splice(self, messages: Sequence[Message], *, first: bool) -> list[int]:
        return super()._splice(self._told(messages) if self.tools else messages, first=first)

    def _told(self, messages: Sequence[Message]) -> list[Message]:
        """The messages, with past turns that call tools as such, and the answers to them as results."""
        found: list[Message] = []
        calls: Sequence[ToolCall] = ()
        for message in messages:
            if message["role"] == "user" and calls:
                found += self._results(calls, message)
                calls = ()
                continue
            calls = ()
            if message["role"] == "assistant":
                exact = message.get("ids")
                ids = self.encode(message["content"]) if exact is None else exact
                spoken = self.spoken(ids)
                if calls := spoken.calls:
                    ids = self.written(spoken.content, calls) if exact is None else exact
                    message = {"role": CALLER, "ids": ids}
            found.append(message)
        return found

    def _results(self, calls: Sequence[ToolCall], message: Message) -> list[Message]:
        """What answers the calls of a turn, in place of a message of the user."""
        texts = results_of(message["content"], len(calls))
        return [self._answer(call, text) for call, text in zip(calls, texts, strict=True)]

    def _answer(self, call: ToolCall, text: str) -> Message:
        """The result of a call. What the template prints of the call with it is scaffold, and part of its role here."""
        name = call.name if call.name in self.tools else "unknown"
        more = (call.id if "id" in self._prints else "-", name if "name" in self._prints else "-")
        return {"role": " ".join(("tool", *more)), "content": text}

    def _marked(self, role: str, mark: str) -> dict[str, Any]:
        kind, *more = role.split(" ")
        if kind == CALLER:
            return {"role": "assistant", "content": "", "tool_calls": [ToolCall(_CALL.id, mark, {}).entry()]}
        if kind == "tool":
            call_id, name = (given if given != "-" else known for given, known in zip(more, _CALL, strict=False))
            return {"role": "tool", "name": name, "tool_call_id": call_id, "content": mark}
        return super()._marked(role, mark)

    def _split(self, roles: tuple[str, ...]) -> tuple[list[int], list[str]]:
        order, texts = super()._split(roles)
        stop = self._stop_text if CALLER in roles else ""
        for k, i in enumerate(order):
            if roles[i] == CALLER:  # all between the prompt and the stop token is the turn's own
                if not texts[k].endswith(self._call_prefix) or stop not in texts[k + 1]:
                    raise self._unplaced(roles)
                texts[k] = texts[k].removesuffix(self._call_prefix)
                texts[k + 1] = texts[k + 1][texts[k + 1].index(stop) :]
        return order, texts

    @property
    def _stop_text(self) -> str:
        return self._decode_ids((self.stop_ids[0],))

    # ---- what the template does ---------------------------------------------------------------------------------

    def _past(self, said: Mapping[str, Any]) -> str:
        """What the template prints of a turn with calls, from the generation prompt to the stop token."""
        user, result = {"role": "user", "content": "TW0MARK"}, self._marked("tool - -", "TW1MARK")
        prompt = self._render([user]).removesuffix(self.extra)
        whole = self._render([user, said, result])
        if not whole.startswith(prompt) or self._stop_text not in whole.partition("TW1MARK")[0]:
            raise SettingsError(
                "this tokenizer's chat template is not append-only with tools: before a turn that calls one it prints "
                f"{prompt[-200:]!r}, and {whole[: len(prompt)][-200:]!r} when that turn is past; set tools='text'"
            )
        text = whole[len(prompt) :].partition("TW1MARK")[0]
        return text[: text.rindex(self._stop_text)]

    def _check(self) -> None:
        try:
            self._call_prefix = self._past(self._marked(CALLER, "TWMARK")).partition("TWMARK")[0]
            self._result = self._how_results_are_printed()
            super()._check()
            self._check_calls()
        except SettingsError as error:
            text = str(error)
            raise SettingsError(
                text if "tools='text'" in text else f"with tools, {text}, or set tools='text'"
            ) from error

    def _how_results_are_printed(self) -> Callable[[str], str]:
        """Find out what the template does to the text of a result, and what it prints of its call."""
        head: list[dict[str, Any]] = [{"role": "user", "content": "."}, self._marked(CALLER, _CALL.name)]
        bare = self._render([*head, self._marked("tool - -", "TWMARK")])
        other = self._render([*head, self._marked("tool TWother00 tw_other", "TWMARK")])
        self._prints = " ".join(word for word, text in (("id", "TWother00"), ("name", "tw_other")) if text in other)
        printed = self._render([*head, self._marked("tool - -", _RESULT)])
        before, _, after = bare.partition("TWMARK")
        for change in (str, str.strip, _as_json, _as_ascii, lambda text: _as_json(text.strip())):
            if printed == before + change(_RESULT) + after:
                return change
        raise SettingsError(f"the chat template prints the result {_RESULT!r} of a tool as {printed[len(before) :]!r}")

    def _check_calls(self) -> None:
        """Raise an error unless a conversation with calls is, turn by turn, what the template prints of all of it."""
        bound = copy.copy(self)
        bound._bind([_SAMPLE])
        two = self._takes_two()
        second = ToolCall("TWcallID1", _SAMPLE.name, {"word": "b\u00e4r < 2"})
        turns: list[tuple[str, list[ToolCall]]] = [("", [_CALL]), ("I look.", [_CALL, second] if two else [second])]
        turns += [("At 7.", []), ("", [_CALL])]
        probe: list[dict[str, Any]] = [{"role": "user", "content": "Where is it?"}]
        ids = bound.start(probe)
        for turn, (words, calls) in enumerate(turns):
            self._compare(self._decode_ids(tuple(ids)), self._render(probe))
            if self.extra:  # past turns are printed without it
                ids = self._encode_special(self._decode_ids(tuple(ids)).removesuffix(self.extra))
            entries = {"tool_calls": [call.entry() for call in calls]} if calls else {}
            probe.append({"role": "assistant", "content": words, **entries})
            action = bound.written(words, calls) if calls else HFRenderer.action(bound, words)
            results = [PROBE.format(f'{turn} {i} "q"') for i in range(max(1, len(calls)))]
            answers = [
                {"role": "tool", "name": call.name, "tool_call_id": call.id, "content": text}
                for call, text in zip(calls, results, strict=False)
            ]
            probe += answers or [{"role": "user", "content": results[0]}]
            said = "\n".join(f"<tool_response>{text}</tool_response>" for text in results) if calls else results[0]
            ids = [*ids, *action, *bound.bridge([{"role": "user", "content": said}], closed=True, after=action)]
            if (read := [call[1:] for call in bound.spoken(action).calls]) != [call[1:] for call in calls]:
                raise SettingsError(f"the chat template prints the calls {calls} as what is read as {read}")
        self._compare(self._decode_ids(tuple(ids)), self._render(probe))

    def _takes_two(self) -> bool:
        """Whether the template prints two calls of one turn; Llama's refuses them."""
        user, calls = {"role": "user", "content": "."}, [_CALL.entry(), _CALL._replace(id="TWcallID1").entry()]
        result = self._marked("tool - -", ".")
        try:
            self._render([user, {"role": "assistant", "content": "", "tool_calls": calls}, result])
        except SettingsError:
            return False
        return True


def with_tools(renderer: Renderer, tools: Forms = "auto") -> Renderer:
    """Return the renderer that writes tools as ``tools`` says.

    Args:
        renderer: Of conversations without tools.
        tools: "text" (the renderer as it is), "auto" (the form of its chat template, if it has one), or a form that the
            template must have.

    Raises:
        SettingsError: The template has another form, none, or is not append-only with it.
    """
    if tools not in get_args(Forms):
        raise SettingsError(f"tools is {tools!r}; it must be one of {', '.join(get_args(Forms))}")
    if tools == "text":
        return renderer
    if not isinstance(renderer, HFRenderer):
        if tools == "auto":
            return renderer
        raise SettingsError(f"tools is {tools!r}, but this tokenizer has no chat_template; set tools='text'")
    found = _form_of(renderer)
    if tools == "auto" and found is None:
        return renderer
    if found is None or tools not in ("auto", found.name):
        shown = "no calls of tools" if found is None else f"calls of tools as {found.name!r}"
        raise SettingsError(f"tools is {tools!r}, but the chat template prints {shown}; set tools='auto' or 'text'")
    if isinstance(renderer, RowPerTurnRenderer):
        raise SettingsError(
            f"tools is {tools!r}, but this chat template rewrites the past, and past calls with it; set tools='text'"
        )
    return ToolRenderer(renderer.tokenizer, found, renderer.template_kwargs, thinking=renderer.thinking)


def _form_of(renderer: HFRenderer) -> ToolForm | None:
    """The form in which a chat template prints calls; None if it prints no tools, or none that is known."""
    messages = [
        {"role": "user", "content": "."},
        {"role": "assistant", "content": "", "tool_calls": [_CALL.entry()]},
        {"role": "tool", "name": _CALL.name, "tool_call_id": _CALL.id, "content": "TWRESULT"},
    ]
    settings = {**renderer.template_kwargs, "tools": [_SAMPLE.schema()]}
    render = functools.partial(renderer.tokenizer.apply_chat_template, tokenize=False, **settings)
    try:
        prompt, whole = render(messages[:1], add_generation_prompt=True), render(messages)
    except Exception:  # templates may raise anything through jinja
        return None
    if _SAMPLE.description not in prompt or "TWRESULT" not in whole or "TWARGUMENT" not in whole:
        return None
    call = whole[: whole.index("TWARGUMENT")][-200:].rpartition(_CALL.name)
    around = call[0][-60:] + call[1] + call[2]
    return next((form for form in FORMS.values() if form.marks[0] in around), None)


def _as_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _as_ascii(text: str) -> str:
    return json.dumps(text)[1:-1]
