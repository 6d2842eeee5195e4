# requires: mcp>=1.30.0,<2
# light
"""The client of mcp 1.x, which has sessions: an episode by its tools."""

import asyncio
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def main(url: str) -> str:
    async with streamablehttp_client(f"{url}/mcp") as (read, write, _), ClientSession(read, write) as session:
        about = await session.initialize()
        names = [tool.name for tool in (await session.list_tools()).tools]
        assert names == ["act", "begin"], names
        first = (await session.call_tool("begin", {"seed": 3})).content[0].text
        assert first == (await session.call_tool("begin", {"seed": 3})).content[0].text
        for guess in range(1, 101):
            said = await session.call_tool("act", {"message": f"<answer>{guess}</answer>"})
            assert not said.isError, said
            if said.meta["done"]:
                return f"ok {about.protocolVersion}: return {said.meta['return']:.2f} after {guess} calls"
    raise AssertionError("the episode does not end")


print(asyncio.run(main(sys.argv[1])))
