"""Goals about backups: archives within archives, broken ones, and files to be mended from them by checksum."""

import gzip
import io
import random
import zipfile
from dataclasses import dataclass, field
from typing import Self

from turnwise.worlds.programs.shell.archives import archive_of, sums_line
from turnwise.worlds.programs.shell.goal import Goal, renamed, written
from turnwise.worlds.programs.shell.tree import Tree, World, put

__all__ = ["Mend", "Nested", "Restore"]

_CORRUPT = ("truncated", "garbled", "tampered", "incomplete")


def _zip_of(files: dict[str, bytes]) -> bytes:
    """Make a zip archive, with the same bytes each time."""
    plain = io.BytesIO()
    with zipfile.ZipFile(plain, "w") as archive:
        for path, data in files.items():
            member = zipfile.ZipInfo(path)
            member.external_attr = 0o644 << 16
            archive.writestr(member, data, zipfile.ZIP_DEFLATED)
    return plain.getvalue()


@dataclass(frozen=True)
class Restore(Goal):
    """Restore a directory from the newest backup that is intact."""

    target: str
    good: str
    files: tuple[tuple[str, bytes], ...] = field(repr=False)

    place = "operations"
    tiers = (3, 4)
    work = (5, 4)
    reasons = (
        "The volume is gone and this is all that we have.",
        "I deleted the wrong directory, sorry.",
        "This is the yearly restore test, with the real backups.",
        "The database host does not come back and we need its files.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        names = [f"{draw.choice(('etc', 'db', 'www'))}/{world.name(draw.choice(('conf', 'sql', 'txt')), plain=True)}"
                 for _ in range(max(3, min(count // 3, 7)))]  # fmt: skip
        days = sorted(draw.sample(range(1, 29), 3 + world.tier))
        intact = draw.randint(0, len(days) - 2)
        month = f"{draw.randint(2021, 2024)}-{draw.randint(1, 12):02}"
        files: dict[str, bytes] = {name: world.text().encode() for name in names}
        chosen: dict[str, bytes] = {}
        for number, day in enumerate(days):
            files = {**files, draw.choice(names): world.text().encode()}
            sums = "".join(sums_line(name, data) for name, data in sorted(files.items()))
            inside: dict[str, str | bytes] = {**files, "SHA256SUMS": sums}
            data = archive_of(inside)
            if number == intact:
                chosen = files
            elif number > intact or draw.random() < 0.3:
                data = cls._spoilt(draw, inside, data, _CORRUPT[(number + day) % 4])
            place = f"{scope}/{draw.choice(('', '', 'offsite/'))}backup-{month}-{day:02}.tar.gz"
            put(world.tree, place, data)
            if number == intact:
                good = place
        world.put(f"{scope}/{world.name('md')}", world.text())
        return cls(scope, f"{scope}/restored", good, tuple(sorted(chosen.items())))

    @staticmethod
    def _spoilt(draw: random.Random, inside: dict[str, str | bytes], data: bytes, how: str) -> bytes:
        name = draw.choice([name for name in inside if name != "SHA256SUMS"])
        if how == "truncated":
            return data[: len(data) * draw.randint(40, 90) // 100]
        if how == "garbled":  # the checksum of gzip at the end
            return data[:-8] + bytes([data[-8] ^ 0x5A]) + data[-7:]
        if how == "tampered":
            return archive_of({**inside, name: "0" * 40 + "\n"})
        return archive_of({key: value for key, value in inside.items() if key != name})

    def wording(self) -> str:
        return (
            f"`{self.scope}` and `{self.scope}/offsite` hold nightly backups, `backup-DATE.tar.gz`. Some are damaged: "
            "they cannot be unpacked without an error, or a file in them is missing or differs from the list "
            "`SHA256SUMS` inside the archive. Unpack the newest backup that is wholly intact into a new directory "
            f"`{self.target}` (with the directories as in the archive, without its `SHA256SUMS`). The backups stay "
            f"where they are. Write the date of the one that you used to `{self.target}/FROM`."
        )

    def carry_out(self, tree: Tree) -> None:
        for path, data in self.files:
            written(tree, f"{self.target}/{path}", data)
        written(tree, f"{self.target}/FROM", self.good[-17:-7] + "\n")

    def python(self) -> str:
        return f"""
s = Path({self.scope!r})
for p in sorted([*s.glob('backup-*'), *s.glob('offsite/backup-*')], key=lambda p: p.name, reverse=True):
    try:
        plain = gzip.decompress(p.read_bytes())
        t = tarfile.open(fileobj=io.BytesIO(plain))
        files = dict((m.name, t.extractfile(m).read()) for m in t)
    except Exception:
        continue
    listed = [x.split('  ', 1) for x in files.pop('SHA256SUMS').decode().splitlines()]
    if all(n in files and hashlib.sha256(files[n]).hexdigest() == h for h, n in listed):
        for n in files:
            (s / 'restored' / n).parent.mkdir(parents=True, exist_ok=True)
            (s / 'restored' / n).write_bytes(files[n])
        (s / 'restored' / 'FROM').write_text(p.name[7:17] + '\\n')
        break
"""


@dataclass(frozen=True)
class Nested(Goal):
    """Extract some files from archives within archives."""

    ending: str
    files: tuple[tuple[str, bytes], ...] = field(repr=False)

    tiers = (2, 4)
    work = (4, 3)
    reasons = (
        "The supplier sends everything packed three times.",
        "Legal asks for these documents and nothing else.",
        "The export of the old system is one big parcel.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        ending = draw.choice(("csv", "eml", "xml"))
        parts: dict[str, str | bytes] = {"README.txt": world.text()}
        wanted: dict[str, bytes] = {}
        for number in range(2 + world.tier // 2):
            stem, inside = world.stem(plain=True), dict[str, bytes]()
            for position in range(max(3, min(count // 3, 6))):
                hit = position == 0 or draw.random() < 0.4
                extension = ending if hit else draw.choice(("txt", f"{ending}.old", "png"))
                inside[f"{draw.choice(('in', 'out', 'tmp'))}/{world.name(extension, plain=True)}"] = (
                    world.text().encode()
                )
            wanted |= {f"{stem}/{path}": data for path, data in inside.items() if path.endswith(f".{ending}")}
            if number % 2:
                parts[f"parts/{stem}.tar.gz"] = archive_of({**inside})
            else:
                parts[f"parts/{stem}.zip"] = _zip_of(inside)
        for path, data in [*wanted.items()][: world.tier > 2]:  # compressed once more
            parts[f"loose/{path.rpartition('/')[2]}.gz"] = gzip.compress(data + b"second copy\n", mtime=0)
        put(world.tree, f"{scope}/export.tar.gz", archive_of(parts))
        for _ in range(max(1, count // 4)):
            world.put(f"{scope}/{world.name(draw.choice((ending, 'txt')))}", world.text())
        return cls(scope, ending, tuple(sorted(wanted.items())))

    def wording(self) -> str:
        return (
            f"`{self.scope}/export.tar.gz` contains further archives in its directory `parts`, some `.zip` and some "
            f"`.tar.gz`. Get all files ending in `.{self.ending}` out of those inner archives and put them into "
            f"`{self.scope}/found/ARCHIVE/PATH`, where ARCHIVE is the name of the inner archive without its ending and "
            f"PATH is the file's path in it. Nothing else should be unpacked there, and `export.tar.gz` stays."
        )

    def carry_out(self, tree: Tree) -> None:
        for path, data in self.files:
            written(tree, f"{self.scope}/found/{path}", data)

    def python(self) -> str:
        return f"""
s = Path({self.scope!r})
outer = tarfile.open(s / 'export.tar.gz')
for m in outer:
    if not m.name.startswith('parts/'):
        continue
    data = io.BytesIO(outer.extractfile(m).read())
    stem = m.name[6:].split('.')[0]
    if m.name.endswith('.zip'):
        z = zipfile.ZipFile(data)
        inner = dict((n, z.read(n)) for n in z.namelist())
    else:
        t = tarfile.open(fileobj=data)
        inner = dict((x.name, t.extractfile(x).read()) for x in t)
    for n, d in inner.items():
        if n.endswith('.{self.ending}'):
            (s / 'found' / stem / n).parent.mkdir(parents=True, exist_ok=True)
            (s / 'found' / stem / n).write_bytes(d)
"""


@dataclass(frozen=True)
class Mend(Goal):
    """Bring files back to the state that a list of checksums records."""

    listed: tuple[tuple[str, bytes], ...] = field(repr=False)
    moved: tuple[tuple[str, str], ...] = field(repr=False)

    tiers = (2, 4)
    work = (4, 3)
    reasons = (
        "A failing disk has eaten part of this directory.",
        "The nightly integrity check has been red since Tuesday.",
        "An intern cleaned up here, and the checksums no longer add up.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw, folders = world.draw, world.folders(scope, 2)
        listed: dict[str, bytes] = {}
        for _ in range(max(6, count)):
            path = f"{draw.choice(folders)}/{world.name(draw.choice(('dat', 'txt', 'csv')), plain=True)}"
            listed[path[len(scope) + 1 :]] = world.text().encode()
        moved, backup = list[tuple[str, str]](), dict[str, str | bytes]()
        for number, (path, data) in enumerate(listed.items()):
            fate = (
                ("moved", "damaged", "lost")[number]
                if number < 3
                else draw.choice(("fine",) * 4 + ("moved", "damaged"))
            )
            if fate != "fine" and (fate != "moved" or draw.random() < 0.3):
                backup[path] = data
            if fate == "moved":
                now = f"{draw.choice(folders)}/{world.name('tmp', plain=True)}"[len(scope) + 1 :]
                moved.append((now, path))
                put(world.tree, f"{scope}/{now}", data)
            elif fate != "lost":
                put(world.tree, f"{scope}/{path}", data[:-1] + b"#" if fate == "damaged" else data)
        for path in draw.sample(sorted(listed), 2):  # the backup also has older versions
            backup.setdefault(path, world.text())
        put(
            world.tree,
            f"{scope}/backup.zip",
            _zip_of({p: d.encode() if isinstance(d, str) else d for p, d in backup.items()}),
        )
        world.put(f"{draw.choice(folders)}/{world.name('md')}", world.text())
        put(world.tree, f"{scope}/SHA256SUMS", "".join(sums_line(path, data) for path, data in sorted(listed.items())))
        return cls(scope, tuple(listed.items()), tuple(moved))

    def wording(self) -> str:
        return self.worded(
            f"`{self.scope}/SHA256SUMS` says which files should be in `{self.scope}`, with paths relative to it. Put "
            "things right: where a listed file is missing and a file with the right contents is here under a name "
            "that is not on the list, rename it to the listed name (no copies, please). Files that are missing "
            f"otherwise or have other contents are in `{self.scope}/backup.zip`. The archive, the list, and unlisted "
            "files with contents of their own stay.",
            f"Compare `{self.scope}` with its list `{self.scope}/SHA256SUMS` (paths relative to it) and repair what "
            "is wrong. A listed file may just have been renamed: if a file with the right contents lies here under "
            "an unlisted name, rename it back. Take whatever else is missing or altered from "
            f"`{self.scope}/backup.zip`. Nothing else changes: the archive, the list, and other unlisted files stay.",
        )

    def carry_out(self, tree: Tree) -> None:
        for now, path in self.moved:
            renamed(tree, f"{self.scope}/{now}", f"{self.scope}/{path}")
        for path, data in self.listed:
            written(tree, f"{self.scope}/{path}", data)

    def python(self) -> str:
        return f"""
s = Path({self.scope!r})
sums = dict(reversed(x.split('  ', 1)) for x in (s / 'SHA256SUMS').read_text().splitlines())
def digest(p): return hashlib.sha256(p.read_bytes()).hexdigest()
others = dict((digest(p), p) for p in s.rglob('*')
              if p.is_file() and not p.is_symlink() and str(p.relative_to(s)) not in sums)
z = zipfile.ZipFile(s / 'backup.zip')
for name, wanted in sums.items():
    p = s / name
    if p.exists() and digest(p) == wanted:
        continue
    p.parent.mkdir(parents=True, exist_ok=True)
    if not p.exists() and wanted in others:
        others[wanted].rename(p)
    else:
        p.write_bytes(z.read(name))
"""
