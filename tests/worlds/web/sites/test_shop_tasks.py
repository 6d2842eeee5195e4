"""The shop's tasks and the data they come from: what makes them hard is there, and what is written makes sense."""

import re

from tests.worlds.web.sites._desk import Desk
from turnwise.core.draw import Draw
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.site.tasks import Draft, World
from turnwise.worlds.web.sites.shop.parts import discount_of

WORLDS = [World(seed, 60) for seed in range(12)]


def drafts(name: str) -> list[tuple[World, Draft]]:
    template = next(each for each in site_named("shop").templates() if each.name == f"shop.{name}")
    found = [(world, template.draw(world, Draw("test", name, world.seed, i))) for world in WORLDS for i in range(4)]
    return [(world, draft) for world, draft in found if draft is not None]


def ordered(draft: Draft) -> tuple[dict, list[dict]]:
    """What the order and its lines are to be."""
    purchase, *rest = [dict(change.values) for change in draft.changes if change.op == "insert"]
    return purchase, rest


def test_orders_are_where_their_way_of_delivery_can_have_them():
    for world in WORLDS:
        rows = world("shop").rows(
            "SELECT status, delivery, julianday(delivered) - julianday(date(placed)), delivered, CAST(julianday(?) - "
            "julianday(date(placed)) AS INTEGER) FROM purchase", f"{world.cast.today}",
        )  # fmt: skip
        for status, way, days, delivered, age in rows:
            if status == "Delivered":
                assert delivered <= f"{world.cast.today}" and (days == 1 if way == "express" else 3 <= days <= 5)
            elif status == "Shipped":
                assert way == "standard" and age <= 5
            elif status == "Processing":
                assert way != "express" or age <= 1
    assert {row[0] for world in WORLDS for row in world("shop").rows("SELECT delivery, id FROM purchase")} == {
        "standard", "express", "pickup",
    }  # fmt: skip


def test_reviews_are_of_their_product():
    days: set[str] = set()
    for world in WORLDS:
        rows = world("shop").rows(
            "SELECT c.name, r.text || p.description, a.name FROM review r JOIN product p ON p.id = r.product JOIN "
            "category c ON c.id = p.category JOIN account a ON a.id = r.account"
        )
        user, firsts = world.cast.user.first, [person.first for person in world.cast.people]
        for category, text, writer in rows:
            first = writer.split(" ")[0]
            assert user not in text and (firsts.count(first) > 1 or first not in text)
            days |= set(re.findall(r"(?:wait|here after) (\d+) days", text))
            soft = category in ("Bags", "Clothing", "Shoes", "Bedding")
            hard = category in ("Kitchen", "Lighting", "Audio", "Garden", "Cycling")
            assert hard or not re.search("damp cloth|Spare parts|instructions|a part came", text)
            assert soft or not re.search("seam|in the hand|the size", text)
    assert days == {"2", "3", "4", "5"}


def test_what_is_sold_out_is_so_in_one_option_only():
    few = 0
    for world, draft in drafts("buy_sold_out"):
        shop, title = world("shop"), draft.instruction.split("“")[1].split("”")[0]
        said = re.search(r"”(?: in (?:size (.+?))?(?: and )?(?:colour (\w+))?)?\. Have", draft.instruction)
        stock = shop.row(
            "SELECT v.stock FROM variant v JOIN product p ON p.id = v.product WHERE p.title = ? AND size = ? AND "
            "colour = ?", title, said[1] or "", said[2] or "",
        )  # fmt: skip
        asked = 3 if " three pieces " in draft.instruction else 2 if " two pieces " in draft.instruction else 1
        assert stock < asked
        assert shop.row("SELECT sum(stock) FROM variant v JOIN product p ON p.id = v.product WHERE title = ?", title)
        few += stock > 0
    assert 4 <= few <= 30


def test_the_coupon_that_saves_most_differs():
    won, dated, crossed = set(), 0, 0
    for world, draft in drafts("best_coupon"):
        purchase, [line] = ordered(draft)
        today, subtotal, saved = f"{world.cast.today}", purchase["subtotal"], {}
        for code, percent, amount, least, starts, ends in world("shop").rows("SELECT * FROM coupon"):
            off = discount_of((percent, amount), subtotal) if subtotal >= least else 0
            if code == purchase["coupon"]:
                won.add(percent or -amount)
                crossed += least > line["price"]
            elif starts <= today <= ends:
                saved[code] = off
            else:
                dated += off > purchase["discount"]
        assert purchase["discount"] > max(saved.values()) > 0
    assert len(won) >= 8 and dated >= 12 and crossed >= 6
    assert "today" not in Desk("shop").get("/offers")[1]


def test_a_cheaper_one_is_not_there_in_that_colour():
    sold_out = 0
    for world, draft in drafts("buy_in_colour"):
        shop, (_, [line]) = world("shop"), ordered(draft)
        category, rating = re.search(r"in (\w+) that is rated ([\d.]+) or", draft.instruction).groups()
        colour, size = shop.row("SELECT colour, size FROM variant WHERE id = ?", line["variant"])
        rows = shop.rows(
            "SELECT sum(v.stock), sum(v.stock * (colour = ? AND size = ?)), max(colour = ?) FROM variant v JOIN "
            "product p ON p.id = v.product JOIN category c ON c.id = p.category WHERE c.name = ? AND rating >= ? AND "
            "price < ? GROUP BY p.id", colour, size, colour, category, int(float(rating) * 10), line["price"],
        )  # fmt: skip
        assert any(row[0] for row in rows) and not any(row[1] for row in rows)
        sold_out += any(row[2] for row in rows)
    assert sold_out >= 12


def test_what_is_ordered_again_is_not_just_the_old_order():
    for world, draft in drafts("order_again"):
        _, lines = ordered(draft)
        order = int(re.search(r"order (\d+)", draft.instruction)[1])
        old = dict(world("shop").rows("SELECT variant, quantity FROM line WHERE purchase = ?", order))
        assert len(lines) > 1 and sum(old[line["variant"]] != line["quantity"] for line in lines) == 1


def test_how_many_go_back_is_said_as_people_say_it():
    asked = [draft.instruction for _, draft in drafts("send_items_back")]
    assert not any(re.search(r"\b(\d) of the \1\b", text) for text in asked)
    assert any(" all 2 “" in text for text in asked) and any(" of the 3 “" in text for text in asked)
