"""The transcripts in docs/desks.md and docs/calls.md are what the oracle plays.

Run as a program, it writes them into the pages again.
"""

import re
from pathlib import Path

import gymnasium
import pytest

from turnwise.core.registration import full_id

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="needs the checkout, not an installed copy")
PAGES = ("calls.md", "desks.md")
MARK = re.compile(r"<!-- transcript (\w+) (\d+) seed (\d+): begin -->\n(.*?)<!-- transcript: end -->", re.DOTALL)
MOST = 1200  # characters of an observation; the first one is shown whole where its page has no other
FIRST = 6000


def transcript(name: str, difficulty: int, seed: int, whole: bool) -> str:
    """What the environment and the oracle say."""
    env = gymnasium.make(full_id(name), difficulty=difficulty)
    observation = env.reset(seed=seed)[0]
    if not whole:
        observation = "[…]\n\n" + observation.rpartition("\n\n")[2]
    parts, over = [_cut(observation, FIRST)], False
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
    """The page with its transcripts as they are now; the first one has its first observation whole."""
    begun: list[str] = []

    def again(match: re.Match[str]) -> str:
        begun.append(match[0])
        text = transcript(match[1], int(match[2]), int(match[3]), len(begun) == 1)
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
