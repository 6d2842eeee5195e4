"""The engines over vLLM: against teacher forcing and our own engine, with a server that can fail, dawdle and lie."""

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.engine._vllm_server import Body, Server
from turnwise.agents.local import LocalAgent
from turnwise.agents.make import make_agent
from turnwise.baselines.trainer.model.tiny import tiny_model, tiny_tokenizer
from turnwise.core.episode import Episode, Job
from turnwise.core.errors import FatalError, InfrastructureError, MissingDependencyError, SettingsError, UsageError
from turnwise.core.player import rollout
from turnwise.engine.kv import KVEngine
from turnwise.engine.remote import Answer, Request, checked, seed_of_key
from turnwise.engine.sampling import Sampled
from turnwise.engine.tokens import Stream, make_renderer
from turnwise.engine.vllm import FolderSync, VLLMEngine, VLLMServerEngine

MAX_LEN = 256
JOBS = [Job("turnwise/GuessNumber-v0", 100 + i, sample, {"max_turns": 4}) for i in range(3) for sample in range(2)]


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


TOKENIZER = tiny_tokenizer(["I am thinking of a number from 1 to 32.", "Higher.", "Lower.", "Not a guess:"])
VOCAB = len(TOKENIZER)
STOPS = tuple(range(5, VOCAB, 6))


def model_of(seed: int) -> Any:
    return tiny_model(TOKENIZER, seed, width=32, max_len=1024, init_std=0.3)


MODEL = model_of(3)


@contextlib.contextmanager
def serving(model: Any = MODEL, **options: Any) -> Iterator[Server]:
    server = Server(model, **options)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def connected(server: Server, **options: Any) -> Iterator[VLLMServerEngine]:
    settings = {"vocab_size": VOCAB, "max_len": MAX_LEN, "concurrency": 8, "backoff_s": 0.01, "retries": 3, **options}
    engine = VLLMServerEngine(server.url, "tiny", **settings)
    try:
        yield engine
    finally:
        engine.shutdown()


def turn(engine: Any, rows: list[int], *, max_new: Any = 6, key: int = 0, **options: Any) -> list[Sampled]:
    keys = [(9, key, row) for row in rows]
    engine.submit(rows, **{"max_new": max_new, "stop_ids": STOPS, "temperature": 1.0, "keys": keys, **options})
    found: dict[int, Sampled] = dict(engine.collect(len(rows)) if rows else ())
    return [found[row] for row in rows]


def played(engine: Any, turns: int = 3, n: int = 5, **options: Any) -> list[Stream]:
    """Ragged rows of several turns; the first two share their opening."""
    rows, streams = engine.open(n), [Stream() for _ in range(n)]
    for t in range(turns):
        for i, (row, stream) in enumerate(zip(rows, streams, strict=True)):
            new = [(7 * t + 3 * max(i, 1) + j) % VOCAB for j in range(2 + (i + t) % 3)]
            engine.extend([row], [new])
            stream.context(new)
        sampled = turn(engine, rows, max_new=[3 + i for i in range(n)], key=t, **options)
        for stream, got in zip(streams, sampled, strict=True):
            assert got.stopped == (got.ids[-1] in STOPS)
            stream.action(got.ids, got.logps)
        assert [engine.length(row) for row in rows] == [len(stream) for stream in streams]
    engine.close(rows)
    return streams


@torch.no_grad()
def gap(model: Any, streams: list[Stream], temperature: float = 1.0) -> float:
    """The largest difference between the sampler's and the trainer's log-probabilities (teacher forcing)."""
    worst = 0.0
    for s in streams:
        logps = (model(torch.tensor([s.ids])).logits[0, :-1].float() / temperature).log_softmax(-1)
        forced = logps.gather(-1, torch.tensor(s.ids[1:])[:, None])[:, 0]
        trained = torch.tensor(s.mask[1:]).bool()
        worst = max(worst, float((forced - torch.tensor(s.logps[1:]))[trained].abs().max()))
    return worst


@pytest.mark.slow
@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_logprobs_are_the_trainers(temperature: float) -> None:
    with serving() as server, connected(server) as engine:
        streams = played(engine, temperature=temperature)
        assert gap(MODEL, streams, temperature) < 1e-5
        assert gap(MODEL, streams, 1.3 * temperature) > 0.05  # the comparison can tell
        assert played(engine, temperature=temperature) != streams  # other rows, other keys
        assert server.reused > 100, "later turns come from the prefix cache"
        lengths = [len([t for t in s.turns if t == 0]) for s in streams]
        assert len(set(lengths)) > 1
    with serving() as server, connected(server, concurrency=1) as engine:
        again = played(engine, temperature=temperature)
    assert [s.ids for s in again] == [s.ids for s in streams]  # same keys, same seeds, same tokens


def test_what_a_request_says() -> None:
    with serving() as server, connected(server) as engine:
        [row] = engine.open(1)
        engine.extend([row], [[1, 2, 3]])
        [first] = turn(engine, [row], temperature=1.0)
        engine.extend([row], [[4]])
        turn(engine, [row], key=1)
    path, body = server.requests[-1]
    assert path == "/v1/completions" and body["prompt"] == [1, 2, 3, *first.ids, 4], "the whole row, as ids"
    assert body["stop_token_ids"] == list(STOPS) and body["ignore_eos"] and body["max_tokens"] == 6
    assert (body["temperature"], body["top_p"], body["top_k"], body["min_p"]) == (1.0, 1.0, -1, 0.0)
    assert body["repetition_penalty"] == 1 and body["presence_penalty"] == body["frequency_penalty"] == 0
    assert body["seed"] == seed_of_key((9, 1, row)) and 0 <= body["seed"] < 2**63
    assert body["logprobs"] == 0 and body["return_token_ids"] and "prompt_logprobs" not in body and "stop" not in body
    assert seed_of_key((1, 23)) != seed_of_key((12, 3)) != seed_of_key((1, 2, 3))


class Kept(LocalAgent):
    """Keeps the rows of finished episodes."""

    def end(self, play: Any) -> None:
        self.__dict__.setdefault("streams", {})[play.rng_key[:-1]] = play.state.stream
        super().end(play)


def episodes(engine: Any, temperature: float) -> tuple[dict[str, Episode], dict[Any, Stream]]:
    agent = Kept(
        engine, make_renderer(TOKENIZER), concurrency=6, max_new_tokens=8, temperature=temperature, name="same"
    )
    return {e.job.name: e for e in rollout(agent, JOBS, strict=True)}, agent.streams  # type: ignore[attr-defined]


def test_a_rollout_is_the_same_as_with_our_engine() -> None:
    with serving() as server, connected(server) as engine:
        for temperature in (0.0, 1.0):
            theirs, streams = episodes(engine, temperature)
            ours, own = episodes(KVEngine(MODEL, 8, MAX_LEN), temperature)
            assert theirs.keys() == ours.keys() and streams.keys() == own.keys()
            assert gap(MODEL, list(streams.values())) < 1e-5
            if temperature == 0:  # without chance, token for token
                assert theirs == ours
                assert [s.ids for s in streams.values()] == [s.ids for s in own.values()]
            for stream in streams.values():
                assert len(stream.ids) == len(stream.mask) == len(stream.logps) == len(stream.turns)
            for name, episode in theirs.items():
                assert [t.completion_tokens for t in episode.turns] != [] and episode.status == ours[name].status
        assert not engine._rows


def sync_of(model: Any, folder: Path) -> FolderSync:
    return FolderSync(folder, lambda path: model.save_pretrained(path))


def test_new_weights_drop_the_prefix_cache(tmp_path: Path) -> None:
    new = model_of(4)
    with serving() as server, connected(server, sync=sync_of(new, tmp_path)) as engine:
        before = played(engine)
        assert gap(MODEL, before) < 1e-5 < 0.05 < gap(new, before)
        engine.load(1)
        after = played(engine, temperature=0.7)
        assert gap(new, after, 0.7) < 1e-5
        paths = [path for path, _ in server.requests]
        assert paths.index("/collective_rpc") < paths.index("/reset_prefix_cache?reset_running_requests=true")
        assert engine.version == 1 and not list(tmp_path.iterdir()), "the folder is cleared"


def test_without_the_reset_the_cache_is_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: the same, without dropping the cache."""
    new = model_of(4)
    monkeypatch.setattr(VLLMServerEngine, "reset_prefix_cache", lambda self: None)
    with serving() as server, connected(server, sync=sync_of(new, tmp_path)) as engine:
        played(engine)
        engine.load(1)
        assert gap(new, played(engine)) > 0.05


def test_where_a_reset_does_nothing_the_salt_helps(tmp_path: Path) -> None:
    """The server says 200 also when it could not drop the cache."""
    new = model_of(4)
    with serving(salted=True, resets="no") as server, connected(server, sync=sync_of(new, tmp_path)) as engine:
        played(engine)
        engine.load(1)
        assert gap(new, played(engine)) < 1e-5
        assert len({body["cache_salt"] for path, body in server.requests if path == "/v1/completions"}) == 2


def test_a_load_that_fails_is_an_error(tmp_path: Path) -> None:
    with serving(resets="missing") as server, connected(server, sync=sync_of(MODEL, tmp_path)) as engine:
        with pytest.raises(FatalError, match=r":\d+/reset_prefix_cache: answered 404.*VLLM_SERVER_DEV_MODE"):
            engine.load(1)
        assert engine.version == 0
        server.misdeed = lambda number, path, body, choice: 500 if path == "/collective_rpc" else choice
        with pytest.raises(
            InfrastructureError, match="/collective_rpc gave no answer in 4 attempts, at last: answered 500"
        ):
            engine.load(1)
        assert not list(tmp_path.iterdir())
    with serving() as server, connected(server) as engine, pytest.raises(SettingsError, match="sync=FolderSync"):
        engine.load(1)


def test_failures_are_tried_again() -> None:
    with serving() as server, connected(server) as engine:
        expected = [s.ids for s in played(engine, turns=2)]
    with serving() as server, connected(server) as engine:
        odd = [500, 429, "drop", 503, 408]
        failing: dict[str, int] = {}

        def misdeed(number: int, path: str, body: Body, choice: Body | None) -> Any:
            if choice is not None:
                return choice
            key = str((body["seed"], body["prompt"]))
            failing[key] = failing.get(key, -1) + 1
            return odd[(body["seed"] + failing[key]) % 5] if failing[key] < 2 else None

        server.misdeed = misdeed
        assert [s.ids for s in played(engine, turns=2)] == expected
        assert set(failing.values()) == {2} and len(failing) == 10


@pytest.mark.parametrize(
    ("answer", "kind", "says"),
    [
        (500, InfrastructureError, "gave no answer in 4 attempts, at last: answered 500"),
        ("drop", InfrastructureError, "gave no answer in 4 attempts, at last: RemoteProtocolError"),
        (400, FatalError, "answered 400"),
        (401, FatalError, "answered 401"),
        (404, FatalError, "answered 404"),
    ],
)
def test_failures_that_stay(answer: Any, kind: type[Exception], says: str) -> None:
    with serving() as server, connected(server) as engine:
        server.misdeed = lambda number, path, body, choice: answer if body["prompt"][0] == 2 else choice
        rows = engine.open(3)
        engine.extend(rows, [[1], [2], [3]])
        with pytest.raises(kind, match=f"the vLLM server http://127.0.0.1:\\d+/v1/completions:? {says}"):
            turn(engine, rows)
        assert [engine.length(row) for row in rows] == [1, 1, 1], "no row has changed"
        server.misdeed = lambda number, path, body, choice: choice
        engine.close(rows)
        rows = engine.open(3)
        engine.extend(rows, [[1], [2], [3]])
        assert len(turn(engine, rows)) == 3


def test_a_call_that_may_have_been_made_is_not_made_again() -> None:
    """But for one that may: what all clients have in common is in tests/core/test_http.py."""
    with serving() as server, connected(server) as engine:
        server.misdeed = lambda number, path, body, choice: 500
        with pytest.raises(InfrastructureError, match="/collective_rpc: answered 500"):
            engine.rpc("start_transfer", rank=1)
        assert len(server.requests) == 1
        with pytest.raises(InfrastructureError, match="gave no answer in 4 attempts"):
            engine.rpc("reload_weights", weights_path="x")


Lie = Callable[[Body], Any]


@pytest.mark.parametrize(
    ("lie", "kind", "says"),
    [
        (lambda c: c["token_ids"].__setitem__(0, VOCAB), FatalError, "the ids .* and log-probabilities of"),
        (lambda c: c.update(token_ids=[VOCAB, *c["token_ids"][1:]], logprobs={**c["logprobs"], "tokens": []}),
         FatalError, f"the token id {VOCAB}, the vocabulary has {VOCAB}"),
        (lambda c: c["logprobs"]["token_logprobs"].pop(), FatalError, r"\d log-probabilities for \d tokens"),
        (lambda c: c["logprobs"]["token_logprobs"].__setitem__(0, 0.5), FatalError, "the log-probability 0.5"),
        (lambda c: c["logprobs"]["token_logprobs"].__setitem__(0, None), FatalError, "the log-probability None"),
        (lambda c: c["logprobs"]["token_logprobs"].__setitem__(0, float("nan")), FatalError, "log-probability nan"),
        (lambda c: c.update(prompt_token_ids=[0, 1]), FatalError, "read 2 tokens that are not the 1 it was sent"),
        (lambda c: c.update(finish_reason="abort"), InfrastructureError, "aborted a turn"),
        (lambda c: c.update(logprobs=None), SettingsError, "no log-probabilities"),
        (lambda c: (c.pop("token_ids"), c["logprobs"].update(tokens=["a"])), SettingsError, "as-token-ids"),
    ],
)  # fmt: skip
def test_answers_that_cannot_be_right(lie: Lie, kind: type[Exception], says: str) -> None:
    def misdeed(number: int, path: str, body: Body, choice: Body | None) -> Any:
        if choice is not None:
            lie(choice)
        return choice

    with serving() as server, connected(server) as engine:
        server.misdeed = misdeed
        rows = engine.open(2)
        engine.extend(rows, [[1], [2]])
        with pytest.raises(kind, match=says):
            turn(engine, rows)
        assert [engine.length(row) for row in rows] == [1, 1]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer([], [], "length"), "0 tokens; 1 to 3 were requested"),
        (Answer([1, 2, 3, 4], [-1.0] * 4, "length"), "4 tokens; 1 to 3"),
        (Answer([1, 5, 2], [-1.0] * 3, "length"), "tokens after a stop token"),
        (Answer([1, 2], [-1.0] * 2, "length"), r"2 tokens \(of at most 3\) that end by 'length' without"),
        (Answer([1, 2, 3], [-1.0] * 3, "stop"), r"3 tokens \(of at most 3\) that end by 'stop' without"),
        (Answer([1, True, 3], [-1.0] * 3, "length"), "the token id True"),
        (Answer([1, -2, 3], [-1.0] * 3, "length"), "the token id -2"),
    ],
)
def test_turns_that_are_none(answer: Answer, says: str) -> None:
    request = Request([1], max_new=3, seed=0, stop_ids=(5, 11))
    with pytest.raises(FatalError, match=f"someone returned {says}"):
        checked(answer, request, 10, "someone")
    assert checked(Answer([1, 5], [-1, 1e-6], "stop"), request, 10, "") == Sampled([1, 5], [-1.0, 0.0], True)
    assert checked(Answer([1, 2, 5], [-1.0] * 3, "length"), request, 10, "").stopped  # the last one that fitted
    assert not checked(Answer([1, 2, 3], [-1.0] * 3, "length"), request, 10, "").stopped


def test_logprobs_without_the_temperature_are_refused() -> None:
    with serving(mode="raw") as server, connected(server) as engine:
        assert gap(MODEL, played(engine)) < 1e-5  # at temperature 1 there is no difference
        with pytest.raises(SettingsError, match=r"\(0.7\): start it with --logprobs-mode processed_logprobs"):
            played(engine, temperature=0.7)
        played(engine, temperature=0.7, greedy=True)
    with serving() as server, connected(server) as engine:
        played(engine, temperature=1.4)
        assert sum(body["logprobs"] == 5 for _, body in server.requests) == 2, "looked at once"


def test_servers_that_name_tokens_only() -> None:
    """Before return_token_ids there was return_tokens_as_token_ids."""
    with serving() as server, connected(server) as engine:
        expected = [s.ids for s in played(engine)]
    with serving() as server, connected(server) as engine:
        server.misdeed = lambda n, path, body, choice: choice and {k: v for k, v in choice.items() if "_ids" not in k}
        streams = played(engine)
    assert [s.ids for s in streams] == expected and gap(MODEL, streams) < 1e-5


def test_turns_come_as_they_end() -> None:
    ask = {"stop_ids": STOPS, "temperature": 1.0}
    with serving() as server, connected(server) as engine:
        gate = threading.Event()

        def misdeed(number: int, path: str, body: Body, choice: Body | None) -> Any:
            if choice is None and body["prompt"][0] == 2:
                gate.wait(10)
            return choice

        server.misdeed = misdeed
        rows = engine.open(4)
        engine.extend(rows, [[1], [2], [3], [2, 2]])
        assert engine.collect() == []
        engine.submit(rows[:3], max_new=5, keys=[(9, 0, row) for row in rows[:3]], **ask)
        early = engine.collect(2)
        assert [row for row, _ in early] == [rows[0], rows[2]]
        assert [engine.length(row) for row in rows[:3]] == [1 + len(early[0][1].ids), 1, 1 + len(early[1][1].ids)]
        for call in (lambda: engine.extend([rows[1]], [[1]]), lambda: turn(engine, [rows[1]])):
            with pytest.raises(UsageError, match="collect it first"):
                call()
        assert len(turn(engine, [rows[0]], key=1)) == 1  # others go on meanwhile
        engine.submit([rows[3]], max_new=5, keys=[(1,)], **ask)
        engine.close([rows[3]])  # drops its turn
        gate.set()
        [(row, late)] = engine.collect(9)
        assert row == rows[1] and engine.collect() == []
        with pytest.raises(UsageError, match="min_finished"):
            engine.collect(0)
        engine.close(rows[:3])
    with serving() as server, connected(server) as engine:
        rows = engine.open(3)
        engine.extend(rows, [[1], [2], [3]])
        together = turn(engine, rows, max_new=5)
        assert [t.ids for t in together] == [early[0][1].ids, late.ids, early[1][1].ids]


def test_a_turn_that_fails_takes_no_other_with_it() -> None:
    with serving() as server, connected(server) as engine:
        server.misdeed = lambda number, path, body, choice: 400 if body["prompt"] == [2] else choice
        rows = engine.open(3)
        engine.extend(rows, [[1], [2], [3]])
        engine.submit(rows, max_new=5, stop_ids=STOPS, temperature=1.0, keys=[(9, 0, row) for row in rows])
        with pytest.raises(FatalError, match="400"):
            engine.collect(3)
        assert [row for row, _ in engine.collect(3)] == [rows[0], rows[2]]
        engine.extend([rows[1]], [[7]])
        assert len(turn(engine, [rows[1]])) == 1


def test_misuse() -> None:
    with serving() as server, connected(server, max_rows=2, max_len=8) as engine:
        rows = engine.open(2)
        with pytest.raises(SettingsError, match="max_rows is 2"):
            engine.open(1)
        with pytest.raises(UsageError, match="needs context"):
            turn(engine, rows)
        engine.extend(rows, [[1], [2]])
        with pytest.raises(SettingsError, match="raise it here and vLLM's max_model_len"):
            turn(engine, rows, max_new=8)
        with pytest.raises(SettingsError, match="temperature is 0; it must be above 0"):
            turn(engine, rows, temperature=0)
        with pytest.raises(SettingsError, match="max_new is 0; it must be at least 1"):
            turn(engine, rows, max_new=[1, 0])
        with pytest.raises(UsageError, match="2 rows, 2 values of max_new, 1 keys"):
            turn(engine, rows, keys=[(1,)])
        with pytest.raises(UsageError, match="2 rows and 1 lists"):
            engine.extend(rows, [[1]])
        with pytest.raises(UsageError, match="given twice"):
            engine.extend([rows[0]] * 2, [[1], [2]])
        with pytest.raises(UsageError, match="row 77 is not open"):
            engine.length(77)
        assert turn(engine, []) == [] and not server.requests
        with pytest.raises(SettingsError, match="it must look like"):
            VLLMServerEngine("localhost:8000", "m", vocab_size=8, max_len=8)
        with pytest.raises(SettingsError, match="concurrency is 0"):
            VLLMServerEngine("http://localhost", "m", vocab_size=8, max_len=8, concurrency=0)
        with pytest.raises(SettingsError, match="vocab_size is 0; it must be at least 1"):
            VLLMServerEngine("http://localhost", "m", vocab_size=0, max_len=8)


def test_a_key_is_sent_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "s3cret")
    with serving() as server, connected(server, api_key_env="MY_KEY") as engine:
        [row] = engine.open(1)
        engine.extend([row], [[1]])
        turn(engine, [row])
        assert server.keys == ["Bearer s3cret"] and "s3cret" not in str(engine)


class FakeLLM:
    """What the engine uses of ``vllm.LLM``, on the same model."""

    def __init__(self, model: str, **options: Any) -> None:
        self.options = {"model": model, **options}
        self.server = Server(MODEL, salted=True)
        self.reset: bool | None = True

    def generate(self, prompts: Any, params: Any, use_tqdm: bool) -> list[Any]:
        outputs = []
        for prompt, settings in zip(prompts, params, strict=True):
            choice = self.server.complete({**vars(settings), "prompt": prompt["prompt_token_ids"], **prompt})
            logps = choice["logprobs"]["token_logprobs"]
            tops = [{i: SimpleNamespace(logprob=x)} for i, x in zip(choice["token_ids"], logps, strict=True)]
            turn = SimpleNamespace(token_ids=choice["token_ids"], logprobs=tops, finish_reason=choice["finish_reason"])
            outputs.append(SimpleNamespace(outputs=[turn]))
        return outputs

    def collective_rpc(self, method: str, kwargs: dict[str, Any]) -> Any:
        return self.server.answer("/collective_rpc", {"method": method, "kwargs": kwargs})["results"]

    def reset_prefix_cache(self) -> bool | None:
        self.server.answer("/reset_prefix_cache", {})
        return self.reset


def test_the_engine_in_this_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only what lies between our protocol and vLLM's: vLLM itself is played by the server's model."""
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'turnwise\[vllm\]'"):
        VLLMEngine("m", vocab_size=VOCAB, max_len=MAX_LEN)
    monkeypatch.setitem(sys.modules, "vllm", SimpleNamespace(LLM=FakeLLM, SamplingParams=SimpleNamespace))
    new = model_of(4)
    engine = VLLMEngine("m", vocab_size=VOCAB, max_len=MAX_LEN, sync=sync_of(new, tmp_path), seed=1)
    assert engine.llm.options["logprobs_mode"] == "processed_logprobs" and engine.llm.options["seed"] == 1
    streams = played(engine, temperature=0.7)
    assert gap(MODEL, streams, 0.7) < 1e-5
    with serving() as server, connected(server) as other:
        assert [s.ids for s in played(other, temperature=0.7)] == [s.ids for s in streams]
    engine.load(1)
    assert gap(new, played(engine)) < 1e-5
    engine.llm.reset = False
    with pytest.raises(InfrastructureError, match="could not drop its prefix cache"):
        engine.load(2)
    assert engine.version == 1
    engine.llm.server.server_close()


def test_the_agent_over_the_engine_in_this_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """``vllm-offline:`` is the local agent with vLLM's engine: the same tokens in the records, a context policy."""
    monkeypatch.setitem(sys.modules, "vllm", None)
    TOKENIZER.save_pretrained(tmp_path)
    MODEL.config.save_pretrained(tmp_path)
    with pytest.raises(MissingDependencyError, match=r"pip install 'turnwise\[vllm\]'"):
        make_agent(f"vllm-offline:{tmp_path}")
    monkeypatch.setitem(sys.modules, "vllm", SimpleNamespace(LLM=FakeLLM, SamplingParams=SimpleNamespace))
    options = {"max_len": MAX_LEN, "max_new_tokens": 6, "tokens": True, "vllm": {"gpu_memory_utilization": 0.5}}
    found = {}
    for context in ("append", "window:1"):
        agent = make_agent(f"vllm-offline:{tmp_path}", concurrency=4, context=context, **options)
        assert isinstance(agent, LocalAgent) and isinstance(agent.engine, VLLMEngine) and agent.concurrency == 4
        assert agent.engine.llm.options["gpu_memory_utilization"] == 0.5
        assert agent.engine.llm.options["max_model_len"] == MAX_LEN
        found[context] = sorted(rollout(agent, JOBS), key=lambda episode: (episode.seed, episode.sample))
        agent.engine.llm.server.server_close()
    assert all(episode.status == "done" and len(episode.turns) > 1 for episode in found["append"])
    for context, fresh in (("append", {(True, False, False, False)}), ("window:1", {(True, False, True, True)})):
        whole = [episode for episode in found[context] if len(episode.turns) == 4]
        assert {tuple(turn.tokens.fresh for turn in episode.turns if turn.tokens) for episode in whole} == fresh
    first = found["append"][0].turns[0]
    assert first.tokens is not None and len(first.tokens.ids) == len(first.tokens.logps) == first.completion_tokens
    with pytest.raises(SettingsError, match="context is 'summarise:9'; a local agent takes"):
        make_agent(f"vllm-offline:{tmp_path}", context="summarise:9", **options)
    with pytest.raises(SettingsError, match="has no option 'temprature'"):
        make_agent(f"vllm-offline:{tmp_path}", temprature=1)
