"""A person's episode: who moves when, how it ends, and the page it is played on."""

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from turnwise.core.errors import SettingsError
from turnwise.core.registration import make
from turnwise.games.person import Board, PersonPlays
from turnwise.report.app.person import PersonBook
from turnwise.report.app.serve import serving


def table(game: str, **more: Any) -> PersonPlays:
    return PersonPlays(make("seats/Table-v0", game=game), **more)


def test_the_other_seat_is_answered_for() -> None:
    played = table("TicTacToe", against="greedy", seat=1)
    said = played.begin(3)
    assert "You are O. It is your turn." in said
    inner: Any = played.env.unwrapped
    while not played.over:
        assert inner.seat == 1
        played.act(inner.legal_moves()[0])
    assert inner.table.over
    assert played.won() == (inner.returns[1] > inner.returns[0])


def test_alone_a_person_plays_every_seat() -> None:
    played = table("TicTacToe")
    played.begin(0)
    for move in ("a1", "b1", "a2", "b2", "a3"):
        played.act(move)
    assert played.over
    assert played.won()


@pytest.mark.parametrize(
    ("game", "more", "words"),
    [
        ("TicTacToe", {"against": "strong"}, "strong"), ("Kuhn", {"against": "mcts:10"}, "hidden"),
        ("TicTacToe", {"against": "greedy", "seat": 2}, "side is 3"),
    ],
)  # fmt: skip
def test_who_cannot_play_is_refused(game: str, more: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        table(game, **more).begin(0)


def test_environments_have_opponents_of_their_own() -> None:
    with pytest.raises(SettingsError, match="opponent of its own"):
        PersonPlays(make("turnwise/Nim-v0"), "greedy")
    assert isinstance(make("turnwise/Nim-v0").unwrapped, Board)
    assert not isinstance(make("turnwise/GuessNumber-v0").unwrapped, Board)


def asked(address: str, **question: Any) -> Any:
    request = urllib.request.Request(
        f"{address}ask", json.dumps(question).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def test_the_page_plays_an_environment_to_its_end() -> None:
    played = PersonPlays(make("turnwise/ConnectFour-v0"))
    with serving(PersonBook(played, "ConnectFour", 4, lambda: "over")) as address:
        with urllib.request.urlopen(address) as answer:
            text = answer.read().decode()
        assert "gridSvg" in text
        assert "ConnectFour" in text
        seen = asked(address, what="begin")
        assert "It is your turn" in seen["said"]
        while not seen["over"]:
            move = asked(address, what="hint")["hint"]
            assert move in seen["legal"]
            seen = asked(address, what="step", action=move)
        assert (seen["solved"], seen["verdict"], seen["legal"]) == (True, "over", [])
        for question in ({"what": "step", "action": "a"}, {"what": "none"}, {"what": "step", "action": 7}):
            with pytest.raises(urllib.error.HTTPError, match="400"):
                asked(address, **question)
        assert asked(address, what="begin")["over"] is False


def test_the_page_plays_environments_without_boards() -> None:
    book = PersonBook(PersonPlays(make("turnwise/GuessNumber-v0")), "GuessNumber", 1, lambda: "over")
    seen = book.answer({"what": "begin"})
    assert seen["legal"] == []
    assert "number" in seen["board"]
    assert book.manifest()["title"] == "GuessNumber"
