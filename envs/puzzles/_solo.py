"""The base of games for one seat: the agent plays alone, and moves that win are known."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.verifiers.extract import final_answer
from turnwise.worlds.games.game import OVER, Game

_BETWEEN = re.compile(r"\|\||[,;\n]")
_CELLS = re.compile(r"\s*[a-z]\d{1,2}(\s*-\s*[a-z]\d{1,2})?\s*", re.IGNORECASE | re.ASCII)
_MOVE_CHARS = 12  # of a move with what stands between it and the next
_SPARE = 40
_TRIES = 1000  # tasks that are drawn until one can be solved within the turns


@dataclass(frozen=True)
class Task:
    """The rules, the first position, and moves that win from there."""

    game: Game[Any, Any]
    state: Any
    line: tuple[Any, ...] = field(compare=False)


class Solo(Env[Task]):
    """A game for one player without chance moves; a subclass says which, and which sizes its levels have.

    ``form`` is what every move of a message must look like; a message with anything else in it makes no move.

    The moves of a message are made one after the other, up to the first that is not legal. The random agent of `chance`
    plays one legal move a turn.
    """

    moves_per_turn: Annotated[int, Range(1, 400)] = 10
    """The most moves in one message."""
    max_turns: Annotated[int, Range(1, 1000)] = 20
    """Turns after which the game is lost."""
    hint: Literal["legal", "form"] = "form"
    """How a message whose first move is not legal is answered: "legal" lists the legal moves, "form" says how to write
    one."""

    form: ClassVar[re.Pattern[str]] = _CELLS
    cheats = (
        "Solved.",
        "<answer>win</answer>",
        lambda env: f"<answer>{_move(env)}</answer> or <answer>resign</answer>",
        lambda env: f"not {_move(env)}",
        lambda env: f"{_move(env)} or any other",
        "self.state = solved",
    )

    def rules(self) -> Game[Any, Any]:
        """Return the game that the settings describe."""
        raise NotImplementedError(f"{type(self).__name__} must define rules()")

    def posed(self, game: Any, draw: Draw) -> tuple[Any, tuple[Any, ...]]:
        """Draw a first position and moves that win from there."""
        raise NotImplementedError(f"{type(self).__name__} must define posed()")

    def solution(self, game: Any, state: Any) -> Sequence[Any]:
        """Return moves that win from a position that the agent has reached; empty if none are found."""
        raise NotImplementedError(f"{type(self).__name__} must define solution()")

    def idle(self, word: str) -> bool:
        """Return whether a move is passed over because its work is done already."""
        return False

    def figures(self) -> dict[str, float]:
        """Return what `metrics` tells of the position, such as the share that is done."""
        return {}

    def check(self) -> None:
        self.rules()

    def generate(self, rng: np.random.Generator) -> Task:
        game, draw = self.rules(), Draw.from_generator(rng)
        most = self.max_turns * self.moves_per_turn
        for _ in range(_TRIES):
            state, line = self.posed(game, draw)
            if game.turn(state) != OVER and len(line) <= most:
                return Task(game, state, line)
        raise SettingsError(
            f"max_turns is {self.max_turns} and moves_per_turn {self.moves_per_turn}; no task was found that {most} "
            "moves solve: raise one of them"
        )

    def begin(self) -> str:
        game, self.state = self.task.game, self.task.state
        self.moves: tuple[Any, ...] = ()
        example = game.write(self.state, game.legal(self.state)[0])
        several = (
            f"up to {self.moves_per_turn} moves, separated by commas, alone or in the form <answer>{example}, "
            "...</answer>. They are made in order, up to the first that is not legal"
            if self.moves_per_turn > 1
            else f"one move, alone or in the form <answer>{example}</answer>"
        )
        return (
            f"{game.rules()}\n\n{game.notation()}. Answer with {several}. A message that begins with anything but a "
            f"legal move changes nothing but uses up a turn. You have {self.max_turns} turn"
            f"{'' if self.max_turns == 1 else 's'}.\n\n{game.view(self.state, 0)}"
        )

    def respond(self, action: str) -> Reply:
        game = self.task.game
        text, problem = final_answer(action)
        words = [] if text is None or len(text) > _MOVE_CHARS * self.moves_per_turn + _SPARE else _split(text)
        if not all(self.form.fullmatch(word) for word in words):  # "a1, or maybe b2" makes no move
            words = []
        if len(words) > self.moves_per_turn:
            words, problem = [], f"give at most {self.moves_per_turn} moves in a message"
        made, stopped = 0, False
        for word in words:
            move = game.parse(self.state, word, 0)
            if move is None and self.idle(word):
                continue
            if move is None:
                stopped = True
                break
            self.state = game.apply(self.state, move)
            self.moves += (move,)
            made += 1
            if game.turn(self.state) == OVER:
                break
        if not made:
            return Reply(f"Not a legal move{f': {problem}' if problem else ''}. {self._help()}", invalid=True)
        if game.turn(self.state) == OVER:
            won = game.returns(self.state)[0] > 0
            return Reply(f"{'You win.' if won else 'You lose.'}\n{game.board(self.state)}", solved=won, done=True)
        left = f"The first {made} of your moves {'was' if made == 1 else 'were'} made; the next is not legal.\n"
        return Reply(f"{left if stopped else ''}{game.view(self.state, 0)}")

    def _help(self) -> str:
        game = self.task.game
        if self.hint == "form":
            return f"{game.notation()}."
        return f"Legal moves: {', '.join(sorted(game.write(self.state, move) for move in game.legal(self.state)))}"

    def metrics(self) -> dict[str, float]:
        return {"moves": float(len(self.moves)), **self.figures()}

    def oracle(self) -> str:
        """Return the rest of the known moves, or of those found from where the agent has gone."""
        game, made = self.task.game, len(self.moves)
        known = self.task.line[:made] == self.moves
        rest = self.task.line[made:] if known else self.solution(game, self.state)
        words, state = [], self.state
        for move in list(rest)[: self.moves_per_turn]:
            words.append(game.write(state, move))
            state = game.apply(state, move)
        return f"<answer>{', '.join(words) or game.write(self.state, game.legal(self.state)[0])}</answer>"

    def paraphrases(self) -> tuple[str, ...]:
        words = self.oracle().removeprefix("<answer>").removesuffix("</answer>")
        return (
            f"<answer> {words.upper()} </answer>",
            f"I play \\boxed{{{words}}}",
            f"<think>a1 or b2?</think><answer>{words.replace(', ', ' || ')}</answer>",
        )

    def sample_action(self, rng: np.random.Generator) -> str:
        game = self.task.game
        legal = game.legal(self.state) if game.turn(self.state) != OVER else []
        return game.write(self.state, legal[int(rng.random() * len(legal))]) if legal else "none"


def _split(text: str) -> list[str]:
    """Return the moves of a text in writing."""
    return [word.strip() for word in _BETWEEN.split(text.rstrip(".")) if word.strip()]


def _move(env: Solo) -> str:
    """Return the first legal move in writing."""
    return env.task.game.write(env.state, env.task.game.legal(env.state)[0])
