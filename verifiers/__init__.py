"""Pure functions from text to a value or a verdict: no environment, no RNG, nothing evaluated."""

if __name__ != "turnwise.verifiers":
    raise ImportError("the folder verifiers/ is imported as turnwise.verifiers")
