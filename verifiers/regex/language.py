r"""Judge regular expressions by the language that they describe.

Supported is Python's syntax as far as it is regular: literals, escapes, classes, ``.``, ``* + ? {m,n}`` (lazy ones too:
the same language), alternation, groups, ``^ $ \A \Z \b \B``, the flags i, m and s. Back references, lookaround,
possessive and atomic parts are refused by name. ``\d \w \s`` and case are ASCII's (as with ``re.ASCII``), ``$`` is the
very end (as in ECMAScript, and unlike Python, not also before a last newline).

No pattern ever meets Python's ``re``.
"""

from collections.abc import Sequence
from functools import lru_cache

from turnwise.verifiers.regex.automaton import Automaton, Budget, Mode, accepts, shortest_difference
from turnwise.verifiers.regex.syntax import RegexError, RegexTooLarge, RegexUnsupported, parse
from turnwise.verifiers.structured.values import unfenced
from turnwise.verifiers.verdict import Verdict, right, undecided, wrong

__all__ = [
    "RegexError", "RegexTooLarge", "RegexUnsupported", "difference", "matches", "verify_examples", "verify_regex",
]  # fmt: skip


@lru_cache(maxsize=64)
def _compiled(pattern: str, flags: str, mode: Mode) -> Automaton:
    if mode not in ("full", "search"):
        raise ValueError(f"mode is {mode!r}; it must be 'full' or 'search'")
    return Automaton(parse(pattern, flags), mode)


def matches(pattern: str, string: str, *, flags: str = "", mode: Mode = "full") -> bool:
    """Return whether a pattern matches a string, in time that depends only on the two lengths.

    Args:
        pattern: At most 1000 characters.
        string: At most 300,000 characters, fewer for large patterns.
        flags: Any of ``i``, ``m`` and ``s``.
        mode: ``full``: the whole string; ``search``: some part of it.

    Raises:
        RegexError: The pattern cannot be read, or there is too much to do.

    >>> matches(r"(a+)+", "a" * 1000 + "b"), matches("b$", "a" * 1000 + "b", mode="search")
    (False, True)
    """
    return accepts(_compiled(pattern, flags, mode), string, Budget())


def difference(pattern: str, other: str, *, flags: str = "", mode: Mode = "full") -> str | None:
    """Return a shortest string that one of two patterns matches and the other does not; None if they are equivalent.

    Args:
        pattern: At most 1000 characters.
        other: The same.
        flags: Flags of both: any of ``i``, ``m`` and ``s``.
        mode: ``full``: the whole string; ``search``: some part of it.

    Raises:
        RegexError: A pattern cannot be read, or there is too much to do.

    >>> difference("(a|b)*", "(a*b*)*"), difference("a+b?", "a{1,3}b?")
    (None, 'aaaa')
    """
    automata = _compiled(pattern, flags, mode), _compiled(other, flags, mode)
    return shortest_difference(*automata, Budget())


def _refusal(error: RegexError, text: str) -> Verdict:
    """Return the verdict on an unreadable pattern: wrong if it is invalid, undecided if it is unsupported."""
    return wrong(str(error)) if type(error) is RegexError else undecided(str(error), text)


def verify_regex(text: str, gold: str, *, flags: str = "", mode: Mode = "full") -> Verdict:
    r"""Judge whether a pattern matches the same strings as the wanted one, however it is written.

    Args:
        text: A pattern, in Python's syntax; a code fence or backticks around it are ignored.
        gold: The wanted pattern.
        flags: Flags of both: any of ``i``, ``m`` and ``s``.
        mode: ``full``: the patterns are for whole strings; ``search``: for parts of them.

    Returns:
        The verdict; undecided if the pattern uses unsupported syntax or is too large.

    Raises:
        ValueError: The wanted pattern cannot be used.

    >>> verify_regex(r"\d\d*", "[0-9]+").correct
    True
    >>> verify_regex("(a|b)*", "a*b*").reason
    "'ba' is matched by yours and not by the wanted one"
    """
    try:
        wanted = _compiled(gold, flags, mode)
    except RegexError as error:
        raise ValueError(f"the wanted pattern {gold[:200]!r} cannot be used: {error}") from error
    pattern = unfenced(text)
    budget = Budget()
    try:
        given = _compiled(pattern, flags, mode)
        found = shortest_difference(given, wanted, budget)
        if found is None:
            return right(pattern)
        yours, theirs = "yours", "the wanted one"
        if not accepts(given, found, Budget()):
            yours, theirs = theirs, yours
    except RegexError as error:
        return _refusal(error, pattern)
    shown = repr(found) if len(found) <= 60 else f"{found[:60]!r}... ({len(found)} characters)"
    return wrong(f"{shown} is matched by {yours} and not by {theirs}", pattern)


def verify_examples(
    text: str, must_match: Sequence[str], must_not_match: Sequence[str], *, flags: str = "", mode: Mode = "full"
) -> Verdict:
    """Judge whether a pattern matches all of some strings and none of others.

    A pattern may simply list the strings: keep them from the agent, or use `verify_regex`.

    Args:
        text: A pattern, as in `verify_regex`.
        must_match: Strings.
        must_not_match: Strings; at least one in all.
        flags: Any of ``i``, ``m`` and ``s``.
        mode: ``full``: the whole string; ``search``: some part of it.

    Returns:
        The verdict; its parts are the shares of the two lists that came out right.

    Raises:
        ValueError: There are no strings, or one is in both lists.

    >>> verify_examples("[ab]+", ["a", "ba"], ["", "c"]).correct
    True
    >>> verify_examples("[ab]*", ["a", "ba"], ["", "c"]).reason
    "'' is matched and must not be"
    """
    both = set(must_match) & set(must_not_match)
    if both or not (must_match or must_not_match):
        raise ValueError(f"must_match and must_not_match share {min(both)!r}" if both else "there are no examples")
    pattern = unfenced(text)
    budget = Budget()
    reason = ""
    parts = {}
    try:
        automaton = _compiled(pattern, flags, mode)
        for name, strings, wanted in (("matched", must_match, True), ("refused", must_not_match, False)):
            missed = [string for string in strings if accepts(automaton, string, budget) != wanted]
            parts[name] = 1 - len(missed) / len(strings) if strings else 1.0
            if missed and not reason:
                reason = f"{missed[0][:60]!r} is " + (
                    "not matched and must be" if wanted else "matched and must not be"
                )
    except RegexError as error:
        return _refusal(error, pattern)
    return wrong(reason, pattern, parts=parts) if reason else right(pattern, parts)
