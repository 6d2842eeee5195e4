"""Take the pictures of the pages of training runs: ``python docs/training_pictures.py runs/quickstart [runs/suite]``.

The first folder has runs of the quickstart, with their control; the second several settings with several seeds, by
default those of baselines/results/suite. It needs turnwise[browser] and a Chromium.
"""

import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from turnwise.report.app.make import write_app
from turnwise.report.runs import is_training, run_folders

HERE = Path(__file__).parent
WIDTH, SCALE = 1280, 0.75


def main(quickstart: Path, suite: Path) -> None:
    """Write the pictures into this folder."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-headless-shell"))))
    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    with sync_playwright() as started, tempfile.TemporaryDirectory() as scratch:
        browser = started.chromium.launch(executable_path=program, args=flags)
        pages = [
            write_app([f for f in run_folders([folder]) if is_training(f)], Path(scratch, f"{n}.html")).as_uri()
            for n, folder in enumerate((quickstart, suite))
        ]
        for name, page, where, selector, height in (
            ("story", pages[0], "#/training", ".story:nth-of-type(2) .tale-side", 1240),
            ("run", pages[0], "#/training/0", ".stack", 1160),
            ("tokens", pages[0], "#/training/0/1/train-0", ".rollout", 760),
            ("comparison", pages[1], "#/training", ".bars", 900),
        ):
            tab = browser.new_page(viewport={"width": WIDTH, "height": height})
            tab.goto(page + where)
            tab.wait_for_selector(selector)
            save(tab.screenshot(), HERE / f"training_{name}.png")
            tab.close()
        browser.close()


def save(picture: bytes, path: Path) -> None:
    """Write a small PNG."""
    from PIL import Image

    image: Any = Image.open(io.BytesIO(picture)).convert("RGB")
    image = image.resize([int(SCALE * size) for size in image.size], Image.Resampling.LANCZOS)
    image.quantize(256, kmeans=3, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    given = [Path(name) for name in sys.argv[1:]]
    main(given[0], given[1] if len(given) > 1 else HERE.parent / "baselines/results/suite")
