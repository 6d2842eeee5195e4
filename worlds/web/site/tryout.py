"""Try the templates of sites: the oracle must earn 1, and four agents that are nearly right must earn 0.

``python -m turnwise.worlds.web.site.tryout shop`` or ``python -m turnwise.worlds.web.site.tryout my_site.py --template
my_site.buy --show``; ``--driver chromium`` plays in a real browser, and the templates that need one, too.

The agents: the plan as it is; one that immediately reports that the task is done; the plan with something before its
last step that nobody asked for (a stray plan of a site); the plan without one of the steps that changed a database; the
plan with another answer. In addition, the site is built twice and must be the same, no handler may raise, and no page
(GET) may change what counts.
"""

import argparse
import importlib
import importlib.util
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError
from turnwise.worlds.web.browser.http import HttpBrowser
from turnwise.worlds.web.browser.page.dom import Page, text_of
from turnwise.worlds.web.browser.text.read import View, render
from turnwise.worlds.web.site import registry
from turnwise.worlds.web.site.inject import Planting, plant
from turnwise.worlds.web.site.judging import answers
from turnwise.worlds.web.site.plan import Driver, Run, perform, start_of, whole_plan
from turnwise.worlds.web.site.registry import BUILT_IN, SMALL
from turnwise.worlds.web.site.site import Site, site_named
from turnwise.worlds.web.site.steps import Plan, Step, goto
from turnwise.worlds.web.site.tasks import Draft, TaskSet, Template, World
from turnwise.worlds.web.site.watch import Watch, draft_faults, last_lines, site_faults

__all__ = ["Findings", "drawn", "exposed", "main", "outcome", "task_set", "wrong_plans"]

MAX_DRAWS = 20
WRONG_ANSWERS = ("yes", "no", "0", "1", "none", "unknown", "There is no such thing.")


class WrongPlan(NamedTuple):
    """A plan that must earn nothing.

    Attributes:
        kind: "at once", "stray", "left out" or "answer".
        plan: Its steps.
        damages: The checker must report a change that was not asked for.
    """

    kind: str
    plan: Plan
    damages: bool = False


@dataclass
class Findings:
    """Results of a template's instances.

    Attributes:
        template: The template.
        tries: Instances asked for.
        drafts: Instances drawn.
        draws: Draws that were needed.
        empty: Worlds in which no instance was drawn.
        solved: Instances that the oracle solved.
        steps: Actions of the oracles, endings included.
        draw_s: Seconds that drawing took.
        play_s: Seconds that the oracles took.
        wrong: For each kind of wrong plan how many were played.
        warnings: Findings that the author should look at.
        failures: What went wrong, with the page where it did.
        looked: Pages that write, as `turnwise.worlds.web.site.watch.Watch` counts them.
    """

    template: Template
    tries: int = 0
    drafts: int = 0
    draws: int = 0
    empty: int = 0
    solved: int = 0
    steps: int = 0
    draw_s: float = 0.0
    play_s: float = 0.0
    wrong: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)
    looked: Counter[str] = field(default_factory=Counter)


def task_set(name: str) -> Site | TaskSet:
    """Return a site by its name, or the last site or task set of a file or module.

    Raises:
        SettingsError: The name is unknown, or the file defines none.
    """
    if name.endswith(".py"):
        module = _from_file(name)
    else:
        known = (*BUILT_IN, *SMALL)
        if name in known or "." not in name:
            try:
                return site_named(name)
            except SettingsError:
                if name in known:
                    raise
        module = _imported(name)
    own = [value for value in vars(module).values() if isinstance(value, (Site, TaskSet))]
    if not own:
        raise SettingsError(f"{name!r} defines no Site and no TaskSet")
    if isinstance(own[-1], Site) and registry.known(own[-1].name) is not own[-1]:
        raise SettingsError(
            f"the site {own[-1].name!r} in {name!r} is not registered: write register_site(...) below it"
        )
    return own[-1]


def _from_file(name: str) -> ModuleType:
    path = Path(name)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise SettingsError(f"there is no file {name!r}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        error.add_note(f"while {name} was loaded")
        raise
    return module


def _imported(name: str) -> ModuleType:
    package = f"turnwise.worlds.web.sites.{name}"
    built_in = "." not in name and importlib.util.find_spec(package) is not None
    try:
        return importlib.import_module(f"{package}.site" if built_in else name)
    except ModuleNotFoundError as error:
        if not f"{name}.".startswith(f"{error.name}."):
            raise
    first, _, rest = name.partition(".")
    hint = (
        f"there is no site, file or module {name!r}; there are {', '.join((*BUILT_IN, *SMALL, 'across'))}, and your own"
    )
    if first in (*BUILT_IN, *SMALL, "across"):
        hint = f"{name!r} is not a site; for one template write: {first} --template {name}"
    elif rest.startswith("py:"):
        hint = f"{name!r} is not a file; write {first}.py, without what follows"
    elif Path(f"{name}.py").is_file():
        hint += f"; did you mean {name}.py?"
    raise SettingsError(hint)


def drawn(template: Template, world: World, *key: object) -> tuple[Draft | None, int]:
    """Return the first draft in up to `MAX_DRAWS` draws, and how many draws it took."""
    for number in range(MAX_DRAWS):
        try:
            draft = template.draw(world, Draw("web task", template.name, world.seed, *key, number))
        except Exception as error:
            error.add_note(f"at the draw with the number {number}")
            raise
        if draft is not None:
            return draft, number + 1
    return None, MAX_DRAWS


def wrong_plans(draft: Draft, template: Template, run: Run, key: int) -> Iterator[WrongPlan]:
    """Yield plans near the oracle's that must earn nothing.

    Args:
        draft: The task.
        template: Its template.
        run: The oracle's run.
        key: Picks among several.
    """
    plan = whole_plan(draft)
    ending = plan[-1]
    yield WrongPlan("at once", (Step("done"),))
    if not draft.infeasible:
        yield WrongPlan("at once", (Step("infeasible", text="It cannot be done."),))
    for step in run.writes:
        yield WrongPlan("left out", (*plan[:step], *plan[step + 1 :]))
    if draft.answer is not None:
        text = next(text for text in WRONG_ANSWERS[key % 4 :] if not answers(text, draft.answer))
        yield WrongPlan("answer", (*plan[:-1], Step("answer", text=text)))
        yield WrongPlan("answer", (*plan[:-1], Step("answer", text=f"{draft.answer.text} or {text}")))
    if draft.signed_in:
        strays = [(site, stray) for name in template.sites for site in (site_named(name),) for stray in site.strays]
        if strays:
            site, stray = strays[key % len(strays)]
            yield WrongPlan("stray", (*plan[:-1], goto(site.url), *stray, ending), damages=True)


def outcome(
    template: Template, seeds: Sequence[int], size: int, wrong: bool = True, driver: Driver = HttpBrowser
) -> Findings:
    """Play a template's instances, one of each world.

    Args:
        template: What to try.
        seeds: Seeds of the worlds.
        size: Size of the worlds.
        wrong: Whether wrong plans are played, too.
        driver: Makes the browser.

    Raises:
        InfrastructureError: The browser failed.
    """
    found = Findings(template)
    for seed in seeds:
        found.tries += 1
        try:
            _try(found, seed, World(seed, size), wrong, driver)
        except InfrastructureError:
            raise
        except Exception as error:
            found.failures.append((f"seed {seed}: an error\n{last_lines(error)}", ""))
    return found


def _try(found: Findings, seed: int, world: World, wrong: bool, driver: Driver) -> None:
    template = found.template
    clock = time.process_time if driver is HttpBrowser else time.perf_counter
    for name in template.sites:
        world(name)  # built before it is timed
    start = clock()
    draft, draws = drawn(template, world)
    found.draw_s += clock() - start
    found.draws += draws
    if draft is None:
        found.empty += 1
        return
    found.drafts += 1
    trial = _Trial(found, seed, draft, world, driver)
    if drawn(template, world)[0] != draft:
        trial.fail("the same draw gave another task: draw from `draw` alone, and in a fixed order (ORDER BY)")
    faults = draft_faults(draft, world, template.sites)
    for fault in faults:
        trial.fail(fault)
    if faults:
        return
    start = clock()
    run = trial.play()
    found.play_s += clock() - start
    found.steps += len(run.actions)
    if not run.correct:
        trial.fail(f"the oracle: {run.judged.why if run.judged is not None else run.error}", page=True)
        return
    found.solved += 1
    if wrong:
        trial.look()
        for plan in wrong_plans(draft, template, run, seed):
            trial.play_wrong(plan)


class _Trial:
    """A draft that is played; findings go into an outcome."""

    def __init__(self, found: Findings, seed: int, draft: Draft, world: World, driver: Driver) -> None:
        self.found, self.seed, self.draft, self.world, self.driver = found, seed, draft, world, driver
        self._seen: set[str] = set()

    def play(self, plan: Plan | None = None, show: Callable[[Page], str] | None = None) -> Run:
        watch = Watch(self.found.looked)
        sites = self.found.template.sites
        run = perform(self.draft, self.world, sites, plan, show=show, app=watch, driver=self.driver)
        for fault in watch.faults:
            if fault not in self._seen:
                self._seen.add(fault)
                self.fail(fault)
        return run

    def fail(self, why: str, plan: Plan | None = None, page: bool = False) -> None:
        """Record a failure, and the page of the first failure that was seen on one."""
        text = ""
        if page and not any(shown for _, shown in self.found.failures):
            pages = self.play(plan, _shown).pages
            text = pages[-1] if pages else ""
        self.found.failures.append((f"seed {self.seed}: {self.draft.instruction!r}\n    {why}", text))

    def play_wrong(self, wrong: WrongPlan) -> None:
        self.found.wrong[wrong.kind] = self.found.wrong.get(wrong.kind, 0) + 1
        run = self.play(wrong.plan)
        if run.correct:
            self.fail(f"{wrong.kind}: the wrong plan {_steps(wrong.plan)} earned the reward", wrong.plan, True)
        elif wrong.damages and (run.judged is None or not run.judged.collateral):
            why = f"{wrong.kind}: no collateral damage was seen; {run.error or 'nothing changed'}"
            self.fail(why, wrong.plan, True)

    def look(self) -> None:
        """Warn of answers that are easily guessed, or that no page of the plan shows."""
        answer, found = self.draft.answer, self.found
        if answer is None:
            return
        shown = " ".join(" ".join(self.play(show=lambda page: text_of(page.root)).pages).casefold().split())
        for item in answer.golds:
            forms = [" ".join(gold.casefold().split()) for gold in item]
            if answer.form in ("text", "items") and not any(form in shown for form in forms):
                found.warnings.append(f"seed {self.seed}: no page of the plan shows {item[0]!r}")
            if answer.form == "text" and any(form in self.draft.instruction.casefold() for form in forms):
                found.warnings.append(f"seed {self.seed}: the instruction has the answer {item[0]!r} in it")


def exposed(template: Template, seeds: Sequence[int], size: int) -> float:
    """Return the share of instances in which an instruction can be hidden on the plan's way, in [0, 1]."""
    found = 0
    for seed in seeds:
        world = World(seed, size)
        draft, _ = drawn(template, world)
        if draft is None or draft.infeasible or template.browser:
            continue
        found += plant(draft, template, world, Draw("exposed", template.name, seed), Planting(1, 2)) is not None
    return found / max(1, len(seeds))


def _steps(plan: Plan) -> str:
    return ", ".join(f"{step.verb} {step.name or step.text!r}" for step in plan)


def _shown(page: Page) -> str:
    return render(page, View())


# ---- the command -----------------------------------------------------------------------------------------------------


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _row(found: Findings) -> str:
    drafts = max(1, found.drafts)
    wrong = " ".join(f"{kind.replace(' ', '-')} {count}" for kind, count in sorted(found.wrong.items()))
    return (
        f"{found.template.name:34} {found.template.level} {found.drafts:4}/{found.tries:<4}"
        f"{found.drafts / max(1, found.draws):5.0%} {1000 * found.draw_s / max(1, found.draws):6.2f} "
        f"{found.solved / drafts:6.3f} {found.steps / drafts:6.1f} "
        f"{1000 * found.play_s / max(1, found.steps):7.2f}  {len(found.failures):4} {len(found.warnings):4}  {wrong}"
    )


def _show(template: Template, size: int, seed: int, driver: Driver) -> None:
    """Print one instance, page by page."""
    world = World(seed, size)
    draft, _ = drawn(template, world)
    if draft is None:
        _say(f"{template.name} has no instance in world {seed}")
        return
    watch = Watch()
    run = perform(draft, world, template.sites, show=_shown, app=watch, driver=driver)
    _say(f"{template.name}: {draft.instruction}\nstart: {start_of(draft, template.sites)}\nchanges: {draft.changes}")
    _say(f"answer: {draft.answer}")
    for page, action in zip(run.pages, [*run.actions, None], strict=False):
        _say(f"{'-' * 100}\n{page}\n>>> {action}")
    for fault in watch.faults:
        _say(f"{'-' * 100}\n{fault}")
    _say(f"{'-' * 100}\n{run.judged if run.judged is not None else run.error}")


def _try_all(found: Site | TaskSet, templates: Sequence[Template], seeds: range, size: int, driver: Driver) -> int:
    """Print a row for each template, and findings; return 1 if something failed."""
    faults: list[str] = []
    if isinstance(found, Site):
        try:
            faults, warnings = site_faults(found, seeds.start, size)
        except Exception as error:
            _say(f"{found.name} cannot be built: {last_lines(error)}")
            return 1
        for word, texts in (("failed", faults), ("warning", warnings)):
            for text in texts:
                _say(f"{found.name}: {word}: {text}\n")
    _say(f"{'template':34} L drafts    yield   ms/dr oracle  steps ms/step  fail warn  wrong plans played")
    tried = []
    for template in templates:
        browser = template.browser and driver is HttpBrowser
        if browser or template.needs_size > size:
            why = "it needs --driver chromium" if browser else f"it needs --size {template.needs_size}"
            _say(f"{template.name:34} {template.level} left out: {why}")
            continue
        tried.append(outcome(template, seeds, size, driver=driver))
        _say(_row(tried[-1]))
    for one in tried:
        if one.empty:
            _say(f"\n{one.template.name}: no draft in {MAX_DRAWS} draws for {one.empty} worlds")
        for why, page in one.failures[:3]:
            _say(f"\n{one.template.name}, {why}" + (f"\n{'-' * 80}\n{page}\n{'-' * 80}" if page else ""))
        for warning in one.warnings[:3]:
            _say(f"\n{one.template.name}: warning: {warning}")
    return int(bool(faults) or any(one.failures for one in tried))


def _driver(name: str) -> Driver:
    """Return what makes the browser.

    Raises:
        SettingsError: There is no Chromium.
        MissingDependencyError: The extra "browser" is not installed.
    """
    if name == "http":
        return HttpBrowser
    from turnwise.worlds.web.browser import pool
    from turnwise.worlds.web.browser.chromium import ChromiumBrowser

    pool.released(None, pool.claimed(None))  # start it, so that an error is reported immediately
    return ChromiumBrowser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m turnwise.worlds.web.site.tryout", description=__doc__)
    parser.add_argument("site", help="name of a site, a module, or a file")
    parser.add_argument("--template", default="", help="only templates whose name contains this")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--size", type=int, default=60)
    parser.add_argument("--driver", choices=("http", "chromium"), default="http", help="chromium: a real browser")
    parser.add_argument("--exposed", action="store_true", help="print where instructions can be hidden instead")
    parser.add_argument("--show", action="store_true", help="show one instance page by page instead")
    given = parser.parse_args(arguments)
    try:
        found = task_set(given.site)
        driver = _driver(given.driver)
    except (SettingsError, MissingDependencyError) as error:
        if getattr(error, "__notes__", None):  # from the author's file: its traceback has the line
            raise
        parser.error(str(error))
    names = [template.name for template in found.templates()]
    templates = [template for template in found.templates() if given.template in template.name]
    if not templates:
        what = f"no template has {given.template!r} in its name" if names else f"{given.site} has no templates"
        parser.error(f"{what}; there are {', '.join(names)}" if names else what)
    seeds = range(given.first, given.first + given.seeds)
    if given.exposed:
        for template in templates:
            _say(f"{template.name:34} {exposed(template, seeds, given.size):5.0%}")
    elif given.show:
        for template in templates:
            _show(template, given.size, given.first, driver)
    else:
        return _try_all(found, templates, seeds, given.size, driver)
    return 0


if __name__ == "__main__":
    logging.getLogger("turnwise.worlds.web").addHandler(logging.NullHandler())  # its errors are among the failures
    sys.exit(main())
