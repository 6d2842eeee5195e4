"""Draws who imports whom: ``python docs/import_graph.py`` writes ``docs/imports.svg`` and prints what it counted.

The picture shows structure only (folders, the folders in them, edges between them), so it changes when a folder or an
edge appears or goes, and not with every module. The imports are read as tests/test_layers.py reads them.

    python docs/import_graph.py               # this checkout
    python docs/import_graph.py --count DIR   # only count, another checkout
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Mapping, Set
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "imports.svg"
sys.path.insert(0, str(ROOT))

from tests.test_layers import LAYERS, folder, graph, modules  # noqa: E402

WIDTH, TOP, ROW, BOX = 1040, 64, 58, 580
"""Pixels: of the picture, above the first box, from one box to the next, of a box."""
CHARS = 92
"""Most characters of a line of names in a box."""


def edges(of: Mapping[str, Set[str]], part: Mapping[str, str]) -> dict[str, set[str]]:
    """Return for every part of the graph the other parts that it imports."""
    found: dict[str, set[str]] = {name: set() for name in part.values()}
    for name, others in of.items():
        found[part[name]] |= {part[other] for other in others if part[other] != part[name]}
    return found


def cycles(of: Mapping[str, Set[str]]) -> list[list[str]]:
    """Return the groups of nodes that reach each other, each in alphabetical order."""
    reached = {name: _reached(of, name) for name in of}
    groups = {tuple(sorted({name} | {other for other in reached[name] if name in reached[other]})) for name in of}
    return sorted(list(group) for group in groups if len(group) > 1)


def _reached(of: Mapping[str, Set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = of[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def inside() -> dict[str, list[str]]:
    """Return for every layer the folders in it, by their paths."""
    found: dict[str, set[str]] = defaultdict(set)
    for name in modules():
        parts = name.split(".")
        if len(parts) > 3 or (len(parts) == 3 and modules()[name].name == "__init__.py"):
            found[folder(name)].add(parts[2])
    return {layer: sorted(found[layer]) for layer in LAYERS}


def svg() -> str:
    """Return the picture: a box for every layer, the highest at the top, and a curve for every edge between two."""
    layers = [layer for layer in reversed(LAYERS) if layer != "turnwise"]
    between = edges(graph(), {name: folder(name) for name in modules()})
    height = TOP + ROW * len(layers)
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        ' font-family="Helvetica, Arial, sans-serif" font-size="15" role="img" aria-label="Folders and their imports">',
        '  <marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">',
        '    <path d="M0 0 L10 5 L0 10 z" fill="#5c6bc0"/>',
        "  </marker>",
        f'  <rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'  <text x="20" y="30" fill="#1a237e">Each folder imports only folders below it: {len(layers)} folders, '
        f"{sum(len(between[layer] & set(layers)) for layer in layers)} edges</text>",
    ]
    for row, layer in enumerate(layers):
        drawn += _box(TOP + ROW * row, layer, inside()[layer])
    for row, layer in enumerate(layers):
        below = [other for other in layers if other in between[layer]]
        drawn += [_curve(row, layers.index(other), place, len(below)) for place, other in enumerate(below)]
    return "\n".join([*drawn, "</svg>", ""])


def _box(y: int, layer: str, names: list[str]) -> list[str]:
    line = ", ".join(names)
    line = line if len(line) <= CHARS else line[:CHARS].rpartition(",")[0] + ", …"
    return [
        f'  <rect x="20" y="{y}" width="{BOX}" height="42" rx="8" fill="#eef0fb" stroke="#5c6bc0" stroke-width="1.5"/>',
        f'  <text x="34" y="{y + (18 if line else 26)}" fill="#1a237e" font-weight="bold">{layer}</text>',
        *([f'  <text x="34" y="{y + 35}" fill="#1a237e" font-size="12">{line}</text>'] if line else []),
    ]


def _curve(row: int, below: int, place: int, number: int) -> str:
    """Draw the edge to a layer below: it leaves in the lower half of its box and arrives in the upper half."""
    x = 20 + BOX
    start = TOP + ROW * row + 22 + round(18 * (place + 1) / (number + 1))
    end = TOP + ROW * below + 20 - round(16 * (row + 1) / (below + 1))
    out = x + 24 + round((WIDTH - x) * 1.15 * (below - row) / len(LAYERS))
    color = f"hsl({row * 360 // len(LAYERS)}, 60%, 42%)"
    return (
        f'  <path d="M{x} {start} C{out} {start} {out} {end} {x + 2} {end}" fill="none" stroke="{color}"'
        ' stroke-opacity="0.65" stroke-width="1.4" marker-end="url(#head)"/>'
    )


def counted(root: Path) -> str:
    """Return what a checkout has, counted by directory and by file."""
    files = graph(root)
    directories = edges(files, {name: str(path.parent.relative_to(root)) for name, path in modules(root).items()})
    largest = max((len(group) for group in cycles(files)), default=0)
    tangled = max((len(group) for group in cycles(directories)), default=0)
    return (
        f"{len(files)} modules in {len(directories)} directories; "
        f"{sum(map(len, files.values()))} imports between modules, {sum(map(len, directories.values()))} edges between "
        f"directories; cycles of modules: {len(cycles(files))} (largest: {largest} modules), "
        f"of directories: {len(cycles(directories))} (largest: {tangled} directories)"
    )


def main() -> None:
    """Write the picture, or only count."""
    parser = argparse.ArgumentParser(description="Draws who imports whom.")
    parser.add_argument("--count", type=Path, metavar="DIR", help="only count, the checkout in this folder")
    options = parser.parse_args()
    if options.count is None:
        PICTURE.write_text(svg(), encoding="utf-8")
    print(counted((options.count or ROOT).resolve()))


if __name__ == "__main__":
    main()
