"""What the shop's tasks share: finding products, and what an order is and changes."""

from typing import Any, NamedTuple

from turnwise.worlds.web.site import Change, Draw, Plan, Step, World, check, click, fill, insert, select, update
from turnwise.worlds.web.sites.shop.data import shipping_cost
from turnwise.worlds.web.sites.shop.parts import address_label, card_label, delivery_label

__all__ = ["Terms", "find", "opened", "option_steps", "option_words", "order_with", "pairs", "terms_of"]

_WAYS = {"standard": "standard delivery", "express": "express delivery"}


def opened(world: World) -> Plan:
    """Return the steps that the home page needs before anything else."""
    popup = world("shop").row("SELECT value FROM setting WHERE name = 'popup'")
    return (click("Close"),) if popup else ()


def find(title: str) -> Plan:
    """Return the steps from any page to a product's."""
    return click("Products"), fill("Search", title), click("Search"), click(title, via="Next")


def option_words(size: str, colour: str) -> str:
    """Return size and colour of a variant for an instruction."""
    words = " and ".join(
        part for part in (f"size {size}" if size else "", f"colour {colour}" if colour else "") if part
    )
    return f" in {words}" if words else ""


def option_steps(size: str, colour: str, quantity: int) -> Plan:
    """Return the steps from a product's page into the cart."""
    chosen = [select(label, text) for label, text in (("Size", size), ("Colour", colour)) if text]
    number = [fill("Quantity", str(quantity))] if quantity > 1 else []
    return *chosen, *number, click("Add to cart")


class Terms(NamedTuple):
    """Where an order goes, how, and who pays.

    Attributes:
        label: What the address book calls the address.
        address: Name, street, postcode, town.
        delivery: Way of delivery.
        card: Id, brand, last digits and date of expiry of the card.
    """

    label: str
    address: tuple[str, str, str, str]
    delivery: str
    card: tuple[int, str, str, str]

    def words(self, what: str = "it") -> str:
        """Return the sentence of an instruction that states the terms."""
        return f"Have {what} sent to my {self.label} address by {self.paying}"

    @property
    def paying(self) -> str:
        """The second half of that sentence."""
        return f"{_WAYS[self.delivery]} and pay with the {self.card[1]} card ending in {self.card[2]}."

    @property
    def ship_to(self) -> str:
        """The address as an order keeps it."""
        name, street, postcode, town = self.address
        return f"{name}, {street}, {postcode} {town}"

    def plan(self, subtotal: int, to: Plan | None = None) -> Plan:
        """Return the steps from the cart to the order; ``to`` enters an address that is not in the address book."""
        where: tuple[Step, ...] = (check(address_label(self.label, *self.address)),) if to is None else to
        return (
            click("Go to checkout"),
            *where,
            check(delivery_label(self.delivery, subtotal)),
            click("Continue to payment"),
            check(card_label(*self.card[1:])),
            click("Continue to review"),
            click("Place order"),
        )

    def changes(
        self, world: World, lines: list[tuple[int, int, int]], coupon: str = "", discount: int = 0
    ) -> tuple[Change, ...]:
        """Return what an order of ``lines`` (variant, price, quantity) changes."""
        shop = world("shop")
        number = shop.row("SELECT max(id) + 1 FROM purchase")
        subtotal = sum(price * quantity for _, price, quantity in lines)
        shipping = shipping_cost(self.delivery, subtotal)
        found = [
            insert(
                "shop.purchase",
                id=number,
                account=1,
                placed=f"{world.now:%Y-%m-%d %H:%M}",
                ship_to=self.ship_to,
                delivery=self.delivery,
                payment=self.card[0],
                coupon=coupon,
                subtotal=subtotal,
                discount=discount,
                shipping=shipping,
                total=subtotal - discount + shipping,
            )
        ]
        for variant, price, quantity in lines:
            stock = shop.row("SELECT stock FROM variant WHERE id = ?", variant)
            found.append(insert("shop.line", purchase=number, variant=variant, price=price, quantity=quantity))
            found.append(update("shop.variant", variant, stock=stock - quantity))
        return tuple(found)


def terms_of(world: World, draw: Draw) -> Terms:
    """Draw the terms of an order from the user's addresses and valid cards."""
    shop = world("shop")
    rows: list[Any] = shop.rows("SELECT label, name, street, postcode, town FROM address WHERE account = 1 ORDER BY id")
    cards = shop.rows(
        "SELECT id, brand, last4, expires FROM payment WHERE account = 1 AND expires >= ? ORDER BY id",
        f"{world.now:%Y-%m}",
    )
    label, *address = draw.choice(rows)
    return Terms(label, tuple(address), draw.choice(tuple(_WAYS)), draw.choice(cards))


def order_with(world: World, draw: Draw, status: str) -> tuple[list[int], str, int]:
    """Return the user's orders of a status, newest first, and a product that only one has, and which, or 0."""
    shop = world("shop")
    orders = shop.rows("SELECT id FROM purchase WHERE account = 1 AND status = ? ORDER BY id DESC", status)
    rows = shop.rows(
        "SELECT p.title, min(o.id) FROM purchase o JOIN line l ON l.purchase = o.id JOIN variant v ON v.id = "
        "l.variant JOIN product p ON p.id = v.product WHERE o.account = 1 AND o.status = ? GROUP BY p.id HAVING "
        "count(DISTINCT o.id) = 1 ORDER BY p.id",
        status,
    )
    title, order = draw.choice(rows) if rows else ("", 0)
    return orders, title, order


def pairs(world: World, draw: Draw, values: tuple[int, ...]) -> list[tuple[tuple[int, str], int]]:
    """Return at most 16 pairs of a category and a value, in a random order."""
    categories = draw.sample(world("shop").rows("SELECT id, name FROM category ORDER BY id"), 16 // len(values) + 1)
    return draw.shuffled([(category, value) for category in categories for value in values])[:16]
