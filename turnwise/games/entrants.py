"""Agents at one table: each hears only what its seats hear, and answers for them."""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from turnwise.agents.make import make_agent
from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError, UsageError
from turnwise.games.seats import Seats, table_of
from turnwise.worlds.games.players.heuristics import has_heuristic
from turnwise.worlds.games.players.make import check_name, make_player

__all__ = ["Entrants", "GamePlayer", "Parts", "make_entrant"]

_AHEAD = ("greedy", "alphabeta", "mcts", "perfect")  # these look at positions as they are, hidden cards included

_SMALL = ("Kuhn", "Leduc")  # games whose equilibrium is computed in seconds


def make_entrant(spec: str, options: Mapping[str, Any] | None = None) -> Agent:
    """Make a player of games by its name (``mcts:100``), or any agent (``openai:MODEL@URL``).

    Args:
        spec: One of the opponents' names, or what `make_agent` accepts.
        options: Options of an agent that is a model; players of games have none.

    Raises:
        SettingsError: There is neither.
    """
    try:
        check_name("the entrant", spec)
    except SettingsError as error:
        kind = spec.partition(":")[0]
        if kind in (*_AHEAD, "heuristic", "strategy"):
            raise
        try:
            return make_agent(spec, **(options or {}))
        except SettingsError as other:
            raise SettingsError(f"{other}; as a player of games: {error}") from None
    return GamePlayer(spec)


class GamePlayer(Agent):
    """Plays with a player of `turnwise.worlds.games.players`.

    Args:
        name: ``random``, ``alphabeta:3``, ``strategy:tit_for_tat`` and so on.
    """

    batched = True
    concurrency = 64

    def __init__(self, name: str) -> None:
        check_name("the player", name)
        self.name = name

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [Action(self._move(play)) for play in plays]

    def _move(self, play: Play) -> str:
        table, seat = _seats(play).table, _seats(play).seat
        player = make_player(self.name, table.game, seed_of("entrant", *play.rng_key[:-1]))
        return table.game.write(table.state, player.act(table.state, seat))

    def check(self, game: str) -> None:
        """Raise `SettingsError` if this player does not play a game, or would see in it what is hidden."""
        rules, kind = table_of(game).game, self.name.partition(":")[0]
        if kind == "heuristic" and not has_heuristic(rules):
            raise SettingsError(f"there is no heuristic player of {game}; {self.name} cannot play it")
        if kind == "equilibrium" and type(rules).__name__ not in _SMALL:
            raise SettingsError(f"equilibrium plays {' and '.join(_SMALL)}, not {game}, which is too large to solve")
        if rules.hidden and kind in _AHEAD:
            raise SettingsError(
                f"{self.name} looks at whole positions and would see what is hidden in {game}; take random, "
                "equilibrium, heuristic:SKILL or strategy:NAME"
            )
        make_player(self.name, rules)


@dataclass
class Parts:
    """A game in parts: the conversation of each seat, and whose turns were played, in order."""

    seats: dict[int, Play] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)


class Entrants(Agent):
    """Plays `turnwise.games.seats.Seats`: whoever has the name in ``seating`` answers for the seat.

    Each has a conversation of its own for every seat and game. If all are batched, so are they together; otherwise
    games are played in threads, and batched agents answer one at a time.

    Args:
        agents: By name.
        together: Play so many games together in any case; agents that are not batched answer in threads.
    """

    name = "arena"

    def __init__(self, agents: Mapping[str, Agent], together: int = 0) -> None:
        self.agents = dict(agents)
        self.batched = bool(together) or all(agent.batched for agent in self.agents.values())
        kinds = [agent for agent in self.agents.values() if agent.batched == self.batched]
        self.concurrency = together or (min(agent.concurrency for agent in kinds) if kinds else 1)
        self._locks = {name: threading.Lock() for name, agent in self.agents.items() if agent.batched}

    def act(self, plays: Sequence[Play]) -> list[Action]:
        found: dict[int, Action] = {}
        groups: dict[str, list[int]] = {}
        for number, play in enumerate(plays):
            groups.setdefault(self._whose(play), []).append(number)
        for name, numbers in groups.items():
            parts = [self._part(plays[number]) for number in numbers]
            found |= zip(numbers, self._answers(name, parts), strict=True)
            for part, number in zip(parts, numbers, strict=True):
                plays[number].state.order.append(_seats(plays[number]).seat)
                if not found[number].internal:
                    part.messages.append({"role": "assistant", "content": found[number].text})
                part.turn += 1
        return [found[number] for number in range(len(plays))]

    def check(self, game: str) -> None:
        """Raise `SettingsError` if one of the agents is a player that does not play a game."""
        for agent in self.agents.values():
            if isinstance(agent, GamePlayer):
                agent.check(game)

    def _answers(self, name: str, parts: Sequence[Play]) -> list[Action]:
        agent = self.agents[name]
        if not agent.batched and len(parts) > 1:
            with ThreadPoolExecutor(min(len(parts), agent.concurrency)) as pool:
                return [action for found in pool.map(lambda part: agent.act([part]), parts) for action in found]
        if not agent.batched:
            return agent.act(parts)
        with self._locks[name]:
            return agent.act(parts)

    def _whose(self, play: Play) -> str:
        env = _seats(play)
        names = env.seating.split("|")
        if len(names) != env.table.seats:
            raise SettingsError(f"seating is {env.seating!r}; {env.game} has {env.table.seats} seats")
        name = names[env.seat]
        if name not in self.agents:
            raise SettingsError(f"seating names {name!r}, who is not among {', '.join(self.agents)}")
        return name

    def _part(self, play: Play) -> Play:
        """Return the seat's own conversation, with the message that it has to answer."""
        seat = _seats(play).seat
        play.state = play.state or Parts()
        parts: dict[int, Play] = play.state.seats
        if seat not in parts:
            system = [message for message in play.messages[:1] if message["role"] == "system"]
            parts[seat] = Play(system, play.env, ())
        part = parts[seat]
        if not part.messages or part.messages[-1]["role"] != "user":
            part.messages.append(play.messages[-1])
        part.rng_key = (*play.rng_key[:-1], seat, seed_of(self._whose(play)), part.turn)
        return part

    def end(self, play: Play) -> None:
        for seat, part in (play.state.seats if play.state else {}).items():
            self.agents[_seats(play).seating.split("|")[seat]].end(part)

    def interrupt(self) -> None:
        for agent in self.agents.values():
            agent.interrupt()

    def close(self) -> None:
        for agent in self.agents.values():
            agent.close()


def _seats(play: Play) -> Seats:
    env = play.env.unwrapped
    if not isinstance(env, Seats):
        raise UsageError(f"{type(env).__name__} is not a table of games with all seats; make seats/Table-v0")
    return env
