"""A conversation as rows of tokens in an engine: open, read, act, close.

Everything that samples turns from a model goes through here: the local agent and the trainer's rollouts. The sampled
tokens stay in the row that sampled them, exactly as they were; what is read between them is up to a context policy.
"""

import math
from collections.abc import Iterable, Sequence

from turnwise.core.episode import Tokens
from turnwise.engine.context import Context, Next
from turnwise.engine.protocol import Engine, Sampled
from turnwise.engine.tokens import Message, Stream

__all__ = ["Conversation", "no_room", "tell"]


class Conversation:
    """One conversation with a model.

    Args:
        context: A new one: what is read before each turn.
        engine: Where the row is; without one, the rows are only written down.
        max_len: Tokens of the longest row; the engine's, unless given.

    Attributes:
        streams: Its rows, with the sampler's log-probabilities: one, unless the context policy began new ones.
        handle: The engine's row; -1 where there is none.
        internal: The next turn is for the context policy.
        full: There was no room for what came next.
    """

    def __init__(self, context: Context, engine: Engine | None = None, max_len: int | None = None) -> None:
        self.context, self.engine = context, engine
        self.max_len = max_len or (engine.max_len if engine is not None else math.inf)
        self.streams: list[Stream] = []
        self.handle = -1
        self.internal = self.full = False
        self._last: Sampled | None = None
        self._next: Next | None = None  # known before the conversation goes on: after a summary
        self._read = Next([])

    @property
    def stream(self) -> Stream:
        """The present row."""
        return self.streams[-1]

    def read(self, messages: Sequence[Message], room: int = 1) -> bool:
        """Append what is new in the conversation to its row; False, and nothing is, if that leaves too little room.

        Args:
            messages: The whole conversation; after the first turn, only the last message is new.
            room: Tokens that must fit behind it.
        """
        last, following = self._last, self._next
        if following is None and last is not None:
            said = messages[-1]["content"]
            following = self.context.after(last.ids, said, closed=last.stopped, length=len(self.stream))
        following = following or self.context.opening(messages)
        before = 0 if following.fresh else len(self.stream)
        self.full = before + len(following.ids) + room > self.max_len
        if self.full:
            return False
        self._next, self._read, self.internal = None, following, following.internal
        if following.fresh:
            self.close()
            self.handle = -1 if self.engine is None else self.engine.open(1)[0]
            self.streams.append(Stream(num_turns=self.stream.num_turns if self.streams else 0))
        self.stream.context(following.ids)
        if self.engine is not None:
            self.engine.extend([self.handle], [following.ids])
        return True

    def act(self, turn: Sampled) -> None:
        """Write down a turn, exactly as it was sampled."""
        self.stream.action(turn.ids, turn.logps)
        self._last = turn
        if self.internal:
            self._next = self.context.summarised(turn.ids)

    def tokens(self) -> Tokens:
        """What the last turn read that was new, and what it sampled, for the record of an episode."""
        assert self._last is not None
        read, turn = self._read, self._last
        return Tokens(tuple(read.ids), tuple(turn.ids), tuple(turn.logps), fresh=read.fresh)

    def close(self) -> None:
        """Give the engine's row back; the streams stay."""
        if self.engine is not None and self.handle >= 0:
            self.engine.close([self.handle])
            self.handle = -1


def no_room(max_len: float) -> Tokens:
    """The tokens of a turn that was not sampled, as its row was full."""
    return Tokens(fault=f"cut: the conversation and one more token exceed the longest row, {max_len:g} tokens")


def tell(
    context: Context, turns: Iterable[tuple[str, Sequence[int]]], max_len: int, system: str | None = None
) -> list[Stream]:
    """The rows of a conversation whose actions are known, up to the first turn that does not fit.

    Args:
        context: A new one.
        turns: What was said before each turn, and the tokens of the action.
        max_len: Tokens of the longest row.
        system: The system message.
    """
    told = Conversation(context, max_len=max_len)
    head: list[Message] = [{"role": "system", "content": system}] if system else []
    for observation, action in turns:
        if not told.read([*head, {"role": "user", "content": observation}], room=len(action)):
            break
        told.act(Sampled(list(action), [0.0] * len(action), action[-1] in context.renderer.stop_ids))
    return told.streams
