"""Defines what callers and backends share: programs, limits, results, and the classes that a backend implements."""
