"""What a class may declare as a setting, what fits it, and the one sentence that refuses what does not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest

from turnwise.core.env import Env
from turnwise.core.errors import SettingsError
from turnwise.core.settings import (
    REQUIRED,
    Range,
    Setting,
    check,
    check_all,
    check_arguments,
    check_names,
    named_settings,
    settings_of,
)


@dataclass(frozen=True, slots=True)
class Plain:
    """A dataclass with settings."""

    envs: tuple[str, ...]
    size: Annotated[int, Range(2, 12)] = 5
    """Rows of
    the grid."""
    seconds: Annotated[float, Range(above=0)] | None = None
    """Seconds."""
    mode: Literal["fast", "slow"] = "slow"
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_all(self)


class Toy(Env[Any]):
    size: Annotated[int, Range(2, 12)] = 5
    """Rows."""
    share: float = 0.5
    """A share."""


class Child(Toy):
    size = 7
    share: Annotated[float, Range(0, 1)] = 0.1
    more: bool = False
    """More of it."""


def function(model: str, *, top: Annotated[int, Range(1)] = 3, **others: int) -> None:
    """A function with settings."""


def test_one_form_for_dataclasses_environments_and_functions() -> None:
    plain = settings_of(Plain)
    assert [setting.name for setting in plain] == ["envs", "size", "seconds", "mode", "weights"]
    assert plain[0].default is REQUIRED
    assert plain[1] == Setting("size", int, 5, Range(2, 12))
    assert plain[2] == Setting("seconds", float | None, None, Range(above=0))
    assert plain[4].default == {}
    assert [setting.doc for setting in plain] == ["", "Rows of the grid.", "Seconds.", "", ""]
    top = named_settings(function)["top"]
    assert list(named_settings(function)) == ["model", "top"]
    assert top == Setting("top", int, 3, Range(1)) and top.doc == ""


def test_a_subclass_keeps_what_it_does_not_declare_again() -> None:
    child = named_settings(Child)
    assert list(child) == ["difficulty", "split", "max_turns", "render_mode", "wording", "size", "share", "more"]
    assert child["size"] == Setting("size", int, 7, Range(2, 12))
    assert child["share"] == Setting("share", float, 0.1, Range(0, 1))
    assert [child[name].doc for name in ("size", "share", "more")] == ["Rows.", "A share.", "More of it."]
    assert all(setting.doc for setting in settings_of(Toy))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"size": 13}, "size is 13; it must be from 2 to 12"),
        ({"size": "5"}, "size is '5'; it must be a whole number from 2 to 12"),
        ({"size": True}, "size is True; it must be a whole number from 2 to 12"),
        ({"seconds": 0}, "seconds is 0; it must be above 0 or None"),
        ({"seconds": float("nan")}, "seconds is nan; it must be above 0 or None"),
        ({"seconds": "1"}, "seconds is '1'; it must be a number above 0 or None"),
        ({"mode": "fats"}, "mode is 'fats' (did you mean 'fast'?); it must be 'fast' or 'slow'"),
        ({"weights": {"a": "b"}}, "weights is {'a': 'b'}; it must be a mapping"),
        ({"envs": ("a", 1)}, "envs is ('a', 1); it must be a tuple, each item a text"),
        ({"size": "5" * 1000}, f"size is '{'5' * 299}...; it must be a whole number from 2 to 12"),
    ],
)
def test_one_sentence_refuses(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError) as error:
        Plain(**{"envs": ("a",), **settings})
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("ends", "words", "inside", "outside"),
    [
        (Range(2, 12), "from 2 to 12", [2, 12, 2.5], [1, 12.1]),
        (Range(low=1), "at least 1", [1, 10**9], [0, float("nan")]),
        (Range(high=1), "at most 1", [1, -5], [1.5]),
        (Range(above=0, high=3), "above 0 and at most 3", [0.1, 3], [0, 3.5]),
        (Range(low=0, below=1), "at least 0 and below 1", [0, 0.9], [-1, 1]),
    ],
)
def test_ranges(ends: Range, words: str, inside: list[float], outside: list[float]) -> None:
    assert str(ends) == words
    assert all(value in ends for value in inside)
    assert not any(value in ends for value in outside)


@pytest.mark.parametrize("ends", [(), (9, 1), ("1", "9"), (None, None, 3, 2), (True, 3)])
def test_a_range_without_sense_is_refused(ends: tuple[Any, ...]) -> None:
    with pytest.raises(SettingsError, match="the lower one first"):
        Range(*ends)


def test_a_range_of_what_is_no_number_is_refused() -> None:
    with pytest.raises(SettingsError, match="mode has a range and is not a number; declare a choice by its type"):
        settings_of(dataclass(type("Bad", (), {"__annotations__": {"mode": Annotated[str, Range(1, 3)]}})))


def test_a_name_is_refused_with_the_nearest() -> None:
    check_names("Plain has no setting", ["size"], ["size"])
    with pytest.raises(SettingsError, match=r"^Plain has no setting 'sise' \(did you mean 'size'\?\)$"):
        check_names("Plain has no setting", ["sise"], ["size", "mode"])
    with pytest.raises(SettingsError, match=r"^Plain has no setting 'zz'; it has mode, size$"):
        check_names("Plain has no setting", ["zz"], ["size", "mode"])


def test_the_message_may_call_it_otherwise() -> None:
    with pytest.raises(SettingsError, match=r"^level 3: size is 1; it must be from 2 to 12$"):
        check("level 3: size", 1, named_settings(Plain)["size"])


def test_a_class_without_source_has_no_texts() -> None:
    made: dict[str, Any] = {"__name__": "typed_in"}
    exec("from dataclasses import dataclass\n@dataclass\nclass Typed:\n    size: int = 1\n    'Rows.'\n", made)
    assert [setting.doc for setting in settings_of(made["Typed"])] == [""]


def test_arguments_are_checked_by_the_signature() -> None:
    check_arguments(function, model="m", top=3)
    with pytest.raises(SettingsError, match=r"^top is 0; it must be at least 1$"):
        check_arguments(function, model="m", top=0)
