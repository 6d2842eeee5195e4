"""Whether an equal answer has the form that a question asks for: factored, solved, simplified, a fraction."""

import re
from collections.abc import Sequence

from turnwise.verifiers.math.asked import Asked
from turnwise.verifiers.math.compare.simplest import simplest
from turnwise.verifiers.math.read.reader import read
from turnwise.verifiers.math.undone import last_member
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.walk import subtrees
from turnwise.verifiers.messages.wording import sentence_of

__all__ = ["in_another_form"]

_MAX_FACTOR = 10**30
_PLAIN = re.compile(r"-?[0-9.,/]{1,30}")


def in_another_form(texts: Sequence[str], asked: Asked, gold: str, message: str = "") -> bool:
    """Whether equal answers have not the form that is asked for and the gold has.

    Args:
        texts: The answers: one value, or forms of it side by side, of which one that is simple, a fraction or a decimal
            is enough; all must be factored, expanded or solved.
        asked: What is asked for.
        gold: The right answer.
        message: What was read: a sentence with the gold as it stands gives the form as well.

    >>> from turnwise.verifiers.math.asked import asked_for
    >>> in_another_form(["3(x^2 - 9)"], asked_for("Factor $3x^2 - 27$."), "3(x-3)(x+3)")
    True
    >>> in_another_form(["2x = y + 5"], asked_for("Solve $4x - 2y = 10$ for $y$."), "y = 2x - 5")
    True
    >>> in_another_form(["2 * 5 * 6^2"], asked_for("What is the prime factorization of 360?"), "2^3 * 3^2 * 5")
    True
    >>> asked = asked_for("What is its share, in lowest terms?")
    >>> in_another_form(["6/8"], asked, "3/4"), in_another_form(["6/8", "3/4"], asked, "3/4")
    (True, False)
    """
    if not asked.form or not texts:
        return False
    try:
        answers, known = [read(text)[0] for text in texts], read(gold)[0]
    except tree.ReadError:
        return False
    if asked.form in ("simplest", "fraction", "decimal"):
        if _PLAIN.fullmatch(gold) and re.search(
            rf"(?<![\w./]){re.escape(gold)}(?![\w/])", sentence_of(message, texts[-1])
        ):  # 7/20 is the same as 0.35
            return False
        return not any(_has_form(last_member(answer), last_member(known), asked.form) for answer in answers)
    return any(_in_another(answer, known, asked) for answer in answers)


def _in_another(answer: tree.Node, known: tree.Node, asked: Asked) -> bool:
    """Whether an answer is not factored, expanded, of primes or solved for a letter, and the gold is."""
    if asked.form == "primes":
        return _has_composite(answer) and not _has_composite(known)
    if asked.form in ("factored", "expanded"):
        answer = answer.operands[-1] if isinstance(answer, tree.Relation) else answer
        known = known.operands[-1] if isinstance(known, tree.Relation) else known
        if asked.form == "expanded":
            return _has_product_of_sums(answer) and not _has_product_of_sums(known)
        return _count_factors(answer) < _count_factors(known)
    return _solved(known, asked.form) and isinstance(answer, tree.Relation) and not _solved(answer, asked.form)


def _has_form(answer: tree.Node, known: tree.Node, form: str) -> bool:
    """Whether an answer is as simple, a fraction or a decimal as the gold is."""
    if form == "simplest" and simplest(known) and not simplest(answer):
        return False
    decimal = isinstance(answer, tree.Num) and answer.value.denominator != 1
    if form == "decimal":
        return not (isinstance(known, tree.Num) and isinstance(answer, tree.Div))
    return not (decimal and isinstance(known, tree.Div))


def _count_factors(node: tree.Node) -> int:
    """How many factors with a letter in them an expression has, powers counted out: 3 of 3x(x - 2)^2."""
    if isinstance(node, tree.Neg):
        return _count_factors(node.x)
    if isinstance(node, tree.Mul):
        return sum(map(_count_factors, node.factors))
    if isinstance(node, tree.Pow) and isinstance(node.exponent, tree.Num) and node.exponent.value.denominator == 1:
        return min(max(node.exponent.value.numerator, 0), 99) * _count_factors(node.base)
    return int(any(isinstance(leaf, tree.Sym) for leaf in subtrees(node)))


def _has_composite(node: tree.Node) -> bool:
    """Whether any factor of a product is not prime, as 6 in 2 · 5 · 6²; of an equation, its last side is looked at."""
    if isinstance(node, tree.Relation):
        return _has_composite(node.operands[-1])
    if isinstance(node, tree.Mul):
        return any(map(_has_composite, node.factors))
    if isinstance(node, tree.Pow):
        return _has_composite(node.base)
    if not isinstance(node, tree.Num) or node.value.denominator != 1 or node.value >= _MAX_FACTOR:
        return False
    from sympy import isprime  # half a second, for questions that few ask

    return not isprime(int(node.value))


def _has_product_of_sums(node: tree.Node) -> bool:
    """Whether an expression has a product or a power of a sum with a letter in it, which could be expanded."""
    parts = [
        part.factors if isinstance(part, tree.Mul) else part[:1]
        for part in subtrees(node)
        if isinstance(part, tree.Mul | tree.Pow)
    ]
    sums = [one for part in parts for one in part if isinstance(one, tree.Add)]
    return any(isinstance(leaf, tree.Sym) for one in sums for leaf in subtrees(one))


def _solved(node: tree.Node, name: str) -> bool:
    """Whether an equation says what a letter is."""
    if not isinstance(node, tree.Relation) or set(node.ops) != {"="}:
        return False
    alone = [isinstance(one, tree.Sym) and one.name == name for one in node.operands]
    return any(alone) and not any(
        tree.Sym(name) in subtrees(one) for one, is_it in zip(node.operands, alone, strict=True) if not is_it
    )
