"""Service desks: an agent with tools serves a person by a policy."""
