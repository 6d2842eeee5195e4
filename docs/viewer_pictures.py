"""Draw the pictures of docs/viewer.md: two scripted agents play, and Chromium shows each page of the app.

python docs/viewer_pictures.py docs
"""

import shutil
import sys
import tempfile
from pathlib import Path

import turnwise  # noqa: F401  (registers)
from turnwise.evaluation.evaluate import EvalConfig, evaluate
from turnwise.report.app.make import write_app

ENVS = ("GuessNumber", "FrozenLake", "Maze", "Sokoban", "Sudoku", "Countdown", "KSat")
PARTS = {
    "overview": "overview",
    "episodes": "episodes?state=failed&q=frozen lake",
    "episode": "",
    "compare": "compare/1/0",
}
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


def runs(top: Path) -> list[Path]:
    """Evaluations of two agents of different skill."""
    envs = tuple(f"{env}:difficulty={level}" for env in ENVS for level in (1, 3, 5, 7, 9))
    folders = []
    for name, skill in (("stronger", 7), ("weaker", 4)):
        folder = top / name
        evaluate(EvalConfig(envs=envs, agent=f"graded:{skill}", num_tasks=8, chance_episodes=0, out=str(folder)))
        folders.append(folder)
    return folders


def main(out: Path) -> None:
    """Write the pictures into a folder."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        page = write_app(runs(Path(name)), Path(name) / "page.html", 400).as_uri()
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for picture, part in PARTS.items():
            dark = "dark" if picture == "episode" else "light"
            size = {"width": 1000, "height": 560} if picture == "episodes" else {"width": 1200, "height": 780}
            tab = browser.new_page(viewport=size, color_scheme=dark)
            if part:
                tab.goto(f"{page}#/{part}")
            else:
                tab.goto(f"{page}#/episodes?env=turnwise/Sokoban-v0&level=3&run=0&state=solved")
                tab.wait_for_selector(".line")
                tab.keyboard.press("j")
                tab.keyboard.press("Enter")
                tab.wait_for_selector(".msg")
            tab.wait_for_selector("main > *:nth-child(3), main[data-ready]")
            tab.wait_for_load_state("networkidle")
            tab.wait_for_timeout(500)  # the search, and the oracle's way
            tab.screenshot(path=out / f"viewer_{picture}.png")
            tab.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
