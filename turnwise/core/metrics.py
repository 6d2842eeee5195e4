"""Metrics of played episodes: solve rate with its interval, pass@k, pass^k, chance-corrected score, and others.

Pure functions. Episodes whose infrastructure failed are counted and otherwise left out. All sums are exact
(`math.fsum`), so the results do not depend on the order in which episodes ended.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from turnwise.core.episode import Episode
from turnwise.core.errors import SettingsError

__all__ = [
    "Measure",
    "Scores",
    "Tally",
    "chance_corrected",
    "cluster_interval",
    "mean_interval",
    "overall",
    "pass_at_k",
    "pass_hat_k",
    "score",
    "wilson",
]

Z95 = 1.959963984540054  # the normal distribution's 97.5 % quantile
CUT = ("length", "context_length")  # values of `Turn.finish` where a token limit ended the turn
REFUSED = ("content_filter", "refusal")  # where an endpoint refused it
Interval = tuple[float, float]


@dataclass(frozen=True)
class Measure:
    """A further figure of a set of episodes, such as maj@k; `turnwise.evaluation.measures` computes them.

    Attributes:
        value: The figure; None if there are no data.
        ci95: Its 95 % interval, if there is one.
        unit: "share" is shown in percent, "number" as it is.
        detail: What it was computed from, as plain JSON values; not combined over environments.
    """

    value: float | None
    ci95: Interval | None = None
    unit: Literal["share", "number"] = "share"
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Scores:
    """Metrics of a set of episodes; None if there are no data.

    Attributes:
        num_episodes: Scored episodes, without the errors.
        num_errors: Episodes whose infrastructure failed; they affect no other field.
        num_tasks: Different tasks among the scored episodes.
        solve_rate: Share of solved episodes.
        ci95: 95 % interval of ``solve_rate``: `cluster_interval` by task; for several environments, `mean_interval`.
        pass_at_k: `pass_at_k` by k, over the tasks with at least k scored samples.
        pass_hat_k: `pass_hat_k` by k, over the same.
        chance: Solve rate of the random agent.
        chance_corrected: (solve_rate - chance) / (1 - chance).
        mean_return: Mean of the returns.
        mean_turns: Turns per episode.
        prompt_tokens: Tokens read per episode, summed over its turns.
        completion_tokens: Tokens written per episode.
        truncation_rate: Share of episodes ended by the turn limit.
        cut_rate: Share of turns cut by a token limit.
        format_error_rate: Share of turns that were malformed or illegal.
        num_cut: Number of turns cut by a token limit.
        refusal_rate: Share of episodes with an answer that the endpoint calls a refusal.
        latency_s: Seconds per episode that the agent's endpoint took, summed over its turns; ignored when scores are
            compared.
        cost: Mean cost of an episode, by the user's prices; None if an episode has no price.
        measures: Further figures, by name.
    """

    num_episodes: int
    num_errors: int
    num_tasks: int
    solve_rate: float | None = None
    ci95: Interval | None = None
    pass_at_k: Mapping[int, float | None] | None = None
    pass_hat_k: Mapping[int, float | None] | None = None
    chance: float | None = None
    chance_corrected: float | None = None
    mean_return: float | None = None
    mean_turns: float | None = None
    prompt_tokens: float | None = None
    completion_tokens: float | None = None
    truncation_rate: float | None = None
    cut_rate: float | None = None
    format_error_rate: float | None = None
    num_cut: int = 0
    refusal_rate: float | None = None
    latency_s: float | None = field(default=None, compare=False)
    cost: float | None = None
    measures: Mapping[str, Measure] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Scores":
        """Restore what `dataclasses.asdict` and JSON made of scores."""
        fields = dict(data)
        for name in ("pass_at_k", "pass_hat_k"):
            if fields[name] is not None:
                fields[name] = {int(k): value for k, value in fields[name].items()}
        if fields["ci95"] is not None:
            fields["ci95"] = tuple(fields["ci95"])
        found = fields.pop("measures", {})
        measures = {
            name: Measure(**{**part, "ci95": part["ci95"] and tuple(part["ci95"])}) for name, part in found.items()
        }
        return cls(**fields, measures=measures)


def wilson(successes: float, trials: float, z: float = Z95) -> Interval:
    """Return Wilson's score interval of a proportion; (0, 1) without trials. Both may be fractional (effective sizes).

    Source: Wilson 1927, JASA 22:209; Brown, Cai and DasGupta 2001, Statistical Science 16:101, eq. 4.
    """
    if not 0 <= successes <= trials:
        raise SettingsError(f"{successes} successes in {trials} trials: they must be from 0 to the number of trials")
    if trials == 0:
        return 0.0, 1.0
    p, zz = successes / trials, z * z
    middle = (p + zz / (2 * trials)) / (1 + zz / trials)
    half = z / (1 + zz / trials) * math.sqrt(p * (1 - p) / trials + zz / (4 * trials * trials))
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    return low, 1.0 if successes == trials else min(1.0, middle + half)


def cluster_interval(counts: Sequence[tuple[int, int]], z: float = Z95) -> Interval:
    """Return the interval of the solve rate over tasks played several times; ``counts``: (solved, samples) per task.

    Samples of one task are correlated, so they carry less information than the same number of tasks. The variance of
    the rate is taken over tasks, var = G/(G-1) * sum_c (s_c - m_c p)^2 / n^2 (G tasks, s_c of m_c samples solved, p
    over all n), and divided by p(1-p)/(n-1) gives the design effect; Wilson's interval is computed with n / design
    effect episodes. With one sample per task that is Wilson's interval itself. If no variance can be estimated (all or
    none solved, or a single task), every task counts as one episode, which is conservative.

    Source: clustered standard errors, Miller 2024, arXiv 2411.00640, eq. 4; Wilson's interval at the effective sample
    size, Korn and Graubard 1998, Survey Methodology 24:193.
    """
    solved, n = sum(s for s, _ in counts), sum(m for _, m in counts)
    if n == 0:
        return 0.0, 1.0
    p, groups = solved / n, sum(m > 0 for _, m in counts)
    if groups == 1 or solved in (0, n):
        size = float(groups)
    else:
        variance = groups / (groups - 1) * math.fsum((s - m * p) ** 2 for s, m in counts) / n**2
        effect = variance * (n - 1) / (p * (1 - p))
        size = float(n) if effect <= 1 else max(1.0, n / effect)
    # p * size can exceed size only through rounding
    return wilson(min(size, p * size) if solved < n else size, size, z)


def mean_interval(
    rates: Sequence[float], intervals: Sequence[Interval], weights: Sequence[float] | None = None
) -> Interval:
    """Return the interval of the mean of independent rates (of several environments), from their own intervals.

    Source: MOVER, Zou and Donner 2008, Statistics in Medicine 27:1693, by default with weights 1/E.
    """
    shares = [1.0] * len(rates) if weights is None else list(weights)
    total = math.fsum(shares)
    mean = math.fsum(w * p for w, p in zip(shares, rates, strict=True)) / total
    below = math.fsum((w * (p - low)) ** 2 for w, p, (low, _) in zip(shares, rates, intervals, strict=True))
    above = math.fsum((w * (high - p)) ** 2 for w, p, (_, high) in zip(shares, rates, intervals, strict=True))
    return max(0.0, mean - math.sqrt(below) / total), min(1.0, mean + math.sqrt(above) / total)


def pass_at_k(samples: int, solved: int, k: int) -> float:
    """Return the probability that at least one of ``k`` samples of a task is solved: 1 - C(n-c, k) / C(n, k), unbiased.

    Source: Chen et al. 2021, arXiv 2107.03374, eq. 1.
    """
    _check_k(samples, solved, k)
    return 1.0 - math.comb(samples - solved, k) / math.comb(samples, k)


def pass_hat_k(samples: int, solved: int, k: int) -> float:
    """Return the probability that all of ``k`` samples of a task are solved (pass^k): C(c, k) / C(n, k), unbiased.

    Source: tau-bench, Yao et al. 2024, arXiv 2406.12045, section 4.
    """
    _check_k(samples, solved, k)
    return math.comb(solved, k) / math.comb(samples, k)


def chance_corrected(rate: float, chance: float) -> float | None:
    """Return (rate - chance) / (1 - chance): 0 at chance level, 1 for perfect play, negative below chance."""
    return None if chance >= 1 else (rate - chance) / (1 - chance)


class Tally:
    """Counts the solved and the scored samples of each task of an environment; a task is a seed."""

    def __init__(self) -> None:
        self._tasks: dict[int, list[int]] = {}

    def add(self, episode: Episode) -> None:
        """Count an episode, unless its infrastructure failed."""
        if episode.status == "done":
            task = self._tasks.setdefault(episode.seed, [0, 0])
            task[0] += episode.solved
            task[1] += 1

    @property
    def counts(self) -> list[tuple[int, int]]:
        """(solved, samples) of each task, in the order in which they came."""
        return [(solved, samples) for solved, samples in self._tasks.values()]


def score(
    episodes: Iterable[Episode],
    ks: Sequence[int] = (1,),
    chance: float | None = None,
    price: Callable[[Episode], float | None] | None = None,
) -> Scores:
    """Score the episodes of one environment with one set of settings; a task is a seed.

    Args:
        episodes: The episodes, those that failed among them.
        ks: k of pass@k and pass^k.
        chance: Solve rate of the random agent.
        price: The cost of an episode; None if it is not known.
    """
    tally = Tally()
    rows: list[tuple[float, ...]] = []
    costs: list[float | None] = []
    latencies: list[float | None] = []
    errors = 0
    for episode in episodes:
        if episode.status == "error":
            errors += 1
            continue
        tally.add(episode)
        rows.append(_row(episode))
        latencies.append(_latency(episode))
        costs.append(None if price is None else price(episode))
    counts = tally.counts
    n = len(rows)
    if not n:
        return Scores(0, errors, 0, chance=chance)
    solved = sum(s for s, _ in counts)
    sums = [math.fsum(column) for column in zip(*rows, strict=True)]
    returns, turns, read, written, truncated, cut, invalid, refused = sums
    return Scores(
        num_episodes=n,
        num_errors=errors,
        num_tasks=len(counts),
        solve_rate=solved / n,
        ci95=cluster_interval(counts),
        pass_at_k={k: _over_tasks(pass_at_k, counts, k) for k in ks},
        pass_hat_k={k: _over_tasks(pass_hat_k, counts, k) for k in ks},
        chance=chance,
        chance_corrected=None if chance is None else chance_corrected(solved / n, chance),
        mean_return=returns / n,
        mean_turns=turns / n,
        prompt_tokens=read / n,
        completion_tokens=written / n,
        truncation_rate=truncated / n,
        cut_rate=cut / turns if turns else 0.0,
        format_error_rate=invalid / turns if turns else 0.0,
        num_cut=int(cut),
        refusal_rate=refused / n,
        latency_s=_mean(latencies),
        cost=_mean(costs),
    )


def overall(parts: Sequence[Scores], weights: Sequence[float] | None = None) -> Scores:
    """Combine the scores of several environments: counts are added, the rest are means over the environments.

    An environment without a scored episode is left out of the means (its errors are counted); a value that any other
    environment lacks is None, so that means over different sets of environments are never confused.

    Args:
        parts: The scores.
        weights: Of each; None weighs them equally.
    """
    every = [1.0] * len(parts) if weights is None else list(weights)
    played = [part for part in parts if part.num_episodes]
    shares = [w for w, part in zip(every, parts, strict=True) if part.num_episodes]
    counts = (sum(p.num_episodes for p in parts), sum(p.num_errors for p in parts), sum(p.num_tasks for p in parts))
    if not played:
        return Scores(*counts)
    rates = [p.solve_rate for p in played if p.solve_rate is not None]
    intervals = [p.ci95 for p in played if p.ci95 is not None]
    ks = list(played[0].pass_at_k or ())
    means: dict[str, Any] = {name: _mean([getattr(p, name) for p in played], shares) for name in _MEANS}
    return Scores(
        *counts,
        ci95=mean_interval(rates, intervals, shares),
        pass_at_k={k: _mean([(p.pass_at_k or {}).get(k) for p in played], shares) for k in ks},
        pass_hat_k={k: _mean([(p.pass_hat_k or {}).get(k) for p in played], shares) for k in ks},
        num_cut=sum(p.num_cut for p in played),
        measures={name: _mean_measure([p.measures.get(name) for p in played], shares) for name in _named(played)},
        **means,
    )


def _named(parts: Sequence[Scores]) -> list[str]:
    """The measures that any of the parts has."""
    return list(dict.fromkeys(name for part in parts for name in part.measures))


def _mean_measure(parts: Sequence[Measure | None], weights: Sequence[float]) -> Measure:
    """The mean of independent figures, with its interval as for `mean_interval`; None if one is not known."""
    known = [part for part in parts if part is not None]
    value = _mean([None if part is None else part.value for part in parts], weights)
    unit = known[0].unit
    if value is None:
        return Measure(None, unit=unit)
    values = [part.value for part in known if part.value is not None]
    ends = [part.ci95 for part in known if part.ci95 is not None]
    if len(ends) < len(parts):
        return Measure(value, unit=unit)
    total = math.fsum(weights)
    sides = [
        math.sqrt(math.fsum((w * (v - end[side])) ** 2 for w, v, end in zip(weights, values, ends, strict=True)))
        / total
        for side in (0, 1)
    ]
    return Measure(value, (value - sides[0], value + sides[1]), unit)


_MEANS = (
    "solve_rate", "chance", "chance_corrected", "mean_return", "mean_turns", "prompt_tokens", "completion_tokens",
    "truncation_rate", "cut_rate", "format_error_rate", "refusal_rate", "latency_s", "cost",
)  # fmt: skip


def _row(episode: Episode) -> tuple[float, ...]:
    turns = episode.turns
    return (
        episode.episode_return,
        len(turns),
        sum(t.prompt_tokens for t in turns),
        sum(t.completion_tokens for t in turns),
        episode.truncated,
        sum(t.finish in CUT for t in turns),
        sum(t.invalid for t in turns),
        any((t.served or {}).get("refusal") or t.finish in REFUSED for t in turns),
    )


def _latency(episode: Episode) -> float | None:
    """The seconds that an endpoint took; None if it was none."""
    seconds = [t.served.get("latency_s") for t in episode.turns if t.served is not None]
    known = [float(s) for s in seconds if isinstance(s, (int, float))]
    return math.fsum(known) if known else None


def _over_tasks(estimate: Callable[[int, int, int], float], counts: Sequence[tuple[int, int]], k: int) -> float | None:
    """Average over the tasks that have ``k`` samples; errors may have left a task with fewer."""
    values = [estimate(samples, solved, k) for solved, samples in counts if samples >= k]
    return math.fsum(values) / len(values) if values else None


def _mean(values: Sequence[float | None], weights: Sequence[float] | None = None) -> float | None:
    """Average the values; None if there is none, or one of them is None."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    if weights is None:
        return math.fsum(known) / len(known)
    return math.fsum(w * value for w, value in zip(weights, known, strict=True)) / math.fsum(weights)


def _check_k(samples: int, solved: int, k: int) -> None:
    if not (0 <= solved <= samples and 1 <= k <= samples):
        raise SettingsError(f"k={k}, {solved} of {samples} samples solved: k must be from 1 to the number of samples")
