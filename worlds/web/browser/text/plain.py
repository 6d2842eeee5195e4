"""Text of a page made harmless, so that it cannot form an element, a line of the head, or a chat template's tag."""

import functools
import re
import unicodedata

from turnwise.core.untrusted import HIDDEN, defused
from turnwise.worlds.web.words import words

__all__ = ["after_element", "guarded", "plain", "quoted", "quoted_value", "with_form"]

MAX_VALUE = 20_000  # characters of a field's value that are shown

_NUMBERED = re.compile(r"[\[［](?=\s*\d+\s*[\]］])")
_UNPRINTABLE = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{HIDDEN}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_FIRST_WORD = re.compile(r"\W*(\w*)")
_HEADS = words(
    "action actions assistant error focused goal human note observation page status step system tab tabs task text "
    "title url user"
)
_ROLES = words(
    "alert alertdialog article banner button checkbox combobox complementary contentinfo dialog form generic group "
    "heading img link list listbox log main menu menubar menuitem meter navigation option progressbar radio radiogroup "
    "region row search searchbox slider spinbutton status switch tab table tablist tabpanel textbox toolbar tooltip "
    "tree"
)
_STATES = words(
    "checked collapsed current disabled expanded focused invalid max min modal options placeholder pressed readonly "
    "required selected type value"
)
_STATE_STARTS = frozenset(word[:3] for word in _STATES)
_STARTS = frozenset(word[:3] for word in _HEADS | _ROLES | {"no change", "changes"})
_AFTER_A_HEAD = re.compile(r"\W*\w+\W{0,3}[:：]")
_AFTER_A_ROLE = re.compile(r"\W*\w+(?:\s+\d+)?(?:\s*['\"‘’“”:]|\s+modal\b|\s*$)")


def plain(text: str) -> str:
    """Return the text without what could be read as an element or as markup of a chat template.

    ``[12]`` becomes ``⟦12]``; tags and tokens as in `defused`; control, zero-width, direction and tag characters are
    dropped, lone surrogates become U+FFFD.

    >>> plain("[3] link <|im_end|> 2 < 3")
    '⟦3] link ‹|im_end|> 2 < 3'
    """
    if not text.isprintable():  # first: what is dropped may stand between the parts of a tag
        text = _SURROGATE.sub("\ufffd", _UNPRINTABLE.sub("", text))
    text = defused(text)
    if "[" in text or "［" in text:
        text = _NUMBERED.sub("⟦", text)
    return text


def with_form(text: str) -> str:
    """Restore how to write an action in a `plain` text.

    >>> with_form(plain("write <action>...</action>, not <go>"))
    'write <action>...</action>, not ‹go>'
    """
    return text.replace("‹action>...‹/action>", "<action>...</action>")


def guarded(text: str) -> str:
    """Return a line of text from a page, with "text: " in front if it begins as lines of ours do.

    >>> print(guarded("Error: no such page"), guarded("main 'x'"), guarded("Main street"), sep="; ")
    text: Error: no such page; text: main 'x'; Main street
    """
    if text[:3].lower() not in _STARTS and text[0].isalnum() and text[0].isascii():  # nearly all
        return text
    start = text.lstrip()
    if not start.isascii():
        start = unicodedata.normalize("NFKC", start[:40]).lstrip()
    match = _FIRST_WORD.match(start)
    word = match[1].lower() if match else ""
    if (
        start[:1] in "-+=#."
        or (word in _ROLES and _AFTER_A_ROLE.match(start))
        or (word in _HEADS and _AFTER_A_HEAD.match(start))
        or start.startswith(("No change on", "Changes (-"))
    ):
        return f"text: {text}"
    return text


def after_element(text: str) -> str:
    """Return a text behind an element on its line, with "text: " in front if it looks like the element's state.

    >>> after_element("checked by Ada"), after_element("for 3 nights")
    ('text: checked by Ada', 'for 3 nights')
    """
    if text[:3].lower() not in _STATE_STARTS and text[0].isalnum() and text[0].isascii():  # nearly all
        return text
    match = _FIRST_WORD.match(text if text.isascii() else unicodedata.normalize("NFKC", text[:40]))
    return f"text: {text}" if match and match[1].lower() in _STATES else text


@functools.lru_cache(8192)
def quoted(text: str) -> str:
    r"""Return the text in quotes, by default single ones, with backslashes before quotes that would end it.

    >>> print(quoted("Sofa"), quoted("Ada's"))
    'Sofa' "Ada's"
    """
    text = plain(text)
    if "'" not in text and "\\" not in text:
        return f"'{text}'"
    text = text.replace("\\", "\\\\")
    if "'" in text and '"' not in text:
        return f'"{text}"'
    return "'" + text.replace("'", "\\'") + "'"


def quoted_value(text: str) -> str:
    r"""Return a field's value in quotes, on one line: line ends show as ``\n``.

    Beyond 20,000 characters the rest is counted only.
    """
    more = len(text) - MAX_VALUE
    if more > 0:
        text = text[:MAX_VALUE]
    if not text.isprintable():
        text = text.replace("\t", " ").replace("\r\n", "\n").replace("\r", "\n")
    if "\n" in text:
        lines = [plain(line).replace("\\", "\\\\").replace("'", "\\'") for line in text.split("\n")]
        shown = "'" + "\\n".join(lines) + "'"
    else:
        shown = quoted(text)
    return shown if more <= 0 else f"{shown} ({more} more characters)"
