"""The base of games against an opponent: one agent plays one seat, and the instance admits a win."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply, seed_of, split_of
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.games.opponent import PREFIX, AgentPlayer, agent_of
from turnwise.verifiers.extract import final_answer
from turnwise.worlds.games.game import CHANCE, OVER, Game
from turnwise.worlds.games.players.make import check_name, make_player
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.search import AlphaBeta
from turnwise.worlds.games.players.values import value_of
from turnwise.worlds.games.players.winning import advance, winning_line

_OPENINGS = 300  # looked through for a position in which a seat is ahead
_OTHERS = 10  # positions drawn for each that is looked into, where those of the other split are passed over
_WEAKER = 2  # games of the player that a task is beyond
_FEW = 10  # turns with which a task need not be winnable: the limit is the user's
_SEATS = {"first": (0,), "second": (1,), "either": (0, 1)}


@dataclass(frozen=True)
class Task:
    """The rules, the position that the agent takes over, its seat, the opponent's name, and moves that win."""

    game: Game[Any, Any]
    state: Any
    seat: int
    opponent: str
    line: tuple[Any, ...] = field(compare=False)


class Match(Env[Task]):
    """A game against an opponent; a subclass says which, and which sizes and opponents its levels have.

    The opponent plays the same move whenever it meets the same position in the same task. A task is a position, some
    random moves into the game, from which a win against this opponent is known and a few games of random moves fail.
    The random agent of `chance` plays legal moves.
    """

    opponent: str = "greedy"
    """Who plays the other side: "random", "greedy" (wins or prevents a loss in one move), "alphabeta:DEPTH" (looks so
    many moves ahead), "mcts:SIMULATIONS" or "perfect" (Nim, chess endgames, boards of about ten cells: it searches them
    whole). Where something is hidden: "random" or "heuristic:SKILL" (1 to 3), which sees only its own seat.
    "agent:SPEC" is any agent of `turnwise eval --agent`: "agent:openai:MODEL@URL", "agent:hf:FOLDER". A win is then
    known against a scripted opponent, and no more than likely against the agent."""
    seat: Literal["first", "second", "either"] = "either"
    """The side that the agent plays; "either" draws it."""
    opening: Annotated[int, Range(0, 40)] = 2
    """Random moves that are made before the agent takes over (one more if it is not its turn then)."""
    hint: Literal["legal", "form"] = "legal"
    """How a message that is not a legal move is answered: "legal" lists the legal ones, "form" says how to write it."""
    beyond: str = ""
    """A player that loses the game from the position posed, as `opponent` names it: tasks ask for more than its skill.
    Whoever makes the first legal move each time loses then, too. "" leaves both open."""
    partial: Annotated[float, Range(0.0, 0.9)] = 0.0
    """The reward for a draw."""
    max_turns: Annotated[int, Range(1, 1000)] = 40
    """The most messages; a move or an illegal one each."""

    scout_depth: ClassVar[int] = 3
    """How far ahead the search looks that finds a win."""
    tries: ClassVar[int] = 100
    """Positions in which a win is looked for."""
    games: ClassVar[int] = 12
    """Games tried in each; few, where a game takes long to play and most positions can be won."""
    easy: ClassVar[int] = 3
    """Random games tried in each position that can be won: one in which a random game is won is too easy."""
    foreseen: ClassVar[bool] = False
    """Whether no random game is won against players that look ahead, so that none is tried against them."""
    cheats = (
        "I win.",
        "<answer>win</answer>",
        "<answer>resign</answer>",
        lambda env: f"{_move(env)}, {_move(env)}",
        lambda env: f"<answer>{_move(env)}</answer> or <answer>{env.task.opponent}</answer>",
        lambda env: f"not {_move(env)}",
        "self.state = won",
    )

    def rules(self) -> Game[Any, Any]:
        """Return the game that the settings describe."""
        raise NotImplementedError(f"{type(self).__name__} must define rules()")

    def game(self, draw: Draw) -> Game[Any, Any]:
        """Return the game of a task; each try at a task draws one."""
        return self.rules()

    def check(self) -> None:
        if self.beyond:
            check_name("beyond", self.beyond)
        if self.opponent.startswith(PREFIX):
            return  # the agent is made when the first episode begins: that may load a model
        check_name("opponent", self.opponent)
        kind, game = self.opponent.partition(":")[0], self.rules()
        if game.hidden and kind not in ("random", "heuristic"):
            raise SettingsError(f"opponent is {self.opponent!r}; here it must be random or heuristic:SKILL (1 to 3)")
        if not game.hidden and kind in ("equilibrium", "heuristic", "strategy"):
            raise SettingsError(f"opponent is {self.opponent!r}; that player is for games with something hidden")

    def generate(self, rng: np.random.Generator) -> Task:
        task = _drawn(type(self), tuple(self.settings().items()), int(rng.integers(2**62)))  # type: ignore[arg-type]
        if task is None:
            raise SettingsError(
                f"no position of these settings of {type(self).__name__} was found that is won against "
                f"opponent={self.opponent!r} in {self.max_turns} turns; choose a weaker opponent or raise max_turns"
                + (f"; with split={self.split!r} there may be too few positions: use split=None" if self.split else "")
            )
        return task

    def position(self, game: Game[Any, Any], seat: int, draw: Draw) -> Any:
        """Return a position with a seat to move after the opening, or one that is over."""
        state = game.start(draw)
        made = 0
        while (turn := game.turn(state)) != OVER and (made < self.opening or turn != seat):
            state = game.apply(state, draw.choice(game.legal(state)))
            made += turn != CHANCE
        return state

    def valued(
        self, game: Game[Any, Any], seat: int, draw: Draw, least: float = -math.inf, most: float = math.inf
    ) -> Any:
        """Return a `position` that `value_of` gives a seat so much, or one that is over; any if none is met."""
        for _ in range(_OPENINGS):
            state = Match.position(self, game, seat, draw)
            if game.turn(state) == OVER or least <= value_of(game)(state) * (1 - 2 * seat) <= most:
                break
        return state

    def scouts(self, game: Game[Any, Any]) -> tuple[Player, ...]:
        """Return the players whose games against the opponent are tried until one is won."""
        kind, _, depth = self.beyond.partition(":")
        further = int(depth) + 1 if kind == "alphabeta" else 1
        return (AlphaBeta(game, depth=max(self.scout_depth, further)), AlphaBeta(game, seed=1, depth=1))

    def begin(self) -> str:
        task = self.task
        if task.opponent.startswith(PREFIX):
            agent_of(task.opponent.removeprefix(PREFIX))
        game, self.state = task.game, task.state
        self.moves: tuple[Any, ...] = ()
        self.drawn = False
        example = self.example(game)
        draws = f"; a draw pays {self.partial:g}" if self.partial else "; a draw does not"
        begun = "The game has already begun. " if self.opening else ""
        return (
            f"Win this game against an opponent.\n\n{game.rules()}\n\n{game.notation()}. Answer with one move, alone "
            f"or in the form <answer>{example}</answer>. A message that is not a legal move changes nothing but uses "
            f"up a turn. You have {self.max_turns} turns. Only a win counts{draws if game.draws else ''}.\n\n"
            f"{begun}{self._now()}"
        )

    def example(self, game: Game[Any, Any]) -> str:
        """Return a move as it is written."""
        first = game.initial()
        moves = game.legal(first)
        return game.write(first, moves[len(moves) // 2])

    def _now(self) -> str:
        task = self.task
        return f"You are {task.game.names[task.seat]}. It is your turn.\n{task.game.view(self.state, task.seat)}"

    def respond(self, action: str) -> Reply:
        game, seat = self.task.game, self.task.seat
        text, problem = final_answer(action)
        move = None if text is None else game.parse(self.state, text)
        if move is None:
            return Reply(f"Not a legal move{f': {problem}' if problem else ''}. {self._help()}", invalid=True)
        said = f"You played {game.write(self.state, move)}."
        at = game.apply(self.state, move)
        self.state, replies = advance(at, seat, _opponent(self.task))
        self.moves += (move,)
        for reply in replies:
            if game.turn(at) != CHANCE:
                said += f" Your opponent played {game.write(at, reply)}."
            at = game.apply(at, reply)
        if game.turn(self.state) != OVER:
            return Reply(f"{said} {self._now()}")
        won = game.returns(self.state)[seat]
        board = game.board(self.state)
        if won > 0:
            return Reply(f"{said} You win.\n{board}", solved=True)
        self.drawn = won == 0
        end = "The game is a draw." if self.drawn else "You lose."
        return Reply(f"{said} {end}\n{board}", reward=self.partial if self.drawn else 0.0, done=True)

    def _help(self) -> str:
        game = self.task.game
        if self.hint == "form":
            return f"{game.notation()}."
        return f"Legal moves: {' '.join(self.legal_moves())}"

    def legal_moves(self) -> list[str]:
        """Return the moves that the agent has, in writing."""
        game = self.task.game
        legal = game.legal(self.state) if game.turn(self.state) == self.task.seat else []
        return sorted(game.write(self.state, move) for move in legal)

    def seen(self) -> str:
        """Return the position as the agent sees it."""
        return self.task.game.view(self.state, self.task.seat)

    def metrics(self) -> dict[str, float]:
        return {"draws": float(self.drawn)}

    def oracle(self) -> str:
        """Return the next move of the known win, or the best that a search finds once the agent has left it."""
        task, made = self.task, len(self.moves)
        known = made < len(task.line) and task.line[:made] == self.moves
        follows = known and task.line[made] in task.game.legal(self.state)  # an agent may have answered otherwise
        move = task.line[made] if follows else self._rescue()
        return task.game.write(self.state, move)

    def _rescue(self) -> Any:
        task, scouts = self.task, self.scouts(self.task.game)
        draw = Draw("rescue", task.game, self.state)
        most = max(1, self.max_turns - self.turn)
        line = winning_line(self.state, task.seat, _rehearsed(task), scouts, draw, 4, most)
        return line[0] if line else scouts[0].choose(self.state)

    def paraphrases(self) -> tuple[str, ...]:
        move = self.oracle()
        return (
            f"<answer>{move}</answer>",
            f"<answer> {move.upper()} </answer>",
            f"I play \\boxed{{{move}}}",
            f"<think>a1 or b2?</think>{move}.",
        )

    def sample_action(self, rng: np.random.Generator) -> str:
        game = self.task.game
        legal = game.legal(self.state) if game.turn(self.state) != OVER else []
        return game.write(self.state, legal[int(rng.random() * len(legal))]) if legal else "none"


def _move(env: Match) -> str:
    """Return the first legal move in writing."""
    return env.task.game.write(env.state, env.task.game.legal(env.state)[0])


@lru_cache(maxsize=256)
def _drawn(cls: type[Match], settings: tuple[tuple[str, Any], ...], key: int) -> Task | None:
    """Draw a task from which a win is found, or None; kept, as the search takes longest of all."""
    env = cls(**dict(settings))
    draw = Draw(key)
    shorter: Task | None = None
    tries = 1 if env.max_turns < _FEW else env.tries
    for _ in range(tries if env.split is None else _OTHERS * tries):
        game, seat = env.game(draw), draw.choice(_SEATS[env.seat])
        state = env.position(game, seat, draw)
        if game.turn(state) == OVER:
            continue
        shorter = Task(game, state, seat, env.opponent, ())
        if env.split is not None and split_of(env._digest(shorter)) != env.split:
            continue  # before the search, which is what takes long
        if (tries := tries - 1) < 0:
            break
        if env.beyond and _beaten(shorter, env.beyond):
            continue
        line = winning_line(state, seat, _rehearsed(shorter), env.scouts(game), draw, env.games, env.max_turns)
        games = 0 if env.foreseen and env.opponent.startswith("alphabeta") else env.easy
        if line is not None and not any(_won(shorter, partial(_any, game, draw)) for _ in range(games)):
            return replace(shorter, line=line)
    return shorter if env.max_turns < _FEW else None


def _beaten(task: Task, name: str) -> bool:
    """Return whether the opponent is beaten by whoever makes the first move each time, or by a player."""
    players = [make_player(name, task.game, seed).choose for seed in range(_WEAKER)]
    return any(_won(task, choose) for choose in (lambda state: task.game.legal(state)[0], *players))


def _any(game: Game[Any, Any], draw: Draw, state: Any) -> Any:
    return draw.choice(game.legal(state))


def _won(task: Task, choose: Callable[[Any], Any]) -> bool:
    """Return whether so chosen moves win."""
    game, state = task.game, task.state
    while game.turn(state) != OVER:
        state, _ = advance(game.apply(state, choose(state)), task.seat, _rehearsed(task))
    return game.returns(state)[task.seat] > 0


@lru_cache(maxsize=1024)
def _opponent(task: Task) -> Player:
    """Return the opponent of a task; its seed is a hash of the task, so that equal tasks have equal opponents."""
    seed = seed_of("opponent", task.game, task.state, task.seat)
    if task.opponent.startswith(PREFIX):
        return AgentPlayer(task.game, seed, task.opponent.removeprefix(PREFIX))
    return make_player(task.opponent, task.game, seed)


def _rehearsed(task: Task) -> Player:
    """Return the opponent against which wins are looked for: an agent's place is taken by a scripted one."""
    if not task.opponent.startswith(PREFIX):
        return _opponent(task)
    return _opponent(replace(task, opponent="random" if task.game.hidden else "greedy"))
