"""CPU time, not wall time: the machine that runs this is rarely alone."""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Cost(NamedTuple):
    """CPU seconds (median of the rounds) and peak memory in MiB."""

    seconds: float
    mebibytes: float


class Loop(NamedTuple):
    """A function that does the same thing *steps* times."""

    run: Callable[[], Any]
    steps: int

    def step(self) -> float:
        """CPU seconds of one step, over one run."""
        start = time.process_time()
        self.run()
        return (time.process_time() - start) / self.steps


class Ratio(NamedTuple):
    """A loop against its floor: the median of the ratios of the rounds, and the CPU seconds of one step (the best)."""

    ratio: float
    seconds: float


def command(arguments: list[str], rounds: int) -> Cost:
    """What running a command costs, with compiled bytecode; its output is thrown away."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    seconds, peak = [], 0.0
    for _ in range(rounds):
        process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise SystemExit(f"{arguments} ended with {process.returncode}")
        seconds.append(usage.ru_utime + usage.ru_stime)
        peak = max(peak, usage.ru_maxrss / 1024)
    return Cost(statistics.median(seconds), peak)


def calls(function: Callable[[], Any], rounds: int) -> float:
    """CPU seconds of one call of *function*: the best of the rounds, collected garbage first."""
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        function()
        best = min(best, time.process_time() - start)
    return best


def against(floor: Loop, cases: Mapping[str, Loop], rounds: int = 9) -> dict[str, Ratio]:
    """One step of each loop against one step of *floor*, which is timed anew beside each of them; rounds are interleaved."""
    ratios: dict[str, list[float]] = {name: [] for name in cases}
    best = dict.fromkeys(cases, float("inf"))
    for loop in (floor, *cases.values()):
        loop.run()
    gc.collect()
    for _ in range(rounds):
        for name, case in cases.items():
            beside = floor.step()
            seconds = case.step()
            ratios[name].append(seconds / beside)
            best[name] = min(best[name], seconds)
    return {name: Ratio(statistics.median(ratios[name]), best[name]) for name in cases}


def line(name: str, ratio: float, bound: float, at_least: bool = False, unit: str = "x") -> bool:
    """Print one ratio with its bound; whether it holds."""
    holds = ratio >= bound if at_least else ratio <= bound
    word = "at least" if at_least else "at most"
    print(f"  {'ok  ' if holds else 'MISS'}  {name}: {ratio:.2f} {unit}  ({word} {bound:g} {unit})")
    return holds


def bytecode() -> None:
    """Compile the bytecode of everything that will be started, so that no run pays for another's compiling."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    for folder in {os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + "/fsmc", *sys.path}:
        if os.path.isdir(folder):
            subprocess.run(
                [sys.executable, "-m", "compileall", "-q", folder], env=environment, check=False, capture_output=True
            )
