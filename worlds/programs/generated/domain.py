"""The domains of a function's parameters: description, membership and members."""

from typing import Literal, NamedTuple

from turnwise.core.draw import Draw

__all__ = ["ALPHABETS", "Domain", "Kind"]

Kind = Literal["int", "str", "ints", "words"]

ALPHABETS = {
    "lower": ("lowercase letters a to z", "abcdefghijklmnopqrstuvwxyz"),
    "mixed": ("letters and digits", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
    "spaced": ("lowercase letters and single spaces between words", "abcdefghijklmnopqrstuvwxyz "),
    "digits": ("digits 0 to 9", "0123456789"),
    "binary": ("zeros and ones", "01"),
    "moves": ("each one of U, D, L and R", "UDLR"),
    "brackets": ("each one of ( ) [ ]", "()[]"),
    "grades": ("each one of A, B and C", "ABC"),
    "attendance": ("each one of A, L and P", "ALP"),
}
_WORDS = (
    "amber", "banana", "bee", "cabbage", "canal", "cocoa", "deed", "eel", "garage", "giraffe", "hello", "igloo",
    "kayak", "level", "letter", "mammal", "noon", "onion", "otter", "papaya", "pepper", "piano", "puzzle", "radar",
    "river", "rotor", "salad", "seven", "sleet", "taco", "tattoo", "tomato", "tree", "velvet", "willow", "yoyo",
    "zebra",
)  # fmt: skip
_REPEATED = 0.2  # of the words in a list stood there before
_MIXED = "aabbceeikmoxyAABDEKQRXZ0123459"


class Domain(NamedTuple):
    """The values that a parameter takes.

    Attributes:
        kind: A whole number, a string, a list of whole numbers or a list of words.
        low: Smallest number, or smallest item of a list.
        high: Largest number or item.
        least: Fewest items or characters.
        most: Maximum number of them.
        alphabet: For strings: a key of ``ALPHABETS``.
    """

    kind: Kind
    low: int = 0
    high: int = 0
    least: int = 0
    most: int = 0
    alphabet: str = "lower"

    def words(self) -> str:
        """Describe the domain in words, after "is"."""
        numbers = f"from {self.low} to {self.high}"
        if self.kind == "int":
            return f"an integer {numbers}"
        if self.kind == "ints":
            sizes = str(self.most) if self.least == self.most else f"{self.least} to {self.most}"
            return f"a list of {sizes} integers, each {numbers}"
        if self.kind == "words":
            return f"a list of {self.least} to {self.most} strings, each of {self.low} to {self.high} lowercase letters"
        return f"a string of {self.least} to {self.most} characters, {ALPHABETS[self.alphabet][0]}"

    def holds(self, value: object) -> bool:
        """Tell whether a value belongs to the domain; types are exact."""
        if type(value) is int:
            return self.kind == "int" and self.low <= value <= self.high
        if type(value) is str:
            return self.kind == "str" and self.least <= len(value) <= self.most and self._spelled(value)
        if type(value) is not list or not self.least <= len(value) <= self.most:
            return False
        if self.kind == "ints":
            return all(type(item) is int and self.low <= item <= self.high for item in value)
        return self.kind == "words" and all(
            type(item) is str and self.low <= len(item) <= self.high and set(item) <= set(ALPHABETS["lower"][1])
            for item in value
        )

    def _spelled(self, text: str) -> bool:
        if self.alphabet == "spaced" and " ".join(text.split()) != text:
            return False
        return set(text) <= set(ALPHABETS[self.alphabet][1])

    def beyond(self) -> object:
        """Return a value of the same type outside the domain."""
        if self.kind == "int":
            return self.high + 1
        if self.kind == "str":
            return "a" * (self.most + 1)
        return [self.high if self.kind == "ints" else "a" * self.high] * (self.most + 1)

    def draw(self, draw: Draw) -> object:
        """Draw a typical member."""
        if self.kind == "int":
            return draw.integer(self.low, self.high)
        size = draw.integer(self.least, self.most)
        if self.kind == "ints":
            return [draw.integer(self.low, self.high) for _ in range(size)]
        if self.kind == "words":
            fitting = [word for word in _WORDS if self.low <= len(word) <= self.high]
            found: list[str] = []
            for _ in range(size):
                found.append(draw.choice(found) if found and draw.chance(_REPEATED) else draw.choice(fitting))
            return found
        if self.alphabet not in ("lower", "mixed", "spaced"):
            return "".join(draw.choice(ALPHABETS[self.alphabet][1]) for _ in range(size))
        if self.alphabet == "mixed":
            return "".join(draw.choice(_MIXED) for _ in range(size))
        if self.alphabet == "lower":
            text = ""
            while len(text) < size:
                text += draw.choice(_WORDS)
            return text[:size]
        words: list[str] = []
        while (used := sum(len(word) + 1 for word in words)) - 1 < self.least:
            words.append(draw.choice([word for word in _WORDS if used + len(word) <= self.most]))
        return " ".join(words)
