r"""Find the answer in what a model wrote without being told a form, or without keeping to it.

`turnwise.verifiers.extract.final_answer` reads the form that environments ask for; this reads as a careful examiner
would. The rule for several candidates is the same: they must all be right.
"""

import re
from itertools import pairwise

from turnwise.verifiers.extract import boxed, closing_brace, undressed

__all__ = ["candidates", "in_sentence"]

MAX_CHARS = 20_000  # the end of a longer message without tag or box is read
MAX_BARE_CHARS = 200
MAX_SAID = 20  # times that "the answer is" is heard, the last ones
MAX_SENTENCE_CHARS = 1000
DIFFERENT = "the message gives different answers; give exactly one"


def _any(*words: str) -> str:
    return "(?:" + "|".join(words) + ")"


_CAPITALS = re.compile(r"</?(?:think|answer)>", re.IGNORECASE)
_FENCE = re.compile(r"```[a-z]*[ \t]*\n([^`]*)\n[ \t]*```", re.IGNORECASE)
_BOX = re.compile(r"\\(?:boxed|fbox)\s*(?:\{|([0-9A-Za-z]+))")
_JOINED = re.compile(  # between two boxes of one list
    r"(?:\\\\|\\[,;:! ()\[\]]|[a-zA-Z]\w?(?:_\{?\w+\}?)?\s*=|\\(?:quad|qquad)|\\text\s*\{\s*(?P<t>and|or)\s*\}"
    r"|(?P<w>\b(?:and|or|y|et|und|oder)\b)|[\s,;$&])*"
)
_STRONG = re.compile(
    r"\b(?:wait|actually|correction|(?:made|is|was) an? (?:\w+ )?(?:error|mistake)|sorry|scratch that"
    r"|on second thought|oops|hold on"
    r"|my bad|let me (?:fix|redo|correct|re\w+))\b|(?:^|[.!?]\s+)no\b|不对|更正|应该是|等等",
    re.IGNORECASE | re.MULTILINE,
)
_CORRECTED = re.compile(
    _STRONG.pattern
    + r"|\b(?:corrected|correcting|re-?check\w*|re-?calculat\w*|re-?consider\w*|double-?check\w*|revis\w+"
    r"|(?:error|mistake) (?:above|before|in my|earlier))\b",
    re.IGNORECASE | re.MULTILINE,
)
_UNSURE_WORDS = ("or", "either", "maybe", "perhaps", "possibly", "might", "unsure")
_TENTATIVE = re.compile(
    rf"\b{_any(*_UNSURE_WORDS, 'could', 'also', 'alternatively', 'another', 'not sure')}\b", re.IGNORECASE
)
_WEAKENED = re.compile(  # words after which a formula is not what is stated
    r"\b(?:not|never|neither|nor|cannot|unequal|except|but|false|wrong|incorrect|doubt|different"
    r"|other than|at (?:least|most)"
    r"|(?:more|less|fewer|greater|bigger|smaller|larger|higher|lower) than|or (?:less|more|fewer|greater"
    r"|higher|lower|above|below)"
    r"|above|below|under|over|exceeds?|up to|between|bounded|negative|minus|twice|double|half of|thrice"
    r"|(?:square|cube) of"
    r"|reciprocal|inverse of|opposite|one (?:less|more)|either|maybe|perhaps|possibly|might|may be|could"
    r"|guess|unsure|suppose"
    r"|assume|if|fails?|case|alternatively)\b|n't\b",
    re.IGNORECASE,
)
_DISOWNED = re.compile(
    r"\b(?:wrong|incorrect|false|suppose|assume|if|doubt|not|nobody|never|would|unless|whether|can't"
    r"|cannot|isn't|hardly)\b"
    r"[^.!?,\n]{0,60}$",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(
    r"[\s$*.,;:()\]\\–-]*+(?:(?:or(?!,? equivalently)|else|alternatively|possibly|maybe|perhaps|otherwise|if not)\b"
    r"|(?:but )?it (?:could|might|may) (?:also )?be\b|but (?:it )?(?:could|might|may)\b|/)(?P<rest>[^\n]{0,200})",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"[\s$*)\]\\]*+(?:(?:is|was) (?:not|wrong|incorrect|false)|isn't|fails|or (?:less|more|greater|fewer))\b", re.I
)
_GOES_ON = re.compile(r"\s*(?:[0-9^!]|\.[0-9]|(?:[+*/-]|\\times|\\cdot)\s*[0-9$]|i\b|\$?\s*(?:,|and)\s*\$?-?[0-9])")
_BUILT_UP = re.compile(
    r"(?:[-+/<>^]|(?<!\*)\*|\\(?:times|cdot|ne|neq|le|ge|lt|gt|leq|geq|sqrt|pm)\s*|(?:\}|sqrt|\^)\s*\{)\s*\$?\s*$"
)
_HEDGED = re.compile(
    r"(?:\b(?:or|not|either|least|most|than|maybe|perhaps|possibly|might be|n't)|(?:^"
    r"|[.\n])\s*(?:-?[0-9.]+\s*,\s*)+)[\s$\\(]*$",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:(?:final|correct|my|our|the|a|so)\s{1,9}){0,5}\banswer\b(?:\s{1,9}(?:to|of"
    r"|for)\s[^.:=\n]{0,80}?)?\s{0,9}(?:\*\*)?\s{0,9}"
    r"(?:is(?:\s+(?:thus|therefore|then|simply|just|equal to|given by))?|are|:|=|→|⇒|=>|would be|must be"
    r"|should be|equals"
    r"|comes? (?:out )?to)\s*:?\s*"
    r"|(?:【答案】|(?:答案|结果)(?:是|为|：|:))\s*|\bla (?:respuesta|réponse|risposta)(?: final[e]?)? (?:es|est"
    r"|è)\s*:?\s*"
    r"|\bdie (?:antwort|lösung)(?: lautet| ist|:)\s*:?\s*|\bответ\s*[:—-]\s*|^####\s*(?=[-+$\\(\[{0-9])"
    r"|^[#* \t]*final answer[*: \t]*\n+|^answer\s+(?=[$\\])|\bfinal (?:result|value)\s*(?:is|:|=)\s*",
    re.IGNORECASE | re.MULTILINE,
)
_END_OF_SENTENCE = re.compile(
    r"(?<![0-9A-Z][.])(?<!\b(?:sq|ft|in|hr|oz|lb)\.)[.!?](?=\s+[A-Z\"'*(]|\s*$)|[。！？]|\n", re.MULTILINE
)
_SPAN = re.compile(r"\*\*([^*$\n]{1,60})\*\*|\$\$(.+?)\$\$|\$([^$\n]+?)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_COPULA = re.compile(
    r"(?:.*(?:\bis\b|\bare\b|\bequals\b|\bgives?\b|\bget\b|\bgot\b|\bhave\b|\bobtain\b|\b(?:simplifies"
    r"|reduces|comes|evaluates|amounts|works out) to\b|\bbecomes\b|:|=)\s*)(\S.*)",
    re.DOTALL,
)
_CODE = re.compile(
    r"__|\b(?:lambda|import|eval|exec|def)\b\s*[\w(]|\bos\.|\b(?:open|print|system)\(|\\(?:write|input"
    r"|csname|def)(?![a-z])"
)
_COURTESY = re.compile(
    r"(?:i (?:hope|trust|believe)|hope (?:this|that|it)|let me know|if you (?:have|need)|thank|feel free"
    r"|please|\[?note)\b",
    re.IGNORECASE,
)
_SHOULD = re.compile(
    r"\b(?:it|that|this|the answer) (?:is|should be|must be) (-?\$?[0-9][^\s]*?\$?)(?=[.,;!]?(?:\s|$))", re.IGNORECASE
)
_NAME = re.compile(r"\$?([A-Za-z](?:_\w+)?)\s*=\s*[^=]+$|(guess|option|candidate|value)\b", re.IGNORECASE)
_BLANK = re.compile(r"\s*(?:\\[hv]?phantom\s*\{[^{}]*\}|\\q?quad|_+|\?+)\s*")  # a box to be filled in
_OPTION = re.compile(r"\(?[A-J][).:]\s")
_DENIAL = re.compile(r"\b(?:not|never|false|wrong|incorrect|fails?|doubt|cannot)\b|n't\b", re.IGNORECASE)
_DRESS = re.compile(r"(?:\\(?:boxed|fbox|\(|\)|\[|\]|displaystyle)|[\s${}.*:=]|[A-Za-z]{1,12}\b)*")
_PLACE = "\ue000"  # stands for a formula
_CORE = re.compile(
    rf"(?:(?:just|simply|exactly|therefore|thus|then|hence|so|equal to|given by|equals|indeed|clearly|that|the"
    rf"|(?:the )?(?:value|number|fraction|expression|set|interval|point|ordered pair|pair|sum|total|result"
    rf"|option|choice)(?: of)?"
    rf"|approximately|about|[a-zA-Z](?:_\w+)?\s*=)[\s,:]*)*"
    rf"({_PLACE}(?:\s*(?:,|;|and|or|, and|, or)\s*{_PLACE})*)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;(]|(?:which|as|because|so|since|for|when|where|if|by|with|using|from|after|who|that|and (?:we|the|it))\b", re.I
)
_CONNECTIVES = re.compile(
    r"^(?:(?:so|thus|hence|therefore|then|now|finally|we|get|have|obtain|find|conclude|that|see|this"
    r"|gives|it|follows|and|the"
    r"|answer|solution|result|in conclusion|consequently|accordingly|which|implies|means|as a result|know"
    r"|[\u4e00-\u9fff：，∴→]+)[\s,:]*)+",
    re.IGNORECASE,
)
_COUNTING = re.compile(  # "In total, she sold 72 clips": one number, and words that count
    r"(?:(?i:so|thus|hence|therefore|in total|altogether|overall|in all|finally|as a result)[, ]+[^0-9$]{0,60}?"
    r"|(?:[Ss]?he|[Tt]hey|[Ww]e|[Yy]ou|[Ii]t|[Tt]here|[Tt]he [a-z]{1,20}|[A-Z][a-z]+) (?:has|have|had"
    r"|makes?|earns?|sold|sells?|paid|pays?"
    r"|needs?|spends?|spent|gets?|got"
    r"|bought|costs?|will (?:cost|take|need|have|be)|takes?|took|can (?:make|have|buy))[^0-9$]{0,30}? ?)"
    r"(\\?\$?-?[0-9][0-9,]*(?:\.[0-9]+)?(?:/[0-9]+)?%?)(?: [A-Za-z]+){0,6}\.?"
)
_COUNTED = re.compile(r"(-?[0-9][0-9,]*(?:\.[0-9]+)?)\s+[a-z][^0-9$\\]*")
_FORMULA = re.compile(r"[\\_^{}\[\]<>|;]")
_NAMED = re.compile(r"(?:the|our|a|my|an|what|correct)\b", re.IGNORECASE)
_PICTURES = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f]")
_SHORT = re.compile(  # "Thus, 12 apples"
    r"(?:so|thus|hence|therefore),? (-?[0-9][0-9,]*(?:\.[0-9]+)?(?:/[0-9]+)?%?)(?: [a-z]+){0,3}\.?", re.IGNORECASE
)
_UNIT_TAIL = re.compile(
    r"(?:(?!is\b|are\b|as\b|which\b|where\b|for\b|so\b|in\b|satisf|holds?\b|has\b|have\b|was\b)[A-Za-z^0-9/]++ ?)*+"
)


def candidates(message: str) -> tuple[list[str], str]:
    r"""The texts that may be the answer of a message in free form, and why there are none.

    More forgiving than `final_answer`, for judging what models wrote without being told a form: a box that never
    closes, "the answer is ...", the last formula or the only number of the last sentence. The rule for several is the
    same: all of them must be right (`turnwise.verifiers.math`), except that boxes or tags side by side are one
    list, and that after an explicit correction ("wait, no") only what follows counts.

    >>> candidates(r"so \boxed{2} and \boxed{3}"), candidates(r"\boxed{4}. Wait, no: \boxed{5}")
    ((['2, 3'], ''), (['5'], ''))
    >>> candidates("First we add. Therefore, the answer is 12 apples.")
    (['12 apples'], '')
    """
    if "<A" in message or "<T" in message or "</A" in message:
        message = _CAPITALS.sub(lambda m: m[0].lower(), message)
    _, closed, rest = message.rpartition("</think>")
    if not closed and "<think>" in message:
        return [], "the message ends inside <think>; close it and give the answer"
    if "<answer>" in rest or "boxed" in rest or "fbox" in rest:
        spans = _tag_spans(rest) or _box_spans(rest)
        if spans:
            found = _merged(rest, spans)
            if _offers_another(rest, spans):
                return [], DIFFERENT
            if (better := _taken_back(rest[spans[-1][1] :])) is not None:
                return ([better], "") if better else ([], "the message takes its answer back")
            return (found, "") if all(found) else ([], "the answer is empty")
    rest = rest.strip() if rest.isascii() else _PICTURES.sub("", rest).strip()
    if not rest:
        return [], "the message is empty; give the answer as <answer>...</answer>"
    if len(rest) > MAX_CHARS:
        rest = rest[-MAX_CHARS:]
    heard = list(_SAYS.finditer(rest))
    said = [m.span() for m in heard if not _DISOWNED.search(rest[max(0, m.start() - 80) : m.start()])]
    if heard and not said:
        return [], "the message commits to no answer"
    if said:
        spans = [(start, end, _sentence(rest, end)) for start, end in said[-MAX_SAID:]]
        spans = [span for span in spans if span[2]]
        for (_, end, first), (start, _, _) in pairwise(spans):
            if end + len(first) > start and _TENTATIVE.search(rest[end:start]):  # is 4 or the answer is 5
                return [], DIFFERENT
        spans = [s for i, s in enumerate(spans) if i + 1 == len(spans) or s[1] + len(s[2]) <= spans[i + 1][0]]
        if spans:
            return _spoken(rest, spans)
    if (fence := _FENCE.fullmatch(rest)) is not None:
        rest = fence[1].strip()
    if "\n" not in rest and len(rest) <= MAX_BARE_CHARS:
        if _DENIAL.search(_SPAN.sub("", rest)) and (any(c.isdigit() for c in rest) or _SPAN.search(rest)):
            return [], "the message denies something; give the answer"
        return [undressed(rest)], ""
    stated = _last_expression(rest)
    return ([stated], "") if stated else ([], "no answer found; give it as <answer>...</answer>")


def _spoken(text: str, spans: list[tuple[int, int, str]]) -> tuple[list[str], str]:
    """The answers that a text says are its answer: (start, end, what is said)."""
    found = _merged(text, [(a, b + len(said), _committed(said)) for a, b, said in spans], joined=False)
    tail = text[spans[-1][1] + len(spans[-1][2]) :]
    if _STRONG.search(tail[:300]):  # The answer is 5. Wait, no, it is 4.
        better = _last_expression(tail) if not _TENTATIVE.search(tail) else None
        return ([better], "") if better else ([], "the message takes its answer back")
    other = _ALTERNATIVE.match(tail)
    if other is not None and any(c.isdigit() for c in other["rest"]):
        return [], DIFFERENT
    return (found, "") if all(found) else ([], "the message commits to no answer")


def _committed(said: str) -> str:
    """What is said to be the answer; nothing where the words around a formula or a number take it back."""
    whole = undressed(said)
    if whole != said or not (_SPAN.search(said) or any(c.isdigit() for c in said)):
        return whole
    formulas = [next(group for group in match.groups() if group is not None) for match in _SPAN.finditer(said)]
    words = _SPAN.sub(_PLACE, said)
    if _WEAKENED.search(words):
        return ""
    if _OPTION.match(said):
        return said
    return _stated(words, formulas) or in_sentence(said) or "" if formulas else said


def in_sentence(text: str) -> str | None:
    """What a sentence states: the formula, or the words, after its last "is" or "="; None where it takes that back.

    >>> in_sentence("So there are 12 ways"), in_sentence("It is 4 or 5"), in_sentence("It is not 5")
    ('12', '4 or 5', None)
    >>> in_sentence("Thus the area is $12$ square units"), in_sentence("Thus $x = 5$")
    ('12 square units', 'x = 5')
    """
    if _CODE.search(text):
        return None
    text = text.replace("\\$", "$") if text.count("$") == 1 else text  # an amount
    formulas = [next(group for group in match.groups() if group is not None) for match in _SPAN.finditer(text)]
    words = _SPAN.sub(_PLACE, text.strip())
    if _WEAKENED.search(words) or (not formulas and _FORMULA.search(text)):
        return None
    copula = _COPULA.fullmatch(words)
    if not formulas:
        if copula is None:
            match = _SHORT.fullmatch(words) or _COUNTING.fullmatch(words)
            return match[1] if match is not None else None
        counted = _COUNTED.fullmatch(copula[1])
        return counted[1] if counted is not None and not _TENTATIVE.search(words) else copula[1]
    if copula is not None and _PLACE in copula[1]:
        subject, rest = words[: copula.start(1)], copula[1]
    elif copula is not None and not _NAMED.match(copula[1]):  # ... of $f(x)$ is 19
        return copula[1]
    else:
        subject, rest = "", _CONNECTIVES.sub("", words)
        rest = (
            rest[: copula.start(1) - len(words)].strip()
            if copula is not None and copula.start(1) < len(words)
            else rest
        )
        rest = re.sub(r"\s*(?:is|are|be)\s*$", "", rest)
    stated = _stated(rest, formulas[subject.count(_PLACE) :])
    if stated is None and len(formulas) == 1:  # She has **72** clips
        match = _COUNTING.fullmatch(words.replace(_PLACE, formulas[0]))
        return match[1] if match is not None else None
    return stated


def _stated(rest: str, formulas: list[str]) -> str | None:
    """The formulas that stand at the beginning of what is said, joined as they are, with a unit after a single one."""
    match = _CORE.match(rest)
    if match is None or not formulas:
        return None
    count, tail = match[1].count(_PLACE), rest[match.end() :].strip(" .")
    if _PLACE in tail and not _CLAUSE.match(tail):
        return None
    if count > 1:
        pieces = iter(formulas)
        return re.sub(re.escape(_PLACE), lambda m: next(pieces), match[1])
    formula = formulas[0]
    if tail and len(tail) <= 40 and _UNIT_TAIL.fullmatch(tail) and not formula.rstrip().endswith("}"):
        return f"{formula} {tail}"
    return formula


def _taken_back(tail: str) -> str | None:
    """After the last box or tag: what a correction puts in its place, "" where that is unclear, None where none is."""
    match = _STRONG.search(tail[:300])
    if match is None or _TENTATIVE.search(tail[match.end() : match.end() + 80]):
        return None
    said = [m.end() for m in _SAYS.finditer(tail) if m.start() >= match.start()]
    if said:
        return _committed(_sentence(tail, said[-1]))
    should = _SHOULD.search(tail, match.start())
    return should[1] if should is not None else None


def _offers_another(text: str, spans: list[tuple[int, int, str]]) -> bool:
    r"""Whether what stands around the last answer offers another or takes it back: ``\boxed{5} or possibly 6``."""
    start, end, _ = spans[-1]
    before, after = text[max(0, start - 120) : start].rpartition("\n")[2], text[end : end + 300]
    if before.rstrip(" $").endswith(("<", ">")) and after.lstrip(" $").startswith(("<", ">")):  # 4 < 5 < 6
        return False
    joined = len(spans) > 1 and _JOINED.fullmatch(text[spans[-2][1] : start][-80:]) is not None
    if (
        text.startswith("\\", start)
        and not joined
        and (_BUILT_UP.search(before) or _HEDGED.search(before) or _GOES_ON.match(after))
    ):
        return True
    if _DENIED.match(after):
        return True
    found = _ALTERNATIVE.match(text, end)
    return (
        found is not None
        and (found[0].lstrip()[:1] != "/" or found["rest"].strip()[:1].isdigit())
        and (any(c.isdigit() for c in found["rest"]) or "boxed" in found["rest"])
    )


def _tag_spans(text: str) -> list[tuple[int, int, str]]:
    found, position = [], 0
    while (close := text.find("</answer>", position)) >= 0:
        start = text.rfind("<answer>", position, close)
        if start >= 0:
            content = text[start + 8 : close].strip()
            found.append((start, close + 9, undressed(_innermost(content))))
        position = close + 9
    if not found and (start := text.rfind("<answer>")) >= 0 and text[start + 8 :].strip():  # never closed
        found.append((start, len(text), undressed(text[start + 8 :])))
    return found


def _box_spans(text: str) -> list[tuple[int, int, str]]:
    """Boxes with where they stand; one that never closes goes to the end of its line."""
    found, position = [], 0
    while (start := _BOX.search(text, position)) is not None:
        if start[0].endswith("{"):
            end = closing_brace(text, start.end())
            if end < 0:
                line = text[start.end() :].split("\n")[0].strip().rstrip("$. ")
                if line and len(line) <= MAX_BARE_CHARS:
                    found.append((start.start(), len(text), line))
                break
            found.append((start.start(), end + 1, text[start.end() : end]))
            position = end + 1
        else:
            found.append((start.start(), start.end(), start[1]))
            position = start.end()
    return [(a, b, undressed(_innermost(content))) for a, b, content in found if not _BLANK.fullmatch(content)]


def _innermost(content: str) -> str:
    """The content of a box that is all of a box or tag but for dress and a name."""
    for _ in range(5):
        inner = boxed(content)
        if len(inner) != 1 or not _DRESS.fullmatch(content.replace(inner[0], "", 1)):
            break
        content = inner[0]
    return content


def _merged(text: str, spans: list[tuple[int, int, str]], joined: bool = True) -> list[str]:
    """One candidate for each group of spans side by side; those that stand before a correction are gone."""
    groups: list[str] = []
    end = 0
    for start, stop, content in spans:
        between = text[end:start] if groups else ""
        if groups and _CORRECTED.search(between[-2000:]) and not _TENTATIVE.search(between[-200:]):
            groups = [content]
        elif groups and joined and len(between) < 80 and (match := _JOINED.fullmatch(between)) is not None:
            word = (match["t"] or match["w"] or "").lower()
            if word or content != groups[-1]:
                groups[-1] += f" {'or' if word in ('or', 'oder') else ','} {content}"
        else:
            groups.append(content)
        end = stop
    return list(dict.fromkeys(re.sub(r" ?,", ",", " ".join(group.split())) for group in groups))


def _sentence(text: str, start: int) -> str:
    """The rest of the sentence that is being said."""
    while start < len(text) and text[start] in " \n*:：}":
        start += 1
    stop = _END_OF_SENTENCE.search(text, start, start + 2100)
    said = text[start : stop.start() if stop else start + 2100].strip()
    for left, right in (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$")):  # a formula over several lines
        if said.startswith(left) and right not in said[len(left) :]:
            close = text.find(right, start + len(left))
            return text[start : close + len(right)] if 0 <= close <= start + 2000 else said
    said = said.rstrip(" .*")
    return said if len(said) <= 2000 else ""


def _last_expression(text: str) -> str | None:
    """What the last sentence that states anything states."""
    sentences = [part.strip() for part in _END_OF_SENTENCE.split(text[-4000:]) if part and part.strip()]
    sentences = [sentence for sentence in sentences if not _COURTESY.match(sentence)]
    if not sentences or len(sentences[-1]) > MAX_SENTENCE_CHARS:
        return None
    last, before = sentences[-1], sentences[-2] if len(sentences) > 1 else ""
    bare = undressed(last)
    if bare != last and len(bare) <= MAX_BARE_CHARS:  # a line that is all formula, or all bold
        other = undressed(before)
        return f"{other}, {bare}" if other != before and len(other) <= MAX_BARE_CHARS and other != bare else bare
    names = [match[1] if (match := _NAME.match(line)) else None for line in (before, last)]
    if names[0] is not None and names[0] == names[1]:  # x = 4, then x = 5
        return f"{before}, {last}"
    return in_sentence(last)
