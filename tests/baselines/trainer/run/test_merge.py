"""The mean of trained models: what comes out, and which models cannot be added up."""

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from turnwise.baselines.trainer.model.tiny import save, tiny_model, tiny_tokenizer
from turnwise.cli.main import run

TEXTS = ["red blue", "green black"]


@pytest.fixture
def folders(tmp_path):
    tokenizer = tiny_tokenizer(TEXTS)
    for seed in range(2):
        save(tiny_model(tokenizer, seed, layers=1, width=8, heads=2), tokenizer, tmp_path / str(seed))
    return [str(tmp_path / str(seed)) for seed in range(2)]


def test_the_mean_of_two_models(folders, tmp_path):
    out = str(tmp_path / "mean")
    assert run(["merge", *folders, "--out", out, "--weights", "3", "1"]) == 0
    one, two, mean = (AutoModelForCausalLM.from_pretrained(folder).state_dict() for folder in (*folders, out))
    assert not torch.equal(one["model.embed_tokens.weight"], two["model.embed_tokens.weight"])
    for name, value in mean.items():
        torch.testing.assert_close(value, 0.75 * one[name] + 0.25 * two[name])
    assert AutoTokenizer.from_pretrained(out).get_vocab() == AutoTokenizer.from_pretrained(folders[0]).get_vocab()


def test_what_cannot_be_added_up_is_refused(folders, tmp_path, capsys):
    out = ["--out", str(tmp_path / "mean")]
    other = tiny_tokenizer(["something else entirely"])
    save(tiny_model(other, 0, layers=1, width=8, heads=2), other, tmp_path / "other")
    tokenizer = tiny_tokenizer(TEXTS)
    save(tiny_model(tokenizer, 0, layers=2, width=8, heads=2), tokenizer, tmp_path / "deep")
    for words, why in (
        ([folders[0]], "there are 1 models and 1 weights"),
        ([*folders, "--weights", "1"], "there are 2 models and 1 weights"),
        ([*folders, "--weights", "0", "0"], "not all 0"),
        ([folders[0], str(tmp_path / "other")], "another vocabulary"),
        ([folders[0], str(tmp_path / "deep")], "other names or shapes"),
        ([folders[0], str(tmp_path / "nothing")], "nothing"),
    ):
        assert run(["merge", *words, *out]) == 2
        assert why in capsys.readouterr().err
    assert not (tmp_path / "mean").exists()
