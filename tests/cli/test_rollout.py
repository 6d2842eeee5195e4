"""``turnwise rollout``: the same file from a local model and from servers, continued, and refused without tokens."""

import dataclasses
from pathlib import Path

import pytest
import torch

from tests._token_server import serving_tokens
from turnwise.agents.make import make_agent
from turnwise.agents.tokens import TokensAgent
from turnwise.baselines.trainer.model.tiny import save, tiny_model, tiny_tokenizer
from turnwise.cli.main import run
from turnwise.core.episode import read_episodes
from turnwise.core.errors import SettingsError
from turnwise.evaluation.rollouts import RolloutRow, read_rollouts

MAX_LEN = 2048
WORDS = ["rollout", "GuessNumber:max_turns=3", "--num-tasks", "3", "--num-samples", "2", "--keep-cut"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tokenizer = tiny_tokenizer(["I am thinking of a number from 1 to 32.", "Higher.", "Lower."])
    path = tmp_path_factory.mktemp("tiny")
    save(tiny_model(tokenizer, 3, width=32, max_len=MAX_LEN, init_std=0.3), tokenizer, path)
    return path


def rows(path: Path) -> list[RolloutRow]:
    return [dataclasses.replace(row, agent="") for row in read_rollouts(path)]


@pytest.mark.slow
def test_the_same_file_from_a_local_model_and_from_servers(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    options = ["--agent-options", "temperature=0"]
    mine = [*WORDS, "--agent", f"hf:{folder}", *options, "max_new_tokens=8", "--out", str(tmp_path / "hf")]
    assert run(mine) == 0, capsys.readouterr()
    assert "6 rollouts: 6 valid" in capsys.readouterr().out
    ours = rows(tmp_path / "hf" / "rollouts.jsonl")
    assert [(row.sample, row.num_rows, row.split) for row in ours] == [(0, 1, "train"), (1, 1, "train")] * 3
    assert len({row.group for row in ours}) == len({row.task_id for row in ours}) == 3
    with serving_tokens(model.eval(), tokenizer, MAX_LEN) as server:
        for kind in ("vllm", "sglang"):
            theirs = [*WORDS, "--agent", f"{kind}:tiny@{server.url}", *options, "max_tokens=8", f"tokenizer={folder}"]
            out = ["--out", str(tmp_path / kind), "--format", "parquet", "--version", "4"]
            assert run([*theirs, *out]) == 0, capsys.readouterr()
            found = rows(tmp_path / kind / "rollouts.parquet")
            same = {"logps": (), "version": 0}
            assert [dataclasses.replace(r, **same) for r in found] == [dataclasses.replace(r, **same) for r in ours]
            logps = [[row.logps for row in own] for own in (ours, found)]
            for a, b in zip(*logps, strict=True):
                assert torch.allclose(torch.tensor(a), torch.tensor(b), atol=1e-5)
            assert {row.version for row in found} == {4}
        asked = len(server.requests)
        assert run([*theirs, *out[:2]]) == 0 and len(server.requests) == asked, "nothing is played again"
        assert rows(tmp_path / "sglang" / "rollouts.jsonl") == [dataclasses.replace(row, version=0) for row in found]
        capsys.readouterr()
        strict = [word for word in theirs if word != "--keep-cut"]
        assert run([*strict, *out[:2]]) == 1
        assert "6 rollouts: 0 valid, 6 cut" in capsys.readouterr().out
    turn = next(read_episodes(tmp_path / "sglang" / "episodes.jsonl")).turns[0]
    assert turn.served and turn.served["weight_version"] == "default" and turn.tokens and turn.tokens.fresh


def test_what_is_refused(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ["--out", str(tmp_path / "x")]
    for words, says in (
        ([*WORDS, "--agent", "oracle", *out], "agent is 'oracle'; for rollouts it must be one that knows tokens"),
        ([*WORDS, *out], "agent is ''"),
        ([*WORDS, "--agent", f"hf:{folder}"], "--out: name the folder"),
        ([*WORDS, "--agent", "vllm:m@localhost:8000", *out], "did you mean 'vllm:m@http://localhost:8000'"),
        ([*WORDS, "--agent", "sglang:m", *out], "it must look like 'sglang:MODEL@http://localhost:8000'"),
        ([*WORDS, "--agent", "vllm:m@http://h:1/v1", "--agent-options", "route=sglang", *out], "but the agent is vllm"),
        ([*WORDS, "--agent", "vllm:m@http://h:1", "--agent-options", "top_p=1", *out], "no option"),
        ([*WORDS, "--agent", "vllm:no/such/model@http://h:1", *out], "set tokenizer to its folder or hub name"),
    ):
        assert run(words) == 2, words
        assert says in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_agents_by_name(folder: Path) -> None:
    for spec, path, options in (
        ("vllm:m@http://h:1/v1", "/v1/completions", {}),
        ("vllm:m@http://h:1", "/inference/v1/generate", {"route": "generate"}),
        ("sglang:m@http://h:1", "/generate", {}),
    ):
        agent = make_agent(spec, concurrency=3, tokenizer=str(folder), max_len=100, **options)
        assert isinstance(agent, TokensAgent) and (agent.name, agent.concurrency) == ("m", 3)
        assert agent.server.route.path == path and agent.server.client.url == "http://h:1"
        agent.close()
    with pytest.raises(SettingsError, match="max_tokens is 0"):
        make_agent("vllm:m@http://h:1", tokenizer=str(folder), max_tokens=0)
