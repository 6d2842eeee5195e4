"""Runs the probes against a sandbox. As a file, it makes one for whoever runs it, and prints what it found as JSON."""

import contextlib
import json
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Collection, Iterator
from typing import NamedTuple

from probes import FOUND, LEFT_BEHIND, LIMITS, PROBES

from turnwise.sandbox import Program, Sandbox, Unsafe

CANARY = "canary-7f3a91"


class Context(NamedTuple):
    """What of the host the probes go for."""

    port: int
    abstract: str
    path: str
    pid: int
    file: str
    shared: str
    canary: str = CANARY


@contextlib.contextmanager
def host() -> Iterator[Context]:
    """Servers, files and variables on the host that no probe may reach."""
    os.environ["TURNWISE_CANARY"] = CANARY
    folder = tempfile.mkdtemp(prefix="turnwise-probe-")
    os.chmod(folder, 0o755)
    file, path, abstract = f"{folder}/file", f"{folder}/socket", f"turnwise-probe-{os.urandom(6).hex()}"
    with open(file, "w") as out:
        out.write(CANARY)
    shared = f"{os.path.basename(folder)}-shared"
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # a machine without shared memory
            stack.enter_context(open(f"/dev/shm/{shared}", "w"))
            stack.callback(os.unlink, f"/dev/shm/{shared}")
        servers = []
        for family, address in (
            (socket.AF_INET, ("127.0.0.1", 0)),
            (socket.AF_UNIX, f"\0{abstract}"),
            (socket.AF_UNIX, path),
        ):
            server = stack.enter_context(socket.socket(family))
            server.bind(address)
            server.listen(50)
            servers.append(server)
        os.chmod(path, 0o777)
        try:
            yield Context(servers[0].getsockname()[1], abstract, path, os.getpid(), file, shared)
        finally:
            os.unlink(path)
            os.unlink(file)
            os.rmdir(folder)
            os.environ.pop("TURNWISE_CANARY", None)


def run_probe(sandbox: Sandbox, name: str, profile: str, context: Context) -> str:
    """What broke, "" for nothing."""
    probe = PROBES[name]
    if probe.needs and probe.needs not in sandbox.layers_of(profile):  # type: ignore[arg-type]
        return ""
    source = probe.source
    if "{{" in source or any("{" + field in source for field in Context._fields):
        source = source.format(**context._asdict())
    program = Program(source, profile=profile, collect=probe.collect)  # type: ignore[arg-type]
    result = sandbox.run(program, probe.limits)
    if probe.held is not None:
        return "" if probe.held(result) else repr(result)[:1000]
    return "" if "HELD" in result.stdout and "BREACH" not in result.stdout else repr(result)[:1500]


def profiles_of(sandbox: Sandbox) -> list[str]:
    """The profiles that the sandbox does not refuse."""
    found = ["python"]
    with contextlib.suppress(Unsafe):
        sandbox.layers_of("shell")
        found.append("shell")
    return found


def run_all(sandbox: Sandbox, names: Collection[str] = ()) -> dict[str, str]:
    """The probes, all unless some are named, in every profile that is in force: what broke."""
    found = {}
    allowed = profiles_of(sandbox)
    with host() as context:
        for name, probe in [(name, PROBES[name]) for name in names or PROBES]:
            for profile in set(probe.profiles) & set(allowed):
                if probe.needs and probe.needs not in sandbox.layers_of(profile):  # type: ignore[arg-type]
                    continue
                found[f"{name}-{profile}"] = run_probe(sandbox, name, profile, context)
        for profile in allowed:
            sandbox.run(Program(LEFT_BEHIND, profile=profile), LIMITS)  # type: ignore[arg-type]
            result = sandbox.run(Program(FOUND, profile=profile), LIMITS)  # type: ignore[arg-type]
            found[f"left_behind-{profile}"] = "" if result.stdout == "HELD 1\n" else repr(result)[:1000]
    return found


def main(arguments: list[str]) -> None:
    """Prints a report as JSON: what is in force, for whom, and what broke of all probes or of those that are named."""
    from turnwise.sandbox.backends.embedded.sandbox import EmbeddedSandbox

    strategy, *names = arguments
    try:
        made = EmbeddedSandbox(workers=1, strategy=None if strategy == "any" else strategy)
    except Unsafe as error:
        sys.stdout.write(json.dumps({"uid": os.getuid(), "refused": str(error)}) + "\n")
        return
    with made:
        found = run_all(made, names)
        report = {
            "uid": os.getuid(),
            "layers": {profile: sorted(made.layers_of(profile)) for profile in profiles_of(made)},  # type: ignore[arg-type]
            "held": sum(not problem for problem in found.values()),
            "failures": {name: problem for name, problem in found.items() if problem},
        }
        assert threading.active_count() == 1
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
