"""The driver without a browser: requests, forms, history, tabs, declared behaviour, forks, and sites that fail."""

import asyncio
import copy
import pickle
from urllib.parse import parse_qsl

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from tests._work import at_most
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.worlds.web.actions.actions import parse_actions
from turnwise.worlds.web.browser.client import InProcess
from turnwise.worlds.web.browser.dom import Node, name_of, text_of, to_html
from turnwise.worlds.web.browser.forms import encoded
from turnwise.worlds.web.browser.http import HttpBrowser
from turnwise.worlds.web.browser.net import Answer, Cookies, document, refusal, resolve

HOSTS = frozenset(("a.test", "b.test"))
HOME = """<title> The  home </title><a href="/form">Form</a> <a href="http://b.test/">B</a> <a href="#x">Here</a>
<a href="/echo#part">Part</a> <a href="https://a.test/">Secure</a> <a href="javascript:x()">Script</a> <a href="http://evil.test/">Evil</a>
<a href="/done" hidden>Secret</a> <button>Alone</button> <a href="/set/">Set</a>"""
FORM = """<form action="/echo?old=1" method="get"><label>Name <input name="name" value="Ann"></label>
<input name="quiet" type="hidden" value="h"><label>Note <textarea name="note">
one
two</textarea></label><label>Day <input type="date" name="day"></label>
<label>Agree <input type="checkbox" name="agree"></label>
<label>Post <input type="checkbox" name="post" value="p" checked></label>
<label>Red <input type="radio" name="colour" value="red" checked></label>
<label>Blue <input type="radio" name="colour" value="blue"></label>
<label>Size <select name="size"><option>S</option>
<option value="m">Medium size</option><option disabled>L</option></select></label>
<label>Tags <select name="tags" multiple><option>x<option selected>y<option>z</select></label>
<label>Off <input name="off" value="1" disabled></label>
<fieldset disabled><label>Off too <input name="off2" value="1"></label></fieldset>
<label>Fixed <input name="fixed" value="f" readonly></label><input name="" value="nameless">
<button name="do" value="save">Save</button>
<button name="do" value="kill" formmethod="post" formaction="/echo">Kill</button>
<button type="button">Idle</button><button type="reset">Undo</button></form>
<input type="hidden" name="outer" value="o" form="other">
<form id="other" action="/post" method="post" data-x><label>One <input name="one"></label></form>
<form action="/echo"><label>Two <input name="t"></label><label>Three <input name="u"></label></form>"""
TW = """<button data-tw-toggle="menu">Menu</button><div id="menu" hidden><a href="/done">In menu</a></div>
<button data-tw-tab="p1">T1</button><button data-tw-tab="p2">T2</button>
<div id="p1" data-tw-group="g">First</div><div id="p2" data-tw-group="g" hidden>Second</div>
<span data-tw-hover="tip">Hover me</span><p id="tip" hidden>Tip</p>
<form action="/echo"><label>Find
<input name="q" data-tw-get="/part?kind=f" data-tw-target="out" data-tw-on="input"></label>
<label>Sort <select name="sort" data-tw-submit><option>up<option>down</select></label>
<button data-tw-get="/part" data-tw-target="out" data-tw-swap="append">More</button></form>
<div id="out">old <a href="/done">Old</a></div>
<button data-tw-get="/missing" data-tw-target="out">Bad</button>
<a href="/done" data-tw-toggle="menu">No way</a>
<button data-tw-toggle="ask">Ask</button>
<div id="ask" data-tw-modal role="dialog" aria-label="Sure?" hidden><button data-tw-remove="ask">Close</button></div>
<details><summary>Details</summary><a href="/done">Inside</a></details>"""


async def plain(request: Request) -> Response:
    pages = {
        "/": HOME,
        "/form": FORM,
        "/tw": TW,
        "/set/": "<a href='/echo'>Echo</a>",
        "/done": "<title>Done</title>done",
    }
    response = HTMLResponse(pages[request.url.path])
    if request.url.path == "/set/":
        response.raw_headers += [
            (b"set-cookie", line)
            for line in (
                b"one=1; Path=/; HttpOnly",
                b"deep=2; Path=/deep",
                b"here=3",
                b"safe=4; Secure",
                b"sid=; Path=/; Max-Age=0",
            )
        ]
    return response


async def echo(request: Request) -> Response:
    body = (await request.body()).decode()
    said = [request.method, request.headers["host"], request.url.query, body, request.headers.get("cookie", "")]
    return HTMLResponse("<title>Echo</title>" + "".join(f"<p>{part.replace('&', '&amp;')}</p>" for part in said))


async def post(request: Request) -> Response:
    request.scope["state"]["store"].append(dict(parse_qsl((await request.body()).decode())))
    return RedirectResponse("/done", 303)


async def part(request: Request) -> Response:
    request.scope["state"]["store"].append(request.url.query)
    return HTMLResponse(f"<p>part</p><a href='/done'>Got {len(request.url.query)}</a>")


async def odd(request: Request) -> Response:
    kind = request.path_params["kind"]
    if kind == "boom":
        raise KeyError("a bug of the site")
    if kind == "sleep":
        await asyncio.sleep(0.01)
    if kind == "wait":
        await Never()
    if kind == "endless":
        return Endless()
    return {
        "loop": RedirectResponse("/odd/loop", 302),
        "off": RedirectResponse("http://evil.test/", 302),
        "file": RedirectResponse("file:///etc/passwd", 302),
        "keep": RedirectResponse("/echo", 307),
        "found": RedirectResponse("/echo", 302),
        "pdf": Response(b"%PDF", media_type="application/pdf"),
        "none": Response(status_code=204),
        "text": PlainTextResponse("a <b> c"),
        "latin": Response("<p>café</p>".encode("latin-1"), media_type="text/html; charset=iso-8859-1"),
        "bytes": Response(b"<p>\xff\xfe\x00ok", media_type="text/html"),
    }[kind]


class Never:
    def __await__(self):
        yield


class Endless(Response):
    async def __call__(self, scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
        while True:
            await send({"type": "http.response.body", "body": b"<p>" + b"x" * 1_000_000, "more_body": True})


def blocking(request: Request) -> Response:
    return HTMLResponse("never")


SITE = Starlette(
    routes=[
        *[Route(path, plain) for path in ("/", "/form", "/tw", "/set/", "/done")],
        Route("/echo", echo, methods=["GET", "POST"]),
        Route("/post", post, methods=["POST"]),
        Route("/part", part),
        Route("/odd/{kind}", odd, methods=["GET", "POST"]),
        Route("/blocking", blocking),
    ]
)


async def app(scope, receive, send):
    await SITE(scope, receive, send)


def opened(path="/", store=None, **cookies):
    return HttpBrowser(app, [] if store is None else store, HOSTS, f"http://a.test{path}", {"a.test": cookies})


def number(browser, name):
    return next(n for n, node in browser.page.elements.items() if name_of(node).startswith(name))


def do(browser, *lines):
    """Do actions in which an element stands as <its name>; what the last one said."""
    error = ""
    for line in lines:
        front, found, rest = line.partition("<")
        name, _, rest = rest.partition(">")
        for action in parse_actions(f"{front}{number(browser, name)}{rest}" if found else line):
            error = browser.do(action)
    return error


def said(browser):
    """What /echo was asked: method, host, query, body, cookies."""
    body = next(
        node for node in browser.page.root.children[-1].children if isinstance(node, Node) and node.tag == "body"
    )
    return [text_of(node) for node in body.children if isinstance(node, Node)]


# ---- links, history, tabs -------------------------------------------------------------------------------------------


def test_links_lead_on_and_addresses_are_refused_before_anything_happens():
    browser = opened()
    assert (browser.page.title, browser.page.url, browser.page.status) == ("The home", "http://a.test/", 200)
    for name in ("Secure", "Script", "Evil"):
        assert "only http" in do(browser, f"click(<{name}>)") or "cannot be reached" in do(browser, f"click(<{name}>)")
    assert do(browser, "click(<Here>)") == "" and browser.page.serial == 1
    assert browser.page.focused == number(browser, "Here")
    assert "hidden" in do(browser, "click(<Secret>)") and "no element [99]" in do(browser, "click(99)")
    assert do(browser, "click(<Alone>)") == "" and browser.page.url == "http://a.test/"
    assert do(browser, "click(<Part>)") == "" and browser.page.url == "http://a.test/echo" and browser.page.serial == 2
    assert browser.page.focused is None


ELSEWHERE = [
    *(
        "https://a.test/",
        "http://a.test:8000/",
        "http://evil.test",
        "file:///etc/passwd",
        "data:text/html,x",
        "http://[",
    ),
    *(
        "http://a.test@evil.test/",
        "//evil.test",
        "localhost:80",
        "about:blank",
        r"\\evil.test",
        "http://a.test.evil.test",
    ),
]


@pytest.mark.parametrize("url", ELSEWHERE)
def test_goto_stays_on_the_hosts(url):
    browser = opened()
    assert browser.do(parse_actions(f"goto({url!r})")[0]) != ""
    assert len(browser.page.elements) > 5 and browser.page.serial == 1


def test_goto_takes_what_people_write():
    browser = opened()
    for url, wanted in (
        ("/echo?q=a b", "http://a.test/echo?q=a%20b"),
        ("b.test", "http://b.test/"),
        ("HTTP://A.test:80/form#x", "http://a.test/form"),
        ("../done", "http://a.test/done"),
        ("?x='é'", "http://a.test/done?x=%27%C3%A9%27"),
    ):
        assert do(browser, f"goto({url!r})") == "" and browser.page.url == wanted


def test_history_asks_again_and_keeps_what_is_ahead():
    browser = opened()
    assert "no earlier page" in do(browser, "back()")
    do(browser, "goto('/form')", "fill(<Name>, 'Bob')", "goto('/done')")
    assert do(browser, "back()") == "" and browser.page.url.endswith("/form")
    assert browser.page.elements[number(browser, "Name")].attrs["value"] == "Ann"
    assert do(browser, "back()", "forward()", "forward()") == "" and browser.page.url.endswith("/done")
    assert "no later page" in do(browser, "forward()")
    do(browser, "back()", "goto('/form')", "forward()")  # the same address again is no new entry
    assert browser.page.url.endswith("/done")
    do(browser, "back()", "goto('/echo')")
    assert "no later page" in do(browser, "forward()")


def test_a_post_is_not_in_the_history():
    store = []
    browser = opened("/form", store)
    do(browser, "fill(<One>, '1')", "press('Enter')")
    assert store == [{"one": "1", "outer": "o"}] and browser.page.title == "Done"
    do(browser, "back()", "forward()")
    assert len(store) == 1 and browser.page.title == "Done"


def test_tabs():
    browser = opened()
    assert do(browser, "new_tab()") == "" and browser.tabs()[1] == ("", "about:blank") and browser.active == 1
    assert "full address" in do(browser, "goto('/done')") and "no earlier" in do(browser, "back()")
    assert do(browser, "goto('http://b.test/form')", "new_tab('b.test/done')") == ""
    assert [title for title, _ in browser.tabs()] == ["The home", "", "Done"]
    assert "cannot be reached" in do(browser, "new_tab('http://evil.test/')") and len(browser.tabs()) == 3
    assert do(browser, "tab(1)", "click(<Form>)") == "" and browser.page.url == "http://a.test/form"
    assert "no tab 4" in do(browser, "tab(4)")
    assert do(browser, "tab(3)", "close_tab()") == "" and browser.active == 1
    assert do(browser, "tab(1)", "close_tab()") == "" and browser.page.url == "http://b.test/form"
    assert "last tab" in do(browser, "close_tab()")
    do(browser, *["new_tab()"] * 7)
    assert "close one first" in do(browser, "new_tab()")


# ---- forms ----------------------------------------------------------------------------------------------------------


def test_a_form_sends_what_browsers_send():
    browser = opened("/form")
    do(browser, "fill(<Name>, 'a b~é*')", "check(<Agree>)", "uncheck(<Post>)", "check(<Blue>)")
    do(browser, "select(<Size>, 'Medium size')", "select(<Tags>, 'x', 'z')", "fill(<Day>, '2027-03-05')")
    do(browser, "click(<Save>)")
    assert browser.page.url == (
        "http://a.test/echo?name=a+b%7E%C3%A9*&quiet=h&note=one%0D%0Atwo&day=2027-03-05"
        "&agree=on&colour=blue&size=m&tags=x&tags=z&fixed=f&do=save"
    )
    do(browser, "back()", "click(<Kill>)")
    method, _, query, body, _ = said(browser)
    assert (method, query) == ("POST", "")
    assert body == "name=Ann&quiet=h&note=one%0D%0Atwo&day=&post=p&colour=red&size=S&tags=y&fixed=f&do=kill"


def test_a_click_on_a_list_shows_all_its_options():
    browser = opened("/form")
    do(browser, "click(<Size>)")
    assert browser.page.focused == number(browser, "Size")
    assert browser.page.url == "http://a.test/form"


def test_enter_presses_the_first_button_or_sends_a_lone_field():
    browser = opened("/form")
    do(browser, "fill(<Name>, 'Bob')", "press('Enter')")
    assert browser.page.url.endswith("fixed=f&do=save") and "name=Bob" in browser.page.url
    do(browser, "back()", "press(<Two>, 'Enter')")
    assert browser.page.url.endswith("/form")  # two text fields and no button
    do(browser, "press(<Agree>, 'Enter')")
    assert browser.page.url.endswith("do=save")


def test_a_reset_gives_back_what_was_loaded():
    browser = opened("/form")
    before = to_html(browser.page.root)
    do(
        browser,
        "fill(<Name>, 'x')",
        "fill(<Note>, '')",
        "check(<Blue>)",
        "click(<Agree>)",
        "select(<Size>, 'm')",
        "click(<Undo>)",
    )
    do(browser, "click(<Save>)")
    assert browser.page.url.endswith(
        "name=Ann&quiet=h&note=one%0D%0Atwo&day=&post=p&colour=red&size=S&tags=y&fixed=f&do=save"
    )
    assert to_html(opened("/form").page.root) == before


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("fill(<Off>, 'x')", "disabled"),
        ("fill(<Off too>, 'x')", "disabled"),
        ("fill(<Fixed>, 'x')", "read-only"),
        ("fill(<Save>, 'x')", "no text field"),
        ("fill(<Size>, 'S')", "use select"),
        ("fill(<Day>, 'tomorrow')", "such as 2027-03-05"),
        ("select(<Size>, 'XL')", "it has: 'S', 'Medium size', 'L'"),
        ("select(<Size>, 'L')", "disabled"),
        ("select(<Size>, 'S', 'm')", "one option"),
        ("select(<Name>, 'S')", "no list"),
        ("check(<Name>)", "no check box"),
        ("uncheck(<Red>)", "radio button"),
        ("press(<Name>, 'F13')", "no key"),
        ("press(<Save>, 'x')", "does nothing"),
        ("press('x')", "nothing has the focus"),
    ],
)
def test_what_cannot_be_done_says_why_and_does_nothing(line, why):
    browser = opened("/form")
    before = to_html(browser.page.root)
    assert why in do(browser, line)
    assert to_html(browser.page.root) == before and browser.page.serial == 1


def test_keys():
    browser = opened("/form")
    do(browser, "press(<Name>, 'x')", "press('Space')", "press('y')", "press('Backspace')", "press('Escape')")
    assert browser.page.elements[number(browser, "Name")].attrs["value"] == "Annx "
    do(browser, "press('Tab')")
    assert browser.page.focused == number(browser, "Note")
    do(browser, "fill(<Note>, 'a\\r\\nb')", "press('Enter')")
    assert browser.page.elements[number(browser, "Note")].children == ["a\nb\n"]
    do(browser, "press(<Agree>, 'Space')", "press(<Size>, 'ArrowDown')", "press('ArrowDown')", "press(<Save>, 'Enter')")
    assert "agree=on" in browser.page.url and "size=m" in browser.page.url
    do(browser, "goto('/')", "press('Escape')", "press(<Form>, 'Enter')")
    assert browser.page.url == "http://a.test/form"


@settings(max_examples=60)
@given(st.lists(st.tuples(st.text("ab=&+% \n\ré", min_size=1), st.text())))
def test_what_is_sent_is_what_is_read(pairs):
    def sent(text):
        return "\r\n".join(
            text.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")
        )

    assert parse_qsl(encoded(pairs), keep_blank_values=True) == [(sent(name), sent(value)) for name, value in pairs]


# ---- declared behaviour ---------------------------------------------------------------------------------------------


def test_toggle_tab_remove_and_dialogs():
    browser = opened("/tw")
    assert "hidden" in do(browser, "click(<In menu>)")
    do(browser, "click(<Menu>)")
    assert browser.page.elements[number(browser, "Menu")].attrs["aria-expanded"] == "true"
    do(browser, "click(<No way>)")  # toggles, and is no link
    assert browser.page.serial == 1 and "hidden" in do(browser, "click(<In menu>)")
    do(browser, "click(<T2>)")
    page = browser.page
    assert "Second" in text_of(page.root) and "First" not in text_of(page.root)
    assert [page.elements[number(browser, name)].attrs["aria-selected"] for name in ("T1", "T2")] == ["false", "true"]
    do(browser, "click(<Ask>)")
    assert "a dialog is in the way: 'Sure?'" in do(browser, "click(<Menu>)")
    close = number(browser, "Close")
    assert do(browser, f"click({close})") == "" and close not in browser.page.elements and browser.page.focused is None
    assert do(browser, "click(<Menu>)") == ""
    assert do(browser, "press('Escape')") == ""  # nothing is there to close
    assert "hidden" in do(browser, "click(<Inside>)")
    assert do(browser, "click(<Details>)", "click(<Inside>)") == "" and browser.page.title == "Done"


def test_escape_closes_a_dialog():
    browser = opened("/tw")
    do(browser, "click(<Ask>)")
    close = number(browser, "Close")
    assert do(browser, "press('Escape')") == "" and close not in browser.page.elements
    assert do(browser, "click(<Menu>)") == ""


def test_hovering_shows_until_something_else_is_touched():
    browser = opened("/tw")
    for leave in ("hover(<Menu>)", "click(<T1>)", "click(<Menu>)"):
        assert do(browser, "hover(<Hover me>)") == "" and "Tip" in text_of(browser.page.root)
        twin = pickle.loads(pickle.dumps(browser))
        for one in (browser, twin):
            do(one, leave)
            assert "Tip" not in text_of(one.page.root)


def test_fragments_get_new_numbers_and_others_keep_theirs():
    store = []
    browser = opened("/tw", store)
    last, find = browser.page.last, number(browser, "Find")
    do(browser, f"fill({find}, 'é x')")
    assert store == ["kind=f&q=%C3%A9+x&sort=up"]
    assert "old" not in text_of(browser.page.root) and number(browser, "Got") == last + 1
    assert number(browser, "Find") == find and browser.page.focused == find
    do(browser, "click(<More>)")
    assert browser.page.serial == 1 and len(store) == 2
    assert [node.number for node in browser.page.elements.values() if name_of(node).startswith("Got")] == [
        last + 1,
        last + 2,
    ]
    html = to_html(browser.page.root)
    do(browser, "focus(<Bad>)", "click(<Bad>)")
    assert to_html(browser.page.root) == html  # a 404 changes nothing
    do(browser, "select(<Sort>, 'up')")
    assert browser.page.serial == 1  # nothing changed, nothing is sent
    do(browser, "select(<Sort>, 'down')")
    assert browser.page.url == "http://a.test/echo?q=%C3%A9+x&sort=down"


# ---- cookies, forks, pickles ----------------------------------------------------------------------------------------


def test_cookies_are_an_episodes_and_a_hosts_own():
    browser, other = opened("/echo", sid="s"), opened("/echo")
    assert said(browser)[4] == "sid=s" and said(other)[4:] == [""]
    do(browser, "goto('/set/')", "click(<Echo>)")
    assert said(browser)[4] == "one=1"
    twin = browser.fork([])
    do(twin, "goto('/set/?x')", "goto('http://b.test/echo')")
    assert said(twin)[4] == ""
    do(other, "goto('/echo')")
    assert said(other)[4] == ""


def test_cookie_paths():
    jar = Cookies({"h": {"a": "1"}})
    jar.take("h", "/x/y", Answer(200, [(b"Set-Cookie", b"b=2"), (b"set-cookie", b"c=3; path=/x/y/z")], b""))
    assert [jar.header("h", path) for path in ("/", "/x", "/x/q", "/xx", "/x/y/z/")] == [
        "a=1",
        "b=2; a=1",
        "b=2; a=1",
        "a=1",
        "c=3; b=2; a=1",
    ]
    jar.take("h", "/", Answer(200, [(b"set-cookie", b"a=; Max-Age=0; Path=/"), (b"set-cookie", b"nonsense")], b""))
    assert jar.header("h", "/") == "" and jar.header("other", "/") == ""


def test_a_fork_goes_its_own_way():
    store, twin_store = [], []
    browser = opened("/form", store, sid="s")
    do(browser, "fill(<One>, 'mine')", "new_tab('/tw')", "click(<Menu>)", "tab(1)")
    twin = browser.fork(twin_store)
    before = to_html(browser.page.root)
    do(twin, "fill(<One>, 'twin')")
    assert to_html(browser.page.root) == before
    do(browser, "press(<One>, 'Enter')")
    do(twin, "press('Enter')", "goto('/set/')")
    assert store == [{"one": "mine", "outer": "o"}] and twin_store == [{"one": "twin", "outer": "o"}]
    do(twin, "tab(2)", "click(<Menu>)")
    do(browser, "tab(2)", "click(<In menu>)", "back()")
    assert [url for _, url in twin.tabs()] == ["http://a.test/set/", "http://a.test/tw"]
    assert "hidden" in do(twin, "click(<In menu>)") and browser.page.serial == 3 and twin.page.serial == 1


def test_a_pickle_goes_on_in_mid_episode():
    browser = opened("/form", sid="s")
    do(browser, "fill(<Name>, 'Zoë')", "check(<Agree>)", "fill(<Note>, '\\n\\nx')", "new_tab('/tw')", "click(<Ask>)")
    twin = pickle.loads(pickle.dumps(browser))
    for one in (browser, twin):
        assert "dialog" in do(one, "click(<Menu>)")
        do(one, "click(<Close>)", "tab(1)", "click(<Save>)")
    assert twin.page.url == browser.page.url and "Zo%C3%AB" in twin.page.url and twin.tabs() == browser.tabs()
    assert said(twin) == said(browser) and said(twin)[4] == "sid=s"


# ---- sites that fail ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status", "note", "text"),
    [
        ("/odd/boom", 500, "500 (Internal Server Error)", "Internal Server Error"),
        ("/nowhere", 404, "404 (Not Found)", "Not Found"),
        ("/odd/loop", 302, "more than 10 redirects", "redirects"),
        ("/odd/off", 302, "'evil.test' cannot be reached", "redirects"),
        ("/odd/file", 302, "only http", "redirects"),
        ("/odd/pdf", 200, "application/pdf, which is not shown", "not shown"),
        ("/odd/none", 204, "no content", "no content"),
        ("/odd/text", 200, "", "a <b> c"),
        ("/odd/latin", 200, "", "café"),
        ("/odd/bytes", 200, "", "ok"),
        ("/odd/endless", 200, "larger than 8 MB", "x"),
    ],
)
def test_what_goes_wrong_is_a_page_with_a_note(path, status, note, text):
    with at_most(millions=100):
        browser = opened()
        assert do(browser, f"goto({path!r})") == ""
        page = browser.page
        assert page.status == status and note in page.note and (note or not page.note) and text in text_of(page.root)
        assert do(browser, "back()") == "" and browser.page.title == "The home"


def test_redirects_keep_or_drop_the_body():
    for path, wanted in (("/odd/keep", ["POST", "a.test", "", "q=1"]), ("/odd/found", ["GET", "a.test", "", ""])):
        browser = HttpBrowser(Posting(path), [], HOSTS, "http://a.test/start")
        do(browser, "click(<Go>)")
        assert said(browser)[:4] == wanted


class Posting:
    """The site with one more page, whose form posts to a path."""

    def __init__(self, path):
        self.path = path

    async def __call__(self, scope, receive, send):
        if scope["path"] != "/start":
            return await SITE(scope, receive, send)
        form = f'<form method="post" action="{self.path}"><input name="q" value="1"><button>Go</button></form>'
        await HTMLResponse(form)(scope, receive, send)


@pytest.mark.parametrize("path", ["/odd/sleep", "/odd/wait", "/blocking"])
def test_a_site_that_needs_an_event_loop_is_no_score(path):
    browser = opened()
    with pytest.raises(InfrastructureError, match="event loop"):
        do(browser, f"goto({path!r})")


def test_it_works_inside_a_running_loop():
    async def inside():
        return opened("/form").page.status

    assert asyncio.run(inside()) == 200


def test_a_start_elsewhere_is_a_wrong_setting():
    with pytest.raises(SettingsError, match=r"evil\.test"):
        HttpBrowser(app, [], HOSTS, "http://evil.test/")


def test_an_httpx_client_can_try_a_site():
    store = []
    with httpx.Client(transport=InProcess(app, store), follow_redirects=True, trust_env=False) as client:
        assert client.post("http://a.test/post", data={"x": "1"}).text.endswith("done")
    assert store == [{"x": "1"}]


# ---- addresses ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("href", "wanted"),
    [
        ("x", "http://a.test/p/x"),
        ("?a=1", "http://a.test/p/q?a=1"),
        ("/a/../../b/./", "http://a.test/b/"),
        ("", "http://a.test/p/q?c=1"),
        ("/%2e%2E/x", "http://a.test/x"),
        ("/a//b", "http://a.test/a//b"),
        ("//B.test/\u00e9", "http://b.test/%C3%A9"),
        (" /a\n b ", "http://a.test/a%20b"),
        ("/a%zz{}\"", "http://a.test/a%zz%7B%7D%22"),
        ("/\ud800", "http://a.test/%EF%BF%BD"),
        ("\\a?b\\c", "http://a.test/a?b\\c"),
        ("mailto:x", "mailto:x"),
        ("?", "http://a.test/p/q?"),
        ("?#", "http://a.test/p/q?#"),
        ("#", "http://a.test/p/q?c=1#"),
        ("x//y;", "http://a.test/p/x//y;"),
        ("///b.test:080?", "http://b.test/?"),
        ("http:x", "http://a.test/p/x"),
        ("http:\\\\b.test\\x", "http://b.test/x"),
    ],
)  # fmt: skip
def test_addresses_are_written_as_browsers_write_them(href, wanted):
    assert resolve("http://a.test/p/q?c=1", href) == wanted


@settings(max_examples=300)
@given(st.text("abA01:/?#@\\.% []é\x00\n\t-", max_size=30) | st.text(max_size=20))
def test_no_address_leaves_the_hosts(href):
    try:
        url = resolve("http://a.test/p/q", href)
    except ValueError:
        return
    if not refusal(url, HOSTS):
        parsed = httpx.URL(url)
        assert (
            parsed.scheme == "http"
            and parsed.host in ("a.test", "b.test")
            and not parsed.userinfo
            and parsed.port is None
        )
        assert resolve(url, url) == url


def test_long_addresses_and_long_names_take_no_time():
    with at_most(millions=4):
        for href in (
            "/" + "a" * 100_000 + "!",
            "/" + "a/" * 50_000 + "!",
            "/.." * 50_000,
            "?" + "é" * 100_000,
            ":" * 100_000,
        ):
            with pytest.raises(ValueError, match="at most"):
                resolve("http://a.test/", href)
        resolve("http://a.test/", "/" + "a-" * 7_000 + "!")


def test_a_document_is_judged_alike_for_every_driver():
    moved = Answer(302, [(b"Location", b"/x#y")], b"")
    assert document(HOSTS, "http://a.test/p#z", 0, moved).location == "http://a.test/x#y"
    assert (
        document(HOSTS, "http://a.test/p#z", 0, moved._replace(headers=[(b"location", b"/x")])).location
        == "http://a.test/x#z"
    )
    assert "more than 10" in document(HOSTS, "http://a.test/p", 10, moved).note
    assert copy.copy(document(HOSTS, "http://a.test/", 0, Answer(200, [], b""))).note == "The server sent no content."
