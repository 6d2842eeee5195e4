"""Draws the data of one person's apps."""

# ruff: noqa: E501 (one row a line)

import datetime
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.apps.api import Apps
from turnwise.worlds.apps.functions.installed import ABOUT, installed
from turnwise.worlds.apps.store import Row, Store

__all__ = ["GENRES", "Data", "apps_of", "data_of"]

FIRST = [
    "Ada",
    "Amir",
    "Anika",
    "Bela",
    "Bruno",
    "Carla",
    "Chidi",
    "Dana",
    "Diego",
    "Edda",
    "Elias",
    "Emre",
    "Farah",
    "Felix",
    "Gita",
    "Hanna",
    "Hugo",
    "Ines",
    "Ivan",
    "Jana",
    "Jonas",
    "Kaito",
    "Karin",
    "Lena",
    "Liam",
    "Mara",
    "Mateo",
    "Mina",
    "Nadia",
    "Noah",
    "Olga",
    "Omar",
    "Petra",
    "Priya",
    "Rafael",
    "Rosa",
    "Samir",
    "Selma",
    "Tara",
    "Theo",
    "Uma",
    "Vera",
    "Victor",
    "Wanda",
    "Yara",
    "Yusuf",
    "Zoe",
    "Zora",
]
LAST = [
    "Abbott",
    "Aydin",
    "Berg",
    "Blanco",
    "Castro",
    "Chen",
    "Dietz",
    "Dunn",
    "Eriksen",
    "Farkas",
    "Flores",
    "Gallo",
    "Grant",
    "Hadad",
    "Holm",
    "Ibsen",
    "Jensen",
    "Kaya",
    "Keller",
    "Kovac",
    "Larsen",
    "Lopez",
    "Mehta",
    "Moreau",
    "Nagy",
    "Novak",
    "Okafor",
    "Olsen",
    "Park",
    "Quinn",
    "Rao",
    "Reyes",
    "Rossi",
    "Sato",
    "Schmid",
    "Silva",
    "Tanaka",
    "Toth",
    "Urban",
    "Vega",
    "Walsh",
    "Weber",
    "Yilmaz",
    "Young",
]
RELATIONS = [
    "sister",
    "brother",
    "dentist",
    "landlord",
    "neighbour",
    "accountant",
    "boss",
    "cousin",
    "aunt",
    "uncle",
    "doctor",
    "lawyer",
    "tutor",
    "barber",
    "plumber",
]
CITIES = ["Lisbon", "Graz", "Leeds", "Turin", "Basel", "Aarhus", "Ghent", "Porto", "Bergen", "Malaga"]
TOPICS = [
    "budget",
    "garden",
    "party",
    "roof",
    "holiday",
    "school",
    "concert",
    "heating",
    "bicycle",
    "kitchen",
    "picnic",
    "contract",
    "choir",
    "workshop",
    "car",
    "piano",
    "marathon",
    "allotment",
    "birthday",
    "chess",
    "camping",
    "museum",
    "insurance",
    "moving",
    "painting",
    "sailing",
]
SHAPES = ["plan", "list", "question", "update", "draft", "offer", "summary", "idea"]
GENRES = ("jazz", "rock", "folk", "techno", "soul", "classical")
GOODS = ("lamp", "kettle", "backpack", "headphones", "blanket", "notebook", "drill", "mug")
STYLES = [
    "Alto",
    "Brisk",
    "Cedar",
    "Delta",
    "Ember",
    "Fjord",
    "Grove",
    "Haven",
    "Indigo",
    "Juno",
    "Karst",
    "Lumen",
    "Mesa",
    "Nova",
    "Onyx",
    "Pine",
]
WORDS = [
    "Amber",
    "Blue",
    "Broken",
    "City",
    "Distant",
    "Early",
    "Empty",
    "Golden",
    "Hidden",
    "Last",
    "Little",
    "Midnight",
    "Northern",
    "Paper",
    "Quiet",
    "Silver",
]
THINGS = [
    "Harbour",
    "Letters",
    "Morning",
    "Mountain",
    "Rain",
    "River",
    "Road",
    "Season",
    "Shadow",
    "Signal",
    "Sky",
    "Street",
    "Summer",
    "Train",
    "Window",
    "Years",
]
PURPOSES = ("dinner", "tickets", "petrol", "groceries", "the present", "the taxi", "lunch", "the hotel")


@dataclass(frozen=True)
class Data:
    """Rows by table and key, and whose they are.

    Attributes:
        seed: What they were drawn from.
        base: The rows.
        me: Mail address.
        now: The time, as YYYY-MM-DD HH:MM.
    """

    seed: int
    base: dict[str, dict[int, Row]]
    me: str
    now: str


def apps_of(data: Data, unseen: bool) -> Apps:
    """Return the apps with this data, nobody logged in."""
    return Apps(installed(unseen), Store(data.base), data.me, data.now, data.seed)


@lru_cache(maxsize=16)
def data_of(seed: int, size: int) -> Data:
    """Draw the data of a person.

    Args:
        seed: Of the person.
        size: About how many rows the larger tables have.
    """
    return _Writer(seed, size).data()


class _Writer:
    def __init__(self, seed: int, size: int) -> None:
        self.draw = Draw("apps", seed, size)
        self.seed, self.size = seed, size
        self.base: dict[str, dict[int, Row]] = {}
        self.today = datetime.date(2025, 1, 20) + datetime.timedelta(self.draw.below(600))
        firsts, lasts = self.draw.shuffled(FIRST), self.draw.shuffled(LAST)
        self.names = [f"{a} {lasts[n % len(lasts)]}" for n, a in enumerate(firsts)]
        self.titles = [f"{a} {b}" for a in TOPICS for b in SHAPES]

    def put(self, table: str, key_name: str, **fields: Any) -> None:
        rows = self.base.setdefault(table, {})
        key = max(rows, default=100 + self.draw.below(800)) + 1 + self.draw.below(3)
        rows[key] = {key_name: key, **fields}

    def past(self, days: int = 90) -> str:
        day = self.today - datetime.timedelta(1 + self.draw.below(days))
        return f"{day} {self.draw.integer(7, 21):02}:{self.draw.integer(0, 59):02}"

    def data(self) -> Data:
        me = self.names.pop()
        self.me = f"{me.replace(' ', '.').lower()}@post.example"
        self.base["profile"] = {1: {"profile_id": 1, "name": me}}
        self.base["balances"] = {1: {"balance_id": 1, "amount": 20_000.0}}
        for app in ABOUT:
            if app not in ("docs", "account"):
                self.put(
                    "passwords", "password_id", app=app, username=self.me, password=f"{self.draw.below(10**10):010}"
                )
        for each in (self.people, self.mails, self.events, self.texts, self.notes, self.music, self.shop, self.money,
                     self.todo, self.unseen):  # fmt: skip
            each()
        for table in ("drafts", "reminders", "templates", "blocked", "stations", "alarms", "cart", "reviews", "budgets",
                      "steps", "holds", "groups"):  # fmt: skip
            self.base.setdefault(table, {})
        return Data(self.seed, self.base, self.me, f"{self.today} 09:00")

    def people(self) -> None:
        relations = self.draw.shuffled(RELATIONS)
        for number, name in enumerate(self.names[: max(14, min(40, self.size))]):
            self.put(
                "contacts", "contact_id", name=name, email=f"{name.replace(' ', '.').lower()}@mail.example",
                phone=f"555-{self.draw.integer(1000, 9999)}-{number:02}",
                relation=relations[number] if number < 12 else self.draw.either("friend", "colleague"),
                company=f"{self.draw.choice(STYLES)} {self.draw.either('Works', 'Labs', 'Partners')}",
                city=self.draw.choice(CITIES), birthday=f"{self.draw.integer(1950, 2004)}-0{self.draw.integer(1, 9)}-15",
                tags=(), favourite=self.draw.chance(0.2),
            )  # fmt: skip
        self.contacts = list(self.base["contacts"].values())

    def mails(self) -> None:
        for title in self.draw.sample(self.titles, self.size):
            person = self.draw.choice(self.contacts)
            self.put(
                "mails", "mail_id", folder="inbox", sender=person["email"], recipients=(self.me,), subject=title.capitalize(),
                body=f"Hello,\nhere is the {title}. Let me know what you think.\n{person['name']}", sent_at=self.past(),
                read=self.draw.chance(0.5), starred=False, labels=(),
            )  # fmt: skip

    def events(self) -> None:
        for title in self.draw.sample(self.titles, self.size):
            day = self.today + datetime.timedelta(self.draw.integer(-30, 30))
            hour = self.draw.integer(8, 18)
            long = self.draw.either(30, 45, 60, 90)
            end = f"{hour + long // 60:02}:{long % 60:02}"
            self.put(
                "events", "event_id", title=f"{title.capitalize()} meeting", starts_at=f"{day} {hour:02}:00",
                ends_at=f"{day} {end}", place=self.draw.choice(CITIES), guests=(self.draw.choice(self.contacts)["email"],),
                notes="", status=self.draw.either("planned", "planned", "confirmed"),
            )  # fmt: skip
        for title in self.draw.sample(self.titles, 6):
            self.put("invitations", "invitation_id", title=title.capitalize(), answer="open",
                     sender=self.draw.choice(self.contacts)["email"])  # fmt: skip

    def texts(self) -> None:
        for _ in range(self.size):
            self.put(
                "messages", "message_id", phone=self.draw.choice(self.contacts)["phone"], outgoing=self.draw.chance(0.4),
                text=f"About the {self.draw.choice(self.titles)}: {self.draw.either('fine', 'not yet', 'call me')}.",
                sent_at=self.past(), read=True, pinned=False,
            )  # fmt: skip

    def notes(self) -> None:
        for title in self.draw.sample(self.titles, self.size // 2):
            self.put("notes", "note_id", title=title.capitalize(), body=f"Think about the {title}.", tags=(),
                     pinned=False, changed_at=self.past())  # fmt: skip
            self.put("files", "file_id", path=f"/home/{title.replace(' ', '/')}.txt", contents=title, size=len(title))

    def music(self) -> None:
        titles = self.draw.sample([f"{a} {b}" for a in WORDS for b in THINGS], 2 * self.size)
        plays = self.draw.sample(range(1, 999), len(titles))
        for title, times in zip(titles, plays, strict=True):
            self.put(
                "songs", "song_id", title=title, artist=f"The {self.draw.choice(STYLES)}s", genre=self.draw.choice(GENRES),
                year=self.draw.integer(1970, 2025), seconds=self.draw.integer(120, 420), plays=times, rating=None,
                liked=self.draw.chance(0.2),
            )  # fmt: skip
        self.put("playlists", "playlist_id", title="Kitchen", songs=(), public=False)

    def shop(self) -> None:
        cents = self.draw.sample(range(500, 20_000), 2 * self.size)
        for price in cents:
            thing = self.draw.choice(GOODS)
            self.put(
                "products", "product_id", title=f"{self.draw.choice(STYLES)} {thing} {price % 97}", category=thing,
                price=price / 100, rating=self.draw.integer(20, 50) / 10, stock=self.draw.integer(0, 9), wished=False,
            )  # fmt: skip
        for _ in range(self.size // 2):
            product = self.draw.choice(list(self.base["products"].values()))
            count = self.draw.integer(1, 3)
            self.put(
                "orders", "order_id", product=product["title"], category=product["category"], quantity=count,
                total=round(product["price"] * count, 2), ordered_at=self.past(),
                status=self.draw.either("open", "delivered", "delivered"),
            )  # fmt: skip
        self.put("addresses", "address_id", title="Home", street="4 Mill Lane", city=self.draw.choice(CITIES))

    def money(self) -> None:
        for _ in range(self.size):
            self.put(
                "payments", "payment_id", other=self.draw.choice(self.contacts)["email"], outgoing=self.draw.chance(0.6),
                amount=self.draw.integer(300, 9000) / 100, note=self.draw.choice(PURPOSES), paid_at=self.past(), labels=(),
            )  # fmt: skip
            self.put(
                "requests", "request_id", sender=self.draw.choice(self.contacts)["email"],
                amount=self.draw.integer(300, 6000) / 100, note=self.draw.choice(PURPOSES), asked_at=self.past(),
                status=self.draw.either("open", "open", "approved", "declined"),
            )  # fmt: skip
        self.put("cards", "card_id", title="Blue card", digits=f"{self.draw.integer(1000, 9999)}", frozen=False)

    def todo(self) -> None:
        for topic in self.draw.sample(TOPICS, 5):
            self.put("projects", "project_id", title=topic.capitalize())
        for title in self.draw.sample(self.titles, self.size):
            self.put(
                "tasks", "task_id", project_id=self.draw.choice(list(self.base["projects"])), title=f"Finish the {title}",
                due=str(self.today + datetime.timedelta(self.draw.integer(-20, 20))), notes="", tags=(),
                priority=self.draw.either("low", "normal", "high"), done=self.draw.chance(0.4),
            )  # fmt: skip

    def unseen(self) -> None:
        for title in self.draw.sample([f"The {a} {b}" for a in WORDS for b in THINGS], self.size // 2):
            self.put(
                "loans", "loan_id", title=title, author=self.draw.choice(FIRST), returned=False,
                due=str(self.today + datetime.timedelta(self.draw.integer(-9, 20))), waited_for=self.draw.chance(0.3),
            )  # fmt: skip
        for _ in range(self.size):
            self.put("workouts", "workout_id", sport=self.draw.either("run", "swim", "row", "ride"), notes="",
                     done_on=self.past()[:10], minutes=self.draw.integer(15, 95))  # fmt: skip
