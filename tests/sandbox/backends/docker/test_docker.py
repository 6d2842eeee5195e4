"""Programs in containers of a Docker engine: the one that answers, or one that is started for these tests."""

import contextlib
import doctest
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from probe_runner import Context, host, run_all, run_probe
from probes import PROBES

from tests._work import eventually
from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError, UsageError
from turnwise.sandbox import REQUIRED, Limits, Program, Unsafe, make_sandbox
from turnwise.sandbox.backends.docker import container as containers
from turnwise.sandbox.backends.docker import sandbox as backend
from turnwise.sandbox.backends.docker.engine import connect
from turnwise.sandbox.backends.docker.sandbox import DockerSandbox
from turnwise.sandbox.client import named

LIMITS = Limits(wall_s=20, memory_mb=256)
ENGINE_SCRIPT = Path(__file__).parents[4] / "docker" / "start_engine.sh"
NAMESPACES = {f"{name}_namespace" for name in ("ipc", "mount", "net", "pid", "user", "uts")}


@pytest.fixture(scope="module")
def docked(engine) -> Iterator[DockerSandbox]:
    try:
        made = DockerSandbox(workers=2)
    except Unsafe as error:
        pytest.skip(f"this engine does not isolate: {error}")
    with made:
        yield made


@pytest.fixture(scope="module")
def context() -> Iterator[Context]:
    with host() as found:
        yield found


def owned_by(engine, pid: int) -> list[str]:
    """Containers that a process has started."""
    found = engine.containers(all=True, filters={"label": containers._PROCESS})
    return [made["Id"] for made in found if made["Labels"][containers._PROCESS].startswith(f"{pid}-")]


@pytest.mark.slow
def test_the_layers_are_those_of_the_runner_and_of_the_engine(docked):
    assert docked.layers >= REQUIRED | containers.ENGINE_LIMITS | {"read_only"}
    assert docked.layers_of("shell") >= docked.layers - {"cgroup_namespace"} | {"memory_total"}
    assert "gvisor" not in docked.layers


@pytest.mark.parametrize("name", PROBES)
@pytest.mark.slow
def test_probe(docked, context, name):
    for profile in PROBES[name].profiles:
        assert run_probe(docked, name, profile, context) == ""


def test_nothing_of_one_run_is_left_for_the_next(docked, monkeypatch):
    monkeypatch.setattr("probe_runner.PROBES", {})
    assert run_all(docked) == {"left_behind-python": "", "left_behind-shell": ""}


def test_the_container_itself_is_hardened(docked, engine):
    docked.layers_of("shell")
    for made in owned_by(engine, os.getpid()):
        found = engine.inspect_container(made)
        given = found["HostConfig"]
        assert given["ReadonlyRootfs"] and given["NetworkMode"] == "none" and given["CapDrop"] == ["ALL"]
        assert given["Memory"] == given["MemorySwap"] > 0 and given["PidsLimit"] > 0 and given["NanoCpus"] > 0
        assert any(option.startswith("no-new-privileges") for option in given["SecurityOpt"])
        assert not given["Binds"] and not given["Privileged"] and given["AutoRemove"] and given["Init"]
        assert int(found["Config"]["User"].partition(":")[0]) >= 20000


def test_programs(docked):
    source = "import sys\nprint(sys.stdin.read(), open('in/a').read(), sys.argv)\nopen('out', 'wb').write(b'\\0\\xff')"
    program = Program(source, ("x",), "é", {"in/a": "b"}, ("out", "none"))
    result = docked.run(program, LIMITS)
    assert result.stdout == "é b ['main.py', 'x']\n" and result.files == {"out": b"\0\xff"} and result.ok
    assert docked.run(Program("import sys; sys.exit(3)"), LIMITS).exit_code == 3
    assert docked.run(Program("import turnwise"), LIMITS).stderr.endswith("No module named 'turnwise'\n")
    data = os.urandom(2 * 10**6).hex()
    large = docked.run(Program("print(input())", stdin=data), Limits(wall_s=20, output_bytes=5 * 10**6))
    assert large.stdout == f"{data}\n"


def test_many_keep_their_order(docked):
    programs = [Program(f"print({i})") for i in range(40)]
    assert [result.stdout for result in docked.run_many(programs, LIMITS)] == [f"{i}\n" for i in range(40)]
    commands = [Program(argv=("sh", "-c", f"echo {i} | cat"), profile="shell") for i in range(6)]
    assert [result.stdout for result in docked.run_many(commands, LIMITS)] == [f"{i}\n" for i in range(6)]


@pytest.mark.parametrize(
    ("source", "killed_by"),
    [
        ("while True: pass", "wall"),
        ("x = bytearray(10**10)", "memory"),
        ("open('f', 'wb').write(bytes(10**8))", "disk"),
        ("while True: print('x' * 1000)", "output"),
    ],
)
@pytest.mark.parametrize("profile", ["python", "shell"])
def test_limits(docked, source, killed_by, profile):
    limits = Limits(wall_s=0.4 if killed_by == "wall" else 200, memory_mb=100, file_mb=8, output_bytes=1000)
    result = docked.run(Program(source, profile=profile), limits)
    assert result.killed_by == killed_by and not result.ok
    if killed_by == "wall":
        assert result.wall_s >= 0.4


def test_memory_of_all_processes_together_is_named(docked):
    source = (
        "import os, time\nfor _ in range(8):\n    if os.fork() == 0: x = b'x' * (90 * 2**20); time.sleep(10**6)\n"
        "os.wait()"
    )
    result = docked.run(Program(source, profile="shell"), Limits(wall_s=200, memory_mb=128))
    assert result.killed_by == "memory"


def test_conversations(docked):
    with docked.converse(Program("print('up')\ndef f(x, y=1): return (x, y)"), LIMITS) as conversation:
        assert conversation.started.stdout == "up\n"
        assert conversation.call("f", {1, 2}, kwargs={"y": b"z"}).value == ({1, 2}, b"z")
        assert conversation.call("g").error.startswith("AttributeError")
    with pytest.raises(UsageError, match="closed"):
        conversation.call("f")


def test_sessions_and_forks(docked):
    with docked.session(LIMITS, "shell", files={"f": "text"}) as session:
        assert session.execute("x = 1; open('f').read()").stdout == "'text'\n"
        assert session.execute("while True: pass", wall_s=0.2).killed_by == "wall"
        with session.fork() as branch:
            branch.execute("x = 2; open('f', 'w').write('other')")
            assert (session.execute("x").stdout, branch.execute("x").stdout) == ("1\n", "2\n")
        session.write("g", b"\0")
        assert session.read("g") == b"\0" and session.read("f") == b"text"
        with pytest.raises(FileNotFoundError):
            session.read("none")
    with docked.session(LIMITS) as session:
        assert session.execute("import os; os._exit(0)").lost
        with pytest.raises(Unsafe, match="pid_namespace"):
            session.fork()


def test_shells_have_containers_for_themselves_which_are_used_again(docked):
    def idle() -> set[str]:
        return {made.id for made in docked._pool if made.shape.profile == "shell" and not made.load}

    with docked.shell(LIMITS) as first, docked.shell(LIMITS) as second:
        first.execute("mkdir d; cd d; X=4; sleep 100 & ")
        assert first.execute("echo $X $(basename $PWD)").stdout == "4 d\n"
        assert second.execute("echo $X; ls").stdout == "\n"
        busy = {made.id for made in docked._pool if made.load}
        assert len(busy) == 2
        with first.fork() as branch:
            assert branch.execute("echo $X").stdout == "4\n"
    assert len(busy & idle()) >= 1
    with docked.shell(LIMITS) as third:
        assert third.execute("ls; jobs; echo $X").stdout == "\n"


@pytest.mark.slow
def test_python_sessions_beyond_the_room_get_another_container(engine):
    with DockerSandbox(workers=1, memory_mb=700) as made, contextlib.ExitStack() as stack:
        sessions = [stack.enter_context(made.session(LIMITS)) for _ in range(3)]
        assert len({id(session._transport.container) for session in sessions}) == 2
        assert [session.execute("6 * 7").stdout for session in sessions] == ["42\n"] * 3
        assert made.run(Program("print(1)"), Limits(memory_mb=2000)).ok  # more than a container has: one of its own


@pytest.mark.slow
def test_a_killed_container_is_replaced_and_no_result_is_lost(docked, engine):
    stop = threading.Event()
    killed: list[str] = []

    def kill() -> None:
        while not stop.wait(0.4) and len(killed) < 3:  # it is tried four times
            for made in docked._pool[:1]:
                with contextlib.suppress(Exception):
                    engine.kill(made.id)
                    killed.append(made.id)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        programs = [Program(f"import time; time.sleep(0.05); print({i})") for i in range(60)]
        results = docked.run_many(programs, LIMITS)
    finally:
        stop.set()
        killer.join()
    assert killed and [result.stdout for result in results] == [f"{i}\n" for i in range(60)]


@pytest.mark.slow
def test_what_lives_in_a_killed_container_is_an_infrastructure_error(engine):
    with DockerSandbox(workers=1) as made:
        session, conversation = made.session(LIMITS), made.converse(Program("def f(): return 1"), LIMITS)
        engine.kill(made._pool[0].id)
        with pytest.raises(InfrastructureError, match="gone"):
            session.execute("1")
        with pytest.raises(InfrastructureError, match="gone"):
            conversation.call("f")
        session.close()
        conversation.close()
        assert made.run(Program("print(1)"), LIMITS).stdout == "1\n"


@pytest.mark.slow
def test_containers_are_recycled(engine):
    before = set(owned_by(engine, os.getpid()))
    with DockerSandbox(workers=1, recycle_after=3) as made:
        seen = []
        for _ in range(7):
            assert made.run(Program("print(1)"), LIMITS).ok
            seen += [container.id for container in made._pool]
        assert len(set(seen)) == 3
        eventually(lambda: len(set(owned_by(engine, os.getpid())) - before) == 1)
    eventually(lambda: set(owned_by(engine, os.getpid())) <= before)  # the engine may be at it already
    with pytest.raises(UsageError, match="closed"):
        made.run(Program("1"))
    made.close()


@pytest.mark.slow
def test_a_killed_client_leaves_nothing(docked, engine):
    script = (
        "from turnwise.sandbox import *\n"
        "sandbox = make_sandbox('docker', workers=1)\nshell = sandbox.shell()\nshell.execute('sleep 1000 &')\n"
        "print('up', flush=True)\nsandbox.run(Program('import time; time.sleep(100)'), Limits(wall_s=200))\n"
    )
    client = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert client.stdout is not None
    with client.stdout:
        assert client.stdout.readline() == "up\n"
        eventually(lambda: len(owned_by(engine, client.pid)) == 2)
        client.send_signal(signal.SIGKILL)
        client.wait()
    eventually(lambda: not owned_by(engine, client.pid))


def test_containers_of_dead_clients_are_removed(docked, engine, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(containers, "_process", lambda pid: "1-1")  # process 1 has not started then
        shape = docked._pool[0].shape
        stale = containers.Container(engine, docked._image, shape, docked._settings, ())
    mine = owned_by(engine, os.getpid())
    assert containers.remove_stale(engine) == 1
    assert not owned_by(engine, 1) and owned_by(engine, os.getpid()) == mine
    stale.close()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_after_a_fork_each_side_has_its_own(engine):
    with DockerSandbox(workers=1) as made:
        session = made.session(LIMITS)
        session.execute("x = 5")
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                session.close()
                status = 0 if made.run(Program("print(2)"), LIMITS).stdout == "2\n" else 2
                made.close()
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert session.execute("x").stdout == "5\n" and made.run(Program("print(3)"), LIMITS).stdout == "3\n"
        session.close()


class Faked:
    """An engine that says something else of itself."""

    def __init__(self, engine, **facts) -> None:
        self.engine = engine
        self.facts = facts

    def __getattr__(self, name):
        return getattr(self.engine, name)

    def info(self):
        return {**self.engine.info(), **self.facts}


@pytest.mark.parametrize(
    ("fact", "layer"),
    [
        ("MemoryLimit", "memory_limit"),
        ("SwapLimit", "swap_limit"),
        ("PidsLimit", "pids_limit"),
        ("CpuCfsQuota", "cpu_limit"),
    ],
)
@pytest.mark.slow
def test_an_engine_that_drops_limits_is_refused(docked, engine, monkeypatch, fact, layer):
    monkeypatch.setattr(backend, "connect", lambda: Faked(connect(), **{fact: False}))
    with pytest.raises(Unsafe, match=layer):
        DockerSandbox(workers=1)
    with DockerSandbox(workers=1, require=REQUIRED - {"rlimits"}) as made:
        assert layer not in made.layers


@pytest.mark.slow
def test_settings_that_cannot_be_had(docked, engine):
    for settings, problem in (
        ({"seccomp": "x"}, "'runner' or 'engine'"),
        ({"containers": 0}, "at least 1"),
        ({"recycle_after": 0}, "at least 1"),
        ({"image": "turnwise/no-such-image:1"}, "neither has it nor can pull it"),
        ({"packages": ["no-such-package-anywhere"]}, "not installed"),
    ):
        with pytest.raises(SettingsError, match=problem):
            DockerSandbox(workers=1, **settings)
    with pytest.raises(Unsafe, match="no-such-runtime"):
        DockerSandbox(runtime="no-such-runtime")
    with pytest.raises(Unsafe, match="lacks a_layer_of_tomorrow"):
        DockerSandbox(workers=1, require={"a_layer_of_tomorrow"})
    with pytest.raises(InfrastructureError, match="no_such_module"):
        DockerSandbox(workers=1, preload=["no_such_module"])


@pytest.mark.slow
def test_another_image_with_packages(docked, engine):
    engine.tag(docked._image, "turnwise/sandbox-test", "1")
    try:
        with DockerSandbox(workers=1, image="turnwise/sandbox-test:1") as made:
            assert made._image == docked._image  # it has the files already
    finally:
        engine.remove_image("turnwise/sandbox-test:1")
    with DockerSandbox(workers=1, packages=["hypothesis"]) as made:
        assert made.run(Program("import hypothesis; print(hypothesis.__file__)"), LIMITS).stdout.startswith("/site/")


@pytest.mark.slow
def test_under_the_seccomp_profile_of_the_engine(docked, engine, context):
    """No namespaces inside: the container of a shell ends with its program, before the result is given."""
    shell = ("daemon", "held_pipe", "memory_of_many", "disk", "inodes")
    with DockerSandbox(workers=1, seccomp="engine") as made:
        if "pid_namespace" in made.layers:
            pytest.skip("this engine's profile allows namespaces")
        assert made.layers >= REQUIRED and made.layers_of("shell") >= REQUIRED | {"memory_total", "disk_quota"}
        for name, probe in PROBES.items():
            for profile in probe.profiles:
                if profile == "python" or name in shell:
                    assert run_probe(made, name, profile, context) == "", (name, profile)
        with made.shell(LIMITS) as session:
            assert session.execute("echo $((6 * 7))").stdout == "42\n"
            with pytest.raises(Unsafe, match="pid_namespace"):
                session.fork()
        assert [container.shape.profile for container in made._pool] == ["python"]


def test_gvisor(docked, engine):
    if "runsc" not in engine.info()["Runtimes"]:
        pytest.skip("the engine has no runtime runsc")
    try:
        made = DockerSandbox(workers=1, runtime="runsc", require=())
    except InfrastructureError as error:
        pytest.skip(f"gVisor does not run here: {error}")
    with made:
        assert {"gvisor", "kill_all", "net", "no_new_privs", "rlimits", "seccomp"} <= made.layers
        assert made.run(Program("print(6 * 7)"), LIMITS).stdout == "42\n"
        assert made.run(Program("while True: pass"), Limits(wall_s=0.5)).killed_by == "wall"
        missing = sorted(REQUIRED - made.layers)
    if missing:
        with pytest.raises(Unsafe, match=missing[0]):
            DockerSandbox(workers=1, runtime="runsc")


def test_auto_takes_docker_where_nothing_comes_before_it(docked, monkeypatch):
    monkeypatch.setattr(named, "_AUTO", ("docker",))
    with make_sandbox(workers=1) as made:
        assert made.name == "docker" and made.run(Program("print(1)"), LIMITS).ok


def test_without_an_engine_the_message_says_what_to_start(monkeypatch):
    pytest.importorskip("docker", reason="the package docker is not installed")
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/such/socket")
    monkeypatch.setattr(named, "_AUTO", ("docker",))
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(Unsafe, match=r"On darwin install and start Docker Desktop.*no Docker engine"):
        make_sandbox()


def test_without_the_package_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "docker", None)
    with pytest.raises(MissingDependencyError, match=r"turnwise\[docker\]"):
        DockerSandbox()


def test_the_seccomp_profile_allows_the_runner_and_no_more():
    profile = json.loads(containers.seccomp_profile())
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    (rule,) = profile["syscalls"]
    assert {"unshare", "mount", "pivot_root", "landlock_restrict_self", "execve", "clone3"} <= set(rule["names"])
    refused = {"ptrace", "bpf", "keyctl", "io_uring_setup", "perf_event_open", "userfaultfd", "process_vm_readv"}
    refused |= {"setns", "open_by_handle_at", "kexec_load", "init_module", "fsopen", "move_mount", "memfd_create"}
    assert not refused & set(rule["names"])


def test_where_there_can_be_no_engine_the_script_says_why(tmp_path):
    for name in ("id", "uname"):
        (tmp_path / name).symlink_to(shutil.which(name) or "")
    environment = {"PATH": str(tmp_path), "ENGINE_INSTALL": "0"}
    command = [shutil.which("bash") or "", ENGINE_SCRIPT, "start", str(tmp_path / "engine")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 69 and done.stderr.startswith("no Docker engine: ") and done.stdout == ""


class Pieces:
    """A socket that hands out the stream in pieces."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self.data = data
        self.sizes = sizes

    def recv(self, most: int) -> bytes:
        size = min(most, self.sizes.pop() if self.sizes else most)
        found, self.data = self.data[:size], self.data[size:]
        return found


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=50))), st.lists(st.integers(1, 20), max_size=60))
def test_the_attached_stream_is_taken_apart(parts, sizes):
    data = b"".join(bytes([kind, 0, 0, 0]) + len(text).to_bytes(4, "big") + text for kind, text in parts)
    stdout = b"".join(text for kind, text in parts if kind == 1)
    stream = containers._Stream(Pieces(data, sizes))
    read = stream.read(len(stdout) // 2)
    assert read + stream.read(len(stdout) - len(read)) == stdout
    assert stream.read(1) == b""
    assert bytes(stream._err) == b"".join(text for kind, text in parts if kind == 2)


@pytest.mark.parametrize("module", [containers, backend])
def test_examples(module):
    assert doctest.testmod(module).failed == 0
