"""Create the engine that samples for a run, as the settings name it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.parts import Kv, Reprefill, Vllm
from turnwise.core.errors import SettingsError
from turnwise.engine.kv import KVEngine
from turnwise.engine.sampling import ReprefillEngine

__all__ = ["make_engine"]


def make_engine(cfg: TrainConfig, model: Any, save: Callable[[Path], None] | None = None) -> Any:
    """Create the sampler of a run on a model.

    Args:
        cfg: The run.
        model: The model that is sampled from.
        save: Writes model and tokenizer into a folder, for engines that read them from there.
    """
    max_len = model.config.get_text_config().max_position_embeddings
    rows = (cfg.rollout.max_rows or cfg.rollout.groups_per_step * cfg.rollout.group_size) * cfg.seats
    if isinstance(cfg.rollout.engine, Kv):
        return KVEngine(model, rows, max_len, prefill_tokens=cfg.optim.token_budget)
    if isinstance(cfg.rollout.engine, Reprefill):
        return ReprefillEngine(model, max_len, rows)
    from turnwise.engine.remote import FolderSync
    from turnwise.engine.vllm import VLLMServerEngine

    if not isinstance(cfg.rollout.engine, Vllm) or save is None:
        raise SettingsError(f"engine {cfg.rollout.engine.METHOD!r} cannot sample here")
    settings = {name: value for name, value in vars(cfg.rollout.engine).items() if name != "folder"}
    vocab_size = model.config.get_text_config().vocab_size
    sync = FolderSync(cfg.rollout.engine.folder, save)
    return VLLMServerEngine(vocab_size=vocab_size, max_len=max_len, max_rows=rows, sync=sync, **settings)
