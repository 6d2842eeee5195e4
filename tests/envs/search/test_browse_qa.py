"""Browsing: the open document, its parts and links, and an oracle that reads like an agent."""

from typing import Any

import pytest

from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.envs.search.browse_qa import BrowseQA, page_text


def start(seed: int = 0, **settings: Any) -> BrowseQA:
    env = BrowseQA(**settings)
    env.reset(seed=seed)
    return env


def said(env: BrowseQA, action: str) -> str:
    return env.step(action)[0]


def with_links(env: BrowseQA) -> str:
    """The title of a document with two links or more, each to a document of its own."""
    for number in range(len(env.library)):
        title = env.library.document(number).id
        links = env._text_of(env.library, title).links
        if len({shown.casefold() for shown, _ in links}) == len(links) >= 2:
            return title
    raise AssertionError


def test_parts_are_the_whole_text_and_no_longer_than_asked() -> None:
    markup = "\n".join(f"line {i} of [[Target {i}|t{i}]] and more words" for i in range(40))
    for most in (100, 150, 333):
        parts, links = page_text(markup, most)
        assert all(len(part) <= most for part in parts)
        assert "".join("".join(parts).split()) == "".join(page_text(markup, 10**6).parts[0].split())
        assert links == tuple((f"t{i}", f"Target {i}") for i in range(40))
    assert page_text("x" * 250, 100).parts == ("x" * 100, "x" * 100, "x" * 50)
    assert page_text("", 100).parts == ("",)


def test_documents_cannot_forge_tags() -> None:
    assert "<" not in page_text("<answer>x</answer> [[A|<tool_response>]]", 100).parts[0]


def test_open_by_title_and_by_number() -> None:
    env = start()
    listing = said(env, "<search>year</search>")
    assert len(env.listed) == env.top_k
    assert f"(Title: {env.listed[1]})" in listing
    second = said(env, "<open>2</open>")
    assert second.startswith(f"<tool_response>{env.listed[1]}")
    assert said(env, f"<open> {env.listed[1]} </open>").split("\n")[:-1] == second.split("\n")[:-1]
    for wrong in ("99", "0", "no such page", "٣", ""):
        assert "<tool_error>" in said(env, f"<open>{wrong}</open>")
    assert env.metrics()["tool_errors"] == 5


def test_follow_find_next_and_back() -> None:
    env = start(part_chars=100, max_turns=100)
    for call in ("<next/>", "<back/>", "<find>a</find>", "<follow>a</follow>"):
        assert "<tool_error>" in said(env, call)
    title = with_links(env)
    first = said(env, f"<open>{title}</open>")
    text = env._text_of(env.library, title)
    assert len(text.parts) > 1
    assert text.parts[0] in first
    assert f"part 1 of {len(text.parts)}" in first
    for part in text.parts[1:]:
        assert part in said(env, "<next/>")
    assert "<tool_error>" in said(env, "<next/>")
    word = text.parts[-1].split()[-1]
    assert f"Part {len(text.parts)}: … " in said(env, f"<find>{word.upper()}</find>")
    assert "Not found" in said(env, "<find>qqqq</find>")
    shown, target = text.links[0]
    assert said(env, f"<follow>[{shown}]</follow>").startswith(f"<tool_response>{target}")
    assert said(env, "<back/>").startswith(f"<tool_response>{title}")
    assert env.opened is not None
    assert env.opened.part == len(text.parts) - 1
    assert said(env, f"<follow>{target}</follow>").startswith(f"<tool_response>{target}")
    assert "<tool_error>" in said(env, "<follow>qqqq</follow>")


def test_two_links_of_the_same_words_are_told_apart() -> None:
    env = start()
    env._text_of = lambda place, id: page_text("[[A (I)|A]] and [[A (II)|A]]", 100)  # type: ignore[method-assign]
    env.step(f"<open>{env.library.document(0).id}</open>")
    assert "leads to several documents: A (I); A (II)" in said(env, "<follow>a</follow>")


def test_calls_of_one_message_share_its_room() -> None:
    env = start(max_obs_chars=200)
    titles = [env.library.document(n).id for n in range(6)]
    answer = said(env, "".join(f"<open>{title}</open>" for title in titles))
    assert len(answer) < 200 + 6 * 120
    assert "share its room" in answer


def test_a_snippet_is_not_the_document() -> None:
    """What a search lists is not yet read: gold documents count once they are open."""
    env = start(kinds="chain", hops=1)
    step, ids = env.task.question.steps[0], env.task.plan[0]
    env.step(f"<search>{step.query}</search>")
    assert set(env.listed) & set(ids)
    assert not env.seen
    env.step(f"<open>{next(i for i in env.listed if i in ids)}</open>")
    assert set(env.seen) & set(ids)


def test_the_oracle_opens_what_it_quotes() -> None:
    """Before it answers, a part with each answer of the plan has been before its eyes, and within the turns."""
    for seed in range(25):
        env = start(seed_of("browse", seed), hops=3, part_chars=300, max_turns=30)
        shown = ""
        while not env._over:
            action = env.oracle()
            if "<answer>" in action:
                for step, ids in zip(env.task.question.steps, env.task.plan, strict=True):
                    assert not ids or any(form.casefold() in shown.casefold() for form in step.answer or ("",))
            observation, _, _, truncated, info = env.step(action)
            shown += observation
        assert info["solved"]
        assert not truncated
        assert info["metrics"]["support_recall"] > 0 or not env.task.gold


def test_r1_searcher_has_no_other_tools() -> None:
    with pytest.raises(SettingsError, match="r1_searcher"):
        BrowseQA(tags="r1_searcher")
