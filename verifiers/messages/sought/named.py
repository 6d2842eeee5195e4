"""Answers that are names: days of the week, and those of whom a question asks who or which it is."""

import re

from turnwise.verifiers.messages.base import STRONG
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.prose import plain
from turnwise.verifiers.messages.sought.subject import Subject, stem
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = ["WEEKDAY", "named", "weekday"]

_WORD = re.compile(r"(?<![\w\\])[A-Za-z]+(?!\w)")


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in END_OF_SENTENCE.split(text) if part and part.strip(" *")]


WEEKDAY = re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", re.IGNORECASE)
_DAY_ALONE = re.compile(rf"\W*({WEEKDAY.pattern})(?:[.!*]+(?:\s|$)|\n|$|,\s(?:because|since|as)\b)", re.IGNORECASE)
_DAY_NOT_COUNTED_FROM = re.compile(
    rf"(?<!after )(?<!before )(?<!from )(?<!past )(?<!after a )(?<!from a )(?<!is again a )({WEEKDAY.pattern})", re.I
)
_DAY_STATED = re.compile(  # So it falls on a Tuesday; not: two days after Tuesday
    rf".*(?:\b(?:is|was|be|falls?|fell|will be|lands?|gives|comes|means|reach|get to|makes it|arrive at|brings? (?:us"
    rf"|you) to"
    rf"|i\.e\.,?)"
    rf"(?: on| at)?(?: an?)?|['’]s an?|→|:|=|是) ?[*$]*({WEEKDAY.pattern})"
    r"(?:[（(][^()（）]*[)）])?\W*",
    re.IGNORECASE,
)
_DAY_IN_BOLD = re.compile(rf"\*\*\s*({WEEKDAY.pattern})\s*[.!]?\*\*", re.IGNORECASE)
_DAY_CONCLUDED = re.compile(r"\b(?:so|thus|hence|therefore|answer)\b", re.IGNORECASE)
_NARROWED = re.compile(r"\W*(?:(?:so|then),? )?(?:without|except|apart from|besides)\b", re.IGNORECASE)
_CHINESE_DAYS = {"一": "Monday", "二": "Tuesday", "三": "Wednesday", "四": "Thursday", "五": "Friday", "六": "Saturday",
                 "日": "Sunday", "天": "Sunday"}  # fmt: skip
_CHINESE_DAY = re.compile("(?:星期|周|礼拜)([一二三四五六日天])")


def weekday(text: str) -> str:
    """The day of the week that a message opens with, or that its last statement of one states; empty for none."""
    text = _CHINESE_DAY.sub(lambda match: f" {_CHINESE_DAYS[match[1]]} ", text)
    parts = _sentences(flattened(text.strip()))
    named = [part for part in parts if WEEKDAY.search(part)]
    if not named or STRONG.search(text) is not None:
        return ""
    opened = _DAY_ALONE.match(text) or (_DAY_STATED.fullmatch(parts[0]) if plain(parts[0]) else None)
    if opened is not None and (len(parts) > 1 or _DAY_ALONE.match(text)):
        rest = [part for part in named[1:] if _DAY_CONCLUDED.search(part) or part is parts[-1]]
        others = [day for part in rest for day in _DAY_NOT_COUNTED_FROM.findall(part)]
        if all(day.lower() == opened[1].lower() for day in others) and (
            _DAY_ALONE.match(text) or named[-1] is parts[-1]
        ):
            return str(opened[1])
    bold = _DAY_IN_BOLD.findall(named[-1])
    if not plain(named[-1]) or (named[-1] is not parts[-1] and _DAY_CONCLUDED.search(parts[-1])):
        return ""
    if len(bold) == 1:
        return str(bold[0])
    stated = _DAY_STATED.fullmatch(named[-1])
    return str(stated[1]) if stated is not None else ""


def named(text: str, subject: Subject) -> str:
    """The name that a message opens with, or of which its last sentence says what is asked; empty where several are."""
    parts = _sentences(flattened(text.strip()))
    if not parts or STRONG.search(text) is not None:
        return ""
    opening = parts[0].strip(" *.!")
    if len(parts) > 1 and opening in subject.names and plain(parts[-1]) and not _DAY_CONCLUDED.search(parts[-1]):
        return opening
    last = parts[-1].replace("*", "")
    names = "|".join(map(re.escape, subject.names))
    alone = re.fullmatch(rf"\W*(?:so |then )?(?:the )?(?:[A-Z][a-z]+ )?({names}) it is\W*", last, re.I)
    if alone is not None:
        return alone[1]
    if _NARROWED.match(last) is not None or re.search(rf"\b({names}) (?:and|or) ({names}) (?:are|were|have)\b", last):
        return ""
    clauses = re.split(r",\s(?:and\s|so\s|while\s|but\s)?|;\s|\s(?:and|while|but)\s", last)
    found: list[str] = []
    for clause in clauses:
        first = re.match(
            rf"\W*(?:(?:so|thus|hence|therefore|then|that means|this means)\b,? ?)?(?-i:[A-Z][a-z]+ )?({names})"
            r"(?:['’]s [a-z]+)? (?!or\b|and\b)[a-z]+\b",
            clause,
            re.IGNORECASE,
        )
        if first is not None and subject.words & set(map(stem, _WORD.findall(clause[first.end(1) :]))):
            found.append(first[1])
    return found[0] if len(set(found)) == 1 and plain(last) and clauses[-1].find(found[0]) >= 0 else ""
