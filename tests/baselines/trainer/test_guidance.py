"""Hints, critiques, demonstrations: who gets them, what is trained of them, and that a resumed run goes on exactly."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.baselines.methods._made import under
from tests.baselines.trainer._small import WORDS, assert_resumes, begun, metrics, small, train
from tests.baselines.trainer.test_train import with_rewards
from turnwise.baselines.methods.curricula.base import TaskSpec
from turnwise.baselines.methods.losses.controllers import amft_weight
from turnwise.baselines.trainer import train as module
from turnwise.baselines.trainer.advantage import Batch
from turnwise.baselines.trainer.context import make_context
from turnwise.baselines.trainer.guidance import (
    GUIDED,
    hint_of,
    make_guidance,
    solution_of,
)
from turnwise.baselines.trainer.rollouts import Rollout
from turnwise.core.episode import Turn
from turnwise.core.errors import SettingsError
from turnwise.engine.conversation import tell

VARIANTS = {
    "hints": {"guidance": "hints", "group_size": 2, "guidance.shares": [0.5, 1.0]},
    "critique": {"guidance": "critique", "env_settings": {"dense": True}, "credit": "turn_rtg_loo"},
    "amft": {"guidance": "imitation", "guidance.amft": True, "guidance.amft.entropy_lr": 0.05, "guidance.weight": 0.3},
    "rl_plus": {
        "guidance": "imitation",
        "guidance.objective": "rl_plus",
        "guidance.mix": "sum",
        "guidance.weight": 1.0,
        "guidance.only_unsolved": True,
        "old_logps": "recompute",
        "context": "row_per_turn",
        "token_weights": ["high_entropy_mask"],
        "token_weights.high_entropy_mask.keep": 0.5,
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_resume_is_exact(tmp_path, name):
    whole, parts = assert_resumes(tmp_path, **VARIANTS[name])
    assert sum(metrics(whole.folder, "train", "guidance/helped")) > 0
    assert whole.guidance.state_dict() == parts.guidance.state_dict()
    if name != "hints":
        assert any(metrics(whole.folder, "train", "external_loss"))


def solved_by(plays, hint):
    """A player whose episodes are solved where the hint is long enough."""
    played = []
    for play in plays:
        solved = len(play.hint) >= len(hint)
        played.append(Rollout(play, (Turn("", "", float(solved)),), solved=solved))
    return played


def with_solved(group, solved):
    """The group with only this rollout solved."""
    return replace(group, rollouts=tuple(replace(t, solved=k == solved) for k, t in enumerate(group.rollouts)))


# ---- hints ----


def test_hints_are_a_share_of_the_solution():
    """0.25 x 5 pieces = 1.25, so 2; never nothing, and all of it only if the share is 1."""
    pieces = ["a", "b", "c", "d", "e"]
    told = {0.01: "a", 0.25: "a\nb", 0.75: "a\nb\nc\nd", 0.99: "a\nb\nc\nd", 1.0: "a\nb\nc\nd\ne"}
    assert {share: hint_of(pieces, share) for share in told} == told
    assert [hint_of(["a", "b"], share) for share in (0.25, 0.75, 1.0)] == ["a", "a", "a\nb"]


def test_hints_are_the_reasoning_of_a_row_never_letters_of_its_answer(tmp_path):
    solutions = ("Each bag has 4.\nSo 3*4 = <<3*4=12>>12.\n#### 12", "Count on from 5. That is six more.\n#### 11")
    path = tmp_path / "own.jsonl"

    def write(answers):
        rows = [{"question": f"Question {n}?", "answer": answers[n % len(answers)]} for n in range(40)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    write(solutions)
    cfg = small(tmp_path, env="Dataset", env_settings={"path": str(path)}, guidance="hints")
    tasks = [TaskSpec("Dataset", {"path": str(path)}, seed) for seed in range(20)]
    told = {tuple(solution_of(cfg, task, None)) for task in tasks}
    assert told == {("Each bag has 4.", "So 3*4 = 12."), ("Count on from 5.", "That is six more.")}
    assert make_guidance(cfg, None, 64).settings.shares
    write(["11"])
    with pytest.raises(SettingsError, match=r"guidance is 'hints', but Dataset takes one answer"):
        make_guidance(cfg, None, 64)


def test_only_groups_that_failed_are_hinted(tmp_path):
    run, groups, _ = begun(tmp_path, guidance="hints", group_size=3)
    groups = [with_solved(g, 1 if i == 0 else None) for i, g in enumerate(groups)]
    words = [solution_of(run.cfg, g.task, None) for g in groups]
    asked = []

    def play(plays):
        asked.append(plays)
        return [t for p in plays for t in solved_by([p], hints[p.seed])]

    text = "\n\nHint: "  # the second task needs the first stage, the third the second; nothing helps the fourth
    enough = ["", hint_of(words[1], 0.25), hint_of(words[2], 0.5), " ".join(words[3]) + " and more"]
    hints = {g.task.seed: text + hint for g, hint in zip(groups, enough, strict=True)}
    guided = run.guidance.help(groups, step=5, horizon=None, play=play)
    assert guided[0] is groups[0] and guided[3] is groups[3]
    for i in (1, 2):
        assert guided[i].rollouts[0] is groups[i].rollouts[0]
        assert [bool(t.job.hint) for t in guided[i].rollouts] == [False, True, True]
        assert not any(t.external for t in guided[i].rollouts)
        assert not any(t.solved for t in groups[i].rollouts)  # those played stay as they are
    assert run.guidance.helped == 2
    of_task = {seed: [p.hint for part in asked for p in part if p.seed == seed] for seed in hints}
    assert groups[0].task.seed not in {p.seed for part in asked for p in part}
    w = words[3]
    assert of_task[groups[3].task.seed] == [text + hint_of(w, s) for s in (0.25, 0.25, 0.5, 0.5, 0.75, 0.75)]
    keys = [p.key for part in asked for p in part]
    assert len(set(keys)) == len(keys) and all(key[:2] == (GUIDED, 5) for key in keys)


def test_nothing_is_played_where_nothing_failed(tmp_path):
    run, groups, _ = begun(tmp_path, guidance="hints")
    groups = [with_solved(g, 0) for g in groups]
    assert run.guidance.help(groups, step=0, horizon=None, play=lambda plays: list(plays)) == groups
    assert run.source.play([], 0, None) == []


def test_a_hint_is_read_and_trained_as_it_was_read(tmp_path):
    run, _, _ = begun(tmp_path, guidance="hints")
    job = run.curriculum.draw(1, step=0, key=(0,))[0].job((GUIDED, 0, 0, 0), "\n\nHint: red")
    (t,) = run.source.play([job], 0, None)
    prompt = run.policy.tokenizer.decode(t.streams[0].ids)
    assert f"{t.turns[0].observation}\n\nHint: red" in prompt and "Hint" not in t.turns[0].observation


def test_guided_rollouts_may_all_fail(tmp_path):
    """The environment is down: nobody is helped, and the step goes on with what was played."""
    run, groups, _ = begun(tmp_path, guidance="critique")
    groups = [with_solved(g, None) for g in groups]
    down = [replace(g, task=replace(g.task, settings={"fail": 1.0})) for g in groups]
    for guidance in ("critique", "hints", "imitation"):
        helper = make_guidance(run.cfg.changed({"guidance": guidance}), run.source.collector.renderer, 512)
        guided = helper.help(down, step=0, horizon=None, play=lambda plays: run.source.play(plays, 0, None))
        assert helper.helped == 0
        assert [g.rollouts for g in guided] == [g.rollouts for g in down]
        assert not any(g.lessons for g in guided)


# ---- critiques ----


def test_refinements_are_trained_behind_the_plain_prompt(tmp_path):
    run, groups, _ = begun(tmp_path, guidance="critique", **{"guidance.rollouts": 2, "guidance.answer": True})
    asked = []

    def play(plays):
        asked.extend(plays)
        runs = run.source.play(plays, 0, None)
        sampled.extend([i for s in t.streams for i, m in zip(s.ids, s.mask, strict=True) if m] for t in runs)
        return runs

    sampled = []
    guided = run.guidance.help(groups, step=0, horizon=None, play=play)
    failed = [t for g in groups for t in g.valid if not t.solved]
    assert len(asked) == sum(min(2, sum(not t.solved for t in g.valid)) for g in groups) > 0
    first = next(t for t in failed if t.job.seed == asked[0].seed)
    assert all(text in asked[0].hint for text in (*(turn.action for turn in first.turns), first.final_observation))
    refined = [t for g in guided for t in g.rollouts if t.external]
    assert len(refined) == len(asked) == len(sampled)
    rows = module.credit(run, Batch.of(guided))[1]
    external = [row for task in rows for row in task.external]
    for t, row, tokens in zip(refined, external, sampled, strict=True):
        assert row.ids[row.actions].tolist() == tokens
        prompt = run.policy.tokenizer.decode(row.ids[: row.actions[0]])
        assert t.turns[0].observation in prompt and "attempt" not in prompt
        plain = next(g for g in groups if g.task.seed == t.job.seed).rollouts[0].streams[0]
        assert row.ids[: row.actions[0]].tolist() == plain.ids[: plain.mask.index(1)]
    assert sum(len(task.own) + len(task.external) for task in rows) == sum(len(g.valid) for g in guided)
    keys = [t.job.key for g in guided for t in g.rollouts]
    assert len(set(keys)) == len(keys)


def test_the_group_is_the_baseline_of_a_refinement(tmp_path):
    """Returns 0, 0, 0 and a refinement with 1: under Dr. GRPO it has 1 - 1/4, the others -1/4."""
    run, groups, _ = begun(tmp_path, guidance="critique", credit="dr_grpo")
    guided = run.guidance.help(groups, step=0, horizon=None, play=lambda plays: run.source.play(plays, 0, None))
    guided = [
        replace(g, rollouts=tuple(with_rewards(t, float(k >= 3)) for k, t in enumerate(g.rollouts))) for g in guided
    ]
    for task in module.credit(run, Batch.of(guided))[1]:
        found = [{round(float(a), 6) for row in rows for a in row.advantages} for rows in (task.own, task.external)]
        assert found in ([{-0.25}, {0.75}], [{0.0}, set()])


@pytest.mark.parametrize(
    ("context", "settings"), [("append", {}), ("row_per_turn", {}), ("window", {"turns": 1}), ("drop_observations", {})]
)
def test_telling_an_episode_gives_the_rows_that_were_played(tmp_path, context, settings):
    run, _, arrays = begun(tmp_path, context=context, group_size=4, **under("context", settings))
    for t in arrays.runs:
        told = tell(
            make_context(run.cfg.rollout.context, run.source.collector.renderer),
            zip([turn.observation for turn in t.turns], t.actions, strict=True),
            512,
        )
        assert [(s.ids, s.mask, s.turns) for s in told] == [(s.ids, s.mask, s.turns) for s in t.streams]


# ---- demonstrations ----


def test_demonstrations_are_the_oracles_and_no_part_of_the_baseline(tmp_path):
    run, groups, _ = begun(tmp_path, guidance="imitation")
    _, plain = module.credit(run, module.choose(run, groups))
    _, guided = module.credit(run, module.choose(run, module.guide(run, groups)))
    assert run.guidance.helped == 4
    for before, after in zip(plain, guided, strict=True):
        for a, b in zip(before.own, after.own, strict=True):
            assert np.array_equal(a.ids, b.ids) and np.array_equal(a.advantages, b.advantages)
        (lesson,) = after.external
        word = run.policy.tokenizer.decode(lesson.ids[lesson.actions[:-1]])
        assert word in WORDS and (lesson.advantages == 1).all()
        assert f"Say {word}" in run.policy.tokenizer.decode(lesson.ids)


def test_joined_demonstrations_have_an_advantage(tmp_path):
    settings = {"objective": "policy_shaping", "mix": "sum", "weight": 1.0, "only_unsolved": True}
    run, groups, _ = begun(tmp_path, guidance="imitation", credit="dr_grpo", **under("guidance", settings))
    guided = module.choose(run, module.guide(run, groups))
    for before, after in zip(groups, guided.groups, strict=True):
        failed = not any(t.solved for t in before.rollouts)
        assert [t.external for t in after.rollouts] == [False] * 3 + [True] * failed
        assert before.rollouts == after.rollouts[:3] and after.returns[3:] == [1.0] * failed
    for row in (row for task in module.credit(run, guided)[1] for row in task.external):
        assert row.advantages == pytest.approx(0.75)  # 1 - 1/4


def test_an_update_is_the_weighted_sum_of_both_losses(tmp_path, monkeypatch):
    """Gradient of 0.7 RL + 0.3 SFT, each a mean over its own tokens."""
    settings = {"guidance": "imitation", "guidance.weight": 0.3, "minibatches": 1, "optimizer": "adamw"}
    run, groups, _ = begun(tmp_path, **settings)
    rows = module.annotate(run, module.credit(run, module.choose(run, module.guide(run, groups)))[1])

    def gradient():
        found = [p.grad.clone().flatten() for p in run.policy.model.parameters()]
        run.policy.model.zero_grad()
        return torch.cat(found)

    grads = []
    for external in (False, True):
        part = [row for task in rows for row in (task.external if external else task.own)]
        totals = module.Totals(module.count(part), len(part), run.max_tokens)
        run.guidance.weight = float(external)
        module.accumulate(run, part, totals, module.Sums(), entropy=False, external=external)
        grads.append(gradient())
    together, run.guidance.weight = [], 0.3
    monkeypatch.setattr(run.optimizer, "step", lambda lr: together.append(gradient()) or 1.0)
    stats = module.update(run, rows, fresh=True)
    torch.testing.assert_close(together[0], 0.7 * grads[0] + 0.3 * grads[1], atol=1e-6, rtol=1e-4)
    logps = torch.cat([module.score(run, run.policy, [r])[0] for task in rows for r in task.external])
    assert stats["external_loss"] == pytest.approx(-float(logps.mean()), rel=1e-4)


def test_old_log_probabilities_of_external_rows_are_the_policys(tmp_path):
    settings = {"objective": "rl_plus", "mix": "sum", "weight": 1.0}
    run, groups, _ = begun(tmp_path, guidance="imitation", **under("guidance", settings))
    rows = module.annotate(run, module.credit(run, module.choose(run, module.guide(run, groups)))[1])
    for row in (row for task in rows for row in task.external):
        assert row.old_logps == pytest.approx(module.score(run, run.policy, [row])[0].numpy(), abs=1e-5)
        assert row.old_logps.max() < 0


def test_the_weight_follows_the_entropy(tmp_path):
    """mu_2 = mu_1 + 0.05 (H_0 - H_1); in the first step the target is the entropy itself, so mu stays."""
    changes = {"guidance": "imitation", "guidance.amft": True, "guidance.amft.entropy_lr": 0.05, "guidance.weight": 0.3}
    run = train(small(tmp_path, steps=3, lr=2e-2, warmup=0, **changes))
    entropy, weight = (metrics(run.folder, "train", key) for key in ("entropy", "guidance/weight"))
    assert weight[:2] == [0.3, 0.3]
    assert weight[2] == amft_weight(0.3, entropy[1], target_entropy=entropy[0], entropy_lr=0.05)
    assert weight[2] == pytest.approx(0.3 + 0.05 * (entropy[0] - entropy[1])) and weight[2] != 0.3
    assert run.guidance.weights == (1 - run.guidance.weight, run.guidance.weight)


@pytest.mark.slow
def test_demonstrations_are_learnt(tmp_path):
    """With mu = 0.9 they become likely; with mu = 0, the control, hardly more than they were."""
    losses = {}
    for weight in (0.0, 0.9):
        changes = {"guidance": "imitation", "guidance.weight": weight, "steps": 8, "lr": 4e-3}
        run = train(small(tmp_path / str(weight), **changes))
        losses[weight] = metrics(run.folder, "train", "external_loss")
    assert losses[0.9][0] == pytest.approx(losses[0.0][0], rel=0.3)
    assert losses[0.9][-1] < 0.5 * losses[0.0][-1]


@pytest.mark.parametrize(
    ("guidance", "settings", "message"),
    [
        ("hints", {"share": 1}, "guidance is 'hints', which has no setting 'share' .did you mean 'shares'"),
        ("hints", {"shares": []}, r"guidance.shares is \[.*\]; they must be above 0"),
        ("hints", {"shares": [1.5]}, r"guidance.shares is \[.*\]; they must be above 0"),
        ("hints", {"keep": 3}, "guidance.keep is 3; it must be from 0 to group_size - 1 = 2"),
        ("hints", {"text": "no place"}, "it must have {hint} in it"),
        ("critique", {"rollouts": 0}, "guidance.rollouts is 0; it must be at least 1"),
        ("critique", {"objective": "ppo_clip"}, "guidance.objective is .ppo_clip.; it must be sft"),
        ("imitation", {"weight": 1.5}, "guidance.weight is 1.5; it must be at most 1"),
        ("imitation", {"amft.x": 1}, "no setting .guidance.amft.x"),
        ("imitation", {"amft": True, "mix": "sum"}, "guidance.mix is .sum.; it must be .convex."),
    ],
)
def test_settings_are_checked(tmp_path, guidance, settings, message):
    with pytest.raises(SettingsError, match=message):
        small(tmp_path, guidance=guidance, **under("guidance", settings))


def test_what_cannot_be_told_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="summaries"):
        small(tmp_path, guidance="imitation", context="summarise")
    cfg = small(tmp_path)
    with pytest.raises(SettingsError, match="guidance 'critique' compares returns"):
        cfg.changed({"guidance": "critique", "reward": "em_rl_token"})
    with pytest.raises(SettingsError, match=r"guidance is 'hint' .did you mean 'hints'"):
        cfg.changed({"guidance": "hint"})
