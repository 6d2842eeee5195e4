"""The forward pass of Llama-shaped models, without what transformers does around it.

One token for each of many rows is so little work in a small model, and so little for a GPU in any, that most of the
time goes into masks, caches, keyword arguments and kernels of one line each. This runs the model's own weights with
nothing in between. `lean_forward` compares it with the model and is not used if they
differ.

Shapes: B rows, Q new tokens, L attended positions, H query heads, K key heads, G = H / K, D width of a head.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from turnwise.engine.slots import Siblings, SlotCache

__all__ = ["Forward", "LeanForward", "lean_forward"]

Forward = Callable[[Tensor, Tensor, Tensor, Any], Tensor]
"""(ids [B, Q], positions [B, Q], additive mask [B, 1, Q, L], cache) -> logits [B, V] after the last column.

The cache is a `SlotCache`, or for `LeanForward` `Siblings`.
"""

ARCHITECTURES = ("LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM")
ROPES = ("default", "linear", "llama3", "yarn")  # the kinds that do not depend on the length of the row
FEW = 2**22
"""Most weights that are copied side by side into one matrix."""


class LeanForward:
    """A `Forward` for the models in ``ARCHITECTURES``; positions up to ``max_len``, that one included."""

    def __init__(self, model: Any, max_len: int) -> None:
        base, weight = model.model, model.model.embed_tokens.weight
        cos, sin = base.rotary_emb(weight[:1], torch.arange(max_len + 1, device=weight.device)[None])
        half = cos.shape[-1] // 2
        self._cos = cos[0, :, None]  # [P, 1, D]
        self._sin = torch.cat([-sin[0, :, None, :half], sin[0, :, None, half:]], -1)  # for the exchanged halves
        self._model = model
        self._layers: list[_Layer] = []
        self._head: _Maps | None = None

    def refresh(self) -> None:
        """Read the weights again after they have changed."""
        self._layers, self._head = [], None

    def __call__(self, ids: Tensor, positions: Tensor, mask: Tensor, cache: SlotCache | Siblings) -> Tensor:
        """Return the logits; siblings [G, n] count as G * n rows: [G * n, V]."""
        if self._head is None:
            self._layers = [_Layer(layer) for layer in self._model.model.layers]
            self._head = _Maps(self._model.model.norm, self._model.lm_head)
        hidden = self._model.model.embed_tokens(ids)
        cos, sin = self._cos[positions], self._sin[positions]  # [B, Q, 1, D]
        groups = self._layers[0].groups
        if groups > 1 and mask.shape[2] > 1:
            mask = mask.repeat(1, 1, groups, 1)
        for number, layer in enumerate(self._layers):
            hidden = layer(hidden, cos, sin, mask, cache, number)
        return self._head(hidden.flatten(0, 1) if isinstance(cache, Siblings) else hidden[:, -1])


class _Layer:
    """A decoder layer; rebuilt when the weights change."""

    def __init__(self, layer: Any) -> None:
        attention, self._mlp = layer.self_attn, layer.mlp
        self._width, self._scale, self.groups = attention.head_dim, attention.scaling, attention.num_key_value_groups
        self._qkv = _Maps(layer.input_layernorm, attention.q_proj, attention.k_proj, attention.v_proj)
        self._gates = _Maps(layer.post_attention_layernorm, layer.mlp.gate_proj, layer.mlp.up_proj)
        self._out, self._down = attention.o_proj, layer.mlp.down_proj
        self._keys = attention.k_proj.out_features // self._width
        self._norm: _Norm | None = None
        if hasattr(attention, "q_norm"):
            query, key = attention.q_norm.weight, attention.k_norm.weight
            weights = torch.cat([query.expand(self._keys * self.groups, -1), key.expand(self._keys, -1)])  # [H + K, D]
            self._norm = _Norm(weights, attention.q_norm.variance_epsilon)

    def __call__(
        self, hidden: Tensor, cos: Tensor, sin: Tensor, mask: Tensor, cache: SlotCache | Siblings, number: int
    ) -> Tensor:
        rows, new, _ = hidden.shape
        x = self._qkv(hidden).view(rows, new, -1, self._width)  # [B, Q, H + K + K, D]
        qk, v = x[:, :, : -self._keys], x[:, :, -self._keys :]
        if self._norm is not None:
            qk = self._norm.unit(qk).mul_(self._norm.weight)
        qk = torch.addcmul(qk * cos, qk.roll(self._width // 2, -1), sin)  # rotary embedding
        q, k = qk[:, :, : -self._keys], qk[:, :, -self._keys :]
        keys, values = cache.update(k.transpose(1, 2), v.transpose(1, 2), number)
        hidden = _add(hidden, self._out, _attend(q, keys, values, mask, self._scale))
        gate, up = self._gates(hidden).chunk(2, -1)
        return _add(hidden, self._down, self._mlp.act_fn(gate).mul_(up))


class _Maps:
    """Linear maps of a normed vector, side by side.

    Small weights are stored as one matrix that includes the norm's: the cost is in the number of calls.
    """

    def __init__(self, norm: Any, *maps: Any) -> None:
        self._norm, self._maps = _Norm(norm.weight, norm.variance_epsilon), maps
        self._matrix: Tensor | None = None
        if all(map(_is_plain, maps)) and sum(m.weight.numel() for m in maps) <= FEW:
            self._matrix = torch.cat([m.weight for m in maps]).t() * self._norm.weight[:, None]
            biases = [m.weight.new_zeros(len(m.weight)) if m.bias is None else m.bias for m in maps]
            self._bias = torch.cat(biases) if any(m.bias is not None for m in maps) else None

    def __call__(self, x: Tensor) -> Tensor:
        x = self._norm.unit(x)
        if self._matrix is None:
            x = x * self._norm.weight
            return self._maps[0](x) if len(self._maps) == 1 else torch.cat([m(x) for m in self._maps], -1)
        flat = x.view(-1, x.shape[-1])
        out = flat @ self._matrix if self._bias is None else torch.addmm(self._bias, flat, self._matrix)
        return out.view(*x.shape[:-1], -1)


def lean_forward(model: Any, max_len: int) -> LeanForward | None:
    """Return a `LeanForward` for ``model``, or None if it is not known to compute the same."""
    config = model.config.get_text_config()
    rope = (getattr(config, "rope_parameters", None) or {}).get("rope_type", "default")
    if type(model).__name__ not in ARCHITECTURES or rope not in ROPES:
        return None
    lean = LeanForward(model, max_len)
    ids = torch.arange(1, 15, device=model.device).view(2, 7) % config.vocab_size
    with torch.no_grad():
        expected = model(input_ids=ids, use_cache=False).logits[:, -1].float()
        cache = SlotCache(2, 8)
        for part in (slice(0, 5), slice(5, 7)):  # the second part reads the cache
            at = torch.arange(part.start, part.stop, device=model.device).expand(2, -1)
            cache.aim(0, at, 8)
            got = lean(ids[:, part], at, causal_mask(at, 8, model.dtype), cache).float()
    size = float(expected.abs().max())
    allowed = 1e-5 * max(1.0, size) if model.dtype == torch.float32 else 0.1 * size
    lean.refresh()
    return lean if float((got - expected).abs().max()) <= allowed else None


def causal_mask(positions: Tensor, span: int, dtype: torch.dtype) -> Tensor:
    """Return the mask added to attention scores [B, 1, Q, span]: 0 up to the token's own position, -inf after it."""
    later = torch.arange(span, device=positions.device) > positions[:, None, :, None]
    return torch.zeros(later.shape, dtype=dtype, device=positions.device).masked_fill_(later, -torch.inf)


class _Norm:
    """RMSNorm in two parts: ``unit``, which does not depend on the weights, then the product with ``weight``."""

    def __init__(self, weight: Tensor, eps: float) -> None:
        self._width, self._eps = weight.shape[-1], eps
        self._short = weight.dtype == torch.float32  # fewer kernels than rms_norm, but for fp32 only
        self._least = weight.new_tensor((self._width * eps) ** 0.5)
        self.weight = weight * self._width**0.5 if self._short else weight

    def unit(self, x: Tensor) -> Tensor:
        if not self._short:
            return F.rms_norm(x, (self._width,), None, self._eps)
        size: Tensor = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        return x / size.hypot_(self._least)


def _is_plain(linear: Any) -> bool:
    """Check whether a layer consists only of its fp32 matrix, in the CPU's memory."""
    weight = linear.weight
    return type(linear) is nn.Linear and weight.dtype == torch.float32 and weight.device.type == "cpu"


def _add(hidden: Tensor, linear: Any, x: Tensor) -> Tensor:
    """Compute ``hidden + linear(x)``."""
    if not _is_plain(linear) or linear.bias is not None:
        out: Tensor = hidden + linear(x)
        return out
    flat = torch.addmm(hidden.view(-1, hidden.shape[-1]), x.view(-1, x.shape[-1]), linear.weight.t())
    return flat.view(hidden.shape)


def _attend(q: Tensor, keys: Tensor, values: Tensor, mask: Tensor, scale: float) -> Tensor:
    """Attend with queries [B, Q, H, D] to keys and values [B, K, L, D] under a mask [B, 1, Q or G * Q, L].

    Returns [B, Q, H * D]. The queries that share a key head are laid out as consecutive positions, so that keys and
    values are neither repeated in memory nor left to a kernel without grouped heads.
    """
    rows, new, _, width = q.shape
    q = q.view(rows, new, keys.shape[1], -1, width).permute(0, 2, 3, 1, 4)  # [B, K, G, Q, D]
    out = F.scaled_dot_product_attention(q.flatten(2, 3), keys, values, attn_mask=mask, scale=scale)
    return out.view(q.shape).permute(0, 3, 1, 2, 4).reshape(rows, new, -1)
