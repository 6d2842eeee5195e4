"""An agent that samples from a local causal language model, many episodes at once.

Each episode is one token row: the opening is rendered once, actions stay exactly as they were sampled, and only the
new messages of a turn are encoded. What an episode samples depends on its keys and its own row alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

import torch

from turnwise.core.agent import Action, Agent, Play
from turnwise.core.errors import FatalError, SettingsError
from turnwise.engine.kv import KVEngine
from turnwise.engine.sampling import Engine, ReprefillEngine
from turnwise.engine.tokens import Renderer, Stream, make_renderer

__all__ = ["LocalAgent", "Row"]

EngineName = Literal["kv", "reprefill"]
_DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass
class Row:
    """What the agent keeps of an episode, as ``play.state``.

    Attributes:
        handle: The engine's row.
        stream: Every token of the episode so far, with the sampler's log-probabilities.
        seen: Messages that are in the stream.
        closed: The last action ended with its stop token.
        full: The conversation has outgrown ``max_len``: no more turns are sampled.
    """

    handle: int
    stream: Stream = field(default_factory=Stream)
    seen: int = 0
    closed: bool = True
    full: bool = False


class LocalAgent(Agent):
    """Plays with an engine and a renderer; `from_pretrained` loads them from a folder or the hub.

    A conversation that has no room for one more token is the model's failure: its actions are empty from then on, with
    ``finish="length"``, and the environment's turn limit ends the episode.

    Args:
        engine: Samples the turns; it must hold ``concurrency`` rows.
        renderer: Text to tokens and back.
        name: Name in records.
        concurrency: Episodes, hence rows, at once.
        max_new_tokens: Longest turn.
        temperature: Of sampling; 0 takes the likeliest token.
        seed: Of sampling, beside each episode's own key.
    """

    batched = True

    def __init__(
        self,
        engine: Engine,
        renderer: Renderer,
        *,
        name: str = "local",
        concurrency: int = 32,
        max_new_tokens: int = 512,
        temperature: float = 1.0,
        seed: int = 0,
    ) -> None:
        for setting, value in (("concurrency", concurrency), ("max_new_tokens", max_new_tokens)):
            if value < 1:
                raise SettingsError(f"{setting} is {value}; it must be at least 1")
        if not temperature >= 0:
            raise SettingsError(f"temperature is {temperature}; it must be at least 0")
        self.engine, self.renderer = engine, renderer
        self.name, self.concurrency, self.seed = name, concurrency, seed
        self.max_new_tokens, self.temperature = max_new_tokens, temperature

    @classmethod
    def from_model(
        cls,
        model: Any,
        tokenizer: Any,
        *,
        engine: EngineName = "kv",
        concurrency: int = 32,
        max_len: int | None = None,
        **options: Any,
    ) -> Self:
        """An agent for a loaded transformers model; ``max_len`` (of a row) is the model's own unless given."""
        top = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        longest = max_len or top or 4096
        if top is not None and longest > top:
            raise SettingsError(f"max_len is {max_len}; this model has positions for {top} tokens")
        if engine not in ("kv", "reprefill"):
            raise SettingsError(f"engine is {engine!r}; it must be 'kv' or 'reprefill'")
        sampler: Engine = KVEngine(model, concurrency, longest) if engine == "kv" else ReprefillEngine(model, longest)
        return cls(sampler, make_renderer(tokenizer), concurrency=concurrency, **options)

    @classmethod
    def from_pretrained(
        cls,
        path: str | Path,
        *,
        dtype: Literal["auto", "fp32", "bf16", "fp16"] = "auto",
        device: str = "auto",
        **options: Any,
    ) -> Self:
        """An agent for a model folder or hub name.

        Args:
            path: Of the model.
            dtype: "auto" is bf16 on a GPU, else fp32.
            device: "auto" is a GPU where there is one.
            options: Those of `from_model` and of the class.
        """
        from transformers import AutoModelForCausalLM, AutoTokenizer

        if dtype != "auto" and dtype not in _DTYPES:
            raise SettingsError(f"dtype is {dtype!r}; it must be 'auto', {', '.join(map(repr, _DTYPES))}")
        where = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
        kind = _DTYPES["bf16" if where.startswith("cuda") else "fp32"] if dtype == "auto" else _DTYPES[dtype]
        try:
            tokenizer = AutoTokenizer.from_pretrained(path)
            model = AutoModelForCausalLM.from_pretrained(path, dtype=kind)
        except (OSError, ValueError) as error:
            why = (
                ""
                if Path(path).is_dir()
                else " (there is no folder of this name here, so it was looked for on the hub)"
            )
            reason = " ".join(str(error).split())
            raise SettingsError(f"the model {str(path)!r} cannot be loaded{why}: {reason}") from error
        options.setdefault("name", Path(path).name if Path(path).is_dir() else str(path))
        return cls.from_model(model.to(where).eval(), tokenizer, **options)

    def act(self, plays: Sequence[Play]) -> list[Action]:
        for play in plays:
            self._read(play)
        rows: list[Row] = [play.state for play in plays if not play.state.full]
        keys = [(self.seed, *play.rng_key) for play in plays if not play.state.full]
        prompts = [len(row.stream) for row in rows]
        greedy = self.temperature == 0
        try:
            turns = self.engine.sample(
                [row.handle for row in rows],
                max_new=[min(self.max_new_tokens, self.engine.max_len - length) for length in prompts],
                stop_ids=self.renderer.stop_ids,
                temperature=1.0 if greedy else self.temperature,
                keys=keys,
                greedy=greedy,
            )
        except torch.cuda.OutOfMemoryError as error:
            raise FatalError(
                f"the GPU's memory is too small for {len(rows)} rows of up to {max(prompts)} tokens: "
                "lower concurrency or max_len"
            ) from error
        sampled = iter(zip(rows, turns, prompts, strict=True))
        actions = []
        for play in plays:
            if play.state.full:
                actions.append(Action("", finish="length"))
                continue
            row, turn, prompt = next(sampled)
            row.stream.action(turn.ids, turn.logps)
            row.closed = turn.stopped
            text = self.renderer.decode(turn.ids)
            actions.append(Action(text, "stop" if turn.stopped else "length", prompt, len(turn.ids)))
        return actions

    def end(self, play: Play) -> None:
        if isinstance(play.state, Row):
            self.engine.close([play.state.handle])
            play.state = None

    def _read(self, play: Play) -> None:
        """Append what is new in the conversation to the episode's row."""
        row = play.state
        if row is None:
            row = play.state = Row(self.engine.open(1)[0])
            ids = self.renderer.start(play.messages)
        elif row.full:
            return
        else:  # the first of the new messages is the action, which is in the row as it was sampled
            ids = self.renderer.bridge(play.messages[row.seen + 1 :], closed=row.closed)
        row.seen = len(play.messages)
        if len(row.stream) + len(ids) >= self.engine.max_len:
            row.full = True
            return
        row.stream.context(ids)
        self.engine.extend([row.handle], [ids])
