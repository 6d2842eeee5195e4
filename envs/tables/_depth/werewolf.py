"""Agents of graded skill for Werewolf: what others say, what claims say, what cannot be otherwise, how often each can.

They accuse and vote for the same player, whom they find by what the messages show.
"""

import re
from collections.abc import Callable, Sequence

from turnwise.core.agent import Agent
from turnwise.core.env import Env
from turnwise.envs.tables._depth.reading import agent
from turnwise.worlds.games.hidden.werewolf import Awake, Position
from turnwise.worlds.games.players.guides.suspicion import Believer, Counting, Follower, Suspicious

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_MINE, _ROLE = (
    re.compile(r"^You are Player (\d+)\.", re.MULTILINE),
    re.compile(r"^You are (the seer|a villager)\.", re.M),
)
_TABLE = re.compile(r"Werewolf for (\d+) players: (one|\d+) wol")
_LEFT = re.compile(r"^Player (\d+) was (killed in the night|voted out); Player \d+ was (a wolf|the seer|a villager)\.$")
_SAID = re.compile(r"Player (\d+): (\w+)(?: (\d+))?(?: \((a wolf|no wolf)\))?")
_ALIVE = re.compile(r"^Alive: players ([\d, ]+)\. It is (night|day) (\d+)(?:, and the players (speak|vote))?")
_PHASES = {"Night": "night", "Day": "talk", "Vote": "vote"}
_LETTER = {"a wolf": "w", "the seer": "s", "a villager": "v", "no wolf": "v"}


def read(heard: Sequence[str]) -> tuple[Awake, Position, int]:
    """Return the rules, the position, and the seat; whose role is not known counts as a villager."""
    text = next(text for text in reversed(heard) if "\nAlive: players" in text)
    mine, role, table = _MINE.search(heard[0]), _ROLE.search(heard[0]), _TABLE.search(heard[0])
    assert mine
    assert role
    assert table
    seats, seat = int(table[1]), int(mine[1]) - 1
    roles = ["v"] * seats
    roles[seat] = _LETTER[role[1]]
    events, alive, day, phase = [], [False] * seats, 1, "night"
    for line in text.split("\n"):
        label, _, rest = line.partition(" ")
        if label in _PHASES:
            day = int(rest.partition(":")[0])
            for who, verb, other, found in _SAID.findall(line):
                events.append((day, _PHASES[label], int(who) - 1, (verb, int(other or 0) - 1)))
                if found == "a wolf":
                    roles[int(other) - 1] = "w"
        elif left := _LEFT.match(line):
            gone = int(left[1]) - 1
            if left[2] != "voted out" and events and events[-1][1] != "night":
                day += 1  # the nights of others are not shown
            roles[gone] = _LETTER[left[3]]
            events.append((day, "out" if left[2] == "voted out" else "killed", gone, ("", -1)))
        elif now := _ALIVE.match(line):
            alive = [str(s + 1) in now[1].split(", ") for s in range(seats)]
            day, phase = int(now[3]), {"speak": "talk", "vote": "vote"}.get(now[4] or "", "night")
    game = Awake(seats, 1 if table[2] == "one" else int(table[2]))
    return game, Position("".join(roles), tuple(alive), day, phase, (), tuple(events)), seat


def _playing(player: type[Suspicious]) -> Callable[[Sequence[str], int], str]:
    def said(heard: Sequence[str], turn: int) -> str:
        game, state, seat = read(heard)
        return game.write(state, player(game).act(state, seat))

    return said


def _silent(heard: Sequence[str], turn: int) -> str:
    game, state, _ = read(heard)
    return {"talk": "quiet", "vote": "abstain"}.get(state.phase) or game.write(
        state, ("check", state.alive.index(True))
    )


SHORTCUTS: dict[str, Callable[[], Agent]] = {
    "says nothing": agent(_silent, "says nothing"),
}
SKILLS = {
    "believes the latest claim": agent(_playing(Believer), "believes the latest claim"),
    "follows the others": agent(_playing(Follower), "follows the others"),
    "counts what is possible": agent(_playing(Counting), "counts what is possible"),
}


def extent(env: Env) -> tuple[int, int]:  # type: ignore[type-arg]
    """Return the moves of a known way to win, and what the agent has heard or seen of the game before."""
    task = env.task
    return len(task.line), len(task.game.open_events(task.state, task.seat))
