"""Phones that do not work: faults, how each comes about, and how it is put right."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from turnwise.core.tools import Call
from turnwise.worlds.desks import drafting
from turnwise.worlds.desks.drafting import insists
from turnwise.worlds.desks.said import Said, money, words
from turnwise.worlds.desks.scenario import Goal, Option, call
from turnwise.worlds.desks.telecom.data import Filling
from turnwise.worlds.desks.telecom.tools import confirmation
from turnwise.worlds.desks.wording import iso, joined
from turnwise.worlds.people.part import Fact, Wish

__all__ = ["ALLOWED", "FAULTS", "REFUSED", "Fault", "Place", "trouble"]

Place = drafting.Place[Filling]


class Fault(NamedTuple):
    """Something that is wrong with a phone or its line.

    Attributes:
        stops: What does not work with it: "service", "data", "pictures".
        settings: How the phone is set.
        step: What the person has to do; "" if the operator has to.
        restart: Whether the phone has to be restarted afterwards.
    """

    stops: frozenset[str]
    settings: Mapping[str, Any] = {}
    step: str = ""
    restart: bool = False


_ALL, _SOME, _DATA = frozenset({"service", "data", "pictures"}), frozenset({"data", "pictures"}), frozenset({"data"})
_PICTURES = frozenset({"pictures"})
FAULTS: Final[Mapping[str, Fault]] = {
    "airplane": Fault(_ALL, {"airplane": True}, "airplane_off"),
    "loose_sim": Fault(_ALL, {"sim": False}, "reseat"),
    "operator": Fault(_ALL, {"operator": "another operator"}, "automatic"),
    "unpaid": Fault(_ALL, restart=True),
    "new_sim": Fault(_ALL, restart=True),
    "data_off": Fault(_SOME, {"mobile_data": False}, "mobile_data_on"),
    "roaming_off": Fault(_SOME, {"roaming": False}, "roaming_on"),
    "no_roaming": Fault(_SOME),
    "apn": Fault(_SOME, {"apn": False}, "apn_reset", restart=True),
    "slow_mode": Fault(_SOME, {"mode": "2G"}, "mode_best"),
    "vpn": Fault(_DATA, {"vpn": True}, "vpn_off"),
    "saver": Fault(_DATA, {"saver": True}, "saver_off"),
    "power": Fault(_DATA, {"power": True}, "power_off"),
    "used_up": Fault(_DATA),
    "picture_apn": Fault(_PICTURES, {"picture_apn": False}, "apn_reset", restart=True),
    "wifi_calling": Fault(_PICTURES, {"wifi_calling": True}, "wifi_calling_off"),
    "storage": Fault(_PICTURES, {"storage": False}, "storage_on"),
    "messages": Fault(_PICTURES, {"messages": False}, "messages_on"),
}
"""What can be wrong; everything that a fault stops works again once all of them are put right."""
_ORDER = tuple(FAULTS)
_ABROAD = {"roaming_off", "no_roaming"}
_OURS = tuple(name for name, fault in FAULTS.items() if not fault.step)


class _Ours(NamedTuple):
    """What the desk does about a fault: calls, in words, and what has to be said about them."""

    calls: tuple[Call, ...]
    words: str
    says: tuple[Said, ...] = ()


def _unpaid(place: Place, line: str, bills: int = 1) -> _Ours:
    fill, draw = place.fill, place.draw
    fill.tables["lines"][line].update(status="suspended", suspended_for="unpaid bill")
    owed = [fill.bill(place.person, status="open", due=iso(fill.today, -30 * n - draw.integer(2, 20)))
            for n in range(bills)]  # fmt: skip
    costs = [money(round(fill.tables["bills"][key]["amount"] * 100)) for key in owed]
    texts = joined([cost.text for cost in costs])
    noun = f"overdue bill of {texts}" if bills == 1 else f"overdue bills of {texts}"
    calls = (*(call("take_payment", bill_id=key) for key in owed), call("resume_line", line_id=line))
    return _Ours(calls, f"charge the {noun} to your card and resume your line",
                 (*costs, words(confirmation(line))))  # fmt: skip


def _new_sim(place: Place, line: str) -> _Ours:
    place.fill.tables["lines"][line]["sim_status"] = "sent, not activated"
    return _Ours((call("activate_sim", line_id=line),), "activate your new SIM card")


def _no_roaming(place: Place, line: str) -> _Ours:
    place.fill.tables["lines"][line]["roaming"] = False
    fee = money(round(place.fill.rules.roaming_fee * 100))
    return _Ours(
        (call("set_roaming", line_id=line, on=True),), f"turn on roaming for your line for {fee.text} a day", (fee,)
    )


def _used_up(place: Place, line: str) -> _Ours:
    row, rules = place.fill.tables["lines"][line], place.fill.rules
    row["data_used"] = float(row["data"])
    price = money(round(rules.pack_price * 100))
    return _Ours((call("add_data", line_id=line),), f"add a data pack of {rules.pack} GB for {price.text}", (price,))


_OUR_PART: Mapping[str, Callable[[Place, str], _Ours]] = {
    "unpaid": _unpaid, "new_sim": _new_sim, "no_roaming": _no_roaming, "used_up": _used_up,
}  # fmt: skip

_OPENINGS = {
    "service": (
        "My phone says there's no service. I can't call anybody.", "I haven't had any signal since this morning.",
        "My phone isn't getting a signal, and I can't make calls. Could you help me?",
        "I can't call or text anybody. There seems to be no network on my phone.",
    ),
    "data": (
        "The internet on my phone is terribly slow, when it works at all.",
        "I can't get web pages to load on my phone. Could you find out why?",
        "Mobile internet isn't working properly on my phone. Videos won't even start.",
        "The internet on my phone is so slow that I can't use it. Can you fix that?",
    ),
    "pictures": (
        "I can't send any picture messages. They just won't go out.",
        "Picture messages don't work on my phone. Could you help me get them working?",
        "Whenever I try to send a photo in a message, it fails.",
        "My phone won't send pictures by text message any more.",
    ),
}  # fmt: skip
_NEW_SIM = (" I've just put in the new SIM card that you sent me.", " It began when I put in your new SIM card.")
_COUNTRIES = ("Portugal", "Japan", "Canada", "Norway", "Chile", "Kenya")


def trouble(place: Place, what: str, faults: Sequence[str], name: str, bills: int = 1) -> tuple[str, Goal]:
    """Plant faults of the person's phone; return its line and the wish that it works.

    Args:
        place: Where.
        what: What does not work: "service", "data" or "pictures".
        faults: Names of faults that stop it.
        name: The kind of goal.
        bills: How many bills are overdue if one of the faults is an unpaid bill.
    """
    fill, draw = place.fill, place.draw
    faults = sorted(faults, key=_ORDER.index)
    abroad = bool(_ABROAD & set(faults))
    line = fill.line(place.person, roaming=abroad)
    ours = [_unpaid(place, line, bills) if fault == "unpaid" else _OUR_PART[fault](place, line)
            for fault in faults if fault in _OUR_PART]  # fmt: skip
    settings: dict[str, Any] = {}
    for fault in faults:
        settings.update(FAULTS[fault].settings)
    if not abroad:
        settings.setdefault("roaming", False)
    fill.phone = (line, settings, abroad, what)
    steps = list(dict.fromkeys(FAULTS[fault].step for fault in faults if FAULTS[fault].step))
    if any(FAULTS[fault].restart for fault in faults):
        steps.append("restart")
    opening = draw.choice(_OPENINGS[what])
    country = draw.choice(_COUNTRIES)
    if abroad:
        opening += f" I'm in {country} at the moment."
    if "new_sim" in faults:
        opening += draw.choice(_NEW_SIM)
    number = fill.tables["lines"][line]["number"]
    where = f"I'm in {country} at the moment" if abroad else "I'm at home, not abroad"
    facts = (Fact("line", number, offered=draw.chance(0.4)), Fact("where", where, offered=abroad, also=(country,)))
    says = tuple(said for one in ours for said in one.says)
    demand = Option(
        tuple(one for part in ours for one in part.calls), joined([part.words for part in ours]) if ours else "fix it",
        lambda desk: says,
    )  # fmt: skip
    reads = (call("list_lines", customer_id=place.person), call("get_line", line_id=line),
             call("list_bills", customer_id=place.person))  # fmt: skip
    wish = Wish("fix", opening, facts, insists(place), seen=what)
    return line, Goal(wish, reads, demand, kind=name, steps=tuple(steps))


def _faults(place: Place, what: str) -> list[str]:
    """Draw faults: with several wishes one at least that the desk has to do with."""
    pool = [name for name, fault in FAULTS.items() if what in fault.stops]
    count = place.draw.integer(1, min(place.shape.faults, len(pool)))
    chosen = place.draw.sample(pool, count)
    ours = [name for name in pool if name in _OURS]
    if place.shape.goals > 1 and not set(chosen) & set(ours):
        chosen[0] = place.draw.choice(ours)
    return chosen


def no_service(place: Place) -> Goal:
    """A phone without service."""
    return trouble(place, "service", _faults(place, "service"), "no_service")[1]


def no_data(place: Place) -> Goal:
    """A phone without mobile data, or with slow data."""
    return trouble(place, "data", _faults(place, "data"), "no_data")[1]


def no_pictures(place: Place) -> Goal:
    """A phone that sends no picture messages."""
    return trouble(place, "pictures", _faults(place, "pictures"), "no_pictures")[1]


def _with(place: Place, what: str, fault: str) -> list[str]:
    """Return a fault among others."""
    return list(dict.fromkeys([fault, *(name for name in _faults(place, what) if name not in _OURS)]))


def too_many_bills(place: Place) -> Goal:
    """A line whose owner has too many overdue bills."""
    rules = place.fill.rules
    faults = _with(place, "service", "unpaid")
    return trouble(place, "service", faults, "too_many_bills", rules.overdue + place.draw.either(0, 0, 1))[1]


def contract_over(place: Place) -> Goal:
    """A line suspended at the end of its contract."""
    fill = place.fill
    line, goal = trouble(place, "service", _with(place, "service", "airplane"), "contract_over")
    ended = iso(fill.today, -place.draw.either(1, 2, 15, 40))
    fill.tables["lines"][line].update(status="suspended", suspended_for="contract ended", contract_end=ended)
    assert goal.demand is not None
    demand = replace(goal.demand, calls=(call("resume_line", line_id=line),), words="resume your line")
    return replace(goal, demand=demand)


def no_packs(place: Place) -> Goal:
    """A line that has had all its data packs; a larger plan will do."""
    fill, draw = place.fill, place.draw
    line, goal = trouble(place, "data", ["used_up"], "no_packs")
    row = fill.tables["lines"][line]
    plans = sorted(fill.tables["plans"], key=lambda key: fill.tables["plans"][key]["data"])
    row.update(plan_id=plans[0], packs=fill.rules.packs)
    row["data"] = fill.tables["plans"][plans[0]]["data"] + fill.rules.packs * fill.rules.pack
    row["data_used"] = float(row["data"])
    plan = draw.choice(plans[1:])
    name, price = fill.tables["plans"][plan]["name"], fill.tables["plans"][plan]["price"]
    opening = draw.either(f"Please move me to the {name} plan.", f"I'd like to change to {name}.",
                          f"I need more data anyway. Please switch me to {name}.")  # fmt: skip
    again = Wish("plan", opening, (Fact("plan", name, offered=True),))
    instead = Option((call("change_plan", line_id=line, plan_id=plan),), f"change your plan to {name}",
                     lambda desk: (money(round(price * 100)),))  # fmt: skip
    wish = replace(goal.wish, fallback=again)
    return replace(goal, wish=wish, instead=instead, reads=(*goal.reads, call("list_plans")))


def roaming_too_new(place: Place) -> Goal:
    """A customer abroad whose line is too new for roaming, sometimes by a day."""
    fill = place.fill
    line, goal = trouble(place, "data", _with(place, "data", "no_roaming"), "roaming_too_new")
    since = iso(fill.today, -max(1, fill.rules.roaming_age - place.draw.either(1, 2, 10)))
    fill.tables["lines"][line].update(since=since, plan_since=since)
    return goal


ALLOWED = (no_service, no_data, no_pictures)
REFUSED = (too_many_bills, contract_over, no_packs, roaming_too_new)
