"""What every app has: signing in and out, and the account."""

from collections.abc import Mapping
from typing import Any

from turnwise.worlds.apps.api import Apps, require
from turnwise.worlds.apps.rows import Book

__all__ = ["book_of"]


def book_of(app: str, about: Mapping[str, str] = {}) -> Book:
    """Return a book with the functions for signing in and out."""
    book = Book(app, about)

    def login(apps: Apps, user: str, given: dict[str, Any]) -> Any:
        known = next(row for row in apps.store.rows("passwords") if row["app"] == app)
        require(
            (given["username"], given["password"]) == (known["username"], known["password"]),
            "wrong username or password",
            401,
        )
        return {"access_token": apps.grant(app, apps.me), "token_type": "Bearer"}

    def logout(apps: Apps, user: str, given: dict[str, Any]) -> Any:
        del apps.tokens[given["access_token"]]
        return {"message": "You are logged out."}

    def account(apps: Apps, user: str, given: dict[str, Any]) -> Any:
        return {"username": user, "app": app}

    book.add("login", "username:str password:str", "Log in.", login, "The access_token.", login=False)
    book.add("logout", "", "Log out; the access token is no longer valid.", logout)
    book.add("show_account", "", "Show whose account is logged in.", account, "The user name and the app.")
    return book
