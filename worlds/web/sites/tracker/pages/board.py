"""The pages that need a browser: the board, on which cards are dragged, and the calendar of a reminder.

They have JavaScript of their own, not only ``data-tw-*``: without a browser they show just a note.
"""

from turnwise.worlds.web.site import Answered, Pages, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.listing import day_of
from turnwise.worlds.web.sites.tracker.data import LANES
from turnwise.worlds.web.sites.tracker.pages import access

__all__ = ["board"]

board = Pages()

DONE_SHOWN = 8  # cards of the last column
_COLUMNS = "display: grid; grid-template-columns: repeat({}, {}); gap: 8px; align-items: start"
_BOARD = """
(() => {
  "use strict";
  const board = document.getElementById("board");
  const said = document.getElementById("said");
  let dragged = null;
  board.hidden = false;

  const move = (card, lane) => {
    const fields = new URLSearchParams({ issue: card.dataset.issue, lane: lane.dataset.lane });
    fetch(board.dataset.move, { method: "POST", body: fields }).then((answer) => {
      if (!answer.ok) throw new Error(answer.status);
      lane.querySelector(".cards").prepend(card);
      card.querySelector(".menu").hidden = true;
      said.textContent = `${card.dataset.key} is now at the top of ${lane.dataset.lane}.`;
    }).catch(() => { said.textContent = `${card.dataset.key} could not be moved.`; });
  };

  board.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const card = button.closest("article");
    const menu = card.querySelector(".menu");
    if (button.dataset.to) move(card, board.querySelector(`section[data-lane="${button.dataset.to}"]`));
    else menu.hidden = !menu.hidden;
  });
  board.addEventListener("dragstart", (event) => { dragged = event.target.closest("article"); });
  board.addEventListener("dragover", (event) => { if (event.target.closest("section")) event.preventDefault(); });
  board.addEventListener("drop", (event) => {
    const lane = event.target.closest("section");
    if (!lane || !dragged) return;
    event.preventDefault();
    move(dragged, lane);
    dragged = null;
  });
})();
"""
_PICKER = """
(() => {
  "use strict";
  const picker = document.getElementById("picker");
  const [year, month, today] = picker.dataset.today.split("-").map(Number);
  const names = "January February March April May June July August September October November December".split(" ");
  const two = (number) => String(number).padStart(2, "0");
  let shown = new Date(Date.UTC(year, month - 1, 1));

  const draw = () => {
    const [y, m] = [shown.getUTCFullYear(), shown.getUTCMonth()];
    document.getElementById("month").textContent = `${names[m]} ${y}`;
    document.getElementById("before").disabled = y === year && m === month - 1;
    const days = document.getElementById("days");
    days.replaceChildren();
    const last = new Date(Date.UTC(y, m + 1, 0)).getUTCDate();
    for (let day = 1; day <= last; day += 1) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = day;
      button.setAttribute("aria-label", `${day} ${names[m]} ${y}`);
      button.disabled = y === year && m === month - 1 && day <= today;
      button.onclick = () => {
        document.getElementById("day").value = `${y}-${two(m + 1)}-${two(day)}`;
        document.getElementById("chosen").textContent = `Chosen: ${day} ${names[m]} ${y}`;
      };
      days.append(button);
    }
  };
  const turn = (months) => {
    shown = new Date(Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth() + months, 1));
    draw();
  };
  document.getElementById("before").onclick = () => turn(-1);
  document.getElementById("after").onclick = () => turn(1);
  picker.hidden = false;
  draw();
})();
"""


@board.page("/project/{key}/board", signed_in=True)
def show_board(visit: Visit, key: str) -> Answered:
    """Show columns of cards; only here the order within a column can be changed."""
    project = access.project_named(visit, key)
    edits = access.may_edit(visit, project)
    lanes = [
        m.section(lane, m.tag("div", _cards_of(visit, project.id, key, lane, edits), class_="cards"), data_lane=lane)
        for lane in LANES
    ]
    content = [
        access.parts(project),
        m.tag("p", "", id="said", role="status"),
        m.tag(
            "div",
            m.tag("div", lanes, style=_COLUMNS.format(5, "1fr")),
            id="board",
            hidden=True,
            data_move=f"/project/{key}/board/move",
        ),
    ]
    hint = "The board needs JavaScript. The list of issues shows the same issues, but not their order on the board."
    return visit.show(f"{project.name}: board", content, script=_BOARD, without=hint)


def _cards_of(visit: Visit, project: int, key: str, lane: str, edits: bool) -> list[Markup]:
    limit = f" LIMIT {DONE_SHOWN}" if lane == LANES[-1] else ""
    rows = visit.rows(
        "SELECT t.id, t.number, t.title, t.priority, a.name FROM issue t LEFT JOIN account a ON a.id = "
        f"t.assignee WHERE t.project = ? AND t.status = ? ORDER BY t.rank, t.id{limit}",
        project,
        lane,
    )
    choices = [m.button(f"To the top of {name}", type="button", data_to=name) for name in LANES]
    return [
        m.card(
            m.link(f"/issue/{access.key_of(key, number)}", f"{access.key_of(key, number)} {title}"),
            m.paragraph(f"{priority}, {who or 'nobody'}"),
            m.join(m.button("Move", type="button"), m.tag("div", choices, class_="menu", hidden=True)) if edits else "",
            draggable="true" if edits else None,
            data_issue=id,
            data_key=access.key_of(key, number),
        )
        for id, number, title, priority, who in rows
    ]


@board.action("/project/{key}/board/move")
def move_card(visit: Visit, key: str) -> Answered:
    """Move a card to the top of a column; posted by the board's script."""
    project = access.project_named(visit, key)
    access.needs_member(visit, project)
    lane = visit.text("lane")
    id, status = visit.row(
        "SELECT id, status FROM issue WHERE id = ? AND project = ?", visit.whole("issue"), project.id
    )
    if lane not in LANES or status not in LANES:
        return Answered("There is no such column.", 400)
    top = visit.row("SELECT min(rank) FROM issue WHERE project = ? AND status = ? AND id <> ?", project.id, lane, id)
    visit.change("issue", id, status=lane, rank=0 if top is None else top - 1)
    access.record(visit, id, f"moved it to the top of {lane}")
    return visit.fragment("")


@board.page("/issue/{key}/reminder", signed_in=True)
def reminder(visit: Visit, key: str) -> Answered:
    """Show a calendar on which a day is chosen."""
    return _reminder(visit, key, "")


def _reminder(visit: Visit, key: str, alert: str) -> Answered:
    _, issue = access.issue_named(visit, key)
    day = visit.get("SELECT day FROM reminder WHERE account = ? AND issue = ?", visit.user, issue.id)
    picker = m.tag(
        "div",
        m.paragraph(
            m.button("Previous month", type="button", id="before"),
            m.tag("b", "", id="month"),
            m.button("Next month", type="button", id="after"),
        ),
        m.tag("div", "", id="days", style=_COLUMNS.format(7, "max-content")),
        m.tag("p", "No day chosen.", id="chosen", role="status"),
        m.form(f"/issue/{key}/reminder", m.void("input", type="hidden", name="day", id="day"), submit="Set reminder"),
        id="picker",
        hidden=True,
        data_today=visit.now.date().isoformat(),
    )
    now = m.paragraph(f"There is a reminder for {day}." if day else "There is no reminder.")
    hint = "The calendar needs JavaScript."
    return visit.show(
        f"Reminder for {key}",
        m.note(alert, "alert") if alert else "",
        m.link(f"/issue/{key}", issue.title),
        now,
        picker,
        script=_PICKER,
        without=hint,
    )


@board.action("/issue/{key}/reminder")
def set_reminder(visit: Visit, key: str) -> Answered:
    """Set the visitor's reminder, which replaces an earlier one."""
    _, issue = access.issue_named(visit, key)
    day = day_of(visit.text("day"))
    if day is None or day <= visit.now.date().isoformat():
        return _reminder(visit, key, "Choose a day after today.")
    visit.run(
        "INSERT INTO reminder VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET day = excluded.day", visit.user, issue.id, day
    )
    return visit.redirect(f"/issue/{key}", flash=f"You will be reminded on {day}.")
