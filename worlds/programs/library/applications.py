"""Units of the library that use others: what small programs do with their stock, accounts, dates, words and hours."""

from turnwise.worlds.programs.library.units import Signature, Unit

__all__ = ["APPLICATIONS"]

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
    """How many separate blocks the accepted bookings form, and the longest of them."""
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

_REPORTS = Unit(
    "reports",
    '''
"""Reports for the end of term: students with marks, as (name, points)."""

import grades


def passed(scores):
    """The students who passed, that is whose letter is not F, best first, ties by name."""
    return [name for _, name in grades.ranking(scores) if grades.letter(dict(scores)[name]) != "F"]


def prizes(scores, number):
    """The students with a place up to that number$pass_doc, in the order of their places."""
    found = []
    for place, name in grades.ranking(scores):
        if place <= number$pass:
            found.append(name)
    return found


def curved(scores, percent):
    """The points raised so that the best student has that many: everybody gets what the best lacks, $most_doc.

    Nothing changes if the best has as many already.
    """
    best = max((points for _, points in scores), default=0)
    lack = max(percent - best, 0)
    return [(name, $most) for name, points in scores]


def summary(scores):
    """The text "A: 2, C: 1" with how many students got each letter, and "none" without students."""
    counts = grades.spread(scores)
    return ", ".join(f"{letter}: {count}" for letter, count in counts.items()) or "none"


def close(scores, points):
    """The students who lack at most so many points to the next better letter, in alphabetical order."""
    found = set()
    for name, own in scores:
        if grades.letter(own + points) != grades.letter(own):
            found.add(name)
    return sorted(found)
''',
    (
        ({"pass_doc": "", "pass": ""}, {"pass_doc": " who passed", "pass": " and name in passed(scores)"}),
        ({"most_doc": "but none gets more than 100", "most": "min(points + lack, 100)"},
         {"most_doc": "except those with 0", "most": "points + lack if points else 0"}),
    ),
    {"passed": Signature(("scores",), "words"), "prizes": Signature(("scores", "small"), "words"),
     "curved": Signature(("scores", "percent")), "summary": Signature(("scores",)),
     "close": Signature(("scores", "small"), "words")},
    {"reports": ("term_reports", "school_report"), "passed": ("passing", "who_passed"),
     "prizes": ("winners", "awarded"),
     "curved": ("scaled", "raised"), "summary": ("summary_line", "overview"), "close": ("nearly", "borderline"),
     "lack": ("missing", "bonus")},
    ("grades",),
)  # fmt: skip

_RELEASES = Unit(
    "releases",
    '''
"""The releases of a package: which version a project may move to, and what its archive is called."""

import slugs
import versions


def upgrade(released, current):
    """The newest version to which a project may move without breaking anything; the current one if there is none."""
    possible = versions.compatible(released, current)
    best = versions.newest(possible)
    return best or current


def outdated(projects, released):
    """The names of the projects (name, version) that could be upgraded, $order_doc."""
    found = []
    for name, version in projects:
        if versions.compare(upgrade(released, version), version) > 0:
            found.append(name)
    return $order


def archive(title, version):
    """The name of the archive: the slug of the title with at most 20 characters, "_", the version and "$end"."""
    return slugs.slug(title, 20) + "_" + version + "$end"


def plan(version, changes):
    """The versions after each of several changes, one after the other, each "major", "minor" or "patch"."""
    found = []
    for change in changes:
        version = versions.bumped(version, change)
        found.append(version)
    return found


def skipped(released, current):
    """How many released versions are newer than the current one$same_doc."""
    return sum(1 for version in $same if versions.compare(version, current) > 0)
''',
    (
        ({"order_doc": "in their order", "order": "found"}, {"order_doc": "in alphabetical order",
         "order": "sorted(found)"}),
        ({"end": ".zip"}, {"end": ".tar.gz"}),
        ({"same_doc": ", each once", "same": "set(released)"}, {"same_doc": " and have the same major number",
         "same": "versions.compatible(released, current)"}),
    ),
    {"upgrade": Signature(("versions", "version")), "outdated": Signature(("projects", "versions"), "words"),
     "archive": Signature(("title", "version")), "plan": Signature(("version", "version parts"), "words"),
     "skipped": Signature(("versions", "version"), "count")},
    {"releases": ("packages", "distribution"), "upgrade": ("upgrade_for", "best_upgrade"),
     "outdated": ("to_upgrade", "behind"),
     "archive": ("archive_name", "file_name"), "plan": ("planned", "version_plan"),
     "skipped": ("releases_behind", "num_newer"),
     "possible": ("candidates", "allowed")},
    ("versions", "slugs"),
)  # fmt: skip

_CATALOGUE = Unit(
    "catalogue",
    '''
"""Pages of search results in a shop, as its addresses ask for them: "q=shoes&page=2&size=3"."""

import pages
import query


def number_of(text, name, default):
    """A parameter as a number from 1; the default if it is missing, not a number, or 0."""
    value = query.lookup(text, name)
    return int(value) if value.isdecimal() and int(value) > 0 else default


def shown(entries, text):
    """The entries with all words of parameter q ($case_doc), of the page that is asked for; size is 3 at first."""
    wanted = query.lookup(text, "q")$fold.split()
    found = [entry for entry in entries if all(word in entry$fold for word in wanted)]
    return pages.page(found, number_of(text, "page", 1), number_of(text, "size", 3))


def turned(text, step):
    """The address of a later page, or an earlier one if step is negative, but not before the first."""
    number = max(number_of(text, "page", 1) + step, 1)
    return query.with_value(text, "page", str(number))


def caption(total, text):
    """The text above the page that is asked for, of that many entries; the words searched for, if any, go first."""
    label = pages.label(total, number_of(text, "page", 1), number_of(text, "size", 3))
    words = query.lookup(text, "q")
    return f"{words}: {label}" if words else label
''',
    (
        ({"case_doc": "whatever their case", "fold": ".lower()"}, {"case_doc": "in the same case", "fold": ""}),
    ),
    {"shown": Signature(("products", "search")), "turned": Signature(("search", "shift")),
     "caption": Signature(("entries", "search")), "number_of": Signature(("search", "parameter", "small"))},
    {"catalogue": ("shop_search", "storefront"), "number_of": ("int_parameter", "as_number"),
     "shown": ("results", "entries_on_page"),
     "turned": ("turn_page", "page_address"), "caption": ("caption_for", "heading"), "wanted": ("terms", "keywords")},
    ("query", "pages"),
)  # fmt: skip

_GATEWAY = Unit(
    "gateway",
    '''
"""Who uses a web service too much: requests are (client, second), in the order of their seconds."""

import limiter
import sessions


def blocked(requests, most, period, tolerance):
    """The clients with $more_doc tolerance refused requests, in alphabetical order."""
    refused = limiter.refused(requests, most, period)
    return sorted(client for client, count in refused.items() if count $more tolerance)


def served(requests, most, period):
    """The requests that are allowed, in their order."""
    times = {}
    for client, second in requests:
        times.setdefault(client, []).append(second)
    answers = {client: limiter.allowed(seconds, most, period) for client, seconds in times.items()}
    found = []
    for client, second in requests:
        if answers[client].pop(0):
            found.append((client, second))
    return found


def usage(requests, most, period, gap):
    """The number of sessions of each client, $count_doc requests; clients without any have none."""
    counts = {}
    for client, _, _, _ in sessions.sessions($which, gap):
        counts[client] = counts.get(client, 0) + 1
    return counts


def peak(requests, period):
    """The client with most requests in one period, and how many; ties go by name. ("", 0) if there are no requests."""
    best = ("", 0)
    for client in sorted({client for client, _ in requests}):
        count = limiter.busiest([second for name, second in requests if name == client], period)
        if count > best[1]:
            best = (client, count)
    return best
''',
    (
        ({"more_doc": "more than", "more": ">"}, {"more_doc": "at least", "more": ">="}),
        ({"count_doc": "made of allowed", "which": "served(requests, most, period)"},
         {"count_doc": "made of all", "which": "requests"}),
    ),
    {"blocked": Signature(("requests", "small", "period", "few"), "words"),
     "served": Signature(("requests", "small", "period")), "usage": Signature(("requests", "small", "period", "gap"),
     "counts"),
     "peak": Signature(("requests", "period"))},
    {"gateway": ("api_usage", "quota"), "blocked": ("to_block", "offenders"),
     "served": ("allowed_requests", "let_through"),
     "usage": ("sessions_by_client", "session_counts"), "peak": ("heaviest", "peak_client"),
     "answers": ("decisions", "verdicts")},
    ("limiter", "sessions"),
)  # fmt: skip

_ONCALL = Unit(
    "oncall",
    '''
"""A summary of the night for the colleague who takes over."""

import logs
import tickets


def alerts(lines, least):
    """Lines such as "mail: 3" for the components with entries of at least that level, at most $most."""
    counts = logs.counted(lines, least)
    return [f"{name}: {count}" for name, count in counts.items()][:$most]


def silent(lines, limit):
    """Whether the log was silent for $silent_doc limit minutes at some time."""
    return logs.quiet(lines) $silent limit


def next_tickets(open_tickets, now, number):
    """The names of the tickets to answer first, at most that many."""
    return tickets.queue(open_tickets, now)[:number]


def urgent(open_tickets, now):
    """How many of the tickets that have arrived have urgency 1 at that hour."""
    return sum(tickets.urgency(ticket, now) == 1 for ticket in open_tickets if ticket[2] <= now)


def handover(lines, open_tickets, now):
    """The messages of ERROR entries$once_doc, then the name of the first ticket in the queue, if there is one."""
    found = []
    for _, level, _, message in logs.entries(lines):
        if level == "ERROR"$once:
            found.append(message)
    return found + tickets.queue(open_tickets, now)[:1]
''',
    (
        ({"most": "3"}, {"most": "2"}),
        ({"silent_doc": "more than", "silent": ">"}, {"silent_doc": "at least", "silent": ">="}),
        ({"once_doc": ", each once", "once": " and message not in found"}, {"once_doc": "", "once": ""}),
    ),
    {"alerts": Signature(("log lines", "log level"), "words"), "silent": Signature(("log lines", "silence")),
     "next_tickets": Signature(("tickets", "hour", "count"), "words"), "urgent": Signature(("tickets", "hour"),
     "count"),
     "handover": Signature(("log lines", "tickets", "hour"), "words")},
    {"oncall": ("night_shift", "duty"), "alerts": ("alert_lines", "noisy"), "silent": ("was_silent", "went_quiet"),
     "next_tickets": ("first_tickets", "upcoming"), "urgent": ("num_urgent", "urgent_count"),
     "handover": ("handover_lines", "briefing")},
    ("logs", "tickets"),
)  # fmt: skip

_GREENHOUSE = Unit(
    "greenhouse",
    '''
"""What the sensors of a greenhouse report once an hour, with -99 for a reading that failed."""

import alarms
import series


def warnings(readings, low, high):
    """How many hours there was an alarm, with failed readings replaced first."""
    return sum(alarms.states(alarms.filled(readings, -99), low, high))


def trend(readings):
    """"rising", "falling" or "steady": whether the last reading is more, less or the same as the $from_doc.

    Failed readings are replaced first; "steady" for none.
    """
    values = alarms.filled(readings, -99)
    if not values:
        return "steady"
    before = $from
    if values[-1] == before:
        return "steady"
    return "rising" if values[-1] > before else "falling"


def worst(readings, low, high):
    """The longest alarm as (first hour, end), the $tie of several; () if there is none."""
    best = ()
    for period in alarms.periods(readings, low, high):
        if not best or period[1] - period[0] $longer best[1] - best[0]:
            best = period
    return best


def smoothed(readings, hours):
    """The readings without failed ones, then smoothed over that many hours."""
    return series.smooth([value for value in readings if value != -99], hours)


def extremes(readings, limit):
    """How many peaks and how many outliers the readings have; failed ones are replaced first."""
    values = alarms.filled(readings, -99)
    return (len(series.peaks(values)), len(series.outliers(values, limit)))
''',
    (
        ({"from_doc": "one before it (of a single one, itself)", "from": "values[max(len(values) - 2, 0)]"},
         {"from_doc": "first one", "from": "values[0]"}),
        ({"tie": "first", "longer": ">"}, {"tie": "last", "longer": ">="}),
    ),
    {"warnings": Signature(("failing readings", "low", "high"), "count"), "trend": Signature(("failing readings",)),
     "worst": Signature(("readings", "low", "high")), "smoothed": Signature(("failing readings", "small"), "ints"),
     "extremes": Signature(("failing readings", "count"))},
    {"greenhouse": ("sensors", "climate"), "warnings": ("alarm_hours", "hours_in_alarm"),
     "trend": ("direction", "tendency"),
     "worst": ("longest_alarm", "worst_alarm"), "smoothed": ("smoothed_readings", "running_values"),
     "extremes": ("peaks_and_outliers", "oddities")},
    ("alarms", "series"),
)  # fmt: skip

_NEWSLETTER = Unit(
    "newsletter",
    '''
"""Texts of a newsletter that is sent as plain text."""

import layout
import words


def body(text, width):
    """The words of a text in lines of that width, each $fill_doc."""
    lines = layout.wrapped(text.split(), width)
    return $fill


def keywords(text, limit):
    """The most frequent words of at least $least letters, most frequent first, at most that many."""
    long = [word for word in words.tokens(text) if len(word) >= $least]
    return words.top(long, limit)


def teaser(text, width):
    """The first sentence, up to its first full stop or to the end, shortened to that width."""
    sentence = text.partition(".")[0].strip()
    return layout.shortened(sentence, width)


def contents(titles):
    """The titles, numbered from 1, without those that are repeated right after each other."""
    return layout.numbered(words.runs(titles), 1)
''',
    (
        ({"fill_doc": "stretched to the width, except for the last",
          "fill": "[layout.justified(line, width) for line in lines[:-1]] + lines[-1:]"},
         {"fill_doc": "as wide as it is", "fill": "lines"}),
        ({"least": "4"}, {"least": "5"}),
    ),
    {"body": Signature(("text", "width"), "words"), "keywords": Signature(("text", "small"), "words"),
     "teaser": Signature(("text", "width"), "text"), "contents": Signature(("words",), "words")},
    {"newsletter": ("mailing", "bulletin"), "body": ("body_lines", "lines_of"), "keywords": ("keywords_of", "tags"),
     "teaser": ("teaser_of", "preview"), "contents": ("contents_list", "toc")},
    ("layout", "words"),
)  # fmt: skip

_IMPORTS = Unit(
    "imports",
    '''
"""Importing members of a club from an exported table with the columns name, town and fee."""

import csvtext
import slugs


def members(lines):
    """The members as (name, town, fee), $order_doc; rows without a name are skipped, a fee that is no number is 0."""
    found = []
    for record in csvtext.records(lines):
        name = record.get("name", "").strip()
        fee = record.get("fee", "").strip()
        if name:
            found.append((name, record.get("town", ""), int(fee) if fee.isdecimal() else 0))
    return $order


def by_town(lines):
    """The sum of the fees of each town, in the order in which the towns $town_doc occur."""
    sums = {}
    for _, town, fee in members(lines):
        key = town$fold
        sums[key] = sums.get(key, 0) + fee
    return sums


def logins(lines):
    """A user name for each member: the slug of the name, different for each."""
    return slugs.unique([name for name, _, _ in members(lines)])


def exported(lines):
    """The lines of a new table with the header "name,initials"."""
    return ["name,initials"] + [csvtext.to_line([name, slugs.initials(name)]) for name, _, _ in members(lines)]
''',
    (
        ({"order_doc": "in the order of the table", "order": "found"}, {"order_doc": "ordered by name",
         "order": "sorted(found, key=lambda member: member[0])"}),
        ({"town_doc": "(in lower case)", "fold": ".strip().lower()"}, {"town_doc": "first", "fold": ".strip()"}),
    ),
    {"members": Signature(("member lines",)), "by_town": Signature(("member lines",), "counts"),
     "logins": Signature(("member lines",), "words"), "exported": Signature(("member lines",), "words")},
    {"imports": ("member_import", "intake"), "members": ("read_members", "members_of"),
     "by_town": ("fees_by_town", "town_sums"),
     "logins": ("user_names", "accounts_for"), "exported": ("export_lines", "initials_table")},
    ("csvtext", "slugs"),
)  # fmt: skip

_WORKSHOP = Unit(
    "workshop",
    '''
"""A workshop: repairs come as (name, day, duration such as "1h 30m"), and one person does them."""

import durations
import jobs


def planned(repairs):
    """Repairs as (name, start, end) in the order in which they are done; times are in $unit_doc, begun ones whole."""
    orders = []
    for name, day, text in repairs:
        length = -(-durations.parse(text) // $unit)
        orders.append((name, day, max(length, 1)))
    return jobs.schedule(orders)


def finished(repairs):
    """The time at which the last repair is done; 0 if there are none."""
    return max((end for _, _, end in planned(repairs)), default=0)


def effort(repairs):
    """The duration of all repairs together, as it is written."""
    return durations.added([text for _, _, text in repairs])


def promised(repairs, limit):
    """The names of the repairs that are done $by_doc a time, in alphabetical order."""
    return sorted(name for name, _, end in planned(repairs) if end $by limit)
''',
    (
        ({"unit_doc": "hours", "unit": "3600"}, {"unit_doc": "half hours", "unit": "1800"}),
        ({"by_doc": "by", "by": "<="}, {"by_doc": "before", "by": "<"}),
    ),
    {"planned": Signature(("repairs",)), "finished": Signature(("repairs",), "count"),
     "effort": Signature(("repairs",)),
     "promised": Signature(("repairs", "hour"), "words")},
    {"workshop": ("repair_shop", "bench"), "planned": ("repair_plan", "plan_for"), "finished": ("all_done", "done_at"),
     "effort": ("total_effort", "work_amount"), "promised": ("done_by", "ready_by"), "orders": ("entries", "accepted")},
    ("durations", "jobs"),
)  # fmt: skip

_ROUTES = Unit(
    "delivery",
    '''
"""Deliveries by bicycle between numbered places; every connection takes the same time."""

import graph


def times(edges, depot, stops, minutes):
    """For each stop, the minutes from the depot, in the order of the stops; -1 if it cannot be reached."""
    steps = graph.distances(edges, depot)
    return [steps[stop] * minutes if stop in steps else -1 for stop in stops]


def tour(edges, depot, stops):
    """The places of a ride from the depot to each stop in turn$back_doc, without repeating a place right after itself.

    Stops that cannot be reached from the one before are left out.
    """
    found = [depot]
    for stop in stops$back:
        way = graph.route(edges, found[-1], stop)
        found.extend(way[1:])
    return found


def reachable(edges, depot, limit, stops):
    """The stops within so many connections of the depot, in $order_doc."""
    near = set(graph.within(edges, depot, limit)) | {depot}
    return $order


def unreachable(edges, depot, stops):
    """How many of the stops cannot be reached; each counts once."""
    return len(set(stops) - set(graph.distances(edges, depot)))
''',
    (
        ({"back_doc": "", "back": ""}, {"back_doc": " and back", "back": " + [depot]"}),
        ({"order_doc": "their order", "order": "[stop for stop in stops if stop in near]"},
         {"order_doc": "ascending order, each once", "order": "sorted(near & set(stops))"}),
    ),
    {"times": Signature(("edges", "node", "stops", "small"), "ints"), "tour": Signature(("edges", "node", "stops"),
     "ints"),
     "reachable": Signature(("edges", "node", "small", "stops"), "ints"),
     "unreachable": Signature(("edges", "node", "stops"), "count")},
    {"delivery": ("couriers", "rides"), "times": ("travel_times", "minutes_to"), "tour": ("round_trip", "ride"),
     "reachable": ("in_reach", "stops_within"), "unreachable": ("num_unreachable", "lost_stops"),
     "way": ("leg", "path")},
    ("graph",),
)  # fmt: skip

_BROWSER = Unit(
    "gallery",
    '''
"""Pictures that a gallery loads into its cache, which holds a few of them; sizes are in kilobytes."""

import cache


def loads(visits, size):
    """How many pictures (name, kilobytes) are loaded when they are shown in this order: those not in the cache."""
    steps = []
    loaded = 0
    for name, kilobytes in visits:
        if cache.hits(steps + [("get", name, 0)], size) == cache.hits(steps, size):
            loaded += 1
            steps.append(("put", name, kilobytes))
        else:
            steps.append(("get", name, 0))
    return loaded


def kept(visits, size):
    """The names of the pictures in the cache after each was stored once more, $order_doc."""
    steps = [("put", name, kilobytes) for name, kilobytes in visits]
    names = [name for name, _ in cache.contents(steps, size)]
    return $order


def footprint(visits, size):
    """The kilobytes of the pictures in the cache after each was stored once more$round_doc."""
    steps = [("put", name, kilobytes) for name, kilobytes in visits]
    return sum(kilobytes$round for _, kilobytes in cache.contents(steps, size))
''',
    (
        ({"order_doc": "in alphabetical order", "order": "sorted(names)"},
         {"order_doc": "in the order in which the cache lists them", "order": "names"}),
        ({"round_doc": "", "round": ""}, {"round_doc": ", each rounded up to a multiple of 4",
         "round": " + -kilobytes % 4"}),
    ),
    {"loads": Signature(("pictures", "small"), "count"), "kept": Signature(("pictures", "small"), "words"),
     "footprint": Signature(("pictures", "small"), "count")},
    {"gallery": ("pictures", "thumbnails"), "loads": ("num_loaded", "misses"), "kept": ("still_cached", "in_cache"),
     "footprint": ("kilobytes_used", "cache_size"), "loaded": ("missed", "fetched")},
    ("cache",),
)  # fmt: skip

_COMMITTEE = Unit(
    "committee",
    '''
"""Filling the seats of a committee with the names on ballots."""

import votes


def elected(ballots, seats):
    """The names that are elected: the winner of the runoff takes a seat and is struck from all ballots, and so on.

    It ends when all seats are taken or no names are left. Ballots without a name are not counted any more.
    """
    left = [list(ballot) for ballot in ballots if ballot]
    found = []
    while left and len(found) < seats:
        winner = votes.runoff(left)
        found.append(winner)
        left = [[name for name in ballot if name != winner] for ballot in left]
        left = [ballot for ballot in left if ballot]
    return found


def favourite(ballots, names):
    """The one of the names that beats each of the others head to head; "" if there is none."""
    for name in names:
        if all(votes.duel(ballots, name, other) > 0 for other in names if other != name):
            return name
    return ""


def by_points(ballots, most, limit):
    """The names with at least limit points, $order_doc."""
    points = votes.points(ballots, most)
    found = [name for name in points if points[name] >= limit]
    return sorted(found$key)


def unanimous(ballots):
    """Whether first places and points (3 for a first place) choose the same winner; with points, ties go by name."""
    points = votes.points(ballots, 3)
    best = min(points, key=lambda name: (-points[name], name))
    return best == votes.plurality(ballots)
''',
    (
        ({"order_doc": "most points first, ties by name", "key": ", key=lambda name: (-points[name], name)"},
         {"order_doc": "in alphabetical order", "key": ""}),
    ),
    {"elected": Signature(("ballots", "small"), "words"), "favourite": Signature(("ballots", "names on ballots")),
     "by_points": Signature(("ballots", "small", "count"), "words"), "unanimous": Signature(("ballots",))},
    {"committee": ("board", "council"), "elected": ("seats_for", "winners"), "favourite": ("beats_all", "condorcet"),
     "by_points": ("names_with_points", "point_list"), "unanimous": ("same_winner", "methods_agree"),
     "left": ("remaining", "open_ballots")},
    ("votes",),
)  # fmt: skip

_STAFF = Unit(
    "staff",
    '''
"""Who reports to whom in a company: for each person the number of the boss, -1 for the head, who is person 0."""

import tree


def chain(bosses, person):
    """The numbers of all bosses of a person, $order_doc."""
    return tree.ancestors(bosses, person)$order


def levels(bosses):
    """How many people there are at each level, from the head on."""
    depths = tree.depths(bosses)
    lowest = min(depths)
    counts = [0] * (max(depths) - lowest + 1)
    for depth in depths:
        counts[depth - lowest] += 1
    return counts


def big_teams(bosses, least):
    """The people with at least so many people directly below them, in ascending order."""
    return [person for person in range(len(bosses)) if bosses.count(person) >= least]


def mediator(bosses, people):
    """The lowest boss who has all these people below, or is one of them; -1 for none or an unknown person."""
    if not people:
        return -1
    common = people[0]
    for person in people:
        if common == -1:
            break
        common = tree.common_ancestor(bosses, common, person)
    return common


def without_team(bosses, level):
    """The people without anybody below them at $level_doc that level, from 0 for the head, in ascending order."""
    depths = tree.depths(bosses)
    return [person for person in tree.leaves(bosses) if depths[person] - depths[0] $level level]
''',
    (
        ({"order_doc": "the nearest first", "order": ""}, {"order_doc": "the head first", "order": "[::-1]"}),
        ({"level_doc": "exactly", "level": "=="}, {"level_doc": "or above", "level": "<="}),
    ),
    {"chain": Signature(("parents", "node"), "ints"), "levels": Signature(("parents",), "ints"),
     "big_teams": Signature(("parents", "few"), "ints"), "mediator": Signature(("parents", "stops"), "int"),
     "without_team": Signature(("parents", "few"), "ints")},
    {"staff": ("company", "organization"), "chain": ("bosses_of", "chain_of_command"),
     "levels": ("level_sizes", "per_level"),
     "big_teams": ("heads_of", "large_teams"), "mediator": ("common_boss", "escalation"),
     "without_team": ("without_reports", "specialists")},
    ("tree",),
)  # fmt: skip

_SITE = Unit(
    "website",
    '''
"""Links between the pages of a website, as they stand in its files."""

import paths


def target(page, link):
    """The file that a link on a page leads to: seen from the page's folder; "" for a link to another website.

    What follows "#" is left out; a link with nothing else leads to the page itself.
    """
    if "://" in link:
        return ""
    place = link.partition("#")[0]
    if not place:
        return paths.normalized(page)
    folder = page.rpartition("/")[0]
    return paths.joined(folder, place)


def broken(page, links, files):
    """The links on a page that lead to none of the files, in $order_doc."""
    there = {paths.normalized(file) for file in files}
    found = []
    for link in links:
        place = target(page, link)
        if place and place not in there$once:
            found.append(link)
    return found


def menu(files, most):
    """The files with at most so many parts in their normal paths, $sort_doc."""
    found = [paths.normalized(file) for file in files if paths.depth(file) <= most]
    return sorted(found, key=lambda file: $sort)
''',
    (
        ({"order_doc": "their order", "once": ""}, {"order_doc": "their order, each once",
         "once": " and link not in found"}),
        ({"sort_doc": "the shortest first, then in alphabetical order", "sort": "(paths.depth(file), file)"},
         {"sort_doc": "in alphabetical order", "sort": "file"}),
    ),
    {"target": Signature(("path", "link")), "broken": Signature(("path", "links", "files")),
     "menu": Signature(("files", "count"))},
    {"website": ("site_links", "linkcheck"), "target": ("target_of", "resolved"), "broken": ("broken_links", "dead"),
     "menu": ("menu_entries", "top_pages"), "there": ("known", "existing")},
    ("paths",),
)  # fmt: skip

APPLICATIONS = (
    _PURCHASING, _STOCKTAKING, _STATEMENTS, _BOOKINGS, _SUBSCRIPTIONS, _PAYROLL, _STANDINGS, _REPORTS, _RELEASES,
    _CATALOGUE, _GATEWAY, _ONCALL, _GREENHOUSE, _NEWSLETTER, _IMPORTS, _WORKSHOP, _ROUTES, _BROWSER, _COMMITTEE, _STAFF,
    _SITE,
)  # fmt: skip
"""The units of this module, each of which imports others."""
