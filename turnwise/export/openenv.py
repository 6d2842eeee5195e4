"""Environments as packages of OpenEnv, and as a Space of the Hugging Face Hub: manifest, image, card, proof.

Both serve with turnwise's own server, so that what is said in docs/serve.md holds. The manifest's ``validation`` block
is filled from what the environment declares and its audit has counted. Sources: openenv 0.10.0,
``validation/manifest.py`` and ``validation/runtime/contracts.py`` for the block and the plan, ``cli/commands/push.py``
for the layout.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import turnwise
from turnwise.agents.scripted import RandomAgent
from turnwise.core.episode import Job
from turnwise.core.errors import SettingsError
from turnwise.core.metrics import wilson
from turnwise.core.player import rollout
from turnwise.core.registration import family, written
from turnwise.serve.cards import card
from turnwise.serve.run import ServeConfig, served_envs
from turnwise.serve.table import Served
from turnwise.session.rows import seed_at
from turnwise.session.session import Session

__all__ = ["card_files", "filled", "manifest", "snake", "write_files", "write_openenv", "write_space"]

PORT = 8000
MEMORY_MB, DISK_MB, EPISODE_S = 1024, 1024, 300.0
"""What a package asks for: the largest worlds and indexes fit."""
FLOOR_TASKS = 20
"""Episodes of a random agent that the floor is measured in."""
MOST_ACTIONS = 100
"""Most actions of a runtime plan, by its schema."""
DATA = Path(__file__).parent / "data"
"""Templates of the files, for `str.format`."""


def filled(template: str, **values: Any) -> str:
    """A template of `DATA` with its values, the port and the version."""
    return (
        (DATA / f"{template}.txt").read_text(encoding="utf-8").format(port=PORT, version=turnwise.__version__, **values)
    )


def snake(name: str) -> str:
    """A name as those of folders and packages are written: ``guess_number``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def manifest(env: Served) -> str:
    """The text of ``openenv.yaml``: where the server is, and the ``validation`` block.

    The floor is what a random agent reaches at most: the upper end of the interval of its solve rate, which the audit
    has measured at the default settings and which is measured here at others.
    """
    found = card(env, turnwise.__version__)
    audited = found["audit"] if not env.settings else None
    floor = audited["reference"]["random"]["ci95"][1] if audited else _random_rate(env)
    with Session(env.id, env.settings) as session:
        tools = [tool["function"]["name"] for tool in session.start(seed_at(env.id, "test", 0)).tools]
    validation = {
        "reward": {"range": [0.0, 1.0], "oracle_tolerance": 0.0, "floor_margin": round(1.0 - floor, 2)},
        "resources": {"cpu": 1.0, "memory_mb": MEMORY_MB, "disk_mb": DISK_MB, "episode_timeout_s": EPISODE_S},
        "network": {"mode": "no-network"},
        "execution": {"kind": "openenv_ws", "probe_path": "validation/runtime.json", "dockerfile": "Dockerfile"},
        "capabilities": {
            "verifier": {"kind": "reward_channel"},
            "oracle": {"form": "script", "location": "validation/oracle.py"},
            "task_api": True,
            "declared_tools": tools,
            "declared_task_count": {name: split["listed"] for name, split in found["splits"].items()},
        },
        "types": {"tags": [f"turnwise:{family(env.id)}"]},
    }
    top = {"spec_version": 1, "name": f"turnwise_{snake(env.name)}", "version": turnwise.__version__, "type": "space",
           "runtime": "fastapi", "app": "server.app:app", "port": PORT, "validation": validation}  # fmt: skip
    return f"# {_counts(found)}\n{_yaml(top)}"


def _random_rate(env: Served) -> float:
    jobs = [Job(env.id, seed_at(env.id, "test", index), settings=env.settings) for index in range(FLOOR_TASKS)]
    episodes = rollout(RandomAgent(), jobs, strict=True)
    return wilson(sum(episode.solved for episode in episodes), FLOOR_TASKS)[1]


def _counts(found: Mapping[str, Any]) -> str:
    """A sentence on what the audit has counted."""
    audit = found["audit"]
    if audit is None:
        return "Not audited by turnwise; run `turnwise audit`."
    rejects, accepts = ({**audit[name]} for name in ("false_rejects", "false_accepts"))
    return (
        f"`{audit['command']}`, default settings: {rejects['count']:,} of {rejects['of']:,} right answers refused, "
        f"{accepts['count']:,} of {accepts['of']:,} wrong ones paid."
    )


def _yaml(value: Mapping[str, Any], indent: str = "") -> str:
    """Nested mappings as YAML, whose values are written as JSON."""
    lines = []
    for name, item in value.items():
        nested = isinstance(item, Mapping) and item
        lines.append(f"{indent}{name}:\n{_yaml(item, indent + '  ')}" if nested else
                     f"{indent}{name}: {json.dumps(item)}\n")  # fmt: skip
    return "".join(lines)


def _plan(env: Served) -> str:
    """A runtime plan: the solution of one task, message by message."""
    actions: list[dict[str, str]] = []
    with Session(env.id, env.settings) as session:
        session.start(seed=0)
        while not session.done and len(actions) < MOST_ACTIONS:
            actions.append({"message": session.env.unwrapped.oracle()})
            session.reply(actions[-1]["message"])
    reset = {"episode_id": "plan-0", "seed": 0}
    return json.dumps({"plan_schema_version": "1", "reset": reset, "actions": actions}, indent=1) + "\n"


def _served(specs: Sequence[str]) -> list[Served]:
    found = served_envs(ServeConfig(specs))
    for env in found:
        if not env.id.startswith("turnwise/"):
            raise SettingsError(
                f"{env.id} does not come with turnwise, and an image would not have it; serve it instead"
            )
    return found


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write texts into a folder, by name."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def card_files(cards: Mapping[str, Mapping[str, Any]]) -> tuple[dict[str, str], str]:
    """Cards as files, by name, and the lines of a page that lead to them."""
    files = {f"cards/{name}.json": json.dumps(found, indent=1) + "\n" for name, found in cards.items()}
    lines = [f"- **{name}**: {found['description']} {_counts(found)} [Card](cards/{name}.json)."
             for name, found in cards.items()]  # fmt: skip
    return files, "\n".join(lines)


def _common(specs: Sequence[str], envs: Sequence[Served], name: str, title: str) -> dict[str, str]:
    """The files of a package and of a Space: image, server, page, cards."""
    cards = {env.name: card(env, turnwise.__version__) for env in envs}
    about = next(iter(cards.values()))["description"] if len(cards) == 1 else f"{len(cards)} text environments."
    files, lines = card_files(cards)
    return {
        "README.md": filled("readme", title=title, about=about, cards=lines),
        "Dockerfile": filled("Dockerfile", name=name.replace("_", "-")),
        "server/__init__.py": "",
        "server/app.py": filled("app", envs=json.dumps(list(specs))),
        **files,
    }


def write_openenv(specs: Sequence[str], out: Path) -> list[Path]:
    """Write a package of OpenEnv for each environment, as a folder in ``out``.

    Args:
        specs: Environments, each with settings behind a colon if need be.
        out: Folder of the packages; made if it does not exist.

    Returns:
        The packages' folders.

    Raises:
        SettingsError: There is no such environment or setting, or it does not come with turnwise.
    """
    folders = []
    for env in _served(specs):
        name = f"turnwise_{snake(env.name)}"
        spec = written(env.id, env.settings)
        write_files(out / name, {
            **_common([spec], [env], name, f"turnwise {env.name}"),
            "openenv.yaml": manifest(env),
            "pyproject.toml": filled("pyproject", name=f"openenv-{name.replace('_', '-')}"),
            "validation/oracle.py": filled("oracle", env=env.id, settings=dict(env.settings)),
            "validation/runtime.json": _plan(env),
        })  # fmt: skip
        folders.append(out / name)
    return folders


def write_space(specs: Sequence[str], out: Path) -> Path:
    """Write a Space of the Hugging Face Hub that serves environments, tagged ``rl-environment``.

    Args:
        specs: Environments, each with settings behind a colon if need be.
        out: Folder of the Space; made if it does not exist.

    Raises:
        SettingsError: There is no such environment or setting, or it does not come with turnwise.
    """
    envs = _served(specs)
    title = f"turnwise {envs[0].name}" if len(envs) == 1 else "turnwise environments"
    write_files(out, _common([written(env.id, env.settings) for env in envs], envs, "turnwise-space", title))
    return out
