"""Breakdown of the time of one call, and its sweeps versus memory bandwidth.

    share = time of a plain read of the same bytes / time of the sweeps

The call is that of method "gauss-seidel"; sweeps are what its compiled call takes longer than
without sweeps. The bytes are those of the rows of C that they read. The plain read is a product of
the same C with a vector by BLAS, so that both find it in the same cache.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np
from contact_problems import Recorded, begin, fresh

from contact.problem import ContactStatus, Problem, SoleDelassus
from contact.solvers import GaussSeidel, StickFactor, gauss_seidel, sticking
from contact.sweeps import SolvedSoles

PARTS = ("sweeps", "ends")  # ends: set-up, first response and certificate; with them it is a call


@dataclass
class Costs:
    """Means over the problems of a case; times [us]."""

    nodes: int
    young: float
    state: str
    contacts: float
    solve: float
    parts: dict[str, float]
    sweeps: float
    rows: float
    bytes: float
    plain: float  # B/s

    def line(self) -> str:
        """One line of the table."""
        p = self.parts
        other = self.solve - sum(p.values())
        speed = self.bytes / (1e-6 * p["sweeps"])
        per = self.rows / max(self.sweeps * self.contacts, 1e-9)
        cells = [str(self.nodes), f"{self.young / 1e6:g}", self.state, f"{self.contacts:.0f}",
                 f"{self.solve:.0f}", *(f"{p[n]:.0f}" for n in PARTS), f"{other:.0f}",
                 f"{per:.2f}", f"{p['sweeps'] / max(self.sweeps, 1e-9):.1f}",
                 f"{self.bytes / 1e6:.3g}", f"{speed / 1e9:.2g}", f"{self.plain / 1e9:.2g}",
                 f"{speed / self.plain:.2f}"]  # fmt: skip
        return "| " + " | ".join(cells) + " |"


def plain_bandwidth(flat: Any, row: int) -> float:
    """Bytes per second of C f by BLAS, which reads `flat`, (row, row), once."""
    C, f = flat[: row * row].reshape(row, row), np.ones(row, dtype=flat.dtype)
    return float(C.nbytes / min(_timed(lambda: C @ f)[0] for _ in range(20)))


def measure_costs(records: list[Recorded], tolerance: float = 1e-6, repeat: int = 7) -> Costs:
    """Time the parts of one solve; the fastest of `repeat` calls counts."""
    sums, sweeps, rows, size, total = dict.fromkeys(PARTS, 0.0), 0.0, 0.0, 0.0, 0.0
    plain: list[float] = []
    for r in records:
        W = r.problem.operator
        assert isinstance(W, SoleDelassus)
        flat, row = W.compliances.flat, 3 * r.nodes
        plain.append(plain_bandwidth(flat, row))
        whole, inside = min(_watched(r, tolerance) for _ in range(repeat))
        ends = min(_watched(r, tolerance, bare=True)[1] for _ in range(repeat))
        sums["sweeps"] += 1e6 * max(inside - ends, 0.0)
        sums["ends"] += 1e6 * min(ends, inside)
        found = _swept(r, tolerance)
        total, sweeps, rows = total + 1e6 * whole, sweeps + found.sweeps, rows + found.rows
        size += found.rows * 3 * row * flat.itemsize
    n, first = len(records), records[0]
    return Costs(
        nodes=first.nodes,
        young=first.young,
        state=first.state,
        contacts=float(np.mean([r.problem.contacts for r in records])),
        solve=total / n,
        parts={name: value / n for name, value in sums.items()},
        sweeps=sweeps / n,
        rows=rows / n,
        bytes=size / n,
        plain=float(np.mean(plain)),
    )


def _watched(recorded: Recorded, tolerance: float, bare: bool = False) -> tuple[float, float]:
    """Return the seconds of a call of `solve` and those in its compiled call.

    bare : the compiled call does no sweep.
    """
    inner, spent = gauss_seidel.solve_soles, 0.0

    def call(*args: Any) -> Any:
        nonlocal spent
        *given, rule, state = args
        if bare:
            omega, wait, _, target = rule
            rule = omega, wait, 0, target
        spent, found = _timed(lambda: inner(*given, rule, state))
        return found

    with mock.patch.object(gauss_seidel, "solve_soles", call):
        problem, sweeps = fresh(recorded.problem), GaussSeidel(tolerance=tolerance)
        seconds, _ = _timed(lambda: sweeps.solve(problem, recorded.start))
    return seconds, spent


def _swept(recorded: Recorded, tolerance: float) -> SolvedSoles:
    """Return what the compiled call of method "gauss-seidel" returns."""
    inner, found = gauss_seidel.solve_soles, ()

    def call(*args: Any) -> Any:
        nonlocal found
        found = inner(*args)
        return found

    with mock.patch.object(gauss_seidel, "solve_soles", call):
        GaussSeidel(tolerance=tolerance).solve(fresh(recorded.problem), recorded.start)
    return SolvedSoles(*found)


def sticking_costs(nodes: int, young: float, steps: int = 40) -> str:
    """Find a step with the same contact status as the step before, without sliding; time it."""
    run = begin(nodes, young, "double support")
    run.v[:] = 0.0
    title, before = f"m = {nodes}, E = {young / 1e6:g} MPa", None
    for _ in range(steps):
        problem, near, _ = run.step()
        solution = GaussSeidel(tolerance=1e-10, max_sweeps=3000).solve(problem)
        sticking = solution.status == ContactStatus.STICK
        sliding = (solution.status == ContactStatus.SLIP).any()
        if before is not None and not sliding and np.array_equal(before[0], near[sticking]):
            return (
                f"{title}: {int(sticking.sum())} of {len(near)} stick: {_stick(problem, before[1])}"
            )
        W = problem.operator
        assert isinstance(W, SoleDelassus)
        factor = StickFactor.of(W, sticking)
        before = None if factor is None else (near[sticking], factor)
    return f"{title}: no such step in {steps}"


def _stick(problem: Problem, factor: StickFactor, repeat: int = 15) -> str:
    W = problem.operator
    assert isinstance(W, SoleDelassus)
    C = W.compliances.matrix(0)
    assert C is not None
    f, sticking = np.ones(len(C)), np.zeros(W.contacts, dtype=bool)
    sticking[factor.contact] = True
    product = 2 * min(_timed(lambda: C @ f)[0] for _ in range(30))  # both soles
    seconds, found = min(
        (_timed(lambda: factor.solve(fresh(problem), 1e-10)) for _ in range(repeat)),
        key=lambda done: float(done[0]),
    )
    inner = min(_kernel_time(lambda: factor.solve(fresh(problem), 1e-10)) for _ in range(repeat))
    built = min(_timed(lambda: StickFactor.of(W, sticking))[0] for _ in range(3))
    return (
        f"{1e6 * seconds:.0f} us with certificate = {seconds / product:.1f} products C f of both "
        f"soles ({1e6 * product:.0f} us), forces alone {inner / product:.1f}; natural map "
        f"{found.certificate.natural_map:.0e}; the factor, once: {1e3 * built:.2g} ms"
    )


def _kernel_time(work: Callable[[], Any]) -> float:
    """Seconds that `work` spends in the kernel of the closed form."""
    inner, spent = sticking.find_stuck_forces, [0.0]

    def call(*args: Any) -> Any:
        seconds, answer = _timed(lambda: inner(*args))
        spent[0] += seconds
        return answer

    with mock.patch.object(sticking, "find_stuck_forces", call):
        work()
    return spent[0]


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    answer = work()
    return time.perf_counter() - begun, answer
