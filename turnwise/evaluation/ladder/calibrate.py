"""Calibration: difficulties of levels, slopes of environments and abilities of agents on one scale, fitted together.

An agent solves a task with probability c + (1 - c) / (1 + exp(-slope (general + deviation - difficulty))): c is the
random agent's solve rate, the slope that of the environment, general the agent's ability, deviation what is particular
to the agent in the environment. Everything has a normal prior: an environment's mean difficulty is near that of the
others, the steps between its levels near a common one, the logarithm of its slope near 0, deviations near 0. The common
step and the prior variances are learned (but for that of general abilities, which is wide), each variance with a few
observations' weight of its own, so that little data change little.

Parameters are those of greatest posterior density; errors are Laplace's, and variances of priors are re-estimated from
both until they stand still (approximate EM; Mislevy 1986, Psychometrika 51:177). Levels that a ladder chose by earlier
results bias nothing: given the results, the choice does not depend on what is estimated (Mislevy and Chang 2000,
Psychometrika 65:149).

While it is fitted the unit is a logit: the slopes' geometric mean is held at 1, since the point of greatest density
would otherwise drift to a small unit, with small deviations and steep slopes. The scale that is returned has two
conditions: over the calibrated environments, the mean difficulty is the mean of the level numbers, and the mean step
between levels is 1.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from turnwise.core.errors import SettingsError
from turnwise.core.metrics import Z95
from turnwise.evaluation.ladder.model import MOST_CHANCE, Array
from turnwise.evaluation.ladder.results import Row, names_of
from turnwise.evaluation.ladder.scale import Place, Scale

__all__ = ["Fit", "calibrated", "scale_of"]

FIXED_SD = {"ability": 4.0, "common step": 0.4, "unit": 1e-3}
"""Prior standard deviations of general abilities, of the common step, and of the mean logarithm of slopes."""
PRIOR_SD = {"place": 1.5, "step": 0.5, "slope": 0.5, "deviation": 1.0}
"""Where the learned ones begin."""
PRIOR_WEIGHT = 4.0
"""Observations that this beginning counts as."""
ROUNDS, STEPS, STILL = 60, 40, 3e-3
DRAWS = 400
LEAST_SLOPE_SD = 0.3
"""Agents differ in slope more than one number for each environment says."""
LEAST_STEP = 0.1
"""Logits from level to level, on average, below which the numbers of levels give no unit."""
DIGITS = 4


@dataclass(frozen=True)
class Fit:
    """The parameters of the model, on the identified scale.

    Attributes:
        agents: Names.
        envs: Names.
        ability: General ability of each agent.
        ability_se: Its standard error.
        difficulty: Of each environment's levels.
        difficulty_se: Their standard errors.
        slope: Of each environment.
        slope_se: Standard error of its logarithm.
        spread: Standard deviation of an agent's deviations.
        spread_se: Standard error of its logarithm.
        place_sd: Standard deviation of environments' mean difficulties.
        slope_median: Of all environments.
        slope_sd: Standard deviation of the logarithm of slopes.
        agent_fit: Posterior predictive probability of each agent's chi-square; near 0, the model does not fit it.
        env_fit: Of each environment's.
    """

    agents: Sequence[str]
    envs: Sequence[str]
    ability: Array
    ability_se: Array
    difficulty: Sequence[Array]
    difficulty_se: Sequence[Array]
    slope: Array
    slope_se: Array
    spread: float
    spread_se: float
    place_sd: float
    slope_median: float
    slope_sd: float
    agent_fit: Array
    env_fit: Array

    @property
    def agent_separation(self) -> tuple[float, float] | None:
        """Reliability and number of strata of the agents' abilities; None with fewer than two agents."""
        return _separation(self.ability, self.ability_se)

    @property
    def level_separation(self) -> tuple[float, float] | None:
        """Reliability and number of strata of the levels' difficulties."""
        return _separation(np.concatenate(self.difficulty), np.concatenate(self.difficulty_se))

    def interval(self, agent: int) -> tuple[float, float]:
        """Return the 95 % interval of an agent's general ability."""
        half = Z95 * float(self.ability_se[agent])
        return float(self.ability[agent]) - half, float(self.ability[agent]) + half


def calibrated(rows: Sequence[Row], levels: Mapping[str, int], seed: int = 0) -> Fit:
    """Fit the model.

    Args:
        rows: What agents solved.
        levels: Number of levels of each environment.
        seed: Of the draws that judge the fit.

    Raises:
        SettingsError: Levels do not get harder with their numbers.
    """
    model = _Model(rows, levels)
    sds = dict(PRIOR_SD)
    for _ in range(ROUNDS):
        model.maximise(sds)
        found = model.learned(sds)
        moved = max(abs(math.log(found[name] / sds[name])) for name in sds)
        sds = found
        if moved < STILL:
            break
    model.maximise(sds)
    return model.fit(sds, seed)


def scale_of(fit: Fit, rows: Sequence[Row], title: str = "") -> Scale:
    """Return the scale that a fit amounts to, with what it rests on."""
    places = {
        env: Place(
            difficulty=tuple(_rounded(value) for value in fit.difficulty[i]),
            offset_se=_rounded(math.sqrt(np.mean(fit.difficulty_se[i] ** 2))),
            slope=_rounded(fit.slope[i]),
            slope_sd=_rounded(max(fit.slope_se[i], LEAST_SLOPE_SD)),
            agents=len({row.agent for row in rows if row.env == env}),
            episodes=sum(row.tasks for row in rows if row.env == env),
        )
        for i, env in enumerate(fit.envs)
    }
    agents = {
        agent: {
            "ability": _rounded(fit.ability[i]),
            "ci95": [_rounded(end) for end in fit.interval(i)],
            "tasks": sum(row.tasks for row in rows if row.agent == agent),
            "fit": _rounded(fit.agent_fit[i]),
        }
        for i, agent in enumerate(fit.agents)
    }
    separation = {"agents": fit.agent_separation, "levels": fit.level_separation}
    sources = {
        "agents": agents,
        "environment_fit": {env: _rounded(p) for env, p in zip(fit.envs, fit.env_fit, strict=True)},
        "separation": {name: found and [_rounded(value) for value in found] for name, found in separation.items()},
    }
    return Scale(
        title=title,
        environments=places,
        offset_sd=_rounded(fit.place_sd),
        slope=_rounded(fit.slope_median),
        slope_sd=_rounded(max(fit.slope_sd, LEAST_SLOPE_SD)),
        spread=_rounded(fit.spread),
        spread_sd=_rounded(fit.spread_se),
        sources=sources,
    )


def _rounded(value: float) -> float:
    """The same number on every machine, as far as that goes."""
    return round(float(value), DIGITS)


# ---- inside ----------------------------------------------------------------------------------------------------------


class _Model:
    """The posterior density and its greatest point.

    The parameters are one vector: general abilities, difficulties level by level, logarithms of slopes, the common
    step, and the deviations of the pairs of agent and environment that have results.
    """

    def __init__(self, rows: Sequence[Row], levels: Mapping[str, int]) -> None:
        self.agents, self.envs = names_of(rows)
        self.levels = [levels[env] for env in self.envs]
        pairs = sorted({(row.agent, row.env) for row in rows})
        starts = np.concatenate([[0], np.cumsum(self.levels)])
        agents, envs, first = len(self.agents), len(self.envs), int(starts[-1])
        self.at_difficulty = [slice(agents + starts[i], agents + starts[i + 1]) for i in range(envs)]
        self.at_slope = slice(agents + first, agents + first + envs)
        self.at_step = agents + first + envs
        self.at_pair = slice(self.at_step + 1, self.at_step + 1 + len(pairs))
        env_of = [self.envs.index(row.env) for row in rows]
        self.of_agent = np.array([self.agents.index(row.agent) for row in rows])
        self.of_env = np.array(env_of)
        self.of_level = np.array([self.at_difficulty[e].start + row.level - 1 for e, row in zip(env_of, rows)])  # noqa: B905
        self.of_pair = np.array([self.at_pair.start + pairs.index((row.agent, row.env)) for row in rows])
        self.solved = np.array([row.solved for row in rows])
        self.tasks = np.array([row.tasks for row in rows], dtype=np.float64)
        self.chance = np.minimum(np.array([row.chance for row in rows]), MOST_CHANCE)
        self.centre = float(np.mean([(count + 1) / 2 for count in self.levels]))
        self.now = np.zeros(self.at_pair.stop)
        self.now[:agents] = self.centre
        for part, count in zip(self.at_difficulty, self.levels, strict=True):
            self.now[part] = np.arange(1, count + 1)
        self.now[self.at_step] = 1.0
        self.target = self.now.copy()
        self.precision = np.zeros(0)

    # -- the density --

    def maximise(self, sds: Mapping[str, float]) -> None:
        """Move to the parameters of greatest posterior density: Fisher scoring with Levenberg's damping."""
        self.precision = self._prior(sds)
        value, damping = self._density(self.now), 1e-3
        for _ in range(STEPS):
            slope, information = self._derivatives()
            while True:
                step = np.linalg.solve(information + damping * np.diag(np.diag(information)), slope)
                found = self._density(self.now + step)
                if found >= value - 1e-12 or damping > 1e6:
                    break
                damping *= 4
            self.now, gained, value, damping = self.now + step, found - value, found, damping / 4
            if gained < 1e-7:
                return

    def rates(self, at: Array) -> Array:
        """Return the chance of each row with the parameters in the last axis of ``at``."""
        logit = np.exp(at[..., self.at_slope.start + self.of_env]) * self._gap(at)
        rates = self.chance + (1 - self.chance) / (1 + np.exp(-np.clip(logit, -500, 500)))
        found: Array = np.clip(rates, 1e-12, 1 - 1e-12)
        return found

    def _gap(self, at: Array) -> Array:
        found: Array = at[..., self.of_agent] + at[..., self.of_pair] - at[..., self.of_level]
        return found

    def _density(self, at: Array) -> float:
        rates, off = self.rates(at), at - self.target
        data = self.solved @ np.log(rates) + (self.tasks - self.solved) @ np.log1p(-rates)
        return float(data - 0.5 * off @ self.precision @ off)

    def _derivatives(self) -> tuple[Array, Array]:
        """Return the gradient of the density's logarithm, and Fisher's information with the prior's precision."""
        rates, slopes = self.rates(self.now), np.exp(self.now[self.at_slope.start + self.of_env])
        steep = (rates - self.chance) * (1 - rates) / (1 - self.chance)  # of the rate, by its logit
        score = (self.solved - self.tasks * rates) / (rates * (1 - rates)) * steep
        weight = self.tasks * steep**2 / (rates * (1 - rates))
        places = np.stack([self.of_agent, self.of_pair, self.of_level, self.at_slope.start + self.of_env])
        parts = np.stack([slopes, slopes, -slopes, slopes * self._gap(self.now)])
        gradient = -self.precision @ (self.now - self.target)
        information = self.precision.copy()
        for place, part in zip(places, parts, strict=True):
            np.add.at(gradient, place, score * part)
            for other, factor in zip(places, parts, strict=True):
                np.add.at(information, (place, other), weight * part * factor)
        return gradient, information

    @cached_property
    def _contrasts(self) -> Mapping[str, Array]:
        """What has a normal prior around 0, or around its target, as rows of coefficients."""
        every = np.eye(len(self.now))
        places = [every[part].mean(0) for part in self.at_difficulty]
        steps = [np.diff(every[part], axis=0) - every[self.at_step] for part in self.at_difficulty]
        return {
            "ability": every[: len(self.agents)],
            "common step": every[[self.at_step]],
            "unit": every[self.at_slope].mean(0, keepdims=True),
            "place": np.array(places),
            "step": np.concatenate(steps),
            "slope": every[self.at_slope],
            "deviation": every[self.at_pair],
        }

    def _prior(self, sds: Mapping[str, float]) -> Array:
        """Return the precision of the prior."""
        every = {**FIXED_SD, **sds}
        found: Array = np.sum([square / every[name] ** 2 for name, square in self._squares.items()], axis=0)
        return found

    @cached_property
    def _squares(self) -> Mapping[str, Array]:
        return {name: rows.T @ rows for name, rows in self._contrasts.items()}

    # -- what is learned, and the result --

    def learned(self, sds: Mapping[str, float]) -> dict[str, float]:
        """Return the standard deviations that the present parameters and their errors imply."""
        covariance = self._covariance()
        found = {}
        for name in sds:
            rows = self._contrasts[name]
            off = rows @ (self.now - self.target)
            spread = _variances(rows, covariance)
            total = float(np.sum(off**2 + spread)) + PRIOR_WEIGHT * PRIOR_SD[name] ** 2
            found[name] = math.sqrt(total / (len(rows) + PRIOR_WEIGHT))
        return found

    def _covariance(self) -> Array:
        return np.asarray(np.linalg.inv(self._derivatives()[1]), dtype=np.float64)

    def fit(self, sds: Mapping[str, float], seed: int) -> Fit:
        """Return the parameters on the identified scale, with errors and checks."""
        covariance = self._covariance()
        middle = np.mean(self._contrasts["place"], axis=0)
        pace = np.mean([_pace(len(self.now), part) for part in self.at_difficulty], axis=0)
        unit, origin = float(pace @ self.now), float(middle @ self.now)
        if unit < LEAST_STEP:
            raise SettingsError(
                f"a level is {unit:.2f} logits harder than the one before, on average over the environments; below "
                f"{LEAST_STEP} the numbers of levels give no scale"
            )
        size = self.at_difficulty[-1].stop  # abilities and difficulties
        off = self.now[:size] - origin
        turned = (np.eye(len(self.now))[:size] - middle) / unit - np.outer(off, pace) / unit**2
        values = self.centre + off / unit
        errors = np.sqrt(_variances(turned, covariance))
        variances = np.diag(covariance)
        slopes = np.eye(len(self.now))[self.at_slope] + pace / unit
        slope_se = np.sqrt(_variances(slopes, covariance))
        known = float(np.sum(1 - variances[self.at_pair] / sds["deviation"] ** 2))
        agent_fit, env_fit = self._checks(covariance, seed)
        count = len(self.agents)
        return Fit(
            self.agents, self.envs, values[:count], errors[:count],
            [values[part] for part in self.at_difficulty], [errors[part] for part in self.at_difficulty],
            np.exp(self.now[self.at_slope]) * unit, slope_se,
            sds["deviation"] / unit, 1 / math.sqrt(2 * (max(known, 0.0) + PRIOR_WEIGHT)), sds["place"] / unit,
            unit, sds["slope"], agent_fit, env_fit,
        )  # fmt: skip

    def _checks(self, covariance: Array, seed: int) -> tuple[Array, Array]:
        """Return posterior predictive probabilities of the chi-squares of agents and of environments."""
        rng = np.random.default_rng(seed)
        noise = rng.standard_normal((DRAWS, len(self.now)))
        rates = self.rates(self.now + noise @ np.linalg.cholesky(covariance).T)
        expected = self.tasks * rates
        spread = np.maximum(expected * (1 - rates), 1e-9)
        ours = (self.solved - expected) ** 2 / spread
        theirs = (rng.binomial(self.tasks.astype(np.int64), rates) - expected) ** 2 / spread

        def worse(of: Array, count: int) -> Array:
            groups = np.eye(count)[of]
            found: Array = np.mean(theirs @ groups >= ours @ groups, axis=0)
            return found

        return worse(self.of_agent, len(self.agents)), worse(self.of_env, len(self.envs))


def _variances(rows: Array, covariance: Array) -> Array:
    """Return the variances of linear combinations of the parameters."""
    found: Array = np.maximum(np.sum((rows @ covariance) * rows, axis=1), 0.0)
    return found


def _pace(size: int, part: slice) -> Array:
    """Return coefficients of an environment's mean step from level to level."""
    found: Array = np.zeros(size)
    steps = max(part.stop - part.start - 1, 1)
    found[part.stop - 1], found[part.start] = 1 / steps, -1 / steps
    return found


def _separation(values: Array, errors: Array) -> tuple[float, float] | None:
    """Return the share of the variance that is not error, and how many groups can be distinguished.

    Source: Wright and Masters 1982, Rating Scale Analysis, chapter 5: strata (4 G + 1) / 3 with G = sqrt(R / (1 - R)).
    """
    if len(values) < 2:
        return None
    error, variance = float(np.mean(errors**2)), float(np.var(values, ddof=1))
    reliability = max(0.0, 1 - error / variance) if variance > 0 else 0.0
    return reliability, (4 * math.sqrt(reliability / max(1 - reliability, 1e-12)) + 1) / 3
