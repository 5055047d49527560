"""Contact forces per body: a slipping foot in six numbers against all of its nodes.

`contact.per_body.SlippingFoot` takes the wrench as unknown and bounds it by the limit surface of
the sole's pressure. The nodal solution of the same step is the reference, for its wrench and for
its time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from contact.per_body import SlippingFoot, nodal_problem
from contact.problem import Compliances, Problem
from contact.solvers import GaussSeidel
from sole.base.arrays import FloatArray
from sole.claims import Effort, Findings
from sole.condense import CondensedSole, condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

__all__ = ["SlipCase", "reproduce_per_body", "slip_case"]

SIZE = (0.24, 0.14, 0.02)  # m
RUBBER = Material(young_modulus=1e6, poisson_ratio=0.4)
MU, LOAD, DT = 0.7, 300.0, 1e-3
ARM = 0.07  # m: what friction holds about z is of the order mu LOAD times this
# Velocity along x, y [m/s] and about z [rad/s], and the factor by which the load changes.
SLIDES = (((0.2, 0.0, 0.0), 1.05), ((0.1, 0.15, 0.3), 0.97), ((-0.05, 0.1, -0.4), 1.0))


class SlipCase(NamedTuple):
    """A step of a slipping foot: w before it, v_free, S6, and the same as a nodal problem."""

    wrench: FloatArray
    free: FloatArray
    inverse_inertia: FloatArray
    problem: Problem
    before: FloatArray


def slip_case(
    sole: CondensedSole, foot: SlippingFoot, slide: tuple[float, float, float], grows: float
) -> SlipCase:
    """Return a step of a foot of 6 kg below a leg, which slides while its load changes."""
    S = np.diag([0.2, 0.2, 0.1, 8.0, 8.0, 8.0])
    S[0, 4] = S[4, 0] = 0.4
    S[1, 3] = S[3, 1] = -0.4
    m, G = len(sole.points), np.asarray(sole.geometry)
    before = np.zeros((m, 3))
    before[:, 2] = LOAD * foot.shares
    motion = np.array([*slide[:2], 0.0, 0.0, 0.0, slide[2]])
    u = (G @ motion).reshape(m, 3)[:, :2]
    before[:, :2] = -MU * before[:, 2:] * u / np.linalg.norm(u, axis=1, keepdims=True)
    w = G.T @ before.ravel()
    free = motion - DT * S @ (w * np.array([1, 1, grows, 1, 1, 1]))
    compliances = Compliances.of([sole.compliance])
    problem = nodal_problem(sole, compliances, np.full(m, MU), before, free, S, DT)
    return SlipCase(w, free, S, problem, before)


def reproduce_per_body(effort: Effort) -> Findings:
    """Compare wrench and time of the step on about fifty and about three hundred nodes."""
    numbers: dict[str, float] = {"usable": 1.0, "error": 0.0}
    edges = {"coarse": 0.026, "fine": 0.0117}
    repeats = 5 if effort.quick else 50
    for k, (name, edge) in enumerate(edges.items()):
        sole = condense(mesh_shape(box(*SIZE), edge, edge), RUBBER, "p1")
        foot = SlippingFoot(sole, MU)
        ratios = []
        for slide, grows in SLIDES:
            case = slip_case(sole, foot, slide, grows)
            w, free, S = case.wrench, case.free, case.inverse_inertia
            end = foot.step(w, free, S, DT)
            exact = GaussSeidel(tolerance=1e-9).solve(case.problem, case.before)
            nodal = np.asarray(sole.geometry).T @ np.asarray(exact.reactions).ravel()
            off = np.abs(end.wrench - nodal) / (MU * LOAD)
            worst = max(float(np.linalg.norm(off[:3])), float(off[3:].max()) / ARM)
            numbers["error"] = max(numbers["error"], 100 * worst)
            numbers["usable"] = min(numbers["usable"], float(end.usable and exact.solved))
            usual = GaussSeidel(tolerance=1e-6)
            nodes = _least(partial(usual.solve, case.problem, case.before), repeats)
            six = _least(partial(foot.step, w, free, S, DT), repeats)
            ratios.append(nodes / six)
            numbers[f"{name}_six"], numbers[f"{name}_nodal"] = 1e6 * six, 1e6 * nodes
        numbers[f"{name}_nodes"] = float(len(sole.points))
        numbers[f"{name}_ratio"] = float(min(ratios))
        effort.tell((k + 1) / len(edges))
    return Findings(numbers=numbers)


def _least(call: Callable[[], Any], repeats: int) -> float:
    """Return the least processor time of a call [s]."""
    found = []
    for _ in range(repeats + 1):
        start = time.thread_time()
        call()
        found.append(time.thread_time() - start)
    return min(found)
