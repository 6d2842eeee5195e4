"""Tasks that need several sites: what one of them says is done, or asked, on another.

The people, companies, towns and dates of a world are the same on all of its sites, so a mail's sender may be a customer
of the back office, and a customer's town has trains. An episode may open the sites of its template and no other.
"""

from turnwise.worlds.web.site import TaskSet
from turnwise.worlds.web.sites.across.invoices import invoices
from turnwise.worlds.web.sites.across.trips import trips
from turnwise.worlds.web.sites.across.work import work

__all__ = ["across"]

across = TaskSet("across", tasks=(trips, work, invoices))
