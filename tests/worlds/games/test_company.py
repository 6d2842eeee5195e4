"""Games with many seats: kitchens, cards, clues, councils, auctions by example, and that skill pays in them."""

from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from tests.worlds.games.test_hidden import finished, mean
from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.game import OVER, Game
from turnwise.worlds.games.hidden.associations import CLUES, WORDS, pointing
from turnwise.worlds.games.hidden.auction import Auction, Lot
from turnwise.worlds.games.hidden.clues import Clues
from turnwise.worlds.games.hidden.clues import Position as Words
from turnwise.worlds.games.hidden.holdem import Holdem, strength
from turnwise.worlds.games.hidden.kitchen import Kitchen, Pot
from turnwise.worlds.games.hidden.kitchen import Position as Plan
from turnwise.worlds.games.hidden.werewolf import Position as Night
from turnwise.worlds.games.hidden.werewolf import Werewolf

PLAN = "#OPS#\n#...#\n#D###"


def kitchen(first: str, second: str, **changes: Any) -> tuple[Kitchen, Plan]:
    """A kitchen with a cook below the onions and one below the window."""
    return Kitchen(), Plan(PLAN, ((7, first), (9, second)), (Pot(2),), (), ("ooo",))._replace(**changes)


def test_three_ingredients_boil_and_a_dish_takes_the_soup_to_the_window() -> None:
    game, state = kitchen("o", "d", pots=(Pot(2, "oo"),))
    state = game.apply(state, ("east", "wait"))
    state = game.apply(state, ("north", "wait"))
    assert state.pots == (Pot(2, "ooo", 6),) and state.cooks[0] == (8, "")
    state = game.apply(state, ("west", "west"))
    assert "Pot at c1: 3 onions, boils for 5 more." in game.view(state, 1)
    for _ in range(4):
        state = game.apply(state, ("wait", "north"))
        assert state.cooks[1] == (8, "d"), "it is not done yet"
    state = game.apply(state, ("wait", "north"))
    assert state.cooks[1] == (8, "OOO") and state.pots == (Pot(2),)
    state = game.apply(game.apply(state, ("wait", "east")), ("wait", "north"))
    assert (state.served, game.turn(state), game.returns(state)) == (1, OVER, (1.0, 1.0))


def test_cooks_do_not_pass_through_each_other_and_hand_things_over() -> None:
    game, state = kitchen("", "o")
    assert game.apply(state, ("east", "west")).cooks == state.cooks, "both want the middle"
    state = game.apply(state, ("wait", "south"))
    assert state.lying == ((15, "o"),) and state.cooks[1] == (9, "")
    assert "On counters: an onion at d3." in game.board(state)
    near = state._replace(cooks=((7, ""), (8, "")))
    assert game.apply(near, ("east", "west")).cooks == near.cooks, "they may not swap"


def test_a_wrong_soup_is_thrown_away() -> None:
    game, state = kitchen("", "OOT")
    state = game.apply(state, ("wait", "north"))
    assert (state.served, state.orders, state.cooks[1]) == (0, ("ooo",), (9, ""))


def test_a_kitchen_is_open_or_divided() -> None:
    with pytest.raises(SettingsError, match="walls is 'glass'"):
        Kitchen(walls="glass")  # type: ignore[arg-type]


@pytest.mark.parametrize("game", [Kitchen(), Kitchen(walls="divided")], ids=repr)
def test_good_cooks_serve_more(game: Game[Any, Any]) -> None:
    means = [mean(game, [name, name], 12) for name in ("random", "heuristic:1", "heuristic:3")]
    assert means[0] < 0.2 < means[1] < means[2] - 0.3
    assert finished(game, ["heuristic:3"] * 2, 5) == finished(game, ["heuristic:3"] * 2, 5)


def cards(text: str) -> tuple[int, ...]:
    return tuple("23456789TJQKA".index(card[0]) * 4 + "shdc".index(card[1]) for card in text.split())


def test_hands_rank_as_in_the_rules() -> None:
    best_first = (
        "As Ks Qs Js Ts", "5h 4h 3h 2h Ah", "9s 9h 9d 9c 2s", "8s 8h 8d 4c 4s", "8s 8h 8d 3c 3s", "As Js 8s 4s 2s",
        "6s 5h 4d 3c 2s", "5s 4h 3d 2c As", "7s 7h 7d Kc Qs", "Js Jh 3d 3c As", "Js Jh 3d 3c Ks", "2s 2h Ad Kc Qs",
        "As Kh Qd Jc 9s",
    )  # fmt: skip
    ranks = [strength(cards(hand)) for hand in best_first]
    assert ranks == sorted(ranks, reverse=True) and len(set(ranks)) == len(ranks)


def test_the_best_five_of_seven_count() -> None:
    draw = Draw("seven")
    for _ in range(300):
        seven = tuple(draw.sample(range(52), 7))
        assert strength(seven) == max(strength(five) for five in combinations(seven, 5))


def test_how_often_each_hand_comes() -> None:
    """Of all 5-card hands from 12 cards, 9 to A of two suits: counted by hand with binomial coefficients."""
    deck = [rank * 4 + suit for rank in range(7, 13) for suit in range(2)]
    assert Counter(strength(hand)[0] for hand in combinations(deck, 5)) == {8: 4, 5: 8, 4: 60, 2: 120, 1: 480, 0: 120}


def test_who_is_all_in_wins_only_what_others_matched() -> None:
    game = Holdem(3, 1, 20, fixed=False)
    deal = cards("As Ah Ks Kh 2s 7h Ad Kd 9c 5c 3d")
    state = game.start(Draw(1))._replace(
        deck=(deal,), chips=(3, 19, 18), paid=(0, 1, 2), bets=(0, 1, 2), seat=0, dealer=0
    )
    state = game.apply(state, ("raise", 3))
    state = game.apply(game.apply(state, ("raise", 20)), ("call", 0))
    assert game.turn(state) == OVER and state.chips == (9, 34, 0), "aces take 9, kings the side pot"
    assert game.returns(state) == (-11.0, 14.0, -20.0)


def test_a_fold_ends_a_hand_and_the_big_blind_may_still_raise() -> None:
    game = Holdem(2, 2, 20)
    state = game.start(Draw(3))
    assert game.legal(state) == [("fold", 0), ("call", 0), ("raise", 4)] and game.turn(state) == 0
    called = game.apply(state, ("call", 0))
    assert game.turn(called) == 1 and called.street == 0 and ("raise", 4) in game.legal(called)
    folded = game.apply(state, ("fold", 0))
    assert folded.hand == 1 and folded.chips == (17, 20) and game.turn(folded) == 1
    with pytest.raises(SettingsError, match="need 9 cards"):
        Holdem(2, ranks=3, suits=2)


def test_clues_are_open_and_a_trap_loses_all() -> None:
    game = Clues(2, 1, 1, 2)
    state = Words(("whale", "shark", "piano", "torch"), "ttnx")
    state = game.apply(state, ("sea", 2))
    assert "Clue sea 2: no guess yet" in game.view(state, 1) and "neutral" not in game.view(state, 1)
    one = game.apply(state, "whale")
    assert game.turn(one) == 1 and game.apply(one, "shark").shown == {"whale", "shark"}
    assert game.returns(game.apply(one, "shark")) == (2.0, 2.0)
    assert game.turn(game.apply(one, "piano")) == 0, "the guesses of this clue are over"
    assert game.returns(game.apply(one, "torch")) == (0.0, 0.0) and game.turn(game.apply(one, "torch")) == OVER
    assert game.turn(game.apply(one, "stop")) == 0


def test_no_word_is_a_clue_and_every_clue_points_somewhere() -> None:
    assert not set(WORDS) & set(CLUES) and all(len(pointing(clue)) >= 3 for clue in CLUES)
    assert len(WORDS) > 250 and all(len(set(words)) == len(words) for words in CLUES.values())


def test_a_day_among_wolves() -> None:
    game = Werewolf(4, 1)
    state = Night("wsvv", (True,) * 4)
    moves = [("check", 0), ("sleep", -1), ("sleep", -1), ("kill", 2)]
    for move in moves:
        state = game.apply(state, move)
    assert state.alive == (True, True, False, True) and state.phase == "talk"
    assert "check 1 (a wolf)" in game.view(state, 1) and "kill 3" not in game.view(state, 1)
    assert "Player 3 was killed in the night; Player 3 was a villager." in game.view(state, 3)
    for move in (("wolf", 0), ("quiet", -1), ("accuse", 1)):
        state = game.apply(state, move)
    first = game.apply(state, ("vote", 0))
    assert "vote 1" in game.view(first, 1) and "vote 1" not in game.view(first, 3), "votes are secret until all voted"
    state = game.apply(game.apply(first, ("vote", 0)), ("vote", 1))
    assert (game.turn(state), game.returns(state)) == (OVER, (-1.0, 1.0, 1.0, 1.0))
    with pytest.raises(SettingsError, match="at most 1"):
        Werewolf(5, 2)


@pytest.mark.parametrize(("form", "price", "gain"), [("first", 30, 10), ("second", 20, 20), ("common", 30, 10)])
def test_the_highest_bid_buys(form: Any, price: int, gain: int) -> None:
    game = Auction(3, 1, form)
    state = game.start(Draw(1))._replace(lots=(Lot((10, 40, 20), (10, 40, 20)),))
    state = game.apply(game.apply(state, 20), 30)
    assert "20, 30" not in game.view(state, 2) and "You have bid 20." in game.view(state, 0)
    state = game.apply(state, 5)
    assert f"Lot 1: bids 20, 30, 5; Player 2 buys it for {price} and gains {gain}." in game.view(state, 2)
    assert (game.turn(state), game.returns(state)) == (OVER, (0.0, float(gain), 0.0))
    assert game.sold((7, 9, 9)) == ((1, 9)) and game.sold((0, 0, 0)) == (-1, 0)


def test_truth_is_best_in_second_price_auctions_and_guesses_are_paid_for_in_common_values() -> None:
    truthful = mean(Auction(3, 10, "second"), ["heuristic:3", "heuristic:2", "heuristic:2"], 40)
    assert truthful > mean(Auction(3, 10, "second"), ["heuristic:1", "heuristic:2", "heuristic:2"], 40)
    assert (
        mean(Auction(4, 10, "common"), ["heuristic:2"] * 4, 40)
        < 0
        < mean(Auction(4, 10, "common"), ["heuristic:3"] * 4, 40)
    )


@pytest.mark.parametrize("game", [Clues(), Clues(9, 8, 3, 5)], ids=repr)
def test_partners_with_the_same_associations_find_more(game: Game[Any, Any]) -> None:
    means = [mean(game, [name] * 2, 30) for name in ("random", "heuristic:1", "heuristic:2", "heuristic:3")]
    assert means == sorted(means) and means[3] > means[1] + 1


def test_cards_are_played_better_with_skill() -> None:
    assert mean(Holdem(2, 5, 60), ["heuristic:2", "heuristic:1"], 40) > 2


@pytest.mark.slow
def test_odds_play_cards_better_than_classes() -> None:
    assert mean(Holdem(2, 10, 100), ["heuristic:1", "heuristic:3"], 25) < -10
    assert mean(Holdem(2, 10, 100, ranks=4, suits=3), ["heuristic:3", "heuristic:2"], 25) > 10
