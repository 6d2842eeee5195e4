"""A person at a desk played by an agent, such as a model: its words count, and a scripted person follows along.

The scripted person hears the same messages; what it keeps (which wish is talked about, what was disclosed) is what the
desk asks a person for. What is said, whether it consents to a proposal and how the talk ends is the agent's.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

from turnwise.core.agent import Message, Play
from turnwise.core.env import Env, Reply, seed_of
from turnwise.core.errors import InfrastructureError
from turnwise.games.opponent import answered
from turnwise.worlds.people.part import Part
from turnwise.worlds.people.person import Person
from turnwise.worlds.people.played import agrees, objects, prompt_of, read_message
from turnwise.worlds.people.understanding import Act, understand

__all__ = ["PlayedPerson"]

_TRIES = 3
_SEEN: Final = "\n\n(You do that, and see: {})"
_BEGIN: Final = "(You are connected to the service agent. Write your first message.)"


class PlayedPerson(Person):
    """Somebody whose messages an agent writes, from the part as its instructions.

    Args:
        part: Who they are and what they want.
        hands: Carries out a named step on the person's own device and returns what they see.
        spec: The agent, as `turnwise.agents.make_agent` has it.
    """

    __slots__ = ("_messages", "_seen", "_spec")

    def __init__(self, part: Part, hands: Callable[[str], str] | None, spec: str) -> None:
        super().__init__(part, hands)
        self._spec = spec
        self._messages: tuple[Message, ...] = ({"role": "system", "content": prompt_of(part)},)
        self._seen: tuple[str, ...] = ()

    def open(self) -> str:
        super().open()
        return self._say(_BEGIN)[0]

    def hear(self, text: str) -> str:
        if self.ended:
            return ""
        proposed = any(act.kind == "confirm" for act in understand(text, self.part.lexicon))
        agreed, wish = self.agreed, self._wish
        self._seen = ()
        super().hear(text)
        self.ended = ""  # the agent decides
        said, self.ended = self._say(text + "".join(map(_SEEN.format, self._seen)))
        if proposed:
            agreed = agrees(said)
        elif objects(said):
            agreed = False
        self.agreed = agreed and self._wish is wish
        return said

    def fork(self, hands: Callable[[str], str] | None = None) -> "PlayedPerson":
        twin = super().fork(hands)
        shared = PlayedPerson.__new__(PlayedPerson)
        for name in (*Person.__slots__, *PlayedPerson.__slots__):
            setattr(shared, name, getattr(self if name in PlayedPerson.__slots__ else twin, name))
        return shared

    def _steps(self, steps: Iterable[Act]) -> list[str]:
        said = super()._steps(steps)
        self._seen = (*self._seen, *said)
        return said

    def _say(self, heard: str) -> tuple[str, str]:
        """Return what the agent writes next, and how it ended the talk."""
        self._messages = (*self._messages, {"role": "user", "content": heard})
        key = seed_of("user", self.part.seed, len(self._messages))
        for attempt in range(_TRIES):
            play = Play(list(self._messages), _Chat(), ())
            text = answered(self._spec, play, seed_of(key, attempt))
            said, ended = read_message(text.rpartition("</think>")[2])
            if said or ended:
                self._messages = (*self._messages, {"role": "assistant", "content": said or text})
                return said or "Goodbye.", ended
        raise InfrastructureError(f"the user {self._spec!r} wrote nothing, {_TRIES} times")


class _Chat(Env[None]):
    """What an agent that plays a person sees of an environment: nothing but a conversation."""

    def begin(self) -> str:
        return ""

    def respond(self, action: str) -> Reply:
        return Reply("")

    def sample_action(self, rng: np.random.Generator) -> Any:
        return ("Yes, please.", "No, thank you.", "I don't know.")[int(rng.random() * 3)]
