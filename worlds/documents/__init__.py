"""A generated world: invented facts, the documents that state them, and questions with checked answers."""

from turnwise.worlds.documents.cache import open_world, world_of
from turnwise.worlds.documents.schema import Page, Relation, Statement
from turnwise.worlds.documents.style import WorldSettings
from turnwise.worlds.documents.world import Table, World, WorldDocument

__all__ = [
    "Page",
    "Relation",
    "Statement",
    "Table",
    "World",
    "WorldDocument",
    "WorldSettings",
    "open_world",
    "world_of",
]
