"""Werewolf in a seat of the village: what follows from the habits, what is hidden, and who wins."""

from functools import partial
from itertools import combinations
from typing import Any

import pytest

from tests.worlds.games.test_rules import likewise
from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.envs.tables._points import company_of
from turnwise.envs.tables._share import act
from turnwise.envs.tables.werewolf import Werewolf
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.hidden.werewolf import Awake, Position
from turnwise.worlds.games.players.company import played_out
from turnwise.worlds.games.players.guides.suspicion import Believer, Counting, Follower, assignments
from turnwise.worlds.games.players.make import make_player


def test_the_first_message_says_what_is_known_and_the_known_way_wins() -> None:
    env = Werewolf(**Werewolf.levels[0])
    observation, _ = env.reset(seed=0)
    assert observation.startswith("Win this game of Werewolf for the village")
    assert "Wolves never accuse each other" in observation
    assert "You are a villager." in observation
    assert "\nVote 2: " in observation
    assert "\nVote 3: " not in observation
    said, reward, over = observation, 0.0, False
    while not over:
        said, reward, over, *_ = env.step(env.oracle())
    assert reward == 1.0
    assert said.endswith("The village won.")


def test_nothing_is_said_of_skilled_others_that_random_ones_do_not_keep_to() -> None:
    observation, _ = Werewolf(seats=7, wolves=2, opening=1, others="random").reset(seed=0)
    assert "The other players do anything that they may do." in observation
    assert "Wolves never accuse" not in observation


@pytest.mark.parametrize("role", ["villager", "seer"])
def test_hidden_roles_change_no_message_and_no_move_of_who_reads_it(role: Any) -> None:
    env, draw, changed = Werewolf(role=role), Draw("roles"), 0
    for seed in range(3):
        observation, _ = env.reset(seed=seed)
        game, seat, over = env.task.game, env.task.seat, False
        readers = [Counting(game), Follower(game), Believer(game)]
        while not over:
            legal = game.legal(env.state)
            for other in [each for _ in range(4) for each in likewise(game, env.state, seat, draw)]:
                changed += other.roles != env.state.roles
                assert observation.endswith(game.view(other, seat))
                if game.turn(other) == seat:
                    assert game.legal(other) == legal
                assert [each.act(other, seat) for each in readers] == [each.act(env.state, seat) for each in readers]
            observation, _, over, *_ = env.step(draw.choice(env.legal_moves()))
    assert changed > 5


def brute_force(game: Awake, state: Position, seat: int) -> set[tuple[tuple[int, ...], int]]:
    """The assignments by trying all, in the words of the habits."""
    found, events = set(), game.open_events(state, seat)
    for wolves in combinations(range(game.seats), game.wolves):
        for seer in set(range(game.seats)) - set(wolves):
            roles = ["w" if s in wolves else "s" if s == seer else "v" for s in range(game.seats)]
            shown = all(roles[s] == state.roles[s] for s, alive in enumerate(state.alive) if not alive or s == seat)
            checked = all(
                (roles[other] == "w") == (state.roles[other] == "w") for *_, (verb, other) in events if verb == "check"
            )
            kept = all(
                not (roles[who] == "w" and verb in ("accuse", "vote", "wolf") and roles[other] == "w")
                and not (roles[who] == "v" and verb in ("wolf", "good"))
                and not (roles[who] == "s" and verb in ("wolf", "good") and (roles[other] == "w") != (verb == "wolf"))
                for *_, who, (verb, other) in events
                if who != seat
            )
            if shown and checked and kept:
                found.add((tuple(s for s in wolves if state.alive[s]), seer))
    return found


@pytest.mark.parametrize(("seats", "wolves"), [(7, 2), (9, 3)])
@pytest.mark.parametrize("skill", [1, 2, 3])
def test_scripted_players_keep_to_their_habits_and_what_is_possible_is_counted(
    seats: int, wolves: int, skill: int
) -> None:
    game, seen = Awake(seats, wolves), 0
    for seed in range(4):
        state = game.start(Draw("habits", seed))
        players = [make_player(f"heuristic:{skill}", game, 20 * seed + number) for number in range(seats)]
        while (turn := game.turn(state)) != OVER:
            if state.phase == "vote" and state.roles[turn] != "w" and not seen % 3:
                possible = list(assignments(game, state, turn))
                true = tuple(s for s, r in enumerate(state.roles) if r == "w" and state.alive[s])
                assert (true, state.roles.index("s")) in possible
                assert len(set(possible)) == len(possible)
                assert set(possible) == brute_force(game, state, turn)
            seen += 1
            state = game.apply(state, players[turn].act(state, turn))
    assert seen > 60


def test_who_counts_wins_more_often_than_who_follows_or_believes() -> None:
    env, won = Werewolf(**Werewolf.levels[2]), [0, 0, 0]
    for seed in range(20):
        env.reset(seed=seed)
        task = env.task
        for number, kind in enumerate((Counting, Follower, Believer)):
            won[number] += played_out(task.state, company_of(task), partial(act, kind(task.game), task.seat)) > 0
    assert won[0] >= 11
    assert won[0] > max(won[1:]) + 3


def test_unled_games_are_lost_by_whoever_follows() -> None:
    env = Werewolf(seats=8, wolves=2, opening=1, unled=True)
    for seed in range(5):
        env.reset(seed=seed)
        task = env.task
        for kind in (Follower, Believer):
            assert played_out(task.state, company_of(task), partial(act, kind(task.game), task.seat)) < 0


def test_sleepers_make_no_moves_and_the_agent_keeps_its_place() -> None:
    game = Awake(6, 1)
    state = Position("vwsvvv", (True,) * 6)
    state = game.apply(state, ("kill", 5))
    assert game.turn(state) == 2
    state = game.apply(state, ("check", 1))
    assert (state.phase, game.turn(state), state.alive[5]) == ("talk", 1, False)
    env = Werewolf(place=4)
    for seed in range(3):
        env.reset(seed=seed)
        assert (env.task.seat, env.task.state.alive[3], env.task.state.roles[3]) == (3, True, "v")


def test_an_opening_that_ends_the_game_is_refused() -> None:
    with pytest.raises(SettingsError, match="opening is 3; with 7 players and 2 wolves"):
        Werewolf(seats=7, wolves=2, opening=3)
