"""Check JSON from a model against a JSON Schema, in bounded time and without the network.

`jsonschema` does the checking; the parts that a hostile value could make slow are our own: patterns, unique items, and
a bound on the number of keywords checked. Source: JSON Schema Draft 2020-12.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import Any

from turnwise.core.errors import MissingDependencyError
from turnwise.verifiers.regex.language import RegexError, RegexTooLarge, matches
from turnwise.verifiers.regex.syntax import parse
from turnwise.verifiers.structured.json_message import read_json_message
from turnwise.verifiers.structured.json_values import Json, JsonError, frozen, read_json, shown_path
from turnwise.verifiers.verdict import Verdict, right, undecided, wrong

__all__ = ["SchemaError", "verify_schema"]

MAX_WORK = 15_000  # keywords checked: about an eighth of a second
MAX_SHOWN = 3  # problems named in a reason
FORMATS = ("date", "email", "ipv4", "ipv6", "uuid")


class SchemaError(ValueError):
    """A schema that cannot be used."""


class _TooMuch(Exception):
    """The bound on the work was reached."""


_work: ContextVar[list[int]] = ContextVar("_work")


def verify_schema(
    text: str,
    schema: Mapping[str, Json] | bool,
    *,
    formats: Sequence[str] = (),
    backtracking_chars: int = 0,
    alone: bool = False,
) -> Verdict:
    r"""Judge whether a text is JSON that a JSON Schema allows; the verdict's value is what was read.

    References are followed within the schema and to the published metaschemas, never over the network. Patterns are
    matched in linear time by `turnwise.verifiers.regex.language`, with ECMAScript's meaning of ``$ \d \w``.

    Args:
        text: A message with a JSON value, as `read_json_message` reads it.
        schema: Draft 2020-12, or the draft that its ``$schema`` names.
        formats: Values of ``format`` to check, any of ``date email ipv4 ipv6 uuid``; none by default, as in the
            specification.
        backtracking_chars: Strings up to this length, in characters, meet patterns that only Python's ``re`` can
            match (with lookaround, say), in time that may grow exponentially with it; longer ones are undecided.
        alone: The value must be alone, or in one fence, with no words around it.

    Raises:
        SchemaError: The schema cannot be used.
        MissingDependencyError: The extra ``schema`` is not installed.

    >>> verify_schema('{"n": "7"}', {"properties": {"n": {"type": "integer"}}}).reason
    "$.n: '7' is not of type 'integer'"
    """
    check = _checker(json.dumps(schema, sort_keys=True), tuple(formats), backtracking_chars)
    try:
        value = read_json(text) if alone else read_json_message(text)
    except JsonError as error:
        return wrong(str(error))
    token = _work.set([MAX_WORK])
    try:
        problems = list(islice(check(value), MAX_SHOWN))
    except _TooMuch as error:
        return undecided(str(error), value)
    finally:
        _work.reset(token)
    return wrong("; ".join(problems), value) if problems else right(value)


@lru_cache(maxsize=64)
def _checker(schema_text: str, formats: tuple[str, ...], backtracking_chars: int) -> Callable[[Json], Iterator[str]]:
    """Return a function from a value to descriptions of its problems."""
    try:
        import jsonschema
        from jsonschema_specifications import REGISTRY
        from referencing.exceptions import Unresolvable
    except ImportError as error:
        raise MissingDependencyError.of("jsonschema", "schema") from error
    if unknown := [name for name in formats if name not in FORMATS]:
        raise SchemaError(f"formats has {unknown[0]!r}; it takes {', '.join(FORMATS)}")
    schema = json.loads(schema_text)
    if {"patternProperties", "unevaluatedProperties"} <= set(_names(schema)):  # jsonschema uses `re` itself for these
        raise SchemaError("a schema with both patternProperties and unevaluatedProperties cannot be used")
    draft = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        draft.check_schema(schema)
    except jsonschema.SchemaError as error:
        raise SchemaError(f"the schema {schema_text[:200]} cannot be used: {error.message[:200]}") from error

    def found(pattern: str, string: str) -> bool:
        problem = _beyond_us(pattern)
        if not problem:
            try:
                return matches(pattern, string, mode="search")
            except RegexTooLarge as error:
                raise _TooMuch(f"a string of {len(string)} characters is too long for {pattern!r}") from error
        if not backtracking_chars:
            raise SchemaError(f"the pattern {pattern!r} cannot be used: {problem}")
        if len(string) > backtracking_chars:
            raise _TooMuch(f"a string is longer than the {backtracking_chars} characters that {pattern!r} may meet")
        return re.search(pattern, string) is not None

    def checked_pattern(validator: Any, pattern: str, instance: Json, _schema: Json) -> Iterator[Any]:
        if isinstance(instance, str) and not found(pattern, instance):
            yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")

    def pattern_properties(validator: Any, patterns: Json, instance: Json, _schema: Json) -> Iterator[Any]:
        for pattern, part in patterns.items() if isinstance(instance, dict) else ():
            for key, value in instance.items():
                if found(pattern, key):
                    yield from validator.descend(value, part, path=key, schema_path=pattern)

    def additional_properties(validator: Any, part: Json, instance: Json, schema: Json) -> Iterator[Any]:
        if not isinstance(instance, dict):
            return
        known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        for key, value in instance.items():
            if key not in known and not any(found(pattern, key) for pattern in patterns):
                if part is False:
                    yield jsonschema.ValidationError(f"the key {key!r} is not allowed")
                else:
                    yield from validator.descend(value, part, path=key)

    own = {
        "pattern": checked_pattern,
        "patternProperties": pattern_properties,
        "additionalProperties": additional_properties,
        "uniqueItems": _unique_items,
        "multipleOf": _multiple_of,
    }
    keywords = {name: _counted(own.get(name, keyword)) for name, keyword in draft.VALIDATORS.items()}
    checker = jsonschema.FormatChecker(formats=formats) if formats else None
    validator = jsonschema.validators.extend(draft, keywords)(schema, registry=REGISTRY, format_checker=checker)

    def problems(value: Json) -> Iterator[str]:
        try:
            for error in validator.iter_errors(value):
                message = error.message if len(error.message) <= 200 else error.message[:200] + "..."
                yield f"{shown_path(error.absolute_path)}: {message}"
        except (Unresolvable, RecursionError) as error:
            raise SchemaError(f"the schema {schema_text[:200]} cannot be used: {error}") from error

    return problems


@lru_cache(maxsize=256)
def _beyond_us(pattern: str) -> str:
    """Return why `matches` cannot read a pattern; empty if it can."""
    try:
        parse(pattern)
    except RegexError as error:
        return str(error)
    return ""


def _names(schema: Json) -> Iterator[str]:
    for key, part in schema.items() if isinstance(schema, dict) else ():
        yield key
        yield from _names(part)
    for part in schema if isinstance(schema, list) else ():
        yield from _names(part)


def _counted(keyword: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    def counted(validator: Any, value: Json, instance: Json, schema: Json) -> Iterator[Any]:
        left = _work.get()
        left[0] -= 1
        if left[0] < 0:
            raise _TooMuch("the value takes more work to check than is allowed")
        yield from keyword(validator, value, instance, schema) or ()

    return counted


def _unique_items(validator: Any, wanted: Json, instance: Json, _schema: Json) -> Iterator[Any]:
    """Check unique items in linear time, unlike `jsonschema`'s own check for objects."""
    if wanted and isinstance(instance, list) and len({frozen(item) for item in instance}) < len(instance):
        from jsonschema import ValidationError

        yield ValidationError("the items are not all different")


def _multiple_of(validator: Any, unit: Json, instance: Json, _schema: Json) -> Iterator[Any]:
    """Check multiples by the numbers as written: 0.3 is a multiple of 0.1."""
    number = isinstance(instance, int | float) and not isinstance(instance, bool)
    if number and Fraction(repr(instance)) % Fraction(repr(unit)):
        from jsonschema import ValidationError

        yield ValidationError(f"{instance} is not a multiple of {unit}")
