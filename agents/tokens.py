"""Conversations as token rows: what was sampled stays exactly as it was sampled.

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

from turnwise.errors import SettingsError, UsageError

__all__ = ["ChatMLRenderer", "HFRenderer", "Message", "Renderer", "Stream", "make_renderer"]

Message = Mapping[str, Any]
"""``{"role": "system" | "user" | "assistant", "content": str}``; any mapping with these two keys."""

_LONG = 4096  # characters; longer texts are not worth keeping in the encoding cache


@dataclass
class Stream:
    """One row of tokens that only grows: context between the sampled turns, actions as sampled.

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

    def fork(self, num_tokens: int) -> "Stream":
        """A new row that shares the first ``num_tokens`` tokens and goes on with the next turn.

        The shared tokens are context in the new row, sampled ones too: they are trained once, in the row
        that sampled them. Turns keep their count, so that rows of one rollout can be credited together.
        """
        if not 0 <= num_tokens <= len(self.ids):
            raise UsageError(f"cannot fork after {num_tokens} of {len(self.ids)} tokens")
        row = Stream(num_turns=self.num_turns)
        row.context(self.ids[:num_tokens])
        return row


class Renderer(ABC):
    """Messages to tokens around the sampled turns.

    A subclass gives the *scaffold*: the texts of the chat format around the contents of the messages.
    Scaffold is encoded with special tokens, contents are encoded apart from it and without them.
    """

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self._content: Callable[[str], tuple[int, ...]] = lru_cache(maxsize=8192)(self._encode_content)
        self._scaffold: Callable[[tuple[str, ...], bool], list[list[int]]] = lru_cache(maxsize=256)(
            self._encode_scaffold
        )
        self._decode: Callable[[tuple[int, ...]], str] = lru_cache(maxsize=8192)(self._decode_ids)
        self.stop_ids: tuple[int, ...] = self._find_stops()
        self._stops = frozenset(self.stop_ids)

    @abstractmethod
    def scaffold(self, roles: tuple[str, ...], *, first: bool) -> list[str]:
        """The ``len(roles) + 1`` texts before, between and after the contents of messages with these roles.

        ``first``: they open the conversation. Otherwise they follow an assistant turn, and the first text
        begins with its stop token. The last text ends with the generation prompt.
        """

    def clean(self, role: str, content: str) -> str:
        """The content as the chat format would print it."""
        return content

    def start(self, messages: Sequence[Message]) -> list[int]:
        """The tokens of an opening, up to and with the generation prompt."""
        return self._splice(messages, first=True)

    def bridge(self, messages: Sequence[Message], *, closed: bool) -> list[int]:
        """The tokens from the end of an action to the next generation prompt.

        ``closed`` says that the action ended with a stop token; one that ran out of tokens is closed here.
        """
        ids = self._splice(messages, first=False)
        return ids[1:] if closed else ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of an action, without its stop token."""
        end = len(ids) - 1 if ids and ids[-1] in self._stops else len(ids)
        return self._decode(tuple(ids[:end]))

    def encode(self, text: str) -> list[int]:
        """The tokens of a content: special tokens in it are plain text, lone surrogates become ``?``.

        Tokens that were added to the tokenizer as ordinary words, such as ``<think>``, stay what they are.
        """
        return list(self._content(text) if len(text) <= _LONG else self._encode_content(text))

    def _splice(self, messages: Sequence[Message], *, first: bool) -> list[int]:
        if not messages:
            raise UsageError("a renderer needs at least one message before the next turn")
        pieces = self._scaffold(tuple(m["role"] for m in messages), first)
        ids = list(pieces[0])
        for message, after in zip(messages, pieces[1:], strict=True):
            ids += self.encode(self.clean(message["role"], message["content"]))
            ids += after
        return ids

    def _encode_content(self, text: str) -> tuple[int, ...]:
        plain = text.encode("utf-8", "replace").decode("utf-8")
        out = self.tokenizer(plain, add_special_tokens=False, split_special_tokens=True, verbose=False)
        return tuple(out["input_ids"])

    def _encode_special(self, text: str) -> list[int]:
        out = self.tokenizer(text, add_special_tokens=False, split_special_tokens=False, verbose=False)
        return list(out["input_ids"])

    def _encode_scaffold(self, roles: tuple[str, ...], first: bool) -> list[list[int]]:
        return [self._encode_special(text) if text else [] for text in self.scaffold(roles, first=first)]

    def _decode_ids(self, ids: tuple[int, ...]) -> str:
        text: str = self.tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text

    def _find_stops(self) -> tuple[int, ...]:
        """The token that ends an assistant turn, and the tokenizer's end of text where it is another."""
        text = self.scaffold(("user",), first=False)[0]
        ids = self._encode_special(text)
        added = set(self.tokenizer.get_added_vocab().values()) | set(self.tokenizer.all_special_ids)
        if not ids or ids[0] not in added:
            raise SettingsError(
                f"the chat template must end an assistant turn with a special token, it goes on with {text!r}"
            )
        for token in added.intersection(ids):
            if token in self._encode_content(self._decode_ids((token,))):
                raise SettingsError(
                    f"the template's {self._decode_ids((token,))!r} must be a *special* token of the tokenizer: "
                    "otherwise any observation can forge it"
                )
        eos = self.tokenizer.eos_token_id
        return (ids[0],) if eos is None or eos == ids[0] else (ids[0], int(eos))


class ChatMLRenderer(Renderer):
    r"""``<|im_start|>role\ncontent<|im_end|>\n``, for tokenizers that have these two special tokens."""

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
    """The tokenizer's own chat template, checked at construction to be append-only.

    The template only ever sees placeholders; the contents are spliced in as tokens. Templates that print
    something into the generation prompt which they leave out of past turns (an empty thinking block) are
    accepted: the row keeps what was in front of the sampled tokens, as the policy saw it. For the same
    reason thinking stays in the row where a template would strip it from past turns.

    Args:
        tokenizer: a transformers tokenizer with a ``chat_template``.
        template_kwargs: settings of the template, such as ``{"enable_thinking": False}``.
    """

    def __init__(self, tokenizer: Any, template_kwargs: Mapping[str, Any] | None = None) -> None:
        if not getattr(tokenizer, "chat_template", None):
            raise SettingsError("this tokenizer has no chat_template; ChatMLRenderer may fit")
        self.template_kwargs = dict(template_kwargs or {})
        self.tokenizer = tokenizer
        self._trimmed: dict[str, bool] = {}
        super().__init__(tokenizer)
        self._check()

    def scaffold(self, roles: tuple[str, ...], *, first: bool) -> list[str]:
        before = () if first else ("user", "assistant")
        marks = [f"TW{i}MARK{i}WT" for i in range(len(before) + len(roles))]
        messages = [{"role": r, "content": mark} for r, mark in zip((*before, *roles), marks, strict=True)]
        rest, texts = self._render(messages), []
        for mark in marks:
            text, found, rest = rest.partition(mark)
            if not found or mark in rest:
                raise SettingsError(
                    f"the chat template does not print the messages {', '.join((*before, *roles))} "
                    "once each and in order"
                )
            texts.append(text)
        return [*texts[len(before) :], rest]

    def clean(self, role: str, content: str) -> str:
        if content == content.strip():
            return content
        if role not in self._trimmed:
            turns = [{"role": role, "content": "  TWMARK  "}]
            if role == "assistant":
                turns = [{"role": "user", "content": "."}, *turns, {"role": "user", "content": "."}]
            self._trimmed[role] = "  TWMARK  " not in self._render(turns)
        return content.strip() if self._trimmed[role] else content

    def _render(self, messages: Sequence[Message]) -> str:
        try:
            text = self.tokenizer.apply_chat_template(
                list(messages), tokenize=False, add_generation_prompt=True, **self.template_kwargs
            )
        except Exception as error:  # templates raise whatever they like through jinja
            roles = ", ".join(m["role"] for m in messages)
            raise SettingsError(f"the chat template refuses the roles {roles}: {error}") from error
        return str(text)

    def _check(self) -> None:
        """Raise unless rows built turn by turn read as the template prints the whole conversation."""
        for system in (False, True):
            probe = [{"role": "user", "content": "Where is it?"}]
            if system:
                probe.insert(0, {"role": "system", "content": "Be brief."})
                try:
                    self._render(probe)
                except SettingsError:  # a template without a system role; start() says so when asked for one
                    continue
            extra = self._generation_extra()
            ids = self.start(probe)
            for turn in range(3):
                self._compare(self._decode_ids(tuple(ids)), self._render(probe))
                if extra:  # past turns are printed without it
                    ids = self._encode_special(self._decode_ids(tuple(ids)).removesuffix(extra))
                new = [{"role": "user", "content": f"No {turn}: <b>colder</b>\n\n{{x}}"}]
                action = f"At {turn}, 7."
                probe += [{"role": "assistant", "content": action}, *new]
                ids = [*ids, *self.encode(action), *self.bridge(new, closed=False)]

    def _generation_extra(self) -> str:
        """What the generation prompt has on top of the header of a past assistant turn."""
        user = {"role": "user", "content": "TWMARK0"}
        prompt = self._render([user]).partition("TWMARK0")[2]
        past = self._render([user, {"role": "assistant", "content": "TWMARK1"}, {**user, "content": "-"}])
        header = past.partition("TWMARK0")[2].partition("TWMARK1")[0]
        extra = prompt.removeprefix(header)
        return extra if prompt.startswith(header) and re.fullmatch(r"\s*<think>\s*(</think>\s*)?", extra) else ""

    @staticmethod
    def _compare(ours: str, template: str) -> None:
        if ours == template:
            return
        diff = difflib.ndiff(template.splitlines(keepends=True), ours.splitlines(keepends=True))
        lines = "\n".join(f"  {line[:2]}{line[2:]!r}" for line in diff if line[0] in "+-")
        raise SettingsError(
            "this tokenizer's chat template is not append-only: a conversation rendered turn by turn (+) "
            f"differs from the whole (-):\n{lines}\nuse make_renderer(tokenizer, fallback='chatml') or give "
            "the tokenizer another chat_template"
        )


def make_renderer(
    tokenizer: Any,
    *,
    fallback: Literal["error", "chatml"] = "error",
    template_kwargs: Mapping[str, Any] | None = None,
) -> Renderer:
    """The renderer for a tokenizer: its chat template, or ChatML where it has none.

    ``fallback`` decides about a template that is not append-only: an error, or ChatML in its place.
    """
    if fallback not in ("error", "chatml"):
        raise SettingsError(f"fallback must be 'error' or 'chatml', not {fallback!r}")
    if not getattr(tokenizer, "chat_template", None):
        return ChatMLRenderer(tokenizer)
    try:
        return HFRenderer(tokenizer, template_kwargs)
    except SettingsError:
        if fallback == "error":
            raise
        return ChatMLRenderer(tokenizer)
