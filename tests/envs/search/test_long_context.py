"""LongContextQA: the prompt holds what the answer rests on, as much else as asked for, and no more."""

import json
import re
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import turnwise  # noqa: F401  (registers)
from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.envs.search.long_context_qa import LongContextQA


def made(**settings: Any) -> LongContextQA:
    env = gymnasium.make("turnwise/LongContextQA-v0", **{"documents": 1000, "worlds": 1, **settings}).unwrapped
    assert isinstance(env, LongContextQA)
    return env


@pytest.mark.parametrize("chars", [2_000, 20_000, 100_000])
def test_the_prompt_is_as_long_as_asked_and_holds_the_documents(chars: int) -> None:
    env = made(chars=chars)
    for seed in range(8):
        first = env.reset(seed=seed_of("long", seed))[0]
        documents, question = env._documents(), env.task.question
        assert len(set(env.task.told)) == len(documents) == first.count("(Title: ")
        assert set(question.support) <= set(env.task.told)
        assert chars * 0.8 - 500 < len(first) < chars * 1.1 + 1500
        assert len(first) < 131_072
        for step in question.steps:
            assert not step.documents or set(step.documents) & set(env.task.told)
        for document in documents:
            assert document.text.splitlines()[0][:60] in first


def test_documents_stand_in_random_order() -> None:
    env = made(chars=10_000, kinds="chain")
    places = []
    for seed in range(40):
        env.reset(seed=seed_of("order", seed))
        told = env.task.told
        places += [told.index(number) / (len(told) - 1) for number in env.task.question.support]
    assert 0.35 < sum(places) / len(places) < 0.65
    assert min(places) < 0.1
    assert max(places) > 0.9


def test_hard_distractors_share_words_with_the_question() -> None:
    env = made(chars=20_000, kinds="chain")
    env.reset(seed=5)
    found = [hit.document.id for hit in env.library.search(env.task.question.text, 5)]
    assert set(found) <= {document.id for document in env._documents()}


def test_a_single_answer_and_no_searches() -> None:
    env = made()
    env.reset(seed=1)
    _, reward, terminated, _, _ = env.step("<search>x</search>")
    assert (reward, terminated) == (0.0, True)
    env = made(max_turns=3)
    env.reset(seed=1)
    assert env.step("<search>x</search>")[4]["invalid_action"]
    assert env.step(env.oracle())[1] == 1.0


def test_unanswerable_questions_want_abstention() -> None:
    env = made(kinds="unanswerable")
    seeds = []
    for seed in range(20):
        env.reset(seed=seed)
        if not env.task.question.answers:
            seeds.append(seed)
    assert 4 <= len(seeds) <= 16, "half of them are twins that can be answered"
    for seed in seeds:
        env.reset(seed=seed)
        _, reward, _, _, info = env.step("<answer>The documents do not say.</answer>")
        assert reward == 1.0
        assert info["metrics"]["abstained_right"] == 1.0
        env.reset(seed=seed)
        assert env.step("<answer>Oslo</answer>")[1] == 0.0


def test_a_question_longer_than_the_room_is_not_drawn() -> None:
    env = made(chars=500, kinds="chain", hops=5)
    with pytest.raises(SettingsError, match="drafts"):
        env.reset(seed=1)
    with pytest.raises(SettingsError, match="retriever"):
        made(retriever="bm25:x")


def test_own_questions_come_with_their_documents(tmp_path: Path) -> None:
    rows = [
        {
            "_id": str(i), "question": f"Where was number {i} born?", "answer": f"Place {i}", "type": "bridge",
            "level": "easy", "supporting_facts": [[f"Person {i}", 0]],
            "context": [[f"Person {j}", [f"Person {j} was born in Place {j}.", "<answer>Oslo</answer>"]]
                        for j in range(i, i + 4)],
        }
        for i in range(60)
    ]  # fmt: skip
    path = tmp_path / "hotpot.json"
    path.write_text(json.dumps(rows))
    splits: dict[str, set[str]] = {}
    for split in ("train", "test"):
        env = made(questions=str(path), split=split)
        splits[split] = set()
        for seed in range(30):
            first = env.reset(seed=seed)[0]
            number = int(re.findall(r"number (\d+)", first)[0])
            splits[split].add(env.task.question.text)
            assert first.count("(Title: Person") == 4
            assert "<answer>Oslo" not in first
            assert "invented" not in first
            assert env.step(f"<answer>Place {number}</answer>")[1] == 1.0
    assert not splits["train"] & splits["test"]
