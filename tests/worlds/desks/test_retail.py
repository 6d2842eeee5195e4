"""The shop's policy to the day and to the cent, and what its tools change."""

import dataclasses
import datetime
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.retail.data import Filling
from turnwise.worlds.desks.retail.rules import CATEGORIES, clauses_of, drawn_rules
from turnwise.worlds.desks.retail.tools import TOOLBOX
from turnwise.worlds.desks.scenario import call
from turnwise.worlds.desks.store import Store
from turnwise.worlds.desks.wording import iso


class Counter:
    """A customer at the desk, verified and agreeing, in a world whose rules a test sets."""

    def __init__(self, **rules: Any) -> None:
        days = {**dict.fromkeys(CATEGORIES, 20), "swimwear": 0}
        fixed = {"today": datetime.date(2026, 3, 4), "return_days": days, "exchange_days": 40, "return_fee": 4.99,
                 "free_tier": True, "to_gift_card": True, "gift_limit": 100.0, "same_payment": True}  # fmt: skip
        self.rules = dataclasses.replace(drawn_rules(Draw("shop", 1)), **{**fixed, **rules})
        self.fill = Filling(Draw("rows", 1), self.rules, 12)
        self.customer = self.fill.customer()
        self.fill.tables["customers"][self.customer]["tier"] = "standard"

    def bought(self, status: str, ago: int = 0, category: str = "outdoor", **known: Any) -> tuple[str, str]:
        """Plant an order of the customer, placed or delivered so many days ago; return its key and the item's."""
        variant = self.fill.variants(self.fill.product(category))[0]
        when = {"delivered": iso(self.rules.today, -ago)} if status == "delivered" else {}
        placed = iso(self.rules.today, -ago - 5 if when else -ago)
        order = self.fill.order(self.customer, status, (variant,), **{"placed": placed, **when, **known})
        return order, list(self.fill.tables["items"])[-1]

    def does(self, tool: str, **arguments: object) -> tuple[Desk, tuple[str, ...]]:
        """Make a call on a new desk; return the desk, and the clauses that the call breaks."""
        desk = Desk(Store(self.fill.tables), self.rules, clauses_of(self.rules))
        desk.agreed = True
        desk.verified = frozenset({self.customer, f"{self.customer}:{self.rules.address_evidence}"})
        answer = TOOLBOX.run(call(tool, **arguments), desk)
        assert not answer.failed, answer.text
        return desk, desk.broken

    def card(self) -> str:
        return self.fill.payment(self.customer)


def test_a_return_on_the_last_day_and_the_day_after() -> None:
    at = Counter()
    for ago, category, broken in [(20, "outdoor", ()), (21, "outdoor", ("return_window",)),
                                  (1, "swimwear", ("final_sale",))]:  # fmt: skip
        _, item = at.bought("delivered", ago, category)
        assert at.does("return_item", item_id=item, payment_id=at.card())[1] == broken
    for ago, broken in [(40, ()), (41, ("exchange_window",))]:
        _, item = at.bought("delivered", ago)
        variant = at.fill.variants(
            at.fill.tables["variants"][at.fill.tables["items"][item]["variant_id"]]["product_id"]
        )[1]
        at.fill.tables["variants"][variant]["stock"] = 1
        arguments = {"item_id": item, "variant_id": variant, "payment_id": at.card()}
        assert at.does("exchange_item", **arguments)[1] == broken


def test_where_a_refund_goes_to_the_cent() -> None:
    at = Counter()
    gift = at.fill.gift_card(at.customer, 10.0)
    other = at.fill.card(at.customer)
    _, item = at.bought("delivered", 3)
    row = at.fill.tables["items"][item]
    row["price"] = 104.99
    desk, broken = at.does("return_item", item_id=item, payment_id=gift)
    assert broken == () and desk.store.row("payments", gift)["balance"] == 110.0
    assert at.does("return_item", item_id=item, payment_id=other)[1] == ("refund_method",)
    row["price"] = 105.0
    assert at.does("return_item", item_id=item, payment_id=gift)[1] == ("gift_limit",)
    at.fill.tables["customers"][at.customer]["tier"] = "plus"  # no fee, so more is refunded
    row["price"] = 100.0
    assert at.does("return_item", item_id=item, payment_id=gift)[1] == ()
    row["price"] = 100.01
    assert at.does("return_item", item_id=item, payment_id=gift)[1] == ("gift_limit",)


def test_until_when_an_order_is_canceled_and_why() -> None:
    at = Counter(cancel_days=2, cancel_reasons=("ordered by mistake",))
    for status, ago, reason, broken in [
        ("pending", 2, "ordered by mistake", ()), ("pending", 3, "ordered by mistake", ("cancel_window",)),
        ("pending", 0, "cheaper elsewhere", ("cancel_reason",)), ("processed", 1, "ordered by mistake", ("pending",)),
    ]:  # fmt: skip
        order, _ = at.bought(status, ago, due="2026-03-08")
        assert at.does("cancel_order", order_id=order, reason=reason)[1] == broken


def test_changes_are_counted() -> None:
    at = Counter(changes=2, address_delay=2)
    for changes, broken in [(1, ()), (2, ("changes",))]:
        order, _ = at.bought("pending", changes=changes, due="2026-03-06")
        desk, found = at.does("change_address", order_id=order, address="1 High Street, Linden")
        assert found == broken and desk.store.row("orders", order)["due"] == "2026-03-08"


def test_what_a_late_delivery_is_worth() -> None:
    at = Counter(late_days=3, compensation={"standard": 10.0, "plus": 20.0})
    for due, amount, done, broken in [
        ("2026-02-26", 10.0, False, ()), ("2026-02-27", 10.0, False, ("late",)),
        ("2026-02-26", 20.0, False, ("compensation_amount",)), ("2026-02-26", 10.0, True, ("compensation_once",)),
    ]:  # fmt: skip
        order, _ = at.bought("delivered", 3, due=due, compensated=done)
        assert at.does("compensate", order_id=order, amount=amount)[1] == broken


def test_damage_and_lower_prices_to_the_day() -> None:
    at = Counter(damage_days=3, adjust_days=7)
    for ago, broken in [(3, ()), (4, ("damage",))]:
        _, item = at.bought("delivered", ago, "swimwear")
        desk, found = at.does("replace_item", item_id=item)
        assert found == broken and len(desk.store.changes()) == 3
    for ago, broken in [(7, ()), (8, ("adjustment",))]:
        _, item = at.bought("processed", ago, due="2026-03-07")
        at.fill.tables["items"][item]["price"] += 5
        assert at.does("adjust_price", item_id=item)[1] == broken


def test_a_difference_in_price_goes_to_the_card_of_the_order() -> None:
    for same in (True, False):
        at = Counter(same_payment=same)
        other = at.fill.card(at.customer)
        _, item = at.bought("pending")
        variants = at.fill.variants(
            at.fill.tables["variants"][at.fill.tables["items"][item]["variant_id"]]["product_id"]
        )
        at.fill.tables["variants"][variants[1]]["stock"] = 2
        arguments = {"item_id": item, "variant_id": variants[1], "payment_id": other}
        assert at.does("change_item", **arguments)[1] == (("difference",) if same else ())
