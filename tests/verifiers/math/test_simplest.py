"""Simplest forms, bases, rules of comparison, and faults that were found."""

import contextlib
import doctest
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from fractions import Fraction

import pytest

from tests.verifiers.math._trees import t
from turnwise.core.errors import InfrastructureError
from turnwise.verifiers.math.answer import equivalent
from turnwise.verifiers.math.compare import algebra
from turnwise.verifiers.math.compare.compare import Rules, compare
from turnwise.verifiers.math.compare.simplest import simplest
from turnwise.verifiers.math.values.tree import (
    Base,
    Call,
    Const,
    Neg,
    Num,
    Pow,
    Sym,
    Text,
)
from turnwise.verifiers.pool import Pool, shared


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
    outcome = compare(t(answer), t(gold))
    assert outcome.equal is equal
    assert algebra.equal(algebra.packed(t(answer)), algebra.packed(t(gold))) is equal


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


SERIES = Call("sum", (Sym("k"), Num(Fraction(1)), Const("inf"), Pow(Num(Fraction(1, 2)), Sym("k"))))


@pytest.mark.slow
def test_the_first_question_of_a_process_is_answered():
    script = (
        "from turnwise.verifiers.math import verify\n"
        "gold, answer = r'\\sum_{n=2}^{\\infty} \\frac{1}{n^2-1}', r'\\sum_{n=1}^{\\infty} \\frac{1}{n(n+2)}'\n"
        "print([verify(answer, gold).correct for _ in range(3)])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.strip() == "[True, True, True]"


def _children(pid):
    found = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


@pytest.mark.slow
def test_a_worker_that_stands_still_delays_the_verdict_and_does_not_change_it():
    assert algebra.ask(SERIES, Num(Fraction(1))) is True
    server = shared()._server.pid
    over, stopped = threading.Event(), []

    def stop():
        while not over.is_set() and not stopped:
            for worker in _children(server):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGSTOP)
                    stopped.append(worker)
                    time.sleep(0.6)
                    os.kill(worker, signal.SIGCONT)

    thread = threading.Thread(target=stop)
    thread.start()
    verdicts = [algebra.ask(SERIES, Num(Fraction(1))) for _ in range(500) if not stopped]
    over.set()
    thread.join()
    assert stopped, "no worker was seen at work"
    assert set(verdicts) == {True}


def test_without_workers_there_is_a_failure_and_no_verdict(monkeypatch):
    with Pool() as pool:
        monkeypatch.setattr(algebra, "shared", lambda: pool)
        monkeypatch.setattr(sys, "executable", "/nonexistent/python")
        with pytest.raises(InfrastructureError, match="unavailable"):
            algebra.ask(SERIES, Num(Fraction(1)))
