"""What is asked about an electricity supplier."""

from turnwise.worlds.programs.databases.domains.utility import _TOPICS
from turnwise.worlds.programs.databases.model import Ask, Question, long_date

__all__ = ["FAMILIES"]


# ---- parts of statements --------------------------------------------------------------------------------------------


def _used(a: Ask, more: str = "") -> str:
    """Consumptions (meter_id, read_on, used, and the reading before) as a query; used is NULL for the first reading."""
    quality = "r.quality = 'A'" if a.style.strict else "r.quality IN ('A', 'E')"
    before = "LAG({}) OVER (PARTITION BY r.meter_id ORDER BY r.read_on, r.id)"
    return (
        f"SELECT r.meter_id, m.premises_id, r.read_on, r.quality, r.kwh - {before.format('r.kwh')} AS used, "
        f"{before.format('r.read_on')} AS since FROM {a.t['readings']} AS r JOIN {a.t['meters']} AS m ON m.id = "
        f"r.meter_id JOIN "
        f"{a.t['premises']} AS h ON h.id = m.premises_id WHERE r.kwh IS NOT NULL AND {quality} AND {a.live('h')}{more}"
    )


def _contract(a: Ask, alias: str, day: str) -> str:
    over = ">" if a.style.late else ">="
    return f"{alias}.starts_on <= {day} AND ({alias}.ends_on IS NULL OR {alias}.ends_on {over} {day})"


def _outage(a: Ask, alias: str = "o") -> str:
    planned = f" AND ({alias}.cause IS NULL OR {alias}.cause <> 'PL')" if a.style.strict else ""
    return f"{alias}.ended_at IS NOT NULL{planned}"


# ---- questions ------------------------------------------------------------------------------------------------------


def _unread(a: Ask) -> Question:
    p, t = a.period("quarter", "half"), a.t
    return a.question(
        "utility.unread",
        [
            f"Which meters were in place throughout {p.words} but have no row of readings dated in that time?",
            f"List the meters that were installed before {p.words} began, not removed before it ended, and not read "
            f"once in it.",
        ],
        f"one row per meter: meter id, serial (installed_on before {p.start}; removed_on empty or {p.end} or later; "
        f"any quality of "
        "reading counts)",
        f"SELECT m.id, m.serial FROM {t['meters']} AS m WHERE m.installed_on < '{p.start}' AND (m.removed_on IS NULL "
        f"OR "
        f"m.removed_on >= '{p.end}') AND NOT EXISTS (SELECT 1 FROM {t['readings']} AS r WHERE r.meter_id = m.id AND "
        f"{a.among('r.read_on', p)})",
    )


def _calls(a: Ask) -> Question:
    p, t, topic = a.period("quarter", "half", "year"), a.t, a.draw.choice(_TOPICS)
    return a.question(
        "utility.calls",
        [
            f"How many calls about the topic '{topic}' came from each district in {p.words}?",
            f"For every district, count the calls of {p.words} with the topic '{topic}'.",
        ],
        "one row per district, also those without such calls: name of the district, number of calls; sub-districts "
        "are not added",
        f"SELECT d.name, COUNT(c.id) FROM {t['districts']} AS d LEFT JOIN {t['premises']} AS h ON h.district_id = "
        f"d.id LEFT JOIN "
        f"{t['calls']} AS c ON c.premises_id = h.id AND c.topic = '{topic}' AND {a.among('c.' + a.at('received'), p)} "
        f"GROUP BY d.id, "
        "d.name",
    )


def _unpaid(a: Ask) -> Question:
    day, t, least = a.day(), a.t, a.draw.integer(2, 3)
    return a.question(
        "utility.unpaid",
        [
            f"Which premises had at least {least} unpaid bills at the end of {long_date(day)}?",
            f"Premises with {least} or more bills that were issued by {long_date(day)} and not paid by then.",
        ],
        "one row per premises: premises id, number of bills issued up to and including that day and not paid by the "
        "end of it",
        f"SELECT c.premises_id, COUNT(*) FROM {t['bills']} AS b JOIN {t['contracts']} AS c ON c.id = b.contract_id "
        f"WHERE "
        f"{a.until('b.issued_on', day)} AND (b.paid_on IS NULL OR b.paid_on > '{day}') GROUP BY c.premises_id HAVING "
        f"COUNT(*) >= "
        f"{least}",
    )


def _without_contract(a: Ask) -> Question:
    day, t = a.day(), a.t
    return a.question(
        "utility.without_contract",
        [
            f"Which premises had a meter in place on {long_date(day)} but no contract?",
            f"Find premises that were supplied without a contract on {long_date(day)}: a meter was installed, and no "
            f"contract covers "
            "the day.",
        ],
        "one row per premises: premises id (a meter is in place from installed_on to the day before removed_on)",
        f"SELECT h.id FROM {t['premises']} AS h WHERE {a.live('h')} AND EXISTS (SELECT 1 FROM {t['meters']} AS m WHERE "
        f"m.premises_id = h.id AND m.installed_on <= '{day}' AND (m.removed_on IS NULL OR m.removed_on > '{day}')) "
        f"AND NOT EXISTS "
        f"(SELECT 1 FROM {t['contracts']} AS c WHERE c.premises_id = h.id AND {_contract(a, 'c', repr(day))})",
        ("contract on a day", "premises"),
    )


def _causes(a: Ask) -> Question:
    p, t = a.period("half", "year"), a.t
    return a.question(
        "utility.causes",
        [
            f"What caused the outages that began in {p.words}? Number, total hours and share of the hours by cause.",
            f"Break the outages of {p.words} (by their beginning) down by cause, with hours and percent.",
        ],
        "one row per cause that occurs: label of the cause ('unknown' if none is recorded), number of outages that "
        "have ended, their "
        "hours, percentage of all hours (0 to 100)",
        f"WITH v AS (SELECT COALESCE(k.label, 'unknown') AS label, (unixepoch(o.ended_at) - unixepoch(o.began_at)) / "
        f"3600.0 AS hours "
        f"FROM {t['outages']} AS o LEFT JOIN {t['outage_causes']} AS k ON k.code = o.cause WHERE {_outage(a)} AND "
        f"{a.among('o.began_at', p)}) SELECT label, COUNT(*), SUM(hours), 100.0 * SUM(hours) / (SELECT SUM(hours) "
        f"FROM v) FROM v "
        "GROUP BY label",
        ("outage",),
    )


def _tariff_mix(a: Ask) -> Question:
    day, t = a.day(), a.t
    kind = a.typed("h.kind")
    return a.question(
        "utility.tariff_mix",
        [
            f"How were contracts spread over tariffs on {long_date(day)}, for each kind of premises?",
            f"Show the tariff mix of {long_date(day)}: contracts by kind of premises and tariff, with the share "
            f"within the kind.",
        ],
        "one row per kind and tariff with a contract that day: kind, code of the tariff, number of contracts, "
        "percentage of the "
        "contracts of that kind (0 to 100)",
        f"SELECT {kind} AS kind, x.code, COUNT(*), 100.0 * COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY {kind}) FROM "
        f"{t['contracts']} AS c JOIN {t['premises']} AS h ON h.id = c.premises_id JOIN {t['tariffs']} AS x ON x.id = "
        f"c.tariff_id "
        f"WHERE {a.live('h')} AND {_contract(a, 'c', repr(day))} GROUP BY {kind}, x.code",
        ("contract on a day", "premises", *(["kind"] if a.style.dirty else [])),
    )


def _consumption(a: Ask) -> Question:
    p, count = a.period("quarter", "half", "year"), a.draw.integer(1, 3)
    words = "meter" if count == 1 else f"{count} meters"
    return a.question(
        "utility.top_meters",
        [
            f"Which {words} of each district had the highest consumption in {p.words}? Meters with equal consumption "
            f"share a rank.",
            f"For every district, list the {words} with the most kWh used in {p.words}, including all that tie with "
            f"the last place.",
        ],
        "one row per meter: district id, meter id, consumption in kWh; only meters with a known consumption in that "
        "time and premises "
        "in a district; sub-districts are not added",
        f"WITH u AS ({_used(a)}), s AS (SELECT h.district_id, u.meter_id, SUM(u.used) AS kwh FROM u JOIN "
        f"{a.t['premises']} AS h ON "
        f"h.id = u.premises_id WHERE h.district_id IS NOT NULL AND u.used >= 0 AND {a.among('u.read_on', p)} GROUP BY "
        f"h.district_id, "
        "u.meter_id) SELECT district_id, meter_id, kwh FROM (SELECT *, RANK() OVER (PARTITION BY district_id ORDER BY "
        "kwh DESC) AS "
        f"place FROM s) WHERE place <= {count}",
        ("consumption", "reading", "premises"),
    )


def _gaps(a: Ask) -> Question:
    days, p = a.draw.choice((35, 40, 60)), a.period("half", "year")
    return a.question(
        "utility.reading_gaps",
        [
            f"Which meters had a gap of more than {days} days between consecutive readings that ended in {p.words}? "
            f"Give the longest "
            "gap of each.",
            f"Find meters that were not read for more than {days} days; the reading that ended the gap must be from "
            f"{p.words}.",
        ],
        "one row per meter: meter id, days of the longest such gap",
        f"WITH u AS ({_used(a)}) SELECT meter_id, MAX(julianday(read_on) - julianday(since)) FROM u WHERE "
        f"julianday(read_on) - "
        f"julianday(since) > {days} AND {a.among('read_on', p)} GROUP BY meter_id",
        ("reading", "premises"),
    )


def _cost(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    price = (
        f"(SELECT k.cents_per_kwh FROM {t['tariff_prices']} AS k WHERE k.tariff_id = c.tariff_id AND k.valid_from <= "
        f"u.read_on "
        "ORDER BY k.valid_from DESC LIMIT 1)"
    )
    return a.question(
        "utility.cost",
        [
            f"What was the consumption of {p.words} worth, per tariff? Take the contract and the price of the day of "
            f"the later "
            "reading.",
            f"Value the consumption of {p.words}, by tariff, at the price valid on the day to which it belongs.",
        ],
        "one row per tariff with consumption: code of the tariff, kWh, value in euros; consumption without a contract "
        "on that day is "
        "left out, and one with several contracts counts for each of them",
        f"WITH u AS ({_used(a)}) SELECT x.code, SUM(u.used), SUM(u.used * {price}) / 100.0 FROM u JOIN "
        f"{t['contracts']} AS c ON "
        f"c.premises_id = u.premises_id AND {_contract(a, 'c', 'u.read_on')} JOIN {t['tariffs']} AS x ON x.id = "
        f"c.tariff_id WHERE "
        f"u.used >= 0 AND {a.among('u.read_on', p)} GROUP BY x.code",
        ("consumption", "reading", "price", "contract on a day", "premises"),
    )


def _minutes_lost(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    return a.question(
        "utility.minutes_lost",
        [
            f"How many hours without power did each district have in {p.words}? An outage affects the district and "
            f"everything below "
            "it; count only the hours within that time.",
            f"For every district, add up the hours of outages in {p.words} of the district itself and of all "
            f"districts above it; cut "
            "outages off at the beginning and end of that time.",
        ],
        "one row per district, also those without outages: district id, hours (outages at the same time are added up)",
        f"WITH RECURSIVE b(top, id) AS (SELECT id, id FROM {t['districts']} UNION ALL SELECT b.top, d.id FROM "
        f"{t['districts']} AS d "
        f"JOIN b ON d.parent_id = b.id), v AS (SELECT o.district_id, MIN(unixepoch(o.ended_at), unixepoch('{p.end}')) "
        f"- "
        f"MAX(unixepoch(o.began_at), unixepoch('{p.start}')) AS seconds FROM {t['outages']} AS o WHERE {_outage(a)} "
        f"AND o.ended_at > "
        f"'{p.start}' AND o.began_at < '{p.end}') SELECT b.id, COALESCE(SUM(v.seconds), 0) / 3600.0 FROM b LEFT JOIN "
        f"v ON "
        "v.district_id = b.top GROUP BY b.id",
        ("outage", "district"),
        also=("outage_causes",),
    )


def _overlaps(a: Ask) -> Question:
    day, t = a.day("2022-06-30", "2023-12-31"), a.t
    last = "julianday(COALESCE(c.ends_on, '9999-01-01'))" + (" - 1" if a.style.late else "")
    return a.question(
        "utility.uncovered",
        [
            f"For how many days was each of our premises without a contract, from the start of its first one up to "
            f"{long_date(day)}?",
            f"Vacancy report to {long_date(day)}: for each premises, the days without a contract from the start of "
            f"its first contract "
            "through that day.",
        ],
        "one row per premises with a contract that started on or before that day: premises id, number of days (0 if "
        "there are none), "
        "that day itself included",
        f"WITH e AS (SELECT c.premises_id, c.id, julianday(c.starts_on) AS a, MIN({last}, julianday('{day}')) AS b "
        f"FROM "
        f"{t['contracts']} AS c JOIN {t['premises']} AS h ON h.id = c.premises_id WHERE {a.live('h')} AND c.starts_on "
        f"<= '{day}'), f "
        "AS (SELECT *, MAX(b) OVER (PARTITION BY premises_id ORDER BY a, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 "
        "PRECEDING) AS "
        f"before FROM e), g AS (SELECT premises_id, MAX(0, a - before - 1) AS days FROM f UNION ALL SELECT "
        f"premises_id, "
        f"julianday('{day}') - MAX(b) FROM f GROUP BY premises_id) SELECT premises_id, CAST(SUM(COALESCE(days, 0)) AS "
        f"INTEGER) FROM g "
        "GROUP BY premises_id",
        ("contract on a day", "premises"),
    )


def _estimated(a: Ask) -> Question:
    t, least, day = a.t, a.draw.integer(2, 3), a.day("2022-06-30", "2023-12-31")
    return a.question(
        "utility.estimated",
        [
            f"Which meters had {least} or more estimated rows (E) in a row, going by rows dated up to "
            f"{long_date(day)}? Rejected rows "
            "(X) are ignored.",
            f"Find the meters that were only estimated for a while: at least {least} consecutive rows of quality E up "
            f"to "
            f"{long_date(day)}, not counting rejected ones (X).",
        ],
        "one row per meter: meter id, length of the longest run, first day of the latest run of that length; rows "
        "follow each other by "
        "day, then id, with or without kwh; all premises count",
        f"WITH r AS (SELECT meter_id, read_on, quality, ROW_NUMBER() OVER (PARTITION BY meter_id ORDER BY read_on, "
        f"id) - ROW_NUMBER() "
        f"OVER (PARTITION BY meter_id, quality ORDER BY read_on, id) AS run FROM {t['readings']} WHERE quality <> 'X' "
        f"AND "
        f"{a.until('read_on', day)}), g AS (SELECT meter_id, COUNT(*) AS length, MIN(read_on) AS first FROM r WHERE "
        f"quality = 'E' GROUP "
        "BY meter_id, run) SELECT meter_id, length, first FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY meter_id "
        "ORDER BY length "
        f"DESC, first DESC) AS place FROM g WHERE length >= {least}) WHERE place = 1",
    )


# ---- changes --------------------------------------------------------------------------------------------------------


def _end_overlaps(a: Ask) -> Question:
    t = a.t["contracts"]
    day = a.day()
    nxt = (
        f"(SELECT MIN(n.starts_on) FROM {t} AS n WHERE n.premises_id = {t}.premises_id AND n.starts_on > {t}.starts_on)"
    )
    return a.question(
        "utility.end_overlaps",
        [
            f"Contracts that started on or before {long_date(day)} must not overlap their successors. End each the "
            f"day before the next "
            "contract of the same premises starts, if it ends later or not at all.",
            f"Fix overlapping contracts among those that started up to {long_date(day)}: shorten each to the day "
            f"before the next one at "
            "the same premises.",
        ],
        f"in {t}, where starts_on is on or before that day, ends_on is the day before the earliest later starts_on of "
        f"the same "
        "premises (whenever that is), if ends_on was empty or not before that next start; all others keep theirs. "
        "Nothing else "
        "changes",
        f"UPDATE {t} SET ends_on = date({nxt}, '-1 day') WHERE starts_on <= '{day}' AND {nxt} IS NOT NULL AND "
        f"(ends_on IS NULL OR "
        f"ends_on >= {nxt})",
        writes=True,
    )


def _reject(a: Ask) -> Question:
    t, p = a.t, a.period("half", "year")
    return a.question(
        "utility.reject",
        [
            f"Reject the readings of {p.words} that were taken when the meter was not in place.",
            f"Mark as rejected every row of readings from {p.words} dated before the meter was installed or on or "
            f"after the day on which "
            "it was removed.",
        ],
        f"quality in {t['readings']} is X for those rows (before installed_on, or on or after removed_on) and "
        f"unchanged for all others. "
        "Nothing else changes",
        f"UPDATE {t['readings']} SET quality = 'X' WHERE {a.among('read_on', p)} AND EXISTS (SELECT 1 FROM "
        f"{t['meters']} AS m WHERE "
        f"m.id = {t['readings']}.meter_id AND ({t['readings']}.read_on < m.installed_on OR {t['readings']}.read_on >= "
        f"m.removed_on))",
        ("reading",),
        writes=True,
    )


FAMILIES = (
    (3, _unread),
    (3, _calls),
    (3, _unpaid),
    (4, _without_contract),
    (4, _causes),
    (4, _tariff_mix),
    (5, _consumption),
    (5, _gaps),
    (5, _cost),
    (6, _minutes_lost),
    (6, _overlaps),
    (6, _estimated),
    (5, _end_overlaps),
    (4, _reject),
)
"""The tier of each kind of request, and what draws one."""
