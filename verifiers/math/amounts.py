r"""Amounts in two units, paces and differences of time, written in one way: 2 h 20 min as 2 hours 20 minutes.

Writers dress such an amount in many ways (``2\text{ h }20\text{ min}``, "2 hrs, 20 mins", "two hours and twenty
minutes", 1′ 4″, 2:20 where hours and minutes are asked for), of which the readers of sentences and formulas know one.
"""

import itertools
import re

from turnwise.verifiers.math.read.words import read_words

__all__ = ["amounts_in_full", "gold_in_full"]

_NO_INCHES = "total|all|the|an?|each|th[aei]\\w+|its|his|her|our|your|which|order|one|two|[0-9]+"  # 10 in total
_FAMILIES = (  # each unit with its ways of writing, from the larger to the smaller
    (("years", r"years?|yrs?"), ("months", r"months?|mos?"), ("weeks", r"weeks?|wks?"), ("days", r"days?"),
     ("hours", r"hours?|hrs?|h"), ("minutes", r"minutes?|mins?"), ("seconds", r"seconds?|secs?|s")),
    (("feet", r"feet|foot|ft"), ("inches", rf"inch(?:es)?|in(?!\s(?:{_NO_INCHES})\b)")),
    (("pounds", r"pounds?|lbs?"), ("ounces", r"ounces?|oz")),
    (("km", r"kilomet(?:er|re)s?|km"), ("m", r"met(?:er|re)s?|m"), ("cm", r"centimet(?:er|re)s?|cm")),
    (("kg", r"kilograms?|kilos?|kg"), ("g", r"grams?|g")),
)  # fmt: skip
_RANKS = {name: (kind, n) for kind, family in enumerate(_FAMILIES) for n, (name, _) in enumerate(family)}
_NAMES = tuple((name, re.compile(pattern)) for family in _FAMILIES for name, pattern in family)
_UNIT = "|".join(pattern for family in _FAMILIES for _, pattern in family)
_SMALL = (
    "an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    "|eighteen|nineteen"
)
_WORDED = rf"(?:(?:twenty|thirty|forty|fifty)(?:[- ](?:{_SMALL}))?|{_SMALL})"
_FIGURES = r"[0-9]{1,6}(?:\.[0-9]{1,4})?"
_BLANK = r"(?:[\s~]|\\[,;:! ]){0,3}"


def _part(n: int, number: str) -> str:
    """A number and its unit, in plain text or in a formula; the word that joins it may stand in either."""
    text = r"\\(?:text|mathrm|textrm)\s{0,2}\{\s{0,2}"
    return (
        rf"(?:{text}(?:,|and)\s{{0,2}}\}}{_BLANK})?(?P<n{n}>{number}){_BLANK}"
        rf"(?:{text}(?P<t{n}>{_UNIT})\.?,?(?:\sand)?\s{{0,2}}\}}|-?(?P<u{n}>{_UNIT})(?![A-Za-z]))"
    )


_JOINT = rf"(?:,|{_BLANK}\+)?{_BLANK}(?:(?:and|&)\s)?"
_ENDS = r"(?![\w²³^/·⋅]|\*[^*]|\s?[/^·⋅×]|\\cdot)"
_AMOUNT = re.compile(
    rf"(?<![\w.,/^:+×-])(?<![^*]\*)(?<!- )(?=[0-9\\]){_part(1, _FIGURES)}{_JOINT}{_part(2, _FIGURES)}"
    rf"(?:{_JOINT}{_part(3, _FIGURES)})?{_ENDS}"
)
_IN_WORDS = re.compile(
    rf"(?<![\w.,/-]){_part(1, _WORDED)}{_JOINT}{_part(2, f'{_FIGURES}|{_WORDED}')}(?P<n3>(?!))?{_ENDS}", re.IGNORECASE
)
_PRIMED = re.compile(
    r"(?<![\w.])(?P<one>[0-9]{1,4})\s?(?:['’′]|\^\{?\\prime\}?)(?:\s|\\[,; ]){0,2}(?P<two>[0-9]{1,2}(?:\.[0-9]+)?)\s?"
    r"(?:\"|”|″|''|’’|′′|\^\{?\\prime\s?\\prime\}?)"
)
_COLON = re.compile(
    r"(?<![\w:.])(?<!\bat )(?P<one>[0-9]{1,3})\{?:\}?(?P<two>[0-5][0-9])(?![\w:]|\.[0-9]|\s?[ap]\.?m\b)"
    r"(?:\s?\(?(?:minutes?|mins?|hours?|hrs?|mm?|hh?):(?:seconds?|secs?|minutes?|mins?|ss|mm)\b\)?)?",
    re.IGNORECASE,
)
_PER = (
    r"(?:\s{0,2}(?:per|an?|each)\s|(?:\s|\\,)?/\s?)(?:\\(?:text|mathrm)\{)?"
    r"(?P<per>km|kilomet(?:er|re)|mi(?:le)?)\b(?P<end>\})?"
)
_PACES = (
    re.compile(
        rf"(?<![\w:.])(?P<one>[0-9]{{1,2}}):(?P<two>[0-5][0-9])"
        rf"(?:(?:\s|\\[,; ])?(?:\\(?:text|mathrm)\{{\s?)?min(?:ute)?s?)?{_PER}",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<![\w.])(?P<one>[0-9]{{1,2}}) minutes (?:and )?(?P<two>[0-9]{{1,2}}) seconds{_PER}"),
)  # fmt: skip
_BARE_PACE = re.compile(  # the pace is 5:15: the question says what of
    r"(?<![\w:.])(?P<one>[0-9]{1,2}):(?P<two>[0-5][0-9])(?![\w:]|\.[0-9]|\s?(?:[ap]\.?m|k?m|mi|miles?|hours?|h|s)\b)"
)
_PACE = re.compile(
    r"(?:[0-9]:[0-5][0-9]|\b(?:min(?:ute)?s?|s|sec(?:ond)?s?))\s?(?:/|per|an?)\s?(?:km|kilomet(?:er|re)|mi(?:le)?)\b|s/km"
)
_IN_TWO = re.compile(r"[0-9] ([a-z]+) (?:and )?[0-9]+(?:\.[0-9]+)? (?:inch|minute|second)")
_TWO_UNITS = re.compile(r"\b(hours|minutes) and (?:minutes|seconds)\b", re.IGNORECASE)
_SUBSTANCE = re.compile(  # 22\ \text{g CO}_2: how much of it is asked for
    r"(?<=[0-9}])((?:\\[,; ]|\s)*)(\\(?:text|mathrm)\s?\{\s?)(k?g|mg|mol|grams?|moles?) (?:of )?"
    r"(?:[A-Z][a-z]?[0-9]{0,2}){1,5}\}(?:_\{?[0-9]{1,2}\}?)?"
)
_MAY_HOLD = re.compile(
    r"[0-9](?:[\s~-]|\\[,;: ]|\\(?:text|mathrm)\s?\{|\{|~)*(?:h|hr|min|f[oet]{2}|ft|lb|pound|yea|yr|week|day|k?m|kg)"
)
_MAY_SAY = re.compile(r"[a-z] (?:hour|minute|feet|foot|pound|year|week|day)s?,? [a-z0-9]")


def gold_in_full(gold: str, question: str) -> str:
    """A gold with its amount in two units in full words: 1:36, where minutes and seconds are asked for, as well.

    >>> gold_in_full("1:36", "Give it in minutes and seconds."), gold_in_full("1:36", "When does it end?")
    ('1 minute 36 seconds', '1:36')
    """
    asked = _TWO_UNITS.findall(question) if _COLON.fullmatch(gold.strip()) is not None else []
    if asked:
        one = asked[-1].lower()
        return _AMOUNT.sub(_in_full, _COLON.sub(rf"\g<one> {one} \g<two> {_BELOW[one]}", gold.strip()))
    return amounts_in_full(gold, gold)


def amounts_in_full(text: str, gold: str) -> str:
    r"""A text with each amount in two units in full words, and what its gold shows to be one as well.

    Args:
        text: A message.
        gold: The right answer in full: of feet and inches it shows what 1′ 4″ means, of hours and minutes 2:20.

    >>> amounts_in_full(r"It takes $\boxed{2\text{ h }20\text{ min}}$.", "")
    'It takes $\\boxed{2 hours 20 minutes}$.'
    >>> amounts_in_full("Each is 2′ 4″ long, or 28 in", "2 feet 4 inches"), amounts_in_full("f'(x) at 5′ 2″", "3")
    ('Each is 2 feet 4 inches long, or 28 in', "f'(x) at 5′ 2″")
    >>> amounts_in_full("So 2:30.", "2 minutes 30 seconds"), amounts_in_full("That is 5:15 min/km.", "5:15 per km")
    ('So 2 minutes 30 seconds.', 'That is 315 s/km.')
    """
    if "g" in text and _SUBSTANCE.search(text) is not None:
        text = _SUBSTANCE.sub(r"\1\2\3}", text)
    if _MAY_HOLD.search(text) is not None:
        text = _AMOUNT.sub(_in_full, text)
    if _MAY_SAY.search(text) is not None:
        text = _IN_WORDS.sub(_in_full, text)
    if _PACE.search(gold) is not None:
        text = _PRIMED.sub(r"\g<one> minutes \g<two> seconds", text)
        for pace in _PACES:
            text = pace.sub(_in_seconds, text)
        unit = "mi" if re.search(r"[\s/]mi", gold) is not None else "km"
        return _BARE_PACE.sub(lambda match: f"{60 * int(match['one']) + int(match['two'])} s/{unit}", text)
    amount = _IN_TWO.search(gold)
    units = [name for name in ("feet", "hours", "minutes") if amount is not None and amount[1] in (name, _ONE[name])]
    if units and ("'" in text or "′" in text or "’" in text or "prime" in text):
        text = _PRIMED.sub(rf"\g<one> {units[-1]} \g<two> {_BELOW[units[-1]]}", text) if units != ["hours"] else text
    if units and units != ["feet"] and ":" in text:
        text = _COLON.sub(rf"\g<one> {units[0]} \g<two> {_BELOW[units[0]]}", text)
    return text


_ONE = {"feet": "foot", "inches": "inch"} | {
    name: name[:-1] for name in ("years", "months", "weeks", "days", "hours", "minutes", "seconds", "pounds", "ounces")
}
_BELOW = {"feet": "inches", "hours": "minutes", "minutes": "seconds"}


def _in_full(match: re.Match[str]) -> str:
    """An amount in full words; as it stands where its units do not belong together."""
    parts: list[tuple[str, str]] = []
    for n in (1, 2, 3):
        number = match[f"n{n}"]
        if number is None:
            break
        unit = match[f"t{n}"] or match[f"u{n}"]
        if number.lower() in ("a", "an") and (n > 1 or " and" not in match[0]):  # a day 3 hours later
            return match[0]
        value = "1" if number.lower() in ("a", "an") else number
        value = value if value[0].isdigit() else str(read_words(value) or "")
        name = next((name for name, pattern in _NAMES if pattern.fullmatch(unit.lower())), "")
        name = "minutes" if name == "m" and n > 1 and parts[-1][1] == "hours" else name  # 2h30m
        parts.append((value, name))
    ranks = [_RANKS.get(name, (-1, 0)) for _, name in parts]
    falling = all(one[0] == two[0] and one[1] < two[1] for one, two in itertools.pairwise(ranks))
    if not falling or not all(value for value, _ in parts):
        return match[0]
    joint = " and " if len(parts) == 2 and re.search(r"\band\b", match[0]) else " "
    return joint.join(f"{value} {_ONE.get(name, name) if value == '1' else name}" for value, name in parts)


def _in_seconds(match: re.Match[str]) -> str:
    """A pace in seconds for each kilometre or mile."""
    return f"{60 * int(match['one']) + int(match['two'])} s/{'km' if match['per'].lower().startswith('k') else 'mi'}"
