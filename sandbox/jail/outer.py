"""The program that stands between a client and a warden, in the namespaces of the host.

It makes a control group, starts the warden in namespaces of its own, and ends it when the client is gone. It is started
by ``launch.py``, with nothing but the standard library.
"""

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import tempfile
import traceback
from pathlib import Path
from typing import Any

from turnwise.sandbox.jail import cgroups, identity, kernel, trials
from turnwise.sandbox.jail.warden import UNSUITABLE, Unusable, Warden

__all__ = ["main"]

_BOX_PREFIX = "turnwise-box-"


def main(arguments: list[str]) -> None:
    """Run the outer process; the arguments are the control socket's descriptor, strategy and settings."""
    descriptor, strategy, settings = arguments
    control = socket.socket(fileno=int(descriptor))
    config = json.loads(settings)
    if os.geteuid() != 0 and strategy == "root":
        os._exit(UNSUITABLE)
    os._exit(_outer(control, strategy, config))


def _outer(control: socket.socket, strategy: str, config: dict[str, Any]) -> int:
    client = os.getppid()
    watch = _open_process(client)
    box = _make_box() if strategy == "none" else ""
    asks, answers = socket.socketpair()
    world = trials.World([*config["run"], *config["read"], *config["site"].values()])
    root = os.geteuid() == 0
    ids = identity.take() if root else None
    try:
        if strategy == "root":
            kernel.unshare("pid")
        elif not (identity.enter_namespace(ids) if strategy == "user" else identity.may_change_user()):
            ids = None
    except OSError:
        _forget(None, box)
        return UNSUITABLE
    group = _make_group(config, tasks=ids is None and (root or strategy == "none"))
    pid = os.fork()
    if pid == 0:
        asks.close()
        try:
            Warden(control, strategy, config, group, box, answers, ids, world).serve()
        except BaseException as error:
            failed = str(error) if isinstance(error, Unusable) else traceback.format_exc()[-2000:]
            with contextlib.suppress(OSError):
                control.send(json.dumps({"failed": failed}).encode())
        os._exit(1)
    answers.close()
    world.close()
    if asks.recv(1) == b"m" and ids is not None:  # asks for its maps: only this process may write them
        maps = f"0 {ids.warden} 1\n{identity.BOX_ID} {ids.box} 1\n"
        try:
            identity.map_ids(pid, maps, maps, False)
            asks.send(b"+")
        except OSError:
            asks.close()
    status = _wait(pid, watch)
    _forget(group, box)
    return status


def _make_group(config: dict[str, Any], tasks: bool) -> cgroups.Group | None:
    """Make a control group for memory of many processes, or for processes of a user that runs others too."""
    memory = config["profile"] == "shell"
    return cgroups.enclosing() if memory and config["alone"] else cgroups.create(memory, tasks)


def _make_box() -> str:
    """Make a directory for a warden without its own file system, and remove those of killed wardens."""
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
    """Wait for the warden, and kill it if the client ends first."""
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
        group.leave()
    if box:
        shutil.rmtree(box, ignore_errors=True)
