"""Reports: tables, pages, and hostile text on them."""

import dataclasses
import json
import re
import shutil
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnwise  # noqa: F401  (registers)
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.log import Logger
from turnwise.core.episode import Episode, Turn, read_episodes, write_episode
from turnwise.core.errors import SettingsError
from turnwise.evaluation.evaluate import EvalConfig, evaluate
from turnwise.report import html
from turnwise.report.evaluation import (
    Evaluation,
    Training,
    choose,
    comparison,
    load_run,
    load_runs,
    markdown,
    markdown_table,
    scores_table,
    write_comparison,
    write_page,
)

HOSTILE = (
    "<script>alert(1)</script>\"' onload=x <img src=x onerror=alert(1)> \x1b[31m \u202egnp\u200b \ud800 </pre></div>"
)


class Page(HTMLParser):
    """The elements of a page, checked to be nested properly, with the texts of `pre`."""

    VOID = {"meta", "input", "line", "circle", "br"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.messages: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "pre":
            self.messages.append("")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "pre" in self.open:
            self.messages[-1] += data

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


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


def page_of(folder: Path, **options: Any) -> Page:
    return Page(write_page(load_run(folder), **options).read_text(encoding="utf-8"))


@pytest.fixture
def training(tmp_path: Path) -> Path:
    folder = tmp_path / "training"
    folder.mkdir()
    config = TrainConfig(env="turnwise/GuessNumber-v0", steps=40, eval_tasks=100, trackers=(), out=str(folder))
    config.save(folder)
    log = Logger(folder, config, quiet=True)
    figures = {"entropy": 1.0, "clip_fraction": 0.0, "kl": 1e-4, "logp_gap": 1e-6, "turns": 3.0, "tokens": 9.0}
    for step in range(41):
        if step:
            solved = {"reward": step / 50, "solved": step / 50, "errors": 0.0}
            log.step(step, {**figures, **solved}, {"collect_s": 1.0, "update_s": 2.0, "tokens_per_s": 100.0 + step})
        if step % 20 == 0:
            test = {"solved": step / 50, "turns": 3.0, "tokens": 9.0, "errors": 0.0, "return": step / 50}
            log.evaluation(step, {f"{kind}_{k}": v for kind in ("sampled", "greedy") for k, v in test.items()})
    log.close()
    return folder


# ---- evaluations -----------------------------------------------------------------------------------------------------


def test_evaluation_folder(tmp_path: Path) -> None:
    config = EvalConfig(
        envs=("Countdown:num_numbers=3", "Countdown", "GuessNumber"), agent="random", num_tasks=6, num_samples=2,
        chance_episodes=20, out=str(tmp_path / "e"),
    )  # fmt: skip
    summary = evaluate(config)
    run = load_run(tmp_path / "e")
    assert isinstance(run, Evaluation)
    assert run.scores == summary.environments
    assert run.agent == "random"
    text = markdown([run])
    assert "| Countdown-v0:num_numbers=3 " in text
    assert "| all (mean) " in text
    assert "pass@k" in text
    page = page_of(tmp_path / "e")
    assert page.count("details") == 36 + 1
    assert page.count("table") == 1
    assert len(page.messages) >= 2 * 36


def test_an_interrupted_evaluation_has_figures_too(tmp_path: Path) -> None:
    evaluate(EvalConfig(envs=("Countdown",), num_tasks=4, chance_episodes=0, out=str(tmp_path / "e")))
    (tmp_path / "e" / "summary.json").unlink()
    with (tmp_path / "e" / "episodes.jsonl").open("ab") as file:
        file.write(b'{"env": "turnw')
    run = load_run(tmp_path / "e")
    assert isinstance(run, Evaluation)
    assert run.scores["turnwise/Countdown-v0"].num_episodes == 4


def test_the_last_record_of_a_job_counts(tmp_path: Path) -> None:
    failed = episode(status="error", error="503", solved=False, episode_return=0.0)
    run = load_run(folder_of(tmp_path / "e", failed, episode(), episode(seed=2, solved=False, episode_return=0.0)))
    assert isinstance(run, Evaluation)
    [scores] = run.scores.values()
    assert (scores.num_episodes, scores.num_errors, scores.solve_rate) == (2, 0, 0.5)


def test_several_side_by_side(tmp_path: Path) -> None:
    other = "turnwise/GuessNumber-v0"
    runs = load_runs([
        folder_of(tmp_path / "a", episode(), episode(env=other)),
        folder_of(tmp_path / "b", episode(agent="other", solved=False, episode_return=0.0)),
        folder_of(tmp_path / "c", episode()),
    ])  # fmt: skip
    header, rows = comparison([run for run in runs if isinstance(run, Evaluation)])
    assert header == ["env", "someone (a)", "other", "someone (c)"]
    assert [row[0] for row in rows] == ["GuessNumber-v0", "Countdown-v0"]
    assert [cell.split(" (")[0] for cell in rows[1][1:]] == ["100.0 %", "0.0 %", "100.0 %"]
    assert rows[0][2:] == ["", ""]
    assert markdown(runs).count("\n| Countdown-v0") == 4
    page = Page(write_comparison(runs, tmp_path / "all.html").read_text(encoding="utf-8"))
    assert page.count("table") == 4


def test_hostile_text_is_only_text(tmp_path: Path) -> None:
    bad = episode(
        agent=HOSTILE, env=f"mine/{HOSTILE}-v0", settings={HOSTILE: HOSTILE}, metrics={HOSTILE: 1.0}, task_id=HOSTILE,
        turns=(Turn(HOSTILE, HOSTILE, 0.0, True, HOSTILE),), final_observation=HOSTILE, error=HOSTILE, status="error",
    )  # fmt: skip
    plain = page_of(folder_of(tmp_path / "plain", episode()))
    page = page_of(folder_of(tmp_path / "bad", bad))
    assert page.count("script") == 1
    assert page.count("img") == 0
    assert {name for _, attrs in page.tags for name in attrs} <= {name for _, attrs in plain.tags for name in attrs}
    seen = HOSTILE.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e").replace("\u200b", "\\u200b")
    seen = seen.replace("\ud800", "\\ud800")
    assert page.messages[:4] == [seen] * 4
    text = (tmp_path / "bad" / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<script>" in markdown([load_run(tmp_path / "bad")])  # Markdown is a text file; one line each, though
    assert len(markdown([load_run(tmp_path / "bad")]).splitlines()) == 5


def test_a_page_needs_and_allows_nothing_else(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "e", episode())
    text = write_page(load_run(folder)).read_text(encoding="utf-8")
    assert not re.search(r"https?://|src=|@import|url\(", text)
    assert "default-src 'none'" in text
    assert "script-src 'sha256-" in text
    assert not [p for p in folder.iterdir() if p.name not in ("report.html", "episodes.jsonl")]


@settings(max_examples=60)
@given(st.text(st.characters()) | st.text("<>&\"'/ scriptpre-!\x00\ud800", max_size=40))
def test_any_text_survives_escaping(text: str) -> None:
    page = Page(f'<pre title="{html.escape(text)}">{html.escape(text)}</pre>')
    assert page.tags == [("pre", {"title": html.visible(text)})]
    assert page.messages == [html.visible(text)]
    html.escape(text).encode()


def test_long_messages_are_cut(tmp_path: Path) -> None:
    page = page_of(folder_of(tmp_path / "e", episode(turns=(Turn("x" * 30_000, "y", 0.0),))))
    assert page.messages[0] == "x" * 20_000 + "\n… 10000 more characters"


def test_a_page_holds_some_of_many_episodes_of_every_kind(tmp_path: Path) -> None:
    many = [episode(seed=i) for i in range(50)] + [episode(seed=99, solved=False, episode_return=0.0)]
    many.append(episode(env="turnwise/GuessNumber-v0", truncated=True, solved=False, episode_return=0.0))
    chosen = choose(many, 10)
    assert len(chosen) == 10
    assert {html.state_of(e) for e in chosen} == {"solved", "failed", "truncated"}
    assert choose(many, 100) == sorted(many, key=lambda e: (e.env, e.seed))
    page = page_of(folder_of(tmp_path / "e", *many), max_episodes=10)
    assert page.count("details") == 10
    states = [attrs["data-state"] for tag, attrs in page.tags if tag == "details"]
    assert sorted({str(state) for state in states}) == ["failed", "solved", "truncated"]
    assert page_of(tmp_path / "e", max_episodes=0).count("details") == 0


def test_missing_step_pages_are_accounted_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk: dict[str, Any] = {"sites": "desk", "templates": "desk.team"}
    for env, name, own in (("WebTasks", "web", desk), ("GuessNumber", "text", {})):
        evaluate(EvalConfig(envs=(env,), settings=own, num_tasks=3, chance_episodes=0, out=str(tmp_path / name)))

    def notes(folder: Path) -> list[str]:
        text = write_page(load_run(folder)).read_text(encoding="utf-8")
        return [unescape(note) for note in re.findall(r'<p class="sub">(No step pages .*?)</p>', text)]

    assert notes(tmp_path / "web") == notes(tmp_path / "text") == []
    first, second, third = read_episodes(tmp_path / "web" / "episodes.jsonl")
    odd = folder_of(
        tmp_path / "odd",
        dataclasses.replace(first, task_id="0" * 16),
        dataclasses.replace(second, settings={"sites": "gone"}),
        dataclasses.replace(third, env="lent/Away-v0"),
        dataclasses.replace(third, env="lent/Away-v0", sample=1),
        dataclasses.replace(third, env="lent/Away-v0", sample=2, status="error", error="rain"),
    )
    another, refused, away = sorted(notes(odd), key=lambda note: ("Away" in note, "gone" in note))
    assert another == "No step pages for 1 episode of turnwise/WebTasks-v0: the seed gives another task today."
    assert "1 episode of turnwise/WebTasks-v0" in refused and "gone" in refused
    assert away.startswith("No step pages for 2 episodes of lent/Away-v0: name the file or module")
    monkeypatch.setattr("turnwise.report.evaluation.MAX_PICTURES", 1)
    [full] = notes(tmp_path / "web")
    assert full.startswith("No step pages for 2 episodes of turnwise/WebTasks-v0: 1 characters of pages")
    assert notes(tmp_path / "text") == []


# ---- training runs ---------------------------------------------------------------------------------------------------


def test_training_folder(training: Path) -> None:
    [run] = load_runs([training])
    assert isinstance(run, Training)
    lines = markdown([run]).splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["after step", "----------", "0", "20", "40"]
    assert "| 40.0 % |     30.9–49.8 |" in re.sub(r"\| +(?=40)", "| ", lines[5])
    page = page_of(training)
    assert page.count("svg") >= 8
    assert page.count("table") == 1
    text = (training / "report.html").read_text()
    assert "KL to the sampling policy" in text
    assert "clipped tokens" not in text, "a figure that is always zero has no chart"
    assert '"group_size": 8' in unescape(text)


def test_training_just_begun_or_killed(training: Path) -> None:
    metrics = training / "metrics.jsonl"
    metrics.write_bytes(b"".join(metrics.read_bytes().splitlines(keepends=True)[:1]) + b'{"kind": "tr')
    (training / "timings.jsonl").unlink()
    [run] = load_runs([training])
    assert isinstance(run, Training)
    assert len(run.tests) == 1
    assert page_of(training).count("svg") == 1
    metrics.write_bytes(b"")
    assert page_of(training).count("svg") == 0
    assert write_comparison(load_runs([training]), training / "c.html").exists()


def sampled(step: int, rollout: int, **changes: Any) -> dict[str, Any]:
    turn = {"observation": "Guess <b>", "action": f"say {step}", "reward": 0.5, "signal": 0.5, "invalid": False}
    turn |= {"advantage": 0.25, "tokens": [1, 2], "logprobs": [-0.5, -0.1]}
    record = {"step": step, "group": 0, "rollout": rollout, "env": "turnwise/GuessNumber-v0", "settings": {}}
    record |= {"seed": 7, "return": 0.5, "solved": True, "truncated": False, "status": "done", "kept": True}
    return {
        **record,
        "external": False,
        "version": 0,
        "error": "",
        "turns": [turn],
        "final_observation": "Well",
    } | changes


def test_sample_episodes_are_on_the_page(training: Path) -> None:
    assert "Sample episodes" not in (page_of(training), (training / "report.html").read_text())[1]
    failed = sampled(2, 1, status="error", solved=False, error="<script>boom", kept=False)
    failed["turns"][0]["advantage"] = None
    records = [sampled(2, 0), failed, *(sampled(step, 0) for step in range(10, 500, 10))]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (training / "samples.jsonl").write_text(lines + '{"step": 5')  # what a kill leaves
    page_of(training)
    text = (training / "report.html").read_text().partition("Sample episodes")[2].partition("<h2>Settings")[0]
    assert "12 of 50 sampled steps are on this page" in text
    assert text.count("step 2<") == 1 and "say 490" in text, "the first and the last are there"
    assert "1 of 2 solved" in text and "advantage +0.25" in text and "reward 0.5" in text and "not trained on" in text
    assert "&lt;script&gt;boom" in text and "<script>" not in text and "Guess <b>" not in text


def test_figures_that_are_no_numbers_are_left_out(training: Path) -> None:
    line = {"kind": "train", "step": 41, "solved": float("nan"), "loss": float("inf"), "entropy": float("nan")}
    with (training / "metrics.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")
    page_of(training)
    text = (training / "report.html").read_text().partition("<h1>")[2].partition("<h2>Settings")[0]
    assert not re.search(r"[ ,:\"](nan|inf)[ ,\"<]", text)


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.floats(-1e9, 1e9)), max_size=60),
    st.booleans(),
    st.one_of(st.none(), st.just(1.0)),
)
def test_any_chart_is_drawn(points: list[tuple[int, float]], marked: bool, top: float | None) -> None:
    if top is not None:
        points = [(x, abs(y) / 1e9) for x, y in points]
    drawn = html.chart("<t>", [html.Series("<s>", points, marked), html.Series("", [])], top=top)
    assert bool(drawn) == bool(points)
    page = Page(drawn)
    for tag, attrs in page.tags:
        if tag == "polyline":
            for pair in (attrs["points"] or "").split():
                x, y = map(float, pair.split(","))
                assert 0 <= x <= 360
                assert 0 <= y <= 190
    assert page.count("text") < 20


# ---- folders ---------------------------------------------------------------------------------------------------------


def test_folders_below_are_found(training: Path, tmp_path: Path) -> None:
    folder_of(tmp_path / "evals", episode())
    (tmp_path / "other").mkdir()
    assert [type(run).__name__ for run in load_runs([tmp_path])] == ["Evaluation", "Training"]


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="holds no run"):
        load_runs([tmp_path])
    with pytest.raises(SettingsError, match="is not a folder"):
        load_runs([tmp_path / "nope"])
    (tmp_path / "episodes.jsonl").write_text("{}\n")
    with pytest.raises(SettingsError, match="cannot be read"):
        load_runs([tmp_path])


def test_markdown_table_is_aligned() -> None:
    text = markdown_table(("name", "n"), [("a|b\nc", "1"), ("d", "100")])
    assert text.splitlines() == ["| name   |   n |", "| ------ | --: |", "| a\\|b c |   1 |", "| d      | 100 |"]


# ---- what a reader sees ----------------------------------------------------------------------------------------------


def asked(observation: str, **changes: Any) -> Episode:
    return episode(turns=(Turn(observation, "That.", 0.0),), solved=False, episode_return=0.0, **changes)


def test_rows_name_the_question_and_not_what_all_share() -> None:
    rules = "Use each number exactly once, with + - * / and brackets."
    many = [asked(f"A game of numbers. Make {n} from 1, 2, 3. {rules}", seed=n) for n in (10, 11, 25)]
    assert [h.split(" from")[0] for h in html.headings(many)] == ["Make 10", "Make 11", "Make 25"]
    labelled = [asked(f"You are {who}.\n\nTask: Buy {what}.\nPages follow.") for who, what in (("A", "x"), ("B", "y"))]
    assert [h.split(".")[0] for h in html.headings(labelled)] == ["Buy x", "Buy y"]
    alike = [asked("Find my code.", seed=n) for n in (1, 2)]
    assert html.headings(alike) == ["Find my code."] * 2
    other = [asked("Find my code."), asked("Sort 3 2 1.", env="x/Other-v0")]
    assert html.headings(other) == ["Find my code.", "Sort 3 2 1."]
    assert html.headings([]) == []


def test_families_are_grouped(tmp_path: Path) -> None:
    envs = ["turnwise/Sudoku-v0", "mine/Own-v0", "turnwise/GuessNumber-v0", "turnwise/Sokoban-v0"]
    run = load_run(folder_of(tmp_path / "a", *(episode(env=env) for env in envs)))
    assert isinstance(run, Evaluation)
    header, rows = scores_table(run.scores, headings=True)
    assert [row[0] for row in rows] == [
        "games", "GuessNumber-v0", "puzzles: 100.0 %", "Sudoku-v0", "Sokoban-v0", "other environments", "mine/Own-v0",
        "all", "all (mean)",
    ]  # fmt: skip
    assert all(len(row) in (1, len(header)) for row in rows)


def test_a_page_of_training_alone_counts_no_evaluations(training: Path, tmp_path: Path) -> None:
    """What `make quickstart` ends with: nothing on the page says 0 of something, or that something was not kept."""
    text = write_comparison(load_runs([training]), tmp_path / "all.html").read_text()
    assert "1 training run<" in text
    assert "0 evaluations" not in text
    assert "not kept" not in text + markdown(load_runs([training, training]))


def test_every_point_of_a_chart_has_its_value(training: Path) -> None:
    page = page_of(training)
    hits = [dict(attributes) for tag, attributes in page.tags if tag == "rect"]
    values = [str(hit["data-values"]) for hit in hits]
    assert "20: train, sampled 0.4, test, sampled 0.4, test, greedy 0.4" in values
    assert len([v for v in values if v.startswith("40: ")]) > 5
    assert all(float(str(hit["width"])) > 0 for hit in hits)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A real browser."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs turnwise[browser]")
    program = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))), None)
    if program is None:
        pytest.skip("no Chromium on the PATH")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=flags)
        yield browser
        browser.close()


@pytest.mark.parametrize("width", [1400, 500])
def test_no_page_scrolls_sideways(chromium: Any, training: Path, tmp_path: Path, width: int) -> None:
    long = "a/quite-long-name-of-a-model-with-a-date-2026-11-22"
    envs = ["turnwise/Sudoku-v0", "turnwise/GuessNumber-v0", "mine/AnEnvironmentWithALongNameOfItsOwn-v0"]
    settings = {"num_numbers": 6, "an_own_setting": "with a long value"}
    ours = [episode(env=env, agent=long, settings=settings, metrics={"format_errors": 1.0}) for env in envs]
    folder = folder_of(tmp_path / "a", *ours, episode(env=envs[0], status="error", error="x" * 300, seed=2))
    runs = load_runs([folder, training])
    pages = [*map(write_page, runs), write_comparison([*runs, *load_runs([folder])], tmp_path / "all.html")]
    tab = chromium.new_page(viewport={"width": width, "height": 900})
    for path in pages:
        tab.goto(path.as_uri())
        tab.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        found = tab.evaluate(
            "[document.documentElement.scrollWidth - innerWidth,"
            " [...document.querySelectorAll('.card, details')].filter(c => c.scrollWidth > c.clientWidth).length]"
        )
        assert found == [0, 0], path
    tab.close()


def test_the_pointer_finds_the_values_of_a_chart(chromium: Any, training: Path) -> None:
    tab = chromium.new_page(viewport={"width": 1400, "height": 900})
    tab.goto(write_page(load_run(training)).as_uri())
    assert tab.locator(".chart output").first.inner_text() == ""
    tab.locator("rect.hit").nth(20).hover()
    assert tab.locator(".chart output").first.inner_text().startswith("20: train, sampled 0.4")
    tab.close()


def test_a_mixture_is_reported_by_environment(tmp_path: Path) -> None:
    arms = [{"env": "turnwise/Maze-v0", "weight": 2}, {"env": "turnwise/GuessNumber-v0", "settings": {"max_number": 8}}]
    made = TrainConfig(
        env="turnwise/Maze-v0", curriculum="mixture", curriculum_settings={"arms": arms}, steps=1, eval_tasks=100,
        trackers=(), out=str(tmp_path),
    )  # fmt: skip
    made.save(tmp_path)
    log = Logger(tmp_path, made, quiet=True)
    of = {"": 0.5, "/Maze-v0": 0.25, "/GuessNumber-v0(max_number=8)": 0.75}
    log.evaluation(0, {f"{kind}_solved{label}": rate for kind in ("sampled", "greedy") for label, rate in of.items()})
    log.close()
    text = markdown([load_run(tmp_path)])
    assert "## Maze-v0, GuessNumber-v0: " in text
    rates = {
        row[0].strip(): row[1].strip() for row in (line.strip("| ").split("|") for line in text.splitlines()) if row[1:]
    }
    assert (rates["0"], rates["0: Maze-v0"], rates["0: GuessNumber-v0(max_number=8)"]) == ("50.0 %", "25.0 %", "75.0 %")
    assert "43.1–56.9" in text and "17.5–34.3" in text, "the mean is of 200 tasks, each environment of 100"
    page = write_page(load_run(tmp_path)).read_text()
    assert "<h1>Maze-v0, GuessNumber-v0</h1>" in page and "GuessNumber-v0(max_number=8)" in page
