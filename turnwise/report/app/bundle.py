"""The app as one page: style, scripts, the manifest, and the runs' data, compressed, in blocks that run nothing.

The page's security policy allows its own script by its hash and no connection, so it works from a file and even an
escaping bug would run nothing. Where the data are very large, they go into scripts in a folder next to the page, which
are loaded as they are needed.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import turnwise
from turnwise.core.files import replace_file
from turnwise.report.app.sources import Source, base64_of, json_text, unique_names

__all__ = ["SCRIPTS", "manifest", "page", "policy", "write"]

SCRIPTS = (
    "core.js", "data.js", "charts.js", "tables.js", "measures.js", "overview.js", "episodes.js", "drawn.js",
    "episode.js", "play.js", "compare.js", "training.js", "start.js",
)  # fmt: skip
"""In the order in which they are joined; pages register themselves, and start.js is the last."""
STYLES = ("app.css", "training.css")
MOST_INLINE = 96 << 20
"""Bytes of data in the page itself; what is more goes into files."""


@cache
def _asset(name: str) -> str:
    return (resources.files("turnwise.report.app") / "data" / name).read_text(encoding="utf-8")


@cache
def script(names: Sequence[str] = SCRIPTS) -> str:
    """The whole script of the app, or of another page that is made of the same parts."""
    return "".join(["'use strict';\n", *(_asset(name) for name in names)])


@cache
def style() -> str:
    """The whole style of the app."""
    return "".join(map(_asset, STYLES))


def policy(*, served: bool, scripts: Sequence[str] = SCRIPTS) -> str:
    """The page's content security policy."""
    digest = base64.b64encode(hashlib.sha256(script(scripts).encode()).digest()).decode()
    more = "connect-src 'self'" if served else ""
    allowed = f"script-src 'sha256-{digest}'" + ("" if served else " file:")
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; {allowed}; {more}".rstrip("; ")


def manifest(sources: Sequence[Source], start: str = "", shared: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the scripts know before they load anything.

    Args:
        sources: The runs.
        start: The part of the app to begin with, such as "#/compare/0/1".
        shared: Entries that belong to several runs.
    """
    entries = [source.about() for source in sources]
    runs = [
        {**entry, "kind": source.kind, "id": number, "label": label}
        for number, (source, entry, label) in enumerate(zip(sources, entries, unique_names(entries), strict=True))
    ]
    return {"version": turnwise.__version__, "start": start, "runs": runs, **(shared or {})}


def page(
    made: Mapping[str, Any],
    blobs: Sequence[tuple[str, bytes]],
    outside: Mapping[str, str],
    scripts: Sequence[str] = SCRIPTS,
) -> Iterator[str]:
    """The page in parts.

    Args:
        made: The manifest.
        blobs: Data by name; those that every page needs come first.
        outside: Files of data that are not in the page, by name.
        scripts: What it is made of.
    """
    title = html.escape(str(made.get("title") or ", ".join(run["label"] for run in made["runs"][:3]) or "turnwise"))
    text = json_text({**made, "outside": dict(outside)}).replace("<", "\\u003c")
    allowed = policy(served=bool(made.get("served")), scripts=scripts)
    early = [blob for blob in blobs if _early(blob[0])]
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{allowed}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{style()}</style></head>\n<body>\n"
        f'<script type="application/json" id="manifest">{text}</script>\n'
    )
    yield from map(_block, early)
    yield f"<script>{script(scripts)}</script>\n"  # runs while the rest is still being read
    yield from (_block(blob) for blob in blobs if not _early(blob[0]))
    yield "</body></html>\n"


def _early(name: str) -> bool:
    return "/rows" in name


def _block(blob: tuple[str, bytes]) -> str:
    name, data = blob
    return f'<script type="text/plain" data-blob="{html.escape(name)}">{base64_of(data)}</script>\n'


def write(
    path: Path, sources: Sequence[Source], start: str = "", shared: Mapping[str, Any] | None = None, more: Any = None
) -> Path:
    """Write the app with these runs into a file, and return its path.

    Args:
        path: The page; files of data, where there are too many for it, go into a folder named like it.
        sources: The runs, read.
        start: As for `manifest`.
        shared: As for `manifest`.
        more: Data that belong to several runs, by name.
    """
    blobs: list[tuple[str, bytes]] = list((more or {}).items())
    for number, source in enumerate(sources):
        found = {**source.blobs(), **source.extras()}
        blobs += [(f"{number}/{name}", data) for name, data in found.items()]
    inline, outside, size = [], {}, 0
    folder = path.with_name(f"{path.stem}_files")
    for name, data in blobs:
        size += len(data)
        if size <= MOST_INLINE or _early(name):
            inline.append((name, data))
            continue
        file = re.sub(r"[^0-9a-z]+", "_", name) + ".js"
        outside[name] = f"{folder.name}/{file}"
        folder.mkdir(parents=True, exist_ok=True)
        text = f"arrived({json.dumps(name)},{json.dumps(base64_of(data))})\n"
        replace_file(folder / file, [text.encode()])
    made = manifest(sources, start, shared)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, (part.encode("utf-8", "backslashreplace") for part in page(made, inline, outside)))
    return path
