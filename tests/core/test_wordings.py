"""Prompts in other words: no fact is lost, tasks and rewards stay, in every environment."""

import re
from typing import Any

import gymnasium
import numpy as np
import pytest

from tests._work import one_in
from tests.test_envs import IDS, SEEDS, case, play, raw
from turnwise.core.env import Env, Reply, seed_of
from turnwise.core.errors import SettingsError
from turnwise.core.registration import env_class
from turnwise.core.wordings import FRAMES, PLAIN, facts, framed, wordings_of

OWN = [(i, wording) for i in IDS for wording in env_class(i).own_wordings]
LEVELS = (None, 1, 5, 10)


@pytest.mark.parametrize("env_id", one_in(4, [case(i) for i in IDS]))
def test_every_frame_keeps_the_whole_prompt_and_the_task(env_id: str) -> None:
    """In one frame the oracle plays on; the others differ in the first observation alone."""
    seed = SEEDS[0]
    plain, about = raw(env_id).reset(seed=seed)
    for number, name in enumerate(FRAMES):
        env = raw(env_id, wording=name)
        shown, info = env.reset(seed=seed)
        assert plain in shown and shown == framed(name, plain) != plain and info == about
        assert not facts(plain) - facts(shown)
        if number == seed_of(env_id) % len(FRAMES):
            total, *_ = play(env, seed, lambda env: env.oracle())
            assert total == 1.0


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("env_id", "wording"), [case(*pair) for pair in OWN])
def test_own_wordings_keep_every_fact(env_id: str, wording: str, level: int | None) -> None:
    prompts, plains = [], []
    for seed in SEEDS[:6]:
        plain, about = raw(env_id, difficulty=level).reset(seed=seed)
        env = raw(env_id, difficulty=level, wording=wording)
        shown, info = env.reset(seed=seed)
        assert info == about and shown != plain
        assert (lost := set(facts(plain)) - set(facts(shown))) == set(), f"{wording} loses {lost}: {shown}"
        prompts.append(shown)
        plains.append(plain)
    total, *_ = play(env, SEEDS[0], lambda env: env.oracle())
    assert total == 1.0
    assert len(set(prompts)) == len(set(plains)), "they say as much about the task"


def test_own_wordings_exist() -> None:
    assert len({env_id for env_id, _ in OWN}) >= 5
    for env_id, wording in OWN:
        assert wording not in (*FRAMES, PLAIN, "all"), env_id


def test_what_counts_as_a_fact() -> None:
    text = 'Move A to 3.5 or 1,000. Then say "go up" or `x = y`.\n# . @\nAnn owns it. Use <answer>...</answer>.'
    assert set(facts(text)) == {"3.5", "1,000", '"go up"', "`x = y`", "# . @", "<answer>", "</answer>"}
    assert "Ann" in facts("It is Ann who owns it.")
    for lost in ("3.5", "# . @", '"go up"'):
        assert facts(text) - facts(text.replace(lost, "")), f"{lost} is missed"
    assert not any(re.search(r"\d|answer>|boxed", frame) for frame in FRAMES.values()), "frames add no facts"


def test_a_prompt_with_braces_stays_as_it_is() -> None:
    assert framed("heading", "{x} {prompt} {0}") == "# Task\n\n{x} {prompt} {0}\n\n# Your turn"


class Sum(Env[int]):
    """Add two numbers."""

    own_wordings = ("short",)

    def generate(self, rng: np.random.Generator) -> int:
        return int(rng.integers(100))

    def identity(self, task: int) -> object:
        return task

    def begin(self) -> str:
        return f"What is {self.task} + 1?"

    def reworded(self, wording: str) -> str:
        return f"{self.task} + 1 = ?"

    def respond(self, action: str) -> Reply:
        return Reply("", solved=action == str(self.task + 1), done=True)


def test_names_that_every_environment_has_are_refused() -> None:
    with pytest.raises(TypeError, match="own_wordings has 'exam', which every environment has"):
        type("Taken", (Sum,), {"own_wordings": ("exam",)})
    with pytest.raises(TypeError, match="own_wordings is 'x'; it must be a tuple of names"):
        type("Text", (Sum,), {"own_wordings": "x"})


def test_the_setting() -> None:
    assert wordings_of(Sum) == (*FRAMES, "short")
    assert Sum(wording="short").reset(seed=3)[0].endswith("+ 1 = ?")
    env = Sum(wording="short", render_mode="ansi")
    assert env.reset(seed=3)[0] == env.render()
    with pytest.raises(SettingsError, match=r"wording is 'shrt' \(did you mean 'short'\?\)"):
        Sum(wording="shrt")
    with pytest.raises(SettingsError, match="Sum has request, exam, tagged, heading, casual, short"):
        Sum(wording="plain")


def test_a_suite_s_fingerprints_know_nothing_of_it() -> None:
    from turnwise.evaluation.chance import recorded_chance
    from turnwise.evaluation.fingerprints import fingerprint

    [cell] = fingerprint(["Countdown:difficulty=3"], "test").cells.values()
    assert "wording" not in cell["settings"]
    settings: dict[str, Any] = {"difficulty": 3, "wording": "exam"}
    assert recorded_chance("turnwise/Countdown-v0", settings) == env_class("Countdown").chance[2]
    assert gymnasium.make("turnwise/Countdown-v0", wording="casual").unwrapped.settings()["wording"] == "casual"
