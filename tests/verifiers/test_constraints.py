"""Constraints: what each kind takes and refuses, what contradicts what, and texts that satisfy sets."""

import doctest
import importlib
import itertools
import json
import pkgutil
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnwise.verifiers.constraints as package
from tests._work import at_most
from turnwise.core.draw import Draw
from turnwise.verifiers.constraints.base import KINDS, Constraint, ConstraintError, from_dict
from turnwise.verifiers.constraints.conflicts import conflict, conflicts
from turnwise.verifiers.constraints.drawing import DIMENSIONS, LEVELS, draw_constraint, draw_set, drawable
from turnwise.verifiers.constraints.language import COMMON, LANGUAGES, SCRIPTS, language_of, script_of
from turnwise.verifiers.constraints.sets import labels, loosened, verify_constraints
from turnwise.verifiers.constraints.units import MAX_CHARS, Reading, response_of
from turnwise.verifiers.constraints.witness import witness
from turnwise.verifiers.verdict import Verdict

MODULES = [importlib.import_module(m.name) for m in pkgutil.iter_modules(package.__path__, package.__name__ + ".")]


def made(kind: str, **parameters: Any) -> Constraint:
    return KINDS[kind](**parameters)


CASES: list[tuple[Constraint, list[str], list[str]]] = [
    (made("words", low=3, high=3), ["a b c", "Don't well-known 3.14", "- a\n- b\n- c", "a — b … c"],
     ["a b", "a b c d", "a_b_c d", "1. a b"]),
    (made("words", low=3), ["a b c", "a b c d"], ["a b"]),
    (made("words", high=2), ["a", "a b"], ["a b c", "a/b/c"]),
    (made("words", low=2, high=3), ["a b", "a b c"], ["a", "a b c d"]),
    (made("sentences", low=2, high=2), ["A. B.", "A! B", "A\nB", 'He said "Go!" And left.', "A... B?!"],
     ["A.", "A. B. C.", "3.5 is 3.5", "A. ..."]),
    (made("paragraphs", low=2, high=2), ["a\n\nb", "a\n \t\nb\nc", "a\n\n***\n\nb"],
     ["a\nb", "a\n\nb\n\nc", "a\n\n***"]),
    (made("lines", low=2, high=2), ["a\nb", "a\n\n\nb", "a\r\nb"], ["a", "a\nb\nc"]),
    (made("characters", low=3, high=4), ["abc", "a bc", "  abcd  ", "äöü"], ["ab", "abcde"]),
    (made("sentence_words", low=2, high=3), ["A b. C d e.", "# A b\nC d."], ["A. B c.", "A b c d.", ""]),
    (made("paragraph_sentences", low=2, high=2), ["A. B.\n\nC. D.", "A\nB"], ["A. B.\n\nC.", "A. B. C."]),
    (made("increasing_sentences", low=3), ["A. B c. D e f."], ["A. B c.", "A. B c. D e.", "A b. C. D e f."]),
    (made("include", words=("river", "bank")), ["A river, a bank.", "RIVER *bank*", "river\nbank"],
     ["rivers and banks", "river", "river-bank", "the river's bank"]),
    (made("exclude", words=("get",)), ["gets together", "forget it"], ["Get it", "I get, you got"]),
    (made("word_count", word="sun", low=2, high=2), ["Sun, sun!", "sun moon SUN"],
     ["sun", "sun sun sun", "suns suns"]),
    (made("first_word", word="rain"), ["Rain fell.", "- rain", '"Rain" it is', "**Rain**"],
     ["rains", "The rain", ""]),
    (made("last_word", word="rain"), ["the rain", "Rain!", 'some "rain".'], ["rain fell", "trains"]),
    (made("sentence_has_word", number=2, word="sun"), ["A. The sun. B.", "A.\nSun"],
     ["The sun. A.", "Sun", "A. Suns."]),
    (made("start_phrase", phrase="In short"), ["In short, no.", "In short"],
     ["in short, no", "In shorts", "So In short"]),
    (made("end_phrase", phrase="the end."), ["It is the end.", "the end.\n"],
     ["The End.", "the end", "the end. Or?", "bathe end."]),
    (made("postscript"), ["Text.\n\nP.S. More.", "a\n\nb\n\nP.S. c\nd"],
     ["P.S. More.", "Text.\n\nP.S.", "Text.\nP.S. More."]),
    (made("placeholders", low=2), ["[a] and [b c]", "[x][y]"], ["[a]", "[] []", "[a [b", "[a\nb] [c"]),
    (made("no_digits"), ["seven", "½ a cup"], ["7", "٣", "x2"]),
    (made("numbers", low=2), ["7 and 1,000", "3.5 or 4", "a1 b2"], ["7", "1,000.5", "1. a\n2. b"]),
    (made("even_numbers", low=2), ["2 and 44", "1,000 and 8"], ["2", "2 and 3", "2 and 4 and 0.5", "two, four"]),
    (made("letter_count", letter="z", low=2, high=2), ["Zz", "zebra zoo"], ["z", "zzz", "none"]),
    (made("lipogram", letter="e"), ["No such thing"], ["Here", "E", "tée"]),
    (made("sentence_initials", letter="s"), ["So. Some say.", '"Soon"\n- sun'], ["So. No.", "...", ""]),
    (made("word_initials", letter="s"), ["So said Sam.", "S"], ["So it said", "4 suns", ""]),
    (made("acrostic", word="sun"), ["So\nup\nnow", "- So\n- *up*\n\n- Now"],
     ["So\nup", "So\nup\nnow\nthen", "so up now"]),
    (made("all_lower"), ["all small, 1 straße."], ["All", "A", "...", "123"]),
    (made("all_upper"), ["ALL 1 BIG."], ["ALl", "a", "..."]),
    (made("title_case"), ["Every Word", "Don't 3 Élan", "Well-known"], ["Every word", "a", "12 3"]),
    (made("capital_words", low=2, high=2), ["NOW or THEN I say", "AB-CD EF"],
     ["NOW", "A I", "NOW THEN SO", "Now Then"]),
    (made("script", script="Cyrillic"), ["Привет, мир!", "Привет мир ok"], ["Hello", "Привет hello", "", "123"]),
    (made("script", script="Kana"), ["わたしは学生です", "カタカナ"], ["学生", "中文句子", "abc"]),
    (made("script", script="Han"), ["我们在学校", "学生だ、日本語学習者達"], ["ひらがな", "abc"]),
    (made("script", script="Devanagari"), ["हिन्दी में लिखा"], ["Hindi"]),
    (made("script", script="Latin"), ["Élan vital", "Straße"], ["Привет", "1"]),
    (made("language", code="fr"), ["Le chat est dans la maison et il dort."],
     ["The cat is in the house.", "chat", ""]),
    (made("language", code="en"), ["The cat is in the house."], ["El gato está en la casa.", "Cat house sleep run."]),
    (made("bullets", low=2, high=2), ["- a\n- b", "* a\n text\n  + b", "• a\n• b"],
     ["- a", "-a\n-b", "- a\n- b\n- c", "***\n***"]),
    (made("numbered_list", items=2), ["1. a\n2. b", "x\n1) a\n\n2) b"],
     ["1. a", "2. a\n1. b", "1. a\n2. b\n3. c", "1.a\n2.b"]),
    (made("title"), ["<<A title>>\ntext", "<<A>>"],
     ["Text <<A>>", "<<>>\na", "<A>\na", "<<A>>\n<<B>>", "<<A>> text"]),
    (made("highlights", low=2), ["*a* and **b c**", "*a* *b*"], ["*a*", "* a * b *", "2*3*4*5", "*a\nb* *c*"]),
    (made("sections", titles=("One", "Two")), ["# One\na\n## Two\nb", "x\n# One\n\na\n# Two\nb"],
     ["# One\na", "# Two\na\n# One\nb", "# One\n# Two\nb", "# One\na\n# Two", "One\na\nTwo\nb", "#One\na\n#Two\nb"]),
    (made("table", rows=1, columns=2), ["| a | b |\n|---|:-:|\n| c | d |", "x\n\n|a|b|\n| - | - |\n|c\\|d|e|\n\ny"],
     ["| a | b |\n| c | d |", "|a|b|\n|---|---|", "|a|\n|---|\n|b|", "|a|b|\n|---|---|\n|c|d|\n\n|x|", "a | b"]),
    (made("code_blocks", low=1, high=1), ["```\nx\n```", "a\n```python\nx = 1\n```\nb", "~~~\nx\n~~~"],
     ["```\n```", "`x`", "```\nx", "```\nx\n```\n```\ny\n```", "```x```"]),
    (made("json_object", keys=("a", "b")), ['{"a": "x", "b": "y"}', '{\n "b": "1 [{",\n "a": "y"}'],
     ['{"a": "x"}', '{"a": "x", "b": 1}', '{"a": "x", "b": "", "c": "z"}', '{"a": "x", "a": "y", "b": "z"}', "[]",
      '```json\n{"a": "x", "b": "y"}\n```', '{"a": "x", "b": NaN}', '{"a": "x", "b": "y"', '{"a": "x", "b": " "}']),
    (made("quoted"), ['"a"', "“a b”", "«a»"], ["a", '"', '""', '"a', "'a'"]),
    (made("no_markdown"), ["Plain text - with dashes.", "2 * 3 = 6, snake_case", "a #tag"],
     ["# a", "- a", "1. a", "> a", "*a*", "__a__", "`a`", "| a |", "[a](b)", "***", "~~~\na\n~~~"]),
    (made("separators", low=2, high=2), ["a\n***\nb", "a\n\n *** \nb"],
     ["a", "a\n***", "a\n***\nb\n***\nc", "a *** b"]),
    (made("responses"), ["a\n***\nb"], ["a\n***\nA.", "a", "a\n***\n"]),
    (made("repeat_first", request="Write of rain."), ["Write of rain. It rains."],
     ["Write of rain.", "It rains.", "write of rain. a"]),
    (made("sorted_lines", low=3), ["a\nb\nc", "Apple x\n\nbird\nBird", "- a\n- b\n- c"], ["a\nb", "a\nc\nb"]),
    (made("palindrome_line", low=7), ["x\nWas it a car or a cat I saw?"],
     ["level", "aaaaaaaaa", "abcdefg", "121212121"]),
    (made("mark_count", mark=",", high=0), ["a; b"], ["a, b", "1,000"]),
    (made("mark_count", mark="!", low=2, high=2), ["a! b!", "!!"], ["a!", "!!!"]),
    (made("ends_with_mark", mark="?"), ["Is it?", "Is it? "], ["Is it.", 'Is it?"', ""]),
    (made("question_first"), ["Is it? Yes.", '"Is it?" Yes.'], ["Yes. Is it?", "", "Is it"]),
]  # fmt: skip


@pytest.mark.parametrize(("constraint", "taken", "refused"), CASES, ids=[c.name for c, _, _ in CASES])
def test_each_kind(constraint: Constraint, taken: list[str], refused: list[str]) -> None:
    for text in taken:
        verdict = constraint.check(text)
        assert verdict.correct, (text, verdict.reason)
        assert verdict == Verdict(True, "", 1.0, True)
    for text in refused:
        verdict = constraint.check(text)
        assert not verdict.correct, text
        assert verdict.reason
        assert verdict.score == 0.0


def test_every_kind_has_a_case_and_there_are_enough() -> None:
    assert {c.name for c, _, _ in CASES} == set(KINDS) == set(drawable())
    assert len(KINDS) >= 45
    assert {kind.dimension for kind in KINDS.values()} == set(DIMENSIONS)
    assert all(1 <= kind.effort <= 3 for kind in KINDS.values())


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__.split(".")[-1])
def test_doctests(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


def test_constraints_are_plain_data() -> None:
    rng = np.random.default_rng(1)
    for kind in drawable():
        for _ in range(10):
            constraint = draw_constraint(kind, Draw.of(rng.random))
            assert from_dict(json.loads(json.dumps(constraint.to_dict()))) == constraint
            assert hash(constraint) == hash(from_dict(constraint.to_dict()))


@pytest.mark.parametrize(
    ("data", "match"),
    [
        ({"kind": "nothing"}, "'nothing'"), ({}, "None"), ({"kind": []}, "kind"), ({"kind": "words", "n": 1}, "'n'"),
        ({"kind": "words", "low": "3"}, "'3'"), ({"kind": "words", "low": True}, "True"),
        ({"kind": "words"}, "low is 0"),
        ({"kind": "words", "low": 5, "high": 4}, "high is 4"), ({"kind": "words", "low": -1, "high": 4}, "low is -1"),
        ({"kind": "words", "high": 10**6}, "1000000"), ({"kind": "lipogram", "letter": "E"}, "'E'"),
        ({"kind": "lipogram", "letter": "ee"}, "'ee'"), ({"kind": "include", "words": []}, "words"),
        ({"kind": "include", "words": ["a b"]}, "a b"), ({"kind": "include", "words": ["a", "A"]}, "different"),
        ({"kind": "include", "words": [1]}, "words"), ({"kind": "first_word"}, "word"),
        ({"kind": "first_word", "word": ""}, "one word"), ({"kind": "script", "script": "Klingon"}, "Klingon"),
        ({"kind": "language", "code": "xx"}, "xx"), ({"kind": "table", "rows": 0, "columns": 2}, "rows is 0"),
        ({"kind": "mark_count", "mark": "a", "low": 1}, "'a'"), ({"kind": "acrostic", "word": "x1"}, "x1"),
        ({"kind": "start_phrase", "phrase": " a"}, "phrase"), ({"kind": "json_object", "keys": ["a b"]}, "a b"),
        ({"kind": "sections", "titles": ["# x"]}, "titles"), ({"kind": "palindrome_line", "low": 90}, "90"),
        ({"kind": "sentence_has_word", "number": 0, "word": "a"}, "number is 0"),
        ({"kind": "lines", "low": 1}, "low is 1"),
        ({"kind": "numbered_list", "items": 0}, "items is 0"), ({"kind": "even_numbers", "low": 0}, "low is 0"),
    ],
)  # fmt: skip
def test_parameters_of_no_use_are_refused(data: dict[str, Any], match: str) -> None:
    with pytest.raises(ConstraintError, match=re.escape(match)):
        from_dict(data)


def test_wordings_differ_and_name_every_parameter() -> None:
    rng = np.random.default_rng(2)
    for kind in drawable():
        for _ in range(15):
            constraint = draw_constraint(kind, Draw.of(rng.random), "Write of rain.")
            wordings = constraint.wordings()
            assert len(set(wordings)) == len(wordings) >= 3 or getattr(constraint, "high", 0) is None, wordings
            assert [constraint.describe(k) for k in range(4)] == [*wordings, wordings[0]][:4]
            data = constraint.to_dict()
            for text in wordings:
                assert text[0].isupper()
                assert text[-1] in '."'
                for name, value in data.items():
                    for part in value if isinstance(value, list) else [value]:
                        if name == "kind" or part is None or (name == "low" and part == 0):
                            continue
                        if name in ("script", "code"):
                            part = {"Kana": "kana", **LANGUAGES}.get(part, part)
                        if name == "mark" and kind == "mark_count":
                            continue  # by its name
                        if data.get("high") == 0 and name == "high":
                            continue  # "no commas"
                        assert str(part) in text, (name, text)


# ---- units ----------------------------------------------------------------------------------------------------------


def test_response_is_what_stands_after_the_thoughts() -> None:
    assert response_of("<think>a</think> b ") == "b"
    assert response_of("a</think>b</think>c") == "c"
    assert response_of("no thoughts") == "no thoughts"
    for text in (
        "",
        " \n",
        "<think>a",
        "<think>a</think>",
        "<think>a</think>b<think>c",
        "a\x00b",
        "\ud800",
        "x" * (MAX_CHARS + 1),
    ):
        verdict = response_of(text)
        assert isinstance(verdict, Verdict)
        assert verdict.reason
        assert not verdict.correct


def test_units_of_one_text() -> None:
    reading = Reading("# A title\n\nDon't stop. Go on (now!) at 3.5 km?\n- one item\n2) two\n\n***\n\nEnd")
    assert " ".join(reading.words) == "A title Don't stop Go on now at 3.5 km one item two End"
    assert reading.sentences == ["A title", "Don't stop.", "Go on (now!)", "at 3.5 km?", "one item", "two", "End"]
    assert len(reading.paragraphs) == 3
    assert len(reading.lines) == 6
    assert reading.numbers == ["3.5"]
    assert Reading("はい。いいえ。").sentences == ["はい。", "いいえ。"]
    assert Reading("हिन्दी भाषा").words == ["हिन्दी", "भाषा"]  # marks belong to their letters
    assert Reading("cafe\u0301 x").words == ["cafe\u0301", "x"]


@given(st.text(st.sampled_from("aB1 .!?\n-*#,'\"。é\u0301"), max_size=60))
def test_units_fit_together(text: str) -> None:
    reading = Reading(text)
    assert sum(map(len, reading.sentence_words)) == len(reading.words) == reading.word_counts.total()
    assert len(reading.words) >= len(reading.sentences) >= len(reading.paragraphs)
    assert len(reading.lines) >= len(reading.paragraphs)
    assert all(reading.sentence_words)
    assert len(reading.text) >= 2 * len(reading.words) - 1


HOSTILE = [
    "", "\x00", "\ud800\udfff",
    "." * 12_500, "a-" * 12_500, ".)" * 12_500, "*" * 22_500, "* " * 12_500, "*a" * 11_250,
    "[" * 22_500, '{"a":' * 4_500, "{" + "[" * 22_500 + "}", "|" * 22_500, "|\n" * 11_250, "```\n" * 5_500,
    "#" * 22_500, "\n" * 22_500, " \t" * 11_250, "1." * 11_250, "1. a\n" * 4_500, "<<>>" * 5_500, "ﷺ" * 22_500,
    "\u0301" * 22_500, "e\u0301\u0323" * 7_500, "日" * 22_500, "“" * 22_500, "\u00a0" * 22_500, "_" * 22_500,
    "> " * 11_250,
    "P.S. " * 4_500, "***\n" * 5_500, "-" * 22_500, "aA" * 11_250, "9" * 22_500, '{"a": ' + "9" * 20_000 + "}",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda t: repr(t[:6]))
def test_hostile_texts_cost_no_more_than_their_length(text: str) -> None:
    with at_most(millions=30):  # 60 constraints, each of which reads the text anew
        for constraint, _, _ in CASES:
            constraint.check(text)


def test_a_megabyte_is_refused_unread() -> None:
    with at_most(millions=10):
        for text in ("a " * 500_000, "\ud800" * 10**6, "<think>" * 150_000):
            assert not verify_constraints(text, [made("words", low=1)]).correct


@settings(max_examples=150)
@given(st.one_of(st.text(max_size=80), st.text(st.sampled_from("ab\n.*|#`<>[]{}\"'!-_: 1"), max_size=80)))
def test_no_text_makes_a_check_raise(text: str) -> None:
    reading = Reading(text)
    for constraint, _, _ in CASES:
        verdict = constraint.check(reading)
        assert verdict == constraint.check(text)
        assert verdict.correct == (not verdict.reason)
    verify_constraints(text, [c for c, _, _ in CASES], partial=True, loose=True)


# ---- sets -----------------------------------------------------------------------------------------------------------


def test_a_set_holds_when_all_hold() -> None:
    pair = [made("words", low=3, high=3), made("all_lower"), made("words", high=9)]
    assert verify_constraints("a b c", pair) == Verdict(
        True, "", 1.0, 3, {"words": 1.0, "all_lower": 1.0, "words_2": 1.0}
    )
    verdict = verify_constraints("<think>A b c d e</think>A b c", pair)
    assert (verdict.correct, verdict.score, verdict.value) == (False, 0.0, 2)
    assert verdict.parts == {"words": 1.0, "all_lower": 0.0, "words_2": 1.0}
    assert verdict.reason.startswith("all_lower: 1 capital")
    assert verify_constraints("A b c", pair, partial=True).score == pytest.approx(2 / 3)
    for unread in ("", "<think>a b c", "<think>a b c</think>"):
        verdict = verify_constraints(unread, pair, partial=True)
        assert (verdict.correct, verdict.score, verdict.value) == (False, 0.0, None)
        assert set((verdict.parts or {}).values()) == {0.0}
    assert labels(pair) == ["words", "all_lower", "words_2"]
    with pytest.raises(ConstraintError, match="empty"):
        verify_constraints("a", [])


def test_loose_forgives_a_frame_and_nothing_else() -> None:
    lower = [made("all_lower")]
    for text in ("Sure! Here it is:\nall small", "all small\nI hope that helps.", "Sure:\nall small\nBye."):
        assert not verify_constraints(text, lower).correct
        assert verify_constraints(text, lower, loose=True).correct
    assert verify_constraints("**a**", [made("no_markdown")], loose=True).correct
    assert not verify_constraints("A\nB\nc\nD\nE", lower, loose=True).correct
    assert loosened("a") == []
    assert loosened("a\nb\nc") == ["b\nc", "a\nb", "b"]


# ---- conflicts ------------------------------------------------------------------------------------------------------

CONFLICTS = [
    [made("words", high=4), made("words", low=5)], [made("words", high=3), made("sentences", low=4)],
    [made("sentences", high=2), made("paragraphs", low=3)], [made("lines", high=2), made("bullets", low=3)],
    [made("characters", high=8), made("words", low=5)],
    [made("include", words=("sun",)), made("exclude", words=("Sun",))],
    [made("include", words=("sun",)), made("lipogram", letter="u")],
    [made("words", high=1), made("include", words=("a", "b"))],
    [made("word_count", word="zoo", low=2), made("letter_count", letter="z", high=1)],
    [made("all_lower"), made("all_upper")],
    [made("all_lower"), made("capital_words", low=1)], [made("all_upper"), made("start_phrase", phrase="In short,")],
    [made("all_lower"), made("title_case")], [made("no_digits"), made("numbers", low=1)],
    [made("no_digits"), made("numbered_list", items=2)],
    [made("mark_count", mark=",", high=0), made("end_phrase", phrase="a, b")],
    [made("mark_count", mark=",", high=0), made("json_object", keys=("a", "b"))],
    [made("no_markdown"), made("bullets", low=1)],
    [made("no_markdown"), made("table", rows=1, columns=1)], [made("no_markdown"), made("highlights", low=1)],
    [made("first_word", word="a"), made("first_word", word="b")], [made("start_phrase", phrase="A b"), made("title")],
    [made("ends_with_mark", mark="?"), made("end_phrase", phrase="the end.")],
    [made("acrostic", word="sun"), made("lines", low=4)],
    [made("ends_with_mark", mark="!"), made("mark_count", mark="!", high=0)],
    [made("separators", low=3, high=3), made("responses")],
    [made("first_word", word="the"), made("start_phrase", phrase="A man")],
    [made("title"), made("json_object", keys=("a",))],
    [made("increasing_sentences", low=4), made("words", high=9)], [made("even_numbers", low=1), made("no_digits")],
    [made("sentence_has_word", number=3, word="a"), made("sentences", high=2)],
    [made("postscript"), made("paragraphs", high=1)],
    [made("sentence_initials", letter="q"), made("lipogram", letter="q")],
    [made("code_blocks", low=1), made("lines", high=2)],
]  # fmt: skip


@pytest.mark.parametrize("pair", CONFLICTS, ids=lambda p: "-".join(c.name for c in p))
def test_contradictions_are_found(pair: list[Constraint]) -> None:
    assert conflict(pair)
    assert conflict(pair[::-1])
    assert witness(pair) is None
    assert [(i, j) for i, j, _ in conflicts([made("quoted"), *pair])] == [(1, 2)]
    assert all(not conflict([one]) and witness([one]) for one in pair)


def tiny_constraints() -> list[Constraint]:
    """Small cases of kinds, so that short texts may satisfy many of them."""
    found = [c for c, _, _ in CASES] + [c for pair in CONFLICTS for c in pair]
    for unit in ("words", "sentences", "paragraphs", "lines", "characters"):
        found += [made(unit, low=n, high=n) for n in (1, 2, 3, 5)] + [made(unit, low=2), made(unit, high=2)]
    found += [made("letter_count", letter="a", low=n, high=n) for n in (1, 2)] + [made("lipogram", letter="a")]
    found += [made("include", words=("a",)), made("exclude", words=("a",)), made("word_count", word="a", low=2, high=2)]
    found += [made("bullets", low=1, high=1), made("first_word", word="a"), made("last_word", word="ab")]
    found += [made("start_phrase", phrase="a"), made("end_phrase", phrase="a."), made("ends_with_mark", mark="!")]
    return list(dict.fromkeys(found))


@pytest.mark.slow
def test_what_is_called_a_conflict_is_one() -> None:
    """Against all short texts of a small alphabet, all examples of this file, and what the writer writes."""
    texts = ["".join(p) for n in range(1, 5) for p in itertools.product(("a", "B", " ", ".", "\n", "- "), repeat=n)]
    texts += [text for _, taken, refused in CASES for text in taken + refused]
    constraints = tiny_constraints()
    texts += [t for a, b in itertools.combinations(constraints[:40], 2) if (t := witness([a, b]))]
    masks = [0] * len(constraints)
    for k, text in enumerate(dict.fromkeys(texts)):
        reading = Reading(text)
        for i, constraint in enumerate(constraints):
            masks[i] |= (not constraint.problem(reading)) << k
    called = 0
    for i, j in itertools.combinations(range(len(constraints)), 2):
        if reason := conflict([constraints[i], constraints[j]]):
            called += 1
            assert masks[i] & masks[j] == 0, (constraints[i], constraints[j], reason)
    assert called > 500


# ---- texts that satisfy sets ----------------------------------------------------------------------------------------


def drawing(seed: int) -> Draw:
    return Draw.of(np.random.default_rng(seed).random)


@settings(max_examples=150)
@given(st.integers(0, 2**32 - 1), st.sampled_from([(1, 1), (1, 2), (2, 3), (3, 4), (4, 6), (4, 8)]))
def test_what_is_drawn_can_be_satisfied(seed: int, size: tuple[int, int]) -> None:
    level, number = size
    kinds = [drawable(dimension) for dimension in DIMENSIONS[:level]]
    drawn = draw_set(drawing(seed), number, kinds, "Write of rain.")
    if drawn is None:
        return
    assert len(drawn) == number
    assert len({c.name for c in drawn}) == number
    assert {c.dimension for c in drawn} == set(DIMENSIONS[:level])
    assert not conflict(drawn)
    assert not conflicts(drawn)
    text = witness(drawn)
    assert text is not None
    assert text == witness(drawn)
    assert verify_constraints(text, drawn).correct
    again = draw_set(drawing(seed), number, kinds, "Write of rain.")
    assert again == drawn
    for constraint in drawn:
        for near in constraint.near_misses():
            assert conflict([constraint, near]), near


def test_most_draws_succeed() -> None:
    for level, (low, _) in LEVELS.items():
        kinds = [drawable(dimension) for dimension in DIMENSIONS[:level]]
        sets = [draw_set(drawing(seed), low, kinds) for seed in range(60)]
        assert sum(s is not None for s in sets) >= 25, level


def test_every_kind_alone_has_a_text_and_literals_stay_whole() -> None:
    for kind in drawable():
        for seed in range(8):
            constraint = draw_constraint(kind, drawing(seed), "Write of rain.")
            text = witness([constraint])
            assert text is not None, constraint
            assert constraint.check(text).correct
    text = witness([made("words", low=30, high=30), made("bullets", low=2, high=2)], literals=("\\boxed{-7/3}",))
    assert text is not None
    assert "\\boxed{-7/3}" in text
    assert witness([made("all_upper")], literals=("\\boxed{1}",)) is None


def test_enormous_sets_are_given_up_at_once() -> None:
    with at_most(millions=10):
        assert witness([made("sentence_words", low=9999), made("sentences", low=9999)]) is None
        assert witness([made("increasing_sentences", low=30), made("sentences", low=9000)]) is None
        assert witness([made("words", low=9999)]) is None


def test_variants_differ() -> None:
    constraints = [made("words", low=20, high=20), made("sentences", low=3, high=3)]
    texts = [witness(constraints, variant=k) for k in range(3)]
    assert len(set(texts)) == 3
    assert all(verify_constraints(text or "", constraints).correct for text in texts)


# ---- languages ------------------------------------------------------------------------------------------------------


SENTENCES = {
    "en": """The old man walked slowly along the river and looked at the boats.
We have never seen so much snow in this part of the country.
If you want to learn the piano, you should practise every day.
She said that her brother would arrive before the end of the week.
Most of the shops in our street are closed on Sundays.
There was a strange noise behind the door, but nobody was there.
It is not easy to explain why the engine stopped working.
They were waiting for the train when it began to rain.
You can find the keys in the drawer under the window.
This bread is better than the one we bought yesterday.
I do not know what he was looking for in the garden.
The children played with their dog until it was dark.
Before the meeting, please read all the papers on your desk.
A good book can change the way you think about the world.
No one had told him that the bridge was closed.
What would you do if you had more time for yourself?
Birds fly south in autumn because the winters are cold.
He has been a teacher at this school for twenty years.
After dinner we sat by the fire and told stories.
Every house in the village has a small garden behind it.""",
    "es": """El viejo caminaba despacio por la orilla del río y miraba los barcos.
Nunca hemos visto tanta nieve en esta parte del país.
Si quieres aprender a tocar el piano, debes practicar todos los días.
Ella dijo que su hermano llegaría antes del fin de semana.
La mayoría de las tiendas de nuestra calle están cerradas los domingos.
Había un ruido extraño detrás de la puerta, pero no había nadie.
No es fácil explicar por qué el motor dejó de funcionar.
Estaban esperando el tren cuando empezó a llover.
Puedes encontrar las llaves en el cajón debajo de la ventana.
Este pan es mejor que el que compramos ayer.
No sé lo que estaba buscando en el jardín.
Los niños jugaron con su perro hasta que se hizo de noche.
Antes de la reunión, lee todos los papeles que hay en tu mesa.
Un buen libro puede cambiar la forma de ver el mundo.
Nadie le había dicho que el puente estaba cerrado.
¿Qué harías si tuvieras más tiempo para ti?
Los pájaros vuelan al sur en otoño porque los inviernos son fríos.
Ha sido maestro en esta escuela durante veinte años.
Después de la cena nos sentamos junto al fuego y contamos historias.
Cada casa del pueblo tiene un pequeño jardín en la parte de atrás.""",
    "fr": """Le vieil homme marchait lentement le long de la rivière et regardait les bateaux.
Nous n'avons jamais vu autant de neige dans cette partie du pays.
Si tu veux apprendre le piano, tu dois travailler tous les jours.
Elle a dit que son frère arriverait avant la fin de la semaine.
La plupart des magasins de notre rue sont fermés le dimanche.
Il y avait un bruit étrange derrière la porte, mais il n'y avait personne.
Il n'est pas facile d'expliquer pourquoi le moteur ne marche plus.
Ils attendaient le train quand il a commencé à pleuvoir.
Vous trouverez les clés dans le tiroir sous la fenêtre.
Ce pain est meilleur que celui que nous avons acheté hier.
Je ne sais pas ce qu'il cherchait dans le jardin.
Les enfants ont joué avec leur chien jusqu'à la nuit.
Avant la réunion, lisez tous les papiers qui sont sur votre bureau.
Un bon livre peut changer notre façon de voir le monde.
Personne ne lui avait dit que le pont était fermé.
Que ferais-tu si tu avais plus de temps pour toi ?
Les oiseaux volent vers le sud en automne parce que les hivers sont froids.
Il est professeur dans cette école depuis vingt ans.
Après le dîner, nous nous sommes assis près du feu.
Chaque maison du village a un petit jardin derrière elle.""",
    "de": """Der alte Mann ging langsam am Fluss entlang und sah auf die Boote.
Wir haben in diesem Teil des Landes noch nie so viel Schnee gesehen.
Wenn du Klavier lernen willst, musst du jeden Tag üben.
Sie sagte, dass ihr Bruder vor dem Ende der Woche kommen würde.
Die meisten Läden in unserer Straße sind am Sonntag geschlossen.
Hinter der Tür war ein seltsames Geräusch, aber niemand war da.
Es ist nicht leicht zu erklären, warum der Motor stehen blieb.
Sie warteten auf den Zug, als es zu regnen begann.
Die Schlüssel liegen in der Schublade unter dem Fenster.
Dieses Brot ist besser als das, was wir gestern gekauft haben.
Ich weiß nicht, was er im Garten gesucht hat.
Die Kinder spielten mit ihrem Hund, bis es dunkel wurde.
Vor der Sitzung lesen Sie bitte alle Papiere auf dem Tisch.
Ein gutes Buch kann den Blick auf die Welt verändern.
Niemand hatte ihm gesagt, dass die Brücke gesperrt war.
Was würdest du tun, wenn du mehr Zeit für dich hättest?
Die Vögel fliegen im Herbst nach Süden, weil die Winter kalt sind.
Er ist seit zwanzig Jahren Lehrer an dieser Schule.
Nach dem Essen saßen wir am Feuer und erzählten Geschichten.
Jedes Haus in dem Dorf hat einen kleinen Garten.""",
    "it": """Il vecchio camminava piano lungo il fiume e guardava le barche.
Non abbiamo mai visto tanta neve in questa parte del paese.
Se vuoi imparare a suonare il pianoforte, devi esercitarti tutti i giorni.
Lei ha detto che suo fratello sarebbe arrivato prima della fine della settimana.
La maggior parte dei negozi della nostra via è chiusa la domenica.
C'era un rumore strano dietro la porta, ma non c'era nessuno.
Non è facile spiegare perché il motore ha smesso di funzionare.
Stavano aspettando il treno quando ha cominciato a piovere.
Puoi trovare le chiavi nel cassetto sotto la finestra.
Questo pane è migliore di quello che abbiamo comprato ieri.
Non so che cosa cercava nel giardino.
I bambini hanno giocato con il loro cane fino a notte.
Prima della riunione leggete tutte le carte che sono sul tavolo.
Un buon libro può cambiare il modo di vedere il mondo.
Nessuno gli aveva detto che il ponte era chiuso.
Che cosa faresti se tu avessi più tempo per te?
Gli uccelli volano al sud in autunno perché gli inverni sono freddi.
È stato maestro in questa scuola per venti anni.
Dopo la cena ci siamo seduti accanto al fuoco.
Ogni casa del villaggio ha un piccolo giardino.""",
    "pt": """O velho caminhava devagar ao longo do rio e olhava para os barcos.
Nunca vimos tanta neve nesta parte do país.
Se queres aprender piano, tens de praticar todos os dias.
Ela disse que o seu irmão chegaria antes do fim da semana.
A maioria das lojas da nossa rua está fechada aos domingos.
Havia um ruído estranho atrás da porta, mas não havia ninguém.
Não é fácil explicar por que o motor parou de funcionar.
Eles estavam à espera do comboio quando começou a chover.
Você pode encontrar as chaves na gaveta debaixo da janela.
Este pão é melhor do que o que comprámos ontem.
Eu não sei o que ele procurava no jardim.
As crianças brincaram com o seu cão até ser noite.
Antes da reunião, leia todos os papéis que estão na mesa.
Um bom livro pode mudar a forma de ver o mundo.
Ninguém lhe tinha dito que a ponte estava fechada.
O que você faria se tivesse mais tempo para si?
As aves voam para o sul no outono porque os invernos são frios.
Ele foi professor nesta escola durante vinte anos.
Depois do jantar, ficámos junto do fogo e contámos histórias.
Cada casa da aldeia tem um pequeno jardim.""",
}


def test_languages_are_told_apart() -> None:
    """As the docstring of the module says: 120 of 120 sentences."""
    total = 0
    for code, block in SENTENCES.items():
        for sentence in block.strip().splitlines():
            total += 1
            assert language_of(Reading(sentence)) == code, sentence
            assert language_of(Reading(sentence.upper())) == code
    assert total == 120
    assert set(SENTENCES) == set(LANGUAGES) == set(COMMON)


@pytest.mark.parametrize("text", ["", "123", "Xyzzy plugh", "Привет мир", "\ud800", "apple house river stone"])
def test_texts_without_common_words_are_of_no_language(text: str) -> None:
    assert language_of(Reading(text)) == ""


def test_scripts() -> None:
    for letter, script in zip("aжλبאकㄱあ中ก", SCRIPTS, strict=True):
        assert script_of(letter) == script
    assert script_of("ー") == "Kana"
    assert script_of("々") == "Han"
