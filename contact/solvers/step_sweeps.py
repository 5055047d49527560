"""Sweeps for the contact problem of a time step, which begin at the end of the last one.

Most contacts of a step go on as they did: nodes that stick go on sticking, nodes in the air stay
there. So sweeps run over the contacts that may change alone, on the block of C or K of their nodes
(`contact.sweeps.pack_kernels`), and all others are looked at before and after. Instead of a pass
over a matrix there is the state of the soles, e = K U.

By forces, d = scale C f of all nodes starts from d0 = scale U of the last step, where f0 = e:
C (f - f0) is needed at nodes that bear force or may close alone.
After the sweeps one pass over the rows of C of nodes whose force changed gives d for all nodes and
for the certificate.

By velocities (`contact.sweeps.velocity_sweeps`), with Y = y + ahead the twists of the feet and G0
the motions of the undeformed soles,

    s = d0 - G0 Y + z,    K s/scale = f0 + (K z - V0 Y)/scale,    V0 = K G0.

Where a node sticks, z = -omega x U - n g/dt is a thousandth of d0 or less.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from contact.problem import Judgement, Problem, SoleDelassus, Solution, extrapolate_start
from contact.solvers.gauss_seidel import NEGLECTED, SHARED, GaussSeidel
from contact.sweeps import SolvedSoles, StepStart, generator_state, solve_step_soles
from sole.base.arrays import FloatArray, IntArray, read_only
from sole.base.compiled import packed

if TYPE_CHECKING:
    from contact.sweeps import Pack, SoleStiffness


class SweptSoles(NamedTuple):
    """How the soles of a step are swept, and where they begin.

    Attributes
    ----------
    stiffness : of all bodies. pack : room for blocks of it and of C.
    position : (bodies,) where K of a body begins; -1 for bodies swept by forces.
    displacements, forces : (M, 3) d0 = scale C f0 and f0. ahead : (6 bodies,) twists without
        contact forces, which are part of q. status : (K,) before. lost : as in `StepStart`.
    """

    stiffness: SoleStiffness
    pack: Pack
    position: IntArray
    displacements: FloatArray
    forces: FloatArray
    ahead: FloatArray
    status: IntArray
    lost: float = 0.0


def sweep_step(
    solver: GaussSeidel, problem: Problem, start: FloatArray, soles: SweptSoles
) -> Solution:
    """Solve the problem of a step of soles on feet from the forces `start` (K, 3)."""
    W, stiffness = problem.operator, soles.stiffness
    assert isinstance(W, SoleDelassus)
    C, target = W.compliances, solver.tolerance * problem.size
    some = bool((soles.position >= 0).any())
    share = SHARED if some and stiffness.error else 1.0
    begin = StepStart(
        extrapolate_start(start, start, problem.friction), soles.status, soles.displacements,
        read_only(soles.forces), soles.ahead, soles.lost,  # one type for the compiler
    )  # fmt: skip
    call: Any = solve_step_soles
    found = SolvedSoles(*call(
        packed(stiffness.arrays), soles.position, packed(C.arrays), C.diagonal,
        packed(W.arrays), (problem.offset, problem.friction, problem.rho),
        packed(begin), (solver.relaxation, solver.wait, solver.max_sweeps, share * target),
        NEGLECTED * target, generator_state(solver.seed), packed(soles.pack),
    ))  # fmt: skip
    length, unsure = found.lengths
    steepest = 1.0 + float(problem.friction.max())
    if some:
        unsure += stiffness.error * length
    unseen = 2 * steepest * unsure
    judged = Judgement(found.sums, found.status, found.u, found.d)
    solution = solver.pack(problem, found.r, judged, unseen, found.sweeps, found.state)
    return replace(solution, unsure=unsure)
