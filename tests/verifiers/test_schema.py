"""JSON from models: read strictly, compared as JSON, held against schemas and wanted calls."""

import doctest
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests._work import at_most
from turnwise.core.errors import MissingDependencyError
from turnwise.verifiers.structured import calls, json_values, schema
from turnwise.verifiers.structured.calls import Call, bfcl_calls, verify_call
from turnwise.verifiers.structured.json_values import GoldError, JsonError, equal_json, read_json, verify_json
from turnwise.verifiers.structured.schema import SchemaError, verify_schema

NUMBERS = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)
SMALL = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, 2, "", "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)


@pytest.mark.parametrize("module", [json_values, schema, calls], ids=lambda m: m.__name__)
def test_doctests(module) -> None:
    assert doctest.testmod(module).failed == 0


# ---- reading ------------------------------------------------------------------------------------------------------


@given(
    VALUES,
    st.sampled_from(["{}", " \n{}\t", "```json\n{}\n```", "```\n{}\n```"]),
    st.sampled_from([None, 2]),
    st.booleans(),
)
def test_what_json_writes_is_read(value, frame, indent, ascii_only) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert repr(read_json(frame.replace("{}", text))) == repr(value)
    assert verify_json(text, value).correct


@given(
    st.text('{}[]",:0123456789.eE+-truefalsn\\u \n', max_size=20) | VALUES.map(json.dumps).map(lambda text: text[:-1])
)
def test_what_is_read_is_what_json_reads(text) -> None:
    try:
        value = read_json(text)
    except JsonError:
        value = None
    try:
        theirs = json.loads(text)
        if value is None and theirs is not None:  # stricter on purpose
            assert text.count('"') >= 4 or "NaN" in text or "Infinity" in text or "e" in text.lower()
        else:
            assert repr(value) == repr(theirs)
    except ValueError:
        assert value is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1, "a": 1}', "'a' is given twice"),
        ('[{"b": {"x": 1, "x": 2}}]', "'x' is given twice"),
        ("NaN", "NaN"),
        ("[-Infinity]", "Infinity"),
        ("1e999", "too large"),
        ("1 2", "Extra data"),
        ('{"a": 1} is it', "Extra data"),
        ("", "empty"),
        ("```json\n```", "empty"),
        ("here: 1", "not JSON"),
        ("{'a': 1}", "not JSON"),
        ("[1,]", "not JSON"),
        ("// x\n1", "not JSON"),
        ('"\n"', "not JSON"),
        ("01", "Extra data"),
        ("9" * 401, "digits"),
        ("0." + "9" * 400, "digits"),
        ("[" * 65 + "]" * 65, "deeper"),
        ("[" * 90_000, "deeper"),
        ('{"a":' * 16_000, "deeper"),
        ('"' + "x" * 100_000 + '"', "longer"),
        ('"\\', "not JSON"),
        ("\ufeff1", "not JSON"),
        ("{" + '"\\"' * 20_000, "not JSON"),
        ("1" + "0" * 90_000, "digits"),
        ('"' * 99_999, "not JSON"),
        ("True", "not JSON"),
        ("```json\n1\n```\n```json\n1\n```", "not JSON"),
    ],
)
def test_what_is_no_json_is_refused_at_once(text, reason) -> None:
    with at_most(millions=4):
        verdict = verify_json(text, [1], alone=True)
        assert not verify_json(text, [1]).correct
    assert not verdict.correct and not verdict.readable
    assert reason in verdict.reason


def test_brackets_in_strings_are_no_nesting() -> None:
    text = json.dumps(["[" * 100, '\\"[{' * 50])
    assert read_json(text) == json.loads(text)
    assert read_json("[" * 64 + "]" * 64)


@given(st.text())
def test_no_text_raises(text) -> None:
    for verdict in (verify_json(text, ["no"]), verify_schema(text, {"const": "no"}), verify_call(text, Call("f", {}))):
        assert not verdict.correct


# ---- equality -----------------------------------------------------------------------------------------------------


def canonical(value) -> object:
    if isinstance(value, dict):
        return {key: canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return [canonical(item) for item in value]
    return (isinstance(value, bool), value)


@given(SMALL, SMALL, st.randoms())
def test_equality_is_that_of_json(value, other, random) -> None:
    same = canonical(value) == canonical(other)
    assert verify_json(json.dumps(value), other).correct == equal_json(value, other) == same
    assert not same or verify_json(json.dumps(value), other, unordered=True).correct

    def mixed(value):
        if isinstance(value, dict):
            keys = random.sample(list(value), len(value))
            return {key: mixed(value[key]) for key in keys}
        return [mixed(item) for item in random.sample(value, len(value))] if isinstance(value, list) else value

    assert verify_json(json.dumps(mixed(value)), value, unordered=True).correct
    assert verify_json(json.dumps(mixed(value)), value, unordered=True, subset=True).correct


@pytest.mark.parametrize(
    ("text", "gold", "settings", "reason"),
    [
        ("1.0", 1, {}, ""),
        ("true", 1, {}, "$ is a truth value, not a number"),
        ("1", True, {}, "$ is a number, not a truth value"),
        ('"1"', 1, {}, "$ is a string, not a number"),
        ("null", 0, {}, "$ is null, not a number"),
        ("0", False, {}, "a truth value"),
        ("9007199254740993", 9007199254740992, {}, "$ is not right"),
        ("1e2", 100, {}, ""),
        ("-0.0", 0, {}, ""),
        ('{"a": {"b c": [1, 2]}}', {"a": {"b c": [1, 3]}}, {}, "$.a['b c'][1] is not right"),
        ("[2, 1]", [1, 2], {}, "$[0] is not right"),
        ("[2, 1]", [1, 2], {"unordered": True}, ""),
        ("[1, 1, 2]", [1, 2, 2], {"unordered": True}, "$[1] is not among the wanted items"),
        ("[1]", [1, 1], {"unordered": True}, "has 1 items, not 2"),
        ('{"a": 1, "b": 2}', {"a": 1}, {}, "$.b is not wanted"),
        ('{"a": 1, "b": 2}', {"a": 1}, {"subset": True}, ""),
        ('{"b": 2}', {"a": 1}, {"subset": True}, "$.a is missing"),
        ('[{"a": 1, "b": 2}, {"a": 1}]', [{"a": 1}, {"b": 2}], {"subset": True, "unordered": True}, ""),
        ('[{"a": 1}, {"a": 1}]', [{"a": 1}, {"b": 2}], {"subset": True, "unordered": True}, "$[1] is not among"),
        ("[[2, 1], [3]]", [[3], [1, 2]], {"unordered": True}, ""),
        ("{}", [], {}, "$ is an object, not an array"),
    ],
)
def test_comparisons(text, gold, settings, reason) -> None:
    verdict = verify_json(text, gold, **settings)
    assert verdict.correct == (not reason)
    assert reason in verdict.reason


def test_golds_that_are_no_json_raise() -> None:
    for gold in (float("nan"), {1, 2}, object()):
        with pytest.raises(GoldError, match="not JSON"):
            verify_json("1", gold)


@pytest.mark.parametrize("subset", [False, True])
def test_hostile_arrays_are_compared_at_once(subset) -> None:
    numbers = [k * (2**61 - 1) for k in range(4000)]  # Python hashes all of these to 0
    gold = [{"a": number} for number in numbers]
    with at_most(millions=6):
        verdict = verify_json(json.dumps(gold[::-1])[:-1] + "]", gold, unordered=True, subset=subset)
    assert verdict.correct or verdict.undecided or "longer" in verdict.reason
    few = json.dumps(gold[1500::-1])
    assert verify_json(few, gold[:1501], unordered=True).correct


# ---- schemas ------------------------------------------------------------------------------------------------------

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "pattern": "^[A-Z][a-z]*$"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
    "additionalProperties": False,
}
TREE = {"$ref": "#/$defs/tree", "$defs": {"tree": {"anyOf": [
    {"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/tree"}},
    {"type": "array", "items": {"$ref": "#/$defs/tree"}, "minItems": 2},
]}}}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "wanted", "reason"),
    [
        ('{"name": "Ann", "age": 3}', PERSON, ""),
        ('{"name": "Ann", "age": 3.0}', PERSON, ""),
        ('{"age": 3}', PERSON, "'name' is a required"),
        ('{"name": "ann"}', PERSON, "$.name: 'ann' does not match"),
        ('{"name": "Ann\\n"}', PERSON, "does not match"),
        ('{"name": "Ann", "x": 1}', PERSON, "'x' is not allowed"),
        ('{"name": "Ann", "age": true}', PERSON, "$.age"),
        ("[1, [2, []]]", TREE, ""),
        ('[1, [2, ["x"]]]', TREE, "is not valid under any"),
        ("0.3", {"multipleOf": 0.1}, ""),
        ("0.35", {"multipleOf": 0.1}, "not a multiple"),
        ("7", {"multipleOf": 2}, "not a multiple"),
        ("1e300", {"multipleOf": 0.5}, ""),
        ("[1, 1.0]", {"uniqueItems": True}, "not all different"),
        ("[1, true, {}, []]", {"uniqueItems": True}, ""),
        ('[{"a": [1]}, {"a": [1]}]', {"uniqueItems": True}, "not all different"),
        ("[1, 1]", {"uniqueItems": False}, ""),
        ('{"x_1": "a"}', {"patternProperties": {"^x_": {"type": "integer"}}}, "$.x_1"),
        ("1", True, ""),
        ("1", False, "not allow"),
        (
            '{"x_1": 1, "y": 1}',
            {"patternProperties": {"^x_": {}}, "additionalProperties": {"type": "string"}},
            "$.y: 1 is not",
        ),
        ("1", {"$ref": "https://json-schema.org/draft/2020-12/schema"}, "$: 1 is not"),
        ('{"a": 1}', {"propertyNames": {"pattern": "b"}}, "'a'"),
        ("[1]", {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]}, "$[0]"),
        ('"2024-13-45"', {"format": "date"}, ""),
        ('"x"', {"const": "y"}, "'y' was expected"),
        ("[1, 2]", {"contains": {"const": 3}}, "contain"),
    ],
)
def test_schemas(text, wanted, reason) -> None:
    verdict = verify_schema(text, wanted)
    assert verdict.correct == (not reason), verdict.reason
    assert reason in verdict.reason


def test_formats_are_checked_where_asked() -> None:
    assert not verify_schema('"2024-13-45"', {"format": "date"}, formats=["date"]).correct
    assert verify_schema('"2024-12-31"', {"format": "date"}, formats=["date"]).correct
    with pytest.raises(SchemaError, match="regex"):
        verify_schema('"x"', {"format": "regex"}, formats=["regex"])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (json.dumps("a" * 90_000 + "!"), {"pattern": "^(a+)+$"}),
        (json.dumps("a" * 90_000), {"pattern": "(.*)(.*)(.*)(.*)x"}),
        (json.dumps({"a" * 90_000: 1}), {"patternProperties": {"^(a|a)*$": False}}),
        ("[" * 62 + "[1,[true]]" + "]" * 62, TREE),
        ("[" * 30 + "'" + "]" * 30, TREE),
        ("[" * 60 + '"x"' + "]" * 60, TREE),
        (json.dumps([{"a": i} for i in range(8000)] + [{"a": 0}]), {"uniqueItems": True}),
        (json.dumps([k * (2**61 - 1) for k in range(4000)] + [0]), {"uniqueItems": True}),
        (json.dumps([[0]] * 20_000), {"items": {"anyOf": [{"type": "string"}, {"items": {"type": "string"}}]}}),
        (json.dumps(["x"] * 20_000), {"items": {"type": "integer"}, "contains": {"const": 1}}),
        ("1e-300", {"multipleOf": 7}),
        (json.dumps("a" * 60_000), {"pattern": "[ab]*a[ab]{500}b"}),
    ],
    ids=range(12),
)
def test_hostile_values_are_checked_at_once(text, wanted) -> None:
    verify_schema("null", wanted)
    with at_most(millions=12):
        assert not verify_schema(text, wanted).correct


@pytest.mark.parametrize(
    "wanted",
    [
        {"type": "nothing"},
        {"$ref": "https://example.org/schema"},
        {"$ref": "#/$defs/none"},
        {"pattern": "(?=a)b"},
        {"pattern": "("},
        {"$ref": "#"},
        {"patternProperties": {"a": {}}, "unevaluatedProperties": False},
        {"pattern": "a{5000}"},
        {"$ref": "file:///etc/passwd"},
    ],
    ids=str,
)
def test_schemas_that_cannot_be_used_raise(wanted) -> None:
    with pytest.raises(SchemaError, match="cannot be used"):
        verify_schema('"aaa"', wanted)


def test_patterns_beyond_the_engine_meet_short_strings_alone() -> None:
    wanted = {"pattern": "^(?=.*[0-9])[a-z0-9]+$"}
    assert verify_schema('"abc1"', wanted, backtracking_chars=20).correct
    assert not verify_schema('"abc"', wanted, backtracking_chars=20).correct
    assert verify_schema(json.dumps("a1" * 20), wanted, backtracking_chars=20).undecided


def test_without_the_package_the_extra_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    with pytest.raises(MissingDependencyError, match=r"turnwise\[schema\]"):
        verify_schema("1", {"title": "not seen before"})


# ---- messages -----------------------------------------------------------------------------------------------------

PERSON = {"name": "Ann", "age": 3, "tags": ["a", "b"]}
TEXT = json.dumps(PERSON)
WRONG = TEXT.replace("3", "4")
WITH_JSON = [
    TEXT, f" {TEXT}", f"Sure! Here is the JSON:\n\n```json\n{TEXT}\n```\nLet me know!", f"The answer is {TEXT}.",
    f"<think>{WRONG}?</think>\n{TEXT}", f"{WRONG}?</think>```json\n{TEXT}\n```", f"<answer>{TEXT}</answer>",
    f"<answer>\n```json\n{TEXT}\n```\n</answer>", f"<answer>{TEXT}", f"```\n{TEXT}\n```\nAs stated in [1] and [2].",
    f"## Result\n\n- found in [3]\n\n{json.dumps(PERSON, indent=2)}\n\n**Done.**", f"结果如下：\n{TEXT}\n",
    f"```json\n{TEXT}\n```\nagain:\n```json\n{TEXT}\n```", f"I first thought {WRONG}, but\n```json\n{TEXT}\n```",
    f"```json\n{TEXT}", f"   ```json\n   {TEXT}\n   ```", f"Use `{TEXT}`",
    f"```python\nx = 1\n```\n```json\n{TEXT}\n```",
    f"JSON: {TEXT} {{see above}}", f"<answer>Here it is: {TEXT}</answer> and {WRONG}",
]  # fmt: skip
WITHOUT_JSON = [
    f"{TEXT} or {WRONG}", f"```json\n{TEXT}\n```\n```json\n{WRONG}\n```",
    f"<answer>{TEXT}</answer><answer>{WRONG}</answer>",
    f"```\n{TEXT}\n```\nor\n```\n{WRONG}\n```", f"<think>{TEXT}", f"<think>{TEXT}</think>", TEXT[:-1],
    f"So: {TEXT[:-1]}",
    f'{{"first": {TEXT}, "second": {WRONG}}}', f"[{TEXT}, {WRONG}]", f"// {TEXT}\n{WRONG}", WRONG, f"It is {WRONG}.",
    f"```json\n{TEXT}\n{WRONG}\n```", "name: Ann, age: 3", "```json\n{'name': 'Ann'}\n```", f"{TEXT}\n" * 70,
    TEXT.replace("{", '{"name": "Bob", '), f"```json\n{TEXT[:-1]}\n```\n{TEXT}", f"<answer>{TEXT} or {WRONG}</answer>",
    f"{{{TEXT}}}", f"It is {{'x': {TEXT}}}",
]  # fmt: skip


@pytest.mark.parametrize("message", WITH_JSON)
def test_json_among_words_is_read(message) -> None:
    assert verify_json(message, PERSON).correct
    assert verify_schema(message, {"const": PERSON}).correct
    assert not verify_json(message, PERSON, alone=True).correct or message.strip()[0] in "{`"


@pytest.mark.parametrize("message", WITHOUT_JSON)
def test_what_offers_two_values_or_none_is_refused(message) -> None:
    assert not verify_json(message, PERSON).correct or message == f"{TEXT}\n" * 70
    assert not verify_schema(message, {"const": PERSON}).correct or message == f"{TEXT}\n" * 70


@pytest.mark.parametrize(
    "part", ["{", "[", "{} ", "{[", '{"a', "```json\n{}\n```\n", "```\n", "<answer>{", "[1] ", '{"']
)
def test_long_messages_with_json_are_read_at_once(part) -> None:
    with at_most(millions=12):
        assert not verify_json(part * (100_000 // len(part)), PERSON).correct
        assert not verify_call(part * (100_000 // len(part)), WEATHER).correct


# ---- calls --------------------------------------------------------------------------------------------------------

WEATHER = {"name": "weather", "arguments": {"city": "Oslo", "days": 3}}
POSSIBLE = bfcl_calls(
    [
        {
            "weather": {
                "city": ["Oslo", "Oslo, Norway"],
                "days": [3],
                "unit": ["celsius", ""],
                "at": [{"h": [7], "m": [0, ""]}, ""],
            }
        }
    ]
)


@pytest.mark.parametrize(
    ("text", "gold", "settings", "reason"),
    [
        ('{"name": "weather", "arguments": {"days": 3.0, "city": "Oslo"}}', WEATHER, {}, ""),
        ('{"name": "weather", "parameters": {"days": 3, "city": "Oslo"}}', WEATHER, {}, ""),
        ('[{"name": "weather", "arguments": {"days": 3, "city": "Oslo"}}]', WEATHER, {}, ""),
        (
            json.dumps(
                {"type": "function", "id": "1", "function": {**WEATHER, "arguments": '{"city": "Oslo", "days": 3}'}}
            ),
            WEATHER,
            {},
            "",
        ),
        ('{"name": "weather", "arguments": {"city": "Oslo", "days": "3"}}', WEATHER, {}, "'days' is not right"),
        ('{"name": "weather", "arguments": {"city": "Oslo"}}', WEATHER, {}, "'days' is missing"),
        ('{"name": "weather", "arguments": {"city": "Oslo"}}', WEATHER, {"defaults": {"weather": {"days": 3}}}, ""),
        (
            '{"name": "weather", "arguments": {"city": "Oslo"}}',
            WEATHER,
            {"defaults": {"weather": {"days": 4}}},
            "not right",
        ),
        ('{"name": "weather", "arguments": {"city": "Oslo", "days": 3, "x": 1}}', WEATHER, {}, "'x' is not wanted"),
        (
            '{"name": "weather", "arguments": {"city": "Oslo", "days": 3, "x": 1}}',
            WEATHER,
            {"defaults": {"weather": {"x": 1}}},
            "",
        ),
        ('{"name": "Weather", "arguments": {"city": "Oslo", "days": 3}}', WEATHER, {}, "the function 'Weather'"),
        ('{"name": "weather", "arguments": {"city": "oslo", "days": 3}}', WEATHER, {}, "'city' is not right"),
        ('{"name": "weather", "arguments": {"city": "O-SLO.", "days": 3}}', WEATHER, {"loose": True}, ""),
        ('{"name": "weather", "arguments": {"city": "Oslo, Norway", "days": 3}}', POSSIBLE, {"possible": True}, ""),
        (
            '{"name": "weather", "arguments": {"city": "Oslo", "days": 3, "unit": "kelvin"}}',
            POSSIBLE,
            {"possible": True},
            "'unit'",
        ),
        (
            '{"name": "weather", "arguments": {"city": "Oslo", "days": 3, "at": {"h": 7}}}',
            POSSIBLE,
            {"possible": True},
            "",
        ),
        (
            '{"name": "weather", "arguments": {"city": "Oslo", "days": 3, "at": {"m": 0}}}',
            POSSIBLE,
            {"possible": True},
            "'at'",
        ),
        ('{"name": "weather", "arguments": {"city": "Oslo"}}', POSSIBLE, {"possible": True}, "'days' is missing"),
        ("[]", WEATHER, {}, "1 to 64 calls"),
        ('{"name": 1}', WEATHER, {}, "must be an object"),
        ("[[]]", WEATHER, {}, "must be an object"),
        ('{"name": "weather", "arguments": [1]}', WEATHER, {}, "must be an object"),
        ('{"name": "w", "code": 1}', WEATHER, {}, "unknown keys"),
        ('{"name": "w", "arguments": "{"}', WEATHER, {}, "not JSON"),
        ('weather(city="Oslo")', WEATHER, {}, "'days' is missing"),
        ('weather("Oslo", days=3)', WEATHER, {}, "not JSON"),
        ('{"name": "weather", "arguments": {"city": "Oslo"}, "parameters": {"days": 3}}', WEATHER, {}, "unknown keys"),
        ('{"id": 1, "function": {"name": "w"}, "x": 1}', WEATHER, {}, "unknown keys"),
    ],
)
def test_calls(text, gold, settings, reason) -> None:
    verdict = verify_call(text, gold, **settings)
    assert verdict.correct == (not reason), verdict.reason
    assert reason in verdict.reason


CALL = json.dumps(WEATHER)
PYTHON = 'weather(city="Oslo", days=3)'


@pytest.mark.parametrize(
    "message",
    [
        f"<tool_call>\n{CALL}\n</tool_call>", f"I look it up.\n<tool_call>{CALL}</tool_call>",
        f"```json\n{CALL}\n```\nDone.",
        f"<think>f(x=1)</think>{CALL}", f"The call is {CALL}.", PYTHON, f"[{PYTHON}]",
        f"```python\n        {PYTHON}\n```\nIt calls",
        f"Sure:\n```\n[{PYTHON}]\n```", f"`{PYTHON}`", "[weather(city='Oslo', days=3),]",
        f"<answer>[{PYTHON}]</answer>",
        "<tool_call>{'name': 'weather', 'arguments': {'city': 'Oslo', 'days': 3}}</tool_call>",
        f"<tool_call>[{CALL}]</tool_call>",
    ],
)  # fmt: skip
def test_calls_in_messages(message) -> None:
    verdict = verify_call(message, WEATHER)
    assert verdict.correct, verdict.reason
    assert not verify_call(f"{message}\n{message}", WEATHER).correct or "<think>" in message or "<answer>" in message
    assert not verify_call(message.replace("3", "4"), WEATHER).correct


@pytest.mark.parametrize(
    "message",
    [
        f"{PYTHON} or {PYTHON.replace('3', '4')}", f"[{PYTHON}, {PYTHON.replace('3', '4')}]", "weather('Oslo', 3)",
        f"```python\n{PYTHON}\n```\n```python\n{PYTHON.replace('3', '4')}\n```",
        "weather(**{'city': 'Oslo', 'days': 3})",
        f"<tool_call>{CALL}</tool_call><tool_call>{CALL.replace('3', '4')}</tool_call>", f"<tool_call>{CALL}",
        f"print({PYTHON})", "weather(city='Os' + 'lo', days=3)", "weather(city='Oslo', days=1 + 2)", f"# {PYTHON}",
        "weather(city='Oslo', days=len('abc'))", f"x = {PYTHON}", f"<think>{CALL}",
        f"<answer>{CALL}</answer><answer>x</answer>",
        "weather(city='Oslo', days=3, days=3)", f"if True: {PYTHON}", "weather.get(city='Oslo', days=3)",
        "(lambda: 0)(city='Oslo', days=3)", "weather()(city='Oslo', days=3)", "weather(city='Oslo', days=3j)",
    ],
)  # fmt: skip
def test_other_messages_make_another_call_or_none(message) -> None:
    assert not verify_call(message, WEATHER).correct


def test_parallel_calls_in_messages() -> None:
    golds = [Call("add", {"a": 1}), Call("math.add", {"a": [-2, None, True], "b": {"c": 1.5}})]
    python = "add(a=1)", "math.add(a=[-2, None, True], b={'c': 1.5})"
    for message in (
        f"[{', '.join(python)}]",
        "\n".join(python),
        f"```python\n{python[0]}\n```\n```python\n{python[1]}\n```",
    ):
        assert verify_call(message, golds).correct


def test_several_calls() -> None:
    golds = [Call("add", {"a": 1}), Call("add", {"a": 2})]
    both = '[{"name": "add", "arguments": {"a": 2}}, {"name": "add", "arguments": {"a": 1}}]'
    assert verify_call(both, golds).correct
    assert "call 1" in verify_call(both, golds, ordered=True).reason
    assert "2 calls are made; 1 are wanted" in verify_call(both, golds[0]).reason
    twice = both.replace("1", "2")
    assert "call 2: it is not among" in verify_call(twice, golds).reason
    either = bfcl_calls([{"add": {"a": [1, 2]}}, {"add": {"a": [2]}}])
    assert verify_call(both, either, possible=True).correct


@pytest.mark.parametrize(
    ("gold", "possible"),
    [
        ([], False),
        ({"arguments": {}}, False),
        (Call("f", {"a": 1}), True),
        (Call("f", {"a": []}), True),
        (Call("f", {"a": {1}}), False),
        (Call("f", {"a": [[{"b": 1}]]}), True),
    ],
)
def test_wanted_calls_that_cannot_be_used_raise(gold, possible) -> None:
    with pytest.raises(GoldError):
        verify_call('{"name": "f", "arguments": {"a": [{"b": 1}]}}', gold, possible=possible)
