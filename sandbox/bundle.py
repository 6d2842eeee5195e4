"""The files of the sandbox as a small tree of their own, for machines and containers that have no turnwise."""

from pathlib import Path

from turnwise.core import errors

__all__ = ["files", "write"]

_HERE = Path(__file__).parent


def files() -> dict[str, bytes]:
    """Relative paths and contents. With their directory on the path, ``turnwise.sandbox`` can be imported.

    Nothing else of turnwise is in it: a sandbox that serves others needs no generator and no reference.

    >>> sorted(files())[:2]
    ['turnwise/__init__.py', 'turnwise/core/__init__.py']
    """
    tree = {f"turnwise/sandbox/{path.name}": path.read_bytes() for path in sorted(_HERE.glob("*.py"))}
    tree |= {f"turnwise/{name}__init__.py": b"" for name in ("", "core/")}
    tree["turnwise/core/errors.py"] = Path(errors.__file__).read_bytes()
    return tree


def write(folder: Path) -> None:
    """Writes the files, readable by everyone."""
    for name, contents in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
        path.chmod(0o644)
    for path in (folder, *folder.rglob("*/")):
        path.chmod(0o755)
