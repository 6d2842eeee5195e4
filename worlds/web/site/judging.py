"""Whether an episode ended as its task asks: the intended changes in the databases and no others, answer, address.

Rows are compared, not the way there. Any other difference is collateral damage and fails, however small it is. An
answer may be written in any usual way, but must be one answer: ``$1,234.50`` is 1234.5 and ``2:30 pm`` is 14:30, while
"12 or 13" and "12?" are not answers. In an e-mail address each full stop counts.

Source: Zhou et al., WebArena (arXiv 2307.13854), section 3.2, for judging answers, addresses and contents of databases;
the checks of whole databases row by row are ours.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from turnwise.verifiers.extract import undressed
from turnwise.verifiers.qa import verify_answer, verify_items, verify_yes_no
from turnwise.verifiers.structured.values import paired_off
from turnwise.worlds.web.site.state import RowChange, Snapshot, Store
from turnwise.worlds.web.site.tasks import ANYTHING, Answer, Change, Draft, Goal, OneOf, Said

__all__ = ["Ending", "Judged", "answers", "goals_of", "judge", "same_address"]

Ending: TypeAlias = Literal["answer", "done", "infeasible", ""]
MAX_ANSWER_CHARS = 10_000

_NOT_POSSIBLE = frozenset(("n/a", "infeasible", "impossible", "not possible", "not feasible"))
_LEAD = re.compile(
    r"(?:the )?(?:final |correct )?answer(?: is:?|:) |(?:it|that) (?:is|was|costs?) |at |on |by |until ", re.I
)
_FIGURE = r"(\d{1,3}(?:,\d{3})+|\d{1,15})(\.\d{1,6})?"
_CURRENCY = r"(?:us ?\$|[$€£¥]|usd|eur|gbp|chf|us dollars?|dollars?|euros?|pounds?|credits?|coins?)"
_COMMA = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.\d{3})*|\d{1,15}),(\d\d)(?![\d.,]*\d)", re.A)
_MONEY = re.compile(rf"([-+]?) ?(?:{_CURRENCY} ?)?([-+]?){_FIGURE}(?: ?{_CURRENCY})?(?: in total| in all)?", re.A)
_NUMBER = re.compile(rf"([-+]?){_FIGURE}((?: [a-z]+){{1,3}})")
_HEDGED = re.compile(r"[~<>≤≥≈±/*^=]|\d ?\+|\b(?:or|not|about|around|than|least|most)\b")
_ASKS = re.compile("[?？¿]")
_TIME = re.compile(r"(\d{1,2})(?:[:.h](\d{2})(?::00)?)? ?(a\.?m\.?|p\.?m\.?|o'clock|h|hrs?|hours)?", re.A)
_TIMES = {"noon": (12, 0), "midday": (12, 0), "midnight": (0, 0)}


class Judged(NamedTuple):
    """The checker's verdict.

    Attributes:
        correct: The episode earns its reward.
        progress: Share of what the task asks that holds: changes, answer, address, and the right ending; in [0, 1],
            and 1 only if it is correct.
        why: What is wrong, for the author of a task; "" if nothing is.
        collateral: Changes that the task does not ask for.
        fulfilled: All that the task asks for holds, whatever else was changed.
    """

    correct: bool
    progress: float
    why: str
    collateral: tuple[RowChange, ...]
    fulfilled: bool


def goals_of(draft: Draft) -> tuple[Goal, ...]:
    """Return the right ends of a task, the plan's first."""
    return (Goal(draft.changes, draft.answer, draft.url, bool(draft.infeasible)), *draft.others)


def judge(store: Store, goals: Sequence[Goal], said: Ending, text: str = "", url: str = "", asked: str = "") -> Judged:
    """Compare an episode's end with the ends that are right; one of them must hold as a whole.

    If a goal asks for no answer, the ending may have any text ("I have ordered it"). A task that cannot be done ends
    with ``infeasible``, or with "N/A" as the answer.

    Args:
        store: The databases.
        goals: Right ends, at least one.
        said: How the episode was ended; "" if it was not, and nothing can be correct.
        text: The answer.
        url: Address of the active tab.
        asked: The instruction: words of it may stand behind a number ("12 orders").
    """
    changes = store.changes()
    found = [_judged(changes, store.world, goal, said, text, url, asked) for goal in goals]
    return max(found, key=lambda judged: (judged.correct, judged.progress))


def _judged(
    changes: Sequence[RowChange],
    world: Callable[[str], Snapshot],
    goal: Goal,
    said: Ending,
    text: str,
    url: str,
    asked: str,
) -> Judged:
    matched, missing, collateral = compared(changes, goal.changes, world)
    wrong: list[str] = []
    if goal.infeasible:
        gave_up = said == "infeasible" or (said == "answer" and text.strip(" .'\"").casefold() in _NOT_POSSIBLE)
        if not gave_up:
            wrong.append("the task cannot be done, which the agent did not say")
    elif goal.answer is not None:
        if said != "answer":
            wrong.append("no answer was given")
        elif not answers(text, goal.answer, asked):
            wrong.append(f"the answer {text[:80]!r} is not {goal.answer.text!r}")
    elif said not in ("done", "answer"):
        wrong.append("the agent did not say that it is done")
    parts = 1 + matched + len(missing) + bool(goal.url)
    if goal.url and not same_address(url, goal.url):
        wrong.append(f"the address is {url!r}, not {goal.url!r}")
    wrong += [f"missing: {_told(change)}" for change in missing]
    held, fulfilled = parts - len(wrong), not wrong
    wrong += [f"not asked for: {_told(change)}" for change in collateral]
    if not wrong:
        return Judged(True, 1.0, "", (), True)
    return Judged(False, min(held, parts - 0.5) / parts, "; ".join(wrong), tuple(collateral), fulfilled)


def _told(change: Change | RowChange) -> str:
    what = f"{change.op} {change.site}.{change.table}"
    if isinstance(change, Change):
        return f"{what} {dict(change.key) or ''} {dict(change.values)}"
    return f"{what} {change.key} {change.after}"


def same_address(url: str, other: str) -> bool:
    """Whether two addresses are the same page, ignoring the order of parameters, empty ones and the fragment."""
    return _address(url) == _address(other)


def _address(url: str) -> tuple[object, ...]:
    try:
        parts = urlsplit(url)
        return parts.scheme.lower(), parts.netloc.lower(), parts.path or "/", sorted(parse_qsl(parts.query))
    except ValueError:
        return (url,)


# ---- databases -------------------------------------------------------------------------------------------------------


def compared(
    changes: Iterable[RowChange], wanted: Sequence[Change], world: Callable[[str], Snapshot]
) -> tuple[int, list[Change], list[RowChange]]:
    """Return the number of wanted changes made, those not made, and the unwanted changes."""
    left = [part for change in changes for part in _split(change, wanted)]
    partners = paired_off(wanted, left, lambda want, change: _fits(want, change, world))
    alone = [want for want, partner in zip(wanted, partners, strict=True) if partner is None]
    used = {partner for partner in partners if partner is not None}
    missing = [want for want in alone if not _nothing(want, world)]
    return len(used), missing, [change for i, change in enumerate(left) if i not in used]


def _split(change: RowChange, wanted: Sequence[Change]) -> list[RowChange]:
    """Split an update into delete and insert, if a row was replaced under its key and the delete is wanted."""
    if change.op == "update":
        for want in wanted:
            if want.op == "delete" and (want.site, want.table) == change[:2] and _has(change.before, want.key):
                row = {**change.before, **change.after}
                return [change._replace(op="delete", after={}), change._replace(op="insert", before={}, after=row)]
    return [change]


def _nothing(want: Change, world: Callable[[str], Snapshot]) -> bool:
    """Whether a wanted update holds from the start, so that it changes nothing."""
    if want.op != "update" or any(not isinstance(value, _PLAIN) for _, value in want.values):
        return False
    table = world(want.site).tables[want.table]
    rows = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    return any(_has(row, want.key) and _has(row, want.values) for row in rows)


def _fits(want: Change, change: RowChange, world: Callable[[str], Snapshot]) -> bool:
    if (want.site, want.table, want.op) != change[:3] or not _has(change.before, want.key):
        return False
    if want.op == "delete":
        return True
    values = dict(want.values)
    if want.op == "update":
        unknown = values.keys() - change.before.keys()
        if unknown:
            raise KeyError(f"{want.site}.{want.table} has no column {', '.join(sorted(unknown))}")
        now = {**change.before, **change.after}
        return change.after.keys() <= values.keys() and all(_same(want_, now[name]) for name, want_ in values.items())
    table = world(want.site).tables[want.table]
    unknown = values.keys() - set(table.columns)
    if unknown:
        raise KeyError(f"{want.site}.{want.table} has no column {', '.join(sorted(unknown))} that counts")
    free = table.keys if len(table.keys) == 1 else ()
    return all(
        _same(values[name], value) if name in values else name in free or _same(table.defaults[name], value)
        for name, value in change.after.items()
    )


def _has(row: Mapping[str, Any], values: Iterable[tuple[str, Any]]) -> bool:
    return all(name in row and _same(value, row[name]) for name, value in values)


_PLAIN = (int, float, str, bytes, type(None))


def _same(want: object, value: object) -> bool:
    if isinstance(want, type(ANYTHING)):  # it may have been pickled
        return True
    if isinstance(want, OneOf):
        return any(_same(each, value) for each in want.values)
    if isinstance(want, Said):
        return isinstance(value, str) and _loosely(want.text) == _loosely(value)
    if isinstance(want, str) and isinstance(value, str):
        return want == value or _lines(want) == _lines(value)
    return type(value) is not str and type(want) is not str and want == value


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _loosely(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).removesuffix(".").rstrip()


# ---- answers ---------------------------------------------------------------------------------------------------------


def answers(text: str, answer: Answer, asked: str = "") -> bool:
    """Whether a text is the answer.

    >>> answers("$1,234.50", Answer.of("money", "1234.50")), answers("12.50 or 13", Answer.of("money", "12.50"))
    (True, False)
    >>> answers("2:30 p.m.", Answer.of("time", "14:30")), answers("2:30", Answer.of("time", "14:30"))
    (True, False)
    >>> answers("12 orders", Answer.of("number", 12), "How many orders?"), answers("12 days", Answer.of("number", 12))
    (True, False)
    >>> answers("4 March 2027", Answer.of("date", "2027-03-04")), answers("04/03/2027", Answer.of("date", "2027-03-04"))
    (True, False)
    """
    if len(text) > MAX_ANSWER_CHARS or not text.strip():
        return False
    if _ASKS.search(text) and not any(_ASKS.search(gold) for golds in answer.golds for gold in golds):
        return False  # "12?": asked, not said
    if answer.form == "items":
        return verify_items(text, answer.golds).correct
    golds = answer.golds[0]
    if answer.form == "yes_no":
        return verify_yes_no(text, golds[0] == "yes").correct
    if answer.form == "money":
        said = _money(text)
        return said is not None and said in map(_money, golds)
    if answer.form == "time":
        at = _time(text)
        return at is not None and at in map(_time, golds)
    if answer.form == "number" and _HEDGED.search(_plain(text)) and not _HEDGED.search(golds[0]):
        return False  # "~12", "12 or not": no one number was said
    if answer.form == "text" and any("@" in gold for gold in golds):  # there each full stop counts
        return _plain(text).removeprefix("mailto:") in {gold.casefold() for gold in golds}
    if verify_answer(text, golds).correct:
        return True
    if answer.form == "number":
        bare = _without_words(text, asked)
        return bare is not None and verify_answer(bare, golds).correct
    return answer.form in ("date", "text") and verify_answer(_plain(text), golds).correct


def _plain(text: str) -> str:
    """Normalise an answer: lower case, without markup, a lead ("The answer is", "at") and a full stop."""
    text = " ".join(undressed(unicodedata.normalize("NFKC", text)).replace("−", "-").replace("’", "'").split())
    lead = _LEAD.match(text)
    return (text[lead.end() :] if lead else text).casefold().strip(" *_`\"'").removesuffix(".").strip()


def _money(text: str) -> Fraction | None:
    """Parse an amount with or without a currency."""
    text = _COMMA.sub(lambda match: f"{match[1].replace('.', '')}.{match[2]}", _plain(text))  # 1.234,50
    match = _MONEY.fullmatch(text)
    if match is None or (match[1] and match[2]):
        return None
    value = Fraction(match[3].replace(",", "") + (match[4] or ""))
    return -value if "-" in (match[1], match[2]) else value


def _time(text: str) -> tuple[int, int] | None:
    """Parse a time of day into hour and minute."""
    text = _plain(text)
    if text in _TIMES:
        return _TIMES[text]
    match = _TIME.fullmatch(text if text.endswith(("a.m", "p.m")) is False else f"{text}.")
    if match is None or (match[2] is None and match[3] is None):
        return None
    hour, minute, half = int(match[1]), int(match[2] or 0), (match[3] or "")[:1]
    if half in ("a", "p"):
        if not 1 <= hour <= (12 if half == "a" else 23):
            return None
        hour = hour % 12 + 12 * (half == "p") if hour <= 12 else hour
    return (hour, minute) if hour < 24 and minute < 60 else None


def _without_words(text: str, asked: str) -> str | None:
    """Return the number before words of the question, or None if other words follow it."""
    match = _NUMBER.fullmatch(_plain(text))
    if match is None:
        return None
    known = set(re.findall(r"[a-z]+", asked.casefold()))
    words = match[4].split()
    if all({word, f"{word}s", word.removesuffix("s")} & known for word in words):
        return f"{match[1]}{match[2]}{match[3] or ''}"
    return None
