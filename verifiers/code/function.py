"""Judge functions by what they return: inputs go into the sandbox one at a time, expected values never do."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from turnwise.sandbox import Limits, Sandbox, shared_sandbox
from turnwise.sandbox.wire.values import MAX_DEPTH, decode, encode
from turnwise.verifiers.code.budget import Budget
from turnwise.verifiers.code.candidate import LIMITS, Candidate
from turnwise.verifiers.code.compare import SCALARS, Same, same_value
from turnwise.verifiers.code.feedback import Failure, described, shown_value
from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = ["Example", "verdict_of", "verify_against", "verify_function", "verify_property"]


class Example(NamedTuple):
    """A call of a function, and what it should return. All of it is plain data (`turnwise.sandbox.wire.values`).

    Attributes:
        args: Arguments by position.
        kwargs: Arguments by name.
        expected: The expected return value.
        after: The positional arguments as the call should leave them, for functions that change them in place; None:
            not checked.
    """

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = {}
    expected: object = None
    after: tuple[Any, ...] | None = None


def verify_function(
    source: str,
    name: str,
    examples: Sequence[Example],
    *,
    limits: Limits = LIMITS,
    total_s: float | None = None,
    sandbox: Sandbox | None = None,
    same: Same = same_value,
    all_tests: bool = True,
    files: Mapping[str, bytes | str] = {},
    fresh: bool = False,
    reveal: bool = False,
) -> Verdict:
    """Judge whether a function of a program returns what it should, for every example.

    The program is loaded once, in a jail, and its function is called with one input after another; time is measured and
    results are compared outside, on plain data. A call stopped by a limit fails only its own test: the others run in a
    freshly loaded program; after three such tests all further ones count as failed.

    Args:
        source: The program.
        name: Name of the function, or "Solution.solve": a method of a new instance.
        examples: At least one.
        limits: Those of each call.
        total_s: Seconds that all tests may take together; None: see `turnwise.verifiers.code.budget.Budget`. Tests that
            are left when they are used up are not run, and count as failed.
        sandbox: Where it runs; None: ``shared_sandbox()``.
        same: Compares the returned value with the expected one, in this order.
        all_tests: False: stop at the first test that fails; the score is the fraction passed before it.
        files: In the program's working directory.
        fresh: The program is reloaded for every example.
        reveal: The reason says what was expected.

    Returns:
        A verdict whose score is the fraction passed, with ``parts`` "passed" and "tests", and whose value is the
        source, or the first `Failure`.

    Raises:
        ValueError: There is no example, or one is not plain data.

    >>> examples = [Example((2,), {}, 4), Example((3,), {}, 9)]
    >>> verify_function("def square(x): return x * x", "square", examples).correct
    True
    >>> verify_function("def square(x): return x + 2", "square", examples).reason
    'test 2: returned 5 (an int), which is wrong'
    """
    examples = [_checked(example) for example in examples]

    def judge(index: int, value: Any) -> str:
        example = examples[index]
        if example.after is not None:
            value, after = value if type(value) is tuple and len(value) == 2 else (value, None)
            if not _holds(lambda: same(after, list(example.after or ()))):
                left = f"left its arguments as {shown_value(after, 60)}, which is wrong"
                return f"{left}: not {shown_value(list(example.after), 60)}" if reveal else left
        if _holds(lambda: same(value, example.expected)):
            return ""
        what = f"returned {described(value)}, which is wrong"
        return f"{what}: not {described(example.expected)}" if reveal else what

    budget = Budget(limits.cpu_s or limits.wall_s, len(examples), total_s)
    with Candidate(source, sandbox or shared_sandbox(), limits, files, fresh, budget) as candidate:
        return _verify(candidate, source, name, examples, judge, all_tests)


def verify_property(
    source: str,
    name: str,
    inputs: Sequence[tuple[Any, ...]],
    holds: Callable[[tuple[Any, ...], Any], bool],
    *,
    limits: Limits = LIMITS,
    total_s: float | None = None,
    sandbox: Sandbox | None = None,
    all_tests: bool = True,
    files: Mapping[str, bytes | str] = {},
    fresh: bool = False,
    mutates: bool = False,
) -> Verdict:
    """Judge whether what a function returns has a property, for every input.

    Args:
        source: The program.
        name: Name of the function, as for `verify_function`.
        inputs: Arguments by position, plain data; at least one.
        holds: Given the arguments and what was returned (plain data, as hostile as such can be: huge, deep, of any
            type), says whether that is right. It runs here, outside the sandbox; an exception means that it is not.
        limits: Those of each call.
        total_s: As `verify_function`.
        sandbox: Where it runs; None: ``shared_sandbox()``.
        all_tests: As `verify_function`.
        files: In the program's working directory.
        fresh: The program is reloaded for every input.
        mutates: ``holds`` gets the tuple of the returned value and the arguments as the call left them.

    Raises:
        ValueError: There is no input, or one is not plain data.

    >>> def is_root(args, got):
    ...     return type(got) is int and got >= 0 and got * got <= args[0] < (got + 1) ** 2
    >>> verify_property("def root(n): return int(n ** 0.5)", "root", [(0,), (17,), (10**30 - 1,)], is_root).reason
    'test 3: returned 1000000000000000 (an int), which is wrong'
    """
    examples = [_checked(Example(tuple(args), after=() if mutates else None)) for args in inputs]

    def judge(index: int, value: Any) -> str:
        if mutates:
            value = (value[0], tuple(value[1])) if type(value) is tuple and len(value) == 2 else (value, ())
        if _holds(lambda: holds(examples[index].args, value)):
            return ""
        return f"returned {described(value[0] if mutates else value)}, which is wrong"

    budget = Budget(limits.cpu_s or limits.wall_s, len(examples), total_s)
    with Candidate(source, sandbox or shared_sandbox(), limits, files, fresh, budget) as candidate:
        return _verify(candidate, source, name, examples, judge, all_tests)


def verify_against(
    source: str,
    name: str,
    inputs: Sequence[tuple[Any, ...]],
    reference: Callable[..., object],
    *,
    limits: Limits = LIMITS,
    total_s: float | None = None,
    sandbox: Sandbox | None = None,
    same: Same = same_value,
    all_tests: bool = True,
    files: Mapping[str, bytes | str] = {},
    fresh: bool = False,
    reveal: bool = False,
) -> Verdict:
    """Judge whether a function returns the same as a trusted reference for every input, with `verify_function`.

    Args:
        source: The program.
        name: Name of the function.
        inputs: Arguments by position, plain data; at least one. The reference gets copies of them.
        reference: Runs here, outside the sandbox.
        limits: Those of each call.
        total_s: As `verify_function`.
        sandbox: Where it runs; None: ``shared_sandbox()``.
        same: Whether what was returned is what was expected.
        all_tests: As `verify_function`.
        files: In the program's working directory.
        fresh: The program is reloaded for every input.
        reveal: The reason says what was expected.

    Raises:
        ValueError: There is no input, or an input or an answer of the reference is not plain data.

    >>> verify_against("def biggest(x): return sorted(x)[-1]", "biggest", [([1, 3, 2],), ([-1],)], max).correct
    True
    """
    examples = [Example(tuple(args), {}, reference(*decode(encode(list(args))))) for args in inputs]
    return verify_function(
        source,
        name,
        examples,
        limits=limits,
        total_s=total_s,
        sandbox=sandbox,
        same=same,
        all_tests=all_tests,
        files=files,
        fresh=fresh,
        reveal=reveal,
    )


def _verify(
    candidate: Candidate,
    source: str,
    name: str,
    examples: Sequence[Example],
    judge: Callable[[int, Any], str],
    all_tests: bool,
) -> Verdict:
    if not examples:
        raise ValueError("examples=[]: at least one")
    passed, first = 0, None
    for index, example in enumerate(examples):
        reply = candidate.call(name, example.args, example.kwargs, example.after is not None)
        what = reply.error or judge(index, reply.value)
        if not what:
            passed += 1
            continue
        first = first or Failure(index, what, example.args, reply.value, reply.result)
        if not all_tests:
            break
    return verdict_of(source, passed, len(examples), first)


def verdict_of(source: str, passed: int, tests: int, first: Failure | None) -> Verdict:
    """Return the verdict on a program that passed ``passed`` tests, with its first failure."""
    parts = {"passed": float(passed), "tests": float(tests)}
    if first is None:
        return right(source, parts)
    return wrong(f"test {first.index + 1}: {first.what}", first, passed / tests, parts)


def _holds(question: Callable[[], bool]) -> bool:
    """Evaluate a trusted function on a hostile value; an exception means no."""
    try:
        return bool(question())
    except Exception:  # it may fail on sizes, types, depth
        return False


def _checked(example: Example) -> Example:
    """Return the example, consisting only of exact built-in types."""
    args, kwargs, expected, after = example
    if type(args) is not tuple:
        raise ValueError(f"args={shown_value(args)}: a tuple")
    whole = (args, dict(kwargs), expected, after)
    if not _exact(whole, 0):
        args, kwargs, expected, after = decode(encode(whole))
        return Example(args, kwargs, expected, after)
    return example


def _exact(value: Any, depth: int) -> bool:
    """Return whether a value is plain data of exactly the built-in types."""
    kind = type(value)
    if kind in SCALARS:
        return True
    if depth > MAX_DEPTH:
        return False
    members: Iterable[Any]
    if kind is dict:
        members = [*value.keys(), *value.values()]
    elif kind in (list, tuple, set, frozenset):
        members = value
    else:
        return False
    return all(_exact(member, depth + 1) for member in members)
