"""A scripted cook for the Kitchen: fetches what the pots need, brings soups to the window, hands things over.

Source: the greedy partner of Carroll et al., "On the utility of learning about humans for human-AI coordination",
NeurIPS 2019.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.games.hidden.kitchen import Kitchen, Position, around

__all__ = ["cook"]

_BOXES = {"o": "O", "t": "T", "d": "D"}


def cook(game: Kitchen, state: Position, seat: int, skill: int, draw: Draw) -> Any:
    """Do what is next: with many idle steps (skill 1), with some (2), or with none and an eye on the other (3)."""
    if skill < 3 and draw.chance((0.4, 0.15)[skill - 1]):
        return draw.either("north", "south", "east", "west", "wait")
    here, held = state.cooks[seat]
    near = _reach(state.plan, here)
    targets = _carry(state, held, near) if held else _fetch(state, seat, near, skill)
    other = state.cooks[1 - seat][0]
    step = _step(state.plan, here, tuple(sorted(targets)), other)
    ways = around(state.plan)
    idle = step == "wait" or (held == "d" and _boiling(state, ways[here][step]))
    close = any(cell in ways[other].values() for cell in ways[here].values() if state.plan[cell] == ".")
    stuck = close and state.plan[ways[here][step]] == "."
    if (stuck and draw.chance(0.3)) or (idle and draw.chance(0.5)):
        return _aside(state, here, draw)
    return "wait" if idle else step


def _boiling(state: Position, cell: int) -> bool:
    """Return whether a pot is at a cell whose soup is not done by the next step."""
    return any(pot.cell == cell and pot.left > 1 for pot in state.pots)


def _aside(state: Position, here: int, draw: Draw) -> str:
    """Return a step to a free cell, so that two cooks do not stand in each other's way forever."""
    taken = [cell for cell, _ in state.cooks]
    ways = around(state.plan)[here]
    free = [step for step, cell in ways.items() if state.plan[cell] == "." and cell not in taken]
    return draw.choice(free) if free else "wait"


@lru_cache(maxsize=4096)
def _reach(plan: str, here: int) -> frozenset[int]:
    """Return the things that a cook can use from where it can walk."""
    seen, waiting, found = {here}, [here], set()
    while waiting:
        for cell in around(plan)[waiting.pop()].values():
            if plan[cell] != ".":
                found.add(cell)
            elif cell not in seen:
                seen.add(cell)
                waiting.append(cell)
    return frozenset(found)


@lru_cache(maxsize=2**15)
def _step(plan: str, here: int, targets: tuple[int, ...], other: int) -> str:
    """Return the first step of a shortest way to use one of the targets, around the other cook; or wait."""
    ways = around(plan)
    waiting: deque[tuple[int, str]] = deque([(here, "")])
    seen = {here, other}
    while waiting:
        at, first = waiting.popleft()
        for step, cell in ways[at].items():
            if cell in targets:
                return first or step
            if plan[cell] == "." and cell not in seen:
                seen.add(cell)
                waiting.append((cell, first or step))
    return "wait"


def _wants(state: Position) -> list[tuple[int, Counter[str]]]:
    """Return for each pot that is not full what it still needs for an order that nothing else is made for."""
    orders = list(state.orders)
    made = [item.lower() for _, item in (*state.cooks, *state.lying) if item.isupper()]
    for soup in [*made, *(pot.inside for pot in state.pots if len(pot.inside) == 3)]:
        if soup in orders:
            orders.remove(soup)
    found = []
    for pot in sorted(state.pots, key=lambda pot: -len(pot.inside)):
        if len(pot.inside) < 3:
            fits = [order for order in orders if not Counter(pot.inside) - Counter(order)]
            if fits:
                orders.remove(fits[0])
                found.append((pot.cell, Counter(fits[0]) - Counter(pot.inside)))
            elif pot.inside and not orders:
                continue
            elif pot.inside:  # a spoilt soup: fill it up and throw it away
                found.append((pot.cell, Counter({"o": 3 - len(pot.inside)})))
    return found


def _counters(state: Position, near: Iterable[int], shared: bool) -> set[int]:
    """Return empty counters within reach; ``shared``: those that lead on to where the pots and the window are."""
    taken = {cell for cell, _ in state.lying}
    found = {cell for cell in near if state.plan[cell] == "#" and cell not in taken}
    if not shared:
        return found
    both = _reach(state.plan, state.cooks[0][0]) & _reach(state.plan, state.cooks[1][0])
    return found & both or found


def _carry(state: Position, held: str, near: frozenset[int]) -> set[int]:
    """Return where a cook brings what it holds."""
    plan = state.plan
    pots = {pot.cell: pot for pot in state.pots if pot.cell in near}
    if held.isupper():
        window = {cell for cell in near if plan[cell] == "S"}
        return window or _counters(state, near, True)
    if held == "d":
        full = sorted((pot.left, pot.cell) for pot in pots.values() if len(pot.inside) == 3)
        if full:
            return {cell for left, cell in full if left == full[0][0]}
        return _counters(state, near, not pots)
    wanted = {cell for cell, needs in _wants(state) if needs[held] and cell in pots}
    return wanted or _counters(state, near, not pots)


def _fetch(state: Position, seat: int, near: frozenset[int], skill: int) -> set[int]:
    """Return where a cook with empty hands gets what is needed next."""
    plan = state.plan
    lying: dict[str, set[int]] = {}
    for cell, item in state.lying:
        lying.setdefault(item, set()).add(cell)
    window = any(plan[cell] == "S" for cell in near)
    reached = any(plan[cell] == "P" for cell in near)
    soups = {cell for item, cells in lying.items() if item.isupper() for cell in cells & near}
    if soups and window:
        return soups
    other = state.cooks[1 - seat][1] if skill == 3 else ""
    needs: Counter[str] = sum((wanted for _, wanted in _wants(state)), Counter())
    full = sum(len(pot.inside) == 3 for pot in state.pots)
    needs["d"] = full if reached else 1
    if other in ("o", "t", "d"):
        needs[other] -= 1
    if not reached:  # the other cook takes it from a counter
        for item, cells in lying.items():
            needs[item] -= len(cells & _reach(plan, state.cooks[1 - seat][0]))
    first = ("d", "o", "t") if full else ("o", "t", "d")
    sources: Callable[[str], set[int]] = lambda item: (lying.get(item, set()) if reached else set()) & near  # noqa: E731
    for item in first:
        if needs[item] > 0:
            found = sources(item) | {cell for cell in near if plan[cell] == _BOXES[item]}
            if found:
                return found
    return set()
