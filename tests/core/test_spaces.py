"""The space of texts: membership, sampling, and batching by gymnasium's own vector environments."""

import copy
import json
import multiprocessing
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.passive_env_checker import check_action_space, check_observation_space
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import (
    batch_space,
    concatenate,
    create_empty_array,
    create_shared_memory,
    iterate,
    read_from_shared_memory,
    write_to_shared_memory,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import turnwise  # noqa: F401  (registers)
from tests._work import at_most
from turnwise.core.env import Env, Reply
from turnwise.core.spaces import Text

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates included
STRANGE = ["", "\x00", "a\x00b\x00", "日本語 ½ 🙂", "\ud800 lone \udfff", "<|im_start|>", "\r\n\t"]


def test_contains() -> None:
    space = Text(5)
    assert all(text in space for text in ("", "abcde", "日本語🙂\n", "\ud800\x00"))
    assert all(other not in space for other in ("abcdef", b"abc", None, 3, ["a"], np.array("abc")))
    assert np.str_("abc") in space


def test_contains_takes_constant_time() -> None:
    space, text = Text(2**24), "é" * 10_000_000
    with at_most(millions=1):
        assert all(text in space for _ in range(1000))


def test_samples_are_members_and_seeded() -> None:
    space = Text(10, seed=3)
    texts = [space.sample() for _ in range(200)]
    assert all(text in space and type(text) is str and text for text in texts)
    assert len(set(texts)) > 150
    assert texts == [other.sample() for other in [Text(10, seed=3)] for _ in range(200)]
    assert Text(1).sample() in Text(1)
    with pytest.raises(ValueError, match="mask"):
        space.sample(mask=object())  # type: ignore[arg-type]


def test_equality_hash_and_copies() -> None:
    space = Text(7, seed=1)
    assert space == Text(7) and hash(space) == hash(Text(7))
    assert space != Text(8) and space != gymnasium.spaces.Text(7) and space != 7
    for twin in (pickle.loads(pickle.dumps(space)), copy.deepcopy(space)):
        assert twin == space and twin.sample() == copy.deepcopy(space).sample()
    assert repr(space) == "Text(7)"
    assert space.is_np_flattenable is False


def test_json_and_checkers_of_gymnasium() -> None:
    space = Text(9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_observation_space(space)
        check_action_space(space)
    assert space.from_jsonable(json.loads(json.dumps(space.to_jsonable(["ab", "", "\ud800"])))) == ["ab", "", "\ud800"]


def test_batching_functions() -> None:
    space = Text(9)
    batched = batch_space(space, 3)
    assert ("a", "", "ü") in batched and ("a", "") not in batched
    assert batched.sample() in batched
    assert len({batch_space(Text(2**20), 4).sample()[i] for i in range(4)}) > 1, "the parts do not repeat each other"
    assert create_empty_array(space, 3) == ("", "", "")
    assert concatenate(space, ["a", "b"], create_empty_array(space, 2)) == ("a", "b")
    assert list(iterate(batched, ("a", "b", "c"))) == ["a", "b", "c"]


@settings(max_examples=60)
@given(st.lists(ANY_TEXT, min_size=3, max_size=3), st.lists(ANY_TEXT, min_size=3, max_size=3))
def test_shared_memory_gives_back_any_text(first: list[str], second: list[str]) -> None:
    space = Text(2**20)
    memory = create_shared_memory(space, 3, multiprocessing)  # type: ignore[arg-type]
    for texts in (first, second):  # the second overwrites longer and shorter ones
        for i, text in enumerate(texts):
            write_to_shared_memory(space, i, text, memory)
        assert tuple(read_from_shared_memory(space, memory, 3)) == tuple(texts)


def test_shared_memory_refuses_what_does_not_fit() -> None:
    space = Text(2**20)
    memory = create_shared_memory(space, 2, multiprocessing)  # type: ignore[arg-type]
    write_to_shared_memory(space, 1, "second", memory)
    write_to_shared_memory(space, 0, "x" * 65_536, memory)
    assert tuple(read_from_shared_memory(space, memory, 2)) == ("x" * 65_536, "second")
    with pytest.raises(ValueError, match="shared_memory=False"):
        write_to_shared_memory(space, 0, "x" * 65_537, memory)
    assert read_from_shared_memory(space, memory, 2)[1] == "second"


class Echo(Env[int]):
    """Says back what it hears; not registered."""

    max_turns: int = 100

    def generate(self, rng: np.random.Generator) -> int:
        return int(rng.integers(2**31))

    def identity(self, task: int) -> object:
        return task

    def begin(self) -> str:
        return f"{self.task}"

    def respond(self, action: str) -> Reply:
        return Reply(action)


def play(env: VectorEnv[Any, Any, Any], turns: list[tuple[str, ...]]) -> list[Any]:
    observations, infos = env.reset(seed=5)
    log: list[Any] = [observations, infos["task_id"].tolist()]
    for actions in turns:
        observations, rewards, terminated, truncated, _ = env.step(actions)
        assert observations in env.observation_space
        log.append((observations, rewards.tolist(), terminated.tolist(), truncated.tolist()))
    env.close()
    return log


@pytest.mark.parametrize("kind", ["sync", "shared", "pipes"])
def test_any_text_passes_through_vector_environments(kind: str) -> None:
    makers = [Echo, Echo]
    if kind == "sync":
        env: VectorEnv[Any, Any, Any] = SyncVectorEnv(makers)
    else:
        env = AsyncVectorEnv(makers, shared_memory=kind == "shared", context="fork")
    turns = [(text, text[::-1]) for text in STRANGE]
    assert [entry[0] for entry in play(env, turns)[2:]] == turns


def test_gymnasiums_vector_modes_agree() -> None:
    turns = [
        ("16", "<answer>8</answer>"),
        ("\ud800", "日本"),
        ("24", "4"),
        ("3", "2"),
        ("5", "6"),
        ("1", "9"),
        ("7", "7"),
    ]
    logs = []
    for mode, settings_ in (
        ("sync", {}),
        ("async", {"context": "fork"}),
        ("async", {"context": "fork", "shared_memory": False}),
    ):
        env = gymnasium.make_vec("turnwise/GuessNumber-v0", 2, vectorization_mode=mode, vector_kwargs=settings_)
        assert isinstance(env, SyncVectorEnv if mode == "sync" else AsyncVectorEnv)
        logs.append(play(env, turns))
    assert logs[0] == logs[1] == logs[2]
    assert "from 1 to 32" in logs[0][0][0]
    assert logs[0][3][0][0].startswith("Not a guess")
    assert any(any(entry[2]) or any(entry[3]) for entry in logs[0][2:])
