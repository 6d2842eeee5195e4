"""The recipe of the small desk: what its tasks ask for, and a few steps of it."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.baselines.trainer._small import metrics, quick
from tests.envs.desks._clerks import earned
from turnwise.baselines.recipes.desks import desk_fines
from turnwise.baselines.trainer import train as module
from turnwise.baselines.trainer.collect import make_env
from turnwise.core.env import seed_of

TASKS = 48
SMALL = {
    "warm_steps": 4, "steps": 2, "groups_per_step": 4, "group_size": 4, "eval_tasks": 8, "eval_every": 0,
    "trackers": (),
}  # fmt: skip


def desk(split: str = "test") -> Any:
    return make_env(desk_fines(), split).unwrapped


def solved(env: Any, seed: int, *messages: str) -> bool:
    """Say some messages, the last one until the episode ends."""
    env.reset(seed=seed)
    for text in (*messages, *messages[-1:] * env.max_turns):
        *_, terminated, truncated, info = env.step(text)
        if terminated or truncated:
            return bool(info["solved"])
    raise AssertionError("the episode did not end")


def test_fines_are_charged_only_once_agreed_and_everything_is_said() -> None:
    env = desk()
    found: dict[str, Counter[str]] = {}
    for i in range(TASKS):
        seed = seed_of("eval", i)
        env.reset(seed=seed)
        kind = found.setdefault(env.case.settled[0].goal.kind, Counter())
        kind["tasks"] += 1
        for habit in ("follow", "rush", "mute", "refuse"):
            kind[habit] += earned(env, seed, habit) == 1.0
    assert set(found) == {"pay", "ask"} and min(kind["tasks"] for kind in found.values()) > TASKS / 4
    for kind in found.values():
        assert kind["follow"] == kind["tasks"] and kind["mute"] == kind["refuse"] == 0
    assert found["pay"]["rush"] == 0 and found["ask"]["rush"] == found["ask"]["tasks"]


def test_no_account_or_amount_known_by_heart_will_do() -> None:
    train, test = desk("train"), desk()
    accounts: Counter[str] = Counter()
    amounts: Counter[str] = Counter()
    for i in range(TASKS):
        train.reset(seed=seed_of("by heart", i))
        accounts[train.case.account] += 1
        amounts[train.case.settled[0].say[0].text] += 1
    ((account, _),), ((amount, _),) = accounts.most_common(1), amounts.most_common(1)
    (fine,) = re.findall(r"F\d+", train.step(f"<list_fines>{train.case.account}</list_fines>")[0])[:1]
    pay = ("I can charge it to your card. Shall I go ahead?", f"<take_payment>{fine}</take_payment>")
    told = f"That is {amount}. Is there anything else I can help you with?"
    seeds = [seed_of("eval", i) for i in range(TASKS)]
    assert sum(solved(test, s, f"<get_member>{account}</get_member>", told) for s in seeds) <= 0.1 * TASKS
    assert sum(solved(test, s, *pay, told) for s in seeds) <= 0.1 * TASKS
    rng = np.random.default_rng(0)
    assert not any(solved(test, s, *(test.sample_action(rng) for _ in range(6))) for s in seeds)


@pytest.mark.slow
def test_a_few_steps(tmp_path: Path) -> None:
    cfg = desk_fines().changed({**SMALL, "out": str(tmp_path)})
    with quick():
        run = module.train(cfg, quiet=True)
    assert len(metrics(run.folder, "train", "loss")) == 2
    assert max(metrics(run.folder, "train", "logp_gap")) < 1e-5
