"""Tasks in everyday apps, by programs or by calls."""
