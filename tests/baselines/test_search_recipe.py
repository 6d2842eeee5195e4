"""Recipes that search run, with the outcome, with what each turn gains, and with IGPO's information gain."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.baselines.trainer._small import metrics, quick
from turnwise.baselines.recipes.search import search_two_hop, search_two_hop_outcome
from turnwise.baselines.trainer import train as module
from turnwise.baselines.trainer.collect import make_env
from turnwise.core.env import seed_of

NAME = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?")
SMALL = {
    "warm_steps": 10, "steps": 2, "groups_per_step": 4, "group_size": 4, "eval_tasks": 8, "eval_every": 0,
    "trackers": (),
}  # fmt: skip


@pytest.mark.slow
def test_the_answer_must_be_searched_for_twice() -> None:
    """On the test tasks: the most frequent answer of training, a random agent, any name of the first document."""
    cfg = search_two_hop()
    train, test = (make_env(cfg, split).unwrapped for split in ("train", "test"))
    answers: Counter[str] = Counter()
    for i in range(256):
        train.reset(seed=seed_of("closed book", i))
        answers[train.task.question.gold] += 1
    ((usual, _),) = answers.most_common(1)
    rng, tasks = np.random.default_rng(0), 256
    closed_book = first_document = at_random = 0.0
    for i in range(tasks):
        question = test.reset(seed=seed_of("eval", i))[0]
        gold = test.task.question.gold
        closed_book += usual == gold
        document = test.step(f"<search>{NAME.findall(question)[-1]}</search>")[0]
        names = NAME.findall(document)
        first_document += names.count(gold) / max(1, len(names))
        solved = None
        while solved is None:
            solved = test.step(test.sample_action(rng))[4].get("solved")
        at_random += solved
    assert max(closed_book, first_document, at_random) <= 0.02 * tasks


@pytest.mark.slow
@pytest.mark.parametrize("credit", ["turn_rtg_loo", "igpo", "outcome"])
def test_a_few_steps(tmp_path: Path, credit: str) -> None:
    cfg = search_two_hop_outcome() if credit == "outcome" else search_two_hop().changed({"credit": credit})
    cfg = cfg.changed({**SMALL, "env_settings": {**cfg.env.settings, "worlds": 4}, "out": str(tmp_path)})
    with quick():
        run = module.train(cfg, quiet=True)
    assert len(metrics(run.folder, "train", "loss")) == 2
    assert max(metrics(run.folder, "train", "logp_gap")) < 1e-5
