"""A jailed child: waits for its job, then is a program, a live interpreter, or a reader of files.

Once foreign code runs, nothing here can be trusted any more, and nothing here needs to be: the child
holds no expected value, no descriptor but its own, and every reader checks what it says.
"""

import _sitebuiltins
import _thread
import atexit
import builtins
import contextlib
import importlib
import io
import json
import linecache
import marshal
import os
import signal
import socket
import stat
import sys
import traceback
from collections.abc import Callable
from types import CodeType, ModuleType, TracebackType
from typing import Any, NoReturn

from turnwise.sandbox.jail.confine import Jail
from turnwise.sandbox.jail.confine import limit as limit_here
from turnwise.sandbox.wire import frames, tree

__all__ = ["become", "fresh_main", "limit_here", "reader", "remember", "show_error", "warm_up"]

STARTED = b"+"
_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep  # that of the sandbox
_set_signal: Any = importlib.import_module("_signal").signal  # signal.signal makes enumerations, for 0.1 ms
_DEFAULT_SIGNALS = tuple(int(name) for name in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP))
_REHEARSAL = """
def work(items, limit=10):
    found = []
    for number, item in enumerate(items):
        if item == "" and number > limit:
            continue
        found.append(item[0])
    return found
assert work(["a", "b"]) == ["a"] + ["b"]
"""  # the first writes to shared memory cost most of a small program's time: a child makes them while it waits
_serve: list[Callable[[socket.socket, Any, dict[str, Any], str], None]] = []


def become(
    jail: Jail, job: int, standard: tuple[int, int, int], scratch: str, base_bytes: int, base_processes: int
) -> NoReturn:
    """Turn the forked process into a jailed child and run its job."""
    try:
        signal.set_wakeup_fd(-1)
        for number in _DEFAULT_SIGNALS:
            _set_signal(number, 0)
        _set_signal(2, signal.default_int_handler)
        for number, place in enumerate(standard):
            os.dup2(place, number)
        link = job if job > 2 else os.dup(job)
        jail.enter(link)
        exec(compile(_REHEARSAL, "main.py", "exec", dont_inherit=True), {})
        order, blobs = _read_job(link)
        kind = order["kind"]
        jail.shut(kind == "session")
        limit_here(order["limits"], base_bytes, base_processes, kind == "session")
        os.umask(0o022)
        if kind in ("collect", "tree"):
            with contextlib.suppress(OSError):
                os.chmod(scratch, 0o700)  # the program before may have shut it
        os.chdir(scratch)  # not earlier: until now it may have been replaced
        if kind == "session":
            os.mkdir("main")
            os.chdir("main")
        for path, contents in zip(order["files"], blobs, strict=True):
            put(path, contents)
        sys.modules["random"].seed(0)  # after a fork it seeds itself with chance
        os.write(link, STARTED)
    except BaseException:
        with_error = traceback.format_exc()[-2000:]
        try:
            os.write(link, with_error.encode())
        finally:
            os._exit(0)
    if kind == "run":
        os.close(link)
        _run(order)
    channel = socket.socket(fileno=link)
    if kind == "collect":
        channel.sendall(collect(order["paths"], order["limit"]))
        os._exit(0)
    elif kind == "tree":
        channel.sendall(read_tree(order["folder"], order["limit"]))
        os._exit(0)
    else:
        _serve[0](channel, reader(channel), order, scratch)
    os._exit(0)


def _read_job(link: int) -> Any:
    """Read the job that the client's ``hand_over`` has written; end the process if nothing was written."""
    data = bytearray(os.read(link, 65536))
    while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "big"):
        part = os.read(link, 1 << 20)
        if not part:
            os._exit(0)
        data += part
    return marshal.loads(memoryview(data)[4:])


def reader(channel: socket.socket) -> Any:
    """Return a function that reads exactly that many bytes from a socket, fewer only at its end."""

    def read(size: int) -> bytes:
        parts: list[bytes] = []
        while size > 0:
            part = channel.recv(min(size, 1 << 20))
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    return read


def put(path: str, contents: bytes) -> None:
    """Write a file of the scratch directory, and make the directories above it."""
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "wb") as file:
        file.write(contents)


def collect(paths: list[str], limit: int) -> bytes:
    """Return a frame with the regular files among the paths, as far as they fit into the limit."""
    found: list[str] = []
    contents: list[bytes] = []
    for path in paths:
        try:
            place = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
            with open(place, "rb") as file:
                plain = stat.S_ISREG(os.fstat(place).st_mode)
                data = file.read(limit + 1) if plain else b""
        except OSError:
            continue
        if plain and len(data) <= limit:
            limit -= len(data)
            found.append(path)
            contents.append(data)
    return frames.pack({"files": found}, contents)


def read_tree(folder: str, limit: int) -> bytes:
    """Return a frame with everything below a directory, or with the number of the error."""
    try:
        return frames.pack(*tree.pack(tree.read(folder, limit)))
    except OSError as error:
        return frames.pack({"errno": error.errno or 5})


def warm_up(serve: Callable[[socket.socket, Any, dict[str, Any], str], None]) -> None:
    """Do once what is slow the first time, so that no child pays for it.

    Args:
        serve: What a child does that is a session.
    """
    _serve[:] = [serve]
    _open_streams()
    words: Any = builtins  # what the module site gives to programs
    words.exit = words.quit = sys.exit
    words.help = _sitebuiltins._Helper()
    try:
        exec(compile("def f(x):\n    return [x]\nassert f(1) == [2]", "<warm-up>", "exec"), {})
    except AssertionError:
        traceback.format_exc()
    json.loads(json.dumps({"a": [1, 2.5, "b", None]}))
    frames.parse(frames.pack({"x": 1})[8:])


def _open_streams() -> None:
    """Reopen the standard streams on pipes, as they will be: streams remember whether they can seek."""
    kept = [os.dup(number) for number in range(3)]
    pipe = os.pipe()
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old, mode = getattr(sys, name), "w" if number else "r"
        os.dup2(pipe[number > 0], number)
        raw = io.FileIO(number, mode, closefd=False)
        raw.name = f"<{name}>"
        buffer = io.BufferedWriter(raw) if number else io.BufferedReader(raw)
        made: Any = io.TextIOWrapper(buffer, old.encoding, old.errors, "\n", line_buffering=number == 2)
        made.mode = mode
        setattr(sys, name, made)
        setattr(sys, f"__{name}__", made)
        os.dup2(kept[number], number)
    for place in (*kept, *pipe):
        os.close(place)


def forget_ourselves() -> None:
    """Remove our modules from ``sys.modules``, so that the program cannot find them by name."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "turnwise"]:
        del sys.modules[name]


def fresh_main(name: str, arguments: list[str], scratch: str) -> dict[str, Any]:
    """Return the namespace of a new ``__main__``."""
    module = ModuleType("__main__")
    module.__dict__.update({"__builtins__": builtins, "__file__": f"{scratch}/{name}"})
    sys.modules["__main__"] = module
    sys.argv = [name, *arguments]
    sys.path.insert(0, scratch)
    return module.__dict__


def remember(name: str, source: str) -> None:
    """Make tracebacks show the lines of a source that is not in a file."""
    lines = [f"{line}\n" for line in source.split("\n")]
    linecache.cache[name] = (len(source), None, lines, name)


def show_error(error: BaseException) -> None:
    """Print the traceback as the interpreter would, without our own frames."""
    at, kept = error.__traceback__, []
    while at is not None:
        if not at.tb_frame.f_code.co_filename.startswith(_FOLDER):
            kept.append(at)
        at = at.tb_next
    for place in reversed(kept):
        at = TracebackType(at, place.tb_frame, place.tb_lasti, place.tb_lineno)
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    traceback.print_exception(type(error), error, at)


def _run(order: dict[str, Any]) -> NoReturn:
    if order["source"] is None:
        argv = order["argv"]
        try:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            os.execvp(argv[0], argv)
        except (OSError, ValueError) as error:
            os.write(2, f"{argv[0]}: {error}\n".encode())
            os._exit(127)
    name, source = order["name"], order["source"]
    space = fresh_main(name, order["argv"], os.getcwd())
    os._exit(finish(run_source(source, name, space), space))


def run_source(source: str | CodeType, name: str, space: dict[str, Any]) -> int:
    """Run Python source in a namespace, and return the exit status that the interpreter would give."""
    try:
        if isinstance(source, str):
            remember(name, source)
            source = compile(source, name, "exec", dont_inherit=True)
        exec(source, space)
    except SystemExit as error:
        return exit_status(error)
    except BaseException as error:
        with contextlib.suppress(BaseException):
            show_error(error)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def exit_status(error: SystemExit) -> int:
    """Return the exit status of ``sys.exit(...)``."""
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code) & 0xFF
    with contextlib.suppress(BaseException):
        sys.stderr.write(f"{code}\n")
    return 1


def finish(status: int, space: dict[str, Any] | None = None) -> int:
    """End the interpreter as far as programs can tell: wait for threads, run exit handlers, write output.

    Args:
        status: The exit status so far.
        space: The program's namespace, which is emptied: files that it has left open are written.
    """
    try:
        threading = sys.modules.get("threading")
        if threading is not None:
            threading._shutdown()
        atexit._run_exitfuncs()
    except BaseException as error:
        with contextlib.suppress(BaseException):
            show_error(error)
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except BaseException:
            status = status or 120
    with contextlib.suppress(BaseException):
        if space is not None and _thread._count() == 0:  # no threads that still use it
            for name in list(space):
                if name != "__builtins__":
                    space[name] = None
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(BaseException):
            if isinstance(stream, io.TextIOWrapper):  # not a program's own, which may write everything once more
                stream.flush()
    return status
