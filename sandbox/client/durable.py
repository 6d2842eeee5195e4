"""Sessions that can be copied and stored: their turns are kept, and repeated if a live copy is not possible."""

import contextlib
import copy
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from turnwise.core.errors import InfrastructureError, UsageError
from turnwise.sandbox.client.shared import shared_sandbox
from turnwise.sandbox.interface.records import DEFAULT_LIMITS, Limits, Profile, Result
from turnwise.sandbox.interface.sandbox import Sandbox, Session, Unsafe
from turnwise.sandbox.wire.tree import Entry

__all__ = ["DurableSession"]

Kind = Literal["python", "shell"]


@dataclass
class DurableSession:
    """A session of the shared sandbox that starts when it is first used, and that can be copied and pickled.

    ``copy.deepcopy`` makes an independent second session: a live fork if the sandbox can fork, otherwise one that
    restarts and repeats all turns when it is used. A pickled one repeats them, too. Repeated turns show the same output
    as long as they are deterministic: those that read a clock, or races between threads, are not.

    Attributes:
        kind: "python" (an interpreter) or "shell".
        limits: Limits of each turn.
        files: Files in the working directory at the start.
        profile: What a "python" session may do; "shell" makes its copies live forks.
        sandbox: The name of the shared sandbox.
        prelude: Executed before the first turn; its output is not shown. ``None``: Python's ``random`` is seeded.
        packages: Installed distributions that can be imported.
        live_copies: Copies are live forks if the sandbox can fork; False: they repeat all turns, in a sandbox of their
            own.
    """

    kind: Kind = "python"
    limits: Limits = DEFAULT_LIMITS
    files: Mapping[str, bytes | str] = field(default_factory=dict)
    profile: Profile = "python"
    sandbox: str = "auto"
    prelude: str | None = None
    packages: tuple[str, ...] = ()
    live_copies: bool = True

    def __post_init__(self) -> None:
        self._turns: list[tuple[Any, ...]] = []
        self._live: Session | None = None
        self._closed = False

    def execute(self, code: str, wall_s: float | None = None) -> Result:
        """Run one turn: see `Session.execute`."""
        result = self._session().execute(code, wall_s)
        self._turns.append(("execute", code, wall_s))
        return result

    def write(self, path: str, contents: bytes | str) -> None:
        """Write a file into the session's first working directory."""
        self._session().write(path, contents)
        self._turns.append(("write", path, contents))

    def read(self, path: str) -> bytes:
        """Return a file of the session's first working directory; raise ``OSError`` if it does not exist."""
        return self._session().read(path)

    def final_tree(self, max_bytes: int | None = None) -> Mapping[str, Entry]:
        """End the session and return its files: see `Session.final_tree`."""
        try:
            return self._session().final_tree(max_bytes)
        finally:
            self.close()

    def close(self) -> None:
        """End the session; it cannot be used any more."""
        self._closed = True
        self._turns.clear()
        live, self._live = self._live, None
        if live is not None:
            with contextlib.suppress(InfrastructureError):
                live.close()

    def _session(self) -> Session:
        if self._closed:
            raise UsageError("the session is closed")
        if self._live is None:
            self._live = self._start(shared_sandbox(self.sandbox, self.packages))
        return self._live

    def _start(self, sandbox: Sandbox) -> Session:
        if self.kind == "shell":
            session = sandbox.shell(self.limits, self.files)
        else:
            session = sandbox.session(self.limits, self.profile, self.files)
        try:
            if self.prelude is not None or self.kind == "python":
                session.execute(_SEEDED if self.prelude is None else self.prelude)
            for what, *arguments in self._turns:
                with contextlib.suppress(OSError):
                    getattr(session, what)(*arguments)
        except BaseException:
            session.close()
            raise
        return session

    def __deepcopy__(self, memo: dict[int, Any]) -> "DurableSession":
        twin = copy.copy(self)
        twin._turns = list(self._turns)
        twin._live = None
        if self._live is not None and self.live_copies and (self.kind == "shell" or self.profile == "shell"):
            with contextlib.suppress(UsageError, Unsafe, InfrastructureError):
                twin._live = self._live.fork()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_live": None}

    def __del__(self) -> None:
        if getattr(self, "_live", None) is not None:
            self.close()


_SEEDED = f"import random as _r; _r.seed({random.Random(0).getrandbits(32)}); del _r"
