"""TelecomDesk: a phone that only seems to work is not paid."""

import pickle

from turnwise.envs.desks._oracle import next_action
from turnwise.envs.desks.telecom import TelecomDesk


def troubled(**settings: object) -> TelecomDesk:
    """Return a desk at which somebody has a phone that they have to do something with."""
    env = TelecomDesk(goals=1, refused=0, impostors=0.0, beyond=0.0, **settings)
    for seed in range(100):
        env.reset(seed=seed)
        if any(one.goal.steps for one in env.case.settled):
            return env
    raise AssertionError("nobody has a phone that does not work")


def test_somebody_whose_phone_does_not_work_is_not_talked_into_being_served() -> None:
    env = troubled()
    while "<tool_call>" in (action := env.oracle()) or "Shall I go ahead?" in action or action.startswith("Could you"):
        env.step(action)
    for _ in range(3):
        observation, reward, ended, _, _ = env.step("That is fixed now. Is there anything else I can help you with?")
        assert reward == 0.0 and not env.person.closed[0]
    assert not ended and any(word in observation for word in ("doesn't", "still", "fixed", "No, nothing"))
    over = False
    while not over:
        _, reward, over, _, info = env.step(env.oracle())
    assert reward == 1.0 and info["metrics"]["works"] == 1.0


def test_a_fork_has_a_phone_of_its_own() -> None:
    env = troubled(faults=5)
    twins = [env.fork(), pickle.loads(pickle.dumps(env))]
    assert earned_from(env) == 1.0
    for twin in twins:
        assert twin.device.desk is twin.desk and twin.person.hands is twin.device
        assert not twin.device.works(twin.case.works[0])
        assert earned_from(twin) == 1.0


def earned_from(env: TelecomDesk) -> float:
    """Play on to the end."""
    over = False
    while not over:
        _, reward, over, _, _ = env.step(next_action(env.case, env.desk, env.person))
    return reward
