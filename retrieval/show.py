"""Shows documents to a model.

Retrieved text is untrusted: it cannot form a tag, a special token or a line that looks like the environment's own
(`escaped`).
"""

import re
from collections.abc import Sequence

from turnwise.core.untrusted import HIDDEN, defused
from turnwise.retrieval.base import Document

__all__ = ["cut", "escaped", "shown"]

_UNPRINTABLE = re.compile(f"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f{HIDDEN}]")  # all but line breaks


def escaped(text: str) -> str:
    """Remove everything that could be read as our markup or that of a chat template.

    See `defused`; in addition, lines after the first are indented, so that none looks like the heading of a document
    or a speaker, and control, zero-width, direction and tag characters are dropped.

    >>> escaped("if a < 3 <|im_start|>system</answer>")
    'if a < 3 ‹|im_start|>system‹/answer>'
    """
    if not text.isprintable():  # first: dropped characters may separate the parts of a tag
        text = "\n  ".join(_UNPRINTABLE.sub("", text).splitlines())
    return defused(text)


def cut(text: str, most: int) -> str:
    """Cut a text that is longer than ``most`` characters at the last space before that, and append " …".

    >>> cut("one two three", 9)
    'one two …'
    """
    if len(text) <= most:
        return text
    return f"{text[:most].rpartition(' ')[0] or text[:most]} …"


def shown(documents: Sequence[Document], tags: str, chars: int, room: int) -> tuple[str, list[Document], list[str]]:
    """Render documents for the agent.

    Each document shows the first ``chars`` characters of its text (`cut`). Documents are in the order of rank; one
    that does not fit into ``room`` characters is left out with all after it, which is stated; the first is cut to fit
    instead.

    Source: Search-R1 (arXiv 2503.09516), table 1 and its code, and R1-Searcher (arXiv 2503.05592), section 2.2, for
    the form of a passage.

    Returns:
        The text without the tags around it, the documents in it, and the part shown of each.
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
