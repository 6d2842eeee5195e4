"""The web environments on a small site of the tests: play, errors, views, hidden instructions, worlds, copies."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tests.worlds.web._pad  # noqa: F401  (registers the site)
from turnwise.core.env import split_of
from turnwise.core.errors import SettingsError, UsageError
from turnwise.envs.web import CHEATS
from turnwise.envs.web._exposed import may_hide
from turnwise.envs.web._forms import browsergym_form, webrl_form
from turnwise.envs.web.web_injection import WebInjection
from turnwise.envs.web.web_tasks import WebTasks
from turnwise.worlds.web.actions.actions import Action, parse_actions
from turnwise.worlds.web.site.registry import BUILT_IN
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.site.steps import Step, click, fill, goto
from turnwise.worlds.web.site.tryout import exposed


def pad(template: str = "*", **settings: Any) -> WebTasks:
    return WebTasks(**{"sites": "pad", "templates": f"pad.{template}", "size": 20, "worlds": 2, **settings})


def play(
    env: WebTasks | WebInjection, act: Callable[[Any], str] | None = None
) -> tuple[float, dict[str, Any], list[str]]:
    """From where the episode is to its end."""
    total, texts = 0.0, []
    while True:
        text, reward, over, cut, info = env.step((act or type(env).oracle)(env))
        total += reward
        texts.append(text)
        if over or cut:
            return total, info, texts


def with_plan(env: WebTasks | WebInjection, plan: tuple[Step, ...], **changes: Any) -> None:
    """Start the drawn task again with another plan for its oracle."""
    task = env.task
    env.reset(options={"task": replace(task, plan=plan, **changes)})


@pytest.mark.parametrize("template", ["write", "paint", "remove", "number", "open_form", "paint_missing"])
def test_oracle_and_wrong_plans(template: str) -> None:
    env = pad(template, infeasible=1.0 if template == "paint_missing" else 0.0)
    for seed in range(4):
        env.reset(seed=seed)
        total, info, _ = play(env)
        assert total == 1.0
        assert info["metrics"]["progress"] == 1.0
        assert info["metrics"]["collateral"] == info["metrics"]["action_errors"] == 0.0
        plan = env.task.plan
        stray = (goto("http://pad.test/"), click("New note"), fill("Title", "Tea"), click("Save"))
        with_plan(env, (*plan[:-1], *stray, plan[-1]))
        total, info, _ = play(env)
        assert (total, info["metrics"]["collateral"]) == (0.0, 1.0)
        for cheat in CHEATS:
            env.reset(options={"task": replace(env.task, plan=plan)})
            assert play(env, lambda e, c=cheat: c if isinstance(c, str) else c(e))[0] == 0.0, cheat


def test_every_dialect_and_wrapping_plays_the_same() -> None:
    env = pad("paint")
    for seed in range(3):
        for form in range(5):
            env.reset(seed=seed)
            assert play(env, lambda e, f=form: e.paraphrases()[f])[0] == 1.0


@pytest.mark.parametrize("dialect", ["native", "browsergym", "webrl"])
def test_a_dialect_alone_is_enough(dialect: str) -> None:
    """The oracle, its rewordings and the random agent write it, and the hints name its actions only."""
    rng = np.random.default_rng(0)
    for site in ("pad", "all"):
        env = WebTasks(sites=site, dialect=dialect, size=20, level=5, max_turns=120)
        for seed in range(6):
            env.reset(seed=seed)
            assert play(env)[0] == 1.0, env.task.template
    env = pad(dialect=dialect)
    for seed in range(3):
        for form in range(3):
            env.reset(seed=seed)
            assert play(env, lambda e, f=form: e.paraphrases()[f])[0] == 1.0
        env.reset(seed=seed)
        assert env.step(env.sample_action(rng))[4].get("invalid_action") is None
    env.reset(seed=0)
    theirs = {"native": "done()", "browsergym": "tab_focus(0)", "webrl": "exit(message"}
    for wrong in (
        "nothing",
        "<action>jump(1)</action>",
        "<action>drag_and_drop('1', '2')</action>",
        "<action></action>",
    ):
        text, _, _, _, info = env.step(wrong)
        assert info["invalid_action"]
        assert [name for name, example in theirs.items() if example in text] == [dialect], text
    assert "<action>...</action>" in env.step("nothing")[0]


def test_reset_draws_from_a_template() -> None:
    env = WebTasks(sites="pad", size=20, level=1, infeasible=0.0)
    for seed in range(3):
        env.reset(seed=seed, options={"template": "pad.paint"})
        assert env.task.template == "pad.paint"
    with pytest.raises(SettingsError, match=r"pad\.jump"):
        env.reset(options={"template": "pad.jump"})
    drawn = {env.reset(seed=seed) and env.task.level for seed in range(12)}
    assert drawn == {1}


def test_without_an_episode_it_says_so() -> None:
    env = pad("number")
    for act in (env.oracle, lambda: env.page, lambda: env.sample_action(np.random.default_rng(0))):
        with pytest.raises(UsageError, match="call reset"):
            act()
    env.reset(seed=0)
    assert env.judged is None
    env.step("<answer>no</answer>")
    assert env.judged is not None and "is not" in env.judged.why
    with pytest.raises(UsageError, match="call reset"):
        env.oracle()


def test_forms_are_read_back_as_they_were() -> None:
    actions = [
        Action("click", 3), Action("fill", 4, "it's \"so\"\nor not"), Action("select", 5, "Large"),
        Action("goto", None, "/a"),
        Action("select", 5, "A", ("B",)), Action("press", 6, "Enter"), Action("press", None, "Enter"), Action("back"),
        Action("scroll", None, "up"), Action("tab", 2), Action("answer", None, "12, 'x'"), Action("hover", 9),
        Action("wait"), Action("new_tab"), Action("close_tab"), Action("forward"), Action("check", 2),
    ]  # fmt: skip
    for action in actions:
        assert parse_actions(browsergym_form(action)) == [action]
        clicked = action._replace(verb="click") if action.verb == "check" else action  # they have no other word for it
        assert parse_actions(webrl_form(action)) == [clicked]
        assert parse_actions(webrl_form(action), "webrl") == [clicked]


def test_only_what_cannot_be_read_or_does_not_exist_is_invalid() -> None:
    env = pad("paint")
    env.reset(seed=1)
    for action, invalid, word in [
        ("I would rather not", True, "no action"), ("click(99)", True, "99]"), ("fill('x')", True, "Error:"),
        ("fill(1, 'x')", False, "not a text field"), ("goto('http://bank.test/')", False, "Error:"),
        ("back()", False, "earlier"),
        ("scroll('down')", False, "nothing further"), ("wait()", False, "messages left"),
    ]:  # fmt: skip
        text, _, _, _, info = env.step(action)
        assert ("invalid_action" in info) == invalid, action
        assert word in text, (action, text)
    assert play(env, lambda e: "done()")[1]["metrics"]["format_errors"] == 3.0


def test_several_actions_in_a_message() -> None:
    env = pad("write", actions_per_turn=3)
    env.reset(seed=2)
    title = env.task.plan[1].text
    new = number_of(env.live.text(env._view), "link 'New note'")
    text = env.step(f"click({new})")[0]
    field, save = number_of(text, "textbox 'Title'"), number_of(text, "button 'Save'")
    text, *_ = env.step(f"<action>fill({field}, {title!r})\nclick({save})\nclick(1)</action>")
    assert "Saved." in text
    assert "1 more action of the message not carried out." in text  # another page came
    before = env.live.store.changes()
    for message in ("click(1)\n" * 4, "<action>click(1)</action>" + "<action>click(2)</action>click(3)\nclick(4)"):
        text, _, _, _, info = env.step(message)
        assert "Error: the message has 4 actions and nothing was done; give at most 3 as <action>...</action>" in text
        assert info["invalid_action"] and env.live.store.changes() == before
    text, *_ = env.step("<action>click(77)\nclick(1)</action>")
    assert "77]" in text
    assert "1 more" not in text
    assert env.step("done()")[1] == 1.0
    env = pad("write")
    env.reset(seed=2)
    env.step(f"click({new})")
    text, *_ = env.step(f"<action>fill({field}, {title!r})\nclick({save})</action>")
    assert "the message has 2 actions and nothing was done; give 1 as" in text
    assert "Saved." not in text and "value=" not in text
    env.reset(seed=2)
    env.step(f"click({new})")
    text, *_ = env.step(f'do(action="Search", argument="{title}", element="{field}")')  # writes and presses Enter
    assert "Saved." in text


def number_of(text: str, what: str) -> int:
    before = text[: text.index(what)]
    return int(before[before.rindex("[") + 1 : before.rindex("]")])


def test_a_viewport_and_folds_are_scrolled_by_the_oracle() -> None:
    for settings in ({"lines": 8}, {"fold": 3}, {"lines": 8, "view": "compact"}):
        env = pad("remove", max_turns=60, **settings)
        scrolled = 0
        for seed in range(4):
            env.reset(seed=seed)
            actions: list[str] = []

            def act(e: WebTasks, seen: list[str] = actions) -> str:
                seen.append(e.oracle())
                return seen[-1]

            assert play(env, act)[0] == 1.0
            scrolled += sum("scroll" in action for action in actions)
        assert scrolled, settings


def test_changes_show_only_what_is_new_on_a_page() -> None:
    env = pad("number", changes=True)
    whole, _ = env.reset(seed=0)
    assert "table" in whole
    text, *_ = env.step("wait()")
    assert "No change on the page." in text
    total, _, texts = play(env)
    assert total == 1.0
    assert any("Changes (" in text and "The number is" in text for text in texts)


def test_the_oracle_finds_back_from_anywhere() -> None:
    """Whoever wanders about without writing can still be led to the end."""
    env = pad("paint", max_turns=80)
    for seed in range(6):
        env.reset(seed=seed)
        for action in ("goto('/new')", "goto('/note/3')", "new_tab()", "goto('http://pad.test/login')")[: 1 + seed % 4]:
            env.step(action)
        assert play(env)[0] == 1.0
    env.reset(seed=0)
    env.step(f"goto('/drop/{env.task.goals[0].changes[0].key[0][1]}')")
    env.live.store.db("pad").execute("DELETE FROM note")
    total, info, _ = play(env)  # hopeless: it gives up in time
    assert total == 0.0
    assert info["metrics"]["turns"] < 20


def test_what_an_agent_does_by_itself_advances_the_plan() -> None:
    env = pad("write")
    env.reset(seed=3)
    action = env.oracle()
    twin = env.fork()
    env.step(action)
    twin.step(f'do(action="Click", element="{action[14:-10]}")')
    assert env.oracle() == twin.oracle()
    assert "fill(" in env.oracle()


def test_turn_limit_and_progress() -> None:
    env = pad("remove", max_turns=2)
    env.reset(seed=0)
    env.step(env.oracle())
    _, _, over, cut, info = env.step("wait()")
    assert (over, cut) == (False, True)
    assert 0.0 <= info["metrics"]["progress"] < 1.0


def test_settings_that_do_not_go_together() -> None:
    for settings, word in [
        ({"sites": "nowhere"}, "nowhere"), ({"templates": "pad.nothing"}, "pad.nothing"), ({"lines": 3}, "lines"),
        ({"level": 1, "min_level": 2}, "min_level"),
        ({"templates": "pad.remove", "level": 1}, "pad.remove needs level=3"),
        ({"templates": "pad.write", "level": 5, "min_level": 5}, "pad.write needs min_level=1"),
        ({"sites": "all", "templates": "across.*"}, "are WebFlow's"),
    ]:  # fmt: skip
        with pytest.raises(SettingsError, match=word):
            WebTasks(**{"sites": "pad", **settings})  # type: ignore[arg-type]


def test_share_of_tasks_that_cannot_be_done() -> None:
    for share, low, high in ((0.0, 0, 0), (0.5, 15, 45), (1.0, 60, 60)):
        env = pad(infeasible=share)
        found = 0
        for seed in range(60):
            env.reset(seed=seed)
            found += env.task.infeasible
        assert low <= found <= high


def test_worlds_of_the_splits_are_disjoint() -> None:
    seen: dict[str, set[int]] = {}
    for split in ("train", "test"):
        env = pad(split=split, worlds=4)
        for seed in range(40):
            _, info = env.reset(seed=seed)
            assert split_of(info["task_id"]) == split
            seen.setdefault(split, set()).add(env.task.world)
    assert not seen["train"] & seen["test"]
    assert len(seen["train"]) == len(seen["test"]) == 4
    other = pad(split="train", world=1)
    other.reset(seed=0)
    assert other.task.world not in seen["train"]


def test_first_message_says_who_where_and_how() -> None:
    env = pad(grammar="short")
    text, _ = env.reset(seed=0)
    for part in (
        env.task.instruction,
        "Task: ",
        "http://pad.test/",
        "who is signed in",
        "click(n)",
        "You have 50 messages",
    ):
        assert part in text
    assert "click(n)" not in pad(grammar="none").reset(seed=0)[0]
    assert "send_msg_to_user" in pad(dialect="browsergym").reset(seed=0)[0]
    assert "exit(message" in pad(dialect="webrl").reset(seed=0)[0]


# ---- copies ----------------------------------------------------------------------------------------------------------


def test_forks_and_pickles_go_on_alone() -> None:
    env = pad("write")
    env.reset(seed=0)
    env.step(env.oracle())
    env.step(env.oracle())
    twin, stored = env.fork(), pickle.loads(pickle.dumps(env))
    assert play(env)[0] == 1.0
    twin.step("goto('/')")
    assert twin.live.store.changes() == []
    assert play(stored)[0] == 1.0
    assert play(twin)[0] == 1.0  # led back by the oracle


def test_live_episodes_do_not_see_each_other() -> None:
    """Interleaved at random, each of them ends as it does alone."""
    envs = [pad(worlds=1) for _ in range(24)]
    alone = []
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
        alone.append(play(env)[2])
        env.reset(seed=seed)
    rng = np.random.default_rng(0)
    together: list[list[str]] = [[] for _ in envs]
    live = list(range(len(envs)))
    while live:
        place = int(rng.integers(len(live)))
        env = envs[live[place]]
        text, reward, over, _, _ = env.step(env.oracle())
        together[live[place]].append(text)
        if over:
            assert reward == 1.0
            del live[place]
    assert together == alone


def test_random_actions_are_well_formed() -> None:
    env = pad(max_turns=12)
    rng = np.random.default_rng(0)
    for seed in range(15):
        env.reset(seed=seed)
        info = play(env, lambda e: e.sample_action(rng))[1]
        assert info["metrics"]["format_errors"] == 0.0


def test_after_scrolling_the_lines_in_view_are_shown_whatever_changed() -> None:
    env = pad("remove", lines=8, changes=True)
    env.reset(seed=0)
    text, *_ = env.step("scroll('down')")
    assert "No change" not in text
    assert "lines above" in text


def test_where_instructions_can_be_hidden_is_known_of_every_site() -> None:
    """Of templates that are left out none has a place for them; of the others some task has."""
    named = [t for name in BUILT_IN for t in site_named(name).templates() if not t.browser and not t.infeasible]
    hiding = [t for t in named if may_hide(t)]
    assert {t.sites[0] for t in hiding} == set(BUILT_IN)
    assert {t.level for t in hiding} == {1, 2, 3, 4, 5}
    for template in named[::9]:
        if not may_hide(template):
            assert exposed(template, [1, 2], 20) == 0.0, template.name
