"""The functions of notes and files."""

from typing import Any

from turnwise.worlds.apps.api import Apps, require
from turnwise.worlds.apps.functions.common import book_of
from turnwise.worlds.apps.rows import Table

__all__ = ["BOOK"]

NOTE = Table("notes", "note_id", "note", ("note_id", "title", "changed_at", "pinned"), search=("title", "body"))
FILE = Table("files", "file_id", "file", ("file_id", "path", "size"), search=("path",))
BOOK = book_of("notes", {"path": "Such as /home/plans/march.txt."})

BOOK.lists(
    "search_notes",
    NOTE,
    "List notes.",
    "query:str? tags:str? pinned:bool? changed_at_from:date? changed_at_until:date?",
)
BOOK.shows("show_note", NOTE, "Show a note with its text.")
BOOK.creates(
    "create_note", NOTE, "Create a note.", 'title:str body:str="" tags:strs=[]', {"pinned": False, "changed_at": "now"}
)
BOOK.updates("update_note", NOTE, "Change a note.", "title:str? body:str?")
BOOK.deletes("delete_note", NOTE, "Delete a note.")
BOOK.sets("pin_note", NOTE, "Pin a note.", pinned=True)
BOOK.sets("unpin_note", NOTE, "Unpin a note.", pinned=False)
BOOK.members("add_tag", "remove_tag", NOTE, "tag", "tags")
BOOK.lists("search_files", FILE, "List files.", "query:str? min_size:int? max_size:int?")
BOOK.shows("show_file", FILE, "Show a file with its contents.")
BOOK.deletes("delete_file", FILE, "Delete a file.")


def _free(apps: Apps, user: str, given: dict[str, Any]) -> None:
    taken = any(row["path"] == given["path"] for row in apps.store.rows("files"))
    require(not taken, "there is a file with this path", 409)
    require(given["path"].startswith("/"), "path must start with /")


BOOK.updates("move_file", FILE, "Move or rename a file.", "path:str", _free)


@BOOK.by_hand("create_file", "path:str contents:str", "Create a file.", "A message and the file_id.")
def _create(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    _free(apps, user, given)
    row = {
        "path": given["path"],
        "contents": given["contents"],
        "size": len(given["contents"].encode("utf-8", "replace")),
    }
    made = apps.store.insert("files", "file_id", row)
    return {"message": "The file was created.", "file_id": made["file_id"]}


@BOOK.by_hand("append_to_note", "note_id:int line:str", "Append a line to a note.")
def _append(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    note = apps.mine("notes", "note_id", given["note_id"], user, "note")
    require(len(note["body"]) + len(given["line"]) <= 50_000, "the note would be too long")
    apps.store.update("notes", given["note_id"], {"body": f"{note['body']}\n{given['line']}".strip("\n")})
    return {"message": "The note was updated."}
