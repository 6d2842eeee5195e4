"""Agents by name, for the command line."""

import difflib
import inspect
import typing
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from turnwise.agents.folder import model_folder
from turnwise.core.agent import Agent
from turnwise.core.errors import MissingDependencyError, SettingsError
from turnwise.core.settings import checked

__all__ = ["make_agent"]

KINDS = ("oracle", "random", "constant:TEXT", "human", "hf:PATH_OR_NAME", "openai:MODEL[@BASE_URL]")


def make_agent(spec: str, *, concurrency: int | None = None, **options: Any) -> Agent:
    """The agent that ``spec`` names.

    Args:
        spec: ``oracle``, ``random``, ``constant:TEXT``, ``human``, ``hf:PATH_OR_NAME`` (a local model) or
            ``openai:MODEL@BASE_URL`` (an endpoint; without ``@BASE_URL``, the one that ``OpenAIAgent`` defaults to).
        concurrency: Episodes at once; None leaves the agent's default.
        options: Of the agent's class.

    Raises:
        SettingsError: There is no such agent or option; the message suggests the nearest.
    """
    kind, colon, rest = spec.partition(":")
    if kind == "hf" and rest:
        return _local(rest, concurrency, options)
    if kind == "openai" and rest:
        return _openai(rest, concurrency, options)
    agent = _scripted(kind, colon, rest, options)
    if agent is None:
        names = {known.split(":")[0]: known for known in KINDS}
        close = difflib.get_close_matches(kind.lower(), names, 1, 0.5)
        hint = f"did you mean {names[close[0]]!r}?" if close else f"there are {', '.join(KINDS)}"
        raise SettingsError(f"there is no agent {spec!r}; {hint}")
    if concurrency is not None and kind != "human":
        agent.concurrency = concurrency
    return agent


def _scripted(kind: str, colon: str, rest: str, options: dict[str, Any]) -> Agent | None:
    from turnwise.agents.scripted import ConstantAgent, HumanAgent, OracleAgent, RandomAgent

    if kind == "constant" and colon:
        _check({}, options, kind)
        return ConstantAgent(rest)
    if kind == "human" and not colon:
        _check({"ask": Any}, options, kind)
        return HumanAgent(options.get("ask") or (lambda text: input(f"{text}\n> ")))
    plain: dict[str, Callable[[], Agent]] = {"oracle": OracleAgent, "random": RandomAgent}
    if kind in plain and not colon:
        _check({}, options, kind)
        return plain[kind]()
    return None


def _local(path: str, concurrency: int | None, options: dict[str, Any]) -> Agent:
    try:
        import transformers  # noqa: F401  (its own imports are late, and would be missed later)

        from turnwise.agents.local import LocalAgent
    except ModuleNotFoundError as error:
        raise MissingDependencyError.of(error.name or "torch", "train") from error
    known = _parameters(LocalAgent.__init__) | _parameters(LocalAgent.from_model)
    known |= _parameters(LocalAgent.from_pretrained)
    _check(known, options, "hf", but={"renderer", "model", "tokenizer", "path"})
    folder = model_folder(path)
    if folder != path:  # of a run: its name says more than "model"
        options = {"name": Path(path).expanduser().resolve().name, **options}
    return LocalAgent.from_pretrained(folder, **_with(options, concurrency))


def _openai(rest: str, concurrency: int | None, options: dict[str, Any]) -> Agent:
    from turnwise.agents.address import split_model
    from turnwise.agents.openai import OpenAIAgent

    model, url = split_model(rest)
    if url is not None:
        if options.get("base_url", url) != url:
            raise SettingsError(f"base_url is given twice: {url!r} and {options['base_url']!r}")
        options = {**options, "base_url": url}
    _check(_parameters(OpenAIAgent.__init__), options, "openai", but={"model"})
    return OpenAIAgent(model, **_with(options, concurrency))


def _with(options: dict[str, Any], concurrency: int | None) -> dict[str, Any]:
    return options if concurrency is None else {**options, "concurrency": concurrency}


def _parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """The named parameters and the types that they are annotated with."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = [name for name, p in inspect.signature(function).parameters.items() if p.kind in kinds]
    hints = typing.get_type_hints(function)
    return {name: hints[name] for name in names if name in hints}


def _check(accepted: dict[str, Any], options: dict[str, Any], kind: str, but: Collection[str] = ()) -> None:
    """Raise `SettingsError` for an option that the agent does not have, or that has a value of another type."""
    known = sorted(set(accepted) - {"concurrency", *but})
    for name, value in options.items():
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(known) or 'none'}"
            raise SettingsError(f"the agent {kind!r} has no option {name!r}; {hint}")
        checked(name, value, accepted[name], None)
