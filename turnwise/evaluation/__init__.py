"""Evaluation of agents over environments, and the chance rates to compare with."""
