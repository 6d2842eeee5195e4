"""Players by name: ``random``, ``alphabeta:DEPTH``, ``strategy:NAME`` and others that ``_FORM`` lists."""

from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Any

from turnwise.core.errors import SettingsError
from turnwise.worlds.games.game import Game
from turnwise.worlds.games.hidden.encounters import Encounters
from turnwise.worlds.games.hidden.hands import Hands
from turnwise.worlds.games.players.bargaining import TACTICS, Bargainer
from turnwise.worlds.games.players.cfr import Equilibrium
from turnwise.worlds.games.players.habits import HABITS, Habitual
from turnwise.worlds.games.players.heuristics import Heuristic
from turnwise.worlds.games.players.mcts import MCTS
from turnwise.worlds.games.players.player import Greedy, Player, Random
from turnwise.worlds.games.players.search import AlphaBeta, Perfect
from turnwise.worlds.games.players.strategies import STRATEGIES, Meeting, Strategic
from turnwise.worlds.games.players.styles import STYLES, EachHand, Styled

__all__ = ["check_name", "each_of", "make_player"]

_PLAIN: dict[str, Callable[..., Player]] = {
    "random": Random, "greedy": Greedy, "perfect": Perfect, "equilibrium": Equilibrium,
}  # fmt: skip
_NUMBERED: dict[str, tuple[Callable[..., Player], str, int]] = {
    "alphabeta": (AlphaBeta, "depth", 12),
    "mcts": (MCTS, "simulations", 100_000),
    "heuristic": (Heuristic, "skill", 3),
}
_NAMED: dict[str, Collection[str]] = {"strategy": STRATEGIES, "style": STYLES, "tactic": TACTICS, "habit": HABITS}
_FORM = (
    "random, greedy, alphabeta:DEPTH (1 to 12), mcts:SIMULATIONS (1 to 100000), perfect, equilibrium, "
    f"heuristic:SKILL (1 to 3), style:NAME ({', '.join(STYLES)}), tactic:NAME ({', '.join(TACTICS)}), "
    f"habit:NAME ({', '.join(HABITS)}) or strategy:NAME ({', '.join(STRATEGIES)})"
)


def check_name(setting: str, name: str) -> None:
    """Raise `SettingsError` if ``name`` names no player; ``setting`` is what the message calls it."""
    kind, _, number = name.partition(":")
    names = number.split("+") if kind in ("strategy", "habit", "style") else [number]  # those play one after another
    if name in _PLAIN or all(each in _NAMED.get(kind, ()) for each in names):
        return
    plain = number.isascii() and number.isdigit() and len(number) < 9
    if kind not in _NUMBERED or not plain or not 1 <= int(number) <= _NUMBERED[kind][2]:
        raise SettingsError(f"{setting} is {name!r}; it must be {_FORM}")


def each_of(name: str) -> list[str]:
    """Return the names of the players that a name says play one after another: of "style:rock+station" two."""
    kind, colon, rest = name.partition(":")
    return [f"{kind}{colon}{each}" for each in rest.split("+")]


@lru_cache(maxsize=256)
def make_player(name: str, game: Game[Any, Any], seed: int = 0) -> Player:
    """Return the player of a name.

    Raises:
        SettingsError: There is none.
    """
    check_name("the player", name)
    if isinstance(game, Hands):
        return EachHand(game, seed, inner=tuple(make_player(each, game.inner) for each in each_of(name)))
    if name in _PLAIN:
        return _PLAIN[name](game, seed)
    kind, _, number = name.partition(":")
    if kind == "strategy" and isinstance(game, Encounters):
        return Meeting(game, seed, names=tuple(number.split("+")))
    if kind == "strategy":
        return Strategic(game, seed, name=number)
    if kind == "tactic":
        return Bargainer(game, seed, tactic=number)
    if kind == "habit":
        return Habitual(game, seed, habit=number)
    if kind == "style":
        return Styled(game, seed, style=number)
    make, setting, _ = _NUMBERED[kind]
    return make(game, seed, **{setting: int(number)})
