"""The words that announce an answer, and where a sentence ends."""

import re

__all__ = ["END_OF_SENTENCE", "SAYS", "announced", "sentence"]

SAYS = re.compile(
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
_MAY_SAY = re.compile(  # a word without which `SAYS` finds nothing: most bare answers have none
    r"answer|final|答案|结果|respuesta|réponse|risposta|antwort|lösung|ответ", re.IGNORECASE
)
END_OF_SENTENCE = re.compile(
    r"(?<![0-9A-Z][.])(?<!\b(?:sq|ft|in|hr|oz|lb|Mr|Ms|Dr|St))(?<!\bMrs)[.!?](?=\s+[A-Z\"'*(#\[]|\s*$)|[。！？]|\n|\s+(?=####)",
    re.MULTILINE,
)
_FORMULAS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
_MAX_SENTENCE = 2000


def announced(text: str) -> list[re.Match[str]]:
    """Where a text says that its answer follows."""
    return list(SAYS.finditer(text)) if _MAY_SAY.search(text) is not None else []


def sentence(text: str, start: int) -> str:
    """The rest of the sentence that is being said at ``start``; a formula may go over several lines."""
    while start < len(text) and text[start] in " \n*:：}>":
        start += 1
    stop = END_OF_SENTENCE.search(text, start, start + _MAX_SENTENCE + 100)
    said = text[start : stop.start() if stop else start + _MAX_SENTENCE + 100].strip()
    for left, right in _FORMULAS:
        if said.startswith(left) and right not in said[len(left) :]:
            close = text.find(right, start + len(left))
            return text[start : close + len(right)] if 0 <= close <= start + _MAX_SENTENCE else said
    said = said.rstrip(" .*")
    return said if len(said) <= _MAX_SENTENCE else ""
