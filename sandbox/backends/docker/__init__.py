"""Runs programs in hardened containers of a Docker engine."""
