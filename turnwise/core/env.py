"""What every environment shares: `Env`, the `Reply` it gives, and the `Text` space of its messages.

An author writes four small methods (`generate`, `begin`, `respond`, `oracle`) and typed settings; the base class
owns seeding, splits, the turn limit, the five-tuple and forking.
"""

import copy
import dataclasses
import difflib
import hashlib
import inspect
import itertools
import operator
import secrets
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar, dataclass_transform

import gymnasium
import numpy as np

from turnwise.core.errors import FatalError, InfrastructureError, SettingsError, UsageError, did_you_mean
from turnwise.core.settings import check_declarations, checked
from turnwise.core.spaces import Text

__all__ = ["MAX_ACTION_CHARS", "Env", "Reply", "Split", "Text", "seed_of"]

TaskT = TypeVar("TaskT")
Split = Literal["train", "test"]
MAX_ACTION_CHARS = 2**20  # a longer message is refused unread
MAX_OBSERVATION_CHARS = 2**17
TEST_SHARE = 0.2  # of the instances belong to the test split
_MAX_DRAWS = 2000
_MIN_SPLIT_INSTANCES = 4


class Reply(NamedTuple):
    """What an environment answers to one action.

    Attributes:
        observation: The text that the agent reads next.
        reward: Partial credit for this turn, >= 0; the sum over an unsolved episode stays below 1.
        done: The episode ends here.
        solved: The goal is reached: ends the episode and completes its return to exactly 1.0.
        invalid: The action was no move at all (format error or illegal move): a turn is gone, nothing else happened.
        metrics: Named floats, summed over the episode into ``info["metrics"]``.
        shaping: What a learner may add to this turn's reward, of either sign; told as ``info["shaping"]`` where it is
            not 0, and no part of the reward.
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
    """A 63-bit seed that depends on all of ``parts`` (ints, strings) and, unlike ``seed + i``, never overlaps."""
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=8).digest(), "big") >> 1


@dataclass_transform(kw_only_default=True, eq_default=False)
class Env(gymnasium.Env[str, str], Generic[TaskT]):
    """A text environment: str in, str out, a verifiable reward.

    A subclass is a set of keyword settings (annotated class fields with defaults) and the methods `generate`,
    `begin`, `respond`, `oracle` and `sample_action`. State of an episode is plain attributes, set in `begin`. The
    task is a frozen dataclass; fields declared with ``field(compare=False)`` (a solution, say) do not belong to its
    identity.

    Settings of all environments:
        difficulty: 1 to 10 picks a row of ``levels``; a knob given by name wins over it.
        split: Only instances of that split, decided by a hash of the instance; None plays all.
        max_turns: Turns per episode. With 1 (a single answer) the answer ends the episode (``terminated``);
            otherwise the limit gives ``truncated``.
        render_mode: None or "ansi" (`render` returns the latest observation).

    What a class declares beside its settings, as plain attributes (a wrong declaration is refused with the class)::

        limits = {"num_numbers": (3, 9), "noise": (0.0, 1.0)}  # of numbers, both ends included
        levels = ({"num_numbers": 3}, {"num_numbers": 4})  # rows for difficulty 1, 2, ...; best ten, easy to hard
        chance = (0.02, 0.001)  # of `sample_action` at each level, as `turnwise audit --levels` prints it
        cheats = ("<answer></answer>", lambda env: str(env.task.target))  # that must earn nothing
        in_all = False  # for a frame around data of one's own: `turnwise eval all` leaves it out

    A setting with a few accepted values is typed so: ``mode: Literal["grid", "moves"] = "grid"``.
    """

    difficulty: int | None = None
    split: Split | None = None
    max_turns: int = 1
    render_mode: str | None = None

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 4}  # type: ignore[misc]
    levels: ClassVar[Sequence[Mapping[str, Any]]] = ()
    """Rows of settings, easy to hard, best ten: ``({"size": 4, "blanks": 6}, {"size": 6, "blanks": 12}, ...)``."""
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {}
    """Accepted range of a numeric setting, both ends included: ``{"blanks": (1, 56)}``."""
    chance: ClassVar[Sequence[float]] = ()
    """Solve rate of the random agent (`sample_action`) at each level, as ``turnwise audit --levels`` measures it."""
    chance_default: ClassVar[float | None] = None
    """The same at the default settings, which are no level; None: not measured."""
    cheats: ClassVar[Sequence["str | Callable[[Any], str]"]] = ()
    """Texts, or functions of the live environment, that try to be paid without solving the task."""
    in_all: ClassVar[bool] = True
    """Whether ``turnwise eval all`` plays it."""
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
                    f"{cls.__name__}.{name} belongs to every environment and is no setting: assign it unannotated"
                )
            if name not in cls.__dict__:
                raise TypeError(f"{cls.__name__}.{name} needs a default: every setting has one")
        try:
            hints = settings_of(cls)
        except NameError:  # a type that is defined further down
            return
        try:
            check_declarations(cls, hints)
        except (SettingsError, AttributeError) as error:
            raise TypeError(f"{cls.__name__}: {error}") from None

    def __init__(self, **settings: Any) -> None:
        cls = type(self)
        fields = settings_of(cls)
        for name in settings:
            if name not in fields:
                close = difflib.get_close_matches(name, fields, 1)
                hint = f"; did you mean {close[0]!r}?" if close else f"; it has {', '.join(sorted(fields))}"
                raise SettingsError(f"{cls.__name__} has no setting {name!r}{hint}")
        level: Mapping[str, Any] = {}
        difficulty = settings.get("difficulty")
        if difficulty is not None:
            if not cls.levels:
                raise SettingsError(f"difficulty is {difficulty!r}; {cls.__name__} has no difficulty levels")
            if type(difficulty) is not int or not 1 <= difficulty <= len(cls.levels):
                levels = f"1 to {len(cls.levels)} for {cls.__name__}"
                raise SettingsError(f"difficulty is {difficulty!r}; it must be a whole number, {levels}")
            level = cls.levels[difficulty - 1]
        for name, hint in fields.items():
            value = settings[name] if name in settings else level.get(name, getattr(cls, name))
            object.__setattr__(self, name, checked(name, value, hint, cls.limits.get(name)))
        if self.render_mode not in (None, *self.metadata["render_modes"]):
            modes = " or ".join(map(repr, self.metadata["render_modes"]))
            raise SettingsError(f"render_mode is {self.render_mode!r}; it must be None or {modes}")
        if self.max_turns < 1:
            raise SettingsError(f"max_turns is {self.max_turns}; it must be at least 1")
        self._one_answer = self.max_turns == 1  # a wrapper may allow more tries at it
        self.check()
        self.action_space = Text(MAX_ACTION_CHARS)
        self.observation_space = Text(MAX_OBSERVATION_CHARS)
        self._split_checked = self.split is None

    # ---- what an author writes ------------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise `SettingsError` for settings that do not go together; `limits` has covered single ones."""

    def generate(self, rng: np.random.Generator) -> TaskT:
        """A task, drawn with ``rng`` alone."""
        raise NotImplementedError(f"{type(self).__name__} must define generate(rng)")

    def begin(self) -> str:
        """Set up the episode's state from ``self.task`` and return the first observation."""
        raise NotImplementedError(f"{type(self).__name__} must define begin()")

    def respond(self, action: str) -> Reply:
        """Answer one action: any text whatever, in bounded time, without raising."""
        raise NotImplementedError(f"{type(self).__name__} must define respond(action)")

    def oracle(self) -> str:
        """The next action of a solution from the current state; following it solves every episode."""
        raise NotImplementedError(f"{type(self).__name__} must define oracle()")

    def reference(self) -> str | None:
        """The action that solves the task, where that is known from the start; None where it takes several.

        That is the `oracle`'s in a single-answer environment. One with a secret to be found out overrides it.
        """
        return self.oracle() if self._one_answer else None

    def rationale(self) -> str | None:
        """How the task is solved, in words, without the answer at its end; None where that is not known.

        Hints of a trainer tell its first sentences. A task that takes several actions needs none: there a hint is the
        first of the `oracle`'s.
        """
        return None

    def paraphrases(self) -> Sequence[str]:
        """Other ways to write the `oracle`'s action that must count as much (for ``turnwise audit``)."""
        return ()

    def right_answers(self) -> Literal["one", "many", "message"]:
        """What ``turnwise audit`` may take for wrong in this task.

        "one": there is one right answer, up to how it is written, so that any other is wrong. "many": several may be
        right (the answer is checked, not compared). "message": all of a message is judged, not an answer in it.
        """
        return "many"

    def all_tasks(self) -> Sequence[TaskT]:
        """Every task of an environment that has a list of them (for ``turnwise audit``); empty if it draws them."""
        return ()

    def sample_action(self, rng: np.random.Generator) -> str:
        """A random well-formed action: what an agent does that knows the format and nothing else."""
        raise NotImplementedError(f"{type(self).__name__} must define sample_action(rng)")

    def identity(self, task: TaskT) -> object:
        """What makes an instance this one: equal for tasks that are the same problem. Its repr is hashed."""
        cls = type(self)
        if cls._identity is None or "_identity" not in cls.__dict__:
            names = [f.name for f in dataclasses.fields(task) if f.compare]  # type: ignore[arg-type]
            cls._identity = operator.attrgetter(*names)
        return cls._identity(task)

    def metrics(self) -> Mapping[str, float]:
        """More figures of the finished episode, for ``info["metrics"]``."""
        return {}

    def release(self) -> None:
        """Let go of what the episode holds outside of this process; called at its end, and by `close`."""

    # ---- gymnasium's interface ------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: Seeds the environment's generator; None goes on with it.
            options: ``{"task": task}`` plays that task instead of drawing one.

        Returns:
            The first observation and ``{"task_id": hash of the instance}``.

        Raises:
            SettingsError: There is no such option.
        """
        if options:
            self._check_options(options)
        if seed is not None:
            self._seed(seed)
        elif self._np_random is None:
            self._seed(secrets.randbits(63))
        if options and options.get("task") is not None:
            self.task = options["task"]
            digest = self._digest(self.task)
        else:
            self.task, digest = self._draw()
        self.turn = 0
        self._over = False
        self._earned = 0.0
        self._invalid = 0
        self._metrics: dict[str, float] = {}
        observation = self.begin()
        if not isinstance(observation, str):
            raise TypeError(f"{type(self).__name__}.begin must return a str, not {type(observation).__name__}")
        if self.render_mode is not None:
            self._shown = observation
        return observation, {"task_id": digest}

    def _check_options(self, options: Mapping[str, Any]) -> None:
        for name in options:
            if name not in self.options:
                what = f"reset of {type(self).__name__} has no option {name!r}{did_you_mean(name, self.options)}"
                known = f"it has {', '.join(map(repr, self.options))}"
                setting = "; settings are given to gymnasium.make" if name in settings_of(type(self)) else ""
                raise SettingsError(f"{what}; {known}{setting}")

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play one action.

        Returns:
            ``(observation, reward, terminated, truncated, info)``. ``info["invalid_action"]`` is True where the action
            was no move, ``info["shaping"]`` is what the turn adds for learning; at the end of the episode ``info`` has
            ``solved``, ``metrics`` and ``reward_valid`` (False when a sandbox or server failed: mask such an episode,
            its reward says nothing; ``error`` says why).

        Raises:
            UsageError: Before `reset`, or after the episode has ended.
            TypeError: The action is no string.
            FatalError: What failed would fail every other episode too.
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
        """An independent copy of the live episode: both go on from here, neither sees the other.

        Environments that hold external resources extend this to copy them.
        """
        twin = copy.copy(self)
        shared = settings_of(type(self))
        for name, value in self.__dict__.items():
            if name not in shared and name not in ("task", "spec") and not isinstance(value, _ATOMS):
                twin.__dict__[name] = copy.deepcopy(value)
        return twin

    def settings(self) -> dict[str, Any]:
        """The settings in force, by name."""
        return {name: getattr(self, name) for name in settings_of(type(self))}

    def end_now(self) -> dict[str, Any]:
        """End the running episode unsolved, for wrappers that stop it; returns the final info."""
        self._over = True
        info = {"solved": False, "metrics": self._final_metrics(), "reward_valid": True}
        self.release()
        return info

    def close(self) -> None:
        """Let go of what the environment holds."""
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
        """A task of the split, and its hash."""
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
        """Refuse settings whose instances are too few to be split."""
        rng = np.random.Generator(np.random.PCG64(0))
        seen: set[str] = set()
        for _ in range(_MAX_DRAWS):
            digest = self._digest(self.generate(rng))
            if split_of(digest) == self.split:
                seen.add(digest)
                if len(seen) >= _MIN_SPLIT_INSTANCES:
                    self._split_checked = True
                    return
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


_ATOMS = (int, float, str, bool, bytes, type(None))
_SETTINGS: dict[type, dict[str, Any]] = {}
_COMMON = ("difficulty", "split", "max_turns", "render_mode")


def settings_of(cls: type[Env[Any]]) -> dict[str, Any]:
    """The settings of an environment class: name -> type, the common ones first."""
    if cls not in _SETTINGS:
        found: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            if issubclass(base, Env):
                own = types.SimpleNamespace(__annotations__=inspect.get_annotations(base))
                for name, hint in typing.get_type_hints(own, vars(sys.modules[base.__module__])).items():
                    if base is Env and name not in _COMMON:
                        continue
                    if not name.startswith("_") and typing.get_origin(hint) is not ClassVar:
                        found[name] = hint
        _SETTINGS[cls] = found
    return _SETTINGS[cls]


def split_of(digest: str) -> Split:
    """The split of an instance, by its hash."""
    return "test" if int(digest[:8], 16) < TEST_SHARE * 2**32 else "train"


def seed_in_split(split: Split, digest_of: Callable[[int], str], *parts: object) -> int:
    """The first seed of ``parts`` and a count from 0 (`seed_of`) whose digest belongs to the split.

    Args:
        split: Where it belongs.
        digest_of: The digest of what a seed makes.
        parts: As in `seed_of`.
    """
    seeds = (seed_of(*parts, nonce) for nonce in itertools.count())
    return next(seed for seed in seeds if split_of(digest_of(seed)) == split)
