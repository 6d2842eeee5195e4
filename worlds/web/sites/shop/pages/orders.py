"""The shop's orders: looking them up, cancelling, ordering again, sending things back."""

import datetime

from turnwise.worlds.web.site import Answered, Pages, Refused, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Content
from turnwise.worlds.web.sites.shop.data import DELIVERY, REASONS, RETURN_DAYS
from turnwise.worlds.web.sites.shop.pages.cart import add_to_cart
from turnwise.worlds.web.sites.shop.parts import euro, long_day, option_text, to_words

__all__ = ["orders"]

orders = Pages()

PER_PAGE = 6
WAYS = {key: name for key, name, _ in DELIVERY}
STATUSES = ("Processing", "Shipped", "Delivered", "Cancelled")


@orders.page("/orders", signed_in=True)
def order_list(visit: Visit) -> Answered:
    """Show all orders, newest first, by status."""
    status = visit.text("status")
    status = status if status in STATUSES else ""
    count = visit.row("SELECT count(*) FROM purchase WHERE account = ? AND ? IN ('', status)", visit.user, status)
    part = visit.part(count, PER_PAGE)
    rows = visit.rows(
        "SELECT o.id, o.placed, o.status, o.total, (SELECT sum(quantity) FROM line WHERE purchase = o.id) FROM "
        f"purchase o WHERE o.account = ? AND ? IN ('', o.status) ORDER BY o.id DESC{part.limit}",
        visit.user,
        status,
    )
    shown = [
        (m.link(f"/orders/{id}", f"Order {id}"), long_day(placed), f"{items}", euro(total), state)
        for id, placed, state, total, items in rows
    ]
    chooser = m.form(
        "/orders",
        m.choices("Status", "status", [("", "All"), *STATUSES], status, data_tw_submit=True),
        submit="Show",
        method="get",
    )
    body = m.table(("Order", "Placed", "Items", "Total", "Status"), shown, empty="There are no orders here.")
    path = f"/orders?status={status}" if status else "/orders"
    return visit.show("Your orders", chooser, m.paragraph(f"{count} orders"), body, part.links(path))


@orders.page("/orders/{number:int}", signed_in=True)
def order(visit: Visit, number: int) -> Answered:
    """Show one order."""
    placed, status, delivered, tracking, ship_to, way, coupon, discount, shipping, total, brand, last4 = visit.row(
        "SELECT o.placed, o.status, o.delivered, o.tracking, o.ship_to, o.delivery, o.coupon, o.discount, "
        "o.shipping, o.total, k.brand, k.last4 FROM purchase o JOIN payment k ON k.id = o.payment WHERE o.id = ? "
        "AND o.account = ?",
        number,
        visit.user,
    )
    lines = _lines(visit, number)
    returns = visit.rows(
        "SELECT p.title, r.quantity, r.reason, r.requested, r.line FROM refund r JOIN line l ON l.id = r.line JOIN "
        "variant v ON v.id = l.variant JOIN product p ON p.id = v.product WHERE r.purchase = ? ORDER BY r.id",
        number,
    )
    gone: dict[int, int] = {}
    for _, count, _, _, line in returns:
        gone[line] = gone.get(line, 0) + count
    rows = [
        (
            m.link(f"/product/{product}", title),
            option_text(size, colour),
            euro(price),
            f"{quantity} ({gone[line]} returned)" if line in gone else f"{quantity}",
            euro(price * quantity),
        )
        for line, product, title, size, colour, price, quantity, _ in lines
    ]
    facts = [("Placed", long_day(placed)), ("Status", status)]
    if delivered:
        facts.append(("Delivered on", long_day(delivered)))
    if tracking:
        facts.append(("Tracking number", tracking))
    facts += [(to_words(way), ship_to), ("Delivery", f"{WAYS[way]}: {euro(shipping)}")]
    if discount:
        facts.append((f"Coupon {coupon}", f"-{euro(discount)}"))
    facts += [("Card", f"{brand} ending in {last4}"), ("Total", euro(total))]
    buttons = [m.post_button(f"/orders/{number}/again", "Order again")]
    if status == "Processing":
        sure = m.panel(
            "cancel",
            "The order will be cancelled at once. This cannot be undone.",
            m.post_button(f"/orders/{number}/cancel", "Yes, cancel it"),
        )
        buttons += [m.button("Cancel order", type="button", data_tw_toggle="cancel", aria_expanded="false"), sure]
    if status == "Delivered" and any(gone.get(line[0], 0) < line[6] for line in lines):
        buttons.append(m.link(f"/orders/{number}/return", "Return items"))
    told: Content = ""
    if returns:
        told = m.section("Returns", m.items(f"{q} × {t}: {why} ({long_day(day)})" for t, q, why, day, _ in returns))
    table = m.table(("Item", "Option", "Price", "Quantity", "Sum"), rows)
    return visit.show(f"Order {number}", m.definitions(facts), table, buttons, told)


def _lines(visit: Visit, number: int) -> list[tuple[int, int, str, str, str, int, int, int]]:
    """Return (line, product, title, size, colour, price, quantity, variant) of an order."""
    return visit.rows(
        "SELECT l.id, p.id, p.title, v.size, v.colour, l.price, l.quantity, v.id FROM line l JOIN variant v ON "
        "v.id = l.variant JOIN product p ON p.id = v.product WHERE l.purchase = ? ORDER BY l.id",
        number,
    )


def _status(visit: Visit, number: int) -> tuple[str, str]:
    found: tuple[str, str] = visit.row(
        "SELECT status, delivered FROM purchase WHERE id = ? AND account = ?", number, visit.user
    )
    return found


@orders.action("/orders/{number:int}/cancel")
def cancel(visit: Visit, number: int) -> Answered:
    """Cancel an order that has not been sent; its items are in stock again."""
    if _status(visit, number)[0] != "Processing":
        return visit.redirect(f"/orders/{number}", flash="This order can no longer be cancelled.")
    visit.run("UPDATE purchase SET status = 'Cancelled' WHERE id = ?", number)
    for _, _, _, _, _, _, quantity, variant in _lines(visit, number):
        visit.run("UPDATE variant SET stock = stock + ? WHERE id = ?", quantity, variant)
    return visit.redirect(f"/orders/{number}", flash=f"Order {number} is cancelled.")


@orders.action("/orders/{number:int}/again")
def again(visit: Visit, number: int) -> Answered:
    """Put an order's items into the cart, as far as they are in stock."""
    _status(visit, number)
    lines = _lines(visit, number)
    problems = [text for *_, quantity, variant in lines if (text := add_to_cart(visit, variant, quantity))]
    flash = " ".join([f"{len(lines) - len(problems)} of {len(lines)} items were put into your cart.", *problems])
    return visit.redirect("/cart", flash=flash)


@orders.page("/orders/{number:int}/return", signed_in=True)
def return_page(visit: Visit, number: int) -> Answered:
    """Show the form for returning items."""
    return _return(visit, number, "", "")


def _return(visit: Visit, number: int, error: str, reason_error: str) -> Answered:
    status, delivered = _status(visit, number)
    if status != "Delivered":
        raise Refused("Only items of delivered orders can be returned.")
    last = datetime.date.fromisoformat(delivered) + datetime.timedelta(days=RETURN_DAYS)
    title, back = f"Return items of order {number}", m.link(f"/orders/{number}", "Back to the order")
    if visit.now.date() > last:
        text = f"Items can be returned within {RETURN_DAYS} days of delivery. That ended on {long_day(f'{last}')}."
        return visit.show(title, m.note(text, "alert"), back)
    fields = []
    for line, _, name, size, colour, _, quantity, _ in _lines(visit, number):
        left = quantity - _returned(visit, line)
        if not left:
            continue
        what = f"{name} ({option_text(size, colour)})" if size or colour else name
        fields.append(m.choices(what, f"q{line}", [str(n) for n in range(left + 1)], visit.text(f"q{line}") or 0))
    if not fields:
        return visit.show(title, m.note(error or "All of this order has been returned.", "alert"), back)
    return visit.show(
        title,
        m.paragraph(f"Returns are possible until {long_day(f'{last}')}. How many of each do you return?"),
        m.form(
            f"/orders/{number}/return",
            fields,
            m.note(error, "alert") if error else "",
            m.choices("Reason", "reason", [("", "Please choose"), *REASONS], visit.text("reason"), reason_error),
            m.area("Comment (optional)", "comment", visit.text("comment")),
            submit="Request return",
        ),
        back,
    )


def _returned(visit: Visit, line: int) -> int:
    found: int = visit.row("SELECT coalesce(sum(quantity), 0) FROM refund WHERE line = ?", line)
    return found


@orders.action("/orders/{number:int}/return")
def send_back(visit: Visit, number: int) -> Answered:
    """Save what is returned, and why."""
    status, delivered = _status(visit, number)
    if status != "Delivered" or (visit.now.date() - datetime.date.fromisoformat(delivered)).days > RETURN_DAYS:
        raise Refused("These items can no longer be returned.")
    wanted = [(line[0], visit.whole(f"q{line[0]}"), line[6]) for line in _lines(visit, number)]
    if any(not 0 <= count <= held - _returned(visit, line) for line, count, held in wanted):
        return _return(visit, number, "That is more than you can return.", "")
    reason = visit.text("reason")
    if not any(count for _, count, _ in wanted):
        return _return(visit, number, "Choose how many you return.", "")
    if reason not in REASONS:
        return _return(visit, number, "", "Choose a reason.")
    for line, count, _ in wanted:
        if count:
            visit.add(
                "refund",
                purchase=number,
                line=line,
                quantity=count,
                reason=reason,
                comment=visit.text("comment"),
                requested=f"{visit.now.date()}",
            )
    return visit.redirect(f"/orders/{number}", flash="Your return is noted. We have sent you a label.")
