"""Index folders: built once, swapped in whole, refused when stale, damaged, of another engine or format."""

import json
import multiprocessing
import os
import shutil
from pathlib import Path

import pytest

from turnwise.cli.retrieval import Index, index_main
from turnwise.core.errors import SettingsError
from turnwise.core.files import locked
from turnwise.retrieval.base import Document
from turnwise.retrieval.index import build
from turnwise.retrieval.index.build import build_index, describe, open_index

DATA = Path(__file__).parents[1] / "data" / "search"


@pytest.fixture
def corpus(tmp_path):
    """The path of a corpus, which `rewrite` changes."""
    path = tmp_path / "corpus.jsonl"
    rewrite(path)
    return str(path)


def rewrite(path, number=40, word="town"):
    rows = [{"id": f"d{n}", "title": f"T{n}", "text": f"the {word} number {n} of Norland"} for n in range(number)]
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


def found(retriever, query, k=3):
    return [hit.document.id for hit in retriever.search([query], k)[0]]


def no_build(*_, **__):
    raise AssertionError("it was built again")


@pytest.mark.parametrize("engine", ["bm25", "tantivy"])
def test_an_index_is_built_opened_and_describes_itself(corpus, tmp_path, engine):
    if engine == "tantivy":
        pytest.importorskip("tantivy", reason="needs the extra search")
    info = build_index(corpus, tmp_path / "i", engine)
    assert describe(tmp_path / "i") == info
    assert (info.engine, info.documents, info.source.path) == (engine, 40, corpus)
    assert info.source.bytes == os.path.getsize(corpus) and info.source.mtime_ns == os.stat(corpus).st_mtime_ns
    retriever = open_index(tmp_path / "i", corpus, engine=engine, verify=True)
    assert found(retriever, "number 17")[0] == "d17" and found(retriever, "T5") == ["d5"]
    assert retriever.document("d7") == Document("d7", "T7", "the town number 7 of Norland")


def test_an_index_is_built_once(corpus, tmp_path, monkeypatch):
    first = build_index(corpus, tmp_path / "i", k1=0.9)
    with monkeypatch.context() as patch:
        patch.setattr(build, "write_corpus", no_build)
        assert build_index(corpus, tmp_path / "i", k1=0.9) == first
        os.utime(corpus, (1, 1))  # no change of content
        assert build_index(corpus, tmp_path / "i", k1=0.9) == first
        for changed in ({"k1": 1.0}, {"chunk_words": 3}, {"rebuild": True}):
            with pytest.raises(AssertionError, match="built again"):
                build_index(corpus, tmp_path / "i", **{"k1": 0.9, **changed})
    assert build_index(corpus, tmp_path / "i", chunk_words=3).documents == 80
    rewrite(corpus, 41)
    assert build_index(corpus, tmp_path / "i").documents == 41
    assert sorted(p.name for p in (tmp_path / "i").iterdir()) == [".lock", "manifest.json", "turnwise-3"]


def test_two_builds_are_the_same_bytes(corpus, tmp_path):
    for name in ("a", "b"):
        build_index(corpus, tmp_path / name)
    files = sorted(p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*") if p.is_file())
    assert len(files) > 8
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file


def test_an_index_of_another_corpus_is_stale(corpus, tmp_path):
    build_index(corpus, tmp_path / "i", chunk_words=4, overlap=1, k1=0.8)
    copy = tmp_path / "copy.jsonl"
    shutil.copyfile(corpus, copy)
    assert found(open_index(tmp_path / "i", str(copy)), "17")  # the same content by another name
    rewrite(corpus, word="city")  # of the same length
    for source in (None, corpus):
        with pytest.raises(SettingsError, match=r"stale; build it by: turnwise index \S+corpus.jsonl \S+i ") as caught:
            open_index(tmp_path / "i", source)
    command = str(caught.value).partition("build it by: turnwise index ")[2].split()
    assert command[2:] == ["--engine", "bm25", "--chunk-words", "4", "--overlap", "1", "--k1", "0.8"]
    os.remove(corpus)
    assert found(open_index(tmp_path / "i"), "17")  # an index can go without its corpus
    with pytest.raises(SettingsError, match="it does not exist"):
        open_index(tmp_path / "i", corpus)


def test_a_corpus_in_a_folder_is_stale_with_any_file(tmp_path):
    shutil.copytree(DATA / "extracted", tmp_path / "c")
    info = build_index(str(tmp_path / "c"), tmp_path / "i")
    assert info.documents == 3 and found(open_index(tmp_path / "i"), "mayor") == ["12"]
    (tmp_path / "c" / "AA" / "wiki_02").write_text('{"id": "15", "title": "New", "text": "x"}\n')
    with pytest.raises(SettingsError, match="stale"):
        open_index(tmp_path / "i")


@pytest.mark.parametrize("name", ["documents.bin", "starts.npy", "impacts.npy", "manifest.json"])
@pytest.mark.parametrize("damage", ["cut", "gone", "flipped"])
def test_damaged_files_are_named(corpus, tmp_path, name, damage):
    build_index(corpus, tmp_path / "i")
    for file in [*(tmp_path / "i").rglob(name)]:
        data = file.read_bytes()
        if damage == "gone":
            file.unlink()
        else:
            flipped = data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]
            file.write_bytes(data[: len(data) // 2] if damage == "cut" else flipped)
        with pytest.raises(SettingsError, match=name) as caught:
            open_index(tmp_path / "i", verify=damage == "flipped")
        known = "CORPUS" if file == tmp_path / "i" / "manifest.json" else corpus
        assert f"turnwise index {known} {tmp_path / 'i'}" in str(caught.value)
        file.write_bytes(data)
        assert found(open_index(tmp_path / "i", verify=True), "17")
    if damage != "flipped":  # what is found to be damaged is built again
        file.write_bytes(b"")
        build_index(corpus, tmp_path / "i")
        assert found(open_index(tmp_path / "i", verify=True), "17")


def test_other_engines_formats_and_folders_are_refused(corpus, tmp_path, monkeypatch):
    build_index(corpus, tmp_path / "i")
    with pytest.raises(SettingsError, match=r"engine 'bm25', not 'dense'; build it by: turnwise index"):
        open_index(tmp_path / "i", engine="dense")
    monkeypatch.setattr(build, "VERSION", 2)
    with pytest.raises(SettingsError, match=r"has format 1 .* reads 2"):
        open_index(tmp_path / "i")
    monkeypatch.undo()
    with pytest.raises(SettingsError, match=r"turnwise index CORPUS \S+none"):
        open_index(tmp_path / "none")
    mine = tmp_path / "mine"
    mine.mkdir()
    for name in ("notes.txt", "manifest.json"):
        (mine / name).write_text("{}")
        with pytest.raises(SettingsError, match=name):
            build_index(corpus, mine)
        assert [p.name for p in mine.iterdir()] == [name]
        (mine / name).unlink()
    with pytest.raises(SettingsError, match="cannot be written"):
        build_index(corpus, corpus)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"engine": "lucene"}, "engine is 'lucene'"),
        ({"k2": 1}, "engine 'bm25' has no setting 'k2'; it has b, k1"),
        ({"engine": "dense"}, "model is ''"),
        ({"k1": -1}, "k1"),
        ({"chunk_words": 2, "overlap": 2}, "overlap"),
    ],
)
def test_settings_that_cannot_be_used_are_named(corpus, tmp_path, settings, message):
    with pytest.raises(SettingsError, match=message):
        build_index(corpus, tmp_path / "i", **settings)
    assert not list((tmp_path / "i").glob("turnwise-*")) if (tmp_path / "i").exists() else True


def test_a_build_that_fails_leaves_the_old_index(corpus, tmp_path, monkeypatch):
    build_index(corpus, tmp_path / "i")
    before = open_index(tmp_path / "i")
    with open(corpus, "a") as file:
        file.write('{"id": "x"}\n')
    with pytest.raises(SettingsError, match=r"corpus\.jsonl:41: "):
        build_index(corpus, tmp_path / "i")
    assert found(before, "17") and describe(tmp_path / "i").documents == 40
    assert sorted(p.name for p in (tmp_path / "i").iterdir()) == [".lock", "manifest.json", "turnwise-1"]
    info = build_index(corpus, tmp_path / "i", on_error="skip")
    assert (info.documents, info.left_out) == (40, {"rows that cannot be used": 1})
    Path(corpus).write_text("\n")
    with pytest.raises(SettingsError, match="no documents"):
        build_index(corpus, tmp_path / "i")
    rewrite(corpus)

    real = build.write_corpus
    monkeypatch.setattr(build, "write_corpus", lambda *args: (rewrite(corpus, 7), real(*args))[1])
    with pytest.raises(SettingsError, match="changed while it was read"):
        build_index(corpus, tmp_path / "i")


def test_one_process_builds_at_a_time_and_readers_keep_what_they_have(corpus, tmp_path):
    folder = tmp_path / "i"
    build_index(corpus, folder)
    with locked(folder, "building an index in"), pytest.raises(SettingsError, match="another process is building"):
        build_index(corpus, folder)
    old = open_index(folder)
    rewrite(corpus, 60)
    context = multiprocessing.get_context("fork")
    out, stop = context.SimpleQueue(), context.Event()
    reader = context.Process(target=ask_until, args=(folder, stop, out))
    reader.start()
    for _ in range(8):
        build_index(corpus, folder, rebuild=True)
    stop.set()
    asked, errors = out.get()
    reader.join()
    assert errors == [] and asked > 0
    assert len(old.corpus) == 40 and found(old, "39") == ["d39"]
    assert len(open_index(folder).corpus) == 60


def ask_until(folder, stop, out):
    asked, errors = 0, []
    while not asked or not stop.is_set():
        try:
            asked += found(open_index(folder), "17", 1) == ["d17"]
        except Exception as error:
            if "stale" not in str(error):  # until the first build is done, it is
                errors.append(repr(error))
    out.put((asked, errors))


def ask(folder, out):
    out.put(found(open_index(folder), "number 17", 1))


def test_processes_share_an_index(corpus, tmp_path):
    build_index(corpus, tmp_path / "i")
    context = multiprocessing.get_context("fork")
    out = context.SimpleQueue()
    workers = [context.Process(target=ask, args=(tmp_path / "i", out)) for _ in range(3)]
    for worker in workers:
        worker.start()
    assert [out.get() for _ in workers] == [["d17"]] * 3
    for worker in workers:
        worker.join()


def test_the_command_says_what_was_built_and_left_out(tmp_path, capsys):
    lines = []
    options = Index(str(DATA / "pages-articles.xml"), str(tmp_path / "i"))
    assert index_main(options, lines.append) == 0
    assert lines[0].startswith("2 documents of ") and lines[0].endswith(f"the retriever is bm25:{tmp_path / 'i'}")
    assert "left out: 1 redirects" in lines and len(lines) == 4
    assert capsys.readouterr().err == ""  # no terminal, no bar


def test_a_bar_is_shown_where_it_is_wanted(corpus, tmp_path, capsys):
    build_index(corpus, tmp_path / "i", progress=True)
    shown = capsys.readouterr().err
    assert "checking" in shown and "reading" in shown and "indexing (bm25)" in shown and "40/40" in shown
