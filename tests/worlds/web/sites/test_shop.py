"""The shop: what forms refuse, whose things are whose, search and facets, and whether prices and stock add up."""

import re

import pytest

from tests.worlds.web.sites._desk import Desk
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.sites.listing import like
from turnwise.worlds.web.sites.shop.data import shipping_cost
from turnwise.worlds.web.sites.shop.parts import cents_of, coupon_problem, discount_of, rated

PAGES = ("/", "/products", "/products?page=2&sort=rating", "/product/1", "/product/1/reviews?after=4", "/finder",
         "/finder/found?category=1&rating=3.0", "/offers", "/delivery", "/cart", "/orders", "/wishes", "/account",
         "/reviews", "/newsletter", "/account/address/1", "/account/address/new")  # fmt: skip
NEW = {"label": "Cabin", "name": "Ada Novak", "street": "1 Hill Street", "postcode": "12345", "town": "Calder"}


@pytest.fixture
def desk():
    return Desk("shop")


def order_of(desk: Desk, status: str, account: int = 1) -> int:
    sql = "SELECT max(id) FROM purchase WHERE account = ? AND status = ?"
    found: int = desk.value(sql, account, status)
    return found


def some_variant(
    desk: Desk, stock: str = "v.stock >= 3", price: str = "p.price > 0"
) -> tuple[int, int, str, str, int, int]:
    sql = (
        "SELECT v.id, v.product, v.size, v.colour, v.stock, p.price FROM variant v JOIN product p ON p.id = v.product "
    )
    found: tuple[int, int, str, str, int, int] = desk.rows(f"{sql} WHERE {stock} AND {price} ORDER BY v.id")[0]
    return found


def put(desk: Desk, quantity: object = 1, **where: str) -> tuple[int, int]:
    """Put something into the cart: variant and price."""
    variant, product, size, colour, _, price = some_variant(desk, **where)
    assert desk.post(f"/product/{product}/cart", size=size, colour=colour, quantity=quantity) == (303, "/cart")
    return variant, price


def check_out(desk: Desk, delivery: str = "standard", **address: object) -> str:
    assert desk.post("/checkout", **(address or {"address": 1}), delivery=delivery) == (303, "/checkout/payment")
    assert desk.post("/checkout/payment", card=1) == (303, "/checkout/review")
    return desk.post("/checkout/place")[1]


def shown_products(html: str) -> list[int]:
    return [int(number) for number in re.findall(r'<h3><a href="/product/(\d+)"', html)]


def test_a_world_is_built_the_same_every_time():
    site = site_named("shop")
    assert site.build(5, 60).data == site.build(5, 60).data != site.build(6, 60).data


@pytest.mark.parametrize("path", PAGES)
def test_looking_changes_nothing(desk, path):
    status, html = desk.get(path)
    assert status == 200 and desk.changes == []
    assert len(html) < 8000


def test_without_signing_in_one_can_only_look():
    desk = Desk("shop", user=0)
    assert desk.get("/products")[0] == desk.get("/product/1")[0] == 200
    for path in ("/cart", "/orders", "/account", "/wishes", "/checkout", "/product/1/review"):
        assert desk.get(path)[1].startswith("/login")
    assert desk.post("/product/1/wish")[1].startswith("/login")
    assert desk.changes == []


def test_things_of_others(desk):
    theirs = order_of(desk, "Delivered", desk.value("SELECT min(account) FROM purchase WHERE account > 1"))
    address = desk.value("SELECT id FROM address WHERE account = 2")
    review = desk.value("SELECT id FROM review WHERE account > 1")
    for path in (f"/orders/{theirs}", f"/orders/{theirs}/return", f"/account/address/{address}", "/product/9999"):
        assert desk.get(path)[0] == 404
    for path in (f"/orders/{theirs}/cancel", f"/orders/{theirs}/again", f"/orders/{theirs}/return",
                 f"/account/address/{address}/delete", f"/reviews/{review}/delete"):  # fmt: skip
        assert desk.post(path)[0] == 404
    assert desk.post(f"/account/address/{address}", **NEW)[0] == 404
    put(desk)
    assert "Choose an address" in desk.post("/checkout", address=address, delivery="standard")[1]
    theirs = desk.value("SELECT id FROM payment WHERE account = 2")
    assert "Choose a card" in desk.post("/checkout/payment", card=theirs)[1]
    assert {change.table for change in desk.changes} == {"cart"}


# ---- search and facets -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["%", "_", "'", '"', "!", "' OR 1=1 --", "100%_!", "\\", "; DROP TABLE product"])
def test_search_takes_every_sign_as_it_is(desk, text):
    status, html = Desk("shop").get(f"/products?q={text.replace('%', '%25').replace(';', '%3B')}")
    assert status == 200 and "0 products found" in html


def test_search_wants_every_word_and_no_case(desk):
    title = desk.value("SELECT title FROM product WHERE id = 7")
    html = desk.get(f"/products?q={'+'.join(reversed(title.upper().split()))}")[1]
    assert 7 in shown_products(html)
    assert like("50%_!") == "%50!%!_!!%"


def test_facets_against_the_table(desk):
    counts = []
    for category in range(1, 11):
        path = f"/products?category={category}&rating=3.5&low=20&high=120,50&stock=1&sort=dear"
        found = desk.get(path)[1]
        rows = desk.rows(
            "SELECT id FROM product p WHERE category = ? AND rating >= 35 AND price BETWEEN 2000 AND 12050 AND "
            "(SELECT sum(stock) FROM variant WHERE product = p.id) > 0 ORDER BY price DESC, id", category,
        )  # fmt: skip
        assert shown_products(found) == [row[0] for row in rows]
        assert f"{len(rows)} product" in found and '<option value="3.5" selected>' in found
        counts.append(len(rows))
    assert 10 <= sum(counts) < 40


def test_pages_hold_each_product_once(desk):
    for sort in ("", "price", "dear", "rating", "name"):
        seen = [id for page in range(1, 9) for id in shown_products(desk.get(f"/products?sort={sort}&page={page}")[1])]
        assert sorted(seen) == list(range(1, 61))


def test_a_rating_that_is_none_is_told(desk):
    for text in ("35", "5.5", "good", "-1"):
        assert "A rating from 0 to 5, please." in desk.get(f"/products?rating={text}")[1]
    fewer = desk.value("SELECT count(*) FROM product WHERE rating >= 42")
    assert f"{fewer} products found" in desk.get("/products?rating=4.2")[1] and 1 < fewer < 60


def test_a_price_that_is_none_is_told(desk):
    html = desk.get("/products?low=cheap&high=1e9")[1]
    assert html.count("An amount such as 25 or 19.90, please.") == 2 and 'value="cheap"' in html


@pytest.mark.parametrize(
    ("text", "cents"),
    [("12", 1200), ("12.5", 1250), ("12,05", 1205), ("€ 3", 300), ("7 EUR", 700), ("1.234", None), ("-3", None),
     ("1e3", None), ("٣", None), ("", None), ("99999999", None)],
)  # fmt: skip
def test_amounts(text, cents):
    assert cents_of(text) == cents


def test_ratings_are_rounded_as_they_are_filtered(desk):
    for id, rating, reviews in desk.rows("SELECT id, rating, reviews FROM product"):
        given = [row[0] for row in desk.rows("SELECT stars FROM review WHERE product = ?", id)]
        assert len(given) == reviews
        assert rating == (int(10 * sum(given) / len(given) + 0.5) if given else 0)
    assert rated(45, 2) == "4.5 out of 5 (2 reviews)" and rated(0, 0) == "No reviews yet"


def test_all_reviews_of_a_product_can_be_read(desk):
    product, count = desk.rows("SELECT id, reviews FROM product ORDER BY reviews DESC, id")[0]
    texts, path = [], f"/product/{product}"
    while path:
        html = desk.get(path)[1]
        texts += re.findall(r"<p>(\d) stars?, ([^,]+), ", html)
        found = re.search(r'data-tw-get="([^"]+)"', html)
        path = found[1] if found else ""
    assert len(texts) == len(set(texts)) == count > 4


# ---- cart and checkout -----------------------------------------------------------------------------------------------


def test_the_cart_refuses_what_cannot_be_had(desk):
    _, product, size, colour, stock, _ = some_variant(desk, "v.stock BETWEEN 3 AND 8")
    for quantity, error in ((0, "1 to 10"), (11, "1 to 10"), ("x", "1 to 10"), (stock + 1, f"only {stock} in stock")):
        assert error in desk.post(f"/product/{product}/cart", size=size, colour=colour, quantity=quantity)[1]
    assert "choose one of the options" in desk.post(f"/product/{product}/cart", size="huge", quantity=1)[1]
    _, product, size, colour, _, _ = some_variant(desk, "v.stock = 0")
    assert "sold out" in desk.post(f"/product/{product}/cart", size=size, colour=colour, quantity=1)[1]
    assert desk.changes == []


def test_the_cart_adds_up_and_can_be_changed(desk):
    variant, price = put(desk, 2)
    put(desk, 1)
    assert desk.value("SELECT quantity FROM cart WHERE variant = ?", variant) == 3
    assert f"€{3 * price / 100:.2f}" in desk.get("/cart")[1]
    assert "A number from 0" in desk.post(f"/cart/{variant}", quantity="many")[1]
    assert desk.post(f"/cart/{variant}", quantity=1)[0] == 303
    assert desk.value("SELECT quantity FROM cart") == 1
    desk.post(f"/cart/{variant}", quantity=0)
    assert desk.changes == [] and "Your cart is empty." in desk.get("/cart")[1]
    assert desk.post("/cart/99999", quantity=1)[0] == 404


def test_an_order_takes_from_the_stock_and_empties_the_cart(desk):
    variant, price = put(desk, 2)
    stock = desk.value("SELECT stock FROM variant WHERE id = ?", variant)
    location = check_out(desk, "express")
    row = desk.rows("SELECT id, account, status, subtotal, discount, shipping, total FROM purchase ORDER BY id DESC")[0]
    assert location == f"/orders/{row[0]}"
    assert row[1:] == (1, "Processing", 2 * price, 0, 990, 2 * price + 990)
    assert desk.rows("SELECT variant, price, quantity FROM line WHERE purchase = ?", row[0]) == [(variant, price, 2)]
    assert desk.value("SELECT stock FROM variant WHERE id = ?", variant) == stock - 2
    assert sorted((change.table, change.op) for change in desk.changes) == [
        ("line", "insert"), ("purchase", "insert"), ("variant", "update"),
    ]  # fmt: skip
    desk.post(f"/orders/{row[0]}/cancel")
    assert desk.value("SELECT stock FROM variant WHERE id = ?", variant) == stock
    assert desk.value("SELECT status FROM purchase WHERE id = ?", row[0]) == "Cancelled"
    desk.post(f"/orders/{row[0]}/cancel")
    assert desk.value("SELECT stock FROM variant WHERE id = ?", variant) == stock


def test_no_order_without_all_three_pages(desk):
    assert desk.post("/checkout/place")[1] == "/checkout"
    put(desk)
    assert desk.post("/checkout/place")[1] == "/checkout"
    html = desk.post("/checkout")[1]
    assert "Choose an address." in html and "Choose a way of delivery." in html
    desk.post("/checkout", address=1, delivery="pickup")
    assert desk.post("/checkout/place")[1] == "/checkout"
    assert "expired" in desk.post("/checkout/payment", card=3)[1]
    assert desk.get("/checkout/review")[1] == "/checkout"


def test_no_order_of_more_than_there_is(desk):
    variant, _ = put(desk, 3)
    desk.rows("UPDATE variant SET stock = 2 WHERE id = ?", variant)
    assert check_out(desk) == "/cart"
    assert "only 2 left" in desk.get("/cart")[1]
    assert not [change for change in desk.changes if change.table == "purchase"]


def test_a_new_address_is_checked_and_kept_once(desk):
    put(desk)
    assert 'href="/checkout/address"' in desk.get("/checkout")[1]
    html = desk.post("/checkout/address", **{**NEW, "postcode": "1234x", "town": ""})[1]
    assert "A postcode has five digits." in html and "Town is needed." in html and 'value="Cabin"' in html
    assert desk.value("SELECT count(*) FROM address WHERE label = 'Cabin'") == 0
    for _ in range(2):
        put(desk)
        assert desk.post("/checkout/address", **NEW) == (303, "/checkout")
        chosen = re.findall(r'name="address" value="(\d+)" checked', desk.get("/checkout")[1])
        assert chosen == [str(desk.value("SELECT id FROM address WHERE label = 'Cabin'"))]
        assert check_out(desk, address=chosen[0]).startswith("/orders/")
    assert desk.value("SELECT count(*) FROM address WHERE label = 'Cabin'") == 1
    assert desk.value("SELECT ship_to FROM purchase ORDER BY id DESC") == "Ada Novak, 1 Hill Street, 12345 Calder"


@pytest.mark.parametrize(
    ("delivery", "subtotal", "cost"),
    [("standard", 5999, 490), ("standard", 6000, 0), ("express", 6000, 990), ("pickup", 1, 0)],
)
def test_shipping(delivery, subtotal, cost):
    assert shipping_cost(delivery, subtotal) == cost


@pytest.mark.parametrize(
    ("coupon", "subtotal", "off"), [((10, 0), 1995, 200), ((10, 0), 1994, 199), ((0, 500), 400, 400), ((12, 0), 0, 0)]
)
def test_discounts_are_whole_cents(coupon, subtotal, off):
    assert discount_of(coupon, subtotal) == off


def test_when_a_coupon_counts():
    terms = (5000, "2027-03-01", "2027-03-31")
    assert not coupon_problem(*terms, "2027-03-01", 5000) and not coupon_problem(*terms, "2027-03-31", 5000)
    assert "valid only from 1 March 2027" in coupon_problem(*terms, "2027-02-28", 9999)
    assert "expired on 31 March 2027" in coupon_problem(*terms, "2027-04-01", 9999)
    assert "at least €50.00" in coupon_problem(*terms, "2027-03-15", 4999)


def test_a_coupon_in_the_cart(desk):
    today = f"{desk.world.now.date()}"
    code, percent, minimum = desk.rows(
        "SELECT code, percent, minimum FROM coupon WHERE percent AND minimum > 0 AND starts <= ? AND ends >= ? "
        "ORDER BY minimum", today, today,
    )[0]  # fmt: skip
    over = desk.value("SELECT code FROM coupon WHERE ends < ?", today)
    variant, price = put(desk, 1, price=f"p.price BETWEEN {minimum // 2 + 1} AND {minimum - 1}")
    assert "There is no such coupon." in desk.post("/cart/coupon", code="FREE100")[1]
    assert "expired" in desk.post("/cart/coupon", code=over)[1]
    assert "needs a subtotal" in desk.post("/cart/coupon", code=code)[1]
    desk.post(f"/cart/{variant}", quantity=2)
    assert desk.post("/cart/coupon", code=code.lower())[0] == 303
    off = (2 * price * percent + 50) // 100
    assert f"-€{off / 100:.2f}" in desk.get("/cart")[1]
    desk.post(f"/cart/{variant}", quantity=1)
    assert "needs a subtotal" in desk.get("/cart")[1] and f"Coupon {code}" not in desk.get("/cart")[1]
    desk.post(f"/cart/{variant}", quantity=2)
    check_out(desk)
    assert desk.rows("SELECT coupon, discount FROM purchase ORDER BY id DESC")[0] == (code, off)


# ---- after the order -------------------------------------------------------------------------------------------------


def test_only_what_is_not_on_its_way_can_be_cancelled(desk):
    for status in ("Shipped", "Delivered", "Cancelled"):
        desk.post(f"/orders/{order_of(desk, status)}/cancel")
    assert desk.changes == []


def test_returns(desk):
    order = order_of(desk, "Delivered")
    line, held = desk.rows("SELECT id, quantity FROM line WHERE purchase = ? ORDER BY id", order)[0]
    path = f"/orders/{order}/return"
    assert "Choose how many you return." in desk.post(path, reason="Does not fit")[1]
    assert "Choose a reason." in desk.post(path, **{f"q{line}": 1})[1]
    assert "more than you can return" in desk.post(path, **{f"q{line}": held + 1}, reason="Does not fit")[1]
    assert "more than you can return" in desk.post(path, **{f"q{line}": -1}, reason="Does not fit")[1]
    assert desk.changes == []
    assert desk.post(path, **{f"q{line}": held}, reason="Does not fit")[0] == 303
    assert desk.rows("SELECT line, quantity, reason FROM refund") == [(line, held, "Does not fit")]
    assert "more than you can return" in desk.post(path, **{f"q{line}": 1}, reason="Does not fit")[1]
    html = desk.get(f"/orders/{order}")[1]
    assert f"<td>{held} ({held} returned)</td>" in html and "Return items" in html
    rest = {f"q{id}": count for id, count in desk.rows("SELECT id, quantity FROM line WHERE purchase = ?", order)[1:]}
    assert rest and desk.post(path, **rest, reason="Does not fit")[0] == 303
    assert "Return items</a>" not in desk.get(f"/orders/{order}")[1]
    assert "All of this order has been returned." in desk.get(path)[1]


def test_returns_end_after_thirty_days(desk):
    old = desk.value("SELECT min(id) FROM purchase WHERE account = 1 AND status = 'Delivered'")
    html = desk.get(f"/orders/{old}/return")[1]
    assert "That ended on" in html and "Request return" not in html
    line = desk.value("SELECT id FROM line WHERE purchase = ?", old)
    assert desk.post(f"/orders/{old}/return", **{f"q{line}": 1}, reason="Does not fit")[0] == 403
    assert desk.post(f"/orders/{order_of(desk, 'Shipped')}/return", reason="Does not fit")[0] == 403
    assert desk.changes == []


def test_ordering_again_takes_what_is_there(desk):
    order = order_of(desk, "Delivered")
    lines = desk.rows("SELECT variant, quantity FROM line WHERE purchase = ? ORDER BY id", order)
    desk.rows("UPDATE variant SET stock = 9")
    desk.rows("UPDATE variant SET stock = 0 WHERE id = ?", lines[0][0])
    desk.post(f"/orders/{order}/again")
    html = desk.get("/cart")[1]
    assert f"{len(lines) - 1} of {len(lines)} items were put into your cart." in html and "sold out" in html
    assert sorted(desk.rows("SELECT variant, quantity FROM cart")) == sorted(lines[1:])


def test_reviews_are_for_buyers_and_counted(desk):
    stranger = desk.value(
        "SELECT id FROM product WHERE id NOT IN (SELECT v.product FROM line l JOIN variant v ON v.id = l.variant)"
    )
    assert desk.get(f"/product/{stranger}/review")[0] == 403
    assert desk.post(f"/product/{stranger}/review", stars=5, title="T", text="T")[0] == 403
    assert "Write a review" in desk.get(f"/product/{stranger}")[1]
    product = desk.value(
        "SELECT v.product FROM purchase o JOIN line l ON l.purchase = o.id JOIN variant v ON v.id = l.variant WHERE "
        "o.account = 1 AND o.status = 'Delivered' AND v.product NOT IN (SELECT product FROM review WHERE account = 1)"
    )
    html = desk.post(f"/product/{product}/review", stars=6, title="", text="x" * 2001)[1]
    assert "Choose 1 to 5 stars." in html and "A title of" in html and "2000 characters" in html
    count = desk.value("SELECT reviews FROM product WHERE id = ?", product)
    for stars, told in ((1, "Thank you for your review."), (4, "Your review is changed.")):
        assert desk.post(f"/product/{product}/review", stars=stars, title="<b>T</b>", text="A text.")[0] == 303
        html = desk.get(f"/product/{product}")[1]
        assert told in html and "Edit your review" in html and f"Latest review, {stars} star" in html
    assert desk.value("SELECT reviews FROM product WHERE id = ?", product) == count + 1
    assert [(change.op, change.after["stars"]) for change in desk.changes] == [("insert", 4)]
    assert "&lt;b&gt;T&lt;/b&gt;" in html
    desk.post(f"/reviews/{desk.value('SELECT max(id) FROM review')}/delete")
    assert desk.value("SELECT reviews FROM product WHERE id = ?", product) == count and desk.changes == []


def test_a_product_tells_whether_it_is_on_the_wish_list(desk):
    product = desk.value("SELECT min(id) FROM product WHERE id NOT IN (SELECT product FROM wish WHERE account = 1)")
    path = f"/product/{product}"
    assert "Add to wish list" in desk.get(path)[1]
    for told in ("Added to your wish list.", "It was on your wish list already."):
        assert desk.post(f"{path}/wish") == (303, path)
        html = desk.get(path)[1]
        assert told in html and "On your wish list" in html and "Add to wish list" not in html
    assert [(change.table, change.op) for change in desk.changes] == [("wish", "insert")]
    desk.post(f"{path}/unwish")
    assert "Add to wish list" in desk.get(path)[1] and desk.changes == []


def test_a_pick_up_is_near_an_address(desk):
    put(desk)
    desk.post("/checkout", address=1, delivery="pickup")
    desk.post("/checkout/payment", card=1)
    assert "Pick up near" in desk.get("/checkout/review")[1]
    html = desk.get(desk.post("/checkout/place")[1])[1]
    assert "Pick up near" in html and "Deliver to" not in html


def test_orders_by_status_and_page(desk):
    total = desk.value("SELECT count(*) FROM purchase WHERE account = 1")
    seen = [
        number for page in range(1, 9) for number in re.findall(r">Order (\d+)<", desk.get(f"/orders?page={page}")[1])
    ]
    pages = -(-total // 6)
    assert len(set(seen)) == total and seen[: len(set(seen))] == sorted(set(seen), reverse=True)
    assert "Page 1 of" in desk.get("/orders")[1] and f"of {pages}" in desk.get("/orders?page=99")[1]
    assert "Cancelled</td>" not in desk.get("/orders?status=Shipped")[1]
    assert desk.get("/orders?status=%27")[0] == 200


def test_the_pop_up_stands_in_some_worlds():
    asked = sum("data-tw-modal" in Desk("shop", seed, 20).get("/")[1] for seed in range(40))
    assert 4 <= asked <= 20
