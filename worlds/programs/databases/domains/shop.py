"""A web shop: customers, a tree of categories, list prices over time, orders with lines, returns and coupons."""

from collections.abc import Mapping

from turnwise.worlds.programs.databases.fill import FIRST_DAY, LAST_DAY, Filler
from turnwise.worlds.programs.databases.model import DAYS, Domain, Fact, Filter, Rows, Style

__all__ = ["SHOP"]

_COUNTRIES = ("AT", "BE", "DE", "ES", "FR", "IT", "NL", "PL")
_COUNTRY_NAMES = {
    "AT": "Austria", "BE": "Belgium", "DE": "Germany", "ES": "Spain", "FR": "France", "IT": "Italy",
    "NL": "the Netherlands", "PL": "Poland",
}  # fmt: skip
_CHANNELS = ("web", "app", "phone", "marketplace")
_STATUSES = (("NEW", "received"), ("PAID", "paid"), ("SHIP", "shipped"), ("DONE", "delivered"), ("CANC", "cancelled"))
_REASONS = ("damaged", "wrong item", "too late", "changed mind")
_CATEGORIES = (
    "Home", "Garden", "Kitchen", "Lighting", "Bedding", "Tools", "Planters", "Knives", "Pans", "Lamps", "Pillows",
    "Hoses", "Grills", "Storage", "Candles",
)  # fmt: skip
_GOODS = (
    "Bench",
    "Bowl",
    "Chair",
    "Clock",
    "Desk",
    "Kettle",
    "Lamp",
    "Mirror",
    "Plate",
    "Rug",
    "Shelf",
    "Stool",
    "Vase",
)


def _tables(s: Style) -> dict[str, str]:
    return {
        "categories": "id INTEGER PRIMARY KEY, name TEXT NOT NULL, parent_id INTEGER REFERENCES categories(id)",
        "customers": f"id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, email TEXT NOT NULL, country TEXT, "
        f"signed_up_on TEXT NOT NULL{s.deleted}",
        "products": "id INTEGER PRIMARY KEY, sku TEXT NOT NULL, name TEXT NOT NULL, category_id INTEGER REFERENCES "
        "categories(id), weight_grams INTEGER, discontinued_on TEXT",
        "list_prices": f"id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES products(id), "
        f"{s.money('price')} NOT NULL, valid_from TEXT NOT NULL, valid_to TEXT",
        "order_statuses": "id INTEGER PRIMARY KEY, code TEXT NOT NULL, label TEXT NOT NULL",
        "coupons": "id INTEGER PRIMARY KEY, code TEXT NOT NULL, percent INTEGER NOT NULL",
        "orders": f"id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), status_id INTEGER "
        f"NOT NULL REFERENCES order_statuses(id), {s.moment('placed')} TEXT NOT NULL, channel TEXT NOT NULL, "
        f"num_parcels INTEGER{s.deleted}",
        "order_lines": f"id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(id), product_id INTEGER "
        f"NOT NULL REFERENCES products(id), quantity INTEGER NOT NULL, {s.money('unit_price')} NOT NULL",
        "order_coupons": "order_id INTEGER NOT NULL REFERENCES orders(id), coupon_id INTEGER NOT NULL REFERENCES "
        "coupons(id), PRIMARY KEY (order_id, coupon_id)",
        "returns": "id INTEGER PRIMARY KEY, order_line_id INTEGER NOT NULL REFERENCES order_lines(id), quantity "
        "INTEGER "
        "NOT NULL, returned_on TEXT NOT NULL, reason TEXT",
    }


def _terms(s: Style, t: Mapping[str, str]) -> dict[str, str]:
    counted = "has any status but NEW and CANC" if s.strict else "does not have the status CANC"
    amount = (
        "(quantity minus the quantity returned, whenever that was) times the unit price"
        if s.late
        else "quantity times the unit price; returns are not deducted"
    )
    terms = {
        "test account": f"a row of {t['customers']} whose email address ends in @example.com",
        "valid order": f"an order that {counted} and was not placed by a test account"
        + (f", if neither it nor its customer was deleted ({s.deletion})" if s.deletion else ""),
        "revenue": f"of each line of a valid order, {amount}. It belongs to the day on which the order was placed",
        "first order": "the earliest valid order of a customer; of several placed at the same moment, the lowest id",
        "list price": f"the price in {t['list_prices']} whose valid_from is on or before the day in question and whose "
        "valid_to is after it or empty",
        "top-level category": "a category without a parent; what holds for a category includes everything below it, at "
        "any depth",
        "status": f"orders point to {t['order_statuses']}; the codes are NEW, PAID, SHIP, DONE and CANC",
    }
    if s.dirty:
        terms["channel"] = "typed by hand at times: compare and group it in lower case without blanks around it"
    return terms


def _rows(f: Filler) -> Rows:
    categories = f.ids(0.04, 7, 15)
    customers = f.ids(0.2, 9)
    products = f.ids(0.1, 8, 200)
    orders = f.ids(0.5, 25)
    lines = f.ids(1.0, 45)
    parents = f.tree(categories, 2)
    people = []
    for key in customers:
        name = f.person()
        host = "example.com" if f.some(0.12) else f.draw.choice(("mail.test", "post.test", "inbox.test"))
        people.append((key, name, f"{name.lower().replace(' ', '.')}.{key}@{host}", f.maybe(0.08, f.pick(_COUNTRIES)),
                       DAYS[f.day()], *f.gone()))  # fmt: skip
    prices: list[tuple[int | float | str | None, ...]] = []
    for key in products:
        for start, end in f.chain(1, 4, FIRST_DAY, LAST_DAY - 30):
            prices.append((len(prices) + 1, key, f.money(5, 60), DAYS[start], DAYS[end] if end else None))
    statuses = tuple(code for code, _ in _STATUSES)
    placed: list[tuple[int, str]] = []
    latest: dict[int, int] = {}
    for _ in orders:  # many customers come back after about a month
        customer = f.ref(customers)
        again = customer in latest and f.some(0.5)
        day = latest[customer] + f.draw.either(1, -1) * f.number(10, 45) if again else f.day()
        day = min(max(day, FIRST_DAY), LAST_DAY)
        latest[customer] = day
        placed.append((customer, f.moment(day)))
    sold = [
        (key, f.ref(orders, 1.0), f.ref(products), f.number(1, 6), f.money(5, 60)) for key in lines
    ]  # fmt: skip
    back, number = [], 0
    for key, _, _, quantity, _ in sold:
        while quantity and f.some(0.22):
            number += 1
            some = 1 + int(f.unit() * quantity)
            quantity -= some
            back.append((number, key, some, DAYS[f.day()], f.maybe(0.2, f.pick(_REASONS))))
    coupons = f.ids(0.01, 4, 8)
    return {
        "categories": [(key, name, above) for key, name, above in zip(categories, _CATEGORIES, parents, strict=False)],
        "customers": people,
        "products": [
            (key, f"SKU-{1000 + 7 * key}", f"{f.pick(_GOODS)} {key}", f.maybe(0.08, f.ref(categories, 1.0)),
             f.maybe(0.15, f.number(100, 5000, 50)), f.maybe(0.8, DAYS[f.day()])) for key in products
        ],
        "list_prices": prices,
        "order_statuses": [(i + 1, code, label) for i, (code, label) in enumerate(_STATUSES)],
        "coupons": [(key, f"SAVE{key * 5}", key * 5) for key in coupons],
        "orders": [
            (key, customer, statuses.index(f.pick(statuses, 0.3)) + 1, moment, f.typed(f.pick(_CHANNELS)),
             f.maybe(0.1, f.number(1, 6)), *f.gone()) for key, (customer, moment) in zip(orders, placed, strict=True)
        ],
        "order_lines": sold,
        "order_coupons": sorted({(f.ref(orders, 1.0), f.ref(coupons)) for _ in orders[::2]}),
        "returns": back,
    }  # fmt: skip


SHOP = Domain(
    "shop",
    "a web shop",
    _tables,
    {
        "orders": ("sales_orders", "customer_orders"), "customers": ("shop_customers", "buyers"),
        "products": ("articles", "items"), "returns": ("returned_goods", "order_returns"),
        "list_prices": ("price_history", "product_prices"), "order_lines": ("order_items", "order_positions"),
    },
    _terms,
    _rows,
    (
        Fact("orders", "order", "orders", "placed", "placed",
             (Filter("channel", _CHANNELS, "from the {} channel", "channel"),), (("num_parcels", "with {} parcels",
              "number of parcels", 6),),
             ("customer_id", "customer", "customers")),
        Fact("returns", "return", "returns", "returned_on", "received",
             (Filter("reason", _REASONS, "with the reason '{}'", "reason"),), (("quantity", "of {} units", "number of "
             "units", 6),),
             ("order_line_id", "order line", "order lines")),
    ),
)  # fmt: skip
