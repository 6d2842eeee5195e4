"""The driver without a browser: requests, forms, history, tabs, declared behaviour, forks, and sites that fail."""

import pickle
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worlds.web._browser_site import do, number, opened, said
from turnwise.worlds.web.actions.actions import parse_actions
from turnwise.worlds.web.browser.page.dom import name_of, text_of, to_html
from turnwise.worlds.web.browser.page.forms import encoded


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
        ("fill(<Save>, 'x')", "not a text field"),
        ("fill(<Size>, 'S')", "use select"),
        ("fill(<Day>, 'tomorrow')", "such as 2027-03-05"),
        ("select(<Size>, 'XL')", "it has: 'S', 'Medium size', 'L'"),
        ("select(<Size>, 'L')", "disabled"),
        ("select(<Size>, 'S', 'm')", "one option"),
        ("select(<Name>, 'S')", "not a list"),
        ("check(<Name>)", "not a check box"),
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
