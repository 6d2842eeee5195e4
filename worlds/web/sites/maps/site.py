"""A map of the user's town: places, hours, reviews, directions on foot and by car, lists, and suggested edits."""

from turnwise.worlds.web.site import Site, check, click, fill, register_site, select
from turnwise.worlds.web.sites.maps.data import SCHEMA, fill_maps
from turnwise.worlds.web.sites.maps.lures import lures
from turnwise.worlds.web.sites.maps.pages.lists import lists
from turnwise.worlds.web.sites.maps.pages.places import places
from turnwise.worlds.web.sites.maps.tasks import errands

__all__ = ["maps"]

maps = Site(
    "maps",
    title="Townmap",
    schema=SCHEMA,
    fill=fill_maps,
    pages=(places, lists),
    tasks=(errands,),
    nav=(("/", "Explore"), ("/directions", "Directions"), ("/lists", "My lists"), ("/settings", "Settings")),
    untrusted=(("review", "text"),),
    strays=(
        (click("Settings"), select("Colours", "Night"), click("Save settings")),
        (click("Settings"), check("Share my position with friends"), click("Save settings")),
        (click("My lists"), fill("Name of the list", "Odds and ends"), click("Create list")),
    ),
    lures=lures,
    style="#2f7d32",
)
register_site(maps)
