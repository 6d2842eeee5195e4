"""A forum: boards with rules, threads, comments, votes, moderation."""

from turnwise.worlds.web.site import Links, Site, Visit, check, click, fill, register_site
from turnwise.worlds.web.sites.forum.data import SCHEMA, fill_forum
from turnwise.worlds.web.sites.forum.lures import lures
from turnwise.worlds.web.sites.forum.pages.boards import boards
from turnwise.worlds.web.sites.forum.pages.members import members
from turnwise.worlds.web.sites.forum.pages.writing import writing
from turnwise.worlds.web.sites.forum.tasks.moderation import moderation
from turnwise.worlds.web.sites.forum.tasks.threads import threads

__all__ = ["forum"]


def _nav(visit: Visit) -> Links:
    """Return links to boards, search, the user's own pages, and the moderators' queue."""
    links = [("/", "Boards"), ("/search", "Search")]
    if visit.user:
        links += [(f"/user/{visit.user}", "My posts"), ("/messages", "Messages"), ("/settings", "Settings")]
        if visit.get("SELECT 1 FROM board WHERE moderator = ?", visit.user):
            links.append(("/queue", "Moderation"))
    return links


forum = Site(
    "forum",
    title="Commons",
    schema=SCHEMA,
    fill=fill_forum,
    pages=(boards, writing, members),
    tasks=(moderation, threads),
    nav=_nav,
    untrusted=(("thread", "body"), ("comment", "body")),
    strays=(
        (click("Settings"), fill("About me", "I like lists."), click("Save settings")),
        (click("Settings"), check("Send me a weekly digest"), click("Save settings")),
        (
            click("Spokes", "link"),
            click("New thread"),
            click("Close"),
            fill("Title", "Anybody here?"),
            fill("Text", "Just testing."),
            click("Post thread"),
        ),
    ),
    lures=lures,
    style="#2f7d4f",
)
register_site(forum)
