"""The values of the end of a message that may be its answer, each with what stands beside it."""

import itertools
import re
from collections import ChainMap
from typing import NamedTuple

from turnwise.verifiers.messages.picked.features import (
    ITEM,
    Text,
    against,
    features_of_clause,
    features_of_place,
    features_of_sentence,
    features_of_value,
)
from turnwise.verifiers.messages.picked.gates import doubts_of
from turnwise.verifiers.messages.picked.segments import Segment, segments
from turnwise.verifiers.messages.picked.ways import IMPLIES, key_of, members_of, ways_of
from turnwise.verifiers.messages.picked.words import SHORT_WORD, bag, known, stems
from turnwise.verifiers.messages.skeleton import NUMBER_WORDS, UNIT, P
from turnwise.verifiers.messages.sought.choices import MARK, Choices, tidied
from turnwise.verifiers.messages.sought.named import WEEKDAY
from turnwise.verifiers.messages.sought.subject import Sought, Subject

__all__ = ["Mention", "Read", "mentions"]

_VALUES, _MARKS = re.compile(P), re.compile(MARK)
_CLAUSES = re.compile(
    r",?\s(?:and (?:hence|thus|therefore|so)|and|while|whereas|so|which|although|though|but|compared (?:with|to)"
    r"|leaving|making|giving|along with|because|since|just ahead of|ahead of|followed by|if|when|rather than|instead of"
    r"|not)\s|[;:]\s"
    rf"|,\s(?=[A-Za-z'’]+\s|{P})|\s[—–-]\s|—|\s(?=\()|(?<=\))\s"
)
_FIGURE = re.compile(r"(?<![\w#])\$?[0-9][0-9.,]*%?(?!\w)")
_RANGE = re.compile(rf"\b(?:from|between)\s(?P<low>{P})(?:\s[A-Za-z]+)?\s(?:to|and)\s(?P<high>{P})")
_LIST = re.compile(rf"{P}(?:(?:\s(?!and\b|or\b)[A-Za-z]+){{0,2}}(?:[,;]|,?\s(?:and|or|&)|[,;]?\s*\\q?quad)\s*{P})+")
_JOINED_BEFORE = re.compile(rf"{MARK}(?:['’]s)?(,\s|,?\s(?:and|or|nor|to|through)\s|\s?[&/>=–]\s?)$")
_JOINED_BEHIND = re.compile(rf"(?:['’]s)?(,\s|,?\s(?:and|or|nor|to|through)\s|\s?[&/>=–]\s?){MARK}")
_DAY = rf"(?:{WEEKDAY.pattern}|\b(?:Mon|Tues?|Wed|Thu(?:rs)?|Fri|Sat|Sun)\b\.?)"
_DAY_BEHIND = re.compile(rf"(?: in [A-Z][a-z]+)?,?\s\(?(?:(?:on|still)\s)?({_DAY})")
_DAY_BEFORE = re.compile(rf"({_DAY}),?\s(?:at\s)?$")
_SCALE = re.compile(r"\s(?:hundred|thousand|million|billion|dozen)\b")
_ASSIGNED = re.compile(r"\W*(?P<name>[A-Za-z](?:_\{?\w\}?)?)\s*=(?P<rest>.*)", re.DOTALL)
_IN_FORMULA = re.compile(r"(?:[,;]\s|\\q?quad(?![a-z])|\\text\s?\{\s*(?:and|or)\s*\}|\\[,; ]|\s(?:and|or)\s)+")
_LISTING = re.compile(r"^\W*(?:[A-Za-z ,]{0,60}?\b(?:are|is|has|have|needs?|gets?|there are|:)\s)?")
_COMMAND = re.compile(r"\\[a-z]+")
_LETTER = re.compile(r"[a-z]")
_MAX_VALUES = 40
_MAX_CHARS = 400  # of one value


class Mention(NamedTuple):
    """A value that may be the answer.

    Attributes:
        shown: The ways to read it: exact or rounded, with its unit, with its name.
        key: What two mentions of one value have in common.
        clause: The clause that it stands in.
        features: What stands beside it, each with a value between 0 and 1; mentions share the parts of it.
        place: The number of its sentence.
        head: What stands before it in its sentence.
    """

    shown: tuple[str, ...]
    key: str
    clause: str
    features: ChainMap[str, float]
    place: int
    head: str = ""


class Read(NamedTuple):
    """What was read of a message.

    Attributes:
        mentions: The values that may be its answer.
        none: What speaks against all of them, as features.
        sentences: Its sentences.
    """

    mentions: list[Mention]
    none: dict[str, float]
    sentences: list[str]


def mentions(end: str, sought: Sought, kind: str, choices: Choices | None, several: bool) -> Read:
    """What of the end of a message may be its answer.

    Args:
        end: The end of the message, as the rules for sentences read it.
        sought: What is asked for.
        kind: Its kind, as `turnwise.verifiers.math.asked.Asked` names it.
        choices: The words of which one is asked for; None where it is a value.
        several: Whether several values are asked for: then those of a sentence or list count as one, too.

    >>> from turnwise.verifiers.messages.sought.subject import Subject
    >>> sought = Sought(lambda text, value: True, Subject(frozenset(["apple"])))
    >>> read = mentions("3 + 4 = 7, so 7 apples are left.", sought, "count", None, False)
    >>> [mention.shown for mention in read.mentions]
    [('7', '3 + 4 = 7'), ('7',)]
    """
    body, found = segments(end)
    if not found:
        return Read([], {}, [])
    words = [
        segment.masked.words if choices is None else _FIGURE.sub("#", choices.marked(tidied(segment.text)))
        for segment in found
    ]
    about = [len(sought.subject.words & stems(one)) for one in words]
    pattern = _VALUES if choices is None else _MARKS
    text = Text(body, found, words, about, [n for n, one in enumerate(words) if pattern.search(one)])
    out: list[Mention] = []
    for n in text.places:
        out += _in_sentence(text, n, sought, kind, choices)
        if len(out) > 4 * _MAX_VALUES:
            break
    if several and choices is None:
        out += _several(text)
    ends = {mention.key for mention in out if "from last value 0" in mention.features}
    return Read(out, against(text, ends), [segment.text for segment in found])


def _in_sentence(text: Text, place: int, sought: Sought, kind: str, choices: Choices | None) -> list[Mention]:
    """The mentions of a sentence."""
    segment, words, about = text.found[place], text.words[place], sought.subject.words
    pattern = _VALUES if choices is None else _MARKS
    signs = [match.span() for match in pattern.finditer(words)][:_MAX_VALUES]
    lists = [match.span() for match in _LIST.finditer(words)] if choices is None else []
    common = features_of_sentence(text, place)
    surfaces = [match[0] for match in choices.pattern.finditer(tidied(segment.text))] if choices is not None else []
    asked = frozenset(word.lower() for word in SHORT_WORD.findall(sought.subject.asking))
    cuts = [0]
    for match in _CLAUSES.finditer(words):
        if pattern.search(words, cuts[-1], match.start()):
            cuts.append(match.start())
    clauses = [words[start:stop] for start, stop in itertools.pairwise([*cuts, len(words)])]
    beside = [features_of_clause(clause, asked) for clause in clauses]
    held = [stems(clause) for clause in clauses]
    covered = [len(about & one) for one in held]
    starts = next(name for name in common if name.startswith("starts "))
    from_last = next(name for name in common if name.startswith("from last value"))[-1]
    found = []
    for span in (*signs, *lists):
        start, stop = span
        is_list = span not in signs
        n = max(index for index, cut in enumerate(cuts) if cut <= start)
        head, tail = words[:start], words[stop:]
        around = features_of_place(head, tail, sought.subject.asking)
        own: dict[str, float] = {}
        if choices is not None:
            key = choices.at(words[start])
            shown: tuple[str, ...] = (surfaces[signs.index(span)] if len(surfaces) == len(signs) else key,)
            inside = any(choices.at(mark) == key for mark in _MARKS.findall(choices.marked(tidied(segment.bold))))
            own |= _of_choice(text, choices, key, head, tail)
        else:
            shown, written = _shown(segment, words[start:stop], head, tail)
            if not shown:
                continue
            key, inside = key_of(shown[0]), bool(written) and written.strip("$ .") in segment.bold
            own |= features_of_value(
                text.text, segment, words[start], shown, written, head, tail, sought, kind, is_list
            )
        names = [
            f"clause {min(n, 2)}",
            f"clauses behind {min(len(clauses) - 1 - n, 2)}",
            f"clause about {min(covered[n], 4)}",
        ]
        near = about & stems(f"{head[-40:].partition(' ')[2]} {tail[:40].rpartition(' ')[0]}")
        names.append(f"near about {min(len(near), 3)}")
        if segment.bold:
            names.append("in bold" if inside else "beside bold")
        if is_list:
            names += ["list", f"list {min(len(_VALUES.findall(words[start:stop])), 4)}"]
            names += ["list or"] if " or " in words[start:stop] else []
        else:
            order = signs.index(span)
            is_last = order == len(signs) - 1
            before, behind, *_ = around
            names += [f"{starts} & {from_last}", f"{before} & {is_last}", f"{before} & {behind}"]
            names += ["listed"] if any(one <= start < two for one, two in lists) else []
            names += ["first value"] if order == 0 else []
            names += ["last value"] if is_last else []
            names += ["only value"] if len(signs) == 1 else []
            names += ["very last"] if is_last and place == len(text.found) - 1 else []
        if covered[n] and covered[n] == max(covered):
            names.append("clause most about")
            names += ["clause alone about"] if len(covered) > 1 and covered.count(covered[n]) == 1 else []
        if sought.subject.entity and sought.subject.entity in held[n]:
            names.append("entity")
        names += _of_question(held[n], tail, about, sought.subject)
        own |= dict.fromkeys(names, 1.0)
        if about and covered[n]:
            own["share about"] = covered[n] / len(about)
        said = segment.text if choices is not None else _VALUES.sub(lambda sign: segment.masked.at(sign[0]), clauses[n])
        found.append(Mention(shown, key, said, ChainMap(own, beside[n], around, common), place, head))
    return found


def _of_question(clause: set[str], tail: str, about: frozenset[str], subject: Subject) -> list[str]:
    """Features: whose value it is, whether it is one of what is counted, and what a clause says beyond the question."""
    others, own = clause & subject.people, clause & subject.words
    names = [f"context {min(len(clause & subject.context), 3)}"]
    names.append(f"beyond {min(len(clause - subject.context - about) // 2, 4)}")
    if subject.people:
        whose = "both" if others and own else "other" if others else "asked" if own else "nobody"
        names.append(f"whose {whose}")
    if subject.counted:
        behind = stems(" ".join(SHORT_WORD.findall(tail[:40])[:3]))
        kept = behind & subject.counted
        names.append("counted behind" if kept == subject.counted else "counted near" if kept else "counted else")
        names.append("counted in clause" if clause & subject.counted else "counted out of clause")
    return names


def _of_choice(text: Text, choices: Choices, name: str, head: str, tail: str) -> dict[str, float]:
    """The features of a word of which one is asked for."""
    names = [f"choice {choices.kind}", f"count {min(text.text.count(name), 4)}"]
    if (joint := _JOINED_BEFORE.search(head)) is not None:
        names.append(f"joined before {joint[1].strip() or ','}")
    if (joint := _JOINED_BEHIND.match(tail)) is not None:
        names.append(f"joined behind {joint[1].strip() or ','}")
    return dict.fromkeys(names, 1.0)


def _shown(segment: Segment, signs: str, head: str, tail: str) -> tuple[tuple[str, ...], str]:
    """The ways to read a value or a list, and what is written; none for a value that is a program's or too long."""
    masked, places = segment.masked, _VALUES.findall(signs)
    if len(places) > 1:
        written = _VALUES.sub(lambda sign: masked.at(sign[0]), signs)
        joined = _VALUES.sub(lambda sign: ways_of(masked.at(sign[0]))[0], signs)
        return tuple(dict.fromkeys([joined, ", ".join(ways_of(masked.at(sign))[0] for sign in places)])), written
    written = masked.at(signs)
    if len(written) > _MAX_CHARS or "**" in written:
        return (), written
    ways = ways_of(written)
    scale = _SCALE.match(tail)
    unit = UNIT.match(tail, scale.end() if scale is not None else 0)
    if scale is not None:
        ways = [f"{way}{scale[0]}" for way in ways]
    if unit is not None:
        ways = [f"{way} {unit[1]}" for way in ways]
    behind = tail[unit.end() :] if unit is not None else tail
    if ":" in written and (day := _DAY_BEHIND.match(behind) or _DAY_BEFORE.search(head)) is not None:
        ways.append(f"{ways[0]} on {day[1]}")
    return tuple(ways), written


def _several(text: Text) -> list[Mention]:
    """The values of a sentence, of a range, of a list of items, or of several names, as one value each."""
    out = []
    names: dict[str, str] = {}
    rows: list[tuple[int, str]] = []
    named_last = 0
    for n, segment in enumerate(text.found):
        values = [segment.masked.at(sign) for sign in _VALUES.findall(text.words[n])]
        ways = [ways_of(value)[0] for value in values]
        tokens = SHORT_WORD.findall(text.words[n])
        base = [
            f"g from end {min(len(text.found) - 1 - n, 4)}",
            f"g about {min(text.about[n], 3)}",
            f"g starts {known(tokens, '-')}",
            *doubts_of(segment.text),
        ]
        if 2 <= len(values) <= 6 and all(len(value) < 60 for value in values):
            kept = [way for way, value in zip(ways, values, strict=True) if NUMBER_WORDS.fullmatch(value) is None]
            shown = [", ".join(ways)]
            if 2 <= len(kept) < len(values):
                shown.append(", ".join(kept))
            words = _LISTING.sub("", text.words[n])
            shown.append(_VALUES.sub(lambda sign, held=segment.masked: held.at(sign[0]), words).strip(" .*"))  # type: ignore[misc]
            features = [*base, "g sentence", f"g sentence {len(values)}", *(f"g {word}" for word in bag(text.words[n]))]
            out.append(Mention(tuple(shown), shown[0], segment.text, ChainMap(dict.fromkeys(features, 1.0)), n))
        if len(values) == 1 and ITEM.match(segment.text.lstrip()):
            rows.append((n, ways[0]))
        for match in _RANGE.finditer(text.words[n]):
            low, high = (ways_of(segment.masked.at(match[name]))[0] for name in ("low", "high"))
            range_ = Mention((f"({low}, {high})",), f"{low},{high}", segment.text, ChainMap(), n)
            out.append(range_._replace(features=ChainMap(dict.fromkeys([*base, "g range"], 1.0))))
        if assigned := dict(filter(None, map(_assigned, values))):
            names |= assigned
            named_last = n
        for value in values:
            members = [one for one in _IN_FORMULA.split(value) if one.strip()] if value.count("=") > 1 else []
            if 2 <= len(members) <= 6 and all("=" in one for one in members):
                shown = [", ".join(ways_of(one)[0] for one in members)]
                features = [*base, "g formula"]
                out.append(Mention(tuple(shown), shown[0], segment.text, ChainMap(dict.fromkeys(features, 1.0)), n))
    block = _last_block(rows)
    if 2 <= len(block) <= 6:
        n = rows[-1][0]
        features = ["g items", f"g items end {min(len(text.found) - 1 - n, 3)}"]
        shown = [", ".join(block)]
        out.append(Mention(tuple(shown), shown[0], text.found[n].text, ChainMap(dict.fromkeys(features, 1.0)), n))
    if 2 <= len(names) <= 4:
        shown = [", ".join(f"{name} = {value}" for name, value in names.items()), ", ".join(names.values())]
        n = named_last
        features = ["g names", f"g names {len(names)}", f"g names end {min(len(text.found) - 1 - n, 4)}"]
        features += doubts_of(text.found[n].text)
        out.append(Mention(tuple(shown), shown[0], text.found[n].text, ChainMap(dict.fromkeys(features, 1.0)), n))
    return out


def _assigned(value: str) -> tuple[str, str] | None:
    """The letter to which a formula gives a number at its end, and that number; None where it gives none."""
    match = _ASSIGNED.fullmatch(IMPLIES.split(value)[-1])
    if match is None or not match["rest"].strip():
        return None
    member = members_of(match["rest"])[0][-1]
    return (match["name"], member) if not _LETTER.search(_COMMAND.sub("", member)) else None


def _last_block(rows: list[tuple[int, str]]) -> list[str]:
    """The values of the last items that stand one below the other."""
    block = rows[-1:]
    for row in rows[-2::-1]:
        if row[0] != block[0][0] - 1:
            break
        block.insert(0, row)
    return [value for _, value in block]
