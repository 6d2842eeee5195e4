"""Training of one model by several processes: the part of torch.distributed that the loop uses.

Every rank runs the same loop. Rollouts are shared out and brought back together, so that all ranks know all groups of
a step and decide alike (curriculum, credit, minibatches); then each computes its share of an update's rows. Loss
denominators belong to the whole update, so the gradients of the ranks are *added*, never averaged, and any split of
rows gives the loss and the gradients of one process, up to the rounding of fp32 sums. (AdamW keeps it at that; Muon
iterates in bf16, where a rounding of 1e-7 in a gradient can become 1e-4 in a weight.)

A model is kept whole on every rank, or sharded by FSDP2 (`Parallel.shard`), which also runs on CPUs over gloo. Under
FSDP2 every forward and backward pass is a collective: all ranks must make equally many, of the same structure. Ranks
with fewer micro-batches run padding (a real row whose loss is multiplied by zero) up to `Parallel.max_int`, and no
rank may read shared prefixes first while another does not. Within `Parallel.gathered` there are no collectives.

Source: FSDP2, Zhao et al. 2023, PyTorch FSDP, arXiv:2304.11277, and the documentation of
torch.distributed.fsdp.fully_shard.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from types import MethodType
from typing import Any, ParamSpec, TypeVar

import torch
from torch import Tensor, nn

from turnwise.core.errors import SettingsError

__all__ = ["Parallel", "Ranks"]

P = ParamSpec("P")
T = TypeVar("T")
Number = TypeVar("Number", float, Tensor)

GRACE_S = 0.2
"""Wait before leaving: gloo's threads let go of the last tensors, for which they need Python to be there; without it
one exit in seven ended with "terminate called without an active exception"."""
BUCKET = 2**26
"""Gradients that are added up over ranks in one call (256 MB in fp32)."""


class Parallel:
    """A single process: every method does what it means for one rank. `Ranks` is the same for several."""

    rank = 0
    size = 1
    device = torch.device("cpu")

    @staticmethod
    def start(device: str = "cpu", *, timeout_s: float = 1800.0) -> "Parallel":
        """Join the processes that torchrun started; a single process if it started none or one.

        Args:
            device: "cpu" (gloo) or "cuda" (nccl, and gloo for objects); rank r of a machine takes its GPU number
                LOCAL_RANK.
            timeout_s: how long a collective waits for the slowest rank before the run ends with an error; a rank that
                died is noticed immediately by gloo. Longer than ranks may differ in the time they take to collect.

        Raises:
            SettingsError: torchrun's variables are incomplete, or the device is neither of the two.
        """
        if device not in ("cpu", "cuda"):
            raise SettingsError(f"device must be 'cpu' or 'cuda', not {device!r}")
        if int(os.environ.get("WORLD_SIZE", "1")) > 1:
            return Ranks(device, timeout_s)
        alone = Parallel()
        if device == "cuda":
            alone.device = torch.device("cuda", 0)
        return alone

    @property
    def is_main(self) -> bool:
        """Whether this rank writes files and prints."""
        return self.rank == 0

    def share(self, items: Sequence[T], costs: Sequence[float] | None = None) -> list[T]:
        """Return this rank's items; every item belongs to exactly one rank, and each rank keeps their order.

        Args:
            items: the same on all ranks: tasks, groups or rows. Some ranks may get none.
            costs: costs of the items, such as tokens. Without them the parts are consecutive and of equal size, give or
                take one, so that `gather_objects` of them has the order of ``items``. With them the costliest item
                that is left goes to the rank with the least to do.
        """
        if costs is None:
            low, high = len(items) * self.rank // self.size, len(items) * (self.rank + 1) // self.size
            return list(items[low:high])
        loads, mine = [0.0] * self.size, []
        for i in sorted(range(len(items)), key=lambda i: (-costs[i], i)):
            rank = loads.index(min(loads))
            loads[rank] += costs[i]
            if rank == self.rank:
                mine.append(i)
        return [items[i] for i in sorted(mine)]

    def sum(self, values: Mapping[str, Number]) -> dict[str, Number]:
        """Add up the values over all ranks, in float64; all ranks must have the same names and shapes."""
        return dict(values)

    def max_int(self, n: int) -> int:
        """Return the largest ``n`` of all ranks, such as the number of micro-batches that all must run."""
        return n

    def gather_objects(self, items: Sequence[T]) -> list[T]:
        """Return the items of all ranks, in the order of ranks, on every rank."""
        return list(items)

    def broadcast_object(self, item: T) -> T:
        """Return the item of rank 0 on every rank."""
        return item

    def barrier(self) -> None:
        """Wait until all ranks are here."""

    def shard(self, model: nn.Module, compute: torch.dtype | None = None) -> nn.Module:
        """Split the parameters of ``model`` over the ranks, in place: each decoder layer is a unit, the rest another.

        Call it before the optimiser is made, on a model in fp32: the shards, gradients and moments stay fp32. Then
        reach the model through `call` or its own ``forward`` only.

        Args:
            model: a causal language model of transformers.
            compute: data type that parameters are gathered in, and so that of activations: bfloat16 on GPUs. The
                gradients are added up over ranks in fp32 either way.

        Raises:
            SettingsError: The decoder layers are not where they are looked for.
        """
        return model

    def call(self, model: nn.Module, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call ``function(*args, **kwargs)`` as a forward pass of ``model``, with whole embedding and output layers.

        What calls parts of a sharded model (``model.base_model``, ``model.get_output_embeddings()``) must run here.
        """
        return function(*args, **kwargs)

    @contextmanager
    def gathered(self, model: nn.Module) -> Iterator[nn.Module]:
        """Gather all parameters of the model on every rank, for sampling: forward passes inside are not collective.

        It takes the memory of the whole model in the ``compute`` type, for as long as it is open. No gradients.
        """
        yield model

    def weights(self, model: nn.Module) -> Iterator[tuple[str, Tensor]]:
        """Yield names and whole tensors of the model's state, one by one; every rank must iterate over all of them.

        A separate sampler (vLLM, workers on other machines) is loaded from them.
        """
        for name, value in model.state_dict().items():
            yield name, _whole(value.detach())

    def clip_gradients(self, parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
        """Scale the gradients of the whole model down to ``max_norm``; return their norm before scaling.

        If the model is not sharded, this first adds up the gradients of the ranks; a missing one counts as zero.
        """
        weights = list(parameters)
        self._add_up([w for w in weights if not _is_sharded(w)])
        return _whole(nn.utils.clip_grad_norm_(weights, max_norm))

    def full_state(self, tree: T) -> T | None:
        """Return a state dict (of model or optimiser, however nested) with whole tensors; None except on rank 0.

        It does not depend on the number of ranks, so that a run may continue with another. Tensors that were
        sharded are on the CPU.
        """
        return tree

    def load_model(self, model: nn.Module, state: Mapping[str, Tensor]) -> None:
        """Load whole tensors, passed on every rank; each rank keeps its part."""
        own = model.state_dict()
        model.load_state_dict({name: _part(value, own[name]) for name, value in state.items()})

    def load_optimizer(self, optimizer: torch.optim.Optimizer, state: Mapping[str, Any]) -> None:
        """Load the state of an optimiser likewise: moments are split as their parameters are."""
        own = [p for group in optimizer.param_groups for p in group["params"]]
        moments = {
            i: {k: _part(v, own[i]) if isinstance(v, Tensor) else v for k, v in values.items()}
            for i, values in state["state"].items()
        }
        optimizer.load_state_dict({**state, "state": moments})

    def close(self) -> None:
        """Leave the group of processes."""

    def _add_up(self, weights: Sequence[nn.Parameter]) -> None:
        """Add up over ranks the gradients of parameters that every rank has whole."""


class Ranks(Parallel):
    """This process among several, by the variables that torchrun sets."""

    def __init__(self, device: str, timeout_s: float) -> None:
        import torch.distributed as dist

        missing = [n for n in ("RANK", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT") if n not in os.environ]
        if missing:
            raise SettingsError(f"WORLD_SIZE is set but {', '.join(missing)} not: start the processes with torchrun")
        if device == "cuda":
            self.device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
            torch.cuda.set_device(self.device)
        backend = "gloo" if device == "cpu" else "cpu:gloo,cuda:nccl"
        dist.init_process_group(backend, timeout=timedelta(seconds=timeout_s))
        self._dist = dist
        self.rank, self.size = dist.get_rank(), dist.get_world_size()

    def sum(self, values: Mapping[str, Number]) -> dict[str, Number]:
        names = sorted(values)
        tensors = [torch.as_tensor(values[name]) for name in names]
        if not tensors:
            return {}
        device = max((t.device for t in tensors), key=lambda d: d.type == "cuda")
        flat = torch.cat([t.detach().reshape(-1).to(device, torch.float64) for t in tensors])
        self._dist.all_reduce(flat)
        parts = torch.split(flat, [t.numel() for t in tensors])
        found: dict[str, Any] = {}
        for name, part, own in zip(names, parts, tensors, strict=True):
            found[name] = part.reshape(own.shape).to(own) if isinstance(values[name], Tensor) else float(part)
        return {name: found[name] for name in values}

    def max_int(self, n: int) -> int:
        largest = torch.tensor(n)
        self._dist.all_reduce(largest, op=self._dist.ReduceOp.MAX)
        return int(largest)

    def gather_objects(self, items: Sequence[T]) -> list[T]:
        found: list[Any] = [None] * self.size
        self._dist.all_gather_object(found, list(items))
        return [item for part in found for item in part]

    def broadcast_object(self, item: T) -> T:
        holder = [item]
        self._dist.broadcast_object_list(holder, src=0)
        return holder[0]

    def barrier(self) -> None:
        self.max_int(0)  # over gloo; nccl's barrier would set up a communicator on a guessed device

    def shard(self, model: nn.Module, compute: torch.dtype | None = None) -> nn.Module:
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard, register_fsdp_forward_method

        layers = getattr(getattr(model, "base_model", None), "layers", None)
        if not isinstance(layers, nn.ModuleList):
            raise SettingsError(f"shard: {type(model).__name__} has no decoder layers in base_model.layers")
        wrong = sorted({str(p.dtype) for p in model.parameters() if p.dtype != torch.float32})
        if wrong:
            raise SettingsError(
                f"shard: load the model in float32, not {', '.join(wrong)}; compute sets the other type"
            )
        mesh = init_device_mesh(self.device.type, (self.size,))
        policy = MixedPrecisionPolicy(param_dtype=compute, reduce_dtype=torch.float32)
        for layer in layers:
            fully_shard(layer, mesh=mesh, mp_policy=policy)
        fully_shard(model, mesh=mesh, mp_policy=policy)
        for unit in _units(model):
            unit.set_gradient_divide_factor(1.0)  # add, do not average
            unit.set_force_sum_reduction_for_comms(True)  # gloo knows no other reduction
        model._run = MethodType(_run, model)  # type: ignore[assignment]
        register_fsdp_forward_method(model, "_run")
        return model

    def call(self, model: nn.Module, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if not hasattr(model, "_run"):
            return function(*args, **kwargs)
        result: T = model._run(function, *args, **kwargs)  # type: ignore[operator]
        return result

    @contextmanager
    def gathered(self, model: nn.Module) -> Iterator[nn.Module]:
        units = _units(model)
        for unit in units:
            unit.set_reshard_after_forward(False, recurse=False)
            unit.unshard()
        try:
            with torch.no_grad():
                yield model
        finally:
            for unit in units:
                unit.set_reshard_after_forward(unit is not model, recurse=False)  # FSDP2's own defaults
                unit.reshard()

    def full_state(self, tree: T) -> T | None:
        whole = self._whole_tree(tree)
        return whole if self.is_main else None

    def close(self) -> None:
        self.barrier()
        time.sleep(GRACE_S)
        self._dist.destroy_process_group()

    def _whole_tree(self, tree: Any) -> Any:
        """Gather every sharded tensor of a tree, in order, on all ranks together; only rank 0 keeps the results."""
        if isinstance(tree, Mapping):
            return {key: self._whole_tree(value) for key, value in tree.items()}
        if isinstance(tree, list | tuple):
            return type(tree)(self._whole_tree(value) for value in tree)
        if isinstance(tree, Tensor) and _is_sharded(tree):
            whole = _whole(tree.detach())
            return whole.cpu() if self.is_main else None
        return tree

    def _add_up(self, weights: Sequence[nn.Parameter]) -> None:
        bucket: list[Tensor] = []
        for i, weight in enumerate(weights):
            if weight.grad is None:
                weight.grad = torch.zeros_like(weight)
            bucket.append(weight.grad)
            if i + 1 == len(weights) or sum(g.numel() for g in bucket) >= BUCKET:
                flat = torch.cat([g.flatten() for g in bucket])
                self._dist.all_reduce(flat)
                for grad, part in zip(bucket, torch.split(flat, [g.numel() for g in bucket]), strict=True):
                    grad.copy_(part.view_as(grad))
                bucket = []


def _run(model: nn.Module, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    return function(*args, **kwargs)


def _units(model: nn.Module) -> list[Any]:
    """Return the units that FSDP2 gathers and frees: the layers, and the model for the rest."""
    from torch.distributed.fsdp import FSDPModule

    return [module for module in model.modules() if isinstance(module, FSDPModule)]


def _is_sharded(tensor: Tensor) -> bool:
    return hasattr(tensor, "full_tensor")


def _whole(tensor: Tensor) -> Tensor:
    """Return the whole tensor; a collective operation if it is sharded."""
    whole: Tensor = tensor.full_tensor() if _is_sharded(tensor) else tensor  # type: ignore[attr-defined]
    return whole


def _part(whole: Tensor, like: Tensor) -> Tensor:
    """Return this rank's part of a whole tensor, split as ``like``; other tensors (counters) are unchanged."""
    if not _is_sharded(like) or whole.shape != like.shape:
        return whole
    from torch.distributed.tensor import DTensor, distribute_tensor

    assert isinstance(like, DTensor)
    on = whole.to(like.device)
    return distribute_tensor(on, like.device_mesh, like.placements, src_data_rank=None)  # no communication
