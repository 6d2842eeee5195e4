"""Small runs of the trainer for tests: environments, settings, and a warm start that is made once for all."""

import copy
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from turnwise.baselines.trainer import train as module
from turnwise.baselines.trainer.advantage import Arrays
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.run.log import read_metrics
from turnwise.baselines.trainer.train import Run
from turnwise.baselines.trainer.warmstart import clone_teacher
from turnwise.core.env import Env, Reply
from turnwise.core.errors import InfrastructureError
from turnwise.core.registration import register

WORDS = ("red", "blue", "green", "black")


@dataclass(frozen=True)
class Word:
    word: str
    number: int  # so that there are enough instances for two splits


@register("tests/Repeat-v0")
class Repeat(Env[Word]):
    """Say the word that was named; a wrong word is answered by the word again."""

    max_turns: int = 2
    dense: bool = False
    fail: float = 0.0

    def generate(self, rng: np.random.Generator) -> Word:
        return Word(WORDS[int(rng.integers(4))], int(rng.integers(1000)))

    def begin(self) -> str:
        return f"Say {self.task.word}"

    def respond(self, action: str) -> Reply:
        if self.fail and (self.fail == 1 or self.np_random.random() < self.fail):
            raise InfrastructureError("the word server is down")
        if action == self.task.word:
            return Reply("yes", solved=True)
        return Reply(f"No {self.task.word}", reward=0.2 if self.dense and action in WORDS else 0.0)

    def oracle(self) -> str:
        return self.task.word

    def rationale(self) -> str:
        return "\n".join([self.task.word] * 4)

    def sample_action(self, rng: np.random.Generator) -> str:
        return WORDS[int(rng.integers(4))]


def config(out: Path, **changes: object) -> TrainConfig:
    base = {
        "env": "tests/Repeat-v0",
        "out": str(out),
        "warm_steps": 20,
        "warm_skill": 0.0,
        "steps": 4,
        "groups_per_step": 6,
        "group_size": 4,
        "minibatches": 2,
        "max_new_tokens": 4,
        "optimizer": "muon",
        "lr": 2e-3,
        "warmup": 1,
        "eval_tasks": 16,
        "sample_every": 2,
        "trackers": (),
    }
    return TrainConfig.of(base).changed(changes)


def weights(run: Run) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in run.policy.model.parameters()])


def metrics(folder: Path, kind: str, key: str) -> list[float]:
    return [r[key] for r in read_metrics(folder, kind)]


@register("tests/RepeatKnown-v0")
class RepeatKnown(Repeat):
    """The word is known to be the answer, though there are two turns."""

    max_turns: int = 2

    def reference(self) -> str:
        return self.task.word


@register("tests/Dear-v0")
class Dear(Repeat):
    """A wrong word costs something, in shaping."""

    def respond(self, action: str) -> Reply:
        reply = super().respond(action)
        return reply if reply.solved else reply._replace(shaping=-0.5)


@register("tests/Think-v0")
class Think(Repeat):
    """One answer: any word, then the right one in a tag."""

    max_turns: int = 1

    def respond(self, action: str) -> Reply:
        return Reply("no", done=True, solved=action.endswith(f"<answer>{self.task.word}"))

    def oracle(self) -> str:
        return f"{self.task.word}<answer>{self.task.word}"

    def sample_action(self, rng: np.random.Generator) -> str:
        return f"{WORDS[int(rng.integers(4))]}<answer>{WORDS[int(rng.integers(4))]}"


@register("tests/Luck-v0")
class Luck(Repeat):
    """Paid for the first two words, whatever is said: the prompt alone tells the return."""

    def respond(self, action: str) -> Reply:
        return Reply("", done=True, solved=self.task.word in WORDS[:2])


KNOWN = {"env": "tests/RepeatKnown-v0"}
THINK = {"env": "tests/Think-v0", "warm_skill": 0.5, "warm_steps": 50, "max_new_tokens": 12}


def small(out, **changes):
    base = {"groups_per_step": 4, "group_size": 3, "eval_tasks": 0}
    return config(out, **{**base, **changes})


def start(cfg):
    with quick():
        return module.start(cfg, resume=False, quiet=True)


def train(cfg, **options):
    with quick():
        return module.train(cfg, **{"quiet": True, **options})


def quick():
    """No curve is drawn, and equal warm starts are made once."""
    stack = ExitStack()
    stack.enter_context(patch.object(module, "clone_teacher", _cloned))
    stack.enter_context(patch.object(module, "draw_curve", lambda folder: None))
    return stack


_WARM: dict[Any, Any] = {}


def _cloned(cfg, policy, renderer, envs, progress):
    settings = (cfg.targets, cfg.env, cfg.model, cfg.optim.name, cfg.optim.token_budget, cfg.run.seed, cfg.warm_start)
    key = str((*settings, policy.temperature, cfg.rollout.system))
    if key not in _WARM:
        losses = clone_teacher(cfg, policy, renderer, envs, progress)
        _WARM[key] = losses, copy.deepcopy(policy.model.state_dict())
    losses, state = _WARM[key]
    policy.model.load_state_dict(state)
    return losses


def measured(run, batch):
    """The arrays of a batch."""
    return Arrays(batch, module.partial(run.measures, module.partial(module.per_token, run)))


def begun(tmp_path, **changes):
    """A run after its warm start, the groups of its first step, and their arrays."""
    run = start(small(tmp_path, **changes))
    batch = module.choose(run, run.source.take(run.curriculum, 0))
    return run, batch.groups, measured(run, batch)


def logps_of(run, context, answer):
    """Log-probabilities of some tokens behind others, without any batch."""
    with torch.no_grad():
        logits = run.policy.model(input_ids=torch.tensor([[*context, *answer]])).logits[0].float()
    return logits.log_softmax(-1)[range(len(context) - 1, len(context) + len(answer) - 1), answer].numpy()


def assert_resumes(tmp_path, **changes):
    whole = train(small(tmp_path / "a", **changes))
    cfg = small(tmp_path / "b", **changes)
    train(cfg, stop_after=2)
    parts = train(cfg, resume=True)
    assert max(metrics(whole.folder, "train", "grad_norm")[2:]) > 0
    assert torch.equal(weights(whole), weights(parts))
    assert (whole.folder / "metrics.jsonl").read_bytes() == (parts.folder / "metrics.jsonl").read_bytes()
    assert max(metrics(whole.folder, "train", "logp_gap")) < 1e-5
    return whole, parts
