r"""Find the answer in what a model wrote without being told a form, or without keeping to it.

`turnwise.verifiers.extract.final_answer` reads the form that environments ask for; this reads as a careful examiner
would. The rule for several candidates is the same: they must all be right.
"""

import re

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
_STRONG_WORDS = (
    "wait", "actually", "correction", "i made", "sorry", "scratch that", "on second thought", "oops", "no,", "hold on",
    "my bad",
)  # fmt: skip
_WEAK_WORDS = (
    "correcting", "corrected", "mistake", "error", r"re-?check\w*", r"re-?calculat\w*", r"re-?consider\w*",
    r"double-?check\w*", "let me (?:fix|redo|correct|verify)", "hmm", "should (?:instead )?be", r"revis\w+",
)  # fmt: skip
_STRONG = re.compile(rf"\b{_any(*_STRONG_WORDS)}", re.IGNORECASE)
_CORRECTED = re.compile(rf"\b{_any(*_STRONG_WORDS, *_WEAK_WORDS)}|不对|更正|应该是|等等", re.IGNORECASE)
_UNSURE_WORDS = ("or", "either", "maybe", "perhaps", "possibly", "might", "unsure")
_TENTATIVE = re.compile(
    rf"\b{_any(*_UNSURE_WORDS, 'could', 'also', 'alternatively', 'another', 'not sure')}\b", re.IGNORECASE
)
_BOUNDS = ("at least", "at most", "more than", "less than", "fewer than", "greater than", "up to", "no more", "bounded")
_UNSURE = re.compile(
    rf"\b{_any(*_UNSURE_WORDS, *_BOUNDS, 'not', 'neither', 'nor', 'guess', 'between')}\b|n't\b", re.IGNORECASE
)
_ALTERNATIVE = re.compile(
    r"[\s$*.,;)\]\\]*(?:\(?\s*(?:or(?!,? equivalently)|alternatively|possibly|maybe|perhaps|otherwise)\b"
    r"|/)(?P<rest>[^\n]{0,200})",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"(?:(?:final|correct|my|our|the|a|so)\s{1,9}){0,5}\banswer\b(?:\s{1,9}(?:to|of|for)\s[^.:=\n]{0,80}?)?\s{0,9}(?:\*\*)?\s{0,9}"
    r"(?:is(?:\s+(?:thus|therefore|then|simply|just|equal to|given by))?|are|:|=|would be|must be|should be|equals"
    r"|comes? (?:out )?to)\s*:?\s*"
    r"|(?:答案|结果)(?:是|为|：|:)\s*|\bla (?:respuesta|réponse|risposta)(?: final[e]?)? (?:es|est|è)\s*:?\s*"
    r"|\bdie (?:antwort|lösung)(?: lautet| ist|:)\s*:?\s*|\bответ\s*[:—-]\s*|^####\s*(?=[-+$\\(\[{0-9])"
    r"|^[#* \t]*final answer[*: \t]*\n+|^answer\s+(?=[$\\])|\bfinal (?:result|value)\s*(?:is|:|=)\s*",
    re.IGNORECASE | re.MULTILINE,
)
_END_OF_SENTENCE = re.compile(
    r"(?<![0-9A-Z][.])(?<!\b(?:sq|ft|in|hr|oz|lb)\.)[.!?](?=\s+[A-Z\"'*(]|\s*$)|[。！？]|\n", re.MULTILINE
)
_SPAN = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_COPULA = re.compile(
    r"(?:.*(?:\bis\b|\bare\b|\bequals\b|\bgives?\b|\bget\b|\bgot\b|\bhave\b|\bobtain\b|:|=)\s*)(\S.*)", re.DOTALL
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
_COUNTED = re.compile(r"(-?[0-9][0-9,]*(?:\.[0-9]+)?)\s+[a-z][^0-9$\\]*")
_FORMULA = re.compile(r"[\\_^{}\[\]<>|;]")
_NAMED = re.compile(r"(?:the|our|a|my|an|what|correct)\b", re.IGNORECASE)
_PICTURES = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f]")
_SHORT = re.compile(  # "Thus, 12 apples"
    r"(?:so|thus|hence|therefore),? (-?[0-9][0-9,]*(?:\.[0-9]+)?(?:/[0-9]+)?%?)(?: [a-z]+){0,3}\.?", re.IGNORECASE
)
_UNIT_TAIL = re.compile(
    r"(?:(?!is\b|are\b|as\b|which\b|where\b|for\b|so\b|in\b|satisf|holds?\b|has\b|have\b|was\b)[A-Za-z^0-9/]+ ?)*"
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
            return (found, "") if all(found) else ([], "the answer is empty")
    rest = rest.strip() if rest.isascii() else _PICTURES.sub("", rest).strip()
    if not rest:
        return [], "the message is empty; give the answer as <answer>...</answer>"
    if len(rest) > MAX_CHARS:
        rest = rest[-MAX_CHARS:]
    said = [(m.start(), m.end()) for m in _SAYS.finditer(rest)][-MAX_SAID:]
    if said:
        spans = [(start, end, _sentence(rest, end)) for start, end in said]
        spans = [span for span in spans if span[2]]
        if spans:
            found = _merged(rest, [(a, b + len(t), undressed(t)) for a, b, t in spans], joined=False)
            tail = rest[spans[-1][1] + len(spans[-1][2]) :]
            if _STRONG.search(tail[:300]):  # The answer is 5. Wait, no, it is 4.
                better = _last_expression(tail) if not _TENTATIVE.search(tail) else None
                return ([better], "") if better else ([], "the message takes its answer back")
            return found, ""
    if (fence := _FENCE.fullmatch(rest)) is not None:
        rest = fence[1].strip()
    if "\n" not in rest and len(rest) <= MAX_BARE_CHARS:
        return [undressed(rest)], ""
    stated = _last_expression(rest)
    return ([stated], "") if stated else ([], "no answer found; give it as <answer>...</answer>")


def in_sentence(text: str) -> str | None:
    """What a sentence states: its last formula, or what stands after its last "is" or "=".

    >>> in_sentence("So there are 12 ways"), in_sentence("It is 4 or 5"), in_sentence("It is not 5")
    ('12', '4 or 5', None)
    """
    if _CODE.search(text):
        return None
    spans = list(_SPAN.finditer(text))
    if not spans and _FORMULA.search(text):
        return None
    if spans:
        last = spans[-1]
        tail = text[last.end() :].strip(" .")
        if len(spans) > 1 and _UNSURE.search(text):
            return None
        if (
            (match := _COPULA.fullmatch(tail)) is not None and not _NAMED.match(match[1]) and not _UNSURE.search(tail)
        ):  # ... of $f(x)$ is 19
            return match[1]
        formula = next(group for group in last.groups() if group is not None)
        if len(tail) <= 40 and _UNIT_TAIL.fullmatch(tail) and not _UNSURE.search(tail):
            return f"{formula} {tail}" if tail and not formula.rstrip().endswith("}") else formula
        return formula
    if (match := _COPULA.fullmatch(text.strip())) is not None:
        if re.match(r"(?:not|n't|never)\b", match[1], re.IGNORECASE):
            return None
        counted = _COUNTED.fullmatch(match[1])
        return counted[1] if counted is not None and not _UNSURE.search(text) else match[1]
    match = _SHORT.fullmatch(text.strip())
    return match[1] if match is not None else None


def _offers_another(text: str, spans: list[tuple[int, int, str]]) -> bool:
    r"""Whether another answer follows the last one in prose: ``\boxed{5} or possibly 6``."""
    found = _ALTERNATIVE.match(text, spans[-1][1])
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
            inner = boxed(content)
            found.append((start, close + 9, inner[0] if len(inner) == 1 else undressed(content)))
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
    return [(a, b, undressed(_innermost(content))) for a, b, content in found]


def _innermost(content: str) -> str:
    """The content of a box inside a box."""
    for _ in range(5):
        inner = boxed(content)
        if len(inner) != 1:
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
    stated = [sentence for sentence in sentences if not _COURTESY.match(sentence)]
    for sentence in stated[-1:]:
        if len(sentence) > MAX_SENTENCE_CHARS:
            continue
        bare = undressed(sentence)
        if bare != sentence and len(bare) <= MAX_BARE_CHARS:  # a line that is all formula, or all bold
            return bare
        if found := in_sentence(sentence):
            return found
    return None
