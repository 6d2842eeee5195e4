"""Context policies: what the policy reads before each turn, and that all of what it sampled is trained once."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from tests._work import one_in
from tests.baselines.methods._made import under
from tests.baselines.trainer._small import config
from tests.baselines.trainer.test_train import with_rewards
from turnwise.baselines.methods.curricula.base import TaskSpec
from turnwise.baselines.trainer import train as module
from turnwise.baselines.trainer.advantage import Batch
from turnwise.baselines.trainer.batch import make_row
from turnwise.baselines.trainer.context import CONTEXTS, make_context
from turnwise.baselines.trainer.model.tiny import tiny_tokenizer
from turnwise.baselines.trainer.parts import Append, DropObservations, RowPerTurn, Summarise, Window
from turnwise.baselines.trainer.rollouts import Rollout
from turnwise.baselines.trainer.train import train
from turnwise.baselines.trainer.warmstart import cloned_rows
from turnwise.core.agent import Action
from turnwise.core.env import Env, Reply
from turnwise.core.episode import Job
from turnwise.core.errors import SettingsError
from turnwise.core.player import play_in
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
    first = context.opening([{"role": "user", "content": "go"}])
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
    assert played(make_context(Append(), renderer), renderer) == played(make_context(RowPerTurn(), renderer), renderer)


def test_window_keeps_the_first_observation_and_the_last_turns(renderer):
    rows = played(make_context(Window(turns=2), renderer), renderer)
    assert rows[2] == "<|u|>go<|a|>a0<|e|><|u|>at 1<|a|>a1<|e|><|u|>at 2<|a|>"
    assert rows[3] == "<|u|>go<|a|>a1<|e|><|u|>at 2<|a|>a2<|e|><|u|>at 3<|a|>"
    assert rows[4] == "<|u|>go<|a|>a2<|e|><|u|>at 3<|a|>a3<|e|><|u|>at 4<|a|>"


def test_old_observations_are_dropped_and_actions_stay(renderer):
    rows = played(make_context(DropObservations(keep=1), renderer), renderer)
    assert rows[1] == "<|u|>go<|a|>a0<|e|><|u|>at 1<|a|>"
    assert rows[3] == "<|u|>go<|a|>a0<|e|><|u|>(omitted)<|a|>a1<|e|><|u|>(omitted)<|a|>a2<|e|><|u|>at 3<|a|>"


def test_a_summary_takes_the_place_of_what_it_sums_up(renderer):
    context = make_context(Summarise(max_tokens=12, instruction="sum up"), renderer)
    rows = played(context, renderer, turns=4)
    asked = next(i for i, row in enumerate(rows) if row.endswith("sum up<|a|>"))
    latest = rows[asked].rpartition("<|u|>")[2].partition("\n")[0]
    assert rows[asked + 1].startswith(f"<|u|>go\n\nsum up<|a|>sum<|e|><|u|>{latest}<|a|>")


@pytest.mark.parametrize("name", one_in(3, sorted(POLICIES)))
def test_every_sampled_token_is_trained_once(tmp_path, name):
    cfg = config(
        tmp_path, env="tests/Walk-v0", context=name, warm_steps=5, eval_tasks=0, **under("context", POLICIES[name])
    )
    run = module.start(cfg, resume=False, quiet=True)
    task = TaskSpec("tests/Walk-v0", {}, 3)
    rollouts = run.source.collector.play([task.job((0, 0, 0, i)) for i in range(4)])
    for rollout in rollouts:
        turns = [t for s in rollout.streams for t, m in zip(s.turns, s.mask, strict=True) if m]
        assert turns == sorted(turns) and set(turns) == set(range(rollout.num_turns))
        assert len(rollout.streams) == {"append": 1, "row_per_turn": 6}.get(name, len(rollout.streams))
        rows = [row for s in rollout.streams if (row := make_row(s, np.zeros(rollout.num_turns))) is not None]
        logps, _ = module.score(run, run.policy, rows)
        sampled = np.concatenate([row.old_logps for row in rows])
        np.testing.assert_allclose(logps.numpy(), sampled, atol=1e-5)  # it was sampled from what the row says
        assert Rollout.from_dict(rollout.to_dict()) == rollout
    if name != "append":
        assert any(len(t.streams) > 1 for t in rollouts)
    run.source.close()


def test_context_settings_are_checked(tmp_path):
    with pytest.raises(SettingsError, match=r"context is .forget.; it must be one of"):
        config(tmp_path, context="forget")
    with pytest.raises(SettingsError, match=r"context is 'window', which has no setting 'turn' .did you mean 'turns'"):
        config(tmp_path, context="window", **{"context.turn": 2})


@pytest.mark.parametrize(
    ("context", "setting"), [("window", "turns"), ("drop_observations", "keep"), ("summarise", "max_tokens")]
)
@pytest.mark.parametrize("value", [0, -1, True, "2", 1.5])
def test_nothing_kept_is_refused_before_the_run(tmp_path, context, setting, value):
    """``[-0:]`` is everything: a window of no turns kept all of them."""
    with pytest.raises(SettingsError, match=rf"context\.{setting} is {value!r}; it must be .*at least 1"):
        config(tmp_path, context=context, **{f"context.{setting}": value})


@pytest.mark.slow
def test_rows_of_a_rollout_share_its_advantage(tmp_path):
    """SUPO: the summary and what came before and after it are credited with the rollout's one return."""
    cfg = config(
        tmp_path,
        env="tests/Walk-v0",
        context="summarise",
        **{"context.max_tokens": 14},
        credit="supo",
        warm_steps=5,
        eval_tasks=0,
        steps=1,
    )
    run = train(cfg, quiet=True)
    groups = run.source.take(run.curriculum, 0)
    groups = [
        replace(g, rollouts=tuple(with_rewards(t, float((i + j) % 2)) for j, t in enumerate(g.rollouts)))
        for i, g in enumerate(groups)
    ]
    for rows, group in zip(module.credit(run, Batch.of(groups))[1], groups, strict=True):
        values = {float(a) for row in rows.own for a in row.advantages}
        finished = [t for t in group.rollouts if t.status == "done"]
        assert len(values) <= 3 and sum(len(t.streams) for t in finished) <= len(rows.own)


@pytest.mark.parametrize("threads", [0, 2])
def test_a_fault_of_our_own_is_no_failed_environment(tmp_path, monkeypatch, threads):
    """What goes wrong outside the environment ends the run, in a thread too; the rollout does not go on without it."""
    cfg = config(tmp_path, env="tests/Walk-v0", warm_steps=0, eval_tasks=0, env_threads=threads)
    run = module.start(cfg, resume=False, quiet=True)
    monkeypatch.setattr(CONTEXTS["append"].function, "after", lambda *args, **kwargs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run.source.take(run.curriculum, 0)


@pytest.mark.parametrize("name", one_in(3, sorted(POLICIES)))
def test_every_row_begins_with_the_system_message(tmp_path, name):
    own = {"context": name, "system": "Be brief.", **under("context", POLICIES[name])}
    cfg = config(tmp_path, env="tests/Walk-v0", warm_steps=5, eval_tasks=0, **own)
    run = module.start(cfg, resume=False, quiet=True)
    decode = run.policy.tokenizer.decode
    [rollout] = run.source.collector.play([TaskSpec("tests/Walk-v0", {}, 3).job((0, 0, 0, 0))])
    assert all(decode(stream.ids).startswith("<|s|>Be brief.<|u|>") for stream in rollout.streams)
    assert len(rollout.streams) > 1 or name == "append"
    run.source.close()


def test_the_warm_start_clones_answers_to_the_system_message(renderer):
    episode = play_in(WalkOn(max_turns=2), lambda play: Action("on"), Job("", 0))
    [stream] = cloned_rows(renderer, episode, 99, "Be brief.")
    text = renderer.decode(stream.ids)
    assert text.startswith("<|s|>Be brief.<|u|>go<|a|>on") and text.count("Be brief.") == 1
