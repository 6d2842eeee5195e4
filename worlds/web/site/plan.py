"""Follow a plan on live pages: find the element that a step means, and scroll or page to it.

A plan names elements as a reader of the page would. `next_action` finds the one element that is meant, or names the
nearest ones; two with different effects are an error, so that the task's author notices.
"""

import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from turnwise.worlds.web.actions.actions import Action, written
from turnwise.worlds.web.browser.http import Browser, HttpBrowser
from turnwise.worlds.web.browser.net import App
from turnwise.worlds.web.browser.page.dom import Node, Page, name_of, role_of, text_of, visible
from turnwise.worlds.web.browser.text.read import View, in_view, outline
from turnwise.worlds.web.site.app import WebApp
from turnwise.worlds.web.site.judging import Judged, goals_of, judge
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.site.state import RowChange, Snapshot, Store
from turnwise.worlds.web.site.steps import Plan, Step, answer, done, infeasible
from turnwise.worlds.web.site.tasks import Draft, World

__all__ = [
    "APP", "ENDINGS", "Driver", "PlanError", "Run", "follows", "hosts_for", "locate", "next_action", "open_store",
    "perform", "start_of", "whole_plan",
]  # fmt: skip

ENDINGS = ("answer", "done", "infeasible")
APP = WebApp()
"""The application of all sites; it keeps nothing of an episode."""
Driver: TypeAlias = Callable[[App, Store, frozenset[str], str, Mapping[str, Mapping[str, str]]], Browser]
MAX_VIA = 60  # pages visited for one step
_AROUND = frozenset(("tr", "li", "article", "section", "form", "fieldset", "dialog", "aside", "dd", "blockquote"))
_AROUND_ROLES = frozenset(("row", "listitem", "article", "dialog", "group", "region", "form"))
_FIELDS = frozenset(("textbox", "searchbox", "spinbutton"))
_TAGS = {"fill": ("input", "textarea"), "select": ("select",), "check": ("input",), "uncheck": ("input",)}
_ROLES: Mapping[str, frozenset[str]] = {
    "fill": _FIELDS,
    "check": frozenset(("checkbox", "radio", "switch")),
    "uncheck": frozenset(("checkbox", "switch")),
}


class PlanError(Exception):
    """A step of a plan cannot be done on this page; the message names the step and the nearest elements."""


def whole_plan(draft: Draft) -> Plan:
    """Return the plan with its last step: the answer, done, or infeasible."""
    if draft.plan and draft.plan[-1].verb in ENDINGS:
        return draft.plan
    if draft.infeasible:
        return (*draft.plan, infeasible(draft.infeasible))
    return (*draft.plan, done() if draft.answer is None else answer(draft.answer.text))


def next_action(plan: Plan, position: int, page: Page, view: View, top: int = 0) -> tuple[Action, bool]:
    """Return what to do for step ``position`` of the plan, and whether the step is then done.

    It is not done if the element must be scrolled into view first, or is on another page of a list (`Step.via`).

    Args:
        plan: The steps.
        position: Index of the next one.
        page: The page of the active tab.
        view: How the agent sees it.
        top: The first line of the viewport.

    Raises:
        PlanError: No element is meant, or several that do different things.
    """
    step = plan[position]
    if step.verb == "tab":
        return Action("tab", int(step.text)), True
    if not step.name:
        return Action(step.verb, None, step.text), True
    found, advances = _found(step, page), True
    if not found and step.via:
        turn = Step("click", step.via)
        found, advances = _found(turn, page), False
        step = turn if found else step
    node = _chosen(step, found, page)
    scroll = _scroll(page, view, top, node)
    if scroll:
        return Action("scroll", None, scroll), False
    return Action(step.verb, node.number, step.text), advances


def locate(step: Step, page: Page) -> Node:
    """Return the element that a step means.

    Raises:
        PlanError: No element matches, or several that do different things.
    """
    return _chosen(step, _found(step, page), page)


def follows(plan: Plan, position: int, page: Page, view: View, top: int, action: Action) -> bool:
    """Whether an action is the plan's next one and completes that step; usually decided without reading the page."""
    if position >= len(plan) or plan[position].verb != action.verb:
        return False
    step = plan[position]
    if step.name:
        node = page.elements.get(action.element or 0)
        if node is None or action.text != step.text or not _named(node, step):
            return False
    try:
        return next_action(plan, position, page, view, top) == (action, True)
    except PlanError:
        return False


def _found(step: Step, page: Page) -> list[Node]:
    tags = _TAGS.get(step.verb)
    nodes = list(page.elements.values())
    if tags is not None:
        nodes = [node for node in nodes if node.tag in tags]
    nodes = [node for node in nodes if _named(node, step, page.labels) and visible(node)]
    if len(nodes) > 1 and not step.role:
        roles = _ROLES.get(step.verb)
        if roles is not None:
            nodes = [node for node in nodes if role_of(node) in roles] or nodes
        elif step.verb == "click":
            nodes = [node for node in nodes if role_of(node) not in _FIELDS] or nodes
    if not step.near:
        return nodes
    near = " ".join(step.near.split())
    ranked: list[tuple[int, Node]] = []
    for node in nodes:
        size = next((len(text) for text in _surroundings(node) if near in text), None)
        if size is not None:
            ranked.append((size, node))
    least = min((size for size, _ in ranked), default=0)
    return [node for size, node in ranked if size == least]


def _named(node: Node, step: Step, labels: dict[str, list[Node]] | None = None) -> bool:
    return name_of(node, labels) == step.name and (not step.role or role_of(node) == step.role)


def _surroundings(node: Node) -> Iterator[str]:
    """Yield the texts around an element, from the inside out."""
    around = node.parent
    while around is not None:
        if around.tag in _AROUND or around.attrs.get("role") in _AROUND_ROLES:
            yield text_of(around)
        around = around.parent


def _chosen(step: Step, found: list[Node], page: Page) -> Node:
    if len({_effect(node) for node in found}) == 1:
        return found[0]
    if found:
        rows = "; ".join(_where(node, found) for node in found[:6])
        raise PlanError(f"{_told(step)}: {len(found)} elements match: {rows}; choose one with near= or role=")
    names = {f"{role_of(node)} {name_of(node)!r}": node for node in page.elements.values()}
    close = difflib.get_close_matches(f"{step.role} {step.name!r}", names, 6, 0.5)
    same = [f"{key}{'' if visible(node) else ' (hidden)'}" for key, node in names.items() if name_of(node) == step.name]
    hint = ", ".join(dict.fromkeys([*same, *close])) or f"{len(names)} other elements"
    raise PlanError(f"{_told(step)}: no such element on {page.url} ({page.title!r}); it has {hint}")


def _where(node: Node, found: list[Node]) -> str:
    """Describe an element, if possible with a text that ``near`` can take to distinguish it."""
    others = {text for other in found if other is not node for text in _surroundings(other)} | {name_of(node)}
    near = next((text for text in _surroundings(node) if text not in others), "")
    return f"{role_of(node)} [{node.number}]" + (f" in {near[:80]!r}" if near else "")


def _effect(node: Node) -> object:
    """Return what identifies an element's effect: links to one address have the same."""
    href = node.attrs.get("href")
    return ("link", href) if node.tag == "a" and href else id(node)


def _told(step: Step) -> str:
    words = [f"{name}={value!r}" for name, value in zip(step._fields[1:], step[1:], strict=True) if value]
    return f"{step.verb}({', '.join(words)})"


def _scroll(page: Page, view: View, top: int, node: Node) -> str:
    """Return which way to scroll until the element is in view, or "" if it is."""
    if not (view.lines or view.fold):
        return ""
    if in_view(page, node.number, view, top):
        return ""
    for place, line in enumerate(outline(page, view.form)):
        if node.number in line.numbers:
            return "up" if (place if view.lines else line.item - 1) < top else "down"
    return ""


# ---- whole episodes --------------------------------------------------------------------------------------------------


def hosts_for(sites: tuple[str, ...]) -> frozenset[str]:
    """Return the hosts of sites."""
    return frozenset(site_named(name).host for name in sites)


def start_of(draft: Draft, sites: tuple[str, ...]) -> str:
    """Return the address where a task starts."""
    return draft.start or site_named(sites[0]).url


def open_store(snapshots: Callable[[str], Snapshot], world: World, signed_in: bool = True) -> Store:
    """Return an episode's databases, with the world's user or nobody signed in.

    Args:
        snapshots: Finds a site's database at the start: the world itself, or one with other texts in it.
        world: The world.
        signed_in: Whether the user is signed in.
    """
    return Store(snapshots, world.cast.user.id if signed_in else 0, world.now)


@dataclass
class Run:
    """The record of a plan that was played.

    Attributes:
        actions: What was done.
        pages: The page before each action.
        writes: Indices of the plan's steps after which the databases differed from before.
        judged: What the checker found; None where the plan broke off.
        error: Why it did.
    """

    actions: list[Action] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    writes: list[int] = field(default_factory=list)
    judged: Judged | None = None
    error: str = ""

    @property
    def correct(self) -> bool:
        """Whether the episode earned its reward."""
        return self.judged is not None and self.judged.correct


def perform(
    draft: Draft,
    world: World,
    sites: tuple[str, ...],
    plan: Plan | None = None,
    *,
    show: Callable[[Page], str] | None = None,
    store: Store | None = None,
    app: App = APP,
    driver: Driver = HttpBrowser,
    writes: bool = True,
    fields: bool = True,
    judged: bool = True,
) -> Run:
    """Play a plan in a browser.

    Args:
        draft: The task.
        world: Where it is drawn from.
        sites: Sites that the browser may visit.
        plan: Another plan than the task's own.
        show: What is kept of each page; None for nothing.
        store: Databases to start from, not yet changed, left open; None for the world's.
        app: What serves the sites.
        driver: Makes the browser.
        writes: Note the steps that write; to compare the databases after each of them takes time.
        fields: Show pages also after actions that only fill in a field; else "" is kept then.
        judged: Ask the checker at the end.
    """
    plan = whole_plan(draft) if plan is None else plan
    own = open_store(world, world, draft.signed_in) if store is None else store
    hosts = hosts_for(sites)
    cookies = {host: {"sid": "start"} for host in hosts} if draft.signed_in else {}
    run = Run()
    try:
        browser = driver(app, own, hosts, start_of(draft, sites), cookies)
        try:
            _play(run, draft, plan, browser, own, show, writes, fields, judged)
        except PlanError as error:
            run.error = str(error)
        finally:
            browser.close()
            browser.page.dissolve()
    finally:
        if store is None:
            own.close()
    return run


_FILLING = frozenset({"fill", "select", "check", "uncheck"})


def _play(
    run: Run, draft: Draft, plan: Plan, browser: Browser, store: Store, show: Callable[[Page], str] | None,
    writes: bool, fields: bool, judged: bool,
) -> None:  # fmt: skip
    view, position, turned, written_ = View(), 0, 0, _writes(store)
    before: list[RowChange] = []
    while True:
        if show is not None:
            filled = not fields and run.actions and run.actions[-1].verb in _FILLING
            run.pages.append("" if filled else show(browser.page))
        if position >= len(plan):
            raise PlanError("the plan ends without answer, done or infeasible")
        action, advances = next_action(plan, position, browser.page, view)
        run.actions.append(action)
        if action.verb in ENDINGS and not judged:
            return
        if action.verb in ENDINGS:
            url = browser.page.url
            run.judged = judge(store, goals_of(draft), action.verb, action.text, url, draft.instruction)  # type: ignore[arg-type]
            return
        page = browser.page
        error = browser.do(action)
        if browser.page is not page and len(browser.tabs()) == 1:
            page.dissolve()
        if error:
            raise PlanError(f"{_told(plan[position])}: {written(action)} on {browser.page.url} gave: {error}")
        if writes and _writes(store) != written_:
            written_, now = _writes(store), store.changes()
            if now != before:
                run.writes.append(position)
            before = now
        turned = 0 if advances else turned + 1
        if turned > MAX_VIA:
            raise PlanError(f"{_told(plan[position])}: not found on {MAX_VIA} pages of {plan[position].via!r}")
        position += advances


def _writes(store: Store) -> int:
    """Return the number of rows written so far, also in volatile tables."""
    return sum(store.db(site).total_changes for site in store.visited)
