"""Run many rows as one row of tokens, without padding, through an unmodified transformers model.

Everything a model does to a token alone (embedding, norms, projections, feed-forward) sees the L tokens once each,
shared prefixes included. Only attention needs to know the rows: it gathers those of similar length, attends within
each, and puts the results back.

Legend: L tokens of a micro-batch, B rows of a part, T the longest of them, S the longest of their prefixes, H heads,
D width of a head.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from transformers import AttentionInterface

__all__ = ["Packing", "Part", "attends_packed"]

NAME = "turnwise_packed"


@dataclass(frozen=True, eq=False)
class Part:
    """Rows of similar length, as indices of tokens. Gaps of shorter rows may point anywhere: nothing reads them."""

    queries: Tensor  # (B, T) int64
    keys: Tensor  # (B, S + T) int64: the tokens of a prefix before those of the row, or with S = 0 the queries
    mask: Tensor | None  # (B, 1, T, S + T) bool, True where a token may look; None: at itself and before


@dataclass(frozen=True, eq=False)
class Packing:
    """Where the rows are among the L tokens; every token is a query of one part."""

    positions: Tensor  # (1, L) int64, of each token in its row
    parts: list[Part]
    back: Tensor  # (L,) int64, where each token is in the results of all parts, B x T of one after the other


def attention(
    module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None, **kwargs: Any
) -> tuple[Tensor, None]:
    """Compute attention within the rows of ``kwargs["packing"]``: query, key and value [1, H, L, D] to [1, L, H, D]."""
    packing: Packing = kwargs["packing"]
    q, k, v = (x[0].transpose(0, 1) for x in (query, key, value))  # [L, H, D]

    found = []
    for part in packing.parts:
        out = F.scaled_dot_product_attention(
            _gather(q, part.queries), _gather(k, part.keys), _gather(v, part.keys), attn_mask=part.mask,
            is_causal=part.mask is None, scale=kwargs.get("scaling"), enable_gqa=q.shape[1] != k.shape[1],
        )  # fmt: skip
        found.append(out.transpose(1, 2).flatten(0, 1))  # [B * T, H, D]
    return torch.cat(found).index_select(0, packing.back)[None], None


def _gather(x: Tensor, index: Tensor) -> Tensor:
    """Gather [L, H, D] at the indices [B, T] into [B, H, T, D]."""
    return x.index_select(0, index.flatten()).view(*index.shape, *x.shape[1:]).transpose(1, 2)


@contextmanager
def attends_packed(config: Any) -> Iterator[None]:
    """Make the layers of a model with this config use ``attention`` inside the context; it needs a ``packing``."""
    text = config.get_text_config()
    before = text._attn_implementation
    text._attn_implementation = NAME
    try:
        yield
    finally:
        text._attn_implementation = before


AttentionInterface.register(NAME, attention)
