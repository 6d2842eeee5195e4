"""Packages of OpenEnv, Spaces and data sets that `turnwise export` writes; `make interop` shows them to OpenEnv."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

import tests.serve.fragile  # noqa: F401  (registers)
import turnwise
from tests._http import free_port
from tests.serve.clients import until
from turnwise.cli.main import run
from turnwise.core.errors import SettingsError
from turnwise.export.openenv import snake, write_openenv, write_space
from turnwise.export.rows import write_rows
from turnwise.serve.cards import card
from turnwise.serve.run import ServeConfig, served_envs
from turnwise.session.rows import rows, seed_at

ROOT = Path(__file__).parents[2]
ENVS = ("GuessNumber", "Maze:size=5")


@contextmanager
def served(folder: Path, token: str = "") -> Iterator[str]:
    """What the image of a package runs; its address."""
    port = str(free_port())
    where = {**os.environ, "PYTHONPATH": str(ROOT), "HOST": "127.0.0.1", "PORT": port, "TURNWISE_SERVE_TOKEN": token}
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen([sys.executable, "-m", "server.app"], cwd=folder, env=where) as process:

        def up() -> bool:
            try:
                return httpx.get(f"{url}/health").status_code == 200
            except httpx.TransportError:
                return False

        try:
            until(up, "the server of the package does not answer")
            yield url
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folders = write_openenv(ENVS, tmp_path_factory.mktemp("openenv"))
    return {folder.name: folder for folder in folders}


def test_a_package_serves_and_its_proof_holds(packages: dict[str, Path]) -> None:
    assert list(packages) == ["turnwise_guess_number", "turnwise_maze"]
    folder, token = packages["turnwise_maze"], "t" * 20
    with served(folder, token) as url:
        assert httpx.get(f"{url}/metadata").status_code == 401
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}) as http:
            shown = http.get("/metadata").json()["card"]
        assert shown == json.loads((folder / "cards" / "Maze.json").read_text())
        where = {**os.environ, "PYTHONPATH": str(ROOT), "TURNWISE_SERVE_TOKEN": token}
        words = [sys.executable, "validation/oracle.py", url, "2"]
        done = subprocess.run(words, cwd=folder, env=where, capture_output=True, text=True)
        assert done.stdout.strip() == "2 of 2 tasks earn 1", done.stderr


def test_a_plan_solves_its_task(packages: dict[str, Path]) -> None:
    plan = json.loads((packages["turnwise_guess_number"] / "validation" / "runtime.json").read_text())
    env = turnwise.make("GuessNumber").unwrapped
    env.reset(seed=plan["reset"]["seed"])
    rewards = [env.step(action["message"])[1] for action in plan["actions"]]
    assert sum(rewards) == 1.0 and 1 <= len(rewards) <= 100


def test_a_manifest_claims_what_was_counted(packages: dict[str, Path]) -> None:
    text = (packages["turnwise_guess_number"] / "openenv.yaml").read_text()
    audit = json.loads((packages["turnwise_guess_number"] / "cards" / "GuessNumber.json").read_text())["audit"]
    [margin] = re.findall(r"floor_margin: (\S+)", text)
    assert float(margin) == round(1 - audit["reference"]["random"]["ci95"][1], 2) < 1
    assert f"0 of {audit['false_rejects']['of']:,} right answers refused" in text
    [other] = re.findall(r"floor_margin: (\S+)", (packages["turnwise_maze"] / "openenv.yaml").read_text())
    assert 0.1 < float(other) < 1, "measured at these settings"


def test_a_space_is_tagged_and_has_the_cards(tmp_path: Path) -> None:
    folder = write_space(ENVS, tmp_path / "space")
    page = (folder / "README.md").read_text()
    front = page.split("---")[1]
    assert "sdk: docker" in front and "  - rl-environment\n" in front and "app_port: 8000" in front
    assert "EXPOSE 8000" in (folder / "Dockerfile").read_text()
    for env in served_envs(ServeConfig(ENVS)):
        assert json.loads((folder / "cards" / f"{env.name}.json").read_text()) == card(env, turnwise.__version__)
        assert f"cards/{env.name}.json" in page


def test_an_environment_of_the_users_is_in_no_image(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"tests/Fragile-v0 does not come with turnwise"):
        write_space(["tests/Fragile-v0"], tmp_path)


def test_names() -> None:
    assert [snake(name) for name in ("GuessNumber", "SearchQA", "KSat", "Sql")] == [
        "guess_number", "search_qa", "ksat", "sql"]  # fmt: skip


# ---- rows ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_rows_name_the_tasks_that_a_server_lists(
    tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / f"rows.{suffix}"
    words = ["export", "rows", *ENVS, str(out), "--num-tasks", "3", "--split", "test", "--start", "5"]
    assert run(words) == 0
    assert capsys.readouterr().out == f"{out}\n"
    if suffix == "jsonl":
        found = [json.loads(line) for line in out.read_text().splitlines()]
    else:
        import pyarrow.parquet as pq

        found = pq.read_table(out).to_pylist()
    ids = ("turnwise/GuessNumber-v0", "turnwise/Maze-v0")
    wanted = [row for env, settings in zip(ids, ({}, {"size": 5}), strict=True)
              for row in rows(env, 3, split="test", settings=settings, start=5)]  # fmt: skip
    assert found == wanted and list(found[0]) == ["env", "settings", "split", "index", "seed"]
    assert found[4]["seed"] == seed_at("turnwise/Maze-v0", "test", 6)


def test_a_data_set_for_the_hub(tmp_path: Path) -> None:
    out = write_rows(ENVS, tmp_path / "tasks", 2)
    page = (out / "README.md").read_text()
    assert "  - rl-environment\n" in page.split("---")[1] and "cards/Maze.json" in page
    assert json.loads((out / "cards" / "Maze.json").read_text())["served_with"] == {"size": 5}
    for split in ("train", "test"):
        found = [json.loads(line) for line in (out / "data" / f"{split}.jsonl").read_text().splitlines()]
        assert len(found) == 4 and {row["split"] for row in found} == {split}
    [code] = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    space: dict[str, Any] = {"row": found[3]}
    exec(code, space)
    assert space["env"].unwrapped.size == 5 and space["info"]["task_id"]


def test_rows_of_no_known_form_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"must end with \.jsonl or \.parquet, or be a folder's"):
        write_rows(["GuessNumber"], tmp_path / "rows.csv", 1)
    assert run(["export", "rows", str(tmp_path)]) == 2


# ---- the page --------------------------------------------------------------------------------------------------------


def test_commands_of_the_pages_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`turnwise export` as it stands; of `turnwise serve` that there is such an environment."""
    monkeypatch.chdir(tmp_path)
    pages = ("use_in_openenv.md", "use_in_ors.md", "use_in_mcp.md")
    lines = [line for page in pages for line in (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()]
    exports = [line for line in lines if line.startswith("turnwise export ")]
    serves = [line for line in lines if line.startswith("turnwise serve ")]
    assert len(exports) == 2 and len(serves) == 3
    for line in exports:
        assert run(line.split()[1:]) == 0, line
    for line in serves:
        assert served_envs(ServeConfig([line.split()[2]]))
    assert (tmp_path / "packages" / "turnwise_frozen_lake" / "openenv.yaml").is_file()
    assert len(list((tmp_path / "space" / "cards").iterdir())) > 5
