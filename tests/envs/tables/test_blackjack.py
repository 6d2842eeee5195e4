"""Blackjack: the goal is above what equal bets win, and what is face down is not said."""

from turnwise.core.draw import Draw
from turnwise.envs.tables.blackjack import Blackjack
from turnwise.worlds.games.players.guides.counting import Counter


def test_equal_bets_do_not_reach_the_goal() -> None:
    env = Blackjack()
    for seed in range(2):
        for bet in (1, 10):
            observation, _ = env.reset(seed=seed)
            assert f"need {100 + env.task.goal:g} or more" in observation
            player = Counter(env.task.game, flat=bet)
            while not env._over:
                info = env.step(player.choose(env.state))[-1]
            assert not info["solved"]


def test_the_card_face_down_is_not_said() -> None:
    env, draw = Blackjack(), Draw("down")
    env.reset(seed=1)
    while not env._over:
        observation = env.step(draw.choice(env.legal_moves()))[0]
        if env.state.bet:
            dealer = observation.rpartition("The dealer has ")[2]
            assert dealer.endswith("and a card face down.") and len(dealer.split()) == 6
