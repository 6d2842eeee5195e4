"""Conversations as token rows: sampled tokens stay exactly as they were sampled.

A `Stream` is one training row and only grows. A `Renderer` turns messages into the tokens between two
sampled turns; it is the only place that knows the chat template. It never lets a template or a tokenizer
see the text of an observation next to the scaffold, so an observation cannot forge special tokens.
"""

import difflib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from turnwise.core.errors import SettingsError, UsageError
from turnwise.core.settings import check_arguments
from turnwise.core.tools import Tool, call_text

__all__ = [
    "CALLER", "PROBE", "ChatMLRenderer", "HFRenderer", "Message", "Renderer", "RowPerTurnRenderer", "Stream",
    "make_renderer",
]  # fmt: skip

Message = Mapping[str, Any]
"""``{"role": "system" | "user" | "assistant", "content": str}``, or ``"ids": [int, ...]`` in place of the content."""

_Layout = tuple[Sequence[int], list[list[int]]]
"""The order in which messages are printed, and the tokens before, between and after them in that order."""

CALLER = "caller"
"""The role of a past turn of the assistant that calls tools, within renderers."""
_TURNS = ("assistant", CALLER)

PROBE = "No {}: <b>colder</b>\n\n{{x}}, 7 &amp; more"  # an observation that templates might not print as it is
_LONG = 4096  # characters; longer texts are not worth keeping in the encoding cache


@dataclass
class Stream:
    """One row of tokens that only grows: context between the turns, and actions exactly as sampled.

    Attributes:
        ids: the tokens.
        mask: 1 where the policy sampled the token, else 0.
        logps: the sampler's log-probability of each sampled token, 0 elsewhere.
        turns: the turn in which each token was sampled, -1 on context.
    """

    ids: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logps: list[float] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    num_turns: int = 0  # also the index of the next turn

    def __len__(self) -> int:
        return len(self.ids)

    def context(self, ids: Sequence[int]) -> None:
        """Append tokens that the policy did not sample: prompt, observation, scaffold."""
        self.ids.extend(ids)
        self.mask.extend([0] * len(ids))
        self.logps.extend([0.0] * len(ids))
        self.turns.extend([-1] * len(ids))

    def action(self, ids: Sequence[int], logps: Sequence[float]) -> None:
        """Append one turn exactly as it was sampled, its stop token included."""
        if not ids or len(ids) != len(logps):
            raise UsageError(f"an action needs as many logps as ids, at least one: {len(ids)}, {len(logps)}")
        self.ids.extend(ids)
        self.mask.extend([1] * len(ids))
        self.logps.extend(logps)
        self.turns.extend([self.num_turns] * len(ids))
        self.num_turns += 1


class Renderer(ABC):
    """Renders messages as the tokens around the sampled turns.

    A subclass defines the *scaffold*: the texts of the chat format around the contents of the messages.
    Scaffold is encoded with special tokens, contents are encoded apart from it and without them.

    Attributes:
        append_only: a conversation grows at its end only, so that `start` and `bridge` build one row of it.
            Otherwise every turn is a row of its own, which `fresh` opens.
        extra: what the generation prompt prints that the header of a past assistant turn lacks.
        lead: whitespace that the header of a past turn prints and the generation prompt does not, since the policy
            samples it as the beginning of its turn (the space after ``[/INST]``).
    """

    append_only = True
    extra = ""
    lead = ""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self._content: Callable[[str], tuple[int, ...]] = lru_cache(maxsize=8192)(self._encode_content)
        self._scaffold: Callable[[tuple[str, ...], tuple[bool, ...], bool], _Layout] = lru_cache(maxsize=256)(
            self._encode_scaffold
        )
        self._decode: Callable[[tuple[int, ...]], str] = lru_cache(maxsize=8192)(self._decode_ids)
        self.stop_ids: tuple[int, ...] = self._find_stops()
        self._stops = frozenset(self.stop_ids)

    @abstractmethod
    def scaffold(self, roles: tuple[str, ...], *, first: bool) -> list[str]:
        """Return the ``len(roles) + 1`` texts before, between and after the contents of messages with these roles.

        With ``first`` they open the conversation. Otherwise they follow an assistant turn, and the first text
        begins with its stop token. The last text ends with the generation prompt.
        """

    def clean(self, role: str, content: str) -> str:
        """Return the content as the chat format prints it."""
        return content

    def layout(self, roles: tuple[str, ...], *, first: bool) -> tuple[Sequence[int], list[str]]:
        """Return the order in which the format prints the messages, and the scaffold around them in that order."""
        return range(len(roles)), self.scaffold(roles, first=first)

    def for_tools(self, tools: Sequence[Tool]) -> "Renderer":
        """Return the renderer for conversations with these tools: itself, where they are described in words."""
        return self

    def said(self, ids: Sequence[int], write: Callable[[str, Any], str] = call_text) -> str:
        """Return what a turn says to an environment: its text, with calls of tools in the common grammar.

        Args:
            ids: The tokens of the turn.
            write: Writes a call as the environment reads it; see `Env.call_text`.
        """
        return self.decode(ids)

    def start(self, messages: Sequence[Message]) -> list[int]:
        """Return the tokens of an opening, up to and including the generation prompt."""
        return self.fresh(messages)

    def fresh(self, messages: Sequence[Message]) -> list[int]:
        """Render a whole conversation as the context of a new row, up to and including the generation prompt.

        Past turns of the policy come as ``"content"``, which is printed as the format prints past turns (some
        leave out the thinking), or as ``"ids"``, which are spliced exactly as they are, after the prompt that they
        were sampled after, and closed if they do not end with a stop token. Where the format is append-only and
        all past turns come as ids, the result is the row that `start` and `bridge` have built, token for token.

        Raises:
            UsageError: There are no messages, or the last is the assistant's.
            SettingsError: The format has no place for these roles in this order.
        """
        if messages and messages[-1]["role"] == "assistant":
            raise UsageError("the last message is the assistant's; it must be one to answer")
        return self._splice(messages, first=True)

    def bridge(self, messages: Sequence[Message], *, closed: bool, after: Sequence[int] = ()) -> list[int]:
        """Return the tokens from the end of an action to the next generation prompt.

        ``closed`` means that the action ended with a stop token; one that was cut by a limit is closed here. ``after``
        is the action: where the format has messages for results of tools, its calls are answered by such messages.
        """
        ids = self._splice(messages, first=False)
        return ids[1:] if closed else ids

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of an action, without its stop token and the format's ``lead``."""
        end = len(ids) - 1 if ids and ids[-1] in self._stops else len(ids)
        return self._decode(tuple(ids[:end])).removeprefix(self.lead)

    def action(self, text: str) -> list[int]:
        """Return the tokens of a turn with this text as a policy would sample it: ``lead`` first, stop token last."""
        return [*self.encode(self.lead + text), self.stop_ids[0]]

    def encode(self, text: str) -> list[int]:
        """Encode a content: special tokens in it are plain text, lone surrogates become ``?``.

        Tokens that were added to the tokenizer as ordinary words, such as ``<think>``, are not changed.
        """
        return list(self._content(text) if len(text) <= _LONG else self._encode_content(text))

    def _splice(self, messages: Sequence[Message], *, first: bool) -> list[int]:
        if not messages:
            raise UsageError("a renderer needs at least one message before the next turn")
        order, pieces = self._scaffold(
            tuple(m["role"] for m in messages), tuple(m.get("ids") is not None for m in messages), first
        )
        ids = list(pieces[0])
        for i, after in zip(order, pieces[1:], strict=True):
            message = messages[i]
            role, exact = message["role"], message.get("ids")
            if exact is None:
                lead = self.lead if role == "assistant" else ""
                ids += self.encode(lead + self.clean(role, message["content"]))
            else:
                ids += exact
            closed = role in _TURNS and exact and exact[-1] in self._stops
            ids += after[1:] if closed else after
        return ids

    def _encode_content(self, text: str) -> tuple[int, ...]:
        plain = text.encode("utf-8", "replace").decode("utf-8")
        out = self.tokenizer(plain, add_special_tokens=False, split_special_tokens=True, verbose=False)
        return tuple(out["input_ids"])

    def _encode_special(self, text: str) -> list[int]:
        out = self.tokenizer(text, add_special_tokens=False, split_special_tokens=False, verbose=False)
        return list(out["input_ids"])

    def _encode_scaffold(self, roles: tuple[str, ...], exact: tuple[bool, ...], first: bool) -> _Layout:
        order, texts = self.layout(roles, first=first)
        turns = [k for k, i in enumerate(order) if roles[i] in _TURNS]
        for k in turns:
            texts[k] = texts[k].removesuffix(self.lead) + self.extra * exact[order[k]]
        pieces = [self._encode_special(text) if text else [] for text in texts]
        for k in turns:
            if pieces[k + 1][:1] != [self.stop_ids[0]]:
                raise SettingsError(f"the chat template ends one of the turns {', '.join(roles)} with {texts[k + 1]!r}")
        return order, pieces

    def _decode_ids(self, ids: tuple[int, ...]) -> str:
        text: str = self.tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text

    def _find_stops(self) -> tuple[int, ...]:
        """Find the token that ends an assistant turn, and the tokenizer's end of text if it is another one."""
        texts = self.scaffold(("user",), first=False)
        ids = self._encode_special(texts[0])
        added = set(self.tokenizer.get_added_vocab().values()) | set(self.tokenizer.all_special_ids)
        if not ids or ids[0] not in added:
            raise SettingsError(
                f"the chat template must end an assistant turn with a special token, and continues with {texts[0]!r}"
            )
        for token in added.intersection(ids + self._encode_special(texts[1].removesuffix(self.extra))):
            if token in self._encode_content(self._decode_ids((token,))):
                raise SettingsError(
                    f"the template's {self._decode_ids((token,))!r} must be a *special* token of the tokenizer: "
                    "otherwise any observation can forge it"
                )
        eos = self.tokenizer.eos_token_id
        return (ids[0],) if eos is None or eos == ids[0] else (ids[0], int(eos))


class ChatMLRenderer(Renderer):
    r"""Renders ``<|im_start|>role\ncontent<|im_end|>\n``, for tokenizers with these two special tokens."""

    def __init__(self, tokenizer: Any) -> None:
        vocab = tokenizer.get_added_vocab()
        missing = [token for token in ("<|im_start|>", "<|im_end|>") if token not in vocab]
        if missing:
            raise SettingsError(
                f"ChatML needs the special tokens {', '.join(missing)}, which this tokenizer lacks: "
                "give it a chat_template, or add them and resize the model's embeddings"
            )
        super().__init__(tokenizer)

    def scaffold(self, roles: tuple[str, ...], *, first: bool) -> list[str]:
        opening = "" if first else "<|im_end|>\n"
        texts = [f"<|im_end|>\n<|im_start|>{role}\n" for role in (*roles, "assistant")]
        texts[0] = f"{opening}<|im_start|>{roles[0]}\n"
        return texts


class HFRenderer(Renderer):
    """Renders by the tokenizer's own chat template, which is checked at construction to be append-only.

    The template only ever sees placeholders; the contents are spliced in as tokens. Templates that print
    something into the generation prompt which they leave out of past turns (an empty thinking block) are
    accepted: the row keeps what was in front of the sampled tokens, as the policy saw it. For the same
    reason thinking stays in the row even if a template would strip it from past turns, unless ``thinking`` says
    otherwise. If a template is append-only only without a system message, system messages are refused.

    Args:
        tokenizer: a transformers tokenizer with a ``chat_template``.
        template_kwargs: settings of the template, such as ``{"enable_thinking": False}``.
        thinking: ``"keep"`` what was sampled, or ``"template"``: refuse one that strips it from past turns.
    """

    def __init__(
        self,
        tokenizer: Any,
        template_kwargs: Mapping[str, Any] | None = None,
        *,
        thinking: Literal["keep", "template"] = "keep",
    ) -> None:
        if not getattr(tokenizer, "chat_template", None):
            raise SettingsError("this tokenizer has no chat_template; ChatMLRenderer may fit")
        check_arguments(HFRenderer.__init__, thinking=thinking)
        self.template_kwargs = dict(template_kwargs or {})
        self.tokenizer = tokenizer
        self.thinking = thinking
        self._trimmed: dict[str, bool] = {}
        self._no_system = ""  # why a system message is refused
        self._probe_turn()
        super().__init__(tokenizer)
        self._check()

    def scaffold(self, roles: tuple[str, ...], *, first: bool) -> list[str]:
        before = () if first else ("user", "assistant")
        order, texts = self._split((*before, *roles))
        if list(order) != sorted(order):
            raise self._unplaced((*before, *roles))
        return texts[len(before) :]

    def clean(self, role: str, content: str) -> str:
        if role == "assistant" and self.strips_thinking and "</think>" in content:
            content = content.rpartition("</think>")[2]
            content = content.lstrip("\n") if self._strips_newlines else content
        if content == content.strip():
            return content
        if role not in self._trimmed:
            turns = [{"role": role, "content": "  TWMARK  "}]
            if role == "assistant":
                turns = [{"role": "user", "content": "."}, *turns]
            if role in ("assistant", "system"):  # some print a system message together with the user's
                turns = [*turns, {"role": "user", "content": "."}]
            self._trimmed[role] = "  TWMARK  " not in self._render(turns)
        return content.strip() if self._trimmed[role] else content

    def _splice(self, messages: Sequence[Message], *, first: bool) -> list[int]:
        if self._no_system and any(m["role"] == "system" for m in messages):
            raise SettingsError(f"a system message is refused here: {self._no_system}")
        return super()._splice(messages, first=first)

    def _split(self, roles: tuple[str, ...]) -> tuple[list[int], list[str]]:
        """Return the order in which the template prints messages with these roles, and the texts around them."""
        marks = [f"TW{i}MARK{i}WT" for i in range(len(roles))]
        text = self._render([self._marked(r, mark) for r, mark in zip(roles, marks, strict=True)])
        if any(text.count(mark) != 1 for mark in marks):
            raise self._unplaced(roles)
        order = sorted(range(len(roles)), key=lambda i: text.index(marks[i]))
        texts = []
        for i in order:
            before, _, text = text.partition(marks[i])
            texts.append(before)
        return order, [*texts, text]

    def _marked(self, role: str, mark: str) -> dict[str, Any]:
        """A message of this role that prints the mark in place of its content."""
        return {"role": role, "content": mark}

    def _unplaced(self, roles: tuple[str, ...]) -> SettingsError:
        return SettingsError(f"the chat template does not print the messages {', '.join(roles)} once each and in order")

    def _render(self, messages: Sequence[Message]) -> str:
        try:
            text = self.tokenizer.apply_chat_template(
                list(messages), tokenize=False, add_generation_prompt=True, **self.template_kwargs
            )
        except Exception as error:  # templates may raise anything through jinja
            roles = ", ".join(m["role"] for m in messages)
            raise SettingsError(f"the chat template refuses the roles {roles}: {error}") from error
        return str(text)

    def _probe_turn(self) -> None:
        """Find out what precedes a turn in the generation prompt and in the past, and what happens to its thinking."""
        user = {"role": "user", "content": "TWMARK0"}

        def past(content: str) -> str:
            turns = [user, {"role": "assistant", "content": content}, {**user, "content": "-"}]
            return self._render(turns).partition("TWMARK0")[2].partition("TWMARK1")[0]

        prompt = self._render([user]).partition("TWMARK0")[2]
        header = past("TWMARK1")
        if header.startswith(prompt):
            rest = header.removeprefix(prompt)
            self.lead = rest if rest.isspace() else ""
        elif prompt.startswith(header):
            rest = prompt.removeprefix(header)
            self.extra = rest if re.fullmatch(r"\s*<think>\s*(</think>\s*)?", rest) else ""
        thought = past("<think>\nTWTHINK\n</think>\n\nTWMARK1")
        self.strips_thinking = "TWTHINK" not in thought
        self._strips_newlines = thought == header

    def _check(self) -> None:
        """Raise an error unless rows built turn by turn equal what the template prints for the whole conversation."""
        if self.thinking == "template" and self.strips_thinking:
            raise SettingsError(
                "this tokenizer's chat template is not append-only: it takes the thinking out of past turns; "
                "keep it in the row (thinking='keep'), or use RowPerTurnRenderer (make_renderer's fallback='rows')"
            )
        for system in (False, True):
            probe = [{"role": "user", "content": "Where is it?"}]
            if system:
                probe.insert(0, {"role": "system", "content": "Be brief."})
                try:
                    self._render(probe)
                except SettingsError:  # a template without a system role: start() refuses one
                    continue
            try:
                self._check_turns(probe)
            except SettingsError as error:
                if not system:
                    raise
                self._no_system = str(error)

    def _check_turns(self, probe: list[dict[str, str]]) -> None:
        ids = self.start(probe)
        for turn in range(3):
            whole = self._render(probe)
            self._compare(self._decode_ids(tuple(ids)), whole)
            self._compare(self._decode_ids(tuple(self.fresh(probe))), whole)
            if self.extra:  # past turns are printed without it
                ids = self._encode_special(self._decode_ids(tuple(ids)).removesuffix(self.extra))
            new = [{"role": "user", "content": PROBE.format(turn)}]
            action = f"At {turn}, 7."
            probe += [{"role": "assistant", "content": action}, *new]
            ids = [*ids, *self.encode(self.lead + action), *self.bridge(new, closed=False)]

    @staticmethod
    def _compare(ours: str, template: str) -> None:
        if ours == template:
            return
        diff = difflib.ndiff(template.splitlines(keepends=True), ours.splitlines(keepends=True))
        lines = "\n".join(f"  {line[:2]}{line[2:]!r}" for line in diff if line[0] in "+-")
        raise SettingsError(
            "this tokenizer's chat template is not append-only: a conversation rendered turn by turn (+) "
            f"differs from the whole (-):\n{lines}\nuse RowPerTurnRenderer (make_renderer's fallback='rows'), "
            "fallback='chatml', or give the tokenizer another chat_template"
        )


class RowPerTurnRenderer(HFRenderer):
    """Renders by a chat template that rewrites the past: every turn is a separate row, opened by `fresh`.

    For templates that are not append-only: that strip the thinking of past turns, move the system message to the
    last question, count messages. What the policy sampled is trained in the row that it was sampled in and is
    context in later rows, where the template may print it differently. The template sees placeholders here, too,
    so neither a past turn nor an observation can forge scaffold.
    """

    append_only = False

    def __init__(self, tokenizer: Any, template_kwargs: Mapping[str, Any] | None = None) -> None:
        super().__init__(tokenizer, template_kwargs)

    def layout(self, roles: tuple[str, ...], *, first: bool) -> tuple[Sequence[int], list[str]]:
        return self._split(roles) if first else super().layout(roles, first=first)

    def bridge(self, messages: Sequence[Message], *, closed: bool, after: Sequence[int] = ()) -> list[int]:
        raise UsageError("this chat template rewrites the past: open a new row for every turn with fresh()")

    def _check_turns(self, probe: list[dict[str, str]]) -> None:
        for turn in range(3):
            ours, template = self._decode_ids(tuple(self.fresh(probe))), self._render(probe)
            if ours != template:
                raise SettingsError(f"the chat template prints {template!r}; spliced from its parts it is {ours!r}")
            probe += [{"role": r, "content": PROBE.format(turn)} for r in ("assistant", "user")]


def make_renderer(
    tokenizer: Any,
    *,
    fallback: Literal["error", "chatml", "rows"] = "error",
    template_kwargs: Mapping[str, Any] | None = None,
    thinking: Literal["keep", "template"] = "keep",
) -> Renderer:
    """Make the renderer for a tokenizer: its chat template, or ChatML if it does not have one.

    Args:
        tokenizer: a tokenizer of transformers.
        fallback: what to do about a template that is not append-only: raise, use ChatML instead, or make
            every turn a separate row.
        template_kwargs: settings of the template.
        thinking: "keep" it in the row even if the template would strip it from past turns; with "template", such a
            template is not append-only.

    Raises:
        SettingsError: The template cannot be used, and ``fallback`` is "error" or cannot help.
    """
    check_arguments(make_renderer, fallback=fallback)
    if not getattr(tokenizer, "chat_template", None):
        return ChatMLRenderer(tokenizer)
    try:
        return HFRenderer(tokenizer, template_kwargs, thinking=thinking)
    except SettingsError:
        if fallback == "error":
            raise
        return RowPerTurnRenderer(tokenizer, template_kwargs) if fallback == "rows" else ChatMLRenderer(tokenizer)
