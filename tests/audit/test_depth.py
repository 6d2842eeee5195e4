"""The measure of depth sees shortcuts, rungs that are missing and levels that are out of order."""

import json
import sys
from pathlib import Path

import gymnasium
import pytest

from turnwise.agents.shortcuts import SHORTCUTS, form_of
from turnwise.audit.depth import Depth, Solved, declared, measure_depth
from turnwise.audit.texts import read_tasks
from turnwise.cli.main import run
from turnwise.core.agent import Play
from turnwise.core.errors import SettingsError

DOORS = '''
"""Doors: the right one is named on the first line of a letter, or further down."""
from dataclasses import dataclass
from typing import Annotated

from turnwise.core.env import Env, Reply
from turnwise.core.registration import register
from turnwise.core.settings import Range


@dataclass(frozen=True)
class Task:
    doors: tuple
    place: int


@register("depths/Doors-v0")
class Doors(Env[Task]):
    """Open the door that a letter names."""

    far: Annotated[int, Range(0, 9)] = 0
    levels = tuple({"far": far} for far in range(10))

    def generate(self, rng):
        return Task(tuple(int(n) for n in rng.integers(1000, 10**6, 12)), int(rng.integers(self.far + 1)))

    def begin(self):
        lines = [f"Line {n} speaks of door {door}." for n, door in enumerate(self.task.doors)]
        text = "\\n".join(lines)
        return f"Open the door of line {self.task.place}: <answer>12</answer>, say.\\n{text}"

    def respond(self, action):
        solved = action == self.oracle()
        return Reply("Open." if solved else "Shut.", done=True, solved=solved)

    def oracle(self):
        return f"<answer>{self.task.doors[self.task.place]}</answer>"

    def sample_action(self, rng):
        return f"<answer>{rng.integers(1000, 10**6)}</answer>"
'''
ABOUT_DOORS = '''
"""Agents for Doors."""
import re

from turnwise.agents.shortcuts import Shortcut


def lines_of(heard):
    return [line.split()[-1].rstrip(".") for line in heard[0].splitlines()[1:]]


def first(heard, turn):
    return f"<answer>{lines_of(heard)[0]}</answer>"


def systematic(heard, turn):
    place = int(re.search("line ([0-9]+)", heard[0])[1])
    return f"<answer>{lines_of(heard)[place] if place < 5 else 0}</answer>"


SHORTCUTS = {"the first line": lambda: Shortcut(first, "the first line")}
SKILLS = {"weak": lambda: Shortcut(first, "weak"), "systematic": lambda: Shortcut(systematic, "systematic")}


def extent(env):
    return 1, env.task.place + 1


def task_text(observation):
    return observation.splitlines()[0]
'''


@pytest.fixture
def doors(tmp_path: Path):
    """The environment in a file of its own, with and without a file about its depth."""
    (tmp_path / "doors_of_depth.py").write_text(DOORS, encoding="utf-8")
    (tmp_path / "_depth").mkdir()
    (tmp_path / "_depth" / "doors_of_depth.py").write_text(ABOUT_DOORS, encoding="utf-8")
    before = set(sys.modules)
    yield f"{tmp_path / 'doors_of_depth.py'}:Doors-v0"
    gymnasium.registry.pop("depths/Doors-v0", None)
    for name in set(sys.modules) - before:
        if name.startswith("doors_of_depth"):
            del sys.modules[name]


def test_shortcuts_skills_and_extents_are_played_and_judged(doors: str) -> None:
    found = measure_depth(doors, levels=(1, 5, 10), num_tasks=60)
    rates = {(each.agent, each.level): each.rate for each in found.solved}
    assert rates["the first line", 1] == rates["systematic", 1] == 1.0
    assert 0.05 < rates["the first line", 5] < 0.5
    assert 0.3 < rates["systematic", 10] < 0.7
    assert rates["last number", 1] == rates["the example", 1] == 0.0
    assert found.own
    assert found.extents[1] == (1, 1)
    assert found.extents[10][1] > found.extents[5][1] > 1
    assert {("the first line", 5), ("the first line", 10), ("systematic", 10)} == set(found.missed())


def test_the_same_seed_plays_the_same_tasks(doors: str) -> None:
    assert measure_depth(doors, num_tasks=10) == measure_depth(doors, num_tasks=10)
    assert measure_depth(doors, num_tasks=40).solved != measure_depth(doors, num_tasks=40, seed=1).solved


def test_an_environment_without_agents_of_its_own_is_measured(doors: str) -> None:
    path = Path(doors.rpartition(":")[0])
    (path.parent / "_depth" / path.name).unlink()
    found = measure_depth(doors, levels=(2,), num_tasks=5)
    assert not found.own
    assert {each.agent for each in found.solved} == {*SHORTCUTS, "random"}
    assert found.extents == {2: (1, None)}


def test_settings_are_passed_on_and_wrong_ones_refused(doors: str) -> None:
    found = measure_depth(doors, {"far": 0}, levels=(10,), num_tasks=10)
    assert next(each for each in found.solved if each.agent == "the first line").rate == 1.0
    with pytest.raises(SettingsError, match="num_tasks is 0"):
        measure_depth(doors, num_tasks=0)
    with pytest.raises(SettingsError, match="has levels from 1 to 10"):
        measure_depth(doors, levels=(0, 11))


def test_a_skill_that_rises_with_the_level_is_seen() -> None:
    def depth(*solved: int) -> Depth:
        row = [Solved("systematic", "skill", level, n, 100) for level, n in zip((1, 5, 10), solved, strict=True)]
        return Depth("x", {}, (1, 5, 10), row, {}, True)

    assert not depth(100, 60, 10).missed()
    assert not depth(97, 10, 15).missed()  # within the intervals
    assert depth(97, 2, 20).missed() == {("systematic", 10): "it solves more than at level 5"}
    assert set(depth(90, 60, 30).missed()) == {("systematic", 1), ("systematic", 10)}


@pytest.mark.parametrize(
    ("prompt", "written"),
    [
        ("as <answer>12</answer>", "<answer>7</answer>"),
        ("in \\boxed{}", "\\boxed{7}"),
        ("<action>answer('x')</action>", "<action>answer('7')</action>"),
        ("<move>up</move>", "<move>7</move>"),
        ("Say it.", "7"),
    ],
)
def test_shortcuts_answer_in_the_form_that_is_asked_for(prompt: str, written: str) -> None:
    assert form_of(prompt)("7") == written


def test_what_the_general_shortcuts_say() -> None:
    prompt = 'Reply as <answer>99</answer>. The code is "blue" and the price of the lamp, lamp 14 or 15, is hidden.'
    plays = [Play([{"role": "user", "content": prompt}], env=None, rng_key=(0,))]  # type: ignore[arg-type]
    said = {name: make().act(plays)[0].text for name, make in SHORTCUTS.items()}
    assert said == {
        "last number": "<answer>15</answer>",
        "first quotation": "<answer>blue</answer>",
        "most frequent word": "<answer>lamp</answer>",
        "the example": "<answer>99</answer>",
    }


def test_tasks_are_read(doors: str) -> None:
    (reading,) = read_tasks(doors, levels=(10,), num_tasks=50)
    assert reading.diversity.different <= 10 / 50  # ten lines to ask for
    assert reading.diversity.templates == 20.0
    assert (reading.leaked, reading.tests) == (0, 50)
    assert set(reading.missed()) == {"different"}


def test_the_command(doors: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "depth.md"
    out.write_text("Before.\n<!-- depth depths/Doors: begin -->\nold\n<!-- depth depths/Doors: end -->\nAfter.\n")
    args = ["depth", doors, "--levels", "1,10", "--num-tasks", "40", "--out", str(out)]
    assert run(args) == 0
    shown = capsys.readouterr()
    assert "| shortcut: the first line " in shown.out
    assert " !" in shown.out
    assert "at most 1% is allowed" in shown.err
    text = out.read_text()
    assert text.startswith("Before.\n")
    assert text.endswith("After.\n")
    assert "old" not in text
    assert "best shortcut" in text
    assert run([*args, "--strict"]) == 1
    assert run([*args[:2], "--levels", "1", "--num-tasks", "5", "--strict", "--out", str(tmp_path / "d.json")]) == 0
    (found,) = json.loads((tmp_path / "d.json").read_text())
    assert found["extents"] == [[1, 1, 1]]
    assert found["missed"] == []


def test_the_command_reads_texts(doors: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["depth", doors, "--texts", "--levels", "10", "--num-tasks", "30", "--strict"]) == 1
    shown = capsys.readouterr()
    assert "0 of 30" in shown.out
    assert "of the tasks read differently" in shown.err
    assert run(["depth"]) == 2
    assert run(["depth", "nothing-of-that-name"]) == 2


def test_what_is_declared_is_found(doors: str) -> None:
    known = declared(doors)
    assert list(known.skills) == ["weak", "systematic"]
    assert known.task_text("a\nb") == "a"
    assert set(declared("Countdown").shortcuts) >= {*SHORTCUTS, "random"}
