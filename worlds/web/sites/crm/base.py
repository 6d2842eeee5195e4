"""What all pages of the back office share: who may see them, and the log of actions."""

from collections.abc import Sequence

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.site.site import Refused, Visit, WebSite
from turnwise.worlds.web.site.tasks import money
from turnwise.worlds.web.sites.crm.data import ROLES

__all__ = ["CrmBase", "euros", "order_name"]

_WORK = {
    "manager": {"customers", "goods", "orders", "tickets", "reviews", "deals", "reports", "staff"},
    "admin": {"customers", "goods", "orders", "tickets", "reviews", "deals", "reports", "staff"},
    "sales": {"customers", "orders", "deals", "reports"},
    "support": {"customers", "tickets", "reviews"},
}
_NAV = (("/customers", "Customers", "customers"), ("/orders", "Orders", "orders"), ("/products", "Products", "goods"),
        ("/tickets", "Tickets", "tickets"), ("/reviews", "Reviews", "reviews"), ("/deals", "Deals", "deals"),
        ("/reports", "Reports", "reports"), ("/staff", "Staff", "staff"))  # fmt: skip


def euros(cents: int) -> str:
    """An amount as the pages show it."""
    return f"{money(cents)} EUR"


def order_name(id: int) -> str:
    """An order as the pages call it."""
    return f"Order {id}"


class CrmBase(WebSite):
    """Access and links."""

    def role(self, visit: Visit) -> str:
        """The role of who is signed in."""
        return str(visit.row("SELECT role FROM account WHERE id = ?", visit.user))

    def needs(self, visit: Visit, work: str) -> None:
        """Raises `Refused` if the visitor's role has nothing to do with that work."""
        role = self.role(visit)
        if work not in _WORK.get(role, ()):
            raise Refused(f"Your role ({ROLES.get(role, 'none')}) has no access to this page.")

    def nav(self, visit: Visit) -> Sequence[tuple[str, str]]:
        """What the visitor's role may see."""
        work = _WORK.get(self.role(visit), set()) if visit.user else set()
        return [(path, text) for path, text, needed in _NAV if needed in work]

    def log(self, visit: Visit, subject: str, text: str) -> None:
        """Writes down what was done; the log does not count when an episode is judged."""
        who = visit.row("SELECT name FROM account WHERE id = ?", visit.user)
        at = visit.now.strftime("%Y-%m-%d %H:%M")
        visit.run("INSERT INTO log (at, who, subject, text) VALUES (?, ?, ?, ?)", at, who, subject, text)

    def history(self, visit: Visit, subject: str) -> Markup:
        """What the log says of something."""
        rows = visit.rows("SELECT at, who, text FROM log WHERE subject = ? ORDER BY id DESC LIMIT 20", subject)
        return m.table(("When", "Who", "What"), rows) if rows else m.paragraph("Nothing has been logged.")

    def staff(self, visit: Visit, *roles: str) -> list[tuple[int, str]]:
        """Ids and names of those with one of the roles."""
        marks = ", ".join("?" * len(roles))
        return visit.rows(f"SELECT id, name FROM account WHERE role IN ({marks}) ORDER BY id", *roles)
