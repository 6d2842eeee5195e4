"""Tasks across sites: both halves count, and what comes near a fact of the other site earns nothing."""

import datetime
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from turnwise.audit.language import tics
from turnwise.core.draw import Draw
from turnwise.envs.web._worlds import templates_named
from turnwise.worlds.web.site.plan import Run, perform, whole_plan
from turnwise.worlds.web.site.steps import Plan, Step
from turnwise.worlds.web.site.tasks import Draft, Template, World
from turnwise.worlds.web.sites.across.site import across
from turnwise.worlds.web.sites.bank.data import LIMITS
from turnwise.worlds.web.sites.mail.data import invoice

TEMPLATES = {template.name.partition(".")[2]: template for template in across.templates()}
WORLDS = [World(seed, 60) for seed in range(4)]


def drafts(name: str, worlds: list[World] = WORLDS) -> Iterator[tuple[World, Draft]]:
    """One task of each world that has any."""
    for world in worlds:
        found = (TEMPLATES[name].draw(world, Draw("across", name, world.seed, n)) for n in range(20))
        draft = next((draft for draft in found if draft is not None), None)
        if draft is not None:
            yield world, draft


def played(name: str, world: World, draft: Draft, plan: Plan | None = None) -> Run:
    return perform(draft, world, TEMPLATES[name].sites, plan)


def with_text(plan: Plan, label: str, text: str) -> Plan:
    """The plan with something else in the last field of that name."""
    place = max(n for n, step in enumerate(plan) if step.name == label and step.verb == "fill")
    assert plan[place].text != text
    return (*plan[:place], plan[place]._replace(text=text), *plan[place + 1 :])


def typed(plan: Plan, label: str) -> str:
    return [step.text for step in plan if step.name == label and step.verb == "fill"][-1]


def test_every_template_needs_several_sites_and_the_environment_finds_it():
    names = {template.name for template in templates_named("all", "all", True)}
    assert {template.name for template in TEMPLATES.values()} <= names
    assert all(2 <= len(template.sites) <= 3 for template in TEMPLATES.values())
    assert {template.level for template in TEMPLATES.values()} == {2, 3, 4, 5}


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=lambda template: template.name)
def test_a_task_is_the_same_twice(template: Template):
    for world in WORLDS:
        twice = [template.draw(World(world.seed, 60), Draw("twice", world.seed)) for _ in range(2)]
        assert twice[0] == twice[1]


@pytest.mark.parametrize("name", [name for name, template in TEMPLATES.items() if not template.infeasible])
def test_the_plan_opens_all_sites(name):
    world, draft = next(drafts(name))
    opened = {TEMPLATES[name].sites[0]}
    opened |= {step.text.split("//")[1].split(".")[0] for step in draft.plan if step.verb in ("goto", "new_tab")}
    assert opened == set(TEMPLATES[name].sites)
    assert played(name, world, draft).correct


def test_an_invoice_must_be_paid_to_the_cent_and_with_its_own_number():
    for world, draft in drafts("pay_invoice"):
        plan = whole_plan(draft)
        cents = round(100 * float(typed(plan, "Amount")))
        number = typed(plan, "Reference")
        other = with_text(plan, "Amount", f"{cents - 1:03d}"[:-2] + f".{(cents - 1) % 100:02d}")
        assert not played("pay_invoice", world, draft, other).correct
        assert not played("pay_invoice", world, draft, with_text(plan, "Reference", f"Invoice {number}")).correct
        assert number in " ".join(world("mail").rows("SELECT subject FROM mail WHERE kind = 'invoice'"))


class _Most:
    """In place of a draw: the highest of all numbers."""

    def integer(self, low: int, high: int) -> int:
        return high

    def choice(self, items: Sequence[Any]) -> Any:
        return items[-1]

    def sample(self, items: Sequence[Any], count: int) -> list[Any]:
        return list(items)[:count]

    def chance(self, probability: float) -> bool:
        return False


def test_no_invoice_is_above_what_the_bank_lets_go_in_a_day():
    cast, facts = WORLDS[0].cast, []
    filler = SimpleNamespace(draw=_Most(), cast=cast, add=lambda *_, fact, **__: facts.append(fact))
    month = datetime.date(2026, 1, 1)
    invoice(filler, cast.companies[0], ("Billing", "billing@x.test"), month, 1)  # type: ignore[arg-type]
    ((_, most, _),) = (fact.split("|") for fact in facts)
    invoices = [fact for world in WORLDS for fact in world("mail").rows("SELECT fact FROM mail WHERE kind = 'invoice'")]
    assert max(int(fact.split("|")[1]) for fact in invoices) <= int(most) < min(LIMITS)
    for world in WORLDS:
        assert world("bank").row("SELECT daily FROM preference WHERE owner = 1") in LIMITS
        assert not world("bank").rows("SELECT 1 FROM entry WHERE payee AND day = ?", f"{world.now.date()}")


def test_a_missing_invoice_is_missing_and_no_other_may_be_paid():
    for world, draft in drafts("pay_missing_invoice"):
        vendor, _, month = (
            draft.infeasible.removeprefix("There is no invoice from ").removesuffix(".").partition(" for ")
        )
        count = "SELECT count(*) FROM mail WHERE name = ? AND subject LIKE ?"
        assert world("mail").row(count, f"{vendor} Billing", "Invoice %") > 0
        assert world("mail").row(count, f"{vendor} Billing", f"Invoice % for {month}") == 0
        assert vendor in draft.instruction and month in draft.instruction


def test_the_namesake_of_a_deals_owner_is_the_wrong_one():
    tried = 0
    for world, draft in drafts("write_deal_owner", [World(seed, 60) for seed in range(8)]):
        people = {person.name: person for person in world.cast.people}
        plan = whole_plan(draft)
        owner = people[typed(plan, "Find people")]
        for other in world.cast.people[1:10]:
            if other.first == owner.first and other != owner:
                steps = tuple(step._replace(name=other.name) if step.name == owner.name else step for step in plan)
                assert not played("write_deal_owner", world, draft, with_text(steps, "Find people", other.name)).correct
                tried += 1
    assert tried


def test_the_old_phone_number_and_the_twin_entry_are_wrong():
    for world, draft in drafts("customer_phone"):
        (change,) = draft.changes
        email, old = world("crm").row("SELECT email, phone FROM customer WHERE id = ?", dict(change.key)["id"])
        new = dict(change.values)["phone"]
        newest = world("mail").row("SELECT fact, max(sent) FROM mail WHERE kind = 'signature' AND sender = ?", email)
        assert newest[0] == new != old
        assert not played("customer_phone", world, draft, with_text(whole_plan(draft), "Phone", old)).correct


def test_without_a_signature_or_an_entry_there_is_nothing_to_enter():
    kinds = set()
    for world, draft in drafts("no_customer_phone", [World(seed, 60) for seed in range(8)]):
        stranger, tail = " is not among the customers.", " is signed with a phone number."
        missing = draft.infeasible.endswith(stranger)
        name = draft.infeasible.removeprefix("No mail from ").removesuffix(stranger).removesuffix(tail)
        customers = world("crm").row("SELECT count(*) FROM customer WHERE name = ?", name)
        phones = world("mail").row("SELECT count(*) FROM mail WHERE name = ? AND body LIKE '%Phone: 0%'", name)
        assert (customers == 0 and phones > 0) if missing else (customers > 0 and phones == 0)
        kinds.add(missing)
    assert kinds == {True, False}


@pytest.mark.parametrize("name", ["visit_customer", "thread_to_issue", "cancel_and_tell"])
def test_one_half_of_a_task_earns_nothing(name):
    for world, draft in drafts(name, WORLDS[:2]):
        plan, at = whole_plan(draft), played(name, world, draft).writes
        for cut in at[:-1]:
            run = played(name, world, draft, (*plan[: cut + 1], Step("done")))
            assert run.judged is not None and not run.correct and not run.judged.collateral


def test_the_key_of_another_issue_is_not_the_new_ones():
    world, draft = next(drafts("thread_to_issue"))
    plan = whole_plan(draft)
    key, _, number = typed(plan, "Comment").partition("-")
    assert not played("thread_to_issue", world, draft, with_text(plan, "Comment", f"{key}-{int(number) - 1}")).correct


def test_the_fare_goes_to_the_town_of_that_contact():
    for world, draft in drafts("fare_to_contact"):
        name = typed(draft.plan, "Filter contacts")
        town = world("mail").row("SELECT town FROM contact WHERE owner = 1 AND name = ?", name)
        assert [step.text for step in draft.plan if (step.verb, step.name) == ("select", "To")] == [town]
        assert town not in draft.instruction


def test_the_difference_of_the_sums_is_that_of_the_databases():
    for world, draft in drafts("shopping_and_orders"):
        when = next(step.name for step in draft.plan if step.name[-4:].isdigit())
        orders = world("shop").rows("SELECT placed, total, status FROM purchase WHERE account = 1")
        entries = world("bank").rows("SELECT day, amount FROM entry WHERE deposit = 1 AND category = 'Shopping'")
        month = f"{datetime.datetime.strptime(when, '%B %Y'):%Y-%m}"
        bought = sum(total for placed, total, status in orders if placed[:7] == month and status != "Cancelled")
        spent = -sum(amount for day, amount in entries if day[:7] == month)
        assert draft.answer is not None and draft.answer.text == f"{abs(bought - spent) / 100:.2f}"


def test_a_month_with_a_cancelled_order_is_taken_where_there_is_one():
    cancelled = 0
    for world, draft in drafts("shopping_and_orders", [World(seed, 60) for seed in range(8)]):
        when = next(step.name for step in draft.plan if step.name[-4:].isdigit())
        month = f"{datetime.datetime.strptime(when, '%B %Y'):%Y-%m}"
        rows = world("shop").rows("SELECT substr(placed, 1, 7), status FROM purchase WHERE account = 1")
        spent = world("bank").rows("SELECT substr(day, 1, 7) FROM entry WHERE deposit = 1 AND category = 'Shopping'")
        paid = {other for other, status in rows if status != "Cancelled"} & set(spent)
        hard = {other for other, status in rows if status == "Cancelled"} & paid
        assert month in (hard or paid)
        cancelled += bool(hard)
    assert cancelled


def test_the_train_to_a_customer_is_one_of_several():
    traps = 0
    for world, draft in drafts("visit_customer", [World(seed, 60) for seed in range(6)]):
        step, booked = {step.name: step.text for step in draft.plan}, dict(draft.changes[0].values)
        comfort, count = booked["comfort"], sum(change.table == "passenger" for change in draft.changes)
        trains = world("travel").rows(
            f"SELECT r.id, r.price, s.changes, r.{comfort.lower()}_left FROM run r JOIN service s ON s.id = r.service "
            "WHERE s.origin = ? AND s.destination = ? AND r.date = ?",
            step["From"],
            step["To"],
            step["Date"],
        )
        limit = 0 if "direct train" in draft.instruction else 1
        assert (limit == 1) == ("at most one change" in draft.instruction) and step["To"] not in draft.instruction
        price = next(price for id, price, *_ in trains if id == booked["run"])
        fit = [train for train in trains if train[2] <= limit and train[3] >= count]
        assert sum(train[2] <= limit for train in trains) > 1 and price == min(train[1] for train in fit)
        traps += any(train[1] < price for train in trains)
        for name in ("fare", "seat"):
            assert booked[name] in draft.instruction
    assert traps >= 3


@pytest.mark.parametrize("age", ["oldest", "newest"])
def test_the_mail_is_about_the_issue_at_that_end_of_the_open_ones(age):
    tried = 0
    for world in WORLDS:
        for number in range(8):
            draft = TEMPLATES["write_assignee"].draw(world, Draw("age", number))
            if draft is None or f" {age} " not in draft.instruction:
                continue
            key, _, found = typed(whole_plan(draft), "Subject").partition("-")
            numbers = world("tracker").rows(
                "SELECT i.number FROM issue i JOIN project p ON p.id = i.project WHERE p.key = ? AND i.status NOT IN "
                "('Done', 'Duplicate') AND i.priority = (SELECT priority FROM issue WHERE project = p.id AND number = "
                "?) ORDER BY 1",
                key,
                int(found),
            )
            assert len(numbers) > 1 and int(found) == numbers[0 if age == "oldest" else -1]
            tried += 1
    assert tried


@pytest.mark.parametrize("name", TEMPLATES)
def test_tasks_of_a_template_are_worded_in_many_ways_and_well(name):
    draws = (TEMPLATES[name].draw(WORLDS[number % 4], Draw("words", name, number)) for number in range(60))
    texts = [draft.instruction for draft in draws if draft is not None]
    assert len(set(texts)) >= 0.9 * len(texts) > 25
    for text in texts:
        assert not tics(text), text
        assert "{" not in text and "  " not in text


def test_quotation_marks_are_of_one_style():
    for name in TEMPLATES:
        assert not any("“" in draft.instruction or "”" in draft.instruction for _, draft in drafts(name)), name
