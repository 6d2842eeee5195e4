"""Start the server: what is served, where sessions live, where it listens."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from starlette.applications import Starlette

from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError
from turnwise.core.http.address import listening_place
from turnwise.core.registration import env_class, expand, full_id, make, parse_spec
from turnwise.serve.app import TALKS, make_app
from turnwise.serve.door import Door
from turnwise.serve.host import Host, Processes, Threads
from turnwise.serve.quick import answers_at_once
from turnwise.serve.slots import Limits, Served
from turnwise.serve.table import Table

__all__ = ["ServeConfig", "application", "serve", "served_envs", "serving"]

START_S = 30.0


@dataclass(frozen=True)
class ServeConfig:
    """How environments are served.

    Attributes:
        envs: Environments, families or "all", each with settings after a colon: ``("Countdown", "Maze:size=5")``.
        settings: Settings of all of them, by name.
        host: Address to listen on; one that others can reach needs a token.
        port: Port to listen on; 0 for one that the system picks.
        token: What clients must send as ``Authorization: Bearer ...``; none if empty.
        threads: Messages that are played at a time, in each process.
        processes: Worker processes for environments that compute; 0 plays in the server's own.
        quick: Environments among them, by their short names, that compute quickly and never wait for anything: they
            are played with no thread in between. turnwise's own are known.
        num_tasks: Tasks of each split that are listed.
        limits: What clients may use.
        env_modules: Modules or files that register environments; worker processes import them, too.
    """

    envs: Sequence[str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    host: str = "127.0.0.1"
    port: int = 8000
    token: str = ""
    threads: int = 32
    processes: int = 0
    quick: Sequence[str] = ()
    num_tasks: int = 1000
    limits: Limits = field(default_factory=Limits)
    env_modules: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.threads < 1 or self.processes < 0 or self.num_tasks < 1:
            given = f"threads={self.threads}, processes={self.processes}, num_tasks={self.num_tasks}"
            raise SettingsError(f"{given}: threads and num_tasks must be at least 1, processes at least 0")
        listening_place(self.host, self.port, self.token, "a token (TURNWISE_SERVE_TOKEN)")


def served_envs(config: ServeConfig) -> list[Served]:
    """The environments of a configuration, each made once, so that a wrong setting is found before a client comes.

    Raises:
        SettingsError: There is no such environment or setting.
    """
    found: dict[str, Served] = {}
    for text in config.envs:
        for name in expand(text):
            env, settings = parse_spec(name)
            env_id, settings = full_id(env), {**config.settings, **settings}
            short = env_id.rpartition("/")[2].rpartition("-v")[0]
            if short in found:
                raise SettingsError(f"{short} is served twice; start a server for each of its settings")
            make(env_id, **settings).close()
            quick = short in config.quick or answers_at_once(env_id)
            levels = len(env_class(env_id).levels)
            found[short] = Served(short, env_id, settings, levels, config.num_tasks, quick)
    if not found:
        raise SettingsError("no environment is named; serve one, such as Countdown")
    if unknown := [name for name in config.quick if name not in found]:
        raise SettingsError(f"quick is {unknown}; it names environments that are served: {', '.join(found)}")
    return list(found.values())


def _table(config: ServeConfig) -> Table:
    envs = served_envs(config)  # a wrong setting is found before processes are started
    host: Host
    if config.processes:
        host = Processes(config.processes, config.threads, config.env_modules)
    else:
        host = Threads(config.threads, [env.id for env in envs if env.quick])
    return Table(envs, host, config.limits)


def application(config: ServeConfig) -> Starlette:
    """The application alone, for a server of one's own; host and port of the configuration are not used."""
    return make_app(_table(config), Door(config.token))


def _server(config: ServeConfig) -> tuple[Any, Table]:
    try:
        import uvicorn

        from turnwise.serve.link import Link
    except ImportError as error:
        raise MissingDependencyError.of("uvicorn", "serve") from error
    table, door = _table(config), Door(config.token)
    app = make_app(table, door)
    return uvicorn.Server(
        uvicorn.Config(
            app, host=config.host, port=config.port, log_level="warning", access_log=False, lifespan="on",
            ws=partial(Link, table, door, TALKS),  # type: ignore[arg-type]
            timeout_keep_alive=75, timeout_graceful_shutdown=10, backlog=2048,
        )
    ), table  # fmt: skip


def serve(config: ServeConfig, show: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; running messages are answered first, for up to 10 s.

    Args:
        config: What is served.
        show: Called with a line that says what is served and where.

    Raises:
        MissingDependencyError: uvicorn is not installed.
        SettingsError: There is no such environment or setting.
    """
    server, table = _server(config)
    names = ", ".join(table.envs)
    show(f"serving {names} at http://{config.host}:{config.port}")
    server.run()


@contextlib.contextmanager
def serving(config: ServeConfig) -> Iterator[str]:
    """A server in a thread of this process, for tests and notebooks; gives its address.

    Raises:
        InfrastructureError: It did not start.
    """
    server, _ = _server(config)
    thread = threading.Thread(target=server.run, name="turnwise-serve", daemon=True)
    thread.start()
    deadline = time.monotonic() + START_S
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise InfrastructureError(f"the server did not start on {config.host}:{config.port}")
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://{config.host}:{port}"
    finally:
        server.should_exit = True
        thread.join(START_S)
