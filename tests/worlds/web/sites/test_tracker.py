"""The tracker: who may change what, links, milestones, the board, and lists against what the database holds."""

import datetime
import re
from urllib.parse import quote

import pytest

from tests.worlds.web.sites._desk import Desk
from turnwise.core.draw import Draw
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.site.tasks import Draft, World


@pytest.fixture
def desk() -> Desk:
    return Desk("tracker")


def key_of(desk: Desk, condition: str, *values: object) -> str:
    """The key of the first issue of the first project that meets a condition."""
    return desk.value(
        "SELECT p.key || '-' || i.number FROM issue i JOIN project p ON p.id = i.project WHERE p.id = 1 AND "
        f"{condition} ORDER BY i.id",
        *values,
    )


def project(desk: Desk, id: int = 1) -> str:
    return desk.value("SELECT key FROM project WHERE id = ?", id)


def test_a_world_is_built_the_same_every_time():
    site = site_named("tracker")
    assert site.build(5, 60).data == site.build(5, 60).data
    assert site.build(5, 60).data != site.build(6, 60).data


def test_looking_changes_nothing(desk):
    key, issue = project(desk), key_of(desk, "1")
    milestone = desk.value("SELECT id FROM milestone")
    parts = [f"/project/{key}/{part}" for part in ("new", "issues", "board", "milestones", "members", "activity")]
    pages = [f"/issue/{issue}{part}" for part in ("", "/edit", "/older", "/reminder")]
    for path in ("/", "/mine", "/find?q=page", "/preferences", f"/milestone/{milestone}", *pages, *parts):
        assert desk.get(path)[0] == 200, path
        assert Desk("tracker", user=0).get(path)[0] == 303
    assert desk.changes == []


@pytest.mark.parametrize(
    "path",
    ["/issue/XXX-1", "/issue/abc", "/issue/ORB-99999", "/project/XXX/issues", "/milestone/999", "/project/1/board"],
)
def test_what_is_not_there(desk, path):
    assert desk.get(path)[0] == 404


def test_only_members_change_a_project(desk):
    last = desk.value("SELECT max(id) FROM project")
    viewed = project(desk, last)
    issue = f"{viewed}-1"
    outside = desk.value("SELECT id FROM account WHERE id NOT IN (SELECT account FROM member) ORDER BY id")
    milestone = desk.value("SELECT id FROM milestone WHERE project = ?", last)
    posts = [
        (f"/issue/{issue}/comment", {"text": "x"}),
        (f"/issue/{issue}/quick", {"status": "Done", "priority": "Low"}),
        (f"/issue/{issue}/edit", {"title": "x", "priority": "Low"}),
        (f"/issue/{issue}/link", {"kind": "blocks", "other": f"{viewed}-2"}),
        (f"/project/{viewed}/new", {"title": "x", "priority": "Low"}),
        (f"/project/{viewed}/issues/bulk", {"all": "on", "new_priority": "Low"}),
        (f"/project/{viewed}/board/move", {"issue": 1, "lane": "Done"}),
        (f"/milestone/{milestone}/close", {}),
    ]
    for who in (desk, Desk("tracker", user=outside)):
        assert [who.post(path, **form)[0] for path, form in posts] == [403] * len(posts)
        assert who.changes == []
    assert "You are a viewer of this project; viewers cannot comment." in desk.get(f"/issue/{issue}")[1]
    assert "you are a viewer of" in desk.post(*[posts[0][0]])[1].lower()
    assert "Only members of the project may comment." in Desk("tracker", user=outside).get(f"/issue/{issue}")[1]
    assert 'name="pick"' not in desk.get(f"/project/{viewed}/issues")[1]
    assert Desk("tracker", user=0).post(*[posts[0][0]])[0] == 303


def test_links(desk):
    key = project(desk)
    one, two, three = (
        f"{key}-{row[0]}"
        for row in desk.rows(
            "SELECT number FROM issue WHERE project = 1 AND id NOT IN (SELECT source FROM link UNION SELECT target "
            "FROM link) LIMIT 3"
        )
    )
    for other, said in ((one, "linked to itself"), (f"{key}-9999", "no such issue"), ("", "no such issue"),
                        (f"{project(desk, 2)}-1", "no such issue"), ("%", "no such issue")):  # fmt: skip
        assert said in desk.post(f"/issue/{one}/link", kind="blocks", other=other)[1]
    assert "Choose the kind" in desk.post(f"/issue/{one}/link", kind="x", other=two)[1]
    assert desk.changes == []
    ids = [
        desk.value("SELECT id FROM issue WHERE project = 1 AND number = ?", key.split("-")[1])
        for key in (one, two, three)
    ]
    desk.post(f"/issue/{one}/link", kind="blocks", other=two.lower())
    desk.post(f"/issue/{three}/link", kind="blocked", other=two)
    links = desk.rows("SELECT kind, source, target FROM link WHERE source IN (?, ?, ?)", *ids)
    assert links == sorted([("blocks", ids[0], ids[1]), ("blocks", ids[1], ids[2])])
    assert "such a link already" in desk.post(f"/issue/{two}/link", kind="blocked", other=one)[1]
    assert "circle" in desk.post(f"/issue/{three}/link", kind="blocks", other=one)[1]
    assert "circle" in desk.post(f"/issue/{one}/link", kind="blocked", other=three)[1]
    assert len(desk.changes) == 2
    status, html = desk.post(f"/issue/{three}/link", kind="duplicates", other=one)
    assert (status, html) == (303, f"/issue/{three}?tab=links")
    assert re.search(r'id="links"[^>]*data-tw-group', re.sub(r" hidden", "", html := desk.get(html)[1]))
    assert not re.search(r'id="links"[^>]* hidden', html) and re.search(r'id="comments"[^>]* hidden', html)
    assert desk.value("SELECT status FROM issue WHERE id = ?", ids[2]) == "Duplicate"
    assert desk.rows("SELECT source, target FROM link WHERE kind = 'duplicates' AND source = ?", ids[2]) == [
        (ids[2], ids[0])
    ]


def test_a_slip_with_links_can_be_undone(desk):
    """To the very rows that there were: whoever removes a link and adds it again has changed nothing."""
    kind, source, target, key, other, status = desk.rows(
        "SELECT l.kind, l.source, l.target, p.key || '-' || i.number, p.key || '-' || o.number, i.status FROM link l "
        "JOIN issue i ON i.id = l.source JOIN issue o ON o.id = l.target JOIN project p ON p.id = i.project WHERE "
        "p.id = 1 AND l.kind = 'blocks'"
    )[0]
    link = {"kind": kind, "source": source, "target": target}
    assert desk.get(f"/issue/{other}")[1].count("Remove link") >= 1
    stranger = key_of(desk, "i.id NOT IN (?, ?)", source, target)
    assert desk.post(f"/issue/{stranger}/unlink", **link)[0] == 404
    assert desk.post(f"/issue/{key}/unlink", **{**link, "kind": "duplicates"})[0] == 404
    assert desk.changes == []
    desk.post(f"/issue/{other}/unlink", **link)
    assert [(change.op, change.table) for change in desk.changes] == [("delete", "link")]
    desk.post(f"/issue/{key}/link", kind="blocks", other=other)
    assert desk.changes == []
    desk.post(f"/issue/{key}/link", kind="duplicates", other=other)
    path = desk.post(f"/issue/{key}/unlink", **{**link, "kind": "duplicates"})[1]
    html = desk.get(path)[1]
    assert "still Duplicate" in html and f"the status was {status}" in html
    who, priority = desk.rows("SELECT assignee, priority FROM issue WHERE id = ?", source)[0]
    desk.post(f"/issue/{key}/quick", status=status, priority=priority, assignee=who)
    assert desk.changes == []


def test_one_s_own_comments_can_be_changed(desk):
    key = key_of(desk, "NOT EXISTS (SELECT 1 FROM comment WHERE issue = i.id)")
    issue = desk.value("SELECT max(id) FROM comment") + 1
    desk.post(f"/issue/{key}/comment", text="Frist")
    assert f'href="/comment/{issue}/edit"' in desk.get(f"/issue/{key}")[1]
    assert "Frist" in desk.get(f"/comment/{issue}/edit")[1]
    assert "1 to 5000 signs" in desk.post(f"/comment/{issue}/edit", text=" ")[1]
    desk.post(f"/comment/{issue}/edit", text="First")
    (change,) = desk.changes
    assert (change.op, change.after["text"], change.after["author"]) == ("insert", "First", 1)
    desk.post(f"/comment/{issue}/delete")
    assert desk.changes == [] and desk.get(f"/comment/{issue}/edit")[0] == 404
    foreign = desk.value("SELECT c.id FROM comment c JOIN issue i ON i.id = c.issue WHERE i.project = 1 AND author > 1")
    for path in ("edit", "delete"):
        assert desk.post(f"/comment/{foreign}/{path}", text="x")[0] == 403
    assert desk.get(f"/comment/{foreign}/edit")[0] == 403
    assert desk.changes == []


def test_what_is_refused_is_an_alert(desk):
    key, issue = project(desk), key_of(desk, "1")
    busy = desk.value("SELECT milestone FROM issue WHERE project = 1 AND milestone AND status = 'Backlog'")
    for path, form, said in (
        (f"/milestone/{busy}/close", {}, "cannot be closed"),
        (f"/project/{key}/issues/bulk", {"new_priority": "Low"}, "Tick at least one issue"),
        (f"/project/{key}/issues/bulk", {"all": "on", "new_priority": "x"}, "choose a priority"),
        (f"/issue/{issue}/quick", {"status": "x", "priority": "Low"}, "Nothing was saved"),
        (f"/issue/{issue}/reminder", {"day": ""}, "Choose a day after today"),
    ):
        status, html = desk.post(path, **form)
        assert status == 200 and re.search(f'role="alert"[^>]*>[^<]*{said}', html), path
    assert desk.changes == []


def test_one_is_no_plural(desk):
    key = project(desk)
    one = desk.value("SELECT id FROM issue WHERE project = 1 AND status <> 'Done' AND milestone")
    desk.store.db("tracker").execute(
        "UPDATE issue SET milestone = 0, title = CASE id WHEN ?1 THEN 'Xyzzy' ELSE title END WHERE project = 1", (one,)
    )
    milestone = desk.value("SELECT id FROM milestone WHERE project = 1 AND state = 'open'")
    desk.store.db("tracker").execute("UPDATE issue SET milestone = ?, estimate = 1 WHERE id = ?", (milestone, one))
    assert "<p>1 issue. " in desk.get(f"/project/{key}/issues?q=Xyzzy")[1]
    assert "<p>1 issue</p>" in desk.get("/find?q=Xyzzy")[1]
    assert "0 of 1 issue closed" in desk.get(f"/project/{key}/milestones")[1]
    assert "has 1 open issue and" in desk.post(f"/milestone/{milestone}/close")[1]
    desk.post(f"/project/{key}/issues/bulk", q="Xyzzy", all="on", new_priority="Urgent")
    html = desk.get(f"/issue/{key}-{desk.value('SELECT number FROM issue WHERE id = ?', one)}")[1]
    assert "Changed 1 issue." in html and ">1 point<" in html


@pytest.mark.parametrize("seed", range(4))
def test_dates_of_an_issue_make_sense(seed):
    desk = Desk("tracker", seed=seed)
    count = "SELECT count(*) FROM issue i LEFT JOIN milestone s ON s.id = i.milestone WHERE "
    assert desk.value(f"{count} i.milestone") > 20 and desk.value(f"{count} s.state = 'closed'") > 3
    assert desk.value(f"{count} s.due <= i.created") == 0
    assert desk.value(f"{count} i.due <> '' AND i.due <= i.created") == 0
    assert desk.value(f"{count} s.state = 'closed' AND (i.status <> 'Done' OR i.due > s.due)") == 0


def test_a_closed_milestone_takes_nothing(desk):
    key, closed = project(desk), desk.value("SELECT id FROM milestone WHERE project = 1 AND state = 'closed'")
    assert (
        "Choose an open milestone"
        in desk.post(f"/project/{key}/new", title="x", priority="Low", assignee=0, milestone=closed)[1]
    )
    desk.post(f"/project/{key}/issues/bulk", all="on", status="open", new_milestone=closed)
    other = desk.value("SELECT id FROM milestone WHERE project = 2 AND state = 'open'")
    desk.post(f"/project/{key}/issues/bulk", all="on", status="open", new_milestone=other)
    assert desk.changes == []
    old = key_of(desk, "i.milestone = ?", closed)  # what is in it can still be edited
    desk.post(f"/issue/{old}/edit", title="New title", priority="Low", assignee=0, milestone=closed)
    assert desk.value("SELECT milestone FROM issue WHERE title = 'New title'") == closed


def test_a_milestone_with_open_issues_stays_open(desk):
    busy = desk.value("SELECT milestone FROM issue WHERE project = 1 AND milestone AND status = 'Backlog'")
    desk.post(f"/milestone/{busy}/close")
    assert desk.changes == []
    desk.store.db("tracker").execute("UPDATE issue SET status = 'Done' WHERE milestone = ?", (busy,))
    desk.post(f"/milestone/{busy}/close")
    assert desk.value("SELECT state FROM milestone WHERE id = ?", busy) == "closed"


def test_only_members_are_assigned(desk):
    key, issue = project(desk), key_of(desk, "1")
    stranger = desk.value(
        "SELECT id FROM account WHERE id NOT IN (SELECT account FROM member WHERE project = 1) ORDER BY id"
    )
    assert (
        "Choose a member"
        in desk.post(f"/project/{key}/new", title="x", priority="Low", assignee=stranger, milestone=0)[1]
    )
    desk.post(f"/project/{key}/issues/bulk", all="on", new_assignee=stranger)
    desk.post(f"/issue/{issue}/quick", status="Done", priority="Low", assignee=stranger)
    assert desk.changes == []


def test_a_new_issue(desk):
    key = project(desk)
    label = desk.value("SELECT id FROM label WHERE project = 1")
    foreign = desk.value("SELECT id FROM label WHERE project = 2")
    form = [
        ("title", "A <new> one"),
        ("priority", "High"),
        ("assignee", 0),
        ("milestone", 0),
        ("label", label),
        ("label", foreign),
    ]
    for wrong, said in (
        ({"due": "1.2.2027"}, "YYYY-MM-DD"),
        ({"estimate": "many"}, "whole number"),
        ({"estimate": "101"}, "whole number"),
    ):
        status, html = desk.post(f"/project/{key}/new", form, **wrong)
        assert status == 200 and said in html and "A &lt;new&gt; one" in html and f'value="{label}" checked' in html
    assert "needs a title" in desk.post(f"/project/{key}/new", priority="High", assignee=0, milestone=0)[1]
    assert desk.changes == []
    number = desk.value("SELECT max(number) FROM issue WHERE project = 1") + 1
    assert desk.post(f"/project/{key}/new", form) == (303, f"/issue/{key}-{number}")
    id = desk.value("SELECT max(id) FROM issue")
    assert desk.rows("SELECT number, status, due, estimate, reporter FROM issue WHERE id = ?", id) == [
        (number, "Backlog", "", 0, 1)
    ]
    assert desk.rows("SELECT label FROM issue_label WHERE issue = ?", id) == [(label,)]


FILTERS = {
    "status=open": "status NOT IN ('Done', 'Duplicate')",
    "status=Review&priority=High": "status = 'Review' AND priority = 'High'",
    "assignee=0&milestone=0": "assignee = 0 AND milestone = 0",
    "before=2027-06-01": "due <> '' AND due < '2027-06-01'",
    "label=2": "id IN (SELECT issue FROM issue_label WHERE label = 2)",
    "q=page+the": "title || body LIKE '%page%' AND title || body LIKE '%the%'",
}


@pytest.mark.parametrize(("query", "condition"), FILTERS.items())
def test_filters_keep_what_they_say(desk, query, condition):
    html = desk.get(f"/project/{project(desk)}/issues?{query}")[1]
    count = desk.value(f"SELECT count(*) FROM issue WHERE project = 1 AND {condition}")
    assert f"<p>{count} issue{'s' * (count != 1)}. " in html


def test_a_filter_that_cannot_be_read_counts_nothing(desk):
    html = desk.get(f"/project/{project(desk)}/issues?before=soon")[1]
    assert "Write the date as YYYY-MM-DD." in html and "0 issues" not in html


@pytest.mark.parametrize("text", ["%", "_", "!", "'", "\\", "*"])
def test_signs_of_sql_are_plain_text_in_a_search(desk, text):
    status, html = desk.get(f"/find?q={quote(text)}")
    count = sum(text in row[0] or text in row[1] for row in desk.rows("SELECT title, body FROM issue"))
    assert status == 200 and f"<p>{count} issues" in html


def test_pages_sorted_by_priority_hold_every_issue_once(desk):
    key, found, page = project(desk), [], 1
    while True:
        html = desk.get(f"/project/{key}/issues?sort=-priority&page={page}")[1]
        found += [int(value) for value in re.findall(r'name="pick" value="(\d+)"', html)]
        if f"page={page + 1}" not in html:
            break
        page += 1
    order = {"Low": 1, "Normal": 2, "High": 3, "Urgent": 4}
    rows = desk.rows("SELECT id, priority FROM issue WHERE project = 1")
    assert page > 1 and found == [id for id, _ in sorted(rows, key=lambda row: (order[row[1]], row[0]), reverse=True)]


def test_comments_old_and_new_are_all_there(desk):
    issue = desk.value("SELECT issue FROM comment GROUP BY issue HAVING count(*) > 4 ORDER BY issue")
    key = desk.value(
        "SELECT p.key || '-' || i.number FROM issue i JOIN project p ON p.id = i.project WHERE i.id = ?", issue
    )
    shown = [
        re.findall(r"<article><p><b>[^<]*</b>, ([^<]*)</p>", desk.get(f"/issue/{key}{part}")[1])
        for part in ("/older", "")
    ]
    assert len(shown[1]) == 4
    assert shown[0] + shown[1] == [
        row[0] for row in desk.rows("SELECT at FROM comment WHERE issue = ? ORDER BY id", issue)
    ]


def test_the_board_is_marked_and_moves_to_the_top(desk):
    key = project(desk)
    html = desk.get(f"/project/{key}/board")[1]
    assert re.search(r"<body [^>]*data-tw-needs-browser", html) and "<noscript><p>The board needs JavaScript." in html
    id = desk.value("SELECT id FROM issue WHERE project = 1 AND status = 'To do'")
    lane, top = desk.rows("SELECT status, min(rank) FROM issue WHERE project = 1 AND id <> ? GROUP BY status", id)[0]
    for _ in range(2):  # the second time it is there already
        assert desk.post(f"/project/{key}/board/move", issue=id, lane=lane)[0] == 200
        assert desk.rows("SELECT status, rank FROM issue WHERE id = ?", id) == [(lane, top - 1)]
    foreign = desk.value("SELECT id FROM issue WHERE project = 2")
    for issue, column, status in ((id, "Duplicate", 400), (id, "x", 400), (foreign, "Done", 404), ("x", "Done", 404)):
        assert desk.post(f"/project/{key}/board/move", issue=issue, lane=column)[0] == status
    assert len(desk.changes) == 1
    cards = re.findall(r'data-issue="(\d+)"', desk.get(f"/project/{key}/board")[1].split(f'data-lane="{lane}"')[1])
    assert int(cards[0]) == id


def test_a_reminder_is_for_a_later_day_and_there_is_one(desk):
    issue = key_of(desk, "1")
    today = desk.world.now.date()
    for day in ("", "soon", today.isoformat(), (today - datetime.timedelta(1)).isoformat()):
        desk.post(f"/issue/{issue}/reminder", day=day)
    assert desk.changes == []
    for days in (3, 9):
        desk.post(f"/issue/{issue}/reminder", day=(today + datetime.timedelta(days)).isoformat())
    assert [row[2] for row in desk.rows("SELECT * FROM reminder")] == [(today + datetime.timedelta(9)).isoformat()]


def test_the_last_recorded_change_of_priority_led_to_the_one_it_has(desk):
    rows = desk.rows(
        "SELECT e.text, i.priority FROM activity e JOIN issue i ON i.id = e.issue WHERE e.id IN "
        "(SELECT max(id) FROM activity GROUP BY issue) AND e.text LIKE 'changed the priority%'"
    )
    assert rows and all(text.endswith(f" to {priority}") for text, priority in rows)
    desk.post(f"/issue/{key_of(desk, 'priority = ?', 'Low')}/quick", status="Done", priority="High", assignee=0)
    assert (
        desk.value("SELECT text FROM activity WHERE text LIKE 'changed the priority%' ORDER BY id DESC")
        == "changed the priority from Low to High"
    )


def test_preferences_are_kept_and_a_key_leads_to_its_issue(desk):
    desk.post("/preferences", **{"a week is over": "on"})
    assert dict(desk.rows("SELECT name, value FROM preference WHERE account = 1"))["I am assigned"] == "off"
    assert {change.table for change in desk.changes} == {"preference"}
    issue = key_of(desk, "1")
    assert desk.get(f"/find?q={issue.lower()}") == (303, f"/issue/{issue}")


# ---- tasks -----------------------------------------------------------------------------------------------------------


def drafts(name: str) -> list[tuple[World, Draft]]:
    """Some of a template's tasks."""
    template = next(t for t in site_named("tracker").templates() if t.name == f"tracker.{name}")
    worlds = [World(seed, 60) for seed in range(6)]
    found = [(world, template.draw(world, Draw(name, n))) for world in worlds for n in range(3)]
    assert sum(draft is not None for _, draft in found) > 9
    return [(world, draft) for world, draft in found if draft is not None]


def chosen(draft: Draft, name: str) -> str:
    """What the plan fills in, or selects, in the field of that name; "" where it has none."""
    return next((step.text for step in draft.plan if step.name == name), "")


def test_the_busiest_is_not_told_by_the_list_of_members():
    other = 0
    for world, draft in drafts("busiest"):
        db, name = world("tracker"), draft.plan[0].name
        members = db.rows(
            "SELECT a.name FROM issue i JOIN account a ON a.id = i.assignee JOIN project p ON p.id = i.project WHERE "
            "p.name = ? AND i.status NOT IN ('Done', 'Duplicate') GROUP BY a.id ORDER BY count(*) DESC",
            name,
        )
        assert draft.answer is not None and draft.answer.text in members and len(members) > 1
        assert chosen(draft, "Milestone") or chosen(draft, "Label") or chosen(draft, "Priority")
        other += members[0] != draft.answer.text
    assert other >= 3


def test_the_last_change_of_a_priority_is_not_the_only_one():
    for world, draft in drafts("undo_priority"):
        (change,) = draft.changes
        texts = world("tracker").rows(
            "SELECT text FROM activity WHERE issue = ? AND text LIKE 'changed the priority%' ORDER BY id",
            change.key[0][1],
        )
        old = dict(change.values)["priority"]
        assert len(texts) > 1 and f"from {old} " in texts[-1] and f"from {old} " not in texts[0]


def test_several_issues_are_overdue_or_move_on():
    closed = 0
    for world, draft in drafts("overdue_issues"):
        assert draft.answer is not None and len(draft.answer.golds) > 1
        rows = world("tracker").rows(
            "SELECT p.key || '-' || i.number FROM issue i JOIN project p ON p.id = i.project LEFT JOIN account a ON "
            "a.id = i.assignee WHERE p.name = ? AND i.due <> '' AND i.due < ? AND (a.name = ? OR i.priority = ?)",
            draft.plan[0].name,
            chosen(draft, "Due before"),
            chosen(draft, "Assignee"),
            chosen(draft, "Priority"),
        )
        assert {gold for (gold,) in draft.answer.golds} <= set(rows)
        closed += len(rows) > len(draft.answer.golds)
    assert closed >= 3
    for _, draft in drafts("finish_milestone"):
        assert sum(change.table == "issue" for change in draft.changes) > 1
