"""Mutants of right programs: none that leaves other rows behind passes for right."""

# ruff: noqa: E501 (values in one line)

import json
from typing import Any

import pytest

from turnwise.core.draw import Draw
from turnwise.worlds.apps.api import ApiError, Apps
from turnwise.worlds.apps.checks import same, writes_of
from turnwise.worlds.apps.functions.installed import installed
from turnwise.worlds.apps.tasks import AppTask, calls_of, draw_app_task, opened

MARKS = ("mark_read", "mark_unread")
VALUES: dict[str, Any] = {
    "num": 3.5, "bool": True, "date": "2031-01-05", "time": "2031-01-05 10:00", "strs": ["a@b.example"], "str": "x@y.example",
}  # fmt: skip
KEYS = {"item_id": "cart", "step_id": "steps", "hold_id": "holds", "loan_id": "loans", "playlist_id": "playlists"}


def task_of(seed: int) -> AppTask:
    return draw_app_task(Draw("damage", seed), seed, 14, 1 + seed % 3, 1 + seed % 5, 0, seed % 4 == 0)


def replayed(task: AppTask, calls: list[tuple[str, str, str]]) -> Apps:
    apps = opened(task)
    for app, api, given in calls:
        try:
            apps.call(app, api, json.loads(given))
        except ApiError:
            continue
    return apps


def mutants(task: AppTask) -> list[list[tuple[str, str, str]]]:
    """Programs that leave a call out, repeat one, or change an argument of one."""
    calls = calls_of(task, opened(task))
    found = []
    for place, (app, api, given) in enumerate(calls):
        if api.startswith(("show", "search", "list", "login")):
            continue
        before, after = calls[:place], calls[place + 1 :]
        found += [before + after, [*before, calls[place], *calls[place:]]]
        for name, value in json.loads(given).items():
            if name != "access_token":
                others = [value + 1, value + 2] if type(value) in (int, float) else [f"{value}x", ""]
                for other in others:
                    changed = json.dumps({**json.loads(given), name: other})
                    found.append([*before, (app, api, changed), *after])
    return found


def survivors(seeds: range) -> tuple[int, list[str]]:
    """The number of mutants that change something, and those of them that pass."""
    tried, left = 0, []
    for seed in seeds:
        task = task_of(seed)
        right = replayed(task, calls_of(task, opened(task)))
        assert same(task.writes, writes_of(right.store.changes()))
        for mutant in mutants(task):
            apps = replayed(task, mutant)
            if apps.store.changes() == right.store.changes():
                continue  # the other call was refused, or it does the same
            tried += 1
            if same(task.writes, writes_of(apps.store.changes())):
                left.append(task.request)
    return tried, left


def extra_calls(seed: int) -> tuple[int, list[str]]:
    """After a right program, each function that changes anything but read marks."""
    task = task_of(seed)
    right = replayed(task, calls_of(task, opened(task)))
    secrets = {row["app"]: row for row in right.store.rows("passwords")}
    tried, left = 0, []
    for app, functions in installed(True).items():
        if app not in right.functions or app not in secrets:
            continue
        for name, function in functions.items():
            for key in range(2):
                apps = right.fork()
                login = {"username": apps.me, "password": secrets[app]["password"]}
                token = apps.call(app, "login", login)["access_token"]
                given = {"access_token": token} | {
                    each.name: VALUES.get(each.kind, key) for each in function.parameters if each.name != "access_token"
                }
                for each in function.parameters:
                    table = KEYS.get(each.name, f"{each.name.removesuffix('_id')}s")
                    if each.name.endswith("_id") and table in apps.store.base and list(apps.store.rows(table)):
                        given[each.name] = list(apps.store.rows(table))[key % len(list(apps.store.rows(table)))][
                            each.name
                        ]
                before = apps.store.changes()
                try:
                    apps.call(app, name, given)
                except ApiError:
                    continue
                if apps.store.changes() != before and name not in MARKS:
                    tried += 1
                    if same(task.writes, writes_of(apps.store.changes())):
                        left.append(f"{app}.{name}")
    return tried, left


def test_no_mutant_passes() -> None:
    tried, left = survivors(range(12))
    assert tried > 50
    assert left == []


def test_no_further_call_passes() -> None:
    tried, left = extra_calls(4)
    assert tried > 50
    assert left == []


@pytest.mark.slow
def test_no_mutant_of_many_passes() -> None:
    tried, left = survivors(range(100, 300))
    assert tried > 1000
    assert left == []


def test_read_marks_are_no_damage() -> None:
    task = task_of(1)
    apps = replayed(task, calls_of(task, opened(task)))
    token = apps.grant("mail", apps.me)
    mail = next(row for row in apps.store.rows("mails") if not row["read"])
    apps.call("mail", "mark_read", {"access_token": token, "mail_id": mail["mail_id"]})
    assert same(task.writes, writes_of(apps.store.changes()))
