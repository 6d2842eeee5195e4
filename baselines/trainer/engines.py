"""The engine that samples for a run, by its name in the settings."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from turnwise.baselines.trainer.config import TrainConfig
from turnwise.core.errors import SettingsError
from turnwise.engine.kv import KVEngine
from turnwise.engine.sampling import ReprefillEngine

__all__ = ["make_engine"]


def make_engine(cfg: TrainConfig, model: Any, save: Callable[[Path], None] | None = None) -> Any:
    """The sampler of a run on a model.

    Args:
        cfg: The run.
        model: Whose weights are sampled with.
        save: Writes model and tokenizer into a folder, for engines that read them from there.
    """
    max_len = model.config.get_text_config().max_position_embeddings
    rows = cfg.max_rows or cfg.groups_per_step * cfg.group_size
    if cfg.engine == "kv":
        return KVEngine(model, rows, max_len, prefill_tokens=cfg.token_budget)
    if cfg.engine == "reprefill":
        return ReprefillEngine(model, max_len, rows)
    from turnwise.engine.remote import FolderSync
    from turnwise.engine.vllm import VLLMServerEngine

    settings = dict(cfg.engine_settings)
    folder = settings.pop("folder", None)
    if folder is None or save is None:
        raise SettingsError("engine 'vllm' needs engine_settings 'folder': one that trainer and server both see")
    vocab_size = model.config.get_text_config().vocab_size
    sync = FolderSync(folder, save)
    return VLLMServerEngine(vocab_size=vocab_size, max_len=max_len, max_rows=rows, sync=sync, **settings)
