"""Low-rank adapters: a frozen model, with a trained product for each of its matrices W (out x in).

y = W x + (alpha / rank) B A x, with A (rank x in) random and B (out x rank) zero, so training starts from the model
as it is. With the adapter off, the same weights are the reference of a divergence penalty, and no copy is needed.

Source: Hu et al. 2021, LoRA, arXiv:2106.09685, section 4.1.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from turnwise.baselines.trainer.parts import Lora
from turnwise.core.errors import MissingDependencyError, SettingsError

__all__ = ["adapter_off", "adapter_state", "add_adapter", "has_adapter", "merged", "save_adapter"]

_NAME = "default"


def add_adapter(model: Any, settings: Lora, *, seed: int = 0) -> None:
    """Put an adapter on ``model``, in place, and freeze everything else.

    Args:
        model: a model of transformers.
        settings: its rank and scale, and which matrices get one.
        seed: seed of A; the global generators are left as they are.

    Raises:
        SettingsError: the model has no such matrices, or already has an adapter.
        MissingDependencyError: peft is not installed.
    """
    try:
        from peft import LoraConfig, inject_adapter_in_model
    except ImportError as error:
        raise MissingDependencyError.of("peft", "lora") from error
    if has_adapter(model):
        raise SettingsError("this model has an adapter")
    targets = settings.targets
    names = targets if isinstance(targets, str) else list(targets)
    config = LoraConfig(r=settings.rank, lora_alpha=settings.alpha, target_modules=names, lora_dropout=0.0, bias="none")
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        try:
            inject_adapter_in_model(config, model, _NAME)  # transformers' own method asks for versions of peft to come
        except ValueError as error:
            raise SettingsError(f"lora targets {targets!r}: {error}") from error
    for layer in _layers(model):
        layer.requires_grad_(True).get_base_layer().requires_grad_(False)
    model.eval()


def has_adapter(model: Any) -> bool:
    """Return whether the model has an adapter from ``add_adapter``."""
    return hasattr(model, "peft_config")


@contextmanager
def adapter_off(model: Any) -> Iterator[None]:
    """Switch the adapter off inside the context: the model computes what it did without it."""
    layers = _layers(model)
    for layer in layers:
        layer._disable_adapters = True  # peft's own switch would also take the gradients' flags
    try:
        yield
    finally:
        for layer in layers:
            layer._disable_adapters = False


def adapter_state(model: nn.Module) -> dict[str, Tensor]:
    """Return the weights of the adapter, by their names in the model."""
    return {name: weight for name, weight in model.state_dict().items() if ".lora_" in name}


def save_adapter(model: Any, folder: Path) -> None:
    """Write the adapter and its settings as peft reads them."""
    from peft import get_peft_model_state_dict
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    weights = get_peft_model_state_dict(model, adapter_name=_NAME)
    weights = {f"base_model.model.{name}": weight.contiguous() for name, weight in weights.items()}
    save_file(weights, folder / "adapter_model.safetensors", metadata={"format": "pt"})
    model.peft_config[_NAME].save_pretrained(str(folder))


def merged(model: Any) -> Any:
    """Return a copy of the model with W + (alpha / rank) B A in place of W, and no adapter."""
    twin = copy.deepcopy(model)
    for name, layer in list(twin.named_modules()):
        if hasattr(layer, "lora_A"):
            layer.merge(safe_merge=True)
            twin.set_submodule(name, layer.get_base_layer())
    del twin.peft_config
    return twin.requires_grad_(True)


def _layers(model: nn.Module) -> list[Any]:
    return [layer for layer in model.modules() if hasattr(layer, "lora_A")]
