"""The process that forks jailed children for a client, one after the other.

It keeps one forked ahead, whose pipes and socket go to the client, so that it never holds a byte of a program's code or
output. It kills what a program leaves behind, and replaces the scratch directory if it was touched. ``outer.py``
starts it, with nothing but the standard library.
"""

import contextlib
import gc
import importlib
import json
import os
import resource
import select
import shutil
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from turnwise.sandbox.jail import cgroups, child, identity, kernel, landlock, repl, rootfs, seccomp, trials
from turnwise.sandbox.jail.confine import Jail
from turnwise.sandbox.jail.scratch import Scratch

__all__ = ["UNSUITABLE", "Unusable", "Warden"]

UNSUITABLE = 77
"""Exit status of the outer process: the strategy does not work here, the next one may."""
_PDEATHSIG = 1
_SWEEP_S = 2.0


class Unusable(Exception):
    """Programs cannot be run with these settings; the message is for the user."""


class Warden:
    """The process that forks jailed children, one after the other."""

    def __init__(
        self,
        control: socket.socket,
        strategy: str,
        config: dict[str, Any],
        group: cgroups.Group | None,
        box: str,
        answers: socket.socket,
        ids: identity.Ids | None,
        world: trials.World,
    ) -> None:
        self.control = control
        self.config = config
        self.group = group
        self.enclosed = strategy != "none"  # namespaces: it is process 1 of its own
        self.programs = config["profile"] == "shell"
        self.site = "/site" if self.enclosed else f"{box}/site"
        self.world = world
        self.children: dict[int, int] = {}  # numbers of those that live, by process
        self.number = 0  # the last one given
        self.oom_kills = 0
        self.keep = 0  # the child that the scratch directory outlives
        self.hold = 0  # the child that is a session: its end is for the client to say
        self.ended = 0  # the session that the client has ended last
        self.host_proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
        self.facts: list[str] = []
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(name, signal.SIG_IGN)
        self.box_id: int | None = None
        self.scratch = Scratch("" if self.enclosed else f"{box}/scratch", self.programs, config)
        if strategy != "none":
            try:
                self.box_id = rootfs.enclose(config, strategy, ids, self._others(), answers)
                with contextlib.suppress(OSError):  # a profile of a container engine may refuse it
                    socket.sethostname("sandbox")
                self.scratch.mount(self.box_id)
            except OSError:
                os._exit(UNSUITABLE)
        elif ids is not None:
            self.box_id = ids.box
            os.setgroups([])
        answers.close()
        kernel.prctl(_PDEATHSIG, signal.SIGKILL)
        if not self.enclosed:
            with contextlib.suppress(OSError):  # gVisor has none
                kernel.prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: what a child leaves behind comes here
        os.chdir("/")
        os.umask(0o022)
        self._prepare()

    def _others(self) -> list[str]:
        """Return the namespaces to enter besides those of users, mounts and processes."""
        # no namespace of groups with a group of its own: writes to the group's files would be judged from inside
        return ["net", "ipc", "uts", *["cgroup"] * (self.group is None or not self.group.paths)]

    def _prepare(self) -> None:
        """Do once what every child would have to do: imports, the plan of the jail, first uses."""
        site = self.site
        if self.enclosed:
            _check_library(self.config["executable"])
        else:
            self._furnish()
        sys.path[:] = [path for path in sys.path if path]
        sys.path.append(site)
        self._set_environment()
        sys.dont_write_bytecode = True
        # children seed random, and shells start with subprocess
        for name in (*self.config["preload"], "random", *(["subprocess"] if self.programs else [])):
            importlib.import_module(name)
        child.warm_up(repl.serve)
        self.base_bytes = self._address_space()
        version = landlock.abi()
        alone = self.enclosed or version >= 6  # signals cannot leave the jail
        self.facts = self.world.entered(self.host_proc)
        sockets = "net_namespace" in self.facts
        branches = self.programs and self.enclosed and version > 0
        # one runs while the next gets ready; not if one could signal the other, or if all are killed at its end
        self.most_children = 2 if version >= 6 and not self.programs else 1
        self.jail = Jail(
            self.programs,
            self.box_id,
            calls=seccomp.build(self.programs, alone, sockets),
            session_calls=seccomp.build(self.programs, alone, sockets, True) if branches else None,
            oom_directory=self.host_proc if self.group is not None and self.programs else -1,
            warden=0 if self.enclosed else os.getpid(),
        )
        self.jail.prepare()
        if version:
            targets = [os.path.realpath(f"{site}/{name}") for name in self.config["site"]]
            rules = rootfs.enclosing_rules(
                self.config, self.scratch.path, self.programs, [site, *targets], self.enclosed
            )
            self.jail.rules = landlock.ruleset(rules)
            if branches:
                repl.readable[:] = rootfs.tops(rules)
        self._find_layers()
        self._limit_group(self.config)
        self.world.close()
        self._wake()
        child.forget_ourselves()
        gc.collect()
        gc.freeze()

    def _set_environment(self) -> None:
        programs = rootfs.PROGRAMS if self.enclosed else f"{os.path.dirname(self.scratch.path)}/programs"
        environment = {
            "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
            "HOME": self.scratch.path,
            "TMPDIR": self.scratch.path,
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "dumb",
            "MALLOC_ARENA_MAX": "1",  # each arena takes 64 MiB of the address space, and each thread an arena
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": self.site,
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()

    def _furnish(self) -> None:
        """Make the directories that a file system of its own would have."""
        os.chmod(os.path.dirname(self.scratch.path), 0o711)
        os.mkdir(self.site)
        rootfs.link_python(f"{os.path.dirname(self.scratch.path)}/programs", self.config["executable"])
        for name, path in self.config["site"].items():
            os.symlink(path, f"{self.site}/{name}")
        self.scratch.make(self.box_id)

    def _address_space(self) -> int:
        place = os.open("self/statm", os.O_RDONLY, dir_fd=self.host_proc)
        try:
            return int(os.read(place, 200).split()[0]) * os.sysconf("SC_PAGE_SIZE")
        finally:
            os.close(place)

    def _wake(self) -> None:
        """Make the end of a child show as a byte in a pipe that can be polled."""
        self.alarm, far = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(far, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def _find_layers(self) -> None:
        """Find the layers in force by trying, unless an earlier warden has done so under the same circumstances."""
        self.facts += ["uid"] * (self.box_id is not None) + [f"landlock {landlock.abi()}"]
        self.facts += [
            kind for kind in ("memory", "tasks") if self.group is not None and getattr(self.group, kind) >= 0
        ]
        known = self.config.get("known", {})
        if known.get("facts") == self.facts:
            self.layers = known["layers"]
            return
        layers = {*self._observe(), *(name for name in self.facts if name.endswith("_namespace"))}
        if self._ends_all():
            layers.add("kill_all")
        if self.group is not None and self.programs and self._memory_is_bounded(self.group):
            layers.add("memory_total")
        if repl.readable and landlock.abi() >= 6 and {"seccomp", "landlock"} <= layers:
            layers.add("branches")
        self.scratch.renew()
        self.layers = sorted(layers)

    def _jailed(self, keep: int, work: Callable[[], object]) -> int:
        """Fork a jailed child that does some work and keeps one descriptor, and return its process id."""
        pid = os.fork()
        if pid == 0:
            try:
                self.jail.enter(keep)
                self.jail.shut(False)
                work()
            except BaseException:
                os.write(keep, json.dumps(traceback.format_exc()).encode())
            os._exit(0)
        return pid

    def _observe(self) -> list[str]:
        """Let a jailed child try what it must not be able to do."""
        bounds = {**self.config, "cpu_s": 10, "wall_s": 10, "processes": trials.BOUNDS["processes"]}
        if self.enclosed:
            bounds |= trials.BOUNDS
            self.scratch.resize(bounds["file_mb"], bounds["files"])
        self._limit_group(bounds)
        processes = self._base_processes()
        reading, writing = os.pipe()

        def work() -> None:
            most = processes + bounds["processes"]
            resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
            limited = trials.threads_are_limited(bounds["processes"])  # before their stacks meet the limit of memory
            child.limit_here(bounds, self.base_bytes, processes, False)
            try:
                _check_library(self.config["executable"])
            except Unusable as error:
                os.write(writing, json.dumps({"unusable": str(error)}).encode())
                return
            found = trials.observe(self.world, self.scratch.path, bounds, self.box_id)
            os.write(writing, json.dumps([*found, *["process_limit"] * limited]).encode())

        pid = self._jailed(writing, work)
        os.close(writing)
        with open(reading, "rb") as file:
            found = json.loads(file.read() or b"[]")
        os.waitpid(pid, 0)
        if isinstance(found, str):
            raise RuntimeError(found)
        if isinstance(found, dict):
            raise Unusable(found["unusable"])
        return [str(name) for name in found]

    def _ends_all(self) -> bool:
        """Say whether nothing that a program starts outlives it, or it cannot start anything."""
        reading, writing = os.pipe()
        pid = self._jailed(writing, lambda: trials.leave_behind(writing) or os.write(writing, b"-"))
        os.close(writing)
        os.waitpid(pid, 0)
        poller = select.poll()
        poller.register(reading, select.POLLIN)
        if self.programs:
            self._kill_all()
        found = os.read(reading, 100) if poller.poll(_SWEEP_S * 1000) else b"?"
        os.close(reading)
        if not self.programs:
            return found == b"-"
        return found == b"" and (self.enclosed or self.box_id is not None)  # else it may be gone by luck

    def _memory_is_bounded(self, group: cgroups.Group) -> bool:
        """Say whether a child that uses more than the group's memory is killed, as in a container of its own."""
        if group.memory < 0:
            return bool(self.config["alone"])
        most_bytes = group.set_memory(1) + 2**24
        reading, writing = os.pipe()
        pid = self._jailed(writing, lambda: trials.fill_memory(most_bytes))
        status = os.waitpid(pid, 0)[1]
        os.close(reading)
        os.close(writing)
        self.oom_kills = group.kills()
        return os.WIFSIGNALED(status) and self.oom_kills > 0

    def _base_processes(self) -> int:
        """Return how many processes of the child's user count against its limit already."""
        if self.box_id is not None:
            return self.most_children - 1
        if self.enclosed:
            return 1 + self.most_children
        uid, count = os.geteuid(), 0
        for name in os.listdir("/proc"):
            with contextlib.suppress(OSError):
                if name.isdecimal() and os.stat(f"/proc/{name}").st_uid == uid:
                    count += len(os.listdir(f"/proc/{name}/task"))
        return count

    def serve(self) -> None:
        """Fork children and obey the client until it closes the control socket."""
        self.control.send(
            json.dumps({"layers": self.layers, "facts": self.facts, "scratch": self.scratch.path}).encode()
        )
        self._spawn()
        poller = select.poll()
        poller.register(self.control, select.POLLIN)
        poller.register(self.alarm, select.POLLIN)
        while True:
            for place, _ in poller.poll():
                if place == self.alarm:
                    os.read(self.alarm, 4096)
                    self._reap()
                elif not self._obey(self.control.recv(65536)):
                    self._kill_all()
                    return

    def _obey(self, message: bytes) -> bool:
        if not message:
            return False
        order = json.loads(message)
        if "signal" in order:
            for pid, number in self.children.items():
                if number == order["to"]:
                    os.kill(pid, order["signal"])
        elif "keep" in order:
            self.keep = order["keep"]
        elif "hold" in order:
            self.hold = order["hold"]
        elif "end" in order and order["end"] == self.hold:
            self._end()
        elif "bounds" in order:
            self._bound(order["bounds"])
        elif "nursery" in order:
            self.scratch.open_nursery()
            self.control.send(b'{"nursery":1}')
        elif "forget" in order:
            with contextlib.suppress(RecursionError):  # it goes with the rest
                shutil.rmtree(order["forget"], ignore_errors=True)
        return True

    def _bound(self, bounds: dict[str, Any]) -> None:
        self.scratch.bound(bounds["file_mb"], bounds["files"])
        self._limit_group(bounds)
        self.control.send(b'{"bounded":1}')

    def _limit_group(self, bounds: dict[str, Any]) -> None:
        if self.group is not None:
            self.group.set_memory(bounds["memory_mb"])
            self.group.set_tasks(int(bounds["processes"]) + 1 + self.most_children)  # the outer process, this one

    def _spawn(self) -> None:
        """Fork children until there are enough."""
        while len(self.children) < self.most_children:
            self._fork()

    def _fork(self) -> None:
        self.number += 1
        near, far = socket.socketpair()
        stdin, stdin_far = os.pipe2(os.O_CLOEXEC)
        stdout_far, stdout = os.pipe2(os.O_CLOEXEC)
        stderr_far, stderr = os.pipe2(os.O_CLOEXEC)
        processes = self._base_processes()
        pid = os.fork()
        if pid == 0:
            job = near.detach()
            child.become(self.jail, job, (stdin, stdout, stderr), self.scratch.path, self.base_bytes, processes)
        self.children[pid] = self.number
        descriptors = [far.fileno(), stdin_far, stdout_far, stderr_far]
        socket.send_fds(self.control, [b'{"ready":%d}' % self.number], descriptors)
        near.close()
        far.close()
        for place in (stdin, stdout, stderr, stdin_far, stdout_far, stderr_far):
            os.close(place)

    def _reap(self) -> None:
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            number = self.children.pop(pid, 0)
            if number:
                self._catch_up()
                if number == self.hold:
                    self._report(b"ended", number, status, 0.0, 0)
                elif number != self.ended:  # the client may have ended it already
                    self._finish(number, status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)

    def _catch_up(self) -> None:
        """Obey what the client sent before the child got its job, since it applies to that child's end."""
        with contextlib.suppress(BlockingIOError):
            while self._obey(self.control.recv(65536, socket.MSG_DONTWAIT)):
                pass

    def _report(self, kind: bytes, number: int, status: int, cpu_s: float, peak_kb: int) -> None:
        kills = self.group.kills() if self.group is not None else 0
        oom, self.oom_kills = kills > self.oom_kills, kills
        text = b'{"%s":%d,"status":%d,"cpu":%.6f,"peak":%d,"oom":%d}'
        self.control.send(text % (kind, number, status, cpu_s, peak_kb, oom))

    def _end(self) -> None:
        """End a session and all that belongs to it."""
        number, self.hold, self.ended = self.hold, 0, self.hold
        if self.programs:
            self._kill_all()
            self.children.clear()
        for pid in [pid for pid, found in self.children.items() if found == number]:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            del self.children[pid]
        self._finish(number, 0, 0.0, 0)

    def _finish(self, number: int, status: int, cpu_s: float, peak_kb: int) -> None:
        """Restore everything to its state before the child, and have another one wait."""
        if self.programs:
            self._kill_all()
        if not self.children:  # else another one can start as soon as the client knows
            self._report(b"done", number, status, cpu_s, peak_kb)
        if self.keep == number:
            self.keep = 0
        elif self.scratch.touched:
            self.scratch.renew()
        if self.children:
            self._report(b"done", number, status, cpu_s, peak_kb)
        self._spawn()

    def _kill_all(self) -> None:
        """Kill every process that a program has started, and wait until they are gone."""
        if self.enclosed:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
        elif self.box_id is not None:
            sweeper = os.fork()
            if sweeper == 0:
                identity.become(self.box_id)
                with contextlib.suppress(OSError):
                    os.kill(-1, signal.SIGKILL)
                os._exit(0)
        elif self.programs:
            self._kill_children()
            return
        for pid in self.children:
            os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.wait4(-1, 0)

    def _kill_children(self) -> None:
        """Kill what becomes a child of this process, for a while: without namespace and user the rest is unknown."""
        until = time.monotonic() + _SWEEP_S
        with contextlib.suppress(ChildProcessError):
            while time.monotonic() < until:
                with contextlib.suppress(OSError):
                    place = os.open(f"self/task/{os.getpid()}/children", os.O_RDONLY, dir_fd=self.host_proc)
                    with open(place) as file:
                        for pid in map(int, file.read().split()):
                            os.kill(pid, signal.SIGKILL)
                while os.wait4(-1, os.WNOHANG)[0]:
                    pass
                time.sleep(0.001)


def _check_library(executable: str) -> None:
    """Raise `Unusable` if the interpreter is in a folder that this process may not read, as root's may be."""
    library = os.path.dirname(os.__file__)
    for path, rights in ((library, os.R_OK | os.X_OK), (os.__file__, os.R_OK), (executable, os.X_OK)):
        above = [path[:at] for at, letter in enumerate(path) if letter == "/" and at]
        shut = [folder for folder in above if not os.access(folder, os.X_OK)]
        if shut or not os.access(path, rights):
            raise Unusable(
                f"programs run as a user without rights, who may not read {shut[0] if shut else path}, where the "
                f"interpreter {executable} lies. Allow it (chmod o+rx) or use an interpreter in a folder that everyone "
                "may read: a virtual environment made from that one, or EmbeddedSandbox(python=...)"
            )
