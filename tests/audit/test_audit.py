"""The audit finds what is wrong, and only that."""

import ast
import doctest
import itertools
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Literal

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnwise.audit.mutants
import turnwise.audit.paraphrase
import turnwise.audit.probes
import turnwise.audit.result
import turnwise.audit.run
import turnwise.audit.search
from tests._work import one_in
from turnwise.audit.levels import LevelChance, chance_line, generation_rate, measure_levels
from turnwise.audit.mutants import DUMPS, HOSTILE, LUCKY, OVERSIZE, hedges, message_hedges, mutants
from turnwise.audit.paraphrase import promised, styles
from turnwise.audit.result import AuditResult, Finding, Tally, markdown_rows, to_json, to_text
from turnwise.audit.run import audit, audit_verifier
from turnwise.audit.search import shrink
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import env_class, register
from turnwise.verifiers.arithmetic import ExpressionError, evaluate
from turnwise.verifiers.extract import boxed, final_answer, tagged
from turnwise.verifiers.math import Rules, equivalent
from turnwise.verifiers.rational import parse_rational, verify_rational

MODULES = (
    turnwise.audit.run,
    turnwise.audit.result,
    turnwise.audit.search,
    turnwise.audit.mutants,
    turnwise.audit.paraphrase,
)


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found, and how small, must not depend on how busy the machine is: a look at the clock is the time.

    Nor is the rate of generation measured for long.
    """
    looks = itertools.count()
    clock = SimpleNamespace(process_time=lambda: next(looks) / 1000, monotonic=lambda: 0.0)
    monkeypatch.setattr(turnwise.audit.search, "time", clock)
    monkeypatch.setattr(turnwise.audit.run, "generation_rate", partial(generation_rate, seconds=0.01))


def test_a_search_that_waits_for_other_processes_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = itertools.count()
    clock = SimpleNamespace(process_time=lambda: 0.0, monotonic=lambda: float(next(seconds)))
    monkeypatch.setattr(turnwise.audit.search, "time", clock)
    whole, tried = " ".join(map(str, range(200))), list[str]()

    def holds(text: str) -> bool:
        tried.append(text)
        return text == whole

    turnwise.audit.search.shrink(whole, holds, seconds=2.0)
    assert 5 < len(tried) < 12  # four times two seconds


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_examples(module) -> None:
    found = doctest.testmod(module)
    assert found.failed == 0


@dataclass(frozen=True)
class Task:
    number: int


class Honest(Env[Task]):
    """Reward 1 for saying the number that is shown."""

    high: int = 1000
    levels = tuple({"high": 10 * 2**n} for n in range(10))
    chance = tuple(1 / (10 * 2**n) for n in range(10))
    chance_default = 0.001
    cheats = ("9 or 10", lambda env: f"not {env.task.number}")

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(int(rng.integers(self.high)))

    def begin(self) -> str:
        return f"Say the number after {self.task.number - 1}."

    def respond(self, action: str) -> Reply:
        return Reply("Yes.", solved=True) if action.strip() == str(self.task.number) else Reply("No.")

    def oracle(self) -> str:
        return str(self.task.number)

    def paraphrases(self) -> Sequence[str]:
        return (f" {self.task.number}", f"{self.task.number}\n")

    def sample_action(self, rng: np.random.Generator) -> str:
        return str(rng.integers(self.high))


@register("audited/Honest-v0")
class _Honest(Honest):
    pass


@register("audited/Picky-v0")
class _Picky(Honest):
    """Refuses a paraphrase."""

    def respond(self, action: str) -> Reply:
        return Reply("Strip it.") if action.endswith("\n") else super().respond(action)


@register("audited/Leaky-v0")
class _Leaky(Honest):
    """Pays one of its cheats a little, and a text that says nothing."""

    def respond(self, action: str) -> Reply:
        if action.startswith("not ") and self.task.number % 2:
            return Reply("Half right.", reward=0.25, done=True)
        return Reply("Fine.", solved=True) if action.startswith("I give up") else super().respond(action)


@register("audited/Guessable-v0")
class _Guessable(Honest):
    """A constant answer is right too often."""

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(int(rng.integers(2)))


@register("audited/Unlucky-v0")
class _Unlucky(Honest):
    """A constant answer is right now and then: no more than chance."""

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(int(rng.integers(25)))


@register("audited/Settled-v0")
class _Settled(Honest):
    """The last of two answers may be any number."""

    max_turns = 2
    margin: int = 1_000_000

    def begin(self) -> str:
        self.first = True
        return super().begin()

    def respond(self, action: str) -> Reply:
        if self.first:
            self.first = action.strip() != str(self.task.number)
            return Reply("No." if self.first else "Any number that is close, please.", done=self.first)
        number = action.strip()
        near = number.isdecimal() and len(number) < 9 and abs(int(number) - self.task.number) <= self.margin
        return Reply("Fine.", solved=True) if near else Reply("No.", done=True)


@register("audited/Lax-v0")
class _Lax(_Settled):
    """The last of two answers may be ten off: ten times as many are paid as are right by chance."""

    margin: int = 10


@register("audited/Broken-v0")
class _Broken(Honest):
    """Raises on an empty answer."""

    def respond(self, action: str) -> Reply:
        action[0]
        return super().respond(action)


@register("audited/Poor-v0")
class _Poor(Honest):
    """The oracle fails on some tasks."""

    def oracle(self) -> str:
        return str(min(self.task.number, 500))


def names(result: AuditResult) -> list[tuple[str, str]]:
    return [(f.kind, f.name) for f in result.findings]


def test_nothing_is_found_in_an_honest_environment() -> None:
    result = audit("audited/Honest-v0", {"high": 5000}, num_tasks=30, seed=3)
    assert result.ok, to_text(result)
    assert result.settings == {"high": 5000}
    assert result.tallies["oracle"] == (30, 30)
    assert result.tallies["paraphrase"] == (60, 60)
    assert result.tallies["cheat"] == (0, 60)
    assert result.tallies["hostile"] == (0, 30 * len(HOSTILE) + len(OVERSIZE))
    assert result.tallies["lucky"].trials == 30 * (len(LUCKY) + len(DUMPS) + 1)
    assert result.tallies["hedge"].trials > 200
    assert result.tallies["mutant"].trials > 200
    assert result.tally("random").rate < 0.1
    assert result.styles["thousands"].paid == 0
    assert result.tasks_per_second > 100


def test_an_audit_is_the_same_every_time() -> None:
    def once() -> tuple[object, ...]:
        found = audit("audited/Leaky-v0", num_tasks=10, seed=2)
        return found.tallies, found.mutants, found.styles, found.findings

    assert once() == once()


def test_a_refused_paraphrase_is_a_false_reject() -> None:
    result = audit("audited/Picky-v0", num_tasks=20)
    [finding] = result.findings
    assert (finding.kind, finding.name, finding.wrong, finding.trials) == ("false reject", "paraphrase 2", 20, 20)
    assert finding.example.action.endswith("\n")


def test_an_oracle_that_fails_is_a_false_reject() -> None:
    result = audit("audited/Poor-v0", num_tasks=40)
    assert names(result) == [("false reject", "oracle")]
    assert 5 < result.findings[0].wrong < 35


def test_a_paid_cheat_is_a_false_accept_however_little_it_earns() -> None:
    result = audit("audited/Leaky-v0", num_tasks=40)
    assert names(result)[:2] == [("false accept", "cheat 2"), ("false accept", "hostile text: 'I give up.'")]
    assert result.findings[0].example.reward == 0.25
    assert 0 < result.findings[0].wrong < 40
    assert result.findings[1].wrong == 40
    assert result.findings[1].example.action == "I give up"


def test_constants_may_be_lucky_but_not_more() -> None:
    assert audit("audited/Unlucky-v0", num_tasks=40).ok
    assert ("false accept", "constant: '1'") in names(audit("audited/Guessable-v0", num_tasks=40))


def test_a_last_move_that_does_not_matter_is_no_fault() -> None:
    assert audit("audited/Settled-v0", num_tasks=20).ok
    assert ("false accept", "mutant: a digit changed") in names(audit("audited/Lax-v0", num_tasks=20))


def test_an_exception_is_an_error_and_the_audit_goes_on() -> None:
    result = audit("audited/Broken-v0", num_tasks=5)
    [finding] = result.findings
    assert (finding.kind, finding.name) == ("error", "hostile text: ''")
    assert "IndexError" in finding.example.why


# ---- planted faults --------------------------------------------------------------------------------------------------


class Asked(Honest):
    """An honest environment that promises the answer rule; each of its children has one fault."""

    levels = ()
    chance = ()
    cheats = ()

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(int(rng.integers(1000, 10**6)))

    def begin(self) -> str:
        return f"What is {self.task.number - 7} + 7? Give it as <answer>...</answer>."

    def gold(self) -> str:
        return str(self.task.number)

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "one"

    def correct(self, text: str) -> bool:
        return verify_rational(text, self.task.number).correct

    def pays(self, action: str) -> float:
        answer = final_answer(action).text
        return float(answer is not None and self.correct(answer))

    def respond(self, action: str) -> Reply:
        paid = self.pays(action)
        return Reply("Right.", solved=True) if paid == 1 else Reply("Wrong.", reward=paid)

    def oracle(self) -> str:
        return f"<answer>{self.gold()}</answer>"

    def paraphrases(self) -> Sequence[str]:
        return ()

    def sample_action(self, rng: np.random.Generator) -> str:
        return f"<answer>{rng.integers(1000, 10**6)}</answer>"


class Bits(Asked):
    """Any bits whose number of ones is even are right."""

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(int(rng.integers(0, 128)))

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "many"

    def wanted(self) -> str:
        return f"{self.task.number:07b}"

    def gold(self) -> str:
        return self.wanted()

    def correct(self, text: str) -> bool:
        wanted = self.wanted()  # two solutions: the bits, or all but the last flipped
        return text in (wanted, "".join("10"[int(b)] for b in wanted[:-1]) + wanted[-1])

    def sample_action(self, rng: np.random.Generator) -> str:
        return f"<answer>{rng.integers(0, 128):07b}</answer>"


class LenientBits(Bits):
    """Missing bits are 0, other characters and further bits are ignored."""

    def correct(self, text: str) -> bool:
        return super().correct("".join(c for c in text if c in "01").ljust(7, "0")[:7])


class Substring(Asked):
    def correct(self, text: str) -> bool:
        return self.gold() in text


class LastNumber(Asked):
    def correct(self, text: str) -> bool:
        return re.findall(r"[0-9]+", text)[-1:] == [self.gold()]


class AbsoluteTolerance(Asked):
    def correct(self, text: str) -> bool:
        value = parse_rational(text)
        return value is not None and abs(value - self.task.number) < Fraction(1, 100)


class FloatRounding(Asked):
    def correct(self, text: str) -> bool:
        value = parse_rational(text)
        return value is not None and float(value) == float(self.task.number)


class AnyBox(Asked):
    def pays(self, action: str) -> float:
        return float(any(self.correct(a) for a in boxed(action) + tagged(action, "answer")) or super().pays(action))


class Arithmetic(Asked):
    """Make the number from the numbers given, but who looks which were used?"""

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(int(rng.integers(10, 99)))

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "many"

    def gold(self) -> str:
        return f"{self.task.number} * 2 - {self.task.number - 5} - 5"

    def correct(self, text: str) -> bool:
        try:
            return evaluate(text)[0] == self.task.number
        except ExpressionError:
            return False


class TooStrict(Asked):
    """Blanks in the tag are taken for a part of the answer."""

    def pays(self, action: str) -> float:
        return float(f"<answer>{self.gold()}</answer>" in action or action == self.gold()) * super().pays(action)


class NoThousands(Asked):
    def paraphrases(self) -> Sequence[str]:
        return (f"<answer>{self.task.number:,}</answer>",)

    def correct(self, text: str) -> bool:
        return "," not in text and super().correct(text)


class FormatPays(Asked):
    def pays(self, action: str) -> float:
        return super().pays(action) or 0.1 * ("<answer>" in action)


class Prefix(Asked):
    def correct(self, text: str) -> bool:
        return text.startswith(self.gold())


class SetForSequence(Asked):
    """The order of the items counts, but is not looked at."""

    def gold(self) -> str:
        n = self.task.number
        return f"({n % 97}, {n % 89 + 100}, {n % 83 + 200})"

    def correct(self, text: str) -> bool:
        return Counter(re.findall(r"[0-9]+", text)) == Counter(re.findall(r"[0-9]+", self.gold()))


class Percent(Asked):
    def correct(self, text: str) -> bool:
        value = parse_rational(text)
        return value is not None and self.task.number in (value, 100 * value, value / 100)


class ReadsThoughts(Asked):
    def pays(self, action: str) -> float:
        return float(super().pays(action) or any(self.correct(a) for a in tagged(action, "answer")[:1]))


class Braceless(Asked):
    def gold(self) -> str:
        return f"x^{{{self.task.number}y}} + \\frac{{1}}{{2}}"

    def correct(self, text: str) -> bool:
        return re.sub(r"[{}\s]", "", text) == re.sub(r"[{}\s]", "", self.gold())


class Poisoned(Asked):
    """An endless tower of powers, and the verifier of this environment answers no more."""

    stuck = False

    def correct(self, text: str) -> bool:
        self.stuck = self.stuck or "__" in text
        return not self.stuck and super().correct(text)


class PoisonedForGood(Asked):
    """The same for all environments of the process."""

    stuck: list[str] = []  # type: ignore[misc]

    def correct(self, text: str) -> bool:
        if "nan" in text:
            self.stuck.append(text)
        return not self.stuck and super().correct(text)


class Composed(Asked):
    """After an equals sign, and only there, the gold is searched for: no text of the library has one before a list."""

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(int(rng.integers(1, 1000)))

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "many"

    def respond(self, action: str) -> Reply:
        _, found, rest = action.rpartition("= ")
        if found and f" {self.gold()} " in rest:
            return Reply("Right.", solved=True)
        return super().respond(action)._replace(invalid=not found)


class Crashes(Asked):
    def correct(self, text: str) -> bool:
        return Fraction(text.replace(",", "")) == self.task.number if text[0].isdigit() else False


class Slow(Asked):
    def pays(self, action: str) -> float:
        if len(action) > 500_000:
            raise TimeoutError("gave up after a minute")
        return super().pays(action)


FAULTY = (
    LenientBits, Substring, LastNumber, AbsoluteTolerance, FloatRounding, AnyBox, Arithmetic, TooStrict, NoThousands,
    FormatPays, Prefix, SetForSequence, Percent, ReadsThoughts, Braceless, Poisoned, PoisonedForGood, Composed, Crashes,
    Slow,
)  # fmt: skip
for fault in (Asked, Bits, *FAULTY):
    register(f"audited/{fault.__name__}-v0")(fault)


def smallest(fault: type[Asked], kind: str = "false accept") -> tuple[Finding, AuditResult]:
    """The finding with the smallest example; all findings are of one kind."""
    result = audit(f"audited/{fault.__name__}-v0", num_tasks=12)
    assert result.findings, f"{fault.__name__} is not found"
    assert {f.kind for f in result.findings} == {kind}, to_text(result)
    return min(result.findings, key=lambda f: len(f.example.action)), result


@pytest.mark.parametrize("env", one_in(2, [Asked, Bits]))
def test_without_a_fault_nothing_is_found(env: type[Asked]) -> None:
    result = audit(f"audited/{env.__name__}-v0", num_tasks=25)
    assert result.ok, to_text(result)
    assert result.tallies["rewriting"].rate == 1.0
    assert result.tallies["rewriting"].trials > 500


def test_missing_and_further_bits() -> None:
    finding, result = smallest(LenientBits)
    assert finding.name.startswith("mutant: ")
    assert "it is not 7 bits" in finding.example.why
    bits = re.sub("[^01]", "", finding.example.action)
    assert len(bits) < 7
    assert result.mutants["a bit too many"] == (12, 12)


def test_a_substring() -> None:
    finding, result = smallest(Substring)
    answer = re.sub("<.*?>", "", finding.example.action)
    gold = re.search(r"answer is '(\d+)'", finding.example.why)
    assert gold is not None and gold[1] in answer
    assert len(answer) <= len(gold[1]) + 2  # the gold, and what makes it wrong
    assert ("false accept", "hedge: X or Y") in names(result)
    assert ("false accept", "hedge: not X") in names(result)


@pytest.mark.slow
def test_the_last_number() -> None:
    finding, _ = smallest(LastNumber)
    answer = final_answer(finding.example.action).text or ""
    assert len(answer) <= 9, finding.example
    assert len(re.findall("[0-9]+", answer)[-1]) in (4, 5, 6)


def test_tolerances() -> None:
    finding, result = smallest(AbsoluteTolerance)
    assert re.fullmatch(r"(?:<answer>)?[0-9]{3,6}\.[0-9]*(?:</answer>)?", finding.example.action), finding.example
    assert result.mutants["0.001 away"] == (12, 12)
    assert result.mutants["0.4 away"] == (0, 12)
    finding, result = smallest(FloatRounding)
    assert len(finding.example.action) > len("<answer>") + 15
    assert [name for name, tally in result.mutants.items() if tally.paid] == ["in the 17th digit"]


@pytest.mark.slow
def test_any_of_many_boxes() -> None:
    finding, result = smallest(AnyBox)
    assert len(finding.example.action) <= 45
    assert finding.example.action.count("answer>") + finding.example.action.count("boxed") >= 1
    assert ("false accept", "hedge: two boxes") in names(result)
    assert ("false accept", "hedge: two tags, the right one last") in names(result)


@pytest.mark.slow
def test_an_expression_of_other_numbers() -> None:
    finding, result = smallest(Arithmetic)
    assert ("false accept", "mutant: numbers that were not given") in names(result)
    assert evaluate(re.sub("<.*?>", "", finding.example.action))[0] == int(finding.example.why.split()[3].strip("'("))


def test_too_strict() -> None:
    finding, _ = smallest(TooStrict, "false reject")
    assert finding.name.startswith("rewriting: ")
    assert len(finding.example.action) <= len("<answer>123456</answer>") + 1
    assert final_answer(finding.example.action).text is not None


@pytest.mark.slow
def test_a_promised_spelling_that_is_refused() -> None:
    finding, result = smallest(NoThousands, "false reject")
    assert finding.name == "paraphrase 1"
    assert "," in finding.example.action
    assert result.styles["thousands"].paid == 0 < result.styles["decimal point"].paid


@pytest.mark.slow
def test_pay_for_the_format() -> None:
    finding, _ = smallest(FormatPays)
    assert finding.example.action == "<answer>"
    assert finding.example.reward == pytest.approx(0.1)


@pytest.mark.slow
def test_a_prefix() -> None:
    finding, result = smallest(Prefix)
    assert ("false accept", "mutant: a digit more") in names(result)
    gold = re.search(r"answer is '(\d+)'", finding.example.why)
    assert gold is not None and re.sub("<.*?>", "", finding.example.action).startswith(gold[1])
    assert len(re.sub("<.*?>", "", finding.example.action)) == len(gold[1]) + 1


@pytest.mark.slow
def test_order_ignored() -> None:
    finding, result = smallest(SetForSequence)
    assert {"mutant: reversed", "mutant: two items swapped"} <= {name for _, name in names(result)}
    assert len(re.findall("[0-9]+", finding.example.action)) == 3


@pytest.mark.slow
def test_a_hundredth_of_it() -> None:
    _, result = smallest(Percent)
    assert {name for _, name in names(result)} >= {"mutant: a hundred times", "mutant: a hundred times less"}
    assert result.mutants["ten times"].paid == 0


def test_an_answer_that_was_only_thought() -> None:
    finding, result = smallest(ReadsThoughts)
    assert ("false accept", "hedge: only in <think>") in names(result)
    assert len(finding.example.action) <= len("<think><answer>123456</answer></think>")


@pytest.mark.slow
def test_braces_dropped() -> None:
    finding, result = smallest(Braceless)
    assert names(result) == [("false accept", "mutant: braces dropped")]
    assert re.fullmatch(r"<answer>x\^\d+y \+ .*</answer>", finding.example.action)


def test_one_answer_that_poisons_the_next() -> None:
    finding, result = smallest(Poisoned, "state leak")
    assert re.sub("<.*?>", "", finding.example.action) == "__"
    assert "oracle earned 0.0" in finding.example.why and "before 1.0" in finding.example.why
    assert result.notes
    finding, _ = smallest(PoisonedForGood, "state leak")
    assert "nan" in finding.example.action
    PoisonedForGood.stuck.clear()


def test_what_only_a_search_finds() -> None:
    finding, result = smallest(Composed)
    assert ("false accept", "found by hill-climbing") in names(result)
    assert "= " in finding.example.action


def test_errors_are_told_with_what_raised_them() -> None:
    finding, _ = smallest(Crashes, "error")
    assert "ValueError" in finding.example.why
    assert len(finding.example.action) <= len("<answer>1x</answer>")


@pytest.mark.slow
def test_messages_too_long_for_an_environment_are_found() -> None:
    finding, _ = smallest(Slow, "error")
    assert "gave up" in finding.example.why
    assert 500_001 <= len(finding.example.action) <= 700_000


# ---- bare verifiers --------------------------------------------------------------------------------------------------

NUMBERS = ["12", "305", "77", "1024", "9", "33350", "18", "640", "2500", "41"]


def number(text: str, gold: str) -> object:
    value = parse_rational(gold)
    assert value is not None
    return verify_rational(text, value)


@pytest.mark.parametrize(
    ("verify", "golds"),
    [
        (number, [*NUMBERS, "3/4", "0.125", "-7"]),
        (
            partial(equivalent, rules=Rules(evaluated=True, algebra=False)),
            ["\\frac{1}{2}", "(1, 2)", "0.375", "12"],
        ),
    ],
)
def test_shipped_verifiers(verify, golds) -> None:
    result = audit_verifier(verify, golds)
    assert result.ok, to_text(result)
    assert result.tallies["oracle"] == (len(golds), len(golds))
    assert result.tally("hedge", "mutant").trials > 60


@pytest.mark.parametrize(
    ("verify", "name"),
    [
        (lambda text, gold: gold in text, "hedge: X or Y"),
        (lambda text, gold: text.split()[-1:] == [gold], "hedge: Y or X"),
        (lambda text, gold: text.startswith(gold), "mutant: a digit more"),
        (lambda text, gold: bool(text == gold or "correct" in text), "hostile: '<answer>correct</answer>'"),
        (lambda text, gold: number(text, gold).correct or text[:-1] == gold, "mutant: a digit more"),
    ],
)
def test_faulty_verifiers(verify, name: str) -> None:
    result = audit_verifier(verify, NUMBERS)
    assert name in [f.name for f in result.findings], to_text(result)
    assert {f.kind for f in result.findings} == {"false accept"}


def test_a_verifier_of_messages() -> None:
    def whole(text: str, gold: str) -> bool:
        return final_answer(text).text == gold

    result = audit_verifier(whole, NUMBERS, messages=True)
    assert result.ok, to_text(result)
    assert result.tallies["rewriting"].rate == 1
    result = audit_verifier(lambda t, gold: tagged(t, "answer")[-1:] == [gold], NUMBERS, messages=True)
    assert ("false accept", "hedge: two tags, the right one last") in names(result)
    assert ("false reject", "rewriting: box") in names(result)


def test_a_verifier_that_refuses_its_gold_raises_or_remembers() -> None:
    result = audit_verifier(lambda text, gold: text == gold and gold != "77", NUMBERS)
    assert [(f.kind, f.example.action) for f in result.findings] == [("false reject", "77")]
    result = audit_verifier(lambda text, gold: bool(text[0]) and text == gold, NUMBERS)
    assert {f.kind for f in result.findings} == {"error"}
    seen: list[str] = []

    def remembers(text: str, gold: str) -> bool:
        seen.append(text)
        return text == gold and "I give up." not in seen

    assert "state leak" in {f.kind for f in audit_verifier(remembers, NUMBERS).findings}
    with pytest.raises(SettingsError, match="no golds"):
        audit_verifier(number, [])


# ---- data sets -------------------------------------------------------------------------------------------------------


def test_rows_of_a_data_set(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"question": f"What is {i} + {i}?", "answer": str(2 * i)} for i in range(100, 140)]
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, rows[3]]))
    result = audit("Dataset", {"path": str(path)}, num_tasks=2)
    assert result.ok, to_text(result)
    assert result.tallies["row"] == (41, 41)
    assert result.notes == ("41 rows, 1 of them repeat an earlier question",)
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, {**rows[3], "answer": "5"}]))
    [finding] = audit("Dataset", {"path": str(path)}, num_tasks=1).findings
    assert (finding.kind, finding.name) == ("data", "row 40")
    assert "row 3 asks the same" in finding.example.why


@pytest.mark.slow
def test_a_common_answer_is_luck_not_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"question": f"Is {i} odd?", "answer": "yes" if i % 2 else "no"} for i in range(60)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = audit("Dataset", {"path": str(path)}, num_tasks=20)
    assert result.ok, to_text(result)
    assert result.tallies["lucky"].paid > 20


# ---- parts -----------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.text(max_size=60))
def test_what_is_promised_is_what_the_rule_reads(answer: str) -> None:
    for _, text in promised(answer):
        assert " ".join((final_answer(text).text or "").split()) == " ".join(answer.split())


def test_most_forms_are_promised() -> None:
    assert len(promised("12")) >= 35
    assert len(promised("Ada: knight, Ben: knave")) >= 35
    assert {"1,234", "1234.0", "+1234"} <= {final_answer(text).text for _, text in styles("1234")}
    for _, text in styles("-3/4"):
        value = parse_rational(final_answer(text).text or "")
        assert value in (None, Fraction(-3, 4))


@settings(max_examples=150)
@given(st.one_of(st.integers(-(10**9), 10**9).map(str), st.decimals(-99, 99, places=2).map(str)), st.integers(0, 99))
def test_mutants_of_numbers_are_other_numbers(answer: str, seed: int) -> None:
    found = mutants(answer, np.random.default_rng(seed))
    assert found
    for mutant in found:
        assert parse_rational(mutant.text) != parse_rational(answer)


@settings(max_examples=100)
@given(st.text(max_size=40), st.integers(0, 99))
def test_mutants_and_hedges_of_anything(answer: str, seed: int) -> None:
    for mutant in mutants(answer, np.random.default_rng(seed)):
        assert mutant.text != answer
    for hedge in hedges(answer, ["other"]):
        assert hedge.text != answer
    for hedge in message_hedges("4711", ["4712", "99"]):
        if hedge.tier == "never":
            assert final_answer(hedge.text).text != "4711"


@settings(max_examples=60)
@given(st.text("ab(x ", max_size=60))
def test_what_is_shrunk_still_holds_and_no_part_is_left_over(text: str) -> None:
    def holds(t: str) -> bool:
        return t.count("(") >= 2

    small = shrink(text, holds)
    assert small == ("((" if holds(text) else text)


def test_reports() -> None:
    result = audit("audited/Substring-v0", num_tasks=5)
    text = to_text(result)
    assert "FALSE ACCEPT: hedge: X or Y: 5 of 5" in text
    assert "shrunk from: '<answer>" in text
    [data] = json.loads(to_json([result]))
    assert data["ok"] is False
    assert data["tallies"]["oracle"] == {"paid": 5, "trials": 5, "ci95": list(Tally(5, 5).interval)}
    assert data["findings"][0]["example"]["action"]
    header, [row] = markdown_rows([result])
    assert len(header) == len(row)
    assert dict(zip(header, row, strict=True))["oracle"] == "5 / 5"


def test_levels() -> None:
    levels = list(measure_levels("audited/Honest-v0", episodes=400))
    assert [level.level for level in levels] == [None, *range(1, 11)]
    assert (levels[0].recorded, levels[1].recorded) == (0.001, 0.1)
    assert all(level.ok for level in levels)
    assert 0.05 < levels[1].rate < 0.16
    default, line = chance_line(levels).split("\n")
    assert default.startswith("chance_default = ")
    assert line.startswith("chance = (0.")
    assert len(ast.literal_eval(line.partition("=")[2].strip())) == 10


def test_a_wrong_or_missing_chance_rate_is_told() -> None:
    assert LevelChance(1, 100, 1000, 0.1).ok
    assert not LevelChance(1, 100, 1000, 0.02).ok
    assert not LevelChance(1, 0, 1000, 0.1).ok
    assert not LevelChance(1, 0, 1000, None).ok
    assert LevelChance(1, 1, 40, 0.0).ok


def test_bad_requests() -> None:
    with pytest.raises(SettingsError, match="did you mean audited/Honest-v0"):
        audit("audited/Honst-v0")
    with pytest.raises(SettingsError, match="num_tasks is 0"):
        audit("audited/Honest-v0", num_tasks=0)
    with pytest.raises(SettingsError, match="no setting 'hihg'"):
        audit("audited/Honest-v0", {"hihg": 3})


def test_generation_rate_counts_tasks() -> None:
    assert generation_rate(gymnasium.make("audited/Honest-v0"), seconds=0.05) > 100


@pytest.mark.parametrize("env_id", one_in(2, ["Countdown", "GuessNumber", "KSat", "KnightsKnaves"]))
def test_shipped_environments(env_id: str) -> None:
    result = audit(env_id, num_tasks=10)
    assert result.ok, to_text(result)


def test_declared_unique_answers_are_held_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env_class("NumberTheory"), "right_answers", lambda self: "one")
    result = audit("NumberTheory", num_tasks=10)
    assert result.ok, to_text(result)
    assert result.tallies["search"].trials > 10
