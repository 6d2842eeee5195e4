"""Indexes: BM25, tantivy and dense vectors, and the folders that they are kept in."""
