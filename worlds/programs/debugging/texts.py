"""The prompts of Debugging."""

from collections.abc import Iterable

from turnwise.core.draw import Draw
from turnwise.worlds.programs.debugging.domains import DOMAINS
from turnwise.worlds.programs.debugging.kinds import FunctionTask, InputTask, LineTask, StepTask, Task
from turnwise.worlds.programs.debugging.systems import SYSTEMS
from turnwise.worlds.programs.library.programs import draw_call, part_of

__all__ = ["asked", "look"]


def asked(task: Task, hints: bool) -> str:
    """Write the question and the format of its answer."""
    if isinstance(task, LineTask):
        return _asked_line(task, hints)
    if isinstance(task, FunctionTask):
        return _asked_function(task, hints)
    return _asked_input(task, hints) if isinstance(task, InputTask) else _asked_step(task, hints)


def _asked_function(task: FunctionTask, hints: bool) -> str:
    names = f" They are: {', '.join(task.candidates)}." if hints else ""
    return (
        f"A service offers {len(task.candidates)} functions from the modules {', '.join(sorted(task.modules))}. "
        "Given valid arguments, all of them do what their docstrings say, except for one. Which one is it?"
        f"{names}\n\nTheir code is not available, but you can call them. Some calls:\n\n{_code(_examples(task))}\n\n"
        "The files in the working directory of your Python interpreter have the signatures and docstrings of all "
        "functions, with examples of valid arguments. Answer in the form <answer>module.function</answer>."
    )


def _asked_step(task: StepTask, hints: bool) -> str:
    system = SYSTEMS[task.system]
    check = " `sound(n)` tells you whether it does after the first n steps." if hints else ""
    return (
        f"A service has taken {len(task.steps)} steps, and somewhere on the way a bug has corrupted its state. Each "
        f"is one of these:\n\n{system.steps}\n\nYour Python interpreter has them all as the list `steps`. The last "
        f"ones are\n\n{_code(map(repr, task.steps[-5:]))}\n\nThe code of the service is not available, but you can "
        "call `state(n)`, which returns the attributes of the service after its first n steps, as a dictionary. For a "
        f"named `system`, this must always hold:\n\n> {system.invariant}\n\nIt holds at the start (n = 0).{check} "
        "which step is it violated for the first time? Answer with the index N of that step in `steps`, counted from "
        "0, in the form <answer>N</answer>."
    )


def _asked_line(task: LineTask, hints: bool) -> str:
    files = task.files
    modules = ", ".join(f"`{path.removesuffix('.py')}`" for path in sorted(files))
    text = (
        f"The module{'s' * (len(files) > 1)} {modules} {'are' if len(files) > 1 else 'is'} imported in a live Python "
        "interpreter; the source is in the working directory. Exactly one line of it is wrong, so the program does not "
        "do everything its docstrings say. The docstrings are correct. Here is a call that goes wrong:\n\n"
        f"{task.symptom}\n\nWhich line is it, and what should it be? Answer with the file, the line number (from 1) "
        "the whole corrected line, in the form <answer>main.py:12: x = 1</answer>; the line keeps its indentation. "
        "With that line the program must pass hidden tests."
    )
    if not hints:
        return text
    for path in sorted(files):
        lines = files[path].removesuffix("\n").split("\n")
        text += "\n\n" + "\n".join([f"--- {path}", *(f"{n}\t{line}" for n, line in enumerate(lines, 1))])
    return text


def _asked_input(task: InputTask, hints: bool) -> str:
    part = part_of(*task.unit)
    kinds = [DOMAINS[kind].words for kind in task.kinds]
    arguments = "\n".join(f"{n}. {words}" for n, words in enumerate(kinds, 1))
    form = ", ".join(f"ARGUMENT{n}" for n in range(1, len(kinds) + 1)) if len(kinds) > 1 else "ARGUMENT"
    text = (
        f"The function `{task.function}` in `{part.name}.py` has been rewritten to be faster. For a few arguments, the "
        "new version does not behave like the old one. Find such arguments:\n\n"
        f"{arguments}\n\nTypical calls look like this:\n\n"
        f"{_code(f'{task.function}({args})' for args in _typical(task))}\n\n"
        "The old version is `slow` in your Python interpreter, and its file is in the working directory. The new one "
        "`fast`: its code is not available, but you can call it. Answer with the arguments as Python literals "
        f"separated by commas, in the form <answer>{form}</answer>."
    )
    return f"{text}\n\n--- {part.name}.py\n{part.source}" if hints else text


def _code(lines: Iterable[str]) -> str:
    return "\n".join(["```python", *lines, "```"])


def _examples(task: FunctionTask) -> list[str]:
    """Write valid calls of some functions."""
    draw = Draw("Debugging examples", task.seed)
    left = [(part, name) for part in task.program.parts.values() for name in part.signatures]
    calls = [draw_call(draw, *draw.take(left)) for _ in range(3)]
    return [f"{task.names.function(call.function)}({', '.join(map(repr, call.args))})" for call in calls]


def _typical(task: InputTask) -> list[str]:
    """Write typical arguments, with which the functions hardly ever differ."""
    draw = Draw("Debugging arguments", task.unit, task.function, task.trigger, task.edit.start, task.edit.text)
    calls = [draw_call(draw, part_of(*task.unit), task.function) for _ in range(3)]
    return [", ".join(map(repr, call.args)) for call in calls]


def look(task: Task) -> str:
    """Write a first look at the program."""
    if isinstance(task, LineTask):
        path, line, _ = task.solution
        return f"print(open({path!r}).read().split('\\n')[{line - 1}])"
    if isinstance(task, FunctionTask):
        return f"print(open('{task.solution.partition('.')[0]}.pyi').read())"
    if isinstance(task, InputTask):
        arguments = ", ".join(map(repr, task.witness.args))
        return f"slow({arguments})"
    return f"print(len(steps), steps[{task.solution}])"
