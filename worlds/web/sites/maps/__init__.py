"""Maps of towns."""
