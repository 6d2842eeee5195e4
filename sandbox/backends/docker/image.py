"""Images for containers that run programs: any image with Python and a shell, and on top of it the sandbox's own files.

Without an image to start from, and so without a registry, one is put together from this machine's Python, its library
and a few programs. ``python -m turnwise.sandbox.backends.docker.image`` makes an image ahead of its first use.
"""

import argparse
import contextlib
import functools
import glob
import hashlib
import io
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.sandbox.backends import bundle
from turnwise.sandbox.backends.docker.engine import connect
from turnwise.sandbox.backends.embedded import host

__all__ = ["FOLDER", "PACKAGES", "ready", "write_base"]

FOLDER, PACKAGES = "/opt/turnwise", "/opt/packages"
"""Where the files of the sandbox lie in an image, and the distributions that programs may import."""
_BASE, _READY = "turnwise/sandbox-base", "turnwise/sandbox"
_ELSEWHERE = f"python:{sys.version_info.major}.{sys.version_info.minor}-slim"
_LABEL = "turnwise.sandbox"  # of an image that has the files: their hash
_PREPARE = (
    "import compileall, sys\n"
    "if sys.version_info < (3, 11): sys.exit('its python3 is ' + sys.version.split()[0])\n"
    f"sys.exit(not compileall.compile_dir('{FOLDER}', quiet=1))"
)
_PREPARE_S = 120
_TOOLS = (
    "awk base64 basename bash bzip2 cat chmod cksum cmp comm cp csplit cut date dd df diff dirname du echo env expand "
    "expr factor false file find fold grep egrep fgrep gunzip gzip head hostname id install join kill less ln ls mkdir "
    "md5sum mkfifo mktemp mv nice nl nohup nproc numfmt od paste patch pr printenv printf ps pwd readlink realpath "
    "rev rm rmdir sed seq sh sha1sum sha256sum shuf sleep sort split stat stty sum sync tac tail tar tee test timeout "
    "touch tr true truncate tsort tty uname unexpand uniq unlink wc which whoami xargs xz yes zcat"
)
_COMPILERS = "ar as c++ cc cpp g++ gcc ld make nm objdump ranlib strip"
_FOR_PACKAGES = "libstdc++.so.6 libgcc_s.so.1 libgomp.so.1 libz.so.1 libdl.so.2 libpthread.so.0 librt.so.1 libutil.so.1"
_LEFT_OUT = "test tests idlelib tkinter turtledemo ensurepip lib2to3 site-packages dist-packages sitecustomize.py"


def ready(engine: Any, image: str | None = None, compilers: bool = False, packages: Sequence[str] = ()) -> str:
    """Return the id of an image with the sandbox's files, building it if the engine does not have it.

    Args:
        engine: A ``docker.APIClient``.
        image: An image that the engine has or can pull, with ``python3`` (3.11 or later) on its path; None: one of
            this machine's Python or, if this is not Linux, the official one of the same version.
        compilers: Whether an image of this machine has its C and C++ compilers, too.
        packages: Which of its installed distributions it has, with what they require.

    Raises:
        SettingsError: The image does not exist or lacks such a Python, or a package is not installed.
        InfrastructureError: An image cannot be made of this machine's Python.
    """
    if image is None and sys.platform != "linux":
        image = _ELSEWHERE
    base = _own_base(engine, compilers) if image is None else _given(engine, image)
    files = bundle.files()
    shown = host.packages(packages) if image is None else {}
    key = _hash((sorted(files.items()), sorted(shown.items())))
    if (engine.inspect_image(base)["Config"].get("Labels") or {}).get(_LABEL) == key:
        return base
    name = f"{_READY}:{_hash((base, key))}"
    return _find(engine, name) or _add_files(engine, base, files, shown, image, name, key)


def _hash(what: object) -> str:
    return hashlib.sha256(repr(what).encode()).hexdigest()[:16]


def _find(engine: Any, name: str) -> str:
    from docker.errors import ImageNotFound

    try:
        found: str = engine.inspect_image(name)["Id"]
    except ImageNotFound:
        return ""
    return found


def _given(engine: Any, image: str) -> str:
    from docker.errors import APIError

    found = _find(engine, image)
    if not found:
        with contextlib.suppress(APIError):
            name, _, tag = image.rpartition(":") if ":" in image.rpartition("/")[2] else (image, "", "latest")
            engine.pull(name, tag=tag)
        found = _find(engine, image)
    if not found:
        raise SettingsError(
            f"image is {image!r}; the engine neither has it nor can pull it: docker/build_sandbox.sh builds one, and "
            "on Linux image=None makes one of this machine's Python"
        )
    return found


def _own_base(engine: Any, compilers: bool) -> str:
    recipe = (Path(__file__).read_bytes(), sys.version, _interpreter(), os.stat(_interpreter()).st_mtime, compilers)
    name = f"{_BASE}:{_hash(recipe)}"
    found = _find(engine, name)
    if found:
        return found
    with tempfile.NamedTemporaryFile(suffix=".tar") as file:
        write_base(file.file, compilers)
        file.flush()
        repository, _, tag = name.partition(":")
        said = engine.import_image_from_file(file.name, repository=repository, tag=tag, changes=["USER 65534:65534"])
    found = _find(engine, name)
    if not found:
        raise InfrastructureError(f"no image can be made of this machine's Python: {str(said)[-500:]}")
    return found


def _add_files(
    engine: Any, base: str, files: dict[str, bytes], shown: dict[str, str], image: str | None, name: str, key: str
) -> str:
    """Add the sandbox's files to an image without the engine's builder, which may need a registry."""
    from docker.errors import APIError

    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for path, contents in files.items():
            _add_bytes(tar, f"{FOLDER[1:]}/{path}", contents)
        for top, place in shown.items():
            tar.add(place, f"{PACKAGES[1:]}/{top}", filter=_plain)
    made = engine.create_container(
        base,
        ["python3", "-B", "-c", _PREPARE],
        entrypoint=[],
        user="0:0",
        host_config=engine.create_host_config(network_mode="none"),
    )
    try:
        engine.put_archive(made, "/", data.getvalue())
        try:
            engine.start(made)
            status = engine.wait(made, timeout=_PREPARE_S)["StatusCode"]
            said = engine.logs(made, tail=20).decode(errors="replace")
        except APIError as error:
            status, said = -1, str(error)
        if status:
            raise SettingsError(f"image is {image!r}; it must have python3, 3.11 or later: {said[-500:]}")
        config = {"Entrypoint": [], "Labels": {_LABEL: key}, "User": "65534:65534", "Cmd": ["python3"]}
        repository, _, tag = name.partition(":")
        committed: str = engine.commit(made, repository=repository, tag=tag, conf=config)["Id"]
    finally:
        engine.remove_container(made, force=True)
    return committed


def write_base(target: IO[bytes], compilers: bool = False) -> None:
    """Write a tar of a root file system: this machine's Python, its library, the programs shells need.

    Python lies in ``/usr/local`` there, wherever it lies here. Installed packages are left out.

    Args:
        target: Where the tar goes.
        compilers: With gcc, g++ and what they need.

    Raises:
        InfrastructureError: The shared libraries of a program cannot be found out.
    """
    python, version = _interpreter(), f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = sysconfig.get_path("stdlib")
    inside = os.path.relpath(library, sys.base_prefix)
    home = f"usr/local/lib/{version}" if inside.startswith("..") else f"usr/local/{inside}"
    programs = [path for name in f"{_TOOLS} {_COMPILERS * compilers}".split() if (path := shutil.which(name))]
    trees = _compiler_trees() if compilers else []
    with tarfile.open(fileobj=target, mode="w", dereference=False) as tar:
        _add_skeleton(tar, version)
        _add(tar, python, f"usr/local/bin/{version}")
        tar.add(library, home, filter=_library_member)
        modules = sysconfig.get_config_var("DESTSHARED") or ""
        if os.path.isdir(modules) and not modules.startswith(f"{library}/"):
            tar.add(modules, f"{home}/lib-dynload")
        for path in programs:
            _add(tar, path, f"usr/bin/{os.path.basename(path)}")
        for path in trees:
            tar.add(path, _merged(path))
        loaded = [python, *programs, *glob.glob(f"{modules or library + '/lib-dynload'}/*.so")]
        for tree in trees:
            loaded += [str(path) for path in Path(tree).rglob("*") if path.is_file() and not path.is_symlink()]
        libraries = _libraries(loaded)
        default = os.path.dirname(libraries.get("libc.so.6", "/usr/lib/libc"))
        for name in _FOR_PACKAGES.split():
            if os.path.exists(f"{default}/{name}"):
                libraries[name] = f"{default}/{name}"
        for name, path in sorted(libraries.items()):  # where the loader looks by default; the loader at its own path
            _add(tar, path, f"{_merged(default)}/{name}" if "/" not in name else _merged(name))


def _interpreter() -> str:
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def _merged(path: str) -> str:
    """Return the path in a file system whose /bin, /lib and the like are links into /usr."""
    return path[1:] if path.startswith("/usr/") else f"usr{path}"


def _add_skeleton(tar: tarfile.TarFile, version: str) -> None:
    for name, mode in {"tmp": 0o1777, "proc": 0o555, "sys": 0o555, "dev": 0o755, "usr": 0o755, "etc": 0o755}.items():
        entry = tarfile.TarInfo(name)
        entry.type, entry.mode = tarfile.DIRTYPE, mode
        tar.addfile(entry)
    links = {name: f"usr/{name}" for name in ("bin", "sbin", "lib", "lib64")}
    links |= {f"usr/local/bin/{name}": version for name in ("python", "python3")}
    for name, place in links.items():
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = tarfile.SYMTYPE, place
        tar.addfile(entry)
    _add_bytes(tar, "etc/passwd", b"root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/tmp:/bin/sh\n")
    _add_bytes(tar, "etc/group", b"root:x:0:\nnogroup:x:65534:\n")
    for path in ("/usr/share/zoneinfo", "/usr/share/misc"):
        if os.path.isdir(path):
            tar.add(path, path[1:], filter=_plain)


def _add_bytes(tar: tarfile.TarFile, name: str, contents: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(contents), 0o644
    tar.addfile(entry, io.BytesIO(contents))


def _add(tar: tarfile.TarFile, path: str, name: str) -> None:
    """Add a file, following links to its contents."""
    path = os.path.realpath(path)
    entry = _plain(tar.gettarinfo(path, name))
    entry.type, entry.size = tarfile.REGTYPE, os.path.getsize(path)  # not a hard link to one that came before
    with open(path, "rb") as file:
        tar.addfile(entry, file)


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mode = (entry.mode | 0o444 | (0o111 if entry.mode & 0o100 else 0)) & 0o755  # readable by all, setuid nowhere
    return entry


def _library_member(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    name = os.path.basename(entry.name)
    needless = name.startswith("config-") or name.endswith((".a", ".opt-1.pyc", ".opt-2.pyc"))
    return None if needless or name in _LEFT_OUT.split() else _plain(entry)


def _libraries(paths: Iterable[str]) -> dict[str, str]:
    """Return the shared libraries that files need, by name (the loader by its path), and where they are here."""
    found: dict[str, str] = {}
    binaries = [path for path in paths if _is_binary(path)]
    for start in range(0, len(binaries), 100):
        try:
            done = subprocess.run(
                ["ldd", *binaries[start : start + 100]], capture_output=True, text=True, timeout=120, check=False
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise InfrastructureError(f"the libraries of programs cannot be listed by ldd: {error}") from error
        for line in done.stdout.splitlines():
            words = line.split()
            if "=>" in words and words[2].startswith("/"):
                found[words[0]] = words[2]
            elif line.startswith("\t/"):
                found[words[0]] = words[0]
    return found


def _is_binary(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def _compiler_trees() -> list[str]:
    """Return the files and directories that gcc and g++ need besides programs."""

    @functools.cache
    def ask(question: str) -> str:
        done = subprocess.run(["gcc", question], capture_output=True, text=True, timeout=60, check=False)
        return done.stdout.strip()

    try:
        own = {os.path.dirname(ask("-print-libgcc-file-name")), os.path.dirname(ask("-print-prog-name=cc1"))}
    except OSError as error:
        raise InfrastructureError(f"compilers is True, but gcc does not say where its files are ({error})") from error
    start = os.path.dirname(os.path.realpath(ask("-print-file-name=crt1.o")))
    names = ("*crt*.o", "lib[cm].so", "libc_nonshared.a", "lib[cm].a", "libm-*.a", "libmvec*", "libpthread*.a")
    found = [*own, "/usr/include", *(path for name in names for path in glob.glob(f"{start}/{name}"))]
    return [path for path in dict.fromkeys(found) if os.path.isabs(path) and os.path.exists(path)]


def main(arguments: list[str]) -> None:
    """Make an image and print its id."""
    parser = argparse.ArgumentParser(prog="python -m turnwise.sandbox.backends.docker.image", description=main.__doc__)
    parser.add_argument("--image", help="start from this one instead of this machine's Python")
    parser.add_argument("--compilers", action="store_true", help="with this machine's C and C++ compilers")
    parser.add_argument("--tag", help="give it this name too")
    options = parser.parse_args(arguments)
    with contextlib.closing(connect()) as engine:
        made = ready(engine, options.image, options.compilers)
        if options.tag:
            engine.tag(made, *options.tag.rsplit(":", 1))
    sys.stdout.write(f"{made}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
