"""Retrieval: corpora, indexes that search them, clients and a server."""

if __name__ != "turnwise.retrieval":
    raise ImportError("the folder retrieval/ is imported as turnwise.retrieval")
