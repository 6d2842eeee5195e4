"""Rate limits, on a clock of the test's own."""

import threading

import pytest

from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.http.pace import Pace


class Clock:
    """A clock that the test turns."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_requests_are_spaced_out() -> None:
    clock = Clock()
    pace = Pace(requests=60, clock=clock)
    assert [pace.reserve() for _ in range(4)] == [0, 1, 2, 3]
    clock.now += 10
    assert pace.reserve() == 0, "what was not used is not saved up"
    assert pace.reserve() == 1


def test_no_minute_has_more_requests_than_allowed() -> None:
    clock = Clock()
    pace = Pace(requests=120, clock=clock)
    sent = []
    for step in range(300):
        clock.now = 100 + step * 0.3
        sent.append(clock.now + pace.reserve())
    assert max(sum(start <= at < start + 60 for at in sent) for start in sent) <= 120


def test_tokens_are_estimated_and_put_right() -> None:
    clock = Clock()
    pace = Pace(tokens=6000, clock=clock)  # 100 a second
    assert pace.reserve(500) == 0
    assert pace.reserve(100) == pytest.approx(5)
    pace.correct(500, 900)
    assert pace.reserve(100) == pytest.approx(10)
    pace.correct(100, 0)
    clock.now += 60
    assert pace.reserve(10**6) == 0, "one that is larger than a minute's share is sent, and delays the next"
    assert pace.reserve(1) == pytest.approx(10_000)


def test_without_limits_nobody_waits_and_waiting_ends_with_the_run() -> None:
    assert Pace().reserve(10**9) == 0
    stop = threading.Event()
    stop.set()
    pace = Pace(requests=1e-6)
    pace.wait(stop)
    with pytest.raises(InfrastructureError, match="interrupted"):
        pace.wait(stop)
    with pytest.raises(SettingsError, match="requests is 0; it must be above 0"):
        Pace(requests=0)
