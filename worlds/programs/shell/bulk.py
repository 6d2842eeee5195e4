"""Large logs from a few bytes: the same program writes them here and, sent as source, inside a session.

Only the standard library is imported, and only `random.Random.random` is drawn from, whose values Python promises to
keep for a seed.
"""

import functools
import heapq
import json
import random
import time
from collections.abc import Callable, Iterator

__all__ = ["lines_of", "made", "most_bytes", "spec_of", "stamp"]

_SERVICES = ("api-1", "api-2", "web-1", "web-2", "jobs-1")
_PATHS = ("/", "/login", "/v1/orders", "/v1/orders/{}", "/v1/items/{}", "/v1/search", "/static/app.js", "/health")
_STATUSES = (200, 200, 200, 200, 200, 201, 204, 304, 302, 404)
_MOST_BYTES = 120  # of a line
_ODD = 2654435761  # any odd number permutes the identifiers


def spec_of(style: str, seed: int, lines: int, start: int, extra: list[list[object]]) -> bytes:
    """Describe a log.

    Args:
        style: "web" (requests as they end) or "sessions" (users who come and go).
        seed: Seed of the ordinary lines.
        lines: Number of ordinary lines.
        start: Second since 1970 at which it begins.
        extra: Further lines: milliseconds after the start, and the text after the time.
    """
    about = {"style": style, "seed": seed, "lines": lines, "start": start, "extra": sorted(extra, key=repr)}
    return json.dumps(about).encode()


def stamp(start: int, after_ms: int) -> str:
    """Write a moment: milliseconds after a second since 1970, in UTC.

    >>> stamp(0, 61_005)
    '1970-01-01T00:01:01.005Z'
    """
    seconds, ms = divmod(after_ms, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(start + seconds)) + f".{ms:03}Z"


@functools.lru_cache(maxsize=2)
def made(spec: bytes) -> bytes:
    """Write the log that a description stands for."""
    return "".join(lines_of(spec)).encode()


def most_bytes(spec: bytes) -> int:
    """Return a number of bytes that the log does not exceed."""
    about = json.loads(spec)
    return _MOST_BYTES * (int(about["lines"]) + len(about["extra"]))


def lines_of(spec: bytes) -> Iterator[str]:
    """Write the log line by line."""
    about = json.loads(spec)
    draw = random.Random(about["seed"]).random
    ordinary = (_requests if about["style"] == "web" else _sessions)(draw, about["lines"])
    start, second, prefix = about["start"], -1, ""
    for moment, text in heapq.merge(sorted((int(row[0]), str(row[1])) for row in about["extra"]), ordinary):
        if moment // 1000 != second:
            second = moment // 1000
            prefix = stamp(start, second * 1000)[:-4]
        yield f"{prefix}{moment % 1000:03}Z {text}\n"


def _requests(draw: Callable[[], float], count: int) -> Iterator[tuple[int, str]]:
    moment = 0
    for number in range(count):
        moment += 1 + int(draw() * 800)
        one, two = draw(), draw()
        path = _PATHS[int(one * 8)].format(1000 + int(two * 9000))
        name, status = _SERVICES[int(two * 5)], _STATUSES[int(two * 1000) % 10]
        yield (
            moment,
            f"{name} req={number * _ODD % 2**32:08x} user=u{100 + int(one * 5000) % 900} "
            f"{'POST' if status == 201 else 'GET'} {path} {status} {3 + int(two * two * 900)}ms",
        )


def _sessions(draw: Callable[[], float], count: int) -> Iterator[tuple[int, str]]:
    moment, open_ones = 0, list[tuple[int, str]]()
    for number in range(count // 2):
        moment += 1 + int(draw() * 4000)
        length = 2000 + int(draw() ** 3 * 400_000)
        who = f"session={number * _ODD % 2**32:08x} user=u{100 + int(draw() * 900)}"
        while open_ones and open_ones[0][0] < moment:
            yield heapq.heappop(open_ones)
        yield moment, f"login {who}"
        if draw() > 0.03:
            heapq.heappush(open_ones, (moment + length, f"logout {who}"))
    yield from sorted(open_ones)
