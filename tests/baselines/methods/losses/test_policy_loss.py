"""The whole loss: the plain formula bit for bit, independence of the split, checks of the specification."""

from dataclasses import fields, replace

import pytest
import torch
from torch import Tensor

from tests.baselines.methods._made import loss_spec
from turnwise.baselines.methods.losses import OBJECTIVES, LossSpec, TokenBatch, Totals, policy_loss
from turnwise.baselines.methods.losses.policy import LossStats
from turnwise.core.errors import SettingsError, UsageError

LENGTHS = (3, 1, 4, 2, 6, 1)
TOTALS = Totals(tokens=17, sequences=6, max_tokens=8)
SPECS = [loss_spec(objective=name) for name in OBJECTIVES if name != "luspo"] + [
    loss_spec(objective="luspo", aggregation="sequence_sum", objective_settings={"clip_low": 0.1, "clip_high": 0.1}),
    loss_spec(objective="gspo", aggregation="sequence_mean", objective_settings={"clip_low": 0.1, "clip_high": 0.1}),
    loss_spec(objective_settings={"level": "turn"}, aggregation="sequence_mean", kl_coef=0.1, kl_estimator="k3+"),
    loss_spec(objective_settings={"level": "sequence"}, aggregation="constant", kl_coef=0.1, kl_importance=True),
    loss_spec(aggregation="sequence_sum", kl_coef=0.1, kl_estimator="k1", kl_in="reward"),
    loss_spec(aggregation="sequence_mean", entropy_coef=0.05),
]


def batch(dtype: torch.dtype = torch.float32, seed: int = 0) -> TokenBatch:
    g = torch.Generator().manual_seed(seed)
    n = sum(LENGTHS)

    def noise(scale: float) -> Tensor:
        return torch.randn(n, generator=g, dtype=dtype) * scale

    old = -torch.rand(n, generator=g, dtype=dtype) * 2 - 0.1
    turns = torch.cat([torch.arange(length) // 2 for length in LENGTHS])
    return TokenBatch(
        logps=(old + noise(0.5)).clamp(max=-0.01), old_logps=old, advantages=noise(1.0), turns=turns,
        rows=torch.repeat_interleave(torch.arange(len(LENGTHS)), torch.tensor(LENGTHS)),
        entropy=noise(0.5).abs(), sampler_logps=old + noise(0.05), ref_logps=old + noise(0.2), weights=noise(1.0).abs(),
    )  # fmt: skip


def take(data: TokenBatch, keep: Tensor, rows: Tensor) -> TokenBatch:
    """Some tokens, whose rows get new numbers."""
    values = {f.name: getattr(data, f.name)[keep] for f in fields(data)}
    return TokenBatch(**values | {"rows": rows})


def split(data: TokenBatch, parts: list[list[int]]) -> list[TokenBatch]:
    """Whole rows, in the order given, numbered from 0 in each part."""
    batches = []
    for part in parts:
        where = [(data.rows == row).nonzero().squeeze(1) for row in part]
        numbers = [torch.full_like(w, i) for i, w in enumerate(where)]
        batches.append(take(data, torch.cat(where), torch.cat(numbers)))
    return batches


def run(data: TokenBatch, spec: LossSpec, parts: list[list[int]]) -> tuple[Tensor, Tensor, Tensor, list[float]]:
    """Summed loss, gradients to log-probabilities and entropies, summed statistics."""
    logps, entropy = data.logps.clone().requires_grad_(), data.entropy.clone().requires_grad_()
    live = replace(data, logps=logps, entropy=entropy)
    results = [policy_loss(part, spec, TOTALS) for part in split(live, parts)]
    loss = torch.stack([loss for loss, _ in results]).sum()
    loss.backward()
    stats = [sum(float(getattr(s, f.name)) for _, s in results) for f in fields(LossStats)]
    return loss.detach(), logps.grad, torch.zeros(()) if entropy.grad is None else entropy.grad, stats


@pytest.mark.parametrize(("aggregation", "denominator"), [("token_mean", 17.0), ("constant", 48.0)])
@pytest.mark.parametrize("kl_coef", [0.0, 0.1])
def test_default_is_the_plain_formula_bit_for_bit(aggregation, denominator, kl_coef):
    data = replace(batch(), weights=None)
    x, y = data.logps.clone().requires_grad_(), data.logps.clone().requires_grad_()
    ratio = (x - data.old_logps).exp()
    clipped = ratio.clamp(0.8, 1.28) * data.advantages
    total = -torch.minimum(ratio * data.advantages, clipped).sum()
    if kl_coef:
        gap = x - data.ref_logps
        total = total + kl_coef * ((-gap).exp() + gap - 1).sum()
    plain = total / denominator
    plain.backward()
    loss, stats = policy_loss(replace(data, logps=y), loss_spec(aggregation=aggregation, kl_coef=kl_coef), TOTALS)
    loss.backward()
    assert torch.equal(loss, plain) and torch.equal(y.grad, x.grad)
    outside = ((data.advantages > 0) & (ratio > 1.28)) | ((data.advantages < 0) & (ratio < 0.8))
    assert stats.tokens == 17 and int(stats.clipped) == int(outside.sum()) > 0
    delta = data.logps - data.old_logps
    assert float(stats.kl_old) == pytest.approx(float((delta.exp() - 1 - delta).sum()), rel=1e-5)


@pytest.mark.parametrize("spec", SPECS, ids=lambda s: f"{s.objective.METHOD}-{s.aggregation}-{s.kl.estimator}")
def test_any_split_and_order_gives_the_same(spec):
    data = batch()
    loss, grad, entropy_grad, stats = run(data, spec, [[0, 1, 2, 3, 4, 5]])
    assert grad.abs().sum() > 0
    for parts in (
        [[0], [1], [2], [3], [4], [5]],
        [[0, 1], [2, 3, 4], [5]],
        [[5, 3, 1, 0, 2, 4]],
        [[4, 0], [5, 1, 3, 2]],
    ):
        again = run(data, spec, parts)
        torch.testing.assert_close(again[0], loss, rtol=1e-6, atol=1e-6)
        torch.testing.assert_close(again[1], grad, rtol=1e-6, atol=1e-7)
        torch.testing.assert_close(again[2], entropy_grad, rtol=1e-6, atol=1e-7)
        assert again[3] == pytest.approx(stats, rel=1e-5, abs=1e-6)


def test_micro_batch_means_would_depend_on_the_split():
    """Negative control: denominators counted per micro-batch give another loss for another split."""
    data, spec = batch(), loss_spec()

    def local(parts: list[list[int]]) -> float:
        found = [policy_loss(p, spec, Totals(len(p.rows), 1, 8))[0] for p in split(data, parts)]
        return float(torch.stack(found).mean())

    assert local([[0, 1, 2], [3, 4, 5]]) != pytest.approx(local([[0], [1, 2, 3, 4, 5]]), rel=1e-3)


@pytest.mark.parametrize("spec", SPECS, ids=lambda s: f"{s.objective.METHOD}-{s.aggregation}-{s.kl.estimator}")
def test_loss_is_the_weighted_sum_of_its_terms(spec):
    """In double precision against a loop over rows that knows nothing of flat tensors."""
    data = batch(torch.float64)
    whole, _ = policy_loss(replace(data, logps=data.logps.clone()), replace(spec, entropy_coef=0.0), TOTALS)
    total = 0.0
    for part, length in zip(split(data, [[i] for i in range(6)]), LENGTHS, strict=True):
        scale = {"token_mean": 17.0, "sequence_mean": 6.0 * length, "sequence_sum": 6.0, "constant": 48.0}
        once = policy_loss(part, replace(spec, aggregation="sequence_sum", entropy_coef=0.0), Totals(1, 1, 1))[0]
        total += float(once) / scale[spec.aggregation]
    assert float(whole) == pytest.approx(total, rel=1e-10)


def test_weights_scale_the_objective_and_not_the_divergence():
    data = batch()
    zero = replace(data, weights=torch.zeros_like(data.logps))
    loss, stats = policy_loss(zero, loss_spec(kl_coef=0.5), TOTALS)
    assert float(loss) == pytest.approx(0.5 * float(stats.kl_ref) / 17, rel=1e-6)
    doubled = policy_loss(replace(data, weights=torch.full_like(data.logps, 2.0)), loss_spec(), TOTALS)[0]
    assert float(doubled) == pytest.approx(2 * float(policy_loss(replace(data, weights=None), loss_spec(), TOTALS)[0]))


def test_entropy_bonus_by_hand():
    """One token, two outcomes with logits a and 0: dH/da = -p (1 - p) a."""
    a = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    logp = torch.stack([a, torch.zeros_like(a)]).log_softmax(0)
    entropy = -(logp.exp() * logp).sum()
    one = torch.zeros(1, dtype=torch.int64)
    data = TokenBatch(
        logps=logp[:1], old_logps=logp[:1].detach(), advantages=torch.zeros(1, dtype=torch.float64), rows=one,
        turns=one, entropy=entropy[None],
    )  # fmt: skip
    loss, stats = policy_loss(data, loss_spec(entropy_coef=0.1), Totals(1, 1, 1))
    p = 1 / (1 + torch.tensor(-0.7, dtype=torch.float64).exp())
    assert torch.autograd.grad(loss, a)[0].item() == pytest.approx(0.1 * float(p * (1 - p)) * 0.7)
    assert float(stats.entropy) == pytest.approx(entropy.item())


def test_divergence_in_the_reward():
    """k1 off the advantages: the gradient of ppo_clip with A - 0.1 (old - ref)."""
    data = replace(batch(torch.float64), weights=None)
    x, y = data.logps.clone().requires_grad_(), data.logps.clone().requires_grad_()
    spec = loss_spec(kl_coef=0.1, kl_estimator="k1", kl_in="reward")
    policy_loss(replace(data, logps=x), spec, TOTALS)[0].backward()
    penalised = data.advantages - 0.1 * (data.old_logps - data.ref_logps)
    policy_loss(replace(data, logps=y, advantages=penalised), loss_spec(), TOTALS)[0].backward()
    assert torch.equal(x.grad, y.grad)


def test_corrected_divergence():
    """The term in the loss is rho * k3: its value is the statistic, its gradient also that of rho."""
    data = replace(batch(torch.float64), weights=torch.zeros(17, dtype=torch.float64))
    x = data.logps.clone().requires_grad_()
    loss, stats = policy_loss(replace(data, logps=x), loss_spec(kl_coef=0.5, kl_importance=True), TOTALS)
    gap, rho = x - data.ref_logps, (x - data.old_logps).exp()
    expected = 0.5 * (rho * ((-gap).exp() + gap - 1)).sum() / 17
    assert loss.item() == pytest.approx(expected.item()) == pytest.approx(0.5 * float(stats.kl_ref) / 17)
    torch.testing.assert_close(torch.autograd.grad(loss, x)[0], torch.autograd.grad(expected, x)[0])


def test_specifications_are_checked_when_made():
    for settings, word in [
        ({"objective": "ppo"}, "ppo_clip"),
        ({"objective_settings": {"clip": 0.2}}, "clip_low"),
        ({"objective_settings": {"stats": {}}}, "stats"),
        ({"objective_settings": {"advantages": 1}}, "advantages"),
        ({"objective_settings": {"clip_low": "wide"}}, "wide"),
        ({"objective": "dual_clip", "objective_settings": {"c": 0.5}}, "c is 0.5; it must be above 1"),
        ({"aggregation": "mean"}, "token_mean"),
        ({"kl_coef": -0.1}, "coef is -0.1; it must be at least 0"),
        ({"kl_estimator": "k4"}, "k3"),
        ({"kl_in": "both"}, "where is 'both'"),
        ({"kl_coef": 0.1, "kl_estimator": "k1"}, "zero"),
        ({"kl_in": "reward", "kl_importance": True}, "kl_importance"),
        ({"objective": "luspo"}, "sequence_sum"),
    ]:
        with pytest.raises(SettingsError, match=word):
            loss_spec(**settings)


def test_batches_that_lack_something_are_refused():
    data = replace(batch(), sampler_logps=None, ref_logps=None, entropy=None)
    for spec, word in [
        (loss_spec(objective="aipo"), "sampler_logps"),
        (loss_spec(objective="decoupled_ppo"), "sampler_logps"),
        (loss_spec(kl_coef=0.1), "ref_logps"),
        (loss_spec(entropy_coef=0.1), "entropy"),
    ]:
        with pytest.raises(UsageError, match=word):
            policy_loss(data, spec, TOTALS)
    dead = replace(batch(), logps=batch().logps.requires_grad_())
    with pytest.raises(UsageError, match="gradient"):
        policy_loss(dead, loss_spec(entropy_coef=0.1), TOTALS)
    assert policy_loss(data, loss_spec(), TOTALS)[1].entropy == 0.0
