"""Any agent as a player of games: it reads a position as its seat sees it, and answers with a move."""

import threading
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from turnwise.agents.make import make_agent
from turnwise.core.agent import Agent, Play
from turnwise.core.env import seed_of
from turnwise.games.seats import Seats
from turnwise.games.table import Table
from turnwise.verifiers.extract import final_answer
from turnwise.worlds.games.players.player import Player

__all__ = ["PREFIX", "AgentPlayer", "agent_of", "answered"]

PREFIX = "agent:"
"""What the name of an opponent begins with whose rest names an agent."""
_TRIES = 4
_LOCK = threading.Lock()  # a local model answers one position at a time


@lru_cache(maxsize=8)
def agent_of(spec: str) -> Agent:
    """Return the agent that ``spec`` names, the same one in every game of this process.

    Raises:
        SettingsError: There is no such agent.
    """
    return make_agent(spec)


def answered(spec: str, play: Play, key: int) -> str:
    """Return an agent's next message in a conversation; one agent of this process answers at a time.

    Args:
        spec: The agent.
        play: The conversation, ending with the message to answer.
        key: What the agent's random choices may depend on, with the number of the turn.

    Raises:
        InfrastructureError: The agent could not be asked.
    """
    agent = agent_of(spec)
    while True:
        play.rng_key = (key, play.turn)
        with _LOCK:
            action = agent.act([play])[0]
        play.turn += 1
        if not action.internal:
            return action.text


@dataclass(frozen=True)
class AgentPlayer(Player):
    """Asks an agent for each move, in a conversation that holds the rules and the position as the seat sees it.

    After four answers that are not legal moves it makes a random one. A model that samples gives the same answer to
    the same position where its sampling follows the key of the play; otherwise only as long as the answer is kept.

    Attributes:
        spec: The agent, as `turnwise.agents.make_agent` has it.
    """

    spec: str = "random"

    def choose(self, state: Hashable) -> Any:
        agent, env = agent_of(self.spec), Seats()
        table = Table(self.game, self.seed)
        table.state = state
        play = Play([{"role": "user", "content": env.open(table)}], env, ())
        key = seed_of("opponent", self.seed, state)
        try:
            for _ in range(_TRIES):
                answer = answered(self.spec, play, key)
                text, problem = final_answer(answer)
                move = None if text is None else self.game.parse(state, text)
                if move is not None:
                    return move
                wrong = f"Not a legal move{f': {problem}' if problem else ''}."
                play.messages.append({"role": "assistant", "content": answer})
                legal = " ".join(sorted(table.legal(env.seat)))
                play.messages.append({"role": "user", "content": f"{wrong} Legal moves: {legal}"})
        finally:
            agent.end(play)
        return self.draw(state).choice(self.game.legal(state))
