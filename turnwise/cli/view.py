"""``turnwise view``: runs in the browser, live."""

# ruff: noqa: T201  (command-line output)

import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from turnwise.cli.flags import EnvModules, parse
from turnwise.core.errors import SettingsError
from turnwise.core.registration import import_envs
from turnwise.core.settings import Range, check_all

__all__ = ["view_command"]


@dataclass(frozen=True)
class View:
    """Browse runs in the browser, live while they are going: scores, episodes, comparisons; play on from any turn."""

    folders: Annotated[Positional[tuple[Path, ...]], arg(metavar="RUNS...", help="Folders of runs, or parent folders.")]
    port: Annotated[int, Range(0, 65535)] = 0
    """Port on this machine; 0 picks a free one."""
    open: bool = False
    """Open it in the browser."""
    env_module: EnvModules = ()

    def __post_init__(self) -> None:
        check_all(self)


def view_command(args: Sequence[str]) -> int:
    """Serve the app to this machine until Ctrl-C."""
    options = parse("view", View, args).options
    if not options.folders:
        raise SettingsError("RUNS: name at least one folder of runs, or a folder that contains some")
    from turnwise.report.app.make import book
    from turnwise.report.app.serve import serve
    from turnwise.report.runs import run_folders

    for module in options.env_module:
        import_envs(module)

    def ready(address: str) -> None:
        print(f"open {address} (Ctrl-C ends)", flush=True)
        if options.open:
            webbrowser.open(address)

    serve(book(run_folders(options.folders, begun=True)), options.port, ready)
    return 0
