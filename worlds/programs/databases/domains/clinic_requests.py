"""What is asked about a group of clinics."""

from turnwise.worlds.programs.databases.domains.clinic import _FACTOR, _NOT_MMOL, _TESTS
from turnwise.worlds.programs.databases.model import Ask, Question, long_date

__all__ = ["FAMILIES"]


# ---- parts of statements --------------------------------------------------------------------------------------------


def _live(a: Ask) -> str:
    """The appointments that were not deleted, as a query."""
    return (
        f"SELECT x.* FROM {a.t['appointments']} AS x JOIN {a.t['patients']} AS y ON y.id = x.patient_id WHERE "
        f"{a.live('x')} AND {a.live('y')}"
    )


def _visits(a: Ask) -> str:
    """The visits, as a query."""
    return f"{_live(a)} AND x.status = 'D'" + (f" AND {a.typed('x.kind')} <> 'check-up'" if a.style.late else "")


def _rate(a: Ask) -> tuple[str, str]:
    """The tests for what a no-show rate counts, and for the appointments that it is a share of."""
    return ("IN ('N', 'C')", "<> 'B'") if a.style.strict else ("= 'N'", "IN ('N', 'D')")


_GONE = ("deleted rows",)
_VISIT = ("visit", "deleted rows", "kind", "status")

# ---- questions ------------------------------------------------------------------------------------------------------


def _load(a: Ask) -> Question:
    p, t = a.period("month", "quarter"), a.t
    return a.question(
        "clinic.load",
        [
            f"How many appointments in {p.words} did each doctor have, including doctors without any?",
            f"For the duty roster: every doctor with the number of appointments that started in {p.words}.",
        ],
        "one row per doctor: doctor id, number of appointments (whatever their status)",
        f"SELECT d.id, COUNT(x.id) FROM {t['doctors']} AS d LEFT JOIN {t['appointments']} AS x ON x.doctor_id = d.id "
        f"AND "
        f"{a.among('x.' + a.at('starts'), p)} GROUP BY d.id",
    )


def _untested(a: Ask) -> Question:
    p, t, test = a.period("half", "year"), a.t, a.draw.choice(_TESTS)
    return a.question(
        "clinic.untested",
        [
            f"Which patients had an appointment done in {p.words} but no {test} result taken in that time?",
            f"List the patients who came in {p.words} (status D) without a single {test} test taken in the same "
            f"period.",
        ],
        "one row per patient: patient id",
        f"SELECT DISTINCT x.patient_id FROM {t['appointments']} AS x WHERE x.status = 'D' AND "
        f"{a.among('x.' + a.at('starts'), p)} AND NOT EXISTS (SELECT 1 FROM {t['lab_results']} AS r WHERE "
        f"r.patient_id = "
        f"x.patient_id AND r.test = '{test}' AND {a.among('r.taken_on', p)})",
        also=("appointment_statuses",),
    )


def _by_specialty(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    return a.question(
        "clinic.by_specialty",
        [
            f"How many different patients did each specialty see in {p.words}? Only appointments with the status D "
            f"count.",
            f"Per specialty, count the different patients with an appointment that was done (status D) in {p.words}.",
        ],
        "one row per specialty with at least one such patient: name of the specialty, number of patients",
        f"SELECT s.name, COUNT(DISTINCT x.patient_id) FROM {t['appointments']} AS x JOIN {t['doctors']} AS d ON d.id = "
        f"x.doctor_id JOIN {t['specialties']} AS s ON s.id = d.specialty_id WHERE x.status = 'D' AND "
        f"{a.among('x.' + a.at('starts'), p)} GROUP BY s.name",
    )


def _no_shows(a: Ask) -> Question:
    p, least = a.period("quarter", "half", "year"), a.draw.choice((2, 3, 5))
    counted, among = _rate(a)
    return a.question(
        "clinic.no_shows",
        [
            f"What was the no-show rate of each doctor in {p.words}? Leave out doctors with fewer than {least} "
            "appointments that count for it.",
            f"Compare the doctors by no-show rate for {p.words}; a rate over fewer than {least} appointments says "
            "nothing, so skip those.",
        ],
        "one row per doctor: doctor id, no-show rate in percent (0 to 100)",
        f"SELECT doctor_id, 100.0 * SUM(status {counted}) / COUNT(*) FROM ({_live(a)}) WHERE status {among} AND "
        f"{a.among(a.at('starts'), p)} GROUP BY doctor_id HAVING COUNT(*) >= {least}",
        ("no-show rate", "status", *_GONE),
    )


def _glucose(a: Ask) -> Question:
    p, t, least = a.period("half", "year"), a.t, a.draw.integer(2, 3)
    value = f"CASE WHEN r.unit = '{_NOT_MMOL}' THEN r.value / {_FACTOR}.0 ELSE r.value END"
    return a.question(
        "clinic.glucose",
        [
            f"Give the average glucose, in mmol/L, of every patient with at least {least} results taken in {p.words}.",
            f"Which mean glucose (mmol/L) did our patients have in {p.words}? Only those with {least} results or more.",
        ],
        "one row per patient: patient id, average glucose in mmol/L",
        f"SELECT r.patient_id, AVG({value}) FROM {t['lab_results']} AS r JOIN {t['patients']} AS y ON y.id = "
        f"r.patient_id "
        f"WHERE r.test = 'GLU' AND r.value IS NOT NULL AND {a.live('y')} AND {a.among('r.taken_on', p)} GROUP BY "
        f"r.patient_id HAVING COUNT(*) >= {least}",
        ("glucose", *_GONE),
    )


def _cities(a: Ask) -> Question:
    p = a.period("quarter", "half", "year")
    city = a.typed("y.city")
    return a.question(
        "clinic.cities",
        [
            f"From which cities did our visits in {p.words} come, and what percentage of them from each?",
            f"Break the visits of {p.words} down by the patient's city, with each city's share.",
        ],
        "one row per city with a visit: city, number of visits, percentage of all visits of that time, those of "
        "patients "
        "without a city included (0 to 100); no row for patients without a city",
        f"WITH v AS (SELECT {city} AS city FROM ({_visits(a)}) AS x JOIN {a.t['patients']} AS y ON y.id = x.patient_id "
        f"WHERE {a.among('x.' + a.at('starts'), p)}) SELECT city, COUNT(*), 100.0 * COUNT(*) / (SELECT COUNT(*) FROM "
        f"v) "
        "FROM v WHERE city IS NOT NULL GROUP BY city",
        (*_VISIT, *(["city"] if a.style.dirty else [])),
    )


def _returns(a: Ask) -> Question:
    p, days = a.period("quarter", "half", "year"), a.draw.choice((7, 14, 30, 60))
    mine, later = a.date("v.starts"), a.date("w.starts")
    return a.question(
        "clinic.returns",
        [
            f"Of the visits in {p.words}, how many were followed by a return visit within {days} days, for each "
            f"doctor?",
            f"How often did patients have to come back within {days} days of a visit in {p.words}? By doctor of the "
            f"first "
            "of the two visits.",
        ],
        f"one row per doctor with a visit in that time: doctor id, number of visits, number of those with a return "
        f"visit 1 "
        f"to {days} days later",
        f"WITH v AS ({_visits(a)}) SELECT v.doctor_id, COUNT(*), SUM(EXISTS (SELECT 1 FROM v AS w WHERE w.patient_id = "
        f"v.patient_id AND julianday({later}) - julianday({mine}) BETWEEN 1 AND {days})) FROM v WHERE "
        f"{a.among('v.' + a.at('starts'), p)} GROUP BY v.doctor_id",
        ("return visit", *_VISIT),
    )


def _posted(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    day = a.date("v.starts")
    return a.question(
        "clinic.posted",
        [
            f"How many visits did each department handle in {p.words}, by the doctor's posting on the day?",
            f"Assign the visits of {p.words} to departments, using the posting that was valid on the day, and count "
            f"them.",
        ],
        "one row per department with a visit, and one with NULL for visits of doctors without a posting that day if "
        "there "
        "were any: department id, number of visits",
        f"SELECT h.department_id, COUNT(*) FROM ({_visits(a)}) AS v LEFT JOIN {t['postings']} AS h ON h.doctor_id = "
        f"v.doctor_id AND h.valid_from <= {day} AND (h.valid_to IS NULL OR h.valid_to > {day}) WHERE "
        f"{a.among('v.' + a.at('starts'), p)} GROUP BY h.department_id",
        ("department of an appointment", *_VISIT),
    )


def _latest(a: Ask) -> Question:
    day, t = a.day("2022-01-31", "2023-12-31"), a.t
    value = f"CASE WHEN unit = '{_NOT_MMOL}' THEN value / {_FACTOR}.0 ELSE value END"
    return a.question(
        "clinic.latest",
        [
            f"Going by results taken up to {long_date(day)}: how far is each patient's latest glucose from the one "
            f"before?",
            f"For every patient with two glucose results or more by {long_date(day)}, compare the last two.",
        ],
        "one row per patient with at least two such results: patient id, latest result in mmol/L, change from the "
        "result "
        "before it in mmol/L; results of the same day are ordered by id",
        f"WITH g AS (SELECT r.patient_id, {value} AS value, ROW_NUMBER() OVER (PARTITION BY r.patient_id ORDER BY "
        f"r.taken_on DESC, r.id DESC) AS place FROM {t['lab_results']} AS r JOIN {t['patients']} AS y ON y.id = "
        f"r.patient_id WHERE r.test = 'GLU' AND r.value IS NOT NULL AND {a.live('y')} AND "
        f"{a.until('r.taken_on', day)}) "
        "SELECT l.patient_id, l.value, l.value - b.value FROM g AS l JOIN g AS b ON b.patient_id = l.patient_id AND "
        "b.place = 2 WHERE l.place = 1",
        ("glucose", *_GONE),
    )


def _gaps(a: Ask) -> Question:
    gap, t = a.draw.choice((0, 3, 5, 7)), a.t
    allowed = "without a single day in between" if gap == 0 else f"with at most {gap} uncovered days in between"
    start = "julianday(issued_on)"
    return a.question(
        "clinic.continuous",
        [
            f"For how many days was each patient continuously supplied with each drug, at the longest? Prescriptions "
            f"join "
            f"into one stretch if the next is issued before the supply ends, or {allowed}.",
            f"Find the longest stretch of supply per patient and drug. A new prescription continues the stretch if it "
            f"comes "
            f"while the supply lasts, or {allowed}.",
        ],
        "one row per patient and drug: patient id, drug id, number of days from the first day of the longest stretch "
        "to "
        "its last covered day, both counted",
        f"WITH e AS (SELECT patient_id, drug_id, id, {start} AS s, {start} + days_supply AS e, MAX({start} + "
        f"days_supply) "
        f"OVER (PARTITION BY patient_id, drug_id ORDER BY issued_on, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 "
        f"PRECEDING) "
        f"AS before FROM {t['prescriptions']} WHERE patient_id IN (SELECT y.id FROM {t['patients']} AS y WHERE "
        f"{a.live('y')})), g AS (SELECT *, SUM(before IS NULL OR s > before + {gap}) OVER (PARTITION "
        "BY patient_id, drug_id ORDER BY s, id) AS run FROM e), r AS (SELECT patient_id, drug_id, CAST(MAX(e) - "
        "MIN(s) AS "
        "INTEGER) AS days FROM g GROUP BY patient_id, drug_id, run) SELECT patient_id, drug_id, MAX(days) FROM r "
        "GROUP BY "
        "patient_id, drug_id",
        ("supply", *_GONE),
    )


def _tree(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    day = a.date("v.starts")
    return a.question(
        "clinic.tree",
        [
            f"Count the different patients with a visit in {p.words} for every department, its sub-departments "
            f"included.",
            f"How many different patients did each department see in {p.words}, counting everything below it in the "
            "hierarchy?",
        ],
        "one row per department, also those without visits: department id, number of patients",
        f"WITH RECURSIVE below(top, id) AS (SELECT id, id FROM {t['departments']} UNION ALL SELECT below.top, d.id "
        f"FROM "
        f"{t['departments']} AS d JOIN below ON d.parent_id = below.id), seen AS (SELECT h.department_id, v.patient_id "
        f"FROM ({_visits(a)}) AS v JOIN {t['postings']} AS h ON h.doctor_id = v.doctor_id AND h.valid_from <= {day} "
        f"AND "
        f"(h.valid_to IS NULL OR h.valid_to > {day}) WHERE {a.among('v.' + a.at('starts'), p)}) SELECT below.top, "
        "COUNT(DISTINCT seen.patient_id) FROM below LEFT JOIN seen ON seen.department_id = below.id GROUP BY below.top",
        ("department of an appointment", *_VISIT),
    )


def _lost(a: Ask) -> Question:
    year, days = a.draw.choice((2021, 2022)), a.draw.choice((90, 120, 180))
    day = a.date("starts")
    return a.question(
        "clinic.lost",
        [
            f"For each patient with a visit in {year}: what was the longest time between two consecutive visits, all "
            f"years "
            f"considered? Report it where it is more than {days} days.",
            f"Who stayed away for more than {days} days between one visit and the next, at any time? Only patients "
            f"with a "
            f"visit in {year}, with their longest break.",
        ],
        "one row per patient: patient id, days of the longest break between visits on consecutive visit days",
        f"WITH v AS (SELECT DISTINCT patient_id, {day} AS day FROM ({_visits(a)})), b AS (SELECT patient_id, "
        "julianday(day) - julianday(LAG(day) OVER (PARTITION BY patient_id ORDER BY day)) AS days FROM v) SELECT "
        f"patient_id, MAX(days) FROM b WHERE patient_id IN (SELECT patient_id FROM v WHERE day >= '{year}-01-01' AND "
        f"day < "
        f"'{year + 1}-01-01') GROUP BY patient_id HAVING MAX(days) > {days}",
        _VISIT,
    )


# ---- changes --------------------------------------------------------------------------------------------------------


def _units(a: Ask) -> Question:
    t, day = a.t["lab_results"], a.day()
    return a.question(
        "clinic.units",
        [
            f"Bring the glucose results taken on or before {long_date(day)} to one unit, mmol/L.",
            f"Convert all glucose results in {_NOT_MMOL} taken up to {long_date(day)} to mmol/L, in place.",
        ],
        f"in each of those rows of {t}, unit is mmol/L and value the converted value, unrounded, or still NULL. "
        f"Nothing "
        "else changes",
        f"UPDATE {t} SET value = value / {_FACTOR}.0, unit = 'mmol/L' WHERE test = 'GLU' AND unit = '{_NOT_MMOL}' AND "
        f"taken_on <= '{day}'",
        ("glucose",),
        writes=True,
    )


def _missed(a: Ask) -> Question:
    t, day = a.t["appointments"], a.day()
    return a.question(
        "clinic.close_booked",
        [
            f"Appointments before {long_date(day)} that are still booked were forgotten. If the same patient has an "
            "appointment with the status D on the same day, set them to C, otherwise to N.",
            f"Clean up the appointments before {long_date(day)} that are still booked (B): set them to C if the "
            "patient was seen (status D) in another appointment on that very day, and to N otherwise.",
        ],
        f"status in {t} is as described; it makes no difference whether a row is marked as deleted. Nothing else "
        f"changes",
        f"UPDATE {t} SET status = CASE WHEN EXISTS (SELECT 1 FROM {t} AS o WHERE o.patient_id = {t}.patient_id AND "
        f"o.status "
        f"= 'D' AND {a.date('o.starts')} = {a.date(t + '.starts')}) THEN 'C' ELSE 'N' END WHERE status = 'B' AND "
        f"{a.at('starts')} < '{day}'",
        ("status",),
        writes=True,
    )


FAMILIES = (
    (3, _load),
    (3, _untested),
    (3, _by_specialty),
    (4, _no_shows),
    (4, _glucose),
    (4, _cities),
    (5, _returns),
    (5, _posted),
    (5, _latest),
    (6, _gaps),
    (6, _tree),
    (6, _lost),
    (4, _units),
    (5, _missed),
)
"""The tier of each kind of request, and what draws one."""
