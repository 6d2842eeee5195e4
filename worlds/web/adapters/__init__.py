"""Environments of other libraries behind our contract: `miniwob` for MiniWoB++, `browsergym` for BrowserGym.

Neither is registered before its module is imported, as ``turnwise.worlds.web.adapters.miniwob:MiniWob-v0`` does. See
docs/web_adapters.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, Self

import numpy as np

from turnwise.core.env import Env
from turnwise.core.errors import UsageError

__all__ = ["AdaptedEnv", "AdaptedTask", "Live"]

SEEDS = 2**31


@dataclass(frozen=True)
class AdaptedTask:
    """An instance of an environment of another library.

    Attributes:
        name: What the environment is called there.
        seed: That its reset gets.
    """

    name: str
    seed: int


class Live:
    """What a running episode holds in another program."""

    def close(self) -> None:
        """Release it; may be called repeatedly."""
        raise NotImplementedError

    def __reduce__(self) -> NoReturn:
        raise UsageError(
            "the state of a running episode is in another program, which cannot copy it: play it again instead, with "
            "the same seed and the same actions"
        )


class AdaptedEnv(Env[AdaptedTask]):
    """An environment of another library. While an episode runs it can be neither forked nor pickled (`UsageError`)."""

    in_all = False  # it needs a library that is not ours, and a browser

    _live: Live | None = None

    def release(self) -> None:
        live, self._live = self._live, None
        if live is not None:
            live.close()

    def fork(self) -> Self:
        if self._live is not None:
            self._live.__reduce__()
        return super().fork()

    def oracle(self) -> str:
        raise UsageError(f"{type(self).__name__} knows no solution of {self.task.name!r}")

    def _drawn(self, names: Sequence[str], rng: np.random.Generator) -> AdaptedTask:
        return AdaptedTask(names[int(rng.integers(len(names)))], int(rng.integers(SEEDS)))
