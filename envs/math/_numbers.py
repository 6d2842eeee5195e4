"""Primes, divisors and bases, and how they are written.

Source: the bases of the primality test, Sorenson and Webster, "Strong pseudoprimes to twelve prime bases"
(arXiv 1509.00864).
"""

import re

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
SMALL_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_FACTOR = re.compile(r"([0-9]{1,20})\s*(?:(?:\^|\*\*)\s*\{?\s*([0-9]{1,3})\s*\}?|([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))?", re.ASCII)
_TIMES = re.compile(r"\s*(?:(?<!\*)\*(?!\*)|[×·⋅,]|\\times|\\cdot)\s*")


def parse_factors(text: str) -> list[tuple[int, int]] | None:
    """Return the factors of a product such as ``2^3 * 7`` with their exponents, or None.

    >>> parse_factors("2^3 × 7")
    [(2, 3), (7, 1)]
    """
    found = []
    for part in _TIMES.split(text):
        part = part.strip()
        match = _FACTOR.fullmatch(part[1:-1].strip() if part[:1] + part[-1:] == "()" else part)
        if match is None:
            return None
        power = match[2] or (match[3] or "1").translate(_SUPERSCRIPTS)
        found.append((int(match[1]), int(power)))
    return found


def in_base(number: int, base: int) -> str:
    """Return the digits of a positive number in a base from 2 to 36."""
    text = ""
    while number:
        number, digit = divmod(number, base)
        text = DIGITS[digit] + text
    return text or "0"


def from_base(text: str, base: int) -> int | None:
    """Return the number that the digits represent in that base; upper case, ``0x``, ``_16`` and blanks are allowed."""
    text = text.lower()
    for suffix in (f"_{base}", f"_{{{base}}}", f"(base {base})"):
        text = text.removesuffix(suffix).strip()
    prefix = {2: "0b", 8: "0o", 16: "0x"}.get(base)
    if prefix and text.startswith(prefix):
        text = text[2:]
    text = text.replace(" ", "")
    allowed = DIGITS[:base]
    return int(text, base) if text and all(char in allowed for char in text) else None


def num_divisors(number: int) -> int:
    """Return the number of divisors of a number whose prime factors are all at most 37."""
    count = 1
    for p in SMALL_PRIMES:
        power = 1
        while number % p == 0:
            number //= p
            power += 1
        count *= power
    return count


def is_prime(number: int) -> bool:
    """Return whether the number is prime, by Miller-Rabin, which is exact below 3.3e24 with these bases."""
    if number < 2:
        return False
    for p in SMALL_PRIMES:
        if number % p == 0:
            return number == p
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in SMALL_PRIMES:
        x = pow(base, odd, number)
        if x in (1, number - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % number
            if x == number - 1:
                break
        else:
            return False
    return True


def next_prime(number: int) -> int:
    """Return the smallest prime that is at least the number."""
    number = max(2, number)
    while not is_prime(number):
        number += 1
    return number
