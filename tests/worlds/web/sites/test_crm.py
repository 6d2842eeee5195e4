"""The back office: what forms refuse, who may do what, and whether its sums are right."""

import re
from urllib.parse import quote

import pytest

from tests.worlds.web.sites._desk import Desk
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.sites.crm.pages.reports import per_mille

PAGES = (
    "/",
    "/customers",
    "/customer/2",
    "/customer/2/edit",
    "/customer/2/merge",
    "/customer/2/merge/3",
    "/orders",
    "/order/1001",
    "/products",
    "/product/1",
    "/product/1/edit",
    "/products/new",
    "/tickets",
    "/ticket/1",
    "/reviews",
    "/deals",
    "/reports",
    "/reports?group=customer",
    "/reports/returns",
    "/staff",
    "/settings",
)


@pytest.fixture
def desk() -> Desk:
    return Desk("crm")


def test_a_world_is_built_the_same_every_time():
    site = site_named("crm")
    assert site.build(5, 60).data == site.build(5, 60).data
    assert site.build(5, 60).data != site.build(6, 60).data


@pytest.mark.parametrize("path", PAGES)
def test_looking_changes_nothing(desk, path):
    status, html = desk.get(path)
    assert status == 200 and "<h1>" in html
    assert desk.changes == []


def test_nobody_sees_a_page_without_signing_in():
    for path in (*PAGES, "/log"):
        status, location = Desk("crm", user=0).get(path)
        assert status == 303 and location.startswith("/login")


@pytest.mark.parametrize(
    ("user", "refused", "allowed"),
    [(2, ("/products", "/tickets", "/reviews", "/staff", "/log"), ("/customers", "/orders", "/deals", "/reports")),
     (7, ("/products", "/orders", "/deals", "/reports", "/staff"), ("/customers", "/tickets", "/reviews")),
     (6, ("/", "/customers", "/orders", "/deals", "/settings"), ()),
     (20, ("/", "/customers", "/orders", "/tickets", "/settings"), ()),
     (1, ("/log",), PAGES), (9, (), (*PAGES, "/log"))],
)  # fmt: skip
def test_roles(user, refused, allowed):
    desk = Desk("crm", user=user)
    assert [desk.get(path)[0] for path in refused] == [403] * len(refused)
    assert [desk.get(path)[0] for path in allowed] == [200] * len(allowed)


def test_posts_of_other_roles_are_refused_too():
    sales, support = Desk("crm", user=2), Desk("crm", user=7)
    assert sales.post("/products/bulk", pick=1, do="disable")[0] == 403
    assert sales.post("/ticket/1/note", text="x")[0] == 403
    assert support.post("/orders/bulk", all="on", do="cancel")[0] == 403
    assert support.post("/deals/bulk", all="on", new_stage="Won")[0] == 403
    assert sales.changes == support.changes == []


def test_only_an_administrator_makes_managers(desk):
    for who, role in ((2, "admin"), (7, "manager"), (9, "sales"), (1, "support")):
        assert desk.post(f"/staff/{who}", role=role)[0] == 403
    assert desk.post("/staff/6", role="sales")[0] == 404
    assert desk.post("/staff/2", role="former")[0] == 303
    assert desk.changes == []
    desk.post("/staff/2", role="support")
    assert desk.value("SELECT role FROM account WHERE id = 2") == "support"
    admin = Desk("crm", user=9)
    admin.post("/staff/2", role="admin")
    assert admin.value("SELECT role FROM account WHERE id = 2") == "admin"


@pytest.mark.parametrize("text", ["%", "_", "!", "'", '"; DROP TABLE customer; --', "\\"])
def test_signs_of_sql_are_plain_text_in_a_search(desk, text):
    for path in ("/customers", "/orders", "/products", "/tickets", "/deals", "/reviews"):
        status, html = desk.get(f"{path}?q={quote(text)}")
        table = {"/customers": "name || email || phone", "/products": "name || sku", "/deals": "title"}.get(path)
        if table:
            words = text.split()
            rows = desk.rows(f"SELECT {table} FROM {path.strip('/').removesuffix('s')}")
            found = sum(all(w.lower() in row[0].lower() for w in words) for row in rows)
            assert f"<p>{m.counted(found, path[1:-1])}" in html
        assert status == 200


@pytest.mark.parametrize(
    ("path", "table", "sort"),
    [
        ("/products", "product", "stock"),
        ("/products", "product", "-price"),
        ("/orders", "sale", "day"),
        ("/deals", "deal", "-value"),
    ],
)
def test_pages_of_a_sorted_list_hold_every_row_once(desk, path, table, sort):
    found, page = [], 1
    while True:
        html = desk.get(f"{path}?sort={sort}&page={page}")[1]
        found += [int(value) for value in re.findall(r'name="pick" value="(\d+)"', html)]
        if f"page={page + 1}" not in html:
            break
        page += 1
    way, column = " DESC" if sort.startswith("-") else "", sort.lstrip("-")
    assert page > 1
    assert found == [row[0] for row in desk.rows(f"SELECT id FROM {table} ORDER BY {column}{way}, id{way}")]


def test_a_filter_that_cannot_be_read_matches_nothing(desk):
    for path in ("/products?below=ten", "/orders?from=1.1.2027", "/orders?least=ten", "/tickets?before=yesterday"):
        status, html = desk.get(path)
        assert status == 200 and 'role="alert"' in html and not re.search(r"<p>\d+ \w+", html)
        assert 'name="pick"' not in html and " matches." not in html  # whether something matches is not known
    assert "Enter a number." in desk.get("/products?below=ten")[1]
    assert "<p>0 products " in desk.get("/products?q=nothingatall")[1]
    desk.post("/products/bulk", below="ten", all="on", do="disable")
    desk.post("/tickets/bulk", before="2027-13-01", all="on", do="close")
    assert desk.changes == []


def test_a_bulk_edit_keeps_to_its_filter(desk):
    lamps = {row[0] for row in desk.rows("SELECT id FROM product WHERE category = 'Lamps' AND active")}
    other = desk.value("SELECT id FROM product WHERE category = 'Desks' AND active")
    picks = [("pick", id) for id in (*lamps, other, 10**6, "x")]
    desk.post("/products/bulk", picks, category="Lamps", do="disable")
    assert {change.key[0] for change in desk.changes} == lamps
    assert all(change.after == {"active": 0} for change in desk.changes)


@pytest.mark.parametrize("value", ["", "0", "ten", "5.5", "1000", "--5", "٣"])
def test_a_percentage_must_be_a_whole_number(desk, value):
    first = desk.value("SELECT id FROM product ORDER BY name, id")
    status, html = desk.post("/products/bulk", pick=first, do="percent", value=value)
    assert html.count(" checked") == 1  # the tick stays, for who corrects the value
    assert status == 200 and "whole number of percent" in html
    assert desk.changes == []


def test_prices_are_rounded_to_the_nearest_cent(desk):
    db = desk.store.db("crm")
    for old, percent, new in ((1999, 10, 2199), (1995, 10, 2195), (1995, -10, 1796), (150, -1, 149)):
        db.execute("UPDATE product SET price = ? WHERE id = 1", (old,))
        desk.post("/products/bulk", pick=1, do="percent", value=percent)
        assert desk.value("SELECT price FROM product WHERE id = 1") == new


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [("name", "", "needs a name"), ("email", "Nobody", "Write the e-mail"), ("email", None, "Another customer"),
     ("phone", "12", "Write the phone"), ("town", "Atlantis", "Choose a town"), ("segment", "x", "Choose a segment")],
)  # fmt: skip
def test_a_customer_is_checked(desk, field, value, said):
    row = desk.rows("SELECT name, email, phone, town, segment, remark FROM customer WHERE id = 2")[0]
    form = dict(zip(("name", "email", "phone", "town", "segment", "remark"), row, strict=True))
    form["remark"] = "<b>kept & shown</b>"
    form[field] = desk.value("SELECT email FROM customer WHERE id = 3") if value is None else value
    status, html = desk.post("/customer/2/edit", **form)
    assert status == 200 and said in html and "&lt;b&gt;kept &amp; shown&lt;/b&gt;" in html
    assert desk.changes == []


def test_a_product_with_variants(desk):
    form = {"sku": "XX-1", "name": "Kilo", "brand": "Hexley", "category": "Lamps", "price": "12.5", "stock": "",
            "variant1": "red", "stock1": "3", "variant2": "green", "stock2": "4"}  # fmt: skip
    taken = desk.value("SELECT sku FROM product WHERE id = 1")
    for wrong in ({"sku": taken}, {"sku": "a b"}, {"price": "0"}, {"price": "-1"}, {"stock": "5"}, {"stock2": "many"},
                  {"variant2": ""}, {"brand": ""}):  # fmt: skip
        status, html = desk.post("/products/new", **{**form, **wrong})
        assert status == 200 and 'role="alert"' in html
    assert desk.changes == []
    desk.post("/products/new", **form)
    assert desk.rows("SELECT price, stock, active FROM product WHERE sku = 'XX-1'") == [(1250, 7, 1)]
    assert desk.rows("SELECT name, stock FROM variant ORDER BY id DESC LIMIT 2") == [("green", 4), ("red", 3)]


def test_cancelling_gives_the_goods_back_once(desk):
    id = desk.value("SELECT id FROM sale WHERE status = 'pending' ORDER BY id")
    goods = desk.rows("SELECT product, quantity FROM line WHERE sale = ?", id)
    before = dict(desk.rows("SELECT id, stock FROM product"))
    for _ in range(2):
        desk.post(f"/order/{id}/status", status="cancelled")
    desk.post(f"/order/{id}/status", status="paid")
    assert desk.value("SELECT status FROM sale WHERE id = ?", id) == "cancelled"
    after = dict(desk.rows("SELECT id, stock FROM product"))
    assert {key: after[key] - before[key] for key in after if after[key] != before[key]} == dict(goods)


def test_one_order_that_is_not_pending_stops_all(desk):
    pending = desk.value("SELECT id FROM sale WHERE status = 'pending' ORDER BY id")
    shipped = desk.value("SELECT id FROM sale WHERE status = 'shipped' ORDER BY id")
    desk.post("/orders/bulk", [("pick", pending), ("pick", shipped)], do="cancel")
    assert desk.changes == []
    assert f"order {shipped} is shipped" in desk.get("/orders")[1]


def test_a_merge_loses_nothing(desk):
    one, other = [
        row[0] for row in desk.rows("SELECT customer FROM sale GROUP BY customer ORDER BY count(*) DESC LIMIT 2")
    ]
    sums = {
        table: desk.value(f"SELECT count(*) FROM {table} WHERE customer IN (?, ?)", one, other)
        for table in ("sale", "ticket")
    }
    email = desk.value("SELECT email FROM customer WHERE id = ?", other)
    assert desk.post(f"/customer/{one}/merge/{one}")[0] == 404
    assert desk.post(f"/customer/{one}/merge/9999")[0] == 404
    assert desk.changes == []
    desk.post(f"/customer/{one}/merge/{other}", email="take", town="keep")
    assert {table: desk.value(f"SELECT count(*) FROM {table} WHERE customer = ?", one) for table in sums} == sums
    assert desk.value("SELECT email FROM customer WHERE id = ?", one) == email
    assert desk.get(f"/customer/{other}")[0] == 404
    assert desk.value("SELECT count(*) FROM sale WHERE customer NOT IN (SELECT id FROM customer)") == 0


@pytest.mark.parametrize("group", ["month", "region", "town", "customer"])
@pytest.mark.parametrize("counted", ["revenue", "cancelled"])
def test_every_grouping_adds_up_to_the_same(desk, group, counted):
    html = desk.get(f"/reports?group={group}&counted={counted}&year=2026")[1]
    cents = sum(int(text.replace(".", "")) for text in re.findall(r">(\d+\.\d\d) EUR<", html))
    states = "('paid', 'shipped')" if counted == "revenue" else "('cancelled')"
    assert cents == desk.value(f"SELECT sum(total) FROM sale WHERE status IN {states} AND day LIKE '2026-%'") > 0


def test_totals_of_orders_are_the_sums_of_their_lines(desk):
    assert (
        desk.rows(
            "SELECT s.id FROM sale s JOIN line l ON l.sale = s.id GROUP BY s.id HAVING sum(l.quantity * l.price) "
            "<> s.total"
        )
        == []
    )


def test_the_report_of_returns_shows_the_share_of_units(desk):
    id, sold, back = desk.rows(
        "SELECT l.product, sum(l.quantity), sum(l.quantity * (s.status = 'returned')) FROM line l JOIN sale s ON "
        "s.id = l.sale "
        "WHERE s.status IN ('shipped', 'returned') GROUP BY 1 HAVING 3 * sum(l.quantity * (s.status = 'returned')) "
        "= sum(l.quantity)"
    )[0]
    row = re.search(rf'<tr><td><a href="/product/{id}">.*?</tr>', desk.get("/reports/returns")[1])
    assert row is not None and f"<td>{sold}</td><td>{back}</td><td>33.3 %</td>" in row[0]


def test_rates_are_rounded_half_up():
    assert [per_mille(back, sold) for back, sold in ((5, 9), (2, 3), (1, 3), (1, 16), (0, 7), (7, 7))] == [
        556, 667, 333, 63, 0, 1000]  # fmt: skip


def test_a_report_is_sorted_by_amount(desk):
    def amounts(path: str) -> list[int]:
        return [int(text.replace(".", "")) for text in re.findall(r">(\d+\.\d\d) EUR<", desk.get(path)[1])]

    plain, path = amounts("/reports?group=customer&year=2026"), "/reports?group=customer&year=2026&sort=amount"
    assert amounts(path) == sorted(plain, reverse=True) != plain
    html = desk.get(path)[1]
    assert "Amount (descending)</th>" in html
    assert 'href="/reports?group=customer&amp;counted=revenue&amp;region=&amp;year=2026&amp;sort=count"' in html


def test_one_is_said_in_the_singular(desk):
    id = desk.value("SELECT id FROM review WHERE status = 'waiting'")
    desk.post("/reviews/bulk", pick=id, do="delete")
    assert "1 review deleted." in desk.get("/reviews")[1]
    pending = [row[0] for row in desk.rows("SELECT id FROM sale WHERE status = 'pending' ORDER BY id")]
    desk.post("/orders/bulk", pick=pending[0], do="paid")
    assert "1 order marked as paid." in desk.get("/orders")[1]
    desk.post("/orders/bulk", [("pick", pending[1]), ("pick", pending[2])], do="cancel")
    assert "2 orders cancelled." in desk.get("/orders")[1]
    assert "1 product changed." in desk.get(desk.post("/products/bulk", pick=1, do="stock", value=7777)[1])[1]


@pytest.mark.parametrize("path", ["/customer/2", "/product/1"])
def test_the_first_tab_is_the_chosen_one(desk, path):
    chosen = re.findall(r'aria-selected="(\w+)"', desk.get(path)[1])
    assert chosen[0] == "true" and set(chosen[1:]) == {"false"}


def test_every_role_field_says_whose_it_is(desk):
    html = desk.get("/staff")[1]
    for (name,) in desk.rows("SELECT name FROM account WHERE role NOT IN ('member', 'former')"):
        assert html.count(f"New role of {name}<") == html.count(f'aria-label="Save the role of {name}"') == 1


def test_customers_do_not_write_what_the_staff_knows(desk):
    rows = desk.rows("SELECT author, text FROM note")
    assert {"Customer"} < {author for author, _ in rows}
    assert not [text for author, text in rows if author == "Customer" and ("Called" in text or "warehouse" in text)]


def test_who_cancels_most_leads_by_one_order():
    for seed in range(3, 9):
        rows = Desk("crm", seed).rows(
            "SELECT count(*) FROM sale WHERE status = 'cancelled' GROUP BY customer ORDER BY 1 DESC"
        )
        assert rows[0][0] == rows[1][0] + 1


def test_chosen_columns_stay_while_paging_and_sorting(desk):
    html = desk.get("/customers?column=since&column=owner")[1]
    assert '<th scope="col">Account manager</th>' in html and ">Phone</th>" not in html
    assert "column=since&amp;column=owner&amp;page=2" in html and "column=since&amp;column=owner&amp;sort=-name" in html


def test_notes_of_strangers_are_escaped(desk):
    desk.post("/ticket/1/note", text='<script>alert(1)</script>\n<a href="/x">y</a>')
    html = desk.get("/ticket/1")[1]
    assert "<script>alert" not in html and "&lt;script&gt;" in html and '<a href="/x">' not in html
