"""Environments as the folders that NeMo Gym starts: a resources server, its agent, and rows."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import turnwise
from turnwise.core.env import Split
from turnwise.core.errors import SettingsError
from turnwise.core.registration import make, parse_spec
from turnwise.session.rows import rows
from turnwise.session.session import Session

__all__ = ["nemo_gym_rows", "write_nemo_gym"]

SERVER, AGENT = "turnwise", "turnwise_agent"
APP = '''"""Written by `turnwise export nemo-gym`: {what}."""

from turnwise.adapters.nemo_gym import {name}

if __name__ == "__main__":
    {name}.run_webserver()
'''
CONFIG = """{server}:
  resources_servers:
    {server}:
      allowed_agents: [{agent}, gymnasium_agent]
      entrypoint: app.py
      domain: other
      verified: false
      description: {description}
      value: Multi-turn tasks with verified rewards

{agent}:
  responses_api_agents:
    {agent}:
      entrypoint: app.py
      resources_server: {{type: resources_servers, name: {server}}}
      model_server: {{type: responses_api_models, name: policy_model}}
      max_steps: {max_steps}
      datasets:
{datasets}
{server}_environment_server:
  environment_servers:
    legacy_agent:
      entrypoint: app.py
      agent_server: {{type: responses_api_agents, name: {agent}}}
"""
EXAMPLES = 5


def nemo_gym_rows(
    spec: str, num_tasks: int, split: Split = "train", system: str = "", native_tools: bool = True
) -> Iterator[dict[str, Any]]:
    """Rows for NeMo Gym, one a task.

    Args:
        spec: The environment, with settings behind a colon if need be.
        num_tasks: Number of rows.
        split: "train" or "test".
        system: System message before the conversation; none if empty.
        native_tools: Offer the environment's tools as functions; if not, the model calls them in text.
    """
    env_id, settings = parse_spec(spec)
    before = [{"role": "system", "content": system}] if system else []
    for row in rows(env_id, num_tasks, split=split, settings=settings):
        params: dict[str, Any] = {"input": before}
        if native_tools:
            with Session(env_id, json.loads(row["settings"])) as session:
                found = [tool["function"] for tool in session.start(row["seed"]).tools]
            params |= (
                {"tools": [{"type": "function", "strict": False, **function} for function in found]} if found else {}
            )
        agent = {"type": "responses_api_agents", "name": AGENT}
        yield {"responses_create_params": params, **row, "agent_ref": agent}


def write_nemo_gym(specs: Sequence[str], out: Path, num_tasks: int) -> list[Path]:
    """Write the folders ``resources_servers/turnwise`` and ``responses_api_agents/turnwise_agent``.

    Args:
        specs: Environments, each with settings behind a colon if need be.
        out: The folder that NeMo Gym is started in; made if it does not exist.
        num_tasks: Rows of each environment and split.

    Returns:
        The files.

    Raises:
        SettingsError: A number is out of range.
    """
    if num_tasks < 1:
        raise SettingsError(f"num_tasks is {num_tasks}; it must be at least 1")
    server, agent = out / "resources_servers" / SERVER, out / "responses_api_agents" / AGENT
    requirements = f"-e nemo-gym[dev] @ ../../\nturnwise=={turnwise.__version__}\n"
    texts = {
        server / "app.py": APP.format(what="the environments", name="TurnwiseServer"),
        server / "requirements.txt": requirements,
        server / "configs" / f"{SERVER}.yaml": _config(specs),
        agent / "app.py": APP.format(what="the agent that plays them", name="TurnwiseAgent"),
        agent / "requirements.txt": requirements,
    }
    examples = [json.dumps(row) for spec in specs for row in nemo_gym_rows(spec, EXAMPLES, "train")]
    texts[server / "data" / "example.jsonl"] = "\n".join(examples[:: len(specs)]) + "\n"
    for split in get_args(Split):
        lines = [json.dumps(row) for spec in specs for row in nemo_gym_rows(spec, num_tasks, split)]
        texts[server / "data" / f"{split}.jsonl"] = "\n".join(lines) + "\n"
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(texts)


def _config(specs: Sequence[str]) -> str:
    longest = 1
    for spec in specs:
        env_id, settings = parse_spec(spec)
        env: Any = make(env_id, **settings)
        longest = max(longest, env.unwrapped.max_turns)
        env.close()
    kinds = {"train": "train", "validation": "test", "example": "example"}
    datasets = "".join(
        f"      - {{name: {name}, type: {name}, license: Apache 2.0, "
        f"jsonl_fpath: resources_servers/{SERVER}/data/{file}.jsonl}}\n"
        for name, file in kinds.items()
    )
    said = json.dumps(f"Text environments of turnwise: {', '.join(specs)}")
    return CONFIG.format(server=SERVER, agent=AGENT, description=said, max_steps=longest, datasets=datasets)
