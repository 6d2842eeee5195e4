"""Units of the library about numbers, dates, grids and graphs."""

from turnwise.worlds.programs.library.units import Signature, Unit

__all__ = ["UNITS"]

_SPANS = Unit(
    "spans",
    '''
"""Spans of whole numbers, written (start, end) with start <= end. $ends_doc"""


def merge(spans):
    """The spans in ascending order, with those joined that overlap$touch_doc."""
    merged = []
    for start, end in sorted(spans):
        if merged and start $touch merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def covered(spans):
    """How many numbers lie in at least one of the spans."""
    numbers = set()
    for start, end in spans:
        numbers.update(range(start, end$plus))
    return len(numbers)


def gaps(spans, low, high):
    """The parts of the range from low to high (low < high) that the spans leave free; empty ones are left out."""
    found = []
    position = low
    for start, end in merge(spans):
        if start > position:
            found.append((position, min(start, high)))
        position = max(position, end)
        if position >= high:
            break
    if position < high:
        found.append((position, high))
    return found


def longest(spans):
    """The longest of the merged spans, the $tie of several; (0, 0) if there are none."""
    merged = merge(spans)
    best = merged[0] if merged else (0, 0)
    for start, end in merged:
        if end - start $longer best[1] - best[0]:
            best = (start, end)
    return best
''',
    (
        ({"ends_doc": "The end belongs to the span.", "plus": " + 1"}, {"ends_doc": "The end does not belong to it.",
         "plus": ""}),
        ({"touch": "<=", "touch_doc": " or share an end"}, {"touch": "<", "touch_doc": " in more than an end"}),
        ({"tie": "first", "longer": ">"}, {"tie": "last", "longer": ">="}),
    ),
    {"merge": Signature(("spans",), "spans"), "covered": Signature(("spans",), "natural"),
     "gaps": Signature(("spans", "small", "closing"), "spans"), "longest": Signature(("spans",))},
    {"spans": ("intervals", "ranges"), "merge": ("merge_all", "merge_spans"), "covered": ("coverage", "count_covered"),
     "gaps": ("free_parts", "uncovered"), "merged": ("result", "joined"), "position": ("cursor", "reached"),
     "longest": ("longest_span", "widest")},
)  # fmt: skip

_MONEY = Unit(
    "money",
    '''
"""Amounts of money in whole cents."""


def percentage(amount, percent):
    """A percentage of an amount, in cents, $round_doc."""
    return $round


def split(amount, people):
    """An amount split as evenly as possible among that many people; the $first parts get the odd cents."""
    part, rest = divmod(amount, people)
    parts = []
    for number in range(people):
        extra = 1 if number $few else 0
        parts.append(part + extra)
    return parts


def formatted(amount):
    """An amount as text: "12.05"; a negative one $sign_doc."""
    whole, cents = divmod(abs(amount), 100)
    text = f"{whole}.{cents:02d}"
    if amount < 0:
        return $sign
    return text


def parsed(text):
    """The amount that a text such as "12.05", "7" or "0.5" stands for; ValueError for more than two decimals."""
    whole, point, cents = text.partition(".")
    if len(cents) > 2:
        raise ValueError(text)
    return int(whole) * 100 + int((cents + "00")[:2])


def discounted(prices, percent, limit):
    """The sum of the prices, reduced by that percentage if it $reach the limit."""
    total = sum(prices)
    if total $at limit:
        total -= percentage(total, percent)
    return total
''',
    (
        ({"round_doc": "rounded down", "round": "amount * percent // 100"},
         {"round_doc": "rounded up", "round": "-(-amount * percent // 100)"},
         {"round_doc": "rounded to the nearest, halves up", "round": "(amount * percent + 50) // 100"}),
        ({"first": "first", "few": "< rest"}, {"first": "last", "few": ">= people - rest"}),
        ({"sign_doc": "with a leading minus", "sign": '"-" + text'}, {"sign_doc": "in parentheses",
         "sign": 'f"({text})"'}),
        ({"reach": "is at least", "at": ">="}, {"reach": "is above", "at": ">"}),
    ),
    {"percentage": Signature(("amount", "percent"), "amount"), "split": Signature(("amount", "small"), "naturals"),
     "formatted": Signature(("int",)), "parsed": Signature(("decimal",), "natural"),
     "discounted": Signature(("naturals",
     "percent", "width"), "amount")},
    {"money": ("cash", "amounts"), "percentage": ("percent_of", "portion"), "split": ("split_evenly", "divide"),
     "formatted": ("format_amount", "as_text"), "parsed": ("parse_amount", "from_text"), "people": ("heads", "members"),
     "discounted": ("discounted_total", "reduced_total")},
)  # fmt: skip

_DATES = Unit(
    "dates",
    '''
"""Dates of the Gregorian calendar as (year, month, day)."""

LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def is_leap(year):
    """Whether a year has 366 days: every fourth year, but of the centuries only every fourth."""
    if year % 100 == 0:
        return year % 400 == 0
    return year % 4 == 0


def month_length(year, month):
    """The number of days of a month."""
    if month == 2 and is_leap(year):
        return 29
    return LENGTHS[month - 1]


def day_of_year(date):
    """The number of a day in its year; January 1 is $first."""
    year, month, day = date
    number = day$less
    for earlier in range(1, month):
        number += month_length(year, earlier)
    return number


def add_days(date, days):
    """The date that many days after a date, or before it if days is negative."""
    year, month, day = date
    day += days
    while day > month_length(year, month):
        day -= month_length(year, month)
        month += 1
        if month > 12:
            year, month = year + 1, 1
    while day < 1:
        month -= 1
        if month < 1:
            year, month = year - 1, 12
        day += month_length(year, month)
    return (year, month, day)


def months_between(start, end):
    """The number of whole months between two dates, in either order; $day_doc."""
    start, end = min(start, end), max(start, end)
    months = (end[0] - start[0]) * 12 + end[1] - start[1]
    if end[2] $before start[2]:
        months -= 1
    return max(months, 0)


def quarter(date):
    """The quarter of a year that begins in $month, from 1 to 4."""
    return (date[1] $shift) % 12 // 3 + 1
''',
    (
        ({"first": "1", "less": ""}, {"first": "0", "less": " - 1"}),
        ({"day_doc": "a month is complete on the same day of the next", "before": "<"},
         {"day_doc": "a month is complete one day after the same day of the next", "before": "<="}),
        ({"month": "January", "shift": "- 1"}, {"month": "April", "shift": "+ 8"}, {"month": "October",
         "shift": "+ 2"}),
    ),
    {"is_leap": Signature(("year",)), "day_of_year": Signature(("date",), "natural"),
     "add_days": Signature(("date", "days"), "date"), "months_between": Signature(("date", "date"), "int"),
     "quarter": Signature(("date",), "small")},
    {"dates": ("calendar_days", "days_of_year"), "month_length": ("days_in", "days_in_month"),
     "add_days": ("shifted", "plus_days"),
     "day_of_year": ("ordinal", "number_of_day"), "months_between": ("full_months", "whole_months"),
     "is_leap": ("is_leap_year", "has_leap_day"), "quarter": ("quarter_of", "fiscal_quarter")},
)  # fmt: skip

_MATRIX = Unit(
    "matrix",
    '''
"""Rectangular tables of numbers, as lists of rows."""


def transposed(table):
    """The table with rows and columns exchanged."""
    return [[row[column] for row in table] for column in range(len(table[0]))]


def rotated(table):
    """The table rotated by 90 degrees, $way."""
    return $turn


def border_sum(table):
    """The sum of the numbers on the border of the table, each counted once."""
    total = 0
    last_row = len(table) - 1
    last_column = len(table[0]) - 1
    for i, row in enumerate(table):
        for j, value in enumerate(row):
            if i in (0, last_row) or j in (0, last_column):
                total += value
    return total


def best_row(table):
    """The index of the row with the $most sum, the $tie of several."""
    best = 0
    for i in range(1, len(table)):
        if sum(table[i]) $better sum(table[best]):
            best = i
    return best


def region(table, row, column):
    """The size of the connected area of equal values around a cell; neighbours share a side$corner_doc.

    It is 0 if there is no such cell.
    """
    if row >= len(table) or column >= len(table[0]):
        return 0
    value = table[row][column]
    seen = {(row, column)}
    waiting = [(row, column)]
    while waiting:
        i, j = waiting.pop()
        for di, dj in $steps:
            near = (i + di, j + dj)
            inside = 0 <= near[0] < len(table) and 0 <= near[1] < len(table[0])
            if inside and near not in seen and table[near[0]][near[1]] == value:
                seen.add(near)
                waiting.append(near)
    return len(seen)


def spiral(table):
    """The numbers in a spiral from the outside in: along the first row, then down, back and up."""
    rows = [list(row) for row in table]
    found = []
    while rows:
        found.extend(rows.pop(0))
        rows = transposed(rows)[::-1] if rows and rows[0] else []
    return found
''',
    (
        ({"way": "clockwise", "turn": "[row[::-1] for row in transposed(table)]"},
         {"way": "counterclockwise", "turn": "transposed(table)[::-1]"}),
        ({"most": "largest", "tie": "first", "better": ">"}, {"most": "largest", "tie": "last", "better": ">="},
         {"most": "smallest", "tie": "first", "better": "<"}, {"most": "smallest", "tie": "last", "better": "<="}),
        ({"corner_doc": "", "steps": "((0, 1), (1, 0), (0, -1), (-1, 0))"},
         {"corner_doc": " or a corner", "steps": "[(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)]"}),
    ),
    {"rotated": Signature(("grid",), "grid"), "border_sum": Signature(("grid",), "natural"),
     "best_row": Signature(("grid",), "count"), "region": Signature(("grid", "cell", "cell"), "natural"),
     "spiral": Signature(("grid",), "ints")},
    {"matrix": ("tables", "grids"), "rotated": ("rotate", "quarter_turn"), "border_sum": ("frame_sum", "edge_total"),
     "best_row": ("pick_row", "row_of_choice"), "region": ("area", "patch_size"),
     "spiral": ("spiral_order", "unrolled"),
     "table": ("cells", "board"), "waiting": ("stack", "todo")},
)  # fmt: skip

_GRAPH = Unit(
    "graph",
    '''
"""Networks of numbered places, given by their connections (a, b), which lead $both_doc."""


def neighbours(edges):
    """For each place, the places that a connection leads to, in ascending order."""
    found = {}
    for a, b in edges:
        found.setdefault(a, set()).add(b)
        $back
    return {place: sorted(others) for place, others in found.items()}


def distances(edges, start):
    """The distance of each place that can be reached, in connections."""
    near = neighbours(edges)
    steps = {start: 0}
    queue = [start]
    while queue:
        place = queue.pop(0)
        for other in near.get(place, []):
            if other not in steps:
                steps[other] = steps[place] + 1
                queue.append(other)
    return steps


def within(edges, start, limit):
    """The places at most that many connections away, in ascending order$self_doc."""
    steps = distances(edges, start)
    return sorted(place for place, count in steps.items() if $lower count <= limit)


def route(edges, start, goal):
    """A shortest path from start to goal as a list of places; ties go to the $least places first.

    It is empty if there is no path.
    """
    near = neighbours(edges)
    ways = {start: [start]}
    queue = [start]
    while queue:
        place = queue.pop(0)
        if place == goal:
            return ways[place]
        for other in $ordered:
            if other not in ways:
                ways[other] = ways[place] + [other]
                queue.append(other)
    return []


def hubs(edges, limit):
    """The places connected to at least that many others, the best connected first, then in ascending order."""
    near = neighbours(edges)
    found = []
    for place in sorted(near):
        others = [other for other in near[place] if other != place]
        if len(others) >= limit:
            found.append((-len(others), place))
    return [place for _, place in sorted(found)]
''',
    (
        ({"both_doc": "both ways", "back": "found.setdefault(b, set()).add(a)"},
         {"both_doc": "from a to b only", "back": "found.setdefault(b, set())"}),
        ({"self_doc": ", including the start", "lower": "0 <="}, {"self_doc": ", without the start", "lower": "0 <"}),
        ({"least": "smallest", "ordered": "near.get(place, [])"}, {"least": "largest",
         "ordered": "reversed(near.get(place, []))"}),
    ),
    {"distances": Signature(("edges", "node")), "within": Signature(("edges", "node", "small"), "ints"),
     "route": Signature(("edges", "node", "node"), "ints"), "hubs": Signature(("edges", "small"), "ints")},
    {"graph": ("network", "roads"), "neighbours": ("adjacent", "links"), "distances": ("hops", "step_counts"),
     "within": ("nearby", "reach"), "route": ("path_between", "shortest"), "hubs": ("busiest", "well_connected"),
     "edges": ("connections", "lanes"), "queue": ("waiting", "frontier"), "place": ("node", "spot")},
)  # fmt: skip

_SERIES = Unit(
    "series",
    '''
"""Measurements in chronological order."""


def totals(values):
    """The running totals$zero_doc."""
    found = [$zero]
    total = 0
    for value in values:
        total += value
        found.append(total)
    return found


def changes(values):
    """The differences from each value to the next."""
    return [after - before for before, after in zip(values, values[1:])]


def smooth(values, width):
    """The $stat of every window of that many neighbouring values; empty if there are too few."""
    found = []
    for start in range(len(values) - width + 1):
        window = values[start : start + width]
        found.append($take)
    return found


def peaks(values):
    """The indices of values greater than both neighbours; the first and the last value $ends_doc."""
    found = []
    for i in range($range):
        left = i == 0 or values[i - 1] < values[i]
        right = i == len(values) - 1 or values[i + 1] < values[i]
        if left and right:
            found.append(i)
    return found


def longest_run(values):
    """The length of the longest run in which each value is $rise_doc than the one before it; 0 for no values."""
    best = 0
    length = 0
    for i, value in enumerate(values):
        if i and value $rise values[i - 1]:
            length += 1
        else:
            length = 1
        best = max(best, length)
    return best


def outliers(values, limit):
    """The values further than limit from the median (the $half of two), in their order."""
    if not values:
        return []
    middle = sorted(values)[$mid]
    return [value for value in values if abs(value - middle) > limit]
''',
    (
        ({"zero": "", "zero_doc": ""}, {"zero": "0", "zero_doc": ", starting with 0"}),
        ({"stat": "largest", "take": "max(window)"}, {"stat": "smallest", "take": "min(window)"},
         {"stat": "sum", "take": "sum(window)"}, {"stat": "mean, rounded down,", "take": "sum(window) // width"}),
        ({"ends_doc": "need to exceed only one", "range": "len(values)"}, {"ends_doc": "do not count",
         "range": "1, len(values) - 1"}),
        ({"rise": ">", "rise_doc": "larger"}, {"rise": ">=", "rise_doc": "not smaller"}, {"rise": "<",
         "rise_doc": "smaller"}),
        ({"half": "lower", "mid": "(len(values) - 1) // 2"}, {"half": "upper", "mid": "len(values) // 2"}),
    ),
    {"totals": Signature(("ints",), "ints"), "changes": Signature(("ints",), "ints"),
     "smooth": Signature(("ints", "small"), "ints"), "peaks": Signature(("ints",), "ints"),
     "longest_run": Signature(("ints",), "count"), "outliers": Signature(("ints", "count"), "ints")},
    {"series": ("timeseries", "measures"), "totals": ("running_totals", "cumulative"),
     "changes": ("deltas", "differences"),
     "smooth": ("rolling", "moving_window"), "peaks": ("maxima", "local_maxima"),
     "longest_run": ("longest_streak", "streak"),
     "outliers": ("far_off", "unusual"), "window": ("part", "chunk"), "found": ("result", "collected")},
)  # fmt: skip

UNITS = (_SPANS, _MONEY, _DATES, _MATRIX, _GRAPH, _SERIES)
"""The units of this module."""
