"""What is asked about a web shop."""

from turnwise.worlds.programs.databases.domains.shop import _COUNTRIES, _COUNTRY_NAMES
from turnwise.worlds.programs.databases.model import Ask, Question, long_date

__all__ = ["FAMILIES"]


# ---- parts of statements --------------------------------------------------------------------------------------------


def _valid(a: Ask, more: str = "", columns: str = "o.*") -> str:
    """The valid orders, as a query with the aliases o, c and s."""
    t = a.t
    status = "s.code NOT IN ('NEW', 'CANC')" if a.style.strict else "s.code <> 'CANC'"
    gone = f" AND {a.live('o')} AND {a.live('c')}" if a.style.soft != "none" else ""
    return (
        f"SELECT {columns} FROM {t['orders']} AS o JOIN {t['order_statuses']} AS s ON s.id = o.status_id JOIN "
        f"{t['customers']} AS c ON c.id = o.customer_id WHERE {status} AND c.email NOT LIKE '%@example.com'{gone}{more}"
    )


def _sold(a: Ask, more: str, columns: str) -> str:
    """The lines of valid orders with the quantity that counts; aliases o, l and v."""
    t = a.t
    back = (
        f" - COALESCE((SELECT SUM(r.quantity) FROM {t['returns']} AS r WHERE r.order_line_id = l.id), 0)"
        if a.style.late else ""
    )  # fmt: skip
    amount = a.euros(f"(l.quantity{back}) * l.{a.money('unit_price')}")
    return (
        f"SELECT {columns}, {amount} AS revenue FROM ({_valid(a)}) AS o JOIN {t['order_lines']} AS l ON l.order_id = "
        f"o.id JOIN {t['products']} AS p ON p.id = l.product_id{more.replace(' AND', ' WHERE', 1)}"
    )


_ORDER = ("valid order", "test account", "status")
_MONEY = ("revenue", *_ORDER)

# ---- questions ------------------------------------------------------------------------------------------------------


def _unsold(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    return a.question(
        "shop.unsold",
        [
            f"Which products were not on any order placed in {p.words}?",
            f"Purchasing wants to see the products nobody ordered in {p.words}. Which are they?",
        ],
        "one row per product: id, sku",
        f"SELECT p.id, p.sku FROM {t['products']} AS p WHERE NOT EXISTS (SELECT 1 FROM {t['order_lines']} AS l JOIN "
        f"{t['orders']} AS o ON o.id = l.order_id WHERE l.product_id = p.id AND {a.among('o.' + a.at('placed'), p)})",
    )


def _per_country(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    return a.question(
        "shop.per_customer",
        [
            f"For every customer, also those who never ordered, how many orders did they place in {p.words}?",
            f"Give each customer's number of orders placed in {p.words}, with 0 for customers without any.",
        ],
        "one row per customer: id, number of orders",
        f"SELECT c.id, COUNT(o.id) FROM {t['customers']} AS c LEFT JOIN {t['orders']} AS o ON o.customer_id = c.id AND "
        f"{a.among('o.' + a.at('placed'), p)} GROUP BY c.id",
    )


def _reasons(a: Ask) -> Question:
    p, t, least = a.period("half", "year"), a.t, a.draw.integer(2, 4)
    return a.question(
        "shop.returned_products",
        [
            f"Which products had at least {least} units returned in {p.words}, over all orders?",
            f"Quality control asks which products came back at a rate of concern: {least} units or more returned in "
            f"{p.words}, all orders together.",
        ],
        "one row per product: id, number of units returned in that time",
        f"SELECT l.product_id, SUM(r.quantity) FROM {t['returns']} AS r JOIN {t['order_lines']} AS l ON l.id = "
        f"r.order_line_id WHERE {a.among('r.returned_on', p)} GROUP BY l.product_id HAVING SUM(r.quantity) >= {least}",
    )


def _channel_share(a: Ask) -> Question:
    p = a.period("quarter", "half", "year")
    channel = a.typed("o.channel")
    return a.question(
        "shop.channel_share",
        [
            f"What share of revenue in {p.words} came through each channel?",
            f"Split the revenue of {p.words} by channel, in euros and as a percentage of the whole.",
        ],
        "one row per channel with a valid order in that time: channel, revenue in euros, percentage of the revenue of "
        "that time (0 to 100)",
        f"WITH sold AS ({_sold(a, ' AND ' + a.among('o.' + a.at('placed'), p), f'{channel} AS channel')}) SELECT "
        f"channel, "
        "SUM(revenue), 100.0 * SUM(revenue) / (SELECT SUM(revenue) FROM sold) FROM sold GROUP BY channel",
        (*_MONEY, *(["channel"] if a.style.dirty else [])),
    )


def _top_customers(a: Ask) -> Question:
    p, count = a.period("half", "year"), a.draw.integer(1, 3)
    many = "customer" if count == 1 else f"{count} customers"
    return a.question(
        "shop.top_customers",
        [
            f"Who were the top {many} of each country by revenue in {p.words}? Customers with equal revenue share a "
            "rank, so a country may show more.",
            f"For each country, name the {many} with the most revenue in {p.words}. Include everybody who ties with "
            f"the "
            "last place.",
        ],
        "one row per customer: country, customer id, revenue in euros; customers without a country or without a valid "
        "order in that time are left out",
        f"WITH spent AS ({_sold(a, ' AND ' + a.among('o.' + a.at('placed'), p), 'o.customer_id')}), totals AS (SELECT "
        f"c.country, c.id, SUM(spent.revenue) AS revenue FROM spent JOIN {a.t['customers']} AS c ON c.id = "
        "spent.customer_id WHERE c.country IS NOT NULL GROUP BY c.country, c.id) SELECT country, id, revenue FROM "
        "(SELECT *, RANK() OVER (PARTITION BY country ORDER BY revenue DESC) AS place FROM totals) WHERE place <= "
        f"{count}",
        _MONEY,
    )


def _basket(a: Ask) -> Question:
    p, country = a.period("half", "year"), a.draw.choice(_COUNTRIES)
    month = a.month("o.placed")
    sold = _sold(a, f" AND {a.among('o.' + a.at('placed'), p)}", f"o.id, {month} AS month, o.customer_id")
    return a.question(
        "shop.basket",
        [
            f"What was the average order value, per month, of customers from {_COUNTRY_NAMES[country]} in {p.words}? "
            "The order value is an order's revenue.",
            f"Month by month for {p.words}: how much revenue did a valid order from {_COUNTRY_NAMES[country]} bring on "
            "average?",
        ],
        "one row per month with such an order: month (like 2022-03), average revenue per order in euros; orders "
        "without "
        "lines are not counted",
        f"WITH per_order AS (SELECT id, month, SUM(revenue) AS revenue FROM ("
        f"{sold}"
        f") WHERE customer_id IN (SELECT id FROM {a.t['customers']} WHERE country = '{country}') GROUP BY id, month) "
        "SELECT month, AVG(revenue) FROM per_order GROUP BY month",
        _MONEY,
    )


def _below_list(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    price, unit = f"h.{a.money('price')}", f"l.{a.money('unit_price')}"
    day = a.date("o.placed")
    return a.question(
        "shop.below_list",
        [
            f"Which order lines of valid orders placed in {p.words} were sold below the list price of that day, and by "
            "how much in total?",
            f"Find the lines of valid orders from {p.words} with a unit price under the list price on the day of the "
            "order. How much did each give away?",
        ],
        "one row per line: order line id, list price minus unit price, times the quantity ordered, in euros; lines "
        "without a list price on that day are left out",
        f"SELECT l.id, {a.euros(f'({price} - {unit}) * l.quantity')} FROM ({_valid(a)}) AS o JOIN {t['order_lines']} "
        f"AS l "
        f"ON l.order_id = o.id JOIN {t['list_prices']} AS h ON h.product_id = l.product_id AND h.valid_from <= {day} "
        f"AND "
        f"(h.valid_to IS NULL OR h.valid_to > {day}) WHERE {unit} < {price} AND {a.among('o.' + a.at('placed'), p)}",
        (*_ORDER, "list price"),
    )


def _growth(a: Ask) -> Question:
    year = a.draw.choice((2021, 2022, 2023))
    start = f"{year}-01-01"
    return a.question(
        "shop.growth",
        [
            f"How did monthly revenue develop in {year}? Give each month and its change against the month before.",
            f"I need the revenue of every month of {year}, and how much it grew or shrank from the previous month.",
        ],
        f"twelve rows, January first: month (like {year}-03), revenue in euros (0 without any), change against the "
        "month before in euros (NULL in January)",
        "WITH RECURSIVE months(day) AS (SELECT '"
        + start
        + "' UNION ALL SELECT date(day, '+1 month') FROM months WHERE "
        f"day < '{year}-12-01'), sold AS ({_sold(a, '', a.month('o.placed') + ' AS month')}), monthly AS (SELECT "
        "substr(months.day, 1, 7) AS month, COALESCE(SUM(sold.revenue), 0) AS revenue FROM months LEFT JOIN sold ON "
        "sold.month = substr(months.day, 1, 7) GROUP BY months.day) SELECT month, revenue, revenue - LAG(revenue) OVER "
        "(ORDER BY month) FROM monthly ORDER BY month",
        _MONEY,
    )


def _second_order(a: Ask) -> Question:
    p, days = a.period("quarter", "half", "year"), a.draw.choice((14, 30, 45, 60, 90))
    first, then = a.date("f.placed"), a.date("n.placed")
    return a.question(
        "shop.second_order",
        [
            f"Of the customers whose first order was in {p.words}, how many placed another valid order within {days} "
            "days of it?",
            f"How well did we keep the new customers of {p.words}? Count those with a first order in that time, and "
            f"those of them with a further valid order at most {days} days later.",
        ],
        f"one row: number of customers with a first order then, number of them with a further order 0 to {days} days "
        "(by date) after it",
        f"WITH valid AS ({_valid(a)}), firsts AS (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY customer_id "
        f"ORDER BY {a.at('placed')}, id) AS place FROM valid) WHERE place = 1), f AS (SELECT * FROM firsts WHERE "
        f"{a.among(a.at('placed'), p)}) SELECT COUNT(*), COALESCE(SUM(EXISTS (SELECT 1 FROM valid AS n WHERE "
        f"n.customer_id = f.customer_id AND n.id <> f.id AND julianday({then}) - julianday({first}) BETWEEN 0 AND "
        f"{days})), 0) FROM f",
        ("first order", *_ORDER),
    )


def _retention(a: Ask) -> Question:
    year, k = a.draw.choice((2021, 2022)), a.draw.integer(3, 6)
    return a.question(
        "shop.retention",
        [
            f"Build the retention table for {year}: group customers by the month of their first order, and say what "
            f"share "
            f"of each group placed a valid order in each of the {k} following months.",
            f"For every monthly cohort of {year} (by first order), what percentage ordered again one, two, up to {k} "
            "calendar months later? Only valid orders count.",
        ],
        f"one row per cohort that has customers and each number of months from 1 to {k}: cohort (like {year}-03), "
        f"months "
        "since the first order, percentage of the cohort with a valid order in that month (0 to 100)",
        f"WITH RECURSIVE steps(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM steps WHERE k < {k}), valid AS (SELECT "
        f"customer_id, CAST(substr({a.at('placed')}, 1, 4) AS INTEGER) * 12 + CAST(substr({a.at('placed')}, 6, 2) AS "
        f"INTEGER) AS month, substr({a.at('placed')}, 1, 7) AS label FROM ({_valid(a)})), firsts AS (SELECT "
        f"customer_id, "
        "MIN(month) AS month, MIN(label) AS label FROM valid GROUP BY customer_id), cohorts AS (SELECT label, month, "
        f"COUNT(*) AS size FROM firsts WHERE label LIKE '{year}-%' GROUP BY label, month) SELECT cohorts.label, "
        f"steps.k, "
        "100.0 * (SELECT COUNT(DISTINCT v.customer_id) FROM valid AS v JOIN firsts AS f ON f.customer_id = "
        "v.customer_id WHERE f.month = cohorts.month AND v.month = cohorts.month + steps.k) / cohorts.size FROM "
        "cohorts "
        "CROSS JOIN steps",
        ("first order", *_ORDER),
    )


def _category_tree(a: Ask) -> Question:
    p = a.period("quarter", "half", "year")
    return a.question(
        "shop.category_tree",
        [
            f"How much revenue did each top-level category bring in {p.words}?",
            f"Roll the revenue of {p.words} up to the top-level categories.",
        ],
        "one row per top-level category, also those without sales: its name, revenue in euros (0 without any)",
        f"WITH RECURSIVE below(top, name, id) AS (SELECT id, name, id FROM {a.t['categories']} WHERE parent_id IS NULL "
        f"UNION ALL SELECT below.top, below.name, c.id FROM {a.t['categories']} AS c JOIN below ON c.parent_id = "
        f"below.id), sold AS ({_sold(a, ' AND ' + a.among('o.' + a.at('placed'), p), 'p.category_id')}) SELECT "
        f"below.name, "
        "COALESCE(SUM(sold.revenue), 0) FROM below LEFT JOIN sold ON sold.category_id = below.id GROUP BY below.top, "
        "below.name",
        ("top-level category", *_MONEY),
    )


def _streak(a: Ask) -> Question:
    least = a.draw.integer(2, 4)
    until = a.day("2022-01-31", "2023-12-31")
    return a.question(
        "shop.streak",
        [
            f"Which customers ordered in at least {least} consecutive calendar months, going by valid orders placed up "
            f"to {long_date(until)}? How long was the longest such run of each?",
            f"Loyalty check, valid orders up to {long_date(until)}: for every customer with a run of {least} or more "
            "months in a row with an order, what was the longest run?",
        ],
        "one row per customer: customer id, months in the longest run",
        f"WITH months AS (SELECT DISTINCT customer_id, CAST(substr({a.at('placed')}, 1, 4) AS INTEGER) * 12 + "
        f"CAST(substr("
        f"{a.at('placed')}, 6, 2) AS INTEGER) AS month FROM ({_valid(a)}) WHERE {a.until(a.at('placed'), until)}), "
        f"runs AS "
        "(SELECT customer_id, COUNT(*) AS length FROM (SELECT customer_id, month - ROW_NUMBER() OVER (PARTITION BY "
        "customer_id ORDER BY month) AS run FROM months) GROUP BY customer_id, run) SELECT customer_id, MAX(length) "
        "FROM "
        f"runs GROUP BY customer_id HAVING MAX(length) >= {least}",
        _ORDER,
    )


# ---- changes --------------------------------------------------------------------------------------------------------


def _raise_prices(a: Ask) -> Question:
    t, euros, day = a.t["list_prices"], a.draw.integer(1, 5), a.day("2022-01-31", "2023-12-31")
    price = a.money("price")
    return a.question(
        "shop.raise_prices",
        [
            f"As of {long_date(day)}, every current list price goes up by {euros} euros. Enter the new prices, and "
            f"end the old.",
            f"Enter a price increase of {euros} euros as of {long_date(day)} for all list prices that are open "
            f"(valid_to is "
            "empty) and began before that day.",
        ],
        f"each row of {t} with an empty valid_to and a valid_from before {day} has valid_to {day}, and for each of "
        f"them there is "
        f"a new row of the same product with the price raised, valid_from {day} and an empty valid_to; the new ids "
        f"continue after "
        "the highest one, in the order of the old ids. Nothing else changes",
        f"INSERT INTO {t} (id, product_id, {price}, valid_from, valid_to) SELECT (SELECT MAX(id) FROM {t}) + "
        f"ROW_NUMBER() OVER "
        f"(ORDER BY id), product_id, {price} + {a.sum_of(euros)}, '{day}', NULL FROM {t} WHERE valid_to IS NULL AND "
        f"valid_from < "
        f"'{day}'; UPDATE {t} SET valid_to = '{day}' WHERE valid_to IS NULL AND valid_from < '{day}'",
        writes=True,
    )


def _archive(a: Ask) -> Question:
    t, day = a.t, a.day()
    old = f"SELECT id FROM {t['orders']} WHERE {a.at('placed')} < '{day}' AND status_id IN (SELECT id FROM " + (
        f"{t['order_statuses']} WHERE code = 'CANC')"
    )
    lines = f"SELECT id FROM {t['order_lines']} WHERE order_id IN ({old})"
    return a.question(
        "shop.purge",
        [
            f"Legal wants cancelled orders placed before {long_date(day)} removed for good, with everything that "
            f"belongs "
            "to them.",
            f"Purge the cancelled orders that were placed before {long_date(day)}, leaving nothing that points to "
            f"them.",
        ],
        f"those rows of {t['orders']} are gone, and so are their rows in {t['order_lines']}, {t['order_coupons']} and, "
        f"for their lines, {t['returns']}; whether a row is marked as deleted makes no difference. Nothing else "
        f"changes",
        f"DELETE FROM {t['returns']} WHERE order_line_id IN ({lines}); DELETE FROM {t['order_coupons']} WHERE "
        f"order_id IN "
        f"({old}); DELETE FROM {t['order_lines']} WHERE order_id IN ({old}); DELETE FROM {t['orders']} WHERE id IN "
        f"({old})",
        ("status",),
        writes=True,
    )


FAMILIES = (
    (3, _unsold),
    (3, _per_country),
    (3, _reasons),
    (4, _channel_share),
    (4, _top_customers),
    (4, _basket),
    (5, _below_list),
    (5, _growth),
    (5, _second_order),
    (6, _retention),
    (6, _category_tree),
    (6, _streak),
    (5, _raise_prices),
    (4, _archive),
)
"""The tier of each kind of request, and what draws one."""
