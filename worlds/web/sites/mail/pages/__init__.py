"""Pages of the mail site."""
