"""What is asked about an airline."""

from turnwise.worlds.programs.databases.domains.airline import _AIRPORTS, _CABINS
from turnwise.worlds.programs.databases.model import Ask, Question, long_date

__all__ = ["FAMILIES"]


# ---- parts of statements --------------------------------------------------------------------------------------------


def _operated(a: Ask, alias: str = "f") -> str:
    return f"{alias}.status IN ('F', 'D')" if a.style.late else f"{alias}.status = 'F'"


def _valid(a: Ask) -> str:
    """The valid bookings, as a query."""
    return (
        f"SELECT x.* FROM {a.t['bookings']} AS x JOIN {a.t['passengers']} AS y ON y.id = x.passenger_id WHERE "
        f"x.cancelled_on "
        f"IS NULL AND {a.live('x')} AND {a.live('y')}"
    )


# ---- questions ------------------------------------------------------------------------------------------------------


def _departures(a: Ask) -> Question:
    p, t = a.period("month", "quarter", "half"), a.t
    return a.question(
        "airline.departures",
        [
            f"How many flights left each airport in {p.words}? Cancelled flights (status X) do not count; list "
            f"airports "
            "without flights, too.",
            f"For every airport, give the number of departures in {p.words}, without cancelled flights (status X).",
        ],
        "one row per airport: code, number of flights",
        f"SELECT k.code, COUNT(f.id) FROM {t['airports']} AS k LEFT JOIN {t['routes']} AS r ON r.origin = k.code LEFT "
        f"JOIN "
        f"{t['flights']} AS f ON f.route_id = r.id AND f.status <> 'X' AND {a.among('f.departs_at', p)} GROUP BY "
        f"k.code",
        also=("flight_statuses",),
    )


def _never_flown(a: Ask) -> Question:
    cabin, p, t = a.draw.choice(_CABINS), a.period("half", "year"), a.t
    return a.question(
        "airline.no_cabin",
        [
            f"Which passengers booked in {p.words} but never had a segment in {cabin}, in any of their bookings?",
            f"List the passengers with a booking made in {p.words} who have never had a seat in {cabin}, then or at "
            f"another "
            "time.",
        ],
        "one row per passenger: passenger id",
        f"SELECT DISTINCT b.passenger_id FROM {t['bookings']} AS b WHERE {a.among('b.' + a.at('booked'), p)} AND NOT "
        f"EXISTS "
        f"(SELECT 1 FROM {t['bookings']} AS o JOIN {t['segments']} AS s ON s.booking_id = o.id WHERE o.passenger_id = "
        f"b.passenger_id AND s.cabin = '{cabin}')",
    )


def _balance(a: Ask) -> Question:
    day, t, least = a.day(), a.t, a.draw.choice((1000, 1500, 2000))
    return a.question(
        "airline.balance",
        [
            f"Which passengers had a balance of at least {least} miles at the end of {long_date(day)}? The balance is "
            f"the sum "
            "of all amounts posted by then.",
            f"Whose miles account stood at {least} or more at the end of {long_date(day)}, adding up everything "
            f"posted up to "
            "and including that day?",
        ],
        "one row per passenger: passenger id, balance",
        f"SELECT m.passenger_id, SUM(m.amount) FROM {t['miles']} AS m WHERE {a.until('m.posted_on', day)} GROUP BY "
        f"m.passenger_id HAVING SUM(m.amount) >= {least}",
    )


def _punctuality(a: Ask) -> Question:
    p, t, least = a.period("half", "year"), a.t, a.draw.integer(2, 3)
    limit = 15 if a.style.strict else 5
    return a.question(
        "airline.punctuality",
        [
            f"How punctual were we on each route in {p.words}? Leave out routes with fewer than {least} operated "
            f"flights.",
            f"Give the percentage of punctual flights per route for {p.words}, for routes with {least} operated "
            f"flights or "
            "more.",
        ],
        "one row per route: origin, destination, percentage of the operated flights that were punctual (0 to 100); "
        "the day "
        "of departure in UTC counts",
        f"SELECT r.origin, r.destination, 100.0 * SUM(COALESCE(f.delay_minutes, 0) <= {limit}) / COUNT(*) FROM "
        f"{t['flights']} AS f JOIN {t['routes']} AS r ON r.id = f.route_id WHERE {_operated(a)} AND "
        f"{a.among('f.departs_at', p)} GROUP BY r.id, r.origin, r.destination HAVING COUNT(*) >= {least}",
        ("punctual", "operated", "times"),
        also=("flight_statuses",),
    )


def _channels(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    channel = a.typed("b.channel")
    return a.question(
        "airline.channels",
        [
            f"What share of the fare revenue of {p.words} came through each channel?",
            f"Split the fare revenue of {p.words} by booking channel, in euros and percent.",
        ],
        "one row per channel with a valid booking that has segments: channel, fare revenue in euros, percentage of "
        "the fare "
        "revenue of that time (0 to 100)",
        f"WITH v AS (SELECT {channel} AS channel, {a.euros('s.' + a.money('fare'))} AS fare FROM ({_valid(a)}) AS b "
        f"JOIN "
        f"{t['segments']} AS s ON s.booking_id = b.id WHERE {a.among('b.' + a.at('booked'), p)}) SELECT channel, "
        f"SUM(fare), "
        "100.0 * SUM(fare) / (SELECT SUM(fare) FROM v) FROM v GROUP BY channel",
        ("fare revenue", "valid booking", *(["channel"] if a.style.dirty else [])),
    )


def _best(a: Ask) -> Question:
    p, t, count = a.period("half", "year"), a.t, a.draw.integer(1, 3)
    words = "most valuable passenger" if count == 1 else f"{count} most valuable passengers"
    return a.question(
        "airline.best",
        [
            f"Name the {words} of each country by fare revenue in {p.words}; passengers who tie with the last place "
            f"are "
            "included.",
            f"Who were the {words} in every country in {p.words}, measured by fare revenue? Equal revenue means equal "
            f"rank.",
        ],
        "one row per passenger: country, passenger id, fare revenue in euros; passengers without a country or without "
        "fare "
        "revenue rows in that time are left out",
        f"SELECT country, passenger_id, fare FROM (SELECT p.country, b.passenger_id, "
        f"SUM({a.euros('s.' + a.money('fare'))}) AS "
        f"fare, RANK() OVER (PARTITION BY p.country ORDER BY SUM({a.euros('s.' + a.money('fare'))}) DESC) AS place "
        f"FROM "
        f"({_valid(a)}) AS b JOIN {t['segments']} AS s ON s.booking_id = b.id JOIN {t['passengers']} AS p ON p.id = "
        f"b.passenger_id WHERE p.country IS NOT NULL AND {a.among('b.' + a.at('booked'), p)} GROUP BY p.country, "
        f"b.passenger_id) WHERE place <= {count}",
        ("fare revenue", "valid booking"),
    )


def _load_factor(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    return a.question(
        "airline.load_factor",
        [
            f"What load factor did each aircraft model reach in {p.words}?",
            f"Compare the load factors of our aircraft models for {p.words}.",
        ],
        "one row per model with an operated flight in that time (by departure in UTC): model, load factor in percent "
        "(0 for "
        "flights without segments)",
        "WITH o AS (SELECT f.id, k.model, k.seats, (SELECT COUNT(*) FROM "
        f"{t['segments']} AS s JOIN ({_valid(a)}) AS b ON b.id = s.booking_id WHERE s.flight_id = f.id) AS sold FROM "
        f"{t['flights']} AS f JOIN {t['aircraft']} AS k ON k.id = f.aircraft_id WHERE {_operated(a)} AND "
        f"{a.among('f.departs_at', p)}) SELECT model, 100.0 * SUM(sold) / SUM(seats) FROM o GROUP BY model",
        ("load factor", "operated", "valid booking", "times"),
        also=("flight_statuses",),
    )


def _by_tier(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    day = a.date("b.booked")
    return a.question(
        "airline.by_tier",
        [
            f"How many valid bookings of {p.words}, and how much fare revenue, came from each tier, by the "
            f"passenger's tier at "
            "the time?",
            f"Loyalty wants bookings and fare revenue of {p.words} by tier of the booking.",
        ],
        "one row per tier with a valid booking: tier, number of bookings (with or without segments), fare revenue in "
        "euros (0 "
        "without segments)",
        f"WITH v AS (SELECT b.id, COALESCE(h.tier, 'basic') AS tier FROM ({_valid(a)}) AS b LEFT JOIN {t['tiers']} AS "
        f"h ON "
        f"h.passenger_id = b.passenger_id AND h.valid_from <= {day} AND (h.valid_to IS NULL OR h.valid_to > {day}) "
        f"WHERE "
        f"{a.among('b.' + a.at('booked'), p)}) SELECT v.tier, COUNT(DISTINCT v.id), COALESCE(SUM("
        f"{a.euros('s.' + a.money('fare'))}), 0) FROM v LEFT JOIN {t['segments']} AS s ON s.booking_id = v.id GROUP "
        f"BY v.tier",
        ("tier of a booking", "fare revenue", "valid booking"),
    )


def _local_hours(a: Ask) -> Question:
    p, t = a.period("half", "year"), a.t
    local = "datetime(f.departs_at, k.utc_offset_minutes || ' minutes')"
    return a.question(
        "airline.local_hours",
        [
            f"At which hours do our flights leave, in local time of the airport of departure? Count the operated "
            f"flights of "
            f"{p.words} by country and hour.",
            f"Count the operated flights that left in {p.words}, local time, by country of departure and local hour.",
        ],
        "one row per country and hour with a flight: country of the airport of departure, local hour (0 to 23, a "
        "number), "
        "number of flights; the period is in local time, too",
        f"SELECT k.country, CAST(strftime('%H', {local}) AS INTEGER) AS hour, COUNT(*) FROM {t['flights']} AS f JOIN "
        f"{t['routes']} AS r ON r.id = f.route_id JOIN {t['airports']} AS k ON k.code = r.origin WHERE {_operated(a)} "
        f"AND "
        f"{a.among(local, p)} GROUP BY k.country, hour",
        ("times", "operated"),
        also=("flight_statuses",),
    )


def _reachable(a: Ask) -> Question:
    p, t, hops = a.period("quarter", "half", "year"), a.t, a.draw.integer(2, 3)
    code = a.draw.choice(_AIRPORTS)[0]
    return a.question(
        "airline.reachable",
        [
            f"Which airports could be reached from {code} with at most {hops} flights, using only routes with an "
            f"operated "
            f"flight in {p.words}? How many flights does each take at least?",
            f"Network planning: with routes on which a flight was operated in {p.words}, where do you get from {code} "
            f"in "
            f"{hops} hops or fewer, and in how many at the least?",
        ],
        f"one row per airport that can be reached, {code} itself left out: code, least number of flights (departure "
        f"times and "
        "connections do not matter)",
        f"WITH RECURSIVE e AS (SELECT DISTINCT r.origin, r.destination FROM {t['routes']} AS r JOIN {t['flights']} AS "
        f"f ON "
        f"f.route_id = r.id WHERE {_operated(a)} AND {a.among('f.departs_at', p)}), w(code, n) AS (SELECT '{code}', 0 "
        f"UNION "
        f"SELECT e.destination, w.n + 1 FROM w JOIN e ON e.origin = w.code WHERE w.n < {hops}) SELECT code, MIN(n) "
        f"FROM w "
        f"WHERE code <> '{code}' GROUP BY code",
        ("operated", "times"),
        also=("flight_statuses",),
    )


def _streak(a: Ask) -> Question:
    p, t = a.period("half", "year"), a.t
    limit = 15 if a.style.strict else 5
    return a.question(
        "airline.streak",
        [
            f"How long was each aircraft's longest run of punctual flights in {p.words}? Only operated flights count.",
            f"For each aircraft, find the longest run of consecutive punctual flights among its operated flights of "
            f"{p.words}.",
        ],
        "one row per aircraft with an operated flight in that time (by departure in UTC): aircraft id, length of the "
        "longest "
        "run (0 if no flight was punctual); flights follow each other by departure, then id",
        f"WITH o AS (SELECT f.aircraft_id, f.departs_at, f.id, COALESCE(f.delay_minutes, 0) > {limit} AS late FROM "
        f"{t['flights']} AS f WHERE f.aircraft_id IS NOT NULL AND {_operated(a)} AND {a.among('f.departs_at', p)}), g "
        f"AS "
        "(SELECT *, SUM(late) OVER (PARTITION BY aircraft_id ORDER BY departs_at, id) AS run FROM o), r AS (SELECT "
        "aircraft_id, SUM(1 - late) AS length FROM g GROUP BY aircraft_id, run) SELECT aircraft_id, MAX(length) FROM "
        "r GROUP "
        "BY aircraft_id",
        ("punctual", "operated", "times"),
        also=("flight_statuses",),
    )


def _negative(a: Ask) -> Question:
    t = a.t
    day = a.day("2022-06-30", "2023-12-31")
    return a.question(
        "airline.negative",
        [
            f"On which days up to {long_date(day)} did a miles balance fall below zero that was not below zero before?",
            f"Audit of the miles accounts up to {long_date(day)}: list every day at whose end a passenger's balance "
            f"was negative "
            "although it had not been at the end of the passenger's previous posting day (or there was none).",
        ],
        "one row per passenger and such day: passenger id, day (like 2022-03-09), balance at the end of it",
        f"WITH d AS (SELECT passenger_id, posted_on, SUM(amount) AS amount FROM {t['miles']} WHERE "
        f"{a.until('posted_on', day)} "
        "GROUP BY passenger_id, posted_on), b AS (SELECT passenger_id, posted_on, SUM(amount) OVER (PARTITION BY "
        "passenger_id ORDER BY posted_on) AS balance FROM d), l AS (SELECT *, LAG(balance) OVER (PARTITION BY "
        "passenger_id "
        "ORDER BY posted_on) AS old FROM b) SELECT passenger_id, posted_on, balance FROM l WHERE balance < 0 AND (old "
        "IS NULL "
        "OR old >= 0)",
        ("miles balance",),
    )


# ---- changes --------------------------------------------------------------------------------------------------------


def _signs(a: Ask) -> Question:
    t, year = a.t["miles"], a.draw.choice((2021, 2022, 2023))
    return a.question(
        "airline.expire",
        [
            f"Write off the miles of passengers who posted nothing in {year}: add one row that brings the balance to "
            f"zero.",
            f"Expire the balances, as of the end of {year}, of all passengers without any posting in {year}.",
        ],
        f"{t} has one new row for each passenger whose amounts up to {year}-12-31 add up to more than 0 and who has "
        f"no row "
        f"posted in {year}: posted_on {year}-12-31, kind 'expired', amount minus that sum; ids continue after the "
        f"highest one, "
        "in the order of the passenger ids. Nothing else changes",
        f"INSERT INTO {t} (id, passenger_id, posted_on, kind, amount) SELECT (SELECT MAX(id) FROM {t}) + ROW_NUMBER() "
        f"OVER "
        f"(ORDER BY passenger_id), passenger_id, '{year}-12-31', 'expired', -SUM(amount) FROM {t} WHERE posted_on <= "
        f"'{year}-12-31' GROUP BY passenger_id HAVING SUM(amount) > 0 AND MAX(posted_on) < '{year}-01-01'",
        ("miles balance",),
        writes=True,
    )


def _release(a: Ask) -> Question:
    t, day = a.t, a.day()
    return a.question(
        "airline.release",
        [
            f"Bookings cancelled on or before {long_date(day)} still hold seats. Release those on flights with the "
            f"status S.",
            f"Free the seats that bookings cancelled up to {long_date(day)} still hold on scheduled flights (status "
            f"S).",
        ],
        f"the rows of {t['segments']} that belong to such a booking and such a flight are gone; it makes no "
        f"difference whether "
        "a booking is marked as deleted. Nothing else changes",
        f"DELETE FROM {t['segments']} WHERE booking_id IN (SELECT id FROM {t['bookings']} WHERE cancelled_on <= "
        f"'{day}') AND "
        f"flight_id IN (SELECT id FROM {t['flights']} WHERE status = 'S')",
        writes=True,
        also=("flight_statuses",),
    )


FAMILIES = (
    (3, _departures),
    (3, _never_flown),
    (3, _balance),
    (4, _punctuality),
    (4, _channels),
    (4, _best),
    (5, _load_factor),
    (5, _by_tier),
    (5, _local_hours),
    (6, _reachable),
    (6, _streak),
    (6, _negative),
    (5, _signs),
    (4, _release),
)
"""The tier of each kind of request, and what draws one."""
