"""What customers want with orders that have not been delivered."""

from collections.abc import Sequence

from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.drafting import insists
from turnwise.worlds.desks.retail.goods import (
    Place,
    Say,
    Thing,
    answer,
    bought,
    cents,
    facts_of,
    lookups,
    option_fact,
    options_of,
    other_card,
    other_variants,
    payment_fact,
)
from turnwise.worlds.desks.retail.rules import REASONS
from turnwise.worlds.desks.retail.words import REASON_WORDS
from turnwise.worlds.desks.said import Said, day, number, words
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.desks.wording import date_of, iso
from turnwise.worlds.people.part import Fact, Wish

__all__ = ["address", "address_processed", "cancel", "cancel_dearer", "cancel_processed", "cancel_reason",
           "cancel_window", "change", "change_cheapest", "changed_out", "default_address", "difference_other",
           "payment"]  # fmt: skip


def _total(place: Place, order: str) -> float:
    return float(sum(row["price"] for row in place.fill.tables["items"].values() if row["order_id"] == order))


def _fresh(place: Place) -> Thing:
    """Plant a pending order that can still be canceled."""
    ago = place.draw.integer(0, place.fill.rules.cancel_days)
    return bought(place, "pending", placed=iso(place.fill.today, -ago))


# ---- cancelling -----------------------------------------------------------------------------------------------------


def _cancellation(place: Place, thing: Thing, reason: str, fallback: Wish | None = None,
                  instead: Option | None = None) -> Goal:  # fmt: skip
    draw = place.draw
    why = draw.choice(REASON_WORDS[reason])
    offered = draw.chance(0.6)
    opening = draw.either(
        f"I'd like to cancel the order with {thing.name} in it.",
        f"Could you please cancel my order for {thing.name}?",
        f"I want to call off an order. It's the one with {thing.name}.",
        f"Please cancel the order that I placed for {thing.name}.",
    )
    if offered:
        opening += f" {why[:1].upper()}{why[1:]}."
    facts = (*facts_of(place, thing), Fact("reason", why, offered))
    wish = Wish("cancel", opening, facts, insists(place), fallback)
    one = call("cancel_order", order_id=thing.order, reason=reason)
    demand = Option((one,), f"cancel order {thing.order}", answer(cents(_total(place, thing.order))))
    return Goal(wish, lookups(place, thing), demand, instead, "cancel")


def cancel(place: Place) -> Goal:
    """A cancellation that the rules allow."""
    return _cancellation(place, _fresh(place), place.draw.choice(place.fill.rules.cancel_reasons))


def cancel_window(place: Place) -> Goal:
    """A cancellation a day or two too late."""
    fill, draw = place.fill, place.draw
    ago = fill.rules.cancel_days + draw.either(1, 1, 2)
    thing = bought(place, "pending", placed=iso(fill.today, -ago), due=iso(fill.today, draw.integer(1, 4)))
    return _cancellation(place, thing, draw.choice(fill.rules.cancel_reasons))


def cancel_processed(place: Place) -> Goal:
    """A cancellation of an order that is on its way; the customer then asks when it comes."""
    fill, draw = place.fill, place.draw
    placed = iso(fill.today, -draw.integer(0, fill.rules.cancel_days))
    thing = bought(place, "processed", placed=placed, due=iso(fill.today, draw.integer(2, 6)))
    due = fill.tables["orders"][thing.order]["due"]
    opening = draw.either(
        "Tell me when it will arrive, please.", "I'd like to know when it's due.", "Let me know when it gets here.",
    )  # fmt: skip
    wish = Wish("ask", opening, facts_of(place, thing, again=True), question=True)
    asked = Option((), "", answer(day(date_of(due))))
    return _cancellation(place, thing, draw.choice(fill.rules.cancel_reasons), wish, asked)


def cancel_reason(place: Place) -> Goal:
    """A cancellation for a reason that is not accepted; a cheaper variant will do."""
    fill, draw = place.fill, place.draw
    bad = [reason for reason in REASONS if reason not in fill.rules.cancel_reasons]
    thing = _fresh(place)
    if "cheaper elsewhere" not in bad:
        return _cancellation(place, thing, draw.choice(bad))
    again = _cheapest(place, thing, draw.either(
        "Please switch it to the cheapest version that you have in stock.",
        "Change it to the cheapest version that's in stock, please.",
    ), again=True)  # fmt: skip
    return _cancellation(place, thing, "cheaper elsewhere", again.wish, again.demand)


def cancel_dearer(place: Place) -> Goal:
    """Of two orders, the one that costs more is canceled."""
    fill, draw = place.fill, place.draw
    one, other = _fresh(place), _fresh(place)
    dearer, kept = sorted((one, other), key=lambda thing: -_total(place, thing.order))
    reason = draw.choice(fill.rules.cancel_reasons)
    why = draw.choice(REASON_WORDS[reason])
    first, second = draw.shuffled([dearer, kept])
    opening = draw.either(
        f"I have two open orders, one with {first.name} and one with {second.name}. Please cancel whichever of them "
        "costs more in total.",
        f"I placed an order with {first.name} and another one with {second.name}. Please cancel the more expensive of "
        "the two orders.",
        f"Of my orders with {first.name} and with {second.name}, could you cancel the one with the higher total?",
    )
    total = cents(_total(place, dearer.order))
    demand = Option((call("cancel_order", order_id=dearer.order, reason=reason),), f"cancel order {dearer.order}",
                    answer(total))  # fmt: skip
    wish = Wish("cancel", opening, (Fact("reason", why),))
    reads = (*lookups(place, dearer), call("get_order", order_id=kept.order))
    return Goal(wish, reads, demand, kind="cancel_dearer")


# ---- changing -------------------------------------------------------------------------------------------------------


def _difference(place: Place, thing: Thing, variant: str) -> Said:
    return cents(abs(place.fill.tables["variants"][variant]["price"] - thing.price))


def _paid_with(place: Place, thing: Thing) -> tuple[str, tuple[Fact, ...]]:
    """Return how a difference is settled, and what the person says about that where it is up to them."""
    used = place.fill.tables["orders"][thing.order]["payment_id"]
    if place.fill.rules.same_payment:
        return used, ()
    chosen = place.draw.either(used, other_card(place))
    return chosen, (payment_fact(place, chosen),)


def _changed(place: Place, thing: Thing) -> Goal:
    fill, draw = place.fill, place.draw
    variant = draw.choice(other_variants(place, thing))
    text = options_of(place, variant)
    option = option_fact(place, thing, variant, draw.chance(0.6))
    to = f" to {text}" if option.offered else " to another version"
    opening = draw.either(
        f"Could you change {thing.name} in my order{to}?",
        f"I've ordered {thing.name}, but I'd like to switch{to}.",
        f"My order with {thing.name} hasn't been sent yet. Could I still pick another version?"
        if not option.offered else f"I picked the wrong version of {thing.name}. Please change it{to}.",
    )  # fmt: skip
    payment, paid = _paid_with(place, thing)
    label = fill.tables["payments"][payment]["label"]
    wish = Wish("change_item", opening, (*facts_of(place, thing), option, *paid), insists(place))
    one = call("change_item", item_id=thing.item, variant_id=variant, payment_id=payment)
    words = f"change {thing.name} to {text} and settle the difference with your {label}"
    demand = Option((one,), words, answer(_difference(place, thing, variant)))
    return Goal(wish, lookups(place, thing, product=True), demand, kind="change")


def change(place: Place) -> Goal:
    """Another variant in a pending order."""
    return _changed(place, bought(place, "pending", changes=place.draw.below(place.fill.rules.changes)))


def changed_out(place: Place) -> Goal:
    """A change to an order that has been changed as often as it can be."""
    return _changed(place, bought(place, "pending", changes=place.fill.rules.changes))


def _cheapest(place: Place, thing: Thing, opening: str, again: bool = False) -> Goal:
    """Change an item to the cheapest variant in stock; there may be a cheaper one that is not."""
    fill, draw = place.fill, place.draw
    rows = fill.tables["variants"]
    ranked = sorted(fill.variants(thing.product), key=lambda key: rows[key]["price"])
    if thing.variant in ranked[:2]:  # let the person hold a dearer one
        thing = thing._replace(variant=ranked[-1], price=rows[ranked[-1]]["price"])
        fill.tables["items"][thing.item].update(variant_id=thing.variant, price=thing.price)
    rows[ranked[0]]["stock"] = 0 if draw.chance(0.6) else draw.integer(1, 9)
    rows[ranked[1]]["stock"] = draw.integer(1, 9)
    best = next(key for key in ranked if rows[key]["stock"])
    payment = fill.tables["orders"][thing.order]["payment_id"]
    one = call("change_item", item_id=thing.item, variant_id=best, payment_id=payment)
    words = f"change {thing.name} to {options_of(place, best)} and refund the difference"
    demand = Option((one,), words, answer(_difference(place, thing, best)))
    facts = (*facts_of(place, thing, again), payment_fact(place, payment))
    wish = Wish("change_item", opening, facts)
    return Goal(wish, lookups(place, thing, product=True), demand, kind="cheapest")


def change_cheapest(place: Place) -> Goal:
    """The cheapest variant that is in stock instead of the one ordered."""
    thing = bought(place, "pending")
    return _cheapest(place, thing, place.draw.either(
        f"I've spent too much this month. Could you change {thing.name} in my order to the cheapest version that you "
        "have in stock?",
        f"Please switch {thing.name} that I ordered to whichever version is cheapest and in stock. The color doesn't "
        "matter.",
        f"About {thing.name} I ordered: any version will do, so please change it to the cheapest one in stock.",
    ))  # fmt: skip


def difference_other(place: Place) -> Goal:
    """A difference in price that is to go to another payment method than the order's, where that is not allowed."""
    fill, draw = place.fill, place.draw
    if not fill.rules.same_payment:
        return changed_out(place)
    thing = bought(place, "pending")
    used, other = fill.tables["orders"][thing.order]["payment_id"], other_card(place)
    variant = draw.choice(other_variants(place, thing))
    label, kept = fill.tables["payments"][other]["label"], fill.tables["payments"][used]["label"]
    text, option = options_of(place, variant), option_fact(place, thing, variant, True)
    opening = draw.either(
        f"Please change {thing.name} in my order to {text}, and settle the difference in price with my {label}.",
        f"I'd like {thing.name} I ordered in another version: {text}. Any difference should go on my {label}.",
        f"Can you switch {thing.name} in my order to {text}? Use my {label} for the difference, please.",
    )
    said = draw.either(f"Use my {kept} for the difference and change it anyway, please.",
                       f"You can settle it with my {kept}, but please change it.")  # fmt: skip
    fallback = Wish("change_item", said, (*facts_of(place, thing, again=True), option, payment_fact(place, used, True)))
    wish = Wish("change_item", opening, (*facts_of(place, thing), option, payment_fact(place, other, True)),
                insists(place), fallback)  # fmt: skip

    def settled_with(payment: str, name: str) -> Option:
        one = call("change_item", item_id=thing.item, variant_id=variant, payment_id=payment)
        words = f"change {thing.name} to {text} and settle the difference with your {name}"
        return Option((one,), words, answer(_difference(place, thing, variant)))

    return Goal(wish, lookups(place, thing, product=True), settled_with(other, label), settled_with(used, kept),
                "difference")  # fmt: skip


def payment(place: Place) -> Goal:
    """Another payment method for a pending order."""
    fill, draw = place.fill, place.draw
    thing = bought(place, "pending", changes=draw.below(fill.rules.changes))
    total = _total(place, thing.order)
    if draw.chance(0.35):
        chosen = fill.gift_card(place.person, round(total + draw.integer(0, 8000) / 100, 2))
    else:
        chosen = other_card(place)
    fact = payment_fact(place, chosen, draw.chance(0.6))
    mine = fact.value if fact.offered else "another payment method"
    opening = draw.either(
        f"I'd like to pay for my order with {thing.name} in it with {mine} instead.",
        f"Could you change how I pay for the order with {thing.name}? I'd like to use {mine}.",
        f"Please switch the payment for my order with {thing.name} to {mine}.",
    )
    wish = Wish("change_payment", opening, (*facts_of(place, thing), fact), insists(place))
    one = call("change_payment", order_id=thing.order, payment_id=chosen)
    words = f"change the payment of order {thing.order} to your {fill.tables['payments'][chosen]['label']}"
    demand = Option((one,), words, answer(cents(total)))
    return Goal(wish, (*lookups(place, thing), call("get_customer", customer_id=place.person)), demand, kind="payment")


# ---- addresses ------------------------------------------------------------------------------------------------------


def _addressed(place: Place, thing: Thing, fallback: Wish | None = None, instead: Option | None = None) -> Goal:
    draw = place.draw
    new = place.fill.address()
    fact = Fact("new_address", new, offered=draw.chance(0.5))
    to = f" It should go to {new}." if fact.offered else ""
    opening = draw.either(
        f"I'm moving, and my order with {thing.name} is going to the wrong address. Could you change it?",
        f"Could you send my order with {thing.name} to a different address, please?",
        f"I gave you my old address for the order with {thing.name}. Can you update it?",
        f"I won't be at home next week, so please change the address of my order with {thing.name}.",
    )
    wish = Wish("change_address", opening + to, (*facts_of(place, thing), fact), insists(place), fallback)
    demand = Option((call("change_address", order_id=thing.order, address=new),),
                    f"change the address of order {thing.order} to {new}", _due(thing))  # fmt: skip
    return Goal(wish, lookups(place, thing), demand, instead, kind="address")


def _due(thing: Thing) -> Say:
    def say(desk: Desk) -> Sequence[Said]:
        return (day(date_of(desk.store.row("orders", thing.order)["due"])),)

    return say


def address(place: Place) -> Goal:
    """Another address for a pending order."""
    return _addressed(place, bought(place, "pending", changes=place.draw.below(place.fill.rules.changes)))


def address_processed(place: Place) -> Goal:
    """Another address for an order that is on its way."""
    fill, draw = place.fill, place.draw
    thing = bought(place, "processed", due=iso(fill.today, draw.integer(2, 6)))
    tracking = fill.tables["orders"][thing.order]["tracking"]
    opening = draw.either("Give me the tracking number, please, and I'll talk to the carrier.",
                          "I'd like to have the tracking number, so that I can ask the carrier.")  # fmt: skip
    wish = Wish("ask", opening, facts_of(place, thing, again=True), question=True)
    return _addressed(place, thing, wish, Option((), "", answer(words(tracking))))


def default_address(place: Place) -> Goal:
    """Another address for all future orders."""
    fill, draw = place.fill, place.draw
    new = fill.address()
    fact = Fact("new_address", new, offered=draw.chance(0.5))
    to = f" It's {new} now." if fact.offered else ""
    opening = draw.either(
        "I've moved. Could you update the default address on my account?",
        "Please change the default address on my account, I live somewhere else now.",
        "My account still has my old address. Can you replace it with the new one?",
    )

    def say(desk: Desk) -> Sequence[Said]:
        pending = desk.store.rows("orders", customer_id=place.person, status="pending")
        return (number(sum(row["address"] != new for _, row in pending)),)

    wish = Wish("default_address", opening + to, (fact,), insists(place))
    one = call("change_default_address", customer_id=place.person, address=new)
    demand = Option((one,), f"change the default address on your account to {new}", say)
    return Goal(wish, (call("list_orders", customer_id=place.person),), demand, kind="default_address")
