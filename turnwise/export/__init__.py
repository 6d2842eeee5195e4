"""Environments written as files that other frameworks read; `turnwise export FORMAT` on the command line."""
