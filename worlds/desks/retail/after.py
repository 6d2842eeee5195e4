"""What customers want with orders that have been delivered: returns, exchanges, refunds and compensation."""

from collections.abc import Sequence

from turnwise.worlds.desks.desk import Desk
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
from turnwise.worlds.desks.said import Said, day
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.desks.wording import date_of, iso
from turnwise.worlds.people.part import Fact, Wish

__all__ = ["adjust", "adjust_late", "compensate", "compensate_more", "compensate_once", "compensate_punctual",
           "exchange", "exchange_product", "exchange_stock", "exchange_window", "replace", "replace_late",
           "return_all", "return_early", "return_final", "return_gift_limit", "return_item", "return_other_card",
           "return_window", "sisters_order"]  # fmt: skip


def _category(place: Place, thing: Thing) -> str:
    return str(place.fill.tables["products"][thing.product]["category"])


def _used(place: Place, thing: Thing) -> str:
    return str(place.fill.tables["orders"][thing.order]["payment_id"])


def _label(place: Place, payment: str) -> str:
    return str(place.fill.tables["payments"][payment]["label"])


# ---- returns --------------------------------------------------------------------------------------------------------

_RETURN = (
    "I'd like to return {t}.", "{T} isn't what I expected. Could I send it back, please?",
    "I don't like {t} after all, so I want to return it.", "Could you take back {t}? I've hardly used it.",
)  # fmt: skip


def _back(place: Place, thing: Thing, payment: str) -> Option:
    one = call("return_item", item_id=thing.item, payment_id=payment)
    return Option((one,), f"take back {thing.name} and refund it to your {_label(place, payment)}", refunded(thing))


def _returned(place: Place, thing: Thing, payment: str = "", fallback: Wish | None = None,
              instead: Option | None = None) -> Goal:  # fmt: skip
    draw = place.draw
    fact = payment_fact(place, payment or _used(place, thing), offered=bool(payment))
    opening = draw.choice(_RETURN).format(t=thing.name, T=thing.name[:1].upper() + thing.name[1:])
    if payment:
        opening += draw.either(f" Please refund it to {fact.value}.", f" I'd like the money on {fact.value}.")
    wish = Wish("return", opening, (*facts_of(place, thing), fact), insists(place), fallback)
    option = _back(place, thing, payment or _used(place, thing))
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
    used = payment_fact(place, _used(place, thing), offered=True)
    said = place.draw.either(f"Please refund it to {used.value}.", f"You can put the money back on {used.value}.")
    wish = Wish("return", said, (*facts_of(place, thing, again=True), used))
    return _returned(place, thing, wanted, wish, _back(place, thing, _used(place, thing)))


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
    used = _used(place, thing)
    calls = tuple(call("return_item", item_id=one, payment_id=used) for one in (thing.item, item))
    demand = Option(calls, f"take back {thing.name} and refund it to your {_label(place, used)}", refunded(thing),
                    each=True)  # fmt: skip
    facts = (facts_of(place, thing)[1], payment_fact(place, used))
    return Goal(Wish("return", opening, facts, insists(place)), lookups(place, thing), demand, kind="return_all")


# ---- exchanges ------------------------------------------------------------------------------------------------------


def _swap(place: Place, thing: Thing, variant: str, opening: str, again: bool = False) -> tuple[Wish, Option]:
    """Exchange an item for a variant; return the wish and what it takes."""
    fill = place.fill
    used, text = _used(place, thing), options_of(place, variant)
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
    used = _used(place, thing)
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
    return Goal(wish, reads, demand, _back(place, thing, used), "exchange_product")


# ---- damage, prices, delays -----------------------------------------------------------------------------------------


def _damaged(place: Place, ago: int, category: str, fallback: bool) -> Goal:
    draw = place.draw
    thing = delivered(place, ago, category)
    what = draw.either("it has a crack on one side", "it arrived with a big scratch", "a part of it is broken off")
    opening = draw.either(
        f"I unpacked {thing.name}, and it's damaged. Could you send me a new one?",
        f"{thing.name[:1].upper()}{thing.name[1:]} arrived broken. I'd like a replacement, please.",
        f"There's something wrong with {thing.name}: {what}. Please replace it.",
    )
    again, instead = None, None
    if fallback:
        used = _used(place, thing)
        said = draw.either("I'd like to return it.", "I want to send it back and get my money.")
        again = Wish("return", said, (*facts_of(place, thing, again=True), payment_fact(place, used)))
        instead = _back(place, thing, used)
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
            f"My order with {thing.name} came later than you promised. Do I get some compensation?",
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
        f"I'm also writing for my neighbor {name}: {thing.name} from order {thing.order} should go back.",
        f"A friend of mine, {name}, asked me to return {thing.name} from order {thing.order}.",
    )
    facts = (Fact("item", thing.name, offered=True), Fact("order", thing.order, offered=True))
    demand = _back(theirs, thing, fill.tables["orders"][thing.order]["payment_id"])
    return Goal(Wish("return", opening, facts, insists(place)), (call("get_order", order_id=thing.order),), demand,
                kind="owner")  # fmt: skip
