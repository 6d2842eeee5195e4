"""Other names for the files, functions and variables of a program of the library, so that none is known by heart."""

import re
from collections.abc import Mapping

from turnwise.worlds.programs.faults.mutations import Draw
from turnwise.worlds.programs.library.programs import Program

__all__ = ["Names"]


class Names:
    """What things of a program are called instead.

    Args:
        program: Whose.
        draw: Chooses; None leaves all names as they are.
    """

    def __init__(self, program: Program, draw: Draw | None) -> None:
        self._own: dict[str, dict[str, str]] = {}
        for file, part in program.parts.items():
            chosen: dict[str, str] = {}
            for name, others in part.names.items():
                pick = 0 if draw is None else int(draw() * (len(others) + 1))
                chosen[name] = others[pick - 1] if pick else name
            self._own[file] = chosen

    def file(self, name: str) -> str:
        """What a file is called, without ``.py``."""
        return self._own[name].get(name, name)

    def function(self, name: str) -> str:
        """What "file.function" is called."""
        file, _, function = name.partition(".")
        return f"{self.file(file)}.{self._own[file].get(function, function)}"

    def text(self, file: str, source: str) -> str:
        """A file's text, as it is or with faults, with the other names in it; docstrings of units stay."""
        own = self._own[file]
        if not own:
            return self._glue(source)
        parts = source.split('"""')
        parts[::2] = [_substituted(own, part) for part in parts[::2]]
        return '"""'.join(parts)

    def files(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Texts by name become texts by path."""
        return {f"{self.file(name)}.py": self.text(name, source) for name, source in texts.items()}

    def _glue(self, source: str) -> str:
        """The file that imports the others speaks of "file.function" everywhere."""
        found = re.sub(
            r"\b([a-z_]+)\.([a-z_]+)\b", lambda m: self.function(m[0]) if m[1] in self._own else m[0], source
        )
        return re.sub(r"^import ([a-z_]+)$", lambda m: f"import {self.file(m[1])}", found, flags=re.MULTILINE)


def _substituted(names: Mapping[str, str], code: str) -> str:
    return re.sub(r"\b[A-Za-z_]+\b", lambda match: names.get(match[0], match[0]), code)
