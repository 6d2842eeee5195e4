"""Words of texts and queries."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwise.retrieval.index.text import STOP_WORDS, query_tokens, tokens


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Last Tower (1,250 m²), by O'Hara-Lee.", "the last tower 1 250 m2 by o hara lee"),
        ("Zoë’s CAFÉ", "zoe s cafe"),
        ("Straße ＦＵＬＬ ﬁn", "strasse full fin"),
        ("İstanbul ILGAZ ılgaz", "istanbul ilgaz ilgaz"),
        ("東京タワー in Tokyo", "東 京 タ ワ ー in tokyo"),
        ("서울 Москва Ёлка ٣٤", "서울 москва елка 34"),
        ("snake_case\tand\x00nul\udc80", "snake case and nul"),
        ("?!— ", ""),
    ],
)
def test_words(text, words):
    assert tokens(text) == words.split()


@given(st.text())
def test_the_same_words_for_every_spelling(text):
    words = tokens(text)
    assert tokens(" ".join(words)) == words
    assert tokens(unicodedata.normalize("NFD", text)) == tokens(unicodedata.normalize("NFC", text)) == words
    assert tokens(text.upper()) == tokens(text.lower())


@pytest.mark.slow
def test_every_character_folds_to_one_form():
    for code in range(0x110000):
        words = tokens(chr(code))
        assert tokens(" ".join(words)) == words, hex(code)


def test_stop_words_are_left_out_of_queries_unless_nothing_is_left():
    assert query_tokens("Who is the spouse of the director of It?") == ["spouse", "director"]
    assert query_tokens("Who is it?") == ["who", "is", "it"]
    assert query_tokens("") == []
    assert {word for word in STOP_WORDS if tokens(word) != [word]} == set()
