"""Products with variants, orders and reviews."""

import re
from collections.abc import Mapping
from typing import Any

from turnwise.worlds.web.site import Answered, Pages, Visit, money
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.crm.data import BRANDS, CATEGORIES
from turnwise.worlds.web.sites.crm.pages.access import euros, history, log, needs, order_name
from turnwise.worlds.web.sites.listing import Listing, bulk_form, cents_of, chosen, tabs, whole_of

__all__ = ["SALE_STATES", "goods"]

goods = Pages()

SALE_STATES = ("pending", "paid", "shipped", "cancelled", "returned")
VARIANT_ROWS = 3


# ---- products ---------------------------------------------------------------------------------------------------


def _products(visit: Visit) -> Listing:
    sorts = {"name": "t.name", "price": "t.price", "stock": "t.stock", "sku": "t.sku"}
    found = Listing(visit, "/products", "product t", sorts)
    found.search("q", "t.name", "t.sku")
    found.equal("brand", "t.brand")
    found.equal("category", "t.category")
    found.limit("below", "t.stock < ?", "whole")
    active = found.param("active")
    if active:
        found.where("t.active = ?", int(active == "yes"))
    return found


@goods.page("/products", signed_in=True)
def products(visit: Visit) -> Answered:
    """Show the list of products, with bulk edit."""
    return _product_list(visit, "")


def _product_list(visit: Visit, error: str) -> Answered:
    needs(visit, "goods")
    found = _products(visit)
    filters = found.form(
        m.field("Search", "q", visit.text("q"), type="search"),
        m.choices("Brand", "brand", [("", "All"), *BRANDS], visit.text("brand")),
        m.choices("Category", "category", [("", "All"), *CATEGORIES], visit.text("category")),
        m.number_field("Stock below", "below", visit.text("below"), error=found.errors.get("below", "")),
        m.choices("State", "active", [("", "All"), ("yes", "Active"), ("no", "Disabled")], visit.text("active")),
    )
    rows = [
        (id, sku, (sku, m.link(f"/product/{id}", name), brand, category, euros(price), str(stock), _state(active)))
        for id, sku, name, brand, category, price, stock, active in found.rows("t.*")
    ]
    heads = (found.header("sku", "SKU"), found.header("name", "Product"), "Brand", "Category",
             found.header("price", "Price"), found.header("stock", "Stock"), "State")  # fmt: skip
    does = [
        ("", "Choose"),
        ("percent", "Change price by percent"),
        ("stock", "Set stock to"),
        ("disable", "Disable"),
        ("enable", "Enable"),
    ]
    controls = [m.choices("Action", "do", does, visit.form.get("do")),
                m.field("Value", "value", visit.form.get("value", ""), error=error)]  # fmt: skip
    bulk = bulk_form(found, "/products/bulk", heads, rows, controls, "No product matches.")
    new = m.link("/products/new", "New product")
    return visit.show("Products", filters, m.paragraph(found.count("product"), " ", new), bulk)


@goods.action("/products/bulk")
def bulk_products(visit: Visit) -> Answered:
    """Change prices by percent, change stock, or disable products."""
    needs(visit, "goods")
    found = _products(visit)
    ids, does, value = chosen(visit, found), visit.text("do"), visit.text("value")
    if not ids:
        return _product_list(visit, "Tick at least one product.")
    if does == "percent":
        if not re.fullmatch(r"[+-]?[0-9]{1,2}", value) or int(value) == 0:
            return _product_list(visit, "Write a whole number of percent, such as 10 or -10.")
        sql, values = "price = (price * (100 + ?) + 50) / 100", (int(value),)
    elif does == "stock":
        number = whole_of(value, 99_999)
        if number is None:
            return _product_list(visit, "Write a whole number from 0 to 99999.")
        sql, values = "stock = ?", (number,)
    elif does in ("disable", "enable"):
        sql, values = "active = ?", (int(does == "enable"),)
    else:
        return _product_list(visit, "Choose an action.")
    for id in ids:
        visit.run(f"UPDATE product SET {sql} WHERE id = ?", *values, id)
        log(visit, f"product {id}", f"{does} {value}".strip())
    return visit.redirect(found.href(), flash=f"{m.counted(len(ids), 'product')} changed.")


@goods.page("/product/{id:int}", signed_in=True)
def product(visit: Visit, id: int) -> Answered:
    """Show a product's data, variants and history in tabs."""
    needs(visit, "goods")
    _, sku, name, brand, category, price, stock, active = visit.row("SELECT * FROM product WHERE id = ?", id)
    variants = visit.rows("SELECT name, stock FROM variant WHERE product = ? ORDER BY id", id)
    data = m.definitions(
        [("SKU", sku), ("Brand", brand), ("Category", category), ("Price", euros(price)), ("Stock", str(stock)),
         ("State", _state(active))]
    )  # fmt: skip
    table = m.table(("Variant", "Stock"), [(v, str(s)) for v, s in variants], empty="No variants.")
    panels = [
        ("data", "Data", data),
        ("variants", "Variants", table),
        ("history", "History", history(visit, f"product {id}")),
    ]
    change = m.post_button(f"/product/{id}/active", "Disable" if active else "Enable", active=int(not active))
    return visit.show(name, m.link(f"/product/{id}/edit", "Edit"), change, tabs("product", panels))


@goods.action("/product/{id:int}/active")
def set_active(visit: Visit, id: int) -> Answered:
    """Disable or enable a product."""
    needs(visit, "goods")
    visit.row("SELECT id FROM product WHERE id = ?", id)
    active = int(visit.whole("active") == 1)
    visit.change("product", id, active=active)
    log(visit, f"product {id}", "enabled" if active else "disabled")
    return visit.redirect(f"/product/{id}", flash=f"The product is now {_state(active).lower()}.")


@goods.page("/products/new", signed_in=True)
@goods.page("/product/{id:int}/edit", signed_in=True)
def edit_product(visit: Visit, id: int | None = None) -> Answered:
    """Show the form for a new product, or for changing one."""
    needs(visit, "goods")
    if id is None:
        return _product_form(visit, 0, {}, {})
    names = ("sku", "name", "brand", "category", "price", "stock")
    value = dict(zip(names, visit.row(f"SELECT {', '.join(names)} FROM product WHERE id = ?", id), strict=True))
    value["price"] = money(value["price"])
    return _product_form(visit, id, value, {})


def _product_form(visit: Visit, id: int, value: Mapping[str, Any], wrong: Mapping[str, str]) -> Answered:
    fields = [
        m.field("SKU", "sku", value.get("sku", ""), error=wrong.get("sku", "")),
        m.field("Name", "name", value.get("name", ""), error=wrong.get("name", "")),
        m.choices("Brand", "brand", [("", "Choose"), *BRANDS], value.get("brand"), error=wrong.get("brand", "")),
        m.choices(
            "Category",
            "category",
            [("", "Choose"), *CATEGORIES],
            value.get("category"),
            error=wrong.get("category", ""),
        ),
        m.number_field("Price (EUR)", "price", value.get("price", ""), error=wrong.get("price", "")),
        m.number_field("Stock", "stock", value.get("stock", ""), error=wrong.get("stock", "")),
    ]
    if not id:
        shown = bool(wrong) and any(value.get(f"variant{n}") for n in range(1, VARIANT_ROWS + 1))
        rows = [
            m.join(
                m.field(f"Variant {n}", f"variant{n}", value.get(f"variant{n}", "")),
                m.number_field(
                    f"Stock of variant {n}", f"stock{n}", value.get(f"stock{n}", ""), wrong.get(f"stock{n}", "")
                ),
            )
            for n in range(1, VARIANT_ROWS + 1)
        ]
        fields += [
            m.button("Add variants", type="button", data_tw_toggle="variants", aria_expanded=str(shown).lower()),
            m.panel("variants", m.paragraph("With variants, the stock of the product is the sum of theirs."), rows,
                    hidden=not shown),
        ]  # fmt: skip
    path = f"/product/{id}/edit" if id else "/products/new"
    return visit.show("Edit product" if id else "New product", m.form(path, fields, submit="Save product"))


@goods.action("/products/new")
@goods.action("/product/{id:int}/edit")
def save_product(visit: Visit, id: int | None = None) -> Answered:
    """Check the form and save a product, a new one with its variants."""
    id = 0 if id is None else visit.row("SELECT id FROM product WHERE id = ?", id)
    needs(visit, "goods")
    sku, name, brand, category = (visit.text(key) for key in ("sku", "name", "brand", "category"))
    price, stock = cents_of(visit.text("price")), whole_of(visit.text("stock"), 99_999)
    numbers = (
        [] if id else [n for n in range(1, VARIANT_ROWS + 1) if visit.text(f"variant{n}") or visit.text(f"stock{n}")]
    )
    variants = [(visit.text(f"variant{n}"), whole_of(visit.text(f"stock{n}"), 99_999)) for n in numbers]
    wrong = {}
    if not re.fullmatch(r"[A-Z0-9]+(-[A-Z0-9]+)*", sku) or len(sku) > 20:
        wrong["sku"] = "A SKU has capital letters, digits and hyphens, at most 20."
    elif visit.get("SELECT id FROM product WHERE sku = ? AND id <> ?", sku, id) is not None:
        wrong["sku"] = "Another product has this SKU."
    if not 1 <= len(name) <= 80:
        wrong["name"] = "A product needs a name of at most 80 characters."
    if brand not in BRANDS:
        wrong["brand"] = "Choose a brand."
    if category not in CATEGORIES:
        wrong["category"] = "Choose a category."
    if not price:
        wrong["price"] = "Write a price above 0 such as 12.50."
    if variants and not visit.text("stock"):
        stock = sum(number or 0 for _, number in variants)
    if stock is None:
        wrong["stock"] = "Write a whole number from 0 to 99999."
    for n, (label, number) in zip(numbers, variants, strict=True):
        if not label or len(label) > 40 or number is None:
            wrong[f"stock{n}"] = "A variant needs a name and a whole number in stock."
    if variants and not wrong and stock != sum(number or 0 for _, number in variants):
        wrong["stock"] = "The stock must be the sum of the variants; leave it empty to have it filled in."
    if wrong:
        return _product_form(visit, id, visit.form, wrong)
    id = visit.save("product", id, {}, sku=sku, name=name, brand=brand, category=category, price=price, stock=stock)
    for label, number in variants:
        visit.add("variant", product=id, name=label, stock=number)
    log(visit, f"product {id}", "saved")
    return visit.redirect(f"/product/{id}", flash="The product has been saved.")


# ---- orders -----------------------------------------------------------------------------------------------------


def _orders(visit: Visit) -> Listing:
    source = "sale t JOIN customer c ON c.id = t.customer"
    found = Listing(visit, "/orders", source, {"day": "t.day", "total": "t.total"})
    found.search("q", "c.name")
    found.limit("customer", "t.customer = ?", "whole")
    found.equal("status", "t.status")
    found.limit("from", "t.day >= ?", "date")
    found.limit("to", "t.day <= ?", "date")
    found.limit("least", "t.total >= ?", "money")
    return found


@goods.page("/orders", signed_in=True)
def orders(visit: Visit) -> Answered:
    """Show the list of orders, with bulk edit."""
    needs(visit, "orders")
    found = _orders(visit)
    filters = found.form(
        m.field("Customer name", "q", visit.text("q"), type="search"),
        [m.hidden("customer", value) for value in found.given.get("customer", ())],
        m.choices("Status", "status", [("", "All"), *SALE_STATES], visit.text("status")),
        m.date_field("From", "from", visit.text("from"), error=found.errors.get("from", "")),
        m.date_field("To (included)", "to", visit.text("to"), error=found.errors.get("to", "")),
        m.number_field("Total from (EUR)", "least", visit.text("least"), error=found.errors.get("least", "")),
    )
    rows = [
        (
            id,
            f"order {id}",
            (m.link(f"/order/{id}", order_name(id)), day, m.link(f"/customer/{c}", name), status, euros(total)),
        )
        for id, day, c, name, status, total in found.rows("t.id, t.day, c.id, c.name, t.status, t.total")
    ]
    heads = ("Order", found.header("day", "Day"), "Customer", "Status", found.header("total", "Total"))
    does = m.choices(
        "Action",
        "do",
        [("", "Choose"), ("cancel", "Cancel (pending orders only)"), ("paid", "Mark as paid (pending orders only)")],
    )
    bulk = bulk_form(found, "/orders/bulk", heads, rows, does, "No order matches.")
    return visit.show("Orders", filters, m.paragraph(found.count("order")), bulk)


@goods.action("/orders/bulk")
def bulk_orders(visit: Visit) -> Answered:
    """Cancel orders or mark them as paid; nothing happens unless all are pending."""
    needs(visit, "orders")
    found = _orders(visit)
    ids, status = chosen(visit, found), {"cancel": "cancelled", "paid": "paid"}.get(visit.text("do"))
    if not ids or status is None:
        return visit.redirect(found.href(), flash="Tick at least one order and choose an action.")
    for id in ids:
        now = visit.row("SELECT status FROM sale WHERE id = ?", id)
        if now != "pending":
            return visit.redirect(found.href(), flash=f"Nothing was changed: order {id} is {now}, not pending.")
    for id in ids:
        _set_order(visit, id, status)
    done = "cancelled" if status == "cancelled" else "marked as paid"
    return visit.redirect(found.href(), flash=f"{m.counted(len(ids), 'order')} {done}.")


def _set_order(visit: Visit, id: int, status: str) -> None:
    visit.change("sale", id, status=status)
    if status == "cancelled":
        for product, quantity in visit.rows("SELECT product, quantity FROM line WHERE sale = ?", id):
            visit.run("UPDATE product SET stock = stock + ? WHERE id = ?", quantity, product)
    log(visit, f"order {id}", status)


@goods.page("/order/{id:int}", signed_in=True)
def order(visit: Visit, id: int) -> Answered:
    """Show an order's lines and what can be done."""
    needs(visit, "orders")
    customer, name, day, status, total = visit.row(
        "SELECT c.id, c.name, t.day, t.status, t.total FROM sale t JOIN customer c ON c.id = t.customer WHERE t.id = ?",
        id,
    )
    lines = visit.rows("SELECT p.name, l.quantity, l.price FROM line l JOIN product p ON p.id = l.product "
                       "WHERE l.sale = ? ORDER BY p.name, p.id", id)  # fmt: skip
    table = m.table(("Product", "Quantity", "Price", "Sum"),
                    [(p, str(n), euros(price), euros(n * price)) for p, n, price in lines])  # fmt: skip
    does: list[Markup] = []
    if status == "pending":
        does = [m.post_button(f"/order/{id}/status", "Mark as paid", status="paid"),
                m.post_button(f"/order/{id}/status", "Cancel the order", status="cancelled"),
                m.paragraph("Cancelling puts the goods back into stock.")]  # fmt: skip
    elif status == "paid":
        does = [m.post_button(f"/order/{id}/status", "Mark as shipped", status="shipped")]
    data = m.definitions([("Customer", m.link(f"/customer/{customer}", name)), ("Day", day), ("Status", status),
                          ("Total", euros(total))])  # fmt: skip
    return visit.show(order_name(id), data, table, does, m.section("History", history(visit, f"order {id}")))


@goods.action("/order/{id:int}/status")
def set_status(visit: Visit, id: int) -> Answered:
    """Move an order to its next status."""
    needs(visit, "orders")
    now, wanted = visit.row("SELECT status FROM sale WHERE id = ?", id), visit.text("status")
    if wanted not in {"pending": ("paid", "cancelled"), "paid": ("shipped",)}.get(now, ()):
        return visit.redirect(f"/order/{id}", flash=f"Nothing was changed: the order is {now}.")
    _set_order(visit, id, wanted)
    return visit.redirect(f"/order/{id}", flash=f"The order is now {wanted}.")


# ---- reviews ----------------------------------------------------------------------------------------------------


def _reviews(visit: Visit) -> Listing:
    source = "review t JOIN product p ON p.id = t.product"
    found = Listing(visit, "/reviews", source, {"day": "t.day", "stars": "t.stars", "product": "p.name"})
    found.search("q", "p.name", "t.text")
    found.equal("brand", "p.brand")
    found.equal("status", "t.status")
    found.limit("stars", "t.stars = ?", "whole")
    return found


@goods.page("/reviews", signed_in=True)
def reviews(visit: Visit) -> Answered:
    """Show the list of reviews, with approval and deletion."""
    needs(visit, "reviews")
    found = _reviews(visit)
    filters = found.form(
        m.field("Search", "q", visit.text("q"), type="search"),
        m.choices("Brand", "brand", [("", "All"), *BRANDS], visit.text("brand")),
        m.choices(
            "Status", "status", [("", "All"), ("waiting", "Waiting"), ("approved", "Approved")], visit.text("status")
        ),
        m.choices("Stars", "stars", [("", "All"), *((str(n), str(n)) for n in range(1, 6))], visit.text("stars")),
    )
    rows = [
        (id, f"review {id}", (str(id), product, brand, str(stars), author, text, status, day))
        for id, product, brand, stars, author, text, status, day in found.rows(
            "t.id, p.name, p.brand, t.stars, t.author, t.text, t.status, t.day"
        )
    ]
    heads = (
        "Number",
        found.header("product", "Product"),
        "Brand",
        found.header("stars", "Stars"),
        "Author",
        "Review",
        "Status",
        found.header("day", "Day"),
    )
    does = m.choices("Action", "do", [("", "Choose"), ("approve", "Approve"), ("delete", "Delete")])
    bulk = bulk_form(found, "/reviews/bulk", heads, rows, does, "No review matches.")
    return visit.show("Reviews", filters, m.paragraph(found.count("review")), bulk)


@goods.action("/reviews/bulk")
def bulk_reviews(visit: Visit) -> Answered:
    """Approve or delete reviews."""
    needs(visit, "reviews")
    found = _reviews(visit)
    ids, does = chosen(visit, found), visit.text("do")
    if not ids or does not in ("approve", "delete"):
        return visit.redirect(found.href(), flash="Tick at least one review and choose an action.")
    for id in ids:
        if does == "approve":
            visit.run("UPDATE review SET status = 'approved' WHERE id = ?", id)
        else:
            visit.run("DELETE FROM review WHERE id = ?", id)
        log(visit, f"review {id}", does)
    done = "approved" if does == "approve" else "deleted"
    return visit.redirect(found.href(), flash=f"{m.counted(len(ids), 'review')} {done}.")


def _state(active: int) -> str:
    return "Active" if active else "Disabled"
