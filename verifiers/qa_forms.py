"""Other forms of the same short answer: titles, containing places, nations, names of people, dates, possessives.

A form may say more than the gold (``Paris, France`` for ``Paris``, ``November 1995`` for ``1995``) if that adds no
second answer, or omit what does not distinguish answers (a title, the state of a town, a middle name). A form that
contradicts the gold is another answer: ``Paris, Texas`` is not ``Paris, France``. A middle name or initial may be
missing, since data sets give one form of most names, unless it distinguishes well-known people: ``George Bush`` is
neither ``George W. Bush`` nor ``George H. W. Bush``.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator

from turnwise.verifiers.nations import CONTAINING, capital_of, nation_of

__all__ = ["TITLES", "alike"]

MAX_CHARS = 120
MAX_WORDS = 12
Same = Callable[[str, str], bool]

_SHORTENED = {"Mt": "Mount", "St": "Saint", "Ft": "Fort"}
_SHORT = re.compile(r"\b(Mt|St|Ft)\b\.?(?= [A-Z])")
_TITLE_WORDS = """
president king queen prince princess sir dame lord pope emperor empress tsar czar chancellor senator governor mayor
general colonel captain major admiral lieutenant sergeant marshal commander doctor dr professor prof judge justice
cardinal archbishop bishop reverend rev rabbi ayatollah sultan sheikh duke duchess earl count countess baron baroness
secretary ambassador minister congressman congresswoman representative chief coach mr gen sen gov capt lt col sgt pres
actor actress singer musician composer painter artist sculptor architect author writer novelist poet playwright
philosopher scientist physicist chemist biologist botanist mathematician astronomer inventor engineer explorer
director producer economist historian journalist politician footballer boxer golfer astronaut businessman
"""
TITLES = frozenset(_TITLE_WORDS.split())
_TWO_WORDS = {"prime minister", "vice president", "foreign minister", "secretary general", "film director"}
_FORMER = {"former", "late", "then", "first", "current", "the"}
_ALONE = {"president", "pope", "chancellor", "senator", "governor", "prime minister", "ayatollah", "pres", "gov", "sen"}
"""Titles that make a single name sufficient: "President Obama", but not "King Crimson" or "Doctor Who"."""
_SHARED = {
    ("george", "bush"), ("john", "adams"), ("michael", "jordan"), ("jason", "lee"), ("william", "harrison"),
    ("martin", "king"), ("kim", "il"), ("vanessa", "williams"), ("samuel", "johnson"), ("henry", "james"),
    ("robert", "downey"), ("john", "smith"), ("james", "brown"), ("peter", "jackson"), ("thomas", "wolfe"),
    ("john", "williams"), ("michael", "moore"), ("david", "thomas"), ("mary", "shelley"), ("anne", "hathaway"),
}  # fmt: skip
"""First and last names shared by well-known people with and without a middle name."""
_GIVEN_NAMES = """
aaron abraham adam adolf adrian agatha al alan albert alec alejandro alex alexander alexandra alfred alice alicia
alison allen amanda amelia amy andre andrea andrew andy angela ann anna anne anthony antonio arnold arthur audrey
barack barbara barry ben benjamin bernard beth betty bill billy bob bobby bonnie brad brandon brian britney bruce
bruno bryan calvin cameron carl carlos carol caroline catherine cecil charles charlie charlotte chris christian
christina christine christopher clara clark claude claudia clint colin craig cristiano cynthia daniel danny dave david
dean deborah dennis diana diane diego dick donald donna dorothy douglas duncan dustin dylan earl ed eddie edgar edmund
eduardo edward edwin eleanor elena elizabeth ella ellen elliott elvis emily emma emmanuel enrico eric erich ernest
ernst erwin ethan eugene eva evelyn felix ferdinand fernando fidel florence frances francis francisco francois frank
franklin franz fred frederic frederick friedrich fritz gabriel gareth gary gavin gene geoffrey george gerald gerard
gilbert giovanni giuseppe glenn gloria gordon grace graham grant greg gregory guy hannah hans harold harriet harrison
harry harvey heather hector heinrich helen henri henry herbert herman hillary howard hugh hugo humphrey ian ignacio
igor ingrid irving isaac isabel isabella ivan jack jackie jacob jacques james jamie jane janet jason javier jean jeff
jeffrey jennifer jeremy jerome jerry jesse jessica jesus jill jim jimmy joan joanna joanne joe joel johann johannes
john johnny jonathan jorge jose josef joseph josh joshua juan judith judy julia julian julie julius justin karen karl
kate katharine katherine kathleen kathy katie keith kelly ken kenneth kevin kirk kurt lance larry laura lauren
laurence lawrence lee leo leon leonard leonardo leslie lewis lily linda lisa lois louis louise lucas lucy ludwig luis
luke lynn madeleine malcolm manuel marc marcel marco marcus margaret maria marie marilyn mario marion mark marlon
martha martin mary matt matthew maurice max megan mel melissa michael michelle miguel mike miles mohammed monica
morgan nancy naomi natalie nathan nathaniel neil nelson nicholas nick nicole niels nigel nikola nikolai noah norman
oliver olivia oprah orson oscar oswald otto pablo pamela patricia patrick paul paula pedro penelope percy peter phil
philip phillip pierre quentin rachel ralph randy ray raymond rebecca reese reginald renee rex ricardo richard rick
robert roberto robin rod roger roland ron ronald rosa rose ross roy rudolf rupert russell ruth ryan sally salvador sam
samantha samuel sandra sarah scott sean sebastian sergei serena seth sharon sheila sherlock shirley sigmund simon
sofia sophie spencer stan stanley stella stephanie stephen steve steven stewart stuart susan sylvester sylvia taylor
ted terence teresa terry theodore theresa thomas tiffany tim timothy toby tom tony tracy trevor tyler uma ursula
valerie vanessa venus vernon veronica victor victoria vincent viola virginia vivien vladimir wallace walt walter
warren wayne wendy wilhelm will willem william winston wolfgang woodrow woody yvonne zachary
"""
_GIVEN = frozenset(_GIVEN_NAMES.split())
_SUFFIXES = frozenset(("jr", "sr", "ii", "iii", "iv", "v", "vi", "vii", "viii", "junior", "senior"))
_SMALL = "of the and in on at for to a de la von van der or with by from &"
_SMALL_WORDS = frozenset(_SMALL.split())
_MANY = {
    "men": "man", "women": "woman", "children": "child", "teeth": "tooth", "feet": "foot", "mice": "mouse",
    "geese": "goose", "fungi": "fungus", "cacti": "cactus", "nuclei": "nucleus", "bacteria": "bacterium",
    "lives": "life", "wolves": "wolf", "leaves": "leaf", "knives": "knife", "wives": "wife", "loaves": "loaf",
    "halves": "half",
}  # fmt: skip
_ALSO_ONE = """
news glasses arms customs goods works pants scales spirits colours colors means physics mathematics economics politics
species series gymnastics athletics aids lens gas bus atlas christmas minutes grounds halves
"""
_NOT_PLURAL = frozenset(_ALSO_ONE.split())
_POSSESSIVE = re.compile(r"(?<=\w)(?:['’]s|(?<=s)['’])(?=\s+\w)")
_BESIDE = re.compile(r"\s*,\s*|\s+(?=\()")
_PLACED = re.compile(r"(in|on|at|from|by|among) ((?:the |an? )?)(.+)", re.IGNORECASE | re.DOTALL)


def alike(text: str, gold: str, same: Same) -> bool:
    """Return whether two answers that are written differently are the same answer.

    Args:
        text: The answer.
        gold: The right answer.
        same: Tells whether two texts are the same except for spelling.

    >>> plain = lambda a, b: a.casefold().strip() == b.casefold().strip()
    >>> [alike(text, "Paris", plain) for text in ("Paris, France", "Paris, Texas", "Paris or Lyon", "Paris, Lyon")]
    [True, False, False, False]
    """
    if max(len(text), len(gold)) > MAX_CHARS or not text.strip() or not gold.strip():
        return False
    text, gold = (unicodedata.normalize("NFKC", each).replace("’", "'").strip(' ."') for each in (text, gold))
    return any(
        rule(text, gold, same)
        for rule in (_nation, _place, _title, _person, _possessive, _shortened, _number, _positioned)
    )


def _folded(text: str) -> str:
    """Return the text in lower case with single blanks."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(c))
    return " ".join(re.sub(r"[^\w\s-]", "", plain).split()).removeprefix("the ")


def _nation(text: str, gold: str, _same: Same) -> bool:
    ours = nation_of(_folded(text))
    return ours is not None and ours == nation_of(_folded(gold))


# ---- places ----------------------------------------------------------------------------------------------------------


def _place(text: str, gold: str, same: Same) -> bool:
    """Compare a place with and without its state or nation."""
    ours, theirs = _parts(text), _parts(gold)
    if len(ours) == len(theirs):
        return False
    longer, shorter = (ours, theirs) if len(ours) > len(theirs) else (theirs, ours)
    if not shorter or not all(same(a, b) for a, b in zip(longer, shorter, strict=False)):
        return False
    place, more = _folded(shorter[0]), [_folded(part) for part in longer[len(shorter) :]]
    where = CONTAINING.get(more[-1])
    if any(part not in CONTAINING for part in more) or any(char.isdigit() for char in place):
        return False
    if place in CONTAINING or nation_of(place):  # itself a state or nation: "Texas, USA", not "Texas, Ohio"
        return nation_of(more[0]) is not None and nation_of(more[0]) == CONTAINING.get(place) != nation_of(place)
    return capital_of(place) in (None, where)


def _parts(text: str) -> list[str]:
    return [part.strip(" ()") for part in _BESIDE.split(text) if part.strip(" ()")][:5]


# ---- people ----------------------------------------------------------------------------------------------------------


def _untitled(text: str) -> tuple[str, str]:
    """Split a name into titles, in lower case, and the rest; return the text itself if that is not a name."""
    words = text.split()
    if len(words) > MAX_WORDS:
        return "", text
    at = 0
    title = ""
    while at < len(words) - 1:
        one, two = _folded(words[at]), _folded(" ".join(words[at : at + 2]))
        if two in _TWO_WORDS and at < len(words) - 2:
            title, at = two, at + 2
        elif one in TITLES:
            title, at = one, at + 1
        elif one in _FORMER or nation_of(one) or nation_of(two):
            at += 1 if one in _FORMER or nation_of(one) else 2
        else:
            break
    name = " ".join(words[at:])
    named = name[:1].isupper() and not _SMALL_WORDS & set(_folded(name).split()) - {"de", "la", "von", "van", "der"}
    return (title, name) if title and named else ("", text)


def _title(text: str, gold: str, same: Same) -> bool:
    """Compare a name with and without a title; two different titles mean two people."""
    (ours, name), (theirs, other) = _untitled(text), _untitled(gold)
    if bool(ours) == bool(theirs):
        return False
    bare = name if ours else other
    enough = len(bare.split()) > 1 or (ours or theirs) in _ALONE
    return enough and (same(name, other) or _person(name, other, same))


def _person(text: str, gold: str, _same: Same) -> bool:
    """Compare a person's name with and without middle names, or with initials."""
    ours, theirs = _name(text), _name(gold)
    if not ours or not theirs or ours[-1] != theirs[-1] or len(ours[-1]) < 3:
        return False
    if ours == theirs:  # J.K. and J. K.
        return True
    if len(ours) == len(theirs):
        pairs = list(zip(ours[:-1], theirs[:-1], strict=True))
        fit = all(a == b or (min(len(a), len(b)) == 1 and a[0] == b[0]) for a, b in pairs)
        return fit and (len(pairs) > 1 or ours[0] == theirs[0])
    longer, shorter = (ours, theirs) if len(ours) > len(theirs) else (theirs, ours)
    if len(shorter) != 2 or len(longer) > 4 or (shorter[0], shorter[1]) in _SHARED:
        return False
    return shorter[0] == longer[0] and shorter[0] in _GIVEN


def _name(text: str) -> list[str]:
    """Return the parts of what may be a person's name, in lower case, initials apart; empty for other texts."""
    if not re.fullmatch(r"[^\W\d_][\w.' -]*", text) or len(text.split()) > 5:
        return []
    spread = re.sub(r"\b([^\W\d_])\.\s*(?=\w)", r"\1 ", text)
    if initials := re.match(r"([A-Z]{2,3}) (?=[A-Z][a-z])", spread):
        spread = " ".join(initials[1]) + spread[initials.end() - 1 :]
    words = [_folded(word) for word in spread.split()]
    usual = len(words) > 1 and not set(words) & (_SMALL_WORDS | _SUFFIXES | TITLES) - {"a"}
    return words if usual and (text.islower() or all(word[:1].isupper() for word in spread.split())) else []


# ---- words -----------------------------------------------------------------------------------------------------------


def _possessive(text: str, gold: str, same: Same) -> bool:
    """Compare ``Alzheimer's disease`` and ``Alzheimer disease``."""
    ours, theirs = _POSSESSIVE.sub("", text), _POSSESSIVE.sub("", gold)
    return (ours, theirs) != (text, gold) and same(ours, theirs)


def _shortened(text: str, gold: str, same: Same) -> bool:
    """Compare ``Mt. Everest`` and ``Mount Everest``."""
    ours, theirs = (_SHORT.sub(lambda match: _SHORTENED[match[1]], each) for each in (text, gold))
    return (ours, theirs) != (text, gold) and same(ours, theirs)


def _number(text: str, gold: str, same: Same) -> bool:
    """Compare singular and plural of a common noun: ``peaches`` and ``peach``."""
    if not gold.islower() or len(gold.split()) > 4 or any(char.isdigit() for char in gold + text):
        return False
    ours, theirs = text.casefold(), gold.casefold()
    return any(
        same(one, other) for one in _singular(ours) for other in _singular(theirs) if (one, other) != (ours, theirs)
    )


def _singular(text: str) -> Iterator[str]:
    """Yield the text, and with its last word in the singular."""
    yield text
    before, _, last = text.rpartition(" ")
    if last in _MANY:
        yield f"{before} {_MANY[last]}".strip()
    elif len(last) > 3 and last.endswith("s") and last not in _NOT_PLURAL and last[-2] not in "sui":
        yield text[:-1]
        if last.endswith("ies"):
            yield text[:-3] + "y"
        elif last.endswith(("ches", "shes", "sses", "xes", "zes", "oes")):
            yield text[:-2]


def _positioned(text: str, gold: str, same: Same) -> bool:
    """Compare ``in the bone marrow`` and ``bone marrow``; "On the Road" is a name, not a place."""
    ours, theirs = _unplaced(text), _unplaced(gold)
    return (ours, theirs) != (text, gold) and same(ours, theirs)


def _unplaced(text: str) -> str:
    match = _PLACED.fullmatch(text)
    if match is None:
        return text
    word, _, rest = match.groups()
    if rest[0].isdigit():
        return rest if word.lower() in ("in", "on") and len(rest.split()) < 4 else text
    return rest if word.islower() or rest[0].islower() else text
