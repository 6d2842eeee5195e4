"""The tracker: who may change what, links, milestones, the board, and lists against what the database holds."""

import datetime
import re
from urllib.parse import quote

import pytest

from tests.web.sites._desk import Desk
from turnwise.web.site import site_named


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
    assert "Only members of the project may comment." in desk.get(f"/issue/{issue}")[1]
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
    last = desk.rows("SELECT kind, source, target FROM link ORDER BY id DESC LIMIT 2")
    assert last == [("blocks", ids[1], ids[2]), ("blocks", ids[0], ids[1])]
    assert "such a link already" in desk.post(f"/issue/{two}/link", kind="blocked", other=one)[1]
    assert "circle" in desk.post(f"/issue/{three}/link", kind="blocks", other=one)[1]
    assert "circle" in desk.post(f"/issue/{one}/link", kind="blocked", other=three)[1]
    assert len(desk.changes) == 2
    desk.post(f"/issue/{three}/link", kind="duplicates", other=one)
    assert desk.value("SELECT status FROM issue WHERE id = ?", ids[2]) == "Duplicate"
    assert desk.rows("SELECT kind, source, target FROM link ORDER BY id DESC LIMIT 1") == [
        ("duplicates", ids[2], ids[0])
    ]


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
    "before=soon": "0",
    "milestone=x": "0",
}


@pytest.mark.parametrize(("query", "condition"), FILTERS.items())
def test_filters_keep_what_they_say(desk, query, condition):
    html = desk.get(f"/project/{project(desk)}/issues?{query}")[1]
    assert f"<p>{desk.value(f'SELECT count(*) FROM issue WHERE project = 1 AND {condition}')} issues" in html


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
    top = desk.value("SELECT min(rank) FROM issue WHERE project = 1 AND status = 'Review'")
    for _ in range(2):  # the second time it is there already
        assert desk.post(f"/project/{key}/board/move", issue=id, lane="Review")[0] == 200
        assert desk.rows("SELECT status, rank FROM issue WHERE id = ?", id) == [("Review", top - 1)]
    foreign = desk.value("SELECT id FROM issue WHERE project = 2")
    for issue, lane, status in ((id, "Duplicate", 400), (id, "x", 400), (foreign, "Done", 404), ("x", "Done", 404)):
        assert desk.post(f"/project/{key}/board/move", issue=issue, lane=lane)[0] == status
    assert len(desk.changes) == 1
    cards = re.findall(r'data-issue="(\d+)"', desk.get(f"/project/{key}/board")[1].split('data-lane="Review"')[1])
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
