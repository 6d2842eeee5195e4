"""Agents of graded skill for LaneDefence: the dearest defender, answers to what is there, and to what is announced."""

import re
from collections.abc import Callable, Sequence

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.env import Env
from turnwise.worlds.games import cells
from turnwise.worlds.games.solo.lane_defence import DEFENDERS, Foe, LaneDefence, Move, Position
from turnwise.worlds.games.solo.lane_plans import Builder, by_price

_RULES = re.compile(r"in (\d+) lanes? of (\d+) cells")
_INCOME = re.compile(r"You then get (\d+) coins")
_NOW = re.compile(r"^Round (\d+)\. Coins: (\d+)\.", re.MULTILINE)
_GUARD = re.compile(r"(\w+) ([a-z]\d+)(?: \(health (\d+)\))?")
_FOE = re.compile(r"(\w+) on (?:([a-z]\d+)|entry of lane (\d+)) \(health (\d+)(, has jumped)?\)")
_COMING = re.compile(r"round (\d+) (\w+) in lane (\d+)")


def _line(text: str, label: str) -> str:
    found = re.search(rf"^{label}(.*)$", text, re.MULTILINE)
    return found[1] if found else ""


def _read(heard: Sequence[str]) -> tuple[LaneDefence, Position]:
    """Return the rules and the position that the messages of the environment show; what comes later is left out."""
    rules, income = _RULES.search(heard[0]), _INCOME.search(heard[0])
    now = _NOW.search(heard[-1])
    assert rules
    assert income
    assert now
    game = LaneDefence(int(rules[1]), int(rules[2]), income=int(income[1]))
    cell = cells.named(game.lanes, game.columns)
    guards = [
        (cell[at], kind, int(health or DEFENDERS[kind].health))
        for kind, at, health in _GUARD.findall(_line(heard[-1], "Defenders: "))
    ]
    foes = []
    for kind, at, lane, health, jumped in _FOE.findall(_line(heard[-1], "Attackers: ")):
        place = divmod(cell[at], game.columns) if at else (int(lane) - 1, game.columns)
        foes.append(Foe(*place, kind, int(health), kind == "jumper" and not jumped))
    arriving = _COMING.findall(_line(heard[-1], "Arriving in "))
    coming = tuple((int(when), int(lane) - 1, kind) for when, kind, lane in arriving)
    return game, Position(int(now[1]), int(now[2]), tuple(guards), tuple(foes), coming)


def _player(choose: Callable[[LaneDefence, Position], Move], name: str) -> Callable[[], Shortcut]:
    def act(heard: Sequence[str], turn: int) -> str:
        game, state = _read(heard)
        return f"<answer>{game.write(state, choose(game, state))}</answer>"

    return lambda: Shortcut(act, name)


SHORTCUTS = {"the dearest": _player(by_price, "the dearest")}
SKILLS = {
    "archers where attackers are": _player(Builder().choose, "archers where attackers are"),
    "archers for the next 3 rounds": _player(Builder(0, 3).choose, "archers for the next 3 rounds"),
    "mints, and the next 8 rounds": _player(Builder(2, 8).choose, "mints, and the next 8 rounds"),
}


def extent(env: Env) -> tuple[int, int]:  # type: ignore[type-arg]
    """Return the defenders that a solution builds, and the attackers."""
    return sum([kind != "wait" for kind, _ in env.task.line]), env.task.game.attackers
