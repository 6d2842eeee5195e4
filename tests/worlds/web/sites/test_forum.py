"""The forum: voting, writing, locks, moderation; what is refused, and what is counted."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from turnwise.core.draw import Draw
from turnwise.worlds.web.browser.net import Answer, ask
from turnwise.worlds.web.site.app import WebApp
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.site.state import Store
from turnwise.worlds.web.site.tasks import Draft, World
from turnwise.worlds.web.sites.forum import words

APP, WORLD = WebApp(), World(4, 60)
DATA = WORLD("forum")
MINE = DATA.row("SELECT id FROM board WHERE moderator = 1")


class Client:
    """Requests of one episode; user 1 is signed in unless said otherwise."""

    def __init__(self) -> None:
        self.store = Store(WORLD, 1, WORLD.now)

    def ask(self, method: str, path: str, body: bytes = b"", token: str = "start") -> Answer:
        headers = [(b"cookie", f"sid={token}".encode()), (b"content-type", b"application/x-www-form-urlencoded")]
        return ask(APP, self.store, method, f"http://forum.test{path}", headers, body)

    def get(self, path: str) -> str:
        answer = self.ask("GET", path)
        assert answer.status == 200, path
        return answer.body.decode()

    def post(self, path: str, **fields: object) -> Answer:
        return self.ask("POST", path, urlencode(fields).encode())

    def changes(self) -> list[tuple[str, str, dict[str, object]]]:
        return [(c.table, c.op, c.after) for c in self.store.changes()]


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client()
    yield made
    made.store.close()


def one(where: str) -> int:
    """The first thread of which that holds."""
    found: int = DATA.row(
        f"SELECT thread.id FROM thread JOIN board ON board.id = board WHERE {where} ORDER BY thread.id"
    )
    return found


def test_same_seed_same_bytes() -> None:
    site = site_named("forum")
    assert site.build(4, 60).data == DATA.data
    assert site.build(5, 60).data != DATA.data
    assert len(DATA.data) < 200_000


def test_titles_are_unique() -> None:
    for size in (20, 300):
        titles = World(1, size)("forum").rows("SELECT title FROM thread")
        assert len(set(titles)) == len(titles) >= size


def test_looking_changes_nothing(client: Client) -> None:
    paths = (
        "/",
        "/board/1",
        "/board/1/rules",
        "/board/1/new",
        "/thread/1",
        "/thread/1/more?from=0",
        "/search?q=a",
        "/user/1",
        "/user/2",
        "/messages",
        "/settings",
        "/queue",
        "/message/new?to=2",
        f"/warn/2?board={MINE}",
    )
    for path in paths:
        client.get(path)
    assert client.changes() == []


@pytest.mark.parametrize("sort", ["new", "top", "old"])
def test_pages_of_a_board_hold_each_thread_once_in_order(client: Client, sort: str) -> None:
    order = {"new": "at DESC, id DESC", "top": "p DESC, id DESC", "old": "at, id"}[sort]
    board = DATA.row("SELECT board FROM thread GROUP BY board ORDER BY count(*) DESC, board")
    ranked = "points + (SELECT coalesce(sum(value), 0) FROM vote WHERE kind = 'thread' AND item = thread.id) AS p"
    expected = [
        row[0]
        for row in DATA.rows(f"SELECT id, {ranked} FROM thread WHERE board = ? ORDER BY pinned DESC, {order}", board)
    ]
    found: list[int] = []
    for page in range(1, 2 + len(expected) // 10):
        text = client.get(f"/board/{board}?sort={sort}&page={page}")
        found += [int(part.partition('"')[0]) for part in text.split('name="up" value="thread-')[1:]]
    assert found == expected


def test_votes_count_once_turn_and_go_back(client: Client) -> None:
    thread = one("author <> 1 AND NOT EXISTS (SELECT 1 FROM vote WHERE kind = 'thread' AND item = thread.id)")
    points = DATA.row("SELECT points FROM thread WHERE id = ?", thread)
    for verb, value in (("up", 1), ("down", -1), ("up", 1)):
        client.post("/vote", **{verb: f"thread-{thread}", "back": f"/thread/{thread}"})
        assert client.changes() == [
            ("vote", "insert", {"account": 1, "kind": "thread", "item": thread, "value": value})
        ]
        assert f" {points + value} points" in client.get(f"/thread/{thread}")
    client.post("/vote", up=f"thread-{thread}")
    assert client.changes() == []


def test_own_posts_and_nonsense_get_no_vote(client: Client) -> None:
    client.post("/vote", up=f"thread-{one('author = 1')}")
    assert [
        client.post("/vote", up=value).status for value in ("thread-99999", "board-1", "thread-x", "comment-0", "")
    ] == [404] * 5
    assert client.changes() == []
    assert client.ask("POST", "/vote", b"up=thread-1", token="nobody").status == 303  # to the login page
    assert client.changes() == []
    assert dict(client.post("/vote", back="//evil.test").headers)[b"location"] == b"/"


def test_locked_threads_take_no_comment(client: Client) -> None:
    thread = one("locked = 1 AND EXISTS (SELECT 1 FROM comment WHERE thread = thread.id)")
    comment = DATA.row("SELECT id FROM comment WHERE thread = ? ORDER BY id", thread)
    assert "This thread is locked" in client.get(f"/thread/{thread}")
    assert "Post comment" not in client.get(f"/thread/{thread}")
    answers = [
        client.post(f"/thread/{thread}/reply", body="x"),
        client.post(f"/comment/{comment}/reply", body="x"),
        client.post(f"/comment/{comment}/reply", body=""),
        client.ask("GET", f"/comment/{comment}/reply"),
    ]
    assert [answer.status for answer in answers] == [403] * 4
    assert client.changes() == []


def test_answers_to_answers_belong_to_the_comment_above(client: Client) -> None:
    comment, thread, parent = DATA.row(
        "SELECT comment.id, thread, parent FROM comment JOIN thread ON thread.id = thread WHERE parent > 0 AND "
        "locked = 0 ORDER BY comment.id"
    )
    client.post(f"/comment/{comment}/reply", body="Quite so")
    ((_, _, row),) = client.changes()
    assert (row["thread"], row["parent"]) == (thread, parent)
    assert b"Write something." in client.post(f"/comment/{comment}/reply", body=" ").body


def test_comments_are_loaded_in_pieces_each_once(client: Client) -> None:
    thread, count = DATA.row("SELECT thread, count(*) FROM comment GROUP BY thread ORDER BY count(*) DESC, thread")
    for sort in ("old", "new", "top"):
        page, parts, first = client.get(f"/thread/{thread}?sort={sort}"), "", 0
        while "/more?" in page:
            parts, first = parts + page, first + 10
            page = client.get(f"/thread/{thread}/more?sort={sort}&from={first}")
        shown = [part.partition('"')[0] for part in (parts + page).split('name="up" value="comment-')[1:]]
        assert first > 0
        assert len(shown) == len(set(shown)) == count
        if sort == "top":
            best = DATA.row("SELECT id FROM comment WHERE thread = ? AND parent = 0 ORDER BY points DESC, id", thread)
            assert shown[0] == str(best)


def test_writing_checks_what_was_written(client: Client) -> None:
    for fields, text in (
        ({"title": "x", "body": "y"}, "3 to 120"),
        ({"title": "x" * 121, "body": "y"}, "3 to 120"),
        ({"title": "fine", "body": ""}, "Write a text"),
        ({"title": "fine", "body": "y" * 10001}, "too long"),
    ):
        answer = client.post("/board/1/new", **fields)
        assert answer.status == 200
        assert text in answer.body.decode()
    assert client.post("/board/99/new", title="fine", body="y").status == 404
    assert client.changes() == []
    client.post("/board/1/new", title=" <b>fine</b> ", body="y")
    ((_, _, row),) = client.changes()
    assert row["title"] == "<b>fine</b>"
    assert "<b>" not in client.get("/board/1")


def test_only_authors_edit_and_delete(client: Client) -> None:
    own, other = one("author = 1"), one("author <> 1 AND moderator <> 1")
    comment = DATA.row("SELECT id FROM comment WHERE author <> 1 ORDER BY id")
    assert client.post(f"/thread/{other}/edit", title="Mine now", body="x").status == 403
    assert client.post(f"/comment/{comment}/edit", body="x").status == 404
    assert client.post("/vote", delete=f"thread-{other}").status == 403
    assert client.post("/vote", delete=f"comment-{comment}").status == 403
    assert client.post("/vote", remove=f"thread-{other}").status == 403
    assert client.changes() == []
    client.post(f"/thread/{own}/edit", title="New title", body="New text")
    assert client.changes()[0][2]["title"] == "New title"
    client.post("/vote", delete=f"thread-{own}")
    assert client.changes()[0][2]["removed"] == 1
    assert client.ask("GET", f"/thread/{own}").status == 404


def test_deleted_comments_leave_their_answers(client: Client) -> None:
    parent, thread = DATA.row(
        "SELECT p.id, p.thread FROM comment p JOIN comment c ON c.parent = p.id JOIN thread ON thread.id = p.thread "
        "JOIN board ON board.id = thread.board WHERE moderator = 1 ORDER BY p.id"
    )
    said = DATA.row("SELECT body FROM comment WHERE id = ?", parent)
    before = client.get(f"/thread/{thread}?sort=old")
    client.post("/vote", remove=f"comment-{parent}")
    assert client.changes() == [("comment", "update", {"removed": 2})]
    after = client.get(f"/thread/{thread}?sort=old")
    assert said in before
    assert said not in after
    assert "(removed by a moderator)" in after
    assert client.post(f"/comment/{parent}/reply", body="x").status == 404


def test_the_queue(client: Client) -> None:
    """A decision settles a report once; others than the moderator may not decide."""
    report, thread, comment = DATA.row(
        "SELECT id, thread, comment FROM report WHERE status = 'open' AND comment > 0 ORDER BY id"
    )
    client.post("/queue", remove=report)
    assert client.changes() == [("comment", "update", {"removed": 2}), ("report", "update", {"status": "removed"})]
    assert client.post("/queue", approve=report).status == 404
    assert client.post("/queue", approve="x").status == 404
    db = client.store.db("forum")
    db.execute("UPDATE board SET moderator = 2")
    assert client.post("/queue", approve=report + 1).status == 403
    assert client.ask("GET", "/queue").status == 403
    assert client.post(f"/thread/{thread}/moderate", do="lock").status == 403
    assert client.ask("GET", f"/warn/2?board={MINE}").status == 403
    assert comment


def test_moderators_tools(client: Client) -> None:
    thread, other = one("moderator = 1 AND locked = 0 AND pinned = 0"), one("moderator <> 1")
    for do, column in (("lock", "locked"), ("pin", "pinned")):
        client.post(f"/thread/{thread}/moderate", do=do)
        assert client.changes() == [("thread", "update", {column: 1})]
        client.post(f"/thread/{thread}/moderate", do=do)
        assert client.changes() == []
    assert client.post(f"/thread/{thread}/moderate", do="move", to=MINE).status == 404
    assert client.post(f"/thread/{thread}/moderate", do="move", to=99).status == 404
    assert client.post(f"/thread/{other}/moderate", do="pin").status == 403
    assert "Moderator tools" not in client.get(f"/thread/{other}")


def test_reports_and_warnings(client: Client) -> None:
    comment, board, thread = DATA.row(
        "SELECT comment.id, board, thread FROM comment JOIN thread ON thread.id = thread WHERE comment.author <> 1 "
        "ORDER BY comment.id"
    )
    assert b"Choose a rule." in client.post("/report", comment=comment, rule=9).body
    assert client.post("/report", thread=one("author = 1"), rule=1).status == 403
    for _ in range(2):  # the second one is not kept
        client.post("/report", comment=comment, rule=2)
    ((table, _, row),) = client.changes()
    assert (table, row["board"], row["thread"], row["rule"]) == ("report", board, thread, 2)
    answer = client.post("/warn/2", board=MINE, rule=0, text="")
    assert b"Choose a rule." in answer.body
    assert b"Write a text" in answer.body
    assert client.post("/warn/1", board=MINE, rule=1, text="x").status == 404


def test_messages(client: Client) -> None:
    private = DATA.row("SELECT id FROM message WHERE 1 NOT IN (sender, recipient) ORDER BY id")
    assert client.ask("GET", f"/message/{private}").status == 404
    assert client.post("/message/new", to=1, subject="a", body="b").status == 403
    assert client.post("/message/new", to=99, subject="a", body="b").status == 404
    assert b"1 to 120" in client.post("/message/new", to=2, subject="", body="b").body
    assert client.changes() == []
    client.post("/message/new", to=2, subject="a", body="b")
    assert client.changes()[0][2]["recipient"] == 2


@pytest.mark.parametrize("words", ["%", "_", "\\", "'", '"', "<b>", "a' OR 1=1 --", "?"])
def test_special_characters_in_a_search_stand_for_themselves(client: Client, words: str) -> None:
    texts = DATA.rows("SELECT title || ' ' || body FROM thread WHERE removed = 0")
    expected = sum(all(word.lower() in text.lower() for word in words.split()) for text in texts)
    page = client.get(f"/search?{urlencode({'q': words})}")
    assert (f"{expected} thread" if expected else "No thread was found") in page


def test_counts_on_the_first_page(client: Client) -> None:
    for number, title, count in DATA.rows(
        "SELECT board.id, board.title, count(*) FROM board JOIN thread ON board = board.id GROUP BY 1"
    ):
        assert f'<a href="/board/{number}">{title}</a></td>' in client.get("/")
        assert f"<td>{count}</td>" in client.get("/").partition(f"/board/{number}")[2].partition("</tr>")[0]


def test_what_is_left_to_load_is_counted_with_answers(client: Client) -> None:
    thread, count = DATA.row("SELECT thread, count(*) FROM comment GROUP BY thread ORDER BY count(*) DESC, thread")
    page = client.get(f"/thread/{thread}")
    shown = page.count('name="up" value="comment-')
    assert 10 <= shown < count
    left = count - shown
    assert f">{left} more comment{'s' if left > 1 else ''}. <" in page
    assert f">{count} comments</h2>" in page


def test_the_page_of_a_member_leads_to_each_comment(client: Client) -> None:
    thread, comment, author = DATA.row(
        "SELECT thread, id, author FROM comment WHERE thread = (SELECT thread FROM comment GROUP BY thread ORDER BY "
        "count(*) DESC, thread) ORDER BY id DESC"
    )
    path = f"/thread/{thread}?comment={comment}"
    assert f'href="{path}#comment-{comment}"' in client.get(f"/user/{author}")
    mark = f'id="comment-{comment}"'
    assert mark in client.get(path)
    assert mark not in client.get(f"/thread/{thread}")


def test_reports_are_marked_for_those_whom_they_concern(client: Client) -> None:
    thread, comment = DATA.row("SELECT thread, comment FROM report WHERE comment > 0 ORDER BY id")
    assert ", 1 open report</p>" in client.get(f"/thread/{thread}?comment={comment}")
    elsewhere, other = DATA.row(
        "SELECT thread, comment.id FROM comment JOIN thread ON thread.id = thread JOIN board ON board.id = board WHERE "
        "moderator <> 1 AND comment.author <> 1 AND thread.author <> 1 ORDER BY comment.id"
    )
    client.post("/report", comment=other, rule=1)
    page = client.get(f"/thread/{elsewhere}?comment={other}")
    assert page.count("reported by you") == 1
    client.post("/report", thread=elsewhere, rule=1)
    assert client.get(f"/thread/{elsewhere}?comment={other}").count("reported by you") == 2
    assert "open report" not in page


def test_a_search_shows_why_a_thread_was_found(client: Client) -> None:
    title, body = DATA.row("SELECT title, body FROM thread WHERE body LIKE '%weekend%' AND title NOT LIKE '%weekend%'")
    page = client.get(f"/search?{urlencode({'q': f'weekend {title}'})}")
    piece = page.partition(f">{title}</a>")[2].partition("<p>")[2].partition("</p>")[0]
    assert "weekend" in piece
    assert piece.removesuffix(" …") in body
    assert len(piece) < 60
    assert (
        "<p>"
        not in client.get(f"/search?{urlencode({'q': title})}").partition(f">{title}</a>")[2].partition("</li>")[0]
    )


def test_messages_say_what_was_done(client: Client) -> None:
    thread, own = one("moderator = 1 AND locked = 0 AND pinned = 0 AND author <> 1"), one("author = 1")
    for do, state in (("lock", "locked"), ("lock", "unlocked"), ("pin", "pinned"), ("pin", "unpinned")):
        client.post(f"/thread/{thread}/moderate", do=do)
        assert f"The thread is {state}." in client.get(f"/thread/{thread}")
    client.post("/vote", delete=f"thread-{own}")
    assert "Your thread is deleted." in client.get("/")
    client.post("/vote", remove=f"thread-{thread}")
    assert "The thread is removed." in client.get("/")


def test_who_comes_from_the_rules_is_not_sent_to_them(client: Client) -> None:
    form = client.get("/board/1/new")
    assert 'role="dialog"' in form
    assert form.partition('role="dialog"')[2].count('href="/board/1/rules"') == 1
    path = client.get("/board/1/rules").partition('href="/board/1/new')[2].partition('"')[0]
    assert 'role="dialog"' not in client.get(f"/board/1/new{path}")


def test_settings_list_what_one_is_subscribed_to(client: Client) -> None:
    board, title = DATA.row("SELECT board, title FROM subscription JOIN board ON id = board WHERE account = 1")
    link = f'<a href="/board/{board}">{title}</a>'
    assert link in client.get("/settings")
    client.post(f"/board/{board}/subscribe")
    page = client.get("/settings")
    assert f"You are no longer subscribed to {title}." in page
    assert link not in page


def test_things_name_one_board_each() -> None:
    things = [(board.title, thing) for board in words.BOARDS for thing in board.things]
    assert len({thing for _, thing in things}) == len(things)
    for pattern in (*words.QUESTIONS, *words.STORIES):
        for board, thing in things:
            title = pattern.format(thing=thing)
            assert {place for place, other in things if other in title} == {board}


def drafts(name: str, count: int = 12, size: int = 60) -> list[tuple[Draft, World]]:
    """Tasks of a template, of several worlds."""
    (template,) = (t for t in site_named("forum").templates() if t.name == f"forum.{name}")
    worlds = [World(seed, size) for seed in range(count)]
    found = [(template.draw(world, Draw("test", name, world.seed)), world) for world in worlds]
    return [(draft, world) for draft, world in found if draft is not None]


def test_a_thread_is_moved_to_where_its_subject_is_at_home() -> None:
    for draft, world in drafts("move_thread"):
        ((_, to),) = draft.changes[0].values
        title = world("forum").row("SELECT title FROM thread WHERE id = ?", dict(draft.changes[0].key)["id"])
        things = words.BOARDS[to - 1].things
        assert any(thing in title for thing in things), title


def test_who_is_warned_wrote_what_the_warning_is_for() -> None:
    for draft, world in drafts("warn_author"):
        wanted = dict(draft.changes[0].values)
        key = world("forum").row("SELECT key FROM rule WHERE board = ? AND number = ?", wanted["board"], wanted["rule"])
        title = draft.plan[1].text
        authors = world("forum").rows(
            "SELECT t.author FROM thread t WHERE t.title = ? AND t.breaks = ? UNION ALL SELECT c.author FROM comment c "
            "JOIN thread t ON t.id = c.thread WHERE t.title = ? AND c.breaks = ?",
            title,
            key,
            title,
            key,
        )
        assert authors == [wanted["account"]]


def test_what_is_reported_stands_among_other_comments() -> None:
    for draft, world in drafts("report_offence"):
        thread = dict(draft.changes[0].values)["thread"]
        assert world("forum").row("SELECT count(*) FROM comment WHERE thread = ?", thread) >= 4


def test_adding_up_points_takes_two_filters() -> None:
    answers = []
    for draft, world in drafts("add_up_points"):
        given = {step.name: step.text for step in draft.plan if step.verb in ("fill", "select")}
        assert len(given) == 2
        rows = world("forum").rows(
            "SELECT thread.title || ' ' || body, name, board.title, points + (SELECT coalesce(sum(value), 0) FROM vote "
            "WHERE kind = 'thread' AND item = thread.id) FROM thread JOIN account ON account.id = author JOIN board ON "
            "board.id = board"
        )
        places = {"Words in title or text": 0, "Author": 1, "Board": 2}
        tests = [[value.lower() in row[places[name]].lower() for name, value in given.items()] for row in rows]
        assert draft.answer is not None
        assert draft.answer.text == str(sum(row[3] for row, test in zip(rows, tests, strict=True) if all(test)))
        assert all(sum(test[place] for test in tests) > sum(map(all, tests)) for place in (0, 1))
        answers.append(draft.answer.text)
    assert len(set(answers)) > 0.7 * len(answers)


def test_the_oldest_busy_thread_is_one_of_several() -> None:
    for draft, world in drafts("oldest_busy"):
        board, limit = draft.plan[0].name, max(int(word) for word in draft.instruction.split() if word.isdigit())
        authors = world("forum").rows(
            "SELECT name FROM thread JOIN account ON account.id = author JOIN board ON board.id = board WHERE "
            "board.title = ? AND (SELECT count(*) FROM comment WHERE thread = thread.id) > ? ORDER BY at",
            board,
            limit,
        )
        assert draft.answer is not None
        assert draft.answer.text == authors[0]
        assert len(set(authors)) > 1
