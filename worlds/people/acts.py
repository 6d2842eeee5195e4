"""What a message does: one act for each thing."""

from typing import Final, NamedTuple

from turnwise.worlds.people.cues import TURNS

__all__ = ["Act", "told_whether"]

_BEYOND: Final = frozenset({"ask", "ask_identity", "confirm", "done", "handover", "instruct", "wait"})  # a mere yes


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


def told_whether(acts: tuple[Act, ...], heard: str) -> tuple[Act, ...]:
    """The acts of an answer to "is that a no?": with a refusal if it says yes, else only with what refuses for certain.

    Args:
        acts: What the message does by itself.
        heard: Its text, in plain lower case.
    """
    text = heard.strip()
    if TURNS["affirming"].match(text) and not {act.kind for act in acts} & _BEYOND:
        return (*acts, Act("refuse", "", (), text))
    denial = TURNS["denying"].match(text)
    if denial is None:
        return acts
    no = denial.group().endswith(("no", "nope"))  # "no, it isn't possible"
    return tuple(act for act in acts if act.kind != "refuse" or (no and not act.maybe))
