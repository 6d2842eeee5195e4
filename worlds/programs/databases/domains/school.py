"""A school: classes of subjects in terms, pupils who join and leave, assessments with results, attendance."""

from collections.abc import Mapping

from turnwise.verifiers.sql.results import Value
from turnwise.worlds.programs.databases.fill import FIRST_DAY, LAST_DAY, Filler
from turnwise.worlds.programs.databases.model import DAYS, Domain, Fact, Filter, Rows, Style

__all__ = ["SCHOOL"]

_SUBJECTS = ("Algebra", "Biology", "Chemistry", "Drawing", "English", "French", "Geometry", "History")
_TERMS = (("2021 spring", "2021-01-11", "2021-06-30"), ("2021 autumn", "2021-09-01", "2021-12-20"),
          ("2022 spring", "2022-01-10", "2022-06-30"), ("2022 autumn", "2022-09-01", "2022-12-20"),
          ("2023 spring", "2023-01-09", "2023-06-30"), ("2023 autumn", "2023-09-01", "2023-12-20"))  # fmt: skip
_MARKS = (("P", "present"), ("A", "absent"), ("E", "excused"), ("L", "late"))
_KINDS = ("quiz", "essay", "exam", "project")
_TOPICS = ("lost property", "school trip", "behaviour", "illness")


def _tables(s: Style) -> dict[str, str]:
    return {
        "terms": "id INTEGER PRIMARY KEY, name TEXT NOT NULL, starts_on TEXT NOT NULL, ends_on TEXT NOT NULL",
        "subjects": "id INTEGER PRIMARY KEY, name TEXT NOT NULL, requires_id INTEGER REFERENCES subjects(id)",
        "teachers": "id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, mentor_id INTEGER REFERENCES teachers(id)",
        "pupils": f"id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, birth_year INTEGER, enrolled_on TEXT NOT NULL, "
        f"left_on "
        f"TEXT{s.deleted}",
        "classes": "id INTEGER PRIMARY KEY, subject_id INTEGER NOT NULL REFERENCES subjects(id), teacher_id INTEGER "
        "REFERENCES "
        "teachers(id), term_id INTEGER NOT NULL REFERENCES terms(id)",
        "class_members": "class_id INTEGER NOT NULL REFERENCES classes(id), pupil_id INTEGER NOT NULL REFERENCES "
        "pupils(id), "
        "joined_on TEXT NOT NULL, left_on TEXT, PRIMARY KEY (class_id, pupil_id)",
        "assessments": "id INTEGER PRIMARY KEY, class_id INTEGER NOT NULL REFERENCES classes(id), kind TEXT NOT NULL, "
        "held_on "
        "TEXT NOT NULL, max_points INTEGER NOT NULL, weight INTEGER NOT NULL",
        "results": "assessment_id INTEGER NOT NULL REFERENCES assessments(id), pupil_id INTEGER NOT NULL REFERENCES "
        "pupils(id), "
        "points REAL, PRIMARY KEY (assessment_id, pupil_id)",
        "attendance_marks": "code TEXT PRIMARY KEY, label TEXT NOT NULL",
        "attendance": "id INTEGER PRIMARY KEY, pupil_id INTEGER NOT NULL REFERENCES pupils(id), day TEXT NOT NULL, "
        "mark TEXT NOT "
        "NULL REFERENCES attendance_marks(code), minutes_late INTEGER",
        "notes": f"id INTEGER PRIMARY KEY, pupil_id INTEGER NOT NULL REFERENCES pupils(id), {s.moment('written')} "
        f"TEXT NOT NULL, "
        f"topic TEXT NOT NULL, num_pages INTEGER",
    }


def _terms(s: Style, t: Mapping[str, str]) -> dict[str, str]:
    missing = "counts as 0 points" if s.strict else "is left out"
    gone = f"; pupils who were deleted ({s.deletion}) are never counted" if s.deletion else ""
    terms = {
        "pupil": "everybody in " + t["pupils"] + gone,
        "score": f"points divided by max_points, in percent; a result without points (the pupil did not take part) "
        f"{missing}",
        "grade": "of a pupil in a class: the average of the scores, weighted by the weight of each assessment",
        "missed day": "a day on which the mark of a pupil is A"
        + (" or E" if s.late else "; excused days (E) are not missed"),
        "in class": "a pupil is in a class on a day if joined_on is on or before that day and left_on is empty or "
        "later",
        "prerequisite": "the subject in requires_id, and the prerequisites of that one, and so on",
        "mark": f"{t['attendance_marks']} has the codes: P present, A absent, E excused, L late",
    }
    if s.dirty:
        terms["kind"] = (
            "of an assessment: quiz, essay, exam or project; typed by hand: compare and group it in lower case without "
        )
        terms["kind"] += "blanks around it"
        terms["topic"] = "of a note: typed by hand; compare and group it in lower case without blanks around it"
    return terms


def _rows(f: Filler) -> Rows:
    pupils, teachers = f.ids(0.16, 9), f.ids(0.05, 5, 40)
    subjects, terms = list(range(1, 9)), list(range(1, 7))
    classes, assessments = f.ids(0.06, 6, 60), f.ids(0.25, 14)
    above: list[int | None] = [None if i < 3 or f.some(0.2) else 1 + int(f.unit() * i) for i in range(8)]
    groups = [(key, f.ref(subjects, 1.0), f.maybe(0.1, f.ref(teachers)), f.ref(terms, 1.0)) for key in classes]
    members = {}
    for key in classes:
        for pupil in pupils[:60]:
            if f.some(0.45):
                start = f.day()
                members[key, pupil] = (key, pupil, DAYS[start], f.maybe(0.75, DAYS[f.day(start)]))
    tests = [
        (
            key,
            f.ref(classes, 1.0),
            f.typed(f.pick(_KINDS, 0.3)),
            DAYS[f.day()],
            f.draw.either(10, 20, 40, 50),
            f.number(1, 4),
        )
        for key in assessments
    ]
    results: list[tuple[Value, ...]] = []
    for key, group, _, _, most, _ in tests:
        for owner, pupil in members:
            if owner == group and len(results) < f.size * 2 and f.some(0.8):
                results.append((key, pupil, f.maybe(0.12, f.number(0, 2 * most) / 2)))
    marks = [code for code, _ in _MARKS]
    days: dict[tuple[int, int], tuple[int | str | None, ...]] = {}
    for pupil in pupils:
        start = f.day(FIRST_DAY, LAST_DAY - 20)
        for step in range(int(f.size * 1.0 / max(len(pupils), 1)) + 4):
            day = start + step if f.some(0.7) else f.day()
            mark = f.draw.weighted(marks, (5, 4, 2, 2))
            days[pupil, day] = (pupil, DAYS[day], mark, f.number(1, 40) if mark == "L" and f.some(0.9) else None)
    return {
        "terms": [(i + 1, *term) for i, term in enumerate(_TERMS)],
        "subjects": list(zip(subjects, _SUBJECTS, above, strict=True)),
        "teachers": list(zip(teachers, [f.person() for _ in teachers], f.tree(teachers, 2), strict=True)),
        "pupils": [
            (key, f.person(), f.maybe(0.1, f.number(2003, 2012)), DAYS[f.day()], f.maybe(0.8,
             DAYS[f.day(FIRST_DAY + 100)]),
             *f.gone()) for key in pupils
        ],
        "classes": groups,
        "class_members": list(members.values()),
        "assessments": tests,
        "results": results,
        "attendance_marks": list(_MARKS),
        "attendance": [(i + 1, *row) for i, row in enumerate(days.values())],
        "notes": [
            (key, f.ref(pupils), f.moment(f.day()), f.typed(f.pick(_TOPICS)), f.maybe(0.1, f.number(1, 8)))
            for key in f.ids(0.5, 25)
        ],
    }  # fmt: skip


SCHOOL = Domain(
    "school",
    "a school",
    _tables,
    {
        "pupils": ("students", "learners"), "classes": ("courses", "groups_taught"), "assessments": ("tests",
        "tasks_marked"),
        "results": ("scores", "test_results"), "attendance": ("register", "attendance_log"), "notes": ("letters",
        "messages_home"),
    },
    _terms,
    _rows,
    (
        Fact("notes", "note", "notes", "written", "written",
             (Filter("topic", _TOPICS, "on the topic '{}'", "topic"),), (("num_pages", "with {} pages", "number of "
             "pages", 8),),
             ("pupil_id", "pupil", "pupils")),
        Fact("assessments", "assessment", "assessments", "held_on", "held",
             (Filter("kind", _KINDS, "of the kind '{}'", "kind"),),
             (("max_points", "with a maximum of {} points", "maximum number of points", 50), ("weight", "with a "
             "weight of {}", "weight", 4)), ("class_id", "class", "classes")),
    ),
)  # fmt: skip
