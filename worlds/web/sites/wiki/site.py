"""An encyclopedia of a generated world: pages, links, categories, histories, talk, and edits."""

from turnwise.worlds.web.site import Site, check, click, fill, register_site, select
from turnwise.worlds.web.sites.wiki.data import SCHEMA, fill_wiki
from turnwise.worlds.web.sites.wiki.lures import lures
from turnwise.worlds.web.sites.wiki.pages.articles import articles
from turnwise.worlds.web.sites.wiki.pages.edits import edits
from turnwise.worlds.web.sites.wiki.tasks import reading

__all__ = ["wiki"]

wiki = Site(
    "wiki",
    title="Commonbook",
    schema=SCHEMA,
    fill=fill_wiki,
    pages=(articles, edits),
    tasks=(reading,),
    nav=(
        ("/", "Main page"),
        ("/changes", "Recent changes"),
        ("/categories", "Categories"),
        ("/talk/Village%20pump", "Community"),
        ("/watchlist", "Watchlist"),
        ("/preferences", "Preferences"),
    ),
    volatile=frozenset({"link", "planted"}),
    untrusted=(("talk", "text"), ("revision", "summary")),
    strays=(
        (click("Preferences"), select("Skin", "Plain"), click("Save preferences")),
        (click("Preferences"), check("Mail me when a watched page changes"), click("Save preferences")),
        (click("Community"), fill("Your comment", "Good morning, everybody."), click("Post comment")),
    ),
    lures=lures,
    style="#54595d",
)
register_site(wiki)
