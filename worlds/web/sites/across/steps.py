"""What tasks across sites share: how to get to a site, and how to write mails and events."""

from turnwise.worlds.web.site import Plan, Step, World, check, click, fill, goto, new_tab

__all__ = ["BANK", "CRM", "FORUM", "MAIL", "SHOP", "TRACKER", "TRAVEL", "contacts", "new_event",
           "other_tab", "written", "written_to"]  # fmt: skip

SHOP, BANK, FORUM, MAIL, CRM, TRACKER, TRAVEL = (
    goto(f"http://{name}.test/") for name in ("shop", "bank", "forum", "mail", "crm", "tracker", "travel")
)


def other_tab(site: Step) -> Step:
    """Return the step that opens a site in another tab."""
    return new_tab(site.text)


def written(name: str, subject: str, body: str) -> Plan:
    """Return the steps that write a mail to a contact found by name, on the mail site."""
    return (
        click("Write"),
        fill("Find people", name),
        check(name),
        fill("Subject", subject),
        fill("Text", body),
        click("Send"),
    )


def written_to(address: str, subject: str, body: str) -> Plan:
    """Return the steps that write a mail to an address, on the mail site."""
    return click("Write"), fill("To", address), fill("Subject", subject), fill("Text", body), click("Send")


def new_event(title: str, day: str, start: str, until: str, place: str = "") -> Plan:
    """Return the steps that enter an event in the calendar, on the mail site."""
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
    """Return (name, address, town) of the user's contacts."""
    return world("mail").rows("SELECT name, email, town FROM contact WHERE owner = 1 ORDER BY id")
