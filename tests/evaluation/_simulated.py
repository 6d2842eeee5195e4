"""Agents whose chance to solve each level of several environments is known; no environments."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from turnwise.evaluation.ladder.ability import Joint
from turnwise.evaluation.ladder.climb import FEWEST_EPISODES, WORTH
from turnwise.evaluation.ladder.model import Locator, ends_of
from turnwise.evaluation.ladder.results import Row
from turnwise.evaluation.ladder.scale import Place, Scale

LEVELS = 10
NO_CHANCE = (0.0,) * LEVELS
FALLING = tuple(0.35 * 0.6**level for level in range(LEVELS))
FLAT = (0.25,) * LEVELS
SLOPES = (0.7, 1.0, 1.6, 2.5)
Array = np.ndarray
NUMBERS = tuple(map(float, range(1, LEVELS + 1)))


@dataclass(frozen=True)
class World:
    """Environments: slopes, chance rates, and the true difficulties of their levels."""

    slopes: tuple[float, ...]
    chances: tuple[tuple[float, ...], ...]
    difficulties: tuple[tuple[float, ...], ...]

    @property
    def names(self) -> list[str]:
        return [f"E{i:02}" for i in range(len(self.slopes))]

    def rate(self, env: int, ability: float, level: int) -> float:
        guess = self.chances[env][level - 1]
        logit = self.slopes[env] * (ability - self.difficulties[env][level - 1])
        return float(guess + (1 - guess) / (1 + np.exp(-logit)))

    def play(self, rng: np.random.Generator, env: int, ability: float, level: int, episodes: int) -> int:
        return int(rng.binomial(episodes, self.rate(env, ability, level)))

    def places(self, scale: Scale) -> list[Place]:
        unknown = Place(difficulty=NUMBERS, offset_se=scale.offset_sd, slope=scale.slope, slope_sd=scale.slope_sd)
        return [scale.environments.get(name, unknown) for name in self.names]

    def locators(self, scale: Scale) -> list[Locator]:
        places = self.places(scale)
        return [Locator(c, p, ends_of(places)) for c, p in zip(self.chances, places, strict=True)]

    def rows(self, rng: np.random.Generator, agent: str, abilities: Array, episodes: int) -> list[Row]:
        """An evaluation of an agent: so many tasks at every level of every environment."""
        return [
            Row(agent, name, level, self.play(rng, i, abilities[i], level, episodes), episodes, chance)
            for i, name in enumerate(self.names)
            for level, chance in enumerate(self.chances[i], 1)
        ]


def level_world(number: int) -> World:
    """Environments whose level numbers are their difficulties."""
    chances = (NO_CHANCE, FALLING, FLAT)
    return World(
        tuple(SLOPES[i % 4] for i in range(number)), tuple(chances[i % 3] for i in range(number)), (NUMBERS,) * number
    )


def uneven_world(number: int, seed: int, offset_sd: float = 1.5) -> World:
    """Environments whose levels lie elsewhere, at steps of their own; on the scale that calibration identifies."""
    rng = np.random.default_rng(seed)
    steps = np.clip(rng.normal(1.0, 0.4, (number, LEVELS)), 0.1, None)
    steps[:, 0] = 0
    found = 1 + np.cumsum(steps, axis=1) + offset_sd * rng.normal(size=(number, 1))
    unit = np.mean(found[:, -1] - found[:, 0]) / (LEVELS - 1)
    found = (LEVELS + 1) / 2 + (found - found.mean()) / unit
    base = level_world(number)
    return World(base.slopes, base.chances, tuple(tuple(map(float, row)) for row in found))


def ladder(
    world: World,
    abilities: Array,
    rng: np.random.Generator,
    scale: Scale,
    batch: int = 4,
    overall: float | None = None,
    width: float = 1.5,
    most: int = 2000,
) -> tuple[Joint, list[int]]:
    """Climb as `turnwise.evaluation.ladder.climb` does; return the posterior and the episodes of each environment."""
    locators = world.locators(scale)
    joint, played = Joint(scale, locators), [0] * len(locators)

    def goes_on(i: int) -> bool:
        at = locators[i].located()
        return played[i] < FEWEST_EPISODES or (not (at.beyond or at.width <= width) and played[i] < most)

    while chosen := [i for i in range(len(locators)) if goes_on(i)]:
        if overall is not None:
            if sum(played) >= FEWEST_EPISODES and joint.width() <= overall:
                break
            gains = {i: locators[i].gain() for i in chosen}
            chosen = [i for i in chosen if gains[i] >= WORTH * max(gains.values())]
        for i in chosen:
            level = locators[i].next_level()
            locators[i].add(level, world.play(rng, i, abilities[i], level, batch), batch)
            played[i] += batch
        joint.share(chosen)
    return joint, played


def grid(
    world: World, abilities: Array, rng: np.random.Generator, scale: Scale, done: Callable[[Joint], bool]
) -> tuple[Joint, int]:
    """Play every level of every environment once more until it is done; return the posterior and the episodes."""
    locators = world.locators(scale)
    joint, played = Joint(scale, locators), 0
    while not played or not done(joint):
        for i, locator in enumerate(locators):
            for level in range(1, LEVELS + 1):
                locator.add(level, world.play(rng, i, abilities[i], level, 1), 1)
        played += LEVELS * len(locators)
        joint.share(range(len(locators)))
    return joint, played


def agents(number: int, envs: int, spread: float, seed: int) -> Sequence[tuple[float, Array]]:
    """General abilities, and the abilities in each environment."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(number):
        general = float(rng.uniform(2, LEVELS - 1))
        found.append((general, general + spread * rng.normal(size=envs)))
    return found
