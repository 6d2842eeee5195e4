"""The jailed side of sessions and conversations: executes turns, calls functions, forks, one order at a time."""

import ast
import contextlib
import os
import resource
import shutil
import signal
import socket
import stat
import sys
import time
from types import FrameType
from typing import Any

from turnwise.sandbox.jail import child, landlock, rootfs
from turnwise.sandbox.wire import frames
from turnwise.sandbox.wire.values import ValueFormatError, decode, encode

__all__ = ["readable", "serve"]

readable: list[tuple[str, int]] = []
"""Rules of Landlock for what branches may read besides their own files; empty if they cannot be kept apart."""
_CHANNEL = 200  # a descriptor that programs do not come by
_MAX_ERROR = 2000
_MAX_STATE = 100_000
_SHELL = (
    """RANDOM={seed}; eval "$2" 2>/dev/null; cd -- "$3" 2>/dev/null || cd -- "$4" || exit 1; set -a; """
    """trap '{{ pwd -P; echo; {show}; }} >&{state}' EXIT; eval "$1" """
)


class _Interpreter:
    """One session: its namespace, or its shell's state."""

    def __init__(self, channel: socket.socket, order: dict[str, Any], scratch: str) -> None:
        self.area = scratch  # what a branch gets a copy of
        self.layers = 1
        self.limit = order["limits"]["file_mb"] * 2**20
        self.reply_bytes = order["reply_bytes"]
        self.folder = os.getcwd()
        self.pid = os.getpid()
        self.turn = 0
        self.born = time.time_ns() - 10**9  # clocks of files lag a little
        self.busy = False
        self.state, self.place = "", self.folder
        self.branches: list[int] = []
        self.channel = self._move(channel)
        self.read = child.reader(self.channel)
        signal.signal(signal.SIGINT, self._interrupt)
        self.space = child.fresh_main(order["name"], [], self.folder)
        self.name = order["name"]

    @staticmethod
    def _move(channel: socket.socket) -> socket.socket:
        old = channel.detach()
        os.dup2(old, _CHANNEL, inheritable=False)
        if old != _CHANNEL:
            os.close(old)
        return socket.socket(fileno=_CHANNEL)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.busy:
            self.busy = False
            raise KeyboardInterrupt

    def answer(self, message: dict[str, Any], blobs: tuple[bytes, ...] = ()) -> None:
        """Flush the output and send a frame with what the turn has used."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        usage = resource.getrusage(resource.RUSAGE_SELF)
        used = {"cpu": usage.ru_utime + usage.ru_stime - self.cpu_s, "peak": usage.ru_maxrss}
        self.channel.sendall(frames.pack({**message, **used}, blobs))

    def guarded(self, work: Any) -> int:
        """Run foreign code so that an interrupt stops nothing else, and return its exit status."""
        self.busy = True
        try:
            return int(work())
        except SystemExit as error:
            return child.exit_status(error)
        except BaseException as error:
            self.busy = False
            with contextlib.suppress(BaseException):
                child.show_error(error)
            return 130 if isinstance(error, KeyboardInterrupt) else 1
        finally:
            self.busy = False

    def execute(self, code: str) -> int:
        """Run a turn of Python and show the value of its last expression."""
        self.turn += 1
        name = f"<turn {self.turn}>"
        child.remember(name, code)
        tree = ast.parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec", dont_inherit=True), self.space)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), name, "eval", dont_inherit=True), self.space)
            sys.displayhook(shown)
        return 0

    def load(self, source: str) -> int:
        """Run the program whose functions will be called; as on import, ``__name__`` is not ``"__main__"``."""
        self.space["__name__"] = "program"
        sys.modules["program"] = sys.modules["__main__"]
        child.remember(self.name, source)
        exec(compile(source, self.name, "exec", dont_inherit=True), self.space)
        return 0

    def shell(self, command: str) -> int:
        """Run a command in a new shell that starts in the state in which the last one ended."""
        self.turn += 1
        self._hold_dates()
        try:
            return self._shell(command)
        finally:
            self._hold_dates()

    def _hold_dates(self) -> None:
        """Date files newer than the session by its turns, so that `ls -l` shows the same every time."""
        held = (rootfs.FIRST_DATE_S + 60 * self.turn) * 10**9
        waiting = [self.area]
        while waiting:
            folder = waiting.pop()
            with contextlib.suppress(OSError, RecursionError):  # shut, gone, or too long a path
                for entry in (*os.scandir(folder), None):
                    path = entry.path if entry else folder
                    if entry and entry.is_dir(follow_symlinks=False):
                        waiting.append(path)
                    with contextlib.suppress(OSError):
                        found = os.lstat(path)
                        dates = found.st_atime_ns, found.st_mtime_ns
                        if max(dates) > self.born:
                            wanted = tuple(held if date > self.born else date for date in dates)
                            os.utime(path, ns=(wanted[0], wanted[1]), follow_symlinks=False)

    def _shell(self, command: str) -> int:
        import subprocess

        program = shutil.which("bash") or "/bin/sh"
        show = "declare -f; export -p" if program.endswith("bash") else "export -p"
        reading, writing = os.pipe()
        script = _SHELL.format(show=show, state=writing, seed=self.turn)
        started = [program, *(["--norc", "--noprofile"] if program.endswith("bash") else []), "-c", script, "sh"]
        try:
            running = subprocess.Popen(
                [*started, command, self.state, self.place, self.folder],
                stdin=subprocess.DEVNULL,
                pass_fds=[writing],
                process_group=0,
                restore_signals=True,
                cwd=self.folder,
            )
        except (OSError, ValueError) as error:
            sys.stderr.write(f"{error}\n")
            os.close(reading)
            return 126
        finally:
            os.close(writing)
        os.set_blocking(reading, False)
        try:
            status = os.waitstatus_to_exitcode(os.waitpid(running.pid, 0)[1])
        except KeyboardInterrupt:
            with contextlib.suppress(OSError):
                os.killpg(running.pid, signal.SIGKILL)
            os.waitpid(running.pid, 0)
            os.close(reading)
            return 130
        finally:
            running.returncode = 0  # it is waited for here: its own wait holds an interrupt back
        self._learn(reading)
        return status if status >= 0 else 128 - status

    def _learn(self, reading: int) -> None:
        text = b""
        with contextlib.suppress(BlockingIOError):
            while len(text) < _MAX_STATE and (part := os.read(reading, 65536)):
                text += part
        os.close(reading)
        place, found, state = text.decode(errors="replace").partition("\n\n")
        if found and len(text) < _MAX_STATE:
            self.place, self.state = place, state

    def call(self, order: dict[str, Any]) -> dict[str, Any]:
        """Call a function with plain data and return the reply."""
        self.busy = True
        try:
            arguments, named = decode(order["args"]), decode(order["kwargs"])
            function = self._find(order["name"])
            value = function(*arguments, **named)
            self.busy = False
            return {"value": encode(value, self.reply_bytes)}
        except ValueFormatError as error:
            return {"error": f"no plain data: {error}"[:_MAX_ERROR]}
        except BaseException as error:
            self.busy = False
            with contextlib.suppress(BaseException):
                child.show_error(error)
            return {"error": _describe(error)}
        finally:
            self.busy = False

    def _find(self, name: str) -> Any:
        first, *rest = name.split(".")
        found = self.space[first] if first in self.space else getattr(__import__("builtins"), first)
        for attribute in rest:
            if isinstance(found, type):
                found = found()
            found = getattr(found, attribute)
        return found

    def fork(self, order: dict[str, Any]) -> dict[str, Any] | None:
        """Fork the interpreter; return None in the new process, which has answered on its own channel.

        What stays and what is new are kept apart for good, by rules of Landlock that each puts itself under: no signals
        and no abstract sockets out, no files but its own. As these rules are for life, and of a bounded number, the
        session does not fork its branches itself: it forks a "seed", which nothing is run in, and which forks branches
        for as long as the session stays where it is.

        Args:
            order: Its "kind": "seed", "branch" (of a seed), or "share", which keeps the working directory and is not
                kept apart; its "nursery", an empty place for the files of branches to come; its "area", for a branch's.
        """
        _, descriptors, _, _ = socket.recv_fds(self.channel, 1, 3)
        kind, pid, problem = order["kind"], 0, ""
        threading = sys.modules.get("threading")
        if threading is not None and threading.active_count() > 1:
            problem = "threads are running"
        elif kind != "share" and self.layers >= landlock.MOST_LAYERS:
            problem = f"it was forked {self.layers - 1} times on its way"
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        if not problem:
            numbers = sys.modules.get("random")
            state = numbers.getstate() if numbers else None
            try:
                pid = os.fork()
                if pid == 0:
                    if numbers:
                        numbers.setstate(state)  # it has seeded itself with chance
                    self._move_over(order, *descriptors)
                    return None
                self.branches.append(pid)
                if kind == "seed":
                    self._keep_apart(order["nursery"])
            except OSError as error:
                problem = str(error)
        for place in descriptors:
            os.close(place)
        return {"error": problem} if problem else {}

    def _move_over(self, order: dict[str, Any], link: int, stdout: int, stderr: int) -> None:
        """Give a forked process its own channel, streams and files."""
        try:
            os.dup2(stdout, 1)
            os.dup2(stderr, 2)
            self.channel.close()
            self.channel = self._move(socket.socket(fileno=link))
            self.read = child.reader(self.channel)
            for place in (stdout, stderr):
                os.close(place)
            os.setsid()  # signals to a group stay in it
            if order["kind"] == "branch":
                self._copy_area(order["area"])
                self._keep_apart(order["nursery"])
            self.pid = os.getpid()
            self.branches = []
            self.answer({})
        except BaseException:  # no room for its files, most likely
            os._exit(1)

    def _keep_apart(self, nursery: str) -> None:
        os.mkdir(nursery)
        if readable:
            own = [(self.area, landlock.EVERYTHING), (nursery, landlock.EVERYTHING)]
            rules = landlock.ruleset([*readable, *own])
            landlock.restrict(rules)
            os.close(rules)
            self.layers += 1

    def _copy_area(self, new: str) -> None:
        """Give a branch its own copy of the files, and make it use them."""
        old, self.area = self.area, new

        def moved(path: str) -> str:
            return new + path[len(old) :] if path == old or path.startswith(f"{old}/") else path

        try:
            at = os.getcwd()
        except OSError:
            at = self.folder
        os.mkdir(os.path.dirname(new))
        _copy(old, new)
        self.folder, self.place = moved(self.folder), moved(self.place)
        os.chdir(self.folder)
        with contextlib.suppress(OSError):
            os.chdir(moved(at))
        self.state = self.state.replace(f'"{old}', f'"{new}')
        for name, value in os.environ.items():
            os.environ[name] = moved(value)
        sys.path[:] = [moved(path) if isinstance(path, str) else path for path in sys.path]
        tempfile = sys.modules.get("tempfile")
        if tempfile is not None:
            tempfile.__dict__["tempdir"] = None

    def reap(self) -> None:
        """Reap branches that have ended."""
        for pid in list(self.branches):
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0] == 0:
                    continue
            self.branches.remove(pid)

    def obey(self, order: dict[str, Any], blobs: list[bytes]) -> None:
        """Carry out one order."""
        kind = order["op"]
        usage = resource.getrusage(resource.RUSAGE_SELF)
        self.cpu_s = usage.ru_utime + usage.ru_stime
        if kind == "call":
            reply = self.call(order)
            if os.getpid() != self.pid:
                os._exit(0)
            return self.answer(reply)
        if kind == "fork":
            message = self.fork(order)
            return None if message is None else self.answer(message)
        if kind in ("execute", "load", "shell"):
            work = getattr(self, kind)
            signal.signal(signal.SIGINT, self._interrupt)
            status = self.guarded(lambda: work(order["code"]))
            if os.getpid() != self.pid:  # the turn has forked and this is its child, which is not a session
                os._exit(child.finish(status))
            return self.answer({"exit": status})
        try:
            path = os.path.join(self.folder, order["path"])
            if kind == "put":
                child.put(path, blobs[0])
                return self.answer({})
            place = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            with open(place, "rb") as file:
                data = file.read(self.limit + 1)
            if len(data) > self.limit:
                raise OSError(27, "File too large")
            return self.answer({}, (data,))
        except OSError as error:
            return self.answer({"errno": error.errno or 5})


def _copy(old: str, new: str, made: dict[int, str] | None = None) -> None:
    """Copy a tree with its hard links, so that every directory lists its entries in the same order.

    Pipes, sockets and devices are left out.
    """
    made = {} if made is None else made  # files with several names, by their number
    os.mkdir(new)
    names = os.listdir(old)
    for name in reversed(names) if _lists_newest_first(new) else names:
        source, target = f"{old}/{name}", f"{new}/{name}"
        found = os.lstat(source)
        if stat.S_ISDIR(found.st_mode):
            _copy(source, target, made)
        elif stat.S_ISLNK(found.st_mode):
            os.symlink(os.readlink(source), target)
            shutil.copystat(source, target, follow_symlinks=False)
        elif stat.S_ISREG(found.st_mode) and found.st_ino in made:
            os.link(made[found.st_ino], target)
        elif stat.S_ISREG(found.st_mode):
            shutil.copy2(source, target)
            if found.st_nlink > 1:
                made[found.st_ino] = target
    shutil.copystat(old, new)


def _lists_newest_first(folder: str) -> bool:
    """Say whether this file system lists the newest entry first; kernels differ."""
    for name in "12":
        os.mkdir(f"{folder}/{name}")
    order = os.listdir(folder)
    for name in order:
        os.rmdir(f"{folder}/{name}")
    return order == ["2", "1"]


def _describe(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"[:_MAX_ERROR]
    except BaseException:
        return type(error).__name__[:_MAX_ERROR]


def serve(channel: socket.socket, read: Any, order: dict[str, Any], scratch: str) -> None:
    """Obey orders until the client closes the channel."""
    session = _Interpreter(channel, order, scratch)
    del channel, read
    while True:
        got = frames.read_frame(session.read)
        if got is None:
            os._exit(0)
        if session.branches:
            session.reap()
        session.obey(*got)
