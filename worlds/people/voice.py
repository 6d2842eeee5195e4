"""A person's voice: picks a wording by manner, and never says the same sentence twice in a row."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from turnwise.core.draw import Streams

__all__ = ["ANY", "LINES", "Voice"]

ANY: Final = "any"  # the manner that is used where a manner has no lines of its own
_BEGINS: Final = re.compile(r"(?:an?|the|my|our|in|on|at|to|for|by|from|with|it|it's|about)\b|[a-z]+[ ,.!?][^@]*$")
_BEGINNINGS: Final = ("Again, ", "Well, ", "As I said, ", "Once more: ", "So, ", "Hm, ")


def _read() -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    text = (Path(__file__).parent / "data" / "lines.txt").read_text("utf-8")
    for block in text.split("\n\n"):
        head, *lines = block.strip().split("\n")
        if head.startswith("["):
            occasion, manner = head.strip("[]").split(" / ")
            found.setdefault(occasion, {})[manner] = tuple(lines)
    return found


LINES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = _read()
"""What people say, by occasion and manner, from ``data/lines.txt``."""


class Voice:
    """Words for what a person has to say.

    Attributes:
        last: What they said last.
    """

    __slots__ = ("_count", "_manner", "_streams", "last")

    def __init__(self, manner: str, streams: Streams) -> None:
        self._manner = manner
        self._streams = streams
        self._count = 0
        self.last = ""

    def fork(self) -> "Voice":
        """An independent copy with the same future."""
        twin = Voice(self._manner, self._streams)
        twin._count, twin.last = self._count, self.last
        return twin

    def below(self, count: int) -> int:
        """The next whole number below ``count``."""
        self._count += 1
        return self._streams.one("voice", self._count) % count

    def say(self, occasion: str, **fields: str) -> str:
        """A sentence for an occasion, other than those just said."""
        by_manner = LINES[occasion]
        lines = by_manner.get(self._manner) or by_manner[ANY]
        first = self.below(len(lines))
        for turn in range(len(lines)):
            line = _filled(lines[(first + turn) % len(lines)], fields)
            if line not in self.last:
                return line
        return self._begun(line)

    def give(self, worded: Sequence[tuple[str, str]]) -> str:
        """Values, each with what it is."""
        sentences = [_sentence(value) for _, value in worded if _is_sentence(value)]
        pairs = [(what, value) for what, value in worded if not _is_sentence(value)]
        said = []
        if len(pairs) == 1:
            said.append(self.say("give", what=pairs[0][0], value=pairs[0][1]))
        elif pairs:
            said.append(self.say("give all", list=_listed([_is(what, value) for what, value in pairs])))
        if said and sentences and said[0][-1] not in ".!?":
            said[0] += "."
        for sentence in sentences:
            said.append(sentence if sentence not in self.last else self._begun(sentence))
        return " ".join(said)

    def state(self, worded: Sequence[tuple[str, str]]) -> str:
        """Values that nobody asked for, each with what it is."""
        sentences = [_sentence(value if _is_sentence(value) else _is(what, value)) for what, value in worded]
        return " ".join(sentence if sentence not in self.last else self._begun(sentence) for sentence in sentences)

    def speak(self, said: Sequence[str]) -> str:
        """Join the sentences of a message, different from the last one."""
        text = " ".join(part for part in said if part)
        if _BEGINS.match(text):
            text = text[0].upper() + text[1:]
        if text == self.last:
            text = self._begun(text)
        self.last = text
        return text

    def _begun(self, line: str) -> str:
        """A sentence that was just said, begun in another way."""
        first = self.below(len(_BEGINNINGS))
        lowered = line if line[:2] in ("I ", "I'") or line[:2].isupper() else line[:1].lower() + line[1:]
        for turn in range(len(_BEGINNINGS)):
            begun = _BEGINNINGS[(first + turn) % len(_BEGINNINGS)] + lowered
            if begun not in self.last:
                return begun
        return line


def _filled(line: str, fields: dict[str, str]) -> str:
    for name, value in fields.items():
        line = line.replace("{" + name + "}", value).replace(
            "{" + name.capitalize() + "}", value[:1].upper() + value[1:]
        )
    return line


def _is(what: str, value: str) -> str:
    return f"{what} {'are' if what.endswith('digits') else 'is'} {value}"


def _is_sentence(value: str) -> bool:
    words = value.split()
    return len(words) >= 4 and words[0].lower() in (
        "i",
        "i'd",
        "i'm",
        "i've",
        "it",
        "it's",
        "the",
        "my",
        "because",
        "we",
        "they",
        "there",
        "that",
        "not",
    )


def _sentence(value: str) -> str:
    text = value[:1].upper() + value[1:]
    return text if text[-1] in ".!?" else text + "."


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
