"""Pages of episodes for people."""

import dataclasses

import pytest

from turnwise.agents.make import make_agent
from turnwise.core.episode import Episode, Job
from turnwise.core.errors import SettingsError, UsageError
from turnwise.core.player import rollout
from turnwise.core.registration import make
from turnwise.report.pictures import pictures

SETTINGS = {"sites": "desk", "templates": "desk.team"}


def played(env: str, **settings: object) -> Episode:
    [episode] = rollout(make_agent("oracle"), [Job(f"turnwise/{env}-v0", 5, settings=settings)])
    return episode


def test_a_page_for_each_turn() -> None:
    episode = played("WebTasks", **SETTINGS)
    shown = pictures(episode)
    assert len(shown) == len(episode.turns) + 1 == 5
    assert ["<h1>People</h1>" in page for page in shown] == [True, False, False, False, False]
    assert all("<style>" in page and "<script" not in page and "<link" not in page for page in shown)
    before, after = shown[1], shown[2]
    assert before != after, "what was chosen is seen"


def test_none_where_there_are_none() -> None:
    assert pictures(played("GuessNumber")) == []
    episode = played("WebTasks", **SETTINGS)
    assert pictures(dataclasses.replace(episode, task_id="0" * 16)) == [], "another task"
    assert pictures(dataclasses.replace(episode, settings={"sites": "gone"})) == []
    assert pictures(dataclasses.replace(episode, status="error")) == []


def test_a_person_plays() -> None:
    env = make("WebTasks", **SETTINGS).unwrapped
    env.reset(seed=5)
    [goal] = env.task.goals  # type: ignore[attr-defined]
    [change] = goal.changes
    with env.in_browser(show=False) as person:  # type: ignore[attr-defined]
        assert person.url.startswith("http://turnwise.localhost:")
        env.live.store.db("desk").execute(  # type: ignore[attr-defined]
            "UPDATE seat SET team = ? WHERE id = ?", (change.values[0][1], change.key[0][1])
        )
    assert env.step("<action>done()</action>")[1] == 1.0


def test_screenshots_need_a_browser_that_loads_styles() -> None:
    env = make("WebTasks", **SETTINGS).unwrapped
    env.reset(seed=5)
    with pytest.raises(UsageError, match="screenshots=True"):
        env.screenshot()  # type: ignore[attr-defined]
    with pytest.raises(SettingsError, match="driver='chromium'"):
        make("WebTasks", screenshots=True)
