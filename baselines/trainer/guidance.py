"""Guidance: help from outside the policy, for tasks that it does not solve on its own.

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
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

from torch import Tensor

import turnwise
from turnwise.agents.scripted import OracleAgent
from turnwise.baselines.methods import kinds
from turnwise.baselines.methods.curricula.base import TaskSpec
from turnwise.baselines.methods.kinds import guidance
from turnwise.baselines.methods.kinds import guidance as GUIDANCE
from turnwise.baselines.methods.loss_settings import Sft
from turnwise.baselines.methods.losses import LossSpec
from turnwise.baselines.methods.losses.controllers import amft_weight
from turnwise.baselines.trainer.batch import Row, with_values
from turnwise.baselines.trainer.collect import make_env
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.context import make_context
from turnwise.baselines.trainer.parts import Critique, External, Hints, Imitation, NoGuidance
from turnwise.baselines.trainer.rollouts import Group, Rollout
from turnwise.core.episode import Job, Turn
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.player import rollout
from turnwise.engine.conversation import tell
from turnwise.engine.tokens import Renderer, Stream

__all__ = [
    "GUIDANCE", "CritiqueGuidance", "Guidance", "HintsGuidance", "ImitationGuidance", "hint_of", "make_guidance",
    "oracle_turns", "solution_of",
]  # fmt: skip

GUIDED = 2
"""Phase of the sampling keys of guided rollouts; see collect.TRAIN."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")

PlayMore = Callable[[Sequence[Job]], list[Rollout]]
"""Plays further rollouts with the present weights."""
S = TypeVar("S", bound=kinds.Guidance)
E = TypeVar("E", bound=External)


@guidance.implements(NoGuidance)
@dataclass
class Guidance(Generic[S]):
    """The guidance ``none``, and the base of the others.

    Attributes:
        cfg: The settings of the run.
        renderer: Converts text to tokens.
        max_len: The longest row.
        settings: Which guidance, and how much of it.
        loss: The loss of external rows; None if there are no such rows.
        helped: Tasks of the last step that were helped.
    """

    cfg: TrainConfig
    renderer: Renderer
    max_len: int
    settings: S
    loss: LossSpec | None = field(default=None, init=False)
    helped: int = field(default=0, init=False)

    def help(self, played: Sequence[Group], *, step: int, horizon: int | None, play: PlayMore) -> list[Group]:
        """Return the groups with guidance added; the given ones are not changed.

        Args:
            played: The tasks of a step, in the order in which they were drawn.
            step: The step.
            horizon: Turn limit of the step.
            play: Plays further rollouts.
        """
        return list(played)

    @property
    def weights(self) -> tuple[float, float]:
        """The weights of the losses of own and of external rows."""
        return 1.0, 0.0

    def observe(self, entropy: float) -> None:
        """Observe the mean entropy per token (in nats) of a step, before its updates."""

    def rescored(self, rows: list[Row], score: Callable[[list[Row]], Tensor]) -> list[Row]:
        """Return external rows with the policy's log-probabilities as the old ones, if the objective needs them."""
        if not rows or self.loss is None or "old_logps" not in self.loss.method.needs:
            return rows
        return with_values(rows, old_logps=score(rows).numpy())

    def metrics(self) -> dict[str, float]:
        """Return what to log for a step."""
        return {"guidance/helped": float(self.helped)} if not isinstance(self.settings, NoGuidance) else {}

    def state_dict(self) -> dict[str, Any]:
        """Return the state that the next step depends on."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state that ``state_dict`` returned."""

    def _key(self, step: int, task: int, number: int) -> tuple[int, ...]:
        return (GUIDED, step, task, number)


@guidance.implements(Hints)
@dataclass
class HintsGuidance(Guidance[Hints]):
    """Play groups that no rollout solved again with a hint, in stages of longer hints until one is solved.

    A hint is the first sentences of the task's ``rationale()``, else the first of the oracle's moves. The first
    ``keep`` of the group's rollouts stay, hinted ones take the places of the others. A group that even the longest hint
    did not help stays as it was, and so does one whose task has neither a rationale nor a second move: the beginning of
    an only answer is letters, which teach nothing else. An environment of one answer without rationales is refused.

    Source: Chen et al. 2025, NuRL, arXiv:2509.25666 (groups with pass rate 0; hints for all rollouts but one; its hints
    are the model's own abstract ones, which one stage of a small share comes nearest to); Liu et al. 2025, GHPO,
    arXiv:2507.10628 (the first part of the reference solution, more of it in further stages).
    """

    def __post_init__(self) -> None:
        if not _can_hint(self.cfg):
            raise SettingsError(
                f"guidance is 'hints', but {self.cfg.env.id} takes one answer and its tasks have no rationale(), "
                "so that a hint could only be a part of the answer; take guidance='critique' or 'imitation' instead"
            )

    def help(self, played: Sequence[Group], *, step: int, horizon: int | None, play: PlayMore) -> list[Group]:
        """See ``Guidance.help``."""
        groups = list(played)
        failed = [i for i, g in enumerate(groups) if g.valid and not any(t.solved for t in g.valid)]
        pieces = {i: solution_of(self.cfg, groups[i].task, horizon) for i in failed}
        open_ = [i for i in failed if pieces[i]]
        self.helped = 0
        number = 0
        for share in self.settings.shares:
            jobs, of = [], []
            for i in open_:
                hint = self.settings.text.format(hint=hint_of(pieces[i], share))
                for j in range(len(groups[i].rollouts) - self.settings.keep):
                    jobs.append(groups[i].task.job(self._key(step, i, number + j), hint))
                    of.append(i)
            runs = play(jobs)
            number += max((of.count(i) for i in open_), default=0)
            for i in list(open_):
                hinted = [run for run, group in zip(runs, of, strict=True) if group == i]
                if any(run.valid and run.solved for run in hinted):
                    groups[i] = replace(groups[i], rollouts=(*groups[i].rollouts[: self.settings.keep], *hinted))
                    open_.remove(i)
                    self.helped += 1
        return groups


@dataclass
class ExternalGuidance(Guidance[E]):
    """Guidance that trains external rows."""

    def __post_init__(self) -> None:
        self.weight = self.settings.weight
        self.loss = LossSpec(objective=self.settings.objective, aggregation=self.cfg.loss.aggregation)

    @property
    def weights(self) -> tuple[float, float]:
        """The weights of the losses of own and of external rows."""
        return (1.0 - self.weight if self.settings.mix == "convex" else 1.0), self.weight

    def _tell(self, observations: Sequence[str], actions: Sequence[Sequence[int]]) -> list[Stream] | None:
        """Return the rows of an episode with these actions; None if they do not fit."""
        cfg = self.cfg
        context = make_context(cfg.rollout.context, self.renderer)
        rows = tell(context, zip(observations, actions, strict=True), self.max_len, cfg.rollout.system)
        return rows if rows and rows[-1].num_turns == len(actions) else None

    def _retold(self, run: Rollout) -> Rollout | None:
        """Return a played episode with the rows that it would have without its hint; None if they do not fit."""
        rows = self._tell([turn.observation for turn in run.turns], run.actions)
        return None if rows is None else replace(run, streams=tuple(rows), external=True)


@guidance.implements(Critique)
@dataclass
class CritiqueGuidance(ExternalGuidance[Critique]):
    """Refine failed rollouts: play them again with the attempt and a critique of it in the prompt.

    A refinement's row has the plain prompt before it, and its advantage comes from the group, which it joins.

    Source: Zhang et al. 2025, Critique-GRPO, arXiv:2506.03106 (refinements joined to the group, trained with the
    shaping f(pi) = pi / (pi + 0.1)). There the critique is written by a model, or says that the solution is wrong and
    gives the right answer; here it is what the environment said last, and with ``answer`` the reference.
    """

    def help(self, played: Sequence[Group], *, step: int, horizon: int | None, play: PlayMore) -> list[Group]:
        """See ``Guidance.help``."""
        jobs, of = [], []
        for i, group in enumerate(played):
            failed = [t for t in group.valid if not t.solved and t.num_turns][: self.settings.rollouts]
            for j, attempt in enumerate(failed):
                jobs.append(group.task.job(self._key(step, i, j), self.critique(attempt)))
                of.append(i)
        refined: dict[int, list[Rollout]] = {}
        for i, run in zip(of, play(jobs), strict=True):
            if (
                run.valid
                and (run.solved or not self.settings.only_solved)
                and run.streams
                and (retold := self._retold(run))
            ):
                refined.setdefault(i, []).append(retold)
        self.helped = len(refined)
        return [group.joined(refined.get(i, ())) for i, group in enumerate(played)]

    def critique(self, attempt: Rollout) -> str:
        """Return the critique of an attempt."""
        said = f"It was answered: {attempt.final_observation}" if attempt.final_observation else "It is wrong."
        if self.settings.answer and attempt.reference:
            said += f"\nThe right answer is: {attempt.reference}"
        return self.settings.text.format(attempt="\n".join(turn.action for turn in attempt.turns), critique=said)


@guidance.implements(Imitation)
@dataclass
class ImitationGuidance(ExternalGuidance[Imitation]):
    """Train the oracle's episode of each task together with the rollouts.

    With ``sft`` it is not part of the group: loss = (1 - mu) RL + mu SFT. With ``rl_plus`` and ``policy_shaping`` it
    joins the group, whose returns give it an advantage. ``amft`` lets mu follow the entropy.

    Source: He et al. 2025, AMFT, arXiv:2508.06944 (``sft`` and its weight; of its controller, the entropy rule only);
    Dong et al. 2025, RL-PLUS, arXiv:2508.00222; Yan et al. 2025, LUFFY, arXiv:2504.14945 (``policy_shaping``).
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.target = None if self.settings.amft is None else self.settings.amft.target_entropy

    def help(self, played: Sequence[Group], *, step: int, horizon: int | None, play: PlayMore) -> list[Group]:
        """See ``Guidance.help``."""
        groups = []
        self.helped = 0
        for group in played:
            shown = []
            if group.valid and not (self.settings.only_unsolved and any(t.solved for t in group.valid)):
                shown = [t for t in [self.demonstration(group, step, horizon)] if t is not None]
            self.helped += len(shown)
            groups.append(
                replace(group, lessons=tuple(shown))
                if isinstance(self.settings.objective, Sft)
                else group.joined(shown)
            )
        return groups

    def demonstration(self, group: Group, step: int, horizon: int | None) -> Rollout | None:
        """Return the oracle's episode as a rollout; None if it has none or its row would be too long."""
        turns = oracle_turns(self.cfg, group.task, horizon)
        rows = self._tell([t.observation for t in turns], [self.renderer.action(t.action) for t in turns])
        if rows is None:
            return None
        job = group.task.job()
        return Rollout(job, turns, streams=tuple(rows), solved=True, version=step, external=True)

    def observe(self, entropy: float) -> None:
        """Update mu by one step of its rule."""
        own = self.settings.amft
        if own is None:
            return
        self.target = entropy if self.target is None else self.target
        self.weight = amft_weight(
            self.weight, entropy, target_entropy=self.target, entropy_lr=own.entropy_lr, low=own.low, high=own.high
        )

    def metrics(self) -> dict[str, float]:
        """Return what to log for a step."""
        return super().metrics() | {"guidance/weight": self.weight}

    def state_dict(self) -> dict[str, Any]:
        """Return mu and the entropy that it maintains."""
        return {"weight": self.weight, "target": self.target}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state that ``state_dict`` returned."""
        self.weight, self.target = state["weight"], state["target"]


def make_guidance(cfg: TrainConfig, renderer: Renderer, max_len: int) -> Guidance[Any]:
    """Create the guidance of a run.

    Raises:
        SettingsError: The environment has nothing to hint at.
    """
    made: Guidance[Any] = GUIDANCE.make(cfg.guidance, cfg, renderer, max_len)
    return made


def oracle_turns(cfg: TrainConfig, task: TaskSpec, horizon: int | None) -> tuple[Turn, ...]:
    """Play the oracle's episode, in an environment of its own.

    Empty if it does not solve the task: the turn limit is too low for it, or the environment fails.
    """
    make = partial(make_env, cfg, "train", horizon=horizon)
    [episode] = rollout(OracleAgent(), [task.job()], make=make, retries=0, strict=True)
    return episode.turns if episode.solved else ()


def solution_of(cfg: TrainConfig, task: TaskSpec, horizon: int | None) -> list[str]:
    """Return the pieces that hints consist of: sentences of the task's rationale, or else several moves of the oracle.

    Empty if neither exists, or the environment fails.
    """
    try:
        with closing(make_env(cfg, "train", task.job(), horizon)) as env:
            env.reset(seed=task.seed)
            rationale = env.unwrapped.rationale() or ""
    except InfrastructureError:
        return []
    if sentences := [part.strip() for part in _SENTENCE.split(rationale) if part.strip()]:
        return sentences
    moves = [turn.action for turn in oracle_turns(cfg, task, horizon)]
    return moves if len(moves) > 1 else []


def _can_hint(cfg: TrainConfig) -> bool:
    """Return whether hints can hold more than letters of an answer, judged by the environment's first task."""
    made: Any = turnwise.make(cfg.env.id, **cfg.env.settings, split="train")
    with closing(made) as env, suppress(InfrastructureError):
        env.reset(seed=cfg.run.seed)
        return env.unwrapped.max_turns > 1 or env.unwrapped.rationale() is not None
    return True


def hint_of(pieces: Sequence[str], share: float) -> str:
    """Return the first pieces of a solution: at least one and, below a share of 1, not all."""
    most = len(pieces) if share == 1 else max(1, len(pieces) - 1)
    return "\n".join(pieces[: min(most, math.ceil(share * len(pieces)))])
