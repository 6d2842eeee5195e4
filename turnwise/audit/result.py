"""Results of an audit, and their forms: text, JSON, a table in Markdown."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from turnwise.core.episode import Episode
from turnwise.core.metrics import Interval, wilson
from turnwise.report.html import visible

__all__ = ["AuditResult", "Example", "Finding", "Kind", "Ledger", "Tally", "markdown_rows", "to_json", "to_text"]

Kind = Literal["false reject", "false accept", "state leak", "error", "data"]
"""Kinds of findings: a right answer refused; a wrong one paid; an answer that changes how the next is judged; an
exception, or a judgement that takes too long; rows of a data set that contradict each other."""

CHEATS = ("cheat", "hostile", "hedge")
"""Kinds of texts that must never be paid."""
_MOST_SHOWN = 1500


class Tally(NamedTuple):
    """Counts how many of ``trials`` texts were paid.

    >>> round(Tally(0, 100).interval[1], 4)
    0.037
    """

    paid: int
    trials: int

    @property
    def rate(self) -> float:
        """The share that was paid; 0 without trials."""
        return self.paid / self.trials if self.trials else 0.0

    @property
    def interval(self) -> Interval:
        """95 % interval of the rate (`wilson`)."""
        return wilson(self.paid, self.trials)


@dataclass(frozen=True)
class Example:
    """One wrong judgement, shrunk as far as possible.

    Attributes:
        seed: Seed of the task, or number of a verifier's question.
        observation: The question.
        action: The text that was tried.
        reward: What it earned.
        why: Why that is wrong.
        original: The text before it was shrunk, if it was.
        episode: The whole episode, if it has more than this turn.
    """

    seed: int
    observation: str
    action: str
    reward: float
    why: str
    original: str = ""
    episode: Episode | None = None


@dataclass(frozen=True)
class Finding:
    """Something that was judged wrongly.

    Attributes:
        kind: What is wrong.
        name: What was played or tried.
        wrong: How often it was judged wrongly.
        trials: How often it was tried.
        example: The smallest case found.
    """

    kind: Kind
    name: str
    wrong: int
    trials: int
    example: Example


@dataclass(frozen=True)
class AuditResult:
    """The result of an audit; `ok` if nothing was found.

    Attributes:
        env: Registered id, or the name of a verifier.
        settings: Settings that were audited.
        tasks: Tasks that were played.
        findings: What is wrong.
        tallies: Texts paid, by kind: oracle, paraphrase (the environment's own), rewriting (what the answer rule
            promises), cheat (the environment's own), hostile, lucky, hedge, mutant, cross (answers of other tasks),
            search, random, row (of a data set).
        styles: Paid spellings that no rule promises, by name.
        mutants: Mutants paid, by name.
        notes: Remarks that are not findings.
        tasks_per_second: Tasks generated per second of CPU time; 0 for a verifier.
        seconds: CPU time of the audit.
    """

    env: str
    settings: Mapping[str, Any]
    tasks: int
    findings: tuple[Finding, ...]
    tallies: Mapping[str, Tally]
    styles: Mapping[str, Tally]
    mutants: Mapping[str, Tally]
    notes: tuple[str, ...]
    tasks_per_second: float
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def tally(self, *kinds: str) -> Tally:
        """Add up the tallies of some kinds."""
        found = [self.tallies[kind] for kind in kinds if kind in self.tallies]
        return Tally(sum(t.paid for t in found), sum(t.trials for t in found))


@dataclass
class Ledger:
    """Counts and findings while an audit runs."""

    findings: list[Finding] = field(default_factory=list)
    tallies: dict[str, Tally] = field(default_factory=dict)
    styles: dict[str, Tally] = field(default_factory=dict)
    mutants: dict[str, Tally] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def count(self, kind: str, paid: int, trials: int = 1) -> None:
        """Count texts of a kind."""
        _count(self.tallies, kind, paid, trials)

    def count_style(self, name: str, paid: bool) -> None:
        """Count a spelling."""
        _count(self.styles, name, paid, 1)

    def count_mutant(self, name: str, paid: bool) -> None:
        """Count a mutant."""
        _count(self.mutants, name, paid, 1)

    def find(self, kind: Kind, name: str, wrong: int, trials: int, example: Example) -> None:
        """Record a finding."""
        self.findings.append(Finding(kind, name, wrong, trials, example))

    def result(self, env: str, settings: Mapping[str, Any], tasks: int, speed: float, seconds: float) -> AuditResult:
        """Return the complete result."""
        return AuditResult(
            env, settings, tasks, tuple(self.findings), self.tallies, self.styles, self.mutants, tuple(self.notes),
            speed, seconds,
        )  # fmt: skip


def _count(where: dict[str, Tally], name: str, paid: int, trials: int) -> None:
    before = where.get(name, Tally(0, 0))
    where[name] = Tally(before.paid + paid, before.trials + trials)


# ---- shown ---------------------------------------------------------------------------------------------------------


def to_text(result: AuditResult) -> str:
    """Format the report for a terminal, escaping characters that could trick one."""
    lines = [f"{result.env}: {result.tasks} tasks, {result.seconds:.1f} CPU-seconds"]
    if result.tasks_per_second:
        lines[0] += f", {result.tasks_per_second:,.0f} tasks generated per CPU-second"
    lines += ["", f"{'kind':12}{'paid':>7} of  texts     rate   95 % interval"]
    for kind, tally in result.tallies.items():
        low, high = tally.interval
        lines.append(f"{kind:12}{tally.paid:7} of {tally.trials:6}  {tally.rate:7.2%}   {low:.2%} to {high:.2%}")
    for title, counts in (("mutants paid", result.mutants), ("styles that count", result.styles)):
        shown = [f"{name} {t.paid}/{t.trials}" for name, t in counts.items() if t.paid or title != "mutants paid"]
        if shown:
            lines += ["", f"{title}: {', '.join(shown)}"]
    lines += [f"note: {note}" for note in result.notes]
    for finding in sorted(result.findings, key=lambda f: len(f.example.action)):
        lines += ["", _finding(finding)]
    lines += ["", "nothing wrong found" if result.ok else f"{len(result.findings)} findings"]
    return "\n".join(lines)


def _finding(finding: Finding) -> str:
    example = finding.example
    lines = [
        f"{finding.kind.upper()}: {visible(finding.name)}: {finding.wrong} of {finding.trials}",
        f"  seed {example.seed}: {_cut(example.observation)!r}",
        f"  said:   {_cut(example.action)!r}",
        f"  earned: {example.reward:g}",
        f"  why:    {visible(example.why)}",
    ]
    if example.original:
        lines.append(f"  shrunk from: {_cut(example.original)!r}")
    return "\n".join(lines)


def _cut(text: str, limit: int = 300) -> str:
    half = limit // 2
    return text if len(text) <= limit else f"{text[:half]} ... {text[-half:]}"


def to_json(results: Sequence[AuditResult]) -> str:
    """Return the reports as JSON, with long texts in examples cut."""

    def example(found: Example) -> dict[str, Any]:
        plain = {f.name: getattr(found, f.name) for f in dataclasses.fields(found) if f.name != "episode"}
        return {name: _cut(value, _MOST_SHOWN) if isinstance(value, str) else value for name, value in plain.items()}

    def tallies(counts: Mapping[str, Tally]) -> dict[str, Any]:
        return {k: {"paid": t.paid, "trials": t.trials, "ci95": list(t.interval)} for k, t in counts.items()}

    data = [
        {
            "env": r.env, "settings": dict(r.settings), "tasks": r.tasks, "ok": r.ok, "notes": list(r.notes),
            "findings": [
                {"kind": f.kind, "name": f.name, "wrong": f.wrong, "trials": f.trials, "example": example(f.example)}
                for f in r.findings
            ],
            "tallies": tallies(r.tallies), "mutants": tallies(r.mutants), "styles": tallies(r.styles),
            "tasks_per_second": r.tasks_per_second, "seconds": r.seconds,
        }
        for r in results
    ]  # fmt: skip
    return json.dumps(data, indent=1, ensure_ascii=True) + "\n"


def markdown_rows(results: Sequence[AuditResult]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return header and rows of the table over several environments."""
    header = (
        "environment", "tasks", "oracle", "paraphrases", "rewritings", "cheats paid", "search", "mutants paid",
        "other tasks' answers paid", "random agent", "tasks/s", "findings",
    )  # fmt: skip
    rows = []
    for r in results:
        right = [_share(r.tally(kind)) for kind in ("oracle", "paraphrase", "rewriting")]
        wrong = [_share(r.tally(*CHEATS)), _share(r.tally("search"))]
        mutants, cross, chance = (_percent(r.tally(kind)) for kind in ("mutant", "cross", "random"))
        name = r.env.removeprefix("turnwise/")
        speed = f"{r.tasks_per_second:,.0f}" if r.tasks_per_second else "–"
        rows.append((name, str(r.tasks), *right, *wrong, mutants, cross, chance, speed, str(len(r.findings))))
    return header, rows


def _share(tally: Tally) -> str:
    return f"{tally.paid:,} / {tally.trials:,}" if tally.trials else "–"


def _percent(tally: Tally) -> str:
    if not tally.trials:
        return "–"
    low, high = tally.interval
    return f"{tally.rate:.1%} ({low:.1%}–{high:.1%})"
