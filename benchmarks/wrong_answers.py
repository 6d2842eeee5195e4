"""How sharp hidden tests are: wrong patches and programs that they notice, right ones in other styles that they refuse.

    python benchmarks/wrong_answers.py RepoIssue --num-tasks 100 [--levels 3,5,7,9] [--wrong 30] [--out FILE.jsonl]
    python benchmarks/wrong_answers.py CodeSynthesis --num-tasks 100
    python benchmarks/wrong_answers.py CodeRepair --num-tasks 100

For each task at least ``--wrong`` answers that are wrong: mutants of the right answer around what the task is about,
and what people try when they look at the symptom (RepoIssue: the files as they are, one place of several, exceptions
swallowed, the example's arguments special-cased; CodeRepair: the same with
the visible tests; CodeSynthesis: the wrong programs that come with the kernel, the
samples special-cased). A mutant counts as wrong if the judge refuses it, or
if six times as many draws as the judge makes show a difference; others may well be right. Then the right answer in
`turnwise.worlds.programs.faults.styles.STYLES`. One line of JSON for each task, and a sum at the end.
"""

import argparse
import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

from turnwise.core.draw import Draw
from turnwise.envs.code._repair_text import CALLER
from turnwise.envs.code._repo_work import concerned, counts, judged_files
from turnwise.envs.code.code_repair import FAULTY_CALLS, CodeRepair
from turnwise.envs.code.code_synthesis import CodeSynthesis
from turnwise.envs.code.repo_issue import RepoIssue
from turnwise.sandbox import Limits, Program, shared_sandbox
from turnwise.verifiers.code import Example, verify_function
from turnwise.worlds.programs.contests.problem import Problem
from turnwise.worlds.programs.faults.mutations import HUMAN, KINDS, functions, mutants
from turnwise.worlds.programs.faults.styles import STYLES, restyled
from turnwise.worlds.programs.library.programs import Part, draw_call, program_of
from turnwise.worlds.programs.repositories.compose import known_cases
from turnwise.worlds.programs.repositories.probing import SEEDS, run_probes

LONG = 6
LIMITS = Limits(wall_s=60.0, memory_mb=1024, output_bytes=1 << 22)
Answer = tuple[str, Any]
"""The kind of an answer, and what is handed in."""


# ---- RepoIssue ------------------------------------------------------------------------------------------------------


class Repo:
    """Answers to one task of RepoIssue: contents of files."""

    def __init__(self, seed: int, level: int) -> None:
        self.env = RepoIssue(difficulty=level)
        self.env.reset(seed=seed)
        work = self.env.work
        self.right = {**work.before, **{path: text for path, text in work.after.items() if path.endswith(".py")}}
        self.changed = [path for path in self.right if self.right[path] != work.before.get(path)]
        self.changed = [path for path in self.changed if counts(path, work.suite)]
        self.about = self.env.task.plan.cases  # type: ignore[union-attr]
        self.known: dict[tuple[str, ...], Any] = {}

    def accepted(self, files: Mapping[str, str]) -> bool:
        self.env.files = dict(files)
        return self.env._judged([]).solved

    def really_wrong(self, files: Mapping[str, str]) -> bool:
        """Whether many more draws find a difference."""
        judged = judged_files(self.env.work, files)
        probes = concerned(self.env.work, judged).probes
        key = tuple(probes)
        if key not in self.known:
            self.known[key] = run_probes(self.env.work.after, probes, LIMITS, LONG * SEEDS)
        return bool(run_probes(judged, probes, LIMITS, LONG * SEEDS).differing(self.known[key]))

    def symptomatic(self) -> Iterator[Answer]:
        env, work = self.env, self.env.work
        yield "as it is", work.before
        faulty = {path: work.before[path] for path in self.changed if path in work.before}
        if len(faulty) > 1:
            for path, text in faulty.items():
                yield "one place left", {**self.right, path: text}
        if not env.work.checks:
            yield from self._special()
            for path, text in faulty.items():
                swallowed = _swallowing(text, self._functions(path))
                yield "exceptions swallowed", {**work.before, path: swallowed}

    def _functions(self, path: str) -> list[str]:
        """The functions that the right program changes in a file."""
        before, after = self.env.work.before[path].split("\n"), self.right[path]
        lines = [i for i, line in enumerate(after.split("\n"), 1) if line.strip() and line not in before]
        return [f.name for f in functions(after) if any(f.line <= i <= f.end_line for i in lines)]

    def _special(self) -> Iterator[Answer]:
        """Answer the example's calls from a table, in the first function that the patch changes."""
        case = known_cases()[self.about[0]]
        if not case.examples:
            return
        from turnwise.worlds.programs.repositories.compose import _renamer, package_of

        renamed = package_of(self.env.task.plan).renamed  # type: ignore[arg-type]
        code = _renamer(renamed)(case.examples[0].code)
        for path in self.changed[:1]:
            for name in self._functions(path)[:1]:
                table = self._calls(code, path, name.rpartition(".")[2])
                if table:
                    text = _tabled(self.env.work.before[path], name, table)
                    yield "example special-cased", {**self.env.work.before, path: text}

    def _calls(self, code: str, path: str, name: str) -> dict[str, str]:
        """What a function of the right program returns when the example is run, by the text of its arguments."""
        tracer = (
            "import sys, json\nsys.path.insert(0, '.')\nfound = {}\n"
            "def trace(frame, event, arg):\n"
            f"    if frame.f_code.co_name != {name!r} or not frame.f_code.co_filename.endswith({path!r}):\n"
            "        return None\n"
            "    code = frame.f_code\n"
            "    values = [frame.f_locals[n] for n in code.co_varnames[:code.co_argcount] if n != 'self']\n"
            "    key = repr(values)\n"
            "    def leave(frame, event, arg):\n"
            "        if event == 'return':\n            found[key] = repr(arg)\n        return leave\n"
            "    return leave\n"
            f"sys.settrace(trace)\ntry:\n    exec({code!r}, {{'__name__': '__main__'}})\nexcept Exception:\n    pass\n"
            "sys.settrace(None)\nprint('\\nFOUND' + json.dumps(found))\n"
        )
        result = shared_sandbox().run(Program(tracer, files=self.right), LIMITS)
        found = re.search(r"FOUND(\{.*\})", result.stdout)
        table = json.loads(found[1]) if found else {}
        return {key: value for key, value in table.items() if _literal(value)}

    def mutated(self) -> Iterator[Answer]:
        """Mutants of the right files, around the changed lines first."""
        for wide in (False, True):
            for path in self.changed:
                before, lines = self.env.work.before.get(path, "").split("\n"), self.right[path].split("\n")
                new = [i for i, line in enumerate(lines, 1) if line not in before]
                near = {i + d for i in new for d in range(-6, 9)} if new else set(range(1, len(lines) + 1))
                inside = [f for f in functions(self.right[path]) if any(f.line <= i <= f.end_line for i in new)]
                whole = {i for f in inside for i in range(f.line, f.end_line + 1)} | {
                    i + d for i in new for d in range(-40, 41)
                }
                chosen = (whole - near) if wide else near
                for mutant in mutants(self.right[path], Draw("wrong", path, wide), lines=chosen):
                    yield "mutant", {**self.right, path: mutant.source}

    def styled(self) -> Iterator[Answer]:
        for style in STYLES:
            if style == "guarded" and any(check.startswith("untried") for check in self.env.work.checks):
                continue  # the issue asks for no try statement
            yield style, {**self.right, **{path: restyled(self.right[path], style) for path in self.changed}}


def _literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return False
    return True


def _tabled(source: str, name: str, table: Mapping[str, str]) -> str:
    def change(function: ast.FunctionDef) -> None:
        names = ", ".join(arg.arg for arg in function.args.args if arg.arg != "self")
        known = ", ".join(f"{key!r}: {value}" for key, value in table.items())
        lines = f"known_ = {{{known}}}\nif repr([{names}]) in known_:\n    return known_[repr([{names}])]\n"
        function.body[0:0] = ast.parse(lines).body

    return _changed(source, [name], change)


def _swallowing(source: str, names: list[str]) -> str:
    def change(function: ast.FunctionDef) -> None:
        handler = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, [ast.Return(ast.Constant(None))])
        function.body = [ast.Try(function.body, [handler], [], [])]

    return _changed(source, names, change)


def _changed(source: str, names: list[str], change: Any) -> str:
    tree = ast.parse(source)
    for outer in (tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))):
        for node in outer.body:
            prefix = "" if outer is tree else f"{outer.name}."  # type: ignore[attr-defined]
            if isinstance(node, ast.FunctionDef) and prefix + node.name in names:
                change(node)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


# ---- CodeRepair -----------------------------------------------------------------------------------------------------


class Repair:
    """Answers to one task of CodeRepair: contents of files."""

    def __init__(self, seed: int, level: int) -> None:
        self.env = CodeRepair(difficulty=level)
        self.env.reset(seed=seed)
        self.about = (str(self.env.task.key), str(self.env.task.faults))
        self.program = program_of(self.env.task.key)
        self.faulty = dict(self.env.files)
        self.right = {**self.faulty, **self.env.names.files(self.program.files)}
        self.changed = [path for path in self.right if self.right[path] != self.faulty[path]]
        self.more: dict[str, list[Example]] = {}
        hidden = self.env._hidden()
        self.env._hidden = lambda: hidden  # type: ignore[method-assign]  # the same for all answers

    def accepted(self, files: Mapping[str, str]) -> bool:
        self.env.files = dict(files)
        return self.env._judged([], over=True).solved

    def really_wrong(self, files: Mapping[str, str]) -> bool:
        """Whether many more draws find a difference, among the functions of what was changed and of what uses it."""
        names = self.env.names
        paths = {name: f"{names.file(name)}.py" for name in self.program.parts}
        changed = {name for name, path in paths.items() if files[path] != self.right[path]}
        more: list[Example] = []
        for name, part in self.program.parts.items():
            if name in changed or changed & {other.name for other in part.beside}:
                more += self._more(part)
        return not verify_function(CALLER, "call", more, files=files, total_s=600.0, all_tests=False).correct

    def _more(self, part: Part) -> list[Example]:
        if part.name not in self.more:
            draw, running = Draw("more calls", self.env.task.seed, part.name), self.program.running()
            calls = [draw_call(draw, part, name) for name in part.signatures for _ in range(LONG * FAULTY_CALLS)]
            self.more[part.name] = [
                Example((self.env.names.function(call.function), list(call.args)), {}, running.outcome(call))
                for call in calls
            ]
        return self.more[part.name]

    def symptomatic(self) -> Iterator[Answer]:
        yield "as it is", self.faulty
        for number in range(1, len(self.env.task.faults)):
            left = self.env.names.files(self.program.changed(self.env.task.faults[number:]))
            yield "one place left", {**self.faulty, **left}
        for path in self.changed:
            names = self._functions(path)
            yield "exceptions swallowed", {**self.faulty, path: _swallowing(self.faulty[path], names)}
        if self.env.task.tests:
            yield "example special-cased", {**self.faulty, **self.env.looked_up()}

    def _functions(self, path: str) -> list[str]:
        before = self.faulty[path].split("\n")
        new = [i for i, line in enumerate(self.right[path].split("\n"), 1) if line not in before]
        return [f.name for f in functions(self.right[path]) if any(f.line <= i <= f.end_line for i in new)]

    def mutated(self) -> Iterator[Answer]:
        for wide in (False, True):
            for path in self.changed:
                inside = [f for f in functions(self.right[path]) if f.name in self._functions(path)]
                near = {i for f in inside for i in range(f.line, f.end_line + 1)}
                lines = set(range(1, self.right[path].count("\n") + 1)) - near if wide else near
                for mutant in mutants(self.right[path], Draw("wrong", path, wide), lines=lines):
                    yield "mutant", {**self.right, path: mutant.source}

    def styled(self) -> Iterator[Answer]:
        for style in STYLES:
            yield style, {**self.right, **{path: restyled(self.right[path], style) for path in self.changed}}


# ---- CodeSynthesis --------------------------------------------------------------------------------------------------


class Code:
    """Answers to one task of CodeSynthesis: programs."""

    def __init__(self, seed: int, level: int) -> None:
        self.env = CodeSynthesis(difficulty=level)
        self.env.reset(seed=seed)
        self.env.turn = 1
        assert isinstance(self.env.problem, Problem)
        self.problem = self.env.problem
        self.about = (repr(self.problem.puzzle),)
        self.cases: list[Any] = []

    def accepted(self, source: str) -> bool:
        return self.env._judged(source)[0].correct

    def really_wrong(self, source: str) -> bool:
        if not self.cases:
            self.cases = self.problem.small(99, LONG * (self.env.num_tests + 20))
        return not self.env._verdict(source, self.cases, False)[0].correct

    def symptomatic(self) -> Iterator[Answer]:
        reference = self.env.reference()
        for source in self.problem.wrong():
            yield "of the kernel", source
        table = [(list(case.args), case.result) for case in self.env.examples]
        if self.env.task.form == "function":
            for otherwise in ("0", "-1", "1", "len(x[0]) if hasattr(x[0], '__len__') else x[0]"):
                yield (
                    "samples special-cased",
                    (
                        f"def {self.problem.name}(*x):\n    known = [r for a, r in {table!r} if a == list(x)]\n"
                        f"    return known[0] if known else {otherwise}\n"
                    ),
                )
        yield "answers off by one", self.env.wrong(0)
        if self.problem.large and "def " in reference:
            yield "nothing", reference.replace("return ", "return 0 if True else ", 1)

    def mutated(self) -> Iterator[Answer]:
        right, found = self.env.reference(), []
        solution, main, _ = right.partition("def main")
        end = solution.count("\n") + 1 if main else right.count("\n") + 2  # what reads and prints is left alone
        for kinds in (KINDS, HUMAN):
            for mutant in mutants(right, Draw("wrong", *self.about), kinds):
                if mutant.line < end:
                    found.append(mutant.source)
                    yield "mutant", mutant.source
        for source in found:  # a short program has few
            for mutant in islice(mutants(source, Draw("wrong", *self.about)), 4):
                if mutant.line < end:
                    yield "mutant of a mutant", mutant.source

    def styled(self) -> Iterator[Answer]:
        right = self.env.reference()
        for style in STYLES:
            yield style, restyled(right, style)


# ---- all ------------------------------------------------------------------------------------------------------------


def measured(task: Repo | Code | Repair, wanted: int, tries: int) -> dict[str, Any]:
    """Judge answers to one task."""
    killed: dict[str, int] = {}
    survived: list[Answer] = []
    alike = 0
    kinds = [*task.symptomatic()]
    for number, (kind, answer) in enumerate(_distinct(chain(kinds, task.mutated()))):
        if (sum(killed.values()) + len(survived) >= wanted and number >= len(kinds)) or number > tries:
            break
        if not task.accepted(answer):
            killed[kind] = killed.get(kind, 0) + 1
        elif kind != "exceptions swallowed" and task.really_wrong(answer):
            survived.append((kind, answer))
        else:
            alike += 1
    styles = [*_distinct(task.styled())]
    refused = [style for style, answer in styles if not task.accepted(answer)]
    return {"killed": killed, "survived": survived, "alike": alike, "styles": len(styles), "refused": refused}


def _distinct(answers: Iterable[Answer]) -> Iterator[Answer]:
    """Leave out answers that came before under another kind: a style finds nothing to change in some programs."""
    seen: set[Any] = set()
    for kind, answer in answers:
        key = answer if isinstance(answer, str) else frozenset(answer.items())
        if key not in seen:
            seen.add(key)
            yield kind, answer


ENVS: Mapping[str, type[Repo | Code | Repair]] = {"RepoIssue": Repo, "CodeSynthesis": Code, "CodeRepair": Repair}


def _shown(task: Repo | Code | Repair, answer: Any) -> Any:
    if isinstance(answer, str):
        return answer
    return {path: text for path, text in answer.items() if text != task.right.get(path)}  # type: ignore[union-attr]


def main() -> None:
    """Measure tasks and print the sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("env", choices=[*ENVS])
    parser.add_argument("--num-tasks", type=int, default=100)
    parser.add_argument("--levels", default="3,4,5,6,7,8,9,10")
    parser.add_argument("--wrong", type=int, default=30)
    parser.add_argument("--first", type=int, default=0, help="seed of the first task")
    parser.add_argument("--out", type=Path, help="a file for one line of JSON for each task")
    options = parser.parse_args()
    levels = [int(level) for level in options.levels.split(",")]
    total = {"tasks": 0, "killed": 0, "survived": 0, "alike": 0, "styles": 0, "refused": 0, "fewest": 10**6}
    for number in range(options.num_tasks):
        seed, level = options.first + number, levels[number % len(levels)]
        task = ENVS[options.env](seed, level)
        found = measured(task, options.wrong, 3 * options.wrong)
        dead = sum(found["killed"].values())
        total["tasks"] += 1
        total["fewest"] = min(total["fewest"], dead + len(found["survived"]))
        for key, value in (("killed", dead), ("alike", found["alike"]), ("styles", found["styles"])):
            total[key] += value
        for key in ("survived", "refused"):
            total[key] += len(found[key])
        found["survived"] = [(kind, _shown(task, answer)) for kind, answer in found["survived"]]
        if options.out:
            with options.out.open("a") as file:
                file.write(json.dumps({"seed": seed, "level": level, "about": task.about, **found}) + "\n")
        sys.stdout.write(f"{json.dumps(total)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
