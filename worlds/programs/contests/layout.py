"""Arguments as text that a program reads, and the words that describe them.

>>> from turnwise.worlds.programs.contests.kernel import Arg
>>> args = (Arg("a", "ints", "the numbers", "n"), Arg("k", "int", "the limit"))
>>> written(args, ([4, 5], 1))
['2 1', '4 5']
"""

from collections.abc import Callable, Sequence
from typing import Any

from turnwise.worlds.programs.contests.kernel import Arg, Kernel

__all__ = ["answers", "described", "reader", "signature", "size_of", "stdin_of", "stdout_of", "written"]

_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def _counted(args: Sequence[Arg]) -> list[tuple[Arg, bool]]:
    """Return the arguments, each with whether its length is written on the first line."""
    seen: set[str] = {arg.name for arg in args if arg.kind == "int"}
    found = []
    for arg in args:
        new = arg.kind in ("ints", "rows", "grid") and arg.count.isidentifier() and arg.count not in seen
        seen.add(arg.count)
        found.append((arg, new))
    return found


def written(args: Sequence[Arg], values: Sequence[Any]) -> list[str]:
    """Write arguments as lines."""
    head: list[int] = []
    lines: list[str] = []
    for (arg, counted), value in zip(_counted(args), values, strict=True):
        if arg.kind == "int":
            head.append(value)
        elif arg.kind == "text":
            lines.append(value)
        else:
            if counted:
                head += [len(value), len(value[0])] if arg.kind == "grid" else [len(value)]
            if arg.kind == "ints":
                lines.append(" ".join(map(str, value)))
            else:
                lines += value if arg.kind == "grid" else [" ".join(map(str, row)) for row in value]
    return [" ".join(map(str, head)), *lines] if head else lines


def stdin_of(kernel: Kernel, args: Sequence[Arg], cases: Sequence[Sequence[Any]]) -> str:
    """Write test cases as what a program reads."""
    lines = [str(len(cases))]
    for values in cases:
        if not kernel.ops:
            lines += written(args, values)
            continue
        *first, ops = values
        lines.append(" ".join(map(str, [*first, len(ops)])))
        lines += [" ".join(map(str, op)) for op in ops]
    return "\n".join(lines) + "\n"


def stdout_of(kernel: Kernel, results: Sequence[Any]) -> str:
    """Write the results of test cases as what a program prints."""
    if kernel.ops:
        return "".join(f"{value}\n" for result in results for value in result)
    return "".join(f"{result}\n" for result in results)


def answers(kernel: Kernel, ops: Sequence[Sequence[Any]], thing: Any) -> list[Any]:
    """Apply operations to an object and return what those that answer returned."""
    answering = {op.name for op in kernel.ops if op.answers}
    found = []
    for name, *args in ops:
        result = getattr(thing, name)(*args)
        if name in answering:
            found.append(result)
    return found


def signature(args: Sequence[Arg]) -> str:
    """Return the parameters of the function."""
    return ", ".join(arg.name for arg in args)


def size_of(values: Sequence[Any]) -> int:
    """Return the number of numbers and letters in arguments, roughly."""
    return sum(len(value) * (len(value[0]) if value and not isinstance(value[0], int) else 1) if hasattr(value,
        "__len__") else 1
               for value in values)  # fmt: skip


# ---- words ----------------------------------------------------------------------------------------------------------


def described(kernel: Kernel, args: Sequence[Arg], form: str, name: str, say: Callable[[str], str]) -> list[str]:
    """Describe input and output; ``say`` fills the holes of words."""
    if form == "function":
        return _function(args, name, say(kernel.result), say)
    if form == "class":
        return _class(kernel, args, name, say)
    return _stdin(kernel, args, say)


def _function(args: Sequence[Arg], name: str, result: str, say: Callable[[str], str]) -> list[str]:
    lines = [f"Write a function `{name}({signature(args)})`:"]
    for arg in args:
        what = say(arg.say)
        kind = {
            "int": "an integer",
            "ints": f"a list of {arg.count} integers",
            "text": "a string",
            "grid": "a list of strings of equal length",
            "rows": f"a list of {arg.count} lists [{', '.join(say(arg.cols).split())}] of integers",
        }[arg.kind]
        lines.append(f"- `{arg.name}` is {kind}: {what}.")
    return [*lines, f"It returns an integer: {result}."]


def _class(kernel: Kernel, args: Sequence[Arg], name: str, say: Callable[[str], str]) -> list[str]:
    given = _and([f"`{arg.name}` is {say(arg.say)}" for arg in args]) if args else ""
    made = f" `{name}({signature(args)})` makes an object; {given}." if args else ""
    lines = [f"Write a class `{name}`.{made} All numbers are integers. Its methods:"]
    for op in kernel.ops:
        parameters = ", ".join(say(op.args).split())
        lines.append(f"- `{op.name}({parameters})` {say(op.say)}.")
    return lines


def _stdin(kernel: Kernel, args: Sequence[Arg], say: Callable[[str], str]) -> list[str]:
    head: list[str] = []
    body: list[str] = []
    for arg, counted in _counted(args):
        what = say(arg.say)
        if arg.kind == "int":
            head.append(f"{arg.name} ({what})")
        elif arg.kind == "text":
            body.append(f"one line with {arg.name} ({what})")
        elif arg.kind == "grid":
            head.append("the height and the width of the grid")
            body.append(f"one line for each row ({what})")
        else:
            if counted:
                head.append(f"{arg.count}")
            if arg.kind == "ints":
                body.append(f"one line with {arg.count} numbers ({what})")
            else:
                body.append(f"{arg.count} lines with the numbers {_and(say(arg.cols).split())} each ({what})")
    if kernel.ops:
        head.append("q, the number of operations")
        body.append("q lines with one operation each")
    lines = [
        "Write a program that reads from standard input.",
        "The first line contains T, the number of test cases. Each test case has",
    ]
    parts = [f"one line with {_and(head)}", *body] if head else body
    lines[-1] += ":"
    lines += [f"- {part}{';' if i + 1 < len(parts) else '.'}" for i, part in enumerate(parts)]
    if kernel.ops:
        lines.append("The operations:")
        for op in kernel.ops:
            written_op = " ".join([op.name, *say(op.args).split()])
            does = say(op.say).replace("it returns", "it prints").replace("returns", "prints")
            lines.append(f"- `{written_op}` {does}.")
        lines.append("Print each answer on a line of its own.")
    else:
        lines.append(f"For each test case, print one line with {say(kernel.result)}.")
    return lines


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) < 2 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def reader(kernel: Kernel, args: Sequence[Arg], name: str) -> str:
    """Return the part of a program that reads the test cases, calls the function, and prints."""
    lines = [
        "",
        "",
        "def main():",
        "    data = iter(sys.stdin.read().split())",
        "    out = []",
        "    for _ in range(int(next(data))):",
    ]
    take = "int(next(data))"
    lengths: dict[str, str] = {}
    late: list[str] = []
    for arg, counted in _counted(args):
        if arg.kind == "int":
            lines.append(f"        {arg.name} = {take}")
            lengths[arg.name] = arg.name
            continue
        if arg.kind == "text":
            late.append(f"        {arg.name} = next(data)")
            continue
        if counted:
            variable = f"len_{arg.count}"
            lines.append(f"        {variable} = {take}{', ' + take if arg.kind == 'grid' else ''}")
            lengths[arg.count] = f"{variable}[0]" if arg.kind == "grid" else variable
        length = lengths[arg.count] if arg.count in lengths else f"{lengths[arg.count.partition(' ')[0]]} - 1"
        if arg.kind == "ints":
            late.append(f"        {arg.name} = [{take} for _ in range({length})]")
        elif arg.kind == "grid":
            late.append(f"        {arg.name} = [next(data) for _ in range({length})]")
        else:
            late.append(
                f"        {arg.name} = [[{take} for _ in range({len(arg.cols.split())})] for _ in range({length})]"
            )
    lines += late
    if kernel.ops:
        lines += [f"        thing = {name}({signature(args)})", f"        for _ in range({take}):"]
        lines += ["            op = next(data)"]
        for op in kernel.ops:
            lines += [
                f"            if op == {op.name!r}:",
                f"                out.append(thing.{op.name}(ARGS_{op.name}))",
            ]
    else:
        lines.append(f"        out.append({name}({signature(args)}))")
    return "\n".join([*lines, '    print("\\n".join(map(str, out)))', "", "", "main()", ""])
