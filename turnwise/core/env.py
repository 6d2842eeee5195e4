"""The base class of environments, `Env`, and its `Reply`.

An author writes five small methods (`generate`, `begin`, `respond`, `oracle`, `sample_action`) and typed settings; the
base class handles seeding, splits, the turn limit, the five-tuple and forking.
"""

import copy
import dataclasses
import hashlib
import inspect
import itertools
import operator
import secrets
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar, cast, dataclass_transform
from weakref import WeakKeyDictionary

import gymnasium
import numpy as np

from turnwise.core.errors import FatalError, InfrastructureError, SettingsError, UsageError
from turnwise.core.settings import Range, Setting, check, check_names, named_settings
from turnwise.core.spaces import MAX_ACTION_CHARS, MAX_OBSERVATION_CHARS, Text
from turnwise.core.tools import Tool, call_text
from turnwise.core.wordings import check_declarations, check_wording, task_type, worded

__all__ = ["MAX_ACTION_CHARS", "Env", "Reply", "Split", "Text", "seed_of"]

TaskT = TypeVar("TaskT")
Split = Literal["train", "test"]
TEST_SHARE = 0.2  # of the instances belong to the test split
_MAX_DRAWS = 2000
_MIN_SPLIT_INSTANCES = 4
_ENOUGH: WeakKeyDictionary[type, set[int]] = WeakKeyDictionary()  # hashes of splits and settings that do


class Reply(NamedTuple):
    """An environment's reply to one action.

    Attributes:
        observation: The text that the agent reads next.
        reward: Partial credit for this turn, >= 0; the sum over an unsolved episode stays below 1.
        done: The episode ends here.
        solved: The goal is reached; this ends the episode and completes its return to exactly 1.0.
        invalid: The action was malformed or illegal; it uses up a turn and changes nothing else.
        metrics: Named floats, summed over the episode into ``info["metrics"]``.
        shaping: Optional bonus or penalty for this turn, for learning. Reported as ``info["shaping"]`` if it is not 0;
            never part of the reward.
    """

    observation: str
    reward: float = 0.0
    done: bool = False
    solved: bool = False
    invalid: bool = False
    metrics: Mapping[str, float] | None = None
    shaping: float = 0.0


_TOO_LONG = Reply(f"Your message is longer than {MAX_ACTION_CHARS} characters and was not read.", invalid=True)


def seed_of(*parts: object) -> int:
    """Derive a 63-bit seed from all of ``parts`` (ints, strings); unlike ``seed + i``, such seeds do not overlap."""
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=8).digest(), "big") >> 1


@dataclass_transform(kw_only_default=True, eq_default=False)
class Env(gymnasium.Env[str, str], Generic[TaskT]):
    """A text environment: str in, str out, a verifiable reward.

    A subclass is a set of keyword settings (annotated class fields with defaults) and the methods `generate`, `begin`,
    `respond`, `oracle` and `sample_action`. Episode state is plain attributes, set in `begin`. The task is a frozen
    dataclass; fields declared with ``field(compare=False)`` (a solution, say) are not part of its identity.

    What a class declares; a sentence about each setting stands beneath it, and a wrong declaration is refused when the
    class is made::

        num_numbers: Annotated[int, Range(3, 9)] = 4  # a setting, with the numbers that it accepts
        mode: Literal["grid", "moves"] = "grid"  # one with a few accepted values
        levels = ({"num_numbers": 3}, {"num_numbers": 4})  # rows for difficulty 1, 2, ...; best ten, easy to hard
        chance = (0.02, 0.001)  # of `sample_action` at each level, as `turnwise audit --levels` prints it
        cheats = ("<answer></answer>", lambda env: str(env.task.target))  # that must earn nothing
        in_all = False  # for environments around user data: `turnwise eval all` skips it
    """

    difficulty: int | None = None
    """1 to 10 picks a row of ``levels``; a setting given by name overrides it."""
    split: Split | None = None
    """Only instances of that split, decided by a hash of the instance; None plays all."""
    max_turns: Annotated[int, Range(1)] = 1
    """Turns per episode. With 1 (a single answer) the answer ends the episode (``terminated``); otherwise the limit
    gives ``truncated``."""
    render_mode: str | None = None
    """None or "ansi" (`render` returns the latest observation)."""
    wording: str | None = None
    """Another wording of the first observation, with the same facts; docs/judging.md names them."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 4}  # type: ignore[misc]
    levels: ClassVar[Sequence[Mapping[str, Any]]] = ()
    """Rows of settings, easy to hard, ideally ten: ``({"size": 4, "blanks": 6}, {"size": 6, "blanks": 12}, ...)``."""
    chance: ClassVar[Sequence[float]] = ()
    """Solve rate of the random agent (`sample_action`) at each level, as ``turnwise audit --levels`` measures it."""
    chance_default: ClassVar[float | None] = None
    """Solve rate of the random agent at the default settings, which are not a level; None: not measured."""
    cheats: ClassVar[Sequence["str | Callable[[Any], str]"]] = ()
    """Texts, or functions of the live environment, that try to earn reward without solving the task."""
    in_all: ClassVar[bool] = True
    """Whether ``turnwise eval all`` plays it."""
    own_wordings: ClassVar[Sequence[str]] = ()
    """Names of further wordings of the first observation, which `reworded` writes."""
    options: ClassVar[Sequence[str]] = ("task",)
    """What `reset` takes in its ``options``."""

    task: TaskT
    turn: int
    _over: bool = True
    _identity: ClassVar[Callable[[Any], object] | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, hint in inspect.get_annotations(cls).items():
            if name.startswith("_") or "ClassVar" in str(hint):
                continue
            if name not in _COMMON and hasattr(Env, name):
                raise TypeError(
                    f"{cls.__name__}.{name} belongs to every environment and is not a setting: assign it unannotated"
                )
            if name not in cls.__dict__:
                raise TypeError(f"{cls.__name__}.{name} needs a default: every setting has one")
        if "limits" in cls.__dict__:
            raise TypeError(f"{cls.__name__}.limits: write ranges as annotations, size: Annotated[int, Range(1, 9)]")
        try:
            check_declarations(cls)
        except NameError:  # a type that is defined further down
            return
        except (SettingsError, AttributeError) as error:
            raise TypeError(f"{cls.__name__}: {error}") from None

    def __init__(self, **settings: Any) -> None:
        cls = type(self)
        fields = named_settings(cls)
        check_names(f"{cls.__name__} has no setting", settings, fields)
        level: Mapping[str, Any] = {}
        difficulty = settings.get("difficulty")
        if difficulty is not None:
            if not cls.levels:
                raise SettingsError(f"difficulty is {difficulty!r}; {cls.__name__} has no difficulty levels")
            check("difficulty", difficulty, dataclasses.replace(fields["difficulty"], range=Range(1, len(cls.levels))))
            level = cls.levels[difficulty - 1]
        for name, setting in fields.items():
            value = settings[name] if name in settings else level.get(name, getattr(cls, name))
            check(name, value, setting)
            object.__setattr__(self, name, value)
        if self.render_mode not in (None, *self.metadata["render_modes"]):
            modes = " or ".join(map(repr, self.metadata["render_modes"]))
            raise SettingsError(f"render_mode is {self.render_mode!r}; it must be None or {modes}")
        check_wording(cls, self.wording)
        self._one_answer = self.max_turns == 1  # a wrapper may allow more tries
        self.check()
        self.action_space = Text(MAX_ACTION_CHARS)
        self.observation_space = Text(MAX_OBSERVATION_CHARS)
        self._split_checked = self.split is None

    # ---- what an author writes ------------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise `SettingsError` for settings that do not go together; each by itself fits what it declares."""

    def generate(self, rng: np.random.Generator) -> TaskT:
        """Draw a task; all randomness must come from ``rng``."""
        raise NotImplementedError(f"{type(self).__name__} must define generate(rng)")

    def begin(self) -> str:
        """Set up the episode's state from ``self.task`` and return the first observation."""
        raise NotImplementedError(f"{type(self).__name__} must define begin()")

    def respond(self, action: str) -> Reply:
        """Answer one action, which may be any text, in bounded time and without raising."""
        raise NotImplementedError(f"{type(self).__name__} must define respond(action)")

    def oracle(self) -> str:
        """Return the next action of a solution from the current state; following it solves every episode."""
        raise NotImplementedError(f"{type(self).__name__} must define oracle()")

    def reference(self) -> str | None:
        """Return the action that solves the task if one is known from the start; None if several actions are needed.

        In a single-answer environment this is the `oracle`'s action. Environments with a secret to find override this
        method.
        """
        return self.oracle() if self._one_answer else None

    def rationale(self) -> str | None:
        """Explain in words how to solve the task, without the final answer; None if no explanation is known.

        A trainer's hints show its first sentences. Tasks that take several actions need none: their hints are the
        `oracle`'s first actions.
        """
        return None

    def tools(self) -> Sequence[Tool]:
        """The tools that an agent may call in this episode; empty for an environment that is played in words.

        They describe the actions: frameworks that speak in function calls show their schemas to the model and hand its
        calls to `call_text`. They are not to be called past `step`.
        """
        return ()

    def call_text(self, name: str, arguments: Any) -> str:
        """Write a structured call as the action that this environment reads.

        Args:
            name: Name of the tool; the environment itself answers one that does not exist.
            arguments: A mapping, or the JSON text of one.
        """
        return call_text(name, arguments)

    def paraphrases(self) -> Sequence[str]:
        """Return other ways to write the `oracle`'s action that must have the same effect (for ``turnwise audit``)."""
        return ()

    def reworded(self, wording: str) -> str:
        """Return what replaces `begin`'s observation, in one of ``own_wordings`` and with the same facts."""
        raise NotImplementedError(f"{type(self).__name__} must define reworded({wording!r})")

    def right_answers(self) -> Literal["one", "many", "message"]:
        """Tell ``turnwise audit`` which answers it may regard as wrong.

        "one": there is a single right answer, up to notation, and any other is wrong. "many": several answers may be
        right (answers are checked, not compared). "message": the whole message is judged, not an answer in it.
        """
        return "many"

    def all_tasks(self) -> Sequence[TaskT]:
        """Return every task of an environment with a fixed list (for ``turnwise audit``); empty if tasks are drawn."""
        return ()

    def sample_action(self, rng: np.random.Generator) -> str:
        """Return a random well-formed action, like an agent that knows only the format."""
        raise NotImplementedError(f"{type(self).__name__} must define sample_action(rng)")

    def identity(self, task: TaskT) -> object:
        """Return the identity of an instance: equal for tasks that are the same problem. Its repr is hashed."""
        cls = type(self)
        if cls._identity is None or "_identity" not in cls.__dict__:
            names = [f.name for f in dataclasses.fields(task) if f.compare]  # type: ignore[arg-type]
            cls._identity = operator.attrgetter(*names) if names else _alone
        return cls._identity(task)

    def metrics(self) -> Mapping[str, float]:
        """Return further metrics of the finished episode, for ``info["metrics"]``."""
        return {}

    def release(self) -> None:
        """Release what the episode holds outside this process; called at its end and by `close`."""

    # ---- gymnasium's interface ------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: Seeds the environment's generator; None continues with the current one.
            options: ``{"task": task}`` plays that task instead of drawing one.

        Returns:
            The first observation and ``{"task_id": hash of the instance}``.

        Raises:
            SettingsError: An option is unknown.
        """
        if options:
            self._check_options(options)
        if seed is not None:
            self._seed(seed)
        elif self._np_random is None:
            self._seed(secrets.randbits(63))
        if options and options.get("task") is not None:
            check("task", options["task"], Setting("task", task_type(type(self))))
            self.task = options["task"]
            digest = self._digest(self.task)
        else:
            self.task, digest = self._draw()
        self.turn = 0
        self._over, self._earned, self._invalid = False, 0.0, 0
        self._metrics: dict[str, float] = {}
        observation = self.begin()
        if not isinstance(observation, str):
            raise TypeError(f"{type(self).__name__}.begin must return a str, not {type(observation).__name__}")
        if self.wording is not None:
            observation = worded(self, self.wording, observation)
        if self.render_mode is not None:
            self._shown = observation
        return observation, {"task_id": digest}

    def _check_options(self, options: Mapping[str, Any]) -> None:
        try:
            check_names(f"reset of {type(self).__name__} has no option", options, self.options)
        except SettingsError as error:
            if named_settings(type(self)).keys() & options.keys():
                raise SettingsError(f"{error}; settings are given to gymnasium.make") from None
            raise

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play one action.

        Returns:
            ``(observation, reward, terminated, truncated, info)``. ``info["invalid_action"]`` is True if the action was
            malformed or illegal, and ``info["shaping"]`` is the turn's bonus for learning; at the end of the episode
            ``info`` has ``solved``, ``metrics`` and ``reward_valid`` (False if a sandbox or server failed: mask such an
            episode, because its reward means nothing; ``error`` says why).

        Raises:
            UsageError: Before `reset`, or after the episode has ended.
            TypeError: The action is not a string.
            FatalError: A failure that would also affect every other episode.
        """
        if self._over:
            raise UsageError(f"{type(self).__name__}.step: no episode is running; call reset first")
        if not isinstance(action, str):
            raise TypeError(f"the action must be a str, not {type(action).__name__}")
        self.turn += 1
        try:
            reply = self.respond(action) if len(action) <= MAX_ACTION_CHARS else _TOO_LONG
        except FatalError:
            self.end_now()
            raise
        except InfrastructureError as error:
            return self._failed(error)
        if not isinstance(reply, Reply):
            raise TypeError(f"{type(self).__name__}.respond must return a Reply, not {type(reply).__name__}")
        observation, reward, done, solved, invalid, metrics, shaping = reply
        if self.render_mode is not None:
            self._shown = observation
        if metrics:
            for name, value in metrics.items():
                self._metrics[name] = self._metrics.get(name, 0.0) + value
        if invalid:
            self._invalid += 1
        if solved:
            reward = 1.0 - self._earned
        elif reward:
            self._earned += reward
        over = done or solved
        truncated = False
        if not over and self.turn >= self.max_turns:
            truncated = self.max_turns > 1
            over = True
        if not over:
            info: dict[str, Any] = {"invalid_action": True} if invalid else {}
            if shaping:
                info["shaping"] = shaping
            return observation, reward, False, False, info
        self._over = True
        info = {"solved": solved, "metrics": self._final_metrics(), "reward_valid": True}
        self.release()
        if shaping:
            info["shaping"] = shaping
        if invalid:
            info["invalid_action"] = True
        return observation, reward, not truncated, truncated, info

    def render(self) -> str | None:
        """The latest observation, with ``render_mode="ansi"``."""
        return self._shown if self.render_mode == "ansi" and hasattr(self, "_shown") else None

    def fork(self) -> typing.Self:
        """Return an independent copy of the live episode; both continue from here without affecting each other.

        Environments that hold external resources extend this to copy them.
        """
        twin = copy.copy(self)
        shared = named_settings(type(self))
        for name, value in self.__dict__.items():
            if name in shared or name in ("task", "spec") or isinstance(value, _ATOMS):
                continue
            quick = type(value) is np.random.Generator and type(value.bit_generator) is np.random.PCG64
            twin.__dict__[name] = _same_draws(value) if quick else copy.deepcopy(value)
        return twin

    def settings(self) -> dict[str, Any]:
        """Return the settings in force, by name."""
        return {name: getattr(self, name) for name in named_settings(type(self))}

    def end_now(self) -> dict[str, Any]:
        """End the running episode unsolved, for wrappers that stop it, and return the final info."""
        self._over = True
        info = {"solved": False, "metrics": self._final_metrics(), "reward_valid": True}
        self.release()
        return info

    def close(self) -> None:
        """Release what the environment holds."""
        self.release()

    # ---- inside ---------------------------------------------------------------------------------------------------

    def _seed(self, seed: int) -> None:
        """Seed ``np_random``. The generator's state is a hash of the seed: four times faster than a SeedSequence."""
        if type(seed) is not int:
            try:
                seed = operator.index(seed)
            except TypeError:
                raise TypeError(f"the seed must be a whole number, not {seed!r}") from None
        if seed < 0:
            raise SettingsError(f"seed is {seed}; it must be at least 0")
        digest = hashlib.blake2b(b"%d" % seed, digest_size=32).digest()
        state = {"state": int.from_bytes(digest[:16], "little"), "inc": int.from_bytes(digest[16:], "little") | 1}
        if self._np_random is None or type(self._np_random.bit_generator) is not np.random.PCG64:
            self._np_random = np.random.Generator(np.random.PCG64(0))
        self._np_random.bit_generator.state = {
            "bit_generator": "PCG64", "state": state, "has_uint32": 0, "uinteger": 0
        }  # fmt: skip
        self._np_random_seed = seed

    def _digest(self, task: TaskT) -> str:
        text = f"{type(self).__name__}{self.identity(task)!r}"
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    def _draw(self) -> tuple[TaskT, str]:
        """Draw a task of the split; return it with its hash."""
        rng = self._np_random
        assert rng is not None
        task = self.generate(rng)
        digest = self._digest(task)
        if self.split is None:
            return task, digest
        if not self._split_checked:
            self._check_split()
        for _ in range(_MAX_DRAWS):
            if split_of(digest) == self.split:
                return task, digest
            task = self.generate(rng)
            digest = self._digest(task)
        raise self._too_few()

    def _check_split(self) -> None:
        """Raise `SettingsError` if there are too few instances to split; equal environments are looked at once."""
        rng, seen = np.random.Generator(np.random.PCG64(0)), set[str]()
        key, enough = hash((self.split, repr(self.settings()))), _ENOUGH.setdefault(type(self), set())
        for _ in range(_MAX_DRAWS):
            if key in enough or len(seen) >= _MIN_SPLIT_INSTANCES:
                enough.add(key)
                self._split_checked = True
                return
            digest = self._digest(self.generate(rng))
            if split_of(digest) == self.split:
                seen.add(digest)
        raise self._too_few()

    def _too_few(self) -> SettingsError:
        return SettingsError(
            f"these settings of {type(self).__name__} admit too few instances for split={self.split!r} "
            f"(fewer than {_MIN_SPLIT_INSTANCES} in {_MAX_DRAWS} draws); widen them or use split=None"
        )

    def _final_metrics(self) -> dict[str, float]:
        return {"turns": float(self.turn), "format_errors": float(self._invalid), **self._metrics, **self.metrics()}

    def _failed(self, error: InfrastructureError) -> tuple[str, float, bool, bool, dict[str, Any]]:
        info = {**self.end_now(), "reward_valid": False, "error": str(error)}
        return "The environment failed; this episode does not count.", 0.0, False, True, info


def _alone(task: object) -> object:
    """Return the identity of the only task of an environment."""
    return ()


_ATOMS = (int, float, str, bool, bytes, type(None))
_ANY_SEED = np.random.SeedSequence(0)


def _same_draws(rng: np.random.Generator) -> np.random.Generator:
    """Return a copy of a generator of PCG64; seven times faster than `copy.deepcopy`."""
    bits, state = np.random.PCG64(_ANY_SEED), cast(Any, rng.bit_generator).state
    bits.state = state
    return np.random.Generator(bits)


_COMMON = ("difficulty", "split", "max_turns", "render_mode", "wording")


def split_of(digest: str) -> Split:
    """Return the split of an instance from its hash."""
    return "test" if int(digest[:8], 16) < TEST_SHARE * 2**32 else "train"


def seed_in_split(split: Split, digest_of: Callable[[int], str], *parts: object) -> int:
    """Return the first seed, made with `seed_of` from ``parts`` and a count from 0, whose digest belongs to the split.

    Args:
        split: The wanted split.
        digest_of: Returns the digest of the instance that a seed makes.
        parts: As in `seed_of`.
    """
    seeds = (seed_of(*parts, nonce) for nonce in itertools.count())
    return next(seed for seed in seeds if split_of(digest_of(seed)) == split)
