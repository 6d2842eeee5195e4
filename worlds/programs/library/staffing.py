"""Units of the library that use others: what clubs, workshops and companies do."""

from turnwise.worlds.programs.library.units import Signature, Unit

__all__ = ["UNITS"]

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

UNITS = (_IMPORTS, _WORKSHOP, _ROUTES, _BROWSER, _COMMITTEE, _STAFF, _SITE)
"""The units of this module, each of which imports others."""
