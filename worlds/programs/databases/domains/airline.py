"""An airline: flights on routes, aircraft, bookings with segments, a loyalty programme with tiers over time."""

from collections.abc import Mapping

from turnwise.worlds.programs.databases.fill import FIRST_DAY, LAST_DAY, Filler
from turnwise.worlds.programs.databases.model import DAYS, Domain, Fact, Filter, Rows, Style

__all__ = ["AIRLINE"]

_AIRPORTS = (
    ("BGO", "NO", 60), ("DUB", "IE", 0), ("LIS", "PT", 0), ("LYS", "FR", 60), ("TRN", "IT", 60), ("ATH", "GR", 120),
    ("HEL", "FI", 120), ("KEF", "IS", 0), ("WAW", "PL", 60), ("OTP", "RO", 120),
)  # fmt: skip
_MODELS = (("A320", 180), ("E190", 106), ("AT72", 70))
_CABINS = ("economy", "premium", "business")
_TIERS = ("basic", "silver", "gold")
_STATUSES = (("S", "scheduled"), ("F", "flown"), ("X", "cancelled"), ("D", "diverted"))
_CHANNELS = ("web", "agency", "app", "desk")
_MILES = ("flight", "partner", "bonus", "redeemed", "expired")


def _tables(s: Style) -> dict[str, str]:
    return {
        "airports": "code TEXT PRIMARY KEY, country TEXT NOT NULL, utc_offset_minutes INTEGER NOT NULL",
        "aircraft": "id INTEGER PRIMARY KEY, tail_number TEXT NOT NULL, model TEXT NOT NULL, seats INTEGER NOT NULL",
        "routes": "id INTEGER PRIMARY KEY, origin TEXT NOT NULL REFERENCES airports(code), destination TEXT NOT NULL "
        "REFERENCES airports(code), distance_km INTEGER",
        "flight_statuses": "code TEXT PRIMARY KEY, label TEXT NOT NULL",
        "flights": "id INTEGER PRIMARY KEY, route_id INTEGER NOT NULL REFERENCES routes(id), aircraft_id INTEGER "
        "REFERENCES "
        "aircraft(id), departs_at TEXT NOT NULL, minutes INTEGER NOT NULL, status TEXT NOT NULL REFERENCES "
        "flight_statuses(code), delay_minutes INTEGER",
        "passengers": f"id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, country TEXT{s.deleted}",
        "tiers": "id INTEGER PRIMARY KEY, passenger_id INTEGER NOT NULL REFERENCES passengers(id), tier TEXT NOT NULL, "
        "valid_from TEXT NOT NULL, valid_to TEXT",
        "bookings": f"id INTEGER PRIMARY KEY, passenger_id INTEGER NOT NULL REFERENCES passengers(id), "
        f"{s.moment('booked')} "
        f"TEXT NOT NULL, channel TEXT NOT NULL, num_bags INTEGER, cancelled_on TEXT{s.deleted}",
        "segments": f"booking_id INTEGER NOT NULL REFERENCES bookings(id), flight_id INTEGER NOT NULL REFERENCES "
        f"flights(id), "
        f"cabin TEXT NOT NULL, {s.money('fare')} NOT NULL, PRIMARY KEY (booking_id, flight_id)",
        "miles": "id INTEGER PRIMARY KEY, passenger_id INTEGER NOT NULL REFERENCES passengers(id), posted_on TEXT NOT "
        "NULL, "
        "kind TEXT NOT NULL, amount INTEGER NOT NULL",
    }


def _terms(s: Style, t: Mapping[str, str]) -> dict[str, str]:
    limit = 15 if s.strict else 5
    gone = f", if neither it nor its passenger was deleted ({s.deletion})" if s.deletion else ""
    terms = {
        "operated": "a flight with the status F" + (" or D" if s.late else "; diverted flights do not count"),
        "punctual": f"an operated flight that left at most {limit} minutes late; a flight without a recorded delay "
        f"was on time",
        "valid booking": f"a booking that was not cancelled (cancelled_on is empty){gone}",
        "load factor": "the segments of valid bookings on operated flights divided by the seats of the aircraft of "
        "these "
        "flights; flights without an aircraft on record are left out of both",
        "fare revenue": "the fares of the segments of valid bookings; it belongs to the day on which the booking was "
        "made",
        "tier of a booking": f"the passenger's tier in {t['tiers']} on the day of the booking (valid_from included, "
        f"valid_to "
        "not included; an empty valid_to means until further notice); passengers without a row for that day are basic",
        "times": "departs_at is in UTC; local time is UTC plus utc_offset_minutes of the airport",
        "miles balance": "the sum of amounts posted so far; redeemed and expired miles are stored as negative numbers",
    }
    if s.dirty:
        terms["channel"] = "typed by hand at times: compare and group it in lower case without blanks around it"
    return terms


def _rows(f: Filler) -> Rows:
    codes = [code for code, _, _ in _AIRPORTS]
    planes, passengers = f.ids(0.03, 4, 20), f.ids(0.2, 9)
    pairs = [(a, b) for a in codes for b in codes if a != b and f.some(0.14)] or [(codes[0], codes[1])]
    flights, bookings = f.ids(0.35, 20), f.ids(0.45, 22)
    states = [code for code, _ in _STATUSES]
    flown = []
    for key in flights:
        state = "F" if f.some(0.6) else f.pick(states, 0.3)
        clock = f"{int(f.unit() * 24):02}:{int(f.unit() * 12) * 5:02}:00"
        late = f.maybe(0.15, f.number(0, 40)) if state in "FD" else None
        flown.append((key, 1 + int(f.unit() * len(pairs)), f.maybe(0.1, f.ref(planes, 1.0)), f"{DAYS[f.day()]} {clock}",
                      f.number(45, 200, 5), state, late))  # fmt: skip
    tiers: list[tuple[int | str | None, ...]] = []
    for key in passengers:
        for start, end in f.chain(0, 3, FIRST_DAY, LAST_DAY - 30):
            tiers.append((len(tiers) + 1, key, f.pick(_TIERS, 0.3), DAYS[start], DAYS[end] if end else None))
    booked = [f.day() for _ in bookings]
    seats = {(f.ref(bookings, 1.0), f.ref(flights, 1.0)) for _ in range(int(1.0 * f.size) + 20)}
    ledger = []
    for key in f.ids(0.7, 30):
        kind = f.pick(_MILES, 0.3)
        amount = f.number(100, 1500, 100)
        ledger.append(
            (key, f.ref(passengers), DAYS[f.day()], kind, -amount if kind in ("redeemed", "expired") else amount)
        )
    return {
        "airports": list(_AIRPORTS),
        "aircraft": [
            (key, f"LN-T{chr(65 + key % 26)}{key}", *_MODELS[int(f.unit() * 3)]) for key in planes
        ],
        "routes": [(i + 1, a, b, f.maybe(0.1, f.number(300, 3000, 100))) for i, (a, b) in enumerate(pairs)],
        "flight_statuses": list(_STATUSES),
        "flights": flown,
        "passengers": [(key, f.person(), f.maybe(0.1, f.pick([c for _, c, _ in _AIRPORTS])), *f.gone())
        for key in passengers],
        "tiers": tiers,
        "bookings": [
            (key, f.ref(passengers), f.moment(day), f.typed(f.pick(_CHANNELS)), f.maybe(0.1, f.number(0, 4)),
             f.maybe(0.85, DAYS[min(day + f.number(0, 60), LAST_DAY)]), *f.gone())
            for key, day in zip(bookings, booked, strict=True)
        ],
        "segments": [(b, flight, f.pick(_CABINS, 0.3), f.money(20, 200)) for b, flight in sorted(seats)],
        "miles": ledger,
    }  # fmt: skip


AIRLINE = Domain(
    "airline",
    "an airline",
    _tables,
    {
        "flights": ("flight_legs", "departures"), "bookings": ("reservations", "pnr"),
        "segments": ("booked_seats", "booking_segments"), "passengers": ("travellers", "guests"),
        "tiers": ("loyalty_tiers", "tier_history"), "miles": ("miles_ledger", "mileage"),
    },
    _terms,
    _rows,
    (
        Fact("bookings", "booking", "bookings", "booked", "made",
             (Filter("channel", _CHANNELS, "from the {} channel", "channel"),), (("num_bags", "with {} bags",
              "number of bags", 4),),
             ("passenger_id", "passenger", "passengers")),
        Fact("miles", "posting", "postings", "posted_on", "entered",
             (Filter("kind", _MILES, "of the kind '{}'", "kind"),), (("amount", "of {} miles", "number of miles",
              1500),),
             ("passenger_id", "passenger", "passengers")),
    ),
)  # fmt: skip
