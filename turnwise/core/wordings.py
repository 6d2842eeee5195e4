"""What an environment class declares beside its settings: levels, chance rates, cheats, tasks, and wordings.

A wording puts a prompt in other words: a frame, which every environment has, or one of its own. A frame is put around
the first observation, which stays in it whole, so that no fact can be lost. A class may declare further wordings
(``own_wordings``) and write them (`Env.reworded`); `facts` says what of a prompt they must keep, and one test holds
every environment to it.
"""

import re
import typing
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.core.settings import check, fits, named_settings

__all__ = [
    "ALL", "FRAMES", "PLAIN", "check_declarations", "check_wording", "facts", "framed", "task_type", "worded",
    "wordings_of",
]  # fmt: skip

PLAIN = "plain"
"""The prompt as the environment writes it."""
ALL = "all"
"""Every wording that an environment has."""
FRAMES = {
    "request": "Please help me with the following.\n\n{prompt}",
    "exam": "You are taking a test. It has one task; read all of it before you answer.\n\n{prompt}",
    "tagged": "Solve the task between the tags.\n\n<task>\n{prompt}\n</task>",
    "heading": "# Task\n\n{prompt}\n\n# Your turn",
    "casual": "hey, can you do this one for me? here it is:\n\n{prompt}\n\nthanks!",
}
"""The frames by name, with the place of the prompt. They say nothing about the task or the form of an answer."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_TAG = re.compile(r"</?[A-Za-z_][\w-]*>")
_QUOTED = re.compile(r'"[^"\n]{1,80}"|`[^`\n]{1,80}`')
_LETTERS = re.compile(r"[a-z]{2,}", re.IGNORECASE)
_SENTENCE_START = re.compile(r"(?:^|[.:;!?]\s+|\n\s*)([A-Z]\w*)")
_NAME = re.compile(r"\b[A-Z]\w*")


def wordings_of(cls: Any) -> tuple[str, ...]:
    """The names of an environment's wordings, without `PLAIN`."""
    return (*FRAMES, *cls.own_wordings)


def check_wording(cls: Any, wording: str | None) -> None:
    """Raise `SettingsError` for a wording that an environment does not have."""
    if wording is not None and wording not in (known := wordings_of(cls)):
        hint = did_you_mean(wording, known) or f"; {cls.__name__} has {', '.join(known)}"
        raise SettingsError(f"wording is {wording!r}{hint}")


def worded(env: Any, wording: str, prompt: str) -> str:
    """The first observation of an environment's episode in a wording."""
    return framed(wording, prompt) if wording in FRAMES else str(env.reworded(wording))


def framed(wording: str, prompt: str) -> str:
    """Put a frame around a prompt."""
    return FRAMES[wording].replace("{prompt}", prompt)


def facts(prompt: str) -> Counter[str]:
    r"""What another wording of a prompt must not lose, with how often it occurs.

    Numbers, tags, quotations and code, capitalised names that do not begin a sentence, and whole lines that are no
    sentence: rows of grids and tables, formulas, code.

    >>> sorted(facts('Make 24 from 3 and 8. Ann says "no".\n#.@\nAnswer in <answer> tags.'))
    ['"no"', '#.@', '24', '3', '8', '<answer>']
    """
    found: Counter[str] = Counter()
    for pattern in (_NUMBER, _TAG, _QUOTED):
        found.update(pattern.findall(prompt))
    begins = {match.start(1) for match in _SENTENCE_START.finditer(prompt)}
    found.update(match[0] for match in _NAME.finditer(prompt) if match.start() not in begins and len(match[0]) > 1)
    found.update(line for line in map(str.strip, prompt.splitlines()) if line and not _LETTERS.search(line))
    return found


# ---- declarations ----------------------------------------------------------------------------------------------------


def check_declarations(cls: Any) -> None:
    """Raise `SettingsError` for what a class declares and could not be enforced."""
    settings = named_settings(cls)
    for name, setting in settings.items():
        check(name, getattr(cls, name), setting)
    if not _is_list(cls.levels):
        raise SettingsError(f'levels is {cls.levels!r}; it must be a tuple of mappings such as {{"size": 4}}')
    for number, row in enumerate(cls.levels, 1):
        if not isinstance(row, Mapping):
            raise SettingsError(f'level {number} is {row!r}; levels are mappings such as {{"size": 4}}')
        for name, value in row.items():
            if name not in settings or name == "difficulty":
                raise SettingsError(f"level {number} has {name!r}, which is not a setting of a level")
            check(f"level {number}: {name}", value, settings[name])
    rates = cls.chance
    if not _is_list(rates) or len(rates) not in (0, len(cls.levels)):
        raise SettingsError(f"chance is {rates!r}; it must have one rate for each of the {len(cls.levels)} levels")
    if rates and "levels" in vars(cls) and "chance" not in vars(cls):
        raise SettingsError(
            "levels are declared again and chance is inherited; declare chance too, () if it was not measured"
        )
    if bad := [rate for rate in rates if not (fits(rate, float) and 0 <= rate <= 1)]:
        raise SettingsError(f"chance has {bad[0]!r}; it must be from 0 to 1")
    if not _is_list(cls.cheats) or not all(isinstance(cheat, str) or callable(cheat) for cheat in cls.cheats):
        raise SettingsError("cheats must be a tuple of texts and functions of the environment")
    names = cls.own_wordings
    if not _is_list(names) or not all(isinstance(name, str) for name in names):
        raise SettingsError(f"own_wordings is {names!r}; it must be a tuple of names")
    if taken := {PLAIN, ALL, *FRAMES} & set(names):
        raise SettingsError(f"own_wordings has {sorted(taken)[0]!r}, which every environment has")


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def task_type(cls: Any) -> Any:
    """What an environment's tasks are, by its bases: ``Task`` of ``Env[Task]``."""
    for base in cls.__mro__:
        for written in getattr(base, "__orig_bases__", ()):
            origin, parts = typing.get_origin(written), typing.get_args(written)
            if isinstance(origin, type) and hasattr(origin, "generate") and not isinstance(parts[0], TypeVar):
                return parts[0]
    return Any
