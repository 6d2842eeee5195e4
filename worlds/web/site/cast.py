"""What all sites of a world share: people, companies, towns and today's date."""

import datetime
from dataclasses import dataclass
from functools import lru_cache

from turnwise.core.draw import Draw
from turnwise.worlds.names import FIRST, LAST, STREETS, TOWNS, listed

__all__ = ["Cast", "Company", "Person", "cast_of", "phone_forms"]

PEOPLE = 60
COMPANIES = 24


_COMPANY = listed(
    """
    Acorn Atlas Beacon Birch Cobalt Copper Delta Ember Falcon Granite Harbor Indigo Juno Keystone Lumen Meridian
    Nimbus Orion Pioneer Quartz Raven Summit Tundra Umbra Vertex Willow Zenith Cascade Marlin Sable
    """
)
_TRADE = {
    "Foods": "food", "Logistics": "transport", "Textiles": "textiles", "Energy": "energy", "Media": "media",
    "Labs": "research", "Tools": "hardware", "Travel": "travel", "Studio": "design", "Systems": "software",
}  # fmt: skip


@dataclass(frozen=True)
class Person:
    """A person with an account at every site; ids count from 1, and person 1 is the user the agent acts for."""

    id: int
    name: str
    email: str
    password: str
    phone: str
    street: str
    town: str
    postcode: str

    @property
    def first(self) -> str:
        """The first name."""
        return self.name.split(" ", 1)[0]

    @property
    def address(self) -> str:
        """Street, postcode and town on one line."""
        return f"{self.street}, {self.postcode} {self.town}"


@dataclass(frozen=True)
class Company:
    """A business that sells, writes mails or has a contract; ids count from 1."""

    id: int
    name: str
    trade: str
    domain: str
    town: str


@dataclass(frozen=True)
class Cast:
    """What the sites of a world have in common.

    Attributes:
        people: At least two of them share a first name, and two a last name. No two have the same name.
        companies: No two have the same first word.
        towns: Names of towns.
        now: The time that all clocks of the world show, for the whole episode.
    """

    people: tuple[Person, ...]
    companies: tuple[Company, ...]
    towns: tuple[str, ...]
    now: datetime.datetime

    @property
    def user(self) -> Person:
        """The person for whom the agent acts."""
        return self.people[0]

    @property
    def today(self) -> datetime.date:
        """The date of `now`."""
        return self.now.date()


@lru_cache(256)
def cast_of(seed: int) -> Cast:
    """Return the cast of the world with that seed."""
    draw = Draw("web cast", seed)
    towns = tuple(draw.sample(TOWNS, 12))
    firsts, lasts = draw.sample(FIRST, PEOPLE), draw.sample(LAST, PEOPLE)
    firsts[7], firsts[8], lasts[9], lasts[10] = firsts[3], firsts[4], lasts[5], lasts[6]  # namesakes in part
    people = []
    for number, (first, last) in enumerate(zip(firsts, lasts, strict=True), 1):
        street = f"{draw.integer(1, 98)} {draw.choice(STREETS)} Street"
        phone = f"0{draw.integer(200, 799)} {draw.integer(1000, 9999)}"
        password = f"{draw.choice(_COMPANY).lower()}-{draw.integer(100, 999)}"
        email = f"{first}.{last}@{draw.choice(('post', 'mailbox', 'inbox'))}.test".lower()
        people.append(
            Person(
                number,
                f"{first} {last}",
                email,
                password,
                phone,
                street,
                draw.choice(towns),
                f"{draw.integer(10000, 98999)}",
            )
        )
    companies = []
    for number, word in enumerate(draw.sample(_COMPANY, COMPANIES), 1):
        suffix = draw.choice(tuple(_TRADE))
        companies.append(
            Company(number, f"{word} {suffix}", _TRADE[suffix], f"{word.lower()}.test", draw.choice(towns))
        )
    day = draw.day(datetime.date(2027, 2, 1), datetime.date(2027, 11, 20))
    now = datetime.datetime(day.year, day.month, day.day, draw.integer(9, 16), draw.choice((0, 10, 20, 30, 40, 50)))
    return Cast(tuple(people), tuple(companies), towns, now)


def phone_forms(phone: str) -> tuple[str, str]:
    """Return a phone number with its space and without it."""
    return phone, phone.replace(" ", "")
