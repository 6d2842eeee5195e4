"""Tasks that lead across several sites."""
