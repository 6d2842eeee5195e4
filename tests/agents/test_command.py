"""Programs and Python functions as agents."""

import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests._work import eventually
from turnwise.agents.command import CommandAgent
from turnwise.agents.function import PythonAgent
from turnwise.agents.make import make_agent
from turnwise.cli.main import run
from turnwise.core.agent import Action, Agent
from turnwise.core.episode import Episode, Job, read_episodes
from turnwise.core.errors import FatalError, SettingsError
from turnwise.core.player import rollout

JOBS = [Job("turnwise/GuessNumber-v0", seed, 0, {"max_number": 32, "max_turns": 6}) for seed in range(12)]

PROGRAM = """
import json, os, re, sys
print("I am", os.getpid(), file=sys.stderr)
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "end":
        open(os.environ["ENDED"], "a").write(said["episode"] + "\\n")
        continue
    if said["turn"] == 0:
        low, high = map(int, re.search(r"from (\\d+) to (\\d+)", said["observation"]).groups())
        assert len(said["messages"]) == 1 and said["messages"][-1]["content"] == said["observation"]
    elif "igher" in said["observation"] or "too low" in said["observation"]:
        low = guess + 1
    else:
        high = guess - 1
    guess = (low + high) // 2
    {fault}
    print(json.dumps({"action": f"<answer>{guess}</answer>", "prompt_tokens": 7}), flush=True)
"""


def program(folder: Path, fault: str = "") -> str:
    path = folder / "agent.py"
    path.write_text(PROGRAM.replace("{fault}", fault))
    return f"cmd:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


@pytest.fixture
def ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ENDED", str(tmp_path / "ended"))
    (tmp_path / "ended").touch()
    return tmp_path / "ended"


def played(spec: str, jobs: list[Job] | None = None, retries: int = 2, **options: Any) -> list[Episode]:
    agent = make_agent(spec, **options)
    try:
        return sorted(rollout(agent, jobs or JOBS, retries=retries), key=lambda episode: episode.seed)
    finally:
        agent.close()


def test_a_program_plays_episodes_in_processes_of_its_own(tmp_path: Path, ended: Path) -> None:
    spec = program(tmp_path)
    agent = make_agent(spec, concurrency=3)
    assert isinstance(agent, CommandAgent)
    episodes = sorted(rollout(agent, JOBS), key=lambda episode: episode.seed)
    assert 1 <= len(agent._all) <= 3, "processes are used again"
    agent.close()
    assert all(episode.solved and episode.attempts == 1 for episode in episodes)
    assert episodes[0].turns[0].prompt_tokens == 7
    assert sorted(ended.read_text().split()) == sorted(f"{job.seed}-0" for job in JOBS)
    assert played(spec, concurrency=1) == episodes


@pytest.mark.parametrize("fault", ["sys.exit(3)", "os.kill(os.getpid(), 9)"])
def test_a_program_that_dies_is_started_again(tmp_path: Path, ended: Path, fault: str) -> None:
    mark = str(tmp_path / "once")
    text = f"if said['turn'] == 1 and not os.path.exists({mark!r}): open({mark!r}, 'x').close(); {fault}"
    episodes = played(program(tmp_path, text), concurrency=1)
    assert all(episode.solved for episode in episodes)
    assert sorted(episode.attempts for episode in episodes) == [1] * 11 + [2]


def test_a_program_that_always_dies_stops_the_run(tmp_path: Path, ended: Path) -> None:
    with pytest.raises(FatalError, match=r"(?s)ended with status 1 .*last words: .*ZeroDivisionError.*4 processes"):
        played(program(tmp_path, "1 / 0"), retries=20)


def test_a_program_that_hangs_is_killed(tmp_path: Path, ended: Path) -> None:
    spec = program(tmp_path, "import time; time.sleep(10_000) if said['turn'] == 1 else None")
    [episode] = played(spec, JOBS[:1], timeout_s=0.5, give_up_after=100, retries=1)
    assert episode.status == "error" and "did not answer in time" in str(episode.error)
    assert episode.attempts == 2


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("print('Loading...', flush=True)", r"wrote 'Loading...' to its standard output, where every line must be"),
        ("print(json.dumps({'move': 3}), flush=True)", r"must be \{\"action\": \"...\"\}"),
        ("print(json.dumps([1]), flush=True)", "to its standard output"),
    ],
)
def test_what_is_no_answer_stops_the_run(tmp_path: Path, ended: Path, fault: str, says: str) -> None:
    with pytest.raises(FatalError, match=says):
        played(program(tmp_path, fault))


def test_a_program_may_give_up_an_episode(tmp_path: Path, ended: Path) -> None:
    fault = "print(json.dumps({'error': 'no licence'}), flush=True); continue"
    [episode] = played(program(tmp_path, fault), JOBS[:1], retries=0)
    assert (episode.status, episode.solved) == ("error", False) and "no licence" in str(episode.error)


def test_leaving_kills_the_processes(tmp_path: Path, ended: Path) -> None:
    pids = tmp_path / "pids"
    pids.touch()
    hang = f"open({str(pids)!r}, 'a').write(str(os.getpid()) + ' '); import time; time.sleep(10_000)"
    agent = make_agent(program(tmp_path, f"if said['episode'] != '0-0': {hang}"), concurrency=3)
    episodes = rollout(agent, JOBS)
    next(episodes)
    eventually(lambda: len(pids.read_text().split()) >= 2)
    episodes.close()  # a test that hangs here has failed
    agent.close()
    for pid in map(int, pids.read_text().split()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_programs_that_are_not_there() -> None:
    with pytest.raises(SettingsError, match="the program 'no-such-program' was not found"):
        make_agent("cmd:no-such-program --fast")
    with pytest.raises(SettingsError, match="No closing quotation"):
        make_agent("cmd:python 'x")
    with pytest.raises(SettingsError, match="the agent 'cmd' has no option 'temprature'"):
        make_agent("cmd:true", temprature=1)


# ---- Python functions ------------------------------------------------------------------------------------------------

MODULE = '''
import re
from turnwise.core.agent import Action, Agent

def guess(messages, start=None):
    """Guesses by bisection, from the conversation alone."""
    low, high = map(int, re.search(r"from (\\d+) to (\\d+)", messages[0]["content"]).groups())
    for said, heard in zip(messages[1::2], messages[2::2]):
        number = int(said["content"].strip("<answer>/"))
        if "igher" in heard["content"] or "too low" in heard["content"]:
            low = number + 1
        else:
            high = number - 1
    return f"<answer>{start if start and len(messages) == 1 else (low + high) // 2}</answer>"

def cheat(play):
    return Action(play.env.unwrapped.oracle(), completion_tokens=3)

class Always(Agent):
    name = "always"
    def __init__(self, text="x"):
        self.text = text
    def act(self, plays):
        return [Action(self.text) for _ in plays]

seven = Always("<answer>7</answer>")
def number(messages):
    return 5
async def later(messages):
    return "x"
def fails(messages):
    raise ValueError("no")
'''


@pytest.fixture
def module(tmp_path: Path) -> str:
    (tmp_path / "my_own_agents.py").write_text(MODULE)
    return f"python:{tmp_path / 'my_own_agents.py'}"


def test_python_functions(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    episodes = played(f"{module}:guess")
    assert all(episode.solved for episode in episodes)
    assert {episode.turns[0].action for episode in played(f"{module}:guess", start=3)} == {"<answer>3</answer>"}
    cheats = played(f"{module}:cheat", concurrency=4)
    assert all(episode.solved and episode.turns[0].completion_tokens == 3 for episode in cheats)
    always = make_agent(f"{module}:Always", text="hello", concurrency=2)
    assert isinstance(always, Agent) and (always.name, always.concurrency) == ("always", 2)
    assert played(f"{module}:seven")[0].turns[0] == played("constant:<answer>7</answer>")[0].turns[0]
    assert isinstance(make_agent("python:tests.agents.test_command:played_by_name"), PythonAgent)


def played_by_name(messages: Any) -> Action:
    """An agent of a module."""
    return Action("x")


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("gess", {}, r"has no 'gess' \(did you mean 'guess'\?\)"),
        ("guess", {"begin": 3}, "got an unexpected keyword argument 'begin'"),
        ("later", {}, "a function of the conversation"),
    ],
)
def test_what_is_not_an_agent(module: str, name: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        make_agent(f"{module}:{name}", **options)


def test_functions_that_fail(module: str) -> None:
    with pytest.raises(FatalError, match="returned 5; it must return the action"):
        played(f"{module}:number")
    assert {episode.error for episode in played(f"{module}:fails")} == {"ValueError: no"}
    with pytest.raises(SettingsError, match=r"must look like 'python:my_agent.py:act'"):
        make_agent("python:act")
    with pytest.raises(SettingsError, match=r"there is no file 'nowhere.py'"):
        make_agent("python:nowhere.py:act")


def test_both_from_the_command_line(tmp_path: Path, ended: Path, module: str) -> None:
    for number, agent in enumerate((program(tmp_path), f"{module}:guess")):
        out = str(tmp_path / str(number))
        words = ["eval", "GuessNumber:max_number=32,max_turns=6", "--num-tasks", "3", "--chance-episodes", "0"]
        assert run([*words, "--agent", agent, "--out", out]) == 0
        assert [e.solved for e in read_episodes(tmp_path / str(number) / "episodes.jsonl")] == [True] * 3
