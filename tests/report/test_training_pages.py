"""Training runs in the app: what is made of their files, and the pages in a real browser."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import turnwise  # noqa: F401  (registers)
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.run.log import Logger
from turnwise.core.errors import SettingsError
from turnwise.core.metrics import wilson
from turnwise.report.app.make import book, write_app
from turnwise.report.app.serve import serving
from turnwise.report.app.sources import unpacked
from turnwise.report.app.training import TrainingSource, curves_of, moving_mean
from turnwise.report.app.training_comparison import comparison_of
from turnwise.report.app.training_samples import story
from turnwise.report.training import read_training, stages

HOSTILE = (
    "</script><script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\"> \u202egnp \x1b[2J"
)


def settings(out: Path, **changes: Any) -> TrainConfig:
    base = {"env": "turnwise/GuessNumber-v0", "steps": 40, "eval_tasks": 100, "trackers": (), "out": str(out)}
    return TrainConfig.of({**base, **changes})


def run_in(folder: Path, end: float = 0.8, *, steps: int = 40, samples: bool = True, **changes: Any) -> Path:
    """A run as the trainer's logger writes it: from 20 % to ``end`` in ``steps`` steps."""
    folder.mkdir(parents=True)
    config = settings(folder, steps=steps, **changes)
    config.save(folder)
    log = Logger(folder, config, quiet=True)
    log.warm_start([3.0, 1.0], 5.0)
    for step in range(steps + 1):
        rate = 0.2 + (end - 0.2) * step / steps
        if step:
            log.step(step, metrics_of(rate), timings_of(step))
        if step % 20 == 0 or step == steps:
            arms = {f"{k}_solved/{arm}": rate for k in ("sampled", "greedy") for arm in arms_of(config)}
            log.evaluation(step, evaluated(rate) | arms, 2.0)
            if samples:
                log.samples([evaluated_record(step, group, solved=group < 8 * rate) for group in range(8)])
        if samples and step in (1, steps):
            log.samples([train_record(step, rollout) for rollout in range(3)])
    log.saved(steps, 1.0)
    log.close()
    return folder


def arms_of(config: TrainConfig) -> list[str]:
    arms = config.make_curriculum().arms
    return [arm.label for arm in arms] if len(arms) > 1 else []


def evaluated(rate: float) -> dict[str, float]:
    figures = {"solved": rate, "return": rate, "turns": 3.0, "tokens": 9.0, "errors": 0.0}
    return {f"{kind}_{name}": value for kind in ("sampled", "greedy") for name, value in figures.items()}


def metrics_of(rate: float) -> dict[str, float]:
    figures = {"entropy": 1.0, "clip_fraction": 0.0, "kl": 1e-4 * rate, "logp_gap": 1e-6, "turns": 3.0, "tokens": 9.0}
    return {
        **figures,
        "reward": rate,
        "solved": rate,
        "errors": 0.0,
        "groups": 4.0,
        "curriculum/p/a": rate,
        "curriculum/p/b": 1 - rate,
    }


def timings_of(step: int) -> dict[str, float]:
    stages = {"play_s": 1.0, "choose_s": 0.0, "credit_s": 0.25, "samples_s": 0.0, "score_s": 0.0, "optimise_s": 1.75}
    return {
        "collect_s": 1.0,
        "update_s": 2.0,
        "tokens_per_s": 100.0 + step,
        "sampling_s": 0.75,
        "memory_gb": 0.5,
    } | stages


def evaluated_record(step: int, group: int, *, solved: bool, text: str = "") -> dict[str, Any]:
    turn = {
        "observation": f"Guess task {group}. {text}",
        "action": "12" if solved else "7",
        "reward": float(solved),
        "invalid": False,
    }
    return {
        "step": step, "split": "test", "group": group, "rollout": 0, "env": "turnwise/GuessNumber-v0", "settings": {},
        "seed": group, "return": float(solved), "solved": solved, "truncated": not solved, "status": "done",
        "error": "", "turns": [turn | {"reward": float(solved), "invalid": False}],
        "final_observation": "yes" if solved else "no",
    }  # fmt: skip


def train_record(step: int, rollout: int, text: str = "") -> dict[str, Any]:
    solved = rollout == 0
    turn = {
        "observation": f"Guess a number. {text}", "action": f"say 1{text}", "reward": float(solved),
        "signal": float(solved), "invalid": rollout == 2, "advantage": 1.0 if solved else -0.5, "tokens": [5, 6, 7],
        "pieces": ["say", f" 1{text}", "<|e|>"],
        "logprobs": [-0.1, -2.5, -0.01], "gaps": [1e-7, -3e-6, 0.0], "entropies": [0.2, 1.5, 0.05],
    }  # fmt: skip
    return {
        **evaluated_record(step, 2, solved=solved), "split": "train", "rollout": rollout, "turns": [turn],
        "kept": rollout != 2, "external": False, "version": step - 1,
    }  # fmt: skip


def data_of(source: TrainingSource) -> dict[str, Any]:
    return json.loads(unpacked(source.blobs()[source.about()["data"]]))  # type: ignore[no-any-return]


# ---- what is made of the files ---------------------------------------------------------------------------------------


def test_a_run_in_figures(tmp_path: Path) -> None:
    source = TrainingSource(run_in(tmp_path / "guess"))
    about, data = source.about(), data_of(source)
    assert (about["steps"], about["planned"], about["control"], about["seconds"]) == (40, 40, False, 120.0)
    assert [test[0] for test in about["tests"]] == [0, 20, 40]
    assert about["tests"][0][1:4] == pytest.approx([0.2, *wilson(20, 100)])
    assert about["tokens_per_s"] == pytest.approx(120.5) and about["memory_gb"] == 0.5
    assert data["seconds"] == pytest.approx({
        "warm start": 5, "evaluations": 6, "checkpoints": 1, "sampling": 30, "environments": 10, "credit": 10,
        "optimiser": 70, "guidance and choice": 0, "sample episodes": 0, "old and reference policy": 0,
    })  # fmt: skip
    titles = [chart["title"] for chart in data["charts"]]
    assert "mean return" in titles and "KL to the sampling policy" in titles
    assert "clipped tokens, share" not in titles, "a figure that is always the same has no chart"
    [shared] = [chart for chart in data["charts"] if chart["title"] == "curriculum p"]
    assert [series["name"] for series in shared["series"]] == ["a", "b"], "figures of arms share a chart"
    assert [(part["step"], [g["size"] for g in part["groups"]]) for part in data["samples"]] == [
        (0, [1] * 8), (1, [3]), (20, [1] * 8), (40, [1] * 8 + [3]),
    ]  # fmt: skip


def test_the_story_is_a_task_that_was_failed_and_then_solved(tmp_path: Path) -> None:
    source = TrainingSource(run_in(tmp_path / "a"))
    before, after = json.loads(unpacked(source.blobs()[source.about()["story"]]))
    assert (before["step"], before["solved"], after["step"], after["solved"]) == (0, False, 40, True)
    assert before["seed"] == after["seed"] == "2", "tasks 0 and 1 were solved before"
    records = [evaluated_record(0, 0, solved=True), evaluated_record(0, 1, solved=False)]
    assert [r["group"] for r in story(records, [dict(r, step=9) for r in records])] == [0, 0]
    assert story(records, []) == []
    assert TrainingSource(run_in(tmp_path / "b", samples=False)).about()["story"] is None


def test_arms_of_a_mixture_are_apart(tmp_path: Path) -> None:
    arms = [{"env": "turnwise/Maze-v0"}, {"env": "turnwise/GuessNumber-v0"}]
    changes: dict[str, Any] = {"curriculum": "mixture", "curriculum.arms": arms}
    data = data_of(TrainingSource(run_in(tmp_path / "a", **changes)))
    assert list(data["arms"]) == ["Maze-v0", "GuessNumber-v0"]
    [first, *_] = data["arms"]["Maze-v0"]
    assert first["sampled"] == pytest.approx([0.2, *wilson(20, 100)])
    assert data["tests"][0]["sampled"] == pytest.approx([0.2, *wilson(40, 200)]), "of the tasks of both"


def test_runs_that_have_just_begun_or_were_killed_or_are_old(tmp_path: Path) -> None:
    folder = run_in(tmp_path / "a", steps=1)
    metrics = folder / "metrics.jsonl"
    metrics.write_bytes(b"".join(metrics.read_bytes().splitlines(keepends=True)[:2]) + b'{"kind": "tr')
    (folder / "samples.jsonl").write_text('{"step": 5')
    old = [{"kind": "train", "step": 1, "collect_s": 1.0, "update_s": 3.0}]
    (folder / "timings.jsonl").write_text(json.dumps(old[0]) + "\n")
    source = TrainingSource(folder)
    assert source.about()["steps"] == 0 and len(source.about()["tests"]) == 1
    assert stages(read_training(folder)) == {"rollouts": 1.0, "update": 3.0}, "all that earlier versions wrote down"
    for name in ("metrics.jsonl", "timings.jsonl", "samples.jsonl"):
        (folder / name).write_bytes(b"")
    assert source.refresh() and source.about()["tests"] == [] and data_of(source)["charts"] == []
    assert write_app([folder], tmp_path / "page.html").exists()


def test_a_live_run_is_followed_and_a_resumed_one_read_again(tmp_path: Path) -> None:
    folder = run_in(tmp_path / "a")
    source = TrainingSource(folder)
    names = set(source.blobs())
    assert not source.refresh()
    lines = (folder / "samples.jsonl").read_bytes().splitlines(keepends=True)
    with (folder / "samples.jsonl").open("ab") as file:
        file.write(json.dumps(train_record(41, 0)).encode() + b'\n{"step": 4')
    assert source.refresh()
    assert [part["step"] for part in data_of(source)["samples"]] == [0, 1, 20, 40, 41]
    assert {name for name in names if name.startswith("samples")} < set(source.blobs()), "known ones stay"
    (folder / "samples.jsonl").write_bytes(b"".join(lines[:8]) + json.dumps(train_record(3, 0)).encode() + b"\n")
    assert source.refresh()
    assert [part["step"] for part in data_of(source)["samples"]] == [0, 3]


@pytest.mark.parametrize("line", [b"{\n", b"[]\n", b'{"step": 50}\n', b'{"step": null, "group": 1}\n'])
def test_a_damaged_line_is_named_and_read_again(tmp_path: Path, line: bytes) -> None:
    folder = run_in(tmp_path / "a")
    source, good = TrainingSource(folder), (folder / "samples.jsonl").read_bytes()
    before = source.about()
    (folder / "samples.jsonl").write_bytes(good + line)
    for _ in range(2):
        with pytest.raises(SettingsError, match="cannot be read"):
            source.refresh()
    assert source.about() == before
    (folder / "samples.jsonl").write_bytes(good + json.dumps(train_record(41, 0)).encode() + b"\n")
    assert source.refresh() and data_of(source)["samples"][-1]["step"] == 41


def test_figures_that_are_no_numbers_are_left_out(tmp_path: Path) -> None:
    folder = run_in(tmp_path / "a")
    bad = {"kind": "train", "step": 41, "solved": float("nan"), "loss": float("inf"), "entropy": float("nan")}
    with (folder / "metrics.jsonl").open("a") as file:
        file.write(json.dumps(bad) + "\n")
    data = curves_of(read_training(folder))
    assert len(data["solved"]["points"]) == 40
    json.dumps({name: part for name, part in data.items() if name != "config"}, allow_nan=False)


def test_a_moving_mean_and_its_interval_by_hand() -> None:
    points = [(float(i), float(i % 2)) for i in range(30)]
    found = moving_mean(points)
    assert len(found) == 30
    x, mean, low, high = found[10]  # the 5 values 0 1 0 1 0: mean 0.4, s = 0.5477
    assert (x, mean) == (10, 0.4)
    assert (low, high) == pytest.approx((0.4 - 1.96 * 0.5477 / 5**0.5, 0.4 + 1.96 * 0.5477 / 5**0.5), abs=1e-3)
    assert found[0][1] == pytest.approx(1 / 3), "at the ends of what is there"


def test_very_long_runs_are_drawn_from_means(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    settings(folder, steps=5000).save(folder)
    lines = [json.dumps({"kind": "train", "step": i + 1, "solved": i / 5000}) for i in range(5000)]
    (folder / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    points = curves_of(read_training(folder))["solved"]["points"]
    assert len(points) == 1000 and points[0] == [3.0, pytest.approx(0.0004)]


# ---- comparison over seeds -------------------------------------------------------------------------------------------


def seeds_of(folder: Path, ends: Sequence[float], **changes: Any) -> list[Path]:
    return [run_in(folder / str(seed), end, seed=seed, samples=False, **changes) for seed, end in enumerate(ends)]


def test_settings_are_compared_over_tasks_and_seeds(tmp_path: Path) -> None:
    folders = []
    for task, shift in {"turnwise/GuessNumber-v0": 0.0, "turnwise/Maze-v0": 0.1}.items():
        for credit, ends in {"grpo": (0.5, 0.6, 0.7), "rloo": (0.3, 0.4, 0.5)}.items():
            folders += seeds_of(tmp_path / task / credit, [end + shift for end in ends], env=task, credit=credit)
    found = comparison_of([read_training(folder) for folder in folders])
    assert [(s["name"], s["seeds"], s["runs"]) for s in found["settings"][:2]] == [
        ("grpo", [0, 1, 2], [0, 1, 2]), ("rloo", [0, 1, 2], [3, 4, 5]),
    ]  # fmt: skip
    first = found["settings"][0]
    assert first["after"][0] == pytest.approx(0.6) and first["after"][1] < 0.5 < 0.7 < first["after"][2]
    assert [point[0] for point in first["curve"]] == [0, 20, 40]
    both, *single = found["scopes"]
    assert [len(scope["tasks"]) for scope in found["scopes"]] == [2, 1, 1] and len(single) == 2
    # six runs: 0.5 0.6 0.6 0.7 0.7 0.8 without the lowest and the highest
    assert both["aggregates"]["IQM"][0][0] == pytest.approx(0.65)
    assert both["aggregates"]["mean"][1][0] == pytest.approx(0.45)
    [pair] = both["pairs"]
    assert (pair["of"], pair["over"]) == ("grpo", "rloo")
    assert pair["value"][0] == pytest.approx(8.5 / 9), "one of nine pairs of each task is a tie"
    level = {round(row[0], 2): row[1] for row in both["profiles"][0]}
    assert level[0.0] == 1.0 and level[0.64] == pytest.approx((1 / 3 + 2 / 3) / 2) and level[1.0] == 0.0


def test_one_seed_is_shown_without_an_interval(tmp_path: Path) -> None:
    folders = [run_in(tmp_path / "a", samples=False), run_in(tmp_path / "b", 0.1, samples=False, shuffle_rewards=True)]
    found = comparison_of([read_training(folder) for folder in folders])
    assert [s["after"][1:] for s in found["settings"]] == [[None, None]] * 2
    assert [s["control"] for s in found["settings"]] == [False, True]
    assert found["scopes"][0]["pairs"] == []


# ---- pages -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks, one with a control, one with a hostile sample and a mixture."""
    folder = tmp_path_factory.mktemp("runs")
    run_in(folder / "guess")
    run_in(folder / "guess_control", 0.1, shuffle_rewards=True)
    arms = [{"env": "turnwise/Maze-v0"}, {"env": "turnwise/GuessNumber-v0"}]
    mixed: dict[str, Any] = {"env": "turnwise/Maze-v0", "curriculum": "mixture", "curriculum.arms": arms}
    odd = run_in(folder / "mixture", **mixed)
    with (odd / "samples.jsonl").open("a") as file:
        for rollout in range(2):
            file.write(json.dumps(train_record(41, rollout, HOSTILE) | {"error": HOSTILE, "status": "error"}) + "\n")
    return folder


class Tab:
    """A page of the browser that fails on any error of its scripts."""

    def __init__(self, browser: Any, address: str, width: int = 1400) -> None:
        self.page, self.errors = browser.new_page(viewport={"width": width, "height": 900}), list[str]()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        self.page.goto(address)
        self.ready()

    def ready(self) -> None:
        self.page.wait_for_selector("main[data-ready]", timeout=0)  # the suite's time-out ends it

    def go(self, where: str) -> None:
        self.page.evaluate(
            "where => { document.querySelector('main').removeAttribute('data-ready'); location.hash = where; }", where
        )
        self.ready()

    def text(self, selector: str = "main") -> str:
        return str(self.page.locator(selector).first.inner_text())

    def close(self) -> None:
        assert self.errors == []
        assert "hacked" not in self.page.title()
        self.page.close()


@pytest.fixture(scope="module")
def page(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    folders = [runs / name for name in ("guess", "guess_control", "mixture")]
    return write_app(folders, tmp_path_factory.mktemp("page") / "report.html").as_uri()


@pytest.mark.slow
def test_the_first_page_tells_the_story(chromium: Any, page: str) -> None:
    tab = Tab(chromium, page)
    tab.page.wait_for_selector(".story .tale-side", timeout=0)
    first = tab.text(".story")
    for words in ("before", "after 40 steps", "control, after 40 steps", "it learned", "20 %", "80 %", "10 %"):
        assert words in first, words
    assert "Guess task 2." in first and "failed before and solved after" in first
    assert tab.page.locator(".story").first.locator(".tale-side .badge").all_inner_texts() == ["truncated", "solved"]
    assert tab.page.locator(".story").count() == 2
    tab.page.locator(".story rect.hit").nth(1).hover()
    assert tab.text(".story .chart output") == "step 20: trained 50 (40–60), control 15 (9–23)"
    tab.page.locator(".story h2 a").first.click()
    tab.page.wait_for_selector("text=Where the seconds went", timeout=0)
    tab.close()


def test_a_runs_page_has_curves_seconds_and_samples(chromium: Any, page: str) -> None:
    tab = Tab(chromium, page)
    tab.go("#/training/0")
    text = tab.text()
    for words in (
        "20.0 %",
        "80.0 %",
        "2 min",
        "Where the seconds went",
        "optimiser 53 %",
        "mean return",
        "memory, GB",
        "control",
    ):
        assert words in text, words
    tab.page.locator("rect.hit").nth(0).hover()
    assert tab.text(".chart output").startswith("step 0: test, sampled 20 (13–29), test, greedy 20 (13–29), control")
    tab.page.locator(".stack i").first.hover()
    assert "optimiser: 1 min" in tab.page.locator("figure:has(.stack) output").inner_text()
    tab.go("#/training/2")
    assert "By environment of the mixture" in tab.text() and "Maze-v0" in tab.text()
    tab.close()


def test_tokens_are_coloured_side_by_side(chromium: Any, page: str) -> None:
    tab = Tab(chromium, page)
    tab.go("#/training/0/40/train-2")
    assert tab.page.locator(".rollout").count() == 3
    assert "1 solved" in tab.text() and "not trained on" in tab.text()
    assert "".join(tab.page.locator(".rollout").first.locator(".tok").all_inner_texts()) == "say 1<|e|>"
    tab.page.locator(".rollout .tok").nth(1).hover()
    hover = tab.text(".tokens-values output")
    for words in ("“ 1”", "token 6", "log-probability −2.5", "gap -3.0e-6", "entropy 1.5", "advantage 1"):
        assert words in hover, words

    def colours() -> list[str]:
        script = "tokens => tokens.map(token => getComputedStyle(token).backgroundColor)"
        return list(tab.page.locator(".rollout .tok").evaluate_all(script))

    seen = [colours()]
    assert len(set(seen[0][:3])) == 1 and seen[0][0] != seen[0][3], "an advantage for each rollout"
    for _ in range(3):
        tab.page.keyboard.press("c")
        seen.append(colours())
    assert len({tuple(found) for found in seen}) == 4 and len(set(seen[2][:3])) == 3, "entropies differ by token"
    tab.page.keyboard.press("p")
    tab.page.wait_for_url("**/0/40/test-7", timeout=0)
    tab.page.keyboard.press("Escape")
    tab.page.wait_for_selector("text=Where the seconds went", timeout=0)
    tab.close()


@pytest.mark.parametrize("width", [1400, 900, 500])
def test_no_page_scrolls_sideways(chromium: Any, page: str, width: int) -> None:
    tab = Tab(chromium, page, width)
    for where in ("#/training", "#/training/2", "#/training/2/41/train-2", "#/training/0/0/test-3"):
        tab.go(where)
        assert tab.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0, (
            where
        )
    assert tab.page.locator("main img, main script").count() == 0
    tab.close()


def test_hostile_texts_are_only_texts(chromium: Any, page: str) -> None:
    tab = Tab(chromium, page)
    tab.go("#/training/2/41/train-2")
    text = tab.text()
    assert "<img src=x onerror=" in text and "\\u202egnp" in text and "\\x1b[2J" in text
    tab.close()


@pytest.mark.slow
def test_a_served_run_is_live(chromium: Any, tmp_path: Path) -> None:
    folder = run_in(tmp_path / "a", steps=20)
    with serving(book([folder])) as address:
        tab = Tab(chromium, address)
        assert "20 of" not in tab.text(".tiles") and "80.0 %" in tab.text(".tiles")
        log = Logger(folder, settings(folder), step=20, quiet=True)
        log.step(21, metrics_of(0.9), timings_of(21))
        log.evaluation(21, evaluated(0.9))
        log.close()
        tab.page.locator(".tiles", has_text="90.0 %").wait_for(timeout=0)
        tab.close()


def test_a_comparison_page_has_intervals_and_pairs(chromium: Any, tmp_path: Path) -> None:
    folders = []
    for credit, ends in {"grpo": (0.7, 0.8, 0.9), "rloo": (0.3, 0.4, 0.5)}.items():
        folders += seeds_of(tmp_path / credit, ends, credit=credit)
    tab = Tab(chromium, write_app(folders, tmp_path / "page.html").as_uri())
    tab.page.wait_for_selector("text=probability of improvement", timeout=0)
    text = tab.text()
    assert (
        "IQM, 95 % interval" in text and "grpo (3 runs)" in text and "100 %" in text and "not distinguishable" in text
    )
    tab.page.locator(".bar").first.hover()
    assert "80.0 (" in tab.page.locator("figure:has(.bars) output").first.inner_text()
    tab.close()


@pytest.mark.slow
def test_a_real_run_is_shown(chromium: Any, tmp_path: Path) -> None:
    """From the trainer to the page: what the tokens on it say adds up to what metrics.jsonl has."""
    from tests.baselines.trainer._small import small, train

    train(small(tmp_path / "a", steps=3, sample_every=1, sample_groups=4, eval_tasks=8, minibatches=1))
    source = TrainingSource(tmp_path / "a")
    steps = read_training(tmp_path / "a").steps
    for part, record in zip(data_of(source)["samples"][1:], steps, strict=True):
        rollouts = [r for r in json.loads(unpacked(source.blobs()[part["data"]])) if r["split"] == "train"]
        turns = [turn for rollout in rollouts for turn in rollout["turns"]]
        entropies = [entropy for turn in turns for entropy in turn["entropies"]]
        assert len(rollouts) == 12 and max(abs(gap) for turn in turns for gap in turn["gaps"]) < 1e-5
        assert sum(entropies) / len(entropies) == pytest.approx(record["entropy"], abs=1e-3)
    tab = Tab(chromium, write_app([tmp_path / "a"], tmp_path / "page.html").as_uri())
    assert "Where the seconds went" in tab.text() and "sampling" in tab.text()
    tab.page.locator("td a").first.click()
    tab.page.wait_for_selector(".rollout .tok", timeout=0)
    tab.page.locator(".rollout .tok").first.hover()
    assert "entropy" in tab.text(".tokens-values output")
    tab.close()
