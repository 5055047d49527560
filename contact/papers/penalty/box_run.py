"""A body on penalty vertices followed exactly: from one touch, lift-off or reversal to the next.

The law jumps where a height p_iz changes its sign and kinks where p'_iz does, equation (17). These
are the switches of `contact.papers.penalty.events`; the kinks of the saturations (19), (20) are
left to the step control of the integrator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from contact.papers.penalty.events import integrate_switched
from contact.papers.penalty.forces import forces_in_mode
from contact.papers.penalty.law import PenaltyLaw
from contact.papers.penalty.vertices import VertexBody, VertexDynamics, VertexState
from sole.base.arrays import BoolArray, FloatArray, IntArray, sealed, shaped

LoadFunction = Callable[[float], FloatArray]
TOUCHING = 1e-12  # m: a vertex so low at a switch touches there


@dataclass(frozen=True, eq=False, kw_only=True)
class VertexRun:
    """States, heights of the vertices and contact forces over time.

    Parameters
    ----------
    times : (N,) [s].
    states : (N, 18) flat states, see `VertexState.flat`.
    heights : (N, n) [m].
    forces : (N, n, 3) [N], world.
    impulse : (N, 3) of all contact forces since times[0] [N s].
    peak : largest sum of the normal forces, between the times too [N].
    evaluations : how often forces were computed.
    """

    times: FloatArray
    states: FloatArray
    heights: FloatArray
    forces: FloatArray
    impulse: FloatArray
    peak: float
    evaluations: int

    @property
    def touching(self) -> IntArray:
        """(N,) number of vertices in contact."""
        return np.asarray((self.heights <= 0).sum(axis=1))

    def state(self, k: int) -> VertexState:
        """Return the state at times[k]."""
        return VertexState.of_flat(self.states[k])

    def energies(self, body: VertexBody) -> FloatArray:
        """Kinetic and potential energy (N,) [J]."""
        return np.array([body.energy(self.state(k)) for k in range(len(self.times))])


def run_with_events(
    body: VertexBody,
    law: PenaltyLaw,
    start: VertexState,
    times: ArrayLike,
    *,
    load: LoadFunction | None = None,
    rtol: float = 1e-9,
    atol: float = 1e-12,
) -> VertexRun:
    """Integrate from `start` at times[0] over `times` (N,) [s].

    Parameters
    ----------
    load : t -> Gamma_e (6,) in the zero frame, smooth [N, N m]; the law knows it at once.
    rtol, atol : of each step of the integrator (m, m/s, rad/s).

    Raises
    ------
    SoleError
        Bad times, start or tolerances, and a load that is not six finite numbers.
    ConvergenceError
        The integrator failed, or neither mode fits at a switch.
    """
    n, none, evaluations = len(body.vertices), np.zeros(6), 0

    def dynamics(t: float, y: FloatArray) -> VertexDynamics:
        outer = none if load is None else shaped(f"the load at {t:g} s", load(t), (6,))
        return body.dynamics_of_flat(y, outer)

    def switches(t: float, y: FloatArray) -> FloatArray:
        return np.concatenate(body.lifts(y))

    def forces_in(now: VertexDynamics, mode: BoolArray) -> FloatArray:
        return compute_vertex_forces(law, now, ~mode[:n], ~mode[n:])

    def rhs(t: float, y: FloatArray, mode: BoolArray) -> FloatArray:
        nonlocal evaluations
        evaluations += 1
        now = dynamics(t, y)
        F = forces_in(now, mode)
        return np.concatenate([body.rate(y, now.accelerations(F)), F.sum(axis=0)])

    first = np.concatenate([start.flat, np.zeros(3)])
    path = integrate_switched(rhs, switches, first, times, rtol=rtol, atol=atol)
    known = [dynamics(float(t), y) for t, y in zip(path.times, path.states, strict=True)]
    forces = np.array([forces_in(d, m) for d, m in zip(known, path.modes, strict=True)])
    peak = float(forces[:, :, 2].sum(axis=1).max())
    for t, y in zip(path.event_times, path.event_states, strict=True):
        now = dynamics(float(t), y)
        F = compute_vertex_forces(law, now, now.heights <= TOUCHING, now.velocities[:, 2] < 0)
        peak = max(peak, float(F[:, 2].sum()))
    return VertexRun(
        times=path.times,
        states=sealed(path.states[:, :18].copy()),
        heights=sealed(np.array([d.heights for d in known])),
        forces=sealed(forces),
        impulse=sealed(path.states[:, 18:].copy()),
        peak=peak,
        evaluations=evaluations,
    )


def compute_vertex_forces(
    law: PenaltyLaw, now: VertexDynamics, touching: BoolArray, sinking: BoolArray
) -> FloatArray:
    """F (n, 3) by equations (17) to (20), both switches of (17) given.

    Parameters
    ----------
    touching : (n,) which vertices count as p_z <= 0.
    sinking : (n,) which count as p'_z < 0.
    """
    if not touching.any():  # in flight: no need of W
        return np.zeros_like(now.velocities)
    return forces_in_mode(law, now.space, now.heights, now.velocities, touching, sinking).forces
