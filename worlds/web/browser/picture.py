"""A page as one HTML document that needs nothing else: for people who look at an episode afterwards."""

import re
from functools import cache
from importlib.resources import files

from turnwise.worlds.web.browser.dom import Page, to_html

__all__ = ["picture"]

_LOADED = re.compile(r"<script\b[^>]*>.*?</script>|<link\b[^>]*>", re.DOTALL)


@cache
def _style() -> str:
    return (files("turnwise.worlds.web.browser") / "data" / "tw.css").read_text(encoding="utf-8")


def picture(page: Page) -> str:
    """The page as it is now, with what was typed and chosen and its style inside, without what it would load or run.

    It is no shield: show it where scripts cannot run.
    """
    return _LOADED.sub("", to_html(page.root)).replace("</head>", f"<style>{_style()}</style></head>", 1)
