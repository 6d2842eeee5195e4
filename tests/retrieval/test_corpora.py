"""Readers of corpora: every shape, passages, Wikipedia's markup, and what is wrong with file and line."""

import bz2
import gzip
import itertools
import json
import sys
import types
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests._work import growth
from turnwise.core.errors import SettingsError
from turnwise.core.rows import Reading, read_located
from turnwise.retrieval.base import Document
from turnwise.retrieval.corpora.readers import files_of, passages, read_corpus
from turnwise.retrieval.corpora.wikitext import plain_text

DATA = Path(__file__).parents[1] / "data" / "search"
TITLES = ["Ostrevik", "Mira Tolvane", 'The "Salt" Ledger']


@pytest.fixture
def write(tmp_path):
    """Writes lines (or rows as JSON) to a file and returns its path."""

    def to_file(*rows, name="own.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows), "utf-8")
        return str(path)

    return to_file


# ---- shapes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ids"),
    [("corpus_search_r1.jsonl", ["0", "1", "2"]), ("corpus_beir.jsonl", ["MED-0", "MED-1", "MED-2"]),
     ("corpus_docid.jsonl", ["msmarco_0", "msmarco_1", "msmarco_2"]), ("corpus_rows.json", ["0", "1", "2"]),
     ("psgs_w100.tsv", ["1", "2", "3"])],
)  # fmt: skip
def test_shapes_of_rows(name, ids):
    documents = list(read_corpus(str(DATA / name)))
    assert [d.id for d in documents] == ids and [d.title for d in documents] == TITLES
    assert documents[0].text == "Ostrevik is a town on the river Varn. Its mayor is Mira Tolvane."


def test_parquet_and_the_hub_have_the_same_rows(tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    import pyarrow

    expected = list(read_corpus(str(DATA / "corpus_beir.jsonl")))
    rows = [located.row for located in read_located(str(DATA / "corpus_beir.jsonl"))]
    parquet.write_table(pyarrow.Table.from_pylist(rows * 3000), tmp_path / "c.parquet", row_group_size=1000)
    with pytest.raises(SettingsError, match=r"row 3: the id 'MED-0' stands at .* row 0, too"):
        list(read_corpus(str(tmp_path / "c.parquet")))
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "c.parquet")
    assert list(read_corpus(str(tmp_path / "c.parquet"))) == expected
    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=lambda *_: {"corpus": rows}))
    assert list(read_corpus("hf:owner/name")) == expected


@pytest.mark.parametrize(("end", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_packed_files(tmp_path, end, pack):
    data = (DATA / "psgs_w100.tsv").read_bytes()
    (tmp_path / f"p.tsv{end}").write_bytes(pack(data))
    assert list(read_corpus(str(tmp_path / f"p.tsv{end}"))) == list(read_corpus(str(DATA / "psgs_w100.tsv")))
    (tmp_path / f"p.tsv{end}").write_bytes(pack(data * 50)[:-20])
    with pytest.raises(SettingsError, match=rf"p\.tsv{end}"):
        list(read_corpus(str(tmp_path / f"p.tsv{end}")))


@pytest.mark.parametrize(
    ("contents", "title", "text"),
    [('"T"\nx\ny', "T", "x\ny"), ("T\nx", "T", "x"), ("x alone", "", "x alone"), ('"T"\n', "", '"T"\n'),
     ("w " * 200 + "\nx", "", "w " * 200 + "\nx"), ('"a" and "b"\nx', 'a" and "b', "x"), ('"\nx', '"', "x")],
)  # fmt: skip
def test_the_first_line_of_contents_is_the_title(write, contents, title, text):
    (document,) = read_corpus(write({"id": 1, "contents": contents}))
    assert document == Document("1", title, text)


def test_a_title_column_beside_contents(write):
    path = write({"id": 1, "title": "T", "contents": '"T"\nx'}, {"id": 2, "title": "T", "contents": "y\nz"})
    assert [(d.title, d.text) for d in read_corpus(path)] == [("T", "x"), ("T", "y\nz")]


def test_columns_of_other_names_and_rows_without_ids(write):
    path = write({"key": "a", "head": "T", "body": "x"}, {"key": "b", "head": None, "body": "y"})
    named = {"id_column": "key", "title_column": "head", "text_column": "body"}
    assert list(read_corpus(path, **named)) == [Document("a", "T", "x"), Document("b", "", "y")]
    assert [d.id for d in read_corpus(path, text_column="body")] == ["0", "1"]
    with pytest.raises(SettingsError, match=r"id_column is 'nope'; .*own\.jsonl:1 has the columns key, head, body"):
        list(read_corpus(path, id_column="nope"))
    with pytest.raises(SettingsError, match=r"own.jsonl:1 has the columns key, head, body; one of them must be text"):
        list(read_corpus(path))


def test_a_folder_is_read_in_the_order_of_names(write, tmp_path):
    for name in ("b/2.jsonl", "a/9.jsonl", "1.jsonl"):
        write({"id": name, "text": "x"}, name=f"c/{name}")
    write("notes", name="c/README.md")
    write({"id": "hidden", "text": "x"}, name="c/.cache/1.jsonl")
    reading = Reading()
    assert [d.id for d in read_corpus(str(tmp_path / "c"), reading=reading)] == ["1.jsonl", "a/9.jsonl", "b/2.jsonl"]
    assert reading.skipped == {"files of other kinds": 1}
    with pytest.raises(SettingsError, match="that folder contains no file"):
        files_of(str(Path(write("x", name="d/README.md")).parent))


# ---- Wikipedia -----------------------------------------------------------------------------------------------------


def test_wikiextractor_blocks_and_json_lines():
    documents = list(read_corpus(str(DATA / "extracted")))
    assert [(d.id, d.title) for d in documents] == [("12", "Ostrevik"), ("13", "Tolvane & Sons"), ("14", "Quennby")]
    assert documents[0].text == "Ostrevik is a town on the river Varn & its banks.\n\nIts mayor is Mira Tolvane."


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('<doc id="1" title="A">\nx\n<doc id="2" title="B">\ny\n</doc>\n', r"wiki_00:1: .*not closed.*wiki_00:3"),
        ('<doc id="1" title="A">\nx\n', r"wiki_00:1: .*cut off"),
        ('<doc url="u">\nx\n</doc>\n', r"wiki_00:1: .*id and"),
        ('<doc id="1" title="A">\nx\n</doc>\nstray\n', r"wiki_00:4: 'stray' stands outside"),
    ],
)
def test_broken_blocks_are_named(write, lines, message):
    with pytest.raises(SettingsError, match=message):
        list(read_corpus(write(lines, name="wiki_00")))


@pytest.mark.parametrize("end", ["", ".bz2"])
def test_a_dump_gives_its_articles_and_counts_the_rest(tmp_path, end):
    data = (DATA / "pages-articles.xml").read_bytes()
    path = tmp_path / f"pages-articles.xml{end}"
    path.write_bytes(bz2.compress(data) if end else data)
    reading = Reading()
    town, mayor = read_corpus(str(path), reading=reading)
    assert (town.id, town.title) == ("12", "Ostrevik") and mayor.text == "Mira Tolvane was born in Quennby."
    assert town.text == "Ostrevik is a town on the Varn. Its mayor is Mira Tolvane.\nTrade\nsalt & fish"
    assert reading.skipped == {"redirects": 1, "pages outside of the main namespace": 1, "pages without prose": 1}


def test_a_broken_dump_is_named(write):
    text = (DATA / "pages-articles.xml").read_text()
    cut = write(text[: text.index("<title>Mira")], name="cut.xml")
    with pytest.raises(SettingsError, match=r"cut\.xml:46: no element found"):
        list(read_corpus(cut))
    reading = Reading("skip")
    assert len(list(read_corpus(cut, reading=reading))) == 1 and reading.num_problems == 1
    with pytest.raises(SettingsError, match=r"no_id\.xml:10: the page must have an id and a title"):
        list(read_corpus(write(text.replace("<id>12</id>", ""), name="no_id.xml")))
    bomb = '<?xml version="1.0"?><!DOCTYPE m [<!ENTITY a "aa">]><mediawiki><page>&a;</page></mediawiki>'
    with pytest.raises(SettingsError, match=r"bomb\.xml:1: it defines its own entities"):
        list(read_corpus(write(bomb, name="bomb.xml")))


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("'''A''' is ''b''.", "A is b."), ("[[A]]s and [[B|c]] [[:Category:D]]", "As and c Category:D"),
        ("x {{a|{{b}}|[[c]]}} y", "x y"), ("x<ref>r</ref>, y<ref name=z />.", "x, y."), ("a<!-- [[ -->b", "ab"),
        ("[[File:a.jpg|thumb|the [[b|c]] d]]x", "x"), ("[[Category:A]]", ""), ("a<br/>b", "a\nb"),
        ("H<sub>2</sub>O &amp; &lt;b&gt;", "H2O & <b>"), ("{|\n|a||b\n|}\nafter", "after"),
        ("{{x|{{!}}|}}kept", "kept"), ("== A ==\n=== B ===\nx\n== C ==\n", "A\nB\nx"), ("a ({{ipa}}) b", "a b"),
        ("[https://x.y shown] [http://z] end", "shown end"), ("* a\n** b\n----\n# c", "a\nb\nc"),
        ("x <math>\\frac{a}{b}</math> y __TOC__", "x y"), ("{{ never closed [[b]] c", "never closed b c"),
        ("a ]] b }} c </ref> d |} e", "a b c d |} e"), ("<ref>x [[a</ref> b", "b"), ("[[a|[[b|c]] d]]", "c d"),
    ],
)  # fmt: skip
def test_markup_becomes_prose(markup, text):
    assert plain_text(markup) == text


@pytest.mark.parametrize(
    "piece",
    [
        "{{",
        "[[",
        "{{[[",
        "<ref",
        "<ref>",
        "<!--",
        "[//a ",
        "(",
        "'",
        "\n{|",
        "\n|}",
        "=",
        "[[a|",
        "[[File:",
        "&",
        "<br ",
        "__A",
        " ",
        "}}",
        "[[a]]",
        "{{a}}",
        "\n==",
    ],
)
def test_any_markup_takes_linear_time(piece):
    assert growth(lambda length: plain_text((piece * length)[:length]), 4_000, 32_000) < 24  # quadratic would be 64


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(["{{", "}}", "[[", "]]", "{|", "\n|}", "<ref>", "</ref>", "|", "a", "\n", "=", "File:"]))
)
def test_any_markup_is_read(pieces):
    assert not {"{{", "}}", "[[", "]]", "<ref>"} & set(plain_text("".join(pieces)).split())


# ---- passages ------------------------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(st.integers(0, 60), st.integers(1, 12), st.data())
def test_passages_cover_the_text(num_words, words, data):
    overlap = data.draw(st.integers(0, words - 1))
    text = " ".join(map(str, range(num_words)))
    parts = [p.text.split() for p in passages([Document("d", "T", text)], words, overlap)]
    assert parts[0] + [w for part in parts[1:] for w in part[overlap:]] == text.split()
    assert all(len(part) == words for part in parts[:-1]) and len(parts[-1]) <= words
    assert all(part[:overlap] == before[-overlap:] for before, part in itertools.pairwise(parts)) if overlap else True
    assert len(parts) == 1 or len(parts[-1]) > overlap


def test_passages_keep_id_title_and_spacing(write):
    path = write({"id": "d", "title": "T", "text": "a  b\nc d"})
    assert list(read_corpus(path, chunk_words=3, overlap=1)) == [
        Document("d#0", "T", "a  b\nc"), Document("d#1", "T", "c d"),
    ]  # fmt: skip
    for bad in ({"chunk_words": 3, "overlap": 3}, {"chunk_words": -1}, {"overlap": 1}):
        with pytest.raises(SettingsError, match="chunk_words"):
            read_corpus(path, **bad)


# ---- what is wrong -------------------------------------------------------------------------------------------------

GOOD = {"id": "g", "title": "T", "text": "x"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": 1', "not JSON"), ("[1]\n", "row 1 .*object"), ({"id": "b", "title": "T"}, "'text' is 'None'"),
        ({"title": "T", "text": "x"}, "'id'"), ({"id": True, "text": "x"}, "'id'"), ({"id": " ", "text": "x"}, "'id'"),
        ({"id": "b", "title": 7, "text": "x"}, "'title' is '7'"), ({"id": "b", "title": "", "text": " "}, "neither"),
        ({"id": "b", "text": "\ud800"}, "UTF-8"),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_used_are_named(write, line, message):
    lines = [GOOD, "\n", line, "\n", {**GOOD, "id": "h"}]
    path = write(*lines)
    with pytest.raises(SettingsError, match=rf"own\.jsonl:3: .*{message}"):
        list(read_corpus(path))
    reading = Reading("skip")
    assert [d.id for d in read_corpus(path, reading=reading)] == ["g", "h"]
    assert (reading.num_problems, reading.problems[0].where) == (1, f"{path}:3")


def test_all_problems_are_told_at_once(write):
    rows = [{"id": i, "text": "x" if i % 2 else None} for i in range(20)]
    path = write(*rows, {"id": 3, "text": "again"})
    with pytest.raises(SettingsError) as caught:
        list(read_corpus(path, reading=Reading("collect", limit=8)))
    assert str(caught.value).splitlines()[0] == "11 rows cannot be used"
    assert f"{path}:19: " not in str(caught.value) and "and 3 more" in str(caught.value)
    with pytest.raises(SettingsError, match=rf":21: the id '3' stands at {path}:4, too"):
        list(read_corpus(path, reading=Reading("collect")))
    with pytest.raises(SettingsError, match="the id '3'"):  # the first has been given away: skipping comes too late
        list(read_corpus(path, reading=Reading("skip")))
    with pytest.raises(SettingsError, match="on_error is 'ignore'"):
        Reading("ignore")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"id\ttext\n1\tx\n2\ty\tz\n", r"a\.tsv:3: there are 3 cells, and 2 columns"),
        ("b.tsv", b'id\ttext\n1\t"x\n2\ty\n', r"b\.tsv:2: .*quotes"),
        ("c.csv", b"id,id\n1,2\n", r"c\.csv:1: .*own name"),
        ("d.csv", b'id,text\n1,"a"b\n', r"d\.csv:2"),
        ("e.json", b'[{"id": 1, "text": "x"},\n\n {"id": 2, oops}]', r"e\.json:3"),
        ("f.json", b'[{"id": 1, "text": "x"}\n {"id": 2}]', r"f\.json:2.*',' expected"),
        ("g.json", b'{"a": 1}', "one such list"),
        ("h.json", b'{"a": [{"id": 1, "text": "x"}], "b": []}', "one such list"),
        ("i.jsonl", b'{"id": 1}\n\xff\n', r"i\.jsonl:1"),
        ("j.jsonl", b'{"id": 1, "text": "x"}\n{"id": "\xff"}\n', r"j\.jsonl:2: .*not UTF-8"),
        ("k.json", b'[\n"\xff"]', r"k\.json:2.*UTF-8"),
        ("l.json", b'[{"id": 1, "text": "x"}] 7', r"l\.json:1.*extra data"),
        ("m.csv", b"id,text\n1,\xff\n", r"m\.csv:2"),
        ("n.txt", b"no corpus", "no known kind"),
        ("o.jsonl.gz", b"no gzip", "o.jsonl.gz"),
        ("p.json", b"", "list of objects|not JSON"),
    ],
)
def test_broken_files_are_named(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SettingsError, match=message) as caught:
        list(read_corpus(str(tmp_path / name)))
    assert name in str(caught.value)


def test_missing_files_and_other_formats_are_named(write, tmp_path):
    with pytest.raises(SettingsError, match="it does not exist"):
        list(read_corpus(str(tmp_path / "none.jsonl")))
    with pytest.raises(SettingsError, match="'jsonl', and format is 'wikipedia'"):
        list(read_corpus(write(GOOD), format="wikipedia"))
    with pytest.raises(SettingsError, match="format is 'docx'"):
        read_corpus(write(GOOD), format="docx")


def test_lines_of_json_lists_and_objects(write):
    pretty = json.dumps({"version": [1][0], "data": [{"id": i, "text": "x\ny"} for i in range(3)]}, indent=1)
    wheres = [located.where.rsplit(":", 1)[1] for located in read_located(write(pretty, name="a.json"))]
    assert [pretty.splitlines()[int(n) - 1].strip() for n in wheres] == ["{"] * 3 and len(set(wheres)) == 3
    lines = write({"id": 1, "text": "x"}, {"id": 2, "text": "y"}, name="lines.json")  # JSONL by another name
    assert [located.where for located in read_located(lines)] == [f"{lines}:1", f"{lines}:2"]
    assert [r.row["id"] for r in read_located(write("\ufeff" + json.dumps(GOOD), name="bom.jsonl"))] == ["g"]


def test_rows_are_given_before_the_next_are_read(write):
    documents = read_corpus(write({"id": 1, "text": "x"}, {"id": 2, "text": "y"}, "{broken\n"))
    assert [next(documents).id, next(documents).id] == ["1", "2"]
    with pytest.raises(SettingsError, match=":3: "):
        next(documents)
