"""The recipe of requests about one table: what its tasks ask for, and a few steps of it."""

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.baselines.trainer._small import metrics, quick
from turnwise.baselines.recipes.databases import sql_one_table
from turnwise.baselines.trainer import train as module
from turnwise.baselines.trainer.collect import make_env
from turnwise.core.env import seed_of

TASKS = 64
SEEN = 600
SMALL = {
    "warm_steps": 4, "steps": 2, "groups_per_step": 4, "group_size": 4, "eval_tasks": 8, "eval_every": 0,
    "trackers": (),
}  # fmt: skip


def requests(split: str = "test") -> Any:
    return make_env(sql_one_table(), split).unwrapped


def family(env: Any) -> str:
    return str(env.task.question.family)


def condition(env: Any) -> tuple[str, ...]:
    """What a request asks for, whatever its table is called."""
    return (*env.task.tables, env.reference().replace(f"FROM {env.any_table()} ", "FROM it "))


def test_training_has_many_queries_and_none_of_the_test() -> None:
    train, test = requests("train"), requests()
    seen = set()
    for i in range(SEEN):
        train.reset(seed=seed_of("by heart", i))
        seen.add(condition(train))
    assert len(seen) > SEEN / 2
    for i in range(TASKS):
        test.reset(seed=seed_of("eval", i))
        assert condition(test) not in seen


def test_no_query_known_by_heart_will_do() -> None:
    """Neither the likeliest query, nor the likeliest condition of the kind of request, nor one without a condition."""
    train, test = requests("train"), requests()
    queries: dict[str, Counter[str]] = defaultdict(Counter)
    conditions: dict[str, Counter[str]] = defaultdict(Counter)
    for i in range(SEEN):
        train.reset(seed=seed_of("by heart", i))
        query = train.reference()
        queries[train.any_table()][query] += 1
        conditions[f"{family(train)} {train.task.question.returns}"][re.sub(r"FROM \w+", "FROM {}", query)] += 1
    solved: Counter[str] = Counter()
    rng = np.random.default_rng(0)
    for i in range(TASKS):
        habits = {
            "table": lambda: queries[test.any_table()].most_common(1)[0][0],
            "kind": lambda: (
                conditions[f"{family(test)} {test.task.question.returns}"].most_common(1)[0][0].format(test.any_table())
            ),
            "bare": lambda: test.reference().partition(" WHERE ")[0],
            "random": lambda: test.sample_action(rng),
            "follow": test.reference,
        }
        for habit, query in habits.items():
            test.reset(seed=seed_of("eval", i))
            solved[habit] += bool(test.step(f"<answer>{query()}</answer>")[-1]["solved"])
    assert solved["follow"] == TASKS
    assert solved["random"] == solved["bare"] == 0
    assert solved["table"] <= 0.1 * TASKS and solved["kind"] <= 0.1 * TASKS


@pytest.mark.slow
def test_a_few_steps(tmp_path: Path) -> None:
    cfg = sql_one_table().changed({**SMALL, "out": str(tmp_path)})
    with quick():
        run = module.train(cfg, quiet=True)
    assert len(metrics(run.folder, "train", "loss")) == 2
    assert max(metrics(run.folder, "train", "logp_gap")) < 1e-5
