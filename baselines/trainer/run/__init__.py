"""Everything around the steps of a run: checkpoints, logs, sample episodes, early stopping, export."""
