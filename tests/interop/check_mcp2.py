# requires: mcp>=2.3.0,<3
# light
"""The client of mcp 2.x, which has no sessions: an episode by its tools, named in each call."""

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import mcp
from pages import run_page


async def main(url: str) -> str:
    async with mcp.Client(f"{url}/mcp") as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert set(names) == {"act", "begin"}, names
        begun = await client.call_tool("begin", {"seed": 3})
        episode = begun.meta["episode"]
        for guess in range(1, 101):
            arguments = {"message": f"<answer>{guess}</answer>", "episode": episode}
            said = await client.call_tool("act", arguments)
            assert not said.is_error, said
            if said.meta["done"]:
                return f"ok return {said.meta['return']:.2f} after {guess} calls"
    raise AssertionError("the episode does not end")


print(asyncio.run(main(sys.argv[1])))
run_page("use_in_mcp.md", "http://127.0.0.1:8000", sys.argv[1])
print("ok the page")
