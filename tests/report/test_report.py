"""Reports: tables, pages, and hostile text on them."""

import dataclasses
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnwise  # noqa: F401  (registers)
from tests.report._page import manifest_of, pages_of, texts_of
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.run.log import Logger
from turnwise.core.episode import Episode, Turn, read_episodes, write_episode
from turnwise.core.errors import SettingsError
from turnwise.evaluation.evaluate import EvalConfig, evaluate
from turnwise.report import html
from turnwise.report.app.evaluation import EvaluationSource, chosen
from turnwise.report.evaluation import (
    Evaluation,
    Training,
    comparison,
    load_run,
    load_runs,
    markdown,
    scores_table,
    write_comparison,
    write_page,
)
from turnwise.report.tables import interval, markdown_table, percent

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
    config = TrainConfig.of(
        {"env": "turnwise/GuessNumber-v0", "steps": 40, "eval_tasks": 100, "trackers": (), "out": str(folder)}
    )
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
    page = write_page(run)
    [entry] = manifest_of(page)["runs"]
    assert (entry["count"], entry["progress"]["done"], entry["progress"]["missing"]) == (36, 36, [])
    assert [env["name"] for env in entry["environments"]] == [
        "Countdown-v0:num_numbers=3", "Countdown-v0", "GuessNumber-v0"
    ]  # fmt: skip
    assert entry["headline"]["score"] == summary.overall.solve_rate
    assert len(texts_of(page)) == 36


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
    made = manifest_of(write_comparison(runs, tmp_path / "all.html"))
    assert [run["label"] for run in made["runs"]] == ["someone (a)", "other", "someone (c)"]


def test_hostile_text_is_only_text(tmp_path: Path) -> None:
    bad = episode(
        agent=HOSTILE, env=f"mine/{HOSTILE}-v0", settings={HOSTILE: HOSTILE}, metrics={HOSTILE: 1.0}, task_id=HOSTILE,
        turns=(Turn(HOSTILE, HOSTILE, 0.0, True, HOSTILE),), final_observation=HOSTILE, error=HOSTILE, status="error",
    )  # fmt: skip
    plain = page_of(folder_of(tmp_path / "plain", episode()))
    path = write_page(load_run(folder_of(tmp_path / "bad", bad)))
    page = Page(path.read_text(encoding="utf-8"))
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in plain.tags]
    assert {name for _, attrs in page.tags for name in attrs} <= {name for _, attrs in plain.tags for name in attrs}
    seen = HOSTILE.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e").replace("\u200b", "\\u200b")
    seen = seen.replace("\ud800", "\\ud800")
    assert texts_of(path) == [[seen, seen, "", seen, seen]]
    assert "<script>alert" not in path.read_text(encoding="utf-8")
    assert "<script>" in markdown([load_run(tmp_path / "bad")])  # Markdown is a text file; one line each, though
    assert len(markdown([load_run(tmp_path / "bad")]).splitlines()) == 5


def test_a_page_needs_and_allows_nothing_else(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "e", episode())
    text = write_page(load_run(folder)).read_text(encoding="utf-8")
    addresses = set(re.findall(r"https?://[^\s\"']*|src=|@import|url\(", text))
    assert addresses == {"http://www.w3.org/2000/svg"}, "the name of a vocabulary, which nobody fetches"
    assert "default-src 'none'" in text
    assert "script-src 'sha256-" in text
    assert "connect-src" not in text
    assert not [p for p in folder.iterdir() if p.name not in ("report.html", "episodes.jsonl")]


@settings(max_examples=60)
@given(st.text(st.characters()) | st.text("<>&\"'/ scriptpre-!\x00\ud800", max_size=40))
def test_any_text_is_seen(text: str) -> None:
    seen = html.visible(text)
    seen.encode()
    assert html.visible(seen) == seen and not set(seen) & set("\x00\x1b\x85\u200b\u202e\ufeff\ud800")


def test_long_messages_are_cut(tmp_path: Path) -> None:
    page = write_page(load_run(folder_of(tmp_path / "e", episode(turns=(Turn("x" * 30_000, "y", 0.0),)))))
    assert texts_of(page)[0][0] == "x" * 20_000 + "\n… 10000 more characters"


def test_some_of_many_episodes_of_every_kind_are_played_again() -> None:
    many = [episode(seed=i) for i in range(50)] + [episode(seed=99, solved=False, episode_return=0.0)]
    many.append(episode(env="turnwise/GuessNumber-v0", truncated=True, solved=False, episode_return=0.0))
    numbered = dict(enumerate(many))
    some = chosen(numbered, 10)
    assert len(some) == 10 and some == sorted(some)
    assert {html.state_of(many[n]) for n in some} == {"solved", "failed", "truncated"}
    assert chosen(numbered, 100) == list(range(52))
    assert chosen(numbered, 0) == []


def test_missing_step_pages_are_accounted_for(tmp_path: Path) -> None:
    desk: dict[str, Any] = {"sites": "desk", "templates": "desk.team"}
    for env, name, own in (("WebTasks", "web", desk), ("GuessNumber", "text", {})):
        evaluate(EvalConfig(envs=(env,), settings=own, num_tasks=3, chance_episodes=0, out=str(tmp_path / name)))

    def shown(folder: Path, extra: int = 10) -> tuple[int, list[str]]:
        page = write_page(load_run(folder), extra)
        return len(pages_of(page)), manifest_of(page)["runs"][0]["notes"]

    assert shown(tmp_path / "text") == (0, [])
    assert shown(tmp_path / "web") == (15, [])
    assert shown(tmp_path / "web", 1) == (5, [])
    first, second, third = read_episodes(tmp_path / "web" / "episodes.jsonl")
    odd = folder_of(
        tmp_path / "odd",
        dataclasses.replace(first, task_id="0" * 16),
        dataclasses.replace(second, settings={"sites": "gone"}),
        dataclasses.replace(third, env="lent/Away-v0"),
    )
    pages, [note] = shown(odd)
    assert pages == 0
    assert note.startswith("name the file or module that registers lent/Away-v0")
    source = EvaluationSource(odd)
    source.read()
    source.about()
    why = [source.answer("pictures", {"episode": number})["none"] for number in range(3)]
    assert why[0] == "the seed gives another task today"
    assert "gone" in why[1] and why[2] == note


# ---- training runs ---------------------------------------------------------------------------------------------------


def test_training_folder(training: Path) -> None:
    [run] = load_runs([training])
    assert isinstance(run, Training)
    lines = markdown([run]).splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["after step", "----------", "0", "20", "40"]
    assert "| 40.0 % |     30.9–49.8 |" in re.sub(r"\| +(?=40)", "| ", lines[5])


def test_training_just_begun_or_killed(training: Path) -> None:
    metrics = training / "metrics.jsonl"
    metrics.write_bytes(b"".join(metrics.read_bytes().splitlines(keepends=True)[:1]) + b'{"kind": "tr')
    (training / "timings.jsonl").unlink()
    [run] = load_runs([training])
    assert isinstance(run, Training)
    assert len(run.tests) == 1
    assert write_page(run).exists()
    metrics.write_bytes(b"")
    assert write_comparison(load_runs([training]), training / "c.html").exists()


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


def test_a_mixture_is_reported_by_environment(tmp_path: Path) -> None:
    arms = [{"env": "turnwise/Maze-v0", "weight": 2}, {"env": "turnwise/GuessNumber-v0", "settings": {"max_number": 8}}]
    made = TrainConfig.of({
        "env": "turnwise/Maze-v0", "curriculum": "mixture", "curriculum.arms": arms, "steps": 1, "eval_tasks": 100,
        "trackers": (), "out": str(tmp_path),
    })  # fmt: skip
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


def test_nothing_is_minus_zero() -> None:
    assert percent(-0.0004) == "0.0 %"
    assert interval((-0.0004, 0.0004)) == "0.0–0.0"
