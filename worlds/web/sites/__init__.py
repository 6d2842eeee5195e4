"""The sites that come with turnwise."""
