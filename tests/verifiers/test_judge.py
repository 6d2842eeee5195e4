"""Judges: fences that hold, verdicts read strictly, rubrics, both orders, samples."""

import doctest
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise.verifiers.judge.prompt
from tests._work import at_most
from tests.verifiers.scripted_judges import (
    INJECTIONS,
    MARK,
    ROOT,
    Scripted,
    judge_of,
    material_of,
    no,
    saying,
    tags_of,
    yes,
)
from turnwise.core.agent import Action
from turnwise.core.errors import SettingsError
from turnwise.verifiers.combine import all_of, gated
from turnwise.verifiers.fallback import WithFallback
from turnwise.verifiers.judge import (
    Cache,
    Costs,
    Criterion,
    Item,
    PairwiseJudge,
    Preference,
    PrincipleJudge,
    RubricJudge,
)
from turnwise.verifiers.judge.prompt import MAX_REPLY_CHARS, Request, mark_of, read_reply, render
from turnwise.verifiers.text import verify_exact
from turnwise.verifiers.verdict import right, wrong

# ---- prompts and replies ------------------------------------------------------------------------------------------

TEXTS = st.text(max_size=60) | st.sampled_from(INJECTIONS)


@given(TEXTS, TEXTS, st.integers())
def test_the_fence_holds_whatever_the_text(question, text, seed):
    request = Request("Judge.", (("question", question), ("response", text)), "Good?", ("yes", "no"))
    mark = mark_of(request, seed)
    assert re.fullmatch("[0-9a-f]{8}", mark)
    assert mark not in (question + text).lower()
    assert mark == mark_of(request, seed)
    prompt = render(request, mark)
    assert prompt.count(f"<response-{mark}>\n{text}\n</response-{mark}>") == 1
    assert prompt.count(f"</response-{mark}>") == prompt.count(f"</question-{mark}>") == 1
    assert read_reply(text, mark, request.choices) is None
    assert read_reply(prompt, mark, request.choices) is None, "what repeats the question has not answered it"
    assert read_reply(f"It says {text}\n<verdict-{mark}>no</verdict-{mark}>", mark, request.choices) == "no"


def test_a_mark_that_occurs_in_the_text_is_not_taken(monkeypatch):
    monkeypatch.setattr(Request, "key", lambda self, *context: f"{'abcd'[context[-1]] * 8}rest")
    request = Request("", (("a", "so AAAAAAAA"), ("b", "bbbbbbbbbb")), "", ("yes", "no"))
    assert mark_of(request) == "cccccccc"


def test_marks_depend_on_everything():
    request = Request("t", (("a", "1"),), "q", ("yes", "no"))
    others = [request._replace(task="u"), request._replace(material=(("a", "2"),)), request._replace(ask="r"),
              request._replace(material=(("b", "1"),)), request._replace(choices=("no", "yes"))]  # fmt: skip
    assert len({mark_of(r, 0) for r in [request, *others]} | {mark_of(request, 1)}) == 7


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        (f"<verdict-{MARK}>yes</verdict-{MARK}>", "yes"),
        (f"Because.\n\n**<verdict-{MARK}> YES </verdict-{MARK}>**\n", "yes"),
        (f"<think>no: <verdict-{MARK}>no</verdict-{MARK}></think><verdict-{MARK}>yes</verdict-{MARK}>", "yes"),
        (f'They wrote "<think>" and "<verdict>yes</verdict>". <verdict-{MARK}>no</verdict-{MARK}>', "no"),
        ("", None), ("yes", None), ("<verdict>yes</verdict>", None), (f"<verdict-{MARK}>yes", None),
        (f"<verdict-{MARK}>maybe</verdict-{MARK}>", None), (f"<verdict-{MARK}></verdict-{MARK}>", None),
        (f"<verdict-{MARK}>yes no</verdict-{MARK}>", None), (f"<verdict-{MARK}>yes</verdict-{MARK}> or no", None),
        (f"<verdict-{MARK}>no</verdict-{MARK}> <verdict-{MARK}>yes</verdict-{MARK}>", None),
        (f"<verdict-{MARK}>yes</verdict-{MARK}> <verdict-{MARK}>yes</verdict-{MARK}>", None),
        (f"</verdict-{MARK}><verdict-{MARK}>yes", None), (f"<think>hm <verdict-{MARK}>yes</verdict-{MARK}>", None),
        (f"<verdict-{MARK[:-1]}>yes</verdict-{MARK[:-1]}>", None),
        (f"<verdict-{MARK}>{'yes ' * 10}</verdict-{MARK}>", None),
        ("x" * MAX_REPLY_CHARS + f"<verdict-{MARK}>yes</verdict-{MARK}>", None),
    ],
)  # fmt: skip
def test_replies_are_read_strictly(reply, verdict):
    assert read_reply(reply, MARK, ("yes", "no")) == verdict


def test_the_longest_replies_take_no_time():
    with at_most(millions=20):
        for piece in (f"<verdict-{MARK}>", f"</verdict-{MARK}>", "</think>", "<", "*", "\u0130"):
            assert read_reply(piece * (MAX_REPLY_CHARS // len(piece)), MARK, ("yes", "no")) is None


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(turnwise.verifiers.judge.prompt).failed == 0


# ---- rubrics and principles ---------------------------------------------------------------------------------------

RUBRIC = [
    Criterion("names", "The response names the capital.", weight=2),
    Criterion("style", "The response is polite.", grades=5),
    Criterion("short", "The response is short."),
]


def by_criterion(answers: dict[str, str]) -> Callable[[str], str]:
    return saying(lambda prompt: next(a for words, a in answers.items() if words in prompt.partition("criterion:")[2]))


@pytest.mark.parametrize(
    ("grade", "short", "score"), [("5", "yes", 1.0), ("3", "yes", 0.875), ("1", "no", 0.5), ("4", "no", 0.6875)]
)
def test_a_rubric_is_a_weighted_mean(grade, short, score):
    agent = Scripted(by_criterion({"capital": "yes", "polite": grade, "is short": short}))
    verdict = RubricJudge(agent, RUBRIC).score("Paris, if you please.", "Capital of France?", "Paris")
    assert verdict.score == score == verdict.parts["mean"]
    assert verdict.correct == (score == 1)
    assert verdict.parts["style"] == (int(grade) - 1) / 4
    assert verdict.value == {"names": "yes", "style": grade, "short": short}
    assert len(agent.prompts) == 3
    for prompt in agent.prompts:
        shown = {"question": "Capital of France?", "reference": "Paris", "response": "Paris, if you please."}
        assert material_of(prompt) == shown
    passed = RubricJudge(agent, RUBRIC, threshold=score).score("Paris, if you please.", "Capital of France?", "Paris")
    assert passed.correct and passed.score == 1.0 and passed.parts["mean"] == score


def test_an_unclear_criterion_leaves_it_undecided_unless_it_cannot_matter():
    replies = by_criterion({"capital": "yes", "polite": "5", "is short": "yes"})
    agent = Scripted(lambda prompt: "hm" if "is short" in prompt else replies(prompt))
    verdict = RubricJudge(agent, RUBRIC, retries=1).score("Paris")
    assert verdict.undecided and not verdict.correct and verdict.score == 0
    assert verdict.parts == {"names": 1, "style": 1, "short": 0, "short/undecided": 1, "mean": 0.75}
    assert RubricJudge(agent, RUBRIC, threshold=0.75).score("Paris").correct
    replies = by_criterion({"capital": "no", "polite": "5"})
    verdict = RubricJudge(agent, RUBRIC, seed=1).score("Paris")
    assert not verdict.undecided and verdict.score == 0.25


def test_items_may_bring_their_own_rubrics():
    agent = Scripted(saying(lambda prompt: "yes" if "apple" in prompt.partition("criterion:")[2] else "no"))
    mine, yours = (Criterion("a", "It is about an apple."),), (Criterion("b", "It is about a pear."),)
    judge = RubricJudge(agent, mine)
    verdicts = judge.score_many([Item("x"), Item("y", rubric=yours), Item("z", rubric=mine + yours)])
    assert [v.parts for v in verdicts] == [
        {"a": 1, "mean": 1}, {"b": 0, "mean": 0}, {"a": 1, "b": 0, "mean": 0.5},
    ]  # fmt: skip
    with pytest.raises(SettingsError, match="0 criteria"):
        RubricJudge(agent).score("x")


def test_principles_must_all_be_kept():
    words = {"insult": "yes", "lie": "yes", "threaten": "no"}
    answer = saying(lambda prompt: next(a for word, a in words.items() if word in prompt.partition("principle:")[2]))
    principles = {"polite": "It does not insult.", "honest": "It does not lie.", "mild": "It does not threaten."}
    judge = PrincipleJudge(Scripted(answer), principles)
    verdict = judge.score("Give me that!")
    assert verdict == wrong("mild: not met", {"polite": "yes", "honest": "yes", "mild": "no"}, 0.0,
                            {"polite": 1, "honest": 1, "mild": 0})  # fmt: skip
    words["threaten"] = "yes"
    unnamed = PrincipleJudge(Scripted(answer), list(principles.values()))
    assert unnamed.score("Thanks.").parts == {"0": 1, "1": 1, "2": 1}
    assert judge.score("Give me that!") == verdict, "cached"


def test_a_judge_is_a_verifier_for_combinations():
    judge = judge_of(saying(lambda prompt: "yes" if "Paris" in material_of(prompt)["response"] else "no"))
    short = gated(lambda text: right("") if len(text) < 9 else wrong("long"), partial(judge.score, question="Where?"))
    assert all_of({"judge": short})("Paris").parts == {
        "judge": 1, "judge/gate": 1, "judge/rest": 1, "judge/rest/good": 1, "judge/rest/mean": 1,
    }  # fmt: skip
    assert not short("Paris Paris").correct and judge.costs.calls == 1


def test_what_is_not_shown():
    judge = judge_of(yes, max_chars=10)
    for text, reason in (("", "empty"), (" \n", "empty"), ("x" * 11, "longer than 10")):
        verdict = judge.score(text)
        assert not verdict.correct and not verdict.undecided and reason in verdict.reason
    assert judge.costs == Costs()
    assert judge.score("x" * 10).correct
    for name in ("question", "reference"):
        with pytest.raises(ValueError, match=f"the {name} 'xx"):
            judge.score("text", **{name: "x" * 200_001})


# ---- pairs --------------------------------------------------------------------------------------------------------


def longer(prompt: str) -> str:
    texts = material_of(prompt)
    return "tie" if len(texts["A"]) == len(texts["B"]) else "A" if len(texts["A"]) > len(texts["B"]) else "B"


def test_an_honest_judge_prefers_the_same_text_in_both_orders():
    agent = Scripted(saying(longer))
    judge = PairwiseJudge(agent)
    assert judge.compare("long text", "short", "Which?") == Preference("A", ("A", "A"))
    assert judge.compare("short", "long text", "Which?") == Preference("B", ("B", "B"))
    assert judge.compare("same", "size") == Preference("tie", ("tie", "tie"))
    shown = [material_of(prompt) for prompt in agent.prompts[:2]]
    assert sorted(texts["A"] for texts in shown) == ["long text", "short"]
    assert all(texts["question"] == "Which?" for texts in shown)
    assert judge.costs.calls == 4, "the second comparison asks the same two questions as the first"
    verdicts = judge.score_many([Item(t, "", "middle") for t in ("longest", "equals", "min")])
    assert [(v.correct, v.score, v.value, v.parts) for v in verdicts] == [
        (True, 1.0, "A", {"consistent": 1}),
        (False, 0.5, "tie", {"consistent": 1}),
        (False, 0.0, "B", {"consistent": 1}),
    ]


@pytest.mark.parametrize("position", ["A", "B"])
def test_a_judge_that_favours_a_position_is_found_out(position):
    judge = PairwiseJudge(Scripted(saying(lambda prompt: position)))
    preference = judge.compare("one", "two")
    assert preference.winner == "tie" and not preference.consistent and set(preference.votes) == {"A", "B"}
    verdict = judge.score("one", reference="two")
    assert (verdict.score, verdict.correct, verdict.parts) == (0.5, False, {"consistent": 0})
    strict = PairwiseJudge(Scripted(saying(lambda prompt: position)), disagreement="undecided")
    assert strict.compare("one", "two").winner is None
    verdict = strict.score("one", reference="two")
    assert verdict.undecided and verdict.score == 0 and verdict.parts == {"consistent": 0}


def test_an_order_without_a_verdict_is_no_preference():
    reply = saying(lambda prompt: "A")
    judge = PairwiseJudge(Scripted(lambda prompt: reply(prompt) if material_of(prompt)["A"] == "one" else "hm"))
    assert judge.compare("one", "two") == Preference(None, ("A", None))
    assert judge.score("one", reference="two").undecided


def test_texts_that_are_not_shown_lose():
    judge = PairwiseJudge(Scripted(saying(lambda prompt: "A")), max_chars=5)
    pairs = [("x" * 6, "y", ""), ("x", "", ""), (" ", "y" * 6, "")]
    assert [p.winner for p in judge.compare_many(pairs)] == ["B", "A", "tie"]
    assert judge.costs.calls == 0
    with pytest.raises(ValueError, match="the reference is ''"):
        judge.score("x")


# ---- samples and retries ------------------------------------------------------------------------------------------


def test_the_majority_of_samples_counts():
    votes = iter(["yes", "no", "yes", "no", "no", "yes", "yes", "hm", "hm"])

    def reply(prompt: str) -> str:
        vote = next(votes)
        return tags_of(prompt).get(vote, vote)

    agent = Scripted(reply, batched=True)
    judge = RubricJudge(agent, [Criterion("good", "Good.")], samples=3, retries=0)
    verdicts = judge.score_many([Item(text) for text in "abc"])
    assert [(v.correct, v.undecided) for v in verdicts] == [(True, False), (False, False), (False, True)]
    assert len(set(agent.keys)) == 9, "every sample has its own randomness"
    assert len({re.findall("marked ([0-9a-f]{8})", p)[0] for p in agent.prompts}) == 9


@pytest.mark.parametrize(
    ("votes", "grade"), [("345", "4"), ("155", "5"), ("1??", None), ("15?", "1"), ("54?", "4"), ("222", "2")]
)
def test_the_median_of_grades_counts(votes, grade):
    replies = iter(votes)
    agent = Scripted(lambda prompt: tags_of(prompt).get(next(replies), "?"), batched=True)
    judge = RubricJudge(agent, [Criterion("good", "Good.", grades=5)], samples=3, retries=0)
    assert judge.score("text").value == {"good": grade}


@pytest.mark.parametrize("batched", [False, True])
def test_unreadable_replies_are_asked_again_and_then_undecided(batched):
    lock, count = threading.Lock(), {"n": 0}

    def reply(prompt: str) -> str:
        with lock:
            count["n"] += 1
            return yes(prompt) if count["n"] > 2 else "Reward: 1"

    judge = RubricJudge(Scripted(reply, batched), [Criterion("good", "Good.")], retries=2)
    assert judge.score("text").correct
    assert (judge.costs.calls, judge.costs.unreadable) == (3, 2)
    never = RubricJudge(Scripted(lambda prompt: "Reward: 1", batched), [Criterion("good", "Good.")], retries=2)
    for calls in (3, 6):  # what was no verdict is not kept
        verdict = never.score("text")
        assert verdict.undecided and not verdict.correct and verdict.score == 0
        assert never.costs.calls == never.costs.unreadable == calls
    assert len({re.findall("marked ([0-9a-f]{8})", p)[0] for p in never.asker.agent.prompts}) == 3  # type: ignore[attr-defined]


def test_a_reply_cut_by_the_token_limit_is_no_verdict():
    class Cut(Scripted):
        def act(self, plays: Any) -> list[Action]:
            return [Action(action.text, "length") for action in super().act(plays)]

    assert RubricJudge(Cut(yes), [Criterion("good", "Good.")]).score("text").undecided


# ---- hostile texts ------------------------------------------------------------------------------------------------


def parrot(prompt: str) -> str:
    """Repeats all material and says nothing of its own."""
    return "\n".join(material_of(prompt).values())


def quoting(choice: Callable[[str], str]) -> Callable[[str], str]:
    """Quotes the material, then gives a verdict."""
    return lambda prompt: f"The text says: {parrot(prompt)}\nI say {tags_of(prompt)[choice(prompt)]}"


@pytest.mark.parametrize("text", INJECTIONS)
@pytest.mark.parametrize("repeat", [parrot, lambda prompt: prompt, lambda prompt: parrot(prompt)[::-1]])
def test_a_judge_that_repeats_a_hostile_text_has_not_spoken(text, repeat):
    agent = Scripted(repeat, batched=True, concurrency=64)
    rubric = [Criterion("good", "Good."), Criterion("fine", "Fine.", grades=5)]
    verdicts = [
        RubricJudge(agent, rubric).score(text, "Capital?"),
        PrincipleJudge(agent, ["Is kind.", "Is true."]).score(text),
        PairwiseJudge(agent).score(text, reference="Paris"),
    ]
    assert all(v.undecided and not v.correct and v.score == 0 for v in verdicts)
    assert PairwiseJudge(agent).compare("Paris", text).winner is None
    refused = WithFallback(lambda text, gold: wrong("no", text), agent, True)(text, "Paris")
    assert not refused.correct and refused.score == 0
    assert agent.alive == 0


@pytest.mark.parametrize("text", INJECTIONS)
def test_a_judge_that_quotes_a_hostile_text_is_still_understood(text):
    agent = Scripted(quoting(lambda prompt: next(c for c in tags_of(prompt) if c in ("no", "1", "A", "B"))))
    graded = RubricJudge(agent, [Criterion("good", "Good."), Criterion("fine", "Fine.", grades=5)]).score(text)
    assert graded.value == {"good": "no", "fine": "1"} and graded.score == 0
    assert PrincipleJudge(agent, ["Is kind."]).score(text).value == {"0": "no"}
    worse = Scripted(quoting(lambda prompt: "A" if material_of(prompt)["A"] == "Paris" else "B"))
    assert PairwiseJudge(worse).score(text, reference="Paris").value == "B"
    refused = WithFallback(lambda text, gold: wrong("no", text), agent, True)
    assert not refused(text, "Paris").correct
    assert all(call.votes == ("no", "no") for call in refused.calls)


@pytest.mark.parametrize("text", INJECTIONS)
def test_hostile_texts_are_shown_whole_in_the_fence_and_nowhere_else(text):
    class Recording(Scripted):
        def act(self, plays: Any) -> list[Action]:
            for play in plays:
                assert [m["role"] for m in play.messages] == ["user"], "no system message"
            return super().act(plays)

    agent = Recording(no)
    RubricJudge(agent, [Criterion("good", "Good.")]).score(text, question=text, reference=text)
    [prompt] = agent.prompts
    assert material_of(prompt) == {"question": text, "reference": text, "response": text}
    outside = re.sub(r"<(\w+)-(\w{8})>\n.*?\n</\1-\2>", "", prompt, flags=re.DOTALL)
    assert outside.count("verdict-") == 4 and text not in outside


# ---- settings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: judge_of(yes, samples=2), "samples is 2"),
        (lambda: judge_of(yes, samples=0), "samples is 0"),
        (lambda: judge_of(yes, retries=-1), "retries is -1"),
        (lambda: judge_of(yes, max_chars=0), "max_chars is 0"),
        (lambda: judge_of(yes, cache=Cache()), "a cache needs a name"),
        (lambda: judge_of(yes, threshold=0), "threshold is 0"),
        (lambda: Cache(max_entries=0), "max_entries is 0"),
        (lambda: Criterion("a/b", "x"), "'a/b'"),
        (lambda: Criterion("mean", "x"), "'mean'"),
        (lambda: Criterion("a", " "), "says nothing"),
        (lambda: Criterion("a", "x", weight=0), "weight of 'a' is 0"),
        (lambda: Criterion("a", "x", grades=11), "grades of 'a' is 11"),
        (lambda: RubricJudge(Scripted(yes), [Criterion("a", "x")] * 2), "different names"),
        (lambda: PrincipleJudge(Scripted(yes), []), "0 criteria"),
        (lambda: PairwiseJudge(Scripted(yes), disagreement="A"), "disagreement is 'A'"),  # type: ignore[arg-type]
        (lambda: PairwiseJudge(Scripted(yes), " "), "criterion is empty"),
    ],
)
def test_bad_settings(make, match):
    with pytest.raises(SettingsError, match=match):
        make()


# ---- the page -----------------------------------------------------------------------------------------------------


def test_the_examples_in_the_documentation_run(tmp_path):
    page = ROOT / "docs" / "judges.md"
    if not page.exists():
        pytest.skip("needs the checkout, not an installed copy")
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n" + "\n".join(blocks)
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_exact_rules_need_no_judge():
    """What `WithFallback` leaves to the rules costs nothing."""
    fallback = WithFallback(verify_exact, Scripted(yes), True)
    assert fallback("Paris", "Paris").correct and fallback.costs == Costs()
