"""One policy through three forms of tools: native calls at an endpoint, words, and a chat template."""

import json
import random
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch

import turnwise
from tests.agents.test_apis import Lookup
from tests.agents.test_openai import Answer, Script, ok, refuse, said, serving
from tests.engine._tokenizers import build
from tests.engine._tool_templates import TOOL_FAMILIES
from tests.envs.web.test_tools import _arguments
from turnwise.agents.local import LocalAgent
from turnwise.agents.openai import OpenAIAgent
from turnwise.baselines.trainer.model.tiny import tiny_model
from turnwise.core.episode import Episode, Job
from turnwise.core.player import play_in, rollout
from turnwise.core.tools import call_text
from turnwise.engine.sampling import ReprefillEngine, Sampled
from turnwise.engine.tokens import make_renderer
from turnwise.engine.tool_renderer import ToolRenderer
from turnwise.engine.toolforms import ToolCall
from turnwise.worlds.web.actions.actions import parse_actions
from turnwise.worlds.web.site.state import Store

WEB = "turnwise/WebTasks-v0"
Calls = list[tuple[str, dict[str, Any]]]


class Forced(ReprefillEngine):
    """Says given turns, with the log-probabilities that the model gives them (0 if it is not asked)."""

    turns: Iterator[list[int]]
    asks = True

    def _run(self) -> None:
        rows, self._queue = self._queue, []
        for row in rows:
            ids, logps = next(self.turns), []
            if self.asks:
                out = self.model(torch.tensor([[*row.ids, *ids]])).logits[0, len(row.ids) - 1 : -1].log_softmax(-1)
                logps = out[torch.arange(len(ids)), torch.tensor(ids)].tolist()
            row.ids.extend(ids)
            self._over[row.handle] = Sampled(ids, logps or [0.0] * len(ids), True)


def local(name: str, asks: bool = True) -> LocalAgent:
    family = TOOL_FAMILIES[name]
    tokenizer = build(family)
    engine = Forced(tiny_model(tokenizer, 3, max_len=4096 if asks else 1 << 20).eval(), 4096 if asks else 1 << 20)
    engine.asks = asks
    renderer = make_renderer(tokenizer, template_kwargs=family.settings)
    return LocalAgent(engine, renderer, tools="auto", tokens=asks, max_new_tokens=900)


def forced(agent: LocalAgent, tools: Sequence[Any], turns: Sequence[tuple[str, Calls]]) -> list[list[int]]:
    """The turns as the model of this template writes them."""
    renderer = agent.renderer.for_tools(tools)
    assert isinstance(renderer, ToolRenderer) and isinstance(agent.engine, Forced)
    found = []
    for words, calls in turns:
        entries = [ToolCall(f"call{i:05d}", *call) for i, call in enumerate(calls)]
        found.append(renderer.written(words, entries) if calls else renderer.action(words))
    agent.engine.turns = iter(found)
    return found


def plan(seed: int) -> tuple[str, list[tuple[str, Calls]]]:
    """The first observation of a task on web sites, and calls that solve it."""
    env = turnwise.make(WEB)
    first, _ = env.reset(seed=seed)
    turns: list[tuple[str, Calls]] = []
    over = False
    while not over:
        message = env.unwrapped.oracle()
        [action] = parse_actions(message)
        turns.append(("", [(action.verb, dict(_arguments(action)))]))
        _, _, terminated, truncated, _ = env.step(message)
        over = terminated or truncated
    env.close()
    return first, turns


def speaking(plans: Mapping[str, list[tuple[str, Calls]]], native: bool) -> Script:
    """An endpoint whose model follows the plan of the task that it reads."""

    def script(number: int, body: dict[str, Any]) -> Answer:
        assert ("tools" in body) == native
        messages = body["messages"]
        first = next(m["content"] for m in messages if m["role"] == "user")
        done = [m for m in messages if m["role"] == "assistant"]
        words, calls = plans[first][len(done)]
        if not native:
            return ok(said("\n".join([words, *(call_text(*call) for call in calls)]).strip()))
        asked = [call["id"] for m in done for call in m.get("tool_calls", ())]
        assert asked == [m["tool_call_id"] for m in messages if m["role"] == "tool"]
        known = {tool["function"]["name"] for tool in body["tools"]}
        assert {name for name, _ in calls} <= known
        entries = [ToolCall(f"call_{len(done)}_{i}", *call).entry() for i, call in enumerate(calls)]
        for entry in entries:
            entry["function"]["arguments"] = json.dumps(entry["function"]["arguments"])
        return ok(said(words or None, tool_calls=entries))

    return script


def played(seed: int, agent: Any, kept: list[Any]) -> tuple[Episode, Any]:
    """An episode on web sites, and the rows that it changed."""
    kept.clear()
    env = turnwise.make(WEB)
    try:
        episode = play_in(env, lambda play: agent.act([play])[0], Job(WEB, seed))
    finally:
        env.close()
    return episode, kept[-1]


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The changed rows of databases that were closed."""
    found: list[Any] = []
    close = Store.close

    def keep(store: Store) -> None:
        if store.visited:
            found.append(store.changes())
        close(store)

    monkeypatch.setattr(Store, "close", keep)
    return found


def writing_seed(kept: list[Any]) -> int:
    """A task whose solution changes a database in a few steps."""
    for seed in range(40):
        kept.clear()
        if len(plan(seed)[1]) <= 8 and kept[-1]:
            return seed
    raise AssertionError("no such task")


@pytest.mark.slow
def test_one_policy_in_three_forms_leaves_the_same_database(kept: list[Any]) -> None:
    seed = writing_seed(kept)
    first, turns = plan(seed)
    expected = kept[-1]
    results = []
    for native in (True, False):
        with serving(speaking({first: turns}, native)) as server:
            agent = OpenAIAgent("m", server.url, tools="native" if native else "text", backoff_s=0.001)
            results.append(played(seed, agent, kept))
            agent.close()
    env = turnwise.make(WEB)
    for name in ("hermes", "llama", "mistral"):
        by_template = local(name, asks=False)
        forced(by_template, env.get_wrapper_attr("tools")(), turns)
        results.append(played(seed, by_template, kept))
    for episode, changes in results:
        assert episode.status == "done" and episode.solved and episode.episode_return == 1.0
        assert changes == expected and changes
        assert len(episode.turns) == len(turns)
    assert len({tuple(turn.action for turn in episode.turns) for episode, _ in results}) == 1


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "hermes" else pytest.mark.slow) for name in TOOL_FAMILIES]
)
def test_tokens_of_a_rollout_with_tools_are_those_that_were_sampled(name: str) -> None:
    env = Lookup()
    env.reset(seed=7)
    answer = f"<answer>{3 if env.task.word == 'north' else 5 if env.task.word == 'south' else 8}</answer>"
    word = {"word": env.task.word}
    turns: list[tuple[str, Calls]] = [("", [("look", {"word": "nowhere"})]), ("", [("look", word)])]
    turns += [("", [("sing", {})]), (answer, [])]
    agent = local(name)
    sampled = forced(agent, env.tools(), turns)
    rows: list[list[int]] = []
    episode = play_in(env, lambda play: _act(agent, play, rows), Job("Lookup", 7))
    end_tokens = [turn.tokens for turn in episode.turns]
    assert [list(tokens.ids) for tokens in end_tokens if tokens is not None] == sampled
    whole = [i for tokens in end_tokens if tokens is not None for i in (*tokens.context, *tokens.ids)]
    assert whole == rows[-1], "the row that the engine has is what was read and sampled, in order"
    model = agent.engine.model  # type: ignore[attr-defined]
    with torch.no_grad():
        logps = model(torch.tensor([whole])).logits[0].log_softmax(-1)
    place = 0
    for tokens in end_tokens:
        assert tokens is not None
        place += len(tokens.context)
        again = logps[torch.arange(place - 1, place - 1 + len(tokens.ids)), torch.tensor(tokens.ids)]
        assert torch.allclose(again, torch.tensor(tokens.logps), atol=1e-5)
        place += len(tokens.ids)
    assert "there is no tool 'sing'" in episode.turns[3].observation, "an unknown tool costs a turn"
    assert len(episode.turns) == 4


def _act(agent: LocalAgent, play: Any, rows: list[list[int]]) -> Any:
    action = agent.act([play])[0]
    rows.append(list(play.state.stream.ids))
    return action


BAD = {
    "bad JSON": ("look", '{"word": "nor'),
    "no tool": ("sing", "{}"),
    "no argument": ("look", "{}"),
    "no mapping": ("look", "[1]"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_malformed_call_is_the_models_fault_and_costs_a_turn(kind: str) -> None:
    name, arguments = BAD[kind]
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}

    def script(number: int, body: dict[str, Any]) -> Answer:
        return ok(said(None, tool_calls=[call]) if number == 0 else said("<answer>1</answer>"))

    with serving(script) as server:
        agent = OpenAIAgent("m", server.url, tools="native")
        episode = play_in(Lookup(), lambda play: agent.act([play])[0], Job("Lookup", 7))
        agent.close()
        answer = server.bodies[1]["messages"][-1]
    assert episode.status == "done" and len(episode.turns) == 2
    assert answer["role"] == "tool" and answer["tool_call_id"] == "c1"
    assert "<tool_error>" in answer["content"] and answer["content"] in episode.turns[1].observation


FAULTS = ("500", "drop", "slow", "cut", "half json")


def storm(fine: Script, seed: int, faults: Sequence[str] = FAULTS) -> tuple[Script, Counter[str]]:
    """A server of which every fifth answer fails, in one of these ways of servers."""
    rng, lock, did = random.Random(seed), threading.Lock(), Counter[str]()
    kinds: dict[str, Answer] = {
        "500": refuse(500),
        "drop": "drop",
        "slow": "slow",
        "cut": "cut",
        "half json": (200, {}, b'{"choices": [{"mess'),
    }

    def script(number: int, body: dict[str, Any]) -> Answer:
        with lock:
            kind = rng.choice(faults) if rng.random() < 0.2 else "fine"
            did[kind] += 1
        return kinds.get(kind) or fine(number, body)

    return script, did


@pytest.mark.slow
@pytest.mark.parametrize("native", [True, False])
def test_a_server_with_faults_scores_nothing(native: bool) -> None:
    plans = dict(plan(seed) for seed in range(8))
    jobs = [Job(WEB, seed, sample) for seed in range(8) for sample in range(2)]
    runs = {}
    for name in ("clean", "patient", "hasty"):
        script, did = storm(speaking(plans, native), 5) if name != "clean" else (speaking(plans, native), Counter())
        with serving(script) as server:
            agent = OpenAIAgent(
                "m",
                server.url,
                tools="native" if native else "text",
                backoff_s=0.001,
                timeout_s=0.5,
                concurrency=8,
                max_retries=0 if name == "hasty" else 12,
                give_up_after=1000,
            )
            runs[name] = {e.job.name: e for e in rollout(agent, jobs)}
            agent.close()
        assert len(runs[name]) == len(jobs), "every conversation is accounted for"
        if name != "clean":
            assert len(did) == 6 and sum(did.values()) - did["fine"] > 0.1 * sum(did.values())
    clean = {key: _bare(e) for key, e in runs["clean"].items()}
    assert all(e.solved for e in clean.values())
    assert {key: _bare(e) for key, e in runs["patient"].items()} == clean
    errors = [e for e in runs["hasty"].values() if e.status == "error"]
    assert errors and all(e.error for e in errors)
    assert all(_bare(e) == clean[key] for key, e in runs["hasty"].items() if e.status == "done")


def _bare(episode: Episode) -> Episode:
    """An episode without what a server says about itself."""
    turns = tuple(replace(turn, served=None) for turn in episode.turns)
    return replace(episode, turns=turns, attempts=1)
