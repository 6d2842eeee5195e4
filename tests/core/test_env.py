"""The base class: settings, splits, the five-tuple, failures."""

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import gymnasium
import numpy as np
import pytest

from turnwise.core.env import Env, Reply, seed_of, split_of
from turnwise.core.errors import InfrastructureError, SettingsError, UsageError
from turnwise.core.registration import env_ids, full_id, make
from turnwise.core.settings import Range, named_settings


@dataclass(frozen=True)
class Task:
    number: int
    answer: int = field(compare=False, default=0)


class Toy(Env[Task]):
    """A counter: say the number, or fail on demand."""

    size: Annotated[int, Range(1, 1000)] = 100
    share: float = 0.25
    style: str | None = None
    mode: Literal["slow", 2] = "slow"
    weights: Mapping[str, float] | None = None
    max_turns: int = 3

    levels = ({"size": 10}, {"size": 20})

    def check(self) -> None:
        if self.size == 13:
            raise SettingsError("size is 13; it must be luckier")

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(int(rng.integers(self.size)), int(rng.integers(1000)))

    def begin(self) -> str:
        self.log: list[str] = []
        return "number?"

    def respond(self, action: str) -> Reply:
        self.log.append(action)
        if action == "fail":
            raise InfrastructureError("the disk is gone")
        if action == "part":
            return Reply("some", reward=self.share, metrics={"parts": 1.0})
        if action == "cost":
            return Reply("that was dear", shaping=-0.5, done=self.turn == 2)
        if action == "stop":
            return Reply("given up", done=True)
        if action == str(self.task.number):
            return Reply("yes", solved=True)
        return Reply("no", invalid=not action.isdecimal())

    def oracle(self) -> str:
        return str(self.task.number)


def start(**settings: object) -> Toy:
    env = Toy(**settings)  # type: ignore[arg-type]
    env.reset(seed=5)
    return env


def test_settings_are_typed_fields() -> None:
    assert list(named_settings(Toy)) == [
        "difficulty",
        "split",
        "max_turns",
        "render_mode",
        "wording",
        "size",
        "share",
        "style",
        "mode",
        "weights",
    ]
    assert Toy(difficulty=2).size == 20
    assert Toy(difficulty=2, size=7).size == 7
    assert Toy().settings()["share"] == 0.25


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"size": 0}, "size is 0; it must be from 1 to 1000"),
        ({"size": "7"}, "size is '7'; it must be a whole number"),
        ({"size": True}, "size is True"),
        ({"size": 13}, "luckier"),
        ({"sizes": 7}, "did you mean 'size'"),
        ({"split": "valid"}, "^split is 'valid'; it must be 'train', 'test' or None$"),
        ({"mode": "fast"}, "^mode is 'fast'; it must be 'slow' or 2$"),
        ({"mode": 2.0}, "mode is 2.0"),
        ({"weights": "x"}, "^weights is 'x'; it must be a mapping or None$"),
        ({"weights": {"a": "1"}}, "weights is {'a': '1'}"),
        ({"difficulty": 3}, "1 to 2"),
        ({"difficulty": 1.0}, "whole number"),
        ({"style": 3}, "^style is 3; it must be a text or None$"),
        ({"render_mode": "human"}, "render_mode"),
    ],
)
def test_bad_settings(settings: dict[str, object], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        Toy(**settings)  # type: ignore[arg-type]


def test_a_setting_needs_a_default() -> None:
    with pytest.raises(TypeError, match="needs a default"):

        class Bad(Toy):
            knob: int


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"mode": "slow", "__annotations__": {"mode": Annotated[str, Range(1, 3)]}}, "mode has a range and is not a"),
        (
            {"size": 100, "__annotations__": {"size": Annotated[int, Range(1, 9)]}},
            "size is 100; it must be from 1 to 9",
        ),
        ({"size": 0}, "size is 0; it must be from 1 to 1000"),
        ({"size": "big"}, "size is 'big'"),
        ({"max_turns": None}, "max_turns is None"),
        ({"levels": ({"sizes": 3},)}, "level 1 has 'sizes', which is not a setting"),
        ({"levels": ({"size": 3}, {"difficulty": 3})}, "level 2 has 'difficulty'"),
        ({"levels": ({"size": 3}, {"size": 1001})}, "level 2: size is 1001; it must be from 1 to 1000"),
        ({"levels": ({"mode": "fast"},)}, "level 1: mode is 'fast'"),
        ({"levels": 10}, "levels is 10; it must be a tuple of mappings"),
        ({"levels": (3, 4)}, "level 1 is 3; levels are mappings"),
        ({"chance": (0.1,)}, "one rate for each of the 2 levels"),
        ({"chance": 0.1}, "one rate for each"),
        ({"chance": (0.1, 1.1)}, "chance has 1.1; it must be from 0 to 1"),
        ({"chance": (0.1, "0.2")}, "chance has '0.2'"),
        ({"cheats": "abc"}, "cheats must be a tuple"),
        ({"cheats": ("abc", 3)}, "cheats must be a tuple"),
    ],
)
def test_a_declaration_that_enforces_nothing_is_refused(declared: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=f"^Bad: .*{words}"):
        type("Bad", (Toy,), {**declared, "__module__": __name__})


def test_ranges_beside_the_annotations_are_refused() -> None:
    with pytest.raises(TypeError, match=r"^Bad.limits: write ranges as annotations, size: Annotated\[int, Range"):
        type("Bad", (Toy,), {"limits": {"size": (1, 9)}, "__module__": __name__})


def test_chance_rates_are_not_those_of_other_levels() -> None:
    class Base(Toy):
        chance = (0.1, 0.05)

    with pytest.raises(TypeError, match=r"^Bad: levels are declared again and chance is inherited"):
        type("Bad", (Base,), {"levels": ({"size": 30}, {"size": 40}), "__module__": __name__})
    assert type("Good", (Base,), {"levels": ({"size": 30},), "chance": (), "__module__": __name__})().size == 100


def test_what_an_environment_has_is_no_setting() -> None:
    for name in ("levels", "step", "metadata", "np_random"):
        with pytest.raises(TypeError, match=f"^Bad.{name} belongs to every environment"):
            type("Bad", (Toy,), {name: {}, "__annotations__": {name: dict}, "__module__": __name__})


def test_the_forms_in_the_help_are_accepted() -> None:
    forms = re.findall(r"^    (\w+(?:: .*)? = .*?)(?:  #.*)?$", inspect.cleandoc(Env.__doc__ or ""), re.MULTILINE)
    code = "\n    ".join(["class Shown(Env):", *forms])
    made: dict[str, Any] = {
        "Annotated": Annotated,
        "Env": Env,
        "Literal": Literal,
        "Range": Range,
        "__name__": __name__,
    }
    exec(code, made)
    shown = made["Shown"]
    names = [re.split(r"\W", line)[0] for line in forms]
    assert names == ["num_numbers", "mode", "levels", "chance", "cheats", "in_all"]
    assert shown(difficulty=2).num_numbers == 4
    with pytest.raises(SettingsError, match="from 3 to 9"):
        shown(num_numbers=2)


def test_solving_completes_the_return_to_exactly_one() -> None:
    for share in (0.1, 0.3, 1 / 3, 0.7, 0.9999999):
        env = start(share=share)
        first = env.step("part")
        assert first[1] == share
        last = env.step(env.oracle())
        assert first[1] + last[1] == 1.0
        assert last[2:4] == (True, False)
        assert last[4] == {
            "solved": True, "metrics": {"turns": 2.0, "format_errors": 0.0, "parts": 1.0}, "reward_valid": True
        }  # fmt: skip


def test_turn_limit_truncates_but_a_single_answer_terminates() -> None:
    env = start()
    assert [env.step("1000")[2:4] for _ in range(3)] == [(False, False), (False, False), (False, True)]
    assert start(max_turns=1).step("1000")[2:4] == (True, False)
    assert start().step("stop")[2:4] == (True, False)


def test_invalid_actions_are_told_and_counted() -> None:
    env = start()
    assert env.step("x")[4] == {"invalid_action": True}
    assert env.step("1000")[4] == {}
    info = env.step("y")[4]
    assert info["invalid_action"] is True
    assert info["metrics"]["format_errors"] == 2.0


def test_failed_infrastructure_is_not_scored() -> None:
    env = start()
    observation, reward, terminated, truncated, info = env.step("fail")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["reward_valid"] is False
    assert info["error"] == "the disk is gone"
    assert "disk" not in observation
    with pytest.raises(UsageError):
        env.step("1")


def test_split_with_too_few_instances_is_refused() -> None:
    with pytest.raises(SettingsError, match="too few instances"):
        Toy(size=5, split="test").reset(seed=1)
    Toy(size=5).reset(seed=1)
    Toy(size=200, split="test").reset(seed=1)


def test_equal_environments_look_once_for_enough_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vector of 64 of them would otherwise draw some twenty tasks each before its first episode."""
    drawn: list[int] = []
    before = Toy.generate

    def counting(self: Toy, rng: np.random.Generator) -> Task:
        drawn.append(self.size)
        return before(self, rng)

    monkeypatch.setattr(Toy, "generate", counting)
    counts = []
    for size, split in ((190, "test"), (190, "test"), (190, "train"), (191, "test")):
        drawn.clear()
        Toy(size=size, split=split).reset(seed=1)  # type: ignore[arg-type]
        counts.append(len(drawn))
    assert counts[1] < counts[0] - 3 and counts[1] < counts[3] - 3
    again = Toy(size=5, split="test")
    for _ in range(2):  # what was refused stays refused
        with pytest.raises(SettingsError, match="too few instances"):
            again.reset(seed=1)


def test_solution_is_no_part_of_the_identity() -> None:
    env = Toy()
    same = [env._digest(Task(4, a)) for a in range(5)]
    assert len(set(same)) == 1
    assert env._digest(Task(5, 0)) != same[0]


def test_a_given_task_is_played() -> None:
    env = Toy()
    _, info = env.reset(options={"task": Task(77)})
    assert env.step("77")[1] == 1.0
    assert info["task_id"] == env._digest(Task(77))


def test_reset_without_seed_goes_on_with_the_generator() -> None:
    a, b = start(), start()
    assert [a.reset()[1] for _ in range(3)] == [b.reset()[1] for _ in range(3)]
    assert Toy().reset()[1].keys() == {"task_id"}


def test_seeds_do_not_overlap() -> None:
    seeds = {seed_of(run, i) for run in range(30) for i in range(30)}
    assert len(seeds) == 900
    assert all(0 <= s < 2**63 for s in seeds)
    shares = [split_of(f"{2 * seed_of(i):016x}") for i in range(20_000)]
    assert 0.18 < shares.count("test") / len(shares) < 0.22


def test_fork_copies_state_deeply() -> None:
    env = start()
    env.step("1")
    twin = env.fork()
    env.step("2")
    assert (env.log, twin.log) == (["1", "2"], ["1"])


def test_a_fork_draws_the_same_and_by_itself() -> None:
    env = start()
    env.np_random.integers(5, dtype=np.int32)  # half of a draw is kept for the next one
    env.action_space.seed(3)
    twin = env.fork()
    assert (twin.action_space, twin.observation_space) == (env.action_space, env.observation_space)
    for draw in (lambda one: one.np_random.integers(1 << 30, dtype=np.int32), lambda one: one.action_space.sample()):
        drawn = [draw(env) for _ in range(5)]
        assert drawn == [draw(twin) for _ in range(5)]
        assert len(set(drawn)) == 5


def test_short_names() -> None:
    assert full_id("Countdown") == full_id("countdown-v0") == "turnwise/Countdown-v0"
    with pytest.raises(SettingsError, match=r"did you mean turnwise/Countdown-v0"):
        full_id("Countdwn")
    assert isinstance(make("countdown", num_numbers=3), gymnasium.Env)
    assert env_ids("COUNTD") == ["turnwise/Countdown-v0"]
    with pytest.raises(gymnasium.error.NameNotFound, match="Did you mean"):
        gymnasium.make("turnwise/Countdwn-v0")


def test_make_by_module_prefix() -> None:
    assert gymnasium.make("turnwise:turnwise/Countdown-v0").spec.id == "turnwise/Countdown-v0"  # type: ignore[union-attr]


def test_make_from_a_file() -> None:
    example = Path(__file__).parents[2] / "examples" / "my_environment.py"
    env = make(f"{example}:Nim-v0", stones=16)
    env.reset(seed=1)
    assert isinstance(env.unwrapped, Env)
    total, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, _ = env.step(env.unwrapped.oracle())
        total, over = total + float(reward), terminated or truncated
    assert total == 1.0
    with pytest.raises(SettingsError, match="no file"):
        make("nowhere.py:Nim-v0")


def test_shaping_is_told_and_is_no_reward() -> None:
    env = start()
    assert env.step("cost")[1:] == (0.0, False, False, {"shaping": -0.5})
    _, reward, terminated, _, info = env.step("cost")
    assert (reward, terminated, info["shaping"]) == (0.0, True, -0.5)
    assert "shaping" not in start().step("stop")[4]


def test_what_an_environment_returns_is_checked() -> None:
    class Numbered(Toy):
        def begin(self) -> str:
            return 3  # type: ignore[return-value]

    class Bare(Toy):
        def respond(self, action: str) -> Reply:
            return "seven c"  # type: ignore[return-value]  (as many characters as a Reply has fields)

    with pytest.raises(TypeError, match=r"Numbered\.begin must return a str, not int"):
        Numbered().reset(seed=0)
    env = Bare()
    env.reset(seed=0)
    with pytest.raises(TypeError, match=r"Bare\.respond must return a Reply, not str"):
        env.step("x")


@pytest.mark.parametrize("seed", ["7", 1.5, [1]])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(TypeError, match=r"^the seed must be a whole number, not "):
        Toy().reset(seed=seed)
    assert Toy().reset(seed=np.int64(7)) == Toy().reset(seed=7)  # type: ignore[arg-type]


def test_a_task_without_fields_is_the_only_one() -> None:
    @dataclass(frozen=True)
    class Only:
        """The only task."""

    class Alone(Env[Only]):
        """Has one task."""

        def generate(self, rng: np.random.Generator) -> Only:
            return Only()

        def begin(self) -> str:
            return "well?"

    ids = {Alone().reset(seed=seed)[1]["task_id"] for seed in range(3)}
    assert len(ids) == 1
    with pytest.raises(SettingsError, match="too few instances"):
        Alone(split="train").reset(seed=0)
