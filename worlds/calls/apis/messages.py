"""A messenger: contacts, and messages to and from them."""

import datetime

from turnwise.core.draw import Draw
from turnwise.worlds.calls.api import Api, Do, Place, Refused, Request, asked, dump
from turnwise.worlds.desks.declare import desk_tool
from turnwise.worlds.desks.said import Said, number, words
from turnwise.worlds.desks.store import Row, Store, Tables
from turnwise.worlds.names import FIRST, LAST, TOWNS

__all__ = ["MESSAGES"]

TEXTS = (
    "See you in {town}.", "The train to {town} is late.", "Do you still have the keys?", "Happy birthday!",
    "The meeting is moved to {town}.", "I'm in {town} until Friday.", "Did the parcel arrive?", "Thanks for yesterday.",
    "Dinner in {town} next week?", "I left my umbrella in {town}.",
)  # fmt: skip
MAX_TEXT = 500


def find_contact(store: Store, name: str) -> str:
    """Find contacts by a part of their name."""
    wanted = name.lower().strip()
    return dump([{"contact_id": key, "name": row["name"]} for key, row in store.rows("contacts")
                 if wanted in row["name"].lower()])  # fmt: skip


def get_contact(store: Store, contact_id: str) -> str:
    """Show a contact with their phone number."""
    return dump({"contact_id": contact_id, **store.row("contacts", contact_id)})


def add_contact(store: Store, name: str, phone: str) -> str:
    """Add a contact; a phone number has digits and hyphens."""
    if not 2 <= len(name) <= 60 or not phone.replace("-", "").isdigit() or len(phone) > 20:
        raise ValueError("a name of 2 to 60 characters and a phone number like 555-0134 are needed")
    contact = store.next_key("contacts", "C")
    store.put("contacts", contact, {"name": name, "phone": phone, "muted": False})
    return dump({"contact_id": contact, **store.row("contacts", contact)})


def change_phone(store: Store, contact_id: str, phone: str) -> str:
    """Change a contact's phone number."""
    if not phone.replace("-", "").isdigit() or len(phone) > 20:
        raise ValueError("a phone number has digits and hyphens, like 555-0134")
    return dump({"contact_id": contact_id, **store.change("contacts", contact_id, phone=phone)})


def mute_contact(store: Store, contact_id: str, muted: bool) -> str:
    """Mute a contact, or unmute them."""
    return dump({"contact_id": contact_id, **store.change("contacts", contact_id, muted=muted)})


def list_messages(store: Store, contact_id: str) -> str:
    """List the messages from and to a contact, oldest first."""
    store.row("contacts", contact_id)
    return dump([{"message_id": key, **row} for key, row in store.rows("messages", contact_id=contact_id)])


def list_unread(store: Store) -> str:
    """List all unread messages, oldest first."""
    return dump([{"message_id": key, **row} for key, row in store.rows("messages", read=False)])


def send_message(store: Store, contact_id: str, text: str) -> str:
    """Send a message to a contact."""
    store.row("contacts", contact_id)
    if not 1 <= len(text) <= MAX_TEXT:
        raise ValueError(f"a message has from 1 to {MAX_TEXT} characters")
    message = store.next_key("messages", "M")
    store.put("messages", message, {"contact_id": contact_id, "sent_by": "you", "text": text, "read": True})
    return dump({"message_id": message})


def mark_read(store: Store, message_id: str) -> str:
    """Mark a message as read."""
    return dump({"message_id": message_id, **store.change("messages", message_id, read=True)})


def delete_message(store: Store, message_id: str) -> str:
    """Delete a message."""
    store.remove("messages", message_id)
    return dump({"deleted": message_id})


def fill(draw: Draw, rows: int, today: datetime.date) -> Tables:
    """Draw contacts with different first names, and messages."""
    contacts = {
        f"C{1001 + place}": {"name": f"{first} {draw.choice(LAST)}", "phone": f"555-{draw.integer(1000, 9999)}",
                             "muted": draw.chance(0.2)}
        for place, first in enumerate(draw.sample(FIRST, min(rows, 60)))
    }  # fmt: skip
    keys = list(contacts)
    messages: dict[str, Row] = {}
    for place in range(3 * rows):
        mine = draw.chance(0.4)
        messages[f"M{1001 + place}"] = {
            "contact_id": draw.choice(keys[: max(4, rows // 3)]), "sent_by": "you" if mine else "them",
            "text": draw.choice(TEXTS).format(town=draw.choice(TOWNS)), "read": mine or draw.chance(0.8),
        }  # fmt: skip
    return {"contacts": contacts, "messages": messages}


# ---- what people ask for --------------------------------------------------------------------------------------------


def _name(place: Place, talks: bool = False) -> str:
    keys = [key for key, _ in place.store.rows("contacts")]
    if talks:
        keys = sorted({row["contact_id"] for _, row in place.store.rows("messages", sent_by="them")}) or keys
    names = [str(place.store.row("contacts", key)["name"]) for key in keys]
    everyone = [str(row["name"]) for _, row in place.store.rows("contacts")]
    single = [name for name in names if everyone.count(name) == 1]
    return place.draw.choice(single or names)


def _id(do: Do, name: str) -> str:
    return str(next(one["contact_id"] for one in do("find_contact", name=name) if one["name"] == name))


def _send(do: Do, name: str, text: str) -> None:
    message = do("send_message", contact_id=_id(do, name), text=text)["message_id"]
    do.memory.update(message=message, person=name)


def send(place: Place) -> Request:
    draw, name = place.draw, _name(place)
    what = draw.choice(TEXTS).format(town=draw.choice(TOWNS))

    def program(do: Do) -> None:
        _send(do, name, what)

    if draw.chance(0.5):
        text, blank = asked(draw, f'send {name} the message "{what}"', f'send the message "{what}" to somebody')
        return Request(text, program, blank, draw.either(f"To {name}.", name, f"{name}, please."))
    text, blank = asked(draw, f'send {name} the message "{what}"', f"send {name} a message")
    return Request(text, program, blank, f'It should say "{what}"')


def forward(place: Place) -> Request | None:
    name, other = _name(place, talks=True), _name(place)
    if name == other:
        return None

    def program(do: Do) -> None:
        texts = [row["text"] for row in do("list_messages", contact_id=_id(do, name)) if row["sent_by"] == "them"]
        if not texts:
            raise Refused("they have written nothing")
        _send(do, other, texts[-1])
        do.memory.pop("person")

    text, blank = asked(place.draw, f"send {other} exactly the text of the last message that I got from {name}",
                        f"send somebody exactly the text of the last message that I got from {name}")  # fmt: skip
    return Request(text, program, blank, place.draw.either(f"To {other}.", f"{other}."))


def new_number(place: Place) -> Request:
    draw, name = place.draw, _name(place)
    phone = f"555-{draw.integer(1000, 9999)}"

    def program(do: Do) -> None:
        do("change_phone", contact_id=_id(do, name), phone=phone)
        do.memory["person"] = name

    text, blank = asked(draw, f"change {name}'s phone number to {phone}", f"change {name}'s phone number")
    return Request(text, program, blank, draw.either(f"It's {phone} now.", f"The new one is {phone}.", phone))


def add(place: Place) -> Request:
    draw = place.draw
    name, phone = f"{draw.choice(FIRST)} {draw.choice(LAST)}", f"555-{draw.integer(1000, 9999)}"

    def program(do: Do) -> None:
        do("add_contact", name=name, phone=phone)
        do.memory["person"] = name

    text, blank = asked(draw, f"add {name} to my contacts, with the number {phone}", f"add {name} to my contacts")
    return Request(text, program, blank, draw.either(f"The number is {phone}.", phone))


def quiet(place: Place) -> Request | None:
    silent = [row["name"] for _, row in place.store.rows("contacts", muted=True)]
    name = _name(place)
    mute = name not in silent

    def program(do: Do) -> None:
        do("mute_contact", contact_id=_id(do, name), muted=mute)
        do.memory["person"] = name

    return Request(asked(place.draw, f"{'mute' if mute else 'unmute'} {name}")[0], program)


def all_read(place: Place) -> Request | None:
    if not any(True for _ in place.store.rows("messages", read=False)):
        return None
    unread = [row["contact_id"] for _, row in place.store.rows("messages", read=False)]
    name = str(place.store.row("contacts", place.draw.choice(unread))["name"])

    def program(do: Do) -> None:
        person = _id(do, name)
        for row in do("list_unread"):
            if row["contact_id"] == person:
                do("mark_read", message_id=row["message_id"])
        do.memory["person"] = name

    return Request(asked(place.draw, f"mark everything that {name} wrote to me as read")[0], program)


def unsend(place: Place) -> Request | None:
    message = place.memory.get("message")
    if message is None or place.store.get("messages", message) is None:
        return None

    def program(do: Do) -> None:
        do("delete_message", message_id=message)
        do.memory.pop("person", None)

    text, _ = asked(place.draw, "delete the last message that you sent for me")
    return Request(text, program, back=True)


def tell_figure(place: Place) -> Request | None:
    figure = place.memory.get("figure")
    if figure is None:
        return None
    name, form = _name(place), "1234.50" if "." in figure else "12"

    def program(do: Do) -> None:
        _send(do, name, figure)

    text, blank = asked(place.draw, f"send {name} the figure that I asked for last",
                        "send somebody the figure that I asked for last")  # fmt: skip
    rest = f" Just the number, in the form {form}."
    return Request(text + rest, program, blank + rest, f"To {name}.", back=True)


def once_more(place: Place) -> Request | None:
    person = place.memory.get("person")
    names = [row["name"] for _, row in place.store.rows("contacts")]
    if person is None or names.count(person) != 1:
        return None
    what = place.draw.choice(TEXTS).format(town=place.draw.choice(TOWNS))

    def program(do: Do) -> None:
        _send(do, person, what)

    text, _ = asked(place.draw, f'send the message "{what}" to the contact that you dealt with last')
    return Request(text, program, back=True)


def phone_of(place: Place) -> Request:
    name = _name(place)

    def program(do: Do) -> Said:
        do.memory["person"] = name
        return words(do("get_contact", contact_id=_id(do, name))["phone"])

    return Request(place.draw.either(f"What is {name}'s phone number?", f"What number do I have for {name}?"), program)


def unread(place: Place) -> Request:
    def program(do: Do) -> Said:
        count = len(do("list_unread"))
        do.memory["figure"] = str(count)
        return number(count)

    return Request(place.draw.either("How many unread messages do I have?", "How many messages are still unread?"),
                   program)  # fmt: skip


_CONTACT, _MESSAGE = "The contact, like C1001.", "The message, like M1001."
MESSAGES = Api(
    "messages",
    (
        desk_tool(find_contact, False, name="Part of the name."),
        desk_tool(get_contact, False, contact_id=_CONTACT),
        desk_tool(add_contact, True, name="Full name.", phone="Like 555-0134."),
        desk_tool(change_phone, True, contact_id=_CONTACT, phone="Like 555-0134."),
        desk_tool(mute_contact, True, contact_id=_CONTACT, muted="Whether they are to be muted."),
        desk_tool(list_messages, False, contact_id=_CONTACT),
        desk_tool(list_unread, False),
        desk_tool(send_message, True, contact_id=_CONTACT, text="The text."),
        desk_tool(mark_read, True, message_id=_MESSAGE),
        desk_tool(delete_message, True, message_id=_MESSAGE),
    ),
    fill,
    (send, forward, new_number, add, quiet, all_read, unsend, tell_figure, once_more),
    (phone_of, unread),
    frozenset({"add_contact", "change_phone", "mute_contact", "send_message", "mark_read", "delete_message"}),
)
