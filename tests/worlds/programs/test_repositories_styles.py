# ruff: noqa: E501
"""Right patches as other people would write them: every one of them must pass the hidden probes."""

import doctest
from functools import cache

import pytest

from tests._work import one_in
from turnwise.core.errors import InfrastructureError
from turnwise.sandbox import shared_sandbox
from turnwise.worlds.programs.faults import styles
from turnwise.worlds.programs.faults.styles import STYLES, restyled
from turnwise.worlds.programs.repositories.check_parts import LIMITS, files_of
from turnwise.worlds.programs.repositories.parts import load_parts
from turnwise.worlds.programs.repositories.probing import Probed, run_probes

OTHERS = [  # the part, a text of the right source, and another way to write it
    (
        "money",
        "    order = sorted(range(len(weights)), key=lambda index: (-lost[index], index))\n",
        "    order = list(range(len(weights)))\n    order.sort(key=lost.__getitem__, reverse=True)\n",
    ),
    (
        "money",
        "    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and floor % 2 == 1):\n        return floor + 1\n    return floor\n",
        "    return round(value)\n",
    ),
    (
        "money",
        '    minor = int(whole) * 10**digits + int(part.ljust(digits, "0") or "0")\n',
        "    minor = int(whole) * 10**digits + (int(part) * 10 ** (digits - len(part)) if part else 0)\n",
    ),
    (
        "ledger",
        "        bisect.insort(postings, posting, key=lambda other: (other.day, other.number))\n        self._sums.pop(account, None)\n",
        "        postings.append(posting)\n        postings.sort(key=lambda other: (other.day, other.number))\n        self._sums = {}\n",
    ),
    (
        "ledger",
        '            if account == group or account.startswith(f"{group}:"):\n',
        '            if f"{account}:".startswith(f"{group}:"):\n',
    ),
    (
        "ledger",
        "        opening = self.balance_on(account, first - timedelta(days=1)).minor\n",
        "        opening = sum(each.minor for each in self._postings.get(account, ()) if each.day < first)\n",
    ),
    (
        "cache",
        "        lifetime = self.ttl_seconds if ttl_seconds is None else ttl_seconds\n",
        "        lifetime = ttl_seconds\n        if lifetime is None:\n            lifetime = self.ttl_seconds\n",
    ),
    (
        "cache",
        "        self._drop_expired()\n        while len(self._entries) >= self.capacity:\n            self._remove(next(iter(self._entries)))\n",
        "        self._drop_expired()\n        for key in list(self._entries)[: max(len(self._entries) - self.capacity + 1, 0)]:\n            self._remove(key)\n",
    ),
    (
        "jobs",
        "        if job.attempts >= self.max_attempts:\n",
        "        if not job.attempts < self.max_attempts:\n",
    ),
    (
        "jobs",
        "        self.release_expired()\n        job = self._held.get(number)\n        if job is None or job.worker != worker:\n",
        "        job = self._held.get(number)\n        if job is not None and self._clock() >= job.lease_ends:\n"
        "            self.release_expired()\n            job = None\n        if job is None or job.worker != worker:\n",
    ),
    (
        "records",
        "        last = bisect.bisect_left(pairs, high, key=lambda pair: pair[0])\n        return [row_id for _, row_id in pairs[first:last]]\n",
        "        return [row_id for value, row_id in pairs[first:] if value < high]\n",
    ),
    (
        "records",
        "        changes = self._undo.pop()\n        if self._undo:\n            self._undo[-1].extend(changes)\n",
        "        changes = self._undo.pop()\n        for outer in self._undo[-1:]:\n            outer += changes\n",
    ),
    (
        "query",
        '        return _compared(">=", value, _value(node[2], row)) and _compared("<=", value, _value(node[3], row))\n',
        '        low, high = (_value(each, row) for each in node[2:])\n'
        '        return not (not _compared("<=", low, value) or not _compared(">=", high, value))\n',
    ),
    (
        "layout",
        "    return _split_at(text, width - 1)[0].rstrip() + ELLIPSIS\n",
        "    while display_width(text) > width - 1:\n        text = text[:-1]\n    return text.rstrip() + ELLIPSIS\n",
    ),
    (
        "settings",
        "        if default is not None and key not in self:\n            return default\n",
        "        if key not in self:\n            if default is None:\n                raise MissingSetting(key)\n            return default\n",
    ),
    (
        "settings",
        "            return self._resolved(other, (*within, name))\n",
        "            return self._resolved(other, within + tuple([name]))\n",
    ),
    (
        "frames",
        "            elif not 1 <= (self._expected - frame.sequence) % 256 <= 127:\n                continue\n",
        "            elif (self._expected - frame.sequence - 1) & 0xFF > 126:\n                continue\n",
    ),
    (
        "zones",
        "    for number in range(count):\n        months = first.month - 1 + number * every\n        year, month = first.year + months // 12, months % 12 + 1\n",
        "    for number in range(count):\n        year, month = divmod(first.year * 12 + first.month - 1 + number * every, 12)\n        month += 1\n",
    ),
    (
        "stock",
        "        return sorted(lots, key=lambda lot: (lot.expires is None, lot.expires or date.min, lot.number))\n",
        "        return sorted(lots, key=lambda lot: (lot.expires or date.max, lot.number))\n",
    ),
    (
        "workflow",
        "        before = dict(item.data)\n        item.data.update(changes)\n",
        "        before = {**item.data}\n        for key, value in changes.items():\n            item.data[key] = value\n",
    ),
    (
        "billing",
        "            if invoice.due < today:\n                total += invoice.rest\n",
        "            late = (today - invoice.due).days\n            total = total + invoice.rest if late >= 1 else total\n",
    ),
    (
        "textindex",
        "        found = set(self._places.get(words[0], ()))\n        for word in words[1:]:\n            found &= set(self._places.get(word, ()))\n        return sorted(found)\n",
        "        return sorted(number for number in self._texts if all(number in self._places.get(word, {}) for word in words))\n",
    ),
    (
        "builds",
        "            if any(need in failed or need in skipped for need in target.needs):\n",
        "            if {*failed, *skipped} & {*target.needs}:\n",
    ),
    (
        "limits",
        "        while uses and uses[0] + self.seconds <= now:\n            uses.popleft()\n",
        "        for use in [each for each in uses if now - each >= self.seconds]:\n            uses.remove(use)\n",
    ),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _sandbox() -> None:
    try:
        shared_sandbox()
    except InfrastructureError as error:
        pytest.skip(f"no sandbox here: {error}")


@cache
def right(name: str) -> Probed:
    return run_probes(files_of(load_parts()[name]), {"probes.py": load_parts()[name].probes}, LIMITS)


def refused(name: str, source: str) -> list[str]:
    files = {**files_of(load_parts()[name]), f"pkg/{name}.py": source}
    found = run_probes(files, {"probes.py": load_parts()[name].probes}, LIMITS)
    return [found.problem] if found.problem else found.differing(right(name))


@pytest.mark.parametrize(
    "number", one_in(4, (pytest.param(n, id=f"{part}-{n}") for n, (part, _, _) in enumerate(OTHERS)))
)
def test_another_style_passes(number: int) -> None:
    name, before, after = OTHERS[number]
    source = load_parts()[name].source
    assert source.count(before) == 1
    assert refused(name, source.replace(before, after)) == []


@pytest.mark.parametrize("name", one_in(6, load_parts()))
def test_two_styles_of_a_whole_part_pass(name: str) -> None:
    place = list(load_parts()).index(name)
    for style in (list(STYLES)[place], list(STYLES)[(place + 7) % len(STYLES)]):
        assert refused(name, restyled(load_parts()[name].source, style)) == [], style


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_every_style_of_every_part_passes(style: str) -> None:
    for name, part in load_parts().items():
        assert refused(name, restyled(part.source, style)) == [], name


def test_styles_change_the_text_and_nothing_else() -> None:
    assert doctest.testmod(styles).failed == 0
    assert len(STYLES) >= 20
    assert len({restyled(_ODD, style) for style in STYLES}) == len(STYLES)
    for style in STYLES:
        space: dict[str, object] = {}
        exec(restyled(_ODD, style), space)
        assert space["odd"](7, [3, 1]) == (8, [4, 2], "other"), style  # type: ignore[operator]


_ODD = """
import math

def odd(a: int, b: list[int], c: str = "other") -> tuple[int, list[int], str]:
    '''Some of everything.'''
    total: int = a
    total += 1
    for value in b:
        if value == 2 and total > 20:
            return 0, b, c
    while total > 90:
        total = 0 if b else 1
    if a > 99 and b:
        return 1, b, c
    found = [value + 1 for value in b] if math.sqrt(16) == 4 else []
    if not found:
        c = "none"
    else:
        c = c or "some"
    return total, found, c
"""
