"""Reference trainers, their recipes and their results."""

if __name__ != "turnwise.baselines":
    raise ImportError("the folder baselines/ is imported as turnwise.baselines")
