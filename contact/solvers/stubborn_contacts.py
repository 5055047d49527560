"""A few contacts that sweeps do not settle: Newton steps on them, sweeps over the others, in turn.

A node in the corner between two stones, or two that roll on one, may keep Gauss-Seidel going round
just above the tolerance, while hundreds of other contacts are solved. With the forces of all others
N held, the few B are a small problem of their own,

    u_B = W_BB r_B + q_B,      q_B = u_B(r) - W_BB r_B,

which Newton steps solve at once; then N likewise by sweeps, with r_B held.
"""

from __future__ import annotations

import numpy as np

from contact import coulomb as cone
from contact.problem import Problem, SoleDelassus, Solution, solution_of
from contact.solvers.gauss_seidel import GaussSeidel
from contact.solvers.newton import NewtonSolver
from sole.base.arrays import BoolArray, FloatArray

MOST = 60  # contacts that Newton steps take
SHARE = 0.05  # of the largest error of a contact: one with less is not among them
ROUNDS = 8
STEPS = 40  # of Newton, each time
SWEEPS = 40


def settle_stubborn(
    problem: Problem, solution: Solution, tolerance: float, seed: int
) -> Solution | None:
    """Return forces that meet the tolerance, from those of `solution`; None if that fails.

    `problem` : of soles, without rigid bodies. `seed` : of the sweeps.
    """
    W, r, u = problem.operator, np.array(solution.reactions), np.asarray(solution.velocity)
    assert isinstance(W, SoleDelassus)
    few, sweeps, steps = np.zeros(len(r), np.bool_), solution.sweeps, 0
    newton = NewtonSolver(tolerance=1e-3 * tolerance, max_steps=STEPS, seed=seed)
    rest = GaussSeidel(tolerance=0.3 * tolerance, max_sweeps=SWEEPS, seed=seed)
    for _ in range(ROUNDS):
        error = measure_errors(problem, r, u)
        nodes = W.node[error > SHARE * error.max()]
        few |= np.isin(W.node, nodes)
        if few.sum() > MOST:
            return None
        for chosen, solver in ((few, newton), (~few, rest)):
            if not chosen.any():
                continue
            found = solver.solve(restrict(problem, r, chosen), r[chosen])
            r[chosen] = found.reactions
            sweeps, steps = sweeps + found.sweeps, steps + found.newton
        found = solution_of(
            problem, r, tolerance, f"{solution.method} + newton", sweeps=sweeps, newton=steps,
            generator=solution.generator,
        )  # fmt: skip
        if found.solved:
            return found
        u = np.asarray(found.velocity)
    return None


def restrict(problem: Problem, r: FloatArray, chosen: BoolArray) -> Problem:
    """Return the problem of the contacts `chosen` (K,), while all others keep their forces r."""
    W = problem.operator
    assert isinstance(W, SoleDelassus)
    part = SoleDelassus.unchecked(
        W.compliances, W.scale, np.ascontiguousarray(W.node[chosen]),
        np.ascontiguousarray(W.frames[chosen]), W.geometry, W.support,
        np.ascontiguousarray(W.body[chosen]), np.ascontiguousarray(W.motions[chosen]),
    )  # fmt: skip
    others = np.where(chosen[:, None], 0.0, r)
    q = np.ascontiguousarray(problem.velocity(others)[chosen])
    return Problem.unchecked(part, q, np.ascontiguousarray(problem.friction[chosen]))


def measure_errors(problem: Problem, r: FloatArray, u: FloatArray) -> FloatArray:
    """Return the error (K,) of every contact: natural map and Signorini's law."""
    mu, rho = problem.friction, problem.rho
    lifted = u.copy()
    lifted[:, 2] += mu * np.linalg.norm(u[:, :2], axis=1)
    natural = np.linalg.norm(r - cone.project(r - rho * lifted, mu), axis=1)
    return np.asarray(np.maximum(natural, np.abs(np.minimum(r[:, 2], rho * u[:, 2]))))
