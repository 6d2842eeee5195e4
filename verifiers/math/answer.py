r"""Is an answer the gold?

The policy, as data sets of mathematics are commonly graded: equal values are right, however written; a missing or
convertible unit is fine and a contradicting one wrong; ``p%`` is p/100, and a bare p may stand for it; a decimal needs
six right digits unless a tolerance is declared; tuples are ordered, sets and lists of solutions are not; ``x = v`` is v
but not ``y = v``; several answers where one is asked for are wrong; variables keep their names.
"""

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeGuard

from turnwise.verifiers.choice import read_label, verify_choice, verify_choices, verify_letter
from turnwise.verifiers.extract import boxed
from turnwise.verifiers.math.compare.compare import Equality, Rules, compare, near
from turnwise.verifiers.math.compare.labels import known_word
from turnwise.verifiers.math.compare.simplest import simplest
from turnwise.verifiers.math.copies import OPERATION, expressions, peeled
from turnwise.verifiers.math.forms import (
    as_compound,
    as_point,
    counted,
    defined,
    defined_elsewhere,
    in_base,
    plainly_named,
    respelled,
    same_phrase,
    without_comment,
    without_domain,
)
from turnwise.verifiers.math.read.cursor import USUAL, Reading
from turnwise.verifiers.math.read.dates import Moment, read_moment, same_moment
from turnwise.verifiers.math.read.reader import read, words_kept, words_of
from turnwise.verifiers.math.read.remarks import place_apart
from turnwise.verifiers.math.read.words import read_ordinal
from turnwise.verifiers.math.undone import last_member, literal, names_value, posed, undone, without_steps
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.nouns import noun
from turnwise.verifiers.math.values.walk import same, subtrees, symbols
from turnwise.verifiers.messages import concluded
from turnwise.verifiers.verdict import Verdict, right, undecided, wrong

__all__ = [
    "Gold",
    "GoldError",
    "Rules",
    "check_gold",
    "copied",
    "equivalent",
    "is_mathematics",
    "left_undone",
    "read_gold",
    "said",
]

LENIENT = Rules()
_SETS = (tree.Set, tree.SetOp, tree.Seq)
_EXTREME = re.compile(
    r"(?<![A-Za-z])(?:(?P<max>max(?:imum|imal|ima)?|(?<!at )(?<!at the )(?:larg|great|high|bigg)est(?! common))"
    r"|(?P<min>min(?:imum|imal|ima)|(?<![0-9])(?<![0-9] )(?<![0-9]\\)min(?=\s*[=:({_\\]|\s+[A-Za-z]\b)"
    r"|(?:smallest|lowest)))(?![A-Za-z])",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\(([A-Z])\)|([A-Z])")
_LABELLED = re.compile(r"(?:\(([A-J])\)[.:]?|([A-J])[.):])\s+(.+)", re.DOTALL)
_CHOSEN = re.compile(
    r"(?:(?:故|因此|所以)?\s*(?:答案)?\s*(?:应?选(?:择)?)\s*[:：]?\s*)([A-J])[。.]?|([A-J])\s*\(not [A-J]\)"
    r"|[^,]*,\s*(?:which is |i\.e\.,? |that is,? )?(?:option|choice|answer) \(?([A-J])\)?"
)
_TWICE = re.compile(r"([^()]+?)\s*\(([^()]+)\)")
_NAMED = re.compile(  # \\max f = 8, [ABC] = 8: the left side says which value it is
    r"\s*(?:\\?(?:max|min|lim|int|Pr)(?![A-Za-z])[^=]*|\\(?:mathrm|operatorname"
    r"|text)\s*\{[A-Za-z ]+\}[^=]*|\\mathbb\s*\{?[EP]\}?[^=]*|Pr?\s*\(\s*\\text\s*\{[^{}=]*\}[^=]{0,40}\)\s*"
    r"|\\d?frac\s*\{\s*d[^=]*|\[[A-Z]{3,6}\]\s*|\|[A-Z]{2}\|\s*|\\sigma\^2\s*)=\s*([^=]+)"
)
_TWO_UNITS = re.compile(r"([^()]*[0-9][^()]*[A-Za-z²³])\s\(([0-9][^()]*[A-Za-z²³])\)")
_IN_UNITS = re.compile(
    r"(.+?)(?:\s|\\q?quad|\\[,;: ])*(?:\\left)?\((?:\\text\{\s*)?(?:or|that is,?|i\.e\.,?|=|equivalently,?)\s*\}?\s+"
    r"([^()]+?)(?:\\right)?\)"
)
_ABOUT = re.compile(
    r"(.+?)(?:,?\sor\s+|\s*(?:\\text\{)?\s*\(\s*(?:or\s+)?)"
    r"(?:approximately|approx\.?|about|roughly|≈|\\approx|≃)\s*(.+?)\s*\)?\}?"
)
_RATE = re.compile(  # 25% off, 4.25% per year
    r"\s*([0-9.,]{1,20}\s*\\?%)(?:\s|\\[ ,;:])*(?:\\(?:text|mathrm|textrm)\s?\{\s*)?"
    r"(?:off|discount|chance|probability|interest|(?:per|an?)\s(?:year|annum|quarter|month|week|day|hour)|annual(?:ly)?"
    r"|(?:year|month|week|dai)ly)\s*\}?\s*"
)
_TRANSPOSED = re.compile(
    r"\s*(\([^()]+\))\s*\^\s*\{?\s*(?:T|\\top|\\intercal|\\mathsf\{T\}|\\mathrm\{T\}|\\text\{T\})\s*\}?\s*"
)
_OF_VARIABLE = re.compile(r"\s*\$?([a-z])\s*\([a-z]\)\s*=\s*")
_TRUE_ARE = re.compile(
    r"^(?:the )?(?:correct|true|right) (?:options?|answers?|statements?|choices?)(?: are)?(?::|(?<=are))\s*",
    re.IGNORECASE,
)
_RUN = re.compile("[A-F]{2,6}")
_LABELS = re.compile(r"\(?[A-J]\)?(?:\s*(?:,|and|&|,\s*and)\s*\(?[A-J]\)?)+")
_ALIAS = re.compile(r"([^()]+?)\s+\(\s*(?:or|=|i\.e\.,?|that is,?|which is)?\s*([^()]+)\)")
_PLAIN = re.compile(r"-?[1-9][0-9]{0,30}|0", re.ASCII)
_MAX_KEPT = 200


class GoldError(ValueError):
    """The gold cannot be compared with anything: an error of the data set."""


class Gold(NamedTuple):
    """A gold, read."""

    text: str
    node: tree.Node
    ambiguous: frozenset[str]
    labels: tuple[str, ...] = ()  # of options: B; A and C
    option: str = ""  # the text of the option, where the gold has it
    moment: Moment | None = None
    extremes: frozenset[str] = frozenset()  # which of max and min it speaks of
    place: str = ""  # of 8 at x = 2: x = 2
    rank: int | None = None  # of third


def check_gold(gold: str) -> None:
    """Raise `GoldError` where a gold could not be used."""
    read_gold(gold)


@lru_cache(maxsize=8192)
def read_gold(gold: str) -> Gold:
    """The gold, read.

    Raises:
        GoldError: It is empty or past the bounds of the grammar.
    """
    text = gold.strip().removeprefix("####").strip()
    inside = boxed(text)
    if len(inside) == 1:
        text = inside[0]
    try:
        node, ambiguous = read(text)
    except tree.ReadError as error:
        raise GoldError(f"the gold is {gold[:80]!r}: {error}") from error
    if node == tree.Text(""):
        raise GoldError(f"the gold is {gold[:80]!r}, which is empty")
    words = words_of(text)
    if (match := _LABEL.fullmatch(words)) is not None:
        return Gold(text, node, ambiguous, (match[1] or match[2],))
    if (match := _LABELLED.fullmatch(words)) is not None:
        return Gold(text, node, ambiguous, (match[1] or match[2],), match[3])
    if _LABELS.fullmatch(words) is not None:
        return Gold(text, node, ambiguous, tuple(dict.fromkeys(re.findall("[A-J]", words))))
    apart = place_apart(words_kept(text))
    return Gold(
        text,
        node,
        ambiguous,
        moment=read_moment(words),
        extremes=_extremes(text),
        place=apart[1] if apart is not None else "",
        rank=_rank(words) if isinstance(node, tree.Text) or words[:1].isdigit() else None,
    )


def _rank(words: str) -> int | None:
    """The rank that an ordinal says, with the noun after it or not: third, the 3rd term; or None."""
    parts = words.lower().removeprefix("the ").split()
    if not parts or len(parts) > 6 or parts == ["second"]:  # a second is a unit too
        return None
    for n in range(len(parts), 0, -1):
        rank = read_ordinal(" ".join(parts[:n]))
        if rank is not None:
            rest = " ".join(parts[n:])
            return rank if not rest or (n == 1 and noun(rest) is not None and parts[0][0].isdigit()) else None
    return None


def _positive(node: tree.Node) -> int | None:
    """The whole number that a tree is, if it is one above 0."""
    whole = isinstance(node, tree.Num) and node.places is None and node.value > 0 and node.value.denominator == 1
    return int(node.value) if whole else None  # type: ignore[union-attr, arg-type]


def _stated(node: tree.Node) -> tree.Node:
    """Return the value in a gold such as ``S_1 : S_2 = 7 : 32`` or ``AB / CD = 2``: the left side only names it."""
    if isinstance(node, tree.Relation) and node.ops == ("=",) and isinstance(node.operands[0], (tree.Ratio, tree.Div)):
        left = node.operands[0].parts if isinstance(node.operands[0], tree.Ratio) else node.operands[0]
        if all(isinstance(part, tree.Sym) for part in left) and not symbols(node.operands[1]):
            return node.operands[1]
    return node


def equivalent(text: str, gold: "str | Gold", rules: Rules = LENIENT) -> Verdict:
    """Whether a bare answer equals the gold.

    Raises:
        GoldError: The gold is empty or past the bounds of the grammar.
    """
    known = read_gold(gold) if isinstance(gold, str) else gold
    if text == known.text or " ".join(text.split()) == " ".join(known.text.split()):
        return right(text)
    if _PLAIN.fullmatch(text) and _PLAIN.fullmatch(known.text) and known.moment is None and not rules.tolerance:
        return wrong("the value differs", text)
    return (_compared if len(text) <= _MAX_KEPT else _compared.__wrapped__)(text, known.text, rules)


@lru_cache(maxsize=1024)
def _compared(text: str, gold: str, rules: Rules) -> Verdict:
    """The verdict on an answer that is not the gold as it is written; kept, as looks at a message ask again."""
    known = read_gold(gold)
    if len(text) <= 300 and (chosen := _as_label(text, known, rules)) is not None:
        return chosen
    try:
        node, ambiguous = read(text)
    except tree.ReadError as error:
        return wrong(str(error))
    if rules.evaluated and undone(node, known.node):
        return wrong("the arithmetic must be carried out", text)
    if (name := posed(node, known.node)) is not None:
        return wrong(f"the {name} must be worked out", text)
    outcome = compare(node, known.node if isinstance(node, tree.Relation) else _stated(known.node), rules)
    if not outcome.equal:
        outcome = _otherwise(text, node, ambiguous, known, rules, outcome)
    if outcome.equal:
        said_otherwise = _contradiction(text, known, rules)
        return right(text) if not said_otherwise else wrong(said_otherwise, text)
    if outcome.equal is None:
        return undecided(outcome.reason, text)
    readable = not isinstance(node, tree.Text) or isinstance(known.node, tree.Text)
    return wrong(outcome.reason, text if readable else None)


def _contradiction(text: str, gold: Gold, rules: Rules) -> str:
    """What words beside an equal value say otherwise: another extreme, another place; empty for nothing."""
    if gold.extremes and (extremes := _extremes(text)) and not extremes & gold.extremes:
        return "the other extreme is asked for"
    apart = place_apart(words_kept(text)) if gold.place else None
    if apart is not None and not compare(_safely(apart[1], tree.Text("")), read(gold.place)[0], rules).equal:
        return "the place differs"
    return ""


def _extremes(text: str) -> frozenset[str]:
    r"""Return which of "max" and "min" a text names, in words or as ``\max``, ``\min``."""
    return frozenset(match.lastgroup or "" for match in _EXTREME.finditer(text))


def _as_label(text: str, gold: Gold, rules: Rules) -> Verdict | None:
    """The verdict where labels of options, dates or times are compared; None where it is another matter."""
    if gold.moment is not None:
        moment = read_moment(words_of(text))
        if moment is None and gold.moment.certain and gold.moment.kind == "time":
            return wrong("a time of day is asked for", text)
        if gold.moment.kind == "weekday and time" and (moment is None or moment.kind != gold.moment.kind):
            return wrong("a day and a time are asked for", text)
        if moment is not None and gold.moment.kind == moment.kind and (gold.moment.certain or moment.certain):
            return right(text) if same_moment(moment, gold.moment) else wrong("the date or time differs", text)
    if gold.moment is None and (hour := _positive(gold.node)) is not None and len(text) <= 20:  # 2:00 pm for 2
        moment = read_moment(words_of(text))
        if moment is not None and moment.kind == "time" and moment.values[3] is not None:
            return right(text) if moment.values[:3] == (hour, 0, 0) else wrong("the time differs", text)
    if (whole := gold.rank or _positive(gold.node)) and (rank := _rank(words_of(text))) is not None:
        return right(text) if rank == whole else wrong("the rank differs", text)
    if gold.labels:
        if (match := _CHOSEN.fullmatch(text.strip())) is not None:
            text = match[1] or match[2] or match[3]
        if len(gold.labels) > 1:
            return verify_choices(text, gold.labels)
        if not gold.option:
            return verify_letter(text, gold.labels[0])
        verdict = verify_choice(text, gold.labels[0], {gold.labels[0]: gold.option})
        return verdict if verdict.correct or read_label(text) else equivalent(text, gold.option, rules)
    if (match := _LABELLED.fullmatch(words_of(text))) is not None and not isinstance(gold.node, tree.Text):
        return equivalent(match[3], gold, rules)
    return None


def _otherwise(
    text: str, node: tree.Node, ambiguous: frozenset[str], gold: Gold, rules: Rules, first: Equality
) -> Equality:
    """The comparison under the other readings of what is ambiguous, and of what an answer in words says."""
    both = ambiguous | gold.ambiguous
    for reading in _readings(both, node, gold):
        try:
            outcome = compare(read(text, reading)[0], read(gold.text, reading)[0], rules)
        except tree.ReadError:
            continue
        if outcome.equal:
            return outcome
    if isinstance(gold.node, tree.Num) and re.fullmatch(
        r"\s*-?(?:0,[0-9]+|[0-9]+,(?![0-9]{3}\s*$)[0-9]+)\s*(?:[^\W\d_]{3,})?\s*", text
    ):  # a decimal comma
        decimal = read(text.replace(",", "."))[0]
        if (outcome := compare(decimal, gold.node, rules)).equal and gold.node.places:
            return outcome
    compound = as_compound(gold.text) if len(gold.text) > 2 and len(text) <= 120 else ""
    if len(_CAPITAL.findall(compound)) > 1 and (formula := as_compound(text)):
        return Equality(formula == compound, "the formula differs")
    if isinstance(node, tree.Set) and len(node.items) == 1 and isinstance(gold.node, tree.List):  # {(5, 2)}
        return compare(node.items[0], gold.node, rules)
    if isinstance(gold.node, tree.Base) and in_base(text, gold.text):
        return Equality(True)
    if _is_chain(node) and not isinstance(gold.node, tree.Relation | tree.Text):  # n(n + 1) = n^2 + n
        kinds = tree.Matrix if isinstance(gold.node, tree.Matrix) else _SETS  # A^{-1} = ...; D = ... = [0, 1)
        of_name = isinstance(gold.node, kinds) and not isinstance(node.operands[0], kinds)
        if (brief := without_steps(node, gold.node)) != node:  # A = ab = P^2/8
            return compare(brief, gold.node, rules)
        if all(compare(member, gold.node, rules).equal for member in node.operands[of_name:]):
            return Equality(True)
    if (of_x := _OF_VARIABLE.match(text)) is not None and gold.text.replace(" ", "").startswith(f"{of_x[1]}="):
        return compare(_safely(f"{of_x[1]} = {text[of_x.end() :]}", node), gold.node, rules)  # y(x) = 4e^x for y = 4e^x
    if not isinstance(gold.node, tree.Relation) and (renamed := plainly_named(text)):  # e = 5/3; -4 ≤ f(x) ≤ 5
        return compare(_safely(renamed, node), gold.node, rules)
    if names_value(node, gold.node) and compare(last_member(node), gold.node, rules).equal:  # \log_{12} 18 = 2a + 1
        return Equality(True)
    if (value := defined(text, symbols(gold.node))) and not isinstance(gold.node, tree.Relation):  # r(x) = x - 2
        return compare(_safely(value, node), gold.node, rules)
    if (rate := _RATE.fullmatch(text)) is not None:
        return compare(_safely(rate[1], node), gold.node, rules)
    if (column := _TRANSPOSED.fullmatch(text)) is not None and len(text) < 300:
        return compare(_safely(column[1], node), gold.node, rules)
    if (named := _NAMED.fullmatch(text)) is not None and not isinstance(gold.node, tree.Relation) and len(text) < 300:
        return compare(_safely(named[1], node), gold.node, rules)
    if (about := _ABOUT.fullmatch(text)) is not None and len(text) < 300:  # 1/6 (about 0.167)
        exact, shown = _safely(about[1], node), _safely(about[2], node)
        first = compare(exact, gold.node, rules)
        return first if not first.equal or near(shown, exact) else Equality(False, "the approximation differs")
    if len(text) < 300 and (units := _IN_UNITS.fullmatch(text)) is not None:  # 0.625 kg (or 625 grams)
        before, inside = _safely(units[1], node), _safely(units[2], node)
        first = compare(before, gold.node, rules)
        same = not first.equal or compare(before, inside).equal
        return first if same else Equality(False, "the value in brackets differs")
    if len(text) < 100 and (units := _TWO_UNITS.fullmatch(text)) is not None:  # V = 30 mL (0.030 L)
        before, inside = _safely(units[1].rpartition("=")[2], node), _safely(units[2], node)
        if isinstance(inside, tree.Quantity) and compare(before, inside).equal:
            return compare(_safely(units[1], node), gold.node, rules)
    twice = _THAT_IS.fullmatch(text) if len(text) < 300 else None  # 1 ≤ x ≤ 5, i.e. x ∈ [1, 5]
    if twice is not None and all(compare(_safely(part, node), gold.node, rules).equal for part in twice.groups()):
        return Equality(True)
    if (mapped := _MAPS.fullmatch(text)) is not None and len(text) < 300:  # f: x ↦ x + 2
        return compare(_safely(f"{mapped[1]}({mapped[2]}) = {mapped[3]}", node), gold.node, rules)
    equation = isinstance(gold.node, tree.Relation) and set(gold.node.ops) == {"="}
    whole = equation or " all " in text or defined_elsewhere(text)  # an expression for some values alone is another
    if whole and symbols(gold.node) and (free := without_domain(text)):
        return compare(_safely(free, node), gold.node, rules)
    again = respelled(text, gold.node)
    if again is not None:
        return compare(read(again)[0], gold.node, rules)
    text = _TRUE_ARE.sub("", text)
    if _RUN.fullmatch(gold.text) and list(gold.text) == sorted(gold.text) and _LABELS.fullmatch(words_of(text)):
        return Equality(verify_choices(text, tuple(gold.text)).correct, first.reason)
    if isinstance(gold.node, tree.Seq) and (point := as_point(text)):  # V(3 | -4)
        return compare(_safely(point, node), gold.node, rules)
    if isinstance(node, tree.Text) and isinstance(gold.node, tree.Text):
        if same_phrase(node.text, gold.node.text):
            return Equality(True)
        if (shorter := without_comment(text)) and compare(_safely(shorter, node), gold.node, rules).equal:
            return Equality(True)
    if (match := _ALIAS.fullmatch(text)) is not None and len(text) < 300:  # 1/2 (or 0.5)
        try:
            first = compare(read(match[1])[0], gold.node, rules)
            second = compare(read(match[2])[0], gold.node, rules)
        except tree.ReadError:
            return first
        return first if not first.equal else second
    if (match := _TWICE.fullmatch(text)) is not None and len(text) < 100 and match[1].isalpha() != match[2].isalpha():
        one, two = (_plain(part) for part in match.groups())  # seven (7)
        return first if one is None or one != two else compare(tree.Num(one), gold.node, rules)
    if isinstance(node, tree.Text) and isinstance(gold.node, tree.Num | tree.Quantity) and (number := counted(text)):
        outcome = compare(_safely(number, node), gold.node, rules)
        if outcome.equal:
            return outcome
    sentence = isinstance(node, tree.Text) and len(text) <= 1000 and (" " in text.strip() or not text.isascii())
    stated = said(text) if sentence else ""
    return compare(_safely(stated, node), gold.node, rules) if stated else first


def said(text: str) -> str:
    """What a sentence in the place of an answer states; empty where that is the whole of it, or not all."""
    if _ANOTHER_FIRST.match(text) is not None:
        return ""  # 25, a child ticket is 17
    outside = _SET_OFF.sub("", text)
    if outside != text and _BESIDE.search(outside):
        return ""
    found = concluded(text)
    return found if found and found.strip() != text.strip() else ""


def _is_chain(node: tree.Node) -> TypeGuard[tree.Relation]:
    return isinstance(node, tree.Relation) and node.modulus is None and set(node.ops) == {"="}


def is_mathematics(gold: str) -> bool:
    """Whether a gold is mathematics, LaTeX, a date, a label or a word of mathematics, not other words.

    Letters alone that could be read as a product ("Au", "at") are words.

    Raises:
        GoldError: The gold is empty or past the bounds of the grammar.

    >>> [is_mathematics(gold) for gold in ("(6,31,-1)", "6 - 5i", "x", "no solution", "Paris", "Au")]
    [True, True, True, True, False, False]
    """
    known = read_gold(gold)
    if known.moment is not None or known.labels or any(c in gold for c in "\\^$"):
        return True
    if isinstance(known.node, tree.Text):
        return known_word(known.node)
    return not (isinstance(known.node, (tree.Sym, tree.Mul)) and known.text.isalpha() and len(known.text) > 1)


def left_undone(text: str, gold: str) -> bool:
    """Whether an answer leaves arithmetic to be done where the gold is a plain number.

    >>> left_undone("17*23", "391"), left_undone("17*23 = 391", "391"), left_undone("5/2", "2.5")
    (True, False, False)
    """
    try:
        return undone(read(text)[0], read_gold(gold).node)
    except tree.ReadError:
        return False


def copied(text: str, gold: str, question: str) -> bool:
    r"""Whether an answer repeats an expression of the question that the gold has worked out.

    An expression that the gold gives as it stands, a number as written down, or a value in simplest form is not a copy.

    >>> copied("x^2-9", "(x-3)(x+3)", "Factor $x^2 - 9$."), copied(r"\frac{1}{2}", "0.5", r"Is it $\frac{1}{2}$?")
    (True, False)
    """
    try:
        known = read_gold(gold)
        node = peeled(last_member(read(text)[0]))
    except tree.ReadError:
        return False
    value = last_member(known.node)
    if literal(node) or same(node, value) or not any(isinstance(part, OPERATION) for part in subtrees(node)):
        return False
    if not symbols(node) and (simplest(node) or (not literal(value) and any(same(node, x) for x in subtrees(value)))):
        return False
    return any(same(node, part) for part in expressions(question))


def _safely(text: str, otherwise: tree.Node) -> tree.Node:
    try:
        return read(text)[0]
    except tree.ReadError:
        return otherwise


def _plain(text: str) -> Fraction | None:
    """The number that a text says in digits or in words."""
    try:
        node = read(text)[0]
    except tree.ReadError:
        return None
    return node.value if isinstance(node, tree.Num) else None


_THAT_IS = re.compile(
    r"(.+?)[$,]*(?:\s|\\q?quad)+(?:\\text\s?\{\s*)?(?:i\.e\.|that is|or,? equivalently|equivalently|in other words),?"
    r"(?:\s*\})?(?:\s|\\q?quad)+\$?(.+)"
)
_MAPS = re.compile(
    r"\s*([A-Za-z](?:\^\{?-1\}?|⁻¹)?)\s*(?::|\\colon)\s*([a-z])\s*(?:\\(?:mapsto|longmapsto|to)(?![A-Za-z])|↦|→)\s*(.+)"
)
_CAPITAL, _SET_OFF = re.compile("[A-Z]"), re.compile(r"\$[^$]+\$")
_ANOTHER_FIRST = re.compile(r"\s*[$£€]?[0-9][0-9.,]*(?:\s?[a-z%]+)?,\s(?:and |while )?(?:an?|the|his|her|its|each) ")
_MEMBERS_BEGIN_WITH_0 = re.compile(r"(?<=[0-9]),0[0-9]")
_BESIDE = re.compile(r"\$|[0-9]|\b(?:or|not)\b")  # another value beside formulas in dollar signs


def _applied(node: tree.Node) -> frozenset[str]:
    """The letters that are read as functions."""
    calls = (one for one in subtrees(node) if isinstance(one, tree.Call) and one.name == "apply")
    return frozenset(one.args[0].name for one in calls if isinstance(one.args[0], tree.Sym))


def _readings(ambiguous: frozenset[str], answer: tree.Node, known: Gold) -> list[Reading]:
    found, gold = [], known.node
    if "letters" in ambiguous:
        found.append(USUAL._replace(letters="symbols"))
        if isinstance(gold, tree.Quantity) or (
            isinstance(gold, (tree.Num,)) and not isinstance(answer, (tree.Quantity, tree.Sym, tree.Const))
        ):
            found.append(USUAL._replace(letters="units"))
    # 110,880 is one number; beside a list (110, 880 or {110, 880}, no tuple in brackets) it is a list too
    lists = isinstance(gold, tree.List | tree.Set) or (
        "commas" in known.ambiguous and isinstance(answer, tree.List | tree.Set)
    )
    if "commas" in ambiguous and lists and _MEMBERS_BEGIN_WITH_0.search(known.text) is None:
        found.append(USUAL._replace(commas="list"))
    if "log" in ambiguous:
        found.append(USUAL._replace(log="e"))
    if "calls" in ambiguous and _applied(answer) <= set(symbols(gold)) - _applied(gold):  # g(T/2π)², g the acceleration
        found.append(USUAL._replace(calls="product"))
    return found
