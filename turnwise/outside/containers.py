"""Containers of a Docker engine for tasks that bring their own image."""

import contextlib
import gzip
import hashlib
import io
import os
import shlex
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.sandbox.backends.docker.engine import connect

__all__ = ["Container", "Shape", "archive", "image_of"]

MOST_OUTPUT = 1 << 18
"""Bytes of a command's output that are kept."""
MOST_FETCHED = 1 << 28
LIFE_S = 6 * 3600
"""Seconds after which a container that nobody has closed ends by itself."""
OUT_OF_TIME = 124
_CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID")
_REPOSITORY = "turnwise/outside"
_HEADER_BYTES = 8


@dataclass(frozen=True)
class Shape:
    """What a container may use.

    Attributes:
        memory_mb: MiB of memory.
        cpus: Processors.
        network: Name of its network.
        workdir: Directory of its commands; empty for the image's.
        variables: Its environment.
    """

    memory_mb: int = 2048
    cpus: float = 1.0
    network: str = "none"
    workdir: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)


@contextlib.contextmanager
def _engine_errors(what: str) -> Iterator[None]:
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    try:
        yield
    except (DockerException, RequestException) as error:
        raise InfrastructureError(f"{what}: {str(error)[:1000]}") from error


def archive(folder: Path) -> bytes:
    """The files of a folder as a tar, the same each time."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as members:
        for path in sorted(folder.rglob("*")):
            members.add(path, path.relative_to(folder).as_posix(), recursive=False, filter=_plain)
    return data.getvalue()


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 0
    return member


def image_of(folder: Path, name: str | None) -> str:
    """Return an image that the engine has: the named one, pulled if need be, or one that is built.

    Args:
        folder: With a Dockerfile.
        name: Of an image that takes the place of the Dockerfile.

    Raises:
        SettingsError: There is no Dockerfile and no name.
        InfrastructureError: It cannot be pulled or built.
    """
    with contextlib.closing(connect()) as engine:
        if name:
            with _engine_errors(f"the image {name} cannot be had"):
                if not engine.images(name):
                    engine.pull(name)
            return name
        if not (folder / "Dockerfile").is_file():
            raise SettingsError(f"{folder} has no Dockerfile, and the task names no image")
        context = archive(folder)
        tag = f"{_REPOSITORY}:{hashlib.sha256(context).hexdigest()[:16]}"
        with _engine_errors(f"the image of {folder} cannot be built"):
            if not engine.images(tag):
                file = io.BytesIO(gzip.compress(context, mtime=0))
                steps = engine.build(fileobj=file, custom_context=True, encoding="gzip", tag=tag, rm=True, decode=True)
                said = [step for step in steps if "error" in step]
                if said:
                    raise InfrastructureError(f"the image of {folder} cannot be built: {said[-1]['error']!s:.1000}")
        return tag


class Container:
    """A container that waits for commands.

    Args:
        image: An image that the engine has, with ``sh``, ``timeout`` and ``sleep``.
        shape: What it may use.

    Raises:
        InfrastructureError: It does not start.
    """

    def __init__(self, image: str, shape: Shape) -> None:
        self.shape, self.copies = shape, [] if not image.startswith("sha256:") else [image]
        self.engine = connect()
        try:
            with _engine_errors("the container does not start"):
                config = self.engine.inspect_image(image)["Config"]
                self.workdir = shape.workdir or config.get("WorkingDir") or "/"
                host = self.engine.create_host_config(
                    network_mode=shape.network, mem_limit=f"{shape.memory_mb}m", memswap_limit=f"{shape.memory_mb}m",
                    nano_cpus=int(shape.cpus * 10**9), pids_limit=1024, cap_drop=["ALL"], cap_add=list(_CAPABILITIES),
                    security_opt=["no-new-privileges"], init=True, auto_remove=True,
                )  # fmt: skip
                self.id: str = self.engine.create_container(
                    image, ["sleep", str(LIFE_S)], entrypoint=[], working_dir=self.workdir, host_config=host,
                    environment=dict(shape.variables), labels={_REPOSITORY: str(os.getpid())},
                )["Id"]  # fmt: skip
                self.engine.start(self.id)
        except BaseException:
            self.engine.close()
            raise

    def run(
        self, command: str, wall_s: float, *, user: Any = None, variables: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        """Run a command in a new shell; its status (124: it ran out of time) and its output.

        Raises:
            InfrastructureError: The container has ended.
        """
        words = ["timeout", "-k", "2", f"{wall_s:g}", "sh", "-c", command]
        with _engine_errors("the container does not run a command"):
            who = "" if user is None else str(user)
            made = self.engine.exec_create(
                self.id, words, user=who, environment=dict(variables or {}), workdir=self.workdir
            )["Id"]
            kept = bytearray()
            for part in self._parts(made):
                kept += part[: MOST_OUTPUT - len(kept)]
            status = self.engine.exec_inspect(made)["ExitCode"]
        if status is None:
            raise InfrastructureError("the container has ended")
        return (OUT_OF_TIME if status == 137 else int(status)), kept.decode(errors="replace")

    def _parts(self, made: str) -> Iterator[bytes]:
        """What a command prints, taken out of the frames in which the engine mixes stdout and stderr."""
        stream = self.engine.exec_start(made, socket=True)
        response = getattr(stream, "_response", None)
        inner = getattr(stream, "_sock", stream)
        if hasattr(inner, "settimeout"):
            inner.settimeout(None)
        buffered = response.raw._fp.fp if response is not None else stream  # it may hold the first bytes already
        try:
            while len(header := buffered.read(_HEADER_BYTES)) == _HEADER_BYTES:
                yield buffered.read(int.from_bytes(header[4:], "big"))
        finally:
            for thing in (buffered, stream, response, inner):  # the engine's client would leave them open
                if thing is not None:
                    with contextlib.suppress(OSError, ValueError):
                        thing.close()

    def put(self, folder: str, data: bytes) -> None:
        """Unpack an archive into a folder, which is made if it does not exist."""
        self.run(f"mkdir -p {shlex.quote(folder)}", 60, user="0")
        with _engine_errors(f"files do not get into {folder}"):
            self.engine.put_archive(self.id, folder, data)

    def fetch(self, path: str) -> bytes | None:
        """What lies at a path, as an archive; None if nothing does.

        Raises:
            InfrastructureError: It is too large.
        """
        from docker.errors import NotFound

        data = bytearray()
        with _engine_errors(f"{path} cannot be read"):
            try:
                parts, _ = self.engine.get_archive(self.id, path)
            except NotFound:
                return None
            for part in parts:
                data += part
                if len(data) > MOST_FETCHED:
                    raise InfrastructureError(f"{path} has more than {MOST_FETCHED} bytes")
        return bytes(data)

    def copy(self) -> "Container":
        """Another container with the same files; processes are not copied."""
        with _engine_errors("the container cannot be copied"):
            image: str = self.engine.commit(self.id)["Id"]
        return Container(image, self.shape)

    def close(self) -> None:
        """Remove it, and the image of its files if it is a copy."""
        from docker.errors import DockerException

        with contextlib.suppress(DockerException):
            self.engine.remove_container(self.id, force=True, v=True)
        for image in self.copies:
            with contextlib.suppress(DockerException):
                self.engine.remove_image(image)
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
