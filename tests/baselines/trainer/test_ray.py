"""Rollouts over a local cluster of two nodes: whatever happens to workers, each group counts once, to the bit."""

import os
import signal
import sys
import time
import uuid
from functools import partial
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.baselines.methods.curricula.base import TaskSpec
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.parts import EnvConfig, Rollout, RunConfig
from turnwise.baselines.trainer.ray_workers import Assignments, EnginePlayer, RayCollector
from turnwise.core.episode import Job
from turnwise.core.errors import MissingDependencyError, SettingsError

# --- the books, without Ray ---


def test_units_are_given_in_order_and_counted_once():
    books = Assignments([1, 2, 3])
    assert [books.next("a"), books.next("b")] == [1, 2]
    assert books.done("a", 1) and not books.done("a", 1)
    assert [books.next("a"), books.next("c")] == [3, None]
    assert books.done("b", 2) and not books.finished
    assert books.done("a", 3) and books.finished


def test_what_a_lost_worker_held_is_next():
    books = Assignments([1, 2, 3])
    books.next("a")
    books.lost("a")
    books.lost("a")  # holds nothing any more
    assert [books.next("b"), books.next("c"), books.next("d"), books.next("e")] == [1, 2, 3, None]


def test_a_late_answer_counts_if_it_is_the_first():
    books = Assignments([1, 2])
    books.next("slow")
    books.lost("slow")
    assert books.done("slow", 1)  # before anybody took it up again
    assert books.next("b") == 2  # so it is not played again
    late = Assignments([1])
    late.next("slow")
    late.lost("slow")
    late.next("b")
    assert late.done("slow", 1) and not late.done("b", 1) and late.finished


def test_answers_of_another_call_do_not_count():
    books = Assignments([(7, 1, 0)])
    assert not books.done("a", (6, 1, 0)) and not books.finished


def test_books_refuse_confusion():
    with pytest.raises(SettingsError, match="differ"):
        Assignments([1, 1])
    books = Assignments([1, 2])
    books.next("a")
    with pytest.raises(SettingsError, match="still holds 1"):
        books.next("a")


@given(data=st.data(), units=st.integers(0, 6))
@settings(max_examples=300)
def test_nothing_is_lost_or_counted_twice_whatever_happens(data, units):
    """Workers take units, answer, answer again, die with a unit, answer after they were given up."""
    books = Assignments(range(units))
    holding: dict[str, int] = {}  # what each worker is at
    answers: list[tuple[str, int]] = []  # that may arrive (again) at any time
    counted: list[int] = []
    names = iter(range(10_000))
    idle = ["w"]

    def deliver(worker, unit):
        if books.done(worker, unit):
            counted.append(unit)

    for event in data.draw(
        st.lists(st.sampled_from(["take", "answer", "lose", "again", "stale", "join"]), max_size=40)
    ):
        if event == "take" and idle:
            worker = idle.pop()
            if (unit := books.next(worker)) is None:
                idle.append(worker)
            else:
                assert unit not in counted and unit not in holding.values()
                holding[worker] = unit
                answers.append((worker, unit))
        elif event in ("answer", "lose") and holding:
            worker = data.draw(st.sampled_from(sorted(holding)))
            unit = holding.pop(worker)
            if event == "answer":
                deliver(worker, unit)
                idle.append(worker)
            else:
                books.lost(worker)
        elif event == "again" and answers:  # a duplicate, or the answer of a worker that was given up
            worker, unit = data.draw(st.sampled_from(answers))
            if holding.get(worker) != unit:
                deliver(worker, unit)
        elif event == "stale":
            assert not books.done("ghost", -1)
        elif event == "join":
            idle.append(f"w{next(names)}")
        assert len(counted) == len(set(counted)) and books.finished == (len(counted) == units)
    for worker, unit in holding.items():
        deliver(worker, unit)
    while (unit := books.next("last")) is not None:
        deliver("last", unit)
    assert books.finished and sorted(counted) == list(range(units))


# --- Ray ---

CONFIG = TrainConfig(
    env=EnvConfig(id="turnwise/GuessNumber-v0", max_turns=3),
    rollout=Rollout(groups_per_step=4, group_size=3, max_new_tokens=4),
    run=RunConfig(trackers=()),
)
UNIT, UNITS = 6, 5  # two groups of three rollouts; the last unit has one group


class Unlucky(EnginePlayer):
    """Is killed when it has first played unit 1, hangs when it has first played unit 3: before anything is sent."""

    def __init__(self, cfg: TrainConfig, folder: str) -> None:
        super().__init__(cfg)
        self.folder = Path(folder)

    def play(self, plays, **settings):
        import ray

        if plays[0].seed == -1:
            raise SettingsError("a task that cannot be")
        unit = plays[0].key[-2] // 2
        (self.folder / f"{ray.get_runtime_context().get_node_id()}.node").touch()
        (self.folder / f"{unit}.{uuid.uuid4().hex}.try").touch()
        first = len(list(self.folder.glob(f"{unit}.*.try"))) == 1
        runs = super().play(plays, **settings)
        if first and unit == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if first and unit == 3:
            time.sleep(600)
        return runs


def make_plays(groups: int) -> list[Job]:
    tasks = [TaskSpec(CONFIG.env.id, {}, 100 + number) for number in range(groups)]
    return [task.job((0, 5, number, sample)) for number, task in enumerate(tasks) for sample in range(3)]


def local(weights, plays):
    """The undisturbed play of the same units in this process."""
    player = EnginePlayer(CONFIG)
    player.load(0, weights)
    return [run for i in range(0, len(plays), UNIT) for run in player.play(plays[i : i + UNIT])]


@pytest.fixture
def cluster(monkeypatch):
    pytest.importorskip("ray", reason="needs turnwise[ray]")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
    first, second = ({"node_ip_address": f"127.0.0.{n}"} for n in (2, 3))  # Ray takes .1 for the outer address
    found = Cluster(initialize_head=True, head_node_args=node | first | {"include_dashboard": False})
    found.add_node(**node, **second)
    ray.init(address=found.address, log_to_driver=False, _node_ip_address="127.0.0.2")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield found
    ray.shutdown()
    found.shutdown()


@pytest.mark.slow
def test_a_killed_and_a_hung_worker_change_nothing(cluster, tmp_path):
    """One cluster start, which is slow, for all: kill, hang, new weights, the player's own errors."""
    import ray

    folder = tmp_path
    old = {n: v.clone() for n, v in EnginePlayer(CONFIG).model.state_dict().items()}
    generator = torch.Generator().manual_seed(1)
    new = {n: v + 0.05 * torch.randn(v.shape, generator=generator) for n, v in old.items()}
    plays = make_plays(9)
    nowhere = CONFIG.changed({"env": "turnwise/Nothing-v0"})
    broken = RayCollector(partial(EnginePlayer, nowhere), workers=1, unit=UNIT, options={"num_cpus": 0})
    broken.load(0, [])
    collector = RayCollector(partial(Unlucky, CONFIG, str(folder)), workers=2, unit=UNIT, timeout_s=6)
    with pytest.raises(SettingsError, match="load weights"):
        collector.play(plays)
    collector.load(0, old.items())
    first = collector.play(plays)
    assert collector.replaced == 2
    tries = [len(list(folder.glob(f"{unit}.*.try"))) for unit in range(UNITS)]
    assert tries == [1, 2, 1, 2, 1]
    assert len(list(folder.glob("*.node"))) == 2  # both machines played
    assert [run.job for run in first] == plays
    assert first == local(old.items(), plays)
    collector.load(1, new.items())
    second = collector.play(plays)
    assert second == local(new.items(), plays) and second != first
    with pytest.raises(SettingsError, match="a task that cannot be"):
        collector.play([TaskSpec(CONFIG.env.id, {}, -1).job((0, 0))])
    assert collector.play(plays[:UNIT]) == second[:UNIT]  # the worker plays on
    assert collector.replaced == 2
    collector.close()
    with pytest.raises(ray.exceptions.RayActorError, match="Nothing-v0"):  # at once, not with every replacement
        broken.play(plays)
    broken.close()


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingDependencyError, match=r"turnwise\[ray\]"):
        RayCollector(partial(EnginePlayer, CONFIG), workers=1, unit=1)
    with pytest.raises(SettingsError, match="workers"):
        RayCollector(partial(EnginePlayer, CONFIG), workers=0, unit=1)
