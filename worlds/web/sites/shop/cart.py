"""The shop's cart and the three pages of its checkout."""

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.site import Answered, NotFound, Visit, WebSite, action, page
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

__all__ = ["Cart", "add_to_cart"]

MOST = 10
_ADDRESS = "SELECT id, label, name, street, postcode, town FROM address WHERE account = ?"


def add_to_cart(visit: Visit, variant: int, quantity: int) -> str:
    """Put a variant into the visitor's cart; the text says why it cannot be, and is empty where it is done."""
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


class Cart(WebSite):
    """Cart and checkout."""

    @page("/cart", signed_in=True)
    def cart(self, visit: Visit) -> Answered:
        """What is in it."""
        return self._cart(visit, "", 0)

    def _cart(self, visit: Visit, error: str, wrong: int) -> Answered:
        """The cart; ``error`` stands at the row of the variant ``wrong``, or at the coupon where that is 0."""
        basket = basket_of(visit)
        if not basket.rows:
            return self.show(
                visit, "Cart", m.paragraph("Your cart is empty."), m.link("/products", "Look at our products")
            )
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
        coupon = m.form(
            "/cart/coupon", m.field("Coupon code", "code", code, error="" if wrong else error), submit="Apply"
        )
        sums = [("Subtotal", euro(basket.subtotal))]
        if basket.discount:
            sums.append((f"Coupon {basket.coupon}", f"-{euro(basket.discount)}"))
        return self.show(
            visit,
            "Cart",
            m.table(("Item", "Price", "Quantity", "Sum", ""), rows),
            m.note(basket.problem, "alert") if basket.problem else "",
            coupon,
            m.definitions([*sums, ("Total without delivery", euro(basket.subtotal - basket.discount))]),
            m.link("/checkout", "Go to checkout"),
        )

    @action("/cart/{variant:int}")
    def change(self, visit: Visit, variant: int) -> Answered:
        """Another quantity; 0 takes the item out."""
        stock = visit.row(
            "SELECT v.stock FROM cart c JOIN variant v ON v.id = c.variant WHERE c.account = ? AND c.variant = ?",
            visit.user,
            variant,
        )
        quantity = visit.whole("quantity", -1)
        if quantity == 0:
            visit.run("DELETE FROM cart WHERE account = ? AND variant = ?", visit.user, variant)
            return self.redirect("/cart", flash="Removed from your cart.")
        if not 1 <= quantity <= min(MOST, stock):
            return self._cart(visit, f"A number from 0 to {min(MOST, stock)}, please.", variant)
        visit.run("UPDATE cart SET quantity = ? WHERE account = ? AND variant = ?", quantity, visit.user, variant)
        return self.redirect("/cart", flash="Your cart is updated.")

    @action("/cart/coupon")
    def coupon(self, visit: Visit) -> Answered:
        """Choose a coupon; an empty code takes it off."""
        code = visit.text("code").upper()
        if not code:
            visit.run("UPDATE checkout SET coupon = '' WHERE account = ?", visit.user)
            return self.redirect("/cart", flash="No coupon is used.")
        found = visit.get("SELECT minimum, starts, ends FROM coupon WHERE code = ?", code)
        error = "There is no such coupon."
        if found is not None:
            minimum, starts, ends = found
            error = coupon_problem(minimum, starts, ends, f"{visit.now.date()}", basket_of(visit).subtotal)
        if error:
            return self._cart(visit, error, 0)
        self._choose(visit, "coupon", code)
        return self.redirect("/cart", flash=f"The coupon {code} is used.")

    def _choose(self, visit: Visit, column: str, value: object) -> None:
        visit.run("INSERT OR IGNORE INTO checkout (account) VALUES (?)", visit.user)
        visit.run(f"UPDATE checkout SET {column} = ? WHERE account = ?", value, visit.user)

    # ---- checkout -------------------------------------------------------------------------------------------------

    @page("/checkout", signed_in=True)
    def checkout(self, visit: Visit) -> Answered:
        """First page: where to, and how."""
        return self._first(visit, {})

    def _first(self, visit: Visit, errors: dict[str, str]) -> Answered:
        basket = basket_of(visit)
        if not basket.rows:
            return self.redirect("/cart")
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
        return self.show(visit, "Checkout: delivery", m.paragraph("Step 1 of 3"), content)

    @action("/checkout")
    def choose_delivery(self, visit: Visit) -> Answered:
        """Takes the first page."""
        address, delivery, errors = visit.whole("address"), visit.text("delivery"), {}
        if delivery not in [key for key, _, _ in DELIVERY]:
            errors["delivery"] = "Choose a way of delivery."
        if visit.get(_ADDRESS + " AND id = ?", visit.user, address) is None:
            errors["address"] = "Choose an address."
        if errors:
            return self._first(visit, errors)
        self._choose(visit, "address", address)
        self._choose(visit, "delivery", delivery)
        return self.redirect("/checkout/payment")

    @page("/checkout/address", signed_in=True)
    def elsewhere(self, visit: Visit) -> Answered:
        """The form for an address that is not in the book."""
        return self._elsewhere(visit, {})

    def _elsewhere(self, visit: Visit, errors: dict[str, str]) -> Answered:
        fields = [
            m.field(label, label.lower(), visit.text(label.lower()), error=errors.get(label.lower(), ""))
            for label in ("Label", "Name", "Street", "Postcode", "Town")
        ]
        return self.show(
            visit,
            "Checkout: new address",
            m.form("/checkout/address", fields, submit="Save and use"),
            m.link("/checkout", "Back to delivery"),
        )

    @action("/checkout/address")
    def use_address(self, visit: Visit) -> Answered:
        """Puts it into the address book, and chooses it."""
        errors = address_errors(visit)
        if errors:
            return self._elsewhere(visit, errors)
        self._choose(visit, "address", save_address(visit))
        return self.redirect("/checkout", flash="The address is saved in your address book.")

    @page("/checkout/payment", signed_in=True)
    def payment(self, visit: Visit) -> Answered:
        """Second page: with which card."""
        return self._second(visit, "")

    def _second(self, visit: Visit, error: str) -> Answered:
        cards = visit.rows("SELECT id, brand, last4, expires FROM payment WHERE account = ? ORDER BY id", visit.user)
        chosen = visit.text("card") or visit.get("SELECT payment FROM checkout WHERE account = ?", visit.user)
        options: list[tuple[object, str]] = [(row[0], card_label(*row[1:])) for row in cards]
        content = m.form(
            "/checkout/payment", m.radios("Card", "card", options, chosen, error), submit="Continue to review"
        )
        return self.show(
            visit, "Checkout: payment", m.paragraph("Step 2 of 3"), content, m.link("/checkout", "Back to delivery")
        )

    @action("/checkout/payment")
    def choose_card(self, visit: Visit) -> Answered:
        """Takes the second page."""
        expires = visit.get("SELECT expires FROM payment WHERE id = ? AND account = ?", visit.whole("card"), visit.user)
        if expires is None:
            return self._second(visit, "Choose a card.")
        if expires < f"{visit.now:%Y-%m}":
            return self._second(visit, "This card has expired. Choose another one.")
        self._choose(visit, "payment", visit.whole("card"))
        return self.redirect("/checkout/review")

    @page("/checkout/review", signed_in=True)
    def review_order(self, visit: Visit) -> Answered:
        """Third page: all of it before it is ordered."""
        basket, chosen = basket_of(visit), self._chosen(visit)
        if not basket.rows or chosen is None:
            return self.redirect("/checkout")
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
        return self.show(
            visit,
            "Checkout: review",
            m.paragraph("Step 3 of 3"),
            m.table(("Item", "Quantity", "Sum"), rows),
            m.definitions(sums),
            m.form("/checkout/place", submit="Place order"),
            m.link("/cart", "Back to the cart"),
        )

    def _chosen(self, visit: Visit) -> tuple[str, str, str, int] | None:
        """Address, way of delivery, card and its id, where all have been chosen."""
        found = visit.get(
            "SELECT a.name || ', ' || a.street || ', ' || a.postcode || ' ' || a.town, c.delivery, k.brand || ' "
            "ending in ' || k.last4, k.id FROM checkout c JOIN address a ON a.id = c.address JOIN payment k ON k.id = "
            "c.payment WHERE c.account = ? AND a.account = c.account",
            visit.user,
        )
        return None if found is None or not found[1] else found

    @action("/checkout/place")
    def place(self, visit: Visit) -> Answered:
        """Makes the order: the stock falls, and the cart is empty."""
        basket, chosen = basket_of(visit), self._chosen(visit)
        if not basket.rows or chosen is None:
            return self.redirect("/checkout")
        for _, _, title, size, colour, _, quantity, stock in basket.rows:
            if quantity > stock:
                text = f"{title} {option_text(size, colour)}".strip()
                return self.redirect("/cart", flash=f"{text}: only {stock} left. Please change your cart.")
        ship_to, delivery, _, card = chosen
        shipping = shipping_cost(delivery, basket.subtotal)
        number = visit.run(
            "INSERT INTO purchase (account, placed, ship_to, delivery, payment, coupon, subtotal, discount, shipping, "
            "total) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            visit.user,
            f"{visit.now:%Y-%m-%d %H:%M}",
            ship_to,
            delivery,
            card,
            basket.coupon,
            basket.subtotal,
            basket.discount,
            shipping,
            basket.subtotal - basket.discount + shipping,
        )
        for variant, _, _, _, _, price, quantity, _ in basket.rows:
            visit.run(
                "INSERT INTO line (purchase, variant, price, quantity) VALUES (?, ?, ?, ?)",
                number,
                variant,
                price,
                quantity,
            )
            visit.run("UPDATE variant SET stock = stock - ? WHERE id = ?", quantity, variant)
        visit.run("DELETE FROM cart WHERE account = ?", visit.user)
        visit.run("DELETE FROM checkout WHERE account = ?", visit.user)
        return self.redirect(f"/orders/{number}", flash=f"Thank you! Your order {number} is placed.")


def address_errors(visit: Visit) -> dict[str, str]:
    """What is wrong with the address fields of a form, by field."""
    errors = {
        name: f"{name.capitalize()} is needed." for name in ("label", "name", "street", "town") if not visit.text(name)
    }
    postcode = visit.text("postcode")
    if not (postcode.isascii() and postcode.isdigit() and len(postcode) == 5):
        errors["postcode"] = "A postcode has five digits."
    return errors | {
        name: "At most 80 characters." for name in ("label", "name", "street", "town") if len(visit.text(name)) > 80
    }


def save_address(visit: Visit, id: int = 0) -> int:
    """Write a form's address into the address book, as a new entry where ``id`` is 0 and none is the same."""
    values = [visit.text(name) for name in ("label", "name", "street", "postcode", "town")]
    if not id:
        same = "SELECT id FROM address WHERE (account, label, name, street, postcode, town) = (?, ?, ?, ?, ?, ?)"
        into = "INSERT INTO address (account, label, name, street, postcode, town) VALUES (?, ?, ?, ?, ?, ?)"
        return visit.get(same, visit.user, *values) or visit.run(into, visit.user, *values)
    if visit.get("SELECT id FROM address WHERE id = ? AND account = ?", id, visit.user) is None:
        raise NotFound
    visit.run("UPDATE address SET label = ?, name = ?, street = ?, postcode = ?, town = ? WHERE id = ?", *values, id)
    return id
