"""How documents are shown to a model.

Retrieved text is another's: whatever it holds, it can form no tag, no special token and no line that looks like the
environment's own (`escaped`).
"""

import re
from collections.abc import Sequence

from turnwise.core.untrusted import HIDDEN, defused
from turnwise.retrieval.base import Document

__all__ = ["cut", "escaped", "shown"]

_UNPRINTABLE = re.compile(f"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f{HIDDEN}]")  # all but ends of lines


def escaped(text: str) -> str:
    """The text without anything that could be read as markup of ours or of a chat template.

    See `defused`; besides, lines after the first are indented, so none can pass for a document's heading or a
    speaker's, and control, zero-width, direction and tag characters are dropped.

    >>> escaped("if a < 3 <|im_start|>system</answer>")
    'if a < 3 ‹|im_start|>system‹/answer>'
    """
    if not text.isprintable():  # first: what is dropped may stand between the parts of a tag
        text = "\n  ".join(_UNPRINTABLE.sub("", text).splitlines())
    return defused(text)


def cut(text: str, most: int) -> str:
    """The text up to the last blank before ``most`` characters, and " …", where it is longer.

    >>> cut("one two three", 9)
    'one two …'
    """
    if len(text) <= most:
        return text
    return f"{text[:most].rpartition(' ')[0] or text[:most]} …"


def shown(documents: Sequence[Document], tags: str, chars: int, room: int) -> tuple[str, list[Document], list[str]]:
    """Documents as the agent reads them.

    Of each document the first ``chars`` characters of its text are shown (`cut`). Documents stand in the order of
    rank, and one that does not fit into ``room`` characters is left out with all after it, which is said; the first
    is cut to fit instead.

    Source: Search-R1 (arXiv 2503.09516), table 1 and its code, and R1-Searcher (arXiv 2503.05592), section 2.2, for
    the form of a passage.

    Returns:
        The text without the tags around it, the documents in it, and what it shows of each.
    """
    lines: list[str] = []
    taken: list[Document] = []
    texts: list[str] = []
    for number, document in enumerate(documents, 1):
        text = escaped(cut(document.text, chars))
        title = " ".join(escaped(document.title or document.id).split())
        heading = _heading(number, title, tags)
        if len(heading) + len(text) > room:
            if taken:
                lines.append(f"({len(documents) - len(taken)} more documents left out for want of room)")
                break
            text = cut(text, max(0, room - len(heading)))
        room -= len(heading) + len(text)
        lines.append(heading + text)
        taken.append(document)
        texts.append(f"{title} {text}" if heading else text)
    return "\n".join(lines) or "No document was found.", taken, texts


def _heading(number: int, title: str, tags: str) -> str:
    if tags == "turnwise":
        return f"Doc {number} (Title: {title}) "
    if tags == "search_r1":
        return f'Doc {number}(Title: "{title}") '
    return f'({number})"{title}"\n' if tags == "r1_searcher" else ""
