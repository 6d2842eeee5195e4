"""Comparison of mathematical answers: trees are built by hand, through Python's own parser for brevity."""

import ast
import doctest
import importlib
import random
import threading
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests._work import at_most, measured
from turnwise.verifiers.math.answer import equivalent
from turnwise.verifiers.math.compare import algebra
from turnwise.verifiers.math.compare.compare import Rules, compare
from turnwise.verifiers.math.compare.simplest import simplest
from turnwise.verifiers.math.values.bounds import Meter, Undefined, Unresolved
from turnwise.verifiers.math.values.tree import (
    CONSTANTS,
    FUNCTIONS,
    Add,
    Base,
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
from turnwise.verifiers.math.values.values import Scalars
from turnwise.verifiers.math.values.walk import substituted
from turnwise.verifiers.pool import shared

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
RIGHT = """
7 | 7
2/4 | 1/2
0.5 | 1/2
1/2 | 0.5
0.50 | 0.5
-3 | Neg(3)
-1/2 | 1/-2
1e3 | 1000
2**10 | 1024
(1/2)**-3 | 8
factorial(5) | 120
binomial(5, 2) | 10
permutations(5, 2) | 20
double_factorial(7) | 105
gcd(12, 18) | 6
max(1, 5, 3) | 5
floor(7/2) | 3
ceil(7/2) | 4
abs(-3) | 3
log(8, 2) | 3
floor(sqrt(17)) | 4
sum(k, 1, 10, k**2) | 385
product(k, 1, 5, k) | 120
det(mat((1, 2), (3, 4))) | -2
sqrt(2)/2 | 1/sqrt(2)
sqrt(12) | 2*sqrt(3)
sqrt(3 + 2*sqrt(2)) | 1 + sqrt(2)
cbrt(2 + sqrt(5)) + cbrt(2 - sqrt(5)) | 1
sqrt(2)*sqrt(3) | sqrt(6)
cbrt(-8) | -2
(-8)**(1/3) | -2
8**(2/3) | 4
2**(1/2) | sqrt(2)
sin(pi/6) | 1/2
sin(30 @ deg) | 1/2
sin(60 @ deg) | sqrt(3)/2
tan(pi/8) | sqrt(2) - 1
cos(pi/5) | (1 + sqrt(5))/4
sin(pi) | 0
arctan(1) | pi/4
arcsin(1) | pi/2
arccos(-1) | pi
4*arctan(1/5) - arctan(1/239) | pi/4
ln(e**2) | 2
ln(8) | 3*ln(2)
exp(1) | e
e**(i*pi) | -1
(1 + i)**2 | 2*i
1/(1 + i) | (1 - i)/2
abs(3 + 4*i) | 5
sqrt(-4) | 2*i
i**i | e**(-pi/2)
e**(i*pi/3) | 1/2 + sqrt(3)/2*i
(10**60 + i)**2 | 10**120 - 1 + 2*10**60*i
cosh(ln(2)) | 5/4
arsinh(3/4) | ln(2)
3**100000 | 3**99999*3
2**(2**10) | 4**512
inf | inf
-inf | -inf
1 + x | x + 1
(x + 1)**2 | x**2 + 2*x + 1
(x**2 - 1)/(x - 1) | x + 1
x*(y + z) | x*y + x*z
(a + b)*(a - b) | a**2 - b**2
sin(x)**2 + cos(x)**2 | 1
2*sin(x)*cos(x) | sin(2*x)
e**(2*x) | (e**x)**2
2**(n + 1) | 2*2**n
sqrt(x**2) | abs(x)
abs(x)**2 | x**2
x**(3/2) | x*sqrt(x)
ln(x**2) | 2*ln(x)
ln(x/y) | ln(x) - ln(y)
log(x, 2) | ln(x)/ln(2)
1/sec(x) | cos(x)
cbrt(x) | x**(1/3)
n*factorial(n - 1) | factorial(n)
sum(k, 1, n, k) | n*(n + 1)/2
sum(j, 1, n, j) | sum(k, 1, n, k)
binomial(n, 2) | n*(n - 1)/2
cos(n*pi) | (-1)**n
f(x + 1) + 1 | 1 + f(1 + x)
conj(3 + 4*i) | 3 - 4*i
re(z) | re(z) + 0
abs(x - 100) | abs(100 - x)
3.14159 | pi
3.141592 | pi
3.141593 | pi
0.333333 | 1/3
2/3 | 0.666667
0.6666666 | 2/3
1.414214 | 1.41421356
1.41421356 | 1.414214
-0.333333 | -1/3
0.333333*x | x/3
1.57080 | pi/2
3.14159265*r**2 | pi*r**2
0.5*x | x/2
pct(50) | pct(50)
0.5 | pct(50)
50 | pct(50)
pct(50) | 50
pct(50) | 1/2
pct(33.3333) | 1/3
5 | 5 @ cm
5 @ cm | 5
1 @ m | 100 @ cm
36 @ deg | pi/5
pi/5 | 36 @ deg
36 | 36 @ deg
36 @ deg | 36
pi/5 @ rad | 36 @ deg
36 @ kmh | 10 @ ms
5 @ ft + 3 @ inch | 63 @ inch
2 @ hour + 30 @ minute | 150 @ minute
2.5 @ hour | 2 @ hour + 30 @ minute
77 @ degF | 25 @ degC
150 @ cent | 1.50 @ usd
12 @ apples | 12
12 | 12 @ apples
12 @ red_apples | 12 @ apples
0.333333 @ m | 100/3 @ cm
10 @ m / (2 @ second) | 5 @ ms
30 @ square_units | 30 @ cm2
3*x @ cm | 3*x
-5 @ degC | -5
L(2, 1) | L(1, 2)
{2, 1} | L(1, 2)
{1, 2, 2} | {1, 2}
L(1, 2, 3) | (1, 2, 3)
(1, 2) | L(1, 2)
(1/2, 2) | (0.5, 2)
(1, 2, 3) | [1, 2, 3]
ang(1, 2) | (1, 2)
ang(1, 2) | mat((1,), (2,))
(1, 2) | mat((1, 2),)
x == 1 or x == 2 | L(1, 2)
L(x == 1, x == 2) | {2, 1}
L(x == 1, 2) | L(1, 2)
x == L(1, 2) | L(2, 1)
1 or 2 | L(1, 2)
pm(3) | L(-3, 3)
x == pm(3) | {3, -3}
pm(1, sqrt(2)) | L(1 - sqrt(2), 1 + sqrt(2))
L(0, pm(2)) | {-2, 0, 2}
(3 + 1)/2 | 2
pm(0, 3)/2 | {3/2, -3/2}
L((1, 2), (3, 4)) | {(3, 4), (1, 2)}
{(1, 2), (3, 4)} | L((3, 4), (1, 2))
{5} | 5
5 | {5}
[5] | 5
L(x == 1, y == 2) | x == 1 and y == 2
L(y == 2, x == 1) | L(x == 1, y == 2)
(1, 2) | L(x == 1, y == 2)
L(x == 1, y == 2) | (1, 2)
(x, y) == (1, 2) | (1, 2)
(x, y) == (1, 2) | L(y == 2, x == 1)
L(1, 2, dots, n) | L(1, 2, dots, n)
L(sqrt(4), 3) | L(3, 2)
5 | x == 5
x == 5 | 5
5 == x | x == 5
x == 10/2 | x == 5
x == 2 + 3 == 5 | 5
1/2 == 0.5 | 1/2
2 + 3 == 5 | 5
a + b == 5 | 5
A**2 == mat((1, 2), (3, 4)) | mat((1, 2), (3, 4))
abs(z) == 5 | 5
f(2) == 5 | 5
S == n*(n + 1)/2 == 10*11/2 == 55 | 55
is_approx(pi/4, 0.785) | pi/4
is_approx(A, pi/4, 0.785) | pi/4
f(x) == x**2 | x**2
f(x) == (x + 1)**2 == x**2 + 2*x + 1 | (x + 1)**2
y == x**2 | x**2
x**2 | y == x**2
f(x) == 2*x | y == 2*x
x**2 | f(x) == x**2
2*x + 3*y == 6 | 4*x + 6*y == 12
2*x - y + 1 == 0 | y == 2*x + 1
y - 1 == 2*x | y == 2*x + 1
(x - 1)**2 + (y - 2)**2 == 4 | x**2 + y**2 - 2*x - 4*y + 1 == 0
x + y < 3 | 3 > x + y
-2*x - 2*y > -6 | x + y < 3
x*sqrt(2) + y == 0 | 2*x + y*sqrt(2) == 0
mod(x == 3, 7) | mod(x == 3, 7)
mod(x == 10, 7) | mod(x == 3, 7)
mod(3, 7) | mod(x == 3, 7)
1 < x < 2 | (1, 2)
(1, 2) | 1 < x < 2
1 < x <= 2 | oc(1, 2)
2 > x > 1 | (1, 2)
x > 3 | (3, inf)
3 < x | x > 3
oc(3, inf) | x > 3
x < 1 or x > 3 | union((-inf, 1), (3, inf))
L(x < 1, x > 3) | x > 3 or x < 1
x > 1 and x < 2 | (1, 2)
L(x > 0, x != 1) | union((0, 1), (1, inf))
minus(reals, {2}) | x != 2
union((-inf, 2), (2, inf)) | minus(reals, {2})
such(x, x > 0) | (0, inf)
such(x in reals, x > 0) | such(y, 0 < y)
x in (1, 2) | 1 < x < 2
x in {1, 2} | L(1, 2)
abs(x) < 3 | (-3, 3)
abs(x - 1) <= 2 | [-1, 3]
abs(x) > 2 | union((-inf, -2), (2, inf))
cap((0, 5), (3, 9)) | (3, 5)
union((0, 2), [1, 3]) | oc(0, 3)
union({1}, (1, 2)) | co(1, 2)
[-sqrt(2), sqrt(2)] | abs(x) <= 2**(1/2)
(-inf, inf) | reals
x in reals | reals
empty | empty
such(n in integers, 1 < n < 5) | {2, 3, 4}
(a, b) | a < x < b
such(pi/4 + k*pi, k in integers) | such(pi/4 + n*pi, n in integers)
such(pi*(4*n + 1)/4, n in integers) | such(pi/4 + k*pi, k in integers)
such(5*pi/4 + k*pi, k in integers) | such(pi/4 + k*pi, k in integers)
L(x == pi/4 + k*pi, k in integers) | such(pi/4 + k*pi, k in integers)
x == pi/4 + n*pi | L(x == pi/4 + k*pi, k in integers)
L(x == pi/4 + 2*k*pi or x == 5*pi/4 + 2*k*pi, k in integers) | L(x == pi/4 + k*pi, k in integers)
L(x == pm(pi/3) + 2*k*pi, k in integers) | L(x == pi/3 + 2*k*pi, x == -pi/3 + 2*k*pi, k in integers)
such(2*k + 1, k in integers) | such(2*k - 1, k in integers)
mat((1, 2), (3, 4)) | mat((1, 2), (3, 8/2))
2*mat((1, 2), (3, 4)) | mat((2, 4), (6, 8))
1/2*(2, 4) | (1, 2)
cases((x, x >= 0), (-x, x < 0)) | cases((-x, x < 0), (x, x >= 0))
cases((x, x >= 0), otherwise(-x)) | cases((x, x >= 0), (-x, x < 0))
f(x) == cases((1, x > 0), otherwise(0)) | cases((1, x > 0), otherwise(0))
ratio(2, 4) | ratio(1, 2)
ratio(1, 2) | 1/2
0.5 | ratio(1, 2)
ratio(2, 4, 6) | ratio(1, 2, 3)
f(x, y) | f(x, y)
x**3/3 + C | x**3/3 + c
(x + 1)**2/2 + C | x**2/2 + x + K
ln(abs(2*x)) + C | ln(abs(x)) + C
c*e**x | C*e**x
3*i - 2*j | 3*i - 2*j
1 + 1/2 + dots + 1/n | 1 + 1/2 + dots + 1/n
cos(120 @ deg) + i*sin(120 @ deg) | -1/2 + sqrt(3)/2*i
factorial(n)/(factorial(k)*factorial(n - k)) | binomial(n, k)
3.3333333333333335 | 10/3
f(x) == 1 + 2*x | f(x) == 2*x + 1
L(1, 2, dots, n) | L(1, 2, 3, dots, n)
L(1, 3, 5, dots) | L(1, 3, 5, 7, dots)
L(1, 2, 4, dots) | L(1, 2, 4, 8, dots)
{1, 2, 3, dots, 6} | {6, 5, 4, 3, 2, 1}
{6, 5, 4, 3, 2, 1} | {1, 2, dots, 6}
1 + 2 + 3 + dots + n | 1 + 2 + dots + n
such(2*n, n == L(1, 2, 3)) | {2, 4, 6}
such(2*n, L(n == 1, 2, 3)) | {2, 4, 6}
such(n**2, L(n in integers, abs(n) < 3)) | {0, 1, 4}
-x < -3 | x > 3
x - 3 > 0 | x > 3
3 - x <= 0 | x >= 3
y - 5 == 0 | y == 5
3*i - 2*j | ang(3, -2)
3*vector(i) - 2*vector(j) | (3, -2)
(2, -1, 5) | 2*i - j + 5*k
L(x_1 == 2, x_2 == -2) | L(x == -2, x == 2)
L(x_1 == 2, x_2 == -2) | {2, -2}
congruent(x, 4, 1, 5) | congruent(x, 1, 4, 5)
congruent(x, pm(1), 5) | congruent(x, 1, 4, 5)
"(B)" | "B"
B | "B"
"b" | B
"new  york." | "New York"
"true" | "Yes"
"3:30 p.m." | "3:30 PM"
"none" | empty
"does not exist" | "DNE"
subset(A, B) | subset(A, B)
"""

WRONG = """
7 | 8
1/3 | 1/2
0.33 | 1/3
0.3333 | 1/3
3.14 | pi
22/7 | pi
0.67 | 2/3
2/3 | 0.67
0.333334 | 1/3
3.14160 | pi
3.141594 | pi
1.5 | 1.52
1.6e-19 | 1.7e-19
1e-7 | 2e-7
1/factorial(20) | 1/factorial(21)
2**-60 | 2**-61
e**(pi*sqrt(163)) | 262537412640768744
123456789012345678901234567890 | 123456789012345678901234567891
1/factorial(2004) | 1/factorial(2006)
3**100000 | 3**100000 - 1
2**127000 | 1
10**60 + i | 10**60 + 2*i
sqrt(10**100 + 1) - 10**50 | 0
e**-1000 | 0
-1 | 1
0 | inf
-inf | inf
1/0 | inf
1/0 | 5
i | -i
i | 1
2*i | 2
x | y
x + 1 | x + 2
(a + b)/2 | a + b/2
1/(a + b) | 1/a + b
x**(2*y) | x**2*y
abs(x) | x
sqrt(x**2) | x
2*ln(x) | ln(x**2)
sqrt(x)*sqrt(x) | abs(x)
abs(x - 100) | 100 - x
sin(x) | x
cbrt(5) | sqrt(5)
f(x) | g(x)
f(x + 1) | f(x)
arctan(x) + arctan(1/x) | pi/2
(x + 1)**20 | x**20 + 1
x + 1e-30 | x
0.333334*x | x/3
0.33*x | x/3
3.14*r**2 | pi*r**2
n | factorial(n)
n*(n - 1)/2 | sum(k, 1, n, k)
12 | 0.12
0.12 | 12
pct(12) | 0.012
0.5 | 50
500 | pct(50)
5 @ cm | 5 @ m
2 @ hour | 2 @ minute
25 @ degC | 25 @ degF
5 @ usd | 5 @ eur
12 @ apples | 12 @ pears
12 @ apples | 12 @ cm
6 @ usd | 5 @ usd
100 | 1 @ m
36 | pi/5
30 @ deg | 30 @ rad
5 @ ft + 3 @ inch | 64 @ inch
63 | 5 @ ft + 3 @ inch
8 | 5 @ ft + 3 @ inch
5 @ cm | 5 @ cm2
36 @ kmh | 36 @ ms
L(1, 2, 3) | L(1, 2)
1 | L(1, 2)
L(1, 2) | 1
5 or 6 | 5
L(4, 5) | 5
x == 5 or x == 6 | 5
x == 5 or x == 6 | x == 5
pm(5) | 5
5 | pm(5)
(2, 1) | (1, 2)
(2, 1) | L(1, 2)
L(2, 1) | (1, 2)
{1, 2} | (1, 2)
(1, 2) | [1, 2]
(1, 2, 3) | (1, 2)
L(1, 1, 2) | L(1, 2, 2)
L(1, 1) | L(1, 2)
L(1, 2, dots, n) | L(1, 3, dots, n)
L(1, 2, dots, n) | L(1, 3, dots, 2*n - 1)
ratio(1, 2, 3) | ratio(1, 3, 2)
ratio(1, 2) | 2
ratio(1, 2) | ratio(2, 1)
L(x == 2, y == 1) | L(x == 1, y == 2)
L(x == 1, y == 2) | L(x == 1, z == 2)
(2, 1) | L(x == 1, y == 2)
L(x == 1, y == 2) | L(x == 1, x == 2)
L(x == 1, y == 2) | 1
x == 5 | y == 5
y == 5 | x == 5
x + 2 == 5 | 5
x + y == 5 | 5
x**2 == 4 | 4
2*x - y + 1 == 0 | 0
x + 5 == 0 | 0
2*x == 10 | x == 5
2*x == 10 | 10
x == 4 == 5 | 5
2 + 2 == 5 | 5
x == 5 == 4 | 5
is_approx(pi/4, 0.9) | pi/4
2*x + 3*y == 6 | 3*x + 2*y == 6
2*x + 3*y == 6 | 2*x + 3*y == 7
5 | x + y == 5
y == 2*x | y == 2*x + 1
y == x**2 | z == x**2
x == x**2 + 1 | x**2 + 1
x + y < 3 | x + y > 3
x + y <= 3 | x + y < 3
x + y != 3 | x + y == 3
-x - y < 3 | x + y < 3
mod(x == 3, 7) | mod(x == 4, 7)
mod(x == 3, 7) | mod(x == 3, 8)
3 | mod(x == 3, 7)
1 < x < 2 | [1, 2]
1 < x <= 2 | co(1, 2)
x > 3 | [3, inf]
x >= 3 | x > 3
x < 3 | x > 3
y > 3 | x > 3
2*x > 6 | x > 3
x < 1 and x > 3 | x < 1 or x > 3
x > 3 | union((-inf, 1), (3, inf))
union((-inf, 1), (3, inf)) | union((-inf, 1), (4, inf))
reals | x != 2
empty | reals
0 | empty
abs(x) < 3 | [-3, 3]
{1, 2} | [1, 2]
{2, 3} | such(n in integers, 1 < n < 5)
such(pi/4 + k*pi, k in integers) | pi/4
pi/4 | such(pi/4 + k*pi, k in integers)
such(pi/4 + 2*k*pi, k in integers) | such(pi/4 + k*pi, k in integers)
such(pi/3 + k*pi, k in integers) | such(pi/4 + k*pi, k in integers)
such(2*k, k in integers) | such(2*k + 1, k in integers)
such(2*k, k in naturals) | such(2*k, k in integers)
mat((1, 2), (3, 4)) | mat((1, 3), (2, 4))
mat((1, 2),) | mat((1,), (2,))
mat((1, 2), (3, 4)) | L(1, 2, 3, 4)
det(mat((1, 2), (3, 4))) | 2
cases((-x, x >= 0), (x, x < 0)) | cases((x, x >= 0), (-x, x < 0))
cases((x, x > 0), (-x, x <= 0)) | cases((x, x >= 0), (-x, x < 0))
x | cases((x, x >= 0), (-x, x < 0))
cases((x, x >= 0), otherwise(x)) | cases((x, x >= 0), (-x, x < 0))
x**3/3 | x**3/3 + C
x**2 + C | x**3 + C
x**3/3 + C | x**3/3
x**3/3 + x | x**3/3 + C
3*i + 2*j | 3*i - 2*j
1 + 1/2 + dots + 1/n | 1 + 1/3 + dots + 1/n
(5, 2) | empty
empty | (6, -3)
y == 1 and y == -1 | empty
ceil(n/3) | floor(n/3) + 1
ceil(x) | floor(x) + 1
inf**0 | 1
12345678901234567.8 | 12345678901234567
L(1, 2, dots, n) | L(1, 2, 4, dots, n)
L(1, 2, 3, dots) | L(1, 2, 4, dots)
{1, 2, dots, 10} | {1, 2, dots, 11}
3*i + 2*j | ang(3, -2)
i*j | ang(1, 1)
congruent(x, 4, 2, 5) | congruent(x, 1, 4, 5)
-x < 3 | x > 3
x + 5 == 0 | x == 5
"A" | "B"
"Not B" | "B"
"B or C" | "B"
"B" | "no"
"yes" | "no"
"five" | 5
"... or 5" | 5
5 | "5 apples are left"
"undefined" | 0
1/0 | "undefined"
x == 1 and x == 2 | 1
empty | {0}
subset(A, B) | subset(B, A)
times(reals, integers) | times(integers, reals)
"""


def _pairs(table):
    return [tuple(part.strip() for part in line.split("|")) for line in table.splitlines() if line]


@pytest.mark.parametrize(("answer", "gold"), _pairs(RIGHT))
def test_right_answers_are_paid(answer, gold):
    assert compare(t(answer), t(gold)) == (True, "")


@pytest.mark.parametrize(("answer", "gold"), _pairs(WRONG))
def test_wrong_answers_are_not(answer, gold):
    outcome = compare(t(answer), t(gold))
    assert outcome.equal is False and outcome.reason


@pytest.mark.parametrize("source", sorted({side for pair in _pairs(RIGHT + WRONG) for side in pair}))
def test_everything_is_itself(source):
    assert compare(t(source), t(source)).equal


@pytest.mark.parametrize(
    ("answer", "gold", "rules", "equal"),
    [
        ("3.14", "pi", Rules(tolerance=1e-3), True),
        ("3.2", "pi", Rules(tolerance=1e-3), False),
        ("101", "100", Rules(tolerance=0.01), True),
        ("102", "100", Rules(tolerance=0.01), False),
        ("1.6e-19", "1.7e-19", Rules(tolerance=0.01), False),
        ("0", "1e-9", Rules(tolerance=0.01), False),
        ("L(2.01, 1)", "L(1, 2)", Rules(tolerance=0.01), True),
        ("(1.001 @ km)", "1000 @ m", Rules(tolerance=0.01), True),
        ("1.01 + 1.99*i", "1 + 2*i", Rules(tolerance=0.02), True),
        ("L(2, 1)", "L(1, 2)", Rules(ordered=True), False),
        ("L(1, 2)", "L(1, 2)", Rules(ordered=True), True),
        ("(2, 1)", "(1, 2)", Rules(ordered=False), True),
        ("(2, 1)", "L(1, 2)", Rules(ordered=False), True),
        ("5", "5 @ cm", Rules(units="required"), False),
        ("0.05 @ m", "5 @ cm", Rules(units="required"), True),
        ("5", "5", Rules(units="required"), True),
        ("pi/5", "36 @ deg", Rules(units="required"), True),
        ("2/4", "1/2", Rules(simplified=True), False),
        ("1/2", "0.5", Rules(simplified=True), True),
        ("0.5", "1/2", Rules(simplified=True), True),
        ("1 + 1", "2", Rules(simplified=True), False),
        ("2/4", "2/4", Rules(simplified=True), True),
        ("2*x + x", "3*x", Rules(simplified=True), False),
        ("L(sqrt(8), 1)", "L(1, 2*sqrt(2))", Rules(simplified=True), False),
        ("x == 2 + 2 == 4", "4", Rules(simplified=True), True),
    ],
)  # fmt: skip
def test_rules(answer, gold, rules, equal):
    assert compare(t(answer), t(gold), rules).equal is equal


SIMPLE = """
3|-3|1/2|-1/2|0.5|3 + 1/2|2*sqrt(2)|3*x|sqrt(2)/2|1/sqrt(2)|x + 1|2*x + 3|pi/4|2*pi|(1 + sqrt(5))/2|(x + 1)**2
2*(x + 1)|(2, 3)|x == 5|5 @ cm|2**100|sin(x)|cos(pi/7)|ln(2)|e**2|3 + 4*i|sqrt(x)|x/2|(x + 1)/(x - 1)
factorial(100)|2*sqrt(3) + sqrt(2)|cbrt(2)|2**(1/2)|sqrt(x + 1)|1/x|-x/2|1/2*x|(3*x + 2)/4|-(1 + x)|pct(50)
arctan(2)|f(2)|ln(3)/ln(2)
"""
NOT_SIMPLE = """
2/4|6/3|sqrt(8)|1 + 1|2*x + x|sin(30 @ deg)|sqrt(4)|2**3|x*x|2*3|factorial(5)|abs(-3)|log(8, 2)|ln(e)|arctan(1)
2*x/4|x/x|x**2/x|sqrt(1/2)|1*x|x + 0|x**1|sqrt(2)*sqrt(3)|sqrt(2)*sqrt(2)|(2*x + 4)/2|x/1|(1, 2/4)|x == 4/2
1/(1/2)|floor(2.5)|cos(pi/4)|i**2|2*x*3|(1 + 1)*x|sqrt(12*x)|sum(k, 1, 3, k)|Neg(Neg(2))|8**(1/3)|sqrt(x**3)
1/2 + 1/3|2/(-3)|3*i + i
"""


def _cells(table):
    return [cell for line in table.strip().splitlines() for cell in line.split("|")]


@pytest.mark.parametrize("source", _cells(SIMPLE))
def test_simplest_forms(source):
    assert simplest(t(source))


@pytest.mark.parametrize("source", _cells(NOT_SIMPLE))
def test_forms_with_work_left(source):
    assert not simplest(t(source))


@pytest.mark.parametrize(
    ("answer", "gold", "equal"),
    [
        (Num(Fraction(204)), Base(54, 5), True),
        (Base(54, 5), Base(54, 5), True),
        (Base(54, 6), Base(54, 5), False),
        (Base(79, 6), Base(54, 5), False),
        (Num(Fraction(54)), Base(54, 5), False),
        (Base(54, 5), Num(Fraction(204)), False),
        (Base(54, 5), Num(Fraction(54)), True),
        (Base(2, 2), Num(Fraction(10)), False),
        (Text("3F"), Base(63, 16), True),
        (Sym("FF"), Base(255, 16), True),
        (Sym("FE"), Base(255, 16), False),
        (Neg(Num(Fraction(101))), Base(-5, 2), True),
    ],
)
def test_bases(answer, gold, equal):
    assert compare(answer, gold).equal is equal


@pytest.mark.parametrize(
    ("answer", "gold", "equal"),
    [
        ("sum(k, 1, inf, 1/k**2)", "pi**2/6", True),
        ("sum(k, 1, inf, 1/2**k)", "1", True),
        ("sum(k, 1, inf, 1/2**k)", "2", False),
        ("floor(sqrt(2)**2)", "2", True),
    ],
)
def test_what_the_bounded_methods_leave_open_is_put_to_sympy(answer, gold, equal):
    assert compare(t(answer), t(gold), Rules(algebra=False)).equal is None
    shared().run("math.equal", ["num", 1, 1], ["num", 1, 1], deadline_s=30)  # so that the server is up
    outcome = compare(t(answer), t(gold))
    assert outcome.equal in (equal, None)  # a busy machine may need more than the deadline
    assert algebra.equal(algebra.packed(t(answer)), algebra.packed(t(gold))) is equal


_TOWER = "9**9**9**9"
_DEEP = Num(Fraction(2))
for _ in range(100):
    _DEEP = Pow(_DEEP, Num(Fraction(3, 2)))
_VERY_DEEP = Sym("x")
for _ in range(5000):
    _VERY_DEEP = Neg(_VERY_DEEP)
_ROOTS = Sym("x")
for _ in range(110):
    _ROOTS = Call("root", (Add((_ROOTS, Sym("x"))), Num(Fraction(2))))
_NESTED_SUM = Sym("x")
for _name in "abcdef":
    _NESTED_SUM = Call("sum", (Sym(_name), Num(Fraction(1)), Num(Fraction(999)), _NESTED_SUM))


def _hostile():
    big = Num(Fraction(10) ** 4000)
    yield from (t(source) for source in (
        _TOWER, "9**(9**9)", "factorial(factorial(20))", "factorial(10**9)", "binomial(10**9, 5*10**8)",
        "tan(10**100000)", "sin(10**4000)", "e**(10**4000)", "e**(e**(e**(e**e)))", "x**x**x**x**x", "(x + 1)**100000",
        "sum(k, 1, 10**9, k)", "sum(k, 1, 1000, sum(j, 1, 1000, 1/(k + j)))", "sum(k, 1, 1000, 1/k**9)",
        "product(k, 1, 1000, k**k)", "floor(10**4000*pi)", "permutations(10**9, 10**8)", "lcm(10**4000, 10**4000 + 1)",
        "root(2, 10**9)", "root(10**4000, 999)", "log(10**4000, 2)", "double_factorial(10**8)", "0**0", "1/0", "x/0",
        "(-1)**n*factorial(n)/factorial(2*n)", "sqrt(2)**sqrt(2)**sqrt(2)**sqrt(2)", "ln(ln(ln(ln(x))))", "gcd(0, 0)",
        "arcsin(arcsin(arcsin(x)))", "abs(abs(abs(x) - 1) - 1)", "inf - inf", "inf*x", "max(x, y, z)", "factorial(-1)",
        "arctan(i)", "ln(0)", "artanh(1)", "sin(inf)", "log(8, 1)", "i**i**i**i**i", "factorial(1/2)", "f(f(f(x)))",
        "such(k*sqrt(2) + 1, k in integers)", "abs(x) < -1", "x < 10**4000", "such(n in integers, 0 < n < 10**9)",
    ))  # fmt: skip
    yield from (_DEEP, _VERY_DEEP, _ROOTS, _NESTED_SUM)
    yield Add(tuple(Pow(Sym("x"), Num(Fraction(n))) for n in range(1400)))
    yield List(tuple(Call("root", (Num(Fraction(n + 2)), Num(Fraction(2)))) for n in range(700)))
    yield Set(tuple(Num(Fraction(n)) for n in range(2900)))
    yield Mul(tuple(big for _ in range(300)))
    yield Add(tuple(Div(big, Num(Fraction(n + 10**50))) for n in range(300)))
    yield PlusMinus(None, PlusMinus(None, PlusMinus(Sym("x"), Sym("y"))))
    yield Matrix(tuple(tuple(Sym(f"a{i}{j}") for j in range(30)) for i in range(30)))
    yield Call("det", (Matrix(tuple(tuple(Sym(f"a{i}{j}") for j in range(7)) for i in range(7))),))
    yield SetOp("union", tuple(Seq((Num(Fraction(n)), Num(Fraction(n + 1)))) for n in range(900)))
    yield Junction("or", tuple(Relation((Sym("x"), Sym(f"y{n}")), ("=",)) for n in range(400)))
    yield Cases(tuple((Sym("x"), Relation((Sym("x"), Num(Fraction(n))), ("<",))) for n in range(300)))
    yield Call("sin", ())
    yield Call("root", (Sym("x"),))
    yield Call("sum", (Sym("x"),))
    yield Matrix(())
    yield Seq(())
    yield Relation((Sym("x"),), ())
    yield Text("")
    yield Base(10**5000, 1)
    yield Base(10**5000, 7)
    yield Num(Fraction(1), 10**9)
    yield Num(Fraction(1), -(10**9))


HOSTILE = list(_hostile())
GOLDS = [t(gold) for gold in ("x + 1", "5", "sqrt(2)", "L(1, 2)", "(0, 1)", "x < 3", "2*x + 3*y == 6", "pi*x**2 + C")]


@pytest.mark.parametrize("i", range(len(HOSTILE)))
def test_hostile_answers_take_bounded_time(i):
    for gold in [*GOLDS, HOSTILE[i - 1], HOSTILE[i]]:
        for answer, other in ((HOSTILE[i], gold), (gold, HOSTILE[i])):
            with at_most(millions=8):
                compare(answer, other, Rules(algebra=False))


_LEAVES = st.one_of(
    st.builds(Num, st.fractions(max_denominator=50), st.none() | st.integers(-3, 8)),
    st.sampled_from([Sym("x"), Sym("y"), Sym("n"), Sym("C"), Sym("B")]),
    st.sampled_from([Const(name) for name in sorted(CONSTANTS)]),
    st.builds(Text, st.text(max_size=4)),
    st.builds(Base, st.integers(-50, 50), st.integers(0, 40)),
)
_ITEMS = {"min_size": 0, "max_size": 3}


def _bigger(part):
    parts = st.lists(part, **_ITEMS).map(tuple)
    two = st.lists(part, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Neg, part),
        st.builds(Add, two),
        st.builds(Mul, two),
        st.builds(Div, part, part),
        st.builds(Pow, part, part),
        st.builds(Call, st.sampled_from(sorted(FUNCTIONS)), parts),
        st.builds(PlusMinus, st.none() | part, part, st.sampled_from("±∓")),
        st.builds(Percent, part),
        st.builds(Quantity, part, st.sampled_from(list(UNITS.values()))),
        st.builds(Ratio, two),
        st.builds(Seq, parts, st.sampled_from("([⟨"), st.sampled_from(")]⟩")),
        st.builds(List, two),
        st.builds(Set, parts),
        st.builds(SetBuilder, part, part),
        st.builds(SetOp, st.sampled_from(["union", "intersection", "minus", "times"]), two),
        st.builds(lambda a, b: Matrix((a, b)), st.tuples(part, part), st.tuples(part, part)),
        st.builds(
            lambda operands, ops, modulus: Relation(operands, tuple(ops[: len(operands) - 1]), modulus),
            two, st.lists(st.sampled_from("=≠<>≤≥≈≡∈∉⊂⊆→∣∥⊥∼≅"), min_size=2, max_size=2), st.none() | part,
        ),
        st.builds(Junction, st.sampled_from(["or", "and"]), two),
        st.builds(lambda a, b, c: Cases(((a, b), (c, None))), part, part, part),
    )  # fmt: skip


TREES = st.recursive(_LEAVES, _bigger, max_leaves=12)
_SCALAR_LEAVES = st.one_of(
    st.builds(Num, st.fractions(max_denominator=9, min_value=-9, max_value=9)),
    st.sampled_from([Sym("x"), Sym("y"), Const("pi"), Const("e")]),
)
SCALARS = st.recursive(
    _SCALAR_LEAVES,
    lambda part: st.one_of(
        st.builds(Neg, part), st.builds(lambda a, b: Add((a, b)), part, part),
        st.builds(lambda a, b: Mul((a, b)), part, part), st.builds(Div, part, part),
        st.builds(lambda a, n: Pow(a, Num(Fraction(n))), part, st.integers(1, 3)),
        st.builds(lambda name, a: Call(name, (a,)), st.sampled_from(["sin", "exp", "abs", "arctan"]), part),
    ),
    max_leaves=8,
)  # fmt: skip
QUICK = Rules(algebra=False)


@settings(max_examples=300)
@given(TREES, TREES)
def test_never_raises_and_is_deterministic(answer, gold):
    outcome = compare(answer, gold, QUICK)
    assert outcome.equal in (True, False, None)
    assert bool(outcome.reason) == (outcome.equal is not True)
    assert compare(answer, gold, QUICK) == outcome
    compare(answer, gold, Rules(tolerance=0.01, simplified=True, ordered=True, units="required", algebra=False))


@settings(max_examples=200)
@given(TREES)
def test_reflexive(tree):
    assert compare(tree, tree, QUICK).equal


@settings(max_examples=150)
@given(SCALARS, SCALARS)
def test_values_are_compared_alike_both_ways(a, b):
    assert compare(a, b, QUICK).equal == compare(b, a, QUICK).equal


@settings(max_examples=150)
@given(SCALARS, SCALARS)
def test_rewriting_keeps_the_value_and_adding_one_does_not(a, b):
    total = Add((a, b))
    try:
        Scalars(Meter()).equal(total, Num(Fraction(0)))
        at_one = substituted(total, {"x": Num(Fraction(1)), "y": Num(Fraction(1))})
        assume(abs(Scalars(Meter()).real(at_one) or 0) < 10**150)  # beyond, 1/7 is no difference
    except (Undefined, Unresolved):
        return
    if compare(Div(total, Num(Fraction(1))), total, QUICK).equal:  # it has a value at enough points
        assert compare(Add((b, a)), total, QUICK).equal
        assert compare(Div(Mul((total, Num(Fraction(6)))), Num(Fraction(6))), total, QUICK).equal
        assert not compare(Add((a, b, Num(Fraction(1, 7)))), total, QUICK).equal


@given(st.lists(st.fractions(max_denominator=20), min_size=2, max_size=7), st.randoms(use_true_random=False))
def test_lists_in_any_order_tuples_in_one(values, draw):
    shuffled = list(values)
    draw.shuffle(shuffled)
    nums, mixed = (tuple(map(Num, part)) for part in (values, shuffled))
    assert compare(List(mixed), List(nums)).equal
    assert compare(Set(mixed), Set(nums)).equal
    assert compare(Seq(mixed), Seq(nums)).equal is (shuffled == values)
    assert not compare(List((*mixed, Num(sum(values) + 1000))), List(nums)).equal
    assert not compare(List(mixed[1:]), List(nums)).equal


@given(st.fractions(), st.integers(0, 12), st.integers(-2, 2))
def test_decimals(value, places, off):
    """Only roundings and truncations of at least 6 significant digits stand for a value."""
    unit = Fraction(1, 10**places)
    shown = (value // unit + off) * unit
    gap, size = abs(value) - abs(shown), abs(shown) / unit
    assume(size < 10**15)  # beyond, the digits that a binary64 number is printed with are good enough
    good = shown == value or (
        size >= 100_000 and (shown > 0) == (value > 0) and (0 <= gap < unit or abs(gap) * 2 <= unit)
    )
    assert compare(Num(shown, places), Num(value)).equal is good
    assert compare(Num(value), Num(shown, places)).equal is good


def test_threads_do_not_disturb_each_other():
    pairs = [(t(a), t(g), expected) for table, expected in ((RIGHT, True), (WRONG, False)) for a, g in _pairs(table)]
    pairs = pairs[::3]
    wrong = []

    def work(seed):
        order = list(pairs)
        random.Random(seed).shuffle(order)
        wrong.extend((a, g) for a, g, expected in order if compare(a, g, QUICK).equal is not expected)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_most_pairs_take_little():
    costs = []
    for answer, gold in _pairs(RIGHT) + _pairs(WRONG):
        a, g = t(answer), t(gold)
        with measured() as work:
            compare(a, g)
        costs.append(work.millions)
    costs.sort()
    assert costs[len(costs) // 2] < 0.02
    assert costs[int(len(costs) * 0.99)] < 0.4


MODULES = """values.balls values.exact values.functions values.numeric values.values values.walk compare.algebra
compare.compare compare.families compare.labels compare.measured compare.relations compare.sequences compare.sets
compare.simplest compare.vectors compare.views"""


@pytest.mark.parametrize("name", MODULES.split())
def test_doctests(name):
    found = doctest.testmod(importlib.import_module(f"turnwise.verifiers.math.{name}"))
    assert not found.failed


FAULTS = [
    # an unsolved equation states no value, a label does
    ("|x| = 5", "5", False), (r"\log x = 5", "5", False), (r"\sin x = 5", "5", False), ("x + y = 8", "8", False),
    (r"\sin A = \frac{1}{2}", r"\frac{1}{2}", True), ("|AB| = 10", "AB = 10", True), ("f(2) = 5", "5", True),
    ("[ABC] = 8", "8", True), (r"\frac{dy}{dx} = 2x", "2x", True), (r"\max f = 8", "8", True),
    # functions of several pieces differ far away only
    ("2000-x", "|x-2000|", False), ("x+3000", "|x+3000|", False), ("x", r"\max(x,-5000)", False),
    ("x", r"\max(x,-10^{12})", False), ("2000.00-x", "|x-2000|", False), (r"\sqrt{(x-2000)^2}", "|x-2000|", True),
    # arbitrary constants
    ("a+b+c+1", "a+b+c", False), ("n+k-1", "n+k", False), ("x+B", "x+A", False), ("2b+B", "2b+A", False),
    ("Bx+1", "Ax+1", False), ("x^2+C+1", "x^2+C", True), ("x^2+c", "x^2+C", True), ("x^2+K", "x^2+C", True),
    ("x^2+c+1", "x^2+c", True), ("A+B+C+1", "A+B+C", False),
    ("10_2", "10", False), ("204_5", "204", False), ("204", "204_5", True),
    (r"\frac{\pi}{2}^\circ", r"\frac{\pi}{2}", False), (r"90^\circ", r"\frac{\pi}{2}", True),
    ("0 K", r"0^\circ \text{C}", False), ("0 kg", "0 m", False), ("0", "0 m", True),
    # nearly equal
    ("2^{1/2^{1000}}", "1", False), (r"\sqrt{2}+10^{-60}", r"\sqrt{2}", False),
    (r"\sqrt{2}+10^{-600}", r"\sqrt{2}", False), ("2^{1/2^{5000}}", "1", False),
    (r"1+\cos\frac{\pi}{2}", "1", True), (r"\sqrt{3+2\sqrt{2}}", r"1+\sqrt{2}", True),
    ("3.141592653589793238462649", r"\pi", False), ("3.3333333333333335", r"\frac{10}{3}", True),
    (r"1.41421\cdot\sqrt{x}", r"\sqrt{2x}", True),
    # per cent
    ("0.25%", "0.25", False), (r"\frac{1}{4}\%", r"\frac{1}{4}", False), ("0.5%", "0.5", False),
    ("25%", "25", True), ("25%", "0.25", True), ("25", "25%", True),
    # signs of words
    ("A-", "A+", False), ("O+", "O-", False), ("AB-", "AB+", False), ("C", "C++", False), ("A", "A+", False),
    ("B-", "B+", False), ("A+", "A+", True), ("hand-made", "hand made", True),
    # what is counted
    ("5 men", "5 women", False), ("5 women", "5 men", False), ("5 males", "5 females", False),
    ("5 carts", "5 cars", False), ("5 car", "5 cars", True), ("5 red marbles", "5 marbles", True),
    ("5 marbles", "5 red marbles", True), ("5 apple pies", "5 apples", False), ("5 pages read", "5 pages", True),
    ("5 isn't", "5", False), ("5 repeating", "5", False),
    (r"\$18 per day", r"\$18", True), (r"\$18 per meter", r"\$18", False), ("18 cents per day", r"\$18", False),
    # conditions that restrict nothing
    (r"2n+1, n\in\mathbb{N}", "2n+1", True), (r"2n+1 \text{ for } n\ge 1", "2n+1", True),
    (r"a_n=2n+1,\ n\in\mathbb{N}_+", "2n+1", True), (r"2n+1\ (n\geq1)", "2n+1", True),
    (r"2n+1 \text{ for } n\ge 100", "2n+1", False), (r"5, n\in\mathbb{N}", "5", False),
    (r"a_n = 3^{n-1}, \quad n = 1,2,3,\ldots", "a_n=3^{n-1}", True), (r"2n+1, m\in\mathbb{N}", "2n+1", False),
    (r"f(x)=\frac{1}{x}, x\neq 0", r"f(x)=\frac{1}{x}", True), (r"x^2, x\neq 0", "x^2", False),
    # other readings
    ("{4}^{n}", "2^{2n}", True), ("C(2n,n)", r"\binom{2n}{n}", True), ("P(2,-1)", "(2,-1)", True),
    (r"(-\infty,0) U (1,\infty)", r"(-\infty,0)\cup(1,\infty)", True), (r"\mathbf{R}", r"\mathbb{R}", True),
    ("5 mod 3", "5", False), ("5 mod 3", "2", True), (r"n \bmod 100", "n", False), (r"\gcd(n, 1000)", "n", False),
    (r"x = 100 \approx 105", "100", False), (r"5 \approx 4.8", "5", False), (r"\pi \approx 3.14", r"\pi", True),
    (r"\arcsin 2", "5", False),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "gold", "equal"), FAULTS)
def test_faults(answer, gold, equal):
    assert equivalent(answer, gold).correct is equal


def test_a_cold_pool_does_not_keep_the_caller(monkeypatch):
    from turnwise.verifiers.pool import Pool

    pool, gate = Pool(), threading.Event()
    run = pool.run
    monkeypatch.setattr(pool, "run", lambda *args, **settings: gate.wait() and run(*args, **settings))
    monkeypatch.setattr(algebra, "shared", lambda: pool)
    monkeypatch.setattr(algebra, "_started", (0, threading.Thread()))
    series = Call("sum", (Sym("k"), Num(Fraction(1)), Const("inf"), Pow(Num(Fraction(1, 2)), Sym("k"))))
    with pool:
        assert algebra.ask(series, Num(Fraction(1))) is None
        gate.set()
        assert algebra.start(250.0)
        monkeypatch.setattr(algebra, "DEADLINE_S", 250.0)
        assert algebra.ask(series, Num(Fraction(1))) is True
