"""The driver: the same episodes however they are played, and nothing scored or left behind when something fails."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from turnwise.agents.scripted import FunctionAgent, OracleAgent, RandomAgent
from turnwise.core.agent import Action, Agent, Play, StreamingAgent
from turnwise.core.env import Env, Reply, seed_of
from turnwise.core.episode import Episode, Job
from turnwise.core.errors import FatalError, InfrastructureError, UsageError
from turnwise.core.player import Environments, Player, episode_of, make_env, play_in, replay, rollout

ENVS = ("turnwise/GuessNumber-v0", "turnwise/Countdown-v0", "turnwise/Wordle-v0")


class Hashed(Agent):
    """Answers depend on all it may depend on: the conversation, the key and its own memory."""

    name = "hashed"

    def __init__(self, *, batched: bool, concurrency: int) -> None:
        self.batched, self.concurrency = batched, concurrency
        self.live = 0
        self.most = 0
        self.interrupts = 0
        self.threads: set[int] = set()
        self.lock = threading.Lock()

    def act(self, plays: Sequence[Play]) -> list[Action]:
        self.threads.add(threading.get_ident())
        assert self.batched or len(plays) == 1
        return [self.answer(play) for play in plays]

    def answer(self, play: Play) -> Action:
        with self.lock:
            if play.state is None:
                self.live += 1
                self.most = max(self.most, self.live)
        play.state = (play.state or 0) + 1
        assert play.state == play.turn + 1
        assert len(play.messages) == 1 + 2 * play.turn
        assert play.rng_key[-1] == play.turn
        assert [m["role"] for m in play.messages] == ["user", *["assistant", "user"] * play.turn]
        rng = np.random.default_rng(seed_of(*play.rng_key, play.messages, play.state))
        text = play.env.unwrapped.sample_action(rng)  # type: ignore[attr-defined]
        return Action(text if rng.random() < 0.9 else "what?", "stop", len(play.messages), len(text))

    def end(self, play: Play) -> None:
        with self.lock:
            self.live -= play.state is not None

    def interrupt(self) -> None:
        self.interrupts += 1


def jobs(count: int = 8, samples: int = 2) -> list[Job]:
    return [Job(env, seed_of("t", i), sample) for env in ENVS for i in range(count) for sample in range(samples)]


def by_name(episodes: Iterable[Episode]) -> dict[str, Episode]:
    found = {}
    for episode in episodes:
        assert episode.job.name not in found, "an episode was yielded twice"
        found[episode.job.name] = episode
    return found


class Counted(gymnasium.Wrapper[str, str, str, str]):
    """An environment whose resets and steps are counted, and whose `before` may raise."""

    def __init__(self, env: gymnasium.Env[str, str], before: Callable[[str], None] = lambda what: None) -> None:
        super().__init__(env)
        self.before = before
        self.closed = 0

    def reset(self, **kwargs: Any) -> tuple[str, dict[str, Any]]:
        self.before("reset")
        return self.env.reset(**kwargs)

    def step(self, action: str) -> Any:
        self.before("step")
        return self.env.step(action)

    def close(self) -> None:
        self.closed += 1
        super().close()


class Factory:
    """Makes counted environments and remembers them."""

    def __init__(self, before: Callable[[str], None] = lambda what: None) -> None:
        self.before = before
        self.made: list[Counted] = []

    def __call__(self, job: Job) -> Counted:
        env = Counted(make_env(job), self.before)
        self.made.append(env)
        return env


@pytest.fixture(scope="module")
def reference() -> dict[str, Episode]:
    """Every job alone, each with a fresh environment."""
    found = {}
    for job in jobs():
        [found[job.name]] = rollout(Hashed(batched=True, concurrency=1), [job])
    return found


MODES = [(True, 1, 0), (True, 5, 0), (True, 64, 0), (True, 7, 3), (False, 1, 0), (False, 4, 0), (False, 16, 0)]


@pytest.mark.parametrize(("batched", "concurrency", "workers"), MODES)
def test_same_episodes_however_they_are_played(
    reference: dict[str, Episode], batched: bool, concurrency: int, workers: int
) -> None:
    agent, factory = Hashed(batched=batched, concurrency=concurrency), Factory()
    threads = threading.active_count()
    played = by_name(rollout(agent, iter(jobs()), make=factory, env_workers=workers))
    assert played == reference
    assert threading.active_count() == threads
    assert agent.live == 0
    assert agent.most == min(concurrency, len(reference)) or (not batched and agent.most <= concurrency)
    assert len(factory.made) <= concurrency * len(ENVS), "environments are used again"
    assert all(env.closed == 1 for env in factory.made)
    assert agent.interrupts == 0


def test_reference_is_no_trivial_one(reference: dict[str, Episode]) -> None:
    assert len({e.task_id for e in reference.values()}) == len(reference) / 2
    assert {len(e.turns) for e in reference.values()} >= {1, 6}
    assert any(t.invalid for e in reference.values() for t in e.turns)
    pairs = [(e, reference[e.job.name.replace("/0", "/1")]) for e in reference.values() if e.sample == 0]
    assert all(a.turns[0].observation == b.turns[0].observation for a, b in pairs)
    assert sum(a.turns[0].action != b.turns[0].action for a, b in pairs) > len(pairs) / 2


def test_records_are_whole(reference: dict[str, Episode]) -> None:
    for episode in [*reference.values(), *rollout(OracleAgent(), jobs())]:
        assert Episode.from_json(episode.to_json()) == episode
        assert episode.status == "done"
        assert episode.attempts == 1
        assert episode.metrics["turns"] == len(episode.turns)
        assert episode.episode_return == pytest.approx(sum(t.reward for t in episode.turns))
        assert episode.terminated != episode.truncated
        assert episode.agent == "oracle" or all(t.prompt_tokens == 1 + 2 * i for i, t in enumerate(episode.turns))
        assert episode.agent != "oracle" or (episode.solved and episode.episode_return == 1.0)


def test_system_message_comes_first() -> None:
    seen: list[list[Any]] = []

    class Watch(OracleAgent):
        def act(self, plays: Sequence[Play]) -> list[Action]:
            seen.extend([dict(m) for m in play.messages] for play in plays)
            return super().act(plays)

    assert [e.solved for e in rollout(Watch(), [Job(ENVS[1], 5)], system="Be brief.")] == [True]
    assert [m["role"] for m in seen[0]] == ["system", "user"]
    assert seen[0][0]["content"] == "Be brief."


class Weather:
    """Raises at some calls, chosen by their number; thread-safe."""

    def __init__(self, fails: Callable[[int, str], Exception | None]) -> None:
        self.fails, self.calls, self.raised, self.lock = fails, 0, 0, threading.Lock()

    def __call__(self, what: str) -> None:
        with self.lock:
            self.calls += 1
            error = self.fails(self.calls, what)
            self.raised += error is not None
        if error is not None:
            raise error


class Stormy(Hashed):
    def __init__(self, weather: Weather, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.weather = weather

    def answer(self, play: Play) -> Action:
        action = super().answer(play)
        self.weather("act")
        return action


@pytest.mark.parametrize("where", ["reset", "step", "act"])
@pytest.mark.parametrize(("batched", "concurrency", "workers"), [(True, 1, 0), (True, 6, 2), (False, 4, 0)])
def test_failures_are_retried_and_change_nothing(
    reference: dict[str, Episode], where: str, batched: bool, concurrency: int, workers: int
) -> None:
    every = {"reset": 5, "step": 23, "act": 101 if batched else 23}[where]  # batched, all live episodes fail
    weather = Weather(lambda n, what: InfrastructureError("rain") if n % every == 0 else None)
    calm = Weather(lambda n, what: None)
    agent = Stormy(weather if where == "act" else calm, batched=batched, concurrency=concurrency)
    factory = Factory(lambda what: weather(what) if what == where else None)
    played = by_name(rollout(agent, jobs(), make=factory, retries=20, env_workers=workers))
    assert weather.raised > 0
    assert any(e.attempts > 1 for e in played.values())
    assert {k: as_first_attempt(e) for k, e in played.items()} == reference
    assert agent.live == 0
    assert all(env.closed == 1 for env in factory.made)


def as_first_attempt(episode: Episode) -> Episode:
    return Episode.from_json(episode.to_json().replace(f'"attempts": {episode.attempts}', '"attempts": 1'))


@pytest.mark.parametrize("batched", [True, False])
@pytest.mark.parametrize("where", ["reset", "step", "act"])
def test_lasting_failures_are_recorded_and_not_scored(batched: bool, where: str) -> None:
    weather = Weather(lambda n, what: InfrastructureError("the server is down") if what == where else None)
    agent = Stormy(weather if where == "act" else Weather(lambda n, what: None), batched=batched, concurrency=3)
    factory = Factory(weather if where != "act" else lambda what: None)
    played = by_name(rollout(agent, jobs(2, 1), make=factory, retries=2))
    assert len(played) == 6
    for episode in played.values():
        assert (episode.status, episode.error) == ("error", "the server is down")
        assert episode.attempts == 3
        assert not episode.solved
        assert Episode.from_json(episode.to_json()) == episode
    assert agent.live == 0
    assert all(env.closed == 1 for env in factory.made)


@pytest.mark.parametrize("batched", [True, False])
def test_a_fault_of_a_program_is_recorded_at_once_or_raised(batched: bool) -> None:
    weather = Weather(lambda n, what: KeyError("oops") if what == "step" else None)
    agent = Hashed(batched=batched, concurrency=2)
    for episode in rollout(agent, jobs(1, 1), make=Factory(weather)):
        assert (episode.status, episode.error, episode.attempts) == ("error", "KeyError: 'oops'", 1)
    factory = Factory(weather)
    with pytest.raises(KeyError, match="oops"):
        list(rollout(agent, jobs(1, 1), make=factory, strict=True))
    assert agent.live == 0
    assert all(env.closed == 1 for env in factory.made)


@pytest.mark.parametrize("batched", [True, False])
@pytest.mark.parametrize("where", ["reset", "step", "act"])
def test_fatal_errors_stop_the_run(batched: bool, where: str) -> None:
    threads = threading.active_count()
    weather = Weather(lambda n, what: FatalError("wrong key") if what == where and n > 15 else None)
    agent = Stormy(weather if where == "act" else Weather(lambda n, what: None), batched=batched, concurrency=4)
    factory = Factory(weather if where != "act" else lambda what: None)
    played: list[Episode] = []
    with pytest.raises(FatalError, match="wrong key"):
        played.extend(rollout(agent, jobs(), make=factory))
    assert all(e.status == "done" for e in played)
    assert weather.raised <= 4
    assert agent.live == 0
    assert all(env.closed == 1 for env in factory.made)
    assert threading.active_count() == threads


class Masked(Env[str]):
    """Fails in its last turn, as an environment whose sandbox broke: `reward_valid` is False."""

    max_turns: int = 3
    broken: bool = True

    def generate(self, rng: np.random.Generator) -> str:
        return "task"

    def identity(self, task: str) -> object:
        return task

    def begin(self) -> str:
        return "go"

    def respond(self, action: str) -> Reply:
        if self.turn == 2 and self.broken:
            raise InfrastructureError("the sandbox broke")
        return Reply("on", reward=0.2, metrics={"parts": np.float32(0.5)})  # type: ignore[dict-item]

    def sample_action(self, rng: np.random.Generator) -> str:
        return "x"


class Streams(StreamingAgent):
    """`Hashed`, whose answers come one by one, the latest asked first; some plays it gives up, some turns it keeps."""

    concurrency = 6

    def __init__(self, give_up: int = 10**9, keep: bool = False, fail: Exception | None = None) -> None:
        self.inner = Hashed(batched=True, concurrency=6)
        self.asked: list[Play] = []
        self.kept: set[Play] = set()
        self.give_up, self.keep, self.fail = give_up, keep, fail
        self.name = self.inner.name
        self.batches: list[int] = []

    def submit(self, plays: Sequence[Play]) -> Sequence[Play]:
        full = [play for play in plays if play.turn >= self.give_up]
        self.asked += [play for play in plays if play not in full]
        return full

    def collect(self, least: int) -> list[tuple[Play, Action]]:
        if self.fail is not None:
            raise self.fail
        self.batches.append(least)
        found = [self.asked.pop() for _ in range(min(least, len(self.asked)))]
        return [(play, self.answer(play)) for play in found]

    def answer(self, play: Play) -> Action:
        if self.keep and play not in self.kept:
            self.kept.add(play)
            return Action("in sum", internal=True)
        return Action("7") if self.keep else self.inner.answer(play)

    def end(self, play: Play) -> None:
        self.inner.end(play)


def played_by(agent: Agent, todo: list[Job], **options: Any) -> list[Episode]:
    """The episodes in the order of the jobs."""
    envs = Environments()
    found = dict(Player(agent, envs, **options).play(todo, lambda live: episode_of(live, agent.name)))
    envs.close()
    return [found[number] for number in range(len(todo))]


@pytest.mark.parametrize("workers", [0, 3])
@pytest.mark.parametrize("share", [0.01, 0.5, 1.0])
def test_answers_one_by_one_give_the_same_episodes(reference: dict[str, Episode], share: float, workers: int) -> None:
    agent = Streams()
    assert played_by(agent, jobs(), wait_share=share, env_workers=workers) == list(reference.values())
    assert agent.inner.live == 0
    assert max(agent.batches) == max(1, int(6 * share))


def test_what_an_agent_gives_up_ends_where_it_is(reference: dict[str, Episode]) -> None:
    for episode, whole in zip(played_by(Streams(give_up=2), jobs()), reference.values(), strict=True):
        assert episode.turns == whole.turns[:2]
        assert episode.status == "done"
        assert (episode.terminated or episode.truncated) == (len(whole.turns) <= 2)


def test_a_turn_of_the_agents_own_is_read_by_no_environment() -> None:
    todo = [Job(ENVS[0], seed_of("t", i), 0, {"max_turns": 3}) for i in range(4)]
    plain = played_by(FunctionAgent(lambda env: "7"), todo)
    for episode, other in zip(played_by(Streams(keep=True), todo), plain, strict=True):
        own, *turns = episode.turns
        assert (own.action, own.reward, own.internal) == ("in sum", 0.0, True)
        assert tuple(turns) == other.turns
        assert own.observation == turns[0].observation, "it is read again"
        assert Episode.from_json(episode.to_json()) == episode


def test_a_trusted_agent_that_fails_ends_the_run() -> None:
    todo = jobs(1, 1)
    assert {e.status for e in played_by(Streams(fail=KeyError("x")), todo)} == {"error"}
    for error in (KeyError("x"), InfrastructureError("x")):
        with pytest.raises(type(error)):
            played_by(Streams(fail=error), todo, trusted=True)


def test_a_hint_is_said_to_the_agent_and_not_recorded() -> None:
    class Echo(Agent):
        def act(self, plays: Sequence[Play]) -> list[Action]:
            return [Action(play.messages[0]["content"]) for play in plays]

    [episode] = rollout(Echo(), [Job(ENVS[0], 3, settings={"max_turns": 1}, hint=" Try 5.")])
    assert episode.turns[0].action == episode.turns[0].observation + " Try 5."


def test_an_episode_in_a_given_environment_is_the_same_and_can_be_replayed(reference: dict[str, Episode]) -> None:
    agent = Hashed(batched=True, concurrency=1)
    envs = {name: make_env(Job(name, 0)) for name in ENVS}
    for job in jobs(3, 1):
        played = play_in(envs[job.env], lambda play: agent.act([play])[0], job, agent=agent.name)
        assert played == reference[job.name]
        seen: list[None] = []
        assert replay(played, envs[job.env], before=lambda seen=seen: seen.append(None)) == played  # type: ignore[misc]
        assert len(seen) == len(played.turns)
        shorter = replay(replace(played, turns=played.turns[:1]), envs[job.env])
        assert shorter.turns == played.turns[:1]
        assert shorter.terminated <= played.terminated
    with pytest.raises(ZeroDivisionError):
        play_in(envs[ENVS[0]], lambda play: Action(str(1 // 0)), Job("", 1))
    broken = play_in(envs[ENVS[0]], lambda play: Action(str(1 // 0)), Job("", 1), strict=False)
    assert broken.error == "ZeroDivisionError: integer division or modulo by zero"


def test_masked_rewards_are_errors() -> None:
    [episode] = rollout(RandomAgent(), [Job("masked", 1)], make=lambda job: Masked(), retries=1)
    assert (episode.status, episode.error, episode.attempts) == ("error", "the sandbox broke", 2)
    assert len(episode.turns) == 2
    [episode] = rollout(RandomAgent(), [Job("masked", 1)], make=lambda job: Masked(broken=False))
    assert episode.truncated
    assert episode.metrics["parts"] == 1.5
    assert Episode.from_json(episode.to_json()) == episode, "numpy's floats are written as plain ones"


@pytest.mark.parametrize("batched", [True, False])
def test_an_agent_with_too_few_answers_is_at_fault(batched: bool) -> None:
    class Silent(Agent):
        def act(self, plays: Sequence[Play]) -> list[Action]:
            return []

    agent = Silent()
    agent.batched, agent.concurrency = batched, 2
    assert {e.status for e in rollout(agent, jobs(1, 1))} == {"error"}


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("batched", [True, False])
def test_closing_leaves_nothing_behind(batched: bool, workers: int) -> None:
    threads = threading.active_count()
    agent, factory = Hashed(batched=batched, concurrency=8), Factory()
    episodes = rollout(agent, (Job(ENVS[0], i) for i in range(10**9)), make=factory, env_workers=workers)
    for _ in range(5):
        next(episodes)
    episodes.close()
    assert threading.active_count() == threads
    assert agent.live == 0
    assert factory.made
    assert all(env.closed == 1 for env in factory.made)
    assert (agent.interrupts > 0) == (not batched)


def test_jobs_are_taken_lazily() -> None:
    taken = 0

    def endless() -> Iterable[Job]:
        nonlocal taken
        while True:
            taken += 1
            yield Job(ENVS[0], taken)

    for batched in (True, False):
        taken = 0
        episodes = rollout(Hashed(batched=batched, concurrency=4), endless())
        next(episodes)
        assert taken <= 12
        episodes.close()


@pytest.mark.parametrize("batched", [True, False])
def test_keyboard_interrupt_gets_out(batched: bool) -> None:
    """Raised where Ctrl-C strikes: in the main thread, which plays (batched) or takes jobs while threads play."""
    threads = threading.active_count()
    agent = Hashed(batched=batched, concurrency=4)
    factory = Factory()

    def struck() -> Iterable[Job]:
        yield from (Job(ENVS[0], i) for i in range(20))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(rollout(agent, struck(), make=factory))
    if batched:
        weather = Weather(lambda n, what: None)
        weather.fails = lambda n, what: KeyboardInterrupt() if n == 30 else None  # type: ignore[assignment, return-value]
        agent = Stormy(weather, batched=True, concurrency=4)
        with pytest.raises(KeyboardInterrupt):
            list(rollout(agent, jobs(), make=factory))
    assert agent.live == 0
    assert threading.active_count() == threads
    assert all(env.closed == 1 for env in factory.made)


def test_interrupt_ends_waiting_calls() -> None:
    """An agent that waits (for a server) is told, so that leaving is quick."""

    class Waits(Agent):
        concurrency = 3

        def __init__(self) -> None:
            self.told = threading.Event()

        def act(self, plays: Sequence[Play]) -> list[Action]:
            if plays[0].rng_key[0] == 0:
                return [Action("1")]
            assert self.told.wait()  # for ever where nobody interrupts
            raise InfrastructureError("given up")

        def interrupt(self) -> None:
            self.told.set()

    episodes = rollout(Waits(), [Job(ENVS[1], i) for i in range(4)])
    assert next(episodes).seed == 0
    episodes.close()


def test_broken_environments_are_not_used_again() -> None:
    broken: set[int] = set()

    class Fragile(Counted):
        def step(self, action: str) -> Any:
            assert id(self) not in broken, "used again"
            if len(broken) < 5 and len(action) % 2:
                broken.add(id(self))
                keep.append(self)
                raise InfrastructureError("cracked")
            return self.env.step(action)

        def close(self) -> None:
            super().close()
            if id(self) in broken:
                raise OSError("it cannot even be closed")

    keep: list[Any] = []
    agent = Hashed(batched=True, concurrency=3)
    played = by_name(rollout(agent, jobs(), make=lambda job: Fragile(make_env(job)), retries=9))
    assert len(broken) == 5
    assert {e.status for e in played.values()} == {"done"}


def test_settings_do_not_share_environments() -> None:
    todo = [Job(ENVS[0], i, 0, {"max_number": 8 + i % 3, "vary": 0.0}) for i in range(12)]
    agent = RandomAgent()
    agent.concurrency = 2
    for episode in rollout(agent, todo):
        assert f"from 1 to {episode.settings['max_number']}." in episode.turns[0].observation


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.sampled_from(["ok", "ok", "ok", "infra", "bug"]), min_size=1, max_size=40),
    st.booleans(),
    st.integers(1, 6),
    st.integers(0, 2),
)
def test_every_job_ends_exactly_once(script: list[str], batched: bool, concurrency: int, retries: int) -> None:
    """Whatever fails, and when: one record per job; done ones are what they would be alone."""
    kinds = {"infra": InfrastructureError("rain"), "bug": UsageError("bug"), "ok": None}
    weather = Weather(lambda n, what: kinds[script[n % len(script)]])
    agent, factory = Hashed(batched=batched, concurrency=concurrency), Factory(weather)
    todo = [Job(ENVS[i % 3], seed_of("t", i), 0) for i in range(9)]
    played = list(rollout(agent, todo, make=factory, retries=retries))
    assert Counter(e.job.name for e in played) == Counter(job.name for job in todo)
    for episode in played:
        if episode.status == "done":
            [alone] = rollout(Hashed(batched=True, concurrency=1), [episode.job])
            assert as_first_attempt(episode) == alone
        else:
            assert episode.error
            assert episode.attempts <= retries + 1
    assert agent.live == 0
    assert all(env.closed == 1 for env in factory.made)
