"""Every command line in the documentation says what it seems to say."""

import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import pytest

from turnwise.cli import checks as cli_checks
from turnwise.cli import main as cli
from turnwise.cli import play as cli_play
from turnwise.cli import train as cli_train
from turnwise.cli.environments import List, env_and_settings, ids_of
from turnwise.cli.flags import look, parse, positionals
from turnwise.cli.retrieval import Index, ServeRetriever
from turnwise.cli.view import View
from turnwise.cli.words import PAIR
from turnwise.core.registration import expand
from turnwise.evaluation.suite import Suite

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for page in ROOT.rglob("*.md")
    if not {".venv", "runs", "build", "node_modules"} & {*page.relative_to(ROOT).parts}
)
MEANT = {
    "NAME": "Countdown",
    "Name": "Countdown",
    "SEED": "0",
    "RUN": "runs/x",
    "DIR...": "runs/x",
    "PATTERN": "math",
    "MODEL": "m",
    "N": "3",
}
"""What stands for something of the reader's."""


def commands() -> Iterator[tuple[str, str]]:
    """The lines that begin with the program, and those in a sentence's code marks."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        blocks = "\n".join(re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
        found = re.findall(r"^(?:\S+=\S+ )?(?:torchrun \S+ \S+ -m )?(turnwise [a-z].*)$", blocks, re.MULTILINE)
        for line in [*found, *re.findall(r"(?<!`)`(turnwise [a-z][^`\n]*)`(?!`)", text)]:
            yield str(page.relative_to(ROOT)), re.split(r"\s+#\s|\s+[<>|&]", line)[0].strip()


COMMANDS = sorted(set(commands())) if PAGES else []


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files that the commands speak of."""
    code = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "extend.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "add.py").write_text(next(block for block in code if "mine/Add-v0" in block), encoding="utf-8")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "add", raising=False)
    gymnasium.registry.pop("mine/Add-v0", None)


def words_of(argv: list[str]) -> list[str]:
    """The words before the first flag, or else the last one: what the reader sees that the command is about."""
    flags = [i for i, word in enumerate(argv) if word.startswith("-")]
    return argv[: flags[0]] or argv[-1:] if flags else argv


@pytest.mark.skipif(not PAGES, reason="needs the checkout, not an installed copy")
@pytest.mark.usefixtures("shell")
@pytest.mark.parametrize(("page", "line"), COMMANDS)
def test_commands_in_the_docs(
    page: str, line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Suite, "check", lambda self: self.recorded)  # that nothing has changed: test_suite.py
    command, *argv = [MEANT.get(word, word) for word in shlex.split(line)[1:]]
    if any(re.fullmatch(r"(my_\w+\.py|file\.py):\S+", word) for word in argv):
        argv = [re.sub(r"^(my_\w+|file)\.py:\S+", "add.py:Add-v0", word) for word in argv]
    pairs = [word for word in argv if PAIR.match(word) and not word.startswith("--")]
    if "--help" in argv:
        with pytest.raises(SystemExit, match="0"):
            cli.COMMANDS[command](argv)
    elif command == "eval" and argv:
        if argv[0].startswith("hf:"):  # a run of the page's own, where the page is tested
            argv = ["FrozenLake", "--agent", *argv]
        if argv[0].startswith("suite:") and argv[0].endswith(".toml"):
            return  # a file of the page's own, which is played where the page is tested
        config = cli.eval_options(argv)
        if argv[0].startswith("suite:"):
            assert config.suite is not None
            assert config.suite["name"] == argv[0].partition(":")[2]
            return
        assert [env.split(":")[0] for env in config.envs if "all" not in argv] == [
            env_id for word in words_of(argv) if "all" not in argv for env_id in ids_of(word)
        ]
        given = {**config.settings, **config.agent_options}
        assert {pair.partition("=")[0] for pair in pairs} <= given.keys()
    elif command == "train" and words_of(argv)[:1] and re.search(r"[/:]", words_of(argv)[0]):
        seen = look(argv, cli_train.Train)  # a run or a file of the page's own, where the page is tested
        assert seen.words == words_of(argv)
    elif command == "train":
        assert cli.run([command, *argv, *(["--dry-run"] if words_of(argv) else ["--help"])]) == 0
        out = capsys.readouterr().out
        assert all(f'"{pair.partition("=")[0]}"' in out for pair in pairs)
        assert not words_of(argv) or json.loads(out)["env"]
    elif command in ("show", "play", "audit"):
        if command == "play":
            argv = cli_play._at_a_table(argv)[0]
        options = {"show": cli_play.Show, "play": cli_play.Play, "audit": cli_checks.Audit}[command]
        words = positionals(argv, options, ids_of)
        assert words == words_of(argv)
        if words and expand(words[0]) == words:
            env_and_settings(command, options, argv)
    elif command in PLAIN:
        parsed = parse(command, PLAIN[command], argv) if words_of(argv) else None
        assert parsed is None or positionals(argv, PLAIN[command]) == words_of(argv)
    else:
        assert command in cli.COMMANDS, f"{page}: {line}"


PLAIN = {
    "list": List,
    "report": cli.Report,
    "view": View,
    "reverify": cli_checks.Reverify,
    "index": Index,
    "serve-retriever": ServeRetriever,
}


@pytest.mark.skipif(not PAGES, reason="needs the checkout, not an installed copy")
def test_there_are_commands() -> None:
    assert {line.split()[1] for _, line in COMMANDS} >= {"eval", "train", "show", "list", "audit", "report", "index"}
    assert len(COMMANDS) > 50


def test_the_audit_of_all_leaves_out_what_is_no_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that plays every seat of a table always wins, so a win there is not a finding."""
    monkeypatch.setattr(cli_checks, "playable", lambda spec: True)
    assert "seats/Table-v0" in gymnasium.registry
    _, audited = cli_checks._several("all", ["all"])
    names = {env_id for env_id, _ in audited}
    assert "turnwise/Dataset-v0" in names
    assert "seats/Table-v0" not in names
