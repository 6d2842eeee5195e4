"""KnightsKnaves: find out who tells the truth from what each person says.

Source: Raymond Smullyan, "What Is the Name of This Book?" (1978), chapter 3; generated with a unique solution as in
"On Memorization of Large Language Models in Logical Reasoning" (arXiv 2410.23123).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.verifiers.extract import final_answer

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ivo", "Jun")
MAX_ANSWER_CHARS = 2000
Statement = tuple[Any, ...]
_SEPARATORS = re.compile(r"(?:[\s,;:.=|*_#$\"'()\[\]{}`>–—→-]|[0-9]+[.)]|\\(?:text|textbf|mathrm|quad|[\\, ;]))+")
_FILLERS = frozenset(("is", "are", "a", "an", "the", "and", "both", "all", "so"))
_ROLES = {"knight": 1, "knights": 1, "knave": 0, "knaves": 0}


@dataclass(frozen=True)
class Task:
    """What each person says, and everybody's role.

    Attributes:
        statements: One per person, nested tuples: ``("knight", i)``, ``("knave", i)``, ``("same", i, j)``,
            ``("different", i, j)``, ``("exactly" | "at least" | "at most", k)`` of all people are knights,
            ``("and" | "or" | "iff", s, t)``, ``("if", s, t)``, ``("not", s)``.
        roles: 1 for a knight, 0 for a knave.
    """

    statements: tuple[Statement, ...]
    roles: tuple[int, ...] = field(compare=False)


@register("KnightsKnaves-v0")
class KnightsKnaves(Env[Task]):
    """Tell knights from knaves; reward 1 for everybody's role, checked against every statement.

    Chance: 2 ** -num_people, so levels start at five people; with two, a guess is right one time in four.
    """

    num_people: Annotated[int, Range(2, 10)] = 5
    """Number of people; each makes one statement."""
    depth: Annotated[int, Range(0, 3)] = 1
    """Nesting depth of statements: 0 is about one or two people or a count, 1 joins two of these, and so on."""
    counts: bool = True
    """Whether statements may count knights."""

    levels = tuple(
        {"num_people": n, "depth": d, "counts": c}
        for n, d, c in [
            (5, 0, False), (5, 0, True), (5, 1, True), (6, 1, True), (7, 1, True),
            (7, 2, True), (8, 2, True), (9, 2, True), (10, 2, True), (10, 3, True),
        ]
    )  # fmt: skip
    own_wordings = ("reworded", "terse")
    chance = (0.031, 0.031, 0.031, 0.016, 0.008, 0.008, 0.004, 0.002, 0.001, 0.001)
    chance_default = 0.028
    cheats = (
        lambda env: f"<answer>{', '.join(f'{n}: knight/knave' for n in env.names)}</answer>",
        lambda env: f"<answer>{env.oracle()[8:-9]}, {env.names[0]}: knight, {env.names[0]}: knave</answer>",
        lambda env: f"<answer>{env.oracle()[8:-9].rpartition(',')[0]}</answer>",
        lambda env: f"<answer>{env.oracle()[8:-9].replace('knight', 'X').replace('knave', 'knight')}</answer>",
        lambda env: f"<answer>{', '.join(f'{n} is not a knight' for n in env.names)}</answer>",
        "<answer>everybody is what they are</answer>",
        "<answer>knights: none; knaves: none</answer>",
    )

    # ---- generation -----------------------------------------------------------------------------------------------

    def generate(self, rng: np.random.Generator) -> Task:
        n = self.num_people
        everything = (1 << 2**n) - 1
        draw = Draw.ahead(rng, 256)
        for _ in range(2000):
            truth = draw.below(2**n)
            models, statements = everything, []
            for person in range(n):
                for _ in range(3):
                    statement, table = self._statement(draw, person, self.depth)
                    if (table >> truth & 1) == (truth >> person & 1):
                        break
                else:  # the speaker would say only the contrary
                    statement, table = _negated(statement), everything ^ table
                statements.append(statement)
                models &= everything ^ table ^ knights(n)[person]  # a knight's statement is true, a knave's false
            if models == 1 << truth:
                return Task(tuple(statements), tuple(truth >> i & 1 for i in range(n)))
        raise SettingsError(f"no puzzle for num_people={n}, depth={self.depth} was found; raise one of them")

    def _statement(self, draw: Draw, speaker: int, depth: int) -> tuple[Statement, int]:
        """A random statement and its truth table: bit m tells whether it holds where m's bits are the roles."""
        if not depth or (depth < self.depth and draw.unit() < 0.4):
            return self._simple(draw, speaker)
        everything = (1 << 2**self.num_people) - 1
        for _ in range(10):
            (s, one), (t, two) = self._statement(draw, speaker, depth - 1), self._statement(draw, speaker, depth - 1)
            word = ("and", "or", "if", "iff")[draw.below(4)]
            if word != "if" and repr(t) < repr(s):
                s, t = t, s  # one order, so that the same statement is the same tuple
            if word == "if":
                table = everything ^ one | two
            else:
                table = one & two if word == "and" else one | two if word == "or" else everything ^ one ^ two
            if table not in (0, everything, one, two):  # it is neither trivial nor equivalent to a part of it
                return (word, s, t), table
        return s, one

    def _simple(self, draw: Draw, speaker: int) -> tuple[Statement, int]:
        n, kind = self.num_people, draw.unit()
        tables, everything = knights(n), (1 << 2**n) - 1
        if self.counts and kind < 0.15:
            word, k = ("exactly", "at least", "at most")[draw.below(3)], 1 + draw.below(n - 1)
            return (word, k), _counting(n)[word, k]
        other = draw.below(n - 1)
        other += other >= speaker
        if kind < 0.4:
            third = draw.below(n - 1)
            third += third >= other
            i, j = min(other, third), max(other, third)
            differ = tables[i] ^ tables[j]
            return (("same", i, j), everything ^ differ) if draw.unit() < 0.5 else (("different", i, j), differ)
        return (
            (("knight", other), tables[other]) if draw.unit() < 0.5 else (("knave", other), everything ^ tables[other])
        )

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        self.names = NAMES[: len(self.task.statements)]
        said = self._said()
        return "\n".join(
            [
                "Each person is a knight, whose statements are all true, or a knave, whose statements are all false.",
                *said,
                "Who is a knight and who is a knave? Answer in the form <answer>"
                f"{', '.join(f'{name}: ...' for name in self.names)}</answer>, with knight or knave after each name.",
            ]
        )

    def reworded(self, wording: str) -> str:
        form = f"<answer>{', '.join(f'{name}: ...' for name in self.names)}</answer>"
        if wording == "terse":
            head, tail = "Knights only make true statements, knaves only false ones.", f"Who is what? {form}"
            return "\n".join([head, *self._said(), f"{tail}, with knight or knave after each name."])
        head = (
            "Everyone here is one of two kinds. Whatever a knight says is true; whatever a knave says is false. This "
            "is what they say:"
        )
        tail = f"Find out of which kind each of them is. Write knight or knave after each name, in the form {form}."
        return "\n".join([head, *self._said(), tail])

    def _said(self) -> list[str]:
        return [f"{name}: {_english(s, name)}." for name, s in zip(self.names, self.task.statements, strict=True)]

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        if text is None:
            return Reply(problem.capitalize() + ".", invalid=True)
        roles = parse_roles(text, self.names)
        if isinstance(roles, str):
            return Reply(roles, invalid=True)
        for i, statement in enumerate(self.task.statements):
            if holds(statement, roles) != roles[i]:
                said = (
                    "a knight, would be saying something false"
                    if roles[i]
                    else "a knave, would be saying something true"
                )
                return Reply(f"Wrong: {self.names[i]}, {said}.")
        return Reply("Correct.", solved=True)

    def oracle(self) -> str:
        return f"<answer>{self._listing(': ', ', ')}</answer>"

    def _listing(self, colon: str, comma: str) -> str:
        words = zip(self.names, self.task.roles, strict=True)
        return comma.join(f"{name}{colon}{'knight' if role else 'knave'}" for name, role in words)

    def paraphrases(self) -> Sequence[str]:
        groups = [[n for n, r in zip(self.names, self.task.roles, strict=True) if r == role] for role in (1, 0)]
        up, down = (", ".join(group) or "none" for group in groups)
        return (
            f"<answer>{self._listing(' is a ', '. ')}.</answer>",
            f"<answer>\n{self._listing('=', chr(10)).upper()}\n</answer>",
            f"\\boxed{{{self._listing(' = ', '; ')}}}",
            f"<think>maybe</think><answer>Knaves: {down}; knights: {up}</answer>",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "one"

    def sample_action(self, rng: np.random.Generator) -> str:
        roles = ["knight" if u < 0.5 else "knave" for u in rng.random(len(self.names)).tolist()]
        return f"<answer>{', '.join(f'{n}: {r}' for n, r in zip(self.names, roles, strict=True))}</answer>"


def holds(statement: Statement, roles: Sequence[int]) -> bool:
    """Return whether a statement is true, with ``roles`` 1 for each knight and 0 for each knave."""
    word, first, *rest = statement
    number = sum(roles)
    match word:
        case "knight":
            return roles[first] == 1
        case "knave":
            return roles[first] == 0
        case "same":
            return roles[first] == roles[rest[0]]
        case "different":
            return roles[first] != roles[rest[0]]
        case "exactly":
            return bool(number == first)
        case "at least":
            return bool(number >= first)
        case "at most":
            return bool(number <= first)
        case "not":
            return not holds(first, roles)
    one, two = holds(first, roles), holds(rest[0], roles)
    if word == "and":
        return one and two
    return one or two if word == "or" else two or not one if word == "if" else one == two


def parse_roles(text: str, names: Sequence[str]) -> list[int] | str:
    """Read everybody's role (1 knight, 0 knave) in the order of ``names``, or return what is wrong with the text.

    Accepted are ``Ada: knight, Ben is a knave`` and ``Ada and Ben are knights`` and ``knights: Ada; knaves: Ben,
    Cleo``.
    """
    if len(text) > MAX_ANSWER_CHARS:
        return f"The answer is longer than {MAX_ANSWER_CHARS} characters."
    people = {name.lower(): i for i, name in enumerate(names)}
    words = [w for w in _SEPARATORS.sub(" ", text.lower()).split() if w not in _FILLERS]
    headed = bool(words) and words[0] in _ROLES  # the role comes before its people, not after
    found: dict[int, int] = {}
    waiting: list[int] = []
    role: int | None = None
    bare = False  # a leading role is still without people
    for word in words:
        pairs: list[tuple[int, int]] = []
        if word in people and headed and role is not None:
            pairs, bare = [(people[word], role)], False
        elif word in people and not headed:
            waiting.append(people[word])
        elif word in _ROLES and headed and not bare:
            role, bare = _ROLES[word], True
        elif word in _ROLES and waiting:
            pairs, waiting = [(person, _ROLES[word]) for person in waiting], []
        elif word == "none" and bare:
            role, bare = None, False
        else:
            return f"Cannot read {word[:30]!r}. Write each name with its role, for example {names[0]}: knight."
        for person, its in pairs:
            if found.setdefault(person, its) != its:
                return f"{names[person]} has two roles."
    if bare:
        return "A role is followed by no name. Write none if nobody has that role."
    missing = [name for i, name in enumerate(names) if i not in found or i in waiting]
    return f"The role of {missing[0]} is missing." if missing else [found[i] for i in range(len(names))]


def _negated(statement: Statement) -> Statement:
    word, first, *rest = statement
    match word:
        case "knight" | "knave":
            return ("knave" if word == "knight" else "knight", first)
        case "same" | "different":
            return ("different" if word == "same" else "same", first, *rest)
        case "at least":
            return ("at most", first - 1)
        case "at most":
            return ("at least", first + 1)
    return ("not", statement)


def _english(statement: Statement, speaker: str, inside: bool = False) -> str:
    word, first, *rest = statement
    if word in ("knight", "knave"):
        return f"{NAMES[first]} is a {word}"
    if word in ("same", "different"):
        one, two = sorted((NAMES[i] for i in (first, *rest)), key=lambda name: name == speaker)
        kind = "of the same kind" if word == "same" else "of different kinds"
        return f"{one} and {'I' if two == speaker else two} are {kind}"
    if word in ("exactly", "at least", "at most"):
        return f"{word} {first} of us {'is a knight' if first == 1 else 'are knights'}"
    if word == "not":
        text = f"it is not true that {_english(first, speaker, True)}"
    elif word == "if":
        text = f"if {_english(first, speaker, True)}, then {_english(rest[0], speaker, True)}"
    else:
        joint = " if and only if " if word == "iff" else f", {word} "
        text = joint.join(_english(part, speaker, True) for part in (first, *rest))
    return f"({text})" if inside else text


@cache
def knights(num_people: int) -> tuple[int, ...]:
    """Return for each person the truth table of being a knight: bit m is set if m has the person's bit."""
    models = range(2**num_people)
    return tuple(sum(1 << m for m in models if m >> person & 1) for person in range(num_people))


@cache
def _counting(num_people: int) -> dict[tuple[str, int], int]:
    """Return the truth tables of all statements that count knights."""
    sizes = [0] * (num_people + 1)
    for m in range(2**num_people):
        sizes[m.bit_count()] |= 1 << m
    found = {}
    for k in range(num_people + 1):
        found["exactly", k] = sizes[k]
        found["at least", k] = sum(sizes[k:])
        found["at most", k] = sum(sizes[: k + 1])
    return found
