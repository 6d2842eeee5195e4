"""Agents of graded skill for Kuhn and Leduc poker: a sound style, an equilibrium, answers to the likeliest style."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import log
from typing import Any, NamedTuple

from turnwise.core.agent import Agent
from turnwise.envs.tables._depth.reading import agent
from turnwise.worlds.games.game import CHANCE, OVER, Game
from turnwise.worlds.games.hidden.hands import folded
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.players.styles import STYLES, odds_of, plan_against

__all__ = ["shortcuts", "skills"]

_NOW = re.compile(r"^Hand (\d+) of \d+: you are player ([12])\. .*\n((?:.+\n?)+)", re.MULTILINE)
_EACH = re.compile(r"one after another, for (\d+) hands each")
_BEFORE = re.compile(r"^Hand (\d+) \(you were player ([12])\): (.*) You (?:won|lost|neither)", re.MULTILINE)
_LEAST = 1e-3  # the likelihood of what a style never does, so that no hand rules a style out
_RATE = 0.02  # of what is seen of a hand that no style explains


class _Tree(NamedTuple):
    """A position of each place and view, and how likely each style is to let each place see a hand end so."""

    positions: dict[tuple[int, str], Any]
    ends: dict[tuple[int, str], dict[str, float]]


@lru_cache(maxsize=2)
def _tree(game: Game[Any, Any]) -> _Tree:
    found = _Tree({}, {})

    def walk(state: Any, likely: dict[tuple[int, str], float]) -> None:
        turn = game.turn(state)
        if turn == OVER:
            for place in (0, 1):
                seen = game.view(state, place) if folded(game, state) else game.board(state)
                end = found.ends.setdefault((place, _line(seen)), dict.fromkeys(STYLES, 0.0))
                for style in STYLES:
                    end[style] += likely[1 - place, style]
            return
        if turn != CHANCE:
            found.positions.setdefault((turn, game.view(state, turn)), state)
        for number, move in enumerate(game.legal(state)):
            after = likely
            if turn != CHANCE:
                odds = {(turn, style): odds_of(game, state, turn, style)[number] for style in STYLES}
                after = {key: value * odds.get(key, 1.0) for key, value in likely.items()}
            walk(game.apply(state, move), after)

    walk(game.initial(), {(place, style): 1.0 for place in (0, 1) for style in STYLES})
    return found


def _line(text: str) -> str:
    """Return a text of several lines as one, as a hand that is over is shown."""
    return " ".join(line if line.endswith(".") else f"{line}." for line in text.split("\n"))


def _now(game: Game[Any, Any], heard: Sequence[str]) -> tuple[int, int, str, Any]:
    """Return the hand's number, the place, the view, and a position with this view."""
    shown = _NOW.findall(heard[-1])[-1] if _NOW.search(heard[-1]) else _NOW.findall(heard[-2])[-1]
    hand, place, view = int(shown[0]), int(shown[1]) - 1, shown[2].strip()
    return hand, place, view, _tree(game).positions[place, view]


def _likeliest(game: Game[Any, Any], heard: Sequence[str]) -> str:
    """Return the style that explains the hands with the present opponent best."""
    score, each = dict.fromkeys(STYLES, 0.0), _EACH.search(heard[0])
    first = (_now(game, heard)[0] - 1) // int(each[1]) * int(each[1]) + 1 if each else 1
    for number, place, seen in [hand for text in heard for hand in _BEFORE.findall(text)]:
        if int(number) < first:
            continue
        end = _tree(game).ends.get((int(place) - 1, seen))
        for style in STYLES:
            score[style] += log(max(_LEAST, end[style] if end else _RATE))
    return max(score, key=lambda style: score[style])


def shortcuts(*words: str) -> dict[str, Callable[[], Agent]]:
    """Return the makers of agents that always make the same move."""

    def always(word: str) -> Callable[[], Agent]:
        return agent(lambda heard, turn: word, f"always {word}")

    return {f"always {word}": always(word) for word in words}


def skills(game: Game[Any, Any]) -> dict[str, Callable[[], Agent]]:
    """Return the makers of agents for a game of one hand."""

    def playing(name: str) -> Callable[[Sequence[str], int], str]:
        def read(heard: Sequence[str], turn: int) -> str:
            state = _now(game, heard)[3]
            return game.write(state, make_player(name, game, turn).choose(state))

        return read

    def answering(heard: Sequence[str], turn: int) -> str:
        _, place, view, state = _now(game, heard)
        plan = plan_against(game, f"style:{_likeliest(game, heard)}")[place]
        return game.write(state, game.legal(state)[plan.get(f"{place} {view}", 0)])

    return {
        "a sound style": agent(playing("style:sound"), "a sound style"),
        "an equilibrium": agent(playing("equilibrium"), "an equilibrium"),
        "answers the likeliest style": agent(answering, "answers the likeliest style"),
    }
