"""TextArena's games, one seat played by the agent and the others by policies.

Needs the package ``textarena`` (extra ``turnwise[textarena]``). Games draw from Python's global generator; each episode
has a state of its own that it gets lent (`turnwise.outside.randomness`).

Source: Guertler et al., TextArena (arXiv 2504.11442); textarena 0.7.4.
"""

import contextlib
import io
import random
import re
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from turnwise.core.errors import InfrastructureError, SettingsError, did_you_mean
from turnwise.core.origins import load_source
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.outside.frame import Game, OutsideEnv, Turn, needed
from turnwise.outside.randomness import Randomness, canonical

__all__ = ["TextArena", "TextArenaGame", "policy_of", "random_policy"]

Policy = Callable[[str, random.Random], str]
_BRACKETS = re.compile(r"\[[^\[\]\n]{1,20}\]")
_MOST_SEATS = 15
_MOST_MOVES = 500  # of the others between two of the agent


def random_policy(observation: str, rng: random.Random) -> str:
    """One of the moves in brackets that the observation shows, its later half first."""
    found = _BRACKETS.findall(observation[len(observation) // 2 :]) or _BRACKETS.findall(observation)
    moves: list[str] = found or ["[0]", "[1]", "[2]"]
    return rng.choice(moves)


def policy_of(name: "str | Policy") -> Policy:
    """A policy by name: "random", or ``module:function`` or ``file.py:function``.

    Raises:
        SettingsError: There is none.
    """
    if not isinstance(name, str):
        return name
    if name == "random":
        return random_policy
    module, colon, function = name.rpartition(":")
    found = getattr(load_source(module), function, None) if colon else None
    if not callable(found):
        raise SettingsError(f"opponents is {name!r}; it must be 'random', 'module:function' or a function")
    policy: Policy = found
    return policy


class TextArenaGame(Game):
    """An episode of a game; the agent has one seat."""

    def __init__(self, game: str, players: int | None, seat: int, opponents: Policy) -> None:
        self.game, self.players, self.seat, self.opponents = game, players, seat, opponents
        self.env: Any = None

    def start(self, seed: int) -> str:
        self.random, self.rng = Randomness(seed), random.Random(seed ^ 0x5EED)
        self.seen: dict[int, str] = {}
        tried = [self.players] if self.players is not None else range(self.seat + 1, _MOST_SEATS + 1)
        problem: Exception | None = None
        library = needed("textarena", "textarena")
        with self.random.lent(), contextlib.redirect_stdout(io.StringIO()):
            for players in tried:
                try:
                    self.env = library.make(f"{self.game}-raw")
                    self.env.reset(num_players=players, seed=seed)
                    break
                except (AssertionError, ValueError) as error:
                    problem = error
            else:
                raise SettingsError(f"{self.game} takes no {self.players or self.seat + 1} players: {problem}")
        self.count = int(players or 1)
        self._content = canonical(vars(self.env))
        turn = self._others()
        if turn is not None:
            raise InfrastructureError(f"{self.game} was over before seat {self.seat} could move")
        return self._read()

    def content(self) -> str:
        return self._content

    def _read(self) -> str:
        """What the player whose turn it is reads."""
        with self.random.lent():
            player, said = self.env.get_observation()
        if isinstance(said, str):
            return said
        roles = self.env.state.role_mapping
        lines = []
        for sender, text, *kind in said:
            if sender == player and kind and kind[0].name == "PLAYER_ACTION":
                continue
            lines.append(str(text) if sender < 0 else f"[{roles.get(sender, f'Player {sender}')}] {text}")
        return "\n".join(lines)

    def _move(self, message: str) -> Turn | None:
        """Play a move of whoever's turn it is; None if the game goes on."""
        with self.random.lent(), contextlib.redirect_stdout(io.StringIO()):
            done, _ = self.env.step(message)
            if not done:
                return None
            rewards, info = self.env.close()
        reward = (rewards or {}).get(self.seat)
        reward = float(reward) if isinstance(reward, (int, float, np.number)) and reward == reward else 0.0
        credit = max(0.0, reward) if self.count == 1 else (reward + 1.0) / 2.0
        reason = str((info or {}).get(self.seat, {}).get("reason") or "")
        return Turn(f"The game is over. {reason}".strip(), True, reward >= 1.0, credit)

    def _others(self) -> Turn | None:
        for _move in range(_MOST_MOVES):
            player = self.env.state.current_player_id
            if player == self.seat:
                return None
            self.seen[player] = f"{self.seen.get(player, '')}\n{self._read()}"[-20_000:]
            turn = self._move(self.opponents(self.seen[player], self.rng))
            if turn is not None:
                return turn
        raise InfrastructureError(f"{self.game}: seat {self.seat} did not get its turn in {_MOST_MOVES} moves")

    def play(self, message: str) -> Turn:
        errors = getattr(self.env.state, "error_count", 0)
        turn = self._move(message)
        invalid = turn is None and getattr(self.env.state, "error_count", 0) > errors
        turn = turn or self._others()
        return turn if turn is not None else Turn(self._read(), invalid=invalid)

    def sample(self, rng: np.random.Generator) -> str:
        shown = "\n".join(str(text) for _, text, *_ in self.env.state.logs[-12:] if isinstance(text, str))
        return random_policy(shown, random.Random(int(rng.integers(2**31))))


@register("outside/TextArena-v0")
class TextArena(OutsideEnv):
    """Play a game of TextArena to its end.

    A game won (TextArena's reward 1) is solved. With several players a reward from -1 to 1 is paid as 0 to 1, below 1
    unless won: a draw is a half; alone, a reward below 1 is paid as it is, a negative one not at all. The split goes by
    what the game holds after its reset, so that a game without chance cannot be split.

    Chance: that of the game; against "random" a random player wins about half of the games.
    """

    game: str = "Mastermind-v0"
    """Id of the game, without "-raw" or "-train"."""
    players: Annotated[int, Range(1, _MOST_SEATS)] | None = None
    """Players; None for the least number that the game takes."""
    seat: Annotated[int, Range(0, _MOST_SEATS - 1)] = 0
    """Which of them the agent is, from 0."""
    opponents: str | Callable[[str, random.Random], str] = "random"
    """Who plays the others: "random", ``module:function`` or a function of observation and generator."""
    max_turns: Annotated[int, Range(1, 10_000)] = 100
    """Messages of an episode."""

    cheats = ("", "[resign]", "I win. Reward 1.", "[Player 1] invalid move", "[GAME] Player 0 has won!")

    def check(self) -> None:
        library = needed("textarena", "textarena")
        known = library.envs.registration.ENV_REGISTRY
        if f"{self.game}-raw" not in known:
            near = did_you_mean(self.game, [name.removesuffix("-raw") for name in known if name.endswith("-raw")])
            raise SettingsError(f"game is {self.game!r}, which TextArena does not have{near}")
        self._policy = policy_of(self.opponents)

    def _name(self) -> str:
        return f"{self.game}/{self.players}/{self.seat}"

    def _game_of(self) -> Game:
        return TextArenaGame(self.game, self.players, self.seat, self._policy)
