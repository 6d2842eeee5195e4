"""What customers only want to know."""

from collections.abc import Sequence

from turnwise.core.tools import Call
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.retail.goods import (
    Place,
    Say,
    Thing,
    answer,
    bought,
    cents,
    delivered,
    facts_of,
    lookups,
    options_of,
    refunded,
    returnable,
)
from turnwise.worlds.desks.said import Said, day, words
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.desks.wording import date_of, iso
from turnwise.worlds.people.part import Fact, Wish

__all__ = ["arrival", "balance", "price", "refund", "return_by", "total", "tracking"]


def _asked(place: Place, openings: Sequence[str], reads: Sequence[Call], say: Say, facts: Sequence[Fact] = ()) -> Goal:
    wish = Wish("ask", place.draw.choice(openings), tuple(facts), question=True)
    return Goal(wish, tuple(reads), Option((), "", say), kind="ask")


def _about(place: Place, thing: Thing, openings: Sequence[str], say: Say) -> Goal:
    return _asked(place, openings, lookups(place, thing), say, facts_of(place, thing))


def return_by(place: Place) -> Goal:
    """Until when something can be returned."""
    fill, draw = place.fill, place.draw
    category = draw.choice(returnable(place))
    days = fill.rules.return_days[category]
    ago = draw.integer(1, days)
    thing = delivered(place, ago, category)
    openings = (
        f"What's the last day on which I can return {thing.name}?",
        f"How long do I have to send {thing.name} back if I don't like it? I need the exact date.",
        f"I haven't decided about {thing.name} yet. By what date would I have to return it?",
    )
    return _about(place, thing, openings, answer(day(date_of(iso(fill.today, days - ago)))))


def refund(place: Place) -> Goal:
    """What a return would bring."""
    category = place.draw.choice(returnable(place))
    thing = delivered(place, place.draw.integer(1, place.fill.rules.return_days[category]), category)
    openings = (
        f"If I returned {thing.name}, exactly how much money would I get back?",
        f"I'm thinking about returning {thing.name}. What would the refund come to, after any fees?",
        f"How much would you refund me for {thing.name}, minus whatever you keep for shipping?",
    )
    say = refunded(thing)
    return _about(place, thing, openings, lambda desk: say(desk)[:1])


def total(place: Place) -> Goal:
    """What an order comes to."""
    thing = bought(place, place.draw.either("pending", "processed"))
    openings = (
        f"What is the total of my order with {thing.name} in it?",
        f"How much did I pay altogether for the order with {thing.name}?",
        f"Could you tell me what my order with {thing.name} came to?",
    )

    def say(desk: Desk) -> Sequence[Said]:
        return (cents(sum(row["price"] for _, row in desk.store.rows("items", order_id=thing.order))),)

    return _about(place, thing, openings, say)


def arrival(place: Place) -> Goal:
    """When an order comes."""
    thing = bought(place, place.draw.either("pending", "processed"))
    openings = (
        f"When will my order with {thing.name} arrive?", f"What day can I expect {thing.name} that I ordered?",
        f"I'm waiting for {thing.name}. When is it due?",
    )  # fmt: skip

    def say(desk: Desk) -> Sequence[Said]:
        return (day(date_of(desk.store.row("orders", thing.order)["due"])),)

    return _about(place, thing, openings, say)


def tracking(place: Place) -> Goal:
    """The number under which a parcel is tracked."""
    thing = bought(place, "processed")
    openings = (
        f"What's the tracking number of my order with {thing.name}?",
        f"Can you give me the tracking number for the parcel with {thing.name}?",
        f"I'd like to track the order with {thing.name}. Which number do I need?",
    )
    return _about(place, thing, openings, answer(words(place.fill.tables["orders"][thing.order]["tracking"])))


def price(place: Place) -> Goal:
    """What a variant costs that the person does not have."""
    fill, draw = place.fill, place.draw
    product = fill.product()
    variant = draw.choice(fill.variants(product))
    row = fill.tables["variants"][variant]
    row["stock"] = draw.integer(1, 20)
    name, text = f"the {fill.tables['products'][product]['name']}", options_of(place, variant)
    openings = (
        f"How much is {name} in {text}?", f"What would {name} cost me in {text}?",
        f"I'm interested in {name}, {text}. What's the price?",
    )  # fmt: skip
    reads = (call("search_products", query=name[4:]), call("get_product", product_id=product))
    return _asked(place, openings, reads, answer(cents(row["price"])))


def balance(place: Place) -> Goal:
    """How much is left on the gift card."""
    fill, draw = place.fill, place.draw
    key = fill.gift_card(place.person, draw.integer(310, 9900) / 100)
    openings = (
        "How much is left on my gift card?", "What's the balance of the gift card on my account?",
        "Could you check how much money I have on my gift card?",
    )  # fmt: skip

    def say(desk: Desk) -> Sequence[Said]:
        return (cents(desk.store.row("payments", key)["balance"]),)

    return _asked(place, openings, (call("get_customer", customer_id=place.person),), say)
