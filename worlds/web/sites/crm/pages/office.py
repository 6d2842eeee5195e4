"""The back office's overview, settings and log."""

from turnwise.worlds.web.site import Answered, Pages, Refused, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.sites.crm.data import ROLES
from turnwise.worlds.web.sites.crm.pages.access import needs, role_of

__all__ = ["office"]

office = Pages()

_SETTINGS = ("weekly summary", "low stock alert", "new review alert")


@office.page("/", signed_in=True)
def home(visit: Visit) -> Answered:
    """Show figures, reminders, the latest tickets."""
    role = role_of(visit)
    if role in ("member", "former"):
        raise Refused("Only the staff of the shop may use the back office.")
    counts = visit.row(
        "SELECT (SELECT count(*) FROM sale WHERE status = 'pending'), (SELECT count(*) FROM ticket WHERE status "
        "= 'open'), (SELECT count(*) FROM review WHERE status = 'waiting')"
    )
    figures = zip(("Pending orders", "Open tickets", "Waiting reviews"), map(str, counts), strict=True)
    todo = [
        m.tag("div", text, m.post_button(f"/reminder/{id}", "Mark as done"))
        for id, text in visit.rows("SELECT id, text FROM reminder WHERE NOT done ORDER BY id")
    ]
    latest = visit.rows("SELECT id, subject FROM ticket WHERE status <> 'closed' ORDER BY id DESC LIMIT 4")
    links = [m.link(f"/ticket/{id}", f"{id} {subject}") for id, subject in latest]
    return visit.show(
        "Overview",
        m.paragraph(f"Your role: {ROLES[role]}. ", m.link("/settings", "Settings")),
        m.definitions(figures),
        m.section("Reminders", m.items(todo) if todo else m.paragraph("Nothing to remember.")),
        m.section("Latest tickets", m.items(links)) if role != "sales" else "",
    )


@office.action("/reminder/{id:int}")
def remind(visit: Visit, id: int) -> Answered:
    """Mark a reminder as done."""
    needs(visit, "customers")
    visit.row("SELECT id FROM reminder WHERE id = ?", id)
    visit.run("UPDATE reminder SET done = 1 WHERE id = ?", id)
    return visit.redirect("/", flash="Done.")


@office.page("/settings", signed_in=True)
def settings(visit: Visit) -> Answered:
    """Show the visitor's settings."""
    needs(visit, "customers")
    on = dict(visit.rows("SELECT name, value FROM setting WHERE account = ?", visit.user))
    boxes = [m.checkbox(f"Send me the {name}", name, on.get(name) == "on") for name in _SETTINGS]
    return visit.show("Settings", m.form("/settings", boxes, submit="Save settings"))


@office.action("/settings")
def save_settings(visit: Visit) -> Answered:
    """Save the visitor's settings."""
    needs(visit, "customers")
    for name in _SETTINGS:
        value = "on" if visit.form.get(name) else "off"
        visit.run("UPDATE setting SET value = ? WHERE account = ? AND name = ?", value, visit.user, name)
    return visit.redirect("/settings", flash="The settings have been saved.")


@office.page("/log", signed_in=True)
def log_page(visit: Visit) -> Answered:
    """Show the log to administrators."""
    if role_of(visit) != "admin":
        raise Refused("Only administrators may see the log.")
    rows = visit.rows("SELECT at, who, subject, text FROM log ORDER BY id DESC LIMIT 100")
    return visit.show("Log", m.table(("When", "Who", "Subject", "What"), rows))
