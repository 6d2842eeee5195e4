"""The base of games for points: one agent plays one seat, scripted players the others, and a goal is within reach."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from math import inf
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply, split_of
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.verifiers.extract import final_answer
from turnwise.worlds.games.game import OVER, Game
from turnwise.worlds.games.players.company import Company, found_line, played_out
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.players.player import Player

_OTHERS = 10  # starts drawn for each that is looked into, where those of the other split are passed over
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


class Points(Env[Task]):
    """A seat in a game with scripted players; a subclass says which game, what counts as solved, and its levels.

    `Seat` and `Duel` name the settings that say who the others are and where the agent sits. The others make the same
    moves whenever they meet the same position in the same task. A task is drawn until moves are known that reach the
    goal with these players, and some games of random moves do not. The random agent of
    `chance` makes legal moves.
    """

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
    """Moves of which each, made over and over, must not reach the goal: doing nothing, the same bid. Where such a move
    is not legal, the last legal one is made."""
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

    def placed(self, task: Task, draw: Draw) -> Task:
        """Return the task from the point where the agent takes over; with a finished game if there is no such point."""
        return replace(task, state=company_of(task).until_turn(task.state))

    def aim(self) -> str:
        """Return the first sentence of the task, which says what the goal is."""
        raise NotImplementedError(f"{type(self).__name__} must define aim()")

    def known(self) -> str:
        """Return the paragraph that tells what is known of the other players; nothing where that is for the agent."""
        return ""

    def seated(self, game: Game[Any, Any], draw: Draw) -> int:
        """Return the agent's seat."""
        raise NotImplementedError(f"{type(self).__name__} must define seated()")

    def company(self, draw: Draw) -> str:
        """Return the name of the player who has the other seats."""
        raise NotImplementedError(f"{type(self).__name__} must define company()")

    def generate(self, rng: np.random.Generator) -> Task:
        task = _drawn(type(self), tuple(self.settings().items()), int(rng.integers(2**62)))  # type: ignore[arg-type]
        if task is None:
            raise SettingsError(
                f"no start with these settings of {type(self).__name__} was found whose goal can be reached; choose "
                "a lower goal, more time or other players"
                + (f"; with split={self.split!r} there may be too few starts: use split=None" if self.split else "")
            )
        return task

    def target(self, task: Task, draw: Draw) -> float:
        """Return the `goal` of a task, all of which is known but this and the way there; infinite if it has none."""
        return self.goal(task.game, task.state, task.seat, draw)

    def scouts(self, game: Game[Any, Any]) -> tuple[Player, ...]:
        """Return the players whose games are tried until one reaches the goal."""
        return tuple(make_player(name, game, 7) for name in self.scripts)

    def guides(self, task: Task) -> tuple[Player, ...]:
        """Return the `scouts` of a task, which may know who the others are."""
        return self.scouts(task.game)

    def too_easy(self, task: Task, company: Company, draw: Draw) -> bool:
        """Return whether the same move over and over reaches the goal, or one of ``easy`` games of random moves."""

        def reached(way: Callable[[Any], Any]) -> bool:
            return played_out(task.state, company, way) >= task.goal

        return any(reached(way) for way in self.plain(task)) or any(
            reached(any_move(task, draw)) for _ in range(self.easy)
        )

    def plain(self, task: Task) -> list[Callable[[Any], Any]]:
        """Return the ways to play that need no thought."""
        return [partial(again, task, same) for same in self.same]

    def begin(self) -> str:
        task = self.task
        game = task.game
        self.state = task.state
        self.moves: tuple[Any, ...] = ()
        example = self.example()
        rules = "\n\n".join(filter(None, [self.aim(), game.rules(), self.known()]))
        return (
            f"{rules}\n\n{game.notation()}. Answer with one move, alone or in the form "
            f"<answer>{example}</answer>. A message that is not a legal move changes nothing but uses up a turn. You "
            f"have {self.max_turns} turns.\n\n{self._now()}"
        )

    def example(self) -> str:
        """Return a move as it is written."""
        return self.task.game.write(self.state, self.task.game.moves(self.state, self.task.seat)[0])

    def _now(self) -> str:
        return f"You are {self.task.game.names[self.task.seat]}. It is your turn.\n{self.seen()}"

    def respond(self, action: str) -> Reply:
        task = self.task
        game, seat = task.game, task.seat
        text, problem = final_answer(action)
        move = None if text is None else game.parse(self.state, text, seat)
        if move is None:
            return Reply(f"Not a legal move{f': {problem}' if problem else ''}. {self._help()}", invalid=True)
        before, self.state = self.state, company_of(task).after(self.state, move)
        said = f"You played {game.write(before, move)}.{self.told(before, move)}"
        self.moves += (move,)
        if game.turn(self.state) != OVER:
            return Reply(f"{said} {self._now()}")
        got = game.returns(self.state)[seat]
        end = f"{said} The game is over.\n{game.board(self.state)}\n{self.result(got)}"
        return Reply(end, solved=True) if got >= task.goal else Reply(end, self.short(got), done=True)

    def told(self, before: Any, move: Any) -> str:
        """Return what a move has led to that the position does not show, after a blank; nothing where it shows all."""
        return ""

    def result(self, got: float) -> str:
        """Return the sentence that tells the agent what it got."""
        return f"You have got {got:g}; the goal is {self.task.goal:g}."

    def short(self, got: float) -> float:
        """Return the reward for points that are short of the goal."""
        return 0.0

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
        move = task.line[made] if follows else self.guides(task)[0].act(self.state, task.seat)
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


def again(task: Task, same: str, state: Any) -> Any:
    """Return the same move as ever, or the last legal one."""
    move = task.game.parse(state, same, task.seat)
    return task.game.moves(state, task.seat)[-1] if move is None else move


def any_move(task: Task, draw: Draw) -> Callable[[Any], Any]:
    """Return a player that draws its moves."""
    return lambda state: draw.choice(task.game.moves(state, task.seat))


def _move(env: Points) -> str:
    """Return the first legal move in writing."""
    return env.task.game.write(env.state, env.task.game.moves(env.state, env.task.seat)[0])


@lru_cache(maxsize=256)
def _drawn(cls: type[Points], settings: tuple[tuple[str, Any], ...], key: int) -> Task | None:
    """Draw a task with a known way to its goal, or None; kept, as looking for it takes longest of all."""
    env = cls(**dict(settings))
    draw = Draw(key)
    game = env.rules()
    task: Task | None = None
    tries = env.draws
    for _ in range(tries if env.split is None else _OTHERS * tries):
        seat = env.seated(game, draw)
        task = Task(game, game.start(draw), seat, env.company(draw), draw.below(2**30), 0.0, ())
        task = env.placed(task, draw)
        if game.turn(task.state) == OVER:
            continue
        task = replace(task, goal=env.target(task, draw))
        if task.goal == inf or (env.split is not None and split_of(env._digest(task)) != env.split):
            continue  # before the search, which is what takes long
        if (tries := tries - 1) < 0:
            break
        company = company_of(task)
        line = found_line(task.state, company, task.goal, env.guides(task), draw, env.tries)
        if line is None or (len(line) > env.max_turns >= _FEW):
            continue
        if not env.too_easy(task, company, draw):
            return replace(task, line=line)
    return None


def company_of(task: Task) -> Company:
    """Return the agent's seat and the players of the others."""
    return _seated(task.game, task.seat, task.others, task.seed)


@lru_cache(maxsize=256)
def _seated(game: Game[Any, Any], seat: int, others: str, seed: int) -> Company:
    return Company(seat, tuple(make_player(others, game, seed + number) for number in range(game.seats)))
