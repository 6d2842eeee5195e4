"""The capacity of asynchronous rollouts by hand and in a simulation."""

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwise.baselines.methods.sampling.staleness import capacity


@pytest.mark.parametrize(
    ("running", "accepted", "version", "expected"),
    [
        (0, 0, 0, 12),  # (2 + 0 + 1) * 4 = 12, below 16
        (10, 0, 0, 2),  # 12 - 10
        (4, 8, 0, 0),
        (4, 8, 1, 4),  # (2 + 1 + 1) * 4 - 12
        (4, 8, 9, 12),  # the limit of 16 at once, 4 of them taken
        (16, 4, 0, -8),
    ],
)
def test_capacity_by_hand(running, accepted, version, expected):
    assert capacity(running, accepted, version, batch_size=4, max_staleness=2, max_running=16) == expected


@given(
    eta=st.integers(0, 3),
    batch=st.integers(1, 4),
    events=st.lists(st.sampled_from(["start", "start", "end", "reject", "train"]), max_size=120),
)
def test_rollouts_trained_on_in_order_are_never_too_stale(eta, batch, events):
    running: deque[int] = deque()  # the version that each began with
    ready: deque[int] = deque()
    version = accepted = 0
    for event in events:
        if event == "start":
            free = capacity(len(running), accepted, version, batch_size=batch, max_staleness=eta, max_running=1000)
            running.extend([version] * min(3, max(0, free)))
        elif event == "end" and running:
            accepted += 1
            ready.append(running.popleft())
        elif event == "reject" and running:
            running.pop()
        elif event == "train" and len(ready) >= batch:
            assert all(0 <= version - ready.popleft() <= eta for _ in range(batch))
            version += 1
