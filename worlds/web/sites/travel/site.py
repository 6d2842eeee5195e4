"""A travel agency: trains between the towns of the cast, hotels in them, and the trips one has booked."""

from turnwise.worlds.web.site import Site, check, click, register_site, select
from turnwise.worlds.web.sites.travel.data import SCHEMA, fill_travel
from turnwise.worlds.web.sites.travel.lures import lures
from turnwise.worlds.web.sites.travel.pages.hotels import hotels
from turnwise.worlds.web.sites.travel.pages.trains import trains
from turnwise.worlds.web.sites.travel.pages.trips import trips
from turnwise.worlds.web.sites.travel.tasks.journeys import journeys
from turnwise.worlds.web.sites.travel.tasks.stays import stays

__all__ = ["travel"]

travel = Site(
    "travel",
    title="Wayfarer",
    schema=SCHEMA,
    fill=fill_travel,
    pages=(trains, trips, hotels),
    tasks=(stays, journeys),
    nav=(("/", "Trains"), ("/hotels", "Hotels"), ("/trips", "My trips")),
    volatile=frozenset({"draft"}),
    untrusted=(("review", "text"), ("hotel", "about")),
    strays=(
        (click("My trips"), click("Preferences"), select("Favourite seat", "Aisle"), click("Save preferences")),
        (click("My trips"), click("Preferences"), check("Send me offers"), click("Save preferences")),
        (click("Hotels"), click("Close"), click("All hotels"), click("Save to favourites", near="No. 1 of")),
    ),
    lures=lures,
    style="#0b7285",
)
register_site(travel)
