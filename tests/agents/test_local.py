"""The local agent: rows that are exactly the conversation, independent of company, graceful when they are full."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from turnwise.agents.local import LocalAgent
from turnwise.agents.make import make_agent
from turnwise.baselines.trainer.model.tiny import save, tiny_model, tiny_tokenizer
from turnwise.core.agent import Agent
from turnwise.core.env import seed_of
from turnwise.core.episode import Episode, Job
from turnwise.core.errors import SettingsError
from turnwise.core.player import rollout
from turnwise.engine.conversation import Conversation
from turnwise.engine.sampling import ReprefillEngine
from turnwise.engine.tokens import Renderer, make_renderer

ENV = "turnwise/GuessNumber-v0"
JOBS = [Job(ENV, seed_of("local", i), sample, {"max_turns": 4}) for i in range(5) for sample in range(2)]


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def parts() -> tuple[Any, Any]:
    tokenizer = tiny_tokenizer(["I am thinking of a number from 1 to 32.", "Higher.", "Lower.", "Not a guess:"])
    return tiny_model(tokenizer, 3, max_len=1024, init_std=0.1), tokenizer


class Kept(LocalAgent):
    """Keeps the rows of finished episodes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rows: dict[tuple[int, ...], tuple[Conversation, list[Any]]] = {}

    def end(self, play: Any) -> None:
        if play.state is not None:
            self.rows[play.rng_key[:-1]] = (play.state, list(play.messages))
        super().end(play)


def agent_of(parts: tuple[Any, Any], **options: Any) -> Kept:
    return Kept.from_model(*parts, **{"max_new_tokens": 12, "max_len": 1024, **options})


def play(agent: Agent, jobs: list[Job] = JOBS, **options: Any) -> dict[str, Episode]:
    return {e.job.name: e for e in rollout(agent, jobs, strict=True, **options)}


def test_same_episodes_whatever_the_batch_and_the_engine(parts: tuple[Any, Any]) -> None:
    agents = [
        agent_of(parts, concurrency=1),
        agent_of(parts, concurrency=4),
        agent_of(parts, concurrency=64),
        agent_of(parts, concurrency=5, engine="reprefill"),
    ]
    played = [play(agent) for agent in agents]
    assert played[1:] == played[:1] * 3
    assert len({t.action for e in played[0].values() for t in e.turns}) > 20, "a model that says all sorts of things"
    assert {t.finish for e in played[0].values() for t in e.turns} == {"stop", "length"}
    for agent in agents:
        assert not agent.engine._rows  # type: ignore[attr-defined]  # all rows are given back
    other = play(agent_of(parts, seed=1))
    assert sum(other[k].turns[0].action != e.turns[0].action for k, e in played[0].items()) >= 8


def test_rows_are_the_conversation(parts: tuple[Any, Any]) -> None:
    """Bridged turn by turn, the row is the chat rendered whole, and its logps are the model's own."""
    agent = agent_of(parts, concurrency=4)
    episodes = play(agent, system="Guess.")
    model, tokenizer = parts
    assert len(agent.rows) == len(JOBS)
    for job in JOBS:
        row, messages = agent.rows[(job.seed, job.sample)]
        stream, turns = row.stream, episodes[job.name].turns
        text = tokenizer.apply_chat_template(messages[:-1], tokenize=False)
        assert tokenizer.decode(stream.ids).removesuffix("<|e|>") == text.removesuffix("<|e|>")
        assert stream.num_turns == len(turns)
        for index, turn in enumerate(turns):
            ids = [t for t, i in zip(stream.ids, stream.turns, strict=True) if i == index]
            assert len(ids) == turn.completion_tokens
            assert agent.renderer.decode(ids) == turn.action
            assert stream.turns.index(index) == turn.prompt_tokens
        with torch.no_grad():
            whole = model(torch.tensor([stream.ids])).logits.log_softmax(-1)[0]
        for position, (token, mask, logp) in enumerate(zip(stream.ids, stream.mask, stream.logps, strict=True)):
            if mask:
                assert float(whole[position - 1, token]) == pytest.approx(logp, abs=1e-4)


@pytest.mark.parametrize("max_len", [8, 60, 75, 100])
def test_a_full_row_is_the_models_failure(parts: tuple[Any, Any], max_len: int) -> None:
    episodes = play(agent_of(parts, max_len=max_len, concurrency=4))
    assert {e.status for e in episodes.values()} == {"done"}
    full = [t for e in episodes.values() for t in e.turns if t.finish == "length" and t.completion_tokens == 0]
    assert full
    assert all(t.action == "" and t.reward == 0.0 and t.invalid for t in full)
    for episode in episodes.values():
        used = [t.prompt_tokens + t.completion_tokens for t in episode.turns]
        assert max(used) <= max_len
        assert episode.truncated or episode.solved
        empty = [t.completion_tokens == 0 for t in episode.turns]
        assert empty == sorted(empty), "once full, full to the end"
    if max_len == 8:
        assert len(full) == 4 * len(JOBS)


@pytest.mark.parametrize("room", [0, 1, 2])
def test_the_last_free_token_is_used(parts: tuple[Any, Any], room: int) -> None:
    [first] = play(agent_of(parts), JOBS[:1]).values()
    [episode] = play(agent_of(parts, max_len=first.turns[0].prompt_tokens + room), JOBS[:1]).values()
    assert episode.turns[0].completion_tokens == min(room, first.turns[0].completion_tokens)
    assert first.turns[0].completion_tokens >= 2


def test_greedy(parts: tuple[Any, Any]) -> None:
    episodes = play(agent_of(parts, temperature=0, seed=1))
    assert episodes == play(agent_of(parts, temperature=0, seed=2, concurrency=3))
    for job in JOBS[::2]:
        twin = episodes[Job(ENV, job.seed, 1, job.settings).name]
        assert twin.turns == episodes[job.name].turns


def test_own_engine_and_renderer(parts: tuple[Any, Any]) -> None:
    model, tokenizer = parts
    renderer: Renderer = make_renderer(tokenizer)
    agent = LocalAgent(ReprefillEngine(model, 1024), renderer, concurrency=3, max_new_tokens=12, name="mine")
    episodes = play(agent)
    assert {e.agent for e in episodes.values()} == {"mine"}
    assert {name: e.turns for name, e in episodes.items()} == {n: e.turns for n, e in play(agent_of(parts)).items()}


def test_from_a_folder(parts: tuple[Any, Any], tmp_path: Path) -> None:
    save(*parts, tmp_path / "tiny")
    agent = make_agent(f"hf:{tmp_path / 'tiny'}", concurrency=4, max_new_tokens=12, max_len=1024, device="cpu")
    assert agent.name == "tiny"
    expected = play(agent_of(parts, name="tiny"))
    assert play(agent) == expected
    low = make_agent(f"hf:{tmp_path / 'tiny'}", dtype="bf16", device="cpu", max_new_tokens=4)
    assert {e.status for e in play(low, JOBS[:2]).values()} == {"done"}


def test_bad_settings(parts: tuple[Any, Any], tmp_path: Path) -> None:
    for options, name in [
        ({"concurrency": 0}, "concurrency|max_rows"),
        ({"max_new_tokens": 0}, "max_new_tokens"),
        ({"temperature": -1.0}, "temperature"),
        ({"max_len": 4096}, "positions for 1024"),
        ({"engine": "vllm"}, "'kv' or 'reprefill'"),
    ]:
        with pytest.raises(SettingsError, match=name):
            agent_of(parts, **options)
    with pytest.raises(SettingsError, match="cannot be loaded"):
        LocalAgent.from_pretrained(tmp_path / "nothing")
    with pytest.raises(SettingsError, match="dtype is 'fp8'"):
        LocalAgent.from_pretrained(tmp_path, dtype="fp8")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="did you mean 'max_new_tokens'"):
        make_agent(f"hf:{tmp_path}", max_new_token=3)
    with pytest.raises(SettingsError, match="temperature is 'hot'; it must be a number"):
        make_agent(f"hf:{tmp_path}", temperature="hot")
