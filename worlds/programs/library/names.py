"""New names for the files, functions and variables of a library program, so that none can be memorised."""

import re
from collections.abc import Mapping

from turnwise.core.draw import Draw
from turnwise.worlds.programs.library.programs import Program

__all__ = ["Names"]


class Names:
    """The new names in a program.

    Args:
        program: The program.
        draw: Chooses the names; None keeps all names.
    """

    def __init__(self, program: Program, draw: Draw | None) -> None:
        self._own: dict[str, dict[str, str]] = {}
        for file, part in program.parts.items():
            chosen: dict[str, str] = {}
            for name, others in part.names.items():
                pick = 0 if draw is None else draw.below(len(others) + 1)
                chosen[name] = others[pick - 1] if pick else name
            self._own[file] = chosen

    def file(self, name: str) -> str:
        """Return the new name of a file, without ``.py``."""
        return self._own[name].get(name, name)

    def function(self, name: str) -> str:
        """Return the new name of "file.function"."""
        file, _, function = name.partition(".")
        return f"{self.file(file)}.{self._own[file].get(function, function)}"

    def text(self, file: str, source: str) -> str:
        """Rename everything in a file's text, which may have faults; docstrings of units stay."""
        own = self._own[file]
        if not own:
            return self._glue(source)
        parts = source.split('"""')
        parts[::2] = [_substituted(own, part) for part in parts[::2]]
        return '"""'.join(parts)

    def files(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Turn texts by name into renamed texts by path."""
        return {f"{self.file(name)}.py": self.text(name, source) for name, source in texts.items()}

    def _glue(self, source: str) -> str:
        """Rename the file that imports the others, which writes "file.function" everywhere."""
        found = re.sub(
            r"\b([a-z_]+)\.([a-z_]+)\b", lambda m: self.function(m[0]) if m[1] in self._own else m[0], source
        )
        return re.sub(r"^import ([a-z_]+)$", lambda m: f"import {self.file(m[1])}", found, flags=re.MULTILINE)


def _substituted(names: Mapping[str, str], code: str) -> str:
    return re.sub(r"\b[A-Za-z_]+\b", lambda match: names.get(match[0], match[0]), code)
