"""The best of k samples by a scorer: an agent grades every answer, and the best graded is taken."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from turnwise.agents.make import make_agent
from turnwise.core.agent import Agent
from turnwise.core.episode import Episode
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.measures.collect import said
from turnwise.evaluation.measures.confidence import ASKING
from turnwise.verifiers.extract import after_thinking
from turnwise.verifiers.judge import Cache, Criterion, Item, RubricJudge

__all__ = ["GRADES", "Scorer", "scored"]

GRADES = 10
RIGHT = Criterion("right", "The response solves the task completely and correctly.", grades=GRADES)
BATCH = 256
Scorer = Callable[[Episode], float | None]


def scored(
    config: EvalConfig,
    episodes: Iterable[Episode],
    agent: Agent | None = None,
    notify: Callable[[str], None] | None = None,
) -> Scorer:
    """Let an agent grade the last answers of episodes; return what looks up an episode's grade.

    The agent reads the first observation and the answer without its thoughts, never the verdict of the environment.
    Equal answers to one question are graded once, and grades are kept in ``rerank.sqlite`` of the run's folder.

    Args:
        config: Its ``rerank`` names the agent.
        episodes: Those to grade; failed ones are passed over.
        agent: Grades in place of ``config.rerank``; it is not closed.
        notify: Called with what the grading took.
    """
    assert config.rerank is not None
    grader = agent or make_agent(config.rerank, concurrency=config.concurrency, **config.rerank_options)
    try:
        cache = None if config.out is None else Cache(Path(config.out) / "rerank.sqlite")
        name = f"{config.rerank} {sorted(config.rerank_options.items())!r}"
        judge = RubricJudge(grader, [RIGHT], cache=cache, name=name)
        grades: dict[str, float | None] = {}
        for batch in _batches(episode for episode in episodes if episode.status == "done" and said(episode)):
            verdicts = judge.score_many([_item(episode) for episode in batch])
            for episode, verdict in zip(batch, verdicts, strict=True):
                grades[episode.job.name] = None if verdict.undecided else verdict.score
        costs = judge.costs
        if notify is not None and costs.calls:
            tokens = f", {costs.prompt_tokens + costs.completion_tokens:,} tokens" if costs.completion_tokens else ""
            notify(f"{grader.name} graded {len(grades):,} answers with {costs.calls:,} requests{tokens}")
    finally:
        if agent is None:
            grader.close()
    return lambda episode: grades.get(episode.job.name)


def _batches(episodes: Iterator[Episode]) -> Iterator[list[Episode]]:
    while batch := list(islice(episodes, BATCH)):
        yield batch


def _item(episode: Episode) -> Item:
    """The question and the answer, without what was asked and said about confidence: it would sway the grade."""
    answer = after_thinking(said(episode)[-1]) or ""
    return Item(answer, question=episode.turns[0].observation.removesuffix(f"\n\n{ASKING}"))
