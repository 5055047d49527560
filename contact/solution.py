"""What a contact solver hands back: forces, a status, and a residual it did not compute."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

import numpy as np

from contact import cone
from contact.problem import Problem
from sole.arrays import FloatArray, IntArray


class ContactStatus(IntEnum):
    """State of one contact or node."""

    OPEN = 0
    STICK = 1
    SLIP = 2


class Outcome(Enum):
    """How a solver ended; the value is advice."""

    SOLVED = "solved"
    STALLED = "not at the tolerance: allow more sweeps, or a looser tolerance"


@dataclass(frozen=True, eq=False, kw_only=True)
class Certificate:
    """Residuals recomputed from the result alone; all but `finite` are dimensionless.

    Parameters
    ----------
    natural_map : |r - P_K(r - rho (u + g))| / (rho |q|) with rho = 1/mean W_ii, or Signorini's
        part of it alone where that is larger (`contact.cone.residual`).
    cone : largest distance of a contact force to its cone / largest force.
    equilibrium : largest of |force error|/|force| and |moment error|/(|force| x foot length).
    finite : no NaN and no infinity anywhere.
    """

    natural_map: float
    cone: float
    equilibrium: float
    finite: bool

    def holds(self, tolerance: float) -> bool:
        """Return whether every condition is met to `tolerance`."""
        worst = max(self.natural_map, self.cone, self.equilibrium)
        return self.finite and worst <= tolerance


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution:
    """Forces `reactions` r and relative displacements `velocity` u, both (K, 3), of a problem."""

    problem: Problem
    reactions: FloatArray
    velocity: FloatArray
    status: IntArray
    outcome: Outcome
    sweeps: int
    generator: int
    certificate: Certificate


def certify(problem: Problem, r: FloatArray) -> Certificate:
    """Recompute the residual of reactions `r` (K, 3) from the problem alone.

    With q = 0 the answer is r = 0 and the residual is measured against the largest of r and u.
    """
    u = problem.velocity(r)
    rho = problem.rho
    gap = cone.residual(r, u, problem.friction, rho)
    scale = rho * float(np.linalg.norm(problem.offset))
    if scale == 0.0:
        scale = max(float(np.linalg.norm(r)), rho * float(np.linalg.norm(u))) or 1.0
    largest = float(np.abs(r).max(initial=0.0)) or 1.0
    return Certificate(
        natural_map=float(np.linalg.norm(gap)) / scale,
        cone=float(cone.violation(r, problem.friction).max(initial=0.0)) / largest,
        equilibrium=0.0,
        finite=bool(np.isfinite(r).all() and np.isfinite(u).all()),
    )
