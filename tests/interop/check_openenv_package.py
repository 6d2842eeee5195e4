# requires: openenv>=0.10.0,<0.11
"""Packages that `turnwise export openenv` writes: OpenEnv's validator, graders and client over folder and server."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from openenv.validation.graders.runtime.basic import (
    ObservationSchemaGrader,
    RewardWellFormedGrader,
    StateContractGrader,
)
from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
from openenv.validation.runtime.collector import collect_runtime_evidence
from openenv.validation.runtime.contracts import RuntimePlan
from players import outside
from servers import free_port, until_up

ENVS = ("GuessNumber", "Debugging", "Maze:size=5")
HERE = Path(sys.executable).parent


def run(*words: str, folder: str = ".", **variables: str) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env={**os.environ, **variables})
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout[-2000:]} {done.stderr[-2000:]}"
    return done.stdout


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """What the image runs; its address."""
    port = str(free_port())
    where = {**os.environ, "HOST": "127.0.0.1", "PORT": port}
    with subprocess.Popen([sys.executable, "-m", "server.app"], cwd=folder, env=where) as process:
        try:
            until_up(process, f"http://127.0.0.1:{port}/health")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def graded(folder: Path, url: str) -> int:
    """The graders of OpenEnv's runtime level over the package's plan, which the validator runs in Docker only."""
    plan = RuntimePlan.model_validate_json((folder / "validation" / "runtime.json").read_text())
    evidence = collect_runtime_evidence(url, plan, episode_timeout_s=60.0)
    subject: Any = SimpleNamespace(runtime_evidence=evidence, manifest=OpenEnvYamlParser().parse(folder))
    graders = (RewardWellFormedGrader(), ObservationSchemaGrader(), StateContractGrader())
    for grader in graders:
        result = grader.run(subject)
        assert result.status.value == "pass", (grader.check_id, result.evidence)
    last = [json.loads(row.response_json) for row in evidence.exchanges if row.operation == "step"][-1]
    assert last["data"]["done"] and last["data"]["metadata"]["solved"], last
    return len(graders)


def main() -> None:
    out = outside()
    folders = [Path(line) for line in run(str(HERE / "turnwise"), "export", "openenv", *ENVS, str(out)).split()]
    assert len(folders) == len(ENVS)
    for folder in folders:
        report = json.loads(run(str(HERE / "openenv"), "validate", str(folder), "--level", "static", "--json"))
        statuses = {found["check_id"]: found["status"] for found in report["results"]}
        assert report["verdict"] == "pass" and statuses["static.manifest"] == "pass", report
    print(f"ok openenv validate on {len(folders)} folders")
    for folder in folders:
        with served(folder) as url:
            found = json.loads(run(str(HERE / "openenv"), "validate", "--url", url, "--json", "--timeout", "60"))
            assert found["passed"], found
            count = graded(folder, url)
            said = run(sys.executable, "validation/oracle.py", url, "3", folder=str(folder))
            assert said.strip() == "3 of 3 tasks earn 1", said
            [code] = re.findall(r"^```python\n(.*?)^```", (folder / "README.md").read_text(), re.M | re.S)
            exec(code.replace("http://127.0.0.1:8000", url), {})
    print(f"ok their servers: openenv validate --url, {count} runtime graders, solutions earn 1, the page's code")


if __name__ == "__main__":
    main()
