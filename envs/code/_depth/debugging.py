"""Agents that look for bugs without understanding programs; they see only what a model sees.

The shortcuts guess. The skills call what can be called: on the examples, on some inputs, or on as many as fit; the
kinds of arguments and the invariants are known to them, and so are the small edits with which they try to repair a
line. What they cannot do is to tell from a docstring what a function should return.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.agent import Agent
from turnwise.core.draw import Draw
from turnwise.envs.code._depth.printed import printed_files
from turnwise.envs.code.debugging import MAX_CALLS
from turnwise.verifiers.code.syntax import parse
from turnwise.worlds.programs.debugging.domains import DOMAINS
from turnwise.worlds.programs.debugging.kinds import InputTask, LineTask, StepTask
from turnwise.worlds.programs.debugging.systems import SYSTEMS
from turnwise.worlds.programs.faults.mutations import HUMAN, KINDS, applied, edits, functions
from turnwise.worlds.programs.library.values import VALUES

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_FILE = re.compile(r"^--- ([a-z_]+\.py)\n((?:\d+\t.*\n?)+)", re.MULTILINE)
_SYMPTOM = re.compile(
    r"```python\n([a-z_]+)\.(\w+)\((.*)\)\n```\n\n"
    r"It .*; the right program (returns|raises|does)(?: not end| `(.*)`)\.\n"
)
_NAMES = re.compile(r"They are: (.*)\.\n")
_DOMAINS_ASKED = re.compile(r"Find such arguments:\n\n(.*?)\n\nTypical calls", re.DOTALL)
_SIZE = re.compile(r"ha[sd] taken (\d+) steps")
_ANSWER = "<answer>{}</answer>"
_CHARS, _BATCH = 9_000, 400
_PART, _READS = 2_900, 2  # characters of the files in a reply, messages for reading them


def _kind(prompt: str) -> str:
    marks = {"step": "this must always hold", "function": "Which one is it?", "input": "does not behave like"}
    return next((kind for kind, mark in marks.items() if mark in prompt), "line")


# ---- which line ----------------------------------------------------------------------------------------------------


def _sources(heard: Sequence[str]) -> dict[str, str]:
    """Return the files that the task shows, or those that were printed, as far as all of them were."""
    shown = {
        path: "\n".join(line.partition("\t")[2] for line in text.splitlines()) + "\n"
        for path, text in _FILE.findall(heard[0])
    }
    whole = "".join(part for text in heard[1:] for part in re.findall(r"PART(.*?)(?:</tool_response>)?$", text, re.M))
    return shown | printed_files([f"FILES{whole}"])


def _print_files(message: int) -> str:
    """Print all files in parts that no reply cuts off: so many in each message."""
    places = [_PART * (MAX_CALLS * message + number) for number in range(MAX_CALLS)]
    load = "import glob, json\nwhole = json.dumps({path: open(path).read() for path in sorted(glob.glob('*.py'))})\n"
    return "".join(f"<python>{load}print('PART' + whole[{at} : {at + _PART}])</python>" for at in places)


def _one_liners(source: str) -> list[tuple[int, str]]:
    """Return the small edits that change one line: its number and its new text."""
    lines, found = source.split("\n"), []
    for edit in edits(source, sorted({*KINDS, *HUMAN})):
        changed = applied(source, [edit]).split("\n")
        if len(changed) == len(lines):
            differ = [n for n, (old, new) in enumerate(zip(lines, changed, strict=True)) if old != new]
            if len(differ) == 1 and changed[differ[0]].strip():
                found.append((differ[0] + 1, changed[differ[0]].strip()))
    for number, line in enumerate(lines, 1):
        if re.match(r" +[\w.\[\]]+ = ", line):
            found.append((number, line.strip().replace(" = ", " += ", 1)))
    return list(dict.fromkeys(found))


_TRY = """
import json, sys, time, types
until = time.monotonic() + 3.5
asked = json.loads(%r)
class Enough(BaseException):
    pass
def works(path, number, code):
    left = 20000
    def watch(frame, event, arg):
        nonlocal left
        left -= 1
        if left < 0:
            raise Enough
        return watch
    before = {name: sys.modules.pop(name, None) for name in asked["modules"]}
    try:
        for name in asked["modules"]:
            sys.modules[name] = types.ModuleType(name)
        for name in asked["modules"]:
            lines = open(name + ".py").read().split("\\n")
            if name + ".py" == path:
                old = lines[number - 1]
                lines[number - 1] = old[:len(old) - len(old.lstrip())] + code
            exec(compile("\\n".join(lines), name, "exec"), vars(sys.modules[name]))
        sys.settrace(watch)
        got = getattr(sys.modules[asked["module"]], asked["function"])(*eval(asked["args"]))
        return asked["what"] == "returns" and got == eval(asked["want"])
    except Exception as error:
        return asked["what"] == "raises" and type(error).__name__ == asked["want"]
    except Enough:
        return False
    finally:
        sys.settrace(None)
        sys.modules.update({name: module for name, module in before.items() if module})
for place, edit in enumerate(asked["edits"]):
    if time.monotonic() > until or works(*edit):
        print("STOPPED", asked["from"] + place, "late" if time.monotonic() > until else "found")
        break
else:
    print("STOPPED", asked["from"] + len(asked["edits"]), "late")
"""


def _line(heard: Sequence[str], turn: int, most: int) -> str:
    prompt = heard[0]
    named = re.findall(r"\b([a-z_]+)\b", prompt.partition("imported in")[0])
    files, symptom = _sources(heard), _SYMPTOM.search(prompt)
    if not files and turn < _READS:
        return _print_files(turn)
    if not symptom or not files or not named:
        return _ANSWER.format("main.py:1: pass")
    module, function, args, what, want = symptom.groups()
    first = [f"{module}.py", *sorted(path for path in files if path != f"{module}.py")]
    known = [path for path in first if path in files]
    found = [(path, number, code) for path in known for number, code in _one_liners(files[path])][:most]
    stopped = [match for text in heard[1:] for match in re.findall(r"STOPPED (\d+) (\w+)", text)]
    at = int(stopped[-1][0]) if stopped else 0
    if found and ((stopped[-1:] and stopped[-1][1] == "found") or at >= len(found) or turn >= 6):
        place, number, code = found[min(at, len(found) - 1)]
        return _ANSWER.format(f"{place}:{number}: {code}")
    modules = sorted((path.removesuffix(".py") for path in files), key=lambda name: "\nimport " in files[f"{name}.py"])
    asked = {
        "modules": modules, "module": module, "function": function, "args": f"({args},)" if args else "()",
        "what": what, "want": want, "from": at, "edits": found[at : at + 700],
    }  # fmt: skip
    return f"<python>\n{_TRY % json.dumps(asked)}\n</python>"


def _flipped(heard: Sequence[str]) -> str:
    """Make the first small edit of the function that the symptom names."""
    symptom = _SYMPTOM.search(heard[0])
    module, name = (symptom[1], symptom[2]) if symptom else ("", "")
    source = _sources(heard).get(f"{module}.py", "")
    for function in functions(source):
        for number, code in _one_liners(source) if function.name == name else ():
            if function.line < number <= function.end_line:
                return f"{module}.py:{number}: {code}"
    return "main.py:1: pass"


# ---- which input, step, function --------------------------------------------------------------------------------


def _input(heard: Sequence[str], turn: int, most: int) -> str:
    prompt, asked = heard[0], _DOMAINS_ASKED.search(heard[0])
    words = re.findall(r"^\d\. (.*)$", asked[1], re.MULTILINE) if asked else []
    kinds = [next(kind for kind, domain in DOMAINS.items() if domain.words == text) for text in words]
    for text in heard[1:]:
        if found := re.search(r"DIFFERS\((.*),\)", text):
            return _ANSWER.format(found[1])
    tried = min(most - turn * _BATCH, _BATCH)
    draw, cases = Draw("inputs", prompt, turn), "["
    for _ in range(max(tried, 0)):
        case = ", ".join(repr(VALUES[kind](draw)) for kind in kinds)
        if len(cases) + len(case) > _CHARS:
            break
        cases += f"({case},), "
    if tried <= 0 or turn >= 6:
        return _ANSWER.format(", ".join(repr(VALUES[kind](draw)) for kind in kinds))
    compare = (
        "import copy\nfor case, (what, got) in zip(cases, results):\n    try:\n        want = ('returned', "
        "slow(*copy.deepcopy(case)))\n    except Exception as error:\n        want = ('raised', type(error).__name__)\n"
        "    if want != (what, got):\n        print('DIFFERS(' + repr(case)[1:-1].rstrip(',') + ',)')\n        break"
    )
    return f'<python>cases = {cases}]</python><call over="cases">fast</call><python>\n{compare}\n</python>'


def _step(heard: Sequence[str], turn: int, most: int) -> str:
    prompt, size = heard[0], int((_SIZE.search(heard[0]) or ["", "60"])[1])
    if turn == 0:
        many = f'<python>upto = list(range({min(size, most)} + 1))</python><call over="upto">{{}}</call>'
        if "`sound(n)`" in prompt:
            return many.format("sound") + "<python>print('FIRST', [w for _, w in results].index(False) - 1)</python>"
        system = next(system for system in SYSTEMS if system.invariant in prompt)
        check = (
            f"import types\ndef sound(system):\n{system.sound}\nfor n, (_, got) in enumerate(results):\n"
            "    if not sound(types.SimpleNamespace(**got)):\n        print('FIRST', n - 1)\n        break"
        )
        return f"{many.format('state')}<python>\n{check}\n</python>"
    found = re.search(r"FIRST (\d+)", heard[-1])
    return _ANSWER.format(found[1] if found else size - 1)


def _function(heard: Sequence[str], turn: int, most: int) -> str:
    """Name a function that fails for one of its examples, or the one with most to say."""
    if turn == 0:
        code = (
            "import glob, json, re\nfor p in sorted(glob.glob('*.pyi')):\n"
            "    found = re.findall(r'^# such as (\\w+)\\((.*)\\)$', open(p).read(), re.M)\n"
            "    print('CALLS' + json.dumps([[p[:-4] + '.' + n, a] for n, a in found]))"
        )
        return f"<python>\n{code}\n</python>"
    if turn == 1:
        calls = [call for line in heard[1].split("\n") if "CALLS[" in line for call in _listed(line)]
        text = "\n".join(f"{name}({args})" for name, args in calls[:most])
        return f"<call>\n{text}\n</call>" if text else _ANSWER.format(_names(heard)[0])
    odd = re.findall(r"^(?:<tool_response>)?([a-z_.]+)\(.*\): \('(?:raised', '(?!ValueError)|endless)", heard[-1], re.M)
    return _ANSWER.format(odd[0] if odd else _names(heard)[0])


def _listed(line: str) -> list[list[str]]:
    try:
        found: list[list[str]] = json.loads(line.partition("CALLS")[2].replace("</tool_response>", ""))
    except ValueError:
        return []
    return found


def _names(heard: Sequence[str]) -> list[str]:
    """Return the functions, as far as they have been named."""
    listed = _NAMES.search(heard[0])
    if listed:
        return listed[1].split(", ")
    return [name for text in heard[1:] for name in re.findall(r"[a-z_]+\.[a-z_]+(?=\")", text)] or ["main.run"]


# ---- agents ----------------------------------------------------------------------------------------------------


def _skill(inputs: int, lines: int, steps: int, heard: Sequence[str], turn: int) -> str:
    kind = _kind(heard[0])
    if kind == "line":
        return _line(heard, turn, lines)
    if kind == "input":
        return _input(heard, turn, inputs)
    return _step(heard, turn, steps) if kind == "step" else _function(heard, turn, inputs)


def _guess(place: float, heard: Sequence[str], turn: int) -> str:
    """Answer the first edit, or what stands at a place between the first (0) and the last (1)."""
    kind = _kind(heard[0])
    if kind == "step":
        return _ANSWER.format(int(place * (int((_SIZE.search(heard[0]) or ["", "1"])[1]) - 1)))
    if kind == "function":
        names = _names(heard)
        if turn == 0 and len(names) == 1:
            return _function(heard, 0, 1)
        return _ANSWER.format(names[int(place * (len(names) - 1))])
    if kind == "input":
        return _input(heard, 9, 0)
    if turn == 0 and not _FILE.search(heard[0]):
        return _line(heard, 0, 0)
    return _ANSWER.format(_flipped(heard))


def _maker(name: str, read: Callable[[Sequence[str], int], str]) -> Callable[[], Agent]:
    return lambda: Shortcut(read, name)


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "the first one": _maker("the first one", partial(_guess, 0.0)),
    "the one in the middle": _maker("the one in the middle", partial(_guess, 0.5)),
    "the last one": _maker("the last one", partial(_guess, 1.0)),
}
SKILLS: Mapping[str, Callable[[], Agent]] = {
    "100 experiments": _maker("100 experiments", partial(_skill, 100, 200, 100)),
    "systematic": _maker("systematic", partial(_skill, 2000, 5000, 500)),
}


def extent(env: Any) -> tuple[int, int]:
    """Steps: messages of a solution. Facts: lines, states, functions or inputs that have to be looked at."""
    task = env.task
    if isinstance(task, StepTask):
        return 2, task.solution + 2
    if isinstance(task, InputTask):
        return 3, 1 + len(parse(env.behind.files["fast_one"]).body)
    if isinstance(task, LineTask):
        return 2, sum(1 for source in task.files.values() for function in functions(source) if function.doc)
    return 3, len(task.candidates)
