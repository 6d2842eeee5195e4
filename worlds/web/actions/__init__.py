"""What an agent writes to a browser: its grammar, and how actions are found in a message."""
