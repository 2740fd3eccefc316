"""The graph algorithms against rustworkx, on random graphs."""

from __future__ import annotations

from itertools import pairwise

import rustworkx
from hypothesis import given
from hypothesis import strategies as st

from fsmc.analysis.algorithms import (
    START,
    UNSEEN,
    breadth_first,
    path,
    reverse,
    shortest_way,
    strong_components,
    topological_order,
)
from fsmc.analysis.dominators import NONE, immediate_dominators


@st.composite
def graphs(draw: st.DrawFn) -> list[list[int]]:
    """Up to fourteen nodes, from a few edges to many, self-loops and parallel edges included."""
    count = draw(st.integers(1, 14))
    nodes = st.integers(0, count - 1)
    edges = draw(st.lists(st.tuples(nodes, nodes), max_size=3 * count))
    successors: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        successors[source].append(target)
    return successors


def oracle(successors: list[list[int]]) -> rustworkx.PyDiGraph:
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(len(successors)))
    graph.add_edges_from_no_data([(source, target) for source, row in enumerate(successors) for target in row])
    return graph


def distances(graph: rustworkx.PyDiGraph, start: int) -> dict[int, int]:
    """Steps from *start* to every node that can be reached from it, *start* left out unless it has a way back."""
    return {
        node: int(steps) for node, steps in rustworkx.dijkstra_shortest_path_lengths(graph, start, lambda _: 1).items()
    }


def is_walk(successors: list[list[int]], nodes: list[int]) -> bool:
    return all(target in successors[source] for source, target in pairwise(nodes))


@given(graphs())
def test_breadth_first_meets_every_node_on_a_shortest_way(successors: list[list[int]]) -> None:
    order, came_from = breadth_first(successors, [0])
    expected = {0: 0} | {node: steps for node, steps in distances(oracle(successors), 0).items() if node != 0}
    assert set(order) == set(expected)
    assert [expected[node] for node in order] == sorted(expected.values())
    assert came_from[0] == START
    for node in range(len(successors)):
        assert (came_from[node] == UNSEEN) == (node not in expected)
        if node in expected:
            way = path(came_from, node)
            assert way[0] == 0 and way[-1] == node and len(way) == expected[node] + 1
            assert is_walk(successors, way)


@given(graphs())
def test_components_are_those_of_rustworkx_and_come_after_what_they_lead_to(successors: list[list[int]]) -> None:
    groups = strong_components(successors)
    assert {frozenset(group) for group in groups} == {
        frozenset(group) for group in rustworkx.strongly_connected_components(oracle(successors))
    }
    position = {node: number for number, group in enumerate(groups) for node in group}
    assert all(position[target] <= position[source] for source, row in enumerate(successors) for target in row)


@given(graphs())
def test_there_is_a_topological_order_exactly_without_cycles(successors: list[list[int]]) -> None:
    order = topological_order(successors)
    assert (order is not None) == rustworkx.is_directed_acyclic_graph(oracle(successors))
    if order is not None:
        assert sorted(order) == list(range(len(successors)))
        position = {node: number for number, node in enumerate(order)}
        assert all(position[source] < position[target] for source, row in enumerate(successors) for target in row)


@given(graphs())
def test_dominators_are_those_of_rustworkx(successors: list[list[int]]) -> None:
    expected = rustworkx.immediate_dominators(oracle(successors), 0)
    found = immediate_dominators(successors, 0)
    assert {node: above for node, above in enumerate(found) if above != NONE} == {
        node: above for node, above in expected.items() if node != 0
    }


@given(graphs(), st.data())
def test_a_shortest_cycle_is_one(successors: list[list[int]], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(successors) - 1))
    steps_back = [
        distances(oracle(successors), target).get(start, 0 if target == start else None) for target in successors[start]
    ]
    expected = min((steps + 1 for steps in steps_back if steps is not None), default=None)
    expected = 1 if start in successors[start] else expected
    found = shortest_way(successors, start, start, range(len(successors)))
    if found is None:
        assert expected is None
    else:
        assert found[0] == found[-1] == start and is_walk(successors, found)
        assert len(found) - 1 == expected


@given(graphs(), st.data())
def test_a_cycle_stays_inside_the_nodes_given(successors: list[list[int]], data: st.DataObject) -> None:
    inside = data.draw(st.sets(st.integers(0, len(successors) - 1), min_size=1))
    start = min(inside)
    found = shortest_way(successors, start, start, inside)
    within = oracle(successors)
    within.remove_nodes_from([node for node in range(len(successors)) if node not in inside])
    component = next(set(group) for group in rustworkx.strongly_connected_components(within) if start in group)
    assert (found is not None) == (len(component) > 1 or start in successors[start])
    assert found is None or set(found) <= component


@given(graphs())
def test_turning_round_twice_changes_nothing(successors: list[list[int]]) -> None:
    again = reverse(reverse(successors))
    assert [sorted(row) for row in again] == [sorted(row) for row in successors]


def test_long_chains_need_no_recursion() -> None:
    count = 50_000
    ring = [[(node + 1) % count] for node in range(count)]
    assert len(strong_components(ring)) == 1
    assert immediate_dominators(ring, 0)[1:] == list(range(count - 1))
    assert topological_order(ring) is None


def test_dominators_stay_fast_where_every_node_leads_back_to_the_beginning() -> None:
    """The graph on which the iterative algorithm is quadratic."""
    count = 20_000
    successors = [[1], *([node + 1, 1] for node in range(1, count - 1)), [1]]
    assert immediate_dominators(successors, 0) == [NONE, *range(count - 1)]
