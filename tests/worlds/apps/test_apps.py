"""The app world: programs and rows agree, collateral damage is seen, the bridge gives nothing away."""

# ruff: noqa: E501 (one program a line)

import pytest

from turnwise.core.draw import Draw
from turnwise.core.errors import TurnwiseError
from turnwise.sandbox import shared_sandbox
from turnwise.worlds.apps.api import ApiError, Apps
from turnwise.worlds.apps.bridge import Turns
from turnwise.worlds.apps.checks import same, writes_of
from turnwise.worlds.apps.data import apps_of, data_of
from turnwise.worlds.apps.functions.installed import installed
from turnwise.worlds.apps.tasks import AppTask, draw_app_task, opened

try:
    shared_sandbox().layers_of("python")
except TurnwiseError as error:
    pytestmark = pytest.mark.skip(reason=f"no sandbox here: {error}")

DAMAGE = (
    "apps.mail.send_mail(access_token=token('mail'), recipients=['a@b.example'], subject='x', body='y')",
    "apps.todo.create_project(access_token=token('todo'), title='New')",
    "n = search(apps.notes.search_notes, 'notes')[0]; apps.notes.delete_note(access_token=token('notes'), note_id=n['note_id'])",
    "s = search(apps.music.search_songs, 'music')[0]; apps.music.rate_song(access_token=token('music'), song_id=s['song_id'], rating=1)",
    "a = search(apps.shopping.list_addresses, 'shopping')[0]; apps.shopping.update_address(access_token=token('shopping'), "
    "address_id=a['address_id'], street='5 Mill Lane')",
    "c = search(apps.contacts.search_contacts, 'contacts')[0]; apps.contacts.add_tag(access_token=token('contacts'), "
    "contact_id=c['contact_id'], tag='t')",
)  # fmt: skip
ATTACKS = (
    "print(open('/proc/1/environ').read())", "import turnwise", "import sqlite3; print(sqlite3.connect('apps.db').execute('select 1 from mails'))",
    "print(apps.store.base())", "apps.mail.__class__.__init__.__globals__['x']", "print(apps.mail.login.__self__.store)",
    "apps.account.show_task()", "apps.checks.writes()", "apps.docs.show_api(app='mail', api='__class__')",
    "apps.mail.search_mails(access_token='0')", "apps.mail.search_mails(access_token=True)", "apps.store.get(table='passwords', key=1)",
    "import gc; print([o for o in gc.get_objects() if type(o).__name__ in ('Store', 'AppTask')][0])",
    "answer(True, [])", "start('1')", "import os; os.kill(os.getppid(), 9)", "import socket; socket.create_connection(('127.0.0.1', 80), 1)",
    "apps.mail.login(username=['a'], password={'b': 1})", "apps.notes.create_note(access_token=None, title='x' * 10**6)",
)  # fmt: skip


def task_of(seed: int, **more: object) -> AppTask:
    wanted = {
        "size": 16,
        "goals": 1 + seed % 3,
        "depth": 1 + seed % 5,
        "hostile": seed % 3,
        "unseen": seed % 5 == 0,
        **more,
    }
    return draw_app_task(Draw("test", seed), seed, **wanted)


def ran(code: str, apps: Apps):
    turns = Turns(20, "auto")
    try:
        return turns.run(code, apps)
    finally:
        turns.close()


def solves(seed: int, more: str = "") -> bool:
    task = task_of(seed)
    apps = opened(task)
    end = ran(f"{task.program_shown}\n{more}", apps)
    assert not end.failed, end.output
    return same(task.writes, writes_of(apps.store.changes())) and end.output.strip() == task.answer


@pytest.mark.parametrize("seed", range(6))
def test_program_does_what_rows_say(seed: int) -> None:
    assert solves(seed)


@pytest.mark.slow
def test_programs_do_what_rows_say() -> None:
    assert all(solves(seed) for seed in range(100, 220))


@pytest.mark.parametrize("damage", DAMAGE)
def test_collateral_damage_is_seen(damage: str) -> None:
    assert not any(solves(seed, damage) for seed in (1, 2))


@pytest.mark.parametrize("attack", ATTACKS)
def test_bridge_gives_nothing_away(attack: str) -> None:
    apps = opened(task_of(3))
    end = ran(attack, apps)
    assert end.failed, end.output
    assert not apps.store.changes()


def test_forged_requests_are_checked_as_requests() -> None:
    apps = opened(task_of(4))
    forge = "for f in (apps.mail.nothing, apps.nothing.x, apps.docs.show_api):\n    try: f(**{'é': 1})\n    except ApiError as e: print(e.status)"
    assert ran(forge, apps).output.split() == ["404", "404", "422"]


def test_copy_of_interpreter_repeats_turns_without_asking_again() -> None:
    import copy

    apps, turns = opened(task_of(1)), Turns(20, "auto")
    turns.run(
        "p = apps.account.show_passwords(); t = apps.mail.login(username=p[0]['username'], password=p[0]['password'])",
        apps,
    )
    twin, other = copy.deepcopy(turns), apps.fork()
    first = turns.run("print(t)", apps).output
    assert twin.run("print(t)", other).output == first
    assert other.logins == 1
    turns.close()
    twin.close()


def test_every_app_refuses_without_token_and_documents_itself() -> None:
    apps = apps_of(data_of(1, 16), True)
    for app, functions in installed(True).items():
        for name, function in functions.items():
            assert function.document()["description"].endswith(".")
            if function.needs_login:
                with pytest.raises(ApiError, match="401"):
                    apps.call(app, name, {})
    assert sum(map(len, installed(False).values())) > 200
