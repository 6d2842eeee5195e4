"""Parts of rewards for search: pure functions of the queries, the documents shown and the answer.

The environments of this family reward only the outcome. They report all parts in ``info["metrics"]`` and add those that
``shaping`` names, times their weights, to ``info["shaping"]``. Parts per turn are increments whose sum over the episode
is the quantity itself, so that showing a document twice gains nothing.
"""

import re
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from math import sqrt

from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.retrieval.index.text import tokens
from turnwise.verifiers.qa import abstains, exact_match, token_f1, verify_answer, verify_items, verify_yes_no
from turnwise.verifiers.verdict import Verdict, wrong

__all__ = [
    "LAST_PARTS",
    "NAME",
    "PRESETS",
    "TURN_PARTS",
    "abstention",
    "answer_parts",
    "cosine",
    "ikea_reward",
    "inforage_reward",
    "information_gain",
    "key_f1",
    "needless_search",
    "redundancy",
    "retrieval_gain",
    "search_r1_reward",
    "stepsearch_reward",
    "tfidf",
    "verify",
    "weights_of",
]

Vector = Mapping[str, float]
NAME = re.compile(r"[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*")
"""Matches what looks like a name in a text."""
_OF_ONESELF = re.compile(r"(?:i|i['’]m|(?:i am )?not sure|sorry)\b", re.IGNORECASE)
_DOCUMENTS = re.compile(r"\b(?:documents?|sources?|pages?|texts?|passages?|articles?)\b", re.IGNORECASE)
_DATED = re.compile(r"(?:it was |on record )?in (?:the year )?(?=\d{1,4}\.?$)", re.IGNORECASE)
_COUNTED = re.compile(
    r"(\d) (?:people|inhabitants|individuals|employees|students|visitors|regions|rivers|cities|organisations|"
    r"universities|works|events|species|buildings|awards|members|crowns)\.?$",
    re.IGNORECASE,
)
_VERDICT = re.compile(r"\W*(?:in)?correct\b", re.IGNORECASE)  # a judge's verdict, not the answer to a question
_RAISED = re.compile(r"\d[\u00b2\u00b3\u00b9\u2070-\u2089]")  # 92¹ is not 921

TURN_PARTS = ("tool_calls", "tool_errors", "retrieval_gain", "information_gain", "redundancy")
"""Parts of a single turn."""
LAST_PARTS = (
    "em", "alias_em", "f1", "format", "structure", "key_f1", "support_recall", "abstained_right", "abstained_wrong",
    "search_r1", "stepsearch", "ikea", "inforage", "needless_search",
)  # fmt: skip
"""Parts of the whole episode, added with its last turn."""
PRESETS: Mapping[str, Mapping[str, float]] = {
    "": {},
    "search_r1": {"search_r1": 1.0},
    "stepsearch": {"information_gain": 1.0, "redundancy": -1.0, "stepsearch": 1.0},
    "ikea": {"ikea": 1.0},
    "inforage": {"inforage": 1.0},
    "needless_search": {"needless_search": 1.0},
}
"""Weights of parts that add up, with the reward, to the published reward of that name; ``needless_search`` is ours."""


def weights_of(shaping: str | Mapping[str, float]) -> dict[str, float]:
    """Return the weight of each part, by name.

    Raises:
        SettingsError: A preset or part is unknown, or a weight is not a number.

    >>> weights_of("ikea"), weights_of({"redundancy": -0.5})
    ({'ikea': 1.0}, {'redundancy': -0.5})
    """
    if isinstance(shaping, str):
        if shaping not in PRESETS:
            hint = did_you_mean(shaping, PRESETS)
            raise SettingsError(
                f"shaping is {shaping!r}{hint}; it must be one of {', '.join(map(repr, PRESETS))} or weights"
            )
        return dict(PRESETS[shaping])
    known = (*TURN_PARTS, *LAST_PARTS)
    for name, weight in shaping.items():
        if name not in known:
            raise SettingsError(f"shaping names {name!r}; the parts are {', '.join(known)}")
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not abs(weight) < 1e6:
            raise SettingsError(f"shaping[{name!r}] is {weight!r}; it must be a number")
    return {name: float(weight) for name, weight in shaping.items()}


# ---- the answer ------------------------------------------------------------------------------------------------------


def verify(text: str, answers: Sequence[Sequence[str]], form: str) -> Verdict:
    """Judge an answer.

    Args:
        text: The answer.
        answers: The items of the right answer, each with its accepted forms; one item for a closed question; none if
            the right answer is to abstain: to say that there is none, in one of many ways ("unanswerable", "not
            stated"), but not "I don't know", which says nothing about the documents.
        form: "items" for a list, "yes_no", or any other for a single text, number or date.

    >>> verify("Oslo", [["Oslo"]], "text").correct, verify("unknown", [], "text").correct
    (True, True)
    """
    if not answers:
        verdict = verify_answer(text, None)
        if verdict.correct and _OF_ONESELF.match(text.strip()) and _DOCUMENTS.search(text) is None:
            return wrong("say whether the documents tell, not what you know", verdict.value)
        return verdict
    if _RAISED.search(text) and not any(_RAISED.search(each) for item in answers for each in item):
        return wrong("that is not right")
    if form == "items":
        return verify_items(text, answers)
    if form in ("date", "number"):
        text = _COUNTED.sub(r"\1", _DATED.sub("", text.strip()))
    if form == "yes_no":
        if _VERDICT.match(text.strip()):
            return wrong("the answer is neither yes nor no")
        return verify_yes_no(text, answers[0][0] == "yes")
    return verify_answer(text, answers[0])


def answer_parts(text: str, answers: Sequence[Sequence[str]], form: str, correct: bool) -> dict[str, float]:
    """Return ``em`` against the answer's first form, ``alias_em`` against all, and token F1 (F1 of items for a list).

    Source: Rajpurkar et al., SQuAD (arXiv 1606.05250), section 6.1; F1 over items as in O2-Searcher (arXiv 2505.16582).

    Args:
        text: The answer given.
        answers: As in `verify`.
        form: As in `verify`.
        correct: The verdict of `verify`.
    """
    right = float(correct)
    if not answers or form == "yes_no":
        return {"em": right, "alias_em": right, "f1": right}
    if form == "items":
        strict = verify_items(text, [forms[:1] for forms in answers]).correct if correct else False
        found = verify_items(text, answers).parts or {}
        return {"em": float(strict), "alias_em": right, "f1": found.get("f1", 0.0)}
    if len(text) > 10_000:
        return {"em": 0.0, "alias_em": 0.0, "f1": 0.0}
    strict = correct and exact_match(text, answers[0][0])
    return {"em": float(strict), "alias_em": right, "f1": max(token_f1(text, form) for form in answers[0])}


def abstention(text: str, answerable: bool, correct: bool) -> dict[str, float]:
    """Return ``abstained_right`` for a right abstention, ``abstained_wrong`` for one although there is an answer.

    Source: SQuAD 2.0 (arXiv 1806.03822), section 2: abstention is an answer, right or wrong like any other.
    """
    return {
        "abstained_right": float(correct and not answerable),
        "abstained_wrong": float(answerable and abstains(text)),
    }


# ---- what was found --------------------------------------------------------------------------------------------------


def retrieval_gain(shown: Container[str], seen: Container[str], facts: Sequence[Sequence[str]]) -> float:
    """Return the share of the facts that a turn shows for the first time; 0 if there are none.

    The sum over an episode is the recall of supporting facts, which InForage calls coverage. It is a difference of
    potentials (the recall after and before the turn), so it does not change the ranking of policies.

    Source: Qian and Liu, InForage (arXiv 2505.09316), section 2 (coverage); Ng, Harada and Russell 1999 (potentials).

    Args:
        shown: Ids of the documents that the turn shows.
        seen: Ids of the documents shown in earlier turns.
        facts: The facts that the answer rests on: for each, the documents that state it.

    >>> retrieval_gain(["a", "x"], {"b"}, [["a", "c"], ["b"]]), retrieval_gain(["c"], {"a"}, [["a", "c"], ["b"]])
    (0.5, 0.0)
    """
    if not facts:
        return 0.0
    new = [any(d in shown for d in fact) and not any(d in seen for d in fact) for fact in facts]
    return sum(new) / len(facts)


def redundancy(shown: Sequence[str], seen: Container[str]) -> float:
    """Return the share of a turn's documents shown before, also by another call of the turn; 0 without documents.

    Source: Wang et al., StepSearch (arXiv 2505.15107), section 3.3 (redundancy penalty).

    >>> redundancy(["a", "b", "c", "d"], {"a"}), redundancy(["a", "b", "a", "b"], {})
    (0.25, 0.5)
    """
    if not shown:
        return 0.0
    return 1.0 - sum(document not in seen for document in dict.fromkeys(shown)) / len(shown)


def tfidf(text: str, idf: Callable[[str], float] | None = None) -> dict[str, float]:
    """Return the words of a text with weights tf x idf, scaled to length 1; {} for a text without words.

    Args:
        text: Any text.
        idf: Inverse document frequency of a word, > 0; None takes 1 for all.
    """
    counts = Counter(tokens(text))
    found = {word: count * (idf(word) if idf else 1.0) for word, count in counts.items()}
    length = sqrt(sum(weight * weight for weight in found.values()))
    return {word: weight / length for word, weight in found.items()} if length else {}


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two vectors of `tfidf`, in [0, 1]."""
    if len(other) < len(one):
        one, other = other, one
    return sum(weight * other[word] for word, weight in one.items() if word in other)


def information_gain(
    shown: Sequence[Vector], gold: Sequence[Vector], best: Sequence[float]
) -> tuple[float, tuple[float, ...]]:
    """Return StepSearch's information gain of a turn: mean over gold documents i of max(c_i - m_i, 0).

    c_i is the highest cosine of a shown document to gold document i, m_i the highest of all turns before.

    Source: Wang et al., StepSearch (arXiv 2505.15107), section 3.3 (information gain).

    Args:
        shown: `tfidf` of the documents that the turn shows.
        gold: `tfidf` of the gold documents.
        best: m_i; 0 for each before the first turn.

    Returns:
        The gain, in [0, 1], and the new m_i. The gains of an episode add up to at most 1.

    >>> information_gain([{"a": 1.0}], [{"a": 1.0}, {"b": 1.0}], [0.0, 0.0])
    (0.5, (1.0, 0.0))
    """
    after = tuple(
        max([before, *(cosine(vector, target) for vector in shown)]) for target, before in zip(gold, best, strict=True)
    )
    gained = sum(new - before for new, before in zip(after, best, strict=True))
    return (gained / len(gold) if gold else 0.0), after


def key_f1(queries: Sequence[str], keys: Sequence[str]) -> float:
    """Return StepSearch's search-key reward: mean over keys of the best token F1 of any query; 0 without keys.

    Source: Wang et al., StepSearch (arXiv 2505.15107), section 3.2 (search key reward, weight 0.618 there).

    >>> key_f1(["mother of Ann", "x"], ["Ann mother"])
    0.8
    """
    if not keys or not queries:
        return 0.0
    return sum(max(token_f1(query, key) for query in queries) for key in keys) / len(keys)


# ---- rewards of whole episodes, as published -------------------------------------------------------------------------


def search_r1_reward(correct: bool, answered: bool, valid: bool, retrieved: bool) -> float:
    """Return Search-R1's reward with format.

    It is 1 for a right answer in valid format, 0.8 for one in invalid format; otherwise 0.3 in valid format with a
    right answer among the documents shown, 0.2 in valid format without, 0.1 for an answer in invalid format, and 0 for
    none.

    Source: Jin et al., Search-R1: an empirical study (arXiv 2505.15117), section 3.1 (format and retrieval reward), and
    ``verl/utils/reward_score/qa_em_format.py``, with the scores 0.2 (structure), 0.1 (final format) and 0.1 (retrieval;
    its scripts omit this one). There an answer in a retrieved text may count as the agent's; here it cannot.

    Args:
        correct: Whether the answer is right.
        answered: Whether there is an answer.
        valid: Whether every message is ``structured``, and the episode ends with an answer.
        retrieved: Whether a right answer was among the documents shown.

    >>> [search_r1_reward(True, True, v, False) for v in (True, False)], search_r1_reward(False, True, True, True)
    ([1.0, 0.8], 0.3)
    """
    if correct:
        return 1.0 if valid else 0.8
    if valid:
        return 0.3 if retrieved else 0.2
    return 0.1 if answered else 0.0


def ikea_reward(correct: bool, searches: int, valid: bool = True, most: int = 3) -> float:
    """IKEA's reward: 1 + 0.6 (1 - searches / most), not below 1, for a right answer, 0.05 for none after a search.

    In invalid format it is -1: if the agent did not think between tags, if a message was neither a search nor an
    answer, or if a tag's name is next to a parenthesis or bracket.

    Source: Huang et al., IKEA (arXiv 2505.07596), section 3.2 (knowledge-boundary aware reward), and
    ``verl/utils/reward_score/qa_em.py`` of its repository.

    >>> [round(ikea_reward(True, n), 2) for n in range(5)], ikea_reward(False, 1), ikea_reward(True, 0, valid=False)
    ([1.6, 1.4, 1.2, 1.0, 1.0], 0.05, -1.0)
    """
    if not valid:
        return -1.0
    if correct:
        return 1.0 + 0.6 * (1 - min(searches, most) / most)
    return 0.05 if searches else 0.0


def stepsearch_reward(f1: float, keys: float, valid: bool, steps: float = 0.0, weight: float = 0.618) -> float:
    """StepSearch's reward of the answer: its F1 + ``weight`` times that of the search keys; -1 in all if not valid.

    The rewards of the steps, information gain minus redundancy, come in addition; if the format is invalid there are
    none, so those already paid are subtracted.

    Source: Wang et al., StepSearch (arXiv 2505.15107), section 3.2, and ``verl/utils/reward_score/qa_step.py``.

    Args:
        f1: Token F1 of the answer.
        keys: `key_f1`.
        valid: Whether the episode ends with ``</answer>``.
        steps: Rewards paid for the steps.
        weight: Weight of the search keys.

    >>> stepsearch_reward(1.0, 0.5, True), stepsearch_reward(1.0, 0.5, False, steps=0.25)
    (1.309, -1.25)
    """
    return f1 + weight * keys if valid else -1.0 - steps


def inforage_reward(f1: float, coverage: float, searched: int, share: float = 0.2, rate: float = 0.95) -> float:
    """InForage's reward: (F1 of the answer + ``share`` times the coverage) times ``rate`` to the turns, from the third.

    Source: Qian and Liu, InForage (arXiv 2505.09316), section 2, for the three rewards and the coverage (of all
    searches together); its repository (``tools/llm_agent/generation.py``, ``verl/trainer/main_ppo.py``) for the
    weights, the product and the free turns.

    Args:
        f1: Token F1 of the answer; 0 for none.
        coverage: Share of the facts stated in the documents shown.
        searched: Turns that did not end the episode.
        share: Weight of the coverage.
        rate: Factor for each of these turns but the first, once there are three.

    >>> [round(inforage_reward(1.0, 1.0, n), 3) for n in (0, 2, 3, 4)]
    [1.2, 1.2, 1.083, 1.029]
    """
    return (f1 + share * coverage) * rate ** (searched - 1 if searched > 2 else 0)


def needless_search(correct: bool, searches: int, needed: int) -> float:
    """Return -1, which cancels the reward, for a right answer after a search although none was needed.

    After the aim of SEM (Sha et al., arXiv 2505.07903), whose own reward calls a search needless if the model gave the
    right answer before it; here the task knows how many searches it needs.

    >>> needless_search(True, 1, needed=0), needless_search(True, 1, needed=2)
    (-1.0, 0.0)
    """
    return -1.0 if correct and searches and not needed else 0.0
