"""Agents: whatever turns a conversation into the next message."""

if __name__ != "turnwise.agents":
    raise ImportError("the folder agents/ is imported as turnwise.agents")
