"""A site whose pages have all that the driver without a browser must handle."""

import asyncio
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from turnwise.worlds.web.actions.actions import parse_actions
from turnwise.worlds.web.browser.http import HttpBrowser
from turnwise.worlds.web.browser.page.dom import Node, name_of, text_of

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
