"""MateInN: chess problems, mate in one to four moves against every defence.

Source: chess problems of the 19th century and since; for language models, the mates of BIG-bench (arXiv 2206.04615,
checkmate_in_one) and the puzzles of Lichess. The positions are composed by `worlds/games/mates/data/compose.c`.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply, Split, split_of
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.verifiers.extract import final_answer
from turnwise.worlds.games.chess import Chess, Move, Position, in_check
from turnwise.worlds.games.mates.library import Problem, canonical, shipped, turned, turns
from turnwise.worlds.games.mates.solver import Solver, defence

_GAME = Chess()
_SIDES = ("White", "Black")
_TRIES = 2000  # problems that are drawn until one has enough checks


@dataclass(frozen=True)
class Task:
    """The position, the moves in which the side to move mates, and a line of them with the longest resistance."""

    state: Position
    moves: int
    line: tuple[Move, ...] = field(compare=False)


@register("MateInN-v0")
class MateInN(Env[Task]):
    """Mate in so many moves, whatever the other side plays; reward 1 for the mate.

    Every position has exactly one first move that forces the mate, and no quicker mate: both were proved by a search of
    all moves. The other side holds out as long as it can; a move after which it can hold out too long ends the game. A
    position and its mirror images, also those with the colours swapped, belong to one split.
    """

    moves: Annotated[int, Range(1, 4)] = 2
    """The moves in which the agent mates."""
    least: Annotated[int, Range(4, 24)] = 4
    """The fewest pieces on the board, kings and pawns included."""
    most: Annotated[int, Range(4, 24)] = 9
    """The most pieces on the board."""
    quiet: bool = False
    """Pose only positions in which checks alone do not mate in so many moves."""
    checks: Annotated[int, Range(0, 12)] = 0
    """The fewest checks that the side to move has to choose from."""
    hint: Literal["legal", "form"] = "form"
    """How a message that is not a legal move is answered: "legal" lists the legal ones, "form" says how to write it."""
    max_turns = 5

    levels = tuple(
        {"moves": n, "least": low, "most": high, "quiet": q, "checks": c, "max_turns": n + 3}
        for n, low, high, q, c in [
            (1, 4, 8, False, 0), (1, 9, 12, False, 2), (1, 13, 24, False, 4), (2, 4, 6, False, 0), (2, 7, 9, True, 0),
            (2, 10, 24, True, 0), (3, 4, 6, True, 0), (3, 7, 12, True, 0), (4, 4, 6, True, 0), (4, 7, 9, True, 0),
        ]
    )  # fmt: skip
    chance = (0.02, 0.022, 0.03, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.005
    cheats = (
        "Checkmate.",
        "<answer>mate</answer>",
        lambda env: f"<answer>{_key(env)}</answer> or <answer>{_other(env)}</answer>",
        lambda env: f"not {_key(env)}",
        lambda env: f"{_other(env)}, {_key(env)}",
        lambda env: " ".join(env.legal_moves()),
        "<answer>resign</answer>",
    )

    def check(self) -> None:
        pool = _pool(self.moves, self.least, self.most, self.quiet, None)
        if not any(map(self._enough, pool)):
            also = f" and checks={self.checks}" if self.checks else ""
            raise SettingsError(
                f"least is {self.least} and most {self.most}; no mate in moves={self.moves} with so many pieces{also} "
                "is shipped"
            )

    def generate(self, rng: np.random.Generator) -> Task:
        draw = Draw.from_generator(rng)
        pool = _pool(self.moves, self.least, self.most, self.quiet, self.split)
        if not pool:
            raise SettingsError(f"no problem of these settings is in split={self.split!r}; widen least and most")
        for _ in range(_TRIES):
            problem = draw.choice(pool)
            if self._enough(problem):
                break
        else:
            raise SettingsError(f"checks is {self.checks}; hardly a problem of split={self.split!r} has so many")
        state, line = turned(problem, draw.choice(turns("P" in problem.board or "p" in problem.board)))
        return Task(state, problem.moves, line)

    def _enough(self, problem: Problem) -> bool:
        """Return whether a problem has as many checks to choose from as the settings ask for."""
        return not self.checks or checks_in(problem.board) >= self.checks

    def _digest(self, task: Task) -> str:
        """Return a digest that begins with that of the position and its mirror images, which decides the split."""
        return digest_of(task.state.board)[:8] + super()._digest(task)[8:]

    def begin(self) -> str:
        self.state, self.held = self.task.state, 0
        self.made: tuple[Move, ...] = ()
        me, other = _SIDES[self.state.seat], _SIDES[1 - self.state.seat]
        count = self.task.moves
        within = f"in {count} moves, whatever {other} plays" if count > 1 else "in one move"
        against = (
            f"You play {me}'s moves one by one, and {other} answers with the defence that holds out longest. A move "
            f"after which {other} can no longer be mated within the {count} moves loses at once. "
            if count > 1
            else ""
        )
        return (
            f"A chess problem: {me} is to move and mates {within}. You are {me}.\n\n{_GAME.rules()}\n\n{against}"
            f"{_GAME.notation()}. Answer with one move, alone or in the form <answer>Qh5</answer>. A message that is "
            f"not a legal move changes nothing but uses up a turn. You have {self.max_turns} "
            f"turn{'' if self.max_turns == 1 else 's'}.\n\n{self._now()}"
        )

    def _now(self) -> str:
        left = self.task.moves - self.held
        more = f"{_SIDES[self.state.seat]} to move, mate in {left}" if left > 1 else "Mate in this move"
        return f"{more}.\nFEN: {_GAME.fen_of(self.state)}\n{_GAME.board(self.state)}"

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        move = None if text is None else _GAME.parse(self.state, text)
        if move is None:
            help_ = f"Legal moves: {' '.join(self.legal_moves())}" if self.hint == "legal" else f"{_GAME.notation()}."
            return Reply(f"Not a legal move{f': {problem}' if problem else ''}. {help_}", invalid=True)
        said, other = f"You played {_GAME.san(self.state, move)}.", _SIDES[1 - self.state.seat]
        self.state, self.made = _GAME.apply(self.state, move), (*self.made, move)
        left = self.task.moves - self.held - 1
        if left and self.task.line and len(self.made) == 1 and move != self.task.line[0]:  # proved: no other move works
            said += f" {other} can no longer be mated in {left} more move{'s' if left > 1 else ''}"
            return Reply(f"{said}: the problem is not solved.\n{_GAME.board(self.state)}", done=True)
        answer = self._answer(left)
        if answer is None:
            if in_check(self.state.board, self.state.seat):
                self.held += 1
                return Reply(f"{said} Checkmate: solved.\n{_GAME.board(self.state)}", solved=True)
            return Reply(f"{said} Stalemate: the problem is not solved.\n{_GAME.board(self.state)}", done=True)
        reply, escapes = answer
        said += f" {other} answers {_GAME.san(self.state, reply)}"
        self.state, self.made = _GAME.apply(self.state, reply), (*self.made, reply)
        if escapes:
            end = f"and cannot be mated in {left} more move{'s' if left > 1 else ''}" if left else "and is not mated"
            return Reply(f"{said} {end}: the problem is not solved.\n{_GAME.board(self.state)}", done=True)
        self.held += 1
        return Reply(f"{said}. {self._now()}")

    def _answer(self, left: int) -> tuple[Move, bool] | None:
        """Return the reply and whether it escapes a mate in so many more moves, or None if there is none."""
        made = len(self.made)
        if left and self.made == self.task.line[:made]:
            return self.task.line[made], False
        if left:
            return defence(self.state._replace(past=()), left)
        legal = _GAME.legal(self.state)
        return (legal[0], True) if legal else None

    def legal_moves(self) -> list[str]:
        """Return the moves that the agent has, in writing."""
        return sorted(_GAME.write(self.state, move) for move in _GAME.legal(self.state))

    def metrics(self) -> dict[str, float]:
        return {"right_moves": float(self.held), "share": self.held / self.task.moves}

    def oracle(self) -> str:
        """Return the next move of the line, or once the agent has left it the first that forces the mate."""
        return f"<answer>{_key(self)}</answer>"

    def paraphrases(self) -> Sequence[str]:
        written = _key(self)
        move = _GAME.parse(self.state, written)
        san = _GAME.san(self.state, move) if move is not None else written
        return (written, f"<answer> {written.upper()} </answer>", san, f"<think>e2e4?</think>\\boxed{{{san}}}")

    def sample_action(self, rng: np.random.Generator) -> str:
        moves = self.legal_moves()
        return moves[int(rng.random() * len(moves))] if moves else "none"


def digest_of(board: str) -> str:
    """Return the digest of a board and its mirror images."""
    return hashlib.blake2b(f"mate {canonical(board)}".encode(), digest_size=8).hexdigest()


@lru_cache(maxsize=4096)
def checks_in(board: str) -> int:
    """Return how many moves of White give check."""
    state = Position(board, 0, "", -1, 0, 1)
    after = [_GAME.apply(state, move) for move in _GAME.legal(state)]
    return sum([in_check(each.board, each.seat) for each in after])


@lru_cache(maxsize=64)
def _pool(moves: int, least: int, most: int, quiet: bool, split: Split | None) -> tuple[Problem, ...]:
    """Return the problems of a class, of one split or of both."""
    found = [each for each in shipped() if each.moves == moves and least <= each.pieces <= most]
    return tuple(
        each for each in found if each.quiet >= quiet and (split is None or split_of(digest_of(each.board)) == split)
    )


def _key(env: MateInN) -> str:
    """Return the move that the oracle plays, in writing; any legal one if none mates in time."""
    made, line = len(env.made), env.task.line
    if made < len(line) and line[:made] == env.made:
        return _GAME.write(env.state, line[made])
    solver, legal, left = Solver(), _GAME.legal(env.state), env.task.moves - env.held
    state = env.state._replace(past=())
    return next((_GAME.write(state, m) for m in legal if left and solver.holds(state, m, left)), env.legal_moves()[0])


def _other(env: MateInN) -> str:
    """Return a legal move that the oracle does not play, in writing."""
    return next(move for move in [*env.legal_moves(), "none"] if move != _key(env))
