"""What all pages of the back office share: access by role, and the log of actions."""

from collections.abc import Sequence

from turnwise.worlds.web.site import Refused, Visit, money
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.crm.data import ROLES

__all__ = ["euros", "history", "log", "nav", "needs", "order_name", "role_of", "staff"]

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
    """Format an amount as the pages show it."""
    return f"{money(cents)} EUR"


def order_name(id: int) -> str:
    """Return what the pages call an order."""
    return f"Order {id}"


def role_of(visit: Visit) -> str:
    """Return the visitor's role."""
    return str(visit.row("SELECT role FROM account WHERE id = ?", visit.user))


def needs(visit: Visit, work: str) -> None:
    """Raise `Refused` if the visitor's role has nothing to do with that work."""
    role = role_of(visit)
    if work not in _WORK.get(role, ()):
        raise Refused(f"Your role ({ROLES.get(role, 'none')}) has no access to this page.")


def nav(visit: Visit) -> Sequence[tuple[str, str]]:
    """Return links to what the visitor's role may see."""
    work = _WORK.get(role_of(visit), set()) if visit.user else set()
    return [(path, text) for path, text, needed in _NAV if needed in work]


def log(visit: Visit, subject: str, text: str) -> None:
    """Log what was done; the log does not count when an episode is judged."""
    who = visit.row("SELECT name FROM account WHERE id = ?", visit.user)
    at = visit.now.strftime("%Y-%m-%d %H:%M")
    visit.add("log", at=at, who=who, subject=subject, text=text)


def history(visit: Visit, subject: str) -> Markup:
    """Show the log of something."""
    rows = visit.rows("SELECT at, who, text FROM log WHERE subject = ? ORDER BY id DESC LIMIT 20", subject)
    return m.table(("When", "Who", "What"), rows) if rows else m.paragraph("Nothing has been logged.")


def staff(visit: Visit, *roles: str) -> list[tuple[int, str]]:
    """Return ids and names of employees with one of the roles."""
    marks = ", ".join("?" * len(roles))
    return visit.rows(f"SELECT id, name FROM account WHERE role IN ({marks}) ORDER BY id", *roles)
