"""An agent that sends token ids to a vLLM or SGLang server, and gets token ids and log-probabilities back.

The conversation lives here as one growing row of tokens: the prompt of a turn is exactly what was sampled so far and
what is newly rendered. Nothing is ever tokenised twice, so what the agent records can be trained on (docs/rollouts.md).
Chat completions, of `OpenAIAgent`, leave the template to the server, which renders the whole conversation every time.

Who is responsible for a failure: as in `OpenAIAgent`, the model for a conversation that has outgrown its context, the
server for everything else.
"""

import datetime
import os
import threading
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from turnwise.agents.forms import renderer_for, said_to
from turnwise.core.agent import Action, Agent, Play
from turnwise.core.errors import FatalError, MissingDependencyError, SettingsError
from turnwise.core.settings import Range, check_arguments
from turnwise.engine.context import Context
from turnwise.engine.conversation import Conversation, no_room
from turnwise.engine.remote import OTHER_END, Request, seed_of_key
from turnwise.engine.routes import RouteName
from turnwise.engine.server import TokenServer
from turnwise.engine.tokens import Renderer, make_renderer
from turnwise.engine.tool_renderer import with_tools
from turnwise.engine.toolforms import Forms

__all__ = ["TokensAgent", "load_renderer"]


class TokensAgent(Agent):
    """Samples every turn from a row of tokens at ``base_url``, from up to ``concurrency`` threads.

    Args:
        model: The model's name at the server.
        base_url: Address of the server, with or without ``/v1``.
        route: "completions" and "generate" are vLLM's ``/v1/completions`` and ``/inference/v1/generate``, "sglang" is
            SGLang's ``/generate``.
        renderer: Converts text to tokens and back; made of ``tokenizer`` unless given.
        tokenizer: Folder or hub name of the tokenizer; None takes ``model``.
        template_kwargs: Settings of the tokenizer's chat template, such as ``{"enable_thinking": false}``.
        tools: How the model writes calls of tools; see `LocalAgent`.
        concurrency: Most episodes, and therefore requests, at a time.
        max_tokens: Longest turn; less if the row has no room for it.
        max_len: Longest row; None asks the server.
        temperature: Sampling temperature; 0 takes the likeliest token.
        seed: Sampling seed, combined with each episode's own key. SGLang minds it with
            ``--enable-deterministic-inference`` only.
        timeout_s: Longest time for one attempt, answer included.
        max_retries: How often a request is sent again.
        backoff_s: The pause before repetition n is drawn from the upper half of backoff_s * 2**n, at most 30 seconds.
        give_up_after: The run stops when so many attempts have failed before the first answer, or so many requests in
            a row with all their retries. None: twice ``concurrency``, at least 8.
        api_key_env: Environment variable that holds the key, if the server wants one.
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        *,
        route: RouteName = "completions",
        renderer: Renderer | None = None,
        tokenizer: str | None = None,
        template_kwargs: Mapping[str, Any] | None = None,
        tools: Forms = "text",
        concurrency: Annotated[int, Range(1)] = 16,
        max_tokens: Annotated[int, Range(1)] = 4096,
        max_len: Annotated[int, Range(2)] | None = None,
        temperature: Annotated[float, Range(0)] = 1.0,
        seed: int = 0,
        timeout_s: float = 300.0,
        max_retries: Annotated[int, Range(0)] = 6,
        backoff_s: float = 1.0,
        give_up_after: Annotated[int, Range(1)] | None = None,
        api_key_env: str = "OPENAI_API_KEY",
    ) -> None:
        given = {"route": route, "concurrency": concurrency, "max_tokens": max_tokens, "max_len": max_len}
        others = {"temperature": temperature, "max_retries": max_retries, "give_up_after": give_up_after}
        check_arguments(TokensAgent.__init__, **given, **others)
        self.name, self.concurrency, self.seed = model, concurrency, seed
        self.max_tokens, self.temperature = max_tokens, temperature
        self.renderer = with_tools(renderer or load_renderer(tokenizer or model, template_kwargs), tools)
        self.vocab_size = len(self.renderer.tokenizer)
        self.server = TokenServer(
            base_url,
            model,
            route,
            name="the SGLang server" if route == "sglang" else "the vLLM server",
            token=os.environ.get(api_key_env, "").strip(),
            timeout_s=timeout_s,
            retries=max_retries,
            backoff_s=backoff_s,
            connections=concurrency,
            give_up_after=give_up_after or max(8, 2 * concurrency),
            seed=seed,
            notify=lambda text: self.notify(text),
        )
        self._max_len = max_len
        self._rendering = threading.Lock()  # a tokenizer's settings change with every call

    @property
    def max_len(self) -> int:
        """The longest row."""
        if self._max_len is None:
            self._max_len = self.server.longest_row()
        return self._max_len

    def act(self, plays: Sequence[Play]) -> list[Action]:
        try:
            return [self._act(play) for play in plays]
        except SettingsError as error:  # of the server or the chat template: the same in every episode
            raise FatalError(str(error)) from error

    def interrupt(self) -> None:
        self.server.client.interrupt()

    def close(self) -> None:
        self.server.client.close()

    def _act(self, play: Play) -> Action:
        talk: Conversation
        with self._rendering:
            if play.state is None:
                play.state = Conversation(Context(renderer_for(self.renderer, play)), max_len=self.max_len)
            talk = play.state
            if talk.full or not talk.read(play.messages):  # conversations only grow
                return Action("", finish="context_length", tokens=no_room(self.max_len))
        greedy, read = self.temperature == 0, len(talk.stream)
        request = Request(
            list(talk.stream.ids),
            min(self.max_tokens, self.max_len - read),
            seed_of_key((self.seed, *play.rng_key)),
            self.renderer.stop_ids,
            1.0 if greedy else self.temperature,
            greedy,
        )
        self.server.check_mode(request)
        answered = self.server.sample(request, self.vocab_size)
        turn, answer = answered.value
        talk.act(turn)
        other = answer.finish == OTHER_END
        with self._rendering:
            text = said_to(talk.context.renderer, turn.ids[:-1] if other else turn.ids, play)
        at = datetime.datetime.fromtimestamp(answered.at, datetime.UTC).isoformat(timespec="milliseconds")
        served = {"at": at, "latency_s": round(answered.latency_s, 3), **answer.served, "retries": answered.retries}
        finish = "stop" if turn.stopped or other else "length"
        return Action(text, finish, read, len(turn.ids), served=served, tokens=talk.tokens())


def load_renderer(tokenizer: str, template_kwargs: Mapping[str, Any] | None = None) -> Renderer:
    """Load a tokenizer by its folder or hub name, and make its renderer."""
    try:
        from transformers import AutoTokenizer
    except ModuleNotFoundError as error:
        raise MissingDependencyError.of("transformers", "train") from error
    try:
        found = AutoTokenizer.from_pretrained(tokenizer)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise SettingsError(
            f"the tokenizer {tokenizer!r} cannot be loaded, set tokenizer to its folder or hub name: {reason}"
        ) from error
    return make_renderer(found, template_kwargs=template_kwargs)
