"""Names, functions and commands."""

from fractions import Fraction

from turnwise.verifiers.math.read.binders import INTEGRALS, Binders
from turnwise.verifiers.math.read.building import multiplied, signed
from turnwise.verifiers.math.read.cursor import FRACTIONS, LETTERS, MARKS, NUMBER_SETS, VARIABLES, NotMath
from turnwise.verifiers.math.values import tree

__all__ = ["Names"]

_ARC = {"sin": "arcsin", "cos": "arccos", "tan": "arctan", "cot": "arccot", "sec": "arcsec", "csc": "arccsc",
        "sinh": "arsinh", "cosh": "arcosh", "tanh": "artanh"}  # fmt: skip
_MANY = frozenset({"gcd", "lcm", "min", "max", "binomial", "permutations"})


class Names(Binders):
    """The rules for names."""

    def named(self, name: str) -> tree.Node:
        if name == "e" and not self.is_op("_"):
            return tree.Const("e")
        if name == "i" and not self.is_op("_"):
            return tree.Const("i")
        while self.is_op("_"):
            name += f"_{self.subscript()}"
        function = name[0] in "fghFGH" and self.reading.calls == "apply"
        if function and self.is_op("^") and [self.peek(n).value for n in range(1, 6)] == ["{", "-", "1", "}", "("]:
            self.at += 5
            self.token = self.tokens[self.at]
            name += "^-1"
        if function and self.is_op("'"):
            primes = 1
            while self.peek(primes).value == "'":
                primes += 1
            if self.peek(primes).value == "(":
                self.at += primes
                self.token = self.tokens[self.at]
                name += "'" * primes
        if self.is_op("(") and (function or (name in ("P", "C", "A") and not self.token.spaced)):
            here = self.at, self.token
            self.next()
            inside = self.event() if name == "P" else self.listing()
            self.expect(")")
            args = inside.items if isinstance(inside, tree.List) else (inside,)
            if name in ("C", "P", "A") and len(args) == 2:
                return tree.Call("binomial" if name == "C" else "permutations", args)
            if function:
                self.ambiguous.add("calls")
            if function or (name == "P" and isinstance(args[0], tree.Relation | tree.SetOp)):  # P(X > 2)
                return tree.Call("apply", (tree.Sym(name), *args))
            self.at, self.token = here  # A(x + 1): a product
        return tree.Sym(name)

    def event(self) -> tree.Node:
        """What stands in P(...); a condition comes after a bar, and makes it a relation."""
        self.builder += 1
        inside = self.listing()
        if self.take("|", "mid", "vert"):
            inside = tree.Relation((inside, self.listing()), ("∣",))
        self.builder -= 1
        return inside

    def subscript(self) -> str:
        """The subscript that stands here, as text."""
        self.expect("_")
        if not self.is_op("{"):
            return self.next().value
        self.next()
        parts: list[str] = []
        while not self.is_op("}"):
            if self.token.kind == "end" or len(parts) > 20:
                raise NotMath("a subscript without end")
            value = self.next().value
            if value != "base":
                parts.append(value)
        self.next()
        text = "".join(parts)
        if "+" in text and all(part.isalnum() for part in text.split("+")):
            text = "+".join(sorted(text.split("+"), reverse=True))
        return text

    def function(self, name: str) -> tree.Node:
        self.deeper()
        value = self.function_inside(name)
        self.depth -= 1
        return value

    def function_inside(self, name: str) -> tree.Node:
        if name in ("sqrt", "surd", "cbrt", "fourthroot"):
            return self.root(name)
        if name in ("binom", "binomial") and not self.is_op("("):
            return tree.Call("binomial", (self.argument(), self.argument()))
        if name == "factorial" and not self.is_op("("):
            raise NotMath("factorial")
        exponent: tree.Node | None = None
        base: tree.Node | None = tree.Num(Fraction(10)) if name == "lg" else None
        while self.is_op("^", "_"):
            if self.is_op("_"):
                self.next()
                base = self.argument() if self.is_op("{") else self.atom()
            else:
                self.next()
                exponent = self.exponent()
        if (
            name == "log"
            and base is None
            and self.token.kind == "num"
            and not self.token.spaced
            and self.peek().value == "("
        ):
            base = self.atom()  # log2(8)
        if exponent is not None and exponent == tree.Num(Fraction(-1)) and name in _ARC:
            name, exponent = _ARC[name], None
        args = self.arguments()
        if args is None:
            args = (self.bare_argument(),)
        if name in _MANY:
            if len(args) == 1 and isinstance(args[0], tree.Set):
                args = args[0].items
            if name in ("binomial", "permutations") and len(args) != 2:
                raise NotMath(name)
        elif name == "log" and len(args) == 2 and base is None:
            argument, base = args
            args = (argument,)
        elif len(args) != 1:
            raise NotMath(f"{name} of {len(args)} arguments")
        if name in ("log", "lg"):
            if base is None:
                self.ambiguous.add("log")
                base = tree.Const("e") if self.reading.log == "e" else tree.Num(Fraction(10))
            result: tree.Node = tree.Call("log", (args[0], base))
        elif name == "cbrt":
            result = tree.Call("root", (args[0], tree.Num(Fraction(3))))
        elif name == "cis":
            result = tree.Add((tree.Call("cos", args), tree.Mul((tree.Const("i"), tree.Call("sin", args)))))
        elif name == "apply_P":
            result = tree.Call("apply", (tree.Sym("P"), *args))
        else:
            result = tree.Call(name, args)
        return tree.Pow(result, exponent) if exponent is not None else result

    def root(self, name: str) -> tree.Node:
        index: tree.Node = tree.Num(Fraction({"cbrt": 3, "fourthroot": 4}.get(name, 2)))
        if name == "sqrt" and self.is_op("["):
            self.next()
            index = self.sum()
            self.expect("]")
        if self.is_op("{"):
            inside = self.argument()
        elif self.is_op("("):
            self.next()
            inside = self.sum()
            if self.is_op(",") and name == "sqrt":
                raise NotMath("sqrt of two arguments")
            self.expect(")")
        else:
            inside = self.atom()
        return tree.Call("root", (inside, index))

    def bare_argument(self) -> tree.Node:
        """What a function without brackets is applied to: factors side by side, up to a sign or the next function."""
        sign = self.sign()
        value = self.power()
        while True:
            token = self.token
            if mixed := self.mixed_number(value):
                value = mixed
            elif token.kind in ("num", "name", "const") and not (token.kind == "num" and isinstance(value, tree.Num)):
                if token.kind == "name" and token.spaced and isinstance(value, tree.Quantity):
                    break
                value = multiplied(value, self.power())
            elif token.kind == "cmd" and (token.value.lower() in VARIABLES or token.value in FRACTIONS):
                value = multiplied(value, self.power())
            else:
                break
        if (
            self.is_op("/")
            and not self.token.spaced
            and not isinstance(value, (tree.Quantity,))
            and self.peek().kind == "num"
        ):
            self.next()  # sin pi/6
            value = tree.Div(value, self.power())
        return signed(sign, value)

    def command(self, name: str) -> tree.Node:
        self.next()
        if name in FRACTIONS:
            self.deeper()
            top = self.argument()
            bottom = self.argument()
            self.depth -= 1
            match top, bottom:
                case tree.Mul((tree.Sym("d"), tree.Sym() as function)), tree.Mul(
                    (tree.Sym("d"), tree.Sym() as variable)
                ):  # no quotient of products
                    return tree.Call("prime", (function, variable))
            return tree.Div(top, bottom)
        if name == "begin":
            return self.environment()
        if name in ("{", "lbrace"):
            if self.is_cmd("begin"):  # \left\{ \begin{array} ... \right.
                self.next()
                return self.environment(cases=True)
            if self.is_cmd("}", "rbrace"):
                self.next()
                return tree.Const("empty")
            return self.set_content(("}", "rbrace"))
        low = name.removeprefix("var")
        if low.lower() in VARIABLES:
            return self.indexed(low)
        if name in ("emptyset", "varnothing"):
            return tree.Const("empty")
        if name in ("dots", "ldots", "cdots", "dotsc", "dotsb", "vdots"):
            return tree.Const("dots")
        if name == "mathbb":
            letter = self.argument()
            found = NUMBER_SETS.get(letter.name) if isinstance(letter, tree.Sym) else None
            if found is None:
                raise NotMath("mathbb")
            return self.signed_set(found)
        if name in ("lfloor", "lceil"):
            value = self.sum()
            self.expect("rfloor" if name == "lfloor" else "rceil")
            return tree.Call("floor" if name == "lfloor" else "ceil", (value,))
        if name in ("lvert", "vert", "lVert", "Vert", "|", "mid"):
            self.at -= 1
            self.token = self.tokens[self.at]
            return self.absolute("|")
        if name == "langle":
            inside = self.listing()
            self.expect("rangle")
            return tree.Seq(inside.items if isinstance(inside, tree.List) else (inside,), "⟨", "⟩")
        if name in ("sum", "prod"):
            return self.big(name)
        if name == "lim":
            return self.limit()
        if name in INTEGRALS:
            return self.integral(name)
        if name in ("overline", "widehat", "angle", "triangle", "overleftrightarrow", "stackrel", "Delta", "odot"):
            inside = self.argument() if self.is_op("{") else self.atom()
            if not isinstance(inside, tree.Sym):
                if name == "overline" and not isinstance(inside, tree.Num):
                    return tree.Call("conj", (inside,))
            elif name == "overline" and len(inside.name) == 1 and inside.name.islower():
                return tree.Call("conj", (inside,))
            if not isinstance(inside, tree.Sym):
                raise NotMath(name)
            return tree.Sym(f"{name} {inside.name}")
        if name == "$":
            return self.amount("$")
        if name in ("boxed", "fbox"):
            return self.argument()
        if name in MARKS:
            return self.indexed(f"{name} {self.letter().name}")
        if name in LETTERS:
            return self.indexed(LETTERS[name])
        raise NotMath(f"the command {name}")

    def letter(self) -> tree.Sym:
        """The letter under an accent."""
        inside = self.argument() if self.is_op("{") else self.atom()
        if inside in (tree.Const("i"), tree.Const("e")):
            return tree.Sym(inside.name)
        if not isinstance(inside, tree.Sym):
            raise NotMath("an accent")
        return inside

    def indexed(self, name: str) -> tree.Sym:
        """A name with the subscripts that stand here."""
        while self.is_op("_"):
            name += f"_{self.subscript()}"
        return tree.Sym(name)

    def signed_set(self, name: str) -> tree.Node:
        """A set of numbers with what may be attached: ``^+``, ``_{>0}``, ``_+``."""
        if self.is_op("_"):
            mark = self.subscript()
            if name == "integers" and mark in ("+", ">0"):
                return tree.Const("naturals")
            if mark in ("+", ">0"):
                return tree.Seq((tree.Num(Fraction(0)), tree.Const("inf")), "(", ")")
            raise NotMath("a set of numbers")
        if self.is_op("^") and self.peek().value in ("+", "-"):
            self.next()
            if self.next().value == "+" and name == "integers":
                return tree.Const("naturals")
            if name == "reals":
                return tree.Seq((tree.Num(Fraction(0)), tree.Const("inf")), "(", ")")
            raise NotMath("a set of numbers")
        return tree.Const(name)
