"""Units of the library that use others: what schools, shops on the web and servers do."""

from turnwise.worlds.programs.library.units import Signature, Unit

__all__ = ["UNITS"]

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

UNITS = (_REPORTS, _RELEASES, _CATALOGUE, _GATEWAY, _ONCALL, _GREENHOUSE, _NEWSLETTER)
"""The units of this module, each of which imports others."""
