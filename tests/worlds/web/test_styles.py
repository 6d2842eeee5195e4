"""What style sheets and attributes hide: pages of ours read as Chromium shows them, and sheets that mean harm."""

import copy
import pickle

import pytest

from turnwise.worlds.web.browser.page.dom import Page, visible, walk
from turnwise.worlds.web.browser.page.selectors import Budget, ExhaustedError, matches, read_selectors
from turnwise.worlds.web.browser.page.styles import MAX_STEPS, mark_unseen
from turnwise.worlds.web.browser.text.lines import outline

# head, body; what is seen has "yes" as its text, what is not "no"
PAGES = {
    "attributes": ("", "<a href=1 hidden>no</a><a href=2 aria-hidden=true>no</a><a href=3 aria-hidden=false>yes</a>"
                   "<div inert><a href=4>no</a></div><div aria-hidden=true><p><a href=5>no</a></p></div>"),
    "inline": ("", "<a href=1 style='display:none'>no</a><a href=2 style='color:red; VISIBILITY : hidden !important'>no"
               "</a><a href=3 style='display:none;display:block'>yes</a>"
                   "<a href=4 style='display:none!important;"
               "display:block'>no</a><a href=5 style='--display:none'>yes</a>"),
    "elements": ("", "<dialog><a href=1>no</a></dialog><dialog open><a href=2>yes</a></dialog><details><summary>yes"
                 "</summary><a href=3>no</a></details><details open><summary>yes</summary><a href=4>yes</a></details>"
                 "<template><a href=5>no</a></template><noscript><a href=6>no</a></noscript>"
                 "<div popover><a href=7>no</a></div><form><input type=hidden value=no><input value=yes></form>"),
    "simple selectors": ("<style>.gone,#off,nav.x,[data-no],[data-kind=b i],[lang|=de]{display:none}</style>",
                         "<a href=1 class='a gone'>no</a><a href=2 id=off>no</a><nav class=x><a href=3>no</a></nav>"
                         "<nav><a href=4>yes</a></nav><p data-no><a href=5>no</a></p>"
                         "<p data-kind=B><a href=6>no</a></p>"
                         "<p lang=de-AT><a href=7>no</a></p><a href=8 class=Gone>yes</a>"),
    "combinators": ("<style>ul>li .x,.a+.b,.a~.c,div div p a:not(.keep){display:none}</style>",
                    "<ul><li><b><a href=1 class=x>no</a></b></li></ul><p class=x><a href=2>yes</a></p>"
                    "<p class=a>yes</p><p class=b><a href=3>no</a></p><p class=c><a href=4>no</a></p><div><div><p>"
                    "<a href=5>no</a><a href=6 class=keep>yes</a></p></div></div>"),
    "cascade": ("<style>a{display:none}.on{display:inline}#b{display:none!important}p a.on.off{display:none}</style>"
                "<style>.late{display:none}.late{display:inline}</style>",
                "<a href=1>no</a><a href=2 class=on>yes</a><a href=3 id=b class=on style='display:inline'>no</a><p>"
                "<a href=4 class='on off'>no</a></p><a href=5 class=late>yes</a>"
                "<a href=6 style='display:inline'>yes</a>"),
    "visibility": ("<style>.v{visibility:hidden}.s{visibility:visible}.i{visibility:inherit}</style>",
                   "<div class=v>no <a href=1>no</a><p>no</p>"
                   "<p class=s>yes <a href=2>yes</a></p><p class=i>no</p></div>"
                   "<a href=3 class=v>no <b class=s>yes</b></a>"),
    "media": ("<style>@media print{.p{display:none}}@media screen and (max-width:600px){.m{display:none}}"
              "@media (min-width:50em){.w{display:none}}@media not print{.n{display:none}}"
              "@media (600px<=width<2000px){.r{display:none}}@media (hover:none),(width<1px){.h{display:none}}</style>"
              "<style media=print>.q{display:none}</style>",
              "<a href=1 class=p>yes</a><a href=2 class=m>yes</a><a href=3 class=w>no</a><a href=4 class=n>no</a>"
              "<a href=5 class=r>no</a><a href=6 class=h>yes</a><a href=7 class=q>yes</a>"),
    "pseudo-classes": ("<style>li:first-child,li:nth-child(2n+4),li:last-of-type,p:is(.a,.b):not(.c),div:has(>u) i,"
                       "input:checked+b,a:hover,a::before{display:none}p,a:nonsense{display:none}"
                       ":root .z:where(.y){display:none}"
                       "</style>",
                       "<ul><li>no<li>yes<li>yes<li>no<li>yes<li>no<li>no</ul><p class=a>no</p><p class='b c'>yes</p>"
                       "<input type=checkbox checked><b>no</b><input type=checkbox><b>yes</b><a href=1>yes</a>"
                       "<p class='z y'>no</p>"),
    "escapes and nests": (r"<style>/* .a{display:none} */.md\:hide{display:none}.\31 st{display:none}"
                          "@supports (display:grid){.g{display:none}}@layer one{.l{display:none}}.l{display:block}"
                          ".box{color:red;.in{display:none}&.also{display:none}}@font-face{font-family:'}'}"
                          ".u{background:url(a;b{c)}.k{content:'}';display:none}@keyframes f{to{display:none}}</style>",
                          "<p class=a>yes</p><p class=md:hide>no</p><p class=1st>no</p><p class=g>no</p><p class=l>yes"
                          "</p><div class=box><p class=in>no</p></div><div class='box also'>no</div><p class=u>yes</p>"
                          "<p class=k>no</p>"),
    "names": ("<style>.off{display:none}</style>",
              "<button><span class=off>no</span><span>yes</span><i aria-hidden=true>no</i></button>"
              "<label for=f>yes<b class=off>no</b></label><input id=f value=yes>"),
}  # fmt: skip


def whole(name: str) -> str:
    head, body = PAGES[name]
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>"


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("form", ["full", "compact"])
def test_what_is_hidden_is_not_read(name: str, form: str) -> None:
    page = Page("http://a.test/", whole(name))
    lines = outline(page, form)  # type: ignore[arg-type]
    text = " ".join(line.text for line in lines)
    assert "no" not in text.replace("'", " ").split(), text
    assert text.count("yes") >= PAGES[name][1].count("yes")
    shown = {number for line in lines for number in line.numbers}
    for number, node in page.elements.items():
        assert visible(node) == (number in shown), node


def test_copies_and_forged_marks() -> None:
    page = Page("http://a.test/", whole("visibility") + "<a href=9 data-tw-unseen>yes</a>")
    text = [line.text for line in outline(page)]
    for twin in (copy.deepcopy(page), pickle.loads(pickle.dumps(page))):
        assert [line.text for line in outline(twin)] == text
        twin.renumber()
        assert [line.text for line in outline(twin)] == text
    for html in ("<a href=9 data-tw-unseen>yes</a>", "<a href=9 data-tw-unseen=own aria-hidden=false>yes</a>"):
        for live in (False, True):
            page = Page("http://a.test/", html.replace("href", "data-tw-n=1 href") if live else html, live=live)
            assert "yes" in outline(page)[0].text


def test_a_page_that_changes_is_looked_at_again() -> None:
    page = Page("http://a.test/", "<style>.off{display:none}</style><a href=1 class=off>x</a><a href=2>y</a>")
    assert [line.numbers for line in outline(page)] == [(2,)]
    page.elements[1].attrs["class"], page.elements[2].attrs["aria-hidden"] = "on", "true"
    page.renumber()
    assert [line.numbers for line in outline(page)] == [(1,)]
    for hiding in ({"inert": ""}, {"aria-hidden": "TRUE"}, {"style": "color:red;display:none"}, {"popover": ""}):
        page = Page("http://a.test/", "<p style='--site: 3'><a href=1>x</a></p><a href=2>y</a>")
        page.elements[1].attrs |= hiding  # as a fragment may bring it
        page.renumber()
        assert [line.numbers for line in outline(page)] == [(2,)], hiding


HOSTILE = {
    "many ancestors": ("* " * 15 + "*{display:none}", "<div>" * 400),
    "siblings": ("p~p~p~p~p~p~p~p~q{display:none}", "<p>x</p>" * 3_000 + "<q>x</q>"),
    "universal rules": ("*{display:block}" * 30_000, "<p>x</p>" * 3_000),
    "nested lists": (":is(" * 2_000 + "a" + ")" * 2_000 + "{display:none}", "<p>x</p>"),
    "nested rules": (".a{" * 20_000, "<p>x</p>"),
    "commas": ("a," * 200_000 + "a{display:none}", "<p>x</p>"),
    "open strings": ("'" * 500_000, "<p>x</p>"), "backslashes": ("\\" * 500_000, "<p>x</p>"),
    "open comments": ("/*" * 500_000, "<p>x</p>"), "urls": ("url(" * 200_000, "<p>x</p>"),
    "brackets": ("[" * 200_000 + "{display:none}", "<p>x</p>"),
    "attributes": ("[a=b" * 100_000 + "{display:none}", "<p>x</p>"),
    "media": ("@media (" + "not (" * 50_000 + "{p{display:none}}", "<p>x</p>"),
    "media lists": ("@media " + "screen and " * 50_000 + "{p{display:none}}", "<p>x</p>"),
    "counting": ("li:nth-child(2n+1):nth-last-child(3n+1){display:none}", "<li>x</li>" * 5_000),
    "blanks": (" " * 1_000_000 + "a" + " " * 100_000 + "b{display:none}", "<p>x</p>"),
    "declarations": ("p{" + "display: " * 100_000 + "}", "<p>x</p>"),
    "inline": ("", f"<p style='{';' * 500_000}display:none'>x</p>"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.timeout(60)  # what only a hang can meet
def test_hostile_sheets_cost_no_more_than_their_steps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet, body = HOSTILE[name]
    left: list[Budget] = []

    class Counted(Budget):
        def __init__(self, steps: int) -> None:
            super().__init__(steps)
            left.append(self)

    monkeypatch.setattr("turnwise.worlds.web.browser.page.styles.Budget", Counted)
    page = Page("http://a.test/", f"<style>{sheet}</style>{body}")
    assert outline(page) or "display:none" in sheet
    assert left[0].steps > -MAX_STEPS


def test_selectors_by_hand() -> None:
    page = Page("u", "<main id=m><p class='a b'>x<b>y</b></p></main>")
    nodes = {node.tag: node for node in walk(page.root)}
    for text, tag, found in (
        ("#m p.a > b", "b", True), ("p.b.a", "p", True), ("p:not(.a, .c)", "p", False), ("*", "p", True),
        ("main > b", "b", False), ("b:only-child", "b", True), (":is(p, b) b", "b", True), ("p:hover b", "b", False),
    ):  # fmt: skip
        (selector,) = read_selectors(text)
        assert matches(selector, nodes[tag], Budget(100)) == found, text
    assert read_selectors("#a .b p:not(.c)")[0].weight == (1, 2, 1)
    for wrong in ("", "a,", "a >", "a:unheard-of", "[", "a||b", ">", "a:not()"):
        assert read_selectors(wrong) == [], wrong
    with pytest.raises(ExhaustedError):
        matches(read_selectors("main p b")[0], nodes["b"], Budget(2))
    mark_unseen(page.root)
