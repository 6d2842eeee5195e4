"""Every probe is held: as whoever runs the tests, as an ordinary user, and without namespaces."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from probe_runner import Context, host, profiles_of, run_all, run_probe
from probes import PROBES

from turnwise.verifiers.sandbox.bundle import write
from turnwise.verifiers.sandbox.embedded import EmbeddedSandbox

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


@pytest.mark.parametrize("name", PROBES)
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


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests run as an ordinary user already")
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="no setpriv")
@pytest.mark.parametrize("strategy", ["user", "none"])
def test_all_are_held_for_an_ordinary_user(strategy):
    python = ordinary_python()
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        for name in ("probes.py", "probe_runner.py"):
            Path(folder, name).write_text(Path(__file__).with_name(name).read_text())
            os.chmod(f"{folder}/{name}", 0o644)
        command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", python]
        command += [f"{folder}/probe_runner.py", strategy]
        done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False, cwd=folder)
    if "did not start" in done.stderr or "lacks" in done.stderr:
        pytest.skip(f"ordinary users have no sandbox here: {done.stderr[-500:]}")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["uid"] == NOBODY
    assert report["failures"] == {}
    assert {"seccomp", "fs", "net", "kill_all"} <= set(report["layers"])
    assert ("pid_namespace" in report["layers"]) == (strategy == "user")
    assert report["profiles"] == (["python", "shell"] if strategy == "user" else ["python"])


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="without namespaces, only root can kill what a shell leaves behind")
def test_all_are_held_without_namespaces():
    with EmbeddedSandbox(workers=1, strategy="none", python=ordinary_python()) as sandbox:
        assert "pid_namespace" not in sandbox.layers_of("shell")
        assert {name: problem for name, problem in run_all(sandbox).items() if problem} == {}
