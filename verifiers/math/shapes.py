r"""What the formula that a message closes with says, where it is dressed: a chain, a named quantity, a rounded value.

``\text{pH} \approx 2.40``, ``\left.\frac{dy}{dx}\right|_{(1,2)} = -\frac45``, ``5s = 40`` beside s = 8, or
``v = \sqrt{2gh} = \sqrt{90} \approx 9.49\ \text{m/s}`` all state the value at their end: the other members say of what
it is the value, or how it comes about.
"""

import re
from fractions import Fraction

from turnwise.verifiers.math.answer import Rules
from turnwise.verifiers.math.compare.compare import compare, near
from turnwise.verifiers.math.forms import as_compound, without_domain
from turnwise.verifiers.math.read.reader import read
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.bounds import Meter, Undefined, Unresolved
from turnwise.verifiers.math.values.exact import rational
from turnwise.verifiers.math.values.walk import substituted, symbols
from turnwise.verifiers.messages.around.remarks import without_remarks
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.picked.ways import members_of
from turnwise.verifiers.messages.sought.subject import Sought, stem

__all__ = ["closing_formula", "rounds", "values_of_formula"]

_MAX_CHARS = 400
_MAX_BACK = 1200
_IMPLIES = re.compile(r"\\(?:implies|Rightarrow|Longrightarrow|therefore|iff)(?![A-Za-z])|⇒|⟹|=>")
_SIGN = re.compile(r"(?<![<>!:=])=(?![=>])|≈|≃|\\(?:approx|simeq|doteq)(?![A-Za-z])")
_OTHER_SIGN = re.compile(
    r"[<>≤≥≠?;]|\\(?:leq?|geq?|lt|gt|neq?|pm|mp|in|mid|equiv|lor|text\s*\{\s*(?:or|and))(?![A-Za-z])|±"
)
_BAR = r"(?:\\(?:right|bigg?|Bigg?|bigr|Biggr|biggr|Bigr)?\s?\\?\||\\rvert|\|)\s?_"
_NAMED = re.compile(
    rf".*{_BAR}.*"  # a derivative at a point
    r"|\\?[A-Za-z]{1,4}(?:_\{?\w+\}?)?(?:'{1,3}|′{1,3}|^\{?\\prime\}?|\^\{?\(?[0-9]\)?\}?|\^\{-1\})?"
    r"\s?(?:\\left)?\(\s?[-−]?[0-9][^=]*\)"  # y'(1, 2), f(3)
    r"|(?:\\(?:mathbb|mathrm|operatorname|text)\s?\{)?(?:Pr?|E|Var|SD)\}?\s?(?:\\left|\\[bB]igg?l?)?[(\[].*[)\]]"
    r"|(?:[A-Za-z]\s?_?\s?\{?\s?)?\\(?:text\w*|mathrm|operatorname\*?|mathsf)\s?\{[^{}]*\}\s?\}?"  # v_\text{max}
    r"|\\(?:int|sum|prod|lim|det|binom|iint|oint|gcd|max|min)(?![A-Za-z]).*|∫.*"
    r"|[A-Za-z](?:_(?:\{[^{}]*\}|\w)|[₀-₉])?|\\[A-Za-z]{2,8}(?:_(?:\{[^{}]*\}|\w))?"  # v, t_{1/2}, \lambda
    r"|(?:p|P)(?:H|OH|K_?[ab]|Ka|Kb)|\[[A-Z\\][^\]]*\]|\(\s?[A-Za-z]['′]?(?:,\s?[A-Za-z]['′]?){1,2}\s?\)"
    r"|(?:\\vec|\\overline|\\overrightarrow|\\hat|\\bar|\\angle|\\Delta|Δ|\\mathbf)\b.*|[A-Z]{2,4}",
    re.DOTALL,
)
_QUADS = re.compile(r"^(?:\s|\\q?quad)+|(?:\s|\\q?quad)+$")
_LISTED = re.compile(r",\s*[A-Za-zα-ωΑ-Ω\\]|\b(?:and|or)\b|\\q?quad|\\text\s*\{\s*(?:and|or)\b")
_LETTER = re.compile(r"[A-Za-z]|\\[a-z]{2,8}")
_SPACE = re.compile(r"\\(?:q?quad|[,;:! ])|[\s~]+")
_DRESS = re.compile(r"\*\*|__|`|^\s*(?:#{1,6}|>|[-*•+]|➡️?|→|⇒|∴|✅|👉|📉|\\therefore)\s*|\\boxed(?=\{)", re.MULTILINE)
_LEAD = re.compile(  # words before a formula: So the speed is v = ...; Eigenvalues: ...
    r"\W{0,3}(?P<words>(?:(?:[A-Za-z'’]{2,20}|[Aa])[,:]?\s+(?![=≈≃(]|\\approx)){1,10})(?P<rest>\S.*)", re.DOTALL
)
_ROWS = re.compile(
    r"\\begin\{(?:align(?:ed)?|gather(?:ed)?)\*?\}((?:(?!\\begin)[^\n$]|\n){1,200}?)\\end\{[a-z]+\*?\}[\s$.\\\]]*$"
)
_ROW = re.compile(
    r"\s*(?P<name>[A-Za-z])\s*&?=&?\s*(?P<value>[-−]?(?:[0-9][0-9.,/]*|\\[dt]?frac\{[0-9]+\}\{[0-9]+\}))[\s,.;]*"
)
_ITEM = re.compile(r"\s*(?:[-*•+]|[0-9]{1,2}[.)])\s")
_SENTENCES = re.compile(r"[0-9a-z)]\.\s|[!?]\s")
_PROSE = re.compile(
    r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]|(?<![\\A-Za-z])"
    r"(?!(?:sin|cos|tan|log|exp|sqrt|and|units?)(?![A-Za-z]))[A-Za-z]{4,}"
)
_IN_TEXT = re.compile(r"\\(?:text\w*|math\w+|operatorname|left|right|frac|[dt]frac|sqrt|begin|end)\s*\{[^{}]*\}")
_UNIT_TAIL = re.compile(
    r"(?<=[0-9)}])(?:\\[,; ]|\s|\$)*(?:(?!(?:is|are|or|not|and|if|when|for|but)\b)[A-Za-zµΩ°%²³^/·-]+\s?){1,2}$"
)
_GENERIC = frozenset(
    map(stem, [
        "final", "answer", "result", "value", "total", "solution", "solutions", "solve", "the", "correct", "conclusion",
        "exact", "approximate", "numerical", "required", "desired", "roots", "so", "thus", "hence", "therefore", "then",
        "and", "finally", "this", "that", "gives", "giving", "we", "get", "which", "is", "are", "its", "our",
        "obtain", "it", "follows", "where", "has", "have", "in",
    ])
)  # fmt: skip
_FORMS = frozenset(
    map(stem, [
        "you", "can", "could", "also", "be", "or", "as", "form", "factor", "factored", "factoring", "written", "write",
        "rewrite", "rewritten", "expressed", "simplified", "simplify", "simplifies", "to", "equivalently", "expanded",
        "alternatively", "compactly", "combined", "single", "fraction", "out", "one", "more", "neatly", "factorised",
    ])
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z]+")
_ASSIGNED = re.compile(
    r"(?<![A-Za-z\\0-9_)}])(?P<name>[A-Za-z])\s*(?:=|&=|\s=\s)\s*(?P<value>[-−]?[0-9]+(?:\.[0-9]+)?(?:/[0-9]+)?)"
    r"(?![\w.]*[0-9A-Za-z(^+*]|\\(?![)\],; ]))"
)
_DECIMAL = re.compile(r"[-−]?[0-9]{1,9}(?:\{?,\}?[0-9]{3})*(?:\.[0-9]{1,12})?")
_NUMBER = re.compile(r"[-−]?[0-9]")


def closing_formula(end: str, sought: Sought) -> tuple[str, bool]:
    r"""The formula of the last line of a message, and whether its words say that it only gives another form.

    Words before it must be those of the question, or say no more than that it is the answer: the formula of a label
    of another quantity, and that of other prose, is not read ("").

    >>> from turnwise.verifiers.messages.sought.subject import Subject
    >>> sought = Sought(lambda text, value: True, Subject(frozenset(["speed"])))
    >>> closing_formula("By conservation of energy,\n\n### v ≈ 9.49 m/s", sought)
    ('v ≈ 9.49 m/s', False)
    >>> closing_formula("You can also factor it: f'(x) = 2x(x + 1)", sought)
    ("f'(x) = 2x(x + 1)", True)
    >>> closing_formula("Eigenvalues: x = 3", sought)
    ('', False)
    """
    if "\\\\" in end[-_MAX_CHARS:] and (rows := _solved_rows(end)):
        return rows, False
    line = without_remarks(flattened(end[-_MAX_BACK:])).rstrip().rpartition("\n")[2]
    if len(line) > _MAX_CHARS or _ITEM.match(line) or "\\begin" in line:
        return "", False
    line = _DRESS.sub("", line).strip(" .*")
    lead, again = _LEAD.fullmatch(line), False
    if lead is not None:
        words = set(map(stem, _WORD.findall(lead["words"].lower())))
        if not words <= sought.subject.words | _GENERIC | _FORMS:
            return "", False
        line, again = lead["rest"], not words.isdisjoint(_FORMS)
    line = re.sub(r"\\[()\[\]]|(?<!\\)\$(?![0-9])|(?<!\\)\$(?=[^$]*\$)", "", line).strip(" .$")
    line = without_domain(line) or line
    bare = _UNIT_TAIL.sub("", _IN_TEXT.sub("", line))
    if as_compound(line):
        return line, again
    if _SIGN.search(line) is None and (lead is None or not lead["words"].rstrip().endswith(":")):
        return "", False  # a bare value is read elsewhere
    if _PROSE.search(bare) is not None or _SENTENCES.search(line) or not any(c.isdigit() for c in line):
        return "", False
    return line, again


def _solved_rows(end: str) -> str:
    """The equations of aligned rows at the end of a message that each give a number for another letter, as a list."""
    block = _ROWS.search(end[-_MAX_CHARS:])
    rows = [_ROW.fullmatch(row) for row in block[1].split("\\\\") if row.strip()] if block is not None else []
    found = {row["name"]: f"{row['name']} = {row['value']}" for row in rows if row is not None}
    return ", ".join(found.values()) if 1 < len(found) == len(rows) else ""


def values_of_formula(formula: str, message: str) -> list[str]:
    r"""The values that a formula states at its end, the exact one first: none where it states none for sure.

    Args:
        formula: What is in a box, or the formula that a message closes with.
        message: The message, which says what the letters stand for.

    >>> values_of_formula(r"\text{pH} \approx 2.40", ""), values_of_formula("v = √90 ≈ 9.49 m/s", "")
    (['2.40'], ['√90', '9.49 m/s'])
    >>> values_of_formula("5s = 40", "Then s = 8."), values_of_formula("5s = 40", "Then s = 9.")
    (['40'], [])
    """
    if len(formula) > _MAX_CHARS or not _SIGN.search(formula):
        return []
    formula = _QUADS.sub("", _IMPLIES.split(formula)[-1]).strip(" ,.")
    members, is_rounded = members_of(formula)
    signs = ["≈" if rounded else "=" for rounded in is_rounded]
    if len(members) < 2 or not all(members[1:]) or _OTHER_SIGN.search(_outside(formula)) is not None:
        return []
    if any(_LISTED.search(_outside(member)) for member in members):
        return []
    exact = [member for member, sign in zip(members[1:], signs, strict=True) if sign == "="]
    near_ones = [member for member, sign in zip(members[1:], signs, strict=True) if sign != "="]
    if signs != ["="] * len(exact) + ["≈"] * len(near_ones):
        return []
    name = _SPACE.sub(" ", members[0]).strip()
    if len(members) == 2 and _LETTER.fullmatch(name) is not None and exact:
        return []  # y = 2x + 1 is an equation
    if len(members) == 2 and name and _NAMED.fullmatch(name) is None and not _worked_out(name, exact, message):
        return []
    found = exact[-1:] if exact and _NUMBER.search(exact[-1]) else []
    if near_ones and found and not rounds(near_ones[-1], found[0]):
        return []
    found += near_ones[-1:]
    return found if all(map(_is_number, found[-1:])) else []


def _outside(formula: str) -> str:
    """A formula without what stands in the text and the arguments of it."""
    return re.sub(r"\\(?:text\w*|mathrm|operatorname)\s*\{(?!\s*(?:or|and)\b)[^{}]*\}|\([^()]*\)", "", formula)


def _is_number(text: str) -> bool:
    """Whether a value has no letters that stand for something: no other function or matrix is one of a name."""
    if "\\begin" in text:
        return False
    try:
        return not symbols(read(text)[0])
    except tree.ReadError:
        return False


def rounds(shown: str, exact: str) -> bool:
    """Whether a value is another one rounded, or that one has letters and cannot be worked out."""
    try:
        one, two = read(shown)[0], read(exact)[0]
    except tree.ReadError:
        return False
    one = one.value if isinstance(one, tree.Quantity) else one
    two = two.value if isinstance(two, tree.Quantity) else two
    if isinstance(two, tree.Text) or symbols(two):
        return True
    return near(one, two) or compare(one, two).equal is True or _to_digits(shown, one, two)


def _to_digits(shown: str, one: tree.Node, two: tree.Node) -> bool:
    """Whether a number is another one to the digits that it shows: 1.3 × 10⁵ is 125,580."""
    digits = _DECIMAL.match(shown.strip())
    try:
        value, exact = rational(one, Meter(10_000)), rational(two, Meter(10_000))
    except (Undefined, Unresolved):
        return False
    if digits is None or value is None or exact is None or not value:
        return False
    mantissa = Fraction(digits[0].replace(",", "").replace("{", "").replace("}", "").replace("−", "-"))
    places = len(digits[0].partition(".")[2])
    return bool(mantissa) and abs(value - exact) <= abs(value / mantissa) / (2 * 10**places)


def _worked_out(left: str, exact: list[str], message: str) -> bool:
    """Whether the left side of an equation is worked out: with what the message says of its letters it is the right."""
    if not exact:
        return False
    try:
        one, two = read(left)[0], read(exact[-1])[0]
    except tree.ReadError:
        return False
    names = set(symbols(one))
    if not names or symbols(two) or isinstance(one, tree.Sym | tree.Text | tree.Relation):
        return False
    values: dict[str, tree.Node] = {}
    for match in _ASSIGNED.finditer(message[-4000:]):
        if match["name"] in names:
            values[match["name"]] = tree.Num(Fraction(match["value"].replace("−", "-")))
    if set(values) != names:
        return False
    two = two.value if isinstance(two, tree.Quantity) else two
    return compare(substituted(one, values), two, Rules()).equal is True
