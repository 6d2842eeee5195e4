"""The prompts of Debugging."""

from turnwise.core.draw import Draw
from turnwise.worlds.programs.debugging.domains import DOMAINS
from turnwise.worlds.programs.debugging.kinds import FunctionTask, InputTask, LineTask, Task
from turnwise.worlds.programs.debugging.systems import SYSTEMS
from turnwise.worlds.programs.library.programs import draw_call, part_of

__all__ = ["asked", "look"]


def asked(task: Task, hints: bool) -> str:
    """Write the question and the format of its answer."""
    if isinstance(task, LineTask):
        return _asked_line(task, hints)
    if isinstance(task, FunctionTask):
        names = f" They are: {', '.join(task.candidates)}." if hints else ""
        return (
            f"A service offers {len(task.candidates)} functions of the modules {', '.join(sorted(task.modules))}. "
            "Their code is not available, but you can call them. The files in the working directory of your Python "
            "interpreter have their signatures and docstrings, with examples of valid arguments. For valid arguments, "
            f"exactly one function does not do what its docstring says.{names} Calls are such as "
            f"{'; '.join(_examples(task))}. Which one is it? Answer in the form "
            "<answer>module.function</answer>."
        )
    if isinstance(task, InputTask):
        return _asked_input(task, hints)
    system = SYSTEMS[task.system]
    check = " sound(n) returns whether it holds then." if hints else ""
    return (
        f"A service has taken {len(task.steps)} steps; your Python interpreter has them as the list steps. They are "
        f"{system.steps}. The last are {', '.join(map(repr, task.steps[-5:]))}. "
        "The code of the service is not available, but you can call state(n), which returns its "
        f"attributes after the first n steps, as a dictionary. Invariant of a service named system: {system.invariant}."
        f"{check} It holds for n = 0, but a bug breaks it. After which step is it violated for the first time? Answer "
        "with the index N of that step in steps, counted from 0, in the form <answer>N</answer>."
    )


def _asked_line(task: LineTask, hints: bool) -> str:
    files = task.files
    modules = ", ".join(path.removesuffix(".py") for path in sorted(files))
    text = (
        f"The module{'s' * (len(files) > 1)} {modules} {'are' if len(files) > 1 else 'is'} imported in a live Python "
        "interpreter; the source is in the working directory. "
        "Exactly one line of it is wrong, so that the program does not do everything its docstrings say. The "
        f"docstrings are correct. {task.symptom} Which line is it, and what should it be? Answer with the file, the "
        "line number (from 1) and the whole corrected line, in the form <answer>main.py:12: x = 1</answer>; the line "
        "keeps its indentation. With that line the program must pass hidden tests."
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
    arguments = kinds[0] if len(kinds) == 1 else "; ".join(f"({n}) {words}" for n, words in enumerate(kinds, 1))
    form = ", ".join(f"ARGUMENT{n}" for n in range(1, len(kinds) + 1)) if len(kinds) > 1 else "ARGUMENT"
    text = (
        f"The function {task.function} of {part.name}.py has been rewritten to be faster. The old one is slow in your "
        "Python interpreter, and the file is in its working directory. The new one is fast: its code is not available, "
        "but you can call it. For a few arguments they behave differently. Find such arguments: "
        f"{arguments}. Typical ones are {'; '.join(_typical(task))}. "
        "Answer with the arguments as Python literals separated by commas, in the form "
        f"<answer>{form}</answer>."
    )
    return f"{text}\n\n--- {part.name}.py\n{part.source}" if hints else text


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
