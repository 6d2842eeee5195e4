"""How well real pages are read: what can be used and read of saved pages, against Chromium.

    python benchmarks/web_pages.py FOLDER

FOLDER holds saved pages (``*.html``). Each is loaded into Chromium with no script run and nothing loaded besides,
and the live document is read as ``driver="chromium"`` reads it, once with what style sheets and attributes hide,
once without looking at them. The truth for elements is Chromium's ``checkVisibility`` (with ``visibility``),
nothing around it ``aria-hidden`` or ``inert``; for texts the words of the text nodes of which this is true; extra
words are mostly names that no text shows (``alt``, ``aria-label``), options and values. Prints found and extra as
shares of what Chromium shows, a line a page, and of all pages together.
"""

import argparse
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnwise.worlds.web.browser.chromium import NUMBERED
from turnwise.worlds.web.browser.page import dom
from turnwise.worlds.web.browser.page.dom import Page
from turnwise.worlds.web.browser.pool import FLAGS, _found
from turnwise.worlds.web.browser.text.lines import outline

if TYPE_CHECKING:
    from playwright.sync_api import Route

_MARK = """(numbered) => {
  const seen = (e) => e.checkVisibility({visibilityProperty: true}) && !e.closest('[aria-hidden=true i],[inert]');
  let last = 0;
  const shown = [];
  for (const e of document.querySelectorAll(numbered)) {
    e.setAttribute('data-tw-n', ++last);
    if (seen(e)) shown.push(last);
  }
  const texts = [];
  const walker = document.createTreeWalker(document.body || document, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    const other = 'script,style,noscript,template,svg,select,textarea,title,iframe,video,audio,object,canvas';
    if (e && !e.closest(other) && seen(e)) texts.push(walker.currentNode.data);
  }
  return {shown, texts, html: document.documentElement.outerHTML};
}"""
_WORD = re.compile(r"\w{3,}")
_OURS = re.compile(r"\[\d+\] [a-z]+|\b(?:options|value|placeholder|img|required|checked|more characters)(?=\W)")


def told(numbers: set[int], shown: set[int]) -> tuple[int, int, int]:
    """Return how many of those that Chromium shows were found, how many it shows, and how many are extra."""
    return len(numbers & shown), len(shown), len(numbers - shown)


def compared(found: dict[str, Any], styled: bool) -> tuple[list[int], float]:
    """Counts of elements and words, and how long the page took to be read, in seconds of this process."""
    dom.may_hide = (lambda html: True) if styled else (lambda html: False)  # type: ignore[assignment]
    begun = time.process_time()
    page = Page("http://page.test/", found["html"], live=True)
    lines = outline(page, "compact")
    used = time.process_time() - begun
    numbers = {number for line in lines for number in line.numbers}
    ours = Counter(_WORD.findall(" ".join(_OURS.sub("", line.text) for line in lines)))
    theirs = Counter(_WORD.findall(" ".join(found["texts"])))
    elements = told(numbers, set(found["shown"]))
    same = sum((ours & theirs).values())
    return [*elements, same, theirs.total(), ours.total() - same], used


def answers(body: bytes) -> Callable[["Route"], None]:
    """What serves one page, without its scripts, and nothing else."""
    headers = {"content-security-policy": "script-src 'none'", "content-type": "text/html; charset=utf-8"}

    def answer(route: "Route") -> None:
        if route.request.url == "http://page.test/":
            route.fulfill(body=body, headers=headers)
        else:
            route.abort()

    return answer


def row(name: str, counts: list[int]) -> str:
    """Shares of what Chromium shows."""
    found, shown, extra, same, words, more = counts
    shown, words = max(1, shown), max(1, words)
    return (f"{name:26}{shown:8}{100 * found / shown:8.1f}{100 * extra / shown:8.1f}"
            f"{words:9}{100 * same / words:8.1f}{100 * more / words:8.1f}")  # fmt: skip


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    sums = {True: [0] * 6, False: [0] * 6}
    slowest = 0.0
    print(f"{'page':26}{'elements':>8}{'found':>8}{'extra':>8}{'words':>9}{'found':>8}{'extra':>8}   (shares in %)")
    with sync_playwright() as playwright:
        kind = playwright.chromium
        program = _found(None, kind.executable_path, True)
        browser = kind.launch(executable_path=program, args=[*FLAGS, "--host-resolver-rules=MAP * ~NOTFOUND"])
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        for path in sorted(options.folder.glob("*.html")):
            tab.unroute_all()
            tab.route("**/*", answers(path.read_bytes()))
            tab.goto("http://page.test/", wait_until="domcontentloaded")
            found = tab.evaluate(_MARK, NUMBERED)
            for styled in (False, True):
                counts, used = compared(found, styled)
                sums[styled] = [a + b for a, b in zip(sums[styled], counts, strict=True)]
                print(row(path.stem[:20] + (" " if styled else " before"), counts))
            slowest = max(slowest, used)
        browser.close()
    print(row("all, styles not looked at", sums[False]), row("all", sums[True]), sep="\n")
    print(f"slowest page: {slowest:.2f} s of CPU time to be read")


if __name__ == "__main__":
    main()
