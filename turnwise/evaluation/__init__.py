"""Evaluation of agents on environments, and the chance rates to compare with."""
