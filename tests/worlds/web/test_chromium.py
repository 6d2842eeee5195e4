"""The driver with a real browser: the same as without, and nothing left of it."""

import asyncio
import contextlib
import datetime
import gc
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from urllib.parse import parse_qsl

import httpx
import pytest

from tests._work import eventually
from tests.worlds.web.test_styles import PAGES, whole
from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError, UsageError
from turnwise.worlds.web.actions.actions import Action
from turnwise.worlds.web.browser import pool
from turnwise.worlds.web.browser.chromium import ChromiumBrowser
from turnwise.worlds.web.browser.http import Browser, HttpBrowser
from turnwise.worlds.web.browser.page import dom
from turnwise.worlds.web.browser.person import Person
from turnwise.worlds.web.browser.serve import Episode

HOSTS = frozenset(("shop.test", "bank.test"))
START = "http://shop.test/"
COOKIES = {"shop.test": {"sid": "start"}}
HOME = """<!DOCTYPE html><html><head><title>Home {n}</title><script src="/_tw/tw.js"></script></head><body>
<button data-tw-toggle="menu" aria-expanded="false">Menu</button><div id="menu" hidden><a href="/p/1">One</a>
<a href="http://bank.test/">Bank</a><a href="https://x.test/">secure</a><a href="#here">fragment</a>
<a href="/loop">loop</a>
<a href="/off">off</a><a href="/csv">csv</a><a href="/txt">text</a><a href="/204">204</a><a href="/500">500</a>
<a href="/boom">boom</a></div><span data-tw-hover="tip" tabindex="0">Account</span>
<div id="tip" hidden><a href="/p/2">Two</a><button data-tw-toggle="sub">Sub</button><p id="sub" hidden>text</p></div>
<form action="/s"><input name="q" data-tw-get="/hint?a=b%20c" data-tw-target="hints"><ul id="hints"></ul>
<button>Go</button><button name="b" value="2">Go2</button></form>
<form action="/post?x=1" method="post"><input name="name" value="a&quot;b" required><textarea name="t">
 hi</textarea><input type="hidden"
name="h" value="1" tabindex="3" onclick="1"><input type="checkbox" name="c" checked><label>
<input type="checkbox"
name="d" data-tw-toggle="sub"> D</label><input type="radio" name="r" value="1" checked>
<input type="radio" name="r" value="2">
<select name="s" data-tw-get="/hint" data-tw-target="opt"><option>A<option value="b">B<option disabled>C</select>
<div id="opt"></div><select name="m" multiple><option selected>1<option>2<option selected>3</select>
<input disabled name="x">
<fieldset disabled><input name="fs"></fieldset><input type="number" name="num"><input readonly name="ro" value="x">
<button name="act" value="save">Save</button><button type="reset">Reset</button></form>
<form action="/s"><select name="sort" data-tw-submit><option>up<option>down</select></form><form action="/s">
<input name="l"></form>
<button data-tw-tab="t1">T1</button><button data-tw-tab="t2">T2</button><div id="t1" data-tw-group="g">one
<input name="z"></div>
<div id="t2" data-tw-group="g" hidden>two <a href="/p/3">three</a></div><ul id="more"><li>1</li></ul>
<button data-tw-get="/more?a=1" data-tw-target="more" data-tw-swap="append" name="page" value="2">More</button>
<details><summary>Details</summary><a href="/p/4">in</a></details><table><tbody id="rows"><tr><td>x</td></tr>
</tbody></table>
<a href="/p/9" data-tw-get="/rows" data-tw-target="rows">Rows</a>
<div id="pop" data-tw-modal aria-label="Pop" hidden>Hello
<button data-tw-remove="pop">Close</button></div><button data-tw-toggle="pop">Open</button>
<a href="/p/5" target="_blank">new</a>
<a href="/csv" download>file</a><pre style="height: 2000px">
x

y</pre><noscript><a href="/n">none</a></noscript><svg><a href="/v"></a></svg><p hidden><button>unseen</button></p>
</body></html>"""
FREE = """<!DOCTYPE html><title>free</title><body data-tw-needs-browser><script src="/_tw/tw.js"></script>
<button onclick="for (;;);">hang</button>
<button onclick="alert(1); this.textContent = `${confirm(2)} ${prompt(3)} ${window.open('/x')}`">talk</button>
<button onclick="location = 'http://127.0.0.1:1/'">leave</button>
<button onclick="fetch('/hint?z=1').then((r) => r.text()).then((t) => (this.textContent = t.length))">ask</button>
<button onclick="fetch('http://127.0.0.1:' + this.name).catch(() => (this.textContent = 'walled'))"
name="PORT">reach</button>
<p id="now"></p><script>document.getElementById("now").textContent = new Date().toISOString();</script>"""
SPECIAL = {
    "/post": (303, "location", "/p/done?x#y", ""),
    "/off": (302, "location", "http://evil.com/", ""),
    "/csv": (200, "content-type", "text/csv", "a,b"),
    "/txt": (200, "content-type", "text/plain", "a<b>\n c"),
    "/204": (204, "x", "y", ""),
    "/500": (500, "x", "y", "<h1>bad</h1><a href=/>home</a>"),
    "/rows": (200, "x", "y", "<tr><td>a<td><a href=/p/8>r</a></tr><tr><td>b</td></tr>"),
    "/free": (200, "x", "y", FREE),
}


class Store:
    """What was asked for."""

    now = datetime.datetime(2027, 3, 5)

    def __init__(self) -> None:
        self.log: list[tuple[object, ...]] = []

    def fork(self) -> "Store":
        twin = Store()
        twin.log = list(self.log)
        return twin


async def app(scope, receive, send):
    store, path, headers = scope["state"]["store"], scope["path"], dict(scope["headers"])
    body = (await receive())["body"].decode() if scope["method"] == "POST" else ""
    query, host = scope["query_string"].decode(), headers[b"host"].decode()
    sent: list[tuple[bytes, bytes]] = [(b"content-type", b"text/html; charset=utf-8")]
    status, html = 200, f"<!DOCTYPE html><title>{path}</title><h1>{host}{path}</h1><a href=/>home</a><p>{query}"
    if path == "/_tw/tw.js":
        html, sent = (
            (files("turnwise.worlds.web.browser") / "data" / "tw.js").read_text(),
            [(b"content-type", b"text/javascript")],
        )
    else:
        asked = parse_qsl(query, True), parse_qsl(body, True)
        store.log.append((scope["method"], host, path, *asked, headers.get(b"cookie"), b"x-tw-fragment" in headers))
        sent.append((b"set-cookie", f"v{len(store.log) % 3}=1; Path=/".encode()))
    if path == "/boom":
        raise ValueError("boom")
    if path == "/":
        html = HOME.replace("{n}", str(len(store.log)))
    elif path == "/loop":
        status, html = 302, ""
        sent.append((b"location", f"/loop?{query}x".encode()))
    elif path == "/hint":
        html = f"<li><a href='/p/1'>{query[:40]}</a> <input name=extra></li>"
    elif path == "/more":
        html = "<li>more <button data-tw-toggle=menu>x</button></li>"
    elif path in SPECIAL:
        status, name, value, html = SPECIAL[path]
        sent = [pair for pair in sent if pair[0] != name.encode()] + [(name.encode(), value.encode())]
    await send({"type": "http.response.start", "status": status, "headers": sent})
    await send({"type": "http.response.body", "body": html.encode()})


@pytest.fixture(scope="module", autouse=True)
def _chromium() -> Iterator[None]:
    before = folders()
    yield
    pool.close_all()
    assert children() == set()
    assert folders() <= before


@pytest.fixture(scope="module")
def _there() -> None:
    try:
        ChromiumBrowser(app, Store(), HOSTS, START).close()
    except (SettingsError, MissingDependencyError) as error:
        pytest.skip(f"no Chromium here: {error}")


@pytest.fixture
def made(_there) -> Iterator[type[ChromiumBrowser]]:
    """Makes browsers, and closes them."""
    with contextlib.ExitStack() as stack:

        def make(path: str = "/", **settings: object) -> ChromiumBrowser:
            browser = ChromiumBrowser(app, Store(), HOSTS, START[:-1] + path, COOKIES, **settings)
            stack.callback(browser.close)
            return browser

        yield make


def folders() -> set[str]:
    """Of browsers of this process: those of others have locks of others."""
    return {str(p) for p in Path(tempfile.gettempdir()).glob("turnwise-chromium-*") if p.name in OWN}


OWN: set[str] = set()


def children() -> set[int]:
    """Processes of a browser, or of its driver, below this one; other tests leave sandboxes running."""
    parents, ours = {}, set()
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            fields = (folder / "stat").read_text().rpartition(") ")[2].split()
            parents[int(folder.name)] = int(fields[1]) if fields[0] != "Z" else 0
            command = (folder / "cmdline").read_bytes().lower()
            if b"chrom" in command or b"playwright" in command:
                ours.add(int(folder.name))
    found, grown = {os.getpid()}, -1
    while grown != len(found):
        grown = len(found)
        found |= {pid for pid, parent in parents.items() if parent in found}
    return (found - {os.getpid()}) & ours


def named(browser: Browser, text: str) -> int:
    return next(n for n, node in browser.page.elements.items() if dom.name_of(node) == text)


def click(browser: Browser, text: str) -> str:
    return browser.do(Action("click", named(browser, text)))


def seen(browser: Browser) -> list[str]:
    """All of a page that counts."""
    page = browser.page
    lines = [
        f"{page.url} {page.title} {page.focused} {page.status} {page.serial} {page.note} {page.last} {browser.tabs()}"
    ]
    for node in dom.walk(page.root):
        if node.tag in ("script", "noscript"):
            continue
        names = ("id", "hidden", "checked", "disabled", "aria-expanded", "aria-selected", "href", "open")
        state = {name: node.attrs[name] for name in names if name in node.attrs}
        value = dom.value_of(node) if node.tag in ("input", "textarea", "select") else ""
        many = [dom.text_of(o) for o in dom.chosen(node)] if node.tag == "select" else []
        words = [" ".join(child.split()) for child in node.children if isinstance(child, str) and child.strip()]
        lines.append(f"{node.tag} {node.number} {state} {value!r} {many} {words}")
    return lines


@pytest.mark.parametrize("name", PAGES)
def test_what_chromium_hides_is_hidden(made, name: str) -> None:
    """Of each element that says "yes" or "no", Chromium's own `checkVisibility` says the same."""
    browser = made("/")
    script = """(html) => {
      const page = new DOMParser().parseFromString(html, 'text/html');
      document.head.innerHTML = page.head.innerHTML;
      document.body.innerHTML = page.body.innerHTML;
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), wrong = [];
      while (walker.nextNode()) {
        const text = walker.currentNode.data.trim(), e = walker.currentNode.parentElement;
        if (!['yes', 'no'].includes(text) || e.closest('noscript')) continue;
        const seen = e.checkVisibility({visibilityProperty: true}) && !e.closest('[aria-hidden=true],[inert]');
        if (seen !== (text === 'yes')) wrong.push(e.outerHTML);
      }
      return wrong;
    }"""
    tab = browser._context._tabs[0]
    assert browser._run(tab.evaluate(script, whole(name))) == []


GOTO = ("/", "http://bank.test/p/1#a", "file:///etc/hostname", "data:text/html,x", "javascript:1", "chrome://gpu", "http://evil.com/",
        "http://127.0.0.1/", "shop.test", "/p/ü x?q=a b", "?", "/p//x;?#")  # fmt: skip
TYPED = ("x", "héllo wörld", "a\nb\n", "", "\n\nq", " 7 ", "<b>&amp;", "a'\"b")


def drawn(rng: random.Random, page: dom.Page) -> Action:
    """An action on that page, sensible more often than not."""
    number = rng.choice(list(page.elements))
    node, kind = page.elements[number], rng.random()
    if kind < 0.12:
        verbs = ("goto", "goto", "back", "forward", "new_tab", "tab", "close_tab")
        verb = rng.choice(verbs)
        return Action(verb, rng.randint(1, 3) if verb == "tab" else None, rng.choice(GOTO) if verb == "goto" else "")
    if kind < 0.24:
        keys = ("Enter", "Space", "Tab", "a", "Backspace", "ArrowDown", "Escape")
        return Action("press", number, rng.choice(keys)) if kind < 0.2 else Action("hover", number)
    if node.tag == "select" and kind < 0.9:
        return Action("select", number, dom.text_of(rng.choice(dom.options_of(node))))
    if node.tag in ("input", "textarea") and kind < 0.8:
        if node.attrs.get("type") in ("checkbox", "radio"):
            return Action(rng.choice(("check", "uncheck", "click")), number)
        return Action("fill", number, rng.choice(TYPED))
    return Action("click", number)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 2])
def test_both_drivers_show_and_do_the_same(made, seed):
    rng = random.Random(seed)
    fast, real = HttpBrowser(app, Store(), HOSTS, START, COOKIES), made()
    for step in range(24):
        action = drawn(rng, fast.page) if fast.page.elements and step % 6 else Action("goto", None, START)
        assert fast.do(action) == real.do(action), action
        assert seen(fast) == seen(real), action
        assert fast.store.log == real.store.log, action


@pytest.mark.slow
def test_every_end_of_a_load_is_shown_alike(made):
    fast, real = HttpBrowser(app, Store(), HOSTS, START, COOKIES), made()
    for name in ("loop", "off", "csv", "text", "204", "500", "boom", "fragment", "secure", "file", "new"):
        for browser in (fast, real):
            browser.do(Action("goto", None, START))
            browser.do(Action("click", named(browser, "Menu")))
        assert click(fast, name) == click(real, name), name
        assert seen(fast) == seen(real), name
    assert fast.store.log == real.store.log


def test_scripts_of_a_page_meet_the_wall_and_a_fixed_clock(made):
    browser = made("/free")
    assert "2027-03-05T00:00:00.000Z" in dom.text_of(browser.page.root)
    assert click(browser, "talk") == "" and named(browser, "false null null")
    assert click(browser, "ask") == "" and named(browser, "50")  # the answer was waited for
    port = browser._context.browser._server.port
    browser._run(browser._context._tabs[0].evaluate(f"document.querySelector('[name]').name = {port}"))
    assert click(browser, "reach") == "" and named(browser, "walled")
    assert click(browser, "leave") == ""
    assert browser.page.url == START + "free" and "does not follow" in browser.page.note
    assert browser.tabs() == [("free", START + "free")]
    with pytest.raises(UsageError, match="scripts of its own"):
        browser.fork(Store())


def test_a_fork_is_an_exact_and_independent_copy(made):
    browser = made()
    browser.do(Action("hover", named(browser, "Account")))
    browser.do(Action("fill", named(browser, "Go") - 1, "typed"))
    browser.do(Action("click", named(browser, "More")))
    browser.do(Action("new_tab", None, "http://bank.test/p/1"))
    browser.do(Action("tab", 1))
    twin = browser.fork(browser.store.fork())
    try:
        assert seen(twin) == seen(browser) and twin.store.log == browser.store.log
        browser.do(Action("hover", named(browser, "Menu")))
        before = seen(browser)
        twin.do(Action("hover", named(twin, "Menu")))
        assert seen(twin) == before  # the panel of the hovered element closed in both
        click(twin, "Reset")
        click(twin, "Go2")
        assert twin.page.url == START + "s?q=typed&extra=&b=2"
        assert seen(browser) == before and twin.store.log[:-1] == browser.store.log
        assert twin.store.log[-1][5] == b"sid=start; v1=1; v2=1; v0=1"
    finally:
        twin.close()
    with pytest.raises(UsageError, match="fork"):
        __import__("copy").deepcopy(browser)


def test_screenshots(made):
    browser = made(screenshots=True)
    heights = [int.from_bytes(browser.screenshot(whole)[20:24], "big") for whole in (False, True)]
    assert heights[0] == 900 and heights[1] > 2000
    plain = made()
    with pytest.raises(UsageError, match="screenshots=True"):
        plain.screenshot()


def test_it_works_under_an_event_loop_and_in_threads(made):
    async def inside() -> str:
        return made().page.title

    assert asyncio.run(inside()) == "Home 1"
    browsers = [made() for _ in range(3)]
    names = zip(browsers, ("Go", "Go2", "T1"), strict=True)
    threads = [threading.Thread(target=click, args=(browser, name)) for browser, name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [browser.page.url for browser in browsers] == [START + "s?q=", START + "s?q=&b=2", START]
    assert [len(browser.store.log) for browser in browsers] == [2, 2, 1]


@pytest.mark.slow
def test_a_page_that_hangs_costs_its_own_episode_only(made):
    hung, other = made("/free", timeout_s=1.0), made()
    with pytest.raises(InfrastructureError, match="did not answer in 1 s"):
        click(hung, "hang")
    with pytest.raises(InfrastructureError, match="failed before"):
        hung.do(Action("goto", None, START))
    hung.close()
    assert click(other, "Go") == ""


def test_nothing_is_left_of_episodes(made):
    first = made()
    browser = first._context.browser
    OWN.add(Path(browser._folder.path).name)
    first.close()
    first.close()
    abandoned = [ChromiumBrowser(app, Store(), HOSTS, START) for _ in range(2)]
    abandoned[0].do(Action("new_tab"))
    assert len(browser.process.contexts) == len(browser.episodes) == len(browser.holders) == 2
    del abandoned
    gc.collect()
    eventually(lambda: not browser.process.contexts)
    assert len(browser.episodes) == len(browser.holders) == 0
    with pytest.raises(SettingsError, match="start is"):
        ChromiumBrowser(app, Store(), HOSTS, "http://evil.com/")
    assert not browser.process.contexts and not browser.holders


def test_a_forked_process_cannot_use_the_browser(made):
    browser = made()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads
        child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException):
            try:
                browser.do(Action("goto", None, START))
            except InfrastructureError:
                browser.close()
                pool.close_all()
                code = 0
        os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert click(browser, "Go") == ""


@pytest.mark.slow
def test_a_killed_browser_is_an_infrastructure_error_and_the_next_episode_has_another(made, monkeypatch):
    monkeypatch.setattr(pool, "IDLE_S", 0.3)
    browser = made()
    process = browser._context.browser
    OWN.add(Path(process._folder.path).name)
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(InfrastructureError):
        click(browser, "Go")
    browser.close()
    following = made()
    assert following._context.browser is not process and process._loop.is_closed()
    assert click(following, "Go") == ""
    following._context.browser._server.close()
    with pytest.raises(InfrastructureError, match="ERR_CONNECTION_REFUSED"):
        following.do(Action("goto", None, START))
    following.close()
    eventually(lambda: not pool._running)  # nobody needed it for a while
    eventually(lambda: not children())
    assert not folders()


PROGRAM = """
import sys, time
sys.path.insert(0, sys.argv[1])
from test_chromium import HOSTS, START, ChromiumBrowser, Store, app
browser = ChromiumBrowser(app, Store(), HOSTS, START)
print(browser._context.browser.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.usefixtures("_there")
@pytest.mark.slow
def test_a_killed_program_leaves_no_browser():
    command = [sys.executable, "-c", PROGRAM, str(Path(__file__).parent)]
    with tempfile.TemporaryDirectory() as folder:  # not tmp_path, which is too long for Chromium's sockets
        environment = {**os.environ, "TMPDIR": folder}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as program:
            pid = int(program.stdout.readline())
            program.kill()
        eventually(lambda: not Path(f"/proc/{pid}").exists())
        eventually(lambda: not list(Path(folder).glob("playwright*")))


# ---- without a browser ----------------------------------------------------------------------------------------------


def test_settings():
    with pytest.raises(SettingsError, match="timeout_s is 0"):
        ChromiumBrowser(app, Store(), HOSTS, START, timeout_s=0)
    with pytest.raises(SettingsError, match=r"'evil.com'.*'.test'"):
        ChromiumBrowser(app, Store(), frozenset(("evil.com",)), START)


def test_a_missing_browser_or_package_is_told(monkeypatch):
    pytest.importorskip("playwright", reason="playwright is not installed")
    with pytest.raises(SettingsError, match="executable is '/no/browser'"):
        ChromiumBrowser(app, Store(), HOSTS, START, executable="/no/browser")
    monkeypatch.setenv("TURNWISE_CHROMIUM", "/no/other")
    with pytest.raises(SettingsError, match="TURNWISE_CHROMIUM is '/no/other'"):
        pool._found(None, "/no", True)
    monkeypatch.delenv("TURNWISE_CHROMIUM")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SettingsError, match="playwright install"):
        pool._found(None, "/no", True)
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    with pytest.raises(MissingDependencyError, match=r"turnwise\[browser\]"):
        pool.Chromium(None, True)


def test_the_server_serves_an_episode_its_own_hosts_alone():
    episode = Episode(app, Store(), HOSTS, styled=False)
    document = [(b"upgrade-insecure-requests", b"1")]
    assert episode.answer("GET", "http://evil.test/", document, b"").status == 404
    assert episode.answer("GET", START + "favicon.ico", [], b"").status == 404
    assert episode.answer("GET", START + "x.css", [], b"").status == 404
    assert episode.store.log == []
    episode.preset = "<p>once</p>"
    assert episode.answer("GET", START, document, b"").body == b"<p>once</p>"
    assert b"Home 1" in episode.answer("GET", START, document, b"").body
    answer = episode.answer("GET", START + "500", document, b"")
    assert (answer.status, episode.status) == (200, 500) and "500" in episode.note
    assert episode.answer("GET", START + "500", [], b"").status == 500  # a page's own request


def test_a_person_clicks_through_and_answers():
    pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    with Person(app, Store(), HOSTS, START, "Buy <milk>", COOKIES) as person, httpx.Client() as client:
        port = httpx.URL(person.url).port

        def ask(method: str, url: str, **more: object) -> httpx.Response:
            url = httpx.URL(url)
            headers = {"host": f"{url.host}:{port}", "upgrade-insecure-requests": "1"}
            return client.request(method, url.copy_with(host="127.0.0.1"), headers=headers, **more)

        note = ask("GET", person.url).text
        assert "Buy &lt;milk&gt;" in note and f'src="http://shop.localhost:{port}/"' in note
        assert ask("GET", person.url.partition("?")[0]).status_code == 403
        home = ask("GET", person.here(START))
        assert f'href="http://bank.localhost:{port}/"' in home.text and "set-cookie" not in home.headers
        sent = ask("POST", person.here(START + "post"), data={"a": "b"})
        assert sent.headers["location"] == f"http://shop.localhost:{port}/p/done?x#y"
        assert person._store.log[-1][5] == b"sid=start; v1=1"
        assert ask("GET", f"http://evil.localhost:{port}/").status_code == 404
        assert person.log == ["opened http://shop.test/", "sent http://shop.test/post (a=b)"]
        assert person.wait(0) is None
        key = httpx.URL(person.url).params["key"]
        assert ask("GET", f"http://turnwise.localhost:{port}/state?key={key}").json()["url"] == START
        ask("POST", f"http://turnwise.localhost:{port}/end", data={"key": key, "verb": "answer", "text": " 7 "})
        assert person.wait(1) == Action("answer", text="7")
