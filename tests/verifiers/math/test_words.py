"""Numbers in words."""

import doctest
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise.verifiers.math.read.words
from tests._work import at_most
from turnwise.verifiers.math.read.words import MAX_CHARS, read_ordinal, read_words

SMALL_TEXT = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen"""
SMALL = SMALL_TEXT.split()
TENS_TEXT = "- - twenty thirty forty fifty sixty seventy eighty ninety"
TENS = TENS_TEXT.split()


def english(n, and_="and "):
    """Written by recursion here, read by a grammar there."""
    if n < 20:
        return SMALL[n]
    if n < 100:
        return TENS[n // 10] + (f"-{SMALL[n % 10]}" if n % 10 else "")
    if n < 1000:
        return f"{SMALL[n // 100]} hundred" + (f" {and_}{english(n % 100)}" if n % 100 else "")
    name, size = next(
        (name, size) for name, size in (("billion", 10**9), ("million", 10**6), ("thousand", 10**3)) if n >= size
    )
    return f"{english(n // size, and_)} {name}" + (f" {english(n % size, and_)}" if n % size else "")


def chinese(n):
    digits = "零一二三四五六七八九"
    if n < 10:
        return digits[n]
    text, gap = "", False
    for unit, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, n = divmod(n, unit)
        if digit:
            text += ("零" if gap and text else "") + digits[digit] + sign
        gap = not digit
    return text


@given(st.integers(0, 10**12 - 1), st.sampled_from(["and ", ""]), st.booleans())
def test_whole_numbers(n, and_, negative):
    said = english(n, and_)
    if len(said) > MAX_CHARS - 10:
        return
    assert read_words(said) == n == read_words(said.replace("-", " ").title())
    assert read_words(f"{'minus' if negative else 'negative'} {said}") == -n
    assert read_words(f"a {said}") in (None, n)


@given(st.integers(1, 9999))
def test_chinese_numbers(n):
    assert read_words(chinese(n)) == n
    assert read_words("负" + chinese(n)) == -n
    assert read_ordinal("第" + chinese(n)) == n


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("three quarters", "3/4"), ("three fourths", "3/4"), ("three-fourths", "3/4"), ("half", "1/2"),
        ("a half", "1/2"), ("one half", "1/2"), ("one-third", "1/3"), ("a third", "1/3"), ("two thirds", "2/3"),
        ("seven eighths", "7/8"), ("five halves", "5/2"), ("two and a half", "5/2"), ("two and one-half", "5/2"),
        ("two-and-a-half", "5/2"), ("3 and a half", "7/2"), ("five and three eighths", "43/8"),
        ("one twenty-fifth", "1/25"), ("2 thirds", "2/3"), ("three twenty-fifths", "3/25"),
        ("twenty-five hundredths", "1/4"), ("three ten-thousandths", "3/10000"),
        ("one hundred-thousandth", "1/100000"), ("negative two thirds", "-2/3"), ("minus a half", "-1/2"),
        ("a dozen", "12"), ("dozen", "12"), ("two dozen", "24"), ("half a dozen", "6"), ("a hundred", "100"),
        ("hundred", "100"), ("a hundred and five", "105"), ("a thousand", "1000"), ("twelve hundred", "1200"),
        ("half a million", "500000"), ("two and a half million", "2500000"), ("1.5 million", "1500000"),
        ("3 hundred", "300"), ("1,500 thousand", "1500000"), ("zero point two five", "1/4"),
        ("three point one four", "157/50"), ("one point five million", "1500000"),
        ("one thousand, two hundred", "1200"), ("two million, thirty-four thousand", "2034000"),
        ("Twenty-Three.", "23"), ("Negative Seven", "-7"), ("ONE", "1"), ("十五", "15"), ("二十五", "25"),
        ("一百零三", "103"), ("一百一十", "110"), ("两", "2"), ("两百五十", "250"), ("一万二千", "12000"),
        ("一万零三", "10003"), ("一亿", "100000000"), ("三分之一", "1/3"), ("百分之五", "1/20"), ("一半", "1/2"),
        ("三点一四", "157/50"), ("负三分之二", "-2/3"), ("贰拾伍", "25"), ("ciento veinte", "120"),
        ("veintidós", "22"), ("dieciséis", "16"), ("treinta y uno", "31"), ("novecientos noventa y nueve", "999"),
        ("quinientas", "500"), ("menos tres", "-3"), ("quatre-vingt-dix-neuf", "99"), ("soixante et onze", "71"),
        ("deux cents", "200"), ("vingt et un", "21"), ("septante", "70"), ("einundzwanzig", "21"),
        ("dreißig", "30"), ("zweihundertfünfzig", "250"), ("zwölf", "12"), ("neunhundertneunundneunzig", "999"),
        ("siebzehn", "17"),
    ],
)  # fmt: skip
def test_values(text, value):
    assert read_words(text) == Fraction(value)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "a", "an", "and", "12", "1.5", "1,500", "12 13", "one or two", "one and two", "one, two",
        "twenty, five", "one two", "twenty twelve", "third", "thirds", "two third", "one thirds", "two fifth",
        "twenty-fifths", "first", "two firsts", "two seconds", "minus", "negative", "minus minus two", "not five",
        "about five", "five apples", "five percent", "one hundred and three quarters", "hundred hundred",
        "thousand million", "two thousand three million", "ten hundred", "nineteen eighty-four",
        "two hundred hundred", "zero hundred", "one thousand zero", "point", "one point", "one point ten",
        "two thousand and five hundred", "dozens", "a couple", "once", "cent", "elf", "一百三", "三三", "二〇二四",
        "三或四", "三个", "第三", "十百", "零五", "分之一", "三分之", "一千五", "负负三", "二三",
        "thousand thousand", "five minus two", "two times three", "half half", "one half dozen and", "a a hundred",
        "two a hundred",
    ],
)  # fmt: skip
def test_what_is_not_one_number(text):
    assert read_words(text) is None


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("third", 3), ("First", 1), ("second", 2), ("twelfth", 12), ("twentieth", 20), ("twenty-first", 21),
        ("one hundred and first", 101), ("hundredth", 100), ("two hundredth", 200), ("thousandth", 1000),
        ("21st", 21), ("12th", 12), ("111th", 111), ("2nd", 2), ("3rd", 3), ("第二十五", 25),
        ("one thousand, one hundred and ninth", 1109),
    ],
)  # fmt: skip
def test_ordinals(text, rank):
    assert read_ordinal(text) == rank


@pytest.mark.parametrize(
    "text", ["", "three", "1", "11st", "12nd", "1th", "21th", "two thirds", "th", "the third", "second third", "第"]
)
def test_what_is_no_ordinal(text):
    assert read_ordinal(text) is None


@given(
    st.text(max_size=MAX_CHARS + 5)
    | st.lists(
        st.sampled_from(
            [
                *SMALL,
                *TENS,
                "hundred",
                "thousand",
                "million",
                "and",
                "a",
                "half",
                "third",
                "thirds",
                "point",
                "-",
                "1.5",
            ]
        )
    ).map(" ".join)
    | st.text("零一二三十百千万亿点分之负第〇两半", max_size=20)
)
def test_nothing_raises(text):
    value, rank = read_words(text), read_ordinal(text)
    assert value is None or isinstance(value, Fraction)
    assert rank is None or isinstance(rank, int)


@pytest.mark.parametrize(
    "text", ["one " * 25_000, "hundred " * 12_000, "十" * 100_000, "and " * 50, "half a " * 28, "9" * 100_000]
)
def test_hostile_lengths_take_no_time(text):
    with at_most(millions=2):
        assert read_words(text) is None and read_ordinal(text) is None


def test_foreign_names_mean_one_number_each():
    tables = [getattr(turnwise.verifiers.math.read.words, f"_{name}")() for name in ("spanish", "french", "german")]
    meant: dict[str, int] = {}
    for table in tables:
        assert set(table) >= set(range(1000))
        for value, names in table.items():
            for name in names:
                assert meant.setdefault(name, value) == value, name


def test_doctests():
    assert doctest.testmod(turnwise.verifiers.math.read.words).failed == 0
