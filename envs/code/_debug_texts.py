"""What Debugging asks, in words."""

from turnwise.envs.code._debug_domains import DOMAINS
from turnwise.envs.code._debug_kinds import FunctionTask, InputTask, LineTask, Task
from turnwise.envs.code._debug_systems import SYSTEMS
from turnwise.envs.code._library import part_of

__all__ = ["asked", "look"]


def asked(task: Task, hints: bool) -> str:
    """The question, and what an answer looks like."""
    if isinstance(task, LineTask):
        return _asked_line(task, hints)
    if isinstance(task, FunctionTask):
        names = f" They are: {', '.join(task.candidates)}." if hints else ""
        return (
            f"In a live Python interpreter the modules {', '.join(sorted(task.modules))} are loaded. There is no "
            "source text of them: what is left are the objects, with their docstrings and their bytecode. Exactly one "
            f"of their {len(task.candidates)} described functions and methods does not do what its docstring says, by"
            f" a fault in its own code (others may go wrong because they call it).{names} "
            "Which one? Answer as <answer>module.function</answer> or <answer>module.Class.method</answer>."
        )
    if isinstance(task, InputTask):
        return _asked_input(task, hints)
    system = SYSTEMS[task.system]
    check = " sound(system) says whether it holds." if hints else ""
    return (
        "In a live Python interpreter the class System is loaded. There is no source text of it: what is left are the "
        "objects, and the bytecode of its methods. The list steps has "
        f"{len(task.steps)} steps, and system is a System() after system.apply(step) for each of them in turn. The "
        f"steps are {system.steps}. Invariant: {system.invariant}.{check} It holds for a new System(), but a fault in "
        "the class breaks it. After which step does it fail for the first time? Answer with the index of that step in "
        "steps, from 0, as <answer>12</answer>."
    )


def _asked_line(task: LineTask, hints: bool) -> str:
    files = task.files
    modules = ", ".join(path.removesuffix(".py") for path in sorted(files))
    text = (
        f"In a live Python interpreter the modules {modules} are imported; their files are in the working directory. "
        "Exactly one line of them is wrong: the program does not do all that its docstrings say, which are right. "
        f"{task.symptom} Which line is it, and what should it be? Answer with the file, the number of the line from 1 "
        "and the code of the whole line, whose indentation stays, as <answer>main.py:12: x = 1</answer>. The program "
        "must pass hidden tests with it."
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
    text = (
        f"In a live Python interpreter there are two functions, slow and fast. slow is {task.function} of "
        f"{part.name}.py, which is in the working directory; of fast there is no source text, only bytecode. For few "
        f"arguments they do not do the same. Find such arguments: {arguments}. Answer with Python literals, with "
        f"commas between the arguments, as <answer>{', '.join(['[1, 2]', '3', '4'][: len(kinds)])}</answer>."
    )
    return f"{text}\n\n--- {part.name}.py\n{part.source}" if hints else text


def look(task: Task) -> str:
    """A first look at the thing."""
    if isinstance(task, LineTask):
        path, line, _ = task.solution
        return f"print(open({path!r}).read().split('\\n')[{line - 1}])"
    if isinstance(task, FunctionTask):
        return f"print({task.solution}.__doc__)"
    if isinstance(task, InputTask):
        arguments = ", ".join(map(repr, task.witness.args))
        return f"slow({arguments})"
    return f"print(len(steps), steps[{task.solution}])"
