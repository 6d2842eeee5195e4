"""What judges ask of agents, scripted, served and local, and the cache that spares it."""

import contextlib
import copy
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import turnwise.verifiers.judge.prompt
from tests.verifiers.scripted_judges import (
    ROOT,
    Scripted,
    judge_of,
    material_of,
    no,
    saying,
    yes,
)
from turnwise.agents.openai import OpenAIAgent
from turnwise.agents.scripted import ConstantAgent, HumanAgent, OracleAgent, RandomAgent
from turnwise.core.agent import Action, Agent
from turnwise.core.errors import FatalError, InfrastructureError, SettingsError, UsageError
from turnwise.verifiers.fallback import WithFallback
from turnwise.verifiers.judge import (
    Cache,
    Costs,
    Criterion,
    Item,
    PrincipleJudge,
    RubricJudge,
)
from turnwise.verifiers.judge.prompt import Request

# ---- agents -------------------------------------------------------------------------------------------------------
from turnwise.verifiers.verdict import wrong


def test_batched_agents_get_whole_batches_and_others_work_in_threads():
    items = [Item(f"text {n}") for n in range(10)]
    batched = Scripted(yes, batched=True, concurrency=4)
    judge = RubricJudge(batched, [Criterion("good", "Good.")])
    assert all(v.correct for v in judge.score_many(items))
    assert batched.batches == [4, 4, 2] and batched.alive == 0
    barrier = threading.Barrier(5)

    def reply(prompt: str) -> str:
        barrier.wait()  # breaks unless five calls run at once
        return yes(prompt)

    threaded = Scripted(reply, concurrency=5)
    assert all(v.correct for v in RubricJudge(threaded, [Criterion("good", "Good.")]).score_many(items))
    assert threaded.batches == [1] * 10 and threaded.alive == 0
    assert RubricJudge(threaded, [Criterion("good", "Good.")]).score_many([]) == []


def test_a_batched_agent_is_asked_by_one_thread_at_a_time():
    busy = threading.Lock()

    def reply(prompt: str) -> str:
        assert busy.acquire(blocking=False), "two threads at once"
        time.sleep(0.002)
        busy.release()
        return yes(prompt)

    agent = Scripted(reply, batched=True)
    judges = [RubricJudge(agent, [Criterion("good", "Good.")], seed=seed) for seed in range(2)]
    done: list[bool] = []
    work = [threading.Thread(target=lambda j=j: done.append(j.score("text").correct)) for j in judges * 3]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert done == [True] * 6


def test_scripted_agents_can_be_asked():
    assert RubricJudge(HumanAgent(ask=yes), [Criterion("good", "Good.")]).score("text").correct
    assert RubricJudge(ConstantAgent("<verdict>yes</verdict>"), [Criterion("good", "Good.")]).score("text").undecided
    for agent in (OracleAgent(), RandomAgent()):
        with pytest.raises(UsageError, match="cannot judge"):
            RubricJudge(agent, [Criterion("good", "Good.")]).score("text")


@pytest.mark.parametrize("batched", [False, True])
def test_an_infrastructure_error_passes_through_and_what_was_paid_is_kept(batched):
    broken = {"is": True}

    def reply(prompt: str) -> str:
        if broken["is"] and material_of(prompt)["response"] == "text 5":
            time.sleep(0.05)
            raise InfrastructureError("the server is down")
        return yes(prompt)

    agent = Scripted(reply, batched, concurrency=2)
    judge = RubricJudge(agent, [Criterion("good", "Good.")])
    items = [Item(f"text {n}") for n in range(6)]
    with pytest.raises(InfrastructureError, match="the server is down"):
        judge.score_many(items)
    assert agent.alive == 0
    broken["is"] = False
    paid = judge.costs.calls
    assert paid >= 4
    assert all(v.correct for v in judge.score_many(items))
    assert judge.costs.calls == 6, "none is asked twice"


def test_what_runs_beside_a_failure_is_kept():
    failed = threading.Event()

    def reply(prompt: str) -> str:
        if material_of(prompt)["response"] == "bad":
            failed.set()
            raise InfrastructureError("the server is down")
        assert failed.wait()
        time.sleep(0.05)
        return yes(prompt)

    judge = RubricJudge(Scripted(reply, concurrency=2), [Criterion("good", "Good.")])
    with pytest.raises(InfrastructureError):
        judge.score_many([Item(text) for text in ("slow", "bad", *map(str, range(50)))])
    assert 1 <= judge.costs.calls < 50, "what had not begun is not asked any more"
    calls = judge.costs.calls
    assert judge.score("slow").correct and judge.costs.calls == calls


def test_copies_share_the_agent_and_the_bill():
    """As the forks of an environment do that keeps a judge."""
    judges = judge_of(yes), PrincipleJudge(Scripted(yes), ["x"]), WithFallback(lambda text, gold: wrong("", text), None)
    for judge in judges:
        assert copy.deepcopy(judge).costs == Costs()
    copy.deepcopy(judges[0]).score("text")
    assert judges[0].costs.calls == 1
    fallback = WithFallback(lambda text, gold: wrong("", text), Scripted(yes), True)
    assert copy.deepcopy(fallback)("a", "b").correct and len(fallback.calls) == 1


def test_giving_up_interrupts_the_agent():
    stopped, once = threading.Event(), threading.Lock()

    class Patient(Scripted):
        def interrupt(self) -> None:
            stopped.set()

    def reply(prompt: str) -> str:
        if once.acquire(blocking=False):
            time.sleep(0.1)  # until the main thread waits
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # type: ignore[arg-type]
        assert stopped.wait(), "nobody interrupted it"
        return "late"

    agent = Patient(reply, concurrency=2)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            judge_of_agent(agent).score_many([Item(str(n)) for n in range(5)])
    finally:
        signal.signal(signal.SIGINT, before)
    assert stopped.is_set() and agent.alive == 0 and len(agent.prompts) <= 3


class Server(ThreadingHTTPServer):
    """Chat completions: replies to the last message, or fails with a status."""

    daemon_threads = True

    def __init__(self, reply: Callable[[str], str | int]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.reply = reply
        self.bodies: list[dict[str, Any]] = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(body)
        reply = self.server.reply(body["messages"][-1]["content"])
        data = {
            "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": reply}}],
            "usage": {"prompt_tokens": 50, "completion_tokens": 9},
        }
        content = json.dumps(data).encode()
        self.send_response(reply if isinstance(reply, int) else 200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextlib.contextmanager
def asking(reply: Callable[[str], str | int]) -> Iterator[tuple[OpenAIAgent, Server]]:
    server = Server(reply)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    agent = OpenAIAgent("m", f"http://127.0.0.1:{server.server_port}/v1", concurrency=4, max_retries=1, backoff_s=0.001,
                        timeout_s=5.0, seed=0)  # fmt: skip
    try:
        yield agent, server
    finally:
        agent.close()
        server.shutdown()
        thread.join()
        server.server_close()


def test_judging_through_an_endpoint():
    paris = saying(lambda prompt: "yes" if "Paris" in material_of(prompt)["response"] else "no")
    with asking(paris) as (agent, server):
        judge = RubricJudge(agent, [Criterion("good", "Good.")], samples=3)
        verdicts = judge.score_many([Item(text, "Capital?") for text in ("Paris", "Rome", "Oslo", "Paris!")])
        assert [v.score for v in verdicts] == [1, 0, 0, 1]
        assert len(server.bodies) == 12
        assert len({body["seed"] for body in server.bodies}) == 12
        assert judge.costs.prompt_tokens == 600 and judge.costs.completion_tokens == 108
        assert judge.costs.seconds > 0
    with asking(lambda prompt: 503) as (agent, server):
        with pytest.raises(InfrastructureError, match="503"):
            judge_of_agent(agent).score("text")
        assert len(server.bodies) == 2
    with asking(lambda prompt: 401) as (agent, _), pytest.raises(FatalError, match="401"):
        judge_of_agent(agent).score("text")


def judge_of_agent(agent: Agent) -> RubricJudge:
    return RubricJudge(agent, [Criterion("good", "Good.")])


def test_judging_by_a_local_model():
    torch = pytest.importorskip("torch")
    from turnwise.agents.local import LocalAgent
    from turnwise.baselines.trainer.model.tiny import tiny_model, tiny_tokenizer

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    probe = Scripted(yes)
    judge_of_agent(probe).score("text")
    tokenizer = tiny_tokenizer(probe.prompts)
    batches: list[int] = []

    class Counting(LocalAgent):
        def act(self, plays: Any) -> list[Action]:
            batches.append(len(plays))
            return super().act(plays)

    model = tiny_model(tokenizer, 3, max_len=1024, init_std=0.1)
    agent = Counting.from_model(model, tokenizer, concurrency=3, max_new_tokens=8, max_len=1024)
    judge = RubricJudge(agent, [Criterion("good", "Good.")], retries=1)
    try:
        verdicts = judge.score_many([Item(f"text {n}") for n in range(5)])
    finally:
        torch.set_num_threads(threads)
    assert all(v.undecided for v in verdicts), "a random model gives no verdict"
    assert batches == [3, 2, 3, 2]
    assert not agent.engine._rows  # type: ignore[attr-defined]  # all rows are given back
    assert judge.costs.calls == judge.costs.unreadable == 10
    assert judge.costs.prompt_tokens > 500 and 10 <= judge.costs.completion_tokens <= 80


# ---- the cache ----------------------------------------------------------------------------------------------------


def test_scoring_again_costs_nothing(tmp_path):
    items = [Item(f"text {n % 3}", "Capital?") for n in range(6)]
    cache = Cache(tmp_path / "cache.sqlite")
    judge = judge_of(yes, cache=cache, name="j")
    first = judge.score_many(items)
    assert judge.costs == Costs(6, 3, 3, 0, 300, 21, judge.costs.seconds)
    assert judge.score_many(items) == first
    assert (judge.costs.requests, judge.costs.hits, judge.costs.calls) == (12, 9, 3)
    reopened = judge_of(lambda prompt: "never asked", cache=Cache(tmp_path / "cache.sqlite"), name="j")
    assert reopened.score_many(items) == first
    assert reopened.costs == Costs(requests=6, hits=6)


def test_what_the_key_depends_on(tmp_path):
    cache = Cache(tmp_path / "cache.sqlite")
    base = judge_of(yes, cache=cache, name="j")
    base.score("text", "q")
    others = [
        (judge_of(yes, cache=cache, name="k"), ("text", "q")),
        (judge_of(yes, cache=cache, name="j", seed=1), ("text", "q")),
        (judge_of(yes, cache=cache, name="j"), ("text!", "q")),
        (judge_of(yes, cache=cache, name="j"), ("text", "q!")),
        (judge_of(yes, cache=cache, name="j"), ("text", "q", "r")),
        (RubricJudge(Scripted(yes), [Criterion("good", "Other.")], cache=cache, name="j"), ("text", "q")),
        (RubricJudge(Scripted(saying(lambda p: "3")), [Criterion("good", "The response is good.", grades=3)],
                     cache=cache, name="j"), ("text", "q")),
        (PrincipleJudge(Scripted(yes), ["The response is good."], cache=cache, name="j"), ("text", "q")),
    ]  # fmt: skip
    for judge, texts in others:
        judge.score(*texts)
        assert judge.costs.calls == 1
    renamed = RubricJudge(Scripted(yes), [Criterion("b", "The response is good.", 9)], cache=cache, name="j")
    assert renamed.score("text", "q").correct and renamed.costs.calls == 0, "names and weights are not asked"
    more = judge_of(yes, cache=cache, name="j", samples=3)
    assert more.score("text", "q").correct and more.costs.calls == 2, "the first sample is known"


def test_a_prompt_version_of_its_own(monkeypatch):
    request = Request("t", (), "q", ("yes", "no"))
    key = request.key(1)
    monkeypatch.setattr(turnwise.verifiers.judge.prompt, "PROMPT_VERSION", 2)
    assert request.key(1) != key


def test_a_strange_entry_is_not_believed(tmp_path):
    cache = Cache(tmp_path / "cache.sqlite")
    judge = judge_of(no, cache=cache, name="j")
    request = judge._requests(Item("text"))[0]
    cache.put({request.key("j", 0, 0): "maybe"})
    assert not judge.score("text").correct
    assert judge.costs.calls == 1


def test_the_least_recently_used_leave_the_memory():
    cache = Cache(max_entries=2)
    cache.put({"a": "1", "b": "2"})
    assert cache.get(["a"]) == {"a": "1"}
    cache.put({"c": "3"})
    assert cache.get(["a", "b", "c"]) == {"a": "1", "c": "3"} and len(cache) == 2


def test_the_file_keeps_what_the_memory_lost(tmp_path):
    cache = Cache(tmp_path / "c", max_entries=1)
    cache.put({"a": "1", "b": "2"})
    assert len(cache) == 1 and cache.get(["a", "b"]) == {"a": "1", "b": "2"}
    cache.put({"a": "9"})
    assert Cache(tmp_path / "c").get(["a"]) == {"a": "1"}, "the first writer wins"


def test_one_cache_for_many_threads(tmp_path):
    cache = Cache(tmp_path / "cache.sqlite", max_entries=20)
    judge = judge_of(saying(lambda p: "yes" if int(material_of(p)["response"]) % 2 else "no"), cache=cache, name="j")
    results: dict[int, list[float]] = {}

    def work(index: int) -> None:
        numbers = [(n * 7 + index * 11) % 40 for n in range(40)]
        scored = dict(zip(numbers, judge.score_many([Item(str(n)) for n in numbers]), strict=True))
        results[index] = [scored[n].score for n in range(40)]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results[i] for i in range(6)] == [[float(n % 2) for n in range(40)]] * 6
    costs = judge.costs
    assert costs.requests == 240 and costs.hits + costs.calls == 240 and costs.calls >= 40
    before = costs.calls
    work(7)
    assert judge.costs.calls == before and len(cache) <= 20


WORKER = """
import re, sys
from turnwise.agents.scripted import HumanAgent
from turnwise.verifiers.judge import Cache, Criterion, Item, RubricJudge

def reply(prompt):
    number = int(re.search(r"<response-\\w+>\\n(\\d+)", prompt)[1])
    word = "yes" if number % 2 else "no"
    return re.findall(rf"<verdict-\\w+>{word}</verdict-\\w+>", prompt)[-1]

judge = RubricJudge(HumanAgent(reply), [Criterion("odd", "Odd.")], cache=Cache(sys.argv[1]), name="j")
first = int(sys.argv[2])
for start in range(0, 60, 6):
    verdicts = judge.score_many([Item(str((n + first) % 60)) for n in range(start, start + 6)])
    assert [v.score for v in verdicts] == [(n + first) % 2 for n in range(start, start + 6)]
print(judge.costs.calls)
"""


@pytest.mark.slow
def test_one_cache_for_many_processes(tmp_path):
    def start(first: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", WORKER, str(tmp_path / "cache.sqlite"), str(first)]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def calls(worker: subprocess.Popen[str]) -> int:
        out, err = worker.communicate(timeout=250)
        assert worker.returncode == 0, err
        return int(out)

    together = [calls(worker) for worker in [start(0), start(20), start(40)]]
    assert 60 <= sum(together) <= 180 and max(together) <= 60
    assert calls(start(7)) == 0
    assert len(Cache(tmp_path / "cache.sqlite").get(keys_in(tmp_path / "cache.sqlite"))) == 60


def keys_in(path: Path) -> list[str]:
    import sqlite3

    with contextlib.closing(sqlite3.connect(path)) as db:
        return [key for (key,) in db.execute("SELECT key FROM verdicts")]


def test_a_broken_file_is_not_a_score(tmp_path):
    (tmp_path / "no.sqlite").write_text("this is no database, but long enough to be looked at " * 10)
    for path in (tmp_path / "no.sqlite", tmp_path, tmp_path / "nowhere" / "c.sqlite"):
        with pytest.raises(SettingsError, match="cannot be used"):
            Cache(path)
    judge = judge_of(yes, cache=Cache(tmp_path / "c.sqlite"), name="j")
    (tmp_path / "c.sqlite").write_text("overwritten by somebody, with something that is no database " * 10)
    with pytest.raises(InfrastructureError, match=r"c\.sqlite"):
        judge.score("text")
