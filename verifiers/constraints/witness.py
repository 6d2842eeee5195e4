"""Write a text that satisfies a whole set of constraints.

A set is worth using only if such a text exists, and the text itself is the proof: `witness` lays out what the
constraints demand (lists, headings, first words, ...), fills the sentences with words of a small lexicon, counts, and
corrects the counts until every check holds. It is deterministic. It may miss a text that exists; it never returns one
that fails.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from turnwise.verifiers.constraints.base import Constraint
from turnwise.verifiers.constraints.conflicts import conflict
from turnwise.verifiers.constraints.language import UNSPACED
from turnwise.verifiers.constraints.lexicon import initials, pool
from turnwise.verifiers.constraints.plan import Impossible, Interval, Plan
from turnwise.verifiers.constraints.units import Reading, words_of

__all__ = ["witness"]

MAX_ROUNDS = 8
MAX_WORDS = 3000
MAX_SENTENCES = 400
_STOPS = (".", "!", "?")
_SLOT = re.compile(r"\{([\^*]?)\}")


def witness(constraints: Sequence[Constraint], literals: Sequence[str] = (), variant: int = 0) -> str | None:
    r"""Return a text that satisfies all constraints, or None if none was found.

    Args:
        constraints: What it must satisfy.
        literals: Tokens that must occur in it verbatim, such as an answer's ``\boxed{12}``.
        variant: Another number gives other words.

    >>> from turnwise.verifiers.constraints.length import Words
    >>> witness([Words(low=4, high=4)])
    'Amber the apple of.'
    """
    if conflict(constraints):
        return None
    plan = Plan()
    try:
        for constraint in constraints:
            constraint.demand(plan)
        return _Writer(plan, constraints, literals, variant).text()
    except Impossible:
        return None


@dataclass(eq=False)
class _Line:
    """One line: fixed text with slots, or sentences after a mark; ``first`` in its paragraph or not."""

    first: bool
    text: str = ""
    marker: str = ""
    sentences: int = 0
    prose: bool = False


@dataclass
class _Goal:
    """How much running text to write: adjusted from round to round."""

    words: int
    sentences: int
    paragraphs: int
    breaks: int = 0
    extra: dict[str, int] = field(default_factory=dict)


class _Writer:
    def __init__(self, plan: Plan, constraints: Sequence[Constraint], literals: Sequence[str], variant: int) -> None:
        self.plan, self.constraints, self.variant = plan, constraints, variant
        self.literals = list(literals)
        kept = [w for w in pool(plan.lexicon) if self._allowed(w)]
        if plan.word_initial:
            kept = [w for w in initials(plan.word_initial) if self._allowed(w)]
        if not kept:
            raise Impossible("no word of the lexicon is left")
        self.pool = kept
        self.next = 7 * variant

    def _allowed(self, word: str) -> bool:
        folded = word.casefold()
        if folded in self.plan.avoid:
            return False
        return not any(high is not None and letter in folded for letter, (_, high) in self.plan.letters.items())

    def text(self) -> str | None:
        """Return a text after a few rounds of writing and counting, or None."""
        plan = self.plan
        goal = self._first_goal()
        for _ in range(MAX_ROUNDS):
            if goal.words > MAX_WORDS or goal.sentences > MAX_SENTENCES or (plan.keys and goal.paragraphs > 1):
                return None
            self.next = 7 * self.variant
            text = self._write(goal)
            reading = Reading(text)
            if not self._adjust(goal, reading):
                held = all(not constraint.problem(reading) for constraint in self.constraints)
                return text if held and all(literal in text for literal in self.literals) else None
        return None

    # ---- how much -------------------------------------------------------------------------------------------------

    def _first_goal(self) -> _Goal:
        counts = self.plan.counts
        words = _near(24, counts.get("words", (0, None)))
        if "words" not in counts and "characters" in counts:
            words = _near(150, counts["characters"]) // (4 if self.plan.lexicon in UNSPACED else 6)
        per_paragraph = counts.get("paragraph_sentences", (1, None))
        paragraphs = _near(1, counts.get("paragraphs", (1, None)))
        low, high = counts.get("sentence_words", (1, None))
        marked = sum(low for mark, (low, _) in self.plan.marks.items() if mark in "?!")
        sentences = max(words // 10, -(-words // high) if high else 0, marked + 1 if marked else 0)
        sentences = _near(sentences, counts.get("sentences", (1, None)))
        if per_paragraph[1] is not None and "paragraphs" not in counts:
            paragraphs = max(paragraphs, -(-sentences // per_paragraph[1]))
        high_all = None if per_paragraph[1] is None else paragraphs * per_paragraph[1]
        sentences = _near(sentences, (paragraphs * max(1, per_paragraph[0]), high_all))
        return _Goal(max(words, sentences * low), max(1, sentences), max(1, paragraphs))

    def _adjust(self, goal: _Goal, reading: Reading) -> bool:
        """Correct the goal by the counts; False if nothing needs correction."""
        counts, plan, changed = self.plan.counts, self.plan, False
        for unit, name in (("sentences", "sentences"), ("paragraphs", "paragraphs"), ("words", "words")):
            if unit in counts and (off := _off(len(getattr(reading, unit)), counts[unit])):
                setattr(goal, name, getattr(goal, name) + off)
                changed = True
        if "lines" in counts and (off := _off(len(reading.lines), counts["lines"])):
            goal.breaks += off
            goal.sentences = max(goal.sentences, goal.paragraphs + goal.breaks)
            changed = True
        if "characters" in counts and (off := _off(len(reading.text), counts["characters"])):
            step = round(off / (4 if plan.lexicon in UNSPACED else 6)) or (1 if off > 0 else -1)
            goal.words += step
            changed = True
        for letter, interval in plan.letters.items():
            if off := _off(reading.letters[letter], interval):
                goal.extra[letter] = goal.extra.get(letter, 0) + off
                changed = True
        low, high = counts.get("sentence_words", (1, None))
        if high and goal.words > goal.sentences * high and "sentences" not in counts:
            goal.sentences, changed = -(-goal.words // high), True
        goal.words = max(goal.words, goal.sentences * low)
        if min(goal.words, goal.sentences, goal.paragraphs, goal.breaks + 1, *(n + 1 for n in goal.extra.values())) < 1:
            raise Impossible("what is fixed is too much already")
        return changed

    # ---- layout ---------------------------------------------------------------------------------------------------

    def _layout(self, goal: _Goal) -> list[_Line]:
        """Return the lines of the text, with the number of sentences that each holds."""
        plan = self.plan
        if plan.keys:
            return [_Line(True, sentences=goal.sentences, prose=True)]
        ends = plan.wrap[1] or plan.suffix or plan.last_word or plan.last_mark
        framed = bool(plan.blocks and ends and not plan.tail)
        number = max(goal.paragraphs, plan.parts, len(plan.sections), 2 if framed else 1)
        prose = [_Line(True, prose=True) for _ in range(number)]
        body: list[_Line] = []
        for k, line in enumerate(prose):
            if k < len(plan.sections):
                body.append(_Line(True, f"# {plan.sections[k]}"))
            if 0 < k < plan.parts:
                body.append(_Line(True, "***"))
            body.append(line)
        for number, numbered in plan.lists:
            marks = [f"{i}." if numbered else "-" for i in range(1, number + 1)]
            body += [_Line(i == 0, marker=f"{mark} ", sentences=1) for i, mark in enumerate(marks)]
        body += [_Line(True, block) for block in plan.blocks]
        if framed:  # blocks cannot end the text
            body.remove(prose[-1])
            body.append(prose[-1])
        tail = [_Line(True, marker=mark, sentences=1) for mark in plan.tail]
        lines = [*(_Line(True, text) for text in plan.head), *body, *tail]
        for _ in range(goal.breaks):  # lines of the last paragraph of prose
            lines.insert(lines.index(prose[-1]) + 1, _Line(False, prose=True))
        slots = [line for line in lines if line.prose]
        sentences = max(goal.sentences, len(slots))
        for k, line in enumerate(slots):
            line.sentences = sentences // len(slots) + (k < sentences % len(slots))
        return lines

    # ---- words ----------------------------------------------------------------------------------------------------

    def _word(self, initial: str = "") -> str:
        found: Sequence[str] = self.pool
        if initial:
            found = [w for w in initials(initial) if self._allowed(w)]
            if not found:
                raise Impossible(f"no word begins with {initial}")
        self.next += 1
        return found[(self.next - 1) % len(found)]

    def _tokens(self, goal: _Goal) -> list[str]:
        """Return all tokens that must occur somewhere in the running text, filled in."""
        plan = self.plan
        found = [_SLOT.sub(lambda m: self._capital() if m[1] else self._word(), token) for token in plan.need]
        for word in (*plan.placed.values(), plan.first_word, plan.last_word):  # these already have a place
            if word in found:
                found.remove(word)
        for letter, number in goal.extra.items():
            found += self._with_letter(letter, number)
        for mark, (low, _) in plan.marks.items():
            if mark not in "?!":
                found += [self._word() + mark for _ in range(low)]
        return found + self.literals

    def _capital(self) -> str:
        for _ in self.pool:
            if len(word := self._word()) > 1:
                return word.upper()
        raise Impossible("no word of two letters is left")

    def _with_letter(self, letter: str, number: int) -> list[str]:
        """Return words with a letter a number of times in total, and without other limited letters."""
        fit = [
            word for word in pool(self.plan.lexicon)
            if letter in word and word not in self.plan.avoid
            and not any(h is not None and o != letter and o in word for o, (_, h) in self.plan.letters.items())
            and word.startswith(self.plan.word_initial)
        ]  # fmt: skip
        singles = [word for word in fit if word.count(letter) == 1]
        if not singles:
            raise Impossible(f"no word with the letter {letter} is left")
        return [singles[(k + self.variant) % len(singles)] for k in range(number)]

    def _sentence(self, first: str, middle: list[str], last: str, length: int) -> list[str]:
        fixed = bool(first) + len(middle) + bool(last)
        filler = [self._word() for _ in range(length - fixed)]
        head = [first] if first else filler[:1]
        rest = filler if first else filler[1:]
        return [*head, *(t for pair in zip(middle, rest, strict=False) for t in pair),
                *middle[len(rest):], *rest[len(middle):], *([last] if last else [])]  # fmt: skip

    # ---- the text -------------------------------------------------------------------------------------------------

    def _write(self, goal: _Goal) -> str:
        lines = self._layout(goal)
        self._fill_fixed(lines)
        return self._joined(lines, self._closed(self._sentences(goal, lines)))

    def _fill_fixed(self, lines: list[_Line]) -> None:
        """Fill the slots of fixed lines with words; the first word of each follows the rule for first words."""
        plan = self.plan
        length = max(2, plan.counts.get("sentence_words", (1, None))[0])
        first = plan.first_word
        for line in lines:
            rows = []
            for row in line.text.split("\n"):
                initial = plan.sentence_initial

                def fill(match: re.Match[str]) -> str:
                    nonlocal first, initial
                    words = []
                    for _ in range(length if match[1] == "*" else 1):
                        words.append((first or self._word(initial)).capitalize())
                        first = initial = ""
                    return " ".join(words)

                rows.append(_SLOT.sub(fill, row))
            line.text = "\n".join(rows)
            first = ""

    def _sentences(self, goal: _Goal, lines: list[_Line]) -> list[list[str]]:
        """Return the words of the sentences of the running text."""
        plan = self.plan
        firsts, ordinals = self._firsts(lines), self._ordinals(lines)
        total = len(firsts)
        lengths = self._lengths(goal, total, sum(len(words_of(line.text)) for line in lines if line.text))
        tokens = self._tokens(goal)
        found: list[list[str]] = []
        for k, (first, ordinal, length) in enumerate(zip(firsts, ordinals, lengths, strict=True)):
            placed = plan.placed.get(ordinal, "")
            middle = [placed] if placed and placed != first else []
            last = plan.last_word if k == total - 1 else ""
            room = max(0, length - 1 - len(middle) - bool(last))  # one is the first word
            take = room if plan.increasing else min(room, -(-len(tokens) // (total - k)))
            middle += tokens[:take]
            del tokens[:take]
            found.append(self._sentence(first, middle, last, length))
        found[-1][1:1] = tokens  # those that do not fit make the last sentence longer
        return found

    def _firsts(self, lines: list[_Line]) -> list[str]:
        """Return the required first words of the sentences of the running text."""
        plan = self.plan
        acrostic, order = iter(plan.acrostic), iter(sorted(self.pool[: len(lines)]) if plan.sorted_lines else ())
        found: list[str] = []
        for line in lines:
            letter, start = next(acrostic, ""), next(order, "")
            for i in range(line.sentences):
                if plan.first_word and not found and not lines[0].text:
                    found.append(plan.first_word)
                elif letter and i == 0:
                    found.append(self._word(letter))
                elif plan.sentence_initial:
                    found.append(self._word(plan.sentence_initial))
                else:
                    found.append(start if i == 0 else "")
        return found

    def _ordinals(self, lines: list[_Line]) -> list[int]:
        """Return the number, from 1, of each sentence of the running text among all of the text."""
        prefix = self.plan.prefix
        number = len(Reading(prefix).sentences) if prefix.endswith(_STOPS) else 0
        found = []
        for line in lines:
            number += len(Reading(line.text).sentences) if line.text else 0
            for _ in range(line.sentences):
                number += 1
                found.append(number)
        return found

    def _lengths(self, goal: _Goal, total: int, fixed: int) -> list[int]:
        """Return how many words each sentence has."""
        low, high = self.plan.counts.get("sentence_words", (1, None))
        prefix = self.plan.prefix
        begun = 0 if prefix.endswith(_STOPS) else len(words_of(prefix))  # words that the first sentence has already
        if self.plan.increasing:
            lengths = [max(low, begun + 1) + k for k in range(total)]
            lengths[-1] += max(0, goal.words - fixed - sum(lengths))
            lengths[0] -= begun
            return lengths
        words = max(goal.words - fixed, total * low)
        lengths = [words // total + (k < words % total) for k in range(total)]
        if high:
            lengths = [min(n, high) for n in lengths]
            lengths[0] = max(1, lengths[0] - begun)
        return lengths

    def _closed(self, sentences: list[list[str]]) -> list[str]:
        """Return the sentences with a capital at the beginning and a mark at the end."""
        plan, n = self.plan, len(sentences)
        unspaced = plan.lexicon in UNSPACED
        ends = ["。" if plan.lexicon in ("Kana", "Han") else "."] * n
        if plan.question_first:
            ends[0] = "?"
        if plan.last_mark:
            ends[-1] = plan.last_mark
        for mark in "?!":
            missing = plan.marks.get(mark, (0, None))[0] - ends.count(mark) - plan.suffix.count(mark)
            free = [i for i in range(n) if ends[i] in ".。"]
            for i in free[: max(0, missing)]:
                ends[i] = mark
        found = []
        for words, end in zip(sentences, ends, strict=True):
            text = ("" if unspaced else " ").join(words)
            found.append((text[:1].upper() + text[1:] if text[:1].isalpha() else text) + end)
        if n and plan.last_word and plan.suffix:
            raise Impossible("the last word and the last phrase are both given")
        return found

    def _joined(self, lines: list[_Line], sentences: list[str]) -> str:
        plan = self.plan
        left = iter(sentences)
        found: list[str] = []
        for line in lines:
            text = line.text or line.marker + " ".join(next(left) for _ in range(line.sentences))
            found.append(("\n\n" if line.first and found else "\n" if found else "") + text)
        text = "".join(found)
        if plan.prefix:
            text = f"{plan.prefix} {text}"
        if plan.suffix:
            text = f"{text} {plan.suffix}"
        if plan.case:
            text = {"lower": str.lower, "upper": str.upper, "title": _titled}[plan.case](text)
        if plan.keys:
            first, rest = plan.keys[:-1], plan.keys[-1]
            filler = [f'"{key}": "{self.pool[0]}"' for key in first]
            return "{" + ", ".join([*filler, f'"{rest}": "{text}"']) + "}"
        return plan.wrap[0] + text + plan.wrap[1]


def _titled(text: str) -> str:
    return re.sub(r"(?<![\w'’-])[^\W\d_]", lambda m: m[0].upper(), text)


def _near(number: int, interval: Interval) -> int:
    """Return the number in an interval that is nearest to a wanted one."""
    low, high = interval
    return low if number < low else number if high is None or number <= high else high


def _off(number: int, interval: Interval) -> int:
    """Return how far a number is from an interval: what must be added to it."""
    return _near(number, interval) - number
