"""The policy: a causal language model, log-probabilities of the sampled tokens, and its optimiser.

Legend: B rows, T tokens of the longest, H hidden width, V vocabulary, N sampled tokens of a micro-batch.
"""

import copy
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint
from transformers.utils import logging

from turnwise.baselines.trainer.batch import MicroBatch, Row, make_micro_batch
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.model.lora import (
    adapter_off,
    adapter_state,
    add_adapter,
    has_adapter,
    merged,
    save_adapter,
)
from turnwise.baselines.trainer.model.norms import fuse_norms
from turnwise.baselines.trainer.model.packed import attends_packed
from turnwise.baselines.trainer.model.parallel import Parallel
from turnwise.baselines.trainer.model.tiny import tiny_model, tiny_tokenizer
from turnwise.core.errors import SettingsError, TurnwiseError
from turnwise.engine.kv import require_full_attention

__all__ = ["Entropy", "Optimizer", "Policy", "device_of", "hidden_states", "learning_rate_factor", "load_policy"]

CHUNK = 2**26
"""Logits held at once (256 MB in fp32): [N, V] is cut into pieces of at most this size."""
MUON_DECAY = 0.1  # keeps the matrices small, and with them the rounding of log-probabilities in fp32
MUON_RATIO = 5.0
"""Muon's learning rate over AdamW's: its updates are orthogonal matrices, not signs."""


Entropy = bool | Literal["gradient"]
"""Whether to compute entropies, and whether they carry a gradient."""


class Policy:
    """A model with everything needed to train it on micro-batches.

    The model stays in evaluation mode, so that the probabilities in the loss are those that the sampler used
    (dropout would make them others).
    """

    parallel = Parallel()
    """The ranks that share the model; this one alone unless ``shard`` is called."""

    def __init__(self, model: Any, tokenizer: Any, *, temperature: float = 1.0) -> None:
        self.model = model.eval()
        fuse_norms(model)
        self.tokenizer = tokenizer
        self.temperature = temperature
        self.device = next(model.parameters()).device
        self._check_head()
        self.shares_prefixes = _packs(model.base_model)

    def shard(self, parallel: Parallel, compute: torch.dtype) -> None:
        """Split the weights over the ranks; ``compute`` is the data type that passes are made in."""
        if has_adapter(self.model):
            raise SettingsError("shard: a model with an adapter is small enough to be whole on every rank")
        self.parallel = parallel
        parallel.shard(self.model, compute)

    def logps(self, batch: MicroBatch, *, entropy: Entropy = True) -> tuple[Tensor, Tensor]:
        """Compute the log-probability of each sampled token and the entropy of its distribution; both (N,) in fp32.

        Only positions that predict a sampled token reach the output layer, in pieces that are recomputed in the
        backward pass: nothing of size B x T x V ever exists. The entropy carries a gradient if it is "gradient",
        and is zero if it is False.
        """
        return self.parallel.call(self.model, self._logps, batch, entropy)

    def _logps(self, batch: MicroBatch, entropy: Entropy) -> tuple[Tensor, Tensor]:
        picked = hidden_states(self.model.base_model, batch).flatten(0, 1).index_select(0, batch.source)  # (N, H)
        size = max(1, CHUNK // self.model.config.get_text_config().vocab_size)
        if len(picked) <= size:
            return self._head(picked, batch.targets, entropy)
        pieces = [
            checkpoint(self._head, part, targets, entropy, use_reentrant=False)
            if torch.is_grad_enabled()
            else self._head(part, targets, entropy)
            for part, targets in zip(torch.split(picked, size), torch.split(batch.targets, size), strict=True)
        ]
        return torch.cat([p[0] for p in pieces]), torch.cat([p[1] for p in pieces])

    @property
    def num_parameters(self) -> int:
        """The number of weights of the model, including the adapter's."""
        return sum(weight.numel() for weight in self.model.parameters())

    def reference(self) -> "Policy":
        """Return the present policy, frozen: a copy, or under LoRA the same model with its adapter off."""
        if has_adapter(self.model):
            return _WithoutAdapter(self.model, self.tokenizer, temperature=self.temperature)
        twin = Policy(copy.deepcopy(self.model), self.tokenizer, temperature=self.temperature)
        twin.model.requires_grad_(False)
        return twin

    def state_dict(self) -> dict[str, Tensor]:
        """Return the weights; under LoRA those of the adapter."""
        return adapter_state(self.model) if has_adapter(self.model) else self.model.state_dict()

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        """Restore the state that ``state_dict`` returned."""
        if self.parallel.size > 1:
            self.parallel.load_model(self.model, state)
            return
        missing, unknown = self.model.load_state_dict(state, strict=False)
        if unknown or set(missing) & set(self.state_dict()):
            raise SettingsError(f"these are weights of another model: {missing[:3]} missing, {unknown[:3]} unknown")

    def save(self, folder: Path) -> None:
        """Write model and tokenizer so that transformers can load them from ``folder``.

        Under LoRA the model is written with the adapter merged into it, and the adapter to ``folder``/adapter. Where
        the model is sharded all ranks take part, and the first one writes.
        """
        state = self.parallel.full_state(self.model.state_dict()) if self.parallel.size > 1 else None
        if not self.parallel.is_main:
            return
        if state is not None and self.model.config.get_text_config().tie_word_embeddings:
            state.pop("lm_head.weight", None)  # the embeddings again
        shown = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()
        try:
            if has_adapter(self.model):
                save_adapter(self.model, folder / "adapter")
                merged(self.model).save_pretrained(folder)
            else:
                self.model.save_pretrained(folder, state_dict=state)
            self.tokenizer.save_pretrained(folder)
        finally:
            if shown:
                logging.enable_progress_bar()

    def _head(self, hidden: Tensor, targets: Tensor, entropy: Entropy) -> tuple[Tensor, Tensor]:
        """Apply output layer and softmax at some positions: hidden (n, H), targets (n,)."""
        logits = self.model.get_output_embeddings()(hidden).float()  # (n, V)
        if self.temperature != 1.0:
            logits = logits / self.temperature
        found: tuple[Tensor, Tensor] = _LogSoftmax.apply(logits, targets, bool(entropy))  # type: ignore[no-untyped-call]
        logps, entropies = found
        return logps, entropies if entropy == "gradient" else entropies.detach()

    @torch.no_grad()
    def _check_head(self) -> None:
        """Raise for models whose logits are more than the output layer applied to the last hidden state."""
        probe = torch.arange(1, 5, device=self.device)[None]
        whole = self.model(input_ids=probe, use_cache=False).logits.float()
        hidden = self.model.base_model(input_ids=probe, use_cache=False).last_hidden_state
        ours = self.model.get_output_embeddings()(hidden).float()
        if not torch.allclose(whole, ours, rtol=1e-3, atol=1e-3):
            raise SettingsError(
                f"{type(self.model).__name__} changes its logits after the output layer (soft-capping or scaling),"
                " which this trainer does not apply"
            )


class _WithoutAdapter(Policy):
    """The base model of a policy with an adapter, as its reference."""

    def logps(self, batch: MicroBatch, *, entropy: Entropy = True) -> tuple[Tensor, Tensor]:
        with torch.no_grad(), adapter_off(self.model):
            return super().logps(batch, entropy=entropy)

    def state_dict(self) -> dict[str, Tensor]:
        """Return an empty state: the base model does not change."""
        return {}


class _LogSoftmax(torch.autograd.Function):
    """Log-probabilities of some tokens and entropies, both (n,), from logits (n, V); only p is kept for the gradient.

    d log p_t / d logit_i = [i = t] - p_i, and d H / d logit_i = -p_i (log p_i + H). A third faster on a CPU than
    autograd with the same formulas.
    """

    @staticmethod
    def forward(ctx: Any, logits: Tensor, targets: Tensor, entropy: bool) -> tuple[Tensor, Tensor]:
        table = logits.log_softmax(dim=-1)
        logps = table.gather(1, targets[:, None]).squeeze(1)
        probs = table.exp()
        entropies = -table.mul_(probs).sum(dim=-1) if entropy else torch.zeros_like(logps)
        ctx.save_for_backward(probs, targets, entropies)
        ctx.set_materialize_grads(False)
        return logps, entropies

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, None, None]:
        probs, targets, entropies = ctx.saved_tensors
        of_logps, of_entropies = (None if grad is None else grad[:, None] for grad in grads)
        out: Tensor | None = None
        if of_logps is not None:
            out = (probs * -of_logps).scatter_add_(1, targets[:, None], of_logps)
        if of_entropies is not None:
            bonus = (torch.xlogy(probs, probs) + probs * entropies[:, None]) * -of_entropies
            out = bonus if out is None else out + bonus
        return out, None, None


def hidden_states(backbone: Any, batch: MicroBatch) -> Tensor:
    """Return the last hidden states of a transformers model without its output layer: [B, T, H], packed [1, L, H]."""
    packing = batch.packing
    if packing is None:
        return cast(Tensor, backbone(input_ids=batch.ids, use_cache=False).last_hidden_state)
    with attends_packed(backbone.config):
        out = backbone(input_ids=batch.ids, position_ids=packing.positions, use_cache=False, packing=packing)
    return cast(Tensor, out.last_hidden_state)


class Optimizer:
    """AdamW, or Muon for the hidden matrices with AdamW for the rest, on fp32 copies of bf16 weights.

    ``backward`` adds to the gradients, so an update may be any number of micro-batches.

    Source: Muon, Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/; AdamW, arXiv:1711.05101.
    """

    def __init__(self, model: Any, kind: str, *, max_grad_norm: float, parallel: Parallel | None = None) -> None:
        self._parallel = Parallel() if parallel is None else parallel
        named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
        self._weights: list[nn.Parameter] = [p for _, p in named]
        self._masters: list[nn.Parameter] = [
            p if p.dtype == torch.float32 else nn.Parameter(p.detach().float()) for p in self._weights
        ]
        self._max_grad_norm = max_grad_norm
        hidden = _hidden_matrices(model) if kind == "muon" else set()
        matrices = [m for (n, _), m in zip(named, self._masters, strict=True) if n in hidden]
        rest = [m for (n, _), m in zip(named, self._masters, strict=True) if n not in hidden]
        self._parts: list[tuple[torch.optim.Optimizer, float]] = []
        if rest:
            self._parts.append((torch.optim.AdamW(rest, lr=0.0, betas=(0.9, 0.95), weight_decay=0.0, fused=True), 1.0))
        if matrices:
            muon = torch.optim.Muon(matrices, lr=0.0, weight_decay=MUON_DECAY, momentum=0.95)
            self._parts.append((muon, MUON_RATIO))

    def backward(self, loss: Tensor) -> None:
        """Add the gradient of ``loss``; in fp32, whatever the weights are."""
        loss.backward()  # type: ignore[no-untyped-call]
        for weight, master in zip(self._weights, self._masters, strict=True):
            if master is not weight and weight.grad is not None:
                grad = weight.grad.float()
                master.grad = grad if master.grad is None else master.grad.add_(grad)
                weight.grad = None

    def step(self, lr: float) -> float:
        """Clip the gradients, update, and clear them; return the norm before clipping."""
        norm = float(self._parallel.clip_gradients(self._masters, self._max_grad_norm))
        if not norm < float("inf"):
            raise TurnwiseError(f"the gradient norm is {norm}: the run has diverged; lower lr (now {lr:g})")
        for part, ratio in self._parts:
            for group in part.param_groups:
                group["lr"] = lr * ratio
            part.step()
            part.zero_grad(set_to_none=True)
        pairs = [(w, m) for w, m in zip(self._weights, self._masters, strict=True) if m is not w]
        if pairs:
            with torch.no_grad():
                torch._foreach_copy_([w for w, _ in pairs], [m for _, m in pairs])
        return norm

    def state_dict(self) -> dict[str, Any]:
        """Return the moments, and the fp32 weights if the model's are not fp32."""
        own = [m for w, m in zip(self._weights, self._masters, strict=True) if m is not w]
        return {"parts": [p.state_dict() for p, _ in self._parts], "masters": [m.detach() for m in own]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state that ``state_dict`` returned."""
        for (part, _), saved in zip(self._parts, state["parts"], strict=True):
            self._parallel.load_optimizer(part, saved)
        own = [m for w, m in zip(self._weights, self._masters, strict=True) if m is not w]
        with torch.no_grad():
            for master, values in zip(own, state["masters"], strict=True):
                master.copy_(values)


def learning_rate_factor(step: int, steps: int, warmup: int) -> float:
    """Return the share of the peak learning rate at ``step``: linear up over ``warmup``, then down to a tenth."""
    if step < warmup:
        return (step + 1) / (warmup + 1)
    left = (steps - 1 - step) / max(1, steps - 1 - warmup)
    return 0.1 + 0.9 * max(0.0, left)


def device_of(cfg: TrainConfig) -> str:
    """Return the device of a run: "cpu" or "cuda"."""
    if cfg.model.device != "auto":
        return cfg.model.device
    return "cuda" if torch.cuda.is_available() and cfg.model.name != "tiny" else "cpu"


def load_policy(cfg: TrainConfig, texts: Sequence[str], device: torch.device | str = "cpu") -> Policy:
    """Load the policy that ``cfg`` names; the vocabulary of the tiny model is made from ``texts``."""
    dtype = (
        torch.bfloat16 if cfg.model.dtype == "bf16" and not cfg.model.shard else torch.float32
    )  # shards are the fp32 copies
    if cfg.model.name == "tiny":
        tokenizer: Any = tiny_tokenizer(texts)
        model: Any = tiny_model(tokenizer, cfg.run.seed).to(dtype)
    else:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(cfg.model.name)
        model = AutoModelForCausalLM.from_pretrained(cfg.model.name, dtype=dtype)
    if cfg.model.lora is not None:
        add_adapter(model, cfg.model.lora, seed=cfg.run.seed)
    if cfg.model.gradient_checkpointing:
        _checkpoint_layers(model)
    return Policy(model.to(device), tokenizer, temperature=cfg.rollout.temperature)


def _hidden_matrices(model: Any) -> set[str]:
    """Return the names of the matrices between embedding and output layer."""
    ends = {id(model.get_input_embeddings().weight), id(model.get_output_embeddings().weight)}
    return {n for n, p in model.named_parameters() if p.ndim == 2 and id(p) not in ends}


@torch.no_grad()
def _packs(backbone: Any) -> bool:
    """Return whether the model computes the same from packed rows: full attention, through transformers' interface."""
    config = backbone.config.get_text_config()
    try:
        require_full_attention(backbone, config.max_position_embeddings)
    except SettingsError:
        return False
    none = np.zeros(1, dtype=np.float32)
    rows = [Row(np.array([1, 2, 3, *end]), np.array([4]), none, none, np.array([0])) for end in ([1, 2], [2, 1, 3])]
    batches = [make_micro_batch(rows, backbone.device, share=share) for share in (False, True)]
    try:
        plain, packed = (hidden_states(backbone, b).flatten(0, 1)[b.source].float() for b in batches)
    except (TypeError, ValueError):  # it does not pass its keyword arguments on to attention
        return False
    return torch.allclose(plain, packed, rtol=1e-2, atol=1e-2 * float(plain.abs().max()))


def _checkpoint_layers(model: Any) -> None:
    """Recompute each decoder layer in the backward pass.

    transformers' own switch works in training mode only, which would also turn on dropout.
    """
    layers = getattr(model.base_model, "layers", None)
    if layers is None:
        raise SettingsError(f"gradient_checkpointing: {type(model).__name__} keeps its layers elsewhere")
    for layer in layers:
        layer.packing_config = model.config
        plain = type(layer)
        # a subclass of the same name, so that copies of the layer (the reference, the critic) recompute their own
        layer.__class__ = type(plain.__name__, (plain,), {"forward": _recomputed, "plain": plain})


def _recomputed(self: Any, *args: Any, **kwargs: Any) -> Any:
    def again(*args: Any, **kwargs: Any) -> Any:
        """Set attention as in ``hidden_states``, which has long returned when the backward pass runs this."""
        with attends_packed(self.packing_config) if "packing" in kwargs else nullcontext():
            return self.plain.forward(self, *args, **kwargs)

    if not torch.is_grad_enabled() or any(kwargs.get(name) is not None for name in ("cache", "past_key_values")):
        return self.plain.forward(self, *args, **kwargs)
    return checkpoint(again, *args, use_reentrant=False, **kwargs)
