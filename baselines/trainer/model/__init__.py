"""The model of a run: policy, critic, adapters, packed rows, processes, and the engine that samples from it."""
