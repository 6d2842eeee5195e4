"""Leaderboards: the results of suites, a row for each run, and the rows of scripted agents to compare with.

A board is a suite as it was played: its name, its content hash and the digest of its environments. Runs that differ in
one of these are on different boards, since their numbers cannot be compared.
"""

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from turnwise.core.errors import SettingsError
from turnwise.core.files import replace_file
from turnwise.core.metrics import Interval, Scores
from turnwise.evaluation.evaluate import Summary, evaluate
from turnwise.evaluation.headline import Part, Standing
from turnwise.evaluation.suite import Suite

__all__ = [
    "REFERENCES",
    "Board",
    "Row",
    "boards",
    "read_references",
    "read_results",
    "record_references",
    "references_of",
]  # fmt: skip

REFERENCES = ("random", "graded:3", "graded:6", "graded:9", "oracle")
"""The scripted agents whose rows are shipped: no model, so that every board has a scale to read the others by."""
FOLDER = Path(__file__).parent / "data" / "references"


@dataclass(frozen=True)
class Figure:
    """A score with its interval.

    Attributes:
        score: Solve rate corrected for chance; None if it is not known.
        ci95: Its 95 % interval.
    """

    score: float | None
    ci95: Interval | None = None


@dataclass(frozen=True, kw_only=True)
class Row:
    """A run on a board.

    Attributes:
        agent: The agent's name.
        reference: It is a scripted agent's that comes with turnwise.
        headline: The suite's one number.
        domains: By name.
        environments: By environment with its settings.
        levels: By level.
        num_episodes: Scored episodes.
        num_errors: Episodes whose infrastructure failed.
        solve_rate: Share of solved episodes, not corrected for chance.
        pass_at_k: pass@k by k.
        turns: Turns per episode.
        tokens: Tokens written per episode.
        cost: Of the whole run, by the user's prices.
        seconds: Of the endpoint, per episode.
        seed: Of the tasks.
        fresh: The seed was drawn for this run.
        num_samples: Episodes per task.
        changed: What differs from the suite: its value and the run's.
        turnwise: The version that played it.
        report: Address of the run's report, relative to the site; empty without one.
        folder: Where it was read from; not written.
    """

    agent: str
    reference: bool = False
    headline: Figure
    domains: Mapping[str, Figure]
    environments: Mapping[str, Figure] = field(default_factory=dict)
    levels: Mapping[str, Figure] = field(default_factory=dict)
    num_episodes: int = 0
    num_errors: int = 0
    solve_rate: float | None = None
    pass_at_k: Mapping[str, float | None] = field(default_factory=dict)
    turns: float | None = None
    tokens: float | None = None
    cost: float | None = None
    seconds: float | None = None
    seed: int = 0
    fresh: bool = False
    num_samples: int = 1
    changed: Mapping[str, Any] = field(default_factory=dict)
    turnwise: str = ""
    report: str = ""
    folder: Path | None = field(default=None, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {name: value for name, value in dataclasses.asdict(self).items() if name != "folder"}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Row":
        """Restore from the result of `to_dict`."""
        parts = {name: {key: _figure(part) for key, part in data[name].items()} for name in _PARTS}
        return cls(**{**data, **parts, "headline": _figure(data["headline"])})


_PARTS = ("domains", "environments", "levels")


@dataclass(frozen=True)
class Board:
    """The rows of a suite as it was played.

    Attributes:
        name: The suite's name.
        title: A line about it.
        hash: Digest of its content.
        environments: Digest of its environments.
        domains: Names of the domains, in the suite's order.
        rows: From the best score to the worst; those without one are last.
    """

    name: str
    title: str
    hash: str
    environments: str
    domains: Sequence[str]
    rows: Sequence[Row]

    @property
    def key(self) -> str:
        """A name that no other board has."""
        return f"{self.name}-{self.hash[:6]}-{self.environments[:6]}"

    def ranks(self) -> list[int | None]:
        """The rank of each row: one more than the rows whose whole interval lies above its own; None without a score.

        Rows whose intervals overlap may so share a rank.

        Source: the upper bound of the rank as Chatbot Arena shows it, Chiang et al. 2024, arXiv 2403.04132, section 5.
        """
        ends = [row.headline.ci95 for row in self.rows]
        return [
            None if own is None else 1 + sum(other is not None and other[0] > own[1] for other in ends) for own in ends
        ]


# ---- reading ---------------------------------------------------------------------------------------------------------


def read_results(folders: Iterable[Path]) -> tuple[list[tuple[Board, Row]], dict[Path, str]]:
    """Read the finished runs of suites below folders.

    Returns:
        Each run's row with the board that it belongs to, whose ``rows`` are empty; and the runs that are left out, with
        the reason.

    Raises:
        SettingsError: A folder does not exist.
    """
    found: list[tuple[Board, Row]] = []
    left_out: dict[Path, str] = {}
    for folder in folders:
        if not folder.is_dir():
            raise SettingsError(f"{folder} is not a folder")
        for config in sorted({*folder.glob("config.json"), *folder.rglob("*/config.json")}):
            run = config.parent
            if not (run / "summary.json").is_file():
                if (run / "episodes.jsonl").is_file():
                    left_out[run] = "it is not finished: the same `turnwise eval` continues there"
                continue
            try:
                summary = Summary.from_json((run / "summary.json").read_text(encoding="utf-8"))
                if summary.suite is None:
                    left_out[run] = "it played no suite"
                else:
                    found.append((_board(summary.suite), _row(summary.agent, summary.suite, run)))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                left_out[run] = f"its summary.json cannot be read: {error!r}"
    return found, left_out


def _board(suite: Standing) -> Board:
    about = suite.about
    environments = about.get("recorded") or about["environments"]  # those of the run were checked against it
    title, domains = str(about.get("title", "")), [str(name) for name, _ in about["parts"]]
    return Board(str(about["name"]), title, str(about["hash"]), str(environments), tuple(domains), ())


def _row(agent: str, suite: Standing, folder: Path | None = None) -> Row:
    about, scores = suite.about, suite.headline.scores
    return Row(
        agent=str(agent),
        headline=_of(suite.headline),
        domains={name: _of(suite.domains[name]) for name, _ in about["parts"]},
        environments={name: _of(suite.environments[name]) for _, envs in about["parts"] for name in envs},
        levels={str(level): _of(part) for level, part in sorted(suite.levels.items())},
        seed=int(about["seed"]),
        fresh=bool(about.get("fresh")),
        num_samples=int(about.get("num_samples", 1)),
        changed={name: values for name, values in about.get("changed", {}).items() if name != "seed"},
        turnwise=str(about.get("turnwise", "")),
        folder=folder,
        **_others(scores),
    )


def _others(s: Scores) -> dict[str, Any]:
    return {
        "num_episodes": s.num_episodes,
        "num_errors": s.num_errors,
        "solve_rate": s.solve_rate,
        "pass_at_k": {str(k): value for k, value in (s.pass_at_k or {}).items() if k > 1},
        "turns": s.mean_turns,
        "tokens": s.completion_tokens or None,
        "cost": None if s.cost is None else s.cost * s.num_episodes,
        "seconds": s.latency_s,
    }


def _of(part: Part) -> Figure:
    return Figure(part.score, part.ci95)


def _figure(data: Mapping[str, Any]) -> Figure:
    return Figure(data["score"], data["ci95"] and (data["ci95"][0], data["ci95"][1]))


def boards(found: Iterable[tuple[Board, Row]], *, references: bool = True) -> list[Board]:
    """Put rows on their boards, in alphabetical order.

    Args:
        found: As `read_results` returns them.
        references: Add the scripted agents' rows where they belong.
    """
    rows: dict[tuple[str, str, str], tuple[Board, list[Row]]] = {}
    for board, row in found:
        rows.setdefault((board.name, board.hash, board.environments), (board, []))[1].append(row)
    made = []
    for key, (board, members) in sorted(rows.items()):
        shipped = read_references(board.name) if references else None
        if shipped is not None and (shipped.name, shipped.hash, shipped.environments) == key:
            played = {row.agent for row in members}
            members += [row for row in shipped.rows if row.agent not in played]
        made.append(dataclasses.replace(board, rows=tuple(sorted(members, key=_place))))
    return made


def _place(row: Row) -> tuple[float, str]:
    return (math.inf if row.headline.score is None else -row.headline.score, row.agent)


# ---- the scripted agents' rows ---------------------------------------------------------------------------------------


def references_of(suite: Suite, runs: Path) -> Board:
    """Play the scripted agents on a suite and return their rows.

    Args:
        suite: The suite; its environments must be those that were recorded.
        runs: Folder for the evaluations, which continue there if they were interrupted.
    """
    rows = []
    board = None
    for agent in REFERENCES:
        summary = evaluate(suite.config(agent, out=str(runs / suite.name / agent.replace(":", "-"))))
        assert summary.suite is not None
        board = _board(summary.suite)
        rows.append(dataclasses.replace(_row(summary.agent, summary.suite), reference=True))
    assert board is not None
    return dataclasses.replace(board, rows=tuple(sorted(rows, key=_place)))


def record_references(suite: Suite, runs: Path, folder: Path = FOLDER) -> Path:
    """Write the scripted agents' rows of a suite, and return the file's path."""
    board = references_of(suite, runs)
    head = {name: value for name, value in dataclasses.asdict(board).items() if name != "rows"}
    lines = [json.dumps(row.to_dict()) for row in board.rows]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{suite.name}.json"
    text = f'{json.dumps(head)[:-1]}, "rows": [\n' + ",\n".join(lines) + "\n]}\n"
    replace_file(path, [text.encode()])
    return path


def read_references(name: str, folder: Path = FOLDER) -> Board | None:
    """The scripted agents' rows of one of our suites; None if there are none."""
    path = folder / f"{name}.json"
    if Path(name).name != name or not path.is_file():  # the name may come from a file of anyone's
        return None
    data = json.loads(path.read_text(encoding="utf-8"))
    rows = tuple(Row.from_dict(row) for row in data.pop("rows"))
    return Board(**{**data, "domains": tuple(data["domains"])}, rows=rows)
