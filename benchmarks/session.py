"""What a session costs: against a bare `table[state][event]` loop, against installed peers, and to start with.

Run it with `make bench`. It prints ratios of CPU time from this one run and ends with 1 when one misses its bound. A peer that is
not installed is named and left out (`pip install 'fsmc[bench]'`).
"""

from __future__ import annotations

import contextlib
import json
import logging
import statistics
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import fsmc
from benchmarks.measure import Loop, Ratio, against, bytecode, calls, command, line
from benchmarks.policies import ring
from fsmc.runtime.table import Table

STEPS = 30_000
SLOW = 300  # steps of a peer that takes microseconds
_GO = ["GO"] * STEPS


def table(text: str) -> Table:
    """The table of a policy given as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.yaml"
        path.write_text(text)
        return fsmc.compile(path)


def floor(states: int = 3) -> Loop:
    """A loop over a dict of dicts, which decides and does nothing else."""
    rows = {f"S{i}": {"GO": f"S{(i + 1) % states}"} for i in range(states)}

    def run() -> None:
        state = "S0"
        for event in _GO:
            state = rows[state][event]

    return Loop(run, STEPS)


def sends(session: Any, steps: int = STEPS) -> Loop:
    """Events sent to one session."""
    events = ["GO"] * steps

    def run() -> None:
        send = session.send
        for event in events:
            send(event)

    assert session.can("GO")
    return Loop(run, steps)


def steps(frozen: Table) -> Loop:
    """The stateless step, fed with its own answers."""

    def run() -> None:
        step, state = frozen.step, frozen.initial
        for event in _GO:
            state = step(state, event).target  # type: ignore[assignment]

    return Loop(run, STEPS)


def tool_calls(
    session: Any, tool: str = "look", arguments: Any = None, result: Any = None, steps: int = 10_000
) -> Loop:
    """Calls that are granted: reserved and committed."""

    def run() -> None:
        reserve, commit = session.reserve, session.commit
        for _ in range(steps):
            commit(reserve(tool, arguments).call_id, result)

    return Loop(run, steps)


def refusals(session: Any, tool: str = "other", steps: int = 5_000) -> Loop:
    """Calls that are refused."""

    def run() -> None:
        reserve = session.reserve
        for _ in range(steps):
            reserve(tool)

    return Loop(run, steps)


def stepping() -> bool:
    """Events, against the dict loop; and whether their cost grows."""
    plain, asked, expression = (table(ring(3, guard)) for guard in ("", "asked", "context.n >= 1"))
    found = against(floor(), {
        "send without a guard": sends(plain.session()),
        "send with one Python guard": sends(asked.session(guards={"asked": lambda facts: True})),
        "send with one expression guard": sends(expression.session(context={"n": 1})),
        "stateless step": steps(plain),
    })  # fmt: skip
    print("events, against a dict loop:")
    held = [
        times("send without a guard", found, 5),
        times("send with one Python guard", found, 7),
        times("send with one expression guard", found, 20),
        times("stateless step", found, 2.5),
    ]
    small, large = table(ring(10)).session(), Table(ring_data(10_000, 10)).session()
    grown = against(sends(small), {"ten states of 10,000 against ten of 10": sends(large)})
    held.append(times("ten states of 10,000 against ten of 10", grown, 1.2))
    held.append(line("the 100,000th send against the first", late(plain, sends), 1.2))
    widely = against(sends(small), {"": sends(Table(ring_data(10_000)).session())})[""].ratio
    bare = against(floor(10), {"": floor(10_000)})[""].ratio
    print(f"        walking all of 10,000 states against 10: {widely:.2f} x, the dict loop itself {bare:.2f} x")
    return all(held)


def deciding() -> bool:
    """Tool calls of a policy that goes by names alone."""
    frozen = table(ring(3))
    found = against(floor(), {
        "reserve and commit": tool_calls(frozen.session()),
        "with arguments and a text as result": tool_calls(frozen.session(), "look", {"n": 1}, "found"),
        "check": Loop(check_loop(frozen.session()), STEPS),
        "a refusal": refusals(frozen.session()),
    })  # fmt: skip
    print("tool calls, names alone:")
    for name, (ratio, seconds) in found.items():
        print(f"        {name}: {seconds * 1e6:.2f} us, {ratio:.1f} x the dict loop")
    refused = against(tool_calls(frozen.session()), {"": refusals(frozen.session())})[""].ratio
    large = Table(ring_data(10_000)).session()  # `other` is 10,000 moves away
    far = against(refusals(frozen.session()), {"": refusals(large)})[""].ratio
    return all([
        line("reserve and commit", found["reserve and commit"].seconds * 1e6, 1, unit="us"),
        line("a refusal against a grant", refused, 1),
        line("a refusal in 10,000 states against one in 3", far, 1.2),
        line("the 100,000th call against the first", late(frozen, tool_calls), 1.2),
    ])  # fmt: skip


def check_loop(session: Any) -> Callable[[], None]:
    """``check``, which counts nothing."""

    def run() -> None:
        check = session.check
        for _ in _GO:
            check("look")

    return run


def late(frozen: Table, loop: Callable[..., Loop], total: int = 100_000, rounds: int = 7) -> float:
    """What a thousand steps after *total* in one session cost against the first thousand of another, timed side by side."""
    old = frozen.session()
    loop(old, steps=total).run()
    ratios = []
    for _ in range(rounds):
        first = loop(frozen.session(), steps=1_000).step()
        ratios.append(loop(old, steps=1_000).step() / first)
    return statistics.median(ratios)


def times(name: str, found: Mapping[str, Ratio], bound: float) -> bool:
    """Print one of the ratios."""
    return line(f"{name} ({found[name].seconds * 1e9:.0f} ns)", found[name].ratio, bound)


def ring_data(states: int, walked: int | None = None) -> dict[str, Any]:
    """The table of a large ring as data."""
    data: dict[str, Any] = json.loads(table(ring(states, walked=walked)).to_json())
    return data


# Peers, each imported when it is its turn


def transitions() -> Loop:
    """transitions: a model that is triggered by name."""
    from transitions import Machine

    edges = [{"trigger": "GO", "source": f"S{i}", "dest": f"S{(i + 1) % 3}"} for i in range(3)]
    machine = Machine(states=["S0", "S1", "S2"], transitions=edges, initial="S0", auto_transitions=False)
    return repeated(lambda: machine.trigger("GO"))


def python_statemachine() -> Loop:
    """python-statemachine: `send`."""
    from statemachine import State, StateMachine

    class Ring(StateMachine):
        S0 = State(initial=True)
        S1 = State()
        S2 = State()
        GO = S0.to(S1) | S1.to(S2) | S2.to(S0)

    machine = Ring()
    return repeated(lambda: machine.send("GO"))


def automaton() -> Loop:
    """OpenStack automaton: `process_event`."""
    from automaton.machines import FiniteMachine

    machine = FiniteMachine()
    for i in range(3):
        machine.add_state(f"S{i}")
    for i in range(3):
        machine.add_transition(f"S{i}", f"S{(i + 1) % 3}", "GO")
    machine.default_start_state = "S0"
    machine.initialize()
    return repeated(lambda: machine.process_event("GO"), 10_000)


def statepilot() -> Loop:
    """statepilot: `step`, which decides and commits."""
    from statepilot import Pilot, StateMachine

    machine = StateMachine.builder().initial("S0").transition("S0", "S0", tool="look").build()
    return renewed(lambda: Pilot(machine).step, ("look",))


def llm_agentspec() -> Loop:
    """llm-agentspec: `check_call` and `commit` of a FastGuard with one contract."""
    from agentspec import ContractSet, FastGuard

    spec = ContractSet("names").must_not_call("other")

    def fresh() -> Callable[[str], None]:
        guard = FastGuard(spec)

        def call(tool: str) -> None:
            guard.check_call(tool)
            guard.commit(tool)

        return call

    return renewed(fresh, ("look",))


def acel_core() -> Loop:
    """acel-core: `Session.call` with one contract."""
    from acel import Session, must_precede

    def fresh() -> Callable[[str, dict[str, Any]], object]:
        session = Session()
        session.add_contract(must_precede("look", "other"))
        session.register_tool("look")
        return session.call

    return renewed(fresh, ("look", {}))


def repeated(step: Callable[[], Any], times: int = SLOW) -> Loop:
    """One machine, stepped."""

    def run() -> None:
        for _ in range(times):
            step()

    return Loop(run, times)


def renewed(fresh: Callable[[], Callable[..., Any]], arguments: tuple[Any, ...]) -> Loop:
    """A new conversation each time, for those that keep a history: nobody is judged by the length of it."""

    def run() -> None:
        call = fresh()
        for _ in range(SLOW):
            call(*arguments)

    return Loop(run, SLOW)


def peers() -> bool:
    """How much dearer the same step or decision is elsewhere."""
    frozen = table(ring(3))
    print("peers, an event on the same three states:")
    held = faster(sends(frozen.session()), {transitions: 40, python_statemachine: 500, automaton: 5})
    print("peers, a decision about a call by its name, made and committed:")
    return faster(tool_calls(frozen.session()), {statepilot: 1, llm_agentspec: 1, acel_core: 1}) and held


def faster(ours: Loop, bounds: Mapping[Callable[[], Loop], float]) -> bool:
    """Print for each peer that is installed how many times as much it costs."""
    loops = {}
    for make in bounds:
        try:
            loops[make.__name__] = make()
        except ImportError as missing:
            print(f"        {make.__name__} is left out: {missing}")
    found = against(ours, loops, 5)
    return all([
        line(f"{make.__name__} ({found[make.__name__].seconds * 1e6:.1f} us)", found[make.__name__].ratio, bound, True)
        for make, bound in bounds.items()
        if make.__name__ in found
    ])  # fmt: skip


# Starting


START = "import sys, fsmc; fsmc.load(sys.argv[1]).session()"
MODULES = "import sys; before = set(sys.modules); {}; print(*sorted(set(sys.modules) - before))"


def starting(folder: Path) -> bool:
    """Importing, loading a table and opening a session, in a fresh interpreter."""
    path = folder / "ring.json"
    path.write_text(table(ring(20)).to_json())
    ratios = []
    for _ in range(15):
        bare = command([sys.executable, "-c", "pass"], 1).seconds
        ratios.append(command([sys.executable, "-c", START, str(path)], 1).seconds / bare)
    probe = MODULES.format(START.replace("import sys, fsmc", "import fsmc"))
    done = subprocess.run([sys.executable, "-c", probe, str(path)], capture_output=True, text=True, check=True)
    foreign = {name.partition(".")[0] for name in done.stdout.split()} - sys.stdlib_module_names - {"fsmc"}
    print(f"starting: import, load a table of 20 states, open a session ({len(done.stdout.split())} modules)")
    return all([
        line("of a bare interpreter", statistics.median(ratios), 2.5),
        line(f"modules from outside the standard library {sorted(foreign) or ''}", len(foreign), 0, unit=""),
    ])  # fmt: skip


def loading(folder: Path) -> bool:
    """A table of 10,000 states from its file; the memory of sessions over it."""
    path = folder / "large.json"
    path.write_text(json.dumps(ring_data(10_000), sort_keys=True, separators=(",", ":")))
    data = path.read_bytes()
    ratio = statistics.median(
        calls(lambda: fsmc.load(path), 1) / calls(lambda: json.loads(data), 1) for _ in range(9)
    )  # fmt: skip
    print("a table of 10,000 states:")
    return all([
        line("loading it, of json.loads", ratio, 3),
        line("memory of a session over it", session_bytes(fsmc.load(path)) / 1000, 1, unit="kB"),
    ])  # fmt: skip


def session_bytes(frozen: Table, count: int = 10_000) -> float:
    """Bytes that one more session takes."""
    frozen.session()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        kept = [frozen.session() for _ in range(count)]
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (after - before - sys.getsizeof(kept)) / count


@contextlib.contextmanager
def as_an_application() -> Iterator[None]:
    """The standard log as most applications have it: imported, its level WARNING, and nothing printed here."""
    handler = logging.NullHandler()
    logging.getLogger("fsmc").addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger("fsmc").removeHandler(handler)


def main() -> int:
    """Every ratio; 1 when one misses."""
    bytecode()
    with tempfile.TemporaryDirectory() as folder, as_an_application():
        held = [stepping(), deciding(), peers(), starting(Path(folder)), loading(Path(folder))]
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())
