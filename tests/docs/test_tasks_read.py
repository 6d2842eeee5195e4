"""The tasks in docs/tasks_read.md are the ones that the environments draw.

Run as a program, it writes them into the page again.
"""

import re
from pathlib import Path

import gymnasium
import pytest

from turnwise.audit.depth import declared
from turnwise.core.registration import full_id

PAGE = Path(__file__).parents[2] / "docs" / "tasks_read.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="needs the checkout, not an installed copy")
LEVELS = (3, 3, 3, 6, 6, 6, 6, 9, 9, 9)
NAMES = (
    "RepoIssue", "CodeSynthesis", "CodeOutput", "CodeRepair", "TestWriting", "Debugging", "Sql", "Shell",
    "DeepResearch", "BrowseQA", "SearchQA", "SearchBudget", "LongContextQA", "WebInjection", "WebTasks", "WebFlow",
)  # fmt: skip


def tasks(name: str) -> str:
    """Ten tasks as the environment words them, each below its level and seed."""
    cut = declared(name).task_text
    shown = []
    for seed, level in enumerate(LEVELS):
        env = gymnasium.make(full_id(name), difficulty=level)
        text = cut(env.reset(seed=seed)[0])
        env.close()
        if name in ("WebTasks", "WebFlow"):
            text = text.partition("Task: ")[2].partition("\n\nIn each message")[0] or text
        shown.append(f"Level {level}, seed {seed}:\n\n``````text\n{text.strip()}\n``````")
    return "\n\n".join(shown)


def marks(name: str) -> tuple[str, str]:
    """What stands before and after the tasks of an environment."""
    return f"<!-- tasks {name}: begin -->", f"<!-- tasks {name}: end -->"


def shown_in(page: str, name: str) -> str:
    """The tasks of an environment in the page."""
    begin, end = marks(name)
    return page.partition(begin)[2].partition(end)[0].strip()


@pytest.mark.parametrize("name", NAMES)
def test_tasks_are_current(name: str) -> None:
    assert shown_in(PAGE.read_text(encoding="utf-8"), name) == tasks(name)


def test_every_environment_is_shown() -> None:
    assert re.findall(r"<!-- tasks (\w+): begin -->", PAGE.read_text(encoding="utf-8")) == list(NAMES)


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    for name in NAMES:
        begin, end = marks(name)
        head, _, rest = page.partition(begin)
        page = f"{head}{begin}\n{tasks(name)}\n{end}{rest.partition(end)[2]}"
    PAGE.write_text(page, encoding="utf-8")
