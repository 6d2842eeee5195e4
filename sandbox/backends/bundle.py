"""The files of the sandbox as a small tree of their own, for machines and containers that have no turnwise."""

from pathlib import Path

from turnwise.core import errors, settings
from turnwise.core.http import address

__all__ = ["files", "write"]

_SANDBOX = Path(__file__).parents[1]
_LEFT_OUT = ("backends/remote.py",)  # the client of a served sandbox, which needs the HTTP client and its packages


def files() -> dict[str, bytes]:
    """Return the files by relative path; with their directory on the path, ``turnwise.sandbox`` can be imported.

    Nothing else of turnwise is in it: a sandbox that serves others needs no generator and no reference.

    >>> sorted(files())[:2]
    ['turnwise/__init__.py', 'turnwise/core/__init__.py']
    """
    own = {path.relative_to(_SANDBOX).as_posix(): path for path in sorted(_SANDBOX.rglob("*.py"))}
    tree = {f"turnwise/sandbox/{name}": path.read_bytes() for name, path in own.items() if name not in _LEFT_OUT}
    tree |= {f"turnwise/{name}__init__.py": b"" for name in ("", "core/", "core/http/")}
    for module in (errors, settings, address):
        tree[f"{module.__name__.replace('.', '/')}.py"] = Path(str(module.__file__)).read_bytes()
    return tree


def write(folder: Path) -> None:
    """Write the files into a folder, readable by everyone."""
    for name, contents in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
        path.chmod(0o644)
    for path in (folder, *folder.rglob("*/")):
        path.chmod(0o755)
