"""GRPO on multi-turn environments: tokens, credit, loss, policy, and one loop in execution order."""
