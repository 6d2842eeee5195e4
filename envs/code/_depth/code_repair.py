"""Agents that repair programs, without understanding them or without reading all; they see only what a model sees.

The shortcuts submit, change the line that a traceback or a test names, or know the tests by heart. One skill tries all
small edits until the visible tests pass, or until more of them do, one after the other for several bugs. The others
read, with limited patience: from the function that the report names they go on to those that it calls, then to the
rest of its file, then to the other files. Of each function that they have read, they know whether it does what its
docstring says, and rewrite it if it does not.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.agent import Agent
from turnwise.worlds.programs.faults.mutations import HUMAN, KINDS, Edit, Function, applied, edits, functions
from turnwise.worlds.programs.library.interface import docstrings
from turnwise.worlds.programs.library.names import Names
from turnwise.worlds.programs.library.programs import ALL, part_of, program_of

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_FILE = re.compile(r"^--- ([a-z_]+\.py)\n(.*?)(?=^--- [a-z_]+\.py\n|\Z)", re.MULTILINE | re.DOTALL)
_CASE = re.compile(r"    got = ([a-z_]+)\.(\w+)\((.*)\)\n    expected = (.*)\n")
_PLACE = re.compile(r"failed \(([a-z_]+\.py), line (\d+)\)")
_FAILED = re.compile(r"^(test_\w+) failed", re.MULTILINE)
_DEFINED = re.compile(r"^def (test_\w+)", re.MULTILINE)
_REPORTED = re.compile(r"^>>> (\w+\.\w+)\(", re.MULTILINE)
_COMPLAINT = re.compile(r"^# .*`(\w+)`", re.MULTILINE)
_SIGN = re.compile(r" (<=|>=|<|>|==|!=) ")
_OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
_LENGTH = re.compile(r"([a-z_]+\.py) \((\d+) lines\)")
_VIEWED = re.compile(r"^(?:<tool_response>)?([a-z_]+\.py), lines \d+ to \d+ of \d+:\n((?:\d+\t.*\n?)+)", re.MULTILINE)
_AT_ONCE = 50  # lines of a file; longer answers of a tool are cut
_SEARCH = r"""
import json, sys, time, types
until = time.monotonic() + 2.2
asked = json.loads(%r)
files = {p: open(p).read() for p in asked["files"]}


class Enough(BaseException):
    pass


def score(texts):
    passed, spent = 0, 0
    def watch(frame, event, arg):
        nonlocal spent
        spent += 1
        if spent > 20000:
            raise Enough
        return watch
    for name in asked["modules"]:
        sys.modules.pop(name, None)
    try:
        for name in asked["modules"]:
            sys.modules[name] = types.ModuleType(name)
        for name in asked["modules"]:
            exec(compile(texts[name + ".py"], name, "exec"), vars(sys.modules[name]))
        space = {}
        exec(compile(texts["tests.py"], "tests", "exec"), space)
    except Exception:  # an edit need not even compile
        return -1
    for name, test in space.items():
        if name.startswith("test_"):
            sys.settrace(watch)
            try:
                test()
                passed += 1
            except Enough:
                return -1
            except Exception:  # the test fails, with whatever the edit makes it raise
                pass
            finally:
                sys.settrace(None)
    return passed


best, found = score(files), None
goal = files["tests.py"].count("def test_")
for number, (path, start, end, text) in enumerate(asked["edits"]):
    if time.monotonic() > until:
        print("REACHED", asked["from"] + number)
        break
    result = score({**files, path: files[path][:start] + text + files[path][end:]})
    if result > best:
        best, found = result, asked["from"] + number
        if best == goal or asked["first"]:
            break
else:
    print("REACHED", asked["from"] + len(asked["edits"]))
print("BEST", best, "OF", goal, "BY", found)
"""


def _files(heard: Sequence[str]) -> dict[str, str]:
    """Return the files as the first message or what was viewed shows them."""
    found = dict(_FILE.findall(heard[0]))
    for text in heard[1:]:
        for path, lines in _VIEWED.findall(text.replace("</tool_response>", "")):
            found[path] = found.get(path, "") + re.sub(r"^\d+\t", "", lines.rstrip("\n") + "\n", flags=re.MULTILINE)
    return found


def _with_files(work: Callable[[Sequence[str], Mapping[str, str], int], str]) -> Callable[[Sequence[str], int], str]:
    """Let an agent read all files first, where they are not shown."""

    def read(heard: Sequence[str], turn: int) -> str:
        shown = "--- " in heard[0]
        if turn == 0 and not shown:
            tests = ['<view path="tests.py"/>'] if "tests.py has some" in heard[0] else []
            return "".join(tests + [
                f'<view path="{path}" start="{start}" end="{start + _AT_ONCE - 1}"/>'
                for path, length in _LENGTH.findall(heard[0])
                for start in range(1, int(length) + 1, _AT_ONCE)
            ])  # fmt: skip
        return work(heard, _files(heard), turn if shown else turn - 1)

    return read


# ---- shortcuts ------------------------------------------------------------------------------------------------------


def _edited(path: str, old: str, new: str) -> str:
    return f'<edit path="{path}"><old>\n{old}\n</old><new>\n{new}\n</new></edit><submit/>'


def _flip(heard: Sequence[str], files: Mapping[str, str], turn: int) -> str:
    """Turn the first comparison of the function that the first failing test calls."""
    cases = _CASE.findall(files.get("tests.py", ""))
    if turn == 0 and cases:
        return "<test/>"
    failed = _FAILED.search(heard[-1])
    defined = _DEFINED.findall(files.get("tests.py", ""))
    module, name, *_ = cases[defined.index(failed[1])] if failed and cases else ("", "")
    for line in _body(files.get(f"{module}.py", ""), name):
        sign = _SIGN.search(line)
        if sign:
            return _edited(f"{module}.py", line, line[: sign.start(1)] + _OTHER[sign[1]] + line[sign.end(1) :])
    return "<submit/>"


def _body(source: str, name: str) -> list[str]:
    for function in functions(source) if source else ():
        if function.name == name:
            return source.split("\n")[function.line : function.end_line]
    return []


def _traceback(heard: Sequence[str], files: Mapping[str, str], turn: int) -> str:
    """Make the first small edit of the line that a traceback names."""
    if turn == 0 and "tests.py" in files:
        return "<test/>"
    for path, number in _PLACE.findall(heard[-1]):
        found = [e for e in edits(files[path], KINDS) if e.line == int(number)] if path in files else []
        if path != "tests.py" and found:
            return f'<write path="{path}">\n{applied(files[path], found[:1])}</write><submit/>'
    return "<submit/>"


def _by_heart(heard: Sequence[str], files: Mapping[str, str], turn: int) -> str:
    """Give the expected values for the arguments of the visible tests, and what was returned before for others."""
    written = []
    for path in sorted(files):
        known = [(name, args, value) for module, name, args, value in _CASE.findall(files.get("tests.py", ""))
                 if f"{module}.py" == path]  # fmt: skip
        more = "".join(
            f"\n\n_kept_{n} = {name}\n\n\ndef {name}(*args):\n    return ({value}) if args == ({args},) else "
            f"_kept_{n}(*args)\n"
            for n, (name, args, value) in enumerate(known)
        )
        written += [f'<write path="{path}">\n{files[path]}{more}</write>'] if known else []
    return "".join(written) + "<submit/>"


# ---- skills ---------------------------------------------------------------------------------------------------------


def _candidates(files: Mapping[str, str]) -> list[tuple[str, Edit]]:
    """Return the small edits of the program."""
    found: list[tuple[str, Edit]] = []
    for path in sorted(files.keys() - {"tests.py"}):
        found += [(path, edit) for edit in edits(files[path], sorted({*KINDS, *HUMAN}))]
        found += [(path, edit) for edit in _undone(files[path])]
    return found


def _undone(source: str) -> list[Edit]:
    """Return edits that undo what the others do: sums that are only assigned, returns too far to the right."""
    found = []
    for match in re.finditer(r"^ +[\w.\[\]]+ (=) |^( {4}) {4,}return", source, re.MULTILINE):
        (start, end), text = (match.span(1), "+=") if match[1] else (match.span(2), "")
        found.append(Edit(start, end, text, "undone", source.count("\n", 0, start) + 1, ""))
    return found


def _try_edits(heard: Sequence[str], files: Mapping[str, str], turn: int) -> str:
    """Search the candidates in some messages; apply the best edit that was found, and search again if tests fail."""
    if "tests.py" not in files:
        return "<submit/>"
    files, start, done = dict(files), 0, False
    for text in heard[1:]:
        best = re.search(r"BEST (-?\d+) OF (\d+) BY (\d+|None)", text)
        if best is None:
            continue
        reached = re.search(r"REACHED (\d+)", text)
        start = int(reached[1]) if reached else start
        if best[3] != "None":
            path, edit = _candidates(files)[int(best[3])]
            files[path], start = applied(files[path], [edit]), 0
        done = best[1] == best[2]
    found = _candidates(files)
    turns = int((re.search(r"You have (\d+) messages", heard[0]) or ["", "8"])[1])
    if done or start >= len(found) or len(heard) >= turns:
        given = _files(heard)
        return "".join(f'<write path="{p}">\n{files[p]}</write>' for p in files if files[p] != given[p]) + "<submit/>"
    modules = [path.removesuffix(".py") for path in sorted(files) if path != "tests.py"]
    modules.sort(key=lambda name: "\nimport " in files[f"{name}.py"])  # those that use others after them
    asked: dict[str, Any] = {
        "files": sorted(files), "modules": modules, "from": start, "first": False,
        "edits": [[path, edit.start, edit.end, edit.text] for path, edit in found[start : start + 1500]],
    }  # fmt: skip
    given = _files(heard)
    before = "".join(f'<write path="{p}">\n{files[p]}</write>' for p in files if files[p] != given[p])
    return f"{before}<run>\n{_SEARCH % json.dumps(asked)}\n</run>"


# ---- reading --------------------------------------------------------------------------------------------------------


@cache
def _known() -> dict[tuple[str, ...], tuple[int, int]]:
    """Return all behaviours of all files by their docstrings."""
    found: dict[tuple[str, ...], tuple[int, int]] = {}
    for unit, kind in enumerate(ALL):
        for variant in range(kind.num_variants):
            found.setdefault(docstrings(part_of(unit, variant).source), (unit, variant))
    return found


def _meant(files: Mapping[str, str]) -> dict[str, str]:
    """Return the files as their docstrings describe them."""
    paths = {_known()[docstrings(source)]: path for path, source in files.items()}
    program = program_of(tuple(sorted(paths)))
    names = {ALL[unit].name: path for (unit, _), path in paths.items()}
    return Names.seen(program, {name: (path, files[path]) for name, path in names.items()}).files(program.files)


def _order(files: Mapping[str, str], named: str) -> list[tuple[str, Function]]:
    """Return the functions in the order in which they are read; calls within other files are not followed."""
    listed = [(path, function) for path in sorted(files) for function in functions(files[path])]
    module, _, name = named.partition(".")
    own = [(path, function) for path, function in listed if path == f"{module}.py"]
    others = [(path, function) for path, function in listed if path != f"{module}.py"]
    found = [(path, function) for path, function in own if function.name == name]
    for path, function in found:  # which grows
        lines = files[path].split("\n")[function.line : function.end_line]
        words = set(re.findall(r"[a-z_]+\.[a-z_]+|\w+", "\n".join(lines)))
        called = [place for place in own if place[0] == path and place[1].name.rpartition(".")[2] in words]
        called += [place for place in listed if f"{place[0][:-3]}.{place[1].name}" in words]
        found += [place for place in called if place not in found]
    return found + [place for place in (*own, *others) if place not in found]


def _read(patience: int, heard: Sequence[str], files: Mapping[str, str], turn: int) -> str:
    """Read as many lines, and rewrite what does not do what its docstring says."""
    given = {path: source for path, source in files.items() if path != "tests.py"}
    called, module = _REPORTED.search(heard[0]), _COMPLAINT.search(heard[0])
    meant, changed = _meant(given), {path: source.split("\n") for path, source in given.items()}
    new: list[tuple[str, Function, list[str]]] = []
    for path, function in _order(given, called[1] if called else module[1] if module else ""):
        patience -= function.end_line - function.line + 1
        if patience < 0:
            break
        right = next(other for other in functions(meant[path]) if other.name == function.name)
        new.append((path, function, meant[path].split("\n")[right.line - 1 : right.end_line]))
    for path, function, lines in sorted(new, key=lambda place: -place[1].line):
        changed[path][function.line - 1 : function.end_line] = lines
    texts = {path: "\n".join(lines) for path, lines in changed.items()}
    return "".join(f'<write path="{p}">\n{texts[p]}</write>' for p in texts if texts[p] != given[p]) + "<submit/>"


def _maker(name: str, work: Callable[[Sequence[str], Mapping[str, str], int], str]) -> Callable[[], Agent]:
    return lambda: Shortcut(_with_files(work), name)


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "submit as it is": lambda: Shortcut(lambda heard, turn: "<submit/>", "submit as it is"),
    "flip a comparison in the function that fails": _maker("flip a comparison", _flip),
    "change the line of the traceback": _maker("traceback", _traceback),
    "the tests by heart": _maker("the tests by heart", _by_heart),
}
SKILLS: Mapping[str, Callable[[], Agent]] = {
    "reads 10 lines": _maker("reads 10 lines", partial(_read, 10)),
    "reads 30 lines": _maker("reads 30 lines", partial(_read, 30)),
    "all small edits of the program": _maker("all small edits", _try_edits),
    "systematic": _maker("systematic", partial(_read, 120)),
}


def extent(env: Any) -> tuple[int, int]:
    """Steps: a look, an edit for each bug and the end. Facts: the bugs' functions, and those that show them."""
    callers = {call.function for call in env.task.tests}
    return 2 + len(env.task.faults), len(env.task.faults) + min(1, len(callers))
