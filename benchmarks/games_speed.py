"""Moves per CPU-second of games for two seats with random legal moves, text included: ours, TextArena, OpenSpiel.

    pip install textarena open_spiel
    python benchmarks/games_speed.py [--passes 20]

A move is the text that the seat to move reads, and the reading and making of a move written as text (of OpenSpiel the
observation string and an action by its string). Games are recorded before, so that choosing a move is not counted.
TextArena is made as its own documentation makes it, with its wrapper for observations.
"""

import argparse
import importlib.util
import re
import time
from collections.abc import Callable
from typing import Any

from turnwise.core.draw import Draw
from turnwise.games.table import Table, make
from turnwise.worlds.games.game import CHANCE, OVER
from turnwise.worlds.games.hidden.kuhn import Kuhn
from turnwise.worlds.games.othello import Othello
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.tic_tac_toe import TicTacToe

GAMES = {  # ours, TextArena's, OpenSpiel's
    "TicTacToe": ("TicTacToe", "TicTacToe-v0", "tic_tac_toe"),
    "Connect Four": ("ConnectFour", "ConnectFour-v0", "connect_four"),
    "Othello": ("Othello", "Othello-v0", "othello"),
    "Nim": ("Nim", "Nim-v0", "nim"),
    "Pig": ("Pig", "PigDice-v0", "pig"),
    "Kuhn poker": ("Kuhn", "KuhnPoker-v0", "kuhn_poker"),
}
MOVES_RECORDED = 400  # at least, in whole games
clock = time.process_time
Moves = list[tuple[int, str]]
"""The moves of a game: who moves (-1: chance), and the move in writing."""
Player = tuple[Callable[[int], Moves], Callable[[int], Any], Callable[[Any, Moves], None]]
"""What plays a game of a seed with random moves, what begins it, and what plays it again from there."""


def ours(name: str) -> Player:
    """Return how our game is begun, and asked for and given a move."""
    table, draw = make(GAMES[name][0]), Draw("ours", name)

    def record(seed: int) -> Moves:
        table.reset(seed)
        moves: Moves = []
        while not table.over:
            seat = table.to_move[0]
            moves.append((seat, draw.choice(table.legal(seat))))
            table.play(*moves[-1])
        return moves

    def replay(table: Table, moves: Moves) -> None:
        for seat, text in moves:
            table.observe(seat)
            table.play(seat, text)
        assert table.over

    return record, lambda seed: make(GAMES[name][0], seed=seed), replay


def _moves(name: str, seen: str, columns: list[int]) -> list[str]:
    """Return the legal moves of a game of TextArena by its latest text."""
    if name == "Connect Four":
        return [f"[col {column}]" for column in range(7) if columns[column] < 6]
    if name == "Nim":
        piles = dict(re.findall(r"pile (\d+): (\d+)", seen[seen.rindex("Current Pile") :]))
        return [f"[{pile} {count}]" for pile, left in piles.items() for count in range(1, int(left) + 1)]
    line = [line for line in seen.splitlines() if re.search(r"(Available|Valid|available) (M|m|a)", line)][-1]
    return re.findall(r"\[[^\]]+\]", line)


def textarena(name: str) -> Player:
    """As `ours`, with TextArena's games."""
    import textarena as ta

    env, draw = ta.make(GAMES[name][1]), Draw("textarena", name)

    def record(seed: int) -> Moves:
        env.reset(num_players=2, seed=seed)
        columns, over = [0] * 7, False
        moves: Moves = []
        while not over:
            seat, seen = env.get_observation()
            moves.append((seat, draw.choice(_moves(name, seen, columns))))
            if name == "Connect Four":
                columns[int(moves[-1][1][5])] += 1
            over, _ = env.step(moves[-1][1])
        return moves

    def begin(seed: int) -> Any:
        env = ta.make(GAMES[name][1])
        env.reset(num_players=2, seed=seed)
        return env

    def replay(env: Any, moves: Moves) -> None:
        for _, text in moves:
            env.get_observation()
            env.step(text)

    return record, begin, replay


def open_spiel(name: str) -> Player:
    """As `ours`, with OpenSpiel's games; the moves of chance are replayed, too, and not counted."""
    import pyspiel

    game, draw = pyspiel.load_game(GAMES[name][2]), Draw("open_spiel", name)

    def record(seed: int) -> Moves:
        state = game.new_initial_state()
        moves: Moves = []
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, odds = zip(*state.chance_outcomes(), strict=True)
                moves.append((-1, draw.weighted([str(outcome) for outcome in outcomes], odds)))
                state.apply_action(int(moves[-1][1]))
            else:
                seat, action = state.current_player(), draw.choice(state.legal_actions())
                moves.append((seat, state.action_to_string(seat, action)))
                state.apply_action(action)
        return moves

    def replay(state: Any, moves: Moves) -> None:
        for seat, text in moves:
            if seat < 0:
                state.apply_action(int(text))
            else:
                state.observation_string(seat)
                state.apply_action(state.string_to_action(seat, text))
        assert state.is_terminal()

    return record, lambda seed: game.new_initial_state(), replay


class Measured:
    """The CPU time that recorded games of a library take."""

    def __init__(self, library: Callable[[str], Player], name: str) -> None:
        record, self.begin, self.replay = library(name)
        self.games: list[Moves] = []
        while sum(map(len, self.games)) < MOVES_RECORDED:
            self.games.append(record(len(self.games)))
        self.moves, self.beginning, self.playing = 0, 0.0, 0.0

    def again(self) -> None:
        """Begin all games and play them once more."""
        began = clock()
        begun = [self.begin(seed) for seed in range(len(self.games))]
        middle = clock()
        for state, game in zip(begun, self.games, strict=True):
            self.replay(state, game)
        self.beginning, self.playing = self.beginning + middle - began, self.playing + clock() - middle
        self.moves += sum(seat >= 0 for game in self.games for seat, _ in game)

    @property
    def per_second(self) -> tuple[float, float]:
        """Moves per CPU-second without and with the beginning of games."""
        return self.moves / self.playing, self.moves / (self.beginning + self.playing)


def simulations() -> None:
    """Print the simulations per CPU-second of the MCTS player."""
    for game in (TicTacToe(), Othello(), Kuhn()):
        draw = Draw("mcts")
        state = game.start(draw)
        while game.turn(state) == CHANCE:
            state = game.apply(state, draw.choice(game.legal(state)))
        assert game.turn(state) != OVER
        began = clock()
        make_player("mcts:300", game, 1).choose(state)
        print(f"{type(game).__name__}: {300 / (clock() - began):,.0f} simulations per CPU-second from the start")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passes", type=int, default=20, help="how often the recorded games are played")
    passes = parser.parse_args().passes
    known = {"textarena": ("TextArena", textarena), "pyspiel": ("OpenSpiel", open_spiel)}
    rivals = [other for package, other in known.items() if importlib.util.find_spec(package)]
    print("Moves per CPU-second; in brackets with the beginning of each game.\n")
    print("| game | turnwise |" + "".join(f" {title} | ours by theirs |" for title, _ in rivals))
    print("|---|---:|" + "---:|---:|" * len(rivals))
    for name in GAMES:
        measured = [Measured(library, name) for library in (ours, *(rival for _, rival in rivals))]
        for _ in range(passes):  # in turn, so that whatever else the machine does slows all of them down
            for one in measured:
                one.again()
        mine, *others = [one.per_second for one in measured]
        row = [f"{mine[0]:,.0f} ({mine[1]:,.0f})"]
        for theirs in others:
            row += [f"{theirs[0]:,.0f} ({theirs[1]:,.0f})", f"{mine[0] / theirs[0]:.2g} ({mine[1] / theirs[1]:.2g})"]
        print(f"| {name} | {' | '.join(row)} |", flush=True)
    simulations()


if __name__ == "__main__":
    main()
