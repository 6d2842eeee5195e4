"""Functions from text to a verdict: no environment, no RNG, and no code run outside `turnwise.sandbox`.

All are pure except those that ask a model: `turnwise.verifiers.judge`, `turnwise.verifiers.fallback`.
"""

if __name__ != "turnwise.verifiers":
    raise ImportError("the folder verifiers/ is imported as turnwise.verifiers")
