"""Judge function calls by comparing them with the wanted ones argument by argument.

A call is ``{"name": ..., "arguments": {...}}``, or that inside ``{"type": "function", "function": ...}``; arguments may
be a JSON string, as servers send them, and be named ``parameters``. Several calls are an array of these.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from turnwise.verifiers.structured.calls_message import call_values
from turnwise.verifiers.structured.json_values import GoldError, Json, JsonError, equal_json, plain_json, read_json
from turnwise.verifiers.structured.values import paired_off
from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = ["Call", "bfcl_calls", "read_calls", "verify_call"]

MAX_CALLS = 64
_UNSEEN = {ord(char): None for char in " ,./-_*^"} | {ord("'"): '"'}


class Call(NamedTuple):
    """A function's name and its arguments by name."""

    name: str
    arguments: Mapping[str, Json]


def _call(value: Json) -> Call:
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        if value.keys() - {"id", "type", "function"}:
            raise JsonError("a call has unknown keys")
        value = value["function"]
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise JsonError('a call must be an object {"name": ..., "arguments": {...}}')
    if value.keys() - {"id", "type", "name", "arguments", "parameters"} or {"arguments", "parameters"} <= value.keys():
        raise JsonError("a call has unknown keys")
    arguments = value.get("arguments", value.get("parameters", {}))
    if isinstance(arguments, str):
        arguments = read_json(arguments)
    if not isinstance(arguments, dict):
        raise JsonError("the arguments of a call must be an object")
    return Call(value["name"], arguments)


def read_calls(text: str) -> list[Call]:
    """Return the calls that a message makes, at most 64; `call_values` says where they may be.

    Raises:
        JsonError: The message has no calls, or something else in their place.

    >>> read_calls('{"name": "add", "arguments": {"a": 1}}')
    [Call(name='add', arguments={'a': 1})]
    >>> read_calls('Sure: <tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>')
    [Call(name='add', arguments={'a': 1})]
    """
    calls = call_values(text)
    if not 1 <= len(calls) <= MAX_CALLS:
        raise JsonError(f"there must be 1 to {MAX_CALLS} calls, not {len(calls)}")
    return [_call(call) for call in calls]


def bfcl_calls(ground_truth: Sequence[Mapping[str, Mapping[str, Sequence[Json]]]]) -> list[Call]:
    """Return the wanted calls of a row of the Berkeley Function-Calling Leaderboard, for ``possible=True``.

    Source: its possible-answer files, ``{"ground_truth": [{name: {argument: [accepted values]}}]}``.

    >>> bfcl_calls([{"area": {"base": [10], "unit": ["cm", ""]}}])
    [Call(name='area', arguments={'base': [10], 'unit': ['cm', '']})]
    """
    return [Call(name, arguments) for row in ground_truth for name, arguments in row.items()]


class _Rules(NamedTuple):
    possible: bool
    loose: bool
    defaults: Mapping[str, Mapping[str, Json]]

    def same(self, value: Json, wanted: Json) -> bool:
        if self.loose and isinstance(value, str) and isinstance(wanted, str):
            return value.casefold().translate(_UNSEEN) == wanted.casefold().translate(_UNSEEN)
        if isinstance(value, list) and isinstance(wanted, list):
            return len(value) == len(wanted) and all(map(self.same, value, wanted))
        if isinstance(value, dict) and isinstance(wanted, dict):
            if self.possible:
                return not self.problem(value, wanted, {})
            return value.keys() == wanted.keys() and all(self.same(value[key], wanted[key]) for key in wanted)
        return equal_json(value, wanted)

    def fits(self, value: Json, wanted: Json) -> bool:
        return any(self.same(value, option) for option in wanted) if self.possible else self.same(value, wanted)

    def problem(self, given: Mapping[str, Json], wanted: Mapping[str, Json], defaults: Mapping[str, Json]) -> str:
        """Return what is wrong with the arguments; empty if nothing is."""
        for name in wanted:
            if name in given or name in defaults:
                if not self.fits(given[name] if name in given else defaults[name], wanted[name]):
                    return f"the argument {name!r} is not right"
            elif not (self.possible and "" in wanted[name]):
                return f"the argument {name!r} is missing"
        for name, value in given.items():
            if name not in wanted and not (name in defaults and self.same(value, defaults[name])):
                return f"the argument {name[:60]!r} is not wanted"
        return ""

    def call_problem(self, call: Call, wanted: Call) -> str:
        if call.name != wanted.name:
            return f"the function {call.name[:60]!r} is not the wanted one"
        return self.problem(call.arguments, wanted.arguments, self.defaults.get(call.name, {}))


def _wanted(gold: Mapping[str, Json] | Call | Sequence[Mapping[str, Json] | Call], possible: bool) -> list[Call]:
    golds = [gold] if isinstance(gold, Mapping | Call) else gold
    try:
        calls = [_call(plain_json(call._asdict() if isinstance(call, Call) else call)) for call in golds]
    except JsonError as error:
        raise GoldError(f"the wanted call {str(gold)[:200]} cannot be used: {error}") from error
    if not calls or (possible and not all(_lists(call.arguments) for call in calls)):
        raise GoldError(f"the wanted call {str(gold)[:200]} cannot be used: with possible=True, each argument of each "
                        "of one or more calls has a list of accepted values")  # fmt: skip
    return calls


def _lists(arguments: Mapping[str, Json]) -> bool:
    """Return whether each argument, and each key of an object among its values, has a list of values."""
    for options in arguments.values():
        if not isinstance(options, list) or not options:
            return False
        inner = list(options)
        for option in inner:
            if isinstance(option, list):
                inner.extend(option)
            elif isinstance(option, dict) and not _lists(option):
                return False
    return True


def verify_call(
    text: str,
    gold: Mapping[str, Json] | Call | Sequence[Mapping[str, Json] | Call],
    *,
    possible: bool = False,
    defaults: Mapping[str, Mapping[str, Json]] | None = None,
    ordered: bool = False,
    loose: bool = False,
) -> Verdict:
    """Judge whether a text makes the wanted function call, or all of several.

    Args:
        text: The message, as `read_calls` reads it; all calls in it count.
        gold: The wanted call or calls.
        possible: ``gold`` gives for each argument a list of accepted values, where ``""`` means that it may be left
            out; within an accepted object too, each key has such a list.
        defaults: By function and argument, the value of an argument left out.
        ordered: Several calls must come in this order.
        loose: Strings are compared without case and without any of `` ,./-_*^`` (as BFCL does).

    Raises:
        GoldError: The wanted call cannot be used.

    >>> verify_call('{"name": "add", "arguments": {"b": 2.0, "a": 1}}', Call("add", {"a": 1, "b": 2})).correct
    True
    >>> verify_call('{"name": "add", "arguments": {"a": 1}}', Call("add", {"a": 1, "b": 2})).reason
    "the argument 'b' is missing"
    """
    wanted = _wanted(gold, possible)
    try:
        calls = read_calls(text)
    except JsonError as error:
        return wrong(str(error))
    rules = _Rules(possible, loose, plain_json(defaults or {}))
    if len(calls) != len(wanted):
        return wrong(f"{len(calls)} calls are made; {len(wanted)} are wanted", calls)
    if ordered or len(calls) == 1:
        problems = [rules.call_problem(call, other) for call, other in zip(calls, wanted, strict=True)]
    else:
        partners = paired_off(calls, wanted, lambda call, other: not rules.call_problem(call, other))
        problems = ["" if partner is not None else "it is not among the wanted ones" for partner in partners]
    for i, problem in enumerate(problems):
        if problem:
            return wrong(problem if len(calls) == 1 else f"call {i + 1}: {problem}", calls)
    return right(calls)
