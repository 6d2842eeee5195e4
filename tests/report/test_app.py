"""The app in a real browser: written as a page and served, at three widths."""

import dataclasses
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import turnwise  # noqa: F401  (registers)
from tests._work import eventually
from tests.report._page import data_of, manifest_of
from turnwise.core.episode import Episode, Tokens, Turn, read_episodes, write_episode
from turnwise.core.errors import SettingsError
from turnwise.core.files import replace_file
from turnwise.evaluation.compare import compare, read_run
from turnwise.evaluation.evaluate import EvalConfig, evaluate
from turnwise.evaluation.suite import load_suite
from turnwise.report.app import bundle
from turnwise.report.app.evaluation import EvaluationSource
from turnwise.report.app.make import book, write_app
from turnwise.report.app.serve import refusal, serving
from turnwise.report.runs import run_folders

ENVS = ("GuessNumber:difficulty=1", "GuessNumber:difficulty=3", "Sokoban:difficulty=1", "Sudoku:difficulty=1")
HOSTILE = (
    "<script>alert(1)</script>\"' onload=x <img src=x onerror=alert(1)> \x1b[31m \u202egnp \ud800 \x1d\x1e\x1f </pre>"
)
WIDTHS = (1400, 900, 500)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The oracle and the random agent on the same tasks, two samples each."""
    top = tmp_path_factory.mktemp("runs")
    for agent in ("oracle", "random"):
        evaluate(
            EvalConfig(envs=ENVS, agent=agent, num_tasks=3, num_samples=2, chance_episodes=0, out=str(top / agent))
        )
    return [top / "oracle", top / "random"]


@pytest.fixture(scope="module")
def written(runs: list[Path]) -> str:
    return write_app(runs, runs[0].parent / "all.html", 2).as_uri()


@pytest.fixture(scope="module")
def served(runs: list[Path]) -> Iterator[str]:
    with serving(book(runs)) as address:
        yield address


class Tab:
    """A tab of the browser, and what went wrong in it."""

    def __init__(self, page: Any) -> None:
        self.page, self.wrong = page, []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda line: self.wrong.append(line.text) if line.type == "error" else None)
        page.on("dialog", lambda box: (self.wrong.append(f"dialog {box.message}"), box.dismiss()))

    def open(self, address: str, part: str) -> None:
        """Show a part of the app, and wait until it is there."""
        self.page.goto(f"{address}#/{part}")
        waits = part.partition("?")[0].partition("/")[0] in ("episodes", "episode", "compare")
        self.page.wait_for_selector(
            f"main[data-page={part.partition('?')[0].partition('/')[0]}]{'[data-ready]' * waits}"
        )

    def status(self, beginning: str) -> None:
        """Wait until the list of episodes says how many it shows."""
        said = "document.querySelector('.status')?.textContent ?? ''"
        eventually(lambda: str(self.page.evaluate(said)).startswith(beginning))

    def wait(self, script: str) -> None:
        """Wait until a script gives something true."""
        eventually(lambda: self.page.evaluate(script))

    def text(self, selector: str) -> str:
        return str(self.page.locator(selector).first.inner_text())


@pytest.fixture
def tab(chromium: Any) -> Iterator[Tab]:
    page = chromium.new_page(viewport={"width": 1400, "height": 900})
    found = Tab(page)
    yield found
    page.close()
    assert found.wrong == []


def episode(**changes: Any) -> Episode:
    plain = Episode(
        env="turnwise/Countdown-v0", settings={}, agent="someone", seed=1, sample=0, task_id="ab",
        turns=(Turn("What?", "That.", 1.0, prompt_tokens=7, completion_tokens=3),), final_observation="Yes.",
        episode_return=1.0, solved=True, terminated=True, truncated=False, metrics={"turns": 1.0},
    )  # fmt: skip
    return dataclasses.replace(plain, **changes)


def folder_of(folder: Path, *episodes: Episode) -> Path:
    folder.mkdir(exist_ok=True)
    for one in episodes:
        write_episode(folder / "episodes.jsonl", one)
    return folder


# ---- every page ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["written", "served"])
@pytest.mark.parametrize("width", [pytest.param(w, marks=pytest.mark.slow) if w == 900 else w for w in WIDTHS])
def test_every_page_fits(chromium: Any, kind: str, width: int, request: pytest.FixtureRequest) -> None:
    address = request.getfixturevalue(kind)
    page = chromium.new_page(viewport={"width": width, "height": 900})
    tab = Tab(page)
    for part in ("overview", "episodes", "episode/0/13", "episode/1/20", "compare/0/1", "settings"):
        tab.open(address, part)
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        wide = page.evaluate(
            "[document.documentElement.scrollWidth > innerWidth, [...document.querySelectorAll('.card, .msg, td')]"
            ".filter(c => c.scrollWidth > c.clientWidth + 1).map(c => c.className)]"
        )
        assert wide == [False, []], part
    page.close()
    assert tab.wrong == []


def test_many_models_with_long_names_fit(tab: Tab, tmp_path: Path) -> None:
    envs = ["turnwise/Sudoku-v0", "turnwise/GuessNumber-v0", "mine/AnEnvironmentWithALongNameOfItsOwn-v0"]
    own = {"num_numbers": 6, "an_own_setting": "with a long value"}
    turn = Turn(
        "What?", "That." * 99, 0.5, True, "length", 99_999, 9_999, served={"latency_s": 1234.5, "refusal": "no"}
    )
    folders = []
    for n in range(8):
        agent = f"a/quite-long-name-of-a-model-with-a-date-2026-11-2{n}"
        played = [
            episode(
                env=env, agent=agent, settings={**own, "difficulty": level}, turns=(turn,), truncated=True, solved=n > 3
            )
            for env in envs
            for level in (1, 2)
        ]
        failed = episode(env=envs[0], agent=agent, status="error", error="x" * 300, seed=2)
        folders.append(folder_of(tmp_path / f"run{n}", *played, failed))
    address = write_app(folders, tmp_path / "page.html", 0).as_uri()
    for width in WIDTHS:
        tab.page.set_viewport_size({"width": width, "height": 900})
        for part in ("overview", "episodes", "episode/0/0", "episode/0/6", "compare/0/1"):
            tab.open(address, part)
            wide = tab.page.evaluate(
                "[document.documentElement.scrollWidth > innerWidth, [...document.querySelectorAll('.card, .msg')]"
                ".filter(c => c.scrollWidth > c.clientWidth + 1).map(c => c.className)]"
            )
            assert wide == [False, []], (width, part)


def test_the_overview_has_every_chart(tab: Tab, written: str) -> None:
    tab.open(written, "overview")
    text = tab.text("main")
    assert "2 evaluations" in text and "Solve rate by family" in text and "GuessNumber-v0" in text
    assert "difficulty=" not in text, "levels are one row"
    assert tab.page.locator(".matrix tbody .heat").count() == 6
    assert tab.page.locator("polyline").count() >= 4
    assert tab.page.locator(".bars .bar-fill").count() >= 2
    tab.page.locator("rect.hit").first.hover()
    assert tab.text("figure:has(rect.hit) output").startswith("level 1: oracle 100")
    tab.page.locator(".heat a").first.click()
    tab.page.wait_for_selector("main[data-page=episodes][data-ready]")
    tab.status("12 of 48 episodes")


def test_texts_are_only_texts(tab: Tab, tmp_path: Path) -> None:
    bad = episode(
        agent=HOSTILE, env=f"mine/{HOSTILE}-v0", settings={HOSTILE: HOSTILE}, metrics={HOSTILE: 1.0}, task_id=HOSTILE,
        turns=(Turn(HOSTILE, f"<tool_call>{HOSTILE}</tool_call>{HOSTILE}", 0.0, True, HOSTILE, reasoning=HOSTILE,
                    served={"id": HOSTILE}),),
        final_observation=f"<tool_response>{HOSTILE}</tool_response>", error=HOSTILE, status="error",
    )  # fmt: skip
    folder = folder_of(tmp_path / "<b>", bad, episode())
    (folder / "config.json").write_text(json.dumps({"agent": HOSTILE, "config": {"envs": [HOSTILE]}}))
    address = write_app([folder, folder], tmp_path / "page.html").as_uri()
    for part in ("overview", "episodes", "episode/0/0", "episode/0/1", "compare", "settings", f"{HOSTILE[:40]}"):
        tab.page.goto(f"{address}#/{part}")
        tab.page.wait_for_selector("main > *")
        tab.wait("!document.querySelector('main[data-page=episode]:not([data-ready])')")
        assert tab.page.evaluate("document.querySelectorAll('main script, img, [onload], [onerror], b b').length") == 0
    tab.open(address, "episode/0/0")
    seen = HOSTILE.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e").replace("\ud800", "\\ud800")
    for separator in "\x1d\x1e\x1f":
        seen = seen.replace(separator, ascii(separator)[1:-1])
    assert seen in tab.page.evaluate("document.querySelector('.msg[data-turn=\"0\"] .body').textContent")


# ---- the list --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["written", "served"])
def test_filters_order_and_search(tab: Tab, kind: str, request: pytest.FixtureRequest) -> None:
    page = tab.page
    tab.open(request.getfixturevalue(kind), "episodes")
    tab.status("48 of 48 episodes")
    page.select_option("select[name=run]", label="random")
    tab.status("24 of 48 episodes")
    page.select_option("select[name=env]", label="Sokoban-v0")
    page.select_option("select[name=state]", label="truncated")
    tab.status("6 of 48 episodes, 0.0 % solved")
    page.select_option("select[name=flag]", label="flipped between models")
    tab.status("6 of 48 episodes")
    assert page.evaluate("location.hash").count("=") == 4, "the address has the filters"
    for name in ("run", "env", "state", "flag"):
        page.select_option(f"select[name={name}]", "")
    page.select_option("select[name=metric]", "turns")
    page.fill("input[name=least]", "2")
    tab.wait("!document.querySelector('.status').textContent.startsWith('48')")
    page.select_option("select[name=metric]", "")
    page.click(".order button:has-text('turns')")
    turns = "Number(document.querySelector('.line .facts').textContent.match(/(\\d+) turn/)[1])"
    most = page.evaluate(turns)
    page.click(".order button:has-text('turns')")
    assert page.evaluate(turns) == 1 < most
    page.fill("input[type=search]", "SOKOBAN: push")
    tab.status("12 of 48 episodes")
    assert tab.text(".line mark") == "Sokoban: push"
    page.fill("input[type=search]", "no such words")
    tab.status("0 of 48 episodes")


def test_keys(tab: Tab, written: str) -> None:
    page, press = tab.page, tab.page.keyboard.press
    tab.open(written, "overview")
    press("?")
    assert "search in the transcripts" in tab.text("dialog")
    press("Escape")
    press("2")
    page.wait_for_selector("main[data-page=episodes][data-ready]")
    for key in "jjjk":
        press(key)
    assert page.locator(".line.selected").get_attribute("data-index") == "1"
    press("/")
    page.keyboard.type("push every box")
    tab.status("12 of 48 episodes")
    press("Enter")
    press("j")
    press("Enter")
    page.wait_for_selector("main[data-page=episode][data-ready]")
    assert "2 of 12" in tab.text(".episode-head") and "Sokoban" in tab.text("h1")
    assert tab.text(".talk mark") == "push every box"
    press("n")
    tab.wait("document.querySelector('.episode-head')?.textContent.includes('3 of 12')")
    press("p")
    tab.wait("document.querySelector('.episode-head')?.textContent.includes('2 of 12')")
    press("j")
    press("j")
    assert "agent" in page.locator(".msg.selected").get_attribute("class")
    press("Escape")
    page.wait_for_selector("main[data-page=episodes][data-ready]")
    tab.status("12 of 48 episodes")
    assert page.input_value("input[type=search]") == "push every box"


# ---- an episode ------------------------------------------------------------------------------------------------------


def shown(tab: Tab, tmp_path: Path, *turns: Turn, **changes: Any) -> None:
    folder = folder_of(tmp_path / "run", episode(turns=turns, **changes))
    tab.open(write_app([folder], tmp_path / "page.html", 0).as_uri(), "episode/0/0")


def test_boards_tables_calls_and_tokens(tab: Tab, tmp_path: Path) -> None:
    sudoku = "Each box (2 rows x 2 columns).\n4 . . .\n2 . 4 1\n1 . . .\n3 4 1 ."
    maze = "The map.\ndr dl dr dl\nud ur ulr udl\nudr dlr dl u\nu ur ulr l\nAt a2: ud. Goal d4."
    call = '<think>Let me see.</think><tool_call>{"name": "python", "arguments": {"code": "1 + 1"}}</tool_call>'
    served = {"latency_s": 1.5, "retries": 2, "model": "m-2", "id": "req-7"}
    tokens = Tokens((1,), (5, 6, 7), (-0.1, -2.5, -0.4), True)
    shown(
        tab, tmp_path,
        Turn(sudoku, "<sql>SELECT 1</sql>", 0.0),
        Turn("<tool_response>id | name\n1 | Ada\n2 | NULL\n2 rows.</tool_response>", call, 0.0, served=served),
        Turn(maze, "down", 0.25, True, "length", 30, 3, tokens=tokens),
        Turn("At a3: udr.", "up", 0.0),
        Turn("###\n#P#\n###", "<answer>x</answer>", 0.0),
    )  # fmt: skip
    page = tab.page
    assert page.locator(".board.grid .cell").count() == 16 and page.locator(".board.grid .box-left").count() == 4
    assert page.locator("table.result tbody tr").count() == 2 and tab.text("td.null") == "NULL"
    assert page.locator(".board.maze").count() == 2, "a position that is only named is shown on the last board"
    assert page.locator(".board.maze .agent-here").count() == 2 and page.locator(".goal-here").count() == 2
    assert page.locator(".board.letters .wall").count() == 8
    assert [d.inner_text() for d in page.locator(".agent .fold.call summary b").all()] == ["sql", "python"]
    assert page.locator(".fold.call[open]").count() == 0, "calls are folded"
    assert "thoughts" in tab.text(".fold.think") and page.locator(".strip i").count() == 3
    assert "mean log-probability -1.000, least -2.50" in tab.text(".tokens")
    third = tab.text(".msg.agent:has(.strip)")
    assert "reward 0.25" in third and "format error" in third and "length" in third and "30 + 3 tokens" in third
    assert "1.5 s" in tab.text(".msg.agent:has-text('req-7')") and "2 retries" in tab.text(
        ".msg.agent:has-text('req-7')"
    )
    page.click(".msg >> nth=0 >> text=text")
    assert "4 . . .\n2 . 4 1" in tab.text(".msg")


def test_numbers_that_are_not_finite(tab: Tab, tmp_path: Path) -> None:
    odd = Turn("What?", "That.", float("nan"), served={"latency_s": float("inf")})
    shown(tab, tmp_path, odd, episode_return=float("nan"), metrics={"a": float("inf"), "b": 2.0})
    assert "inf" in tab.text("aside").lower() and tab.page.locator(".msg").count() == 3
    with serving(book([tmp_path / "run"])) as address:
        tab.open(address, "episodes")
        tab.status("1 of 1 episode")
        tab.page.goto("about:blank")


def test_dark_and_print(tab: Tab, written: str) -> None:
    tab.open(written, "episodes")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = tab.page.evaluate(paper)
    tab.page.click("button[aria-label='Light or dark']")
    assert tab.page.evaluate(paper) != light
    tab.page.reload()
    tab.page.wait_for_selector("main[data-ready]")
    assert tab.page.evaluate(paper) != light, "it is remembered"
    assert tab.page.locator(".line").count() < 48
    tab.page.emulate_media(media="print")
    tab.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.page.locator(".line").count() == 48, "a printed list has all its rows"
    assert not tab.page.locator("header").is_visible()


@pytest.mark.slow
def test_the_oracles_way_and_pages_are_in_a_written_page(tab: Tab, tmp_path: Path) -> None:
    own = {"sites": "desk", "templates": "desk.team"}
    evaluate(EvalConfig(envs=("WebTasks",), settings=own, num_tasks=1, chance_episodes=0, out=str(tmp_path / "web")))
    page = write_app([tmp_path / "web"], tmp_path / "page.html")
    assert {"0/pictures0", "0/way0"} <= data_of(page).keys()
    tab.open(page.as_uri(), "episode/0/0")
    tab.page.wait_for_selector(".picture")
    tab.page.click(".picture >> nth=0")
    frame = tab.page.frame_locator(".picture iframe").first
    assert frame.locator("h1").first.inner_text() == "People"
    assert tab.page.locator("iframe").first.get_attribute("sandbox") == ""
    tab.page.wait_for_selector(".way .step >> nth=3")


def test_a_person_goes_on(tab: Tab, served: str, runs: list[Path]) -> None:
    page = tab.page
    stored = next(e for e in read_episodes(runs[0] / "episodes.jsonl") if "Sokoban" in e.env)
    number = [e.job.name for e in read_episodes(runs[0] / "episodes.jsonl")].index(stored.job.name)
    tab.open(served, f"episode/0/{number}")
    page.click("summary:has-text('oracle')")
    page.wait_for_selector(f".way .step >> nth={len(stored.turns)}")
    page.click(".msg[data-turn='1'] >> text=play from here")
    page.wait_for_selector("dialog .msg")
    assert page.locator("dialog .board .cell").count() == page.locator(".msg[data-turn='1'] .board .cell").count()
    for left in range(len(stored.turns) - 1, 0, -1):
        page.click("dialog >> text=What would the oracle say?")
        tab.wait("document.querySelector('dialog textarea').value !== ''")
        assert page.input_value("dialog textarea") == stored.turns[-left].action
        page.keyboard.press("Control+Enter")
        tab.wait("document.querySelector('dialog textarea').value === ''")
        if left > 1:
            page.wait_for_selector("dialog .main:not(:disabled)")
    page.wait_for_selector("dialog >> text=Solved, return 1.")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")


# ---- comparison ------------------------------------------------------------------------------------------------------


def test_a_comparison_has_the_numbers_of_compare(tab: Tab, written: str, runs: list[Path]) -> None:
    found = compare(read_run(runs[1]), read_run(runs[0]))
    tab.open(written, "compare/1/0")
    text = tab.text("main")
    assert f"{100 * found.overall.value:+.1f}" in text and "oracle" in tab.text(".verdict")
    assert tab.page.locator(".diff .point").count() == 1 + sum(map(len, found.parts.values()))
    assert f"Tasks that differ: {len(found.flips)}" in text
    tab.page.locator("td a").first.click()
    tab.page.wait_for_selector("main[data-page=episodes][data-ready]")
    tab.status("4 of 48 episodes")


# ---- live ------------------------------------------------------------------------------------------------------------


def test_a_run_that_is_going_on_is_followed(tab: Tab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnwise.report.app.serve.LOOK_S", 0.05)
    tab.page.add_init_script(
        "addEventListener('load', () => setInterval(() => window.look && look(), 50))"
    )  # more often than it does itself
    config = EvalConfig(envs=("GuessNumber",), num_tasks=6, chance_episodes=0, out=str(tmp_path / "run"))
    evaluate(config)
    episodes = list(read_episodes(tmp_path / "run" / "episodes.jsonl"))
    (tmp_path / "run" / "summary.json").unlink()
    going = tmp_path / "run" / "episodes.jsonl"
    going.unlink()
    with serving(book(run_folders([tmp_path], begun=True))) as address:
        tab.page.goto(f"{address}#/overview")
        tab.page.wait_for_selector(".progress:has-text('0 of 6 episodes played')")
        for one in episodes[:2]:
            write_episode(going, one)
        tab.page.wait_for_selector(".progress:has-text('2 of 6 episodes played')")
        assert "Missing: GuessNumber-v0 4." in tab.text(".progress")
        write_episode(going, dataclasses.replace(episodes[2], status="error", error="503"))
        tab.page.wait_for_selector(".progress:has-text('1 failed')")
        assert re.search(r"about .+ to go", tab.text(".progress"))
        tab.open(address, "episodes")
        tab.status("3 of 3 episodes")
        replace_file(going, (one.to_json().encode() + b"\n" for one in reversed(episodes)))  # as at its end
        tab.status("6 of 6 episodes")
        tab.open(address, "overview")
        assert tab.page.locator(".progress").count() == 0
        tab.page.goto("about:blank")


def test_a_damaged_run_is_said(tab: Tab, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", episode())
    shelf = book([folder])
    while shelf.look():
        pass
    with (folder / "episodes.jsonl").open("a") as file:
        file.write('{"no": "episode"}\n')
    with serving(shelf) as address:
        eventually(lambda: httpx.get(f"{address}state").json()["trouble"])
        tab.open(address, "overview")
        assert "this line is not an episode" in tab.text(".notice.bad")
        assert httpx.get(f"{address}state").json()["runs"][0]["count"] == 1
        tab.page.goto("about:blank")
    (folder / "config.json").write_text("{")
    with pytest.raises(SettingsError, match="run cannot be read"):
        book([folder])


def test_reading_as_the_file_grows(tmp_path: Path) -> None:
    many = [episode(seed=n, turns=(Turn("What?", f"{n} is said", 0.0),)) for n in range(600)]
    many[0] = dataclasses.replace(many[0], status="error", error="503")
    folder = folder_of(tmp_path / "run", *many[:300])
    grown, path = EvaluationSource(folder), folder / "episodes.jsonl"
    assert grown.refresh() and not grown.refresh()
    line = many[300].to_json().encode() + b"\n"
    with path.open("ab") as file:
        file.write(line[:40])
    assert not grown.refresh(), "an unfinished line waits"
    with path.open("ab") as file:
        file.write(line[40:])
    for one in (*many[301:], dataclasses.replace(many[0], status="done", error=None)):
        write_episode(path, one)
    grown.read()
    at_once = EvaluationSource(folder)
    at_once.read()
    assert {n.rstrip("+"): d for n, d in grown.blobs().items()} == {
        n.rstrip("+"): d for n, d in at_once.blobs().items()
    }
    about = {k: v for k, v in grown.about().items() if k != "rate"}
    assert about == {k: v for k, v in at_once.about().items() if k != "rate"}
    assert (about["count"], about["dead"], len(about["shards"])) == (601, [0], 2)
    assert grown.episode(555).turns[0].action == "555 is said"
    replace_file(path, [many[5].to_json().encode() + b"\n"])
    assert grown.refresh()
    assert grown.about()["count"] == 1 and not set(grown.blobs()) & set(at_once.blobs())


# ---- the page and the server -----------------------------------------------------------------------------------------


def test_equal_runs_make_equal_pages(runs: list[Path], tmp_path: Path) -> None:
    pages = [write_app(runs, tmp_path / name, 2).read_bytes() for name in ("a.html", "b.html")]
    assert pages[0] == pages[1]
    made = manifest_of(tmp_path / "a.html")
    assert [run["label"] for run in made["runs"]] == ["oracle", "random"]


def test_large_runs_have_their_data_in_files(
    tab: Tab, runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "MOST_INLINE", 100)
    page = write_app(runs, tmp_path / "page.html", 0)
    assert len(list((tmp_path / "page_files").iterdir())) >= 2
    assert not [name for name in data_of(page) if "/shard" in name]
    tab.open(page.as_uri(), "episodes?q=push every box")
    tab.status("12 of 48 episodes")
    tab.open(page.as_uri(), "compare/0/1")
    assert "oracle" in tab.text(".verdict")


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"host": "127.0.0.1:8000"}, ""),
        ({"host": "localhost"}, ""),
        ({"host": "[::1]:80", "origin": "http://[::1]:80"}, ""),
        ({"host": "evil.example:8000"}, "names of this machine"),
        ({"host": "127.0.0.1.evil.example"}, "names of this machine"),
        ({}, "names of this machine"),
        ({"host": "localhost:8000", "origin": "http://evil.example"}, "another site"),
        ({"host": "localhost:8000", "origin": "http://localhost:9000"}, "another site"),
        ({"host": "localhost:8000", "origin": "null"}, "another site"),
        ({"host": "localhost:8000", "sec-fetch-site": "cross-site"}, "another site"),
    ],
)
def test_who_may_ask(headers: dict[str, str], why: str) -> None:
    found = refusal({name.encode(): value.encode() for name, value in headers.items()})
    assert why in found and bool(why) == bool(found)


def test_the_server_has_no_paths(served: str, runs: list[Path]) -> None:
    with httpx.Client(base_url=served) as http:
        assert http.get("/").headers["content-security-policy"].startswith("default-src 'none'")
        assert http.get("/", headers={"host": "evil.example"}).status_code == 403
        for path in ("/../config.json", "/%2e%2e/config.json", f"/{runs[0]}/config.json", "/data/app.css", "/ask"):
            assert http.get(path).status_code in (404, 405), path
        names = (
            "0/../config.json",
            str(runs[0] / "config.json"),
            "9/rows0.0",
            "x/rows0",
            "0/rows9",
            "all/pair0-9",
            "all/x",
            "",
        )
        for name in names:
            assert http.get("/data", params={"name": name}).status_code == 404, name
        bad: list[Any] = [[], {"run": 9}, {"run": "0"}, {"run": 0}, {"run": 0, "what": "x"}]
        bad += [{"run": 0, "what": "way", "episode": n} for n in (-1, 10**6, "1", True, None)]
        bad += [
            {"run": 0, "what": "step", "session": "x", "action": "y"},
            {"run": 0, "what": "play", "episode": 0, "turn": 99},
        ]
        for question in bad:
            answer = http.post("/ask", json=question)
            assert answer.status_code == 400 or "none" in answer.json(), question
        assert http.post("/ask", content="{}").status_code == 415
        assert (
            http.post("/ask", content="x" * (2 << 20), headers={"content-type": "application/json"}).status_code == 413
        )
        state = http.get("/state").json()["state"]
        assert http.get("/state", params={"state": state}).status_code == 204
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", served)


SUITE = """
num_tasks = 2
[domains.numbers]
environments = [{ env = "Countdown", levels = [1, 2] }]
[domains.guessing]
environments = [{ env = "GuessNumber", levels = [1] }]
"""


def test_an_unfinished_suite_has_a_standing(tmp_path: Path) -> None:
    (tmp_path / "mine-1.toml").write_text(SUITE)
    folder = tmp_path / "run"
    config = dataclasses.replace(load_suite(str(tmp_path / "mine-1.toml")).config(), out=str(folder), agent="oracle")
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"config": config.to_dict(), "agent": "oracle", "versions": {}}))
    jobs = [job for env in config.envs for job in config.jobs_of(env)]
    played = [episode(env=job.env, seed=job.seed, settings=dict(job.settings)) for job in jobs]
    folder_of(folder, played[0])
    source = EvaluationSource(folder)
    source.read()
    about = source.about()
    assert about["suite"]["name"] == "mine-1" and about["headline"]["score"] is None
    assert about["progress"]["done"] == 1 and about["progress"]["total"] == 6
    assert [part["count"] for part in about["progress"]["missing"]] == [1, 2, 2]
    assert [domain["name"] for domain in about["domains"]] == ["numbers", "guessing"]
    folder_of(folder, *played[1:])
    source.read()
    about = source.about()
    assert about["headline"]["score"] == 1.0 and about["progress"]["missing"] == []
    assert {level["level"]: level["score"] for level in about["levels"]} == pytest.approx({1: 1.0, 2: 1.0})


def test_the_command(runs: list[Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from turnwise.cli.main import run

    asked: list[int] = []

    def serve(shelf: Any, port: int, ready: Callable[[str], None]) -> None:
        with serving(shelf, port) as address:
            ready(address)
            asked.append(httpx.get(address).status_code)

    monkeypatch.setattr("turnwise.report.app.serve.serve", serve)
    assert run(["view", str(runs[0].parent)]) == 0 and asked == [200]
    assert "open http://127.0.0.1:" in capsys.readouterr().out
    assert run(["view"]) == 2 and run(["view", str(runs[0]), "--port", "70000"]) == 2
    assert "name at least one folder" in capsys.readouterr().err
