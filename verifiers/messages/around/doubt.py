r"""Whether a message hedges the answer that was read from it: the last look at an answer that would be paid.

The rules read an answer out of many kinds of sentences; here the sentence around it is looked at once more. Words that
doubt, suppose, ask, quote or refuse, in any of the languages that answers are announced in, take back what is said
beside them. An answer that is still a sentence ("See line y = 2x + 3") states its value only where the words before it
end in a verb that states or a name for what is asked. Words that the gold itself has are never held against an answer.
"""

import re
from collections.abc import Sequence

from turnwise.verifiers.messages.around.remarks import without_remarks
from turnwise.verifiers.messages.around.restated import REMARKED, WRITTEN_AS
from turnwise.verifiers.messages.around.selected import selected
from turnwise.verifiers.messages.chinese import behind_supposition
from turnwise.verifiers.messages.prepare import prepared
from turnwise.verifiers.messages.skeleton import NO_RESULT
from turnwise.verifiers.messages.wording import END_OF_SENTENCE, place_of, sentence_of

__all__ = ["doubts", "hedged", "is_end_of_range", "undecided"]

_MAX_CHARS = 4000
_SHORT = 150
_DOUBT = re.compile(  # of a text in small letters, which is much faster than to ignore the case
    r"\b(?:maybe|perhaps|possibly|probably|presumably|supposedly|allegedly|reportedly|apparently|seemingly"
    r"|conceivably"
    r"|hypothetically|potentially|un?likely|chances?(?= (?:that (?:it|this|the answer)|it))|unsure"
    r"|uncertain|unclear|undecided"
    r"|with (?:a )?[0-9.]+\s?\\?% (?:probability|certainty|confidence|likelihood|chance),? (?:it|the answer|this)"
    r"|un(?:verified|checked|tested|confirmed)|tentative(?:ly)?"
    r"|not (?:sure|certain|checked|verified|confident|convinced)|no idea|no clue|who knows|guess(?:ing|es)"
    r"|(?:i|we|you|my|our|a|best|wild|educated|would|could|might|only|one|next) (?:[a-z]+ )?guess(?:ed)?"
    r"|guess(?=:| [0-9])"
    r"|suspect|conjecture|speculat\w+|hunch|doubt(?:s|ed|ful)?|pretend|imagine"
    r"|(?:might|may|could) (?:well |also |just )?(?:be|equal)|(?:seems?|appears?) (?:to be|like)"
    r"|let us say|let's say|let the answer|suppose|assume that (?:it|the answer)|if (?:it|i) (?:is|were|was|had to)"
    r"|(?:others?|some|people|friends?|they|the book|somebody|someone|everybody) (?:may |might "
    r"|would )?(?:say|says|said"
    r"|claims?|claimed|thinks?|believes?)"
    r"|used to (?:believe|think)|(?:of )?my [a-z]+ attempts|attempts gave|like this|in the (?:form|format|style) of"
    r"|such as|for (?:example|instance)|next guess|will (?:test|try|check)|i (?:cannot|can't) (?:solve|say|tell)"
    r"|anything but|other than(?! [-−]?[0-9])|unless|or else"
    r"|if not(?=,? (?:then )?[-$\\0-9])|failing (?:that|this|which)|or not|or something|some other|is one of"
    r"|is among|choose between"
    r"|(?:im)?plausibl[ey]|(?:im)?probable|arguabl[ey]|purported(?:ly)?|ostensibl[ey]|provisional(?:ly)?"
    r"|theoretically|questionable"
    r"|debatable|inconclusive|conditional(?:ly)?|hypothes[ie]s|hypothetical|possibilit(?:y|ies)"
    r"|(?:than|before|after|as|from|over|under|above|below|of) the (?:correct|right|true) (?:answer|one"
    r"|result|solution|value)"
    r"|(?:impossible|untrue|false|not (?:true|possible|the case))(?= that\b)"
    r"|(?:primary|secondary|alternat(?:e|ive)|backup)(?= (?:answer|guess|choice))"
    r"|placeholder|candidates?(?= (?:is|are|answer|value))"
    r"|rumou?r(?:s|ed)?|toss-?up|ballpark|thereabouts|give or take|somewhere|(?:upwards|north|south|short"
    r"|shy) of|in the (?:range|region"
    r"|neighbou?rhood|vicinity) of|order of magnitude|at (?:a )?(?:minimum|maximum)|close to"
    r"|roughly speaking|or thereabouts|far from|no longer"
    r"|hardly|scarcely|barely|(?:rather than|instead of)(?= [-$\\0-9])|contrary|mistaken(?:ly)?"
    r"|erroneous(?:ly)?|disagree\w*"
    r"|reject(?:s|ed)?|ruled? (?:it )?out|assum(?:ing|ption)|provided that|as long as|only if|in case"
    r"|subject to|depend(?:s|ing)"
    r"|don't know|do not know|unable|refuse|decline|versus|vs|toss a coin|coin flip|joke|joking|kidding|sarcas\w+"
    r"|i(?:'d| would| am|'m|'ve| have)? (?:\w+ )?(?:believe|think|reckon|feel|bet|wager|lean\w*|inclined"
    r"|tempted|argue|heard|recall|remember|propose"
    r"|suggest|expect|imagine|say|go with|go for|pick|choose|wonder\w*|fear|vote|estimate|presume|gather|fancy)"
    r"|(?:is|are|was|been|were) (?:\w+ )?(?:believed|thought|said|claimed|rumou?red|reported|alleged"
    r"|supposed|considered|estimated|expected(?! to (?!be ))|assumed"
    r"|conjectured|suspected|proposed|suggested|quoted|cited|tempting)|according to|allegation"
    r"|claims? (?:that|it)|told me|hint(?:s|ed)?"
    r"|(?:my|a|the) (?:friend|teacher|neighbou?r|classmate|colleague|professor|textbook|key|internet|forum"
    r"|calculator|book)(?:'s)?(?: \w+)? (?:says?|said|claims?|claimed|gives?|gave|thinks?|thought"
    r"|got|wrote|lists?|insists?|believes?)|looks (?:like|as)|feels like|sounds (?:like|right)"
    r"|at best|(?:is|was) (?:wrong|incorrect|false)|(?:it|that) is (?:not|never)|assume that)\b"
    r"|\be\.\s?g\."
    r"|\b(?:quiz[áa]s?|tal vez|acaso|puede (?:que|ser)|podría|supongamos|creo que|no (?:es|son)|no estoy"
    r"|peut-être|probablement|sans doute|pourrait|il se peut|supposons|n'est pas|ne sont pas|pas s[uû]r"
    r"|vielleicht|möglicherweise|wahrscheinlich|vermutlich|könnte|eventuell|angenommen|nicht|kein|weder|entweder"
    r"|forse|magari|potrebbe|probabilmente|supponiamo|non (?:è|sono)|talvez|provavelmente|poderia|não (?:é|são)"
    r"|probablemente|posiblemente|a lo mejor|supongo|al menos|como (?:máximo|mínimo)|(?:más de|menos de)(?=\W*[0-9])"
    r"|no sé|parece"
    r"|environ|au (?:moins|plus|maximum)"
    r"|(?:plus de|moins de)(?=\W*[0-9])"
    r"|je (?:crois|pense|suppose|doute|ne sais)|il semble|semble"
    r"|wohl|etwa|ungefähr|mindestens|höchstens|(?:mehr als|weniger als)(?=\W*[0-9])"
    r"|glaube|denke|scheint|vermute|weiß nicht"
    r"|oppure|almeno|al massimo|(?:più di|meno di)(?=\W*[0-9])|credo|penso|sembra|non so"
    r"|pelo menos|no máximo|mais de(?=\W*[0-9])"
    r"|acho|não sei"
    r"|думаю|полагаю|похоже|примерно|около|не (?:менее|более)|больше|меньше|если|сомнева\w+"
    r"|возможно|наверное|вероятно|может быть|кажется|предположим|не|или|oder|chyba|może|belki|mungkin)\b"
    r"|(?<![种个的等])可能(?!性)|也许|或许|大概|大约|不是|不等于|不超过|假设|假如|如果|应该不|吗|猜|至少"
    r"|至多|最多|最少|(?<!取)不到|超过|介于|[0-9]\s*之间|之间(?=[。.]|$)|似乎|好像|估计|左右|不一定|未必|难说"
    r"|据说|听说|例如|比如|不知道|不确定|无法|或者|并非|我觉得|我认为"
    r"|以上|以下|未満|もし|多分|と思|不明|わから|例えば|または|또는|이상|이하|만약|모르|추측|예를 들"
    r"|것으로 보|아마도"
    r"|たぶん|おそらく|かもしれ|ではな|じゃな|でしょうか"
    r"|아마|아닙|아니|일까|것 같"
)
_CONCEDED = re.compile(  # Although one might guess 6, the answer is 5; at first it looks like 6, but ...
    r"\b(?:al)?though (?:one|you|we) (?:might|may|could) (?:guess|think|expect) [^,.\n]{1,40},"
    r"|\binstead of (?:the |only |just )?\$?[0-9][0-9.,]*(?: [a-z]+)?,? (?=(?:you|we|he|she|it|they|there|the|one"
    r"|[A-Z][a-z]+)\b)"
    r"|\s?\binstead of (?:the |only |just )?\\?\$?[0-9](?:[0-9.,]*[0-9])?(?: [a-z]+)?(?=, (?:and )?(?:so|thus|hence)\b)"
    r"|,? assuming (?:that )?[^,.;0-9]{0,60}\b(?:same|constant|equal(?:ly)?|steady|uniform|fair|independent(?:ly)?)\b"
    r"[^,.;0-9]{0,30}(?=[.\n]|$)"
    r"|,? (?:which is (?:[a-z]+ )?|or )close to (?=[$]?[0-9]|its|the|that|half|an?\b)"
    r"|\s?[(（]不是 ?[0-9][^()（）]{0,20}[)）]"
    r"|\bat first(?: glance| sight)?,? (?:it|this|that|the [a-z]+) [^,.;\n]{1,60},? (?=but\b)",
    re.IGNORECASE,
)
_CONCEDES = ("though", "instead", "assuming", "close to", "不是", "at first")  # one is in all it finds
_BOUND = re.compile(  # of an answer that is still a sentence
    r"\b(?:not|never|cannot|neither|nor|except|but|between|from|below|above|under|over|exceeds?|beyond"
    r"|almost|nearly"
    r"|than|least|most|twice|thrice|double|half|negative|opposite|reciprocal|inverse|up to|as (?:much|many)"
    r"|either|or|if|whether|which of|times|see|refer|recall|consider|compare|try|page|problem|exercise"
    r"|step)\b|n't\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(  # before a box
    r"\b(?:maybe|perhaps|possibly|presumably|supposedly|apparently|un?likely|not (?:sure|certain)"
    r"|unsure|uncertain|no idea"
    r"|(?:my|best|wild) guess|(?:might|may|could) be(?=[\s$\\(]*$)|(?:seems?|appears?) to be(?=[\s$\\(]*$)"
    r"|chance that it|for (?:example|instance)|suppose|assume"
    r"|i (?:doubt|suspect|would guess|guess)|far from|anything but)\b(?![^$\\]*[$\\][^$]*\$[^$]*\$)",
    re.IGNORECASE,
)
_GUESSED = re.compile(  # anywhere in a short message
    r"\b(?:maybe|perhaps|guessing|(?:i|we|my|wild|best|just a) guess|not (?:sure|certain)|unsure|no idea"
    r"|possible (?:values|answers|solutions|options|choices)(?=:)|reward: 1"
    r"|doubt(?!s? that any)|who knows|might be|joking|i (?:think|believe|suspect))\b",
    re.IGNORECASE,
)
_MARKS = "\u200b\u200c\u200d\u200e\u200f\ufeff \n"
_EMBEDDED = re.compile(  # the words in front of "the answer is" in its clause
    r"(?:^|[,;:.!?—–\n])([^,;:.!?—–\n]*?)\b(?:(?:the|our|my|a|final|correct|right|exact|overall|total"
    r"|desired|required|possible|particular|specific|explicit|valid|admissible|largest|smallest|greatest"
    r"|least|maximum|minimum|numerical) )*"
    r"(?:answer|result|solution|it|this|that|value)s? (?:is|was|are|equals|be|would be|must be|should be)\b",
    re.IGNORECASE,
)
_CONNECTIVES = frozenset([
    "so", "thus", "hence", "therefore", "then", "and", "now", "finally", "we", "get", "have", "find", "found",
    "see", "obtain", "conclude", "know", "determine", "deduce", "that", "since", "because", "which", "means",
    "gives", "in", "conclusion", "summary", "total", "all", "to", "as", "a", "result", "consequently",
    "accordingly", "the", "of", "is", "this", "it", "follows", "implies", "shows", "can", "must", "text",
    "final", "integer", "closest", "nearest", "correct", "only", "unique", "for", "x", "y", "n", "k", "here",
    "overall", "calculation", "calculating", "computing", "solving", "simplifying", "adding", "subtracting",
    "multiplying", "dividing", "up", "together", "after", "based", "on", "these", "steps", "above", "given",
    "using", "by", "also", "i",
])  # fmt: skip
_LISTED = re.compile(r",\s|;|\band\b")
_CIRCUMSTANCE = re.compile(
    r"(?:(?:so|thus|hence|and|therefore),? )?(?:at|by|on|in|after|until|before)\s", re.IGNORECASE
)
_ADVERBIAL = re.compile(  # in interval notation it is; so as a decimal it is; the only real solution is
    r".*\b(?:of|for|to|with)|(?:(?:so|thus|hence|then|and|therefore),? )?(?:in (?:[a-z-]+ ){0,2}(?:notation|form"
    r"|terms|words|total|all|cents|dollars|percent)"
    r"|i(?:['’]m| am) (?:(?:9[0-9]|100) ?% |very |quite |completely |absolutely |fully )?(?:confident|certain"
    r"|sure)(?: that)?"
    r"|as an? (?:[a-z]+ )?(?:decimal|fraction|percentage|percent|mixed number|number|product|sum)|altogether"
    r"|all together"
    r"|(?:(?:so|thus|hence|then|and|therefore),? )?the (?:present|future|current|market|book|face|resale|new|expected"
    r"|mean|average|absolute|actual|numeric|rounded|approximate|total|sale|original|initial|starting|place|target)"
    r"|(?:the|its|our) (?:only|unique|real|positive|negative|general|exact|integer|complete|full|numerical|two"
    r"|three| )+)"
)
_INVISIBLE = re.compile("[\x00-\x08\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069]")
_QUESTION = re.compile(r"^\s*[?？]|[?？][\s$*)\]]*$")
_CLOCK = re.compile(r"\b(?:at|by|until|around|before|after)\s+[0-9]{1,2}:(?![0-5][0-9](?![0-9]))\S")
_CHANGED = re.compile(  # what directly precedes a value and makes it another one
    r"(?:\b(?:half(?: of)?|twice|double|thrice|triple|negative|(?:opposite|reciprocal|inverse|square|cube"
    r"|root) of|all but"
    r"|except(?: for)?|(?<!add )(?<!adds )(?<!added )(?<!total )up to|not|never|(?:bet|settled?|land(?:ed)?"
    r"|lean(?:ing)?) on|around|near(?:ly)?|almost"
    r"|as (?:much|many|large|big|long|old|far|high|often) as"
    r"|towards?|like|against|without|beyond|past|called|labelled|say|(?:more|less|greater|fewer|larger"
    r"|smaller|bigger|higher|lower) than|anything but|other than|(?:divid|multipl)[a-z]+ (?:[a-z]+ )?by"
    r"|(?:on )?page|(?:as )?in problem|see(?: the)? line)|n't|\be\.\s?g\.)[\s$*\\(]*(?:[A-Za-z]\s*=\s*)?$",
    re.IGNORECASE,
)
_CUT_OFF = re.compile(
    r"[\s$*)\]]*(?:times(?!\.)|plus|minus|divided by|multiplied by|to the(?: power)?(?: of)?(?: [0-9]+)?"
    r"|\\(?:cdot|times)|[-+/^=])\s*\.?\s*$",
    re.I,
)
_GOES_ON = re.compile(  # 8 is one way to see it; 8 cannot be ruled out
    r"[ \t$*)\]]*(?:is|was|seems?|looks?|feels?|sounds?|cannot|can't|can|could|may|might|would|has|should"
    r"|appears?|works?|fits?|must|does)\s"
    r"(?!(?:still |now |already |all )?[a-z]+(?:ed|eld|ade|old|ent|en)\b)"
    r"(?!(?:the|our|my|thus|therefore|then|correct|right"
    r"|indeed) ?(?:[a-z]+ ){0,2}(?:answer|solution"
    r"|result|value|root|number|one|correct|right)?)",
    re.IGNORECASE,
)
_OR_SIX = re.compile(
    r"[\s$*)\]]*[(,]?\s*or\s+(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|[a-z]+teen|[a-z]+ty)\b", re.I
)
_NAME = re.compile(r"(?<![A-Za-z0-9_\\])([A-Za-z])\s*=")
_JOINS = re.compile(
    r"\b(?:or|ou|oder|o|either|lor|vee)\b|[|∨\x00]|または|或|(?-i:\([A-Z]\))|=[^=,\n]{0,20}?(?:[0-9)}$]\s*[/／]|\btimes\b)\s*\$?[A-Za-z]\s*=",
    re.IGNORECASE,
)
_LABEL_SAID = re.compile(r"\b(?:answer|option|choice)(?: is|:) \**\(?[A-J]\)?\W*$")
_IMPERATIVE = re.compile(
    r"[$*]*\.\s+(?:Add|Subtract|Multiply|Divide|Find|Compute|Calculate|Check|Solve|Use|Write|Simplify"
    r"|Determine|Combine"
    r"|Set|Let|Apply|Count|Identify)\b[^.\n]{0,60}$",
    re.MULTILINE,
)
_HEADING = re.compile(r"\S[^\n]{0,60}?" + _IMPERATIVE.pattern)
_NUMBER_WORD = (
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|(?:twen|thir|for|fif|six|seven"
    r"|eigh|nine)ty\w*|hundred|thousand|million|billion|half|halves|thirds?|quarters?|fourths?|fifths?"
    r"|\w+ths?|minus|negative"
    r"|plus|and|a|an)"
)
_WORDS = re.compile(r"[^\W\d_₀-₉]+(?:['’-][^\W\d_]+)*")
_FORMULA = re.compile(
    r"\\[A-Za-z]+|\$[^$]*\$|[A-Za-z]\w{0,20}_|\b(?:sqrt|cbrt|log|ln|exp|sin|cos|tan|arc\w+|floor|ceil|min"
    r"|max|gcd|lcm)\b"
)
_FIRST_VALUE = re.compile(r"[0-9$\\=<>≤≥(\[{|√π∞∅]")
_LAST_WORD = frozenset([
    "is", "are", "was", "were", "be", "equals", "equal", "has", "have", "had", "total", "get", "gets", "got",
    "give", "gives", "gave", "find", "found", "obtain", "yields", "yield", "costs", "cost", "becomes", "to",
    "at", "the", "x", "y", "z", "answer", "solution", "solutions", "result", "value", "equation", "line",
    "curve", "plane", "function", "point", "interval", "set", "number", "numbers", "real", "integers", "es",
    "est", "解得", "ist", "sind", "es", "son", "sont", "usd", "us", "eur", "rs", "inr",
])  # fmt: skip
_TWO_SUBJECTS = re.compile(
    r"(?:(?:so|thus|hence|therefore),?\s+)?(?:the|its|their|his|her)\s[a-z ]{2,40}?\s(?:is|are"
    r"|equals)\s(?:(?!\.\s)[^;\n]){1,80}?"
    r"(?:;|,?\s(?:and|but|while|whereas))\s(?:the|its|their|his|her)\s[a-z ]{2,40}?\s(?:is|are"
    r"|equals)\s(?:(?!\.\s)[^;\n]){1,80}",
    re.IGNORECASE,
)
_SHOWN = re.compile(r"[a-z]+|[0-9]+(?:[.,:][0-9]+)*")
_LABEL_GOES_ON = re.compile(  # \text{(B)} minus
    r".*\\text\s*\{\s*\(?[A-J]\)?\s*\}\s*(?:[±?xX+*/^]|\(?\b(?:times|minus|plus|to the|at most|at least|if|or|not)\b)"
)
_LEFT_OPEN = re.compile(r"\n[^\n]{0,40}[:=]\s*[?？]\s*$")  # Try 3: ?
_BREAKS_OFF = re.compile(  # ... = 420/2, and this
    r"(?<=[a-z)}$0-9,;] )(?:and|so|then|the|this|that|which|of|to|is|are|we|with|by|for)\s*$|[a-z],\s*$"
)
_PLANS_ON = re.compile(  # Next, we subtract it from: no end of a sentence
    r"(?:接下来|下一步|第[一二三四五六七八九]步)[^。！？\n]*[\u4e00-\u9fff]\s*$"
    r"|(?:^|[.\n] ?)(?:next|now|then|step [0-9]+:?),? (?:we|i|let)\b[^.!?\n]*[a-z,]\s*$"
    r"|(?:[.!?)]\s|\n)(?:then |next,? |now |finally,? )?(?:look up|multiply|divide|subtract|add|compute"
    r"|calculate|evaluate"
    r"|substitute|plug|take|apply|combine|carry out|work out|find|solve|use|set up)\b(?:(?!\b(?:is|are|get"
    r"|gives?|see|have|equals|yields|makes|you|we|it|find|leaves|obtain)\b)[^.!?\n=:→≈])*[.!]?\s*$",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(  # at the end of a message, wherever its answer stands
    r"\b(?:cannot|can['’]t|could not|couldn['’]t|unable to|do not|don['’]t) (?:decide|choose|tell|know|say)"
    r" (?:between|which|whether)\b|\b(?:either|both|any) of (?:these|them|the two) (?:is|are|would be"
    r"|could be) (?:acceptable"
    r"|possible|right|correct|fine|valid)\b",
    re.IGNORECASE,
)
_BOTH_GOOD = re.compile(  # where one value is asked for
    r"\b(?:either|both|each)(?: (?:answers?|values?|readings?|interpretations?|options?|results?|solutions?|numbers?"
    r"|choices?))? (?:is|are|would be|could be|can be|seems?) (?:equally |also )?(?:acceptable|possible|valid|fine|okay"
    r"|ok|defensible|legitimate|plausible|reasonable|correct|right)\b"
    r"|\bwhichever (?:one|of (?:the|these|those) two|of them|fits|suits|you)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r",|\bor\b|\band\b|±|\\pm|;")
_RANGE = re.compile(  # between 15 and 18 minutes; it takes 15 to 18 minutes
    r"(?:\bbetween\s+\W{0,3}(?P<low>[0-9][0-9,.]*)(?:\s?[a-z%]+)?\W{0,3}\s+and\s+\W{0,3}(?P<high>[0-9][0-9,.]*)"
    r"|\b(?:is|takes?|took|needs?|costs?|be|lasts?|after|answer:?)\s+(?:about\s+|from\s+)?\W{0,3}(?P<one>[0-9][0-9,.]*)"
    r"(?:\s?[a-z%]+)?\W{0,3}\s*(?:\bto\b|–)\s*\W{0,3}(?P<two>[0-9][0-9,.]*))"
    r"(?=[\s*$.]*(?:[a-z]+[\s*$.]*){0,2}$)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[0-9][0-9,.]*")
_ASKED = re.compile(r"[\s$*)\]]*\(?\s*[?？]")


def hedged(message: str, rule: str, candidates: Sequence[str], gold: str, asking: str = "") -> bool:
    """Whether what surrounds the answers of a message takes them back.

    Args:
        message: All of it.
        rule: Which rule read the answers.
        candidates: The answers.
        gold: The right answer: its words are never held against one.
        asking: The sentence of the question that asks, if it is known.

    >>> hedged("So the answer is 8.", "statement", ["8"], "8")
    False
    >>> hedged("There is a good chance that it is 8.", "last line", ["8"], "8")
    True
    >>> hedged("See line y=0.", "last line", ["See line y=0"], "y=0")
    True
    """
    message = WRITTEN_AS.sub("; ", REMARKED.sub("", _CONCEDED.sub("", prepared(message)[0])))
    known = {word.lower() for word in _WORDS.findall(gold) if len(word) > 1}
    if rule == "last line" and (
        _LEFT_OPEN.search(message) is not None
        or _PLANS_ON.search(message[-200:]) is not None
        or _breaks_off(message, candidates)
    ):
        return True
    if undecided(message, gold):
        return True
    for candidate in candidates:
        if _LABEL_GOES_ON.match(candidate) is not None:
            return True
        if _doubts(candidate, known) or _unread_words(candidate, known) or _offers_names(candidate, known):
            return True
        if rule == "marker" and any(
            _HEADING.match(candidate) or _IMPERATIVE.match(message, m.end())
            for m in re.finditer(re.escape(candidate), message)
        ):
            return True  # #### 2. Add them: a heading
        if rule in ("tag", "box") and _BESIDE.search(_before(message[-_MAX_CHARS:])):
            return True
        shown = without_remarks(message[-_MAX_CHARS:]) if rule == "last line" else message
        shown = shown if candidate in shown else message
        if rule == "last line" and NO_RESULT.search(sentence_of(shown[-_MAX_CHARS:], candidate)):
            return True
        if rule in ("last line", "statement", "marker") and _scope_hedges(shown, candidate, known, asking):
            return True
    return False


def is_end_of_range(message: str, candidate: str) -> bool:
    """Whether a number is one end of the range with which a message ends: it takes 15 to 18 minutes."""
    found = _RANGE.search(message[-_SHORT:].rstrip())
    ends = [end.rstrip(",.") for end in found.groups() if end] if found is not None else []
    return (
        len(set(ends)) == 2
        and _NUMBER.sub("#", candidate).count("#") == 1
        and not set(ends).isdisjoint(number.rstrip(",.") for number in _NUMBER.findall(candidate))
    )


def undecided(message: str, gold: str) -> bool:
    """Whether the end of a message says that it cannot decide, or that both values are good where one is asked for.

    >>> undecided("It is 8, or 18. Both are acceptable.", "8"), undecided("x = 2 or 3. Both are valid.", "2, 3")
    (True, False)
    """
    end = message[-300:]
    return _UNDECIDED.search(end) is not None or (_SEVERAL.search(gold) is None and _BOTH_GOOD.search(end) is not None)


def _breaks_off(message: str, candidates: Sequence[str]) -> bool:
    """Whether a message ends within the only sentence that holds its answer."""
    if _BREAKS_OFF.search(message[-40:]) is None:
        return False
    ends = [match.end() for match in END_OF_SENTENCE.finditer(message[-_MAX_CHARS:])]
    before = message[-_MAX_CHARS:][: ends[-1]] if ends else ""
    return not any(candidate in before for candidate in candidates)


def doubts(text: str) -> bool:
    """Whether words of a text doubt, suppose, quote or refuse.

    >>> doubts("assuming that none is missing, it is 8"), doubts("So it is 8.")
    (True, False)
    """
    may_concede = any(word in text.lower() for word in _CONCEDES)
    return _doubts(_CONCEDED.sub("", text) if may_concede else text, set())


def _doubts(text: str, known: set[str]) -> bool:
    found = _DOUBT.finditer(text[-_MAX_CHARS:].lower())
    return any(known.isdisjoint(_WORDS.findall(match[0])) for match in found)


def _offers_names(text: str, known: set[str]) -> bool:
    """Whether equations for several names are offered, of which the gold has at most one: x = 0 or y = 0."""
    return (
        len(text) <= 1000
        and not _LABEL_SAID.search(text)
        and _JOINS.search(text) is not None
        and len({*_NAME.findall(text)} - {""}) > 1
        and "or" not in known
        and len(known & {name.lower() for name in _NAME.findall(text)}) <= 1
    )


def _unread_words(candidate: str, known: set[str]) -> bool:
    """Whether an answer that is still a sentence says more of its value than what it is a value of."""
    if _INVISIBLE.search(candidate.strip(_MARKS)) or _QUESTION.search(candidate) or _CLOCK.search(candidate):
        return True
    first = _FIRST_VALUE.search(candidate)
    prefix = candidate[: first.start()] if first is not None and len(candidate) <= _MAX_CHARS else ""
    named = re.sub(r"(?<![^\W\d_])[^\W\d_](?:_?[0-9])?\s*$", "", _FORMULA.sub(" ", prefix))  # the name of an equation
    bare, prefix = named == _FORMULA.sub(" ", prefix), named
    words = [word.lower() for word in _WORDS.findall(prefix) if len(word) > 1 and word.lower() not in known]
    if not words or all(re.fullmatch(_NUMBER_WORD, part) for word in words for part in word.split("-")):
        return False
    if _BOUND.search(prefix):
        return True
    assert first is not None
    return (
        words[-1] not in _LAST_WORD
        and "=" in candidate
        and not (bare and first[0] == "=")
        and not prefix.rstrip().endswith((":", ","))
    )


def _embedded(before: str, known: set[str], asking: str) -> bool:
    """Whether "the answer is" depends on words that need not mean that it is: there is a good chance that it is."""
    before = re.split(r"\n|\$\$|\\end\{[a-z*]+\}|(?<=[a-z])[.] ", before)[-1]
    heads = [match for match in _EMBEDDED.finditer(before) if len(before) - match.end() <= 40]
    if not heads:
        return False
    if re.search(r"\b(?:is|are|was|were|has|have|equals|costs?)\b|=", before[heads[-1].end() :]):
        return False
    head = heads[-1][1].strip(" *").lower()
    if _ADVERBIAL.fullmatch(head) or (asking and _is_asked(head, asking.lower())):
        return False
    words = set(_WORDS.findall(re.sub(r"\\[a-z]+", " ", heads[-1][1].lower())))
    return bool(words - _CONNECTIVES - known)


def _is_asked(head: str, asking: str) -> bool:
    """Whether words before "it is" are a circumstance that is asked about: at midnight, after 5 days."""
    circumstance = _CIRCUMSTANCE.match(head)
    return circumstance is not None and set(_SHOWN.findall(head, circumstance.end())) <= set(_SHOWN.findall(asking))


def _before(text: str) -> str:
    """What a sentence says before the last box or tag in it."""
    start = max(text.rfind("\\boxed"), text.rfind("<answer>"), 0)
    return END_OF_SENTENCE.split(text[max(0, start - 300) : start])[-1] or ""


def _scope_hedges(message: str, candidate: str, known: set[str], asking: str) -> bool:
    """Whether the sentence that an answer stands in doubts it, asks for it, or gives it beside another."""
    text = message[-_MAX_CHARS:].strip()
    start, end = place_of(text, candidate)
    beside = (_ASKED, _CUT_OFF, _GOES_ON, _OR_SIX)
    if start < end and (
        any(pattern.match(text, end) for pattern in beside)
        or _CHANGED.search(text[max(0, start - 30) : start])
        or _embedded(text[max(0, start - 300) : start], known, asking)
    ):
        return True
    sentence = behind_supposition(sentence_of(text, candidate))
    if _INVISIBLE.search(sentence.strip(_MARKS)) or _QUESTION.match(text):
        return True
    if (
        (len(text) <= _SHORT and _GUESSED.search(text))
        or _doubts(sentence, known)
        or _CLOCK.search(sentence)
        or _QUESTION.match(sentence)
        or _offers_names(sentence, known)
    ):
        return True
    two = _TWO_SUBJECTS.fullmatch(sentence) is not None and not selected(sentence)
    shown, read = (
        {number.rstrip(",.") for number in _NUMBER.findall(part)} if two else set() for part in (sentence, candidate)
    )
    listed = _LISTED.search(candidate) is not None and " is " not in candidate
    return two and not (listed and shown and shown <= read)  # of all values none is open
