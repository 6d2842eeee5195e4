r"""The whole judgement: extraction, reading, comparison; its properties; hostile messages."""

import concurrent.futures
import doctest
import importlib
import pkgutil
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnwise.verifiers.math.answer
import turnwise.verifiers.math.message
import turnwise.verifiers.messages
from tests._work import at_most
from turnwise.verifiers.math import GoldError, Rules, check_gold, equivalent, verify
from turnwise.verifiers.messages import read_message
from turnwise.verifiers.messages.sentence import in_sentence


def accepted(message: str, gold: str, **rules: object) -> bool:
    return verify(message, gold, Rules(**rules)).correct  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message", "found"),
    [
        (r"so \boxed{2} and \boxed{3}", ["2, 3"]), (r"\boxed{4} or \boxed{5}", ["4 or 5"]),
        (r"x = \boxed{2} or x = \boxed{3}", ["2 or 3"]),
        (r"\boxed{4}. Wait, no: \boxed{5}", ["5"]), (r"First \boxed{3}. Then we go on and find \boxed{7}.", ["3",
        "7"]), (r"\boxed{5", ["5"]),
        (r"\boxed{\boxed{3}}", ["3"]), (r"\boxed 5", ["5"]), ("<answer>7</answer>", ["7"]), ("<ANSWER>7</ANSWER>",
        ["7"]), ("<answer>7", ["7"]),
        (r"<answer>\boxed{7}</answer>", ["7"]), (r"\boxed{1} <answer>7</answer>", ["7"]),
        ("<think>7</think> The answer is 8.", ["8"]),
        ("The answer is 4. Wait, the answer is 5.", ["5"]), ("The answer is 5. Wait, no, it is 4.", ["4"]), ("#### 42",
        ["42"]),
        ("Long.\n\n**Final Answer**\n\n42", ["42"]), ("The final answer is:\n\n$$\\frac{1}{2}$$", [r"\frac{1}{2}"]),
        ("**Answer:** 12", ["12"]),
        ("Answer: $x=3$. I hope it is correct.", ["x=3"]), ("答案是12。", ["12"]), ("La respuesta es 12.", ["12"]),
        ("Die Antwort lautet 12.", ["12"]),
        ("We add.\nSo there are 12 ways to do it.", ["12"]), ("A line.\nThus $x = 5$.", ["x = 5"]), ("12", ["12"]),
    ],
)  # fmt: skip
def test_candidates(message, found):
    assert list(read_message(message).candidates) == found


@pytest.mark.parametrize(
    "message",
    [
        "",
        "<think>5",
        "Some words.\nMore words, no answer",
        r"\boxed{5}\pi",
        r"\boxed{}",
        "<answer></answer>",
        "a\nIt is not 5 or 6",
    ],
)
def test_no_candidates(message):
    _, found, problem, *_ = read_message(message)
    assert not found
    assert problem


@pytest.mark.parametrize(
    "text",
    [
        "lambda x: 5",
        "__import__('os').system('echo 5')",
        r"\write18{echo 5}",
        r"\int_0^3 open('/x')",
        "not 5",
        "4 or 5 is it",
        "at least 5 or 6 of them",
    ],
)
def test_sentences_that_state_nothing(text):
    assert in_sentence(text) is None or "5" not in (in_sentence(text) or "").split()


RIGHT = [
    ("0.5", r"\frac{1}{2}"), ("50%", "0.5"), ("x = 5", "5"), ("5 cm", "5"), ("5", r"5\text{ cm}"), ("500 cm", "5 m"),
    ("(1, 2)", r"\left(1,2\right)"),
    ("{2, 1}", r"\{1,2\}"), ("2, 1", "1, 2"), (r"\boxed{B}", "B"), ("(B) 12", "B"), ("12", "(B) 12"),
    ("March 5th, 2024", "2024-03-05"), ("3.141593", r"\pi"),
    ("C, A", "A, C"), ("1,234", "1234"), ("3,14", "3.14"), ("twelve", "12"), ("x>3", r"(3,\infty)"), (r"\pm 2",
    "2, -2"), ("2x+1=y", "y = 2x + 1"),
    ("1/2 (or 0.5)", "0.5"), ("log(100)", "2"), ("ln 2", r"\log 2"), ("no solution", r"\emptyset"), ("10:05 am",
    "10:05"), ("a circle", "circle"),
]  # fmt: skip
WRONG = [
    ("0.33", r"\frac{1}{3}"), ("12", "0.12"), ("y = 5", "x = 5"), ("5 cm", "5 m"), ("(2, 1)", "(1, 2)"), ("{1, 2, 3}",
    r"\{1,2\}"), ("1, 2", "1"), ("1 or 2", "1"),
    ("C", "B"), ("not B", "B"), ("3.14", r"\pi"), ("3.141594", r"\pi"), ("x>3", r"[3,\infty)"), ("2", r"\pm 2"),
    ("5+2k", "5"), ("nan", "0"), ("x", "y"),
    (r"\boxed{4} or \boxed{5}", "5"), (r"\boxed{4}. Later \boxed{5}.", "5"), ("The answer is not 5", "5"),
    ("9**9**9**9", "1"), ("0*x", "0.1"), ("1/0", "0"),
    ("1/20!", "1/21!"), ("2^{-60}", "2^{-61}"), ("123456789012345678901", "123456789012345678902"),
    ("e^{\\pi\\sqrt{163}}", "262537412640768744"),
    ("a+b/2", r"\frac{a+b}{2}"), (r"\sqrt{5}", r"\sqrt[3]{5}"), ("x^2y", "x^{2y}"), ("2 h", "2 min"), ("$5", "€5"),
    ("1/2 (or 0.6)", "0.5"), ("March 6, 2024", "2024-03-05"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "gold"), RIGHT)
def test_right_answers_are_accepted(answer, gold):
    assert verify(answer, gold).correct, verify(answer, gold)


@pytest.mark.parametrize(("answer", "gold"), WRONG)
def test_wrong_answers_are_refused(answer, gold):
    verdict = verify(answer, gold)
    assert not verdict.correct
    assert verdict.reason
    assert verdict.score == 0.0


def test_options_of_strictness():
    assert accepted("0.33", r"\frac{1}{3}", tolerance=0.02)
    assert not accepted("0.3", r"\frac{1}{3}", tolerance=0.02)
    assert not accepted(r"\frac{2}{4}", r"\frac{1}{2}", simplified=True)
    assert accepted(r"\frac{1}{2}", r"\frac{1}{2}", simplified=True)
    assert not accepted(r"\sqrt{8}", r"2\sqrt{2}", simplified=True)
    assert not accepted("2, 1", "1, 2", ordered=True)
    assert not accepted("5", "5 cm", units="required")


@pytest.mark.parametrize("gold", ["", "  ", r"\boxed{}", "(" * 100, "1" * 5000])
def test_a_gold_that_cannot_be_used_raises(gold):
    with pytest.raises(GoldError, match="the gold is"):
        check_gold(gold)
    with pytest.raises(GoldError):
        verify("1", gold)


# ---- properties ----------------------------------------------------------------------------------------------------

GOLDS = ["12", "-3/4", r"\frac{1}{2}", "0.125", r"2\sqrt{3}", r"\pi/6", "x^2+2x+1", "(1, -2)", "[0, 3)",
r"\{1, 2, 3\}", "x = 4", "y = 2x - 1", "3 + 4i",
         r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "5 cm", r"36^\circ", "25\\%", r"204_5", "1:2:3",
         r"x \equiv 3 \pmod 7", "7, 8", r"\pm 2", "B",
         r"(-\infty, 1) \cup (3, \infty)", "e^{2}", r"\ln 2", r"\binom{7}{3}", "n!",
         r"\lfloor x \rfloor", "|x-1|", "Tuesday",
         r"\text{no solution}", "f(x) = x^2", r"x = \frac{\pi}{4} + k\pi, k \in \mathbb{Z}", r"\frac{x+1}{x-1}",
         "$5.50", r"\infty", "AB", "March 5, 2024"]  # fmt: skip


@pytest.mark.parametrize("gold", GOLDS)
def test_every_gold_is_its_own_answer_in_every_dress(gold):
    for message in (
        gold, f"${gold}$", f"\\boxed{{{gold}}}", f"<answer>{gold}</answer>", f"So we get\n\n\\[\\boxed{{{gold}}}\\]",
        f"The answer is \\({gold}\\).",
        f"<think>maybe 17</think> The final answer is \\boxed{{{gold}}}.", f"  {gold}\n",
    ):  # fmt: skip
        assert verify(message, gold).correct, message


def test_golds_differ_from_one_another():
    for gold in GOLDS:
        paid = [other for other in GOLDS if other != gold and verify(other, gold).correct]
        assert paid == [], gold


@given(st.sampled_from([g for g in GOLDS if "\\text" not in g and "," not in g]), st.data())
def test_blanks_and_sizes_change_nothing(gold, data):
    spots = [i for i, c in enumerate(gold) if c in "+-=()[]{}^/<>" and (i == 0 or gold[i - 1] != "\\")]
    chosen = data.draw(st.sets(st.sampled_from(spots)) if spots else st.just(set()))
    spaced = "".join(
        f" {c}" if i in chosen and gold[i - 1 : i] not in ("^", "_", "\\") else c for i, c in enumerate(gold)
    )
    dressed = spaced.replace("\\frac", "\\dfrac").replace("(", "\\left(").replace(")", "\\right)")
    assert verify(dressed, gold).correct, dressed


@given(st.permutations(range(40)))
@settings(max_examples=10)
def test_a_verdict_never_depends_on_earlier_calls(order):
    pairs = [*RIGHT[:20], *WRONG[:20]]
    verdicts = {n: verify(*pairs[n]) for n in order}
    assert [verdicts[n].correct for n in range(40)] == [True] * 20 + [False] * 20


@given(st.integers(-(10**12), 10**12), st.integers(1, 10**6), st.integers(-(10**12), 10**12), st.integers(1, 10**6))
def test_fractions_are_exact(a, b, c, d):
    assert verify(f"\\frac{{{a}}}{{{b}}}", f"{c}/{d}").correct == (a * d == c * b)
    assert verify(f"{a}/{b}", f"{a}/{b}").correct


@given(st.text(max_size=60), st.sampled_from(GOLDS))
def test_any_text_gets_a_verdict(text, gold):
    verdict = verify(text, gold)
    assert verdict.score == float(verdict.correct)
    assert verify(text, gold) == verdict


# ---- hostile messages ----------------------------------------------------------------------------------------------

BIG = [
    "\\boxed{x" + "~" * 420 + "integer}", "\\boxed{x" + "~" * 3800 + "y}", "\\boxed{5}" + "\n" * 95_000 + "x",
    "\\boxed{x" + "\\," * 1500 + "integer}", "5" + " " * 90_000 + "or", "The answer is" + " " * 90_000 + "x",
    "So we get $1$ " + "a" * 150 + "-", "x " + "\n" * 90_000 + "\n1", "answer of a " * 8000,
    "<answer>" + "\\boxed" * 650,
    "So we get $1$ " + "a " * 60 + "-", "因此" * 20_000 + "-", "so the " * 9_000 + "$1$ -", "he has " * 9_000 + "-",
    "a" * 100_000, "{" * 10_000 + "5" + "}" * 10_000, "\\boxed{" * 10_000, "\\boxed{1}" * 10_000, "<answer>" * 10_000,
    "<answer>1</answer>" * 5_000,
    "9" * 100_000, "9^" * 5_000, "\\boxed{" + "9^{" * 300 + "9" + "}" * 301, "\\boxed{" + "(" * 900 + "}",
    "\\boxed{" + "x+" * 1900 + "x}", "$" * 100_000,
    "answer is " * 10_000, "The answer is 1. " * 6_000, "final " * 16_000, "wait " * 20_000, "1 or " * 20_000,
    "\\frac{1}{" * 5_000, " " * 100_000 + "5",
    "\n" * 100_000, "\\(" * 50_000, "```" * 30_000, "**" * 50_000, "½" * 50_000, "\u0305" * 50_000, "。" * 100_000,
    "a." * 50_000, "A. " * 30_000,
    "\\boxed{" + "1," * 1900 + "1}", "\\boxed{" + "\\pm" * 300 + "1}", "\\boxed{\\sum_{i=1}^{10^{9}} i}",
    "\\boxed{(10^9)!}", "\\boxed{\\binom{10^9}{10^8}}",
    "\\boxed{\\tan(10^{100000})}", "\\boxed{e^{e^{e^{e^{10}}}}}", "\\boxed{2^{2^{2^{2^{2^2}}}}}",
    "\\boxed{(x+1)^{100000}}", "\\boxed{99999999!}",
    "\\boxed{" + "\\sqrt{" * 90 + "2" + "}" * 91, "\\boxed{" + "1\\frac{" * 38 + "1}{2}" + "}{2}" * 37 + "}",
    "\\boxed{0." + "1" * 990 + "}",
    "\\boxed{\\gcd(" + "9" * 900 + "," + "8" * 900 + ")}", "\\boxed{" + "\\{" * 38 + "1" + "\\}" * 38 + "}",
    "\\boxed{x^{" + "9" * 500 + "}}",
    "\\boxed{" + "|" * 1000 + "}", "\\boxed{" + "\\begin{cases}" * 100 + "}", "\\boxed{" + "sin" * 1000 + "}",
    "\\boxed{\\log_{1.0000000001}(10^{400})}",
    "\\boxed{" + "x" * 3000 + "}", "\\boxed{" + "AND " * 900 + "}", "\\boxed{" + "\\text{" * 500 + "}",
    "\\boxed{" + "5 m " * 900 + "}", "\ud800" * 1000,
]  # fmt: skip
JUDGED = ["5", "x+1", r"\frac{1}{3}", "(1, 2)", r"\{1,2\}", r"x > 3", "Tuesday", r"\sqrt{2}"]


def judge(messages: list[str]) -> None:
    for message in messages:
        for gold in JUDGED:
            verdict = verify(message, gold)
            assert (
                not verdict.correct
                or (gold == "5" and message.strip() in ("5",))
                or "{5}" in message
                or message.startswith("{")
            ), (message[:80], gold)


@pytest.mark.slow
def test_hostile_messages_are_judged_in_bounded_time():
    for message in BIG:
        with at_most(millions=25, what=message[:60]):
            judge([message])


@pytest.mark.slow
def test_from_threads_too():
    shuffled = [random.Random(n).sample(BIG, 12) for n in range(4)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(judge, shuffled))


MODULES = [turnwise.verifiers.math.answer, turnwise.verifiers.math.message, turnwise.verifiers.messages] + [
    importlib.import_module(f"turnwise.verifiers.messages.{module.name}")
    for module in pkgutil.iter_modules(turnwise.verifiers.messages.__path__)
]


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_examples(module):
    assert doctest.testmod(module).failed == 0


def test_bare_answers_can_be_judged_alone():
    assert equivalent("2/4", "0.5").correct
    assert not equivalent("The answer is 5 or 6", "5").correct
