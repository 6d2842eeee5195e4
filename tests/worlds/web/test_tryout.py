"""What an author of a site reads when something in it is wrong: from decorators, drafts, databases, and the tool."""

import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tests.worlds.web._pad  # noqa: F401  (registers the site)
from turnwise.core.draw import Draw
from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError
from turnwise.worlds.web.site.cast import Cast
from turnwise.worlds.web.site.pages import Pages
from turnwise.worlds.web.site.plan import perform
from turnwise.worlds.web.site.site import Site, register_site, site_named
from turnwise.worlds.web.site.steps import click, fill, goto
from turnwise.worlds.web.site.tasks import Answer, Change, Draft, Goal, Tasks, World, delete, insert, update
from turnwise.worlds.web.site.tryout import main, outcome, task_set
from turnwise.worlds.web.site.visit import Visit
from turnwise.worlds.web.site.watch import Watch, draft_faults, site_faults

PAD = (Path(__file__).parent / "_pad.py").read_text()
WORLD = World(4, 20)
STEP = click("New note")


def variant(folder: Path, name: str, *changes: tuple[str, str]) -> str:
    """A file with a site like the pad, changed."""
    text = PAD.replace("pad", name).replace("Pad", name.title())
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (folder / f"{name}.py").write_text(text)
    return str(folder / f"{name}.py")


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the tool prints of a site in which something failed."""
    assert main([*arguments, "--seeds", "2", "--size", "20"]) == 1
    return capsys.readouterr().out


ADDED = 'return visit.redirect("/", flash="Saved.")'


# ---- handlers --------------------------------------------------------------------------------------------------------


def test_an_error_of_a_handler_is_logged_undone_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    out = told(capsys, variant(tmp_path, "crashing", (ADDED, "return 1 / 0")), "--template", "write")
    assert "crashing.write, seed 0" in out
    assert "POST http://crashing.test/new: an error in the site" in out
    assert 'crashing.py", line' in out
    assert "ZeroDivisionError" in out
    assert "web/app.py" not in out, "only the author's own lines"

    caplog.clear()
    plan = (click("New note"), fill("Title", "Tea"), click("Save"))
    run = perform(Draft("", plan), WORLD, ("crashing",), show=lambda page: page.title + page.note)
    assert run.pages[-1] == "The server answered 500 (Internal Server Error)."
    assert run.judged is not None, "the episode is judged as usual"
    assert run.judged.collateral == (), "what the handler wrote is undone"
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("turnwise.worlds.web", logging.ERROR)
    assert "crashing.add" in record.getMessage()
    assert "http://crashing.test/new" in record.getMessage()
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


@pytest.mark.parametrize(
    ("name", "end", "words"),
    [
        ("nothing", "pass", "nothing.add returned nothing; a handler returns visit.show("),
        ("markup", 'return m.paragraph("x")', "markup.add returned Markup('<p>x</p>')"),
        ("waiting", 'return (lambda: (yield))()', "waiting.add returned <generator"),
        ("wrong", "return Answered(body=b'x')", "'bytes' object has no attribute 'encode'"),
    ],
)  # fmt: skip
def test_a_handler_that_answers_nothing_commits_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, end: str, words: str
) -> None:
    assert words in told(capsys, variant(tmp_path, name, (ADDED, end)), "--template", "write")
    run = perform(Draft("", (click("New note"), fill("Title", "Tea"), click("Save"))), WORLD, (name,))
    assert run.judged is not None
    assert run.judged.collateral == ()


def test_no_error_of_a_handler_voids_an_episode(tmp_path: Path) -> None:
    """Errors of turnwise itself would, if they came through."""
    task_set(variant(tmp_path, "misled", (ADDED, "import turnwise.worlds.web.site.site as s; s.site_named('x')")))
    watch = Watch()
    run = perform(Draft("", (STEP, fill("Title", "x"), click("Save"))), WORLD, ("misled",), app=watch)
    assert run.judged is not None
    (fault,) = watch.faults
    assert "SettingsError: there is no site 'x'" in fault


def test_an_async_handler_is_told(tmp_path: Path) -> None:
    task_set(variant(tmp_path, "awaiting", ("def new(visit", "async def new(visit")))
    watch = Watch()
    perform(Draft("", (STEP,)), WORLD, ("awaiting",), app=watch)
    assert "awaiting.new is `async def`; handlers are plain functions" in watch.faults[0]


def test_a_page_that_writes_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    title = "title, colour, body = visit.row("
    write = "visit.run('UPDATE note SET {} = 7 WHERE id = ?', number); " + title
    out = told(capsys, variant(tmp_path, "writing", (title, write.format("body"))), "--template", "paint")
    assert "GET http://writing.test/note/" in out
    assert "a page must only read, and this one wrote writing.note (" in out
    assert "volatile" in out
    task_set(variant(tmp_path, "counting", (title, write.format("views"))))
    for one in site_named("counting").templates():
        assert outcome(one, range(2), 20).failures == []


# ---- decorators and classes ------------------------------------------------------------------------------------------


def _handler(visit: Visit) -> Any:
    """Of no site."""


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Pages().page("suggest"), r"write page\('/suggest'\)"),
        (lambda: Pages().action("suggest"), r"write action\('/suggest'\)"),
        (lambda: Pages().page(_handler), r"write @pages\.page\('/orders'\)"),  # type: ignore[arg-type, type-var]
        (lambda: Pages().page("/a/{number:whole}"), "cannot be parsed: .*whole"),
        (lambda: Pages().page("/a?x={x}"), "parameters are in visit.query"),
        (
            lambda: Pages().page("/a/{number:int}")(_handler),
            r"takes no argument 'number'.*def _handler\(visit, number\)",
        ),
        (lambda: Tasks().template(7), "level is 7; the level of a template is 1, 2, 3, 4 or 5"),
        (lambda: Tasks().template(_handler), r"write @tasks\.template\(2\)"),  # type: ignore[arg-type]
        (lambda: Tasks().template(2, sites="shop"), r"sites=\('shop',\)"),  # type: ignore[arg-type]
        (lambda: update("cart", 1), "'cart'; write the site and the table"),
        (lambda: delete("shop.", 1), "the site and the table"),
        (lambda: insert(".cart", a=1), "the site and the table"),
        (lambda: Answer.of("amount", 3), "'amount'; the forms are text, number"),  # type: ignore[arg-type]
        (lambda: Answer.of("money", 1250), r"'1250'; write it as money\(1250\) does, '12.50'"),
        (lambda: Answer.of("date", "13 April 2027"), "write it as '2027-04-13'"),
        (lambda: Answer.of("time", "2:30 pm"), "write it as '14:30'"),
        (lambda: Answer.of("yes_no", True), "write it as 'yes' or 'no'"),
    ],
)
def test_slips_are_told_where_they_are_made(make: Callable[[], object], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        make()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"plan": STEP}, r"plan is one Step; a tuple of one needs a comma"),
        ({"plan": [STEP]}, "it must be a tuple"),
        ({"plan": (STEP, "done")}, r"plan\[1\] is 'done'"),
        ({"changes": delete("pad.note", 1)}, "changes is one Change; .*comma"),
        ({"changes": [delete("pad.note", 1)]}, "changes is .*must be a tuple"),
        ({"answer": "3"}, r"answer is '3'; write Answer.of\("),
        ({"others": Goal()}, "others is one Goal"),
        ({"infeasible": True}, "infeasible is True; it must be a text"),
        ({"instruction": None}, "instruction is None"),
        ({"start": 1}, "start is 1"),
    ],
)
def test_drafts_are_of_the_right_types(given: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        Draft(**{"instruction": "Do it.", "plan": (STEP,), **given})
    with pytest.raises(TypeError, match="answer is 3"):
        Goal(answer=3)  # type: ignore[arg-type]


slips = Tasks()


@slips.template(3)
def unflagged(world: World, draw: Draw) -> Draft | None:
    return Draft("Do it.", (), infeasible="No.")


@slips.template(3, infeasible=True)
def flagged(world: World, draw: Draw) -> Draft | None:
    return Draft("Do it.", ())


@slips.template(3)
def from_nothing(world: World, draw: Draw) -> Draft | None:
    return Draft(draw.choice(()), ())


@slips.template(3)
def untyped(world: World, draw: Draw) -> Draft | None:
    return ("Do it.", ())  # type: ignore[return-value]


@slips.template(3)
def broken(world: World, draw: Draw) -> Draft | None:
    raise ZeroDivisionError


def empty(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    """Write nothing."""


register_site(Site("drafty", schema="", fill=empty, pages=(), tasks=(slips,)))


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("unflagged", SettingsError, "write template(3, infeasible=True)"),
        ("flagged", SettingsError, "the draft must say why"),
        ("from_nothing", IndexError, "draw.choice was given nothing to choose from"),
        ("untyped", TypeError, "a template returns a Draft, or None"),
        ("broken", ZeroDivisionError, ""),
    ],
)
def test_an_error_names_its_template_and_world(name: str, kind: type[Exception], words: str) -> None:
    one = next(t for t in site_named("drafty").templates() if t.name == f"drafty.{name}")
    with pytest.raises(kind) as raised:
        one.draw(World(8, 20), Draw(1))
    notes = "\n".join(raised.value.__notes__)
    assert f"in the template drafty.{name}, in the world with seed 8 at size 20" in notes
    assert words in f"{raised.value}\n{notes}"
    found = outcome(one, range(2), 20)
    assert (found.drafts, found.empty, len(found.failures)) == (0, 0, 2)
    assert f"in the template drafty.{name}, in the world with seed 1" in found.failures[1][0]
    assert "at the draw with the number 0" in found.failures[0][0]


SCHEMA = "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL, views INTEGER NOT NULL DEFAULT 0)"


def site(**parts: Any) -> Site:
    """A site that is not registered."""
    return Site("made", **{"schema": SCHEMA, "fill": empty, "pages": (), **parts})


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        (
            {"volatile": frozenset({"note.vews"})},
            r"volatile of the site made has 'note.vews', .*no column 'vews'; its columns are id, text",
        ),
        ({"volatile": frozenset({"notes"})}, "no table 'notes'; the tables are session, account, note"),
        ({"volatile": "note.views"}, "volatile of the site made is a text; write frozenset"),
        (
            {"untrusted": (("notes", "text"),)},
            r"untrusted of the site made has \('notes', 'text'\), but there is no table",
        ),
        ({"untrusted": (("note", "texts"),)}, "no column 'texts'; its columns are id, text, views"),
        ({"untrusted": ("note", "text")}, "write pairs of table and column"),
        ({"untrusted": (("note", "text"),), "volatile": frozenset({"note"})}, "the table note is volatile"),
        ({"schema": "CREATE TABLE note (text TEXT)"}, "made.note needs a PRIMARY KEY"),
        ({"volatile": frozenset({"note.id"})}, "made.note needs a PRIMARY KEY"),
    ],
)
def test_what_a_site_says_of_its_tables_is_true(attributes: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        site(**attributes).build(1, 20)


def test_tables_that_are_named_rightly_are_built() -> None:
    kept = site(volatile=frozenset({"note.views", "log"}), untrusted=(("note", "text"),),
                schema=f"{SCHEMA}; CREATE TABLE log (text TEXT)").build(1, 20)  # fmt: skip
    assert sorted(kept.tables) == ["account", "note"]


def test_an_error_in_schema_or_fill_is_placed() -> None:
    with pytest.raises(sqlite3.OperationalError) as raised:
        site(schema="CREATE TABLE account (id INTEGER PRIMARY KEY)").build(1, 20)
    assert "in the schema of the site made; the tables account and session exist already" in raised.value.__notes__
    with pytest.raises(TypeError) as wrong:
        site(fill=lambda db: None).build(1, 20)
    assert (
        "in fill(db, draw, cast, size) of the site made, for the world with seed 1 at size 20" in wrong.value.__notes__
    )


def test_two_builds_are_compared_and_strays_are_missed() -> None:
    values = iter(range(9))

    def counted(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
        db.execute("INSERT INTO note (text) VALUES (?)", (f"x{next(values)}",))

    plans = ((STEP,),)
    faults, warnings = site_faults(site(fill=counted, strays=plans), 1, 20)
    assert "note in 1 rows, such as (1, 'x0', 0) and (1, 'x1', 0)" in faults[0]
    assert warnings == []
    faults, warnings = site_faults(site(), 1, 20)
    assert faults == []
    assert "made has no strays" in warnings[0]


def test_strays_are_plans() -> None:
    with pytest.raises(TypeError, match=r"strays\[0\] of the site made is one Step"):
        site(strays=(STEP, STEP))
    with pytest.raises(TypeError, match=r"strays of the site made is .*must be a tuple of plans"):
        site(strays=[(STEP,)])


# ---- drafts against databases ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (update("pad.notes", 1, colour="blue"), "no such table counts; those that do are account, note, remark"),
        (update("pad.note", 1, color="blue"), "no column 'color' that counts; it has id, owner, title, colour, body"),
        (update("pad.note", 1, views=3), "no column 'views' that counts"),
        (delete("pad.remark", 1), "no column 'id'"),
        (insert("slate.note", owner=1), "not of the site 'slate'; its sites are pad"),
        (insert("pad.note", owner=1), ""),
    ],
)
def test_changes_name_what_there_is(change: Change, words: str) -> None:
    for draft in (Draft("", (), (change,)), Draft("", (), others=(Goal((change,)),))):
        found = draft_faults(draft, WORLD, ("pad",))
        assert len(found) == bool(words)
        assert all(words in why and change.op in why for why in found)
    pad = next(site_named("pad").templates())
    failures = outcome(pad._replace(draw=lambda world, draw: Draft("", (), (change,))), range(1), 20).failures
    assert not words or words in failures[0][0]


def test_a_draw_that_varies_is_told() -> None:
    pad = next(site_named("pad").templates())
    numbers = iter(range(99))
    varying = pad._replace(draw=lambda world, draw: Draft(f"{next(numbers)}", (), infeasible="No."))
    assert "the same draw gave another task" in outcome(varying, range(1), 20).failures[0][0]


# ---- the command -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pad", "--template", "nosuch"], "no template has 'nosuch' in its name; there are pad.write, pad.paint"),
        (["shop.price"], "for one template write: shop --template shop.price"),
        (["across.pay"], "across --template across.pay"),
        (["nowhere"], "there is no site, file or module 'nowhere'; there are shop, bank"),
        (["nowhere.at_all"], "there is no site, file or module 'nowhere.at_all'"),
        (["nowhere.py"], "there is no file 'nowhere.py'"),
        (["my_site.py:Library-v0"], "write my_site.py, without what follows"),
        (["json"], "'json' defines no Site"),
    ],
)
def test_what_cannot_be_tried_is_told(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_a_file_is_meant_or_not_registered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    variant(tmp_path, "unseen", ("register_site(unseen)\n", ""))
    with pytest.raises(SystemExit):
        main(["unseen"])
    assert "did you mean unseen.py?" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["unseen.py"])
    assert "the site 'unseen' in 'unseen.py' is not registered" in capsys.readouterr().err


def test_a_site_that_cannot_be_built_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = told(capsys, variant(tmp_path, "mistyped", ('{"note.views"}', '{"note.vews"}')))
    assert "mistyped cannot be built" in out
    assert "no column 'vews'" in out
    assert "oracle" not in out, "no template is tried"


@pytest.mark.slow
def test_templates_that_need_a_browser_are_played_in_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flag = "@tasks.template(1)\ndef open_form", "@tasks.template(1, browser=True)\ndef open_form"
    file = variant(tmp_path, "scripted", flag)
    assert main([file, "--template", "open_form", "--size", "20"]) == 0
    assert "left out: it needs --driver chromium" in capsys.readouterr().out
    try:
        code = main([file, "--template", "open_form", "--size", "20", "--seeds", "1", "--driver", "chromium"])
    except SystemExit:
        pytest.skip(f"no Chromium here: {capsys.readouterr().err}")
    except InfrastructureError as error:
        pytest.skip(f"no Chromium here: {error}")
    assert code == 0
    out = capsys.readouterr().out
    assert "1/1" in out
    assert "left out:" not in out


def test_a_missing_driver_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def claimed(holder: object) -> SimpleNamespace:
        raise MissingDependencyError.of("playwright", "browser")

    monkeypatch.setattr("turnwise.worlds.web.browser.pool.claimed", claimed)
    with pytest.raises(SystemExit):
        main(["pad", "--driver", "chromium"])
    assert "pip install 'turnwise[browser]'" in capsys.readouterr().err


def test_a_page_of_another_site_opened_first_is_no_write() -> None:
    """The databases of a second site are opened by a GET: signing in there is nothing that a page wrote."""
    watch = Watch()
    perform(
        Draft("", (goto("http://drafty.test/"), goto("http://pad.test/?page=2"))), WORLD, ("pad", "drafty"), app=watch
    )
    assert watch.faults == []
    assert not watch._looked
