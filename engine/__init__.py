"""Tokens and sampling: conversations as token rows, and the engines that continue them. It knows no environment."""

if __name__ != "turnwise.engine":
    raise ImportError("the folder engine/ is imported as turnwise.engine")
