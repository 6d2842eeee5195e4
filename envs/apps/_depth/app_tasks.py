"""Agents of graded skill for AppTasks: they know the apps and some wordings of requests, and write programs for those.

A request of another wording, or one about a person whom they cannot look up, is beyond them.
"""

# ruff: noqa: E501 (lines of programs)

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.agent import Agent
from turnwise.envs.apps.app_tasks import AppTasks
from turnwise.worlds.apps.goals import PRELUDE
from turnwise.worlds.apps.tasks import calls_of, opened

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_CONTACT = "person = full(contacts, 'contact', search(apps.contacts.search_contacts, contacts, {}={!r})[0])"
_PEOPLE: tuple[tuple[str, Callable[[str], str]], ...] = (
    (r"([A-Z]\w+ [A-Z]\w+)", lambda name: _CONTACT.format("query", name)),
    (r"my (\w+)", lambda relation: _CONTACT.format("relation", relation)),
    (r'whoever sent me the mail with the subject "([^"]+)"',
     lambda title: f"person = contact_by(search(apps.mail.search_mails, mail, query={title!r})[0]['sender'])"),
    (r'the guest of the event "([^"]+)" in my calendar',
     lambda title: f"person = contact_by(full(calendar, 'event', search(apps.calendar.search_events, calendar, query={title!r})[0])['guests'][0])"),
)  # fmt: skip
_GOALS = (
    (r"Star every mail from (?P<person>.*) that I got in (?P<month>[\d-]+)\.",
     "for m in search(apps.mail.search_mails, mail, sender=person['email']):\n    if m['sent_at'].startswith('{month}'): apps.mail.star(access_token=token(mail), mail_id=m['mail_id'])"),
    (r"Archive every mail from (?P<person>.*) that I got in (?P<month>[\d-]+)\.",
     "for m in search(apps.mail.search_mails, mail, sender=person['email']):\n    if m['sent_at'].startswith('{month}'): apps.mail.archive(access_token=token(mail), mail_id=m['mail_id'])"),
    (r"How much money have I sent to (?P<person>.*) in all\?",
     "answer = '%.2f' % sum(p['amount'] for p in search(apps.payments.search_payments, payments, other=person['email'], outgoing=True))\nprint('ANSWER', answer)"),
    (r'Put a task into my to-do project "(?P<project>.*)", due today and otherwise with the defaults, to call (?P<person>.*)\. Its title',
     "p = [p for p in search(apps.todo.list_projects, todo) if p['title'] == '{project}'][0]\napps.todo.create_task(access_token=token(todo), project_id=p['project_id'], due=mine['now'][:10], title='Call %s on %s' % (person['name'], person['phone']))"),
    (r'In my to-do project "(?P<project>.*)", mark all tasks of (?P<level>\w+) priority',
     "p = [p for p in search(apps.todo.list_projects, todo) if p['title'] == '{project}'][0]\nfor t in search(apps.todo.search_tasks, todo, project_id=p['project_id'], priority='{level}', done=False):\n    if full(todo, 'task', t)['due'] < mine['now'][:10]: apps.todo.complete_task(access_token=token(todo), task_id=t['task_id'])"),
    (r"Put (?P<count>\d+) of the cheapest (?P<thing>\w+) with a rating of at least (?P<stars>[\d.]+) into",
     "found = [full(shopping, 'product', p) for p in search(apps.shopping.search_products, shopping, category='{thing}')]\nbest = min((p for p in found if p['rating'] >= {stars} and p['stock'] >= {count}), key=lambda p: p['price'])\napps.shopping.add_to_cart(access_token=token(shopping), product_id=best['product_id'], quantity={count})"),
    (r'Make a new playlist "(?P<title>.*)" with the (?P<count>\d+) (?P<genre>\w+) songs .* shorter than (?P<long>\d+) minutes',
     "songs = [full(music, 'song', s) for s in search(apps.music.search_songs, music, genre='{genre}')]\nnew = apps.music.create_playlist(access_token=token(music), title='{title}')['playlist_id']\nfor s in sorted((s for s in songs if s['seconds'] < 60 * {long}), key=lambda s: -s['plays'])[:{count}]: apps.music.add_song(access_token=token(music), playlist_id=new, song_id=s['song_id'])"),
    (r"Text|text (?P<person>.*) when the next event is",
     "e = [e['starts_at'] for e in search(apps.calendar.search_events, calendar, guests=person['email']) if e['starts_at'] > mine['now'] and e['status'] != 'cancelled']\napps.messages.send_message(access_token=token(messages), phone=person['phone'], text=min(e))"),
    (r"In payments, (?P<person>.*) has open requests to me\. Approve each of up to \$(?P<limit>\d+)",
     "for r in search(apps.payments.list_requests, payments, sender=person['email'], status='open'):\n    (apps.payments.approve_request if r['amount'] <= {limit} else apps.payments.decline_request)(access_token=token(payments), request_id=r['request_id'])"),
    (r"Send (?P<person>.*) back in one payment everything that they paid me in (?P<month>[\d-]+),",
     "amount = sum(p['amount'] for p in search(apps.payments.search_payments, payments, other=person['email'], outgoing=False) if p['paid_at'].startswith('{month}'))\napps.payments.send_money(access_token=token(payments), other=person['email'], amount=round(amount, 2), note='Back to you')"),
    (r"Cancel all events from now on that have (?P<person>.*) as a guest",
     "rows = [e for e in search(apps.calendar.search_events, calendar, guests=person['email']) if e['starts_at'] > mine['now']]\nfor e in rows: apps.calendar.cancel_event(access_token=token(calendar), event_id=e['event_id'])\napps.messages.send_message(access_token=token(messages), phone=person['phone'], text=str(len(rows)))"),
    (r'Do what .* asks me to do in the mail with the subject "(?P<subject>.*)"; leave',
     "body = full(mail, 'mail', search(apps.mail.search_mails, mail, query='{subject}')[0])['body']\nwords = body[body.index('Please add the task'):].split(chr(34))\np = [p for p in search(apps.todo.list_projects, todo) if p['title'] == words[3]][0]\napps.todo.create_task(access_token=token(todo), project_id=p['project_id'], title=words[1], due=words[4][6:16])"),
    (r'Write a note with the title "(?P<title>.*)" and as its text just the total of all orders of the category (?P<thing>\w+) in (?P<month>[\d-]+)',
     "found = [full(shopping, 'order', o) for o in search(apps.shopping.list_orders, shopping)]\napps.notes.create_note(access_token=token(notes), title='{title}', body='%.2f' % sum(o['total'] for o in found if o['category'] == '{thing}' and o['ordered_at'].startswith('{month}')))"),
)  # fmt: skip


def _program(request: str, people: int, goals: int) -> str:
    """Write a program for the lines of a request that are understood."""
    parts = [PRELUDE.strip()]
    for line in request.splitlines():
        line = re.sub(r"^\d\. ", "", line)
        for pattern, code in _GOALS[:goals]:
            found = re.search(pattern, line)
            if not found:
                continue
            named = {name: value for name, value in found.groupdict().items() if value is not None}
            who = [
                write(match[1])
                for form, write in _PEOPLE[:people]
                if (match := re.fullmatch(form, named.get("person", "")))
            ]
            if ("person" in code and "person" not in named) or ("person" in named and not who):
                continue
            filled = code
            for name, value in named.items():
                filled = filled.replace(f"{{{name}}}", value)
            parts += [*who[:1], filled]
            break
    return "\n".join(parts)


def _skilled(people: int, goals: int, heard: Sequence[str], turn: int) -> str:
    request = heard[0].split("\n\n")[1]
    if turn == 0:
        return f"<python>{_program(request, people, goals)}</python>"
    asked = "<answer>" in heard[0]
    answer = re.search(r"ANSWER ([\d.]+)", heard[-1])
    return f"<answer>{answer[1] if answer else 0}</answer>" if asked else "<submit/>"


def _first_row(heard: Sequence[str], turn: int) -> str:
    """Change the first rows of some apps without looking at what is asked."""
    code = (
        f"{PRELUDE.strip()}\nm = search(apps.mail.search_mails, mail)[0]\n"
        "apps.mail.star(access_token=token(mail), mail_id=m['mail_id'])"
    )
    return f"<python>{code}</python>" if turn == 0 else "<submit/><answer>0.00</answer>"


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "submits at once": lambda: Shortcut(lambda heard, turn: "<submit/>", "submits at once"),
    "answers zero": lambda: Shortcut(lambda heard, turn: "<answer>0.00</answer>", "answers zero"),
    "first row": lambda: Shortcut(_first_row, "first row"),
}
SKILLS: Mapping[str, Callable[[], Agent]] = {
    "names, 3 wordings": lambda: Shortcut(partial(_skilled, 1, 3), "names, 3 wordings"),
    "relations, 7 wordings": lambda: Shortcut(partial(_skilled, 2, 7), "relations, 7 wordings"),
    "systematic": lambda: Shortcut(partial(_skilled, 4, len(_GOALS)), "systematic"),
}


def extent(env: AppTasks) -> tuple[int, int]:
    """Return the calls of the task's program, and the rows and lists that it reads."""
    calls = calls_of(env.task, opened(env.task))
    read = {(app, api, json.dumps(given)) for app, api, given in calls if api.startswith(("show", "search", "list"))}
    return len(calls), len(read)
