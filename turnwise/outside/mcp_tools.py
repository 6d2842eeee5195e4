"""Tools over the Model Context Protocol, both ways: those of any MCP server for an environment, and ours as a server.

Needs the official package ``mcp`` (extra ``turnwise[mcp]``). Environments with episodes are served over MCP by
`turnwise.serve.mcp`, which needs no package.

Sources: the specification of 2026-07-28 and the package mcp 2.3.0.
"""

import asyncio
import re
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.tools import Call, Tool, Toolbox
from turnwise.outside.frame import needed

__all__ = ["McpTools", "serve_http", "serve_stdio", "server_of"]

_PAGES = 100  # of a list of tools


class McpTools:
    """The tools of an MCP server, as tools that an environment can have.

    The connection lives in a thread of its own until `close`; calls wait for their answers. A tool that answers with an
    error is the agent's mistake, which it reads. A server that is lost, or silent for ``timeout_s``, is an
    `InfrastructureError`: the episode ends and is not scored.

    Args:
        server: The URL of a server (streamable HTTP), or the command that starts one (stdio).
        prefix: Comes before the name of every tool; for several servers with tools of equal names.
        timeout_s: Longest time for the connection, and for each call.
        env: Environment variables of a server that is started here, beside the few that it gets anyway (``PATH``, ...).

    Attributes:
        tools: The tools. Names are in lower case with ``_`` for what is neither letter nor digit.
    """

    def __init__(
        self,
        server: str | Sequence[str],
        *,
        prefix: str = "",
        timeout_s: float = 30.0,
        env: Mapping[str, str] | None = None,
    ) -> None:
        library = needed("mcp", "mcp")
        if not timeout_s > 0:
            raise SettingsError(f"timeout_s is {timeout_s}; it must be above 0")
        if isinstance(server, str):
            if not re.match(r"https?://", server):
                raise SettingsError(
                    f"server is {server!r}; it must be a URL, or a command as a list, such as ['python', 'server.py']"
                )
            target: Any = server
        else:
            if not server:
                raise SettingsError("server is empty; it must be a URL, or a command with its arguments as a list")
            target = library.StdioServerParameters(command=server[0], args=list(server[1:]), env=dict(env or {}))
        self.timeout_s = timeout_s
        self._shown = server if isinstance(server, str) else server[0]
        self._client = library.Client(target)
        self._loop = asyncio.new_event_loop()
        self._ready, self._failed = threading.Event(), ""
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._live, name="mcp", daemon=True)
        self._thread.start()
        try:
            if not self._ready.wait(timeout_s) or self._failed:
                raise self._lost(self._failed or f"no answer in {timeout_s:g} s")
            self.tools = tuple(self._tool(found, prefix) for found in self._wait(self._list()))
            names = [tool.name for tool in self.tools]
            if same := sorted({name for name in names if names.count(name) > 1}):
                raise SettingsError(f"the MCP server {self._shown} has several tools that would be called {same[0]!r}")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the connection, and the server if it was started here."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(self.timeout_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ---- the connection -------------------------------------------------------------------------------------------

    def _live(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._hold())
        except BaseException as error:  # groups of exceptions, too: whatever ended the connection
            self._failed = _reason(error)
        finally:
            self._ready.set()
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _hold(self) -> None:
        async with self._client:
            self._ready.set()
            await self._stop.wait()

    async def _list(self) -> list[Any]:
        found: list[Any] = []
        cursor = None
        for _ in range(_PAGES):
            page = await self._client.list_tools(cursor=cursor)
            found += page.tools
            cursor = page.next_cursor
            if not cursor:
                break
        return found

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The result of a request to the server."""
        try:
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:
            work.close()
            raise self._lost(self._failed or "the connection is closed") from None
        try:
            return future.result(self.timeout_s)
        except TimeoutError:
            future.cancel()
            raise self._lost(f"no answer in {self.timeout_s:g} s") from None
        except Exception as error:
            raise self._lost(_reason(error)) from error

    def _lost(self, why: str) -> InfrastructureError:
        return InfrastructureError(f"the MCP server {self._shown}: {why}")

    def _tool(self, found: Any, prefix: str) -> Tool:
        schema = dict(found.input_schema or {})
        properties = dict(schema.get("properties") or {})
        required = [name for name in schema.get("required") or () if name in properties]
        parameters = {**schema, "type": "object", "properties": properties, "required": required}
        name = re.sub(r"[^a-z0-9]+", "_", f"{prefix}{found.name}".lower()).strip("_")
        name = f"_{name}" if name[:1].isdigit() else name
        return Tool(name, found.description or "", parameters, self._caller(found.name))

    def _caller(self, name: str) -> Callable[..., str]:
        def call(**arguments: Any) -> str:
            result = self._wait(self._client.call_tool(name, arguments))
            text = "\n".join(_shown(part) for part in result.content)
            if result.is_error:
                raise ValueError(text or "the tool failed")
            return text

        return call


def _shown(part: Any) -> str:
    """A part of a result as text."""
    if part.type == "text":
        return str(part.text)
    if part.type == "resource" and getattr(part.resource, "text", None) is not None:
        return str(part.resource.text)
    return f"[{part.type}]"


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error!s:.300}"


def server_of(toolbox: Toolbox, name: str = "turnwise") -> Any:
    """Return an ``mcp`` server with these tools. A call that fails is a result with ``isError``, as MCP has it.

    Args:
        toolbox: The tools; they are called with the arguments alone.
        name: Of the server.
    """
    needed("mcp", "mcp")
    types, server = needed("mcp.types", "mcp"), needed("mcp.server", "mcp")

    async def listed(context: Any, params: Any) -> Any:
        tools = [
            types.Tool(
                name=tool.name, description=tool.description, input_schema=tool.schema()["function"]["parameters"]
            )
            for tool in toolbox.tools.values()
        ]
        return types.ListToolsResult(tools=tools)

    async def called(context: Any, params: Any) -> Any:
        answer = await asyncio.to_thread(toolbox.run, Call(params.name, dict(params.arguments or {})))
        tag = "tool_error" if answer.failed else "tool_response"
        text = answer.text.removeprefix(f"<{tag}>").removesuffix(f"</{tag}>")
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=answer.failed)

    return server.Server(name, on_list_tools=listed, on_call_tool=called)


def serve_stdio(toolbox: Toolbox, name: str = "turnwise") -> None:
    """Serve tools to the process that started this one, until it closes the pipe."""
    made, stdio = server_of(toolbox, name), needed("mcp.server.stdio", "mcp")

    async def run() -> None:
        async with stdio.stdio_server() as (read, write):
            await made.run(read, write, made.create_initialization_options())

    asyncio.run(run())


def serve_http(toolbox: Toolbox, name: str = "turnwise", *, host: str = "127.0.0.1", port: int = 8000) -> None:
    """Serve tools at ``http://HOST:PORT/mcp`` (streamable HTTP), until interrupted."""
    made, uvicorn = server_of(toolbox, name), needed("uvicorn", "mcp")
    uvicorn.run(made.streamable_http_app(), host=host, port=port, log_level="warning")
