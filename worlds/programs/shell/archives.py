"""Compressed files, archives and checksum lists: writing them, and reading untrusted ones.

Input may be hostile: nothing is unpacked to a file, and sizes are bounded.
"""

import gzip
import hashlib
import io
import os
import tarfile
import zlib
from collections.abc import Mapping

__all__ = ["archive_of", "gunzipped", "members", "members_text", "sums_line", "unpacked"]

_MAX_UNPACKED = 4 << 20  # bytes
_BLOCK = 512


def sums_line(path: str, data: bytes) -> str:
    """Return the line of ``sha256sum`` for a file."""
    return f"{hashlib.sha256(data).hexdigest()}  {path}\n"


def members_text(files: Mapping[str, bytes]) -> bytes:
    """Write the regular files of an archive as one text, independent of order, dates and owners."""
    return b"".join(b"%d %b\n%b\n" % (len(data), os.fsencode(path), data) for path, data in sorted(files.items()))


def unpacked(data: bytes, packed: str) -> bytes | None:
    """Unpack a compressed file or an archive; None if it is neither, or much too large.

    >>> unpacked(gzip.compress(b"text"), "gzip")
    b'text'
    """
    plain = gunzipped(data)
    if plain is None or packed == "gzip":
        return plain
    inside = members(plain)
    return None if inside is None else members_text(inside)


def gunzipped(data: bytes) -> bytes | None:
    """Source: RFC 1952; a file may have several members in succession."""
    parts: list[bytes] = []
    size = 0
    while data:
        stream = zlib.decompressobj(wbits=31)
        try:
            parts.append(stream.decompress(data, _MAX_UNPACKED + 1 - size))
        except zlib.error:
            return None
        size += len(parts[-1])
        if not stream.eof or size > _MAX_UNPACKED or len(parts) > 100:
            return None
        data = stream.unused_data
    return b"".join(parts) if parts else None


def members(data: bytes) -> dict[str, bytes] | None:
    """Return the regular files of a tar archive; None if it is not one, or has links, devices or a repeated path.

    Source: POSIX pax interchange format (ustar), and GNU tar's long names.
    """
    found: dict[str, bytes] = {}
    position, long_name = 0, b""
    while position + _BLOCK <= len(data):
        block = data[position : position + _BLOCK]
        position += _BLOCK
        if not any(block):
            return found
        size, check = _octal(block[124:136]), _octal(block[148:156])
        if size is None or check != sum(block[:148]) + 8 * 32 + sum(block[156:]):
            return None
        content, kind = data[position : position + size], block[156:157]
        position += -(-size // _BLOCK) * _BLOCK
        if len(content) < size:
            return None
        if kind == b"L":
            long_name = content.rstrip(b"\0")
        elif kind == b"x":
            long_name = _pax_path(content) or long_name
        elif kind in (b"0", b"\0", b"5"):
            prefix = block[345:500].partition(b"\0")[0] if block[257:263] == b"ustar\0" else b""
            name = block[:100].partition(b"\0")[0]
            raw = long_name or (prefix + b"/" + name if prefix else name)
            path = "/".join(part for part in os.fsdecode(raw).split("/") if part not in ("", "."))
            long_name = b""
            if kind != b"5":
                if path in found or raw.startswith(b"/") or ".." in path.split("/"):
                    return None
                found[path] = content
        elif kind != b"g":
            return None
    return found if found else None


def _octal(field: bytes) -> int | None:
    text = field.strip(b" \0")
    return int(text, 8) if text and len(text) < 12 and all(digit in b"01234567" for digit in text) else None


def _pax_path(content: bytes) -> bytes:
    """Read the path of a pax header: records are "LENGTH KEY=VALUE" and a line break."""
    while content:
        length, blank, _ = content[:12].partition(b" ")
        if not blank or not length.isdigit() or not len(length) < int(length) <= len(content):
            return b""
        record, content = content[len(length) + 1 : int(length) - 1], content[int(length) :]
        if record.startswith(b"path="):
            return record[5:]
    return b""


def archive_of(files: Mapping[str, str | bytes]) -> bytes:
    """Make a compressed archive, with the same bytes each time."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, contents in files.items():
            data = contents.encode() if isinstance(contents, str) else contents
            member = tarfile.TarInfo(path)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(plain.getvalue(), 6, mtime=0)
