"""The contract of an environment of others: what tests/test_envs.py asks of ours, where there is no oracle to ask.

Called by tests/outside for those that need no package, and by the scripts beside this file for the others.
"""

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.utils.env_checker import check_env

from turnwise.core.env import seed_of
from turnwise.core.errors import UsageError

__all__ = ["contract"]

HOSTILE = (
    "", " ", "\x00", "\n\n\n", "\ud800 lone surrogate \udfff", "<|im_end|>", "9**9**9**9", "{}", "[]", "null", "nan",
    "__import__('os').system('id')", "<answer></answer>", "\\boxed{}", "<answer><answer><answer>", "%s%n", "[[[[",
    "a" * 100_000, "<tool_call>{}</tool_call>", '{"reward": 1, "done": true}',
)  # fmt: skip

Make = Callable[..., Any]


def played(env: Any, seed: int, fork_at: int = -1, most: int = 40) -> list[Any]:
    """The transcript of a random agent, with the checks of every turn; a copy goes on from ``fork_at``."""
    text, info = env.reset(seed=seed)
    assert text in env.observation_space and isinstance(info["task_id"], str), (text, info)
    found: list[Any] = [(text, info)]
    rng, total = np.random.default_rng(seed % 2**32), 0.0
    for turn in range(most):
        action = env.sample_action(rng)
        assert action in env.action_space
        text, reward, terminated, truncated, info = env.step(action)
        assert text in env.observation_space and type(reward) is float, (text, reward)
        assert type(terminated) is bool and type(truncated) is bool and not (terminated and truncated)
        found.append((action, text, reward, terminated, truncated, info))
        total += reward
        if terminated or truncated:
            ended(env, total, info)
            return found
        assert not {"solved", "metrics"} & set(info), "nothing of the end is told before the end"
        if turn == fork_at:
            twin = env.fork()
            env.step("the copy does not hear this")
            env = twin
    return found


def ended(env: Any, total: float, info: dict[str, Any]) -> None:
    """What holds at the end of an episode."""
    assert 0.0 <= total <= 1.0 and (total == 1.0) == info["solved"], (total, info)
    assert info["reward_valid"] is True, info.get("error")
    assert all(type(value) is float for value in info["metrics"].values())
    try:
        env.step("after the end")
    except UsageError:
        return
    raise AssertionError("a step after the end was played")


def hostile(env: Any, seed: int, texts: tuple[str, ...]) -> None:
    """No text breaks an environment, or is paid in full."""
    for text in texts:
        env.reset(seed=seed)
        total, over = 0.0, False
        for _ in range(3):
            said, reward, terminated, truncated, info = env.step(text)
            total, over = total + reward, terminated or truncated
            assert said in env.observation_space, text[:40]
            if over:
                assert info["reward_valid"] is True, (text[:40], info.get("error"))
                break
        assert total < 1.0, f"{text[:40]!r} is paid"


def splits(make: Make, count: int) -> None:
    """The two splits share no task."""
    ids: dict[str, set[str]] = {}
    for split in ("train", "test"):
        env = make(split=split)
        ids[split] = {env.reset(seed=seed_of("split", i))[1]["task_id"] for i in range(count)}
        env.close()
    assert ids["train"] and ids["test"] and not ids["train"] & ids["test"]


def contract(make: Make, *, forks: bool = True, split: bool = True, pickles: bool = True, seeds: int = 3) -> None:
    """Check an environment.

    Args:
        make: Makes one, unwrapped, with the settings given by name.
        forks: Its episodes can be copied; else a copy must be refused by a `UsageError`.
        split: It has enough tasks for a split.
        pickles: It can be pickled before it is played.
        seeds: Episodes to play.
    """
    env = make()
    try:
        env.step("before reset")
        raise SystemExit("a step before reset was played")
    except UsageError:
        pass
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env, skip_render_check=True)
    if pickles:
        twin = pickle.loads(pickle.dumps(make()))
        assert twin.reset(seed=1) == env.reset(seed=1)
        twin.close()
    other = make()
    for i in range(seeds):
        seed = seed_of("contract of others", i)
        first = played(env, seed)
        other.reset(seed=seed_of("another", i))
        assert played(other, seed) == first, f"seed {seed} is another episode the second time"
        if forks:
            assert played(other, seed, fork_at=0) == first, f"seed {seed} ends otherwise in a copy"
    if not forks:
        env.reset(seed=1)
        try:
            env.fork()
            raise SystemExit("a copy was made")
        except UsageError:
            pass
    hostile(env, seed_of("hostile"), (*HOSTILE, *type(env).cheats))
    other.close()
    env.close()
    if split:
        splits(make, 6)
