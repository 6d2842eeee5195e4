"""The clinic's database: practitioners, plans, patients, appointments, referrals, prescriptions, fees, waiting list."""

import datetime
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.clinic.rules import Rules
from turnwise.worlds.desks.clinic.schedule import GRID, clock_text, minutes_of
from turnwise.worlds.desks.filling import Database, Filler, tickets
from turnwise.worlds.desks.wording import iso
from turnwise.worlds.names import STREETS, TOWNS

__all__ = ["DAYS", "Database", "Filling"]

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_MEDICINES = ("Quelvane", "Ostrivex", "Lumadrel", "Fendaril", "Corvantin", "Zephrolin", "Maltevar", "Brinexol",
              "Pelostane", "Ardivane")  # fmt: skip
_PLANS = ("Beacon Health", "Northstar Care", "Clearwater Mutual", "Evergreen Plus", "Harbor Basic", "Summit Select")
_WITHOUT_TITLE = ("physiotherapy", "nutrition", "podiatry")


_TABLES = {"patients": ("P", 2000), "practitioners": ("D", 10), "plans": ("L", 0), "appointments": ("A", 5000),
           "referrals": ("R", 300), "prescriptions": ("S", 400), "invoices": ("I", 600),
           "waiting": ("W", 100)}  # fmt: skip
_PAST = tickets(("kept", "missed", "cancelled"), (8, 1, 1))
_STATUSES = tickets(("open", "paid", "waived"), (2, 6, 1))
_REASONS = tickets(("copay", "missed appointment", "late cancellation"), (4, 2, 1))


class Filling(Filler):
    """Draws rows into a database.

    Args:
        draw: Where the draws come from.
        rules: The clinic's policy, for dates and likely values.
        people: Patients.
    """

    def __init__(self, draw: Draw, rules: Rules, people: int) -> None:
        super().__init__(draw, _TABLES)
        self.rules, self.today = rules, rules.today
        self.town = draw.choice(TOWNS)
        for name in draw.sample(_PLANS, 4):
            copay = draw.integer(1, 6) * 5.0
            dearer = copay + draw.integer(1, 5) * 5.0
            self.new["plans"]({"name": name, "copay": copay, "specialist_copay": dearer})
        for speciality in ("general practice",) * 4 + rules.specialities:
            self.practitioner(speciality)
        self._free = draw.shuffled(list(self.tables["practitioners"]))
        for _ in range(people):
            self.patient()
        for patient in list(self.tables["patients"]):
            for _ in range(draw.integer(0, 2)):
                self.appointment(patient)
            if draw.chance(0.3):
                self.prescription(patient)
            if draw.chance(0.3):
                self.invoice(patient)
            if draw.chance(0.1):
                self.wait(patient)

    def practitioner(self, speciality: str) -> str:
        """Add a practitioner."""
        draw = self.draw
        general = speciality == "general practice"
        title = "" if speciality in _WITHOUT_TITLE else "Dr. "
        days = draw.sample(DAYS, 4)
        types = ["first visit", "check-up", "consultation", "vaccination", "follow-up"]
        return self.new["practitioners"]({
            "name": title + self.name(), "speciality": speciality, "room": draw.integer(1, 30),
            "types": types if general else ["consultation", "follow-up"],
            "days": [day for day in DAYS if day in days],
            "from": draw.either("08:00", "08:30", "09:00"), "to": draw.either("15:30", "16:00", "17:00"),
            "away_until": "",
        })  # fmt: skip

    def unused(self, *specialities: str) -> str:
        """Return a practitioner of one of the specialities whom no goal is about yet."""
        for key in self._free:
            if self.tables["practitioners"][key]["speciality"] in specialities:
                self._free.remove(key)
                return key
        return self.practitioner(specialities[0])

    def workday(self, practitioner: str, first: int, last: int) -> datetime.date:
        """Return a weekday at least ``first`` and at most ``last`` days ahead on which a practitioner works."""
        row = self.tables["practitioners"][practitioner]
        dates = [self.today + datetime.timedelta(ahead) for ahead in range(first, last + 1)]
        working = [date for date in dates if f"{date:%A}" in row["days"]]
        if working:
            return self.draw.choice(working)
        weekdays = [date for date in dates if date.weekday() < 5] or [dates[0] + datetime.timedelta(2)]
        date = self.draw.choice(weekdays)
        row["days"] = [day for day in DAYS if day in row["days"] or day == f"{date:%A}"]
        return date

    def patient(self, age: tuple[int, int] = (19, 86), **known: Any) -> str:
        """Add a patient."""
        draw, integer = self.draw, self.draw.integer
        name = self.name()
        return self.new["patients"]({
            "name": name,
            "birth_date": iso(self.today, -365 * integer(*age) - 30 - draw.below(300)),
            "phone": self.phone_number(),
            "email": self.email(name),
            "address": f"{integer(1, 90)} {draw.choice(STREETS)} Street, {self.town}",
            "postcode": f"{integer(10000, 99999)}",
            "patient_number": f"{integer(100, 999)}-{integer(100, 999)}",
            "plan_id": draw.choice(list(self.tables["plans"])),
            "insurance_number": f"{draw.choice('ABCDEFGH')}{integer(100000, 999999)}",
            "guardian_id": "",
            **known,
        })  # fmt: skip

    def child(self, guardian: str, age: int) -> str:
        """Add a child of a patient, who has been seen here."""
        last = self.tables["patients"][guardian]["name"].rpartition(" ")[2]
        key = self.patient((age, age), name=self.name(last), guardian_id=guardian)
        self.kept(key, self.draw.choice(list(self.tables["practitioners"])), 200)
        return key

    def appointment(self, patient: str, **known: Any) -> str:
        """Add an appointment: booked if it is in the future, else kept."""
        draw = self.draw
        practitioner = known.get("practitioner_id") or draw.choice(list(self.tables["practitioners"]))
        doctor = self.tables["practitioners"][practitioner]
        ahead = draw.integer(-150, 30)
        kind = known.get("type") or draw.choice(doctor["types"][-2:])
        date = known.get("date") or iso(self.today, ahead)
        status = "booked" if date > iso(self.today) else draw.choice(_PAST)
        start = clock_text(minutes_of(doctor["from"]) + GRID * draw.below(18))
        return self.new["appointments"]({
            "patient_id": patient, "practitioner_id": practitioner, "type": kind, "date": date, "start": start,
            "minutes": self.rules.minutes[kind], "status": status, **known,
        })  # fmt: skip

    def kept(self, patient: str, practitioner: str, days: int) -> str:
        """Add an appointment that was kept so many days ago."""
        return self.appointment(patient, practitioner_id=practitioner, date=iso(self.today, -days), status="kept")

    def referral(self, patient: str, speciality: str, days: int) -> str:
        """Add a referral that was issued so many days ago."""
        row = {"patient_id": patient, "speciality": speciality, "issued": iso(self.today, -days)}
        return self.new["referrals"](row)

    def prescription(self, patient: str, **known: Any) -> str:
        """Add a repeat prescription of a medicine that the patient does not have yet."""
        draw = self.draw
        held = {row["medicine"].split()[0] for row in self.tables["prescriptions"].values()
                if row["patient_id"] == patient}  # fmt: skip
        medicine = draw.choice([name for name in _MEDICINES if name not in held])
        return self.new["prescriptions"]({
            "patient_id": patient, "medicine": f"{medicine} {draw.either(5, 10, 20, 40, 50)} mg",
            "prescriber_id": draw.choice(list(self.tables["practitioners"])), "controlled": draw.chance(0.1),
            "repeats_left": draw.integer(0, 5), "last_supplied": iso(self.today, -draw.integer(2, 100)),
            **known,
        })  # fmt: skip

    def invoice(self, patient: str, **known: Any) -> str:
        """Add a fee."""
        draw = self.draw
        status = known.get("status") or draw.choice(_STATUSES)
        created = known.get("created") or iso(self.today, -draw.integer(3, 500))
        closed = "" if status == "open" else min(iso(self.today), iso(datetime.date.fromisoformat(created), 9))
        reason = draw.choice(_REASONS)
        return self.new["invoices"]({
            "patient_id": patient, "amount": draw.integer(2, 9) * 2.5, "reason": reason, "created": created,
            "status": status, "closed": closed, **known,
        })  # fmt: skip

    def wait(self, patient: str, **known: Any) -> str:
        """Put a patient on the waiting list."""
        return self.new["waiting"]({
            "patient_id": patient, "practitioner_id": self.draw.choice(list(self.tables["practitioners"])),
            "type": "consultation", "since": iso(self.today, -self.draw.integer(1, 40)), **known,
        })  # fmt: skip
