"""What only the model can measure, against forward passes made here, and trained with: two steps, saved, two more."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from tests.baselines.methods._made import under
from tests.baselines.trainer._small import (
    KNOWN,
    THINK,
    WORDS,
    Repeat,
    assert_resumes,
    begun,
    logps_of,
    measured,
    metrics,
    small,
    start,
    train,
    weights,
)
from turnwise.baselines.methods.credit.intrinsic import self_judge
from turnwise.baselines.methods.credit.learners import EstimatorSettings
from turnwise.baselines.methods.credit.tokens import gae, reinforce_pp
from turnwise.baselines.trainer import train as module
from turnwise.baselines.trainer.advantage import Batch, reward_signal, shaped_signal
from turnwise.baselines.trainer.measure import ProgressEstimator, turn_contexts
from turnwise.baselines.trainer.rollouts import Rollout
from turnwise.core.episode import Job
from turnwise.core.errors import SettingsError
from turnwise.core.wrappers import Retry
from turnwise.engine.tokens import Stream
from turnwise.envs.games.guess_number import GuessNumber
from turnwise.envs.games.mastermind import Mastermind
from turnwise.envs.games.wordle import Wordle
from turnwise.envs.math.countdown import Countdown

VARIANTS = {
    "self_judge": {"reward": "self_judge"},
    "frozen_judge": {"reward": "self_judge", "reward.by": "reference", "reward.question": "blue or red"},
    "rlpr": {**THINK, "reward": "rlpr", "reward_filter.warmup": 1, "reward_filter.decay": 0.5},
    "em_rl_token": {"reward": "em_rl_token"},
    "igpo": {**KNOWN, "credit": "igpo"},
    "spa": {"credit": "spa", "credit.estimator.updates": 4},
    "gae": {"credit": "gae", "credit.critic.lr": 1e-3, "credit.critic.warmup": 1},
    "bi_level_gae": {"credit": "bi_level_gae", "credit.whiten": True, "credit.critic.optimizer": "muon"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_resume_is_exact(tmp_path, name):
    whole, parts = assert_resumes(tmp_path, **VARIANTS[name])
    first, second = whole.measures.state_dict(), parts.measures.state_dict()
    assert repr(first) == repr(second)


# ---- reference answers ----


def test_reference_answers():
    single = Retry(Countdown(), 3)
    single.reset(seed=1)
    assert single.unwrapped.max_turns == 3 and single.unwrapped.reference() == single.unwrapped.oracle()
    for game in (GuessNumber(), Mastermind(), Wordle()):
        game.reset(seed=1)
        assert game.reference() != game.oracle()
        assert game.step(game.reference())[4]["solved"]
    game = Repeat()
    game.reset(seed=1)
    assert game.reference() is None


def test_references_are_kept_only_where_they_are_needed(tmp_path):
    for credit, kept in (("grpo", False), ("igpo", True)):
        _, groups, _ = begun(tmp_path / credit, **KNOWN, credit=credit)
        found = {t.reference for g in groups for t in g.rollouts}
        assert (found <= set(WORDS)) if kept else found == {None}


def test_an_environment_without_reference_is_named(tmp_path):
    with pytest.raises(SettingsError, match=r"tests/Repeat-v0 has no reference answer .* credit 'igpo'"):
        train(small(tmp_path, credit="igpo"))


# ---- measures against forward passes ----


def test_info_is_the_probability_of_the_answer_before_each_turn(tmp_path):
    run, _, arrays = begun(tmp_path, **KNOWN, credit="igpo")
    info = arrays("info")
    assert info.shape == (12, 3)
    seen = set()
    for row, t in zip(info, arrays.runs, strict=True):
        answer = run.source.collector.renderer.encode(t.reference)
        contexts = turn_contexts(t)
        seen.add(len(contexts))
        expected = [np.exp(logps_of(run, context, answer).mean()) for context in contexts]
        assert row[: len(contexts)] == pytest.approx(expected, rel=1e-4)
        assert row[len(contexts)] == row[len(contexts) - 1]  # nothing is read after the last turn
        assert not row[len(contexts) + 1 :].any()
    assert seen == {1, 2}


def test_the_shaping_of_an_environment_is_learned_from_only_where_asked_for(tmp_path):
    """Every wrong word costs a half here; the score knows nothing of it."""
    shaped = {"shaping": ["environment"], "shaping.environment.weight": 2.0}
    for shaping, weight in (({}, 0.0), (shaped, 2.0)):
        changes = {"env": "tests/Dear-v0", **shaping}
        run, groups, arrays = begun(tmp_path / str(weight), **changes)
        batch = shaped_signal(run.cfg, Batch.of(groups))
        wrong = [tuple(-0.5 * (t.action != r.turns[0].observation[4:]) for t in r.turns) for r in arrays.runs]
        assert any(sum(row) for row in wrong)
        for rollout, signal, costs in zip(arrays.runs, batch.signals, wrong, strict=True):
            assert tuple(turn.shaping for turn in rollout.turns) == costs
            assert signal == tuple(r + weight * c for r, c in zip(rollout.rewards, costs, strict=True))
            assert rollout.total in (0.0, 1.0)


def test_entropies_and_logps_are_those_of_the_sampled_tokens(tmp_path):
    run, _, arrays = begun(tmp_path, reward="em_rl_token")
    entropies, sampled = arrays("entropies"), arrays("logps")
    assert not entropies[~arrays("mask")].any() and entropies[arrays("mask")].min() > 0
    (t, *_), ids = arrays.runs, arrays.runs[0].streams[0].ids
    with torch.no_grad():
        table = run.policy.model(input_ids=torch.tensor([ids])).logits[0].float().log_softmax(-1)
    at = np.flatnonzero(t.streams[0].mask)
    expected = -(table.exp() * table).sum(-1)[at - 1].numpy()
    assert entropies[0][at] == pytest.approx(expected, rel=1e-4)
    assert sampled[0][at] == pytest.approx(table[at - 1, np.array(ids)[at]].numpy(), abs=1e-4)


@pytest.mark.slow
def test_rlpr_puts_the_reference_behind_the_reasoning(tmp_path):
    run, groups, arrays = begun(tmp_path, **THINK, reward="rlpr")
    renderer = run.source.collector.renderer
    probs, direct, mask = (arrays(name) for name in ("answer_probs", "baseline_probs", "answer_mask"))
    tagged = 0
    for i, t in enumerate(arrays.runs):
        word, text = t.reference.partition("<answer>")[2], t.turns[0].action
        prompt, answer = turn_contexts(t)[0], renderer.encode(word if "<answer>" in text else t.reference)
        assert mask[i].sum() == len(answer)
        reasoning = []
        if "<answer>" in text:
            tagged += 1
            reasoning = renderer.encode(text[: text.rindex("<answer>") + len("<answer>")])
        tag = renderer.encode("<answer>") if reasoning else []
        assert probs[i][mask[i]] == pytest.approx(np.exp(logps_of(run, prompt + reasoning, answer)), rel=1e-3)
        assert direct[i][mask[i]] == pytest.approx(np.exp(logps_of(run, prompt + tag, answer)), rel=1e-3)
    assert tagged > 6
    scores = [t.total for t in arrays.runs]
    batch = reward_signal(run.cfg, Batch.of(groups), partial(run.measures, partial(module.per_token, run)))
    expected = np.clip((probs - direct).sum(1) / mask.sum(1), 0, 1)
    assert [sum(signal) for signal in batch.signals] == pytest.approx(expected)
    assert [t.total for t in arrays.runs] == scores  # the score is the environment's


def test_rlpr_rewards_thinking_of_the_answer_and_of_another_not(tmp_path):
    """Negative control: with the references of other tasks, the reward prefers no right thought."""
    run, groups, arrays = begun(tmp_path, **THINK, reward="rlpr", groups_per_step=24, group_size=4)
    right = np.array([t.turns[0].action.split("<")[0] == t.reference.split("<")[0] for t in arrays.runs])
    assert 20 < right.sum() < 80

    def lead(groups):
        batch = reward_signal(run.cfg, Batch.of(groups), partial(run.measures, partial(module.per_token, run)))
        rewards = np.array([sum(signal) for signal in batch.signals])
        return rewards[right].mean() - rewards[~right].mean()

    def misled(t):
        word = t.reference.split("<")[0]
        other = WORDS[(WORDS.index(word) + 1) % 4]
        return replace(t, reference=f"{other}<answer>{other}")

    others = [replace(g, rollouts=tuple(map(misled, g.rollouts))) for g in groups]
    assert lead(groups) > 0.05 > lead(others)


def test_the_answer_tag_may_share_a_token_with_the_answer(tmp_path):
    run, _, _ = begun(tmp_path, **THINK, reward="rlpr")
    renderer = run.source.collector.renderer
    ids = renderer.encode("so<answer>red</answer>")
    assert renderer.decode(run.measures._before_answer(ids)) == "so<answer>"
    assert run.measures._before_answer(renderer.encode("red")) == []


def test_verdicts(tmp_path):
    """p(yes) / (p(yes) + p(no)) = 0.3 / 0.4; numbers that exp cannot hold are no accident."""
    assert self_judge(np.log([0.3, 0.5]), np.log([0.1, 0.5])) == pytest.approx([0.75, 0.5])
    assert self_judge([-2000.0, 0.0], [0.0, -2000.0]) == pytest.approx([0.0, 1.0])
    run, _, arrays = begun(tmp_path, reward="self_judge", **{"reward.yes": "red", "reward.no": "blue"})
    renderer = run.source.collector.renderer
    question = [{"role": "user", "content": "Was the task solved? Answer yes or no."}]
    for i, t in enumerate(arrays.runs):
        ids = t.streams[-1].ids
        context = [*ids, *renderer.bridge(question, closed=ids[-1] in renderer.stop_ids)]
        for name, word in (("yes_logps", "red"), ("no_logps", "blue")):
            expected = logps_of(run, context, renderer.encode(word)).sum()
            assert arrays(name)[i] == pytest.approx(expected, rel=1e-4)


def test_rows_without_room_are_not_asked(tmp_path):
    run, _, arrays = begun(tmp_path, reward="self_judge")
    run.measures.max_len = 1
    assert not arrays("yes_logps").any() and not arrays("no_logps").any()


# ---- what is learnt for them ----


@pytest.mark.slow
def test_the_estimator_follows_the_gradient_of_its_loss():
    """One step of Adam on mean_i (sum_t c_it - R_i)^2, made with autograd alone, gives the same weights."""
    features, where = torch.randn(5, 3, generator=torch.Generator().manual_seed(0)), [(0, 0), (0, 1), (1, 0), (2, 0)]
    where = np.array([*where, (2, 1)])
    turns = np.array([[True, True], [True, False], [True, True]])
    returns = np.array([1.0, 0.0, 1.0])
    ours, theirs = ProgressEstimator(3, 0, EstimatorSettings(updates=1)), ProgressEstimator(3, 0, EstimatorSettings())
    ours.fit(features, where, turns, returns)
    own = theirs.head(features).squeeze(1)
    sums = torch.stack([own[0] + own[1], own[2], own[3] + own[4]])
    (sums - torch.tensor([1.0, 0.0, 1.0])).square().mean().backward()
    theirs.optimizer.step()
    for a, b in zip(ours.head.parameters(), theirs.head.parameters(), strict=True):
        torch.testing.assert_close(a, b)
    ours.updates = 2000
    assert ours.fit(features, where, turns, returns) < 1e-4
    progress = ours.progress(features, where, turns.shape)
    assert progress.sum(1) == pytest.approx(returns, abs=0.02) and progress[1, 1] == 0


def test_progress_adds_up_to_the_return(tmp_path):
    _, _, arrays = begun(
        tmp_path, credit="spa", **{"credit.estimator.updates": 1000, "credit.estimator.lr": 3e-3}, group_size=8
    )
    returns = arrays("returns")
    assert 0 < returns.mean() < 1
    assert np.abs(arrays("progress").sum(1) - returns).mean() < 0.2
    assert (arrays("executable") == arrays("turns")).all()  # this environment knows no invalid action


@pytest.mark.slow
def test_the_critic_learns_and_lowers_the_variance(tmp_path):
    """Against returns without a critic, and, as control, against values that belong to other tokens."""
    changes = {
        "env": "tests/Luck-v0",
        "credit": "gae",
        "credit.critic.lr": 1e-3,
        "credit.critic.value_clip": None,
        "lr": 1e-5,
    }
    run = train(small(tmp_path, groups_per_step=12, group_size=2, steps=16, **changes))
    explained = metrics(run.folder, "train", "explained_variance")
    assert explained[0] == 0 and np.mean(explained[-3:]) > 0.7
    groups = run.source.take(run.curriculum, 99)
    arrays = measured(run, Batch.of(groups))
    rewards, values, mask = arrays("token_rewards"), arrays("values"), arrays("mask")
    shuffled = np.zeros(mask.shape)
    shuffled[mask] = np.random.default_rng(0).permutation(values[mask])
    plain = reinforce_pp(rewards, mask, whiten=False)[mask].var()
    assert gae(rewards, values, mask)[mask].var() < 0.4 * plain < 0.4 * gae(rewards, shuffled, mask)[mask].var()


def test_targets_are_advantage_plus_value(tmp_path):
    """With lam = 1 and gamma = 1 the target of every token is the return to go, whatever the values are."""
    settings = {"lam": 1.0, "whiten": True}
    run, groups, arrays = begun(tmp_path, credit="gae", **under("credit", {**settings, "critic.lr": 1e-2}))
    torch.nn.init.normal_(run.measures.critic.critic.model.head.weight)
    rows = [row for group in module.credit(run, Batch.of(groups))[1] for row in group.own]
    runs = [t for t in arrays.runs if t.streams]
    for row, t in zip(rows, runs, strict=True):
        to_go = np.cumsum(t.rewards[::-1])[::-1]
        assert np.abs(row.values).max() > 0
        assert row.returns == pytest.approx(to_go[row.turns], abs=1e-5)


def test_the_policy_waits_for_the_critic(tmp_path):
    cfg = small(tmp_path, credit="gae", **{"credit.critic.lr": 1e-3, "credit.critic.warmup": 2}, entropy_coef=0.01)
    run = start(cfg)
    before, head = weights(run), run.measures.critic.critic.model.head.weight.clone()
    again = train(cfg.changed({"out": str(tmp_path / "b")}), stop_after=2)
    assert torch.equal(weights(again), before)
    assert not torch.equal(again.measures.critic.critic.model.head.weight, head)
    assert metrics(again.folder, "train", "grad_norm") == [0, 0]
    assert not torch.equal(weights(train(again.cfg, resume=True)), before)


def test_the_filter_drops_groups_without_spread(tmp_path):
    """After one batch of warm-up, groups below half the average standard deviation are not trained."""
    run, groups, _ = begun(tmp_path, **{"reward_filter.warmup": 1, "reward_filter.decay": 0.5}, reward="em_rl_token")
    signals = []
    for g, spread in zip(groups, (0.0, 1.0, 2.0, 0.1), strict=True):
        for k, t in enumerate(g.rollouts):
            signals.append((0.0,) * (t.num_turns - 1) + (spread * (k - 1),))  # the standard deviation is the spread
    batch = Batch.of(groups).having(signals=signals)
    assert all(run.measures.filtered(batch).kept)
    assert run.measures.std_filter.average == pytest.approx(0.775)  # (0 + 1 + 2 + 0.1) / 4
    assert run.measures.filtered(batch).kept[::3] == (False, True, True, False)
    assert len(run.measures.state_dict()["std_filter"]) == 2


@pytest.mark.slow
def test_try_again_is_shaped_by_the_formula(tmp_path):
    """Solved at the second try: 1 + (0.5 - 1). Twice the same wrong answer: -0.5 (1 - 1/2). Solved at once: 1."""
    changes = {"env_settings": {"max_turns": 1}, "tries": 2, "shaping": ["ufo"], "group_size": 8}
    run, groups, arrays = begun(tmp_path, **changes)
    batch, _ = module.credit(run, Batch.of(groups))
    kinds = set()
    for t, signal in zip(arrays.runs, batch.signals, strict=True):
        same = len({turn.action for turn in t.turns}) < t.num_turns
        expected = (1.0 if t.num_turns == 1 else 0.5) if t.solved else (-0.25 if same else 0.0)
        assert sum(signal) == pytest.approx(expected) and t.total == float(t.solved)
        assert t.num_turns == 1 or t.turns[1].observation == "Try again."
        kinds.add((t.num_turns, t.solved, same))
    assert {(1, True, False), (2, True, False), (2, False, False), (2, False, True)} <= kinds


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"reward": "rlrp"}, "reward is .rlrp. .did you mean .rlpr"),
        ({"reward": "rlpr", "reward.x": 1}, "reward is 'rlpr', which has no setting 'x'"),
        ({"reward_filter.x": 1}, "no setting .reward_filter.x"),
        ({"credit.critic.lr": 1.0}, "no setting .credit.critic.lr"),
        ({"credit": "gae", "credit.critic.x": 1}, "no setting .credit.critic.x"),
        ({"credit": "gae", "credit.critic.lr": 0.0}, "credit.critic.lr is 0.0; it must be above 0"),
        ({"credit": "spa", "credit.estimator.x": 1}, "no setting .credit.estimator.x"),
        ({"reward": "self_judge", "reward.who": "me"}, "reward is 'self_judge', which has no setting 'who'"),
        ({"reward": "self_judge", "reward.by": "you"}, "reward.by is .you.; it must be .policy. or .reference."),
    ],
)
def test_settings_are_checked(tmp_path, changes, message):
    with pytest.raises(SettingsError, match=message):
        small(tmp_path, **changes)


def test_contexts_of_turns():
    stream = Stream()
    stream.context([1, 2])
    stream.action([3, 4], [0.0, 0.0])
    stream.context([5])
    stream.action([6], [0.0])
    other = Stream(num_turns=2)
    other.context([1, 2, 3])
    other.action([7], [0.0])
    run = Rollout(Job("", 0), streams=(stream, other))
    assert turn_contexts(run) == [[1, 2], [1, 2, 3, 4, 5], [1, 2, 3]]
    assert run.actions == [[3, 4], [6], [7]]
