"""Context policies: what the policy reads before each turn, and that all of what it sampled is trained once."""

from dataclasses import dataclass

import numpy as np
import pytest

from tests.baselines.trainer.test_train import config
from turnwise.baselines.methods.curricula import TaskSpec
from turnwise.baselines.trainer import train as module
from turnwise.baselines.trainer.batch import make_row
from turnwise.baselines.trainer.collect import Play, Trajectory
from turnwise.baselines.trainer.context import CONTEXTS
from turnwise.baselines.trainer.tiny import tiny_tokenizer
from turnwise.baselines.trainer.train import train
from turnwise.baselines.trainer.warmstart import teacher_stream
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.engine.tokens import make_renderer


@dataclass(frozen=True)
class Walk:
    number: int


@register("tests/Walk-v0")
class WalkOn(Env[Walk]):
    """Say anything, six times; the observation counts."""

    max_turns: int = 6

    def generate(self, rng: np.random.Generator) -> Walk:
        return Walk(int(rng.integers(1000)))

    def begin(self) -> str:
        self.said = 0
        return "go"

    def respond(self, action: str) -> Reply:
        self.said += 1
        return Reply(f"at {self.said}", solved=self.said == self.max_turns)

    def oracle(self) -> str:
        return "on"

    def sample_action(self, rng: np.random.Generator) -> str:
        return "on"


POLICIES = {
    "append": {},
    "row_per_turn": {},
    "window": {"turns": 2},
    "drop_observations": {"keep": 1},
    "summarise": {"max_tokens": 14},
}


@pytest.fixture(scope="module")
def renderer():
    return make_renderer(tiny_tokenizer(["go at 1 2 3 4 5 6 on (omitted)"], 300))


def played(context, renderer, turns=5):
    """What is read before each turn, as text, where the policy answers a0, a1, ..."""
    first = context.opening("go")
    rows, row = [], list(first.ids)
    for turn in range(turns):
        rows.append(renderer.tokenizer.decode(row))
        row += renderer.action(f"a{turn}")
        following = context.after(renderer.action(f"a{turn}"), f"at {turn + 1}", closed=True, length=len(row))
        while following.internal:
            row += following.ids
            rows.append(renderer.tokenizer.decode(row))
            row = context.summarised(renderer.action("sum")).ids
            following = type(following)([], fresh=False)
        row = list(following.ids) if following.fresh else row + following.ids
    return rows


def test_append_and_row_per_turn_read_the_same(renderer):
    assert played(CONTEXTS["append"](renderer), renderer) == played(CONTEXTS["row_per_turn"](renderer), renderer)


def test_window_keeps_the_first_observation_and_the_last_turns(renderer):
    rows = played(CONTEXTS["window"](renderer, turns=2), renderer)
    assert rows[2] == "<|u|>go<|a|>a0<|e|><|u|>at 1<|a|>a1<|e|><|u|>at 2<|a|>"
    assert rows[3] == "<|u|>go<|a|>a1<|e|><|u|>at 2<|a|>a2<|e|><|u|>at 3<|a|>"
    assert rows[4] == "<|u|>go<|a|>a2<|e|><|u|>at 3<|a|>a3<|e|><|u|>at 4<|a|>"


def test_old_observations_are_dropped_and_actions_stay(renderer):
    rows = played(CONTEXTS["drop_observations"](renderer, keep=1), renderer)
    assert rows[1] == "<|u|>go<|a|>a0<|e|><|u|>at 1<|a|>"
    assert rows[3] == "<|u|>go<|a|>a0<|e|><|u|>(omitted)<|a|>a1<|e|><|u|>(omitted)<|a|>a2<|e|><|u|>at 3<|a|>"


def test_a_summary_takes_the_place_of_what_it_sums_up(renderer):
    context = CONTEXTS["summarise"](renderer, max_tokens=12, instruction="sum up")
    rows = played(context, renderer, turns=4)
    asked = next(i for i, row in enumerate(rows) if row.endswith("sum up<|a|>"))
    latest = rows[asked].rpartition("<|u|>")[2].partition("\n")[0]
    assert rows[asked + 1].startswith(f"<|u|>go\n\nsum up<|a|>sum<|e|><|u|>{latest}<|a|>")


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_every_sampled_token_is_trained_once(tmp_path, name):
    cfg = config(
        tmp_path, env="tests/Walk-v0", context=name, context_settings=POLICIES[name], warm_steps=5, eval_tasks=0
    )
    run = module.start(cfg, resume=False, quiet=True)
    task = TaskSpec("tests/Walk-v0", {}, 3)
    trajectories = run.source.collector.play([Play(task, (0, 0, 0, 0, i)) for i in range(4)])
    for trajectory in trajectories:
        turns = [t for s in trajectory.streams for t, m in zip(s.turns, s.mask, strict=True) if m]
        assert turns == sorted(turns) and set(turns) == set(range(trajectory.num_turns))
        assert len(trajectory.streams) == {"append": 1, "row_per_turn": 6}.get(name, len(trajectory.streams))
        rows = [row for s in trajectory.streams if (row := make_row(s, np.zeros(trajectory.num_turns))) is not None]
        logps, _ = module.score(run, run.policy, rows)
        sampled = np.concatenate([row.old_logps for row in rows])
        np.testing.assert_allclose(logps.numpy(), sampled, atol=1e-5)  # it was sampled from what the row says
        assert Trajectory.from_dict(trajectory.to_dict()) == trajectory
    if name != "append":
        assert any(len(t.streams) > 1 for t in trajectories)
    run.source.close()


def test_context_settings_are_checked(tmp_path):
    with pytest.raises(SettingsError, match="context must be one of"):
        config(tmp_path, context="forget")
    with pytest.raises(SettingsError, match="window has no settings"):
        config(tmp_path, context="window", context_settings={"turn": 2})


@pytest.mark.parametrize(
    ("context", "setting"), [("window", "turns"), ("drop_observations", "keep"), ("summarise", "max_tokens")]
)
@pytest.mark.parametrize("value", [0, -1, True, "2", 1.5])
def test_nothing_kept_is_refused_before_the_run(tmp_path, context, setting, value):
    """``[-0:]`` is everything: a window of no turns kept all of them."""
    with pytest.raises(SettingsError, match=f"{context}: {setting} is {value!r}; it must be a whole number"):
        config(tmp_path, context=context, context_settings={setting: value})


def test_rows_of_a_rollout_share_its_advantage(tmp_path):
    """SUPO: the summary and what came before and after it are credited with the rollout's one return."""
    cfg = config(
        tmp_path,
        env="tests/Walk-v0",
        context="summarise",
        context_settings={"max_tokens": 14},
        credit="supo",
        warm_steps=5,
        eval_tasks=0,
        steps=1,
    )
    run = train(cfg, quiet=True)
    groups = run.source.take(run.curriculum, 0)
    for i, group in enumerate(groups):
        for j, trajectory in enumerate(group.trajectories):
            trajectory.signal[-1] = float((i + j) % 2)
    for rows, group in zip(module.credit(run, groups), groups, strict=True):
        values = {float(a) for row in rows for a in row.advantages}
        finished = [t for t in group.trajectories if t.status == "done"]
        assert len(values) <= 3 and sum(len(t.streams) for t in finished) <= len(rows)


@pytest.mark.parametrize("threads", [0, 2])
def test_a_fault_of_our_own_is_no_failed_environment(tmp_path, monkeypatch, threads):
    """What goes wrong outside the environment ends the run, in a thread too; the rollout does not go on without it."""
    cfg = config(tmp_path, env="tests/Walk-v0", warm_steps=0, eval_tasks=0, env_threads=threads)
    run = module.start(cfg, resume=False, quiet=True)
    monkeypatch.setattr(CONTEXTS["append"], "after", lambda *args, **kwargs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run.source.take(run.curriculum, 0)


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_every_row_begins_with_the_system_message(tmp_path, name):
    own = {"context": name, "context_settings": POLICIES[name], "system": "Be brief."}
    cfg = config(tmp_path, env="tests/Walk-v0", warm_steps=5, eval_tasks=0, **own)
    run = module.start(cfg, resume=False, quiet=True)
    decode = run.policy.tokenizer.decode
    [trajectory] = run.source.collector.play([Play(TaskSpec("tests/Walk-v0", {}, 3), (0, 0, 0, 0, 0))])
    assert all(decode(stream.ids).startswith("<|s|>Be brief.<|u|>") for stream in trajectory.streams)
    assert len(trajectory.streams) > 1 or name == "append"
    run.source.close()


def test_the_warm_start_clones_answers_to_the_system_message(renderer):
    stream = teacher_stream(renderer, [("go", "on"), ("at 1", "on")], 99, "Be brief.")
    text = renderer.decode(stream.ids)
    assert text.startswith("<|s|>Be brief.<|u|>go<|a|>on") and text.count("Be brief.") == 1
