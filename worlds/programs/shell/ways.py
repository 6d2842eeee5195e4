"""Ways to reach the goals of a task: the oracle's commands, and equivalent ones."""

from collections.abc import Sequence

from turnwise.worlds.programs.shell.check import literal_commands
from turnwise.worlds.programs.shell.draw import Task
from turnwise.worlds.programs.shell.goal import python_of

__all__ = ["next_commands", "solution"]

_EMPTIED = "mkdir -p ~/main && cd ~/main && chmod -R u+rwx . && find . -mindepth 1 -delete"


def solution(task: Task, first: int = 0) -> str:
    """Return one command that reaches the goals from that number on."""
    return "\n".join(goal.script(dict(task.start)) for goal in task.goals[first:])


def next_commands(task: Task, commands: Sequence[str], turns: int) -> list[str]:
    """Return commands each of which is right as the next one, the oracle's first; empty if nothing is left to do.

    Args:
        task: The task.
        commands: Commands run in the shell so far.
        turns: Number of turns left.
    """
    steps = [goal.script(dict(task.start)) for goal in task.goals]
    before = list(commands[:-1])
    if list(commands) == steps[: len(commands)]:
        return _ways(task, len(commands), turns) if len(commands) < len(steps) else []
    if before == steps[: len(before)] and commands[-1] in _ways(task, len(before), turns):
        return []
    again = _from_scratch(task)
    if commands[-1] == again or all(goal.answer(dict(task.start)) for goal in task.goals):
        return []
    return [again]  # something else was done: the state is unknown


def _from_scratch(task: Task) -> str:
    return f"{_EMPTIED}\n{literal_commands({}, task.wanted())}"


def _ways(task: Task, done: int, turns: int) -> list[str]:
    rest = task.goals[done:]
    whole = solution(task, done)
    so_far = Task(task.start, task.goals[:done]).wanted()
    return [
        rest[0].script(dict(task.start)) if turns > len(rest) else whole,
        whole,
        python_of(goal.python() for goal in rest),
        literal_commands(so_far, task.wanted()),
        f"cd / && cd ~/main\n{{ {whole}\n}} 2>&1",
        _from_scratch(task),
    ]
