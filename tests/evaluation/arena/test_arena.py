"""Round robins: every game is there once, whatever happens to the process and to a server."""

import json
import re
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests._killing import COMMAND_LINE, num_lines
from tests._killing import run as run_program
from tests.agents.test_openai import Answer, faulty, ok, said, serving
from turnwise.cli.main import run
from turnwise.core.episode import read_episodes
from turnwise.core.errors import SettingsError
from turnwise.evaluation.arena.run import ArenaConfig, arena
from turnwise.report.arena import arena_markdown, arena_page

SCRIPTED = ("random", "greedy", "alphabeta:2", "mcts:20", "perfect")


def first_free(body: dict[str, Any]) -> Answer:
    """Takes the first free cell of the board in the last message."""
    board = re.findall(r"^(\d) ([XO.](?: [XO.])+)$", body["messages"][-1]["content"], re.MULTILINE)
    free = [f"{'abc'[x]}{row}" for row, cells in board for x, cell in enumerate(cells.split()) if cell == "."]
    return ok(said(f"<answer>{free[0]}</answer>" if free else "<answer>none</answer>"))


def small(**changes: Any) -> ArenaConfig:
    return ArenaConfig(**{"agents": SCRIPTED, "games": ("TicTacToe", "Nim"), "rounds": 3, **changes})


@pytest.mark.slow
def test_the_stronger_is_rated_higher_and_points_add_up() -> None:
    found = arena(small(rounds=4))
    assert list(found.records)[-1] == "random" and next(iter(found.records)) == "perfect"
    assert found.games == 2 * 10 * 2 * 4 and found.errors == 0
    assert sum(r.won for r in found.records.values()) == sum(r.lost for r in found.records.values())
    assert sum(points for points, _ in found.scores.values()) == found.games
    assert found.records["perfect"].mean_return["TicTacToe"] >= 0, "it never loses a game that it begins at a draw"
    assert arena(small(rounds=4)) == found


@pytest.mark.slow
def test_killed_and_continued_the_result_is_the_same(tmp_path: Path) -> None:
    words = ["arena", "--agents", *SCRIPTED, "--games", "TicTacToe", "Nim", "--rounds", "3", "--out"]
    whole = arena(small(out=str(tmp_path / "whole")))
    for number in (1, 2):
        assert run_program(COMMAND_LINE, *words, tmp_path / "killed", end="die_in_line(40)") == -signal.SIGKILL
        assert num_lines(tmp_path / "killed" / "episodes.jsonl") == 40 * number
    assert run_program(COMMAND_LINE, *words, tmp_path / "killed") == 0
    assert num_lines(tmp_path / "killed" / "episodes.jsonl") == whole.games == 120
    for name in ("episodes.jsonl", "arena.json"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    with pytest.raises(SettingsError, match="another evaluation"):
        arena(small(rounds=4, out=str(tmp_path / "killed")))


@pytest.mark.slow
def test_a_failing_endpoint_loses_no_game_and_scores_none(tmp_path: Path) -> None:
    """A fifth of the requests fail: the games that are scored are those that a sound server gives."""
    options = {"timeout_s": 2.0, "backoff_s": 0.01, "max_retries": 0}

    def config(url: str, out: str, **more: Any) -> ArenaConfig:
        agents = (*SCRIPTED, f"model=openai:m@{url}")
        return ArenaConfig(agents=agents, games=("TicTacToe",), rounds=2, agent_options=options, out=out, **more)

    with serving(lambda number, body: first_free(body)) as server:
        sound = arena(config(server.url, str(tmp_path / "sound")))
        server.script, did = faulty(1, share=0.2, fine=first_free)
        stormy = arena(config(server.url, str(tmp_path / "stormy"), retries=0))
        assert did.total() > did["fine"] > 0
        assert stormy.errors > 0 and stormy.games + stormy.errors == sound.games == 15 * 2 * 2
        clean = {e.job.name: e.metrics for e in read_episodes(tmp_path / "sound" / "episodes.jsonl")}
        for episode in read_episodes(tmp_path / "stormy" / "episodes.jsonl"):
            assert episode.status == "error" or episode.metrics == clean[episode.job.name]
        server.script = lambda number, body: first_free(body)
        again = arena(config(server.url, str(tmp_path / "stormy"), retries=0))
    assert again == sound and again.records["model"].forfeited == 0


def test_everybody_has_every_seat_as_often_and_the_same_seeds(tmp_path: Path) -> None:
    arena(small(agents=("random", "greedy", "x=random"), out=str(tmp_path)))
    episodes = list(read_episodes(tmp_path / "episodes.jsonl"))
    seats = Counter(
        (e.settings["game"], seat, name) for e in episodes for seat, name in enumerate(e.settings["seating"].split("|"))
    )
    assert set(seats.values()) == {6}
    assert len({e.seed for e in episodes}) == 3
    twins = [e for e in episodes if e.settings["seating"] in ("random|greedy", "x|greedy")]
    played = {(e.settings["game"], e.seed, tuple(t.action for t in e.turns)) for e in twins}
    assert len(played) > len(twins) // 2, "two entrants of one kind do not play the same games"


def test_three_at_a_table() -> None:
    found = arena(
        small(agents=("random", "heuristic:1", "x=random"), games=("Pig:seats=3", "LiarsDice:seats=3"), rounds=2)
    )
    assert found.games == 2 * 3 * 2
    assert sum(r.won + r.drawn + r.lost for r in found.records.values()) == 2 * 3 * found.games


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"agents": ("random",)}, "at least two"),
        ({"agents": ("random", "random")}, "each once"),
        ({"agents": ("a|b=random", "greedy")}, "no usable name"),
        ({"games": ("Chess960",)}, "Chess960"),
        ({"games": ()}, "at least one"),
        ({"games": ("Pig:seats=6",)}, "6 seats, and there are 5"),
        ({"rounds": 0}, "rounds is 0"),
    ],
)
def test_what_cannot_be_played_is_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(says)):
        small(**changes)


def test_a_player_that_would_see_hidden_cards_is_refused_before_a_game_is_played(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="would see what is hidden in Leduc"):
        arena(small(agents=("random", "mcts:10"), games=("Leduc",), out=str(tmp_path)))
    assert not (tmp_path / "episodes.jsonl").exists()


def test_the_command_prints_tables_and_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "arena",
        "--agents",
        "random",
        "greedy",
        "bad=constant:</script><b>x",
        "--games",
        "TicTacToe",
        "--rounds",
        "2",
    ]
    assert run([*words, "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "| entrant | rating |" in printed and "| bad     |" in printed
    page = (tmp_path / "arena.html").read_text(encoding="utf-8")
    assert "</script><b>" not in page
    found = json.loads((tmp_path / "arena.json").read_text())
    assert found["records"]["bad"]["forfeited"] == 8 and found["errors"] == 0


def test_the_page_shows_every_move(tmp_path: Path) -> None:
    config = small(games=("Hex:size=3",), rounds=1, out=str(tmp_path))
    found = arena(config)
    page = arena_page(config, found, tmp_path).read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="manifest"[^>]*>(.*?)</script>', page, re.DOTALL)[1])["arena"]  # type: ignore[index]
    episodes = list(read_episodes(tmp_path / "episodes.jsonl"))
    assert len(data["played"]) == len(episodes) == 20
    for game, episode in zip(data["played"], episodes, strict=True):
        assert [move["move"] for move in game["moves"]] == [turn.action for turn in episode.turns]
        assert game["returns"] == [episode.metrics["return_0"], episode.metrics["return_1"]]
        assert game["moves"][-1]["board"] in episode.final_observation
    assert arena_markdown(found).startswith("20 games")
