"""Values with the units that stand beside them in a message, against the unit that a question asks for."""

import re
from fractions import Fraction

from turnwise.verifiers.math.asked import NO_UNIT, NUMBER, Asked, fits, in_pounds, is_abstract, measures, of_whole
from turnwise.verifiers.math.read.reader import read
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.units import read_unit
from turnwise.verifiers.messages.sought.subject import stem
from turnwise.verifiers.messages.wording import last_place

__all__ = ["as_counted", "in_another_unit", "in_one_unit", "scaled", "suits", "unit_beside", "unit_of", "with_unit"]

_BETWEEN = r"(?:\s?(?:π|\\pi(?![a-z])))?(?:[\s*$)}]|\\[)\]]){0,6}(?:\\[,;: ]|\\(?:text|mathrm)\s*\{\s*|~)?\s{0,2}"
_BESIDE = re.compile(
    rf"{_BETWEEN}(?P<unit>(?:square |cubic )?[A-Za-zμΩ°]+(?:[²³]|[$}}]?\^\{{?[23]\}}?)?(?:\s?(?:/|per "
    rf"|an? )\s?[A-Za-z]+(?:[²³]|\^\{{?[23]\}}?)?)?"
    r"|(?:平方|立方)?[\u4e00-\u9fff]{1,2}(?:/(?:平方|立方)?[\u4e00-\u9fff]{1,2})?)"
)
_NUMBER_BEGINS, _NUMBER_ENDS = re.compile(r"(?<![A-Za-z0-9.,/])"), re.compile(r"(?![A-Za-z0-9.,]*[0-9])")
_IN_DEGREES = re.compile(r"\b(?:in|how many) degrees\b(?! (?:celsius|fahrenheit|kelvin|C\b|F\b))", re.IGNORECASE)
_RADIANS = re.compile(r"[0-9.,/]+\s?[$*]*\s?(?:\\(?:text|mathrm)\{\s*)?rad(?:ians?)?\b")
_ASKS_SHARE = re.compile(
    r"percent|probab|chance|likel|fraction|rate\b|portion|proportion|share|part\b|margin|interest|grow|increas|decreas|chang"
    r"|efficien|concentrat|ris[ei]|f[ae]ll|ratio|score|grade|error|discount|yield|tax|how much|compar",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"([0-9][0-9.,]*)\s?\\?%")
_CHINESE_UNIT = {"美分": "cents", "美元": "dollars", "欧元": "euros", "公里": "km", "公斤": "kg", "英里": "miles"}
_COUNT = re.compile(r"[\s*$]*(?P<number>-?[0-9][0-9.,]*)[\s*$]+(?P<noun>[^\W\d_]+)(?P<rest>(?!.*\bor\b)[^=]*)")
_HOW_MANY = re.compile(r"\bhow many ([a-z]+)", re.IGNORECASE)
_OF_PER = re.compile(r"\sof \S+ (?:per|in each|in every) ")  # 0.3 moles of HCl per litre is a concentration
_SCALE = re.compile(r"[\s*$]{1,3}(million|billion)\b")
_EACH = re.compile("每.{1,2}$")  # 每小时90千米: the unit is not the one behind the number alone


def unit_beside(message: str, value: str) -> str:
    """The unit that stands behind a value in a message where the value was read without it; empty for none.

    >>> unit_beside("So its speed is **24 km/h**.", "24"), unit_beside("It has 24 seats", "24")
    ('km/h', '')
    """
    numbers = NUMBER.findall(value)
    return _unit_behind(message, numbers[0]) if len(numbers) == 1 and value.strip(" $-*") == numbers[0] else ""


def _unit_behind(message: str, number: str, stated: str = "") -> str:
    """The unit behind a number where a message last has it, or has the quantity that was read; empty for none."""
    place = last_place(message, stated, _NUMBER_BEGINS, _NUMBER_ENDS) if stated[:1].isdigit() else -1
    if place < 0:
        place = last_place(message, number, _NUMBER_BEGINS, _NUMBER_ENDS)
    beside = _BESIDE.match(message, place + len(number)) if place >= 0 else None
    if beside is None or _OF_PER.match(message, beside.end()) is not None:
        return ""
    name = _CHINESE_UNIT.get(beside["unit"], beside["unit"].replace("$", "").replace("}^", "^"))
    first = re.split(r"[\s/]", name)[0].lower()
    if _EACH.search(message, max(0, place - 8), place) is not None or (len(first) > 1 and first in NO_UNIT):
        return ""  # $2304 in a year: no inches
    for shown in dict.fromkeys((name, re.split(r"\s?/| (?:per|an?) ", name)[0], name if name.isascii() else name[:1])):
        unit = read_unit(shown) if shown.lower() not in NO_UNIT else None
        if unit is not None and unit.dimensions and not is_abstract(unit):
            return shown
    return ""


def suits(asked: Asked, text: str, value: str) -> bool:
    """Whether a value that was read from a text can be what is asked for, by its kind and the unit beside it."""
    unit = unit_beside(text, value)
    return fits(f"{value} {unit}" if unit else value, asked)


def in_another_unit(message: str, value: str, asked: Asked, gold: str) -> bool:
    """Whether a value stands in a message with a unit that the question does not ask for, where the gold has none.

    >>> from turnwise.verifiers.math.asked import asked_for
    >>> in_another_unit("It is **45 inches** tall.", "45 inches", asked_for("How tall is it, in feet?"), "45")
    True
    """
    numbers = NUMBER.findall(value.rpartition("=")[2])
    stated = value if unit_of(value) is not None else ""
    beside = _unit_behind(message, numbers[0], stated) if len(numbers) == 1 else ""
    if asked.base and "base" in value.lower() and unit_of(value) is None:
        return _base_of(value) not in (0, asked.base)
    if (percent := _PERCENT.findall(value)) and percent[-1] == gold.strip(" $"):  # 80% where a number is asked
        asking = asked.subject.asking
        return bool(asking) and "%" not in asking and _ASKS_SHARE.search(asking) is None
    if _IN_DEGREES.search(asked.subject.asking) is not None and numbers:
        return _RADIANS.match(message, message.rfind(numbers[-1])) is not None
    known = unit_of(gold)
    if known is not None:
        own = value.rpartition(numbers[0])[2].strip(" $*.") if beside else ""
        return beside.startswith(own) and beside != own and _differs(numbers[0], beside, gold)  # 26 cm of 26 cm^2
    wanted = read_unit(asked.unit or asked.measure) if asked.unit or asked.measure else None
    if wanted is None:
        return False
    shown = read_unit(beside) if beside else unit_of(value)
    if shown is None or (asked.unit.startswith("pound") and in_pounds(shown)):
        return False  # £5 is five pounds
    if not measures(shown, asked):
        whole, _, time = re.sub(r"\s?/\s?| (?:per|an?) ", "|", beside).partition("|")
        shown = read_unit(whole)
        if (
            not time
            or shown is None
            or re.search(rf"\b(?:one|a|an|per|each|every) {time}\b", asked.subject.asking) is None
        ):
            return True  # 25 metres per second are the metres that it does in a second
    same = shown.dimensions == wanted.dimensions
    plain = asked.measure == "year" and not any(one.endswith(f" {beside.rstrip('s')}") for one in asked.subject.given)
    return (bool(asked.unit) or plain) and same and (shown.scale, shown.pi) != (wanted.scale, wanted.pi)


def _base_of(value: str) -> int:
    """The base that a number says that it is in; 0 for none."""
    try:
        node = read(value)[0]
    except tree.ReadError:
        return 0
    return node.base if isinstance(node, tree.Base) else 0


def _differs(number: str, unit: str, gold: str) -> bool:
    """Whether a number in a unit is not what a quantity says: 42.50 cents are not $42.50."""
    shown, known, parts = read_unit(unit), unit_of(gold), _parts(gold)
    if shown is None or known is None or len(parts) != 1 or not isinstance(parts[0].value, tree.Num):
        return False
    if of_whole(shown) != of_whole(known):
        return not (unit.startswith("pound") and in_pounds(known))  # £5 is five pounds
    return (
        shown.pi == known.pi
        and Fraction(number.replace(",", "")) == parts[0].value.value
        and shown.scale != known.scale
    )


def in_one_unit(text: str, asked: Asked) -> str:
    """An amount in two units as a number of the unit that is asked for; empty for any other value.

    >>> from turnwise.verifiers.math.asked import asked_for
    >>> in_one_unit("4 hours and 40 minutes", asked_for("How many hours does it take?"))
    '14/3'
    """
    wanted = read_unit(asked.unit) if asked.unit else None
    parts = _parts(text)
    if wanted is None or len(parts) < 2 or any(part.unit.dimensions != wanted.dimensions for part in parts):
        return ""
    if all((part.unit.scale, part.unit.pi) != (wanted.scale, wanted.pi) for part in parts):
        return ""
    amounts = [part.value.value * part.unit.scale for part in parts if isinstance(part.value, tree.Num)]
    return str(sum(amounts) / wanted.scale) if len(amounts) == len(parts) else ""


def with_unit(message: str, value: str, asked: Asked, gold: str) -> str:
    """A number with the unit that it has in a message, in that of the gold or, without one, of the question; or "".

    >>> from turnwise.verifiers.math.asked import asked_for
    >>> with_unit("So you gain 50 cents per roll.", "50", asked_for("What do you gain, in dollars?"), "0.5")
    '1/2'
    >>> with_unit("That is a force of 4.8 kN against the motion.", "4.8", asked_for("What is the force?"), "4800 N")
    '4.8 kN'
    """
    beside = unit_beside(message, value)
    shown = read_unit(beside) if beside else None
    if shown is None:
        return ""
    if unit_of(gold) is not None:
        return f"{value} {beside}"
    wanted = read_unit(asked.unit) if asked.unit else None
    number = value.strip(" $-*").replace(",", "")
    if wanted is None or shown.dimensions != wanted.dimensions or shown.pi != wanted.pi or not number:
        return ""
    return str(Fraction(number) * shown.scale / wanted.scale) if shown.scale != wanted.scale else ""


def as_counted(value: str, asked: Asked, question: str) -> str:
    """The number of a count of what the question counts, in its words: 7 dozen for how many dozens; or "".

    >>> from turnwise.verifiers.math.asked import asked_for
    >>> as_counted("7 dozen eggs in 4 weeks", asked_for("How many dozens of eggs are 4 boxes?"), "")
    '7'
    >>> question = "Claire isst jeden Tag 3 Eier. Wie viele Dutzend sind das in 4 Wochen?"
    >>> as_counted("7 Dutzend", asked_for(question), question)
    '7'
    """
    count = _COUNT.fullmatch(value)
    if count is None or unit_of(value) is not None:
        return ""
    if not asked.subject.asking:  # of another language only the words of the question are known
        named = re.search(rf"(?<!\w){re.escape(count['noun'])}(?!\w)", question, re.IGNORECASE)
        return count["number"] if named is not None and not count["rest"].strip(" .") else ""
    wanted = _HOW_MANY.search(asked.subject.asking)
    given = {number.strip(".,") for number in NUMBER.findall(count["rest"])} <= asked.subject.given
    return count["number"] if wanted is not None and given and stem(wanted[1]) == stem(count["noun"]) else ""


def scaled(message: str, value: str, asked: Asked) -> str:
    """A number with the word behind it in a message that makes it larger, unless the question asks for so many of them.

    >>> from turnwise.verifiers.math.asked import asked_for
    >>> scaled("That makes 1.38 million bolts.", "1.38", asked_for("How many bolts does it make?"))
    '1.38 million'
    """
    place = last_place(message, value, _NUMBER_BEGINS, _NUMBER_ENDS) if value[:1].isdigit() else -1
    scale = _SCALE.match(message, place + len(value)) if place >= 0 else None
    return value if scale is None or scale[1] in asked.subject.asking.lower() else f"{value} {scale[1]}"


def unit_of(text: str) -> tree.Unit | None:
    """The physical unit of a text that is one quantity, or one in two units: the larger one."""
    parts = _parts(text)
    units = [part.unit for part in parts if part.unit.dimensions and not is_abstract(part.unit)]
    alike = len({unit.dimensions for unit in units}) == 1 and len(units) == len(parts)
    return units[0] if alike else None


def _parts(text: str) -> list[tree.Quantity]:
    """The quantities that a value is, or is the sum of; none for any other value."""
    try:
        node = read(text)[0]
    except tree.ReadError:
        return []
    node = node.operands[-1] if isinstance(node, tree.Relation) else node
    terms = node.terms if isinstance(node, tree.Add) else (node,)
    found = [term for term in terms if isinstance(term, tree.Quantity)]
    return found if len(found) == len(terms) else []
