"""The environments for verifiers and its Environments Hub: ``vf-eval turnwise_vf``. See docs/use_in_verifiers.md.

A module of its own, since verifiers finds a taskset by the name of a top-level module.
"""

from turnwise.adapters.verifiers import InProcessHarness, TurnwiseEnv, TurnwiseTaskset

__all__ = ["InProcessHarness", "TurnwiseEnv", "TurnwiseTaskset"]
