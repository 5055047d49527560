"""Contact solvers side by side on problems recorded from a robot on two pads.

    python benchmarks/contact_solvers.py [--quick] [--nodes 50 104 300] [--young 0.3 1 20 100]
        [--count 3] [--budget 10] [--peers NAME ...] [--json FILE] [--picture FILE]

(Not called contact.py: Python would take it for the package.) One run prints all tables. Every
solver gets the same W, the same warm start (linear extrapolation of the last two steps' forces)
and the same target, the natural map of `contact.problem.certify`, recomputed here.

Ours: the whole call, from a `Problem` that has computed nothing yet to the certified solution;
one thread, the fastest of five calls. Others: `peers.run`, the solve call alone, in the
settings that were fastest for that very problem, with their tolerance loosened or tightened until
our residual met the target; W is handed to them formed and scaled. Making W dense and making
Pinocchio's operator of it are timed apart and counted for nobody.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from contact_costs import Costs, measure_costs, sticking_costs
from contact_problems import STATES, Recorded, fresh, record
from contact_tables import (
    OURS,
    ROWS,
    TARGETS,
    Measured,
    Run,
    cost_table,
    draw,
    notes,
    success_table,
    sweep_table,
    time_head,
    time_table,
)
from peers.run import PEERS, missing, run_peer
from quick_mode import marked
from threadpoolctl import threadpool_limits

from contact.problem import Problem, Solution, certify
from contact.solvers import GaussSeidel, NewtonSolver, solve
from sole.base.errors import SoleError
from sole.base.numba_settings import set_up_numba

SOLVERS: dict[str, Callable[[Problem, Any, float], Solution]] = {
    "gauss-seidel": lambda p, start, tol: GaussSeidel(tolerance=tol).solve(p, start),
    "newton": lambda p, start, tol: NewtonSolver(tolerance=tol).solve(p, start),
    "auto": lambda p, start, tol: solve(p, "auto", tol, start),
}


# ---------------------------------------------------------------- one problem


def run_ours(name: str, recorded: Recorded, target: float, repeat: int) -> Run:
    seconds, solution = [], None
    for _ in range(repeat):
        problem = fresh(recorded.problem)
        begun = time.perf_counter()
        solution = SOLVERS[name](problem, recorded.start, target)
        seconds.append(time.perf_counter() - begun)
    assert solution is not None
    error = certify(recorded.problem, solution.reactions).natural_map
    return Run(min(seconds) if error <= target else np.inf, solution.iterations, error)


def run_theirs(name: str, recorded: Recorded, W: Any, target: float, budget: float) -> Run:
    problem = recorded.problem
    try:
        found = run_peer(
            name, W, problem.offset, problem.friction, recorded.start, target, budget=budget
        )
    except SoleError as error:
        return Run(np.inf, 0, np.inf, str(error)[:80])
    error = certify(problem, found.reactions).natural_map
    seconds = found.seconds if error <= 1.01 * target else np.inf  # scaled problem: round-off
    return Run(seconds, found.iterations, error, found.settings)


def constructor(W: Any) -> float:
    """Seconds of pinocchio's DelassusOperatorDense, NaN without pinocchio."""
    if missing("pinocchio-pgs"):
        return np.nan
    import pinocchio as pin

    seconds = []
    for _ in range(3):
        begun = time.perf_counter()
        pin.DelassusOperatorDense(W)
        seconds.append(time.perf_counter() - begun)
    return min(seconds)


def measure(recorded: Recorded, arguments: argparse.Namespace) -> Measured:
    begun = time.perf_counter()
    W = recorded.problem.operator.dense()
    formed = time.perf_counter() - begun
    done = Measured(recorded.nodes, recorded.young, recorded.state, recorded.problem.contacts,
                    formed, constructor(W))  # fmt: skip
    for target in TARGETS:
        runs = {n: run_ours(n, recorded, target, arguments.repeat) for n in OURS}
        for name in arguments.peers:
            runs[name] = run_theirs(name, recorded, W, target, arguments.budget)
        done.runs[target] = runs
    return done


def machine() -> str:
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8") if os.name == "posix" else ""
    names = [line.split(":")[1].strip() for line in text.splitlines() if "model name" in line]
    name = f"{names[0]} ({len(names)} threads)" if names else platform.processor()
    load = f"load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return f"{name}, Python {platform.python_version()}, numpy {np.__version__}, {load}"


def save(path: Path | None, rows: list[Measured], costs: list[Costs], stuck: list[str]) -> None:
    """Write all numbers so far, so that a run that is ended early leaves them."""
    if path is not None:
        report = {"machine": machine(), "problems": [asdict(r) for r in rows],
                  "costs": [asdict(c) for c in costs], "sticking": stuck}  # fmt: skip
        path.write_text(json.dumps(report, indent=1), encoding="utf-8")


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n")[0],
        epilog="Columns: m nodes of a foot, E Young's modulus, K contacts, sweeps of Gauss-Seidel; "
        "then ms per solver, (solved/all) where some were missed, - where all were; ratio: fastest "
        "peer of every problem / auto, ratio gs: / gauss-seidel; above 1 ours is faster. ADMM: the "
        "alternating direction method of multipliers, NSGS: Siconos' Gauss-Seidel.",
    )
    parser.add_argument("--quick", action="store_true", help="m = 20, E = 1 MPa, few peers")
    parser.add_argument(
        "--nodes", type=int, nargs="+", default=[50, 104, 300], help="m, of a foot (50, 104, 300)"
    )
    parser.add_argument("--young", type=float, nargs="+", default=[0.3, 1, 20, 100], help="E, MPa")
    parser.add_argument(
        "--states", nargs="+", default=list(STATES), help=f"of {', '.join(STATES)} (all)"
    )
    parser.add_argument("--count", type=int, default=3, help="problems per case")
    parser.add_argument("--repeat", type=int, default=5, help="calls of ours (others: 5)")
    parser.add_argument("--budget", type=float, default=10, help="s per peer and problem")
    parser.add_argument(
        "--peers", nargs="*", default=list(PEERS), help=f"of {', '.join(PEERS)} (all installed)"
    )
    parser.add_argument("--json", type=Path, help="write all numbers to this file")
    parser.add_argument("--picture", type=Path, help="draw the ratios to this file")
    arguments = parser.parse_args(words)
    if arguments.quick:
        arguments.nodes, arguments.young, arguments.count = [20], [1], 1
        arguments.repeat, arguments.budget = 2, 1
        arguments.peers = [p for p in arguments.peers if p == "pinocchio-pgs"]
    with marked(arguments.quick):
        show(arguments)


def show(arguments: argparse.Namespace) -> None:
    """Print all tables."""
    for name in [p for p in arguments.peers if missing(p)]:
        print(f"left out: {missing(name)}")
        arguments.peers.remove(name)
    peers = tuple(arguments.peers)
    print(machine(), time_head(TARGETS[0], peers), sep="\n", flush=True)
    rows, costs, stuck = [], [], []
    for m in arguments.nodes:
        for E in arguments.young:
            for state in arguments.states:
                records = record(m, 1e6 * E, state, arguments.count)
                rows += [measure(r, arguments) for r in records]
                costs.append(measure_costs(records))
                stuck += [sticking_costs(m, 1e6 * E)] if state == "double support" else []
                save(arguments.json, rows, costs, stuck)
                print(
                    time_table(rows[-len(records) :], TARGETS[0], peers).splitlines()[ROWS],
                    flush=True,
                )
    for target in TARGETS:
        print(time_table(rows, target, peers))
    print(sweep_table(rows), success_table(rows, peers), cost_table(costs), sep="\n")
    print("\nSteps of which every touching node sticks, with the factor of the step before",
          *stuck, notes(rows), sep="\n")  # fmt: skip
    if arguments.picture:
        draw(rows, peers, arguments.picture)


if __name__ == "__main__":
    set_up_numba()
    with threadpool_limits(1):
        main()
