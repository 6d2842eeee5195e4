"""Every form whose address has a number: posted for a number that nothing has, or for what is somebody else's."""

import re
from collections import Counter, deque
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser

import pytest

from tests.worlds.web.sites._desk import Desk
from turnwise.worlds.web.site.registry import BUILT_IN
from turnwise.worlds.web.site.site import site_named

Fields = list[tuple[str, str]]
MOST_PAGES, ALIKE = 250, 6
OWNERS = ("owner", "account", "author", "user", "reporter")
UNSEEN = {  # forms that a look around does not lead to: they need a full cart, a search or a duplicate
    "shop": {"/cart/{variant:int}"},
    "crm": {"/customer/{id:int}/merge/{other:int}"},
    "travel": {"/run/{number:int}", "/draft/{number:int}/passengers", "/draft/{number:int}/extras",
               "/draft/{number:int}/payment", "/hotel/{number:int}"},
}  # fmt: skip
MODERATED = {"/thread/{number:int}/moderate"}
"""The user is a moderator, and changes threads of others."""


class Page(HTMLParser):
    """Links and posted forms of a page, with the values that stand in them; of choices the last."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[tuple[str, dict[str, str]]] = []
        self.area = self.select = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name, value = given.get("name", ""), given.get("value", "")
        if tag == "a" and given.get("href", "").startswith("/"):
            self.links.append(given["href"].partition("#")[0])
        elif tag == "form":
            self.forms.append((given.get("action", "") if given.get("method") == "post" else "", {}))
        elif not self.forms:
            return
        elif tag in ("input", "button", "textarea") and name:
            self.forms[-1][1][name] = value
            self.area = name if tag == "textarea" else ""
        elif tag == "select":
            self.select = name
        elif tag == "option" and self.select:
            self.forms[-1][1][self.select] = value

    def handle_data(self, data: str) -> None:
        if self.area:
            self.forms[-1][1][self.area] += data

    def handle_endtag(self, tag: str) -> None:
        self.area = "" if tag == "textarea" else self.area
        self.select = "" if tag == "select" else self.select


@cache
def forms_of(site: str) -> dict[str, dict[str, str]]:
    """The forms that a user meets who follows the links of a site, some of each shape, by where they are posted."""
    desk, found = Desk(site), dict[str, dict[str, str]]()
    seen, ahead, alike = {"/"}, deque(["/"]), Counter[str]()
    for _ in range(MOST_PAGES):
        if not ahead:
            break
        status, html = desk.get(ahead.popleft())
        page = Page(html if status == 200 else f'<a href="{html}">')
        for link in page.links:
            shape = re.sub(r"\d+", "0", link)
            if link not in seen and alike[shape] < ALIKE:
                alike[shape] += 1
                seen.add(link)
                ahead.append(link)
        for action, fields in page.forms:
            found.setdefault(action, fields)
    return found


def numbered(site: str) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Addresses with a number, where the user meets them, and the form of the first one, its texts changed."""
    missing = set()
    for path in sorted({r.path for r in site_named(site).routes if r.method == "POST" and ":int" in r.path}):
        like = re.sub(r"{\w+}", "[^/]+", re.sub(r"{\w+:int}", "[0-9]+", path))
        met = [action for action in forms_of(site) if re.fullmatch(like, action)]
        if met:
            fields = forms_of(site)[met[0]]
            yield path, met, {name: f"{text}x" if text.isalpha() else text for name, text in fields.items()}
        else:
            missing.add(path)
    assert missing == UNSEEN.get(site, set())


@pytest.mark.parametrize("site", BUILT_IN)
def test_a_number_that_nothing_has_changes_nothing(site: str) -> None:
    desk = Desk(site)
    for _, met, changed in numbered(site):
        for number in ("0", "99999"):
            for fields in (changed, forms_of(site)[met[0]]):
                address = re.sub(r"\d+", number, met[0])
                assert desk.post(address, **fields)[0] in (403, 404), address
                assert desk.changes == [], address


@pytest.mark.slow
@pytest.mark.parametrize("site", BUILT_IN)
def test_no_form_changes_what_is_somebody_elses(site: str) -> None:
    fresh = Desk(site)
    tables = [name for (name,) in fresh.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns = {table: [row[1] for row in fresh.rows(f"PRAGMA table_info({table})")] for table in tables}
    owners = {t: name for t, names in columns.items() if "id" in names for name in names if name in OWNERS}
    for path, met, fields in numbered(site):
        for number in range(1, 150):
            address = re.sub(r"\d+", str(number), met[0])
            if address in met or path in MODERATED:
                continue
            desk = Desk(site)
            desk.post(address, **fields)
            for change in desk.changes:
                if change.op != "insert" and change.table in owners:
                    of = f"SELECT {owners[change.table]} FROM {change.table} WHERE id = ?"
                    assert fresh.value(of, *change.key) == 1, (address, change)
