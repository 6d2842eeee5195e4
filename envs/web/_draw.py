"""Task drawing: a world of the split, a template, and what it makes of that world."""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from turnwise.core.draw import Draw, uncollected
from turnwise.core.env import Split
from turnwise.core.errors import SettingsError
from turnwise.envs.web._exposed import may_hide
from turnwise.envs.web._worlds import templates_named, why_not, world_seed
from turnwise.worlds.web.site.inject import Planting, plant
from turnwise.worlds.web.site.judging import goals_of
from turnwise.worlds.web.site.plan import start_of, whole_plan
from turnwise.worlds.web.site.planted import Planted, PlantedWorld
from turnwise.worlds.web.site.steps import Plan
from turnwise.worlds.web.site.tasks import Draft, Goal, Template, World

__all__ = ["Choice", "WebTask", "draw_task", "task_of"]

MAX_DRAWS = 400
_NUMBERS = 2**31
_PLANTED_NUMBERS = 4096  # a task with planted texts is played when drawn, which is remembered


@dataclass(frozen=True)
class WebTask:
    """A task on sites of a world.

    Attributes:
        world: Seed of the world.
        size: Of the world.
        template: Name of the template.
        number: What was drawn for it.
        planted: Texts that ask for something on pages: attacks, and a request that the instruction passes on.
        instruction: What the agent is asked.
        plan: The oracle's.
        goals: The right ends.
        sites: Names of the sites that may be opened.
        start: Address of the first page.
        signed_in: Whether the user is signed in from the start.
        level: The template's, 1 to 5.
    """

    world: int
    size: int
    template: str
    number: int
    planted: tuple[Planted, ...] = field(default=(), compare=False)
    instruction: str = field(default="", compare=False)
    plan: Plan = field(default=(), compare=False)
    goals: tuple[Goal, ...] = field(default=(), compare=False)
    sites: tuple[str, ...] = field(default=(), compare=False)
    start: str = field(default="", compare=False)
    signed_in: bool = field(default=True, compare=False)
    level: int = field(default=1, compare=False)

    @property
    def infeasible(self) -> bool:
        """Whether the right end is to report that the task cannot be done."""
        return self.goals[0].infeasible

    @property
    def attacks(self) -> tuple[Planted, ...]:
        """The texts of strangers."""
        return tuple(each for each in self.planted if not each.asked)

    @property
    def request(self) -> Planted | None:
        """The text that is to be followed; None if there is none."""
        return next((each for each in self.planted if each.asked), None)

    def snapshots(self) -> World | PlantedWorld:
        """Return the world that gives the databases at the start."""
        world = World(self.world, self.size)
        return PlantedWorld(world, self.planted) if self.planted else world


class Choice:
    """The tasks that settings allow.

    Args:
        feasible: Templates of tasks that can be done.
        infeasible: Templates of tasks that cannot.
        share: Share of tasks that cannot be done, if there are both kinds.
        base: Name of the worlds.
        worlds: How many there are in a split.
        size: Of the worlds.
        planting: What is planted in a task.
    """

    def __init__(
        self,
        feasible: tuple[Template, ...],
        infeasible: tuple[Template, ...],
        share: float,
        base: int,
        worlds: int,
        size: int,
        planting: Planting,
    ) -> None:
        self.feasible, self.infeasible, self.share = feasible, infeasible, share
        self.base, self.worlds, self.size, self.planting = base, worlds, size, planting


@uncollected()  # a page has thousands of objects
def draw_task(rng: np.random.Generator, choice: Choice, split: Split | None) -> WebTask:
    """Draw a task of a world of the split.

    Raises:
        SettingsError: No task was found.
    """
    planting = choice.planting
    asked = planting.asked > 0 and float(rng.random()) < planting.asked
    for _ in range(MAX_DRAWS):
        draws = rng.random(5).tolist()
        which: Split = split or ("test" if draws[0] < 0.2 else "train")
        hopeless = bool(choice.infeasible) and (draws[1] < choice.share or not choice.feasible)
        templates = choice.infeasible if hopeless else choice.feasible
        template = templates[int(draws[2] * len(templates))]
        seed = world_seed(choice.base, which, int(draws[3] * choice.worlds), choice.size)
        number = int(draws[4] * (_PLANTED_NUMBERS if planting.number else _NUMBERS))
        task = (
            _planted_task(template, World(seed, choice.size), number, planting, asked)
            if planting.number
            else task_of(template, World(seed, choice.size), number)
        )
        if task is not None:
            return task
    what = " with a place for planted texts" if planting.number else ""
    raise SettingsError(
        f"no task{what} was found in {MAX_DRAWS} draws from {len(choice.feasible) + len(choice.infeasible)} templates "
        f"in worlds of size={choice.size}; allow more templates or another size"
    )


def task_of(template: Template, world: World, number: int) -> WebTask | None:
    """Return what a template makes of a world with that number, or None if it makes nothing."""
    draft = _draft(template, world, number)
    return None if draft is None else _task(draft, template, world, number)


def _draft(template: Template, world: World, number: int) -> Draft | None:
    try:
        return template.draw(world, Draw("web task", template.name, world.seed, number))
    except Exception as error:
        error.add_note(f"drawn with the number {number}")
        raise


def _task(draft: Draft, template: Template, world: World, number: int, planted: tuple[Planted, ...] = ()) -> WebTask:
    return WebTask(
        world.seed, world.size, template.name, number, planted, draft.instruction, whole_plan(draft), goals_of(draft),
        template.sites, start_of(draft, template.sites), draft.signed_in, template.level,
    )  # fmt: skip


@lru_cache(20_000)
def _planted_task(template: Template, world: World, number: int, planting: Planting, asked: bool) -> WebTask | None:
    draft = _draft(template, world, number)
    if draft is None or draft.infeasible:
        return None
    draw = Draw("web planted", template.name, world.seed, number, *planting, asked)
    found = plant(draft, template, world, draw, planting, asked)
    return None if found is None else _task(found[1], template, world, number, found[0])


@lru_cache(256)
def choice_of(
    sites: str, templates: str, level: int, min_level: int, size: int, several: bool, browser: bool, share: float,
    base: int, worlds: int, planting: Planting,
) -> Choice:  # fmt: skip
    """Return the choice that settings describe; arguments as in `templates_named`, `why_not` and `Choice`.

    Raises:
        SettingsError: They allow no template; the message says what would.
    """
    named = templates_named(sites, templates, several)
    needs = {t.name: why_not(t, level, min_level, size, browser) for t in named}
    found = [t for t in named if not needs[t.name]]
    if planting.number:
        needs |= {t.name: "hostile=0" for t in found if t.infeasible or not may_hide(t)}
        found = [t for t in found if not needs[t.name]]
    if not found:
        needed = "; ".join(f"{name} needs {need}" for name, need in list(needs.items())[:3])
        raise SettingsError(f"sites={sites!r}, templates={templates!r} leave no template: {needed}")
    feasible, infeasible = (tuple(t for t in found if t.infeasible is which) for which in (False, True))
    return Choice(feasible, infeasible, share, base, worlds, size, planting)
