"""Tasks of the map: places, ways and lists."""

from functools import lru_cache
from typing import Any, NamedTuple

from turnwise.worlds.web.site import (
    Answer,
    Draft,
    Draw,
    OneOf,
    Plan,
    Tasks,
    World,
    check,
    click,
    delete,
    fill,
    insert,
    select,
    update,
)
from turnwise.worlds.web.site.cast import phone_forms
from turnwise.worlds.web.sites.maps.data import DAYS
from turnwise.worlds.web.sites.maps.network import Network, network_of

__all__ = ["errands", "search_near", "surroundings"]

errands = Tasks()

_PLACES = """
SELECT p.id, p.name, p.category, p.phone, p.rating, a.node, a.number || ' ' || a.street, h.opens, h.closes
FROM place p JOIN address a ON a.id = p.address LEFT JOIN hours h ON h.place = p.id AND h.day = ? ORDER BY p.id
"""
_TRIES = 8
_RANGES = (500, 800, 1200)
_SAVE_TRIES = 40
_TRIP_NAMES = ("Saturday round", "Errands", "Visit of my aunt", "Lunch break", "Moving day", "First week")


class _Place(NamedTuple):
    id: int
    name: str
    category: str
    phone: str
    rating: int
    node: int
    address: str
    opens: str | None
    closes: str | None


@errands.template(1)
def set_home(world: World, draw: Draw) -> Draft | None:
    """Ask to change the home or work address."""
    kind = draw.choice(("home", "work"))
    now = world("maps").row("SELECT address FROM spot WHERE owner = 1 AND kind = ?", kind)
    number, street, house = draw.choice(world("maps").rows("SELECT id, street, number FROM address ORDER BY id"))
    if number == now:
        return None
    text = draw.either(
        f"Set my {kind} address to {house} {street}.",
        f"I {'live' if kind == 'home' else 'work'} at {house} {street} now. Save it as my {kind} address.",
    )
    button = f"Save {kind} address"
    near = f"{kind.capitalize()} address"
    plan = (
        click("Settings"),
        select("Street", street, near=near),
        fill("House number", str(house), near=near),
        click(button),
    )
    return Draft(text, plan, (update("maps.spot", {"owner": 1, "kind": kind}, address=number),))


@errands.template(1)
def closing_time(world: World, draw: Draw) -> Draft | None:
    """Ask when a place opens or closes on a day."""
    _, name, day, opens, closes = draw.choice(
        world("maps").rows(
            "SELECT p.id, p.name, h.day, h.opens, h.closes FROM hours h JOIN place p ON p.id = h.place ORDER BY 1, 3"
        )
    )
    first = draw.chance(0.5)
    text = f"At what time does {name} {'open' if first else 'close'} on {DAYS[day]}s?"
    plan = *_open_place(name), click("Opening hours")
    return Draft(text, plan, answer=Answer.of("time", opens if first else closes))


@errands.template(2)
def way_length(world: World, draw: Draw) -> Draft | None:
    """Ask how long a way is, in metres or minutes."""
    network, places = _network(world), _places(world)
    start, end = draw.sample(places, 2)
    mode, minutes = draw.choice((("walking", False), ("driving", False), ("walking", True)))
    way = network.way(start.node, end.node, mode)
    trip = "walk" if mode == "walking" else "drive"
    plan: Plan = _directions(start.name, end.name, mode)
    if not minutes:
        text = f"How long, in metres, is the {trip} from {start.name} to {end.name} according to the map's directions?"
        return Draft(text, plan, answer=Answer.of("number", way.metres, f"{way.metres} m"))
    text = f"How many minutes does the {trip} from {start.name} to {end.name} take according to the map's directions?"
    return Draft(text, plan, answer=Answer.of("number", way.minutes, f"{way.minutes} min"))


@errands.template(3)
def nearest_of_three(world: World, draw: Draw) -> Draft | None:
    """Ask for the phone number of the nearest of three places."""
    network = _network(world)
    start, *three = draw.sample(_places(world), 4)
    away = [network.metres(start.node, place.node) for place in three]
    if sorted(away)[0] == sorted(away)[1]:
        return None
    best = three[away.index(min(away))]
    names = f"{three[0].name}, {three[1].name} or {three[2].name}"
    text = draw.either(
        f"Which is nearest to {start.name} on foot: {names}? Answer with the phone number of that place.",
        f"I am at {start.name} and walk to the nearest of these: {names}. What is its phone number?",
    )
    plan: Plan = ()
    for place in three:
        plan += _directions(start.name, place.name, "walking")
    plan = *plan, click("Explore"), *_open_place(best.name)
    return Draft(text, plan, answer=Answer.of("text", *phone_forms(best.phone)))


@errands.template(3)
def nearest_open(world: World, draw: Draw) -> Draft | None:
    """Ask for the nearest place of a category that is open now."""
    for _ in range(_TRIES):
        found = surroundings(world, draw)
        good = [(metres, place) for metres, place in found.places if _is_open(place, world)]
        if good and (len(good) == 1 or good[0][0] != good[1][0]):
            break
    else:
        return None
    best = good[0][1]
    text = draw.either(
        f"Which {found.kind} that is open now is nearest to {found.shown} on foot? Answer with its phone number.",
        f"I am at {found.shown} and need a {found.kind} that is open right now. Give me the phone number of "
        "the one with the shortest way on foot.",
    )
    plan = *search_near(found, 0, is_open=True), click(best.name, via="Next")
    return Draft(text, plan, answer=Answer.of("text", *phone_forms(best.phone)))


@errands.template(3)
def best_rated(world: World, draw: Draw) -> Draft | None:
    """Ask for the best rated place of a category within some distance."""
    for _ in range(_TRIES):
        found, within = surroundings(world, draw), draw.choice(_RANGES)
        good = sorted((p for metres, p in found.places if metres <= within), key=lambda p: -p.rating)
        if len(good) > 2 and good[0].rating != good[1].rating:
            break
    else:
        return None
    text = draw.either(
        f"What is the address of the best rated {found.kind} within {within} m on foot of {found.shown}?",
        f"Which place in the category {found.category} at most {within} m on foot from {found.shown} has the highest "
        "rating? Answer with its address.",
    )
    plan = *search_near(found, within, is_open=False), click("Rating"), click(good[0].name)
    town = world("maps").row("SELECT town FROM network ORDER BY id")
    return Draft(text, plan, answer=Answer.of("text", good[0].address, f"{good[0].address}, {town}"))


@errands.template(4)
def save_nearest(world: World, draw: Draw) -> Draft | None:
    """Ask to save the nearest open place of a category to a list."""
    within = draw.choice(_RANGES)  # before there is, or is not, such a place: it must not reveal which
    for _ in range(_SAVE_TRIES):
        found = surroundings(world, draw)
        good = [(metres, p) for metres, p in found.places if metres <= within and _is_open(p, world)]
        if good and (len(good) == 1 or good[0][0] != good[1][0]):
            break
    else:
        return None
    best = good[0][1]
    number, name = draw.choice(world("maps").rows("SELECT id, name FROM list WHERE owner = 1 ORDER BY id"))
    if world("maps").row("SELECT 1 FROM saved WHERE list = ? AND place = ?", number, best.id):
        return None
    plan = (*search_near(found, within, is_open=True), click(best.name), select("List", name), click("Save place"))
    return Draft(_save_text(found, within, name), plan, (insert("maps.saved", list=number, place=best.id),))


@errands.template(3, infeasible=True)
def save_nearest_closed(world: World, draw: Draw) -> Draft | None:
    """Ask the same when no such place is open: not possible."""
    within = draw.choice(_RANGES)  # before there is, or is not, such a place: it must not reveal which
    for _ in range(_SAVE_TRIES):
        found = surroundings(world, draw)
        if not any(metres <= within and _is_open(p, world) for metres, p in found.places):
            break
    else:
        return None
    name = draw.choice(world("maps").rows("SELECT name FROM list WHERE owner = 1 ORDER BY id"))
    plan = search_near(found, within, is_open=True)
    return Draft(_save_text(found, within, name), plan, infeasible="No such place is open there now.")


@errands.template(3)
def new_list(world: World, draw: Draw) -> Draft | None:
    """Ask for a new list with two places on it."""
    name, (first, second) = draw.choice(_TRIP_NAMES), draw.sample(_places(world), 2)
    note = draw.choice(("", "by ten", "ask for Kim", "take the parcel"))
    number = world("maps").row("SELECT max(id) FROM list") + 1
    text = f'Make a new list called "{name}" and save {first.name} and {second.name} in it, '
    text += f'{second.name} with the note "{note}", {first.name} without a note.' if note else "without notes."
    plan = (
        click("My lists"),
        fill("Name of the list", name),
        click("Create list"),
        click("Explore"),
        *_open_place(first.name),
        select("List", name),
        click("Save place"),
        click("Explore"),
        *_open_place(second.name),
        select("List", name),
        *((fill("Note", note),) if note else ()),
        click("Save place"),
    )
    saved = (
        insert("maps.saved", list=number, place=first.id),
        insert("maps.saved", list=number, place=second.id, note=note),
    )
    return Draft(text, plan, (insert("maps.list", id=number, owner=1, name=name), *saved))


@errands.template(2)
def unsave(world: World, draw: Draw) -> Draft | None:
    """Ask to remove the places of one category, or one place, from a list."""
    number, name, place, title = draw.choice(
        world("maps").rows(
            "SELECT l.id, l.name, p.id, p.name FROM saved s JOIN list l ON l.id = s.list JOIN place p ON p.id = "
            "s.place"
            " WHERE l.owner = 1 ORDER BY 1, 3"
        )
    )
    text = draw.either(
        f"Take {title} off my list {name}.", f"Remove {title} from the list {name}; leave my other lists as they are."
    )
    plan = click("My lists"), click(name), click("Remove", near=title)
    return Draft(text, plan, (delete("maps.saved", {"list": number, "place": place}),))


@errands.template(2)
def correct_phone(world: World, draw: Draw) -> Draft | None:
    """Ask to suggest a correction."""
    place = draw.choice(_places(world))
    field = draw.choice(("Phone", "Website"))
    if field == "Phone":
        value = f"0{draw.integer(200, 799)} {draw.integer(1000, 9999)}"
        said: object = OneOf(phone_forms(value))
        wrong = f"The phone number of {place.name} is wrong on the map: it should be {value}."
    else:
        said = value = f"{place.name.lower().replace(' ', '')}.test"
        wrong = f"The website of {place.name} has moved to {value}."
    plan = (
        *_open_place(place.name),
        click("Suggest an edit"),
        select("What is wrong", field),
        fill("Right value", value),
        click("Send suggestion"),
    )
    made = world.now.isoformat(" ", "minutes")
    change = insert("maps.suggestion", place=place.id, author=1, field=field, value=said, made=made)
    return Draft(f"{wrong} Suggest this correction, without a comment.", plan, (change,))


# ---- draws and steps -------------------------------------------------------------------------------------------------


class _Near(NamedTuple):
    """Places of a category around a point, the nearest first."""

    category: str
    typed: str
    shown: str
    places: list[tuple[int, _Place]]

    @property
    def kind(self) -> str:
        return self.category.lower()


def _network(world: World) -> Network:
    return network_of(world("maps").row("SELECT data FROM network ORDER BY id"))


@lru_cache(8)
def _places(world: World) -> tuple[_Place, ...]:
    return tuple(_Place(*row) for row in world("maps").rows(_PLACES, world.now.weekday()))


def surroundings(world: World, draw: Draw) -> _Near:
    """Draw a category and a point, and sort the category's places by their distance from it."""
    network, places = _network(world), _places(world)
    category = draw.choice(sorted({place.category for place in places}))
    kind = draw.choice(("home", "work", "place"))
    if kind == "place":
        start = draw.choice([place for place in places if place.category != category])
        node, typed, shown = start.node, start.name, start.name
    else:
        node = world("maps").row(
            "SELECT a.node FROM spot s JOIN address a ON a.id = s.address WHERE s.owner = 1 AND s.kind = ?", kind
        )
        typed, shown = kind.capitalize(), f"my {kind} address"
    around = [(network.metres(node, place.node), place) for place in places if place.category == category]
    return _Near(category, typed, shown, sorted(around, key=lambda entry: (entry[0], entry[1].id)))


def _is_open(place: _Place, world: World) -> bool:
    now = f"{world.now:%H:%M}"
    return place.opens is not None and place.closes is not None and place.opens <= now < place.closes


def _save_text(found: _Near, within: int, name: str) -> str:
    return (
        f"Save the {found.kind} that is nearest to {found.shown} on foot, among those that are open now and at most "
        f"{within} m "
        f"away, in my list {name}, without a note."
    )


def _open_place(name: str) -> Plan:
    return fill("Place or address", name), click("Find"), click(name, near="stars")


def _directions(start: str, end: str, mode: str) -> Plan:
    how = (check("By car"),) if mode == "driving" else ()
    return click("Directions"), fill("From", start), fill("To", end), *how, click("Get directions")


def search_near(found: _Near, within: int, is_open: bool) -> Plan:
    """Return the steps of a search for the category's places near the point."""
    steps: list[Any] = [select("Category", found.category)]
    if found.typed != "Home":
        steps.append(fill("Near", found.typed))
    if within:
        steps.append(select("Within", f"{within} m"))
    if is_open:
        steps.append(check("Open now"))
    return (*steps, click("Search nearby"))
