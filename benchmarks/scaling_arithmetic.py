"""Compute the tables of docs/scaling.md: memory, bytes and seconds of large runs. Nothing here is measured.

    python benchmarks/scaling_arithmetic.py

Units: bytes, seconds, tokens, FLOP; GB is 1e9 bytes. One multiply-add is two FLOP. Every assumption is a field of
`Hardware` or `Work`; put in numbers of your own.
"""

import math
from dataclasses import dataclass

GB = 1e9
CHUNK = 2**26  # logits held at once; see model/policy.py


@dataclass(frozen=True)
class Model:
    """A Llama-shaped decoder with a separate output layer."""

    name: str
    layers: int
    width: int
    heads: int
    kv_heads: int
    head_dim: int
    hidden: int
    vocab: int
    qkv_bias: bool

    @property
    def layer(self) -> int:
        """Parameters of a decoder layer."""
        q, kv = self.heads * self.head_dim, self.kv_heads * self.head_dim
        return 2 * self.width * (q + kv) + self.qkv_bias * (q + 2 * kv) + 3 * self.width * self.hidden + 2 * self.width

    @property
    def root(self) -> int:
        """Embedding, output layer and last norm."""
        return 2 * self.vocab * self.width + self.width

    @property
    def size(self) -> int:
        return self.layers * self.layer + self.root

    @property
    def kv_token(self) -> int:
        """Bytes of keys and values of a token, in bf16."""
        return 2 * self.layers * self.kv_heads * self.head_dim * 2


@dataclass(frozen=True)
class Hardware:
    """H100 SXM by its data sheet; the fractions reached in practice are assumptions."""

    memory: float = 80 * GB
    usable: float = 0.92  # the rest: CUDA context, nccl buffers, fragmentation
    flops: float = 989e12  # bf16, dense
    bandwidth: float = 3.35e12
    nvlink: float = 450 * GB  # one direction, between the GPUs of a node
    network: float = 50 * GB  # one direction, a 400 Gbit/s adapter per GPU, between nodes
    train_share: float = 0.40  # of flops, counting recomputed layers
    prefill_share: float = 0.50  # of flops
    decode_share: float = 0.60  # of bandwidth
    link_share: float = 0.70  # of nvlink and network
    disk: float = 5 * GB  # a shared file system, written or read


@dataclass(frozen=True)
class Work:
    """A step: what is played and trained."""

    groups: int = 64
    group_size: int = 16
    turns: int = 8
    prompt: int = 512
    sampled: int = 256  # tokens per turn
    observed: int = 256  # tokens per turn
    minibatches: int = 4
    tail: float = 1.5  # the longest rollouts: decode steps over those of a mean rollout
    programs_per_core_s: float = 238.0  # docs/sandbox.md: 2.1 ms a program on two cores
    heavy_program_s: float = 1.0  # a test suite instead of ten assertions

    @property
    def rollouts(self) -> int:
        return self.groups * self.group_size

    @property
    def length(self) -> int:
        return self.prompt + self.turns * (self.sampled + self.observed)

    @property
    def tokens(self) -> int:
        return self.rollouts * self.length


@dataclass(frozen=True)
class Layout:
    """Which GPUs do what; colocated: the same ones in turn."""

    model: Model
    train_gpus: int
    sample_gpus: int
    tensor_parallel: int
    budget: int  # tokens of a micro-batch per GPU
    colocated: bool

    @property
    def name(self) -> str:
        gpus = f"{self.train_gpus}" if self.colocated else f"{self.train_gpus} + {self.sample_gpus}"
        return f"{self.model.name}, {gpus} GPUs, {'colocated' if self.colocated else 'apart'}"


QWEN = Model("7B", 28, 3584, 28, 4, 128, 18944, 152064, True)  # Qwen2.5-7B
LLAMA = Model("70B", 80, 8192, 64, 8, 128, 28672, 128256, False)  # Llama-3.1-70B
LAYOUTS = (
    Layout(QWEN, 8, 8, 1, 16384, True),
    Layout(QWEN, 4, 4, 1, 16384, False),
    Layout(LLAMA, 64, 64, 8, 14336, True),
    Layout(LLAMA, 40, 24, 8, 8192, False),
)


def training_memory(layout: Layout) -> dict[str, float]:
    """Bytes per GPU while training."""
    m, n, tokens = layout.model, layout.train_gpus, layout.budget
    q, kv = m.heads * m.head_dim, m.kv_heads * m.head_dim
    return {
        "weights fp32, sharded: 4P/N": 4 * m.size / n,
        "Adam moments, sharded: 8P/N": 8 * m.size / n,
        "gradients fp32, sharded: 4P/N": 4 * m.size / n,
        "gathered bf16: root and two layers": 2 * (m.root + 2 * m.layer),
        "gradients being reduced, bf16 + fp32: root and a layer": 6 * (m.root + m.layer),
        "layer inputs kept: layers x tokens x width x 2": 2 * m.layers * tokens * m.width,
        "one layer recomputed, and its gradients": 2 * 2 * tokens * (4 * m.width + 3 * q + 4 * kv + 3 * m.hidden),
        "logits: three copies of a chunk in fp32": 3 * 4 * CHUNK,
    }


def sampling(layout: Layout, hw: Hardware, work: Work) -> dict[str, float]:
    """Memory and seconds of the rollouts of a step."""
    m, tp = layout.model, layout.tensor_parallel
    replicas = layout.sample_gpus // tp
    resident = 16 * m.size / layout.train_gpus if layout.colocated else 0.0  # masters, moments, gradients stay
    room = tp * (hw.memory * hw.usable - resident) - 2 * m.size
    fit = int(room / (work.length * m.kv_token))
    rows = math.ceil(work.rollouts / replicas)
    waves = math.ceil(rows / fit)
    at_once = math.ceil(rows / waves)
    read = 2 * m.size + at_once * (work.length / 2) * m.kv_token  # bytes of a decode step, rows half grown
    step = max(read / (hw.bandwidth * hw.decode_share), 2 * m.size * at_once / (hw.flops * hw.prefill_share)) / tp
    decode = waves * work.turns * work.sampled * step * work.tail
    context = rows * (work.prompt + work.turns * work.observed)
    prefill = 2 * m.size * context / (tp * hw.flops * hw.prefill_share)
    tokens = work.rollouts * work.turns * work.sampled
    return {"replicas": replicas, "fit": fit, "rows": rows, "waves": waves, "step": step, "decode": decode,
            "prefill": prefill, "seconds": decode + prefill, "rate": tokens / (decode + prefill)}  # fmt: skip


def link(layout: Layout, hw: Hardware) -> float:
    """Bytes per second of a GPU in a collective of the trainer: the network, once there is more than one node."""
    return (hw.nvlink if layout.train_gpus <= 8 else hw.network) * hw.link_share


def training(layout: Layout, hw: Hardware, work: Work) -> dict[str, float]:
    """Seconds of the updates of a step."""
    m, n = layout.model, layout.train_gpus
    per_token = 8 * m.size + 8 * work.length * m.heads * m.head_dim * m.layers  # forward, again, backward (twice)
    micro = work.minibatches * math.ceil(work.tokens / (work.minibatches * n * layout.budget))
    compute = work.tokens * per_token / (n * hw.flops * hw.train_share)
    moved = 8 * m.size * (n - 1) / n  # bf16 gathered in forward and backward, fp32 gradients scattered
    traffic = micro * moved / link(layout, hw)
    least = moved / link(layout, hw) * hw.flops * hw.train_share / per_token  # tokens that take as long as the traffic
    return {
        "micro": micro,
        "compute": compute,
        "traffic": traffic,
        "seconds": max(compute, traffic),
        "least": least,
        "mean": work.tokens / (n * micro),
    }


def sync(layout: Layout, hw: Hardware) -> dict[str, float]:
    """Bytes of bf16 weights that a GPU of the sampler receives, and seconds."""
    m = layout.model
    folder = 2 * 2 * m.size / hw.disk  # written once, read once: what `agents.remote.FolderSync` does
    if layout.colocated and layout.tensor_parallel == 1:  # `Parallel.gathered`
        received = 2 * m.size * (layout.train_gpus - 1) / layout.train_gpus
        return {"bytes": received, "seconds": received / link(layout, hw), "folder": folder}
    received = 2 * m.size / layout.tensor_parallel
    gather = 2 * m.size / link(layout, hw)  # every rank of the trainer goes through every tensor
    return {"bytes": received, "seconds": gather + received / (hw.network * hw.link_share), "folder": folder}


def table(head: list[str], rows: dict[str, list[str]]) -> str:
    """Return a Markdown table; the first column names the rows."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *([name, *cells] for name, cells in rows.items())]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def model_table() -> str:
    models = (QWEN, LLAMA)
    return table(
        ["", *(m.name for m in models)],
        {
            "parameters P": [f"{m.size:,}" for m in models],
            "of a layer; of embedding, output layer and last norm (root)": [f"{m.layer:,}; {m.root:,}" for m in models],
            "weights in bf16: 2P, GB": [f"{2 * m.size / GB:.1f}" for m in models],
            "fp32 weights, gradients, two moments: 16P, GB": [f"{16 * m.size / GB:.0f}" for m in models],
            "keys and values: 2 x layers x KV heads x head width x 2, bytes a token": [
                f"{m.kv_token:,}" for m in models
            ],
            "checkpoint: fp32 weights and moments, 12P, GB": [f"{12 * m.size / GB:.0f}" for m in models],
        },
    )


def memory_table(hw: Hardware) -> str:
    found = [training_memory(layout) for layout in LAYOUTS]
    rows = {name: [f"{each[name] / GB:.1f}" for each in found] for name in found[0]}
    rows[f"**sum** (usable: {hw.memory * hw.usable / GB:.1f})"] = [f"**{sum(e.values()) / GB:.1f}**" for e in found]
    return table(["GB per GPU", *(layout.name for layout in LAYOUTS)], rows)


def sampling_table(hw: Hardware, work: Work) -> str:
    found = [sampling(layout, hw, work) for layout in LAYOUTS]
    rows = {
        "replicas x GPUs of each": [
            f"{e['replicas']:.0f} x {layout.tensor_parallel}" for e, layout in zip(found, LAYOUTS, strict=True)
        ],
        "rollouts of a replica": [f"{e['rows']:.0f}" for e in found],
        "of full length that fit its memory": [f"{e['fit']:.0f}" for e in found],
        "waves": [f"{e['waves']:.0f}" for e in found],
        "decode step, ms": [f"{1000 * e['step']:.1f}" for e in found],
        "decode, s": [f"{e['decode']:.0f}" for e in found],
        "prefill, s": [f"{e['prefill']:.0f}" for e in found],
        "sampled tokens/s, all replicas": [f"{e['rate']:,.0f}" for e in found],
    }
    return table(["", *(layout.name for layout in LAYOUTS)], rows)


def training_table(hw: Hardware, work: Work) -> str:
    found = [training(layout, hw, work) for layout in LAYOUTS]
    rows = {
        "micro-batches of a rank": [f"{e['micro']:.0f}" for e in found],
        "compute, s": [f"{e['compute']:.0f}" for e in found],
        "traffic, s": [f"{e['traffic']:.0f}" for e in found],
        "tokens of a micro-batch that hide its traffic": [f"{e['least']:,.0f}" for e in found],
        "tokens it has": [f"{e['mean']:,.0f}" for e in found],
        "tokens/s, all GPUs": [f"{work.tokens / e['seconds']:,.0f}" for e in found],
    }
    return table(["", *(layout.name for layout in LAYOUTS)], rows)


def step_table(hw: Hardware, work: Work) -> str:
    """Colocated, rollouts and updates take turns; apart, they overlap, with rollouts a step behind."""
    columns = []
    for layout in LAYOUTS:
        play, learn, move = (
            sampling(layout, hw, work)["seconds"],
            training(layout, hw, work)["seconds"],
            sync(layout, hw),
        )
        step = (play + learn if layout.colocated else max(play, learn)) + move["seconds"]
        gpus = layout.train_gpus + (0 if layout.colocated else layout.sample_gpus)
        turns = work.rollouts * work.turns / play
        columns.append(
            {
                "rollouts, s": f"{play:.0f}",
                "updates, s": f"{learn:.0f}",
                "rollouts : updates": f"{play / learn:.2f} : 1",
                "weights received by a sampling GPU, GB": f"{move['bytes'] / GB:.1f}",
                "weight sync over links, s": f"{move['seconds']:.2f}",
                "through a shared folder, s": f"{move['folder']:.0f}",
                "**step, s** (sync over links)": f"**{step:.0f}**",
                "500 steps, hours": f"{500 * step / 3600:.0f}",
                "500 steps, GPU hours": f"{500 * step / 3600 * gpus:,.0f}",
                "environment turns/s": f"{turns:.0f}",
                "CPU cores, programs of ten assertions": f"{math.ceil(turns / work.programs_per_core_s)}",
                "CPU cores, test suites of 1 s": f"{math.ceil(turns * work.heavy_program_s)}",
            }
        )
    rows = {name: [column[name] for column in columns] for name in columns[0]}
    return table(["", *(layout.name for layout in LAYOUTS)], rows)


def tables(hw: Hardware, work: Work) -> dict[str, str]:
    """Return the tables by name."""
    return {
        "models": model_table(),
        "memory": memory_table(hw),
        "sampling": sampling_table(hw, work),
        "training": training_table(hw, work),
        "steps": step_table(hw, work),
    }


if __name__ == "__main__":
    for name, text in tables(Hardware(), Work()).items():
        print(f"{name}\n\n{text}")
