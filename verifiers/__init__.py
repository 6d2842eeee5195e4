"""Functions from text to a verdict: no environment, no RNG, nothing evaluated. All are pure but those that ask a model.

The model-asking ones: `turnwise.verifiers.judge`, `turnwise.verifiers.fallback`.
"""

if __name__ != "turnwise.verifiers":
    raise ImportError("the folder verifiers/ is imported as turnwise.verifiers")
