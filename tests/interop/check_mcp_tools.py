# requires: mcp>=2.3.0,<3
# light
"""Tools over MCP both ways, with real server processes: stdio and streamable HTTP, in an environment."""

import contextlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import turnwise
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.tools import call_text
from turnwise.core.wrappers import Tools
from turnwise.outside.mcp_tools import McpTools

SERVER = """
import sys
from turnwise.core.tools import Tool, Toolbox, text_tool
from turnwise.outside.mcp_tools import serve_http, serve_stdio

def crash(word):
    import os
    os._exit(1)

numbers = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}
box = Toolbox([
    Tool("add", "Add two numbers.", numbers, lambda a, b: str(a + b)),
    text_tool("number_of", "A number.", lambda word: str(["one", "two"].index(word) + 1), word="A word."),
    text_tool("crash", "End.", crash, word="Any."),
])
serve_stdio(box) if sys.argv[1] == "stdio" else serve_http(box, port=int(sys.argv[1]))
"""
PORT = 18764


def check(server: str | list[str]) -> None:
    env_of = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    with McpTools(server, timeout_s=20, env=env_of) as found:
        assert [tool.name for tool in found.tools] == ["add", "number_of", "crash"], found.tools
        env = Tools(turnwise.make("GuessNumber"), found.tools)
        first, _ = env.reset(seed=1)
        assert "Add two numbers." in first
        assert env.step(call_text("add", {"a": 2, "b": 3}))[0] == "<tool_response>5</tool_response>"
        assert env.step("<number_of>two</number_of>")[0] == "<tool_response>2</tool_response>"
        refused = env.step("<number_of>six</number_of>")[0]
        assert refused.startswith("<tool_error>") and "six" in refused, refused
        missing = env.step(call_text("add", {"a": 2}))[0]
        assert missing.startswith("<tool_error>") and "b" in missing, missing
        *_, truncated, info = env.step("<crash>now</crash>")
        assert truncated and info["reward_valid"] is False, info
        with contextlib.suppress(SettingsError):
            McpTools("localhost:1")
            raise AssertionError("a server without a scheme is refused")


def main() -> None:
    script = Path("mcp_server_of_tools.py").resolve()
    script.write_text(SERVER)
    check([sys.executable, str(script), "stdio"])
    print("ok stdio")
    process = subprocess.Popen([sys.executable, str(script), str(PORT)])
    try:
        for _ in range(100):
            with contextlib.suppress(InfrastructureError), McpTools(f"http://127.0.0.1:{PORT}/mcp", timeout_s=5):
                break
            time.sleep(0.2)
        check(f"http://127.0.0.1:{PORT}/mcp")
    finally:
        process.kill()
        process.wait()
    print("ok streamable HTTP")


def page() -> None:
    """The two programs of docs/tools.md."""
    text = (Path(__file__).parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")
    server, client = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[3:]
    Path("server.py").write_text(server, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", client.replace('"python"', repr(sys.executable))], capture_output=True, text=True
    )
    assert done.stdout == "<tool_response>42</tool_response>\n", done
    print("ok the page")


main()
page()
