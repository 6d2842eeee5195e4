"""A gold that says which one and by how much, "Plan B, by $6", in a message that says both."""

import re
from functools import lru_cache
from typing import NamedTuple

from turnwise.verifiers.math.answer import Gold, GoldError, Rules, equivalent, read_gold
from turnwise.verifiers.messages.picked.gates import doubts_of, left_open
from turnwise.verifiers.messages.picked.segments import Segment, segments
from turnwise.verifiers.messages.picked.ways import ways_of
from turnwise.verifiers.messages.skeleton import UNIT, P
from turnwise.verifiers.messages.sought.choices import SIZE, choices_of, lettered_of, loosely_chosen, tidied

__all__ = ["Margin", "both_are_given", "margin_of", "says_by_how_much"]

_GOLD = re.compile(
    r"(?:the )?(?P<name>[A-Za-z0-9][^,:;]{0,40}?)(?:,?\s+by\s+|,\s+(?=[$£€\\0-9]))(?P<amount>[^,;]*[0-9][^,;]*?)"
    r"(?: (?:[a-z]{2,}er|more|less|saved|apart|ahead))?"
)
_ASKS = re.compile(r"\b(?:which|who|whose|where|what)\b.*\b(?:how (?:much|many|far|long)|by what)\b", re.I | re.DOTALL)
_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s?\{([^{}]*)\}")
_KIND = re.compile(r"([A-Z][a-z]+) ([0-9]{1,2})")  # Game 2
_COMPARED = re.compile(  # stands before the one that another one is compared with
    r"\b(?:than|over|vs\.?|versus|compared (?:with|to)|beat(?:s|en|ing)?|instead of|rather than|ahead of|against|behind"
    r"|outdo(?:es|ing)|undercut(?:s|ting)|overtak(?:en|es|ing)|not|second\W[^.;]{0,20}|runner-up"
    r"|next(?: best| cheapest)?|level with|that of)"
    r"\W+(?:(?:with|at|the|by|taking|in|choosing|going|using|for|from|to|what|you(?:['’]d)?|get|pay)\s+){0,5}$"
    r"|\(\s*(?:vs\.?\s+|than\s+)?$",
    re.IGNORECASE,
)
_WORDS_OF_MORE = (  # faster is less time
    "more|higher|greater|older|taller|longer|larger|bigger|heavier|dearer|pricier|expensive|costlier|later|slower|warmer"
    "|hotter|farther|further|stronger|deeper|wider|thicker|richer"
)
_WORDS_OF_LESS = (
    "less|lower|fewer|younger|shorter|smaller|lighter|cheaper|cheapest|earlier|sooner|faster|quicker|colder|cooler|closer"
    "|nearer|weaker|shallower|narrower|thinner|poorer"
)
_DEGREE = rf"{_WORDS_OF_MORE}|{_WORDS_OF_LESS}|better|worse"
_DECIDES = re.compile(
    rf"\b(?:{_DEGREE}|[a-z]{{3,}}est|best|most|least|wins?|winner|winning|won|ahead|beats?|saves?|saving|favou?r"
    r"|advantage|edge|lead|leads|(?:more|most) frequent|(?<!ing )(?<!ed )by|go(?:ing)? (?:for|with)|choose|pick"
    r"|in front|out on top|off)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(  # right before what it is by
    r"(?:\b(?:(?<!ing )(?<!ed )by|saves?|saved|saving|savings?(?: of| is)?|difference(?: of| is| comes to)?"
    r"|(?:margin|gap|lead|edge)(?: to [^.;,]{0,40})?(?: of| is)?)|=)"
    r"(?: (?:you|me|us|him|her|them|(?:an?|the|this|that|each) [a-z]+|about|exactly|just|only|a full))*[\s:]*$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"(?:\s(?!and\b|or\b|is\b|of\b)[A-Za-z/]+){{0,4}}?\s(?:{_DEGREE}|ahead|saved?|in favou?r|difference|advantage"
    r"|in front|off)\b",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(r"\b(?:differences?|sav(?:es?|ed|ings?)|gap|margin|lead)\b|[-−–]", re.IGNORECASE)
_SPLIT = re.compile(  # where the clause that decides ends
    r"[,;:.]?\s(?:although|though|even though|but|as long as|at least|while|whereas|despite|unless|if|assuming"
    r"|provided)\b"
    r"|[;:]\s|\s[—–]\s|,\s(?:which|so|making|and|because|since|or|less than|more than)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:or|either|maybe|perhaps|might|may|could|not|never|depends?|neither|both|unless|else)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
_UNREAL = re.compile(r"\bwould\b[^.;]*\bif\b[^.;]*\b(?:were|was|had|did)\b", re.IGNORECASE)
_SHORT_OF = re.compile(r"\b(?:nearly|almost|close to)\b", re.IGNORECASE)
_CORRECTS = re.compile(r"\W*(?:no|wait|actually|rather|correction|sorry)\b", re.IGNORECASE)
_AND_MORE = re.compile(rf"(?:\s[a-z]+)?,?\s(?:and|or|&)\s(?:by\s)?{P}")
_EITHER = re.compile(r"\beither\b|\bXq[a-z]\b\W*(?:\([^()]*\)\W*)?\bor\b\W*Xq[a-z]", re.IGNORECASE)
_CONDITION = re.compile(  # below 6 km, B is the better deal
    rf"\b(?:if|when|whenever|once|otherwise|(?:below|above|under|over|beyond|after|before|up to|from) (?:[a-z]+ )?{P}"
    r"|(?:on|for) (?:an? )?(?:shorter|longer|smaller|larger|bigger|other) [a-z]+)",
    re.IGNORECASE,
)
_IF_IT_IS = re.compile(r"\b(?:if|whether|unless) (?:the )?Xqa\b", re.IGNORECASE)
_LOSES = re.compile(r"\b(?:loses?|lost|behind|trails?|worse|worst)\b", re.IGNORECASE)
_ROOT = re.compile(r"\b([a-z]{3,}?)i?(?:er|est)\b|\b(more|most|less|least|best|better)\b", re.IGNORECASE)
_RATE = re.compile(rf"\s?[A-Za-z]*(?:\s(?:per|an?|each|every)\s|/)(?P<of>[a-z]+|{P})")
_USED = re.compile(  # 420 minutes a month: the costs are those of a month
    r"(?<![$£€0-9.,])[0-9][0-9,]* (?!dollars?|cents?|euros?|pounds?|pence)[a-z]+"
    r"(?: of [a-z]+)? (?:per|(?:in )?an?|each|every) ([a-z]+)"
)
_EACH = re.compile(r"(?:\b(?:per|an?|each|every) |/)([a-z]+|(?=[0-9]))")
_LIKELY = re.compile(r"\b(more|most|less) likely\b", re.IGNORECASE)
_ARTICLE = (  # what A is an article before
    r"(?<=A)\s(?!(?:is|was|wins|costs?|comes|has|gets|charges|earns|pays|saves|beats|by|and|takes|works|with)\b)[a-z]"
)
_UNIT = re.compile(
    r"\s?((?:[A-Za-z]{1,12}(?:\s?/\s?|\s(?:per|an?)\s)|per )(?:[0-9]+ )?[A-Za-z]{1,12})"
)  # seconds per kilometre
_TAKES_BACK = frozenset(["taken back", "corrected"])
_ONE_OF = re.compile(r"\b(half )?(?:an?|one) (dollar|euro|pound|cent|minute|second|hour|year|day|point)\b")
_FORBIDS = frozenset(["taken back", "corrected", "doubted", "not stated"])
_ASIDE = re.compile(r"\s\((?![^()]*\b(?:or|Xq[a-z])\b)[^()]*\)")  # ($348 instead of $354)
_WORDS, _MINUS = re.compile(r"[A-Za-z]{3,}"), re.compile("[-−–]")
_NAME = re.compile(r"\bXq[a-z]\b")
_FIRST = ord("a")
_MAX_NAMES = 12


class Margin(NamedTuple):
    """Who it is, as `pattern` finds it and its rivals, and by how much.

    Attributes:
        names: The name of the right one, then those of its rivals.
        pattern: Finds them.
        amount: By how much.
        more: Whether the question asks for the one that is or has more; None where that is not clear.
        asked: The end of the question, from the word that asks, in small letters.
        rates: Of what the question, or the gold, gives something per each.
    """

    names: tuple[str, ...]
    pattern: re.Pattern[str]
    amount: Gold
    more: bool | None
    asked: str
    rates: frozenset[str]

    def coded(self, text: str) -> str:
        """A text with one word in place of each name: Xqa for the one of the gold, Xqb and so on for its rivals."""
        return self.pattern.sub(self._code, text)

    def _code(self, match: re.Match[str]) -> str:
        found = next((group for group in match.groups() if group), match[0])
        keys = [name.lower() for name in self.names]
        return f"Xq{chr(_FIRST + keys.index(found.lower()))}" if found.lower() in keys else match[0]


def says_by_how_much(gold: str) -> bool:
    """Whether a gold can be one that says which one and by how much.

    >>> says_by_how_much("Kofi, by 10 seconds"), says_by_how_much("Paris, 1900"), says_by_how_much("10 seconds")
    (True, False, False)
    """
    match = _GOLD.fullmatch(_TEXT.sub(r"\1", gold).strip())
    return match is not None and re.search(r"\bby\s", gold) is not None


@lru_cache(maxsize=256)
def margin_of(gold: str, question: str) -> Margin | None:
    """The parts of a gold that says which one and by how much; None where it or the question is of another kind.

    >>> question = "Plan A costs $354, Plan B $348. Which is cheaper, and by how much?"
    >>> margin = margin_of("Plan B, by $6", question)
    >>> margin.names, margin.amount.text, margin.coded("Plan B beats A.")
    (('B', 'A'), '$6', 'Xqa beats Xqb.')
    >>> margin_of("6 dollars", question) is None
    True
    """
    if _ASKS.search(question) is None:
        return None
    match = _GOLD.fullmatch(_TEXT.sub(r"\1", gold).strip())
    if match is None:
        return None
    try:
        amount = read_gold(match["amount"].strip())
    except GoldError:
        return None
    name = tidied(match["name"]).strip()
    found = _names_of(name, tidied(question))
    if found is None or len(found[0]) > _MAX_NAMES:
        return None
    asked = question.lower()[max(question.lower().rfind(word) for word in ("which", "who", "where", "what")) :]
    rates = frozenset([*_EACH.findall(f"{gold} {asked}"), *_USED.findall(question.lower())])
    more = re.search(rf"\b(?:{_WORDS_OF_MORE}|most)\b", asked)
    less = re.search(rf"\b(?:{_WORDS_OF_LESS}|least)\b", asked)
    return Margin(*found, amount, None if (more is None) == (less is None) else more is not None, asked, rates)


def _names_of(name: str, question: str) -> tuple[tuple[str, ...], re.Pattern[str]] | None:
    """A name and its rivals in a question, and what finds them."""
    lettered = lettered_of(name, question)
    if lettered is None and len(name) == 1 and name.isupper():
        letters = tuple(dict.fromkeys(re.findall(r"(?<![\w-])[A-Z](?![\w'’-])(?!(?<=A) [a-z])", question)))
        lettered = (name, letters) if name in letters else None
    if lettered is not None:
        letters = (lettered[0], *(one for one in lettered[1] if one != lettered[0]))
        kind = name.split(" ")[0] if len(name) > 1 else "[A-Za-z]{3,10}"
        return letters, re.compile(
            rf"(?<![\w\\-])(?:(?i:{kind})\s([{''.join(letters)}])|([{''.join(letters)}])(?!{_ARTICLE}))(?![\w=(-])"
        )
    numbered = _KIND.fullmatch(name)
    if numbered is not None:
        numbers = dict.fromkeys(re.findall(rf"\b(?i:{numbered[1]}) ([0-9]{{1,2}})\b", question))
        names = (numbered[2], *(one for one in numbers if one != numbered[2]))
        return names, re.compile(rf"\b(?i:{numbered[1]})\s({'|'.join(names)})(?![\w.,]*[0-9])")
    if SIZE.fullmatch(name) is not None:
        sized = loosely_chosen(name, question)
        if sized is None:
            return None
        return (sized.gold, *(one for one in sized.names if one != sized.gold)), sized.pattern
    if name.lower() not in question.lower():
        return None
    choices = choices_of(name, question) if " " not in name else None
    choices = choices or loosely_chosen(name, question)
    rivals = choices.names if choices is not None and choices.kind == "name" else _alike(name, question)
    names = (name, *(one for one in rivals if one.lower() not in name.lower()))
    patterns = "|".join(re.escape(one).replace(r"\ ", r"[\s-]").replace(r"\-", r"[\s-]") for one in names)
    flags = re.IGNORECASE if name.islower() or not choices else re.NOFLAG
    return names, re.compile(rf"(?<![\w-])({patterns})(?![\w-])", flags)


def _alike(name: str, question: str) -> list[str]:
    """What stands before the same verb as a name: a taxi charges $3, and a ride-share charges $6."""
    behind = re.search(rf"{re.escape(name)} ([a-z]+s)\b", question, re.IGNORECASE)
    return re.findall(rf"\b([A-Za-z-]+) {behind[1]}\b", question) if behind is not None else []


def both_are_given(text: str, margin: Margin, rules: Rules) -> bool:
    """Whether a text says of the right one that it is the one, and by how much.

    Args:
        text: The end of a message, or what stands in a box.
        margin: What is asked for.
        rules: How strict.

    >>> margin = margin_of("Plan B, by $6", "Plan A costs $354, Plan B $348. Which is cheaper, and by how much?")
    >>> both_are_given("That is $354 and $348. So Plan B is $6 cheaper than Plan A.", margin, Rules())
    True
    >>> both_are_given("So Plan A is $6 cheaper.", margin, Rules()), both_are_given("Take Plan B.", margin, Rules())
    (False, False)
    """
    if left_open(text) or "Xq" in text:
        return False
    text = _LIKELY.sub(r"\1 frequent", text.replace("\\quad", " ").replace("\\qquad", " "))
    text = _TEXT.sub(r" \1 ", text) if "\\text" in text or "\\math" in text else text
    text = _ONE_OF.sub(
        lambda match: f"{'0.5' if match[1] else '1'} {match[2]}", re.sub(r"(?<!\\)\$\$|\\[\[\]]", "\n", text)
    )
    decided, amount = False, False
    for segment in segments(margin.coded(_undressed(text)))[1]:
        doubts = doubts_of(segment.text)
        if decided and not _TAKES_BACK.isdisjoint(doubts):
            return False
        if len(_names_in(segment.masked.words)[0]) > 1 and _EITHER.search(segment.masked.words) is not None:
            return False
        if _UNREAL.search(segment.text) is not None or _SHORT_OF.search(segment.text) is not None:
            return False
        for clause in _SPLIT.split(_ASIDE.sub("", segment.masked.words)):
            if (decided or amount) and _CORRECTS.match(clause) is not None:
                return False
            margins = _margins(clause, segment, margin.rates)
            shown = [any(equivalent(way, margin.amount, rules).correct for way in ways) for ways in margins]
            names, subject = _names_in(clause)
            compares = _DECIDES.search(clause) is not None
            if not compares and not margins:
                continue
            supposed = _CONDITION.search(clause) is not None or "supposed" in doubts
            if _IF_IT_IS.search(clause) is not None:
                return False
            if supposed and subject != "Xqa" and not any(shown):
                continue
            if not _FORBIDS.isdisjoint((*doubts_of(clause), *_TAKES_BACK.intersection(doubts))) or (
                _OPEN.search(clause) is not None and (names or margins or _says_same(clause, margin.asked))
            ):
                return False
            if compares and subject == "Xqa":
                if _opposes(clause, margin.more) or not all(shown):
                    return False
                decided = True
            elif compares and (subject or len(names) > 1) and (margins or _says_same(clause, margin.asked)):
                return False
            if shown and (compares or _DIFFERENCE.search(clause) or _WORDS.search(clause) is None):
                if decided and amount and not shown[-1]:
                    return False
                amount = shown[-1]
    return decided and amount


def _undressed(text: str) -> str:
    """A text in which a name is not dressed: $B$, **Plan B**."""
    return re.sub(r"(?<!\\)\$([A-Z])\$|\\\(([A-Z])\\\)", lambda match: match[1] or match[2], text.replace("**", ""))


def _names_in(clause: str) -> tuple[set[str], str]:
    """The names of a clause, and the only one of which it says something; "" where it speaks of none or of several."""
    places = list(_NAME.finditer(clause))
    found = {match[0] for match in places if not _COMPARED.search(clause[: match.start()])}
    return {match[0] for match in places}, found.pop() if len(found) == 1 else ""


def _opposes(clause: str, more: bool | None) -> bool:
    """Whether a clause compares the other way round than the question: $6 more expensive, where it asks for cheaper."""
    if _LOSES.search(clause) is not None:
        return True
    if more is None:
        return False
    words = f"{_WORDS_OF_LESS}|least" if more else f"{_WORDS_OF_MORE}|costs (?:you )?{P}"
    return re.search(rf"\b(?:{words})\b", clause, re.IGNORECASE) is not None


def _says_same(clause: str, asked: str) -> bool:
    """Whether a clause compares by the very word of the question: cheaper, cheapest."""
    roots = {(one or two).lower() for one, two in _ROOT.findall(asked)}
    return any((one or two).lower() in roots for one, two in _ROOT.findall(clause))


def _margins(clause: str, segment: Segment, rates: frozenset[str]) -> list[list[str]]:
    """The amounts of a clause by which something is more or less, each in all ways to read it; none for a rate."""
    found = []
    for match in re.finditer(P, clause):
        unit = UNIT.match(clause, match.end()) or _UNIT.match(clause, match.end())
        head, tail = clause[: match.start()], clause[match.end() :]
        written = segment.masked.at(match[0])
        alone = _WORDS.search(clause) is None or _DIFFERENCE.search(clause) is not None
        is_worked = alone and "=" in written and _MINUS.search(written) is not None
        if _BEFORE.search(head) or _BEHIND.match(tail) or is_worked or head.strip().endswith(","):
            ways = ways_of(written)
            if _AND_MORE.match(tail) is not None:
                ways = []
            rate = _RATE.match(tail)
            if rate is not None and (rate["of"] if rate["of"].isascii() else "") not in rates:
                ways = []
            found.append([f"{way} {unit[1]}" if unit is not None else way for way in ways])
    return found
