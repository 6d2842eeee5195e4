"""What environments are about: content and its rules, without agents, turns or rewards."""

if __name__ != "turnwise.worlds":
    raise ImportError("the folder worlds/ is imported as turnwise.worlds")
