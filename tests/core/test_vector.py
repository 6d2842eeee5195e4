"""The native vector environment against gymnasium's SyncVectorEnv, partial steps, resets by mask."""

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import turnwise  # noqa: F401  (registers)
from turnwise.core.errors import SettingsError, UsageError
from turnwise.core.vector import RaggedVectorEnv
from turnwise.envs.games.guess_number import GuessNumber
from turnwise.envs.math.countdown import Countdown

N = 5


def ragged(**settings: Any) -> RaggedVectorEnv:
    env = gymnasium.make_vec("turnwise/GuessNumber-v0", N, **settings)
    assert isinstance(env, RaggedVectorEnv)
    return env


def same(first: Any, second: Any) -> bool:
    """Equality of the five-tuples and info dictionaries, arrays included."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(value, second[key]) for key, value in first.items())
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and first.tolist() == second.tolist()
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(same, first, second))
    return type(first) is type(second) and first == second


@pytest.mark.parametrize("seed", [3, [9, 8, 7, 6, 5]])
def test_equals_sync_vector_env_step_by_step(seed: Any) -> None:
    ours = ragged(max_turns=4)
    theirs = SyncVectorEnv([lambda: GuessNumber(max_turns=4)] * N, autoreset_mode=AutoresetMode.DISABLED)
    assert ours.single_action_space == theirs.single_action_space
    assert ours.observation_space == theirs.observation_space
    assert ours.metadata["autoreset_mode"] == AutoresetMode.DISABLED
    rng = np.random.default_rng(0)
    mine, other = ours.reset(seed=seed), theirs.reset(seed=seed)
    assert mine[0] == other[0]
    assert mine[1]["task_id"].tolist() == other[1]["task_id"].tolist()
    ended = 0
    for _ in range(60):
        actions = tuple(str(int(n)) if n else "what?" for n in rng.integers(0, 33, N))
        mine_, other_ = ours.step(actions), theirs.step(actions)
        for one, two in zip(mine_[:4], other_[:4], strict=True):
            assert np.array_equal(one, two) and type(one) is type(two)
        for i in range(N):
            for key in ("solved", "invalid_action", "metrics", "reward_valid"):
                assert told(mine_[4], key, i) == told(other_[4], key, i)
        over = mine_[2] | mine_[3]
        if over.any():
            ended += int(over.sum())
            mine, other = ours.reset(options={"reset_mask": over}), theirs.reset(options={"reset_mask": over.copy()})
            assert mine[0] == other[0]
            assert mine[1]["_task_id"].tolist() == over.tolist()
    assert ended > 50


def told(infos: dict[str, Any], key: str, i: int) -> Any:
    if key not in infos or (f"_{key}" in infos and not infos[f"_{key}"][i]):
        return None
    if isinstance(infos[key], dict):  # gymnasium stacks nested dictionaries
        return {name: float(values[i]) for name, values in infos[key].items() if not name.startswith("_")}
    return infos[key][i]


def test_partial_steps() -> None:
    env, lone = ragged(), GuessNumber()
    first, _ = env.reset(seed=0)
    lone.reset(seed=2)
    for actions in ({2: "16"}, [None, None, "8", None, None], {2: "oops"}):
        observations, rewards, terminated, truncated, infos = env.step(actions)
        action = actions[2]
        assert action is not None
        expected = lone.step(action)
        assert observations[2] == expected[0] and rewards[2] == expected[1]
        assert [o for i, o in enumerate(observations) if i != 2] == [o for i, o in enumerate(first) if i != 2]
        assert rewards.shape == terminated.shape == truncated.shape == (N,)
        assert [e.turn for e in env.envs] == [0, 0, lone.turn, 0, 0]
    assert infos["invalid_action"].tolist() == [None, None, True, None, None]
    assert infos["_invalid_action"].tolist() == [False, False, True, False, False]
    assert env.step({})[4] == {}
    assert env.step([None] * N)[1].tolist() == [0.0] * N


def test_the_end_is_kept_until_the_reset() -> None:
    env = ragged(max_turns=3)
    env.reset(seed=0)
    secrets = [str(e.task.secret) for e in env.envs]
    observations, rewards, terminated, _, infos = env.step({1: secrets[1]})
    assert rewards.tolist() == [0.0, 1.0, 0.0, 0.0, 0.0] and terminated.tolist() == [False, True, False, False, False]
    assert infos["solved"][1] is True and infos["metrics"][1]["turns"] == 1.0
    observations, rewards, terminated, truncated, infos = env.step({0: "no", 4: "no"})
    assert observations[1] == "Correct." and rewards[1] == 0.0 and terminated[1] and "solved" not in infos
    with pytest.raises(UsageError):
        env.step({1: "5"})
    env.step({0: "no"})
    _, _, _, truncated, _ = env.step({0: "no"})
    assert truncated.tolist() == [True, False, False, False, False]
    kept = env.reset(options={"reset_mask": np.array([False, True, False, False, False])})
    assert kept[0][0] == observations[0] and kept[0][1].startswith("I am thinking")
    assert kept[1]["_task_id"].tolist() == [False, True, False, False, False]
    _, _, terminated, truncated, _ = env.step({1: "what?"})
    assert not terminated.any() and truncated.tolist() == [True, False, False, False, False]


def test_returned_arrays_are_not_changed_later() -> None:
    env = ragged()
    env.reset(seed=0)
    first = env.step(["no"] * N)
    texts, flags = first[0], first[2].copy()
    env.step([str(e.task.secret) for e in env.envs])
    assert first[0] == texts == ("Not a guess: answer with one whole number.",) * N
    assert first[2].tolist() == flags.tolist() == [False] * N


def test_seeds() -> None:
    env = ragged()
    tasks = [env.reset(seed=s)[1]["task_id"].tolist() for s in (4, [4, 5, 6, 7, 8], 4)]
    assert tasks[0] == tasks[1] == tasks[2]
    assert tasks[0] == [GuessNumber().reset(seed=4 + i)[1]["task_id"] for i in range(N)]
    assert env.reset()[1]["task_id"].tolist() != tasks[0], "without a seed the generators go on"
    assert env.reset(seed=[4, None, None, None, 8])[1]["task_id"][[0, 4]].tolist() == [tasks[0][0], tasks[0][4]]
    with pytest.raises(UsageError, match="2 seeds"):
        env.reset(seed=[1, 2])


def test_environments_without_a_seed_do_not_repeat_each_other() -> None:
    env = RaggedVectorEnv(GuessNumber, 20, max_number=10**9)
    assert len(set(env.reset()[1]["task_id"].tolist())) == 20


def test_wrong_number_of_actions() -> None:
    env = ragged()
    env.reset(seed=0)
    with pytest.raises(UsageError, match="4 actions for 5"):
        env.step(["1"] * 4)
    with pytest.raises((UsageError, IndexError)):
        env.step({N: "1"})


def test_made_by_make_vec() -> None:
    env = gymnasium.make_vec("turnwise/Countdown-v0", 3, difficulty=4, max_turns=2)
    assert isinstance(env, RaggedVectorEnv) and env.num_envs == 3
    assert all(isinstance(e, Countdown) and e.num_numbers == 4 and e.max_turns == 2 for e in env.envs)
    assert env.spec is not None and env.spec.id == "turnwise/Countdown-v0"
    observations, _ = env.reset(seed=1)
    assert observations in env.observation_space and env.action_space.sample() in env.action_space
    _, rewards, terminated, _, _ = env.step([e.oracle() for e in env.envs])
    assert rewards.tolist() == [1.0] * 3 and terminated.all()
    with pytest.raises(SettingsError, match="num_numbers"):
        gymnasium.make_vec("turnwise/Countdown-v0", 3, num_numbers=99)
    env.close()


def test_render_and_pickle() -> None:
    env = ragged(render_mode="ansi")
    env.reset(seed=0)
    env.step(["no"] * N)
    assert env.render() == ("Not a guess: answer with one whole number.",) * N
    assert ragged().render() is None
    twin = pickle.loads(pickle.dumps(env))
    guess = ["11"] * N
    assert same(env.step(guess)[:4], twin.step(guess)[:4])
    env.step({0: "1"})
    assert (env.envs[0].turn, twin.envs[0].turn) == (3, 2)


def test_no_environments_are_refused() -> None:
    with pytest.raises(SettingsError, match="num_envs is 0; it must be at least 1"):
        gymnasium.make_vec("turnwise/GuessNumber-v0", num_envs=0)
