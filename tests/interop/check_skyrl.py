# requires: skyrl-gym>=0.4.0,<0.5
# light
"""skyrl-gym's registry and metrics over our environments, in the loop that its generator plays."""

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import skyrl_gym
from players import Outage, blocks, knowing, outside
from skyrl_gym.metrics import aggregate_for_environment

from turnwise.adapters.skyrl import dataset, register


def episode(row: Any, answer: Any) -> tuple[float, Any, list[Any]]:
    """The turn taking of SkyRL's generator; return, environment and conversation."""
    env = skyrl_gym.make("turnwise", env_config={}, extras={**row, "max_turns": 50})
    said, _ = env.init(row["prompt"])
    total, done = 0.0, False
    while not done:
        said.append({"role": "assistant", "content": answer(said)})
        output = env.step(said[-1]["content"])
        assert set(output) <= {"observations", "reward", "done", "metadata"}
        said += output["observations"]
        total, done = total + output["reward"], output["done"]
    env.close()
    return total, env, said


def the_page() -> None:
    space: dict[str, Any] = {}
    for block in blocks("use_in_skyrl.md", "python"):
        exec(block, space)
    assert os.path.getsize("train.jsonl") and len(space["conversation"]) == 1
    assert space["conversation"][-1]["content"] != space["row"]["prompt"][-1]["content"]


def a_model_plays() -> None:
    """Right answers are worth 1, wrong ones 0, and a group plays one task."""
    data = list(dataset("FrozenLake", 2, system="Be brief.", size=4))
    solve = knowing([row["extra_info"] for row in data])
    played = [episode(row, solve) for row in data for _ in range(2)]
    assert [total for total, _, _ in played] == [1.0] * 4
    assert [said[0]["role"] for _, _, said in played] == ["system"] * 4
    starts = [said[1]["content"] for _, _, said in played]
    assert starts[0] == starts[1] != starts[2] == starts[3]
    played += [episode(data[0], lambda said: "I do not know.")]
    assert played[-1][0] == 0.0
    figures = aggregate_for_environment("turnwise", [env.get_metrics() for _, env, _ in played])
    assert figures["solved"] == 0.8 and figures["turnwise_invalid"] == 0.0 and figures["turns"] > 1


def an_environment_that_fails() -> None:
    """It is begun again inside the step; if that never helps, a 0 that the metrics tell from others."""
    [row] = dataset("Outage", 1)
    word = lambda said: "fail" if len(said) == 1 else said[0]["content"].split()[1]  # noqa: E731
    Outage.left = 3
    total, env, said = episode(row, word)
    assert total == 1.0 and env.get_metrics()["turnwise_invalid"] == 0.0 and Outage.left == 0
    assert [message["role"] for message in said] == ["user", "assistant", "user", "assistant"]
    Outage.left = 1000
    total, env, _ = episode(row, word)
    assert total == 0.0 and env.get_metrics() == {"turnwise_invalid": 1.0}


if __name__ == "__main__":
    outside()
    register()
    for check in (the_page, a_model_plays, an_environment_that_fails):
        check()
        print("ok", check.__name__, flush=True)
