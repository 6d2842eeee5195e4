"""What a message does: one act for each thing."""

from typing import NamedTuple

__all__ = ["Act"]


class Act(NamedTuple):
    """One thing that a message does.

    Attributes:
        kind: ``ask``, ``ask_open``, ``ask_more``, ``confirm``, ``done``, ``refuse``, ``offer``, ``answer``,
            ``instruct``, ``wait``, ``handover``, ``bye``, ``ask_identity`` or ``unclear``.
        slot: The slot asked for, or the step asked for; empty for other kinds.
        actions: The actions named.
        text: The words, in lower case without markup, in which it was said.
        instead: Whether it is asked only in case the question before it cannot be answered.
        aside: Whether it may be no more than what comes with another action.
        maybe: Whether it is read from its surroundings only: a question that may be for this or for another detail, a
            proposal whose action was named before, a state that may be the outcome. It counts for those whom it fits.
    """

    kind: str
    slot: str = ""
    actions: tuple[str, ...] = ()
    text: str = ""
    instead: bool = False
    aside: bool = False
    maybe: bool = False
