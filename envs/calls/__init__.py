"""Function calling over many turns, with a person who asks for one thing after another."""
