# requires: openenv>=0.10.0,<0.11
"""The clients of OpenEnv: one after the other, many at once, tools, more than there is room for, its own validator."""

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from openenv.core.generic_client import GenericEnvClient
from openenv.core.mcp_client import MCPToolClient
from pages import run_page

URL = sys.argv[1]


async def episode(seed: int) -> list[str]:
    """The texts of an episode."""
    async with GenericEnvClient(base_url=URL) as env:
        result = await env.reset(seed=seed)
        said, total = [result.observation["text"]], 0.0
        for guess in range(1, 101):
            result = await env.step({"message": f"<answer>{guess}</answer>"})
            said.append(result.observation["text"])
            total += result.reward
            if result.done:
                break
        assert result.done and abs(total - result.metadata["return"]) < 1e-9
        return said


async def many(count: int) -> None:
    found = await asyncio.gather(*(episode(number % 8) for number in range(count)))
    assert all(found[number] == found[number % 8] for number in range(count)), "equal seeds differ"


async def crowd() -> int:
    """How many of 310 clients are refused where there is room for 300."""
    clients = [GenericEnvClient(base_url=URL) for _ in range(310)]

    async def connect(client: GenericEnvClient) -> None:
        await client.connect()
        await client.reset(seed=1)

    results = await asyncio.gather(*map(connect, clients), return_exceptions=True)
    refused = [str(result) for result in results if isinstance(result, Exception)]
    await asyncio.gather(*(client.close() for client in clients), return_exceptions=True)
    assert all("CAPACITY" in text.upper() or "in use" in text for text in refused), refused[:2]
    return len(refused)


async def tools() -> None:
    async with MCPToolClient(base_url=f"{URL}/Debugging") as env:
        await env.reset(seed=3)
        assert "python" in [tool.name for tool in await env.list_tools()]
        assert "42" in str(await env.call_tool("python", code="print(6 * 7)"))


def sessions() -> int:
    """Sessions that the server has."""
    metrics = urllib.request.urlopen(f"{URL}/metrics").read().decode()
    return int(next(line for line in metrics.splitlines() if line.startswith("turnwise_sessions ")).split()[1])


def until_released(before: int) -> None:
    """Wait until the server has released the sessions of the clients that are gone."""
    while sessions() > before:
        time.sleep(0.1)


def one_after_the_other() -> None:
    with GenericEnvClient(base_url=URL).sync() as client:
        assert client.reset(seed=3).observation["text"] == client.reset(seed=3).observation["text"]
        assert client.step({"message": "<answer>7</answer>"}).reward is not None
        assert client.state()["step_count"] == 1


def validator() -> str:
    """What the validator's report counts."""
    command = [str(Path(sys.executable).with_name("openenv")), "validate", "--url", URL, "--json", "--timeout", "60"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-500:]
    report = json.loads(done.stdout)
    assert report["passed"] is True and all(found["passed"] for found in report["criteria"]), report
    return f"{len(report['criteria'])} of {len(report['criteria'])}"


if __name__ == "__main__":
    before = sessions()  # episodes of MCP's stateless clients, who never say that they go
    one_after_the_other()
    print("ok sync")
    for count in (32, 256):
        asyncio.run(many(count))
        print(f"ok async, {count} sessions that repeat by seed")
    until_released(before)
    refused = asyncio.run(crowd())
    assert refused == 10 + before, f"{refused} of 310 clients were refused, where {300 - before} have room"
    print("ok capacity error")
    asyncio.run(tools())
    print("ok MCPToolClient")
    played = run_page("use_in_openenv.md", "http://127.0.0.1:8000", f"{URL}/FrozenLake")
    assert played["result"].done and not played["result"].metadata["solved"], "to the right there is the edge"
    print("ok the page")
    print(f"ok openenv validate --url: {validator()}")
