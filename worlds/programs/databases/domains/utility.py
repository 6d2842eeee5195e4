"""An electricity supplier: premises with meters and readings, contracts with tariffs, districts, outages."""

from collections.abc import Mapping

from turnwise.worlds.programs.databases.fill import FIRST_DAY, LAST_DAY, Filler
from turnwise.worlds.programs.databases.model import DAYS, Domain, Fact, Filter, Rows, Style

__all__ = ["UTILITY"]

_DISTRICTS = ("North", "South", "Old Town", "Docks", "Mill", "Meadow", "Quay", "Market")
_TARIFFS = ("BASE", "GREEN", "NIGHT")
_CAUSES = (("ST", "storm"), ("EQ", "equipment"), ("DG", "digging"), ("PL", "planned work"))
_KINDS = ("household", "shop", "workshop", "public")
_TOPICS = ("bill", "outage", "move", "meter")
_STREETS = ("Ash", "Beech", "Canal", "Dock", "Elm", "Fern", "Grove", "Hill")


def _tables(s: Style) -> dict[str, str]:
    return {
        "districts": "id INTEGER PRIMARY KEY, name TEXT NOT NULL, parent_id INTEGER REFERENCES districts(id)",
        "premises": f"id INTEGER PRIMARY KEY, address TEXT NOT NULL, district_id INTEGER REFERENCES districts(id), "
        f"kind TEXT NOT "
        f"NULL{s.deleted}",
        "meters": "id INTEGER PRIMARY KEY, premises_id INTEGER NOT NULL REFERENCES premises(id), serial TEXT NOT "
        "NULL, installed_on "
        "TEXT NOT NULL, removed_on TEXT",
        "readings": "id INTEGER PRIMARY KEY, meter_id INTEGER NOT NULL REFERENCES meters(id), read_on TEXT NOT NULL, "
        "kwh INTEGER, "
        "quality TEXT NOT NULL",
        "tariffs": "id INTEGER PRIMARY KEY, code TEXT NOT NULL",
        "tariff_prices": "tariff_id INTEGER NOT NULL REFERENCES tariffs(id), valid_from TEXT NOT NULL, cents_per_kwh "
        "INTEGER NOT "
        "NULL, PRIMARY KEY (tariff_id, valid_from)",
        "contracts": "id INTEGER PRIMARY KEY, premises_id INTEGER NOT NULL REFERENCES premises(id), tariff_id INTEGER "
        "NOT NULL "
        "REFERENCES tariffs(id), starts_on TEXT NOT NULL, ends_on TEXT",
        "outage_causes": "code TEXT PRIMARY KEY, label TEXT NOT NULL",
        "outages": "id INTEGER PRIMARY KEY, district_id INTEGER NOT NULL REFERENCES districts(id), began_at TEXT NOT "
        "NULL, ended_at "
        "TEXT, cause TEXT REFERENCES outage_causes(code)",
        "calls": f"id INTEGER PRIMARY KEY, premises_id INTEGER NOT NULL REFERENCES premises(id), "
        f"{s.moment('received')} TEXT NOT "
        f"NULL, topic TEXT NOT NULL, minutes INTEGER",
        "bills": f"id INTEGER PRIMARY KEY, contract_id INTEGER NOT NULL REFERENCES contracts(id), issued_on TEXT NOT "
        f"NULL, "
        f"{s.money('amount')} NOT NULL, paid_on TEXT",
    }


def _terms(s: Style, t: Mapping[str, str]) -> dict[str, str]:
    usable = "quality A (actual)" if s.strict else "quality A (actual) or E (estimated)"
    gone = (
        f"; premises that were deleted ({s.deletion}) count nowhere, nor does anything that belongs to them"
        if s.deletion
        else ""
    )
    terms = {
        "reading": f"a row of {t['readings']} that has kwh and {usable}; the quality X marks rejected readings. kwh "
        f"is what the "
        "meter shows, not what was used",
        "consumption": "of a meter between two consecutive readings: the later kwh minus the earlier; if it is "
        "negative the meter "
        "was reset and the consumption is not known. It belongs to the day of the later reading",
        "price": f"the latest row of {t['tariff_prices']} for the tariff with valid_from on or before the day in "
        f"question",
        "contract on a day": f"starts_on is on or before that day, and ends_on is empty or "
        f"{'after it' if s.late else 'on or after it'}",
        "outage": "from began_at to ended_at; an outage without an end is still going on and has no length yet"
        + ("; planned work (PL) is not an outage" if s.strict else ""),
        "district": "a district includes all districts below it, at any depth",
        "premises": f"places that we supply{gone}",
    }
    if s.dirty:
        terms["topic"] = "of a call: typed by hand; compare and group it in lower case without blanks around it"
        terms["kind"] = "of premises: typed by hand; compare and group it in lower case without blanks around it"
    return terms


def _rows(f: Filler) -> Rows:
    premises = f.ids(0.16, 9)
    districts, tariffs = list(range(1, 9)), [1, 2, 3]
    meters: list[tuple[int | str | None, ...]] = []
    readings: list[tuple[int | str | None, ...]] = []
    contracts: list[tuple[int | str | None, ...]] = []
    for place in premises[:-1]:
        for start, end in f.chain(1, 2, FIRST_DAY, LAST_DAY - 60):
            key = len(meters) + 1
            meters.append((key, place, f"M{7000 + 13 * key}", DAYS[start], DAYS[end] if end else None))
            day, shown = start, f.number(0, 100)
            while day <= min(end or LAST_DAY, LAST_DAY) and f.some(0.93):
                quality = f.pick("AEX", 0.3) if f.some(0.3) else f.draw.weighted("AEX", (6, 3, 1))
                readings.append((0, key, DAYS[day], f.maybe(0.06, shown), quality))
                day += f.draw.either(30, 31, 29, f.number(5, 90))
                shown = f.number(0, 20) if f.some(0.06) else shown + f.number(20, 200, 10)
        for start, end in f.chain(0, 3, FIRST_DAY, LAST_DAY):
            last = end - f.draw.either(1, 1, 1, 10, -15) if end else (f.day(start) if f.some(0.3) else None)
            contracts.append(
                (len(contracts) + 1, place, f.ref(tariffs, 1.0), DAYS[start], DAYS[max(last, start)] if last else None)
            )
    keep = sorted(readings[: 3 * f.size], key=lambda _: f.unit())
    outages = []
    for key in f.ids(0.2, 14):
        day = f.day()
        began = f"{DAYS[day]} {int(f.unit() * 24):02}:{f.draw.either(0, 15, 30):02}:00"
        ended = f"{DAYS[day + f.draw.either(1, 1, 2)]} {int(f.unit() * 24):02}:{f.draw.either(0, 20, 45):02}:00"
        outages.append(
            (
                key,
                f.ref(districts, 1.0),
                began,
                f.maybe(0.15, ended),
                f.maybe(0.1, f.pick([c for c, _ in _CAUSES], 0.2)),
            )
        )
    prices = {
        (tariff, DAYS[day]): f.number(18, 40)
        for tariff in tariffs
        for day in (FIRST_DAY - 100, *(f.day() for _ in range(4)))
    }
    return {
        "districts": list(zip(districts, _DISTRICTS, f.tree(districts, 2), strict=True)),
        "premises": [
            (key, f"{key} {f.pick(_STREETS)} Street", f.maybe(0.08, f.ref(districts, 1.0)), f.typed(f.pick(_KINDS)),
             *f.gone())
            for key in premises
        ],
        "meters": meters,
        "readings": [(i + 1, *row[1:]) for i, row in enumerate(keep)],
        "tariffs": list(zip(tariffs, _TARIFFS, strict=True)),
        "tariff_prices": [(tariff, day, cents) for (tariff, day), cents in sorted(prices.items())],
        "contracts": contracts,
        "outage_causes": list(_CAUSES),
        "outages": outages,
        "calls": [
            (key, f.ref(premises), f.moment(f.day()), f.typed(f.pick(_TOPICS)), f.maybe(0.1, f.number(1, 30)))
            for key in f.ids(0.5, 25)
        ],
        "bills": [
            (key, 1 + int(f.unit() * len(contracts)), DAYS[day], f.money(20, 150), f.maybe(0.3, DAYS[day + f.number(0,
             60)]))
            for key in f.ids(0.5, 25) for day in (f.day(),) if contracts
        ],
    }  # fmt: skip


UTILITY = Domain(
    "utility",
    "an electricity supplier",
    _tables,
    {
        "premises": ("supply_points", "service_locations"), "readings": ("meter_readings", "meter_values"),
        "contracts": ("supply_contracts", "agreements"), "outages": ("interruptions", "power_cuts"),
        "calls": ("phone_calls", "service_calls"),
    },
    _terms,
    _rows,
    (
        Fact("calls", "call", "calls", "received", "received",
             (Filter("topic", _TOPICS, "about the topic '{}'", "topic"),), (("minutes", "of {} minutes", "length in "
             "minutes", 30),),
             ("premises_id", "premises", "premises")),
        Fact("readings", "reading", "readings", "read_on", "taken",
             (Filter("quality", ("A", "E", "X"), "of quality {}", "quality"),), (("kwh", "that show {} kWh", "number "
             "of kWh shown", 200),),
             ("meter_id", "meter", "meters")),
    ),
)  # fmt: skip
