"""MultiTurnCalls: what makes a turn right or wrong."""

from collections.abc import Callable

import pytest

from turnwise.core.errors import SettingsError
from turnwise.core.tools import call_text
from turnwise.envs.calls.multi_turn_calls import MAX_MESSAGE, PATIENCE, MultiTurnCalls

Act = Callable[[MultiTurnCalls], str | None]


def played(env: MultiTurnCalls, act: Act, seed: int = 0) -> dict[str, float]:
    """Play what ``act`` says, and the oracle where it says nothing; the metrics, with ``solved``."""
    env.reset(seed=seed)
    over = False
    while not over:
        said = act(env)
        _, _, ended, cut, info = env.step(env.oracle() if said is None else said)
        over = ended or cut
    return {**info["metrics"], "solved": float(info["solved"])}


def once(when: Callable[[MultiTurnCalls], bool], say: Callable[[MultiTurnCalls], str]) -> Act:
    """Do something else than the oracle the first time that it fits."""
    done: list[bool] = []

    def act(env: MultiTurnCalls) -> str | None:
        if done or not when(env):
            return None
        done.append(True)
        return say(env)

    return act


def following(env: MultiTurnCalls) -> str:
    """The calls of the next turn."""
    return "\n".join(call_text(one.name, one.arguments) for one in env.talk.turns[env.place + 1].calls)


DETAILS = {"turns": 3, "missing_details": 2, "questions": 0.0}
FUNCTIONS = {"turns": 3, "missing_details": 0, "missing_functions": 2, "questions": 0.0}


@pytest.mark.parametrize("seed", range(4))
def test_whoever_guesses_a_missing_detail_is_wrong(seed):
    env = MultiTurnCalls(**DETAILS)
    kind = lambda env: env._turn.kind == "detail"  # noqa: E731
    assert played(env, once(kind, following), seed)["solved"] == 0.0
    ended = played(env, once(kind, lambda env: "That is done."), seed)
    assert ended["solved"] == 0.0 and ended["plain_right"] == 1.0 and ended["detail_right"] < 1.0
    assert played(env, once(kind, lambda env: "Which one do you mean?"), seed)["solved"] == 1.0


@pytest.mark.parametrize("seed", range(4))
def test_whoever_claims_to_have_used_a_missing_function_is_wrong(seed):
    env = MultiTurnCalls(**FUNCTIONS)
    kind = lambda env: env._turn.kind == "function"  # noqa: E731
    assert played(env, once(kind, lambda env: "That is done."), seed)["solved"] == 0.0
    assert played(env, once(kind, lambda env: "I have no function that can do that."), seed)["solved"] == 1.0
    early = played(env, once(kind, following), seed)
    assert early["tool_errors"] == 1.0, "the function is not there"


def test_functions_are_added_to_the_tools_when_the_user_says_so():
    env = MultiTurnCalls(**FUNCTIONS)
    env.reset(seed=1)
    before = {tool.name for tool in env.tools()}
    texts = [env.reset(seed=1)[0]]
    over = False
    while not over:
        observation, _, ended, cut, _ = env.step(env.oracle())
        texts.append(observation)
        over = ended or cut
    new = {tool.name for tool in env.tools()} - before
    assert len(new) == 2 and not any(f"- {name}:" in texts[0] for name in new)
    assert all(any(f"New function:\n- {name}:" in text for text in texts[1:]) for name in new)


@pytest.mark.parametrize("seed", range(3))
def test_one_change_too_many_or_too_few_is_wrong(seed):
    env = MultiTurnCalls(apis=1, distractors=6, missing_details=0)
    ready = lambda env: bool(env._queue)  # noqa: E731
    lights = {"mode": "parking" if seed else "high"}
    assert played(env, once(lambda env: True, lambda env: call_text("set_lights", lights)), seed)["solved"] == 0.0
    look = once(lambda env: True, lambda env: call_text("show_car", {}))
    assert played(env, look, seed)["solved"] == 1.0, "looking things up is free"
    assert played(env, once(ready, lambda env: "That is done."), seed)["solved"] == 0.0


def test_a_question_must_be_answered_and_not_with_a_list():
    env = MultiTurnCalls(turns=4, questions=1.0, missing_details=0)
    asked = lambda env: not env._queue and bool(env._turn.answers)  # noqa: E731
    assert played(env, lambda env: None)["solved"] == 1.0
    assert played(env, once(asked, lambda env: "That is done."))["solved"] == 0.0
    listed = lambda env: env.oracle() + " " + " ".join(str(n) for n in range(40))  # noqa: E731
    assert played(env, once(asked, listed))["solved"] == 0.0
    named = lambda env: env.oracle() + " " + ", ".join(r.text for a in env._turn.answers for r in a.rivals)[:400]  # noqa: E731
    rivals = lambda env: asked(env) and any(a.rivals for a in env._turn.answers)  # noqa: E731
    seeds = [seed for seed in range(8) if played(env, once(rivals, named), seed)["solved"] == 0.0]
    assert seeds, "no question has rivals"


def test_the_user_answers_needless_questions_only_so_often():
    env = MultiTurnCalls(missing_details=0, questions=0.0)
    env.reset(seed=0)
    for _ in range(PATIENCE):
        assert "go ahead" in env.step("Shall I do that now?")[0] or env.asked
        assert env.place == 0
    env.step("Shall I do that now?")
    assert env.place == 1
    left = [PATIENCE]

    def polite(env: MultiTurnCalls) -> str | None:
        left[0] -= 1
        return "Shall I go ahead?" if left[0] >= 0 else None

    assert played(env, polite)["solved"] == 1.0


def test_long_messages_are_not_delivered_and_partial_pay_counts_turns():
    env = MultiTurnCalls(partial=True, missing_details=0, questions=0.0, turns=4)
    env.reset(seed=2)
    assert env.step("x" * (MAX_MESSAGE + 1))[4]["invalid_action"]
    total, over = 0.0, False
    wrong = once(lambda env: env.place == 3, lambda env: "That is done.")
    while not over:
        _, reward, ended, cut, info = env.step(wrong(env) or env.oracle())
        total, over = total + reward, ended or cut
    assert total == 0.5 * 3 / 4 and info["metrics"]["turns_right"] == 3 / 4


def test_settings_that_do_not_go_together_are_refused():
    with pytest.raises(SettingsError, match="distractors"):
        MultiTurnCalls(apis=5, distractors=3)
    with pytest.raises(SettingsError, match="missing"):
        MultiTurnCalls(turns=1, missing_functions=1, missing_details=1)


@pytest.mark.slow
@pytest.mark.parametrize("level", range(1, 11))
def test_oracle_solves_every_seed(level):
    env = MultiTurnCalls(difficulty=level)
    assert all(played(env, lambda env: None, seed)["solved"] == 1.0 for seed in range(60))
