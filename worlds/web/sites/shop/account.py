"""What a customer of the shop has: addresses, reviews, wishes and settings."""

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.site import Answered, NotFound, Refused, Visit, WebSite, action, page
from turnwise.worlds.web.sites.shop.cart import address_errors, save_address
from turnwise.worlds.web.sites.shop.parts import address_label, card, card_label, long_day, stars

__all__ = ["Account"]

PER_PAGE = 6


class Account(WebSite):
    """The pages behind "Wish list" and "Account"."""

    # ---- reviews --------------------------------------------------------------------------------------------------

    @page("/reviews", signed_in=True)
    def own_reviews(self, visit: Visit) -> Answered:
        """What the visitor wrote."""
        pages = max(1, -(-visit.row("SELECT count(*) FROM review WHERE account = ?", visit.user) // PER_PAGE))
        number = min(max(1, visit.whole("page", 1)), pages)
        rows = visit.rows(
            "SELECT r.id, p.id, p.title, r.stars, r.title, r.text, r.written FROM review r JOIN product p ON p.id = "
            "r.product WHERE r.account = ? ORDER BY r.written DESC, r.id DESC LIMIT ? OFFSET ?",
            visit.user,
            PER_PAGE,
            PER_PAGE * (number - 1),
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
        return self.show(
            visit,
            "Your reviews",
            shown or m.paragraph("You have written no reviews yet."),
            m.pager("/reviews", number, pages),
        )

    @page("/product/{number:int}/review", signed_in=True)
    def review_page(self, visit: Visit, number: int) -> Answered:
        """The form; with what was written, where something was."""
        found = visit.get("SELECT stars, title, text FROM review WHERE product = ? AND account = ?", number, visit.user)
        chosen, title, text = found or (0, "", "")
        return self._review(visit, number, chosen, title, text, {})

    def _review(
        self, visit: Visit, number: int, chosen: int, title: str, text: str, errors: dict[str, str]
    ) -> Answered:
        product = self._bought(visit, number)
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
        return self.show(visit, f"Review: {product}", m.form(f"/product/{number}/review", fields, submit="Send review"))

    @staticmethod
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

    @action("/product/{number:int}/review")
    def save_review(self, visit: Visit, number: int) -> Answered:
        """Writes or rewrites the visitor's review of a product."""
        self._bought(visit, number)
        chosen, title, text = visit.whole("stars"), visit.text("title"), visit.text("text")
        errors = {}
        if not 1 <= chosen <= 5:
            errors["stars"] = "Choose 1 to 5 stars."
        if not 0 < len(title) <= 80:
            errors["title"] = "A title of at most 80 characters is needed."
        if not 0 < len(text) <= 2000:
            errors["text"] = "A text of at most 2000 characters is needed."
        if errors:
            return self._review(visit, number, chosen, title, text, errors)
        known = visit.get("SELECT id FROM review WHERE product = ? AND account = ?", number, visit.user)
        if known is None:
            visit.run(
                "INSERT INTO review (product, account, stars, title, text, written) VALUES (?, ?, ?, ?, ?, ?)",
                number,
                visit.user,
                chosen,
                title,
                text,
                f"{visit.now.date()}",
            )
        else:
            visit.run("UPDATE review SET stars = ?, title = ?, text = ? WHERE id = ?", chosen, title, text, known)
        self._rate(visit, number)
        flash = "Thank you for your review." if known is None else "Your review is changed."
        return self.redirect(f"/product/{number}", flash=flash)

    @staticmethod
    def _rate(visit: Visit, number: int) -> None:
        total, count = visit.row("SELECT coalesce(sum(stars), 0), count(*) FROM review WHERE product = ?", number)
        rating = (total * 20 + count) // (2 * count) if count else 0
        visit.run("UPDATE product SET rating = ?, reviews = ? WHERE id = ?", rating, count, number)

    @action("/reviews/{number:int}/delete")
    def delete_review(self, visit: Visit, number: int) -> Answered:
        """Takes a review of the visitor's back."""
        product = visit.row("SELECT product FROM review WHERE id = ? AND account = ?", number, visit.user)
        visit.run("DELETE FROM review WHERE id = ?", number)
        self._rate(visit, product)
        return self.redirect("/reviews", flash="Your review is deleted.")

    # ---- wish list ------------------------------------------------------------------------------------------------

    @page("/wishes", signed_in=True)
    def wishes(self, visit: Visit) -> Answered:
        """The wish list."""
        rows = visit.rows(
            "SELECT p.id, p.title, p.brand, p.price, p.rating, p.reviews, EXISTS (SELECT 1 FROM variant v WHERE "
            "v.product = p.id AND v.stock > 0) FROM wish w JOIN product p ON p.id = w.product WHERE w.account = ? "
            "ORDER BY p.title, p.id",
            visit.user,
        )
        shown = [m.tag("li", card(*row), m.post_button(f"/product/{row[0]}/unwish", "Remove")) for row in rows]
        public = visit.row("SELECT public FROM profile WHERE account = ?", visit.user)
        share = m.post_button(
            "/wishes/share", "Make it private" if public else "Make it public", public=str(1 - public)
        )
        return self.show(
            visit, "Wish list", m.tag("ul", shown) if shown else m.paragraph("Your wish list is empty."), share
        )

    @action("/wishes/share")
    def share(self, visit: Visit) -> Answered:
        """Shows the wish list to others, or hides it."""
        public = int(visit.text("public") == "1")
        visit.run("UPDATE profile SET public = ? WHERE account = ?", public, visit.user)
        return self.redirect("/wishes", flash=f"Your wish list is {'public' if public else 'private'} now.")

    @action("/product/{number:int}/wish")
    def wish(self, visit: Visit, number: int) -> Answered:
        """Puts a product on the wish list."""
        visit.row("SELECT id FROM product WHERE id = ?", number)
        if visit.get("SELECT 1 FROM wish WHERE account = ? AND product = ?", visit.user, number):
            return self.redirect(f"/product/{number}", flash="It was on your wish list already.")
        visit.run("INSERT INTO wish VALUES (?, ?)", visit.user, number)
        return self.redirect(f"/product/{number}", flash="Added to your wish list.")

    @action("/product/{number:int}/unwish")
    def unwish(self, visit: Visit, number: int) -> Answered:
        """Takes a product off the wish list."""
        visit.run("DELETE FROM wish WHERE account = ? AND product = ?", visit.user, number)
        return self.redirect("/wishes", flash="Taken off your wish list.")

    # ---- addresses and settings -----------------------------------------------------------------------------------

    @page("/account", signed_in=True)
    def account(self, visit: Visit) -> Answered:
        """Addresses, cards, settings."""
        book = visit.rows(
            "SELECT id, label, name, street, postcode, town FROM address WHERE account = ? ORDER BY id", visit.user
        )
        cards = visit.rows("SELECT brand, last4, expires FROM payment WHERE account = ? ORDER BY id", visit.user)
        newsletter, offers, tips = visit.row(
            "SELECT newsletter, offers, tips FROM profile WHERE account = ?", visit.user
        )
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
        return self.show(
            visit,
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

    @action("/account/settings")
    def settings(self, visit: Visit) -> Answered:
        """Saves the ticks."""
        offers, tips = int(bool(visit.text("offers"))), int(bool(visit.text("tips")))
        visit.run("UPDATE profile SET offers = ?, tips = ? WHERE account = ?", offers, tips, visit.user)
        return self.redirect("/account", flash="Your settings are saved.")

    @page("/account/address/new", signed_in=True)
    def new_address(self, visit: Visit) -> Answered:
        """The form for another entry of the address book."""
        return self._address(visit, "/account/address/new", {}, ("", "", "", "", ""))

    @page("/account/address/{number:int}", signed_in=True)
    def address(self, visit: Visit, number: int) -> Answered:
        """The form with an entry of the address book."""
        values = visit.row(
            "SELECT label, name, street, postcode, town FROM address WHERE id = ? AND account = ?", number, visit.user
        )
        return self._address(visit, f"/account/address/{number}", {}, values)

    def _address(self, visit: Visit, path: str, errors: dict[str, str], values: tuple[str, ...]) -> Answered:
        names = ("Label", "Name", "Street", "Postcode", "Town")
        fields = [
            m.field(name, name.lower(), value, error=errors.get(name.lower(), ""))
            for name, value in zip(names, values, strict=True)
        ]
        return self.show(
            visit, "Address", m.form(path, fields, submit="Save address"), m.link("/account", "Back to the account")
        )

    @action("/account/address/new")
    def add_address(self, visit: Visit) -> Answered:
        """Adds an entry."""
        return self._save_address(visit, 0)

    @action("/account/address/{number:int}")
    def change_address(self, visit: Visit, number: int) -> Answered:
        """Changes an entry."""
        return self._save_address(visit, number)

    def _save_address(self, visit: Visit, number: int) -> Answered:
        errors = address_errors(visit)
        if errors:
            values = tuple(visit.text(name) for name in ("label", "name", "street", "postcode", "town"))
            return self._address(visit, f"/account/address/{number or 'new'}", errors, values)
        save_address(visit, number)
        return self.redirect("/account", flash="The address is saved.")

    @action("/account/address/{number:int}/delete")
    def delete_address(self, visit: Visit, number: int) -> Answered:
        """Takes an entry out of the address book."""
        if visit.get("SELECT id FROM address WHERE id = ? AND account = ?", number, visit.user) is None:
            raise NotFound
        visit.run("DELETE FROM address WHERE id = ?", number)
        return self.redirect("/account", flash="The address is deleted.")

    @page("/newsletter", signed_in=True)
    def newsletter(self, visit: Visit) -> Answered:
        """The form."""
        return self._newsletter(visit, "")

    def _newsletter(self, visit: Visit, error: str) -> Answered:
        held = visit.row("SELECT newsletter FROM profile WHERE account = ?", visit.user)
        return self.show(
            visit,
            "Newsletter",
            m.paragraph(f"It goes to {held}." if held else "You do not get our newsletter."),
            m.form("/newsletter", m.field("E-mail", "email", visit.text("email"), error=error), submit="Subscribe"),
        )

    @action("/newsletter")
    def subscribe(self, visit: Visit) -> Answered:
        """Subscribes to the newsletter."""
        email = visit.text("email")
        if "@" not in email.strip("@") or len(email) > 80:
            return self._newsletter(visit, "This is no e-mail address.")
        visit.run("UPDATE profile SET newsletter = ? WHERE account = ?", email, visit.user)
        return self.redirect("/newsletter", flash="You will get our newsletter.")
