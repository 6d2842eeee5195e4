"""The functions of shopping."""

from typing import Any

from turnwise.worlds.apps.api import Apps, require
from turnwise.worlds.apps.functions.common import book_of
from turnwise.worlds.apps.rows import Table

__all__ = ["BOOK"]

BRIEF = ("product_id", "title", "category", "price")
PRODUCT = Table("products", "product_id", "product", BRIEF, search=("title", "category"))
ITEM = Table("cart", "item_id", "cart item", links={"product_id": "products"})
ORDER = Table("orders", "order_id", "order", ("order_id", "ordered_at", "status"))
REVIEW = Table("reviews", "review_id", "review", links={"product_id": "products"})
ADDRESS = Table("addresses", "address_id", "address")
BOOK = book_of("shopping", {"price": "In dollars.", "stock": "How many there are."})


def _amount(apps: Apps, user: str, given: dict[str, Any]) -> None:
    require(1 <= given["quantity"] <= 99, "quantity must be from 1 to 99")
    item = apps.store.get("cart", given["item_id"]) if "item_id" in given else given
    product = apps.store.get("products", item["product_id"]) if item else None
    require(product is not None, "there is no such product", 404)
    assert product is not None
    require(product["stock"] >= given["quantity"], "there are not enough in stock", 409)


def _stars(apps: Apps, user: str, given: dict[str, Any]) -> None:
    require(given.get("stars") is None or 1 <= given["stars"] <= 5, "stars must be from 1 to 5")


FILTERS = "query:str? category:str? min_price:num? max_price:num?"
BOOK.lists("search_products", PRODUCT, "List products.", FILTERS)
BOOK.shows("show_product", PRODUCT, "Show a product with its rating and stock.")
BOOK.lists("list_wishes", PRODUCT, "List your wish list.", "", lambda row: bool(row["wished"]))
BOOK.sets("add_wish", PRODUCT, "Put a product on the wish list.", wished=True)
BOOK.sets("remove_wish", PRODUCT, "Take a product off the wish list.", wished=False)
BOOK.lists("show_cart", ITEM, "List what is in the cart.")
BOOK.creates("add_to_cart", ITEM, "Put a product into the cart.", "product_id:int quantity:int=1", None, _amount)
BOOK.updates("change_quantity", ITEM, "Change the quantity of a cart item.", "quantity:int", _amount)
BOOK.deletes("remove_from_cart", ITEM, "Remove an item from the cart.")
BOOK.lists("list_orders", ORDER, "List orders, newest first.",
           "status:str? ordered_at_from:date? ordered_at_until:date?", order="-ordered_at")  # fmt: skip
BOOK.shows("show_order", ORDER, "Show an order with what it cost.")
BOOK.lists("list_reviews", REVIEW, "List your reviews.", "product_id:int?")
BOOK.creates("write_review", REVIEW, "Review a product.", "product_id:int stars:int text:str", None, _stars)
BOOK.updates("update_review", REVIEW, "Change a review.", "stars:int? text:str?", _stars)
BOOK.deletes("delete_review", REVIEW, "Delete a review.")
BOOK.lists("list_addresses", ADDRESS, "List your addresses.")
BOOK.creates("create_address", ADDRESS, "Add an address.", "title:str street:str city:str")
BOOK.updates("update_address", ADDRESS, "Change an address.", "title:str? street:str? city:str?")
BOOK.deletes("delete_address", ADDRESS, "Delete an address.")


def _order(apps: Apps, user: str, key: int, status: str, only: str) -> Any:
    order = apps.mine("orders", "order_id", key, user, "order")
    require(order["status"] == only, f"only orders that are {only} can be {status}", 409)
    apps.store.update("orders", key, {"status": status})
    return {"message": f"The order is {status}."}


@BOOK.by_hand("cancel_order", "order_id:int", "Cancel an order that is open.")
def _cancel(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    return _order(apps, user, given["order_id"], "cancelled", "open")


@BOOK.by_hand("return_order", "order_id:int", "Send back an order that is delivered.")
def _return(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    return _order(apps, user, given["order_id"], "returned", "delivered")
