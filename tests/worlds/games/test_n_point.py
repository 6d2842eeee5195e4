"""N-point: rounds by hand, the habits, and the best answer to each against all that can be played."""

from functools import cache
from itertools import product

import pytest

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.game import ALL, OVER
from turnwise.worlds.games.hidden.n_point import HIT, STAND, Hand, NPoint, Position
from turnwise.worlds.games.players.company import Company, played_out
from turnwise.worlds.games.players.habits import HABITS, KnowingHabits, advice, ends
from turnwise.worlds.games.players.make import make_player

GAME = NPoint()


def test_a_round_by_hand() -> None:
    state = Position(5, 0, Hand(30, ((10, 9), (4, 12))))
    assert GAME.turn(state) == ALL
    state = GAME.apply(state, (STAND, HIT))
    assert GAME.turn(state) == (1 if state.hand.active(1) else ALL) and len(state.hand.cards[1]) == 3
    state = state._replace(hand=Hand(30, ((10, 9), (4, 12, 13)), ((STAND,), (HIT,))))
    assert (GAME.turn(state), GAME.legal(state)) == (1, [HIT, STAND])
    assert "The opponent has 4 and 2 hidden cards.\nMoves: you stand; the opponent hit." in GAME.view(state, 0)
    assert "You have 4 Q K: 29 points." in GAME.view(state, 1)
    after = GAME.apply(state, STAND)
    assert (after.points, after.number) == ((0.0, 1.0), 1)
    assert "Round 1, N was 30, you lost. You had 10 9 (19 points). The opponent had 4 Q K (29 points)." in GAME.view(
        after, 0
    )


@pytest.mark.parametrize(
    ("own", "other", "score"),
    [((10, 9), (4, 12), 1.0), ((10, 9), (12, 7), 0.5), ((13, 13, 5), (2, 3), 0.0), ((13, 13, 5), (13, 12, 6), 0.5)],
)
def test_scores(own: tuple[int, ...], other: tuple[int, ...], score: float) -> None:
    hand = Hand(30, (own, other))
    assert (hand.score(0), hand.score(1)) == (score, 1 - score)


def test_going_over_the_limit_is_not_seen_by_the_other_side() -> None:
    hands = [Hand(28, ((10, 9, 1), (4, 12, last)), ((HIT,), (HIT,))) for last in (2, 13)]
    seen = [GAME.view(Position(5, 0, hand), 0) for hand in hands]
    assert hands[0].active(1) and not hands[1].active(1) and seen[0] == seen[1]
    over = Position(5, 0, Hand(28, ((1, 1, 1), (4, 12, 13)), ((HIT,), (HIT,))))
    assert GAME.turn(over) == 0
    assert "the opponent hit, stand" in GAME.view(GAME.apply(over, HIT), 0)


@pytest.mark.parametrize("name", [f"habit:{name}" for name in HABITS])
def test_ends_are_those_of_many_games(name: str) -> None:
    """With the other side hitting twice and then standing."""
    limit, first, rounds = 33, 6, 1500
    expected, found = ends(name, limit, first, (), (), 2), [0] * (limit + 2)
    game, player = NPoint(1, limit, limit), make_player(name, NPoint(1, limit, limit))
    for seed in range(rounds):
        draw = Draw("ends", seed)
        state = Position(draw.below(2**60), 0, Hand(limit, ((1, 1), (first, draw.integer(1, 13)))))
        while game.turn(state) != OVER:
            turn = len(state.hand.made[0])
            own = (HIT if turn < 2 else STAND) if state.hand.active(0) else STAND
            other = player.act(state, 1) if state.hand.active(1) else STAND
            state = game.apply(
                state, (own, other) if game.turn(state) == ALL else own if game.turn(state) == 0 else other
            )
        assert state.last is not None
        found[min(state.last.total(1), limit + 1)] += 1
    assert max(abs(n / rounds - p) for n, p in zip(found, expected, strict=True)) < 0.05
    assert sum(expected) == pytest.approx(1.0)


def test_what_is_seen_narrows_the_ends() -> None:
    assert ends("habit:normal", 40, 10, (STAND,), (), 0)[: 10 + 13 + 1] == [0.0] * 24, "it does not stand so early"
    safe = ends("habit:safe", 40, 10, (HIT, STAND), (), 0)
    assert all(not p or total > 27 for total, p in enumerate(safe)) and safe[-1] == 0.0


@pytest.mark.parametrize("name", ["habit:careful", "habit:normal", "habit:bold"])
def test_no_fixed_bar_is_better_than_the_advice(name: str) -> None:
    """Compares the chance of winning by the advice with that of standing from any number of points on."""
    limit, first = 35, 8
    odds = ends(name, limit, first, (), (), 0)
    plan = advice(name, limit, first, (), ())

    def won(total: int) -> float:
        own = total if total <= limit else limit + 1
        beaten = sum(odds[:own]) + odds[-1] if own <= limit else 0.0
        return beaten + 0.5 * odds[own]

    @cache
    def worth(total: int, bar: int) -> float:
        """Return what a bar is worth; 0 stands for the advice."""
        if total > limit or not (plan[total] if bar == 0 else total < bar):
            return won(min(total, limit + 1))
        return sum(worth(min(total + card, limit + 1), bar) for card in range(1, 14)) / 13

    for total, bar in product(range(2, 27), range(1, limit + 1)):
        assert worth(total, 0) >= worth(total, bar) - 1e-9


def test_who_knows_the_habit_wins_more() -> None:
    got = {"knows": 0.0, "normal": 0.0}
    for seed in range(12):
        state = GAME.start(Draw("knows", seed))
        others = make_player("habit:careful+stubborn", GAME)
        for name, player in (
            ("knows", KnowingHabits(GAME, against="habit:careful+stubborn")),
            ("normal", make_player("habit:normal", GAME)),
        ):
            got[name] += played_out(state, Company(0, (others, others)), lambda at, p=player: p.act(at, 0))
    assert got["knows"] > got["normal"] + 8
    with pytest.raises(SettingsError, match="low is 40"):
        NPoint(5, 40, 30)
