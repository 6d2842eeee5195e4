"""Solutions of some tasks of MiniWoB++, as functions of what an agent reads: proof that text is enough for them.

Each takes the task's utterance, the text of the page (below its head), and the actions done so far, and gives the next
action. They know nothing else.
"""

import datetime
import re
from collections.abc import Callable
from typing import NamedTuple

__all__ = ["ORACLES"]

Oracle = Callable[[str, str, list[str]], str]

ORACLES: dict[str, Oracle] = {}
"""The solutions, by the names of their tasks."""
_TEXT = r"'(?:[^'\\]|\\.)*'"
_CONTROL = re.compile(rf"""\[(\d+)\] (\w+)(?: ({_TEXT}|"[^"]*"))?((?: (?:\w+={_TEXT}|\w+(?! '))(?=\s|$))*)""")
_ORDINALS = {"1st": 0, "2nd": 1, "3rd": 2}


def _solves(*tasks: str) -> Callable[[Oracle], Oracle]:
    """Register a function as the solution of tasks."""

    def add(oracle: Oracle) -> Oracle:
        ORACLES.update(dict.fromkeys(tasks, oracle))
        return oracle

    return add


class _Control(NamedTuple):
    """An element of the page's text."""

    number: int
    role: str
    name: str
    state: str


def _controls(page: str, *roles: str) -> list[_Control]:
    found = [
        _Control(int(m[1]), m[2], re.sub(r"\\(.)", r"\1", (m[3] or "")[1:-1]), m[4]) for m in _CONTROL.finditer(page)
    ]
    return [control for control in found if not roles or control.role in roles]


def _named(page: str, name: str, *roles: str) -> _Control:
    """The first element of that name, else the first that has it but for its case."""
    found = _controls(page, *roles)
    for control in found:
        if control.name == name:
            return control
    return next(control for control in found if control.name.casefold() == name.casefold())


def _click(control: _Control) -> str:
    return f"click({control.number})"


def _fill(control: _Control, text: str) -> str:
    return f"fill({control.number}, {text!r})"


def _quotes(task: str) -> list[str]:
    return re.findall(r'"(.*?)"', task)


def _in_order(*steps: Callable[[], str]) -> Callable[[list[str]], str]:
    """Step after step."""
    return lambda done: steps[min(len(done), len(steps) - 1)]()


def _fields(page: str) -> list[_Control]:
    return _controls(page, "textbox", "searchbox", "spinbutton")


def _filled(page: str, texts: list[str], submit: str, done: list[str]) -> str:
    """Fill the page's fields one after the other, then press the button."""
    if len(done) < len(texts):
        return _fill(_fields(page)[len(done)], texts[len(done)])
    return _click(_named(page, submit, "button"))


# ---- click ----------------------------------------------------------------------------------------------------------


@_solves("click-test", "click-test-2", "click-test-transfer")
def _click_test(task: str, page: str, done: list[str]) -> str:
    wanted = re.search(r"button (ONE|TWO)", task)
    return _click(_named(page, wanted[1]) if wanted else _controls(page, "button")[0])


@_solves("click-button", "click-link", "unicode-test")
def _click_quoted(task: str, page: str, done: list[str]) -> str:
    return _click(_named(page, _quotes(task)[0]))


@_solves("click-button-sequence")
def _click_sequence(task: str, page: str, done: list[str]) -> str:
    return _click(_named(page, ("TWO" if done else "ONE")))


@_solves("click-dialog", "click-dialog-2")
def _click_dialog(task: str, page: str, done: list[str]) -> str:
    name = _quotes(task)[0]
    return _click(_named(page, "Close" if name == "x" else name))


@_solves("click-tab")
def _click_tab(task: str, page: str, done: list[str]) -> str:
    return _click(_named(page, re.search(r"Tab #\d+", task)[0]))  # type: ignore[index]


@_solves(
    "click-collapsible-2",
    "click-collapsible-2-nodelay",
    "click-tab-2",
    "click-tab-2-easy",
    "click-tab-2-hard",
    "click-tab-2-medium",
)
def _search_parts(task: str, page: str, done: list[str]) -> str:
    """Open one tab or section after the other until the link is there."""
    parts = [c for c in _controls(page) if re.fullmatch(r"(Tab|Section) #\d+|\d+", c.name)]
    found = [c for c in _controls(page, "button", "link") if c.name == _quotes(task)[0] and c not in parts]
    return _click(found[0] if found else parts[len(done)])


@_solves("click-collapsible", "click-collapsible-nodelay")
def _click_collapsible(task: str, page: str, done: list[str]) -> str:
    return _click(_named(page, "Submit") if done else _controls(page, "tab")[0])


@_solves("click-color")
def _click_color(task: str, page: str, done: list[str]) -> str:
    return _click(_named(page, "color " + re.search(r"on the (\w+) colored", task)[1]))  # type: ignore[index]


@_solves("click-widget")
def _click_widget(task: str, page: str, done: list[str]) -> str:
    role = {"text": "textbox", "textarea": "textbox"}.get(_quotes(task)[0], _quotes(task)[0])
    found = _controls(page, role)
    if _quotes(task)[0] == "button":
        found = [c for c in found if c.name]
    return _click(found[0])


@_solves("click-menu")
def _click_menu(task: str, page: str, done: list[str]) -> str:
    path = task.removeprefix("Select ").split(">")
    item = _named(page, path[len(done)], "menuitem")
    return _click(item) if len(done) == len(path) - 1 else f"hover({item.number})"


@_solves("buy-ticket")
def _buy_ticket(task: str, page: str, done: list[str]) -> str:
    tickets = re.findall(r"(\d+)h (\d+)m\s+\[(\d+)\] button 'Book for \$(\d+)'", page)
    by = (lambda t: int(t[3])) if re.search("cheap|expensive", task) else (lambda t: int(t[0]) * 60 + int(t[1]))
    best = (max if re.search("longest|expensive", task) else min)(tickets, key=by)
    return f"click({best[2]})"


@_solves("odd-or-even")
def _odd_or_even(task: str, page: str, done: list[str]) -> str:
    rows = re.findall(r"\[(\d+)\] button 'Odd'.*\s+(?:text: )?(-?\d+)\s+\[(\d+)\] button 'Even'", page)
    if len(done) == len(rows):
        return _click(_named(page, "Submit"))
    odd, number, even = rows[len(done)]
    return f"click({odd if int(number) % 2 else even})"


@_solves("navigate-tree")
def _navigate_tree(task: str, page: str, done: list[str]) -> str:
    name = _quotes(task)[0]
    found = [c for c in _controls(page) if c.name == name]
    if found:
        return _click(found[0])
    return _click(next(c for c in _controls(page, "button") if "expandable-hitarea" in c.name))


# ---- choose ---------------------------------------------------------------------------------------------------------


@_solves("click-checkboxes", "click-checkboxes-large", "click-checkboxes-transfer")
def _checkboxes(task: str, page: str, done: list[str]) -> str:
    names = re.search(r"Select (.*) and click Submit", task)[1].split(", ")  # type: ignore[index]
    left = [c for c in _controls(page, "checkbox") if c.name in names and "checked" not in c.state]
    return f"check({left[0].number})" if left else _click(_named(page, "Submit"))


@_solves("click-option")
def _option(task: str, page: str, done: list[str]) -> str:
    name = re.search(r"Select (.*) and click Submit", task)[1]  # type: ignore[index]
    return _click(_named(page, "Submit")) if done else f"check({_named(page, name, 'radio').number})"


@_solves("choose-list", "click-scroll-list")
def _choose_list(task: str, page: str, done: list[str]) -> str:
    names = re.search(r"Select (.*) from the (?:scroll )?list", task)[1].split(", ")  # type: ignore[index]
    box = _controls(page, "combobox", "listbox")[0]
    return _click(_named(page, "Submit")) if done else f"select({box.number}, {', '.join(map(repr, names))})"


@_solves("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
def _choose_date(task: str, page: str, done: list[str]) -> str:
    wanted = datetime.datetime.strptime(task.split()[1], "%m/%d/%Y")
    shown = re.search(r"^([A-Z][a-z]+) (2\d{3})$", page, re.M)
    if shown is None:
        return _click(_named(page, "Submit") if done else _fields(page)[0])
    month = datetime.datetime.strptime(shown[0], "%B %Y").month
    return _click(_named(page, str(wanted.day) if month == wanted.month else "Prev", "link"))


@_solves("form-sequence-2")
def _form_sequence_2(task: str, page: str, done: list[str]) -> str:
    box, number, field = re.search(r"the (\w+) radio .*number \"(-?\d+)\" into the (\w+) textbox", task).groups()  # type: ignore[union-attr]
    return _in_order(
        lambda: f"check({_controls(page, 'radio')[_ORDINALS[box]].number})",
        lambda: _fill(_fields(page)[_ORDINALS[field]], number),
        lambda: _click(_named(page, "Submit")),
    )(done)


# ---- type -----------------------------------------------------------------------------------------------------------


@_solves("enter-text", "enter-text-2", "enter-text-dynamic")
def _enter_text(task: str, page: str, done: list[str]) -> str:
    text = _quotes(task)[0]
    text = text.upper() if "upper case" in task else text.lower() if "lower case" in task else text
    return _filled(page, [text], "Submit", done)


@_solves("enter-password")
def _enter_password(task: str, page: str, done: list[str]) -> str:
    return _filled(page, _quotes(task)[:1] * 2, "Submit", done)


@_solves("login-user")
def _login(task: str, page: str, done: list[str]) -> str:
    return _filled(page, _quotes(task)[:2], "Login", done)


@_solves("focus-text", "focus-text-2")
def _focus(task: str, page: str, done: list[str]) -> str:
    place = re.search(r"the (\d\w\w) input", task)
    return _click(_fields(page)[_ORDINALS[place[1]] if place else 0])


@_solves("enter-date")
def _enter_date(task: str, page: str, done: list[str]) -> str:
    wanted = datetime.datetime.strptime(task.split()[1], "%m/%d/%Y")
    return _filled(page, [f"{wanted:%Y-%m-%d}"], "Submit", done)


@_solves("enter-time")
def _enter_time(task: str, page: str, done: list[str]) -> str:
    wanted = datetime.datetime.strptime(re.search(r"\d+:\d+ [AP]M", task)[0], "%I:%M %p")  # type: ignore[index]
    return _filled(page, [f"{wanted:%H:%M}"], "Submit", done)


@_solves("text-transform")
def _text_transform(task: str, page: str, done: list[str]) -> str:
    return _filled(page, [_body(page)[0].removeprefix("text: ")], "Submit", done)


@_solves("find-word")
def _find_word(task: str, page: str, done: list[str]) -> str:
    words = re.findall(r"\w+", " ".join(line for line in _body(page) if not line.startswith("[")))
    return _filled(page, [words[int(re.search(r"\d+", task)[0]) - 1]], "Submit", done)  # type: ignore[index]


@_solves("scroll-text")
def _scroll_text(task: str, page: str, done: list[str]) -> str:
    text = re.search(r"textbox value='(.*?)'(?:\s|$)", page)[1]  # type: ignore[index]
    last = re.findall(r"\w+", text)[-1]
    return _click(_named(page, "Submit")) if done else _fill(_fields(page)[1], last)


def _body(page: str) -> list[str]:
    return [line.strip() for line in page.splitlines()]


@_solves("read-table", "read-table-2")
def _read_table(task: str, page: str, done: list[str]) -> str:
    table = dict(re.findall(r"^ *([\w ]+) \| (.*)$", page, re.M))
    asked = re.findall(r"^ *([\w ]+): \[\d+\] textbox", page, re.M)
    if not asked:
        asked = [re.search(r"value of (.*) into", task)[1]]  # type: ignore[index]
    return _filled(page, [table[label] for label in asked], "Submit", done)


@_solves("simple-arithmetic")
def _arithmetic(task: str, page: str, done: list[str]) -> str:
    left, sign, right = re.search(r"(-?\d+) ([-+x]) (-?\d+) =", page).groups()  # type: ignore[union-attr]
    a, b = int(left), int(right)
    return _filled(page, [str(a + b if sign == "+" else a - b if sign == "-" else a * b)], "Submit", done)


@_solves("simple-algebra")
def _algebra(task: str, page: str, done: list[str]) -> str:
    left, sign, right, total = re.search(r"(x|\d+) ([-+]) (x|\d+) = (-?\d+)", page).groups()  # type: ignore[union-attr]
    if left == "x":
        x = int(total) - int(right) if sign == "+" else int(total) + int(right)
    else:
        x = int(total) - int(left) if sign == "+" else int(left) - int(total)
    return _filled(page, [str(x)], "Submit", done)


@_solves("use-spinner")
def _spinner(task: str, page: str, done: list[str]) -> str:
    wanted = int(re.search(r"Select (-?\d+)", task)[1])  # type: ignore[index]
    value = int(re.search(r"value='(-?\d+)'", page)[1])  # type: ignore[index]
    if value == wanted:
        return _click(_named(page, "Submit"))
    return _click(next(c for c in _controls(page) if ("spinner-up" if wanted > value else "spinner-down") in c.name))


@_solves("guess-number")
def _guess_number(task: str, page: str, done: list[str]) -> str:
    """Half of what is left; the feedback on a guess stands on the page, earlier ones are in what was done."""
    guesses = [int(m[1]) for action in done if (m := re.match(r"fill\(\d+, '(\d+)'", action))]
    if len(done) % 2:
        return _click(_named(page, "Submit"))
    low, high = 0, 9
    for guess in guesses[:-1]:  # what was guessed next says on which side the number is
        higher = guesses[guesses.index(guess) + 1] > guess
        low, high = (guess + 1, high) if higher else (low, guess - 1)
    if guesses:
        low, high = (guesses[-1] + 1, high) if "higher" in page else (low, guesses[-1] - 1)
    return _fill(_fields(page)[0], str((low + high) // 2))


@_solves("search-engine")
def _search_engine(task: str, page: str, done: list[str]) -> str:
    place = int(re.search(r"the (\d+)\w\w search result", task)[1]) - 1  # type: ignore[index]
    if len(done) < 2:
        return _filled(page, _quotes(task)[:1], "Search", done)
    if len(done) == 2 and place >= 3:
        return _click(_named(page, str(place // 3 + 1), "link"))
    results = [c for c in _controls(page, "link") if not re.fullmatch(r"\d|[<>]|First|Last|Previous|Next", c.name)]
    return _click(results[place % 3])


@_solves("use-autocomplete", "use-autocomplete-nodelay")
def _autocomplete(task: str, page: str, done: list[str]) -> str:
    start, *end = _quotes(task)
    if not done:
        return _fill(_fields(page)[0], start)
    items = [c for c in _controls(page, "menuitem", "listitem") if not end or c.name.endswith(end[0])]
    return _click(items[0]) if items else _click(_named(page, "Submit"))


@_solves("multi-layouts", "multi-orderings")
def _multi(task: str, page: str, done: list[str]) -> str:
    """Fields with their labels: both in a row, or all labels before, or all after their fields."""
    genre, director, year = re.search(r"for (.*) movies directed by (.*) from year (\d+)", task).groups()  # type: ignore[union-attr]
    wanted = {"Genre": genre, "Director": director, "Year": year, "Released": year}
    labels = re.findall(r"\b(Genre|Director|Year|Released)\b", page)
    return _filled(page, [wanted[label] for label in labels], _controls(page, "button")[-1].name, done)


# ---- mail and posts -------------------------------------------------------------------------------------------------


@_solves("email-inbox-delete", "email-inbox-important")
def _mail_icon(task: str, page: str, done: list[str]) -> str:
    name = re.search(r"email by (\w+)", task)[1]  # type: ignore[index]
    icon = "trash" if "trash" in task else "star"
    after = page[re.search(rf"^ *{name}$", page, re.M).end() :]  # type: ignore[union-attr]
    return _click(_named(after, icon, "button"))


@_solves("social-media-all", "social-media-some")
def _like(task: str, page: str, done: list[str]) -> str:
    name = re.search(r"by (@\w+)", task)[1]  # type: ignore[index]
    button = {"like": "like", "retweet": "retweet", "reply": "reply", "share": "share"}[_quotes(task)[0].lower()]
    posts = [m.end() for m in re.finditer(rf"{name}\b", page)]
    many = re.search(r"on (\d+) posts?", task)
    if len(done) < (int(many[1]) if many else len(posts)):
        return _click(next(c for c in _controls(page[posts[len(done)] :], "button") if c.name.startswith(button)))
    return _click(_named(page, "Submit"))
