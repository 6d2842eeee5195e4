"""Requests to sites in this process: cookies, redirects, addresses, and sites that fail."""

import asyncio
import copy

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.responses import HTMLResponse

from tests._work import at_most
from tests.worlds.web._browser_site import HOSTS, SITE, app, do, opened, said
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.worlds.web.browser.client import InProcess
from turnwise.worlds.web.browser.http import HttpBrowser
from turnwise.worlds.web.browser.net import Answer, Cookies, document, refusal, resolve
from turnwise.worlds.web.browser.page.dom import text_of


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
