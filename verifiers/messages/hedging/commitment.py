r"""Whether an author stands behind an answer: words beside it or behind it that speak of the answer itself.

A sentence that answers speaks of the question: its quantities, its things. One that hedges speaks of the answer: where
it comes from, how far it was checked, how sure the author is, what else it could be, that it is taken back. These words
are listed by what they say (`_SAYS_OF_ANSWER`); what follows the answer is read by who it is about (`taken_back`).
A message that shows no work at all must say no more than a value and what it is a value of, in known words
(`unexplained`): there, a word that nobody knows is a doubt; in a worked solution, it is a part of the story.
"""

import re

from turnwise.verifiers.messages.clause import LEAD
from turnwise.verifiers.messages.hedging.known_words import KNOWN_WORDS, QUANTITIES
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = [
    "around",
    "counts_things",
    "provisional",
    "sentence_bounds",
    "shows_work",
    "speaks_of_answer",
    "taken_back",
    "unexplained",
    "without_reason",
]

_LISTS = (
    # where it comes from, in place of work
    r"intuitions?|instincts?|gut|hunch(?:es)?|vibes?|recollections?|from memory|memory serves|hearsay|gossip|folklore"
    r"|out of thin air|out of a hat|rings? a bell|wild stab|stab (?:at|in)|shot in the dark|best shot|gun to my head"
    r"|it smells|word has it|or so (?:they|i|it|we)\b|people say|they say|some say|it is said|so-called"
    r"|common(?:ly)? (?:answer|belief|mistake|error)\w*|popular (?:answer|choice|belief)|conventional wisdom"
    r"|(?:some|any|every|no)(?:body|one)(?: else)?(?: [a-z]+)? (?:got|gets|has|says?|said|agrees?|seems?|claims?|knows)"
    # what its standing is
    r"|provisional\w*|placeholders?|stand-in|drafts?|interim|preliminar\w+|unconfirmed|unverified|untested|unchecked"
    r"|unprove[dn]|unsettled|unresolved|unreliable|undetermined|unjustified|unfinished|incomplete|inconclusive"
    r"|pending|tb[dca]\b|awaiting|stopgap|for now|for the (?:moment|time being)|until (?:proven|shown|somebody|someone"
    r"|further|i|we)|as yet|not yet|yet to be|remains to|working (?:assumption|hypothesis|value|guess|answer|theory)"
    r"|low confidence|needs? (?:checking|verification|confirmation|a check|more)|to be (?:confirmed|determined"
    r"|verified|checked)|work in progress|rough(?= (?:answer|guess|idea|value|figure|sketch))|first pass|first cut"
    r"|(?:please|better|worth|would) (?:re-?|double[- ]?)?(?:check|verify|confirm|correct)\w*|double[- ]check"
    # what was not done
    r"|lazy|(?:ran|run|running) out of|skipp(?:ed|ing) (?:the|this|that|a)|gave up|giving up|hasty|hastily|rushed"
    r"|glanc\w+|eyeball\w*|squint\w*|guesswork|hand-?wav\w+|misread|miscounted|misremember\w*|forgot\b|forgotten"
    r"|(?:haven't|hasn't|hadn't|didn't|have not|has not|had not|did not|never|not|un(?:able to)|without)"
    r"(?: (?:really|even|fully|actually|yet|been|properly|bother(?:ed|ing)? to|any|a|an|the|being))*"
    r" (?:check|verif|prov[ei]|proof|test|finish|complet|comput|calculat|deriv|confirm|justif|re-?check|double"
    r"|bother)\w*"
    # chance and confidence
    r"|by (?:pure |sheer |dumb )?(?:luck|accident|chance)|lucky|luckily|more luck|coinciden(?:ce|ces|tal|tally)\b"
    r"|gambl\w+|money is on|money's on|my money|odds are|i'd bet|bet on it|(?<!more )(?<!less )confident\w*"
    r"|confidence(?! (?:interval|level))|convinced|per ?cent sure|% (?:sure|certain|confident)"
    r"|(?:not|pretty|fairly|quite|almost|nearly|reasonably|somewhat|half|hardly|too|entirely|completely|totally"
    r"|absolutely|less|more|very) (?:sure|certain|positive)(?! to\b)|for sure\b|trust me|reserv(?:e|ing) judge?ment"
    r"|hopes?|hoped|hoping|hopefully|fingers crossed|knock on wood|with luck|god willing|all being well|fear\b|afraid"
    # taken back
    r"|retract\w*|recant\w*|rescind\w*|supersed\w*|revok\w+|take (?:it|that|this) back|i withdraw|withdraw (?:it|this"
    r"|that|my)|scratch (?:that|it|this)|strike (?:that|it|this)|never ?mind|disregard\w*|ignore (?:it|that|this|the"
    r"|all|my)|forget (?:it|that|this|about|the)|forget(?=[\s$*\\(]*$)|obsolete|outdated|on (?:second|closer|further)"
    r"|second thoughts?"
    # wrong, or of no use
    r"|wrong\w*|incorrect\w*|falsely|invalid\w*|contradict\w*|violat\w+|falls? apart|breaks? (?:the|a|down)"
    r"|misconceptions?"
    r"|myth|mistak\w+|by mistake|typos?|flaw\w*|nonsens\w+|absurd\w*|infeasible|inconsisten\w+|mismatch\w*"
    r"|red herring|pitfalls?|decoy|distractors?|bogus|spurious|fallacious|trap(?= (?:answer|is|value|here))|naive\w*"
    r"|does not (?:hold|fit|work|satisfy|match)|doesn't (?:hold|fit|work|satisfy|match|look|seem|feel|sound)"
    r"|(?:not|n't) look right|beginners?|unrealistic|unreasonable|makes no sense"
    # what it depends on
    r"|barring|iff|face value|(?:drawn )?to scale|taken literally|literally|notwithstanding|contingent|hinges?"
    r"|conditional\w* on|at a (?:push|pinch)|if (?:forced|pressed|pushed|anything|at all|correct|right|true|i\b)"
    r"|forced to|for (?:the )?(?:sake|lack|want) of|in the absence|ignoring|neglecting|naively|loosely"
    r"|strictly speaking"
    r"|in theory|on paper|only (?:if|when|because|by)|in the limit|assuming"
    # near it, or a bound of it
    r"|ballpark|give or take|more or less|or thereabouts|hover\w*|close enough|near enough|far from|short of"
    r"|at the very (?:least|most)|at best|at worst|and counting|or so\b|tops\b|minus whatever|plus a (?:little|bit|few)"
    r"|error bars?"
    # somebody else's answer, or no answer
    r"|(?:expected|wanted|desired|model|official|sample|reference) (?:by|reply|response|solution)"
    r"|according to (?:the (?:key"
    r"|book|textbook|internet|forum)|some|my|a)|the (?:answer )?key|book says|grader|examiner|the marker|chatbot"
    r"|comments"
    r"|pretend\w*|for argument|role-?play\w*|make-?believe|made-up|joking|kidding|torn\b|toss-?up|runner-up"
    r"|second choice"
    r"|(?:competing|rival|other) (?:answer|value|candidate)s?|timed out|crashed|stalled|aborted|connection (?:dropped"
    r"|lost|failed|closed)|tempted"
    r"|tempting|possible answer|candidate answer|next (?:prime|integer|number|value|multiple) after|easy to"
    # in the language of chats
    r"|imh?o|afaik|afaict|iirc|idk|tbh|fwiw|ymmv|prolly|prob|probs|dunno|kinda|sorta|lol|jk|nvm|ngl|smh|ish|meh|hm+"
    r"|umm|erm"
)
_SAYS_OF_ANSWER = re.compile(
    r"(?<![A-Za-z\\'’-])(?:" + "".join(_LISTS) + r")(?![A-Za-z'’-])"
    r"|接近|随便|随手|(?:没|没有|不)(?:算|记|弄|搞)?错的话|(?:没有?|尚未|还没|未经|待)(?:验证|检验|核实|确认|检查)|暂时|暂定|凭(?:记忆|感觉|直觉)"
    r"|直觉|瞎|蒙的?|差不多|不保证|印象|存疑|有误|作废|忽略|收回|说不定|八成|恐怕|想必|多半|不敢"
    r"|\b(?:tippe|rate mal|geraten|schätz\w*|irre|hoffentlich|fürchte|unsicher|vorläufig|ungeprüft|ohne gewähr"
    r"|sauf erreur"
    r"|dirais|parierais|à vérifier|au hasard|de mémoire|à peu près|sauf|provisoire|me trompe|equivoco|a ojo"
    r"|de memoria|diría"
    r"|apuesto|supuestamente|más o menos|sin comprobar|direi|scommetto|a occhio|sbaglio|me engano|chuto|diria"
    r"|наверно|вроде|скорее|ошибаюсь|навскидку|на глаз|предварительно|неверно|ошиб\w+|dicen|dizem|dicono|man sagt"
    r"|on dit)\b"
    r"|恐らく|はず|かな|仮に|未確認|だいたい|およそ|듯|대략|추정|확실하지",
    re.IGNORECASE,
)
_BUT = r"(?:(?:but|and|yet|hmm+|note|edit|update|however|though|so|then|well|oh|ah)\b[,:;—–-]*\s*)*"
_IT = r"(?:that|this|it|which|the (?:answer|result|value|above|number|figure))"
_TAKEN_BACK = re.compile(
    _BUT + r"(?:i(?:'m|'d|'ve)?\b(?! (?:hope|trust|am happy|would be happy|will be happy|cannot see))"
    rf"|{_IT}(?:'s)?\s(?:[a-z]+ ){{0,2}}?(?:cannot|can't|seems?|looks?|feels?|sounds?|fails?|contradicts?|violates?"
    rf"|breaks?"
    r"|conflicts?|can be off|(?:is|was) (?:not right|wrong|unlikely|too (?:small|large|big|high|low)|off))\b"
    r"|(?:step|line|the (?:first|second|third|last|previous) (?:step|line|clause))\b[^.]{0,60}\b(?:not|never"
    r"|unjustified"
    r"|missing|wrong|unused|skipped|unchecked|false)\b"
    r"|never ?mind|(?:please )?(?:disregard|ignore|forget|scratch|strike|verify|correct me|do not|don't)\b"
    r"|(?:perhaps|maybe|possibly|probably|edit|correction|caveat|warning)\b|hmm+)",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    _BUT + rf"(?:{_IT}(?:'s)?\s(?:[a-z]+ ){{0,2}}?(?:not|never|n't|might|may|could|would|assumes?|ignores?|depends?"
    r"|requires?|isn't|doesn't|didn't|only|too)\b|(?:check|part|equation|case|the (?:first|second|third|last) "
    r"(?:equation|part|case|condition))\b[^.]{0,60}\b(?:not|never|missing|unused|unchecked)\b"
    r"|(?:or|else|alternatively(?!,? (?:we|one|you|using|note|by|since|let)\b)|otherwise|unless|except)\b)",
    re.IGNORECASE,
)
_CAVEAT = re.compile(
    r"^[#*_\s>-]*(?:caveats?|problems?|issues?|concerns?|warnings?|limitations?|doubts?|uncertaint\w+|confidence|status"
    r"|open (?:points|questions?)|disclaimers?|objections?|counter-?examples?|counter-?arguments?|risks?|errors?|errata"
    r"|assumptions?|alternatives?|other (?:answers|possibilities|readings)|weak\w* (?:points?|spots?))\b[^\n]{0,40}?"
    r"(?::|\*\*|\n|$)",
    re.IGNORECASE | re.MULTILINE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_NUMBER_WORD = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen|(?:twen|thir|for|fif|six|seven|eigh"
    r"|nine)ty"
    r"|hundred|thousand|half|twice|doubl\w+|triple)\b"
)
_MANY_WORDS = 25
_MAX_SENTENCE = 600
_PLACE_IN_TEXT = re.compile(  # step 3; 60 % sure: numbers that no work is done with
    r"\b(?:step|line|part|page|problem|case|equation|figure|exercise|question|try|attempt|option|candidate|chapter"
    r"|lemma"
    r"|theorem|method|guess|no\.|number)s?\s?\(?[0-9]+|[0-9]+(?:st|nd|rd|th)\b|[0-9]+\s?(?:%|per ?cent)(?=\s(?:sure"
    r"|certain"
    r"|confiden\w+|chance|likely|on\b))|\b(?:19|20)[0-9]{2}\b(?=[^0-9]*$)",
    re.IGNORECASE,
)
_EQUATED = re.compile(r"=\s?[-+\\({]{0,3}\s?[0-9A-Za-z]")
_COMMAND = re.compile(r"\\(?:operatorname|mathrm|mathbf|begin|end)\s*\{[^{}]*\}|\\[A-Za-z]+")


def speaks_of_answer(text: str, known: set[str]) -> bool:
    """Whether words that the gold does not have speak of an answer instead of giving it.

    >>> speaks_of_answer("So the draft answer is", set()), speaks_of_answer("So the total is", set())
    (True, False)
    """
    found = _SAYS_OF_ANSWER.finditer(text)
    return any(known.isdisjoint(_WORD.findall(match[0].lower())) for match in found)


def taken_back(tail: str, limited: bool = True) -> bool:
    """Whether what follows an answer, in sentences of its own, takes it back or (where ``limited``) limits it.

    >>> taken_back("I retract this."), taken_back("Let me know if you have questions!")
    (True, False)
    """
    tail = tail[:300].strip(" \n.,;:!?)]}*$\"'`。")
    if not tail:
        return False
    if limited and _CAVEAT.search(tail):
        return True
    sentences = [part for part in END_OF_SENTENCE.split(tail) if part and part.strip()]
    said = [part.strip().lstrip("*#>_([-–— ") for part in sentences[:2]]
    return any(_TAKEN_BACK.match(part) or (limited and _LIMITED.match(part)) for part in said)


def shows_work(text: str, answer: str) -> int:
    """How much a message holds beside its answer: 0 for no other number, 1 for one, 2 for more or a paragraph.

    >>> shows_work("It is 8.", "8"), shows_work("3 and 5 make 8.", "8"), shows_work("Eight of 12 are 8.", "8")
    (0, 2, 2)
    """
    if text.count(" ") > _MANY_WORDS and len(_WORD.findall(text, 0, 1000)) > _MANY_WORDS:
        return 2
    text = _PLACE_IN_TEXT.sub(" ", _COMMAND.sub(" ", text.replace(answer, " ") if answer.strip() else text))
    others = set(_NUMBER.findall(text)) | set(_EQUATED.findall(text))
    if others:
        others.update(_NUMBER_WORD.findall(text.lower()))
    return 2 if len(_WORD.findall(text)) > _MANY_WORDS else min(len(others), 2)


def sentence_bounds(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence begins and ends that holds a part of a text."""
    begin = max(0, start - _MAX_SENTENCE)
    for match in END_OF_SENTENCE.finditer(text, begin):
        if match.end() > start or match.end() >= len(text):
            break
        begin = match.end()
    stop = END_OF_SENTENCE.search(text, end)
    return begin, stop.start() if stop is not None else len(text)


def around(text: str, start: int, end: int) -> tuple[str, str, str]:
    """What stands before an answer in its sentence, what stands behind it there, and what follows that sentence."""
    begin, stop = sentence_bounds(text, start, end)
    return text[begin:start], text[end:stop], text[stop:]


_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u0400-\u04ff]")
_LABEL = re.compile(r"\(?[A-J]\)?|[A-Za-z]+(?: [a-z]+)?|\([A-J]\) .*")
_REMARK = re.compile(r"\s*\([A-Za-z -]{1,40}\)")  # 0.001 (one thousandth)
_BY_NAME = re.compile(r"\s*[A-Z][a-z]+(?:['’]s| is| has)\s[\s$*]*$")  # Kim's 18
_REASON = re.compile(r"[\s*,;:(—–-]*\b(?:because|since|given that|which is what)\b", re.IGNORECASE)
_EXPLAINS = re.compile(
    r"[\s.,;:*_#()\]$}\\]*(?:[a-z]|(?i:explanation|because|since|reason\w*|here(?:'s|’s| is) (?:why|how)"
    r"|alternatively,? (?:we|one|you))\b)"
)
_PROVISIONAL = re.compile(
    r"\b(?:placeholder|provisional\w*|tentative\w*|for (?:the )?(?:sake|lack|want) of|until (?:proven|shown|further"
    r"|i)|for now"
    r"|drafts?|stand-in|something in (?:the|a) box|forced to|if (?:pressed|pushed|forced)|unverified|unconfirmed"
    r"|unchecked"
    r"|cannot decide|could not decide|not decide|no idea|random|pretend\w*|instead of an answer|template|format)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"[$€£%](?![^$]*\\)|[0-9]\s?[^\W\d_]{2,}")
_MONEY = re.compile(r"[$€£%°]\s*$|^\s*[$€£%°]")
_THING = re.compile(
    r"[\s$*)\]\\}]*(?!(?:is|are|was|were|if|iff|but|or|and|though|as|unless|that|which|by|with|at|to|in|on"
    r"|for|from|of|per|until|only|when|because)\b)[^\W\d_]{2,}"
)
_OF_QUANTITY = re.compile(
    r"(?:.*[,:;]\s*|(?:so|thus|hence|therefore|then|now|and|finally)\b,?\s*)?(?:the|its|their|his|her|our|each|every"
    r"|[A-Z][\w'’]*)\s"
    r"(?:[\w'’-]+\s){0,40}?(?:is|are|was|were|equals|has|have|had)\s[\s$*\\(]*$",
    re.IGNORECASE,
)


def counts_things(after: str) -> bool:
    """Whether a value has the name of what it counts behind it."""
    return _THING.match(after) is not None


def without_reason(after: str) -> str:
    """What stands behind an answer without the reason or remark it ends in: ", since each of them has seven"."""
    match = _REASON.search(after)
    return after[: match.start()] if match is not None else after


def provisional(before: str) -> bool:
    """Whether what announces a tag or box says that something provisional is in it."""
    return _PROVISIONAL.search(before) is not None


def unexplained(before: str, candidate: str, after: str, tail: str, known: set[str], marked: bool = False) -> bool:
    """Whether a bare value stands among words that nobody knows, in a message that shows no work.

    A value with what it counts behind it ("12 apples"), or behind the name of a quantity ("the total length is"), is
    no bare one; what stands before a tag or box (``marked``) may say anything.
    """
    label = _LABEL.fullmatch(candidate.strip()) is not None
    if not label and not _EXPLAINS.match(tail) and _unknown(tail, known) and not tail.rstrip(" \n*\"'").endswith("!"):
        return True
    if _THING.match(after) or _AMOUNT.search(candidate) or _MONEY.search(before) or _MONEY.match(after):
        return False
    after = "" if label else _REMARK.sub("", after)
    if _BY_NAME.match(before):
        before = ""
    if _unknown(after, known):
        return True
    if marked or LEAD.match(before.strip()):
        return False
    if (_OF_QUANTITY.match(before) or before.rstrip().endswith(("=", ":"))) and not QUANTITIES.isdisjoint(
        _WORD.findall(before.lower())
    ):
        return False
    return bool(_unknown(before, known))


def _unknown(text: str, known: set[str]) -> list[str]:
    words = _WORD.findall(_COMMAND.sub(" ", text))
    return [
        word
        for word in words
        if len(word) > 1
        and not word.isupper()
        and word.lower() not in KNOWN_WORDS
        and word.lower() not in known
        and _LATIN.match(word)
    ]
