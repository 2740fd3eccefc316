"""Facts about policies against the table that is compiled from them: what the analysis calls a move, the runtime can
make.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fsmc.analysis import Facts, Move
from fsmc.compiler import compile_policy
from fsmc.policy.build import build
from fsmc.policy.model import Policy
from fsmc.runtime.infos import Step
from fsmc.runtime.table import Table
from fsmc.source import parse

GUARDS = ("g1", "g2")
EVENTS = ("E", "F", "G")


@st.composite
def policies(draw: st.DrawFn, topologies: tuple[str, ...] = ("cyclic",)) -> dict[str, Any]:
    """Policies without wrong names and shadowed transitions; terminal states without exits, bounds with a way on or
    without.
    """
    names = [f"S{number}" for number in range(draw(st.integers(1, 7)))]
    target = st.sampled_from(names)
    topology = draw(st.sampled_from(topologies))
    candidate = st.tuples(st.sampled_from(EVENTS), target, st.sampled_from((None, *GUARDS)))

    def transitions(most: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for event, to, guard in draw(st.lists(candidate, max_size=0 if topology == "open" else most)):
            before = [each.get("guard") for each in found if each["event"] == event]
            if None not in before and guard not in before:
                found.append({"event": event, "target": to, **({} if guard is None else {"guard": guard})})
        return found

    states: dict[str, Any] = {}
    for name in names:
        if draw(st.integers(0, 4)) == 0:
            states[name] = {"type": "terminal"}
            continue
        state: dict[str, Any] = {"transitions": transitions(4)}
        if draw(st.booleans()):
            state["tools"] = ["t"]
            if draw(st.booleans()):
                state["tool_budget"] = {"limit": 1, "fallback": draw(target)}
        if draw(st.integers(0, 3)) == 0:
            state["max_visits"] = 1
            if draw(st.booleans()):
                state["on_exhausted"] = draw(target)
        states[name] = state
    return {
        "fsmc": 1, "id": "x", "initial": "S0", "topology": topology, "tools": {"t": {}},
        "guards": {guard: {"external": True} for guard in GUARDS},
        "defaults": {"transitions": transitions(1)}, "states": states,
    }  # fmt: skip


def model(data: dict[str, Any]) -> tuple[Policy, Facts, Table]:
    policy = build(parse(json.dumps(data).encode(), "policy.json"))
    return policy, Facts(policy), Table(compile_policy(policy))


def make(table: Table, move: Move) -> Step:
    """Make *move* on the table, with the guards and counters that it needs."""
    facts = {"visits": dict.fromkeys(move.spent, 10**6)}
    if move.kind == "request":
        return table.request(move.source, move.target, facts)
    if move.event is None:
        budget = table.states[move.source].budget
        assert budget is not None and budget.fallback is not None
        return table.enter(move.source, "", budget.fallback, facts, "fallback")
    wanted = move.node.get("guard") if move.kind != "exhausted" else None
    for chosen in (wanted, *GUARDS, None):
        step = table.step(move.source, move.event, facts, {guard: guard == chosen for guard in GUARDS})
        if (step.target, step.kind) == (move.target, move.kind):
            return step
    return step


def every_step(table: Table, state: str) -> set[str]:
    """Where the runtime can go from *state* in one move, whatever guards, counters and budgets say."""
    info = table.states[state]
    reached: set[str] = set()

    def landings(start: Any) -> None:
        spent: set[str] = set()
        while (step := start({"visits": dict.fromkeys(spent, 10**6)})).moved and step.target not in spent:
            reached.add(step.target)
            spent.add(step.target)

    for event in table.events_of(state):
        for chosen in (None, *GUARDS):
            answers = {guard: guard == chosen for guard in GUARDS}
            landings(lambda facts, event=event, answers=answers: table.step(state, event, facts, answers))
    if info.budget is not None and info.budget.fallback not in (None, state) and info.tools:
        fallback = info.budget.fallback
        landings(lambda facts: table.enter(state, "", fallback, facts, "fallback"))
    if table.topology == "open" and not info.terminal:
        reached.update(table.states)
    return reached


def closure(table: Table, state: str) -> set[str]:
    found, queue = {state}, [state]
    for here in queue:
        for target in every_step(table, here) - found:
            found.add(target)
            queue.append(target)
    return found


@settings(deadline=None)
@given(policies(("dag", "cyclic", "open")))
def test_reachable_is_what_the_runtime_can_reach(data: dict[str, Any]) -> None:
    policy, facts, table = model(data)
    assert facts.reachable == closure(table, policy.initial)
    assert facts.finishing == {
        name for name in policy.states if any(table.states[s].terminal for s in closure(table, name))
    }


@settings(deadline=None)
@given(policies(("dag", "cyclic", "open")))
def test_every_move_is_one_that_the_table_makes(data: dict[str, Any]) -> None:
    policy, facts, table = model(data)
    for name in policy.states:
        moves = facts.moves(name)
        assert [facts.graph.index[move.target] for move in moves] == facts.graph.successors[facts.graph.index[name]][
            : len(moves)
        ]
        for move in moves:
            step = make(table, move)
            assert step.moved and step.target == move.target and step.kind == move.kind, move


@settings(deadline=None)
@given(policies(("dag", "cyclic", "open")))
def test_paths_replay_on_the_table(data: dict[str, Any]) -> None:
    policy, facts, table = model(data)
    for name in policy.states:
        path = facts.path_to(name)
        assert (path is None) == (name not in facts.reachable)
        state = policy.initial
        for move in path or ():
            assert move.source == state
            step = make(table, move)
            assert step.moved
            state = step.target or ""
        assert path is None or state == name


@settings(deadline=None)
@given(policies())
def test_cycles_groups_and_order_agree(data: dict[str, Any]) -> None:
    _, facts, table = model(data)
    for group in facts.components:
        assert all(set(group) <= closure(table, name) for name in group)
    cycles = facts.cycles()
    assert facts.acyclic == (not cycles)
    assert {frozenset(group) for group in facts.components if len(group) > 1} <= set(cycles)
    for cycle in cycles:
        round_trip = facts.shortest_cycle(cycle)
        assert round_trip[0].source == round_trip[-1].target
        assert {move.source for move in round_trip} <= cycle
        assert all(make(table, move).target == move.target for move in round_trip)
    for cycle in facts.cycles(without=facts.bounded):
        assert not cycle & facts.bounded


@settings(deadline=None)
@given(policies(("dag", "cyclic", "open")))
def test_a_dominator_is_what_cannot_be_gone_round(data: dict[str, Any]) -> None:
    policy, facts, table = model(data)
    steps = {name: every_step(table, name) for name in policy.states}
    for name in facts.reachable:
        above = set(facts.dominators(name))
        for other in facts.reachable:
            without = {name: targets - {other} for name, targets in steps.items()}
            reached, queue = {policy.initial} - {other}, [policy.initial] if policy.initial != other else []
            for here in queue:
                for target in without[here] - reached:
                    reached.add(target)
                    queue.append(target)
            assert (other in above) == (name not in reached)


@settings(deadline=None)
@given(policies(("dag", "cyclic")))
def test_unreachable_regions_are_covered_by_where_they_begin(data: dict[str, Any]) -> None:
    policy, facts, table = model(data)
    missing = policy.states.keys() - facts.reachable
    begun = [name for group in facts.unreachable_groups for name in group]
    assert set(begun) <= missing and len(begun) == len(set(begun))
    behind = set().union(*(closure(table, name) for name in begun))
    assert missing <= behind
    for group in facts.unreachable_groups:
        assert all(name in group or not every_step(table, name) & set(group) for name in policy.states)


@settings(deadline=None)
@given(policies(("cyclic",)))
def test_traps_and_dead_ends_explain_every_state_that_cannot_end(data: dict[str, Any]) -> None:
    _, facts, table = model(data)
    stuck = facts.reachable - facts.finishing
    for name in stuck if facts.terminals else ():
        assert closure(table, name) & {*facts.trapped, *facts.dead_ends}
    for group in facts.traps:
        assert closure(table, group[0]) == set(group)


@settings(deadline=None)
@given(policies(("dag", "cyclic")), st.data())
def test_what_was_raised_before(data: dict[str, Any], random: st.DataObject) -> None:
    data["tools"] = {name: {"emits": [{"event": f"from {name}"}]} for name in ("t", "u", "v")}
    for state in data["states"].values():
        if "tools" in state:
            state["tools"] = random.draw(st.lists(st.sampled_from(["t", "u", "v"]), min_size=1, unique=True))
    policy, facts, table = model(data)
    raised = facts.raised_before(["from t", "from u"])
    for name in facts.reachable:
        before = [other for other in facts.reachable if name in closure(table, other)]
        expected = {f"from {tool}" for other in before for tool in policy.states[other].tools if tool != "v"}
        assert raised[name] == expected


def test_traces_are_told_as_moves() -> None:
    data = {
        "fsmc": 1, "id": "x", "initial": "A", "topology": "cyclic", "tools": {"t": {}},
        "states": {
            "A": {"tools": ["t"], "tool_budget": {"limit": 1, "fallback": "B"}},
            "B": {"max_visits": 1, "on_exhausted": "C", "transitions": [{"event": "GO", "target": "A"}]},
            "C": {"transitions": [{"event": "ON", "target": "B"}, {"event": "OUT", "target": "END"}]},
            "END": {"type": "terminal"},
        },
    }  # fmt: skip
    policy, facts, _ = model(data)
    assert facts.trace("END") == ("A --budget spent (B exhausted)--> C", "C --OUT--> END")
    assert facts.trace("B") == ("A --budget spent--> B",)
    assert [move.place for move in facts.moves("A")] == [
        policy.root["states"]["A"]["tool_budget"].value_place("fallback"),
        policy.root["states"]["B"].value_place("on_exhausted"),
    ]


def test_an_open_machine_goes_anywhere_in_one_move() -> None:
    data = {
        "fsmc": 1,
        "id": "x",
        "initial": "A",
        "topology": "open",
        "states": {"A": {}, "B": {}, "END": {"type": "terminal"}},
    }
    _, facts, _ = model(data)
    assert facts.trace("END") == ("A --asked for--> END",)
    assert not facts.acyclic and facts.components == (("END",), ("A", "B"))
    assert facts.immediate_dominators == {"B": "A", "END": "A"}


def test_without_its_initial_state_a_policy_has_no_paths_and_nothing_unreachable() -> None:
    policy = build(
        parse(b'{"fsmc": 1, "id": "x", "initial": "Z", "states": {"A": {}, "B": {"type": "terminal"}}}', "policy.json")
    )
    facts = Facts(policy)
    assert facts.reachable == {"A", "B"} and facts.unreachable_groups == ()
    assert facts.path_to("A") is None and facts.trace("A") == () and facts.immediate_dominators == {}


def test_facts_of_ten_thousand_states_are_quick_and_need_no_recursion() -> None:
    import time

    count = 10_000
    states: dict[str, Any] = {
        f"S{i}": {
            "transitions": [
                {"event": e, "target": f"S{min(i + step, count)}"} for e, step in (("E", 1), ("F", 7), ("G", 50))
            ]
        }
        for i in range(count)
    }
    states[f"S{count}"] = {"type": "terminal"}
    policy = build(parse(json.dumps({"fsmc": 1, "id": "x", "initial": "S0", "states": states}).encode(), "policy.json"))
    before = time.process_time()
    facts = Facts(policy)
    assert facts.acyclic and len(facts.reachable) == len(facts.finishing) == len(facts.components) == count + 1
    assert facts.immediate_dominators["S1"] == "S0" and facts.immediate_postdominators["S9999"] == "S10000"
    assert len(facts.path_to("S10000") or ()) == 200
    assert time.process_time() - before < 1.5  # about 0.1 s on a quiet machine
