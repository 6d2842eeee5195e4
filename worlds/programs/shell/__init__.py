"""File trees, goals to reach in a shell, and checks of the result."""
