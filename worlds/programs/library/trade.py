"""Units of the library that use others: what shops, banks and payrolls do."""

from turnwise.worlds.programs.library.units import Signature, Unit

__all__ = ["UNITS"]

_PURCHASING = Unit(
    "purchasing",
    '''
"""What has to be bought, and what it costs. Prices are in cents, by item; items without a price are not bought."""

import money
import stock


def to_buy(moves, least, pack, prices):
    """The orders for what runs short, as (name, amount), $order_doc."""
    found = []
    for name, amount in stock.orders(moves, least, pack):
        if name in prices:
            found.append((name, amount))
    $order
    return found


def total(moves, least, pack, prices):
    """The price of everything that has to be bought."""
    return sum(amount * prices[name] for name, amount in to_buy(moves, least, pack, prices))


def within(moves, least, pack, prices, budget):
    """The orders that a budget pays for: they are gone through in turn, and one that is too dear $dear_doc."""
    left = budget
    found = []
    for name, amount in to_buy(moves, least, pack, prices):
        cost = amount * prices[name]
        if cost > left:
            $dear
        left -= cost
        found.append((name, amount))
    return found


def budget_line(moves, least, pack, prices, percent):
    """The total as text, with a discount of that percentage taken off."""
    price = total(moves, least, pack, prices)
    return money.formatted(price - money.percentage(price, percent))
''',
    (
        ({"order_doc": "dearest order first, ties by name",
          "order": "found.sort(key=lambda order: (-order[1] * prices[order[0]], order[0]))"},
         {"order_doc": "in alphabetical order", "order": "found.sort()"}),
        ({"dear_doc": "is skipped", "dear": "continue"}, {"dear_doc": "is the end", "dear": "break"}),
    ),
    {"to_buy": Signature(("moves", "count", "small", "prices")),
     "total": Signature(("moves", "count", "small", "prices")),
     "within": Signature(("moves", "count", "small", "prices", "budget")),
     "budget_line": Signature(("moves", "count", "small", "prices", "percent"))},
    {"purchasing": ("procurement", "buying"), "to_buy": ("orders_for", "shopping_list"),
     "total": ("total_price", "cost_of_all"),
     "within": ("affordable", "within_budget"), "budget_line": ("price_text", "total_text"),
     "left": ("remaining", "rest")},
    ("stock", "money"),
)  # fmt: skip

_STOCKTAKING = Unit(
    "stocktaking",
    '''
"""Comparing the quantities in the books with those that were counted on the shelves."""

import stock


def differences(moves, counts):
    """The counted quantity of each item less that in the books, for all items with a difference, in alphabetical order.

    Items that were not counted $missing_doc.
    """
    booked = stock.levels(moves)
    found = {}
    for name in sorted($names):
        difference = counts.get(name, 0) - booked.get(name, 0)
        if difference != 0:
            found[name] = difference
    return found


def corrections(moves, counts):
    """The moves followed by those that bring the books in line with the count."""
    return moves + [(name, amount) for name, amount in differences(moves, counts).items()]


def suspicious(moves, counts, limit):
    """The items whose quantities differ by $limit_doc limit, the largest difference first, ties by name."""
    wrong = differences(moves, counts)
    found = [name for name in wrong if abs(wrong[name]) $limit limit]
    return sorted(found, key=lambda name: (-abs(wrong[name]), name))
''',
    (
        ({"missing_doc": "count as gone", "names": "set(booked) | set(counts)"},
         {"missing_doc": "are left out", "names": "counts"}),
        ({"limit_doc": "more than", "limit": ">"}, {"limit_doc": "at least", "limit": ">="}),
    ),
    {"differences": Signature(("moves", "shelf counts"), "counts"), "corrections": Signature(("moves", "shelf counts"),
     "moves"),
     "suspicious": Signature(("moves", "shelf counts", "count"), "words")},
    {"stocktaking": ("inventory_check", "shelf_count"), "differences": ("deviations", "discrepancies"),
     "corrections": ("corrected", "with_corrections"), "suspicious": ("conspicuous", "to_recount"),
     "booked": ("expected", "in_books")},
    ("stock",),
)  # fmt: skip

_STATEMENTS = Unit(
    "statements",
    '''
"""What the customers of the bank are told."""

import ledger
import money


def lines(payments):
    """A line for each customer with an account, in alphabetical order: the name, a colon, a space and the balance."""
    balances = ledger.balances(payments)
    found = []
    for name in sorted(balances):
        found.append(name + ": " + money.formatted(balances[name]))
    return found


def low(payments, limit):
    """The customers whose balance was $low_doc limit after some payment that changed it, in alphabetical order."""
    found = []
    for name in sorted(ledger.balances(payments)):
        past = ledger.history(payments, name)
        if past and min(past) $low limit:
            found.append(name)
    return found


def interest(payments, percent):
    """The interest on each balance above 0, by customer; it is a percentage of the $base_doc balance."""
    found = {}
    for name, balance in ledger.balances(payments).items():
        base = $base
        if balance > 0 and base > 0:
            found[name] = money.percentage(base, percent)
    return found
''',
    (
        ({"low_doc": "below", "low": "<"}, {"low_doc": "not above", "low": "<="}),
        ({"base_doc": "final", "base": "balance"},
         {"base_doc": "lowest", "base": "min(ledger.history(payments, name) or [0])"}),
    ),
    {"lines": Signature(("payments",), "words"), "low": Signature(("payments", "count"), "words"),
     "interest": Signature(("payments", "percent"), "counts")},
    {"statements": ("account_letters", "notices"), "lines": ("balance_lines", "overview"),
     "low": ("low_balances", "to_warn"),
     "interest": ("interest_by_name", "interest_due"), "past": ("balances_so_far", "earlier")},
    ("ledger", "money"),
)  # fmt: skip

_BOOKINGS = Unit(
    "bookings",
    '''
"""Bookings of a meeting room, as spans of hours (start, end)."""

import spans


def accepted(requests):
    """The requests that are granted: each in turn, if it shares no more than an end with those granted before.

    Requests for no time at all $empty_doc.
    """
    found = []
    for start, end in requests:
        if start == end:
            $empty
        if all(end <= first or start >= last for first, last in found):
            found.append((start, end))
    return found


def free(requests, opens, closes):
    """The parts of the opening time during which nothing is booked; empty if it is not open at all."""
    if opens >= closes:
        return []
    return spans.gaps(accepted(requests), opens, closes)


def first_fit(requests, opens, closes, length):
    """The $which free part of the opening time of at least that length, cut to the length; () if there is none."""
    fitting = []
    for start, end in free(requests, opens, closes):
        if end - start >= length:
            fitting.append((start, start + length))
    return fitting[$index] if fitting else ()


def blocks(requests):
    """The number of separate blocks that the accepted bookings form, and the longest block."""
    booked = accepted(requests)
    return (len(spans.merge(booked)), spans.longest(booked))
''',
    (
        ({"empty_doc": "are refused", "empty": "continue"},
         {"empty_doc": "are granted as well",
          "empty": "found.append((start, end))\n            continue"}),
        ({"which": "first", "index": "0"}, {"which": "last", "index": "-1"}),
    ),
    {"accepted": Signature(("spans",), "spans"), "free": Signature(("spans", "small", "width"), "spans"),
     "first_fit": Signature(("spans", "count", "width", "small")), "blocks": Signature(("spans",))},
    {"bookings": ("meeting_room", "reservations"), "accepted": ("granted", "confirmed"),
     "free": ("free_slots", "available"),
     "first_fit": ("find_slot", "slot_for"), "blocks": ("booked_blocks", "block_summary"),
     "fitting": ("possible", "candidates")},
    ("spans",),
)  # fmt: skip

_SUBSCRIPTIONS = Unit(
    "subscriptions",
    '''
"""Subscriptions that are paid every few months, with dates as (year, month, day) and days up to 28."""

import dates


def due_dates(start, months, end):
    """The dates on which something is due: the start, and every so many months after it, $end_doc the end."""
    year, month, day = start
    found = []
    while (year, month, day) $before end and len(found) < 24:
        found.append((year, month, day))
        month += months
        while month > 12:
            year, month = year + 1, month - 12
    return found


def reminders(start, months, end, notice):
    """The dates of the letters, so many days before each due date; $first_doc."""
    return [dates.add_days(date, -notice) for date in due_dates(start, months, end)$skip]


def paid_until(start, months, payments):
    """The last day that is paid for after so many payments, each for that many months; the start $none_doc for none."""
    if payments == 0:
        return $none
    year, month, day = start
    month += months * payments
    year += (month - 1) // 12
    month = (month - 1) % 12 + 1
    return dates.add_days((year, month, day), -1)


def refund(start, months, price, cancelled):
    """What is paid back of a price for that many months, for the months after the one in which it is cancelled."""
    used = dates.months_between(start, cancelled) + 1
    if cancelled < start:
        used = 0
    return price * max(months - used, 0) // months
''',
    (
        ({"end_doc": "up to and including", "before": "<="}, {"end_doc": "before", "before": "<"}),
        ({"first_doc": "there is none for the first", "skip": "[1:]"}, {"first_doc": "for the first, too", "skip": ""}),
        ({"none_doc": "itself", "none": "start"}, {"none_doc": "less one day", "none": "dates.add_days(start, -1)"}),
    ),
    {"due_dates": Signature(("date", "months", "late date")),
     "reminders": Signature(("date", "months", "late date", "notice")),
     "paid_until": Signature(("date", "months", "count")), "refund": Signature(("date", "months", "amount", "date"))},
    {"subscriptions": ("memberships", "contracts"), "due_dates": ("payment_dates", "when_due"),
     "reminders": ("reminder_dates", "letters"), "paid_until": ("covered_until", "valid_until"),
     "refund": ("refund_for", "paid_back"), "used": ("begun", "months_used")},
    ("dates",),
)  # fmt: skip

_PAYROLL = Unit(
    "payroll",
    '''
"""Wages in cents from the shifts of a week; a rate is in cents an hour."""

import money
import timesheet


def wages(shifts, rate, limit):
    """The wages of a week: minutes beyond the limit $extra_doc; rounded down."""
    minutes = sum(timesheet.by_day(shifts).values())
    extra = timesheet.overtime(shifts, limit)
    return (minutes * rate + extra * rate$extra) // 60


def payslip(shifts, rate, limit, percent):
    """The lines of a payslip: the gross wages, the tax (a percentage of them) and the net wages, as texts."""
    gross = wages(shifts, rate, limit)
    tax = money.percentage(gross, percent)
    return ["gross " + money.formatted(gross), "tax " + money.formatted(tax), "net " + money.formatted(gross - tax)]


def long_days(shifts, limit):
    """The names of the days with $long_doc limit minutes, in the order of the week, such as "Mon"."""
    names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    return [names[day] for day, minutes in timesheet.by_day(shifts).items() if minutes $long limit]


def too_short(shifts, least):
    """How many of the rests between shifts are shorter than the least number of minutes."""
    return sum(rest < least for rest in timesheet.rests(shifts))


def shared(shifts, rate, people):
    """The wages of a week without overtime, split among a team."""
    return money.split(wages(shifts, rate, 7 * 24 * 60), people)
''',
    (
        ({"extra_doc": "count half as much again", "extra": " // 2"}, {"extra_doc": "count double", "extra": ""}),
        ({"long_doc": "more than", "long": ">"}, {"long_doc": "at least", "long": ">="}),
    ),
    {"wages": Signature(("shifts", "rate", "minutes"), "amount"),
     "payslip": Signature(("shifts", "rate", "minutes", "percent"), "words"),
     "long_days": Signature(("shifts", "minutes"), "words"), "too_short": Signature(("shifts", "rest"), "count"),
     "shared": Signature(("shifts", "rate", "small"), "ints")},
    {"payroll": ("salaries", "pay"), "wages": ("gross_wages", "weekly_pay"), "payslip": ("payslip_lines", "slip"),
     "long_days": ("days_over", "overlong_days"), "too_short": ("short_rests", "rest_violations"),
     "shared": ("per_head", "team_shares")},
    ("timesheet", "money"),
)  # fmt: skip

_STANDINGS = Unit(
    "matchday",
    '''
"""What the club's website shows about the league."""

import layout
import league


def printed(results):
    """The table as lines: the teams, best first, each with its points."""
    points = league.points(results)
    return layout.columns([(team, points[team]) for team in league.table(results)])


def place(results, team):
    """The place of a team in the table, from 1; 0 for a team that has not played."""
    table = league.table(results)
    return table.index(team) + 1 if team in table else 0


def relegated(results, number):
    """The last teams of the table, at most that many, $order_doc; none if fewer than three teams have played."""
    table = league.table(results)
    if len(table) < 3 or number == 0:
        return []
    return table[-number:]$order


def in_form(results, least):
    """The teams that won at least so many of their last $last matches, $sort_doc."""
    found = []
    for team in league.table(results):
        if league.form(results, team, $last).count("W") >= least:
            found.append(team)
    return $sort


def headline(results, team, width):
    """One line about a team, shortened to the width: its place, its name, and its goals as "3:1"."""
    scored, conceded = league.goals(results, team)
    return layout.shortened(f"{place(results, team)}. {team} {scored}:{conceded}", width)
''',
    (
        ({"order_doc": "the better ones first", "order": ""}, {"order_doc": "the worst first", "order": "[::-1]"}),
        ({"last": "5"}, {"last": "3"}),
        ({"sort_doc": "in the order of the table", "sort": "found"},
         {"sort_doc": "in alphabetical order", "sort": "sorted(found)"}),
    ),
    {"printed": Signature(("results",), "words"), "place": Signature(("results", "team"), "count"),
     "relegated": Signature(("results", "few"), "words"), "in_form": Signature(("results", "small"), "words"),
     "headline": Signature(("results", "team", "width"), "text")},
    {"matchday": ("club_page", "league_page"), "printed": ("table_lines", "as_lines"),
     "place": ("place_of", "position"),
     "relegated": ("relegation", "bottom"), "in_form": ("teams_in_form", "hot_teams"),
     "headline": ("team_line", "summary")},
    ("league", "layout"),
)  # fmt: skip

UNITS = (_PURCHASING, _STOCKTAKING, _STATEMENTS, _BOOKINGS, _SUBSCRIPTIONS, _PAYROLL, _STANDINGS)
"""The units of this module, each of which imports others."""
