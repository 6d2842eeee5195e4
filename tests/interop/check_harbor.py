# requires: harbor>=0.24,<0.26
# python: 3.12
"""Harbor's own models read the folders of `turnwise export harbor`: mode of the judge, scripts, artifacts."""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from harbor.models.task.paths import TaskPaths
from harbor.models.task.task import Task
from harbor.models.task.verifier_mode import resolve_verifier_environment_definition
from players import blocks, outside

import turnwise

PAGE = "use_in_harbor.md"


def the_page() -> None:
    """Its commands of ours, as they stand, and the folders that they write."""
    where = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for line in (line for block in blocks(PAGE, "bash") for line in block.splitlines()):
        if line.startswith("turnwise export"):
            subprocess.run(line, shell=True, env=where, check=True, stdout=subprocess.DEVNULL)
    folders = sorted(Path("tasks").iterdir())
    assert len(folders) == 20, folders
    for folder in folders:
        task = Task(folder)
        assert task.name == f"turnwise/{folder.name}" and task.instruction == (folder / "instruction.md").read_text()
        definition = resolve_verifier_environment_definition(task.config, TaskPaths(folder))
        assert definition is not None and definition.bundled_tests, "the judge has an image of its own"
        assert definition.directory == folder.resolve() / "tests"
        assert task.paths.discovered_test_path is not None and task.paths.discovered_solve_path is not None
        assert task.config.metadata["turnwise"] == turnwise.__version__
        kept = [artifact if isinstance(artifact, str) else artifact.source for artifact in task.config.artifacts]
        collects = [step.command for step in task.config.verifier.collect]
        assert kept == (["/answer.txt"] if "files" not in os.listdir(folder / "environment") else ["/app"])
        assert collects == (["tar -C /app -cf /logs/artifacts/app.tar ."] if "shell" in folder.name else [])


if __name__ == "__main__":
    outside()
    the_page()
    print("ok the_page", flush=True)
