"""The back office of a furniture shop: customers, orders, products, tickets, reviews, deals, reports and staff."""

import sqlite3
from typing import ClassVar

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.cast import Cast
from turnwise.worlds.web.site.draw import Draw
from turnwise.worlds.web.site.site import Answered, Refused, Visit, action, page, register_site
from turnwise.worlds.web.site.tasks import Plan, click, uncheck
from turnwise.worlds.web.sites.crm.data import ROLES, SCHEMA, fill_crm
from turnwise.worlds.web.sites.crm.goods import GoodsPages
from turnwise.worlds.web.sites.crm.hard_tasks import HardCrmTasks
from turnwise.worlds.web.sites.crm.people import PeoplePages
from turnwise.worlds.web.sites.crm.reports import ReportPages

__all__ = ["Crm"]

_SETTINGS = ("weekly summary", "low stock alert", "new review alert")


@register_site
class Crm(PeoplePages, GoodsPages, ReportPages, HardCrmTasks):
    """Dense tables, bulk edit, reports. What a role may not see is refused; the log of actions does not count."""

    name = "crm"
    title = "Back Office"
    schema = SCHEMA
    volatile = frozenset({"log"})
    untrusted = (("ticket", "body"), ("note", "text"), ("review", "text"))
    style = "#7a4b2b"
    strays: ClassVar[tuple[Plan, ...]] = (
        (click("Settings"), uncheck("Send me the low stock alert"), click("Save settings")),
        (click("Mark as done", near="Call "),),
        (click("Settings"), uncheck("Send me the weekly summary"), click("Save settings")),
    )

    def fill(self, db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
        """See ``_crm_data``."""
        fill_crm(db, draw, cast, size)

    @page("/", signed_in=True)
    def home(self, visit: Visit) -> Answered:
        """Figures, reminders, the latest tickets."""
        role = self.role(visit)
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
        return self.show(
            visit,
            "Overview",
            m.paragraph(f"Your role: {ROLES[role]}. ", m.link("/settings", "Settings")),
            m.definitions(figures),
            m.section("Reminders", m.items(todo) if todo else m.paragraph("Nothing to remember.")),
            m.section("Latest tickets", m.items(links)) if role != "sales" else "",
        )

    @action("/reminder/{id:int}")
    def remind(self, visit: Visit, id: int) -> Answered:
        """Ticks a reminder off."""
        self.needs(visit, "customers")
        visit.row("SELECT id FROM reminder WHERE id = ?", id)
        visit.run("UPDATE reminder SET done = 1 WHERE id = ?", id)
        return self.redirect("/", flash="Done.")

    @page("/settings", signed_in=True)
    def settings(self, visit: Visit) -> Answered:
        """The visitor's own."""
        self.needs(visit, "customers")
        on = dict(visit.rows("SELECT name, value FROM setting WHERE account = ?", visit.user))
        boxes = [m.checkbox(f"Send me the {name}", name, on.get(name) == "on") for name in _SETTINGS]
        return self.show(visit, "Settings", m.form("/settings", boxes, submit="Save settings"))

    @action("/settings")
    def save_settings(self, visit: Visit) -> Answered:
        """Check boxes."""
        self.needs(visit, "customers")
        for name in _SETTINGS:
            value = "on" if visit.form.get(name) else "off"
            visit.run("UPDATE setting SET value = ? WHERE account = ? AND name = ?", value, visit.user, name)
        return self.redirect("/settings", flash="The settings have been saved.")

    @page("/log", signed_in=True)
    def log_page(self, visit: Visit) -> Answered:
        """For administrators."""
        if self.role(visit) != "admin":
            raise Refused("Only administrators may see the log.")
        rows = visit.rows("SELECT at, who, subject, text FROM log ORDER BY id DESC LIMIT 100")
        return self.show(visit, "Log", m.table(("When", "Who", "Subject", "What"), rows))
