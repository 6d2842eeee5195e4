"""Constraints on a text that code can check: kinds, conflicts between them, and texts that satisfy sets of them.

Every kind is a frozen dataclass with typed parameters that describes its demand (``describe``), checks a text
(``check``), and gives the facts that reveal conflicts (``facts``). `units` defines words, sentences, paragraphs and
lines.

Source: after IFEval (arXiv 2311.07911), MathIF (arXiv 2505.14810) and arXiv 2505.07591.
"""

from turnwise.verifiers.constraints import content, format, language, length, letters, structure
from turnwise.verifiers.constraints.base import KINDS, Constraint, ConstraintError, Dimension, from_dict
from turnwise.verifiers.constraints.conflicts import conflict, conflicts
from turnwise.verifiers.constraints.sets import labels, verify_constraints
from turnwise.verifiers.constraints.units import DEFINITIONS, MAX_CHARS, Reading, response_of
from turnwise.verifiers.constraints.witness import witness

__all__ = [
    "DEFINITIONS", "KINDS", "MAX_CHARS", "Constraint", "ConstraintError", "Dimension", "Reading", "conflict",
    "conflicts", "content", "format", "from_dict", "labels", "language", "length", "letters", "response_of",
    "structure", "verify_constraints", "witness",
]  # fmt: skip
