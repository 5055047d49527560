"""Contact solvers side by side on problems recorded from a robot on two pads.

    python benchmarks/contact_solvers.py [--quick] [--nodes 50 104 300] [--young 0.3 1 20 100]
        [--count 3] [--budget 10] [--peers NAME ...] [--json FILE] [--picture FILE]

(Not called contact.py: Python would take it for the package.) One run prints all tables. Every
solver gets the same W, the same warm start (linear extrapolation of the last two steps' forces)
and the same target, the natural map of `contact.solution.certify`, recomputed here.

Ours: the whole call, from a `Problem` that has computed nothing yet to the certified solution;
one thread, the fastest of several calls. Others: `contact.peers`, the solve call alone, in the
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
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from contact_costs import Costs, measure_costs, sticking_costs
from contact_problems import STATES, Recorded, fresh, record
from threadpoolctl import threadpool_limits

from contact.gauss_seidel import GaussSeidel
from contact.newton import Newton
from contact.peers import PEERS, missing, run_peer
from contact.problem import Problem
from contact.solution import Solution, certify
from contact.solve import solve
from sole.errors import SoleError

TARGETS = (1e-6, 1e-10)
OURS: dict[str, Callable[[Problem, Any, float], Solution]] = {
    "gauss-seidel": lambda p, start, tol: GaussSeidel(tolerance=tol).solve(p, start),
    "newton": lambda p, start, tol: Newton(tolerance=tol).solve(p, start),
    "auto": lambda p, start, tol: solve(p, "auto", tol, start),
}
GOALS = {50: 5.0, 104: 10.0, 300: 10.0}


@dataclass
class Run:
    """One solver on one problem: seconds are infinite where the target was missed."""

    seconds: float
    iterations: int
    natural_map: float
    settings: str = ""

    @property
    def solved(self) -> bool:
        """Return whether the target was met."""
        return bool(np.isfinite(self.seconds))


@dataclass
class Measured:
    """One recorded problem: runs[target][solver]."""

    nodes: int
    young: float
    state: str
    contacts: int
    dense: float  # s to form W
    operator: float  # s of pinocchio's constructor
    runs: dict[float, dict[str, Run]] = field(default_factory=dict)

    def fastest(self, target: float, names: tuple[str, ...], operator: bool = False) -> float:
        """Return the seconds of the fastest of `names`, infinite if all missed.

        With `operator`, Pinocchio is charged with the construction of its operator.
        """
        extra = {n: self.operator if operator and n.startswith("pinocchio") else 0.0 for n in names}
        return min((self.runs[target][n].seconds + extra[n] for n in names), default=np.inf)


# ---------------------------------------------------------------- one problem


def run_ours(name: str, recorded: Recorded, target: float, repeat: int) -> Run:
    seconds, solution = [], None
    for _ in range(repeat):
        problem = fresh(recorded.problem)
        begun = time.perf_counter()
        solution = OURS[name](problem, recorded.start, target)
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


# ---------------------------------------------------------------- tables


def cases(rows: list[Measured]) -> Iterator[tuple[tuple[int, float, str], list[Measured]]]:
    for key in dict.fromkeys((r.nodes, r.young, r.state) for r in rows):
        yield key, [r for r in rows if (r.nodes, r.young, r.state) == key]


def ratio(
    rows: list[Measured], target: float, peers: tuple[str, ...], ours: str, operator: bool = False
) -> float:
    """Time of the fastest peer of every problem, summed, over ours."""
    theirs = [r.fastest(target, peers, operator) for r in rows]
    return float(np.sum(theirs) / np.sum([r.runs[target][ours].seconds for r in rows]))


def cell(rows: list[Measured], target: float, name: str) -> str:
    runs = [r.runs[target][name] for r in rows]
    solved = [r.seconds for r in runs if r.solved]
    text = f"{1e3 * np.mean(solved):.3g}" if solved else "-"
    return text if len(solved) == len(runs) else f"{text} ({len(solved)}/{len(runs)})"


def time_table(rows: list[Measured], target: float, peers: tuple[str, ...]) -> str:
    names = (*OURS, *peers)
    head = ["m", "E [MPa]", "state", "K", "sweeps", *names, "ratio", "ratio gs"]
    lines = [f"\nTime [ms] to a natural map of {target:g}, mean over the problems of a case; "
             "(solved/all) where not all were. ratio: fastest peer of every problem / auto, / gs.",
             "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]  # fmt: skip
    for (m, E, state), group in cases(rows):
        sweeps = np.mean([r.runs[target]["gauss-seidel"].iterations for r in group])
        contacts = f"{min(r.contacts for r in group)}-{max(r.contacts for r in group)}"
        cells = [str(m), f"{E / 1e6:g}", state, contacts, f"{sweeps:.1f}"]
        cells += [cell(group, target, name) for name in names]
        cells += [f"{ratio(group, target, peers, o):.2g}" for o in ("auto", "gauss-seidel")]
        lines.append("| " + " | ".join(cells) + " |")
    for m in dict.fromkeys(r.nodes for r in rows):
        group = [r for r in rows if r.nodes == m]
        per = [ratio(g, target, peers, "auto") for key, g in cases(group)]
        lines.append(
            f"\nm = {m}: ratio over all its problems {ratio(group, target, peers, 'auto'):.2g} "
            f"({ratio(group, target, peers, 'auto', True):.2g} with Pinocchio's operator counted), "
            f"cases {min(per):.2g} to {max(per):.2g}, geometric mean "
            f"{np.exp(np.mean(np.log(per))):.2g}; goal {GOALS.get(m, 5.0):g}"
        )
    return "\n".join(lines)


def sweep_table(rows: list[Measured]) -> str:
    """How the sweeps of Gauss-Seidel depend on E and m."""
    lines = ["\nSweeps of Gauss-Seidel to 1e-6, warm: mean per case, and largest / smallest."]
    for state in STATES:
        counts = {key: np.mean([r.runs[1e-6]["gauss-seidel"].iterations for r in group])
                  for key, group in cases([r for r in rows if r.state == state])}  # fmt: skip
        if counts:
            text = ", ".join(f"{m}/{E / 1e6:g}: {c:.1f}" for (m, E, _), c in counts.items())
            spread = max(counts.values()) / max(min(counts.values()), 1e-9)
            lines.append(f"{state} (m/E): {text}; factor {spread:.2g} (goal 2)")
    return "\n".join(lines)


def success_table(rows: list[Measured], peers: tuple[str, ...]) -> str:
    lines = ["\nSolved of all, per target"]
    for target in TARGETS:
        counts = {n: sum(r.runs[target][n].solved for r in rows) for n in (*OURS, *peers)}
        text = ", ".join(f"{n} {c}" for n, c in counts.items())
        lines.append(f"{target:g}: of {len(rows)}: {text}")
    return "\n".join(lines)


def cost_table(costs: list[Costs]) -> str:
    lines = [
        "\nWhere our time goes (Gauss-Seidel to 1e-6, us per solve) and bandwidth. read: compliance"
        " read by the sweeps; share: time of a plain read of as much, of the same array, over that"
        " of the sweeps.",
        "| m | E [MPa] | state | K | solve | sweeps | prepare | arrays | certificate | other "
        "| rows/sweep/K | us/sweep | read [MB] | GB/s | plain GB/s | share |",
        "|" + "---|" * 16,
    ]
    return "\n".join([*lines, *(cost.line() for cost in costs)])


def notes(rows: list[Measured]) -> str:
    lines = ["\nNot counted: forming W for the others, Pinocchio's operator of it [ms]"]
    for m in dict.fromkeys(r.nodes for r in rows):
        full = max((r for r in rows if r.nodes == m), key=lambda r: r.contacts)
        lines.append(f"K = {full.contacts}: {1e3 * full.dense:.2g}, {1e3 * full.operator:.2g}")
    names = [n for n in rows[0].runs[TARGETS[0]] if n not in OURS]
    for name in names:
        used = [r.runs[1e-6][name].settings for r in rows]
        count = {s: used.count(s) for s in dict.fromkeys(used)}
        lines.append(
            f"fastest settings of {name}: " + "; ".join(f"{s} {c}x" for s, c in count.items())
        )
    return "\n".join(lines)


def draw(rows: list[Measured], peers: tuple[str, ...], path: Path) -> None:
    """Ratio over m: a line per state, every E a dot."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    for state, colour in zip(STATES, ("C0", "C1", "C2"), strict=True):
        found = [
            (m, E, ratio(g, 1e-6, peers, "auto")) for (m, E, s), g in cases(rows) if s == state
        ]
        nodes = sorted({m for m, _, _ in found})
        axes.plot([m for m, _, _ in found], [x for _, _, x in found], ".", color=colour)
        means = [np.exp(np.mean([np.log(x) for m, _, x in found if m == n])) for n in nodes]
        axes.plot(nodes, means, color=colour, label=f"{state} (mean over E)")
    axes.plot(list(GOALS), list(GOALS.values()), "k_", ms=20, label="goal")
    axes.set(xscale="log", yscale="log", xlabel="nodes of a foot", xticks=list(GOALS),
             xticklabels=list(GOALS), ylabel="time of the fastest peer / ours")  # fmt: skip
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)


def machine() -> str:
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8") if os.name == "posix" else ""
    names = [line.split(":")[1].strip() for line in text.splitlines() if "model name" in line]
    name = f"{names[0]} ({len(names)} threads)" if names else platform.processor()
    load = f"load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return f"{name}, Python {platform.python_version()}, numpy {np.__version__}, {load}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="m = 50, E = 1 and 100 MPa, no ADMM")
    parser.add_argument("--nodes", type=int, nargs="+", default=[50, 104, 300])
    parser.add_argument("--young", type=float, nargs="+", default=[0.3, 1, 20, 100], help="MPa")
    parser.add_argument("--states", nargs="+", default=list(STATES))
    parser.add_argument("--count", type=int, default=3, help="problems per case")
    parser.add_argument("--repeat", type=int, default=7, help="calls of ours; the fastest counts")
    parser.add_argument("--budget", type=float, default=10, help="s per peer and problem")
    parser.add_argument("--peers", nargs="*", default=list(PEERS))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.nodes, arguments.young, arguments.count = [50], [1, 100], 2
        arguments.peers = [p for p in arguments.peers if p != "pinocchio-admm"]
    for name in [p for p in arguments.peers if missing(p)]:
        print(f"left out: {missing(name)}")
        arguments.peers.remove(name)
    peers = tuple(arguments.peers)
    print(machine(), flush=True)
    rows, costs, stuck = [], [], []
    for m in arguments.nodes:
        for E in arguments.young:
            for state in arguments.states:
                records = record(m, 1e6 * E, state, arguments.count)
                rows += [measure(r, arguments) for r in records]
                costs.append(measure_costs(records))
                stuck += [sticking_costs(m, 1e6 * E)] if state == "double support" else []
                print(time_table(rows[-len(records) :], 1e-6, peers).splitlines()[4], flush=True)
    for target in TARGETS:
        print(time_table(rows, target, peers))
    print(sweep_table(rows), success_table(rows, peers), cost_table(costs), sep="\n")
    print("\nSteps of which every touching node sticks, with the factor of the step before",
          *stuck, notes(rows), sep="\n")  # fmt: skip
    if arguments.json:
        report = {"machine": machine(), "problems": [asdict(r) for r in rows],
                  "costs": [asdict(c) for c in costs], "sticking": stuck}  # fmt: skip
        arguments.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    if arguments.picture:
        draw(rows, peers, arguments.picture)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
