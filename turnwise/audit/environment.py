"""The audit of an environment: whole episodes, leaks between episodes, corrupted right answers, rows of data."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np

from turnwise.agents.scripted import ConstantAgent, FunctionAgent, RandomAgent
from turnwise.audit.cases import Tried, env_cases
from turnwise.audit.mutants import DUMPS, HOSTILE, LUCKY, code_of
from turnwise.audit.probes import beyond_luck, probe_all, probe_climb
from turnwise.audit.result import Example, Kind, Ledger
from turnwise.audit.search import shrink
from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import Env, seed_of
from turnwise.core.episode import Episode, Job
from turnwise.core.player import play_in, rollout
from turnwise.core.registration import env_class

__all__ = ["EnvAudit"]

MAX_LUCK = 0.05
"""Reward rate allowed for one constant answer: questions with few possible answers are sometimes guessed."""
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
        self.whole = False  # the whole message is judged: no text is wrong for every task

    def env(self) -> Env[Any]:
        """Create a fresh environment, unwrapped."""
        made = gymnasium.make(self.name, **self.settings).unwrapped
        assert isinstance(made, Env)
        return made

    # ---- whole episodes ----------------------------------------------------------------------------------------

    def right(self) -> None:
        """Play the oracle and an agent for each paraphrase, which plays the oracle's move where it has none."""
        most = 0  # their number is only known during play

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
        """Play the random agent, cheats, and texts that do not depend on the question."""
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
        """Say the same text in every task and turn; an agent replays only what goes wrong, for the record."""
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
            why = f"a right answer must earn 1; the reply was: {first.final_observation}"
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
        """Record a finding about whole episodes; a text that was paid is shrunk first."""
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

    # ---- how one answer affects the next ----------------------------------------------------------------------

    def leaks(self) -> bool:
        """Check whether a text changes how the next episode of the same environment is judged, and record findings."""
        self.progress("state leaks")
        first, second = self.seeds[0], self.seeds[-1]
        rng = np.random.default_rng(seed_of("leak", self.seed))
        fresh = self.env()
        fresh.reset(seed=second)
        guess = fresh.sample_action(rng)

        def after(poison: str | None, env: Env[Any]) -> list[Episode]:
            if poison is not None:
                _constant_earns(env, poison, first)
            job = Job(self.name, second)
            oracle = play_in(env, lambda play: Action(env.oracle()), job)
            return [oracle, play_in(env, lambda play: Action(guess), job)]

        try:
            expected = after(None, self.env())
        except Exception:  # reported when the oracle was played
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
                lasting = differs("")  # even in a fresh environment: nothing more can be tried
                small = poison if lasting else shrink(poison, differs, tries=100)
                before, now = (e.turns[-1].reward for e in (expected[0], after(small, self.env())[0]))
                fresh.reset(seed=first)
                why = f"after it the next task's oracle earned {now} in its last turn, before {before}"
                example = Example(first, fresh.begin(), small, 0.0, why, poison if small != poison else "")
                self.ledger.find("state leak", "the next episode", 1, len(poisons), example)
                return True
        return False

    # ---- right answers, rewritten and corrupted ------------------------------------------------------------------

    def probe(self) -> None:
        """Run the probes at the states in which the oracle solves the task."""
        self.progress("right answers, rewritten and corrupted")
        env = self.env()
        try:
            states = env_cases(env, self.seeds[:_MOST_CASES])
        except Exception:  # reported when the oracle was played
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
        """Return the share of rows with the most common answer, which is the value of always giving it."""
        answers = [task.solution for task in self._all_rows() if hasattr(task, "solution")]
        return max((answers.count(a) for a in set(answers)), default=0) / max(1, len(answers))

    def rows(self) -> None:
        """Check a data set: every row's right answer must be accepted, and no two rows may contradict each other."""
        rows, env = self._all_rows(), self.env()
        seen: dict[str, tuple[int, Any]] = {}
        twice = 0
        for number, task in enumerate(rows):
            _, info = env.reset(seed=number, options={"task": task})
            asked, answer = env.begin(), env.oracle()
            observation, reward, _, _, end = env.step(answer)
            self.ledger.count("row", bool(end.get("solved")))
            if not end.get("solved"):
                why = f"it is the right answer of row {number}; the reply was: {observation}"
                self.ledger.find("false reject", f"row {number}", 1, 1, Example(number, asked, answer, reward, why))
            before = seen.setdefault(info["task_id"], (number, answer))
            twice += before[0] != number
            if before[1] != answer:
                why = f"row {before[0]} asks the same, and there {before[1]!r} is right"
                self.ledger.find("data", f"row {number}", 1, len(rows), Example(number, asked, answer, reward, why))
        if rows:
            self.ledger.notes.append(f"{len(rows)} rows, {twice} of them repeat an earlier question")


def _constant_earns(env: Env[Any], text: str, seed: int) -> Tried:
    """Return what saying only this text earns in one episode."""
    e = play_in(env, lambda play: Action(text), Job("", seed), strict=False)
    if e.status == "error":
        return Tried(e.episode_return, False, error=e.error or "")
    return Tried(e.episode_return, e.solved, all(t.invalid for t in e.turns), True, e.final_observation)


class _EchoAgent(Agent):
    """Repeats a given text."""

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
