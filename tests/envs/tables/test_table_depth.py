"""What the scripted agents of graded skill read from the messages of games at a table."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import gymnasium
import pytest

from turnwise.agents.shortcuts import Shortcut
from turnwise.envs.tables._depth import hanabi, n_point, negotiation, pig, werewolf
from turnwise.envs.tables._depth.poker import _likeliest, _now
from turnwise.envs.tables._points import Points, company_of
from turnwise.worlds.games.hidden.hands import Hands
from turnwise.worlds.games.players.guides.counting import Counter
from turnwise.worlds.games.players.guides.suspicion import Counting
from turnwise.worlds.games.players.heuristics import Heuristic
from turnwise.worlds.games.players.strategies import STRATEGIES


def played(name: str, look: Callable[[Any, list[str]], Any], seed: int = 0, **settings: Any) -> list[Any]:
    """Play a task's known way, and return what is seen before each move."""
    env = gymnasium.make(f"turnwise/{name}-v0", **settings).unwrapped
    assert isinstance(env, Points)
    heard, over, found = [env.reset(seed=seed)[0]], False, []
    while not over:
        found.append(look(env, heard))
        observation, _, over, *_ = env.step(env.oracle())
        heard.append(observation)
    return found


def said(name: str, skill: str, heard: Sequence[str]) -> str:
    """Return what an agent plays."""
    agent = import_module(f"turnwise.envs.tables._depth.{name}").SKILLS[skill]()
    assert isinstance(agent, Shortcut)
    return agent.read(heard, len(heard) - 1).removeprefix("<answer>").removesuffix("</answer>")


@pytest.mark.parametrize("name", ["Kuhn", "Leduc"])
def test_poker_hands_and_styles_are_read(name: str) -> None:
    def look(env: Any, heard: list[str]) -> bool:
        game = env.task.game
        assert isinstance(game, Hands)
        _, place, view, _ = _now(game.inner, heard)
        return bool(view == game.inner.view(env.state.inner, place) and place == game.place(env.state, env.task.seat))

    assert all(played(name, look))
    styles = []
    for style in ("station", "maniac", "rock"):
        guesses = played(name, lambda env, heard: _likeliest(env.task.game.inner, heard), 1, opponent=f"style:{style}")
        styles.append(guesses[-1] == style)
    assert sum(styles) >= 2


def test_pig_and_negotiation_are_read() -> None:
    def points(env: Any, heard: list[str]) -> bool:
        return bool(pig._read(heard)[1] == env.state._replace(moves=0))

    def offers(env: Any, heard: list[str]) -> bool:
        game, state, goal = negotiation._read(heard)
        own = env.state.values[env.task.seat]
        task = env.task
        assert (state.pool, state.offers, state.values[0]) == (env.state.pool, env.state.offers, own)
        return bool((goal, game.rounds) == (task.goal, task.game.rounds))

    assert all(played("Pig", points))
    assert all(played("Negotiation", offers))


def test_n_point_rounds_are_read() -> None:
    """A round that is over is seen as it was, and the habit that was met explains each of its own rounds."""

    def look(env: Any, heard: list[str]) -> bool:
        now, seat = n_point._now(heard[-1]), env.task.seat
        hand, names = env.state.hand, env.task.others.removeprefix("habit:").split("+")
        each = env.task.game.rounds // len(names)
        assert (now.number, now.limit, now.own) == (env.state.number + 1, hand.limit, hand.cards[seat])
        assert (now.other, now.made, now.theirs) == (hand.cards[1 - seat][:1], hand.made[seat], hand.made[1 - seat])
        before = n_point._before(heard)
        if env.state.last is not None:
            last = env.state.last
            assert before[-1][2:] == (last.cards[seat], last.cards[1 - seat], last.made[seat], last.made[1 - seat])
        assert n_point._likelihood(names[(now.number - 1) // each], now) > 0
        return all(n_point._likelihood(names[(past.number - 1) // each], past) == 1 for past in before)

    for seed in range(3):
        assert all(played("NPoint", look, seed))


def test_poker_styles_are_found_for_each_opponent_alone() -> None:
    """What was seen of the first opponent says nothing about the second."""

    def guess(env: Any, heard: list[str]) -> tuple[str, str]:
        return _likeliest(env.task.game.inner, heard), env.task.others

    right = []
    for seed in range(4):
        style, met = played("Kuhn", guess, seed, hands=80, meetings=2, max_turns=240)[-1]
        right.append(style == met.removeprefix("style:").split("+")[1])
    assert sum(right) >= 2


def test_who_reads_the_counterpart_of_a_negotiation_does_better_than_who_does_not() -> None:
    won = dict.fromkeys(("reads the counterpart", "any offer worth the goal"), 0)
    for skill in won:
        for seed in range(6):
            env = gymnasium.make("turnwise/Negotiation-v0", reading=True).unwrapped
            heard, over, reward = [env.reset(seed=seed)[0]], False, 0.0
            while not over:
                observation, reward, ended, cut, _ = env.step(said("negotiation", skill, heard))
                heard.append(observation)
                over = ended or cut
            won[skill] += reward == 1.0
    assert won["reads the counterpart"] >= 5 > 3 >= won["any offer worth the goal"]


def test_hanabi_hands_are_read() -> None:
    def look(env: Any, heard: list[str]) -> bool:
        game, state, seat = hanabi._read(heard)
        assert (game, seat) == (env.task.game, env.state.seat)
        told = [[card[2:] for card in hand] for hand in state.hands]
        assert told == [[card[2:] for card in hand] for hand in env.state.hands]
        best = Heuristic(env.task.game, 0, skill=3).act(env.state, seat)
        drawn = state.hints == game.hints  # a hint may be drawn at random then, as nothing can be discarded
        return drawn or hanabi._plays(3, heard) == game.write(env.state, best)

    assert all(played("Hanabi", look))


def test_blackjack_is_counted_as_the_guide_counts() -> None:
    def look(env: Any, heard: list[str]) -> bool:
        return bool(said("blackjack", "best play, counts cards", heard) == Counter(env.task.game).choose(env.state))

    assert all(played("Blackjack", look))


def test_matrix_rounds_are_read() -> None:
    def look(env: Any, heard: list[str]) -> bool:
        game, seat = env.task.game, env.task.seat
        number = company_of(env.task).seat
        assert number == seat
        _, rounds = game.meeting(env.state)
        own, other = [pair[seat] for pair in rounds], [pair[1 - seat] for pair in rounds]
        move = STRATEGIES["tit_for_tat"](own, other, None)  # type: ignore[arg-type]
        return bool(said("matrix", "tit for tat", heard) == game.write(env.state, move))

    assert all(played("Matrix", look))


@pytest.mark.parametrize("role", ["villager", "seer"])
def test_days_and_nights_of_werewolf_are_read(role: str) -> None:
    def look(env: Any, heard: list[str]) -> bool:
        game, state, seat = werewolf.read(heard)
        told = env.state._replace(
            roles=state.roles, events=tuple(game.open_events(env.state, env.task.seat)), chosen=state.chosen
        )
        shown = [r for r, alive in zip(env.state.roles, env.state.alive, strict=True) if not alive]
        assert [r for r, alive in zip(state.roles, state.alive, strict=True) if not alive] == shown
        best = Counting(game).act(env.state, seat)
        right = said("werewolf", "counts what is possible", heard) == game.write(env.state, best)
        return bool((game, seat, state) == (env.task.game, env.task.seat, told) and right)

    assert all(look_all for seed in range(3) for look_all in played("Werewolf", look, seed, role=role))
