"""Depth agents: they play by what is shown, the shortcuts fail at the top, and reading more solves more."""

from typing import Any

import gymnasium
import pytest

import turnwise  # noqa: F401  # registers the environments
from turnwise.core.agent import Agent, Play
from turnwise.envs.search._depth import browse_qa, deep_research, long_context_qa, search_budget, search_qa
from turnwise.envs.search._depth.reading import Doc, documents_in, found, terms

MODULES = {
    "SearchQA": search_qa,
    "BrowseQA": browse_qa,
    "SearchBudget": search_budget,
    "LongContextQA": long_context_qa,
    "DeepResearch": deep_research,
}


def played(env: gymnasium.Env[str, str], agent: Agent, seed: int) -> bool:
    observation, _ = env.reset(seed=seed)
    play = Play([{"role": "user", "content": observation}], env, (seed,))
    while True:
        (action,) = agent.act([play])
        observation, _, terminated, truncated, info = env.step(action.text)
        if terminated or truncated:
            return bool(info["solved"])
        play.messages += [{"role": "assistant", "content": action.text}, {"role": "user", "content": observation}]
        play.turn += 1


def rate(name: str, level: int, agent: Any, count: int = 15) -> float:
    env = gymnasium.make(f"turnwise/{name}-v0", difficulty=level)
    return sum(played(env, agent(), seed) for seed in range(count)) / count


def test_a_careful_reader_answers_the_lowest_level() -> None:
    assert rate("SearchQA", 1, search_qa.SKILLS["systematic"], 16) >= 0.85
    assert rate("SearchQA", 1, search_qa.SHORTCUTS["from the prompt"], 16) <= 0.2


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_shortcuts_fail_at_the_top(name: str) -> None:
    for shortcut in MODULES[name].SHORTCUTS.values():
        assert rate(name, 10, shortcut, 5) <= 1 / 5


@pytest.mark.parametrize("name", MODULES)
def test_extents_grow_with_the_level(name: str) -> None:
    extents = []
    for level in (1, 10):
        env = gymnasium.make(f"turnwise/{name}-v0", difficulty=level)
        measured = []
        for seed in range(5):
            env.reset(seed=seed)
            measured.append(MODULES[name].extent(env))
        extents.append([sum(column) / 5 for column in zip(*measured, strict=True)])
    assert all(high > 2 * low for low, high in zip(*extents, strict=True))


def test_a_reader_reads_what_stands_there() -> None:
    text = (
        "<tool_response>Doc 1 (Title: Bak (city)) Bak is a city in Fes.\n  Founded: 1203\n\nDoc 2 (Title: Gor) x"
        "</tool_response>"
    )
    docs = documents_in(text)
    assert [doc.title for doc in docs] == ["Bak (city)", "Gor"] and docs[0].subject == "Bak"
    assert found(docs, "located_in", "Bak") == ["Fes"] and found(docs, "city_founded", "Bak") == ["1203"]
    listing = [Doc("Mayors of Bak", "This page lists the mayors of Bak.\n- Ann Lee, 1890-1895\n- Gor Mel, 1896")]
    assert terms(listing, "mayor", "Bak") == [(1890, "Ann Lee"), (1896, "Gor Mel")]
    assert found(listing, "mayor", "Bak", year=1893) == ["Ann Lee"]
    home = [Doc("Bak", "Bak is a city. It had Ann Lee as a resident in 1990.\nBuildings:\n- Fes Tower\n- Gor Hall")]
    assert found(home, "residence", "Ann Lee") == ["Bak"] and found(home, "stands_in", "Gor Hall") == ["Bak"]
    together = [Doc("Ann Lee", "Ann Lee discovered Bak moru and Fes moru. Born: x")]
    assert found(together, "discoverer", "Fes moru") == ["Ann Lee"]
    assert found(together, "discoverer", "Ann Lee", inverse=True) == ["Bak moru", "Fes moru"]
    table = [Doc("Buildings in Bak", "| Building | Height |\n|---|---|\n| Fes Tower | 44 metres |\n| Gor Hall | - |")]
    assert found(table, "height", "Fes Tower") == ["44"] and found(table, "height", "Gor Hall") == []
    boxed = [Doc("Bak Days", "Publication: 2018, Fes Books")]
    assert found(boxed, "publisher", "Bak Days") == ["Fes Books"] and found(boxed, "published", "Bak Days") == ["2018"]
    old = [Doc("Bak (1950 edition)", "In 1950, Bak counted 12 inhabitants.")]
    assert found(old, "population", "Bak") == []
