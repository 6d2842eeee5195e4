"""Dates, weekdays and times of day, however they are written.

Only complete ones are read: a day with its month (the year may be missing), a time with its minutes or with a.m. or
p.m. ``3/5/2024`` is not read: which of the two is the month, nobody can tell.
"""

import re
from typing import NamedTuple

__all__ = ["Moment", "clock_in_figures", "date_around", "moments_once", "read_moment", "same_moment"]

MAX_CHARS = 60
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_MONTH = (
    "(?P<month>"
    + "|".join(f"{m[:3]}(?:{m[3:]})?" if m != "september" else "sept?(?:ember)?" for m in _MONTHS)
    + r")\.?"
)
_MONTH_NAME = "(?:" + "|".join(f"{m[:3].capitalize()}(?:{m[3:]})?" for m in _MONTHS) + ")"
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s*(?P<year>[0-9]{4}))?"
_DATES = [
    re.compile(p)
    for p in (
        rf"(?:on )?{_MONTH} (?:the )?{_DAY}{_YEAR}", rf"(?:on )?(?:the )?{_DAY} (?:of )?{_MONTH}{_YEAR}",
        r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})",
        r"(?P<year>[0-9]{4})年(?P<month>[0-9]{1,2})月(?P<day>[0-9]{1,2})日",
    )
]  # fmt: skip
_NEXT_DAY = re.compile(r"(?<=[0-9m.]),?\s*\(?(?:on )?(?:the )?(?:next|following|same) (?:day|morning)\)?$", re.I)
_WEEKDAY = re.compile(
    "(?:on )?(?:a )?(" + "|".join(f"{d[:3]}(?:{d[3:]}|{d[3:5]}|{d[3:4]})?" for d in _DAYS) + r")\.?s?"
)
_TIME = re.compile(
    r"(?:at )?(?P<h>[0-9]{1,2})(?::(?P<m>[0-9]{2}))?(?::(?P<s>[0-9]{2}))?\s*(?P<half>[ap])?(?(half)\.?\s?m"
    r"\.?|)(?:\s*o'clock)?"
)

_COLONS = re.compile(r"(?<=[0-9])\s?:\s?(?=[0-9])")
_DAY_NAME = "(?:" + "|".join(rf"{d[:3]}(?:{d[3:]}|{d[3:5]}|{d[3:4]})?\.?" for d in _DAYS) + ")"
_ON_DAY = re.compile(
    rf"(?:(?:on )?(?P<before>{_DAY_NAME}),?\s)?(?P<time>(?:at )?[0-9][0-9:]*\s?(?:[ap]\.?\s?m\.?)?)"
    rf"(?(before)|,?\s\(?(?:on )?(?P<behind>{_DAY_NAME})\)?)"
)

_HOURS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_SPOKEN = re.compile(  # half past five; ten (minutes) to 6
    r"(?<!past )(?<!to )\b(?:a )?(?P<minutes>half|quarter|five|ten|twenty(?:[- ]five)?|[0-9]{1,2})(?: minutes?)?"
    rf" (?P<side>past|to|before|after) (?P<hour>{'|'.join(_HOURS)}|[0-9]{{1,2}})(?: o'clock)?\b"
    r"(?![:.]?[0-9]| past\b| to\b)",
    re.I,
)
_MINUTES = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25, "twenty five": 25}
_MIDDAY = re.compile(
    r"(?<!before )(?<!after )(?<!past )(?<!from )(?<!since )(?<!until )(?<!till )"
    r"\b(?:12(?::00)? ?)?(?P<name>noon|midday|midnight)\b",
    re.I,
)
_MIDDAY_IN_TEXT = re.compile(
    r"\b12(?::00)?\s*(?:\\[,;: ]|~)?\s*\\(?:text|mathrm|textrm)\s*\{\s*~?(noon|midday|midnight)\s*\}", re.I
)
_SHARP = re.compile(  # nine o'clock (in the evening)
    rf"(?<![0-9:.,])\b(?P<hour>{'|'.join(_HOURS)}|[0-9]{{1,2}}) o['’]clock\b"
    r"(?: (?:in the|this|that) (?P<day>morning|afternoon|evening)\b| at (?P<night>night)\b)?",
    re.I,
)
_OF_DAY = re.compile(  # 5:25 in the evening
    r"(?<![0-9:.,])\b(?P<at>(?:1[0-2]|0?[1-9]):[0-5][0-9])(?P<dress>[$*]*) (?:(?:in the|this|that) "
    r"(?P<day>morning|afternoon|evening)|at (?P<night>night))\b",
    re.I,
)
_CLOCK = r"[0-9]{1,2}:[0-9]{2}(?:\s?[ap]\.?\s?m\b\.?)?"
_TWICE = re.compile(  # 9:17 p.m. (21:17); 21:17, or 9:17 p.m.
    rf"\b(?P<one>{_CLOCK})(?P<dress>\**)(?:\s*(?P<bracket>\()(?:=\s*)?|(?=,? (?:or|that is|that['’]s|i\.e\.)),?\s)"
    rf"(?:(?:or|that is|that['’]s|i\.e\.),?\s)?(?P<two>{_CLOCK})(?:\s?h(?:ours)?\b)?"
    r"(?: (?:in|on|by|using)(?: the| a)? (?:24|12|twenty-four|twelve)[- ]hour(?: [a-z]+)?)?(?(bracket)\s*\))",
    re.I,
)


class Moment(NamedTuple):
    """What was read: ``kind`` is date, weekday, time, or weekday and time; ``values`` its numbers, None if not said."""

    kind: str
    values: tuple[int | None, ...]
    certain: bool = True  # 3:30 alone may be a ratio


def read_moment(text: str) -> Moment | None:
    """The date, weekday or time that the whole text is, or None.

    >>> read_moment("Tuesday at 3:30 p.m.").values == read_moment("3:30 pm on Tuesday").values == (1, 3, 30, 0, 1)
    True
    >>> read_moment("March 5th, 2024"), read_moment("Tues."), read_moment("3:30 p.m.")
    (Moment(kind='date', values=(2024, 3, 5), certain=True), Moment(kind='weekday', values=(1,), certain=True), \
Moment(kind='time', values=(3, 30, 0, 1), certain=True))
    """
    if len(text) > MAX_CHARS:
        return None
    spelled = _NEXT_DAY.sub("", _COLONS.sub(":", " ".join(text.replace("{:}", ":").split())))
    text = clock_in_figures(spelled).lower()
    if not any(c.isdigit() for c in text):
        match = _WEEKDAY.fullmatch(text)
        if spelled in ("sun", "sat", "mon", "wed", "fri"):  # words of their own
            return None
        return Moment("weekday", (next(i for i, d in enumerate(_DAYS) if d[:3] == match[1][:3]),)) if match else None
    if (match := _ON_DAY.fullmatch(text)) is not None:  # Wednesday at 11:15 a.m.; 11:15 a.m. on Wednesday
        named, at = read_moment((match["before"] or match["behind"]).capitalize()), read_moment(match["time"])
        if named is None or at is None or at.kind != "time":
            return None
        return Moment("weekday and time", (*named.values, *at.values))
    for pattern in _DATES:
        if (match := pattern.fullmatch(text)) is not None:
            month = match["month"]
            number = int(month) if month.isdigit() else next(i for i, m in enumerate(_MONTHS, 1) if m[:3] == month[:3])
            day = int(match["day"])
            if 1 <= number <= 12 and 1 <= day <= 31:
                return Moment("date", (int(match["year"]) if match["year"] else None, number, day))
    match = _TIME.fullmatch(text)
    if match is None or (match["m"] is None and match["half"] is None):
        return None
    hour, minute, second = int(match["h"]), int(match["m"] or 0), int(match["s"] or 0)
    half = None if match["half"] is None else int(match["half"] == "p")
    if hour > 24 or minute > 59 or second > 59 or (half is not None and not 1 <= hour <= 12):
        return None
    certain = half is not None or match["s"] is not None or (match["m"] or "1")[0] == "0"
    return Moment("time", (hour, minute, second, half), certain)


def clock_in_figures(text: str) -> str:
    """A text with the times of day that stand in words written in figures.

    >>> clock_in_figures("It arrives at noon."), clock_in_figures("It is a quarter to six.")
    ('It arrives at 12:00 p.m.', 'It is 5:45.')
    >>> clock_in_figures("It is nine o'clock at night.")
    'It is 9:00 p.m.'
    >>> clock_in_figures("We land at 5:25 in the afternoon."), clock_in_figures("It rings at 12:10 at night")
    ('We land at 5:25 p.m.', 'It rings at 12:10 a.m.')
    """

    def figures(match: re.Match[str]) -> str:
        said, hour = match["minutes"].lower(), match["hour"].lower()
        minutes, at = _MINUTES.get(said) or int(said), int(hour) if hour.isdigit() else _HOURS.index(hour) + 1
        if not (0 < minutes < 60 and 0 < at <= 12):
            return match[0]
        if match["side"].lower() in ("to", "before"):
            minutes, at = 60 - minutes, (at - 2) % 12 + 1
        return f"{at}:{minutes:02}"

    def sharp(match: re.Match[str]) -> str:
        hour = match["hour"].lower()
        at = int(hour) if hour.isdigit() else _HOURS.index(hour) + 1
        if not 0 < at <= 12:
            return f"{at}:00"
        said = match["day"] or match["night"] or ""
        late = said.lower() in ("afternoon", "evening") or (said.lower() == "night" and 4 < at < 12)
        half = "p.m" if late else "a.m" if said else _half_of(at, match.string[: match.start()])
        return f"{at}:00 {half}" + "." * (match.string[match.end() : match.end() + 1] != ".") if half else f"{at}:00"

    def of_day(match: re.Match[str]) -> str:
        hour = int(match["at"].partition(":")[0])
        morning = (match["day"] or "").lower() == "morning" or (match["night"] and (hour < 5 or hour == 12))
        half = "a.m" if morning else "p.m"
        return f"{match['at']} {half}" + "." * (match.string[match.end() : match.end() + 1] != ".") + match["dress"]

    def midday(match: re.Match[str]) -> str:
        half = "a.m" if match["name"].lower() == "midnight" else "p.m"
        return f"12:00 {half}" + "." * (match.string[match.end() : match.end() + 1] != ".")

    text = _SPOKEN.sub(figures, _MIDDAY_IN_TEXT.sub(r"12:00 \1", text))
    text = _SHARP.sub(sharp, text) if "clock" in text else text
    text = _OF_DAY.sub(of_day, text) if ":" in text else text
    named = {match["name"].lower() == "midnight" for match in _MIDDAY.finditer(text)}
    return text if len(named) > 1 else _MIDDAY.sub(midday, text)  # noon or midnight is no time


def _half_of(hour: int, before: str) -> str:
    """The half of the day in which a text last names a full hour; empty where it does not."""
    named = re.findall(rf"(?<![0-9:.,]){hour}(?::00)?\s?([ap])\.?\s?m\b", before[-400:], re.I)
    return f"{named[-1].lower()}.m" if named else ""


def moments_once(text: str) -> str:
    """A text with each time of day that it gives once more on the other clock given once, with its half of the day.

    >>> moments_once("It ends at **9:17 p.m.** (21:17)."), moments_once("It ends at 9:17 p.m. (21:27).")
    ('It ends at **9:17 p.m.**.', 'It ends at 9:17 p.m. (21:27).')
    """

    def once(match: re.Match[str]) -> str:
        one, two = read_moment(match["one"]), read_moment(match["two"])
        halves = [moment is not None and moment.values[-1] is not None for moment in (one, two)]
        if match["one"] == match["two"]:  # 12:05 (five past twelve), of which the words are in figures now
            return f"{match['one']}{match['dress']}"
        if one is None or two is None or halves.count(True) != 1 or not same_moment(one, two):
            return match[0]
        return f"{match['one'] if halves[0] else match['two']}{match['dress']}"

    return _TWICE.sub(once, text) if ":" in text else text


def date_around(text: str, day: str) -> str:
    """The date whose day a number was last read as in a text: September 23, for 23; empty for none.

    >>> date_around("She takes the last two on **September 23**.", "23"), date_around("It takes 23 days.", "23")
    ('September 23', '')
    """
    if not day.isdigit() or len(day) > 2:
        return ""
    text = text.rstrip().rpartition("\n")[2]
    at = rf"(?:the )?{day}(?:st|nd|rd|th)?"
    found = re.findall(rf"\b(?:{_MONTH_NAME}\.? {at}|{at} (?:of )?{_MONTH_NAME})\b", text)
    return found[-1] if len(set(found)) == 1 else ""


def same_moment(answer: Moment, gold: Moment) -> bool:
    """Whether two are the same; the year, the half of the day may be missing on either side."""
    if answer.kind != gold.kind:
        return False
    if answer.kind == "weekday and time":
        (day, *time), (day2, *time2) = answer.values, gold.values
        return day == day2 and same_moment(Moment("time", tuple(time)), Moment("time", tuple(time2)))
    if answer.kind != "time":
        return all(a is None or b is None or a == b for a, b in zip(answer.values, gold.values, strict=True))
    (h, *rest, half), (h2, *rest2, half2) = answer.values, gold.values
    assert h is not None
    assert h2 is not None
    if rest != rest2:
        return False
    if half is not None and half2 is not None:
        return (h, half) == (h2, half2)
    if half is None and half2 is None:
        return h == h2
    named, (plain, bare) = (half if half is not None else half2), ((h2, h) if half is not None else (h, h2))
    return plain == bare or plain == bare % 12 + 12 * (named or 0)  # 15:30 is 3:30 p.m.
