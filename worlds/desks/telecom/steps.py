"""What a person can be asked to do with their phone, or to look at, and the words for it."""

from collections.abc import Mapping
from typing import Final, NamedTuple

__all__ = ["STEPS", "TOGGLES", "Toggle"]


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
    "airplane": Toggle(("airplane mode", "flight mode", "aeroplane mode", "airplane symbol", "airplane icon",
                        "plane symbol", "plane icon")),
    "mobile_data": Toggle(("mobile data", "cellular data")),
    "roaming": Toggle(("data roaming", "roaming")),
    "vpn": Toggle(("the VPN", "your VPN", "VPN"), "connected", "disconnected"),
    "saver": Toggle(("data saver", "data saver mode", "low data mode")),
    "power": Toggle(("battery saver", "battery saving mode", "power saving mode", "low power mode")),
    "wifi_calling": Toggle(("Wi-Fi calling", "wifi calling", "wi fi calling")),
    "storage": Toggle(("the storage permission of the messages app", "storage permission", "storage access",
                       "access to storage", "permission to access storage", "to access storage", "access storage",
                       "storage"), "granted", "denied"),
    "messages": Toggle(("the SMS permission of the messages app", "SMS permission", "SMS access", "access to SMS",
                        "permission to access SMS", "to access SMS", "access SMS", "SMS"),
                       "granted", "denied"),
}  # fmt: skip
_VERBS = {
    True: ("turn on {o}", "turn {o} on", "switch on {o}", "switch {o} on", "enable {o}", "activate {o}",
           "make sure {o} is on", "make sure that {o} is on", "make sure {o} is turned on", "make sure {o} is enabled",
           "{o} to on", "{o} so .. on", "{o} until .. on"),
    False: ("turn off {o}", "turn {o} off", "switch off {o}", "switch {o} off", "disable {o}", "deactivate {o}",
            "make sure {o} is off", "make sure that {o} is off", "make sure {o} is turned off",
            "make sure {o} is disabled", "{o} to off", "{o} so .. off", "{o} until .. off"),
}  # fmt: skip
_CONNECT = {True: ("connect {o}", "connect to {o}"), False: ("disconnect {o}", "disconnect from {o}")}
_TO_APP = tuple(
    f"{verb} {app} {{o}}"
    for verb in ("grant", "give", "allow")
    for app in ("the messages app", "your messages app", "the messaging app", "your messaging app", "the app", "it")
)
_PERMIT = {True: ("grant {o}", "allow {o}", "give {o}"), False: ("deny {o}", "revoke {o}", "remove {o}")}


_CYCLES = tuple(f"{verb} airplane mode on{link} off" for verb in ("turn", "toggle", "switch") for link in
                (" and", " and then", " then", " and back"))  # fmt: skip


def _phrases(toggle: Toggle, on: bool) -> tuple[str, ...]:
    verbs: tuple[str, ...] = _VERBS[on]
    if toggle.on == "connected":
        verbs = (*_CONNECT[on], *verbs)
    if toggle.on == "granted":
        verbs = (*_PERMIT[on], *verbs, *(_TO_APP if on else ()))
    bare = dict.fromkeys(word for name in toggle.names for word in (name, name.removeprefix("the ")))
    objects = [form for word in bare for form in ((word,) if word.startswith("the ") else (word, f"the {word}"))]
    return tuple(verb.format(o=word) for verb in verbs for word in objects)


_FIXES: Final[Mapping[str, tuple[str, ...]]] = {
    "reseat": ("take out the SIM card and put it back in", "reseat the SIM", "re-seat the SIM", "reinsert the SIM",
               "reinsert your SIM", "reseat your SIM", "remove the SIM", "remove your SIM", "take the SIM",
               "take your SIM", "take out the SIM", "take out your SIM", "pull out the SIM",
               "eject the SIM", "eject your SIM"),
    "automatic": ("set the network selection to automatic", "set network selection to automatic",
                  "choose the network automatically", "select network automatically",
                  "select the network automatically", "select your network automatically",
                  "turn on automatic network selection", "switch on automatic network selection",
                  "enable automatic network selection",
                  "set the operator to automatic", "set the carrier selection to automatic",
                  "switch network selection to automatic", "switch the network selection to automatic",
                  "set your network selection to automatic", "network selection to automatic"),
    "mode_best": ("set the network mode to 5G/4G", *(
        f"{verb}{article}{noun} to {kind}"
        for verb in ("set ", "change ", "switch ", "")
        for article in ("the ", "your ", "")
        for noun in ("network mode", "network type", "preferred network type", "preferred network mode",
                     "network mode preference", "network preference")
        for kind in ("5G", "4G", "LTE", "automatic", "auto", "the fastest")
    )),
    "apn_reset": ("reset the APN settings", "reset your APN settings", "reset APN settings", "reset the APN",
                  "reset APN", "reset the access point names", "restore the APN settings", "restore the default APN",
                  "set the APN settings back", "reset the APNs", "reset access point names", "reset the access points",
                  "reset your access points", "reset access points"),
    "restart": ("restart your phone", "restart the phone", "reboot your phone", "reboot the phone", "restart it",
                "reboot it", "restart your device", "reboot your device", "turn your phone off and on",
                "turn the phone off and on", "switch your phone off and on", "switch the phone off and on",
                "turn your phone off and back on",
                "switch your phone off and back on", "switch the phone off and back on",
                "turn the phone off and back on", "reboot", "restart",
                "power cycle your phone", "power cycle the phone", "rebooting",
                "restarting", "power your phone off and on", "power it off and on", "turn it off and on"),
}  # fmt: skip
_CHECKS: Final[Mapping[str, tuple[str, ...]]] = {
    "status_bar": ("look at the status bar", "status bar", "signal bars", "signal strength", "top of your screen",
                   "top of the screen", "top of .. screen", "what's at the top", "at the top now", "any bars",
                   "how many bars", "what bars",
                   "bars .. phone", "any signal", "is there a signal", "has a signal", "signal .. there",
                   "look at your screen", "look at the screen",
                   "top of .. display", "see an airplane", *(
                       f"{lead} {size} airplane" for size in ("little", "small", "tiny")
                       for lead in ("see a", "see that", "see the", "still that", "still a", "there a")
                   ), "bars come back", "bars are back", "signal come back", "signal back", "make a call",
                   "place a call", "try a call", "make calls", "what you see then", "what you see afterwards",
                   "what you can see then", "what it says then", "what happens then"),
    "sim": ("check the SIM card", "SIM status", "SIM card status", "SIM tray", "SIM card", "status of the SIM"),
    "operator": ("check the network selection", "network selection", "carrier selection", "operator selection",
                 "network name", "name of the network",
                 "selected network"),
    "mode": ("check the network mode", "network mode", "preferred network type", "network type",
             "preferred network mode"),
    "apn": ("check the APN settings", "APN settings", "access point names", "access points", "APN", "APNs"),
    "speed_test": ("run a speed test", "speed test", "test your speed", "test the speed"),
    "send_picture": ("try to send a picture", "send a picture", "send a picture message", "send an MMS",
                     "send a test picture", "send a photo", "send yourself a picture", "send another picture",
                     "sending a picture", "sending the picture", "send the picture", "sending a photo",
                     "sending another picture", "sending an MMS", "picture go out", "pictures go out",
                     "picture message go out", "photo go out"),
    "look": ("see whether it works", "see if it works", "check whether it works", "check if it works", "does it work",
             "is it working", "working now", "works now", "work now", "try it again", "try again", "test it",
             "do you have service", "do you have signal", "do you have a signal", "is everything working",
             "does everything work", "is your phone working"),
    "permissions": ("check the permissions of the messages app", "app permissions", "messages app permissions",
                    "permissions", "messaging app's permissions"),
}  # fmt: skip
_AUTOMATIC = ("set {o} to automatic", "change {o} to automatic", "switch {o} to automatic", "put {o} on automatic",
              "set {o} to auto", "put {o} back on automatic", "set {o} back to automatic")  # fmt: skip
STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    **_FIXES,
    **_CHECKS,
    **{f"{name}_on": _phrases(toggle, True) for name, toggle in TOGGLES.items()},
    **{f"{name}_off": _phrases(toggle, False) for name, toggle in TOGGLES.items()},
    **{
        f"{word}_{way}": tuple(verb.format(o=form) for verb in verbs for form in forms)
        for word, forms in (("it", ("it", "that", "this")), ("them", ("them", "these", "those", "both")))
        for way, verbs in (
            ("on", (*_VERBS[True], "grant {o}", "allow {o}")), ("off", (*_VERBS[False], "disconnect {o}"))
        )
    },
    **{
        f"{word}_automatic": (*(phrase.format(o=name) for phrase in _AUTOMATIC for name in names), *more)
        for word, names, more in (
            ("operator", ("carrier", "the carrier"), ()),
            ("it", ("it", "that", "this"), tuple(
                f"{verb} automatic{end}" for verb in ("choose", "select", "pick", "tap", "take")
                for end in (" there", " instead", ""))),
        )
    },
    "airplane_off": (*_phrases(TOGGLES["airplane"], False), *_CYCLES),
    **{name: (f"check {toggle.names[0]}", *toggle.names) for name, toggle in TOGGLES.items()},
}  # fmt: skip
"""What a person can be asked to do or to look at, and how; the first phrase is the usual one."""
