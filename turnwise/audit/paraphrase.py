r"""Other ways to write an answer: those that the answer rule promises to read, and mere styles.

`promised` checks an environment against `turnwise.verifiers.extract`: whatever is written around an answer, a message
that the rule reads as this answer must have the same effect as the answer alone. `styles` are spellings with the same
meaning about which the rule says nothing (``1,234`` for ``1234``, a full stop, upper case): the audit reports how many
of them count, but a refusal is not a finding.
"""

import re
from fractions import Fraction
from typing import NamedTuple

from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.rational import parse_rational

__all__ = ["Rewriting", "promised", "styles"]


class Rewriting(NamedTuple):
    """A message with the same meaning, and the name of its form."""

    name: str
    text: str


_REASONING = "I look at what is given, step by step. First 1, then 2, then 3; that makes 6, or 17 if I am wrong.\n" * 12
_FORMS = {  # @ stands for the answer
    "alone": "@",
    "tag": "<answer>@</answer>",
    "tag, blanks": "<answer>  @ </answer>",
    "tag, own lines": "\n\n<answer>\n\n@\n\n</answer>\n\n",
    "tag, CRLF": "Done.\r\n<answer>\r\n@\r\n</answer>\r\n",
    "tag, tabs": "<answer>\t@\t</answer>",
    "tag, no-break spaces": "<answer>\u00a0@\u00a0</answer>",
    "tag twice": "<answer>@</answer>\nAs I said: <answer>@</answer>",
    "box": "\\boxed{@}",
    "box in a formula": "Therefore $$\\boxed{@}$$",
    "box in a sentence": "So it is $\\boxed{ @ }$.",
    "box and tag": "We find \\boxed{@}.\n<answer>@</answer>",
    "box in the tag": "<answer>\\boxed{@}</answer>",
    "another box beside the tag": "The first step gives \\boxed{0}.\n<answer>@</answer>",
    "answer line": "Answer: @",
    "answer line, bold": "**Answer:** @",
    "answer sentence": "The answer is @",
    "answer sentence, final": "The final answer is: @",
    "thinking, tag": "<think>\nPerhaps <answer>0</answer>, or \\boxed{1}. No.\n</think>\n\n<answer>@</answer>",
    "thinking, box": "<think>It may be 0.</think>\\boxed{@}",
    "thinking, alone": "<think>\nhm\n</think>\n\n@",
    "thinking, answer line": "<think>hm</think>\nAnswer: @",
    "thinking twice": "<think>0</think> Let me see. 1</think><answer>@</answer>",
    "long reasoning": _REASONING + "<answer>@</answer>",
    "courtesy": "Sure!\n<answer>@</answer>\n\nI hope this helps. Do you want me to explain?",
    "bold": "<answer>**@**</answer>",
    "bold tag": "**<answer>@</answer>**",
    "code": "<answer>`@`</answer>",
    "fence": "<answer>\n```\n@\n```\n</answer>",
    "dollars": "<answer>$@$</answer>",
    "brackets of TeX": "<answer>\\(@\\)</answer>",
    "text of TeX": "<answer>\\text{@}</answer>",
    "heading": "## Solution\n\n---\n\n<answer>@</answer>",
    "German": "Ich überlege: Es könnte auch 0 sein. Die Lösung lautet:\n<answer>@</answer>\nViele Grüße",
    "Spanish": "Primero miro los datos. ¡Ya está! La respuesta es <answer>@</answer>. Gracias.",
    "French": "D’après l’énoncé, « voilà » :\n<answer>@</answer>\nBonne journée !",
    "Chinese": "我先看题目,然后一步一步推理。答案是:\n<answer>@</answer>\n谢谢。",
    "Arabic": "أفكر خطوة بخطوة. الجواب هو:\n<answer>@</answer>\nشكرا",
    "Japanese, box": "順番に考えます。答えは\\boxed{@}です。",
    "emoji": "🤔 … 🎉\n<answer>@</answer> ✅",
}
_STYLES = {
    "full stop": "<answer>@.</answer>",
    "quotes": '<answer>"@"</answer>',
    "sentence in the tag": "<answer>The answer is @</answer>",
    "answer sentence with a full stop": "The answer is @.",
    "last line of several": "I look at what is given.\nThat is all.\n\nThe answer is @",
    "tag in capitals": "<ANSWER>@</ANSWER>",
    "tag never closed": "<answer>@",
    "German sentence": "Die Antwort ist @.",
    "Spanish sentence": "La respuesta es @.",
    "French sentence": "La réponse est @.",
    "Chinese sentence": "答案是@。",
    "Arabic sentence": "الجواب هو @",
}
_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


def promised(answer: str) -> list[Rewriting]:
    r"""Return messages that the answer rule reads as ``answer``, up to white space.

    >>> [r.text for r in promised("12")][:2]
    ['12', '<answer>12</answer>']
    >>> "alone" in [r.name for r in promised("1\n2")]  # several lines are not a bare answer
    False
    """
    spaced = " ".join(answer.split())
    if not spaced:
        return []
    found = [Rewriting(name, form.replace("@", answer)) for name, form in _FORMS.items()]
    if spaced.startswith("<"):  # a call in backticks is quoted, not made (turnwise.core.tools.Toolbox)
        found = [r for r in found if r.name != "code"]
    if "\n" in answer:
        found.append(
            Rewriting("CRLF between the lines", f"<answer>{answer.replace(chr(10), chr(13) + chr(10))}</answer>")
        )
    return [r for r in found if " ".join((final_answer(r.text).text or "").split()) == spaced]


def styles(answer: str, *, number: bool = True) -> list[Rewriting]:
    r"""Return spellings of ``answer`` with the same meaning that the answer rule does not promise to read.

    Args:
        answer: A right answer.
        number: Whether digits are a number, not a code.

    >>> dict(styles("1234"))["thousands"]
    '<answer>1,234</answer>'
    """
    found = [Rewriting(name, form.replace("@", answer)) for name, form in _STYLES.items()]
    words = {
        "upper case": answer.upper(),
        "lower case": answer.lower(),
        "no-break spaces": answer.replace(" ", "\u00a0"),
    }
    words |= {"semicolons": answer.replace(", ", "; "), "no blanks": answer.replace(" ", "")}
    value = parse_rational(answer) if number and re.search(r"[0-9]", answer) else None
    if value is not None:
        words |= _numbers(answer.strip(), value)
    if re.search(r"[0-9]", answer):
        words["full-width digits"] = answer.translate(_FULL_WIDTH)
        words["minus sign"] = answer.replace("-", "−") if number else answer
    seen = {answer}
    for name, text in words.items():
        if text not in seen:
            seen.add(text)
            found.append(Rewriting(name, f"<answer>{text}</answer>"))
    return found


def _numbers(text: str, value: Fraction) -> dict[str, str]:
    """Return other notations of a number."""
    top, bottom = value.numerator, value.denominator
    found: dict[str, str] = {}
    if bottom == 1:
        found = {
            "thousands": f"{top:,}",
            "decimal point": f"{top}.0",
            "thousands in TeX": f"{top:,}".replace(",", "{,}"),
        }
        found |= {
            "thin spaces": f"{top:,}".replace(",", "\\,"),
            "over one": f"{top}/1",
            "plus": f"+{top}" if top > 0 else text,
        }
        digits = str(abs(top)).rstrip("0")
        if 0 < len(digits) <= 6:
            mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
            power = len(str(abs(top))) - 1
            found["scientific"] = f"{'-' if top < 0 else ''}{mantissa} \\times 10^{{{power}}}"
    else:
        sign = "-" if top < 0 else ""
        found = {"ratio": f"{top}/{bottom}", "fraction": f"{sign}\\frac{{{abs(top)}}}{{{bottom}}}"}
        found["small fraction"] = f"{sign}\\dfrac{{{abs(top)}}}{{{bottom}}}"
        twos = bottom
        for prime in (2, 5):
            while twos % prime == 0:
                twos //= prime
        if twos == 1 and bottom <= 10**6:
            decimal = f"{abs(top) / bottom:.12f}".rstrip("0")
            found |= {
                "decimal": sign + decimal,
                "no leading zero": sign + decimal.removeprefix("0"),
                "trailing zero": f"{sign}{decimal}0",
            }
    return found
