"""Every block of docs/your_trainer.md runs, and prints what the page says."""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "your_trainer.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL) if PAGE.exists() else []
pytestmark = pytest.mark.skipif(not BLOCKS, reason="needs the checkout, not an installed copy")


@pytest.mark.parametrize("block", range(len(BLOCKS)))
def test_block(block: int) -> None:
    code = BLOCKS[block]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, f"block {block}", "exec"), {})
    shown = re.findall(r"^# (.*)$", code, re.MULTILINE)
    assert shown == printed.getvalue().splitlines()[: len(shown)]


def test_every_wrapper_is_on_the_page() -> None:
    from turnwise.core import wrappers

    text = PAGE.read_text(encoding="utf-8")
    classes = [name for name in wrappers.__all__ if isinstance(getattr(wrappers, name), type)]
    assert [name for name in classes if name != "TextWrapper" and f"| `{name}` |" not in text] == []
