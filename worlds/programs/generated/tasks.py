"""Questions about generated programs, and which of them are worth asking."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from turnwise.core.draw import Draw
from turnwise.worlds.programs.generated.domain import Domain
from turnwise.worlds.programs.generated.functions import Function
from turnwise.worlds.programs.generated.literal import LiteralError, read_literal
from turnwise.worlds.programs.generated.running import Point, Watched, points_of
from turnwise.worlds.programs.generated.scripts import draw_script, load_scripts

__all__ = ["Task", "draw_script_task", "draw_task", "like", "listed", "near"]

NUM_SAMPLES = 24  # inputs on which a function is tried
MAX_SHARE = 0.25  # of them may give the same result
MAX_ROUNDS = 12
_FIRST = 6  # inputs of which one must fit
LEAST_CHARS, MOST_CHARS = 10, 240  # of what a program with data of its own returns
_LOW, _HIGH = 0.6, 1.6  # of the statements that are asked for may be executed
_SELECTIONS = 6  # of its reports, for one program
_TRIVIAL = frozenset(("0", "1", "-1", "''", "[]", "{}", "()", "None", "True", "False", "[0]"))


@dataclass(frozen=True)
class Task:
    """A program and a question about it.

    Attributes:
        mode: "output", "input" or "trace".
        source: The program.
        name: Its function.
        parameters: Name and domain of each parameter.
        args: The arguments: Python source of a tuple. In mode "input" one solution of many.
        result: The value asked for, or given in mode "input": Python source.
        loop: In mode "trace" the number of the loop's line, else 0.
        variable: The variable asked for there, else "".
        rounds: Number of rounds after which it is asked for, else 0.
    """

    mode: str
    source: str
    name: str
    parameters: tuple[tuple[str, Domain], ...]
    args: str
    result: str = field(compare=False)
    loop: int = 0
    variable: str = ""
    rounds: int = 0


def draw_task(draw: Draw, mode: str, function: Function, steps: int, max_chars: int) -> Task | None:
    """Draw a question about a function, which executes about so many statements; None if none is worth asking.

    A question is worth asking if different inputs give different results, and the result is neither trivial nor an
    argument. With 0, the number of statements does not matter.
    """
    point = None
    if mode == "trace":
        points = points_of(function.source, function.name)
        if not points:
            return None
        point = draw.choice(points)
    run = Watched(function.source, function.name, point)
    inputs: dict[str, tuple[object, ...]] = {}
    for _ in range(NUM_SAMPLES):
        args = tuple(domain.draw(draw) for _, domain in function.parameters)
        inputs[repr(args)] = args
    results = []
    logs = []
    fitting = []
    for shown, args in inputs.items():
        results.append(repr(run.call(*args)))
        logs.append(list(run.log))
        if not steps or _LOW * steps <= run.steps <= _HIGH * steps:
            fitting.append((shown, args))
        if len(results) == _FIRST and not fitting:
            return None
    if len(inputs) < 5 or not _varied(results):
        return None
    if point is not None:
        return _trace(draw, function, point, dict(fitting), dict(zip(inputs, logs, strict=True)), max_chars)
    common = Counter(results)
    found = dict(zip(inputs, results, strict=True))
    for shown, args in fitting:
        result = found[shown]
        if common[result] > 1 + len(inputs) // 12 or not _worth(result, args, max_chars):
            continue
        if mode == "input" and _fixed(function, result, run.call):
            continue
        return Task(mode, function.source, function.name, function.parameters, shown, result)
    return None


def draw_script_task(draw: Draw, num_parts: int, length: int, steps: int) -> Task | None:
    """Draw a program with data of its own and the question what it returns; None if that is not worth asking.

    Each program gets as many records and reports as it needs for so many statements, so that none is drawn rarely.
    """
    script = draw.choice(load_scripts())
    num_records = length
    for _ in range(_SELECTIONS):
        draft = draw_script(draw, num_parts, num_records, script)
        run = Watched(draft.rough(), draft.name)
        result = repr(run.call())
        if not _LOW * steps <= run.steps <= _HIGH * steps:
            wanted = min(max(round(num_records * steps / run.steps), length // 2), 2 * length)
            if wanted == num_records:
                num_parts += 1 if run.steps < steps else -1
            num_records = wanted
            if not 0 < num_parts <= len(script.parts):
                return None
            continue
        if not LEAST_CHARS <= len(result) <= MOST_CHARS or not _worth(result, (), MOST_CHARS):
            continue
        source = draft.source()
        run = Watched(source, draft.name)
        if (
            repr(run.call()) == result
            and _LOW * steps <= run.steps
            and result.strip("[]()") not in source.replace('"', "'")
        ):
            return Task("output", source, draft.name, (), "()", result)
    return None


def _trace(
    draw: Draw,
    function: Function,
    point: Point,
    fitting: Mapping[str, tuple[object, ...]],
    logs: Mapping[str, Sequence[str]],
    max_chars: int,
) -> Task | None:
    for shown, args in fitting.items():
        log = logs[shown]
        if len(log) < 3:
            continue
        rounds = draw.integer(2, min(len(log) - 1, MAX_ROUNDS))
        result = log[rounds - 1]
        others = [other[rounds - 1] for other in logs.values() if len(other) >= rounds]
        if _plain(result) and _worth(result, args, max_chars) and _varied(others) and result not in (log[-1], log[0]):
            return Task(
                "trace", function.source, function.name, function.parameters, shown, result, point.loop, point.name,
                rounds,
            )  # fmt: skip
    return None


def _plain(result: str) -> bool:
    """Tell whether a value can be written as a literal."""
    try:
        read_literal(result)
    except LiteralError:
        return False
    return True


def _varied(results: Sequence[str]) -> bool:
    return max(Counter(results).values()) <= max(1, MAX_SHARE * len(results))


def _worth(result: str, args: tuple[object, ...], max_chars: int) -> bool:
    """Tell whether a value can be asked for: hard to guess, short, and easy to write."""
    return (
        result not in _TRIVIAL
        and len(result) <= max_chars
        and not any(sign in result for sign in ('"', "\\", "  "))
        and all(result != repr(arg) for arg in args)
        and result != repr(args)
    )


def _fixed(function: Function, result: str, call: Callable[..., object]) -> bool:
    """Tell whether the result, given as arguments, gives the result itself."""
    value = read_literal(result)
    args = (value,) if len(function.parameters) == 1 else value
    if not isinstance(args, tuple) or len(args) != len(function.parameters):
        return False
    belongs = all(domain.holds(arg) for (_, domain), arg in zip(function.parameters, args, strict=True))
    return belongs and repr(call(*args)) == result


def listed(args: Sequence[object]) -> str:
    """Write arguments as in a call."""
    return ", ".join(map(repr, args))


def near(value: object) -> object:
    """Return a slightly different value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value[:-1] if len(value) > 1 else value + "a"
    if isinstance(value, (list, tuple)) and value:
        return type(value)((*value[:-1], near(value[-1])))
    if isinstance(value, dict) and value:
        return dict(list(value.items())[:-1])
    return [value]


def like(value: object, draw: Draw) -> object:
    """Draw a random value of the same type."""
    if isinstance(value, bool):
        return draw.unit() < 0.5
    if isinstance(value, int):
        return draw.integer(-20, 100)
    if isinstance(value, str):
        return "".join(draw.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(draw.integer(1, 8)))
    if isinstance(value, tuple):
        return tuple(like(item, draw) for item in value)
    if isinstance(value, dict):
        return {like(key, draw): like(item, draw) for key, item in value.items()}
    item = next(iter(value), 0) if isinstance(value, list) else 0
    return [like(item, draw) for _ in range(draw.integer(1, 6))]
