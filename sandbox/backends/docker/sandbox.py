"""The sandbox in containers: the embedded sandbox's runner in long-lived hardened containers of a Docker engine."""

import contextlib
import math
import os
import threading
import weakref
from collections.abc import Collection, Sequence
from typing import Annotated, Any, Literal

from turnwise.core.errors import InfrastructureError, UsageError
from turnwise.core.settings import Range, check_arguments
from turnwise.sandbox.backends.docker import image as images
from turnwise.sandbox.backends.docker.container import (
    ENGINE_LIMITS,
    Container,
    Need,
    Shape,
    engine_layers,
    remove_stale,
    seccomp_profile,
)
from turnwise.sandbox.backends.docker.engine import connect
from turnwise.sandbox.backends.proxy import Gone, ProxySandbox, Transport, ask
from turnwise.sandbox.interface import messages
from turnwise.sandbox.interface.records import DEFAULT_LIMITS, Limits, Profile
from turnwise.sandbox.interface.sandbox import REQUIRED, Unsafe, require_layers

__all__ = ["DockerSandbox"]

_TRIES = 4
_PROGRAM_MB = 24  # of an interpreter, beyond the limits of what it runs
_PROGRAM_PIDS = 8
_SHARE = 0.75  # of the engine's memory, for programs of the profile "python"
_LEAST_MB = 1024
_MOST_PIDS = 4096


class _Lease:
    """A container for one run, or for one session and its branches: their transport, which gives it back at the end."""

    def __init__(self, owner: "DockerSandbox", container: Container, need: Need) -> None:
        self.container = container
        self.need = need
        self._owner = owner
        self._open = 0
        self._lock = threading.Lock()
        self._settled = False

    def ask(self, message: dict[str, Any], blobs: list[bytes], wait_s: float) -> messages.Frame:
        try:
            answer = self.container.ask(message, blobs, wait_s)
            if "handle" in answer[0]:
                with self._lock:
                    self._open += 1
            return answer
        finally:
            if message["op"] == "close":
                with self._lock:
                    self._open -= 1
                self.settle()

    def settle(self) -> None:
        """Give the container back unless something is open in it."""
        with self._lock:
            if self._open > 0 or self._settled:
                return
            self._settled = True
        self._owner._take_back(self)

    def close(self) -> None:
        """Do nothing: the container does not belong to this session."""


class DockerSandbox(ProxySandbox):
    r"""Programs in containers: no network, read-only, no capabilities, no user of the machine, limits by the engine.

    In each runs the runner of the embedded sandbox, with all its layers that the kernel and the engine allow. Programs
    of the profile "python" share containers. Those of "shell" have one for themselves while they run, a session for as
    long as it lives, whose limit of memory is that of their processes together. Containers are reused; one that
    breaks is replaced, and its work is done again. They end with this process, however it ends.

    Args:
        image: One with ``python3`` (3.11 or later) and a shell, which the engine has or can pull; the runner is added
            to it. None: an image made of this machine's Python, without a registry (if this is not Linux, the
            official one of the same version).
        workers: Most programs at a time; None: one per processor of the engine.
        require: Layers that must be in force, see ``REQUIRED``; () accepts any. If "rlimits" is required, so are the
            engine's limits of memory, swap, processes and processors.
        containers: How many share the programs of the profile "python"; sessions without room get further ones.
        runtime: OCI runtime such as "runsc" (gVisor); None: the engine's default.
        memory_mb: MiB of each of these; None: their share of three quarters of the engine's memory.
        recycle_after: Runs and sessions after which a container is replaced.
        packages: Distributions that programs may import, with what they require: of the image, or with ``image=None``
            of this machine.
        preload: Modules that programs find imported already; None: the runner's choice.
        compilers: The image made of this machine has its C and C++ compilers.
        seccomp: "runner": a profile with what the runner needs, namespaces of its own among it. "engine": the engine's
            default, under which it has none.
        security_opt: Further options of the containers, such as "apparmor=unconfined" for a machine whose AppArmor
            profile keeps the runner from mounting.

    Raises:
        MissingDependencyError: The package ``docker`` is not installed.
        InfrastructureError: No engine answers, or no container starts.
        Unsafe: A required layer is not in force, or the engine lacks the runtime.
        SettingsError: The image does not exist.

    >>> with DockerSandbox(workers=1) as sandbox:  # doctest: +SKIP
    ...     sandbox.run(Program("print(6 * 7)")).stdout
    '42\n'
    """

    name = "docker"

    def __init__(
        self,
        image: str | None = None,
        workers: int | None = None,
        require: Collection[str] = REQUIRED,
        containers: Annotated[int, Range(1)] = 1,
        runtime: str | None = None,
        memory_mb: int | None = None,
        recycle_after: Annotated[int, Range(1)] = 10_000,
        packages: Sequence[str] = (),
        preload: Sequence[str] | None = None,
        compilers: bool = False,
        seccomp: Literal["runner", "engine"] = "runner",
        security_opt: Sequence[str] = (),
    ) -> None:
        given = {"containers": containers, "recycle_after": recycle_after, "seccomp": seccomp}
        check_arguments(DockerSandbox.__init__, **given)
        self.require = frozenset(require)
        self._containers = containers
        self._recycle_after = recycle_after
        self._runtime = runtime
        self._seccomp = seccomp_profile() if seccomp == "runner" else ""
        self._security_opt = tuple(security_opt)
        self._settings: dict[str, Any] = {"packages": list(packages)}
        if preload is not None:
            self._settings["preload"] = list(preload)
        self._layers = {}
        self._engine: Any = connect()
        self._reset()
        try:
            info = self._engine.info()
            self._from_engine = engine_layers(info, runtime)
            if "rlimits" in self.require:
                require_layers(self._from_engine, ENGINE_LIMITS, "the Docker engine (see its info())")
            self._cpus = int(info.get("NCPU") or 1)
            self.workers = workers or self._cpus
            self._memory_mb = memory_mb or max(_LEAST_MB, int(info.get("MemTotal", 0) / 2**20 * _SHARE / containers))
            remove_stale(self._engine)
            self._image = images.ready(self._engine, image, compilers, packages)
            self._take_back(self._lend("python", DEFAULT_LIMITS))
        except BaseException:
            self.close()
            raise
        _LIVING.add(self)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._launching = threading.Lock()
        self._pool: list[Container] = []
        self._closed = False
        self._running = threading.BoundedSemaphore(getattr(self, "workers", 1))

    def layers_of(self, profile: Profile) -> frozenset[str]:
        if profile not in self._layers:
            self._take_back(self._lend(profile, DEFAULT_LIMITS))
        return self._layers[profile]

    def _start(
        self, message: dict[str, Any], blobs: list[bytes], wait_s: float
    ) -> tuple[dict[str, Any], list[bytes], Transport]:
        """Ask a container with room, and another one if that breaks."""
        limits, problem = Limits(**message["limits"]), ""
        with self._running if message["op"] == "run" else contextlib.nullcontext():
            for _ in range(_TRIES):
                lease = self._lend(message["profile"], limits)
                try:
                    return (*ask(lease, message, blobs, wait_s), lease)
                except Gone as error:
                    problem = str(error)
                finally:
                    lease.settle()
        raise InfrastructureError(f"the sandbox broke {_TRIES} times: {problem}")

    def _lend(self, profile: Profile, limits: Limits) -> _Lease:
        memory_mb = math.ceil(limits.memory_mb + limits.file_mb) + _PROGRAM_MB
        need = Need(memory_mb, math.ceil(limits.processes) + _PROGRAM_PIDS)
        container = self._reserve(profile, need)
        if container is None and profile == "python":
            with self._launching:  # one after the other: the second may find room in the first
                container = self._reserve(profile, need) or self._launch(profile, need, limits)
        return _Lease(self, container or self._launch(profile, need, limits), need)

    def _reserve(self, profile: Profile, need: Need) -> Container | None:
        """Reserve room in a running container, or return None."""
        with self._lock:
            if self._closed:
                raise UsageError("the sandbox is closed")
            those = [container for container in self._pool if container.shape.profile == profile]
            fit = [container for container in those if container.fits(need) and container.runs < self._recycle_after]
            if not fit:
                return None
            best = min(fit, key=lambda container: container.load)
            if profile == "python" and best.load >= best.shape.workers and len(those) < self._containers:
                return None
            best.occupy(need)
            return best

    def _launch(self, profile: Profile, need: Need, limits: Limits) -> Container:
        """Start a new container with the need reserved."""
        alone = profile == "shell"
        workers = 1 if alone else math.ceil(self.workers / self._containers)
        room = need if alone else Need(max(self._memory_mb, need.memory_mb), max(_MOST_PIDS, need.pids))
        shape = Shape(
            profile,
            workers,
            room,
            cpus=min(workers, self._cpus),
            limits=limits,
            runtime=self._runtime,
            seccomp=self._seccomp,
            security_opt=self._security_opt,
        )
        if self._engine is None:  # after a fork
            self._engine = connect()
        container = Container(self._engine, self._image, shape, self._settings, self._from_engine)
        try:
            require_layers(container.layers, self.require, f"the docker sandbox, profile {profile!r}")
        except Unsafe:
            container.end()
            raise
        self._layers[profile] = container.layers
        with self._lock:
            container.occupy(need)
            self._pool.append(container)
        return container

    def _take_back(self, lease: _Lease) -> None:
        """Release a lease, and end its container or those idle longest if they are not needed any more."""
        container, profile = lease.container, lease.container.shape.profile
        with self._lock:
            container.release(lease.need)
            left: list[Container] = []
            if container.spoiled or self._closed:
                left = [container]
            elif not container.load:
                if container.single_use or container.runs >= self._recycle_after:
                    left = [container]
                elif container in self._pool:
                    self._pool.remove(container)
                    self._pool.append(container)
                    idle = [other for other in self._pool if other.shape.profile == profile and not other.load]
                    left = idle[: -self._containers if profile == "python" else -self.workers]
            self._pool = [other for other in self._pool if other not in left]
            at_once = self._closed or container.spoiled or container.single_use
        for other in left:
            if at_once:
                other.end()
            else:
                other.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            left, self._pool = self._pool, []
        for container in left:
            container.let_go()  # so that all end at the same time
        for container in left:
            container.end()
        if self._engine is not None:
            self._engine.close()

    def _after_fork(self) -> None:
        """Drop the parent's containers after a fork; this process starts its own."""
        closed = self._closed
        for container in self._pool:
            container.abandon()
        self._reset()
        self._closed = closed
        self._engine = None

    def __del__(self) -> None:
        for container in getattr(self, "_pool", ()):
            container.let_go()


_LIVING: weakref.WeakSet[DockerSandbox] = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for sandbox in list(_LIVING):
        sandbox._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
