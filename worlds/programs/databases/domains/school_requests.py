"""What is asked about a school."""

from turnwise.worlds.programs.databases.domains.school import _TERMS
from turnwise.worlds.programs.databases.model import Ask, Question, long_date

__all__ = ["FAMILIES"]


# ---- parts of statements --------------------------------------------------------------------------------------------


def _score(a: Ask, points: str = "r.points") -> str:
    points = f"COALESCE({points}, 0)" if a.style.strict else points
    return f"100.0 * {points} / t.max_points"


def _taken(a: Ask) -> str:
    """Results with their assessments, r and t, that count: a source and its condition."""
    missing = "" if a.style.strict else " AND r.points IS NOT NULL"
    return (
        f"{a.t['results']} AS r JOIN {a.t['assessments']} AS t ON t.id = r.assessment_id JOIN {a.t['pupils']} AS q ON "
        f"q.id = "
        f"r.pupil_id WHERE {a.live('q')}{missing}"
    )


def _missed(a: Ask) -> str:
    return "IN ('A', 'E')" if a.style.late else "= 'A'"


# ---- questions ------------------------------------------------------------------------------------------------------


def _class_sizes(a: Ask) -> Question:
    day, t = a.day(), a.t
    return a.question(
        "school.class_sizes",
        [
            f"How many pupils were in each class on {long_date(day)}? Count those who had joined by then and not left "
            f"by then.",
            f"Give me the class sizes on {long_date(day)}, classes without pupils included.",
        ],
        "one row per class: class id, number of members with joined_on on or before that day and left_on empty or "
        "after it",
        f"SELECT c.id, COUNT(m.pupil_id) FROM {t['classes']} AS c LEFT JOIN {t['class_members']} AS m ON m.class_id = "
        f"c.id AND "
        f"m.joined_on <= '{day}' AND (m.left_on IS NULL OR m.left_on > '{day}') GROUP BY c.id",
    )


def _untested(a: Ask) -> Question:
    p, t = a.period("half", "year"), a.t
    return a.question(
        "school.untested",
        [
            f"Which pupils were members of a class that held an assessment in {p.words}, but have no result "
            f"from that time?",
            f"Find class members without a single result for assessments held in {p.words}, although at least one of "
            f"their classes "
            "held one.",
        ],
        "one row per pupil: pupil id (when they joined or left a class makes no difference; a result without points "
        "is a result)",
        f"SELECT DISTINCT m.pupil_id FROM {t['class_members']} AS m JOIN {t['assessments']} AS t ON t.class_id = "
        f"m.class_id WHERE "
        f"{a.among('t.held_on', p)} AND NOT EXISTS (SELECT 1 FROM {t['results']} AS r JOIN {t['assessments']} AS u ON "
        f"u.id = "
        f"r.assessment_id WHERE r.pupil_id = m.pupil_id AND {a.among('u.held_on', p)})",
    )


def _by_subject(a: Ask) -> Question:
    p, t = a.period("half", "year"), a.t
    return a.question(
        "school.by_subject",
        [
            f"How many assessments were held in {p.words} in each subject, and how many different pupils have a "
            f"result in them?",
            f"For each subject, count the assessments of {p.words} and the different pupils with a result.",
        ],
        "one row per subject with an assessment in that time: name of the subject, number of assessments, number of "
        "pupils",
        f"SELECT s.name, COUNT(DISTINCT t.id), COUNT(DISTINCT r.pupil_id) FROM {t['assessments']} AS t JOIN "
        f"{t['classes']} AS c ON "
        f"c.id = t.class_id JOIN {t['subjects']} AS s ON s.id = c.subject_id LEFT JOIN {t['results']} AS r ON "
        f"r.assessment_id = "
        f"t.id WHERE {a.among('t.held_on', p)} GROUP BY s.id, s.name",
    )


def _grades(a: Ask) -> Question:
    t, term = a.t, a.draw.choice(_TERMS)[0]
    return a.question(
        "school.grades",
        [
            f"What grade did each pupil get in each class of the term {term}?",
            f"Reports for {term}: the grade of every pupil in every class of that term.",
        ],
        "one row per class and pupil with a score: class id, pupil id, grade (0 to 100)",
        f"SELECT t.class_id, r.pupil_id, SUM({_score(a)} * t.weight) / SUM(t.weight) FROM {_taken(a)} AND t.class_id "
        f"IN (SELECT "
        f"c.id FROM {t['classes']} AS c JOIN {t['terms']} AS e ON e.id = c.term_id WHERE e.name = '{term}') GROUP BY "
        f"t.class_id, "
        "r.pupil_id",
        ("grade", "score", "pupil"),
    )


def _absences(a: Ask) -> Question:
    p, t, least = a.period("half", "year"), a.t, a.draw.choice((10, 20, 25, 50))
    return a.question(
        "school.absences",
        [
            f"Which pupils missed at least {least} % of their recorded days in {p.words}?",
            f"Truancy list for {p.words}: pupils whose missed days make up {least} % or more of the days on record.",
        ],
        "one row per pupil: pupil id, missed days, percentage of the days recorded for the pupil in that time (0 to "
        "100)",
        f"SELECT x.pupil_id, SUM(x.mark {_missed(a)}), 100.0 * SUM(x.mark {_missed(a)}) / COUNT(*) FROM "
        f"{t['attendance']} AS x "
        f"JOIN {t['pupils']} AS q ON q.id = x.pupil_id WHERE {a.live('q')} AND {a.among('x.day', p)} GROUP BY "
        f"x.pupil_id HAVING "
        f"100.0 * SUM(x.mark {_missed(a)}) / COUNT(*) >= {least}",
        ("missed day", "mark", "pupil"),
    )


def _kinds(a: Ask) -> Question:
    p = a.period("half", "year")
    kind = a.typed("t.kind")
    return a.question(
        "school.kinds",
        [
            f"Are our exams harder than the rest? Average score of the assessments held in {p.words}, by kind.",
            f"By kind of assessment: how many results of {p.words} have a score, and what is the average score?",
        ],
        "one row per kind with a score: kind, number of scores, average score (0 to 100; every result weighs the same)",
        f"SELECT {kind}, COUNT(*), AVG({_score(a)}) FROM {_taken(a)} AND {a.among('t.held_on', p)} GROUP BY {kind}",
        ("score", "pupil", *(["kind"] if a.style.dirty else [])),
    )


def _top(a: Ask) -> Question:
    p, count = a.period("half", "year"), a.draw.integer(1, 3)
    words = "best pupil" if count == 1 else f"{count} best pupils"
    return a.question(
        "school.top",
        [
            f"Who were the {words} of each class by grade, over the assessments held in {p.words}? Pupils with the "
            f"same grade "
            "share a rank.",
            f"For every class, list the {words} by grade in {p.words}, with everybody who ties with the last place.",
        ],
        "one row per pupil: class id, pupil id, grade (0 to 100), rounded to 6 decimals before it is ranked",
        f"WITH g AS (SELECT t.class_id, r.pupil_id, ROUND(SUM({_score(a)} * t.weight) / SUM(t.weight), 6) AS grade "
        f"FROM "
        f"{_taken(a)} AND {a.among('t.held_on', p)} GROUP BY t.class_id, r.pupil_id) SELECT class_id, pupil_id, grade "
        f"FROM (SELECT "
        f"*, RANK() OVER (PARTITION BY class_id ORDER BY grade DESC) AS place FROM g) WHERE place <= {count}",
        ("grade", "score", "pupil"),
    )


def _improved(a: Ask) -> Question:
    p, least = a.period("half", "year"), a.draw.choice((5, 10, 20))
    return a.question(
        "school.improved",
        [
            f"Which pupils improved by at least {least} percentage points from their first to their last score in the "
            f"same class, "
            f"among assessments held in {p.words}?",
            f"Compare each pupil's first and last score of {p.words} in each class; who gained {least} percentage "
            f"points or more?",
        ],
        "one row per class and pupil with at least two scores: class id, pupil id, last score minus first score; "
        "assessments follow "
        "each other by day, then id",
        f"WITH s AS (SELECT t.class_id, r.pupil_id, {_score(a)} AS score, ROW_NUMBER() OVER (PARTITION BY t.class_id, "
        f"r.pupil_id "
        "ORDER BY t.held_on, t.id) AS up, ROW_NUMBER() OVER (PARTITION BY t.class_id, r.pupil_id ORDER BY t.held_on "
        "DESC, t.id "
        f"DESC) AS down FROM {_taken(a)} AND {a.among('t.held_on', p)}) SELECT f.class_id, f.pupil_id, l.score - "
        f"f.score FROM s AS "
        "f JOIN s AS l ON l.class_id = f.class_id AND l.pupil_id = f.pupil_id AND l.down = 1 WHERE f.up = 1 AND "
        "f.down > 1 AND "
        f"ROUND(l.score - f.score, 6) >= {least}",
        ("score", "pupil"),
    )


def _above_average(a: Ask) -> Question:
    p = a.period("half", "year")
    return a.question(
        "school.above_average",
        [
            f"In how many assessments of {p.words} was each pupil above the average score of the assessment?",
            f"Count, for every pupil with a score in {p.words}, the assessments in which the score was above the "
            f"average of all "
            "scores of that assessment.",
        ],
        "one row per pupil with a score in that time: pupil id, number of scores, number of scores above the average; "
        "a score "
        "counts as above if it exceeds the average by more than 0.000001",
        f"WITH s AS (SELECT r.pupil_id, {_score(a)} AS score, AVG({_score(a)}) OVER (PARTITION BY t.id) AS mean FROM "
        f"{_taken(a)} AND "
        f"{a.among('t.held_on', p)}) SELECT pupil_id, COUNT(*), SUM(score - mean > 0.000001) FROM s GROUP BY pupil_id",
        ("score", "pupil"),
    )


def _absence_runs(a: Ask) -> Question:
    t, least, p = a.t, a.draw.integer(2, 4), a.period("half", "year")
    return a.question(
        "school.absence_runs",
        [
            f"Which pupils missed {least} or more recorded days in a row in {p.words}? From when to when was the "
            f"longest such run?",
            f"Find, for each pupil, the longest run of missed days in {p.words} without a recorded day in between "
            f"that was not "
            f"missed; only runs of at least {least} days.",
        ],
        "one row per pupil: pupil id, first day and last day of the longest run (the earliest of equally long ones), "
        "number of "
        "recorded days in it; days without a record do not interrupt a run",
        f"WITH d AS (SELECT x.pupil_id, x.day, x.mark {_missed(a)} AS missed FROM {t['attendance']} AS x JOIN "
        f"{t['pupils']} AS q ON "
        f"q.id = x.pupil_id WHERE {a.live('q')} AND {a.among('x.day', p)}), g AS (SELECT *, ROW_NUMBER() OVER "
        f"(PARTITION BY "
        "pupil_id ORDER BY day) - ROW_NUMBER() OVER (PARTITION BY pupil_id, missed ORDER BY day) AS run FROM d), r AS "
        "(SELECT "
        "pupil_id, MIN(day) AS first, MAX(day) AS last, COUNT(*) AS days FROM g WHERE missed = 1 GROUP BY pupil_id, "
        "run) SELECT "
        "pupil_id, first, last, days FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY pupil_id ORDER BY days DESC, "
        "first) AS place "
        f"FROM r WHERE days >= {least}) WHERE place = 1",
        ("missed day", "mark", "pupil"),
    )


def _prerequisites(a: Ask) -> Question:
    t = a.t
    term = a.draw.choice(_TERMS[1:])
    return a.question(
        "school.prerequisites",
        [
            f"Which pupils sit in a class of the term {term[0]} without ever having been in a class of every "
            f"prerequisite of its "
            "subject?",
            f"Check enrolments for {term[0]}: members of classes whose subject has a prerequisite that they have not "
            f"had in any "
            "earlier term.",
        ],
        "one row per pupil, class of that term and missing prerequisite: pupil id, class id, id of the subject that "
        "is missing; "
        f"earlier classes are those of terms that ended before {term[1]}; when a pupil joined or left a class makes "
        f"no difference",
        f"WITH RECURSIVE n(id, needs) AS (SELECT id, requires_id FROM {t['subjects']} WHERE requires_id IS NOT NULL "
        f"UNION SELECT "
        f"n.id, s.requires_id FROM n JOIN {t['subjects']} AS s ON s.id = n.needs WHERE s.requires_id IS NOT NULL), m "
        f"AS (SELECT "
        f"m.pupil_id, m.class_id, c.subject_id, e.name, e.ends_on FROM {t['class_members']} AS m JOIN {t['classes']} "
        f"AS c ON c.id = "
        f"m.class_id JOIN {t['terms']} AS e ON e.id = c.term_id JOIN {t['pupils']} AS q ON q.id = m.pupil_id WHERE "
        f"{a.live('q')}) "
        f"SELECT m.pupil_id, m.class_id, n.needs FROM m JOIN n ON n.id = m.subject_id WHERE m.name = '{term[0]}' AND "
        f"NOT EXISTS "
        f"(SELECT 1 FROM m AS o WHERE o.pupil_id = m.pupil_id AND o.subject_id = n.needs AND o.ends_on < '{term[1]}')",
        ("prerequisite", "pupil"),
    )


def _mentors(a: Ask) -> Question:
    p, t = a.period("half", "year"), a.t
    return a.question(
        "school.mentors",
        [
            f"For each teacher, everybody they mentor directly or through others included: how many assessments were "
            f"held in "
            f"{p.words}, and what was the average score?",
            f"Average score of the assessments of {p.words} for every teacher together with all those below them in "
            f"the mentoring "
            "tree.",
        ],
        "one row per teacher with at least one score among their own and those teachers' classes: teacher id, number "
        "of assessments "
        "with a score, average of the scores (every result weighs the same)",
        f"WITH RECURSIVE b(top, id) AS (SELECT id, id FROM {t['teachers']} UNION ALL SELECT b.top, u.id FROM "
        f"{t['teachers']} AS u "
        f"JOIN b ON u.mentor_id = b.id), s AS (SELECT c.teacher_id, t.id, {_score(a)} AS score FROM {t['classes']} AS "
        f"c, {_taken(a)} "
        f"AND c.id = t.class_id AND {a.among('t.held_on', p)}) SELECT b.top, COUNT(DISTINCT s.id), AVG(s.score) FROM "
        f"b JOIN s ON "
        "s.teacher_id = b.id GROUP BY b.top",
        ("score", "pupil"),
    )


# ---- changes --------------------------------------------------------------------------------------------------------


def _leavers(a: Ask) -> Question:
    t, day = a.t, a.day()
    return a.question(
        "school.leavers",
        [
            f"Pupils who left school by {long_date(day)} are still in classes. End these memberships on the day they "
            f"left.",
            f"Close the class memberships of everybody who left the school on or before {long_date(day)}.",
        ],
        f"in {t['class_members']}, left_on is the pupil's left_on where the pupil left by then and left_on of the "
        f"membership was "
        "empty or later than that; memberships that began after the pupil left are gone altogether; it makes no "
        "difference whether "
        "a pupil is marked as deleted. Nothing else changes",
        f"DELETE FROM {t['class_members']} WHERE EXISTS (SELECT 1 FROM {t['pupils']} AS q WHERE q.id = "
        f"{t['class_members']}.pupil_id AND q.left_on <= '{day}' AND {t['class_members']}.joined_on > q.left_on); "
        f"UPDATE "
        f"{t['class_members']} SET left_on = (SELECT q.left_on FROM {t['pupils']} AS q WHERE q.id = "
        f"{t['class_members']}.pupil_id) WHERE EXISTS (SELECT 1 FROM {t['pupils']} AS q WHERE q.id = "
        f"{t['class_members']}.pupil_id "
        f"AND q.left_on <= '{day}' AND ({t['class_members']}.left_on IS NULL OR {t['class_members']}.left_on > "
        f"q.left_on))",
        writes=True,
    )


def _rescale(a: Ask) -> Question:
    t, p = a.t, a.period("half", "year")
    old, new = a.draw.either((10, 20), (20, 40), (40, 20), (50, 100))
    return a.question(
        "school.rescale",
        [
            f"Put the assessments with {old} points that were held in {p.words} on a scale of {new}: points and "
            f"maximum.",
            f"Assessments of {p.words} marked out of {old} should be out of {new}; convert the results as well.",
        ],
        f"in those rows of {t['assessments']}, max_points is {new}; in their rows of {t['results']}, points are "
        f"multiplied by "
        f"{new / old:g} (NULL stays NULL). Nothing else changes",
        f"UPDATE {t['results']} SET points = points * {new}.0 / {old} WHERE assessment_id IN (SELECT id FROM "
        f"{t['assessments']} "
        f"WHERE max_points = {old} AND {a.among('held_on', p)}); UPDATE {t['assessments']} SET max_points = {new} "
        f"WHERE max_points "
        f"= {old} AND {a.among('held_on', p)}",
        writes=True,
    )


FAMILIES = (
    (3, _class_sizes),
    (3, _untested),
    (3, _by_subject),
    (4, _grades),
    (4, _absences),
    (4, _kinds),
    (5, _top),
    (5, _improved),
    (5, _above_average),
    (6, _absence_runs),
    (6, _prerequisites),
    (6, _mentors),
    (5, _leavers),
    (4, _rescale),
)
"""The tier of each kind of request, and what draws one."""
