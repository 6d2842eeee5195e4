"""Tasks that need several sites: what one of them says is done, or asked, on another.

The people, companies, towns and dates of a world are the same on all of its sites, so a mail's sender may be a customer
of the back office, and a customer's town has trains. An episode may open the sites of its template and no other.
"""

from turnwise.worlds.web.sites.across.money import MoneyTasks
from turnwise.worlds.web.sites.across.trips import TripTasks
from turnwise.worlds.web.sites.across.work import WorkTasks

__all__ = ["Across"]


class Across(MoneyTasks, WorkTasks, TripTasks):
    """All templates over two or three sites."""

    name = "across"
