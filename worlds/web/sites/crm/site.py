"""The back office of a furniture shop: customers, orders, products, tickets, reviews, deals, reports and staff."""

from turnwise.worlds.web.site import Site, click, register_site, uncheck
from turnwise.worlds.web.sites.crm.data import SCHEMA, fill_crm
from turnwise.worlds.web.sites.crm.lures import lures
from turnwise.worlds.web.sites.crm.pages.access import nav
from turnwise.worlds.web.sites.crm.pages.goods import goods
from turnwise.worlds.web.sites.crm.pages.office import office
from turnwise.worlds.web.sites.crm.pages.people import people
from turnwise.worlds.web.sites.crm.pages.reports import reports
from turnwise.worlds.web.sites.crm.tasks.everyday import everyday
from turnwise.worlds.web.sites.crm.tasks.hard import hard

__all__ = ["crm"]

crm = Site(
    "crm",
    title="Back Office",
    schema=SCHEMA,
    fill=fill_crm,
    pages=(office, people, goods, reports),
    tasks=(everyday, hard),
    nav=nav,
    volatile=frozenset({"log"}),
    untrusted=(("ticket", "body"), ("note", "text"), ("review", "text")),
    strays=(
        (click("Settings"), uncheck("Send me the low stock alert"), click("Save settings")),
        (click("Mark as done", near="Call "),),
        (click("Settings"), uncheck("Send me the weekly summary"), click("Save settings")),
    ),
    lures=lures,
    style="#7a4b2b",
)
register_site(crm)
