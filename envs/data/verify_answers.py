"""VerifyAnswers: is this answer right? Stored answers of other agents, whose verdicts are known.

Source: models as verifiers of reasoning, Cobbe et al. 2021, arXiv 2110.14168; verdicts in words (generative verifiers),
Zhang et al. 2024, arXiv 2408.15240.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.episode import Episode, read_episodes
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.rows import stamp
from turnwise.verifiers.extract import after_thinking
from turnwise.verifiers.judge.prompt import Request, mark_of, read_reply, render

DEMO = os.path.join(os.path.dirname(__file__), "data", "demo_answers.jsonl")
VERDICTS = ("right", "wrong")


@dataclass(frozen=True)
class Task:
    """A question, an answer that an agent gave to it, and whether its environment found it right."""

    question: str
    answer: str
    right: bool = field(compare=False)


@register("VerifyAnswers-v0")
class VerifyAnswers(Env[Task]):
    """Say whether another agent's answer is right; reward 1 for the verdict of the answer's own environment.

    Played are the episodes of an evaluation that consist of one answer; others, and failed ones, are left out. Thoughts
    of the agent that answered are not shown. Metrics: ``truly_right``, and ``called_right`` if there is a verdict.
    ``turnwise eval`` reports the balanced accuracy and the confusion matrix.
    """

    path: str = ""
    """An evaluation's folder, or its episodes.jsonl; empty: fifty answers that come with turnwise."""
    balanced: bool = True
    """Draw right and wrong answers equally often, where there are both."""

    in_all = False  # a few stored answers say nothing about an agent
    chance_default = 0.5
    cheats = (
        "right",
        "wrong",
        "",
        lambda env: f"{env.verdict_text('right')}\n{env.verdict_text('wrong')}",
        lambda env: env.verdict_text("wrong" if env.task.right else "right"),
        lambda env: env.oracle().replace(env.mark, "0" * 8),
    )

    def check(self) -> None:
        self._tasks = _load(self.path or DEMO, stamp(str(_file(self.path or DEMO))))
        kinds = [[task for task in self._tasks if task.right is right] for right in (True, False)]
        self._drawn = [kind for kind in kinds if kind] if self.balanced else [list(self._tasks)]

    def all_tasks(self) -> Sequence[Task]:
        return self._tasks

    def generate(self, rng: np.random.Generator) -> Task:
        kind, place = rng.random(2).tolist()
        tasks = self._drawn[int(kind * len(self._drawn))]
        return tasks[int(place * len(tasks))]

    def begin(self) -> str:
        self.called: bool | None = None
        request = Request(
            "Judge whether the response solves the task.",
            (("task", self.task.question), ("response", self.task.answer)),
            "Is the response right? It is right only if it solves the task completely and in a form that the task "
            "asks for.",
            VERDICTS,
        )
        self.mark = mark_of(request)
        return render(request, self.mark)

    def verdict_text(self, verdict: str) -> str:
        """A verdict as the prompt asks for it."""
        return f"<verdict-{self.mark}>{verdict}</verdict-{self.mark}>"

    def respond(self, action: str) -> Reply:
        verdict = read_reply(action, self.mark, VERDICTS)
        if verdict is None:
            return Reply("The message does not end with one of the two verdicts.", invalid=True)
        self.called = verdict == "right"
        truth = "right" if self.task.right else "wrong"
        return Reply(f"{'Correct' if self.called == self.task.right else 'Wrong'}: the response is {truth}.",
                     done=True, solved=self.called == self.task.right)  # fmt: skip

    def metrics(self) -> Mapping[str, float]:
        found = {"truly_right": float(self.task.right)}
        return found if self.called is None else {**found, "called_right": float(self.called)}

    def oracle(self) -> str:
        return self.verdict_text("right" if self.task.right else "wrong")

    def paraphrases(self) -> Sequence[str]:
        return (
            f"I checked it step by step.\n\n{self.oracle()}",
            f"<think>hm</think>{self.oracle()}",
            f"{self.oracle()}\n",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "message"

    def sample_action(self, rng: np.random.Generator) -> str:
        return self.verdict_text(VERDICTS[int(rng.integers(2))])


def _file(path: str) -> Path:
    """The file of episodes."""
    found = Path(path).expanduser()
    return found / "episodes.jsonl" if found.is_dir() else found


@lru_cache(maxsize=8)
def _load(path: str, changed: tuple[int, int]) -> tuple[Task, ...]:
    """The answers of a file; of an episode that was played again, the last record counts.

    Raises:
        SettingsError: There are none, or the file cannot be read.
    """
    try:
        episodes = {episode.job.name: episode for episode in read_episodes(_file(path))}
    except ValueError as error:
        raise SettingsError(f"path is {path!r}, which cannot be read: {error}") from error
    found = [task for episode in episodes.values() if (task := _task(episode)) is not None]
    if not found:
        raise SettingsError(f"path is {path!r}, which has no episode of one answer; it has {len(episodes)} in all")
    return tuple(dict.fromkeys(found))  # equal answers to one question are judged once


def _task(episode: Episode) -> Task | None:
    turns = [turn for turn in episode.turns if not turn.internal]
    if episode.status != "done" or len(turns) != 1 or episode.truncated:
        return None
    answer = after_thinking(turns[0].action)
    return Task(turns[0].observation, answer.strip(), episode.solved) if answer and answer.strip() else None
