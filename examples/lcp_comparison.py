"""Exact friction cones by Gauss-Seidel versus pyramids by Lemke's method: 29 kg on rubber."""

from collections import namedtuple
from timeit import repeat

import numpy as np

from contact.problem import Compliances, Problem, SoleDelassus
from contact.solvers import GaussSeidel, PolyhedralLcp
from sole.condense import CondensedSole, condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

DT, FACETS = 1e-3, (0, 4, 8, 16)  # s; 0 facets: the exact cone
STATES = {  # twist of the foot [m/s, rad/s], slope of its sinking [m/m] and its mean [m]
    "sliding": ((0.3, 0.17, -0.01, 0.0, 0.0, 2.0), (0.0, 0.0), 3e-4),
    "touchdown": ((0.2, 0.05, -0.3, 0.5, -1.0, 0.5), (0.004, 0.006), 2e-4),
}
Row = namedtuple(
    "Row", "contacts facets unknowns iterations ms times_exact natural_map angle_deg force_error"
)


def foot(pad: CondensedSole, state: str, contacts: int) -> Problem:
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


def compare(problem: Problem, facets: int) -> Row:
    """Return pivots or sweeps, times, largest error of direction, relative force error."""
    sweeps = GaussSeidel(tolerance=1e-6)
    solver = PolyhedralLcp(facets=facets) if facets else sweeps
    found, exact = solver.solve(problem), GaussSeidel(tolerance=1e-12).solve(problem)
    ms, base = (1e3 * min(repeat(lambda s=s: s.solve(problem), number=1)) for s in (solver, sweeps))
    r, e, K = found.reactions, exact.reactions, problem.contacts
    slips = (exact.status == 2) & (e[:, 2] > 1e-3 * e[:, 2].max())
    turn = np.angle((r[slips] @ [1, 1j, 0]) / (e[slips] @ [1, 1j, 0]), deg=True)
    error, angle = found.certificate.natural_map, np.abs(turn).max(initial=0.0)
    force, size = np.linalg.norm(r - e) / np.linalg.norm(e), K * (facets + 2 if facets else 3)
    return Row(K, facets, size, found.iterations, ms, ms / base, error, angle, force)


def main(contacts: tuple[int, ...] = (12, 25, 50), mesh: float = 0.025) -> dict[str, list[Row]]:
    """Compare Gauss-Seidel (facets 0) with pyramids of 4, 8, 16 facets; `mesh` size [m]."""
    rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
    pad = condense(mesh_shape(box(0.23, 0.13, 0.02), mesh, mesh), rubber)
    return {s: [compare(foot(pad, s, K), p) for K in contacts for p in FACETS] for s in STATES}


if __name__ == "__main__":
    print("| state | contacts | method | unknowns | sweeps, pivots | time [ms] "
          "| time / Gauss-Seidel | natural map | angle [deg] | force |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|---|")
    for state, rows in main().items():
        for r in rows:
            method = f"{r.facets} facets, Lemke" if r.facets else "exact cone, Gauss-Seidel"
            cells = [state, r.contacts, method, r.unknowns, r.iterations, f"{r.ms:.2g}"]
            cells += [f"{r.times_exact:.2g}", f"{r.natural_map:.1e}", f"{r.angle_deg:.2g}"]
            print("| " + " | ".join(map(str, [*cells, f"{r.force_error:.1e}"])) + " |")
