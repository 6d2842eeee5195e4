"""Judge answers about graphs: the certificate is checked against the graph, never compared with a stored solution.

Nodes are named by strings. If the graph has no solution and that can be decided quickly (paths, Euler trails,
topological orders, bipartitions), the right answer is "none". With ``partial=True`` a valid certificate that is not
good enough earns the ratio of its size to the required one, always below 1; an invalid one earns 0.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

from turnwise.verifiers.structures.listing import is_none, parse_groups, parse_mapping, parse_names, parse_pairs
from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = [
    "Graph", "GraphError", "graph_of", "graph_of_matrix", "shortest_length", "verify_bipartition", "verify_colouring",
    "verify_euler", "verify_hamiltonian", "verify_isomorphism", "verify_matching", "verify_node_set", "verify_path",
    "verify_spanning_tree", "verify_topological_order",
]  # fmt: skip

_NO_WALK = "the answer must be a list of nodes such as A -> B"
NodeSet = Literal["clique", "independent set", "vertex cover", "dominating set"]


class GraphError(ValueError):
    """An invalid graph, or an invalid question about it."""


class Graph(NamedTuple):
    """Nodes, edges between them (parallel edges and loops are allowed), and each edge's weight; see `graph_of`."""

    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    weights: tuple[int, ...]
    directed: bool = False


def graph_of(edges: Iterable[Sequence[str | int]], nodes: Iterable[str | int] = (), *, directed: bool = False) -> Graph:
    """Return a graph from its edges, ``(a, b)`` or ``(a, b, weight)``; nodes without edges must be named.

    Raises:
        GraphError: An edge is something else, or a weight is not a whole number.

    >>> graph_of([("A", "B", 3), ("B", "C", 1)]).nodes
    ('A', 'B', 'C')
    """
    ends, weights = [], []
    names = dict.fromkeys(map(str, nodes))
    for edge in edges:
        if len(edge) not in (2, 3) or (len(edge) == 3 and type(edge[2]) is not int):
            raise GraphError(f"the edge {edge!r} is neither (node, node) nor (node, node, whole number)")
        a, b = str(edge[0]), str(edge[1])
        names |= {a: None, b: None}
        ends.append((a, b))
        weights.append(int(edge[2]) if len(edge) == 3 else 1)
    if not names:
        raise GraphError("the graph has no nodes")
    return Graph(tuple(names), tuple(ends), tuple(weights), directed)


def graph_of_matrix(matrix: Sequence[Sequence[int]], nodes: Sequence[str | int] | None = None) -> Graph:
    """Return the complete directed graph with these distances, named 0, 1, ... if no names are given.

    Raises:
        GraphError: The matrix is not square, or does not fit the names.
    """
    names = [*map(str, range(len(matrix)) if nodes is None else nodes)]
    if any(len(row) != len(matrix) for row in matrix) or len(names) != len(matrix):
        raise GraphError(f"a matrix of {len(matrix)} rows for {len(names)} nodes is not square or does not fit")
    cells = [(a, b, matrix[i][j]) for i, a in enumerate(names) for j, b in enumerate(names) if i != j]
    return graph_of(cells, names, directed=True)


@lru_cache(maxsize=64)
def _arcs(graph: Graph) -> dict[str, dict[str, int]]:
    """Map each node to the targets of its edges, with the least weight."""
    arcs: dict[str, dict[str, int]] = {node: {} for node in graph.nodes}
    for (a, b), weight in zip(graph.edges, graph.weights, strict=True):
        for x, y in ((a, b),) if graph.directed else ((a, b), (b, a)):
            arcs[x][y] = min(weight, arcs[x].get(y, weight))
    return arcs


def _key(graph: Graph, a: str, b: str) -> tuple[str, str]:
    return (a, b) if graph.directed or a <= b else (b, a)


def _walk_length(graph: Graph, walk: Sequence[str]) -> int | str:
    """Return the sum of the weights along a walk, or the step that is not an edge."""
    arcs = _arcs(graph)
    missing = next(((a, b) for a, b in pairwise(walk) if b not in arcs[a]), None)
    if missing is not None:
        return f"there is no edge from {missing[0]} to {missing[1]}"
    return sum(arcs[a][b] for a, b in pairwise(walk))


def _judged(value: object, size: int, target: int | None, what: str, partial: bool, *, most: bool = True) -> Verdict:
    """Return the verdict on a valid certificate, by whether its size is at most (or at least) the target."""
    parts = {what: float(size)}
    if target is None or (size <= target if most else size >= target):
        return right(value, parts)
    small, large = min(size, target), max(size, target)
    score = max(0.0, min(small / large, 1 - 1e-9)) if partial and large > 0 else 0.0
    return wrong(f"the {what} is {size}; it must be at {'most' if most else 'least'} {target}", value, score, parts)


# ---- walks --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def shortest_length(graph: Graph, start: str, end: str) -> int | None:
    """Return the least weight of a path, or None if there is no path.

    Raises:
        GraphError: A weight is negative, or a node is not there.
    """
    if start not in graph.nodes or end not in graph.nodes:
        raise GraphError(f"start is {start!r} and end is {end!r}; the graph has {', '.join(graph.nodes[:20])}")
    if min(graph.weights, default=0) < 0:
        raise GraphError("shortest paths need weights of at least 0")
    arcs = _arcs(graph)
    best = {start: 0}
    queue = [(0, start)]
    while queue:
        length, node = heapq.heappop(queue)
        if node == end:
            return length
        if length == best[node]:
            for other, weight in arcs[node].items():
                if length + weight < best.get(other, length + weight + 1):
                    best[other] = length + weight
                    heapq.heappush(queue, (length + weight, other))
    return None


def verify_path(
    text: str, graph: Graph, start: str, end: str, *, shortest: bool = False, max_length: int | None = None,
    simple: bool = True, partial: bool = False,
) -> Verdict:  # fmt: skip
    """Judge whether the text is a path from ``start`` to ``end``, as nodes in order, or correctly says "none".

    Args:
        text: For example ``A -> B -> C``.
        graph: The graph.
        start: The first node.
        end: The last node.
        shortest: Whether no path may have less weight; weights must then not be negative.
        max_length: The most weight it may have.
        simple: Whether no node may be repeated.
        partial: See the module.

    Raises:
        GraphError: The graph lacks a node, or has negative weights where they are not allowed.

    >>> graph = graph_of([("A", "B", 1), ("B", "C", 1), ("A", "C", 3)])
    >>> verify_path("A-B-C", graph, "A", "C", shortest=True).correct
    True
    >>> verify_path("A-C", graph, "A", "C", shortest=True).reason
    'the length is 3; it must be at most 2'
    """
    if not {start, end} <= set(graph.nodes):
        raise GraphError(f"start is {start!r} and end is {end!r}; the graph has {', '.join(graph.nodes[:20])}")
    target = shortest_length(graph, start, end) if shortest else None
    path = parse_names(text, graph.nodes)
    if not path:
        if is_none(text):
            joined = shortest_length(graph._replace(weights=(0,) * len(graph.edges)), start, end) is not None
            return wrong("there is a path", ()) if joined else right(())
        return wrong(_NO_WALK)
    if (path[0], path[-1]) != (start, end):
        return wrong(f"it leads from {path[0]} to {path[-1]}, not from {start} to {end}", path)
    if simple and len(set(path)) < len(path):
        return wrong("it comes to a node twice", path)
    length = _walk_length(graph, path)
    if isinstance(length, str):
        return wrong(length, path)
    if max_length is not None:
        target = max_length if target is None else min(target, max_length)
    return _judged(path, length, target, "length", partial)


def verify_hamiltonian(
    text: str, graph: Graph, *, cycle: bool = False, max_length: int | None = None, partial: bool = False
) -> Verdict:
    """Judge whether the text is a path, or a cycle, through every node once; with ``max_length`` a salesman's tour.

    A cycle may name its first node again at the end, and may start anywhere.

    Raises:
        GraphError: A cycle through fewer than three nodes (two where edges are directed) is asked for.

    >>> square = graph_of([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> verify_hamiltonian("[0, 1, 2, 3, 0]", square, cycle=True).correct, verify_hamiltonian("0 2 1 3", square).correct
    (True, False)
    """
    if cycle and len(graph.nodes) < (2 if graph.directed else 3):
        raise GraphError(f"there are no cycles through {len(graph.nodes)} nodes")
    walk = parse_names(text, graph.nodes)
    if not walk:
        return wrong(_NO_WALK)
    if cycle and walk[-1] != walk[0]:
        walk = (*walk, walk[0])
    counts = Counter(walk[:-1] if cycle else walk)
    odd = next((node for node in graph.nodes if counts[node] != 1), None)
    if odd is not None:
        return wrong(f"it comes to {odd} {counts[odd]} times", walk)
    length = _walk_length(graph, walk)
    return wrong(length, walk) if isinstance(length, str) else _judged(walk, length, max_length, "length", partial)


def verify_euler(text: str, graph: Graph, *, circuit: bool = False) -> Verdict:
    """Judge whether the text is a walk along every edge once, given by its nodes, or correctly says that there is none.

    >>> verify_euler("A B C A", graph_of([("A", "B"), ("B", "C"), ("C", "A")]), circuit=True).correct
    True
    """
    walk = parse_names(text, graph.nodes)
    if not walk:
        if is_none(text):
            return wrong("there is one", ()) if _has_euler_trail(graph, circuit) else right(())
        return wrong(_NO_WALK)
    if circuit and walk[0] != walk[-1]:
        return wrong(f"it begins at {walk[0]} and ends at {walk[-1]}", walk)
    left = Counter(_key(graph, a, b) for a, b in graph.edges)
    left.subtract(_key(graph, a, b) for a, b in pairwise(walk))
    odd = next((edge for edge, count in left.items() if count), None)
    if odd is not None:
        times = "more often than it is there" if left[odd] < 0 else "too seldom"
        return wrong(f"it takes the edge from {odd[0]} to {odd[1]} {times}", walk)
    return right(walk)


def _has_euler_trail(graph: Graph, circuit: bool) -> bool:
    """By the degrees and by connectedness (Euler 1736; Hierholzer 1873)."""
    balance: Counter[str] = Counter()
    for a, b in graph.edges:
        balance[a] += 1
        balance[b] += -1 if graph.directed else 1
    if graph.directed:
        odd = sorted(x for x in balance.values() if x)
        even = not odd or (odd == [-1, 1] and not circuit)
    else:
        even = sum(x % 2 for x in balance.values()) in ((0,) if circuit else (0, 2))
    parents = _components(graph.edges)
    return even and len({_find(parents, a) for a, _ in graph.edges}) <= 1


def _components(edges: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return a forest of parents in which two nodes have the same root (`_find`) exactly when edges connect them."""
    parents: dict[str, str] = {}
    for a, b in edges:
        parents[_find(parents, a)] = _find(parents, b)
    return parents


def _find(parents: dict[str, str], node: str) -> str:
    while (parent := parents.setdefault(node, node)) != node:
        parents[node] = node = parents.setdefault(parent, parent)
    return node


# ---- sets, colours, orders ----------------------------------------------------------------------------------------


def verify_colouring(text: str, graph: Graph, num_colours: int) -> Verdict:
    """Judge whether the text gives each node one of at most ``num_colours`` colours, other than its neighbours'.

    The part "proper" is the share of edges with different colours at their ends.

    >>> verify_colouring("A: red, B: blue, C: red", graph_of([("A", "B"), ("B", "C")]), 2).correct
    True
    """
    colours = parse_mapping(text, graph.nodes)
    if colours is None:
        return wrong("the answer must give each node a colour once, such as A: red, B: blue")
    if len(colours) < len(graph.nodes):
        return wrong(f"{next(x for x in graph.nodes if x not in colours)} has no colour", colours)
    used = len(set(colours.values()))
    clashes = [edge for edge in graph.edges if colours[edge[0]] == colours[edge[1]]]
    parts = {"proper": 1 - len(clashes) / len(graph.edges) if graph.edges else 1.0}
    if clashes:
        return wrong(f"{clashes[0][0]} and {clashes[0][1]} have the same colour", colours, parts=parts)
    if used > num_colours:
        return wrong(f"it uses {used} colours; {num_colours} are allowed", colours, parts=parts)
    return right(colours, parts)


def verify_node_set(text: str, graph: Graph, kind: NodeSet, size: int, *, partial: bool = False) -> Verdict:
    """Judge whether the text is a node set of a kind, with at least (covers, dominating sets: at most) ``size`` nodes.

    Edges count in both directions; an edge from a node to itself keeps it out of independent sets and no clique.

    >>> path = graph_of([("A", "B"), ("B", "C")])
    >>> verify_node_set("{A, C}", path, "independent set", 2).correct
    True
    >>> verify_node_set("A", path, "vertex cover", 1).reason
    'neither B nor C is there'
    """
    if kind not in get_args(NodeSet):
        raise GraphError(f"kind is {kind!r}; it must be one of {', '.join(get_args(NodeSet))}")
    found = parse_names(text, graph.nodes)
    if found is None:
        return wrong("the answer must be a list of nodes such as {A, B}")
    chosen = set(found)
    if len(chosen) < len(found):
        return wrong("it names a node twice", found)
    near: dict[str, set[str]] = {node: set() for node in graph.nodes}
    for a, b in graph.edges:
        near[a].add(b)
        near[b].add(a)
    if kind == "clique":
        bad = next((f"{a} and its fellows are not all joined" for a in found if not chosen <= near[a] | {a}), "")
    elif kind == "independent set":
        bad = next((f"{a} and {b} are joined" for a, b in graph.edges if a in chosen and b in chosen), "")
    elif kind == "vertex cover":
        bad = next((f"neither {a} nor {b} is there" for a, b in graph.edges if not (a in chosen or b in chosen)), "")
    else:
        far = (x for x in graph.nodes if x not in chosen and chosen.isdisjoint(near[x]))
        bad = next((f"neither {x} nor a neighbour of it is there" for x in far), "")
    if bad:
        return wrong(bad, found)
    return _judged(found, len(found), size, "size", partial, most=kind in ("vertex cover", "dominating set"))


def verify_matching(text: str, graph: Graph, size: int, *, partial: bool = False) -> Verdict:
    """Judge whether the text lists at least ``size`` edges, no two of which share a node.

    >>> verify_matching("{(A,B), (C,D)}", graph_of([("A", "B"), ("B", "C"), ("C", "D")]), 2).correct
    True
    """
    pairs = _edges(text, graph)
    if isinstance(pairs, Verdict):
        return pairs
    ends = [node for pair in pairs for node in pair]
    if len(set(ends)) < len(ends):
        return wrong("two of the edges share a node", pairs)
    return _judged(pairs, len(pairs), size, "size", partial, most=False)


def _edges(text: str, graph: Graph) -> tuple[tuple[str, str], ...] | Verdict:
    pairs = parse_pairs(text, graph.nodes)
    if pairs is None:
        return wrong("the answer must be a list of edges such as (A, B), (B, C)")
    there = {_key(graph, a, b) for a, b in graph.edges}
    odd = next(((a, b) for a, b in pairs if _key(graph, a, b) not in there), None)
    return pairs if odd is None else wrong(f"there is no edge from {odd[0]} to {odd[1]}", pairs)


def verify_spanning_tree(
    text: str, graph: Graph, *, minimum: bool = False, max_weight: int | None = None, partial: bool = False
) -> Verdict:
    """Judge whether the text lists the edges of a spanning tree, of least weight or of at most ``max_weight`` if asked.

    Raises:
        GraphError: The graph is directed or not connected.

    >>> verify_spanning_tree("A-B, B-C", graph_of([("A", "B", 1), ("B", "C", 2), ("A", "C", 3)]), minimum=True).correct
    True
    """
    if graph.directed:
        raise GraphError("spanning trees are those of undirected graphs")
    least = _tree_weight(graph)
    pairs = _edges(text, graph)
    if isinstance(pairs, Verdict):
        return pairs
    if len(pairs) != len(graph.nodes) - 1:
        return wrong(f"it has {len(pairs)} edges; a spanning tree has {len(graph.nodes) - 1}", pairs)
    parents = _components(pairs)
    if len({_find(parents, node) for node in graph.nodes}) > 1:
        return wrong("its edges do not connect all nodes", pairs)
    arcs = _arcs(graph)
    targets = [x for x in (least if minimum else None, max_weight) if x is not None]
    return _judged(pairs, sum(arcs[a][b] for a, b in pairs), min(targets, default=None), "weight", partial)


@lru_cache(maxsize=64)
def _tree_weight(graph: Graph) -> int:
    """Return the weight of a minimum spanning tree (Kruskal 1956)."""
    parents: dict[str, str] = {}
    total, joined = 0, 1
    for weight, (a, b) in sorted(zip(graph.weights, graph.edges, strict=True)):
        if (x := _find(parents, a)) != (y := _find(parents, b)):
            parents[x] = y
            total, joined = total + weight, joined + 1
    if joined < len(graph.nodes):
        raise GraphError("the graph is not connected: it has no spanning tree")
    return total


def verify_topological_order(text: str, graph: Graph) -> Verdict:
    """Judge whether the text lists all nodes, each before the targets of its edges, or correctly says "none".

    Raises:
        GraphError: The graph is undirected.

    >>> verify_topological_order("A, B, C", graph_of([("A", "B"), ("B", "C")], directed=True)).correct
    True
    """
    if not graph.directed:
        raise GraphError("topological orders are those of directed graphs")
    order = parse_names(text, graph.nodes)
    if order is None and is_none(text):
        return wrong("there is one", ()) if _is_acyclic(graph) else right(())
    if order is None or len(order) != len(graph.nodes) or len(set(order)) < len(order):
        return wrong("the answer must list every node once", order or None)
    place = {node: i for i, node in enumerate(order)}
    bad = next(((a, b) for a, b in graph.edges if place[a] >= place[b]), None)
    return right(order) if bad is None else wrong(f"{bad[0]} must come before {bad[1]}", order)


def _is_acyclic(graph: Graph) -> bool:
    """Test by removing nodes without incoming edges (Kahn 1962)."""
    arcs = _arcs(graph)
    degrees = Counter(b for targets in arcs.values() for b in targets)
    free = [node for node in graph.nodes if not degrees[node]]
    for node in free:
        for other in arcs[node]:
            degrees[other] -= 1
            if not degrees[other]:
                free.append(other)
    return len(free) == len(graph.nodes)


def verify_bipartition(text: str, graph: Graph) -> Verdict:
    """Judge whether the text divides the nodes into two groups without inner edges, or correctly says "none".

    >>> verify_bipartition("{A, C}, {B}", graph_of([("A", "B"), ("B", "C")])).correct
    True
    """
    groups = parse_groups(text, graph.nodes)
    if groups is None and is_none(text):
        return wrong("there is one", ()) if _is_bipartite(graph) else right(())
    if groups is None or len(groups) != 2:
        return wrong("the answer must be two groups of nodes such as {A, B}, {C}")
    if Counter(node for group in groups for node in group) != Counter(graph.nodes):
        return wrong("every node must be in one of the groups, once", groups)
    first = set(groups[0])
    bad = next(((a, b) for a, b in graph.edges if (a in first) == (b in first)), None)
    return right(groups) if bad is None else wrong(f"{bad[0]} and {bad[1]} are joined", groups)


def _is_bipartite(graph: Graph) -> bool:
    """Test by joining each node's one side with its neighbours' other side: no node may be joined with itself."""
    parents = _components(pair for a, b in graph.edges for pair in ((f"0{a}", f"1{b}"), (f"1{a}", f"0{b}")))
    return all(_find(parents, f"0{node}") != _find(parents, f"1{node}") for node in graph.nodes)


def verify_isomorphism(text: str, first: Graph, second: Graph) -> Verdict:
    """Judge whether the text maps the nodes of one graph to those of the other so that the edges and weights agree.

    >>> first, second = graph_of([("A", "B"), ("B", "C")]), graph_of([("x", "y"), ("x", "z")])
    >>> verify_isomorphism("A: y, B: x, C: z", first, second).correct
    True
    """
    if first.directed != second.directed:
        raise GraphError("one graph is directed and the other is not")
    mapping = parse_mapping(text, first.nodes, second.nodes)
    if mapping is None:
        return wrong("the answer must give each node of the first graph one of the second, such as A: x, B: y")
    if len(mapping) < len(first.nodes) or set(mapping.values()) != set(second.nodes):
        return wrong("every node of either graph must be there once", mapping)
    there = Counter((_key(second, a, b), w) for (a, b), w in zip(second.edges, second.weights, strict=True))
    edges = zip(first.edges, first.weights, strict=True)
    there.subtract((_key(second, mapping[a], mapping[b]), w) for (a, b), w in edges)
    odd = next((edge for (edge, _), count in there.items() if count), None)
    return right(mapping) if odd is None else wrong(f"the edges between {odd[0]} and {odd[1]} do not agree", mapping)
