"""The mutation engine, the workspace and the library of programs."""

import ast
import difflib
import doctest
import inspect
import itertools
import random
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.draw import Draw
from turnwise.worlds.programs.faults import mutations as _mutations
from turnwise.worlds.programs.faults.mutations import HUMAN, KINDS, applied, edits, functions, mutants, unimplemented
from turnwise.worlds.programs.library import programs as _library
from turnwise.worlds.programs.library.names import Names
from turnwise.worlds.programs.library.programs import ALL, Part, draw_key, part_of, program_of
from turnwise.worlds.programs.library.run import Call, Compiled, Running
from turnwise.worlds.programs.library.units import filled
from turnwise.worlds.programs.library.values import VALUES
from turnwise.worlds.programs.repositories import workspace as _workspace

REAL = [
    Path(sys.modules[name].__file__).read_text() for name in ("textwrap", "bisect", "keyword", "fnmatch", "reprlib")
]
SMALL = """
def find(items, wanted, start=0, *, last=True):
    \"\"\"Where it is: -1 if not there.\"\"\"
    # é before a change
    total = 0
    best = {}
    for i in range(start, len(items)):
        if not items[i] and last or items[i + 1] <= wanted:
            total += max(i, start)
        else:
            best["here"] = items[1:].copy()
    if total == 0:
        raise ValueError(wanted)
    found = best["here"] if last else best.get("there", pair(total, i))
    best["there"] = found
    items.append(total)
    return found


def count(values):
    seen = 0
    for value in values:
        seen = seen + 1
    return seen
"""


@pytest.mark.parametrize("module", [_mutations, _workspace, _library])
def test_doctests(module):
    assert doctest.testmod(module).failed == 0


def test_every_kind_of_fault_is_found():
    assert {edit.kind for edit in edits(SMALL)} == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("boundary", "        if not items[i] and last or items[i + 1] < wanted:"),
        ("missing_not", "        if items[i] and last or items[i + 1] <= wanted:"),
        ("logic", "        if not items[i] or last or items[i + 1] <= wanted:"),
        ("off_by_one", "    for i in range(start, len(items) - 1):"),
        ("arguments", "            total += max(start, i)"),
        ("function", "            total += min(i, start)"),
        ("augmented", "            total = max(i, start)"),
        ("aliasing", '            best["here"] = items[1:]'),
        ("branches", '    found = best.get("there", pair(total, i)) if last else best["here"]'),
        ("key", "    best['here'] = found"),
        ("default", "def find(items, wanted, start=1, *, last=True):"),
        ("exception", "        return None"),
        ("negated", '    found = best["here"] if not last else best.get("there", pair(total, i))'),
        ("initial", "    seen = 1"),
        ("early_return", "        return seen"),
        ("operator", "        seen = seen - 1"),
        ("missing_return", "    seen"),
        ("variable", "            total += max(i, wanted)"),
    ],
)
def test_the_faults_are_those_that_people_make(kind, line):
    lines = [applied(SMALL, [edit]).split("\n") for edit in edits(SMALL, [kind])]
    assert any(line in changed for changed in lines), sorted(
        {c for found in lines for c in found} - {*SMALL.split("\n")}
    )


def test_dropped_statements_leave_no_trace():
    sources = [applied(SMALL, [edit]) for edit in edits(SMALL, ["dropped", "base_case"])]
    assert any("items.append" not in source for source in sources)
    assert any("ValueError" not in source for source in sources)
    assert all(len(source.splitlines()) <= len(SMALL.splitlines()) for source in sources)


@pytest.mark.parametrize("source", [SMALL, *REAL], ids=range(len(REAL) + 1))
def test_mutants_of_real_sources_are_other_programs_with_all_else_in_place(source):
    tree = ast.dump(ast.parse(source))
    docs = {f.doc for f in functions(source)}
    for mutant, _ in zip(mutants(source, Draw.of(random.Random(1).random)), range(25), strict=False):
        assert ast.dump(ast.parse(mutant.source)) != tree, mutant.edit
        assert mutant.source == applied(source, [mutant.edit])
        assert {f.doc for f in functions(mutant.source)} == docs
        changed = [x for x in difflib.ndiff(source.split("\n"), mutant.source.split("\n")) if x[0] in "+-"]
        if mutant.kind not in ("dropped", "base_case", "branches", "arguments"):
            assert len(changed) <= 2 * (1 + source[mutant.edit.start : mutant.edit.end].count("\n")), changed


def test_the_order_is_drawn_and_nothing_else():
    one = [m.edit for m in mutants(SMALL, Draw.of(random.Random(5).random))]
    assert one == [m.edit for m in mutants(SMALL, Draw.of(random.Random(5).random))]
    assert one != [m.edit for m in mutants(SMALL, Draw.of(random.Random(6).random))]
    assert sorted(one) == edits(SMALL)
    only = list(mutants(SMALL, Draw.of(random.Random(5).random), ["boundary"], lines=[8]))
    assert [(m.kind, m.line) for m in only] == [("boundary", 8)]
    with pytest.raises(ValueError, match="no_such"):
        edits(SMALL, ["no_such"])
    with pytest.raises(SyntaxError):
        next(mutants("def f(:", Draw.of(random.Random(1).random)))


@given(st.text(alphabet="abc \n\t()=:+é#'\"\\\r\f\x00", max_size=60))
@settings(max_examples=60)
def test_any_text_is_read_or_refused(text):
    try:
        found = edits(f"def f(a, b):\n    return a < b  # {text}\n")
    except (SyntaxError, ValueError):
        return
    for edit in found:
        assert edit.start < edit.end or edit.text


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_places_are_right_after_wide_characters_and_any_line_end(newline):
    source = newline.join(["def f(a, b):", "    s = 'é𝟙' if a < b else '\u2028'", "    return s", ""])
    changed = {applied(source, [edit]) for edit in edits(source, ["boundary", "branches"])}
    assert changed == {
        source.replace("<", "<="),
        source.replace("'é𝟙' if a < b else '\u2028'", "'\u2028' if a < b else 'é𝟙'"),
    }


def test_a_function_is_taken_out_and_its_docstring_stays():
    source = unimplemented(SMALL, "find").source
    space: dict = {}
    exec(source, space)
    with pytest.raises(NotImplementedError):
        space["find"]([], 1)
    assert inspect.cleandoc(space["find"].__doc__) == "Where it is: -1 if not there."
    assert space["count"]([1, 2]) == 2
    with pytest.raises(ValueError, match="no function 'lost'"):
        unimplemented(SMALL, "lost")
    with pytest.raises(ValueError, match="body"):
        unimplemented("def f(): return 1\n", "f")


def test_edits_that_overlap_are_refused():
    one = next(e for e in edits(SMALL, ["augmented"]))
    with pytest.raises(ValueError, match="overlap"):
        applied(SMALL, [one, one])


# ---- the workspace ------------------------------------------------------------------------------------------------


def test_edits_must_be_of_one_place():
    files = {"a.py": "x = 1\ny = 1\nz = 2\n"}
    for old, new, why in [
        ("", "q", "empty"),
        ("1", "2", "more than once"),
        ("w", "v", "does not occur"),
        ("x = 1", "x = 1", "same"),
        ("z = 2", "z" * 300_000, "at most"),
        ("z", "\udfff", "no text"),
    ]:
        with pytest.raises(ValueError, match=why):
            _workspace.edit(files, "a.py", old, new)
    assert _workspace.edit(files, "./a.py", "y = 1", "") == "a.py, line 2: replaced."
    assert files == {"a.py": "x = 1\nz = 2\n"}
    with pytest.raises(ValueError, match="line 1: '    x = 1'"):
        _workspace.edit({"b": "    x = 1\n"}, "b", "\tx = 1", "x = 2")
    with pytest.raises(ValueError, match="may not be changed"):
        _workspace.edit(files, "a.py", "x", "y", kept=["a.py"])


@pytest.mark.parametrize(
    "path",
    ["../../etc/passwd", "/etc/passwd", "a/../b", "", ".", "a//b", "a\0b", "a\nb", "C:\\x", "x" * 300, "é" * 150],
)
def test_paths_stay_inside(path):
    files = {"a.py": "1\n"}
    for call in (_workspace.view, _workspace.delete):
        with pytest.raises(ValueError, match=r"path|no file"):
            call(files, path)
    with pytest.raises(ValueError, match="path"):
        _workspace.write(files, path, "x")
    assert files == {"a.py": "1\n"}


def test_files_are_made_shown_searched_and_deleted():
    files = {"a.py": "one\ntwo\nthree"}
    assert _workspace.write(files, "lib/b.py", "two") == "lib/b.py: written, 1 lines."
    with pytest.raises(ValueError, match="in its way"):
        _workspace.write(files, "lib", "x")
    with pytest.raises(ValueError, match="in its way"):
        _workspace.write(files, "a.py/c", "x")
    assert _workspace.list_files(files) == "a.py (3 lines)\nlib/b.py (1 lines)"
    assert _workspace.list_files(files, "lib") == "lib/b.py (1 lines)"
    assert _workspace.search(files, "tw") == "a.py:2: two\nlib/b.py:1: two"
    assert _workspace.view(files, "a.py", 2, 99) == "a.py, lines 2 to 3 of 3:\n2\ttwo\n3\tthree"
    with pytest.raises(ValueError, match="lines 1 to 3"):
        _workspace.view(files, "a.py", 4)
    with pytest.raises(ValueError, match=r"did you mean a\.py"):
        _workspace.view(files, "b.py")
    assert _workspace.delete(files, "lib/b.py") == "lib/b.py: deleted."
    assert sorted(files) == ["a.py"]


LINES = st.lists(st.sampled_from(["a", "b", "    c", "", "d = 1", "a"]), min_size=1, max_size=12)


@given(LINES, LINES)
@settings(max_examples=150)
def test_changes_lead_from_one_text_to_the_other(one, other):
    before, after = "\n".join([*one, "end", ""]), "\n".join([*other, "end", ""])
    files = {"f": before}
    found = _workspace.changes(files, {"f": after})
    for change in found:
        _workspace.edit(files, *change)
    assert files["f"] == after or not found


def test_most_faults_are_mended_by_short_changes():
    told = 0
    for source in REAL[:2]:
        for mutant, _ in zip(mutants(source, Draw.of(random.Random(2).random)), range(30), strict=False):
            files = {"f.py": mutant.source}
            for change in _workspace.changes(files, {"f.py": source}):
                assert change.old.count("\n") < 25
                _workspace.edit(files, *change)
            told += files["f.py"] == source
    assert told == 30 * 2


# ---- the library --------------------------------------------------------------------------------------------------


def _part(number: int, variant: int) -> Part:
    """A unit in a behaviour, with those that it uses in their first."""
    names = [unit.name for unit in ALL]
    return part_of(number, variant, tuple((names.index(name), 0) for name in ALL[number].uses))


def test_every_behaviour_of_every_unit_is_another_sound_program():
    draw = Draw.of(random.Random(1).random)
    for number, unit in enumerate(ALL):
        texts = {filled(unit, variant) for variant in range(unit.num_variants)}
        assert len(texts) == unit.num_variants
        assert not any("$" in text or any(len(line) > 120 for line in text.split("\n")) for text in texts)
        part = _part(number, draw.below(unit.num_variants))
        for call, (what, value) in zip(part.calls, part.expected, strict=True):
            assert what == "returned" or value == "ValueError", (call.function, call.args, value)
        for name in part.signatures:
            answers = {repr(o) for c, o in zip(part.calls, part.expected, strict=True) if c.function.endswith(name)}
            assert len(answers) > 1, f"{unit.name}.{name} always answers the same"


def test_behaviours_differ_where_their_descriptions_do():
    for number, unit in enumerate(ALL):
        some = [_part(number, variant) for variant in range(min(unit.num_variants, 6))]
        for one, other in itertools.pairwise(some):
            draw = Draw.of(random.Random(3).random)
            a, b = (Running({p.name: p.compiled.codes() for p in (*part.beside, part)}) for part in (one, other))
            calls = [_library.draw_call(draw, one, name) for _ in range(60) for name in one.signatures]
            assert any(a.outcome(call) != b.outcome(call) for call in calls), (unit.name, one.source, other.source)


def test_other_names_make_the_same_program():
    draw = Draw.of(random.Random(4).random)
    stems: set[str] = set()
    for number in range(40):
        program = program_of(draw_key(draw, 1 + number % 4))
        names = Names(program, draw)
        files = names.files(program.files)
        shown = {name: (path := f"{names.file(name)}.py", files[path]) for name in program.files}
        assert Names.seen(program, shown).files(program.files) == files
        stems |= {path.removesuffix(".py") for path in files}
        renamed = Running({path.removesuffix(".py"): Compiled(text).codes() for path, text in files.items()})
        right = program.running()
        for call in program.calls[::3]:
            assert renamed.outcome(Call(names.function(call.function), call.data)) == right.outcome(call)
    assert not stems & set(sys.stdlib_module_names)


def test_names_of_files_are_never_taken_twice():
    files = [name for unit in ALL for name in (unit.name, *unit.names[unit.name])]
    assert len(set(files)) == len(files)
    assert not set(files) & set(sys.stdlib_module_names)
    assert "program" not in files, "the sandbox calls the main program so"


def test_what_is_run_here_ends_and_cannot_change_its_arguments():
    loops = Compiled(
        "def f(x):\n    x.append(1)\n    while True:\n        pass\n\n\ndef g(x):\n    x.append(1)\n    return x\n"
    )
    running = Running({"m": loops.codes()})
    call = Call.of("m.g", ([0],))
    assert running.outcome(Call.of("m.f", ([],))) == ("endless", None)
    assert running.outcome(call) == running.outcome(call) == ("returned", [0, 1])
    assert Running({"m": Compiled("def f():\n    return f").codes()}).outcome(Call.of("m.f", ()))[1] is NotImplemented


def test_arguments_are_plain_data_drawn_anew():
    for kind, draw_value in VALUES.items():
        one, other = draw_value(Draw.of(random.Random(1).random)), draw_value(Draw.of(random.Random(1).random))
        assert one == other, kind
        assert Call.of("f", (one,)).args == (one,)


HUMAN_FAULTS = [
    ("len(set(a))", "len(a)"), ("(a + b) // c", "a + b // c"), ("-(-a // b)", "a // b"), ("a * -(-(a + b) // c)",
    "a * ((a + b) // c)"),
    ("a.partition(b)", "a.rpartition(b)"),
    ("a // b", "int(a / b)"), ("(a - b) % c", "abs(a - b) % c"), ("a is None", "not a"), ("a is not None", "a"),
    ("a not in b", "not b.get(a)"), ("a.get(b, 0)", "a.get(b, 1)"), ("[x for x in sorted(a)]", "[x for x in a]"),
    ("sorted(a, key=lambda x: (-x[1], x[0]))", "sorted(a, key=lambda x: -x[1])"), ("a.lower()", "a"),
    ("max(a, key=lambda x: (b, -c))", "max(a, key=lambda x: (b, c))"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong"), HUMAN_FAULTS)
def test_faults_that_people_make_in_expressions(right, wrong):
    source = f"def f(a, b, c):\n    return {right}\n"
    assert f"def f(a, b, c):\n    return {wrong}\n" in {applied(source, [e]) for e in edits(source, HUMAN)}


STATEMENTS = """def f(rows, least):
    \"\"\"Doc.\"\"\"
    found = []
    for row in rows:
        total = 0
        for value in row:
            if value < least:
                continue
            elif value == 9:
                total += 1
            total += value
            least = value
        found.append(total)
    return found
"""


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("mutable_default", 'def f(rows, least, found=[]):\n    """Doc."""\n    for row in rows:\n'),
        ("reset", "    for row in rows:\n        found = []\n        total = 0\n"),
        ("reset", "    found = []\n    total = 0\n    for row in rows:\n        for value in row:\n"),
        ("order", "            least = value\n            total += value\n"),
        ("elif", "            if value == 9:\n"),
        ("jump", "                break\n"),
    ],
)
def test_faults_that_people_make_in_statements(kind, wrong):
    changed = [applied(STATEMENTS, [edit]) for edit in edits(STATEMENTS, (kind,))]
    assert any(wrong in text for text in changed)
    for text in changed:
        compile(text, "changed", "exec")
