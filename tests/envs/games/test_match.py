"""Games against an opponent: what is said, who moves, what a win, a draw and a loss pay, that the opponent repeats."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import Split, seed_of, split_of
from turnwise.core.errors import SettingsError
from turnwise.envs.games import _match
from turnwise.envs.games._match import Match, Task
from turnwise.envs.games.battleship import Battleship
from turnwise.envs.games.breakthrough import Breakthrough
from turnwise.envs.games.checkers import Checkers
from turnwise.envs.games.chess import Chess
from turnwise.envs.games.chess_endgame import ChessEndgame
from turnwise.envs.games.connect_four import ConnectFour
from turnwise.envs.games.dots_and_boxes import DotsAndBoxes
from turnwise.envs.games.generated_game import GeneratedGame
from turnwise.envs.games.go import Go
from turnwise.envs.games.hex import Hex
from turnwise.envs.games.liars_dice import LiarsDice
from turnwise.envs.games.nim import Nim
from turnwise.envs.games.othello import Othello
from turnwise.envs.games.tic_tac_toe import TicTacToe
from turnwise.envs.games.ultimate import Ultimate
from turnwise.games import opponent
from turnwise.games.opponent import AgentPlayer
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.players.winning import winning_line
from turnwise.worlds.games.tic_tac_toe import TicTacToe as Board

MATCHES: tuple[type[Match], ...] = (
    TicTacToe, ConnectFour, Othello, Breakthrough, Nim, DotsAndBoxes, Hex, ChessEndgame,
    Battleship, LiarsDice, GeneratedGame, Chess, Checkers, Go, Ultimate,
)  # fmt: skip
every_match = pytest.mark.parametrize("cls", MATCHES)


def board(cells: str, misere: bool = False, opponent: str = "greedy", **settings: Any) -> TicTacToe:
    """An episode on 3 x 3 from a drawn position in which X is to move."""
    bits = [sum(1 << i for i, mark in enumerate(cells) if mark == wanted) for wanted in "XO"]
    game = Board(misere=misere)
    state = game.initial()._replace(x=bits[0], o=bits[1])
    env = TicTacToe(rows=3, columns=3, k=3, misere=misere, opponent=opponent, **settings)
    env.reset(seed=0, options={"task": Task(game, state, 0, opponent, ())})
    return env


def test_a_win_pays_one() -> None:
    observation, reward, terminated, _, info = board("XX.OO....").step("c1")
    assert (reward, terminated, info["solved"]) == (1.0, True, True)
    assert observation == "You played c1. You win.\n  a b c\n1 X X X\n2 O O .\n3 . . ."


def test_a_loss_pays_nothing_and_says_so() -> None:
    observation, reward, terminated, _, info = board("XX.OO....").step("a3")
    assert (reward, terminated, info["solved"], info["metrics"]["draws"]) == (0.0, True, False, 0.0)
    assert observation.startswith("You played a3. Your opponent played c2. You lose.\n")


@pytest.mark.parametrize("partial", [0.0, 0.4])
def test_a_draw_pays_what_is_declared(partial: float) -> None:
    env = board("XOXXOO.XO", partial=partial)
    assert ("a draw pays 0.4" in env.reset(options={"task": env.task})[0]) == bool(partial)
    observation, reward, terminated, _, info = env.step("a3")
    assert info["solved"], "X completes the left column"
    env = board("XOXXOOO.X", partial=partial)
    observation, reward, terminated, _, info = env.step("b3")
    assert "a draw" in observation
    assert (reward, terminated, info["solved"], info["metrics"]["draws"]) == (partial, True, False, 1.0)


def test_the_row_loses_in_the_misere_form() -> None:
    assert "You lose" in board("XX.OO....", misere=True).step("c1")[0]


@pytest.mark.parametrize("hint", ["legal", "form"])
def test_what_is_no_move_costs_a_turn_alone(hint: str) -> None:
    env = board("XX.OO....", hint=hint)
    for text in ("a1", "d4", "c1 or c2", "<answer>c1</answer><answer>c2</answer>", "I win"):
        before = env.state
        observation, reward, terminated, _, info = env.step(text)
        assert info["invalid_action"]
        assert (reward, terminated, env.state) == (0.0, False, before)
        assert observation.startswith("Not a legal move")
        assert ("Legal moves: a3 b3 c1 c2 c3" in observation) == (hint == "legal")
    assert env.turn == 5


@every_match
def test_the_first_observation_says_what_is_needed(cls: type[Match]) -> None:
    env = cls()
    observation, _ = env.reset(seed=3)
    for words in (
        env.task.game.rules(),
        env.task.game.notation(),
        "<answer>",
        f"{env.max_turns} turns",
        "It is your turn.",
    ):
        assert words in observation
    assert env.task.game.view(env.task.state, env.task.seat) in observation
    assert ("draw" in observation.partition("Only a win counts")[2]) == env.task.game.draws


@every_match
@pytest.mark.parametrize(("seat", "number"), [("first", 0), ("second", 1)])
def test_the_seat_is_the_agents(cls: type[Match], seat: str, number: int) -> None:
    env = cls(seat=seat)
    for seed in range(3):
        env.reset(seed=seed)
        assert env.task.seat == number == env.task.game.turn(env.state)


@every_match
def test_the_opponent_answers_the_same_with_the_same(cls: type[Match]) -> None:
    env = cls()
    for seed in range(2):
        logs = []
        for _ in range(2):
            env.reset(seed=seed)
            rng, log, over = np.random.default_rng(seed), [], False
            while not over:
                observation, _, terminated, truncated, _ = env.step(env.sample_action(rng))
                log.append(observation)
                over = terminated or truncated
            logs.append(log)
        assert logs[0] == logs[1]


@every_match
def test_the_line_of_a_task_wins_by_the_rules_alone(cls: type[Match]) -> None:
    """Replayed here with an opponent made from its name."""
    env = cls()
    for seed in range(3):
        observation, _ = env.reset(seed=seed)
        game, state = env.task.game, env.task.state
        total, log = 0.0, []
        for move in env.task.line:
            observation, reward, *_ = env.step(game.write(state, move))
            total += reward
            log.append(observation)
            state = env.state
        assert total == 1.0
        assert game.turn(state) == OVER
        assert game.returns(state)[env.task.seat] > 0


def test_from_a_left_line_the_oracle_still_plays() -> None:
    env = ConnectFour()
    rng, won = np.random.default_rng(0), 0
    for seed in range(6):
        env.reset(seed=seed)
        env.step(env.sample_action(rng))
        over = env._over
        while not over:
            _, _, terminated, truncated, info = env.step(env.oracle())
            over = terminated or truncated
            won += info.get("solved", False)
    assert won >= 3, "one random move loses few of these games"


def test_nim_is_lost_after_one_mistake() -> None:
    env = Nim()
    for seed in range(6):
        env.reset(seed=seed)
        game = env.rules()
        wrong = [move for move in game.legal(env.state) if not game.lost(game.apply(env.state, move))]
        env.step(game.write(env.state, wrong[0]))
        perfect = make_player("perfect", game)
        while not env._over:
            info = env.step(game.write(env.state, perfect.choose(env.state)))[-1]
        assert not info["solved"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"opponent": "strong"}, "opponent is 'strong'"), ({"opponent": "equilibrium"}, "something hidden"),
        ({"k": 6, "rows": 4, "columns": 5}, "k is 6"), ({"seat": "third"}, "seat"), ({"partial": 1.0}, "partial"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        TicTacToe(**settings)


def test_what_cannot_be_won_is_refused() -> None:
    env = TicTacToe(rows=3, columns=3, k=3, opponent="perfect", opening=0, max_turns=12)
    with pytest.raises(SettingsError, match="choose a weaker opponent"):
        env.reset(seed=0)


@pytest.mark.parametrize(
    ("cls", "settings", "words"),
    [
        (Battleship, {"opponent": "mcts:10"}, "must be random or heuristic"),
        (LiarsDice, {"opponent": "perfect"}, "must be random or heuristic"), (LiarsDice, {"wild": 7}, "wild is 7"),
        (LiarsDice, {"opening": 4}, "opening is 4"), (Hex, {"opponent": "heuristic:1"}, "something hidden"),
        (Battleship, {"size": 4, "ships": 4}, "ships is 4"),
        (Checkers, {"ranks": 3}, "ranks is 3; with size=6 it must be at most 2"),
        (ChessEndgame, {"most": 17}, "from 3 to 16"), (ChessEndgame, {"least": 7}, "from 7 to 16"),
    ],
)  # fmt: skip
def test_bad_settings_of_further_games_are_refused(cls: type[Match], settings: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        cls(**settings)


@pytest.mark.parametrize("cls", [Battleship, LiarsDice])
def test_the_opponents_secrets_are_not_said(cls: type[Match]) -> None:
    """All that is said until the end is a function of what the seat sees."""
    env = cls()
    for seed in range(4):
        observation, _ = env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while not env._over:
            assert observation.endswith(env.task.game.view(env.state, env.task.seat))
            assert env.task.game.board(env.state) not in observation
            observation = env.step(env.sample_action(rng))[0]


def test_a_mate_is_needed_in_time() -> None:
    for seed in range(4):
        env = ChessEndgame(piece="queen", least=3, most=5, max_turns=5)
        observation, _ = env.reset(seed=seed)
        assert "You have 5 turns." in observation
        assert 3 <= len(env.task.line) <= 5
        env.step("no move")
        total = 0.0
        while not env._over:
            total += env.step(env.oracle())[1]
        assert total == float(len(env.task.line) < 5)


@pytest.mark.parametrize("lead", [0, 3, 9])
def test_the_agent_is_ahead_in_chess(lead: int) -> None:
    """Counted in whole pieces here; where they stand may add less than two pawns' worth."""
    worth = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9}
    for seed in range(3):
        env = Chess(lead=lead, opening=40)
        env.reset(seed=seed)
        mine = str.isupper if env.task.seat == 0 else str.islower
        counts = [worth.get(mark.lower(), 0) * (1 if mine(mark) else -1) for mark in env.state.board]
        assert sum(counts) >= lead - 2


def test_a_mate_is_announced_in_chess() -> None:
    env = Chess()
    state = env.rules().from_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    env.reset(seed=0, options={"task": Task(env.rules(), state, 0, "alphabeta:1", ())})
    assert env.step("Rd9")[4]["invalid_action"]
    assert env.oracle() == "d1d8"
    observation, reward, *_ = env.step("Rd8#")
    assert (reward, observation.splitlines()[0]) == (1.0, "You played d1d8. You win.")


@pytest.mark.parametrize(("lead", "ahead"), [(0, -12), (2, 1)])
def test_the_agent_is_ahead_in_checkers(lead: int, ahead: int) -> None:
    for seed in range(3):
        env = Checkers(size=8, ranks=3, lead=lead, opening=24)
        env.reset(seed=seed)
        men = [env.state.cells.lower().count(mark) for mark in ("xo" if env.task.seat == 0 else "ox")]
        assert men[0] - men[1] >= ahead


def test_go_begins_with_stones_alone() -> None:
    for seed in range(4):
        env = Go(opening=7)
        env.reset(seed=seed)
        assert env.state.passes == 0
        assert env.state.cells.count(".") < 25
        assert len(env.task.line) > 1


def test_an_agent_can_be_the_opponent() -> None:
    def played(seed: int) -> list[str]:
        env = TicTacToe(rows=3, columns=3, k=3, opponent="agent:random")
        env.reset(seed=seed)
        said, over = [], False
        while not over:
            observation, _, terminated, truncated, _ = env.step(env.oracle())
            said.append(observation)
            over = terminated or truncated
        return said

    found = played(3)
    assert "Your opponent played" in found[0] and not any("Not a legal" in text for text in found)
    assert played(3) == found


def test_an_agent_that_names_no_move_plays_a_random_one() -> None:
    heard: list[str] = []

    class Deaf(Agent):
        def act(self, plays: Sequence[Play]) -> list[Action]:
            heard.append(plays[0].messages[-1]["content"])
            return [Action("pass")]

    player = AgentPlayer(Board(), 5, "tests: deaf")
    state = player.game.apply(player.game.initial(), 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opponent, "agent_of", lambda spec: Deaf())
        move = player.choose(state)
        assert player.choose(state) == move
    assert move in player.game.legal(state)
    assert len(heard) == 8 and "You are O. It is your turn." in heard[0] and "Tic-tac-toe on 3 rows" in heard[0]
    assert heard[1] == "Not a legal move. Legal moves: a1 a2 a3 b1 b3 c1 c2 c3"


def test_an_agent_that_is_unknown_is_refused_before_it_has_to_move() -> None:
    with pytest.raises(SettingsError, match="the agent 'nobody' does not exist"):
        TicTacToe(rows=3, columns=3, k=3, opponent="agent:nobody").reset(seed=1)


@pytest.mark.parametrize("split", ["train", "test"])
@pytest.mark.parametrize("cls", [ConnectFour, Chess])
def test_wins_are_looked_for_in_the_wanted_split_only(
    cls: type[Match], split: Split, monkeypatch: pytest.MonkeyPatch
) -> None:
    env, searched = cls(split=split), set()

    def noted(state: Any, seat: int, *others: Any) -> Any:
        searched.add((state, seat))
        return winning_line(state, seat, *others)

    monkeypatch.setattr(_match, "winning_line", noted)
    for seed in range(3):
        env.reset(seed=seed_of("split", split, seed))
    game, opponent = env.task.game, env.task.opponent
    assert len(searched) >= 3
    assert {split_of(env._digest(Task(game, state, seat, opponent, ()))) for state, seat in searched} == {split}


def test_few_positions_for_a_split_are_an_error_that_names_it() -> None:
    env = TicTacToe(rows=3, columns=3, k=3, opening=0, opponent="random", split="test")
    with pytest.raises(SettingsError, match=r"split"):
        env.reset(seed=0)
