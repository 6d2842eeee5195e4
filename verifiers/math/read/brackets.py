"""What stands in brackets: tuples, intervals, sets, groups, absolute values, arguments."""

from fractions import Fraction

from turnwise.verifiers.math.read.building import number_of
from turnwise.verifiers.math.read.cursor import BASE_WORDS, Cursor, NotMath
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.units import read_unit

__all__ = ["Brackets"]


class Brackets(Cursor):
    """The rules for brackets."""

    def bracketed(self, value: str) -> tree.Node:
        if value in ("(", "["):
            return self.sequence(value)
        if value == "]":  # ]1, 2[
            self.next()
            inside = self.listing()
            right = self.expect("[", "]")
            if not isinstance(inside, tree.List) or len(inside.items) != 2:
                raise NotMath("a bracket")
            return tree.Seq(inside.items, "(", ")" if right == "[" else "]")
        if value == "{":
            return self.set_or_group()
        if value == "|" or value == "||":
            return self.absolute(value)
        if value == "...":
            self.next()
            return tree.Const("dots")
        if value == "$" or (not value.isascii() and read_unit(value) is not None):
            self.next()
            return self.amount(value)
        if value == "?":
            raise NotMath(value)
        raise NotMath(value)

    def sequence(self, left: str) -> tree.Node:
        first = self.at
        self.next()
        self.deeper()
        bars, self.bars = self.bars, 0
        builder, self.builder = self.builder, 0
        inside = self.listing()
        self.bars, self.builder = bars, builder
        right = self.expect(")", "]", "[")
        self.depth -= 1
        if right == "[":
            right = ")"
        items = inside.items if isinstance(inside, tree.List) else (inside,)
        if left == "[" and len(items) > 0 and all(isinstance(x, tree.Seq) and x.left == "[" for x in items):
            rows = tuple(x.items for x in items if isinstance(x, tree.Seq))
            if len({len(row) for row in rows}) == 1:
                return tree.Matrix(rows)
        if left == "[" and right == "]" and all(_assigned(item) for item in items):  # [x = 1, y = 2]
            return tree.List(items) if len(items) > 1 else items[0]
        if len(items) == 1:
            if left == "[" and right == "]" and not isinstance(items[0], tree.Matrix):
                after, before = self.token, self.tokens[first - 1] if first else None
                closed = after.kind == "end" or after.value in (",", ";", ")", "]", "}", "=")
                if closed and (before is None or before.value in (",", ";", "(", "[", "{", "=")):
                    return tree.Seq(items, "[", "]")
            if left == "(" and right == ")" and self.is_op("_"):
                return self.based(first)
            return items[0]
        return tree.Seq(items, left, right)

    def based(self, first: int) -> tree.Node:
        """``(204)_5``."""
        inner = self.tokens[first + 1 : self.at - 1]
        base = self.subscript()
        number = BASE_WORDS.get(base.lower()) or (int(base) if base.isdigit() and len(base) < 3 else 0)
        digits = "".join(t.value for t in inner)
        try:
            bounded = 2 <= number <= 36 and len(digits) < 200
            return tree.Base(Fraction(int(digits, number)), number) if bounded else tree.Sym(digits)
        except ValueError as error:
            raise NotMath("digits in a base") from error

    def set_or_group(self) -> tree.Node:
        """``{...}`` without a command before it: a group in LaTeX, unless it has several items; a set in plain text."""
        if self.peek().value == "}":
            self.next(), self.next()
            if self.is_op("_") and self.peek(2).value == "C":
                raise NotMath("combinations")
            return tree.Const("empty")
        if self.peek().kind == "num" and self.peek(2).value == "}" and self.peek(3).value == "_":  # {1101}_2
            first, self.at = self.at, self.at + 3
            self.token = self.tokens[self.at]
            return self.based(first)
        self.next()
        before = self.tokens[self.at - 2] if self.at > 1 else None
        inner = (
            before is not None
            and before.kind != "end"
            and before.value not in ("=", ",", ";", "(", "[", "{", "in", "or", "and", "union", "intersection")
        )
        return self.set_content(("}",), group=inner or not self.braces_are_sets)

    def set_content(self, closers: tuple[str, ...], group: bool = False) -> tree.Node:
        self.deeper()
        bars, self.bars = self.bars, 0
        self.builder += 1
        inside = self.listing()
        self.builder -= 1
        node: tree.Node
        if self.is_cmd("over", "choose", "atop") and group:
            kind = self.next().value
            other = self.listing()
            node = tree.Div(inside, other) if kind == "over" else tree.Call("binomial", (inside, other))
        elif self.take("|", "mid", ":", "vert", "colon"):
            node = tree.SetBuilder(inside, self.listing())
        elif isinstance(inside, tree.List):
            node = tree.Set(inside.items)
        else:
            node = inside if group else tree.Set((inside,))
        self.bars = bars
        self.expect(*closers)
        self.depth -= 1
        if isinstance(node, tree.Set) and len(node.items) == 1 and self.is_op("^", "_") and closers == ("}",):
            return node.items[0]  # {2}^{3}
        return node

    def absolute(self, mark: str) -> tree.Node:
        self.next()
        self.deeper()
        builder, self.builder = self.builder, 0
        self.bars += 1
        value = self.sum()
        self.bars -= 1
        self.builder = builder
        self.expect(mark, "|", "vert", "rvert", "rVert", "Vert", "mid")
        self.depth -= 1
        return tree.Call("det", (value,)) if isinstance(value, tree.Matrix) else tree.Call("abs", (value,))

    def arguments(self) -> tuple[tree.Node, ...] | None:
        """The arguments in brackets or braces; None where there are none."""
        if self.is_op("(", "["):
            close = {"(": ")", "[": "]"}[self.next().value]
            bars, self.bars = self.bars, 0
            inside = self.listing()
            self.bars = bars
            self.expect(close)
            return inside.items if isinstance(inside, tree.List) else (inside,)
        if self.is_op("{") or self.is_cmd("{"):
            self.next()
            inside = self.listing()
            self.expect("}")
            return inside.items if isinstance(inside, tree.List) else (inside,)
        return None

    def argument(self) -> tree.Node:
        """One argument of a command: a braced group, or a single digit or symbol."""
        if self.is_op("{"):
            self.deeper()
            self.next()
            bars, self.bars = self.bars, 0
            value = self.listing()
            self.bars = bars
            if self.is_cmd("over", "choose", "atop"):
                kind = self.next().value
                other = self.listing()
                value = tree.Div(value, other) if kind == "over" else tree.Call("binomial", (value, other))
            self.expect("}")
            self.depth -= 1
            return value
        token = self.token
        if token.kind == "num" and len(token.value) > 1 and token.value.isdigit():
            self.token = token._replace(value=token.value[1:], start=token.start + 1, spaced=False)
            return number_of(token.value[0])
        return self.atom()


def _assigned(node: tree.Node) -> bool:
    return isinstance(node, tree.Relation) and node.ops == ("=",) and isinstance(node.operands[0], tree.Sym)
