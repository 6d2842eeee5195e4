"""``turnwise play --browser`` without sites: a page on which a person plays an environment, with its board drawn."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

import turnwise
from turnwise.core.errors import SettingsError
from turnwise.games.person import Board, PersonPlays
from turnwise.report.app.serve import Book
from turnwise.report.html import visible

__all__ = ["PersonBook"]


class PersonBook(Book):
    """One person's episode, for `turnwise.report.app.serve.serving`.

    Args:
        played: The episode.
        title: The environment's name.
        seed: Seed of the first episode; later ones have drawn seeds.
        verdict: Says how an episode has ended.
    """

    scripts = ("core.js", "boards.js", "person.js", "start.js")

    def __init__(self, played: PersonPlays, title: str, seed: int | None, verdict: Callable[[], str]) -> None:
        super().__init__(())
        self._played, self._title, self._seed, self._verdict = played, title, seed, verdict
        self._turns = threading.Lock()

    def manifest(self, *, latest: bool = True) -> dict[str, Any]:
        return {
            "version": turnwise.__version__, "start": "#/play", "runs": [], "served": True, "state": 0,
            "title": visible(self._title),
        }  # fmt: skip

    def answer(self, question: Mapping[str, Any]) -> Any:
        what, action = question.get("what"), question.get("action")
        with self._turns:
            if what == "begin":
                seed, self._seed = self._seed, None
                return self._state(self._played.begin(seed))
            if what == "step" and isinstance(action, str) and not self._played.over:
                return self._state(self._played.act(action)[0])
            if what == "hint":
                return {"hint": self._played.env.unwrapped.oracle()}  # type: ignore[attr-defined]
        raise SettingsError("the question must be begin, hint, or step with an action while the game is going on")

    def _state(self, said: str) -> dict[str, Any]:
        inner: Any = self._played.env.unwrapped
        over, drawn = self._played.over, isinstance(inner, Board)
        return {
            "said": visible(said), "over": over, "solved": over and self._played.won(),
            "verdict": visible(self._verdict()) if over else "",
            "board": visible(inner.seen()) if drawn else visible(said),
            "legal": inner.legal_moves() if drawn and not over else [],
        }  # fmt: skip
