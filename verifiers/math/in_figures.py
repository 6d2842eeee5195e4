"""A message and a gold in figures, as they are compared: amounts, times, chances, ratios and money in words."""

import re

from turnwise.verifiers.math.amounts import amounts_in_full, gold_in_full
from turnwise.verifiers.math.answer import Gold, read_gold
from turnwise.verifiers.math.asked import Asked, asked_for
from turnwise.verifiers.math.confidence import asks_for_confidence, with_one_kind_of_brackets
from turnwise.verifiers.math.forms import (
    chances_in_figures,
    digits_joined,
    fractions_in_figures,
    money_in_figures,
    ratios_in_figures,
)
from turnwise.verifiers.math.read.dates import clock_in_figures, moments_once
from turnwise.verifiers.math.read.words import read_words
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.messages.sought.choices import OPTION

__all__ = ["in_figures"]

_CLOCK = re.compile(r"(?<![0-9:])[0-9]{1,2}:[0-5][0-9](?![0-9:])")
_SMALL = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen"
    "|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
)
_SCALE = "hundred|thousand|million|billion"
_LONG_NUMBER = re.compile(  # one hundred and fifty
    rf"\b(?:{_SMALL})(?:[- ](?:{_SMALL}))? (?:{_SCALE})(?:(?: and)?[- ](?:{_SMALL}|{_SCALE}))*\b",
    re.IGNORECASE,
)
_WITH_PART = re.compile(r"(?<![\w.,/])([0-9]+) and (a half|a quarter|three quarters)\b")
_PARTS = {"a half": "5", "a quarter": "25", "three quarters": "75"}
_PART_OF_HOUR = re.compile(
    r"(?<!and )(?<!and a )\b(half an|a quarter of an|three quarters of an) hour\b", re.IGNORECASE
)
_MINUTES = {"half an": "30 minutes", "a quarter of an": "15 minutes", "three quarters of an": "45 minutes"}


def in_figures(message: str, known: Gold, question: str) -> tuple[str, Gold, Asked | None]:
    """A message and a gold in figures, as they are compared, and what kind of value the question asks for."""
    asked = asked_for(question) if question and OPTION.fullmatch(known.text) is None else None
    full = gold_in_full(known.text, question)
    known, message = known if full == known.text else read_gold(full), amounts_in_full(message, full)
    moment = known.moment
    if (asked is not None and asked.kind == "time") or (
        moment is not None and moment.kind.endswith("time") and (moment.certain or _CLOCK.search(question) is not None)
    ):
        message = moments_once(clock_in_figures(message.replace("\\text{:}", ":").replace("{:}", ":")))
    if asked is not None and asked.kind == "chance":
        message = chances_in_figures(message)
    if " degrees" in message:
        message = message.replace("Celsius degrees", "degrees Celsius").replace(
            "Fahrenheit degrees", "degrees Fahrenheit"
        )
    if "hundred" in message or "thousand" in message or "million" in message:
        message = _LONG_NUMBER.sub(_in_digits, message)
    if " and a half" in message or " quarter" in message:
        message = _WITH_PART.sub(lambda match: f"{match[1]}.{_PARTS[match[2]]}", message)
    if asked is not None and asked.unit.startswith("minute") and " hour" in message:
        message = _PART_OF_HOUR.sub(lambda match: _MINUTES[match[1].lower()], message)
    message = digits_joined(money_in_figures(message), known.text)
    if isinstance(known.node, tree.Ratio):
        message = ratios_in_figures(message, question)
    before, box, behind = message.rpartition("boxed")
    if box:  # behind it words give its value once more
        message = f"{before}{box}{fractions_in_figures(behind)}"
    if asked is not None and asks_for_confidence(question):
        message, known = with_one_kind_of_brackets(message), read_gold(with_one_kind_of_brackets(known.text))
    return message, known, asked


def _in_digits(match: re.Match[str]) -> str:
    """A number in words in digits, where it is one."""
    number = read_words(match[0])
    return str(number) if number is not None and number.denominator == 1 else match[0]
