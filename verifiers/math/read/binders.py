r"""Sums, products, limits and integrals: what binds a variable."""

from fractions import Fraction

from turnwise.verifiers.math.read.building import as_symbol
from turnwise.verifiers.math.read.cursor import VARIABLES, Cursor, NotMath
from turnwise.verifiers.math.values.tree import Add, Call, Const, Div, Mul, Node, Num, Relation, Sym
from turnwise.verifiers.math.values.walk import rebuilt

__all__ = ["INTEGRALS", "Binders"]

INTEGRALS = {"int": 1, "oint": 1, "iint": 2, "iiint": 3}
_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")
_UNBOUNDED = Const("dots")


class Binders(Cursor):
    """The rules for what binds a variable."""

    def big(self, name: str) -> Node:
        """A sum or product after its sign."""
        low, high = self.bounds()
        if not isinstance(low, Relation) or low.ops != ("=",) or high is None:
            raise NotMath(name)
        index = low.operands[0]
        index = Sym("i") if index == Const("i") else index
        if not isinstance(index, Sym):
            raise NotMath(name)
        body = self.term(self.at)
        if index.name == "i":
            body = as_symbol(body)
        return Call("sum" if name == "sum" else "product", (index, low.operands[1], high, body))

    def bounds(self) -> tuple[Node | None, Node | None]:
        """What stands below and above a big sign."""
        low: Node | None = None
        high: Node | None = None
        while self.is_op("_", "^"):
            below = self.next().value == "_"
            negative = not below and self.is_op("-")
            if negative:
                raise NotMath("a sign above a big sign without braces")
            value = self.argument() if self.is_op("{") or below else self.atom()
            low, high = (value, high) if below else (low, value)
        return low, high

    def limit(self) -> Node:
        r"""``\lim_{x \to a} f`` after its sign; from which side is part of the limit."""
        self.expect("_")
        self.expect("{")
        variable = self.atom()
        variable = Sym("i") if variable == Const("i") else variable
        if not isinstance(variable, Sym) or self.relation_here() != "→":
            raise NotMath("a limit")
        self.next()
        target = self.sided() or self.sum()
        self.expect("}")
        return Call("limit", (variable, target, self.term(self.at)))

    def sided(self) -> Node | None:
        """``0^{+}``: a number and the side from which it is approached; None where no side is written."""
        marks = [self.peek(n).value for n in range(1, 5)]
        if self.token.kind not in ("num", "name") or marks[0] != "^":
            return None
        braced = marks[1] == "{"
        side = marks[2] if braced else marks[1]
        if side not in ("+", "-") or marks[3 if braced else 2] != "}":
            return None
        value = self.atom()
        for _ in range(4 if braced else 2):
            self.next()
        return Call("apply", (Sym("from above" if side == "+" else "from below"), value))

    def integral(self, name: str) -> Node:
        r"""``\int_a^b f \, dx`` after its sign; several signs in one have no bounds."""
        low, high = self.bounds()
        if (low is None) != (high is None) and name == "int":
            raise NotMath("an integral with one bound")
        start, place = self.at, self.differential()
        if place is None:  # \int \frac{dx}{x}
            body, variables = _without_differential(self.term(start))
        else:
            closing, self.tokens[place] = self.tokens[place], self.tokens[place]._replace(kind="end")
            self.token = self.tokens[self.at]
            body = self.sum() if self.at < place else Num(Fraction(1))
            self.tokens[place] = closing
            if self.at != place:
                raise NotMath("an integrand")
            self.token = self.tokens[self.at]
            variables = []
            while self.differential_here(self.at):
                self.next()
                variables.append(self.variable())
        if len(variables) != INTEGRALS[name]:
            raise NotMath("a differential")
        region: tuple[Node, ...] = (low or _UNBOUNDED, high or _UNBOUNDED)
        for variable in variables:
            body = Call("integral", (variable, *region, body))
        return body

    def variable(self) -> Sym:
        """The variable of a differential."""
        found = self.atom()
        if not isinstance(found, Sym):
            raise NotMath("a differential")
        return found

    def differential(self) -> int | None:
        """The token at which the differential of the integral that has just begun stands; None if in a fraction."""
        depth = inner = 0
        for n in range(self.at, len(self.tokens)):
            token = self.tokens[n]
            if token.kind == "cmd" and token.value in INTEGRALS:
                inner += INTEGRALS[token.value]
            elif token.kind in ("op", "cmd") and token.value in _OPENERS:
                depth += 1
            elif token.kind in ("op", "cmd") and token.value in _CLOSERS:
                depth -= 1
                if depth < 0:
                    return None
            elif not depth and self.differential_here(n):
                if not inner:
                    return n
                inner -= 1
        return None

    def differential_here(self, n: int) -> bool:
        """Whether ``dx`` begins at a token."""
        token, after = self.tokens[n], self.tokens[min(n + 1, len(self.tokens) - 1)]
        if token.kind != "name" or token.value != "d":
            return False
        return after.kind == "name" or (after.kind == "cmd" and after.value in VARIABLES)


def _without_differential(body: Node) -> tuple[Node, list[Sym]]:
    """An integrand that has its differential inside: dx/x."""
    found: list[Sym] = []

    def change(part: Node) -> Node | None:
        match part:
            case Div(Mul((*before, Sym("d"), Sym() as variable)), bottom):
                found.append(variable)
                return Div(_product(before), bottom)
            case Mul((Div(Mul((*before, Sym("d"), Sym() as variable)), bottom), *rest)):
                found.append(variable)
                return _product([Div(_product(before), bottom), *rest])
            case Add():
                return part
        return None

    return rebuilt(body, change), found


def _product(factors: list[Node]) -> Node:
    return Mul(tuple(factors)) if len(factors) > 1 else factors[0] if factors else Num(Fraction(1))
