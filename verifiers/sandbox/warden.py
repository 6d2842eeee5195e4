"""The program that stands between a client and jailed children: an outer process, and the warden that it starts.

The outer process (of the host's namespaces) makes a control group, starts the warden in namespaces of its own, and ends
it when the client is gone. The warden keeps one jailed child forked ahead, whose pipes and socket go to the client, so
that it never holds a byte of a program's code or output; it kills what a program leaves behind, and replaces the
scratch directory when it was touched.

It is started by ``launch.py``, with nothing but the standard library.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import stat
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

from turnwise.verifiers.sandbox import cgroups, child, kernel, landlock, repl, rootfs, seccomp
from turnwise.verifiers.sandbox.jail import Jail, observe

__all__ = ["STRATEGIES", "UNSUITABLE", "main"]

STRATEGIES = ("root", "user", "none")
"""Ways to isolate, best first: namespaces made by root, made by an ordinary user, none."""
UNSUITABLE = 77
"""Exit status of the outer process: the strategy does not work here, the next one may."""
_BOX_ID = 65534  # user and group of a jailed process, as it sees them
_FIRST_HOST_ID = 0x60000000  # above what systems give out; the id of the outer process makes it one's own
_PDEATHSIG = 1
_BOX_PREFIX = "turnwise-box-"
_MOST_PIDS = 1 << 22  # PID_MAX_LIMIT


def main(arguments: list[str]) -> None:
    """Runs the outer process: descriptor of the control socket, strategy, settings."""
    descriptor, strategy, settings = arguments
    control = socket.socket(fileno=int(descriptor))
    config = json.loads(settings)
    if os.geteuid() != 0 and strategy == "root":
        os._exit(UNSUITABLE)
    os._exit(_outer(control, strategy, config))


def _outer(control: socket.socket, strategy: str, config: dict[str, Any]) -> int:
    client = os.getppid()
    group = cgroups.create() if config["profile"] == "shell" else None
    watch = _open_process(client)
    box = _make_box() if strategy == "none" else ""
    asks, answers = socket.socketpair()
    try:
        if strategy == "root":
            kernel.unshare("pid")
        elif strategy == "user":
            uid, gid = os.geteuid(), os.getegid()
            kernel.unshare("user", "pid")
            rootfs.map_ids("self", f"{_BOX_ID} {uid} 1", f"{_BOX_ID} {gid} 1", True)
    except OSError:
        _forget(group, box)
        return UNSUITABLE
    outer = os.getpid()
    pid = os.fork()
    if pid == 0:
        asks.close()
        try:
            Warden(control, strategy, config, group, box, answers, outer).serve()
        except BaseException:
            with contextlib.suppress(OSError):
                control.send(json.dumps({"failed": traceback.format_exc()[-2000:]}).encode())
        os._exit(1)
    answers.close()
    if asks.recv(1) == b"m":  # asks for its maps: only this process may write them
        host = _FIRST_HOST_ID + 2 * outer
        maps = f"0 {host} 1\n{_BOX_ID} {host + 1} 1\n"
        try:
            rootfs.map_ids(pid, maps, maps, False)
            asks.send(b"+")
        except OSError:
            asks.close()
    status = _wait(pid, watch)
    _forget(group, box)
    return status


def _make_box() -> str:
    """A directory for a warden without a file system of its own; those of wardens that were killed are removed."""
    for old in Path(tempfile.gettempdir()).glob(f"{_BOX_PREFIX}*"):
        pid = old.name.removeprefix(_BOX_PREFIX).partition("-")[0]
        if pid.isdecimal() and not os.path.exists(f"/proc/{pid}") and old.lstat().st_uid == os.geteuid():
            shutil.rmtree(old, ignore_errors=True)
    return tempfile.mkdtemp(prefix=f"{_BOX_PREFIX}{os.getpid()}-")


def _open_process(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except OSError:  # an old kernel, or gone already
        return -1


def _wait(pid: int, watch: int) -> int:
    """Waits for the warden, and kills it when the client ends before it."""
    warden = _open_process(pid)
    if watch >= 0 and warden >= 0:
        poller = select.poll()
        for place in (watch, warden):
            poller.register(place, select.POLLIN)
        if warden not in [place for place, _ in poller.poll()]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _forget(group: cgroups.Group | None, box: str) -> None:
    if group is not None:
        parent = os.path.dirname(group.path)
        with contextlib.suppress(OSError), open(f"{parent}/cgroup.procs", "w") as file:
            file.write(str(os.getpid()))
        group.remove()
    if box:
        shutil.rmtree(box, ignore_errors=True)


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
        outer: int,
    ) -> None:
        self.control = control
        self.config = config
        self.group = group
        self.enclosed = strategy != "none"  # namespaces: it is process 1 of its own
        self.programs = config["profile"] == "shell"
        self.scratch = rootfs.SCRATCH if self.enclosed else f"{box}/scratch"
        self.site = "/site" if self.enclosed else f"{box}/site"
        self.bounds = (config["file_mb"], config["files"])
        self.pid = 0
        self.number = 0
        self.oom_kills = 0
        self.keep = False  # the scratch directory outlives the next child
        self.hold = False  # the next child is a session: its end is for the client to say
        self.host_proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
        self.facts: list[str] = []
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(name, signal.SIG_IGN)
        self.box_id: int | None = None
        if strategy != "none":
            try:
                self._enclose(strategy, answers)
            except OSError:
                os._exit(UNSUITABLE)
        elif os.geteuid() == 0:
            self.box_id = 60000 + outer % 5000
            os.setgroups([])
        answers.close()
        kernel.prctl(_PDEATHSIG, signal.SIGKILL)
        if not self.enclosed:
            kernel.prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: what a child leaves behind comes here
        os.chdir("/")
        os.umask(0o022)
        self._prepare()

    def _enclose(self, strategy: str, answers: socket.socket) -> None:
        others = ["net", "ipc", "uts"]
        if self.group is None:
            others.append("cgroup")  # else writing to the group's files would be judged from the new namespace
        if strategy == "root":
            os.setgroups([])
            kernel.unshare("mount")
            rootfs.build(self.config)
            kernel.unshare("user", "mount", *others)
            answers.send(b"m")
            if answers.recv(1) != b"+":
                raise PermissionError("no maps of users")
            os.setresgid(0, 0, 0)
            os.setresuid(0, 0, 0)
            self.box_id = _BOX_ID
        else:
            kernel.unshare("mount", *others)
            rootfs.build(self.config)
        self._mount()
        self.facts = [f"{name}_namespace" for name in ("user", "mount", "pid", *others)]

    def _prepare(self) -> None:
        """Does once what every child would have to do: imports, the plan of the jail, first uses."""
        site = self.site
        if not self.enclosed:
            self._furnish()
        sys.path[:] = [path for path in sys.path if path]
        sys.path.append(site)
        programs = rootfs.PROGRAMS if self.enclosed else f"{os.path.dirname(self.scratch)}/programs"
        environment = {
            "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
            "HOME": self.scratch,
            "TMPDIR": self.scratch,
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": site,
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        os.environ.clear()
        os.environ.update(environment)
        sys.dont_write_bytecode = True
        for name in self.config["preload"]:
            importlib.import_module(name)
        child.warm_up(repl.serve)
        self.base_bytes = self._address_space()
        version = landlock.abi()
        alone = self.enclosed or version >= 6  # signals cannot leave the jail
        self.jail = Jail(
            self.programs,
            self.box_id,
            calls=seccomp.build(self.programs, alone, "net_namespace" in self.facts),
            oom_directory=self.host_proc if self.group is not None else -1,
            warden=0 if self.enclosed else os.getpid(),
        )
        self.jail.prepare()
        if version:
            targets = [os.path.realpath(f"{site}/{name}") for name in self.config["site"]]
            self.jail.rules = landlock.ruleset(
                rootfs.enclosing_rules(self.config, self.scratch, self.programs, [site, *targets], self.enclosed)
            )
        if self.group is not None:
            self.group.set_memory(self.config["memory_mb"])
        self._find_layers()
        self._wake()
        child.forget_ourselves()
        gc.collect()
        gc.freeze()

    def _furnish(self) -> None:
        """Makes the directories that a file system of its own would have."""
        os.chmod(os.path.dirname(self.scratch), 0o711)
        os.mkdir(self.scratch)
        os.mkdir(self.site)
        rootfs.link_python(f"{os.path.dirname(self.scratch)}/programs", self.config["executable"])
        for name, path in self.config["site"].items():
            os.symlink(path, f"{self.site}/{name}")
        if self.box_id is not None:
            os.chown(self.scratch, self.box_id, self.box_id)
        self.clean = self._mark()

    def _address_space(self) -> int:
        place = os.open("self/statm", os.O_RDONLY, dir_fd=self.host_proc)
        try:
            return int(os.read(place, 200).split()[0]) * os.sysconf("SC_PAGE_SIZE")
        finally:
            os.close(place)

    def _wake(self) -> None:
        """Ended children show as bytes in a pipe that can be polled."""
        self.alarm, far = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(far, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def _find_layers(self) -> None:
        """Asks a jailed child what it finds, and adds what only the warden knows."""
        reading, writing = os.pipe()
        limits = {**self.config, "cpu_s": 10, "wall_s": 10}
        processes = self._base_processes()
        pid = os.fork()
        if pid == 0:
            try:
                self.jail.enter(writing)
                child.limit_here(limits, self.base_bytes, processes, False)
                os.listdir(os.path.dirname(os.__file__))  # the library may lie where only root can read it
                os.write(writing, json.dumps(observe(self.scratch, limits)).encode())
            except BaseException:
                os.write(writing, json.dumps(traceback.format_exc()).encode())
            os._exit(0)
        os.close(writing)
        with open(reading, "rb") as file:
            found = json.loads(file.read() or b"[]")
        os.waitpid(pid, 0)
        if isinstance(found, str):
            raise RuntimeError(found)
        layers = {*found, *self.facts}
        if self.enclosed or "landlock" in layers:
            layers.add("fs")
        if self.box_id is not None:
            layers.add("uid")
        if self.group is not None:
            layers.add("memory_total")
        if self.enclosed or (self.box_id is not None) or (not self.programs and "seccomp" in layers):
            layers.add("kill_all")
        self.layers = sorted(layers)

    def _base_processes(self) -> int:
        """Processes of the child's user that count against its limit already."""
        if self.box_id is not None:
            return 0
        if self.enclosed:
            return 2
        uid, count = os.geteuid(), 0
        for name in os.listdir("/proc"):
            with contextlib.suppress(OSError):
                if name.isdecimal() and os.stat(f"/proc/{name}").st_uid == uid:
                    count += len(os.listdir(f"/proc/{name}/task"))
        return count

    def _mount(self) -> None:
        rootfs.mount_scratch(*self.bounds, self.programs)
        self.clean = self._mark()

    def _mark(self) -> tuple[int, ...]:
        found = os.stat(self.scratch)
        return found.st_mtime_ns, found.st_ctime_ns, found.st_mode

    def serve(self) -> None:
        """Forks children and obeys the client until it closes the control socket."""
        self.control.send(json.dumps({"layers": self.layers, "scratch": self.scratch}).encode())
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
        if "kill" in order and order["kill"] == self.number and self.pid:
            os.kill(self.pid, signal.SIGKILL)
        elif "signal" in order:
            self._signal(order["pid"], order["signal"])
        elif "keep" in order:
            self.keep = True
        elif "hold" in order:
            self.hold = True
        elif "end" in order and order["end"] == self.number:
            self._end()
        elif "bounds" in order:
            self._bound(order["bounds"])
        return True

    def _signal(self, pid: int, number: int) -> None:
        """Signals a process that the jailed side has named: never one outside of it."""
        if pid == 0:
            pid = self.pid
        if 1 < pid <= _MOST_PIDS and (self.enclosed or pid == self.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _bound(self, bounds: dict[str, Any]) -> None:
        self.bounds = (bounds["file_mb"], bounds["files"])
        if self.enclosed:
            rootfs.mount_scratch(*self.bounds, self.programs, again=True)
            self.clean = self._mark()
        if self.group is not None:
            self.group.set_memory(bounds["memory_mb"])
        self.control.send(b'{"bounded":1}')

    def _spawn(self) -> None:
        self.number += 1
        near, far = socket.socketpair()
        stdin, stdin_far = os.pipe2(os.O_CLOEXEC)
        stdout_far, stdout = os.pipe2(os.O_CLOEXEC)
        stderr_far, stderr = os.pipe2(os.O_CLOEXEC)
        processes = self._base_processes()
        self.pid = os.fork()
        if self.pid == 0:
            job = near.detach()
            child.become(self.jail, job, (stdin, stdout, stderr), self.scratch, self.base_bytes, processes)
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
            if pid == self.pid:
                self.pid, number = 0, self.number
                self._catch_up()
                if self.number != number:  # the client has ended the session meanwhile
                    continue
                if self.hold:
                    self._report(b"ended", status, 0.0, 0)
                else:
                    self._finish(status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)

    def _catch_up(self) -> None:
        """Obeys what the client had sent before the child got its job: it holds for the end of that child."""
        with contextlib.suppress(BlockingIOError):
            while self._obey(self.control.recv(65536, socket.MSG_DONTWAIT)):
                pass

    def _report(self, kind: bytes, status: int, cpu_s: float, peak_kb: int) -> None:
        kills = self.group.kills() if self.group is not None else 0
        oom, self.oom_kills = kills > self.oom_kills, kills
        text = b'{"%s":%d,"status":%d,"cpu":%.6f,"peak":%d,"oom":%d}'
        self.control.send(text % (kind, self.number, status, cpu_s, peak_kb, oom))

    def _end(self) -> None:
        """Ends a session and all that belongs to it."""
        self.hold = False
        self._kill_all()
        self.pid = 0
        self._finish(0, 0.0, 0)

    def _finish(self, status: int, cpu_s: float, peak_kb: int) -> None:
        if self.programs:
            self._kill_all()
        self._report(b"done", status, cpu_s, peak_kb)
        if self.keep:
            self.keep = False
        elif self._mark() != self.clean:
            self._renew()
        self._spawn()

    def _kill_all(self) -> None:
        """Kills every process that a program has started, and waits until they are gone."""
        if self.enclosed:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
        elif self.box_id is not None:
            sweeper = os.fork()
            if sweeper == 0:
                os.setresuid(self.box_id, self.box_id, self.box_id)
                with contextlib.suppress(OSError):
                    os.kill(-1, signal.SIGKILL)
                os._exit(0)
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.wait4(-1, 0)

    def _renew(self) -> None:
        if self.enclosed:
            kernel.umount(self.scratch)
            self._mount()
            return
        with contextlib.suppress(OSError):
            os.chmod(self.scratch, 0o700)
        for entry in list(os.scandir(self.scratch)):
            if stat.S_ISDIR(os.lstat(entry.path).st_mode):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                os.unlink(entry.path)
        self.clean = self._mark()
