"""Worlds in memory and on disk: one builder at a time, damage noticed, nothing half-written."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from turnwise.core.files import waited_for
from turnwise.worlds.documents import World, WorldSettings, cache, open_world

SIZE = 300


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache that takes worlds of any size; nothing in memory."""
    monkeypatch.setenv("TURNWISE_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "DISK_DOCUMENTS", 0)
    forget(monkeypatch)
    return tmp_path / "worlds"


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_worlds", type(cache._worlds)())


def print_of(world: World) -> int:
    return zlib.crc32(repr([world.page(n) for n in range(0, world.num_documents, 7)]).encode())


def counted(monkeypatch: pytest.MonkeyPatch) -> list[WorldSettings]:
    built: list[WorldSettings] = []
    build = cache.build

    def counting(settings: WorldSettings) -> dict[str, object]:
        built.append(settings)
        time.sleep(0.05)
        return build(settings)

    monkeypatch.setattr(cache, "build", counting)
    return built


def test_one_object_while_it_is_held() -> None:
    world = open_world(1, 100)
    assert open_world(1, 100) is world and open_world(2, 100) is not world
    again = pickle.dumps(world)
    assert len(again) < 500 and pickle.loads(again) is world


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    forget(monkeypatch)
    monkeypatch.setattr(cache, "MEMORY_DOCUMENTS", 250)
    first, second = open_world(1, 100), open_world(2, 100)
    assert open_world(1, 100) is first
    open_world(3, 100)  # drops the second, used longest ago
    assert open_world(1, 100) is first
    assert open_world(2, 100) is not second
    assert open_world(4, 400).num_documents == 400  # too large for the bound, and still given


def test_threads_build_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = counted(monkeypatch)
    with ThreadPoolExecutor(8) as pool:
        worlds = list(pool.map(lambda n: open_world(n % 2, SIZE), range(32)))
    assert len(built) == 2 and len(set(map(id, worlds))) == 2


def test_disk_and_memory_agree(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = counted(monkeypatch)
    world = open_world(5, SIZE)
    forget(monkeypatch)
    again = open_world(5, SIZE)
    assert again is not world and len(built) == 1
    assert print_of(again) == print_of(world) == print_of(World(world.settings, cache.build(world.settings)))
    assert not list(folder.glob("*.tmp"))


DAMAGES = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-8]),
    "changed": lambda path: path.write_bytes(path.read_bytes()[:-1] + b"\x55"),
    "gone": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
}


@pytest.mark.parametrize("how", sorted(DAMAGES))
@pytest.mark.parametrize("name", ["fact_object.npy", "files.json", "name_letters.npy"])
def test_damage_is_repaired(folder: Path, monkeypatch: pytest.MonkeyPatch, how: str, name: str) -> None:
    built = counted(monkeypatch)
    expected = print_of(open_world(5, 100))
    DAMAGES[how](next(folder.glob("*-v*/")) / name)
    forget(monkeypatch)
    assert print_of(open_world(5, 100)) == expected and len(built) == 2
    forget(monkeypatch)
    assert print_of(open_world(5, 100)) == expected and len(built) == 2


def build_and_tell(start: Barrier, answers: "Queue[tuple[int, int]]") -> None:
    cache._worlds.clear()
    build, built = cache.build, []
    cache.build = lambda settings: built.append(settings) or build(settings)  # type: ignore[assignment, func-returns-value]
    start.wait()
    world = open_world(6, 5000)
    answers.put((len(built), print_of(world)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_processes_build_once(folder: Path) -> None:
    """Eight start at once: one builds, the others read what it wrote."""
    fork = multiprocessing.get_context("fork")
    start, answers = fork.Barrier(8), fork.Queue()
    children = [fork.Process(target=build_and_tell, args=(start, answers)) for _ in range(8)]
    for child in children:
        child.start()
    found = [answers.get() for _ in children]
    for child in children:
        child.join()
    assert sorted(built for built, _ in found) == [0] * 7 + [1]
    assert {checksum for _, checksum in found} == {
        print_of(World(WorldSettings(6, 5000), cache.build(WorldSettings(6, 5000))))
    }


def test_a_killed_builder_leaves_nothing_that_breaks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        "import time; from turnwise.worlds.documents import cache, open_world; cache.DISK_DOCUMENTS = 0; "
        "cache.np.save = lambda *_: (print('at it', flush=True), time.sleep(60)); open_world(6, 100)"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "at it\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert list(folder.glob("*.tmp"))
    assert open_world(6, 100).num_documents == 100
    assert not list(folder.glob("*.tmp")) and len(list(folder.glob("*-v*/files.json"))) == 1


def test_a_waiting_process_is_let_through(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another process holds the lock we wait; what it wrote meanwhile is read, not built again."""
    built = counted(monkeypatch)
    settings = WorldSettings(7, 100)
    expected = print_of(open_world(7, 100))
    ready = next(folder.glob("*-v*/"))
    aside = ready.rename(folder / "aside")
    forget(monkeypatch)
    with waited_for(folder / f"{ready.name}.lock"):
        waiting = threading.Thread(target=lambda: found.append(print_of(cache.world_of(settings))))
        found: list[int] = []
        waiting.start()
        time.sleep(0.2)
        assert not found
        aside.rename(ready)
    waiting.join()
    assert found == [expected] and len(built) == 1


def test_no_place_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the cache folder cannot be made, worlds are built in memory."""
    forget(monkeypatch)
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("TURNWISE_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(cache, "DISK_DOCUMENTS", 0)
    assert open_world(8, 100).num_documents == 100


def test_small_worlds_are_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNWISE_CACHE", str(tmp_path))
    forget(monkeypatch)
    open_world(9, 100)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_during_a_build_is_not_stuck(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = cache._building.setdefault(WorldSettings(10, 100).digest, threading.Lock())
    with lock:  # as if a thread of the parent were building it
        child = multiprocessing.get_context("fork").Process(target=open_world, args=(10, 100))
        child.start()
        child.join()
    stuck = child.is_alive()
    if stuck:
        child.kill()
    assert not stuck and child.exitcode == 0
