"""Runs programs as plain processes of this user, without isolation; only if it is asked for by name."""

import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from turnwise.core.errors import SettingsError
from turnwise.sandbox.backends.clock import Clock
from turnwise.sandbox.backends.endings import limit_hit, split_status
from turnwise.sandbox.backends.outputs import Outputs
from turnwise.sandbox.interface.messages import as_bytes
from turnwise.sandbox.interface.records import DEFAULT_LIMITS, Limits, Profile, Program, Result
from turnwise.sandbox.interface.sandbox import Conversation, Sandbox, Session

__all__ = ["SubprocessSandbox"]


class SubprocessSandbox(Sandbox):
    """Runs programs with the rights of this process: they can read, change and send whatever it can.

    Only the limits of time and output hold. There are no sessions.

    Args:
        workers: Most programs at a time; None: one per processor.
        require: Layers without which it refuses: it has none.
    """

    name = "unsafe-subprocess"

    def __init__(self, workers: int | None = None, require: Collection[str] = ()) -> None:
        if require:
            raise SettingsError(
                f"require is {sorted(require)}; it must be empty for this backend, which isolates nothing"
            )
        self.workers = workers or os.cpu_count() or 1

    @property
    def layers(self) -> frozenset[str]:
        return frozenset()

    def run(self, program: Program, limits: Limits = DEFAULT_LIMITS) -> Result:
        with tempfile.TemporaryDirectory() as folder:
            for name, contents in program.files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(as_bytes(contents))
            command = list(program.argv)
            if program.source is not None:
                Path(folder, program.name).write_text(program.source)
                command = [sys.executable, program.name, *command]
            result = _follow(command, folder, program, limits)
            found = {name: Path(folder, name) for name in program.collect}
            files = {name: path.read_bytes() for name, path in found.items() if path.is_file()}
            return result._replace(files=files)

    def converse(self, program: Program, limits: Limits = DEFAULT_LIMITS) -> Conversation:
        raise SettingsError("backend='unsafe-subprocess' has no conversations")

    def session(
        self,
        limits: Limits = DEFAULT_LIMITS,
        profile: Profile = "python",
        files: Mapping[str, bytes | str] | None = None,
        checkpoint: bool = False,
    ) -> Session:
        raise SettingsError("backend='unsafe-subprocess' has no sessions")

    def shell(self, limits: Limits = DEFAULT_LIMITS, files: Mapping[str, bytes | str] | None = None) -> Session:
        raise SettingsError("backend='unsafe-subprocess' has no sessions")

    def close(self) -> None:
        pass


def _follow(command: list[str], folder: str, program: Program, limits: Limits) -> Result:
    with tempfile.TemporaryFile() as stdin:
        stdin.write(as_bytes(program.stdin))
        stdin.seek(0)
        running = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, start_new_session=True
        )
    assert running.stdout is not None
    assert running.stderr is not None
    with running, running.stdout, running.stderr:
        outputs = Outputs(running.stdout.fileno(), running.stderr.fileno(), limits.output_bytes)
        poller = select.poll()
        outputs.register(poller)
        clock, killed, left = Clock(limits.wall_s), "", set(outputs.places)
        while left and not killed:
            killed = "wall" if clock.left <= 0 else "output" if outputs.flooded else ""
            for place, _ in clock.wait(poller):
                if not outputs.read(place):
                    poller.unregister(place)
                    left.discard(place)
        try:
            running.wait(max(0.0, clock.left) if not killed else 0)
        except subprocess.TimeoutExpired:
            killed = killed or "wall"
            os.killpg(running.pid, signal.SIGKILL)
        status = running.wait()
        out, err, out_cut, err_cut = outputs.take()
    number, code = split_status(-status if status < 0 else status << 8)
    killed = killed or limit_hit(number, code, err, 0.0, limits)
    passed = clock.read()
    return Result(out, err, code, number, killed, passed, 0.0, 0.0, out_cut, err_cut)
