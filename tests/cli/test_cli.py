"""The command line, in this process and a little in others."""

import builtins
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import types
from pathlib import Path
from typing import Any

import pytest

import turnwise
from tests._http import free_port
from tests.report._page import manifest_of, pages_of
from turnwise.cli import checks as cli_checks
from turnwise.cli import main as cli
from turnwise.cli.main import main, run
from turnwise.cli.train import recipes
from turnwise.core import registration
from turnwise.core.env import Reply
from turnwise.core.episode import read_episodes
from turnwise.core.errors import SettingsError
from turnwise.core.registration import env_class, env_ids, families, full_id, parse_spec, written
from turnwise.core.settings import named_settings
from turnwise.evaluation.evaluate import EvalConfig

ROOT = Path(__file__).parents[2]
ENVIRON = {**os.environ, "PYTHONPATH": str(ROOT)}
Capture = pytest.CaptureFixture[str]


def ok(capsys: Capture, *argv: str) -> str:
    assert run(argv) == 0
    return capsys.readouterr().out


def refused(capsys: Capture, *argv: str) -> str:
    """The message of a command that is refused: no traceback, nothing on standard output."""
    assert run(argv) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "Traceback" not in err
    return " ".join(err.replace("│", " ").split())


def only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """As though these environments were all there are: the others take long."""
    ids = sorted(full_id(name) for name in names)
    for module in (registration, cli_checks):
        monkeypatch.setattr(module, "env_ids", lambda pattern="": [i for i in ids if pattern.lower() in i.lower()])


def heed_ctrl_c() -> None:
    """A shell's background jobs, and so their children, start with Ctrl-C ignored: undo that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def turnwise_process(*argv: str, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "turnwise", *argv]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, env=ENVIRON, stdin=pipe, stdout=pipe, stderr=pipe, text=True, preexec_fn=heed_ctrl_c, **options
    )


# ---- the program -----------------------------------------------------------------------------------------------------


def test_help_and_version(capsys: Capture) -> None:
    out = ok(capsys, "--help")
    for command in ("list", "show", "play", "eval", "train", "audit", "reverify", "report"):
        assert f"\n  {command} " in out
        assert run([command, "--help"]) == 0
        assert f"usage: turnwise {command}" in capsys.readouterr().out
    assert ok(capsys, "--version") == f"turnwise {turnwise.__version__}\n"
    assert run([]) == 2


def test_main_exits_with_the_status() -> None:
    with pytest.raises(SystemExit) as stop:
        main(["nope"])
    assert stop.value.code == 2


def test_unknown_things_are_named_with_the_nearest(capsys: Capture) -> None:
    assert "there is no command 'evl'; did you mean 'eval'?" in refused(capsys, "evl")
    assert "no environment 'Cuntdown'; did you mean turnwise/Countdown-v0?" in refused(capsys, "show", "Cuntdown")
    assert "--num-numbers" in refused(capsys, "show", "Countdown", "--num-nubers", "4")
    assert "--num-numbers" in refused(capsys, "eval", "Countdown", "--num-nubers", "4")
    assert "did you mean 'oracle'" in refused(capsys, "eval", "Countdown", "--agent", "orcle")
    assert "must be from 3 to 9" in refused(capsys, "show", "Countdown", "--num-numbers", "99")
    assert "'x'" in refused(capsys, "show", "Countdown", "--num-numbers", "x")
    for words in (["--split", "dev"], ["--settings", "split=dev"]):
        assert "split is 'dev'; it must be 'train', 'test' or None" in refused(capsys, "show", "Countdown", *words)
    assert "--num-numbers is 'x'; it must be a whole number" in refused(capsys, "show", "Countdown", "--num-numbers=x")
    assert "--difficulty is 'x'; it must be a whole number or None" in refused(
        capsys, "eval", "all", "--difficulty", "x"
    )
    assert "--lr is 'x'; it must be a number" in refused(capsys, "train", "quickstart_guess", "--lr", "x")
    assert "ENV" in refused(capsys, "show")
    assert "Wordle" in refused(capsys, "show", "Countdown", "Wordle")
    assert "is not a folder" in refused(capsys, "report", "/no/such/folder")


def test_debug_shows_the_traceback(capsys: Capture) -> None:
    with pytest.raises(SettingsError):
        run(["show", "Cuntdown", "--debug"])


def test_a_closed_pipe_is_no_error() -> None:
    with turnwise_process("list") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(250) in (0, 141)


def test_interrupt_is_quiet() -> None:
    with turnwise_process("play", "GuessNumber", "--seed", "1") as process:
        assert process.stdout is not None
        while "thinking of a whole number" not in (line := process.stdout.readline()):
            assert line, "play ended before the first observation"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=250)
        assert process.returncode == 130
        assert err.strip() == ""


# ---- the grammar of arguments ----------------------------------------------------------------------------------------


def evaluation(*argv: str) -> EvalConfig:
    """What `turnwise eval` makes of its arguments."""
    return cli.eval_options(argv)


@pytest.mark.parametrize(
    "some", [pytest.param(slice(0, None, 20), id="quick"), pytest.param(slice(None), marks=pytest.mark.slow, id="all")]
)
def test_flags_take_their_values_and_words_are_environments(some: slice) -> None:
    expected = EvalConfig(
        envs=("Countdown", "GuessNumber"),
        agent="openai:m",
        agent_options={"a": 1, "b": "x=y,z"},
        settings={"difficulty": 2, "max_turns": 4},
        num_samples=4,
        ks=(1, 2, 4),
        num_tasks=3,
    )
    flags = (
        ["--settings", "difficulty=2", "max_turns=4"],
        ["--agent-options", "a=1", "b=x=y,z"],
        ["--ks", "1", "2", "4"],
        ["--num_samples=4"],
        ["--num-tasks", "3"],
        ["--agent", "openai:m"],
    )
    words = ["Countdown", "GuessNumber"]
    for order in list(itertools.permutations(range(len(flags)), 3))[some]:
        first = [flags[i] for i in order]
        rest = [flags[i] for i in range(len(flags)) if i not in order]
        front, back = list(itertools.chain(*first)), list(itertools.chain(*rest))
        assert evaluation(*front, *words, *back) == expected
        assert evaluation(*words, *front, *back) == expected
        assert evaluation(words[0], *front, words[1], *back) == expected


def test_flags_given_again_add_up() -> None:
    config = evaluation(
        "Countdown", "--settings", "num_numbers=4", "--ks", "1", "--settings=max_number=9", "max_target=20", "--ks",
        "2,4", "--num-samples", "4", "--agent-options", "a=1", "--agent-options=b=2",
    )  # fmt: skip
    assert config.settings == {"num_numbers": 4, "max_number": 9, "max_target": 20}
    assert (config.ks, config.agent_options) == ((1, 2, 4), {"a": 1, "b": 2})
    assert evaluation("Countdown", "--settings", "none").settings == {}
    assert evaluation("SearchQA", "--shaping", "environment=1", "support_recall=2").settings == {
        "shaping": {"environment": 1, "support_recall": 2}
    }
    assert evaluation("--shaping", "environment=1", "SearchQA").settings == {"shaping": {"environment": 1}}
    assert evaluation("--shaping", "stepsearch", "SearchQA").settings == {"shaping": "stepsearch"}
    assert evaluation("--env-settings", "path=tasks", "wall_s=60", "RepoIssue").settings == {
        "path": "tasks", "wall_s": 60
    }  # fmt: skip
    assert evaluation("--env-settings", "digits=3", "MathWithPython").settings == {"env_settings": {"digits": 3}}
    assert evaluation("--paraphrase", "SearchQA", "--rules", "false").settings == {"paraphrase": True, "rules": False}
    assert evaluation("SearchQA", "--no-paraphrase", "--rules=true").settings == {"paraphrase": False, "rules": True}
    assert evaluation("MathWithPython", "--env", "Countdown").envs == ("turnwise/MathWithPython-v0",)
    assert evaluation("Countdown", "--system=--x=y").system == "--x=y"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("eval Countdown num_numbers=5", "num_numbers=5 is not an environment; settings are written Name:num_num"),
        ("eval --settings num_numbers=5", "ENV"),
        ("eval Countdown --settings num_numbers", "--settings takes KEY=VALUE ..., or none; 'num_numbers' is neither"),
        ("eval Countdown --settings=5", "--settings takes KEY=VALUE"),
        ("eval Countdown --settings a=1 --settings a=2", "--settings: a is given twice"),
        ("eval Countdown --settings a=1 a=1", "--settings: a is given twice"),
        ("eval Countdown --ks one", "--ks takes whole numbers; 'one' is not"),
        ("eval Countdown --ks 1 two", "no environment 'two'"),
        ("eval Countdown --seed 1 --seed 2", "--seed is given twice"),
        ("eval Countdown --seed", "--seed needs a value"),
        ("eval Countdown --seed --num-tasks 3", "--seed needs a value; write --seed=--num-tasks if that is the value"),
        ("eval Countdown -n 3", "-n: flags are written with two dashes"),
        ("eval SearchQA --paraphrase --no-paraphrase", "--paraphrase is given twice"),
        ("eval SearchQA --no-paraphrase=false", "write --paraphrase or --no-paraphrase"),
        ("eval SearchQA --paraphrase=1", "write --paraphrase or --no-paraphrase"),
        ("eval SearchQA --shaping a=1 --shaping b", "--shaping is given twice"),
        ("eval Countdown Sudoku --num-numbers 3", "it is a setting of Countdown, not of all: write Countdown:num_numb"),
        ("eval Countdown --num-numbers 3 --settings num_numbers=4", "num_numbers: given twice, in --settings and as a"),
        ("eval Countdown --difficulty 3 --settings difficulty=4", "difficulty: given twice"),
        ("eval Countdown:num_numbers=3 --num-numbers 4", "num_numbers: given twice, as a flag and behind the name"),
        ("eval Countdown:num_numbers=3,num_numbers=4", "num_numbers is given twice"),
        ("eval CodeSynthesis --feedback verdict", "CodeSynthesis-v0 after its name, :feedback=..."),
        ("train quickstart_guess --env-settings max_number", "takes KEY=VALUE"),
        ("train quickstart_guess --env-settings max_number=3 --env-settings max_number=4", "max_number is given twice"),
        ("train quickstart_guess --trackers wandbb", "--trackers takes tensorboard and wandb; 'wandbb' is not"),
        ("train quickstart_guess --lr 1 --lr 2", "--lr is given twice"),
        ("train steps=3", "there is no recipe 'steps=3'"),
        ("train quickstart_guess steps=3", "unexpected steps=3"),
        ("show Countdown --seed 1 --seed 1", "--seed is given twice"),
        ("show Countdown max_number=9", "max_number=9 is not an environment"),
        ("show max_number=9", "max_number=9 is not an environment"),
        ("audit Countdown:num_numbers=4 --num-numbers 4", "given twice"),
        ("report --html --no-html .", "--html is given twice"),
        ("eval Countdown --num-tasks 0", "turnwise: num_tasks is 0; it must be at least 1"),
        ("eval Countdown --ks 1 8 --num-samples 4", "turnwise: ks has 8; k must be from 1 to num_samples, which is 4"),
        (
            "eval Countdown --agent openai:m@http://localhost:1/v1 --agent-options temperature=hot",
            "temperature is 'hot'; it must be a number of at least 0 or None",
        ),
        ("eval Countdown --agent openai:m@http://localhost:1/v1 --agent-options extra=5", "extra is 5; it must be"),
        (
            "eval Countdown --agent openai:m@http://localhost:1/v1 --agent-options seed=1.5",
            "seed is 1.5; it must be a w",
        ),
        ("report", "DIR: name at least one folder"),
        ("index a b --k1 1 --k1 2", "--k1 is given twice"),
        ("serve-retriever bm25:x --prt 3", "did you mean --port?"),
    ],
)
def test_what_cannot_be_meant_is_refused(capsys: Capture, line: str, words: str) -> None:
    assert words in refused(capsys, *line.split())


@pytest.mark.parametrize(
    "settings",
    [
        {"path": "12"},
        {"path": "true"},
        {"path": "None"},
        {"path": "a.jsonl", "prompt": "x,y=1: {question}"},
        {"prompt": '"{question}"'},
        {"prompt": "{question}"},
        {"prompt": "[{question}], z=3, {question}"},
        {"verifier": "", "index": None},
    ],
)
def test_settings_behind_a_name_are_read_back(settings: dict[str, object]) -> None:
    spec = written("turnwise/Dataset-v0", settings)
    assert parse_spec(spec) == ("turnwise/Dataset-v0", settings)


def test_values_behind_a_name() -> None:
    assert parse_spec("Countdown:split=None,num_numbers=5")[1] == {"split": None, "num_numbers": 5}
    assert parse_spec("SearchQA:kinds=chain,bridge,rules=False,shaping={\"a\": 1, \"b\": 2}")[1] == {
        "kinds": "chain,bridge", "rules": False, "shaping": {"a": 1, "b": 2}
    }  # fmt: skip
    assert parse_spec("Dataset:path=12")[1] == {"path": "12"}
    with pytest.raises(SettingsError, match="did you mean 'num_numbers'"):
        turnwise.make("Countdown:num-numbers=5")


# ---- list, show, play ------------------------------------------------------------------------------------------------


def test_list(capsys: Capture) -> None:
    rows = [line.split("\t") for line in ok(capsys, "list").splitlines()]
    assert [row[0] for row in rows] == env_ids()
    assert all(len(row) == 3 for row in rows)
    [row] = [row for row in rows if row[0] == "turnwise/Countdown-v0"]
    assert row[1] == "math"
    assert row[2].startswith("Combine numbers with + - * /")
    [line] = ok(capsys, "list", "countd").splitlines()
    assert line.split("\t")[:4] == ["turnwise/Countdown-v0", "math", "1", "num_numbers, max_number, max_target"]
    assert line.split("\t")[4:] == row[2:]
    assert "did you mean turnwise/Countdown-v0" in refused(capsys, "list", "Cuntdown")

    def found(*patterns: str) -> list[str]:
        return [line.split("\t")[0] for line in ok(capsys, "list", *patterns).splitlines()]

    assert "turnwise/Countdown-v0" in found("math") and found("math") == sorted(families()["math"])
    assert found("math", "sokob") == sorted([*families()["math"], "turnwise/Sokoban-v0"])
    assert "turnwise/Bandit-v0" in found("pulls") and "turnwise/Zebra-v0" not in found("pulls"), "by description"
    assert "did you mean the family games" in refused(capsys, "list", "gmaes")


def test_show(capsys: Capture) -> None:
    out = ok(capsys, "show", "Countdown", "--num-numbers", "6", "--seed", "3")
    assert "num_numbers = 6 (from 3 to 9)" in out
    assert "How many numbers are given." in out
    assert "difficulty  1: num_numbers=3" in out
    assert "[agent]  <answer>" in out
    assert "return 1, solved, 1 turn" in out
    assert out == ok(capsys, "show", "--seed", "3", "turnwise/Countdown-v0", "--num_numbers=6")
    assert out != ok(capsys, "show", "Countdown", "--num-numbers", "6", "--seed", "4")


def test_show_explores_before_the_oracle_solves(capsys: Capture) -> None:
    settings = ("Bandit", "--num-pulls", "20", "--seed", "1")
    out = ok(capsys, "show", *settings)
    explored, _, solved = out.partition("played by the oracle agent:")
    assert "played by the random agent:" in explored
    assert len(re.findall(r"^\w+ paid [\d.]+", explored, re.MULTILINE)) > 1, "what pulls return"
    assert "(the same task)" in solved and "return 1, solved" in solved
    alone = ok(capsys, "show", *settings, "--agent", "oracle")
    assert "random agent" not in alone and "(the same task)" not in alone and "return 1, solved" in alone
    out = ok(capsys, "show", *settings, "--agent", "random")
    assert "oracle agent" not in out and "more turn" not in out
    out = ok(capsys, "show", "Mastermind", "--seed", "2")
    assert "... 6 more turns\n\nreturn 0, not solved, 10 turns" in out
    assert "exact" in out.partition("... 6 more turns")[0].partition("[agent]")[2], "the answer to the last one shown"


def test_a_level_gives_what_no_flag_gives(capsys: Capture) -> None:
    row = env_class("Countdown").levels[0]
    out = ok(capsys, "show", "Countdown", "--difficulty", "1", "--max-target", "80")
    assert f"num_numbers = {row['num_numbers']} " in out
    assert f"max_number = {row['max_number']} " in out
    assert "max_target = 80 " in out


@pytest.mark.slow
def test_every_environment_has_help_for_every_setting(capsys: Capture) -> None:
    for env_id in env_ids():
        if env_id.startswith("turnwise/"):
            out = ok(capsys, "show", env_id, "--help")
            for name in named_settings(env_class(env_id)):
                assert name == "render_mode" or f"--{name.replace('_', '-')}" in out


def test_play(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["/hint", "no \\", "number", "5", "/quit"])
    monkeypatch.setattr(builtins, "input", lambda prompt: next(answers))
    out = ok(capsys, "play", "GuessNumber", "--seed", "1", "--max-number", "50", "--vary", "0", "--max-turns", "6")
    assert "from 1 to 50" in out
    assert "the oracle would say: 25" in out
    assert out.count("[reward 0, invalid]") == 1
    assert "not finished" in out

    monkeypatch.setattr(builtins, "input", lambda prompt: "5")
    out = ok(capsys, "play", "GuessNumber", "--seed", "1", "--max-number", "8")
    assert out.endswith(" Return 1.\n") == ("\nSolved. " in out)
    assert "\nSolved. Return " in out or "\nNot solved. Return " in out

    def end(prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr(builtins, "input", end)
    assert "not finished" in ok(capsys, "play", "GuessNumber")


def test_commands_about_one_environment_take_settings_behind_its_name(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builtins, "input", lambda prompt: "/quit")
    spec = "GuessNumber:max_number=50,vary=0"
    assert "from 1 to 50" in ok(capsys, "play", spec, "--seed", "1")
    assert "from 1 to 50" in ok(capsys, "play", "--seed", "1", spec, "--max-turns", "6")
    assert "http://bank.test/" in ok(capsys, "play", "WebTasks:sites=bank", "--seed", "1")
    assert "max_number = 50 " in ok(capsys, "show", spec)
    assert "nothing wrong found" in ok(capsys, "audit", "Countdown:num_numbers=4", "--num-tasks", "2")
    out = ok(capsys, "train", "quickstart_guess", "--env", "Countdown:num_numbers=4", "--dry-run")
    assert json.loads(out)["env_settings"] == {"num_numbers": 4}
    assert "max_number = 50 " in ok(capsys, "show", "GuessNumber", "--settings", "max_number=50", "vary=0")
    assert "max_number: given twice" in refused(capsys, "play", spec, "--max-number", "9")
    assert "vary: given twice" in refused(capsys, "show", spec, "--settings", "vary=1")
    assert "vary: given twice" in refused(capsys, "audit", "GuessNumber", "--settings", "vary=1", "--vary", "2")
    assert "did you mean 'max_number'" in refused(capsys, "show", "GuessNumber:max_numbr=5")


def test_show_says_what_can_be_rendered(capsys: Capture) -> None:
    said = {
        env: " ".join(ok(capsys, "show", env).partition("  render_mode = ")[2].splitlines()[1:3])
        for env in ("WebTasks:sites=desk", "GuessNumber")
    }
    assert '"html"' in said["WebTasks:sites=desk"] and '"ansi"' in said["WebTasks:sites=desk"]
    assert '"html"' not in said["GuessNumber"] and '"ansi"' in said["GuessNumber"]


class Clicker:
    """In place of the default browser: a person who ends the episode at once and reads the page after that."""

    def __init__(self, **form: str) -> None:
        self.form, self.url, self.verdict = form, "", ""
        self.thread = threading.Thread(target=self.go)

    def open(self, url: str) -> None:
        self.url = url
        self.thread.start()

    def go(self) -> None:
        import httpx

        url = httpx.URL(self.url)
        here = {"base_url": f"http://127.0.0.1:{url.port}", "headers": {"host": f"{url.host}:{url.port}"}}
        with httpx.Client(**here) as client:  # type: ignore[arg-type]
            client.get(f"/state?key={url.params['key']}")
            page = client.post("/end", data={"key": url.params["key"], **self.form}).text
            [asks] = re.findall(r'fetch\("(.*?)"\)', page)
            while not self.verdict:
                self.verdict = client.get(asks).json()["verdict"]


def test_play_in_a_browser(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    monkeypatch.setattr(
        "turnwise.worlds.web.browser.person._TOLD_S", 10**6
    )  # the end waits for no page that has been read
    port = free_port()
    found = []
    for form in ({"verb": "answer", "text": "no such thing"}, {"verb": "infeasible"}):
        person = Clicker(**form)
        monkeypatch.setattr("webbrowser.open", person.open)
        out = ok(capsys, "play", "WebTasks:sites=wiki,infeasible=1.0", "--seed", "2", "--browser", "--port", str(port))
        person.thread.join()
        assert f"Open http://turnwise.localhost:{port}/?key=" in out
        assert out.splitlines()[-1].startswith(person.verdict + " Return ")
        found.append(person.verdict)
    assert found == ["Not solved: the task cannot be done, which the agent did not say.", "Solved."]
    with socket.create_server(("127.0.0.1", port)):
        assert f"port {port} cannot be had" in refused(capsys, "play", "WebTasks", "--browser", "--port", str(port))
    assert "--port is for --browser" in refused(capsys, "play", "WebTasks", "--port", str(port))


def test_play_at_a_table(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["e2e4", "nonsense", "/quit"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    out = ok(capsys, "play", "Chess", "--against", "greedy", "--seed", "3")
    assert "You are White" in out
    assert "Black played" in out
    assert "Not a legal move" in out
    typed = iter(["a", "1", "a"] * 20)
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    assert ok(capsys, "play", "Generated", "--side", "2", "--seed", "1").splitlines()[-1] == "You lose."
    assert "there is no environment 'Chss'" in refused(capsys, "play", "Chss")
    assert "opponent of its own" in refused(capsys, "play", "ChessEndgame", "--against", "random")


# ---- eval, train, audit, report --------------------------------------------------------------------------------------


def test_eval(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    argv = ["eval", "Countdown", "--num-numbers", "3", "--num-tasks", "4", "--num-samples", "2", "--out", str(folder)]
    assert run(argv) == 0
    out, err = capsys.readouterr()
    header, _, row = out.splitlines()[2:5]
    assert [cell.strip() for cell in header.split("|")][2:6] == ["episodes", "solved", "95 % interval", "pass@k"]
    assert [cell.strip() for cell in row.split("|")][1:4] == ["Countdown-v0", "8", "100.0 %"]
    assert str(folder) in err
    episodes = list(read_episodes(folder / "episodes.jsonl"))
    assert len(episodes) == 8
    assert all(e.settings == {"num_numbers": 3, "split": "test"} for e in episodes)
    config = json.loads((folder / "config.json").read_text())["config"]
    assert "env_flags" not in config
    assert run([*argv, "--seed", "5"]) == 2
    assert "another evaluation" in capsys.readouterr().err


def test_eval_of_several(capsys: Capture) -> None:
    out = ok(capsys, "eval", "Countdown:num_numbers=3", "GuessNumber", "--agent", "random", "--num-tasks", "3",
             "--max-turns", "2", "--chance-episodes", "5", "--settings", "difficulty=2")  # fmt: skip
    assert "| Countdown-v0:num_numbers=3 " in out
    assert "| GuessNumber-v0 " in out
    assert "| all (mean) " in out
    assert "--num-numbers" in refused(capsys, "eval", "Countdown", "GuessNumber", "--num-numbers", "3")


def test_eval_of_all(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "Countdown", "GuessNumber", "Dataset")
    out = ok(capsys, "eval", "all", "--num-tasks", "2", "--chance-episodes", "0")
    assert "| Countdown-v0 " in out
    assert "| GuessNumber-v0 " in out
    assert "Dataset" not in out, "a few toy rows count in no mean"
    assert "| Dataset-v0 " in ok(capsys, "eval", "Dataset", "--num-tasks", "2", "--chance-episodes", "0")


@pytest.mark.slow
def test_eval_of_families(capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    only(monkeypatch, "Countdown", "GuessNumber", "Zebra", "KnightsKnaves")
    few = ("--num-tasks", "1", "--chance-episodes", "0")
    out = ok(capsys, "eval", "logic", "games", "--difficulty", "1", *few)
    assert sorted(re.findall(r"(\S+-v0)", out)) == ["GuessNumber-v0", "KnightsKnaves-v0", "Zebra-v0"]
    out = ok(capsys, "eval", "logic:difficulty=2", "Zebra-v0:difficulty=2", "math", *few)
    assert sorted(re.findall(r"(\S+-v0\S*)", out)) == [
        "Countdown-v0", "KnightsKnaves-v0:difficulty=2", "Zebra-v0:difficulty=2"
    ]  # fmt: skip
    assert "did you mean the family games?" in refused(capsys, "eval", "gamse")
    assert "games is a family: turnwise/GuessNumber-v0" in refused(capsys, "show", "games")
    assert "0 findings in 2 environments" in ok(capsys, "audit", "logic", "--num-tasks", "1")
    path = tmp_path / "audit.json"
    ok(capsys, "audit", "math:num_numbers=3", "--settings", "max_number=9", "--num-tasks", "1", "--json", str(path))
    assert json.loads(path.read_text())[0]["settings"] == {"max_number": 9, "num_numbers": 3}
    assert "one environment at a time; name it instead of 'logic'" in refused(capsys, "audit", "logic", "--levels")


def test_a_difficulty_stops_at_no_environment_without_levels(capsys: Capture) -> None:
    argv = ("eval", "Countdown", "Dataset", "--num-tasks", "1", "--chance-episodes", "0")
    for flag in (("--difficulty", "2"), ("--settings", "difficulty=2")):
        assert run([*argv, *flag]) == 0
        out, err = capsys.readouterr()
        assert "turnwise/Dataset-v0 has no difficulty levels and is played at its defaults" in err
        assert "| Dataset-v0:difficulty=null " in out and "| Countdown-v0 " in out
    assert "Dataset has no difficulty levels" in refused(capsys, "eval", "Dataset", "--difficulty", "2")


def test_eval_says_why_episodes_failed(capsys: Capture) -> None:
    argv = ["eval", "Countdown", "--agent", "openai:m@http://127.0.0.1:9/v1", "--num-tasks", "2", "--retries", "0"]
    assert run([*argv, "--agent-options", "max_retries=0", "--chance-episodes", "0"]) == 1
    assert "2 episodes failed, the first with: http://127.0.0.1:9/v1" in capsys.readouterr().err


@pytest.fixture
def trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A recipe in my_recipes.py, and what a trainer that does nothing was given."""
    (tmp_path / "my_recipes.py").write_text(
        "from turnwise.baselines.trainer.config import TrainConfig\n\n\n"
        "def guess() -> TrainConfig:\n"
        "    own = {'env': 'turnwise/GuessNumber-v0', 'env_settings': {'max_number': 9}, 'steps': 7}\n"
        "    return TrainConfig.of(own)\n\n\n"
        "def nothing() -> None:\n    pass\n"
    )
    calls: list[Any] = []
    stub = types.ModuleType("turnwise.baselines.trainer.train")
    stub.train = lambda config, resume=False: calls.append((config, resume))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, stub.__name__, stub)
    monkeypatch.delitem(sys.modules, "my_recipes", raising=False)
    monkeypatch.chdir(tmp_path)
    return calls


def test_train(capsys: Capture, trained: list[Any]) -> None:
    ok(capsys, "train", "my_recipes:guess", "--steps", "3", "--model", "m/n", "--lr", "1e-3", "--resume",
       "--env-settings", "max_turns=5", "--trackers")  # fmt: skip
    [(config, resume)] = trained
    assert (config.run.steps, config.model.name, config.optim.lr, config.run.trackers) == (3, "m/n", 1e-3, ())
    assert resume and config.env.settings == {"max_number": 9, "max_turns": 5}


def test_train_dry_run_and_mistakes(capsys: Capture, trained: list[Any]) -> None:
    assert json.loads(ok(capsys, "train", "my_recipes:guess", "--dry-run"))["steps"] == 7
    assert "--steps" in refused(capsys, "train", "my_recipes:guess", "--stepz", "3")
    assert "lr is -1.0; it must be above 0" in refused(capsys, "train", "my_recipes:guess", "--lr", "-1")
    assert "'max_number'" in refused(capsys, "train", "my_recipes:guess", "--env-settings", "max_numbr=3")
    assert "did you mean turnwise/Countdown" in refused(capsys, "train", "my_recipes:guess", "--env", "Cuntdown")
    assert "there is no recipe 'guesss'" in refused(capsys, "train", "guesss")
    assert "cannot be loaded" in refused(capsys, "train", "my_recipes:gues")
    assert "cannot be loaded" in refused(capsys, "train", "no_such_module:f")
    assert "not a TrainConfig" in refused(capsys, "train", "my_recipes:nothing")
    assert not trained


def test_every_shipped_recipe_makes_a_config(capsys: Capture) -> None:
    names = list(recipes())
    assert names
    for name in names:
        assert json.loads(ok(capsys, "train", name.replace("_", "-"), "--dry-run"))["env"] in env_ids()
    assert run(["train"]) == 2
    err = capsys.readouterr().err
    assert all(f"\n  {name} " in err for name in names)


def test_audit(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "audit.json"
    out = ok(capsys, "audit", "Countdown", "--num-tasks", "3", "--num-numbers", "4", "--json", str(path))
    assert re.search(r"oracle +3 of +3 ", out)
    assert "nothing wrong found" in out
    [data] = json.loads(path.read_text())
    assert (data["env"], data["settings"], data["ok"]) == ("turnwise/Countdown-v0", {"num_numbers": 4}, True)
    out = ok(capsys, "audit", "Countdown", "--levels", "--episodes", "20")
    assert out.count("recorded") == 11
    assert "\nchance_default = 0." in out
    assert out.splitlines()[-1].startswith("chance = (")


def test_audit_of_a_faulty_environment(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env_class("Countdown"), "cheats", (lambda env: env.oracle(),))
    monkeypatch.setattr(env_class("Countdown"), "chance", (0.9,) * 10)
    assert run(["audit", "Countdown", "--num-tasks", "2"]) == 1
    out = capsys.readouterr().out
    assert "FALSE ACCEPT: cheat 1: 2 of 2" in out
    assert "said:   '<answer>" in out
    assert run(["audit", "Countdown", "--levels", "--episodes", "50"]) == 1
    assert "DIFFERS" in capsys.readouterr().out


@pytest.mark.slow
def test_audit_of_all(capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    only(monkeypatch, "Countdown", "GuessNumber")
    page = tmp_path / "audit.md"
    page.write_text("# Audit\n<!-- audit table: begin -->\nold\n<!-- audit table: end -->\nEnd.\n")
    out = ok(capsys, "audit", "all", "--num-tasks", "3", "--markdown", str(page))
    assert "| Countdown-v0 " in out and "| GuessNumber-v0 " in out
    assert "0 findings in 2 environments" in out
    text = page.read_text()
    assert text.startswith("# Audit\n<!-- audit table: begin -->\n| environment")
    assert text.endswith("<!-- audit table: end -->\nEnd.\n") and "old" not in text
    monkeypatch.setattr(env_class("Countdown"), "cheats", (lambda env: env.oracle(),))
    assert run(["audit", "all", "--num-tasks", "2"]) == 1
    assert "FALSE ACCEPT: cheat 1" in capsys.readouterr().out
    assert "one environment at a time" in refused(capsys, "audit", "all", "--levels")


def test_reverify(capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    runs = [str(tmp_path / agent) for agent in ("oracle", "random")]
    for agent, folder in zip(("oracle", "random"), runs, strict=True):
        ok(capsys, "eval", "Countdown", "--agent", agent, "--num-tasks", "3", "--out", folder)
    assert "no episode flipped" in ok(capsys, "reverify", *runs)
    monkeypatch.setattr(env_class("Countdown"), "respond", lambda self, action: Reply("No.", done=True))
    assert run(["reverify", *runs, "--write", str(tmp_path / "new")]) == 1
    out, err = capsys.readouterr()
    assert "3 no longer solved" in out and "3 episodes flipped" in out
    assert err.count("wrote 3 episodes to") == 2
    assert "0.0 %" in ok(capsys, "report", "--no-html", str(tmp_path / "new" / "oracle"))
    assert "is not empty" in refused_after_output(capsys, "reverify", runs[0], "--write", runs[0])
    assert "no episodes.jsonl" in refused(capsys, "reverify", str(tmp_path))
    assert "at least one folder" in refused(capsys, "reverify")


def refused_after_output(capsys: Capture, *argv: str) -> str:
    assert run(argv) == 2
    return capsys.readouterr().err


def test_report(capsys: Capture, tmp_path: Path) -> None:
    for agent in ("oracle", "random"):
        ok(capsys, "eval", "Countdown", "--agent", agent, "--num-tasks", "3", "--out", str(tmp_path / agent))
    both = tmp_path / "both.html"
    assert run(["report", str(tmp_path), "--out", str(both)]) == 0
    out, err = capsys.readouterr()
    assert "oracle" in out
    assert "random" in out
    assert "| Countdown-v0 " in out
    assert err.count("wrote ") == 3
    assert (tmp_path / "oracle" / "report.html").read_text().startswith("<!doctype html>")
    assert both.exists()
    assert "report.html" not in ok(capsys, "report", str(tmp_path / "random"), "--no-html")


@pytest.mark.slow
def test_environments_from_a_file(capsys: Capture) -> None:
    example = str(Path(__file__).parents[2] / "examples" / "my_environment.py")
    out = ok(capsys, "eval", f"{example}:Nim-v0:stones=20", "--num-tasks", "5")
    assert "mine/Nim-v0:stones=20" in out and "100.0 %" in out
    out = ok(capsys, "train", "quickstart_guess", "--env", f"{example}:Nim-v0", "--dry-run")
    assert '"env": "mine/Nim-v0"' in out and '"env_settings": {}' in out
    assert "nothing wrong found" in ok(capsys, "audit", f"{example}:Nim-v0", "--num-tasks", "5")


DESK = """
from turnwise.envs.web import WebEnv
from turnwise.core.registration import register


@register("lent/Desk-v0")
class Desk(WebEnv):
    sites: str = "desk"
    templates: str = "desk.team"
"""


@pytest.mark.slow
def test_runs_know_where_environments_came_from(capsys: Capture, tmp_path: Path) -> None:
    """Each command in a process of its own, as a person has it."""
    file, folder = tmp_path / "mine" / "lent_desk.py", tmp_path / "run"
    file.parent.mkdir()
    file.write_text(DESK)

    def said(*argv: str) -> str:
        with turnwise_process(*argv, cwd=tmp_path) as process:
            out, err = process.communicate(timeout=250)
        assert process.returncode == 0, err
        return out + err

    def pages() -> int:
        return len(pages_of(folder / "report.html"))

    said("eval", "mine/lent_desk.py:Desk-v0", "--num-tasks", "1", "--chance-episodes", "0", "--out", "run")
    assert "lent_desk" not in (folder / "episodes.jsonl").read_text()
    said("report", "run")
    assert pages() == 5
    assert "1 same" in said("reverify", "run")

    file.rename(tmp_path / "moved.py")
    assert f"with --env-module: it came from {file}, which is not there" in said("report", "run")
    assert pages() == 0
    [note] = manifest_of(folder / "report.html")["runs"][0]["notes"]
    assert note.startswith("name the file or module that registers lent/Desk-v0")
    out = said("reverify", "run")
    assert "--env-module" in out and "no episode flipped, 1 not playable" in out

    said("report", "--env-module", "moved.py", "run")
    assert pages() == 5
    assert "1 same" in said("reverify", "run", "--env-module", "moved.py:Desk-v0")
    assert "there is no file 'gone.py'" in refused(capsys, "report", str(folder), "--env-module", "gone.py")
    assert "there is no module 'gone'" in refused(capsys, "reverify", str(folder), "--env-module", "gone")


def test_reverify_of_some_settings(capsys: Capture, tmp_path: Path) -> None:
    envs = ("Countdown:num_numbers=3", "Countdown:num_numbers=4")
    ok(capsys, "eval", *envs, "--num-tasks", "2", "--chance-episodes", "0", "--out", str(tmp_path / "run"))
    assert "4 episodes" in ok(capsys, "reverify", str(tmp_path / "run"), "--env", "Countdown")
    assert "2 episodes" in ok(capsys, "reverify", str(tmp_path / "run"), "--env", envs[0])
