"""An agent that samples from a local causal language model, many episodes at once.

Each episode is a `Conversation`: actions stay exactly as they were sampled, and only the new messages of a turn are
encoded. What an episode samples depends on its keys and its own row alone.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import torch

from turnwise.agents.forms import renderer_for, said_to
from turnwise.core.agent import Action, Play, StreamingAgent
from turnwise.core.errors import FatalError, SettingsError
from turnwise.core.settings import Range, check_arguments
from turnwise.engine.context import Context, context_maker
from turnwise.engine.conversation import Conversation, no_room
from turnwise.engine.kv import KVEngine
from turnwise.engine.sampling import Engine, ReprefillEngine
from turnwise.engine.tokens import Renderer, make_renderer
from turnwise.engine.tool_renderer import with_tools
from turnwise.engine.toolforms import Forms

__all__ = ["LocalAgent"]

EngineName = Literal["kv", "reprefill"]
_DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


class LocalAgent(StreamingAgent):
    """Plays with an engine and a renderer; `from_pretrained` loads them from a folder or the hub.

    A conversation that has no room for one more token is the model's failure: its actions are empty from then on, with
    ``finish="length"``, and the environment's turn limit ends the episode. The trainer gives such episodes up instead.

    Args:
        engine: Samples the turns; it must hold ``concurrency`` rows.
        renderer: Converts text to tokens and back.
        name: Name of the agent in records.
        concurrency: Most episodes, and therefore rows, at a time.
        max_new_tokens: Longest turn.
        temperature: Sampling temperature; 0 takes the likeliest token.
        seed: Sampling seed, combined with each episode's own key.
        context: The context policy, what the model reads before each turn: "append", "window:TURNS",
            "drop_observations:KEPT", or what makes one for an episode.
        give_up: Give an episode up when its conversation has no room for one more token.
        tools: How the model writes calls of tools: "text" as the prompts say, or by its chat template: "auto" if that
            knows tools, or the name of the form that it must have ("hermes", "llama", "mistral", "qwen_coder").
        tokens: Keep token ids and log-probabilities in the records of episodes (docs/rollouts.md).
    """

    def __init__(
        self,
        engine: Engine,
        renderer: Renderer,
        *,
        name: str = "local",
        concurrency: Annotated[int, Range(1)] = 32,
        max_new_tokens: Annotated[int, Range(1)] = 512,
        temperature: Annotated[float, Range(0)] = 1.0,
        seed: int = 0,
        context: str | Callable[[Renderer], Context] = "append",
        give_up: bool = False,
        tools: Forms = "text",
        tokens: bool = False,
    ) -> None:
        given = {"concurrency": concurrency, "max_new_tokens": max_new_tokens, "temperature": temperature}
        check_arguments(LocalAgent.__init__, **given)
        self.engine, self.renderer = engine, with_tools(renderer, tools)
        self.name, self.concurrency, self.seed = name, concurrency, seed
        self.max_new_tokens, self.temperature = max_new_tokens, temperature
        self.context = context_maker(context) if isinstance(context, str) else context
        self.give_up, self.tokens = give_up, tokens
        self._sampling: dict[int, Play] = {}  # by row
        self._mute: list[Play] = []  # their rows are full

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
        """Make an agent from a loaded transformers model; ``max_len`` of a row defaults to the model's own."""
        top = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        longest = max_len or top or 4096
        if top is not None and longest > top:
            raise SettingsError(f"max_len is {max_len}; this model has positions for {top} tokens")
        check_arguments(LocalAgent.from_model, engine=engine)
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
        """Load an agent from a model folder or hub name.

        Args:
            path: Folder or hub name of the model.
            dtype: "auto" is bf16 on a GPU, otherwise fp32.
            device: "auto" is a GPU if there is one.
            options: Options of `from_model` and of the class.
        """
        from transformers import AutoModelForCausalLM, AutoTokenizer

        check_arguments(LocalAgent.from_pretrained, dtype=dtype)
        _early(options)
        where = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
        kind = _DTYPES["bf16" if where.startswith("cuda") else "fp32"] if dtype == "auto" else _DTYPES[dtype]
        try:
            tokenizer = AutoTokenizer.from_pretrained(path)
            model = AutoModelForCausalLM.from_pretrained(path, dtype=kind)
        except (OSError, ValueError) as error:
            hub = " (it is not a folder here, so it was looked up on the hub)"
            why = "" if Path(path).is_dir() else hub
            reason = " ".join(str(error).split())
            raise SettingsError(f"the model {str(path)!r} cannot be loaded{why}: {reason}") from error
        options.setdefault("name", Path(path).name if Path(path).is_dir() else str(path))
        return cls.from_model(model.to(where).eval(), tokenizer, **options)

    @classmethod
    def from_vllm(
        cls,
        path: str | Path,
        *,
        concurrency: Annotated[int, Range(1)] = 32,
        max_len: Annotated[int, Range(2)] | None = None,
        tokenizer: str | None = None,
        vllm: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Load an agent whose model vLLM samples in this process.

        Args:
            path: Folder or hub name of the model.
            concurrency: Most episodes, and therefore rows, at a time.
            max_len: Longest row; None takes the model's own.
            tokenizer: Folder or hub name of the tokenizer; None takes ``path``.
            vllm: Options of ``vllm.LLM``, such as ``{"gpu_memory_utilization": 0.8}``.
            options: Options of the class.
        """
        from turnwise.agents.tokens import load_renderer
        from turnwise.engine.vllm import VLLMEngine

        check_arguments(LocalAgent.from_vllm, concurrency=concurrency, max_len=max_len, vllm=vllm)
        _early(options)
        renderer = load_renderer(tokenizer or str(path))
        longest = max_len or _positions(path)
        engine = VLLMEngine(
            path, vocab_size=len(renderer.tokenizer), max_len=longest, max_rows=concurrency, **(vllm or {})
        )
        options.setdefault("name", Path(path).name if Path(path).is_dir() else str(path))
        return cls(engine, renderer, concurrency=concurrency, **options)

    def submit(self, plays: Sequence[Play]) -> Sequence[Play]:
        ready: list[Play] = []
        full: list[Play] = []
        for play in plays:
            talk = play.state = play.state or Conversation(self.context(renderer_for(self.renderer, play)), self.engine)
            fits = not talk.full and talk.read(play.messages)
            (ready if fits else full).append(play)
        talks: list[Conversation] = [play.state for play in ready]
        self._sampling |= {talk.handle: play for talk, play in zip(talks, ready, strict=True)}
        greedy = self.temperature == 0
        if ready:
            self.engine.submit(
                [talk.handle for talk in talks],
                max_new=[min(self.max_new_tokens, self.engine.max_len - len(talk.stream)) for talk in talks],
                stop_ids=self.renderer.stop_ids,
                temperature=1.0 if greedy else self.temperature,
                keys=[(self.seed, *play.rng_key) for play in ready],
                greedy=greedy,
            )
        self._mute += () if self.give_up else full
        return full if self.give_up else ()

    def collect(self, least: int) -> list[tuple[Play, Action]]:
        full = no_room(self.engine.max_len) if self.tokens else None
        found = [(play, Action("", finish="length", tokens=full)) for play in self._mute]
        self._mute.clear()
        try:
            turns = self.engine.collect(least) if self._sampling else []
        except torch.cuda.OutOfMemoryError as error:
            longest = max(len(play.state.stream) for play in self._sampling.values())
            rows = f"{len(self._sampling)} rows of up to {longest} tokens"
            raise FatalError(f"the GPU's memory is too small for {rows}: lower concurrency or max_len") from error
        for row, turn in turns:
            play = self._sampling.pop(row)
            talk: Conversation = play.state
            finish, read = "stop" if turn.stopped else "length", len(talk.stream)
            talk.act(turn)
            text = said_to(talk.context.renderer, turn.ids, play)
            tokens = talk.tokens() if self.tokens else None
            found.append((play, Action(text, finish, read, len(turn.ids), internal=talk.internal, tokens=tokens)))
        return sorted(found, key=lambda answer: answer[0].state.handle)

    def end(self, play: Play) -> None:
        if play.state is not None:
            self._sampling.pop(play.state.handle, None)
            play.state.close()
            play.state = None


def _early(options: Mapping[str, Any]) -> None:
    """Refuse a context policy before a model is loaded."""
    if isinstance(options.get("context"), str):
        context_maker(options["context"])


def _positions(path: str | Path) -> int:
    """The longest row that a model has positions for."""
    from transformers import AutoConfig

    found = getattr(AutoConfig.from_pretrained(path).get_text_config(), "max_position_embeddings", None)
    return int(found or 4096)
