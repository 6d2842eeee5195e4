"""The landing page in a browser, with a token and without."""

import json
import shutil
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.serve.clients import sessions, until
from turnwise.serve.run import ServeConfig, serving
from turnwise.session.session import Session

pytestmark = pytest.mark.slow
TOKEN = "a-token-of-some-length"
FLAGS = "--headless --disable-gpu --disable-quic --no-first-run --disable-background-networking"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    program = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))), None)
    if program is None:
        pytest.skip("no Chromium on the path")
    sync_api = pytest.importorskip("playwright.sync_api", reason="drives the browser")
    with sync_api.sync_playwright() as started:
        flags = [*FLAGS.split(), "--no-sandbox", "--disable-component-update", "--disable-sync"]
        found = started.chromium.launch(executable_path=program, args=flags)
        yield found
        found.close()


@pytest.mark.parametrize("token", ["", TOKEN])
@pytest.mark.parametrize("width", [375, 768, 1280])
def test_a_game_is_played_in_the_browser(browser: Any, token: str, width: int) -> None:
    local = Session("GuessNumber")
    local.start(7)
    headers = {"X-API-Key": token or "none"}
    tab = browser.new_context(viewport={"width": width, "height": 800}).new_page()
    wrong: list[str] = []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("console", lambda said: wrong.append(said.text))
    with (
        serving(ServeConfig(["Mastermind", "GuessNumber"], port=0, token=token)) as url,
        httpx.Client(base_url=url, headers=headers) as http,
    ):
        tab.goto(url)
        if token:
            assert "GuessNumber" not in tab.content()
            tab.fill("#token", "not-the-token-at-all")
            tab.click("#lock button")
            tab.wait_for_selector("#wrong:not([hidden])")
            tab.fill("#token", token)
            tab.click("#lock button")
        tab.wait_for_selector("#begin")
        tab.fill("#seed", "7")
        tab.click("[data-env=GuessNumber]")
        count = 1
        tab.wait_for_selector("#play:not([disabled])")
        while not local.done:
            action = local.env.unwrapped.oracle() if count > 3 else "<answer>0</answer>"
            seen = local.reply(action).text
            tab.fill("#text", action)
            tab.click("#play")
            count += 2
            tab.locator(f":nth-match(#log pre:not(.end), {count})").wait_for()
            assert tab.locator("#log pre.env").last.text_content() == seen
            if not local.done:
                tab.wait_for_selector("#play:not([disabled])")
        assert tab.locator("#log pre.end").text_content() == "Return 1, solved"
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert sessions(http) == 1
        if token:
            tab.reload()
            tab.wait_for_selector("#begin")  # the tab knows it still
            assert json.loads(tab.evaluate("JSON.stringify(sessionStorage)")) == {"turnwise-token": token}
            assert token not in tab.url and not tab.context.cookies()
        tab.goto("about:blank")
        until(lambda: sessions(http) == 0, "a page that was left has a session still")
    assert not wrong
    tab.context.close()
