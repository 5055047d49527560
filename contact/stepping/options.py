"""Options of the time step `contact.step.CompliantStep`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Protocol

from contact.problem import Problem
from contact.solution import Solution
from sole.arrays import FloatArray
from sole.errors import ConfigError


class Solver(Protocol):
    """What solves a problem; `contact.solvers.gauss_seidel.GaussSeidel` does."""

    def solve(self, problem: Problem, start: FloatArray | None = None) -> Solution:
        """Solve from a warm start (K, 3)."""


@dataclass(frozen=True, kw_only=True)
class StepOptions:
    """How to step.

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
    gains : whether it is pushed out too in a step whose losses do not pay for the work. Without,
        no step gains energy, but a penetration may stay: set it where a motion starts inside
        the ground.
    seed : of the solver's permutations.
    sticking : whether steps whose contacts all stick, unchanged, are solved in closed form.
    solver : instead of `contact.stepping.solver.StepSolver`.
    record : called with (problem, start, previous) before every solve, (K, 3) the extrapolated
        forces and the last ones: see `contact.stepping.record.StepRecorder`.
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
        if not 0 < self.tolerance < 1:
            raise ConfigError(f"tolerance must be between 0 and 1, got {self.tolerance:g}")
