"""What docs/serve.md shows works as shown."""

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests._http import free_port
from tests.serve.clients import until
from turnwise.core.registration import env_class, env_ids
from turnwise.serve.run import ServeConfig, application

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_its_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    [code] = [text for kind, text in BLOCKS if kind == "python" and "openenv" not in text]  # that one: `make interop`
    exec(compile(code, "docs/serve.md", "exec"), {})
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+\n", capsys.readouterr().out)


@pytest.mark.slow
def test_its_command_serves_what_it_says() -> None:
    [line] = [text for kind, text in BLOCKS if kind == "bash" and text.startswith("turnwise serve")]
    port = str(free_port())
    words = [sys.executable, "-m", "turnwise", *shlex.split(line.replace("8000", port))[1:]]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}") as http:

                def up() -> bool:
                    try:
                        return http.get("/health").status_code == 200
                    except httpx.TransportError:
                        return False

                until(up, "the server did not start")
                assert http.get("/list_environments").json() == ["GuessNumber", "Debugging", "Maze"]
                assert http.get("/Maze/metadata").json()["card"]["served_with"] == {"size": 5}
        finally:
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=60)


def test_its_flags_and_addresses_exist() -> None:
    command = (ROOT / "turnwise" / "cli" / "serve.py").read_text(encoding="utf-8")
    for flag in re.findall(r"`--([\w-]+)`", PAGE):
        assert f"    {flag.replace('-', '_')}: " in command, flag
    served = {getattr(route, "path", "") for route in application(ServeConfig(["GuessNumber"])).routes}
    assert {address for address in re.findall(r"`(?:POST )?(/[a-z_]+)`", PAGE) if address not in served} == set()


def test_checks_are_those_that_the_page_of_make_interop_names() -> None:
    """With the packages that they require, and the versions that docs/comparison.md speaks of."""
    page = (ROOT / "docs" / "interop.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)`", page, re.MULTILINE))
    compared = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    found = {}
    for path in (ROOT / "tests" / "interop").glob("check_*.py"):
        requires = path.read_text(encoding="utf-8").partition("\n")[0]
        assert requires.startswith("# requires: "), path
        found[path.stem.removeprefix("check_")] = requires.removeprefix("# requires: ")
    assert listed == found
    for name in ("openenv", "ors", "openreward", "verifiers", "inspect", "skyrl", "gem", "reasoning_gym", "textarena"):
        [version] = re.findall(r">=([\d.]+)", found[name])
        assert re.search(rf"(?<![\d.]){re.escape(version)}(?![\d.]*\d)", compared), f"{name} {version}"


def test_the_comparison_counts_what_there_is() -> None:
    shipped = [i for i in env_ids() if env_class(i).__module__.startswith("turnwise.envs.")]
    page = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| environments \| {len(shipped)} \|", page, re.MULTILINE)
    assert re.search(rf"^\| turnwise \| {len(shipped)} \|", page, re.MULTILINE)


def test_pages_of_other_frameworks_are_short() -> None:
    pages = sorted((ROOT / "docs").glob("use_in_*.md"))
    assert len(pages) > 12
    assert [page.name for page in pages if len(page.read_text(encoding="utf-8").splitlines()) > 40] == []
