"""The results of an arena as tables, and as a page with every game to be gone through."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import turnwise
from turnwise.core.episode import Episode, read_episodes
from turnwise.core.files import replace_file
from turnwise.evaluation.arena.run import Arena, ArenaConfig
from turnwise.games.seats import Seats
from turnwise.report.app.bundle import page
from turnwise.report.html import visible
from turnwise.report.tables import markdown_table, percent
from turnwise.verifiers.extract import final_answer

__all__ = ["arena_markdown", "arena_page"]

SCRIPTS = ("core.js", "charts.js", "tables.js", "boards.js", "arena.js", "start.js")
MOST_GAMES = 400
MOST_CHARS = 4000


def arena_markdown(found: Arena) -> str:
    """Return the ratings and the points of everybody against everybody else as tables."""
    games = list(found.by_game)
    header = ["entrant", "rating", "95 % interval", "points", "won", "drawn", "lost", "not legal", "forfeited"]
    rows = []
    for name, r in found.records.items():
        total = r.won + r.drawn + r.lost
        ends = f"{r.rating.ci95[0]:.0f} to {r.rating.ci95[1]:.0f}" if total else ""
        cells = [name, f"{r.rating.value:.0f}", ends, percent((r.won + r.drawn / 2) / total if total else None)]
        cells += [str(r.won), str(r.drawn), str(r.lost), percent(r.illegal / r.messages if r.messages else None)]
        cells.append(str(r.forfeited))
        if len(games) > 1:
            cells += [f"{found.by_game[game][name].value:.0f}" for game in games]
        rows.append(cells)
    names = list(found.records)
    cross = [[a, *(_points(found, a, b) for b in names)] for a in names]
    about = f"{found.games} games" + (f", {found.errors} not scored because of a server" if found.errors else "")
    tables = (markdown_table([*header, *(games if len(games) > 1 else [])], rows), markdown_table(["", *names], cross))
    return f"{about}\n\n{tables[0]}\n\nPoints against each other:\n\n{tables[1]}"


def _points(found: Arena, a: str, b: str) -> str:
    points, games = found.scores.get((a, b), (0.0, 0))
    return percent(points / games) if games else ""


def arena_page(config: ArenaConfig, found: Arena, folder: Path) -> Path:
    """Write ``arena.html`` into the folder of an arena; it works from a file.

    Args:
        config: Who played.
        found: The result.
        folder: With the ``episodes.jsonl`` of the games.
    """
    records = [
        {
            "name": visible(name), "spec": visible(config.entrants[name]), "rating": r.rating.value,
            "ci95": r.rating.ci95, "won": r.won, "drawn": r.drawn, "lost": r.lost, "forfeited": r.forfeited,
            "illegal": r.illegal, "messages": r.messages,
            "by_game": {game: values[name].value for game, values in found.by_game.items()},
        }
        for name, r in found.records.items()
    ]  # fmt: skip
    scores: dict[str, dict[str, tuple[float, int]]] = {}
    for (a, b), values in found.scores.items():
        scores.setdefault(visible(a), {})[visible(b)] = values
    done = (episode for episode in read_episodes(folder / "episodes.jsonl") if episode.status == "done")
    made = {
        "records": records, "games": list(config.games), "scores": scores, "scored": found.games,
        "errors": found.errors, "played": [_replay(episode) for episode in _spread(done, found.games)],
    }  # fmt: skip
    manifest: Mapping[str, Any] = {"version": turnwise.__version__, "start": "#/arena", "runs": [], "arena": made}
    path = folder / "arena.html"
    replace_file(path, (part.encode("utf-8", "backslashreplace") for part in page(manifest, [], {}, SCRIPTS)))
    return path


def _spread(episodes: Iterable[Episode], total: int) -> Iterator[Episode]:
    """At most so many episodes, spread evenly."""
    step = max(1.0, total / MOST_GAMES)
    due = 0.0
    for number, episode in enumerate(episodes):
        if number >= due:
            due += step
            yield episode


def _replay(episode: Episode) -> dict[str, Any]:
    """Play the stored messages again, for the boards after each of them."""
    settings = {name: value for name, value in episode.settings.items() if name != "split"}
    env = Seats(**settings)
    env.reset(seed=episode.seed)
    game = env.table.game
    start, moves = game.board(env.table.state), []
    for turn in episode.turns:
        seat = env.seat
        env.step(turn.action)
        text = final_answer(turn.action)[0] or turn.action
        moves.append(
            {
                "seat": seat,
                "move": visible(text, 200),
                "message": visible(turn.action, MOST_CHARS),
                "legal": not turn.invalid,
                "board": game.board(env.table.state),
            }
        )
    names: Sequence[str] = game.names[: env.table.seats]
    return {
        "game": episode.settings["game"], "seating": [visible(n) for n in episode.settings["seating"].split("|")],
        "names": names, "returns": env.returns, "start": start, "moves": moves,
    }  # fmt: skip
