"""A group of clinics: appointments, doctors who move between departments, laboratory values, prescriptions."""

from collections.abc import Mapping

from turnwise.worlds.programs.databases.fill import FIRST_DAY, LAST_DAY, Filler
from turnwise.worlds.programs.databases.model import DAYS, Domain, Fact, Filter, Rows, Style

__all__ = ["CLINIC"]

_SPECIALTIES = ("Cardiology", "Dermatology", "Endocrinology", "Neurology", "Orthopaedics", "Paediatrics")
_DEPARTMENTS = ("Medicine", "Surgery", "Ward A", "Ward B", "Day Clinic", "Theatre 1", "Theatre 2", "Outpatients")
_STATUSES = (("B", "booked"), ("D", "done"), ("C", "cancelled"), ("N", "no-show"))
_TESTS = ("GLU", "CHOL", "HBA1C", "TSH")
_CITIES = ("Bergen", "Cadiz", "Dublin", "Ghent", "Lyon", "Porto", "Turin")
_DRUGS = ("Amoxil", "Betalor", "Cardion", "Dolorex", "Enalap", "Furosan", "Glucomet")
_KINDS = ("first visit", "follow-up", "check-up", "emergency")
_NOT_MMOL = "mg/dL"
_FACTOR = 18  # mg/dL of glucose in one mmol/L, rounded as clinics do


def _tables(s: Style) -> dict[str, str]:
    return {
        "specialties": "id INTEGER PRIMARY KEY, name TEXT NOT NULL",
        "departments": "id INTEGER PRIMARY KEY, name TEXT NOT NULL, parent_id INTEGER REFERENCES departments(id)",
        "doctors": "id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, specialty_id INTEGER REFERENCES specialties(id), "
        "hired_on TEXT NOT NULL",
        "postings": "id INTEGER PRIMARY KEY, doctor_id INTEGER NOT NULL REFERENCES doctors(id), department_id INTEGER "
        "NOT "
        "NULL REFERENCES departments(id), valid_from TEXT NOT NULL, valid_to TEXT",
        "patients": f"id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, birth_date TEXT, city TEXT{s.deleted}",
        "appointment_statuses": "code TEXT PRIMARY KEY, label TEXT NOT NULL",
        "appointments": f"id INTEGER PRIMARY KEY, patient_id INTEGER NOT NULL REFERENCES patients(id), doctor_id "
        f"INTEGER "
        f"NOT NULL REFERENCES doctors(id), {s.moment('starts')} TEXT NOT NULL, status TEXT NOT NULL REFERENCES "
        f"appointment_statuses(code), kind TEXT NOT NULL, minutes INTEGER{s.deleted}",
        "lab_results": "id INTEGER PRIMARY KEY, patient_id INTEGER NOT NULL REFERENCES patients(id), test TEXT NOT "
        "NULL, "
        "value REAL, unit TEXT NOT NULL, taken_on TEXT NOT NULL",
        "drugs": "id INTEGER PRIMARY KEY, name TEXT NOT NULL",
        "prescriptions": "id INTEGER PRIMARY KEY, patient_id INTEGER NOT NULL REFERENCES patients(id), drug_id "
        "INTEGER NOT "
        "NULL REFERENCES drugs(id), issued_on TEXT NOT NULL, days_supply INTEGER NOT NULL",
        "appointment_drugs": "appointment_id INTEGER NOT NULL REFERENCES appointments(id), drug_id INTEGER NOT NULL "
        "REFERENCES drugs(id), PRIMARY KEY (appointment_id, drug_id)",
    }


def _terms(s: Style, t: Mapping[str, str]) -> dict[str, str]:
    base = "the status N, out of appointments with the status N or D"
    wide = "the status N or C, out of all appointments but those still booked (B)"
    terms = {
        "visit": f"an appointment with the status D{', of a kind other than check-up' if s.late else ''}",
        "no-show rate": f"the share, in percent, of appointments with {wide if s.strict else base}",
        "glucose": f"lab results with the test GLU; results in {_NOT_MMOL} are divided by {_FACTOR} to get mmol/L, and "
        "results without a value are not results",
        "return visit": "a visit of the same patient, to any doctor, on a later day than a given visit",
        "department of an appointment": f"the department to which the doctor was posted on that day ({t['postings']}: "
        "valid_from included, valid_to not included; an empty valid_to means until further notice)",
        "supply": "a prescription covers days_supply days, the day of issue being the first",
        "status": "B booked, D done, C cancelled by the patient or by us, N the patient did not come",
        "kind": "of an appointment: first visit, follow-up, check-up or emergency",
    }
    if s.deletion:
        terms["deleted rows"] = f"{s.deletion}; deleted appointments, and everything of deleted patients, count nowhere"
    if s.dirty:
        terms["city"] = "typed by hand: compare and group cities in lower case without blanks around them"
        terms["kind"] += "; typed by hand: compare and group kinds in lower case without blanks around them"
    return terms


def _rows(f: Filler) -> Rows:
    doctors, patients = f.ids(0.06, 6, 60), f.ids(0.2, 9)
    departments, specialties = list(range(1, 9)), list(range(1, 7))
    drugs = list(range(1, 8))
    appointments = f.ids(0.8, 30)
    parents = f.tree(departments, 2)
    postings: list[tuple[int | str | None, ...]] = []
    for key in doctors:
        for start, end in f.chain(1, 4, FIRST_DAY, LAST_DAY - 30):
            gap = end is not None and f.some(0.2)
            postings.append((len(postings) + 1, key, f.pick(departments), DAYS[start],
                             DAYS[max(start + 1, end - 9 * gap)] if end else None))  # fmt: skip
    labs: list[tuple[int | float | str | None, ...]] = []
    for key in f.ids(0.6, 25):
        other = f.some(0.4)
        value = f.number(4, 14) * (_FACTOR if other else 1) + (0.5 if f.some(0.3) else 0)
        labs.append((key, f.ref(patients), "GLU" if f.some(0.6) else f.pick(_TESTS), f.maybe(0.1, float(value)),
                     _NOT_MMOL if other else "mmol/L", DAYS[f.day()]))  # fmt: skip
    scripts: list[tuple[int | str, ...]] = []
    for patient in patients:
        drug, day = f.pick(drugs), f.day()
        while f.some(0.75) and day <= LAST_DAY:
            supply = f.draw.either(7, 14, 28, 30)
            scripts.append((len(scripts) + 1, patient, drug, DAYS[day], supply))
            day += supply + f.number(-5, 20)
            drug = drug if f.some(0.85) else f.pick(drugs)
    codes = tuple(code for code, _ in _STATUSES)
    return {
        "specialties": [(i + 1, name) for i, name in enumerate(_SPECIALTIES)],
        "departments": list(zip(departments, _DEPARTMENTS, parents, strict=True)),
        "doctors": [(key, f"Dr {f.person()}", f.maybe(0.08, f.ref(specialties, 1.2)), DAYS[f.day()])
        for key in doctors],
        "postings": postings,
        "patients": [
            (key, f.person(), f.maybe(0.1, f"{1940 + f.number(0, 70)}-{f.draw.integer(1, 12):02}-15"),
             f.maybe(0.1, f.typed(f.pick(_CITIES))), *f.gone()) for key in patients
        ],
        "appointment_statuses": list(_STATUSES),
        "appointments": [
            (key, f.ref(patients), f.ref(doctors), f.moment(f.day()), "D" if f.some(0.45) else f.pick(codes, 0.3),
             f.typed(f.pick(_KINDS, 0.3)), f.maybe(0.1, f.number(10, 60, 5)), *f.gone()) for key in appointments
        ],
        "lab_results": labs,
        "drugs": list(zip(drugs, _DRUGS, strict=True)),
        "prescriptions": scripts,
        "appointment_drugs": sorted({(f.ref(appointments, 1.0), f.ref(drugs, 1.2)) for _ in appointments[::2]}),
    }  # fmt: skip


CLINIC = Domain(
    "clinic",
    "a group of clinics",
    _tables,
    {
        "appointments": ("bookings", "consultations"), "patients": ("persons", "patient_records"),
        "postings": ("doctor_postings", "assignments"), "lab_results": ("lab_values", "measurements"),
        "doctors": ("physicians", "medical_staff"),
    },
    _terms,
    _rows,
    (
        Fact("appointments", "appointment", "appointments", "starts", "scheduled to start",
             (Filter("kind", _KINDS, "of the kind '{}'", "kind"),
              Filter("status", ("D", "C", "N"), "with the status {}", "status")),
             (("minutes", "of {} minutes", "length in minutes", 60),), ("patient_id", "patient", "patients")),
    ),
)  # fmt: skip
