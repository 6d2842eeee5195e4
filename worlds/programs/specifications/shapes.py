"""Steps that work on intervals, lists of lists, grids, nested lists and records."""

from turnwise.worlds.programs.specifications.lists import AGGREGATES, DIRECTION
from turnwise.worlds.programs.specifications.steps import Block, add_blocks

__all__: list[str] = []

_MERGE = """Y = []
for a, b in sorted(X):
    if Y and a @touch@:
        Y[-1] = [Y[-1][0], max(Y[-1][1], b)]
    else:
        Y.append([a, b])"""
_OVERLAP = {
    "touch": ("<= Y[-1][1]", "overlap or share an end"),
    "next": ("<= Y[-1][1] + 1", "overlap, share an end, or follow each other without an integer between them"),
}
_FLOOD = """seen, sizes = set(), []
for r in range(len(X)):
    for c in range(len(X[0])):
        todo = [(r, c)]
        size = 0
        while todo:
            i, j = todo.pop()
            if (i, j) in seen or not (0 <= i < len(X) and 0 <= j < len(X[0])):
                continue
            v = X[i][j]
            if not P(v):
                continue
            seen.add((i, j))
            size += 1
            todo += [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)@sides@]
        if size:
            sizes.append(size)
"""
_SIDES = {
    "4": ("", "side by side"),
    "8": (", (i + 1, j + 1), (i - 1, j - 1), (i + 1, j - 1), (i - 1, j + 1)", "side by side or diagonally"),
}
_REGIONS = {"count": ("len(sizes)", "the number of regions"), "largest": ("max(sizes, default=0)",
            "the size of the largest region (0 if there is none)")}  # fmt: skip

add_blocks(
    # ---- intervals: lists [a, b] of two integers, a <= b ----
    Block("merge", "pairs", "pairs",
          ("Join intervals that {touch}, until no two of them do (the joined interval goes from the smallest start to "
           "the largest end); list the result by start, from small to large.",), _MERGE, choices={"touch": _OVERLAP}),
    Block("gaps", "pairs", "pairs",
          ("Join intervals that overlap or share an end, until no two of them do, and take the list of the gaps: from "
           "left to right, [end of one joined interval, start of the next] (fewer than two joined intervals give an "
           "empty list).",), _MERGE.replace("@touch@", "<= Y[-1][1]") + "\nY = [[p[1], q[0]] for p, q in zip(Y, "
                                                            "Y[1:])]",
          near=("gaps_unjoined",)),
    Block("gaps_unjoined", "pairs", "pairs", ("",),
          "Y = [[p[1], q[0]] for p, q in zip(sorted(X), sorted(X)[1:]) if p[1] < q[0]]", drawn=False),
    Block("pairs_long", "pairs", "pairs", ("Keep only the intervals whose length (end minus start) is {op} {K}.",),
          "Y = [[a, b] for a, b in X if b - a @op@ K]", params={"K": (3, 15)},
          choices={"op": {">=": (">=", "at least"), "<=": ("<=", "at most"), ">": (">", "greater than")}}),
    Block("pairs_clip", "pairs", "pairs",
          ("Cut every interval to the range from {K} to {K+L}: [max(start, {K}), min(end, {K+L})]; drop those {drop}.",
           ),
          "Y = [[max(a, K), min(b, K + L)] for a, b in X if max(a, K) @drop@ min(b, K + L)]",
          params={"K": (-10, 10), "L": (10, 40)},
          choices={"drop": {"empty": ("<=", "that have nothing left, not even a point"),
                            "point": ("<", "that have nothing or only a single point left")}}),
    Block("pairs_sort", "pairs", "pairs", ("Sort the intervals by {what}, {dir}; those that tie {tie}.",),
          "Y = sorted(X, key=lambda p: (@dir@@what@@tie@))",
          choices={"dir": DIRECTION,
                   "what": {"length": ("(p[1] - p[0])", "length (end minus start)"), "end": ("p[1]", "end")},
                   "tie": {"kept": ("", "stay in the order in which they were"),
                           "start": (", p[0]", "are ordered by start, from small to large")}}),
    Block("pairs_choose", "pairs", "pairs",
          ("Choose intervals: go through them in the order of their {order}, from small to large (ties: by the other "
           "end, from small to large), and take each that {apart} the last one taken; the first is always taken. List "
           "them in the order in which they were taken.",),
          "Y = []\nfor a, b in sorted(X, key=lambda p: (@order@)):\n    if not Y or a @apart@ Y[-1][1]:\n        "
          "Y.append([a, b])",
          choices={"order": {"end": ("p[1], p[0]", "end"), "start": ("p[0], p[1]", "start")},
                   "apart": {">": (">", "starts after the end of"), ">=": (">=", "starts at or after the end of")}}),
    Block("pairs_widen", "pairs", "pairs", ("Make every interval longer by {K} at its {side}.",),
          "Y = [@side@ for a, b in X]",
          params={"K": (1, 6)}, choices={"side": {"start": ("[a - K, b]", "start (the start becomes smaller)"),
                                                  "end": ("[a, b + K]", "end"),
                                                  "both": ("[a - K, b + K]", "start and by as much at its end")}},
          bits="+1"),
    Block("pairs_inside", "pairs", "pairs",
          ("Remove every interval that lies within another one of the list with a different start or a different end "
           "(sharing an end is within); equal intervals do not remove each other.",),
          "Y = [[a, b] for a, b in X if not any(c <= a and b <= d and [a, b] != [c, d] for c, d in X)]",
          near=("pairs_inside_strict",)),
    Block("pairs_inside_strict", "pairs", "pairs", ("",),
          "Y = [[a, b] for a, b in X if not any(c < a and b < d for c, d in X)]", drawn=False),
    Block("pairs_numbers", "pairs", "ints", ("Replace every interval by {what}.",), "Y = [@what@ for a, b in X]",
          choices={"what": {"length": ("b - a", "its length (end minus start)"), "start": ("a", "its start"),
                            "points": ("b - a + 1", "the number of integers in it, both ends included"),
                            "middle": ("(a + b) // 2", "half of the sum of its ends, rounded down (towards minus "
                                                       "infinity)")}}, bits="+1"),
    Block("pairs_depth", "pairs", "int",
          ("Take the largest number of intervals that have a point in common (0 if there are none); {ends}.",),
          "Y = max((sum(c <= a @ends@ d for c, d in X) for a, b in X), default=0)",
          choices={"ends": {"in": ("<=", "an interval holds its start and its end"),
                            "out": ("<", "an interval holds its start but not its end (of length 0, it holds "
                                         "nothing)")}}, bits="=6"),
    Block("pairs_cover", "pairs", "int", ("Count the integers that lie in {how} of the intervals, ends included.",),
          "low = min((a for a, b in X), default=0)\nhigh = max((b for a, b in X), default=-1)\nY = sum(1 for v in "
          "range(low, high + 1) if sum(a <= v <= b for a, b in X) @how@)",
          choices={"how": {"one": (">= 1", "at least one"), "two": (">= 2", "at least two"),
                           "single": ("== 1", "exactly one")}}, bits="=9", most=9),
    Block("ints_ranges", "ints", "pairs",
          ("Take the different numbers, sort them, and list them as ranges: [a, b] for each maximal run "
           "of integers that follow each other, from a to b (a alone gives [a, a]).",),
          "Y = []\nfor v in sorted(set(X)):\n    if Y and Y[-1][1] == v - 1:\n        Y[-1][1] = v\n    "
          "else:\n        Y.append([v, v])", near=("ints_ranges_unsorted",)),
    Block("ints_ranges_unsorted", "ints", "pairs", ("",),
          "Y = []\nfor v in X:\n    if Y and Y[-1][1] == v - 1:\n        Y[-1][1] = v\n    else:\n        "
          "Y.append([v, v])", drawn=False),
    # ---- lists of non-empty lists of integers ----
    Block("ints_groups", "ints", "lists",
          ("Group the numbers by their {KEY}: a list of lists, the groups in the order {order}; within a group the "
           "numbers stay in the order in which they were.",),
          "groups = {}\nfor v in X:\n    groups.setdefault(KEY(v), []).append(v)\nY = [groups[k] for k in @order@]",
          {"KEY": "key"},
          choices={"order": {"up": ("sorted(groups)", "of that, from small to large"),
                             "down": ("sorted(groups, reverse=True)", "of that, from large to small"),
                             "seen": ("groups", "in which their first numbers stood in the list")}}),
    Block("ints_split", "ints", "lists",
          ("Cut the list {where} every number that {P.s}; pieces with no number in them are left out. The result is "
           "the list of the pieces.",),
          "Y = [[]]\nfor v in X:\n@where@\nY = [piece for piece in Y if piece]", {"P": "int?"},
          choices={"where": {"at": ("    if P(v):\n        Y.append([])\n    else:\n        Y[-1].append(v)",
                                    "at (and without)"),
                             "before": ("    if P(v):\n        Y.append([])\n    Y[-1].append(v)", "before"),
                             "after": ("    Y[-1].append(v)\n    if P(v):\n        Y.append([])", "after")}}),
    Block("ints_rises", "ints", "lists",
          ("Cut the list into maximal pieces in which each number is {op} the one before it. The result "
           "is the list of the pieces.",),
          "Y = []\nfor v in X:\n    if Y and Y[-1][-1] @op@ v:\n        Y[-1].append(v)\n    else:\n        "
          "Y.append([v])",
          choices={"op": {"<": ("<", "greater than"), "<=": ("<=", "at least as large as"), ">": (">", "less than")}}),
    Block("lists_make", "lists", "ints", ("Replace every inner list by its {what}.",), "Y = [@what@ for w in X]",
          choices={"what": {**AGGREGATES, "length": ("len(w)", "number of items"), "first": ("w[0]", "first item"),
                            "last": ("w[-1]", "last item"), "middle": ("w[len(w) // 2]",
                            "item at position n // 2, counted from 0, where n is its length and // rounds down")}},
                            bits="+5"),
    Block("lists_sort", "lists", "lists", ("Sort the inner lists by their {what}, {dir}; those that tie {tie}.",),
          "Y = sorted(X, key=lambda w: (@dir@@what@@tie@))",
          choices={"dir": DIRECTION, "what": {"length": ("len(w)", "length"), "sum": ("sum(w)", "sum")},
                   "tie": {"kept": ("", "stay in the order in which they were"),
                           "first": (", w[0]", "are ordered by their first item, from small to large (and if that is "
                                               "equal too, stay as they were)")}}),
    Block("lists_keep", "lists", "lists", ("Keep only the inner lists {op}.",), "Y = [w for w in X if @op@]",
          params={"K": (2, 3)},
          choices={"op": {"least": ("len(w) >= K", "with at least {K} items"), "most": ("len(w) <= K",
          "with at most {K} items"), "different": ("len(set(w)) >= K", "with at least {K} different items")}}),
    Block("lists_each", "lists", "lists", ("In every inner list, {what}.",), "Y = [@what@ for w in X]",
          choices={"what": {"reverse": ("w[::-1]", "reverse the order"), "sort": ("sorted(w)",
          "sort the items from small to large"), "unique": ("list(dict.fromkeys(w))",
                            "keep only the first occurrence of every item, in their order"), "ends": ("w[:1] + "
                                                            "w[1:][-1:]",
                            "keep only the first and the last item (a single item stays single)")}}),
    Block("lists_join", "lists", "ints", ("Join the inner lists to one list, {order}.",),
          "Y = [v for w in X@order@ for v in w]",
          choices={"order": {"first": ("", "in their order"), "last": ("[::-1]",
          "the last one first (each keeps its own order)")}}),
    Block("lists_columns", "lists", "ints",
          ("Take the {agg} of the first items of all inner lists, then of all second items, and so on; inner lists "
           "that are too short are skipped.",),
          "Y = [@agg@ for i in range(max(map(len, X), default=0)) for w in [[u[i] for u in X if i < len(u)]]]",
          choices={"agg": AGGREGATES}, bits="+5"),
    # ---- grids: rows of equal length, at least one row and one column ----
    Block("grid_turn", "grid", "grid", ("{what}.",), "Y = @what@",
          choices={"what": {"transpose": ("[list(c) for c in zip(*X)]", "Transpose the grid (rows become columns)"),
                            "right": ("[list(c) for c in zip(*X[::-1])]", "Rotate the grid 90 degrees clockwise"),
                            "left": ("[list(c) for c in zip(*X)][::-1]",
                                     "Rotate the grid 90 degrees counter-clockwise"),
                            "mirror": ("[r[::-1] for r in X]", "Reverse every row of the grid"),
                            "flip": ("X[::-1]", "Reverse the order of the rows of the grid")}}),
    Block("grid_map", "grid", "grid", ("Replace every number in the grid that {P.s} by {F}; the others stay.",),
          "Y = [[F(v) if P(v) else v for v in r] for r in X]", {"P": "int?", "F": "int"}, bits="F"),
    Block("grid_push", "grid", "grid",
          ("Zeros are empty places: in every row, move the other numbers as far {side} as they go, keeping their "
           "order; zeros fill the rest of the row.",),
          "Y = [sorted(r, key=lambda v: @side@) for r in X]",
          choices={"side": {"left": ("v == 0", "left"), "right": ("v != 0", "right")}}),
    Block("grid_neighbours", "grid", "grid",
          ("Replace every number by the {agg} of itself and the numbers directly {where} it, as far as there are any "
           "(all from the grid as it was).",),
          "Y = [[@agg@ for j in range(len(X[0])) for w in [[@where@]]]\n     for i in range(len(X))]",
          choices={"agg": {key: AGGREGATES[key] for key in ("sum", "max", "min")},
                   "where": {"row": ("*X[i][max(j - 1, 0):j + 2]", "left and right of"),
                             "column": ("r[j] for r in X[max(i - 1, 0):i + 2]", "above and below")}}, bits="+2"),
    Block("grid_lines", "grid", "ints", ("Take the list of the {agg}s of its {lines}, in order.",),
          "Y = [@agg@ for w in @lines@]",
          choices={"agg": {"sum": ("sum(w)", "sum"), "max": ("max(w)", "maximum"), "min": ("min(w)", "minimum")},
                   "lines": {"rows": ("X", "rows"), "columns": ("zip(*X)", "columns")}}, bits="+4"),
    Block("grid_walk", "grid", "ints", ("List the numbers of the grid {walk}.",), "@walk@",
          choices={"walk": {
              "rows": ("Y = [v for r in X for v in r]", "row by row from the top, each from left to right"),
              "snake": ("Y = [v for i, r in enumerate(X) for v in (r[::-1] if i % 2 else r)]",
                        "row by row from the top, the first from left to right, the second from right to left, and so "
                        "on in turn"),
              "columns": ("Y = [v for c in zip(*X) for v in c]", "column by column from the left, each from top to "
                                                                 "bottom"),
              "spiral": ("Y, rest = [], [list(r) for r in X]\nwhile rest:\n    Y += rest.pop(0)\n    rest = [list(c) "
                         "for c in zip(*rest)][::-1]",
                         "in a spiral: the top row from left to right, then clockwise along the edge and inwards "
                         "until all are listed"),
              "border": ("Y = [v for i, r in enumerate(X) for j, v in enumerate(r)\n     if i in (0, len(X) - 1) or j "
                         "in (0, len(r) - 1)]",
                         "that stand at its border (first or last row or column), row by row from the top, each from "
                         "left to right"),
              "diagonals": ("Y = [X[i][s - i] for s in range(len(X) + len(X[0]) - 1)\n     for i in range(len(X)) if "
                            "0 <= s - i < len(X[0])]",
                            "diagonal by diagonal: by row + column from small to large, and on each diagonal by row "
                            "from the top")}}),
    Block("grid_path", "grid", "int",
          ("A path starts at the top left, ends at the bottom right, and moves one place {moves} at a time. Take the "
           "{which} sum of the numbers on such a path, both ends included.",),
          "best = {}\nfor i, r in enumerate(X):\n    for j, v in enumerate(r):\n        before = [best[p] for p in "
          "((i - 1, j), (i, j - 1)@moves@) if p in best]\n        best[i, j] = v + (@which@(before) if before else "
          "0)\nY = best[len(X) - 1, len(X[0]) - 1]",
          choices={"moves": {"two": ("", "to the right or down"),
                             "three": (", (i - 1, j - 1)", "to the right, down, or diagonally right and down")},
                   "which": {"max": ("max", "largest"), "min": ("min", "smallest")}}, bits="+5"),
    Block("grid_regions", "grid", "int",
          ("The numbers of the grid that {P} form regions: two of them belong to the same region if one can be "
           "reached from the other over such numbers that are next to each other, {sides}. Take {what}.",),
          _FLOOD + "Y = @what@", {"P": "int?"}, choices={"sides": _SIDES, "what": _REGIONS}, bits="=7"),
    Block("grid_best", "grid", "int",
          ("Count the places whose number is {op} every other number of its row and of its column.",),
          "Y = sum(all(v @op@ w for k, w in enumerate(r) if k != j) and all(v @op@ s[j] for k, s in enumerate(X) if k "
          "!= i)\n        for i, r in enumerate(X) for j, v in enumerate(r))",
          choices={"op": {">": (">", "greater than"), ">=": (">=", "at least as large as"), "<": ("<", "less than")}},
          bits="=7"),
    # ---- nested lists: integers and lists of the same kind, to any depth ----
    Block("nested_flat", "nested", "ints", ("List all numbers in the nested list, at whatever depth, from left to "
                                            "right.",),
          "def walk(x):\n    return [v for item in x for v in (walk(item) if isinstance(item, list) else [item])]\nY "
          "= walk(X)", near=("nested_shallow",)),
    Block("nested_shallow", "nested", "ints", ("",), "Y = [v for v in X if not isinstance(v, list)]", drawn=False),
    Block("nested_at", "nested", "ints",
          ("List the numbers at depth {op} {K}, from left to right; a number in the outermost list has depth 1.",),
          "def walk(x, depth):\n    found = []\n    for item in x:\n        if isinstance(item, list):\n            "
          "found += walk(item, depth + 1)\n        elif depth @op@ K:\n            found.append(item)\n    return "
          "found\nY = walk(X, 1)", params={"K": (2, 3)},
          choices={"op": {"==": ("==", "exactly"), ">=": (">=", "at least"), "<=": ("<=", "at most")}}),
    Block("nested_weigh", "nested", "ints",
          ("List all numbers in the nested list, from left to right, each {how} its depth; a number in the outermost "
           "list has depth {base}.",),
          "def walk(x, depth):\n    return [v for item in x\n            for v in (walk(item, depth + 1) if "
          "isinstance(item, list) else [item @how@ depth])]\nY = walk(X, @base@)",
          choices={"how": {"*": ("*", "multiplied by"), "+": ("+", "plus"), "-": ("-", "minus")},
                   "base": {"1": ("1", "1"), "0": ("0", "0")}}, bits="+3"),
    Block("nested_depth", "nested", "int",
          ("Take the depth of nesting: 1 for a list with no list in it, otherwise 1 more than that of the deepest "
           "list in it.",),
          "def walk(x):\n    return 1 + max((walk(item) for item in x if isinstance(item, list)), default=0)\nY = "
          "walk(X)",
          near=("nested_count",), bits="=4"),
    Block("nested_count", "nested", "int", ("",), "def walk(x):\n    return 1 + sum(walk(item) for item in x if "
                                                  "isinstance(item, list))\nY = walk(X)", drawn=False),
    Block("nested_turn", "nested", "nested", ("Reverse the order of the items of {which}.",),
          "def walk(x, depth):\n    items = [walk(item, depth + 1) if isinstance(item, list) else item for item in "
          "x]\n    return @which@\nY = walk(X, 1)",
          choices={"which": {"all": ("items[::-1]", "the list and of every list in it, at all depths"),
                             "inner": ("items[::-1] if depth > 1 else items",
                             "every list in it, at all depths, but not of the outermost list"),
                             "odd": ("items[::-1] if depth % 2 else items",
                             "the outermost list (depth 1) and of all lists at odd depths")}}),
    Block("nested_map", "nested", "nested", ("Replace every number in the nested list that {P.s}, at whatever depth, "
                                             "by {F}.",),
          "def walk(x):\n    return [walk(v) if isinstance(v, list) else F(v) if P(v) else v for v in x]\nY = walk(X)",
          {"P": "int?", "F": "int"}, bits="F"),
    Block("nested_prune", "nested", "nested", ("{what}.",), "def walk(x):\n@what@\nY = walk(X)",
          choices={"what": {
              "empty": ("    items = [walk(v) if isinstance(v, list) else v for v in x]\n    return [v for v in items "
                        "if v != []]",
                        "Remove all empty lists in the nested list, at all depths, also those that become empty by "
                        "this (the outermost list stays, even if empty)"),
              "flat": ("    items = [walk(v) if isinstance(v, list) else v for v in x]\n    return [v[0] if "
                       "isinstance(v, list) and len(v) == 1 else v for v in items]",
                       "Replace every list in the nested list that has exactly one item by that item, from the "
                       "innermost lists outwards (the outermost list stays as it is)")}}),
    Block("nested_sums", "nested", "ints",
          ("Replace every item of the outermost list that is a list by the sum of all numbers in it, at whatever "
           "depth (0 if there are none).",),
          "def walk(x):\n    return sum(walk(v) if isinstance(v, list) else v for v in x)\nY = [walk(v) if "
          "isinstance(v, list) else v for v in X]", near=("nested_sums_shallow",), bits="+5"),
    Block("nested_sums_shallow", "nested", "ints", ("",),
          "Y = [sum(w for w in v if not isinstance(w, list)) if isinstance(v, list) else v for v in X]", drawn=False),
)  # fmt: skip
