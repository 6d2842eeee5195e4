"""Wrappers: retries, invalid actions, window, tools."""

import contextlib
import pickle
from typing import Any

import gymnasium
import pytest

import turnwise
from tests._work import at_most
from turnwise.core.errors import InfrastructureError, SettingsError, UsageError
from turnwise.core.tools import Tool
from turnwise.core.wrappers import InvalidActions, ObservationWindow, Outcome, Retry, Tools


def countdown(**settings: object) -> gymnasium.Env[str, str]:
    return turnwise.make("Countdown", **settings)


WRONG = "<answer>1+1</answer>"


@pytest.mark.parametrize(
    ("feedback", "expected"),
    [("try again", "Try again."), ("verdict", "Wrong."), ("none", None), ("detail", "That uses [1, 1]; use each of")],
)
def test_retry_feedback(feedback: str, expected: str | None) -> None:
    env = Retry(countdown(), tries=3, feedback=feedback)  # type: ignore[arg-type]
    question, _ = env.reset(seed=3)
    observation, reward, terminated, truncated, _ = env.step(WRONG)
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert observation.startswith(expected or question)
    assert env.step(WRONG)[2:4] == (False, False)
    assert env.step(WRONG)[2:4] == (False, True)
    env.reset(seed=3)
    env.step(WRONG)
    assert env.step(env.base.oracle())[1] == 1.0


def test_retry_tells_unreadable_from_wrong() -> None:
    env = Retry(countdown(), feedback="verdict")
    env.reset(seed=3)
    assert env.step("<answer>(((</answer>")[0] == "Not readable as an answer."


def test_retry_refuses_games_and_bad_arguments() -> None:
    with pytest.raises(SettingsError, match="single-answer"):
        Retry(turnwise.make("GuessNumber"))
    with pytest.raises(SettingsError, match="tries is 0"):
        Retry(countdown(), tries=0)
    with pytest.raises(SettingsError, match="feedback is 'loud'"):
        Retry(countdown(), feedback="loud")  # type: ignore[arg-type]


def test_wrapped_environments_fork_and_pickle() -> None:
    env = ObservationWindow(Retry(countdown(), tries=4), turns=2)
    env.reset(seed=3)
    env.step(WRONG)
    twin = env.fork()
    env.step("<answer>2+2</answer>")
    copied = pickle.loads(pickle.dumps(twin))
    answer = twin.base.oracle()
    assert twin.step(answer) == copied.step(answer)
    assert env.base.turn == 2
    assert twin.base.turn == 2
    assert "2+2" not in twin._history[-1][0]


def test_free_invalid_actions_use_no_turn() -> None:
    env = InvalidActions(turnwise.make("GuessNumber", max_turns=2, max_number=1000), free=2, penalty=0.1)
    env.reset(seed=1)
    shaping = 0.0
    for _ in range(2):
        _, reward, terminated, truncated, info = env.step("what?")
        assert (reward, terminated, truncated) == (0.0, False, False)
        shaping += info["shaping"]
    assert shaping == pytest.approx(-0.2)
    wrong = str(env.base.task.secret % 1000 + 1)
    assert env.step(wrong)[2:4] == (False, False)
    assert env.step(wrong)[2:4] == (False, True)


def test_free_invalid_action_on_the_last_turn() -> None:
    env = InvalidActions(turnwise.make("GuessNumber", max_turns=1), free=1)
    env.reset(seed=1)
    assert env.step("what?")[2:4] == (False, False)
    assert env.step(str(env.base.task.secret % 32 + 1))[2:4] == (True, False)
    env.reset(seed=1)
    env.step("what?")
    assert env.step(env.base.oracle())[1:3] == (1.0, True)


def test_terminate_after() -> None:
    env = InvalidActions(turnwise.make("GuessNumber"), terminate_after=2)
    env.reset(seed=1)
    assert env.step("what?")[2:4] == (False, False)
    _, _, terminated, truncated, info = env.step("what?")
    assert (terminated, truncated, info["solved"]) == (True, False, False)
    assert info["metrics"]["format_errors"] == 2.0


def test_observation_window() -> None:
    env = ObservationWindow(turnwise.make("GuessNumber", max_number=100, max_turns=9), turns=2)
    first, _ = env.reset(seed=2)
    assert env.base.task.secret > 3
    for guess in ("1", "2", "3"):
        text = env.step(guess)[0]
    assert text.splitlines()[0] == first
    assert "> 1" not in text
    assert text.splitlines()[1] == "> 2"
    assert text.splitlines()[3] == "> 3"


def add(a: float, b: float) -> str:
    return str(a + b)


def shout(text: str) -> str:
    if text == "broken":
        raise InfrastructureError("no voice")
    if text == "hoarse":
        raise KeyError(text)
    return text.upper() * (2000 if text == "long" else 1)


def schema(**types: str) -> dict[str, object]:
    properties = {name: {"type": kind} for name, kind in types.items()}
    return {"type": "object", "properties": properties, "required": list(types)}


ADD = Tool("add", "Adds.", schema(a="number", b="number"), add)
SHOUT = Tool("shout", "Shouts.", schema(text="string"), shout)


def tooled(budget: int = 3) -> Tools:
    env = Tools(countdown(), [ADD, SHOUT], budget=budget, max_chars=100)
    env.reset(seed=3)
    return env


def test_tools_answer_calls_and_use_no_turn() -> None:
    env = tooled()
    assert "add: Adds." in env.reset(seed=3)[0]
    observation, reward, terminated, truncated, info = env.step(
        'x <tool_call>{"name": "add", "arguments": {"a": 2, "b": 3.5}}</tool_call> <shout>hey</shout>'
    )
    assert observation == "<tool_response>5.5</tool_response>\n<tool_response>HEY</tool_response>"
    assert (reward, terminated, truncated, info) == (0.0, False, False, {"tool_call": True})
    _, reward, _, _, info = env.step(env.base.oracle())
    assert reward == 1.0
    assert info["metrics"]["tool_calls"] == 2.0


def test_calls_after_one_that_failed_are_not_made() -> None:
    env = tooled()
    observation = env.step('<shout>hey</shout><tool_call>{"name": "sub"}</tool_call><shout>ho</shout>')[0]
    assert "HEY" in observation and "HO" not in observation
    assert observation.endswith("<tool_error>not carried out, because the call before failed: shout</tool_error>")
    assert env.step(env.base.oracle())[4]["metrics"]["tool_calls"] == 2.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("{", "the call is not"),
        ('{"name": "sub", "arguments": {}}', "there is no tool"),
        ('{"name": "add", "arguments": {"a": 1}}', "needs the argument 'b'"),
        ('{"name": "add", "arguments": {"a": 1, "b": true}}', "b must be of type number"),
        ('{"name": "add", "arguments": {"a": 1, "b": 2, "c": 3}}', "has no argument 'c'"),
        ('{"name": "add", "arguments": [1, 2]}', "must be an object"),
        ("[" * 100_000, "the call is not"),
    ],
)
def test_bad_calls_are_explained(call: str, words: str) -> None:
    observation, _, terminated, truncated, _ = tooled().step(f"<tool_call>{call}</tool_call>")
    assert words in observation
    assert not (terminated or truncated)


def test_budget_ends_an_agent_that_only_calls() -> None:
    env = tooled(budget=2)
    for _ in range(30):
        observation, reward, _, truncated, info = env.step("<shout>hey</shout>")
        if truncated:
            break
    assert reward == 0.0
    assert "calls is left" in observation
    assert truncated
    assert info["solved"] is False


def test_an_answer_beside_a_call_is_not_read() -> None:
    env = tooled()
    assert env.step(f"<shout>hey</shout>{env.base.oracle()}")[1] == 0.0


def test_tool_output_is_cut_and_failure_is_not_scored() -> None:
    env = tooled()
    assert "characters left out" in env.step("<shout>long</shout>")[0]
    info = env.step("<shout>broken</shout>")[4]
    assert info["reward_valid"] is False
    assert info["error"] == "no voice"


def test_an_episode_goes_on_after_a_tool_has_raised() -> None:
    env = tooled()
    observation, reward, terminated, truncated, _ = env.step("<shout>hoarse</shout>")
    assert observation == "<tool_error>KeyError: 'hoarse'</tool_error>"
    assert (reward, terminated, truncated) == (0.0, False, False)
    _, reward, _, _, info = env.step(env.base.oracle())
    assert (reward, info["metrics"]["tool_errors"]) == (1.0, 1.0)


def test_tool_names_are_checked() -> None:
    for name in ("answer", "Two Words", "think"):
        with pytest.raises(SettingsError, match="tool names"):
            Tools(countdown(), [Tool(name, "", ADD.parameters, add)])
    with pytest.raises(SettingsError, match="differ"):
        Tools(countdown(), [ADD, ADD])


@pytest.mark.parametrize("text", ["<tool_call>" * 90_000, "<tool_call>{</tool_call>" * 40_000, "<shout>" * 140_000])
def test_long_messages_are_parsed_in_linear_time(text: str) -> None:
    env = tooled()
    with at_most(millions=20):
        _, reward, _, _, _ = env.step(text)
    assert reward == 0.0


def test_forks_share_tools_and_not_their_counts() -> None:
    env = tooled()
    env.step("<shout>hey</shout>")
    twin = env.fork()
    env.step("<shout>hey</shout>")
    assert twin.toolbox.tools["shout"] is SHOUT
    assert env.step(env.base.oracle())[4]["metrics"]["tool_calls"] == 2.0
    assert twin.step(twin.base.oracle())[4]["metrics"]["tool_calls"] == 1.0


def test_a_window_of_long_actions_stays_an_observation() -> None:
    env = ObservationWindow(turnwise.make("GuessNumber", max_turns=5))
    env.reset(seed=2)
    for _ in range(4):
        assert env.step("x" * 1_000_000)[0] in env.observation_space


# ---- gymnasium's own wrappers ----------------------------------------------------------------------------------------

END = {"solved", "metrics", "reward_valid"}


def lost(env: gymnasium.Env[str, str]) -> dict[str, Any]:
    """The last info of an episode of wrong guesses."""
    env.reset(seed=1)
    for _ in range(20):
        _, _, terminated, truncated, info = env.step("1")
        if terminated or truncated:
            return info
    raise AssertionError("no end")


def test_a_time_limit_keeps_the_result() -> None:
    limited = gymnasium.make("turnwise/GuessNumber-v0", max_episode_steps=3, max_number=1000)
    assert not END & lost(limited).keys(), "gymnasium's TimeLimit cannot know it"
    for env in (
        Outcome(limited),
        Outcome(gymnasium.wrappers.TimeLimit(turnwise.make("GuessNumber", max_number=1000), 3)),
    ):
        info = lost(env)
        assert info.keys() >= END
        assert (info["solved"], info["metrics"]["turns"], info["reward_valid"]) == (False, 3.0, True)
        with pytest.raises(UsageError):
            env.base.step("1")  # it has ended, and holds nothing any more
    own = turnwise.make("GuessNumber", max_number=1000, max_episode_steps=3)
    assert "3 guesses" in own.reset(seed=1)[0], "the agent is told of the limit"
    assert lost(own)["metrics"]["turns"] == 3.0
    with pytest.raises(SettingsError, match="the same limit"):
        turnwise.make("GuessNumber", max_turns=2, max_episode_steps=3)


def test_an_outcome_is_not_written_over() -> None:
    env = Outcome(turnwise.make("GuessNumber"))
    env.reset(seed=1)
    info = env.step(str(env.base.task.secret))[4]
    assert info["solved"] is True
    twin = Outcome(turnwise.make("GuessNumber", max_turns=2, max_number=1000))
    assert lost(twin)["metrics"]["turns"] == 2.0
    assert env.spec is not None and env.spec.additional_wrappers[-1].name == "Outcome"


def test_statistics_and_autoreset_keep_the_result() -> None:
    env = gymnasium.wrappers.RecordEpisodeStatistics(turnwise.make("GuessNumber", max_turns=3, max_number=1000))
    info = lost(env)
    assert info.keys() >= END and info["episode"]["l"] == 3
    env = gymnasium.wrappers.Autoreset(turnwise.make("GuessNumber", max_turns=2, max_number=1000))
    assert lost(env).keys() >= END
    assert env.step("1")[4].keys() == {"task_id"}, "the next episode"


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_vector_environments_keep_the_result(mode: str) -> None:
    make = {"vectorization_mode": mode, "num_envs": 2, "max_number": 1000}
    for settings in ({"max_turns": 2}, {"max_episode_steps": 2, "wrappers": [Outcome]}):
        with contextlib.closing(gymnasium.make_vec("turnwise/GuessNumber-v0", **make, **settings)) as envs:  # type: ignore[arg-type]
            envs.reset(seed=1)
            envs.step(("1", "1"))
            _, _, terminated, truncated, infos = envs.step(("1", "1"))
            assert truncated.all() and not terminated.any()
            assert infos["_solved"].all() and not infos["solved"].any()
            assert infos["metrics"]["turns"].tolist() == [2.0, 2.0]


def test_the_native_vector_environment_takes_gymnasium_s_limit() -> None:
    envs = gymnasium.make_vec("turnwise/GuessNumber-v0", num_envs=2, max_episode_steps=2, max_number=1000)
    envs.reset(seed=1)
    envs.step(("1", "1"))
    _, _, _, truncated, infos = envs.step(("1", "1"))
    assert truncated.all() and [m["turns"] for m in infos["metrics"]] == [2.0, 2.0]
