"""Episodes as the app's scripts read them: a row of values for each, and transcripts in shards."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from turnwise.core.episode import Episode, Turn
from turnwise.core.metrics import CUT, REFUSED
from turnwise.report.app.sources import json_text
from turnwise.report.html import headings, state_of, visible
from turnwise.report.runs import Price

__all__ = ["FLAGS", "columns", "shard"]

MAX_TOKENS = 4000
"""Tokens of a turn whose log-probabilities are shown."""
FLAGS = {"truncated": 1, "format error": 2, "cut": 4, "refused": 8, "error": 16}
"""Bits of a row's ``flags``."""
FIELD, EPISODE, TEXTS = "\x1f", "\x1e", "\x1d"


def columns(episodes: Sequence[Episode], price: Price | None) -> dict[str, Any]:
    """A row for each episode, as columns; those that are empty are left out.

    Args:
        episodes: In their order.
        price: What an episode costs, or None.
    """
    words: dict[str, int] = {}

    def word(text: str) -> int:
        return words.setdefault(text, len(words))

    heads = [visible(head, 160) for head in headings(episodes)]
    found: dict[str, list[Any]] = {
        "env": [word(e.env) for e in episodes],
        "settings": [word(json.dumps(e.settings, sort_keys=True, default=str)) for e in episodes],
        "agent": [word(e.agent) for e in episodes],
        "level": [_level(e) for e in episodes],
        "seed": [str(e.seed) for e in episodes],
        "sample": [e.sample for e in episodes],
        "task": [word(e.task_id) for e in episodes],
        "state": [word(state_of(e)) for e in episodes],
        "solved": [int(e.solved) for e in episodes],
        "flags": [flags_of(e) for e in episodes],
        "return": [round(e.episode_return, 6) for e in episodes],
        "turns": [len(e.turns) for e in episodes],
        "invalid": [sum(t.invalid for t in e.turns) for e in episodes],
        "read": [sum(t.prompt_tokens for t in e.turns) for e in episodes],
        "written": [sum(t.completion_tokens for t in e.turns) for e in episodes],
        "seconds": [_seconds(e) for e in episodes],
        "cost": [None if price is None else price(e) for e in episodes],
        "head": heads,
    }
    metrics = {
        name: [e.metrics.get(name) for e in episodes] for name in sorted({m for e in episodes for m in e.metrics})
    }
    kept = {name: values for name, values in found.items() if any(values)}
    return {
        "count": len(episodes),
        "words": [visible(text, 400) for text in words],
        "columns": kept,
        "metrics": _named(metrics),
    }


def _named(metrics: Mapping[str, Sequence[float | None]]) -> dict[str, Any]:
    rounded = {
        visible(name, 80): [None if v is None or v - v != 0 else round(v, 5) for v in values]
        for name, values in metrics.items()
    }
    return {name: values for name, values in rounded.items() if any(values)}


def _level(episode: Episode) -> int | None:
    level = episode.settings.get("difficulty")
    return level if type(level) is int else None


def _seconds(episode: Episode) -> float | None:
    known = [t.served.get("latency_s") for t in episode.turns if t.served is not None]
    numbers = [s for s in known if isinstance(s, (int, float))]
    return round(sum(numbers), 3) if numbers else None


def flags_of(episode: Episode) -> int:
    """The bits of `FLAGS` that are set."""
    turns = episode.turns
    happened = {
        "truncated": episode.truncated,
        "format error": any(t.invalid for t in turns),
        "cut": any(t.finish in CUT for t in turns),
        "refused": any((t.served or {}).get("refusal") or t.finish in REFUSED for t in turns),
        "error": episode.status == "error",
    }
    return sum(FLAGS[name] for name, yes in happened.items() if yes)


def shard(episodes: Sequence[Episode]) -> str:
    """The transcripts of these episodes."""
    return (
        json_text([_numbers(e) for e in episodes])
        + TEXTS
        + EPISODE.join(FIELD.join(map(visible, _texts(e))) for e in episodes)
    )


def _texts(episode: Episode) -> Iterator[str]:
    """Observation, answer and reasoning of each turn, then the last observation and the error."""
    for turn in episode.turns:
        yield from (turn.observation, turn.action, turn.reasoning)
    yield episode.final_observation
    yield episode.error or ""


def _numbers(episode: Episode) -> dict[str, Any]:
    found: dict[str, Any] = {"turns": [_turn(t) for t in episode.turns]}
    found["metrics"] = {visible(k, 80): v if v - v == 0 else str(v) for k, v in episode.metrics.items()}
    found["settings"] = {visible(k, 80): _value(v) for k, v in episode.settings.items()}
    if episode.attempts > 1:
        found["attempts"] = episode.attempts
    return found


def _turn(turn: Turn) -> dict[str, Any]:
    found: dict[str, Any] = {"reward": turn.reward}
    if turn.invalid:
        found["invalid"] = True
    if turn.internal:
        found["internal"] = True
    if turn.finish != "stop":
        found["finish"] = visible(str(turn.finish), 80)
    if turn.prompt_tokens or turn.completion_tokens:
        found["read"], found["written"] = turn.prompt_tokens, turn.completion_tokens
    if turn.served:
        found["served"] = {visible(str(k), 80): _value(v) for k, v in turn.served.items() if v not in (None, "", 0)}
    if turn.tokens is not None and turn.tokens.ids:
        found["ids"] = list(turn.tokens.ids[:MAX_TOKENS])
        found["logps"] = [round(logp, 3) for logp in turn.tokens.logps[:MAX_TOKENS]]
    return found


def _value(value: Any) -> Any:
    """A JSON value as it can be shown: texts made visible."""
    if isinstance(value, str):
        return visible(value, 400)
    if isinstance(value, (bool, int)) or value is None or (isinstance(value, float) and value - value == 0):
        return value
    return visible(json.dumps(value, sort_keys=True, default=str), 400)
