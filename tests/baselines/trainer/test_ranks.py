"""The whole trainer on two ranks: the metrics of one process, whether the model is whole on each or split."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from tests.baselines.trainer._small import config, metrics
from turnwise.baselines.trainer.train import train


def two_ranks(out: Path, shard: bool) -> None:
    """The same settings as ``alone``, by torchrun."""
    script = out.parent / f"{out.name}.py"
    script.write_text(
        "from pathlib import Path\n"
        "from tests.baselines.trainer.test_ranks import settings\n"
        "from turnwise.baselines.trainer.train import train\n"
        f"train(settings(Path({str(out)!r}), shard={shard}), quiet=True)\n"
    )
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(script)]
    environment = {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(
        command, cwd=Path(__file__).parents[3], env={**os.environ, **environment},
        capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]


def settings(out: Path, shard: bool = False):
    return config(
        out, steps=3, optimizer="adamw", lr=1e-3, kl_coef=0.01, old_logps="recompute", shard=shard, save_every=1
    )


@pytest.mark.slow
def test_two_ranks_are_one_process(tmp_path):
    """With FSDP2; what differs without it, who adds the gradients up, is in test_parallel.py."""
    two_ranks(tmp_path / "two", shard=True)
    train(settings(tmp_path / "one"), quiet=True)
    for key in ("reward", "solved", "loss", "grad_norm", "kl", "kl_ref", "entropy", "tokens"):
        ours, theirs = metrics(tmp_path / "two", "train", key), metrics(tmp_path / "one", "train", key)
        assert len(ours) == 3 and ours == pytest.approx(theirs, rel=1e-4, abs=1e-6), key
    assert max(metrics(tmp_path / "two", "train", "logp_gap")) < 1e-5
    ours, theirs = (load_file(tmp_path / name / "model" / "model.safetensors") for name in ("two", "one"))
    assert set(ours) == set(theirs)
    for name, weight in theirs.items():
        torch.testing.assert_close(ours[name], weight, atol=1e-5, rtol=1e-4)
