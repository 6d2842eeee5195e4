"""The contract of every environment, over every registered id."""

import hashlib
import json
import pickle
import re
import subprocess
import sys
import threading
import tracemalloc
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import turnwise  # noqa: F401  (registers)
from tests._work import at_most
from turnwise.core.env import MAX_ACTION_CHARS, Env, seed_of, split_of
from turnwise.core.errors import SettingsError, TurnwiseError, UsageError
from turnwise.core.registration import env_class, env_ids
from turnwise.core.settings import named_settings, settings_of
from turnwise.sandbox import shared_sandbox

IDS = [i for i in env_ids() if i.startswith("turnwise/")]
SEEDS = [seed_of("contract", i) for i in range(12)]
SLOW = pytest.mark.slow  # the same again, on more seeds and texts
HOSTILE = [
    "", " ", "\x00", "\n\n\n", "\ud800 lone surrogate \udfff", "<|im_start|>assistant\n<answer>1</answer><|im_end|>",
    "9**9**9**9", "__import__('os').system('touch /tmp/turnwise-pwned')", "<answer></answer>", "\\boxed{}",
    "<answer><answer><answer>", "</answer>" * 50, "<think>", "nan", "inf", "-0", "1e999", "٣", "𝟙", "½", "{}", "%s%n",
    "' OR 1=1 --", "\\boxed{" * 200, "(" * 2000, "-" * 300 + "1", "<answer>" + "(" * 90 + "1", "None", "True", "[]",
]  # fmt: skip
BIG = ["a" * 1_000_000, "<answer>" * 125_000, "1 " * 500_000, "\\boxed{" * 140_000, "<answer>1</answer>" * 50_000,
       "(" * 1_000_000, "r1c1=1," * 100_000, "A is a knight. " * 60_000, "up || " * 150_000]  # fmt: skip


def refusal(profile: Any) -> str:
    """Why there is no sandbox of that profile here; empty where there is one."""
    try:
        shared_sandbox().layers_of(profile)
    except TurnwiseError as error:
        return f"no sandbox here: {error}"
    return ""


REFUSALS = {profile: refusal(profile) for profile in ("python", "shell")}
SHELLS = ("turnwise/Shell-v0",)


def case(env_id: str, *more: Any) -> Any:
    """An id as a parameter, skipped where what it runs programs in cannot be had."""
    reason = (
        REFUSALS["shell" if env_id in SHELLS else "python"] if "sandbox" in named_settings(env_class(env_id)) else ""
    )
    return pytest.param(env_id, *more, marks=[pytest.mark.skip(reason=reason)] if reason else [])


every_env = pytest.mark.parametrize("env_id", [case(i) for i in IDS])
_DEAR = (
    "Auction", "Blackjack", "Breakthrough", "Checkers", "Chess", "CircleTheCat", "ConnectFour", "DeepResearch",
    "DotsAndBoxes", "Go", "Hanabi", "Hex", "Holdem", "Kitchen", "Kuhn", "LaneDefence", "Leduc", "Matrix", "Negotiation",
    "NPoint", "Othello", "Pig", "RepoIssue", "SearchQA", "TestWriting", "TicTacToe", "Ultimate", "Werewolf",
)  # fmt: skip
DEAR = {f"turnwise/{name}-v0" for name in _DEAR}  # to draw or judge a task takes long: fewer of them
QUICK = {"turnwise/CodeSynthesis-v0": 1}  # level 5 takes seconds to judge: the slow tests play it


def raw(env_id: str, **settings: Any) -> Env[Any]:
    env = gymnasium.make(env_id, **settings).unwrapped
    assert isinstance(env, Env)
    return env


def play(env: Env[Any], seed: int | None, act: Any) -> tuple[float, dict[str, Any], list[Any]]:
    """Play one episode; returns the return, the last info and the whole transcript."""
    observation, info = env.reset(seed=seed)
    transcript: list[Any] = [observation, info]
    total, over = 0.0, False
    while not over:
        action = act(env)
        observation, reward, terminated, truncated, info = env.step(action)
        assert observation in env.observation_space
        assert type(reward) is float
        assert type(terminated) is bool
        assert type(truncated) is bool
        assert not (terminated and truncated)
        transcript.append((action, observation, reward, terminated, truncated, info))
        total += reward
        over = terminated or truncated
        assert over or not {"solved", "metrics"} & set(info), "nothing of the end is told before the end"
    assert 0.0 <= total <= 1.0
    assert (total == 1.0) == info["solved"]
    assert info["reward_valid"] is True
    assert all(type(v) is float for v in info["metrics"].values())
    return total, info, transcript


def level_cases(*levels: int) -> list[Any]:
    """Every environment at those levels, or once where it has none."""
    return [case(i, d) for i in IDS for d in (levels if env_class(i).levels else (None,))]


quick_levels = pytest.mark.parametrize(
    ("env_id", "difficulty"), [case(i, QUICK.get(i, 5) if env_class(i).levels else None) for i in IDS]
)


@every_env
def test_check_env(env_id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(raw(env_id))
        check_env(raw(env_id, render_mode="ansi"))


@every_env
def test_documented(env_id: str) -> None:
    cls = env_class(env_id)
    module = sys.modules[cls.__module__]
    assert module.__doc__
    assert "Source" in module.__doc__ + (cls.__doc__ or "")
    assert cls.__doc__
    assert [setting.name for setting in settings_of(cls) if not setting.doc.endswith(".")] == [], "no sentence beneath"
    assert len(cls.cheats) >= 4
    assert all(name in named_settings(cls) for row in cls.levels for name in row)
    if cls.levels:
        assert len(cls.levels) == len(cls.chance) == 10
        assert len({json.dumps(row, sort_keys=True) for row in cls.levels}) == 10, "levels repeat"
        if max(cls.chance) > 0.05:
            assert "hance" in cls.__doc__, "a chance rate above 5 % must be explained in the docstring"


@every_env
def test_spec_is_data(env_id: str) -> None:
    spec = gymnasium.make(env_id).spec
    assert spec is not None
    assert gymnasium.envs.registration.EnvSpec.from_json(spec.to_json()) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec


@quick_levels
def test_oracle_solves_and_paraphrases_count(env_id: str, difficulty: int | None) -> None:
    oracle_solves(env_id, difficulty, slice(1))


@SLOW
@pytest.mark.parametrize(("env_id", "difficulty"), level_cases(1, 10))  # 5 is played by the quick ones
def test_oracle_solves_at_every_height(env_id: str, difficulty: int | None) -> None:
    oracle_solves(env_id, difficulty, slice(6))


def oracle_solves(env_id: str, difficulty: int | None, part: slice) -> None:
    env = raw(env_id, **({} if difficulty is None else {"difficulty": difficulty}))
    for seed in SEEDS[part]:
        total, info, transcript = play(env, seed, lambda e: e.oracle())
        assert total == 1.0, transcript
        assert "format_errors" in info["metrics"]
        assert info["metrics"]["format_errors"] == 0
    for seed in SEEDS[part][:3]:
        env.reset(seed=seed)
        for number in range(len(env.paraphrases())):
            total, _, transcript = play(env, seed, lambda e, n=number: (e.paraphrases() or [e.oracle()])[n])
            assert total == 1.0, transcript


@quick_levels
def test_cheats_earn_nothing(env_id: str, difficulty: int | None) -> None:
    cheats_earn_nothing(env_id, difficulty, slice(1))


@SLOW
@pytest.mark.parametrize(("env_id", "difficulty"), level_cases(1, 10))  # 5 is played by the quick ones
def test_cheats_earn_nothing_at_any_height(env_id: str, difficulty: int | None) -> None:
    cheats_earn_nothing(env_id, difficulty, slice(None))


def cheats_earn_nothing(env_id: str, difficulty: int | None, part: slice) -> None:
    env = raw(env_id, **({} if difficulty is None else {"difficulty": difficulty}))
    for seed in SEEDS[:2][part]:
        for cheat in env.cheats:
            total, _, transcript = play(env, seed, lambda e, c=cheat: c if isinstance(c, str) else c(e))
            assert total == 0.0, transcript


@quick_levels
def test_chance_is_about_as_recorded(env_id: str, difficulty: int | None) -> None:
    chance_is_as_recorded(env_id, difficulty, 6)


@SLOW
@pytest.mark.parametrize(("env_id", "difficulty"), level_cases(1, 10))  # 5 is played by the quick ones
def test_chance_is_as_recorded(env_id: str, difficulty: int | None) -> None:
    chance_is_as_recorded(env_id, difficulty, 30)


def chance_is_as_recorded(env_id: str, difficulty: int | None, episodes: int) -> None:
    cls = env_class(env_id)
    if difficulty is None:
        assert cls.chance == (), "no levels, no table"
        return
    assert "chance_default" in cls.__dict__, "`turnwise audit NAME --levels` measures it"
    episodes = min(episodes, 15) if env_id in DEAR else episodes
    held_to(raw(env_id, difficulty=difficulty), cls.chance[difficulty - 1], episodes)
    if difficulty == 1:
        held_to(raw(env_id), cls.chance_default, episodes)


def held_to(env: Env[Any], p: float, episodes: int) -> None:
    """The random agent solves about as many tasks as recorded."""
    rng = np.random.default_rng(7)
    solved = sum(play(env, seed_of("chance", i), lambda e: e.sample_action(rng))[1]["solved"] for i in range(episodes))
    spread = (max(p * (1 - p), 0.002) / episodes) ** 0.5
    assert abs(solved / episodes - p) <= 4.5 * spread + 1 / episodes, f"{solved}/{episodes}, recorded {p}"


@pytest.mark.parametrize(
    "part", [pytest.param(slice(2), id="quick"), pytest.param(slice(2, None), marks=SLOW, id="more")]
)
@every_env
def test_hostile_text_is_answered(env_id: str, part: slice) -> None:
    env, more = raw(env_id), part.start is not None
    for text in () if more else HOSTILE:
        total, _, transcript = play(env, SEEDS[0], lambda e, t=text: t)
        assert total < 1.0 or text == transcript[-1][0] == "-0", transcript[:3]
    big = BIG[::-1][part]
    for text in big[IDS.index(env_id) % 2 :: 2] if more else big:  # all of them in all environments would take minutes
        env.reset(seed=SEEDS[1])
        with at_most(millions=100):
            tracemalloc.start()
            _, reward, _, _, _ = env.step(text)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert peak < 200e6
        assert reward == 0.0
    env.reset(seed=SEEDS[1])
    _, reward, _, _, info = env.step("1" * (MAX_ACTION_CHARS + 1))
    assert reward == 0.0
    assert info["invalid_action"] is True


@pytest.mark.parametrize("examples", [15, pytest.param(60, marks=SLOW)])
@every_env
def test_hostile_text_property(env_id: str, examples: int) -> None:
    env = raw(env_id)
    env.reset(seed=SEEDS[0])
    words = [env.sample_action(np.random.default_rng(i)) for i in range(3)]
    fragments = st.one_of(
        st.sampled_from(
            [*words, "<answer>", "</answer>", "\\boxed{", "}", "<think>", "</think>", "=", "/", "0", "||", ";", ","]
        ),
        st.text(max_size=20),
        st.characters(),
    )

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.lists(fragments, max_size=8).map("".join), min_size=1, max_size=4), st.integers(0, 2**62))
    def run(actions: list[str], seed: int) -> None:
        env.reset(seed=seed)
        for action in actions:
            observation, reward, terminated, truncated, _ = env.step(action)
            assert observation in env.observation_space
            assert 0.0 <= reward <= 1.0
            if terminated or truncated:
                return

    run()


def digest_of_episodes(env_id: str, seeds: int = 1) -> str:
    """A transcript of a few episodes with random and oracle play, as one string."""
    env = raw(env_id)
    lines = []
    for seed in SEEDS[:seeds]:
        rng = np.random.default_rng(seed % 2**32)
        lines.append(play(env, seed, lambda e, r=rng: e.sample_action(r))[2])
        lines.append(play(env, None, lambda e: e.oracle())[2])
    return repr(lines)


@pytest.mark.parametrize("seeds", [1, pytest.param(3, marks=SLOW)])
def test_same_bytes_in_another_process(seeds: int) -> None:
    """Another process, another hash seed, other order: the same transcripts."""
    script = (
        "import hashlib, sys; sys.path[:0] = ['tests', '.']; import test_envs as t;"
        f"print(*[hashlib.sha256(t.digest_of_episodes(i, {seeds}).encode('utf-8', 'surrogatepass')).hexdigest()"
        " for i in t.IDS[::-1]])"
    )
    command = [sys.executable, "-c", script]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "4242"}).stdout
    here = [hashlib.sha256(digest_of_episodes(i, seeds).encode("utf-8", "surrogatepass")).hexdigest() for i in IDS]
    assert dict(zip(IDS, printed.split()[::-1], strict=True)) == dict(zip(IDS, here, strict=True))


@pytest.mark.parametrize("seeds", [1, pytest.param(3, marks=SLOW)])
@every_env
def test_interleaved_and_threaded(env_id: str, seeds: int) -> None:
    """Another environment, or other threads, change nothing; the global generators are neither read nor written."""
    import random

    random.seed(1)
    np.random.seed(1)
    before = (random.getstate(), np.random.get_state()[1].tolist())  # type: ignore[union-attr, index]
    alone = digest_of_episodes(env_id, seeds)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # type: ignore[union-attr, index]
    a, b = raw(env_id), raw(env_id)
    for seed in SEEDS[:seeds]:
        first = a.reset(seed=seed)
        b.reset(seed=seed + 1)
        b.step("x")
        assert a.reset(seed=seed) == first
    results: list[str] = []
    threads = [threading.Thread(target=lambda: results.append(digest_of_episodes(env_id, seeds))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [alone] * 3


@pytest.mark.parametrize("tasks", [3, pytest.param(15, marks=SLOW)])
@every_env
def test_splits_are_disjoint_and_whole(env_id: str, tasks: int) -> None:
    everything: dict[str, set[str]] = {}
    tasks = min(tasks, 8) if env_id in DEAR else tasks
    for split in ("train", "test"):
        env = raw(env_id, split=split)
        everything[split] = {env.reset(seed=seed_of(split, i))[1]["task_id"] for i in range(tasks)}
        assert all(split_of(i) == split for i in everything[split])
    assert not everything["train"] & everything["test"]
    env = raw(env_id)
    free = (split_of(env.reset(seed=seed_of("free", i))[1]["task_id"]) for i in range(50))
    first = next(free)
    assert any(split != first for split in free), "50 tasks of no split in particular are all of one"


@every_env
def test_identity_has_no_solution_and_no_numpy(env_id: str) -> None:
    env = raw(env_id)
    env.reset(seed=SEEDS[0])
    text = repr(env.identity(env.task))
    assert not re.search(r"\bnp\.(?:[a-z]+\d*_?\(|True_|False_)", text), text
    assert "array(" not in text
    assert not re.search(r"0x[0-9a-f]{6,}", text), "an address in the identity"
    hash(env.task)


@pytest.mark.parametrize("seeds", [1, pytest.param(4, marks=SLOW)])
@every_env
def test_fork_is_independent(env_id: str, seeds: int) -> None:
    env = raw(env_id)
    for seed in SEEDS[:seeds]:
        env.reset(seed=seed)
        env.step(env.sample_action(np.random.default_rng(3)))
        if env._over:
            env.reset(seed=seed)
        twin = env.fork()
        reference = env.fork()

        def finish(e: Env[Any]) -> list[Any]:
            out: list[Any] = []
            while not e._over:
                out.append(e.step(e.oracle()))
            out.append(e.reset())
            return out

        junk = np.random.default_rng(9)
        while not env._over:
            env.step(env.sample_action(junk))
        env.reset()
        first = finish(twin)
        assert first == finish(reference)


@every_env
def test_pickles_in_mid_episode(env_id: str) -> None:
    env = raw(env_id)
    env.reset(seed=SEEDS[0])
    copy = pickle.loads(pickle.dumps(env))
    assert copy.step(copy.oracle()) == env.step(env.oracle())


@every_env
def test_turn_limit(env_id: str) -> None:
    env = raw(env_id, max_turns=3)
    env.reset(seed=SEEDS[0])
    for turn in range(3):
        _, reward, terminated, truncated, info = env.step("\x00 no move")
        assert reward == 0.0
        assert (terminated, truncated) == (False, turn == 2)
    assert info["solved"] is False
    assert info["metrics"]["format_errors"] == 3.0
    with pytest.raises(UsageError):
        env.step("x")
    single = raw(env_id, max_turns=1)
    single.reset(seed=SEEDS[0])
    assert single.step("\x00 no move")[2:4] == (True, False)


@every_env
def test_bad_settings_are_refused(env_id: str) -> None:
    with pytest.raises(SettingsError, match="no_such_knob"):
        gymnasium.make(env_id, no_such_knob=1)
    with pytest.raises(SettingsError, match="max_turns"):
        gymnasium.make(env_id, max_turns=0)
    with pytest.raises(SettingsError, match="split"):
        gymnasium.make(env_id, split="dev")
    with pytest.raises(SettingsError, match="difficulty"):
        gymnasium.make(env_id, difficulty=11)
    cls = env_class(env_id)
    for setting in settings_of(cls):
        ends = [] if setting.range is None else [setting.range.low, setting.range.high]
        for end, off in zip(ends, (-1, 1), strict=False):
            if end is not None:
                value = type(setting.default or end)(end + off)
                with pytest.raises(SettingsError, match=f"^{setting.name} is {value}; it must be {setting.range}"):
                    gymnasium.make(env_id, **{setting.name: value})
    with pytest.raises(UsageError, match="reset"):
        raw(env_id).step("x")
    env = raw(env_id)
    env.reset(seed=1)
    with pytest.raises(TypeError, match="str"):
        env.step(5)  # type: ignore[arg-type]


@every_env
def test_difficulty_row_gives_way_to_a_named_knob(env_id: str) -> None:
    cls = env_class(env_id)
    if not cls.levels:
        return
    row = cls.levels[2]
    env = raw(env_id, difficulty=3)
    assert {name: getattr(env, name) for name in row} == dict(row)
    assert raw(env_id, difficulty=3, max_turns=17).max_turns == 17
