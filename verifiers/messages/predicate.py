"""Which number of a sentence in words is its result: the object of the main verb, where the others only describe."""

import re

from turnwise.verifiers.messages.chain import value_of
from turnwise.verifiers.messages.clause import FIRST, LEAD, LEAD_WORD, NUMBER_WORD, PLACE

__all__ = ["EXPLAINED", "JOINS", "UNIT", "VERB", "concluding"]

JOINS = re.compile(rf"\bor\b|(?:\band|,)\s+(?:(?:then|also|maybe)\s+)?{NUMBER_WORD}", re.IGNORECASE)
EXPLAINED = re.compile(rf"{PLACE}(?:[\s,;]*(?:which|because|since|as|where)|[^.]*,\s+which)\b")
_DEFINITE = re.compile(
    rf"\b(?:the|these|those|all|his|her|their|its|our|my)\s+(?:first |last |next )?{PLACE}(?=\s+[a-z])", re.I
)
_MEASURED = re.compile(rf"\ban?\s+{PLACE}(?=\s+[a-z]+\s+[a-z])", re.IGNORECASE)  # a 42 kg bag
VERB = re.compile(
    r"(?:[Ss]?[Hh]e|[Tt]hey|[Ww]e|[Yy]ou|[Ii]t|I|[Tt]here|[Tt]h(?:at|is)|(?:[Tt]he|[Ee]ach|[Ee]very"
    r"|[Aa]ll)(?: of the)? [a-z]{1,20}"
    r"|[A-Z][a-z]+(?: and [A-Z][a-z]+)?) (?:still |now |only )?"
    r"(?:is|are|was|were|has|have|had|makes?|made|earns?|earned|sold|sells?|paid|pays?|needs?|spends?|spent|gets?|got"
    r"|bought|costs?|takes?|took|gives?|leaves?|ends? up with|reads?|walks?|ran|runs?|saves?|saved|collects?"
    r"|collected|receives?|received|eats?|ate|reach(?:es|ed)|contains?|holds?|weighs?|grew|cut|won|lost|found|drove|kept"
    r"|gave|caught|built|wrote|travel(?:s|led)|scored?|lasts?|lasted|arrives? at|starts? at|ends? at"
    r"|(?:will|would|must|should|can|does) (?:have |need to |have to )?[a-z]+)\b"
)
_IDLE = re.compile(
    rf"(?:\b(?:steps?|cases?|parts?|questions?|problems?|equations?|lines?|pages?|chapters?|figures?|theorem"
    rf"|lemma|mod|base|modulo)"
    rf"|\b(?:divid|multipl)[a-z]*(?: [a-z]+){{0,3}})\s+{PLACE}"
    rf"|{PLACE}\s+(?:times (?:as|more|the|[a-z]+er|{PLACE})|(?:in|out of|of|to)\s+{PLACE})",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\s(?:[a-z]+ )?(?:below|above|short of|away from|ahead of)\s(?!zero)[a-z]"
)  # 12 points below it
_ONE_PLACE = re.compile(PLACE)
_MAIN_VERB = re.compile(r"\b(?:will|would|is|are|can|must|costs?|makes?|needs?|has|have|earns?|takes?)\b")
_PURPOSE = re.compile(  # 54 more students are needed to form 12 groups
    rf"({PLACE}[^,;]{{0,150}}?)(?<! need)(?<! needs)(?<! has)(?<! have)(?<! had)"
    r"(?<! able)(?<! going)(?<! wants)(?<! want)"
    rf"(?<! got)(?<! plans) (?:in order )?to (?!be\b)[a-z]+(?: (?!and\b|or\b|but\b)[A-Za-z]+){{0,6}} {PLACE}"
    r"(?:(?!\b(?:and|or|but)\b)[^,;])*$"
)
_AIM = re.compile(  # it costs $13 to buy three bottles of soda and two of water
    rf"({PLACE}(?: [a-z]+){{0,3}}) (?:in order )?to (?!be\b|{NUMBER_WORD})[a-z]{{2,}} (?:(?!\b(?:or"
    rf"|but)\b)[A-Za-z' ]){{1,150}}\.?$"
)
_CIRCUMSTANCE = r"(?:after|before|until|in|over|for|during|per|on|within|with|from|by|each|every|of|at|into|through|to)"
_INDIRECT = re.compile(  # it would take 5 people 48 hours
    rf"\b(takes?|took|costs?) {PLACE} (?!{_CIRCUMSTANCE}\b)[a-z]+(?= {PLACE})"
)
_VERB_AND_OBJECT = re.compile(  # a verb, its object; no preposition between them
    r"\b(?:is|are|was|were|be|equals|costs?|makes?|made|has|have|had|needs?|earns?|earned|pays?|paid|spends?|spent"
    r"|saves?|saved|takes?|took|gets?|got|weighs?|sells?|sold|(?:adds? up|amounts?|comes?|rises?|falls?|increases?) to"
    r"|(?:will|would|can|must|should|did|does) (?:(?:still|only|also|have|need|be able) )?(?:to )?[a-z]+"
    r"|(?:needs?|needed|has|have|had|(?:is|are|was|were) able) to [a-z]+)"
    rf"(?: (?!(?:{_CIRCUMSTANCE}|than|between|and|or|but|not|if|when|so|that|which|the|is|are)\b)[A-Za-z]+){{0,2}}"
    rf"(?: a total of| an average of| as [a-z]+ as)? {PLACE}"
)
_DESCRIBES = re.compile(  # possessive: each number is taken in one way alone
    rf"(?: {_CIRCUMSTANCE}(?: (?!and\b|or\b|but\b)[A-Za-z]+){{0,4}} {PLACE}"
    rf"| and (?:the|his|her|their) (?:other )?{PLACE}|(?!{PLACE})[^,;:()])*+"
)
UNIT = re.compile(
    r"\s*((?:square |cubic )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|[mck]m|millimeters?|centimeters?"
    r"|(?:kilo)?met(?:er|re)s?|[mk]?g|kgs|lbs?|m?l|(?:kilo)?grams?|pounds?|ounces?|feet|foot|inch(?:es)?"
    r"|miles?|yards?|m|dollars?"
    r"|cents?|percent|degrees?|lit(?:er|re)s?|gallons?|quarts?|pints?|tons?))\b(?!\s+per\b|/)"
)


def concluding(words: str, numbers: list[str]) -> str | None:
    """The one number or formula of a sentence that concludes; restated ones ("the 3 friends") do not count."""
    words = _AIM.sub(r"\1", words)
    if _IDLE.search(words) or JOINS.search(words):
        return None
    lead = LEAD.match(words)
    if len(re.findall(PLACE, words)) > 1:
        if EXPLAINED.search(words):
            return None
        words = _simpler(words)
    places = list(re.finditer(PLACE, words))
    place: re.Match[str] | None = places[0] if len(places) == 1 else None
    if place is None and lead is not None:
        place = _object(words)
    if place is None or not (lead or VERB.match(words)):
        return None
    if _COMPARED.match(place.string, place.end()):
        return None
    number = value_of(numbers[ord(place[0]) - ord(FIRST)])
    unit = UNIT.match(place.string, place.end())
    return (
        f"{number} {'kg' if unit[1] == 'kgs' else unit[1]}"
        if unit is not None and not number.startswith(("$", "\\$"))
        else number
    )


def _simpler(words: str) -> str:
    """The words with one number alone, where the others repeat the question or say what it is needed for."""
    shorter = _MEASURED.sub("", _DEFINITE.sub("", words))
    if len(re.findall(PLACE, shorter)) > 1:
        shorter = _PURPOSE.sub(r"\1", shorter)
    verb = _MAIN_VERB.search(shorter)
    if len(re.findall(PLACE, shorter)) > 1 and verb is not None and LEAD.match(words):
        shorter = LEAD_WORD + shorter[verb.start() :]
    return shorter if len(re.findall(PLACE, shorter)) == 1 else words


def _object(words: str) -> re.Match[str] | None:
    """The place of the number that the main verb has as its object, where all others only describe."""
    words = _INDIRECT.sub(r"\1", words)
    match = _VERB_AND_OBJECT.search(words)
    if match is None or not _DESCRIBES.fullmatch(words, match.end()):
        return None
    return _ONE_PLACE.search(words, match.end() - 1)
