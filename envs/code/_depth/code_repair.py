"""Agents that repair programs without understanding them; they see only what a model sees.

The shortcuts submit, change the line that a traceback or a test names, or know the tests by heart. The skills try small
edits until the visible tests pass, or until more of them do: first few edits of the function that fails, then all of
its file, then all of the program, one after the other for several bugs.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.agent import Agent
from turnwise.envs.code._depth.printed import printed_files
from turnwise.worlds.programs.faults.mutations import HUMAN, KINDS, Edit, applied, edits, functions

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_FILE = re.compile(r"^--- ([a-z_]+\.py)\n(.*?)(?=^--- [a-z_]+\.py\n|\Z)", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"^Files: (.*)$", re.MULTILINE)
_CASE = re.compile(r"    got = ([a-z_]+)\.(\w+)\((.*)\)\n    expected = (.*)\n")
_PLACE = re.compile(r"failed \(([a-z_]+\.py), line (\d+)\)")
_FAILED = re.compile(r"^(test_\w+) failed", re.MULTILINE)
_DEFINED = re.compile(r"^def (test_\w+)", re.MULTILINE)
_SIGN = re.compile(r" (<=|>=|<|>|==|!=) ")
_OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
_READ = "import json; print('FILES' + json.dumps({p: open(p).read() for p in %r}))"
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
    """Return the files as they have been shown, with later printouts in place of earlier ones."""
    return dict(_FILE.findall(heard[0])) | printed_files(heard[1:])


def _paths(prompt: str) -> list[str]:
    named = _NAMED.search(prompt)
    return re.findall(r"[a-z_]+\.py", named[1] if named else "")


def _with_files(work: Callable[[Sequence[str], Mapping[str, str], int], str]) -> Callable[[Sequence[str], int], str]:
    """Let an agent read all files first, where they are not shown."""

    def read(heard: Sequence[str], turn: int) -> str:
        paths = _paths(heard[0])
        shown = "--- " in heard[0]
        if turn == 0 and not shown:
            tests = ["tests.py"] if "tests.py has some" in heard[0] else []
            return "".join(f"<run>{_READ % [path]}</run>" for path in [*paths, *tests])
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


def _candidates(files: Mapping[str, str], scope: str) -> list[tuple[str, Edit]]:
    """Return the small edits of the functions that the tests call, of their files, or of all files."""
    cases = _CASE.findall(files.get("tests.py", ""))
    called = {(f"{module}.py", name) for module, name, *_ in cases}
    found: list[tuple[str, Edit]] = []
    for path in sorted(files):
        if path == "tests.py" or (scope != "program" and path not in {p for p, _ in called}):
            continue
        names = [name for p, name in called if p == path] if scope == "function" else [""]
        for name in names:
            found += [(path, edit) for edit in edits(files[path], sorted({*KINDS, *HUMAN}), name)]
        found += [(path, edit) for edit in _undone(files[path])]
    return found


def _undone(source: str) -> list[Edit]:
    """Return edits that undo what the others do: sums that are only assigned, returns too far to the right."""
    found = []
    for match in re.finditer(r"^ +[\w.\[\]]+ (=) |^( {4}) {4,}return", source, re.MULTILINE):
        (start, end), text = (match.span(1), "+=") if match[1] else (match.span(2), "")
        found.append(Edit(start, end, text, "undone", source.count("\n", 0, start) + 1, ""))
    return found


def _repair(scope: str, most: int, heard: Sequence[str], files: Mapping[str, str], turn: int) -> str:
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
            path, edit = _candidates(files, scope)[int(best[3])]
            files[path], start = applied(files[path], [edit]), 0
        done = best[1] == best[2]
    found = _candidates(files, scope)[:most]
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


def _maker(name: str, work: Callable[[Sequence[str], Mapping[str, str], int], str]) -> Callable[[], Agent]:
    return lambda: Shortcut(_with_files(work), name)


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "submit as it is": lambda: Shortcut(lambda heard, turn: "<submit/>", "submit as it is"),
    "flip a comparison in the function that fails": _maker("flip a comparison", _flip),
    "change the line of the traceback": _maker("traceback", _traceback),
    "the tests by heart": _maker("the tests by heart", _by_heart),
}
SKILLS: Mapping[str, Callable[[], Agent]] = {
    "20 edits of what the tests call": _maker("20 edits", partial(_repair, "function", 20)),
    "all small edits of what the tests call": _maker("function", partial(_repair, "function", 10**6)),
    "all small edits of the program": _maker("program", partial(_repair, "program", 10**6)),
}


def extent(env: Any) -> tuple[int, int]:
    """Steps: a look, an edit for each bug and the end. Facts: the bugs' functions, and those that show them."""
    callers = {call.function for call in env.task.tests}
    return 2 + len(env.task.faults), len(env.task.faults) + min(1, len(callers))
