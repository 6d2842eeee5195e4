r"""What a question asks for: the unit that it names, and the kind of value that can answer it.

A reader who knows the question does not take "60 cm²" for the length of a diagonal, "40%" for a number of ways, or
"288 kilometers" for a number of miles. Only what is certain is used: a question that says nothing of the kind, and a
value whose kind cannot be seen, contradict nothing.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from turnwise.verifiers.math.read.cursor import BASE_WORDS
from turnwise.verifiers.math.read.dates import read_moment
from turnwise.verifiers.math.read.reader import read, words_of
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.units import read_unit
from turnwise.verifiers.math.values.walk import subtrees
from turnwise.verifiers.messages.sought.named import WEEKDAY
from turnwise.verifiers.messages.sought.subject import Subject, stem

__all__ = ["NO_UNIT", "NUMBER", "Asked", "asked_for", "fits", "in_pounds", "is_abstract", "measures", "of_whole"]

_MAX_CHARS = 4000
_SENTENCE = re.compile(
    r"(?<=[.?!])(?<!\.\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bDr\.)(?<!\bSt\.)\s+(?=[A-Z$\\(])|\n+"
)
_KNOWN_LANGUAGE = re.compile(  # English or Chinese
    r"^[^\u3040-\u30ff\uac00-\ud7af]*(?:\b(?:what|how|which|who|whose|when|where|the|does|are|find|compute|calculate|determine|evaluate|simplify|solve"
    r"|express|write|give|convert|expand|factor|differentiate|integrate|rewrite|round|estimate|list|state)\b|[\u4e00-\u9fff])[^\u3040-\u30ff\uac00-\ud7af]*$",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|^\W*(?:find|compute|calculate|determine|evaluate|simplify|solve|express|give|what|how|write|convert"
    r"|factor(?:i[sz]e)?|expand|differentiate|integrate|rewrite|round|estimate|list|name|state)\b",
    re.I,
)
_UNIT_WORDS = (
    r"[A-Za-z$°%/²³^]+(?: (?:per )?(?!in\b|to\b|at\b|an?\b|as\b|s\b|is\b|of\b|per\b|for\b|over\b"
    r"|that\b|does\b|did\b|if\b|when\b)[a-z]+){0,3}"
)
_HOW_MANY = re.compile(rf"\bhow many (?:more |fewer |additional |total |whole )?(?P<unit>{_UNIT_WORDS})", re.I)
_IN_UNIT = re.compile(
    rf"\b(?:in|to the nearest(?: (?:ten|hundred|thousand|million|whole|full))?) (?P<unit>{_UNIT_WORDS})"
    r"(?=\s*[,?.;:)]|$|\s(?:for|over|that|does|do|did|is|if|when)\b)",
    re.I,
)
_TO_UNIT = re.compile(rf"\bconvert\b[^.?]{{1,60}}? (?:in)?to (?P<unit>{_UNIT_WORDS})(?=\s*[,?.;:)]|$)", re.I)
_OF_UNIT = re.compile(
    r"\b(?:unit|in) \$?\\(?:text|mathrm)\s*\{\s*(?P<unit>[^{}]{1,20}?)\s*\}(?:\^\{?(?P<power>[23])\}?)?"
)
_COUNTED = re.compile(r"\bhow many\b(?! percent)", re.I)
_CHANCE = re.compile(
    r"\b(?:what(?:['’]s| is| are| was)|find|compute|calculate|determine) (?:the )?(?:probability|chance)", re.I
)
_MONEY = re.compile(
    r"\bhow much (?:more |less )?money\b"
    r"|\bhow much\b(?! (?:time|longer|of)\b).*\b(?:cost|pay|paid|earn|spend|spent|owe|charge)s?\b"
    r"|\bwhat(?:['’]s| is| was| will be) the (?:[a-z]+ ){0,2}(?:price|cost|profit|revenue|salary|wage)\b(?! per\b)",
    re.I,
)
_PERCENT = re.compile(
    r"\b(?:what|find)(?: (?:is|was))?(?: the)? percent(?:age)?\b|\bhow many percent\b"
    r"|\bin percent\b|\bas a percent(?:age)?\b|\bby what percent(?:age)?\b",
    re.I,
)
_POINT = re.compile(
    r"\b(?:what(?:'s| is| are)|find|determine|give|state)\b(?:(?!\bof\b).)*"
    r"\b(?<!x-)(?<!y-)(?:vertex|midpoint|cent(?:re|er)(?= of the circle)|coordinates"
    r"|ordered pair|ordered triple)\b(?! form)(?!.*\b(?:sum|coordinate|distance|how many|value of)\b)",
    re.I,
)
_EQUATION = re.compile(
    r"\b(?:what(?:'s| is)|find|write|give|determine) (?:the |an )?(?:[a-z]+ )?equation (?:of|for)\b", re.I
)
_TIME = re.compile(r"\bwhat time\b(?! (?:does|did|will) it take\b)", re.I)
_CLOCK = re.compile(r"[0-9]\s?[ap]\.?m\b|\b[0-9]{1,2}:[0-9]{2}\b|o'clock|\b(?:noon|midnight)\b", re.I)
_DAY = re.compile(r"\b(?:what|which) (?:day of the week|weekday)\b", re.I)
_TUPLE = re.compile(
    r"\b(?:pairs?|triples?|tuple|points?|coordinates?|vectors?|intervals?|where|vertex|list|values)\b", re.I
)
_ON_DAY = re.compile(r"\b(?:what|which) day (?:is|was|will|does|did|would|do)\b", re.I)
_NUMBER_KIND = re.compile(
    r"\b(?:what(?:['’]s| is| was)|find|compute|calculate|determine) (?:the |its |their )?(?:[a-z]+ ){0,2}"
    r"(?:slope|gradient|sum|product|difference|mean|median|mode|range|variance|remainder|coefficient|degree|discriminant"
    r"|determinant)\b(?!-| form)",
    re.I,
)
_PI = re.compile(r"\bin terms of \$?(?:\\pi|π|pi)\b", re.I)
_DEGREES = re.compile(r"\b(Celsius|Fahrenheit) degrees\b")  # of a difference
_KINDS = (
    ("chance", _CHANCE),
    ("percent", _PERCENT),
    ("count", _COUNTED),
    ("money", _MONEY),
    ("point", _POINT),
    ("equation", _EQUATION),
    ("time", _TIME),
    ("day", _DAY),
    ("exact", _PI),
    ("number", _NUMBER_KIND),
)
_QUANTITIES = (  # what a quantity is measured in, by its name
    ("m^2", r"(?:surface |lateral |total )*area"),
    ("m^3", r"volume|capacity"),
    ("m/s", r"(?:average |final |initial )?speed|velocity"),
    ("m", r"(?:(?:maximum|total|slant) )?(?:length|height|width|distance|perimeter|"
     r"circumference|radius|diameter|diagonal"
     r"|hypotenuse|depth|altitude)"),
)  # fmt: skip
_NAMED = re.compile(
    r"\b(?:what|find|compute|calculate|determine)\b(?:(?!\b(?:of|ratio|sum|product|difference|number|square)\b|[.?]).){0,40}?"
    r"\b(?:" + "|".join(f"(?P<q{n}>{names})" for n, (_, names) in enumerate(_QUANTITIES)) + r")\b(?=\s*(?:of|in|does|do"
    r"|did|is|,|\?|\.|$|between|from|travel|\())",
    re.I,
)
_HOW = (("m", re.compile(r"\bhow (?:far|tall|wide|deep|high)\b", re.I)), ("year", re.compile(r"\bhow old\b", re.I)))
_DERIVED = re.compile(r"\b[a-z]\s*[+]\s*[a-z]\b|\bnumerator\b|\bdenominator\b")  # the probability is m/n; find m + n
_RELATIVE = re.compile(r"\b(?:factor|times|ratio|percent(?:age)?|fraction|multiplied)\b", re.I)
NUMBER = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?")
_WITH_NOUN = re.compile(r"([0-9][0-9,]*(?:\.[0-9]+)?)[\s-]([A-Za-z]+)")
_PERCENT_UNIT = re.compile(r"%|per ?cent|points?\b")
NO_UNIT = frozenset([
    "a", "an", "at", "as", "am", "pm", "in", "on", "is", "are", "it", "so", "or", "and", "to", "by", "of", "for",
    "per", "i", "x", "y", "n", "k", "c", "d", "e", "b", "s", "h", "t", "z",
])  # fmt: skip
_ABSTRACT = ("unit", "count:")  # dimensions that say nothing physical


_STOP = frozenset([
    "what", "whats", "which", "who", "how", "many", "much", "more", "is", "are", "was", "were", "be", "been",
    "does", "do", "did", "will", "would", "can", "could", "should", "has", "have", "had", "the", "a", "an", "of",
    "in", "on", "at", "to", "for", "from", "by", "with", "and", "or", "if", "that", "this", "it", "its", "there",
    "find", "compute", "calculate", "determine", "give", "express", "write", "answer", "value", "number", "as",
    "he", "she", "they", "we", "you", "i", "his", "her", "their", "your", "our", "not",
])  # fmt: skip
_WORD = re.compile(r"[A-Za-z]+")
_CONDITION = re.compile(r"[,\s](?:if|when|after|given|before|once|while|where|so that|such that)\b[^?]*", re.IGNORECASE)
_SYSTEM = re.compile(r"\bsystem\b|\b(?:solve|find|values? of)\b[^.]{0,40}\bx\$?(?:,| and) \$?y\b", re.IGNORECASE)
_MEASURE_OF = re.compile(r"\bhow (?:many|much)(?: [a-z]+)? of (?:the )?([a-z]{3,})\b", re.IGNORECASE)
_FORM_ONLY = re.compile(
    r"\W*(?:give|express|write|round|leave|state|simplify|put|provide|report)\b[^.]*\b(?:answer|result|it|values?)\b"
    r"|\W*(?:give|write|state) (?:an? |the |its |their |both |all )?(?:coordinates|(?:open |closed )?interval"
    r"|point)\W*$"
    r"|\W*round (?:(?:off|up|down) )?to\b",
    re.I,
)
_MEMBER = re.compile(r"(?<![A-Za-z\\])([A-Za-z])_\{?([0-9]+)\}?(?![0-9A-Za-z+}])")
_FACTOR = re.compile(r"(?:^|[.;:]\s)\W*factor(?:i[sz]e)?\b|\bin factored form\b", re.IGNORECASE)
_EXPAND = re.compile(r"(?:^|[.;:]\s)\W*expand\b", re.IGNORECASE)
_FORMS = (
    ("primes", re.compile(r"\bprime[- ]factori[sz]ation\b|\bproduct of (?:its )?prime(?:s| factors)\b", re.IGNORECASE)),
    (
        "simplest",
        re.compile(
            r"(?:^|[.;:]\s)\W*(?:fully |completely )?simplify\b(?! (?:and|by|the problem)\b)|\b(?:simplest"
            r"|lowest|most simplified) (?:form"
            r"|terms|radical form)|\b(?:simplified|reduced|irreducible) (?:common )?fraction"
            r"|\bfully (?:simplified|reduced)",
            re.IGNORECASE,
        ),
    ),
    ("fraction", re.compile(r"\bas an? (?:common |proper |improper )?fraction\b(?! or\b)", re.IGNORECASE)),
    ("decimal", re.compile(r"\bas a decimal\b(?! or\b)", re.IGNORECASE)),
)
_ROUNDS = re.compile(
    r"\bround|\bnearest\b|\bapproximat|\bestimate\b|\b(?:decimal places?|significant (?:figures?|digits?))\b"
    r"|\bto \w+ decimals\b|\b(?:about|roughly) how\b",
    re.IGNORECASE,
)
_SOLVE_FOR = re.compile(r"\bsolve (?:[^.]{0,60} )?for \$?([a-z])\$?(?= in terms of|[.:,]| *$)", re.IGNORECASE)
_IN_FORM = re.compile(r"\bin the form:? \$?([a-z])\s?=\s?\S")
_WHO = re.compile(
    r"\b(?:who|which (?!of the following)(?:[a-z]+ )?(?:one |of them )?(?:is|has|was|are|wins|won|gets|shop|person"
    r"|team|car|train"
    r"|offer|store|player|candidate|girl|boy|child|plan|company))\b",
    re.IGNORECASE,
)
_WHICH = re.compile(r"\bwhich ([a-z]+)", re.IGNORECASE)
_PROPER = re.compile(
    r"(?:Shop|Store|Team|Plan|Car|Train|Offer|Company|Player|Box|Bag|Tank) [A-Z]\b|\b[A-Z][a-z]{1,15}\b"
)
_NO_NAMES = frozenset(
    [
        "today",
        "then",
        "each",
        "every",
        "both",
        "three",
        "two",
        "four",
        "five",
        "one",
        "find",
        "give",
        "shop",
        "store",
        "team",
        "plan",
        "car",
        "train",
        "offer",
        "company",
        "player",
        "box",
        "bag",
        "tank",
        "use",
        "assume",
        "suppose",
        "let",
        "if",
        "when",
        "after",
        "before",
        "during",
        "since",
        "while",
        "although",
    ]
)
_BASE = re.compile(  # the last one that is named, where nothing asks for a decimal number
    r"\b(?:in|to|into) base[- ]?\$?([0-9]{1,2}|two|three|four|five|six|seven|eight|nine|twelve|sixteen)\b"
    r"(?!.*\b(?:decimal|base[- ]?\$?(?:10|ten)|base)\b)",
    re.IGNORECASE | re.DOTALL,
)
_COUNTED_NOUN = re.compile(
    r"\bhow many (?:(?:more|fewer|additional|total|whole|different|distinct|of (?:the|these|those)) )*"
    r"((?:[a-z-]+ )*?[a-z-]+)(?= (?:is|are|was|were|do|does|did|can|could|will|would|has|have|had|must|should"
    r"|of|in|on|at|for|from|with|that|there|remain\w*|left|per|to|if|when|more|fewer|less|(?-i:[A-Z])\w*)\b|[?,.]|$)",
    re.IGNORECASE,
)
_PERSON = re.compile(  # a capital letter, a word in capitals within a sentence, one at its beginning with a verb
    r"(?<![\w\\])(?:([B-HJ-Z]|(?<=[a-z] )A)(?![\w'’])|(?<=[a-z0-9,)] )([A-Z][a-z]+)|(?<![a-z0-9,)] )([A-Z][a-z]{2,})"
    r"(?= (?:can|is|has|and|had|was|will|[a-z]{2,}(?:[^aious]s|ed))\b))"
)
_UNKNOWN = re.compile(r"(?<![A-Za-z\\])[a-z](?=[\s$+=<>,.)-]|$)(?<!a)")


class Asked(NamedTuple):
    """What a question asks for.

    Attributes:
        kind: "count", "chance", "money", "percent", "point", "equation", "time" of day, "day" of the week,
            "exact", "number", or "" if that is not clear.
        unit: The unit that it names ("in miles", "how many seconds"), or "".
        measure: A unit of the quantity that it names (m^2 of an area), or "".
        form: "factored", "expanded", "primes" (a product of them), "simplest", "fraction", "decimal",
            "y" where it is to be solved for y, or "".
        subject: What it is about.
        base: The base that a number is to be written in, or 0.
        several: Whether it asks for a pair or a point.
    """

    kind: str
    unit: str
    measure: str
    form: str = ""
    subject: Subject = Subject()
    base: int = 0
    several: bool = False


@lru_cache(maxsize=4096)
def asked_for(question: str) -> Asked:
    """What a question asks for.

    >>> asked_for("A car does 60 miles an hour. How many miles does it travel?")[:3]
    ('count', 'miles', '')
    >>> asked_for("What is the area of the square, in square inches?")[:3]
    ('', 'square inches', 'm^2')
    """
    question = _DEGREES.sub(r"degrees \1", question[-_MAX_CHARS:])
    asking = [part for part in _SENTENCE.split(question) if part and _ASKS.search(part)]
    text = " ".join(asking[-1:])
    if len(asking) > 1 and _FORM_ONLY.match(asking[-1]):  # Find the line. Give your answer in slope-intercept form.
        text = f"{asking[-2]} {text}"
    kind = next((name for name, pattern in _KINDS if pattern.search(text)), "")
    if not kind and _ON_DAY.search(text) and WEEKDAY.search(question):  # if today is Monday, what day is it in 10 days?
        kind = "day"
    if kind == "time" and _CLOCK.search(question) is None:  # at what time does the ball hit the ground?
        kind = ""
    named = _NAMED.search(text)
    measure = _QUANTITIES[int(named.lastgroup[1:])][0] if named is not None and named.lastgroup else ""
    measure = measure or next((unit for unit, pattern in _HOW if pattern.search(text)), "")
    measure = "" if _RELATIVE.search(text) else measure
    if _DERIVED.search(text) is not None:
        kind, measure = "", ""
    unit = _unit_named(text)
    of_unit = frozenset(map(stem, _WORD.findall(unit)))
    about = text.removesuffix(asking[-1]) if len(asking) > 1 and _FORM_ONLY.match(asking[-1]) else text
    about = about.replace("each other", "")
    words = [stem(word) for word in _WORD.findall(_CONDITION.sub("", about)) if not _is_stop(word)]
    known = {stem(word) for word in _WORD.findall(about) if not _is_stop(word)}
    part = _MEASURE_OF.search(about)  # how many kilograms of sand
    entity = stem(part[1]) if part is not None else next((word for word in reversed(words) if word not in of_unit), "")
    unknowns = tuple(dict.fromkeys(_UNKNOWN.findall(text))) if _SYSTEM.search(text) else ()
    unknowns = unknowns if len(unknowns) in (2, 3) else ()
    members = set(_MEMBER.findall(text))
    member = "_".join(members.pop()) if len(members) == 1 else ""
    given = frozenset(number.strip(".,") for number in NUMBER.findall(question[-_MAX_CHARS:]))
    given |= {f"{match[1].strip('.,')} {stem(match[2])}" for match in _WITH_NOUN.finditer(question[-_MAX_CHARS:])}
    solved = _SOLVE_FOR.search(text) or _IN_FORM.search(text)
    factor, expand = _FACTOR.search(text), _EXPAND.search(text)
    form = "" if factor and expand else "factored" if factor else "expanded" if expand else solved[1] if solved else ""
    form = form or next((name for name, pattern in _FORMS if pattern.search(text)), "")
    numeric = bool(unit or measure) or kind in ("count", "chance", "money", "percent", "number")
    subject = Subject(
        frozenset(known) - of_unit,
        entity,
        unknowns,
        member,
        given,
        kind == "day",
        unit,
        numeric,
        _names(question, text),
        asks if _KNOWN_LANGUAGE.search(asks := text or _SENTENCE.split(question[-_MAX_CHARS:].strip())[-1]) else "",
        _ROUNDS.search(text) is not None,
        *_context(question, text),
    )
    base = _BASE.search(text)
    written = int(BASE_WORDS.get(base[1].lower()) or base[1]) if base is not None else 0
    return Asked(kind, unit, measure, form, subject, written, _TUPLE.search(text) is not None)


def _names(question: str, asking: str) -> tuple[str, ...]:
    """The names of a question that asks who or which of them; none for another question.

    >>> _names("Ann is taller than Carl. Who is taller?", "Who is taller?")
    ('Ann', 'Carl')
    """
    if _WHO.search(asking) is None:
        return ()
    found = dict.fromkeys(_PROPER.findall(question[-_MAX_CHARS:]))
    kind = _WHICH.search(asking)  # which bakery: of "Bakery Brot" the name is Brot
    no_names = _NO_NAMES | {kind[1].lower()} if kind is not None else _NO_NAMES
    return tuple(name for name in found if not _is_stop(name) and name.lower() not in no_names)[:12]


def _context(question: str, asking: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """What a question counts, what words the rest of it has, and what names.

    >>> counted, context, people = _context("Ann has 3 pears, Bo 5. How many pears has Ann?", "How many pears has Ann?")
    >>> sorted(counted), sorted(context), sorted(people)
    (['pear'], ['bo'], ['bo'])
    """
    counted = _COUNTED_NOUN.search(asking)
    of_asking = {stem(word) for word in _WORD.findall(asking)}
    words = [match for match in _WORD.finditer(question) if not _is_stop(match[0])]
    context = {stem(match[0]) for match in words if len(match[0]) > 1 or match[0].isupper()} - of_asking
    people = {stem(match[1] or match[2] or match[3]) for match in _PERSON.finditer(question)}
    nouns = {stem(word) for word in counted[1].split() if not _is_stop(word)} if counted is not None else set()
    return frozenset(nouns), frozenset(context), frozenset(people - of_asking)


def _is_stop(word: str) -> bool:
    """Whether a word says nothing of what is asked; a capital letter alone is a name."""
    return word.lower() in _STOP and (len(word) > 1 or word.islower() or word == "I")


def _unit_named(text: str) -> str:
    """The unit that an asking sentence names, the last one; empty where there is none."""
    found = ""
    for pattern in (_HOW_MANY, _IN_UNIT, _TO_UNIT, _OF_UNIT):
        for match in pattern.finditer(text):
            words = match["unit"].split()
            if pattern is _OF_UNIT and match["power"]:
                words = [f"{match['unit']}^{match['power']}"]
            for n in range(len(words), 0, -1):
                name = " ".join(words[:n])
                unit = read_unit(name) if name.lower() not in NO_UNIT else None
                if unit is not None and unit.dimensions and not is_abstract(unit):
                    found = name
                    break
    return found


def is_abstract(unit: tree.Unit) -> bool:
    """Whether a unit counts things or says nothing physical."""
    return any(name.startswith(_ABSTRACT) for name, _ in unit.dimensions)


@lru_cache(maxsize=4096)
def fits(text: str, asked: Asked) -> bool:
    """Whether a value can be what is asked for; True where that cannot be seen.

    >>> fits("60 cm²", asked_for("What is the length of its diagonal?")), fits("13 cm", asked_for("How wide is it?"))
    (False, True)
    >>> fits("40%", asked_for("In how many ways can they sit?")), fits("5", asked_for("What is its vertex?"))
    (False, False)
    """
    if asked.kind == "time":
        return read_moment(words_of(text)) is not None
    if asked.kind == "day":
        return WEEKDAY.search(text) is not None
    try:
        node = read(text)[0]
    except tree.ReadError:
        return True
    if isinstance(node, tree.Text):
        return True
    if isinstance(node, tree.Seq) and (asked.unit or asked.measure) and not asked.several:
        return False
    last = node.operands[-1] if isinstance(node, tree.Relation) and set(node.ops) == {"="} else node
    parts = [part for part in subtrees(last) if isinstance(part, tree.Quantity)]
    units = [part.unit for part in parts if part.unit.dimensions]
    percent = any(isinstance(part, tree.Percent) for part in subtrees(node))
    if units and not all(measures(unit, asked) for unit in units):
        return False
    relation = isinstance(node, tree.Relation)
    if asked.kind == "count" or (percent and asked.unit and not _PERCENT_UNIT.match(asked.unit)):
        return not percent
    if asked.kind in ("money", "equation") and percent:
        return False
    if asked.kind == "chance":
        return not (isinstance(node, tree.Num) and not 0 <= node.value <= 1) and not units
    if asked.kind == "percent":
        return not units
    if asked.kind == "point":
        single = tree.Num | tree.Quantity | tree.Add | tree.Mul | tree.Pow | tree.Div | tree.Neg | tree.Sym
        return not isinstance(node, single) and not relation
    if asked.kind == "equation":
        return relation
    if asked.kind == "number":
        return not (relation and {"x", "y"} <= {name.name for name in subtrees(node) if isinstance(name, tree.Sym)})
    return asked.kind != "exact" or "\\pi" in text or "π" in text or "pi" in text


def measures(unit: tree.Unit, asked: Asked) -> bool:
    """Whether a unit can measure what is asked for: the dimensions that it must have, in any scale."""
    if any(name.startswith("count:") for name, _ in unit.dimensions):
        return True
    if asked.unit.startswith("pound") and in_pounds(unit):
        return True
    named = asked.unit or asked.measure
    wanted = read_unit(named) if named else None
    if wanted is None:
        money = all(len(name) == 3 and name.isupper() for name, _ in unit.dimensions)
        return money if asked.kind == "money" else not (asked.kind == "count" and not money)
    if any(name == "unit" for name, _ in unit.dimensions):  # square units: the power alone can be compared
        return sum(power for _, power in unit.dimensions) == sum(power for _, power in wanted.dimensions)
    counter = read_unit(named.partition(" per ")[0]) if " per " in named else None  # 2 cents, where cents per ounce are
    return of_whole(unit) == of_whole(wanted) or (counter is not None and unit.dimensions == counter.dimensions)


def of_whole(unit: tree.Unit) -> tuple[tuple[str, object], ...]:
    """The dimensions of what a rate is a rate of: "$500 per week" answers how many dollars somebody earns a week."""
    whole = tuple(part for part in unit.dimensions if part[0] != "time" or part[1] != -1)
    rate = (
        unit.dimensions != whole and len(whole) == 1 and (whole[0][0] != "length" or whole[0][1] != 1)
    )  # a speed is no distance
    return whole if rate else unit.dimensions


def in_pounds(unit: tree.Unit) -> bool:
    """Whether a unit is that of pounds of money."""
    return [name for name, _ in unit.dimensions] == ["GBP"]
