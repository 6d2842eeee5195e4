"""The wiki: its markup, what edits keep, undoing, permissions, and the search."""

import re
from collections import Counter
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worlds.web.sites._desk import Desk
from turnwise.core.draw import Draw
from turnwise.worlds.web.site.plan import perform
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.site.steps import click, done, fill
from turnwise.worlds.web.site.tasks import Draft, World
from turnwise.worlds.web.sites.wiki.data import encyclopedia
from turnwise.worlds.web.sites.wiki.text import (
    changed,
    composed,
    infobox,
    links,
    page_path,
    render,
    snippet,
    without_box,
)


@pytest.fixture
def desk() -> Desk:
    return Desk("wiki")


def entry(desk: Desk, where: str = "p.kind = 'entity' AND NOT p.protected") -> tuple[int, str, str, int]:
    """The first page of a kind: id, title, text, revision."""
    return desk.rows(
        "SELECT p.id, p.title, r.text, r.id FROM page p JOIN revision r ON r.id = p.revision"
        f" WHERE {where} ORDER BY p.id"
    )[0]


def test_a_world_is_built_the_same_every_time():
    site = site_named("wiki")
    assert site.build(5, 60).data == site.build(5, 60).data
    assert site.build(5, 60).data != site.build(6, 60).data


def test_pages_say_what_the_world_says_but_for_the_planted_damage(desk):
    world = encyclopedia(*desk.rows("SELECT seed, documents FROM about")[0])
    hurt = {page for (page,) in desk.rows("SELECT page FROM planted WHERE kind != 'cut'")}
    for number in range(world.num_documents):
        if number + 1 not in hurt:
            _, title, text, _ = entry(desk, f"p.id = {number + 1}")
            told = "\n".join(line.rstrip() for line in world.markup(number).strip().split("\n"))
            assert title == world.page_title(number) and without_box(text) == told


def test_links_lead_to_pages(desk):
    titles = {title for (title,) in desk.rows("SELECT title FROM page")}
    assert {title for (title,) in desk.rows("SELECT title FROM link")} <= titles


def test_markup_is_shown_with_each_link_once_and_nothing_else_as_html():
    text = "| Born = 4 July 1893\n| Home = [[Aa]]\n\n[[Aa|the Aa]] and [[Bb|b]] <b>x</b> [[Cc]]\n- [[Bb]]"
    text += "\n| a | [[Bb|c]] |\n|---|---|\n| d | e |"
    html = str(render(text, {"Aa", "Bb"}))
    assert html.count("<a ") == 2 and '<a href="/page/Aa">Aa</a>' in html and '<a href="/page/Bb">b</a>' in html
    assert (
        "&lt;b&gt;" in html and "[[" not in html and "<td>d</td><td>e</td>" in html and '<th scope="col">c</th>' in html
    )
    assert infobox(text) == [("Born", "4 July 1893"), ("Home", "[[Aa]]")] and links(text) == ["Aa", "Bb", "Cc"]
    assert composed(infobox(text), without_box(text)) == text


@given(st.text(alphabet="[]|=-<&\n ab", max_size=80))
@settings(max_examples=200)
def test_any_text_is_shown(text):
    html = str(render(text, {"a", "b"}))
    assert "<b" not in html.replace("<body", "")
    once = composed(infobox(text), without_box(text))
    assert composed(infobox(once), without_box(once)) == once


def test_differences_are_by_sentence():
    assert changed("A one. B two.\nC three.", "A one.\nC three. D four.") == (["B two."], ["D four."])
    assert changed("", "A. B.") == ([], ["A.", "B."])


def test_saving_a_page_untouched_changes_nothing(desk):
    for title, text, revision in desk.rows(
        "SELECT p.title, r.text, r.id FROM page p JOIN revision r ON r.id = p.revision WHERE NOT p.protected"
        " AND p.id NOT IN (SELECT page FROM planted WHERE kind = 'vandalism') ORDER BY p.id"
    ):
        boxes = {f"box{place}": value for place, (_, value) in enumerate(infobox(text))}
        body = without_box(text).replace("\n", "\r\n")
        html = desk.post(page_path(title, "edit"), seen=revision, text=body, do="save", **boxes)[1]
        assert "You have changed nothing." in html, title
    assert desk.store.changes() == []


def test_an_edit_keeps_the_infobox_and_tells_of_conflicts(desk):
    _, title, text, revision = entry(desk, "p.kind = 'entity' AND NOT p.protected AND r.text LIKE '| %'")
    body = without_box(text)
    desk.post(page_path(title, "edit"), seen=revision, text=body, box0="1,234", summary="new", do="preview")
    assert desk.store.changes() == []
    desk.post(page_path(title, "edit"), seen=revision, text=body, box0="1,|234", summary="new", do="save")
    after = entry(desk, f"p.title = '{title}'")
    assert infobox(after[2])[0][1] == "1, 234" and infobox(after[2])[1:] == infobox(text)[1:]
    assert without_box(after[2]) == body
    assert "Somebody has edited" in desk.post(page_path(title, "edit"), seen=revision, text="x", do="save")[1]
    assert "A page has a text" in desk.post(page_path(title, "edit"), seen=after[3], text=" ", do="save")[1]


def test_both_ways_to_add_a_line_give_the_same_page(desk):
    _, title, text, revision = entry(desk)
    other = Desk("wiki")
    desk.post(page_path(title, "append"), line="A  line.", summary="s")
    boxes = {f"box{place}": value for place, (_, value) in enumerate(infobox(text))}
    other.post(
        page_path(title, "edit"), seen=revision, text=f"{without_box(text)}\nA line.", summary="s", do="save", **boxes
    )
    assert desk.store.changes() == other.store.changes() != []


def test_undo_brings_the_text_before_back_and_only_for_the_last_edit(desk):
    page, title, _, revision = entry(
        desk, "p.id IN (SELECT page FROM planted WHERE kind = 'vandalism') AND NOT p.protected"
    )
    before = desk.rows("SELECT id, text FROM revision WHERE page = ? AND id < ? ORDER BY id DESC", page, revision)[0]
    desk.post(f"/undo/{before[0]}")
    assert desk.store.changes() == []
    desk.post(f"/undo/{revision}")
    assert entry(desk, f"p.id = {page}")[2] == before[1]
    desk.post(f"/restore/{revision}")
    assert desk.get(page_path(title))[0] == 200 and len(desk.store.changes()) == 3


def test_protected_pages_refuse_every_kind_of_edit(desk):
    page, title, _, _ = entry(desk, "p.protected")
    first = desk.value("SELECT min(id) FROM revision WHERE page = ?", page)
    assert desk.get(page_path(title, "edit"))[0] == 403
    assert desk.post(page_path(title, "edit"), text="x", do="save")[0] == 403
    assert desk.post(page_path(title, "append"), line="x")[0] == 403
    assert desk.post(f"/restore/{first}")[0] == desk.post(f"/undo/{first}")[0] == 403
    assert desk.store.changes() == []
    guest = Desk("wiki", user=0)
    assert guest.get(page_path(title))[0] == 200
    assert guest.post(page_path(entry(desk)[1], "append"), line="x")[1].startswith("/login")


def test_what_links_here_follows_edits(desk):
    _, title, _, _ = entry(desk)
    source = desk.value("SELECT title FROM page WHERE kind = 'entity' AND NOT protected AND title != ? AND id NOT IN"
                        " (SELECT source FROM link WHERE title = ?) ORDER BY id", title, title)  # fmt: skip
    shown = f'href="{page_path(source)}"'
    assert shown not in desk.get(page_path(title, "links"))[1]
    desk.post(page_path(source, "append"), line=f"See [[{title}]].")
    assert shown in desk.get(page_path(title, "links"))[1]


@pytest.mark.parametrize("text", ["%", "_", "%_%", "' OR 1=1 --", "\\", "zzz<script>"])
def test_search_takes_signs_as_they_are(desk, text):
    status, html = desk.get(f"/search?q={quote(text)}")
    assert status == 200 and "No page contains these words." in html and "<script>" not in html.split("</head>")[1]
    assert desk.get(f"/hints?q={quote(text * 2)}")[0] == 200


def test_search_puts_the_title_first_and_pages_through(desk):
    _, title, _, _ = entry(desk)
    html = desk.get(f"/search?q={quote(title.lower())}")[1]
    assert re.search(r"<li><a href=\"([^\"]+)\"", html)[1] == page_path(title)
    pages = [desk.get(f"/search?q=the&page={page}")[1] for page in (1, 2)]
    first, second = (re.findall(r"<li><a href=\"([^\"]+)\"", page) for page in pages)
    assert len(first) == 8 and not set(first) & set(second)


def test_talk_needs_a_text_and_an_account(desk):
    assert "Write something first." in desk.post("/talk/Village%20pump", text=" ")[1]
    assert Desk("wiki", user=0).post("/talk/Village%20pump", text="x")[1].startswith("/login")
    assert desk.get("/page/Nowhere")[0] == desk.get("/category/Nowhere")[0] == desk.get("/diff/99999")[0] == 404
    assert desk.store.changes() == []


def test_a_snippet_is_read_as_the_page_is():
    text = "| Born = 4 July 1893\n| Home = [[Aa]]\n\nKind: poet\nShe saw [[Bb|the sea]]. Her rector was [[Cc]]."
    assert snippet(text, ["RECTOR", "cc"]) == "Her rector was Cc."
    assert snippet(text, ["home"]) == "Home: Aa"
    assert snippet(text, ["nowhere"]) == "She saw the sea."
    assert snippet("| a | [[Bb|c]] |\n| d | e |", ["c"]) == "a, c"
    long = snippet(f"{'word ' * 60}sought {'word ' * 60}.", ["sought"])
    assert "sought" in long and len(long) < 130 and long.startswith("word ") and long.endswith("word …")
    assert snippet("", ["x"]) == ""


def test_search_shows_no_markup_and_counts(desk):
    _, title, _, _ = entry(desk, "r.text LIKE '%[[%|%]]%' AND p.kind = 'entity'")
    for query in (title, "the"):
        html = desk.get(f"/search?q={quote(query)}")[1]
        assert "[[" not in html and "|" not in html.partition("<main>")[2]
    only = desk.value("SELECT title FROM page WHERE title = 'Village pump'")
    assert "<p>1 page</p>" in desk.get(f"/search?q={quote(only)}")[1]


def test_pages_tell_what_they_are(desk):
    _, title, _, _ = entry(desk, "p.protected")
    assert "This page is protected" in desk.get(page_path(title))[1]
    _, title, _, _ = entry(desk, "NOT p.protected AND r.text LIKE '| %'")
    html = desk.get(page_path(title))[1]
    assert "This page is protected" not in html and "<caption>Infobox</caption>" in html
    quiet = desk.value("SELECT title FROM page WHERE id NOT IN (SELECT page FROM talk) ORDER BY id")
    assert "No comments yet." in desk.get(page_path(quiet, "talk"))[1]
    assert "No comments yet." not in desk.get("/talk/Village%20pump")[1]


def test_a_difference_leads_to_its_neighbours_and_can_be_undone(desk):
    page = desk.value("SELECT page FROM revision GROUP BY page HAVING count(*) > 2 ORDER BY page")
    edits = [edit for (edit,) in desk.rows("SELECT id FROM revision WHERE page = ? ORDER BY id", page)]
    shown = [desk.get(f"/diff/{edit}")[1] for edit in edits]
    for place, html in enumerate(shown):
        before, after = edits[place - 1] if place else 0, edits[place + 1] if place + 1 < len(edits) else 0
        assert (f'<a href="/diff/{before}">Previous edit</a>' in html) == (place > 0) == ("Previous edit" in html)
        assert (f'<a href="/diff/{after}">Next edit</a>' in html) == (after > 0) == ("Next edit" in html)
        assert (f'action="/undo/{edits[place]}"' in html) == (after == 0)


# ---- tasks -----------------------------------------------------------------------------------------------------------


def drafts(name: str, count: int = 10) -> list[tuple[Draft, World]]:
    """Tasks of a template, of several worlds."""
    (template,) = (t for t in site_named("wiki").templates() if t.name == f"wiki.{name}")
    worlds = [World(seed, 60) for seed in range(count)]
    found = [(template.draw(world, Draw("test", name, world.seed)), world) for world in worlds]
    return [(draft, world) for draft, world in found if draft is not None]


def test_restoring_the_version_before_counts_as_undoing():
    """Other versions do not."""
    for draft, world in drafts("undo_vandal", 5):
        assert draft.plan[-1] == click("Undo")
        versions = world("wiki").rows(
            "SELECT r.made, r.text FROM revision r JOIN page p ON p.id = r.page WHERE p.title = ? ORDER BY r.id DESC",
            draft.plan[1].text,
        )
        for made, text in versions[1:]:
            plan = (*draft.plan[:-1], click("Restore this version", near=made), done())
            run = perform(draft, world, ("wiki",), plan)
            assert run.error == "" and run.correct == (text == versions[1][1])


def test_not_all_that_vandals_do_is_damage():
    """Some of their edits mend a word: who undoes those as well earns nothing."""
    mended = 0
    for draft, world in drafts("undo_all"):
        pages = [dict(change.key)["id"] for change in draft.changes if change.op == "update"]
        assert len(pages) > 1 and draft.plan[-1] == click("Undo")
        vandals = [world("wiki").row("SELECT editor FROM revision WHERE page = ? ORDER BY id DESC", p) for p in pages]
        assert len(set(vandals)) == 1
        edits = world("wiki").rows("SELECT page, id, summary FROM revision WHERE editor = ? ORDER BY id", vandals[0])
        for page, edit, summary in edits:
            protected = world("wiki").row("SELECT protected FROM page WHERE id = ?", page)
            if page not in pages and not protected:  # nobody can undo anything on a protected page
                mended += 1
                assert summary in ("typo", "spelling", "tidy up")
                title = world("wiki").row("SELECT title FROM page WHERE id = ?", page)
                more = fill("Search the wiki", title), click("Search"), click(title), click("Page tools")
                plan = (*draft.plan, click("Main page"), *more, click("History"), click("Undo"), done())
                run = perform(draft, world, ("wiki",), plan)
                assert run.error == "" and not run.correct
                assert world("wiki").row("SELECT revision FROM page WHERE id = ?", page) == edit
    assert mended


def test_the_day_since_which_edits_count_matters():
    for draft, world in drafts("most_edited"):
        assert draft.answer is not None
        since = next(step.text for step in draft.plan if step.name == "Since")
        who = draft.instruction.removeprefix("Which page has ").partition(" edited")[0]
        edits = world("wiki").rows(
            "SELECT p.title, r.made FROM revision r JOIN page p ON p.id = r.page JOIN account a ON a.id = r.editor "
            "WHERE a.name = ?",
            who,
        )
        late = Counter(title for title, made in edits if made >= since).most_common(2)
        ever = Counter(title for title, _ in edits)
        assert late[0][0] == draft.answer.text and late[0][1] > max(late[1][1], 1)
        assert ever[draft.answer.text] <= max(count for title, count in ever.items() if title != draft.answer.text)


def test_who_removed_a_sentence_is_not_the_only_one_who_cut():
    for draft, world in drafts("who_removed"):
        editors = world("wiki").rows(
            "SELECT DISTINCT r.editor FROM planted d JOIN revision r ON r.id = d.revision JOIN page p ON p.id = d.page "
            "WHERE d.kind = 'cut' AND p.title = ?",
            draft.plan[1].text,
        )
        assert len(editors) > 1


def test_most_questions_without_an_answer_ask_of_a_page():
    found = drafts("unanswerable", 20)
    there = [
        draft for draft, world in found if world("wiki").rows("SELECT 1 FROM page WHERE title = ?", draft.plan[0].text)
    ]
    assert len(found) / 2 < len(there) < len(found)
