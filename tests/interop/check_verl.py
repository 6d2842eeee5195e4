# requires: torch>=2.9,<2.14 verl>=0.9.1,<0.10 TransferQueue>=0.1.10 cachetools fastapi msgspec pyzmq uvicorn
"""verl's data set, worker and agent loop over our environments; only the server of the model is a stand-in."""

import asyncio
import importlib.util
import json
import os
import shlex
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
os.environ |= {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
import pyarrow.parquet
import verl
from hydra import compose, initialize_config_dir
from players import Outage, blocks, knowing, outside
from tiny import conversation, save
from transformers import AutoTokenizer
from verl import DataProto
from verl.experimental.agent_loop.agent_loop import AgentLoopWorker
from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn
from verl.workers.rollout.replica import TokenOutput

from turnwise.adapters.verl import dataset
from turnwise.core.errors import InfrastructureError

PAGE, MODEL, GROUP, PROMPT, LENGTH = "use_in_verl.md", "my-model", 2, 600, 400
Speak = Callable[[list[dict[str, str]]], str]


class Server:
    """Answers with the tokens of what ``speak`` says, and keeps what it was asked for and said."""

    def __init__(self, tokenizer: Any, speak: Speak) -> None:
        self.tokenizer, self.speak = tokenizer, speak
        self.asked: dict[str, list[tuple[list[int], list[int]]]] = {}

    async def generate(
        self, request_id: str, *, prompt_ids: list[int], sampling_params: dict[str, Any], **_: Any
    ) -> TokenOutput:
        words = self.speak(conversation(self.tokenizer.decode(prompt_ids)))
        ids = [*self.tokenizer.encode(words), self.tokenizer.eos_token_id]
        self.asked.setdefault(request_id, []).append((list(prompt_ids), ids))
        steps = {"global_steps": 3, "min_global_steps": len(self.asked[request_id]), "max_global_steps": 9}
        logps = [-0.5 - 0.001 * k for k in range(len(ids))] if sampling_params["logprobs"] else None
        return TokenOutput(token_ids=ids, log_probs=logps, extra_fields=steps)


def configured(*given: str) -> Any:
    """The configuration of a run with these settings."""
    with initialize_config_dir(str(Path(verl.__file__).parent / "trainer" / "config"), version_base=None):
        return compose("ppo_trainer", list(given))


def play(rows: list[Any], speak: Speak, config_file: str = "turnwise.yaml", length: int = LENGTH) -> tuple[Any, Server]:
    """A batch through verl's worker: two samples of every row."""
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), "rows.parquet")
    config = configured(
        f"actor_rollout_ref.model.path={Path(MODEL).absolute()}",
        "actor_rollout_ref.rollout.name=vllm",
        "actor_rollout_ref.rollout.calculate_log_probs=True",
        f"actor_rollout_ref.rollout.agent.agent_loop_config_path={Path(config_file).absolute()}",
        f"data.max_prompt_length={PROMPT}",
        f"data.max_response_length={length}",
    )
    tokenizer = AutoTokenizer.from_pretrained(MODEL)
    server = Server(tokenizer, speak)
    data = RLHFDataset("rows.parquet", tokenizer, config.data)
    batch = DataProto.from_single_dict(collate_fn([data[i] for i in range(len(data))])).repeat(GROUP, interleave=True)
    worker = AgentLoopWorker(config, server)
    return asyncio.run(worker.generate_sequences(batch)), server


def returns(batch: Any) -> list[float]:
    return [round(value, 6) for value in batch.batch["rm_scores"].sum(-1).tolist()]


def the_page() -> None:
    space: dict[str, Any] = {}
    for block in blocks(PAGE, "python"):
        exec(block, space)
    [text] = blocks(PAGE, "yaml")
    Path("turnwise.yaml").write_text(text)
    assert os.path.getsize("train.parquet") and len(space["rows"]) == 8
    [line] = blocks(PAGE, "bash")
    words = shlex.split(line)
    assert words[:3] == ["python", "-m", "verl.trainer.main_ppo"] and importlib.util.find_spec(words[2])
    config = configured(*words[3:])
    assert config.trainer.use_v1 and config.actor_rollout_ref.rollout.response_length == 4096


def a_model_plays() -> None:
    """Right answers are worth 1, wrong ones 0; a group plays one task; tokens, masks and logps are exact."""
    rows = list(dataset("FrozenLake", 2, system="Be brief.", size=4))
    batch, server = play(rows, knowing([row["extra_info"] for row in rows]))
    assert returns(batch) == [1.0] * 4 and list(batch.non_tensor_batch["solved"]) == [1.0] * 4
    starts = [tuple(ids.tolist()) for ids in batch.batch["prompts"]]
    assert starts[0] == starts[1] != starts[2] == starts[3]
    first = conversation(server.tokenizer.decode(starts[0], skip_special_tokens=False))
    assert [message["role"] for message in first] == ["system", "user"] and rows[0]["prompt"][-1] not in first
    left = dict(server.asked)
    for i in range(4):
        item = {name: batch.batch[name][i] for name in ("responses", "response_mask", "rollout_log_probs", "prompts")}
        size = int(batch.batch["attention_mask"][i, -LENGTH:].sum())
        mask = item["response_mask"][:size].bool()
        ids, logps = item["responses"][:size], item["rollout_log_probs"][:size]
        prompt = item["prompts"][batch.batch["attention_mask"][i, :PROMPT].bool()].tolist()
        whole = [*prompt, *ids.tolist()]
        name = next(name for name, turns in left.items() if whole == [*turns[-1][0], *turns[-1][1]])
        turns = left.pop(name)
        assert ids[mask].tolist() == [token for _, said in turns for token in said] and len(turns) > 1
        assert (logps[~mask] == 0).all() and (logps[mask] <= -0.5).all()
        assert all(after[: len(before + said)] == before + said for (before, said), (after, _) in pairwise(turns))
        assert batch.non_tensor_batch["__num_turns__"][i] == 2 * len(turns)
        assert batch.non_tensor_batch["min_global_steps"][i] == 1 and batch.non_tensor_batch["max_global_steps"][i] == 9
    batch, _ = play(rows, lambda said: "I do not know.")
    assert returns(batch) == [0.0] * 4 and list(batch.non_tensor_batch["truncated"]) == [1.0] * 4


def an_episode_that_is_too_long() -> None:
    """It is cut before an observation that does not fit, or inside a turn."""
    rows = list(dataset("FrozenLake", 1, size=4))
    for length, turns in ((3, 1), (200, 2)):
        batch, server = play(rows, lambda said: "I do not know.", length=length)
        assert returns(batch) == [0.0] * 2 and list(batch.non_tensor_batch["truncated"]) == [1.0] * 2
        size = int(batch.batch["attention_mask"][0, -length:].sum())
        assert size <= length and batch.batch["response_mask"][0, size - 1] == 1
        assert min(map(len, server.asked.values())) >= turns


def an_environment_that_fails() -> None:
    """It is begun again; if that never helps, the loop raises, or no token of the sample is trained."""
    rows = list(dataset("Outage", 1))
    word: Speak = lambda said: "fail" if len(said) == 1 else said[0]["content"].split()[1]  # noqa: E731
    Outage.left = 3
    batch, _ = play(rows, word)
    assert returns(batch) == [1.0] * 2 and Outage.left == 0
    assert list(batch.non_tensor_batch["environment_failed"]) == [0.0] * 2
    Outage.left = 1000
    failure = ""
    try:
        play(rows, word)
    except InfrastructureError as error:
        failure = str(error)
    assert "the sandbox is gone" in failure
    Path("masked.yaml").write_text(Path("turnwise.yaml").read_text() + "  mask_failed: true\n")
    batch, _ = play(rows, word, "masked.yaml")
    assert returns(batch) == [0.0] * 2 and not batch.batch["response_mask"].any()
    assert list(batch.non_tensor_batch["environment_failed"]) == [1.0] * 2
    assert json.loads(rows[0]["extra_info"]["settings"]) == {"split": "train"}


if __name__ == "__main__":
    outside()
    save(MODEL, ["Move on the ice. Answer with <answer>up</answer>."] * 20)
    for check in (the_page, a_model_plays, an_episode_that_is_too_long, an_environment_that_fails):
        check()
        print("ok", check.__name__, flush=True)
