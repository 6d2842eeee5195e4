"""The mail site: folders, writing, contacts, calendar; what is refused, and that nothing is lost or doubled."""

from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.draw import Draw
from turnwise.worlds.web.browser.net import Answer, ask
from turnwise.worlds.web.site.app import WebApp
from turnwise.worlds.web.site.plan import perform, whole_plan
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.site.state import Store
from turnwise.worlds.web.site.tasks import World
from turnwise.worlds.web.sites.mail.data import DAY_NAMES, clock, colleagues, months_before
from turnwise.worlds.web.sites.mail.pages.contacts import addresses
from turnwise.worlds.web.sites.mail.tasks.meetings import common_starts
from turnwise.worlds.web.sites.mail.words import LETTERS

APP, WORLD = WebApp(), World(5, 60)
DATA = WORLD("mail")


class Client:
    """Requests of one episode; user 1 is signed in."""

    def __init__(self) -> None:
        self.store = Store(WORLD, 1, WORLD.now)

    def ask(self, method: str, path: str, body: bytes = b"") -> Answer:
        headers = [(b"cookie", b"sid=start"), (b"content-type", b"application/x-www-form-urlencoded")]
        return ask(APP, self.store, method, f"http://mail.test{path}", headers, body)

    def get(self, path: str) -> str:
        answer = self.ask("GET", path)
        assert answer.status == 200, path
        return answer.body.decode()

    def post(self, path: str, fields: object = ()) -> Answer:
        return self.ask("POST", path, urlencode(fields, doseq=True).encode())  # type: ignore[arg-type]

    def changes(self) -> list[tuple[str, str, dict[str, object]]]:
        return [(c.table, c.op, c.after) for c in self.store.changes()]


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client()
    yield made
    made.store.close()


def ids(where: str) -> list[int]:
    found: list[int] = DATA.rows(f"SELECT id FROM mail WHERE owner = 1 AND {where} ORDER BY sent DESC, id DESC")
    return found


def test_same_seed_same_bytes() -> None:
    site = site_named("mail")
    assert site.build(5, 60).data == DATA.data
    assert site.build(6, 60).data != DATA.data
    assert len(DATA.data) < 200_000


def test_reading_changes_nothing_that_counts(client: Client) -> None:
    unread = DATA.row("SELECT id FROM mail WHERE unread = 1 ORDER BY id")
    client.get(f"/mail/{unread}")
    assert client.store.db("mail").execute("SELECT unread FROM mail WHERE id = ?", (unread,)).fetchone() == (0,)
    for path in (
        "/",
        "/folder/sent",
        "/labels",
        "/label/2",
        "/contacts",
        "/calendar",
        "/calendar/times",
        "/compose",
        "/settings",
    ):
        client.get(path)
    assert client.changes() == []


def test_lists_are_in_order_and_whole(client: Client) -> None:
    """The pages of the inbox hold each mail once, the latest first."""
    found: list[int] = []
    page = 1
    while len(found) < len(ids("folder = 'inbox'")):
        rows = client.get(f"/?page={page}").split('name="mail" value="')[1:]
        found += [int(row.partition('"')[0]) for row in rows]
        page += 1
    assert found == ids("folder = 'inbox'")
    assert client.get("/?page=999").count('name="mail"') > 0  # the last page


@pytest.mark.parametrize("words", ["%", "_", "100%", "\\", "'", '"', "<b>", "a' OR 1=1 --"])
def test_special_characters_in_a_search_stand_for_themselves(client: Client, words: str) -> None:
    expected = [
        text
        for text in DATA.rows(
            "SELECT subject || ' ' || body || ' ' || name || ' ' || sender FROM mail WHERE owner = 1 AND folder NOT "
            "IN ('drafts', 'trash')"
        )
        if all(word.lower() in text.lower() for word in words.split())
    ]
    found = client.get(f"/search?{urlencode({'q': words})}")
    assert found.count('name="mail"') == min(12, len(expected))
    assert client.get(f"/contacts?{urlencode({'q': words})}").count("/contact/") == 1  # the link to a new one


def test_search_by_sender_label_and_folder(client: Client) -> None:
    name, count = DATA.row(
        "SELECT name, count(*) FROM mail WHERE kind = 'newsletter' AND folder = 'inbox' GROUP BY name ORDER BY "
        "count(*), name"
    )
    assert client.get(f"/search?{urlencode({'sender': name, 'folder': 'inbox'})}").count('name="mail"') == count
    labelled = DATA.row(
        "SELECT count(*) FROM mail_label JOIN mail ON mail.id = mail WHERE label = 5 AND folder <> 'trash'"
    )
    assert client.get("/search?label=5").count('name="mail"') == labelled


def test_delete_restore_and_undo_leave_no_trace(client: Client) -> None:
    first, second, *_ = ids("folder = 'inbox'")
    answer = client.post("/mails", [("mail", first), ("mail", second), ("do", "delete"), ("back", "/")])
    assert answer.status == 303
    assert [c[2] for c in client.changes()] == [{"folder": "trash", "was": "inbox"}] * 2
    location = dict(answer.headers)[b"location"].decode()
    assert "Undo the deletion" in client.get(location)
    client.post("/mails", [("mail", first), ("mail", second), ("do", "restore"), ("back", "/")])
    assert client.changes() == []


def test_moves_that_a_folder_does_not_allow(client: Client) -> None:
    sent = ids("folder = 'sent'")[0]
    for do in ("archive", "inbox", "restore", "erase", "discard"):
        client.post("/mails", {"mail": sent, "do": do})
    client.post("/mails", {"do": "delete"})
    client.post("/mails", {"mail": "x", "do": "delete"})
    client.post("/mails", {"mail": sent, "do": "label", "label": 99})
    assert client.changes() == []
    assert client.post("/mails", {"mail": sent, "do": "burn"}).status == 404


def test_labels_once_and_off_again(client: Client) -> None:
    mail = DATA.row("SELECT id FROM mail WHERE owner = 1 AND id NOT IN (SELECT mail FROM mail_label) ORDER BY id")
    for _ in range(2):
        client.post("/mails", {"mail": mail, "do": "label", "label": 3})
    assert client.changes() == [("mail_label", "insert", {"mail": mail, "label": 3})]
    client.post("/mails", {"mail": mail, "do": "unlabel", "label": 3})
    assert client.changes() == []
    assert b"There is a label of that name." in client.post("/labels", {"name": "FINANCE"}).body
    assert b"A label needs a name." in client.post("/labels", {"name": "  "}).body


def test_other_peoples_things(client: Client) -> None:
    """Mails, contacts and events of others are not there."""
    mail = DATA.row("SELECT id FROM mail WHERE owner = 2")
    contact = DATA.row("SELECT id FROM contact WHERE owner = 2")
    event = DATA.row("SELECT id FROM event WHERE owner = 2")
    paths = (
        f"/mail/{mail}",
        f"/compose?reply={mail}",
        f"/compose?forward={mail}",
        f"/contact/{contact}",
        f"/contact/{contact}/edit",
        f"/compose?contact={contact}",
        f"/event/{event}",
        f"/event/{event}/edit",
        "/mail/99999",
        "/folder/other",
    )
    assert [client.ask("GET", path).status for path in paths] == [404] * len(paths)
    posts = (
        (f"/contact/{contact}/edit", {"name": "x", "email": "x@y.test"}),
        (f"/contact/{contact}/delete", {}),
        (f"/event/{event}/delete", {}),
        (f"/event/{event}/reply", {"reply": "declined"}),
        ("/compose", {"reply": mail, "body": "x"}),
    )
    assert [client.post(path, fields).status for path, fields in posts] == [404] * len(posts)
    client.post("/mails", {"mail": mail, "do": "delete"})
    assert client.changes() == []
    assert "This is private." not in client.get("/search?q=private")


def test_sending_checks_what_was_written(client: Client) -> None:
    fields = {"to": "a@b.test", "subject": "S", "body": "B", "do": "send"}
    for change, text in (
        ({"to": "Ada"}, "is not a mail address"),
        ({"to": ""}, "Say to whom"),
        ({"subject": ""}, "needs a subject"),
        ({"body": " "}, "has no text"),
        ({"body": "x" * 20001}, "too long"),
    ):
        answer = client.post("/compose", fields | change)
        assert answer.status == 200
        assert text in answer.body.decode()
    assert client.changes() == []
    client.post("/compose", {**fields, "to": "B@b.test, Ann <a@b.test>; b@B.test", "pick": ["c@d.test", "a@b.test"]})
    ((table, op, row),) = client.changes()
    assert (table, op, row["recipients"], row["folder"]) == ("mail", "insert", "a@b.test, b@b.test, c@d.test", "sent")


def test_reply_and_forward(client: Client) -> None:
    answer = DATA.row("SELECT id FROM mail WHERE kind = 'answers' ORDER BY id")
    thread, sender, subject = DATA.row("SELECT thread, sender, subject FROM mail WHERE id = ?", answer)
    client.post("/compose", {"reply": answer, "to": "evil@x.test", "body": "Pity", "do": "send"})
    ((_, _, row),) = client.changes()
    assert (row["thread"], row["recipients"], row["subject"]) == (thread, sender, subject)  # "Re: " is not doubled
    client.post("/compose", {"forward": answer, "to": "a@b.test", "do": "send"})
    row = client.changes()[1][2]
    assert (row["forward_of"], row["subject"], row["body"]) == (answer, f"Fwd: {subject}", "")
    assert "other mails of this thread" in client.get(f"/mail/{answer}")


def test_drafts_are_kept_sent_and_discarded(client: Client) -> None:
    client.post("/compose", {"to": "a@b.test", "subject": "", "body": "half", "do": "save"})
    ((_, _, row),) = client.changes()
    assert row["folder"] == "drafts"
    new = row["id"]
    assert (
        b"needs a subject"
        in client.post("/compose", {"draft": new, "to": "a@b.test", "body": "whole", "do": "send"}).body
    )
    client.post("/compose", {"draft": new, "to": "a@b.test", "subject": "S", "body": "whole", "do": "send"})
    ((_, _, row),) = client.changes()
    assert (row["folder"], row["body"], row["id"]) == ("sent", "whole", new)
    assert client.ask("GET", f"/compose?draft={new}").status == 404
    draft = ids("folder = 'drafts'")[0]
    client.post("/mails", {"mail": draft, "do": "discard", "back": "/folder/drafts"})
    assert ("mail", "delete", {}) in client.changes()


def test_redirects_stay_on_the_site(client: Client) -> None:
    for back in ("//evil.test/", "https://evil.test/", "evil"):
        answer = client.post("/mails", {"mail": ids("folder = 'inbox'")[0], "do": "read", "back": back})
        assert dict(answer.headers)[b"location"] == b"/"


def test_contacts(client: Client) -> None:
    number, name, email = DATA.row("SELECT id, name, email FROM contact WHERE owner = 1 ORDER BY id")
    other = DATA.row("SELECT email FROM contact WHERE owner = 1 AND id <> ? ORDER BY id", number)
    for fields, text in (
        ({"name": ""}, "needs a name"),
        ({"email": "x"}, "not a mail address"),
        ({"email": other}, "has that address"),
        ({"phone": "call me"}, "only digits"),
    ):
        assert text in client.post(f"/contact/{number}/edit", {"name": name, "email": email} | fields).body.decode()
    assert client.changes() == []
    client.post("/contact/new", {"name": "Zed", "email": "Z@z.test"})
    assert [c[2].get("email") for c in client.changes()] == ["z@z.test"]
    client.post(f"/contact/{number}/delete")
    assert client.changes()[0] == ("contact", "delete", {})
    found = client.get(f"/people?{urlencode({'find': name.split()[1], 'pick': other})}")
    assert found.count('type="checkbox"') >= 1
    assert f'value="{other}" checked' in found


def test_events(client: Client) -> None:
    fields = {"title": "T", "day": "2027-05-04", "start": "9:00", "until": "10:30", "guests": "b@b.test,a@a.test"}
    for change, text in (
        ({"title": ""}, "needs a title"),
        ({"day": "4 May"}, "YYYY-MM-DD"),
        ({"start": "25:00"}, "HH:MM"),
        ({"until": "09:00"}, "must end after"),
        ({"guests": "Bob"}, "not a mail address"),
        ({"day": "9999-12-31"}, "YYYY-MM-DD"),
    ):
        assert text in client.post("/event/new", fields | change).body.decode()
    client.post("/event/new", fields)
    ((_, _, row),) = client.changes()
    assert (row["start"], row["guests"]) == ("09:00", "a@a.test, b@b.test")
    number = row["id"]
    client.post(f"/event/{number}/edit", {**fields, "start": "09:30"})
    assert client.changes()[0][2]["start"] == "09:30"
    client.post(f"/event/{number}/delete")
    assert client.changes() == []
    assert client.ask("GET", "/calendar?day=0001-01-01").status == 404


def test_invitations_are_answered_once_or_again(client: Client) -> None:
    number, mail = DATA.row("SELECT id, mail FROM event WHERE status = 'invited' ORDER BY id")
    client.post(f"/event/{number}/reply", {"reply": "declined"})
    assert client.changes() == [("event", "update", {"status": "declined"})]
    client.post(f"/event/{number}/reply", {"reply": "confirmed"})
    assert client.changes() == [("event", "update", {"status": "confirmed"})]
    assert client.post(f"/event/{number}/reply", {"reply": "perhaps"}).status == 404
    assert client.ask("GET", f"/event/{number}/edit").status == 404  # it is somebody else's event
    own = DATA.row("SELECT id FROM event WHERE owner = 1 AND mail = 0 ORDER BY id")
    assert client.post(f"/event/{own}/reply", {"reply": "declined"}).status == 404
    page = client.get(f"/mail/{mail}")
    assert "<td>Accepted</td>" in page and "Decline</button>" in page and "Accept</button>" not in page


def test_an_invitation_is_answered_where_it_is_seen(client: Client) -> None:
    number, mail, host = DATA.row("SELECT id, mail, guests FROM event WHERE status = 'invited' ORDER BY id")
    page = client.get(f"/event/{number}")
    assert f'<th scope="row">Organiser</th><td>{host}</td>' in page and "Guests" not in page
    for seen, path in (("mail", f"/mail/{mail}"), ("event", f"/event/{number}")):
        assert f'name="seen" value="{seen}"' in client.get(path)
        answer = client.post(f"/event/{number}/reply", {"reply": "declined", "seen": seen})
        assert dict(answer.headers)[b"location"].decode() == path
    client.post("/mails", {"mail": mail, "do": "delete"})
    client.post("/mails", {"mail": mail, "do": "erase"})
    assert "Show the mail" not in client.get(f"/event/{number}")


def test_find_a_time_agrees_with_a_search_by_minutes(client: Client) -> None:
    """The table says "free" for all exactly where half an hour is free for all."""
    people = list(colleagues(60))[:3]
    days = DATA.rows("SELECT DISTINCT day FROM event WHERE owner = 2 ORDER BY day")[:4]
    for day in days:
        starts = common_starts(WORLD, people, WORLD.now.date().fromisoformat(day), 30)
        page = client.get(f"/calendar/times?day={day}&{urlencode([('who', p) for p in people])}")
        rows = [row.split("</tr>")[0] for row in page.split("<tr><td>")[1:]]
        free = [row[:5] for row in rows if "busy" not in row]
        assert len(rows) == 16
        assert free == [clock(start) for start in starts]


def test_one_workshop_date_is_free() -> None:
    for seed in range(8):
        data = World(seed, 60)("mail")
        for topic in {fact.split("|")[0] for fact in data.rows("SELECT fact FROM mail WHERE kind = 'option'")}:
            clashes = data.rows(
                "SELECT EXISTS (SELECT 1 FROM event o WHERE o.owner = 1 AND o.status = 'confirmed' AND o.day = e.day "
                "AND o.start < e.until AND e.start < o.until) FROM event e WHERE e.title LIKE ? ORDER BY e.id",
                f"{topic}, option %",
            )
            assert sorted(clashes) == [0, 1, 1]


@given(st.text(), st.lists(st.text(max_size=20), max_size=3))
@settings(max_examples=200)
def test_addresses_are_bounded_and_normal(typed: str, picked: list[str]) -> None:
    found, error = addresses(typed, picked)
    assert bool(error) or addresses(found, []) == (found, "")


def test_an_address_may_stand_in_brackets(client: Client) -> None:
    """As the head of a mail shows it."""
    number, name, sender = DATA.row("SELECT id, name, sender FROM mail WHERE kind = 'letter' ORDER BY id")
    assert f"<td>{name} ({sender})</td>" in client.get(f"/mail/{number}")
    assert addresses(f"{name} ({sender}), Bo <b@c.test>", []) == (", ".join(sorted([sender, "b@c.test"])), "")
    assert addresses("Ada (work)", [])[1]


def test_lists_offer_what_makes_sense(client: Client) -> None:
    inbox, sent, first = client.get("/"), client.get("/folder/sent"), ids("folder = 'inbox'")[0]
    assert "Mark as read" in inbox and "Mark as read" not in client.get(f"/mail/{first}")
    assert '<div id="labelling" hidden>' in inbox
    assert "<th>To</th>" in sent and "To: " not in sent
    assert "To: " in client.get(f"/search?{urlencode({'folder': 'sent'})}")


def test_letters_are_about_things_that_fit() -> None:
    """Each letter is one of those that are written down, and the replies asked for answer it."""
    known = {
        (letter.subject.format(thing=thing, day=day), letter.body.format(thing=thing, day=day)): letter.replies
        for letter in LETTERS
        for thing in letter.things
        for day in DAY_NAMES
    }
    replies = {}
    for subject, body in DATA.rows("SELECT subject, body FROM mail WHERE kind = 'letter'"):
        replies[subject] = known[subject, body.split("\n")[1]]
    assert len(replies) > 20
    template = next(t for t in site_named("mail").templates() if t.name == "mail.reply_with")
    for number in range(30):
        draft = template.draw(WORLD, Draw("reply", number))
        if draft is not None:
            found = [subject for subject in replies if f'"{subject}"' in draft.instruction]
            assert len(found) == 1 and any(f'"{reply}"' in draft.instruction for reply in replies[found[0]])


def test_who_writes_twice_need_not_be_who_cancels() -> None:
    for seed in range(6):
        data = World(seed, 20)("mail")
        for fact, subject in data.rows("SELECT fact, subject FROM mail WHERE kind = 'answers'"):
            writers = data.rows("SELECT name FROM mail WHERE subject = ?", subject)
            twice = {name for name in writers if writers.count(name) == 2}
            assert fact.split("|")[1] in twice and len(twice) > 1


def test_nobody_writes_at_night() -> None:
    for seed in range(6):
        assert World(seed, 60)("mail").row("SELECT count(*) FROM mail WHERE substr(sent, 12, 2) < '06'") == 0
        assert World(seed, 60)("mail").row("SELECT count(*) FROM mail WHERE substr(sent, 12, 2) > '20'") == 0


def test_the_newest_letter_need_not_be_signed() -> None:
    newest = []
    for seed in range(6):
        rows = World(seed, 60)("mail").rows(
            "SELECT kind, max(sent) FROM mail WHERE sender IN (SELECT sender FROM mail WHERE kind = 'signature') AND "
            "folder <> 'trash' AND kind IN ('signature', 'letter') GROUP BY sender"
        )
        newest += [kind for kind, _ in rows]
    assert {"signature", "letter"} == set(newest)


def test_only_calls_are_by_phone() -> None:
    titles: set[str] = set()
    for seed in range(6):
        data = World(seed, 60)("mail")
        titles |= set(data.rows("SELECT title FROM event WHERE place = 'by phone'"))
        assert data.row("SELECT count(*) FROM mail WHERE body LIKE '%by phone%'") == 0
    assert titles and all(title.endswith("call") for title in titles)


def test_an_event_is_moved_to_where_no_other_is() -> None:
    template = next(t for t in site_named("mail").templates() if t.name == "mail.move_event")
    for seed in range(10):
        world = World(seed, 60)
        draft = template.draw(world, Draw("move", seed))
        assert draft is not None
        (change,) = draft.changes
        number = dict(change.key)["id"]
        row = world("mail").row("SELECT day, start, until FROM event WHERE id = ?", number)
        day, start, until = (
            dict(change.values).get(name, old) for name, old in zip(("day", "start", "until"), row, strict=True)
        )
        clash = world("mail").row(
            "SELECT count(*) FROM event WHERE owner = 1 AND id <> ? AND day = ? AND start < ? AND until > ? AND "
            "status = 'confirmed'",
            number, day, until, start,
        )  # fmt: skip
        assert clash == 0, draft.instruction


@pytest.mark.parametrize("name", ["add_contact", "update_contact"])
def test_a_phone_number_may_be_written_without_its_space(name: str) -> None:
    template = next(t for t in site_named("mail").templates() if t.name == f"mail.{name}")
    draft = template.draw(WORLD, Draw("phone", 2))
    assert draft is not None

    def solved(change: Callable[[str], str]) -> bool:
        plan = [
            s._replace(text=change(s.text)) if s.name == "Phone" and s.verb == "fill" else s for s in whole_plan(draft)
        ]
        return perform(draft, WORLD, ("mail",), tuple(plan)).correct

    assert solved(lambda text: text) and solved(lambda text: text.replace(" ", ""))
    assert not solved(lambda text: text[::-1])


def test_months_before() -> None:
    day = WORLD.now.date().replace(year=2027, month=2, day=28)
    assert [str(month) for month in months_before(day, 3)] == ["2027-01-01", "2026-12-01", "2026-11-01"]
