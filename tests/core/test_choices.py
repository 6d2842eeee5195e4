"""A setting that names something is refused when the environment is made, with the name that is nearest."""

import difflib
import typing
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import gymnasium
import pytest

import turnwise  # noqa: F401  (registers)
from turnwise.core.env import Env
from turnwise.core.errors import SettingsError
from turnwise.core.registration import env_class
from turnwise.core.settings import named_settings, settings_of
from turnwise.sandbox import SANDBOX_VARIABLE, check_sandbox
from turnwise.sandbox.client.named import BACKENDS

IDS = sorted(id for id in gymnasium.registry if id.startswith("turnwise/"))
CLASSES = {id: env_class(id) for id in IDS}


def takes_text(hint: Any) -> bool:
    """Whether any text at all is of the type; a ``Literal`` is refused by `Env` itself."""
    if typing.get_origin(hint) is Literal:
        return False
    return hint is str or any(takes_text(part) for part in typing.get_args(hint) if not takes_keys(hint))


def takes_keys(hint: Any) -> bool:
    origin = typing.get_origin(hint)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def named() -> Iterator[tuple[str, str]]:
    for id, cls in CLASSES.items():
        for name, hint in [(setting.name, setting.hint) for setting in settings_of(cls)]:
            if takes_text(hint) and name != "render_mode":  # gymnasium reads that one before
                yield id, name


@pytest.mark.parametrize(("id", "name"), list(named()))
def test_what_names_nothing_is_refused_when_it_is_made(id: str, name: str) -> None:
    with pytest.raises(SettingsError, match="zzqq"):
        gymnasium.make(id, **{name: "zzqq"})


def test_there_are_such_settings() -> None:
    found = set(named())
    assert ("turnwise/CodeRepair-v0", "sandbox") in found and ("turnwise/SearchQA-v0", "retriever") in found
    assert len(found) > 50


@pytest.mark.parametrize("id", [id for id in IDS if "sandbox" in named_settings(CLASSES[id])])
def test_a_sandbox_that_is_misspelt_is_refused_with_the_nearest(id: str) -> None:
    with pytest.raises(SettingsError, match=r"'dokcer' \(did you mean 'docker'\?\); it must be one of auto, docker, "):
        gymnasium.make(id, sandbox="dokcer")
    gymnasium.make(id, sandbox="http://127.0.0.1:9").close()  # whether anybody answers there is seen in the episode


@pytest.mark.parametrize("name", ["remote", "http://", "http://a:99999", "https://a?b", "http://a,zz", "Docker "])
def test_other_names_of_no_sandbox(name: str) -> None:
    with pytest.raises(SettingsError):
        check_sandbox(name)


def test_what_the_variable_says_is_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("auto", *BACKENDS):
        if name != "remote":
            check_sandbox(name)
    monkeypatch.setenv(SANDBOX_VARIABLE, "embeded")
    with pytest.raises(SettingsError, match="did you mean 'embedded'"):
        gymnasium.make("turnwise/Shell-v0")
    with pytest.raises(SettingsError, match="not-there"):
        check_sandbox("embedded", ("not-there",))


def choices() -> Iterator[tuple[str, str, list[str]]]:
    for id, cls in CLASSES.items():
        for name, hint in [(setting.name, setting.hint) for setting in settings_of(cls)]:
            parts = hint if typing.get_origin(hint) is Literal else None
            texts = [part for part in typing.get_args(parts) if isinstance(part, str)]
            if len(max(texts, default="", key=len)) > 4:
                yield id, name, texts


def test_a_choice_that_is_misspelt_is_refused_with_the_nearest() -> None:
    found = list(choices())
    assert len(found) > 40
    for id, name, texts in found:
        right = max(texts, key=len)
        wrong = right[:2] + right[3:]
        nearest = difflib.get_close_matches(wrong, texts, 1)[0]
        with pytest.raises(SettingsError) as error:
            gymnasium.make(id, **{name: wrong})
        assert f"{name} is {wrong!r} (did you mean {nearest!r}?); it must be " in str(error.value)


@pytest.mark.parametrize(
    ("id", "settings", "nearest"),
    [
        ("SearchQA", {"kinds": "brigde"}, "bridge"), ("SearchQA", {"shaping": "ikae"}, "ikea"),
        ("SearchQA", {"retriever": "bm52:folder"}, "bm25"), ("Dataset", {"verifier": "exakt"}, "exact"),
        ("CodeDataset", {"language": "pythn"}, "python"), ("FollowConstraints", {"dimensions": "formt"}, "format"),
        ("WebTasks", {"sites": "shopp"}, "shop"), ("WebTasks", {"templates": "shop.byu"}, "shop.buy"),
        ("RepoIssue", {"repo": "leger"}, "ledger"), ("MathWithPython", {"env": "Countdwn"}, "turnwise/Countdown-v0"),
    ],
)  # fmt: skip
def test_names_that_no_type_lists_have_a_nearest_one(id: str, settings: dict[str, str], nearest: str) -> None:
    with pytest.raises(SettingsError, match=f"did you mean ['\"]?{nearest}"):
        gymnasium.make(f"turnwise/{id}-v0", **settings)


@pytest.mark.parametrize("spec", ["bm25:/not/there", "index:/not/there", "dense:/not/there"])
def test_an_index_that_is_not_there_is_refused(spec: str) -> None:
    with pytest.raises(SettingsError, match="/not/there"):
        gymnasium.make("turnwise/SearchQA-v0", retriever=spec)


# ---- options of reset ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", IDS)
def test_options_that_are_none_are_refused(id: str) -> None:
    env = gymnasium.make(id, disable_env_checker=True).unwrapped
    assert isinstance(env, Env)
    with pytest.raises(SettingsError, match=r"no option 'difficulty'; it has task.*; settings are given to gymnasium"):
        env.reset(seed=1, options={"difficulty": 2})
    with pytest.raises(SettingsError, match=r"no option 'tsak' \(did you mean 'task'\?\)"):
        env.reset(seed=1, options={"tsak": None})
    env.close()


@pytest.mark.parametrize("id", IDS)
def test_a_task_of_another_type_is_refused(id: str) -> None:
    env = gymnasium.make(id, disable_env_checker=True).unwrapped
    assert isinstance(env, Env)
    with pytest.raises(SettingsError, match=r"^task is 3; it must be of type "):
        env.reset(seed=1, options={"task": 3})
    env.close()


def test_no_options_are_fine() -> None:
    env = gymnasium.make("turnwise/KSat-v0")
    first = env.reset(seed=1)[0]
    assert env.reset(seed=1, options={})[0] == env.reset(seed=1, options=None)[0] == first
    task = env.unwrapped.task  # type: ignore[attr-defined]
    assert env.reset(seed=2, options={"task": task})[0] == first
    assert env.reset(seed=1, options={"task": None})[0] == first
