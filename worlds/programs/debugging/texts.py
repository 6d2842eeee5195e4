"""The prompts of Debugging."""

from turnwise.worlds.programs.debugging.domains import DOMAINS
from turnwise.worlds.programs.debugging.kinds import FunctionTask, InputTask, LineTask, Task
from turnwise.worlds.programs.debugging.systems import SYSTEMS
from turnwise.worlds.programs.library.programs import part_of

__all__ = ["asked", "look"]


def asked(task: Task, hints: bool) -> str:
    """Write the question and the format of its answer."""
    if isinstance(task, LineTask):
        return _asked_line(task, hints)
    if isinstance(task, FunctionTask):
        names = f" They are: {', '.join(task.candidates)}." if hints else ""
        return (
            f"The modules {', '.join(sorted(task.modules))} are loaded in a live Python interpreter. Their source is "
            "not available: you only have the objects, with their docstrings and bytecode. Exactly one of their "
            f"{len(task.candidates)} functions and methods with a docstring does not do what its docstring says, "
            f"because of a bug in its own code (others may misbehave because they call it).{names} Which one is it? "
            "Answer in the form <answer>module.function</answer> or <answer>module.Class.method</answer>."
        )
    if isinstance(task, InputTask):
        return _asked_input(task, hints)
    system = SYSTEMS[task.system]
    check = " sound(system) returns whether it holds." if hints else ""
    return (
        "The class System is loaded in a live Python interpreter. Its source is not available: you only have the "
        f"objects and the bytecode of its methods. The list steps has {len(task.steps)} steps; system is a System() "
        "on which system.apply(step) has been called for each of them in order. The steps are "
        f"{system.steps}. Invariant: {system.invariant}.{check} The invariant holds for a new System(), but a bug in "
        "the class breaks it. After which step is it violated for the first time? Answer with the index N of that step "
        "in steps, counted from 0, in the form <answer>N</answer>."
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
        f"There are two functions in a live Python interpreter, slow and fast. slow is {task.function} of "
        f"{part.name}.py, which is in the working directory; for fast there is only bytecode, no source. For a few "
        f"arguments they behave differently. Find such arguments: {arguments}. Answer with the arguments as Python "
        f"literals separated by commas, in the form <answer>{form}</answer>."
    )
    return f"{text}\n\n--- {part.name}.py\n{part.source}" if hints else text


def look(task: Task) -> str:
    """Write a first look at the program."""
    if isinstance(task, LineTask):
        path, line, _ = task.solution
        return f"print(open({path!r}).read().split('\\n')[{line - 1}])"
    if isinstance(task, FunctionTask):
        return f"print({task.solution}.__doc__)"
    if isinstance(task, InputTask):
        arguments = ", ".join(map(repr, task.witness.args))
        return f"slow({arguments})"
    return f"print(len(steps), steps[{task.solution}])"
