"""How fast the viewer opens and searches a run of many episodes, in a real browser.

Real episodes of a few environments are played and repeated under other seeds, each with a word of its own, until there
are as many as asked for. The page is written, opened from its file and served by `turnwise view`; times are those of
the browser: from the navigation until the overview stands, until the list of episodes does, and from a search's last
key until its result is shown; and the CPU time of the page's thread in each, which other work on the machine does not
lengthen. Each is the median of several runs, in new browsers.

    python benchmarks/viewer.py --episodes 50000
"""

import argparse
import dataclasses
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import turnwise  # noqa: F401  (registers)
from turnwise.agents.make import make_agent
from turnwise.core.episode import Episode, Job
from turnwise.core.player import rollout
from turnwise.report.app.make import book, write_app
from turnwise.report.app.serve import serving

ENVS = ("GuessNumber", "Sudoku", "FrozenLake", "Sokoban", "Maze", "Wordle", "SearchQA", "Zebra")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


def episodes(total: int, real: int) -> Iterator[Episode]:
    """Real episodes, then the same again under other seeds."""
    each = max(1, real // len(ENVS) // 2)
    jobs = [Job(f"turnwise/{env}-v0", seed, 0, {"difficulty": 1 + seed % 3}) for env in ENVS for seed in range(each)]
    known = [episode for name in ("oracle", "random") for episode in rollout(make_agent(name), jobs)]
    for number in range(total):
        old = known[number % len(known)]
        turns = (*old.turns[:-1], dataclasses.replace(old.turns[-1], action=f"{old.turns[-1].action} mark{number}x"))
        yield dataclasses.replace(old, agent="model", seed=number, turns=turns)


def folder(path: Path, total: int, real: int) -> Path:
    path.mkdir(parents=True)
    with (path / "episodes.jsonl").open("w") as file:
        for episode in episodes(total, real):
            file.write(episode.to_json() + "\n")
    return path


def measure(chromium: Any, address: str, total: int) -> dict[str, tuple[float, float]]:
    """Seconds until each thing is seen, and CPU-seconds of the page's thread, in a new browser."""
    browser = chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
    try:
        tab = browser.new_page(viewport={"width": 1400, "height": 900})
        session = tab.context.new_cdp_session(tab)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        tab.add_init_script(
            "window.seen = selector => new Promise(done => { const look = () => document.querySelector(selector)"
            " ? done(performance.now()) : setTimeout(look, 2); look(); });"
        )
        found: dict[str, tuple[float, float]] = {}

        def cpu() -> float:
            return float(
                next(m["value"] for m in session.send("Performance.getMetrics")["metrics"] if m["name"] == "ThreadTime")
            )

        def note(name: str, act: Callable[[], float]) -> None:
            before = cpu()
            seconds = act() / 1000
            found[name] = (seconds, cpu() - before)

        def opened(part: str, selector: str) -> float:
            tab.goto(f"{address}#/{part}", wait_until="commit")
            return float(tab.evaluate(f"seen({selector!r})"))

        tab.goto(address)  # the browser starts a process for the site
        tab.goto("about:blank")
        note("open the overview", lambda: opened("overview", ".bars"))
        tab.goto("about:blank")
        note("open the list of episodes", lambda: opened("episodes", "main[data-ready] .line"))
        tab.wait_for_load_state("load")
        for name, words in (("first search", f"mark{total // 2}x"), ("second search", f"mark{total // 3}x")):
            note(name, lambda words=words: tab.evaluate(SEARCH, [words, f"1 of {total:,}"]))  # type: ignore[misc]
        note("open an episode", lambda: tab.evaluate(OPEN))
        return found
    finally:
        browser.close()


SEARCH = """([words, expected]) => new Promise(done => {
  const input = document.querySelector("input[type=search]"), begin = performance.now();
  input.value = words; input.dispatchEvent(new Event("input"));
  const found = () => document.querySelector(".status").textContent.startsWith(expected)
    && document.querySelector(".line mark")?.textContent === words;
  const look = () => found() ? done(performance.now() - begin) : setTimeout(look, 2);
  look();
})"""
OPEN = """() => new Promise(done => {
  const begin = performance.now();
  document.querySelector(".line").click();
  const look = () => document.querySelector("main[data-page=episode][data-ready] .msg")
    ? done(performance.now() - begin) : setTimeout(look, 2);
  look();
})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=50_000)
    parser.add_argument("--real", type=int, default=800, help="episodes that are played; the others repeat them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        run = folder(Path(name) / "run", options.episodes, options.real)
        begin = time.process_time()
        page = write_app([run], Path(name) / "page.html", 0)
        size, stored = page.stat().st_size, (run / "episodes.jsonl").stat().st_size
        written = time.process_time() - begin
        print(f"{options.episodes:,} episodes, {stored / 1e6:.0f} MB")
        print(f"page {size / 1e6:.1f} MB, written in {written:.1f} CPU-seconds")
        begin = time.process_time()
        shelf = book([run])
        while shelf.look():
            pass
        print(f"read by the server in {time.process_time() - begin:.1f} CPU-seconds")
        with serving(shelf) as address:
            results = {}
            for kind, where in (("file", page.as_uri()), ("served", address)):
                rounds = [measure(playwright.chromium, where, options.episodes) for _ in range(options.rounds)]
                medians = {key: [statistics.median(r[key][i] for r in rounds) for i in (0, 1)] for key in rounds[0]}
                results[kind] = medians
                for key, (seconds, cpu) in medians.items():
                    print(f"{kind}: {key} {seconds:.2f} s ({cpu:.2f} CPU-seconds)")
    if options.out is not None:
        options.out.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
