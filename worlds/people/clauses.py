"""A message in clauses: cleaned of markup, cut at sentences and conjunctions, with the cues and names in each."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from turnwise.worlds.people.cues import TURNS, cues_of
from turnwise.worlds.people.memory import Memory
from turnwise.worlds.people.phrases import Found, tokens_of
from turnwise.worlds.people.values import month_marked
from turnwise.worlds.people.vocabulary import Vocabulary

__all__ = ["VALUE", "Clause", "clauses_of", "main_actions", "names_of", "plain", "plainest"]

_MOST_HEAD, _MOST_TAIL, _MOST_CLAUSES = 6000, 2000, 160
_MARKUP: Final = re.compile(
    r"<[^<>\n]{0,80}>|[*_`~|]+|\[(?=[^\[\]\n]{1,80}\]\()|\]\([^()\s]{0,200}\)|^[ \t>]+|^#{1,6} ", re.M
)
_ADDRESSED: Final = re.compile(  # "Ms. Ortega, ...", "..., Mr. Brandt?", "..., Priya?"
    r"(?m:^|(?<=[.!?] ))(?:Mr|Ms|Mrs|Dr)\.? [A-Z][\w'-]*, (?=\w)|"
    r"(?<=[a-z]),(?: (?:Mr|Ms|Mrs)\.?)? [A-Z][a-z]+(?=[?!](?:\s|$))"
)
_FULL: Final = re.compile(
    r"\b(?:(i) am|(?<!of )(i|we|you) will|(i|we|you) would|(do|does|did|could|would|should) not|"
    r"(can) ?not)\b"
)
_ENDINGS: Final = ("", "'m", "'ll", "'d", "n't", "'t")
_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " ", "–": "-", "—": "-", "…": "."})
_SPLIT: Final = re.compile(  # begins with a set of characters, which the engine is quick to find
    r"[\"')\]\s;:](?:"
    r"(?:(?<=[^\d][.!?][\"')\]\s])(?<!\bdr\.[\"')\]\s])(?<!\bmr\.[\"')\]\s])(?<!\bms\.[\"')\]\s])"
    r"(?<!\bmrs\.[\"')\]\s])|(?<=[^\n]\d[.!?][\"')\]\s]))(?:(?<=\s)\s*|(?<=[\"')\]])[\"')\]]*\s+)|"
    r"(?<=\n)\n*|(?<=;)\s+|(?<=[a-z)\d] )- (?=[a-z])|"
    r"(?<=:) (?=(?:(?:what|which|who|whose|how|why|where|could|can|would|shall|should|may|do|is|are|did|was|please|"
    r"when|(?:to|for|with|on|at|in|by|from|under) (?:what|which|whom?|how))(?:'s)?|"
    r"(?:i|we)(?:'ve| have)?(?: now| just)? \w+ed) ))"
)
_INLINE: Final = re.compile(
    r"[:?] +(?:\(?1[.)]|[-•]) +[^\n]{0,200}? +(?:\(?2[.)]|[-•]) +[^\n]*"
)  # "please tell me: 1. ... 2. ..."
_ITEM: Final = re.compile(r"(?<=[\w:?)]) +(?=(?:\(?\d[.)]|[-•]) +\S)")
_BULLET: Final = re.compile(r"^\s*(?:[-+•·*✓✔→▪◦–]|\(?\d{1,2}[.)]|[a-h][.)])\s+")
VALUE: Final = re.compile(
    r"[@#:\"\d](?:(?<=@)\w|(?<=#)\s?\w*\d|(?<=\d)(?:\d\d|-\d|(?<=[a-z$]\d)|(?<=[a-z]-\d))|(?<=\")[^\"]+\"|"
    r"(?<=:)\s*(?!your\b|the\b|\?)\S)"
)

_SO: Final = re.compile(r"^(?:so that|so|to|before|for) [^,?]{2,60}, ")  # "so that I can look it up, who are you"
_LACKS_VERB: Final = re.compile(  # "and your email", "route, date"
    r"(?:and|then|also|now|lastly|finally|next)?,? ?(?:(?:your|the) (?!.*\b(?:is|are|was|were|has|have|had|will|would|"
    r"can|could|does|did|isn't|needs?)\b)[\w' -]+|[\w-]+(?:,? [\w-]+){0,2})$"
)


def plain(text: str) -> str:
    """A text's head and tail in lower case, without markup, curly quotes, forms of address, or spellings in full."""
    if len(text) > _MOST_HEAD + _MOST_TAIL:
        text = text[:_MOST_HEAD] + "\n" + text[-_MOST_TAIL:]
    if "," in text:
        text = _ADDRESSED.sub("", text)
    if "1" in text or " - " in text or "•" in text:
        text = _INLINE.sub(lambda found: _ITEM.sub("\n", found.group()), text)
    text = _MARKUP.sub("", text.translate(_QUOTES).replace("\n* ", "\n- ").lower())
    return "\n" + month_marked(_FULL.sub(_shortened, text))


def _shortened(found: re.Match[str]) -> str:
    """A verb and its subject or "not" in one word: "i'm", "don't"."""
    kind = found.lastindex or 1
    return found.group(kind) + _ENDINGS[kind]


class Clause(NamedTuple):
    """A piece of a sentence, its words, and what is named in it."""

    text: str
    words: list[str]
    cues: int
    asks: bool  # ends in a question mark
    bullet: bool
    slots: list[Found]
    actions: list[Found]


def clauses_of(text: str, vocabulary: Vocabulary) -> list[Clause]:
    """The clauses of a message in plain lower case."""
    found: list[Clause] = []
    lines: Memory[tuple[Clause, ...]] = vocabulary.lines
    for raw in _SPLIT.split(text):
        if not raw or raw.isspace():
            continue
        found += lines.get(raw) or lines.keep(raw, tuple(_of_line(raw, vocabulary)))
        if len(found) >= _MOST_CLAUSES:
            break
    return found


def _of_line(raw: str, vocabulary: Vocabulary) -> Iterator[Clause]:
    """The clauses of a sentence or a line."""
    line = raw.strip()
    mark = _BULLET.match(raw)
    if mark:
        line = raw[mark.end() :].strip()
    if "reason" in line:
        line = TURNS["aside"].sub("for safety", line)
    pieces = TURNS["clause"].split(line) if len(line) > 30 else [line]
    open_ = "?" in pieces[-1][-4:]  # "what day would suit you, and do you prefer the morning?"
    lists = not open_ and len(pieces) > 1 and TURNS["request"].search(pieces[0]) is not None
    for piece in pieces:
        words = tokens_of(piece)
        if not words:
            continue
        asks = "?" in piece[-4:] or (open_ and TURNS["asking"].match(_SO.sub("", piece)) is not None)
        asks = asks or (lists and TURNS["wh"].match(piece) is not None)  # "tell me which line, and what plan"
        slots, actions = vocabulary.slots(words), vocabulary.actions(words)
        asks = asks or (open_ and slots != [] and len(words) <= 7 and _LACKS_VERB.match(piece) is not None)
        yield Clause(piece, words, cues_of(piece, words), asks, mark is not None, slots, actions)


def names_of(clause: Clause) -> tuple[str, ...]:
    """The actions that a clause names."""
    return tuple(dict.fromkeys(action.name for action in plainest(main_actions(clause))))


def main_actions(clause: Clause) -> list[Found]:
    """What a clause names outside of the parts that begin with "since", "until", "without" and the like."""
    found = clause.actions
    if found and any(action.aside for action in found):
        found = [action for action in found if not (action.aside and _is_attached(clause.words, action.start))]
    if len(found) < 2:
        return found
    lead, tail = TURNS["lead"].match(clause.text), TURNS["tail"].search(clause.text)
    first = len(tokens_of(clause.text[: lead.end()])) if lead else 0
    last = len(tokens_of(clause.text[: tail.start()])) if tail else len(clause.words)
    return [
        action
        for action in found
        if first <= action.start < last and clause.words[action.start - 1 : action.start] != ["without"]
    ] or found


def _is_attached(words: Sequence[str], place: int) -> bool:
    """Whether something is spoken of as what a thing comes with or without: "no insurance"."""
    return place > 0 and words[place - 1] in ("no", "with", "without")


def plainest(found: Sequence[Found]) -> list[Found]:
    """Of what may name an action, what does so most plainly; what another action brings with it only by itself."""
    certain = [action for action in found if action.level]
    kept = [action for action in certain if not action.aside]
    if kept:  # "charge the fee and book it" does two things; "book it and charge the fee" is about the booking
        first = min(action.start for action in kept)
        kept += [action for action in certain if action.aside and action.start < first and action.level >= 2]
    if not kept and certain:
        kept = [action for action in found if not action.level and action.start < certain[0].start] + certain
    return [action for action in kept if action.level >= 2] or kept
