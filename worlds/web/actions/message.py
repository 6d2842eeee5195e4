"""Where a message's calls are, and which of them count: one rule for every notation.

1. What stands before ``</think>`` is thought, and never read for calls.
2. Where there are tags (``<action>``, ``<tool_call>``, ``<function_call>``; ``<answer>`` for an answer), what is in
   them is done, and the text before them is talk.
3. Without tags, a call counts that stands in a fenced block, as JSON, on a line of its own, behind a colon, or in a
   sentence that says that it is made. One that is only considered ("I could ...", "or ...", "not ...") does
   not, and where others stand in a place of their own, sentences before them are talk.
4. The calls that count are the message's actions, in their order; a repeated one is one action. The environment decides
   how many may be done in one message, and does none if there are more.
5. Nothing is cut out of what is unfinished: a call counts if it is closed, an ``<answer>`` if its tag is.

Every message is read in time linear in its length.
"""

import re
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from turnwise.worlds.web.actions import toolcalls
from turnwise.worlds.web.actions.literals import Call, read_call, short
from turnwise.worlds.web.actions.sentences import announced, goes_on, made

__all__ = ["MessageReader", "Tagged", "without_thought"]

T = TypeVar("T")

MAX_CALLS = 20
_MAX_PLACES = 60  # that look like calls, in one message
_MAX_TAGS = 200
_MAX_SEARCHED_CHARS = 200_000  # of text without tags; the longest action there is has half of it

_COMMENT = re.compile(r"[ \t`;]*+#[^\n]*+")
_END_OF_TURN = re.compile(r"(?:<\|(?:im_end|eot_id|eom_id|endoftext|end|end_of_turn)\|>|<end_of_turn>|</s>)\s*+\Z")
_THOUGHT = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(action|answer|tool_call|function_call)>", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"[\W_]*(?:your |the |an? )?(?:action|answer|call|here|\W)*", re.IGNORECASE)
_LEAD = r"[ \t>*`-]{0,40}+(?:\d{1,3}[.)][ \t]{1,4})?"
_LABEL = r"(?:(?:next[ \t]|final[ \t])?action(?:[ \t]\d{1,3})?\*{0,2}[ \t]?:[* \t`]{0,6})?"
_BETWEEN = re.compile(rf"(?:[\s;`.*,]|#[^\n]*+|//[^\n]*+)*+{_LEAD}{_LABEL}", re.IGNORECASE)
_STANDS = re.compile(_LEAD + _LABEL, re.IGNORECASE)
_JOINED = re.compile(r"[ \t\r;,.`*]*+(?:(?:and|then)[ \t]+){0,2}+[`*]{0,4}", re.IGNORECASE)
_ACTION_INPUT = re.compile(r"\s{0,4}\n\W{0,4}Action Input\W{0,4}:[ \t]{0,4}", re.IGNORECASE)
_LANGUAGE = re.compile(r"[ \t]*+\w{0,20}[ \t\r]*+\n")
_BARE = 5  # the group of a place that is a word alone
_TALK, _SAID, _EXPLICIT = range(3)


class _NoCallError(ValueError):
    """JSON that is not a call."""


class Tagged(NamedTuple):
    """A piece of a message: what a tag holds, or (``tag=""``) the text between tags."""

    tag: str
    text: str
    closed: bool


class _Seen(NamedTuple, Generic[T]):
    """Calls that stand together, how much they count, where they end, and how they are written."""

    actions: list[T]
    weight: int
    end: int
    text: str


def without_thought(message: str) -> str:
    """Return the message without its thought: between ``<think>`` and ``</think>``, or before a ``</think>`` alone.

    The tokens with which chat templates end a turn are left out, too.

    Raises:
        ValueError: The message ends inside a thought.
    """
    kept: list[str] = []
    at, inside = 0, False
    for tag in _THOUGHT.finditer(message):
        if not inside:
            kept.append(message[at : tag.start()])
        if tag[1] and not inside:
            kept.clear()
        inside = not tag[1]
        at = tag.end()
    if inside:
        raise ValueError("the message ends inside <think>; close it and give an action")
    return _END_OF_TURN.sub("", "".join([*kept, message[at:]]))


def _pieces(text: str) -> list[Tagged]:
    """Return the text between tags and the tags' contents, in order; an end tag that closes nothing is dropped."""
    pieces: list[Tagged] = []
    at, opened = 0, ""
    for tag in _TAG.finditer(text):
        if len(pieces) >= _MAX_TAGS:
            raise ValueError(f"the message has more than {_MAX_TAGS} tags, and nothing was done; write one action")
        name, content = tag[2].lower(), text[at : tag.start()]
        at = tag.end()
        pieces.append(Tagged(opened, content, bool(tag[1]) and name == opened))
        opened = "" if tag[1] else name
    pieces.append(Tagged(opened, text[at:], False))
    return pieces


class MessageReader(Generic[T]):
    """Finds the actions of messages.

    Args:
        names: Those that calls may have, in lower case.
        meant: What a call means; raises ValueError with a text for the agent.
        ending: Whether an action ends the task.
        answered: The action of ``<answer>text</answer>``; None where that tag means nothing.
        hint: How to write an action, for error texts; by the name of a call, or "".
    """

    def __init__(
        self,
        names: frozenset[str],
        meant: Callable[[Call], list[T]],
        ending: Callable[[T], bool],
        answered: Callable[[str], T] | None,
        hint: Callable[[str], str],
    ) -> None:
        self.names, self.meant, self.ending, self.answered, self.hint = names, meant, ending, answered, hint
        words = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
        brackets, bare = (
            "|".join(sorted(toolcalls.BRACKETED)),
            "|".join(sorted(toolcalls.BARE_WORDS, key=len, reverse=True)),
        )
        self._place = re.compile(
            rf"(?<![\w.$<])(?:({words})[ \t]{{0,4}}\(|({brackets})[ \t]?(?=\[)|(answer|scroll window)[ \t]?(?=;)"
            rf"|(?:(?<=action: )|(?<=action:))({words})(?=\s{{0,4}}\n\W{{0,4}}action input)"
            rf"|(?:(?<=action:[ *])|(?<=:\*\* )|(?<=```)|(?<=```\n))({bare})(?=[ \t`.*]{{0,9}}(?:\n|\Z))"
            rf'|(?=(?:\[\s{{0,8}})?\{{\s{{0,8}}"(?:{toolcalls.ACTION_LIKE}|{words})"\s{{0,8}}:))',
            re.ASCII | re.IGNORECASE,
        )

    def read(self, message: str) -> list[T]:
        """Return the actions of a message, in order.

        Raises:
            ValueError: There is no action, or it is unclear which is meant; the message is for the agent.
        """
        pieces = _pieces(without_thought(message))
        acts = [i for i, piece in enumerate(pieces) if piece.tag not in ("", "answer") and self._counts(piece)]
        answers = [i for i, (tag, text, closed) in enumerate(pieces) if tag == "answer" and (closed or text.strip())]
        if acts and answers:
            raise ValueError("the message has an <action> and an <answer>; give one of them")
        if answers:
            found = self._answers([pieces[i] for i in answers])
            if found is not None:
                return self._checked([found, *self._after(pieces, answers[-1])])
        if acts:
            blocks = [self._tag(pieces[i]) for i in acts]
            return self._checked([*blocks, *self._after(pieces, acts[-1])])
        text = "\n".join(piece.text for piece in pieces)
        if any(piece.closed for piece in pieces) and not text.strip():
            raise ValueError(f"the action is empty; {self.hint('')}")
        return self._checked(self._talk(text))

    def _counts(self, piece: Tagged) -> bool:
        """Whether a tag has content, rather than being mentioned in a sentence."""
        if piece.closed:
            return _PLACEHOLDER.fullmatch(piece.text, 0, 200) is None or len(piece.text) > 200
        return self._place.search(piece.text[:_MAX_SEARCHED_CHARS]) is not None or (
            toolcalls.bare_call(piece.text[:40]) is not None and len(piece.text) < 40
        )

    def _tag(self, piece: Tagged) -> list[T]:
        try:
            return self._strict(piece.text)
        except ValueError:
            if not piece.closed:
                raise
            try:
                blocks = self._talk(piece.text)
            except ValueError:
                blocks = []
            if len(blocks) != 1:
                raise
            return blocks[0]

    def _answers(self, pieces: list[Tagged]) -> list[T] | None:
        """Return what the tags ``<answer>`` say, or None if they are only mentioned."""
        closed = [piece.text.strip() for piece in pieces if piece.closed]
        if not pieces[-1].closed:  # what stands there may be the half of an answer
            text = pieces[-1].text
            if self._place.match(text.lstrip(" \t\r\n`")) is not None:
                return self._strict(text)
            raise ValueError("the answer is not finished; write all of it as <answer>...</answer>")
        content = closed[-1]
        if any(" ".join(other.split()) != " ".join(content.split()) for other in closed[:-1]):
            raise ValueError("the message gives different answers; give exactly one")
        if not content:
            raise ValueError("the answer is empty")
        start = self._place.match(content.lstrip("`"))
        if start is not None:
            try:
                return self._strict(content)
            except _NoCallError:
                pass
            except ValueError:
                if start[1] is None or not start[0][-2].isspace():  # "wait (2 hours)" is a text
                    raise
        return None if self.answered is None else [self.answered(content)]

    def _after(self, pieces: list[Tagged], last: int) -> list[list[T]]:
        """Return calls on lines of their own after the last tag."""
        text = "\n".join(piece.text for piece in pieces[last + 1 :])
        return [each.actions for each in self._seen(text[:_MAX_SEARCHED_CHARS]) if each.weight == _EXPLICIT]

    def _checked(self, blocks: list[list[T]]) -> list[T]:
        """Return all actions without those that are only repeated."""
        found: list[T] = []
        for number, block in enumerate(blocks):
            if block not in blocks[:number] and not (len(block) == 1 and block[0] in found):
                found += block
        if len(found) > MAX_CALLS:
            raise ValueError(f"a message may hold at most {MAX_CALLS} actions; nothing was done")
        for action in found[:-1]:
            if self.ending(action):
                raise ValueError("the task ends with an answer or done(): nothing may come after it; nothing was done")
        return found

    # ---- text that holds calls and nothing else ---------------------------------------------------------------------

    def _strict(self, text: str) -> list[T]:
        """Return the actions of a text that contains calls and nothing else."""
        text = text.strip()
        if text.startswith("```"):
            text = text[3:].removesuffix("```")
            language = _LANGUAGE.match(text)
            text = (text if language is None else text[language.end() :]).strip()
        if len(text) < 60 and (bare := toolcalls.bare_call(_STANDS.sub("", text, count=1))) is not None:
            return self._meant(bare)
        found: list[T] = []
        at = self._next(text, 0)
        while at < len(text):
            actions, at = self._one(text, at)
            found += actions
            if len(found) > MAX_CALLS:
                raise ValueError(f"a message may hold at most {MAX_CALLS} actions; nothing was done")
            at = self._next(text, at)
        if not found:
            raise ValueError(f"the action is empty; {self.hint('')}")
        return found

    @staticmethod
    def _next(text: str, at: int) -> int:
        match = _BETWEEN.match(text, at)
        return at if match is None else match.end()

    def _one(self, text: str, at: int) -> tuple[list[T], int]:
        """Return the call at this place, whatever its notation."""
        name = ""
        try:
            place = self._place.match(text, at)
            if text[at] in "{[":
                value, end = toolcalls.read_json(text, at)
                return self._json(value), end
            if place is not None and place[1] is None:
                name = (place[2] or place[3] or place[4] or "").lower()
                if place[_BARE]:
                    bare = toolcalls.bare_call(place[_BARE])
                    assert bare is not None
                    return self._meant(bare), place.end()
                if place[4]:
                    label = _ACTION_INPUT.match(text, place.end())
                    return self._input(text, name, place.end() if label is None else label.end())
                call, end = toolcalls.read_brackets(text, name.partition(" ")[0], place.end())
            else:
                name = "" if place is None else place[1].lower()
                call, end = read_call(text, at)
        except _NoCallError:
            raise
        except ValueError as error:
            raise ValueError(f"{error}; {self.hint(name)}") from None
        return self._meant(call), end

    def _input(self, text: str, name: str, at: int) -> tuple[list[T], int]:
        """Return the call whose name follows "Action:" and whose values follow "Action Input:"."""
        if text.startswith("{", at):
            value, end = toolcalls.read_json(text, at)
        else:
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            value = text[at:end].strip().strip("`'\"")
        return self._json({"name": name, "arguments": value}), end

    def _json(self, value: object) -> list[T]:
        calls = toolcalls.calls_of_json(value, self.names)
        found: list[T] = []
        for call in calls:
            found += self._strict(call) if isinstance(call, str) else self._meant(call)
        if not found:
            raise _NoCallError(f"this JSON is not a call; {self.hint('')}")
        return found

    def _meant(self, call: Call) -> list[T]:
        return self.meant(call._replace(name=call.name.lower()))

    # ---- text with calls in it --------------------------------------------------------------------------------------

    def _talk(self, text: str) -> list[list[T]]:
        """Return the calls that count in a text without tags."""
        if len(text) > _MAX_SEARCHED_CHARS:
            text = text[-_MAX_SEARCHED_CHARS:].partition("\n")[2]
        stripped = text.strip(" \t\r\n.`*")
        if len(stripped) < 40 and (bare := toolcalls.bare_call(stripped)) is not None:
            return [self._meant(bare)]
        seen = self._seen(text)
        last = max((i for i, each in enumerate(seen) if each.weight == _EXPLICIT), default=-1)
        chosen = [
            each for i, each in enumerate(seen) if each.weight == _EXPLICIT or (i > last and each.weight == _SAID)
        ]
        counted = [each.actions for each in chosen]
        doubtful = [each for each in seen[last + 1 :] if each.weight == _TALK and each.actions not in counted]
        if not chosen or (last < 0 and doubtful and doubtful[-1].end > chosen[-1].end):
            if not seen:
                raise ValueError(f"no action was found; {self.hint('')}")
            named = (doubtful or seen)[-1].text
            raise ValueError(f"it is not clear whether {named} is meant, and nothing was done; {self.hint('')}")
        return counted

    def _seen(self, text: str) -> list[_Seen[T]]:
        """Return all calls in a text without tags, and how much each counts.

        Raises:
            ValueError: One that counts cannot be read.
        """
        seen: list[_Seen[T]] = []
        at = tries = 0
        while (place := self._place.search(text, at)) is not None:
            start = place.start()
            tries += 1
            if tries > _MAX_PLACES:
                raise ValueError(f"the message has too many calls, and nothing was done; {self.hint('')}")
            before = text[max(text.rfind("\n", 0, start) + 1, start - 400) : start]
            explicit = place.lastindex in (None, _BARE) or _STANDS.fullmatch(before) is not None or announced(before)
            try:
                actions, at = self._one(text, start)
            except _NoCallError:
                at = start + 1
                continue
            except ValueError:
                if explicit or made(before):
                    raise
                at = max(start + 1, text.find("\n", start))
                seen.append(_Seen([], _TALK, start, short(text[start : start + 60])))
                continue
            self._weigh(seen, text, _Seen(actions, _EXPLICIT if explicit else _TALK, at, short(text[start:at])), start)
            comment = _COMMENT.match(text, at)
            at = at if comment is None else comment.end()
        return seen

    def _weigh(self, seen: list[_Seen[T]], text: str, new: _Seen[T], start: int) -> None:
        """Add a call to those found before it."""
        after, last = text[new.end : new.end + 240], seen[-1] if seen else None
        before = text[max(text.rfind("\n", 0, start) + 1, start - 400) : start]
        joined = _JOINED.match(text, new.end)
        ends = (self._next(text, new.end), new.end if joined is None else joined.end())
        fits = goes_on(after) or any(self._place.match(text, end) is not None for end in ends)
        if last is not None and last.weight == _EXPLICIT and _BETWEEN.fullmatch(text, last.end, start) and fits:
            seen[-1] = last._replace(actions=last.actions + new.actions, end=new.end)
        elif last is not None and last.weight and _JOINED.fullmatch(text, last.end, start) and fits:
            seen.append(new._replace(weight=last.weight))
        elif new.weight == _EXPLICIT and fits:
            seen.append(new)
        elif fits and made(before) and not (self.ending(new.actions[-1]) and text[new.end :].strip(" \t\r\n.`*!")):
            seen.append(new._replace(weight=_SAID))
        else:
            seen.append(new._replace(weight=_TALK))
