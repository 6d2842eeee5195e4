"""SearchQA: answer a question about a world that no model has read, by searching.

Source: the task of Search-R1 (Jin et al., arXiv 2503.09516): searches between thoughts, one answer, paid by exact
match; multi-hop questions with supporting documents and unanswerable twins as in MuSiQue (Trivedi et al., arXiv
2108.00573).
"""

from turnwise.core.registration import register
from turnwise.envs.search._cheats import CHEATS
from turnwise.envs.search._draft import WORLDS
from turnwise.envs.search._episode import SearchEnv

__all__ = ["SearchQA"]


@register("SearchQA-v0")
class SearchQA(SearchEnv):
    """Answer a question by searching the documents of a generated world; reward 1 for the right answer.

    ``<search>words</search>`` shows the best-matching documents (BM25); ``<answer>...</answer>`` ends the episode. A
    message with searches is not read for an answer. Nothing in a document counts as an answer, and none can contain a
    tag.

    The answer is right if it is the gold answer or an alias, the same number or date, the same list in any order, or
    abstains if the documents do not contain an answer.

    A question is posed only where every search of the oracle's plan shows its sub-answer through the same retriever,
    and, from two hops on, where neither the question nor a name in it as a query shows the answer.

    Chance: a random agent occasionally guesses right if the question lists the candidates (comparison) or the answer is
    a name in it.
    """

    levels = tuple(
        {"hops": h, "kinds": q, "documents": d, "worlds": WORLDS, "aliases": a, "top_k": k, "max_turns": t}
        for h, q, d, a, k, t in [
            (1, "chain", 200, 0.0, 5, 6), (1, "basic", 500, 0.0, 5, 6), (2, "basic", 500, 0.0, 5, 8),
            (2, "mixed", 1000, 0.0, 3, 12), (3, "mixed", 1000, 0.0, 3, 14), (3, "mixed", 1000, 0.3, 3, 14),
            (3, "hard", 1000, 0.3, 3, 20), (4, "hard", 1000, 0.3, 3, 24), (4, "hard", 2000, 0.3, 3, 28),
            (5, "hardest", 2000, 0.5, 3, 32),
        ]
    )  # fmt: skip
    chance = (0.003, 0.01, 0.0, 0.002, 0.003, 0.003, 0.002, 0.0, 0.002, 0.0)
    chance_default = 0.0
    cheats = CHEATS
