"""Guidance: help from outside of the policy, for tasks that it does not solve by itself.

    hints       groups that no rollout solved are played again, with the beginning of a solution in view
    critique    failed rollouts are played again with the attempt and what was said of it in view; the result is trained
                as if it had been said without
    imitation   the oracle's own episodes are trained beside the rollouts

Hinted rollouts are the policy's own answers to what it read, and trained like any other. Refinements and demonstrations
are not: they are *external* rows with an objective of their own, and an update minimises

    loss = (1 - mu) RL + mu external    (``mix="convex"``)    or    RL + weight external    (``mix="sum"``)

each over its own tokens. Scores, curricula and replay never see guided episodes.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

import turnwise
from turnwise.baselines.methods.curricula import TaskSpec
from turnwise.baselines.methods.losses import LossSpec, amft_weight
from turnwise.baselines.methods.registry import bind
from turnwise.baselines.trainer.batch import Row, make_row
from turnwise.baselines.trainer.collect import Group, Play, Trajectory, anchor_of, make_env
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.context import CONTEXTS, Context
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.engine.tokens import Renderer, Stream

__all__ = [
    "GUIDANCE", "Critique", "Guidance", "Hints", "Imitation", "hint_of", "is_external", "make_guidance", "oracle_turns",
    "solution_of", "tell",
]  # fmt: skip

GUIDED = 2
"""Phase of the sampling keys of guided rollouts; see collect.TRAIN."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
EXTERNAL = "external"
"""Mark of external rows, in ``Row.extra``."""

Floats = npt.NDArray[np.float64]
Player = Callable[[Sequence[Play]], list[Trajectory]]
"""Plays further rollouts with the present weights."""


@dataclass(kw_only=True)
class Guidance:
    """``none``; and what the others share.

    Attributes:
        cfg: Of the run.
        renderer: Text to tokens.
        max_len: The longest row.
        loss: Of external rows; None where there are none.
        helped: Tasks of the last step that were helped.
    """

    cfg: TrainConfig
    renderer: Renderer
    max_len: int
    loss: LossSpec | None = field(default=None, init=False)
    helped: int = field(default=0, init=False)

    def help(self, played: Sequence[Group], *, step: int, horizon: int | None, play: Player) -> list[Group]:
        """The groups with guidance; those given stay as they are.

        Args:
            played: The tasks of a step, in the order in which they were drawn.
            step: The step.
            horizon: Turn limit of the step.
            play: Plays further rollouts.
        """
        return list(played)

    @property
    def weights(self) -> tuple[float, float]:
        """What the losses of own and of external rows count."""
        return 1.0, 0.0

    def observe(self, entropy: float) -> None:
        """Hear the mean entropy per token (nats) of a step, before its updates."""

    def rescored(self, rows: list[Row], score: Callable[[list[Row]], Tensor]) -> list[Row]:
        """External rows with the policy's log-probabilities as the old ones, where the objective asks for these."""
        if not rows or self.loss is None or "old_logps" not in self.loss.inputs:
            return rows
        parts = torch.split(score(rows), [len(row.actions) for row in rows])
        return [replace(row, old_logps=part.numpy()) for row, part in zip(rows, parts, strict=True)]

    def metrics(self) -> dict[str, float]:
        """What to log of a step."""
        return {"guidance/helped": float(self.helped)} if self.cfg.guidance != "none" else {}

    def state_dict(self) -> dict[str, Any]:
        """What the next step depends on."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up what ``state_dict`` gave."""

    def _key(self, step: int, task: int, number: int) -> tuple[int, ...]:
        return (self.cfg.seed, GUIDED, step, task, number)


@dataclass(kw_only=True)
class Hints(Guidance):
    """Groups that no rollout solved are played again with a hint, in stages of longer hints until one is solved.

    A hint is the first sentences of the task's ``rationale()``, else the first of the oracle's moves. The first
    ``keep`` of the group's rollouts stay, hinted ones take the places of the others. A group that even the longest hint
    did not help stays as it was, and so does one whose task has neither a rationale nor a second move: the beginning of
    an only answer is letters, which teach nothing else. An environment of one answer without rationales is refused.

    Source: Chen et al. 2025, NuRL, arXiv:2509.25666 (groups with pass rate 0; hints for all rollouts but one; its hints
    are the model's own abstract ones, which one stage of a small share comes nearest to); Liu et al. 2025, GHPO,
    arXiv:2507.10628 (the first part of the reference solution, more of it in further stages).
    """

    shares: Sequence[float] = (0.25, 0.5, 0.75)
    """Part of the solution that the hint of each stage tells."""
    keep: int = 1
    """Rollouts without a hint that stay in the group."""
    text: str = "\n\nHint: {hint}"
    """Said after the first observation."""

    def __post_init__(self) -> None:
        if not self.shares or not all(0 < s <= 1 for s in self.shares):
            raise SettingsError(f"hints: shares must be parts above 0, at most 1, not {list(self.shares)!r}")
        if not 0 <= self.keep < self.cfg.group_size:
            raise SettingsError(f"hints: keep must be from 0 to group_size - 1, not {self.keep!r}")
        if "{hint}" not in self.text:
            raise SettingsError(f"hints: text must hold {{hint}}, unlike {self.text!r}")
        if not _can_hint(self.cfg):
            raise SettingsError(
                f"guidance is 'hints', but {self.cfg.env} is solved by one answer and its tasks tell no rationale(), "
                "so that a hint could only be a part of the answer; take guidance='critique' or 'imitation' instead"
            )

    def help(self, played: Sequence[Group], *, step: int, horizon: int | None, play: Player) -> list[Group]:
        """See ``Guidance.help``."""
        groups = list(played)
        failed = [i for i, g in enumerate(groups) if g.valid and not any(t.solved for t in g.valid)]
        pieces = {i: solution_of(self.cfg, groups[i].task, horizon) for i in failed}
        open_ = [i for i in failed if pieces[i]]
        self.helped = 0
        number = 0
        for share in self.shares:
            plays, of = [], []
            for i in open_:
                hint = self.text.format(hint=hint_of(pieces[i], share))
                for j in range(len(groups[i].trajectories) - self.keep):
                    plays.append(Play(groups[i].task, self._key(step, i, number + j), hint))
                    of.append(i)
            runs = play(plays)
            number += max((of.count(i) for i in open_), default=0)
            for i in list(open_):
                hinted = [run for run, group in zip(runs, of, strict=True) if group == i]
                if any(run.valid and run.solved for run in hinted):
                    groups[i] = replace(groups[i], trajectories=[*groups[i].trajectories[: self.keep], *hinted])
                    open_.remove(i)
                    self.helped += 1
        return groups


@dataclass(kw_only=True)
class External(Guidance):
    """Guidance that trains external rows."""

    objective: str = "sft"
    """A name in turnwise.baselines.methods.losses: sft, rl_plus or policy_shaping."""
    objective_settings: Mapping[str, Any] = field(default_factory=dict)
    """Of the objective."""
    weight: float = 1.0
    """Of the external loss; with ``mix="convex"`` it is mu."""
    mix: Literal["sum", "convex"] = "sum"
    """How the losses are added."""

    def __post_init__(self) -> None:
        name = self.cfg.guidance
        if self.objective not in ("sft", "rl_plus", "policy_shaping"):
            raise SettingsError(f"{name}: objective must be sft, rl_plus or policy_shaping, not {self.objective!r}")
        if self.mix not in ("sum", "convex") or not 0 <= self.weight <= (1 if self.mix == "convex" else math.inf):
            raise SettingsError(f"{name}: weight must be 0 or more, mu at most 1; {self.weight!r}, {self.mix!r}")
        if self.cfg.context == "summarise":
            raise SettingsError(f"{name}: what others said cannot be told with the policy's own summaries in between")
        self.loss = LossSpec(
            objective=self.objective, objective_settings=self.objective_settings, aggregation=self.cfg.aggregation
        )

    @property
    def weights(self) -> tuple[float, float]:
        """What the losses of own and of external rows count."""
        return (1.0 - self.weight if self.mix == "convex" else 1.0), self.weight

    def _context(self) -> Context:
        return CONTEXTS[self.cfg.context](self.renderer, self.cfg.system, **self.cfg.context_settings)

    def _retold(self, run: Trajectory) -> bool:
        """Give a played episode the rows that it would have had without its hint; whether they fit."""
        actions = [
            [i for i, turn in zip(s.ids, s.turns, strict=True) if turn == t]
            for s in run.streams
            for t in sorted(set(s.turns) - {-1})
        ]
        run.streams = tell(self._context(), list(zip(run.observations, actions, strict=False)))
        run.external = True
        return all(len(s) <= self.max_len for s in run.streams)


@dataclass(kw_only=True)
class Critique(External):
    """Failed rollouts are refined: played again with the attempt and a critique of it in the prompt.

    A refinement's row has the plain prompt before it, and its advantage comes from the group, which it joins.

    Source: Zhang et al. 2025, Critique-GRPO, arXiv:2506.03106 (refinements joined to the group, trained with the
    shaping f(pi) = pi / (pi + 0.1)). There the critique is written by a model, or says that the solution is wrong and
    gives the right answer; here it is what the environment said last, and with ``answer`` the reference.
    """

    objective: str = "policy_shaping"
    rollouts: int = 1
    """Failed rollouts of each task that are refined, the first ones."""
    answer: bool = False
    """Tell the right answer, where the environment knows it."""
    only_solved: bool = False
    """Train only refinements that solved the task; failed ones else count against."""
    text: str = "\n\nAn earlier attempt failed:\n{attempt}\n{critique}\nDo better."
    """Said after the first observation."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rollouts < 1:
            raise SettingsError(f"critique: rollouts must be 1 or more, not {self.rollouts!r}")

    def help(self, played: Sequence[Group], *, step: int, horizon: int | None, play: Player) -> list[Group]:
        """See ``Guidance.help``."""
        plays, of = [], []
        for i, group in enumerate(played):
            failed = [t for t in group.valid if not t.solved and t.num_turns][: self.rollouts]
            for j, attempt in enumerate(failed):
                plays.append(Play(group.task, self._key(step, i, j), self.critique(attempt)))
                of.append(i)
        refined: dict[int, list[Trajectory]] = {}
        for i, run in zip(of, play(plays), strict=True):
            if run.valid and (run.solved or not self.only_solved) and run.streams and self._retold(run):
                refined.setdefault(i, []).append(run)
        self.helped = len(refined)
        return [
            replace(group, trajectories=[*group.trajectories, *refined.get(i, ())]) for i, group in enumerate(played)
        ]

    def critique(self, attempt: Trajectory) -> str:
        """What is said of an attempt."""
        said = f"It was answered: {attempt.observations[-1]}" if attempt.observations[-1] else "It is wrong."
        if self.answer and attempt.reference:
            said += f"\nThe right answer is: {attempt.reference}"
        return self.text.format(attempt="\n".join(attempt.texts), critique=said)


@dataclass(kw_only=True)
class Imitation(External):
    """The oracle's episode of each task, beside the rollouts.

    With ``sft`` it is no part of the group: loss = (1 - mu) RL + mu SFT. With ``rl_plus`` and ``policy_shaping`` it
    joins the group, whose returns give it an advantage. ``amft`` lets mu follow the entropy.

    Source: He et al. 2025, AMFT, arXiv:2508.06944 (``sft`` and its weight; of its controller, the entropy rule only);
    Dong et al. 2025, RL-PLUS, arXiv:2508.00222; Yan et al. 2025, LUFFY, arXiv:2504.14945 (``policy_shaping``).
    """

    weight: float = 0.5
    """mu, or with ``mix="sum"`` the weight of the external loss."""
    mix: Literal["sum", "convex"] = "convex"
    """How the losses are added; RL-PLUS and LUFFY add them with weight 1."""
    only_unsolved: bool = False
    """Show only tasks that no rollout solved."""
    amft: Mapping[str, Any] | None = None
    """Settings of ``amft_weight``; without ``target_entropy``, that of the first step."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.target: float | None = None
        if self.amft is not None:
            bind(amft_weight, {"target_entropy": 0.0, **self.amft}, "amft")
            if self.mix != "convex":
                raise SettingsError("imitation: amft sets mu, which needs mix='convex'")
            self.target = self.amft.get("target_entropy")

    def help(self, played: Sequence[Group], *, step: int, horizon: int | None, play: Player) -> list[Group]:
        """See ``Guidance.help``."""
        groups = []
        self.helped = 0
        for group in played:
            shown = []
            if group.valid and not (self.only_unsolved and any(t.solved for t in group.valid)):
                shown = [t for t in [self.demonstration(group, step, horizon)] if t is not None]
            self.helped += len(shown)
            joined = [] if self.objective == "sft" else shown
            lessons = shown if self.objective == "sft" else []
            groups.append(replace(group, trajectories=[*group.trajectories, *joined], lessons=lessons))
        return groups

    def demonstration(self, group: Group, step: int, horizon: int | None) -> Trajectory | None:
        """The oracle's episode as a rollout; None if there is none or its row would be too long."""
        turns = oracle_turns(self.cfg, group.task, horizon)
        run = Trajectory(Play(group.task, ()), status="done", solved=True, version=step, external=True)
        for observation, move, reward in turns:
            run.observations.append(observation)
            run.took_turn(reward, anchor_of(observation), False, move)
        run.streams = tell(self._context(), [(said, self.renderer.action(move)) for said, move, _ in turns])
        return run if turns and all(len(s) <= self.max_len for s in run.streams) else None

    def observe(self, entropy: float) -> None:
        """One step of mu."""
        if self.amft is None:
            return
        self.target = entropy if self.target is None else self.target
        self.weight = amft_weight(self.weight, entropy, **{**self.amft, "target_entropy": self.target})

    def metrics(self) -> dict[str, float]:
        """What to log of a step."""
        return super().metrics() | {"guidance/weight": self.weight}

    def state_dict(self) -> dict[str, Any]:
        """mu, and the entropy that it holds."""
        return {"weight": self.weight, "target": self.target}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up what ``state_dict`` gave."""
        self.weight, self.target = state["weight"], state["target"]


GUIDANCE: Mapping[str, type[Guidance]] = {
    "none": Guidance,
    "hints": Hints,
    "critique": Critique,
    "imitation": Imitation,
}


def make_guidance(cfg: TrainConfig, renderer: Renderer, max_len: int) -> Guidance:
    """The guidance of a run.

    Raises:
        SettingsError: It has no such settings, or refuses their values.
    """
    kind = GUIDANCE[cfg.guidance]
    bind(kind, {"cfg": cfg, "renderer": renderer, "max_len": max_len, **cfg.guidance_settings}, cfg.guidance)
    return kind(cfg=cfg, renderer=renderer, max_len=max_len, **cfg.guidance_settings)


def is_external(row: Row) -> bool:
    """Whether somebody else than the policy wrote the row."""
    return EXTERNAL in row.extra


def marked_rows(
    run: Trajectory, advantages: Sequence[Floats], extra: Sequence[Mapping[str, Floats]] | None = None
) -> list[Row]:
    """The training rows of a rollout, with the mark of external ones if it is.

    Args:
        run: The rollout.
        advantages: Of its sampled tokens, per row.
        extra: Further values of these, per row.
    """
    rows = []
    for i, (stream, own) in enumerate(zip(run.streams, advantages, strict=True)):
        mark = {EXTERNAL: np.ones(len(own))} if run.external else {}
        row = make_row(stream, own, per="token", extra={**(extra[i] if extra else {}), **mark})
        rows += [row] if row is not None else []
    return rows


def oracle_turns(cfg: TrainConfig, task: TaskSpec, horizon: int | None) -> list[tuple[str, str, float]]:
    """The oracle's episode, in an environment of its own: (observation, action, reward) of each turn.

    Empty where it does not solve the task: the turn limit is too low for it, or the environment fails.
    """
    env = make_env(cfg, "train", task, horizon)
    turns: list[tuple[str, str, float]] = []
    info: dict[str, Any] = {}
    over = False
    try:
        observation, _ = env.reset(seed=task.seed)
        while not over:
            move = env.unwrapped.oracle()
            following, reward, terminated, truncated, info = env.step(move)
            turns.append((str(observation), move, float(reward)))
            observation, over = following, terminated or truncated
    except InfrastructureError:
        pass
    env.close()
    return turns if info.get("solved") and info.get("reward_valid", True) else []


def solution_of(cfg: TrainConfig, task: TaskSpec, horizon: int | None) -> list[str]:
    """What hints are made of: sentences of the task's rationale, else the oracle's moves if it takes several.

    Empty where there is neither, or the environment fails.
    """
    env = make_env(cfg, "train", task, horizon)
    try:
        env.reset(seed=task.seed)
        rationale = env.unwrapped.rationale() or ""
    except InfrastructureError:
        return []
    finally:
        env.close()
    if sentences := [part.strip() for part in _SENTENCE.split(rationale) if part.strip()]:
        return sentences
    moves = [move for _, move, _ in oracle_turns(cfg, task, horizon)]
    return moves if len(moves) > 1 else []


def _can_hint(cfg: TrainConfig) -> bool:
    """Whether the run's environment has more to tell than letters of an answer; judged by its first task."""
    env: Any = turnwise.make(cfg.env, **cfg.env_settings, split="train")
    try:
        env.reset(seed=cfg.seed)
        return env.unwrapped.max_turns > 1 or env.unwrapped.rationale() is not None
    except InfrastructureError:
        return True
    finally:
        env.close()


def hint_of(pieces: Sequence[str], share: float) -> str:
    """The first pieces of a solution: at least one and, below a share of 1, not all."""
    most = len(pieces) if share == 1 else max(1, len(pieces) - 1)
    return "\n".join(pieces[: min(most, math.ceil(share * len(pieces)))])


def tell(context: Context, turns: Sequence[tuple[str, Sequence[int]]]) -> list[Stream]:
    """The rows of an episode whose actions are known: what the collector would have written down.

    Args:
        context: A new one.
        turns: What was said before each turn, and the tokens that were answered.
    """
    streams: list[Stream] = []
    for t, (observation, action) in enumerate(turns):
        if t == 0:
            following = context.opening(observation)
        else:
            before = list(turns[t - 1][1])
            closed = before[-1] in context.renderer.stop_ids
            following = context.after(before, observation, closed=closed, length=len(streams[-1]))
        if following.fresh:
            streams.append(Stream(num_turns=t))
        streams[-1].context(following.ids)
        streams[-1].action(action, [0.0] * len(action))
    return streams
