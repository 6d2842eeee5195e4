"""One hardened container that runs the sandbox's server, spoken to over its standard streams.

Source: the Docker Engine API, https://docs.docker.com/reference/api/engine/ (attached streams, host configuration,
``GET /info``); seccomp profiles: https://docs.docker.com/engine/security/seccomp/.
"""

import contextlib
import json
import math
import os
import platform
import random
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from turnwise.core.errors import InfrastructureError
from turnwise.sandbox.backends.docker import image
from turnwise.sandbox.backends.proxy import Gone, StreamTransport, ask
from turnwise.sandbox.interface import messages
from turnwise.sandbox.interface.messages import limits_message
from turnwise.sandbox.interface.records import Limits, Profile
from turnwise.sandbox.interface.sandbox import Unsafe
from turnwise.sandbox.jail.syscalls import COMMON, NUMBERS

__all__ = ["ENGINE_LIMITS", "Container", "Need", "Shape", "engine_layers", "remove_stale", "seccomp_profile"]

ENGINE_LIMITS = frozenset(("cpu_limit", "memory_limit", "pids_limit", "swap_limit"))
"""Layers that an engine without the control groups for them leaves out, and says so only in ``info()``."""
_IN_INFO = {
    "cpu_limit": ("cpucfsperiod", "cpucfsquota"),
    "memory_limit": ("memorylimit",),
    "pids_limit": ("pidslimit",),
    "swap_limit": ("swaplimit",),
}
_START_S = 60.0
_SERVER = "turnwise.sandbox.serving.streams"
_RUNNER_MB = 96  # the server, two wardens and the children that they have forked ahead
_RUNNER_PIDS = 128
_RUNNER_FILES = 16
_STDOUT, _STDERR = 1, 2  # of the headers in an attached stream
_HEADER_BYTES = 8
_KEPT_BYTES = 4000
_MACHINE, _PROCESS = "turnwise.machine", "turnwise.process"  # labels: whose container it is
_RUNNER_CALLS = (
    "arch_prctl capset chroot clone clone3 execve execveat fork get_mempolicy ioctl kill landlock_add_rule "
    "landlock_create_ruleset landlock_restrict_self mount name_to_handle_at pidfd_open pidfd_send_signal pivot_root "
    "personality prctl prlimit64 sched_setparam sched_setscheduler seccomp setfsgid setfsuid setgid setgroups "
    "sethostname setpgid setregid setresgid setresuid setreuid setsid setuid socket socketpair tgkill tkill umount2 "
    "unshare vfork"
)
"""What the runner itself and the engine's first process need; what programs may do of it, the runner decides."""


def seccomp_profile() -> str:
    """Return a seccomp profile that, unlike the engine's default, lets the runner make its own namespaces.

    Everything that the runner does not need is refused, to a container that has no capabilities, so that the namespaces
    are those of an ordinary user. Programs are under the runner's filter, too, which refuses namespaces and more.
    """
    names = set().union(*NUMBERS.values()) | set(f"{COMMON} {_RUNNER_CALLS}".split())
    rules = [{"names": sorted(names), "action": "SCMP_ACT_ALLOW"}]
    return json.dumps({"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": 1, "syscalls": rules})


@contextlib.contextmanager
def _engine_errors(what: str) -> Iterator[None]:
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    try:
        yield
    except (DockerException, RequestException) as error:
        raise InfrastructureError(f"{what}: {str(error)[:1000]}") from error


def engine_layers(info: Mapping[str, Any], runtime: str | None) -> frozenset[str]:
    """Return the layers that an engine reports for its containers.

    Args:
        info: What ``client.info()`` gives.
        runtime: The runtime that will be asked for; None: the engine's default.

    Raises:
        Unsafe: The engine lacks the runtime.

    >>> info = {"MemoryLimit": True, "SwapLimit": True, "PidsLimit": False, "SecurityOptions": ["name=apparmor"]}
    >>> sorted(engine_layers(info, None))
    ['apparmor', 'memory_limit', 'read_only', 'swap_limit']
    """
    facts = {str(name).lower(): value for name, value in info.items()}  # CPUCfsQuota was spelled in two ways
    found = {layer for layer, names in _IN_INFO.items() if all(facts.get(name) for name in names)}
    for option in info.get("SecurityOptions") or ():
        words = dict(part.partition("=")[::2] for part in str(option).split(","))
        if words.get("name") in ("apparmor", "rootless", "selinux", "userns"):
            found.add({"userns": "user_remap"}.get(words["name"], words["name"]))
    runtimes = info.get("Runtimes") or {}
    if runtime is not None and runtime not in runtimes:
        raise Unsafe(f"runtime is {runtime!r}; the engine has {', '.join(sorted(runtimes)) or 'none'}")
    if "runsc" in str((runtimes.get(runtime) or {}).get("path", "")) or runtime == "runsc":
        found.add("gvisor")
    return frozenset((*found, "read_only"))


class Need(NamedTuple):
    """What programs may use.

    Attributes:
        memory_mb: MiB of memory, files of scratch directories among it.
        pids: Processes and threads.
    """

    memory_mb: int
    pids: int


@dataclass(frozen=True)
class Shape:
    """What a container is made for.

    Attributes:
        profile: Profile of the programs in it; "shell": one program at a time, which the limit of memory is for.
        workers: Programs at a time.
        room: For programs, beside the runner.
        cpus: Processors.
        limits: Limits that its programs start with.
        runtime: OCI runtime, None for the engine's default.
        seccomp: Profile as JSON; "" for the engine's default.
        security_opt: Further options.
    """

    profile: Profile
    workers: int
    room: Need
    cpus: float
    limits: Limits
    runtime: str | None = None
    seccomp: str = field(default_factory=seccomp_profile)
    security_opt: Sequence[str] = ()


class Container:
    """A running container; a transport for any number of threads.

    Attributes:
        shape: What it is made for.
        layers: Layers found from inside, and those of the engine.
        load: Runs and sessions that use it.
        runs: How many have used it.
        free: Room that none of them has reserved.
        single_use: It ends with the one program that it runs: what that leaves behind cannot be found from inside.
        spoiled: Whether it must not be used again.

    Raises:
        InfrastructureError: It does not start.
    """

    def __init__(
        self, engine: Any, image_id: str, shape: Shape, settings: Mapping[str, Any], layers: Collection[str]
    ) -> None:
        self.shape = shape
        self.load, self.runs = 0, 0
        self.free = shape.room
        self.single_use = self.spoiled = False
        self._engine = engine
        limits = limits_message(shape.limits)
        runner = {**settings, "limits": limits, "workers": shape.workers, "alone": shape.profile == "shell"}
        with _engine_errors("the container does not start"):
            made = engine.create_container(
                image_id,
                [
                    "python3",
                    "-s",
                    "-P",
                    "-m",
                    _SERVER,
                    json.dumps({**runner, "require": []}),
                ],
                entrypoint=[],
                user=f"{(uid := random.SystemRandom().randrange(20000, 60000))}:{uid}",  # shared with no other
                environment={"PYTHONPATH": f"{image.FOLDER}:{image.PACKAGES}", "LANG": "C.UTF-8", "HOME": "/tmp"},
                working_dir="/",
                hostname="sandbox",
                stdin_open=True,  # its input ends with the stream of its one client
                labels={_MACHINE: _machine(), _PROCESS: _process(os.getpid())},
                host_config=_host_config(engine, shape),
            )
            self.id: str = made["Id"]
            try:
                dropped = [text for text in made.get("Warnings") or () if "discarded" in text]
                if dropped and set(layers) >= ENGINE_LIMITS:
                    raise Unsafe(f"the engine reports all limits as enforced, but drops one: {dropped[0]}")
                self._stream = _Stream(
                    engine.attach_socket(self.id, {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
                )
                engine.start(self.id)
            except BaseException:
                with contextlib.suppress(Exception):
                    engine.remove_container(self.id, force=True)
                raise
        self._transport = StreamTransport(self._stream.read, self._stream.write, self._stream.shut)
        try:
            first, _ = self._transport.first.result(_START_S)
            messages.raise_error(first)
            answer, _ = ask(self, {"op": "layers", "profile": shape.profile}, [], _START_S)
        except (InfrastructureError, FutureTimeout) as error:
            self.end()
            raise InfrastructureError(
                f"the container does not start: {str(error) or 'it is silent'}\n{self._stream.stderr}".strip()
            ) from error
        found = {*map(str, answer["layers"]), *layers}
        if shape.profile == "python" and "mount_namespace" not in found:
            found.discard("disk_quota")  # that of one program is that of all
        if shape.profile == "shell" and "kill_all" not in found:
            self.single_use = True
            found.add("kill_all")
        self.layers = frozenset(found)

    def fits(self, need: Need) -> bool:
        """Say whether it has room; a container for one program takes only a program with its own limits."""
        if self.spoiled:
            return False
        if self.shape.profile == "shell":
            return not self.load and self.shape.room == need
        return self.free.memory_mb >= need.memory_mb and self.free.pids >= need.pids

    def occupy(self, need: Need) -> None:
        """Reserve room for one more user."""
        self.load += 1
        self.runs += 1
        self.free = Need(self.free.memory_mb - need.memory_mb, self.free.pids - need.pids)

    def release(self, need: Need) -> None:
        """Give back the room of one user."""
        self.load -= 1
        self.free = Need(self.free.memory_mb + need.memory_mb, self.free.pids + need.pids)

    def ask(self, message: dict[str, Any], blobs: list[bytes], wait_s: float) -> messages.Frame:
        try:
            return self._transport.ask(message, blobs, wait_s)
        except Gone as error:
            self.spoiled = True
            raise Gone(f"{error} {self._stream.stderr}".strip()) from error
        except BaseException:
            self.spoiled = self.spoiled or self.shape.profile == "shell"  # its program may be running yet
            raise

    def let_go(self) -> None:
        """Shut its input, on which it ends by itself."""
        with contextlib.suppress(OSError):
            self._stream.shut()

    def close(self) -> None:
        """Let it end by itself, and close this process's end of it."""
        self._transport.close()
        self._stream.close()

    def end(self) -> None:
        """Kill it now, with everything in it."""
        self.close()
        with contextlib.suppress(InfrastructureError), _engine_errors("it is gone already"):
            self._engine.remove_container(self.id, force=True)

    def abandon(self) -> None:
        """Close the descriptors in a forked process, since the container is the parent's."""
        self.spoiled = True
        self._transport.abandon()
        self._stream.abandon()


def _host_config(engine: Any, shape: Shape) -> Any:
    from docker.types import LogConfig, Ulimit

    options = ["no-new-privileges", *shape.security_opt]
    if shape.seccomp:
        options.append(f"seccomp={shape.seccomp}")
    files_mb = math.ceil(shape.workers * shape.limits.file_mb)
    files = math.ceil(shape.workers * shape.limits.files) + _RUNNER_FILES
    memory = f"{shape.room.memory_mb + _RUNNER_MB}m"
    execute = "exec" if shape.profile == "shell" else "noexec"
    return engine.create_host_config(
        network_mode="none",
        ipc_mode="none",  # and no /dev/shm
        read_only=True,
        tmpfs={  # scratch directories, if the runner cannot mount its own
            "/tmp": f"rw,nosuid,nodev,{execute},size={files_mb}m,nr_inodes={files},mode=1777",
        },
        cap_drop=["ALL"],
        security_opt=options,
        mem_limit=memory,
        memswap_limit=memory,  # memory and swap together: no swap
        pids_limit=shape.room.pids + _RUNNER_PIDS,
        nano_cpus=int(shape.cpus * 1e9),
        ulimits=[
            Ulimit(name="core", soft=0, hard=0),
            Ulimit(name="nofile", soft=16384, hard=16384),
            Ulimit(name="memlock", soft=0, hard=0),
        ],
        init=True,
        auto_remove=True,
        log_config=LogConfig(type="none"),
        runtime=shape.runtime,
    )


class _Stream:
    """The attached streams: stdin, and stdout taken out of the frames in which the engine mixes it with stderr."""

    def __init__(self, attached: Any) -> None:
        self._attached = attached
        self._socket = getattr(attached, "_sock", attached)
        if hasattr(self._socket, "settimeout"):
            self._socket.settimeout(None)
        self._raw = bytearray()
        self._out = bytearray()
        self._err = bytearray()

    @property
    def stderr(self) -> str:
        """Return the last part of stderr."""
        return self._err.decode(errors="replace").strip()

    def read(self, size: int) -> bytes:
        """Read exactly that many bytes of stdout, fewer only at its end."""
        while len(self._out) < size:
            data = self._socket.recv(1 << 18)
            if not data:
                break
            self._raw += data
            self._sort()
        found = bytes(self._out[:size])
        del self._out[:size]
        return found

    def _sort(self) -> None:
        while len(self._raw) >= _HEADER_BYTES:
            end = _HEADER_BYTES + int.from_bytes(self._raw[4:_HEADER_BYTES], "big")
            if len(self._raw) < end:
                return
            part = self._raw[_HEADER_BYTES:end]
            if self._raw[0] == _STDOUT:
                self._out += part
            elif self._raw[0] == _STDERR:
                self._err = (self._err + part)[-_KEPT_BYTES:]
            del self._raw[:end]

    def write(self, data: bytes) -> None:
        self._socket.sendall(data)

    def shut(self) -> None:
        """Shut both directions, so that a blocked reader returns."""
        self._socket.shutdown(2)

    def close(self) -> None:
        """Close the streams and what the engine's client keeps open for them."""
        for thing in (self._attached, getattr(self._attached, "_response", None), self._socket):
            if thing is not None:
                with contextlib.suppress(OSError, ValueError):
                    thing.close()

    def abandon(self) -> None:
        """Close only this process's copy of the descriptor."""
        with contextlib.suppress(OSError, AttributeError):
            os.close(self._socket.detach())


def _machine() -> str:
    """Return an identifier of this machine, since processes of others may have the same numbers."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}-{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return platform.node()


def _process(pid: int) -> str:
    """Return a process's number and start time as one text, "" if it does not exist."""
    try:
        return f"{pid}-{Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[19]}"
    except OSError:
        if os.path.exists("/proc/self/stat"):
            return ""
    with contextlib.suppress(PermissionError):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return ""
    return f"{pid}-"


def remove_stale(engine: Any) -> int:
    """Remove containers whose client on this machine is dead, and return how many there were."""
    if sys.platform == "win32":  # no way to ask whether a process lives
        return 0
    count = 0
    with _engine_errors("the engine does not list its containers"):
        found = engine.containers(all=True, filters={"label": f"{_MACHINE}={_machine()}"})
    for container in found:
        owner = container["Labels"].get(_PROCESS, "")
        pid = owner.partition("-")[0]
        if pid.isdecimal() and _process(int(pid)) != owner:
            with contextlib.suppress(InfrastructureError), _engine_errors("it is gone already"):
                engine.remove_container(container["Id"], force=True)
                count += 1
    return count
