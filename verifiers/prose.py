r"""Find the answer in what a model wrote without being told a form, or without keeping to it.

`turnwise.verifiers.extract.final_answer` reads the form that environments ask for; this reads as a careful examiner
would. The rule for several candidates is the same: they must all be right.
"""

import re
from itertools import pairwise

from turnwise.verifiers.beside import other_forms, suffix
from turnwise.verifiers.extract import boxed, closing_brace, undressed
from turnwise.verifiers.statement import SPAN, alike, in_sentence, spans_masked, stated, weakened, without_asides

__all__ = ["candidates", "in_sentence"]

MAX_CHARS = 20_000  # the end of a longer message without tag or box is read
MAX_BARE_CHARS = 200
MAX_SAID = 20  # times that "the answer is" is heard, the last ones
MAX_SENTENCE_CHARS = 1000
DIFFERENT = "the message gives different answers; give exactly one"


def _any(*words: str) -> str:
    return "(?:" + "|".join(words) + ")"


_MARKER = re.compile(r"####[ \t]*+\**+[ \t]*+((?:\\text\{)?(?=[-+$\\(\[{.€£0-9])[^\n#]*)")
_HEADING = re.compile(
    r"[0-9]+(?:\.[0-9]+)*(?:[.):]\s+|\s+(?!.*\banswer\b))[A-Z*]|\([0-9a-z]\)\s+[A-Z]|\[?[A-Z]"
)  # #### 1. Add
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
_SAYS = re.compile(
    r"\b(?:(?:final|correct|my|our|the|a|so)\s{1,9}){0,5}\banswer\b(?:\s{1,9}(?:to|of"
    r"|for)\s[^.:=\n]{0,80}?)?\s{0,9}(?:\*\*)?\s{0,9}"
    r"(?:is(?:\s+(?:thus|therefore|then|simply|just|equal to|given by))?|are|:|=|→|⇒|=>|would be|must be"
    r"|should be|equals"
    r"|comes? (?:out )?to)\s*:?\s*"
    r"|(?:【答案】|(?:答案|结果)(?:是|为|：|:))\s*|\bla (?:respuesta|réponse|risposta)(?: final[e]?)? (?:es|est"
    r"|è)\s*:?\s*"
    r"|\bdie (?:antwort|lösung)(?: lautet| ist|:)\s*:?\s*|\bответ\s*[:—-]\s*"
    r"|^[#* \t]*(?:final )?answer[*: \t]*\n+|^answer\s+(?=[$\\])|\bfinal (?:result|value)\s*(?:is|:|=)\s*",
    re.IGNORECASE | re.MULTILINE,
)
_MAY_SAY = re.compile(  # a word without which `_SAYS` finds nothing: most bare answers have none
    r"answer|final|答案|结果|respuesta|réponse|risposta|antwort|lösung|ответ", re.IGNORECASE
)
_END_OF_SENTENCE = re.compile(
    r"(?<![0-9A-Z][.])(?<!\b(?:sq|ft|in|hr|oz|lb|Mr|Ms|Dr|St))(?<!\bMrs)[.!?](?=\s+[A-Z\"'*(#\[]|\s*$)|[。！？]|\n|\s+(?=####)",
    re.MULTILINE,
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
_LIST = re.compile(r":[ *]*\n\s*((?:[-*•+][ \t]+[^\n]{1,60}(?:\n|$)){2,20})\s*$")
_PICTURES = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f]")


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
            others = _beside(rest, spans)
            if others is None:
                return [], DIFFERENT
            after_marks = [said for *_, said in _marked(rest)]
            found = list(dict.fromkeys([*_merged(rest, spans), *others, *after_marks]))
            if (better := _taken_back(rest[spans[-1][1] :])) is not None:
                return ([better], "") if better else ([], "the message takes its answer back")
            return (found, "") if all(found) else ([], "the answer is empty")
    rest = rest.strip() if rest.isascii() else _PICTURES.sub("", rest).strip()
    if not rest:
        return [], "the message is empty; give the answer as <answer>...</answer>"
    if len(rest) > MAX_CHARS:
        rest = rest[-MAX_CHARS:]
    heard = list(_SAYS.finditer(rest)) if _MAY_SAY.search(rest) is not None else []
    said = [m.span() for m in heard if not _DISOWNED.search(rest[max(0, m.start() - 80) : m.start()])]
    marked = _marked(rest)
    if heard and not said and not marked:
        return [], "the message commits to no answer"
    if said or marked:
        spans = [(start, end, _sentence(rest, end)) for start, end in said[-MAX_SAID:]]
        spans = sorted([span for span in spans if span[2]] + marked)
        for (_, end, first), (start, _, _) in pairwise(spans):
            if end + len(first) > start and _TENTATIVE.search(rest[end:start]):  # is 4 or the answer is 5
                return [], DIFFERENT
        spans = [
            s for i, s in enumerate(spans) if i + 1 == len(spans) or s in marked or s[1] + len(s[2]) <= spans[i + 1][0]
        ]
        if spans:
            return _spoken(rest, spans)
    if (fence := _FENCE.fullmatch(rest)) is not None:
        rest = fence[1].strip()
    if "\n" not in rest and len(rest) <= MAX_BARE_CHARS:
        if (
            _DENIAL.search(rest)
            and _DENIAL.search(SPAN.sub("", rest))
            and (any(c.isdigit() for c in rest) or SPAN.search(rest))
        ):
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
    if said.count("**") % 2:  # **The answer is 42**, which ...
        said = said.replace("**", "", 1) if said.startswith("**") else "".join(said.rsplit("**", 1))
    whole = undressed(said)
    if whole != said or not (SPAN.search(said) or any(c.isdigit() for c in said)):
        return whole
    if _OPTION.match(said):
        return said
    core = without_asides(said)
    if core is None:
        return ""
    words, formulas = spans_masked(core)
    if weakened(words):
        return ""
    whole = undressed(core)
    if whole != core or not formulas:
        return whole
    return stated(words, formulas) or in_sentence(core) or ""


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


def _beside(text: str, spans: list[tuple[int, int, str]]) -> list[str] | None:
    """Other forms that stand beside the last box or tag; None where it is hedged."""
    start, end, _ = spans[-1]
    joined = len(spans) > 1 and _JOINED.fullmatch(text[spans[-2][1] : start][-80:]) is not None
    return other_forms(text, start, end, joined)


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
    return [
        (a, b, undressed(_innermost(content)) + suffix(text, b))
        for a, b, content in found
        if not _BLANK.fullmatch(content)
    ]


def _innermost(content: str) -> str:
    """The content of a box that is all of a box or tag but for dress and a name."""
    for _ in range(5):
        inner = boxed(content)
        if len(inner) != 1 or not _DRESS.fullmatch(content.replace(inner[0], "", 1)):
            break
        content = inner[0]
    return content


def _marked(text: str) -> list[tuple[int, int, str]]:
    """What stands after ``####``, to the end of its line: (start, end of the mark, content); headings are none."""
    if "####" not in text:
        return []
    found = []
    for match in list(_MARKER.finditer(text, max(0, len(text) - MAX_CHARS)))[-MAX_SAID:]:
        after = _SAYS.search(match[1])
        said = match[1][: after.start() if after is not None else None].strip().rstrip("*. ")
        if said and len(said) <= MAX_BARE_CHARS and not _HEADING.match(said):
            found.append((match.start(), match.start(1), said))
    return found


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
    while start < len(text) and text[start] in " \n*:：}>":
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
    listed = _listed(text)
    if listed is not None:
        return listed
    names = [match[1] if (match := _NAME.match(line)) else None for line in (before, last)]
    if (names[0] is not None and names[0] == names[1]) or alike(before, last):  # x = 4, then x = 5
        return f"{before}, {last}"
    return in_sentence(last)


def _listed(text: str) -> str | None:
    """The values that the last lines list, one by one, after a colon."""
    match = _LIST.search(text[-2000:])
    if match is None:
        return None
    items = [undressed(line.strip()[1:].strip()) for line in match[1].strip().split("\n")]
    return ", ".join(items) if len(items) > 1 and all(items) else None
