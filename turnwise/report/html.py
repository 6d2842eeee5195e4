"""Texts of runs as pages show them: nothing in them is unseen, and rows have headings that tell them apart."""

import json
import re
from collections.abc import Sequence

from turnwise.core.episode import Episode

__all__ = ["headings", "short_id", "state_of", "visible"]

MAX_CHARS = 20_000  # of one message on a page
MAX_SHARED = 24  # characters that headings may have in common
_NAMED = re.compile(r"^(?:[^\n]{0,60} )?(?:question|task|goals?|issue|problem): *\n*", re.IGNORECASE | re.MULTILINE)
_SENTENCE = re.compile(r"[.:;!?]\s+|\n+")
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def visible(text: str, limit: int = MAX_CHARS) -> str:
    """Escape control, invisible and text-direction characters and lone surrogates visibly."""
    cut = f"\n… {len(text) - limit} more characters" if len(text) > limit else ""
    return _UNSEEN.sub(lambda m: ascii(m[0])[1:-1], text[:limit]) + cut


def short_id(env: str) -> str:
    """Return an environment's id without turnwise's namespace."""
    return env.removeprefix("turnwise/")


def state_of(episode: Episode) -> str:
    """Return the outcome of an episode: solved, failed, partly (paid but not solved), truncated, error."""
    if episode.status == "error":
        return "error"
    if episode.solved:
        return "solved"
    if episode.episode_return > 0:
        return "partly"
    return "truncated" if episode.truncated else "failed"


def headings(episodes: Sequence[Episode]) -> list[str]:
    """Return a heading for each episode that distinguishes it from others of its environment: its question.

    It begins at a line such as "Question: ..." if there is one, else at the first sentence that differs; where that
    sentence begins with much that all share, at the first word that differs.
    """
    texts = [e.turns[0].observation if e.turns else e.final_observation or e.error or "" for e in episodes]
    begins: dict[tuple[str, str], int] = {}
    groups: dict[tuple[str, str], list[str]] = {}
    keys = [(e.env, json.dumps(e.settings, sort_keys=True, default=str)) for e in episodes]
    for key, text in zip(keys, texts, strict=True):
        groups.setdefault(key, []).append(text)
    for key, members in groups.items():
        first, last = min(members), max(members)  # what these two share, all share
        shared = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
        whole = first == last
        sentence = max((m.end() for m in _SENTENCE.finditer(first[:shared])), default=0)
        word = max(first.rfind(" ", 0, shared), first.rfind("\n", 0, shared)) + 1
        begins[key] = 0 if whole else word if word - sentence > MAX_SHARED else sentence
    found = []
    for key, text in zip(keys, texts, strict=True):
        named = _NAMED.search(text)
        begin = named.end() if named else begins[key]
        cut = begin and not named and not _SENTENCE.search(text[max(0, begin - 3) : begin])
        found.append("… " * bool(cut) + text[begin:][:300].strip())
    return found
