"""What of a message is read: not thinking, comments, tools' output, or questions that a model goes on to ask."""

import re
from functools import lru_cache

from turnwise.verifiers.messages.skeleton import UNIT

__all__ = ["prepared"]

_MAY_HIDE = ("~~", "phantom", "[//]", "% ", "ystem", "YSTEM", "rader", "RADER")
_UNCLOSED = "the message ends inside <think>; close it and give the answer"
_EMPTY = "the message is empty; give the answer as <answer>...</answer>"
_TAGS = re.compile(r"</?(?:think|thinking|answer)>", re.IGNORECASE)
_DOUBLED = re.compile(r"\\\\(?=[A-Za-z([])")
_SINGLE = re.compile(r"(?<!\\)\\(?:\\\\)*(?=[A-Za-z])")
_TOOL_OUTPUT = re.compile(r"^```(?:output|stdout|result)[ \t]*\n(?:(?!```)[^\n]*\n){0,400}```[ \t]*$", re.MULTILINE)
_ENDS_IN_OUTPUT = re.compile(r"```\s*\n```(?:output|stdout|result)[ \t]*\n[ \t]*([^\n`]{1,80}?)[ \t]*\n```\s*$")
_COMPLEX = re.compile(r"(?<=[0-9])j\b")
_TOOL_TAG = re.compile(  # <tool_response>11520</tool_response>, with or without its end; <output> behind code alone
    r"(?:<((?:tool|function)_(?:response|result|output)s?|(?:code|execution)_output|stdout|observation)>"
    r"|(?<=[>`])\s{0,9}<(output)>).*?(?:</(?:\1|\2)>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
CODE = re.compile(
    r"^```(?:python|py|js|javascript|c|cpp|java|bash|sh|sql)[ \t]*\n(?:(?!```)[^\n]*\n){0,400}```[ \t]*$", re.M
)
_NEXT_QUESTION = re.compile(  # a base model goes on with another problem, or with the other side's turn
    r"\n[ \t]{0,8}(?:#{1,6}[ \t]*|\*\*)?(?:Q|Question|Problem|Human|User|Instruction|Exercise|问题|题目)"
    r"(?:[ \t]*[0-9]{1,3})?(?:\*\*)?[ \t]*[:：]"
)
_RESTATES = re.compile(
    r"\W*(?:given|known|facts|variables|relevant variables)\b[^\n]*\n", re.IGNORECASE
)  # then the question
_HUMAN = re.compile(r"\n[ \t]*(?:Human|User):")
_END_OF_TURN = re.compile(
    r"<\|?(?:EOS_TOKEN|endoftext|im_end|eot_id|end_of_text|end|eoa|eos)\|?>|</s>|<\|im_start\|>user", re.IGNORECASE
)
_OTHERS_TURN = re.compile(
    r"<\|im_start\|>(?:system|user)(?:(?!<\|im_).)*+<\|im_end\|>|\[INST\](?:(?!\[/?INST\]).)*+\[/INST\]", re.DOTALL
)
_TURN = re.compile(r"<\|[a-z_]{1,20}\|>(?:assistant\b)?|<eo[a-z]>", re.IGNORECASE)
_NOT_SAID = re.compile(  # struck out, invisible, or in the voice of another: ~~8~~, \phantom{8}, [//]: # (8), SYSTEM: 8
    r"~~[^~\n]{1,200}~~|\\[hv]?phantom\s*\{(?=[^{}]{0,40}\\boxed)(?:[^{}]|\{[^{}]*\}){0,200}\}|^\[//\]: # [^\n]*$"
    r"|^[ \t]*%[ \t][^\n]*$"  # a comment of TeX; within a line it may be a percent sign: 12 % or 13 %
    r"|^[ \t`*]*(?:\[?system\]?|grader|\[?note to (?:the )?grader\]?)[ \t]*(?:note)?[:\]][^\n]*$",
    re.MULTILINE | re.IGNORECASE,
)
_PERCENT_APART = re.compile(r"(?<=[0-9])[ \u00a0\u2009\u202f]{1,3}%")
_CONCLUDED = re.compile(r"[0-9][^?\n]*[.!]$")
_CALCULATED = re.compile(r"<<[^<>\n]{1,200}>>")  # 3 * 4 = <<3*4=12>>12: for a calculator
_ANSWERED = re.compile(r"####|\\boxed|</answer>|\banswer(?:\*\*)?\s*(?:is|:)|答案", re.IGNORECASE)


_MAX_PROVISO = 600
_PROVISO = re.compile(  # x + 3, as long as x is not 3
    r"(?<=[0-9)}$])[,\s]*\(?(?:(?:valid|defined|which holds|true) )?\b(?:for|if|when|whenever|where|provided(?: that)?"
    r"|as long as|assuming|given)\s+(?:all )?\$?[a-z]\$?\s*(?:≠|\\neq?(?![a-z])|!=|is not(?: equal to)?|does not equal"
    r"|other than)\s*\$?-?[0-9]+\$?\)?"
    r"|(?<=[0-9)}])(?:[,\s]|\\q?quad|\\[,; ]){1,6}\(\s?[a-z]\s?(?:≠|\\neq?(?![a-z])|!=)\s?-?[0-9]+\s?\)"
    r"|(?<=[)}]),(?:\s|\\q?quad|\\[,; ]){1,6}[a-z]\s?(?:≠|\\neq?(?![a-z])|!=)\s?-?[0-9]+(?:\s?,(?:\s|\\,)*-?[0-9]+)?"
    r"(?![0-9a-z])"
)


_OR_IN_CHINESE = re.compile(  # x=3 或 x=-3: the solutions of one name
    r"(?P<one>(?<![A-Za-z])(?P<name>[a-z])\s*(?:[=<>≤≥]|\\[lg]eq?(?![a-z]))[^，。；,;\n或]{1,30}?)\s*或(?:者)?\s*"
    r"(?=\$?(?P=name)\s*(?:[=<>≤≥]|\\[lg]eq?(?![a-z])))"
)
_PRICES = re.compile(  # It earns $246. The account then holds $2646: two prices, and no formula between them
    r"(?<![\\$])\$(?=[0-9][0-9,]*(?:\.[0-9]+)?[.!?]\s+[A-Z][a-z]*\s[^$\n\\=^]{2,200}\$[0-9])"
)
_UNIT_ASIDE = re.compile(  # = 432\ (\text{cm}^3); of a value the unit alone stands so
    r"(?<=[0-9}])(?:\\[,;: ]|[\s~])*\(\s*\\(?:text|mathrm)\s*\{\s*([A-Za-zμΩ/]{1,10})\s*\}(?:\^\{?([23])\}?)?\s*\)"
)
_IN_BOLD = re.compile(r"\\(?:mathbf|boldsymbol|bm)\s*\{((?:[^{}]|\{[^{}]*\}){0,60})\}")


def _with_unit(match: re.Match[str]) -> str:
    """A unit in brackets as it stands behind its value; other words in brackets stay."""
    unit = match[1] + {"2": "²", "3": "³"}.get(match[2] or "", "")
    if UNIT.fullmatch(f" {unit}") is None:
        return match[0]
    return rf"\ \text{{{match[1]}}}" + (f"^{match[2]}" if match[2] else "")


def _without_bold(match: re.Match[str]) -> str:
    """A value in bold type as it stands; a letter in it is a vector and stays."""
    return match[1] if any(c.isdigit() for c in match[1]) else match[0]


@lru_cache(maxsize=16)
def prepared(message: str) -> tuple[str, str]:
    r"""The text of a message that is read, or "" and why nothing is.

    >>> prepared("<think>It is 3.</think> It is 4.")[0], prepared("It is 4. <!-- 3 -->")[0]
    (' It is 4.', 'It is 4. ')
    >>> prepared("<think>It is 3.")[1]
    'the message ends inside <think>; close it and give the answer'
    >>> prepared("The answer is 4.\n\nQuestion: What is 2 + 3?\nAnswer: 5")[0].strip()
    'The answer is 4.'
    """
    if "<<" in message:
        message = _CALCULATED.sub("", message)
    if "<" in message:
        message = _TAGS.sub(lambda m: m[0].lower().replace("thinking>", "think>"), message)
        _, closed, message = message.rpartition("</think>") if "</think>" in message else ("", "", message)
        if not closed and "<think>" in message:
            return "", _UNCLOSED
        if "<!--" in message:
            message = _without_comments(message)
        message = _TOOL_TAG.sub("\n", message)
    if not message.strip():
        return "", _EMPTY
    if "\\\\" in message and _DOUBLED.search(message) and not _SINGLE.search(message):  # escaped once too often
        message = message.replace("\\\\", "\\")
    if "|>" in message or "eo" in message or "EOS" in message or "</s>" in message or "[INST]" in message:
        message = _without_turns(message)
    if "%" in message:
        message = _PERCENT_APART.sub("%", message)
    if any(mark in message for mark in _MAY_HIDE):
        message = _NOT_SAID.sub("", message)
    if any(mark in message[-_MAX_PROVISO:] for mark in ("≠", "\\ne", "!=", " is not", "other than")):
        message = message[:-_MAX_PROVISO] + _PROVISO.sub("", message[-_MAX_PROVISO:])
    if "\\mathbf" in message or "\\bold" in message or "\\bm" in message:
        message = _IN_BOLD.sub(_without_bold, message)
    if "(\\text" in message or "(\\mathrm" in message:
        message = _UNIT_ASIDE.sub(_with_unit, message)
    if message.count("$") > 1:
        message = _PRICES.sub(r"\\$", message)
    if "或" in message:
        message = _OR_IN_CHINESE.sub(r"\g<one> or ", message)
    if "```" in message:
        ends = _ENDS_IN_OUTPUT.search(message)
        message = _TOOL_OUTPUT.sub("\n", message)
        if ends is not None:  # the output of its last program is all that it says in the end
            message += f"\n{_COMPLEX.sub('i', ends[1])}"
    return _without_next_question(message), ""


def _without_turns(text: str) -> str:
    """The text of the first turn, where a model goes on past its end; without the marks of turns."""
    text = _OTHERS_TURN.sub("", text)
    for match in _END_OF_TURN.finditer(text):
        if text[: match.start()].strip():
            text = text[: match.start()]
            break
    return _TURN.sub("", text)


def _without_next_question(text: str) -> str:
    """The text up to where it goes on to another question, once it has answered."""
    turn = _HUMAN.search(text)
    text = text[: turn.start()] if turn is not None and text[: turn.start()].strip() else text
    first = _NEXT_QUESTION.search(text)
    answered = _ANSWERED.search(text) if first is not None else None
    following = _NEXT_QUESTION.search(text, answered.end()) if answered is not None else None
    if (
        first is not None
        and not _RESTATES.match(text)
        and _is_worked(text[max(0, first.start() - 400) : first.start()])
    ):
        following = first
    return text[: following.start()] if following is not None else text


def _is_worked(before: str) -> bool:
    """Whether what stands before another question works with numbers and ends in a sentence with one."""
    return len(set(re.findall("[0-9]+", before))) > 2 and _CONCLUDED.search(before.rstrip()) is not None


def _without_comments(text: str) -> str:
    """The text without what HTML does not show; an unclosed comment hides the rest."""
    shown, position = [], 0
    while (start := text.find("<!--", position)) >= 0:
        shown.append(text[position:start])
        end = text.find("-->", start)
        if end < 0:
            return "".join(shown)
        position = end + 3
    return "".join([*shown, text[position:]])
