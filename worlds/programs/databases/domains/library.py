"""A public library with branches: titles with authors and subjects, copies, loans, holds, fines."""

from collections.abc import Mapping

from turnwise.worlds.programs.databases.fill import FIRST_DAY, LAST_DAY, Filler
from turnwise.worlds.programs.databases.model import DAYS, Domain, Fact, Filter, Rows, Style

__all__ = ["LIBRARY"]

_BRANCHES = ("Central", "Harbour", "Hill", "Station", "Park")
_SUBJECTS = ("Science", "Arts", "Physics", "Biology", "Music", "Painting", "Optics", "Botany", "Jazz", "Opera")
_FORMATS = ("hardback", "paperback", "audio", "large print")
_REASONS = ("late", "damaged", "lost")
_NOUNS = (
    "Ashes",
    "Bridges",
    "Clouds",
    "Dunes",
    "Echoes",
    "Fields",
    "Gates",
    "Islands",
    "Lanterns",
    "Rivers",
    "Shadows",
)
_KINDS = ("desk", "kiosk", "online", "bus")


def _tables(s: Style) -> dict[str, str]:
    return {
        "branches": "id INTEGER PRIMARY KEY, name TEXT NOT NULL",
        "subjects": "id INTEGER PRIMARY KEY, name TEXT NOT NULL, parent_id INTEGER REFERENCES subjects(id)",
        "authors": "id INTEGER PRIMARY KEY, full_name TEXT NOT NULL",
        "titles": "id INTEGER PRIMARY KEY, name TEXT NOT NULL, published INTEGER",
        "title_authors": "title_id INTEGER NOT NULL REFERENCES titles(id), author_id INTEGER NOT NULL REFERENCES "
        "authors(id), "
        "PRIMARY KEY (title_id, author_id)",
        "title_subjects": "title_id INTEGER NOT NULL REFERENCES titles(id), subject_id INTEGER NOT NULL REFERENCES "
        "subjects(id), PRIMARY KEY (title_id, subject_id)",
        "copies": "id INTEGER PRIMARY KEY, title_id INTEGER NOT NULL REFERENCES titles(id), branch_id INTEGER NOT "
        "NULL "
        "REFERENCES branches(id), format TEXT NOT NULL, acquired_on TEXT NOT NULL, withdrawn_on TEXT",
        "members": f"id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, branch_id INTEGER REFERENCES branches(id), "
        f"joined_on "
        f"TEXT NOT NULL, expires_on TEXT{s.deleted}",
        "loans": f"id INTEGER PRIMARY KEY, copy_id INTEGER NOT NULL REFERENCES copies(id), member_id INTEGER NOT NULL "
        f"REFERENCES members(id), {s.moment('lent')} TEXT NOT NULL, due_on TEXT NOT NULL, returned_on TEXT, place "
        f"TEXT NOT "
        f"NULL, num_renewals INTEGER",
        "holds": "id INTEGER PRIMARY KEY, title_id INTEGER NOT NULL REFERENCES titles(id), member_id INTEGER NOT NULL "
        "REFERENCES members(id), placed_on TEXT NOT NULL, filled_on TEXT, cancelled_on TEXT",
        "fines": f"id INTEGER PRIMARY KEY, loan_id INTEGER NOT NULL REFERENCES loans(id), {s.money('amount')} NOT "
        f"NULL, "
        f"reason TEXT NOT NULL, charged_on TEXT NOT NULL, paid_on TEXT",
    }


def _terms(s: Style, t: Mapping[str, str]) -> dict[str, str]:
    grace = 3 if s.strict else 0
    terms = {
        "overdue": "a loan is overdue on a day if it was lent on or before that day, not returned by the end of it, "
        "and due " + (f"more than {grace} days before it" if grace else "before it"),
        "active member": "a member whose membership has not expired: expires_on is empty or not before the day in "
        "question" + ("; closed accounts are never active" if s.deletion else ""),
        "borrowing credit": "a loan of a title with several authors counts "
        + ("as one loan for each of them" if s.late else "in equal parts: half a loan each for two authors, and so on"),
        "waiting time": "of a hold: the days from placed_on to filled_on; holds that were not filled have none",
        "in stock": "a copy is in stock on a day if it was acquired on or before that day and not withdrawn on or "
        "before it",
        "subject": "a title belongs to its subjects and to everything above them, at any height",
        "fine income": "the fines that were paid; it belongs to the day of payment",
    }
    if s.deletion:
        terms["closed account"] = (
            f"{s.deletion}; a deleted row of {t['members']} is the account of somebody who left. What "
        )
        terms["closed account"] += "they borrowed still counts, unless the request says otherwise"
    if s.dirty:
        terms["place"] = (
            "of a loan: desk, kiosk, online or bus; typed by hand at times: compare and group it in lower case "
        )
        terms["place"] += "without blanks around it"
        terms["reason"] = (
            "of a fine: late, damaged or lost; compare and group it in lower case without blanks around it"
        )
    return terms


def _rows(f: Filler) -> Rows:
    titles, authors, members = f.ids(0.12, 8), f.ids(0.08, 6), f.ids(0.18, 9)
    copies, loans = f.ids(0.25, 14), f.ids(0.9, 35)
    branches, subjects = list(range(1, 6)), list(range(1, 11))
    parents = f.tree(subjects, 2)
    joined = {key: f.day() for key in members}
    lent = []
    for key in loans:
        member = f.ref(members)
        day = min(joined[member] + f.number(0, 40), LAST_DAY) if f.some(0.25) else f.day()
        back = min(day + f.number(0, 45), LAST_DAY)
        due = day + f.draw.either(14, 21, 28)
        lent.append((key, f.ref(copies), member, f.moment(day), DAYS[due], f.maybe(0.2, DAYS[back]),
                     f.typed(f.pick(_KINDS)), f.maybe(0.1, f.number(0, 4))))  # fmt: skip
    held = []
    for key in f.ids(0.35, 18):
        day = f.day()
        how = f.unit()
        filled = DAYS[min(day + f.number(0, 60), LAST_DAY)] if how < 0.6 else None
        held.append((key, f.ref(titles), f.ref(members), DAYS[day], filled,
                     DAYS[min(day + f.number(1, 40), LAST_DAY)] if how > 0.85 else None))  # fmt: skip
    return {
        "branches": list(zip(branches, _BRANCHES, strict=True)),
        "subjects": list(zip(subjects, _SUBJECTS, parents, strict=True)),
        "authors": [(key, f.person()) for key in authors],
        "titles": [(key, f"{f.pick(_NOUNS)} and {f.pick(_NOUNS)}", f.maybe(0.1, 1950 + f.number(0, 70)))
        for key in titles],
        "title_authors": sorted({(key, f.ref(authors)) for key in titles for _ in range(3) if f.some(0.6)}),
        "title_subjects": sorted({(key, f.ref(subjects, 1.1)) for key in titles for _ in range(2) if f.some(0.8)}),
        "copies": [
            (key, f.ref(titles), f.ref(branches, 1.0), f.pick(_FORMATS, 0.3), DAYS[day], f.maybe(0.75,
             DAYS[f.day(day)]))
            for key in copies for day in (f.day(),)
        ],
        "members": [
            (key, f.person(), f.maybe(0.1, f.ref(branches, 1.0)), DAYS[joined[key]], f.maybe(0.4,
             DAYS[f.day(FIRST_DAY + 90)]),
             *f.gone()) for key in members
        ],
        "loans": lent,
        "holds": held,
        "fines": [
            (key, f.ref(loans, 1.0), f.money(1, 20, 1), f.typed(f.pick(_REASONS, 0.3)), DAYS[day],
             f.maybe(0.35, DAYS[f.day(day)])) for key in f.ids(0.35, 18) for day in (f.day(),)
        ],
    }  # fmt: skip


LIBRARY = Domain(
    "library",
    "a public library",
    _tables,
    {
        "loans": ("checkouts", "lendings"), "members": ("readers", "patrons"), "titles": ("works", "catalogue"),
        "copies": ("exemplars", "holdings"), "holds": ("reservations", "hold_requests"), "fines": ("charges",
        "penalties"),
    },
    _terms,
    _rows,
    (
        Fact("loans", "loan", "loans", "lent", "made",
             (Filter("place", _KINDS, "at the place '{}'", "place"),), (("num_renewals", "with {} renewals", "number "
             "of renewals", 4),),
             ("member_id", "member", "members")),
        Fact("fines", "fine", "fines", "charged_on", "charged",
             (Filter("reason", _REASONS, "with the reason '{}'", "reason"),), (("amount", "of {} euros", "amount in "
             "euros", 20),),
             ("loan_id", "loan", "loans")),
    ),
)  # fmt: skip
