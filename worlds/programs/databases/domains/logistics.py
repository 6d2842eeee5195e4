"""A parcel and storage company: shipments with scans, carriers and their rates, zones, stock moves in warehouses."""

from collections.abc import Mapping

from turnwise.verifiers.sql.results import Value
from turnwise.worlds.programs.databases.fill import FIRST_DAY, LAST_DAY, Filler
from turnwise.worlds.programs.databases.model import DAYS, Domain, Fact, Filter, Rows, Style

__all__ = ["LOGISTICS"]

_CARRIERS = ("Northline", "Swiftway", "Bluevan", "Parcelo")
_SITES = ("Antwerp", "Gdansk", "Lyon", "Leipzig")
_ZONES = ("Europe", "Overseas", "Benelux", "Nordics", "Iberia", "Americas", "Asia", "Belgium", "Sweden", "Spain")
_CODES = (
    ("PU", "picked up"),
    ("HU", "arrived at a hub"),
    ("OD", "out for delivery"),
    ("DL", "delivered"),
    ("EX", "exception"),
)
_SERVICES = ("standard", "express", "freight")
_MOVES = ("receipt", "issue", "correction")
_GRAMS = 453.592  # of a pound


def _tables(s: Style) -> dict[str, str]:
    return {
        "zones": "id INTEGER PRIMARY KEY, name TEXT NOT NULL, parent_id INTEGER REFERENCES zones(id)",
        "carriers": "id INTEGER PRIMARY KEY, name TEXT NOT NULL",
        "clients": f"id INTEGER PRIMARY KEY, name TEXT NOT NULL, signed_on TEXT NOT NULL{s.deleted}",
        "warehouses": "id INTEGER PRIMARY KEY, city TEXT NOT NULL",
        "rates": f"id INTEGER PRIMARY KEY, carrier_id INTEGER NOT NULL REFERENCES carriers(id), service TEXT NOT NULL, "
        f"{s.money('price')} NOT NULL, valid_from TEXT NOT NULL, valid_to TEXT",
        "shipments": f"id INTEGER PRIMARY KEY, client_id INTEGER NOT NULL REFERENCES clients(id), carrier_id INTEGER "
        f"REFERENCES "
        f"carriers(id), zone_id INTEGER NOT NULL REFERENCES zones(id), service TEXT NOT NULL, {s.moment('shipped')} "
        f"TEXT NOT "
        f"NULL, promised_on TEXT, weight REAL, weight_unit TEXT NOT NULL, num_boxes INTEGER{s.deleted}",
        "scan_codes": "code TEXT PRIMARY KEY, label TEXT NOT NULL",
        "scans": "id INTEGER PRIMARY KEY, shipment_id INTEGER NOT NULL REFERENCES shipments(id), scanned_at TEXT NOT "
        "NULL, code "
        "TEXT NOT NULL REFERENCES scan_codes(code)",
        "articles": "id INTEGER PRIMARY KEY, sku TEXT NOT NULL, client_id INTEGER REFERENCES clients(id), "
        "minimum_stock INTEGER",
        "stock_moves": "id INTEGER PRIMARY KEY, warehouse_id INTEGER NOT NULL REFERENCES warehouses(id), article_id "
        "INTEGER NOT "
        "NULL REFERENCES articles(id), moved_on TEXT NOT NULL, kind TEXT NOT NULL, quantity INTEGER NOT NULL",
    }


def _terms(s: Style, t: Mapping[str, str]) -> dict[str, str]:
    first = "first" if s.strict else "last"
    terms = {
        "delivery": f"the day of the {first} scan with the code DL of a shipment; a shipment without one is not "
        f"delivered",
        "on time": "a shipment is on time if its delivery is on or before promised_on; shipments without a promised "
        "day have no "
        "promise to keep and are left out" + ("" if s.late else ", and so are shipments that are not delivered"),
        "current status": "the code of the latest scan of a shipment; of scans at the same moment, the one with the "
        "highest id",
        "weight": f"weights are kept in kg or lb (weight_unit); a pound is {_GRAMS} g",
        "rate": f"the price in {t['rates']} of the carrier and service that is valid on the day of shipping "
        f"(valid_from included, "
        "valid_to not included; an empty valid_to means until further notice)",
        "stock": "the sum of quantities moved so far, per warehouse and article; issues are stored as negative numbers",
        "zone": "a zone includes everything below it, at any depth",
    }
    if s.deletion:
        terms["deleted rows"] = f"{s.deletion}; deleted shipments, and all shipments of deleted clients, count nowhere"
    if s.dirty:
        terms["service"] = (
            "typed by hand in shipments: compare and group it there in lower case without blanks around it"
        )
    return terms


def _rows(f: Filler) -> Rows:
    clients, articles = f.ids(0.08, 6, 80), f.ids(0.06, 6, 60)
    shipments = f.ids(0.5, 25)
    carriers, zones, sites = list(range(1, 5)), list(range(1, 11)), list(range(1, 5))
    rates: list[tuple[int | float | str | None, ...]] = []
    for carrier in carriers:
        for service in _SERVICES:
            for start, end in f.chain(1, 3, FIRST_DAY, LAST_DAY - 60):
                rates.append(
                    (len(rates) + 1, carrier, service, f.money(5, 50), DAYS[start], DAYS[end] if end else None)
                )
    sent: list[tuple[Value, ...]] = []
    scans: list[tuple[int, int, str, str]] = []
    for key in shipments:
        day = f.day()
        pounds = f.some(0.35)
        sent.append((key, f.ref(clients), f.maybe(0.08, f.ref(carriers, 1.0)), f.ref(zones, 1.0),
        f.typed(f.pick(_SERVICES, 0.3)),
                     f.moment(day), f.maybe(0.12, DAYS[day + f.number(1, 6)]), f.maybe(0.08, f.number(2, 60) / 2),
                     "lb" if pounds else "kg", f.maybe(0.1, f.number(1, 8)), *f.gone()))  # fmt: skip
        at = day
        for code in ("PU", "HU", "OD", "DL", "EX", "DL"):
            if code in ("EX", "HU") and f.some(0.6):
                continue
            if f.some(0.2 if code == "DL" else 0.15):
                continue
            if at > day and code == "DL" and scans and scans[-1][3] == "DL" and f.some(0.5):
                continue
            at += f.number(0, 3)
            clock = f"{6 + int(f.unit() * 4) * 4:02}:{int(f.unit() * 2) * 30:02}:00"
            scans.append((0, key, f"{DAYS[at]} {clock}", code))
    scans = [(i + 1, *scan[1:]) for i, scan in enumerate(sorted(scans, key=lambda _: f.unit()))]
    moves = []
    for key in f.ids(0.8, 35):
        kind = f.pick(_MOVES, 0.3)
        quantity = f.number(1, 12)
        sign = {"receipt": 1, "issue": -1}.get(kind) or f.draw.either(1, -1)
        moves.append((key, f.ref(sites, 1.3), f.ref(articles), DAYS[f.day()], kind, sign * quantity))
    return {
        "zones": list(zip(zones, _ZONES, f.tree(zones, 2), strict=True)),
        "carriers": list(zip(carriers, _CARRIERS, strict=True)),
        "clients": [(key, f"Client {key} Ltd", DAYS[f.day()], *f.gone()) for key in clients],
        "warehouses": list(zip(sites, _SITES, strict=True)),
        "rates": rates,
        "shipments": sent,
        "scan_codes": list(_CODES),
        "scans": scans,
        "articles": [(key, f"A-{100 + 3 * key}", f.maybe(0.1, f.ref(clients, 1.0)), f.maybe(0.15, f.number(0, 15)))
        for key in articles],
        "stock_moves": moves,
    }  # fmt: skip


LOGISTICS = Domain(
    "logistics",
    "a parcel and storage company",
    _tables,
    {
        "shipments": ("consignments", "parcels"), "clients": ("shippers", "accounts"), "scans": ("scan_events",
        "tracking"),
        "stock_moves": ("inventory_moves", "stock_ledger"), "rates": ("carrier_rates", "tariffs"),
    },
    _terms,
    _rows,
    (
        Fact("shipments", "shipment", "shipments", "shipped", "shipped",
             (Filter("service", _SERVICES, "with the service '{}'", "service"),
              Filter("weight_unit", ("kg", "lb"), "with the weight in {}", "weight unit")),
             (("num_boxes", "with {} boxes", "number of boxes", 8),), ("client_id", "client", "clients")),
        Fact("stock_moves", "stock move", "stock moves", "moved_on", "recorded",
             (Filter("kind", _MOVES, "of the kind '{}'", "kind"),), (("quantity", "of {} units", "number of units",
              12),),
             ("article_id", "article", "articles")),
    ),
)  # fmt: skip
