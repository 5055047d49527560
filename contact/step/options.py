"""Options of the time step `contact.step.CompliantStep`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from contact.problem import Problem, Solver
from sole.base.arrays import FloatArray
from sole.base.checks import check_tolerance
from sole.base.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class StepOptions:
    """Options of the time step.

    Parameters
    ----------
    theta : 1 backward Euler, 1/2 midpoint (second order, no numerical damping). Which to take:
        docs/theory.md.
    substeps : equal parts of every step, geometry frozen.
    error : if positive, the parts are doubled until impulse and sole agree to this, relative, in
        the energy norm.
    max_substeps : end of the doubling.
    tolerance : of the solver, natural map.
    push_out : a penetration is pushed out at this speed at most [m/s].
    gains : push a penetration out even if the step's losses do not cover the work. If False, no
        step gains energy, but a penetration may stay: set it if a motion starts inside the
        ground.
    seed : of the solver's permutations.
    sticking : whether steps whose contacts all stick, unchanged, are solved in closed form
        (`contact.solvers.affine`, `contact.solvers.sticking`); False: Gauss-Seidel in every step.
    solver : instead of `contact.step.step_solver.StepSolver`.
    record : called with (problem, start, previous) before every solve, (K, 3) the extrapolated
        forces and the last ones, in the frames of this step.
    """

    theta: float = 1.0
    substeps: int = 1
    error: float = 0.0
    max_substeps: int = 64
    tolerance: float = 1e-6
    push_out: float = 0.1
    gains: bool = False
    seed: int = 1
    sticking: bool = True
    solver: Solver | None = None
    record: Callable[[Problem, FloatArray, FloatArray], None] | None = None

    def __post_init__(self) -> None:
        if not 0.5 <= self.theta <= 1:
            raise ConfigError(f"theta must be in [1/2, 1], got {self.theta:g}")
        if self.substeps < 1 or self.max_substeps < self.substeps:
            raise ConfigError(
                f"substeps must be between 1 and max_substeps = {self.max_substeps}, "
                f"got {self.substeps}"
            )
        for name in ("push_out", "error"):
            if not 0 <= (value := getattr(self, name)) < inf:
                raise ConfigError(f"{name} must be finite and not negative, got {value:g}")
        check_tolerance("tolerance", self.tolerance)

    @property
    def single(self) -> bool:
        """Whether a step is one solve by our own solver, which short ways may make instead."""
        whole = self.substeps == 1 and self.error == 0.0
        return self.sticking and whole and self.solver is None and self.record is None
