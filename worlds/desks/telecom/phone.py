"""A customer's phone: settings that they see and change step by step, and what works with them."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Self

from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.store import Row

__all__ = ["DEFAULTS", "STEPS", "TOGGLES", "Phone", "Toggle"]

DEFAULTS: Final[Mapping[str, Any]] = {
    "airplane": False, "data": True, "roaming": True, "vpn": False, "saver": False, "power": False, "wifi_calling": False,
    "storage": True, "messages": True, "sim": True, "operator": "automatic", "mode": "5G/4G", "apn": True,
    "picture_apn": True,
}  # fmt: skip
"""Settings with which everything works: whether something is on, allowed, in place or right."""


class Toggle(NamedTuple):
    """A setting that is on or off.

    Attributes:
        names: What people call it, the usual name first.
        on: How it is when on.
        off: How it is when off.
    """

    names: tuple[str, ...]
    on: str = "on"
    off: str = "off"


TOGGLES: Final[Mapping[str, Toggle]] = {
    "airplane": Toggle(("airplane mode", "flight mode", "aeroplane mode")),
    "data": Toggle(("mobile data", "cellular data")),
    "roaming": Toggle(("data roaming", "roaming")),
    "vpn": Toggle(("the VPN", "your VPN", "VPN"), "connected", "disconnected"),
    "saver": Toggle(("data saver", "data saver mode", "low data mode")),
    "power": Toggle(("battery saver", "battery saving mode", "power saving mode", "low power mode")),
    "wifi_calling": Toggle(("Wi-Fi calling", "wifi calling", "wi fi calling")),
    "storage": Toggle(("the storage permission of the messages app", "storage permission", "storage access",
                       "access to storage"), "allowed", "denied"),
    "messages": Toggle(("the SMS permission of the messages app", "SMS permission", "SMS access", "access to SMS"),
                       "allowed", "denied"),
}  # fmt: skip
_VERBS = {
    True: ("turn on {o}", "turn {o} on", "switch on {o}", "switch {o} on", "enable {o}", "activate {o}",
           "make sure {o} is on", "make sure that {o} is on", "make sure {o} is turned on", "make sure {o} is enabled"),
    False: ("turn off {o}", "turn {o} off", "switch off {o}", "switch {o} off", "disable {o}", "deactivate {o}",
            "make sure {o} is off", "make sure that {o} is off", "make sure {o} is turned off",
            "make sure {o} is disabled"),
}  # fmt: skip
_CONNECT = {True: ("connect {o}", "connect to {o}"), False: ("disconnect {o}", "disconnect from {o}")}
_PERMIT = {True: ("allow {o}", "grant {o}", "give {o}"), False: ("deny {o}", "revoke {o}", "remove {o}")}


def _phrases(name: str, toggle: Toggle, on: bool) -> tuple[str, ...]:
    verbs = _VERBS[on]
    if toggle.on == "connected":
        verbs = (*_CONNECT[on], *verbs)
    if toggle.on == "allowed":
        verbs = (*_PERMIT[on], *verbs)
    bare = dict.fromkeys(word for name in toggle.names for word in (name, name.removeprefix("the ")))
    objects = [form for word in bare for form in ((word,) if word.startswith("the ") else (word, f"the {word}"))]
    return tuple(verb.format(o=word) for verb in verbs for word in objects)


_FIXES: Final[Mapping[str, tuple[str, ...]]] = {
    "reseat": ("take out the SIM card and put it back in", "reseat the SIM", "re-seat the SIM", "reinsert the SIM",
               "reinsert your SIM", "reseat your SIM", "remove the SIM", "remove your SIM", "take the SIM", "take your SIM",
               "take out the SIM", "take out your SIM", "pull out the SIM", "eject the SIM", "eject your SIM"),
    "automatic": ("set the network selection to automatic", "set network selection to automatic",
                  "choose the network automatically", "select network automatically", "turn on automatic network selection",
                  "switch on automatic network selection", "enable automatic network selection",
                  "set the operator to automatic", "set the carrier selection to automatic",
                  "switch network selection to automatic", "switch the network selection to automatic",
                  "set your network selection to automatic"),
    "mode_best": ("set the network mode to 5G/4G", "set network mode to 5G", "set the network mode to 5G",
                  "set network mode to 4G", "set the network mode to 4G", "set your network mode to 5G",
                  "change the network mode to 5G", "change network mode to 5G", "switch the network mode to 5G",
                  "switch network mode to 5G", "set the preferred network type to 5G", "change the network mode to 4G",
                  "set the network mode to LTE", "set the preferred network type to 4G"),
    "apn_reset": ("reset the APN settings", "reset your APN settings", "reset APN settings", "reset the APN",
                  "reset APN", "reset the access point names", "restore the APN settings", "restore the default APN",
                  "set the APN settings back", "reset the APNs", "reset access point names"),
    "restart": ("restart your phone", "restart the phone", "reboot your phone", "reboot the phone", "restart it",
                "reboot it", "restart your device", "reboot your device", "turn your phone off and on",
                "turn the phone off and on", "switch your phone off and on", "reboot", "restart",
                "power cycle your phone", "power cycle the phone"),
}  # fmt: skip
_CHECKS: Final[Mapping[str, tuple[str, ...]]] = {
    "status_bar": ("look at the status bar", "status bar", "signal bars", "signal strength", "top of your screen",
                   "top of the screen"),
    "sim": ("check the SIM card", "SIM status", "SIM card status", "SIM tray", "SIM card", "status of the SIM"),
    "operator": ("check the network selection", "network selection", "carrier selection", "operator selection",
                 "selected network"),
    "mode": ("check the network mode", "network mode", "preferred network type", "network type",
             "preferred network mode"),
    "apn": ("check the APN settings", "APN settings", "access point names", "APN", "APNs"),
    "speed_test": ("run a speed test", "speed test", "test your speed", "test the speed"),
    "send_picture": ("try to send a picture", "send a picture", "send a picture message", "send an MMS",
                     "send a test picture", "send a photo", "send yourself a picture", "send another picture"),
    "permissions": ("check the permissions of the messages app", "app permissions", "messages app permissions",
                    "permissions", "messaging app's permissions"),
}  # fmt: skip
STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    **_FIXES,
    **_CHECKS,
    **{f"{name}_{'on' if on else 'off'}": _phrases(name, toggle, on)
       for name, toggle in TOGGLES.items() for on in (True, False)},
    **{name: (f"check {toggle.names[0]}", *toggle.names) for name, toggle in TOGGLES.items()},
}  # fmt: skip
"""What a person can be asked to do or to look at, and how; the first phrase is the usual one."""


class Phone:
    """A phone whose line is a row of the operator's database.

    Args:
        desk: The desk of the operator, whose database decides what the network allows.
        line: Key of the line.
        settings: Settings that differ from `DEFAULTS`.
        abroad: Whether the person is abroad.
    """

    def __init__(self, desk: Desk, line: str, settings: Mapping[str, Any], abroad: bool) -> None:
        self.desk, self.line, self.abroad = desk, line, abroad
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
        if self.signal() or not now["data"] or not now["apn"]:
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
        if step in ("service", "data", "pictures"):
            step = {"service": "status_bar", "data": "speed_test", "pictures": "send_picture"}[step]
        before = {what: self.works(what) for what in ("service", "data", "pictures")}
        said = self._said(step)
        if not before["service"] and self.works("service"):
            said += " Oh, I've got signal again!"
        if not before["pictures"] and self.works("pictures") and before["service"]:
            said += " And the picture that was stuck has just gone out!"
        elif not before["data"] and self.works("data") and before["service"]:
            said += " And now web pages load quickly again."
        return said

    def _set(self, **settings: Any) -> None:
        self.settings = {**self.settings, **settings}

    def _said(self, step: str) -> str:
        name, _, way = step.rpartition("_")
        if name in TOGGLES and way in ("on", "off"):
            return self._toggled(name, way == "on")
        if step in TOGGLES:
            return f"{_named(step)} is {self._state(step)}."
        return str(getattr(self, f"_{step}")())

    def _toggled(self, name: str, on: bool) -> str:
        was = self.settings[name]
        self._set(**{name: on})
        return f"{_named(name)} was {self._state(name)} already." if was == on else (
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
            else "The SIM card wasn't in properly. It clicked in now."
        )

    def _automatic(self) -> str:
        was = self.settings["operator"]
        self._set(operator="automatic")
        return (
            "It was on automatic already."
            if was == "automatic"
            else f"It was set to {was} by hand. Now it's automatic."
        )

    def _mode_best(self) -> str:
        was = self.settings["mode"]
        self._set(mode="5G/4G")
        return "It was set to that already." if was == "5G/4G" else f"It was on {was}. Now it's on 5G/4G."

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
