"""A page as one self-contained HTML document, for people who look at an episode afterwards."""

import re
from functools import cache
from importlib.resources import files

from turnwise.worlds.web.browser.page.dom import Page, to_html

__all__ = ["picture"]

_LOADED = re.compile(r"<script\b[^>]*>.*?</script>|<link\b[^>]*>", re.DOTALL)


@cache
def _style() -> str:
    return (files("turnwise.worlds.web.browser") / "data" / "tw.css").read_text(encoding="utf-8")


def picture(page: Page) -> str:
    """Return the page with typed and chosen values and its style, without what it would load or run.

    It does not protect against scripts: show it where they cannot run.
    """
    return _LOADED.sub("", to_html(page.root)).replace("</head>", f"<style>{_style()}</style></head>", 1)
