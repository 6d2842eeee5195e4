"""What a customer of the shop has: addresses, reviews, wishes and settings."""

from turnwise.worlds.web.site import Answered, Pages, Refused, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.sites.shop.pages.cart import address_errors, save_address
from turnwise.worlds.web.sites.shop.parts import address_label, card, card_label, long_day, stars

__all__ = ["account"]

account = Pages()

PER_PAGE = 6


# ---- reviews --------------------------------------------------------------------------------------------------


@account.page("/reviews", signed_in=True)
def own_reviews(visit: Visit) -> Answered:
    """Show the visitor's reviews."""
    part = visit.part(visit.row("SELECT count(*) FROM review WHERE account = ?", visit.user), PER_PAGE)
    rows = visit.rows(
        "SELECT r.id, p.id, p.title, r.stars, r.title, r.text, r.written FROM review r JOIN product p ON p.id = "
        f"r.product WHERE r.account = ? ORDER BY r.written DESC, r.id DESC{part.limit}",
        visit.user,
    )
    shown = [
        m.card(
            m.tag("h3", m.link(f"/product/{product}", name)),
            m.tag("p", m.tag("strong", title), f" · {stars(given)} · {long_day(written)}"),
            m.rich(text),
            m.link(f"/product/{product}/review", "Edit"),
            " ",
            m.button("Delete", type="button", data_tw_toggle=f"delete-{id}", aria_expanded="false"),
            m.panel(
                f"delete-{id}",
                "The review will be gone for good.",
                m.post_button(f"/reviews/{id}/delete", "Yes, delete it"),
            ),
        )
        for id, product, name, given, title, text, written in rows
    ]
    return visit.show("Your reviews", shown or m.paragraph("You have written no reviews yet."), part.links("/reviews"))


@account.page("/product/{number:int}/review", signed_in=True)
def review_page(visit: Visit, number: int) -> Answered:
    """Show the form for a review, filled in if there is one."""
    found = visit.get("SELECT stars, title, text FROM review WHERE product = ? AND account = ?", number, visit.user)
    chosen, title, text = found or (0, "", "")
    return _review(visit, number, chosen, title, text, {})


def _review(visit: Visit, number: int, chosen: int, title: str, text: str, errors: dict[str, str]) -> Answered:
    product = _bought(visit, number)
    fields = [
        m.choices(
            "Stars",
            "stars",
            [("", "Please choose"), *((str(n), stars(n)) for n in range(5, 0, -1))],
            chosen,
            errors.get("stars", ""),
        ),
        m.field("Title", "title", title, error=errors.get("title", "")),
        m.area("Your review", "text", text, errors.get("text", "")),
    ]
    return visit.show(f"Review: {product}", m.form(f"/product/{number}/review", fields, submit="Send review"))


def _bought(visit: Visit, number: int) -> str:
    title: str = visit.row("SELECT title FROM product WHERE id = ?", number)
    found = visit.get(
        "SELECT o.id FROM purchase o JOIN line l ON l.purchase = o.id JOIN variant v ON v.id = l.variant WHERE "
        "o.account = ? AND o.status = 'Delivered' AND v.product = ?",
        visit.user,
        number,
    )
    if found is None:
        raise Refused("Only who has received this product can review it.")
    return title


@account.action("/product/{number:int}/review")
def save_review(visit: Visit, number: int) -> Answered:
    """Write or rewrite the visitor's review of a product."""
    _bought(visit, number)
    chosen, title, text = visit.whole("stars"), visit.text("title"), visit.text("text")
    errors = {}
    if not 1 <= chosen <= 5:
        errors["stars"] = "Choose 1 to 5 stars."
    if not 0 < len(title) <= 80:
        errors["title"] = "A title of at most 80 characters is needed."
    if not 0 < len(text) <= 2000:
        errors["text"] = "A text of at most 2000 characters is needed."
    if errors:
        return _review(visit, number, chosen, title, text, errors)
    known = visit.get("SELECT id FROM review WHERE product = ? AND account = ?", number, visit.user)
    new = {"product": number, "account": visit.user, "written": f"{visit.now.date()}"}
    visit.save("review", known or 0, new, stars=chosen, title=title, text=text)
    _rate(visit, number)
    flash = "Thank you for your review." if known is None else "Your review is changed."
    return visit.redirect(f"/product/{number}", flash=flash)


def _rate(visit: Visit, number: int) -> None:
    total, count = visit.row("SELECT coalesce(sum(stars), 0), count(*) FROM review WHERE product = ?", number)
    rating = (total * 20 + count) // (2 * count) if count else 0
    visit.change("product", number, rating=rating, reviews=count)


@account.action("/reviews/{number:int}/delete")
def delete_review(visit: Visit, number: int) -> Answered:
    """Delete one of the visitor's reviews."""
    product = visit.row("SELECT product FROM review WHERE id = ? AND account = ?", number, visit.user)
    visit.run("DELETE FROM review WHERE id = ?", number)
    _rate(visit, product)
    return visit.redirect("/reviews", flash="Your review is deleted.")


# ---- wish list ------------------------------------------------------------------------------------------------


@account.page("/wishes", signed_in=True)
def wishes(visit: Visit) -> Answered:
    """Show the wish list."""
    rows = visit.rows(
        "SELECT p.id, p.title, p.brand, p.price, p.rating, p.reviews, EXISTS (SELECT 1 FROM variant v WHERE "
        "v.product = p.id AND v.stock > 0) FROM wish w JOIN product p ON p.id = w.product WHERE w.account = ? "
        "ORDER BY p.title, p.id",
        visit.user,
    )
    shown = [m.tag("li", card(*row), m.post_button(f"/product/{row[0]}/unwish", "Remove")) for row in rows]
    public = visit.row("SELECT public FROM profile WHERE account = ?", visit.user)
    share = m.post_button("/wishes/share", "Make it private" if public else "Make it public", public=str(1 - public))
    return visit.show("Wish list", m.tag("ul", shown) if shown else m.paragraph("Your wish list is empty."), share)


@account.action("/wishes/share")
def share(visit: Visit) -> Answered:
    """Make the wish list public or private."""
    public = int(visit.text("public") == "1")
    visit.run("UPDATE profile SET public = ? WHERE account = ?", public, visit.user)
    return visit.redirect("/wishes", flash=f"Your wish list is {'public' if public else 'private'} now.")


@account.action("/product/{number:int}/wish")
def wish(visit: Visit, number: int) -> Answered:
    """Put a product on the wish list."""
    visit.row("SELECT id FROM product WHERE id = ?", number)
    if visit.get("SELECT 1 FROM wish WHERE account = ? AND product = ?", visit.user, number):
        return visit.redirect(f"/product/{number}", flash="It was on your wish list already.")
    visit.run("INSERT INTO wish VALUES (?, ?)", visit.user, number)
    return visit.redirect(f"/product/{number}", flash="Added to your wish list.")


@account.action("/product/{number:int}/unwish")
def unwish(visit: Visit, number: int) -> Answered:
    """Take a product off the wish list."""
    visit.row("SELECT id FROM product WHERE id = ?", number)
    visit.run("DELETE FROM wish WHERE account = ? AND product = ?", visit.user, number)
    return visit.redirect("/wishes", flash="Taken off your wish list.")


# ---- addresses and settings -----------------------------------------------------------------------------------


@account.page("/account", signed_in=True)
def overview(visit: Visit) -> Answered:
    """Show addresses, cards and settings."""
    book = visit.rows(
        "SELECT id, label, name, street, postcode, town FROM address WHERE account = ? ORDER BY id", visit.user
    )
    cards = visit.rows("SELECT brand, last4, expires FROM payment WHERE account = ? ORDER BY id", visit.user)
    newsletter, offers, tips = visit.row("SELECT newsletter, offers, tips FROM profile WHERE account = ?", visit.user)
    entries = [
        m.join(
            address_label(*row[1:]),
            " ",
            m.link(f"/account/address/{row[0]}", "Edit"),
            " ",
            m.post_button(f"/account/address/{row[0]}/delete", "Delete"),
        )
        for row in book
    ]
    ticks = [
        m.checkbox("Offers by e-mail", "offers", bool(offers)),
        m.checkbox("Tips for what I bought", "tips", bool(tips)),
    ]
    return visit.show(
        "Account",
        m.paragraph(
            m.link("/reviews", "Your reviews"),
            " ",
            m.link("/newsletter", "Newsletter"),
            f" ({newsletter or 'not subscribed'})",
        ),
        m.section("Addresses", m.items(entries), m.link("/account/address/new", "Add an address")),
        m.section("Cards", m.items(card_label(*row) for row in cards)),
        m.section("Settings", m.form("/account/settings", ticks, submit="Save settings")),
    )


@account.action("/account/settings")
def settings(visit: Visit) -> Answered:
    """Save the settings."""
    offers, tips = int(bool(visit.text("offers"))), int(bool(visit.text("tips")))
    visit.run("UPDATE profile SET offers = ?, tips = ? WHERE account = ?", offers, tips, visit.user)
    return visit.redirect("/account", flash="Your settings are saved.")


@account.page("/account/address/new", signed_in=True)
@account.page("/account/address/{number:int}", signed_in=True)
def address(visit: Visit, number: int | None = None) -> Answered:
    """Show the form for a new address, or for changing one."""
    if number is None:
        return _address(visit, "/account/address/new", {}, ("", "", "", "", ""))
    values = visit.row(
        "SELECT label, name, street, postcode, town FROM address WHERE id = ? AND account = ?", number, visit.user
    )
    return _address(visit, f"/account/address/{number}", {}, values)


def _address(visit: Visit, path: str, errors: dict[str, str], values: tuple[str, ...]) -> Answered:
    names = ("Label", "Name", "Street", "Postcode", "Town")
    fields = [
        m.field(name, name.lower(), value, error=errors.get(name.lower(), ""))
        for name, value in zip(names, values, strict=True)
    ]
    return visit.show("Address", m.form(path, fields, submit="Save address"), m.link("/account", "Back to the account"))


@account.action("/account/address/new")
@account.action("/account/address/{number:int}")
def change_address(visit: Visit, number: int | None = None) -> Answered:
    """Add or change an address."""
    if number is not None:
        visit.row("SELECT id FROM address WHERE id = ? AND account = ?", number, visit.user)
    errors = address_errors(visit)
    if errors:
        values = tuple(visit.text(name) for name in ("label", "name", "street", "postcode", "town"))
        return _address(visit, f"/account/address/{'new' if number is None else number}", errors, values)
    save_address(visit, number)
    return visit.redirect("/account", flash="The address is saved.")


@account.action("/account/address/{number:int}/delete")
def delete_address(visit: Visit, number: int) -> Answered:
    """Delete an address."""
    visit.row("SELECT id FROM address WHERE id = ? AND account = ?", number, visit.user)
    visit.run("DELETE FROM address WHERE id = ?", number)
    return visit.redirect("/account", flash="The address is deleted.")


@account.page("/newsletter", signed_in=True)
def newsletter(visit: Visit) -> Answered:
    """Show the newsletter's form."""
    return _newsletter(visit, "")


def _newsletter(visit: Visit, error: str) -> Answered:
    held = visit.row("SELECT newsletter FROM profile WHERE account = ?", visit.user)
    return visit.show(
        "Newsletter",
        m.paragraph(f"It goes to {held}." if held else "You do not get our newsletter."),
        m.form("/newsletter", m.field("E-mail", "email", visit.text("email"), error=error), submit="Subscribe"),
    )


@account.action("/newsletter")
def subscribe(visit: Visit) -> Answered:
    """Subscribe to the newsletter."""
    email = visit.text("email")
    if "@" not in email.strip("@") or len(email) > 80:
        return _newsletter(visit, "This is not an e-mail address.")
    visit.run("UPDATE profile SET newsletter = ? WHERE account = ?", email, visit.user)
    return visit.redirect("/newsletter", flash="You will get our newsletter.")
