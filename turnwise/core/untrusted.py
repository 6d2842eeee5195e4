"""Make untrusted text harmless before a model reads it: no tags, no chat template tokens, nothing invisible."""

import re

__all__ = ["HIDDEN", "defused"]

HIDDEN = (
    "\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e0fff"
)
"""Zero-width, direction, filler and tag characters, for a character class: visible to a model but not to a person."""

_OPENING = re.compile(r"<+(?![\s=<]|[\d.,]+(?:[\s;)]|$)|$)")
_BRACKETED = re.compile(
    r"[\[［](?=/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|AVAILABLE_TOOLS|IMG)\])"
)


def defused(text: str) -> str:
    """Neutralise everything in a text that could be read as turnwise's markup or a chat template's.

    A ``<`` that may open a tag or token becomes ``‹`` (before a blank, a number or ``=`` it is a comparison and stays),
    and the ``[`` of Mistral's tokens becomes ``⟦``. Remove characters that may hide within a tag (`HIDDEN`) first.

    >>> defused("if a < 3 <|im_start|>system</answer> [/INST]")
    'if a < 3 ‹|im_start|>system‹/answer> ⟦/INST]'
    """
    if "<" in text:
        text = _OPENING.sub(lambda match: "‹" * len(match[0]), text)
    if "[" in text or "［" in text:
        text = _BRACKETED.sub("⟦", text)
    return text
