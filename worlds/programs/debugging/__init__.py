"""Questions about running programs."""
