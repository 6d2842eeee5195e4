"""The base of games at a table: one agent plays one seat, scripted players the others, and a goal is within reach."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.verifiers.extract import final_answer
from turnwise.worlds.games.game import OVER, Game
from turnwise.worlds.games.players.company import Company, found_line
from turnwise.worlds.games.players.make import check_name, make_player
from turnwise.worlds.games.players.player import Player

_FEW = 10  # turns with which a task need not be solvable: the limit is the user's


@dataclass(frozen=True)
class Task:
    """The rules, where the agent takes over, its seat, who plays the others, what it must get, and moves that do."""

    game: Game[Any, Any]
    state: Any
    seat: int
    others: str
    seed: int  # of the others
    goal: float
    line: tuple[Any, ...] = field(compare=False)


class Seat(Env[Task]):
    """A seat at a table of scripted players; a subclass says which game, what counts as solved, and its levels.

    The others make the same moves whenever they meet the same position in the same task. A task is drawn until moves
    are known that reach the goal with these players, and some games of random moves do not. The random agent of
    `chance` makes legal moves.
    """

    others: str = "heuristic:3"
    """Who plays the other seats: "random" or "heuristic:SKILL" (1 to 3); each sees its own seat only."""
    place: Annotated[int, Range(0, 10)] = 0
    """The agent's seat, counted from 1; 0 draws it."""
    hint: Literal["legal", "form"] = "legal"
    """How a message that is not a legal move is answered: "legal" lists the legal ones, "form" says how to write it."""
    max_turns: Annotated[int, Range(1, 1000)] = 100
    """The most messages; a move or an illegal one each."""

    draws: ClassVar[int] = 40
    """Starts that are tried until one has a known way to the goal."""
    tries: ClassVar[int] = 8
    """Games that are tried from each start to find such a way."""
    easy: ClassVar[int] = 3
    """Random games tried from each start that has one: a start from which a random game succeeds is too easy."""
    same: ClassVar[tuple[str, ...]] = ()
    """Moves of which each, made over and over, must not reach the goal: doing nothing, the same bid."""
    scripts: ClassVar[tuple[str, ...]] = ("heuristic:3",)
    """The players that look for a way."""
    cheats = (
        "I win.",
        "<answer>win</answer>",
        lambda env: f"{_move(env)} {_move(env)} {_move(env)} and so on",
        lambda env: f"<answer>{_move(env)}</answer> or <answer>{env.task.others}</answer>",
        "self.state = won",
    )

    def rules(self) -> Game[Any, Any]:
        """Return the game that the settings describe."""
        raise NotImplementedError(f"{type(self).__name__} must define rules()")

    def goal(self, game: Game[Any, Any], state: Any, seat: int, draw: Draw) -> float:
        """Return what a seat must get at least."""
        return 1.0

    def position(self, start: Any, company: Company) -> Any:
        """Return where the agent takes over."""
        return company.until_turn(start)

    def aim(self) -> str:
        """Return the first sentence of the task, which says what the goal is."""
        raise NotImplementedError(f"{type(self).__name__} must define aim()")

    def check(self) -> None:
        check_name("others", self.others)
        if self.others.partition(":")[0] not in ("random", "heuristic"):
            raise SettingsError(f"others is {self.others!r}; here it must be random or heuristic:SKILL (1 to 3)")
        if self.place > (seats := self.rules().seats):
            raise SettingsError(f"place is {self.place}; it must be from 1 to {seats}, or 0")

    def generate(self, rng: np.random.Generator) -> Task:
        task = _drawn(type(self), tuple(self.settings().items()), int(rng.integers(2**62)))  # type: ignore[arg-type]
        if task is None:
            raise SettingsError(
                f"no start with these settings of {type(self).__name__} was found whose goal can be reached with "
                f"others={self.others!r}; choose a lower goal or more time"
            )
        return task

    def scouts(self, game: Game[Any, Any]) -> tuple[Player, ...]:
        """Return the players whose games are tried until one reaches the goal."""
        return tuple(make_player(name, game, 7) for name in self.scripts)

    def begin(self) -> str:
        task = self.task
        game = task.game
        self.state = task.state
        self.moves: tuple[Any, ...] = ()
        example = game.write(self.state, game.moves(self.state, task.seat)[0])
        return (
            f"{self.aim()}\n\n{game.rules()}\n\n{game.notation()}. Answer with one move, alone or in the form "
            f"<answer>{example}</answer>. A message that is not a legal move changes nothing but uses up a turn. You "
            f"have {self.max_turns} turns.\n\n{self._now()}"
        )

    def _now(self) -> str:
        return f"You are {self.task.game.names[self.task.seat]}. It is your turn.\n{self.seen()}"

    def respond(self, action: str) -> Reply:
        task = self.task
        game, seat = task.game, task.seat
        text, problem = final_answer(action)
        move = None if text is None else game.parse(self.state, text, seat)
        if move is None:
            return Reply(f"Not a legal move{f': {problem}' if problem else ''}. {self._help()}", invalid=True)
        said = f"You played {game.write(self.state, move)}."
        self.state = _company(task).after(self.state, move)
        self.moves += (move,)
        if game.turn(self.state) != OVER:
            return Reply(f"{said} {self._now()}")
        got = game.returns(self.state)[seat]
        end = f"{said} The game is over.\n{game.board(self.state)}\nYou have got {got:g}; the goal is {task.goal:g}."
        return Reply(end, solved=True) if got >= task.goal else Reply(end, done=True)

    def _help(self) -> str:
        if self.hint == "form":
            return f"{self.task.game.notation()}."
        return f"Legal moves: {', '.join(self.legal_moves())}"

    def legal_moves(self) -> list[str]:
        """Return the moves that the agent has, in writing."""
        game = self.task.game
        return sorted(game.write(self.state, move) for move in game.moves(self.state, self.task.seat))

    def seen(self) -> str:
        """Return the position as the agent sees it."""
        return self.task.game.view(self.state, self.task.seat)

    def metrics(self) -> dict[str, float]:
        over = self.task.game.turn(self.state) == OVER
        return {"points": float(self.task.game.returns(self.state)[self.task.seat]) if over else 0.0}

    def oracle(self) -> str:
        """Return the next move of the known way, or that of a scripted player once the agent has left it."""
        task, made = self.task, len(self.moves)
        known = made < len(task.line) and task.line[:made] == self.moves
        follows = known and task.line[made] in task.game.moves(self.state, task.seat)
        move = task.line[made] if follows else self.scouts(task.game)[0].act(self.state, task.seat)
        return task.game.write(self.state, move)

    def paraphrases(self) -> tuple[str, ...]:
        move = self.oracle()
        return (
            f"<answer>{move}</answer>",
            f"<answer> {move.upper()} </answer>",
            f"I play \\boxed{{{move}}}",
            f"<think>this or that?</think>{move}.",
        )

    def sample_action(self, rng: np.random.Generator) -> str:
        game = self.task.game
        legal = game.moves(self.state, self.task.seat)
        return game.write(self.state, legal[int(rng.random() * len(legal))]) if legal else "none"


def _move(env: Seat) -> str:
    """Return the first legal move in writing."""
    return env.task.game.write(env.state, env.task.game.moves(env.state, env.task.seat)[0])


@lru_cache(maxsize=256)
def _drawn(cls: type[Seat], settings: tuple[tuple[str, Any], ...], key: int) -> Task | None:
    """Draw a task with a known way to its goal, or None; kept, as looking for it takes longest of all."""
    env = cls(**dict(settings))
    draw = Draw(key)
    game = env.rules()
    task: Task | None = None
    for _ in range(env.draws):
        seat = env.place - 1 if env.place else draw.below(game.seats)
        task = Task(game, game.start(draw), seat, env.others, draw.below(2**30), 0.0, ())
        task = replace(task, state=env.position(task.state, _company(task)))
        if game.turn(task.state) == OVER:
            continue
        task = replace(task, goal=env.goal(game, task.state, seat, draw))
        company = _company(task)
        line = found_line(task.state, company, task.goal, env.scouts(game), draw, env.tries)
        if line is None or (len(line) > env.max_turns >= _FEW):
            continue
        if not _is_easy(task, company, env, draw):
            return replace(task, line=line)
    return None


def _is_easy(task: Task, company: Company, env: Seat, draw: Draw) -> bool:
    """Return whether random moves happen to reach the goal, or one move over and over does."""

    def reached(same: str) -> bool:
        game, state = task.game, task.state
        while game.turn(state) != OVER:
            legal = game.moves(state, task.seat)
            move = game.parse(state, same, task.seat) if same else draw.choice(legal)
            state = company.after(state, move)
        return game.returns(state)[task.seat] >= task.goal

    return any(reached(same) for same in env.same) or any(reached("") for _ in range(env.easy))


def _company(task: Task) -> Company:
    return _seated(task.game, task.seat, task.others, task.seed)


@lru_cache(maxsize=256)
def _seated(game: Game[Any, Any], seat: int, others: str, seed: int) -> Company:
    return Company(seat, tuple(make_player(others, game, seed + number) for number in range(game.seats)))
