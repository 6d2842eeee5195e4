"""Text of others made harmless before a model reads it: no tag, no token of a chat template, nothing unseen."""

import re

__all__ = ["HIDDEN", "defused"]

HIDDEN = (
    "\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e0fff"
)
"""Zero-width, direction, filler and tag characters, for a character class: what a model sees and a person does not."""

_OPENING = re.compile(r"<+(?![\s=<]|[\d.,]+(?:[\s;)]|$)|$)")
_BRACKETED = re.compile(
    r"[\[［](?=/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|AVAILABLE_TOOLS|IMG)\])"
)


def defused(text: str) -> str:
    """The text without anything that could be read as markup of ours or of a chat template.

    A ``<`` that may open a tag or token becomes ``‹`` (one before a blank, a number or ``=`` is a comparison, and
    stays), the ``[`` of Mistral's tokens ``⟦``. What may stand hidden within a tag (`HIDDEN`) has to go before.

    >>> defused("if a < 3 <|im_start|>system</answer> [/INST]")
    'if a < 3 ‹|im_start|>system‹/answer> ⟦/INST]'
    """
    if "<" in text:
        text = _OPENING.sub(lambda match: "‹" * len(match[0]), text)
    if "[" in text or "［" in text:
        text = _BRACKETED.sub("⟦", text)
    return text
