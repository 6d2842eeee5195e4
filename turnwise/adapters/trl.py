"""Environments for TRL's `GRPOTrainer` (1.16): with tools, or in words with exact tokens. See docs/use_in_trl.md."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import turnwise  # noqa: F401  (registers the environments)
from turnwise.core.env import Split
from turnwise.core.errors import FatalError, InfrastructureError, SettingsError, UsageError
from turnwise.core.registration import full_id
from turnwise.core.tools import Tool
from turnwise.engine.tokens import Renderer, Stream, make_renderer
from turnwise.session.functions import as_method
from turnwise.session.rows import rows
from turnwise.session.session import FAILED, Answer, Session

__all__ = ["dataset", "environment", "episode_return", "rollout_func", "text_dataset"]

_TASKS = 8
"""Tasks whose tools a class offers."""


class _Episode:
    """The episode of a row, and what it has earned."""

    def __init__(self, row: Mapping[str, Any], retries: int) -> None:
        self.session = Session(row["env"], json.loads(row["settings"]), retries=retries)
        self.total, self.failed = 0.0, False
        try:
            self.first = self.session.start(int(row["seed"])).text
        except FatalError:
            raise
        except InfrastructureError:
            self.first, self.failed = FAILED, True

    def play(self, message: str | Mapping[str, Any]) -> Answer:
        answer = self.session.reply(message)
        self.total, self.failed = self.total + answer.reward, answer.error is not None
        return answer

    def result(self) -> float | None:
        self.session.close()
        return None if self.failed else self.total


# ---- tools -----------------------------------------------------------------------------------------------------------


class _Tools:
    """What all classes for ``environment_factory`` share; TRL would offer further public methods as tools."""

    _env, _retries = "", 0
    _episode: _Episode | None = None
    _earned: float | None = None
    _raised: Exception | None = None

    def reset(self, *, env: str, settings: str, seed: int, **row: Any) -> str:
        """Begin the episode of a row: the first observation."""
        if env != self._env:
            raise SettingsError(f"the row's env is {env!r}; this class plays {self._env!r}")
        self._raised = None
        self._episode = _Episode({"env": env, "settings": settings, "seed": seed}, self._retries)
        return self._episode.first

    def _say(self, message: str | Mapping[str, Any]) -> str:
        if self._episode is None:
            raise UsageError("the episode is over")
        try:
            return self._episode.play(message).text
        except UsageError:
            raise
        except Exception as error:  # TRL shows it to the model and goes on
            self._raised = error
            raise

    def _return(self, completion: Sequence[Mapping[str, Any]]) -> float | None:
        if (played := self._episode) is not None:
            last = completion[-1] if completion else {}
            words = last.get("content") if last.get("role") == "assistant" and not last.get("tool_calls") else None
            if words and self._raised is None and not (played.failed or played.session.done):
                self._say(words)
            if self._raised is not None:
                raise self._raised
            self._episode, self._earned = None, played.result()
        return self._earned


def environment(env: str, /, *, act: bool = False, retries: int = 2, **settings: Any) -> type:
    """Make the class for ``environment_factory``: the environment's tools are its methods.

    TRL ends an episode at a message without a call. `episode_return` plays it as the last turn.

    Args:
        env: Id of the environment.
        act: Offer the tool ``act``, too, which says something in words; an environment without tools always has it.
        retries: How often an environment that fails is begun again, unseen. If that never helps, the reward is None.
        settings: Settings of the environment, as in the rows.
    """
    name = full_id(env)
    tools: dict[str, Tool] = {}
    with Session(name, settings, retries=retries) as session:
        for seed in range(_TASKS):  # not every task has the same
            session.start(seed)
            tools |= {tool.name: tool for tool in session.tools(always=act or not session.tools())}
    for tool in tools.values():
        if tool.name.startswith("_") or tool.name in ("reset", "get_reward"):
            raise SettingsError(f"{name} has the tool {tool.name!r}, a name that TRL does not offer to models")

    def call(self: _Tools, tool: str, arguments: dict[str, Any]) -> str:
        function = {"name": tool, "arguments": arguments}
        return self._say({"role": "assistant", "tool_calls": [{"function": function}]})

    methods = {tool.name: as_method(tool, call) for tool in tools.values()}
    return type(name.rpartition("/")[2].partition("-")[0], (_Tools,), {"_env": name, "_retries": retries, **methods})


# ---- words -----------------------------------------------------------------------------------------------------------


class _Talk:
    """An episode in words: a prompt, and one row of tokens after it."""

    def __init__(self, prompt: Sequence[Mapping[str, Any]], renderer: Renderer, retries: int, most: int) -> None:
        try:
            task = json.loads(prompt[-1]["content"])
        except ValueError:
            raise SettingsError(f"the prompt is {prompt!r:.200}; it must be one of text_dataset()") from None
        self.episode = _Episode(task, retries)
        self.prompt = renderer.start([*prompt[:-1], {"role": "user", "content": self.episode.first}])
        self.row, self.renderer, self.most, self.closed = Stream(), renderer, most, self.episode.failed
        if self.closed:
            self.row.context(renderer.stop_ids[:1])  # TRL needs a token

    def turn(self, ids: Sequence[int], logps: Sequence[float]) -> None:
        """Play what the model has sampled."""
        room = self.most - len(self.row)
        self.row.action(ids[:room], logps[:room])
        answer = self.episode.play(self.renderer.decode(ids[:room]))
        bridge = [] if answer.done else self.renderer.bridge(answer.messages, closed=ids[-1] in self.renderer.stop_ids)
        self.closed = answer.done or len(self.row) + len(bridge) >= self.most
        if not self.closed:
            self.row.context(bridge)


def rollout_func(retries: int = 2, workers: int = 8) -> Callable[[list[Any], Any], dict[str, Any]]:
    """Make the ``rollout_func`` that plays the rows of `text_dataset` in words.

    An episode is one row of tokens: what the model sampled, exactly as it was sampled, and the observations between
    its turns, which ``env_mask`` leaves out of the loss.

    Args:
        retries: How often an environment that fails is begun again, unseen. If that never helps, the reward is None.
        workers: Threads in which environments answer.
    """

    def play(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        given = {"chat_template": trainer.chat_template, **trainer.chat_template_kwargs}
        renderer, most = make_renderer(trainer.processing_class, template_kwargs=given), trainer.max_completion_length
        logps: Any = [] if trainer.use_vllm else None
        with ThreadPoolExecutor(workers) as pool:
            talks = list(pool.map(lambda prompt: _Talk(prompt, renderer, retries, most), prompts))
            while live := [talk for talk in talks if not talk.closed]:
                ids, logps = trainer._generate_single_turn([talk.prompt + talk.row.ids for talk in live], None, {}, 1)
                list(pool.map(_Talk.turn, live, ids, logps or [[0.0] * len(turn) for turn in ids]))
        return {
            "prompt_ids": [talk.prompt for talk in talks],
            "completion_ids": [talk.row.ids for talk in talks],
            "env_mask": [talk.row.mask for talk in talks],
            "logprobs": None if logps is None else [talk.row.logps for talk in talks],
            "returns": [talk.episode.result() for talk in talks],
        }

    return play


# ---- both ------------------------------------------------------------------------------------------------------------


def episode_return(
    completions: Sequence[Any], environments: Sequence[Any] | None = None, returns: Any = (), **columns: Any
) -> list[float | None]:
    """The reward function: the return of each episode; None if its environment failed (TRL masks it) or is not ours.

    Raises:
        Exception: What an environment raised that would stop any run.
    """
    if environments is None:
        return list(returns)
    played = zip(environments, completions, strict=True)
    return [env._return(completion) if isinstance(env, _Tools) else None for env, completion in played]


def dataset(env: str, n: int, /, split: Split = "train", system: str = "", **settings: Any) -> Iterator[dict[str, Any]]:
    """Rows for ``environment_factory``; the generations of a row share its seed.

    Args:
        env: Id of the environment.
        n: Number of rows.
        split: "train" or "test".
        system: System message before the conversation; none if empty.
        settings: Settings of the environment.
    """
    before = [{"role": "system", "content": system}] if system else []
    for row in rows(full_id(env), n, split=split, settings=settings):
        yield {"prompt": [*before, {"role": "user", "content": ""}], "environment": row["env"], **row}


def text_dataset(*args: Any, **options: Any) -> Iterator[dict[str, Any]]:
    """Rows for `rollout_func`, which gets only prompts: the last message is the row. Arguments as of `dataset`."""
    for row in dataset(*args, **options):
        task = json.dumps({key: row[key] for key in ("env", "settings", "seed")})
        yield {**row, "prompt": [*row["prompt"][:-1], {"role": "user", "content": task}]}
