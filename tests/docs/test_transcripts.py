"""The transcripts in docs/desks.md, docs/desks_read.md and docs/calls.md are what the oracle plays.

Run as a program, it writes them into the pages again.
"""

import re
from pathlib import Path

import gymnasium
import pytest

from turnwise.core.registration import full_id

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="needs the checkout, not an installed copy")
PAGES = ("calls.md", "desks.md", "desks_read.md")
MARK = re.compile(r"<!-- transcript (\w+) (\d+) seed (\d+): begin -->\n(.*?)<!-- transcript: end -->", re.DOTALL)
MOST = 1200  # characters of an observation; an environment's first one on a page is shown up to FIRST
FIRST = 6000


def transcript(name: str, difficulty: int, seed: int, whole: bool) -> str:
    """What the environment and the oracle say."""
    env = gymnasium.make(full_id(name), difficulty=difficulty)
    observation = env.reset(seed=seed)[0]
    last = observation.rpartition("\n\n")[2]
    if not whole or len(observation) > FIRST:
        begin = observation[:FIRST].rpartition("\n")[0] if whole else ""
        observation = f"{begin}\n[…]\n\n{last}".lstrip()
    parts, over = [observation], False
    while not over:
        action = env.unwrapped.oracle()  # type: ignore[attr-defined]
        observation, reward, ended, cut, _ = env.step(action)
        parts += [">>> " + action.replace("\n", "\n>>> "), _cut(observation, MOST)]
        over = ended or cut
    env.close()
    body = "\n\n".join(part for part in parts if part.strip())
    return f"`{name}(difficulty={difficulty})`, seed {seed}:\n\n``````text\n{body}\n\nreward {reward:g}\n``````\n"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} […]"


def written(page: str) -> str:
    """The page with its transcripts as they are now; the first one of each environment begins whole."""
    begun: set[str] = set()

    def again(match: re.Match[str]) -> str:
        text = transcript(match[1], int(match[2]), int(match[3]), match[1] not in begun)
        begun.add(match[1])
        return f"<!-- transcript {match[1]} {match[2]} seed {match[3]}: begin -->\n{text}<!-- transcript: end -->"

    return MARK.sub(again, page)


@pytest.mark.parametrize("name", PAGES)
def test_transcripts_are_current(name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    assert MARK.search(page)
    assert written(page) == page


if __name__ == "__main__":
    for name in PAGES:
        (DOCS / name).write_text(written((DOCS / name).read_text(encoding="utf-8")), encoding="utf-8")
