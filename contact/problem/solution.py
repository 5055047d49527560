"""The result of a contact solver: forces, a status, and residuals recomputed apart from it.

    natural map = |r - P_K(r - rho (u + mu |u_t| n))| / (rho |q|),
    u = W r + q,    rho = 1/mean W_ii

A `Certificate` holds it with four others; `Solution` holds the forces r.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Protocol

import numpy as np

from contact.problem.delassus import Judgement
from contact.problem.problem import Problem
from sole.base.arrays import FloatArray, IntArray, frozen, sealed, trusted
from sole.base.errors import ConvergenceError


class ContactStatus(IntEnum):
    """State of one contact or node."""

    OPEN = 0
    STICK = 1
    SLIP = 2


class Outcome(Enum):
    """How a solver ended; the value is the advice for the message."""

    SOLVED = "solved"
    STALLED = "not at the tolerance: allow more iterations, or a looser tolerance"
    INFEASIBLE = (
        "no solution that sticks, as the stored direction proves; none at all if that is normal"
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Certificate:
    """Residuals of reactions r, recomputed from problem and r alone; u = W r + q anew.

    (`contact.solvers.sticking`, a closed form, knows u without W and adds a bound of its error.)

    All but `finite` are dimensionless, with rho = 1/mean W_ii and the force scale rho |q|
    (with q = 0, where r = 0 is the answer: the largest of |r| and rho |u|, or 1).

    Parameters
    ----------
    natural_map : |r - P_K(r - rho (u + mu |u_t| n))| / (rho |q|): the residual of the field.
    signorini : |min(r_n, rho u_n)| / (rho |q|): for large mu the natural map hardly sees it.
    cone : |r - P_K(r)| / (rho |q|), distance of the forces to their cones.
    dual_cone : rho |v - P_K*(v)| / (rho |q|) with v = u + mu |u_t| n.
    complementarity : sum |r . v| rho / (rho |q|)^2.
    finite : no NaN and no infinity anywhere.
    """

    natural_map: float
    signorini: float
    cone: float
    dual_cone: float
    complementarity: float
    finite: bool

    @property
    def worst(self) -> float:
        """The larger of natural map and Signorini's law; infinite if not finite."""
        return max(self.natural_map, self.signorini) if self.finite else np.inf

    @property
    def error(self) -> float:
        """The largest of natural map, Signorini's law and cone: what solvers are judged by."""
        return max(self.worst, self.cone)

    def holds(self, tolerance: float) -> bool:
        """Return whether natural map, Signorini's law and cone are met to `tolerance`."""
        return self.finite and self.error <= tolerance


def certify(problem: Problem, r: FloatArray) -> Certificate:
    """Recompute the residuals of reactions `r` (K, 3) from the problem alone."""
    return _judge(problem, np.ascontiguousarray(r, dtype=float).reshape(-1, 3))[0]


def _judge(problem: Problem, r: FloatArray) -> tuple[Certificate, Judgement]:
    """Return the certificate of `r`, and the velocities, statuses, ... that it comes from."""
    judged = problem.operator.judge(r, problem.offset, problem.friction, problem.rho)
    return make_certificate(problem, judged.sums, r, judged.velocity), judged


def make_certificate(
    problem: Problem, sums: Sequence[float], r: FloatArray, u: FloatArray, unseen: float = 0.0
) -> Certificate:
    """Scale the `sums` of the laws of r and u, as in `contact.problem.delassus.Judgement`.

    `unseen` bounds the error of u times 1 + mu: it adds to natural map and Signorini's law.
    """
    natural, signorini, cone, dual, power = sums
    if not math.isfinite(natural + signorini + cone + dual + power + unseen):
        return NOT_FINITE
    rho = problem.rho
    scale = rho * problem.size
    if scale == 0.0:
        scale = max(float(np.linalg.norm(r)), rho * float(np.linalg.norm(u))) or 1.0
    return trusted(
        Certificate,
        natural_map=(math.sqrt(natural) + rho * unseen) / scale,
        signorini=(math.sqrt(signorini) + rho * unseen) / scale,
        cone=math.sqrt(cone) / scale,
        dual_cone=rho * math.sqrt(dual) / scale,
        complementarity=rho * power / scale**2,
        finite=True,
    )


NOT_FINITE = Certificate(
    natural_map=math.inf,
    signorini=math.inf,
    cone=math.inf,
    dual_cone=math.inf,
    complementarity=math.inf,
    finite=False,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution:
    """Forces `reactions` r and velocities u, both (K, 3), of a problem.

    Parameters
    ----------
    status : (K,) `ContactStatus` by Alart and Curnier's test: open where r_n <= rho u_n.
    method : of solution; counters of its `sweeps` (Gauss-Seidel), `newton` steps,
        `interior` point iterations and `pivots` (polyhedral LCP).
    generator : state of the random generator at the end.
    direction : (K, 3) proof of infeasibility, None otherwise.
    displacements : scale C P' r (3M,) of all nodes, axes of the bodies, where W is made of
        soles; None otherwise. unsure : bound of their error, where the inverse of W was rounded.
    """

    problem: Problem
    reactions: FloatArray
    velocity: FloatArray
    status: IntArray
    outcome: Outcome
    certificate: Certificate
    method: str
    sweeps: int = 0
    newton: int = 0
    interior: int = 0
    pivots: int = 0
    generator: int = 0
    direction: FloatArray | None = None
    displacements: FloatArray | None = None
    unsure: float = 0.0

    def __repr__(self) -> str:
        """Return one line: size, outcome, residual, method and iterations."""
        return (
            f"<Solution: {len(self.reactions)} contacts, {self.outcome.name.lower()}, residual "
            f"{self.certificate.error:.1e}, {self.method}, {self.iterations} iterations>"
        )

    @property
    def iterations(self) -> int:
        """All iterations, whatever their kind."""
        return self.sweeps + self.newton + self.interior + self.pivots

    @property
    def solved(self) -> bool:
        """Whether the certificate met the tolerance asked for."""
        return self.outcome is Outcome.SOLVED

    def required(self) -> Solution:
        """Return self, or raise ConvergenceError with self as `best`."""
        if self.solved:
            return self
        raise ConvergenceError(
            f"the contact problem was not solved by {self.method}: natural map "
            f"{self.certificate.natural_map:.1e} after {self.iterations} iterations; "
            f"{self.outcome.value}",
            best=self,
        )


def solution_of(
    problem: Problem,
    reactions: FloatArray,
    tolerance: float,
    method: str,
    *,
    sweeps: int = 0,
    newton: int = 0,
    interior: int = 0,
    pivots: int = 0,
    generator: int = 0,
) -> Solution:
    """Certify `reactions` (K, 3) and pack them; solved if the certificate holds to `tolerance`."""
    r = frozen(np.asarray(reactions, dtype=float).reshape(-1, 3))
    certificate, judged = _judge(problem, r)
    d = judged.displacements
    return trusted(
        Solution,
        problem=problem,
        reactions=r,
        velocity=sealed(judged.velocity),
        status=sealed(judged.status),
        outcome=Outcome.SOLVED if certificate.holds(tolerance) else Outcome.STALLED,
        certificate=certificate,
        method=method,
        sweeps=sweeps,
        newton=newton,
        interior=interior,
        pivots=pivots,
        generator=generator,
        direction=None,
        displacements=None if d is None else sealed(d),
    )


class Solver(Protocol):
    """A solver with its options, such as `contact.solvers.GaussSeidel`."""

    def solve(self, problem: Problem, start: FloatArray | None = None) -> Solution:
        """Solve `problem` from the warm start `start` (K, 3)."""
