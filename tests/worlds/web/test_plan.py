"""Plans on live pages: which element a step means, scrolling and turning over, what is said when none is meant."""

from pathlib import Path

import pytest

import tests.worlds.web._pad  # noqa: F401  (registers the site)
from turnwise.core.draw import Draw
from turnwise.worlds.web.actions.actions import Action
from turnwise.worlds.web.browser.page.dom import Page
from turnwise.worlds.web.browser.text.read import View
from turnwise.worlds.web.site.plan import PlanError, follows, locate, next_action, perform, whole_plan
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.site.steps import (
    Plan,
    Step,
    answer,
    back,
    check,
    click,
    close_tab,
    done,
    fill,
    goto,
    hover,
    infeasible,
    new_tab,
    press,
    select,
    tab,
    uncheck,
)
from turnwise.worlds.web.site.tasks import Answer, Draft, World
from turnwise.worlds.web.site.tryout import main, outcome, task_set

WORLD = World(4, 20)
HTML = """
<title>Shop</title><nav><a href="/cart">Cart</a></nav><main>
<form><input aria-label="Search" type="search"><button>Search</button></form>
<section><h2>Mugs</h2><ul>
 <li>Red mug <form><button>Buy</button></form></li>
 <li>Red mug, large <button>Buy</button></li>
 <li>Blue mug <button>Buy</button> <button hidden>Wrap</button></li></ul></section>
<p>Blue mug is our best.</p><a href="/cart">Cart</a> <a href="/help">Help</a> <button>Help</button>
<label>Size <select><option>S</option><option>L</option></select></label>
<label><input type="checkbox"> Size</label>
<table><tr><td>Tea</td><td><a href="/tea">Open</a></td></tr>
<tr><td>Milk</td><td><a href="/milk">Open</a></td></tr></table>
</main>"""


@pytest.fixture
def page() -> Page:
    return Page("http://shop.test/", HTML)


def the_action(step: Step, page: Page, view: View | None = None, top: int = 0) -> tuple[Action, bool]:
    return next_action((step,), 0, page, view or View(), top)


def number(page: Page, text: str) -> int:
    """The number of the element whose row has that text."""
    return next(n for n, node in page.elements.items() if text in str(node.attrs.get("href", "")) or text == node.tag)


def test_elements_are_found_by_what_a_reader_sees(page: Page) -> None:
    assert the_action(fill("Search", "tea"), page)[0] == Action("fill", 2, "tea")
    assert the_action(click("Search"), page)[0] == Action("click", 3)
    assert the_action(press("Search", "Enter", role="searchbox"), page)[0] == Action("press", 2, "Enter")
    assert the_action(click("Cart"), page)[0] == Action("click", 1)  # two links that lead to the same
    assert the_action(click("Help", role="button"), page)[0].element == 10
    assert the_action(select("Size", "L"), page)[0] == Action("select", 11, "L")
    assert the_action(check("Size"), page)[0] == Action("check", 12)
    assert the_action(uncheck("Size"), page)[0] == Action("uncheck", 12)
    assert the_action(click("Open", near="Milk"), page)[0].element == number(page, "/milk")
    assert the_action(hover("Help", role="link"), page)[0] == Action("hover", 9)


def test_near_takes_the_narrowest_surroundings(page: Page) -> None:
    assert the_action(click("Buy", near="Blue mug"), page)[0].element == 6
    assert the_action(click("Buy", near="Red mug"), page)[0].element == 4
    assert the_action(click("Buy", near="Red mug, large"), page)[0].element == 5


def test_steps_without_an_element(page: Page) -> None:
    steps = [goto("http://shop.test/a"), back(), new_tab(), tab(2), close_tab(), answer("12"), done(), infeasible("no")]
    wanted = [
        Action("goto", None, "http://shop.test/a"), Action("back"), Action("new_tab"), Action("tab", 2),
        Action("close_tab"), Action("answer", None, "12"), Action("done"), Action("infeasible", None, "no"),
    ]  # fmt: skip
    assert [the_action(step, page) for step in steps] == [(action, True) for action in wanted]


def test_what_cannot_be_meant_is_told(page: Page) -> None:
    for step, words in [
        (click("Buy"), ["3 elements", "button [4] in 'Red mug Buy'; button [5] in 'Red mug, large Buy'", "near="]),
        (click("Help"), ["2 elements", "link [9]; button [10]; choose one", "role="]),
        (click("Card"), ["click(name='Card')", "http://shop.test/", "'Cart'"]),
        (click("Wrap"), ["'Wrap' (hidden)"]),
        (click("Buy", near="Green mug"), ["near='Green mug'", "'Buy'"]),
        (fill("Cart", "1"), ["no such element", "link 'Cart'"]),
    ]:
        with pytest.raises(PlanError) as raised:
            locate(step, page)
        assert all(word in str(raised.value) for word in words), (step, str(raised.value))


def test_scrolls_to_what_is_out_of_view(page: Page) -> None:
    view = View(lines=5)
    step = click("Open", near="Milk")
    assert the_action(step, page, view) == (Action("scroll", None, "down"), False)
    assert the_action(step, page, view, 15)[1]
    assert the_action(click("Cart"), page, view, 10) == (Action("scroll", None, "up"), False)


def test_follows_only_the_very_action(page: Page) -> None:
    plan: Plan = (fill("Search", "tea"), click("Buy", near="Blue mug"), done())
    assert follows(plan, 0, page, View(), 0, Action("fill", 2, "tea"))
    for action in (Action("fill", 2, "milk"), Action("fill", 3, "tea"), Action("click", 2), Action("fill", 99, "tea")):
        assert not follows(plan, 0, page, View(), 0, action)
    assert follows(plan, 1, page, View(), 0, Action("click", 6))
    assert not follows(plan, 1, page, View(), 0, Action("click", 5))
    assert follows(plan, 2, page, View(), 0, Action("done"))
    assert not follows(plan, 3, page, View(), 0, Action("done"))
    assert not follows((click("Gone"),), 0, page, View(), 0, Action("click", 6))


def test_endings_are_added() -> None:
    step = click("x")
    assert whole_plan(Draft("", (step,))) == (step, done())
    assert whole_plan(Draft("", (step,), answer=Answer.items(["a", "b"])))[-1] == answer("a; b")
    assert whole_plan(Draft("", (), infeasible="No.")) == (infeasible("No."),)
    assert whole_plan(Draft("", (step, answer("twelve")), answer=Answer.of("number", 12)))[-1] == answer("twelve")


def test_turns_pages_over_until_it_is_there() -> None:
    title = WORLD("pad").row("SELECT title FROM note WHERE id = 15")
    run = perform(Draft("", (click(title, via="Next"),)), WORLD, ("pad",), show=lambda page: page.title)
    assert [action.verb for action in run.actions] == ["click", "click", "done"]
    assert run.pages == ["Notes - Pad", "Notes - Pad", f"{title} - Pad"]
    run = perform(Draft("", (click("Nothing", via="Next"),)), WORLD, ("pad",))
    assert run.judged is None
    assert "Nothing" in run.error
    assert len(run.actions) == 1


def test_a_run_tells_which_steps_wrote() -> None:
    draft = Draft("", (click("New note"), fill("Title", "Tea"), click("Save"), click("New note")))
    run = perform(draft, WORLD, ("pad",))
    assert run.writes == [2]
    assert run.judged is not None
    assert len(run.judged.collateral) == 1


def test_browser_errors_break_a_run_off() -> None:
    run = perform(Draft("", (goto("http://bank.test/"),)), WORLD, ("pad",))
    assert not run.correct
    assert "goto" in run.error


@pytest.mark.parametrize("size", [20, 60])
def test_the_tool_finds_a_sound_site_sound(size: int) -> None:
    for template in site_named("pad").templates():
        found = outcome(template, range(6), size)
        assert (found.drafts, found.solved, found.failures) == (6, 6, []), template.name
        assert {"at once", "stray"} <= set(found.wrong)
        assert ("left out" in found.wrong) == (template.name in ("pad.write", "pad.paint", "pad.remove"))


def test_the_tool_finds_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = site_named("pad")
    template = next(t for t in site.templates() if t.name == "pad.write")

    def drawn(**changed: object) -> list[tuple[str, str]]:
        def draw(world: World, draw: Draw) -> Draft | None:
            draft = template.draw(world, draw)
            assert draft is not None
            return Draft(**{**vars(draft), **changed})  # type: ignore[arg-type]

        return outcome(template._replace(draw=draw), range(2), 20).failures

    assert drawn() == []
    assert "missing" in drawn(plan=(click("New note"),))[0][0]
    assert "no such element" in drawn(plan=(click("New nota"),))[0][0]
    assert "New note" in drawn(plan=(click("New nota"),))[0][1], "the page is shown"
    assert "not asked for" in drawn(changes=())[0][0]
    assert "at once" in drawn(plan=(), changes=())[0][0]

    file = tmp_path / "jot.py"
    file.write_text((Path(__file__).parent / "_pad.py").read_text().replace("pad", "jot"))
    assert main([str(file), "--template", "write", "--seeds", "2", "--size", "20"]) == 0
    assert "jot.write" in capsys.readouterr().out
    assert main(["pad", "--template", "pad.number", "--show", "--size", "20"]) == 0
    assert ">>> Action(verb='answer'" in capsys.readouterr().out
    assert task_set("pad") is site_named("pad")
