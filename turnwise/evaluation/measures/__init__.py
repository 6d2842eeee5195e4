"""Further figures of an evaluation: majority vote, diversity, calibration, wordings, best of n, verifying."""
