"""Judging mathematical answers: a bounded grammar of ours, exact arithmetic, and algebra that can be killed."""

from turnwise.verifiers.math.answer import GoldError, Rules, check_gold, equivalent
from turnwise.verifiers.math.message import verify

__all__ = ["GoldError", "Rules", "check_gold", "equivalent", "verify"]
