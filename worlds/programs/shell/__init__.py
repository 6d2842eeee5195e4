"""File trees, goals to reach in a shell, and checks of what was reached."""
