"""Reports and surveys: what is asked for is what the world's documents state."""

from typing import Any

import numpy as np
import pytest

from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.envs.search._research import report, survey
from turnwise.envs.search.deep_research import DeepResearch
from turnwise.verifiers.claims import verify_claims
from turnwise.worlds.documents import open_world

MONTHS = ("january", "february", "march", "april", "may", "june",
          "july", "august", "september", "october", "november", "december")  # fmt: skip


def start(seed: int = 0, **settings: Any) -> DeepResearch:
    env = DeepResearch(**settings)
    env.reset(seed=seed)
    return env


def drafts(number: int) -> list[Any]:
    world, rng = open_world(5, 500), np.random.default_rng(3)
    made = [report(world, rng, 4, 2) for _ in range(number)] + [survey(world, rng, 2, 5) for _ in range(number)]
    return [draft for draft in made if draft is not None]


def test_every_source_states_its_claim() -> None:
    """Read in the text itself: a cited document has the claim's value in it, in some form."""
    world = open_world(5, 500)
    texts = {document.title: f"{document.title}\n{document.text}".casefold() for document in world.documents()}
    checked = 0
    for draft in drafts(60):
        for claim in draft.claims:
            for title in claim.sources:
                text = texts[title]
                dated = any(month in form.casefold() for form in claim.values for month in MONTHS)
                numeric = claim.values[0].replace(",", "").isdigit()
                forms = [claim.values[0][-4:]] if dated or numeric else list(claim.values)
                written = text.replace(",", "") if numeric else text
                forms = [form.replace(",", "")[-3:] if numeric else form for form in forms]
                assert any(form.casefold() in written for form in forms), (title, claim)
                checked += 1
    assert checked > 200


def test_a_survey_misses_nobody() -> None:
    """All facts of the relation, gone through one by one, are the claims."""
    world, rng = open_world(5, 500), np.random.default_rng(4)
    checked = 0
    for _ in range(200):
        draft = survey(world, rng, 2, 6)
        if draft is None:
            continue
        names = {claim.labels[0] for claim in draft.claims}
        assert 2 <= len(names) == len(draft.claims) <= 6
        members = {step.answer[0] for step in draft.question.steps if step.query == draft.question.steps[0].query}
        assert members == names
        checked += 1
    assert checked > 20


def test_kinds_and_sizes() -> None:
    for seed in range(10):
        env = start(seed_of("r", seed), kinds="report", aspects=3)
        assert env.task.question.kind == "report"
        assert env.task.question.text.count("\n") == 3
        env = start(seed_of("s", seed), kinds="survey", items=3)
        assert env.task.question.kind == "survey"
        assert len(env._claims) in (2, 3)
    with pytest.raises(SettingsError, match="questions"):
        DeepResearch(questions="file.jsonl")


def test_stale_editions_and_strangers_bear_nothing_out() -> None:
    """A citation of any document that does not state the claim now costs the reward."""
    env = start(3)
    claims = env._claims
    allowed = {title for claim in claims for title in (*claim.sources, *claim.related)}
    others = [env.library.document(n).title for n in range(len(env.library))]
    stale = [title for title in others if title.endswith("edition)") and title not in allowed]
    for title in (stale or others)[:20]:
        text = env.reporting(claims, cite=lambda claim, t=title: f" [{claim.sources[0]}; {t}]")
        assert not env.judge(text.removeprefix("<answer>").removesuffix("</answer>")).correct


def test_partial_credit_and_figures() -> None:
    env = start(1, kinds="report", partial="f1")
    claims = env._claims
    _, reward, done, _, info = env.step(env.reporting(claims[1:]))
    expected = verify_claims("\n".join(f"{c.labels[0]}: {c.values[0]} [{c.sources[0]}]" for c in claims[1:]), claims)
    assert done
    assert not info["solved"]
    assert reward == pytest.approx(expected.score) == pytest.approx((len(claims) - 1) / len(claims))
    assert info["metrics"]["claim_recall"] == pytest.approx((len(claims) - 1) / len(claims))
    assert info["metrics"]["citation_precision"] == 1.0
    env.reset(seed=2)
    info = env.step(env.reference())[4]
    assert info["solved"]
    assert info["metrics"]["citation_recall"] == 1.0


def test_briefings_rest_on_many_documents() -> None:
    """No smaller number of documents states all claims, and each section has what it asks for."""
    for seed in range(6):
        env = start(seed, kinds="brief", breadth=10, style={"lists": 0.25, "stale": 0.12}, max_turns=200)
        sections, claims = env._sections, env._claims
        assert len(sections) >= 3 and env.task.question.text.count("\n") == len(sections)
        left, documents = list(claims), 0
        while left:  # a greedy cover is at least as large as the smallest
            titles = [title for claim in left for title in claim.sources]
            best = max(titles, key=titles.count)
            left = [claim for claim in left if best not in claim.sources]
            documents += 1
        assert documents >= 10


@pytest.mark.slow
def test_a_briefing_names_what_contradicts_it() -> None:
    checked = 0
    for seed in range(20):
        env = start(seed, kinds="brief", breadth=8, style={"lists": 0.25, "stale": 0.2}, max_turns=200)
        points = [point for section in env._sections for point in section.points if point.against]
        if not points:
            continue
        checked += 1
        texts = {document.title: document.text for document in (env.library.document(n) for n in range(1000))}
        for point in points:
            assert all(title in texts for title in point.against)
            assert not set(point.against) & set(point.claim.sources)
        told = env.reference()
        assert env.judge(told.removeprefix("<answer>").removesuffix("</answer>")).correct
        hidden = env.hiding().removeprefix("<answer>").removesuffix("</answer>")
        verdict = env.judge(hidden)
        assert not verdict.correct and verdict.reason == "a contradiction is not named"
    assert checked > 6


def test_figures_of_a_briefing() -> None:
    env = start(2, kinds="brief", breadth=8, style={"lists": 0.25, "stale": 0.2}, max_turns=200)
    metrics = env.step(env.reference())[4]["metrics"]
    assert metrics["coverage"] == metrics["conflict_recall"] == metrics["conflict_precision"] == 1.0
    assert metrics["redundancy"] == 0.0
