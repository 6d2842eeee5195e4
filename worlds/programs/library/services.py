"""Units of the library about what servers do: limits, sessions, logs, pages, alarms, tickets."""

from turnwise.worlds.programs.library.units import Signature, Unit

__all__ = ["UNITS"]

_LIMITER = Unit(
    "limiter",
    '''
"""How many requests a client may make: at most some number in any period of so many seconds.

Times are in seconds and never decrease.
"""


def allowed(times, most, period):
    """For each request, whether it is allowed. A request is $forget_doc seconds; refused ones $refused_doc."""
    recent = []
    found = []
    for time in times:
        while recent and time - recent[0] $forget period:
            recent.pop(0)
        fits = len(recent) < most
        $count
        found.append(fits)
    return found


def refused(requests, most, period):
    """How many requests (client, time) of each client are refused, for clients with any, in alphabetical order."""
    times = {}
    for client, time in requests:
        times.setdefault(client, []).append(time)
    found = {}
    for client in sorted(times):
        count = allowed(times[client], most, period).count(False)
        if count:
            found[client] = count
    return found


def wait(times, most, period, now):
    """The seconds until one more request is allowed, if those at the given times were all allowed.

    0 for at once, -1 if none is ever allowed.
    """
    recent = [time for time in times if now - time $keep period]
    if len(recent) < most:
        return 0
    if most == 0:
        return -1
    return recent[len(recent) - most] + period - now$more


def busiest(times, period):
    """The largest number of requests in any period of that many seconds, both of its ends $ends_doc."""
    best = 0
    start = 0
    for end, time in enumerate(times):
        while time - times[start] $wide period:
            start += 1
        best = max(best, end - start + 1)
    return best
''',
    (
        ({"forget_doc": "forgotten after period", "forget": ">=", "keep": "<", "more": ""},
         {"forget_doc": "remembered for period, and forgotten after more than these", "forget": ">", "keep": "<=",
          "more": " + 1"}),
        ({"refused_doc": "do not count", "count": "if fits:\n            recent.append(time)"},
         {"refused_doc": "count as well", "count": "recent.append(time)"}),
        ({"ends_doc": "included", "wide": ">"}, {"ends_doc": "included but for the last second", "wide": ">="}),
    ),
    {"allowed": Signature(("times", "small", "period")), "refused": Signature(("requests", "small", "period"),
     "counts"),
     "wait": Signature(("times", "count", "period", "now")), "busiest": Signature(("times", "period"), "count")},
    {"limiter": ("throttle", "ratelimit"), "allowed": ("decisions", "admitted"), "refused": ("refusals", "rejected"),
     "wait": ("retry_after", "wait_time"), "busiest": ("peak_load", "most_at_once"), "recent": ("window", "counted"),
     "fits": ("ok", "free")},
)  # fmt: skip

_SESSIONS = Unit(
    "sessions",
    '''
"""Visits of a website as (user, minute), in the order of their minutes, and the sessions that they make.

A session ends when its user does nothing for $gap_doc gap minutes.
"""


def sessions(visits, gap):
    """The sessions as (user, first minute, last minute, number of visits), in the order in which they begin."""
    found = []
    current = {}
    for user, minute in visits:
        place = current.get(user)
        if place is None or minute - found[place][2] $gap gap:
            current[user] = len(found)
            found.append((user, minute, minute, 1))
        else:
            _, first, _, count = found[place]
            found[place] = (user, first, minute, count + 1)
    return found


def bounces(visits, gap):
    """The share of the sessions with $few_doc, in percent, rounded down; 0 if there are no sessions."""
    found = sessions(visits, gap)
    if not found:
        return 0
    short = [session for session in found if $few]
    return len(short) * 100 // len(found)


def at_once(visits, gap):
    """The largest number of sessions at one time; a session's last minute $last_doc."""
    changes = []
    for _, first, last, _ in sessions(visits, gap):
        changes.append((first, 1))
        changes.append((last$last, -1))
    best = now = 0
    for _, change in sorted(changes):
        now += change
        best = max(best, now)
    return best


def loyal(visits, gap, least):
    """The users with at least that many sessions, $order_doc."""
    counts = {}
    for user, _, _, _ in sessions(visits, gap):
        counts[user] = counts.get(user, 0) + 1
    return [user for user in $order if counts[user] >= least]
''',
    (
        ({"gap_doc": "more than", "gap": ">"}, {"gap_doc": "at least", "gap": ">="}),
        ({"few_doc": "a single visit", "few": "session[3] == 1"},
         {"few_doc": "visits in one minute only", "few": "session[1] == session[2]"}),
        ({"last_doc": "belongs to it", "last": " + 1"}, {"last_doc": "does not belong to it", "last": ""}),
        ({"order_doc": "those with most first, ties by name",
         "order": "sorted(counts, key=lambda user: (-counts[user], user))"},
         {"order_doc": "in alphabetical order", "order": "sorted(counts)"}),
    ),
    {"sessions": Signature(("visits", "gap")), "bounces": Signature(("visits", "gap"), "percent"),
     "at_once": Signature(("visits", "gap"), "count"), "loyal": Signature(("visits", "gap", "small"), "words")},
    {"sessions": ("visit_sessions", "sessionize"), "bounces": ("bounce_rate", "single_visits"),
     "at_once": ("concurrent", "peak"), "loyal": ("regulars", "returning"), "current": ("latest", "open_sessions"),
     "place": ("index", "number")},
)  # fmt: skip

_LOGS = Unit(
    "logs",
    '''
"""Lines of a log: the time as HH:MM, a level, the component and a colon, and the message.

Such as "09:15 ERROR mail: timeout". Lines of another form belong to the message of the line before.
"""

LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR"]


def entries(lines):
    """The entries as (minute of the day, level, component, message); lines before the first entry are $before_doc.

    The parts of a message are joined with a space.
    """
    found = []
    for line in lines:
        parts = line.split(" ", 3)
        if len(parts) == 4 and parts[1] in LEVELS and parts[2].endswith(":"):
            hours, minutes = parts[0].split(":")
            found.append((int(hours) * 60 + int(minutes), parts[1], parts[2][:-1], parts[3]))
        elif found:
            minute, level, component, message = found.pop()
            found.append((minute, level, component, message + " " + line.strip()))
        $before
    return found


def counted(lines, least):
    """How many entries of at least that level each component has, $order_doc."""
    counts = {}
    for _, level, component, _ in entries(lines):
        if LEVELS.index(level) >= LEVELS.index(least):
            counts[component] = counts.get(component, 0) + 1
    return {name: counts[name] for name in $order}


def quiet(lines):
    """The longest time in minutes between two entries that follow each other; 0 for fewer than two.

    A time before that of the entry before is one of the next day.
    """
    best = 0
    last = None
    for minute, _, _, _ in entries(lines):
        if last is not None:
            best = max(best, (minute - last) % (24 * 60))
        last = minute
    return best


def repeated(lines, least):
    """The messages that occur at least that many times$same_doc, in the order of their first occurrence."""
    counts = {}
    for _, level, component, message in entries(lines):
        key = message$fold
        counts[key] = counts.get(key, 0) + 1
    return [key for key, count in counts.items() if count >= least]


def first_error(lines):
    """The messages of the $number entries before the first error; empty if there is none."""
    found = []
    for _, level, _, message in entries(lines):
        if level == "ERROR":
            return found[-$number:]
        found.append(message)
    return []
''',
    (
        ({"before_doc": "ignored", "before": ""},
         {"before_doc": "entries of level INFO, at minute 0, without a component",
          "before": "else:\n            found.append((0, \"INFO\", \"\", line.strip()))"}),
        ({"order_doc": "most first, ties by name", "order": "sorted(counts, key=lambda name: (-counts[name], name))"},
         {"order_doc": "by name", "order": "sorted(counts)"}),
        ({"same_doc": ", in upper or lower case", "fold": ".lower()"}, {"same_doc": "", "fold": ""}),
        ({"number": "2"}, {"number": "3"}),
    ),
    {"entries": Signature(("log lines",)), "counted": Signature(("log lines", "log level"), "counts"),
     "quiet": Signature(("log lines",), "natural"), "repeated": Signature(("log lines", "small"), "words"),
     "first_error": Signature(("log lines",), "words")},
    {"logs": ("logfile", "journal"), "entries": ("parse_entries", "read_log"),
     "counted": ("count_by_component", "tally"),
     "quiet": ("longest_silence", "longest_gap"), "repeated": ("frequent", "repeated_messages"),
     "first_error": ("context_of_error", "before_error"), "found": ("result", "parsed")},
)  # fmt: skip

_PAGES = Unit(
    "pages",
    '''
"""Lists shown page by page. Pages are counted from 1."""


def num_pages(total, size):
    """The number of pages for that many entries; $empty_doc."""
    return $pages


def page(entries, number, size):
    """The entries of one page; a number beyond the last page means the last one."""
    last = max(num_pages(len(entries), size), 1)
    number = min(number, last)
    start = (number - 1) * size
    return entries[start : start + size]


def label(total, number, size):
    """The text above a page, such as "11-20 of 57"; "0 of 0" if there is nothing. One entry is "$single of 21"."""
    if total == 0:
        return "0 of 0"
    start = (number - 1) * size + 1
    end = min(number * size, total)
    if start > end:
        return f"0 of {total}"
    $one
    return f"{start}-{end} of {total}"


def links(current, last, around):
    """The numbers of the pages to link: first, last, current, and that many to either side of it.

    0 stands for pages that are left out$lone_doc.
    """
    wanted = {1, last} | {n for n in range(current - around, current + around + 1) if 1 <= n <= last}
    found = []
    before = 0
    for number in sorted(wanted):
        $lone
        if number > before + 1:
            found.append(0)
        found.append(number)
        before = number
    return found


def moved(total, number, old, size):
    """The page with the first entry of a page, when the size of pages changes from old to size."""
    if total == 0:
        return 1
    first = min((number - 1) * old, total - 1)
    return first // size + 1
''',
    (
        ({"empty_doc": "0 if there are no entries", "pages": "-(-total // size)"},
         {"empty_doc": "an empty list has one page", "pages": "max(-(-total // size), 1)"}),
        ({"single": "21", "one": "if start == end:\n        return f\"{end} of {total}\""},
         {"single": "21-21", "one": ""}),
        ({"lone_doc": "", "lone": ""}, {"lone_doc": "; a single page is not left out",
         "lone": "if number == before + 2:\n            found.append(before + 1)\n            before += 1"}),
    ),
    {"num_pages": Signature(("entries", "small"), "count"), "page": Signature(("names", "small", "small"), "words"),
     "label": Signature(("entries", "small", "small")), "links": Signature(("small", "last page", "few"), "ints"),
     "moved": Signature(("entries", "small", "small", "small"), "count")},
    {"pages": ("pagination", "paging"), "num_pages": ("page_count", "count_pages"), "page": ("page_of", "slice_of"),
     "label": ("caption", "range_label"), "links": ("page_links", "navigation"),
     "moved": ("page_after_resize", "resized"),
     "around": ("margin", "window"), "wanted": ("shown", "linked")},
)  # fmt: skip

_ALARMS = Unit(
    "alarms",
    '''
"""Alarms of a sensor. One begins when a value is $high_doc high, and ends when one is below low."""


def states(values, low, high):
    """For each value, whether there is an alarm then."""
    alarm = False
    found = []
    for value in values:
        if value $high high:
            alarm = True
        elif value < low:
            alarm = False
        found.append(alarm)
    return found


def periods(values, low, high):
    """The alarms as (index of the first value, index of the $end_doc); one that has not ended $open_doc."""
    found = []
    start = None
    for i, alarm in enumerate(states(values, low, high)):
        if alarm and start is None:
            start = i
        elif not alarm and start is not None:
            found.append((start, i$end))
            start = None
    $open
    return found


def confirmed(values, high, times):
    """The index at which values have been above high so many times in a row for the first time; -1 for never."""
    count = 0
    for i, value in enumerate(values):
        count = count + 1 if value > high else 0
        if count == times:
            return i
    return -1


def filled(values, missing):
    """The values with the missing ones replaced by the last value before; at the beginning $first_doc."""
    found = []
    last = $first
    for value in values:
        if value != missing:
            last = value
        found.append(last)
    return found


def clipped(values, low, high):
    """The values with those outside of low to high set to the nearer limit, and how many there were outside.

    If low is above high, they are exchanged.
    """
    low, high = min(low, high), max(low, high)
    found = [min(max(value, low), high) for value in values]
    return (found, sum(value != other for value, other in zip(values, found)))
''',
    (
        ({"high_doc": "above", "high": ">"}, {"high_doc": "at least", "high": ">="}),
        ({"end_doc": "last", "end": " - 1"}, {"end_doc": "first one after it", "end": ""}),
        ({"open_doc": "is left out", "open": ""}, {"open_doc": "ends with the last value",
         "open": "if start is not None:\n        found.append((start, len(values) - 1))"}),
        ({"first_doc": "they are 0", "first": "0"}, {"first_doc": "they are the first value that is there",
         "first": "next((value for value in values if value != missing), 0)"}),
    ),
    {"states": Signature(("readings", "low", "high")), "periods": Signature(("readings", "low", "high")),
     "confirmed": Signature(("readings", "high", "small"), "int"), "filled": Signature(("readings", "low"), "ints"),
     "clipped": Signature(("readings", "low", "high"))},
    {"alarms": ("thresholds", "watchdog"), "states": ("alarm_states", "is_alarm"),
     "periods": ("alarm_periods", "episodes"),
     "confirmed": ("confirmed_at", "first_in_row"), "filled": ("carried_forward", "without_gaps"),
     "clipped": ("limited", "clamped"), "alarm": ("active", "ringing")},
)  # fmt: skip

_TICKETS = Unit(
    "tickets",
    '''
"""Support tickets (name, urgency, hour of arrival), with 1 for the most urgent and hours counted from 0.

A ticket that has waited for $step_doc hours is one step more urgent, after twice as long two steps, but never below 1.
"""

STEP = $step_doc


def urgency(ticket, now):
    """The urgency of a ticket at an hour."""
    _, first, arrival = ticket
    waited = max(now - arrival, 0)
    return max(first - waited // STEP, 1)


def queue(tickets, now):
    """The names of the tickets that have arrived by that hour, in the order in which they are answered.

    The most urgent come first; of several, $tie_doc.
    """
    present = [ticket for ticket in tickets if ticket[2] <= now]
    ordered = sorted(present, key=lambda ticket: $tie)
    return [name for name, _, _ in ordered]


def answered(tickets, start):
    """The (name, hour) of each ticket when one is answered an hour, from hour start until none is left."""
    waiting = list(tickets)
    now = start
    found = []
    while waiting:
        names = queue(waiting, now)
        if names:
            found.append((names[0], now))
            waiting = [ticket for ticket in waiting if ticket[0] != names[0]]
        now += 1
    return found


def overdue(tickets, start, limit):
    """The names of the tickets that are answered $late_doc limit hours after they came, in alphabetical order."""
    arrivals = {name: arrival for name, _, arrival in tickets}
    return sorted(name for name, hour in answered(tickets, start) if hour - arrivals[name] $late limit)


def backlog(tickets, hours):
    """For each hour from 0, how many tickets have arrived but not been answered$count_doc, for that many hours."""
    done = dict(answered(tickets, 0))
    found = []
    for hour in range(hours):
        found.append(sum(arrival <= hour and done[name] $after hour for name, _, arrival in tickets))
    return found
''',
    (
        ({"step_doc": "2"}, {"step_doc": "3"}, {"step_doc": "4"}),
        ({"tie_doc": "those that came first, then by name", "tie": "(urgency(ticket, now), ticket[2], ticket[0])"},
         {"tie_doc": "those that came last, then by name", "tie": "(urgency(ticket, now), -ticket[2], ticket[0])"}),
        ({"late_doc": "more than", "late": ">"}, {"late_doc": "at least", "late": ">="}),
        ({"count_doc": " when it begins", "after": ">="}, {"count_doc": " when it ends", "after": ">"}),
    ),
    {"queue": Signature(("tickets", "hour"), "words"), "answered": Signature(("tickets", "count"), "pairs"),
     "overdue": Signature(("tickets", "count", "count"), "words"), "backlog": Signature(("tickets", "count"), "ints")},
    {"tickets": ("helpdesk", "support"), "urgency": ("urgency_at", "priority"), "queue": ("queue_at", "in_order"),
     "answered": ("worked_off", "answer_times"), "overdue": ("late_tickets", "too_late"),
     "backlog": ("open_counts", "unanswered"), "present": ("arrived", "here")},
)  # fmt: skip

UNITS = (_LIMITER, _SESSIONS, _LOGS, _PAGES, _ALARMS, _TICKETS)
"""The units of this module."""
