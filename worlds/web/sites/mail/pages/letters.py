"""Writing mails: new ones, replies, forwarded ones, drafts."""

from typing import Any, NamedTuple

from turnwise.worlds.web.site import Answered, NotFound, Pages, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.mail.pages.contacts import addresses, picker

__all__ = ["letters", "mail_of"]

letters = Pages()


class _Letter(NamedTuple):
    """What is being written: a new mail, a reply (``thread``), a forwarded mail, or a draft of one of them."""

    draft: int = 0
    thread: int = 0
    forward_of: int = 0
    to: str = ""
    subject: str = ""
    body: str = ""


def mail_of(visit: Visit, number: int) -> dict[str, Any]:
    """Return a mail of the user."""
    names = ("folder", "thread", "forward_of", "name", "sender", "recipients", "subject", "body", "sent")
    row = visit.row(f"SELECT {', '.join(names)} FROM mail WHERE id = ? AND owner = ?", number, visit.user)
    return dict(zip(names, row, strict=True))


@letters.page("/compose", signed_in=True)
def compose(visit: Visit) -> Answered:
    """Show the form for a mail."""
    return _compose_form(visit, _letter(visit), {})


def _letter(visit: Visit) -> _Letter:
    draft, reply, forward = visit.whole("draft"), visit.whole("reply"), visit.whole("forward")
    if draft:
        row = mail_of(visit, draft)
        if row["folder"] != "drafts":
            raise NotFound
        return _Letter(draft, row["thread"], row["forward_of"], row["recipients"], row["subject"], row["body"])
    if reply:
        row = mail_of(visit, reply)
        mine = row["folder"] == "sent"
        subject = row["subject"] if row["subject"].startswith("Re: ") else f"Re: {row['subject']}"
        return _Letter(0, row["thread"] or reply, 0, row["recipients"] if mine else row["sender"], subject)
    if forward:
        return _Letter(0, 0, forward, "", f"Fwd: {mail_of(visit, forward)['subject']}")
    contact = visit.whole("contact")
    to = visit.row("SELECT email FROM contact WHERE id = ? AND owner = ?", contact, visit.user) if contact else ""
    signature = visit.get("SELECT value FROM setting WHERE owner = ? AND name = 'signature'", visit.user)
    return _Letter(to=to, body=f"\n\n{signature}" if signature else "")


def _compose_form(visit: Visit, letter: _Letter, wrong: dict[str, str]) -> Answered:
    reply, forward = visit.whole("reply"), visit.whole("forward")
    fields: list[Markup] = [m.hidden("draft", letter.draft), m.hidden("reply", reply), m.hidden("forward", forward)]
    if letter.thread:
        fields.append(m.definitions([("To", letter.to), ("Subject", letter.subject)]))
    else:
        fields += [
            m.field("To", "to", letter.to, error=wrong.get("to", ""), placeholder="Mail addresses"),
            picker(visit),
        ]
        if letter.forward_of:
            fields.append(
                m.definitions(
                    [("Subject", letter.subject), ("Forwarded", "the whole mail is attached below your text")]
                )
            )
        else:
            fields.append(m.field("Subject", "subject", letter.subject, error=wrong.get("subject", "")))
    fields.append(m.area("Text", "body", letter.body, wrong.get("body", "")))
    buttons = [m.button("Send", name="do", value="send"), m.button("Save draft", name="do", value="save")]
    title = "Reply" if letter.thread else "Forward" if letter.forward_of else "New mail"
    form = m.form("/compose", fields, buttons, submit=None)
    if not letter.draft:
        return visit.show(title, form)
    discard = m.form(
        "/mails",
        m.hidden("mail", letter.draft),
        m.hidden("back", "/folder/drafts"),
        m.button("Discard draft", name="do", value="discard"),
        submit=None,
    )
    return visit.show(title, form, discard)


@letters.action("/compose")
def send(visit: Visit) -> Answered:
    """Send a mail, or save it as a draft."""
    letter, sends = _letter(visit), visit.text("do") != "save"
    wrong = {}
    letter = letter._replace(body=visit.text("body"))
    if not letter.thread:
        to, error = addresses(visit.text("to"), visit.lists.get("pick", []))
        if error:
            wrong["to"] = error
        elif sends and not to:
            wrong["to"] = "Say to whom the mail goes."
        letter = letter._replace(to=visit.text("to") if wrong else to)
        if not letter.forward_of:
            letter = letter._replace(subject=visit.text("subject")[:200])
    if sends and not letter.subject:
        wrong["subject"] = "A mail needs a subject."
    if sends and not letter.body and not letter.forward_of:
        wrong["body"] = "The mail has no text."
    if len(letter.body) > 20000:
        wrong["body"] = "The text is too long: at most 20000 characters."
    if wrong:
        return _compose_form(visit, letter, wrong)
    name, email = visit.row("SELECT name, email FROM account WHERE id = ?", visit.user)
    folder, now = "sent" if sends else "drafts", f"{visit.now:%Y-%m-%d %H:%M}"
    new = {"owner": visit.user, "thread": letter.thread, "forward_of": letter.forward_of, "name": name, "sender": email}
    values = {"folder": folder, "recipients": letter.to, "subject": letter.subject, "body": letter.body, "sent": now}
    visit.save("mail", letter.draft, new, **values)
    return visit.redirect(
        "/" if sends else "/folder/drafts", flash="The mail is sent." if sends else "The draft is saved."
    )
