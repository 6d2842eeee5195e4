"""What is asked about a public library with branches."""

from turnwise.worlds.programs.databases.domains.library import _FORMATS
from turnwise.worlds.programs.databases.model import DAYS, Ask, Question, long_date

__all__ = ["FAMILIES"]


# ---- parts of statements --------------------------------------------------------------------------------------------


def _active(a: Ask, alias: str, day: str) -> str:
    return f"{a.live(alias)} AND ({alias}.expires_on IS NULL OR {alias}.expires_on >= '{day}')"


# ---- questions ------------------------------------------------------------------------------------------------------


def _idle(a: Ask) -> Question:
    p, t = a.period("half", "year"), a.t
    return a.question(
        "library.idle",
        [
            f"Which copies did we own before {p.words} began, and not lend out once in that time?",
            f"Weeding list: copies we already had when {p.words} began and that nobody borrowed in that time.",
        ],
        f"one row per copy: copy id, title id (copies acquired before {p.start}, withdrawn or not)",
        f"SELECT c.id, c.title_id FROM {t['copies']} AS c WHERE c.acquired_on < '{p.start}' AND NOT EXISTS (SELECT 1 "
        f"FROM "
        f"{t['loans']} AS l WHERE l.copy_id = c.id AND {a.among('l.' + a.at('lent'), p)})",
    )


def _per_branch(a: Ask) -> Question:
    p, t, form = a.period("quarter", "half", "year"), a.t, a.draw.choice(_FORMATS)
    return a.question(
        "library.per_branch",
        [
            f"How many loans of {form} copies did each branch have in {p.words}, by the branch of the copy?",
            f"For every branch, count the loans made in {p.words} of its copies in the format '{form}'.",
        ],
        "one row per branch, also those without such loans: name of the branch, number of loans",
        f"SELECT b.name, COUNT(l.id) FROM {t['branches']} AS b LEFT JOIN {t['copies']} AS c ON c.branch_id = b.id AND "
        f"c.format "
        f"= '{form}' LEFT JOIN {t['loans']} AS l ON l.copy_id = c.id AND {a.among('l.' + a.at('lent'), p)} GROUP BY "
        f"b.id, "
        "b.name",
    )


def _wanted(a: Ask) -> Question:
    day, t, least = a.day(), a.t, a.draw.integer(1, 3)
    return a.question(
        "library.wanted",
        [
            f"For which titles were at least {least + 1} holds waiting at the end of {long_date(day)}, and how many?",
            f"Which titles should we buy more of? Those with at least {least + 1} open holds at the end of "
            f"{long_date(day)}.",
        ],
        "one row per title: title id, number of holds placed by the end of that day and neither filled nor cancelled "
        "by then",
        f"SELECT h.title_id, COUNT(*) FROM {t['holds']} AS h WHERE {a.until('h.placed_on', day)} AND (h.filled_on IS "
        f"NULL OR "
        f"h.filled_on > '{day}') AND (h.cancelled_on IS NULL OR h.cancelled_on > '{day}') GROUP BY h.title_id HAVING "
        f"COUNT(*) "
        f"> {least}",
    )


def _overdue(a: Ask) -> Question:
    day, t = a.day(), a.t
    latest = DAYS[DAYS.index(day) - (3 if a.style.strict else 0)]
    return a.question(
        "library.overdue",
        [
            f"Which active members had overdue loans on {long_date(day)}, and how many?",
            f"Prepare the reminders of {long_date(day)}: active members with overdue loans and the number of these.",
        ],
        "one row per member with at least one: member id, number of overdue loans, earliest day on which one of them "
        "was due",
        f"SELECT m.id, COUNT(*), MIN(l.due_on) FROM {t['loans']} AS l JOIN {t['members']} AS m ON m.id = l.member_id "
        f"WHERE "
        f"{_active(a, 'm', day)} AND {a.until('l.' + a.at('lent'), day)} AND (l.returned_on IS NULL OR l.returned_on > "
        f"'{day}') AND l.due_on < '{latest}' GROUP BY m.id",
        ("overdue", "active member", "closed account"),
    )


def _waiting(a: Ask) -> Question:
    p, t, least = a.period("half", "year"), a.t, a.draw.integer(1, 2)
    return a.question(
        "library.waiting",
        [
            f"How long did members wait on average for titles they put on hold in {p.words}? By title, if at least "
            f"{least} of "
            "these holds {0} filled.".format("was" if least == 1 else "were"),
            f"Average waiting time per title for holds placed in {p.words}; only titles with {least} or more filled "
            f"holds.",
        ],
        "one row per title: title id, average waiting time in days, percentage of those holds that were filled (0 to "
        "100)",
        f"SELECT h.title_id, AVG(julianday(h.filled_on) - julianday(h.placed_on)), 100.0 * COUNT(h.filled_on) / "
        f"COUNT(*) FROM "
        f"{t['holds']} AS h WHERE {a.among('h.placed_on', p)} GROUP BY h.title_id HAVING COUNT(h.filled_on) >= {least}",
        ("waiting time",),
    )


def _places(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    place = a.typed("l.place")
    return a.question(
        "library.places",
        [
            f"Where do people borrow? Loans of {p.words} by place, with the share of each place and how many "
            f"different members "
            "it had.",
            f"Break the loans of {p.words} down by place: number, percentage, different members.",
        ],
        "one row per place with a loan: place, number of loans, percentage of all loans of that time (0 to 100), "
        "number of "
        "different members; loans of closed accounts are left out",
        f"WITH v AS (SELECT {place} AS place, l.member_id FROM {t['loans']} AS l JOIN {t['members']} AS m ON m.id = "
        f"l.member_id WHERE {a.live('m')} AND {a.among('l.' + a.at('lent'), p)}) SELECT place, COUNT(*), 100.0 * "
        f"COUNT(*) / "
        "(SELECT COUNT(*) FROM v), COUNT(DISTINCT member_id) FROM v GROUP BY place",
        ("closed account", *(["place"] if a.style.dirty else [])),
    )


def _authors(a: Ask) -> Question:
    p, t, count = a.period("half", "year"), a.t, a.draw.integer(1, 3)
    words = "author was" if count == 1 else f"{count} authors were"
    share = (
        "1.0"
        if a.style.late
        else f"1.0 / (SELECT COUNT(*) FROM {t['title_authors']} AS o WHERE o.title_id = c.title_id)"
    )
    return a.question(
        "library.authors",
        [
            f"Which {words} borrowed most at each branch in {p.words}, by borrowing credit? Ties share a rank and are "
            f"all shown.",
            f"By borrowing credit in {p.words}: which {words} on top at each branch? Show everybody who ties.",
        ],
        "one row per author: branch id (of the copy), author id, borrowing credit, rounded to 6 decimals before it is "
        "ranked",
        f"WITH k AS (SELECT c.branch_id, w.author_id, ROUND(SUM({share}), 6) AS credit FROM {t['loans']} AS l JOIN "
        f"{t['copies']} AS c ON c.id = l.copy_id JOIN {t['title_authors']} AS w ON w.title_id = c.title_id WHERE "
        f"{a.among('l.' + a.at('lent'), p)} GROUP BY c.branch_id, w.author_id) SELECT branch_id, author_id, credit "
        f"FROM "
        f"(SELECT *, RANK() OVER (PARTITION BY branch_id ORDER BY credit DESC) AS place FROM k) WHERE place <= {count}",
        ("borrowing credit",),
    )


def _second_loan(a: Ask) -> Question:
    p, t, days = a.period("quarter", "half", "year"), a.t, a.draw.choice((7, 14, 21, 30))
    first = f"(SELECT MIN({a.date('l.lent')}) FROM {t['loans']} AS l WHERE l.member_id = m.id)"
    return a.question(
        "library.first_loan",
        [
            f"How quickly do new members start to borrow? For the members who joined in {p.words}, by branch: how "
            f"many are "
            f"there, and how many had their first loan within {days} days of joining?",
            f"Of the members who joined in {p.words}, count by branch all of them and those whose first loan came at "
            f"most "
            f"{days} days later.",
        ],
        f"one row per branch of members, NULL for members without one: branch id, number of members, number of them "
        f"whose first "
        f"loan was 0 to {days} days after joining (a loan before joining is a first loan, too); closed accounts are "
        f"left out",
        f"WITH j AS (SELECT m.branch_id, julianday({first}) - julianday(m.joined_on) AS days FROM {t['members']} AS m "
        f"WHERE "
        f"{a.live('m')} AND {a.among('m.joined_on', p)}) SELECT branch_id, COUNT(*), COALESCE(SUM(days BETWEEN 0 AND "
        f"{days}), "
        "0) FROM j GROUP BY branch_id",
        ("closed account",),
    )


def _trend(a: Ask) -> Question:
    year, t = a.draw.choice((2021, 2022, 2023)), a.t
    amount = a.euros("SUM(f." + a.money("amount") + ")")
    return a.question(
        "library.fine_income",
        [
            f"Show the fine income of {year} by month, with the running total of the year.",
            f"How did fine income add up over {year}? Month by month, and cumulated.",
        ],
        f"twelve rows, January first: month (like {year}-03), fine income in euros (0 without any), total from "
        f"January up to "
        "that month in euros",
        f"WITH RECURSIVE m(day) AS (SELECT '{year}-01-01' UNION ALL SELECT date(day, '+1 month') FROM m WHERE day < "
        f"'{year}-12-01'), s AS (SELECT substr(m.day, 1, 7) AS month, COALESCE({amount}, 0) AS income FROM m LEFT JOIN "
        f"{t['fines']} AS f ON substr(f.paid_on, 1, 7) = substr(m.day, 1, 7) GROUP BY m.day) SELECT month, income, "
        f"SUM(income) "
        "OVER (ORDER BY month) FROM s ORDER BY month",
        ("fine income",),
    )


def _subjects(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    return a.question(
        "library.subjects",
        [
            f"How many loans of {p.words} fall under each subject, everything below it included?",
            f"Count the loans of {p.words} per subject. A subject includes its sub-subjects, and no loan counts twice "
            f"for one.",
        ],
        "one row per subject, also those without loans: subject id, number of loans",
        f"WITH RECURSIVE b(top, id) AS (SELECT id, id FROM {t['subjects']} UNION ALL SELECT b.top, s.id FROM "
        f"{t['subjects']} "
        f"AS s JOIN b ON s.parent_id = b.id), v AS (SELECT l.id, x.subject_id FROM {t['loans']} AS l JOIN "
        f"{t['copies']} AS c "
        f"ON c.id = l.copy_id JOIN {t['title_subjects']} AS x ON x.title_id = c.title_id WHERE "
        f"{a.among('l.' + a.at('lent'), p)}"
        ") SELECT b.top, COUNT(DISTINCT v.id) FROM b LEFT JOIN v ON v.subject_id = b.id GROUP BY b.top",
        ("subject",),
    )


def _sold_out(a: Ask) -> Question:
    day, t = a.day(), a.t
    stock = f"c.acquired_on <= '{day}' AND (c.withdrawn_on IS NULL OR c.withdrawn_on > '{day}')"
    out = f"{a.until('l.' + a.at('lent'), day)} AND (l.returned_on IS NULL OR l.returned_on > '{day}')"
    return a.question(
        "library.all_out",
        [
            f"Which titles had copies in stock on {long_date(day)}, but every single one out on loan at the end of "
            f"that day?",
            f"Find the titles that no reader could have taken home at closing time on {long_date(day)}: in stock, but "
            f"all copies "
            "lent.",
        ],
        "one row per title: title id, number of copies in stock (a copy is out if a loan of it was made by the end of "
        "that day "
        "and not returned by then)",
        f"SELECT c.title_id, COUNT(*) FROM {t['copies']} AS c WHERE {stock} GROUP BY c.title_id HAVING SUM(EXISTS "
        f"(SELECT 1 "
        f"FROM {t['loans']} AS l WHERE l.copy_id = c.id AND {out})) = COUNT(*)",
        ("in stock",),
    )


def _streak(a: Ask) -> Question:
    p, t, least = a.period("half", "year"), a.t, a.draw.integer(2, 3)
    return a.question(
        "library.streak",
        [
            f"Which members returned at least {least} loans of {p.words} in a row on time? Show the longest such run "
            f"of each.",
            f"Reward punctual readers: members with {least} or more consecutive loans made in {p.words} that came "
            f"back by the "
            "due date, and the length of their longest run.",
        ],
        "one row per member: member id, length of the longest run; a member's loans of that time follow each other by "
        "the "
        "moment of lending, then id; a loan not returned is not on time",
        f"WITH o AS (SELECT l.member_id, l.id, l.{a.at('lent')} AS lent, COALESCE(l.returned_on <= l.due_on, 0) AS "
        f"good FROM "
        f"{t['loans']} AS l WHERE {a.among('l.' + a.at('lent'), p)}), g AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY "
        f"member_id "
        "ORDER BY lent, id) - ROW_NUMBER() OVER (PARTITION BY member_id, good ORDER BY lent, id) AS run FROM o), r AS "
        "(SELECT "
        "member_id, COUNT(*) AS length FROM g WHERE good = 1 GROUP BY member_id, run) SELECT member_id, MAX(length) "
        "FROM r "
        f"GROUP BY member_id HAVING MAX(length) >= {least}",
    )


# ---- changes --------------------------------------------------------------------------------------------------------


def _duplicates(a: Ask) -> Question:
    t, day = a.t["holds"], a.day()
    return a.question(
        "library.duplicate_holds",
        [
            f"Remove double holds placed up to {long_date(day)}: if a member has several open holds on a title, only "
            f"the oldest "
            "may stay.",
            f"Members put the same title on hold twice. Among the open holds placed on or before {long_date(day)}, "
            f"keep the "
            "oldest of each member and title.",
        ],
        f"of the rows of {t} placed by then that are neither filled nor cancelled, only the one placed first stays "
        f"for each "
        "member and title (the lowest id of those placed on the same day). Nothing else changes",
        f"DELETE FROM {t} WHERE id IN (SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY member_id, title_id "
        f"ORDER BY "
        f"placed_on, id) AS place FROM {t} WHERE placed_on <= '{day}' AND filled_on IS NULL AND cancelled_on IS NULL) "
        f"WHERE "
        "place > 1)",
        writes=True,
    )


def _lost_copies(a: Ask) -> Question:
    t, day, later = a.t, a.day("2021-09-30", "2023-06-30"), a.draw.choice((60, 90, 120))
    end = DAYS[DAYS.index(day) - later]
    where = f"returned_on IS NULL AND due_on <= '{end}'"
    return a.question(
        "library.lost_copies",
        [
            f"Treat loans as lost that never came back and were due {later} days before {long_date(day)} or earlier: "
            f"withdraw "
            "their copies as of that day.",
            f"Withdraw, with the date {long_date(day)}, the copies of all loans that were never returned and were due "
            f"on or before "
            f"{long_date(end)}.",
        ],
        f"withdrawn_on is {day} in the rows of {t['copies']} with a loan that has no returned_on and was due on or "
        f"before {end}, "
        "if it was empty; copies already withdrawn keep their date. Nothing else changes",
        f"UPDATE {t['copies']} SET withdrawn_on = '{day}' WHERE withdrawn_on IS NULL AND id IN (SELECT copy_id FROM "
        f"{t['loans']} WHERE {where})",
        writes=True,
    )


FAMILIES = (
    (3, _idle),
    (3, _per_branch),
    (3, _wanted),
    (4, _overdue),
    (4, _waiting),
    (4, _places),
    (5, _authors),
    (5, _second_loan),
    (5, _trend),
    (6, _subjects),
    (6, _sold_out),
    (6, _streak),
    (4, _duplicates),
    (5, _lost_copies),
)
"""The tier of each kind of request, and what draws one."""
