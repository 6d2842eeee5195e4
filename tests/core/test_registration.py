"""Environments by name, from files and modules, and where they came from."""

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import pytest

import turnwise
from turnwise.core import origins
from turnwise.core.errors import SettingsError
from turnwise.core.origins import built_in, origins_of, recall
from turnwise.core.registration import (
    env_class,
    env_ids,
    expand,
    families,
    full_id,
    import_envs,
    parse_spec,
)

NIM = (Path(__file__).parents[2] / "examples" / "my_environment.py").read_text()


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What a test registers and imports is gone after it."""
    specs, modules = dict(gymnasium.registry), set(sys.modules)
    yield
    gymnasium.registry.clear()
    gymnasium.registry.update(specs)
    for name in set(sys.modules) - modules:
        if getattr(sys.modules[name], "__file__", "") and "pytest-" in str(sys.modules[name].__file__):
            del sys.modules[name]


def nim(path: Path, name: str) -> Path:
    """A file that registers ``lent/<name>-v0``."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(NIM.replace("mine/Nim-v0", f"lent/{name}-v0"))
    return path


def forget(env_id: str) -> None:
    """As another process would find it."""
    entry = gymnasium.registry.pop(env_id).entry_point
    assert isinstance(entry, str)
    del sys.modules[entry.partition(":")[0]]
    origins._NAMED.pop(env_id, None)


def test_a_spec_is_an_environment_and_its_settings(tmp_path: Path) -> None:
    assert parse_spec("countdown") == ("turnwise/Countdown-v0", {})
    found = parse_spec("WebTasks:sites=bank,shop, level=2,templates=a.*")
    assert found == ("turnwise/WebTasks-v0", {"sites": "bank,shop", "level": 2, "templates": "a.*"})
    file = nim(tmp_path / "nim_a.py", "NimA")
    assert parse_spec(f"{file}:NimA:stones=20") == ("lent/NimA-v0", {"stones": 20})
    env = turnwise.make(f"{file}:NimA:stones=20", max_turns=3).unwrapped
    assert (env.stones, env.max_turns) == (20, 3)  # type: ignore[attr-defined]
    with pytest.raises(SettingsError, match=r"there is no module 'Countdown'; .* settings are written Name:key=value"):
        parse_spec("Countdown:num_numbers")


def test_no_levels_is_said_in_words(tmp_path: Path) -> None:
    file = nim(tmp_path / "nim_b.py", "NimB")
    with pytest.raises(SettingsError, match="difficulty is 3; Nim has no difficulty levels"):
        turnwise.make(f"{file}:NimB", difficulty=3)
    with pytest.raises(SettingsError, match="difficulty is 11; it must be from 1 to 10 or None"):
        turnwise.make("Countdown", difficulty=11)


def test_files_of_the_same_name_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = nim(tmp_path / "a" / "nim_c.py", "NimC"), nim(tmp_path / "b" / "nim_c.py", "NimD")
    shadow = nim(tmp_path / "json.py", "NimE")
    assert full_id(f"{one}:NimC") == "lent/NimC-v0"
    assert full_id(f"{other}:NimD") == "lent/NimD-v0"
    assert full_id(f"{shadow}:NimE") == "lent/NimE-v0"
    assert sys.modules["json"].__name__ == "json"
    made = [turnwise.make(name).unwrapped for name in ("NimC", "NimD", "NimE")]
    assert len({type(env).__module__ for env in made}) == 3
    monkeypatch.chdir(one.parent)
    one.write_text("raise ValueError('imported twice')")
    import_envs("nim_c.py")
    assert full_id("nim_c.py:NimC") == "lent/NimC-v0"


def test_where_an_environment_came_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    file = nim(tmp_path / "nim_f.py", "NimF")
    nim(tmp_path / "nim_g.py", "NimG")
    assert origins_of(["turnwise/Countdown-v0"]) == {}
    ids = [full_id("nim_f.py:NimF"), full_id("nim_g:NimG"), full_id("Countdown")]
    origins = origins_of(ids)
    assert origins == {
        "lent/NimF-v0": {"name": "nim_f.py", "path": str(file)},
        "lent/NimG-v0": {"name": "nim_g", "path": str(tmp_path / "nim_g.py")},
    }
    monkeypatch.chdir("/")
    for env_id in origins:
        assert recall(env_id, {}) == "", "it is registered"
        forget(env_id)
        assert "does not say where it came from" in recall(env_id, {})
        assert recall(env_id, origins) == ""
        assert turnwise.make(env_id).spec is not None


def test_a_module_imported_by_hand_is_known_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = nim(tmp_path / "nim_h.py", "NimH")
    with monkeypatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        importlib.import_module("nim_h")
    origins = origins_of(["lent/NimH-v0"])
    assert origins["lent/NimH-v0"] == {"name": "nim_h", "path": str(path)}
    forget("lent/NimH-v0")
    assert recall("lent/NimH-v0", origins) == "", "no module here: its file"

    monkeypatch.setattr(sys.modules["nim_h"], "__name__", "__main__")
    assert origins_of(["lent/NimH-v0"]) == {}, "a script that would run again"


def test_why_an_environment_is_not_recalled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = nim(tmp_path / "nim_i.py", "NimI")
    hint = "name the file or module that registers lent/Gone-v0 with --env-module: "

    def why(origin: object) -> str:
        said = recall("lent/Gone-v0", {"lent/Gone-v0": origin})
        assert said.startswith(hint)
        return said.removeprefix(hint)

    assert why({"name": "x.py", "path": "/no/x.py"}) == "it came from /no/x.py, which is not there"
    assert why({"name": "no.such"}) == "it came from no.such, which is not there"
    assert why({"name": "nim_i.py", "path": str(file)}) == f"{file}, where it came from, no longer does"
    bad = tmp_path / "nim_bad.py"
    bad.write_text("1 / 0")
    assert "fails with ZeroDivisionError" in why({"name": "nim_bad.py", "path": str(bad)})
    for origin in ({"name": "nim_bad.py"}, {"name": "nim_bad.py", "path": "nim_bad.py"}):
        assert "does not say where that is" in why(origin), "a file of this name in this folder may be any"
    for origin in ({}, None, 3, {"name": 3}):
        assert why(origin) == "the run does not say where it came from"
    assert (
        recall("lent/Gone-v0", None) == recall("lent/Gone-v0", []) == hint + "the run does not say where it came from"
    )


# ---- families --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["README.md", "docs/environments.md"])
def test_families_are_those_of_the_docs(page: str) -> None:
    path = Path(__file__).parents[2] / page
    if not path.exists():
        pytest.skip("needs the checkout, not an installed copy")
    rows = re.findall(r"^\| ([a-zA-Z ]+?) \| (`[A-Z].*) \|$", path.read_text(encoding="utf-8"), re.MULTILINE)
    shipped = {name: [i for i in ids if built_in(i)] for name, ids in families().items()}
    shipped = {name: ids for name, ids in shipped.items() if ids}
    seen = set()
    for names, members in rows:
        ids = [i for name in names.lower().split() for i in shipped.get(name, [])]
        seen |= {name for name in names.lower().split() if name in shipped}
        assert sorted(ids) == sorted(full_id(m) for m in re.findall(r"`([A-Z]\w+)`", members)), names
    assert seen == set(shipped)


def test_all_is_what_belongs_to_it() -> None:
    shipped = [i for i in expand("all") if built_in(i)]
    left = {i for i in env_ids() if built_in(i)} - set(shipped)
    assert left == {"turnwise/Dataset-v0", "turnwise/CodeDataset-v0", "turnwise/VerifyAnswers-v0"}
    assert all(env_class(env_id).levels for env_id in shipped)
    ours = ["turnwise/CodeDataset-v0", "turnwise/Dataset-v0", "turnwise/VerifyAnswers-v0"]
    assert expand("data") == ours, "named, they are played"
    assert expand("Bandit:top=1") == ["Bandit:top=1"]


def test_a_limit_of_steps_is_a_limit_of_turns() -> None:
    assert turnwise.make("Maze", max_episode_steps=4).unwrapped.max_turns == 4  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import sys\nimport not_installed_at_all", r"ModuleNotFoundError: No module named .* \(broken\.py, line 2\)$"),
        ("def (", r"SyntaxError: .*\(broken\.py, line 1\)$"),
        ("x = 1\n\n1 / 0", r"ZeroDivisionError: division by zero \(broken\.py, line 3\)$"),
        (
            "from turnwise import Env\nclass A(Env[int]):\n    n: int = 'a'",
            r"TypeError: A: n is 'a'.*broken\.py, line 2\)$",
        ),
    ],
)
def test_a_module_that_cannot_be_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    (tmp_path / "broken.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    for module in (str(tmp_path / "broken.py"), "broken"):
        with pytest.raises(SettingsError, match=rf"^{re.escape(module)} cannot be imported: {words}"):
            full_id(f"{module}:Name")
        assert "broken" not in sys.modules
