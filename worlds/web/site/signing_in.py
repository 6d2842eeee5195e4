"""The pages ``/login`` and ``/logout``, which every site has."""

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.pages import Pages
from turnwise.worlds.web.site.visit import Answered, Visit

__all__ = ["signing_in"]

signing_in = Pages()


@signing_in.page("/login")
def login_page(visit: Visit) -> Answered:
    """Show the form."""
    return _form(visit, visit.text("next"), "")


def _form(visit: Visit, onward: str, error: str) -> Answered:
    fields = [
        m.hidden("next", onward),
        m.field("E-mail", "email", visit.text("email"), error=error),
        m.field("Password", "password", type="password"),
    ]
    return visit.show("Sign in", m.form("/login", fields, submit="Sign in"))


@signing_in.action("/login", signed_in=False)
def login(visit: Visit) -> Answered:
    """Check the password and start a session."""
    onward, email, password = visit.text("next"), visit.text("email").lower(), visit.text("password")
    found = visit.get("SELECT id FROM account WHERE email = ? AND password = ?", email, password)
    if found is None:
        return _form(visit, onward, "The e-mail or the password is wrong.")
    token = f"s{visit.get('SELECT count(*) FROM session') + 1}"
    visit.add("session", token=token, account=found)
    return visit.redirect(onward if onward.startswith("/") and not onward.startswith("//") else "/", token=token)


@signing_in.action("/logout", signed_in=False)
def logout(visit: Visit) -> Answered:
    """End the session."""
    visit.run("DELETE FROM session WHERE token = ?", visit.token)
    return visit.redirect("/", token="")
