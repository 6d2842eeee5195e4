r"""A folder of text files as a dictionary, with an agent's operations: list, view, search, edit, write, delete.

Every function takes ``files`` (relative path to text) first and returns text for the agent; mistakes by the agent raise
``ValueError`` with a message for it. Nothing here touches a disk, and a path is only a key: one that leaves the folder
is refused because it cannot be a file in it.

>>> files = {"a.py": "def f(x):\n    return x - 1\n"}
>>> view(files, "a.py", 2)
'a.py, lines 2 to 2 of 2:\n2\t    return x - 1'
>>> edit(files, "a.py", "x - 1", "x + 1")
'a.py, line 2: replaced.'
>>> files["a.py"].splitlines()[1]
'    return x + 1'
"""

import difflib
from collections.abc import Collection, Mapping, MutableMapping
from typing import NamedTuple

__all__ = [
    "MAX_FILES",
    "MAX_FILE_CHARS",
    "Change",
    "changes",
    "delete",
    "difference",
    "edit",
    "known",
    "list_files",
    "search",
    "view",
    "write",
]

MAX_FILE_CHARS = 200_000
"""The longest file that an agent may write."""
MAX_FILES = 1000
"""The maximum number of files in a workspace."""
_MAX_PATH = 200  # bytes
_MAX_HITS = 50
_MAX_SHOWN_LINE = 500
_MAX_LINES = 400  # per view


class Change(NamedTuple):
    """One edit: ``old`` occurs exactly once in the file and is replaced by ``new``.

    Attributes:
        path: The file.
        old: Whole lines, without the final line break.
        new: The same; may be empty.
    """

    path: str
    old: str
    new: str


def known(files: Mapping[str, str], path: str) -> str:
    """Normalise a path as written in the workspace.

    Raises:
        ValueError: The file does not exist.
    """
    name = _relative(path)
    if name not in files:
        close = difflib.get_close_matches(name, files, 3)
        raise ValueError(f"there is no file {path[:_MAX_PATH]!r}; " + ("did you mean " if close else "there are ")
                         + ", ".join(close or sorted(files)[:20]))  # fmt: skip
    return name


def list_files(files: Mapping[str, str], folder: str = "") -> str:
    """List the files of a folder, one per line, with their lengths."""
    start = f"{_relative(folder)}/" if folder.strip("./ ") else ""
    found = [path for path in sorted(files) if path.startswith(start)]
    if not found:
        raise ValueError(f"there is no folder {folder[:_MAX_PATH]!r}")
    return "\n".join(f"{path} ({_count(files[path])} lines)" for path in found)


def view(files: Mapping[str, str], path: str, start: int = 1, end: int | None = None) -> str:
    """Show lines of a file, numbered from 1, both ends included; 400 at most.

    Raises:
        ValueError: The file or the lines do not exist.
    """
    name = known(files, path)
    lines = _lines(files[name])
    if not lines:
        return f"{name} is empty."
    last = len(lines) if end is None else min(end, len(lines))
    if not 1 <= start <= last:
        wanted = f"line {start}" if end is None else f"lines {start} to {end}"
        raise ValueError(f"{name} has lines 1 to {len(lines)}, but not {wanted}")
    shown = min(last, start + _MAX_LINES - 1)
    numbered = [f"{number}\t{_short(lines[number - 1])}" for number in range(start, shown + 1)]
    return "\n".join([f"{name}, lines {start} to {shown} of {len(lines)}:", *numbered])


def search(files: Mapping[str, str], text: str, folder: str = "") -> str:
    """Find the lines that contain a text, as ``path:line: content``; the first 50.

    Raises:
        ValueError: The text is empty or has several lines.
    """
    if not text.strip() or "\n" in text:
        raise ValueError("give a text of one line to search for")
    start = f"{_relative(folder)}/" if folder.strip("./ ") else ""
    hits = [
        f"{path}:{number}: {_short(line)}"
        for path in sorted(files)
        if path.startswith(start) and text in files[path]
        for number, line in enumerate(_lines(files[path]), 1)
        if text in line
    ]
    if not hits:
        return "No line contains it."
    more = [f"... and {len(hits) - _MAX_HITS} more"] if len(hits) > _MAX_HITS else []
    return "\n".join(hits[:_MAX_HITS] + more)


def edit(files: MutableMapping[str, str], path: str, old: str, new: str, kept: Collection[str] = ()) -> str:
    """Replace ``old``, which must occur exactly once in the file, with ``new``.

    Args:
        files: Changed in place.
        path: An existing file.
        old: Not empty.
        new: May be empty: then ``old`` is removed, with its line break if it is whole lines.
        kept: Files that the agent may not change.

    Raises:
        ValueError: The file does not exist, ``old`` is empty, absent or not unique, nothing would change, or the result
            is too long.
    """
    name = _writable(files, path, kept)
    text = files[name]
    if not old:
        raise ValueError("old is empty; give the text that is to be replaced, as it stands in the file")
    at = text.find(old)
    if at < 0:
        raise ValueError(f"old does not occur in {name}; give it as it is in the file, spaces too{_nearest(text, old)}")
    if text.find(old, at + 1) >= 0:
        raise ValueError(f"old occurs more than once in {name}; give more of the lines around it")
    if old == new:
        raise ValueError("old and new are the same")
    end = at + len(old)
    whole = (at == 0 or text[at - 1] == "\n") and text[end : end + 1] == "\n"
    if not new and whole:
        end += 1
    files[name] = _bounded(name, text[:at] + new + text[end:])
    return f"{name}, line {text.count(chr(10), 0, at) + 1}: replaced."


def write(files: MutableMapping[str, str], path: str, content: str, kept: Collection[str] = ()) -> str:
    """Create a file or replace its content; a line break is added after the last line.

    Raises:
        ValueError: The path leaves the folder or passes through a file; the content is too long; there are too many
            files.
    """
    name = _relative(path)
    _not_kept(name, kept)
    if name not in files:
        folders = [name[:at] for at, character in enumerate(name) if character == "/"]
        if any(folder in files for folder in folders) or any(other.startswith(f"{name}/") for other in files):
            raise ValueError(f"{name!r} cannot be a file here: a file or folder is in its way")
        if len(files) >= MAX_FILES:
            raise ValueError(f"there are {MAX_FILES} files already")
    files[name] = _bounded(name, content if content.endswith("\n") or not content else content + "\n")
    return f"{name}: written, {_count(files[name])} lines."


def delete(files: MutableMapping[str, str], path: str, kept: Collection[str] = ()) -> str:
    """Delete a file.

    Raises:
        ValueError: The file does not exist, or must be kept.
    """
    name = _writable(files, path, kept)
    del files[name]
    return f"{name}: deleted."


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Return all differences as a unified diff; empty if there are none."""
    parts: list[str] = []
    for path in sorted({*before, *after}):
        if before.get(path) != after.get(path):
            one, other = _lines(before.get(path, "")), _lines(after.get(path, ""))
            parts += difflib.unified_diff(one, other, f"a/{path}", f"b/{path}", lineterm="")
    return "\n".join(parts)


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[Change]:
    r"""Return edits that turn ``before`` into ``after`` in the files of both, each as short as possible.

    If applied in order, each ``old`` occurs exactly once in the file as it is then. Files for which that is impossible,
    such as empty ones, are left out; so are files that only one of them has.

    >>> changes({"a": "x = 1\ny = 2\n"}, {"a": "x = 1\ny = 3\n"})
    [Change(path='a', old='y = 2', new='y = 3')]
    """
    found: list[Change] = []
    for path in sorted(before):
        if path in after and before[path] != after[path]:
            found += _changes(path, before[path], after[path])
    return found


def _changes(path: str, before: str, after: str) -> list[Change]:
    found: list[Change] = []
    text, goal = before, after.split("\n")
    for _ in range(len(goal) + text.count("\n") + 2):
        if text == after:
            return found
        have = text.split("\n")
        blocks = [o for o in difflib.SequenceMatcher(None, have, goal, autojunk=False).get_opcodes() if o[0] != "equal"]
        _, a, b, c, d = blocks[0]
        change = _widened(path, text, have, goal, (a, b, c, d))
        if change is None:
            return []
        found.append(change)
        text = text.replace(change.old, change.new, 1)
    return []


def _widened(path: str, text: str, have: list[str], goal: list[str], block: tuple[int, int, int, int]) -> Change | None:
    """Return the change of one block of lines, with enough lines around it to be unique and not end blank."""
    a, b, c, d = block
    while True:
        old, new = "\n".join(have[a:b]), "\n".join(goal[c:d])
        told = old.strip() and new.strip() and not old.endswith("\n") and not new.endswith("\n")
        if told and text.find(old) == text.rfind(old):
            return Change(path, old, new)
        above = a > 0 and c > 0 and have[a - 1] == goal[c - 1]
        below = b < len(have) and d < len(goal) and have[b] == goal[d]
        if not above and not below:
            return None
        if above:
            a, c = a - 1, c - 1
        if below:
            b, d = b + 1, d + 1


# ---- paths and texts ----------------------------------------------------------------------------------------------


def _relative(path: str) -> str:
    """Strip a leading ``./`` from a path."""
    name = path.strip().removeprefix("./")
    inside = len(name.encode(errors="replace")) <= _MAX_PATH and all(
        part not in ("", ".", "..") for part in name.split("/")
    )
    if not inside or not name.isprintable() or "\\" in name:
        raise ValueError(f"{path[:_MAX_PATH]!r} is not a path here; give a path inside the folder, such as 'a.py'")
    return name


def _writable(files: Mapping[str, str], path: str, kept: Collection[str]) -> str:
    name = known(files, path)
    _not_kept(name, kept)
    return name


def _not_kept(name: str, kept: Collection[str]) -> None:
    if name in kept:
        raise ValueError(f"{name} may not be changed")


def _bounded(name: str, text: str) -> str:
    if len(text) > MAX_FILE_CHARS:
        raise ValueError(f"{name} would have {len(text)} characters; at most {MAX_FILE_CHARS}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} would hold characters that are no text (lone surrogates)") from error
    return text


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _count(text: str) -> int:
    return len(_lines(text))


def _short(line: str) -> str:
    return line if len(line) <= _MAX_SHOWN_LINE else f"{line[:_MAX_SHOWN_LINE]} ..."


def _nearest(text: str, old: str) -> str:
    """Return where the first line of ``old`` occurs, ignoring spaces, to help an agent with wrong indentation."""
    wanted = old.strip().split("\n")[0].strip()
    if len(wanted) < 4:
        return ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() == wanted:
            return f"; its first line looks like line {number}: {_short(line)!r}"
    return ""
