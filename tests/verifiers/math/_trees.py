"""Trees of answers, written by hand through Python's own parser for brevity."""

import ast
from fractions import Fraction

from turnwise.verifiers.math.values.tree import (
    CONSTANTS,
    FUNCTIONS,
    Add,
    Call,
    Cases,
    Const,
    Div,
    Junction,
    List,
    Matrix,
    Mul,
    Neg,
    Num,
    Percent,
    PlusMinus,
    Pow,
    Quantity,
    Ratio,
    Relation,
    Seq,
    Set,
    SetBuilder,
    SetOp,
    Sym,
    Text,
    Unit,
)

LENGTH, TIME = (("length", Fraction(1)),), (("time", Fraction(1)),)


SPEED = (("length", Fraction(1)), ("time", Fraction(-1)))


UNITS = {
    "cm": Unit(LENGTH, Fraction(1, 100), name="cm"),
    "m": Unit(LENGTH, name="m"),
    "km": Unit(LENGTH, Fraction(1000), name="km"),
    "inch": Unit(LENGTH, Fraction(254, 10000), name="in"),
    "ft": Unit(LENGTH, Fraction(3048, 10000), name="ft"),
    "hour": Unit(TIME, Fraction(3600), name="h"),
    "minute": Unit(TIME, Fraction(60), name="min"),
    "second": Unit(TIME, name="s"),
    "kmh": Unit(SPEED, Fraction(5, 18), name="km/h"),
    "ms": Unit(SPEED, name="m/s"),
    "deg": Unit((), Fraction(1, 180), pi=1, name="°"),
    "rad": Unit((), name="rad"),
    "degC": Unit((("temperature", Fraction(1)),), Fraction(1), Fraction(27315, 100), name="°C"),
    "degF": Unit((("temperature", Fraction(1)),), Fraction(5, 9), Fraction(45967, 180), name="°F"),
    "usd": Unit((("USD", Fraction(1)),), name="$"),
    "cent": Unit((("USD", Fraction(1)),), Fraction(1, 100), name="¢"),
    "eur": Unit((("EUR", Fraction(1)),), name="€"),
    "apples": Unit((("count:apple", Fraction(1)),), name="apples"),
    "red_apples": Unit((("count:red apple", Fraction(1)),), name="red apples"),
    "pears": Unit((("count:pear", Fraction(1)),), name="pears"),
    "cm2": Unit((("length", Fraction(2)),), Fraction(1, 10000), name="cm²"),
    "square_units": Unit((("unit", Fraction(2)),), name="square units"),
}


_OPS = {ast.Lt: "<", ast.Gt: ">", ast.LtE: "≤", ast.GtE: "≥", ast.Eq: "=", ast.NotEq: "≠", ast.In: "∈", ast.NotIn: "∉"}


def t(source):
    """A tree from Python's notation: ``==`` is =, ``(1, 2)`` a tuple, ``L(1, 2)`` a list, ``x @ cm`` a quantity."""
    return _tree(ast.parse(source.strip(), mode="eval").body, source.strip())


def _number(text):
    mantissa, _, exponent = text.lower().partition("e")
    places = len(mantissa.partition(".")[2]) - int(exponent or 0) if "." in mantissa or exponent else None
    return Num(Fraction(text), places)


def _call(name, args):
    makers = {
        "L": lambda: List(args), "Neg": lambda: Neg(*args), "pct": lambda: Percent(*args),
        "pm": lambda: PlusMinus(args[0], args[1]) if len(args) == 2 else PlusMinus(None, args[0]),
        "ratio": lambda: Ratio(args), "sqrt": lambda: Call("root", (args[0], Num(Fraction(2)))),
        "cbrt": lambda: Call("root", (args[0], Num(Fraction(3)))), "union": lambda: SetOp("union", args),
        "minus": lambda: SetOp("minus", args), "cap": lambda: SetOp("intersection", args),
        "times": lambda: SetOp("times", args), "oc": lambda: Seq(args, "(", "]"), "co": lambda: Seq(args, "[", ")"),
        "ang": lambda: Seq(args, "⟨", "⟩"), "such": lambda: SetBuilder(*args),
        "mat": lambda: Matrix(tuple(row.items for row in args)), "otherwise": lambda: (args[0], None),
        "cases": lambda: Cases(tuple(arg if type(arg) is tuple else tuple(arg.items) for arg in args)),
        "congruent": lambda: _congruences(args),
        "mod": lambda: Relation(*(args[0][:2] if isinstance(args[0], Relation) else ((args[0],), ())), args[1]),
        "approx": lambda: Relation(args, ("≈",) * (len(args) - 1)), "subset": lambda: Relation(args, ("⊂",)),
        "is_approx": lambda: Relation(args, ("=",) * (len(args) - 2) + ("≈",)),
    }  # fmt: skip
    if name in makers:
        return makers[name]()
    return Call(name, args) if name in FUNCTIONS else Call("apply", (Sym(name), *args))


def _congruences(args):
    if len(args) == 3:
        return Relation(args[:2], ("≡",), args[2])
    return List((Relation(args[:2], ("≡",)), *args[2:-2], Relation((args[-2],), (), args[-1])))


def _tree(node, source):
    def go(part):
        return _tree(part, source)

    match node:
        case ast.Constant(value=str(text)):
            return Text(text)
        case ast.Constant():
            return _number(ast.get_source_segment(source, node))
        case ast.Name(id=name):
            return Const(name) if name in CONSTANTS else Sym(name)
        case ast.UnaryOp(op=ast.USub(), operand=x):
            return Neg(go(x))
        case ast.BinOp(left, ast.MatMult(), ast.Name(id=unit)):
            return Quantity(go(left), UNITS[unit])
        case ast.BinOp(left, op, right):
            a, b = go(left), go(right)
            if isinstance(op, ast.Add):
                return Add((*a.terms, b) if isinstance(a, Add) else (a, b))
            if isinstance(op, ast.Sub):
                return Add((*a.terms, Neg(b)) if isinstance(a, Add) else (a, Neg(b)))
            if isinstance(op, ast.Mult):
                return Mul((*a.factors, b) if isinstance(a, Mul) else (a, b))
            return Div(a, b) if isinstance(op, ast.Div) else Pow(a, b)
        case ast.Compare(left, ops, rights):
            return Relation((go(left), *map(go, rights)), tuple(_OPS[type(op)] for op in ops))
        case ast.BoolOp(op, values):
            return Junction("or" if isinstance(op, ast.Or) else "and", tuple(map(go, values)))
        case ast.Tuple(items):
            return Seq(tuple(map(go, items)))
        case ast.List(items):
            return Seq(tuple(map(go, items)), "[", "]")
        case ast.Set(items):
            return Set(tuple(map(go, items)))
        case ast.Call(ast.Name(id=name), args):
            return _call(name, tuple(map(go, args)))
    raise AssertionError(ast.dump(node))


# answer | gold, one pair a line
