"""Export the model of an unfinished run from its last checkpoint."""

from pathlib import Path

from turnwise.baselines.trainer.collect import vocabulary_texts
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.model.policy import load_policy
from turnwise.baselines.trainer.run.checkpoint import load_checkpoint
from turnwise.core.errors import SettingsError

__all__ = ["export"]


def export(cfg: TrainConfig, out: Path) -> int:
    """Write model and tokenizer of the checkpoint in ``cfg.run.out`` into ``out``; return its number of steps.

    Raises:
        SettingsError: There is no checkpoint.
    """
    saved = load_checkpoint(Path(cfg.run.out))
    if saved is None:
        raise SettingsError(
            f"{cfg.run.out} holds no checkpoint: a run writes one every save_every steps, when it is interrupted and at"
            " its end"
        )
    policy = load_policy(cfg, vocabulary_texts(cfg) if cfg.model.name == "tiny" else ())
    policy.load_state_dict(saved.parts["model"])
    policy.save(out)
    return saved.step
