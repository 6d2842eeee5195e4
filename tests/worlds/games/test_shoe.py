"""Blackjack out of a shoe: rounds by example, the count, what is best by the cards that are left."""

import pytest

from turnwise.core.draw import Draw
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.hidden import shoe
from turnwise.worlds.games.hidden.shoe import Position, Shoe
from turnwise.worlds.games.players.guides.counting import Counter, best_play, true_count

FULL = (4,) * 13


def dealt(monkeypatch: pytest.MonkeyPatch, ranks: str) -> tuple[Shoe, Position]:
    """A shoe whose first cards are these, and tens after them."""
    order = tuple("A23456789T".index(rank) for rank in ranks) + (9,) * 100
    monkeypatch.setattr(shoe, "_order", lambda luck, decks: order[: 52 * decks])
    game = Shoe(1, 10, 100)
    return game, game.initial()


@pytest.mark.parametrize(
    ("ranks", "moves", "chips", "words"),
    [
        ("T9T8", ("stand",), 105, "you had 10 10 (20 points), the dealer 9 8 (17 points); you won 5"),
        ("T6T9", ("stand",), 105, "the dealer 6 9 10 (25 points)"),
        ("T96T4", ("hit", "stand"), 105, "you had 10 6 4 (20 points), the dealer 9 10 (19 points)"),
        ("T96T", ("hit",), 95, "you had 10 6 10 (26 points), the dealer 9 10 (19 points); you lost 5"),
        ("T9T9", ("stand",), 105, "the dealer 9 9 (18 points)"), ("9T9T", ("stand",), 95, "you lost 5"),
        ("6957", ("double",), 110, "you had 6 5 10 (21 points)"), ("ATTA", (), 100, "comes back"),
        ("A9T9", (), 107, "you had A 10 (21 points), the dealer 9 9 (18 points); you won 7"),
        ("9ATT", (), 95, "the dealer A 10 (21 points); you lost 5"),
    ],
)  # fmt: skip
def test_rounds(monkeypatch: pytest.MonkeyPatch, ranks: str, moves: tuple[str, ...], chips: int, words: str) -> None:
    game, state = dealt(monkeypatch, ranks)
    state = game.apply(state, "bet 5")
    for move in moves:
        assert move in game.legal(state)
        state = game.apply(state, move)
    assert (state.bet, state.chips) == (0, chips)
    assert words in game.view(state, 0)


def test_a_shoe_runs_down_and_ends() -> None:
    game = Shoe(2, 10, 1000)
    state = game.start(Draw(1))
    seen: list[int] = []
    while game.turn(state) != OVER:
        if not state.bet:
            assert sum(game.unseen(state)) == 104 - state.dealt
            seen.append(state.dealt)
        state = game.apply(state, "bet 1" if not state.bet else "stand")
    assert 104 - state.dealt < 17 <= 104 - seen[-1]
    assert seen == sorted(set(seen)) and len(seen) > 12


def test_nobody_bets_more_than_they_have() -> None:
    game = Shoe(1, 10, 10)
    state = game.start(Draw(2))._replace(chips=3)
    assert game.legal(state) == ["bet 1", "bet 2", "bet 3"]
    assert game.turn(state._replace(chips=0)) == OVER


@pytest.mark.parametrize(
    ("total", "soft", "shown", "best"),
    [
        (16, False, "T", "hit"), (16, False, "6", "stand"), (12, False, "2", "hit"), (12, False, "4", "stand"),
        (11, False, "6", "double"), (10, False, "9", "double"), (9, False, "7", "hit"), (18, True, "9", "hit"),
        (18, True, "7", "stand"), (17, True, "2", "hit"), (16, True, "6", "double"), (17, False, "A", "stand"),
    ],
)  # fmt: skip
def test_basic_strategy(total: int, soft: bool, shown: str, best: str) -> None:
    """Rows of the published tables for a dealer who stands on all 17."""
    assert best_play(FULL, total, soft, "A23456789T".index(shown), True) == best


def test_the_count_and_the_bets() -> None:
    assert true_count(FULL) == 0
    gone = list(FULL)
    gone[1] = gone[2] = 0  # eight low cards
    assert true_count(gone) == pytest.approx(52 * 8 / 44)
    game = Shoe(2, 10, 100)
    state = game.start(Draw(3))
    assert Counter(game).choose(state) == "bet 1"
    assert Counter(game, flat=7).choose(state) == "bet 7"
    rich = next(s for s in range(99) if true_count(game.unseen(game.start(Draw(s))._replace(dealt=40))) > 4)
    assert Counter(game).choose(game.start(Draw(rich))._replace(dealt=40)) == "bet 10"
