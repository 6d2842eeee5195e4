"""Replay of successes: first in, first out, per task; when a group takes one; state."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwise.baselines.methods.sampling.replay import Replay, ReplayBuffer, Success, needs_replay
from turnwise.core.errors import SettingsError

KEY = (3,)


def test_a_group_needs_replay_when_it_failed_as_a_whole():
    assert needs_replay([0.0] * 4) and needs_replay([0.1, 0.15, 0.1, 0.15])
    assert not needs_replay([0.0, 0.0, 0.0, 1.0])  # has spread
    assert not needs_replay([1.0] * 4) and not needs_replay([0.2] * 4)  # not below 0.2
    assert not needs_replay([])
    # population standard deviation of 0, 0.1 is 0.05: not below; of 0, 0.09 it is 0.045
    assert not needs_replay([0.0, 0.1]) and needs_replay([0.0, 0.09])


def test_the_latest_successes_of_a_task_stay():
    buffer = ReplayBuffer(Replay(per_task=3))
    kept = [buffer.add("a", f"run {i}", ret, step=i) for i, ret in enumerate([1.0, 0.1, 0.9, 0.0, 0.8, 0.7])]
    assert kept == [True, False, True, False, True, True]  # 0.1 is not above 0.1
    assert buffer.stored("a", step=9) == [Success("run 2", 0.9, 2), Success("run 4", 0.8, 4), Success("run 5", 0.7, 5)]
    assert buffer.stored("b", step=9) == [] and len(buffer) == 3


def test_the_task_without_news_for_longest_is_forgotten():
    buffer = ReplayBuffer(Replay(max_tasks=2))
    for step, task in enumerate(["a", "b", "a", "c"]):
        buffer.add(task, step, 1.0, step=step)
    assert [bool(buffer.stored(task, step=9)) for task in "abc"] == [True, False, True]
    assert len(buffer) == 3


def test_old_successes_are_not_given_out():
    buffer = ReplayBuffer(Replay(max_age=5))
    buffer.add("a", "old", 1.0, step=0)
    buffer.add("a", "new", 1.0, step=4)
    assert [s.payload for s in buffer.stored("a", step=5)] == ["old", "new"]
    assert [s.payload for s in buffer.stored("a", step=6)] == ["new"]
    assert buffer.substitute("a", [0.0] * 4, step=10, key=KEY) is None
    assert [s.payload for _, s in buffer.sample(9, step=9, key=KEY)] == ["new"]
    buffer.add("a", "newer", 1.0, step=20)
    assert len(buffer) == 1


def test_a_failed_group_gets_a_success_of_its_task_and_only_then():
    buffer = ReplayBuffer(Replay())
    for i in range(8):
        buffer.add("a", i, 1.0, step=i)
    assert buffer.substitute("a", [0.0, 1.0, 0.0, 0.0], step=9, key=KEY) is None
    assert buffer.substitute("b", [0.0] * 4, step=9, key=KEY) is None
    found = [buffer.substitute("a", [0.0] * 4, step=step, key=KEY) for step in range(8, 90)]
    assert found == [buffer.substitute("a", [0.0] * 4, step=step, key=KEY) for step in range(8, 90)]
    assert {s.payload for s in found} == set(range(8))  # which one it is varies from step to step
    assert found != [buffer.substitute("a", [0.0] * 4, step=step, key=(4,)) for step in range(8, 90)]


def test_what_may_count_as_a_success_and_as_a_failure_is_a_setting():
    buffer = ReplayBuffer(Replay(min_return=-1.0, max_mean=-0.5))
    assert buffer.add("a", 0, -0.9, step=0) and not buffer.add("a", 0, -1.0, step=0)
    assert buffer.substitute("a", [0.0] * 4, step=0, key=KEY) is None
    assert buffer.substitute("a", [-1.0] * 4, step=0, key=KEY).ret == -0.9


def test_a_sample_holds_nothing_twice():
    buffer = ReplayBuffer(Replay())
    for i in range(6):
        buffer.add(f"task {i % 2}", i, 1.0, step=i)
    drawn = [s.payload for _, s in buffer.sample(4, step=6, key=KEY)]
    assert len(set(drawn)) == 4 and drawn == [s.payload for _, s in buffer.sample(4, step=6, key=KEY)]
    assert sorted(s.payload for _, s in buffer.sample(99, step=6, key=KEY)) == list(range(6))
    assert buffer.sample(3, step=6, key=KEY) != buffer.sample(3, step=7, key=KEY)
    assert ReplayBuffer(Replay()).sample(3, step=0, key=KEY) == []


events = st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0, 1)), max_size=30)


@given(before=events, after=events)
def test_a_state_through_json_continues_identically(before, after):
    settings = {"per_task": 2, "max_tasks": 3, "max_age": 12}
    ours = ReplayBuffer(Replay(**settings))
    for step, (task, ret) in enumerate(before):
        ours.add(task, {"ids": [step], "logps": [-0.1 * step]}, ret, step=step)
    restored = ReplayBuffer(Replay(**settings))
    restored.load_state_dict(json.loads(json.dumps(ours.state_dict())))
    for step, (task, ret) in enumerate(after, start=len(before)):
        assert restored.substitute(task, [0.0], step=step, key=KEY) == ours.substitute(task, [0.0], step=step, key=KEY)
        for buffer in (ours, restored):
            buffer.add(task, [step], ret, step=step)
        assert restored.sample(3, step=step, key=KEY) == ours.sample(3, step=step, key=KEY)
    assert restored.state_dict() == ours.state_dict()
    assert len(ours) <= 6


def test_bad_settings_are_named():
    with pytest.raises(SettingsError, match="per_task is 0; it must be at least 1"):
        ReplayBuffer(Replay(per_task=0))
    with pytest.raises(SettingsError, match="max_age is -1; it must be at least 0"):
        ReplayBuffer(Replay(max_age=-1))
