"""The expressions of a question, which an answer must not merely repeat."""

import re
from functools import lru_cache

from turnwise.verifiers.math.read.reader import read
from turnwise.verifiers.math.values.tree import Add, Call, Div, Mul, Neg, Node, Num, Pow, ReadError
from turnwise.verifiers.math.values.walk import subtrees

__all__ = ["OPERATION", "expressions", "peeled"]

OPERATION = (Add, Mul, Div, Pow, Call)


def peeled(node: Node) -> Node:
    """An expression without what changes nothing: x/1, 1x, x + 0, --x."""
    while True:
        match node:
            case Div(x, Num(one)) if one == 1:
                node = x
            case Neg(Neg(x)):
                node = x
            case Mul(parts) | Add(parts):
                idle = 1 if isinstance(node, Mul) else 0
                kept = [part for part in parts if not (isinstance(part, Num) and part.value == idle)]
                if len(kept) != 1:
                    return node
                node = kept[0]
            case _:
                return node


_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)


@lru_cache(maxsize=256)
def expressions(question: str) -> tuple[Node, ...]:
    """The expressions of the formulas of a question, with their parts."""
    found: list[Node] = []
    for match in list(_FORMULA.finditer(question[:8000]))[:40]:
        try:
            formula = read(next(group for group in match.groups() if group is not None).strip(" .,;?"))[0]
        except ReadError:
            continue
        found += subtrees(formula)
    return tuple(part for part in found if isinstance(part, OPERATION))
