"""Poker by style: matches of hands, styles that see their own card only, and the best answer to each style."""

from functools import partial
from itertools import product
from typing import Any

import pytest

from tests.worlds.games.test_hidden import mean
from tests.worlds.games.test_rules import likewise, played
from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.game import CHANCE, OVER, Game
from turnwise.worlds.games.hidden.hands import Hands
from turnwise.worlds.games.hidden.kuhn import Kuhn
from turnwise.worlds.games.hidden.leduc import Leduc
from turnwise.worlds.games.nim import Nim
from turnwise.worlds.games.players.cfr import best_response, equilibrium, strategy_of
from turnwise.worlds.games.players.company import Company, played_out
from turnwise.worlds.games.players.make import each_of, make_player
from turnwise.worlds.games.players.styles import STYLES, BestAnswer, EachHand, Replays, Styled, Unvaried, plan_against

every_game = pytest.mark.parametrize("game", [Kuhn(), Leduc()], ids=repr)


@every_game
@pytest.mark.parametrize("style", STYLES)
def test_a_style_decides_by_its_own_view(game: Game[Any, Any], style: str) -> None:
    player, draw = make_player(f"style:{style}", game, 4), Draw("style")
    for seed in range(6):
        for state in played(game, seed)[0]:
            if (turn := game.turn(state)) >= 0:
                move = player.choose(state)
                assert move in game.legal(state)
                assert all(player.choose(other) == move for other in likewise(game, state, turn, draw))


def test_the_best_answer_in_kuhn_is_the_best_of_all_plans() -> None:
    """All 64 plans of player 1 against every style, each worth computed deal by deal."""
    game = Kuhn()
    for style in STYLES:
        strategy = strategy_of(game, partial(_odds, game, style))
        views = [view for view in strategy if view.startswith("0 ")]
        worth = [_worth(game, dict(zip(views, plan, strict=True)), strategy) for plan in product((0, 1), repeat=6)]
        assert _worth(game, plan_against(game, f"style:{style}")[0], strategy) == pytest.approx(max(worth))
        assert best_response(game, 0, strategy) == plan_against(game, f"style:{style}")[0]


def _odds(game: Any, style: str, state: Any, seat: int) -> tuple[float, ...]:
    """Of a style, measured: how often it makes each move with many seeds."""
    legal = game.legal(state)
    made = [Styled(game, seed, style=style).choose(state) for seed in range(200)]
    return tuple(made.count(move) / 200 for move in legal)


def _worth(game: Any, plan: dict[str, int], strategy: Any) -> float:
    def value(state: Any) -> float:
        turn, legal = game.turn(state), game.legal(state)
        if turn == OVER:
            return float(game.returns(state)[0])
        if turn == CHANCE:
            return sum(value(game.apply(state, move)) for move in legal) / len(legal)
        view = f"{turn} {game.view(state, turn)}"
        if turn == 0:
            return value(game.apply(state, legal[plan[view]]))
        return sum([p * value(game.apply(state, m)) for p, m in zip(strategy[view], legal, strict=True)], 0.0)

    return value(game.initial())


def test_who_knows_the_style_wins_more_than_the_equilibrium() -> None:
    game = Hands(Kuhn(), 100)
    for style in ("station", "maniac", "bluffer"):
        opponent = make_player(f"style:{style}", game, 1)
        won = {}
        for name, inner in (
            ("knows", BestAnswer(Kuhn(), against=f"style:{style}")), ("sound", make_player("equilibrium", Kuhn())),
        ):  # fmt: skip
            player, total = EachHand(game, 2, inner=(inner,)), 0.0
            for seed in range(4):
                state = game.start(Draw("knows", seed))
                while (turn := game.turn(state)) != OVER:
                    state = game.apply(state, (player, opponent)[turn].choose(state))
                total += game.returns(state)[0]
            won[name] = total
        assert won["knows"] > max(60, won["sound"])


def test_cards_of_a_match_do_not_depend_on_what_is_played() -> None:
    game = Hands(Leduc(), 6)
    seen = []
    for style in ("station", "maniac", "timid"):
        state, cards = game.start(Draw("match")), []
        player = make_player(f"style:{style}", game)
        while game.turn(state) != OVER:
            cards.append((state.hand, state.inner.cards, state.inner.public))
            state = game.apply(state, player.choose(state))
        seen.append(cards)
    deals = [{(hand, own) for hand, own, _ in cards} for cards in seen]
    assert deals[0] == deals[1] == deals[2] and len(deals[0]) == 6
    publics = [{(hand, public) for hand, _, public in cards if public >= 0} for cards in seen]
    assert publics[2] <= publics[0] == publics[1] | publics[0], "a hand that is given up shows no public card"


def test_a_match_adds_up_the_hands_and_turns_the_seats() -> None:
    game = Hands(Kuhn(), 3)
    state = game.start(Draw(1))
    chips = 0
    for hand in range(3):
        assert (state.hand, game.turn(state)) == (hand, hand % 2)
        assert f"Hand {hand + 1} of 3: you are player {1 + hand % 2}. Your chips: {chips:+d}" in game.view(state, 0)
        state = game.apply(state, "b")
        state = game.apply(state, "p")
        chips += 1 if hand % 2 == 0 else -1
        assert game.view(state, 0).startswith(f"Hand {hand + 1} (you were player {1 + hand % 2}): Your card is")
    assert (game.turn(state), game.returns(state)) == (OVER, (1.0, -1.0))


def test_a_style_is_for_poker() -> None:
    with pytest.raises(SettingsError, match="style:rock plays Kuhn and Leduc poker"):
        make_player("style:rock", Nim())
    with pytest.raises(SettingsError, match="no best answer to 'greedy' is known"):
        plan_against(Kuhn(), "greedy")
    assert (
        equilibrium(Kuhn(), 50).keys()
        == plan_against(Kuhn(), "random")[0].keys() | plan_against(Kuhn(), "random")[1].keys()
    )


def test_hands_can_be_played_by_any_player_of_the_game() -> None:
    assert mean(Hands(Kuhn(), 60), ["equilibrium", "random"], 6) > 0
    assert mean(Hands(Leduc(), 60), ["style:sound", "random"], 6) > 0


@every_game
@pytest.mark.parametrize("name", ["style:rock+sound+bluffer", "equilibrium", "random"])
def test_what_is_won_is_what_a_match_played_by_the_rules_wins(game: Game[Any, Any], name: str) -> None:
    """From both seats, also from the middle of a hand, for the best answer and for play that never varies."""
    if name == "equilibrium" and game != Kuhn():
        name = "style:sound"  # that of Leduc takes seconds to be found
    match, totals = Hands(game, 12), set()
    ways = [EachHand(match, inner=tuple(BestAnswer(game, against=each) for each in each_of(name)))]
    ways += [EachHand(match, inner=(Unvaried(game, word=word),)) for word in ("raise", "bet", "call")]
    ways += [EachHand(match, inner=(Unvaried(game, share=share),)) for share in (0.0, 0.5, 0.99)]
    for seed, seat, way in product(range(3), (0, 1), ways):
        opponent = make_player(name, match, seed)
        company = Company(seat, (opponent, opponent))
        state = company.until_turn(match.start(Draw("won", seed)))
        totals.add(won := Replays(state, seat, opponent).won(way))
        assert won == played_out(state, company, way.choose)
    assert len(totals) > 4


def test_all_lines_of_a_match_are_counted() -> None:
    """The odds of random moves against those of many random games; what a player wins against a game of it."""
    game = Hands(Kuhn(), 4)
    state, opponent = game.start(Draw("odds")), make_player("style:bluffer", game, 3)
    guide = EachHand(game, inner=(BestAnswer(Kuhn(), against="style:bluffer"),))
    match = Replays(state, 0, opponent)
    odds, company, draw = match.odds(), Company(0, (guide, opponent)), Draw("games")
    assert match.won(guide) == played_out(state, company, guide.choose)
    games = [played_out(state, company, lambda at: draw.choice(game.legal(at))) for _ in range(2000)]
    assert sum(odds.values()) == pytest.approx(1) and set(games) <= set(odds)
    for chips, p in odds.items():
        assert games.count(chips) / 2000 == pytest.approx(p, abs=0.05)
