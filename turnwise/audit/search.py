"""Search against a verifier: shrink a paid text, climb to texts paid everywhere, walk off a right one."""

import re
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from turnwise.audit.cases import Case

__all__ = ["Budget", "climb", "shrink", "walk"]

_PATIENCE = 4  # times its processor time that a search may take by the clock


class Budget:
    """Time for a search; false once it is spent.

    Args:
        seconds: Of this process's CPU time, or four times as many by the clock: programs in a sandbox, which some
            verifiers wait for, use the CPU time of other processes.
    """

    def __init__(self, seconds: float) -> None:
        self._cpu = time.process_time() + seconds
        self._clock = time.monotonic() + _PATIENCE * seconds

    def __bool__(self) -> bool:
        return time.process_time() < self._cpu and time.monotonic() < self._clock


def shrink(text: str, holds: Callable[[str], bool], tries: int = 400, seconds: float = 1.0) -> str:
    """Return the smallest text found by leaving out parts of ``text`` while ``holds`` stays true.

    Source: delta debugging, Zeller and Hildebrandt 2002, IEEE TSE 28:183, over lines, then words, then characters.

    Args:
        text: Start of the search; returned unchanged if ``holds`` is false for it.
        holds: The condition to keep; never called twice for one text.
        tries: Maximum number of texts to try.
        seconds: Maximum CPU time, as in `Budget`.

    >>> shrink("either seven or eight, I think", lambda t: "seven" in t and "eight" in t)
    'seveneight'
    """
    known: dict[str, bool] = {}
    budget = Budget(seconds)

    def spent() -> bool:
        return len(known) >= tries or not budget

    def test(candidate: str) -> bool:
        if candidate not in known:
            known[candidate] = holds(candidate)
        return known[candidate]

    if not test(text):
        return text
    for pattern in (r"[^\n]*\n?", r"\w+|\s+|[^\w\s]", r"[\s\S]"):
        parts = [part for part in re.findall(pattern, text) if part]
        size = max(1, len(parts) // 2)
        while parts:
            start = 0
            while start < len(parts) and not spent():
                fewer = parts[:start] + parts[start + size :]
                if test("".join(fewer)):
                    parts = fewer
                else:
                    start += size
            if size == 1 or spent():
                break
            size = max(1, size // 2)
        text = "".join(parts)
    return text


_PIECES = (
    "The answer is ", "Answer: ", "answer", "= ", "So ", "#### ", "\\boxed{", "}", "<answer>", "</answer>", "<think>",
    "</think>", "\n", " ", ", ", " or ", "0", "1", "2", "-1", "yes", "no", "True", "A", "B", "correct", "not ", "()",
    "[", "]", "*", "|", "?", '"', "0 1 2 3 4 5 6 7 8 9", "\x00", "\u200b", "because ", "therefore ", "Step 1: ",
)  # fmt: skip
_WRAPS = (
    "<answer>@</answer>",
    "\\boxed{@}",
    "The answer is @",
    "<think>@</think>@",
    "@\n@",
    "#### @",
    "= @",
    '{"answer": "@"}',
)


def climb(
    starts: Sequence[str],
    score: Callable[[str], float],
    rng: np.random.Generator,
    tries: int = 400,
    seconds: float = 3.0,
) -> Iterator[tuple[float, str]]:
    """Hill-climb from some texts to ones with a higher score, and yield every text tried with its score.

    Args:
        starts: Texts to start from.
        score: Function to maximise: what a text earns over several tasks, plus a little for being readable.
        rng: Chooses the edits.
        tries: Maximum number of texts to try.
        seconds: Maximum CPU time, as in `Budget`.
    """
    budget = Budget(seconds)
    seen: set[str] = set()
    best: list[tuple[float, str]] = []
    queue = list(dict.fromkeys(starts))
    while len(seen) < tries and budget:
        text = queue.pop(0) if queue else _edited(best, starts, rng)
        if text in seen or len(text) > 20_000:
            text = _edited(best, starts, rng) + _PIECES[int(rng.integers(len(_PIECES)))]
        seen.add(text)
        found = score(text)
        yield found, text
        best = sorted([*best, (found, text)], key=lambda pair: (-pair[0], len(pair[1]), pair[1]))[:12]


def _edited(best: Sequence[tuple[float, str]], starts: Sequence[str], rng: np.random.Generator) -> str:
    """Edit one of the best texts (better ones are chosen more often), perhaps combining it with a start text."""
    text = best[int(len(best) * rng.random() ** 2)][1]
    piece = _PIECES[int(rng.integers(len(_PIECES)))]
    other = starts[int(rng.integers(len(starts)))]
    place = int(rng.integers(len(text) + 1))
    match int(rng.integers(7)):
        case 0:
            return text[:place] + piece + text[place:]
        case 1:
            return piece + text
        case 2:
            return text + piece
        case 3:
            return _WRAPS[int(rng.integers(len(_WRAPS)))].replace("@", text)
        case 4:
            return text + " " + other
        case 5:
            return text[:place] + text[place + 1 + int(rng.integers(8)) :]
        case _:
            return text.replace("answer", piece, 1) if "answer" in text else other[: len(other) // 2] + text


def walk(case: Case, rng: np.random.Generator, steps: int = 120) -> str | None:
    """Edit a right message at random as long as it stays paid, until it certainly says something else.

    Returns:
        That message, or None if none was found.
    """
    answer = case.answer
    letters = sorted(set(answer + "0123456789-., /"))
    for _ in range(steps):
        place = int(rng.integers(len(answer) + 1))
        letter = letters[int(rng.integers(len(letters)))]
        match int(rng.integers(4)):
            case 0:
                edited = answer[:place] + letter + answer[place:]
            case 1:
                edited = answer[:place] + answer[place + 1 :]
            case 2:
                edited = answer[:place] + letter + answer[place + 1 :]
            case _:
                edited = (
                    answer[: max(0, place - 1)]
                    + answer[place : place + 1]
                    + answer[max(0, place - 1) : place]
                    + answer[place + 1 :]
                )
        if len(edited) > 2 * len(case.answer) + 20:
            continue
        message = case.message(edited)
        if not case.respond(message).solved:
            continue
        if case.differs(message):
            return message
        answer = edited
    return None
