"""The picture of the imports in docs/design.md shows the code as it is."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docs" / "import_graph.py"
pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="needs the checkout, not an installed copy")


def test_the_picture_shows_the_code() -> None:
    spec = importlib.util.spec_from_file_location("import_graph", SCRIPT)
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    drawn = script.PICTURE.read_text(encoding="utf-8")
    assert drawn == script.svg(), "a folder or an edge between folders is new or gone: run python docs/import_graph.py"
    assert "](imports.svg)" in (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    assert script.cycles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [["b", "c"]]
