"""Certificates about graphs against networkx and brute force, and the lists that they are written as."""

import doctest
import itertools
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnwise.verifiers.structures.graph
import turnwise.verifiers.structures.listing
from tests._work import at_most
from turnwise.verifiers.structures.graph import (
    GraphError,
    graph_of,
    graph_of_matrix,
    shortest_length,
    verify_bipartition,
    verify_colouring,
    verify_euler,
    verify_hamiltonian,
    verify_isomorphism,
    verify_matching,
    verify_node_set,
    verify_path,
    verify_spanning_tree,
    verify_topological_order,
)
from turnwise.verifiers.structures.listing import is_none, parse_groups, parse_mapping, parse_names, parse_pairs

nx = pytest.importorskip("networkx", reason="the reference is networkx, which comes with torch")
NODES = "ABCDE"
SQUARE = graph_of([("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")])


@st.composite
def graphs(draw, directed=None, max_nodes=5, weighted=True):
    nodes = NODES[: draw(st.integers(2, max_nodes))]
    is_directed = draw(st.booleans()) if directed is None else directed
    pairs = list((itertools.permutations if is_directed else itertools.combinations)(nodes, 2))
    ends = draw(st.lists(st.sampled_from(pairs), unique=True))
    edges = [(*pair, draw(st.integers(0, 4)) if weighted else 1) for pair in ends]
    return graph_of(edges, nodes, directed=is_directed)


def reference(graph):
    kind = nx.DiGraph() if graph.directed else nx.Graph()
    kind.add_nodes_from(graph.nodes)
    kind.add_weighted_edges_from((a, b, w) for (a, b), w in zip(graph.edges, graph.weights, strict=True))
    return kind


def walks(data, graph, max_size=6):
    return data.draw(st.lists(st.sampled_from(graph.nodes), min_size=1, max_size=max_size))


def arrows(walk):
    return " -> ".join(walk)


# ---- walks --------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(graphs(), st.data())
def test_shortest_paths(graph, data):
    other, (start, end) = reference(graph), data.draw(st.tuples(*[st.sampled_from(graph.nodes)] * 2))
    best = nx.dijkstra_path_length(other, start, end) if nx.has_path(other, start, end) else None
    assert shortest_length(graph, start, end) == best
    assert verify_path("none", graph, start, end).correct == (best is None)
    if best is not None:
        found = nx.dijkstra_path(other, start, end)
        assert verify_path(arrows(found), graph, start, end, shortest=True).correct
        assert not verify_path(arrows(found), graph, start, end, max_length=best - 1).correct
    walk = walks(data, graph)
    good = walk[0] == start and walk[-1] == end and all(other.has_edge(a, b) for a, b in itertools.pairwise(walk))
    length = sum(other[a][b]["weight"] for a, b in itertools.pairwise(walk)) if good else None
    simple = good and len(set(walk)) == len(walk)
    assert verify_path(arrows(walk), graph, start, end).correct == simple
    assert verify_path(arrows(walk), graph, start, end, simple=False).correct == good
    verdict = verify_path(arrows(walk), graph, start, end, shortest=True, simple=False, partial=True)
    assert verdict.correct == (good and length == best)
    if good and not verdict.correct:
        assert verdict.score == pytest.approx(best / length) and verdict.parts == {"length": length}


@settings(max_examples=60)
@given(graphs(weighted=False), st.data())
def test_hamiltonian_paths_and_cycles_and_tours(graph, data):
    other, walk = reference(graph), data.draw(st.permutations(graph.nodes))
    path = all(other.has_edge(a, b) for a, b in itertools.pairwise(walk))
    assert verify_hamiltonian(arrows(walk), graph).correct == path
    assert not verify_hamiltonian(arrows(walk[:-1]), graph).correct
    assert not verify_hamiltonian(arrows([*walk, walk[0]]), graph).correct
    if len(graph.nodes) > 2:
        cycle = path and other.has_edge(walk[-1], walk[0])
        for text in (arrows(walk), arrows([*walk, walk[0]])):
            assert verify_hamiltonian(text, graph, cycle=True).correct == cycle
            assert verify_hamiltonian(text, graph, cycle=True, max_length=len(walk)).correct == cycle
            assert not verify_hamiltonian(text, graph, cycle=True, max_length=len(walk) - 1).correct
        assert not verify_hamiltonian(arrows([*walk, walk[1]]), graph, cycle=True).correct


def test_a_tour_of_distances():
    matrix = [[0, 1, 9, 4], [1, 0, 2, 9], [9, 2, 0, 3], [4, 9, 3, 0]]
    cities = graph_of_matrix(matrix)
    assert verify_hamiltonian("[0, 1, 2, 3]", cities, cycle=True, max_length=10).correct
    verdict = verify_hamiltonian("0 2 1 3", cities, cycle=True, max_length=10, partial=True)
    assert verdict.score == pytest.approx(10 / 24) and verdict.reason == "the length is 24; it must be at most 10"
    assert verify_hamiltonian("0 2 1 3", cities, cycle=True, max_length=10).score == 0
    one_way = graph_of_matrix([[0, 1, 5], [5, 0, 1], [1, 5, 0]], "abc")
    assert verify_hamiltonian("a b c", one_way, cycle=True, max_length=3).correct
    assert not verify_hamiltonian("c b a", one_way, cycle=True, max_length=3).correct
    for bad in ([[0, 1]], [[0], [1]]):
        with pytest.raises(GraphError, match="not square"):
            graph_of_matrix(bad)
    with pytest.raises(GraphError, match="no cycles through 2"):
        verify_hamiltonian("A B", graph_of([("A", "B")]), cycle=True)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("ABC")), max_size=5), st.booleans(), st.data())
def test_euler_trails_of_multigraphs(edges, directed, data):
    graph = graph_of(edges, "ABC", directed=directed)

    def uses_each_once(walk):
        key = (lambda a, b: (a, b)) if directed else (lambda a, b: tuple(sorted((a, b))))
        return Counter(key(a, b) for a, b in itertools.pairwise(walk)) == Counter(key(a, b) for a, b in edges)

    found = [walk for walk in itertools.product("ABC", repeat=len(edges) + 1) if uses_each_once(walk)]
    circuits = [walk for walk in found if walk[0] == walk[-1]]
    assert verify_euler("none", graph).correct == (not found)
    assert verify_euler("none", graph, circuit=True).correct == (not circuits)
    for walk in [*found[:3], data.draw(st.lists(st.sampled_from("ABC"), min_size=1, max_size=6))]:
        assert verify_euler(arrows(walk), graph).correct == uses_each_once(walk)
        good = uses_each_once(walk) and walk[0] == walk[-1]
        assert verify_euler(arrows(walk), graph, circuit=True).correct == good


# ---- sets, colours, orders ----------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(graphs(weighted=False), st.data())
def test_colourings(graph, data):
    colours = data.draw(st.lists(st.sampled_from(["red", "blue", "green"]), min_size=5, max_size=5))
    given_ = dict(zip(graph.nodes, colours, strict=False))
    same = [a for a, b in graph.edges if given_[a] == given_[b]]
    verdict = verify_colouring(", ".join(f"{a}: {c}" for a, c in given_.items()), graph, 2)
    assert verdict.correct == (not same and len(set(given_.values())) <= 2)
    assert verdict.parts["proper"] == pytest.approx(1 - len(same) / max(1, len(graph.edges)))
    assert not verify_colouring(", ".join(f"{a}: {c}" for a, c in list(given_.items())[1:]), graph, 3).correct


@settings(max_examples=60)
@given(graphs(directed=False, weighted=False), st.data())
def test_node_sets(graph, data):
    other = reference(graph)
    chosen = data.draw(st.lists(st.sampled_from(graph.nodes), unique=True))
    text = "{" + ", ".join(chosen) + "}"
    holds = {
        "clique": all(other.has_edge(a, b) for a, b in itertools.combinations(chosen, 2)),
        "independent set": other.subgraph(chosen).number_of_edges() == 0,
        "vertex cover": all(a in chosen or b in chosen for a, b in graph.edges),
        "dominating set": bool(chosen) and nx.is_dominating_set(other, chosen),
    }
    for kind, good in holds.items():
        most = kind in ("vertex cover", "dominating set")
        assert verify_node_set(text, graph, kind, len(chosen)).correct == good
        assert not verify_node_set(text, graph, kind, len(chosen) + (-1 if most else 1)).correct
        if chosen:
            assert not verify_node_set(text[:-1] + f", {chosen[0]}}}", graph, kind, len(chosen)).correct
    if holds["clique"]:
        assert verify_node_set(text, graph, "clique", 6, partial=True).score == pytest.approx(len(chosen) / 6)
    with pytest.raises(GraphError, match="kernel"):
        verify_node_set(text, graph, "kernel", 1)


@settings(max_examples=60)
@given(graphs(directed=False), st.data())
def test_matchings_and_spanning_trees(graph, data):
    other = reference(graph)
    pairs = data.draw(st.lists(st.sampled_from(list(itertools.combinations(graph.nodes, 2))), max_size=5, unique=True))
    text = ", ".join(f"({b}, {a})" for a, b in pairs) or "[]"
    there = all(other.has_edge(*pair) for pair in pairs)
    assert verify_matching(text, graph, len(pairs)).correct == (there and nx.is_matching(other, set(pairs)))
    assert not verify_matching(text, graph, len(pairs) + 1).correct
    if not nx.is_connected(other):
        with pytest.raises(GraphError, match="not connected"):
            verify_spanning_tree(text, graph)
        return
    tree = nx.Graph(pairs)
    spans = there and len(tree) == len(other) and nx.is_tree(tree)
    least = nx.minimum_spanning_tree(other).size("weight")
    weight = sum(other[a][b]["weight"] for a, b in pairs) if there else None
    assert verify_spanning_tree(text, graph).correct == spans
    assert verify_spanning_tree(text, graph, minimum=True).correct == (spans and weight == least)
    assert verify_spanning_tree(text, graph, max_weight=6).correct == (spans and weight <= 6)
    best = "; ".join(f"{a}-{b}" for a, b in nx.minimum_spanning_tree(other).edges)
    assert verify_spanning_tree(best, graph, minimum=True).correct


@settings(max_examples=60)
@given(graphs(directed=True, weighted=False), st.data())
def test_topological_orders(graph, data):
    other, order = reference(graph), data.draw(st.permutations(graph.nodes))
    good = all(order.index(a) < order.index(b) for a, b in graph.edges)
    assert verify_topological_order(", ".join(order), graph).correct == good
    assert not verify_topological_order(", ".join(order[1:]), graph).correct
    acyclic = nx.is_directed_acyclic_graph(other)
    assert verify_topological_order("none", graph).correct == (not acyclic)
    if acyclic:
        assert verify_topological_order(arrows(nx.topological_sort(other)), graph).correct


@settings(max_examples=60)
@given(graphs(weighted=False), st.data())
def test_bipartitions(graph, data):
    sides = data.draw(st.lists(st.booleans(), min_size=5, max_size=5))
    groups = [[x for x, side in zip(graph.nodes, sides, strict=False) if side == want] for want in (True, False)]
    good = not any((a in groups[0]) == (b in groups[0]) for a, b in graph.edges)
    text = " ".join("{" + ", ".join(group) + "}" for group in groups)
    assert verify_bipartition(text, graph).correct == good
    assert not verify_bipartition(text + " {}", graph).correct
    assert verify_bipartition("none", graph).correct == (not nx.is_bipartite(reference(graph)))


@settings(max_examples=60)
@given(graphs(), st.data())
def test_isomorphisms(graph, data):
    names = data.draw(st.permutations("vwxyz"[: len(graph.nodes)]))
    mapping = dict(zip(graph.nodes, names, strict=True))
    edges = [(mapping[a], mapping[b], w) for (a, b), w in zip(graph.edges, graph.weights, strict=True)]
    second = graph_of(data.draw(st.permutations(edges)), names, directed=graph.directed)
    assert verify_isomorphism(", ".join(f"{a} -> {b}" for a, b in mapping.items()), graph, second).correct
    other = dict(zip(graph.nodes, data.draw(st.permutations(names)), strict=True))
    key = (lambda a, b: (a, b)) if graph.directed else (lambda a, b: frozenset((a, b)))
    moved = {(key(other[a], other[b]), w) for (a, b), w in zip(graph.edges, graph.weights, strict=True)}
    there = {(key(a, b), w) for (a, b), w in zip(second.edges, second.weights, strict=True)}
    assert verify_isomorphism(", ".join(f"{a}={b}" for a, b in other.items()), graph, second).correct == (
        moved == there
    )
    same = ", ".join(f"{a}: {names[0]}" for a in graph.nodes)
    assert not verify_isomorphism(same, graph, second).correct


# ---- texts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["A -> B -> C", "A→B→C", "A, B, C", "[A, B, C]", "(A,B,C)", "['A', 'B', 'C']", '["A","B","C"]', "A-B-C",
             "A – B – C", "A B C", "a -> b -> c", "Path: A -> B -> C.", "A --> B --> C", "A=>B=>C", r"A \to B \to C",
             "A\nB\nC", "path = [A, B, C]", "A,  B,, C", "`A` -> `B` -> `C`"]
)  # fmt: skip
def test_spellings_of_a_list(text):
    assert parse_names(text, ("A", "B", "C")) == ("A", "B", "C")


@pytest.mark.parametrize(
    "text", ["", "A or B", "A -> X", "[A, B] [C]", "[A, B], [C]", "A -> B (2)", "[[A, B, C]]", "A + B", "the path A B",
             "A.B", "Ａ", "ABC", "Path: Path: A", "A" * 200_000]
)  # fmt: skip
def test_what_is_no_list(text):
    assert parse_names(text, ("A", "B", "C")) is None


def test_names_with_separators_in_them():
    cities = ("New York", "Baden-Baden", "St. Ives", "-1", "a", "A")
    text = "New York -> Baden-Baden, st. ives, -1, a, A"
    assert parse_names(text, cities) == ("New York", "Baden-Baden", "St. Ives", "-1", "a", "A")
    assert parse_pairs("(New York, -1), (a, A)", cities) == (("New York", "-1"), ("a", "A"))
    assert parse_names("york", cities) is None
    assert parse_names("path: 3", ("path", "3")) is None
    for bad in ("a, b", "", " a", "(1)", "x=y", '"'):
        with pytest.raises(ValueError, match="cannot be a name"):
            parse_names("x", ("x", bad))
    with pytest.raises(ValueError, match="twice"):
        parse_names("x", ("x", "x"))


@pytest.mark.parametrize(
    "text", ["{(0,1),(2,3)}", "[(0, 1), (2, 3)]", "[[0,1],[2,3]]", "0-1, 2-3", "0 1\n2 3", "(0,1) (2,3)", "0->1; 2->3",
             "Edges: 0-1, 2-3.", "[0-1, 2-3]", '[["0","1"],["2","3"]]', "(0-1), (2-3)", "{0,1}, {2,3}",
             "[(0,1),\n (2,3)]"]
)  # fmt: skip
def test_spellings_of_pairs(text):
    assert parse_pairs(text, ("0", "1", "2", "3")) == (("0", "1"), ("2", "3"))


@pytest.mark.parametrize(
    "text", ["", "0-1-2", "(0,1,2)", "(0,1) or (2,3)", "0, 1", "0 1 2 3", "(0,1", "((0,1),(2,3)", "(0,(1,2))", "0-4",
        "none"]
)  # fmt: skip
def test_what_is_no_list_of_pairs(text):
    assert parse_pairs(text, ("0", "1", "2", "3")) is None


def test_one_pair_and_no_pair():
    assert parse_pairs("(0, 1)", ("0", "1")) == parse_pairs("0-1", ("0", "1")) == (("0", "1"),)
    assert parse_pairs("{}", ("0", "1")) == ()


@pytest.mark.parametrize(
    "text", ["A: red, B: dark blue", "A = Red; B = dark  blue", '{"A": "red", "B": "dark blue"}',
        "A -> red\nB -> dark blue",
             "- A: red\n- B: dark blue", "(A, red), (B, dark blue)", "[['A', 'red'], ['B', 'dark blue']]",
             "b: dark blue, a: red.",
             "A: red | B: dark blue", "{A: red, B: dark blue}"]
)  # fmt: skip
def test_spellings_of_a_mapping(text):
    expected = {"A": "red", "B": "dark blue"}
    assert parse_mapping(text, ("A", "B")) == expected
    assert parse_mapping(text, ("A", "B"), ("red", "dark blue")) == expected


@pytest.mark.parametrize(
    "text", ["", "A", "A: ", "A: red, A: red", "A: red, a: blue", "C: red", "A: red or so, x",
        "A: red or blue, B: red", "A: red/blue", "A: red?", "{'A': {'B': 'red'}}",
             "A: " + "x" * 50, "A: [red], B: blue"]
)  # fmt: skip
def test_what_is_no_mapping(text):
    assert parse_mapping(text, ("A", "B")) is None


def test_groups_and_none():
    for text in ("{A, B}, {C}", "[[A, B], [C]]", "A, B\nC", "A B | C", "Left: A, B\nRight: C", "({A,B},{C})"):
        assert parse_groups(text, ("A", "B", "C")) == (("A", "B"), ("C",)), text
    assert parse_groups("{} {A}", ("A",)) == parse_groups("{}, {A}", ("A",)) == ((), ("A",))
    for text in ("", "{A} or {B}", "{A}{X}", "{A}, B", "{{A}", "{A}}"):
        assert parse_groups(text, ("A", "B")) is None, text
    assert is_none("None") and is_none(" no path. ") and not is_none("A") and not is_none("none" * 9)
    assert verify_path("None", graph_of([("None", "A")]), "None", "None").correct  # it is a node here


HOSTILE = ["(" * 100_000, "A->" * 33_000, "{A," * 33_000, "A:" * 50_000, "-" * 100_000, '"' * 100_000, "A B " * 25_000,
           "(A,B)" * 20_000, "A: x, " * 16_000, "[[" * 50_000, "\n" * 100_000, "Path: " * 16_000, "{}" * 50_000,
           "-=" * 50_000, " " * 99_999 + "A", "A, B, C, D, " * 8_000, "[" + "A," * 49_000 + "]",
           "\\to" * 33_000]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_refused_with_little_work(text):
    directed = graph_of([("A", "B"), ("B", "C")], directed=True)
    for judge in (
        lambda: verify_path(text, SQUARE, "A", "C", shortest=True), lambda: verify_hamiltonian(text, SQUARE,
        cycle=True),
        lambda: verify_euler(text, SQUARE), lambda: verify_colouring(text, SQUARE, 2),
        lambda: verify_bipartition(text, SQUARE),
        lambda: verify_node_set(text, SQUARE, "vertex cover", 2), lambda: verify_matching(text, SQUARE, 2),
        lambda: verify_spanning_tree(text, SQUARE), lambda: verify_topological_order(text, directed),
        lambda: verify_isomorphism(text, SQUARE, SQUARE),
    ):  # fmt: skip
        with at_most(millions=10):
            assert not judge().correct


@settings(max_examples=60)
@given(st.text(alphabet="ABCDabcd ->,:=(){}[]|\n\"'.", max_size=40))
def test_any_text_has_a_verdict(text):
    for verdict in (verify_path(text, SQUARE, "A", "C"), verify_euler(text, SQUARE), verify_colouring(text, SQUARE, 2),
                    verify_matching(text, SQUARE, 3), verify_bipartition(text, SQUARE), verify_spanning_tree(text,
                    SQUARE),
                    verify_isomorphism(text, SQUARE, SQUARE)):  # fmt: skip
        assert verdict.correct == (verdict.score == 1)


def test_large_graphs_take_a_moment():
    rng = random.Random(0)
    graph = graph_of([(i, rng.randrange(i), rng.randrange(1, 100)) for i in range(1, 5000)])
    with at_most(millions=10):
        tree = ", ".join(f"{a}-{b}" for a, b in graph.edges)
        assert verify_spanning_tree(tree, graph, minimum=True).correct
        assert verify_path("none", graph, "0", "4999").reason == "there is a path"


def test_questions_that_make_no_sense_are_errors():
    for edges, why in (([("A",)], "neither"), ([("A", "B", 1.5)], "neither"), ([], "no nodes")):
        with pytest.raises(GraphError, match=why):
            graph_of(edges)
    with pytest.raises(GraphError, match="'X'"):
        verify_path("A", SQUARE, "A", "X")
    with pytest.raises(GraphError, match="at least 0"):
        verify_path("A", graph_of([("A", "B", -1)]), "A", "B", shortest=True)
    with pytest.raises(GraphError, match="undirected"):
        verify_spanning_tree("A-B", graph_of([("A", "B")], directed=True))
    with pytest.raises(GraphError, match="directed"):
        verify_topological_order("A, B", SQUARE)
    with pytest.raises(GraphError, match="the other is not"):
        verify_isomorphism("A: A", SQUARE, graph_of([("A", "B")], directed=True))


def test_parallel_edges_and_loops():
    graph = graph_of([("A", "B", 5), ("A", "B", 2), ("A", "A", 1), ("B", "C", 1)])
    assert verify_path("A B C", graph, "A", "C", shortest=True).parts == {"length": 3}
    assert verify_spanning_tree("A-B, B-C", graph, minimum=True).correct
    assert not verify_matching("A-A", graph, 1).correct
    assert not verify_node_set("A", graph, "independent set", 1).correct
    assert verify_node_set("A, B", graph, "clique", 2).correct
    assert not verify_colouring("A: 1, B: 2, C: 3", graph, 3).correct


def test_the_examples_in_the_docstrings_hold():
    for module in (turnwise.verifiers.structures.graph, turnwise.verifiers.structures.listing):
        assert doctest.testmod(module).failed == 0
