"""Regular expressions judged by the language they match."""
