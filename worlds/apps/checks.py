"""What must have changed in the end, and nothing else: rows compared field by field."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from turnwise.worlds.apps.store import Change

__all__ = ["Write", "same", "writes_of"]

IGNORED = {"mails": ("read",), "messages": ("read",)}
"""Read marks: looking is not damage."""
_KEYS = {"mails": "mail_id", "messages": "message_id", "payments": "payment_id", "tasks": "task_id",
         "events": "event_id", "notes": "note_id", "playlists": "playlist_id", "cart": "item_id",
         "reminders": "reminder_id"}  # fmt: skip


class Write(NamedTuple):
    """A change of one row.

    Attributes:
        table: The table.
        key: Of the row; 0 for a new one, whose number does not matter.
        fields: Names and values after it; empty for a row that is gone.
    """

    table: str
    key: int
    fields: tuple[tuple[str, Any], ...]


def made(table: str, fields: Mapping[str, Any]) -> Write:
    """Return the write of a new row."""
    return Write(table, 0, tuple(sorted(fields.items())))


def writes_of(changes: Sequence[Change]) -> list[Write]:
    """Return the writes, without read marks and the numbers of new rows."""
    found = []
    for table, key, before, after in changes:
        ignored = IGNORED.get(table, ())
        if after is None:
            found.append(Write(table, key, ()))
        elif before is None:
            own = {_KEYS.get(table, next(iter(after))), "owner"}
            found.append(made(table, {name: value for name, value in after.items() if name not in own}))
        else:
            fields = {n: v for n, v in after.items() if before.get(n) != v and n not in ignored}
            if fields:
                found.append(Write(table, key, tuple(sorted(fields.items()))))
    return found


def same(wanted: Sequence[Write], found: Sequence[Write]) -> bool:
    """Return whether two lists of writes agree, in whatever order."""
    return Counter(map(repr, wanted)) == Counter(map(repr, found))
