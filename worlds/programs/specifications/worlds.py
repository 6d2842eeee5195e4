"""Steps that work on records, dates, walks and account books."""

from turnwise.worlds.programs.specifications.lists import DIRECTION
from turnwise.worlds.programs.specifications.steps import Block, add_blocks

__all__: list[str] = []

_BY = {"points": ("r['points']", "points"), "length": ("len(r['name'])", "length of the name")}
_KEPT = {
    "kept": ("", "stay in the order in which they were"),
    "name": (", r['name']", "are ordered by name, alphabetically (and if those are equal too, stay as they were)"),
}
_STEP = "{'N': (0, 1), 'S': (0, -1), 'E': (1, 0), 'W': (-1, 0)}"
_TRACK = f"""x, y, track = 0, 0, [(0, 0)]
for c in X:
    dx, dy = {_STEP}[c]
    x, y = x + dx, y + dy
    track.append((x, y))
"""
_DAYS = "[datetime.date(*d) for d in X]"

add_blocks(
    # ---- records ----
    Block("records_points", "records", "records", ("Keep only the records with {op} {K} points.",),
          "Y = [r for r in X if r['points'] @op@ K]", params={"K": (5, 40)},
          choices={"op": {">=": (">=", "at least"), "<=": ("<=", "at most"), ">": (">", "more than")}}),
    Block("records_named", "records", "records", ("Keep only the records in which the name {P.s}.",),
          "Y = [r for r in X for w in [r['name']] if P(w)]", {"P": "word?"}),
    Block("records_sort", "records", "records", ("Sort the records by {by}, {dir}; records that tie {tie}.",),
          "Y = sorted(X, key=lambda r: (@dir@@by@@tie@))", choices={"by": _BY, "dir": DIRECTION, "tie": _KEPT}),
    Block("records_best", "records", "records",
          ("From each team, keep only the record with the {which} points; if several tie, the {end} in the list. "
           "What is kept stays in its order.",),
          "best = {}\nfor i, r in enumerate(X):\n    j = best.get(r['team'], i)\n    best[r['team']] = i if "
          "r['points'] @which@@end@ X[j]['points'] else j\nY = [X[i] for i in sorted(best.values())]",
          choices={"which": {"max": (">", "most"), "min": ("<", "fewest")}, "end": {"first": ("", "first"),
                                                                                    "last": ("=", "last")}}),
    Block("records_rank", "records", "records",
          ("Replace the points in every record by {what}; names and teams stay.",),
          "Y = [{**r, 'points': @what@} for r in X]",
          choices={"what": {"rank": ("1 + sum(q['points'] > r['points'] for q in X)",
                                     "its rank: 1 plus the number of records with more points"),
                            "team_rank": ("1 + sum(q['points'] > r['points'] and q['team'] == r['team'] for q in X)",
                                          "its rank in its team: 1 plus the number of records of the same team with "
                                          "more points"),
                            "share": ("r['points'] - max(q['points'] for q in X if q['team'] == r['team'])",
                                      "its points minus the most points of a record of the same team")}}, bits="+1"),
    Block("records_total", "records", "tally",
          ("Make a dictionary from each team that occurs to {what}.",),
          "Y = {r['team']: 0 for r in X}\nfor t in Y:\n    w = [r['points'] for r in X if r['team'] == t]\n    Y[t] = "
          "@what@",
          choices={"what": {"sum": ("sum(w)", "the sum of its points"), "max": ("max(w)",
          "the most points of its records"),
                            "count": ("len(w)", "the number of its records"),
                            "mean": ("sum(w) // len(w)", "the mean of its points, rounded down (towards minus "
                                                         "infinity)")}},
          bits="+5"),
    Block("records_names", "records", "words", ("Take the list of the names.",), "Y = [r['name'] for r in X]",
          near=("records_teams",)),
    Block("records_teams", "records", "words", ("Take the list of the teams, one item for each record.",),
          "Y = [r['team'] for r in X]", near=("records_names",)),
    Block("records_values", "records", "ints", ("Take the list of the points.",), "Y = [r['points'] for r in X]"),
    # ---- dates: [year, month, day] ----
    Block("dates_keep", "dates", "dates", ("Keep only the dates {what}.",),
          f"Y = [[d.year, d.month, d.day] for d in {_DAYS} if @what@]",
          choices={"what": {"weekend": ("d.weekday() >= 5", "that fall on a Saturday or a Sunday"),
                            "leap": ("d.year % 4 == 0 and (d.year % 100 != 0 or d.year % 400 == 0)",
                                     "in leap years (Gregorian calendar)"),
                            "first": ("d.day <= 15", "from the 1st to the 15th of a month"),
                            "monday": ("d.weekday() == 0", "that fall on a Monday"),
                            "half": ("d.month <= 6", "from January to June")}}),
    Block("dates_move", "dates", "dates", ("Move every date {K} days {way}.",),
          f"Y = [[d.year, d.month, d.day] for d in [day @way@ datetime.timedelta(days=K) for day in {_DAYS}]]",
          params={"K": (20, 400)}, choices={"way": {"later": ("+", "later"), "earlier": ("-", "earlier")}}),
    Block("dates_snap", "dates", "dates", ("Replace every date by {what}.",),
          f"Y = [[d.year, d.month, d.day] for d in [@what@ for day in {_DAYS}]]",
          choices={"what": {"monday": ("day - datetime.timedelta(days=day.weekday())",
                                       "the Monday of its week (itself, if it is one; weeks start on Mondays)"),
                            "sunday": ("day + datetime.timedelta(days=6 - day.weekday())",
                                       "the Sunday of its week (itself, if it is one; weeks start on Mondays)"),
                            "month": ("(day.replace(day=28) + datetime.timedelta(days=4)).replace(day=1)",
                                      "the first day of the following month")}}),
    Block("dates_sort", "dates", "dates", ("Sort the dates, {dir}.",), "Y = sorted(X@dir@)",
          choices={"dir": {"up": ("", "earliest first"), "down": (", reverse=True", "latest first")}}),
    Block("dates_unique", "dates", "dates", ("Among the dates {same}, keep only the first in the list; what is kept "
                                             "stays in its order.",), "seen = {}\nfor d in X:\n    "
                                                            "seen.setdefault(@same@, d)\nY = list(seen.values())",
          choices={"same": {"month": ("(d[0], d[1])", "in the same month of the same year"),
                            "year": ("d[0]", "in the same year"), "season": ("d[1]",
                            "in the same month of whatever year")}}),
    Block("dates_gaps", "dates", "ints",
          ("Take the list of the numbers of days from each date to the next one in the list (negative if that is "
           "earlier; fewer than two dates give an empty list).",), f"days = {_DAYS}\nY = [(b - a).days for a, b in "
                                                            f"zip(days, "
                                                    f"days[1:])]",
          near=("dates_gaps_abs",), bits="=18"),
    Block("dates_gaps_abs", "dates", "ints", ("",), f"days = {_DAYS}\nY = [abs((b - a).days) for a, b in zip(days, "
                                                    f"days[1:])]",
          drawn=False),
    Block("dates_numbers", "dates", "ints", ("Replace every date by {what}.",), f"Y = [@what@ for d in {_DAYS}]",
          choices={"what": {"weekday": ("d.weekday()", "its day of the week, with Monday 0 and Sunday 6"),
                            "iso": ("d.isoweekday()", "its day of the week, with Monday 1 and Sunday 7"),
                            "day": ("d.timetuple().tm_yday", "its day of the year (1 January is 1)"),
                            "left": ("(datetime.date(d.year, 12, 31) - d).days",
                                     "the number of days after it in its year (31 December is 0)")}}, bits="=9"),
    # ---- walks: texts of N, E, S and W ----
    Block("moves_turn", "moves", "moves", ("Turn every direction {way}.",),
          "Y = X.translate(str.maketrans('NESW', @way@))",
          choices={"way": {"right": ("'ESWN'", "a quarter turn clockwise (N to E, E to S, S to W, W to N)"),
                           "left": ("'WNES'", "a quarter turn counter-clockwise (N to W, W to S, S to E, E to N)"),
                           "back": ("'SWNE'", "to the opposite direction (N and S, E and W are exchanged)")}}),
    Block("moves_cancel", "moves", "moves",
          ("Remove neighbouring letters that are opposite to each other (N and S, or E and W, in either order), both "
           "at once, until there are none.",),
          "Y = ''\nfor c in X:\n    Y = Y[:-1] if Y and Y[-1] + c in ('NS', 'SN', 'EW', 'WE') else Y + c",
          near=("moves_cancel_once",)),
    Block("moves_cancel_once", "moves", "moves", ("",), "Y = re.sub('NS|SN|EW|WE', '', X)", drawn=False),
    Block("moves_wall", "moves", "moves",
          ("Walk from (0, 0): N adds 1 to y, S takes 1 from y, E adds 1 to x, W takes 1 from x. Remove the moves that "
           "would lead to a place {wall}; they are not made, and the walk goes on with the next letter.",),
          f"x, y, Y = 0, 0, ''\nfor c in X:\n    dx, dy = {_STEP}[c]\n    if not (@wall@):\n        x, y, Y = x + dx, "
          f"y + dy, Y + c", params={"K": (2, 3)},
          choices={"wall": {"box": ("max(abs(x + dx), abs(y + dy)) > K", "with |x| or |y| greater than {K}"),
                            "side": ("x + dx > K", "with x greater than {K}"),
                            "circle": ("abs(x + dx) + abs(y + dy) > K", "with |x| + |y| greater than {K}")}}),
    Block("moves_end", "moves", "ints",
          ("Walk from (0, 0): N adds 1 to y, S takes 1 from y, E adds 1 to x, W takes 1 from x. Take {what}.",),
          _TRACK + "Y = @what@",
          choices={"what": {"end": ("[x, y]", "the list [x, y] of where the walk ends"),
                            "distances": ("[abs(a) + abs(b) for a, b in track[1:]]",
                                          "the list of |x| + |y| after each move"),
                            "xs": ("[a for a, b in track]", "the list of x, at the start and after each move"),
                            "far": ("[max(abs(a), abs(b)) for a, b in track[1:]]",
                                    "the list of the larger of |x| and |y| after each move")}}, bits="=6"),
    Block("moves_count", "moves", "int",
          ("Walk from (0, 0): N adds 1 to y, S takes 1 from y, E adds 1 to x, W takes 1 from x. Take {what}.",),
          _TRACK + "Y = @what@",
          choices={"what": {"places": ("len(set(track))", "the number of different places visited, the start included"),
                            "again": ("sum(p in track[:i] for i, p in enumerate(track))",
                                      "the number of moves that lead to a place where the walk has been before (the "
                                      "start counts as visited)"),
                            "home": ("track[1:].count((0, 0))", "the number of moves that lead to (0, 0)"),
                            "far": ("max(abs(a) + abs(b) for a, b in track)",
                                    "the largest |x| + |y| of a place visited")}}, bits="=6"),
    Block("moves_runs", "moves", "ints", ("Take the list of the lengths of the maximal runs of equal "
                                          "neighbouring letters.",), "Y = [len(m[0]) for m in "
                                                            "re.finditer('N+|E+|S+|W+', X)]", bits="=6"),
    Block("moves_tally", "moves", "tally", ("Make a dictionary with each letter that occurs and how often it occurs.",),
          "Y = {c: X.count(c) for c in X}", bits="=6"),
    # ---- account books: lists ["in", n] or ["out", n] ----
    Block("events_account", "events", "ints",
          ("Keep an account that starts with {A}: [\"in\", n] adds n; [\"out\", n] takes n away, but is refused, and "
           "changes nothing, if that would leave {floor}. {what}.",),
          "balance, Y = A, []\nfor kind, amount in X:\n    done = kind == 'in' or balance - amount @floor@\n    if "
          "done:\n        balance += amount if kind == 'in' else -amount\n    Y += @what@", params={"A": (0, 20)},
          choices={"floor": {"0": (">= 0", "less than 0"), "1": ("> 0", "0 or less"), "debt": (">= -10",
          "less than -10")},
                   "what": {"all": ("[balance]", "Take the list of the balances after each entry, refused ones "
                                                 "included"),
                            "done": ("[balance] if done else []",
                                     "Take the list of the balances after each entry that was not refused"),
                            "refused": ("[] if done else [amount]", "Take the list of the amounts n that were "
                                                            "refused")}},
          bits="+6"),
    Block("events_keep", "events", "events", ("Remove every entry {what}.",),
          "Y = [[kind, n] for kind, n in X if not (@what@)]", params={"K": (5, 20)},
          choices={"what": {"small": ("n < K", "with n less than {K}"), "large": ("n > K", "with n greater than {K}"),
                            "small_out": ("kind == 'out' and n < K", '"out" with n less than {K}')}}),
    Block("events_merge", "events", "events",
          ("Replace every maximal run of neighbouring entries of the same kind by one entry of this "
           "kind with the {agg} of the amounts.",),
          "runs = []\nfor kind, n in X:\n    if runs and runs[-1][0] == kind:\n        runs[-1][1].append(n)\n    "
          "else:\n        runs.append((kind, [n]))\nY = [[kind, @agg@] for kind, w in runs]",
          choices={"agg": {"sum": ("sum(w)", "sum"), "max": ("max(w)", "largest"), "last": ("w[-1]", "last")}},
          bits="+5"),
    Block("events_cancel", "events", "events",
          ("Go through the entries from left to right with a stack: where the stack is not empty and its top has the "
           "same amount and the other kind, remove the top, and do not put the entry on it; otherwise put the entry "
           "on the stack. The result is the stack, bottom first.",),
          "Y = []\nfor kind, n in X:\n    if Y and Y[-1][1] == n and Y[-1][0] != kind:\n        Y.pop()\n    "
          "else:\n        Y.append([kind, n])", near=("events_cancel_any",)),
    Block("events_cancel_any", "events", "events", ("",),
          "Y = []\nfor kind, n in X:\n    if Y and Y[-1][1] == n:\n        Y.pop()\n    else:\n        "
          "Y.append([kind, n])",
          drawn=False),
    Block("events_signed", "events", "ints", ("Replace every entry by its amount, negative for \"out\".",),
          "Y = [n if kind == 'in' else -n for kind, n in X]", near=("events_amounts",)),
    Block("events_amounts", "events", "ints", ("Replace every entry by its amount.",), "Y = [n for kind, n in X]",
          near=("events_signed",)),
    Block("events_queue", "events", "ints",
          ("Keep a queue of numbers: [\"in\", n] puts n at its {at}; [\"out\", n] takes one number from its front, "
           "whatever n is, or does nothing if the queue is empty. Take the list of {what}.",),
          "queue, taken = [], []\nfor kind, n in X:\n    if kind == 'in':\n        queue.insert(@at@, n)\n    elif "
          "queue:\n        taken.append(queue.pop(0))\nY = @what@",
          choices={"at": {"end": ("len(queue)", "end"), "front": ("0", "front")},
                   "what": {"taken": ("taken", "the numbers taken, in the order in which they were taken"),
                            "left": ("queue", "the numbers left in the queue, front first"),
                            "both": ("taken + queue", "the numbers taken, in that order, followed by those left, "
                                                      "front first")}}),
)  # fmt: skip
