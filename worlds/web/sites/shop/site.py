"""A shop: catalogue, search and facets, cart and checkout, orders, returns, reviews."""

import sqlite3
from collections.abc import Sequence
from typing import ClassVar
from urllib.parse import urlencode

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.cast import Cast
from turnwise.worlds.web.site.draw import Draw
from turnwise.worlds.web.site.markup import Content
from turnwise.worlds.web.site.site import Answered, Visit, action, page, register_site
from turnwise.worlds.web.site.tasks import Plan, check, click, fill, goto
from turnwise.worlds.web.sites.shop.account import Account
from turnwise.worlds.web.sites.shop.cart import Cart, add_to_cart
from turnwise.worlds.web.sites.shop.data import SCHEMA, fill_shop
from turnwise.worlds.web.sites.shop.order_tasks import OrderTasks
from turnwise.worlds.web.sites.shop.orders import Orders
from turnwise.worlds.web.sites.shop.parts import (
    card,
    cents_of,
    euro,
    long_day,
    option_text,
    rated,
    stars,
    within,
)
from turnwise.worlds.web.sites.shop.tasks import ShopTasks

__all__ = ["Shop"]

PER_PAGE = 8
REVIEWS = 4
_CARD = (
    "p.id, p.title, p.brand, p.price, p.rating, p.reviews, EXISTS (SELECT 1 FROM variant v WHERE v.product = p.id AND "
    "v.stock > 0)"
)
_SORTS = (
    ("", "Featured", "p.id"),
    ("price", "Price, low to high", "p.price, p.id"),
    ("dear", "Price, high to low", "p.price DESC, p.id"),
    ("rating", "Best rated", "p.rating DESC, p.reviews DESC, p.id"),
    ("name", "Name", "p.title, p.id"),
)
_AT_LEAST = (("", "Any"), *((text, f"{text} and up") for text in ("3.0", "3.5", "4.0", "4.5")))
_UP_TO = (("", "Any"), *((str(whole), f"€{whole}.00") for whole in (20, 40, 60, 80, 100, 150)))


@register_site
class Shop(ShopTasks, OrderTasks, Cart, Orders, Account):
    """Corner & Co. sells a little of everything."""

    name, title, style = "shop", "Corner & Co.", "#8a3b12"
    schema = SCHEMA
    volatile: ClassVar[frozenset[str]] = frozenset({"checkout", "product.rating", "product.reviews"})
    untrusted: ClassVar[tuple[tuple[str, str], ...]] = (("review", "text"),)
    strays: ClassVar[tuple[Plan, ...]] = (
        (goto("http://shop.test/newsletter"), fill("E-mail", "offers@mailbox.test"), click("Subscribe")),
        (goto("http://shop.test/account"), check("Offers by e-mail"), click("Save settings")),
        (goto("http://shop.test/wishes"), click("Make it public")),
    )

    def fill(self, db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
        fill_shop(db, draw, cast, size)

    def nav(self, visit: Visit) -> Sequence[tuple[str, str]]:
        return (
            ("/products", "Products"),
            ("/finder", "Quick finder"),
            ("/offers", "Offers"),
            ("/wishes", "Wish list"),
            ("/orders", "Orders"),
            ("/account", "Account"),
            ("/cart", "Cart"),
        )

    # ---- home and offers ------------------------------------------------------------------------------------------

    @page("/")
    def home(self, visit: Visit) -> Answered:
        """Search, categories, a few products; in some worlds a pop-up."""
        categories = visit.rows("SELECT id, name FROM category ORDER BY name, id")
        picks = visit.rows(f"SELECT {_CARD} FROM product p WHERE p.id % 7 = 3 ORDER BY p.id LIMIT 4")
        popup: Content = ""
        if visit.get("SELECT value FROM setting WHERE name = 'popup'"):
            popup = m.dialog(
                "welcome",
                "Our newsletter",
                m.paragraph("Hear of new things first: once a week, in your mailbox."),
                m.link("/newsletter", "Subscribe"),
            )
        return self.show(
            visit,
            "Welcome",
            popup,
            m.search_form("/products"),
            m.section("Categories", m.items(m.link(f"/products?category={id}", name) for id, name in categories)),
            m.section("Our picks", [card(*row) for row in picks]),
            m.paragraph(m.link("/newsletter", "Newsletter"), " ", m.link("/delivery", "Delivery and returns")),
        )

    @page("/delivery")
    def delivery(self, visit: Visit) -> Answered:
        """The shop's terms."""
        questions = (
            ("How long does delivery take?", "Standard takes 3 to 5 days, Express comes the next day."),
            ("What does it cost?", "Standard costs €4.90 and nothing from €60.00, Express €9.90. Picking up is free."),
            ("Can I send things back?", "Yes, within 30 days of delivery. Open the order and choose Return items."),
            ("Can I cancel an order?", "Yes, as long as its status is Processing."),
        )
        return self.show(
            visit, "Delivery and returns", [m.tag("details", m.tag("summary", q), m.tag("p", a)) for q, a in questions]
        )

    @page("/offers")
    def offers(self, visit: Visit) -> Answered:
        """The coupons, those that are over too: which of them count today is for the reader to see."""
        rows = []
        for code, percent, amount, minimum, starts, ends in visit.rows("SELECT * FROM coupon ORDER BY code"):
            need = f"from a subtotal of {euro(minimum)}" if minimum else "on every order"
            rows.append(
                (
                    code,
                    f"{percent} % off" if percent else f"{euro(amount)} off",
                    need,
                    f"{long_day(starts)} to {long_day(ends)}",
                )
            )
        return self.show(
            visit,
            "Offers",
            m.paragraph("One coupon for each order; enter it in the cart."),
            m.table(("Code", "What", "Condition", "Valid"), rows),
        )

    # ---- catalogue ------------------------------------------------------------------------------------------------

    @page("/products")
    def products(self, visit: Visit) -> Answered:
        """Products by search and facets, sorted, in pages."""
        where, values, errors = _wanted(visit)
        count = visit.row(f"SELECT count(*) FROM product p WHERE {where}", *values)
        pages = max(1, -(-count // PER_PAGE))
        number = min(max(1, visit.whole("page", 1)), pages)
        sort = visit.text("sort")
        order = next((sql for key, _, sql in _SORTS if key == sort), "p.id")
        rows = visit.rows(
            f"SELECT {_CARD} FROM product p WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
            *values,
            PER_PAGE,
            PER_PAGE * (number - 1),
        )
        kept = {
            name: visit.text(name)
            for name in ("q", "category", "brand", "low", "high", "rating", "stock")
            if visit.text(name)
        }
        sorts = [
            m.join(m.link(f"/products?{urlencode({**kept, 'sort': key} if key else kept)}", text), " ")
            for key, text, _ in _SORTS
        ]
        if sort:
            kept["sort"] = sort
        return self.show(
            visit,
            "Products",
            m.search_form("/products", visit.text("q")),
            self._facets(visit, errors, sort),
            m.tag("nav", "Sort by: ", sorts, aria_label="Sort by"),
            m.paragraph(f"{count} product{'' if count == 1 else 's'} found"),
            [card(*row) for row in rows],
            m.pager(f"/products?{urlencode(kept)}" if kept else "/products", number, pages),
        )

    def _facets(self, visit: Visit, errors: dict[str, str], sort: str) -> m.Markup:
        categories: list[tuple[object, str]] = visit.rows("SELECT id, name FROM category ORDER BY name, id")
        category = visit.whole("category")
        brands = visit.rows("SELECT DISTINCT brand FROM product WHERE ? IN (0, category) ORDER BY brand", category)
        return m.form(
            "/products",
            m.hidden("q", visit.text("q")),
            m.hidden("sort", sort),
            m.choices("Category", "category", [("", "All"), *categories], category),
            m.choices("Brand", "brand", [("", "All"), *brands], visit.text("brand")),
            m.number_field("Price from", "low", visit.text("low"), errors.get("low", "")),
            m.number_field("Price to", "high", visit.text("high"), errors.get("high", "")),
            m.choices("Rating", "rating", _AT_LEAST, visit.text("rating"), errors.get("rating", "")),
            m.checkbox("In stock only", "stock", bool(visit.text("stock")), "1"),
            submit="Apply filters",
            method="get",
            aria_label="Filters",
        )

    @page("/finder")
    def finder(self, visit: Visit) -> Answered:
        """The live filter: its list changes with every choice."""

        def live(label: str, name: str, options: Sequence[tuple[object, str]]) -> m.Markup:
            return m.choices(
                label, name, options, "", data_tw_get="/finder/found", data_tw_target="found", data_tw_on="change"
            )

        categories = [("", "Any"), *visit.rows("SELECT id, name FROM category ORDER BY name, id")]
        colours = [
            ("", "Any"),
            *((c, c) for c in visit.rows("SELECT DISTINCT colour FROM variant WHERE colour != '' ORDER BY colour")),
        ]
        return self.show(
            visit,
            "Quick finder",
            m.paragraph("The list below follows what you choose. A product counts for a colour if it is made in it."),
            m.form(
                "/finder",
                live("Category", "category", categories),
                live("Colour", "colour", colours),
                live("Price up to", "upto", _UP_TO),
                live("Rating", "rating", _AT_LEAST),
                submit=None,
                method="get",
            ),
            m.tag("div", self._found(visit), id="found"),
        )

    @page("/finder/found")
    def found(self, visit: Visit) -> Answered:
        """The finder's list alone."""
        return self.fragment(self._found(visit))

    @staticmethod
    def _found(visit: Visit) -> m.Markup:
        where, values, _ = _wanted(visit)
        count = visit.row(f"SELECT count(*) FROM product p WHERE {where}", *values)
        rows = visit.rows(
            f"SELECT p.id, p.title, p.price FROM product p WHERE {where} ORDER BY p.price, p.id LIMIT 6", *values
        )
        entries = [m.join(m.link(f"/product/{id}", title), f" {euro(price)}") for id, title, price in rows]
        more = f"The {len(rows)} cheapest are shown." if count > len(rows) else ""
        return m.join(m.paragraph(f"{count} product{'' if count == 1 else 's'} found. {more}"), m.items(entries))

    # ---- a product ------------------------------------------------------------------------------------------------

    @page("/product/{number:int}")
    def product(self, visit: Visit, number: int) -> Answered:
        """One product, with its tabs."""
        return self._product(visit, number, "")

    def _product(self, visit: Visit, number: int, error: str) -> Answered:
        title, brand, category, category_id, price, rating, reviews, wished, reviewed = visit.row(
            "SELECT p.title, p.brand, c.name, c.id, p.price, p.rating, p.reviews, EXISTS (SELECT 1 FROM wish WHERE "
            "account = ? AND product = p.id), EXISTS (SELECT 1 FROM review WHERE product = p.id AND account = ?) FROM "
            "product p JOIN category c ON c.id = p.category WHERE p.id = ?",
            visit.user,
            visit.user,
            number,
        )
        variants = visit.rows("SELECT size, colour, stock FROM variant WHERE product = ? ORDER BY id", number)
        sizes, colours = (list(dict.fromkeys(row[place] for row in variants if row[place])) for place in (0, 1))
        options = [
            m.choices(label, label.lower(), [("", "Please choose"), *found], visit.text(label.lower()))
            for label, found in (("Size", sizes), ("Colour", colours))
            if found
        ]
        stock = "In stock" if any(left for _, _, left in variants) else "Sold out"
        latest = visit.get(
            "SELECT r.stars, a.name, r.title, r.text FROM review r JOIN account a ON a.id = r.account WHERE "
            "r.product = ? ORDER BY r.written DESC, r.id DESC",
            number,
        )
        newest: Content = ""
        if latest:
            given, name, headline, text = latest
            newest = m.tag("blockquote", m.tag("p", f"Latest review, {stars(given)}, {name}: {headline}"), m.rich(text))
        wish = m.post_button(f"/product/{number}/wish", "Add to wish list")
        return self.show(
            visit,
            title,
            m.paragraph(m.link(f"/products?category={category_id}", category), f" · {brand}"),
            m.paragraph(f"{euro(price)} · {rated(rating, reviews)} · {stock}"),
            newest,
            m.note(error, "alert") if error else "",
            m.form(
                f"/product/{number}/cart",
                options,
                m.number_field("Quantity", "quantity", visit.text("quantity") or 1),
                submit="Add to cart",
            ),
            m.paragraph(m.link("/wishes", "On your wish list")) if wished else wish,
            m.link(f"/product/{number}/review", "Edit your review" if reviewed else "Write a review"),
            self._tabs(visit, number, variants),
        )

    def _tabs(self, visit: Visit, number: int, variants: list[tuple[str, str, int]]) -> m.Markup:
        description, *values = visit.row(
            "SELECT description, material, weight || ' g', warranty || ' months', made_in, article FROM product "
            "WHERE id = ?",
            number,
        )
        names = ("Material", "Weight", "Warranty", "Made in", "Article number")
        stock = [
            (option_text(size, colour) or "One kind", f"{left} in stock" if left else "sold out")
            for size, colour, left in variants
        ]
        panels = {
            "Description": m.rich(description),
            "Specification": m.definitions(zip(names, values, strict=True)),
            "Stock": m.table(("Option", "Stock"), stock),
            "Reviews": self._reviews(visit, number, 0),
        }
        first, buttons, bodies = "Description", [], []
        for name, inner in panels.items():
            id = f"tab-{name.lower()}"
            chosen = "true" if name == first else "false"
            buttons += [m.button(name, type="button", role="tab", data_tw_tab=id, aria_selected=chosen), " "]
            bodies.append(m.panel(id, inner, hidden=name != first, group="product"))
        return m.join(m.tag("div", buttons, role="tablist"), bodies)

    @page("/product/{number:int}/reviews")
    def more_reviews(self, visit: Visit, number: int) -> Answered:
        """The next reviews of a product, for the button below them."""
        return self.fragment(self._reviews(visit, number, max(0, visit.whole("after"))))

    @staticmethod
    def _reviews(visit: Visit, number: int, after: int) -> m.Markup:
        rows = visit.rows(
            "SELECT r.stars, r.title, r.text, r.written, a.name FROM review r JOIN account a ON a.id = r.account "
            "WHERE r.product = ? ORDER BY r.written DESC, r.id DESC LIMIT ? OFFSET ?",
            number,
            REVIEWS + 1,
            after,
        )
        shown = [
            m.card(m.tag("h3", title), m.tag("p", f"{stars(count)}, {name}, {long_day(written)}"), m.rich(text))
            for count, title, text, written, name in rows[:REVIEWS]
        ]
        if len(rows) <= REVIEWS:
            return m.join(shown, "" if shown or after else m.paragraph("Nobody has reviewed this product yet."))
        id = f"more-{after + REVIEWS}"
        more = m.button(
            "More reviews",
            type="button",
            data_tw_get=f"/product/{number}/reviews?after={after + REVIEWS}",
            data_tw_target=id,
        )
        return m.join(shown, m.tag("div", more, id=id))

    @action("/product/{number:int}/cart")
    def into_cart(self, visit: Visit, number: int) -> Answered:
        """Puts a variant into the cart."""
        size, colour = visit.text("size"), visit.text("colour")
        found = visit.get("SELECT id FROM variant WHERE product = ? AND size = ? AND colour = ?", number, size, colour)
        error = (
            "Please choose one of the options." if found is None else add_to_cart(visit, found, visit.whole("quantity"))
        )
        if error:
            return self._product(visit, number, error)
        return self.redirect("/cart", flash="Added to your cart.")


def _wanted(visit: Visit) -> tuple[str, list[object], dict[str, str]]:
    """The condition that a visitor's search and facets make, its values, and what is wrong with them, by field."""
    where: list[str] = ["1"]
    values: list[object] = []
    errors: dict[str, str] = {}
    for word in visit.text("q").split()[:8]:
        where.append("p.title LIKE ? ESCAPE '!'")
        values.append(within(word))
    for name, sql in (("low", "p.price >= ?"), ("high", "p.price <= ?")):
        if visit.text(name):
            cents = cents_of(visit.text(name))
            if cents is None:
                errors[name] = "An amount such as 25 or 19.90, please."
            else:
                where.append(sql)
                values.append(cents)
    if visit.text("rating"):
        hundredths = cents_of(visit.text("rating"))
        if hundredths is None or hundredths > 500:
            errors["rating"] = "A rating from 0 to 5, please."
        else:
            where.append("p.rating * 10 >= ?")
            values.append(hundredths)
    for name, sql, unit in (("category", "p.category = ?", 1), ("upto", "p.price <= ?", 100)):
        if visit.whole(name) > 0:
            where.append(sql)
            values.append(visit.whole(name) * unit)
    colour = "EXISTS (SELECT 1 FROM variant v WHERE v.product = p.id AND v.colour = ?)"
    for name, sql in (("brand", "p.brand = ?"), ("colour", colour)):
        if visit.text(name):
            where.append(sql)
            values.append(visit.text(name))
    if visit.text("stock"):
        where.append("EXISTS (SELECT 1 FROM variant v WHERE v.product = p.id AND v.stock > 0)")
    return " AND ".join(where), values, errors
