"""Whether a message hedges the answer that was read from it: what its author says of it, before, beside and behind."""
