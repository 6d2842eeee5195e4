"""Chess problems: a search for forced mates, problems that it composes, and those that are shipped."""
