"""GRPO on multi-turn environments: one loop, and what it uses for rollouts, credit, the loss and the model."""
