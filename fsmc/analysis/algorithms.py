"""Textbook algorithms over numbered nodes: ``successors[i]`` lists the nodes that node *i* leads to.

All of them are iterative and linear in nodes plus edges. Parallel edges and self-loops are fine.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

Successors = Sequence[Sequence[int]]

UNSEEN = -2
START = -1


def reverse(successors: Successors) -> list[list[int]]:
    """The same graph with every edge turned round."""
    predecessors: list[list[int]] = [[] for _ in successors]
    for node, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(node)
    return predecessors


def breadth_first(successors: Successors, starts: Iterable[int]) -> tuple[list[int], list[int]]:
    """The nodes in order of their distance from *starts*, and for every node where it was first met from.

    That is ``START`` for the starts themselves and ``UNSEEN`` for what cannot be reached. Moore, "The shortest path
    through a maze", 1959.
    """
    came_from = [UNSEEN] * len(successors)
    order: list[int] = []
    for start in starts:
        if came_from[start] == UNSEEN:
            came_from[start] = START
            order.append(start)
    for node in order:
        for target in successors[node]:
            if came_from[target] == UNSEEN:
                came_from[target] = node
                order.append(target)
    return order, came_from


def path(came_from: Sequence[int], node: int) -> list[int]:
    """The nodes from a start to *node*, as ``breadth_first`` met it."""
    nodes = [node]
    while came_from[nodes[-1]] >= 0:
        nodes.append(came_from[nodes[-1]])
    return nodes[::-1]


def shortest_way(successors: Successors, start: int, end: int, inside: Container[int]) -> list[int] | None:
    """The nodes of a shortest way of at least one edge from *start* to *end*, which may be the same, through nodes of
    *inside*.

    None when there is none.
    """
    came_from = {start: START}
    queue = [start]
    for node in queue:
        for target in successors[node]:
            if target == end:
                nodes = [end, node]
                while came_from[nodes[-1]] != START:
                    nodes.append(came_from[nodes[-1]])
                return nodes[::-1]
            if target in inside and target not in came_from:
                came_from[target] = node
                queue.append(target)
    return None


def topological_order(successors: Successors) -> list[int] | None:
    """The nodes, each before those it leads to; None when there is a cycle.

    Kahn, "Topological sorting of large networks", Communications of the ACM 5(11), 1962.
    """
    waiting = [0] * len(successors)
    for targets in successors:
        for target in targets:
            waiting[target] += 1
    order = [node for node, count in enumerate(waiting) if not count]
    for node in order:
        for target in successors[node]:
            waiting[target] -= 1
            if not waiting[target]:
                order.append(target)
    return order if len(order) == len(successors) else None


def strong_components(successors: Successors) -> list[list[int]]:
    """The strongly connected components, each after those it leads to.

    Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1(2), 1972, with a stack of
    iterators in place of the recursion.
    """
    number = [0] * len(successors)  # of the visit, from 1; 0 is not visited
    low = [0] * len(successors)
    closed = [False] * len(successors)
    groups: list[list[int]] = []
    open_nodes: list[int] = []
    clock = 0
    for root in range(len(successors)):
        if number[root]:
            continue
        clock += 1
        number[root] = low[root] = clock
        open_nodes.append(root)
        work = [(root, iter(successors[root]))]
        while work:
            node, rest = work[-1]
            for target in rest:
                if not number[target]:
                    clock += 1
                    number[target] = low[target] = clock
                    open_nodes.append(target)
                    work.append((target, iter(successors[target])))
                    break
                if number[target] < low[node] and not closed[target]:
                    low[node] = number[target]
            else:
                work.pop()
                if work and low[node] < low[work[-1][0]]:
                    low[work[-1][0]] = low[node]
                if low[node] == number[node]:
                    groups.append(_cut(open_nodes, node, closed))
    return groups


def _cut(open_nodes: list[int], root: int, closed: list[bool]) -> list[int]:
    """Take the component of *root* off the stack of open nodes."""
    group: list[int] = []
    while not closed[root]:
        member = open_nodes.pop()
        closed[member] = True
        group.append(member)
    return group
