"""Search over a server that fails: no episode is lost, none is scored that failed, all others are as they should be."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import turnwise  # noqa: F401  (registers)
from tests.retrieval._servers import RIGHT, FaultyServer
from turnwise.agents.scripted import FunctionAgent
from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import Env
from turnwise.core.episode import Episode, Job
from turnwise.core.errors import FatalError, InfrastructureError
from turnwise.core.player import rollout
from turnwise.envs.search._library import Place, library, world_seed
from turnwise.envs.search.search_qa import SearchQA
from turnwise.evaluation.evaluate import EvalConfig, evaluate
from turnwise.retrieval.base import Document, Hit, Retriever
from turnwise.retrieval.http.remote import RemoteRetriever

ID = "turnwise/SearchQA-v0"
WORLD: dict[str, Any] = {"documents": 100, "worlds": 1, "split": "train", "kinds": "chain", "hops": 1}
QUICK = ("500", "502", "429", "503 later", "drop", "drop head", "drop body")
SLOW = ("hang", "trickle")
MALFORMED = ("400", "cut JSON", "too few", "too many", "not JSON", "empty", "no result", "null list", "no contents",
             "no number", "huge", "compressed")  # fmt: skip


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The client's defaults, which an environment's ``retriever`` setting takes as they are."""
    defaults = RemoteRetriever.__init__.__kwdefaults__
    assert defaults is not None
    for name, value in {"timeout_s": 0.5, "deadline_s": 20.0, "backoff_s": 0.001, "retries": 0}.items():
        monkeypatch.setitem(defaults, name, value)
    return defaults


@pytest.fixture(scope="module")
def local() -> Retriever:
    """What a healthy server of the world answers with."""
    return library(Place(world_seed(0, "train", 0, 100, ()), 100)).retriever


def behave(env: Env[Any]) -> str:
    """Of three tasks one is solved, one is not, and one is searched for until the turns are over."""
    assert isinstance(env, SearchQA)
    seed = env.np_random_seed
    if seed % 3 == 0:
        return env.oracle()
    words = env.task.question.text.split()
    if seed % 3 == 1 and env.queries:
        return env.wrong("Nobody")
    return f"<search>{words[env.turn % len(words)]} {words[-1]}</search>"


class Threads(Agent):
    """The same in threads, an episode in each."""

    concurrency = 8

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [Action(behave(play.env.unwrapped)) for play in plays]  # type: ignore[arg-type]


def facts(episode: Episode) -> object:
    """All that an episode came to."""
    return (
        episode.task_id,
        episode.episode_return,
        episode.solved,
        episode.truncated,
        [(turn.observation, turn.action, turn.reward) for turn in episode.turns],
        episode.final_observation,
        episode.metrics,
    )


def played(url: str, number: int, retries: int = 2, agent: Agent | None = None, **settings: Any) -> dict[int, Episode]:
    jobs = [Job(ID, seed, settings={**WORLD, "max_turns": 4, "retriever": url, **settings}) for seed in range(number)]
    agent = agent or FunctionAgent(behave)
    episodes = list(rollout(agent, jobs, retries=retries))
    assert sorted(e.seed for e in episodes) == list(range(number))  # none is lost, none comes twice
    return {episode.seed: episode for episode in episodes}


NUMBER = 18


@pytest.fixture(scope="module")
def healthy(local: Retriever) -> dict[int, Episode]:
    with FaultyServer(local) as server:
        return played(server.url, NUMBER)


def check(episodes: dict[int, Episode], healthy: dict[int, Episode]) -> Counter[str]:
    for seed, episode in episodes.items():
        if episode.status == "done":
            assert facts(episode) == facts(healthy[seed])
        else:
            assert episode.error and not episode.solved and episode.episode_return == 0.0
    return Counter(episode.status for episode in episodes.values())


def test_healthy_server_is_as_good_as_none(healthy: dict[int, Episode]) -> None:
    rewards = Counter(episode.episode_return for episode in healthy.values())
    assert rewards == {1.0: NUMBER // 3, 0.0: NUMBER - NUMBER // 3}
    for seed in (0, 1, 2):
        env = gymnasium.make(ID, **WORLD, max_turns=4).unwrapped
        assert isinstance(env, SearchQA)
        first, info = env.reset(seed=seed)
        assert info["task_id"] == healthy[seed].task_id
        assert (
            first.replace("a collection of 100 documents", "a collection of documents")
            == healthy[seed].turns[0].observation
        )


def test_what_recovers_changes_nothing(
    client: dict[str, Any], local: Retriever, healthy: dict[int, Episode], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(client, "retries", 8)
    with FaultyServer(local, QUICK, seed=1, share=0.5) as server:
        assert check(played(server.url, NUMBER), healthy) == {"done": NUMBER}
        assert all(server.shown[fault] for fault in QUICK)
        assert all(episode.attempts == 1 for episode in played(server.url, 3).values())


@pytest.mark.parametrize("agent", [None, Threads()], ids=["in turn", "threads"])
def test_episodes_are_played_again(
    client: dict[str, Any], local: Retriever, healthy: dict[int, Episode], agent: Agent | None
) -> None:
    """Without repetition in the client a failure ends the episode, and the episode is repeated."""
    with FaultyServer(local, (*QUICK, *MALFORMED), seed=2, share=0.2) as server:
        episodes = played(server.url, NUMBER, retries=50, agent=agent)
        assert check(episodes, healthy) == {"done": NUMBER}
        assert sum(server.shown.values()) - server.shown[RIGHT] >= 3
        assert any(episode.attempts > 1 for episode in episodes.values())


def test_what_fails_to_the_end_is_an_error(
    client: dict[str, Any], local: Retriever, healthy: dict[int, Episode]
) -> None:
    with FaultyServer(local, (*QUICK, *MALFORMED), seed=3, share=0.15) as server:
        counts = check(played(server.url, NUMBER, retries=0), healthy)
    assert counts["error"] >= 3 and counts["done"] >= 1


@pytest.mark.slow
def test_slow_answers(client: dict[str, Any], local: Retriever, healthy: dict[int, Episode]) -> None:
    with FaultyServer(local, SLOW, seed=4, share=0.25) as server:
        counts = check(played(server.url, 9, retries=1), healthy)
        assert server.shown["hang"] + server.shown["trickle"] >= 2
    assert counts["done"] >= 1


@pytest.mark.parametrize("fault", MALFORMED + QUICK)
def test_failure_in_an_episode(client: dict[str, Any], local: Retriever, fault: str) -> None:
    """The step says so; the turn is not scored, and the next episode is as ever."""
    with FaultyServer(local) as server:
        env = gymnasium.make(ID, **WORLD, max_turns=4, retriever=server.url).unwrapped
        assert isinstance(env, SearchQA)
        env.reset(seed=0)
        env.step("<search>one</search>")
        server._faults = [fault]
        observation, reward, terminated, truncated, info = env.step("<search>two</search>")
        assert (reward, terminated, truncated) == (0.0, False, True)
        assert info["reward_valid"] is False and info["solved"] is False and info["error"]
        assert "Doc 1" not in observation and "No document" not in observation
        with pytest.raises(InfrastructureError):  # and no other task is drawn instead
            env.reset(seed=1)
        server._faults = [RIGHT]
        env.reset(seed=0)
        terminated = False
        while not terminated:
            _, reward, terminated, truncated, info = env.step(env.oracle())
            assert not truncated
        assert info["solved"] and reward == 1.0 and info["reward_valid"]


def test_wrong_token_ends_the_run(client: dict[str, Any], local: Retriever) -> None:
    with FaultyServer(local, ["401"]) as server, pytest.raises(FatalError):
        played(server.url, 3)


def test_server_is_gone(client: dict[str, Any], local: Retriever) -> None:
    with FaultyServer(local) as server:
        env = gymnasium.make(ID, **WORLD, retriever=server.url).unwrapped
        assert isinstance(env, SearchQA)
        env.reset(seed=0)
        env.library.retriever.close()  # its open connection, which outlives the server
    info = env.step("<search>one</search>")[4]
    assert info["reward_valid"] is False


# ---- questions of the user's, evaluated ------------------------------------------------------------------------------


class Lookup(Retriever):
    """The document whose title is in the query."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = {document.title: document for document in documents}

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        return [[Hit(d, 1.0) for title, d in self.documents.items() if title in query][:k] for query in queries]


@pytest.fixture
def questions(tmp_path: Path) -> str:
    rows = [{"id": str(n), "question": f"What is the colour of Item{n}x?", "answer": f"hue{n}"} for n in range(40)]
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def test_evaluation_counts_errors_apart(
    client: dict[str, Any], questions: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The oracle of every episode that is counted is right, whatever the server does."""
    documents = [Document(f"i{n}", f"Item{n}x", f"It is hue{n}.") for n in range(40)]
    with FaultyServer(Lookup(documents), (*QUICK, *MALFORMED), seed=5, share=0.4) as server:
        config = EvalConfig(
            envs=(ID,), settings={"questions": questions, "retriever": server.url}, num_tasks=20, split=None,
            chance_episodes=0, retries=1, out=str(tmp_path / "out"),
        )  # fmt: skip
        summary = evaluate(config)
    (scores,) = summary.environments.values()
    assert scores.num_errors >= 1 and scores.num_episodes + scores.num_errors == 20
    assert scores.solve_rate == scores.mean_return == 1.0
