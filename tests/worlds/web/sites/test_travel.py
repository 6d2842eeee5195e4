"""The travel agency: what its forms refuse, whose trips one sees, and whether fares and refunds add up."""

import datetime
import re

import pytest

from tests.worlds.web.sites._desk import Desk
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.sites.travel.data import BAG, FARES, INSURANCE, distance, fare_price, reference


@pytest.fixture
def desk() -> Desk:
    return Desk("travel")


def run_of(desk: Desk, seats: int = 3) -> tuple[int, int, str, str, str]:
    """A train to come with that many seats: id, price, origin, destination, date."""
    return desk.rows(
        "SELECT r.id, r.price, s.origin, s.destination, r.date FROM run r JOIN service s ON s.id = r.service"
        " WHERE r.date > ? AND r.standard_left > ? ORDER BY r.id",
        desk.world.now.date().isoformat(), seats)[0]  # fmt: skip


def trip_of(desk: Desk, fare: str) -> tuple[int, str, int, str, int]:
    return desk.rows(
        "SELECT b.id, b.reference, b.run, b.comfort, b.price FROM booking b JOIN run r ON r.id = b.run"
        " WHERE b.owner = 1 AND b.fare = ? AND b.status = 'confirmed' AND r.date > ? ORDER BY b.id",
        fare, desk.world.now.date().isoformat())[0]  # fmt: skip


def test_a_world_is_built_the_same_every_time():
    site = site_named("travel")
    assert site.build(5, 60).data == site.build(5, 60).data
    assert site.build(5, 60).data != site.build(6, 60).data


def test_fares_by_hand():
    assert fare_price(2690, "Standard", "Saver") == 2690
    assert fare_price(2690, "Standard", "Regular") == 3360  # 3362.5, in steps of ten
    assert fare_price(2690, "First", "Flex") == 7310  # 2690 * 1.7 * 1.6 = 7316.8
    now = datetime.datetime(2027, 3, 1, 9, 30)
    assert len({reference("K", number, now) for number in range(5000)}) == 5000
    assert reference("K", 1, now) != reference("K", 1, now + datetime.timedelta(minutes=10))
    assert {reference("K", number, now)[1:] for number in range(30)} != {
        reference("H", number, now)[1:] for number in range(30)
    }
    assert distance(10, 10, 40, 50) == 50


@pytest.mark.parametrize(
    ("change", "error"),
    [({"origin": ""}, "Choose where you start."), ({"destination": ""}, "Choose where you go."),
     ({"date": "1.2.2027"}, "Write the date as YYYY-MM-DD."), ({"date": "2026-01-01"}, "Tickets are sold"),
     ({"passengers": "9"}, "From 1 to 6 passengers."), ({"passengers": "many"}, "From 1 to 6 passengers.")],
)  # fmt: skip
def test_a_search_says_what_is_wrong_and_keeps_what_was_typed(desk, change, error):
    _, _, origin, destination, date = run_of(desk)
    given = {"origin": origin, "destination": destination, "date": date, **change}
    status, html = desk.get("/trains?" + "&".join(f"{key}={value}" for key, value in given.items()))
    assert status == 200
    assert html.count('role="alert"') == 1 and error in html and f'value="{given["date"]}"' in html


def test_results_are_in_a_total_order_over_all_pages(desk):
    _, _, origin, destination, date = run_of(desk)
    for sort, column in (("price", "r.price"), ("departs", "s.departs"), ("minutes", "s.minutes")):
        numbers = [n for n, _ in desk.rows(
            f"SELECT s.number, {column} FROM run r JOIN service s ON s.id = r.service WHERE s.origin = ?"
            f" AND s.destination = ? AND r.date = ? ORDER BY {column}, s.departs, s.number",
            origin, destination, date)]  # fmt: skip
        pages = "".join(
            desk.get(f"/trains?origin={origin}&destination={destination}&date={date}&sort={sort}&page={page}")[1]
            for page in range(1, -(-len(numbers) // 4) + 1)
        )
        at = [pages.index(f"<h3>{number} ") for number in numbers]
        assert at == sorted(at) and len(at) > 1


def book(desk: Desk, run: int, names: list[str], card: int, fare: str = "Regular", **extras: object) -> str:
    """Goes through all steps; the address or page of the last."""
    _, path = desk.post(f"/run/{run}", fare=fare, comfort="Standard", passengers=len(names))
    _, path = desk.post(path, **{f"name{n}": name for n, name in enumerate(names, 1)})
    _, path = desk.post(path, **{"seat": "Window", "bags": 0, **extras})
    return desk.post(path, card=card, terms="on")[1]


def test_a_booking_costs_what_its_parts_cost_and_takes_the_seats(desk):
    run, saver, *_ = run_of(desk)
    left = desk.value("SELECT standard_left FROM run WHERE id = ?", run)
    card = desk.value("SELECT min(id) FROM card WHERE owner = 1")
    path = book(desk, run, ["Ada Lund", "Bo Lund"], card, bags=2, insured="on")
    row = desk.rows("SELECT price, bags, insured, seat, status FROM booking WHERE reference = ?", path.split("/")[-1])[
        0
    ]
    assert row == (2 * fare_price(saver, "Standard", "Regular") + 2 * BAG + INSURANCE, 2, 1, "Window", "confirmed")
    assert desk.value("SELECT standard_left FROM run WHERE id = ?", run) == left - 2
    assert desk.value("SELECT count(*) FROM draft") == 0


def test_steps_cannot_be_left_out_and_fields_are_checked(desk):
    run, *_ = run_of(desk)
    foreign = desk.value("SELECT min(id) FROM card WHERE owner = 2")
    before = desk.store.changes()
    assert "Choose a fare." in desk.post(f"/run/{run}", fare="Free", comfort="Standard", passengers=1)[1]
    _, path = desk.post(f"/run/{run}", fare="Flex", comfort="Standard", passengers=2)
    draft = path.split("/")[2]
    assert "name2" in desk.get(path)[1]
    html = desk.post(path, name1="Ada Lund", name2="Bo")[1]
    assert "First and last name" in html and 'value="Ada Lund"' in html and 'value="Bo"' in html
    assert desk.get(f"/draft/{draft}/payment")[1].endswith("/passengers")
    _, path = desk.post(path, name1="Ada Lund", name2="Bo Lund")
    assert "From 0 to 4 bags." in desk.post(path, seat="Window", bags=5)[1]
    assert "From 0 to 4 bags." in desk.post(path, seat="Window", bags="two")[1]
    _, path = desk.post(path, seat="Window", bags=1)
    assert "Please accept" in desk.post(path, card=foreign)[1]
    assert "Choose a card." in desk.post(path, card=foreign, terms="on")[1]
    assert desk.store.changes() == before
    assert Desk("travel", user=2).get(f"/draft/{draft}/passengers")[0] == 404


def test_a_step_that_is_gone_back_to_shows_what_was_chosen(desk):
    run, *_ = run_of(desk)
    desk.post("/preferences", seat="Table")
    _, path = desk.post(f"/run/{run}", fare="Flex", comfort="Standard", passengers=1)
    _, path = desk.post(path, name1="Ada Lund")
    html = desk.get(path)[1]
    assert '<option value="Table" selected>' in html and 'name="bags" value="0"' in html and " checked" not in html
    _, payment = desk.post(path, seat="Aisle", bags=1, insured="on")
    assert f'href="{path}"' in desk.get(payment)[1]
    html = desk.get(path)[1]
    assert '<option value="Aisle" selected>' in html and 'name="bags" value="1"' in html and " checked" in html
    html = desk.post(path, seat="Window", bags=9)[1]  # an error shows what was posted, not what was chosen before
    assert '<option value="Window" selected>' in html and 'name="bags" value="9"' in html and " checked" not in html


def test_a_sold_out_train_cannot_be_booked(desk):
    run = desk.value(
        "SELECT id FROM run WHERE date > ? AND standard_left = 0 ORDER BY id", desk.world.now.date().isoformat()
    )
    _, path = desk.post(f"/run/{run}", fare="Flex", comfort="Standard", passengers=1)
    for fields in ({"name1": "Ada Lund"}, {"seat": "Aisle", "bags": 0}, {"card": 1, "terms": "on"}):
        _, path = desk.post(path, **fields)
    assert path == f"/run/{run}" and desk.store.changes() == []


def test_refunds_and_changes_follow_the_fare(desk):
    for fare in FARES:
        number, code, run, comfort, price = trip_of(desk, fare)
        count = desk.value("SELECT count(*) FROM passenger WHERE booking = ?", number)
        column = "first_left" if comfort == "First" else "standard_left"
        service, saver = desk.rows("SELECT service, price FROM run WHERE id = ?", run)[0]
        new, day, base = desk.rows(
            f"SELECT id, date, price FROM run WHERE service = ? AND id != ? AND date > ? AND {column} >= ? ORDER BY id",
            service, run, desk.world.now.date().isoformat(), count)[0]  # fmt: skip
        desk.post(f"/trip/{code}/change", date=day, comfort=comfort)
        moved, paid = desk.rows("SELECT run, price FROM booking WHERE id = ?", number)[0]
        if FARES[fare].change is None:
            assert (moved, paid) == (run, price)
        else:
            more = max(0, fare_price(base, comfort, fare) - fare_price(saver, comfort, fare))
            assert (moved, paid) == (new, price + (more + FARES[fare].change) * count)
        desk.post(f"/trip/{code}/cancel")
        status, refund = desk.rows("SELECT status, refund FROM booking WHERE id = ?", number)[0]
        assert (status, refund) == ("cancelled", paid * FARES[fare].refund // 100)
        assert desk.post(f"/trip/{code}/cancel")[0] == 403
    assert desk.rows("SELECT id FROM run WHERE standard_left < 0 OR first_left < 0") == []


def test_bags_have_a_limit(desk):
    number, code, *_ = trip_of(desk, "Regular")
    bags = desk.value("SELECT bags FROM booking WHERE id = ?", number)
    assert "at most 4" in desk.post(f"/trip/{code}/bags", bags=5 - bags)[1]
    assert "at most 4" in desk.post(f"/trip/{code}/bags", bags=-1)[1]
    assert desk.store.changes() == []
    assert "Add bags" in desk.get(f"/trip/{code}")[1]
    desk.post(f"/trip/{code}/bags", bags=4 - bags)
    assert desk.value("SELECT bags FROM booking WHERE id = ?", number) == 4
    html = desk.get(f"/trip/{code}")[1]
    assert "Add bags" not in html and "You have 4 bags" in html
    desk.post(f"/trip/{code}/bags", bags=1)
    assert desk.value("SELECT bags FROM booking WHERE id = ?", number) == 4


def test_other_peoples_trips_are_not_there(desk):
    code = desk.value("SELECT reference FROM booking WHERE owner != 1 ORDER BY id")
    stay = desk.value("SELECT reference FROM stay WHERE owner != 1 ORDER BY id")
    for path in (
        f"/trip/{code}",
        f"/trip/{code}/change",
        f"/trip/{code}/cancel",
        f"/stay/{stay}",
        "/trip/KNONE",
        "/hotel/999",
    ):
        assert desk.get(path)[0] == 404, path
    assert desk.post(f"/trip/{code}/cancel")[0] == desk.post(f"/stay/{stay}/cancel")[0] == 404
    assert Desk("travel", user=0).get("/trips")[1].startswith("/login")


def test_a_stay_is_the_sum_of_its_nights(desk):
    hotel, first = desk.rows(
        "SELECT a.hotel, a.date FROM night a JOIN night b ON b.hotel = a.hotel AND b.date = date(a.date, '+1 day')"
        " WHERE a.rooms > 0 AND b.rooms > 0 ORDER BY a.hotel, a.date")[0]  # fmt: skip
    nights = desk.rows(
        "SELECT date, price, rooms FROM night WHERE hotel = ? AND date >= ? ORDER BY date", hotel, first
    )[:2]
    breakfast = desk.value("SELECT breakfast FROM hotel WHERE id = ?", hotel)
    card = desk.value("SELECT min(id) FROM card WHERE owner = 1")
    html = desk.post(f"/hotel/{hotel}", arrives=first, nights=2, guests=3, card=0)[1]
    assert "One or two guests" in html and "Choose a card." in html
    _, path = desk.post(f"/hotel/{hotel}", arrives=first, nights=2, guests=2, card=card, breakfast="on")
    price = nights[0][1] + nights[1][1] + 2 * breakfast
    assert desk.value("SELECT price FROM stay WHERE reference = ?", path.split("/")[-1]) == price
    after = desk.rows("SELECT rooms FROM night WHERE hotel = ? AND date >= ? ORDER BY date", hotel, first)[:2]
    assert [rooms for (rooms,) in after] == [rooms - 1 for _, _, rooms in nights]


def test_a_hotel_that_is_full_for_one_night_is_sold_out(desk):
    hotel, date = desk.rows("SELECT hotel, date FROM night WHERE rooms = 0 ORDER BY hotel, date")[0]
    html = desk.get(f"/hotel/{hotel}?arrives={date}&nights=1")[1]
    assert "sold out" in html and "Book this room" not in html
    desk.post(
        f"/hotel/{hotel}", arrives=date, nights=1, guests=1, card=desk.value("SELECT min(id) FROM card WHERE owner = 1")
    )
    assert desk.store.changes() == []


def test_hotels_that_are_sold_out_come_last_by_price(desk):
    towns, seen = [row[0] for row in desk.rows("SELECT DISTINCT town FROM hotel ORDER BY town")], 0
    for town, ahead in ((town, ahead) for town in towns for ahead in range(1, 16)):
        path = f"/hotels/search?town={town}&arrives={desk.world.now.date() + datetime.timedelta(ahead)}&nights=3"
        html = desk.get(path)[1]
        html += desk.get(f"{path}&page=2")[1] if "page=2" in html else ""
        rooms = re.findall(r"EUR ([0-9.]+) for 3 nights|Sold out for these nights", html)
        prices = [float(price) for price in rooms if price]
        assert rooms[len(prices) :] == [""] * (len(rooms) - len(prices))
        assert prices == sorted(prices)
        seen += 0 < len(prices) < len(rooms)
    assert seen


def test_trips_that_are_cancelled_are_not_to_come(desk):
    html = desk.get("/trips")[1]
    assert re.findall(r'data-tw-tab="(\w+)" aria-selected="(\w+)"', html) == [("trains", "true"), ("hotels", "false")]
    coming, rest = html.split("<h2>Past</h2>")
    assert "confirmed" in coming and "cancelled" not in coming
    assert rest.split("<h2>Cancelled</h2>")[1].count("<td>cancelled</td>") == desk.value(
        "SELECT count(*) FROM booking WHERE owner = 1 AND status = 'cancelled'"
    )


def test_one_is_said_in_the_singular(desk):
    hotel, date = desk.rows("SELECT hotel, date FROM night WHERE rooms = 1 ORDER BY hotel, date")[0]
    town = desk.value("SELECT town FROM hotel WHERE id = ?", hotel)
    html = "".join(desk.get(f"/hotels/search?town={town}&arrives={date}&nights=1&page={page}")[1] for page in (1, 2))
    assert " for 1 night, 1 room left" in html and "1 night from " in html
    assert " 1 trains" not in desk.get("/")[1]


def test_nights_beyond_the_season_are_not_sold(desk):
    last = desk.world.now.date() + datetime.timedelta(20)
    town = desk.value("SELECT town FROM hotel WHERE id = 1")
    for arrives, nights in ((last, 2), (last + datetime.timedelta(1), 1), (desk.world.now.date(), 1), (last, 0)):
        html = desk.get(f"/hotels/search?town={town}&arrives={arrives}&nights={nights}")[1]
        assert 'role="alert"' in html and "<article>" not in html
        html = desk.get(f"/hotel/1?arrives={arrives}&nights={nights}")[1]
        assert 'role="alert"' in html and "Book this room" not in html


@pytest.mark.parametrize("text", ["%", "_", "'", "' OR 1=1 --", "\\", "<script>", "9" * 30, "-1"])
def test_strange_parameters_do_no_harm(desk, text):
    for path in ("/trains?origin={0}&destination={0}&date={0}&passengers={0}&page={0}", "/run/1?comfort={0}",
                 "/hotels/search?town={0}&venue={0}", "/hotel/1?arrives={0}&nights={0}"):  # fmt: skip
        status, html = desk.get(path.format(text.replace("%", "%25").replace("\\", "%5C").replace(" ", "+")))
        assert status == 200 and "<script>" not in html.split("</head>")[1]
    assert desk.store.changes() == []
