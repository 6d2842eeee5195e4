"""Secretary: choose the best of candidates that come one after the other, in enough series that skill decides.

Source: the secretary problem, as in `turnwise.worlds.games.solo.secretary`, which names the papers of each form.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.verifiers.extract import final_answer
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.solo.secretary import HIGHEST, Form, Position, advice, opens, played
from turnwise.worlds.games.solo.secretary import Secretary as Game

_MOVE = re.compile(r"take|pass(?: (?:(\d{1,3})|to (?:(best)|(\d{1,3}))))?", re.IGNORECASE | re.ASCII)
_TRIES = 500


@dataclass(frozen=True)
class Task:
    """The rules, and the position before the first candidate; all candidates are in it."""

    game: Game
    state: Position


@register("Secretary-v0")
class Secretary(Env[Task]):
    """Reach a score over several series of candidates; reward 1 for it.

    The optimal rule, which knows no more than the agent sees, reaches the score in every task: other orders of
    candidates are not posed. It is the oracle. A single choice is mostly luck; the score over all series is less so,
    and docs/games.md has how often rules that are not optimal reach it.
    """

    form: Form = "ranks"
    """What is seen and what counts: "ranks" shows ranks among those seen; "unknown" shows scores on a scale that is not
    known; "values" shows scores on a known one; in these the best of a series counts. In "costs" scores themselves
    count, less a cost for each candidate seen."""
    candidates: Annotated[int, Range(3, 60)] = 10
    """Candidates in a series."""
    picks: Annotated[int, Range(1, 5)] = 1
    """Candidates that may be chosen in a series."""
    rounds: Annotated[int, Range(1, 60)] = 10
    """Series."""
    goal: Annotated[int, Range(1, 10000)] = 5
    """Hits, or with costs points, that win."""
    cost: Annotated[int, Range(0, 50)] = 0
    """With costs: points that each candidate seen costs."""
    max_turns = 110

    levels = tuple(
        {"form": f, "candidates": n, "picks": k, "rounds": r, "goal": g, "cost": c, "max_turns": r * n + 10}
        for f, n, k, r, g, c in [
            ("ranks", 6, 1, 8, 4, 0), ("ranks", 10, 2, 10, 7, 0), ("unknown", 16, 3, 10, 8, 0),
            ("unknown", 20, 3, 14, 12, 0), ("values", 14, 1, 14, 10, 0), ("costs", 10, 2, 16, 1650, 12),
            ("costs", 12, 2, 16, 1750, 12), ("values", 18, 1, 18, 13, 0), ("values", 20, 2, 16, 15, 0),
            ("values", 24, 1, 20, 15, 0),
        ]
    )  # fmt: skip
    chance = (0.0,) * 10
    chance_default = 0.0
    cheats = (
        "take the best",
        lambda env: f"take {1 + _best(env)}",
        lambda env: f"<answer>take candidate {1 + _best(env)} of each series</answer>",
        "<answer>take</answer><answer>pass</answer>",
        "take, pass, take, pass",
        "hit",
        "score = goal",
    )

    def rules(self) -> Game:
        return Game(self.form, self.candidates, self.picks, self.rounds, self.goal, self.cost)

    def check(self) -> None:
        if self.picks >= self.candidates:
            raise SettingsError(f"picks is {self.picks} with candidates={self.candidates}; it must be smaller")
        most = self.rounds * (HIGHEST * self.picks if self.form == "costs" else 1)
        if self.goal > most:
            raise SettingsError(f"goal is {self.goal}; with these settings it must be at most {most}")
        if self.cost and self.form != "costs":
            raise SettingsError(f'cost is {self.cost} with form={self.form!r}; only form="costs" has costs')

    def generate(self, rng: np.random.Generator) -> Task:
        game, draw = self.rules(), Draw.from_generator(rng)
        for _ in range(_TRIES):
            state = game.start(draw)
            if played(game, state).score >= self.goal:
                return Task(game, state)
        raise SettingsError(f"goal is {self.goal}; the optimal rule reached it in none of {_TRIES} tasks: lower it")

    def begin(self) -> str:
        game, self.state = self.task.game, self.task.state
        to = f"{HIGHEST * 4 // 5}" if game.form == "costs" else "best"
        until = f"whose score is at least {to}" if game.form == "costs" else "who is at least as good as all before"
        return (
            f"{game.rules()}\n\nAnswer with one of these, alone or in the form <answer>pass</answer>:\n- take: choose "
            "the candidate that you see\n- pass: let it go and see the next one\n- pass 3: pass that many candidates\n"
            f"- pass to {to}: pass until you see one {until}\nThe last two stop at the end of a series at the latest. "
            f"Anything else changes nothing but uses up a turn. You have {self.max_turns} "
            f"turn{'' if self.max_turns == 1 else 's'}.\n\n{game.view(self.state, 0)}"
        )

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        game = self.task.game
        found = None if text is None or len(text) > 60 else _MOVE.fullmatch(" ".join(text.rstrip(".").split()))
        if found is None or (found[2] and game.form == "costs") or (found[3] and game.form != "costs"):
            to = "a score" if game.form == "costs" else "best"
            return Reply(f"Not a move: {problem or f'answer take, pass, pass 3 or pass to {to}'}.", invalid=True)
        if found[1] and not int(found[1]):
            return Reply("Not a move: pass at least one candidate.", invalid=True)
        before, chosen = self.state, self.state.chosen
        if found[0].lower() == "take":
            chosen = (*chosen, before.seen)
            self.state = game.apply(before, "take")
        else:
            self._pass(found)
        return self._told(before, chosen)

    def _pass(self, found: "re.Match[str]") -> None:
        """Pass once, or as often as a move says, to the end of the series at most."""
        game, start = self.task.game, self.state.at
        count = int(found[1]) if found[1] else 1
        best = max(self.state.series[start][: self.state.seen + 1])
        while self.state.at == start:
            self.state = game.apply(self.state, "pass")
            count -= 1
            if self.state.at != start:
                break
            now = self.state.series[start][self.state.seen]
            if now >= best if found[2] else now >= int(found[3]) if found[3] else not count:
                break

    def _told(self, before: Position, chosen: tuple[int, ...]) -> Reply:
        """Return what is said after a move; the end of a series, and of the game, is told."""
        game, state = self.task.game, self.state
        said = ""
        if state.at != before.at:
            values = before.series[before.at]
            best = [place for place, value in enumerate(values) if value == max(values)]
            gained = state.score - before.score
            if game.form == "costs":
                said = f"Series {before.at + 1} is over and pays {gained} points."
            else:
                where = " and ".join(str(place + 1) for place in best)
                chose = f"candidate {' and '.join(str(place + 1) for place in chosen)}" if chosen else "nobody"
                said = f"Series {before.at + 1} is over: the best was candidate {where}, you chose {chose}. "
                said += "A hit." if gained else "No hit."
        won = game.returns(state)[0] > 0
        if game.turn(state) == OVER:
            return Reply(f"{said} You {'win' if won else 'lose'}.\n{game.view(state, 0)}", solved=won, done=True)
        if game.form != "costs" and state.score + game.rounds - state.at < game.goal:
            return Reply(f"{said} You lose: too few series are left.\n{game.view(state, 0)}", done=True)
        return Reply(f"{said}\n{game.view(state, 0)}".lstrip())

    def metrics(self) -> dict[str, float]:
        score, goal = float(self.state.score), self.task.game.goal
        return {"score": score, "share": max(0.0, min(1.0, score / goal)), "series": float(self.state.at)}

    def oracle(self) -> str:
        """Return the next move of the optimal rule, which looks at no candidate that is still to come."""
        game, state = self.task.game, self.state
        if advice(game, state) == "take":
            return "<answer>take</answer>"
        if game.form == "costs":
            return "<answer>pass</answer>"
        count = opens(game, state) - state.seen
        return f"<answer>pass {'to best' if count <= 1 else count}</answer>"

    def paraphrases(self) -> Sequence[str]:
        move = self.oracle().removeprefix("<answer>").removesuffix("</answer>")
        return (move, f"<answer> {move.upper()}. </answer>", f"<think>take?</think>I \\boxed{{{move}}}")

    def sample_action(self, rng: np.random.Generator) -> str:
        u = float(rng.random())
        if u < 0.3:
            return "take"
        return f"pass {1 + int(rng.random() * self.candidates)}" if u < 0.65 else "pass"


def _best(env: Secretary) -> int:
    """Return the place of the best candidate of the series at hand."""
    series = env.state.series[min(env.state.at, len(env.state.series) - 1)]
    return series.index(max(series))
