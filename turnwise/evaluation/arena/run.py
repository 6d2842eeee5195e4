"""A round robin: every group of entrants plays every game with the same seeds in every seating.

It is an evaluation of `turnwise.games.seats.Seats`: a folder has its ``config.json`` and ``episodes.jsonl``, continues
after any interruption, and plays games again that ended as errors. None of those is scored.
"""

import dataclasses
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from turnwise.core.agent import Agent
from turnwise.core.episode import Episode, read_episodes
from turnwise.core.errors import SettingsError
from turnwise.core.files import replace_file
from turnwise.core.registration import written
from turnwise.core.settings import Range, check_all
from turnwise.evaluation.arena.ratings import Rating, Result, ratings
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.evaluate import Progress, evaluate
from turnwise.games.entrants import Entrants, make_entrant
from turnwise.games.seats import table_of

__all__ = ["Arena", "ArenaConfig", "Record", "arena", "read_arena"]


@dataclass(frozen=True, kw_only=True)
class ArenaConfig:
    """Who plays what, and how often."""

    agents: tuple[str, ...]
    """Entrants: players of games (random, greedy, alphabeta:DEPTH, mcts:SIMULATIONS, perfect, equilibrium,
    heuristic:SKILL, strategy:NAME) and agents (openai:MODEL@URL, hf:PATH, ...); NAME=SPEC gives one a name."""
    games: tuple[str, ...] = ("TicTacToe", "ConnectFour")
    """Games of `turnwise.games.names()`, with settings of their own if need be: Go:size=5."""
    rounds: Annotated[int, Range(1)] = 10
    """Seeds; with each, every group of entrants plays every game once in every order of seats that is a rotation."""
    seed: int = 0
    """Other seeds, other games."""
    illegal_moves: Annotated[int, Range(0, 100)] = 3
    """Messages that are not legal moves; with one more, the entrant forfeits the game."""
    max_turns: Annotated[int, Range(1, 100_000)] = 500
    """The most messages of a game; then it is a draw."""
    agent_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the entrants that are models, such as max_tokens=4096."""
    system: str | None = None
    """A system message before each conversation."""
    retries: Annotated[int, Range(0)] = 2
    """How often a game is started again whose infrastructure failed."""
    concurrency: Annotated[int, Range(1)] | None = None
    """Games at once; None leaves the entrants' default."""
    out: str | None = None
    """Folder for games and results; None writes nothing."""

    def __post_init__(self) -> None:
        check_all(self)
        if len(self.agents) < 2:
            raise SettingsError(f"agents is {self.agents!r}; an arena needs at least two")
        for what, given in (("agents", [*self.entrants]), ("games", self.games)):
            if not given or len(set(given)) != len(getattr(self, what)):
                raise SettingsError(f"{what} is {getattr(self, what)!r}; it must name each once, and at least one")
        if bad := [name for name in self.entrants if "|" in name or not name.strip()]:
            raise SettingsError(f"the entrant {bad[0]!r} has no usable name; give it one without |: NAME=SPEC")
        for game in self.games:
            if (seats := table_of(game).seats) > len(self.agents):
                raise SettingsError(f"{game} has {seats} seats, and there are {len(self.agents)} entrants")

    @property
    def entrants(self) -> dict[str, str]:
        """The entrants' specs by name."""
        found = {}
        for word in self.agents:
            name, equals, spec = word.partition("=")
            plain = not equals or any(mark in name for mark in ":/?&")  # an = within an address names nobody
            found[word if plain else name.strip()] = word if plain else spec
        return found

    def plan(self) -> EvalConfig:
        """Return the evaluation that plays all games."""
        envs = []
        for game in self.games:
            for group in itertools.combinations(self.entrants, table_of(game).seats):
                for turn in range(len(group)):
                    seating = "|".join((*group[turn:], *group[:turn]))
                    envs.append(written("seats/Table-v0", {"game": game, "seating": seating}))
        return EvalConfig(
            envs=tuple(envs),
            agent="arena",
            agent_options={"entrants": self.entrants, **self.agent_options},
            settings={"illegal_moves": self.illegal_moves, "max_turns": self.max_turns},
            num_tasks=self.rounds,
            seed=self.seed,
            split=None,
            system=self.system,
            chance_episodes=0,
            retries=self.retries,
            out=self.out,
        )


@dataclass(frozen=True)
class Record:
    """What an entrant has achieved.

    Attributes:
        rating: Over all games.
        won: Games, counted against each opponent at the table.
        drawn: The same.
        lost: The same.
        forfeited: Games lost by too many messages that were not legal moves.
        illegal: Messages that were not legal moves.
        messages: All messages.
        mean_return: By game, what the rules pay on average.
    """

    rating: Rating
    won: int = 0
    drawn: int = 0
    lost: int = 0
    forfeited: int = 0
    illegal: int = 0
    messages: int = 0
    mean_return: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Arena:
    """The result of a round robin.

    Attributes:
        records: By entrant, the best rating first.
        by_game: By game and entrant, the ratings in this game alone.
        scores: By pair of entrants, the points of the first against the second and the games between them.
        games: Games that were scored.
        errors: Games that could not be played to the end because of a server; they are not scored.
    """

    records: Mapping[str, Record]
    by_game: Mapping[str, Mapping[str, Rating]]
    scores: Mapping[tuple[str, str], tuple[float, int]]
    games: int
    errors: int

    def to_json(self) -> str:
        """Write as JSON."""
        data = dataclasses.asdict(self)
        data["scores"] = [
            {"first": a, "second": b, "points": points, "games": games}
            for (a, b), (points, games) in self.scores.items()
        ]
        return json.dumps(data, indent=2) + "\n"


def arena(
    config: ArenaConfig,
    agents: Mapping[str, Agent] | None = None,
    progress: Progress | None = None,
    notify: Callable[[str], None] | None = None,
) -> Arena:
    """Play all games that are not yet in the folder, and rate the entrants.

    Args:
        config: Who plays what.
        agents: Agents that are there already, by the entrant's name; they are not closed.
        progress: Called for every game that ends, first for those in the folder.
        notify: Called with messages for the user; None logs them.

    Raises:
        SettingsError: Among others: the folder has the results of another arena, or an entrant cannot play a game.
        FatalError: An entrant cannot answer at all; what was played is kept.
    """
    given = agents or {}
    made = {name: given.get(name) or make_entrant(spec, config.agent_options) for name, spec in config.entrants.items()}
    together = Entrants(made)
    for game in config.games:
        together.check(game)
    if config.concurrency is not None:
        together.concurrency = config.concurrency
    if notify is not None:
        for agent in made.values():
            agent.notify = notify
    played: list[Episode] = []

    def keep(done: int, total: int, episode: Episode | None) -> None:
        if episode is not None and config.out is None:
            played.append(episode)
        if progress is not None:
            progress(done, total, episode)

    try:
        evaluate(config.plan(), together, keep, notify=notify)
    finally:
        for name, agent in made.items():
            if name not in given:
                agent.close()
    if config.out is None:
        return rated(played, config)
    found = read_arena(Path(config.out), config)
    replace_file(Path(config.out) / "arena.json", [found.to_json().encode()])
    return found


def read_arena(folder: Path, config: ArenaConfig) -> Arena:
    """Rate the games of a folder."""
    return rated(read_episodes(folder / "episodes.jsonl"), config)


def rated(episodes: Iterable[Episode], config: ArenaConfig) -> Arena:
    """Rate the entrants by their games; the order of these does not matter."""
    names = list(config.entrants)
    counts = {name: dict.fromkeys(("won", "drawn", "lost", "forfeited", "illegal", "messages"), 0) for name in names}
    paid: dict[str, dict[str, list[float]]] = {name: {game: [] for game in config.games} for name in names}
    scores = dict.fromkeys(itertools.permutations(names, 2), (0.0, 0))
    results: dict[str, list[Result]] = {game: [] for game in config.games}
    games = errors = 0
    for episode in episodes:
        if episode.status != "done":
            errors += 1
            continue
        games += 1
        game, seating = episode.settings["game"], episode.settings["seating"].split("|")
        for seat, name in enumerate(seating):
            for what, metric in (("forfeited", "forfeit"), ("illegal", "illegal"), ("messages", "messages")):
                counts[name][what] += int(episode.metrics[f"{metric}_{seat}"])
            paid[name][game].append(episode.metrics[f"return_{seat}"])
        for result in _pairs(episode, seating):
            results[game].append(result)
            pair = result.first, result.second
            for a, b, score in ((*pair, result.score), (*pair[::-1], 1 - result.score)):
                counts[a][{0.0: "lost", 0.5: "drawn", 1.0: "won"}[score]] += 1
                points, number = scores[a, b]
                scores[a, b] = points + score, number + 1
    overall = ratings([result for game in config.games for result in results[game]], names)
    records = {
        name: Record(
            overall[name],
            **counts[name],
            mean_return={game: sum(values) / len(values) for game, values in paid[name].items() if values},
        )
        for name in sorted(names, key=lambda name: -overall[name].value)
    }
    return Arena(records, {game: ratings(results[game], names) for game in config.games}, scores, games, errors)


def _pairs(episode: Episode, seating: list[str]) -> Iterator[Result]:
    """The game's result for each two of its players."""
    unit = (episode.settings["game"], episode.seed, episode.sample, tuple(sorted(seating)))
    for a, b in itertools.combinations(range(len(seating)), 2):
        difference = episode.metrics[f"return_{a}"] - episode.metrics[f"return_{b}"]
        yield Result(seating[a], seating[b], 0.5 + 0.5 * (difference > 0) - 0.5 * (difference < 0), unit)
