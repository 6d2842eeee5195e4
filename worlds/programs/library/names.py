"""New names for the files, functions and variables of a library program, so that none can be memorised."""

import re
from collections import Counter
from collections.abc import Mapping

from turnwise.core.draw import Draw
from turnwise.worlds.programs.library.programs import Program

__all__ = ["Names"]

_WORD = re.compile(r"[A-Za-z_]+")
_NAME = re.compile(r"\b([A-Za-z_]+)\.[A-Za-z_]+\b|\b[A-Za-z_]+\b")


class Names:
    """The new names in a program.

    Args:
        program: The program.
        draw: Chooses the names; None keeps all names.
    """

    def __init__(self, program: Program, draw: Draw | None) -> None:
        self._own: dict[str, dict[str, str]] = {}
        self._uses = {file: {other.name for other in part.beside} for file, part in program.parts.items()}
        for file, part in program.parts.items():
            chosen: dict[str, str] = {}
            for name, others in part.names.items():
                pick = 0 if draw is None else draw.below(len(others) + 1)
                chosen[name] = others[pick - 1] if pick else name
            self._own[file] = chosen

    @classmethod
    def seen(cls, program: Program, shown: Mapping[str, tuple[str, str]]) -> "Names":
        """Return the names that renamed files have: of the replacements of each name, the one that is most in the file.

        Args:
            program: The program.
            shown: By the program's names of the files, the path and the text of each, which may have faults.
        """
        found = cls(program, None)
        for file, part in program.parts.items():
            path, text = shown[file]
            used = Counter(_WORD.findall("".join(text.split('"""')[::2])))
            for name, others in part.names.items():
                found._own[file][name] = max((name, *others), key=lambda one: (f"def {one}(" in text, used[one]))
            found._own[file][file] = path.removesuffix(".py")
        return found

    def file(self, name: str) -> str:
        """Return the new name of a file, without ``.py``."""
        return self._own[name].get(name, name)

    def function(self, name: str) -> str:
        """Return the new name of "file.function"."""
        file, _, function = name.partition(".")
        return f"{self.file(file)}.{self._own[file].get(function, function)}"

    def text(self, file: str, source: str) -> str:
        """Rename everything in a file's text, which may have faults; docstrings stay."""
        parts = source.split('"""')
        parts[::2] = [_NAME.sub(lambda match: self._renamed(file, match), part) for part in parts[::2]]
        return '"""'.join(parts)

    def _renamed(self, file: str, match: re.Match[str]) -> str:
        """Return a new name, or those of another file and its function."""
        if match[1] in self._uses[file]:
            return self.function(match[0])
        if match[0] in self._uses[file]:
            return self.file(match[0])
        return ".".join(self._own[file].get(name, name) for name in match[0].split("."))

    def files(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Turn texts by name into renamed texts by path."""
        return {f"{self.file(name)}.py": self.text(name, source) for name, source in texts.items()}
