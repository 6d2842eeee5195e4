r"""Tokens to a tree, by recursive descent with bounds.

Precedence, loosest first: ``,`` ``;`` ``and`` ``or``; relations; ``∪ ∩ ∖``; ``:``; ``+ - ±``; ``* /`` and
juxtaposition; sign; power; ``! % °``. Juxtaposition binds like ``*``: ``1/2x`` is ``(1/2)x``.
"""

import re
from fractions import Fraction
from itertools import pairwise

from turnwise.verifiers.math.read.brackets import Brackets
from turnwise.verifiers.math.read.building import (
    added,
    continued,
    family,
    illustrates,
    joined_by,
    multiplied,
    negated,
    number_of,
    scaled,
    signed,
    with_unit_of_all,
)
from turnwise.verifiers.math.read.cursor import (
    BASE_WORDS,
    FRACTIONS,
    NUMBER_SETS,
    RELATIONS,
    SET_OPS,
    STARTERS,
    USUAL,
    VARIABLES,
    NotMath,
    Reading,
)
from turnwise.verifiers.math.read.lexer import Token, tokens
from turnwise.verifiers.math.read.names import Names
from turnwise.verifiers.math.read.quantities import Quantities
from turnwise.verifiers.math.read.tables import Tables
from turnwise.verifiers.math.values import tree

__all__ = ["NotMath", "Reading", "parse"]

MAX_PLACES = 100  # of a number in a base
_TIMES = {"*", "times", "cdot", "ast", "star", "bullet"}
_OPERATORS = frozenset({"Var", "Cov", "Corr", "SD", "tr", "Tr", "rank", "rk", "dim", "span", "grad", "div", "curl"})
_OVER = {"/", "div"}


def parse(text: str, reading: Reading = USUAL) -> tuple[tree.Node, set[str]]:
    """The tree of a text that `turnwise.verifiers.math.read.spelling.plain` has seen, and which readings mattered.

    Raises:
        NotMath: It is outside the grammar.
        ReadError: It is past the bounds.
    """
    parser = _Parser(text, tokens(text, in_list=reading.commas == "list"), reading)
    node = parser.listing()
    if parser.token.kind != "end":
        raise NotMath(parser.token.value)
    return node, parser.ambiguous


def _names(node: tree.Node) -> bool:
    """Whether the left side of a relation names the right one: x, f(x)."""
    return isinstance(node, tree.Sym) or (isinstance(node, tree.Call) and node.name == "apply")


_PLAIN_FRACTION = re.compile(
    r"\\[dtc]?frac\s*(?:\{\s*([0-9]{1,30})\s*\}|([0-9]))\s*(?:\{\s*([0-9]{1,30})\s*\}|([0-9]))"
)


class _Parser(Names, Brackets, Tables, Quantities):
    """Lists, relations and arithmetic; the other rules are inherited."""

    def listing(self) -> tree.Node:
        """Clauses with separators between them, up to a closer or the end."""
        self.deeper()
        parts: list[tree.Node] = []
        conditions: list[tuple[bool, tree.Node | None]] = []
        joined: set[str] = set()
        groups: list[int] = []  # numbers of parts before each semicolon
        while True:
            if parts and self.tokens[self.at - 1].value == ";" and self.depth == 1:
                groups.append(len(parts))
            parts.append(self.clause())
            conditions.append(self.condition())
            separator = self.separator()
            if not separator:
                break
            joined |= separator
            if self.token.kind == "end" and joined <= {","}:
                break
        self.depth -= 1
        if any(given for given, _ in conditions):
            return self.with_conditions(parts, conditions)
        if groups and len(groups) + 1 < len(parts):  # p = 5, q = 2; p = 7, q = 2
            edges = [0, *groups, len(parts)]
            pieces = [parts[a:b] for a, b in pairwise(edges)]
            return tree.List(tuple(tree.Seq(tuple(piece)) if len(piece) > 1 else piece[0] for piece in pieces))
        return joined_by(parts, joined)

    def separator(self) -> set[str]:
        found: set[str] = set()
        while True:
            if self.is_op(",", ";") or (self.is_cmd("\\") and not self.table) or self.is_cmd("quad", "qquad"):
                found.add(",")
            elif self.is_word("and") or self.is_cmd("land", "wedge") or self.is_op("&&"):
                found.add("and")
            elif self.is_word("or") or self.is_cmd("lor", "vee") or self.is_op("||"):
                found.add("or")
            else:
                return found
            self.next()

    def condition(self) -> tuple[bool, tree.Node | None]:
        if self.is_op(",", ";") and self.peek().kind == "word" and self.peek().value in ("if", "where", "otherwise"):
            self.next()
        if self.is_word("otherwise"):
            self.next()
            return True, None
        if self.is_word("if", "where") or self.is_cmd("forall"):
            self.next()
            first = self.clause()
            while self.is_word("and") and self.peek(2).kind == "op":  # x > 0 and x < 1
                self.next()
                first = tree.Junction("and", (first, self.clause()))
            return True, first
        return False, None

    def with_conditions(self, parts: list[tree.Node], conditions: list[tuple[bool, tree.Node | None]]) -> tree.Node:
        if len(parts) == 1 and conditions[0][1] is not None:
            return family(parts[0], conditions[0][1])
        if all(given for given, _ in conditions):
            return tree.Cases(tuple((part, condition) for part, (_, condition) in zip(parts, conditions, strict=True)))
        if not any(given for given, _ in conditions[:-1]) and conditions[-1][1] is not None:
            return family(tree.List(tuple(parts)), conditions[-1][1])
        raise NotMath("conditions")

    def relation_here(self) -> str | None:
        token = self.token
        if (
            token.kind == "op"
            or token.kind == "cmd"
            or (
                token.kind == "word"
                and (token.value in ("equals", "is") or (token.value == "in_word" and self.peek().value in "([{"))
            )
        ):
            if token.value == "mid" and self.builder:
                return None
            if token.value == "not" and token.kind == "cmd":
                return {"=": "≠", "in": "∉"}.get(self.peek().value)
            return RELATIONS.get(token.value)
        return None

    def clause(self) -> tree.Node:
        if self.relation_here() in ("=", "≈"):  # "= 5", "≈ 3.14"
            self.next()
        operands = [self.operand()]
        ops: list[str] = []
        while (op := self.relation_here()) is not None:
            if self.token.value == "not":
                self.next()
            self.next()
            if not ops and self.token.kind == "end":
                raise NotMath("nothing after a relation")
            ops.append(op)
            operand = self.operand()
            if op in ("∈", "∉", "⊂", "⊆") and isinstance(operand, tree.Sym) and operand.name in NUMBER_SETS:
                operand = tree.Const(NUMBER_SETS[operand.name])
            operands.append(operand)
        while ops and ops[-1] == "≈":  # what follows ≈ only illustrates
            if (
                len(ops) == 1
                and _names(operands[0])
                and isinstance(operands[1], (tree.Num, tree.Quantity, tree.Percent))
            ):
                ops = ["="]
                break
            if not illustrates(operands[-1], operands[-2]):
                raise NotMath("an approximation of another value")
            ops.pop()
            operands.pop()
        modulus = self.modulus()
        if not ops and modulus is None:
            return operands[0]
        return tree.Relation(tuple(operands), tuple(ops), modulus)

    def modulus(self) -> tree.Node | None:
        if self.is_op("(") and (self.peek().value in ("mod", "bmod")):
            self.next()
            self.next()
            value = self.sum()
            self.expect(")")
            return value
        if self.is_cmd("pmod"):
            self.next()
            return self.argument()
        if self.is_cmd("mod", "bmod") or self.is_word("mod"):
            self.next()
            return self.sum()
        return None

    def operand(self) -> tree.Node:
        value = self.ratio()
        while self.token.kind in ("cmd", "word") and self.token.value in SET_OPS:
            op = SET_OPS[self.next().value]
            right = self.ratio()
            same = isinstance(value, tree.SetOp) and value.op == op and op != "minus"
            value = tree.SetOp(op, (*value.args, right) if same and isinstance(value, tree.SetOp) else (value, right))
        return value

    def ratio(self) -> tree.Node:
        value = self.sum()
        if not (self.is_op(":") or self.is_cmd("colon") or self.is_word("ratio_to")) or (
            self.builder and not self.is_word("ratio_to")
        ):
            return value
        parts = [value]
        while self.is_op(":") or self.is_cmd("colon") or self.is_word("ratio_to"):
            self.next()
            parts.append(self.sum())
        return tree.Ratio(tuple(parts))

    def sum(self) -> tree.Node:
        self.deeper()
        start = self.at
        sign = self.sign()
        value = signed(sign, self.term(start))
        while True:
            if self.is_op("+") or self.is_word("plus"):
                self.next()
                value = added(value, self.signed_term(start))
            elif self.is_op("-") or self.is_word("minus"):
                self.next()
                value = added(value, negated(self.signed_term(start)))
            elif self.is_cmd("pm", "mp"):
                op = "±" if self.next().value == "pm" else "∓"
                value = tree.PlusMinus(value, self.signed_term(start), op)
            else:
                break
        self.depth -= 1
        return with_unit_of_all(value)

    def signed_term(self, start: int) -> tree.Node:
        return signed(self.sign(), self.term(start))

    def sign(self) -> str:
        """The signs before a term: "+", "-", "±" or "∓"."""
        sign = "+"
        while True:
            if self.is_op("+"):
                if self.peek().value == "-" and not self.peek().spaced:
                    self.next()  # +-
                    self.next()
                    sign = "±"
                    continue
                if self.peek().value == "/" and self.peek(2).value == "-":
                    self.next(), self.next(), self.next()
                    sign = "±"
                    continue
            elif self.is_op("-") or self.is_word("minus"):
                sign = "+" if sign == "-" else "-"
            elif self.is_cmd("pm"):
                sign = "±"
            elif self.is_cmd("mp"):
                sign = "∓"
            else:
                return sign
            self.next()

    def term(self, start: int) -> tree.Node:
        """A product; ``start``: where the item begins, to know whether variables stand before a unit."""
        value = self.power()
        while True:
            token = self.token
            if token.kind in ("op", "cmd", "word") and (
                token.value in _TIMES or (token.kind == "word" and token.value == "times")
            ):
                self.next()
                value = multiplied(value, self.signed_power())
            elif (token.kind in ("op", "cmd") and token.value in _OVER) or self.is_word("over"):
                self.next()
                value = tree.Div(value, self.signed_power())
            elif token.kind == "name" and token.value in "xX" and self.between_numbers():
                self.next()  # 1.5 x 10^3
                value = multiplied(value, self.signed_power())
            elif token.kind == "word" and token.value.isdigit():  # 5 million
                self.next()
                value = multiplied(value, tree.Num(Fraction(int(token.value))))
            elif (token.kind == "func" and token.value == "choose") or (
                token.kind == "cmd" and token.value == "choose"
            ):
                self.next()
                value = tree.Call("binomial", (value, self.power()))
            elif token.kind == "word" and token.value in ("squared", "cubed"):
                self.next()
                value = tree.Pow(value, tree.Num(Fraction(2 if token.value == "squared" else 3)))
            elif (quantity := self.quantity(value, start)) is not None:
                value = quantity
            elif mixed := self.mixed_number(value):
                value = self.marked(mixed)
            elif self.factor_here():
                if isinstance(value, tree.Num) and token.kind == "num":
                    raise NotMath("two numbers side by side")
                value = multiplied(value, self.power())
            else:
                return value

    def signed_power(self) -> tree.Node:
        sign = self.sign()
        return signed(sign, self.power())

    def between_numbers(self) -> bool:
        before = self.tokens[self.at - 1] if self.at else self.token
        return (
            before.kind == "num"
            and self.peek().kind == "num"
            and (self.token.spaced or self.peek().value.startswith("10"))
        )

    def mixed_number(self, value: tree.Node) -> tree.Node | None:
        r"""``3\frac{1}{2}`` or ``3 1/2`` as 3 + 1/2, where a whole number was just read."""
        if (
            not isinstance(value, tree.Num)
            or value.places is not None
            or value.value.denominator != 1
            or self.tokens[self.at - 1].kind != "num"
        ):
            return None
        if self.is_cmd(*FRACTIONS) and (match := _PLAIN_FRACTION.match(self.text, self.token.start)) is not None:
            top, bottom = number_of(match[1] or match[2]), number_of(match[3] or match[4])
            end = next(n for n in range(self.at, len(self.tokens)) if self.tokens[n].start >= match.end())
            if self.tokens[end - 1].end == match.end() and 0 < top.value < bottom.value:
                self.at = end
                self.token = self.tokens[end]
                return tree.Add((value, tree.Div(top, bottom)))
            return None
        if self.token.kind == "num" and self.token.spaced and self.peek().value == "/" and self.peek(2).kind == "num":
            top, bottom = number_of(self.token.value), number_of(self.peek(2).value)
            if top.places is None and bottom.places is None and 0 < top.value < bottom.value:
                self.next(), self.next(), self.next()
                return tree.Add((value, tree.Div(top, bottom)))
        return None

    def factor_here(self) -> bool:
        token = self.token
        if token.kind in ("num", "name", "const", "func"):
            return not (token.kind == "func" and token.value == "choose")
        if token.kind == "op":
            if token.value == "(":
                return self.peek().value not in ("mod", "bmod")
            if token.value == "[" and self.at and self.tokens[self.at - 1].value == "]":
                return False  # no subscripts
            if token.value == "[":  # [0, 1[
                after = self.peek()
                return not (after.kind == "end" or after.value in (",", ")", "]", ";", "cup", "cap", "union"))
            return token.value == "{" or (token.value == "|" and not self.bars and not self.builder)
        if token.kind == "cmd":
            return token.value in STARTERS or token.value.lower() in VARIABLES
        return False

    def power(self) -> tree.Node:
        value = self.postfix(self.atom())
        if not (self.is_op("^", "**")):
            return value
        self.next()
        if self.take("circ", "degree") or self.circle_group():
            return self.postfix(self.degrees(value))
        if self.take("prime"):
            return self.postfix(tree.Call("prime", (value,)))
        if isinstance(value, tree.Const) and self.take("*", "+", "-"):  # a mark of a set, not a power
            return tree.Const("naturals") if value.name == "integers" else value
        exponent = self.exponent()
        if isinstance(value, tree.Sym) and self.is_op("_"):  # v^2_0
            value = self.indexed(value.name)
        if isinstance(value, tree.Const) and value.name in NUMBER_SETS.values() and isinstance(exponent, tree.Num):
            count = int(exponent.value) if exponent.value.denominator == 1 else 0
            if not 1 <= count <= 9:
                raise NotMath("a power of a set")
            return tree.SetOp("times", (value,) * count) if count > 1 else value
        if isinstance(value, tree.Call) and value.name == "prime" and len(value.args) == 1:
            return tree.Call("prime", (tree.Pow(value.args[0], exponent),))
        return self.postfix(tree.Pow(value, exponent))

    def circle_group(self) -> bool:
        r"""Whether ``{\circ}`` stands here; it is taken then."""
        if self.is_op("{") and self.peek().value in ("circ", "degree") and self.peek(2).value == "}":
            self.next(), self.next(), self.next()
            return True
        return False

    def exponent(self) -> tree.Node:
        self.deeper()
        sign = self.sign()
        if self.is_op("{"):
            value = self.argument()
        else:
            script = self.token.kind == "num" and self.peek().value == "_"  # v^2_0: the subscript is that of v
            value = number_of(self.next().value) if script else self.atom()
            if self.is_op("^", "**"):
                self.next()
                value = tree.Pow(value, self.exponent())
        self.depth -= 1
        return signed(sign, value)

    def postfix(self, value: tree.Node) -> tree.Node:
        while True:
            if self.is_op("!") and not (self.peek().value == "=" and not self.peek().spaced):
                self.next()
                double = self.is_op("!")
                if double:
                    self.next()
                value = tree.Call("double_factorial" if double else "factorial", (value,))
            elif self.is_op("%") or self.is_cmd("%") or self.is_word("percent"):
                self.next()
                value = tree.Percent(value)
            elif self.is_cmd("degree") or self.is_word("degree"):
                self.next()
                value = self.degrees(value)
            elif self.is_op("'"):
                self.next()
                value = tree.Call("prime", (value,))
            else:
                return value

    def atom(self) -> tree.Node:
        token = self.token
        kind = token.kind
        if kind == "num":
            self.next()
            return self.number(token)
        if kind == "name":
            self.next()
            return self.named(token.value)
        if kind == "const":
            self.next()
            return tree.Const(token.value)
        if kind == "func":
            self.next()
            return self.function(token.value)
        if kind == "op":
            return self.bracketed(token.value)
        if kind == "cmd":
            return self.command(token.value)
        if kind == "word" and token.value in _OPERATORS and self.peek().value in "([":
            self.next()
            return tree.Call("apply", (tree.Sym(token.value), *(self.arguments() or ())))
        if kind == "word" and token.value == "oo":
            self.next()
            return tree.Const("inf")
        raise NotMath(token.value)

    def number(self, token: Token) -> tree.Node:
        value = number_of(token.value)
        if self.is_op("_"):
            base = self.subscript()
            number = BASE_WORDS.get(base.lower()) or (int(base) if base.isdigit() and len(base) < 3 else 0)
            written, places = token.value.replace(".", ""), value.places or 0
            if not 2 <= number <= 36 or places > MAX_PLACES or any(int(c) >= number for c in written):
                raise NotMath("a subscript of a number")
            return tree.Base(Fraction(int(written, number), number**places), number)
        after = self.token
        if after.kind == "name" and after.value in "eE" and not after.spaced:  # 1.5e3
            sign, digits = self.peek(), self.peek()
            if sign.kind == "op" and sign.value in "+-" and not sign.spaced:
                digits = self.peek(2)
            if digits.kind == "num" and not digits.spaced and digits.value.isdigit() and len(digits.value) < 4:
                self.next()
                if sign is not digits:
                    self.next()
                self.next()
                exponent = -int(digits.value) if sign.value == "-" else int(digits.value)
                return scaled(value, exponent) or value
        goes_on = self.is_op("...") or self.is_cmd("dots", "ldots", "cdots", "dotsc")
        if goes_on and value.places and not self.token.spaced:  # 0.333...
            self.next()
            return continued(token.value)
        return value
