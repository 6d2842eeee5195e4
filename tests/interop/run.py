"""Play our environments with the stock clients of other frameworks: ``make interop``, or ``run.py [--light] NAME ...``.

Each check is a script ``check_NAME.py`` that prints a line ``ok WHAT`` for each thing that holds, and exits with 0, or
with the reason on its last line. It gets the address of a server. Its header says what it runs with:

    # requires: mcp>=2.3,<3          what its virtual environment has, as pip reads it
    # python: 3.13.14                the oldest Python that these packages take, if newer than our own
    # light                          few and small packages: `make interop-light` runs it

It runs in a folder outside the checkout, with turnwise installed where it imports it. Virtual environments are shared
by checks with the same packages and kept between runs, under INTEROP_HOME. Packages that cannot be installed are a
failure; a Python that this machine lacks leaves its checks out, and says so.
"""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HOME = Path(os.environ.get("INTEROP_HOME", Path.home() / ".cache" / "turnwise-interop"))
SERVED = ("GuessNumber", "Debugging", "Maze:size=5", "FrozenLake:size=4")
SERVER = ("uvicorn>=0.30", "websockets>=13")
MOST_S, MOST_PIP_S = 1200, 1800
TORCH, CPU_INDEX = os.environ.get("TORCH", "2.13.0"), "https://download.pytorch.org/whl/cpu"
LEFT_OUT = ("build", "dist", "runs", "node_modules", "*.egg-info", "__pycache__", ".*")
"""Parts of the checkout that no wheel is built from: a deleted module would live on in ``build``."""
_OURS = re.compile(r"^\s*(?:from|import) (?:turnwise|players|contract)\b", re.MULTILINE)
"""Turnwise itself, or modules beside the checks that import it."""


class CheckError(Exception):
    """A check could not be run; the text says why."""


class NoPython(CheckError):
    """This machine has no such Python."""


@dataclass(frozen=True)
class Target:
    """What is checked.

    Attributes:
        name: Of the check, which is ``check_NAME.py``.
        packages: What its virtual environment has.
        ours: Whether it imports turnwise, which is installed there, too; others play over the wire only.
        python: Oldest version of Python that its packages take; empty for any of ours.
        light: Whether it is among those that continuous integration runs.
    """

    name: str
    packages: tuple[str, ...]
    ours: bool
    python: str = ""
    light: bool = False

    @property
    def venv(self) -> str:
        """Name of its virtual environment: that of its packages."""
        names = "-".join(re.split(r"[<>=!~\[; ]", package)[0] for package in self.packages)
        bounds = re.search(r"\d[\w.]*", " ".join(self.packages))
        return f"{names}-{bounds[0] if bounds else 'any'}"


@dataclass(frozen=True)
class Row:
    """What came of a check.

    Attributes:
        target: What was checked.
        status: "ok", "FAILED", or "left out".
        versions: What its virtual environment had.
        said: What held, or the reason why not.
        seconds: How long it took, without the installation.
    """

    target: Target
    status: str
    versions: str = ""
    said: str = ""
    seconds: float = 0.0

    def line(self) -> str:
        """As a row of the table."""
        versions = self.versions or " ".join(self.target.packages)
        return f"{self.status:<8} {self.target.name:<18} {versions:<36} {self.seconds:6.1f} s  {self.said}"


def targets() -> dict[str, Target]:
    """The checks of this folder, by name."""
    found = {}
    for path in sorted(HERE.glob("check_*.py")):
        text = path.read_text(encoding="utf-8")
        header = dict(re.findall(r"^# ([a-z]+)(?:: (.*))?$", text.partition('"""')[0], re.MULTILINE))
        name, packages = path.stem.removeprefix("check_"), tuple(header["requires"].split())
        ours = bool(_OURS.search(text))
        found[name] = Target(name, packages, ours, header.get("python", ""), "light" in header)
    return found


def interpreter(version: str) -> str:
    """A Python of at least that version: this one, or one of the search path or of pyenv.

    Raises:
        NoPython: There is none here.
    """
    least = tuple(map(int, version.split("."))) if version else ()
    if sys.version_info >= least:
        return sys.executable
    homes = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin/python")
    asks = f"import sys; sys.exit(sys.version_info < {least})"
    for command in (*(f"python3.{minor}" for minor in range(least[1], least[1] + 4)), *map(str, sorted(homes))):
        found = shutil.which(command)
        if found and subprocess.run([found, "-c", asks], capture_output=True).returncode == 0:
            return found
    raise NoPython(f"it needs Python {version}, which is not here")


def pip(python: Path, *words: str) -> None:
    """Run pip.

    Raises:
        CheckError: It failed; its last words are the reason.
    """
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", *words]
    command += ["--no-compile"] * (words[0] == "install")  # what is imported is compiled then, a tenth of it
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_PIP_S)
    except subprocess.TimeoutExpired:
        raise CheckError(f"pip {words[0]} took longer than {MOST_PIP_S} s") from None
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()] or [f"status {done.returncode}"]
        raise CheckError(f"pip {words[0]} failed: {said[-1]}")


def venv(name: str, packages: Sequence[str], version: str = "") -> Path:
    """The virtual environment of these packages, made if it is not there; its Python.

    Raises:
        CheckError: It cannot be made.
    """
    folder = HOME / name
    python, made = folder / "bin" / "python", folder / "made"
    wanted = json.dumps([version, *packages])
    if not made.exists() or made.read_text() != wanted:
        subprocess.run([interpreter(version), "-m", "venv", "--clear", str(folder)], check=True)
        if any(package.startswith("torch") for package in packages):
            torch(python)
        pip(python, "install", *packages)
        made.write_text(wanted)
    return python


def torch(python: Path) -> None:
    """PyTorch first, and its CPU build where there is no NVIDIA GPU, as in the Makefile: else pip brings CUDA.

    Raises:
        CheckError: It cannot be installed.
    """
    if sys.platform != "linux" or shutil.which("nvidia-smi"):
        return
    try:
        pip(python, "install", f"torch=={TORCH}+cpu")
    except CheckError:
        pip(python, "install", f"torch=={TORCH}+cpu", "--extra-index-url", CPU_INDEX)


def wheel(folder: Path) -> Path:
    """Turnwise as it is in the checkout, as a wheel made of a copy, so that neither the checkout nor it is soiled.

    Raises:
        CheckError: It cannot be built.
    """
    copy = folder / "source"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
    pip(Path(sys.executable), "wheel", "--no-deps", str(copy), "--wheel-dir", str(folder / "wheel"))
    return next((folder / "wheel").glob("*.whl"))


def install(python: Path, built: Path, extras: str = "") -> None:
    """Install the wheel: its dependencies if they are missing, itself in any case.

    Raises:
        CheckError: It cannot be installed.
    """
    pip(python, "install", f"turnwise{extras} @ {built.as_uri()}")
    pip(python, "install", "--no-deps", "--force-reinstall", str(built))


def versions(python: Path, packages: Sequence[str]) -> str:
    """What is installed of these packages."""
    names = [re.split(r"[<>=!~\[; ]", package)[0] for package in packages]
    code = "import importlib.metadata as m, sys; print(*(f'{n} {m.version(n)}' for n in sys.argv[1:]), sep=', ')"
    done = subprocess.run([str(python), "-c", code, *names], capture_output=True, text=True)
    return done.stdout.strip()


@contextmanager
def server(python: Path, folder: Path) -> Iterator[str]:
    """``turnwise serve`` as its own process; its address.

    Raises:
        CheckError: It did not start.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    words = [str(python), "-m", "turnwise", "serve", *SERVED, "--port", str(port), "--max-sessions", "300"]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + MOST_S
            while True:
                try:
                    urllib.request.urlopen(f"{url}/health", timeout=60)
                    break
                except OSError:
                    if process.poll() is not None:
                        raise CheckError(f"turnwise serve ended with status {process.returncode}") from None
                    if time.monotonic() > deadline:
                        raise CheckError("turnwise serve does not answer") from None
                    time.sleep(0.1)
            yield url
        finally:
            process.terminate()


def run(words: list[str], folder: Path) -> tuple[bool, str]:
    """Run a script: whether it holds, and what it said."""
    folder.mkdir()
    with subprocess.Popen(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(timeout=MOST_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # and what it has started
            process.communicate()
            return False, f"it took longer than {MOST_S} s"
    lines = [line for line in out.splitlines() if line.strip()]
    held = [line.removeprefix("ok ").replace("_", " ") for line in lines if line.startswith("ok ")]
    if process.returncode == 0:
        return bool(held), "; ".join(held) or "it said nothing that holds"
    last = [line for line in [*lines, *err.splitlines()] if re.search(r"\w", line)]  # no frame of a box
    return False, (last or [f"status {process.returncode}"])[-1]


def check(target: Target, url: str, built: Path, folder: Path) -> Row:
    """Run a check."""
    try:
        python = venv(target.venv, target.packages, target.python)
        if target.ours:
            install(python, built)
        found, start = versions(python, target.packages), time.monotonic()
        held, said = run([str(python), str(HERE / f"check_{target.name}.py"), url], folder / target.name)
        return Row(target, "ok" if held else "FAILED", found, said, time.monotonic() - start)
    except NoPython as error:
        return Row(target, "left out", said=str(error))
    except (CheckError, subprocess.CalledProcessError) as error:
        return Row(target, "FAILED", said=str(error))


def main(arguments: Sequence[str]) -> int:
    """Check the targets of these names, or all; the exit status says whether every one holds."""
    known = targets()
    parser = argparse.ArgumentParser(description="Play our environments with the clients of other frameworks.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--light", action="store_true", help="those with few and small packages only")
    given = parser.parse_args(arguments)
    if unknown := set(given.names) - known.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    chosen = [t for t in known.values() if (t.name in given.names or not given.names) and (t.light or not given.light)]
    HOME.mkdir(parents=True, exist_ok=True)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            built = wheel(folder)
            ours = venv("turnwise", SERVER)
            install(ours, built, "[serve]")
            with server(ours, folder) as url:
                for target in chosen:
                    rows.append(check(target, url, built, folder))
                    print(rows[-1].line(), flush=True)
        except CheckError as error:
            print(f"FAILED   {error}")
            return 1
    counts = {status: sum(row.status == status for row in rows) for status in ("ok", "FAILED", "left out")}
    print(f"\n{', '.join(f'{count} {status}' for status, count in counts.items() if count)}")
    return 1 if counts["FAILED"] or not counts["ok"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
