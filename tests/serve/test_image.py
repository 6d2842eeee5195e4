"""The image that serves: what its file says is what the command line takes and the server answers."""

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
import tyro

from turnwise.cli.serve import Serve
from turnwise.core.errors import SettingsError
from turnwise.serve.run import ServeConfig, served_envs, serving

DOCKERFILE = Path(__file__).parents[2] / "docker" / "serve.Dockerfile"
pytestmark = pytest.mark.skipif(not DOCKERFILE.exists(), reason="needs the checkout, not an installed copy")


def line(word: str) -> list[str]:
    """The list that stands behind a word of the file."""
    [found] = re.findall(rf"^\s*{word} (\[.*\])$", DOCKERFILE.read_text(encoding="utf-8"), re.MULTILINE)
    words: list[str] = json.loads(found)
    return words


def test_what_the_image_runs_is_a_command_that_wants_a_token() -> None:
    program, command, *words = [*line("ENTRYPOINT"), *re.findall(r"^CMD (\[.*\])$", DOCKERFILE.read_text(), re.M)[-1:]]
    assert (program, command) == ("turnwise", "serve")
    options: Any = tyro.cli(Serve, args=[*words[:-1], *json.loads(words[-1])])
    assert f"EXPOSE {options.port}" in DOCKERFILE.read_text(encoding="utf-8")
    with pytest.raises(SettingsError, match="TURNWISE_SERVE_TOKEN"):
        ServeConfig(options.envs, host=options.host, port=options.port)
    assert served_envs(ServeConfig(options.envs, host=options.host, token="t" * 16))


def test_its_health_is_asked_for_where_the_server_answers_without_a_token() -> None:
    [url] = re.findall(r"urlopen\('([^']+)'\)", DOCKERFILE.read_text(encoding="utf-8"))
    with serving(ServeConfig(["GuessNumber"], port=0, token="t" * 16)) as found:
        assert httpx.get(found + httpx.URL(url).path).status_code == 200
    assert httpx.URL(url).port == int(line("ENTRYPOINT")[-1])
