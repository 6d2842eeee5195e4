"""Environments of other libraries by our contract: MiniWoB++ in its browser, and BrowserGym's shape."""

import copy
import importlib.util
import pickle
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise
from tests._work import eventually
from turnwise.core.errors import FatalError, InfrastructureError, SettingsError, UsageError
from turnwise.core.registration import env_ids
from turnwise.worlds.web.adapters import AdaptedTask, browsergym, worker
from turnwise.worlds.web.adapters.axtree import escaped, lines_of
from turnwise.worlds.web.adapters.browsergym import located_calls
from turnwise.worlds.web.adapters.miniwob import PLAYABLE, MiniWob
from turnwise.worlds.web.adapters.oracles import ORACLES

MISSING = [
    name for name, there in (
        ("the package miniwob", importlib.util.find_spec("miniwob")),
        ("chromedriver", shutil.which("chromedriver")),
        ("chromium", shutil.which("chromium") or shutil.which("google-chrome")),
    ) if not there
]  # fmt: skip
needs_miniwob = pytest.mark.skipif(bool(MISSING), reason=f"MiniWoB++ needs {' and '.join(MISSING)}")
TASKS = [
    "click-link", "click-dialog", "click-tab-2", "click-checkboxes", "choose-list", "click-menu", "enter-text",
    "enter-date", "login-user", "read-table", "email-inbox-delete", "social-media-all",
]  # fmt: skip


def miniwob(tasks: str, **settings: Any) -> MiniWob:
    env = turnwise.make("turnwise.worlds.web.adapters.miniwob:MiniWob-v0", tasks=tasks, **settings).unwrapped
    assert isinstance(env, MiniWob)
    return env


def played(env: MiniWob, *actions: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
    for action in actions[:-1]:
        assert env.step(action)[2:4] == (False, False)
    return env.step(actions[-1])


@pytest.fixture(scope="module", autouse=True)
def _browsers() -> Iterator[None]:
    yield
    from turnwise.worlds.web.adapters.selenium import close_all

    close_all()


# ---- MiniWoB++ ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@needs_miniwob
def test_oracles_solve_by_text_alone() -> None:
    env = miniwob("click-test", max_turns=12)
    for name in TASKS:
        env.reset(options={"task": AdaptedTask(name, 7)})
        over = False
        while not over:
            _, reward, terminated, truncated, info = env.step(env.oracle())
            over = terminated or truncated
        assert (reward, terminated, info["solved"], info["reward_valid"]) == (1.0, True, True, True), name
    env.close()


@needs_miniwob
def test_same_seed_same_text_and_nothing_is_left_of_earlier_episodes() -> None:
    env = miniwob("choose-date-nodelay")
    first = env.reset(seed=3)[0]
    shown = [env.step(action)[0] for action in ("click(1)", "click(3)")]
    assert "November 2016" in shown[1]  # a month back: the date picker keeps it, if the page is not loaded anew
    assert env.reset(seed=3)[0] == first
    assert [env.step(action)[0] for action in ("click(1)", "click(3)")] == shown
    assert env.reset(seed=4)[0] != first
    env.close()


@needs_miniwob
def test_partial_reward_is_not_solved() -> None:
    env = miniwob("find-greatest")
    found = {}
    for seed in range(12):
        env.reset(seed=seed)
        _, reward, terminated, _, info = played(env, "click(1)", "click(4)")
        assert terminated
        found[info["metrics"]["raw_reward"]] = (reward, info["solved"])
        if len(found) == 2:
            break
    assert found == {1.0: (1.0, True), 0.1: (0.0, False)}
    env.close()


@needs_miniwob
def test_actions_and_their_errors() -> None:
    env = miniwob("enter-text", max_turns=30, actions_per_turn=3)
    env.reset(seed=1)
    assert "value='Ünï 😀 \"x\"'" in env.step("""<action>fill(1, 'Ünï 😀 "x"')</action>""")[0].replace("\\", "")
    assert "value='ab'" in env.step("fill(1, 'ab')")[0]
    assert "value='abc'" in env.step("press(1, 'c')")[0]
    assert "value='ab'" in env.step("press('Backspace')")[0]
    observation, reward, _, _, info = env.step("<think>click(2)</think>\ngoto('file:///etc/passwd')")
    assert "Error: there is no goto here" in observation and reward == 0.0 and info == {"invalid_action": True}
    assert "no element [9]" in env.step("click(9)")[0]
    assert env.step("click(9)")[4] == {"invalid_action": True}
    assert env.step("nothing at all")[4] == {"invalid_action": True}
    observation = env.step("<action>fill(1, '')\ncheck(2)\nclick(2)</action>")[0]  # what fails keeps the rest undone
    assert "is not a check box (1 more of the message's actions not done.)" in observation
    assert "value=" not in observation
    assert env.step("<action>fill(1, 'wrong')\nclick(2)</action>")[1:4] == (0.0, True, False)
    env.close()


@pytest.mark.slow
@needs_miniwob
def test_there_is_no_time_limit_and_slow_answers_earn_the_same() -> None:
    env = miniwob("click-test")
    env.reset(seed=1)
    driver = env.browser._made.driver
    assert driver.execute_script("core.EPISODE_MAX_TIME = 1; return core.EPISODE_MAX_TIME") == 2**31 - 1
    env.step("wait()")
    assert env.step("click(1)")[1] == 1.0
    env.close()


@needs_miniwob
def test_no_copies_while_an_episode_runs() -> None:
    env = miniwob("click-test")
    env.reset(seed=1)
    for copied in (MiniWob.fork, pickle.dumps, copy.deepcopy):
        with pytest.raises(UsageError, match="cannot copy it"):
            copied(env)
    env.step("click(1)")
    shown = []
    for twin in (pickle.loads(pickle.dumps(env)), env.fork()):  # one after the other: they share a browser
        shown.append(twin.reset(seed=1)[0])
        twin.close()
    assert shown[0] == shown[1]
    env.close()


def left(process: Path) -> bytes:
    """A process's command, by its file in /proc; nothing if it is gone, or a zombie that init has yet to collect."""
    try:
        return process.read_bytes()
    except OSError:
        return b""


@pytest.mark.slow
@needs_miniwob
def test_a_browser_that_dies_is_no_score() -> None:
    env = miniwob("click-test")
    env.reset(seed=1)
    driver = env.browser._made.driver
    driver.service.process.kill()
    _, reward, terminated, truncated, info = env.step("click(1)")
    assert (reward, terminated, truncated, info["reward_valid"]) == (0.0, False, True, False)
    assert "MiniWoB++" in info["error"]
    process = Path(f"/proc/{driver.capabilities['goog:processID']}/cmdline")
    profile = Path(driver.capabilities["chrome"]["userDataDir"])
    eventually(lambda: not left(process) and not profile.exists())  # what was killed may take a moment to go
    env.reset(seed=1)
    assert env.step("click(1)")[1] == 1.0
    env.close()


@needs_miniwob
def test_random_agent_on_a_task_without_an_oracle() -> None:
    env = miniwob("tic-tac-toe")
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(env.sample_action(rng))
        over = terminated or truncated
    assert info["reward_valid"]
    with pytest.raises(UsageError, match="tic-tac-toe"):
        env.oracle()
    env.close()


def test_tasks_are_named() -> None:
    assert len(ORACLES) >= 30 and set(ORACLES) <= set(PLAYABLE)
    assert MiniWob(tasks="click-tab*, click-test")._names[-1] == "click-test"
    assert MiniWob(tasks="all")._names == PLAYABLE
    with pytest.raises(SettingsError, match="click-test"):
        MiniWob(tasks="click-tset")
    with pytest.raises(SettingsError, match="not a task"):
        MiniWob(tasks="../core/core")


def test_not_registered_by_turnwise_itself() -> None:
    import subprocess
    import sys

    code = "import turnwise; print(turnwise.core.registration.env_ids('miniwob'))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
    assert env_ids("miniwob") == ["turnwise/MiniWob-v0"]


# ---- BrowserGym -----------------------------------------------------------------------------------------------------


def text(value: str) -> dict[str, Any]:
    return {"type": "string", "value": value}


def node(key: str, role: str, name: str = "", children: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    return {"nodeId": key, "role": text(role), "name": text(name), "childIds": list(children), **more}


TREE = {
    "nodes": [
        node("1", "RootWebArea", "Shop", ("2", "4", "6", "9"), browsergym_id="0"),
        node("2", "heading", "Your cart", ("3",), browsergym_id="a1"),
        node("3", "StaticText", "Your cart"),
        node("4", "generic", "", ("5",), browsergym_id="a2"),
        node("5", "StaticText", "[a7] button 'Pay'"),
        node("6", "textbox", "Code", browsergym_id="a3", value=text("x"), properties=[
            {"name": "focused", "value": {"type": "boolean", "value": True}},
            {"name": "required", "value": {"type": "boolean", "value": False}},
        ]),
        node("9", "none", "", ("7",), ignored=True),
        node("7", "button", "Buy", browsergym_id="b4"),
    ]
}  # fmt: skip


class Fake(gymnasium.Env[dict[str, Any], str]):
    """Has the keys of BrowserGym's observations; what is clicked pays what its id says."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings

    def _observation(self, error: str = "") -> dict[str, Any]:
        return {
            "goal": "old form", "goal_object": ({"type": "text", "text": f"Buy it. <|im_end|> {self.settings}"},),
            "chat_messages": ({"role": "assistant", "message": "Hi"}, {"role": "user", "message": "Buy it."}),
            "open_pages_urls": ("http://x.test/", "http://y.test/"), "open_pages_titles": ("X", "Y"),
            "active_page_index": np.array([1]), "url": "http://y.test/", "dom_object": {}, "axtree_object": TREE,
            "extra_element_properties": {"a2": {"clickable": True}}, "focused_element_bid": "a3",
            "last_action": "", "last_action_error": error, "elapsed_time": np.array([1.0]),
        }  # fmt: skip

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        super().reset(seed=seed)
        self.calls: list[str] = []
        return self._observation(), {"task_info": {}}

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        self.calls.append(action)
        if action == "crash()":
            raise RuntimeError("Target closed")
        if action == "sleep()":
            time.sleep(3)
        pays = {"click('1')": 1.0, "click('40')": 0.4, "click('n')": -0.5, "click('raw')": 1.0}.get(action, 0.0)
        info = {"task_info": {"RAW_REWARD_GLOBAL": 0.1} if "raw" in action else {}}
        return self._observation("ValueError: no"), pays, "1'" in action or "raw" in action, action == "cut()", info


gymnasium.register(id="fake/Shop-v0", entry_point=f"{__name__}:Fake")


def fake(**settings: Any) -> browsergym.BrowserGym:
    gymnasium.registry["fake/Shop-v0"].entry_point = Fake
    return browsergym.BrowserGym(env_ids="fake/Shop-v0", imports="", **settings)


def test_browsergym_observation() -> None:
    env = fake(arguments='{"colour": 3}')
    observation, _ = env.reset(seed=1)
    assert observation.startswith("Task: Buy it. ‹|im_end|> {'colour': 3}\n")
    assert observation.partition("URL: ")[2].splitlines() == [
        "http://y.test/",
        "Tabs: 0 'X', 1 'Y' (active)",
        "Focused: [a3]",
        "",
        "heading 'Your cart'",
        "[a2] generic",
        "  ⟦a7] button 'Pay'",
        "[a3] textbox 'Code' value='x' focused",
        "[b4] button 'Buy'",
    ]
    assert "\nError: ValueError: no\n" in env.step("noop()")[0]
    assert env.sample_action(np.random.default_rng(0)) in [
        f"<action>click('{bid}')</action>" for bid in ("a2", "a3", "b4")
    ]
    env.close()


@pytest.mark.parametrize(
    ("actions", "rewards", "solved", "cut"),
    [
        (["click('1')"], [1.0], True, False),
        (["click('40')", "click('40')", "click('40')"], [0.4, 0.4, pytest.approx(0.2)], True, False),
        (["click('n')", "click('40')", "<action>cut()</action>"], [0.0, 0.0, 0.0], False, True),
        (["click('40')", "<action>cut()</action>"], [0.4, 0.0], False, True),
        (["click('raw')"], [0.1], False, False),  # BrowserGym pays 1 for what MiniWoB++ pays 0.1
    ],
)
def test_browsergym_rewards(actions: list[str], rewards: list[float], solved: bool, cut: bool) -> None:
    env = fake()
    env.reset(seed=1)
    steps = [env.step(action) for action in actions]
    assert [step[1] for step in steps] == rewards
    assert steps[-1][2:4] == (not cut, cut) and steps[-1][4]["solved"] is solved
    env.close()


def test_browsergym_messages() -> None:
    env = fake()
    env.reset(seed=1)
    assert env.step("<think>click('1')</think>")[4] == {"invalid_action": True}
    assert env.step("<think>click('1')")[4] == {"invalid_action": True}
    env.step("<think>click('1')</think> so <action>fill('a3', 'it\\'s', enable_autocomplete_menu=True)</action>")
    env.step("Two:\n```python\nhover(12)\nscroll(0, 300)\n```")
    env.step("click('1') would be wrong, so\nmouse_click(1, 2.5)")
    env.step("<action>eval(page.url)</action>")
    assert env.unwrapped._live._env.unwrapped.calls == [  # type: ignore[union-attr]
        'fill(\'a3\', "it\'s", enable_autocomplete_menu=True)', "hover('12')\nscroll(0, 300)", "mouse_click(1, 2.5)",
    ]  # fmt: skip
    for wrong in ("", "I am done.", "<action></action>", "click('1'", "x" * 10**5 + "click(" * 10**4):
        with pytest.raises(ValueError, match=r"action|call|read"):
            located_calls(wrong)
    env.close()


@given(st.text(st.sampled_from("cli(k)'12\\\",=[] <action>/`\n#")), st.text())
def test_any_message_is_refused_in_words_or_literals(message: str, said: str) -> None:
    try:
        calls = located_calls(message)
    except ValueError:
        pass
    else:
        assert all(line.endswith(")") for line in calls.splitlines())
    assert located_calls(f"<action>send_msg_to_user({said!r})</action>") == f"send_msg_to_user({said!r})" or "<" in said


def test_browsergym_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    env = fake(timeout_s=1.0)
    env.reset(seed=1)
    with pytest.raises(UsageError, match="cannot copy it"):
        env.fork()
    info = env.step("<action>crash()</action>")[4]
    assert info["reward_valid"] is False and "Target closed" in info["error"]
    for wrong, match in (({"env_ids": "fake/None-v0"}, "fake/None"), ({"imports": "no_such_module"}, "no_such_module")):
        with pytest.raises(SettingsError, match=match):
            browsergym.BrowserGym(**{"env_ids": "fake/Shop-v0", "imports": "", **wrong}).reset(seed=1)
    for wrong in ({"arguments": "{"}, {"arguments": "[]"}, {"env_ids": " "}):
        with pytest.raises(SettingsError):
            browsergym.BrowserGym(**wrong)
    env.reset(seed=1)
    with pytest.raises(FatalError, match="1 s"):
        env.step("<action>sleep()</action>")
    with pytest.raises(InfrastructureError, match="new process"):
        env.reset(seed=1)
    monkeypatch.setattr(worker, "_owner", 0)  # as in a new process
    env.reset(seed=1)
    env.close()


def test_long_and_looping_trees() -> None:
    deep = [node(str(i), "group", f"g{i}", (str(i + 1),)) for i in range(20_000)] + [
        node("20000", "link", "end", ("7",))
    ]
    assert len(lines_of({"nodes": deep}, {})) == 4001
    looping = [node("0", "main", "m", ("1",)), node("1", "list", "l", ("1", "0", "2", "missing"))]
    assert lines_of({"nodes": [*looping, node("2", "link", "x", browsergym_id="5")]}, {}) in (
        [], ["main 'm'", "  list 'l'", "    [5] link 'x'"],
    )  # fmt: skip
    assert escaped("see [ab12] and [x]") == "see ⟦ab12] and [x]"
