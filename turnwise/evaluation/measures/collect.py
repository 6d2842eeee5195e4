"""What the measures need of an environment's episodes, gathered as they pass by."""

import math
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from turnwise.core.episode import Episode
from turnwise.core.metrics import Measure
from turnwise.core.wordings import PLAIN
from turnwise.evaluation.measures.calibration import Stated, calibration
from turnwise.evaluation.measures.diversity import differing, ngrams
from turnwise.evaluation.measures.intervals import share_interval
from turnwise.evaluation.measures.majority import Vote, best_of_k, majority_at_k
from turnwise.evaluation.measures.verifying import Judged, verifying
from turnwise.evaluation.measures.wordings import by_wording
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.rational import parse_rational

__all__ = ["Collector", "answer_of", "said"]

CONFIDENCE = "confidence"
"""The metric of an episode that has the stated probability of being right."""
TRUTH, VERDICT = "truly_right", "called_right"
"""The metrics of an episode whose task is to judge an answer: whether it is right, and what the agent called it."""


@dataclass
class _Task:
    votes: list[Vote] = field(default_factory=list)
    scored: list[tuple[float | None, bool]] = field(default_factory=list)
    solutions: list[Hashable] = field(default_factory=list)
    grams: set[int] = field(default_factory=set)
    num_grams: int = 0
    stated: list[Stated] = field(default_factory=list)
    wordings: dict[str, list[bool]] = field(default_factory=dict)
    judged: list[Judged] = field(default_factory=list)


class Collector:
    """Gathers the episodes of one environment with one set of settings.

    Args:
        one_answer: The environment takes a single answer, so that votes can be counted.
        several: Tasks are played several times; without that nothing is kept of what the agent wrote.
        confidence: The agent was asked how sure it is.
        wordings: The prompt was worded in several ways.
        scorer: Gives the score of an episode for the best of n; None: nothing was scored.
    """

    def __init__(
        self,
        *,
        one_answer: bool,
        several: bool = True,
        confidence: bool = False,
        wordings: bool = False,
        scorer: Callable[[Episode], float | None] | None = None,
    ) -> None:
        self._several = several
        self._one_answer, self._confidence, self._wordings, self._scorer = one_answer, confidence, wordings, scorer
        self._tasks: dict[int, _Task] = {}
        self._episodes = 0

    def add(self, episode: Episode) -> None:
        """Take an episode, unless its infrastructure failed."""
        if episode.status != "done":
            return
        self._episodes += 1
        task = self._tasks.setdefault(episode.seed, _Task())
        if self._several:
            self._add_words(task, episode)
        if self._scorer is not None and self._one_answer:
            task.scored.append((self._scorer(episode), episode.solved))
        if CONFIDENCE in episode.metrics:
            task.stated.append((episode.metrics[CONFIDENCE], episode.solved))
        task.wordings.setdefault(str(episode.settings.get("wording") or PLAIN), []).append(episode.solved)
        if TRUTH in episode.metrics:
            verdict = episode.metrics.get(VERDICT)
            task.judged.append((bool(episode.metrics[TRUTH]), None if verdict is None else bool(verdict)))

    def _add_words(self, task: _Task, episode: Episode) -> None:
        actions = said(episode)
        answer = answer_of(actions[-1]) if self._one_answer and actions else None
        task.votes.append((answer, episode.solved))
        if episode.solved:
            task.solutions.append(hash(tuple(actions)) if answer is None else answer)
        for action in actions:
            found = [hash(gram) for gram in ngrams(action)]  # numbers take less memory; only how many differ counts
            task.grams.update(found)
            task.num_grams += len(found)

    def measures(self, key: str, ks: Sequence[int]) -> dict[str, Measure]:
        """The measures, by name.

        Args:
            key: What random numbers depend on: the environment.
            ks: k of maj@k and of the best of k.
        """
        found: dict[str, Measure] = {}
        if any(len(task.votes) > 1 for task in self._tasks.values()):
            found |= {f"maj@{k}": self._majority(k) for k in ks if k > 1}
            found |= self._diversity()
        if self._scorer is not None:
            found |= {f"best of {k}": self._best(k) for k in ks if k > 1}
        if self._confidence:
            found |= calibration(key, [task.stated for task in self._tasks.values()], self._episodes)
        if self._wordings:
            found |= by_wording(key, [task.wordings for task in self._tasks.values()])
        if judged := [task.judged for task in self._tasks.values() if task.judged]:
            found |= verifying(key, judged)
        return found

    def _majority(self, k: int) -> Measure:
        """None if a solved sample has no answer that can be compared with others: whole messages, games."""
        if not self._one_answer or any(s and a is None for task in self._tasks.values() for a, s in task.votes):
            return Measure(None)
        values = [majority_at_k(task.votes, k) for task in self._tasks.values() if len(task.votes) >= k]
        return self._mean(values)

    def _best(self, k: int) -> Measure:
        if not self._one_answer:
            return Measure(None)
        return self._mean([best_of_k(task.scored, k) for task in self._tasks.values() if len(task.scored) >= k])

    def _diversity(self) -> dict[str, Measure]:
        apart = [value for task in self._tasks.values() if (value := differing(task.solutions)) is not None]
        counts = [len(set(task.solutions)) for task in self._tasks.values() if task.solutions]
        shares = [len(task.grams) / task.num_grams for task in self._tasks.values() if task.num_grams]
        return {
            "solutions": Measure(sum(counts) / len(counts) if counts else None, unit="number"),
            "differing": self._mean(apart),
            "distinct-2": self._mean(shares),
        }

    def _mean(self, values: Sequence[float]) -> Measure:
        if not values:
            return Measure(None)
        return Measure(
            math.fsum(values) / len(values), share_interval(values, self._episodes), detail={"tasks": len(values)}
        )


def said(episode: Episode) -> list[str]:
    """What the agent wrote to the environment, turn by turn, without stated confidences."""
    return [_CONFIDENCE.sub("", turn.action).strip() for turn in episode.turns if not turn.internal]


def answer_of(message: str) -> str | None:
    """The answer of a message, written so that equal answers are equal texts; None if it gives none.

    >>> answer_of("so <answer> 0.50 </answer>"), answer_of("<answer>1/2</answer>"), answer_of("<answer>A  Cat</answer>")
    ('1/2', '1/2', 'a cat')
    """
    text = final_answer(message).text
    if text is None:
        return None
    number = parse_rational(text)
    return " ".join(text.split()).casefold() if number is None else str(number)


_CONFIDENCE = re.compile(r"<confidence>.*?</confidence>", re.DOTALL)
