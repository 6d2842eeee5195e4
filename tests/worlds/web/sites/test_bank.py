"""The bank: money that neither appears nor goes, what forms refuse, whose accounts are whose, and its sums."""

import datetime
import itertools
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worlds.web.sites._desk import Desk
from turnwise.core.draw import Draw
from turnwise.worlds.web.site.judging import answers
from turnwise.worlds.web.site.registry import snapshot_of
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.site.tasks import Draft, World
from turnwise.worlds.web.sites.bank.data import DISPUTE_DAYS, LIMITS
from turnwise.worlds.web.sites.bank.pages.paying import cents_of

PAGES = ("/", "/accounts/1", "/accounts/1?page=3", "/accounts/2/statements", "/transfer", "/payees", "/standing",
         "/standing/new", "/standing/1", "/cards", "/bills", "/messages", "/messages/1", "/settings",
         "/entries/1")  # fmt: skip


@pytest.fixture
def desk():
    return Desk("bank")


def balance(desk: Desk, account: int = 1) -> int:
    found: int = desk.value("SELECT balance FROM deposit WHERE id = ?", account)
    return found


def transfer(desk: Desk, amount: object, to: str = "p1", source: object = 1, reference: str = "Lunch") -> str:
    """The form and the confirmation; what is wrong with the form, or where the confirmation led."""
    status, text = desk.post("/transfer", **{"from": source}, to=to, amount=amount, reference=reference)
    if status != 303:
        return " ".join(re.findall(r'<strong role="alert">(.*?)</strong>', text))
    assert text == "/transfer/confirm"
    return desk.post("/transfer/confirm")[1]


def shown_entries(html: str) -> list[int]:
    return [int(number) for number in re.findall(r'href="/entries/(\d+)"', html)]


def test_a_world_is_built_the_same_every_time():
    site = site_named("bank")
    assert site.build(5, 60).data == site.build(5, 60).data != site.build(6, 60).data


@pytest.mark.parametrize("size", [20, 60, 300])
def test_balances_follow_from_the_entries(size):
    for seed in range(8):
        world = snapshot_of("bank", seed, size)
        for id, held in world.rows("SELECT id, balance FROM deposit ORDER BY id"):
            rows = world.rows("SELECT amount, after, day FROM entry WHERE deposit = ? ORDER BY id", id)
            assert all(later[1] == sooner[1] + later[0] for sooner, later in itertools.pairwise(rows))
            assert rows[-1][1] == held and [row[2] for row in rows] == sorted(row[2] for row in rows)
            assert min(row[1] for row in rows) >= 0


@pytest.mark.parametrize("path", PAGES)
def test_looking_changes_nothing(desk, path):
    status, html = desk.get(path)
    assert status == 200 and desk.changes == []
    assert len(html) < 6000
    assert Desk("bank", user=0).get(path)[1].startswith("/login")


def test_things_of_others(desk):
    theirs = desk.value("SELECT id FROM deposit WHERE owner = 2")
    entry = desk.value("SELECT id FROM entry WHERE deposit = ?", theirs)
    card, payee, message = (desk.value(f"SELECT id FROM {t} WHERE owner = 2") for t in ("card", "payee", "message"))
    for path in (f"/accounts/{theirs}", f"/accounts/{theirs}/statements", f"/accounts/{theirs}/statements/2027-01",
                 f"/accounts/{theirs}/statements/2027-01/Groceries", f"/entries/{entry}", f"/entries/{entry}/dispute",
                 f"/messages/{message}"):  # fmt: skip
        assert desk.get(path)[0] == 404
    for path in (f"/cards/{card}/status", f"/cards/{card}/limit", f"/payees/{payee}/remove",
                 f"/entries/{entry}/dispute", "/standing/99", "/standing/99/cancel"):  # fmt: skip
        assert desk.post(path, frozen=1, limit=200)[0] == 404
    assert "Choose an account." in transfer(desk, 5, source=theirs)
    assert "Choose who gets it." in transfer(desk, 5, to=f"p{payee}")
    assert "Choose who gets it." in transfer(desk, 5, to=f"d{theirs}")
    assert "Choose who gets it." in desk.post("/standing/new", to=payee, amount=5, reference="x", day=1)[1]
    assert desk.changes == []


# ---- transfers -------------------------------------------------------------------------------------------------------


def test_a_transfer_books_one_entry_and_the_balance(desk):
    held = balance(desk)
    assert transfer(desk, "12,34") == "/accounts/1"
    name = desk.value("SELECT name FROM payee WHERE id = 1")
    row = desk.rows("SELECT party, reference, category, amount, after, payee FROM entry ORDER BY id DESC")[0]
    assert row == (name, "Lunch", "Transfers", -1234, held - 1234, 1) and balance(desk) == held - 1234
    assert [(change.table, change.op) for change in desk.changes] == [("deposit", "update"), ("entry", "insert")]


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 250000)), max_size=6))
def test_between_ones_own_accounts_no_cent_is_lost(moves):
    desk = Desk("bank")
    before = sum(balance(desk, id) for id in (1, 2, 3))
    for source, target, cents in moves:
        transfer(desk, f"{cents // 100}.{cents % 100:02d}", f"d{target}", source, "")
    assert sum(balance(desk, id) for id in (1, 2, 3)) == before
    for id in (1, 2, 3):
        after = desk.value("SELECT after FROM entry WHERE deposit = ? ORDER BY id DESC", id)
        assert after == balance(desk, id) >= 0
    assert desk.value(
        "SELECT sum(amount) FROM entry WHERE category = 'Transfers' AND day = ?", f"{desk.world.cast.today}"
    ) in (0, None)


@pytest.mark.parametrize("amount", ["", "0", "0.00", "-5", "1.234", "1e2", "five", "٣", "12.", "99999999",
                                    "2,10.00", ",100", "1,2345", "1,234.567", "1.234,56"])  # fmt: skip
def test_amounts_that_are_none(desk, amount):
    assert "An amount such as 25 or 19.90, please." in transfer(desk, amount)
    assert desk.changes == []


def test_what_a_transfer_may_not_be(desk):
    held = balance(desk)
    assert "The balance of this account is only" in transfer(desk, f"{(held + 1) // 100}.{(held + 1) % 100:02d}")
    assert "only to your own accounts" in transfer(desk, 5, source=2)
    assert "the account it comes from" in transfer(desk, 5, to="d1")
    assert "At most 60 characters." in transfer(desk, 5, reference="x" * 61)
    for to in ("", "p", "px", "q1", "p999", "d٣", "p1 OR 1"):
        assert "Choose who gets it." in transfer(desk, 5, to=to)
    assert desk.changes == []
    desk.rows("UPDATE preference SET daily = ? WHERE owner = 1", held)
    assert transfer(desk, f"{held // 100}.{held % 100:02d}") == "/accounts/1" and balance(desk) == 0


def test_so_much_a_day_goes_to_payees(desk):
    limit = desk.value("SELECT daily FROM preference WHERE owner = 1")
    assert f"At most {limit // 100}.00 EUR a day can go to payees." in desk.get("/transfer")[1]
    desk.rows("UPDATE deposit SET balance = ? WHERE id = 1", 3 * limit)
    assert transfer(desk, limit // 100 - 10) == "/accounts/1"
    assert "a day can go to payees" in transfer(desk, "10.01", "p2")
    assert transfer(desk, 500, "d2", reference="") == "/accounts/1"
    assert transfer(desk, "10.00", "p2") == "/accounts/1"


def test_nothing_is_booked_before_it_is_confirmed_nor_twice(desk):
    desk.post("/transfer", **{"from": 1}, to="p1", amount=20, reference="Lunch")
    assert desk.changes == []
    assert 'value="20.00"' in desk.get("/transfer?change=1")[1] and 'value="20.00"' not in desk.get("/transfer")[1]
    held = balance(desk)
    for _ in range(2):
        desk.post("/transfer/confirm")
    assert balance(desk) == held - 2000
    assert desk.get("/transfer/confirm") == (303, "/transfer")


def test_a_confirmed_transfer_is_checked_again(desk):
    desk.post("/transfer", **{"from": 1}, to="p1", amount=20, reference="Lunch")
    desk.rows("UPDATE deposit SET balance = 1999 WHERE id = 1")
    assert "is only 19.99 EUR" in desk.post("/transfer/confirm")[1]
    assert balance(desk) == 1999 and [change.table for change in desk.changes] == ["deposit"]


# ---- payees and standing orders --------------------------------------------------------------------------------------


def test_payees(desk):
    html = desk.post("/payees", name="", number="12")[1]
    assert "A name of at most" in html and "twelve digits" in html
    known = desk.value("SELECT number FROM payee WHERE id = 2")
    assert "You have a payee with this number." in desk.post("/payees", name="X", number=known.replace(" ", ""))[1]
    desk.post("/payees/1/remove")
    assert desk.value("SELECT count(*) FROM standing WHERE payee = 1") and desk.changes == []
    assert desk.post("/payees", name="Ada <Novak>", number="123456789012")[0] == 303
    assert [change.after["number"] for change in desk.changes] == ["1234 5678 9012"]
    assert "Ada &lt;Novak&gt;" in desk.get("/payees")[1]


def test_standing_orders(desk):
    for amount, day, reference in ((0, 1, "x"), (5, 0, "x"), (5, 29, "x"), (5, "x", "x"), (5, 1, ""), (5, 1, "x" * 61)):
        for path in ("/standing/new", "/standing/1"):
            assert desk.post(path, to=1, amount=amount, reference=reference, day=day)[0] == 200
    assert desk.changes == []
    desk.post("/standing/1", to=2, amount="7.5", reference="Gym", day=28)
    assert desk.rows("SELECT payee, amount, reference, day FROM standing WHERE id = 1") == [(2, 750, "Gym", 28)]
    desk.post("/standing/1/cancel")
    assert [(change.table, change.op) for change in desk.changes] == [("standing", "delete")]


# ---- entries, statements, disputes, cards ----------------------------------------------------------------------------


def test_the_statement_adds_up(desk):
    months = [row[0] for row in desk.rows("SELECT DISTINCT substr(day, 1, 7) FROM entry WHERE deposit = 1 ORDER BY 1")]
    last = None
    for month in months:
        html = desk.get(f"/accounts/1/statements/{month}")[1]
        opening, coming, going, closing = (
            round(float(text) * 100) for text in re.findall(r"<td>(-?[\d.]+) EUR</td></tr>", html)[:4]
        )
        totals = [round(float(text) * 100) for text in re.findall(r"<td>\d+</td><td>(-?[\d.]+) EUR</td>", html)]
        assert opening + coming + going == closing and sum(totals) == coming + going
        assert last in (None, opening)
        last = closing
    assert last == balance(desk)
    assert desk.get("/accounts/1/statements/1999-01")[0] == desk.get("/accounts/1/statements/%00")[0] == 404


def test_search_and_filters_against_the_table(desk):
    party, day = desk.rows("SELECT party, day FROM entry WHERE deposit = 1 AND card ORDER BY id LIMIT 1 OFFSET 9")[0]
    html = desk.get(f"/accounts/1?q={party.lower().replace(' ', '+').replace('&', '%26')}&from={day}")[1]
    rows = desk.rows(
        "SELECT id FROM entry WHERE deposit = 1 AND party = ? AND day >= ? ORDER BY day DESC, id DESC", party, day
    )
    assert shown_entries(html) == [row[0] for row in rows][:12] != []
    assert f"{len(rows)} entries" in html
    assert "1 entry</p>" in desk.get(f"/accounts/1?q=Rent&from={day[:7]}-01&to={day[:7]}-28")[1]
    html = desk.get("/accounts/1?from=yesterday&to=2027-02-30")[1]
    assert html.count("A date such as 2027-03-31, please.") == 2
    assert "entries" not in html and shown_entries(html) == []  # what is not filtered is no result
    for text in ("%25", "_", "'", "!", "%27%20OR%201=1"):
        assert "0 entries" in desk.get(f"/accounts/1?q={text}")[1]


def test_pages_hold_each_entry_once(desk):
    count = desk.value("SELECT count(*) FROM entry WHERE deposit = 1")
    pages = -(-count // 12)
    seen = [id for page in range(1, pages + 1) for id in shown_entries(desk.get(f"/accounts/1?page={page}")[1])]
    assert len(seen) == len(set(seen)) == count


def test_disputes_are_for_young_card_payments_and_once(desk):
    rows = desk.rows("SELECT id, day, card FROM entry WHERE deposit = 1 ORDER BY day, id")
    old = next(row[0] for row in rows if row[2])
    plain = next(row[0] for row in reversed(rows) if not row[2])
    young = next(row[0] for row in reversed(rows) if row[2])
    rule = f"Only card payments of the last {DISPUTE_DAYS} days can be disputed, and only once."
    assert rule in desk.get(f"/entries/{old}")[1] and rule not in desk.get(f"/entries/{young}")[1]
    for id in (old, plain):
        assert "/dispute" not in desk.get(f"/entries/{id}")[1]
        assert desk.post(f"/entries/{id}/dispute", reason="Wrong amount")[0] == 403
    assert "Choose a reason." in desk.post(f"/entries/{young}/dispute", reason="Because")[1]
    assert desk.changes == []
    assert desk.post(f"/entries/{young}/dispute", reason="Wrong amount")[0] == 303
    assert desk.post(f"/entries/{young}/dispute", reason="Wrong amount")[0] == 403
    assert desk.rows("SELECT entry, reason, status FROM dispute") == [(young, "Wrong amount", "Open")]


def test_cards(desk):
    for limit in ("", "99.99", "5000.01", "lots"):
        assert "An amount from 100.00 to 5000.00, please." in desk.post("/cards/2/limit", limit=limit)[1]
    assert desk.changes == []
    desk.post("/cards/2/limit", limit="2,100.00")
    assert desk.value("SELECT maximum FROM card WHERE id = 2") == 210000
    desk.post("/cards/2/limit", limit="100")
    desk.post("/cards/2/status", frozen=1)
    assert desk.rows("SELECT status, maximum FROM card WHERE id = 2") == [("Frozen", 10000)]
    assert "Unfreeze" in desk.get("/cards")[1]
    assert {(change.table, change.key) for change in desk.changes} == {("card", (2,))}


@pytest.mark.parametrize("size", [20, 60, 1000])
def test_one_bill_is_paid_twice_one_short_one_never(size):
    for seed in range(20):
        world = snapshot_of("bank", seed, size)
        paid = [
            (amount, world.rows("SELECT -amount FROM entry WHERE deposit = 1 AND reference = ?", number))
            for number, amount in world.rows("SELECT number, amount FROM bill ORDER BY id")
        ]
        kinds = sorted(
            "never" if not sums else "short" if sums[0] < amount else "twice" if len(sums) > 1 else "once"
            for amount, sums in paid
        )
        assert kinds == ["never", *["once"] * 6, "short", "twice"]


def test_a_message_that_was_read_is_no_change(desk):
    assert "<td>new</td>" in desk.get("/messages")[1]
    unread = desk.value("SELECT count(*) FROM message WHERE owner = 1 AND seen = 0")
    desk.get("/messages/1")
    assert f'<a href="/messages">{unread - 1} unread messages</a>' in desk.get("/")[1] and desk.changes == []


# ---- tasks -----------------------------------------------------------------------------------------------------------


def drafts(name: str, seeds: range, size: int = 60) -> Iterator[tuple[World, Draft]]:
    template = next(template for template in site_named("bank").templates() if template.name == f"bank.{name}")
    for seed in seeds:
        world = World(seed, size)
        draft = template.draw(world, Draw("test", name, seed))
        if draft is not None:
            yield world, draft


def dates_of(text: str) -> list[str]:
    return [
        f"{datetime.datetime.strptime(found, '%d %B %Y').date()}" for found in re.findall(r"\d+ [A-Z]\w+ \d{4}", text)
    ]


def test_amounts_are_read_as_people_write_them():
    for text, cents in (("2,100.00", 210000), ("2,100", 210000), ("12,34", 1234), ("€1,234.5", 123450),
                        ("12,345.67 EUR", 1234567), ("25", 2500)):  # fmt: skip
        assert cents_of(text) == cents


@pytest.mark.parametrize("size", [20, 60, 300])
def test_the_sum_of_a_time_is_not_the_sum_of_all(size):
    count = 0
    for world, draft in drafts("party_total", range(20), size):
        party = re.search(r"to (.+?) (?:in all |from )", draft.instruction)[1]
        rows = world("bank").rows(
            "SELECT day, -amount FROM entry WHERE deposit = 1 AND party = ? ORDER BY day, id", party
        )
        start, end = dates_of(draft.instruction)
        fit = [amount for day, amount in rows if start <= day <= end]
        assert 2 <= len(fit) < len(rows) and end <= f"{world.cast.today}"
        assert draft.answer.text == f"{sum(fit) / 100:.2f}"
        assert "from my current account" in draft.instruction
        count += 1
    assert count > 15


def test_the_day_of_a_balance_often_has_no_entry():
    without = []
    for world, draft in drafts("balance_at", range(40)):
        day = dates_of(draft.instruction)[0]
        rows = world("bank").rows("SELECT day, after FROM entry WHERE deposit = 1 AND day <= ? ORDER BY day, id", day)
        assert draft.answer.text == f"{rows[-1][1] / 100:.2f}" and day < f"{world.cast.today}"
        without.append(rows[-1][0] < day)
    assert 0.2 < sum(without) / len(without) < 0.8


def test_what_cannot_be_paid_is_told_by_a_limit_as_well():
    """Just below what can go is payable, just above is not; in many worlds the limit decides, not the balance."""
    limited = {}
    for name in ("pay_somebody", "pay_too_much"):
        for world, draft in drafts(name, range(60)):
            held, limit = world("bank").row(
                "SELECT d.balance, p.daily FROM deposit d JOIN preference p ON p.owner = d.owner WHERE d.id = 1"
            )
            assert limit in LIMITS
            cents = round(float(re.search(r"[\d.]+(?= EUR)", draft.instruction)[0]) * 100)
            assert (cents > min(held, limit)) == bool(draft.infeasible) == (name == "pay_too_much")
            limited.setdefault(name, []).append(limit < held and cents <= held)
    assert all(sum(found) > len(found) / 5 for found in limited.values())


def test_a_company_gets_no_private_reference():
    people: dict[str, set[str]] = {name: set() for name in ("pay_somebody", "pay_too_much", "standing_new")}
    firms: dict[str, set[str]] = {name: set() for name in people}
    for name in people:
        for world, draft in drafts(name, range(60)):
            kind = people if any(person.name in draft.instruction for person in world.cast.people) else firms
            kind[name].add(re.search("“(.+?)”", draft.instruction)[1])
    for name in people:
        assert len(people[name]) > 2 < len(firms[name]) and not people[name] & firms[name]


def test_a_bill_is_named_with_or_without_its_letters():
    for _, draft in drafts("paid_twice", range(6)):
        number = int(draft.answer.text.removeprefix("INV-"))
        assert answers(f"INV-{number}", draft.answer) and answers(f"{number}", draft.answer)
        assert not answers(f"{number + 1}", draft.answer) and not answers(f"INV-{number + 1}", draft.answer)
