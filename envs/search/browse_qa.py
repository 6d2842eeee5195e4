"""BrowseQA: find the answer by searching, opening documents, following their links and finding words in them.

Sources: the browsing actions are those of WebGPT (Nakano et al., arXiv 2112.09332, table 1: search, click, find in
page, scroll, back) and of ASearcher (arXiv 2508.07976), whose agents search and then access a page.
"""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.core.tools import Tool, Toolbox, text_tool
from turnwise.envs.search._cheats import CHEATS
from turnwise.envs.search._draft import WORLDS, held
from turnwise.envs.search._episode import SEARCH, SearchEnv, Task
from turnwise.envs.search._library import Library
from turnwise.envs.search._show import MAX_CALLS, written
from turnwise.retrieval.base import Document
from turnwise.retrieval.show import escaped, shown
from turnwise.worlds.documents.questions import Step

__all__ = ["BrowseQA"]

MAX_FOUND = 5
"""Maximum number of matches that a find shows."""
AROUND = 80
"""Characters shown on each side of a match."""
LEAST_TURNS = 12
"""With fewer turns, questions are not rejected for needing more."""
_LINK = re.compile(r"\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]|\n]{1,300}))?\]\]")


class Opened(NamedTuple):
    """An open document.

    Attributes:
        id: The document's.
        part: The part shown, from 0.
    """

    id: str
    part: int


class PageText(NamedTuple):
    """The text of a document in parts, with links as ``[shown]``, and their targets: shown text and title."""

    parts: tuple[str, ...]
    links: tuple[tuple[str, str], ...]


def _without_arguments(name: str, description: str) -> Tool:
    schema = {"type": "object", "properties": {}, "required": []}
    return Tool(name, description, schema, lambda env: getattr(env, f"tool_{name}")())


TOOLS = (
    SEARCH,
    text_tool(
        "open", "Opens a document.", lambda env, title: env.open(title), title="Its title, or its number."
    ),
    text_tool(
        "find", "Finds words in the open document.", lambda env, words: env.find(words), words="What to look for."
    ),
    text_tool(
        "follow", "Follows a link of the open document.", lambda env, link: env.follow(link), link="Its words."
    ),
    _without_arguments("next", "Shows the next part of the open document."),
    _without_arguments("back", "Goes back to the document that was open before."),
)  # fmt: skip


def page_text(markup: str, most: int) -> PageText:
    """Return the text of a document with links as ``[[Title|shown]]``, in parts of at most ``most`` characters.

    Parts end at the end of a line if one is in their second half, else at a blank.

    >>> page_text("Bak met [[Fes (born 1930)|Fes]].", 100)
    PageText(parts=('Bak met [Fes].',), links=(('Fes', 'Fes (born 1930)'),))
    """
    links = tuple((match[2] or match[1], match[1]) for match in _LINK.finditer(markup))
    text = escaped(_LINK.sub(lambda match: f"[{match[2] or match[1]}]", markup))
    parts = []
    while len(text) > most:
        end = text.rfind("\n", most // 2, most)
        end = end if end >= 0 else max(text.rfind(" ", most // 2, most), 0) or most
        parts.append(text[:end])
        text = text[end:].lstrip()
    return PageText((*parts, text), links)


@register("BrowseQA-v0")
class BrowseQA(SearchEnv):
    """Answer a question by browsing: search, open, follow, find, next, back.

    A search shows titles and the beginnings of documents; an open document is read part by part. Reward 1 for the
    right answer, which ends the episode; all else is `SearchEnv`'s. From 12 turns on no question needs more than there
    are. A ``retriever`` must know documents by their ids, and ``tags`` cannot be "r1_searcher".
    """

    top_k: int = 5
    snippet_chars: Annotated[int, Range(20, 50_000)] = 120
    part_chars: Annotated[int, Range(100, 50_000)] = 800
    """Characters of an open document that are shown at a time. Links are its ``[[Title|words]]``."""
    max_turns: int = 20

    levels = (
        {"hops": 1, "kinds": "chain", "documents": 300, "worlds": WORLDS},
        {"hops": 2, "kinds": "chain", "documents": 500, "worlds": WORLDS},
        {"hops": 2, "kinds": "chain,bridge,inverted", "documents": 1000, "worlds": WORLDS},
        {"hops": 2, "kinds": "mixed", "documents": 1000, "worlds": WORLDS, "max_turns": 30},
        {"hops": 3, "kinds": "mixed", "documents": 1000, "worlds": WORLDS, "aliases": 0.3, "max_turns": 40},
        {"hops": 3, "kinds": "mixed", "documents": 1000, "worlds": WORLDS, "aliases": 0.5, "max_turns": 50},
        {"hops": 3, "kinds": "hard", "documents": 1000, "worlds": WORLDS, "aliases": 0.5, "max_turns": 60},
        {
            "hops": 4,
            "kinds": "hard",
            "documents": 2000,
            "worlds": WORLDS,
            "aliases": 0.5,
            "part_chars": 400,
            "max_turns": 80,
        },
        {
            "hops": 4,
            "kinds": "hard",
            "documents": 2000,
            "worlds": WORLDS,
            "aliases": 1.0,
            "part_chars": 400,
            "max_turns": 80,
        },
        {
            "hops": 5,
            "kinds": "hardest",
            "documents": 2000,
            "worlds": WORLDS,
            "aliases": 0.5,
            "part_chars": 300,
            "max_turns": 100,
        },
    )
    chance = (0.006, 0.0, 0.001, 0.001, 0.001, 0.001, 0.0, 0.0, 0.001, 0.001)
    chance_default = 0.002
    cheats: ClassVar[Sequence[str | Callable[[Any], str]]] = (
        *CHEATS,
        lambda env: f"<open>{env.task.question.gold}</open>{env.reference()}" if env.turn < env.max_turns - 1 else "",
        lambda env: f"<find>{env.reference()}</find>" if env.turn < env.max_turns - 1 else "",
        "<next/>",
    )
    toolbox: ClassVar[Toolbox] = Toolbox(TOOLS, max_chars=120_000)

    def check(self) -> None:
        super().check()
        if self.tags == "r1_searcher":
            raise SettingsError("tags is 'r1_searcher', which can only search; here it must be another")

    def refuses(self, task: Task, place: Library) -> str:
        reason = super().refuses(task, place)
        if reason or self.max_turns < LEAST_TURNS:
            return reason
        turns = 1 + sum(
            self._turns_of(step, ids, place) for step, ids in zip(task.question.steps, task.plan, strict=True)
        )
        return "it needs more turns than there are" if turns > self.max_turns else ""

    def _found(self, place: Library, query: str) -> tuple[list[Document], list[str]]:
        """Return what a search leads to: complete documents, though it shows only their beginnings."""
        found = [hit.document for hit in place.search(query, self.top_k)]
        return found, [escaped(document.text) for document in found]

    def _turns_of(self, step: Step, ids: Sequence[str], place: Library) -> int:
        """Return the maximum turns of a step: a search, opening a document, and reading on to the answer."""
        return 1 + max((1 + self._part_with(self._text_of(place, i), step.answer) for i in ids), default=0)

    def _part_with(self, text: PageText, forms: Sequence[str]) -> int:
        """Return the first part that contains one of the forms; the last one if a form is split across parts."""
        return next((n for n, part in enumerate(text.parts) if held(part, forms)), len(text.parts) - 1)

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        self.opened: Opened | None = None
        self.history: list[Opened] = []
        self.listed: list[str] = []  # ids of the last search
        self.read: set[tuple[str, int]] = set()  # parts that were shown
        return super().begin()

    def _how(self) -> str:
        if not self._may_search:
            return ""
        return (
            f"Tools: {written('words', self.tags)} lists the {self.top_k} documents that match these words best; "
            "<open>title</open> opens a document by its title or by its number in the last list; <follow>link</follow> "
            "opens the document behind a [link] of the open one; <find>words</find> finds words in the open document; "
            "<next/> shows its next part; <back/> returns to the document that was open before. A message may contain "
            f"up to {MAX_CALLS} calls."
        )

    def _retry(self, problem: str) -> str:
        calls = "search, open, follow, find, or " if self._may_search else ""
        return f"{problem.capitalize()}. Please {calls}answer with <answer>...</answer>.{self.budget_line()}"

    def search(self, query: str) -> str:
        query = self.noted(query)
        found = [hit.document for hit in self.library.search(query, self.top_k)]
        text, taken, _ = shown(found, self.tags, self.snippet_chars, self._room)
        self._spend(text)
        self.listed = [document.id for document in taken]
        self.look(())
        return text

    def open(self, title: str) -> str:
        """Open a document by its title or its number in the last search."""
        title = " ".join(title.split())
        id = title if self._document(title) is not None else self._numbered(title)
        return self._turn_to(Opened(id, 0))

    def _numbered(self, text: str) -> str:
        if text.isdecimal() and text.isascii() and len(text) < 4 and 0 < int(text) <= len(self.listed):
            return self.listed[int(text) - 1]
        raise ValueError(
            f"there is no document {text[:100]!r}; give the title of one, or its number in the last search"
        )

    def follow(self, link: str) -> str:
        """Open the target of a link."""
        links = self._current().links
        wanted = " ".join(link.split()).removeprefix("[").removesuffix("]").casefold()
        found = dict.fromkeys(title for words, title in links if wanted in (words.casefold(), title.casefold()))
        if not found:
            raise ValueError(f"there is no link {link[:100]!r} in the open document")
        if len(found) > 1:
            raise ValueError(f"{link[:100]!r} leads to several documents: {'; '.join(found)}; open one of them")
        (title,) = found
        if self._document(title) is None:
            raise ValueError(f"the document {title[:100]!r} is missing")
        return self._turn_to(Opened(title, 0))

    def find(self, words: str) -> str:
        """Show where the words occur in the open document."""
        parts, wanted = self._current().parts, " ".join(words.split()).casefold()
        if not wanted:
            raise ValueError("give the words to find")
        lines: list[str] = []
        for number, part in enumerate(parts):
            folded = part.casefold()
            if len(folded) != len(part):  # some letters fold to two
                folded = part.lower() if len(part.lower()) == len(part) else part
            at = folded.find(wanted)
            while at >= 0 and len(lines) < MAX_FOUND:
                around = " ".join(part[max(0, at - AROUND) : at + len(wanted) + AROUND].split())
                lines.append(f"Part {number + 1}: … {around} …")
                at = folded.find(wanted, at + len(wanted) + AROUND)
        text = "\n".join(lines) if lines else "Not found in this document."
        self.look(())
        return self._spend(text)

    def tool_next(self) -> str:
        """Show the next part."""
        parts = self._current().parts
        assert self.opened is not None
        if self.opened.part + 1 >= len(parts):
            raise ValueError("this is the last part of the document")
        return self._turn_to(Opened(self.opened.id, self.opened.part + 1), remember=False)

    def tool_back(self) -> str:
        """Show the document that was open before."""
        if not self.history:
            raise ValueError("no document was open before")
        return self._turn_to(self.history.pop(), remember=False)

    def _turn_to(self, place: Opened, remember: bool = True) -> str:
        if remember and self.opened is not None:
            self.history.append(self.opened)
        self.opened = place
        text = self._text_of(self.library, place.id)
        document = self._document(place.id)
        assert document is not None
        self.read.add((place.id, place.part))
        self.look([document], [text.parts[place.part]])
        where = f", part {place.part + 1} of {len(text.parts)}" if len(text.parts) > 1 else ""
        title = " ".join(escaped(document.title or document.id).split())
        heading = "" if self.tags == "plain" else f"{title}{where}\n"
        return self._spend(heading + text.parts[place.part])

    def _spend(self, text: str) -> str:
        """Return the text, cut to the room left in this message."""
        if len(text) > self._room:
            text = text[: max(0, self._room)] + " … (cut: several calls of one message share its room)"
        self._room = max(0, self._room - len(text))
        return text

    def _document(self, id: str) -> Document | None:
        return self.library.retriever.document(id) if id else None

    def _current(self) -> PageText:
        if self.opened is None:
            raise ValueError("no document is open")
        return self._text_of(self.library, self.opened.id)

    def _text_of(self, place: Library, id: str) -> PageText:
        markup: str | None = None
        if place.world is not None and place.corpus is not None:
            number = place.corpus.number_of(id)
            markup = None if number is None else place.world.markup(number)
        if markup is None:
            document = place.retriever.document(id)
            markup = "" if document is None else document.text
        return page_text(markup, self.part_chars)

    # ---- agents ---------------------------------------------------------------------------------------------------

    def oracle(self) -> str:
        return (self._next_move() if self._may_search and self.turn < self.max_turns - 1 else None) or self.reference()

    def _next_move(self) -> str | None:
        """Return the next unread step of the plan, and the call that shows it."""
        place = self.library
        for step, ids in zip(self.task.question.steps, self.task.plan, strict=True):
            query = " ".join(step.query.split())
            parts = {id: self._text_of(place, id) for id in ids}
            if any((id, self._part_with(text, step.answer)) in self.read for id, text in parts.items()):
                continue
            if self.opened is not None and self.opened.id in parts:
                return "<next/>" if self.opened.part < len(parts[self.opened.id].parts) - 1 else "<back/>"
            listed = next((id for id in self.listed if id in parts), None)
            if listed is not None:
                return f"<open>{listed}</open>"
            if self.opened is not None:
                links = dict(self._current().links)
                link = next((words for words, title in links.items() if title in parts), None)
                if (
                    link is not None
                    and sum(words.casefold() == link.casefold() for words, _ in self._current().links) == 1
                ):
                    return f"<follow>{link}</follow>"
            if query not in self.queries:
                return written(step.query, self.tags)
            if ids:
                return f"<open>{ids[0]}</open>"
        return None

    def paraphrases(self) -> Sequence[str]:
        move = self._next_move() if self._may_search and self.turn < self.max_turns - 1 else None
        if move is None:
            return super().paraphrases()
        return (f"<think>Hm, <answer>x</answer>?</think>{move}", f"Let me see.\n{move}", f"\n{move}\n", move)

    def sample_action(self, rng: np.random.Generator) -> str:
        """Return a random search, document to open, or name as the answer."""
        draw = rng.random(2).tolist()
        if draw[0] < 0.3 and self.listed and self._may_search:
            return f"<open>{1 + int(draw[1] * len(self.listed))}</open>"
        return super().sample_action(rng)

    def metrics(self) -> dict[str, float]:
        return {**super().metrics(), "parts_read": float(len(self.read))}
