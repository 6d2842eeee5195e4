"""Forms of an answer that say its value in another way: numbers in words, chances, points with a name, bases."""

import re
from collections.abc import Collection

from turnwise.verifiers.math.compare.compare import compare
from turnwise.verifiers.math.read.reader import read
from turnwise.verifiers.math.read.words import read_words
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.nouns import noun
from turnwise.verifiers.math.values.walk import rebuilt
from turnwise.verifiers.messages.skeleton import NUMBER_WORDS
from turnwise.verifiers.text import normalise

__all__ = [
    "as_compound",
    "as_point",
    "can_hold",
    "chances_in_figures",
    "counted",
    "defined",
    "defined_elsewhere",
    "digits_joined",
    "fractions_in_figures",
    "in_base",
    "money_in_figures",
    "plainly_named",
    "ratios_in_figures",
    "respelled",
    "same_phrase",
    "without_comment",
    "without_domain",
]

_EXACTLY = re.compile(r"^(?:exactly|precisely|just|only)\s", re.IGNORECASE)
_POUNDS = re.compile(r"([0-9.,]+)\s*pounds?")
_WINS = re.compile(r" (?:wins?|won|is the winner)(?: the [a-z]+)?$")
_AND = re.compile(r",\s*and\s+|,\s*|\s+and\s+|\s*&\s*")
_POINT = re.compile(r"(?:[A-Z]['′’]*(?:_[0-9])?)?\s?\(([^()|,]{1,40}(?:\||,)[^()|,]{1,40})\)")
_OF_VARIABLE = re.compile(  # r(x) =, P_3(x) =, \\chi_A(\\lambda) =
    r"\s*\$?([A-Za-z]|\\(?:chi|varphi|phi|psi)|[χφψ])(_\{?\w{1,3}\}?|[₀-₉])?\s*\(\s*([a-z]|\\?[a-z]{2,6}|[α-ω])\s*\)"
    r"\s*=\s*([^=]+)"
)
_GREEK = {"λ": "lambda", "θ": "theta", "μ": "mu", "τ": "tau", "φ": "phi", "ω": "omega"}
_COMMENTED = re.compile(r"([A-Za-z][A-Za-z -]*?)\s*\(([^()]+)\)")
_NO_COMMENT = re.compile(
    r"\b(?:yes|no|true|false|or|maybe|perhaps|possibly|probably|sometimes|unless|if|but|either|rather|instead|almost"
    r"|nearly|guess\w*|sure|wrong|incorrect|wait|actually|except)\b|[?]|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b",
    re.IGNORECASE,
)
_SHARE = re.compile(r"(?<![\w.,/])([0-9]{1,9}) in ([0-9]{1,9})(?![\w/]|[.,][0-9])")  # a chance of 1 in 9
_IN_WORDS = r"(?:[a-z]+[- ]){0,4}[a-z]+"
_MONEY = re.compile(rf"\b(?P<whole>{_IN_WORDS}) dollars and (?P<cents>[a-z]+(?:-[a-z]+)?) cents\b", re.IGNORECASE)


_INDICES = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_CHEMICAL_DRESS = re.compile(r"\\(?:ce|text|mathrm|textrm|operatorname|mathbf|textbf)(?=\s*\{)|\\[,;! ]|[{}_$\s*]")
_COMPOUND = re.compile(r"(?:[A-Z][a-z]?[0-9]{0,3}|\((?:[A-Z][a-z]?[0-9]{0,3}){1,6}\)[0-9]{0,2}){1,12}")
_ELEMENT = re.compile(r"[A-Z][a-z]?")
_ELEMENTS = frozenset([
    "H", "He", "Li", "Be", "B", "C", "N", "O", "F", "Ne", "Na", "Mg", "Al", "Si", "P", "S", "Cl", "Ar", "K", "Ca",
    "Sc", "Ti", "V", "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se", "Br", "Kr", "Rb", "Sr", "Y",
    "Zr", "Nb", "Mo", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te", "I", "Xe", "Cs", "Ba", "La", "Ce", "W",
    "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "U",
])  # fmt: skip


def money_in_figures(message: str) -> str:
    """A message with each amount of dollars and cents in words in figures.

    >>> money_in_figures("She gets back forty-four dollars and fifty cents.")
    'She gets back $44.50.'
    """
    return _MONEY.sub(_as_amount, message) if " dollars and " in message else message


def _as_amount(match: re.Match[str]) -> str:
    """An amount in figures, with the words before it that do not belong to it."""
    cents, words = read_words(match["cents"]), match["whole"].split(" ")
    for n in range(len(words)):
        whole = read_words(" ".join(words[n:]))
        if whole is not None and cents is not None and cents < 100:
            return " ".join([*words[:n], f"${whole}.{int(cents):02}"])
    return match[0]


_SPOKEN = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
_SPOKEN += "|eighteen|nineteen|twenty"
_PART = (
    "third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth"
    "|eighteenth|twentieth|twenty-fourth|twenty-fifth|thirtieth|fortieth|fiftieth|sixtieth|hundredth"
)
_MIXED = re.compile(
    rf"\b(?P<whole>{_SPOKEN}|(?<![\w.,/])[0-9]{{1,6}}) and (?P<part>a half|a third|a quarter|(?:one|two|three|four|five"
    r"|seven)[ -](?:half|thirds?|quarters?|fourths?|fifths?|sixths?|eighths?))(?![- \w]*\btimes\b)\b",
    re.IGNORECASE,
)
_PARTS = re.compile(
    rf"(?<!and )(?<!-)\b(?P<part>(?:{_SPOKEN})[ -](?:{_PART})s|one[ -](?:{_PART})(?= of\b))\b",
    re.IGNORECASE,
)


def fractions_in_figures(message: str) -> str:
    """A message with each fraction and mixed number in words in figures; other numbers in words stay.

    >>> fractions_in_figures("He keeps nine twentieths of it."), fractions_in_figures("It takes 7 and a half minutes.")
    ('He keeps 9/20 of it.', 'It takes 7 1/2 minutes.')
    >>> fractions_in_figures("She has three quarters and two dimes.")
    'She has three quarters and two dimes.'
    """
    if "th" not in message and "hal" not in message and "quarter" not in message:
        return message
    message = _MIXED.sub(_as_mixed, message) if " and " in message else message
    return _PARTS.sub(_as_part, message)


def _as_mixed(match: re.Match[str]) -> str:
    """A mixed number in figures."""
    whole = match["whole"] if match["whole"].isdigit() else read_words(match["whole"])
    part = read_words(match["part"].replace("a ", "one ").replace("-", " "))
    return match[0] if part is None or whole is None else f"{whole} {part.numerator}/{part.denominator}"


def _as_part(match: re.Match[str]) -> str:
    """A fraction in figures, as it is said."""
    over, _, below = match["part"].replace("-", " ", 1).partition(" ")
    top, whole = read_words(over), read_words(f"one {below.removesuffix('s')}")
    return match[0] if top is None or whole is None else f"{top}/{whole.denominator}"


def chances_in_figures(message: str) -> str:
    """A message with each chance of 1 in 9 as 1/9.

    >>> chances_in_figures("The chance is 4 in 36."), chances_in_figures("9 in 3 boxes")
    ('The chance is 4/36.', '9 in 3 boxes')
    """
    return _SHARE.sub(_as_fraction, message) if " in " in message else message


def _as_fraction(match: re.Match[str]) -> str:
    """A chance of 1 in 9 as 1/9."""
    return f"{match[1]}/{match[2]}" if int(match[1]) < int(match[2]) else match[0]


def as_compound(text: str) -> str:
    r"""The formula of a chemical compound or ion in plain signs; empty for anything else.

    >>> as_compound(r"\mathrm{C_6H_{12}O_6}"), as_compound("Fe₂(SO₄)₃"), as_compound(r"\ce{H2O}"), as_compound("X_2")
    ('C6H12O6', 'Fe2(SO4)3', 'H2O', '')
    """
    if len(text) > 120 or not any(c.isdigit() for c in text):
        return ""
    plain = _CHEMICAL_DRESS.sub("", text.translate(_INDICES)).strip()
    if _COMPOUND.fullmatch(plain) is None or not _ELEMENTS.issuperset(_ELEMENT.findall(plain)):
        return ""
    return plain


def as_point(text: str) -> str:
    """The coordinates of a point with a name, or with a bar between them; empty for anything else.

    >>> as_point("V(3 | -4)"), as_point("f(3)")
    ('(3 , -4)', '')
    """
    point = _POINT.fullmatch(text.strip())
    return f"({point[1].replace('|', ',')})" if point is not None else ""


def defined(text: str, names: Collection[str]) -> str:
    r"""What a text defines a function of one of these variables as, where its name is none of them; empty otherwise.

    >>> defined("r(x) = x - 2", {"x"}), defined("r(x) = x - 2", {"r", "x"}), defined("r(t) = 2", {"x"})
    ('x - 2', '', '')
    >>> defined("P_3(x) = x - x^3", {"x"}), defined(r"p(\lambda) = \lambda^2", {"lambda"})
    ('x - x^3', '\\lambda^2')
    """
    match = _OF_VARIABLE.fullmatch(text) if len(text) < 300 and "(" in text else None
    if match is None or (match[1] in names and not match[2]):
        return ""
    variable = match[3].lstrip("\\")
    return match[4].strip(" $") if _GREEK.get(variable, variable) in names else ""


def without_comment(text: str) -> str:
    """An answer in words without the words in brackets behind it that say why; empty where they may say otherwise.

    >>> without_comment("No (the vectors are dependent)"), without_comment("Yes (or no)"), without_comment("No")
    ('No', '', '')
    """
    match = _COMMENTED.fullmatch(text.strip()) if len(text) < 200 else None
    return "" if match is None or _NO_COMMENT.search(match[2]) else match[1]


_LONG = re.compile(r"(?<![0-9.,])[1-9][0-9]{0,2}(?:(?:,|\{,\})?[0-9]{3})+(?![0-9])")
_COMPUTED = re.compile(
    r"(?<=[=≈] )[1-9][0-9]{0,2}(?:[ \u00a0\u2009\u202f][0-9]{3})+(?![0-9]| [0-9])"
)  # 6300 × 60 = 378 000
_GAP = r"(?:[ \u00a0\u2009\u202f]|\\,|~)"


def digits_joined(text: str, gold: str) -> str:
    """A text in which a long number of a gold has no gaps between its groups of three digits.

    >>> digits_joined("It is 37 674 in all, of 12 345.", "37674"), digits_joined("1 560 000 ways", "1{,}560{,}000")
    ('It is 37674 in all, of 12 345.', '1560000 ways')
    >>> digits_joined("4, 37 674 and 12 37 674", "37674")
    '4, 37 674 and 12 37 674'
    """
    text = _COMPUTED.sub(lambda match: re.sub(r"\D", "", match[0]), text) if "= " in text or "≈ " in text else text
    for number in _LONG.findall(gold)[:4]:
        digits = re.sub(r"\D", "", number)
        first = len(digits) % 3 or 3
        groups = [digits[:first], *(digits[n : n + 3] for n in range(first, len(digits), 3))]
        spaced = rf"(?<![0-9.,])(?<![0-9.,;] ){_GAP.join(groups)}(?![0-9]|[.,;]?{_GAP}[0-9])"
        text = re.sub(spaced, digits, text)
    return text


_SECOND = r"(?P<two>[0-9]+)(?: (?P<second>[a-z]+(?: of [a-z]+)?))?"
_OF_NAMES = (
    re.compile(rf"(?<!from )\b(?P<one>[0-9]+) (?P<first>[a-z]{{3,20}}) to {_SECOND}"),  # 6 boys to 7 girls
    re.compile(rf"\b(?P<one>[0-9]+) (?P<first>[a-z ]{{2,40}}?) (?:for|to) every {_SECOND}"),
    re.compile(  # for every 3 parts of acid there are 17 parts of water
        r"\b[Ff]or every (?P<one>[0-9]+) (?P<first>[a-z ]{2,40}?),? (?:there (?:are|is) |(?:you|we|they|it|s?he) "
        rf"(?:have|has|needs?|gets?|uses?|takes?|mix(?:es)?) )?{_SECOND}"
    ),
)
_RATIOS = (
    re.compile(r"(?<!from )(?<!from \$)\b([0-9]+) to ([0-9]+)\b(?![.,]?[0-9])"),
    re.compile(r"\b([0-9]+) parts?(?: [a-z]+){0,3} (?:to|and|with) ([0-9]+) parts?\b"),
)
_RATIO_OF = re.compile(
    r"\bratio of (?:the (?:number of )?)?([a-z]+)\b[a-z ]{0,20}? to (?:the )?([a-z]+)\b", re.IGNORECASE
)


def ratios_in_figures(text: str, question: str = "") -> str:
    """A text with the ratios that it says in words in figures, in the order in which a question names the two.

    >>> ratios_in_figures("There are 6 boys for every 7 girls."), ratios_in_figures("3 parts sand with 2 parts lime")
    ('There are 6:7.', '3:2 lime')
    >>> ratios_in_figures("For every 3 boys there are 5 girls.", "What is the ratio of girls to boys?")
    '5:3.'
    """
    asked = _RATIO_OF.findall(question)

    def in_order(match: re.Match[str]) -> str:
        one, two = match["one"], match["two"]
        first, second = match["first"].split(" ")[-1], (match["second"] or "").split(" ")[-1]
        turned = bool(asked) and asked[-1][0].lower() == second and asked[-1][1].lower() == first
        return f"{two}:{one}" if turned else f"{one}:{two}"

    for pattern in _OF_NAMES:
        text = pattern.sub(in_order, text)
    for pattern in _RATIOS:
        text = pattern.sub(r"\1:\2", text)
    return text


_LEQ = r"(?:[<≤]|\\(?:leq?|leqslant|lt)(?![a-z]))"
_OF_CONSTANT = re.compile(r"\s*\$?[ei]\s*(=.*)", re.DOTALL)
_BOUNDED = re.compile(rf"([^=<≤]*{_LEQ}\s*)\$?[a-zA-Z]\s?\([a-z]\)(\s*{_LEQ}[^=<≤]*)")


def plainly_named(text: str) -> str:
    """An answer with a plain name in place of one that is something else as well; empty where it has none.

    >>> plainly_named("e = 5/3"), plainly_named("-4 ≤ f(x) ≤ 5"), plainly_named("x = 5/3")
    ('x_0 = 5/3', '-4 ≤ y ≤ 5', '')
    """
    if (match := _OF_CONSTANT.fullmatch(text)) is not None:
        return f"x_0 {match[1]}"
    match = _BOUNDED.fullmatch(text) if len(text) < 200 else None
    return f"{match[1]}y{match[2]}" if match is not None else ""


_DOMAIN = re.compile(  # y = 7x, x > 0; x + 3 (x ≠ 3); f(x) = 2x for all real x
    r"(?P<said>[^<>≤≥≠∈]+?)(?:[,;$]|\s|\\q?quad|\\[,;: ])+\(?"
    r"(?:(?:\\text\s?\{\s?)?(?:valid |defined )?"
    r"(?:for|where|with|when|if|provided(?: that)?)\b(?P<all>[a-z ]{0,24})\}?\s?\$?)?"
    r"(?:(?:[0-9]?[a-z]\s?[-+]\s?)?[0-9](?=[a-z]\s?(?:≠|\\neq?))|[0-9]?[a-z]\s?[-+]\s?(?=[a-z]\s?(?:≠|\\neq?)))?"
    r"(?P<name>[a-z])(?P<sign>\s?(?:[<>≤≥≠∈]|\\(?:in|neq?|[lg]eq?|[lg]t)(?![a-z]))[^=,;]{1,24}?)?\)?\$?"
)


def without_domain(text: str) -> str:
    r"""An expression or equation without the words behind it that say for what values it holds; empty elsewhere.

    >>> without_domain("y = 7x, x > 0"), without_domain("x + 3 (x ≠ 3)"), without_domain("y = 2x for all real x")
    ('y = 7x', 'x + 3', 'y = 2x')
    >>> without_domain(r"\frac{-x}{x+2y}\qquad (x+2y\ne0)")
    '\\frac{-x}{x+2y}'
    >>> without_domain("x < 5, x > 0"), without_domain("x = 3, y > 0"), without_domain("2 + 3 x")
    ('', '', '')
    """
    match = _DOMAIN.fullmatch(text.strip()) if len(text) < 300 else None
    if match is None or not (match["sign"] or re.search(r"\b(?:all|every|any)\b", match["all"] or "")):
        return ""
    said = match["said"].strip()
    return said if re.search(rf"(?<![A-Za-z\\]){match['name']}(?![A-Za-z])", said) is not None else ""


_NOT_ZERO = re.compile(r"([^\s(≠\\]{1,30})\s*(?:≠|\\neq?(?![a-z]))\s*0\)?[\s.$]*$")


def defined_elsewhere(text: str) -> bool:
    r"""Whether an expression says where it is defined, and no more: that its denominator is not 0.

    >>> defined_elsewhere("x/(x+2y), x+2y ≠ 0"), defined_elsewhere("x^2, x ≠ 0")
    (True, False)
    """
    match = _NOT_ZERO.search(text)
    return match is not None and any(below in text for below in (f"{{{match[1]}}}", f"/({match[1]})", f"/{match[1]}"))


def in_base(text: str, gold: str) -> bool:
    """Whether a number says the base that is asked for, alone or behind what it equals: 501_6 for 501, 181 = 501_6.

    >>> in_base("243_5 + 134_5 = 432_5", "432_5"), in_base("116 = 432_5", "432_5")
    (True, False)
    """
    if len(text) > 300:
        return False
    try:
        known, node = read(gold)[0], read(text)[0]
        if isinstance(node, tree.Text) and "=" in text:  # 185 = 505 in base 6
            node = tree.Relation(tuple(read(part)[0] for part in text.split("=")), ("=",) * text.count("="))
    except tree.ReadError:
        return False
    if not isinstance(known, tree.Base):
        return False
    if isinstance(node, tree.List) and known.value.denominator == 1:  # 5, 0, 5, so it is 505_6
        digits = [item.value for item in node.items[:-1] if isinstance(item, tree.Num)]
        if len(digits) != len(node.items) - 1 or digits != _digits(int(known.value), known.base):
            return False
        node = node.items[-1]
    if not isinstance(node, tree.Relation) or set(node.ops) != {"="} or node.modulus is not None:
        return node == known
    values = [rebuilt(part, _without_base) for part in node.operands]
    return known in node.operands and all(compare(part, tree.Num(known.value)).equal for part in values)


def _without_base(node: tree.Node) -> tree.Node | None:
    """The value of a number in a base; None for anything else."""
    return tree.Num(node.value) if isinstance(node, tree.Base) else None


def _digits(value: int, base: int) -> list[int]:
    """The digits of a whole number in a base."""
    digits: list[int] = []
    while value and len(digits) < 100:
        value, digit = divmod(value, base)
        digits.insert(0, digit)
    return digits


def counted(text: str) -> str:
    """A number in words with the things that are counted, in digits; empty for anything else.

    >>> counted("exactly six ordered pairs"), counted("the six")
    ('6 ordered pairs', '')
    """
    if len(text) > 100:
        return ""
    words = _EXACTLY.sub("", text.strip()).split()
    for n in range(min(4, len(words) - 1), 0, -1):
        value = read_words(" ".join(words[:n]))
        if value is not None:
            return f"{value} {' '.join(words[n:])}" if noun(" ".join(words[n:])) is not None else ""
    return ""


def respelled(text: str, gold: tree.Node) -> str | None:
    """The answer with a currency's name read as that of the gold: pounds of money, ¥ of China."""
    if not isinstance(gold, tree.Quantity) or len(text) > 100:
        return None
    money = gold.unit.dimensions[0][0] if gold.unit.dimensions else ""
    if money == "GBP" and (match := _POUNDS.fullmatch(text.strip())) is not None:
        return f"£{match[1]}"
    if money == "CNY" and "¥" in text.replace("￥", "¥"):
        return text.replace("￥", "¥").replace("¥", "") + " CNY"
    return None


def same_phrase(answer: str, gold: str) -> bool:
    """Whether two texts are equal up to an article, or lists of the same names in any order."""
    one, two = (re.sub(r"^(?:a|an|the) ", "", normalise(text)) for text in (answer, gold))
    one = _WINS.sub("", one) if "win" not in two else one
    if one == two:
        return bool(one)
    if "," not in two and " and " not in two:
        return False
    ours, theirs = (sorted(part.strip() for part in _AND.split(text)) for text in (one, two))
    return ours == theirs and len(ours) > 1


_FIGURES = re.compile("[0-9]+")
_OTHERS = re.compile(  # numbers that are written otherwise
    rf"{NUMBER_WORDS.pattern}|[½⅓⅔¼¾⅛⅜⅝⅞₀-₉]|10\^"
    r"|\b(?:(?:exactly|just) one|half|thirds?|quarters?|[a-z]+ths?|thousand|million|billion)\b",
    re.IGNORECASE,
)


def can_hold(text: str, gold: str) -> bool:
    """Whether a gold can occur in a text, by its figures: one that has none can.

    >>> can_hold("It is 1,250 g.", "1250"), can_hold("It is 12 g.", "1250"), can_hold("It is twelve.", "12")
    (True, False, True)
    """
    figures = set(_FIGURES.findall(gold.replace(",", "")))
    return not figures or not figures.isdisjoint(_FIGURES.findall(text.replace(",", ""))) or bool(_OTHERS.search(text))
