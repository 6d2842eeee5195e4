"""Service desks: a database, tools, a policy and people who come with wishes; all generated."""
