"""Counterparts in negotiations: how they concede, what they accept, and the most that they can be brought to accept."""

from itertools import product

import pytest

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.hidden.negotiation import ACCEPT, Negotiation, Position
from turnwise.worlds.games.nim import Nim
from turnwise.worlds.games.players.bargaining import TACTICS, Bargainer, Knowing, gain
from turnwise.worlds.games.players.company import Company, played_out
from turnwise.worlds.games.players.make import make_player

GAME = Negotiation(2, 2, 6, 20)
START = Position((2, 1), ((5, 10), (8, 4)))


def test_what_a_division_is_worth() -> None:
    assert [gain(START, seat, 0, (2, 0)) for seat in (0, 1)] == [10, 4]
    assert [gain(START, seat, 1, (2, 0)) for seat in (0, 1)] == [10, 16]


def test_aims_fall_by_the_tactic() -> None:
    aims = {}
    for name in TACTICS:
        player = Bargainer(GAME, tactic=name)
        states = [START._replace(offers=((2, 1),) * made) for made in range(6)]
        aims[name] = [player.aim(state, 0) for state in states]
        assert aims[name] == sorted(aims[name], reverse=True) and aims[name][0] == 20
    assert aims["conceder"][1] < aims["linear"][1] < aims["boulware"][1]
    assert aims["linear"][5] == pytest.approx(7) and set(aims["mirror"]) == {20}, "the other has conceded nothing"
    given = START._replace(offers=((2, 1), (2, 1), (2, 1), (1, 1)))
    assert Bargainer(GAME, tactic="mirror").aim(given, 0) == 15, "the other has given up a book, worth 5"


@pytest.mark.parametrize("name", TACTICS)
def test_a_counterpart_asks_for_its_aim_and_keeps_its_reserve(name: str) -> None:
    for seed in range(8):
        game = Negotiation(3, 3, 8, 20)
        player, draw = Bargainer(game, seed, tactic=name), Draw("offers", seed)
        state = game.start(draw)
        while game.turn(state) != OVER:
            seat = game.turn(state)
            if seat == 0:
                state = game.apply(state, draw.choice(game.legal(state)[:-1] if state.offers else game.legal(state)))
                continue
            move = player.choose(state)
            if move == ACCEPT:
                assert gain(state, 1, 0, state.offers[-1]) >= 20 * TACTICS[name][1]
            else:
                assert gain(state, 1, 1, move) >= player.aim(state, 1)
            other = state._replace(values=(draw.choice([(20, 0, 0), state.values[0]]), state.values[1]))
            assert player.choose(other) == move, "it does not know what things are worth to the other"
            state = game.apply(state, move)


@pytest.mark.parametrize("name", ["linear", "conceder"])
def test_the_most_that_is_accepted_is_found(name: str) -> None:
    """Against all lines of play with three own offers."""
    other = Bargainer(GAME, 3, tactic=name)
    company = Company(0, (other, other))
    offers = list(product(range(3), range(2)))
    best = 0.0
    for plan in product([*offers, ACCEPT], repeat=3):
        moves = iter(plan)
        state = START
        while GAME.turn(state) != OVER:
            move = next(moves)
            state = company.after(state, move if move in GAME.legal(state) else (2, 1))
        best = max(best, GAME.returns(state)[0])
    player = Knowing(GAME, other=other)
    assert played_out(START, company, player.choose) == best > 10


def test_a_tactic_is_for_negotiations() -> None:
    with pytest.raises(SettingsError, match="tactic:linear plays Negotiation"):
        make_player("tactic:linear", Nim())
