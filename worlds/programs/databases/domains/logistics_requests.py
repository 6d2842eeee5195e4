"""What is asked about a parcel and storage company."""

from turnwise.worlds.programs.databases.domains.logistics import _GRAMS
from turnwise.worlds.programs.databases.model import Ask, Question, long_date

__all__ = ["FAMILIES"]


# ---- parts of statements --------------------------------------------------------------------------------------------


def _live(a: Ask) -> str:
    """The shipments that count, as a query."""
    return (
        f"SELECT x.* FROM {a.t['shipments']} AS x JOIN {a.t['clients']} AS y ON y.id = x.client_id WHERE "
        f"{a.live('x')} AND "
        f"{a.live('y')}"
    )


def _delivery(a: Ask, alias: str = "x") -> str:
    """The day of delivery of a shipment, as a scalar query."""
    name = "MIN" if a.style.strict else "MAX"
    return (
        f"(SELECT date({name}(d.scanned_at)) FROM {a.t['scans']} AS d WHERE d.shipment_id = {alias}.id AND d.code "
        "= 'DL')"
    )


_GONE = ("deleted rows",)

# ---- questions ------------------------------------------------------------------------------------------------------


def _not_scanned(a: Ask) -> Question:
    p, t = a.period("month", "quarter", "half"), a.t
    return a.question(
        "logistics.not_scanned",
        [
            f"Which shipments of {p.words} were never scanned as picked up (PU)?",
            f"List the shipments shipped in {p.words} that have no pick-up scan (code PU).",
        ],
        "one row per shipment: shipment id",
        f"SELECT s.id FROM {t['shipments']} AS s WHERE {a.among('s.' + a.at('shipped'), p)} AND NOT EXISTS (SELECT 1 "
        f"FROM "
        f"{t['scans']} AS c WHERE c.shipment_id = s.id AND c.code = 'PU')",
        also=("scan_codes",),
    )


def _per_carrier(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    return a.question(
        "logistics.exceptions",
        [
            f"How many shipments of {p.words} had at least one exception scan (EX), for each carrier?",
            f"For every carrier, count the shipments shipped in {p.words} with an exception (code EX), however many "
            f"it had.",
        ],
        "one row per carrier, also those without any: name of the carrier, number of shipments",
        f"SELECT k.name, COUNT(DISTINCT c.shipment_id) FROM {t['carriers']} AS k LEFT JOIN {t['shipments']} AS s ON "
        f"s.carrier_id = k.id AND {a.among('s.' + a.at('shipped'), p)} LEFT JOIN {t['scans']} AS c ON c.shipment_id = "
        f"s.id AND "
        "c.code = 'EX' GROUP BY k.id, k.name",
        also=("scan_codes",),
    )


def _stock(a: Ask) -> Question:
    day, t = a.day(), a.t
    return a.question(
        "logistics.below_minimum",
        [
            f"Which articles were below their minimum stock at the end of {long_date(day)}, all warehouses together?",
            f"Reordering: articles whose moves up to and including {long_date(day)} add up to less than the minimum "
            f"stock.",
        ],
        "one row per article with a minimum stock: article id, sum of the quantities moved up to that day (0 without "
        "moves); only "
        "those below the minimum",
        f"SELECT r.id, COALESCE(SUM(m.quantity), 0) AS stock FROM {t['articles']} AS r LEFT JOIN {t['stock_moves']} "
        f"AS m ON "
        f"m.article_id = r.id AND {a.until('m.moved_on', day)} WHERE r.minimum_stock IS NOT NULL GROUP BY r.id, "
        f"r.minimum_stock "
        "HAVING stock < r.minimum_stock",
    )


def _on_time(a: Ask) -> Question:
    p = a.period("quarter", "half", "year")
    delivered = "" if a.style.late else " AND delivered IS NOT NULL"
    return a.question(
        "logistics.on_time",
        [
            f"What percentage of the shipments of {p.words} did each carrier deliver on time?",
            f"Compare the carriers on punctuality for shipments shipped in {p.words}.",
        ],
        "one row per carrier with a shipment that counts: carrier id, number of shipments that count, percentage on "
        "time (0 to "
        "100); shipments without a carrier are left out",
        f"WITH v AS (SELECT x.carrier_id, x.promised_on, {_delivery(a)} AS delivered FROM ({_live(a)}) AS x WHERE "
        f"{a.among('x.' + a.at('shipped'), p)}) SELECT carrier_id, COUNT(*), 100.0 * SUM(COALESCE(delivered <= "
        f"promised_on, 0)) / "
        f"COUNT(*) FROM v WHERE carrier_id IS NOT NULL AND promised_on IS NOT NULL{delivered} GROUP BY carrier_id",
        ("on time", "delivery", *_GONE),
        also=("scan_codes",),
    )


def _weights(a: Ask) -> Question:
    p = a.period("quarter", "half", "year")
    service = a.typed("x.service")
    return a.question(
        "logistics.weights",
        [
            f"How many kilograms did we ship in {p.words} per service, and what is each service's share?",
            f"Total weight of the shipments of {p.words} by service, in kg and in percent.",
        ],
        "one row per service with a shipment whose weight is known: service, kilograms, percentage of the kilograms "
        "of that time "
        "(0 to 100)",
        f"WITH v AS (SELECT {service} AS service, x.weight * CASE x.weight_unit WHEN 'lb' THEN {_GRAMS} / 1000 ELSE "
        f"1.0 END AS "
        f"kg FROM ({_live(a)}) AS x WHERE x.weight IS NOT NULL AND {a.among('x.' + a.at('shipped'), p)}) SELECT "
        f"service, SUM(kg), "
        "100.0 * SUM(kg) / (SELECT SUM(kg) FROM v) FROM v GROUP BY service",
        ("weight", *_GONE, *(["service"] if a.style.dirty else [])),
    )


def _statuses(a: Ask) -> Question:
    p, t = a.period("month", "quarter", "half"), a.t
    return a.question(
        "logistics.statuses",
        [
            f"Where do the shipments of {p.words} stand? Count them by current status.",
            f"How many shipments shipped in {p.words} are there for each current status? Spell the status out.",
        ],
        "one row per status that occurs: label of the code, number of shipments; shipments without scans are left out",
        f"WITH l AS (SELECT x.id, c.code, ROW_NUMBER() OVER (PARTITION BY x.id ORDER BY c.scanned_at DESC, c.id DESC) "
        f"AS place "
        f"FROM ({_live(a)}) AS x JOIN {t['scans']} AS c ON c.shipment_id = x.id WHERE "
        f"{a.among('x.' + a.at('shipped'), p)}) "
        f"SELECT k.label, COUNT(*) FROM l JOIN {t['scan_codes']} AS k ON k.code = l.code WHERE l.place = 1 GROUP BY "
        f"k.label",
        ("current status", *_GONE),
    )


def _charges(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    day = a.date("x.shipped")
    return a.question(
        "logistics.charges",
        [
            f"What do we owe each carrier for the shipments of {p.words}, at the rates of the day of shipping?",
            f"Check the carriers' bills for {p.words}: one rate per shipment, the one valid on the day it was shipped.",
        ],
        "one row per carrier with a shipment: carrier id, sum of the rates in euros (0 if none of them has a rate), "
        "number of "
        "shipments without a rate for that day; shipments without a carrier are left out",
        f"SELECT x.carrier_id, COALESCE(SUM({a.euros('r.' + a.money('price'))}), 0), SUM(r.id IS NULL) FROM "
        f"({_live(a)}) AS x "
        f"LEFT JOIN {t['rates']} AS r ON r.carrier_id = x.carrier_id AND r.service = {a.typed('x.service')} AND "
        f"r.valid_from <= "
        f"{day} AND (r.valid_to IS NULL OR r.valid_to > {day}) WHERE x.carrier_id IS NOT NULL AND "
        f"{a.among('x.' + a.at('shipped'), p)} GROUP BY x.carrier_id",
        ("rate", *_GONE, *(["service"] if a.style.dirty else [])),
    )


def _slowest(a: Ask) -> Question:
    p, count = a.period("half", "year"), a.draw.integer(1, 3)
    words = "slowest delivery" if count == 1 else f"{count} slowest deliveries"
    days = f"julianday({_delivery(a)}) - julianday({a.date('x.shipped')})"
    return a.question(
        "logistics.slowest",
        [
            f"Show the {words} of each client among the shipments of {p.words}; shipments that tie with the last one "
            f"are "
            "included.",
            f"For every client, which shipments of {p.words} took longest to be delivered? The {words}, ties included.",
        ],
        "one row per shipment: client id, shipment id, days from shipping to delivery (a whole number, by date)",
        f"WITH v AS (SELECT x.client_id, x.id, {days} AS days FROM ({_live(a)}) AS x WHERE "
        f"{a.among('x.' + a.at('shipped'), p)}) "
        "SELECT client_id, id, days FROM (SELECT *, RANK() OVER (PARTITION BY client_id ORDER BY days DESC) AS place "
        "FROM v WHERE "
        f"days IS NOT NULL) WHERE place <= {count}",
        ("delivery", *_GONE),
        also=("scan_codes",),
    )


def _dwell(a: Ask) -> Question:
    p, t, hours = a.period("quarter", "half", "year"), a.t, a.draw.choice((24, 48, 72))
    return a.question(
        "logistics.dwell",
        [
            f"Which shipments of {p.words} lay still for more than {hours} hours between two consecutive scans? Give "
            f"the longest "
            "such pause and the status at which it began.",
            f"Find the shipments shipped in {p.words} with a gap of over {hours} hours between one scan and the next: "
            f"longest gap "
            "and the code of the scan before it.",
        ],
        "one row per shipment: shipment id, hours of the longest pause, code of the scan before it (of equally long "
        "pauses, the "
        "earliest); scans follow each other by moment, then id",
        f"WITH s AS (SELECT x.id, c.code, c.scanned_at, c.id AS scan, (unixepoch(LEAD(c.scanned_at) OVER w) - "
        f"unixepoch(c.scanned_at)) / 3600.0 AS pause FROM ({_live(a)}) AS x JOIN {t['scans']} AS c ON c.shipment_id = "
        f"x.id WHERE "
        f"{a.among('x.' + a.at('shipped'), p)} WINDOW w AS (PARTITION BY x.id ORDER BY c.scanned_at, c.id)) SELECT "
        f"id, pause, code "
        f"FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY pause DESC, scanned_at, scan) AS place FROM s "
        f"WHERE pause > "
        f"{hours}) WHERE place = 1",
        _GONE,
        also=("scan_codes",),
    )


def _zone_tree(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    return a.question(
        "logistics.zone_tree",
        [
            f"How many shipments of {p.words} went to each zone, its sub-zones included, and how long did delivery "
            f"take on "
            "average?",
            f"Per zone, with everything below it: number of shipments shipped in {p.words} and average days to "
            f"delivery.",
        ],
        "one row per zone, also those without shipments: zone id, number of shipments, average days from shipping to "
        "delivery by "
        "date (NULL if none was delivered)",
        f"WITH RECURSIVE b(top, id) AS (SELECT id, id FROM {t['zones']} UNION ALL SELECT b.top, z.id FROM "
        f"{t['zones']} AS z JOIN "
        f"b ON z.parent_id = b.id), v AS (SELECT x.id, x.zone_id, julianday({_delivery(a)}) - "
        f"julianday({a.date('x.shipped')}) AS "
        f"days FROM ({_live(a)}) AS x WHERE {a.among('x.' + a.at('shipped'), p)}) SELECT b.top, COUNT(v.id), "
        f"AVG(v.days) FROM b "
        "LEFT JOIN v ON v.zone_id = b.id GROUP BY b.top",
        ("zone", "delivery", *_GONE),
        also=("scan_codes",),
    )


def _out_of_stock(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    return a.question(
        "logistics.out_of_stock",
        [
            f"For how many days of {p.words} was each article out of stock in each warehouse, judged at the end of "
            f"the day?",
            f"Count the days of {p.words} that ended with a stock of zero or less, per warehouse and article.",
        ],
        "one row per warehouse and article with a move before the end of that time: warehouse id, article id, number "
        "of such days "
        "(days before the first move do not count)",
        f"WITH d AS (SELECT warehouse_id, article_id, moved_on AS day, SUM(quantity) AS quantity FROM "
        f"{t['stock_moves']} WHERE "
        f"moved_on < '{p.end}' GROUP BY warehouse_id, article_id, moved_on), s AS (SELECT warehouse_id, article_id, "
        f"day, "
        "SUM(quantity) OVER w AS stock, LEAD(day) OVER w AS next FROM d WINDOW w AS (PARTITION BY warehouse_id, "
        "article_id ORDER "
        f"BY day)) SELECT warehouse_id, article_id, CAST(SUM(CASE WHEN stock <= 0 THEN MAX(0, "
        f"julianday(COALESCE(next, '{p.end}')) "
        f"- julianday(MAX(day, '{p.start}'))) ELSE 0 END) AS INTEGER) FROM s GROUP BY warehouse_id, article_id",
        ("stock",),
    )


def _streak(a: Ask) -> Question:
    p, least = a.period("half", "year"), a.draw.integer(2, 3)
    return a.question(
        "logistics.late_runs",
        [
            f"Did a carrier deliver late several times in a row? For shipments of {p.words} with a promised day that "
            f"were "
            f"delivered, find each carrier's longest run of late deliveries, if it is {least} or more.",
            f"Find carriers with at least {least} late deliveries in a row among the delivered shipments of {p.words} "
            f"that had a "
            "promised day.",
        ],
        "one row per carrier: carrier id, length of the longest run; a carrier's shipments follow each other by "
        "moment of shipping, "
        "then id; late means delivered after promised_on",
        f"WITH v AS (SELECT x.carrier_id, x.{a.at('shipped')} AS shipped, x.id, {_delivery(a)} > x.promised_on AS "
        f"late FROM "
        f"({_live(a)}) AS x WHERE x.carrier_id IS NOT NULL AND x.promised_on IS NOT NULL AND "
        f"{a.among('x.' + a.at('shipped'), p)}"
        "), g AS (SELECT carrier_id, late, ROW_NUMBER() OVER (PARTITION BY carrier_id ORDER BY shipped, id) - "
        "ROW_NUMBER() OVER "
        "(PARTITION BY carrier_id, late ORDER BY shipped, id) AS run FROM v WHERE late IS NOT NULL), r AS (SELECT "
        "carrier_id, "
        "COUNT(*) AS length FROM g WHERE late = 1 GROUP BY carrier_id, run) SELECT carrier_id, MAX(length) FROM r "
        "GROUP BY "
        f"carrier_id HAVING MAX(length) >= {least}",
        ("delivery", *_GONE),
        also=("scan_codes",),
    )


# ---- changes --------------------------------------------------------------------------------------------------------


def _to_kilograms(a: Ask) -> Question:
    t, day = a.t["shipments"], a.day()
    return a.question(
        "logistics.to_kilograms",
        [
            f"Convert the weights of all shipments shipped up to and including {long_date(day)} to kg.",
            f"Shipments shipped by the end of {long_date(day)} should have their weight in kg, not in pounds.",
        ],
        f"in {t}, weight_unit is kg in those rows and the weights that were in lb are converted, unrounded (unknown "
        f"ones stay NULL); "
        "it makes no difference whether a row is marked as deleted. Nothing else changes",
        f"UPDATE {t} SET weight = weight * {_GRAMS} / 1000, weight_unit = 'kg' WHERE weight_unit = 'lb' AND "
        f"{a.until(a.at('shipped'), day)}",
        ("weight",),
        writes=True,
    )


def _double_scans(a: Ask) -> Question:
    t, minutes = a.t["scans"], a.draw.choice((60, 240))
    p = a.period("half", "year")
    return a.question(
        "logistics.double_scans",
        [
            f"Handheld scanners sent some scans twice. In the scans of {p.words}, delete each one that repeats an "
            f"earlier scan of "
            f"the same shipment and code at most {minutes} minutes before it.",
            f"Remove repeated scans from {p.words}: same shipment, same code, no more than {minutes} minutes after "
            f"another one.",
        ],
        f"a row of {t} from that time is gone if, in the data as it is now, the same shipment has a scan with the "
        f"same code from 0 "
        f"to {minutes} minutes before it (at the same moment, the one with the lower id is the earlier one); it is "
        f"compared with "
        "all scans, also those that go. Nothing else changes",
        f"DELETE FROM {t} WHERE id IN (SELECT l.id FROM {t} AS l JOIN {t} AS e ON e.shipment_id = l.shipment_id AND "
        f"e.code = "
        f"l.code AND (e.scanned_at < l.scanned_at OR (e.scanned_at = l.scanned_at AND e.id < l.id)) AND "
        f"unixepoch(l.scanned_at) - "
        f"unixepoch(e.scanned_at) <= {60 * minutes} WHERE {a.among('l.scanned_at', p)})",
        writes=True,
        also=("scan_codes",),
    )


FAMILIES = (
    (3, _not_scanned),
    (3, _per_carrier),
    (3, _stock),
    (4, _on_time),
    (4, _weights),
    (4, _statuses),
    (5, _charges),
    (5, _slowest),
    (5, _dwell),
    (6, _zone_tree),
    (6, _out_of_stock),
    (6, _streak),
    (4, _to_kilograms),
    (5, _double_scans),
)
"""The tier of each kind of request, and what draws one."""
