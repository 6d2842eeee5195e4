"""A file system: folders and text files under absolute paths."""

import datetime
from collections import Counter
from collections.abc import Iterator

from turnwise.core.draw import Draw
from turnwise.worlds.calls.api import Answer, Api, Do, Place, Request, asked, dump
from turnwise.worlds.desks.declare import desk_tool
from turnwise.worlds.desks.said import Said, number, words
from turnwise.worlds.desks.store import Row, Store, Tables
from turnwise.worlds.names import TOWNS, listed

__all__ = ["FILES"]

FOLDERS = listed("archive drafts invoices minutes notes plans reports travel")
KINDS = listed("agenda budget checklist contract estimate forecast inventory letter memo outline protocol summary")
TOPICS = listed(
    "boiler canteen elevator fountain garage greenhouse harbour lighthouse orchard pavilion quarry windmill"
)
LINES = (
    "Ask {town} for the {topic} drawings.", "The {topic} in {town} is finished.", "Costs for the {topic}: see {town}.",
    "Nobody has looked at the {topic} yet.", "Call the {town} office first.", "Next visit: {town}.",
    "Keep a copy for the auditors.", "Still open: paint, doors, lighting.", "Thanks to everybody in {town}.",
)  # fmt: skip
MAX_TEXT = 4000


def _path(text: str) -> str:
    path = "/" + "/".join(part for part in text.split("/") if part)
    if len(path) > 200 or any(part in (".", "..") for part in path.split("/")):
        raise ValueError("a path is absolute, like /notes/memo.txt, and has no . or ..")
    return path


def _file(store: Store, path: str) -> Row:
    row = store.row("files", _path(path))
    if row["kind"] != "file":
        raise ValueError(f"{path} is a folder")
    return row


def _free(store: Store, path: str) -> str:
    """Return the path if something can be put there."""
    path = _path(path)
    parent = path.rpartition("/")[0] or "/"
    if store.get("files", path) is not None or path == "/":
        raise ValueError(f"{path} exists already")
    above = store.get("files", parent)
    if parent != "/" and (above is None or above["kind"] != "folder"):
        raise ValueError(f"there is no folder {parent}")
    return path


def _within(store: Store, folder: str) -> Iterator[tuple[str, Row]]:
    folder = _path(folder)
    if folder != "/" and store.row("files", folder)["kind"] != "folder":
        raise ValueError(f"{folder} is not a folder")
    prefix = folder.rstrip("/") + "/"
    return ((path, row) for path, row in store.rows("files") if path.startswith(prefix))


def list_folder(store: Store, path: str) -> str:
    """List what is directly in a folder."""
    depth = len([part for part in path.split("/") if part]) + 1
    found = [(p, row) for p, row in _within(store, path) if p.count("/") == depth]
    return dump([{"path": p, "kind": row["kind"]} for p, row in sorted(found, key=lambda one: one[0])])


def read_file(store: Store, path: str) -> str:
    """Show the text of a file."""
    return dump({"path": path, "text": _file(store, path)["text"]})


def create_file(store: Store, path: str, text: str) -> str:
    """Create a new file with a text."""
    if len(text) > MAX_TEXT:
        raise ValueError(f"a text has at most {MAX_TEXT} characters")
    path = _free(store, path)
    store.put("files", path, {"kind": "file", "text": text})
    return dump({"created": path})


def append_line(store: Store, path: str, line: str) -> str:
    """Add a line at the end of a file."""
    text = _file(store, path)["text"]
    if "\n" in line or len(text) + len(line) > MAX_TEXT:
        raise ValueError(f"that must be one line, and a file has at most {MAX_TEXT} characters")
    store.change("files", _path(path), text=f"{text}\n{line}" if text else line)
    return dump({"path": path, "lines": text.count("\n") + 1 + bool(text)})


def create_folder(store: Store, path: str) -> str:
    """Create an empty folder."""
    path = _free(store, path)
    store.put("files", path, {"kind": "folder", "text": ""})
    return dump({"created": path})


def move_file(store: Store, source: str, target: str) -> str:
    """Move or rename a file; the target is its full new path."""
    row = _file(store, source)
    target = _free(store, target)
    store.put("files", target, row)
    store.remove("files", _path(source))
    return dump({"moved": target})


def copy_file(store: Store, source: str, target: str) -> str:
    """Copy a file; the target is the full path of the copy."""
    row = _file(store, source)
    target = _free(store, target)
    store.put("files", target, row)
    return dump({"copied": target})


def delete_path(store: Store, path: str) -> str:
    """Delete a file or an empty folder."""
    row = store.row("files", _path(path))
    if row["kind"] == "folder" and any(True for _ in _within(store, path)):
        raise ValueError(f"{path} is not empty")
    store.remove("files", _path(path))
    return dump({"deleted": _path(path)})


def find_files(store: Store, folder: str, name: str) -> str:
    """Find the files anywhere below a folder whose name contains a text."""
    found = [p for p, row in _within(store, folder) if row["kind"] == "file" and name in p.rpartition("/")[2]]
    return dump(sorted(found))


def search_text(store: Store, folder: str, text: str) -> str:
    """Find the files anywhere below a folder whose text contains a text; case does not matter."""
    wanted = text.lower()
    found = [p for p, row in _within(store, folder) if row["kind"] == "file" and wanted in row["text"].lower()]
    return dump(sorted(found))


def fill(draw: Draw, rows: int, today: datetime.date) -> Tables:
    """Draw folders with files."""
    folders = draw.sample(FOLDERS, 5)
    files: dict[str, Row] = {f"/{folder}": {"kind": "folder", "text": ""} for folder in folders}
    topics = draw.shuffled(TOPICS)
    for place in range(rows):
        kind, town = draw.choice(KINDS), draw.choice(TOWNS).lower()
        path = f"/{draw.choice(folders)}/{kind}_{town}.{draw.either('txt', 'txt', 'md', 'tmp')}"
        name = path.rpartition("/")[2]
        if any(other.rpartition("/")[2] == name for other in files):
            continue
        own = topics[place] if place < 6 else ""
        lines = [draw.choice(LINES).format(town=draw.choice(TOWNS), topic=own or draw.choice(topics[6:]))
                 for _ in range(draw.integer(2, 9))]  # fmt: skip
        if own:
            lines[-1] = f"Costs for the {own}: see {draw.choice(TOWNS)}."
        files[path] = {"kind": "file", "text": "\n".join(lines)}
    return {"files": files}


# ---- what people ask for --------------------------------------------------------------------------------------------


def _texts(place: Place) -> list[str]:
    return [path for path, row in place.store.rows("files") if row["kind"] == "file"]


def _folders(place: Place) -> list[str]:
    return [path for path, row in place.store.rows("files") if row["kind"] == "folder"]


def _found(do: Do, name: str) -> str:
    return str(next(path for path in do("find_files", folder="/", name=name) if path.endswith(f"/{name}")))


def _unique(place: Place) -> list[str]:
    """Return the names that only one file has."""
    count = Counter(path.rpartition("/")[2] for path in _texts(place))
    return [name for name, times in count.items() if times == 1]


def _topic(place: Place) -> str | None:
    texts = [row["text"].lower() for _, row in place.store.rows("files")]
    own = [topic for topic in TOPICS if sum(topic in text for text in texts) == 1]
    return place.draw.choice(own) if own else None


def move_about(place: Place) -> Request | None:
    draw, topic = place.draw, _topic(place)
    if topic is None:
        return None
    folder = draw.choice(_folders(place))

    def program(do: Do) -> None:
        source = do("search_text", folder="/", text=topic)[0]
        target = f"{folder}/{source.rpartition('/')[2]}"
        do("move_file", source=source, target=target)
        do.memory["file"] = target

    text, blank = asked(draw, f"move the file that mentions the {topic} into the folder {folder}",
                        f"move the file that mentions the {topic} into another folder")  # fmt: skip
    return Request(text, program, blank, draw.either(f"Into {folder}.", f"{folder}, please.", folder))


def copy_into_new(place: Place) -> Request | None:
    draw, names = place.draw, _unique(place)
    if not names:
        return None
    name, folder = draw.choice(names), draw.choice(_folders(place))
    new = f"{folder}/{draw.choice(TOWNS).lower()}"

    def program(do: Do) -> None:
        source = _found(do, name)
        do("create_folder", path=new)
        do("copy_file", source=source, target=f"{new}/{name}")
        do.memory["file"] = f"{new}/{name}"

    text, _ = asked(draw, f"create the folder {new} and put a copy of {name} into it, under the same name")
    return Request(text, program)


def append(place: Place) -> Request | None:
    draw, names = place.draw, _unique(place)
    if not names:
        return None
    name, line = draw.choice(names), f"Checked on {place.today:%B} {place.today.day} by {draw.choice(TOWNS)}."

    def program(do: Do) -> None:
        path = _found(do, name)
        do("append_line", path=path, line=line)
        do.memory["file"] = path

    text, blank = asked(draw, f'add the line "{line}" at the end of {name}', f"add a line at the end of {name}")
    return Request(text, program, blank, draw.either(f'The line is "{line}"', f'It should say "{line}"'))


def clean(place: Place) -> Request | None:
    draw = place.draw
    junk = sorted({path.rpartition("/")[0] for path in _texts(place) if path.endswith(".tmp")})
    if not junk:
        return None
    folder = draw.choice(junk)

    def program(do: Do) -> Said:
        paths = do("find_files", folder=folder, name=".tmp")
        for path in paths:
            do("delete_path", path=path)
        do.memory.pop("file", None)
        do.memory["figure"] = str(len(paths))
        return number(len(paths))

    text, _ = asked(draw, f"delete all files in {folder} that end in .tmp")
    return Request(f"{text} And tell me how many there were.", program)


def rename_last(place: Place) -> Request | None:
    path = place.memory.get("file")
    if path is None or place.store.get("files", path) is None:
        return None
    draw = place.draw
    name = f"{draw.choice(KINDS)}_final.txt"
    target = f"{path.rpartition('/')[0]}/{name}"
    if place.store.get("files", target) is not None:
        return None

    def program(do: Do) -> None:
        do("move_file", source=path, target=target)
        do.memory["file"] = target

    text, blank = asked(draw, f"rename the file that you worked on last to {name}, in the same folder",
                        "give the file that you worked on last another name, in the same folder")  # fmt: skip
    return Request(text, program, blank, draw.either(f"{name}.", f"Call it {name}", name), back=True)


def note_figure(place: Place) -> Request | None:
    figure = place.memory.get("figure")
    if figure is None:
        return None
    draw = place.draw
    path = f"{draw.choice(_folders(place))}/{draw.choice(TOWNS).lower()}_figure.txt"
    if place.store.get("files", path) is not None:
        return None
    form = "1234.50" if "." in figure else "12"

    def program(do: Do) -> None:
        do("create_file", path=path, text=figure)
        do.memory["file"] = path

    text, _ = asked(draw, f"write the figure that I asked for last into a new file {path}")
    return Request(f"{text} Nothing but the number in it, in the form {form}.", program, back=True)


def lines(place: Place) -> Request | None:
    names = _unique(place)
    if not names:
        return None
    name = place.draw.choice(names)

    def program(do: Do) -> Said:
        count = do("read_file", path=_found(do, name))["text"].count("\n") + 1
        do.memory.pop("file", None)
        do.memory["figure"] = str(count)
        return number(count)

    return Request(place.draw.either(f"How many lines does {name} have?", f"How many lines long is {name}?"), program)


def where(place: Place) -> Request | None:
    topic = _topic(place)
    if topic is None:
        return None

    names = [path.rpartition("/")[2] for path in _texts(place)]

    def program(do: Do) -> Answer:
        name = do("search_text", folder="/", text=topic)[0].rpartition("/")[2]
        do.memory.pop("file", None)
        return Answer(words(name), tuple(words(other) for other in names if other != name))

    return Request(f"Which of my files mentions the {topic}?", program)


_PATH = "Absolute path, like /notes/memo.txt."
FILES = Api(
    "files",
    (
        desk_tool(list_folder, False, path="Absolute path of the folder."),
        desk_tool(read_file, False, path=_PATH),
        desk_tool(create_file, True, path=_PATH, text="The text."),
        desk_tool(append_line, True, path=_PATH, line="The line, without a line break."),
        desk_tool(create_folder, True, path="Absolute path of the new folder."),
        desk_tool(move_file, True, source=_PATH, target=_PATH),
        desk_tool(copy_file, True, source=_PATH, target=_PATH),
        desk_tool(delete_path, True, path=_PATH),
        desk_tool(find_files, False, folder="Where to look; / for everywhere.", name="Part of the file's name."),
        desk_tool(search_text, False, folder="Where to look; / for everywhere.", text="The text."),
    ),
    fill,
    (move_about, copy_into_new, append, clean, rename_last, note_figure),
    (lines, where),
    frozenset({"create_folder", "delete_path"}),
)
