"""The trials that name the layers: they name nothing where nothing is in force, and are not believed elsewhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from turnwise.sandbox.backends.embedded.handle import WardenHandle
from turnwise.sandbox.backends.embedded.sandbox import EmbeddedSandbox
from turnwise.sandbox.jail import cgroups, identity

OBSERVE = """
import json, os, sys
from turnwise.sandbox.jail import trials
world = trials.World([])
found = trials.observe(world, sys.argv[1], {"file_mb": 32, "files": 2048}, os.getuid())
print(json.dumps([trials.threads_are_limited(trials.BOUNDS["processes"]), found]))
sys.stdout.flush()
os._exit(0)
"""


NO_ROUTE = """
import fcntl, socket, struct
from turnwise.sandbox.jail import kernel
kernel.unshare("net")
with socket.socket() as place:
    fcntl.ioctl(place, 0x8914, struct.pack("16sh22x", b"lo", 0x41))  # SIOCSIFFLAGS, up and running
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a network without a route")
def test_a_machine_without_a_route_is_no_layer(tmp_path):
    command = [sys.executable, "-c", NO_ROUTE + OBSERVE, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if "unshare" in done.stderr:
        pytest.skip(f"no network of its own: {done.stderr[-200:]}")
    assert "net" not in json.loads(done.stdout)[1]


@pytest.mark.parametrize("confined", [False, True])
def test_a_process_that_is_not_jailed_is_under_none(tmp_path, confined):
    """Not under the filter of system calls either, where it has one that is not the sandbox's."""
    command = [sys.executable, "-c", OBSERVE, str(tmp_path)]
    if confined:
        command = [sys.executable, str(Path(__file__).parents[1] / "confine.py"), *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    limited, found = json.loads(done.stdout)
    assert not limited
    assert set(found) <= {"no_new_privs", *({"capabilities"} if os.geteuid() else set())}
    assert ("no_new_privs" in found) <= confined
    assert list(tmp_path.iterdir()) == []


def test_the_layers_are_found_out_once_for_the_same_circumstances(sandbox):
    with EmbeddedSandbox(workers=1) as made:
        config = {**made._settings, "profile": "python"}
        first = made._known["python"]
        for facts, believed in ((first["facts"], True), ([*first["facts"], "another"], False)):
            warden = WardenHandle(made._python, {**config, "known": {"facts": facts, "layers": ["as_before"]}})
            warden.close()
            assert warden.layers == ({"as_before"} if believed else set(first["layers"]))


def test_users_that_nobody_else_has(monkeypatch):
    many = identity.take()
    assert many is not None and many.warden > 2**30 and many.box == many.warden + 1
    monkeypatch.setattr(identity, "_ranges", lambda name: [(0, 65536)])
    few = [identity.take() for _ in range(3)]
    numbers = [number for ids in few if ids for number in (ids.warden, ids.box)]
    assert len(set(numbers)) == 6 and all(60000 <= number < 65534 for number in numbers)
    for ids in few:
        assert ids is not None and ids.guard is not None
        ids.guard.close()
    again = identity.take()
    assert again is not None and again[:2] == few[0][:2]
    again.guard.close()
    monkeypatch.setattr(identity, "_ranges", lambda name: [(0, 1000)])
    assert identity.take() is None


def test_a_limit_that_the_kernel_does_not_take_is_an_error(tmp_path):
    for text in ("max\n", "9223372036854771712\n"):
        path = tmp_path / "limit"
        path.write_text(text)
        place = os.open(path, os.O_RDONLY)
        with pytest.raises(OSError, match="has not taken its limit of memory"):
            cgroups.Group(memory=place).set_memory(100)
        with pytest.raises(OSError, match="Bad file descriptor"):
            cgroups.Group(tasks=place).set_tasks(10)
        os.close(place)


def test_groups_are_made_above_only_where_that_gets_around_no_limit(tmp_path):
    place = tmp_path / "slice" / "service"
    place.mkdir(parents=True)
    above = lambda: [os.path.relpath(path, tmp_path) for path in cgroups._above(str(tmp_path), str(place))]  # noqa: E731
    (place / "memory.max").write_text("max\n")
    assert above() == ["slice/service", "slice", "."]
    (place.parent / "pids.max").write_text("100\n")
    assert above() == ["slice/service", "slice"]
    (place / "memory.max").write_text("1000000\n")
    assert above() == ["slice/service"]
