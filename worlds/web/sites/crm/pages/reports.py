"""Reports: orders grouped by month, region, town or customer, and rates of return."""

from urllib.parse import urlencode

from turnwise.worlds.web.site import Answered, Pages, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Content
from turnwise.worlds.web.sites.crm.data import CATEGORIES, REGIONS
from turnwise.worlds.web.sites.crm.pages.access import euros, needs
from turnwise.worlds.web.sites.crm.pages.goods import SALE_STATES
from turnwise.worlds.web.sites.listing import Listing

__all__ = ["RETURNS", "per_mille", "reports"]

reports = Pages()

_GROUPS = {"month": "Month", "region": "Region", "town": "Town", "customer": "Customer"}
_SORTS = {"count": "count(*) DESC, ", "amount": "sum(s.total) DESC, "}
_KEYS = {"month": "substr(s.day, 1, 7)", "region": "w.region", "town": "c.town", "customer": "c.name"}
RETURNS = """
    SELECT p.id, p.sku, p.name, p.category, p.active, sum(l.quantity) AS sold,
        sum(CASE s.status WHEN 'returned' THEN l.quantity ELSE 0 END) AS back
    FROM line l JOIN sale s ON s.id = l.sale JOIN product p ON p.id = l.product
    WHERE s.status IN ('shipped', 'returned') AND p.category = coalesce(nullif(?, ''), p.category) GROUP BY p.id
"""
"""Units delivered and sent back of each product; the parameter is a category, or "" for all."""


def per_mille(back: int, sold: int) -> int:
    """Return the rate of return in tenths of a percent, rounded half up."""
    return (2000 * back + sold) // (2 * sold)


@reports.page("/reports", signed_in=True)
def show_reports(visit: Visit) -> Answered:
    """Show orders by group."""
    needs(visit, "reports")
    group = visit.text("group") if visit.text("group") in _GROUPS else "month"
    counted = visit.text("counted") if visit.text("counted") in SALE_STATES else "revenue"
    region, year, sort = visit.text("region"), visit.text("year"), visit.text("sort")
    years = visit.rows("SELECT DISTINCT substr(day, 1, 4) FROM sale ORDER BY 1")
    where, values = ["s.status IN ('paid', 'shipped')" if counted == "revenue" else "s.status = ?"], []
    if counted != "revenue":
        values.append(counted)
    for text, column in ((region, "w.region"), (year, "substr(s.day, 1, 4)")):
        if text:
            where.append(f"{column} = ?")
            values.append(text)
    key = _KEYS[group]
    rows = visit.rows(
        f"SELECT {key}, c.id, count(*), sum(s.total) FROM sale s JOIN customer c ON c.id = s.customer JOIN town w "
        f"ON w.name = c.town WHERE {' AND '.join(where)} GROUP BY {key if group != 'customer' else 'c.id'} ORDER "
        f"BY {_SORTS.get(sort, '')}{key}, c.id",
        *values,
    )
    states = [("revenue", "Revenue (paid and shipped orders)"), *((s, s.capitalize() + " orders") for s in SALE_STATES)]
    form = m.form(
        "/reports",
        m.choices("Group by", "group", list(_GROUPS.items()), group),
        m.choices("Orders", "counted", states, counted),
        m.choices("Region", "region", [("", "All"), *REGIONS], region),
        m.choices("Year", "year", [("", "All"), *years], year),
        submit="Show report",
        method="get",
    )
    body = [
        (m.link(f"/customer/{id}", name) if group == "customer" else name, str(count), euros(total))
        for name, id, count, total in rows
    ]
    query = {"group": group, "counted": counted, "region": region, "year": year}
    heads = [_head(query, key, label, sort) for key, label in
             (("", _GROUPS[group]), ("count", "Orders"), ("amount", "Amount"))]  # fmt: skip
    table = m.table(heads, body) if rows else m.paragraph("No order matches.")
    news = "" if visit.query else m.dialog(
        "news", "Closing of the books", m.paragraph("The figures of the running month change until its last day.")
    )  # fmt: skip
    return visit.show("Reports", m.link("/reports/returns", "Returns by product"), form, table, news)


@reports.page("/reports/returns", signed_in=True)
def returns(visit: Visit) -> Answered:
    """Show units sold and sent back of all products, on one long page."""
    needs(visit, "reports")
    sorts = {"name": "t.name", "sold": "t.sold", "rate": "t.back * 1.0 / t.sold"}
    found = Listing(visit, "/reports/returns", f"({RETURNS}) t", sorts, 2000, (visit.text("category"),))
    found.param("category")
    form = m.form(
        "/reports/returns",
        m.choices("Category", "category", [("", "All"), *CATEGORIES], visit.text("category")),
        submit="Show report",
        method="get",
    )
    body = [
        (m.link(f"/product/{id}", name), sku, "Active" if active else "Disabled", str(sold), str(back),
         f"{per_mille(back, sold) / 10:.1f} %")
        for id, sku, name, active, sold, back in found.rows("t.id, t.sku, t.name, t.active, t.sold, t.back")
    ]  # fmt: skip
    heads = (
        found.header("name", "Product"),
        "SKU",
        "State",
        found.header("sold", "Units delivered"),
        "Units returned",
        found.header("rate", "Return rate"),
    )
    return visit.show("Returns by product", form, m.table(heads, body) if body else m.paragraph("No sales."))


def _head(query: dict[str, str], key: str, label: str, sort: str) -> Content:
    """Return the head of a column: a link that sorts by it, the largest first."""
    if key == (sort if sort in _SORTS else ""):
        return f"{label} (descending)" if key else label
    return m.link(f"/reports?{urlencode({**query, 'sort': key} if key else query)}", label)
