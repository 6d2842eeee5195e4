"""A person played by a language model: the part as its prompt, and the marker by which it ends the talk."""

import re
from typing import Final

from turnwise.worlds.people.part import Fact, Part, Wish

__all__ = ["ENDINGS", "agrees", "objects", "prompt_of", "read_message"]

ENDINGS: Final = {"[DONE]": "satisfied", "[REFUSED]": "refused", "[TRANSFERRED]": "transferred", "[LEFT]": "left"}
_MARKER: Final = re.compile(r"\[\s{0,3}(DONE|REFUSED|TRANSFERRED|LEFT)\s{0,3}\]", re.IGNORECASE)
_YES: Final = re.compile(
    r"\b(?:yes|yeah|yep|yup|sure|please do|go ahead|go for it|do it|do that|correct|right|confirm|confirmed|okay|ok|"
    r"perfect|great|fine|agreed?|of course|absolutely|certainly|sounds good|works for me|exactly)\b"
)
_POLITE: Final = re.compile(r"\b(?:no problem|no worries|not a problem|no need to wait)\b")
_NO: Final = re.compile(
    r"\b(?:no|nope|not|don't|doesn't|isn't|wait|wrong|incorrect|instead|rather|stop|hold on|never mind|different)\b"
)
_MANNERS: Final = {
    "plain": "You are friendly and matter-of-fact, and write in short, ordinary sentences.",
    "chatty": "You are cheerful and talkative. You add a bit of small talk, but answer what you are asked.",
    "terse": "You write as little as possible, often just a few words.",
    "impatient": "You are in a hurry and easily annoyed. You want quick results and say so.",
    "formal": "You write politely and formally, in complete sentences.",
    "hesitant": "You are unsure of yourself, hesitate, and apologise a lot.",
}


def prompt_of(part: Part) -> str:
    """The instructions for a model that plays the person in a conversation with a service agent."""
    persona = part.persona
    told = "\n".join(_fact(fact, part) for fact in part.facts) or "- (nothing in particular)"
    wishes = "\n\n".join(f"{place}. {_wish(wish, part)}" for place, wish in enumerate(part.wishes, 1))
    return f"""You are {persona.name}, and you are writing to customer service. Everything you receive is written by a
service agent. Play this person until the conversation is over; never play the agent, and never mention these
instructions.

How you write: {_MANNERS[persona.manner]} Use your own words rather than the sentences below.

Who you are. Give one of these details only when you are asked for it:
{told}

What you want. Bring these up one at a time, in this order, and move on to the next one once the agent has settled
the one before:

{wishes}

Rules:
- Write one message at a time, with nothing but what you would say to the agent.
- Start with a greeting and your first wish. Do not give details before you are asked for them, except where it says so.
- Answer every question in the agent's message. If you are asked for something that is not written here, say that you
  do not know it. Never make anything up.
- If the agent proposes exactly what you want and asks for your consent, say yes. If a detail of the
  proposal is wrong, correct it. If the agent proposes something that you never asked for, decline.
- If the agent refuses, follow what is written with the wish. Do not accept an alternative that is not written here.
- If {persona.patience} messages in a row have not helped you at all, leave.

When the conversation is over, end your last message with exactly one of these markers, and never use one before:
- [DONE] if everything you wanted was settled
- [REFUSED] if everything was dealt with, but at least one wish was finally refused
- [TRANSFERRED] if the agent is handing you over to somebody else
- [LEFT] if you leave because you have run out of patience"""


def read_message(text: str) -> tuple[str, str]:
    """A model's message without markers, and how it ended the talk: empty while it goes on, else as `Person.ended`.

    The last marker counts if a model writes several.
    """
    ended = ""
    for marker in _MARKER.finditer(text):
        ended = ENDINGS[f"[{marker.group(1).upper()}]"]
    return _MARKER.sub("", text).strip(), ended


def agrees(text: str) -> bool:
    """Return whether a reply to a proposal consents to it as it is."""
    return _YES.search(_lower(text)) is not None and not objects(text)


def objects(text: str) -> bool:
    """Return whether a reply declines or corrects something."""
    return _NO.search(_POLITE.sub("", _lower(text))) is not None


def _lower(text: str) -> str:
    return text.lower().replace("\u2019", "'")


def _fact(fact: Fact, part: Part) -> str:
    name = _name(fact.slot, part)
    return f"- {name}: {fact.value}" if fact.value else f"- {name}: you do not know it"


def _name(slot: str, part: Part) -> str:
    return next(iter(part.lexicon.slots.get(slot, ())), slot.replace("_", " "))


def _wish(wish: Wish, part: Part) -> str:
    lines = [wish.opening]
    if wish.question:
        lines.append("You only want to know this; an answer settles it.")
    said = [fact for fact in wish.facts if fact.offered and fact.value]
    asked = [fact for fact in wish.facts if fact not in said]
    if said:
        lines += ["Mention right away:", *(_fact(fact, part) for fact in said)]
    if asked:
        lines += ["Say only when asked:", *(_fact(fact, part) for fact in asked)]
    lines += [
        f"If the agent names {_either(fact.others)}, correct it: you want {fact.value}."
        for fact in wish.facts
        if fact.others and fact.value
    ]
    if wish.slip is not None:
        lines.append(
            f"When asked for {_name(wish.slip.slot, part)}, first say {wish.slip.value} by mistake, "
            "and correct yourself in your next message."
        )
    lines.append(_refused(wish, part))
    return "\n   ".join(lines)


def _refused(wish: Wish, part: Part) -> str:
    pushes = {0: "accept it at once", 1: "push back once, then accept it"}.get(
        wish.insists, f"push back {wish.insists} times, then accept it"
    )
    if wish.fallback is None:
        return f"If it is refused, {pushes}."
    return f"If it is refused, {pushes} and ask for this instead:\n   {_wish(wish.fallback, part)}"


def _either(values: tuple[str, ...]) -> str:
    return " or ".join(values)
