"""Measures: arrays of a step's rollouts that need the model, by the names that credit and reward methods request.

    entropies (N, L)              of the distributions that the tokens were sampled from
    values (N, L)                 the critic's, before this step's updates
    info (N, T + 1)               IGPO's probability of the reference answer before each turn
    answer_probs, baseline_probs, answer_mask (N, A)    RLPR's, with and without the rollout's reasoning
    progress (N, T)               SPA's contribution of each turn to the return
    role_averages (N,)            RAE's moving averages of the returns by game and seat (no model, but a state)
    yes_logps, no_logps (N,)      log-probabilities of yes and no when asked whether the task was solved

Every one is a few forward passes over rows, within the token budget; nothing of the size of the vocabulary is kept.
What is learnt to make them (critic, progress estimator, RLPR's threshold) has a state of its own.

Legend: N rollouts, T most turns, L most tokens, A tokens of the longest reference answer, H hidden width.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from turnwise.baselines.methods.credit.intrinsic import SelfJudge, StdFilterState, rlpr_std_filter
from turnwise.baselines.methods.credit.learners import CriticSettings, EstimatorSettings
from turnwise.baselines.methods.credit.roles import Rae, role_averages
from turnwise.baselines.methods.credit.turns import spa_estimator_loss
from turnwise.baselines.trainer.advantage import Arrays, Batch
from turnwise.baselines.trainer.batch import MicroBatch, Row, TaskRows, count, make_row, minibatches, padded
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.model.critic import Critic, value_loss
from turnwise.baselines.trainer.model.parallel import Parallel
from turnwise.baselines.trainer.model.policy import Policy, hidden_states
from turnwise.baselines.trainer.rollouts import Rollout
from turnwise.core.errors import SettingsError
from turnwise.engine.tokens import Renderer, Stream

__all__ = ["Measures", "ProgressEstimator", "turn_contexts"]

Floats = npt.NDArray[np.float64]
PerToken = Callable[[Sequence[Row], Callable[[MicroBatch], Sequence[Tensor]]], list[Tensor]]
"""Runs a function of micro-batches over rows; returns its tensors over the rows' sampled tokens, in order."""
Batches = Callable[[Sequence[Row]], Iterator[tuple[Any, MicroBatch, bool]]]
"""Cuts rows into micro-batches: (numbers of the rows, tensors, whether they count)."""

TAG = "<answer>"
TOGETHER = {
    "answer_probs": "references",
    "baseline_probs": "references",
    "answer_mask": "references",
    "yes_logps": "verdicts",
    "no_logps": "verdicts",
}
"""Arrays that are computed together, by the name of the first."""


class Measures:
    """Computes arrays by name, and holds the models that are trained for them.

    Args:
        cfg: The settings of the run.
        policy: The policy before the first step.
        renderer: Converts text to tokens.
        parallel: The ranks that share the rows.

    Raises:
        SettingsError: The settings of critic or judge are not theirs; or the chat template rewrites the past where the
            judge has to be asked at the end of a row; or a part of a model that is split over ranks is asked for.
    """

    def __init__(self, cfg: TrainConfig, policy: Policy, renderer: Renderer, parallel: Parallel) -> None:
        self.cfg, self.policy, self.renderer = cfg, policy, renderer
        source = cfg.reward.source
        judge = source if isinstance(source, SelfJudge) else None
        if cfg.model.shard and (cfg.measured & {"values", "progress"} or (judge and judge.by == "reference")):
            raise SettingsError(
                "shard: critic, progress estimator and a frozen judge need the model whole on every rank"
            )
        self.max_len: int = policy.model.config.get_text_config().max_position_embeddings
        self.critic: _Learner | None = None
        if "values" in cfg.measured:
            self.critic = _Learner(policy, parallel, getattr(cfg.credit, "critic", CriticSettings()))
        self.estimator: ProgressEstimator | None = None
        if "progress" in cfg.measured:
            width = policy.model.config.get_text_config().hidden_size
            own = getattr(cfg.credit, "estimator", EstimatorSettings())
            self.estimator = ProgressEstimator(width, cfg.run.seed, own)
        self.judge = _Judge(policy, renderer, judge or SelfJudge()) if "yes_logps" in cfg.measured else None
        self.std_filter = StdFilterState()
        self.averages: dict[str, float] = {}  # of RAE, by game and seat

    @property
    def warming(self) -> int:
        """Number of steps in which only the critic learns."""
        return 0 if self.critic is None else self.critic.warmup

    def __call__(self, per_token: PerToken, name: str, arrays: Arrays) -> Any:
        """Compute the array called ``name``."""
        if name in TOGETHER:
            return arrays(TOGETHER[name])[name]
        found: Any = getattr(self, f"_{name}")(per_token, arrays)
        return found

    def filtered(self, batch: Batch) -> Batch:
        """Keep only rollouts of groups whose returns differ enough, if the run has a ``reward_filter``."""
        if self.cfg.reward.filter is None:
            return batch
        arrays = Arrays(batch)
        keep, self.std_filter = rlpr_std_filter(
            arrays("returns"), arrays("groups"), self.std_filter, self.cfg.reward.filter
        )
        return batch.having(kept=[batch.kept[i] and own for i, own in zip(batch.valid, keep.tolist(), strict=True)])

    def learn(self, groups: Sequence[TaskRows], step: int, batches: Batches) -> dict[str, float]:
        """Update the critic on a step's rows, in the policy's minibatches, and return what to log.

        Args:
            groups: Rows by task; the policy's own rows hold ``values`` and ``returns``.
            step: The step.
            batches: Makes micro-batches of rows.
        """
        if self.critic is None:
            return {}
        order = minibatches(len(groups), self.cfg.optim.minibatches, (self.cfg.run.seed, step, 0))
        parts = [[row for i in part for row in groups[i].own] for part in order]
        return self.critic.learn([part for part in parts if part], batches)

    def state_dict(self) -> dict[str, Any]:
        """Return the state of everything that is trained here."""
        state: dict[str, Any] = {"std_filter": [self.std_filter.batches, self.std_filter.average]}
        state |= {"averages": dict(self.averages)} if isinstance(self.cfg.credit, Rae) else {}
        return state | {name: part.state_dict() for name, part in self._learnt()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state that ``state_dict`` returned."""
        self.std_filter = StdFilterState(*state["std_filter"])
        self.averages = dict(state.get("averages", {}))
        for name, part in self._learnt():
            part.load_state_dict(state[name])

    # ---- inside ---------------------------------------------------------------------------------------------------

    def _learnt(self) -> list[tuple[str, Any]]:
        own = {
            "critic": self.critic and self.critic.critic,
            "estimator": self.estimator,
            "judge": self.judge and self.judge.frozen,
        }
        return [(name, part) for name, part in own.items() if part is not None]

    def _role_averages(self, per_token: PerToken, arrays: Arrays) -> Floats:
        roles = [f"{run.job.settings.get('game', run.job.env)}, seat {run.seat}" for run in arrays.runs]
        decay = self.cfg.credit.decay if isinstance(self.cfg.credit, Rae) else Rae().decay
        found, self.averages = role_averages(arrays("returns").tolist(), roles, decay, self.averages)
        return found

    def _entropies(self, per_token: PerToken, arrays: Arrays) -> Floats:
        def compute(batch: MicroBatch) -> Sequence[Tensor]:
            return self.policy.logps(batch, entropy=True)[1:]

        return _on_tokens(arrays, per_token, compute)

    def _values(self, per_token: PerToken, arrays: Arrays) -> Floats:
        assert self.critic is not None
        critic = self.critic.critic
        return _on_tokens(arrays, per_token, lambda batch: (critic.values(batch),))

    def _progress(self, per_token: PerToken, arrays: Arrays) -> Floats:
        """Fit the estimator to this step's returns, then return its estimates."""
        assert self.estimator is not None
        rows, where = [], []
        for i, run in enumerate(arrays.runs):
            for stream in run.streams:
                ends = _turn_ends(stream)
                where += [(i, turn) for _, turn in ends]
                at = np.array([end for end, _ in ends], dtype=np.int64)
                rows.append(_probe([*stream.ids[: at[-1]], 0], at))  # the 0 is only predicted
        if not rows:
            return np.zeros(arrays("turns").shape)
        backbone = self.policy.model.base_model

        def compute(batch: MicroBatch) -> Sequence[Tensor]:
            return (hidden_states(backbone, batch).flatten(0, 1).index_select(0, batch.source).float(),)

        (features,) = per_token(rows, compute)
        at_turns = np.array(where, dtype=np.int64)
        self.estimator.fit(features, at_turns, arrays("turns"), arrays("returns"))
        return self.estimator.progress(features, at_turns, arrays("turns").shape)

    def _info(self, per_token: PerToken, arrays: Arrays) -> Floats:
        """p_t = exp(mean_j log p(answer_j)), with the answer in place of each turn.

        Nothing is read after the last turn: its column repeats the one before.
        """
        self._require_references(arrays)
        asked, places = [], []
        for i, run in enumerate(arrays.runs):
            answer = self._encode(run.reference or "")
            for t, context in enumerate(turn_contexts(run)):
                asked.append((context, answer))
                places.append((i, t))
        found = self._logps_of(per_token, self.policy, asked)
        out = np.zeros((len(arrays.runs), arrays("turns").shape[1] + 1))
        for (i, t), logps in zip(places, found, strict=True):
            out[i, t] = np.exp(logps.mean()) if logps.size else 0.0
        for i, run in enumerate(arrays.runs):
            out[i, run.num_turns] = out[i, run.num_turns - 1] if run.num_turns else 0.0
        return out

    def _references(self, per_token: PerToken, arrays: Arrays) -> dict[str, Any]:
        """Compute the probabilities of the reference answer's tokens, after the rollout's reasoning and without it.

        The reasoning is what the last turn says before and with its last ``<answer>``, after everything that was
        said before that turn. Where the turn has no such tag, the whole of it is the answer and only the earlier
        turns are reasoning. Without it, the answer follows the first prompt.
        """
        self._require_references(arrays)
        asked: list[tuple[list[int], list[int]]] = []
        for run in arrays.runs:
            contexts = turn_contexts(run)
            reference = run.reference or ""
            if not contexts:
                asked += [([], []), ([], [])]
                continue
            reasoning = self._before_answer(run.actions[-1])
            tag = self._encode(TAG) if reasoning else []
            inside = reference.partition(TAG)[2].partition("</answer>")[0] if reasoning else ""
            answer = self.renderer.encode(inside) if inside else self._encode(reference)
            asked += [([*contexts[-1], *reasoning], answer), ([*contexts[0], *tag], answer)]
        found = self._logps_of(per_token, self.policy, asked)
        reasoned, direct = found[::2], found[1::2]
        mask = padded([np.ones(len(p)) for p in reasoned], np.bool_, False)
        probs = [padded([np.exp(p) for p in part], np.float64) for part in (reasoned, direct)]
        return {"answer_probs": probs[0], "baseline_probs": probs[1], "answer_mask": mask}

    def _verdicts(self, per_token: PerToken, arrays: Arrays) -> dict[str, Floats]:
        """Compute the log-probabilities of yes and no; equal ones for a row without room for the question."""
        assert self.judge is not None
        judge = self.judge
        contexts = [judge.ask(run.streams[-1]) if run.streams else [] for run in arrays.runs]
        words = (self._encode(judge.yes), self._encode(judge.no))
        found = self._logps_of(per_token, judge.policy, [(context, word) for context in contexts for word in words])
        sums = np.array([logps.sum() for logps in found]).reshape(-1, 2)
        return {"yes_logps": sums[:, 0], "no_logps": sums[:, 1]}

    def _logps_of(
        self, per_token: PerToken, policy: Policy, asked: Sequence[tuple[list[int], list[int]]]
    ) -> list[Floats]:
        """Compute the log-probabilities of answers' tokens, each after its context; none if the row is too long.

        Equal questions, such as those of a group before its first turn, are answered once.
        """
        rows: dict[tuple[bytes, int], Row] = {}
        keys = []
        for context, answer in asked:
            fits = bool(context) and bool(answer) and len(context) + len(answer) <= self.max_len
            ids = np.array([*context, *answer] if fits else [], dtype=np.int64)
            keys.append((ids.tobytes(), len(context)))
            if fits:
                rows.setdefault(keys[-1], _probe(ids, np.arange(len(context), len(ids))))
        found: dict[tuple[bytes, int], Floats] = {}
        if rows:
            flat = per_token(list(rows.values()), lambda batch: policy.logps(batch, entropy=False)[:1])[0]
            sizes = [len(row.actions) for row in rows.values()]
            found = {key: p.double().numpy() for key, p in zip(rows, torch.split(flat, sizes), strict=True)}
        return [found.get(key, np.zeros(0)) for key in keys]

    def _encode(self, text: str) -> list[int]:
        return self.renderer.encode(self.renderer.lead + text)

    def _before_answer(self, ids: list[int]) -> list[int]:
        """Return the tokens of an action up to the end of its last ``<answer>``; none without such a tag."""
        text = self.renderer.decode(ids)
        end = text.rfind(TAG)
        if end < 0:
            return []
        reasoning = text[: end + len(TAG)]
        cut = next(k for k in range(len(ids), -1, -1) if reasoning.startswith(self.renderer.decode(ids[:k])))
        return [*ids[:cut], *self.renderer.encode(reasoning[len(self.renderer.decode(ids[:cut])) :])]

    def _require_references(self, arrays: Arrays) -> None:
        if arrays.runs and not any(run.reference for run in arrays.runs):
            raise SettingsError(
                f"{self.cfg.env.id} has no reference answer (Env.reference), which credit {self.cfg.credit.METHOD!r} or"
                f" reward {self.cfg.reward.source.METHOD!r} asks the policy about"
            )


class ProgressEstimator:
    """c_t = MLP(h_t), h_t the policy's last hidden state at the end of turn t, so that sum_t c_t is about the return.

    One hidden layer on the present policy's states, no gradient into the policy; fitted to every step's rollouts
    before it is asked about them.

    Args:
        width: H.
        seed: Of the first weights.
        settings: Of the layer and its updates.

    Source: Wang et al. 2025, SPA-RL, arXiv:2505.20732 (progress estimator: an MLP on the last hidden state of each
    step). There, a model of its own is trained on rollouts of the cloned policy before reinforcement learning starts.
    """

    def __init__(self, width: int, seed: int, settings: EstimatorSettings) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(seed)
            self.head = nn.Sequential(nn.Linear(width, settings.hidden), nn.ReLU(), nn.Linear(settings.hidden, 1))
        nn.init.zeros_(self.head[2].weight)  # type: ignore[arg-type]
        nn.init.zeros_(self.head[2].bias)  # type: ignore[arg-type]
        self.updates = settings.updates
        self.optimizer = torch.optim.Adam(self.head.parameters(), lr=settings.lr)

    def fit(self, features: Tensor, where: npt.NDArray[np.int64], turns: Any, returns: Any) -> float:
        """Run some updates of ``spa_estimator_loss``; return the loss before the last one.

        Args:
            features: (turns of all rollouts, H).
            where: (turns of all rollouts, 2), rollout and turn of each.
            turns: (N, T) which exist.
            returns: (N,).
        """
        loss = 0.0
        for _ in range(self.updates):
            own = self.head(features).squeeze(1)
            loss, gradient = spa_estimator_loss(_placed(own, where, turns.shape), turns, returns)
            self.optimizer.zero_grad()
            own.backward(torch.from_numpy(gradient[where[:, 0], where[:, 1]]).float())
            self.optimizer.step()
        return loss

    @torch.no_grad()
    def progress(self, features: Tensor, where: npt.NDArray[np.int64], shape: tuple[int, ...]) -> Floats:
        """Return c_t of every turn: (N, T), 0 for turns that do not exist."""
        return _placed(self.head(features).squeeze(1), where, shape)

    def state_dict(self) -> dict[str, Any]:
        """Return weights and moments."""
        return {"head": self.head.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state that ``state_dict`` returned."""
        self.head.load_state_dict(state["head"])
        self.optimizer.load_state_dict(state["optimizer"])


class _Learner:
    """The critic and its training."""

    def __init__(self, policy: Policy, parallel: Parallel, own: CriticSettings) -> None:
        self.lr, self.value_clip, self.warmup = own.lr, own.value_clip, own.warmup
        self.parallel = parallel
        self.critic = Critic(policy, optimizer=own.optimizer, max_grad_norm=own.max_grad_norm, parallel=parallel)

    def learn(self, parts: Sequence[Sequence[Row]], batches: Batches) -> dict[str, float]:
        """Run one pass; return the share of the returns' variance that the earlier values explained, and the loss."""
        rows = [row for part in parts for row in part]
        if not rows:
            return {"value_loss": 0.0, "explained_variance": 0.0}
        total = torch.zeros((), dtype=torch.float64)
        for part in parts:
            tokens = count(list(part))
            for _, batch, _ in batches(part):
                values = self.critic.values(batch)
                assert batch.values is not None
                assert batch.returns is not None
                terms = value_loss(values, batch.values, batch.returns, value_clip=self.value_clip)
                self.critic.backward(terms.sum() / tokens)
                total = total + terms.detach().sum().cpu()
            self.critic.step(self.lr)
        total = self.parallel.sum({"loss": total})["loss"]
        returns, before = (np.concatenate([getattr(row, name) for row in rows]) for name in ("returns", "values"))
        spread = float(returns.var())
        return {
            "value_loss": float(total) / count(rows),
            "explained_variance": 1.0 - float((returns - before).var()) / spread if spread > 1e-12 else 0.0,
        }


class _Judge:
    """Asks the model at the end of a rollout's last row whether the task was solved.

    What the environment said last is not shown: it often says how it went.
    """

    def __init__(self, policy: Policy, renderer: Renderer, own: SelfJudge) -> None:
        if not renderer.append_only:
            raise SettingsError("self_judge needs a chat template that only grows: it is asked at the end of a row")
        self.frozen = policy.reference() if own.by == "reference" else None
        self.policy = self.frozen or policy
        self.renderer, self.question, self.yes, self.no = renderer, own.question, own.yes, own.no

    def ask(self, stream: Stream) -> list[int]:
        """Return the row with the question appended."""
        closed = stream.ids[-1] in self.renderer.stop_ids
        return [*stream.ids, *self.renderer.bridge([{"role": "user", "content": self.question}], closed=closed)]


def turn_contexts(run: Rollout) -> list[list[int]]:
    """Return the tokens that the policy had read when it began each of its turns."""
    found: dict[int, list[int]] = {}
    for stream in run.streams:
        for at, turn in enumerate(stream.turns):
            if turn >= 0 and turn not in found:
                found[turn] = stream.ids[:at]
    return [found[turn] for turn in sorted(found)]


def _turn_ends(stream: Stream) -> list[tuple[int, int]]:
    """Return the end of each sampled turn of a row, one past its last token, and the number of the turn."""
    turns = stream.turns
    return [
        (at + 1, turn) for at, turn in enumerate(turns) if turn >= 0 and (at + 1 == len(turns) or turns[at + 1] != turn)
    ]


def _probe(ids: Sequence[int] | npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> Row:
    """Make a row that asks for the log-probabilities of the tokens at ``actions``."""
    zeros = np.zeros(len(actions), dtype=np.float32)
    return Row(np.asarray(ids, dtype=np.int64), actions, zeros, zeros, np.zeros(len(actions), dtype=np.int64))


def _on_tokens(arrays: Arrays, per_token: PerToken, compute: Callable[[MicroBatch], Sequence[Tensor]]) -> Floats:
    """Return the results of ``compute`` for the sampled tokens of all rollouts, in their places: (N, L)."""
    mask = arrays("mask")
    made = [make_row(s, np.zeros(sum(s.mask)), per="token") for run in arrays.runs for s in run.streams]
    rows = [row for row in made if row is not None]
    out = np.zeros(mask.shape)
    if rows:
        out[mask] = per_token(rows, compute)[0].double().numpy()
    return out


def _placed(values: Tensor, where: npt.NDArray[np.int64], shape: tuple[int, ...]) -> Floats:
    out = np.zeros(shape)
    out[where[:, 0], where[:, 1]] = values.detach().double().numpy()
    return out
