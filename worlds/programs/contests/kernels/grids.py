"""Kernels on grids: ways through a field, mazes with a state."""

import re
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import grid
from turnwise.worlds.programs.contests.kernel import Arg, Kernel, Picked, opt, story

__all__ = ["KERNELS"]


def _field(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    rows, cols = (n, n - draw.below(9)) if n > 60 else (draw.integer(1, n), draw.integer(1, n))
    field = grid(draw, rows, cols, [("#", draw.either(0.0, 0.1, 0.25))], "0")
    high = draw.either(1, 4, 9)
    for row in field:
        for j, mark in enumerate(row):
            if mark != "#":
                row[j] = str(draw.integer(0, high))
    field[0][0] = field[-1][-1] = str(draw.integer(0, high))
    rows_of_digits = ["".join(row) for row in field]
    if picked["goal"] == "count":
        return ([re.sub(r"\d", ".", row) for row in rows_of_digits],)
    return (rows_of_digits,)


def _digits(what: str) -> dict[str, str]:
    """Return the pieces of options for which it matters what is on a field."""
    return {
        "digits": f"A digit is a field with that many {{{what}}};",
        "ends": "the first and the last field are digits",
        "worth": "worth = int(mark)",
        "total": "sum(int(field[a][b]) for a, b in cells(path))",
    }


_FIELD = Kernel(
    "field", "dynamic", 1,
    "{Place} is drawn as a grid. {digits} `#` is {blocked}. {Who} starts in the top left corner, wants to get to the "
    "bottom right corner, and can only move {moves}{rule}. {goal}",
    (
        story(title="Orchard", Place="An orchard", gain="apples", harm="wasps", blocked="a pond", Who="A boy",
             the="the boy",
             intro="Somebody takes a short cut through an orchard."),
        story(title="Snow Plough", Place="A car park", gain="metres of snow", harm="metres of snow",
             blocked="a parked lorry",
              Who="A plough",
             the="the plough", intro="It has been snowing all night."),
        story(title="Diver", Place="The section of a reef", gain="pearls", harm="sea urchins", blocked="solid rock",
             Who="A diver",
             the="the diver", intro="A diver comes back from the far side of the reef."),
        story(title="Crossing the Marsh", Place="A marsh", gain="cranberries", harm="midges", blocked="open water",
             Who="A surveyor",
             the="the surveyor", intro="A surveyor wants to see the other side of the marsh."),
    ),
    (Arg("field", "grid", "the rows of the grid, from top to bottom", "h"),),
    "{result}",
    ("1 ≤ height, width ≤ {N}", "{ends}"),
    _field,
    """
def solve(field):
    height, width = len(field), len(field[0])
    @helpers@
    empty = [@none@] * @S@
    above = [empty] * (width + 2)
    for i in range(height):
        row = [empty] * (width + 2)
        for j in range(1, width + 1):
            mark = field[i][j - 1]
            if mark == "#":
                continue
            @worth@
            here = [@none@] * @S@
            if i == 0 and j == 1:
                here[0] = @start@
            @moving@
            row[j] = here
        above = row
    return @end@
""",
    """
def solve(field):
    height, width = len(field), len(field[0])
    found = []

    def walk(i, j, path):
        if i == height - 1 and j == width - 1:
            if @allowed@:
                found.append((@total@, len(path)))
        for name, a, b in (("R", i, j + 1), ("D", i + 1, j)@extra@):
            if a < height and b < width and field[a][b] != "#":
                walk(a, b, path + name)

    def cells(path):
        i = j = 0
        yield 0, 0
        for name in path:
            i, j = i + (name != "R"), j + (name != "D")
            yield i, j

    walk(0, 0, "")
    @slow@
""",
    (
        "def solve(field):\n    i = j = 0\n    total = ord(field[0][0]) - 48\n    while i + 1 < len(field) or j + 1 < "
        "len(field[0]):\n"
        "        steps = [(i + 1, j), (i, j + 1)]\n        steps = [(a, b) for a, b in steps if a < len(field) and b < "
        "len(field[0]) and field[a][b] != '#']\n        if not steps:\n            return -1\n        i, j = "
        "max(steps, key=lambda "
        "p: field[p[0]][p[1]])\n        total += ord(field[i][j]) - 48\n    return total\n",
        "from math import comb\n\ndef solve(field):\n    return comb(len(field) + len(field[0]) - 2, len(field) - 1) "
        "% @MOD@\n",
    ),
    choices={
        "moves": {
            "two": opt(0, moves="right or down"),
            "three": opt(0, moves="right, down, or diagonally right and down", extra=', ("X", i + 1, j + 1)',
                         diagonal="for value in above[j - 1]:\n    here[0] = @join@(here[0], @value@)"),
        },
        "rule": {
            "none": opt(0, rule="", S="1", allowed="True",
                        moving="for value in above[j] + row[j - 1]:\n    here[0] = @join@(here[0], "
                               "@value@)\n@diagonal@"),
            "turns": opt(1, rule=", but never {K1} times in a row in the same direction, right or down",
            S="(1 + 2 * @K@)",
                         allowed='"R" * @K1@ not in path and "D" * @K1@ not in path',
                         moving="for t, value in enumerate(above[j]):\n    down = t - @K@ if t > @K@ else 0\n    if "
                                "down < @K@:\n"
                                "        here[@K@ + down + 1] = @join@(here[@K@ + down + 1], @value@)\n"
                                "for t, value in enumerate(row[j - 1]):\n    right = t if t <= @K@ else 0\n    if "
                                "right < @K@:\n"
                                "        here[right + 1] = @join@(here[right + 1], @value@)\n@diagonal@"),
        },
        "goal": {
            "count": opt(0, goal="How many different paths are there?", none="0", start="1", digits="`.` is free and",
                         ends="the first and the last field are free", total="0", worth="pass",
                         result="the number of paths, modulo {MOD}", join="plus", value="value",
                         helpers="plus = lambda x, y: (x + y) % @MOD@",
                         end="sum(above[width]) % 1000000007", slow="return len(found) % @MOD@"),
            "least": opt(0, **_digits("harm"), goal="What is the smallest number of {harm} on a path, both ends "
                                                    "included?",
            none="10**9",
                         start="worth", result="the smallest number of {harm}, or -1 if there is no path", join="min",
                             value="value + worth",
                         end="min(above[width]) if min(above[width]) < 10**9 else -1",
                         slow="return min((v for v, _ in found), default=-1)"),
            "most": opt(0, **_digits("gain"), goal="What is the largest number of {gain} on a path, both ends "
                                                   "included?",
                        none="-10**9", start="worth", result="the largest number of {gain}, or -1 if there is no "
                                "path", join="max",
                        value="value + worth", end="max(above[width]) if max(above[width]) >= 0 else -1",
                        slow="return max((v for v, _ in found), default=-1)"),
            "best_ways": opt(2, **_digits("gain"), goal="The best paths are those with the most {gain} in all, both "
                                                        "ends "
                                     "included. How many best paths are there?", none="(-1, 0)", start="(worth, 1)",
                             result="the number of best paths (0 if there are none), modulo {MOD}", join="both",
                             helpers="from functools import reduce\n\ndef both(x, y):\n    if x[0] != y[0]:\n        "
                                     "return max(x, y)\n"
                                     "    return x[0], x[1] + y[1]",
                             value="(value[0] + worth if value[1] else -1, value[1])",
                             end="reduce(both, above[width])[1] % 1000000007",
                             slow="return sum(v == max(found)[0] for v, _ in found) % @MOD@"),
        },
    },
    params={"K": (1, 2, 3)},
    small=6,
    large=200,
)  # fmt: skip


def _maze(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    rows, cols = (n, n) if n > 60 else (draw.integer(1, n), draw.integer(2, max(2, n)))
    marks = [("#", draw.either(0.1, 0.25, 0.4))]
    marks += {"doors": [("a", 0.06), ("A", 0.08), ("b", 0.06), ("B", 0.08)], "none": [], "walls": [],
              "rotate": [("~", 0.15)]}[str(picked["twist"])]  # fmt: skip
    field = grid(draw, rows, cols, marks)
    if n <= 60 and draw.chance(0.3):
        _wind(field, draw.chance(0.5))
    field[0][0], field[-1][-1] = "S", "G"
    return (["".join(row) for row in field],)


def _wind(field: list[list[str]], down: bool) -> None:
    """Put up walls with gaps at alternating ends, so that ways lead to the left (or up) as well."""
    rows, cols = (len(field[0]), len(field)) if down else (len(field), len(field[0]))
    for i in range(rows):
        gap = cols - 1 if i % 4 == 1 else 0
        for j in range(cols):
            a, b = (j, i) if down else (i, j)
            if i % 2 and i < rows - 1:
                field[a][b] = "." if j == gap else "#"
            elif field[a][b] == "#":
                field[a][b] = "."


_MAZE = Kernel(
    "maze", "graphs", 2,
    "{Place} is drawn as a grid: `S` is where {who} is, `G` is the goal, `.` is free and `#` is {wall}. In one step "
    "{who} moves {step}, never "
    "outside of the grid and never onto a field with `#`{but}. {twist} {goal}",
    (
        story(title="Museum Robot", Place="The ground floor of the museum", who="the robot", wall="a wall", key="card",
             intro="A cleaning robot has to find its way home."),
        story(title="Ice Floes", Place="The bay", who="the seal", wall="solid ice", key="sign",
             intro="A seal wants to get back to the open sea, but the bay is full of ice."),
        story(title="Escape Room", Place="The room", who="the visitor", wall="a wall", key="key",
             intro="A visitor has found out that this escape room is not so easy."),
        story(title="Warehouse Drone", Place="The warehouse", who="the drone", wall="a shelf", key="code",
             intro="A drone carries parcels through a warehouse."),
    ),
    (Arg("field", "grid", "the rows of the grid, from top to bottom", "h"),),
    "{result}, or -1 if the goal cannot be reached",
    ("1 ≤ height ≤ {N}, 2 ≤ width ≤ {N}",
     "`S` is the first field of the first row, `G` the last field of the last row"),
    _maze,
    """
from collections import deque

def solve(field):
    height, width = len(field), len(field[0])
    @state@
    seen = {(0, 0, 0): 0}
    queue = deque([(0, 0, 0)])
    while queue:
        i, j, s = queue.popleft()
        if field[i][j] == "G":
            return @answer@
        far = seen[i, j, s]
        for a, b in @next@:
            if not (0 <= a < height and 0 <= b < width):
                continue
            t, mark = s, field[a][b]
            @enter@
            if (a, b, t) not in seen:
                seen[a, b, t] = far + 1
                queue.append((a, b, t))
    return -1
""",
    """
def solve(field):
    height, width = len(field), len(field[0])
    layer, done = {((0, 0), 0)}, set()
    steps = 0
    while layer:
        for (i, j), s in layer:
            if field[i][j] == "G":
                return steps@plus@
        done |= layer
        new = set()
        for (i, j), s in layer:
            for a in range(height):
                for b in range(width):
                    if @reach@:
                        @move@
        layer, steps = new - done, steps + 1
    return -1
""",
    (
        "def solve(field):\n    return len(field) + len(field[0]) - 2\n",
        """
from collections import deque

def solve(field):
    height, width = len(field), len(field[0])
    seen = {(0, 0): 0}
    queue = deque([(0, 0)])
    while queue:
        i, j = queue.popleft()
        if field[i][j] == "G":
            return seen[i, j]
        for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if 0 <= a < height and 0 <= b < width and field[a][b] != "#" and (a, b) not in seen:
                seen[a, b] = seen[i, j] + 1
                queue.append((a, b))
    return -1
""",
        """
def solve(field):
    height, width = len(field), len(field[0])
    best = {}
    for i in range(height):
        for j in range(width):
            if field[i][j] != "#":
                near = [best[p] + 1 for p in ((i - 1, j), (i, j - 1)) if p in best]
                if near or not i + j:
                    best[i, j] = min(near, default=0)
    return best.get((height - 1, width - 1), -1)
""",
    ),
    choices={
        "step": {
            "four": opt(0, step="to a field next to it (left, right, up or down)",
                        next="((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1))", reach="abs(a - i) + abs(b - j) == 1"),
            "eight": opt(0, step="to one of the up to eight fields around it (diagonally, too)",
                         next="((i + x, j + y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)",
                         reach="max(abs(a - i), abs(b - j)) == 1"),
            "knight": opt(1, step="like a knight in chess (two fields in one direction and one to the side, over "
                                  "whatever is in between)",
                          next="((i + x, j + y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y))",
                          reach="sorted((abs(a - i), abs(b - j))) == [1, 2]"),
        },
        "twist": {
            "none": opt(0, but="", twist="", enter="if mark == '#':\n    continue",
                        move="if field[a][b] != '#':\n    new.add(((a, b), 0))"),
            "walls": opt(1, but=", with one exception", twist="On the whole way, {who} may enter up to {K} fields "
                                                            "with `#` all the same (each "
                                "time counts, even if it is the same field).", enter="if mark == '#':\n    t = s + "
                                                            "1\n    if t > @K@:\n"
                                "        continue",
                         move="if s + (field[a][b] == '#') <= @K@:\n    new.add(((a, b), s + (field[a][b] == '#')))"),
            "doors": opt(2, but="", twist="Fields with `A` and `B` are locked doors; they can be entered only after "
                                          "a field with `a` (for `A`) or `b` "
                                          "(for `B`) has been visited, where the {key} is. A {key} can be used as "
                                          "often as needed.",
                         enter="if mark == '#' or (mark == 'A' and not s & 1) or (mark == 'B' and not s & 2):\n    "
                               "continue\nif mark in "
                               "'ab':\n    t = s | (1 if mark == 'a' else 2)",
                         move="mark = field[a][b]\nif mark != '#' and (mark not in 'AB' or s & {'A': 1, 'B': "
                              "2}[mark]):\n    new.add(((a, "
                              "b), s | {'a': 1, 'b': 2}.get(mark, 0)))"),
            "rotate": opt(2, but="", twist="Fields with `~` are passable only now and then: {who} can step onto one "
                                           "only with the {P}th, "
                                           "{P2}th, {P3}th, ... step (every {P}th step), and must not stay anywhere: "
                                           "every step is a "
                                           "move.",
                          state="period = @P@", enter="t = (s + 1) % period\nif mark == '#' or (mark == '~' and "
                                                      "t):\n    continue",
                          move="if field[a][b] != '#' and (field[a][b] != '~' or (steps + 1) % @P@ == 0):\n    "
                               "new.add(((a, b), (steps + "
                               "1) % @P@))"),
        },
        "goal": {
            "steps": opt(0, goal="How many steps does the shortest way take?", result="the smallest number of steps",
                         answer="seen[i, j, s]", plus=""),
        },
    },
    params={"K": (1, 2, 3), "P": (2, 3, 4)},
    small=12,
    large=140,
)  # fmt: skip

KERNELS = (_FIELD, _MAZE)
