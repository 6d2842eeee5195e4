"""Figures of played episodes: solve rate with its interval, pass@k, pass^k, chance-corrected score, and the rest.

Pure functions. Episodes whose infrastructure failed are counted and otherwise left out. All sums are exact
(`math.fsum`), so that the figures do not depend on the order in which episodes ended.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from turnwise.core.episode import Episode
from turnwise.core.errors import SettingsError

__all__ = [
    "Scores",
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
Interval = tuple[float, float]


@dataclass(frozen=True)
class Scores:
    """Figures of a set of episodes; None where there is nothing to compute them from.

    Attributes:
        num_episodes: Scored episodes, without the errors.
        num_errors: Episodes whose infrastructure failed; no other figure knows of them.
        num_tasks: Different tasks among the scored episodes.
        solve_rate: Share of solved episodes.
        ci95: 95 % interval of ``solve_rate``: `cluster_interval` by task; of several environments, `mean_interval`.
        pass_at_k: `pass_at_k` by k, over the tasks with at least k scored samples.
        pass_hat_k: `pass_hat_k` by k, over the same.
        chance: Solve rate of the random agent.
        chance_corrected: (solve_rate - chance) / (1 - chance).
        mean_return: Mean of the returns.
        mean_turns: Turns per episode.
        prompt_tokens: Tokens read per episode, summed over its turns.
        completion_tokens: Tokens written per episode.
        truncation_rate: Share of episodes that the turn limit ended.
        cut_rate: Share of turns that a token limit ended.
        format_error_rate: Share of turns that were no move (format error, illegal move).
        num_cut: Turns that a token limit ended.
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


def wilson(successes: float, trials: float, z: float = Z95) -> Interval:
    """Wilson's score interval of a share; (0, 1) without trials. Both may be fractional (effective sizes).

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
    """Interval of the solve rate over tasks that were each played several times; ``counts``: (solved, samples) each.

    Samples of one task resemble each other, so they tell less than as many tasks would. The variance of the rate is
    taken over tasks, var = G/(G-1) * sum_c (s_c - m_c p)^2 / n^2 (G tasks, s_c of m_c samples solved, p over all n),
    which divided by p(1-p)/(n-1) is the design effect; Wilson's interval is drawn with n / design effect episodes.
    With one sample per task that is Wilson's interval itself. Where no variance can be seen (all solved or none, or a
    single task) every task counts as one episode, which errs on the side of caution.

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
    # p * size may exceed size by rounding only
    return wilson(min(size, p * size) if solved < n else size, size, z)


def mean_interval(rates: Sequence[float], intervals: Sequence[Interval]) -> Interval:
    """Interval of the plain mean of independent rates (of several environments), from their own intervals.

    Source: MOVER, Zou and Donner 2008, Statistics in Medicine 27:1693, with weights 1/E.
    """
    mean = math.fsum(rates) / len(rates)
    below = math.fsum((p - low) ** 2 for p, (low, _) in zip(rates, intervals, strict=True))
    above = math.fsum((high - p) ** 2 for p, (_, high) in zip(rates, intervals, strict=True))
    return max(0.0, mean - math.sqrt(below) / len(rates)), min(1.0, mean + math.sqrt(above) / len(rates))


def pass_at_k(samples: int, solved: int, k: int) -> float:
    """Chance that at least one of ``k`` samples of a task is solved: 1 - C(n-c, k) / C(n, k), unbiased.

    Source: Chen et al. 2021, arXiv 2107.03374, eq. 1.
    """
    _check_k(samples, solved, k)
    return 1.0 - math.comb(samples - solved, k) / math.comb(samples, k)


def pass_hat_k(samples: int, solved: int, k: int) -> float:
    """Chance that all of ``k`` samples of a task are solved (pass^k): C(c, k) / C(n, k), unbiased.

    Source: tau-bench, Yao et al. 2024, arXiv 2406.12045, section 4.
    """
    _check_k(samples, solved, k)
    return math.comb(solved, k) / math.comb(samples, k)


def chance_corrected(rate: float, chance: float) -> float | None:
    """(rate - chance) / (1 - chance): 0 at chance level, 1 for perfect play, negative below chance."""
    return None if chance >= 1 else (rate - chance) / (1 - chance)


def score(episodes: Iterable[Episode], ks: Sequence[int] = (1,), chance: float | None = None) -> Scores:
    """The figures of the episodes of one environment with one set of settings; a task is a seed."""
    tally: dict[int, list[int]] = {}
    rows: list[tuple[float, ...]] = []
    errors = 0
    for episode in episodes:
        if episode.status == "error":
            errors += 1
            continue
        task = tally.setdefault(episode.seed, [0, 0])
        task[0] += episode.solved
        task[1] += 1
        rows.append(_row(episode))
    counts = [(s, m) for s, m in tally.values()]
    n = len(rows)
    if not n:
        return Scores(0, errors, 0, chance=chance)
    solved = sum(s for s, _ in counts)
    returns, turns, read, written, truncated, cut, invalid = (math.fsum(column) for column in zip(*rows, strict=True))
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
    )


def overall(parts: Sequence[Scores]) -> Scores:
    """The figures of several environments: counts are added, the rest is the plain mean over the environments.

    An environment without a scored episode is left out of the means (its errors are counted); a figure that any other
    one lacks is None, so that means over different sets of environments are never mistaken for each other.
    """
    played = [part for part in parts if part.num_episodes]
    counts = (sum(p.num_episodes for p in parts), sum(p.num_errors for p in parts), sum(p.num_tasks for p in parts))
    if not played:
        return Scores(*counts)
    rates = [p.solve_rate for p in played if p.solve_rate is not None]
    intervals = [p.ci95 for p in played if p.ci95 is not None]
    ks = list(played[0].pass_at_k or ())
    return Scores(
        *counts,
        solve_rate=_mean(rates),
        ci95=mean_interval(rates, intervals),
        pass_at_k={k: _mean([(p.pass_at_k or {}).get(k) for p in played]) for k in ks},
        pass_hat_k={k: _mean([(p.pass_hat_k or {}).get(k) for p in played]) for k in ks},
        chance=_mean([p.chance for p in played]),
        chance_corrected=_mean([p.chance_corrected for p in played]),
        mean_return=_mean([p.mean_return for p in played]),
        mean_turns=_mean([p.mean_turns for p in played]),
        prompt_tokens=_mean([p.prompt_tokens for p in played]),
        completion_tokens=_mean([p.completion_tokens for p in played]),
        truncation_rate=_mean([p.truncation_rate for p in played]),
        cut_rate=_mean([p.cut_rate for p in played]),
        format_error_rate=_mean([p.format_error_rate for p in played]),
        num_cut=sum(p.num_cut for p in played),
    )


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
    )


def _over_tasks(estimate: Callable[[int, int, int], float], counts: Sequence[tuple[int, int]], k: int) -> float | None:
    """Mean over the tasks that have ``k`` samples; errors may have left a task fewer."""
    values = [estimate(samples, solved, k) for solved, samples in counts if samples >= k]
    return math.fsum(values) / len(values) if values else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None


def _check_k(samples: int, solved: int, k: int) -> None:
    if not (0 <= solved <= samples and 1 <= k <= samples):
        raise SettingsError(f"k={k}, {solved} of {samples} samples solved: k must be from 1 to the number of samples")
