"""The wiki: its markup, what edits keep, undoing, permissions, and the search."""

import re
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.web.sites._desk import Desk
from turnwise.web.site import site_named
from turnwise.web.sites._wiki_data import encyclopedia
from turnwise.web.sites._wiki_text import changed, composed, infobox, links, page_path, render, without_box


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
