"""Carries messages, values and files between the two sides of a jail. Only the standard library is imported here."""
