"""CodeOutput's programs: that they run, hold nothing unused, and are about what their names say."""

import ast
import re
import subprocess
import sys
from collections import Counter

import pytest

from tests.envs.code.test_code_output import answer, env_of
from turnwise.core.draw import Draw
from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.envs.code.code_output import CodeOutput
from turnwise.worlds.programs.generated.literal import read_literal, same
from turnwise.worlds.programs.generated.running import Watched
from turnwise.worlds.programs.generated.scripts import draw_script, load_scripts


def scripts(count: int, level: int = 9) -> list[CodeOutput]:
    env = env_of(difficulty=level)
    found = []
    for seed in range(count):
        env.reset(seed=seed_of("scripts", seed))
        found.append(env.fork())
    return found


@pytest.mark.slow
def test_every_report_is_met_and_its_variations_can_be_run() -> None:
    met: Counter[tuple[str, str]] = Counter()
    for seed in range(30 * len(load_scripts())):
        script = load_scripts()[seed % len(load_scripts())]
        draft = draw_script(Draw("parts", seed), 1 + seed % 5, 6 + seed % 6, script)
        source = draft.rough()
        value = Watched(source, draft.name).call()
        assert same(read_literal(repr(value)), value), source
        met.update((script.name, one) for one in re.findall(r"def (\w+)", source))
    wanted = {(script.name, one) for script in load_scripts() for part in script.parts
              for one in re.findall(r"^def (\w+)", part.text, re.MULTILINE)}  # fmt: skip
    assert wanted <= met.keys()


def unused(source: str, main: str) -> set[str]:
    """Names that a program defines, imports or assigns and that nothing in it reads."""
    tree = ast.parse(source)

    def names(node: ast.AST, kind: type[ast.expr_context]) -> set[str]:
        return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, kind)}

    read = names(tree, ast.Load) | {main}
    members = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)}
    if "getattr" in read:
        texts = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]
        members |= {word for text in texts if isinstance(text, str) for word in text.split()}
    found = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)} - members
    functions = []
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.name for alias in node.names} - read
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found |= {node.name} - read
        else:
            found |= names(node, ast.Store) - read
        if isinstance(node, ast.FunctionDef):
            functions.append(node)
        if isinstance(node, ast.ClassDef):
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            found |= {one.name for one in methods if not one.name.startswith("__")} - members
            if "order=True" not in source:  # whose fields are compared
                fields = [one.target.id for one in node.body if isinstance(one, ast.AnnAssign)]  # type: ignore[union-attr]
                found |= set(fields) - members
            functions += methods
    for one in functions:
        called = {arg.arg for arg in one.args.args} if one.name == "__init__" or one in tree.body else set()
        found |= (names(one, ast.Store) | called) - names(one, ast.Load) - {"self", "_"}
    return found


@pytest.mark.parametrize("level", [6, 9])
def test_programs_have_nothing_that_is_not_used(level: int) -> None:
    for env in scripts(60, level):
        source = env.task.source
        assert not unused(source, env.task.name), source
        assert ast.get_docstring(ast.parse(source))
        assert not any(mark in source for mark in ("{%", "\n\n\n\n", " \n")), source
        assert max(map(len, source.splitlines())) <= 120


def test_what_is_left_out_of_programs_changes_nothing() -> None:
    for number, script in enumerate(load_scripts() * 3):
        draft = draw_script(Draw("shorter", number), 1 + number // len(load_scripts()), 7, script)
        rough, source = draft.rough(), draft.source()
        assert len(source) <= len(rough)
        assert repr(Watched(source, draft.name).call()) == repr(Watched(rough, draft.name).call()), source


PASSES = re.compile(r"^ *(if|elif|for|while|finally)\b.*:\n +pass$", re.MULTILINE)


def test_what_is_left_out_leaves_no_gaps() -> None:
    for number, script in enumerate(load_scripts() * 2):
        draft = draw_script(Draw("gaps", number), 1 + number // len(load_scripts()), 7, script)
        source = draft.source()
        tree = ast.parse(source)
        assert not PASSES.search(source), source
        assert not re.search(r"\n\n\n(?= )|:\n\n+ ", source), source
        assert not re.search(r"^ *_(, _)* = ", source, re.MULTILINE), source
        statements = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
        assert all(isinstance(one, (ast.Call, ast.Constant, ast.Yield, ast.YieldFrom)) for one in statements), source


def test_no_program_is_drawn_often() -> None:
    for level in (6, 9):
        names = Counter(ast.get_docstring(ast.parse(env.task.source)) for env in scripts(48, level))
        assert max(names.values()) <= 5
    assert len(names) >= 30  # of 48 at level 9, where the docstring is the program's


def test_a_program_with_one_report_is_named_after_it() -> None:
    names = [part.alone for script in load_scripts() for part in script.parts]
    assert len(set(names)) == len(names)
    for script in load_scripts():
        for part in script.parts:
            assert part.purpose.endswith("."), part.key
            assert not re.search(rf"^(def |class )?{part.alone}\b", script.core + part.text, re.MULTILINE), part.alone


def test_no_job_of_the_queue_starts_before_it_arrives() -> None:
    script = next(script for script in load_scripts() if script.name == "scheduler_report")
    simulated = 0
    for number in range(60):
        draft = draw_script(Draw("jobs", number), 4, 9, script)
        exec(draft.rough(), space := {"__name__": "program"})
        if "simulate" in space:
            simulated += 1
            for workers in (1, 2, 3):
                runs = space["simulate"](space["load"](space["JOBS"]), workers)  # type: ignore[operator]
                assert all(job.arrives <= start for job, start, _ in runs)
                busy = [sum(start <= at < end for _, start, end in runs) for _, at, _ in runs]
                assert max(busy) <= workers
    assert simulated > 5


def test_results_do_not_depend_on_the_order_of_sets() -> None:
    """In processes with other seeds of hashes, and so for strings in any order."""
    found = scripts(40)
    source = "".join(
        f"space = {{'__name__': 'program'}}\nexec({env.task.source!r}, space)\n"
        f"print(repr(space[{env.task.name!r}]()))\n"
        for env in found
    )
    wanted = [env.task.result for env in found]
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", source], capture_output=True, text=True, env={"PYTHONHASHSEED": seed}, check=True
        )
        assert done.stdout.splitlines() == wanted


def test_what_a_program_returns_does_not_stand_in_it() -> None:
    for env in scripts(30, level=6):
        assert 20 <= env.task.source.count("\n") <= 150
        values = [node.value for node in ast.walk(ast.parse(env.task.source)) if isinstance(node, ast.Constant)]
        assert read_literal(env.task.result) not in values
        assert answer(env, env.oracle())[1] == 1.0


def test_only_the_output_of_such_programs_is_asked_for() -> None:
    for mode in ("input", "trace"):
        with pytest.raises(SettingsError, match="form='function'"):
            env_of(mode=mode, form="program")
