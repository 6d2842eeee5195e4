"""Other ways to say the same: changes to an utterance that leave what it does as it is."""

import random
import re
from collections.abc import Callable, Iterator

__all__ = ["CHANGES", "paraphrases"]

Change = Callable[[str, random.Random], str]

# A spelling on the left may be said as one of those on the right, whatever stands around it.
_LONG = {
    "i'm": "i am", "i've": "i have", "i'll": "i will", "i'd": "i would", "we're": "we are", "we've": "we have",
    "we'll": "we will", "we'd": "we would", "you're": "you are", "you've": "you have", "you'll": "you will",
    "you'd": "you would", "can't": "cannot", "won't": "will not", "don't": "do not", "doesn't": "does not",
    "isn't": "is not", "aren't": "are not", "didn't": "did not", "couldn't": "could not", "hasn't": "has not",
    "haven't": "have not", "wasn't": "was not", "it'd": "it would", "it'll": "it will", "that's": "that is",
    "what's": "what is", "there's": "there is", "let's": "let us",
}  # fmt: skip
_WORDS = {
    "canceled": ("cancelled",), "cancelled": ("canceled",), "color": ("colour",), "colour": ("color",),
    "traveling": ("travelling",), "travelling": ("traveling",), "okay": ("ok", "all right", "alright"),
    "ok": ("okay",), "alright": ("all right", "okay"), "unfortunately": ("regrettably", "sadly"),
    "i'm afraid": ("unfortunately", "i'm sorry to say"), "check-up": ("checkup",), "zip code": ("ZIP code",),
    "shall i": ("should i", "may i"), "should i": ("shall i",), "may i": ("can i", "could i"),
    "go ahead": ("proceed",), "would you like me to": ("do you want me to", "should i"),
    "do you want me to": ("would you like me to", "shall i"), "could you": ("can you", "would you"),
    "can you": ("could you",), "please provide": ("please share", "please give me", "please send me"),
    "please tell me": ("please let me know", "could you tell me"), "let me know": ("tell me",),
    "anything else": ("something else", "anything more", "anything further"), "right now": ("at the moment",),
    "email address": ("e-mail address", "email"), "because": ("since", "as"), "however": ("though",),
    "also": ("in addition", "additionally"), "i can't": ("i'm not able to", "i'm unable to"),
    "i cannot": ("i am not able to", "i am unable to"), "has been": ("was", "has now been"),
    "have been": ("were", "have now been"), "i've": ("i have now", "i have just"), "i need": ("i require", "i'll need"),
    "date of birth": ("birth date", "DOB"), "phone number": ("telephone number",), "sure": ("certainly", "of course"),
    "thank you": ("thanks", "many thanks"), "thanks": ("thank you",), "happy to": ("glad to", "more than happy to"),
    "verify": ("confirm",), "in total": ("altogether",), "book it": ("book that",), "instead": ("in its place",),
}  # fmt: skip
_BEFORE = (
    "Thank you for your patience.", "Certainly!", "Of course, I understand.", "Thanks for getting back to me.",
    "I appreciate you sharing that.", "I hear you, and I'm sorry for the trouble.", "Alright, thanks for waiting.",
    "Understood.", "Good news first: I found your account.", "I completely understand how frustrating this must be.",
    "Thank you for confirming that.", "No problem at all!", "Let's get this sorted for you.", "I've looked into this.",
    "I have your account in front of me now.", "Thank you, everything matches.", "Great question!", "Got it.",
    "Okay, here's where we are.", "I checked our policy on this.", "I really appreciate your cooperation.",
    "Thanks, I've found it.", "I've pulled up your details.", "Apologies for the wait.",
)  # fmt: skip
_BEHIND = (
    "Thank you!", "Thanks in advance.", "I appreciate your understanding.", "I'm here to help.",
    "Sorry again for the inconvenience.", "We value your business.", "Thank you for bearing with me.",
    "I apologize for any inconvenience this may cause.", "Take all the time you need.",
)  # fmt: skip
_NAMES = ("Ms. Ortega", "Daniel", "Mr. Brandt", "Priya")
_NUMBER = re.compile(r"\$\d[\d.]*|\b[A-Z]\d{3,}\b|\b\d{3}-\d{4}\b")
_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z\"])")
_OPENING = re.compile(
    r"^(?:Thank|Thanks|Sure|Of course|Certainly|Great|Sorry|Understood|Absolutely|I understand|Got it|No problem|"
    r"Perfect|Hello|Hi|Alright|Okay|I'm sorry|Happy)\b[^.!?]*[.!?] (?=[A-Z])"
)


def _said(text: str, old: str, new: str) -> str:
    """The text with each ``old`` said as ``new``, with a capital where there was one."""

    def put(found: re.Match[str]) -> str:
        return new[0].upper() + new[1:] if found.group()[0].isupper() else new

    return re.sub(rf"(?<![\w']){re.escape(old)}(?![\w'])", put, text, flags=re.IGNORECASE)


def _in_full(text: str, rng: random.Random) -> str:
    text = text.replace("’", "'")
    for short, full in _LONG.items():
        text = _said(text, short, full)
    return text


def _in_other_words(text: str, rng: random.Random) -> str:
    held = [word for word in _WORDS if re.search(rf"(?<![\w']){re.escape(word)}(?![\w'])", text, re.IGNORECASE)]
    for word in rng.sample(held, min(2, len(held))):
        text = _said(text, word, rng.choice(_WORDS[word]))
    return text


def _after_a_courtesy(text: str, rng: random.Random) -> str:
    return f"{rng.choice(_BEFORE)} {text}"


def _before_a_courtesy(text: str, rng: random.Random) -> str:
    return f"{text} {rng.choice(_BEHIND)}"


def _addressed(text: str, rng: random.Random) -> str:
    name = rng.choice(_NAMES)
    if text.split(" ", 1)[0] in ("I", "I'm", "I've", "I'll", "I'd") or rng.random() < 0.5:
        return f"{name}, {text[0] if text[0] == 'I' else text[0].lower()}{text[1:]}"
    return re.sub(r"([.!?])$", rf", {name}\1", text) if text[-1:] in ".!?" else text


def _marked_up(text: str, rng: random.Random) -> str:
    return _NUMBER.sub(lambda found: f"**{found.group()}**", text)


def _in_lines(text: str, rng: random.Random) -> str:
    return _SENTENCE.sub("\n\n", text)


def _without_opening(text: str, rng: random.Random) -> str:
    return _OPENING.sub("", text)


def _in_shorter_sentences(text: str, rng: random.Random) -> str:
    return re.sub(r", and (i|you|we|it|your|the)\b", lambda found: ". " + found.group(1).capitalize(), text)


def _with_dashes(text: str, rng: random.Random) -> str:
    return re.sub(r"; | - |: (?=[a-z])", " — ", text)


def _with_curly_quotes(text: str, rng: random.Random) -> str:
    return text.replace("'", "’").replace(' "', " “").replace('"', "”")


CHANGES: dict[str, Change] = {
    "in full": _in_full,
    "in other words": _in_other_words,
    "after a courtesy": _after_a_courtesy,
    "before a courtesy": _before_a_courtesy,
    "addressed": _addressed,
    "marked up": _marked_up,
    "in lines": _in_lines,
    "without opening": _without_opening,
    "in shorter sentences": _in_shorter_sentences,
    "with dashes": _with_dashes,
    "with curly quotes": _with_curly_quotes,
}


def paraphrases(text: str, seed: int = 0) -> Iterator[tuple[str, str]]:
    """The text after each change that changes it, and after three of them together, with what was changed."""
    for name, change in CHANGES.items():
        changed = change(text, random.Random(f"{seed}/{name}/{text}"))
        if changed != text:
            yield name, changed
    rng = random.Random(f"{seed}/{text}")
    changed = text
    for name in rng.sample(sorted(CHANGES), 3):
        changed = CHANGES[name](changed, rng)
    if changed != text:
        yield "several", changed
