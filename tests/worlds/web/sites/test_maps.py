"""The map: ways against an independent search, what forms refuse, and whose lists one may change."""

import re

import pytest

from tests.worlds.web.sites._desk import Desk
from turnwise.core.draw import Draw
from turnwise.worlds.web.browser.page.dom import text_of
from turnwise.worlds.web.site.judging import answers
from turnwise.worlds.web.site.plan import perform, whole_plan
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.site.tasks import World
from turnwise.worlds.web.sites.maps.network import MODES, draw_network, network_of


@pytest.fixture
def desk() -> Desk:
    return Desk("maps")


def test_a_world_is_built_the_same_every_time():
    site = site_named("maps")
    assert site.build(5, 60).data == site.build(5, 60).data
    assert site.build(5, 60).data != site.build(6, 60).data


@pytest.mark.parametrize("seed", range(4))
def test_ways_are_the_quickest_by_another_algorithm(seed):
    names = [f"S{n}" for n in range(14)]
    network = network_of(draw_network(Draw("test", seed), 7, names))
    assert network.whole
    for mode in MODES:
        cost = [[0 if a == b else 10**18 for b in range(49)] for a in range(49)]
        for at, edges in enumerate(network._edges[mode]):
            for to, more in edges:
                cost[at][to] = more
        for by in range(49):  # Floyd and Warshall
            for a in range(49):
                for b in range(49):
                    cost[a][b] = min(cost[a][b], cost[a][by] + cost[by][b])
        for a in range(0, 49, 5):
            for b in range(49):
                way = network.way(a, b, mode)
                assert way.metres == cost[a][b] % 1_000_000 == sum(leg.metres for leg in way.legs)
                assert way.minutes == -(-(cost[a][b] // 1_000_000) // 1000)
        assert network.metres(3, 40, mode) == network.way(3, 40, mode).metres


def test_cars_obey_signs_and_walkers_need_not():
    network = network_of(draw_network(Draw("test", 1), 7, [f"S{n}" for n in range(14)]))
    longer = [network.metres(a, b, "driving") - network.metres(a, b) for a in range(49) for b in range(49)]
    assert min(longer) >= 0 and max(longer) > 0
    assert any(network.metres(a, b, "driving") != network.metres(b, a, "driving") for a in range(49) for b in range(49))
    for a in range(49):
        for leg in network.way(a, 24, "driving").legs:
            assert leg.street not in network._lanes


def test_every_step_of_the_directions_turns_or_begins(desk):
    first, second = (name for (name,) in desk.rows("SELECT name FROM place ORDER BY id LIMIT 2"))
    html = desk.get(f"/directions?from={first}&to={second}&mode=walking".replace(" ", "+"))[1]
    steps = re.findall(r"<li>(.*?)</li>", html.split("Steps")[1])
    assert steps[0].startswith("Head ") and steps[-1] == f"Arrive at {second}"
    assert all(step.startswith(("Turn left", "Turn right", "Go on")) for step in steps[1:-1])
    total = sum(int(re.search(r"for (\d+) m$", step)[1]) for step in steps[:-1])
    assert f"<td>{total} m</td>" in html


def test_open_now_is_what_the_hours_say(desk):
    now, day = f"{desk.world.now:%H:%M}", desk.world.now.weekday()
    opened = {name for (name,) in desk.rows(
        "SELECT p.name FROM place p JOIN hours h ON h.place = p.id WHERE h.day = ? AND h.opens <= ?"
        " AND h.closes > ?", day, now, now)}  # fmt: skip
    shown = set()
    for page in range(1, 12):
        shown |= set(re.findall(r'<h3><a href="/place/\d+">(.*?)</a>', desk.get(f"/search?open=on&page={page}")[1]))
    assert shown == opened and opened


def test_results_are_sorted_by_distance_then_id(desk):
    html = "".join(desk.get(f"/search?near=Home&page={page}")[1] for page in range(1, 11))
    found = [(int(metres), int(place)) for place, metres in re.findall(r'/place/(\d+)">.*?(\d+) m on foot', html)]
    assert len(found) == 60 and found == sorted(found)


def test_addresses_must_exist(desk):
    street, number = desk.rows("SELECT street, number FROM address ORDER BY id")[0]
    free = next(
        n for n in range(1, 200) if not desk.rows("SELECT 1 FROM address WHERE street = ? AND number = ?", street, n)
    )
    html = desk.post("/settings/home", street=street, number=free)[1]
    assert "The map has no such number" in html and f'value="{free}"' in html
    assert "Choose a street." in desk.post("/settings/work", street="Nowhere", number=1)[1]
    assert desk.post("/settings/office", street=street, number=number)[0] == 404
    assert desk.store.changes() == []
    desk.post("/settings/home", street=street, number=number)
    assert [change.op for change in desk.store.changes()] == ["update"]


def test_unknown_points_are_said_and_nothing_is_guessed(desk):
    html = desk.get("/directions?from=Home&to=Nowhere+9")[1]
    assert html.count('role="alert"') == 1 and 'value="Nowhere 9"' in html
    assert "There is no such place" in desk.get("/search?near=Nowhere")[1]
    assert "There is no such place" in Desk("maps", user=0).get("/search?near=Home")[1]


def test_lists_belong_to_their_owners(desk):
    shared = desk.value("SELECT min(id) FROM list WHERE owner = 2")
    mine = desk.value("SELECT min(id) FROM list WHERE owner = 1")
    place = desk.value("SELECT place FROM saved WHERE list = ?", shared)
    assert desk.get(f"/list/{shared}")[0] == 200 and "Remove" not in desk.get(f"/list/{shared}")[1]
    assert desk.post(f"/list/{shared}/remove", place=place)[0] == 403
    assert Desk("maps", user=2).get(f"/list/{mine}")[0] == 403
    absent = desk.value(
        "SELECT id FROM place WHERE id NOT IN (SELECT place FROM saved WHERE list = ?) ORDER BY id", mine
    )
    assert desk.post(f"/list/{mine}/remove", place=absent)[0] == 404
    desk.post(f"/place/{place}/save", list=shared, note="x")
    assert desk.store.changes() == []
    desk.post(f"/place/{absent}/save", list=mine, note="x")
    desk.post(f"/place/{absent}/save", list=mine, note="again")
    assert [(change.op, change.after["note"]) for change in desk.store.changes()] == [("insert", "x")]


def test_lists_and_suggestions_are_checked(desk):
    name = desk.value("SELECT name FROM list WHERE owner = 1 ORDER BY id")
    assert "A list needs a name." in desk.post("/lists", name="  ")[1]
    assert "You have a list of that name." in desk.post("/lists", name=name.upper())[1]
    assert "digits and blanks" in desk.post("/place/1/suggest", field="Phone", value="call me")[1]
    assert "What is the right value?" in desk.post("/place/1/suggest", field="Owner", value="me")[1]
    assert desk.post("/place/999/suggest", field="Name", value="x")[0] == 404
    assert desk.store.changes() == []


@pytest.mark.parametrize("text", ["%", "_", "'", "' OR 1=1 --", "\\", "<script>", "%%%", "1" * 50])
def test_strange_searches_find_nothing(desk, text):
    typed = text.replace("%", "%25").replace("\\", "%5C").replace(" ", "+")
    status, html = desk.get(f"/search?q={typed}&page={typed}&within={typed}")
    assert status == 200 and "Nothing matches." in html and "<script>" not in html.split("</head>")[1]
    assert desk.get(f"/hints?q={typed}{typed}")[0] == 200
    assert desk.get(f"/directions?from={typed}&to=1+{typed}")[0] == 200


def test_ratings_are_the_mean_of_the_reviews(desk):
    for rating, count, total in desk.rows(
        "SELECT p.rating, p.reviews, sum(r.stars) FROM place p JOIN review r ON r.place = p.id GROUP BY p.id"
    ):
        assert rating == int(total * 10 / count + 0.5)


def drafts(name):
    """Some tasks of a template, each with its world."""
    template = next(t for t in site_named("maps").templates() if t.name == f"maps.{name}")
    worlds = [World(seed, 60) for seed in range(6)]
    found = [(world, template.draw(world, Draw("maps", name, world.seed, n))) for world in worlds for n in range(3)]
    found = [(world, draft) for world, draft in found if draft is not None]
    assert len(found) > 6
    return found


@pytest.mark.parametrize("name", ["nearest_of_three", "nearest_open"])
def test_a_phone_number_may_be_told_without_its_space(name):
    for _, draft in drafts(name):
        phone = draft.answer.text
        assert answers(phone.replace(" ", ""), draft.answer) and answers(phone, draft.answer)
        assert not answers(phone[:-1], draft.answer)


def test_a_correct_phone_number_may_be_sent_without_its_space():
    found = [(world, draft) for world, draft in drafts("correct_phone") if "phone number" in draft.instruction]
    for world, draft in found[:2]:
        typed = [s._replace(text=s.text.replace(" ", "")) if s.name == "Right value" else s for s in whole_plan(draft)]
        wrong = [s._replace(text=s.text[:-1]) if s.name == "Right value" else s for s in whole_plan(draft)]
        assert perform(draft, world, ("maps",), tuple(typed)).correct
        assert not perform(draft, world, ("maps",), tuple(wrong)).correct


def test_an_address_may_be_told_with_its_town_and_several_are_rated():
    for world, draft in drafts("best_rated"):
        address = draft.answer.text
        assert answers(f"{address}, {world.cast.user.town}", draft.answer) and answers(address, draft.answer)
        others = [town for town in world.cast.towns if town != world.cast.user.town]
        assert not answers(f"{address}, {others[0]}", draft.answer)
        pages = perform(draft, world, ("maps",), show=lambda page: text_of(page.root)).pages
        assert int(re.search(r"(\d+) places, distances", " ".join(pages))[1]) > 2


def test_places_keep_likely_hours():
    """A morning, an afternoon or a day; few places are open on Sundays, and most of them on other days."""
    sundays, mondays, places = 0, 0, 0
    for seed in range(4):
        world = World(seed, 60)
        rows = world("maps").rows("SELECT place, day, opens, closes FROM hours")
        for place in range(1, 61):
            days = {day for number, day, _, _ in rows if number == place}
            assert len(days) >= 5
            sundays, mondays, places = sundays + (6 in days), mondays + (0 in days), places + 1
        for _, _, opens, closes in rows:
            assert "06:00" <= opens < closes <= "23:45" and int(closes[:2]) - int(opens[:2]) >= 3
    assert sundays < 0.5 * places < 0.7 * places < mondays


def test_reviews_fit_their_places(desk):
    texts = {}
    for seed in range(4):
        for category, text in World(seed, 100)("maps").rows(
            "SELECT p.category, r.text FROM review r JOIN place p ON p.id = r.place"
        ):
            for sentence in re.findall(r"[^.]+\.", text):
                texts.setdefault(sentence.strip(), set()).add(category)
    kinds = desk.value("SELECT count(DISTINCT category) FROM place")
    assert texts["Half of the shelves were empty."] == {"Supermarket"}
    assert texts["Dearer than the shop round the corner."] == {"Hardware shop"}
    assert len(texts["Worth the walk."]) >= kinds


def test_pages_count_and_say_what_is_so(desk):
    name = desk.value("SELECT name FROM place ORDER BY id")
    html = desk.get(f"/search?q={name.replace(' ', '+')}")[1]
    assert "<p>1 place.</p>" in html
    now, day = f"{desk.world.now:%H:%M}", desk.world.now.weekday()
    seen = set()
    for (number,) in desk.rows("SELECT id FROM place ORDER BY id"):
        hours = desk.rows("SELECT opens, closes FROM hours WHERE place = ? AND day = ?", number, day)
        state = "Open" if hours and hours[0][0] <= now < hours[0][1] else "Closed"
        html = desk.get(f"/place/{number}")[1]
        assert f"<p>{state} now (" in html
        assert ("All reviews" in html) == (desk.value("SELECT reviews FROM place WHERE id = ?", number) > 2)
        seen.add(state)
    assert seen == {"Open", "Closed"}
    assert "closed today, closed now" not in "".join(desk.get(f"/search?page={n}")[1] for n in range(1, 11))
    html = desk.get(f"/directions?from=Home&to={name.replace(' ', '+')}&mode=driving")[1]
    assert '<th scope="row">Travel mode</th><td>By car</td>' in html
