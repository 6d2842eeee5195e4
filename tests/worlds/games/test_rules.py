"""What holds for every game: random games end and repeat, moves are read as written, the hidden stays hidden."""

import copy
import dataclasses
import pickle
import re
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worlds.games.games_of import GAMES
from turnwise.core.draw import Draw
from turnwise.worlds.games.game import ALL, CHANCE, OVER, Game, playout
from turnwise.worlds.games.hex import SWAP, Hex
from turnwise.worlds.games.hidden.auction import Auction, Lot
from turnwise.worlds.games.hidden.battleship import Battleship
from turnwise.worlds.games.hidden.blackjack import Blackjack
from turnwise.worlds.games.hidden.clues import GUESSER, Clues
from turnwise.worlds.games.hidden.hanabi import Hanabi
from turnwise.worlds.games.hidden.hands import Hands, folded
from turnwise.worlds.games.hidden.holdem import Holdem
from turnwise.worlds.games.hidden.kitchen import Kitchen
from turnwise.worlds.games.hidden.kuhn import Kuhn
from turnwise.worlds.games.hidden.leduc import Leduc
from turnwise.worlds.games.hidden.liars_dice import LiarsDice
from turnwise.worlds.games.hidden.n_point import NPoint
from turnwise.worlds.games.hidden.negotiation import Negotiation
from turnwise.worlds.games.hidden.shoe import Shoe
from turnwise.worlds.games.hidden.werewolf import Werewolf
from turnwise.worlds.games.othello import PASS, Othello

every_game = pytest.mark.parametrize("game", GAMES, ids=repr)
LONG = (Auction, Clues, Holdem, Kitchen, Werewolf)  # benchmarks/games_seats.py --random plays 10,000 of these
HOSTILE = (
    "",
    " ",
    "\x00",
    "a" * 10**6,
    "9" * 10**6,
    "\ud800",
    "a0",
    "z99",
    "-1",
    "٣",
    "None",
    "a1 b1 c1",
    "()",
    "a1,a2",
)


def played(game: Game[Any, Any], seed: int) -> tuple[list[Any], list[Any]]:
    """The positions and moves of a random game."""
    draw = Draw("game", seed)
    states = [game.start(draw)]
    _, moves = playout(game, states[0], draw)
    for move in moves:
        states.append(game.apply(states[-1], move))
    return states, moves


@pytest.mark.parametrize("games", [20, pytest.param(150, marks=pytest.mark.slow)])
@every_game
def test_random_games_end_and_repeat(game: Game[Any, Any], games: int) -> None:
    for seed in range(min(games, 100) if isinstance(game, LONG) else games):
        states, moves = played(game, seed)
        again, same = played(game, seed)
        assert (states, moves) == (again, same)
        assert game.turn(states[-1]) == OVER
        assert all(game.turn(state) != OVER for state in states[:-1])
        assert len(set(states)) > 1
        returns = game.returns(states[-1])
        assert len(returns) == game.seats
        assert sum(returns) == pytest.approx(0.0) or not game.zero_sum


@every_game
def test_positions_are_values(game: Game[Any, Any]) -> None:
    states, moves = played(game, 3)
    for state, move in zip(states, moves, strict=False):
        before = pickle.dumps(state)
        game.apply(state, move)
        assert pickle.dumps(state) == before
        assert copy.deepcopy(state) == state == pickle.loads(before)
        assert hash(pickle.loads(before)) == hash(state)
    assert pickle.loads(pickle.dumps(game)) == game
    assert hash(game) == hash(dataclasses.replace(game))  # type: ignore[type-var]


@every_game
def test_moves_are_read_as_written(game: Game[Any, Any]) -> None:
    for seed in range(2):
        for state in played(game, seed)[0][:-1:3]:
            for seat in range(game.seats):
                legal = game.moves(state, seat)
                assert bool(legal) == (game.turn(state) in (seat, ALL))
                written = [game.write(state, move) for move in legal]
                assert len(set(written)) == len(legal)
                for move, text in zip(legal, written, strict=True):
                    shouted = f"  {text.upper()} . ".replace(" .", ".")
                    assert game.parse(state, text, seat) == game.parse(state, shouted, seat) == move


@every_game
def test_what_is_no_move_is_none(game: Game[Any, Any]) -> None:
    states, _ = played(game, 1)
    for state in states[:-1]:
        if game.turn(state) != CHANCE:
            for text in HOSTILE:
                assert game.parse(state, text, max(0, game.turn(state))) is None, text


@settings(max_examples=20)
@given(st.text(max_size=12), st.integers(0, len(GAMES) - 1), st.integers(0, 50))
def test_any_text_is_a_legal_move_or_none(text: str, number: int, seed: int) -> None:
    game = GAMES[number]
    state = next(s for s in played(game, seed)[0] if game.turn(s) not in (CHANCE, OVER))
    seat = max(0, game.turn(state))
    move = game.parse(state, text, seat)
    assert move is None or move in game.moves(state, seat)


@every_game
def test_texts_are_plain(game: Game[Any, Any]) -> None:
    states, _ = played(game, 5)
    for state in states:
        for text in (game.board(state), *(game.view(state, seat) for seat in range(game.seats))):
            assert text == text.strip("\n")
            assert not re.search(r"[ \t]\n", text)
    assert game.rules().endswith(".")
    assert len(game.rules()) < 800


def likewise(game: Game[Any, Any], state: Any, seat: int, draw: Draw) -> list[Any]:
    """Positions that differ from one only in what is hidden from a seat."""
    match game:
        case Kuhn() | Leduc():
            deck = 3 if isinstance(game, Kuhn) else 6
            used = {state.cards[seat], getattr(state, "public", -1)} if state.cards else set(range(deck))
            others = [card for card in range(deck) if card not in used]
            return [state._replace(cards=(state.cards[0], c) if seat == 0 else (c, state.cards[1])) for c in others]
        case Hands():
            return _other_hands(game, state, seat, draw)
        case LiarsDice():
            return [
                state._replace(
                    dice=tuple(
                        dice if s == seat else tuple(draw.integer(1, game.sides) for _ in dice)
                        for s, dice in enumerate(state.dice)
                    )
                )
            ]
        case Shoe():
            later = [state._replace(luck=draw.below(2**30))]
            down = range(13 if state.bet else 0)
            return [*later, *(state._replace(dealer=(state.dealer[0], rank)) for rank in down)]
        case Blackjack() if len(state.dealer) == 2 and state.seat < game.seats:
            return [state._replace(dealer=(state.dealer[0], rank)) for rank in range(13)]
        case Battleship() if min(map(len, state.fleets)) == len(game.ships):
            fleets = [Battleship(game.size, game.ships)._fleet(draw) for _ in range(5)]
            found = [state._replace(fleets=(state.fleets[0], f) if seat == 0 else (f, state.fleets[1])) for f in fleets]
            return [other for other in found if game.shot_at(other, seat) == game.shot_at(state, seat)]
        case Hanabi():
            own = state.hands[seat]
            cards = draw.shuffled([*state.deck, *((card.colour, card.rank) for card in own)])
            hand = tuple(card._replace(colour=c, rank=r) for card, (c, r) in zip(own, cards, strict=False))
            hands = (*state.hands[:seat], hand, *state.hands[seat + 1 :])
            return [state._replace(deck=tuple(cards[len(own) :]), hands=hands)]
        case Negotiation():
            other = game.start(draw).values[0]
            return [state._replace(values=(state.values[0], other) if seat == 0 else (other, state.values[1]))]
        case Holdem():
            deal, at = state.deck[state.hand], 2 * seat
            known = [*deal[at : at + 2], *game.common(state)]
            cards = [rank * 4 + suit for rank in range(13 - game.ranks, 13) for suit in range(game.suits)]
            rest = iter(draw.shuffled([card for card in cards if card not in known]))
            swapped = tuple(card if card in known else next(rest) for card in deal)
            later = game.start(draw).deck[state.hand + 1 :]
            return [state._replace(deck=(*state.deck[: state.hand], swapped, *later))]
        case Clues() if seat == GUESSER:
            hidden = [kind for word, kind in zip(state.words, state.key, strict=True) if word not in state.shown]
            kinds = iter(draw.shuffled(hidden))
            both = zip(state.words, state.key, strict=True)
            return [state._replace(key="".join(k if w in state.shown else next(kinds) for w, k in both))]
        case Werewolf():
            return _other_roles(game, state, seat, draw)
        case NPoint():
            shown, *covered = state.hand.cards[1 - seat]
            cards = [state.hand.cards[seat], (shown, *(draw.integer(1, 13) for _ in covered))]
            hand = state.hand._replace(cards=tuple(cards if seat == 0 else cards[::-1]))
            return [state._replace(luck=draw.below(2**30), hand=hand)]
        case Auction():
            now, other = len(state.bids) - 1, game.start(draw).lots
            lots = list(state.lots)
            for number in range(now, game.lots):
                known = [
                    lots[number].known[s] if (s, number) == (seat, now) else v
                    for s, v in enumerate(other[number].known)
                ]
                worth = other[number].worth if game.form == "common" else tuple(known)
                lots[number] = Lot(worth, tuple(known))
            bids = tuple(bid if s == seat else draw.below(10) for s, bid in enumerate(state.bids[-1]))
            return [state._replace(lots=tuple(lots), bids=(*state.bids[:-1], bids))]
    return []


def _other_hands(game: Hands, state: Any, seat: int, draw: Draw) -> list[Any]:
    """Positions with another card of the other seat, now and in a hand before that was given up; other cards later."""
    found = [state._replace(luck=draw.below(2**30))]
    if game.turn(state) != OVER:
        inner = likewise(game.inner, state.inner, game.place(state, seat), draw)
        found += [state._replace(inner=other) for other in inner]
    if state.last is not None and folded(game.inner, state.last):
        last = likewise(game.inner, state.last, 1 - game.place(state, seat), draw)
        found += [state._replace(last=other) for other in last]
    return found


def _other_roles(game: Werewolf, state: Any, seat: int, draw: Draw) -> list[Any]:
    """Positions with the roles exchanged of two living seats about whom a seat knows the same."""
    role, checked = state.roles[seat], {event[3][1] for event in state.events if event[3][0] == "check"}
    free = [s for s, alive in enumerate(state.alive) if alive and s != seat]
    free = [s for s in free if not (role == "w" and state.roles[s] == "w") and not (role == "s" and s in checked)]
    if len(free) < 2:
        return []
    a, b = draw.sample(free, 2)
    roles = list(state.roles)
    roles[a], roles[b] = roles[b], roles[a]
    return [state._replace(roles="".join(roles))]


HIDING = [
    game
    for game in GAMES
    if isinstance(
        game,
        (
            Kuhn,
            Leduc,
            Hands,
            Shoe,
            LiarsDice,
            Blackjack,
            Battleship,
            Hanabi,
            NPoint,
            Negotiation,
            Holdem,
            Clues,
            Werewolf,
            Auction,
        ),
    )
]


@pytest.mark.parametrize("game", HIDING, ids=repr)
def test_a_view_does_not_depend_on_what_is_hidden(game: Game[Any, Any]) -> None:
    """Nor do the moves that a seat has; everything that was permuted is on the board that shows all."""
    changed = 0
    for seed in range(20):
        draw = Draw("hidden", seed)
        for state in played(game, seed)[0]:
            if game.turn(state) != OVER and draw.chance(0.3 if isinstance(game, Battleship) else 1.0):
                for seat in range(game.seats):
                    for other in likewise(game, state, seat, draw):
                        changed += game.board(other) != game.board(state)
                        assert game.view(other, seat) == game.view(state, seat)
                        if game.turn(state) == game.turn(other) == seat:
                            assert game.moves(other, seat) == game.moves(state, seat)
    assert changed > 30


@pytest.mark.parametrize("game", HIDING, ids=repr)
def test_a_view_shows_what_is_ones_own(game: Game[Any, Any]) -> None:
    seen = 0
    for seed in range(20):
        draw = Draw("own", seed)
        for state in played(game, seed)[0]:
            if game.turn(state) != OVER and game.seats > 1:
                seen += any(game.view(other, 0) != game.view(state, 0) for other in likewise(game, state, 1, draw))
    assert seen > 10 or game.seats == 1 or isinstance(game, Blackjack)


def test_othello_passes_only_if_nothing_else_is_legal() -> None:
    seen = 0
    for seed in range(40):
        for state in played(Othello(4), seed)[0][:-1]:
            legal = Othello(4).legal(state)
            seen += legal == [PASS]
            assert legal == [PASS] or PASS not in legal
    assert seen > 5


def test_a_swap_mirrors_the_first_stone() -> None:
    game = Hex(3, swap=True)
    state = game.apply(game.initial(), 1)
    assert game.legal(state)[-1] == SWAP == game.parse(state, "swap")
    assert game.apply(state, SWAP).cells == "...O....."
    assert game.turn(game.apply(state, SWAP)) == 0


def test_hex_has_one_winner_when_the_board_is_full() -> None:
    """Nash: no draw, whatever the filling; checked over all orders of four cells and random ones of nine."""
    game = Hex(2)
    for order in permutations(range(4)):
        state = game.initial()
        for cell in order:
            if game.turn(state) != OVER:
                state = game.apply(state, cell)
        assert state.winner in (0, 1)
