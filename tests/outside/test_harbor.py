"""Harbor's task folders in containers: those made here, and our own exported ones with their judges."""

import io
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import turnwise
from tests.sandbox.conftest import engine  # noqa: F401  (a fixture)
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.registration import env_class
from turnwise.export.harbor import write_harbor_tasks
from turnwise.outside.harbor import reward_of, task_folders
from turnwise.sandbox.backends.docker import image
from turnwise.sandbox.backends.embedded import host

ID = "turnwise.outside.harbor:HarborTask-v0"
SHARED = """#!/bin/sh
mkdir -p /logs/verifier
if {test}; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
"""


def folder(top: Path, name: str, base: str = "scratch", test: str = "", toml: str = "") -> Path:
    """A task: greet someone in a file."""
    task = top / name
    texts = {
        "task.toml": f'[task]\nname = "tests/{name}"\n{toml}',
        "instruction.md": f"Write `Hello, {name}!` to `hello.txt`.\n",
        "environment/Dockerfile": f"FROM {base}\nUSER 0:0\nCOPY given.txt /app/\nWORKDIR /app\n",
        "environment/given.txt": "given\n",
        "tests/test.sh": test or SHARED.format(test=f'[ "$(cat /app/hello.txt)" = "Hello, {name}!" ]'),
        "solution/solve.sh": f"#!/bin/sh\necho 'Hello, {name}!' > /app/hello.txt\n",
    }
    for path, text in texts.items():
        (task / path).parent.mkdir(parents=True, exist_ok=True)
        (task / path).write_text(text)
    return task


def env_of(path: Path, **settings: Any) -> Any:
    return turnwise.make(ID, path=str(path), **settings)


@pytest.fixture(scope="module")
def base(engine: Any) -> str:  # noqa: F811
    """An image of this machine's Python and programs."""
    return image._own_base(engine, False)


@pytest.fixture(scope="module")
def judge(engine: Any, base: str) -> Iterator[str]:  # noqa: F811
    """The same with turnwise."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", dereference=True) as members:
        for top, place in host.packages(["gymnasium", "numpy"]).items():
            members.add(place, f"opt/packages/{top}")
        members.add(
            Path(turnwise.__file__).parent,
            "opt/packages/turnwise",
            filter=lambda m: None if "__pycache__" in m.name else m,
        )
    made = engine.create_container(base, ["true"], user="0:0")
    engine.put_archive(made, "/", data.getvalue())
    conf = {"Env": ["PYTHONPATH=/opt/packages", "PATH=/usr/local/bin:/usr/bin:/bin"], "User": "0:0"}
    name = "turnwise/tests-judge:latest"
    repository, _, tag = name.partition(":")
    engine.commit(made, repository=repository, tag=tag, conf=conf)
    engine.remove_container(made, force=True)
    yield name
    engine.remove_image(name, force=True)


def play(env: Any, *actions: str) -> tuple[float, dict[str, Any], str]:
    total = 0.0
    for action in actions:
        text, reward, terminated, truncated, info = env.step(action)
        total += reward
    assert terminated or truncated
    return total, info, text


@pytest.mark.slow
def test_a_task_by_hand(tmp_path: Path, engine: Any, base: str) -> None:  # noqa: F811
    folder(tmp_path, "ann", base)
    with env_of(tmp_path / "ann", wall_s=20.0, max_turns=6) as env:
        text, _ = env.reset(seed=1)
        assert text.startswith("Write `Hello, ann!`") and "directory /app" in text
        text, *_ = env.step("<bash>cat given.txt; pwd; exit 3</bash>")
        assert text == "<tool_response>given\n/app\n[exit status 3]</tool_response>"
        assert env.step("no call")[4]["invalid_action"]
        twin = env.unwrapped.fork()
        assert play(env, "<bash>echo 'Hello, ann!' > hello.txt</bash>", "<submit/>")[0] == 1.0
        assert play(twin, "<submit/>")[0] == 0.0, "the copy is another container"
        env.reset(seed=2)
        env.step(env.unwrapped.oracle())
        total, info, _ = play(env, env.unwrapped.oracle())
        assert total == 1.0 and info["solved"] and info["reward_valid"]
        env.reset(seed=3)
        total, info, text = play(env, *["<bash>true</bash>"] * 5, "<bash>echo 'Hello, ann!' > hello.txt</bash>")
        assert total == 1.0 and "Correct." in text, "what is left at the limit is judged"
        twin.close()
    assert not engine.containers(all=True, filters={"label": f"turnwise/outside={os.getpid()}"})


@pytest.mark.slow
def test_cheats_and_limits(tmp_path: Path, base: str) -> None:
    folder(tmp_path, "ann", base)
    with env_of(tmp_path / "ann", wall_s=1.0) as env:
        for cheat in env_class(ID).cheats:
            env.reset(seed=1)
            _, reward, terminated, *_ = env.step(str(cheat))
            assert reward == 0.0, cheat
            assert terminated or play(env, "<submit/>")[0] == 0.0, cheat
        env.reset(seed=1)
        assert "ran out of time" in env.step("<bash>sleep 60</bash>")[0]
        assert len(env.step("<bash>head -c 3000000 /dev/zero | tr '\\0' x</bash>")[0]) < 20_000
        assert env.step("<bash>true</bash><bash>false</bash>")[4]["invalid_action"]
        assert "[exit status 0]" in env.step("<bash>ls</bash>")[0], "the container lives"


@pytest.mark.slow
def test_a_judge_that_fails_is_no_zero(tmp_path: Path, base: str) -> None:
    folder(tmp_path, "silent", base, test="#!/bin/sh\nexit 1\n")
    folder(tmp_path, "odd", base, test="#!/bin/sh\necho nan > /logs/verifier/reward.txt\n")
    for name in ("silent", "odd"):
        with env_of(tmp_path / name) as env:
            env.reset(seed=1)
            _, reward, terminated, truncated, info = env.step("<submit/>")
            assert (terminated or truncated) and reward == 0.0 and not info["reward_valid"], name


@pytest.mark.slow
def test_partial_rewards(tmp_path: Path, base: str) -> None:
    half = '#!/bin/sh\necho \'{"reward": 0.5, "other": 3}\' > /logs/verifier/reward.json\n'
    folder(tmp_path, "half", base, test=half)
    for solved_at, wanted in ((1.0, 0.5), (0.5, 1.0)):
        with env_of(tmp_path / "half", solved_at=solved_at) as env:
            env.reset(seed=1)
            total, info, _ = play(env, "<submit/>")
            assert total == wanted and info["solved"] == (wanted == 1.0)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param("Countdown", marks=pytest.mark.slow),
        pytest.param("Shell:num_goals=2,traps=3", marks=pytest.mark.slow),
        pytest.param("CodeRepair", marks=pytest.mark.slow),
    ],
)
def test_our_own_tasks(tmp_path: Path, base: str, judge: str, spec: str) -> None:
    """Exported, judged in a container of the judge's own: the solution earns 1, nothing 0."""
    write_harbor_tasks(spec, tmp_path, 3, image=base, judge_image=judge)
    for path in tmp_path.iterdir():
        docker = path / "environment" / "Dockerfile"
        docker.write_text(f"{docker.read_text()}USER 0:0\n")
    with env_of(tmp_path, wall_s=30.0) as env:
        _, info = env.reset(seed=1)
        env.step(env.unwrapped.oracle())
        total, last, _ = play(env, "<submit/>")
        assert total == 1.0 and last["solved"], last
        assert env.reset(seed=1)[1] == info != env.reset(seed=2)[1]
        total, last, _ = play(env, "<submit/>")
        assert total == 0.0 and last["reward_valid"]


def test_what_is_no_task_or_needs_more_is_refused(tmp_path: Path) -> None:
    for path, why in (("", "must be a task folder"), (str(tmp_path), "must be a task folder")):
        with pytest.raises(SettingsError, match=why):
            turnwise.make(ID, path=path)
    for name, toml, why in (
        ("mcp", '[[environment.mcp_servers]]\nname = "x"\nurl = "http://x"\n', "MCP servers"),
        ("steps", '[[steps]]\nname = "one"\n', "several steps"),
        ("windows", '[environment]\nos = "windows"\n', "Windows"),
        ("gpus", "[environment]\ngpus = 1\n", "GPUs"),
        ("broken", "= 1", "is not a task"),
    ):
        with pytest.raises(SettingsError, match=why):
            env_of(folder(tmp_path / name, name, toml=toml))
    folder(tmp_path / "several", "a")
    assert [path.name for path in task_folders(str(tmp_path / "several"))] == ["a"]
    (folder(tmp_path / "compose", "c") / "environment" / "docker-compose.yaml").write_text("services: {}\n")
    with pytest.raises(SettingsError, match="several containers"):
        env_of(tmp_path / "compose")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("reward.txt", " 0.25\n", 0.25), ("reward.json", '{"a": 1, "b": 0}', 0.5), ("reward.json", "1", 1.0)],
)
def test_rewards_are_read_as_harbor_reads_them(name: str, text: str, value: float) -> None:
    assert reward_of(name, text) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("reward.txt", ""),
        ("reward.txt", "inf"),
        ("reward.json", "{}"),
        ("reward.json", '{"a": "b"}'),
        ("reward.json", "["),
    ],
)
def test_what_is_no_reward_is_a_failure(name: str, text: str) -> None:
    with pytest.raises(InfrastructureError):
        reward_of(name, text)


def test_tasks_are_split_without_a_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*args: Any) -> Any:
        raise AssertionError("a container was asked for")

    monkeypatch.setattr("turnwise.outside.harbor.Container", none)
    monkeypatch.setattr("turnwise.outside.harbor.image_of", none)
    for number in range(40):
        folder(tmp_path, f"t{number}")
    found = {}
    for split in ("train", "test"):
        env = env_of(tmp_path, split=split).unwrapped
        monkeypatch.setattr(env, "begin", lambda: "")
        found[split] = {env.reset(seed=seed)[1]["task_id"] for seed in range(40)}
        assert len(found[split]) > 3
    assert not found["train"] & found["test"]
    with pytest.raises(SettingsError, match="split"):
        env_of(folder(tmp_path / "one", "a"), split="test").reset(seed=1)
