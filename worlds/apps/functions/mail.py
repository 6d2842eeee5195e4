"""The functions of mail."""

from typing import Any

from turnwise.worlds.apps.api import Apps, require
from turnwise.worlds.apps.functions.common import book_of
from turnwise.worlds.apps.rows import Table

__all__ = ["BOOK"]

MAIL = Table(
    "mails",
    "mail_id",
    "mail",
    ("mail_id", "folder", "sender", "subject", "sent_at", "read", "starred"),
    search=("subject", "body"),
)
DRAFT = Table("drafts", "draft_id", "draft", ("draft_id", "recipients", "subject"), search=("subject", "body"))
FOLDERS = ("inbox", "sent", "archive", "spam", "bin")
BOOK = book_of("mail", {"folder": "One of inbox, sent, archive, spam, bin.", "recipients": "Mail addresses."})

BOOK.lists(
    "search_mails", MAIL, "List mails, newest first.",
    "query:str? folder:str? sender:str? read:bool? starred:bool? labels:str? sent_at_from:date? sent_at_until:date?",
    order="-sent_at",
)  # fmt: skip
BOOK.lists("list_inbox", MAIL, "List the inbox, newest first.", "", lambda row: row["folder"] == "inbox", "-sent_at")
BOOK.lists("list_sent", MAIL, "List sent mails, newest first.", "", lambda row: row["folder"] == "sent", "-sent_at")
BOOK.shows("show_mail", MAIL, "Show a mail with its text.")
BOOK.lists("list_drafts", DRAFT, "List drafts.", "query:str?")
BOOK.shows("show_draft", DRAFT, "Show a draft.")
BOOK.creates("create_draft", DRAFT, "Create a draft.", "recipients:strs subject:str body:str")
BOOK.updates("update_draft", DRAFT, "Change a draft.", "recipients:strs? subject:str? body:str?")
BOOK.deletes("delete_draft", DRAFT, "Delete a draft.")
BOOK.sets("mark_read", MAIL, "Mark a mail as read.", read=True)
BOOK.sets("mark_unread", MAIL, "Mark a mail as unread.", read=False)
BOOK.sets("star", MAIL, "Star a mail.", starred=True)
BOOK.sets("unstar", MAIL, "Remove the star of a mail.", starred=False)
BOOK.sets("archive", MAIL, "Move a mail to the archive.", folder="archive")
BOOK.sets("move_to_bin", MAIL, "Move a mail to the bin.", folder="bin")
BOOK.sets("report_spam", MAIL, "Move a mail to the spam folder.", folder="spam")
BOOK.deletes("delete_mail", MAIL, "Delete a mail for good.")
BOOK.members("add_label", "remove_label", MAIL, "label", "labels")


def sent(apps: Apps, recipients: Any, subject: str, body: str) -> Any:
    """Put a mail into the folder of sent ones."""
    require(recipients and all("@" in each for each in recipients), "recipients must be mail addresses")
    row = {"folder": "sent", "sender": apps.me, "recipients": tuple(recipients), "subject": subject, "body": body}
    made = apps.store.insert(
        "mails", "mail_id", {**row, "sent_at": apps.now, "read": True, "starred": False, "labels": ()}
    )
    return {"message": "The mail was sent.", "mail_id": made["mail_id"]}


@BOOK.by_hand("send_mail", "recipients:strs subject:str body:str", "Send a mail.", "A message and the mail_id.")
def _send(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    return sent(apps, given["recipients"], given["subject"], given["body"])


@BOOK.by_hand("reply", "mail_id:int body:str", "Reply to the sender of a mail.", "A message and the mail_id.")
def _reply(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    mail = apps.mine("mails", "mail_id", given["mail_id"], user, "mail")
    return sent(apps, [mail["sender"]], f"Re: {mail['subject']}", given["body"])


@BOOK.by_hand("forward", "mail_id:int recipients:strs", "Forward a mail.", "A message and the mail_id.")
def _forward(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    mail = apps.mine("mails", "mail_id", given["mail_id"], user, "mail")
    return sent(apps, given["recipients"], f"Fwd: {mail['subject']}", mail["body"])


@BOOK.by_hand("send_draft", "draft_id:int", "Send a draft and delete it.", "A message and the mail_id.")
def _send_draft(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    draft = apps.mine("drafts", "draft_id", given["draft_id"], user, "draft")
    answer = sent(apps, draft["recipients"], draft["subject"], draft["body"])
    apps.store.delete("drafts", given["draft_id"])
    return answer
