"""Coroutines that run at once: most messages are answered without waiting for anything, and need no task."""

import asyncio
import types
from collections.abc import Callable, Coroutine, Generator, Iterable
from typing import Any, TypeVar

__all__ = ["all_of", "run"]

T = TypeVar("T")
MOST_AT_ONCE = 100
"""After so many the event loop sees to others."""


def run(work: Coroutine[Any, Any, T], done: Callable[[T], None]) -> "asyncio.Task[T] | None":
    """Run a coroutine as far as it goes without waiting, and the rest in a task.

    Args:
        work: What is to be done; in its first part there is no current task.
        done: Called with its value if it did not wait.

    Returns:
        The task if it waits, None if it has ended; what it raises is raised here then.
    """
    try:
        first = work.send(None)
    except StopIteration as end:
        done(end.value)
        return None
    return asyncio.ensure_future(_rest(work, first))


async def all_of(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The values of coroutines, in their order; what waits waits side by side."""
    found: dict[int, T] = {}
    waiting: dict[int, asyncio.Task[T]] = {}
    for number, work in enumerate(works):
        task = run(work, lambda value, number=number: found.__setitem__(number, value))  # type: ignore[misc]
        if task is not None:
            waiting[number] = task
        if number % MOST_AT_ONCE == MOST_AT_ONCE - 1:
            await asyncio.sleep(0)
    found.update(zip(waiting, await asyncio.gather(*waiting.values()), strict=True))
    return [found[number] for number in range(len(found))]


async def _rest(work: Coroutine[Any, Any, T], waits: Any) -> T:
    return await _driven(work, waits)


@types.coroutine
def _driven(work: Coroutine[Any, Any, T], waits: Any) -> Generator[Any, Any, T]:
    """Hand on what a coroutine waits for, the first time what it waits for already."""
    try:
        while True:
            try:
                sent = yield waits
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:
                waits = work.throw(error)
            else:
                waits = work.send(sent)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
