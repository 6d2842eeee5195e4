"""Tries the templates of sites: the oracle must earn 1, and four agents that are nearly right must earn 0.

``python -m turnwise.web.tryout shop`` or ``python -m turnwise.web.tryout my_site.py --template my_site.buy --show``.

Agents: the plan as it is; one that says at once that it is done; the plan with something before its last step that
nobody asked for (a stray plan of a site); the plan without one of the steps that changed a database; the plan with
another answer.
"""

import argparse
import importlib
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from turnwise.errors import SettingsError
from turnwise.web.check import answers
from turnwise.web.dom import Page, text_of
from turnwise.web.draw import Draw
from turnwise.web.inject import plant
from turnwise.web.plan import Run, perform, start_of, whole_plan
from turnwise.web.read import View, render
from turnwise.web.site import BUILT_IN, site_named
from turnwise.web.tasks import Draft, Plan, Step, TaskSet, Template, World, goto

__all__ = ["Outcome", "drawn", "exposed", "main", "outcome", "task_set", "wrong_plans"]

MAX_DRAWS = 20
WRONG_ANSWERS = ("yes", "no", "0", "1", "none", "unknown", "There is no such thing.")


class WrongPlan(NamedTuple):
    """A plan that must earn nothing.

    Attributes:
        kind: "at once", "stray", "left out" or "answer".
        plan: Its steps.
        damages: The checker must tell a change that was not asked for.
    """

    kind: str
    plan: Plan
    damages: bool = False


@dataclass
class Outcome:
    """What became of a template's instances.

    Attributes:
        template: The template.
        tries: Instances asked for.
        drafts: Instances drawn, and draws that took.
        solved: Instances that the oracle solved.
        steps: Actions of the oracles, endings included.
        wrong: For each kind of wrong plan how many were played.
        warnings: What an author should look at.
        failures: What must not be, with the page where it was.
    """

    template: Template
    tries: int = 0
    drafts: int = 0
    draws: int = 0
    solved: int = 0
    steps: int = 0
    draw_s: float = 0.0
    play_s: float = 0.0
    wrong: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)


def task_set(name: str) -> TaskSet:
    """A site by its name, or the last task set that a file defines; importing a file registers its sites.

    Raises:
        SettingsError: There is none.
    """
    if not name.endswith(".py"):
        if name in BUILT_IN or "." not in name:
            try:
                return site_named(name)
            except SettingsError:
                if importlib.util.find_spec(f"turnwise.web.sites.{name}") is None:
                    raise
                name = f"turnwise.web.sites.{name}"
        module = importlib.import_module(name)
    else:
        path = Path(name)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if not path.is_file() or spec is None or spec.loader is None:
            raise SettingsError(f"there is no file {name!r}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, TaskSet) and value.__module__ == module.__name__ and value.name
    ]
    if not own:
        raise SettingsError(f"{name!r} defines no WebSite and no TaskSet with a name")
    return site_named(own[-1].name) if hasattr(own[-1], "fill") else own[-1]()


def drawn(template: Template, world: World, *key: object) -> tuple[Draft | None, int]:
    """The first draft in up to `MAX_DRAWS` draws, and how many draws it took."""
    for number in range(MAX_DRAWS):
        draft = template.draw(world, Draw("web task", template.name, world.seed, *key, number))
        if draft is not None:
            return draft, number + 1
    return None, MAX_DRAWS


def wrong_plans(draft: Draft, template: Template, run: Run, key: int) -> Iterator[WrongPlan]:
    """Plans near the oracle's that must earn nothing.

    Args:
        draft: The task.
        template: Whose it is.
        run: The oracle's.
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


def outcome(template: Template, seeds: Sequence[int], size: int, wrong: bool = True) -> Outcome:
    """Play a template's instances, one of each world.

    Args:
        template: What to try.
        seeds: Of the worlds.
        size: Of the worlds.
        wrong: Whether wrong plans are played, too.
    """
    found = Outcome(template)
    for seed in seeds:
        found.tries += 1
        world = World(seed, size)
        for name in template.sites:
            world(name)  # built before it is timed
        start = time.process_time()
        draft, draws = drawn(template, world)
        found.draw_s += time.process_time() - start
        found.draws += draws
        if draft is None:
            continue
        found.drafts += 1
        start = time.process_time()
        run = perform(draft, world, template.sites, show=None)
        found.play_s += time.process_time() - start
        found.steps += len(run.actions)
        if not run.correct:
            why = run.judged.why if run.judged is not None else run.error
            _fail(found, seed, draft, f"the oracle: {why}", partial(_text, draft, world, template, None))
            continue
        found.solved += 1
        if wrong:
            _look(found, seed, draft, world)
            for number, plan in enumerate(wrong_plans(draft, template, run, seed)):
                _play_wrong(found, seed + number, draft, world, plan)
    return found


def exposed(template: Template, seeds: Sequence[int], size: int) -> float:
    """Share of a template's instances in which an instruction can be hidden on the plan's way, in [0, 1]."""
    found = 0
    for seed in seeds:
        world = World(seed, size)
        draft, _ = drawn(template, world)
        hidden = draft is not None and not draft.infeasible and not template.browser
        found += hidden and plant(draft, template, world, Draw("exposed", template.name, seed)) is not None  # type: ignore[arg-type]
    return found / max(1, len(seeds))


def _play_wrong(found: Outcome, seed: int, draft: Draft, world: World, wrong: WrongPlan) -> None:
    template = found.template
    found.wrong[wrong.kind] = found.wrong.get(wrong.kind, 0) + 1
    run = perform(draft, world, template.sites, wrong.plan)
    problem = ""
    if run.correct:
        problem = f"{wrong.kind}: the wrong plan {_steps(wrong.plan)} earned the reward"
    elif wrong.damages and (run.judged is None or not run.judged.collateral):
        problem = f"{wrong.kind}: no collateral damage was seen; {run.error or 'nothing changed'}"
    if problem:
        _fail(found, seed, draft, problem, partial(_text, draft, world, template, wrong.plan))


def _look(found: Outcome, seed: int, draft: Draft, world: World) -> None:
    """Warns of answers that are guessed easily, or that the plan's pages do not show."""
    if draft.answer is None:
        return
    pages = perform(draft, world, found.template.sites, show=lambda page: text_of(page.root)).pages
    shown = " ".join(" ".join(pages).casefold().split())
    for item in draft.answer.golds:
        forms = [" ".join(gold.casefold().split()) for gold in item]
        if draft.answer.form in ("text", "items") and not any(form in shown for form in forms):
            found.warnings.append(f"seed {seed}: no page of the plan shows {item[0]!r}")
        if draft.answer.form == "text" and any(form in draft.instruction.casefold() for form in forms):
            found.warnings.append(f"seed {seed}: the instruction has the answer {item[0]!r} in it")


def _fail(found: Outcome, seed: int, draft: Draft, why: str, page: Callable[[], str]) -> None:
    text = page() if not found.failures else ""
    found.failures.append((f"seed {seed}: {draft.instruction!r}\n    {why}", text))


def _steps(plan: Plan) -> str:
    return ", ".join(f"{step.verb} {step.name or step.text!r}" for step in plan)


def _text(draft: Draft, world: World, template: Template, plan: Plan | None) -> str:
    pages = perform(draft, world, template.sites, plan, show=_shown).pages
    return pages[-1] if pages else ""


def _shown(page: Page) -> str:
    return render(page, View())


# ---- the command -----------------------------------------------------------------------------------------------------


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _row(found: Outcome) -> str:
    drafts = max(1, found.drafts)
    wrong = " ".join(f"{kind.replace(' ', '-')} {count}" for kind, count in sorted(found.wrong.items()))
    return (
        f"{found.template.name:34} {found.template.level} {found.drafts:4}/{found.tries:<4}"
        f"{found.drafts / max(1, found.draws):5.0%} {1000 * found.draw_s / max(1, found.draws):6.2f} "
        f"{found.solved / drafts:6.3f} {found.steps / drafts:6.1f} "
        f"{1000 * found.play_s / max(1, found.steps):7.2f}  {len(found.failures):4} {len(found.warnings):4}  {wrong}"
    )


def _show(template: Template, size: int, seed: int) -> None:
    """One instance, page by page."""
    world = World(seed, size)
    draft, _ = drawn(template, world)
    if draft is None:
        _say(f"{template.name} has no instance in world {seed}")
        return
    run = perform(draft, world, template.sites, show=_shown)
    _say(f"{template.name}: {draft.instruction}\nstart: {start_of(draft, template.sites)}\nchanges: {draft.changes}")
    _say(f"answer: {draft.answer}")
    for page, action in zip(run.pages, [*run.actions, None], strict=False):
        _say(f"{'-' * 100}\n{page}\n>>> {action}")
    _say(f"{'-' * 100}\n{run.judged if run.judged is not None else run.error}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 1 where something failed."""
    parser = argparse.ArgumentParser(prog="python -m turnwise.web.tryout", description=__doc__)
    parser.add_argument("site", help="name of a site, a module, or a file")
    parser.add_argument("--template", default="", help="only templates whose name contains this")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--size", type=int, default=60)
    parser.add_argument("--exposed", action="store_true", help="tell where instructions can be hidden instead")
    parser.add_argument("--show", action="store_true", help="show one instance page by page instead")
    given = parser.parse_args(arguments)
    templates = [t for t in task_set(given.site).templates() if given.template in t.name]
    if given.exposed:
        for template in templates:
            share = exposed(template, range(given.first, given.first + given.seeds), given.size)
            _say(f"{template.name:34} {share:5.0%}")
        return 0
    if given.show:
        for template in templates:
            _show(template, given.size, given.first)
        return 0
    _say(f"{'template':34} L drafts    yield   ms/dr oracle  steps ms/step  fail warn  wrong plans played")
    failed = []
    for template in templates:
        if template.browser or template.needs_size > given.size:
            _say(f"{template.name:34} {template.level} left out ({'browser' if template.browser else 'size'})")
            continue
        found = outcome(template, range(given.first, given.first + given.seeds), given.size)
        _say(_row(found))
        if found.failures or found.warnings or found.drafts < found.tries:
            failed.append(found)
    for found in failed:
        if found.drafts < found.tries:
            _say(f"\n{found.template.name}: no draft in {MAX_DRAWS} draws for {found.tries - found.drafts} worlds")
        for why, page in found.failures[:3]:
            _say(f"\n{found.template.name}, {why}" + (f"\n{'-' * 80}\n{page}\n{'-' * 80}" if page else ""))
        for warning in found.warnings[:3]:
            _say(f"\n{found.template.name}: warning: {warning}")
    return int(any(found.failures for found in failed))


if __name__ == "__main__":
    sys.exit(main())
