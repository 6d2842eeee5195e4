"""Shared parts of the verifiers of structured answers: removing a fence, and pairing off items."""

from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["paired_off", "unfenced"]

LeftT = TypeVar("LeftT")
RightT = TypeVar("RightT")


def unfenced(text: str) -> str:
    r"""Return the text without a Markdown fence or a pair of backticks around all of it, and without outer blanks.

    `turnwise.verifiers.extract.undressed` removes more: LaTeX in prose, such as ``\(x\)``, is part of a regular
    expression. An inner backtick, as SQL has, does no harm here.

    >>> unfenced("```sql\nSELECT `a`\n```"), unfenced("`a+`"), unfenced("`a` or `b`")
    ('SELECT `a`', 'a+', '`a` or `b`')
    """
    text = text.strip()
    if text.startswith("```") and text.endswith("```"):
        head, newline, body = text[3:-3].partition("\n")
        if newline and (not head.strip() or head.strip().isalnum()) and "```" not in body:
            return body.strip()
    elif len(text) > 2 and text[0] == text[-1] == "`" and text.count("`") == 2:
        return text[1:-1].strip()
    return text


def paired_off(
    left: Sequence[LeftT], right: Sequence[RightT], fits: Callable[[LeftT, RightT], bool]
) -> list[int | None]:
    """Match each of ``left`` to the index of its own partner in ``right``, or None; as many as possible.

    ``fits`` is called at most once per pair. Source: Kuhn, The Hungarian method (1955), its unweighted case.

    >>> paired_off([1, 2], [{1, 2}, {1}], lambda x, group: x in group)
    [1, 0]
    """
    fitting: dict[tuple[int, int], bool] = {}
    owner: dict[int, int] = {}

    def fit(i: int, j: int) -> bool:
        if (i, j) not in fitting:
            fitting[i, j] = fits(left[i], right[j])
        return fitting[i, j]

    for start in range(len(left)):
        # Breadth first over alternating paths: from a left one to the right ones that fit, on to their owners.
        came_from: dict[int, int] = {}
        queue = [start]
        for i in queue:
            free = None
            for j in range(len(right)):
                if j not in came_from and fit(i, j):
                    came_from[j] = i
                    if j not in owner:
                        free = j
                        break
                    queue.append(owner[j])
            if free is not None:
                while True:
                    i = came_from[free]
                    previous = next((j for j, who in owner.items() if who == i), None)
                    owner[free] = i
                    if previous is None:
                        break
                    free = previous
                break
    partners: list[int | None] = [None] * len(left)
    for j, i in owner.items():
        partners[i] = j
    return partners
