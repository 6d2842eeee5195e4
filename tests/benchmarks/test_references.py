"""The recording of references: it repeats, and a comparison finds what has changed."""

import dataclasses
import gzip
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest

from turnwise.core.env import Env, Reply
from turnwise.core.errors import InfrastructureError
from turnwise.core.registration import register

FILE = Path(__file__).parents[2] / "benchmarks" / "references.py"
pytestmark = pytest.mark.skipif(not FILE.exists(), reason="needs the checkout, not an installed copy")


@pytest.fixture(scope="module")
def references() -> ModuleType:
    spec = importlib.util.spec_from_file_location("references", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclasses.dataclass(frozen=True)
class Number:
    number: int


@register("tests/Recorded-v0")
class Recorded(Env[Number]):
    """Say a number."""

    prompt: str = "Say"
    pay: float = 1.0
    down: bool = False

    def generate(self, rng: np.random.Generator) -> Number:
        return Number(int(rng.integers(1000)))

    def begin(self) -> str:
        return f"Welcome.\n{self.prompt} {self.task.number}."

    def respond(self, action: str) -> Reply:
        if self.down:
            raise InfrastructureError("the server is down")
        right = action == str(self.task.number)
        return Reply("no", 0.0 if right else 0.1, done=True, solved=right and self.pay == 1)

    def oracle(self) -> str:
        return str(self.task.number)

    def sample_action(self, rng: np.random.Generator) -> str:
        return str(int(rng.integers(1000)))


def recorded(references: ModuleType, folder: Path, **settings: Any) -> Path:
    """A recording of that environment alone."""
    folder.mkdir()
    out = references.Recording(folder)
    out.write("environments", "tests/Recorded-v0", lambda: list(references.episodes("tests/Recorded-v0", settings, 2)))
    out.close(full=False)
    return folder


def test_the_same_is_equal(references: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = (recorded(references, tmp_path / name) for name in "ab")
    [first, second] = [next(folder.rglob("*.gz")).read_bytes() for folder in (one, two)]
    assert first == second
    rows = [json.loads(line) for line in gzip.decompress(first).splitlines()]
    assert [row[0] for row in rows] == [f"level None, seed {s}, {a}" for a in ("oracle", "random") for s in (0, 1)]
    assert references.compare(one, two, False) == 0
    assert capsys.readouterr().out.endswith("equal\n")


def test_rewording_is_distinguished_from_behaviour(
    references: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = recorded(references, tmp_path / "base")
    words = recorded(references, tmp_path / "words", prompt="Tell me")
    assert references.compare(base, words, True) == 0
    assert references.compare(base, words, False) == 1
    out = capsys.readouterr().out
    env = gymnasium.make("tests/Recorded-v0")
    second = env.reset(seed=0)[0].split("\n")[1]
    assert "environments/tests-Recorded-v0: level None, seed 0, oracle: texts, line 2" in out
    assert f"    was: {second}\n    is:  {second.replace('Say', 'Tell me')}\n" in out
    assert "environments/tests-Recorded-v0: and 1 more of 4" in out
    paid = recorded(references, tmp_path / "paid", pay=0.5)
    assert references.compare(base, paid, True) == 1
    out = capsys.readouterr().out
    assert "level None, seed 1, oracle: facts, line 2\n    was: [1.0, true, false" in out
    assert "random" not in out


def test_what_is_missing_is_said(references: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, down = recorded(references, tmp_path / "base"), recorded(references, tmp_path / "down", down=True)
    assert references.compare(base, down, True) == 1
    out = capsys.readouterr().out
    assert "not compared: environments/tests/Recorded-v0 (Missing: an episode failed:" in out
    assert "the server is down" in out
    assert f"environments/tests-Recorded-v0: not in {down}" in out
    assert references.compare(down, down, True) == 1, "nothing compared is not equal"

    def broken() -> Callable[[], Any]:
        raise KeyError("a fault of the code")

    with pytest.raises(KeyError):
        references.Recording(tmp_path).write("environments", "x", broken)


def test_more_or_less_is_a_difference(references: ModuleType) -> None:
    entry = references.Entry
    before = {"a": entry("a", ["1"], []), "b": entry("b", ["1", "2"], ["x"])}
    after = {"b": entry("b", ["1"], ["y"]), "c": entry("c", [], [])}
    assert list(references._of_entries(before, after, True)) == [
        "a: only in the old recording",
        "b: facts, line 2\n    was: 2\n    is:  (nothing)",
        "c: only in the new recording",
    ]


def test_it_records_what_there_is(references: ModuleType) -> None:
    """What the script imports by name exists; the ids of a list are facts."""
    assert all(references.touched(part) for part in references.TOUCHES)
    assert references.command_entry(["lst"]).facts == ["exit status 2"]
    listed = references.command_entry(["list", "games"])
    assert listed.facts[0] == "exit status 0"
    assert "turnwise/Maze-v0" in listed.facts
