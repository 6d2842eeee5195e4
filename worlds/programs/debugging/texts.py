"""The prompts of Debugging."""

from collections.abc import Iterable, Sequence

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


_SERVICES = (
    "A service offers {count} functions from the modules {modules}.",
    "After last night's deployment of a service, a regression is somewhere in its {count} functions (modules "
    "{modules}).",
    "Support has traced a complaint to a service with {count} functions, from the modules {modules}, but no further.",
    "A service with {count} functions, from the modules {modules}, was ported to another host, and one of them has "
    "not survived it.",
)
_STATES = (
    "A service has taken {count} steps, and somewhere on the way a bug has corrupted its state.",
    "In the nightly audit, the state of a service turned out to be corrupt. By then it had taken {count} steps.",
    "A replay of the event log of a service ends in a state that cannot be right. By the end it had taken {count} "
    "steps.",
    "The consistency check of a service fails. Since it was started, it has taken {count} steps.",
)
_PROGRAMS = (
    "Exactly one line of it is wrong, so the program does not do everything its docstrings say.",
    "A recent commit broke exactly one line of it, and the program no longer does everything its docstrings say.",
    "Somebody made a mistake in exactly one line of it while tidying up, so it no longer does everything its "
    "docstrings say.",
    "A merge went wrong in exactly one line of it, and what it does is no longer what its docstrings say.",
)
_TWINS = (
    "The function `{function}` in `{path}` has been rewritten to be faster. For a few arguments, the new version does "
    "not behave like the old one.",
    "A pull request makes the function `{function}` in `{path}` faster, and all existing tests pass. Even so, for a "
    "few arguments the new version does not behave like the old one, and the review needs a counterexample.",
    "We switched to a faster version of the function `{function}` in `{path}` last week. Since then a few results "
    "have been different: for some arguments it does not behave like the old one, and nobody has noted which.",
    "A fuzzer found out overnight that the faster version of the function `{function}` in `{path}` does not behave "
    "like the old one for a few arguments. Unfortunately its log is gone.",
)


def _opening(texts: Sequence[str], key: object, **words: object) -> str:
    """How the bug came up; the same task is always introduced in the same way."""
    return Draw("Debugging opening", repr(key)).choice(texts).format(**words)


def _asked_function(task: FunctionTask, hints: bool) -> str:
    names = f" They are: {', '.join(task.candidates)}." if hints else ""
    modules = ", ".join(sorted(task.modules))
    return (
        f"{_opening(_SERVICES, (task.seed, task.solution), count=len(task.candidates), modules=modules)} "
        "Given valid arguments, all of them do what their docstrings say, except for one. Which one is it?"
        f"{names}\n\nTheir code is not available, but you can call them. Some calls:\n\n{_code(_examples(task))}\n\n"
        "The files in the working directory of your Python interpreter have the signatures and docstrings of all "
        "functions, with examples of valid arguments. Answer in the form <answer>module.function</answer>."
    )


def _asked_step(task: StepTask, hints: bool) -> str:
    system = SYSTEMS[task.system]
    check = " `sound(n)` returns whether it does after the first n steps." if hints else ""
    return (
        f"{_opening(_STATES, task.steps, count=len(task.steps))} Each is one of these:\n\n{system.steps}\n\n"
        "Your Python interpreter has them all as the list `steps`. The last ones are\n\n"
        f"{_code(map(repr, task.steps[-5:]))}\n\nThe code of the service is not available, but you can "
        "call `state(n)`, which returns the attributes of the service after its first n steps, as a dictionary. Call "
        f"that state `system`; then this must always hold:\n\n> {system.invariant}\n\nIt holds at the start "
        f"(n = 0).{check} Which step violates it first? Answer with the index N of that step in `steps`, counted "
        "from 0, in the form <answer>N</answer>."
    )


def _asked_line(task: LineTask, hints: bool) -> str:
    files = task.files
    modules = ", ".join(f"`{path.removesuffix('.py')}`" for path in sorted(files))
    text = (
        f"The module{'s' * (len(files) > 1)} {modules} {'are' if len(files) > 1 else 'is'} imported in a live Python "
        f"interpreter; the source is in the working directory. {_opening(_PROGRAMS, (task.seed, task.symptom))} "
        f"The docstrings are correct. Here is a call that goes wrong:\n\n{task.symptom}\n\n"
        "Which line is it, and what should it be? Answer with the file, the line number (counted from 1) and the whole "
        "corrected line, in the form <answer>main.py:12: x = 1</answer>; the line keeps its indentation. "
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
    typical = _typical(task)
    text = (
        f"{_opening(_TWINS, typical, function=task.function, path=f'{part.name}.py')} Find such arguments:\n\n"
        f"{arguments}\n\nTypical calls look like this:\n\n"
        f"{_code(f'{task.function}({args})' for args in typical)}\n\n"
        f"{_known(task)}"
        "The old version is `slow` in your Python interpreter, and its file is in the working directory. The new one "
        "is `fast`: its code is not available, but you can call it. Answer with the arguments as Python literals"
        f"{' separated by commas' if len(kinds) > 1 else ''}, in the form <answer>{form}</answer>."
    ).replace("the arguments as Python literals, in", "the argument as a Python literal, in")
    return f"{text}\n\n--- {part.name}.py\n{part.source}" if hints else text


def _known(task: InputTask) -> str:
    """What is known about an input on which the two differ; a fact that nobody remembers may matter too."""
    if not task.known:
        return ""
    *before, last = task.known
    which = "the argument" if len(task.kinds) == 1 else "the first argument"
    return (
        "Typical calls do not show it. The one call that did was not kept, but somebody remembers this about "
        f"{which}: {', '.join(before)} and {last}. That may not be all that matters.\n\n"
    )


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
