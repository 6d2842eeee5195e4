"""The audit of an environment: whole episodes, what one does to the next, right answers spoiled, rows of data."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np

from turnwise.agents.scripted import ConstantAgent, FunctionAgent, RandomAgent
from turnwise.audit.cases import Outcome, env_cases
from turnwise.audit.mutants import DUMPS, HOSTILE, LUCKY, code_of
from turnwise.audit.probes import beyond_luck, probe_all, probe_climb
from turnwise.audit.result import Example, Kind, Ledger
from turnwise.audit.search import shrink
from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import Env, seed_of
from turnwise.core.episode import Episode, Job
from turnwise.core.player import rollout
from turnwise.core.registration import env_class

__all__ = ["EnvAudit"]

MAX_LUCK = 0.05
"""What one constant answer may be worth: questions with few possible answers are guessed now and then."""
_MOST_CASES = 20  # tasks whose right answers are rewritten, hedged and mutated
_MOST_ROWS = 5000


class EnvAudit:
    """The parts of an environment's audit."""

    def __init__(
        self, name: str, settings: dict[str, Any], num_tasks: int, seed: int, progress: Callable[[str], None]
    ) -> None:
        self.name, self.settings, self.num_tasks, self.progress = name, settings, num_tasks, progress
        self.seed = seed
        self.seeds = [seed_of("audit", seed, i) for i in range(num_tasks)]
        self.ledger = Ledger()
        self.luck = MAX_LUCK
        self.whole = False  # all of a message counts: no text is wrong whatever the task

    def env(self) -> Env[Any]:
        """A fresh environment, unwrapped."""
        made = gymnasium.make(self.name, **self.settings).unwrapped
        assert isinstance(made, Env)
        return made

    # ---- whole episodes ----------------------------------------------------------------------------------------

    def right(self) -> None:
        """The oracle, and an agent for each paraphrase; where a state has fewer of them, it plays the oracle's move."""
        most = 0  # how many there are shows in play

        def oracle(env: Env[Any]) -> str:
            nonlocal most
            most = max(most, len(env.paraphrases()))
            self.whole = self.whole or env.right_answers() == "message"
            return env.oracle()

        def nth(number: int) -> Callable[[Env[Any]], str]:
            def paraphrase(env: Env[Any]) -> str:
                nonlocal most
                found = env.paraphrases()
                most = max(most, len(found))
                return found[number] if number < len(found) else env.oracle()

            return paraphrase

        self._expect_paid("oracle", FunctionAgent(oracle, "oracle"))
        number = 0
        while number < most:
            self._expect_paid("paraphrase", FunctionAgent(nth(number), f"paraphrase {number + 1}"))
            number += 1

    def wrong(self) -> None:
        """The random agent, cheats, and texts that are the same whatever is asked."""
        solved = sum(e.solved for e in self._play("random", RandomAgent()))
        self.ledger.count("random", solved, self.num_tasks)
        self.luck = max(MAX_LUCK, solved / self.num_tasks, self._most_common_answer())
        for number, cheat in enumerate(env_class(self.name).cheats, 1):
            self._expect_unpaid("cheat", _cheater(cheat, f"cheat {number}"))
        for text in HOSTILE:
            self._say("hostile", "hostile text", text, self.luck if self.whole else 0.0)
        for text in (*LUCKY, *DUMPS):
            self._say("lucky", "constant", text, self.luck)
        self._expect_unpaid("lucky", _EchoAgent(), luck=self.luck)

    def _say(self, kind: str, title: str, text: str, luck: float) -> None:
        """The same text in every task and turn; only what goes wrong is played again by an agent, for the record."""
        self.progress(f"{title}: {text[:60]!r}")
        env = self.env()
        outcomes = [_constant_earns(env, text, seed) for seed in self.seeds]
        paid = sum(o.paid for o in outcomes)
        if any(o.error for o in outcomes) or (beyond_luck(paid, len(outcomes), luck) if luck else paid):
            self._expect_unpaid(kind, _cheater(text, title), luck)
        else:
            self.ledger.count(kind, paid, len(outcomes))

    def _play(self, kind: str, agent: Agent) -> list[Episode]:
        self.progress(agent.name)
        jobs = (Job(self.name, seed, i, self.settings) for i, seed in enumerate(self.seeds))
        episodes = sorted(rollout(agent, jobs, retries=0), key=lambda e: e.sample)
        errors = [e for e in episodes if e.status == "error"]
        if errors:
            self._find("error", agent.name, errors, len(episodes), errors[0].error or "", [])
        return [e for e in episodes if e.status == "done"]

    def _expect_paid(self, kind: str, agent: Agent) -> None:
        episodes = self._play(kind, agent)
        refused = [e for e in episodes if not (e.solved and abs(e.episode_return - 1.0) < 1e-9)]
        self.ledger.count(kind, len(episodes) - len(refused), len(episodes))
        if refused:
            first = min(refused, key=lambda e: (len(e.turns), sum(len(t.action) for t in e.turns)))
            why = f"a right answer must earn 1; it was answered: {first.final_observation}"
            self._find("false reject", agent.name, [first, *refused[1:]], len(episodes), why, [])

    def _expect_unpaid(self, kind: str, agent: Agent, luck: float = 0.0) -> None:
        episodes = self._play(kind, agent)
        paid = [e for e in episodes if e.episode_return > 0 or e.solved]
        self.ledger.count(kind, len(paid), len(episodes))
        if not paid or (luck and not beyond_luck(len(paid), len(episodes), luck)):
            return
        why = f"luck allows {luck:.1%}" if luck else "it does not solve the task"
        same = [e for e in paid if len({t.action for t in e.turns}) == 1]
        self._find("false accept", agent.name, paid, len(episodes), why, same, luck)

    def _find(
        self, kind: Kind, name: str, wrong: Sequence[Episode], trials: int, why: str, constant: Sequence[Episode],
        luck: float = 0.0,
    ) -> None:  # fmt: skip
        """A finding about whole episodes; what was paid for one text is made smaller."""
        episode = constant[0] if constant else wrong[0]
        turn = episode.turns[-1] if episode.turns else None
        text = small = turn.action if turn else ""
        if constant and name != "echo":
            env = self.env()
            cheap = [episode.seed] if not luck else self.seeds[:30]
            states = {c.seed: c for path in env_cases(env, cheap[:1]) for c in path[-1:]}

            def holds(other: str) -> bool:
                case = states.get(cheap[0])
                if not luck and case is not None and not case.differs(other, by_addition=True):
                    return False
                paid = sum(_constant_earns(env, other, s).paid for s in cheap)
                return beyond_luck(paid, len(cheap), luck) if luck else paid > 0

            small = shrink(text, holds, tries=200)
        example = Example(
            seed=episode.seed,
            observation=episode.turns[0].observation if episode.turns else "",
            action=small,
            reward=episode.episode_return,
            why=why,
            original=text if small != text else "",
            episode=episode if len(episode.turns) > 1 or not episode.turns else None,
        )
        self.ledger.find(kind, name, len(wrong), trials, example)

    # ---- what one answer does to the next ----------------------------------------------------------------------

    def leaks(self) -> bool:
        """Whether a text changes how the next episode of the same environment is judged; a finding if it does."""
        self.progress("state leaks")
        first, second = self.seeds[0], self.seeds[-1]
        rng = np.random.default_rng(seed_of("leak", self.seed))
        fresh = self.env()
        fresh.reset(seed=second)
        guess = fresh.sample_action(rng)

        def after(poison: str | None, env: Env[Any]) -> list[tuple[object, ...]]:
            if poison is not None:
                _constant_earns(env, poison, first)
            found: list[tuple[object, ...]] = []
            for wrong in (None, guess):
                observation, _ = env.reset(seed=second)
                said: list[object] = [observation]
                for _ in range(200):
                    observation, reward, terminated, truncated, _ = env.step(env.oracle() if wrong is None else wrong)
                    said += [observation, reward]
                    if terminated or truncated:
                        break
                found.append(tuple(said))
            return found

        try:
            expected = after(None, self.env())
        except Exception:  # found and told where the oracle was played
            return False
        fresh.reset(seed=first)
        poisons = [*HOSTILE, fresh.oracle(), "<answer>1</answer>", "x" * 50_000, "1 " * 20_000]
        for poison in poisons:

            def differs(text: str) -> bool:
                try:
                    return after(text, self.env()) != expected
                except Exception:
                    return False

            if differs(poison):
                lasting = differs("")  # even in a fresh environment: nothing can be tried any more
                small = poison if lasting else shrink(poison, differs, tries=100)
                before, now = expected[0][-1], after(small, self.env())[0][-1]
                fresh.reset(seed=first)
                why = f"after it the next task's oracle earned {now} in its last turn, before {before}"
                example = Example(first, fresh.begin(), small, 0.0, why, poison if small != poison else "")
                self.ledger.find("state leak", "the next episode", 1, len(poisons), example)
                return True
        return False

    # ---- right answers, rewritten and spoiled ------------------------------------------------------------------

    def probe(self) -> None:
        """What is tried at the states where the oracle solves the task."""
        self.progress("right answers, rewritten and spoiled")
        env = self.env()
        try:
            states = env_cases(env, self.seeds[:_MOST_CASES])
        except Exception:  # found and told where the oracle was played
            return
        if not states:
            return
        code = code_of([path[-1].answer for path in states])
        states = [[dataclasses.replace(case, code=code) for case in path] for path in states]
        single = env.max_turns == 1 or states[0][-1].right == "one"
        probe_all(self.ledger, states, self.luck if single else None, self.seed)
        self.progress("hill-climbing")
        rng = np.random.default_rng(seed_of("starts", self.seed))
        starts = [*HOSTILE, *LUCKY, *DUMPS, *(path[-1].action for path in states[:8])]
        env.reset(seed=self.seeds[0])
        starts += [env.sample_action(rng) for _ in range(5)]
        seeds = [seed_of("climb", self.seed, i) for i in range(68)]
        probe_climb(self.ledger, starts, lambda text, s: _constant_earns(env, text, s), seeds, self.luck, self.seed)

    # ---- data sets ---------------------------------------------------------------------------------------------

    def _all_rows(self) -> Sequence[Any]:
        return self.env().all_tasks()[:_MOST_ROWS]

    def _most_common_answer(self) -> float:
        """The share of rows that have the most common answer: what always giving it is worth."""
        answers = [task.solution for task in self._all_rows() if hasattr(task, "solution")]
        return max((answers.count(a) for a in set(answers)), default=0) / max(1, len(answers))

    def rows(self) -> None:
        """Of a data set: every row's right answer is accepted, and no two rows contradict each other."""
        rows, env = self._all_rows(), self.env()
        seen: dict[str, tuple[int, Any]] = {}
        twice = 0
        for number, task in enumerate(rows):
            _, info = env.reset(seed=number, options={"task": task})
            asked, answer = env.begin(), env.oracle()
            observation, reward, _, _, end = env.step(answer)
            self.ledger.count("row", bool(end.get("solved")))
            if not end.get("solved"):
                why = f"it is the right answer of row {number}; it was answered: {observation}"
                self.ledger.find("false reject", f"row {number}", 1, 1, Example(number, asked, answer, reward, why))
            before = seen.setdefault(info["task_id"], (number, answer))
            twice += before[0] != number
            if before[1] != answer:
                why = f"row {before[0]} asks the same, and there {before[1]!r} is right"
                self.ledger.find("data", f"row {number}", 1, len(rows), Example(number, asked, answer, reward, why))
        if rows:
            self.ledger.notes.append(f"{len(rows)} rows, {twice} of them asked before")


def _constant_earns(env: Env[Any], text: str, seed: int) -> Outcome:
    """What saying only this earns in one episode."""
    env.reset(seed=seed)
    total, turns, invalid = 0.0, 0, 0
    while True:
        try:
            said, reward, terminated, truncated, info = env.step(text)
        except Exception as error:
            return Outcome(total, False, error=f"{type(error).__name__}: {error}")
        total, turns, invalid = total + float(reward), turns + 1, invalid + bool(info.get("invalid_action"))
        if terminated or truncated:
            return Outcome(total, bool(info.get("solved")), invalid == turns, True, said)


class _EchoAgent(Agent):
    """Says what it was told."""

    name = "echo"
    batched = True
    concurrency = 64

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [Action(play.messages[-1]["content"]) for play in plays]


def _cheater(cheat: str | Callable[[Any], str], name: str) -> Agent:
    if isinstance(cheat, str):
        agent: Agent = ConstantAgent(cheat)
        agent.name = f"{name}: {cheat[:60]!r}"
        return agent
    return FunctionAgent(cheat, name)
