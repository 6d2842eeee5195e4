"""What is counted: ``apples``, ``possible outcomes``, ``pieces of candy`` as units of a count.

A noun phrase cannot be recognised without a lexicon; here it is recognised by what it must not hold: function
words, numbers, names of mathematics, runs of letters such as ``xy``.
"""

import re

__all__ = ["noun", "singular"]

MAX_WORDS = 4
_IRREGULAR = {
    "men": "man", "women": "woman", "people": "person", "persons": "person", "children": "child", "feet": "foot",
    "teeth": "tooth", "geese": "goose", "mice": "mouse", "dice": "die", "oxen": "ox", "vertices": "vertex",
    "indices": "index", "matrices": "matrix", "axes": "axis", "bases": "base", "radii": "radius", "foci": "focus",
    "halves": "half", "knives": "knife", "leaves": "leaf", "lives": "life", "loaves": "loaf", "wolves": "wolf",
    "shelves": "shelf", "wives": "wife", "calves": "calf", "thieves": "thief", "buses": "bus", "gases": "gas",
    "quizzes": "quiz", "series": "series", "species": "species", "movies": "movie", "cookies": "cookie",
    "brownies": "brownie", "smoothies": "smoothie", "calories": "calorie", "pies": "pie", "ties": "tie",
    "shoes": "shoe", "toes": "toe", "canoes": "canoe", "hoes": "hoe", "caches": "cache", "aches": "ache",
    "headaches": "headache", "toothaches": "toothache", "axles": "axle", "lenses": "lens", "bacteria": "bacterium",
    "polyhedra": "polyhedron", "freshmen": "freshman", "firemen": "fireman", "policemen": "policeman",
    "kilos": "kilo", "photos": "photo", "pianos": "piano", "zeros": "zero", "zeroes": "zero", "euros": "euro",
    "cms": "cm", "analyses": "analysis", "hypotheses": "hypothesis", "parentheses": "parenthesis",
}  # fmt: skip
# Words that no counted thing holds: function words, verbs of asking and answering, numbers, mathematics.
_NEVER_WORDS = """
a about above after ago all also am an and any approximately are around as at back be because been before below
between both but by can cannot choose chosen combined could degree did divided do does down during each early either
else equal equals equivalent every except false few fewer find for from given gives greater had half hard has have he
hence her here him his however how i if in inside into is it its itself just larger late later least less let like
many may maybe me might minus mod modulo more most much multiplied must my near nearly negative neither never no none
nor not nothing now off often on once only onto or other otherwise our out outside over per perhaps plus possibly
probably raised rather remainder respectively roughly same she should similar since smaller so some somewhere squared
still such than that the their them then there therefore these they this those though thus to too toward true
undefined under unless unknown until up upon us very via vs was we were what when where whether which while who whose
why will with within without would wrong yes you your
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion dozen
first second third fourth fifth sixth seventh eighth ninth tenth half percent
halves thirds fourths fifths sixths sevenths eighths ninths tenths hundredth hundredths thousandth thousandths
pi sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp lim max min gcd lcm sqrt frac det abs sgn
floor ceil deg mod infinity infinite infinitely imaginary factorial cubed times sum product root square cube
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron rho sigma tau upsilon phi chi psi
omega empty impossible correct answer option choice equation repeating recurring rounded truncated doubled
tripled halved
"""
_NEVER = frozenset(_NEVER_WORDS.split())
_SHORT_NOUNS = """
act age ant ape art bag ball bar bat bed bee bet bid bit box boy bug bus can cap car cat cow cub cup cut day die dip dog
dot egg elf elm fan fig fly fox gap gem gum gun guy hat hen hit hub hug hut ice jar jet jig job key kid kit lap leg lid
lip log lot man map mat men mop mug nap net nun nut oak oar ox owl pad pan pea peg pen pet pie pig pin pit pod pot pup
rat ray rib ring rod row rug run saw set sip sow spy sum tab tag tap tax tie tin tip toe top toy tub urn van way win wig
"""
_SHORT = frozenset(_SHORT_NOUNS.split()) - _NEVER
_PLURALS = frozenset({"cans", "logs", "sums"})  # nouns, though their singular may be another word
_BEFORE_NOUN = frozenset({"empty", "square", "correct", "wrong"})  # before a noun no mathematics
_WORD = re.compile(r"[a-z]{2,20}(?:['’-][a-z]{1,12})?")
_VOWELS = re.compile(r"[aeiouy]")
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_CHINESE_NEVER = frozenset("或和与不没无且但是非约的等于大小多少几每")
_MEASURE_WORDS = "个名只位件本支条张辆颗棵朵头匹"


def singular(word: str) -> str:
    """The singular of an English noun in lower case, by rule; only the same word must always give the same.

    >>> singular("boxes"), singular("cities"), singular("class"), singular("people")
    ('box', 'city', 'class', 'person')
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
        return word[:-2]
    return word[:-1]


def noun(text: str) -> str | None:
    """The singular of a noun phrase of at most four words; None where it looks like anything else.

    >>> noun("possible outcomes"), noun("pieces of candy"), noun("or 5"), noun("xy")
    ('possible outcome', 'piece of candy', None, None)
    >>> noun("cans of paint"), noun("empty seats"), noun("can"), noun("empty")
    ('can of paint', 'empty seat', None, None)
    """
    if text and not text.isascii():
        chinese = len(text) <= 8 and all("一" <= char <= "鿿" for char in text)
        if not chinese or not _CHINESE_NEVER.isdisjoint(text):
            return None
        return text[1:] if len(text) > 1 and text[0] in _MEASURE_WORDS else text
    words = text.split()
    if not 1 <= len(words) <= MAX_WORDS or (any(word.isupper() for word in words) and len(words) == 1):
        return None
    head = words.index("of") - 1 if "of" in words else len(words) - 1
    if head < 0 or words[-1] == "of" or words.count("of") > 1:
        return None
    words = [word.lower() for word in words]
    if not all(word == "of" or _plain(word, at in (head, len(words) - 1)) for at, word in enumerate(words)):
        return None
    words[head] = singular(words[head])
    return " ".join(words)


def _plain(word: str, whole: bool) -> bool:
    """Whether the word may stand in a noun phrase; ``whole``: as a noun, not before one."""
    if word in _PLURALS or (not whole and word in _BEFORE_NOUN):
        return True
    if word in _NEVER or word.endswith(("n't", "n’t")) or _WORD.fullmatch(word) is None or _VOWELS.search(word) is None:
        return False
    stem = singular(word)
    return stem in _SHORT or not whole if len(stem) < 4 else word[:4] not in _ALPHABET
