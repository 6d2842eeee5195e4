# requires: verifiers>=0.4.0,<0.5
"""`vf-eval` and `vf-validate` over our taskset, with a model at an endpoint on this machine."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from players import blocks, endpoint, knowing, outside

from turnwise.session.rows import rows

PAGE = "use_in_verifiers.md"
EVAL, VALIDATE = (line for block in blocks(PAGE, "bash") for line in block.splitlines() if line.startswith("vf-"))


def run(command: str, **variables: str) -> str:
    where = {**os.environ, **variables, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(command, shell=True, env=where, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stdout[-3000:]} {done.stderr[-3000:]}"
    return done.stdout


def episodes(folder: str) -> list[dict[str, Any]]:
    [path] = Path(folder).glob("*/traces.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def rewards(episode: dict[str, Any]) -> list[float]:
    return [reward["score"] for trace in episode["traces"] for reward in trace["rewards"].values()]


def play(folder: str, answer: Any, change: tuple[str, str] = ("", ""), **variables: str) -> list[dict[str, Any]]:
    """The page's command against a model of ours; its episodes."""
    with endpoint(answer) as (url, asked):
        command = EVAL.replace("http://127.0.0.1:8000/v1", url).replace(*change)
        run(f"{command} -o {folder}", KEY="k", **variables)
        assert asked and all(body["model"] == "my-model" for body in asked)
    return episodes(folder)


def a_model_plays() -> None:
    """Right answers are worth 1, wrong ones 0, and a group plays one task."""
    solve = knowing(list(rows("turnwise/FrozenLake-v0", 2, settings={"size": 4})))
    found = play("right", solve)
    assert len(found) == 4, len(found)
    groups: dict[Any, set[str]] = {}
    for episode in found:
        assert episode["ok"] and rewards(episode) == [1.0], episode["errors"]
        metrics = episode["traces"][0]["metrics"]
        assert metrics["solved"] == 1.0 and metrics["turns"] > 1 and metrics["truncated"] == 0.0
        data = episode["task"]["data"]
        groups.setdefault(data["seed"], set()).add(data["prompt"])
    assert len(groups) == 2 and all(len(prompts) == 1 for prompts in groups.values())
    found = play("wrong", lambda messages: "I do not know.")
    assert all(episode["ok"] and rewards(episode) == [0.0] for episode in found) and len(found) == 4


def an_environment_that_fails() -> None:
    """It is begun again; if that does not help, the episode is an error without a reward."""
    plain = "--env.taskset.env FrozenLake --env.taskset.settings.size 4"
    outage = (plain, f"--env.taskset.env {Path(__file__).parent}/players.py:Outage")
    found = play("failed", lambda messages: "fail", outage, OUTAGES="100000")
    assert len(found) == 4 and not any(episode["ok"] or rewards(episode) for episode in found)
    assert all("the sandbox is gone" in json.dumps(episode["errors"]) for episode in found)
    found = play("repaired", lambda messages: "fail", outage, OUTAGES="2")
    assert all(episode["ok"] and rewards(episode) == [0.0] for episode in found) and len(found) == 4


def gold() -> None:
    """Our solutions solve the tasks of twenty environments."""
    run(f"{VALIDATE} -o valid")
    [path] = Path("valid").glob("*/summary.json")
    counts = json.loads(path.read_text())["outcomes"]
    assert counts["valid"] == 20 and sum(counts.values()) == 20, counts


if __name__ == "__main__":
    outside()
    for check in (a_model_plays, an_environment_that_fails, gold):
        check()
        print("ok", check.__name__, flush=True)
