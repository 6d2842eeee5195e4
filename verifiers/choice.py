r"""Multiple choice: the label of an option, its text, or both, and sets of options.

An answer is ``B``, ``(b)``, ``option B``, "the answer is B", ``B. 12 cm``, ``\textbf{(B)}\ 12``, or the text ``12 cm``
if the options are known; texts of options are equal up to case, formatting and LaTeX's layout, or as numbers. Nothing
else is read: two labels, "not B", or a label with another option's text are not an answer.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from turnwise.verifiers.extract import undressed
from turnwise.verifiers.rational import parse_rational
from turnwise.verifiers.text import normalise, normalise_latex
from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = ["read_label", "verify_choice", "verify_choices", "verify_letter", "verify_true_false"]

MAX_CHARS = 4_000
MAX_OPTIONS = 100
Options = Sequence[str] | Mapping[str, str]

_LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_ROMANS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV")
_NUMBERS = tuple(map(str, range(1, MAX_OPTIONS + 1)))
_STYLES = {"[A-Za-z]": _LETTERS, "[1-9][0-9]{0,2}": _NUMBERS, "[IVXivx]{1,5}": _ROMANS}
_WRAPPER = re.compile(r"\\(?:text|textbf|textit|textrm|textsf|texttt|mathrm|mathbf|mathit|boldsymbol|emph|underline)\s?"
                      r"\{([^{}]*)\}")  # fmt: skip
_LAYOUT = re.compile(r"\\(?:left|right|displaystyle|quad|qquad|rm|bf)(?![A-Za-z])|\\[,;:! ]|~|\*\*|__")
_LEAD = re.compile(
    r"(?:正确)?答案(?:是|为)?:? ?(?:选项? ?)?|(?:故|应)?选(?:项|择)?:? ?"
    r"|(?:(?:so|thus|therefore|hence),? )?(?:i (?:think|believe) )?(?:it is |it's |i (?:choose|pick|select) )?"
    r"(?:(?:the|my) )?(?:(?:correct|right|final|best) )?"
    r"(?:(?:answer|option|choice|letter|statement)(?:(?: choice)? (?:is|would be|must be|should be))? ?:? ?)?"
    r"(?:(?:option|choice|letter|statement|answer) )?",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r" is (?:the )?(?:correct|right|best)(?: (?:answer|option|choice|one))?"
    r"(?:,? (?:because|since)\b(?![^\n]*\b(?:wait|actually|but|however|instead|not|or|no|option|choice|answer)\b)"
    r"(?:[^.;\n]|\.(?=[0-9]))*)?$", re.IGNORECASE,
)  # fmt: skip
_SEVERAL = re.compile(
    r"^(?:or|and|nor|but|and/or|either|wait|maybe|perhaps|no|not|is|isn't|isnt|are|was|if|because|以及|或|和)\b|^[,;/&+|=<>-]"
    r"|[,;\n] ?(?:and |or )?[(\[]?[a-z][).:\]]\s|^(?-i:[A-Z])(?: ?[,/] ?(?-i:[A-Z]))*\.?$|(?<!\b[A-Za-z])"
    r"(?<!sin)(?<!cos)(?<!tan)(?<!log)(?<!ln)[(\[][A-Z][)\]]"
    r"|(?<!\()\b[A-Z][):]\s"
    r"|\b(?:wait|actually|correction)\b", re.IGNORECASE
)  # fmt: skip
_JOIN = re.compile(r" ?(?:[,;、&\n+]|\band\b|和|与) ?(?:and )?|(?<=[)\]]) ?(?=[(\[])", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"[\[({]((?:[^\[\](){}]|[\[({][^\[\](){}]*[\])}])*)[\])}]")
_TRUE = frozenset(("true", "t", "correct", "right", "yes", "对", "正确", "真", "是"))
_FALSE = frozenset(("false", "f", "incorrect", "wrong", "no", "错", "错误", "假", "否", "不对", "不正确"))


class _Patterns(NamedTuple):
    bare: re.Pattern[str]
    with_text: re.Pattern[str]


def _patterns(label: str) -> _Patterns:
    bare = rf"(?:[(\[{{] ?({label}) ?[)\]}}]|({label}) ?[)\]]?) ?[.:]?"
    marked = rf"(?:[(\[] ?({label}) ?[)\]] ?[.:-]?|({label}) ?(?:[).:、]|- ))"
    return _Patterns(re.compile(bare), re.compile(rf"{marked}(?!(?<=[0-9][.:])[0-9]) ?(.+)", re.DOTALL))  # 2.5, 10:30


_PATTERNS = {labels: _patterns(pattern) for pattern, labels in _STYLES.items()}


class _Question(NamedTuple):
    """Labels of one style, the texts that are known, and the right labels."""

    labels: tuple[str, ...]
    texts: Mapping[str, str]
    gold: frozenset[str]


def verify_choice(text: str, gold: str, options: Options = ()) -> Verdict:
    r"""Judge whether the text chooses the option ``gold``, and no other.

    Args:
        text: The answer, at most 4000 characters.
        gold: The label of the right option, its text if the options are known, or both (``(B) 12 cm``). The answer must
            use the gold's style: letters, numbers from 1 or Roman numerals.
        options: The texts of all options in order, or of some by label (``{"B": "12 cm"}``); without them the text
            after a label is not compared.

    Raises:
        ValueError: The gold is not one of the options.

    >>> options = ["10 cm", "12 cm", "all of the above"]
    >>> [verify_choice(text, "B", options).correct for text in ("b", "(B) 12 cm", "12 cm", "The answer is B.")]
    [True, True, True, True]
    >>> [verify_choice(text, "B", options).correct for text in ("A or B", "not B", "(B) 10 cm", "(A) 12 cm")]
    [False, False, False, False]
    """
    question = _question((gold,), options)
    if len(text) > MAX_CHARS:
        return wrong(f"the answer is longer than {MAX_CHARS} characters")
    chosen, problem = _chosen(_clean(text), question)
    if chosen is None:
        return wrong(problem)
    return right(chosen) if chosen in question.gold else wrong(f"{chosen} is not right", chosen)


def verify_choices(text: str, golds: Collection[str], options: Options = ()) -> Verdict:
    """Judge whether the text chooses the options ``golds``, all of them and no other; order does not matter.

    The ``score`` of a wrong set is the share of right options chosen minus the share of wrong ones chosen, at least 0
    (so all options together, and random ones on average, earn nothing); without ``options`` it is 0.
    Source: Youden, Index for rating diagnostic tests (1950).

    Raises:
        ValueError: There are no golds, or one is not an option.

    >>> verify_choices("(C), (A)", ["A", "C"]).correct, verify_choices("AC", ["A", "C"]).correct
    (True, True)
    >>> [verify_choices(text, ["A", "C"], ["1", "2", "3", "4"]).score for text in ("A", "A, B, C", "ABCD")]
    [0.5, 0.5, 0.0]
    """
    question = _question(tuple(golds), options)
    if len(text) > MAX_CHARS:
        return wrong(f"the answer is longer than {MAX_CHARS} characters")
    chosen, problem = _chosen_set(_clean(text), question)
    if chosen is None:
        return wrong(problem)
    value = ", ".join(label for label in question.labels if label in chosen)
    if chosen == question.gold:
        return right(value)
    hits, misses = len(chosen & question.gold), len(chosen - question.gold)
    others = len(options) - len(question.gold)
    recall, fallout = hits / len(question.gold), misses / others if others > 0 else 0.0
    known = bool(options) and isinstance(options, Sequence)
    parts = {"right_chosen": recall, "wrong_chosen": fallout} if known else None
    return wrong(f"{value} is not right", value, max(0.0, recall - fallout) if known else 0.0, parts)


def verify_letter(text: str, gold: str) -> Verdict | None:
    r"""Judge whether the text chooses the letter ``gold``; None if it names no single letter of an option.

    >>> verify_letter(r"\textbf{(B)}\ 12", "B").correct, verify_letter("C. 12", "B").correct, verify_letter("12", "B")
    (True, False, None)
    """
    letter = read_label(text)
    if letter is None:
        return None
    return right(letter) if letter == gold.upper() else wrong(f"{letter} is not right", letter)


def read_label(text: str) -> str | None:
    r"""Return the letter of the one option that the text chooses, with or without the option's text; or None.

    >>> read_label("(b)"), read_label(r"\textbf{(C)}\ 30"), read_label("B or C"), read_label("(B) or (C)")
    ('B', 'C', None, None)
    """
    if len(text) > MAX_CHARS:
        return None
    return _chosen(_clean(text), _Question(_LETTERS, {}, frozenset()))[0]


def verify_true_false(text: str, gold: bool) -> Verdict:
    """Judge whether the text says that a statement is true, or false: ``True``, ``F``, ``yes``, ``正确``.

    >>> verify_true_false("False.", False).correct, verify_true_false("true or false", True).correct
    (True, False)
    """
    if len(text) > MAX_CHARS:
        return wrong(f"the answer is longer than {MAX_CHARS} characters")
    clean = _clean(text)
    word = normalise(clean[_lead(clean) :]).removeprefix("(").removesuffix(")")
    if word not in _TRUE and word not in _FALSE:
        return wrong("the answer is neither true nor false")
    value = word in _TRUE
    return right(value) if value is gold else wrong(f"{value} is not right", value)


@lru_cache(maxsize=1024)
def _listed(golds: tuple[str, ...], texts: tuple[str, ...]) -> _Question:
    if len(texts) > MAX_OPTIONS:
        raise ValueError(f"there are {len(texts)} options; at most {MAX_OPTIONS} can be read")
    for labels in _STYLES.values():
        shown = labels[: len(texts)] if texts else labels
        wanted = [_unmarked(gold, labels) for gold in golds]
        if len(texts) <= len(labels) and all(label in shown for label in wanted):
            marks = [_PATTERNS[labels].with_text.fullmatch(text.strip()) for text in texts]
            if all(m is not None and (m[1] or m[2]) == label for m, label in zip(marks, shown, strict=False)):
                texts = tuple(m[3] for m in marks if m is not None)  # options that include their labels
            known = dict(zip(shown, texts, strict=False))
            said = {label: _text_of(gold, labels) for gold, label in zip(golds, wanted, strict=True) if label}
            for label, option in said.items():
                if option and known.setdefault(label, option) != option and label not in _by_text(option, known):
                    raise ValueError(f"the gold {label} is {option[:80]!r}, the option {known[label][:80]!r}")
            return _Question(shown, known, frozenset(said))
    labels = _LETTERS if len(texts) <= len(_LETTERS) else _NUMBERS
    known = dict(zip(labels, texts, strict=False))
    found = [[label for label, option in known.items() if option.strip() == gold.strip()] for gold in golds]
    if not all(found):
        raise ValueError(f"the gold is {', '.join(golds)[:80]!r}, which is none of the {len(texts)} options")
    return _Question(labels[: len(texts)], known, frozenset(label for labels_ in found for label in labels_))


def _question(golds: tuple[str, ...], options: Options) -> _Question:
    if not golds or (isinstance(options, str) or any(not gold.strip() for gold in golds)):
        raise ValueError(f"the gold is {golds!r} and the options are {str(options)[:80]!r}; neither can be used")
    if isinstance(options, Mapping):
        question = _listed(golds, ())
        return question._replace(texts={key.strip().upper(): value for key, value in options.items()})
    return _listed(golds, tuple(options))


def _unmarked(gold: str, labels: tuple[str, ...]) -> str | None:
    """Return the label that a gold consists of or begins with."""
    text, patterns = _clean(gold), _PATTERNS[labels]
    match = patterns.bare.fullmatch(text) or patterns.with_text.fullmatch(text)
    return (match[1] or match[2]).upper() if match else None


def _text_of(gold: str, labels: tuple[str, ...]) -> str:
    """Return the text of a gold after its label."""
    text = _clean(gold)
    match = None if _PATTERNS[labels].bare.fullmatch(text) else _PATTERNS[labels].with_text.fullmatch(text)
    return match[3] if match else ""


def _clean(text: str) -> str:
    """Return the text without formatting, LaTeX's wrappers and layout; blanks are collapsed, lines are kept."""
    text = undressed(text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if "\\" in text or "**" in text or "~" in text or "__" in text:
        for _ in range(3):
            text = _WRAPPER.sub(r"\1", text)
        text = _LAYOUT.sub(" ", text)
    return "\n".join(line for line in (" ".join(line.split()) for line in text.splitlines()) if line)


def _lead(text: str) -> int:
    """Return where the answer begins after "The answer is" or the like."""
    match = _LEAD.match(text)
    return match.end() if match else 0


def _chosen(text: str, question: _Question) -> tuple[str | None, str]:
    """Return the one label that the text chooses, or None with the problem."""
    patterns = _PATTERNS[_style(question.labels)]
    bodies = [text]
    if start := _lead(text):
        bodies.append(undressed(text[start:]))
    for body in bodies:
        match = patterns.bare.fullmatch(_TAIL.sub("", body.removesuffix(".")))
        if match is not None and (label := (match[1] or match[2]).upper()) in question.labels:
            return label, ""
    for body in bodies:
        if body and (found := _by_text(body, question.texts)):
            if len(found) > 1 and not set(found) <= question.gold:
                return None, "the answer is the text of several options"
            return found[0], ""
    for body in bodies:
        match = patterns.with_text.fullmatch(body)
        label, rest = ((match[1] or match[2]).upper(), match[3]) if match is not None else (body[:1], body[2:])
        if label not in question.labels or (match is None and body[1:2] != " "):
            continue
        if (option := question.texts.get(label)) is None:
            if match is not None and not _SEVERAL.search(rest):
                return label, ""
        elif label in _by_text(rest, {label: option}):
            return label, ""
        elif match is not None:
            return None, "the label and the text after it do not belong together"
    return None, "the answer is not one of the options"


def _chosen_set(text: str, question: _Question) -> tuple[frozenset[str] | None, str]:
    one, problem = _chosen(text, question)
    if one is not None and "\n" not in text:
        return frozenset((one,)), ""
    body = text[_lead(text) :].removesuffix(".").strip()
    if (match := _IN_BRACKETS.fullmatch(body)) is not None:
        body = match[1]
    run = re.sub(r"(?<=[A-Z]) (?=[A-Z])", "", body)
    if run.isascii() and run.isalpha() and run.isupper() and len(run) <= len(question.labels):
        labels = frozenset(run)
        if len(labels) == len(run) and labels <= frozenset(question.labels):
            return labels, ""
    for items in (re.split(r"\n", body), re.split(r"[;\n]", body), _JOIN.split(body)):
        if len(items) <= MAX_OPTIONS:
            chosen = [_chosen(item.strip("\"' "), question)[0] for item in items if item and item.strip()]
            if chosen and all(chosen):
                return frozenset(label for label in chosen if label), ""
    return None, problem


def _style(labels: tuple[str, ...]) -> tuple[str, ...]:
    return next(style for style in _STYLES.values() if style[0] == labels[0])


class _Forms(NamedTuple):
    """Forms of a text: up to case and formatting, up to LaTeX's layout, and as a number."""

    written: str
    plain: str
    latex: str
    number: Fraction | None


@lru_cache(maxsize=4096)
def _forms(text: str) -> _Forms:
    return _Forms(
        " ".join(text.split()), normalise(_clean(text)), normalise_latex(text), parse_rational(undressed(text))
    )


def _by_text(text: str, texts: Mapping[str, str]) -> list[str]:
    """Return the labels of the options with this text, by the strictest form in which there are any."""
    if not texts:
        return []
    wanted = _forms(text)
    known = {label: _forms(option) for label, option in texts.items()}
    for form, value in enumerate(wanted):
        alike = [label for label, forms in known.items() if value not in ("", None) and forms[form] == value]
        if alike:
            return alike
    return []
