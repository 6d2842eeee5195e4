"""A search engine as a tool for any environment."""

from turnwise.core.tools import Tool, text_tool
from turnwise.retrieval.base import Retriever
from turnwise.retrieval.show import shown

__all__ = ["search_tool"]


def search_tool(retriever: Retriever, top_k: int = 3, chars: int = 1000, max_chars: int = 8000) -> Tool:
    """Make the tool ``search``, for the wrapper `turnwise.core.wrappers.Tools` or an environment's own toolbox.

    Args:
        retriever: What searches.
        top_k: Documents per search.
        chars: Characters per document.
        max_chars: Characters of all documents together; those that do not fit are left out and counted.

    >>> from turnwise.retrieval.base import Document
    >>> from turnwise.retrieval.index.bm25 import Bm25Index
    >>> from turnwise.retrieval.corpora.documents import MemoryCorpus
    >>> from turnwise.retrieval.local import LocalRetriever
    >>> documents = [Document("1", "Oslo", "Oslo is a city."), Document("2", "Oder", "The Oder is a river.")]
    >>> index = Bm25Index.build(document.contents for document in documents)
    >>> search_tool(LocalRetriever(MemoryCorpus(documents), index), top_k=1).call("which city is oslo")
    'Doc 1 (Title: Oslo) Oslo is a city.'
    """

    def search(query: str) -> str:
        words = " ".join(query.split())
        if not words:
            raise ValueError("the query is empty")
        return shown([hit.document for hit in retriever.search([words], top_k)[0]], "turnwise", chars, max_chars)[0]

    return text_tool("search", "Searches documents.", search, query="What to search for.")
