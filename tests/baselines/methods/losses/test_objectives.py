"""Objectives: values by hand, gradients by central differences, and what must not be the same."""

import math

import pytest
import torch
from torch import Tensor

from turnwise.baselines.methods.losses import OBJECTIVES
from turnwise.baselines.methods.losses.hybrid import exploration_advantages, mixture_ratio, policy_shaping, rl_plus
from turnwise.baselines.methods.losses.objectives import (
    aipo,
    cispo,
    decoupled_ppo,
    dual_clip,
    gspo,
    luspo,
    ppo_clip,
    reinforce,
    sft,
)
from turnwise.baselines.methods.losses.ratio import log_ratio
from turnwise.core.errors import SettingsError

ROW = torch.zeros(2, dtype=torch.int64)


def doubles(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def own(n: int) -> Tensor:
    """Each token a row of its own."""
    return torch.arange(n)


def batch(seed: int = 0) -> dict[str, Tensor]:
    """Three rows of 3, 2 and 4 tokens; ratios far from the clip bounds and from 1."""
    g = torch.Generator().manual_seed(seed)
    n = 9
    old = -torch.rand(n, generator=g, dtype=torch.float64) * 2 - 0.6
    jump = doubles(-0.5, 0.5, 0.1, 0.4, -0.4, 0.15, -0.1, 0.45, -0.6)
    return {
        "logps": old + jump,
        "old_logps": old,
        "prox_logps": old,
        "sampler_logps": old + torch.randn(n, generator=g, dtype=torch.float64) * 0.2,
        "advantages": torch.randn(n, generator=g, dtype=torch.float64),
        "rows": torch.tensor([0, 0, 0, 1, 1, 2, 2, 2, 2]),
        "turns": torch.tensor([0, 0, 1, 0, 1, 0, 1, 1, 2]),
    }


def call(name: str, data: dict[str, Tensor], logps: Tensor, **settings: object) -> Tensor:
    function = OBJECTIVES[name]
    inputs = [logps if name == "logps" else data[name] for name in function.needs]
    return function(*inputs, **settings)


def test_ppo_clip():
    """Bounds 0.8 and 1.28: the better of two for the pessimist."""
    ratio, advantages = doubles(1.5, 1.5, 0.5, 0.5, 1.0), doubles(1, -1, 1, -1, 2)
    stats: dict[str, Tensor] = {}
    terms = ppo_clip(ratio.log(), doubles(0, 0, 0, 0, 0), advantages, own(5), own(5), stats=stats)
    assert terms.tolist() == pytest.approx([-1.28, 1.5, -0.5, 0.8, -2.0])
    assert stats["clipped"].item() == 2  # the first and the fourth


def test_ppo_clip_levels():
    """One row, two turns of one token each: ratios 1.25 and 0.8, product 1, geometric mean 1."""
    logps, old, advantages = doubles(1.25, 0.8).log(), doubles(0, 0), doubles(1, 1)
    found = [
        ppo_clip(logps, old, advantages, ROW, own(2), level=level).tolist() for level in ("token", "turn", "sequence")
    ]
    assert found[0] == pytest.approx([-1.25, -0.8])
    assert found[1] == pytest.approx([-1.25, -0.8])
    assert found[2] == pytest.approx([-1.0, -1.0])
    squares = ppo_clip(doubles(1.1, 1.1).log(), old, advantages, ROW, ROW, level="turn")
    assert squares.tolist() == pytest.approx([-1.21, -1.21])  # 1.1 * 1.1
    mean = ppo_clip(doubles(1.1, 1.1).log(), old, advantages, ROW, ROW, level="turn", reduce="mean")
    assert mean.tolist() == pytest.approx([-1.1, -1.1])


def test_dual_clip():
    """A = -1: ratio 5 costs 3, ratio 2 costs 2, ratio 0.5 costs 0.8; A = 1 is as without the bound."""
    logps, advantages = doubles(5, 2, 0.5, 5).log(), doubles(-1, -1, -1, 1)
    stats: dict[str, Tensor] = {}
    terms = dual_clip(logps, doubles(0, 0, 0, 0), advantages, own(4), own(4), c=3.0, stats=stats)
    assert terms.tolist() == pytest.approx([3.0, 2.0, 0.8, -1.28])
    assert stats["clipped"].item() == 3


def test_gspo():
    """Log ratios 0.0004 and 0.0006: s = exp(0.0005) is above 1.0004, so A > 0 is clipped and A < 0 is not."""
    logps, old = doubles(0.0004, 0.0006), doubles(0, 0)
    s = math.exp(0.0005)
    assert gspo(logps, old, doubles(1, 1), ROW, ROW).tolist() == pytest.approx([-1.0004] * 2, rel=1e-9)
    assert gspo(logps, old, doubles(-2, -2), ROW, ROW).tolist() == pytest.approx([2 * s] * 2, rel=1e-9)
    token = gspo(logps, old, doubles(1, 1), ROW, ROW, gradient="token")
    assert token.tolist() == pytest.approx([-1.0004] * 2, rel=1e-9)


def test_gspo_gradients_agree_where_advantages_do():
    data = batch()
    for advantages, same in ((data["rows"].double() - 1.5, True), (data["advantages"], False)):
        gradients = []
        for gradient in ("sequence", "token"):
            x = data["logps"].clone().requires_grad_()
            term = gspo(
                x, data["old_logps"], advantages, data["rows"], data["turns"],
                gradient=gradient, clip_low=0.9, clip_high=9.0,
            )  # fmt: skip
            gradients.append(torch.autograd.grad(term.sum(), x)[0])
        assert torch.allclose(*gradients, rtol=1e-12) is same


def test_token_ratios_are_not_gspo():
    """Negative control: with token ratios in its place, GSPO's gradient comes out different."""
    data = batch()
    x = data["logps"].clone().requires_grad_()
    args = (x, data["old_logps"], torch.ones(9, dtype=torch.float64), data["rows"], data["turns"])
    sequence = torch.autograd.grad(gspo(*args, clip_low=0.9, clip_high=9.0).sum(), x)[0]
    token = torch.autograd.grad(ppo_clip(*args, clip_low=0.9, clip_high=9.0).sum(), x)[0]
    assert sequence[0].item() == pytest.approx(sequence[2].item())  # all tokens of a row alike
    assert not torch.allclose(sequence, token, rtol=0.05)


def test_luspo_is_the_sum_of_gspo_terms():
    """A row of three: s = exp(0.001), inside 0.998 to 1.0025; three equal terms make |y| s A."""
    rows = torch.zeros(3, dtype=torch.int64)
    terms = luspo(doubles(0.001, 0.002, 0.0), doubles(0, 0, 0), doubles(2, 2, 2), rows, rows)
    assert terms.sum().item() == pytest.approx(-3 * math.exp(0.001) * 2)


def test_cispo():
    """Ratio 4, cap 3: weight 3, or 1 + 3 = 4; the gradient is -weight A at every token."""
    old, advantages = doubles(-3, -1), doubles(2, -1)
    logps = (old + doubles(4, 0.5).log()).requires_grad_()
    stats: dict[str, Tensor] = {}
    terms = cispo(logps, old, advantages, cap=3.0, stats=stats)
    assert terms.tolist() == pytest.approx([-3 * 2 * (math.log(4) - 3), 0.5 * (math.log(0.5) - 1)])
    assert torch.autograd.grad(terms.sum(), logps)[0].tolist() == pytest.approx([-6.0, 0.5])
    assert stats["clipped"].item() == 1
    above = cispo(logps, old, advantages, cap=3.0, floor=0.8, stats=stats)  # the ratio 1/2 becomes 0.8
    assert torch.autograd.grad(above.sum(), logps)[0].tolist() == pytest.approx([-6.0, 0.8])
    assert stats["clipped"].item() == 2
    wide = cispo(logps, old, advantages, cap=3.0, cap_kind="one_plus")
    assert torch.autograd.grad(wide.sum(), logps)[0].tolist() == pytest.approx([-8.0, 0.5])


def test_aipo():
    """Ratios to the sampler 3 and 0.1: one side only is cut."""
    sampler = doubles(-2, -1)
    logps = (sampler + doubles(3, 0.1).log()).requires_grad_()
    terms = aipo(logps, sampler, doubles(1, 1), cap=2.0)
    assert torch.autograd.grad(terms.sum(), logps)[0].tolist() == pytest.approx([-2.0, -0.1])


def test_decoupled_ppo():
    """Ratios prox / sampler 2 and 8, cap 5; pi / prox 1.1 and 0.9 inside the clip."""
    sampler = doubles(-3, -3)
    prox = sampler + doubles(2, 8).log()
    logps = prox + doubles(1.1, 0.9).log()
    args = (logps, prox, sampler, doubles(1, -1), own(2), own(2))
    assert decoupled_ppo(*args).tolist() == pytest.approx([-2 * 1.1, 5 * 0.9])
    assert decoupled_ppo(*args, cap_kind="mask").tolist() == pytest.approx([-2 * 1.1, 0.0])
    on_policy = decoupled_ppo(prox, prox, prox, doubles(1, -1), own(2), own(2))
    assert on_policy.tolist() == pytest.approx([-1.0, 1.0])


def test_reinforce_and_sft():
    assert reinforce(doubles(-1, -2), doubles(3, -4)).tolist() == [3.0, -8.0]
    assert sft(doubles(-1, -2)).tolist() == [1.0, 2.0]


def test_rl_plus():
    """With pi = 0.4, pi_old = 0.2: omega = 0.6, ratio 0.8 / 0.8 = 1; A (1 - 0.4)^0.5. pi = 1: nothing left."""
    logps, old = doubles(0.4, 1.0).log(), doubles(0.2, 1.0).log()
    assert mixture_ratio(logps, old).tolist() == pytest.approx([1.0, 1.0])
    assert exploration_advantages(doubles(2, 2), logps).tolist() == pytest.approx([2 * 0.6**0.5, 0.0])
    assert rl_plus(logps, old, doubles(2, 2)).tolist() == pytest.approx([-2 * 0.6**0.5, 0.0])


def test_policy_shaping():
    """f(0.1) = 0.5, f(0.9) = 0.9; the gradient in logp, gamma p / (p + gamma)^2, is largest at p = gamma."""
    logps = doubles(0.1, 0.9, 0.01).log().requires_grad_()
    terms = policy_shaping(logps, doubles(1, 1, 1))
    assert terms.tolist() == pytest.approx([-0.5, -0.9, -0.01 / 0.11])
    (gradient,) = torch.autograd.grad(terms.sum(), logps)
    assert gradient.tolist() == pytest.approx([-0.25, -0.09, -0.1 * 0.01 / 0.11**2])
    assert gradient[0] == gradient.min()


FROZEN = {  # what has no gradient, written out at the point x0 where the gradient is taken
    "cispo": lambda x, x0, d: -(x0 - d["old_logps"]).exp().clamp(max=1.3) * d["advantages"] * x,
    "aipo": lambda x, x0, d: -(x0 - d["sampler_logps"]).exp().clamp(max=2.0) * d["advantages"] * x,
    "rl_plus": lambda x, x0, d: -mixture_ratio(x, d["old_logps"]) * d["advantages"] * (1 - x0.exp()).sqrt(),
    "gspo/token": lambda x, x0, d: (
        -(log_ratio(x0, d["old_logps"], d["rows"], d["turns"], level="sequence") + x - x0).exp() * d["advantages"]
    ),
}
CASES = [
    ("ppo_clip", {}),
    ("ppo_clip", {"level": "turn"}),
    ("ppo_clip", {"level": "sequence", "clip_low": 0.5, "clip_high": 0.5}),
    ("ppo_clip", {"level": "sequence", "reduce": "mean"}),
    ("dual_clip", {"c": 1.2}),
    ("gspo", {}),
    ("gspo", {"clip_low": 0.5, "clip_high": 0.5}),
    ("gspo", {"clip_low": 0.5, "clip_high": 0.5, "gradient": "token"}),
    ("luspo", {}),
    ("luspo", {"clip_low": 0.5, "clip_high": 0.5}),
    ("cispo", {"cap": 1.3}),
    ("aipo", {}),
    ("decoupled_ppo", {}),
    ("decoupled_ppo", {"cap": 1.1, "cap_kind": "mask"}),
    ("reinforce", {}),
    ("sft", {}),
    ("rl_plus", {}),
    ("policy_shaping", {}),
]


def test_every_objective_has_a_gradient_check():
    assert {name for name, _ in CASES} == set(OBJECTIVES)


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_gradient_by_central_differences(name, settings):
    data = batch()
    weights = torch.linspace(0.5, 1.5, 9, dtype=torch.float64)
    x0 = data["logps"]
    x = x0.clone().requires_grad_()
    (gradient,) = torch.autograd.grad((weights * call(name, data, x, **settings)).sum(), x)
    frozen = FROZEN.get("gspo/token" if settings.get("gradient") == "token" else name)

    def value(at: Tensor) -> float:
        terms = call(name, data, at, **settings) if frozen is None else frozen(at, x0, data)
        return (weights * terms).sum().item()

    eps, numeric = 1e-6, torch.zeros_like(x0)
    for i in range(9):
        step = torch.zeros_like(x0)
        step[i] = eps
        numeric[i] = (value(x0 + step) - value(x0 - step)) / (2 * eps)
    torch.testing.assert_close(gradient, numeric, rtol=1e-6, atol=1e-8)
    assert gradient.abs().sum() > 0


def test_bad_settings_are_refused():
    data = batch()
    for name, settings, word in [
        ("dual_clip", {"c": 1.0}, "c is 1.0; it must be above 1"),
        ("ppo_clip", {"clip_low": 1.0}, "clip_low"),
        ("ppo_clip", {"level": "word"}, "level"),
        ("gspo", {"gradient": "row"}, "gradient"),
        ("cispo", {"cap_kind": "max"}, "cap_kind"),
        ("cispo", {"cap": 0.0}, "cap is 0.0; it must be above floor"),
        ("decoupled_ppo", {"cap_kind": "drop"}, "cap_kind"),
        ("policy_shaping", {"gamma": 0.0}, "gamma"),
    ]:
        with pytest.raises(SettingsError, match=word):
            call(name, data, data["logps"], **settings)
