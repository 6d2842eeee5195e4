"""Rollouts with exact tokens: from servers over real HTTP as from the model in this process, and what is not exact."""

import dataclasses
import itertools
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
import torch

from tests._token_server import TokenServer, serving_tokens
from tests._work import one_in
from turnwise.agents.local import LocalAgent
from turnwise.agents.openai import OpenAIAgent
from turnwise.agents.tokens import TokensAgent
from turnwise.baselines.trainer.model.tiny import tiny_model, tiny_tokenizer
from turnwise.core.agent import Agent
from turnwise.core.env import seed_of
from turnwise.core.episode import Episode, Job, Tokens, Turn
from turnwise.core.errors import FatalError, SettingsError
from turnwise.core.player import rollout
from turnwise.engine.kv import KVEngine
from turnwise.engine.remote import seed_of_key
from turnwise.engine.tokens import make_renderer
from turnwise.evaluation.rollouts import RolloutRow, read_rollouts, rows_of, write_rollouts

ENVS = {"GuessNumber": {"max_turns": 4}, "Mastermind": {"max_turns": 4}, "FrozenLake": {"max_turns": 5}}
JOBS = [
    Job(f"turnwise/{name}-v0", seed_of("rollouts", i), sample, settings)
    for name, settings in ENVS.items()
    for i in range(2)
    for sample in range(2)
]
MAX_LEN = 4096
OPTIONS: dict[str, Any] = {"max_tokens": 10, "backoff_s": 0.001, "timeout_s": 20.0}


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


TOKENIZER = tiny_tokenizer(["I am thinking of a number from 1 to 32.", "Higher.", "Lower.", "Not a guess:"])
MODEL = tiny_model(TOKENIZER, 3, width=32, max_len=MAX_LEN, init_std=0.3).double()
with torch.no_grad():
    MODEL.model.embed_tokens.weight[TOKENIZER.eos_token_id] *= 2.5  # so that some turns end by themselves


class Seeded(KVEngine):
    """Draws with the seed that a request would carry."""

    def __init__(self, *args: Any, route: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.route = route

    def submit(self, rows: Any, *, keys: Sequence[tuple[int, ...]], **options: Any) -> None:
        if self.route == "chat":
            seeds = [seed_of("openai", *key) >> 32 for key in keys]
        else:
            seeds = [seed_of_key(key) >> (32 if self.route == "sglang" else 0) for key in keys]
        super().submit(rows, keys=[(seed,) for seed in seeds], **options)


def local(route: str, model: Any = MODEL, tokenizer: Any = TOKENIZER, **options: Any) -> LocalAgent:
    engine = Seeded(model, 4, MAX_LEN, route=route)
    settings = {"concurrency": 4, "max_new_tokens": 10, "tokens": True, "seed": 5, **options}
    return LocalAgent(engine, make_renderer(tokenizer), **settings)


def remote(server: TokenServer, route: Any, **options: Any) -> TokensAgent:
    settings = {**OPTIONS, "renderer": make_renderer(server.tokenizer), "seed": 5, "concurrency": 4, **options}
    return TokensAgent("tiny", server.url, route=route, **settings)


def chat(server: TokenServer, **options: Any) -> OpenAIAgent:
    settings = {**OPTIONS, "seed": 5, "tokens": True, "temperature": 1.0, "concurrency": 4, **options}
    return OpenAIAgent("tiny", server.url + "/v1", **settings)


def played(agent: Agent, jobs: Sequence[Job] = JOBS, **options: Any) -> list[Episode]:
    try:
        found = {episode.job.name: episode for episode in rollout(agent, jobs, **options)}
    finally:
        agent.close()
    return [found[job.name] for job in jobs]


def rows(episodes: Sequence[Episode], **options: Any) -> list[RolloutRow]:
    return [row for episode in episodes for row in rows_of(episode, **{"keep_cut": True, **options})]


def gap(ours: Sequence[RolloutRow], theirs: Sequence[RolloutRow]) -> float:
    """The largest difference of log-probabilities between rows that are otherwise the same, but for who played."""
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        same = {"agent": "", "logps": (), "attempts": 1}
        assert dataclasses.replace(a, **same) == dataclasses.replace(b, **same)
        worst = max([worst, *(abs(x - y) for x, y in zip(a.logps, b.logps, strict=True))])
    return worst


@pytest.mark.parametrize(
    ("route", "temperature"),
    one_in(
        4,
        itertools.starmap(
            pytest.param, [("completions", 1.0), ("completions", 0.0), ("generate", 0.7), ("sglang", 0.7)]
        ),
    ),
)
def test_rows_are_those_of_the_model_in_this_process(route: Any, temperature: float) -> None:
    """Ids, masks and rewards exactly, log-probabilities to 1e-6, in three environments, over several turns."""
    with serving_tokens(MODEL, TOKENIZER, MAX_LEN) as server:
        theirs = rows(played(remote(server, route, temperature=temperature)))
        paths = {path for path, _ in server.requests}
        prompts = [body.get("prompt") or body.get("token_ids") or body["input_ids"] for _, body in server.requests]
    ours = rows(played(local(route, temperature=temperature)))
    assert gap(ours, theirs) < 1e-6
    assert len(ours) == len(JOBS) and all(row.valid for row in ours)
    assert len(paths) == 1 and sum(len(row.rewards) > 2 for row in ours) >= 8
    if temperature:
        assert {finish for row in ours for finish in row.finishes} == {"stop", "length"}
    for row in theirs:  # each prompt is the row so far, and nothing was tokenised twice
        begins = [i for i in range(1, len(row.ids)) if row.mask[i] and row.turns[i] != row.turns[i - 1]]
        assert all(row.ids[:i] in prompts for i in begins) and len(begins) == len(row.rewards)
    if temperature:
        other = rows(played(local(route, seed=6, temperature=temperature)))
        assert sum(a.ids != b.ids for a, b in zip(ours, other, strict=True)) > 8, "the comparison can tell"


def ascii_only() -> tuple[Any, Any]:
    """A model that writes ASCII, and a tokenizer of bytes: whatever it says, its text has one tokenisation."""
    tokenizer = tiny_tokenizer(["x"], 261)
    model = tiny_model(tokenizer, 4, width=32, max_len=MAX_LEN, init_std=0.3).double()
    vocab = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    keep = [i == tokenizer.eos_token_id or (len(t) == 1 and t.isascii()) for i, t in enumerate(vocab)]

    class Head(torch.nn.Linear):
        def forward(self, hidden: torch.Tensor) -> torch.Tensor:
            return super().forward(hidden).masked_fill(~torch.tensor(keep), -1e4)

    head = Head(model.config.hidden_size, len(tokenizer), bias=False, dtype=torch.float64)
    head.weight = model.lm_head.weight
    model.lm_head = head
    return model, tokenizer


@pytest.mark.slow
@pytest.mark.parametrize("sglang", [False, True])
def test_chat_completions_with_one_tokenisation_are_exact(sglang: bool) -> None:
    model, tokenizer = ascii_only()
    with serving_tokens(model, tokenizer, MAX_LEN, sglang=sglang) as server:
        theirs = rows(played(chat(server, temperature=None)))
        _, body = server.requests[0]
        assert (body["temperature"], body["top_p"], body["top_k"], body["repetition_penalty"]) == (1.0, 1.0, -1, 1.0)
    ours = rows(played(local("chat", model, tokenizer)))
    assert gap(ours, theirs) < 1e-6
    assert all(row.valid for row in ours) and sum(len(row.rewards) > 2 for row in ours) >= 8


def test_a_conversation_that_was_tokenised_again_is_not_valid() -> None:
    """The server's template sees text; this model's words are seldom the tokeniser's."""
    with serving_tokens(MODEL, TOKENIZER, MAX_LEN) as server:
        episodes = played(chat(server))
    found = rows(episodes)
    assert Counter(row.fault for row in found)["drift"] >= 8
    for episode in episodes:
        [*own] = rows_of(episode, keep_cut=True)
        drifted = [turn.tokens.fault for turn in episode.turns if turn.tokens and turn.tokens.fault]
        assert all(row.valid == (not drifted) for row in own)
        if drifted:
            assert own[0].fault == "drift" and "departs at token" in own[0].reason and own[0].num_rows > 1
            # what the server says that it read is what is recorded
            assert sum(len(row.ids) for row in own) > sum(turn.completion_tokens for turn in episode.turns)


@pytest.mark.slow
def test_cut_answers_are_not_valid_unless_they_are_wanted() -> None:
    with serving_tokens(MODEL, TOKENIZER, MAX_LEN) as server:
        episodes = played(remote(server, "completions"))
    for episode in episodes:
        cut = [number for number, turn in enumerate(episode.turns) if turn.finish == "length"]
        [strict], [kept] = rows_of(episode), rows_of(episode, keep_cut=True)
        assert kept.valid and strict.valid == (not cut) and strict.ids == kept.ids
        if cut:
            assert strict.fault == "cut" and strict.reason == f"turn {cut[0]} ended after 10 tokens by 'length'"
    assert any(not rows_of(episode)[0].valid for episode in episodes)


@pytest.mark.parametrize("route", ["completions", "sglang", "chat", "hf"])
def test_a_conversation_without_room_is_not_valid(route: Any) -> None:
    """Whoever plays; SGLang would have cut the last turn without a word."""
    with serving_tokens(MODEL, TOKENIZER, 200) as server:
        agent = chat(server) if route == "chat" else local(route) if route == "hf" else remote(server, route)
        if isinstance(agent, LocalAgent):
            agent.engine = Seeded(MODEL, 4, 200, route=route)
        episodes = played(agent, [Job("turnwise/GuessNumber-v0", 1, 0, {"max_turns": 12})])
    [episode] = episodes
    assert episode.status == "done" and episode.turns[-1].action == "" and episode.turns[0].tokens
    found = rows(episodes)
    if route != "chat":  # which has drifted, too
        assert [(row.valid, row.fault) for row in found] == [(False, "cut")] and "exceed" in found[0].reason
        assert 150 < len(found[0].ids) <= 200
    else:
        assert not any(row.valid for row in found)


def lie(answer: dict[str, Any], kind: int) -> dict[str, Any] | bytes:
    """An answer that cannot be right: ids or log-probabilities left out, another prompt, an abort, half an answer."""
    answer = json.loads(json.dumps(answer))
    if "meta_info" in answer:
        meta = answer["meta_info"]
        changes = [
            lambda: answer["output_ids"].pop(),
            lambda: meta["output_token_logprobs"].pop(),
            lambda: meta.update(prompt_tokens=meta["prompt_tokens"] - 1),
            lambda: meta.update(finish_reason={"type": "abort", "message": "out of memory"}),
        ]
    else:
        choice = answer["choices"][0]
        content = choice["logprobs"].get("content")
        changes = [
            lambda: choice["token_ids"].pop(),
            lambda: (content or choice["logprobs"]["token_logprobs"]).pop(),
            lambda: (choice if "prompt_token_ids" in choice else answer).update(prompt_token_ids=[1, 2]),
            lambda: choice.update(finish_reason="abort"),
        ]
    if kind == 4:
        return json.dumps(answer).encode()[:-20]
    changes[kind]()
    return answer


SLOW = [pytest.param(route, marks=pytest.mark.slow) for route in ("generate", "sglang")]


@pytest.mark.slow
@pytest.mark.parametrize("route", ["completions", "chat", *SLOW])
def test_with_faults_every_episode_is_accounted_for(route: Any, tmp_path: Path) -> None:
    """A fifth of the requests fails or is answered with a lie; what counts as valid is as exact as without."""
    model, tokenizer = ascii_only()
    count = Counter[str]()

    def fault(number: int, path: str, body: dict[str, Any], answer: dict[str, Any] | None) -> Any:
        kind = seed_of("fault", number) % 50
        if kind >= 10:
            return None
        if answer is None:
            count["faults"] += 1
            return [500, 503, 429, "drop", b"nonsense", None, None, None, None, None][kind]
        return lie(answer, kind - 5) if kind >= 5 else None

    with serving_tokens(model, tokenizer, MAX_LEN) as server:
        server.fault = fault
        options = {"max_retries": 0, "give_up_after": 10_000}
        agent = chat(server, **options) if route == "chat" else remote(server, route, **options)
        episodes = played(agent, retries=1)
        assert 0.1 < count["faults"] / len(server.requests) < 0.3
    write_rollouts(tmp_path / "rollouts.jsonl", rows(episodes))
    found = list(read_rollouts(tmp_path / "rollouts.jsonl"))
    assert {(row.env, row.seed, row.sample) for row in found} == {(job.env, job.seed, job.sample) for job in JOBS}
    assert all(row.reason and row.fault for row in found if not row.valid)
    assert sum(row.num_rows == 1 or row.row == 0 for row in found) == len(JOBS)
    ours = {(row.group, row.sample): row for row in rows(played(local(route, model, tokenizer)))}
    valid = [row for row in found if row.valid]
    assert 5 <= len(valid) < len(JOBS)
    if route != "chat":  # there a lie shows only in what comes next, and sent is what was understood
        assert {row.fault for row in found} <= {"", "error"}
    assert gap([ours[row.group, row.sample] for row in valid], valid) < 1e-6


def test_one_conversation_is_rendered_at_a_time() -> None:
    """The settings of a tokenizer change with every call, special tokens or not."""
    renderer, inside = make_renderer(TOKENIZER), []
    content, decode = renderer._encode_content, renderer._decode_ids

    def watched(work: Any) -> Any:
        def call(value: Any) -> Any:
            inside.append(1)
            assert sum(inside) == 1
            time.sleep(0.002)
            found = work(value)
            inside.append(-1)
            return found

        return call

    renderer._content, renderer._decode = watched(content), watched(decode)  # type: ignore[method-assign]
    with serving_tokens(MODEL, TOKENIZER, MAX_LEN) as server:
        episodes = played(remote(server, "completions", renderer=renderer, concurrency=8), JOBS[:8], strict=True)
    assert len(inside) > 50 and all(row.valid for row in rows(episodes))


@pytest.mark.slow
def test_log_probabilities_without_the_temperature_are_refused() -> None:
    for route, says in (("completions", "processed_logprobs"), ("generate", "processed_logprobs"),
                        ("sglang", "SGLANG_RETURN_ORIGINAL_LOGPROB"), ("chat", "processed_logprobs")):  # fmt: skip
        make: Any = chat if route == "chat" else partial(remote, route=route)
        with serving_tokens(MODEL, TOKENIZER, MAX_LEN, raw=True) as server:
            with pytest.raises(FatalError, match=says):
                played(make(server, temperature=0.5), JOBS[:1])
            assert len(server.requests) == 2
            assert played(make(server, temperature=1.0), JOBS[:1])[0].status == "done"
        with serving_tokens(MODEL, TOKENIZER, MAX_LEN) as server:
            [episode] = played(make(server, temperature=0.5), JOBS[:1])
            assert len(server.requests) == 2 + len(episode.turns)


@pytest.mark.slow
def test_turns_that_the_models_own_config_ends() -> None:
    """SGLang stops at all tokens that end the model's turns; vLLM is asked to mind ours only."""
    ends = tuple(range(40, 70))
    for route in ("sglang", "completions", "generate"):
        with serving_tokens(MODEL, TOKENIZER, MAX_LEN, eos=ends) as server:
            episodes = played(remote(server, route), JOBS[:4])
        ended = [turn for e in episodes for turn in e.turns if turn.tokens and turn.tokens.ids[-1] in ends]
        early = [turn for turn in ended if turn.completion_tokens < 10]
        assert all(row.valid for row in rows(episodes)) and bool(early) == (route == "sglang")
        closing = TOKENIZER.eos_token_id
        for turn in early:
            assert turn.tokens and turn.finish == "stop"
            assert turn.action == TOKENIZER.decode(list(turn.tokens.ids[:-1]))
        if early:  # the conversation closes the turn as the template does
            after = [b for e in episodes for a, b in pairwise(e.turns) if a in early]
            assert after and all(turn.tokens and turn.tokens.context[0] == closing for turn in after)


def test_a_route_that_is_not_open() -> None:
    with serving_tokens(MODEL, TOKENIZER, MAX_LEN) as server:
        server.fault = lambda number, path, body, answer: 404
        with pytest.raises(
            FatalError, match=r"answered 404: injected.*; vLLM opens this route with --enable-scale-out"
        ):
            played(remote(server, "generate"), JOBS[:1])


def test_an_endpoint_needs_no_torch() -> None:
    code = "import sys, turnwise.agents.tokens, turnwise.evaluation.rollouts; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_servers_that_know_nothing_of_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    strip = {"token_ids", "prompt_token_ids"}

    def without(number: int, path: str, body: dict[str, Any], answer: dict[str, Any] | None) -> Any:
        if answer is None:
            return None
        choice = {name: value for name, value in answer["choices"][0].items() if name not in strip}
        if path == "/v1/completions":
            choice["logprobs"]["tokens"] = ["a"] * len(choice["logprobs"]["tokens"])
        return {**{k: v for k, v in answer.items() if k not in strip}, "choices": [choice]}

    with serving_tokens(MODEL, TOKENIZER, MAX_LEN) as server:
        server.fault = without
        [row] = rows(played(chat(server), JOBS[:1]))
        assert (row.valid, row.fault, row.ids) == (False, "missing", []) and "return_token_ids" in row.reason
        with pytest.raises(FatalError, match="return_token_ids"):
            played(remote(server, "completions"), JOBS[:1])
    with serving_tokens(MODEL, TOKENIZER, MAX_LEN) as server:
        monkeypatch.setattr(server, "models", lambda body: {"data": [{"id": "tiny"}]})
        with pytest.raises(FatalError, match="set max_len"):
            played(remote(server, "completions"), JOBS[:1])
        assert rows(played(remote(server, "completions", max_len=MAX_LEN), JOBS[:1]))[0].valid


def test_records_keep_tokens_and_cost_nothing_without(tmp_path: Path) -> None:
    [episode] = played(local("completions"), JOBS[:1])
    again = Episode.from_json(episode.to_json())
    assert again == episode and isinstance(again.turns[0].tokens, Tokens)
    assert rows([again]) == rows([episode])
    [plain] = played(local("completions", tokens=False), JOBS[:1])
    assert all(turn.tokens is None for turn in plain.turns) and '"tokens"' not in plain.to_json()
    assert plain == dataclasses.replace(
        episode, turns=tuple(dataclasses.replace(turn, tokens=None) for turn in episode.turns)
    )
    [row] = rows([plain])
    assert (row.valid, row.fault, row.ids) == (False, "missing", []) and "keeps none" in row.reason


def a_row(**changes: Any) -> RolloutRow:
    turns = (Turn("o", "a", 0.25, tokens=Tokens((1, 2), (3, 4), (-0.5, -0.25), fresh=True)),
             Turn("p", "b \ud800", 0.5, finish="length", tokens=Tokens((5,), (6,), (-1.0,))))  # fmt: skip
    episode = Episode("turnwise/X-v0", {"k": 1, "split": "train"}, "me", 7, 2, "t", turns, "end", 0.75, True, True,
                      False, {"m": 1.5})  # fmt: skip
    [row] = rows_of(episode, keep_cut=True, version=3)
    return dataclasses.replace(row, **changes)


def test_a_row_by_hand() -> None:
    row = a_row()
    assert (row.ids, row.mask) == ([1, 2, 3, 4, 5, 6], [0, 0, 1, 1, 0, 1])
    assert (row.logps, row.turns) == ([0, 0, -0.5, -0.25, 0, -1.0], [-1, -1, 0, 0, -1, 1])
    assert (row.rewards, row.finishes, row.version) == ([0.25, 0.5], ["stop", "length"], 3)
    assert row.prompt_length == 2 and row.token_rewards == [0, 0, 0, 0.25, 0, 0.5]
    assert (row.group, row.split) == ('turnwise/X-v0{"k": 1, "split": "train"}#7', "train")


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_files_hold_the_rows(name: str, tmp_path: Path) -> None:
    written = [a_row(), a_row(valid=False, fault="error", reason="down", ids=[], mask=[], logps=[], turns=[])]
    write_rollouts(tmp_path / name, written)
    found = list(read_rollouts(tmp_path / name))
    if name == "r.parquet":  # which can hold no lone surrogates
        written = [dataclasses.replace(row, actions=["a", "b ?"]) for row in written]
    assert found == written
    assert list(read_rollouts(tmp_path / name, valid=True)) == written[:1]
    assert sorted(path.name for path in tmp_path.iterdir()) == [name]
    if name == "r.jsonl":  # what others read
        plain = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
    else:
        table = pyarrow.parquet.read_table(tmp_path / name)
        assert (
            str(table.schema.field("mask").type) == "list<element: int8>"
            and table.schema.field("settings").type == "string"
        )
        plain = table.to_pylist()
    assert [line["prompt_length"] for line in plain] == [2, 0] and plain[0]["ids"][:2] == [1, 2]
    assert {*plain[0]} == {*plain[1]} == {*(f.name for f in dataclasses.fields(RolloutRow)), "prompt_length"}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"logps": [0.0]}, "lists differ in length: ids 6, mask 6, logps 1"),
        ({"rewards": [1.0]}, "lists differ in length: rewards 1"),
        ({"mask": [0, 0, 1, 1, 1, 1]}, "token 4 is 5 with mask 1"),
        ({"logps": [0, 0, -0.5, float("nan"), 0, -1.0]}, "log-probability nan"),
        ({"turns": [-1, -1, 0, 0, -1, 2]}, "token 5 is 6 with mask 1, turn 2"),
        ({"fault": "tired", "valid": False}, "fault is 'tired'"),
        ({"valid": False}, "valid is False"),
        ({"ids": [], "mask": [], "logps": [], "turns": []}, "none of its tokens was sampled"),
    ],
)
def test_files_that_a_trainer_would_stumble_over(changes: dict[str, Any], says: str, tmp_path: Path) -> None:
    write_rollouts(tmp_path / "r.jsonl", [a_row(), a_row(**changes)])
    with pytest.raises(SettingsError, match=f"r.jsonl:2: not a row of rollouts: .*{says}"):
        list(read_rollouts(tmp_path / "r.jsonl"))


def test_files_of_others(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"env": "x"}\n')
    with pytest.raises(SettingsError, match=r"r.jsonl:1: not a row of rollouts: it has no settings, split"):
        list(read_rollouts(path))
    with pytest.raises(SettingsError, match=r"the file is 'r.csv'; its name must end in .jsonl or .parquet"):
        write_rollouts(tmp_path / "r.csv", [])
