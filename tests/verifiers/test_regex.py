"""Regular expressions: the language is what counts, whatever the spelling, and nothing backtracks."""

import doctest
import itertools
import re
import warnings

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests._work import at_most
from turnwise.verifiers.regex import automaton as regex_automaton
from turnwise.verifiers.regex import language as regex
from turnwise.verifiers.regex import syntax as regex_syntax
from turnwise.verifiers.regex.language import (
    RegexError,
    RegexUnsupported,
    difference,
    matches,
    verify_examples,
    verify_regex,
)
from turnwise.verifiers.structured import values as structured

SHORT = ["".join(word) for n in range(6) for word in itertools.product("ab", repeat=n)]


def trees(leaves: list[str]) -> st.SearchStrategy[str]:
    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        quantifiers = ["*", "+", "?", "*?", "{2}", "{0,2}", "{1,}", "{,2}", "{0}"]
        return st.one_of(
            st.tuples(inner, inner).map("".join),
            st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
            st.tuples(inner, st.sampled_from(quantifiers)).map(lambda pair: f"({pair[0]}){pair[1]}"),
        )

    return st.recursive(st.sampled_from(leaves), grown, max_leaves=7)


PATTERNS = trees(["a", "b", "[ab]", "[^a]", ".", "", "a|b", "^", "$", r"\b", r"\B"])
RICH = trees(["a", "B", "[A-C]", "[^a-b]", r"\w", r"\W", r"\s", r"[\d_-]", r"\D", r"\x41", r"\n", ".", "-", "é", r"\.",
              "[]a]", "^", "$", "(?i:b)"])  # fmt: skip


def python_matches(pattern: str, string: str, flags: re.RegexFlag, mode: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = re.compile(pattern, flags | re.ASCII)
    return bool(compiled.fullmatch(string) if mode == "full" else compiled.search(string))


@pytest.mark.parametrize("module", [regex, regex_automaton, regex_syntax, structured], ids=lambda m: m.__name__)
def test_doctests(module) -> None:
    assert doctest.testmod(module).failed == 0


@given(RICH, st.text("abABcC10 _-.\né", max_size=6), st.sampled_from(["", "i", "s", "m", "ims"]),
       st.sampled_from(["full", "search"]))  # fmt: skip
def test_matching_is_that_of_python(pattern, string, letters, mode) -> None:
    flags = re.RegexFlag(0)
    for letter in letters:
        flags |= {"i": re.I, "m": re.M, "s": re.S}[letter]
    assume("$" not in pattern or not string.endswith("\n"))  # Python's $ matches before a last newline too
    assert matches(pattern, string, flags=letters, mode=mode) == python_matches(pattern, string, flags, mode)


@given(PATTERNS, st.sampled_from(["full", "search"]))
def test_matching_is_that_of_python_on_all_short_strings(pattern, mode) -> None:
    empty_boundary = r"\B" in pattern  # on the empty string Python's rule has changed between versions
    for string in SHORT[empty_boundary:]:
        assert matches(pattern, string, mode=mode) == python_matches(pattern, string, re.RegexFlag(0), mode), string


@given(PATTERNS, PATTERNS, st.sampled_from(["full", "search"]))
def test_equivalence_is_that_of_brute_force(pattern, other, mode) -> None:
    found = difference(pattern, other, mode=mode)
    told_apart = [x for x in SHORT if matches(pattern, x, mode=mode) != matches(other, x, mode=mode)]
    if found is None:
        assert not told_apart
        return
    assert matches(pattern, found, mode=mode) != matches(other, found, mode=mode)
    assert len(found) <= min(map(len, told_apart), default=99)
    if told_apart and set(found) <= set("ab"):
        assert len(found) == len(told_apart[0])


@given(PATTERNS)
def test_other_spellings_of_a_pattern_are_right(pattern) -> None:
    for text in (
        f"(?:{pattern})",
        f"(?:{pattern})|(?:{pattern})",
        f"(?:{pattern}){{1}}",
        f"```regex\n(?:{pattern})\n```",
    ):
        assert verify_regex(text, f"(?:{pattern})").correct


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        (r"^\d{3}-\d{4}$", "[0-9]{3}-[0-9]{4}"),
        ("a(b|c)d", "abd|acd"),
        ("(?:ab)*?", "(ab)*"),
        ("[^\\W\\d_]+", "[a-zA-Z]+"),
        ("(?i)abc", "[aA][bB][cC]"),
        ("(?P<x>a)b", "(?<x>a)b"),
        ("x{,2}", "(|x|xx)"),
        ("a{", r"a\{"),
        ("[]-]", r"\]|-"),
        (r"[\s\S]", "(?s:.)"),
        (r"(25[0-5]|(2[0-4]|1\d|[1-9])?\d)", "25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9]"),
        ("(a|b)*a(a|b){9}", "[ab]*a[ab]{9}"),
        (r"\u00e9", "é"),
        ("`a+`", "aa*"),
        ("a$b", "[^\\s\\S]"),
        (r"\ba\b", "a"),
    ],
)
def test_equivalent_patterns(text, gold) -> None:
    assert verify_regex(text, gold).correct


@pytest.mark.parametrize(
    ("text", "gold", "reason"),
    [
        ("[a-z]*", "[a-z]+", "'' is matched by yours and not by the wanted one"),
        ("a{2,3}", "a{2,4}", "'aaaa' is matched by the wanted one and not by yours"),
        (r"\w", "[a-z0-9_]", "'A' is matched by yours and not by the wanted one"),
        (".", r"(?s:.)", r"'\n' is matched by the wanted one and not by yours"),
        ("a.c", r"a\.c", "'aac' is matched by yours and not by the wanted one"),
        (".*", "x", "'' is matched by yours and not by the wanted one"),
        ("a**", "a", "two quantifiers"),
        ("(a", "a", "not closed"),
        ("a)", "a", "never opened"),
        ("[b-a]", "a", "bad range"),
        ("*a", "a", "nothing to repeat"),
        ("[a", "a", "ends too early"),
        ("\\", "a", "ends too early"),
        ("a{3,2}", "a", "at least 3 and at most 2"),
        (r"\xg1", "a", "hexadecimal"),
        ("^*", "a", "nothing to repeat"),
        ("(?<>a)", "a", "bad name"),
        (r"\U00110000", "a", "no character"),
    ],
)
def test_wrong_patterns_with_the_reason(text, gold, reason) -> None:
    verdict = verify_regex(text, gold)
    assert not verdict.correct and not verdict.undecided
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (r"(a)\1", "back references"),
        ("(?P<x>a)(?P=x)", "back references"),
        ("(?=a)a", "lookahead"),
        ("(?!b)a", "lookahead"),
        ("(?<=a)b", "lookbehind"),
        ("(?<!a)b", "lookbehind"),
        ("a++", "possessive"),
        ("(?>a)", "atomic"),
        ("(a)?(?(1)b|c)", "conditional"),
        ("[[:alpha:]]", "POSIX"),
        (r"\p{L}", r"\p"),
        ("(?x)a", "flag 'x'"),
        ("(?#c)a", "comments"),
        ("(?R)", "not supported"),
        ("a{5000}", "2000 states"),
        ("a{1000000000000}", "repeated more"),
        ("(a{99}){99}", "2000 states"),
        ("((((((((a+){3}){3}){3}){3}){3}){3}){3}){3}", "2000 states"),
        ("(?:){1000}" * 90, "2000 states"),
        ("(" * 100 + ")" * 100, "deeper"),
        ("a" * 1001, "longer"),
    ],
)
def test_what_is_not_supported_is_undecided_and_named(text, what) -> None:
    verdict = verify_regex(text, "a")
    assert verdict.undecided and not verdict.correct
    assert what in verdict.reason
    with pytest.raises(ValueError, match=re.escape(repr(text)[1:20])):
        verify_regex("a", text)


ATTACKS = [
    "(a+)+$",
    "(a|a)*b",
    "(a*)*b",
    "(.*)(.*)(.*)(.*)(.*)x",
    "(a?){900}",
    "[ab]*a[ab]{900}",
    ".*a.{18}",
    "(a{0,20}b{0,20}){0,20}",
    "(" * 500 + "a*" + ")*" * 200,
    "[" * 1000,
    "(?:" * 333,
    "|" * 1000,
    "(|)*" * 250,
    "a?" * 500,
    ".*" * 500,
    r"\b*" * 300,
    r"(\b|\B|^|$|a)*" * 60,
    "[^\x00]" * 142,
    "".join(f"[^{chr(200 + i)}]" for i in range(240)),
    "\ud800",
    "\x00",
    "{" * 1000,
    "(a|aa|aaa|aaaa)*" * 60,
    "(([ab]*c)*d)*" * 70,
    "x" * 1_000_000,
    "`" * 1_000_000,
    "a{" + "9" * 900 + "}",
    "(?i)" * 200,
]


@pytest.mark.parametrize("text", ATTACKS, ids=lambda text: text[:12].encode("ascii", "replace").decode())
def test_hostile_patterns_end_at_once(text) -> None:
    for gold, mode in (("(a|b)*a(a|b){9}", "full"), ("abc", "search")):
        with at_most(millions=10):  # two verifications
            assert not verify_regex(text, gold, mode=mode).correct
            assert not verify_examples(text, ["a" * 3000 + "c"], ["a" * 3000 + "c!", ""], mode=mode).correct


@given(st.text(), st.sampled_from(["full", "search"]))
def test_no_text_raises(text, mode) -> None:
    assert isinstance(verify_regex(text, "a+", mode=mode).correct, bool)


@given(st.text("()[]{}|*+?\\^$.-,:<=!Pabdwx012", max_size=12))
def test_what_is_read_is_what_python_reads(text) -> None:
    try:
        matches(text, "a")
        read = True
    except RegexUnsupported:
        return
    except RegexError:
        read = False
    try:
        python_matches(text, "a", re.RegexFlag(0), "full")
        python_read = True
    except re.error:
        python_read = False
    if "(?<" not in text and r"\z" not in text:  # our additions
        assert read == python_read


@pytest.mark.parametrize("pattern", ["(a+)+", "(a|a)*", "(.*)(.*)(.*)c", "(a?){500}", "([ab]+)*c"])
def test_matching_takes_linear_time(pattern) -> None:
    with at_most(millions=10):
        assert not matches(pattern, "a" * 20_000 + "b")


def test_a_string_too_long_to_read_is_refused() -> None:
    with pytest.raises(regex.RegexTooLarge):
        matches("a*", "a" * 400_000)


def test_examples() -> None:
    verdict = verify_examples("a+", ["a", "ab"], ["b", ""])
    assert not verdict.correct and verdict.reason == "'ab' is not matched and must be"
    assert verdict.parts == {"matched": 0.5, "refused": 1.0} and verdict.score == 0
    assert verify_examples("b", ["abc"], ["ac"], mode="search").correct
    assert not verify_examples("b", ["abc"], ["ac"]).correct
    assert verify_examples("A", ["a"], [], flags="i").correct
    assert verify_examples("(?=a)a", ["a"], []).undecided
    for both in ((["a"], ["a"]), ([], [])):
        with pytest.raises(ValueError, match=r"share 'a'|no examples"):
            verify_examples("a", *both)


def test_settings_that_do_not_exist_are_refused() -> None:
    with pytest.raises(ValueError, match="mode is 'match'"):
        verify_regex("a", "a", mode="match")
    with pytest.raises(ValueError, match="flag 'x'"):
        verify_regex("a", "a", flags="x")


@given(st.lists(st.integers(0, 5), max_size=6), st.lists(st.sets(st.integers(0, 5)), max_size=6))
def test_pairing_off_finds_as_many_pairs_as_there_can_be(left, right) -> None:
    partners = structured.paired_off(left, right, lambda x, group: x in group)
    taken = [j for j in partners if j is not None]
    assert len(set(taken)) == len(taken)
    assert all(left[i] in right[j] for i, j in enumerate(partners) if j is not None)
    chosen = itertools.permutations([*range(len(right)), *[None] * len(left)], len(left)) if len(left) <= 3 else []
    most = max((sum(j is not None and x in right[j] for x, j in zip(left, choice, strict=True)) for choice in chosen),
               default=0)  # fmt: skip
    assert len(taken) >= most
