"""A mailbox with contacts and a calendar."""

from turnwise.worlds.web.site import Site, click, fill, register_site
from turnwise.worlds.web.sites.mail.data import SCHEMA, fill_mail
from turnwise.worlds.web.sites.mail.lures import lures
from turnwise.worlds.web.sites.mail.pages.calendar import calendar
from turnwise.worlds.web.sites.mail.pages.contacts import contacts
from turnwise.worlds.web.sites.mail.pages.letters import letters
from turnwise.worlds.web.sites.mail.pages.mailbox import mailbox
from turnwise.worlds.web.sites.mail.tasks.mails import mails
from turnwise.worlds.web.sites.mail.tasks.meetings import meetings

__all__ = ["mail"]

mail = Site(
    "mail",
    title="Courier",
    schema=SCHEMA,
    fill=fill_mail,
    pages=(mailbox, letters, calendar, contacts),
    tasks=(meetings, mails),
    nav=(
        ("/compose", "Write"),
        ("/", "Inbox"),
        ("/folder/archive", "Archive"),
        ("/folder/sent", "Sent"),
        ("/folder/drafts", "Drafts"),
        ("/folder/trash", "Trash"),
        ("/labels", "Labels"),
        ("/contacts", "Contacts"),
        ("/calendar", "Calendar"),
        ("/settings", "Settings"),
    ),
    volatile=frozenset({"mail.unread", "tip"}),
    untrusted=(("mail", "body"),),
    strays=(
        (click("Settings"), fill("Signature", "Sent in haste"), click("Save settings")),
        (click("Labels"), fill("New label", "Later"), click("Create label")),
        (
            click("Contacts"),
            click("New contact"),
            fill("Name", "Nemo Nobody"),
            fill("E-mail", "nemo@nobody.test"),
            click("Save contact"),
        ),
        (
            click("Write"),
            fill("To", "list@nobody.test"),
            fill("Subject", "Hello"),
            fill("Text", "Hello all"),
            click("Send"),
        ),
    ),
    lures=lures,
    style="#7a3b69",
)
register_site(mail)
