r"""The reader: spellings of one formula give one tree; what is no formula is text; bounds hold."""

import contextlib
import doctest
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise.verifiers.math.read.dates
import turnwise.verifiers.math.read.lexer
import turnwise.verifiers.math.read.reader
import turnwise.verifiers.math.read.spelling
from tests._work import at_most
from turnwise.verifiers.math.read.cursor import USUAL, Reading
from turnwise.verifiers.math.read.dates import read_moment, same_moment
from turnwise.verifiers.math.read.reader import read
from turnwise.verifiers.math.values.tree import (
    FUNCTIONS,
    Base,
    Call,
    Cases,
    Const,
    Junction,
    List,
    Matrix,
    Mul,
    Num,
    Percent,
    Quantity,
    ReadError,
    Relation,
    Seq,
    Set,
    SetBuilder,
    SetOp,
    Sym,
    Text,
)


def tree(text: str, reading: Reading = USUAL):
    return read(text, reading)[0]


SAME = [
    (r"\frac{1}{2}", "1/2", r"\dfrac12", "½", r"\tfrac{1}{2}", r"$\frac{1}{2}$", r"\(\frac{1}{2}\)", " 1 / 2 ", "1⁄2",
    r"{1 \over 2}",
     r"\displaystyle\frac{1}{2}", "**1/2**", r"\frac 1 2", r"\frac1{2}", "１/２"),
    ("1234567", "1,234,567", "1 234 567", r"1{,}234{,}567", r"1\,234\,567", "1_234_567", "1'234'567", "1.234.567",
    r"1,\!234,\!567"),
    (r"x^2", "x²", "x^{2}", "x**2", "𝑥²"),
    (r"\sqrt{2}", "√2", "sqrt(2)", "sqrt 2", r"\sqrt2", "√(2)"),
    (r"2\sqrt{3}", "2√3", "2*sqrt(3)", r"2 \cdot \sqrt{3}", r"2\times\sqrt3"),
    (r"\sin x", "sin(x)", "sinx", r"\sin{x}", r"\operatorname{sin} x", r"\mathrm{sin}\,x"),
    (r"x \le 3", "x <= 3", "x ≤ 3", r"x \leq 3", r"x\leqslant3"),
    (r"\{1, 2\}", "{1, 2}", r"\left\{1,2\right\}", r"\lbrace 1, 2 \rbrace"),
    (r"3\frac{1}{2}", "3 1/2", "3½", r"3 \frac12"),
    (r"1.5 \times 10^3", "1.5e3", "1.5 x 10^3", "1.5 × 10³", "1.5*10^3", "1.5E+3"),
    (r"\binom{5}{2}", "C(5,2)", "C_5^2", "5 choose 2", r"{}_5C_2", "5C2", r"\dbinom52", r"{5 \choose 2}"),
    (r"x < 1 \text{ or } x > 3", "x<1 or x>3", r"x<1 \lor x>3", "x＜1 或 x＞3"),
    (r"36^\circ", "36°", "36 degrees", r"36^{\circ}", r"36\degree", r"36\text{ degrees}"),
    (r"25\%", "25%", "25 percent", "25 %", "25 per cent"[:0] + "25 percent"),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "[[1,2],[3,4]]", r"\left[\begin{array}{cc}1&2\\3&4\end{array}\right]",
     r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}", r"\begin{pmatrix}1&2\\[4pt]3&4\end{pmatrix}"),
    ("0.333...", "0.(3)"[:0] + "0.333…"),
    (r"|x|", r"\left|x\right|", r"\lvert x\rvert", "abs(x)", r"\mid x \mid"),
    (r"\text{Tuesday}", "Tuesday", r"\mathrm{Tuesday}"),
    ("no solution", r"\text{No solution}", r"\emptyset", "∅", r"\varnothing", "There is no solution.", "无解", r"\{\}"),
    (r"x\in\mathbb{R}", "x ∈ ℝ", r"x \in \mathbb R"),
]  # fmt: skip


@pytest.mark.parametrize("spellings", SAME, ids=lambda s: s[0])
def test_spellings_of_one_formula_give_one_tree(spellings):
    first = plain_of(tree(spellings[0]))
    for other in spellings[1:]:
        assert plain_of(tree(other)) == first, other


def plain_of(node):
    """The tree without the names of units, which keep their spelling."""
    if isinstance(node, Quantity):
        return Quantity(plain_of(node.value), node.unit._replace(name=""))
    return node


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("(1, 2]", Seq), ("1, 2", List), ("x=1, y=2", List), ("x=1 and y=2", Junction), (r"\{x \mid x>0\}",
        SetBuilder), (r"A \cup B", SetOp),
        ("204_5", Base), ("3F_{16}", Base), (r"\text{AB}_{16}", Base), ("0b1011", Base), ("12%", Percent), ("$5",
        Quantity), ("5 cm", Quantity),
        ("5 ft 3 in", Mul | type(tree("1+x"))), ("12 apples", Quantity), ("x = 5", Relation), (r"x \equiv 3 \pmod 7",
        Relation), ("3 mod 7", Relation),
        (r"\begin{cases} x & x<0 \\ -x & \text{otherwise}\end{cases}", Cases), (r"\langle 1, 2\rangle", Seq), (r"f(x)",
        Call), ("xy", Mul), ("AB", Sym),
        ("{1}", Set), ("cat", Text), ("9**9**9**9", type(tree("x^2"))), (r"x = \frac{\pi}{4} + k\pi, k \in \mathbb{Z}",
        SetBuilder),
        ("all real numbers", Const), (r"[[1,2],[3,4]]", Matrix), ("yes", Text), ("", Text), ("+", Text), ("(", Text),
        (r"\frac{1}", Text), ("x +", Text),
        ("1 2", Text), ("lambda x: x", Text), ("__import__('os')", Text), (r"\input{/etc/passwd}", Text), ("eval(1)",
        Text), ("len('yyy')", Text),
        ("[5][0]", Text), ("x if x else y", Text), ("1;import os", Text), ("nan", Text), ("None", Text), ("True", Text),
    ],
)  # fmt: skip
def test_kinds_of_trees(text, kind):
    assert isinstance(tree(text), kind), tree(text)


def test_ambiguous_readings_are_reported_and_can_be_chosen():
    node, ambiguous = read("1,234")
    assert node == Num(Fraction(1234))
    assert ambiguous == {"commas"}
    assert tree("1,234", Reading(commas="list")) == List((Num(Fraction(1)), Num(Fraction(234))))
    assert tree("5m") == Mul((Num(Fraction(5)), Sym("m")))
    assert isinstance(tree("5m", Reading(letters="units")), Quantity)
    assert isinstance(tree("5 m"), Quantity)
    assert isinstance(tree("5 m", Reading(letters="symbols")), Mul)
    assert tree(r"\log 2") != tree(r"\log 2", Reading(log="e"))


def test_labels_are_taken_off():
    assert tree("The area is 12") == tree(r"\text{Area} = 12") == tree("Total: 12") == Num(Fraction(12))
    assert isinstance(tree("The area is not 12"), Text)


@pytest.mark.parametrize(
    "text",
    ["(" * 5000, "{" * 10_000, "\\frac{" * 3000, "-" * 4001, "1" * 5000, "x_" * 3000, "\\text{" * 3000, "[" * 3999,
    "|" * 3999, "^" * 3999,
     "9^" * 1900 + "9", "\\sqrt{" * 600 + "2" + "}" * 600, "\\begin{pmatrix}" * 200, "1," * 1999, "\\left(" * 600,
     "a" * 4000, "½" * 3000,
     "\\overline{" * 300, "." * 3999, "x+" * 1900, "((" * 1000 + "))" * 1000, "__" * 1900, "$" * 3999,
     " \\quad = " * 400],
)  # fmt: skip
def test_hostile_texts_are_read_in_bounded_time(text):
    with at_most(millions=4), contextlib.suppress(ReadError):
        read(text)


ALPHABET = st.sampled_from(
    [
        *"0123456789xyzabeiCP+-*/^_=<>()[]{}|,;:.!%'$&~ ",
        "\\frac", "\\sqrt", "\\pi", "\\text{", "\\left(", "\\right)", "\\begin{pmatrix}", "\\end{pmatrix}", "\\\\",
        "\\cup", "\\in", "\\mathbb{R}",
        "\\{", "\\}", "\\pm", "\\le", "\\infty", "sin", "log", "and ", "or ", "cm", "°", "½", "²", "\\cdot ",
        "\\log_", "\\sum_{i=1}^{n}", "|", "mod ", "if ",
        "\\binom", "\\overline{", "\\circ", "\\%", "dollars", "\n", "\\pmod", "\\angle ", "\\begin{cases}",
        "\\end{cases}", "\\mid ", "或",
    ]
)  # fmt: skip


@given(st.lists(ALPHABET, max_size=25).map("".join))
def test_reading_never_raises_anything_else(text):
    try:
        node, ambiguous = read(text)
    except ReadError:
        return
    assert ambiguous <= {"commas", "letters", "log"}
    for part in walked(node):
        assert not isinstance(part, Call) or part.name in FUNCTIONS
    assert read(text) == (node, ambiguous)


@given(st.text(max_size=200))
def test_any_text_is_read(text):
    read(text)


def walked(node):
    yield node
    for field in node:
        for part in field if type(field) is tuple else (field,):
            if isinstance(part, tuple) and hasattr(part, "_fields") and type(part).__module__.endswith("tree"):
                yield from walked(part)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("March 5, 2024", "5th of March 2024", True), ("2024-03-05", "Mar. 5, 2024", True), ("March 5",
        "March 5, 2024", True),
        ("March 5, 2024", "May 3, 2024", False), ("Tues.", "on Tuesday", True), ("Tuesday", "Thursday", False),
        ("3:30 pm", "15:30", True),
        ("3:30 p.m.", "3:30", True), ("3:30 am", "3:30 pm", False), ("12:05 am", "0:05", True), ("12:05 pm", "12:05",
        True), ("10:05", "10:05:00", True),
        ("10:05", "10:06", False),
    ],
)  # fmt: skip
def test_moments(one, other, same):
    a, b = read_moment(one), read_moment(other)
    assert a is not None
    assert b is not None
    assert same_moment(a, b) == same_moment(b, a) == same


@pytest.mark.parametrize(
    "text", ["3/5/2024", "32:10", "13:00 pm", "March", "2024", "3", "Mon Tue", "March 40", "", "x" * 100]
)
def test_what_is_no_moment(text):
    assert read_moment(text) is None


@pytest.mark.parametrize(
    "module",
    [
        turnwise.verifiers.math.read.reader,
        turnwise.verifiers.math.read.spelling,
        turnwise.verifiers.math.read.dates,
        turnwise.verifiers.math.read.lexer,
    ],
    ids=lambda m: m.__name__,
)
def test_examples(module):
    assert doctest.testmod(module).failed == 0
