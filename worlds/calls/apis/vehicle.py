"""A car: doors, engine, tyres, fuel, climate and navigation."""

import datetime
from typing import Literal

from turnwise.core.draw import Draw
from turnwise.worlds.calls.api import Api, Do, Place, Request, asked, dump
from turnwise.worlds.desks.declare import desk_tool
from turnwise.worlds.desks.said import Said, number
from turnwise.worlds.desks.store import Row, Store, Tables
from turnwise.worlds.names import TOWNS

__all__ = ["VEHICLE"]

TYRES = ("front left", "front right", "rear left", "rear right")
Tyre = Literal["front left", "front right", "rear left", "rear right"]
PARTS = ("engine", "doors", "brake", "lights", "climate", "fuel", "route")


def show_car(store: Store) -> str:
    """Show everything about the car but its tyres."""
    return dump({part: dict(store.row("car", part)) for part in PARTS})


def check_tyres(store: Store) -> str:
    """Show the pressure of each tyre in bar."""
    return dump({tyre: store.row("tyres", tyre)["bar"] for tyre in TYRES})


def set_tyre(store: Store, tyre: Tyre, bar: float) -> str:
    """Bring a tyre to a pressure in bar."""
    if not 1.0 <= bar <= 4.0:
        raise ValueError("bar must be from 1 to 4")
    return dump({tyre: store.change("tyres", tyre, bar=round(float(bar), 1))["bar"]})


def lock_doors(store: Store, locked: bool) -> str:
    """Lock all doors, or unlock them."""
    return dump(dict(store.change("car", "doors", locked=locked)))


def set_brake(store: Store, on: bool) -> str:
    """Put the parking brake on, or release it; it can be released only while the engine runs."""
    if not on and not store.row("car", "engine")["running"]:
        raise ValueError("the engine must be running")
    return dump(dict(store.change("car", "brake", on=on)))


def set_engine(store: Store, running: bool) -> str:
    """Start or stop the engine; to start it, the doors must be locked and the parking brake must be on."""
    if running and not store.row("car", "doors")["locked"]:
        raise ValueError("the doors must be locked first")
    if running and not store.row("car", "brake")["on"]:
        raise ValueError("the parking brake must be on first")
    return dump(dict(store.change("car", "engine", running=running)))


def set_lights(store: Store, mode: Literal["off", "parking", "low", "high"]) -> str:
    """Set the headlights."""
    return dump(dict(store.change("car", "lights", mode=mode)))


def set_climate(store: Store, celsius: int, fan: Literal["off", "low", "medium", "high"] = "low") -> str:
    """Set the temperature inside, and the fan."""
    if not 16 <= celsius <= 28:
        raise ValueError("celsius must be from 16 to 28")
    return dump(dict(store.change("car", "climate", celsius=celsius, fan=fan)))


def refuel(store: Store, litres: int) -> str:
    """Fill in whole litres of fuel; the engine must be off, and the tank does not take more than fits."""
    fuel = store.row("car", "fuel")
    if store.row("car", "engine")["running"]:
        raise ValueError("the engine must be off")
    if not 1 <= litres <= fuel["tank"] - fuel["litres"]:
        raise ValueError(f"the tank takes from 1 to {fuel['tank'] - fuel['litres']} litres now")
    return dump(dict(store.change("car", "fuel", litres=fuel["litres"] + litres)))


def get_distance(store: Store, town: str) -> str:
    """Show the distance from here to a town in kilometres."""
    return dump({"town": town, "km": store.row("towns", town)["km"]})


def navigate(store: Store, town: str) -> str:
    """Set the navigation to a town."""
    store.row("towns", town)
    return dump(dict(store.change("car", "route", town=town)))


def fill(draw: Draw, rows: int, today: datetime.date) -> Tables:
    """Draw a car that stands still, and towns around it."""
    tank = draw.either(40, 45, 50, 60)
    car: dict[str, Row] = {
        "engine": {"running": False}, "doors": {"locked": draw.chance(0.5)}, "brake": {"on": draw.chance(0.5)},
        "lights": {"mode": "off"}, "climate": {"celsius": draw.integer(17, 26), "fan": "off"}, "route": {"town": ""},
        "fuel": {"litres": draw.integer(5, tank // 2), "tank": tank, "litres_per_100_km": draw.integer(4, 9)},
    }  # fmt: skip
    tyres: dict[str, Row] = {tyre: {"bar": draw.integer(17, 28) / 10} for tyre in TYRES}
    towns: dict[str, Row] = {town: {"km": draw.integer(12, 900)} for town in draw.sample(TOWNS, min(rows, len(TOWNS)))}
    return {"car": car, "tyres": tyres, "towns": towns}


# ---- what people ask for --------------------------------------------------------------------------------------------


def start(place: Place) -> Request | None:
    if place.store.row("car", "engine")["running"]:
        return None

    def program(do: Do) -> None:
        car = do("show_car")
        if not car["doors"]["locked"]:
            do("lock_doors", locked=True)
        if not car["brake"]["on"]:
            do("set_brake", on=True)
        do("set_engine", running=True)

    text, _ = asked(place.draw, "start the engine, and first do whatever has to be done for that")
    return Request(text, program)


def stop(place: Place) -> Request | None:
    if not place.store.row("car", "engine")["running"]:
        return None

    def program(do: Do) -> None:
        do("set_engine", running=False)
        do("lock_doors", locked=False)

    return Request(asked(place.draw, "stop the engine and unlock the doors")[0], program)


def fill_up(place: Place) -> Request | None:
    draw, fuel = place.draw, place.store.row("car", "fuel")
    room = fuel["tank"] - fuel["litres"]
    if place.store.row("car", "engine")["running"] or room < 2:
        return None
    whole, part = draw.chance(0.5), draw.integer(1, room)

    def program(do: Do) -> None:
        now = do("show_car")["fuel"]
        do("refuel", litres=now["tank"] - now["litres"] if whole else part)

    if whole:
        return Request(asked(draw, draw.either("fill the tank up completely", "fill the tank to the brim"))[0], program)
    plural = "litre" if part == 1 else "litres"
    text, blank = asked(draw, f"put {part} {plural} of fuel into the tank", "put some fuel into the tank")
    return Request(text, program, blank, draw.either(f"{part} {plural}.", f"{part} {plural}, please."))


def pump(place: Place) -> Request | None:
    draw, low = place.draw, place.draw.integer(20, 26) / 10
    if all(place.store.row("tyres", tyre)["bar"] >= low for tyre in TYRES):
        return None

    def program(do: Do) -> None:
        for tyre, bar in do("check_tyres").items():
            if bar < low:
                do("set_tyre", tyre=tyre, bar=low)

    text, blank = asked(draw, f"bring every tyre that is below {low} bar up to {low} bar",
                        "pump up every tyre that is too low")  # fmt: skip
    return Request(text, program, blank, f"Bring everything below {low} bar up to {low} bar.")


def drive_to(place: Place) -> Request:
    draw = place.draw
    towns = draw.sample([key for key, _ in place.store.rows("towns")], 2)
    near = draw.chance(0.5)

    def program(do: Do) -> None:
        far = {town: do("get_distance", town=town)["km"] for town in towns}
        choose = min if near else max
        town = choose(towns, key=lambda one: (far[one], one)) if len(set(far.values())) > 1 else towns[0]
        do("navigate", town=town)
        do.memory["town"] = town

    word = "nearer" if near else "further away"
    text, _ = asked(draw, f"set the navigation to {towns[0]} or {towns[1]}, whichever is {word}")
    return Request(text, program)


def warm(place: Place) -> Request:
    draw = place.draw
    up, degrees = draw.chance(0.5), draw.integer(1, 3)
    fan = draw.choice(("low", "medium", "high"))

    def program(do: Do) -> None:
        now = do("show_car")["climate"]["celsius"]
        do("set_climate", celsius=now + degrees if up else now - degrees, fan=fan)

    plural = "degree" if degrees == 1 else "degrees"
    way = "warmer" if up else "cooler"
    rest = f"{way} in the car than it is set to now, with the fan on {fan}"
    text, blank = asked(draw, f"make it {degrees} {plural} {rest}", f"make it {rest}")
    return Request(text, program, blank, f"{degrees} {plural}.")


def beams(place: Place) -> Request:
    mode = place.draw.choice(("parking", "low", "high"))

    def program(do: Do) -> None:
        do("set_lights", mode=mode)

    text, blank = asked(place.draw, f"switch the headlights to {mode}", "set the headlights")
    return Request(text, program, blank, f"To {mode}.")


def reach(place: Place) -> Request:
    def program(do: Do) -> Said:
        fuel = do("show_car")["fuel"]
        km = int(fuel["litres"] * 100 // fuel["litres_per_100_km"])
        do.memory["figure"] = str(km)
        return number(km)

    text = place.draw.either(
        "How far can I drive with the fuel in the tank?", "How far does the fuel in the car take me?"
    )
    return Request(f"{text} Whole kilometres, rounded down.", program)


def left_to_go(place: Place) -> Request | None:
    town = place.memory.get("town")
    if town is None or place.store.row("car", "route")["town"] != town:
        return None

    def program(do: Do) -> Said:
        km = do("get_distance", town=town)["km"]
        do.memory["figure"] = str(km)
        return number(km)

    return Request("How many kilometres is it to where the navigation goes now?", program, back=True)


VEHICLE = Api(
    "vehicle",
    (
        desk_tool(show_car, False),
        desk_tool(check_tyres, False),
        desk_tool(set_tyre, True, tyre="Which tyre.", bar="From 1 to 4."),
        desk_tool(lock_doors, True, locked="Whether they are to be locked."),
        desk_tool(set_brake, True, on="Whether it is to be on."),
        desk_tool(set_engine, True, running="Whether it is to run."),
        desk_tool(set_lights, True, mode="The mode."),
        desk_tool(set_climate, True, celsius="From 16 to 28.", fan="The fan."),
        desk_tool(refuel, True, litres="How many litres."),
        desk_tool(get_distance, False, town="The town."),
        desk_tool(navigate, True, town="The town."),
    ),
    fill,
    (start, stop, fill_up, pump, drive_to, warm, beams),
    (reach, left_to_go),
    frozenset({"set_tyre", "set_engine", "set_lights", "set_climate", "refuel", "navigate"}),
)
