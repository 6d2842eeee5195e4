"""Every probe is held, and only what holds is named: by whoever runs the tests, and under each of ``PLACES``."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from probe_runner import Context, host, profiles_of, run_probe
from probes import PROBES

from tests._work import one_in
from turnwise.sandbox import REQUIRED
from turnwise.sandbox.backends.bundle import write
from turnwise.sandbox.backends.docker import image as images

NOBODY = 65534
BITES = (
    "environment",
    "host_files",
    "network_loopback",
    "abstract_socket",
    "path_socket",
    "signals",
    "processes_in_python",
)


@pytest.fixture(scope="module")
def context() -> Iterator[Context]:
    with host() as found:
        yield found


@pytest.mark.parametrize("name", one_in(2, PROBES))
def test_probe(sandbox, context, name):
    for profile in PROBES[name].profiles:
        if profile not in profiles_of(sandbox):
            continue
        assert run_probe(sandbox, name, profile, context) == ""


@pytest.mark.parametrize("name", BITES)
def test_the_probes_bite(context, name):
    source = PROBES[name].source.format(**context._asdict())
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=30, check=False)
    assert "BREACH" in done.stdout


def ordinary_python() -> str:
    """An interpreter that an ordinary user can start."""
    for path in ("/usr/bin/python3", "/usr/local/bin/python3", getattr(sys, "_base_executable", "")):
        check = "import sys; sys.exit(sys.version_info < (3, 11))"
        command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", path, "-I", "-c", check]
        if path and subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return path
    pytest.skip("no Python of 3.11 or later that an ordinary user can start")


class Place(NamedTuple):
    """Circumstances under which programs are run, and what must be in force there.

    Attributes:
        command: What starts an interpreter under them; {python} and {folder} are filled in. None: in a container.
        python: Layers that the profile "python" must have besides those required.
        shell: The same for "shell"; None: it is refused, for want of a way to end what programs leave behind.
        lacks: Layers that cannot be had there, so that they must not be named.
        uid: Who runs them.
        strategy: Of the sandbox; "any": it chooses.
        refused: The layer for want of which there is no sandbox.
    """

    command: str | None
    python: str = ""
    shell: str | None = ""
    lacks: str = ""
    uid: int = 0
    strategy: str = "any"
    refused: str = ""


CAPABILITIES = "setpriv --bounding-set {0} --inh-caps {0} "
ORDINARY = f"setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups "
NO_USERS = "{python} {folder}/confine.py "
ALL = "disk_quota uid pid_namespace mount_namespace net_namespace"
PLACES = {
    "root": Place("", f"{ALL} user_namespace", f"{ALL} user_namespace memory_total"),
    "nobody": Place(ORDINARY, ALL.replace("uid ", ""), ALL.replace("uid ", ""), "uid memory_total", NOBODY),
    "root without CAP_SYS_ADMIN": Place(CAPABILITIES.format("-sys_admin"), ALL, f"{ALL} memory_total"),
    "root without CAP_SYS_ADMIN and CAP_SETUID": Place(
        CAPABILITIES.format("-sys_admin,-setuid"), ALL.replace("uid ", ""), ALL.replace("uid ", "memory_total "), "uid"
    ),
    "root without CAP_SYS_ADMIN and CAP_SETFCAP": Place(CAPABILITIES.format("-sys_admin,-setfcap"), ALL, ALL),
    "root without capabilities": Place(CAPABILITIES.format("-all"), refused="process_limit"),
    "root without user namespaces": Place(NO_USERS, ALL, f"{ALL} memory_total", "user_namespace"),
    "root without user namespaces and CAP_SYS_ADMIN": Place(
        CAPABILITIES.format("-sys_admin") + NO_USERS, "uid landlock", "uid landlock memory_total", "disk_quota"
    ),
    "root that starts no namespaces": Place("", "uid landlock", "uid landlock", "disk_quota", strategy="none"),
    "nobody without user namespaces": Place(ORDINARY + NO_USERS, "landlock", None, "disk_quota uid", NOBODY),
    "Docker's default profile, root": Place(None, "uid landlock", "uid landlock", "disk_quota memory_total"),
    "Docker's default profile, nobody": Place(None, "landlock", None, "disk_quota uid", NOBODY),
}
LIMITS = (
    "fork_bomb",
    "fork_bomb_tree",
    "thread_bomb",
    "memory",
    "memory_of_many",
    "disk",
    "one_file",
    "inodes",
    "daemon",
)


@pytest.fixture(scope="module")
def folder() -> Iterator[str]:
    """The sandbox and the probes, where anybody can read them."""
    with tempfile.TemporaryDirectory() as path:
        write(Path(path))
        for name in ("probes.py", "probe_runner.py", "confine.py"):
            Path(path, name).write_text(Path(__file__).parents[1].joinpath(name).read_text())
            os.chmod(f"{path}/{name}", 0o644)
        yield path


def report_of(place: Place, folder: str, request: pytest.FixtureRequest, *names: str) -> dict[str, Any]:
    """What the runner of probes reports from there."""
    runner = [f"{folder}/probe_runner.py", place.strategy, *names]
    if place.command is None:
        return json.loads(in_container(request.getfixturevalue("engine"), place.uid, folder, runner))
    if os.geteuid() != 0:
        pytest.skip("only root can run them as others")
    if shutil.which("setpriv") is None:
        pytest.skip("no setpriv")
    builds = "mount_namespace" in place.python and "setfcap" not in place.command and place.uid == 0
    python = sys.executable if builds else ordinary_python()  # this one may lie in a folder of the caller's own
    command = place.command.format(python=python, folder=folder).split()
    done = subprocess.run(
        [*command, python, *runner], capture_output=True, text=True, timeout=500, check=False, cwd="/"
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def in_container(engine: Any, uid: int, folder: str, runner: list[str]) -> str:
    """The output of the runner in a container with the engine's default profile."""
    made = engine.create_container(
        images.ready(engine),
        ["python3", *runner],
        user=f"{uid}:{uid}",
        environment={"PYTHONPATH": folder},
        host_config=engine.create_host_config(binds={folder: {"bind": folder, "mode": "ro"}}, network_mode="none"),
    )
    try:
        engine.start(made["Id"])
        status = engine.wait(made["Id"], timeout=500)["StatusCode"]
        assert status == 0, engine.logs(made["Id"], stdout=False).decode()
        return engine.logs(made["Id"], stderr=False).decode()
    finally:
        engine.remove_container(made["Id"], force=True)


def check(place: Place, report: dict[str, Any]) -> None:
    assert report["uid"] == place.uid
    if place.refused:
        assert f"lacks {place.refused}" in report["refused"]
        return
    expected = {"python": place.python, "shell": place.shell}
    for profile, layers in report["layers"].items():
        assert REQUIRED | set(expected[profile].split()) <= set(layers)
        assert not set(place.lacks.split()) & set(layers)
    assert list(report["layers"]) == [profile for profile, layers in expected.items() if layers is not None]
    assert report["failures"] == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", one_in(4, PLACES))
def test_the_limits_hold(name, folder, request):
    check(PLACES[name], report_of(PLACES[name], folder, request, *LIMITS))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, place in PLACES.items() if not place.refused])
def test_all_are_held(name, folder, request):
    check(PLACES[name], report_of(PLACES[name], folder, request))
