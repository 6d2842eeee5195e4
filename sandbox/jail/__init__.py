"""Confines programs and runs them: the processes around a jail and inside it, with only the standard library."""
