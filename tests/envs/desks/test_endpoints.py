"""Desks behind real servers: one plays the person, another one the agent, and both fail now and then."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from tests.agents.test_openai import Answer, Script, ok, said, serving
from tests.agents.test_tool_forms import Calls, forced, local, speaking, storm
from tests.engine._tool_templates import TOOL_FAMILIES
from turnwise.agents.make import make_agent
from turnwise.agents.openai import OpenAIAgent
from turnwise.core.agent import Play
from turnwise.core.episode import Job
from turnwise.core.player import play_in, rollout
from turnwise.core.tools import call_text
from turnwise.envs.desks.library import LibraryDesk
from turnwise.games import opponent
from turnwise.worlds.people.part import Part
from turnwise.worlds.people.person import Person
from turnwise.worlds.people.played import prompt_of

DESK = "turnwise/LibraryDesk-v0"
EASY: dict[str, Any] = {"difficulty": 2}
Turns = list[tuple[str, Calls]]


def plan(seed: int, **settings: Any) -> tuple[str, Turns, LibraryDesk]:
    """The first observation of a scenario, what the oracle does in it, and the desk at the end."""
    env = LibraryDesk(**settings)
    first, _ = env.reset(seed=seed)
    turns: Turns = []
    over = False
    while not over:
        message = env.oracle()
        calls = [(call.name, dict(call.arguments)) for call in env.toolbox.parse(message)]
        turns.append(("" if calls else message, calls))
        _, _, terminated, truncated, _ = env.step(message)
        over = terminated or truncated
    return first, turns, env


def acting(parts: Mapping[str, Part]) -> Script:
    """An endpoint whose model plays the part that it is given as the scripted person does, from the conversation."""

    def script(number: int, body: dict[str, Any]) -> Answer:
        person = Person(parts[body["messages"][0]["content"]])
        line = person.open()
        for message in body["messages"][2:]:
            if message["role"] == "user":
                line = person.hear(message["content"])
        return ok(said(f"{line} {'[DONE]' if person.ended else ''}"))

    return script


def check_faults(monkeypatch: pytest.MonkeyPatch, seeds: range, samples: int, native: bool, patience: int) -> None:
    """Play scenarios with servers that fail; the agent and the user ask again ``patience`` times."""
    plans, parts, right = {}, {}, {}
    for seed in seeds:
        first, turns, env = plan(seed)
        plans[first], parts[prompt_of(env.case.part)] = turns, env.case.part
        right[seed] = [words or "\n".join(call_text(*call) for call in calls) for words, calls in turns]
    clerk, clerk_did = storm(speaking(plans, native), 3, ("500", "drop", "cut"))
    user, user_did = storm(acting(parts), 4, ("500", "drop", "cut"))
    options: dict[str, Any] = {"backoff_s": 0.001, "max_retries": patience, "give_up_after": 100_000}
    with serving(clerk) as clerks, serving(user) as users:
        actor = make_agent(f"openai:user@{users.url}", **options)
        monkeypatch.setattr(opponent, "agent_of", lambda spec: actor)
        agent = OpenAIAgent("m", clerks.url, tools="native" if native else "text", concurrency=4, **options)
        jobs = [
            Job(DESK, seed, sample, {"user": f"agent:openai:user@{users.url}"})
            for seed in seeds
            for sample in range(samples)
        ]
        episodes = list(rollout(agent, jobs))
        agent.close()
        actor.close()
    for did in (clerk_did, user_did):
        assert sum(did.values()) - did["fine"] > 0.1 * sum(did.values())
    assert sorted(e.job.name for e in episodes) == sorted(job.name for job in jobs), "each is accounted for, once"
    errors = [episode for episode in episodes if episode.status == "error"]
    assert bool(errors) == (patience < 10)
    assert all(e.error and not e.solved and e.attempts > 1 for e in errors), "begun again before it was given up"
    for episode in episodes:  # played to its end, every answer as it was meant, or not scored: none is a failure
        played = [turn.action for turn in episode.turns]
        assert episode in errors or (episode.solved and played == right[episode.job.seed])


@pytest.mark.parametrize("patience", [0, 12])
def test_servers_that_fail_score_nothing(monkeypatch: pytest.MonkeyPatch, patience: int) -> None:
    check_faults(monkeypatch, range(3), 1, True, patience)


@pytest.mark.slow
@pytest.mark.parametrize("patience", [1, 12])
@pytest.mark.parametrize("native", [True, False])
def test_servers_that_fail_score_nothing_in_many_scenarios(
    monkeypatch: pytest.MonkeyPatch, native: bool, patience: int
) -> None:
    check_faults(monkeypatch, range(5, 35), 2, native, patience)


@pytest.mark.parametrize(
    "template", [pytest.param(name, marks=() if name == "hermes" else pytest.mark.slow) for name in TOOL_FAMILIES]
)
def test_one_clerk_in_three_forms_leaves_the_same_database(template: str) -> None:
    seed = next(seed for seed in range(40) if plan(seed, **EASY)[2].desk.store.changes())
    first, turns, desk = plan(seed, **EASY)
    if template == "llama":  # it takes one call at a time
        turns = [one for words, calls in turns for one in ([("", [call]) for call in calls] or [(words, [])])]
    for form in ("native", "text", template):
        env = LibraryDesk(**EASY)
        with serving(speaking({first: turns}, form == "native")) as server:
            agent: Any = local(form, asks=False) if form == template else None
            if agent is None:
                agent = OpenAIAgent("m", server.url, tools=form, backoff_s=0.001)
            else:
                forced(agent, env.tools(), turns)
            episode = play_in(env, partial(_first, agent), Job(DESK, seed, settings=EASY))
            agent.close()
        if form == "native":
            assert {tool["function"]["name"] for tool in server.bodies[0]["tools"]} == set(LibraryDesk.toolbox.tools)
        assert episode.solved and env.desk.store.changes() == desk.desk.store.changes()


def _first(agent: Any, play: Play) -> Any:
    return agent.act([play])[0]
