"""What a written page holds: its manifest and its data."""

import base64
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from turnwise.report.app.sources import unpacked


def manifest_of(page: Path) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="manifest">(.*?)</script>', page.read_text(encoding="utf-8"))
    assert found
    return dict(json.loads(found[1]))


def data_of(page: Path) -> Mapping[str, str]:
    """Texts by name."""
    blocks = re.findall(r'<script type="text/plain" data-blob="([^"]*)">([^<]*)</script>', page.read_text())
    return {name: unpacked(base64.b64decode(text)) for name, text in blocks}


def pages_of(page: Path) -> list[str]:
    """The environment's pages, of all episodes."""
    found = (json.loads(text) for name, text in data_of(page).items() if "/pictures" in name)
    return [one for each in found for one in each["pages"]]


def texts_of(page: Path) -> list[list[str]]:
    """The texts of each episode: observation, answer and reasoning of each turn, the last observation, the error."""
    shards = [text for name, text in data_of(page).items() if "/shard" in name]
    return [episode.split("\x1f") for shard in shards for episode in shard.partition("\x1d")[2].split("\x1e")]
