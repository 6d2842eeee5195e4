"""Retrievers over HTTP: the protocols, the server and the client."""
