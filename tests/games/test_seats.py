"""All seats of a game in one environment: who hears what, forfeits, and what is paid."""

import numpy as np
import pytest

from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import seed_of
from turnwise.core.episode import Episode, Job
from turnwise.core.errors import SettingsError
from turnwise.core.player import rollout
from turnwise.core.registration import expand
from turnwise.games import names
from turnwise.games.entrants import Entrants, GamePlayer, make_entrant
from turnwise.games.seats import Seats

GAMES = [name for name in names() if name not in ("Chess", "Go", "Checkers")]  # long ones
ID = "seats/Table-v0"


def played(game: str, seating: dict[str, Agent], rounds: int = 3, **settings: object) -> list[Episode]:
    given = {"game": game, "seating": "|".join(seating), **settings}
    return list(rollout(Entrants(seating), [Job(ID, seed_of("seats", i), settings=given) for i in range(rounds)]))


def someone(seats: int) -> dict[str, Agent]:
    return {f"p{i}": make_entrant("random") for i in range(seats)}


@pytest.mark.parametrize("game", GAMES)
def test_random_players_end_every_game_and_forks_agree(game: str) -> None:
    env = Seats(game=game)
    env.reset(seed=5)
    rng = np.random.default_rng(1)
    for _ in range(3):
        if not env._over:
            env.step(env.sample_action(rng))
    if not env._over:
        twin = env.fork()
        action = env.sample_action(rng)
        assert env.step(action) == twin.step(action)
    [one, two, *_] = played(game, someone(env.table.seats), 3)
    assert one.status == two.status == "done" and one.turns != two.turns
    returns = [one.metrics[f"return_{seat}"] for seat in range(env.table.seats)]
    assert one.solved == (returns[0] > max(returns[1:], default=0.0))
    assert one.episode_return in (0.0, 0.5, 1.0)
    assert played(game, someone(env.table.seats), 3)[0] == one, "the same seeds, the same game"


class Listening(Agent):
    """Plays like another agent and keeps what it hears, by seat."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.batched, self.concurrency, self.name = agent, True, 8, "listening"
        self.heard: dict[int, list[str]] = {}

    def act(self, plays: list[Play]) -> list[Action]:  # type: ignore[override]
        for play in plays:
            env = play.env.unwrapped
            assert isinstance(env, Seats)
            self.heard.setdefault(env.seat, []).append(play.messages[-1]["content"])
            roles = [message["role"] for message in play.messages]
            assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
            assert play.turn == len(roles) // 2
        return self.agent.act(plays)


def test_a_seat_hears_its_own_part_only() -> None:
    first, second = Listening(GamePlayer("random")), Listening(GamePlayer("random"))
    played("Leduc", {"a": first, "b": second}, 1)
    assert set(first.heard) == {0} and set(second.heard) == {1}
    for seat, agent in ((0, first), (1, second)):
        assert all(f"Player {2 - seat} has" not in text for text in agent.heard[seat]), "the other's card"
        assert "Answer with one move" in agent.heard[seat][0]
        assert all("Answer with one move" not in text for text in agent.heard[seat][1:])


def test_moves_of_others_are_told_once() -> None:
    first, second = Listening(GamePlayer("greedy")), Listening(GamePlayer("random"))
    [episode] = played("TicTacToe", {"a": first, "b": second}, 1)
    assert all(text.startswith("O played ") and text.count("played") == 1 for text in first.heard[0][1:])
    assert all(text.startswith("X played ") for text in second.heard[1][1:])
    assert len(first.heard[0]) + len(second.heard[1]) == len(episode.turns)


def test_one_agent_on_all_seats_keeps_them_apart() -> None:
    both = Listening(GamePlayer("greedy"))
    list(rollout(Entrants({"a": both}), [Job(ID, 3, settings={"game": "TicTacToe", "seating": "a|a"})]))
    assert set(both.heard) == {0, 1}


class Mute(Agent):
    batched, concurrency, name = True, 8, "mute"

    def act(self, plays: list[Play]) -> list[Action]:  # type: ignore[override]
        return [Action("I resign?") for _ in plays]


def test_illegal_moves_are_answered_and_then_forfeit() -> None:
    [episode] = played("TicTacToe", {"a": GamePlayer("greedy"), "mute": Mute()}, 1, illegal_moves=2)
    assert [turn.invalid for turn in episode.turns] == [False, True, True, True]
    assert "Legal moves: a1" in episode.turns[2].observation or "Legal moves: a2" in episode.turns[2].observation
    assert episode.solved and episode.episode_return == 1.0
    found = {name: episode.metrics[f"{name}_1"] for name in ("return", "illegal", "forfeit", "messages")}
    assert found == {"return": -1.0, "illegal": 3.0, "forfeit": 1.0, "messages": 3.0}
    [other] = played("TicTacToe", {"mute": Mute(), "a": GamePlayer("greedy")}, 1, illegal_moves=0)
    assert len(other.turns) == 1 and other.episode_return == 0.0 and other.metrics["return_1"] == 1.0


def test_the_turn_limit_pays_nobody() -> None:
    [episode] = played("TicTacToe", someone(2), 1, max_turns=3)
    assert episode.truncated and episode.metrics["return_0"] == episode.metrics["return_1"] == 0.0


def test_who_cannot_play_is_refused() -> None:
    with pytest.raises(SettingsError, match="would see what is hidden in Leduc"):
        Entrants({"a": GamePlayer("mcts:10")}).check("Leduc")
    with pytest.raises(SettingsError, match="equilibrium"):
        Entrants({"a": GamePlayer("equilibrium")}).check("TicTacToe")
    with pytest.raises(SettingsError, match="no heuristic player of TicTacToe"):
        Entrants({"a": GamePlayer("heuristic:1")}).check("TicTacToe")
    with pytest.raises(SettingsError, match="alphabeta:99"):
        make_entrant("alphabeta:99")
    with pytest.raises(SettingsError, match="as a player of games"):
        make_entrant("grandmaster")
    with pytest.raises(SettingsError, match="Chess960"):
        Seats(game="Chess960")
    [episode] = played("TicTacToe", {"a": GamePlayer("random")}, 1)
    assert episode.status == "error" and "2 seats" in (episode.error or "")


def test_it_is_no_member_of_a_family_or_of_all() -> None:
    assert [i for name in ("games", "all") for i in expand(name) if "Table" in i] == []
