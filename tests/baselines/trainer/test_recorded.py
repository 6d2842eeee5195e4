"""An update from a file of rollouts is the one that the trainer makes of its own."""

import dataclasses
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.baselines.trainer._small import config, start, train, weights
from turnwise.agents.local import LocalAgent
from turnwise.baselines.trainer.collect import make_env
from turnwise.baselines.trainer.context import make_context
from turnwise.baselines.trainer.recorded import groups_of, learn
from turnwise.baselines.trainer.rollouts import Group
from turnwise.baselines.trainer.source import Source
from turnwise.baselines.trainer.train import Run
from turnwise.core.errors import TurnwiseError
from turnwise.core.player import rollout
from turnwise.evaluation.rollouts import read_rollouts, rows_of, write_rollouts

FAILING = {"credit": "gigpo", "context": "row_per_turn", "env_settings": {"dense": True, "fail": 0.4}}


def recorded(run: Run, groups: list[Group], path: Path) -> Path:
    """The jobs of these groups, played by the run's model through the local agent, as a file."""
    cfg = run.cfg
    collector = run.source.collector
    jobs = [dataclasses.replace(r.job, sample=i) for group in groups for i, r in enumerate(group.rollouts)]
    agent = LocalAgent(
        collector.engine,
        collector.renderer,
        concurrency=collector.max_rows,
        max_new_tokens=cfg.rollout.max_new_tokens,
        temperature=cfg.rollout.temperature,
        seed=cfg.run.seed,
        context=partial(make_context, cfg.rollout.context),
        tokens=True,
    )
    played = {e.job.name: e for e in rollout(agent, jobs, make=partial(make_env, cfg, "train"), retries=0)}
    episodes = [played[job.name] for job in jobs]
    write_rollouts(path, [row for episode in episodes for row in rows_of(episode, keep_cut=True)])
    return path


@pytest.mark.parametrize("changes", [{}, FAILING])
def test_an_update_from_a_file_is_the_trainers_own(
    changes: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[Group] = []
    take = Source.take

    def keeping(source: Source, *args: Any) -> list[Group]:
        taken.extend(found := take(source, *args))
        return found

    monkeypatch.setattr(Source, "take", keeping)
    own = train(config(tmp_path / "own", steps=1, **changes), quiet=True)
    run = start(config(tmp_path / "file", steps=1, **changes))
    before = weights(run)
    groups = groups_of(read_rollouts(recorded(run, taken, tmp_path / "rollouts.parquet")))
    assert [[r.valid for r in group.rollouts] for group in groups] == [[r.valid for r in g.rollouts] for g in taken]
    for ours, theirs in zip(groups, taken, strict=True):
        for a, b in zip(ours.rollouts, theirs.rollouts, strict=True):
            if b.valid:
                assert a.streams == b.streams and a.rewards == b.rewards and a.status == b.status
    stats = learn(run, groups)
    assert stats["grad_norm"] > 0 and not torch.equal(before, weights(run)) and run.step == 1
    assert torch.equal(weights(own), weights(run)), "bit for bit"
    if changes:
        assert not all(r.valid for group in groups for r in group.rollouts)
        assert any(len(r.streams) > 1 for group in groups for r in group.rollouts if r.valid)
    run.source.close()


def test_a_file_of_other_weights_is_refused_as_the_present_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start(config(tmp_path / "a"))
    groups = groups_of(
        dataclasses.replace(row, logps=[2 * logp for logp in row.logps])
        for row in read_rollouts(recorded(run, run.source.take(run.curriculum, 0), tmp_path / "r.jsonl"))
    )
    with pytest.raises(TurnwiseError, match="log-prob"):
        learn(run, groups)
    older = [Group(g.task, tuple(dataclasses.replace(r, version=7) for r in g.rollouts)) for g in groups]
    learn(run, older)
    run.source.close()
