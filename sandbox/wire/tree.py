"""The files that a session has left behind, as they are read and as they travel.

A process that runs none of the session's code reads them after everything that the session had started is dead: what
it has done to its shell, to programs on its path, to links and permissions does not change what is seen.
"""

import errno
import os
import stat
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

__all__ = ["Entries", "Entry", "pack", "read", "unpack"]

Kind = Literal["file", "directory", "link", "other"]
_KINDS: dict[str, Kind] = {"f": "file", "d": "directory", "l": "link", "o": "other"}
_MOST_NAME_BYTES = 1 << 20  # of all paths together
_MOST_DEPTH = 100


class Entry(NamedTuple):
    """What stands at a path.

    Attributes:
        kind: "other" is a pipe, a socket or a device.
        mode: Permission bits; of a link they mean nothing.
        contents: A file's bytes; a link's target.
        links: How many names a file has.
    """

    kind: Kind
    mode: int = 0
    contents: bytes = b""
    links: int = 1


Entries = dict[str, Entry]
"""Entries by path, in the order of the paths; bytes that are not UTF-8 are lone surrogates, as in ``os.fsdecode``."""


def read(folder: str, most_bytes: int) -> Entries:
    """Return everything below a directory, opening what its owner has shut.

    Args:
        folder: The directory itself, not a link to it.
        most_bytes: Most bytes of all contents together.

    Raises:
        OSError: It is not a directory, or there is too much in it.
    """
    found: Entries = {}
    name_bytes = 0
    waiting = [""]
    while waiting:
        inside = waiting.pop()
        place = f"{folder}/{inside}" if inside else folder
        mode = os.lstat(place).st_mode
        if not stat.S_ISDIR(mode):
            raise NotADirectoryError(errno.ENOTDIR, "not a directory")
        if mode & 0o700 != 0o700:
            os.chmod(place, 0o700)
        for name in os.listdir(place):
            path = f"{inside}/{name}" if inside else name
            name_bytes += len(path)
            entry, size = _entry(f"{folder}/{path}", most_bytes)
            most_bytes -= size
            if name_bytes > _MOST_NAME_BYTES or path.count("/") > _MOST_DEPTH:
                raise OSError(errno.ENAMETOOLONG, "too many or too long paths")
            found[path] = entry
            if entry.kind == "directory":
                waiting.append(path)
    return dict(sorted(found.items()))


def _entry(place: str, most_bytes: int) -> tuple[Entry, int]:
    seen = os.lstat(place)
    mode = stat.S_IMODE(seen.st_mode)
    if stat.S_ISDIR(seen.st_mode):
        return Entry("directory", mode), 0
    if stat.S_ISLNK(seen.st_mode):
        target = os.fsencode(os.readlink(place))
        return Entry("link", mode, target), len(target)
    if not stat.S_ISREG(seen.st_mode):
        return Entry("other", mode), 0
    if seen.st_size > most_bytes:
        raise OSError(errno.EFBIG, "too many bytes")
    if not mode & 0o400:
        os.chmod(place, 0o600)
    with open(os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        return Entry("file", mode, file.read(seen.st_size), seen.st_nlink), seen.st_size


def pack(entries: Mapping[str, Entry]) -> tuple[dict[str, Any], list[bytes]]:
    """Return entries as a flat message and its raw part."""
    message = {
        "paths": list(entries),
        "kinds": "".join(entry.kind[0] for entry in entries.values()),
        "modes": [entry.mode for entry in entries.values()],
        "sizes": [len(entry.contents) for entry in entries.values()],
        "links": [entry.links for entry in entries.values()],
    }
    return message, [b"".join(entry.contents for entry in entries.values())]


def unpack(message: dict[str, Any], blobs: list[bytes]) -> Entries:
    """Return the entries of a message; raise ``ValueError`` if it is malformed."""
    paths, kinds = message.get("paths"), message.get("kinds")
    numbers = [message.get(name) for name in ("modes", "sizes", "links")]
    if not isinstance(paths, list) or not all(type(path) is str for path in paths) or type(kinds) is not str:
        raise ValueError("a tree without paths or kinds")
    for column in numbers:
        if not isinstance(column, list) or not all(type(number) is int and number >= 0 for number in column):
            raise ValueError("a column of a tree without whole numbers")
    modes, sizes, links = (column for column in numbers if column is not None)
    if len({len(column) for column in (paths, kinds, modes, sizes, links)}) > 1 or not set(kinds) <= set(_KINDS):
        raise ValueError("columns that do not fit together")
    if len(blobs) != 1 or sum(sizes) != len(blobs[0]):
        raise ValueError("contents that do not fit the sizes")
    found: Entries = {}
    position = 0
    for path, kind, mode, size, names in zip(paths, kinds, modes, sizes, links, strict=True):
        found[path] = Entry(_KINDS[kind], mode, blobs[0][position : position + size], names)
        position += size
    return found
