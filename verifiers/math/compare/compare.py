"""Whether an answer's tree has the value of a gold's.

Everything is decided here by exact arithmetic and by evaluation within bounds; what that leaves open is asked of sympy
in a process that can be killed (`turnwise.verifiers.math.compare.algebra`).
"""

from fractions import Fraction
from typing import Literal, NamedTuple

from turnwise.verifiers.math.compare import families, labels, measured, relations, sequences, sets, vectors, views
from turnwise.verifiers.math.compare.simplest import simplest
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.bounds import Meter, TooLarge, Undefined, Unresolved
from turnwise.verifiers.math.values.exact import rational
from turnwise.verifiers.math.values.values import Scalars
from turnwise.verifiers.math.values.walk import children, closed, contains, measure, same, symbols

__all__ = ["Equality", "Rules", "compare", "near"]

MAX_QUESTIONS = 2  # put to sympy in one comparison
MAX_MATCHED = 40  # items of unordered collections that are matched by search
_SCALARS = (tree.Num, tree.Sym, tree.Const, tree.Neg, tree.Add, tree.Mul, tree.Div, tree.Pow, tree.Call)


class Rules(NamedTuple):
    """How strict a comparison is.

    Attributes:
        tolerance: Relative difference of numbers that is allowed, declared by the data set, in [0, 1). With 0, values
            are exact and a decimal needs at least 6 right significant digits.
        simplified: The answer must be in simplest form; see `turnwise.verifiers.math.compare.simplest.simplest`.
        ordered: Whether the order of a list matters. None: in tuples and sequences in brackets yes, in bare lists and
            sets no.
        units: Whether the unit of a gold may be missing.
        evaluated: Where the gold is a plain number the answer must be one too: no arithmetic is left to be done
            (``2*600`` is not 1200, ``2400/2`` is a fraction and is).
        algebra: Whether sympy is asked about what the bounded methods leave open. Its answer may depend on how fast
            the machine is: it has 0.15 s.
    """

    tolerance: float = 0.0
    simplified: bool = False
    ordered: bool | None = None
    units: Literal["optional", "required"] = "optional"
    evaluated: bool = False
    algebra: bool = True


STANDARD = Rules()


class Equality(NamedTuple):
    """``equal`` is None if it could not be decided within the bounds; ``reason`` says why not equal."""

    equal: bool | None
    reason: str = ""


_YES = Equality(True)


def _no(reason: str) -> Equality:
    return Equality(False, reason)


def compare(answer: tree.Node, gold: tree.Node, rules: Rules = STANDARD) -> Equality:
    """Whether an answer is the gold.

    Args:
        answer: What was answered; never raises on it.
        gold: The right answer.
        rules: How strict.

    >>> from fractions import Fraction
    >>> half = tree.Num(Fraction(1, 2))
    >>> compare(tree.Div(tree.Num(Fraction(2)), tree.Num(Fraction(4))), half)
    Equality(equal=True, reason='')
    >>> compare(tree.Num(Fraction(2)), half)
    Equality(equal=False, reason='the value differs')
    """
    if type(answer) is tree.Num and type(gold) is tree.Num and answer.value == gold.value and not rules.simplified:
        return _YES
    try:
        measure(answer, gold)
        if rules.simplified and not simplest(answer) and not same(answer, gold):
            return _no("the answer is not in simplest form")
        return _Comparison(rules).judge(answer, gold)
    except Unresolved as problem:
        return Equality(None, str(problem))
    except Undefined:
        return _no("the answer has no value")
    except RecursionError:
        return Equality(None, "an expression is nested too deep")


class _Comparison:
    """One comparison, with its meter."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.meter = Meter()
        self.scalars: Scalars = _Asking(self.meter, rules)

    def judge(self, answer: tree.Node, gold: tree.Node) -> Equality:
        """Whether two trees mean the same."""
        self.meter.spend(6)
        if type(answer) is type(gold) and same(answer, gold):
            return _YES
        answer, gold = views.bare(answer), views.bare(gold)
        if not isinstance(answer, tree.Num | tree.Div | tree.Neg | tree.Text):
            answer = views.unqualified(views.regrouped(answer, gold), gold, self.scalars)
        if isinstance(gold, tree.Base) or isinstance(answer, tree.Base):
            return _YES if labels.same_digits(answer, gold) else _no("the number or its base differs")
        if isinstance(answer, tree.Text) or isinstance(gold, tree.Text):
            return _YES if labels.same_words(answer, gold) else _no("the words differ")
        if contains(gold, tree.PlusMinus) or contains(answer, tree.PlusMinus):
            return self.judge(views.signs_written_out(answer), views.signs_written_out(gold))
        answer = vectors.components(answer, gold, self.scalars) or answer
        gold = vectors.components(gold, answer, self.scalars) or gold
        if vectors.has_unit_vectors(gold):
            answer, gold = vectors.i_as_symbol(answer), vectors.i_as_symbol(gold)
        if isinstance(gold, tree.Cases) or isinstance(answer, tree.Cases):
            return self.cases(answer, gold)
        verdict = families.same_family(answer, gold, self.scalars)
        if verdict is not None:
            return _YES if verdict else _no("the family of values differs")
        if sets.is_region(answer) or sets.is_region(gold):
            outcome = self.regions(answer, gold)
            if outcome is not None:
                return outcome
        if isinstance(gold, tree.Ratio) or isinstance(answer, tree.Ratio):
            return self.ratios(answer, gold)
        outcome = self.collections(answer, gold)
        if outcome is not None:
            return outcome
        if isinstance(gold, tree.Relation):
            return self.relation(answer, gold)
        if isinstance(answer, tree.Relation):
            return self.statement(answer, gold)
        return self.values(answer, gold)

    def all_equal(self, answers: tuple[tree.Node, ...], golds: tuple[tree.Node, ...]) -> bool:
        """Whether items are equal one by one, in order."""
        return len(answers) == len(golds) and all(
            self.equal(ours, theirs) for ours, theirs in zip(answers, golds, strict=True)
        )

    def equal(self, answer: tree.Node, gold: tree.Node) -> bool:
        """`judge` as a plain truth value.

        Raises:
            Unresolved: It cannot be decided within the bounds.
        """
        return bool(self.judge(answer, gold).equal)

    def matched(self, answers: tuple[tree.Node, ...], golds: tuple[tree.Node, ...]) -> bool:
        """Whether items are equal one by one, in some order."""
        if len(answers) != len(golds):
            return False
        answers, golds = views.without_equal_numbers(answers, golds, self.meter)
        if len(answers) != len(golds):
            return False
        if not golds:
            return True
        if len(golds) > MAX_MATCHED:
            if self.all_equal(answers, golds):
                return True
            raise TooLarge("too many items to match")
        partner: dict[int, int] = {}  # which answer each gold has
        fits: list[list[bool]] = []
        for ours in answers:
            fits.append([self.equal(ours, theirs) for theirs in golds])
            if not any(fits[-1]):
                return False
        return all(_augment(i, fits, partner, set()) for i in range(len(answers)))

    def distinct(self, items: tuple[tree.Node, ...]) -> tuple[tree.Node, ...]:
        """The items without repetitions."""
        numbers: dict[Fraction, tree.Node] = {}
        for item in items:
            if isinstance(item, tree.Num):
                numbers.setdefault(item.value, item)
        found: list[tree.Node] = []
        for item in items:
            if not isinstance(item, tree.Num) and not any(
                self.equal(item, other) for other in (*numbers.values(), *found)
            ):
                found.append(item)
        return (*numbers.values(), *found)

    def collections(self, answer: tree.Node, gold: tree.Node) -> Equality | None:
        """Tuples, lists, sets, solutions, assignments, matrices; None where neither side is one."""
        named, named_gold = views.assignments(answer), views.assignments(gold)
        if named_gold is not None:
            if named is not None:
                same_names = sorted(named) == sorted(named_gold)
                return self._verdict(same_names and all(self.equal(named[n], named_gold[n]) for n in named_gold))
            items = views.in_order(answer)
            return self._verdict(items is not None and self.all_equal(items, tuple(named_gold.values())))
        ours, theirs = views.collection(answer), views.collection(gold)
        if named is not None and (roots := views.indexed(named)) is not None and theirs and theirs.kind != "tuple":
            named, ours = None, roots._replace(name=roots.name if theirs.name else None)
        if named is not None and theirs is not None and theirs.kind != "set" and theirs.name is None:
            alphabetical = tuple(named[name] for name in sorted(named))
            return self._verdict(self.all_equal(alphabetical, theirs.items))
        if ours is None and theirs is None:
            return None
        if theirs is None:
            assert ours is not None
            if isinstance(gold, tree.Relation) and relations.solved(gold) is None:  # x = ±2 for x² = 4
                name = ours.name if ours.kind in ("list", "set") else None
                return self._verdict(relations.solves(name, ours.items, gold, self.scalars))
            items = self.distinct(ours.items) if ours.kind not in ("tuple", "matrix") else ours.items
            if len(items) != 1 or ours.kind == "matrix":
                return _no("several values are given where one is asked for")
            return self.judge(views.renamed(items[0], ours.name), gold)
        if ours is None:
            if isinstance(answer, tree.Relation) and (told := relations.stated(answer, gold)) is not None:
                return self.judge(told[-1], gold) if len(told) == 1 else _no("the answer is of another kind")
            items = self.distinct(theirs.items) if theirs.kind == "set" else theirs.items
            if len(items) != 1:
                return _no("the number of items differs")
            return self.judge(answer, views.renamed(items[0], theirs.name))
        if None not in (ours.name, theirs.name) and ours.name != theirs.name:
            return _no("the variable is another one")
        if ours.name is None and any(isinstance(item, tree.Relation) for item in ours.items):
            theirs = theirs._replace(items=tuple(views.renamed(item, theirs.name) for item in theirs.items))
        return self._verdict(self._same_collection(ours, theirs))

    @staticmethod
    def _verdict(verdict: bool) -> Equality:
        return _YES if verdict else _no("the items differ")

    def _same_collection(self, answer: views.Collection, gold: views.Collection) -> bool:
        ours, theirs = answer.items, gold.items
        if "matrix" in (answer.kind, gold.kind):
            if answer.kind == gold.kind:
                return answer.shape == gold.shape and self.all_equal(ours, theirs)
            flat = answer.shape if answer.kind == "matrix" else gold.shape
            other = gold if answer.kind == "matrix" else answer
            return 1 in flat and other.kind in ("tuple", "list") and self.all_equal(ours, theirs)
        if views.has_dots(ours) or views.has_dots(theirs):
            return self._same_sequence(ours, theirs, answer.kind == "set")
        ordered = self.rules.ordered
        if gold.kind == "tuple":
            if answer.kind == "set" or not views.brackets_agree(answer, gold, self.scalars):
                return False
            return self.matched(ours, theirs) if ordered is False else self.all_equal(ours, theirs)
        if answer.kind == "tuple" or ordered:
            return self.matched(ours, theirs) if ordered is False else self.all_equal(ours, theirs)
        if "set" in (answer.kind, gold.kind) and len(ours) <= MAX_MATCHED and len(theirs) <= MAX_MATCHED:
            ours, theirs = self.distinct(ours), self.distinct(theirs)
        return self.matched(ours, theirs)

    def _same_sequence(
        self, ours: tuple[tree.Node, ...], theirs: tuple[tree.Node, ...], unordered: bool = False
    ) -> bool:
        """Whether items agree, some of which an ellipsis leaves out."""
        split, split_gold = sequences.split_at_dots(ours), sequences.split_at_dots(theirs)
        if split is not None and split_gold is not None:
            heads = sequences.heads_agree(split[0], split_gold[0], self.scalars)
            return heads and self.all_equal(split[1], split_gold[1])
        ours = sequences.without_dots(ours, self.scalars) or ours
        theirs = sequences.without_dots(theirs, self.scalars) or theirs
        return self.matched(ours, theirs) if unordered else self.all_equal(ours, theirs)

    def regions(self, answer: tree.Node, gold: tree.Node) -> Equality | None:
        """Sets of real numbers; None where the gold is none."""
        theirs = sets.region(gold, self.scalars)
        if theirs is None:
            listed = sequences.written_out(gold, self.scalars)
            ours_listed = sequences.written_out(answer, self.scalars)
            if listed is not None or ours_listed is not None:
                return self.judge(ours_listed or answer, listed or gold)
            return self.structure(answer, gold) if not isinstance(gold, tree.Relation) else None
        ours = sets.region(answer, self.scalars)
        if ours is None:
            listed = sequences.written_out(answer, self.scalars)
            if listed is not None and not isinstance(gold, tree.SetBuilder | tree.SetOp):
                return self.judge(listed, gold)
            return _no("the set differs")
        return _YES if sets.same_region(ours, theirs, self.scalars) else _no("the set differs")

    def relation(self, answer: tree.Node, gold: tree.Relation) -> Equality:
        """A gold that is an equation, an inequality, a congruence."""
        known = relations.solved(gold)
        if not isinstance(answer, tree.Relation):
            if known is not None:
                return self.judge(answer, known[1])
            value = relations.named_value(gold)
            return _no("an equation or inequality is asked for") if value is None else self.judge(answer, value)
        if known is not None and closed(known[1]):
            found = relations.solved(answer)
            if found is None and answer.ops == ("=",):
                found = sets.root_of_shift(answer.operands[0], answer.operands[1], self.scalars)
            if found is not None:
                return self.judge(found[1], known[1]) if found[0] == known[0] else _no("the variable is another one")
            if isinstance(answer.operands[0], tree.Sym) and answer.operands[0].name == known[0]:
                return self.statement(answer, known[1])
            return _no("the equation is not solved")
        if relations.same_function(answer, gold):
            return self.judge(answer.operands[1], gold.operands[1])
        verdict = relations.equivalent(answer, gold, self.scalars)
        if verdict is None:
            return self.structure(answer, gold)
        if verdict:
            return _YES
        if len(answer.ops) > len(gold.ops) and gold.ops == ("=",) and same(answer.operands[0], gold.operands[0]):
            told = relations.stated(answer, gold.operands[1])
            if told and all(self.equal(part, gold.operands[1]) for part in told):
                return _YES
        return _no("the relation is not equivalent")

    def statement(self, answer: tree.Relation, gold: tree.Node) -> Equality:
        """``x = 5``, ``f(x) = x + 1``, ``1/2 = 0.5`` for a gold that is a value."""
        if answer.modulus is not None:
            value, modulus = (rational(part, self.meter) for part in (answer.operands[-1], answer.modulus))
            if not answer.ops:  # 5 mod 3, the remainder
                if value is None or not modulus:
                    return _no("a remainder is given")
                return self.judge(tree.Num(value % modulus), gold)
            return self.judge(answer.operands[-1], gold)
        told = relations.stated(answer, gold)
        if not told:
            return _no("a value is asked for")
        if len(told) == 1:
            return self.judge(told[0], gold)
        exact = len(told)
        while exact > 1 and answer.ops[len(answer.ops) - 1 - (len(told) - exact)] == "≈":
            exact -= 1
        for part in told[:exact]:
            if not self.equal(part, gold):
                return _no("the value differs")
        return _YES if all(self._rough(part, gold) for part in told[exact:]) else _no("the value differs")

    def _rough(self, answer: tree.Node, gold: tree.Node) -> bool:
        """Whether a value after ≈ is the gold rounded to the digits written, or within 1 % of it if not decimal."""
        tolerance = 0.01
        shown = answer
        while isinstance(shown, tree.Neg | tree.Percent | tree.Quantity):
            shown = children(shown)[0]
        if isinstance(shown, tree.Num) and 0 < abs(shown.value) < 10**40:
            places = shown.places
            if places is None and shown.value.denominator == 1:
                digits = str(abs(shown.value.numerator))  # 12000 for 12345
                significant = len(digits.rstrip("0"))
                places = significant - len(digits) if significant > 1 else 0
            unit = Fraction(10) ** -max(-40, min(places or 0, 40))
            tolerance = min(0.06, float(unit / abs(shown.value)))
        return _Comparison(self.rules._replace(tolerance=max(self.rules.tolerance, tolerance))).equal(answer, gold)

    def cases(self, answer: tree.Node, gold: tree.Node) -> Equality:
        """Piecewise definitions: the same values under the same conditions, in any order."""
        ours, theirs = (views.branches(node, self.scalars) for node in (answer, gold))
        if ours is None or theirs is None or len(ours) != len(theirs):
            return _no("the cases differ")
        left = list(ours)
        for value, condition in theirs:
            for branch in left:
                if self._same_condition(branch[1], condition):
                    if not self.equal(branch[0], value):
                        return _no("the value of a case differs")
                    left.remove(branch)
                    break
            else:
                return _no("the conditions of the cases differ")
        return _YES

    def _same_condition(self, answer: tree.Node | sets.Region | None, gold: tree.Node | sets.Region | None) -> bool:
        if answer is None or gold is None:
            return answer is gold
        if isinstance(answer, sets.Region) or isinstance(gold, sets.Region):
            both = isinstance(answer, sets.Region) and isinstance(gold, sets.Region)
            return both and sets.same_region(answer, gold, self.scalars)  # type: ignore[arg-type]
        return self.equal(answer, gold)

    def ratios(self, answer: tree.Node, gold: tree.Node) -> Equality:
        """1:2:3; a ratio of two parts may be written as a fraction."""
        told = relations.stated(answer, gold) if isinstance(answer, tree.Relation) else None
        if told:
            answer = told[-1]
        pairs = [node.parts if isinstance(node, tree.Ratio) else None for node in (answer, gold)]
        ours, theirs = pairs
        if ours is None or theirs is None:
            parts = ours or theirs
            other = gold if theirs is None else answer
            if parts is None or len(parts) != 2 or not isinstance(other, _SCALARS):
                return _no("the ratio differs")
            quotient = tree.Div(*parts)
            return self.values(quotient, other) if ours is not None else self.values(other, quotient)
        if len(ours) != len(theirs):
            return _no("the ratio differs")
        if any(rational(part, self.meter) == 0 for part in (*ours, *theirs)):
            return self._verdict(self.all_equal(ours, theirs))
        first, first_gold = ours[0], theirs[0]
        scaled = all(
            self.values(tree.Mul((part, first_gold)), tree.Mul((part_gold, first))).equal
            for part, part_gold in zip(ours[1:], theirs[1:], strict=True)
        )
        return _YES if scaled else _no("the ratio differs")

    def values(self, answer: tree.Node, gold: tree.Node) -> Equality:
        """Numbers and expressions, with or without units and percent signs."""
        if not isinstance(answer, views.VALUES) or not isinstance(gold, views.VALUES) or views.opaque(answer, gold):
            return self.structure(answer, gold)
        verdict = views.same_antiderivative(answer, gold, self.scalars)
        if verdict is not None:
            return _YES if verdict else _no("it is not that antiderivative")
        answer = views.constant_renamed(answer, gold)
        if (views.vanishing(answer) or views.vanishing(gold)) and symbols(answer).keys() != symbols(gold).keys():
            return _no("the unit is another one")
        part, part_gold = measured.percent_of(answer), measured.percent_of(gold)
        alike = (part is None) != (part_gold is None) and self.scalars.equal(part or answer, part_gold or gold)
        if alike and (part is None or self._at_least_one(part)):
            return _YES
        ours, theirs = measured.measure(answer, self.meter), measured.measure(gold, self.meter)
        if ours is None or theirs is None:
            return _no("units of different kinds are added")
        reason = measured.equal_measures(ours, theirs, self.scalars, self.rules.units == "required")
        return _no(reason) if reason else _YES

    def _at_least_one(self, node: tree.Node) -> bool:
        """Whether a closed number is 1 or more in size: nobody writes 0.25% for 0.25."""
        value = self.scalars.real(node) if closed(node) else None
        return value is not None and abs(value) >= 1

    def structure(self, answer: tree.Node, gold: tree.Node) -> Equality:
        """What has no value of its own is compared part by part; sums, products and unions in any order."""
        differs = _no("the answer is of another kind" if type(answer) is not type(gold) else "the parts differ")
        if type(answer) is not type(gold) or views.heading(answer) != views.heading(gold):
            return differs
        parts, parts_gold = children(answer), children(gold)
        if not parts_gold:
            return differs
        loose = isinstance(gold, tree.Add | tree.Mul | tree.Set | tree.Junction | tree.List) or (
            isinstance(gold, tree.SetOp) and gold.op in _LOOSE
        )
        if views.has_dots(parts) or views.has_dots(parts_gold):
            return _YES if self._same_sequence(parts, parts_gold) else differs
        if loose:
            return _YES if self.matched(parts, parts_gold) else differs
        return _YES if self.all_equal(parts, parts_gold) else differs


_LOOSE = ("union", "intersection")


def _augment(i: int, fits: list[list[bool]], partner: dict[int, int], seen: set[int]) -> bool:
    """Find a gold for answer i, moving others if needed (augmenting paths)."""
    for j, fit in enumerate(fits[i]):
        if fit and j not in seen:
            seen.add(j)
            if j not in partner or _augment(partner[j], fits, partner, seen):
                partner[j] = i
                return True
    return False


class _Asking(Scalars):
    """Scalars that ask sympy about what they cannot tell."""

    def __init__(self, meter: Meter, rules: Rules) -> None:
        super().__init__(meter, rules.tolerance)
        self.algebra = rules.algebra
        self.questions = 0

    def equal(self, answer: tree.Node, gold: tree.Node) -> bool:
        try:
            return super().equal(answer, gold)
        except Unresolved as problem:
            hopeless = isinstance(problem, TooLarge) or self.questions >= MAX_QUESTIONS
            if hopeless or not self.algebra or self.tolerance:
                raise
            self.questions += 1
            from turnwise.verifiers.math.compare.algebra import ask

            verdict = ask(answer, gold)
            if verdict is None:
                raise
            return verdict


def near(shown: tree.Node, exact: tree.Node) -> bool:
    """Whether a value is another one rounded; a unit may stand beside one of them alone."""
    exact = exact.operands[-1] if isinstance(exact, tree.Relation) else exact
    shown, exact = (node.value if isinstance(node, tree.Quantity) else node for node in (shown, exact))
    if isinstance(exact, tree.Mul) and isinstance(exact.factors[-1], tree.Quantity):
        exact = exact._replace(factors=(*exact.factors[:-1], exact.factors[-1].value))
    return bool(compare(shown, exact, Rules(tolerance=0.01)).equal)
