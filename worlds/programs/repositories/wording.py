"""Write issues as the users of a package do: with an example or a story, to the point or not, right or wrong."""

import re
from collections.abc import Callable, Sequence
from typing import Literal

from turnwise.core.draw import Draw
from turnwise.worlds.programs.repositories.history import Release
from turnwise.worlds.programs.repositories.parts import Case, Example
from turnwise.worlds.programs.repositories.phrases import (
    ASIDES,
    CLOSINGS,
    DESKS,
    DOUBTS,
    EXPECTED,
    FORMS,
    GENERAL_TITLES,
    GREETINGS,
    MACHINES,
    MIXED_TITLES,
    MORE,
    SECONDS,
    SINCE,
    TAGS,
    THANKS,
    TWO_TITLES,
    WARNINGS,
)

__all__ = ["Style", "issue_text"]

Style = Literal["plain", "noisy", "misleading"]
_TIED = re.compile(r"(?:(\d)> )?(.*)", re.DOTALL)
_IDENTIFIER = re.compile(r"[a-z]+_[a-z_]+|\.[a-z]+\(|\b[A-Z][a-z]+[A-Z]\w+|`")


class _Writer:
    """Somebody who reports something: habits are drawn once, so that a report is of one piece."""

    def __init__(self, draw: Draw, style: Style, package: str, found: Sequence[Release]) -> None:
        self.draw = draw
        self.style = style
        self.package = package
        self.version = found[0].version
        self.before = found[1].version if len(found) > 1 else found[0].version
        self.fenced = draw.chance(0.85)
        self.low = style != "plain" and draw.chance(0.15)  # writes without capitals
        self.form = draw.choice(FORMS)
        self.dated = False  # whether a version has been named
        self.tied: dict[str, int] = {}

    def fill(self, text: str) -> str:
        """Put the package and versions into a phrase."""
        text = text.replace("{package}", self.package).replace("{before}", self.before)
        text = text.replace("{ticket}", str(self.draw.integer(1200, 98999)))
        return text.replace("{version}", self.version)

    def pick(self, phrases: Sequence[str]) -> str:
        return self.fill(self.draw.choice(phrases))

    def code(self, text: str, language: str = "python") -> str:
        if self.fenced:
            return f"```{language}\n{text}\n```"
        return "\n".join(f"    {line}".rstrip() for line in text.split("\n"))

    def of(self, texts: Sequence[str]) -> str:
        """One of the texts; one without identifiers if the report is to name none."""
        vague = [text for text in texts if not _IDENTIFIER.search(text)]
        return self.draw.choice(vague if self.style == "misleading" and vague else texts)

    def title(self, case: Case) -> str:
        if self.style == "misleading" and case.kind == "bug" and self.draw.chance(0.35):
            return self.pick(GENERAL_TITLES)
        tag = self.pick(TAGS) if case.kind == "bug" and self.draw.chance(0.25) else ""
        return f"{tag}{self.heading(case)}"

    def heading(self, case: Case) -> str:
        """One of the case's titles; some go with one of its stories only."""
        tied = _TIED.fullmatch(self.of(case.titles))
        assert tied is not None
        if tied[1]:
            self.tied[case.name] = int(tied[1])
        return tied[2]

    def story(self, case: Case) -> str:
        """An account that goes with the title."""
        tied = self.tied.get(case.name, 0)
        return case.stories[tied - 1] if tied else self.of(case.stories)

    def since(self) -> str:
        """When it began, unless a version has been named."""
        return "" if self.dated else self._dated(SINCE)

    def machine(self) -> str:
        return "" if self.dated else self._dated(MACHINES)

    def _dated(self, phrases: Sequence[str]) -> str:
        self.dated = True
        return self.pick(phrases)

    def shown(self, example: Example) -> str:
        got, want = example.got.strip("\n"), example.want.strip("\n")
        if "\n" in got + want or len(got + want) > 70:
            return "\n".join(
                [
                    self.code(example.code),
                    "",
                    self.draw.either("Prints", "This gives", "Output:", "What I get:"),
                    "",
                    self.code(got, "text"),
                    "",
                    self.draw.either("and should print", "Expected:", "instead of", "I'd expect"),
                    "",
                    self.code(want, "text"),
                ]
            )
        words = self.draw.either(
            f"This prints `{got}`; it should print `{want}`.",
            f"Output: `{got}`. Expected: `{want}`.",
            f"I get `{got}` where I'd expect `{want}`.",
            f"got:      {got}\nexpected: {want}",
            f"That's `{got}` now, and should be `{want}`.",
        )
        return f"{self.code(example.code)}\n\n{words}"


def issue_text(draw: Draw, cases: Sequence[Case], style: Style, package: str, found: Sequence[Release]) -> str:
    """Write an issue about one or more cases.

    Args:
        draw: The source of randomness.
        cases: What the issue is about.
        style: "plain" (an example, no noise), "noisy" (a story, asides, sometimes an example) or "misleading" (a story
            that names no function, with a wrong guess).
        package: The package's name.
        found: Its releases, newest first.
    """
    writer = _Writer(draw, style, package, found)
    if len(cases) > 1:
        return _several(writer, cases)
    (case,) = cases
    title = writer.title(case)
    if case.kind in ("feature", "refactoring"):
        body = _request(writer, case)
    elif case.kind == "slip":
        body = _alarm(writer, case)
    else:
        shapes: Sequence[Callable[[_Writer, Case], list[str]]]
        shapes = (
            (_plain_example, _plain_form, _plain_letter) if style == "plain" else (_letter, _form, _forwarded, _letter)
        )
        body = draw.choice(shapes)(writer, case)
    return _finished(writer, title, body)


def _finished(writer: _Writer, title: str, body: Sequence[str]) -> str:
    text = "\n\n".join(part for part in body if part)
    if writer.low and "```" not in text and "> " not in text and "\n- " not in text:
        title = title[:1].lower() + title[1:] if not title[:2].isupper() else title
        text = re.sub(r"(^|(?<!\*)[.!?:]\s+|\n\n|\*\* )([A-Z])(?=[a-z' ])", lambda m: m[1] + m[2].lower(), text)
        text = re.sub(r"\bI('|\b)", r"i\1", text)
    return f"# {title}\n\n{text}"


# ---- to the point -------------------------------------------------------------------------------------------------


def _plain_example(writer: _Writer, case: Case) -> list[str]:
    return [
        writer.story(case) if writer.draw.chance(0.4) else writer.since(),
        writer.shown(writer.draw.choice(case.examples)),
        writer.of(case.wishes) if writer.draw.chance(0.6) else "",
    ]


def _plain_form(writer: _Writer, case: Case) -> list[str]:
    form, example = writer.form, writer.draw.choice(case.examples)
    return [
        form.head(form.code),
        writer.code(example.code),
        form.head(form.got),
        writer.code(example.got.strip("\n"), "text"),
        form.head(form.want),
        writer.code(example.want.strip("\n"), "text"),
        writer.of(case.wishes) if writer.draw.chance(0.5) else "",
        form.head(form.version),
        writer.version,
    ]


def _plain_letter(writer: _Writer, case: Case) -> list[str]:
    example = writer.draw.choice(case.examples)
    return [
        writer.story(case),
        writer.shown(example),
        writer.of(case.wishes),
        writer.fill("{package} {version}") if writer.draw.chance(0.5) else "",
    ]


# ---- with a story -------------------------------------------------------------------------------------------------


def _guess(writer: _Writer, case: Case) -> str:
    if not case.guesses or (writer.style == "noisy" and writer.draw.chance(0.5)):
        return ""
    guess = writer.draw.choice(case.guesses)
    return f"{guess} {writer.pick(DOUBTS)}" if "?" not in guess and writer.draw.chance(0.4) else guess


def _proof(writer: _Writer, case: Case) -> str:
    if writer.style == "misleading" or not case.examples or writer.draw.chance(0.5):
        return ""
    return writer.shown(writer.draw.choice(case.examples))


def _wish(writer: _Writer, case: Case, proof: str) -> str:
    if proof and writer.draw.chance(0.5):
        return ""
    wish = writer.of(case.wishes)
    return f"{writer.pick(EXPECTED)} {wish}" if case.kind == "bug" and writer.draw.chance(0.5) else wish


def _noise(writer: _Writer, kinds: int = 4) -> str:
    kind = writer.draw.below(kinds)
    if kind == 0:
        return writer.pick(ASIDES)
    if kind == 1:
        head = writer.draw.either("From the log of that day, in case it helps:", "The log says only this:", "Log:")
        return f"{head}\n\n{writer.code(writer.pick(WARNINGS), 'text')}"
    return writer.machine() if kind == 2 else ""


def _letter(writer: _Writer, case: Case) -> list[str]:
    proof = _proof(writer, case)
    parts = [writer.story(case), proof, _wish(writer, case, proof)]
    extras = [_guess(writer, case), _noise(writer), writer.since() if writer.draw.chance(0.5) else ""]
    parts += writer.draw.shuffled(extras)
    return [
        writer.pick(GREETINGS) if writer.draw.chance(0.5) else "",
        *parts,
        writer.pick(CLOSINGS) if writer.draw.chance(0.5) else "",
    ]


def _form(writer: _Writer, case: Case) -> list[str]:
    form, proof = writer.form, _proof(writer, case)
    guess = _guess(writer, case)
    return [
        form.head(form.story),
        writer.story(case),
        proof,
        form.head(form.want),
        writer.of(case.wishes),
        *((form.head(form.more), guess) if guess else ()),
        form.head(form.version),
        writer.machine() if writer.draw.chance(0.6) else writer.version,
        _noise(writer, 2),
    ]


def _forwarded(writer: _Writer, case: Case) -> list[str]:
    quoted = "\n".join(f"> {line}".rstrip() for line in writer.story(case).split("\n"))
    proof = _proof(writer, case)
    return [
        writer.pick(DESKS),
        quoted,
        proof,
        _wish(writer, case, proof),
        _guess(writer, case),
        writer.since() if writer.draw.chance(0.5) else _noise(writer),
    ]


# ---- several, and requests ----------------------------------------------------------------------------------------


def _several(writer: _Writer, cases: Sequence[Case]) -> str:
    broken = all(case.kind == "bug" for case in cases)
    title = (
        writer.pick(TWO_TITLES if broken else MIXED_TITLES)
        if writer.style == "misleading" or writer.draw.chance(0.5)
        else (writer.draw.either(" / ", "; also: ").join(writer.heading(case) for case in cases))
    )
    body = [writer.pick(GREETINGS) if not broken or writer.draw.chance(0.3) else writer.since()]
    numbered = writer.draw.chance(0.4)
    for number, case in enumerate(cases, 1):
        shown = writer.style == "plain" and case.examples
        example = writer.shown(writer.draw.choice(case.examples)) if shown else _proof(writer, case)
        story = writer.story(case)
        if numbered:
            story = f"**{number}.** {story}"
        elif number > 1:
            story = f"{writer.pick(SECONDS if broken else MORE)} {story}"
        body += [story, example, _wish(writer, case, example)]
    guess = _guess(writer, writer.draw.choice(cases)) if len(cases) < 3 and not numbered else ""
    body += [guess, _noise(writer) if writer.style != "plain" else ""]
    return _finished(writer, title, body)


def _alarm(writer: _Writer, case: Case) -> list[str]:
    """Report that tests fail: by the words of the test run, not those of a user."""
    body = [
        writer.pick(case.stories),
        writer.code("{report}", "text"),
        writer.pick(case.wishes) if writer.draw.chance(0.6) else "",
        writer.pick(CLOSINGS) if writer.draw.chance(0.3) else "",
    ]
    return body if writer.draw.chance(0.7) else [body[1], body[0], *body[2:]]


def _request(writer: _Writer, case: Case) -> list[str]:
    wish = writer.of(case.wishes)
    sentences = [part.strip() for part in re.split(r"(?<=[.!?]) (?=[A-Z`])", wish) if part.strip()]
    criteria = "\n".join(f"- {part}" for part in sentences)
    heading = writer.draw.either("Acceptance criteria:", "What it should do:", "Done when:", "Requirements")
    body = [writer.story(case), heading, criteria]
    if case.examples and (writer.style == "plain" or writer.draw.chance(0.5)):
        example = writer.draw.choice(case.examples)
        body += [
            writer.draw.either("For example, this", "So that", "This program"),
            writer.code(example.code),
            writer.draw.either("should print", "prints"),
            writer.code(example.want.strip("\n"), "text"),
        ]
    if writer.style != "plain":
        body.append(writer.pick(THANKS) if writer.draw.chance(0.5) else "")
    return body
