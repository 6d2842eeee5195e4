"""Pages as trees: reading, numbers, roles, names, fields, copies, and hostile documents in bounded time."""

import copy
import html
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests._work import at_most
from turnwise.worlds.web.browser.page.dom import (
    Node,
    Page,
    by_id,
    chosen,
    disabled,
    interactive,
    name_of,
    number_elements,
    option_value,
    options_of,
    parse,
    parse_fragment,
    role_of,
    text_of,
    to_html,
    value_of,
    visible,
    walk,
)
from turnwise.worlds.web.browser.page.tree import NEW_NUMBERS, built

FORM = """<!DOCTYPE html><html><head><title> A  form </title></head><body>
<a href="/">Home</a><a>no link</a><div hidden><a href="/secret">Secret</a></div>
<form><input type="hidden" name="t" value="1"><input name="q" value="a &quot;b&quot; &lt;c&gt; &amp;amp;">
<select name="s"><option value="1">One</option><option selected>Two</option></select>
<textarea name="t">

second line</textarea><button>Go</button></form>
<template><button>never</button></template><svg><a href="/x">no</a></svg>
<details><summary>More</summary><a href="/more">Inside</a></details>
<div data-tw-toggle="menu">Menu</div><ul id="menu" hidden><li>x</li></ul>
</body></html>"""


def body(markup: str) -> Page:
    return Page("http://a.test/", f"<!DOCTYPE html><body>{markup}")


def first(markup: str) -> Node:
    """The first element of the body."""
    root = body(markup).root
    return next(child for child in next(n for n in walk(root) if n.tag == "body").children if isinstance(child, Node))


def same(a: Node, b: Node) -> bool:
    """Whether two trees are equal, numbers and all."""
    pairs = [(a, b)]
    while pairs:
        a, b = pairs.pop()
        if (a.tag, a.attrs, a.number, len(a.children)) != (b.tag, b.attrs, b.number, len(b.children)):
            return False
        for x, y in zip(a.children, b.children, strict=True):
            if isinstance(x, Node) and isinstance(y, Node):
                if x.parent is not a or y.parent is not b:
                    return False
                pairs.append((x, y))
            elif x != y:
                return False
    return True


def test_numbers_are_in_document_order_and_count_hidden_elements() -> None:
    page = Page("http://a.test/", FORM)
    told = [(n, node.tag, text_of(node)) for n, node in page.elements.items()]
    assert told == [
        (1, "a", "Home"),
        (2, "a", "Secret"),
        (3, "input", ""),
        (4, "select", "One Two"),
        (5, "textarea", "second line"),
        (6, "button", "Go"),
        (7, "summary", "More"),
        (8, "a", "Inside"),
        (9, "div", "Menu"),
    ]
    assert page.last == 9 and page.title == "A form"
    root = parse(FORM)
    for node in walk(root):
        node.number = 0
    assert number_elements(root, 3) == 12, "the walk numbers what the reader numbers"
    assert [node.number - 3 for node in walk(root) if node.number] == list(page.elements)


def test_elements_that_come_later_go_on_from_the_last_number() -> None:
    page = body('<button id="a">A</button><div id="box"><button id="b">B</button></div>')
    box = by_id(page.root, "box")
    assert box is not None
    page.focused = 2
    by_id(page.root, "b").remove()  # type: ignore[union-attr]
    box.append(parse_fragment('<a href="/c" data-tw-n="77">C</a>')[0])
    page.renumber()
    assert {n: node.tag for n, node in page.elements.items()} == {1: "button", 3: "a"}
    assert page.focused is None and page.last == 3 and "data-tw-n" not in page.elements[3].attrs


def test_numbers_and_focus_of_a_live_page_are_chromiums() -> None:
    markup = '<a href="/" data-tw-n="4">A</a><p data-tw-n="7">free</p><input data-tw-n="5" data-tw-focus="">'
    page = Page("http://a.test/", f"<body>{markup}", live=True)
    assert {n: node.tag for n, node in page.elements.items()} == {4: "a", 7: "p", 5: "input"}
    assert page.focused == 5 and page.last == 7 and page.elements[5].attrs == {}
    stranger = Page("http://a.test/", f"<body>{markup}")
    assert list(stranger.elements) == [1, 2] and stranger.focused is None, "a page cannot number itself"


@pytest.mark.parametrize(
    ("markup", "yes"),
    [
        ("<a href>x</a>", True),
        ("<a>x</a>", False),
        ("<input type=HIDDEN>", False),
        ("<input>", True),
        ("<div data-tw-hover=m>x</div>", True),
        ("<div data-tw-get=/x data-tw-on=input>x</div>", False),
        ("<div data-tw-get=/x>x</div>", True),
        ("<div data-tw-target=x>x</div>", False),
        ("<h1 tabindex=-1>x</h1>", False),
        ("<h1 tabindex=0>x</h1>", True),
        ("<i contenteditable>x</i>", False),
        ("<i draggable=false>x</i>", False),
        ("<label for=x>x</label>", False),
    ],
)
def test_what_can_be_used_gets_a_number(markup: str, yes: bool) -> None:
    node = first(markup)
    assert interactive(node) is yes and bool(node.number) is yes


@pytest.mark.parametrize(
    ("markup", "role"),
    [
        ("<a href=/>x</a>", "link"),
        ("<a>x</a>", ""),
        ("<a href=/ role=button>x</a>", "button"),
        ("<a href=/ role='bogus tab'>x</a>", "tab"),
        ("<input>", "textbox"),
        ("<input type=EMAIL>", "textbox"),
        ("<input type=search>", "searchbox"),
        ("<input type=number>", "spinbutton"),
        ("<input type=radio>", "radio"),
        ("<input type=submit>", "button"),
        ("<input list=l>", "combobox"),
        ("<select></select>", "combobox"),
        ("<select multiple></select>", "listbox"),
        ("<select size=4></select>", "listbox"),
        ("<textarea></textarea>", "textbox"),
        ("<h3>x</h3>", "heading"),
        ("<nav>x</nav>", "navigation"),
        ("<header>x</header>", "banner"),
        ("<footer>x</footer>", "contentinfo"),
        ("<aside>x</aside>", "complementary"),
        ("<section>x</section>", ""),
        ("<section aria-label=n>x</section>", "region"),
        ("<form>x</form>", ""),
        ("<form aria-label=n>x</form>", "form"),
        ("<search>x</search>", "search"),
        ("<fieldset>x</fieldset>", "group"),
        ("<img alt=x>", "img"),
        ("<img alt=''>", ""),
        ("<output>x</output>", "status"),
        ("<table role=presentation></table>", ""),
        ("<summary>x</summary>", "button"),
        ("<div data-tw-toggle=x>x</div>", "button"),
        ("<div data-tw-hover=x>x</div>", "generic"),
    ],
)
def test_roles(markup: str, role: str) -> None:
    assert role_of(first(markup)) == role


def test_headers_within_sections_are_no_banners() -> None:
    page = body("<article><header>x</header></article><table><tr><th scope=row>a<th>b</table>")
    roles = {node.tag: role_of(node) for node in walk(page.root) if node.tag in ("header", "th")}
    assert roles == {"header": "", "th": "columnheader"}


@pytest.mark.parametrize(
    ("markup", "name"),
    [
        ("<a href=/>  Two\n words <b>bold</b></a>", "Two words bold"),
        ("<a href=/><span>a</span><div>b</div>c</a>", "a b c"),
        ("<a href=/ aria-label=' Close  it '>×</a>", "Close it"),
        ("<a href=/><img alt='A cat'> here</a>", "A cat here"),
        ("<a href=/>a<i hidden>b</i><script>c</script></a>", "a"),
        ("<a href=/ title=Tip></a>", "Tip"),
        ("<a href=/ title=Tip>text</a>", "text"),
        ("<button><svg></svg></button>", ""),
        ("<input type=submit>", "Submit"),
        ("<input type=submit value='Send it'>", "Send it"),
        ("<input type=reset>", "Reset"),
        ("<input type=image alt=Go>", "Go"),
        ("<input placeholder=Words>", "Words"),
        ("<input title=Title placeholder=Words>", "Title"),
        ("<input value=typed>", ""),
        ("<fieldset><legend>Who</legend><p>x</p></fieldset>", "Who"),
        ("<table><caption>Prices</caption></table>", "Prices"),
        ("<section>text</section>", ""),
        ("<div data-tw-toggle=x>Menu</div>", "Menu"),
        ("<h2>Head <a href=/>line</a></h2>", "Head line"),
    ],
)
def test_names(markup: str, name: str) -> None:
    assert name_of(first(markup)) == name


def test_labels_name_fields_without_what_the_fields_hold() -> None:
    page = body(
        "<label for=a>For  <b>A</b></label><label>Second</label><input id=a value=v>"
        "<label>Size <select><option>L<option>XL</select> please</label>"
        "<label>Both<textarea id=b>text</textarea></label>"
        "<label for=b>of them</label><p id=p>By <i>id</i></p><input aria-labelledby='p nothing'><input id=c>"
    )
    assert [name_of(node, page.labels) for node in page.elements.values()] == [
        "For A",
        "Size please",
        "of them Both",
        "By id",
        "",
    ]
    assert [name_of(node) for node in page.elements.values()][:2] == ["For A", "Size please"]


def test_what_is_hidden_by_attributes_and_kinds_is_not_visible() -> None:
    page = body(
        "<p id=a style='display:none'>a</p><div hidden><p id=b>b</p></div><dialog><p id=c>c</p></dialog>"
        "<dialog open><p id=d>d</p></dialog><details><summary id=e>e</summary><p id=f>f</p></details>"
        "<details open><summary>x</summary><p id=g>g</p></details><noscript><p id=h>h</p></noscript>"
        "<template><p id=i>i</p></template><p id=j aria-hidden=true>j</p>"
    )
    seen = {name for name in "abcdefghij" if (node := by_id(page.root, name)) is not None and visible(node)}
    assert seen == set("deg")
    assert text_of(page.root) == "d e x g"


def test_noscript_shows_only_where_a_page_needs_a_browser_that_is_not_there() -> None:
    markup = "<body data-tw-needs-browser><noscript>Needs <a href=/>a browser</a></noscript><button>x</button>"
    assert text_of(Page("u", markup).root) == "Needs a browser x" and len(Page("u", markup).elements) == 2
    assert text_of(Page("u", markup, live=True).root) == "x"
    quoting = "<body><p>&lt;body data-tw-needs-browser></p><noscript><a href=/>a</a></noscript>"
    assert len(Page("u", quoting).elements) == 0


def test_disabled_by_fieldset_but_not_in_its_legend() -> None:
    page = body(
        "<fieldset disabled><legend><input id=a></legend><input id=b><div><button id=c>x</button></div>"
        "<a href=/ id=d>link</a></fieldset><input id=e disabled><input id=f>"
    )
    assert [disabled(node) for node in page.elements.values()] == [False, True, True, False, True, False]


def test_values_and_options() -> None:
    page = body(
        "<select><optgroup disabled><option>a</optgroup><option>b <option value=3>c</select>"
        "<select><option selected>a<option selected value=''>b</select>"
        "<select multiple><option selected>a<option>b<option selected>c</select>"
        "<input type=checkbox><input type=radio value=x><textarea>\n\n two</textarea><input value=' v '>"
        "<select size=3><option>a</select>"
    )
    nodes = list(page.elements.values())
    assert [value_of(node) for node in nodes] == ["b", "", "a", "on", "x", "\n two", " v ", ""]
    assert [option_value(option) for option in options_of(nodes[0])] == ["a", "b", "3"]
    assert [text_of(option) for option in chosen(nodes[2])] == ["a", "c"]


def test_bad_html_is_mended_as_browsers_do() -> None:
    page = Page("u", "<p>one<p>two<table><a href=/x>lost</a><tr><td>cell</table><b><i>x</b>y</i></div><li>z")
    assert text_of(page.root) == "one twolost cell xy z"
    assert [node.tag for node in walk(page.root) if node.tag in ("p", "a", "td", "tbody")] == [
        "p",
        "p",
        "a",
        "tbody",
        "td",
    ]
    assert [type(child) for child in parse_fragment("<tr><td>x", "tbody")] == [Node]
    assert [child if isinstance(child, str) else child.tag for child in parse_fragment("a<b>c</b>")] == ["a", "b"]


def test_odd_markup_is_read_as_what_it_is() -> None:
    root = parse(
        "<!doctype html><body a<b='1' =c=2 d'e=3 f='<a href=/>&quot;>'><!-- <a href=/> --><script>'<a href=/>'</script>"
        "<!----><style></p></style><textarea><a href=/></textarea><xmp><b></xmp>&amp;lt;<p>end"
    )
    shown = next(node for node in walk(root) if node.tag == "body")
    assert shown.attrs == {"a<b": "1", "=c": "2", "d'e": "3", "f": '<a href=/>">'}
    assert [node.tag for node in walk(shown)] == ["body", "script", "style", "textarea", "xmp", "p"]
    assert text_of(shown) == "<b>&lt; end"
    assert same(parse(to_html(root)), root)


def test_html_of_a_page_gives_the_page_back() -> None:
    page = Page("http://a.test/", FORM)
    page.elements[3].attrs["value"] = "typed \" ' < & \xa0"
    page.elements[5].children = ["\nnew\n"]
    again = Page("http://a.test/", to_html(page.root))
    assert same(again.root, page.root)
    assert value_of(again.elements[5]) == "\nnew\n"
    assert to_html(parse("<p>quirks")).startswith("<html>") and to_html(page.root).startswith("<!DOCTYPE html><html>")


names = st.from_regex(r"\A[a-z][a-z0-9-]{0,5}\Z")
texts = st.text(max_size=12) | st.sampled_from(
    ["<a href=/>", "</p>", "&amp;", "\n", "<!--", "]]>", "\xa0", "\ud800", "\0"]
)
tags = st.sampled_from(["div", "p", "a", "td", "pre", "textarea", "noscript", "x-y", "select", "label"])
trees = st.recursive(
    st.builds(lambda tag, attrs: (tag, attrs, []), tags | st.just("input"), st.dictionaries(names, texts, max_size=3)),
    lambda below: st.tuples(tags, st.dictionaries(names, texts, max_size=3), st.lists(below | texts, max_size=4)),
    max_leaves=12,
)


def grown(plan: tuple[str, dict[str, str], list[object]]) -> Node:
    tag, attrs, below = plan
    node = Node(tag, {key: value for key, value in attrs.items() if key != "data-tw-n"})
    for child in below:
        if not isinstance(child, str):
            node.append(grown(child))  # type: ignore[arg-type]
        elif child and not (node.children and isinstance(node.children[-1], str)):
            node.append(child)
    return node


@settings(max_examples=80)
@given(plan=trees, number=st.integers(0, 9))
def test_copies_are_equal_and_independent(plan: tuple[str, dict[str, str], list[object]], number: int) -> None:
    node = grown(plan)
    node.number = number
    twin = copy.deepcopy(node)
    assert same(node, twin) and same(node, pickle.loads(pickle.dumps(node)))
    twin.attrs["changed"] = ""
    twin.append("x")
    assert not same(node, twin)


def test_numbers_in_a_strangers_page_do_not_spoil_those_of_copies() -> None:
    parse('<p data-tw-n="7" data-tw-focus="">x</p>')
    node = Node("p", {"data-tw-focus": ""})
    node.number = 7
    assert same(node, copy.deepcopy(node))


def test_a_copied_page_has_all_of_it_and_lives_on_its_own() -> None:
    page = Page("http://a.test/x", FORM, status=404, serial=3, note="odd", focused=3)
    by_id(page.root, "menu").append(parse_fragment("<li><a href=/new>N</a>")[0])  # type: ignore[union-attr]
    page.renumber()
    for twin in (copy.deepcopy(page), pickle.loads(pickle.dumps(page)), copy.deepcopy(copy.deepcopy(page))):
        assert same(twin.root, page.root) and list(twin.elements) == list(page.elements) == [*range(1, 11)]
        for name in ("url", "title", "status", "serial", "note", "focused", "last"):
            assert getattr(twin, name) == getattr(page, name)
        twin.elements[3].attrs["value"] = "other"
        assert page.elements[3].attrs["value"] != "other"


@settings(max_examples=120)
@given(st.text(alphabet=st.characters() | st.sampled_from("<>/=\"'! -apbtdr\0\ud800\u202e"), max_size=80))
def test_any_text_is_a_document(text: str) -> None:
    page = Page("u", text)
    text_of(page.root)
    assert sorted(page.elements) == list(range(1, len(page.elements) + 1))
    assert text_of(Page("u", html.escape(text)).root) == " ".join(
        text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "").split()
    )
    assert same(pickle.loads(pickle.dumps(page)).root, page.root)
    Page("u", text.encode("utf-8", "surrogatepass"))


HOSTILE = {
    "nested": "<div>" * 100_000,
    "lists": "<ul><li>" * 20_000,
    "fonts": "<p>" + "".join(f"<font color={i}>" for i in range(3_000)) + "</p>" + "<p>x</p>" * 8_000,
    "end tags of others": "<div></span>" * 40_000,
    "end tags out of reach": "<x1><x2><x3><div></x1></x2></x3>" * 10_000,
    "end tags of another": "<div>" * 30_000 + "</p>" * 30_000,
    "end tags in values": "<div a='</div>'>" * 40_000,
    "end tags in odd names": '<div ="</div>">' * 40_000,
    "end tags in comments": "<div><!--</div>-->" * 40_000,
    "end tags in text": "<div><textarea></div></textarea>" * 30_000,
    "end tags in CDATA": "<div><svg><![CDATA[></svg></div>]]></svg>" * 20_000,
    "a title in SVG": "<svg><title>" + "<div>" * 40_000,
    "clickable": "<div data-tw-toggle=x>" * 10_000,
    "links": "<a href=/><div>" * 10_000,
    "a long value": '<p title="' + "a" * 3_000_000,
    "a long name": "<p " + "a<" * 300_000,
    "a long name that ends": "<p " + "a<" * 300_000 + ">",
    "comments": "<!--" * 300_000,
    "less": "<" * 300_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_documents_take_bounded_time(kind: str) -> None:
    with at_most(millions=40):
        page = Page("u", HOSTILE[kind])
        text_of(copy.deepcopy(page).root)
    depth = 0
    at: Node | None = list(walk(page.root))[-1]
    while (at := at.parent) is not None:
        depth += 1
    assert depth < 1_100, "lexbor takes a time that grows with the square of the depth"


def test_documents_beyond_the_bounds_are_cut_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    document = built("<p>one</p><p>two</p><p>three</p>", NEW_NUMBERS, True, most=4)
    assert [text_of(child) for child in walk(document.root) if child.tag == "p"] == [
        "one",
        "two",
    ] and not document.whole
    monkeypatch.setattr("turnwise.worlds.web.browser.page.parse.MAX_CHARS", 100)
    page = Page("u", "<body><p>" + "x " * 100 + "<a href=/>last</a>")
    assert text_of(page.root).endswith("x (The page is too long: the rest is left out.)") and not page.elements
    assert "too long" not in text_of(parse("<p>short"))
