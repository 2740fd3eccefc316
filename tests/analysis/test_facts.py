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
    """Policies without wrong names; terminal states without exits, transitions that are never taken, bounds with a way
    on or without.
    """
    names = [f"S{number}" for number in range(draw(st.integers(1, 7)))]
    target = st.sampled_from(names)
    topology = draw(st.sampled_from(topologies))
    candidate = st.tuples(st.sampled_from(EVENTS), target, st.sampled_from((None, *GUARDS)))

    def transitions(most: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for event, to, guard in draw(st.lists(candidate, max_size=0 if topology == "open" else most)):
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
            state["max_visits"] = draw(st.integers(1, 2))
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


def every_step(table: Table, state: str, exhaustible: frozenset[str]) -> set[str]:
    """Where the runtime can go from *state* in one move, whatever guards and budgets say, and counters of the states that
    are *exhaustible*.
    """
    info = table.states[state]
    reached: set[str] = set()

    def landings(start: Any) -> None:
        spent: set[str] = set()
        while (step := start({"visits": dict.fromkeys(spent, 10**6)})).moved and step.target not in spent:
            reached.add(step.target)
            if step.target not in exhaustible:
                break
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


def closure(table: Table, state: str, exhaustible: frozenset[str]) -> set[str]:
    found, queue = {state}, [state]
    for here in queue:
        for target in every_step(table, here, exhaustible) - found:
            found.add(target)
            queue.append(target)
    return found


def every_run(table: Table) -> tuple[set[str], set[str]]:
    """The states that sessions come to, and those that some session asks for once more than their ``max_visits``."""
    bounds = {name: info.max_visits for name, info in table.states.items() if info.max_visits is not None}
    start = (table.initial, tuple(1 if name == table.initial else 0 for name in bounds))
    found, queue = {start}, [start]
    refused: set[str] = set()
    for state, counts in queue:
        visits = dict(zip(bounds, counts, strict=True))
        steps = [
            table.step(state, event, {"visits": visits}, {guard: guard == chosen for guard in GUARDS})
            for event in table.events_of(state)
            for chosen in (None, *GUARDS)
        ]
        info = table.states[state]
        if info.budget is not None and info.budget.fallback not in (None, state) and info.tools:
            steps.append(table.enter(state, "", info.budget.fallback, {"visits": visits}, "fallback"))
        unbounded = [
            table.step(state, event, {"visits": {}}, {guard: guard == chosen for guard in GUARDS})
            for event in table.events_of(state)
            for chosen in (None, *GUARDS)
        ]
        if info.budget is not None and info.budget.fallback not in (None, state) and info.tools:
            unbounded.append(table.enter(state, "", info.budget.fallback, {"visits": {}}, "fallback"))
        for step, meant in zip(steps, unbounded, strict=True):
            asked = meant.target if meant.moved else None
            while asked in bounds and visits[asked] >= bounds[asked] and asked not in refused:
                refused.add(asked)
                asked = table.states[asked].on_exhausted
            if step.moved and step.target is not None:
                if step.target in visits:
                    after = {**visits, step.target: visits[step.target] + 1}
                else:
                    after = visits
                here = (step.target, tuple(after.values()))
                if here not in found:
                    found.add(here)
                    queue.append(here)
    return {state for state, _ in found}, refused


@settings(deadline=None)
@given(policies(("dag", "cyclic", "open")))
def test_reachable_is_what_the_runtime_can_reach(data: dict[str, Any]) -> None:
    policy, facts, table = model(data)
    assert facts.reachable == closure(table, policy.initial, facts.exhaustible)
    assert facts.finishing == {
        name for name in policy.states if any(table.states[s].terminal for s in closure(table, name, facts.exhaustible))
    }


@settings(deadline=None, max_examples=500)
@given(policies(("dag", "cyclic")))
def test_nothing_is_missed_that_a_session_comes_to_or_spends(data: dict[str, Any]) -> None:
    _, facts, table = model(data)
    reached, spent = every_run(table)
    assert reached <= facts.reachable
    assert spent <= facts.exhaustible


@settings(deadline=None)
@given(policies(("dag", "cyclic", "open")))
def test_every_move_is_one_that_the_table_makes(data: dict[str, Any]) -> None:
    policy, facts, table = model(data)
    for name in policy.states:
        moves = facts.moves(name)
        entries = [entry for move in moves for entry in facts.graph.entries(move)]
        row = facts.graph.successors[facts.graph.index[name]]
        assert row == entries + ([facts.graph.hub] if table.topology == "open" and row != entries else [])
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
        assert all(set(group) <= closure(table, name, facts.exhaustible) for name in group)
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
    steps = {name: every_step(table, name, facts.exhaustible) for name in policy.states}
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
    behind = set().union(*(closure(table, name, facts.exhaustible) for name in begun))
    assert missing <= behind
    for group in facts.unreachable_groups:
        assert all(
            name in group or not every_step(table, name, facts.exhaustible) & set(group) for name in policy.states
        )


@settings(deadline=None)
@given(policies(("cyclic",)))
def test_traps_and_dead_ends_explain_every_state_that_cannot_end(data: dict[str, Any]) -> None:
    _, facts, table = model(data)
    stuck = facts.reachable - facts.finishing
    for name in stuck if facts.terminals else ():
        behind = closure(table, name, facts.exhaustible)
        shadowed = any(facts.graph.shadowed(other) for other in behind)
        assert behind & {*facts.trapped, *facts.dead_ends} or shadowed
    for group in facts.traps:
        assert closure(table, group[0], facts.exhaustible) == set(group)


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
        before = [other for other in facts.reachable if name in closure(table, other, facts.exhaustible)]
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
    assert [move.place for move in (*facts.moves("A"), *(facts.path_to("END") or ())[:1])] == [
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


def test_a_long_chain_of_detours_costs_no_more_than_its_length() -> None:
    import time
    import tracemalloc

    count = 12_000
    states: dict[str, Any] = {
        f"S{i}": {
            "max_visits": 1 + i % 3,
            "on_exhausted": f"S{i + 1}",
            "transitions": [{"event": "GO", "target": f"S{i + 1}"}, {"event": "BACK", "target": "S0"}],
        }
        for i in range(count)
    }
    states[f"S{count}"] = {"type": "terminal"}
    data = {"fsmc": 1, "id": "x", "initial": "S0", "topology": "cyclic", "states": states}
    policy = build(parse(json.dumps(data).encode(), "policy.json"))
    before = time.process_time()
    tracemalloc.start()
    facts = Facts(policy)
    assert len(facts.reachable) == len(facts.finishing) == count + 1 and len(facts.exhaustible) == count
    assert facts.traps == () and facts.cycles(without=facts.bounded) == []
    assert facts.immediate_dominators["S1"] == "S0" and len(facts.immediate_postdominators) == count
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert time.process_time() - before < 6 and peak < 60 << 20  # about 1 s with the tracing, and 10 MB


def looping(**states: Any) -> Facts:
    """Facts of a cyclic policy: a state is the list of its targets, or a mapping with ``to``."""
    bodies: dict[str, Any] = {"END": {"type": "terminal"}}
    for name, body in states.items():
        body = body if isinstance(body, dict) else {"to": body}
        transitions = [{"event": f"E{number}", "target": target} for number, target in enumerate(body.pop("to"))]
        bodies[name] = {**body, "transitions": transitions}
    data = {"fsmc": 1, "id": "x", "initial": "A", "topology": "cyclic", "states": bodies}
    return Facts(build(parse(json.dumps(data).encode(), "policy.json")))


def test_a_state_that_is_entered_once_is_never_spent() -> None:
    facts = looping(A=["B"], B={"max_visits": 2, "on_exhausted": "C", "to": ["END"]}, C=["C", "END"])
    assert facts.exhaustible == frozenset() and facts.reachable == {"A", "B", "END"}


def test_what_is_spent_only_by_its_own_detour_is_never_spent() -> None:
    facts = looping(A=["B"], B={"max_visits": 2, "on_exhausted": "C", "to": ["END"]}, C=["B", "END"])
    assert facts.exhaustible == frozenset() and "C" not in facts.reachable


def test_a_state_that_may_be_entered_once_breaks_the_cycles_that_begin_with_it() -> None:
    facts = looping(A={"max_visits": 1, "to": ["B"]}, B=["C"], C={"max_visits": 2, "to": ["A", "END"]})
    assert facts.exhaustible == {"A"} and facts.strandable == frozenset()
    facts = looping(A=["B"], B={"max_visits": 1, "to": ["C"]}, C={"max_visits": 2, "to": ["B", "END"]})
    assert facts.exhaustible == {"B"}
    facts = looping(A=["B", "C"], B={"max_visits": 1, "to": ["C"]}, C={"max_visits": 2, "to": ["B", "END"]})
    assert facts.exhaustible == {"B", "C"}  # C, B, C


def test_a_detour_that_happens_may_spend_the_next_state() -> None:
    facts = looping(
        A={"max_visits": 2, "on_exhausted": "B", "to": ["A", "END"]},
        B={"max_visits": 2, "on_exhausted": "C", "to": ["A"]},
        C=["END"],
    )
    assert facts.exhaustible == {"A", "B"} and facts.trace("C") == ("A --E0 (A, B exhausted)--> C",)


def test_a_ring_of_detours_leads_everywhere_but_is_no_cycle() -> None:
    ring = {f"R{i}": {"max_visits": 1, "on_exhausted": f"R{(i + 1) % 3}", "to": ["A"]} for i in range(3)}
    facts = looping(A=["R1", "END"], **ring)
    assert facts.exhaustible == {"R0", "R1", "R2"} <= facts.reachable
    assert facts.trace("R0") == ("A --E0 (R1, R2 exhausted)--> R0",)
    assert [sorted(group) for group in facts.cycles()] == [["A", "R0", "R1", "R2"]]
    assert facts.cycles(without={"A"}) == []


def test_a_long_detour_is_told_shortly() -> None:
    chain = {f"R{i}": {"max_visits": 1, "on_exhausted": f"R{i + 1}", "to": ["A"]} for i in range(9)}
    facts = looping(A=["R0"], **chain, R9=["END"])
    assert facts.trace("R9") == ("A --E0 (R0, R1, R2, 6 more exhausted)--> R9",)


def test_where_detours_enable_each_other_too_often_every_bounded_state_counts() -> None:
    def ladder(length: int) -> Facts:
        # The detour of each state closes the cycle on which the next one lies.
        states: dict[str, Any] = {"A": [f"S{length - 1}"], "Z": {"max_visits": 2, "to": ["END"]}}
        for i in range(length):
            below = "Z" if i == 0 else f"S{i - 1}"
            states[f"S{i}"] = {"max_visits": 2, "on_exhausted": f"T{i}", "to": [below, *(["S0"] if i == 0 else [])]}
            states[f"T{i}"] = [f"S{i + 1}" if i + 1 < length else "END", "END"]
        return looping(**states)

    short, long = ladder(5), ladder(12)
    assert short.exhaustible == {f"S{i}" for i in range(5)} and long.exhaustible == {"Z", *(f"S{i}" for i in range(12))}
    assert {f"T{i}" for i in range(5)} <= short.reachable and {f"T{i}" for i in range(12)} <= long.reachable
