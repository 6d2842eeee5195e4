"""A customer's phone: settings that they see and change step by step, and what works with them."""

from collections.abc import Mapping
from typing import Any, Final, Self

from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.store import Row
from turnwise.worlds.desks.telecom.steps import TOGGLES

__all__ = ["DEFAULTS", "Phone"]

DEFAULTS: Final[Mapping[str, Any]] = {
    "airplane": False, "mobile_data": True, "roaming": True, "vpn": False, "saver": False, "power": False,
    "wifi_calling": False, "storage": True, "messages": True, "sim": True, "operator": "automatic", "mode": "5G/4G",
    "apn": True, "picture_apn": True,
}  # fmt: skip
"""Settings with which everything works: whether something is on, allowed, in place or right."""


_RELIEF: Final[Mapping[str, str]] = {
    "service": "Oh, I've got signal again!",
    "data": "And now web pages load quickly again!",
    "pictures": "And the picture that was stuck has just gone out!",
}


class Phone:
    """A phone whose line is a row of the operator's database.

    Args:
        desk: The desk of the operator, whose database decides what the network allows.
        line: Key of the line.
        settings: Settings that differ from `DEFAULTS`.
        abroad: Whether the person is abroad.
        trouble: What the person has noticed not to work: "service", "data" or "pictures".

    Attributes:
        taken: The steps that were taken, in order.
    """

    def __init__(self, desk: Desk, line: str, settings: Mapping[str, Any], abroad: bool, trouble: str) -> None:
        self.desk, self.line, self.abroad, self.trouble = desk, line, abroad, trouble
        self.settings: Mapping[str, Any] = {**DEFAULTS, "roaming": abroad, **settings}
        self.attached = self._allowed()
        self.resetting = False
        self.taken: tuple[str, ...] = ()

    def fork(self, desk: Desk) -> Self:
        """Return an independent copy that acts on another desk."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.desk = desk
        return twin

    # ---- what works -----------------------------------------------------------------------------------------------

    def _row(self) -> Row:
        return self.desk.store.row("lines", self.line)

    def _allowed(self) -> bool:
        row = self._row()
        return bool(row["status"] == "active" and row["sim_status"] == "active")

    def signal(self) -> str:
        """Return what the status bar says about the signal; "" with a signal."""
        now = self.settings
        if now["airplane"]:
            return "there's a little airplane and no signal"
        if not now["sim"]:
            return "it says 'No SIM'"
        if not self._allowed() or not self.attached or now["operator"] != "automatic":
            return "it says 'No service'"
        return ""

    def connection(self) -> str:
        """Return how mobile data is: "none", "slow" or "good"."""
        now, row = self.settings, self._row()
        if self.signal() or not now["mobile_data"] or not now["apn"]:
            return "none"
        if self.abroad and not (now["roaming"] and row["roaming"]):
            return "none"
        slow = now["vpn"] or now["saver"] or now["power"] or now["mode"] != "5G/4G" or row["data_used"] >= row["data"]
        return "slow" if slow else "good"

    def works(self, what: str) -> bool:
        """Return whether "service", "data" or "pictures" work."""
        now = self.settings
        if what == "service":
            return not self.signal()
        if what == "data":
            return self.connection() == "good"
        return (
            self.connection() != "none" and now["mode"] == "5G/4G" and not now["wifi_calling"]
            and all(now[name] for name in ("picture_apn", "storage", "messages"))
        )  # fmt: skip

    # ---- what the person does -------------------------------------------------------------------------------------

    def __call__(self, step: str) -> str:
        """Take a step, and return what is seen; "service", "data" and "pictures" look whether they work."""
        self.taken = (*self.taken, step)
        step = self.trouble if step == "look" else step
        step = {"service": "status_bar", "data": "speed_test", "pictures": "send_picture"}.get(step, step)
        signal, well = self.works("service"), self.works(self.trouble)
        said = self._said(step)
        if not well and self.works(self.trouble):
            return f"{said} {_RELIEF[self.trouble]}"
        return f"{said} Oh, I've got signal again!" if not signal and self.works("service") else said

    def _set(self, **settings: Any) -> None:
        self.settings = {**self.settings, **settings}

    def _said(self, step: str) -> str:
        name, _, way = step.rpartition("_")
        if way == "automatic" and name in ("it", "operator", "mode"):
            last = next((each for each in reversed(self.taken[:-1]) if each in ("operator", "mode")), "operator")
            return self._mode_best() if (name if name != "it" else last) == "mode" else self._automatic()
        if name in ("it", "them"):
            return self._meant(way == "on", name == "it")
        if name in TOGGLES and way in ("on", "off"):
            return self._toggled(name, way == "on")
        if step in TOGGLES:
            return f"{_named(step)} is {self._state(step)}."
        return str(getattr(self, f"_{step}")())

    def _meant(self, on: bool, one: bool) -> str:
        """Switch what was looked at last, one thing or several."""
        seen: list[str] = []
        for step in reversed(self.taken[:-1]):
            if step not in TOGGLES:
                break
            seen.insert(0, step)
        seen = seen[-1:] if one else seen
        if not seen and one and self.settings["airplane"] and "status_bar" in self._looked():
            seen = ["airplane"]  # the symbol that they have told of
        return " ".join(self._toggled(name, on) for name in dict.fromkeys(seen)) or "Sorry, what do you mean by that?"

    def _looked(self) -> tuple[str, ...]:
        """What was looked at last, as a step of its own."""
        last = self.taken[-2:-1]
        return ("status_bar",) if last == ("look",) and self.trouble == "service" else last

    def _toggled(self, name: str, on: bool) -> str:
        was = self.settings[name]
        self._set(**{name: on})
        return f"{_named(name)} was already {self._state(name)}." if was == on else (
            f"Done, {_named(name, begins=False)} is {self._state(name)} now."
        )  # fmt: skip

    def _state(self, name: str) -> str:
        toggle = TOGGLES[name]
        return toggle.on if self.settings[name] else toggle.off

    def _reseat(self) -> str:
        was = self.settings["sim"]
        self._set(sim=True)
        return (
            "I took the SIM card out and put it back in."
            if was
            else "The SIM card wasn't in properly. Now it has clicked into place."
        )

    def _automatic(self) -> str:
        was = self.settings["operator"]
        self._set(operator="automatic")
        return (
            "It was already on automatic."
            if was == "automatic"
            else f"It was set to {was} manually. Now it's automatic."
        )

    def _mode_best(self) -> str:
        was = self.settings["mode"]
        self._set(mode="5G/4G")
        return "It was already set to that." if was == "5G/4G" else f"It was on {was}. Now it's on 5G/4G."

    def _apn_reset(self) -> str:
        self.resetting = True
        return "I've reset them. It says that the change takes effect after a restart."

    def _restart(self) -> str:
        self.attached = self._allowed()
        if self.resetting:
            self.resetting = False
            self._set(apn=True, picture_apn=True)
        return "Okay, I've restarted it."

    def _status_bar(self) -> str:
        if signal := self.signal():
            return f"At the top {signal}."
        data = {"none": "no data symbol", "slow": "a data symbol", "good": "a 5G symbol"}[self.connection()]
        vpn = " and a little key for the VPN" if self.settings["vpn"] else ""
        return f"At the top I see full bars and {data}{vpn}."

    def _sim(self) -> str:
        if not self.settings["sim"]:
            return "It says that there is no SIM card."
        status = self._row()["sim_status"]
        return "It says the SIM card is active." if status == "active" else "It says the SIM card isn't activated."

    def _operator(self) -> str:
        return f"The network selection is set to {self.settings['operator']}."

    def _mode(self) -> str:
        return f"The network mode is {self.settings['mode']}."

    def _apn(self) -> str:
        if not self.settings["apn"]:
            return "The access point is called 'internet.old', which doesn't look right."
        return "The access point looks normal" + (
            "." if self.settings["picture_apn"] else ", but the field for picture messages (MMSC) is empty."
        )

    def _speed_test(self) -> str:
        return {
            "none": "The speed test doesn't start. It says there's no connection.",
            "slow": "It's very slow: 0.3 megabits, rated poor.",
            "good": "It says 96 megabits, rated excellent.",
        }[self.connection()]

    def _send_picture(self) -> str:
        return "The picture was sent." if self.works("pictures") else "It says 'Message not sent'."

    def _permissions(self) -> str:
        return f"For the messages app, storage is {self._state('storage')} and SMS is {self._state('messages')}."


def _named(name: str, begins: bool = True) -> str:
    text = TOGGLES[name].names[0]
    return text[0].upper() + text[1:] if begins else text
