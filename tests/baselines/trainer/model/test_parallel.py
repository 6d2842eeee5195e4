"""Two ranks over gloo against one process: the same loss, gradients, weights and checkpoints.

Run as a program, this file is a rank: it trains the same small model on a share of the same rows, whole
and sharded, and rank 0 writes down what the tests compare.
"""

import copy
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from turnwise.baselines.trainer.model.parallel import Parallel
from turnwise.core.errors import SettingsError

UPDATES, SHARE = 4, 5  # rank 0 has the first five of seven rows


def make_model() -> Any:
    from turnwise.baselines.trainer.model.tiny import tiny_model, tiny_tokenizer

    tokenizer = tiny_tokenizer(["one two three"])
    return tiny_model(tokenizer, seed=3, width=32, layers=2)


def make_rows() -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Seven rows of 4 to 16 ids, with an advantage per row."""
    rng = np.random.default_rng(0)
    lengths = (16, 4, 9, 7, 12, 5, 11)
    return [(torch.from_numpy(rng.integers(5, 200, n)), torch.tensor(rng.normal())) for n in lengths]


def row_loss(model: Any, ids: torch.Tensor, advantage: torch.Tensor, denominator: float) -> torch.Tensor:
    """- A x sum of the row's log-probabilities, over the tokens of the whole update; as the policy computes it."""
    hidden = model.base_model(input_ids=ids[None, :-1], use_cache=False).last_hidden_state[0]
    logps = model.get_output_embeddings()(hidden).float().log_softmax(-1).gather(1, ids[1:, None])
    return -(advantage * logps.sum()) / denominator


def make_optimizer(model: Any) -> torch.optim.Optimizer:
    return torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.0, fused=True)


def backward(parallel: Parallel, model: Any, rows: list[Any]) -> float:
    """Add up the gradient of this rank's rows, one row a micro-batch; the loss of the whole update."""
    denominator = float(sum(len(ids) - 1 for ids, _ in rows))
    mine = rows if parallel.size == 1 else (rows[:SHARE] if parallel.rank == 0 else rows[SHARE:])
    total = 0.0
    for i in range(parallel.max_int(len(mine))):
        ids, advantage = mine[min(i, len(mine) - 1)]
        loss = parallel.call(model, row_loss, model, ids, advantage, denominator) * (i < len(mine))
        loss.backward()
        total += float(loss.detach())
    return parallel.sum({"loss": total})["loss"]


def train(parallel: Parallel, model: Any, optimizer: Any, updates: range) -> dict[str, Any]:
    """Some updates; the losses and norms, and the gradients of the first as they are applied (clipped)."""
    rows, losses, norms, grads = make_rows(), [], [], {}
    for update in updates:
        losses.append(backward(parallel, model, [rows[(i + update) % len(rows)] for i in range(len(rows))]))
        norms.append(float(parallel.clip_gradients(model.parameters(), 0.5)))
        if not grads:
            grads = {n: p.grad.detach().clone() for n, p in model.named_parameters()}
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return {"losses": losses, "norms": norms, "grads": parallel.full_state(grads)}


def make_engine(model: Any) -> Any:
    from turnwise.engine.kv import KVEngine

    return KVEngine(model, 8, 64)


def sample(engine: Any, tasks: range) -> list[Any]:
    """Two turns of sampling for some tasks: as many forward passes as there is to sample."""
    engine.load(engine.version + 1)
    rows = engine.open(len(tasks))
    found = []
    for turn in range(2):
        engine.extend(rows, [[7 + task, 9] for task in tasks])
        keys = [(task, turn) for task in tasks]
        found += engine.sample(rows, max_new=3 + len(tasks), stop_ids=[0], temperature=1.0, keys=keys)
    engine.close(rows)
    return [(s.ids, s.logps) for s in found]


def rank_main(folder: Path) -> None:
    """What each of the two ranks does."""
    torch.set_num_threads(1)
    parallel = Parallel.start("cpu", timeout_s=60)
    out: dict[str, Any] = {}
    for mode in ("whole", "sharded"):
        model = make_model()
        if mode == "sharded":
            checkpoint_layers(model)
            engine = make_engine(model)  # before, while it can look at the weights
            parallel.shard(model)
        optimizer = make_optimizer(model)
        out[mode] = train(parallel, model, optimizer, range(2))
        half = {"model": parallel.full_state(model.state_dict()), "optim": parallel.full_state(optimizer.state_dict())}
        if parallel.is_main:
            torch.save(half, folder / f"{mode}.pt")
        rest = train(parallel, model, optimizer, range(2, UPDATES))
        out[mode]["losses"] += rest["losses"]
        out[mode]["weights"] = parallel.full_state(model.state_dict())
    out["trip"] = round_trip(parallel, folder)
    out["sampled"] = sample_sharded(parallel, model, engine)
    out["bf16"] = mixed_precision(parallel)
    out["calls"] = collectives(parallel)
    if parallel.is_main:
        torch.save(out, folder / "out.pt")
    parallel.close()


def checkpoint_layers(model: Any) -> None:
    """Recompute the layers in the backward pass, as a large sharded model would."""
    from torch.utils.checkpoint import checkpoint

    for layer in model.base_model.layers:
        plain = layer.forward
        layer.forward = lambda *a, _plain=plain, **k: (
            checkpoint(_plain, *a, use_reentrant=False, **k) if torch.is_grad_enabled() else _plain(*a, **k)
        )


def round_trip(parallel: Parallel, folder: Path) -> dict[str, Any]:
    """2 ranks -> 1 -> 2: the state that two ranks saved, through a model of one process, into two shards again."""
    parallel.barrier()
    saved = torch.load(folder / "sharded.pt", weights_only=True)
    alone, single = Parallel(), make_model()
    single_optimizer = make_optimizer(single)
    alone.load_model(single, saved["model"])
    alone.load_optimizer(single_optimizer, saved["optim"])
    again = copy.deepcopy((single.state_dict(), single_optimizer.state_dict()))
    model = parallel.shard(make_model())
    optimizer = make_optimizer(model)
    parallel.load_model(model, again[0])
    parallel.load_optimizer(optimizer, again[1])
    state = {"model": parallel.full_state(model.state_dict()), "optim": parallel.full_state(optimizer.state_dict())}
    state = copy.deepcopy(state)  # counters of steps are not copied by gathering
    train(parallel, model, optimizer, range(2, UPDATES))
    return {"state": state, "weights": parallel.full_state(model.state_dict())}


def sample_sharded(parallel: Parallel, model: Any, engine: Any) -> dict[str, Any]:
    """Sampling from the trained shards, three tasks here and one there, against a plain copy; then one more update."""
    copied = make_model()
    copied.load_state_dict(dict(parallel.weights(model)))
    tasks = range(3) if parallel.rank == 0 else range(3, 4)
    with parallel.gathered(model):
        found = sample(engine, tasks)
    with parallel.gathered(model):
        again = sample(engine, tasks)
    equal = found == again == sample(make_engine(copied), tasks)
    sharded = all(hasattr(p, "full_tensor") for p in model.parameters())
    before, after = copied, train(parallel, model, make_optimizer(model), range(1))
    expected = train(Parallel(), before, make_optimizer(before), range(1))
    return {
        "equal": parallel.gather_objects([equal]),
        "sharded": parallel.gather_objects([sharded]),
        "losses": (after["losses"], expected["losses"]),
    }


def mixed_precision(parallel: Parallel) -> dict[str, Any]:
    """Compute in bf16: the parameters, their gradients and what is added up stay fp32."""
    model = parallel.shard(make_model(), torch.bfloat16)
    seen = []
    model.base_model.layers[0].register_forward_hook(lambda m, i, o: seen.append(o.dtype))
    loss = backward(parallel, model, make_rows())
    grads = {str(p.grad.dtype) for p in model.parameters()}
    return {"loss": loss, "hidden": [str(d) for d in seen[:1]], "grads": grads}


def collectives(parallel: Parallel) -> dict[str, Any]:
    rank = parallel.rank
    summed = parallel.sum({"b": 1.5 + rank, "a": torch.tensor([1, rank])})
    items = list(range(5))
    return {
        "size": parallel.size,
        "sum": (summed["b"], summed["a"].tolist(), list(summed)),
        "max": parallel.max_int(3 - rank),
        "gathered": parallel.gather_objects(parallel.share(items)),
        "parts": parallel.gather_objects([parallel.share(items)]),
        "by_cost": parallel.gather_objects([parallel.share(items, costs=[1, 1, 4, 1, 1])]),
        "broadcast": parallel.broadcast_object({"rank": rank}),
    }


# --- the tests ---


def environment(rank: int | None = None, port: int = 0) -> dict[str, str]:
    found = {k: v for k, v in os.environ.items() if k not in ("RANK", "WORLD_SIZE", "LOCAL_RANK")}
    found |= {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "PYTHONWARNINGS": "default"}
    if rank is not None:
        found |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2"}
        found |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "TORCHELASTIC_USE_AGENT_STORE": "True"}
    return found


def meeting_place() -> torch.distributed.TCPStore:
    """A store of this process, on a port of the system's choice, where ranks meet."""
    return torch.distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """What two ranks found: this process and one more, which meet at a store of this one."""
    folder = tmp_path_factory.mktemp("two")
    store = meeting_place()
    command = [sys.executable, __file__, str(folder)]
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("default")  # of torch's own
        patch.setattr(torch, "set_num_threads", lambda number: None)  # of this process, which has further tests
        for name, value in environment(0, store.port).items():
            patch.setenv(name, value)
        with subprocess.Popen(command, env=environment(1, store.port), stderr=subprocess.PIPE) as other:
            try:
                rank_main(folder)
            finally:
                error = other.communicate()[1].decode()
    assert other.returncode == 0, error[-4000:]
    return torch.load(folder / "out.pt", weights_only=False) | {"folder": folder}


@pytest.fixture(scope="module")
def one():
    """The same training in one process."""
    model = make_model()
    optimizer = make_optimizer(model)
    found = train(Parallel(), model, optimizer, range(UPDATES))
    return found | {"weights": model.state_dict()}


def furthest(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> float:
    assert a.keys() == b.keys()
    return max(float((a[n] - b[n]).abs().max()) for n in a)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["whole", "sharded"])
def test_two_ranks_with_uneven_shares_compute_what_one_does(two, one, mode):
    np.testing.assert_allclose(two[mode]["losses"], one["losses"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(two[mode]["norms"], one["norms"][:2], rtol=1e-6, atol=0)
    assert one["norms"][0] > 0.5  # the clipping had something to do
    assert furthest(two[mode]["grads"], one["grads"]) < 1e-6
    assert max(float(g.abs().max()) for g in one["grads"].values()) > 1e-3
    assert furthest(two[mode]["weights"], one["weights"]) < 1e-6
    assert furthest(one["weights"], make_model().state_dict()) > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["whole", "sharded"])
def test_one_process_goes_on_from_the_checkpoint_of_two(two, one, mode):
    saved = torch.load(two["folder"] / f"{mode}.pt", weights_only=True)
    model = make_model()
    optimizer = make_optimizer(model)
    Parallel().load_model(model, saved["model"])
    Parallel().load_optimizer(optimizer, saved["optim"])
    train(Parallel(), model, optimizer, range(2, UPDATES))
    assert furthest(model.state_dict(), one["weights"]) < 1e-6


@pytest.mark.slow
def test_two_ranks_go_on_from_the_checkpoint_of_one(two):
    saved = torch.load(two["folder"] / "sharded.pt", weights_only=True)
    state = two["trip"]["state"]
    assert furthest(state["model"], saved["model"]) == 0
    for i, moments in saved["optim"]["state"].items():
        assert furthest(state["optim"]["state"][i], moments) == 0
    assert furthest(two["trip"]["weights"], two["sharded"]["weights"]) == 0


def test_a_gathered_model_samples_like_a_plain_one_without_collectives(two):
    assert two["sampled"]["equal"] == [True, True]
    assert two["sampled"]["sharded"] == [True, True]  # and is split again afterwards
    np.testing.assert_allclose(*two["sampled"]["losses"], rtol=0, atol=1e-6)


def test_bf16_computes_in_bf16_and_adds_up_in_fp32(two, one):
    assert two["bf16"]["hidden"] == ["torch.bfloat16"] and two["bf16"]["grads"] == {"torch.float32"}
    assert 0 < abs(two["bf16"]["loss"] - one["losses"][0]) < 0.02


def test_what_ranks_tell_each_other(two):
    assert two["calls"] == {
        "size": 2,
        "sum": (4.0, [2, 1], ["b", "a"]),  # 1.5 + 2.5; [1, 0] + [1, 1]; the order of the names is kept
        "max": 3,
        "gathered": [0, 1, 2, 3, 4],
        "parts": [[0, 1], [2, 3, 4]],  # 5 * 1 // 2 = 2
        "by_cost": [[2], [0, 1, 3, 4]],  # item 2 costs as much as the others together
        "broadcast": {"rank": 0},
    }


def test_one_process_is_a_group_of_its_own(monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    alone = Parallel.start()
    model = make_model()
    assert type(alone) is Parallel and alone.is_main and alone.shard(model) is model
    assert alone.share([3, 1, 2]) == [3, 1, 2] == alone.share([3, 1, 2], costs=[1, 9, 2])
    assert alone.sum({"a": 1.0}) == {"a": 1.0} and alone.max_int(4) == 4 and alone.gather_objects([5]) == [5]
    with alone.gathered(model) as same:
        assert same is model
    assert alone.full_state({"a": 1}) == {"a": 1} and dict(alone.weights(model)).keys() == model.state_dict().keys()


def test_settings_that_cannot_be(monkeypatch):
    with pytest.raises(SettingsError, match="'tpu'"):
        Parallel.start("tpu")
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.delenv("RANK", raising=False)
    with pytest.raises(SettingsError, match="RANK"):
        Parallel.start()


@pytest.mark.slow
def test_a_lost_rank_ends_the_others_with_an_error():
    """One rank exits, in another pair one hangs. Without torchrun, which would kill the rest itself."""
    ranks, stores = [], {end: meeting_place() for end in ("die", "hang")}
    for end, store in stores.items():
        for rank in range(2):
            command = [sys.executable, __file__, end]
            pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
            ranks.append(subprocess.Popen(command, env=environment(rank, store.port), **pipes))
    try:
        for survivor in (ranks[0], ranks[2]):
            _, error = survivor.communicate(timeout=500)
            assert survivor.returncode not in (0, None)
            assert "RuntimeError" in error or "DistBackendError" in error, error[-2000:]
    finally:
        for process in ranks:
            process.kill()
            process.communicate()


def lose_a_rank(end: str) -> None:
    parallel = Parallel.start("cpu", timeout_s=3)
    assert parallel.sum({"n": 1.0}) == {"n": 2.0}
    if parallel.rank == 1:
        if end == "die":
            os._exit(3)
        time.sleep(10**6)  # the test kills it
    parallel.sum({"n": 1.0})


if __name__ == "__main__":
    lose_a_rank(sys.argv[1]) if sys.argv[1] in ("die", "hang") else rank_main(Path(sys.argv[1]))
