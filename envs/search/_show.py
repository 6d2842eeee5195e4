"""The notation of searches and the tags around their answers, in the styles of several projects."""

import re
from typing import Literal

from turnwise.core.tools import Call, Toolbox

__all__ = ["MAX_CALLS", "STYLES", "Tags", "calls_in", "enclosed", "written"]

Tags = Literal["turnwise", "plain", "search_r1", "r1_searcher"]
STYLES: dict[str, tuple[str, str]] = {
    "turnwise": ("<search>", "</search>"),
    "plain": ("<search>", "</search>"),
    "search_r1": ("<search>", "</search>"),
    "r1_searcher": ("<|begin_of_query|>", "<|end_of_query|>"),
}
"""The tags around a query."""
MAX_CALLS = 8
"""Maximum number of calls carried out per message."""

_QUERY = re.compile(r"<\|begin_of_query\|>(.*?)<\|end_of_query\|>", re.DOTALL)


def enclosed(text: str, tags: str, failed: bool = False) -> str:
    """Return an answer of a tool with the tags around it."""
    if tags == "search_r1":
        return f"\n\n<information>{text}</information>\n\n"
    if tags == "r1_searcher":
        return f"\n\n<|begin_of_documents|>\n{text}\n<|end_of_documents|>\n\n"
    if tags == "plain" and not failed:
        return text
    name = "tool_error" if failed else "tool_response"
    return f"<{name}>{text}</{name}>"


def written(query: str, tags: str) -> str:
    """Return a search as an action."""
    opening, closing = STYLES[tags]
    return f"{opening}{query}{closing}"


def calls_in(action: str, tags: str, toolbox: Toolbox) -> list[Call]:
    """Return the calls of a message, ignoring text before the last ``</think>``."""
    if tags != "r1_searcher":
        return toolbox.parse(action)
    _, closed, said = action.rpartition("</think>")
    if not closed and "<think>" in action:
        said = action[: action.find("<think>")]
    if "<|end_of_query|>" not in said:
        return []
    return [Call("search", {"query": match[1].strip()}) for match in _QUERY.finditer(said)]
