"""docs/rollouts.md: its commands run against a server on this machine, its code reads what they wrote."""

import dataclasses
import re
import shlex
from pathlib import Path
from typing import Any, get_args

import pytest
import torch

from tests._token_server import serving_tokens
from turnwise.baselines.trainer.model.tiny import save, tiny_model, tiny_tokenizer
from turnwise.cli.main import run
from turnwise.evaluation.rollouts import AGENTS, Fault, RolloutRow, read_rollouts

PAGE = Path(__file__).parents[2] / "docs" / "rollouts.md"
pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="needs the checkout's docs")


@pytest.mark.slow
def test_the_commands_and_the_code_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = PAGE.read_text()
    lines = [line for line in re.findall(r"```\n(.*?)```", text, re.DOTALL)[0].splitlines() if line]
    tokenizer = tiny_tokenizer(["I am thinking of a number from 1 to 32.", "Higher.", "Lower."])
    model = tiny_model(tokenizer, 3, width=32, max_len=2048, init_std=0.3)
    with torch.no_grad():
        model.model.embed_tokens.weight[tokenizer.eos_token_id] *= 3  # so that most turns end by themselves
    save(model, tokenizer, tmp_path / "my-model")
    monkeypatch.chdir(tmp_path)
    with serving_tokens(model, tokenizer, 2048, name="my-model") as server:
        for line in lines:
            words = shlex.split(line.replace("http://localhost:8000", server.url))[1:]
            status = run([*words, "--agent-options", "max_tokens=60"])
            assert status == ("openai:" in line), capsys.readouterr()  # random weights write bytes that are not text
    assert len(lines) == 3
    code: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, "docs/rollouts.md", "exec"), code)
    whole = [row.valid for row in read_rollouts("runs/step0/rollouts.jsonl")]
    assert len(whole) == 8 and 0 < len(code["groups"]) <= 4
    assert {len(values) for values in code["batch"].values()} == {sum(whole)}
    for ids, rewards in zip(code["batch"]["response_ids"], code["batch"]["rewards"], strict=True):
        assert len(ids) == len(rewards)
    assert {row.fault for row in read_rollouts("runs/chat/rollouts.jsonl")} <= {"drift", "cut"}


def column(title: str) -> list[str]:
    rows = PAGE.read_text().partition(f"| {title} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]


def test_the_tables_are_whole() -> None:
    assert sorted(column("column")) == sorted([*(f.name for f in dataclasses.fields(RolloutRow)), "prompt_length"])
    assert column("`fault`") == [fault for fault in get_args(Fault) if fault]
    assert all(f"| `{kind}:" in PAGE.read_text() for kind in AGENTS)
