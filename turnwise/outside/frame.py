"""What the environments of others share: a game that runs somewhere else, and the contract around it."""

import hashlib
import importlib
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import InfrastructureError, MissingDependencyError, TurnwiseError, UsageError
from turnwise.core.spaces import MAX_OBSERVATION_CHARS
from turnwise.outside.randomness import Randomness

__all__ = ["Game", "OutsideEnv", "OutsideTask", "Turn", "needed"]

SEEDS = 2**31
MOST_CREDIT = 0.99
"""Most that an episode is paid without being solved."""
NOISE = ("yes", "no", "1", "2", "[0]", "[1]", "up", "\\boxed{1}", "<answer>1</answer>")


def needed(package: str, extra: str) -> Any:
    """Import an optional package.

    Raises:
        MissingDependencyError: It is not installed; the message names the extra that brings it.
    """
    try:
        with Randomness(0).lent():  # some packages draw while they are imported
            return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package.partition(".")[0]:
            raise
        raise MissingDependencyError.of(package, extra) from error


@dataclass(frozen=True)
class OutsideTask:
    """An instance of an environment of others.

    Attributes:
        name: What the environment is called there.
        content: Hash of what the episode holds at its start, as far as that can be seen from here.
        seed: What its reset gets.
    """

    name: str
    content: str
    seed: int = field(compare=False)


class Turn(NamedTuple):
    """What a game answers.

    Attributes:
        text: What the agent reads next.
        done: The game is over.
        solved: Its goal is reached.
        credit: What the episode so far is worth, from 0 to 1; paid at the end of an unsolved episode.
        invalid: The message was no move.
    """

    text: str
    done: bool = False
    solved: bool = False
    credit: float = 0.0
    invalid: bool = False


class Game:
    """One episode in code or on a server of others."""

    def start(self, seed: int) -> str:
        """Begin; return what the agent reads first."""
        raise NotImplementedError

    def content(self) -> str:
        """What distinguishes this episode from others, right after `start`."""
        raise NotImplementedError

    def play(self, message: str) -> Turn:
        """Answer a message."""
        raise NotImplementedError

    def sample(self, rng: np.random.Generator) -> str:
        """A random message that may be a move."""
        return NOISE[int(rng.integers(len(NOISE)))]

    def close(self) -> None:
        """Release what the episode holds."""


class OutsideEnv(Env[OutsideTask]):
    """The frame: a subclass says which game there is (`_game_of`) and what it is called (`_name`)."""

    in_all = False  # it needs a library or a server that is not ours

    _game: Game | None = None
    _fresh: tuple[int, str] | None = None

    def _name(self) -> str:
        raise NotImplementedError

    def _game_of(self) -> Game:
        raise NotImplementedError

    def _start(self, seed: int) -> str:
        self.release()
        game = self._game_of()
        try:
            text = game.start(seed)
        except TurnwiseError:
            game.close()
            raise
        except Exception as error:
            game.close()
            raise InfrastructureError(
                f"{self._name()} does not start: {type(error).__name__}: {error!s:.300}"
            ) from error
        self._game, self._fresh = game, (seed, text)
        return text

    def generate(self, rng: np.random.Generator) -> OutsideTask:
        seed = int(rng.integers(SEEDS))
        self._start(seed)
        assert self._game is not None
        content = hashlib.blake2b(self._game.content().encode("utf-8", "replace"), digest_size=16).hexdigest()
        return OutsideTask(self._name(), content, seed)

    def begin(self) -> str:
        fresh, self._credit, self._crashes = self._fresh, 0.0, 0.0
        text = fresh[1] if fresh is not None and fresh[0] == self.task.seed else self._start(self.task.seed)
        self._fresh = None  # once begun, it is played
        return _short(text)

    def respond(self, action: str) -> Reply:
        assert self._game is not None
        try:
            turn = self._game.play(action)
        except InfrastructureError:
            raise
        except Exception as error:  # the agent's text broke their code: the episode is lost, as by any bad move
            self._crashes += 1.0
            text = f"The game ended: it cannot read this message ({type(error).__name__})."
            return Reply(text, done=True, invalid=True)
        last = turn.done or self.turn >= self.max_turns
        reward = min(max(turn.credit, 0.0), MOST_CREDIT) if last and not turn.solved else 0.0
        return Reply(_short(turn.text), reward, done=turn.done, solved=turn.solved, invalid=turn.invalid)

    def oracle(self) -> str:
        raise UsageError(f"{type(self).__name__} knows no solution of {self._name()!r}")

    def sample_action(self, rng: np.random.Generator) -> str:
        return NOISE[0] if self._game is None else self._game.sample(rng)

    def metrics(self) -> dict[str, float]:
        return {"crashes": self._crashes}

    def release(self) -> None:
        game, self._game, self._fresh = self._game, None, None
        if game is not None:
            game.close()


def _short(text: str) -> str:
    if len(text) <= MAX_OBSERVATION_CHARS:
        return text
    half = MAX_OBSERVATION_CHARS // 2 - 50
    return f"{text[:half]}\n... {len(text) - 2 * half} characters left out ...\n{text[-half:]}"
