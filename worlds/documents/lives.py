"""Places, people and the bodies that they found and lead: facts that are consistent in time."""

import numpy as np

from turnwise.core.draw import Ints, Streams
from turnwise.worlds.documents.schema import NONE, OPEN, VOCABULARY
from turnwise.worlds.documents.truth import EARLIEST, Truth

__all__ = [
    "PUBLISHING",
    "active_year",
    "dates",
    "make_bodies",
    "make_heads",
    "make_lifetimes",
    "make_people",
    "make_places",
    "occupations",
]

PUBLISHING = VOCABULARY["industry"].index("publishing")
_DAYS = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
ADULT = 20


def dates(draw: Streams, stream: str, years: Ints) -> Ints:
    """Draw a day of each year, as yyyymmdd; never 29 February. NONE for NONE."""
    month = 1 + draw.below(f"{stream}/month", 12, len(years))
    return np.where(years == NONE, NONE, years * 10000 + month * 100 + 1 + draw.below(f"{stream}/day", _DAYS[month]))


def make_lifetimes(truth: Truth) -> None:
    """Draw when people are born and die; more of them lived recently, and the dead died before the present year."""
    draw, n = truth.draw, truth.count("person")
    back = draw.unit("born", n)
    truth.born = truth.year - 22 - ((EARLIEST - 22) * back * back).astype(np.int64)
    last = truth.born + 28 + draw.below("lifespan", 68, n)
    truth.last = np.where(last < truth.year, last, OPEN)
    truth.since["person"] = truth.born + ADULT
    truth.occupation = occupations(truth)


def make_places(truth: Truth) -> None:
    """Make regions, rivers and cities. A capital lies in its region; a city's river rises there or next door."""
    draw = truth.draw
    regions, cities = truth.count("region"), truth.count("city")
    truth.since["city"] = truth.year - EARLIEST - 20 - draw.below("city_founded", 700, cities)
    first = draw.order("capital", cities)[:regions]  # a city for every region, if there are enough
    region = draw.weighted("located_in", cities, regions)
    region[first] = np.arange(len(first))
    truth.each("located_in", "city", region)
    truth.add("capital", np.arange(len(first)), first)
    truth.each("area", "region", truth.number("area", regions, 1000, 2))
    _make_rivers(truth)
    truth.each("population", "city", truth.number("population", cities, 1000, 3))
    truth.each("city_founded", "city", truth.since["city"])
    nearby = truth.among("springs", truth.springs >= 0, truth.springs, "on_river", region - 1, region)
    truth.each("on_river", "city", truth.some("on_river", 0.45, nearby))
    paired = draw.order("twin_city", cities)[: cities * 2 // 5]
    half = len(paired) // 2
    one, other = paired[:half], paired[half : 2 * half]
    truth.add("twin_city", np.concatenate((one, other)), np.concatenate((other, one)))


def _make_rivers(truth: Truth) -> None:
    """Make rivers, which flow into longer ones made before them that rise in the same region or a neighbouring one."""
    draw, rivers, regions = truth.draw, truth.count("river"), truth.count("region")
    free = truth.number("river_length", rivers, 60, 2).tolist()
    share = draw.below("river_length/share", 70, rivers).tolist()
    main = truth.some("flows_into", 0.7, draw.below("flows_into", np.arange(rivers))).tolist()
    springs = draw.weighted("rises_in", rivers, regions).tolist()
    near = (draw.below("rises_in/near", 3, rivers) - 1).tolist()
    length: list[int] = []
    for river in range(rivers):
        into = main[river]
        if into != NONE and length[into] < 20:
            into = main[river] = NONE
        length.append(free[river] if into == NONE else 8 + length[into] * (15 + share[river]) // 100)
        if into != NONE and regions:
            springs[river] = min(max(springs[into] + near[river], 0), regions - 1)
    truth.springs = np.array(springs, dtype=np.int64)
    truth.each("river_length", "river", np.array(length, dtype=np.int64))
    truth.each("rises_in", "river", truth.springs)
    truth.each("flows_into", "river", np.array(main, dtype=np.int64))


def make_bodies(truth: Truth) -> None:
    """Make universities and organisations; founders are adults, and a parent is older than its subsidiary."""
    draw, year = truth.draw, truth.year
    universities, organisations = truth.count("university"), truth.count("organisation")
    truth.since["university"] = year - 40 - draw.below("uni_founded", EARLIEST - 40, universities)
    truth.each("campus", "university", draw.weighted("campus", universities, truth.count("city")))
    truth.each("uni_founded", "university", truth.since["university"])
    truth.each("students", "university", truth.number("students", universities, 400, 2))
    founder = truth.skilled("founder", organisations, 0.3, "merchant", "engineer", "lawyer", "physician", "teacher")
    truth.since["organisation"] = active_year(truth, "org_founded", founder)
    truth.each("founder", "organisation", founder)
    truth.each("org_founded", "organisation", truth.since["organisation"])
    truth.each("headquarters", "organisation", draw.weighted("headquarters", organisations, truth.count("city")))
    parent = truth.existing("parent_org", "organisation", truth.since["organisation"])
    truth.each("parent_org", "organisation", truth.some("parent_org", 0.35, parent))
    industries = len(VOCABULARY["industry"])
    drawn = draw.below("industry", industries + 4, organisations)
    truth.types["organisation"] = np.where(drawn < industries, drawn, PUBLISHING)  # works need publishers
    truth.each("industry", "organisation", truth.types["organisation"])
    truth.each("employees", "organisation", truth.number("employees", organisations, 20, 4))


def active_year(truth: Truth, stream: str, people: Ints) -> Ints:
    """Draw for each person a year of their adult life before the present; for NONE, any of the last 300 years."""
    n = len(people)
    if not len(truth.born):
        return truth.year - 1 - truth.draw.below(stream, 300, n)
    first = truth.born[people] + ADULT + 1
    final = np.minimum(truth.last[people], truth.year - 1)
    return np.where(
        people == NONE,
        truth.year - 1 - truth.draw.below(f"{stream}/free", 300, n),
        first + truth.draw.below(stream, final - first + 1),
    )


def make_people(truth: Truth) -> None:
    """Make lives: parents are a couple, both at least 18 years older than the child; teachers lived at the time."""
    draw, n, cities = truth.draw, truth.count("person"), truth.count("city")
    born, last = truth.born, truth.last
    dead = last != OPEN
    truth.each("occupation", "person", truth.occupation)
    truth.each("born_on", "person", dates(draw, "born_on", born))
    truth.each("died_on", "person", np.where(dead, dates(draw, "died_on", last), NONE))
    truth.each("born_in", "person", draw.weighted("born_in", n, cities))
    truth.each(
        "died_in", "person", np.where(dead, truth.some("died_in", 0.8, draw.weighted("died_in", n, cities)), NONE)
    )
    living = truth.some("residence", 0.8, draw.weighted("residence", n, cities))
    truth.each("residence", "person", np.where(dead, NONE, living))
    studied = truth.some("studied_at", 0.55, truth.existing("studied_at", "university", born + 18))
    truth.each("studied_at", "person", studied)
    teacher = truth.some("student_of", 0.35, truth.alive("student_of", born + 19, 34, 70))
    truth.each("student_of", "person", teacher)
    husbands, wives = _couples(truth)
    truth.add("spouse", np.concatenate((husbands, wives)), np.concatenate((wives, husbands)))
    father, mother = _parents(truth, husbands, wives)
    truth.each("father", "person", father)
    truth.each("mother", "person", mother)


def occupations(truth: Truth) -> Ints:
    """Draw an index into the vocabulary for each person; the first five create works and are half of all."""
    n = truth.count("person")
    creative, any_ = (
        truth.draw.below("occupation/creative", 5, n),
        truth.draw.below("occupation", len(VOCABULARY["occupation"]), n),
    )
    return np.where(truth.draw.chance("occupation/which", 0.3, n), creative, any_)


def _couples(truth: Truth) -> tuple[Ints, Ints]:
    """Pair men and women of similar age whose adult lives overlap; the pairs decide who is a woman."""
    draw, n = truth.draw, len(truth.born)
    truth.women = draw.below("female", 2, n)
    people = np.flatnonzero(draw.chance("spouse", 0.6, n))
    people = people[np.argsort((truth.born + draw.below("spouse/age", 10, n))[people], kind="stable")]
    pairs = len(people) // 2
    one, other = people[0 : 2 * pairs : 2], people[1 : 2 * pairs : 2]
    late, soon = np.maximum(truth.born[one], truth.born[other]), np.minimum(truth.last[one], truth.last[other])
    good = (np.abs(truth.born[one] - truth.born[other]) <= 15) & (late + ADULT < soon)
    one, other = one[good], other[good]
    truth.women[other] = 1 - truth.women[one]
    first = truth.women[one] == 1
    return np.where(first, other, one), np.where(first, one, other)


def _parents(truth: Truth, husbands: Ints, wives: Ints) -> tuple[Ints, Ints]:
    """Choose father and mother for some people; nobody marries a sibling."""
    n, born, last = len(truth.born), truth.born, truth.last
    nobody = np.full(n, NONE, dtype=np.int64)
    if not len(wives):
        return nobody, nobody
    order = np.argsort(born[wives], kind="stable")
    years = born[wives][order]
    low, high = np.searchsorted(years, born - 42), np.searchsorted(years, born - 19)
    place = low + truth.draw.below("parents", high - low)
    couple = order[np.clip(place, 0, len(order) - 1)]
    father, mother = husbands[couple], wives[couple]
    good = (high > low) & (born[father] <= born - 19) & (last[father] >= born) & (last[mother] >= born)
    good &= truth.draw.chance("parents/known", 0.75, n)
    father, mother = np.where(good, father, NONE), np.where(good, mother, NONE)
    spouse = nobody.copy()
    spouse[husbands], spouse[wives] = wives, husbands
    sibling = (spouse != NONE) & (father != NONE) & (father == father[spouse])
    return np.where(sibling, NONE, father), np.where(sibling, NONE, mother)


def make_heads(truth: Truth) -> None:
    """Draw who led what, and who worked where, from when to when."""
    year = truth.year

    def civic(stream: str, years: Ints) -> Ints:
        return truth.in_office(stream, years, ("politician", "lawyer", "merchant", "teacher"))

    def learned(stream: str, years: Ints) -> Ints:
        return truth.in_office(stream, years, ("physician", "botanist", "zoologist", "astronomer", "engineer"))

    def commercial(stream: str, years: Ints) -> Ints:
        return truth.in_office(stream, years, ("merchant", "engineer", "lawyer", "architect"))

    truth.offices("governor", np.full(truth.count("region"), year - 120), 8, 8, civic)
    truth.offices("mayor", np.maximum(truth.since["city"], year - 120), 9, 5, civic)
    truth.offices("rector", truth.since["university"], 10, 6, learned)
    truth.terms("director", truth.since["organisation"], 10, 4, commercial, truth.last)
    if "employer" in truth.chosen:
        _careers(truth)


def _careers(truth: Truth) -> None:
    """Draw up to three jobs in an adult life, at organisations that exist by then."""
    draw, n = truth.draw, truth.count("person")
    start = truth.born + ADULT + 1 + draw.below("employer/first", 12, n)
    working = draw.chance("employer", 0.5, n)
    final = np.minimum(truth.last, truth.born + 70)
    columns: list[tuple[Ints, Ints, Ints, Ints]] = []
    for job in range(3):
        where = truth.existing(f"employer/{job}", "organisation", start)
        end = start + 1 + draw.below(f"employer/{job}/years", 14, n)
        open_ = (end >= truth.year) & (truth.last == OPEN)
        end = np.minimum(end, final)
        working = working & (where != NONE) & (start < final) & (start <= truth.year) & ((end < truth.year) | open_)
        columns.append((np.flatnonzero(working), where[working], start[working], np.where(open_, OPEN, end)[working]))
        start = np.where(open_, OPEN, end) + 1 + draw.below(f"employer/{job}/gap", 4, n)
        working = working & draw.chance(f"employer/{job}/more", 0.5, n)
    truth.add("employer", *(np.concatenate(column) for column in zip(*columns, strict=True)))
