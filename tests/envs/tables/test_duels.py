"""Games for points against one opponent: goals, what is said, what is hidden, what is paid short of the goal."""

from math import inf
from typing import Any

import pytest

from tests.worlds.games.test_rules import likewise
from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.envs.tables._duel import Duel
from turnwise.envs.tables._points import Task
from turnwise.envs.tables._share import Share
from turnwise.envs.tables.kuhn import Kuhn
from turnwise.envs.tables.leduc import Leduc
from turnwise.envs.tables.matrix import Matrix
from turnwise.envs.tables.n_point import NPoint
from turnwise.envs.tables.negotiation import Negotiation
from turnwise.envs.tables.pig import Pig
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.players.bargaining import holding_out
from turnwise.worlds.games.players.company import Company
from turnwise.worlds.games.players.make import make_player

DUELS: tuple[type[Duel], ...] = (Kuhn, Leduc, Pig, Matrix, Negotiation)
every_duel = pytest.mark.parametrize("cls", DUELS)
hiding = pytest.mark.parametrize("cls", [Kuhn, Leduc, Negotiation])


@every_duel
def test_the_first_message_says_what_is_needed(cls: type[Duel]) -> None:
    env = cls()
    observation, _ = env.reset(seed=3)
    game = env.task.game
    for words in (env.aim(), game.rules(), game.notation(), "<answer>", f"{env.max_turns} turns"):
        assert words in observation
    assert observation.endswith(game.view(env.state, env.task.seat))
    assert env.task.others not in observation


@every_duel
@pytest.mark.parametrize(("seat", "number"), [("first", 0), ("second", 1)])
def test_the_seat_is_the_agents(cls: type[Duel], seat: Any, number: int) -> None:
    env = cls(seat=seat)
    env.reset(seed=1)
    assert env.task.seat == number


@pytest.mark.parametrize("cls", [each for each in DUELS if each is not Matrix])  # where several are drawn
def test_any_opponent_is_one_of_several(cls: type[Duel]) -> None:
    env, met = cls(opponent="any"), set()
    for seed in range(12):
        env.reset(seed=seed)
        met.add(env.task.others)
    assert len(met) >= 3 and met <= set(cls.opponents[: cls.drawn])
    with pytest.raises(SettingsError, match="opponent is 'perfect'; here it must be any, "):
        cls(opponent="perfect")


@pytest.mark.parametrize("place", ["first", "middle", "last"])
@every_duel
def test_a_move_chosen_by_its_place_alone_does_not_reach_the_goal(cls: type[Duel], place: str) -> None:
    env = cls()
    for seed in range(4):
        env.reset(seed=seed)
        over, info = False, {}
        while not over:
            legal = env.task.game.moves(env.state, env.task.seat)
            move = legal[{"first": 0, "middle": len(legal) // 2, "last": -1}[place]]
            _, _, ended, cut, info = env.step(env.task.game.write(env.state, move))
            over = ended or cut
        assert not info["solved"]


@every_duel
def test_the_known_way_reaches_the_goal_by_the_rules_alone(cls: type[Duel]) -> None:
    """Replayed here with an opponent made from its name."""
    env = cls()
    for seed in range(2):
        env.reset(seed=seed)
        task = env.task
        players = tuple(make_player(task.others, task.game, task.seed + number) for number in range(2))
        company, state = Company(task.seat, players), task.state
        for move in task.line:
            state = company.after(state, move)
        assert task.game.turn(state) == OVER
        assert task.game.returns(state)[task.seat] >= task.goal >= cls.least


@pytest.mark.parametrize("cls", [each for each in DUELS if each is not Pig])  # where all is won or lost
def test_points_short_of_the_goal_are_paid_in_proportion(cls: type[Duel]) -> None:
    env = cls(partial=0.5)
    env.reset(seed=2)
    goal = env.task.goal
    assert env.short(goal / 2) == 0.25
    assert env.short(-3.0) == 0.0 == cls().partial
    draw, paid = Draw("short"), []
    for seed in range(6):
        env.reset(seed=seed)
        while not env._over:
            known = env.turn < 0.4 * len(env.task.line)
            _, reward, *_ = env.step(env.oracle() if known else draw.choice(env.legal_moves() or ["none"]))
        got = env.task.game.returns(env.state)[env.task.seat] if env.task.game.turn(env.state) == OVER else 0.0
        paid.append(reward)
        assert reward == pytest.approx(1.0 if got >= env.task.goal else 0.5 * max(0.0, got / env.task.goal))
    assert len(set(paid)) > 1


@pytest.mark.parametrize("cls", [Kuhn, Leduc])
def test_several_styles_are_met_one_after_another(cls: type[Any]) -> None:
    env = cls(hands=24, meetings=3)
    observation, _ = env.reset(seed=1)
    names = env.task.others.removeprefix("style:").split("+")
    assert len(set(names)) == 3
    assert "You meet 3 of them, one after another, for 8 hands each. Each decides in the same way" in observation
    opponent = make_player(env.task.others, env.task.game, env.task.seed + 1 - env.task.seat)
    assert [player.style for player in opponent.inner] == names
    with pytest.raises(SettingsError, match="hands is 24; it must be a multiple of meetings, which is 5"):
        cls(hands=24, meetings=5)
    with pytest.raises(SettingsError, match="plays matches of several hands, not Kuhn"):
        make_player("style:rock+station", Kuhn.inner)


def test_offers_chosen_without_regard_to_the_counterpart_do_not_reach_the_goal() -> None:
    env = Negotiation(reading=True)
    for seed in range(3):
        env.reset(seed=seed)
        while not env._over:
            env.step(env.task.game.write(env.state, holding_out(env.state, env.task.seat, env.task.goal)))
        assert env.task.game.returns(env.state)[env.task.seat] < env.task.goal


@pytest.mark.parametrize(("cls", "level"), [(NPoint, 1), (NPoint, 5), (Negotiation, 1), (Negotiation, 5)])
def test_goals_are_those_of_games_played_by_the_rules(
    cls: type[Any], level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shorter ways of measuring a task find the goals that whole games give it, and draw as much."""
    env, goals = cls(difficulty=level), []
    for seed in range(40):
        draw = Draw("goals", seed)
        game = env.rules()
        task = Task(game, game.start(draw), env.seated(game, draw), env.company(draw), seed, 0.0, ())
        goals.append((env.placed(task, draw), env.target(env.placed(task, draw), draw), draw.unit()))
    monkeypatch.setattr(cls, "measured", Share.measured)
    monkeypatch.setattr(cls, "shortcuts", ("heuristic:3",) if cls is Negotiation else ())
    for seed, (task, goal, after) in enumerate(goals):
        draw = Draw("goals", seed)
        game.start(draw), env.seated(game, draw), env.company(draw)
        assert (env.target(task, draw), draw.unit()) == (goal, after)
    assert any(goal < inf for _, goal, _ in goals) and any(goal == inf for _, goal, _ in goals)


@hiding
def test_nothing_hidden_is_said(cls: type[Duel]) -> None:
    """What is read until the end stays the same if what is hidden from the agent is something else."""
    env, changed = cls(), 0
    for seed in range(3):
        draw = Draw("hidden", seed)
        env.reset(seed=seed)
        game, seat = env.task.game, env.task.seat
        while not env._over and env.turn < 40:
            for other in likewise(game, env.state, seat, draw):
                changed += other != env.state
                assert game.view(other, seat) == env.seen()
                assert game.moves(other, seat) == game.moves(env.state, seat)
            observation = env.step(draw.choice(env.legal_moves() or ["none"]))[0]
            assert env._over or observation.endswith(env.seen())
    assert changed > 5
