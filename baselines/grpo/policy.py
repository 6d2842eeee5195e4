"""The policy: a causal language model, log-probabilities of the sampled tokens, and its optimiser.

Legend: B rows, T tokens of the longest, H hidden width, V vocabulary, N sampled tokens of a micro-batch.
"""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint
from transformers import DynamicCache
from transformers.utils import logging

from turnwise.agents.kv import require_full_attention
from turnwise.baselines.grpo.batch import MicroBatch
from turnwise.baselines.grpo.config import TrainConfig
from turnwise.baselines.grpo.tiny import tiny_model, tiny_tokenizer
from turnwise.errors import SettingsError, TurnwiseError

__all__ = ["Optimizer", "Policy", "learning_rate_factor", "load_policy"]

CHUNK = 2**26
"""Logits held at once (256 MB in fp32): [N, V] is cut into pieces of at most this size."""
MUON_DECAY = 0.1  # keeps the matrices small, and with them the rounding of log-probabilities in fp32
MUON_RATIO = 5.0
"""Muon's learning rate over AdamW's: its updates are orthogonal matrices, not signs."""


class Policy:
    """A model with everything needed to train it on micro-batches.

    The model stays in evaluation mode, so that the probabilities in the loss are those that the sampler used
    (dropout would make them others).
    """

    def __init__(self, model: Any, tokenizer: Any, *, temperature: float = 1.0) -> None:
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.temperature = temperature
        self.device = next(model.parameters()).device
        self._check_head()
        self.shares_prefixes = _can_share(model)

    def logps(self, batch: MicroBatch, *, entropy: bool = True) -> tuple[Tensor, Tensor]:
        """Log-probability of each sampled token, and the entropy it was sampled at; both (N,) in fp32.

        Only positions that predict a sampled token reach the output layer, in pieces that are recomputed in the
        backward pass: nothing of size B x T x V ever exists. The entropy carries no gradient.
        """
        hidden = self._hidden(batch)  # (B, T, H)
        picked = hidden.flatten(0, 1).index_select(0, batch.source)  # (N, H)
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

    def _hidden(self, batch: MicroBatch) -> Tensor:
        """Last hidden states of the rows.

        Shared prefixes are read once; every row that goes on from one attends to its keys and values, and sends them
        its gradient.
        """
        if batch.prefixes is None:
            states: Tensor = self.model.base_model(input_ids=batch.ids, use_cache=False).last_hidden_state
            return states
        shared = batch.prefixes
        cache = DynamicCache(config=self.model.config)
        self.model.base_model(input_ids=shared.ids, past_key_values=cache, use_cache=True)
        for layer in cache.layers:
            layer.keys = layer.keys.index_select(0, shared.of_row)
            layer.values = layer.values.index_select(0, shared.of_row)
        lengths = shared.lengths[shared.of_row][:, None]  # (B, 1)
        own = torch.arange(batch.ids.shape[1], device=self.device)  # (T,)
        seen = torch.arange(shared.ids.shape[1], device=self.device)[None] < lengths  # (B, S), no padding
        mask = torch.cat(
            [
                seen[:, None].expand(-1, len(own), -1),
                (own[:, None] >= own[None]).expand(len(seen), -1, -1),
            ],
            dim=-1,
        )  # (B, T, S + T), True where a token may look
        states = self.model.base_model(
            input_ids=batch.ids,
            past_key_values=cache,
            position_ids=lengths + own[None],
            attention_mask=mask[:, None],
            use_cache=True,
        ).last_hidden_state
        return states

    def reference(self) -> "Policy":
        """A frozen copy."""
        twin = Policy(copy.deepcopy(self.model), self.tokenizer, temperature=self.temperature)
        twin.model.requires_grad_(False)
        return twin

    def save(self, folder: Path) -> None:
        """Write model and tokenizer so that transformers can load them from ``folder``."""
        shown = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()
        try:
            self.model.save_pretrained(folder)
            self.tokenizer.save_pretrained(folder)
        finally:
            if shown:
                logging.enable_progress_bar()

    def _head(self, hidden: Tensor, targets: Tensor, entropy: bool) -> tuple[Tensor, Tensor]:
        """Output layer and softmax for some positions: hidden (n, H), targets (n,)."""
        logits = self.model.get_output_embeddings()(hidden).float()  # (n, V)
        if self.temperature != 1.0:
            logits = logits / self.temperature
        log_z = logits.logsumexp(dim=-1)
        logps = logits.gather(1, targets[:, None]).squeeze(1) - log_z
        if not entropy:
            return logps, torch.zeros_like(logps)
        with torch.no_grad():
            probs = (logits - log_z[:, None]).exp()
            entropies = log_z - (probs * logits).sum(dim=-1)
        return logps, entropies

    @torch.no_grad()
    def _check_head(self) -> None:
        """Refuse models whose logits are more than the output layer applied to the last hidden state."""
        probe = torch.arange(1, 5, device=self.device)[None]
        whole = self.model(input_ids=probe, use_cache=False).logits.float()
        hidden = self.model.base_model(input_ids=probe, use_cache=False).last_hidden_state
        ours = self.model.get_output_embeddings()(hidden).float()
        if not torch.allclose(whole, ours, rtol=1e-3, atol=1e-3):
            raise SettingsError(
                f"{type(self.model).__name__} changes its logits after the output layer (soft-capping or scaling),"
                " which this trainer does not apply"
            )


class Optimizer:
    """AdamW, or Muon for the hidden matrices with AdamW for the rest, on fp32 copies of bf16 weights.

    ``backward`` adds to the gradients, so an update may be any number of micro-batches.

    Source: Muon, Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/; AdamW, arXiv:1711.05101.
    """

    def __init__(self, model: Any, kind: str, *, max_grad_norm: float) -> None:
        named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
        self._weights: list[nn.Parameter] = [p for _, p in named]
        self._masters: list[nn.Parameter] = [
            p if p.dtype == torch.float32 else nn.Parameter(p.detach().float()) for p in self._weights
        ]
        self._max_grad_norm = max_grad_norm
        hidden = _hidden_matrices(model) if kind == "muon" else set()
        matrices = [m for (n, _), m in zip(named, self._masters, strict=True) if n in hidden]
        rest = [m for (n, _), m in zip(named, self._masters, strict=True) if n not in hidden]
        self._parts: list[tuple[torch.optim.Optimizer, float]] = [
            (torch.optim.AdamW(rest, lr=0.0, betas=(0.9, 0.95), weight_decay=0.0, fused=True), 1.0)
        ]
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
        """Clip, update, forget the gradients; returns the norm before clipping."""
        norm = float(nn.utils.clip_grad_norm_(self._masters, self._max_grad_norm))
        if not norm < float("inf"):
            raise TurnwiseError(f"the gradient norm is {norm}: the run has diverged; lower lr (now {lr:g})")
        for part, ratio in self._parts:
            for group in part.param_groups:
                group["lr"] = lr * ratio
            part.step()
            part.zero_grad(set_to_none=True)
        with torch.no_grad():
            for weight, master in zip(self._weights, self._masters, strict=True):
                if master is not weight:
                    weight.copy_(master)
        return norm

    def state_dict(self) -> dict[str, Any]:
        """Moments, and the fp32 weights where the model's are not."""
        own = [m for w, m in zip(self._weights, self._masters, strict=True) if m is not w]
        return {"parts": [p.state_dict() for p, _ in self._parts], "masters": [m.detach() for m in own]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up what ``state_dict`` gave."""
        for (part, _), saved in zip(self._parts, state["parts"], strict=True):
            part.load_state_dict(saved)
        own = [m for w, m in zip(self._weights, self._masters, strict=True) if m is not w]
        with torch.no_grad():
            for master, values in zip(own, state["masters"], strict=True):
                master.copy_(values)


def learning_rate_factor(step: int, steps: int, warmup: int) -> float:
    """Share of the peak learning rate at ``step`` of ``steps``: linear up over ``warmup``, then down to a tenth."""
    if step < warmup:
        return (step + 1) / (warmup + 1)
    left = (steps - 1 - step) / max(1, steps - 1 - warmup)
    return 0.1 + 0.9 * max(0.0, left)


def load_policy(cfg: TrainConfig, texts: Sequence[str]) -> Policy:
    """The policy that ``cfg`` names; ``texts`` of the environment make the vocabulary of the tiny one."""
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[cfg.dtype]
    if cfg.model == "tiny":
        tokenizer: Any = tiny_tokenizer(texts)
        model: Any = tiny_model(tokenizer, cfg.seed).to(dtype)
    else:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(cfg.model)
        model = AutoModelForCausalLM.from_pretrained(cfg.model, dtype=dtype)
    if cfg.gradient_checkpointing:
        _checkpoint_layers(model)
    device = "cuda" if torch.cuda.is_available() and cfg.model != "tiny" else "cpu"
    return Policy(model.to(device), tokenizer, temperature=cfg.temperature)


def _hidden_matrices(model: Any) -> set[str]:
    """Names of the matrices between embedding and output layer."""
    ends = {id(model.get_input_embeddings().weight), id(model.get_output_embeddings().weight)}
    return {n for n, p in model.named_parameters() if p.ndim == 2 and id(p) not in ends}


def _can_share(model: Any) -> bool:
    """Whether a mask and positions of ours mean to the model what they say."""
    try:
        require_full_attention(model, model.config.get_text_config().max_position_embeddings)
    except SettingsError:
        return False
    return True


def _checkpoint_layers(model: Any) -> None:
    """Recompute each decoder layer in the backward pass.

    transformers' own switch works in training mode only, which would also turn on dropout.
    """
    layers = getattr(model.base_model, "layers", None)
    if layers is None:
        raise SettingsError(f"gradient_checkpointing: {type(model).__name__} keeps its layers elsewhere")
    for layer in layers:
        plain = layer.forward

        def recomputed(*args: Any, _plain: Any = plain, **kwargs: Any) -> Any:
            if not torch.is_grad_enabled() or kwargs.get("past_key_values") is not None:
                return _plain(*args, **kwargs)
            return checkpoint(_plain, *args, use_reentrant=False, **kwargs)

        layer.forward = recomputed
