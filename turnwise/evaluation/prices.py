"""What a run costs, by prices that the user gives.

A TOML file has a table for each model, by the name that the results have or by a pattern of such names, with prices of
a million tokens::

    ["my-model"]
    input = 0.50
    cached_input = 0.05  # of what the endpoint says it had in its cache; without this line, as input
    cache_write = 0.60  # of what it put into its cache, where that has a price of its own; without this line, as input
    output = 2.00
"""

import fnmatch
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from turnwise.core.agent import Action
from turnwise.core.episode import Episode, Turn
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range, check_all, check_names, named_settings

__all__ = ["Price", "Prices", "read_prices"]

MILLION = 1e6


@dataclass(frozen=True, kw_only=True)
class Price:
    """The price of a model, for a million tokens."""

    input: Annotated[float, Range(0)]
    """Price of the tokens that the model reads."""
    output: Annotated[float, Range(0)]
    """Price of the tokens that it writes, including its reasoning."""
    cached_input: Annotated[float, Range(0)] | None = None
    """Price of tokens read from its cache; None: the same as `input`."""
    cache_write: Annotated[float, Range(0)] | None = None
    """Price of tokens written to its cache; None: the same as `input`."""

    def __post_init__(self) -> None:
        check_all(self)

    def of(self, turn: Turn | Action) -> float:
        """The price of a turn."""
        read, cost = turn.prompt_tokens, self.output * turn.completion_tokens
        for price, count in (
            (self.cached_input, _cached(turn)),
            (self.cache_write, _count(turn, "cache_write_tokens")),
        ):
            if price is not None:
                count = min(count, read)
                read, cost = read - count, cost + price * count
        return (cost + self.input * read) / MILLION


class Prices:
    """The prices in a file; called with an episode, it returns its cost, None if that is not known."""

    def __init__(self, path: str, prices: Mapping[str, Price]) -> None:
        self.path, self._prices = path, prices

    def __call__(self, episode: Episode) -> float | None:
        """The cost of an episode; None for a model that is not in the file, or without counts of tokens."""
        served = {str(turn.served["model"]) for turn in episode.turns if turn.served and turn.served.get("model")}
        found = self.named(episode.agent, *sorted(served))
        if found is None or not any(turn.prompt_tokens or turn.completion_tokens for turn in episode.turns):
            return None
        return sum(found.of(turn) for turn in episode.turns)

    def named(self, *names: str) -> Price | None:
        """The price of a model by the first of its names that the file has; exact names before patterns."""
        for name in names:
            if name in self._prices:
                return self._prices[name]
        prices = self._prices
        return next((prices[p] for p in prices for name in names if fnmatch.fnmatchcase(name, p)), None)


def read_prices(path: str | Path) -> Prices:
    """Read a file of prices.

    Raises:
        SettingsError: There is no such file, or it cannot be read.
    """
    try:
        data = tomllib.loads(Path(path).expanduser().read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"prices is {str(path)!r}, which cannot be read: {error}") from error
    return Prices(str(path), {name: _price(str(path), name, part) for name, part in data.items()})


def _price(path: str, name: str, data: Any) -> Price:
    where = f"prices: {path}: [{name}]"
    if not isinstance(data, Mapping):
        raise SettingsError(f"{where}: it must be a table with input and output")
    check_names(f"{where} has no setting", data, named_settings(Price))
    if missing := {"input", "output"} - data.keys():
        raise SettingsError(f"{where}: {' and '.join(sorted(missing))} is missing")
    try:
        return Price(**{key: float(value) if type(value) is int else value for key, value in data.items()})
    except SettingsError as error:
        raise SettingsError(f"{where}: {error}") from error


def _cached(turn: Turn | Action) -> int:
    """The tokens read that the endpoint says it had in its cache."""
    if found := _count(turn, "cached_tokens"):
        return found
    usage = (turn.served or {}).get("usage")  # of a run from before agents counted them
    details = usage.get("prompt_tokens_details") if isinstance(usage, Mapping) else None
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    return cached if type(cached) is int and cached > 0 else 0


def _count(turn: Turn | Action, name: str) -> int:
    found = (turn.served or {}).get(name)
    return found if type(found) is int and found > 0 else 0
