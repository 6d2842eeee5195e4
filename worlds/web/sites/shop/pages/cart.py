"""The shop's cart and the three pages of its checkout."""

from turnwise.worlds.web.site import Answered, Pages, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.sites.shop.data import DELIVERY, shipping_cost
from turnwise.worlds.web.sites.shop.parts import (
    address_label,
    basket_of,
    card_label,
    coupon_problem,
    delivery_label,
    euro,
    option_text,
    to_words,
)

__all__ = ["add_to_cart", "cart"]

cart = Pages()

MOST = 10
_ADDRESS = "SELECT id, label, name, street, postcode, town FROM address WHERE account = ?"


def add_to_cart(visit: Visit, variant: int, quantity: int) -> str:
    """Put a variant into the visitor's cart and return "", or return why it cannot be."""
    title, size, colour, stock = visit.row(
        "SELECT p.title, v.size, v.colour, v.stock FROM variant v JOIN product p ON p.id = v.product WHERE v.id = ?",
        variant,
    )
    held = visit.get("SELECT quantity FROM cart WHERE account = ? AND variant = ?", visit.user, variant) or 0
    what = ", ".join(part for part in (title, option_text(size, colour)) if part)
    if not stock:
        return f"{what}: sold out."
    if not 1 <= quantity <= MOST or held + quantity > MOST:
        return f"You can have 1 to {MOST} of a kind in your cart."
    if held + quantity > stock:
        return f"{what}: only {stock} in stock."
    visit.run("INSERT OR REPLACE INTO cart VALUES (?, ?, ?)", visit.user, variant, held + quantity)
    return ""


@cart.page("/cart", signed_in=True)
def show_cart(visit: Visit) -> Answered:
    """Show what is in the cart."""
    return _cart(visit, "", 0)


def _cart(visit: Visit, error: str, wrong: int) -> Answered:
    """Show the cart; ``error`` stands at the row of the variant ``wrong``, or at the coupon if that is 0."""
    basket = basket_of(visit)
    if not basket.rows:
        return visit.show("Cart", m.paragraph("Your cart is empty."), m.link("/products", "Look at our products"))
    rows = []
    for variant, product, title, size, colour, price, quantity, _ in basket.rows:
        typed = visit.text("quantity") if wrong == variant else quantity
        change = m.form(
            f"/cart/{variant}",
            m.number_field("Quantity", "quantity", typed, error if wrong == variant else ""),
            submit="Update",
            class_="inline",
        )
        item = m.join(m.link(f"/product/{product}", title), f" {option_text(size, colour)}")
        remove = m.post_button(f"/cart/{variant}", "Remove", quantity="0")
        rows.append((item, euro(price), change, euro(price * quantity), remove))
    code = visit.text("code") if error and not wrong else basket.coupon
    coupon = m.form("/cart/coupon", m.field("Coupon code", "code", code, error="" if wrong else error), submit="Apply")
    sums = [("Subtotal", euro(basket.subtotal))]
    if basket.discount:
        sums.append((f"Coupon {basket.coupon}", f"-{euro(basket.discount)}"))
    return visit.show(
        "Cart",
        m.table(("Item", "Price", "Quantity", "Sum", ""), rows),
        m.note(basket.problem, "alert") if basket.problem else "",
        coupon,
        m.definitions([*sums, ("Total without delivery", euro(basket.subtotal - basket.discount))]),
        m.link("/checkout", "Go to checkout"),
    )


@cart.action("/cart/{variant:int}")
def change(visit: Visit, variant: int) -> Answered:
    """Change a quantity; 0 removes the item."""
    stock = visit.row(
        "SELECT v.stock FROM cart c JOIN variant v ON v.id = c.variant WHERE c.account = ? AND c.variant = ?",
        visit.user,
        variant,
    )
    quantity = visit.whole("quantity", -1)
    if quantity == 0:
        visit.run("DELETE FROM cart WHERE account = ? AND variant = ?", visit.user, variant)
        return visit.redirect("/cart", flash="Removed from your cart.")
    if not 1 <= quantity <= min(MOST, stock):
        return _cart(visit, f"A number from 0 to {min(MOST, stock)}, please.", variant)
    visit.run("UPDATE cart SET quantity = ? WHERE account = ? AND variant = ?", quantity, visit.user, variant)
    return visit.redirect("/cart", flash="Your cart is updated.")


@cart.action("/cart/coupon")
def coupon(visit: Visit) -> Answered:
    """Choose a coupon; an empty code removes it."""
    code = visit.text("code").upper()
    if not code:
        visit.run("UPDATE checkout SET coupon = '' WHERE account = ?", visit.user)
        return visit.redirect("/cart", flash="No coupon is used.")
    found = visit.get("SELECT minimum, starts, ends FROM coupon WHERE code = ?", code)
    error = "There is no such coupon."
    if found is not None:
        minimum, starts, ends = found
        error = coupon_problem(minimum, starts, ends, f"{visit.now.date()}", basket_of(visit).subtotal)
    if error:
        return _cart(visit, error, 0)
    _choose(visit, "coupon", code)
    return visit.redirect("/cart", flash=f"The coupon {code} is used.")


def _choose(visit: Visit, column: str, value: object) -> None:
    visit.run("INSERT OR IGNORE INTO checkout (account) VALUES (?)", visit.user)
    visit.run(f"UPDATE checkout SET {column} = ? WHERE account = ?", value, visit.user)


# ---- checkout -------------------------------------------------------------------------------------------------


@cart.page("/checkout", signed_in=True)
def checkout(visit: Visit) -> Answered:
    """Show the first page: address and delivery."""
    return _first(visit, {})


def _first(visit: Visit, errors: dict[str, str]) -> Answered:
    basket = basket_of(visit)
    if not basket.rows:
        return visit.redirect("/cart")
    known = visit.rows(_ADDRESS + " ORDER BY id", visit.user)
    address, delivery = visit.get("SELECT address, delivery FROM checkout WHERE account = ?", visit.user) or (0, "")
    options: list[tuple[object, str]] = [(row[0], address_label(*row[1:])) for row in known]
    content = m.form(
        "/checkout",
        m.radios("Address", "address", options, visit.text("address") or address, errors.get("address", "")),
        m.paragraph(m.link("/checkout/address", "Enter a new address")),
        m.radios(
            "Delivery",
            "delivery",
            [(key, delivery_label(key, basket.subtotal)) for key, _, _ in DELIVERY],
            visit.text("delivery") or delivery,
            errors.get("delivery", ""),
        ),
        submit="Continue to payment",
    )
    return visit.show("Checkout: delivery", m.paragraph("Step 1 of 3"), content)


@cart.action("/checkout")
def choose_delivery(visit: Visit) -> Answered:
    """Check and save the first page."""
    address, delivery, errors = visit.whole("address"), visit.text("delivery"), {}
    if delivery not in [key for key, _, _ in DELIVERY]:
        errors["delivery"] = "Choose a way of delivery."
    if visit.get(_ADDRESS + " AND id = ?", visit.user, address) is None:
        errors["address"] = "Choose an address."
    if errors:
        return _first(visit, errors)
    _choose(visit, "address", address)
    _choose(visit, "delivery", delivery)
    return visit.redirect("/checkout/payment")


@cart.page("/checkout/address", signed_in=True)
def elsewhere(visit: Visit) -> Answered:
    """Show the form for an address that is not in the address book."""
    return _elsewhere(visit, {})


def _elsewhere(visit: Visit, errors: dict[str, str]) -> Answered:
    fields = [
        m.field(label, label.lower(), visit.text(label.lower()), error=errors.get(label.lower(), ""))
        for label in ("Label", "Name", "Street", "Postcode", "Town")
    ]
    return visit.show(
        "Checkout: new address",
        m.form("/checkout/address", fields, submit="Save and use"),
        m.link("/checkout", "Back to delivery"),
    )


@cart.action("/checkout/address")
def use_address(visit: Visit) -> Answered:
    """Add an address to the address book, and choose it."""
    errors = address_errors(visit)
    if errors:
        return _elsewhere(visit, errors)
    _choose(visit, "address", save_address(visit))
    return visit.redirect("/checkout", flash="The address is saved in your address book.")


@cart.page("/checkout/payment", signed_in=True)
def payment(visit: Visit) -> Answered:
    """Show the second page: the card."""
    return _second(visit, "")


def _second(visit: Visit, error: str) -> Answered:
    cards = visit.rows("SELECT id, brand, last4, expires FROM payment WHERE account = ? ORDER BY id", visit.user)
    chosen = visit.text("card") or visit.get("SELECT payment FROM checkout WHERE account = ?", visit.user)
    options: list[tuple[object, str]] = [(row[0], card_label(*row[1:])) for row in cards]
    content = m.form("/checkout/payment", m.radios("Card", "card", options, chosen, error), submit="Continue to review")
    return visit.show("Checkout: payment", m.paragraph("Step 2 of 3"), content, m.link("/checkout", "Back to delivery"))


@cart.action("/checkout/payment")
def choose_card(visit: Visit) -> Answered:
    """Check and save the second page."""
    expires = visit.get("SELECT expires FROM payment WHERE id = ? AND account = ?", visit.whole("card"), visit.user)
    if expires is None:
        return _second(visit, "Choose a card.")
    if expires < f"{visit.now:%Y-%m}":
        return _second(visit, "This card has expired. Choose another one.")
    _choose(visit, "payment", visit.whole("card"))
    return visit.redirect("/checkout/review")


@cart.page("/checkout/review", signed_in=True)
def review_order(visit: Visit) -> Answered:
    """Show the third page: everything before it is ordered."""
    basket, chosen = basket_of(visit), _chosen(visit)
    if not basket.rows or chosen is None:
        return visit.redirect("/checkout")
    ship_to, delivery, card, _ = chosen
    shipping = shipping_cost(delivery, basket.subtotal)
    rows = [
        (f"{title} {option_text(size, colour)}".strip(), str(quantity), euro(price * quantity))
        for _, _, title, size, colour, price, quantity, _ in basket.rows
    ]
    sums = [(to_words(delivery), ship_to), ("Delivery", delivery_label(delivery, basket.subtotal)), ("Card", card)]
    if basket.discount:
        sums.append((f"Coupon {basket.coupon}", f"-{euro(basket.discount)}"))
    sums.append(("Total", euro(basket.subtotal - basket.discount + shipping)))
    return visit.show(
        "Checkout: review",
        m.paragraph("Step 3 of 3"),
        m.table(("Item", "Quantity", "Sum"), rows),
        m.definitions(sums),
        m.form("/checkout/place", submit="Place order"),
        m.link("/cart", "Back to the cart"),
    )


def _chosen(visit: Visit) -> tuple[str, str, str, int] | None:
    """Return address, delivery, card and its id, if all have been chosen."""
    found = visit.get(
        "SELECT a.name || ', ' || a.street || ', ' || a.postcode || ' ' || a.town, c.delivery, k.brand || ' "
        "ending in ' || k.last4, k.id FROM checkout c JOIN address a ON a.id = c.address JOIN payment k ON k.id = "
        "c.payment WHERE c.account = ? AND a.account = c.account",
        visit.user,
    )
    return None if found is None or not found[1] else found


@cart.action("/checkout/place")
def place(visit: Visit) -> Answered:
    """Place the order: the stock falls, and the cart is emptied."""
    basket, chosen = basket_of(visit), _chosen(visit)
    if not basket.rows or chosen is None:
        return visit.redirect("/checkout")
    for _, _, title, size, colour, _, quantity, stock in basket.rows:
        if quantity > stock:
            text = f"{title} {option_text(size, colour)}".strip()
            return visit.redirect("/cart", flash=f"{text}: only {stock} left. Please change your cart.")
    ship_to, delivery, _, card = chosen
    shipping = shipping_cost(delivery, basket.subtotal)
    number = visit.add(
        "purchase",
        account=visit.user,
        placed=f"{visit.now:%Y-%m-%d %H:%M}",
        ship_to=ship_to,
        delivery=delivery,
        payment=card,
        coupon=basket.coupon,
        subtotal=basket.subtotal,
        discount=basket.discount,
        shipping=shipping,
        total=basket.subtotal - basket.discount + shipping,
    )
    for variant, _, _, _, _, price, quantity, _ in basket.rows:
        visit.add("line", purchase=number, variant=variant, price=price, quantity=quantity)
        visit.run("UPDATE variant SET stock = stock - ? WHERE id = ?", quantity, variant)
    visit.run("DELETE FROM cart WHERE account = ?", visit.user)
    visit.run("DELETE FROM checkout WHERE account = ?", visit.user)
    return visit.redirect(f"/orders/{number}", flash=f"Thank you! Your order {number} is placed.")


def address_errors(visit: Visit) -> dict[str, str]:
    """Return what is wrong with the address fields of a form, by field."""
    errors = {
        name: f"{name.capitalize()} is needed." for name in ("label", "name", "street", "town") if not visit.text(name)
    }
    postcode = visit.text("postcode")
    if not (postcode.isascii() and postcode.isdigit() and len(postcode) == 5):
        errors["postcode"] = "A postcode has five digits."
    return errors | {
        name: "At most 80 characters." for name in ("label", "name", "street", "town") if len(visit.text(name)) > 80
    }


def save_address(visit: Visit, id: int | None = None) -> int:
    """Save a form's address, as a new entry if ``id`` is None and there is no equal one, and return its id."""
    values = {name: visit.text(name) for name in ("label", "name", "street", "postcode", "town")}
    if id is None:
        same = "SELECT id FROM address WHERE (account, label, name, street, postcode, town) = (?, ?, ?, ?, ?, ?)"
        return visit.get(same, visit.user, *values.values()) or visit.add("address", account=visit.user, **values)
    visit.change("address", id, **values)
    return id
