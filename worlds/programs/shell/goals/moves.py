"""Goals that move, rename or create files."""

import re
import shlex
from dataclasses import dataclass, field
from posixpath import basename, dirname
from typing import Self

from turnwise.worlds.programs.shell.goal import Goal, loop, renamed
from turnwise.worlds.programs.shell.tree import Tree, World, make_folder, put, regular_files

__all__ = ["Organise", "Rename", "Skeleton", "Undo"]


@dataclass(frozen=True)
class Organise(Goal):
    """Sort the files of a directory into subdirectories."""

    by: str
    limit: int = 0

    tiers = (1, 2)
    reasons = (
        "The folder has grown over the years and nobody finds anything in it.",
        "The new viewer wants one directory per group.",
        "I have to hand this over on Friday and it is a mess.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        by = draw.choice(("extension", "month", "size"))
        folders = [scope] * 3 + world.folders(scope, 1)
        limit = draw.randint(40, 120)
        for number in range(max(count, 4)):
            folder = scope if number < 4 else draw.choice(folders)
            if by == "extension":
                extension = draw.choice(("txt", "pdf", "PDF", "csv", "Md", "tar.gz", "", "jpg"))
                world.put(f"{folder}/{world.name(extension)}", world.text())
            elif by == "month":
                date = _date(world, draw.random() < 0.3 and number)
                forms = ("{1}_{0}.txt", "{0}.{1}", "{1}-{0}.log", *["{0} {1}.log"] * (world.traps > 0))
                world.put(f"{folder}/{draw.choice(forms).format(date, world.stem())}", world.text())
            else:
                size = limit + draw.choice((-1, 0, 1, -draw.randint(1, limit), draw.randint(1, 200)))
                world.put(f"{folder}/{world.name('dat')}", "x" * (size - 1) + "\n" if size else "")
        world.decorate(scope)
        return cls(scope, by, limit if by == "size" else 0)

    def wording(self) -> str:
        s = self.scope
        if self.by == "extension":
            return (
                f"Sort the files directly in `{s}` (not those in its subdirectories) into subdirectories of `{s}` "
                "named after their extensions in lower case, which means what follows the last dot: `x.tar.GZ` goes "
                f"to `{s}/gz/x.tar.GZ`. Files without a dot in the name, or with only one at its start, go to "
                f"`{s}/other`."
            )
        if self.by == "month":
            return (
                f"Some names of files directly in `{s}` (not in its subdirectories) contain a date, YYYY-MM-DD with "
                f"four and two and two digits. Move each of those files into `{s}/YYYY/MM` of its date "
                f"(`a_2021-03-09.txt` goes to `{s}/2021/03/a_2021-03-09.txt`) and leave the others where they are."
            )
        return (
            f"Split the files directly in `{s}` (not those in its subdirectories) by size: those of at least "
            f"{self.limit} bytes go to `{s}/large`, the others to `{s}/small`."
        )

    def _folder(self, name: str, size: int) -> str | None:
        if self.by == "size":
            return "large" if size >= self.limit else "small"
        if self.by == "month":
            match = re.search(r"(\d{4})-(\d\d)-\d\d", name)
            return f"{match[1]}/{match[2]}" if match else None
        _, dot, extension = name[1:].rpartition(".")
        return extension.lower() if dot else "other"

    def carry_out(self, tree: Tree) -> None:
        for path, node in list(regular_files(tree, self.scope, deep=False)):
            folder = self._folder(basename(path), len(node.contents))
            if folder is not None:
                renamed(tree, path, f"{self.scope}/{folder}/{basename(path)}")

    def script(self, tree: Tree) -> str:
        s = shlex.quote(self.scope)
        if self.by == "size":
            find = f"find {s} -maxdepth 1 -type f -size"
            return (
                f"mkdir {s}/large {s}/small\n{find} +{self.limit - 1}c -exec mv -t {s}/large {{}} +\n"
                f"{find} -{self.limit}c -exec mv -t {s}/small {{}} +\n"
                f"find {s}/large {s}/small -maxdepth 0 -empty -delete"
            )
        choice = {
            "extension": 'case "${n#.}" in *.*) e=${n##*.}; e=${e,,};; *) e=other;; esac',
            "month": "[[ $n =~ ([0-9]{4})-([0-9]{2})-[0-9]{2} ]] || continue\n"
            "e=${BASH_REMATCH[1]}/${BASH_REMATCH[2]}",
        }[self.by]  # fmt: skip
        return loop(self.scope, f'{choice}\nmkdir -p {s}/"$e" && mv -- "$f" {s}/"$e/$n"', "-maxdepth 1 ")

    def python(self) -> str:
        choice = {
            "extension": "e = p.name.rpartition('.')[2].lower() if '.' in p.name[1:] else 'other'",
            "month": "m = re.search(r'(\\d{4})-(\\d\\d)-\\d\\d', p.name)\n"
            "    if not m: continue\n    e = f'{m[1]}/{m[2]}'",
            "size": f"e = 'large' if p.stat().st_size >= {self.limit} else 'small'",
        }[self.by]  # fmt: skip
        return f"""
for p in [p for p in Path({self.scope!r}).iterdir() if p.is_file() and not p.is_symlink()]:
    {choice}
    (p.parent / e).mkdir(parents=True, exist_ok=True)
    p.rename(p.parent / e / p.name)
"""


def _date(world: World, wrong: object) -> str:
    draw = world.draw
    year, month, day = draw.randint(2018, 2023), draw.randint(1, 12), draw.randint(1, 28)
    if wrong:
        return draw.choice((f"{year}-{month % 9 + 1}-{day:02}", f"{year}{month:02}{day:02}", f"{year}-{month:02}"))
    return f"{year}-{month:02}-{day:02}"


@dataclass(frozen=True)
class Rename(Goal):
    """Rename files by a rule."""

    rule: str

    tiers = (1, 2)
    reasons = (
        "The upload form rejects some of these names.",
        "Names like these break a script of ours.",
        "We agreed on one way of naming files.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        rule = draw.choice(("blanks", "lower", "pad", "extension", "date"))
        folders = world.folders(scope, 2)
        for number in range(max(count, 4)):
            hit, stem = number < 2 or draw.random() < 0.6, world.stem()
            if rule == "blanks":
                name = f"{stem} {draw.randint(1, 99)}.txt" if hit else f"{world.stem(plain=True)}.txt"
            elif rule == "lower":
                name = f"{stem.upper() if hit else stem.lower()}.{draw.choice(('TXT', 'txt', 'Log'))}"
            elif rule == "pad":
                name = f"img{number * 7 + draw.randint(0, 6)}.{'jpg' if hit else 'png'}"
            elif rule == "extension":
                name = f"{stem}.{'htm' if hit else draw.choice(('html', 'htm.bak', 'xhtm'))}"
            else:
                day, month, year = draw.randint(1, 28), draw.randint(1, 12), draw.randint(2018, 2023)
                name = f"{day:02}-{month:02}-{year}_{stem}.txt" if hit else f"{stem}_{day:02}-{month:02}-{year}.txt"
            world.put(f"{draw.choice(folders)}/{name}", world.text())
        world.decorate(scope)
        return cls(scope, rule)

    def wording(self) -> str:
        what = {
            "blanks": "replace each space in file names with an underscore `_`",
            "lower": "make the upper-case letters (A-Z) in file names lower-case",
            "pad": "bring the numbers in the names of the photos `img7.jpg`, `img112.jpg` and so on (only `img`, "
            "digits, `.jpg`) to four digits with zeros in front, like `img0007.jpg`",
            "extension": "change the ending `.htm` to `.html`",
            "date": "turn dates DD-MM-YYYY at the beginning of file names into YYYY-MM-DD (`09-03-2021_a.txt` becomes "
            "`2021-03-09_a.txt`)",
        }[self.rule]  # fmt: skip
        return f"In `{self.scope}`, please {what}. Directories keep their names."

    def _name(self, name: str) -> str:
        if self.rule == "blanks":
            return name.replace(" ", "_")
        if self.rule == "lower":
            return re.sub("[A-Z]+", lambda match: match[0].lower(), name)
        if self.rule == "pad":
            return re.sub(r"^img(\d+)\.jpg$", lambda match: f"img{int(match[1]):04}.jpg", name)
        if self.rule == "extension":
            return re.sub(r"\.htm$", ".html", name)
        return re.sub(r"^(\d\d)-(\d\d)-(\d{4})", r"\3-\2-\1", name)

    def carry_out(self, tree: Tree) -> None:
        for path, _ in list(regular_files(tree, self.scope)):
            renamed(tree, path, f"{dirname(path)}/{self._name(basename(path))}")

    def script(self, tree: Tree) -> str:
        new = {
            "blanks": "m=${n// /_}",
            "lower": '[[ $n == *[A-Z]* ]] || continue\nm=$(printf %s "$n" | tr A-Z a-z)',
            "pad": "m=$n; [[ $n =~ ^img([0-9]+)\\.jpg$ ]] && printf -v m 'img%04d.jpg' \"$((10#${BASH_REMATCH[1]}))\"",
            "extension": "m=$n; [[ $n == *.htm ]] && m=${n}l",
            "date": "[[ $n =~ ^([0-9]{2})-([0-9]{2})-([0-9]{4})(.*) ]] || continue\n"
            "m=${BASH_REMATCH[3]}-${BASH_REMATCH[2]}-${BASH_REMATCH[1]}${BASH_REMATCH[4]}",
        }[self.rule]  # fmt: skip
        return loop(self.scope, f'{new}\n[ "$m" = "$n" ] || mv -- "$f" "$d/$m"')

    def python(self) -> str:
        new = {
            "blanks": "p.name.replace(' ', '_')",
            "lower": "re.sub('[A-Z]', lambda m: m[0].lower(), p.name)",
            "pad": "re.sub(r'^img(\\d+)\\.jpg$', lambda m: 'img' + m[1].zfill(4) + '.jpg', p.name)",
            "extension": "p.name + 'l' * p.name.endswith('.htm')",
            "date": "re.sub(r'^(\\d\\d)-(\\d\\d)-(\\d{4})', r'\\3-\\2-\\1', p.name)",
        }[self.rule]
        return f"""
for p in [p for p in Path({self.scope!r}).rglob('*') if p.is_file() and not p.is_symlink()]:
    p.rename(p.with_name({new}))
"""


@dataclass(frozen=True)
class Skeleton(Goal):
    """Create directories and files from a list."""

    wanted: tuple[str, ...]

    tiers = (1, 2)
    reasons = (
        "A new project starts on Monday.",
        "The template for new folders has to be in place before the course.",
        "I am setting up the structure for the next season.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        make_folder(world.tree, scope)
        for _ in range(max(count // 3, 1)):
            world.put(f"{scope}/{world.name('txt')}", world.text())
        world.decorate(scope)
        folders, wanted = [""], list[str]()
        for _ in range(max(4, min(count, 12))):
            above = draw.choice(folders)
            if wanted and draw.random() < 0.5 and above.count("/") < max(world.depth, 2):
                folders.append(f"{above}{world.stem()}/")
                wanted.append(folders[-1])
            else:
                wanted.append(f"{above}{world.name(draw.choice(('py', 'md', 'txt')))}")
        return cls(scope, tuple(wanted))

    def wording(self) -> str:
        return (
            f"Create the following in `{self.scope}`; names with a `/` at the end are directories, the others files "
            "with a single line, their own name without directories. Keep what is there already.\n"
            + "\n".join(f"   `{path}`" for path in self.wanted)
        )

    def carry_out(self, tree: Tree) -> None:
        for path in self.wanted:
            if path.endswith("/"):
                make_folder(tree, f"{self.scope}/{path[:-1]}")
            else:
                put(tree, f"{self.scope}/{path}", f"{basename(path)}\n")

    def script(self, tree: Tree) -> str:
        lines = []
        for path in self.wanted:
            place = shlex.quote(f"{self.scope}/{path}")
            name = shlex.quote(basename(path))
            lines.append(f"mkdir -p {place}" if path.endswith("/") else f"printf '%s\\n' {name} > {place}")
        return "\n".join(lines)

    def python(self) -> str:
        return f"""
for name in {list(self.wanted)!r}:
    p = Path({self.scope!r}, name)
    (p if name.endswith('/') else p.parent).mkdir(parents=True, exist_ok=True)
    if not name.endswith('/'):
        p.write_text(p.name + '\\n')
"""


@dataclass(frozen=True)
class Undo(Goal):
    """Undo moves that a log lists."""

    moves: tuple[tuple[str, str], ...] = field(repr=False)

    tiers = (2, 2)
    reasons = (
        "My script ran in the wrong directory.",
        "A tool tidied up without asking.",
        "This was supposed to be a dry run.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw, folders = world.draw, world.folders(scope, 2)
        names = [f"{draw.choice(folders)}/{world.name('txt')}"[len(scope) + 1 :] for _ in range(max(count, 4))]
        places = {name: name for name in names}  # old place to current place
        moves: list[tuple[str, str]] = []
        for _ in range(max(3, min(count, 10))):
            first = draw.choice(names)
            old = places[first]
            taken = set(places.values())
            new = draw.choice((draw.choice(names), f"{draw.choice(folders)}/{world.stem()}.txt"[len(scope) + 1 :]))
            if new in taken:  # two files swap places through a third name
                second = next(name for name in names if places[name] == new)
                if second == first:
                    continue
                aside = f"{world.stem()}.tmp"
                moves += [(old, aside), (new, old), (aside, new)]
                places[first], places[second] = new, old
            else:
                moves.append((old, new))
                places[first] = new
        for name in names:
            world.put(f"{scope}/{places[name]}", world.text())
        world.put(f"{scope}/moves.log", "".join(f"{old}\t{new}\n" for old, new in moves))
        world.decorate(scope)
        return cls(scope, tuple(moves))

    def wording(self) -> str:
        return (
            f"`{self.scope}/moves.log` lists the moves that were made in `{self.scope}`, one per line in the order in "
            f"which they happened: the old path, a tab, the new path, both relative to `{self.scope}`. Put all files "
            "back to where they were before the first move. The log stays as it is."
        )

    def carry_out(self, tree: Tree) -> None:
        for old, new in reversed(self.moves):
            renamed(tree, f"{self.scope}/{new}", f"{self.scope}/{old}")

    def script(self, tree: Tree) -> str:
        return (
            f"(cd {shlex.quote(self.scope)} && tac moves.log | while IFS=$'\\t' read -r old new; do\n"
            '  mv -- "$new" "$old"\ndone)'
        )

    def python(self) -> str:
        return f"""
s = Path({self.scope!r})
for line in reversed((s / 'moves.log').read_text().splitlines()):
    old, new = line.split('\\t')
    (s / new).rename(s / old)
"""
