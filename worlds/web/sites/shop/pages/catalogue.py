"""The shop's home page, offers, catalogue with search and facets, and products."""

from collections.abc import Sequence
from urllib.parse import urlencode

from turnwise.worlds.web.site import Answered, Pages, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Content
from turnwise.worlds.web.sites.listing import like
from turnwise.worlds.web.sites.shop.pages.cart import add_to_cart
from turnwise.worlds.web.sites.shop.parts import card, cents_of, euro, long_day, option_text, rated, stars

__all__ = ["catalogue"]

catalogue = Pages()

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


# ---- home and offers ------------------------------------------------------------------------------------------


@catalogue.page("/")
def home(visit: Visit) -> Answered:
    """Show search, categories, a few products; in some worlds a pop-up."""
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
    return visit.show(
        "Welcome",
        popup,
        m.search_form("/products"),
        m.section("Categories", m.items(m.link(f"/products?category={id}", name) for id, name in categories)),
        m.section("Our picks", [card(*row) for row in picks]),
        m.paragraph(m.link("/newsletter", "Newsletter"), " ", m.link("/delivery", "Delivery and returns")),
    )


@catalogue.page("/delivery")
def delivery(visit: Visit) -> Answered:
    """Show the shop's terms."""
    questions = (
        ("How long does delivery take?", "Standard takes 3 to 5 days, Express comes the next day."),
        ("What does it cost?", "Standard costs €4.90 and nothing from €60.00, Express €9.90. Picking up is free."),
        ("Can I send things back?", "Yes, within 30 days of delivery. Open the order and choose Return items."),
        ("Can I cancel an order?", "Yes, as long as its status is Processing."),
    )
    return visit.show(
        "Delivery and returns", [m.tag("details", m.tag("summary", q), m.tag("p", a)) for q, a in questions]
    )


@catalogue.page("/offers")
def offers(visit: Visit) -> Answered:
    """Show all coupons, also expired ones: the reader must see which are valid today."""
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
    return visit.show(
        "Offers",
        m.paragraph("One coupon for each order; enter it in the cart."),
        m.table(("Code", "What", "Condition", "Valid"), rows),
    )


# ---- catalogue ------------------------------------------------------------------------------------------------


@catalogue.page("/products")
def products(visit: Visit) -> Answered:
    """Show products by search and facets, sorted, in pages."""
    where, values, errors = _wanted(visit)
    count = visit.row(f"SELECT count(*) FROM product p WHERE {where}", *values)
    part = visit.part(count, PER_PAGE)
    sort = visit.text("sort")
    order = next((sql for key, _, sql in _SORTS if key == sort), "p.id")
    rows = visit.rows(f"SELECT {_CARD} FROM product p WHERE {where} ORDER BY {order}{part.limit}", *values)
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
    return visit.show(
        "Products",
        m.search_form("/products", visit.text("q")),
        _facets(visit, errors, sort),
        m.tag("nav", "Sort by: ", sorts, aria_label="Sort by"),
        m.paragraph(f"{count} product{'' if count == 1 else 's'} found"),
        [card(*row) for row in rows],
        part.links(f"/products?{urlencode(kept)}" if kept else "/products"),
    )


def _facets(visit: Visit, errors: dict[str, str], sort: str) -> m.Markup:
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


@catalogue.page("/finder")
def finder(visit: Visit) -> Answered:
    """Show the live filter, whose list changes with every choice."""

    def live(label: str, name: str, options: Sequence[tuple[object, str]]) -> m.Markup:
        return m.choices(
            label, name, options, "", data_tw_get="/finder/found", data_tw_target="found", data_tw_on="change"
        )

    categories = [("", "Any"), *visit.rows("SELECT id, name FROM category ORDER BY name, id")]
    colours = [
        ("", "Any"),
        *((c, c) for c in visit.rows("SELECT DISTINCT colour FROM variant WHERE colour != '' ORDER BY colour")),
    ]
    return visit.show(
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
        m.tag("div", _found(visit), id="found"),
    )


@catalogue.page("/finder/found")
def found(visit: Visit) -> Answered:
    """Return the finder's list alone."""
    return visit.fragment(_found(visit))


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


@catalogue.page("/product/{number:int}")
def product(visit: Visit, number: int) -> Answered:
    """Show one product, with its tabs."""
    return _product(visit, number, "")


def _product(visit: Visit, number: int, error: str) -> Answered:
    title, brand, category, category_id, price, rating, reviews, photo, wished, reviewed = visit.row(
        "SELECT p.title, p.brand, c.name, c.id, p.price, p.rating, p.reviews, p.photo, EXISTS (SELECT 1 FROM wish "
        "WHERE account = ? AND product = p.id), EXISTS (SELECT 1 FROM review WHERE product = p.id AND account = ?) "
        "FROM product p JOIN category c ON c.id = p.category WHERE p.id = ?",
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
    return visit.show(
        title,
        m.picture(photo or f"{title}, front view"),
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
        _tabs(visit, number, variants),
    )


def _tabs(visit: Visit, number: int, variants: list[tuple[str, str, int]]) -> m.Markup:
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
        "Reviews": _reviews(visit, number, 0),
    }
    first, buttons, bodies = "Description", [], []
    for name, inner in panels.items():
        id = f"tab-{name.lower()}"
        chosen = "true" if name == first else "false"
        buttons += [m.button(name, type="button", role="tab", data_tw_tab=id, aria_selected=chosen), " "]
        bodies.append(m.panel(id, inner, hidden=name != first, group="product"))
    return m.join(m.tag("div", buttons, role="tablist"), bodies)


@catalogue.page("/product/{number:int}/reviews")
def more_reviews(visit: Visit, number: int) -> Answered:
    """Return the next reviews of a product, for the button below them."""
    return visit.fragment(_reviews(visit, number, max(0, visit.whole("after"))))


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


@catalogue.action("/product/{number:int}/cart")
def into_cart(visit: Visit, number: int) -> Answered:
    """Put a variant into the cart."""
    size, colour = visit.text("size"), visit.text("colour")
    found = visit.get("SELECT id FROM variant WHERE product = ? AND size = ? AND colour = ?", number, size, colour)
    error = "Please choose one of the options." if found is None else add_to_cart(visit, found, visit.whole("quantity"))
    if error:
        return _product(visit, number, error)
    return visit.redirect("/cart", flash="Added to your cart.")


def _wanted(visit: Visit) -> tuple[str, list[object], dict[str, str]]:
    """Return the condition that search and facets make, its values, and what is wrong with them, by field."""
    where: list[str] = ["1"]
    values: list[object] = []
    errors: dict[str, str] = {}
    for word in visit.text("q").split()[:8]:
        where.append("p.title LIKE ? ESCAPE '!'")
        values.append(like(word))
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
