"""What else customers want with orders that have been delivered: damage, prices, delays, other people's orders."""

from collections.abc import Sequence

from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.drafting import insists
from turnwise.worlds.desks.retail.goods import (
    Place,
    answer,
    bought,
    cents,
    delivered,
    facts_of,
    lookups,
    payment_fact,
    returnable,
)
from turnwise.worlds.desks.retail.returns import back, paid_with
from turnwise.worlds.desks.retail.rules import CATEGORIES
from turnwise.worlds.desks.said import Said, day
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.desks.wording import date_of, iso
from turnwise.worlds.people.part import Fact, Wish

__all__ = ["adjust", "adjust_late", "compensate", "compensate_more", "compensate_once",
           "compensate_punctual", "replace", "replace_late", "sisters_order"]  # fmt: skip


# ---- damage, prices, delays -----------------------------------------------------------------------------------------


def _damaged(place: Place, ago: int, category: str, fallback: bool) -> Goal:
    draw = place.draw
    thing = delivered(place, ago, category)
    what = draw.either("it has a crack on one side", "it arrived with a big scratch", "part of it has broken off")
    opening = draw.either(
        f"I unpacked {thing.name}, and it's damaged. Could you send me a new one?",
        f"{thing.name[:1].upper()}{thing.name[1:]} arrived broken. I'd like a replacement, please.",
        f"There's something wrong with {thing.name}: {what}. Please replace it.",
    )
    again, instead = None, None
    if fallback:
        used = paid_with(place, thing)
        said = draw.either("I'd like to return it.", "I want to send it back for a refund.")
        again = Wish("return", said, (*facts_of(place, thing, again=True), payment_fact(place, used)))
        instead = back(place, thing, used)
    wish = Wish("replace", opening, (*facts_of(place, thing), Fact("damage", what)), insists(place), again)

    def say(desk: Desk) -> Sequence[Said]:
        return (day(date_of(iso(desk.rules.today, desk.rules.replace_days))),)

    demand = Option((call("replace_item", item_id=thing.item),), f"replace {thing.name} free of charge", say)
    return Goal(wish, lookups(place, thing), demand, instead, "replace")


def replace(place: Place) -> Goal:
    """A damaged item, reported in time, whatever its category."""
    last = place.fill.rules.damage_days
    ago = last if place.draw.chance(0.4) else place.draw.integer(1, last)
    return _damaged(place, ago, place.draw.choice(CATEGORIES), False)


def replace_late(place: Place) -> Goal:
    """Damage that is reported too late, often by a day; the item can still be returned if its time is not over."""
    fill, draw = place.fill, place.draw
    ago = fill.rules.damage_days + draw.either(1, 1, 2)
    category = draw.choice(returnable(place))
    return _damaged(place, ago, category, ago <= fill.rules.return_days[category])


def _dropped(place: Place, ago: int) -> Goal:
    fill, draw = place.fill, place.draw
    placed = iso(fill.today, -ago)
    if ago >= 5 and draw.chance(0.6):
        thing = bought(place, "delivered", placed=placed, due=iso(fill.today, -1), delivered=iso(fill.today, -1))
    else:
        thing = bought(place, "processed", placed=placed, due=iso(fill.today, draw.integer(1, 5)))
    less = draw.integer(300, 1900) / 100
    price = round(thing.price - less, 2)
    fill.tables["variants"][thing.variant]["price"] = price
    opening = draw.either(
        f"I see that {thing.name} is cheaper now than when I ordered it. Could you refund the difference?",
        f"You've lowered the price of {thing.name} since I bought it. I'd like the difference back, please.",
        f"{thing.name[:1].upper()}{thing.name[1:]} has just gone on sale, and I paid full price. Can you adjust that?",
    )
    wish = Wish("adjust", opening, facts_of(place, thing), insists(place))
    demand = Option((call("adjust_price", item_id=thing.item),), f"refund the difference in price for {thing.name}",
                    answer(cents(thing.price - price)))  # fmt: skip
    return Goal(wish, lookups(place, thing, product=True), demand, kind="adjust")


def adjust(place: Place) -> Goal:
    """A price that has dropped in time, sometimes on the last day."""
    last = place.fill.rules.adjust_days
    return _dropped(place, last if place.draw.chance(0.4) else place.draw.integer(1, last))


def adjust_late(place: Place) -> Goal:
    """A price that has dropped too late, often by a day."""
    return _dropped(place, place.fill.rules.adjust_days + place.draw.either(1, 1, 2, 8))


def _late(place: Place, late: int, more: float = 0.0, **known: object) -> Goal:
    fill, draw = place.fill, place.draw
    thing = delivered(place, draw.integer(1, 15), "", late, **known)
    amount = fill.rules.compensation[fill.tables["customers"][place.person]["tier"]]
    facts, again, instead = facts_of(place, thing), None, None

    def credit(amount: float) -> Option:
        one = call("compensate", order_id=thing.order, amount=amount)
        return Option((one,), "credit a gift card as compensation for the delay", answer(cents(amount)))

    if more:
        wanted = cents(amount + more).text
        opening = draw.either(
            f"My order with {thing.name} came late, and that ruined a birthday. I want {wanted} as compensation.",
            f"The delivery of {thing.name} was late. I expect {wanted} for that.",
        )
        facts = (*facts, Fact("amount", wanted, offered=True))
        said = draw.either("Give me as much as you can.", "I'll take whatever compensation I'm entitled to.")
        again, instead = Wish("compensate", said, facts_of(place, thing, again=True)), credit(amount)
    else:
        opening = draw.either(
            f"My order with {thing.name} came later than you promised. Do I get any compensation?",
            f"I had to wait far too long for {thing.name}. I'd like to be compensated for that.",
            f"The order with {thing.name} arrived late. I was told I could get a credit for that?",
        )
    wish = Wish("compensate", opening, facts, insists(place), again)
    reads = (*lookups(place, thing), call("get_customer", customer_id=place.person))
    return Goal(wish, reads, credit(amount + more), instead, "compensate")


def compensate(place: Place) -> Goal:
    """Compensation for a late delivery."""
    return _late(place, place.fill.rules.late_days + place.draw.either(0, 0, 1, 3))


def compensate_punctual(place: Place) -> Goal:
    """Compensation for a delivery that was not late enough, often by a day."""
    return _late(place, max(0, place.fill.rules.late_days - place.draw.either(1, 1, 2, 3)))


def compensate_more(place: Place) -> Goal:
    """More compensation than there is; the usual amount will do."""
    rules = place.fill.rules
    return _late(place, rules.late_days + place.draw.integer(0, 3), place.draw.either(2.5, 5.0, 10.0, 25.0))


def compensate_once(place: Place) -> Goal:
    """Compensation for an order that has been compensated."""
    return _late(place, place.fill.rules.late_days + place.draw.integer(0, 3), compensated=True)


# ---- other people ---------------------------------------------------------------------------------------------------


def sisters_order(place: Place) -> Goal:
    """A return from an order that belongs to somebody else."""
    fill, draw = place.fill, place.draw
    other = draw.choice([key for key in fill.tables["customers"] if key != place.person])
    theirs = Place(fill, draw, other, place.shape)
    category = draw.choice(returnable(place))
    thing = delivered(theirs, draw.integer(1, fill.rules.return_days[category]), category)
    name = fill.tables["customers"][other]["name"]
    opening = draw.either(
        f"My partner {name} ordered {thing.name}, and we'd like to return it. The order number is {thing.order}.",
        f"I'm writing for my neighbor {name}: {thing.name} from order {thing.order} should go back.",
        f"A friend of mine, {name}, asked me to return {thing.name} from order {thing.order}.",
    )
    facts = (Fact("item", thing.name, offered=True), Fact("order", thing.order, offered=True))
    demand = back(theirs, thing, fill.tables["orders"][thing.order]["payment_id"])
    return Goal(Wish("return", opening, facts, insists(place)), (call("get_order", order_id=thing.order),), demand,
                kind="owner")  # fmt: skip
