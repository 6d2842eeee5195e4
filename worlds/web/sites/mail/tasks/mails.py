"""Tasks of the mail site: mails, labels, contacts."""

from typing import Any

from turnwise.worlds.web.site import (
    Answer,
    Change,
    Draft,
    Draw,
    OneOf,
    Plan,
    Said,
    Tasks,
    World,
    back,
    check,
    click,
    fill,
    insert,
    money,
    select,
    update,
)
from turnwise.worlds.web.site.cast import phone_forms
from turnwise.worlds.web.sites.mail.data import MONTHS_BACK, months_before
from turnwise.worlds.web.sites.mail.words import LABELS, LETTERS, MONTHS, TODOS

__all__ = ["find", "mails", "sent"]

mails = Tasks()

_NOTES = ("Please pay this one.", "For your records.", "Please check the amounts.", "Is this one ours?")
_MESSAGES = (
    ("Parking space", "Your parking space is number 14."),
    ("Change of room", "We meet in room 5 instead of room 2."),
    ("Visit in the north office", "I will be in the north office all day tomorrow."),
    ("Missing form", "Your travel form is still missing."),
    ("Spare chairs", "You can have the six spare chairs."),
)
_NEW_LABELS = ("Taxes", "House", "School", "Recipes", "Insurance", "Music", "Volunteers", "Warranty")


def find(words: str) -> Plan:
    """Return the steps of a search for mails."""
    return fill("Search mail", words, role="searchbox"), click("Search mail", "button")


def sent(world: World, to: str, subject: str, body: object, **more: object) -> Change:
    """Return the row of a mail that the user sends; ``to`` is sorted addresses joined by ", "."""
    user = world.cast.user
    return insert(
        "mail.mail",
        owner=user.id,
        folder="sent",
        name=user.name,
        sender=user.email,
        recipients=to,
        subject=subject,
        body=body,
        sent=f"{world.now:%Y-%m-%d %H:%M}",
        **more,
    )


def _invoice(world: World, draw: Draw) -> tuple[int, str, str, str, int]:
    """Draw an invoice: id, vendor, subject, month in words, total in cents."""
    rows = world("mail").rows(
        "SELECT id, name, subject, fact FROM mail WHERE kind = 'invoice' AND owner = 1 ORDER BY id"
    )
    number, name, subject, fact = draw.choice(rows)
    month, total, _ = fact.split("|")
    return number, name.removesuffix(" Billing"), subject, f"{MONTHS[int(month[5:]) - 1]} {month[:4]}", int(total)


def _unique(world: World, draw: Draw, where: str, limit: int = 10**6) -> Any:
    """Draw a mail with a unique subject and sender: id, subject, name, address."""
    rows = world("mail").rows(
        f"SELECT id, subject, name, sender, thread FROM mail WHERE owner = 1 AND {where} ORDER BY sent DESC, id DESC "
        "LIMIT ?",
        limit,
    )
    row = draw.choice(rows) if rows else None
    if row is None:
        return None
    same = world("mail").row("SELECT count(*) FROM mail WHERE owner = 1 AND subject = ? AND name = ?", row[1], row[2])
    return row if same == 1 else None


@mails.template(1)
def archive_mail(world: World, draw: Draw) -> Draft | None:
    """Ask to archive a mail on the first page."""
    row = _unique(world, draw, "folder = 'inbox'", 12)
    if row is None:
        return None
    number, subject, name, *_ = row
    text = draw.either(
        'Archive the mail "{0}" from {1}.', 'Please move the mail "{0}" that {1} sent me to the archive.'
    )
    plan = (click(subject, "link", near=name), click("Archive", "button"))
    return Draft(text.format(subject, name), plan, (update("mail.mail", number, folder="archive"),))


@mails.template(1)
def restore_mail(world: World, draw: Draw) -> Draft | None:
    """Ask to undo a deletion."""
    row = _unique(world, draw, "folder = 'trash' AND was = 'inbox'")
    if row is None:
        return None
    number, subject, name, *_ = row
    text = draw.either(
        'I deleted the mail "{0}" from {1} by mistake. Put it back where it was.',
        'The mail "{0}" from {1} should not be in the trash. Restore it.',
    )
    plan = (click("Trash"), click(subject, "link", near=name), click("Restore"))
    return Draft(text.format(subject, name), plan, (update("mail.mail", number, folder="inbox", was=""),))


@mails.template(1)
def create_label(world: World, draw: Draw) -> Draft | None:
    """Ask to create a label."""
    name = draw.choice(_NEW_LABELS)
    text = draw.choice(('Create a label called "{0}" in my mail.', 'I need a new mail label: "{0}".'))
    plan = (click("Labels"), fill("New label", name), click("Create label"))
    return Draft(text.format(name), plan, (insert("mail.label", owner=1, name=name),))


@mails.template(2)
def invoice_amount(world: World, draw: Draw) -> Draft | None:
    """Ask for an amount in a mail."""
    _, vendor, subject, month, total = _invoice(world, draw)
    text = draw.either(
        "What is the total of the invoice from {0} for {1}?",
        "How many euros does {0} want for {1}, according to the total of their invoice?",
    )
    plan = (*find(f"{vendor} Invoice {month}"), click(subject, "link"))
    return Draft(text.format(vendor, month), plan, answer=Answer.of("money", money(total)))


@mails.template(4)
def invoice_sum(world: World, draw: Draw) -> Draft | None:
    """Ask for the sum of all invoices of a vendor."""
    _, vendor, *_ = _invoice(world, draw)
    rows = world("mail").rows(
        "SELECT subject, fact FROM mail WHERE kind = 'invoice' AND name = ? ORDER BY sent, id", f"{vendor} Billing"
    )
    total = sum(int(fact.split("|")[1]) for _, fact in rows)
    text = draw.either(
        "Add up the totals of all invoices from {0} in my mailbox: what do they come to?",
        "How much have all invoices of {0} in my mailbox come to together?",
    )
    text += " Count invoices only, not offers or reminders."
    plan = (*find(f"{vendor} Invoice"), *(step for subject, _ in rows for step in (click(subject, "link"), back())))
    return Draft(text.format(vendor), plan[:-1], answer=Answer.of("money", money(total)))


@mails.template(2)
def reply_with(world: World, draw: Draw) -> Draft | None:
    """Ask to reply with a given text."""
    row = _unique(world, draw, "kind = 'letter' AND folder IN ('inbox', 'archive')")
    if row is None:
        return None
    number, subject, name, address, thread = row
    body = draw.choice(LETTERS[int(world("mail").row("SELECT fact FROM mail WHERE id = ?", number))].replies)
    text = draw.either(
        'Reply to the mail "{0}" from {1} with exactly this text: "{2}"',
        '{1} wrote me a mail with the subject "{0}". Answer it. The text of the answer is "{2}" and nothing else.',
    )
    plan = (
        *find(f"{name} {subject}"),
        click(subject, "link", near=name),
        click("Reply"),
        fill("Text", body),
        click("Send"),
    )
    change = sent(world, address, f"Re: {subject}", Said(body), thread=thread or number)
    return Draft(text.format(subject, name, body), plan, (change,))


@mails.template(3)
def forward_invoice(world: World, draw: Draw) -> Draft | None:
    """Ask to find an invoice and forward it, with a note or without."""
    number, vendor, subject, month, _ = _invoice(world, draw)
    to, email = draw.choice(world("mail").rows("SELECT name, email FROM contact WHERE owner = 1 ORDER BY id"))
    note = draw.choice(_NOTES) if draw.chance(0.5) else ""
    text = f"Forward the invoice from {vendor} for {month} to {to}"
    text += f' and write this above it: "{note}"' if note else ", without a text of your own."
    plan: Plan = (
        *find(f"{vendor} Invoice {month}"),
        click(subject, "link"),
        click("Forward"),
        fill("Find people", to),
        check(to),
        *((fill("Text", note),) if note else ()),
        click("Send"),
    )
    change = sent(world, email, f"Fwd: {subject}", Said(note) if note else "", forward_of=number)
    return Draft(text, plan, (change,))


@mails.template(3, infeasible=True)
def forward_missing(world: World, draw: Draw) -> Draft | None:
    """Ask to forward an invoice that never came: not possible."""
    _, vendor, *_ = _invoice(world, draw)
    facts = world("mail").rows("SELECT fact FROM mail WHERE kind = 'invoice' AND name = ?", f"{vendor} Billing")
    there = {fact[:7] for fact in facts}
    missing = [day for day in months_before(world.now.date(), MONTHS_BACK) if f"{day:%Y-%m}" not in there]
    first = draw.choice(missing)
    month = f"{MONTHS[first.month - 1]} {first.year}"
    to = draw.choice(world("mail").rows("SELECT name FROM contact WHERE owner = 1 ORDER BY id"))
    note = draw.choice(_NOTES) if draw.chance(0.5) else ""
    text = f"Forward the invoice from {vendor} for {month} to {to}"
    text += f' and write this above it: "{note}"' if note else ", without a text of your own."
    plan = (*find(f"{vendor} Invoice {month}"), *find(f"{vendor} Invoice"))
    return Draft(text, plan, infeasible=f"There is no invoice from {vendor} for {month}.")


@mails.template(3)
def label_newsletters(world: World, draw: Draw) -> Draft | None:
    """Ask to label and archive what a sender has in the inbox."""
    rows = world("mail").rows(
        "SELECT name, group_concat(id) FROM mail WHERE kind = 'newsletter' AND folder = 'inbox' GROUP BY name "
        "HAVING count(*) BETWEEN 2 AND 8 ORDER BY name"
    )
    if not rows:
        return None
    sender, ids = draw.choice(rows)
    place = draw.integer(1, len(LABELS))
    label = LABELS[place - 1]
    text = draw.either(
        'Give all mails from "{0}" that are in my inbox the label {1}, and archive them.',
        'Tidy up: every mail from "{0}" in the inbox gets the label {1} and then goes to the archive.',
    )
    plan = (
        *find(sender),
        click("More filters"),
        fill("From", sender),
        select("In folder", "Inbox"),
        click("Filter"),
        click("Select all on this page"),
        click("Set labels"),
        select("Label", label),
        click("Add label"),
        click("Select all on this page"),
        click("Archive", "button"),
    )
    changes = [update("mail.mail", int(number), folder="archive") for number in ids.split(",")]
    changes += [insert("mail.mail_label", mail=int(number), label=place) for number in ids.split(",")]
    return Draft(text.format(sender, label), plan, tuple(changes))


@mails.template(2)
def delete_stranger(world: World, draw: Draw) -> Draft | None:
    """Ask to delete all mails of an unwanted sender."""
    rows = world("mail").rows(
        "SELECT DISTINCT name, sender FROM mail WHERE kind = 'stranger' AND folder = 'inbox' ORDER BY sender"
    )
    name, address = draw.choice(rows)
    ids = world("mail").rows("SELECT id FROM mail WHERE sender = ? AND folder = 'inbox' ORDER BY id", address)
    text = draw.either(
        "Delete all mails from {1} that are in my inbox; the trash is the right place for them.",
        "Move every mail that {0} ({1}) sent to my inbox to the trash.",
    )
    plan = (*find(address), click("Select all on this page"), click("Delete"))
    changes = tuple(update("mail.mail", number, folder="trash", was="inbox") for number in ids)
    return Draft(text.format(name, address), plan, changes)


@mails.template(2)
def send_draft(world: World, draw: Draw) -> Draft | None:
    """Ask to address a draft and send it."""
    rows = world("mail").rows("SELECT id, subject FROM mail WHERE owner = 1 AND folder = 'drafts' ORDER BY id")
    number, subject = draw.choice(rows)
    if [row[1] for row in rows].count(subject) > 1:
        return None
    to, email = draw.choice(world("mail").rows("SELECT name, email FROM contact WHERE owner = 1 ORDER BY id"))
    text = draw.either(
        'Send my draft "{0}" to {1}, as it is.', 'My draft "{0}" is ready. Send it to {1} without changing it.'
    )
    plan = (click("Drafts"), click(subject, "link"), fill("Find people", to), check(to), click("Send"))
    change = update("mail.mail", number, folder="sent", recipients=email, sent=f"{world.now:%Y-%m-%d %H:%M}")
    return Draft(text.format(subject, to), plan, (change,))


@mails.template(3)
def who_cancelled(world: World, draw: Draw) -> Draft | None:
    """Ask who in a thread takes back a yes."""
    rows = world("mail").rows("SELECT fact, subject, name, sent FROM mail WHERE kind = 'answers' ORDER BY id")
    fact, subject, _, when = draw.choice(rows)
    topic, quitter = fact.split("|")
    text = draw.either(
        'Somebody who had said yes to "{0}" cancelled later. Who was it?',
        'Who cancelled for "{0}" after having agreed to come? Give the full name.',
    )
    number = len(world("mail").rows("SELECT id FROM mail WHERE subject IN (?, ?)", topic, subject)) - 1
    plan = (*find(topic), click(subject, "link", near=when), click(f"Show the {number} other mails of this thread"))
    return Draft(text.format(topic), plan, answer=Answer.of("text", quitter))


@mails.template(3)
def who_does(world: World, draw: Draw) -> Draft | None:
    """Ask a question that the notes of a meeting answer."""
    subject, facts = draw.choice(world("mail").rows("SELECT subject, fact FROM mail WHERE kind = 'notes' ORDER BY id"))
    todo, person, due = draw.choice(facts.split("\n")).split("|")
    topic = subject.removeprefix("Notes: ")
    if draw.chance(0.5):
        text, found = f"According to the notes of the {topic.lower()}, who will {todo}?", Answer.of("text", person)
    else:
        text = f"According to the notes of the {topic.lower()}, by what date {TODOS[todo]}?"
        found = Answer.of("date", due)
    return Draft(text, (*find(subject), click(subject, "link")), answer=found)


@mails.template(3)
def write_namesake(world: World, draw: Draw) -> Draft | None:
    """Ask to write to the right one of two people with the same first name."""
    people = world.cast.people
    pair = draw.choice(((people[3], people[7]), (people[4], people[8])))
    person = draw.choice(pair)
    company = dict(world("mail").rows("SELECT email, company FROM contact WHERE owner = 1 ORDER BY id"))
    if company[pair[0].email] == company[pair[1].email]:
        return None
    subject, body = draw.choice(_MESSAGES)
    text = draw.either(
        'Write a mail to {0} of {1}, not to the other {0}. Subject: "{2}". Text: "{3}"',
        'Send {0} who works at {1} a mail with the subject "{2}" and this text: "{3}"',
    ).format(person.first, company[person.email], subject, body)
    plan = (
        click("Write"),
        fill("Find people", person.first),
        check(person.name),
        fill("Subject", subject),
        fill("Text", body),
        click("Send"),
    )
    return Draft(text, plan, (sent(world, person.email, subject, Said(body)),))


@mails.template(2)
def add_contact(world: World, draw: Draw) -> Draft | None:
    """Ask to add a contact."""
    known = {*world("mail").rows("SELECT email FROM contact WHERE owner = 1")}
    person = draw.choice(world.cast.people)
    company = draw.choice(world.cast.companies)
    name = f"{person.first} {draw.choice(world.cast.people).name.split(' ', 1)[1]}"
    email = f"{name.replace(' ', '.').lower()}@{company.domain}"
    phone = f"0{draw.integer(200, 799)} {draw.integer(1000, 9999)}"
    if email in known or any(name == other.name for other in world.cast.people):
        return None
    text = draw.either(
        "Add {0} to my contacts: e-mail {1}, phone {2}, company {3}.",
        "New contact: {0}, {3}, phone {2}, e-mail {1}. Please save it in my address book.",
    ).format(name, email, phone, company.name)
    plan = (
        click("Contacts"),
        click("New contact"),
        fill("Name", name),
        fill("E-mail", email),
        fill("Phone", phone),
        fill("Company", company.name),
        click("Save contact"),
    )
    phones = OneOf(phone_forms(phone))
    change = insert("mail.contact", owner=1, name=name, email=email, phone=phones, company=company.name)
    return Draft(text, plan, (change,))


@mails.template(3)
def update_contact(world: World, draw: Draw) -> Draft | None:
    """Ask to copy a new phone number from a signature."""
    signed = world("mail").rows(
        "SELECT sender, subject, max(sent), fact FROM mail WHERE kind = 'signature' GROUP BY sender ORDER BY sender"
    )
    address, subject, when, new = draw.choice(signed)
    number, name, old = world("mail").row("SELECT id, name, phone FROM contact WHERE owner = 1 AND email = ?", address)
    if old == new:
        return None
    text = draw.either(
        "The phone number of {0} in my contacts is out of date. Replace it with the one in the signature of "
        "that person's newest mail that has a signature.",
        "{0} has a new phone number; it is in the signature of that person's newest mail that is signed with "
        "a phone number. Update my contacts.",
    ).format(name)
    plan = (
        *find(f"{name} Phone"),
        click(subject, "link", near=when, via="Next"),
        click("Contacts"),
        fill("Filter contacts", name),
        click(name, "link"),
        click("Edit"),
        fill("Phone", new),
        click("Save contact"),
    )
    return Draft(text, plan, (update("mail.contact", number, phone=OneOf(phone_forms(new))),))
