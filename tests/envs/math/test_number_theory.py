"""NumberTheory: every kind recomputed in another way, and the spellings of an answer."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwise.envs.math._numbers import from_base, in_base, is_prime, next_prime, num_divisors, parse_factors
from turnwise.envs.math.number_theory import KINDS, NumberTheory, Task


def paid(task: Task, text: str) -> bool:
    env = NumberTheory()
    env.reset(options={"task": task})
    return env.step(f"<answer>{text}</answer>")[1] == 1.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("digits", [3, 4, 5, 18])
def test_recomputed(kind: Any, digits: int) -> None:
    """Values by slower or other ways; where numbers are long, by their defining property."""
    env = NumberTheory(kind=kind, digits=digits)
    for seed in range(40):
        env.reset(seed=seed)
        numbers, value = env.task.numbers, env.value()
        assert env.task.kind == kind
        if kind == "gcd":
            assert 1 < value < min(numbers) or value in numbers
            assert all(n % value == 0 for n in numbers)
            assert digits > 5 or not any(numbers[0] % d == numbers[1] % d == 0 for d in range(value + 1, min(numbers)))
        elif kind == "lcm":
            assert value * math.gcd(*numbers) == numbers[0] * numbers[1]
        elif kind == "power":
            a, b, m = numbers
            product = 1
            for _ in range(b if digits <= 5 else 0):
                product = product * a % m
            assert value == product or digits > 5
            assert m > 30
        elif kind == "inverse":
            assert value * numbers[0] % numbers[1] == 1
            assert 1 <= value < numbers[1]
        elif kind == "digits":
            assert len(str(numbers[0])) == 4 * digits
            assert value == sum(str(numbers[0]).count(str(d)) * d for d in range(10))
        elif kind == "divisors" and digits <= 3:
            n = numbers[0]
            assert value == sum(1 + (d * d != n) for d in range(1, math.isqrt(n) + 1) if n % d == 0)
        elif kind == "factor":
            assert len(env.task.primes) >= 2
            assert math.prod(env.task.primes) == numbers[0] < 10**digits
            assert all(is_prime(p) for p in env.task.primes)


def test_primality_against_a_sieve() -> None:
    top = 20_000
    sieve = bytearray([1]) * top
    sieve[:2] = b"\0\0"
    for p in range(2, math.isqrt(top) + 1):
        sieve[p * p :: p] = bytes(len(sieve[p * p :: p]))
    assert [n for n in range(top) if is_prime(n)] == [n for n in range(top) if sieve[n]]
    assert next_prime(-3) == 2 and next_prime(14) == 17 and next_prime(17) == 17
    assert not is_prime(3215031751), "a strong pseudoprime to 2, 3, 5 and 7"
    assert not is_prime(3825123056546413051), "a strong pseudoprime to the primes up to 23"
    assert is_prime(2**61 - 1) and not is_prime((2**31 - 1) ** 2)


@given(st.integers(1, 10**30), st.sampled_from([2, 3, 7, 10, 16, 36]))
def test_bases(number: int, base: int) -> None:
    text = in_base(number, base)
    assert int(text, base) == number == from_base(text.upper(), base) == from_base(f"00{text}_{base}", base)


def test_base_refuses() -> None:
    assert from_base("0x1f", 16) == from_base("1F_{16}", 16) == from_base("1 f (base 16)", 16) == 31
    assert from_base("0b101", 2) == from_base("0101", 2) == 5
    for text in ("102", "", "0b", "-101", "1_0", "+1", "1.0", "١", "0x1", "101_10"):
        assert from_base(text, 2) is None, text


@pytest.mark.parametrize(
    "text",
    [
        "2^3 * 3^2 * 7", "7*2*3*2*3*2", "2·2·2·3·3·7", "2³ × 3² × 7", "504 = 2**3 * 3**2 * 7", "2, 2, 2, 3, 3, 7",
        r"2^{3} \cdot 3^{2} \times 7", "$2^3*3^2*7^1$.", "(2^3) * (3^2) * (7)", "2^1*2^2*9*7",
    ],
)  # fmt: skip
def test_factors(text: str) -> None:
    assert paid(Task("factor", (504,), (2, 2, 2, 3, 3, 7)), text) == ("9" not in text)


@pytest.mark.parametrize(
    "text",
    [
        "504", "504 = 504", "504^1", "1*2^3*3^2*7", "2^3*63", "8*9*7", "2^3*3^2", "2^3*3^2*7*1^5", "2^3*3^2*7^0",
        "2^999*3^999", "9" * 20 + "^999", "2^3*3^2*7 or 2", "2^3+3^2*7", "2^3*3^2*7(", "504 = 2^3*3^2*7 = 504",
        "12 = 2^3*3^2*7", "",
        "2^3^1*3^2*7", "2***3", "-2*-252", "2^(3)*63", "0^0*2^3*3^2*7", "**", "4^1.5*3^2*7", "2^3*3^2*7*",
        "2*" * 140 + "2",
    ],
)  # fmt: skip
def test_factors_refused(text: str) -> None:
    assert not paid(Task("factor", (504,), (2, 2, 2, 3, 3, 7)), text)


def test_other_answers() -> None:
    gcd = Task("gcd", (12_000, 18_000))
    assert all(paid(gcd, t) for t in ("6000", "6,000", "$6000$", "6000.", "6000.0"))
    assert not any(
        paid(gcd, t) for t in ("3000", "6e3", "6000 or 3000", "gcd(12000, 18000)", "2*3000", "12000/2", ".6000")
    )
    inverse = Task("inverse", (3, 100))
    assert paid(inverse, "67") and not paid(inverse, "167") and not paid(inverse, "-33")
    base = Task("base", (255, 10, 16))
    assert paid(base, "FF") and paid(base, "0xff") and not paid(base, "255") and not paid(base, "ff or fe")


def test_divisor_count_and_parse() -> None:
    assert [num_divisors(n) for n in (1, 2, 12, 36, 2**10 * 37)] == [1, 2, 6, 9, 22]
    assert parse_factors("2^3 * x") is None
    assert parse_factors("2^{10}·3") == [(2, 10), (3, 1)]


def test_no_answer_is_common() -> None:
    """The most common answer of any kind but the divisors' is rare; see the class's docstring."""
    from collections import Counter

    for kind in KINDS:
        env, rng = NumberTheory(kind=kind, difficulty=1), np.random.default_rng(0)
        seen: Counter[str] = Counter()
        for _ in range(1000):
            env.reset(options={"task": env.generate(rng)})
            seen[env.oracle()] += 1
        assert seen.most_common(1)[0][1] <= (150 if kind == "divisors" else 65), kind
