"""Check the library of parts: ``python -m turnwise.worlds.programs.repositories.check_parts [--write] [NAMES]``.

Every case must apply, leave the visible tests green, be noticed by the hidden probes, and do what its examples say.
With ``--write`` what the examples print, with the fault and without, is written into the files.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from turnwise.sandbox import Limits, Program, shared_sandbox
from turnwise.worlds.programs.repositories.parts import FOLDER, Case, Part, Patch, load_parts, patched
from turnwise.worlds.programs.repositories.probing import Probed, run_probes
from turnwise.worlds.programs.repositories.structure import unmet
from turnwise.worlds.programs.repositories.suite import Suite, run_suite

__all__ = ["LIMITS", "files_of", "ran", "refusals"]

LIMITS = Limits(wall_s=20.0, memory_mb=512, output_bytes=1 << 21)
_EXAMPLE = re.compile(r"^%% example\n(.*?)(?=^%% |\Z)", re.MULTILINE | re.DOTALL)


def files_of(part: Part, patches: Iterable[Patch] = ()) -> dict[str, str]:
    """Return a package of one part and those that it needs, with the library's own names."""
    library, wanted, waiting = load_parts(), dict[str, Part](), [part.name]
    while waiting:
        name = waiting.pop()
        wanted[name] = library[name]
        waiting += library[name].needs
    found = {"pkg/__init__.py": ""}
    for name, each in wanted.items():
        changes = [patch for patch in patches if patch.module == name]
        found |= {f"pkg/{name}.py": patched(each.source, changes), f"tests/test_{name}.py": each.tests}
    return found


def ran(files: Mapping[str, str], code: str) -> str:
    """Return what a program prints beside a package; of an exception the last line."""
    start = "import runpy, sys; sys.path[:0] = ['.']; runpy.run_path('_example.py', run_name='__main__')"
    result = shared_sandbox().run(Program(start, files={**files, "_example.py": code}, name="run.py"), LIMITS)
    error = result.stderr.strip().rpartition("\n")[2] if result.stderr.strip() else ""
    return (result.stdout.rstrip() + ("\n" + error if error else "")).strip("\n")


def refusals(part: Part, right: Probed) -> Iterator[str]:
    """Yield what is wrong with the cases of a part.

    Args:
        part: The part.
        right: The results of its probes on the right sources.
    """
    probes = {"probes.py": part.probes}
    for case in part.cases:
        files = files_of(part, case.patches)
        tests = tuple(path for path in files if path.startswith("tests/"))
        visible = run_suite(files, Suite(tests), LIMITS, described=1)
        if visible.problem or visible.failed():
            yield f"{case.name}: visible tests fail: {visible.problem or visible.texts}"
        needed = {f"probes_{name}.py": load_parts()[name].probes for name in case.modules() - {part.name}}
        whole = run_probes(files, {**probes, **needed}, LIMITS)
        other = run_probes(files_of(part), {**probes, **needed}, LIMITS) if needed else right
        if bool(whole.differing(other)) == (case.kind == "refactoring"):
            yield f"{case.name}: {'behaviour changes' if case.kind == 'refactoring' else 'no probe notices it'}"
        tidied = files_of(part, case.tidy)
        for check in case.checks:
            if unmet(tidied, check):
                yield f"{case.name}: the right program misses {check!r}"
        if case.checks and not any(unmet(files, check) for check in case.checks):
            yield f"{case.name}: nothing is left to do"
        if len(case.titles) < 3 or len(case.stories) < 2 or not case.wishes:
            yield f"{case.name}: too few titles, stories or wishes"
        for example in case.examples:
            got, want = ran(files, example.code), ran(files_of(part), example.code)
            if (got, want) != (example.got.strip("\n"), example.want.strip("\n")):
                yield f"{case.name}: an example prints {got!r}, right {want!r}"
            elif got == want or "Error" in want:
                yield f"{case.name}: an example shows nothing: {want!r}"


def _check(part: Part) -> list[str]:
    files = files_of(part)
    tests = tuple(path for path in files if path.startswith("tests/"))
    visible = run_suite(files, Suite(tests), LIMITS, described=2)
    right = [run_probes(files, {"probes.py": part.probes}, LIMITS) for _ in range(2)]
    found = [f"{part.name}: {text}" for text in visible.texts.values()]
    if right[0] != right[1] or right[0].problem or not right[0].digests:
        found.append(f"{part.name}: probes differ between runs, or do not run: {right[0].problem}")
    return [*found, *refusals(part, right[0])]


def _write(part: Part, cases: Sequence[Case]) -> None:
    path = FOLDER / f"{part.name}.txt"
    parts = re.split(r"(?=^%% case )", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for place, case in enumerate(cases, 1):

        def filled(match: re.Match[str], case: Case = case) -> str:
            code = match[1].strip().split("\n----\n")[0]
            got, want = ran(files_of(part, case.patches), code), ran(files_of(part), code)
            return f"%% example\n{code}\n----\n{got}\n----\n{want}\n"

        parts[place] = _EXAMPLE.sub(filled, parts[place])
    path.write_text("".join(parts), encoding="utf-8")


def main() -> None:
    """Check the parts, or write what their examples print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    names = options.names or list(load_parts())
    if options.write:
        for name in names:
            _write(load_parts()[name], load_parts()[name].cases)
        load_parts.cache_clear()
    found = [line for name in names for line in _check(load_parts()[name])]
    sys.stdout.write("\n".join([*found, f"{len(names)} parts, {len(found)} remarks"]) + "\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
