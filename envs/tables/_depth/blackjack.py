"""Agents of graded skill for Blackjack: the dealer's rule, the best play with the same bets, and bets by the count."""

import re
from collections.abc import Callable, Sequence

from turnwise.envs.tables._depth.reading import agent, extent
from turnwise.worlds.games.hidden.blackjack import points
from turnwise.worlds.games.players.guides.counting import best_play, true_count

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_DECKS, _BETS = re.compile(r"\((\d+) decks?\)"), re.compile(r"you bet 1 to (\d+) of your chips")
_PLACE = re.compile(r"place your bet\. Chips: (\d+)\.")
_CHIPS = re.compile(r"Chips: (\d+) and (\d+) bet\.")
_HANDS = re.compile(r"^You have ([\w ]+): \d+ points\. The dealer has (\w+) and a card", re.MULTILINE)
_ENDED = re.compile(r"^Round \d+: you had ([\w ]+) \(\d+ points\), the dealer ([\w ]+) \(", re.MULTILINE)
_TOP = 4.0  # the count from which on the most is bet


def _cards(text: str) -> tuple[int, ...]:
    return tuple(_RANKS.index(card) for card in text.split())


def _bet(heard: Sequence[str]) -> int:
    """Return the bet that the cards gone by suggest."""
    decks, most = _DECKS.search(heard[0]), _BETS.search(heard[0])
    assert decks
    assert most
    left = [4 * int(decks[1])] * 13
    for text in heard:
        for hands in _ENDED.findall(text):
            for card in _cards(" ".join(hands)):
                left[card] -= 1
    share = max(0.0, true_count(left) - 0.5) / (_TOP - 0.5)
    return max(1, round(int(most[1]) * min(1.0, share)))


def _best(hand: tuple[int, ...], dealer: int, doubles: bool) -> str:
    total = points(hand)
    soft = total != sum([min(rank, 9) + 1 for rank in hand])
    return best_play((4,) * 13, total, soft, min(dealer, 9), doubles)


def _dealers(hand: tuple[int, ...], dealer: int, doubles: bool) -> str:
    return "hit" if points(hand) < 17 else "stand"


def _player(
    bet: Callable[[Sequence[str]], int], play: Callable[[tuple[int, ...], int, bool], str]
) -> Callable[[Sequence[str], int], str]:
    def read(heard: Sequence[str], turn: int) -> str:
        place, hands, chips = _PLACE.search(heard[-1]), _HANDS.search(heard[-1]), _CHIPS.search(heard[-1])
        if place:
            return f"bet {min(int(place[1]), bet(heard))}"
        assert hands
        assert chips
        hand = _cards(hands[1])
        return play(hand, _cards(hands[2])[0], len(hand) == 2 and int(chips[1]) >= int(chips[2]))

    return read


SHORTCUTS = {"always stands": agent(_player(lambda heard: 2, lambda *hand: "stand"), "always stands")}
SKILLS = {
    "draws to 17, bets 5": agent(_player(lambda heard: 5, _dealers), "draws to 17, bets 5"),
    "best play, bets 5": agent(_player(lambda heard: 5, _best), "best play, bets 5"),
    "best play, counts cards": agent(_player(_bet, _best), "best play, counts cards"),
}
