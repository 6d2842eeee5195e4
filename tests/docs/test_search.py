"""What docs/search.md and docs/retrieval.md show works as shown.

Run as a program, it writes the generated parts of docs/search.md anew: the table of kinds and the transcripts.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from turnwise.cli.main import COMMANDS, run
from turnwise.envs.search._episode import SearchEnv
from turnwise.envs.search._parts import LAST_PARTS, PRESETS, TURN_PARTS
from turnwise.envs.search._qa_files import DEMO_CORPUS, DEMO_QUESTIONS, FORMATS
from turnwise.retrieval.http.dialects import DIALECTS
from turnwise.retrieval.http.remote import RemoteRetriever
from turnwise.retrieval.http.server import Limits
from turnwise.retrieval.index.build import ENGINES
from turnwise.worlds.documents import WorldSettings, open_world
from turnwise.worlds.documents.questions import KIND_CHANCE, KIND_HOPS, KINDS, make_question

ROOT = Path(__file__).parents[2]
SEARCH, RETRIEVAL = ROOT / "docs" / "search.md", ROOT / "docs" / "retrieval.md"
pytestmark = pytest.mark.skipif(not SEARCH.exists(), reason="needs the checkout, not an installed copy")
TEXTS = {path.name: path.read_text(encoding="utf-8") if path.exists() else "" for path in (SEARCH, RETRIEVAL)}
COMMAND_LINES = re.findall(r"^turnwise \w.*", "\n".join(TEXTS.values()), re.MULTILINE)
NAMED_COMMANDS = re.findall(r"`turnwise ([\w-]+)", "".join(TEXTS.values()))
WIDTH = 200  # of a message in a transcript


# ---- what is generated -----------------------------------------------------------------------------------------------


def table_of_kinds() -> str:
    """A row for each kind of question, with the shortest of sixty drafts as an example."""
    world = open_world(0, 1000)
    lines = ["| kind | hops | form | guessing | example | answer |", "|---|---|---|---|---|---|"]
    for kind in KINDS:
        rng = np.random.default_rng(1)
        drafts = [made for _ in range(60) if (made := make_question(world, rng, kind, 2)) is not None]
        best = min((d for d in drafts if d.answerable == (kind != "unanswerable")), key=lambda draft: len(draft.text))
        low, high = KIND_HOPS[kind]
        lines.append(f"| {kind} | {low}–{high} | {best.form} | {KIND_CHANCE[kind]:g} | {best.text} | {best.gold} |")
    return "\n".join(lines)


def trimmed(text: str) -> str:
    """A message in one line, cut to a width."""
    line = " ⏎ ".join(line.strip() for line in text.splitlines() if line.strip())
    return line if len(line) <= WIDTH else line[:WIDTH].rpartition(" ")[0] + " […]"


def transcript(heading: str) -> str:
    """The oracle's episode of the environment and the settings that a heading names."""
    name, *pairs = heading.removeprefix("# ").split()
    settings: dict[str, Any] = dict(pair.split("=") for pair in pairs)
    settings = {key: int(value) if value.isdecimal() else value for key, value in settings.items()}
    seed = settings.pop("seed")
    env = gymnasium.make(f"turnwise/{name}-v0", **settings).unwrapped
    assert isinstance(env, SearchEnv)
    env.reset(seed=seed)
    parts = [heading, *([] if env.searches else [trimmed(env.introduction())]), env.asked()]
    over = False
    while not over:
        action = env.oracle()
        observation, reward, terminated, truncated, _ = env.step(action)
        parts += ["\n".join(f"> {line}" for line in action.splitlines()), trimmed(observation)]
        over = terminated or truncated
    assert reward == 1
    return "\n".join(parts) + "\n"


def generated(text: str) -> str:
    """The page with its generated parts made anew."""
    text = re.sub(
        r"<!-- kinds -->\n(.*?)<!-- /kinds -->",
        lambda _: f"<!-- kinds -->\n{table_of_kinds()}\n<!-- /kinds -->",
        text,
        flags=re.DOTALL,
    )
    return re.sub(
        r"^(# \w+ .*seed=\d+)\n(?:(?!```|# ).+\n)*", lambda match: transcript(match[1]), text, flags=re.MULTILINE
    )


def test_generated_parts() -> None:
    text = TEXTS["search.md"]
    assert text.count("seed=") >= 5
    assert generated(text) == text, "run: python tests/docs/test_search.py"


# ---- what can be run -------------------------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the pages name."""
    data = ROOT / "tests" / "data" / "search"
    shutil.copy(DEMO_CORPUS, tmp_path / "corpus.jsonl")
    shutil.copy(DEMO_QUESTIONS, tmp_path / "questions.jsonl")
    shutil.copy(data / "hotpotqa.json", tmp_path / "hotpotqa.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", TEXTS)
def test_programs(name: str, here: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", TEXTS[name], re.DOTALL)
    assert blocks
    (here / "shown.py").write_text("\n".join(blocks), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = [{str(ROOT)!r}, '.']\nimport shown\n{MORE[name]}"],
        cwd=here, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    if name == "search.md":
        assert done.stdout.startswith("1.0 1.0\n"), done.stdout


MORE = {
    "search.md": """
env = shown.gymnasium.make("mine/ReadQA-v0", documents=200, kinds="chain").unwrapped
env.reset(seed=0)
title = env.task.gold[0]
shown_text = env.step(f"<read>{title}</read>")[0]
assert shown_text.startswith("<tool_response>") and env.seen, shown_text
assert "there is no document" in env.step("<read>Nowhere</read>")[0]
""",
    "retrieval.md": "assert shown.info.documents == len(open('corpus.jsonl').readlines())",
}


def test_commands(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command line: run where that is quick, else its arguments are read."""
    assert len(COMMAND_LINES) >= 10
    assert set(NAMED_COMMANDS) <= set(COMMANDS)
    for line in COMMAND_LINES:
        words = shlex.split(line, comments=True)
        words = words[words.index("turnwise") + 1 :]
        command, args = words[0], words[1:]
        if command == "eval":
            args += ["--num-tasks", "2", "--chance-episodes", "0"]
        elif command == "train":
            args += ["--dry-run"]
        elif command == "serve-retriever" or "--model" in args:
            args += ["--help"]
        assert command in COMMANDS, line
        assert _status(command, args) == 0, line
        said = capsys.readouterr().out
        assert all(flag in said for flag in args if flag.startswith("--")) or "--help" not in args, line


def _status(command: str, args: list[str]) -> int:
    try:
        return run([command, *args])
    except SystemExit as end:  # of --help
        return int(end.code or 0)


@pytest.mark.slow
def test_the_server_as_a_command(here: Path) -> None:
    [line] = [line for line in COMMAND_LINES if "serve-retriever" in line]
    run(["index", "corpus.jsonl", "my_index"])
    words = [sys.executable, "-m", *shlex.split(line.replace("8000", "0"))]
    with subprocess.Popen(words, cwd=here, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": str(ROOT)}) as server:
        try:
            assert server.stdout is not None
            with RemoteRetriever(json.loads(server.stdout.readline())["url"]) as client:
                [hits] = client.search(["mayor of Ostrevik"], 3)
            assert hits[0].document.title == "Ostrevik"
        finally:
            server.terminate()
    assert server.returncode == 0


def test_the_example(here: Path) -> None:
    script = ROOT / "examples" / "search_own_corpus.py"
    done = subprocess.run([sys.executable, str(script)], cwd=here, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.search(r"oracle +solves 100%\nrandom +solves 0%\nconstant\S+ +solves \d\d?%", done.stdout), done.stdout


def test_benchmarks_have_these_options() -> None:
    named = re.findall(r"`python (benchmarks/\w+\.py)([^`]*)`", "".join(TEXTS.values()))
    assert len(named) >= 3
    for script, options in named:
        source = (ROOT / script).read_text(encoding="utf-8")
        for option in re.findall(r"--[\w-]+", options):
            assert f'"{option}"' in source, f"{script} {option}"


# ---- what is listed --------------------------------------------------------------------------------------------------


def test_every_name_is_listed() -> None:
    search, retrieval = TEXTS["search.md"], TEXTS["retrieval.md"]
    presets = [f'"{name}"' for name in PRESETS if name]
    style = [name for name in WorldSettings.__slots__ if name not in ("seed", "documents")]
    for name in (*TURN_PARTS, *LAST_PARTS, *FORMATS, *style):
        assert f"`{name}`" in search, name
    for text in presets:
        assert f"`{text}`" in search, text
    for name in (*DIALECTS, *ENGINES, *vars(Limits())):
        assert f"`{name}`" in retrieval, name
    for value in vars(Limits()).values():
        assert f"{value:g}" in retrieval.replace(",", "") or str(value) in retrieval, value


def test_weights_of_presets() -> None:
    text = TEXTS["search.md"]
    for name, weight in PRESETS["stepsearch"].items():
        assert f"`{name}` {weight:g}" in text


def test_links_lead_somewhere() -> None:
    for text in TEXTS.values():
        for target, anchor in re.findall(r"\]\(([^)#]*)(#[^)]*)?\)", text):
            if target.startswith("http"):
                continue
            page = (ROOT / "docs" / target) if target else None
            assert page is None or page.exists(), target
            if anchor:
                headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8") if page else text, re.MULTILINE)
                assert anchor[1:] in [re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings], anchor


if __name__ == "__main__":
    SEARCH.write_text(generated(TEXTS["search.md"]), encoding="utf-8")
