"""A tracker of software projects: issues with labels, milestones, links and comments, a board, and notifications."""

from turnwise.worlds.web.site import Site, click, fill, register_site, uncheck
from turnwise.worlds.web.sites.tracker.data import SCHEMA, fill_tracker
from turnwise.worlds.web.sites.tracker.lures import lures
from turnwise.worlds.web.sites.tracker.pages.access import nav
from turnwise.worlds.web.sites.tracker.pages.board import board
from turnwise.worlds.web.sites.tracker.pages.issues import issues
from turnwise.worlds.web.sites.tracker.pages.projects import projects
from turnwise.worlds.web.sites.tracker.pages.talk import talk
from turnwise.worlds.web.sites.tracker.tasks.everyday import everyday
from turnwise.worlds.web.sites.tracker.tasks.hard import hard

__all__ = ["tracker"]

tracker = Site(
    "tracker",
    title="Tracker",
    schema=SCHEMA,
    fill=fill_tracker,
    pages=(projects, issues, talk, board),
    tasks=(everyday, hard),
    nav=nav,
    volatile=frozenset({"activity"}),
    untrusted=(("comment", "text"), ("issue", "body")),
    strays=(
        (click("Notification preferences"), uncheck("Write to me when I am assigned"), click("Save preferences")),
        (fill("Scratch pad", "Ask about the release"), click("Keep")),
        (click("Pause all notifications"),),
    ),
    lures=lures,
    style="#3f5d3a",
)
register_site(tracker)
