"""The library of parts that packages are composed of, and the issues written about them."""

import dataclasses
import re
from collections import Counter

import pytest

from tests._work import one_in
from turnwise.core.draw import Draw
from turnwise.core.errors import InfrastructureError
from turnwise.sandbox import shared_sandbox
from turnwise.verifiers.code.syntax import parse
from turnwise.worlds.programs.faults.mutations import mutants
from turnwise.worlds.programs.repositories import workspace
from turnwise.worlds.programs.repositories.check_parts import LIMITS, files_of, refusals
from turnwise.worlds.programs.repositories.compose import (
    Package,
    Plan,
    compose,
    draw_plan,
    eligible,
    known_cases,
    package_of,
)
from turnwise.worlds.programs.repositories.parts import Case, Part, load_parts, patched
from turnwise.worlds.programs.repositories.probing import run_probes
from turnwise.worlds.programs.repositories.suite import Suite, run_suite

PARTS = list(load_parts())
CASES = [case for part in load_parts().values() for case in part.cases]


def no_sandbox() -> bool:
    try:
        shared_sandbox()
    except InfrastructureError:
        return True
    return False


needs_sandbox = pytest.mark.skipif(no_sandbox(), reason="no sandbox here")


def drawn(seed: int, num_parts: int = 4, num_faults: int = 1, far: int = 0, style: str = "noisy") -> Package:
    found = eligible("mixed", far)
    return package_of(draw_plan(Draw("test", seed), found, found, num_parts, num_faults, style))  # type: ignore[arg-type]


# ---- parts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PARTS)
def test_every_case_applies_and_is_written_out(name: str) -> None:
    part = load_parts()[name]
    assert len(part.cases) >= 5
    assert len(part.log) >= 4
    assert max(case.far for case in part.cases) >= 1
    for case in part.cases:
        for module in case.modules():
            texts = [
                patched(load_parts()[module].source, [each for each in patches if each.module == module])
                for patches in (case.patches, case.tidy)
            ]
            assert texts[0] != texts[1]
            assert all(parse(text) for text in texts)
            assert module in {name, *part.needs}
        assert case.kind != "bug" or (case.guesses and case.commit)
        assert all(example.got != example.want for example in case.examples)
        assert bool(case.examples) != bool(case.checks)


def test_names_of_cases_and_probes_are_unique() -> None:
    assert max(Counter(case.name for case in CASES).values()) == 1
    probes = [name for part in load_parts().values() for name in re.findall(r"^def (probe_\w+)", part.probes, re.M)]
    assert max(Counter(probes).values()) == 1
    options = [
        name for part in load_parts().values() for key, names in part.names.items() for name in names if key != "@"
    ]
    assert max(Counter(options).values()) == 1, [name for name, count in Counter(options).items() if count > 1]


def test_a_text_to_replace_must_occur_once() -> None:
    patch = CASES[0].patches[0]
    with pytest.raises(ValueError, match="occurs 2 times"):
        patched(patch.right * 2, [patch])


@needs_sandbox
@pytest.mark.parametrize("name", one_in(6, PARTS))
def test_right_parts_pass_and_cases_are_noticed(name: str) -> None:
    every = load_parts()[name]
    one_of_each = {case.kind: case for case in every.cases}
    noticed(dataclasses.replace(every, cases=tuple(one_of_each.values())))


@needs_sandbox
@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
def test_every_case_is_noticed(name: str) -> None:
    noticed(load_parts()[name])


def noticed(part: Part) -> None:
    files = files_of(part)
    visible = run_suite(files, Suite(tuple(path for path in files if path.startswith("tests/"))), LIMITS, described=1)
    assert not visible.problem
    assert not visible.failed(), visible.texts
    right = run_probes(files, {"probes.py": part.probes}, LIMITS)
    assert right.digests
    assert len({digest for found in right.digests.values() for digest in found}) > len(right.digests)
    assert list(refusals(part, right)) == []


# ---- packages -----------------------------------------------------------------------------------------------------


def test_a_package_follows_from_its_plan() -> None:
    for seed in range(5):
        found = eligible("mixed", 0)
        plan = draw_plan(Draw(seed), found, found, 4, 1, "noisy")
        first = package_of(plan)
        package_of.cache_clear()
        assert package_of(Plan(*plan)) == first


def test_only_faulty_modules_differ() -> None:
    known = known_cases()
    for seed in range(12):
        found = eligible("bug", 0)
        plan = draw_plan(Draw(seed), found, found, 5, 2, "plain")
        made = package_of(plan)
        differ = {path for path in made.after if made.before[path] != made.after[path]}
        modules = set().union(*(known[name].modules() for name in plan.cases))
        assert len(differ) == len(modules)
        assert all(path.startswith(f"{made.name}/") for path in differ)


@needs_sandbox
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_renamed_packages_work(seed: int) -> None:
    found = eligible("bug", 0)
    made = package_of(draw_plan(Draw("renamed", seed), found, found, 50, 2, "noisy"))
    for files in (made.before, made.after):
        visible = run_suite(files, made.suite, LIMITS, described=3)
        assert sorted(visible.by_test) == sorted(made.tests)
        assert not visible.failed(), visible.texts
    right, wrong = (run_probes(files, made.probes, LIMITS) for files in (made.after, made.before))
    assert wrong.differing(right)
    assert len(wrong.differing(right)) < len(right.digests) / 2


def test_sizes() -> None:
    def lines(made: Package) -> int:
        return sum(text.count("\n") for path, text in made.before.items() if path.endswith(".py"))

    assert (
        150
        <= min(lines(drawn(seed, 1)) for seed in range(15))
        <= max(lines(drawn(seed, 3)) for seed in range(15))
        <= 1400
    )
    assert 1000 <= min(lines(drawn(seed, 15)) for seed in range(4)) <= 8000


def test_the_history_has_the_commit_that_brought_the_fault() -> None:
    for seed in range(10):
        found = eligible("bug", 0)
        plan = draw_plan(Draw(seed), found, found, 3, 1, "misleading")
        made = package_of(plan)
        assert made.before["HISTORY"].count("\n") >= 8
        assert made.before["CHANGELOG.md"].startswith("# Changelog\n\n## ")
        case = next(case for case in CASES if case.name == plan.cases[0])
        words = [word for word in case.commit.split() if word.isalpha() and word not in made.renamed]
        assert all(word in made.before["HISTORY"] for word in words)


# ---- issues -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_issues_read_differently() -> None:
    for style, far in (("plain", 0), ("noisy", 1), ("misleading", 1)):
        texts = [drawn(seed, 1, far=far, style=style).issue for seed in range(120)]
        assert len(set(texts)) >= 0.97 * len(texts), style
        assert len({text.split("\n")[0] for text in texts}) > 60
        for text in texts:
            assert not re.search(
                r"\{(?:\w+\.)?[a-z]+\}(?!\w)|\bpkg\b|%%| \n", re.sub(r"```.*?```", "", text, flags=re.S)
            ), text


def test_issues_name_no_file() -> None:
    for seed in range(60):
        made = drawn(seed, 1, far=1, style="misleading")
        assert not re.search(r"\w+\.py\b", made.issue)


# ---- hidden probes against wrong programs -------------------------------------------------------------------------


def wrong_sources(part: Part, case: Case, count: int) -> list[tuple[str, str]]:
    """Mutants of the right program in the functions that a case changes."""
    found = []
    for patch in case.patches:
        source = load_parts()[patch.module].source
        start = source[: source.index(patch.right)].count("\n")
        lines = range(max(start - 6, 0), start + patch.right.count("\n") + 8)
        for mutant in mutants(source, Draw("mutants", case.name), lines=lines):
            found.append((patch.module, mutant.source))
            if len(found) >= count:
                return found
    return found


def survivors(case: Case, count: int) -> tuple[int, list[str]]:
    """Count mutants that a long battery of probes notices, and list those of them that the judge's does not."""
    part, wrong = load_parts()[case.part], 0
    files = files_of(part)
    modules = {name: f"pkg/{name}.py" for name in load_parts()}
    probes = {f"probes_{name}.py": load_parts()[name].probes for name in {case.part, *case.modules()}}
    right, long = run_probes(files, probes, LIMITS), run_probes(files, probes, LIMITS, 150)
    left = []
    for module, source in wrong_sources(part, case, count):
        changed = {**files, modules[module]: source}
        if run_probes(changed, probes, LIMITS).differing(right):
            wrong += 1
        elif run_probes(changed, probes, LIMITS, 150).differing(long):
            wrong += 1
            left.append(workspace.difference(files, changed))
    return wrong, left


@needs_sandbox
@pytest.mark.slow
def test_probes_kill_mutants_of_right_patches() -> None:
    total, left = 0, list[str]()
    for case in CASES[::10]:
        wrong, missed = survivors(case, 30)
        total, left = total + wrong, left + missed
    assert total >= 100
    assert len(left) <= 0.01 * total, left


def test_compose_takes_parts_of_ones_own() -> None:
    part = load_parts()["money"]
    made = compose([part], [part.cases[0]], "plain", 3)
    assert made.name in made.issue or part.cases[0].examples[0].code.split(".")[-1] in made.issue
