"""Merge trained models into one: the weighted mean of their weights.

Source: model soups, Wortsman et al. 2022, arXiv:2203.05482; between rounds of training on groups of games,
Divide-Fuse-Conquer, arXiv:2505.16401.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from turnwise.agents.folder import model_folder
from turnwise.core.errors import SettingsError

__all__ = ["merge"]


@torch.no_grad()
def merge(models: Sequence[str], weights: Sequence[float], out: Path) -> None:
    """Write the mean of some models into a folder.

    Args:
        models: Folders of runs or of models, or names on the hub; all of one architecture and vocabulary.
        weights: Of each model; they are divided by their sum.
        out: The folder.

    Raises:
        SettingsError: The models cannot be added up.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    if len(models) != len(weights) or len(models) < 2:
        raise SettingsError(f"there are {len(models)} models and {len(weights)} weights; give 2 or more, a weight each")
    if min(weights) < 0 or sum(weights) <= 0:
        raise SettingsError(f"weights is {list(weights)}; they must be 0 or more, and not all 0")
    folders = [model_folder(name) for name in models]
    tokenizers = [AutoTokenizer.from_pretrained(folder) for folder in folders]
    merged: Any = AutoModelForCausalLM.from_pretrained(folders[0])
    sums = {name: value.double() * (weights[0] / sum(weights)) for name, value in merged.state_dict().items()}
    for folder, tokenizer, weight in zip(folders[1:], tokenizers[1:], weights[1:], strict=True):
        if tokenizer.get_vocab() != tokenizers[0].get_vocab():
            raise SettingsError(
                f"{folder} has another vocabulary than {folders[0]}: the models must come from the same one, as by "
                "`turnwise train --model FOLDER`"
            )
        theirs = AutoModelForCausalLM.from_pretrained(folder).state_dict()
        if {name: value.shape for name, value in theirs.items()} != {name: v.shape for name, v in sums.items()}:
            raise SettingsError(f"{folder} has weights of other names or shapes than {folders[0]}")
        for name, value in theirs.items():
            sums[name] += value.double() * (weight / sum(weights))
    for name, value in merged.state_dict().items():
        value.copy_(sums[name])
    merged.save_pretrained(out)
    tokenizers[0].save_pretrained(out)
