"""Goals about permissions, checksums, compressed files and archives."""

import gzip
import shlex
from dataclasses import dataclass
from typing import Self

from turnwise.worlds.programs.shell.archives import archive_of, gunzipped, members, sums_line
from turnwise.worlds.programs.shell.goal import Goal, written
from turnwise.worlds.programs.shell.tree import Node, Tree, World, regular_files

__all__ = ["Archive", "Checksums", "Permissions"]


@dataclass(frozen=True)
class Permissions(Goal):
    """Set permission bits."""

    rule: str

    tiers = (2, 2)
    reasons = (
        "The scanner complained about permissions.",
        "These files were copied from a USB stick.",
        "The umask was wrong when these were created.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw, folders = world.draw, world.folders(scope, 2)
        rule = draw.choice(("scripts", "private", "write"))
        for number in range(max(count, 5)):
            hit, text = number < 2 or draw.random() < 0.5, world.text()
            extension = draw.choice(("txt", "sh", "py"))
            if rule == "scripts":
                text = draw.choice(("#!/bin/sh\n", "#!/usr/bin/env python3\n")) + text if hit else f"{text}#! no\n"
            elif rule == "private":
                extension = draw.choice(("key", "pem")) if hit else draw.choice(("pub", "keys", "key.txt"))
            mode = draw.choice((0o644, 0o755, 0o664, 0o600, 0o666, 0o775, 0o640))
            world.put(f"{draw.choice(folders)}/{world.name(extension)}", text, mode)
        if rule == "write":
            for folder in folders:
                mode = draw.choice((0o755, 0o775, 0o777, 0o700))
                world.tree[folder] = Node("directory", mode=mode)
        world.decorate(scope)
        return cls(scope, rule)

    def wording(self) -> str:
        if self.rule == "scripts":
            return (
                f"In `{self.scope}`, all files that begin with `#!` should have mode 755 and all other files 644. "
                "Leave the directories alone."
            )
        if self.rule == "private":
            return (
                f"Private keys in `{self.scope}`, which are the files with names ending in `.key` or `.pem`, should "
                "have mode 600. Leave all other permissions alone."
            )
        return (
            f"Take away write permission from group and others for `{self.scope}` and for all files and directories in "
            "it. All other permission bits stay."
        )

    def carry_out(self, tree: Tree) -> None:
        for path, node in list(tree.items()):
            inside = path == self.scope or path.startswith(f"{self.scope}/")
            if not inside or node.kind == "link" or node.mode is None:
                continue
            mode = node.mode
            if self.rule == "write":
                mode &= ~0o022
            elif node.kind == "file" and self.rule == "scripts":
                mode = 0o755 if node.contents.startswith(b"#!") else 0o644
            elif node.kind == "file" and path.endswith((".key", ".pem")):
                mode = 0o600
            tree[path] = node._replace(mode=mode)

    def script(self, tree: Tree) -> str:
        s = shlex.quote(self.scope)
        return {
            "scripts": f"find {s} -type f -exec chmod 644 {{}} +\nfind {s} -type f -print0 | {{ h=()\n"
            "while IFS= read -r -d '' f; do\n  IFS= read -r -n 2 x < \"$f\"; [ \"$x\" = '#!' ] && h+=(\"$f\")\ndone\n"
            'chmod 755 -- "${h[@]}"; }',
            "private": f"find {s} -type f \\( -name '*.key' -o -name '*.pem' \\) -exec chmod 600 {{}} +",
            "write": f"find {s} ! -type l -exec chmod go-w {{}} +",
        }[self.rule]  # fmt: skip

    def python(self) -> str:
        change = {
            "scripts": "p.chmod(0o755 if p.read_bytes()[:2] == b'#!' else 0o644) if p.is_file() else None",
            "private": "p.chmod(0o600) if p.is_file() and p.suffix in ('.key', '.pem') else None",
            "write": "p.chmod(p.stat().st_mode & 0o7777 & ~0o022)",
        }[self.rule]
        return f"""
for p in [Path({self.scope!r}), *Path({self.scope!r}).rglob('*')]:
    if not p.is_symlink():
        {change}
"""


@dataclass(frozen=True)
class Checksums(Goal):
    """Write checksums, or act on existing ones."""

    rule: str

    tiers = (2, 2)
    reasons = (
        "The files came over a bad line.",
        "The archive wants proof that nothing has changed.",
        "We hand these files over to the customer.",
    )

    @property
    def target(self) -> str:
        """The path of the list."""
        return f"{self.scope}/SHA256SUMS"

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw, folders = world.draw, world.folders(scope, 2)
        rule = draw.choice(("write", "check"))
        lines = []
        for number in range(max(count, 4)):
            path, text = f"{draw.choice(folders)}/{world.name(draw.choice(('txt', 'dat')))}", world.text()
            world.put(path, text)
            wrong = number == 1 or (number != 0 and draw.random() < 0.4)
            lines.append(sums_line(path[len(scope) + 1 :], f"{text}{' ' * wrong}".encode()))
        if rule == "check":
            world.put(f"{scope}/SHA256SUMS", "".join(lines))
        world.decorate(scope)
        return cls(scope, rule)

    def wording(self) -> str:
        if self.rule == "write":
            return (
                f"Make a list `{self.target}` with a line for each file in `{self.scope}` except the list itself, as "
                f"`sha256sum` prints it: the checksum, two spaces, the path relative to `{self.scope}` without `./`. "
                "Sort the lines by path."
            )
        return (
            f"`{self.target}` lists the files in `{self.scope}` with their checksums, as `sha256sum` prints them and "
            f"with paths relative to `{self.scope}`. Delete the files that do not agree with it. The list stays as it "
            "is."
        )

    def carry_out(self, tree: Tree) -> None:
        start = len(self.scope) + 1
        files = [(path[start:], node.contents) for path, node in regular_files(tree, self.scope)]
        if self.rule == "write":
            files.sort(key=lambda item: item[0].encode())
            written(tree, self.target, "".join(sums_line(path, data) for path, data in files))
            return
        listed = tree[self.target].contents.decode()
        for path, data in files:
            if path != "SHA256SUMS" and sums_line(path, data) not in listed:
                del tree[f"{self.scope}/{path}"]

    def script(self, tree: Tree) -> str:
        s = shlex.quote(self.scope)
        if self.rule == "write":
            return (
                f"(cd {s} && find . -type f ! -path ./SHA256SUMS -printf '%P\\0' | LC_ALL=C sort -z | "
                "xargs -0 sha256sum -- > SHA256SUMS)"
            )
        return (
            f"(cd {s} && sha256sum -c SHA256SUMS 2>/dev/null | sed -n 's/: FAILED$//p' | while IFS= read -r f; do\n"
            '  rm -- "$f"\ndone)'
        )

    def python(self) -> str:
        if self.rule == "write":
            return f"""
s = Path({self.scope!r})
files = [p for p in s.rglob('*') if p.is_file() and not p.is_symlink() and p != s / 'SHA256SUMS']
names = sorted((os.fsencode(p.relative_to(s)), p) for p in files)
lines = [hashlib.sha256(p.read_bytes()).hexdigest().encode() + b'  ' + n + b'\\n' for n, p in names]
(s / 'SHA256SUMS').write_bytes(b''.join(lines))
"""
        return f"""
s = Path({self.scope!r})
for line in (s / 'SHA256SUMS').read_text().splitlines():
    wanted, name = line.split('  ', 1)
    if hashlib.sha256((s / name).read_bytes()).hexdigest() != wanted:
        (s / name).unlink()
"""


@dataclass(frozen=True)
class Archive(Goal):
    """Pack or unpack files."""

    rule: str
    limit: int = 0

    tiers = (2, 2)
    reasons = (
        "This goes to the long-term storage.",
        "The partner and we exchange everything in one piece.",
        "Quota on this volume is tight.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw, folders, limit = world.draw, world.folders(scope, 2), world.draw.randint(80, 160)
        rule = draw.choice(("unpack", "gzip", "pack"))
        for number in range(max(count // (1 + (rule == "unpack")), 4)):
            text = world.text()
            if rule == "gzip":
                text = (
                    text * (1 + limit // len(text)) if number < 2 or draw.random() < 0.4 else text[: limit - 1] + "\n"
                )
            extension = "log" if number < 2 else draw.choice(("txt", "log", "md"))
            world.put(f"{draw.choice(folders)}/{world.name(extension)}", text)
        if rule == "unpack":
            inner = {f"{world.stem()}/{world.name('txt')}": world.text() for _ in range(max(2, min(count // 2, 8)))}
            world.put(f"{scope}/bundle.tar.gz", archive_of(inner))
        world.decorate(scope)
        return cls(scope, rule, limit if rule == "gzip" else 0)

    def wording(self) -> str:
        if self.rule == "unpack":
            return (
                f"Unpack `{self.scope}/bundle.tar.gz` into a new directory `{self.scope}/bundle` (the paths in the "
                "archive are relative to it), then delete the archive."
            )
        if self.rule == "gzip":
            return (
                f"Compress the `.log` files in `{self.scope}` that are larger than {self.limit} bytes with gzip: "
                "`x.log` is replaced by `x.log.gz`."
            )
        return (
            f"Pack the `.log` files in `{self.scope}`, and nothing else, into `{self.scope}/logs.tar.gz` (tar with "
            f"gzip), with paths relative to `{self.scope}`. Keep the files."
        )

    def carry_out(self, tree: Tree) -> None:
        files = [(path, node) for path, node in regular_files(tree, self.scope)]
        if self.rule == "unpack":
            plain = gunzipped(tree.pop(f"{self.scope}/bundle.tar.gz").contents)
            for path, data in (members(plain or b"") or {}).items():
                written(tree, f"{self.scope}/bundle/{path}", data)
            return
        logs = {path: node.contents for path, node in files if path.endswith(".log")}
        if self.rule == "pack":
            inside = {path[len(self.scope) + 1 :]: data for path, data in logs.items()}
            tree[f"{self.scope}/logs.tar.gz"] = Node("file", archive_of(inside), None, "tar.gz")
            return
        for path, data in logs.items():
            if len(data) > self.limit:
                del tree[path]
                tree[f"{path}.gz"] = Node("file", gzip.compress(data, mtime=0), None, "gzip")

    def script(self, tree: Tree) -> str:
        s = shlex.quote(self.scope)
        return {
            "unpack": f"(cd {s} && mkdir bundle && tar -xzf bundle.tar.gz -C bundle && rm bundle.tar.gz)",
            "gzip": f"find {s} -type f -name '*.log' -size +{self.limit}c -exec gzip {{}} +",
            "pack": f"(cd {s} && find . -type f -name '*.log' -printf '%P\\0' | tar -czf ~/logs.tar.gz --null -T - && "
            "mv ~/logs.tar.gz .)",
        }[self.rule]

    def python(self) -> str:
        if self.rule == "unpack":
            return f"""
s = Path({self.scope!r})
tarfile.open(s / 'bundle.tar.gz').extractall(s / 'bundle')
(s / 'bundle.tar.gz').unlink()
"""
        if self.rule == "gzip":
            return f"""
for p in list(Path({self.scope!r}).rglob('*.log')):
    if p.is_file() and not p.is_symlink() and p.stat().st_size > {self.limit}:
        Path(f'{{p}}.gz').write_bytes(gzip.compress(p.read_bytes()))
        p.unlink()
"""
        return f"""
s = Path({self.scope!r})
with tarfile.open(s / 'logs.tar.gz', 'w:gz') as t:
    for p in s.rglob('*.log'):
        if p.is_file() and not p.is_symlink():
            t.add(p, str(p.relative_to(s)))
"""
