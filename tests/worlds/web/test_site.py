"""Sites, their databases, and what an episode changed."""

import copy
import dataclasses
import pickle
import pkgutil
import sqlite3
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.web import site as author
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.app import WebApp
from turnwise.worlds.web.site.cast import Cast, cast_of
from turnwise.worlds.web.site.pages import Pages
from turnwise.worlds.web.site.registry import BUILT_IN
from turnwise.worlds.web.site.site import Site, register_site, site_named
from turnwise.worlds.web.site.state import Snapshot, Store, connect
from turnwise.worlds.web.site.steps import fill
from turnwise.worlds.web.site.tasks import Answer, Draft, Tasks, World, insert
from turnwise.worlds.web.site.visit import Answered, Refused, Visit

SCHEMA = """CREATE TABLE note (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, text TEXT NOT NULL,
                pinned INTEGER NOT NULL DEFAULT 0, views INTEGER NOT NULL DEFAULT 0);
                CREATE TABLE seen (note INTEGER, day TEXT, PRIMARY KEY (note, day))"""
pages, tasks = Pages(), Tasks()


def fill_slate(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    for number in range(size):
        db.execute("INSERT INTO note (owner, text) VALUES (?, ?)", (1 + number % 2, draw.choice(cast.people).name))


@pages.page("/", signed_in=True)
def home(visit: Visit) -> Answered:
    rows = visit.rows("SELECT id, text FROM note WHERE owner = ? ORDER BY id", visit.user)
    return visit.show("Notes", m.items(m.link(f"/note/{i}", text) for i, text in rows))


@pages.page("/note/{number:int}", signed_in=True)
def note(visit: Visit, number: int) -> Answered:
    owner, text = visit.row("SELECT owner, text FROM note WHERE id = ?", number)
    if owner != visit.user:
        raise Refused("It is somebody else's.")
    visit.run("UPDATE note SET views = views + 1 WHERE id = ?", number)
    return visit.show(text)


@pages.action("/add")
def add(visit: Visit) -> Answered:
    visit.run("INSERT INTO note (owner, text) VALUES (?, ?)", visit.user, visit.text("text"))
    if visit.text("text") == "break":
        raise ZeroDivisionError
    return visit.redirect("/", flash="Added & kept.")


@tasks.template(2)
def count(world: World, draw: Draw) -> Draft | None:
    return Draft("How many?", (), answer=Answer.of("number", world("slate").row("SELECT count(*) FROM note")))


@tasks.template(1)
def write(world: World, draw: Draw) -> Draft | None:
    return Draft("Add x.", (fill("New", "x"),), (insert("slate.note", owner=1, text="x"),))


SLATE = Site("slate", title="Slate", schema=SCHEMA, fill=fill_slate, pages=(pages,), tasks=(tasks,),
             volatile=frozenset({"note.views", "seen"}))  # fmt: skip
register_site(SLATE)


class Client:
    """Requests of one session, without a browser."""

    def __init__(self, store: Store, token: str = "start") -> None:
        self.store, self.token, self.app = store, token, WebApp()

    def __call__(self, path: str, form: dict[str, str] | None = None, host: str = "slate.test") -> tuple[int, str, str]:
        """Status, address of a redirect, body."""
        sent: list[dict[str, object]] = []

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": urlencode(form or {}).encode(), "more_body": False}

        async def send(message: dict[str, object]) -> None:
            sent.append(message)

        path, _, query = path.partition("?")
        headers = [(b"host", host.encode()), (b"cookie", f"sid={self.token}".encode())]
        scope = {"type": "http", "method": "GET" if form is None else "POST", "path": path, "root_path": "",
                 "query_string": query.encode(), "headers": headers, "state": {"store": self.store}}  # fmt: skip
        with pytest.raises(StopIteration):
            self.app(scope, receive, send).send(None)
        answered = {name.decode(): value.decode() for name, value in sent[0]["headers"]}  # type: ignore[attr-defined]
        if "set-cookie" in answered:
            self.token = answered["set-cookie"].partition("sid=")[2].partition(";")[0]
        return sent[0]["status"], answered.get("location", ""), sent[1]["body"].decode()  # type: ignore[return-value, attr-defined]


WORLD = World(5, 20)


def client(user: int = 1) -> Client:
    return Client(Store(WORLD, user, WORLD.now))


def test_pages_actions_and_messages() -> None:
    visit = client()
    assert "Signed in as" in visit("/")[2]
    assert visit("/add", {"text": " <b>x</b> "})[:2] == (303, "/")
    body = visit("/")[2]
    assert "Added &amp; kept." in body
    assert "&lt;b&gt;x&lt;/b&gt;" in body
    assert "kept" not in visit("/")[2], "a message is shown once"
    (change,) = visit.store.changes()
    assert change.op == "insert"
    assert change.after == {"id": 21, "owner": 1, "text": "<b>x</b>", "pinned": 0}, "volatile columns are left out"


def test_refusals() -> None:
    visit = client()
    assert visit("/note/99")[0] == 404
    assert visit("/nope")[0] == 404
    assert visit("/note/2")[0] == 403
    assert visit("/", host="other.test")[0] == 404
    assert visit("/", host="pad.example")[0] == 404
    assert client(user=0)("/note/1")[:2] == (303, "/login?next=/note/1")
    with pytest.raises(ZeroDivisionError):
        visit("/add", {"text": "break"})
    assert visit.store.changes() == [], "what failed has changed nothing"


def test_sign_in_and_out() -> None:
    visit, user = client(user=0), cast_of(5).user
    assert "wrong" in visit("/login", {"email": user.email, "password": "x", "next": "/"})[2]
    for onward, expected in (("/note/1", "/note/1"), ("//evil.test/", "/"), ("http://evil.test", "/")):
        form = {"email": user.email.upper(), "password": user.password, "next": onward}
        assert visit("/login", form)[:2] == (303, expected)
    assert user.name in visit("/")[2]
    assert visit("/logout", {})[0] == 303
    assert visit("/")[0] == 303
    assert visit.store.changes() == [], "sessions do not count"


def test_reading_changes_nothing_that_counts() -> None:
    visit = client()
    visit("/note/1")
    assert visit.store.db("slate").execute("SELECT views FROM note WHERE id = 1").fetchone() == (1,)
    assert visit.store.changes() == []


def test_changes_tell_every_row() -> None:
    store = Store(WORLD, 1, WORLD.now)
    db = store.db("slate")
    db.execute("UPDATE note SET pinned = 1 WHERE id = 3")
    db.execute("UPDATE note SET pinned = 0 WHERE id = 4")
    db.execute("UPDATE note SET text = 7 WHERE id = 5")
    db.execute("DELETE FROM note WHERE id = 6")
    db.execute("UPDATE account SET password = '' WHERE id = 1")
    found = {(c.table, c.op, c.key): c.after for c in store.changes()}
    assert found[("note", "update", (3,))] == {"pinned": 1}
    assert found[("note", "update", (5,))] == {"text": "7"}
    assert found[("note", "delete", (6,))] == {}
    assert found[("account", "update", (1,))] == {"password": ""}
    assert len(found) == 4


def test_copies_are_independent() -> None:
    store = Store(WORLD, 1, WORLD.now)
    store.db("slate").execute("DELETE FROM note WHERE id = 1")
    twins = [store.fork(), pickle.loads(pickle.dumps(store)), copy.deepcopy(store)]
    store.db("slate").execute("DELETE FROM note WHERE id = 2")
    assert [len(twin.changes()) for twin in twins] == [1, 1, 1]
    twins[0].db("slate").execute("DELETE FROM note")
    assert len(store.changes()) == 2


def test_a_table_without_key_is_refused() -> None:
    db = connect()
    db.execute("CREATE TABLE t (a)")
    with pytest.raises(TypeError, match="PRIMARY KEY"):
        _ = Snapshot("x", db.serialize(), frozenset()).tables


def test_snapshots_cannot_be_written() -> None:
    with pytest.raises(sqlite3.OperationalError):
        WORLD("slate").db.execute("DELETE FROM note")


def test_templates_and_names() -> None:
    slate = site_named("slate")
    assert [t.name for t in slate.templates()] == ["slate.count", "slate.write"]
    assert [(t.level, t.sites) for t in slate.templates()] == [(2, ("slate",)), (1, ("slate",))]
    with pytest.raises(SettingsError, match="no site 'nowhere'"):
        site_named("nowhere")
    with pytest.raises(SettingsError, match="one word"):
        dataclasses.replace(SLATE, name="Two words")
    with pytest.raises(SettingsError, match="another site"):
        register_site(dataclasses.replace(SLATE, fill=lambda db, draw, cast, size: None))
    register_site(SLATE)  # what is defined again takes the place of the earlier


def test_no_module_hides_what_authors_import() -> None:
    """Importing a module sets its name in the package."""
    assert not {each.name for each in pkgutil.iter_modules(author.__path__)} & set(author.__all__)
    assert all(getattr(author, name) is not None for name in author.__all__)


def test_nothing_hides_anything() -> None:
    other, more = Pages(), Tasks()
    other.page("/note/{number:int}", signed_in=True)(note)
    with pytest.raises(SettingsError, match=r"GET /note/\{number:int\} of the site slate is handled by both"):
        dataclasses.replace(SLATE, pages=(pages, other))
    more.template(2)(count)
    with pytest.raises(SettingsError, match="slate has two templates named 'count'"):
        dataclasses.replace(SLATE, tasks=(tasks, more))
    other = Pages()
    other.page("/login")(home)
    with pytest.raises(SettingsError, match=r"GET /login .*signing_in\.login_page"):
        dataclasses.replace(SLATE, pages=(other,))


@pytest.mark.parametrize("given", [{"pages": pages}, {"pages": [pages]}, {"pages": (tasks,)}, {"tasks": (note,)}])
def test_parts_are_tuples_of_groups(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=f"{next(iter(given))} of the site slate|of the site slate"):
        dataclasses.replace(SLATE, **given)


@pytest.mark.parametrize("name", BUILT_IN)
def test_content_is_the_same_bytes_twice(name: str) -> None:
    site = site_named(name)
    assert site.build(3, 20).data == site.build(3, 20).data
    assert site.build(3, 20).data != site.build(4, 20).data


def test_the_cast() -> None:
    for seed in range(20):
        cast = cast_of(seed)
        assert len({p.name for p in cast.people}) == len({p.email for p in cast.people}) == 60
        assert len({p.first for p in cast.people}) < 60
        assert len({c.domain for c in cast.companies}) == len(cast.companies)


@given(st.text(), st.text())
@settings(max_examples=50)
def test_texts_are_escaped(text: str, name: str) -> None:
    """Nothing that is not said to be markup ends up as markup."""

    def made(text: str, name: str) -> str:
        return m.join(m.tag("p", text, title=name), [text, m.link(name, text)], m.field(text, name, text))

    for sign in "<>\"'":
        assert made(text, name).count(sign) == made("", "").count(sign)


@given(st.integers(0, 2**60))
@settings(max_examples=30)
def test_draws(seed: int) -> None:
    draw, again = Draw("x", seed), Draw("x", seed)
    things = list(range(9))
    assert draw.shuffled(things) == again.shuffled(things)
    assert sorted(draw.shuffled(things)) == things
    assert len(set(draw.sample(things, 5))) == 5
    assert len(draw.sample(things, 50)) == 9
    assert 3 <= draw.integer(3, 5) <= 5
    assert draw.weighted("ab", (0.0, 1.0)) == "b"
