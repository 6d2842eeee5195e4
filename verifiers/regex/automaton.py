r"""Automata of regular expressions, without empty moves: one state for each character in a pattern.

Two are compared on the fly, over one symbol for all characters that neither tells apart.
Source: Glushkov, The abstract theory of automata (1961); Hopcroft and Karp, A linear algorithm for testing
equivalence of finite automata (1971).
"""

from collections import deque
from collections.abc import Iterator
from typing import Literal, TypeAlias

from turnwise.verifiers.regex import syntax  # fmt: skip

__all__ = ["Automaton", "Budget", "Mode", "accepts", "shortest_difference"]

MAX_WORK = 300_000  # visits of states and symbols: about a tenth of a second
Mode: TypeAlias = Literal["full", "search"]

_EDGE, _LINE, _WORD, _OTHER = range(4)  # what stands beside a place: the text's edge, a newline, a letter, the rest
_ACCEPT, _START, _FOUND = 1, 2, 4  # bits of a mask of states; _FOUND: a search that has its match reads on
_READABLE = {ord(x): i for i, x in enumerate("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             " _-.,:;!?'\"@#$%&*+=/|<>()[]{}^~`\\\n\té")}  # fmt: skip
State: TypeAlias = tuple[int, int]  # the states that may just have read, as a mask; the kind of what they read
Table: TypeAlias = dict[int, int]  # for each state's bit the mask of those that may read next


class Budget:
    """The remaining budget of work; exceeding it raises `RegexTooLarge`."""

    def __init__(self, work: int = MAX_WORK) -> None:
        self.left = work

    def spend(self, work: int) -> None:
        self.left -= work
        if self.left < 0:
            raise syntax.RegexTooLarge("the expression takes more work than is allowed")


def _kind(code: int) -> int:
    return _LINE if code == 10 else _WORD if any(low <= code <= high for low, high in syntax.WORDS) else _OTHER


def _holds(name: str, before: int, after: int) -> bool:
    if name.endswith("boundary"):
        return ((before == _WORD) != (after == _WORD)) == (name == "boundary")
    side = before if name.endswith("start") else after
    return side == _EDGE or (side == _LINE and name.startswith("line"))


class _Builder:
    """One table of Glushkov's automaton: for places between a character of one kind and one of another."""

    def __init__(self, tree: syntax.Tree, mode: Mode, before: int, after: int) -> None:
        self.before, self.after = before, after
        self.table: Table = {}
        self.sets: dict[syntax.Ranges, int] = {}  # the states that read any character of these
        self.has_assertions = False
        self.bit = _FOUND
        if mode == "full":
            self.table[_START] = self.build(tree, _ACCEPT)
        else:
            after_match = self.state(syntax.ANY, _ACCEPT | _FOUND) | _ACCEPT
            before_match = self.state(syntax.ANY, 0)
            self.table[before_match] = self.table[_START] = before_match | self.build(tree, after_match)

    def state(self, ranges: syntax.Ranges, then: int) -> int:
        bit, self.bit = self.bit, self.bit << 1
        self.table[bit] = then
        self.sets[ranges] = self.sets.get(ranges, 0) | bit
        return bit

    def build(self, tree: syntax.Tree, then: int) -> int:
        """Return the states that read first in ``tree``, where those of ``then`` come after it."""
        if isinstance(tree, syntax.CharSet):
            return self.state(tree.ranges, then)
        if isinstance(tree, syntax.Assertion):
            self.has_assertions = True
            return then if _holds(tree.name, self.before, self.after) else 0
        if isinstance(tree, syntax.Concat):
            for part in reversed(tree.parts):
                then = self.build(part, then)
            return then
        if isinstance(tree, syntax.Choice):
            found = 0
            for part in tree.parts:
                found |= self.build(part, then)
            return found
        copies = tree.low
        if tree.high is None:
            entry = self.loop(tree.part, then)
            if not copies:
                return entry | then
            copies -= 1
        else:
            entry = then
            for _ in range(tree.high - tree.low):
                entry = self.build(tree.part, entry) | then
        for _ in range(copies):
            entry = self.build(tree.part, entry)
        return entry

    def loop(self, part: syntax.Tree, then: int) -> int:
        """``part`` once or more."""
        again, self.bit = self.bit, self.bit << 1  # stands for the loop's beginning until that is known
        entry = self.build(part, then | again) & ~again
        bit = again << 1
        while bit < self.bit:
            if bit in self.table and self.table[bit] & again:
                self.table[bit] = self.table[bit] & ~again | entry
            bit <<= 1
        return entry


class Automaton:
    """An expression, ready to read: a state is a position that has just read a character.

    Which states follow one another depends, where there are assertions, on the kinds of character before and after.
    """

    start: State = (_START, _EDGE)

    def __init__(self, tree: syntax.Tree, mode: Mode) -> None:
        built = _Builder(tree, mode, _EDGE, _EDGE)
        self.tree, self.mode = tree, mode
        self.sets, self.has_assertions = built.sets, built.has_assertions
        self.tables: dict[State, Table] = {(_EDGE, _EDGE): built.table}

    def reached(self, state: State, after: int, budget: Budget) -> int:
        """Return the states that may read next, where that is a character of kind ``after``."""
        mask, before = state
        key = (before, after) if self.has_assertions else (_EDGE, _EDGE)
        table = self.tables.get(key)
        if table is None:
            budget.spend(self.tree.size)
            table = self.tables[key] = _Builder(self.tree, self.mode, *key).table
        budget.spend(1 + mask.bit_count())
        found = 0
        while mask:
            bit = mask & -mask
            found |= table[bit]
            mask ^= bit
        return found

    def state(self, mask: int, kind: int) -> State:
        """Return the state in which ``mask`` has read a character of this kind; equivalent states are merged."""
        if self.mode == "search" and mask & _FOUND:
            return (_FOUND, _EDGE)
        return (mask, kind if mask and self.has_assertions else _EDGE)

    def accepts(self, state: State, budget: Budget) -> bool:
        return bool(self.reached(state, _EDGE, budget) & _ACCEPT)


def _symbols(first: Automaton, second: Automaton) -> Iterator[tuple[int, int, int]]:
    """Yield a character for each class that neither tells apart, and which states of each read it."""
    sets = list(dict.fromkeys([*first.sets, *second.sets]))
    if first.has_assertions or second.has_assertions:
        sets += [syntax.WORDS, syntax.NEWLINE]
    changes = {0: 0}
    for i, ranges in enumerate(sets):
        for low, high in ranges:
            changes[low] = changes.get(low, 0) ^ 1 << i
            changes[high + 1] = changes.get(high + 1, 0) ^ 1 << i
    changes.pop(syntax.LAST + 1, None)
    starts = sorted(changes)
    shown: dict[int, int] = {}
    signature = 0
    for start, end in zip(starts, [*starts[1:], syntax.LAST + 1], strict=True):
        signature ^= changes[start]
        inside = [code for code in range(start, min(end, 127)) if code in _READABLE]
        code = min(inside, key=_READABLE.__getitem__) if inside else 233 if start <= 233 < end else start
        best = shown.setdefault(signature, code)
        if _READABLE.get(code, syntax.LAST) < _READABLE.get(best, syntax.LAST):
            shown[signature] = code
    for signature, code in shown.items():
        reads_first = reads_second = 0
        while signature:
            bit = signature & -signature
            ranges = sets[bit.bit_length() - 1]
            reads_first |= first.sets.get(ranges, 0)
            reads_second |= second.sets.get(ranges, 0)
            signature ^= bit
        yield code, reads_first, reads_second


_Path: TypeAlias = "tuple[_Path, str] | None"


def shortest_difference(first: Automaton, second: Automaton, budget: Budget) -> str | None:
    """Return a shortest string that one accepts and the other does not.

    Pairs of states are merged breadth first. A pair is skipped only if merged pairs, none of them deeper, link its two
    sides; one of these is then distinguished by a string that is no longer, so the string found is a shortest one.
    """
    symbols = [(chr(code), _kind(code), a, b) for code, a, b in _symbols(first, second)]
    symbols.sort(key=lambda symbol: _READABLE.get(ord(symbol[0]), ord(symbol[0]) + 200))
    leaders: dict[tuple[int, State], tuple[int, State]] = {}

    def leader(node: tuple[int, State]) -> tuple[int, State]:
        while (above := leaders.get(node)) is not None:
            leaders[node] = leaders.get(above, above)
            node = above
        return node

    queue: deque[tuple[State, State, _Path]] = deque([(first.start, second.start, None)])
    while queue:
        left, right_, path = queue.popleft()
        if first.accepts(left, budget) != second.accepts(right_, budget):
            found = ""
            while path is not None:
                path, char = path
                found = char + found
            return found
        known: dict[int, tuple[int, int]] = {}
        for char, kind, reads_first, reads_second in symbols:
            if kind not in known:
                known[kind] = (first.reached(left, kind, budget), second.reached(right_, kind, budget))
            budget.spend(3)
            next_left = first.state(known[kind][0] & reads_first, kind)
            next_right = second.state(known[kind][1] & reads_second, kind)
            a, b = leader((0, next_left)), leader((1, next_right))
            if a != b:
                leaders[a] = b
                queue.append((next_left, next_right, (path, char)))
    return None


def accepts(automaton: Automaton, string: str, budget: Budget) -> bool:
    """Return whether the automaton accepts a string."""
    state = automaton.start
    steps: dict[tuple[State, str], State] = {}
    for char in string:
        budget.spend(1)
        step = steps.get((state, char))
        if step is None:
            code = ord(char)
            kind = _kind(code)
            reads = 0
            for ranges, states in automaton.sets.items():
                if any(low <= code <= high for low, high in ranges):
                    reads |= states
            budget.spend(2 * len(automaton.sets))
            step = automaton.state(automaton.reached(state, kind, budget) & reads, kind)
            steps[state, char] = step
        state = step
    return automaton.accepts(state, budget)
