"""How deep the requests of DeepResearch are: reports from the prompt, of the profile alone, of everything listed."""

import re
from collections.abc import Callable, Generator, Mapping
from typing import Any

from turnwise.core.agent import Agent
from turnwise.envs.search._depth.players import Policy, Reader, Scripted, names_in, task_text
from turnwise.envs.search._depth.reading import found, listed, parsed
from turnwise.worlds.documents.phrases import PHRASES
from turnwise.worlds.documents.schema import relation_named

__all__ = ["SHORTCUTS", "SKILLS", "extent", "task_text"]

_Lines = Generator[str, str, list[str]]


def _from_prompt(prompt: str) -> Generator[str, str, str]:
    """Fill in every point with the name in the request, citing its page."""
    yield from ()
    name = (names_in(task_text(prompt)) or ["x"])[0]
    return "\n".join(f"{number}: {name} [{name}]" for number in (1, 2, 3))


def _empty(prompt: str) -> Generator[str, str, str]:
    """Give the headings only."""
    yield from ()
    return "\n".join(f"## {number}" for number in (1, 2, 3))


def _first_page(prompt: str) -> Generator[str, str, str]:
    """Copy the lines of the first page found, each citing it."""
    name = (names_in(task_text(prompt)) or ["x"])[0]
    reader = Reader(prompt, 9, 4, True)
    docs = yield from reader.look(name)
    rows = [line for line in docs[0].text.splitlines() if ": " in line] if docs else []
    return "\n".join(f"{row} [{docs[0].title}]" for row in rows[:20]) or "nothing: nothing [nothing]"


class _Researcher(Reader):
    """Reads the points of a request by their phrases.

    Args:
        prompt: The first message.
        lists: Whether it also looks up the members of sets.
        conflicts: Whether it names the documents that say otherwise.
    """

    def __init__(self, prompt: str, lists: bool, conflicts: bool) -> None:
        super().__init__(prompt, 9, 4, True)
        self.lists, self.conflicts = lists, conflicts

    def report(self) -> Generator[str, str, str]:
        """Write the report."""
        lines: list[str] = []
        question = task_text(self.prompt)
        for number, row in re.findall(r"(?m)^(\d+)\. (.+)$", question):
            profile = re.match(r"Profile of (.+?): (.+)\.$", row)
            section = re.match(r"(.+), with (.+) of each\.$", row)
            if profile is not None or section is not None:
                lines.append(f"## {number}")
            if profile is not None:
                lines += yield from self.profile(profile[1], re.sub(r"(\([a-z]\)) ", r"\1 the ", profile[2]))
            elif section is not None:
                lines += (yield from self.section(section[1], section[2])) if self.lists else []
            else:
                lines += yield from self.point(number, row.partition(" (all of them")[0])
        return "\n".join(lines)

    def point(self, number: str, words: str) -> _Lines:
        """State what a phrase means: one value, or all members of a set."""
        for relation, key, slots in parsed(words, ("noun", "plural", "plural_objects")):
            whose = yield from self.noun(slots["x"], "")
            if not whose:
                continue
            inverse = key == "plural"
            if key == "noun":
                values = (yield from self.fact(relation, whose[0]))[:1]
            elif inverse:
                values = yield from self.members(relation, whose[0])
            else:
                yield from self.fact(relation, whose[0])
                values = found(self.docs, relation, whose[0]) + [
                    row for row in listed(self.docs, relation, whose[0]) if relation_named(relation).shape != "terms"
                ]
            lines, own = list[str](), sorted(self.docs, key=lambda doc: doc.title != whose[0])
            for value in dict.fromkeys(values):
                stating = (d.title for d in own if value in found([d], relation, whose[0], inverse))
                listing = (d.title for d in self.docs if value in listed([d], relation, whose[0]))
                lines.append(f"{number}: {value} [{next(stating, next(listing, whose[0]))}]")
            if lines:
                return lines
        return []

    def profile(self, name: str, points: str) -> _Lines:
        """State the facts of one entity."""
        lines = []
        for letter, words in re.findall(r"\((\w)\) ([^;]+)", points):
            for relation in _meant(words):
                line = yield from self.claim(relation, name.removeprefix("the "), letter)
                if line:
                    lines.append(line)
                    break
        return lines

    def section(self, title: str, words: str) -> _Lines:
        """State a fact of each member of a set."""
        title = title[0].lower() + title[1:]
        for relation, phrase in PHRASES.items():
            for shape in (*phrase.plural, *phrase.plural_objects):
                head, _, tail = shape.partition("{}")
                if title.startswith(head) and title.endswith(tail) and head:
                    name = title[len(head) : len(title) - len(tail)].removeprefix("the ")
                    members = yield from self.members(relation, name)
                    lines = []
                    for member in dict.fromkeys(members):
                        for detail in _meant(words):
                            line = yield from self.claim(detail, member, member)
                            if line:
                                lines.append(line)
                                break
                    if lines:
                        return lines
        return []

    def claim(self, relation: str, entity: str, label: str) -> Generator[str, str, str]:
        """State one fact with the document that states it, and those that say otherwise."""
        values = yield from self.fact(relation, entity)
        if not values:
            return ""
        value, against, source = values[0], dict[str, None](), ""
        for doc in self.docs:
            said = found([doc], relation, entity)
            source = source or (doc.title if value in said else "")
            stated = found([doc._replace(title=entity)], relation, entity) if doc.subject == entity else []
            if relation_named(relation).mutable and not said and stated and value not in stated:
                against[doc.title] = None
        denied = f" contradicted by [{'; '.join(against)}]" if against and self.conflicts else ""
        return f"{label}: {value} [{source or entity}]{denied}"


def _meant(words: str) -> list[str]:
    """Return the relations that a point of a profile may mean."""
    plain = {
        name: (*phrase.item, *(noun.removesuffix(" of {}") for noun in phrase.noun)) for name, phrase in PHRASES.items()
    }
    return [name for name, nouns in plain.items() if words in nouns]


def _maker(policy: Policy, name: str) -> Callable[[], Agent]:
    return lambda: Scripted(policy, name)


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "from the prompt": _maker(_from_prompt, "from the prompt"),
    "headings only": _maker(_empty, "headings only"),
    "first page": _maker(_first_page, "first page"),
}
SKILLS: Mapping[str, Callable[[], Agent]] = {
    "profile only": _maker(lambda prompt: _Researcher(prompt, False, False).report(), "profile only"),
    "without conflicts": _maker(lambda prompt: _Researcher(prompt, True, False).report(), "without conflicts"),
    "systematic": _maker(lambda prompt: _Researcher(prompt, True, True).report(), "systematic"),
}


def extent(env: Any) -> tuple[int, int]:
    """Return the messages of the oracle's plan, and the claims with the documents against them."""
    task = env.unwrapped.task
    points = [point for section in task.sections for point in section.points]
    return 1 + len(task.question.steps), len(task.claims) + sum(len(point.against) for point in points)
