"""Training at tables of games: who sits where, what each seat is paid, past selves, and runs of a few steps."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.baselines.trainer._small import metrics, train, weights
from turnwise.baselines.methods.credit.roles import rae, role_averages
from turnwise.baselines.methods.curricula.base import TaskSpec
from turnwise.baselines.recipes.games import games_mcts, games_selfplay
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.games.past import PastSelves
from turnwise.baselines.trainer.games.records import by_seat, game_of
from turnwise.baselines.trainer.games.settings import TABLE, Opponents, Stage
from turnwise.baselines.trainer.games.tables import Tables, with_seating
from turnwise.baselines.trainer.rollouts import Group, Rollout
from turnwise.baselines.trainer.run.log import read_metrics
from turnwise.baselines.trainer.warmstart import teacher_seats
from turnwise.core.agent import Agent
from turnwise.core.draw import Draw
from turnwise.core.episode import Job
from turnwise.core.errors import SettingsError
from turnwise.core.player import Environments, Player, make_env
from turnwise.engine.tokens import Stream
from turnwise.games.entrants import Entrants, GamePlayer
from turnwise.games.seats import Seats

NIM = {"game": "Nim:heaps=[5],most=3", "rules": False}


def settings(out="runs/unused", **changes):
    base = {
        "env": TABLE, "env_settings": NIM, "out": str(out), "steps": 3, "groups_per_step": 2, "group_size": 4,
        "minibatches": 2, "max_new_tokens": 4, "warm_steps": 8, "warm_skill": 0.0, "optimizer": "muon", "lr": 2e-3,
        "eval_tasks": 4, "sample_every": 0, "trackers": (), "opponents": True,
    }  # fmt: skip
    return TrainConfig.of({**base, **changes})


class Sampling(GamePlayer):
    """A player that keeps rows as a model would."""

    def act(self, plays):
        for play in plays:
            play.state = play.state or SimpleNamespace(streams=[Stream()])
            play.state.streams[0].context([1])
            play.state.streams[0].action([2], [0.0])
        return super().act(plays)


def game(seating, name="TicTacToe", seed=3):
    agent = Entrants({"policy": Sampling("random"), "greedy": GamePlayer("greedy")}, together=4)
    job = Job(TABLE, seed, settings={"game": name, "seating": seating}, key=(0, 1))
    [(_, found)] = Player(agent, Environments(make_env)).play([job], lambda live: game_of(live, 7))
    return found


def test_each_seat_is_a_rollout_with_its_own_turns_and_return():
    whole = game("policy|policy")
    first, second = whole.seats
    assert len(first.turns) + len(second.turns) == len(whole.turns)
    assert first.turns == tuple(replace(t, reward=f.reward) for t, f in zip(whole.turns[::2], first.turns, strict=True))
    assert (first.total, second.total) in ((1, -1), (-1, 1), (0, 0))
    assert first.solved == (first.total > 0) and second.solved == (second.total > 0)
    assert first.rewards[:-1] == (0.0,) * (len(first.turns) - 1)
    assert [seat.job.key for seat in whole.seats] == [(0, 1, 0), (0, 1, 1)] and second.seat == 1
    assert first.num_tokens == len(first.turns) and first.version == 7
    [alone] = game("greedy|policy").seats
    assert alone.seat == 1 and all("You are O" in turn.observation for turn in alone.turns)


def test_a_game_becomes_a_group_for_each_seat_of_the_policy():
    task = TaskSpec(TABLE, {"game": "TicTacToe", "seating": "policy|policy"}, 3)
    failed = Rollout(task.job(), status="error", error="down")
    one, two = by_seat(Group(task, (game("policy|policy"), failed)))
    assert (one.seat, two.seat) == (0, 1) and one.task is two.task is task and one.name != two.name
    assert one.returns == [-x for x in two.returns] and len(one.rollouts) == 2 and len(one.valid) == 1


def test_a_seat_that_never_moved_counts_in_no_baseline():
    whole = game("policy|policy")
    parts = SimpleNamespace(seats={}, order=[0] * len(whole.turns))
    from turnwise.baselines.trainer.games import records

    lost = records._part(whole, parts, 1, (-1.0, 1.0))
    assert not lost.valid and lost.seat == 1 and not lost.solved


def test_the_policy_takes_the_seats_in_turn():
    task = TaskSpec(TABLE, {"game": "Pig:seats=3"}, 1, arm=2)
    found = [with_seating(task, "random", i) for i in range(4)]
    assert [t.settings["seating"] for t in found] == [
        "policy|random|random", "random|policy|random", "random|random|policy", "policy|random|random",
    ]  # fmt: skip
    assert all((t.seed, t.arm, t.settings["game"]) == (1, 2, "Pig:seats=3") for t in found)


def test_the_teacher_of_a_table_has_a_conversation_per_seat():
    env = make_env(Job(TABLE, 0, settings=NIM))
    assert isinstance(env.unwrapped, Seats)
    first, second = teacher_seats(env, 5, 0.0)
    assert all("You are the first player" in turn.observation for turn in first.turns)
    assert all("You are the second player" in turn.observation for turn in second.turns)
    assert first.turns and second.turns


def selves(**changes):
    opponents = Opponents(schedule=(Stage(opponent="pool"),), **{"every": 2, "keep": 2, **changes})
    import torch

    return PastSelves(opponents, torch.nn.Linear(2, 1), lambda model: Agent())


def test_past_selves_are_kept_in_places():
    past = selves()
    for step in range(5):
        past.keep(step)
        past.model.weight.data += 1
    assert past.metrics() == {
        "opponents/past_0_step": 4.0, "opponents/past_0_points": 0.5,
        "opponents/past_1_step": 2.0, "opponents/past_1_points": 0.5,
    }  # fmt: skip
    assert past.older(4, 1) == "past_1" and past.older(4, 2) == "past_1" and past.older(5, 1) == "past_0"
    assert past.older(4, 4) == "past_1", "none is so old: the oldest"
    theirs = [float(one.model.weight[0, 0]) for one in (past._selves["past_0"], past._selves["past_1"])]
    assert theirs[0] - theirs[1] == pytest.approx(2.0)
    again = selves()
    again.load_state_dict(past.state_dict())
    assert again.metrics() == past.metrics()
    assert float(again._selves["past_0"].model.weight[0, 0]) == theirs[0]


def test_a_pool_prefers_those_that_beat_the_policy():
    past = selves()
    past.keep(0)
    past.keep(2)
    past.observe({"past_0": [1.0] * 18, "past_1": [-1.0] * 17 + [0.0]})
    assert past.metrics()["opponents/past_0_points"] == pytest.approx(19 / 20)
    assert past.metrics()["opponents/past_1_points"] == pytest.approx(1.5 / 20)
    drawn = [past.drawn(Draw("test", i)) for i in range(200)]
    assert drawn.count("past_1") > 190 and drawn == [past.drawn(Draw("test", i)) for i in range(200)]
    even = selves(power=0.0)
    even.keep(0)
    even.keep(2)
    even.observe({"past_0": [1.0] * 18})
    assert 60 < [even.drawn(Draw("test", i)) for i in range(200)].count("past_0") < 140


def test_opponents_by_schedule():
    schedule = [{"opponent": "random"}, {"step": 3, "opponent": "self"}, {"step": 5, "opponent": "past:2"}]
    config = settings(**{"opponents.schedule": schedule, "opponents.every": 1})
    import torch

    tables = Tables(config, config.opponents, torch.nn.Linear(2, 1), lambda model: Agent())
    task = [TaskSpec(TABLE, NIM, 1)] * 2
    seen = []
    for step in (0, 2, 3, 4, 5):
        tables.begin(step)
        seen.append([t.settings["seating"] for t in tables.seated(task, step)])
    assert seen[0] == seen[1] == ["policy|random", "random|policy"]
    assert seen[2] == seen[3] == ["policy|policy"] * 2
    assert seen[4] == ["policy|past_2", "past_2|policy"], "that of step 3; of step 1 there is none, nothing was asked"
    assert TrainConfig.from_json(config.to_json()) == config


def test_wrong_settings_are_refused():
    for changes, why in (
        ({"opponents": False}, "opponents is off; seats/Table-v0 needs"),
        ({"env": "turnwise/FrozenLake-v0", "env_settings": {}}, "every environment must be seats/Table-v0"),
        ({"guidance": "hints"}, "do not go with guidance"),
        ({"staleness": 1}, "do not go with staleness"),
        ({"opponents.test": []}, "test is empty"),
        ({"opponents.test": ["pool"]}, "opponents that stay the same"),
        ({"opponents.schedule": [{"step": 2}]}, "must rise, from 0 on"),
        ({"opponents.schedule": [{"opponent": "past:x"}]}, "past:K with a number"),
        ({"opponents.schedule": [{"opponent": "past:90"}]}, "at most 50 steps old"),
    ):
        with pytest.raises(SettingsError, match=why):
            settings(**changes)
    for name, why in (("nobody", "opponents: the agent 'nobody' does not exist"), ("equilibrium", "equilibrium plays")):
        config = settings(**{"opponents.test": [name]})
        with pytest.raises(SettingsError, match=why):
            Tables(config, config.opponents, None, lambda model: Agent())


def test_averages_of_roles():
    found, after = role_averages([1.0, -1.0, 1.0], ["a", "b", "a"], 0.5, {"a": 1.0})
    assert found.tolist() == [1.0, -0.5, 1.0] and after == {"a": 1.0, "b": -0.5}
    assert rae(np.array([1.0, -1.0]), np.array([0.25, -0.5])).tolist() == [0.75, -0.5]
    assert role_averages([2.0], ["c"], 0.75, after) == (np.array([0.5]), {**after, "c": 0.5})
    with pytest.raises(SettingsError, match="2 returns and 1 roles"):
        role_averages([1.0, 2.0], ["a"], 0.5, {})


def test_several_games_are_evaluated_each_against_each_opponent():
    arms = [{"settings": {"game": "TicTacToe"}}, {"settings": NIM}]
    config = settings(**{"env_settings": {}, "curriculum.arms": arms, "opponents.test": ["random", "greedy"]})
    assert [(t.settings["game"], t.settings["seating"]) for t in config.targets] == [
        ("TicTacToe", "policy|random"), ("TicTacToe", "policy|greedy"),
        (NIM["game"], "policy|random"), (NIM["game"], "policy|greedy"),
    ]  # fmt: skip
    assert config.seats == 2
    assert [games_selfplay().opponents.at(step) for step in (29, 30)] == ["self", "pool"]
    assert [games_mcts().opponents.at(step) for step in (39, 40)] == ["mcts:3", "mcts:10"]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_and_a_run_goes_on_as_if_never_stopped(tmp_path):
    changes = {
        "opponents.schedule": [{}, {"step": 1, "opponent": "pool"}, {"step": 2, "opponent": "past:1"}],
        "opponents.every": 1, "opponents.keep": 2, "credit": "rae", "save_every": 1,
    }  # fmt: skip
    whole = train(settings(tmp_path / "a", **changes))
    same = train(settings(tmp_path / "b", **changes))
    cfg = settings(tmp_path / "c", **changes)
    train(cfg, stop_after=2)
    parts = train(cfg, resume=True)
    for other in (same, parts):
        assert (weights(whole) == weights(other)).all()
        assert (whole.folder / "metrics.jsonl").read_bytes() == (other.folder / "metrics.jsonl").read_bytes()
    assert max(metrics(whole.folder, "train", "logp_gap")) < 1e-5
    assert metrics(whole.folder, "train", "groups") == [4.0, 2.0, 2.0], "a group a seat of the policy"
    assert "sampled_unbeaten" in (whole.folder / "metrics.jsonl").read_text()


@pytest.mark.slow
def test_several_games_at_once(tmp_path):
    arms = [{"settings": {"game": "Kuhn"}}, {"settings": {"game": NIM["game"]}}]
    run = train(settings(tmp_path, **{"env_settings": {"rules": False}, "curriculum.arms": arms, "steps": 1}))
    before = read_metrics(run.folder, "eval")[0]
    for name in ("Kuhn", NIM["game"]):
        assert 0 <= before[f"sampled_unbeaten/Table-v0(rules=False,game={name},seating=policy|random)"] <= 1
