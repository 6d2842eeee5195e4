"""One ability over all environments, and what each environment's results say about the others.

An agent's ability in an environment is normal around its general ability, with its own spread: the testlet effects of
Bradlow, Wainer and Wang (1999, Psychometrika 64:153), which keep many episodes in one environment from counting as
knowledge of all. General ability is uniform, the spread log-normal around the scale's, and both are learned from the
results, so that environments inform each other as far as they agree. Given both, environments are independent;
everything is computed on grids.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from turnwise.core.metrics import Z95
from turnwise.evaluation.bootstrap import Estimate
from turnwise.evaluation.ladder.model import Array, Locator, quantiles
from turnwise.evaluation.ladder.scale import Scale

__all__ = ["Ability", "Joint"]

COARSE = 8
"""General ability has one point for so many of ability."""
SPREADS = np.linspace(-2.0, 2.0, 7)
"""Points of the grid for the spread: standard deviations of its logarithm from its median."""
NEGLIGIBLE = 1e-4
SILENT = 0.05
"""An end of the interval is open if what lies beyond the levels moves it by more than this."""


@dataclass(frozen=True)
class Ability:
    """An agent's ability on a scale.

    Attributes:
        value: Mean of its abilities in the environments that were played: the posterior's median.
        ci95: The 95 % credible interval.
        ends: The interval; an end that is known only from the prior, since the levels end before, is None.
        elsewhere: The ability in another environment of the scale, with its 95 % interval.
        elsewhere_ends: This interval; an end beyond the levels is None.
        above: Number of environments where the agent is above the top level.
        below: Number of those where it is below the first.
    """

    value: float
    ci95: tuple[float, float]
    ends: tuple[float | None, float | None]
    elsewhere: Estimate
    elsewhere_ends: tuple[float | None, float | None]
    above: int
    below: int

    @property
    def width(self) -> float:
        """Width of the interval."""
        return self.ci95[1] - self.ci95[0]


class Joint:
    """The posterior of an agent's abilities in several environments.

    Args:
        scale: How the environments' levels are related.
        locators: One for each environment, on one grid.
    """

    def __init__(self, scale: Scale, locators: Sequence[Locator]) -> None:
        self.locators = tuple(locators)
        self._abilities = locators[0].abilities
        general, spread = np.meshgrid(self._abilities[::COARSE], SPREADS, indexing="ij")
        self._log_prior = -0.5 * spread.ravel() ** 2
        self._general = general.ravel()[:, None]
        self._spread = scale.spread * np.exp(scale.spread_sd * spread.ravel())[:, None]
        kernels = {se: self._kernel(se) for se in {locator.place.offset_se for locator in locators}}
        self._kernels = [kernels[locator.place.offset_se] for locator in locators]
        self._evidence = np.zeros((len(locators), len(self._general)))
        self.share(range(len(locators)))

    def share(self, changed: Sequence[int]) -> None:
        """Take in the results of some locators, by number, and give each one what the others say as its prior."""
        for i in changed:
            self._evidence[i] = np.log(np.maximum(self._kernels[i] @ self.locators[i].likelihood(), 1e-300))
        total = self._log_prior + self._evidence.sum(0)
        for i, locator in enumerate(self.locators):
            others = total - self._evidence[i]
            prior = np.exp(others - others.max()) @ self._kernels[i]
            locator.prior = np.log(np.maximum(prior / prior.max(), 1e-300))

    def ability(self) -> Ability:
        """Return the mean ability over the environments, and that in another one."""
        value, ci95 = self._mean(limited=False)
        _, inside = self._mean(limited=True)
        ends = (
            None if inside[0] > ci95[0] + SILENT else min(ci95[0], inside[0]),
            None if inside[1] < ci95[1] - SILENT else max(ci95[1], inside[1]),
        )
        _, low, middle, high, _ = quantiles(self._abilities, self._weights() @ self._kernel(0.0))
        spans = [locator.span for locator in self.locators]
        first, last = min(low for low, _ in spans), max(high for _, high in spans)
        beyond = [locator.located().beyond for locator in self.locators]
        return Ability(
            value, ci95, ends, Estimate(middle, (low, high)),
            (low if low >= first else None, high if high <= last else None),
            beyond.count("above"), beyond.count("below"),
        )  # fmt: skip

    def width(self) -> float:
        """Return the width of a normal 95 % interval of the mean ability: quickly, to see whether it is enough."""
        return 2 * Z95 * self.moments()[1]

    def moments(self) -> tuple[float, float]:
        """Return the posterior mean and standard deviation of the mean ability."""
        powers = np.stack([np.ones_like(self._abilities), self._abilities, self._abilities**2], axis=1)
        weights, means, variances = self._weights(), [], []
        for kernel, locator in zip(self._kernels, self.locators, strict=True):
            mass, first, second = (kernel @ (locator.likelihood()[:, None] * powers)).T
            mass = np.maximum(mass, 1e-300)
            means.append(first / mass)
            variances.append(second / mass - means[-1] ** 2)
        mean = np.mean(means, axis=0)
        variance = weights @ (mean**2 + np.sum(variances, axis=0) / len(variances) ** 2) - (weights @ mean) ** 2
        return float(weights @ mean), math.sqrt(max(0.0, float(variance)))

    def _weights(self) -> Array:
        log = self._log_prior + self._evidence.sum(0)
        weights: Array = np.exp(log - log.max())
        weights /= weights.sum()
        return weights

    def _kernel(self, offset_se: float) -> Array:
        """Return the probability of each ability in an environment, given general ability and spread."""
        sd = np.hypot(self._spread, offset_se)
        found: Array = np.exp(-0.5 * ((self._abilities[None, :] - self._general) / sd) ** 2)
        found /= found.sum(1, keepdims=True)
        return found

    def _mean(self, *, limited: bool) -> tuple[float, tuple[float, float]]:
        """Return the median and the interval of the mean ability; ``limited``, each to its environment's levels.

        Given general ability and spread, the distribution of a sum of independent abilities is their convolution: the
        product of their Fourier transforms.
        """
        weights = self._weights()
        rows = np.flatnonzero(weights > NEGLIGIBLE * weights.max())
        points = len(self._abilities)
        size = 1 << (len(self.locators) * (points - 1)).bit_length()
        product = np.ones((len(rows), size // 2 + 1), dtype=np.complex128)
        for kernel, locator in zip(self._kernels, self.locators, strict=True):
            given = kernel[rows] * locator.likelihood()
            given /= np.maximum(given.sum(1, keepdims=True), 1e-300)
            product *= np.fft.rfft(_limit(given, self._abilities, locator) if limited else given, size)
        number = len(self.locators)
        total = np.fft.irfft((weights[rows, None] * product).sum(0), size)[: number * (points - 1) + 1]
        values = self._abilities[0] + np.arange(len(total)) * (self._abilities[1] - self._abilities[0]) / number
        _, low, middle, high, _ = quantiles(values, np.maximum(total, 0.0) / np.maximum(total, 0.0).sum())
        return middle, (low, high)


def _limit(given: Array, abilities: Array, locator: Locator) -> Array:
    """Return distributions with all ability above the hardest level counted there, and below the easiest there."""
    first, last = np.searchsorted(abilities, locator.span)
    last = min(int(last), len(abilities) - 1)
    found = given.copy()
    found[:, first] += found[:, :first].sum(1)
    found[:, last] += found[:, last + 1 :].sum(1)
    found[:, :first] = 0.0
    found[:, last + 1 :] = 0.0
    return found
