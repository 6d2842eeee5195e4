"""``turnwise serve``: its options, and what it does."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import Positional, arg

from turnwise.cli.flags import EnvModules
from turnwise.core.registration import import_envs
from turnwise.serve.run import ServeConfig, serve
from turnwise.serve.table import Limits

__all__ = ["TOKEN_VARIABLE", "Serve", "serve_main"]

TOKEN_VARIABLE = "TURNWISE_SERVE_TOKEN"
SERVED = 'Environments, families or "all", each with settings after a colon, such as Maze:size=5.'


@dataclass(frozen=True)
class Serve:
    """Serve environments to other frameworks: OpenEnv, the Open Reward Standard and MCP, on one port.

    Clients must send the token in TURNWISE_SERVE_TOKEN, if it is set, as `Authorization: Bearer ...`. They choose
    seeds, splits and levels, and no other setting. SIGTERM ends the server once what runs is answered.
    """

    envs: Annotated[Positional[tuple[str, ...]], arg(metavar="ENV...", help=SERVED)]
    host: str = "127.0.0.1"
    """Address to listen on; one that others can reach needs a token."""
    port: int = 8000
    """Port to listen on."""
    max_sessions: int = 256
    """Most episodes at a time; one more client is refused."""
    processes: int = 0
    """Worker processes, for environments that compute; 0 plays in threads of the server."""
    threads: int = 32
    """Messages that are played at a time, in each process."""
    idle_s: float = 900.0
    """Seconds without a message after which a session is closed."""
    quick: tuple[str, ...] = ()
    """Environments of your own that compute quickly and never wait: played with no thread in between."""
    step_s: float = 300.0
    """Longest time that an environment may take for a message, in seconds."""
    max_message_bytes: int = 1 << 20
    """Longest message of a client, in bytes."""
    num_tasks: int = 1000
    """Tasks of each split that are listed; every seed can be played."""
    env_module: EnvModules = ()


def serve_main(options: Serve, show: Callable[[str], None]) -> int:
    """Serve until the process is stopped; returns the exit status.

    Args:
        options: What the command line says.
        show: Called with a line that says what is served and where.
    """
    for module in options.env_module:
        import_envs(module)
    config = ServeConfig(
        envs=options.envs,
        host=options.host,
        port=options.port,
        token=os.environ.get(TOKEN_VARIABLE, ""),
        threads=options.threads,
        processes=options.processes,
        quick=options.quick,
        num_tasks=options.num_tasks,
        limits=Limits(options.max_sessions, options.max_message_bytes, options.idle_s, options.step_s),
        env_modules=options.env_module,
    )
    serve(config, show)
    return 0
