"""Gives callers their sandbox: by name, shared in one process, and sessions that can be copied and stored."""
