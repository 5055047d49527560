"""Exact friction cones by Gauss-Seidel versus pyramids by Lemke's method: 29 kg on rubber."""

from __future__ import annotations

from functools import partial
from timeit import repeat
from typing import NamedTuple

import numpy as np

from contact.problem import Compliances, Problem, SoleDelassus
from contact.solvers import GaussSeidel, NewtonSolver, PolyhedralLcp
from sole.claims import Effort, Findings
from sole.condense import CondensedSole, condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

__all__ = ["PyramidRow", "compare_pyramids", "reproduce_lcp"]

DT, FACETS = 1e-3, (0, 4, 8, 16)  # s; 0 facets: the exact cone
STATES = {  # twist of the foot [m/s, rad/s], slope of its sinking [m/m] and its mean [m]
    "sliding": ((0.3, 0.17, -0.01, 0.0, 0.0, 2.0), (0.0, 0.0), 3e-4),
    "touchdown": ((0.2, 0.05, -0.3, 0.5, -1.0, 0.5), (0.004, 0.006), 2e-4),
}


class PyramidRow(NamedTuple):
    """A method on a problem: sizes, pivots or sweeps, time [ms] and over Gauss-Seidel's, errors."""

    contacts: int
    facets: int
    unknowns: int
    iterations: int
    ms: float
    times_exact: float
    natural_map: float
    angle_deg: float
    force_error: float


def _foot(pad: CondensedSole, state: str, contacts: int) -> Problem:
    """Return the contact problem of a step with `contacts` nodes, spread over the pad."""
    order = np.lexsort((pad.points[:, 1], pad.points[:, 0].round(6)))
    node = order[np.linspace(0, len(order) - 1, contacts).round().astype(int)]
    C, frames = Compliances.of([pad.compliance]), np.tile(np.eye(3), (contacts, 1, 1))
    S = np.diag(DT / np.array([29, 29, 29, 0.25, 0.35, 0.3]))  # of mass [kg], inertia [kg m^2]
    rest = {"scale": np.array([1 / DT]), "node": node, "frames": frames, "support": S}
    twist, slope, depth = STATES[state]
    q = (pad.geometry @ twist).reshape(-1, 3)[node]
    q[:, 2] += (pad.points[node, :2] @ slope - depth) / DT
    return Problem(SoleDelassus(compliances=C, geometry=pad.geometry, **rest), q, np.asarray(0.5))


def _compare(problem: Problem, facets: int) -> PyramidRow:
    """Return pivots or sweeps, times, errors of direction and force to a third method's."""
    sweeps = GaussSeidel(tolerance=1e-6)
    solver: PolyhedralLcp | GaussSeidel = PolyhedralLcp(facets=facets) if facets else sweeps
    found, exact = solver.solve(problem), NewtonSolver(tolerance=1e-12).solve(problem)
    ms, base = (1e3 * min(repeat(partial(s.solve, problem), number=1)) for s in (solver, sweeps))
    r, e, K = found.reactions, exact.reactions, problem.contacts
    slips = (exact.status == 2) & (e[:, 2] > 1e-3 * e[:, 2].max())
    turn = np.angle((r[slips] @ [1, 1j, 0]) / (e[slips] @ [1, 1j, 0]), deg=True)
    error, angle = found.certificate.natural_map, np.abs(turn).max(initial=0.0)
    force, size = (
        float(np.linalg.norm(r - e) / np.linalg.norm(e)),
        K * (facets + 2 if facets else 3),
    )
    return PyramidRow(K, facets, size, found.iterations, ms, ms / base, error, angle, force)


def compare_pyramids(
    contacts: tuple[int, ...] = (12, 25, 50), mesh: float = 0.025
) -> dict[str, list[PyramidRow]]:
    """Compare Gauss-Seidel (facets 0) with pyramids of 4, 8, 16 facets; `mesh` size [m]."""
    rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
    pad = condense(mesh_shape(box(0.23, 0.13, 0.02), mesh, mesh), rubber)
    return {s: [_compare(_foot(pad, s, K), p) for K in contacts for p in FACETS] for s in STATES}


def reproduce_lcp(effort: Effort) -> Findings:
    """Compare times and errors of pyramids with those of exact cones."""
    found = compare_pyramids((12, 25), 0.04) if effort.quick else compare_pyramids()
    rows = [row for state in found.values() for row in state]
    pyramids, exact = [r for r in rows if r.facets], [r for r in rows if not r.facets]
    sliding = [r for r in found["sliding"] if r.facets]
    ours = {r.contacts: r.force_error for r in found["sliding"] if not r.facets}
    return Findings(
        numbers={
            "least_times": min(r.times_exact for r in pyramids),
            "most_times": max(r.times_exact for r in pyramids),
            "least_precise": min(r.force_error / ours[r.contacts] for r in sliding),
            "least_force": 100 * min(r.force_error for r in sliding),
            "most_force": 100 * max(r.force_error for r in pyramids),
            "most_angle": max(r.angle_deg for r in pyramids),
            "exact_force": 100 * max(r.force_error for r in exact),
            "solved": max(r.natural_map for r in exact),
            "unknowns_4": max(r.unknowns / (3 * r.contacts) for r in pyramids if r.facets == 4),
            "unknowns_16": max(r.unknowns / (3 * r.contacts) for r in pyramids if r.facets == 16),
        }
    )
