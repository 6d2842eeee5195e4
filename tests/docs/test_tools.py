"""docs/tools.md: its programs run. Those over MCP need the package: tests/interop/check_mcp_tools.py."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from tests.agents.test_openai import ok, said, serving
from tests.engine._tokenizers import build
from tests.engine._tool_templates import TOOL_FAMILIES
from turnwise.baselines.trainer.model.tiny import save, tiny_model
from turnwise.core.errors import MissingDependencyError
from turnwise.outside.mcp_tools import McpTools

PAGE = Path(__file__).parents[2] / "docs" / "tools.md"
pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="needs the checkout's docs")
MCP = importlib.util.find_spec("mcp") is not None


def blocks() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_native_calls_and_words(capsys: pytest.CaptureFixture[str]) -> None:
    native, words, *_ = blocks()
    with serving(lambda number, body: ok(said("stop()"))) as server:
        exec(native.replace("http://localhost:8000/v1", server.url), {})
        assert all(body["tools"] for body in server.bodies)
    exec(words, {})
    assert capsys.readouterr().out.splitlines() == ["done False", "<tool_response>42</tool_response>"]


@pytest.mark.slow
def test_a_chat_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    tokenizer = build(TOOL_FAMILIES["hermes"])
    save(tiny_model(tokenizer, 1, max_len=32768), tokenizer, tmp_path / "my-model")
    exec(blocks()[2], {})
    assert capsys.readouterr().out.startswith("done ")


@pytest.mark.skipif(MCP, reason="the package mcp is installed")
def test_without_the_package_the_extra_is_named() -> None:
    with pytest.raises(MissingDependencyError, match=r"turnwise\[mcp\]"):
        McpTools("http://127.0.0.1:1/mcp")


@pytest.mark.skipif(not MCP, reason="needs the package mcp")
def test_mcp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    server, client = blocks()[3:]
    Path("server.py").write_text(server, encoding="utf-8")
    exec(client.replace('"python"', repr(sys.executable)), {})
    assert capsys.readouterr().out == "<tool_response>42</tool_response>\n"
