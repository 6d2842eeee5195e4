"""What a run shows of itself: sample episodes, the lines it prints, and when it ends early."""

import io
import json
import sys

import numpy as np
import pytest
import torch

from tests.baselines.trainer._small import config, metrics, small, start, train, weights
from turnwise.baselines.methods.curricula.base import TaskSpec
from turnwise.baselines.trainer import train as module
from turnwise.baselines.trainer.model.tiny import tiny_tokenizer
from turnwise.baselines.trainer.rollouts import Group, Rollout
from turnwise.baselines.trainer.run.log import Logger
from turnwise.baselines.trainer.run.samples import pieces, readable, sample_episodes
from turnwise.baselines.trainer.run.stop import Target
from turnwise.core.durations import duration


def kept(folder):
    return [json.loads(line) for line in (folder / "samples.jsonl").read_text().splitlines()]


# ---- sample episodes -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_whole_groups_are_kept_with_what_was_said_paid_and_learned(tmp_path):
    run = train(small(tmp_path, steps=5, sample_every=2, sample_groups=2, env_settings={"dense": True}))
    records = kept(tmp_path)
    groups = {}
    for record in records:
        groups.setdefault((record["step"], record["group"]), []).append(record)
    assert [step for step, _ in groups] == [1, 1, 2, 2, 4, 4, 5, 5], "the first step, every second, the last"
    for members in groups.values():
        assert [r["rollout"] for r in members] == [0, 1, 2]
        assert len({(r["env"], r["seed"]) for r in members}) == 1, "one task"
        returns = np.array([r["return"] for r in members])
        expected = (returns - returns.mean()) / (returns.std(ddof=1) + 1e-6) if np.ptp(returns) else 0 * returns
        for record, advantage in zip(members, expected, strict=True):
            turns = record["turns"]
            assert sum(turn["reward"] for turn in turns) == pytest.approx(record["return"])
            assert [turn["advantage"] for turn in turns] == pytest.approx([advantage] * len(turns), abs=1e-3)
            assert record["solved"] == (record["status"] == "done" and record["final_observation"] == "yes")
            for turn in turns:
                ids = turn["tokens"]
                said = ids[:-1] if ids[-1] == run.policy.tokenizer.eos_token_id else ids
                assert run.policy.tokenizer.decode(said) == turn["action"]
                assert len(turn["logprobs"]) == len(turn["tokens"]) and max(turn["logprobs"]) <= 0
                assert "".join(turn["pieces"]).removesuffix("<|e|>") == turn["action"]
                assert len(turn["pieces"]) == len(turn["gaps"]) == len(turn["entropies"]) == len(ids)
                assert max(map(abs, turn["gaps"])) < 1e-5
                assert "advantages" not in turn, "one number says it: this method credits rollouts"
            assert turns[0]["observation"].startswith("Say ")
    assert any(np.ptp([r["return"] for r in members]) for members in groups.values()), "some had something to teach"
    assert any(gap for r in records for turn in r["turns"] for gap in turn["gaps"]), "not the sampler's own numbers"


def test_what_is_kept_of_a_token_is_what_the_policy_sees(tmp_path):
    """Entropy and log-probability of the tokens by a plain pass of the model that played the first step."""
    run = start(small(tmp_path, sample_groups=4))
    played = run.source.take(run.curriculum, 0)
    batch = module.credit(run, module.choose(run, played))[0]
    records = sample_episodes(run.cfg, 1, batch, played, run.policy, module.partial(module.score, run), last=False)
    assert len(records) == 12
    for record in records:
        [stream] = played[record["group"]].rollouts[record["rollout"]].streams
        with torch.no_grad():
            table = run.policy.model(input_ids=torch.tensor([stream.ids])).logits[0].double().log_softmax(-1)
        at = np.flatnonzero(stream.mask)
        entropies = -(table.exp() * table).sum(-1).numpy()[at - 1]
        logps = table[at - 1, torch.tensor(stream.ids)[at]].numpy()
        turns = record["turns"]
        assert [e for turn in turns for e in turn["entropies"]] == pytest.approx(entropies.tolist(), abs=1e-4)
        gaps = [logp + gap for turn in turns for logp, gap in zip(turn["logprobs"], turn["gaps"], strict=True)]
        assert gaps == pytest.approx(logps.tolist(), abs=1e-5)


def test_advantages_are_kept_per_token_where_they_differ_within_a_turn(tmp_path):
    train(small(tmp_path, steps=2, sample_every=1, sample_groups=4, env_settings={"dense": True}, credit="gae"))
    turns = [turn for record in kept(tmp_path) for turn in record["turns"] if len(turn["tokens"]) > 1]
    assert any("advantages" in turn for turn in turns)
    for turn in turns:
        if "advantages" in turn:
            assert len(turn["advantages"]) == len(turn["tokens"])
            assert np.mean(turn["advantages"]) == pytest.approx(turn["advantage"], abs=1e-3)


def test_the_same_test_tasks_are_kept_of_each_evaluation(tmp_path):
    run = train(small(tmp_path, steps=2, eval_tasks=12))
    tests = [r for r in kept(tmp_path) if r["split"] == "test"]
    assert [r["step"] for r in tests] == [0] * 8 + [2] * 8
    assert [r["seed"] for r in tests[:8]] == [r["seed"] for r in tests[8:]]
    assert all(set(turn) == {"observation", "action", "reward", "invalid"} for r in tests for turn in r["turns"])
    again = run.source.evaluate(2, greedy=False)[:8]
    assert [r["return"] for r in tests[8:]] == [group.rollouts[0].total for group in again]


@pytest.mark.parametrize("text", ["", "say 12 €", "naïve 日本語 🎉🎉", "\ufffd\ufffd", "  two  spaces\n"])
def test_pieces_are_the_text(text):
    tokenizer = tiny_tokenizer(["say 12 to the naïve"])
    ids = tokenizer(text)["input_ids"]
    decode = module.partial(tokenizer.decode, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    found = pieces(ids, decode)
    assert len(found) == len(ids) and "".join(found) == decode(ids) == text
    assert "".join(pieces(ids[:-1], decode)) == decode(ids[:-1]), "also where a character was cut in two"


@pytest.mark.slow
def test_groups_that_teach_come_first_and_failures_are_shown_as_such(tmp_path):
    train(small(tmp_path, steps=6, sample_every=1, env_settings={"fail": 0.3}))
    errors = [r for r in kept(tmp_path) if r["status"] == "error"]
    assert errors and all("word server" in r["error"] and not r["kept"] for r in errors)
    assert all(turn["advantage"] is None for r in errors for turn in r["turns"])


def test_no_samples_where_none_are_wanted(tmp_path):
    train(small(tmp_path, steps=2, sample_every=0))
    assert not (tmp_path / "samples.jsonl").exists()


def test_a_printed_episode_is_short_and_harmless():
    turn = {"observation": "a\nb", "action": "\x1b[2J" + "x" * 5000, "reward": 0.5, "advantage": 1.25, "invalid": True}
    record = {
        "step": 3, "group": 0, "rollout": 1, "env": "turnwise/X-v0", "seed": 7, "return": 0.5, "solved": False,
        "truncated": True, "status": "truncated", "error": "", "turns": [turn] * 20, "final_observation": "end",
    }  # fmt: skip
    text = "\n".join(readable([record]))
    assert "sample episode of step 3: X-v0, seed 7, rollout 2 of 1 (returns 0.5): not solved, truncated" in text
    assert "[reward 0.5, advantage +1.25, invalid]" in text and "12 more turns in samples.jsonl" in text
    assert "\x1b" not in text and "\\x1b[2J" in text and len(text) < 8 * 800
    assert readable([]) == []


# ---- lines ---------------------------------------------------------------------------------------------------------


def test_the_log_says_what_runs_and_how_far_it_is(tmp_path, capsys):
    cfg = small(tmp_path, steps=3, sample_every=2)
    run = train(cfg, stop_after=2, quiet=False)
    out = capsys.readouterr().out
    assert "environment tests/Repeat-v0 (max_turns=2)" in out
    size = sum(p.numel() for p in run.policy.model.parameters())
    assert f"model tiny: {size:,} parameters, fp32, on cpu" in out
    assert "3 steps, each of 4 tasks x 3 rollouts = 12 rollouts, at most 96 sampled tokens" in out
    assert f"results in {tmp_path}" in out
    steps = [line for line in out.splitlines() if line.startswith("step ")]
    assert len(steps) == 2 and all(" s/step  ETA " in line for line in steps)
    assert steps[0].split()[1] == "1/3" and "sample episode of step 1: " in out and "sample episode of step 2: " in out
    train(cfg, resume=True, quiet=False)
    assert "3 steps, after 2 of them, each of" in capsys.readouterr().out


def test_the_warm_start_says_how_far_it_is(tmp_path, capsys):
    from turnwise.baselines.trainer.train import start

    run = start(small(tmp_path, warm_steps=10), resume=False, quiet=False)
    run.log.close()
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("warm start")]
    assert [line.split()[2] for line in lines] == ["2/10", "4/10", "6/10", "8/10", "10"]
    assert all("s/step  ETA" in line for line in lines[:-1])


def test_steps_that_teach_nothing_are_warned_of(tmp_path, capsys):
    """All rollouts fail when a turn has room for no whole word; the count goes on after a resume."""
    cfg = small(tmp_path, steps=12, groups_per_step=2, minibatches=1, max_new_tokens=1, warm_steps=0, save_every=4)
    train(cfg, stop_after=9, quiet=False)
    assert "WARNING" not in capsys.readouterr().out
    train(cfg, resume=True, quiet=False)
    [warning] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("WARNING")]
    assert "for 10 steps" in warning and "--group-size" in warning and "easier task" in warning


def test_what_cannot_be_written_is_escaped(tmp_path, monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    log = Logger(tmp_path, config(tmp_path))
    log.say("é\ud800")
    log.close()
    assert raw.getvalue() == b"\\xe9\\ud800\n"


def test_durations():
    assert [duration(s) for s in (0.4, 59.4, 185, 7800)] == ["0 s", "59 s", "3 min 05 s", "2 h 10 min"]


# ---- an early end --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_ends_once_its_target_is_held(tmp_path):
    """And at the same step, with the same bytes, where it was interrupted within the window."""
    changes = {"steps": 40, "groups_per_step": 16, "group_size": 8, "lr": 4e-3, "eval_tasks": 8}
    changes |= {"stop_at": 0.25, "stop_window": 3}
    whole = train(config(tmp_path / "a", **changes))
    solved = metrics(whole.folder, "train", "solved")
    means = [np.mean(solved[i - 3 : i]) for i in range(3, len(solved) + 1)]
    assert whole.step == len(solved) < 40
    assert means[-1] >= 0.25 > max(means[:-1]), "the first step at which the window holds it"
    assert metrics(whole.folder, "eval", "step") == [0, whole.step], "what it has learned is measured"
    assert f"{whole.step} of 40 steps" in (whole.folder / "report.md").read_text()
    cfg = config(tmp_path / "b", **changes)
    train(cfg, stop_after=whole.step - 1)
    parts = train(cfg, resume=True)
    assert parts.step == whole.step and torch.equal(weights(whole), weights(parts))
    for name in ("metrics.jsonl", "samples.jsonl"):
        assert (whole.folder / name).read_bytes() == (parts.folder / name).read_bytes()
    again = train(cfg, resume=True)
    assert again.step == whole.step, "it stays ended"
    further = train(config(tmp_path / "b", **changes | {"stop_at": 0.0}), resume=True, stop_after=whole.step + 1)
    assert further.step == whole.step + 1, "unless it is asked to go on"


def test_rollouts_that_failed_do_not_count_for_the_target():
    def group(*ends):
        task = TaskSpec("tests/Repeat-v0", {}, 0)
        return Group(task, tuple(Rollout(task.job(), status=s, solved=s == "done") for s in ends))

    target = Target(0.6, 2)
    target.observe([group("done", "error", "error")])
    assert not target.reached, "one step is not the window"
    target.observe([group("done", "truncated"), group("error")])
    assert target.solved == pytest.approx(2 / 3) and target.reached
    assert "66.7 %" in target.reason(2)
    other = Target(0.6, 2)
    other.load_state_dict(target.state_dict())
    assert other.reached
    target.observe([group("truncated", "truncated")])
    assert not target.reached and not Target(0.0, 1).reached
