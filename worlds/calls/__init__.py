"""Small stateful APIs, and people who ask for one thing after another that takes calls of them."""
