"""Sokoban's rooms as sets of cells: moves, backward play and a solver.

A set of cells is an int with bit ``row * size + column``; walls around the room keep shifts from wrapping.
"""

import heapq
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

__all__ = ["back_to_front", "bits", "play", "pull_back", "reach", "solve", "walk_and_push"]

State = tuple[int, int]  # the boxes, and the region that the player can walk
Layers = list[dict[State, tuple[State, int, int] | None]]
_BEAM = 16
_SOLVER_STATES = 3000


def _steps(size: int) -> tuple[tuple[str, int], ...]:
    return (("up", -size), ("down", size), ("left", -1), ("right", 1))


def bits(cells: int) -> Iterator[int]:
    while cells:
        low = cells & -cells
        yield low.bit_length() - 1
        cells ^= low


def _shift(cells: int, step: int) -> int:
    return cells << step if step > 0 else cells >> -step


def reach(free: int, start: int, size: int) -> int:
    """Return the free cells that can be walked to; walls around the room keep the shifts from wrapping."""
    seen = start
    while True:
        grown = (seen | seen << 1 | seen >> 1 | seen << size | seen >> size) & free
        if grown == seen:
            return seen
        seen = grown


def play(size: int, floor: int, boxes: int, player: int, move: str) -> tuple[int, int]:
    """Return boxes and player after a move; unchanged if it is blocked."""
    step = -size if move == "up" else size if move == "down" else -1 if move == "left" else 1
    place = 1 << (player + step)
    if not floor & place:
        return boxes, player
    if boxes & place:
        beyond = _shift(place, step)
        if not floor & beyond or boxes & beyond:
            return boxes, player
        boxes ^= place | beyond
    return boxes, player + step


def pull_back(size: int, floor: int, targets: int, pulls: int, rng: np.random.Generator) -> Layers:
    """Return states by their number of pulls from the solved one, each with the way to undo its pull.

    That is the state before the pull, and the push: the player's cell and its step. With one box the search is
    complete, so the number is the fewest pushes; with more it is a random beam.
    """
    first: dict[State, tuple[State, int, int] | None] = {}
    free = floor & ~targets
    while free:
        region = reach(free, free & -free, size)
        first[targets, region] = None
        free &= ~region
    layers: Layers = [first]
    seen = set(first)
    for _ in range(pulls):
        layer: dict[State, tuple[State, int, int] | None] = {}
        for state in layers[-1]:
            boxes, region = state
            free = floor & ~boxes
            for step in (-size, size, -1, 1):
                for box in bits(boxes & _shift(region, step) & _shift(free, 2 * step)):
                    pulled = boxes ^ (1 << box) ^ (1 << (box - step))
                    now = pulled, reach(floor & ~pulled, 1 << (box - 2 * step), size)
                    if now not in seen:
                        seen.add(now)
                        layer[now] = state, box - 2 * step, step
        if not layer:
            break
        if targets.bit_count() > 1 and len(layer) > _BEAM:
            kept = list(layer.items())
            layer = dict(kept[i] for i in rng.permutation(len(kept))[:_BEAM].tolist())
        layers.append(layer)
    return layers


def back_to_front(layers: Layers, depth: int, state: State) -> list[tuple[int, int]]:
    """Return the pushes, as player's cell and step, that lead from a state back to the solved one."""
    pushes = []
    for layer in layers[depth:0:-1]:
        undo = layer[state]
        assert undo is not None
        state, cell, step = undo
        pushes.append((cell, step))
    return pushes


def walk_and_push(size: int, floor: int, boxes: int, player: int, pushes: Sequence[tuple[int, int]]) -> list[str]:
    """Return the moves that make the pushes, with the shortest walks between them."""
    names = {step: name for name, step in _steps(size)}
    plan: list[str] = []
    for cell, step in pushes:
        plan += _walk(size, floor & ~boxes, player, cell)
        player = cell + step
        boxes ^= 1 << player | 1 << (player + step)
        plan.append(names[step])
    return plan


def _walk(size: int, free: int, start: int, end: int) -> list[str]:
    layers, seen = [1 << start], 1 << start
    while not seen >> end & 1:
        rim = layers[-1]
        rim = (rim << 1 | rim >> 1 | rim << size | rim >> size) & free & ~seen
        seen |= rim
        layers.append(rim)
    path = []
    for rim in layers[-2::-1]:
        for name, step in _steps(size):
            if rim >> (end - step) & 1:
                path.append(name)
                end -= step
                break
    return path[::-1]


@lru_cache(maxsize=256)
def _push_distances(size: int, floor: int, targets: int) -> dict[int, int]:
    """Return the fewest pushes of a lone box from each cell to a target; from other cells none can be reached."""
    far = dict.fromkeys(bits(targets), 0)
    queue = list(far)
    for cell in queue:
        for _, step in _steps(size):
            before = cell - step
            if before not in far and floor >> before & 1 and floor >> (before - step) & 1:
                far[before] = far[cell] + 1
                queue.append(before)
    return far


def _frozen(size: int, floor: int, targets: int, boxes: int, cell: int) -> bool:
    """Return whether the box at ``cell`` stands in a block of four of walls and boxes with a box off target in it."""
    for corner in (cell, cell - 1, cell - size, cell - size - 1):
        block = 3 << corner | 3 << (corner + size)
        if not block & floor & ~boxes and block & boxes & ~targets:
            return True
    return False


def solve(
    size: int, floor: int, targets: int, boxes: int, player: int, max_states: int = _SOLVER_STATES
) -> list[str] | None:
    """Find moves that solve the room with the fewest pushes; None if there are none or ``max_states`` did not suffice.

    Source: A* (Hart, Nilsson & Raphael, 1968) over pushes; deadlocks by dead squares and frozen blocks as in
    Junghanns & Schaeffer, "Sokoban: Enhancing general single-agent search methods", 2001.
    """
    far = _push_distances(size, floor, targets)

    def estimate(boxes: int) -> int:
        return sum(far.get(box, 10**6) for box in bits(boxes))

    start = boxes, reach(floor & ~boxes, 1 << player, size)
    came: dict[State, tuple[State, int, int] | None] = {start: None}
    cost = {start: 0}
    heap = [(estimate(boxes), 0, start)]
    done: set[State] = set()
    while heap and len(done) < max_states:
        guess, _, state = heapq.heappop(heap)
        if guess >= 10**6:
            return None
        if state in done:
            continue
        done.add(state)
        boxes, region = state
        if boxes == targets:
            pushes = []
            while (link := came[state]) is not None:
                state, cell, step = link
                pushes.append((cell, step))
            return walk_and_push(size, floor, start[0], player, pushes[::-1])
        free = floor & ~boxes
        for _, step in _steps(size):
            for box in bits(boxes & _shift(region, step) & _shift(free, -step)):
                moved = boxes ^ (1 << box) ^ (1 << (box + step))
                if box + step not in far or _frozen(size, floor, targets, moved, box + step):
                    continue
                now = moved, reach(floor & ~moved, 1 << box, size)
                if cost[state] + 1 < cost.get(now, 10**6):
                    cost[now] = cost[state] + 1
                    came[now] = state, box - step, step
                    heapq.heappush(heap, (cost[now] + estimate(moved), len(came), now))
    return None
