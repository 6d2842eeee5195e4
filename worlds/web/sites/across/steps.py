"""What tasks across sites have in common: the way to a site, mails that are written, texts that mails carry."""

from turnwise.worlds.web.site.tasks import Plan, Step, World, check, click, fill, goto, new_tab

__all__ = ["BANK", "CRM", "FORUM", "MAIL", "NOTES", "SHOP", "TRACKER", "TRAVEL", "contacts", "moved", "new_event",
           "other_tab", "written", "written_to"]  # fmt: skip

SHOP, BANK, FORUM, MAIL, CRM, TRACKER, TRAVEL = (
    goto(f"http://{name}.test/") for name in ("shop", "bank", "forum", "mail", "crm", "tracker", "travel")
)
NOTES = (
    "Could you call me about it?",
    "Please have a look at this before Friday.",
    "I need your opinion on this one.",
    "Please look at this one soon.",
)


def other_tab(site: Step) -> Step:
    """The same address in another tab."""
    return new_tab(site.text)


def written(name: str, subject: str, body: str) -> Plan:
    """On the mail site: a mail to one of the contacts, found by the name."""
    return (
        click("Write"),
        fill("Find people", name),
        check(name),
        fill("Subject", subject),
        fill("Text", body),
        click("Send"),
    )


def written_to(address: str, subject: str, body: str) -> Plan:
    """On the mail site: a mail to an address."""
    return click("Write"), fill("To", address), fill("Subject", subject), fill("Text", body), click("Send")


def new_event(title: str, day: str, start: str, until: str, place: str = "") -> Plan:
    """On the mail site: a new event in the calendar."""
    return (
        click("Calendar"),
        click("Close"),
        click("New event"),
        fill("Title", title),
        fill("Date", day),
        fill("Start", start),
        fill("End", until),
        *((fill("Place", place),) if place else ()),
        click("Save event"),
    )


def contacts(world: World) -> list[tuple[str, str, str]]:
    """(name, address, town) of the user's contacts."""
    return world("mail").rows("SELECT name, email, town FROM contact WHERE owner = 1 ORDER BY id")


def moved(text: str, old: str, new: str) -> str | None:
    """An instruction with a fact of it left to another site; None where it does not stand there exactly once."""
    return text.replace(old, new) if text.count(old) == 1 else None
