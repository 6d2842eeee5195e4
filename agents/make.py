"""Agents by name, for the command line."""

import difflib
import importlib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnwise.agents.folder import model_folder
from turnwise.core.agent import Agent
from turnwise.core.errors import MissingDependencyError, SettingsError
from turnwise.core.settings import Setting, check, check_names, named_settings

if TYPE_CHECKING:  # it brings the HTTP client
    from turnwise.agents.endpoint.agent import EndpointAgent

__all__ = ["ANSWER_LIMIT", "ENDPOINTS", "endpoint_class", "make_agent", "option_of"]

KINDS = (
    "oracle", "random", "graded:SKILL", "constant:TEXT", "human", "hf:PATH_OR_NAME", "openai:MODEL[@BASE_URL]",
    "openai-responses:MODEL[@BASE_URL]", "anthropic:MODEL[@BASE_URL]", "gemini:MODEL[@BASE_URL]",
    "vllm:MODEL@BASE_URL", "sglang:MODEL@BASE_URL", "vllm-offline:PATH_OR_NAME", "cmd:PROGRAM ARGS",
    "python:FILE.py:FUNCTION",
)  # fmt: skip

ENDPOINTS = {
    "openai": ("openai", "OpenAIAgent"),
    "openai-responses": ("responses", "ResponsesAgent"),
    "anthropic": ("anthropic", "AnthropicAgent"),
    "gemini": ("gemini", "GeminiAgent"),
}
"""The module and the class of each kind of agent behind an API."""

ANSWER_LIMIT = {
    **dict.fromkeys(("hf", "vllm-offline"), "max_new_tokens"),
    **dict.fromkeys((*ENDPOINTS, "vllm", "sglang"), "max_tokens"),
}
"""The option of each kind of agent that limits its answers, in tokens."""


def make_agent(spec: str, *, concurrency: int | None = None, **options: Any) -> Agent:
    """Make the agent that ``spec`` names.

    Args:
        spec: ``oracle``, ``random``, ``graded:SKILL``, ``constant:TEXT``, ``human``, ``hf:PATH_OR_NAME`` (a local
            model), ``vllm-offline:PATH_OR_NAME`` (the same, sampled by vLLM in this process),
            ``openai:MODEL@BASE_URL``, ``openai-responses:``, ``anthropic:`` or ``gemini:`` (an endpoint; without
            ``@BASE_URL``, the one that the class defaults to), ``vllm:MODEL@BASE_URL`` or ``sglang:MODEL@BASE_URL``
            (token ids in and out: ``TokensAgent``), ``cmd:PROGRAM ARGS`` (a program: ``CommandAgent``),
            ``python:FILE.py:FUNCTION`` or ``python:MODULE:FUNCTION`` (``PythonAgent``).
        concurrency: Most episodes at a time; None keeps the agent's default.
        options: Options of the agent's class.

    Raises:
        SettingsError: The agent or an option does not exist; the message suggests the nearest.
    """
    kind, colon, rest = spec.partition(":")
    if kind == "hf" and rest:
        return _local(rest, concurrency, options)
    if kind in ENDPOINTS and rest:
        return _endpoint(kind, rest, concurrency, options)
    if kind == "vllm-offline" and rest:
        return _offline(rest, concurrency, options)
    if kind == "cmd" and rest:
        from turnwise.agents.command import CommandAgent

        _check(named_settings(CommandAgent.__init__), options, kind, but={"command"})
        return CommandAgent(rest, **_with(options, concurrency))
    if kind == "python" and rest:
        from turnwise.agents.function import python_agent

        return python_agent(rest, concurrency, options)
    if kind in ("vllm", "sglang") and rest:
        return _tokens(kind, rest, concurrency, options)
    agent = _scripted(kind, colon, rest, options)
    if agent is None:
        names = {known.split(":")[0]: known for known in KINDS}
        close = difflib.get_close_matches(kind.lower(), names, 1, 0.5)
        hint = f"did you mean {names[close[0]]!r}?" if close else f"there are {', '.join(KINDS)}"
        raise SettingsError(f"the agent {spec!r} does not exist; {hint}")
    if concurrency is not None and kind != "human":
        agent.concurrency = concurrency
    return agent


def option_of(spec: str, given: Mapping[str, Any], name: str) -> Any:
    """The value of an agent's option: the given one, or its default; None where the agent has no such option."""
    kind = spec.partition(":")[0]
    if name in given:
        return given[name]
    known: Mapping[str, Setting] = {}
    if kind in ENDPOINTS:
        known = named_settings(endpoint_class(kind).OPTIONS)
    elif kind in ("hf", "vllm-offline"):
        from turnwise.agents.local import LocalAgent

        known = named_settings(LocalAgent.__init__)
    elif kind in ("vllm", "sglang"):
        from turnwise.agents.tokens import TokensAgent

        known = named_settings(TokensAgent.__init__)
    return known[name].default if name in known else None


def endpoint_class(kind: str) -> "type[EndpointAgent]":
    """The class of a kind of agent behind an API."""
    module, name = ENDPOINTS[kind]
    found: type[EndpointAgent] = getattr(importlib.import_module(f"turnwise.agents.{module}"), name)
    return found


def _scripted(kind: str, colon: str, rest: str, options: dict[str, Any]) -> Agent | None:
    from turnwise.agents.scripted import ConstantAgent, GradedAgent, HumanAgent, OracleAgent, RandomAgent

    if kind == "constant" and colon:
        _check({}, options, kind)
        return ConstantAgent(rest)
    if kind == "graded" and colon:
        _check(named_settings(GradedAgent.__init__), options, kind, but={"skill"})
        try:
            return GradedAgent(float(rest), **options)
        except ValueError as error:
            raise SettingsError(
                f"graded:{rest}: the skill must be a number, the level that it solves half of"
            ) from error
    if kind == "human" and not colon:
        _check({"ask": Setting("ask", Any)}, options, kind)
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
    known = {**named_settings(LocalAgent.__init__), **named_settings(LocalAgent.from_model)}
    known |= named_settings(LocalAgent.from_pretrained)
    _check(known, options, "hf", but={"renderer", "model", "tokenizer", "path"})
    folder = model_folder(path)
    if folder != path:  # the folder of a run: its name says more than "model"
        options = {"name": Path(path).expanduser().resolve().name, **options}
    return LocalAgent.from_pretrained(folder, **_with(options, concurrency))


def _offline(path: str, concurrency: int | None, options: dict[str, Any]) -> Agent:
    try:
        from turnwise.agents.local import LocalAgent
    except ModuleNotFoundError as error:
        raise MissingDependencyError.of(error.name or "vllm", "vllm") from error
    known = {**named_settings(LocalAgent.__init__), **named_settings(LocalAgent.from_vllm)}
    _check(known, options, "vllm-offline", but={"engine", "renderer", "path"})
    return LocalAgent.from_vllm(model_folder(path), **_with(options, concurrency))


def _endpoint(kind: str, rest: str, concurrency: int | None, options: dict[str, Any]) -> Agent:
    from turnwise.agents.endpoint.address import split_model

    cls = endpoint_class(kind)
    model, url = split_model(rest, kind)
    options = dict(options)
    given = options.pop("base_url", None)
    if url is not None and given not in (None, url):
        raise SettingsError(f"base_url is given twice: {url!r} and {given!r}")
    _check(named_settings(cls.OPTIONS), options, kind)
    return cls(model, url or given, **_with(options, concurrency))


def _tokens(kind: str, rest: str, concurrency: int | None, options: dict[str, Any]) -> Agent:
    from turnwise.agents.endpoint.address import base_of, split_model
    from turnwise.agents.tokens import TokensAgent

    model, url = split_model(rest, kind)
    if url is None:
        raise SettingsError(f"the agent is '{kind}:{rest}'; it must look like '{kind}:MODEL@http://localhost:8000'")
    base_of(url)
    if kind == "sglang":
        options = {"route": "sglang", **options}
    _check(named_settings(TokensAgent.__init__), options, kind, but={"model", "base_url", "renderer"})
    if (options.get("route") == "sglang") != (kind == "sglang"):
        raise SettingsError(f"route is {options['route']!r}, but the agent is {kind}:...")
    return TokensAgent(model, url, **_with(options, concurrency))


def _with(options: dict[str, Any], concurrency: int | None) -> dict[str, Any]:
    return options if concurrency is None else {**options, "concurrency": concurrency}


def _check(known: Mapping[str, Setting], options: dict[str, Any], kind: str, but: Collection[str] = ()) -> None:
    """Raise `SettingsError` for an option that the agent does not have, or a value that does not fit it."""
    check_names(f"the agent {kind!r} has no option", options, known.keys() - {"concurrency", *but})
    for name, value in options.items():
        check(name, value, known[name])
