"""Units of the library about what offices, schools and clubs compute: hours, marks, tables, prices, lots, fees."""

from turnwise.worlds.programs.library.units import Signature, Unit

__all__ = ["UNITS"]

_HOURS = Unit(
    "timesheet",
    '''
"""Working hours. A shift is (day, start, end): a day from 0 for Monday, and minutes since midnight.

A shift whose end is not after its start ends on the next day.
"""

DAY = 24 * 60


def length(start, end):
    """The minutes of a shift, without the break: $break_doc minutes if it $long_doc six hours."""
    minutes = end - start
    if minutes <= 0:
        minutes += DAY
    if minutes $long 6 * 60:
        minutes -= $rest
    return minutes


def by_day(shifts):
    """The minutes of each day that has a shift, in the order of the days; a shift counts for the day it starts on."""
    found = {}
    for day, start, end in sorted(shifts):
        found[day] = found.get(day, 0) + length(start, end)
    return found


def overtime(shifts, limit):
    """The minutes beyond the limit, counted $per_doc."""
    $per


def billed(shifts, step):
    """The minutes of the week, with $each_doc rounded up to a multiple of step."""
    total = 0
    for day, start, end in shifts:
        total += $each
    return $whole


def rests(shifts):
    """The minutes between the end of each shift and the start of the next one; 0 if they overlap."""
    found = []
    last = None
    for day, start, end in sorted(shifts):
        begins = day * DAY + start
        ends = day * DAY + end
        if end <= start:
            ends += DAY
        if last is not None:
            found.append(max(begins - last, 0))
        last = ends if last is None else max(last, ends)
    return found
''',
    (
        ({"long_doc": "is longer than", "long": ">"}, {"long_doc": "lasts at least", "long": ">="}),
        ({"break_doc": "30", "rest": "30"}, {"break_doc": "45", "rest": "45"}),
        ({"per_doc": "for each day by itself",
          "per": "return sum(max(minutes - limit, 0) for minutes in by_day(shifts).values())"},
         {"per_doc": "for the whole week", "per": "return max(sum(by_day(shifts).values()) - limit, 0)"}),
        ({"each_doc": "each shift", "each": "-(-length(start, end) // step) * step", "whole": "total"},
         {"each_doc": "the sum", "each": "length(start, end)", "whole": "-(-total // step) * step"}),
    ),
    {"by_day": Signature(("shifts",)), "overtime": Signature(("shifts", "minutes"), "natural"),
     "billed": Signature(("shifts", "step"), "natural"), "rests": Signature(("shifts",), "ints")},
    {"timesheet": ("workhours", "shiftplan"), "length": ("paid_minutes", "worked"),
     "by_day": ("per_day", "daily_minutes"),
     "overtime": ("extra_minutes", "overtime_minutes"), "billed": ("billed_minutes", "invoiced"),
     "rests": ("rest_times", "breaks_between"), "last": ("previous_end", "until"), "found": ("result", "collected")},
)  # fmt: skip

_GRADES = Unit(
    "grades",
    '''
"""Marks of a course, in points from 0 to 100."""

LETTERS = [("A", 90), ("B", 80), ("C", $third), ("D", $fourth)]


def letter(points):
    """The letter for a number of points: A from 90, B from 80, C from $third, D from $fourth, else F."""
    for name, least in LETTERS:
        if points >= least:
            return name
    return "F"


def mean(marks, dropped):
    """The mean of the marks without that many of the lowest ones, rounded $round_doc; 0 if none is left."""
    kept = sorted(marks)[dropped:]
    if not kept:
        return 0
    return $round


def final(homework, exam, weight):
    """The final points: the exam counts with a weight in percent, the mean of the homework with the rest.

    The lowest homework is dropped if there are $enough. Without homework, the exam counts alone. It is rounded down.
    """
    if not homework:
        return exam
    dropped = 1 if len(homework) >= $least else 0
    return (exam * weight + mean(homework, dropped) * (100 - weight)) // 100


def ranking(scores):
    """The (place, name) of each student, best first, those with the same points by name; $skip_doc."""
    found = []
    place = 0
    last = None
    for name, points in sorted(scores, key=lambda score: (-score[1], score[0])):
        if points != last:
            place $next
            last = points
        found.append((place, name))
    return found


def spread(scores):
    """How many students got each letter; letters that nobody got are left out, the others are in the order A to F."""
    counts = {}
    for _, points in scores:
        counts[letter(points)] = counts.get(letter(points), 0) + 1
    return {name: counts[name] for name in sorted(counts)}
''',
    (
        ({"third": "70", "fourth": "60"}, {"third": "65", "fourth": "50"}),
        ({"round_doc": "down", "round": "sum(kept) // len(kept)"},
         {"round_doc": "to the nearest, halves up", "round": "(2 * sum(kept) + len(kept)) // (2 * len(kept))"}),
        ({"enough": "at least three", "least": "3"}, {"enough": "at least four", "least": "4"}),
        ({"skip_doc": "after two in first place comes the third", "next": "= len(found) + 1"},
         {"skip_doc": "after two in first place comes the second", "next": "+= 1"}),
    ),
    {"letter": Signature(("points",)), "mean": Signature(("marks", "few"), "points"),
     "final": Signature(("marks", "points", "percent"), "points"), "ranking": Signature(("scores",)),
     "spread": Signature(("scores",), "counts")},
    {"grades": ("marking", "gradebook"), "letter": ("letter_grade", "grade"), "mean": ("average", "mean_mark"),
     "final": ("final_mark", "course_mark"), "ranking": ("ranked", "placements"),
     "spread": ("distribution", "histogram"),
     "kept": ("counted", "remaining"), "place": ("rank", "position")},
)  # fmt: skip

_LEAGUE = Unit(
    "league",
    '''
"""Results of a league as (home, away, home goals, away goals). A win brings $win points, a draw one."""


def points(results):
    """The points of each team, in the order in which the teams occur."""
    found = {}
    for home, away, scored, conceded in results:
        for team, own, other in ((home, scored, conceded), (away, conceded, scored)):
            found.setdefault(team, 0)
            if own > other:
                found[team] += $win
            elif own == other:
                found[team] += 1
    return found


def goals(results, team):
    """The goals that a team scored and those that it conceded."""
    scored = conceded = 0
    for home, away, first, second in results:
        if home == team:
            scored += first
            conceded += second
        elif away == team:
            scored += second
            conceded += first
    return (scored, conceded)


def table(results):
    """The teams, best first: by points, then by $tie_doc, then by name."""

    def rank(team):
        scored, conceded = goals(results, team)
        return (-totals[team], $tie, team)

    totals = points(results)
    return sorted(totals, key=rank)


def form(results, team, limit):
    """The last results of a team as letters W, D and L, the $order first, at most that many."""
    letters = ""
    for home, away, first, second in results:
        if team not in (home, away):
            continue
        own, other = (first, second) if team == home else (second, first)
        if own == other:
            letters += "D"
        else:
            letters += "W" if own > other else "L"
    last = letters[max(len(letters) - limit, 0) :]
    return last$flip


def unbeaten(results):
    """The teams that have not lost$draw_doc, in alphabetical order."""
    teams, out = set(), set()
    for home, away, first, second in results:
        teams.update((home, away))
        if first < second$draw:
            out.add(home)
        if second < first$draw:
            out.add(away)
    return sorted(teams - out)
''',
    (
        ({"win": "3"}, {"win": "2"}),
        ({"tie_doc": "goal difference", "tie": "conceded - scored"}, {"tie_doc": "goals scored", "tie": "-scored"}),
        ({"order": "oldest", "flip": ""}, {"order": "latest", "flip": "[::-1]"}),
        ({"draw_doc": "", "draw": ""}, {"draw_doc": " or drawn", "draw": " or first == second"}),
    ),
    {"points": Signature(("results",), "counts"), "goals": Signature(("results", "team")),
     "table": Signature(("results",), "words"), "form": Signature(("results", "team", "count")),
     "unbeaten": Signature(("results",), "words")},
    {"league": ("football", "championship"), "points": ("points_by_team", "team_points"),
     "goals": ("goals_of", "goal_count"),
     "table": ("standings", "ordered"), "form": ("recent_form", "last_results"),
     "unbeaten": ("undefeated", "without_loss"), "out": ("beaten", "struck")},
)  # fmt: skip

_TARIFF = Unit(
    "tariff",
    '''
"""What electricity, water or parking costs, in cents. Steps are (from, price), in ascending order of from."""


def price(quantity, steps):
    """The price of a quantity: $how_doc. Nothing is charged below the first step."""
    $how


def bill(quantities, steps, least):
    """Prices of several quantities, and their sum; each price is at least the minimum, but nothing costs nothing."""
    prices = []
    for quantity in quantities:
        cost = price(quantity, steps)
        if quantity > 0:
            cost = max(cost, least)
        prices.append(cost)
    return (prices, sum(prices))


def fee(start, end, free, rate):
    """The fee for parking from one minute to another: rate for each hour begun after the free minutes.

    Nothing if they are not exceeded; $free_doc. It is at most $most rates a day.
    """
    minutes = end - start
    if minutes <= free:
        return 0
    $free
    days, rest = divmod(minutes, 24 * 60)
    hours = -(-rest // 60)
    return (days * $most + min(hours, $most)) * rate


def discount(lines, limit):
    """The sum of lines (quantity, price), with $gift_doc free in lines of at least limit pieces."""
    total = 0
    for quantity, cost in lines:
        if quantity >= limit > 0:
            quantity -= $gift
        total += quantity * cost
    return total
''',
    (
        ({"how_doc": "each piece has the price of the step that it falls into",
          "how": "total = 0\n    for number, (start, cost) in enumerate(steps):\n"
                 "        end = steps[number + 1][0] if number + 1 < len(steps) else quantity\n"
                 "        total += max(min(end, quantity) - start, 0) * cost\n    return total"},
         {"how_doc": "all of it has the price of the last step that it exceeds",
          "how": "current = 0\n    for start, cost in steps:\n        if quantity > start:\n"
                 "            current = cost\n    return quantity * current"}),
        ({"free_doc": "if they are, they are not charged", "free": "minutes -= free"},
         {"free_doc": "if they are, they are charged, too", "free": ""}),
        ({"most": "8"}, {"most": "6"}),
        ({"gift_doc": "one piece", "gift": "1"}, {"gift_doc": "every limit-th piece", "gift": "quantity // limit"}),
    ),
    {"price": Signature(("quantity", "price steps"), "amount"),
     "bill": Signature(("quantities", "price steps", "count")), "fee": Signature(("entry", "exit", "free", "count")),
     "discount": Signature(("order lines", "count"), "amount")},
    {"tariff": ("charges", "pricing"), "price": ("price_of", "charge"), "bill": ("invoice", "billed"),
     "fee": ("parking_fee", "parking"), "discount": ("discounted_sum", "with_free_pieces"),
     "cost": ("each", "unit_price")},
)  # fmt: skip

_LOTS = Unit(
    "lots",
    '''
"""Shares or goods bought in lots (quantity, price), the oldest first, and sold again, $which_doc first."""


def left(lots, quantity):
    """The lots that are left after a sale of that many pieces; empty ones are left out.

    If there are not enough pieces, all are sold.
    """
    kept = []
    for size, price in lots$order:
        sold = min(size, quantity)
        quantity -= sold
        if size > sold:
            kept.append((size - sold, price))
    return kept$order


def cost(lots, quantity):
    """What was paid for the pieces of a sale; $lack_doc if there are not enough."""
    if quantity > sum(size for size, _ in lots):
        $lack
    total = 0
    for size, price in lots$order:
        sold = min(size, quantity)
        total += sold * price
        quantity -= sold
    return total


def gains(lots, sales):
    """The gain of each sale (quantity, price), one after the other; negative for a loss.

    Pieces that are not there are not sold.
    """
    found = []
    for quantity, price in sales:
        quantity = min(quantity, sum(size for size, _ in lots))
        found.append(quantity * price - cost(lots, quantity))
        lots = left(lots, quantity)
    return found


def average(lots):
    """The average price of a piece, rounded $round_doc; 0 if there are none."""
    pieces = sum(size for size, _ in lots)
    if pieces == 0:
        return 0
    paid = sum(size * price for size, price in lots)
    return $round


def joined(lots):
    """The lots with neighbouring ones of the same price made one$empty_doc."""
    found = []
    for size, price in lots:
        $empty
        if found and found[-1][1] == price:
            found[-1] = (found[-1][0] + size, price)
        else:
            found.append((size, price))
    return found
''',
    (
        ({"which_doc": "the oldest", "order": ""}, {"which_doc": "the newest", "order": "[::-1]"}),
        ({"lack_doc": "-1", "lack": "return -1"}, {"lack_doc": "ValueError", "lack": "raise ValueError(quantity)"}),
        ({"round_doc": "up", "round": "-(-paid // pieces)"}, {"round_doc": "down", "round": "paid // pieces"}),
        ({"empty_doc": "", "empty": ""}, {"empty_doc": ", and without empty ones",
         "empty": "if size == 0:\n            continue"}),
    ),
    {"left": Signature(("lots", "quantity")), "cost": Signature(("lots", "quantity")),
     "gains": Signature(("lots", "lots"), "ints"), "average": Signature(("lots",), "natural"),
     "joined": Signature(("lots",))},
    {"lots": ("holdings", "purchases"), "left": ("remaining", "after_sale"), "cost": ("cost_of_sale", "paid_for"),
     "gains": ("gains_of", "profits"), "average": ("average_price", "mean_price"),
     "joined": ("merge_lots", "compacted"),
     "kept": ("rest", "still_there"), "sold": ("taken", "used")},
)  # fmt: skip

UNITS = (_HOURS, _GRADES, _LEAGUE, _TARIFF, _LOTS)
"""The units of this module."""
