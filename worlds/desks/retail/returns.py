"""What customers want to return or exchange."""

from turnwise.worlds.desks.drafting import insists
from turnwise.worlds.desks.retail.goods import (
    Place,
    Thing,
    answer,
    bought,
    cents,
    delivered,
    facts_of,
    lookups,
    option_fact,
    options_of,
    other_card,
    other_variants,
    payment_fact,
    refunded,
    returnable,
)
from turnwise.worlds.desks.retail.rules import CATEGORIES
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.desks.wording import iso
from turnwise.worlds.people.part import Wish

__all__ = [
    "back",
    "exchange",
    "exchange_product",
    "exchange_stock",
    "exchange_window",
    "paid_with",
    "return_all",
    "return_early",
    "return_final",
    "return_gift_limit",
    "return_item",
    "return_other_card",
    "return_window",
]  # fmt: skip


def _category(place: Place, thing: Thing) -> str:
    return str(place.fill.tables["products"][thing.product]["category"])


def paid_with(place: Place, thing: Thing) -> str:
    """Return the payment method of the order."""
    return str(place.fill.tables["orders"][thing.order]["payment_id"])


def _label(place: Place, payment: str) -> str:
    return str(place.fill.tables["payments"][payment]["label"])


# ---- returns --------------------------------------------------------------------------------------------------------

_RETURN = (
    "I'd like to return {t}.", "{T} isn't what I expected. Could I send it back, please?",
    "I don't like {t} after all, so I want to return it.", "Could you take back {t}? I've hardly used it.",
)  # fmt: skip


def back(place: Place, thing: Thing, payment: str) -> Option:
    """Return what a return takes."""
    one = call("return_item", item_id=thing.item, payment_id=payment)
    return Option((one,), f"take back {thing.name} and refund it to your {_label(place, payment)}", refunded(thing))


def _returned(place: Place, thing: Thing, payment: str = "", fallback: Wish | None = None,
              instead: Option | None = None) -> Goal:  # fmt: skip
    draw = place.draw
    fact = payment_fact(place, payment or paid_with(place, thing), offered=bool(payment))
    opening = draw.choice(_RETURN).format(t=thing.name, T=thing.name[:1].upper() + thing.name[1:])
    if payment:
        opening += draw.either(f" Please refund it to {fact.value}.", f" I'd like the money back on {fact.value}.")
    wish = Wish("return", opening, (*facts_of(place, thing), fact), insists(place), fallback)
    option = back(place, thing, payment or paid_with(place, thing))
    reads = (*lookups(place, thing), call("get_customer", customer_id=place.person))
    return Goal(wish, reads, option, instead, "return")


def return_item(place: Place) -> Goal:
    """A return that the rules allow, sometimes on the last day, and sometimes to a gift card."""
    fill, draw = place.fill, place.draw
    category = draw.choice(returnable(place))
    last = fill.rules.return_days[category]
    thing = delivered(place, last if draw.chance(0.3) else draw.integer(1, last), category)
    if not fill.rules.to_gift_card or draw.chance(0.5):
        return _returned(place, thing)
    thing = _priced(place, thing, fill.rules.gift_limit - draw.integer(0, 3000) / 100)
    return _returned(place, thing, fill.gift_card(place.person, draw.integer(0, 5000) / 100))


def _priced(place: Place, thing: Thing, refund: float) -> Thing:
    """Set what was paid for an item so that this much is refunded for it."""
    fill = place.fill
    free = fill.rules.free_tier and fill.tables["customers"][place.person]["tier"] == "plus"
    price = round(refund + (0.0 if free else fill.rules.return_fee), 2)
    fill.tables["items"][thing.item]["price"] = price
    return thing._replace(price=price)


def return_gift_limit(place: Place) -> Goal:
    """A refund that is too large for a gift card, sometimes by a cent; the card it was paid with will do."""
    fill, draw = place.fill, place.draw
    if not fill.rules.to_gift_card:
        return return_other_card(place)
    category = draw.choice(returnable(place))
    thing = delivered(place, draw.integer(1, fill.rules.return_days[category]), category)
    thing = _priced(place, thing, fill.rules.gift_limit + draw.either(1, 1, 500, 4000) / 100)
    return _back_to_card(place, thing, fill.gift_card(place.person, draw.integer(0, 5000) / 100))


def return_other_card(place: Place) -> Goal:
    """A refund to another card; the one it was paid with will do."""
    category = place.draw.choice(returnable(place))
    thing = delivered(place, place.draw.integer(1, place.fill.rules.return_days[category]), category)
    return _back_to_card(place, thing, other_card(place))


def _back_to_card(place: Place, thing: Thing, wanted: str) -> Goal:
    used = payment_fact(place, paid_with(place, thing), offered=True)
    said = place.draw.either(f"Please refund it to {used.value}.", f"You can put the money back on {used.value}.")
    wish = Wish("return", said, (*facts_of(place, thing, again=True), used))
    return _returned(place, thing, wanted, wish, back(place, thing, paid_with(place, thing)))


def return_window(place: Place) -> Goal:
    """A return that is too late, often by a day; an exchange is still possible."""
    fill, draw = place.fill, place.draw
    short = [c for c in returnable(place) if fill.rules.return_days[c] < fill.rules.exchange_days]
    category = draw.choice(short or returnable(place))
    ago = fill.rules.return_days[category] + draw.either(1, 1, 2, 6)
    thing = delivered(place, min(ago, max(fill.rules.return_days[category] + 1, fill.rules.exchange_days)), category)
    wish, option = _swap(place, thing, draw.choice(other_variants(place, thing)), draw.either(
        "I'd like to exchange it for one in {o}.", "Could I swap it for one in {o}?",
    ), again=True)  # fmt: skip
    return _returned(place, thing, "", wish, option)


def return_final(place: Place) -> Goal:
    """A return of something on final sale."""
    final = [c for c in CATEGORIES if c not in returnable(place)]
    return _returned(place, delivered(place, place.draw.integer(1, 9), place.draw.choice(final)))


def return_early(place: Place) -> Goal:
    """A return of something that has not arrived."""
    fill, draw = place.fill, place.draw
    thing = bought(place, "processed", due=iso(fill.today, draw.integer(2, 6)))
    goal = _returned(place, thing)
    opening = draw.either(
        f"I already know that I won't keep {thing.name} that you're sending me. Please put in the return now.",
        f"{thing.name[:1].upper()}{thing.name[1:]} hasn't arrived yet, but I'd like to return it right away.",
    )
    wish = Wish("return", opening, goal.wish.facts, goal.wish.insists)
    return Goal(wish, goal.reads, goal.demand, kind="return_early")


def return_all(place: Place) -> Goal:
    """Two items of an order are to go back, one of which is on final sale."""
    fill, draw = place.fill, place.draw
    category = draw.choice(returnable(place))
    thing = delivered(place, draw.integer(1, fill.rules.return_days[category]), category)
    for key in [k for k, row in fill.tables["items"].items() if row["order_id"] == thing.order and k != thing.item]:
        del fill.tables["items"][key]
    product = fill.product(draw.choice([c for c in CATEGORIES if c not in returnable(place)]))
    item = fill.item(thing.order, draw.choice(fill.variants(product)))
    other = f"the {fill.tables['products'][product]['name']}"
    first, second = draw.shuffled([thing.name, other])
    opening = draw.either(
        f"I'd like to return both {first} and {second}. They came in the same box.",
        f"Please take back everything in my order with {first} and {second}.",
        f"I want to send back two things: {first} and {second}.",
    )
    used = paid_with(place, thing)
    calls = tuple(call("return_item", item_id=one, payment_id=used) for one in (thing.item, item))
    demand = Option(calls, f"take back {thing.name} and refund it to your {_label(place, used)}", refunded(thing),
                    each=True)  # fmt: skip
    facts = (facts_of(place, thing)[1], payment_fact(place, used))
    return Goal(Wish("return", opening, facts, insists(place)), lookups(place, thing), demand, kind="return_all")


# ---- exchanges ------------------------------------------------------------------------------------------------------


def _swap(place: Place, thing: Thing, variant: str, opening: str, again: bool = False) -> tuple[Wish, Option]:
    """Exchange an item for a variant; return the wish and what it takes."""
    fill = place.fill
    used, text = paid_with(place, thing), options_of(place, variant)
    option = option_fact(place, thing, variant, offered="{o}" in opening)
    said = opening.format(o=text, t=thing.name)
    facts = (*facts_of(place, thing, again), option, payment_fact(place, used))
    more = abs(fill.tables["variants"][variant]["price"] - thing.price)
    one = call("exchange_item", item_id=thing.item, variant_id=variant, payment_id=used)
    words = f"exchange {thing.name} for {text} and settle the difference with your {_label(place, used)}"
    return Wish("exchange", said, facts), Option((one,), words, answer(cents(more)))


_EXCHANGE = (
    "I'd like to exchange {t} for one in {o}.", "Could I swap {t} for one in {o}, please?",
    "I should have picked a different version of {t}. Can I exchange it?",
    "{t} that you sent me isn't quite right for me. I'd like to exchange it.",
)  # fmt: skip


def _exchanged(place: Place, thing: Thing, variant: str, again: str = "") -> Goal:
    draw = place.draw
    opening = draw.choice(_EXCHANGE)
    opening = opening.replace("{t} that", f"The{thing.name[3:]} that") if opening.startswith("{t}") else opening
    wish, demand = _swap(place, thing, variant, opening)
    fallback, instead = _swap(place, thing, again, "I'll take one in {o}.", again=True) if again else (None, None)
    wish = Wish("exchange", wish.opening, wish.facts, insists(place), fallback)
    return Goal(wish, lookups(place, thing, product=True), demand, instead, "exchange")


def exchange(place: Place) -> Goal:
    """An exchange that the rules allow, sometimes on the last day."""
    last = place.fill.rules.exchange_days
    ago = last if place.draw.chance(0.3) else place.draw.integer(1, last)
    thing = delivered(place, ago, place.draw.choice(returnable(place)))
    return _exchanged(place, thing, place.draw.choice(other_variants(place, thing)))


def exchange_window(place: Place) -> Goal:
    """An exchange that is too late, often by a day."""
    thing = delivered(place, place.fill.rules.exchange_days + place.draw.either(1, 1, 3, 10))
    return _exchanged(place, thing, place.draw.choice(other_variants(place, thing)))


def exchange_stock(place: Place) -> Goal:
    """An exchange for a variant that is not in stock; another one is."""
    thing = delivered(place, place.draw.integer(1, place.fill.rules.exchange_days))
    gone = place.draw.choice(other_variants(place, thing, stock=False))
    held = [key for key in other_variants(place, thing) if key != gone]
    if not held:
        held = [key for key in place.fill.variants(thing.product) if key not in (gone, thing.variant)][:1]
        place.fill.tables["variants"][held[0]]["stock"] = 3
    place.fill.tables["variants"][gone]["stock"] = 0
    return _exchanged(place, thing, gone, place.draw.choice(held))


def exchange_product(place: Place) -> Goal:
    """An exchange for a different product; a refund will do."""
    fill, draw = place.fill, place.draw
    category = draw.choice(returnable(place))
    thing = delivered(place, draw.integer(1, fill.rules.return_days[category]), category)
    product = fill.product(category)
    variant = draw.choice(fill.variants(product))
    fill.tables["variants"][variant]["stock"] = draw.integer(1, 9)
    name, text = f"the {fill.tables['products'][product]['name']}", options_of(place, variant)
    used = paid_with(place, thing)
    opening = draw.either(
        f"I'd like to exchange {thing.name} for {name}, {text}.",
        f"Could I swap {thing.name} for something else? I'd rather have {name} in {text}.",
        f"I want to exchange {thing.name}. Please send me {name} in {text} instead.",
    )
    said = draw.either("I'd simply like to return it.", "Please take it back and refund me.")
    again = Wish("return", said, (*facts_of(place, thing, again=True), payment_fact(place, used)))
    wish = Wish("exchange", opening, (*facts_of(place, thing), payment_fact(place, used)), insists(place), again)
    one = call("exchange_item", item_id=thing.item, variant_id=variant, payment_id=used)
    demand = Option((one,), f"exchange {thing.name} for {name}")
    reads = (*lookups(place, thing), call("search_products", query=name[4:]), call("get_product", product_id=product))
    return Goal(wish, reads, demand, back(place, thing, used), "exchange_product")
