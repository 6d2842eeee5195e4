"""``turnwise eval --dry-run``: what a run will take and cost, without a request."""

# ruff: noqa: T201  (command-line output)

import sys
from collections.abc import Iterator, Sequence

from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.estimate import CHARS_A_TOKEN, TASKS, Bounds, Estimate, estimate
from turnwise.evaluation.evaluate import env_maker, try_environments
from turnwise.report.tables import markdown_table

__all__ = ["dry_run"]


def dry_run(config: EvalConfig) -> int:
    """Print the estimate of a run, and what it assumes."""
    try_environments(config)
    found = estimate(config, env_maker(config))
    rows = [_row(part) for part in found]
    if len(found) > 1:
        rows.append(_row(_total(found)))
    header = ("environment", "episodes", "requests", "tokens read", "tokens written", "cost")
    print(f"{config.agent}, not played\n\n{markdown_table(header, rows)}")
    for line in _assumed(config, found):
        print(f"turnwise: {line}", file=sys.stderr)
    return 0


def _total(found: Sequence[Estimate]) -> Estimate:
    empty = Bounds(0, 0, 0, 0.0)
    whole = [part.most for part in found if part.most is not None]
    most = sum(whole, empty) if len(whole) == len(found) else None
    return Estimate("all", sum(part.episodes for part in found), sum((part.least for part in found), empty), most)


def _row(part: Estimate) -> tuple[str, ...]:
    least, most = part.least, part.most
    cells = [(getattr(least, name), getattr(most, name, None)) for name in ("requests", "read", "written")]
    cost = "" if least.cost is None else f"{least.cost:.4g} to {'?' if most is None else f'{most.cost:.4g}'}"
    return (part.env.removeprefix("turnwise/"), f"{part.episodes:,}", *(_range(*cell) for cell in cells), cost)


def _range(least: float, most: float | None) -> str:
    return f"{least:,.0f} to {'?' if most is None else f'{most:,.0f}'}"


def _assumed(config: EvalConfig, found: Sequence[Estimate]) -> Iterator[str]:
    yield (
        f"assumed: {CHARS_A_TOKEN} characters are a token; prompts of {TASKS} tasks of each environment stand for all; "
        "nothing is read from a cache; no request is sent again"
    )
    yield "from: the oracle's way, with answers as short as the oracle's and no reasoning"
    if any(part.most is None for part in found):
        yield "to: not known, as answers have no limit (max_tokens)"
    else:
        yield "to: every turn that the environment allows, and the longest answer (max_tokens) in each"
    if config.prices is None:
        yield "no cost without prices: --prices FILE"
    elif any(part.least.cost is None for part in found):
        yield f"no cost: {config.prices} has no price for {config.agent}"
    if config.budget is not None and all(part.least.cost is not None for part in found):
        least = sum(part.least.cost or 0.0 for part in found)
        word = "may suffice" if least <= config.budget else "does not suffice"
        yield f"a budget of {config.budget:g} {word}: the run costs at least about {least:.4g}"
