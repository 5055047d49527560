"""Free rigid bodies, each on a sole or on rigid points, for tests and examples.

Per body a mass m, an inertia I about the centre of mass c (in the axes of the foot) and a foot
frame (R, p). A step is gyroscopic half step, contact and gravity, gyroscopic half step:

    I (omega+ - omega) = -h omega_m x I omega_m          midpoint: keeps omega'I omega exactly,
    contact and gravity in the frozen axes of the foot   `contact.step`,
    c+ = c + dt R v_bar(c),  R+ = R exp(dt omega_bar),   p+ = c+ - R+ c_foot,

so that gravity's work is the exact change of m g z and

    dT + dV + dE_elastic = contact - viscous - numerical     to round-off,

where numerical = sole's + rigid (theta - 1/2) dv'M dv. Turning the axes loses nothing: the centre
of mass keeps its velocity in the world.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from contact.constants import check_time_step
from contact.frames import check_rotation, rotation_of
from contact.ground import Ground
from contact.margins import SoleMargin, step_margins
from contact.step import Body, SoleState, StepMotion, StepOptions, StepResult
from contact.swept_step import fast_step
from sole.base import constants
from sole.base.arrays import FloatArray, frozen, shaped
from sole.base.errors import ConfigError, SoleError

__all__ = ["GRAVITY_VECTOR", "RigidBodies", "RigidBody", "WorldState", "WorldStep"]


GRAVITY_VECTOR = (0.0, 0.0, -constants.GRAVITY)
"""Acceleration of gravity (3,) [m/s^2], world axes."""
TOUCHING = 1e-6  # m: a start no deeper counts as on the ground


@dataclass(frozen=True, eq=False, kw_only=True)
class RigidBody:
    """A rigid foot that moves freely.

    Parameters
    ----------
    contact : the points on it and their sole.
    mass : m > 0 [kg].
    inertia : I (3, 3) about the centre of mass, axes of the foot [kg m^2], or its diagonal.
    com : centre of mass in the foot frame (3,) [m].
    """

    contact: Body
    mass: float
    inertia: FloatArray
    com: FloatArray = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        I = np.asarray(self.inertia, dtype=float)
        I = np.diag(I) if I.shape == (3,) else I
        usable = I.shape == (3, 3) and np.isfinite(I).all() and np.allclose(I, I.T)
        if not usable or np.linalg.eigvalsh(I)[0] <= 0:
            raise ConfigError("inertia must be a positive definite (3, 3) matrix or its diagonal")
        if not (np.isfinite(self.mass) and self.mass > 0):
            raise ConfigError(f"mass must be positive, got {self.mass:g} kg")
        object.__setattr__(self, "inertia", frozen(I))
        object.__setattr__(self, "com", frozen(shaped("com", self.com, (3,))))

    @property
    def spatial_inertia(self) -> FloatArray:
        """M6 (6, 6) about the origin of the foot, its axes: [m 1, -m c^; m c^, I - m c^ c^]."""
        c = _cross_matrix(self.com)
        m = self.mass
        return np.block([[m * np.eye(3), -m * c], [m * c, self.inertia - m * c @ c]])


@dataclass(frozen=True, eq=False, kw_only=True)
class WorldState:
    """Poses R (B, 3, 3), p (B, 3), twists v (6B,) in the axes of the feet, soles, time [s]."""

    rotations: FloatArray
    places: FloatArray
    twists: FloatArray
    soles: SoleState
    time: float = 0.0

    def arrays(self) -> dict[str, FloatArray]:
        """Return all arrays that restore the state, for `np.savez`."""
        own = {"rotations": self.rotations, "places": self.places, "twists": self.twists}
        soles = {f"soles.{name}": a for name, a in self.soles.arrays().items()}
        return {**own, "time": np.array(self.time), **soles}  # type: ignore[dict-item]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, FloatArray]) -> WorldState:
        """Rebuild a state from `arrays()`, bit for bit.

        Raises
        ------
        SoleError
            An array is missing or mis-shaped.
        """
        missing = [k for k in ("rotations", "places", "twists", "time") if k not in arrays]
        if missing:
            got = ", ".join(arrays) or "nothing"
            raise SoleError(
                f"state of a world: {', '.join(missing)} missing, expected all of "
                f"WorldState.arrays(); got {got}"
            )
        soles = {k[6:]: a for k, a in arrays.items() if k.startswith("soles.")}
        return cls(
            rotations=np.array(arrays["rotations"]),
            places=np.array(arrays["places"]),
            twists=np.array(arrays["twists"]),
            soles=SoleState.from_arrays(soles),
            time=float(arrays["time"]),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class WorldStep:
    """A step of the world.

    Parameters
    ----------
    state : at its end.
    contact : result of the contact step.
    kinetic, potential : energies at the end [J]; the elastic one is `state.soles.elastic_energy`.
    numerical : lost by the time step in the rigid bodies, (theta - 1/2) dv'M dv [J].
    pushed : work of the outer wrenches [J].
    residual : dT + dV + dE - contact - pushed + viscous + numerical: round-off. With sub-steps
        `numerical` is what is missing in the balance, and this means nothing.
    rotations : (B, 3, 3) R at its start, the axes of the wrenches in `contact`.
    """

    state: WorldState
    contact: StepResult
    kinetic: float
    potential: float
    numerical: float
    pushed: float
    residual: float
    rotations: FloatArray = field(repr=False)

    @property
    def energy(self) -> float:
        """Kinetic + potential + elastic [J]."""
        return self.kinetic + self.potential + self.state.soles.elastic_energy

    @property
    def forces(self) -> FloatArray:
        """(B, 3) mean contact force on every foot, world [N]."""
        f = self.contact.wrenches[:, :3]
        return np.asarray(np.einsum("bij,bj->bi", self.rotations, f))


class RigidBodies:
    """Free rigid bodies on a ground under gravity."""

    def __init__(
        self,
        bodies: Sequence[RigidBody],
        ground: Ground,
        options: StepOptions | None = None,
        gravity: Sequence[float] | FloatArray = GRAVITY_VECTOR,
    ) -> None:
        self.bodies = tuple(bodies)
        self.ground = ground
        self.stepper = fast_step([b.contact for b in bodies], ground, options)
        self.stepper.stacklevel += 1
        self.gravity = frozen(shaped("gravity", gravity, (3,)))
        n = 6 * len(self.bodies)
        self.inertia, self.inverse_inertia = np.zeros((n, n)), np.zeros((n, n))
        for b, body in enumerate(self.bodies):
            k = slice(6 * b, 6 * b + 6)
            M = body.spatial_inertia
            inverse = np.linalg.inv(M)
            self.inertia[k, k] = M
            self.inverse_inertia[k, k] = (inverse + inverse.T) / 2

    def at(
        self,
        places: ArrayLike,
        rotations: ArrayLike | None = None,
        twists: ArrayLike | None = None,
        *,
        inside: bool = False,
    ) -> WorldState:
        """Return a state with undeformed soles.

        Parameters
        ----------
        places, rotations : p (B, 3) and R (B, 3, 3) of the feet, foot to world.
        twists : v (6B,) of the feet, their axes.
        inside : allow undeformed points inside the ground. Pushing them out is work of the ground
            (`push` in `StepEnergy`) that no fall has paid for: it needs `StepOptions(gains=True)`.

        Raises
        ------
        SoleError
            Arrays that do not fit, matrices that are not rotations, points inside the ground.
        """
        B = len(self.bodies)
        p = frozen(shaped("places", places, (B, 3)))
        R = np.tile(np.eye(3), (B, 1, 1))
        R = R if rotations is None else shaped("rotations", rotations, (B, 3, 3))
        v = np.zeros(6 * B) if twists is None else shaped("twists", twists, (B, 6)).reshape(-1)
        for b in range(B):
            check_rotation(R[b], f"the rotation of body {b}")
        if not inside:
            self._check_outside(p, R)
        return WorldState(rotations=R, places=p, twists=v, soles=self.stepper.start())

    def _check_outside(self, places: FloatArray, rotations: FloatArray) -> None:
        """Refuse undeformed points in the ground."""
        for b, body in enumerate(self.bodies):
            points = body.contact.points @ rotations[b].T + places[b]
            depth = -float(self.ground.clearance(points).min())
            if depth > TOUCHING:
                raise SoleError(
                    f"body {b} starts {1e3 * depth:.4g} mm inside the ground, and pushing it out "
                    "creates energy: start higher, or allow it by at(..., inside=True) "
                    "and StepOptions(gains=True)"
                )

    def step(self, state: WorldState, dt: float, wrenches: ArrayLike | None = None) -> WorldStep:
        """Step by dt; `wrenches` (B, 6) on the origins of the feet, their axes, besides gravity."""
        B, R = len(self.bodies), state.rotations
        check_time_step(dt)
        if R.shape != (B, 3, 3) or state.places.shape != (B, 3) or state.twists.shape != (6 * B,):
            raise SoleError(
                f"the state is of {len(R)} bodies, this world has {B}: take RigidBodies.at()"
            )
        v = self._gyroscopic(state.twists, dt / 2)
        load = np.zeros((B, 6)) if wrenches is None else shaped("wrenches", wrenches, (B, 6))
        load = load.reshape(-1)
        weight = np.zeros(6 * B)
        for b, body in enumerate(self.bodies):
            weight[6 * b : 6 * b + 3] = body.mass * (R[b].T @ self.gravity)
            weight[6 * b + 3 : 6 * b + 6] = np.cross(body.com, weight[6 * b : 6 * b + 3])
        free = v + dt * (self.inverse_inertia @ (weight + load))
        done = self.stepper.step(
            state.soles, R, state.places, StepMotion(v, free, self.inverse_inertia, dt)
        )
        mean = done.mean_twists
        after = self._moved(state, done, mean, dt)
        T0, T1 = self.kinetic(state.twists), self.kinetic(after.twists)
        V0, V1 = self.potential(state), self.potential(after)
        e = done.energy
        fallen, pushed = dt * float(weight @ mean), dt * float(load @ mean)
        numerical = e.wrench + fallen + pushed - (T1 - T0)
        if self.stepper.options.substeps == 1 and self.stepper.options.error == 0:
            dv = done.twists - v
            numerical = (self.stepper.options.theta - 0.5) * float(dv @ self.inertia @ dv)
        lost = e.viscous + e.numerical + numerical
        return WorldStep(
            state=after,
            contact=done,
            kinetic=T1,
            potential=V1,
            numerical=numerical,
            pushed=pushed,
            residual=T1 - T0 + V1 - V0 + e.elastic - e.contact - pushed + lost,
            rotations=R,
        )

    def margins(self, done: WorldStep) -> tuple[SoleMargin | None, ...]:
        """Return how close every foot is to slipping or tilting; None without load."""
        return step_margins(self.stepper, done.contact)

    def kinetic(self, twists: FloatArray) -> float:
        """1/2 v'M v [J]."""
        return float(twists @ self.inertia @ twists) / 2

    def potential(self, state: WorldState) -> float:
        """-m g . c [J]."""
        c = [
            p + R @ b.com
            for b, R, p in zip(self.bodies, state.rotations, state.places, strict=True)
        ]
        return -sum(b.mass * float(self.gravity @ x) for b, x in zip(self.bodies, c, strict=True))

    def energy(self, state: WorldState) -> float:
        """Kinetic + potential + elastic [J]."""
        own = self.kinetic(state.twists) + self.potential(state)
        return own + state.soles.elastic_energy

    def _moved(
        self, state: WorldState, done: StepResult, mean: FloatArray, dt: float
    ) -> WorldState:
        """Move the poses with the mean twists; the centres of mass keep their velocity."""
        R_new, p_new = np.empty_like(state.rotations), np.empty_like(state.places)
        v_new = done.twists.copy()
        for b, body in enumerate(self.bodies):
            R, p = state.rotations[b], state.places[b]
            u, w = mean[6 * b : 6 * b + 3], mean[6 * b + 3 : 6 * b + 6]
            centre = p + R @ body.com + dt * (R @ (u + np.cross(w, body.com)))
            R_new[b] = _orthogonal(R @ rotation_of(dt * w))
            p_new[b] = centre - R_new[b] @ body.com
            u, w = done.twists[6 * b : 6 * b + 3], done.twists[6 * b + 3 : 6 * b + 6]
            speed = R @ (u + np.cross(w, body.com))
            v_new[6 * b : 6 * b + 3] = R_new[b].T @ speed - np.cross(w, body.com)
        return WorldState(
            rotations=R_new,
            places=p_new,
            twists=self._gyroscopic(v_new, dt / 2),
            soles=done.state,
            time=state.time + dt,
        )

    def _gyroscopic(self, twists: FloatArray, h: float) -> FloatArray:
        """Torque-free change of the angular velocities; the centres of mass keep their velocity."""
        v = twists.copy()
        for b, body in enumerate(self.bodies):
            w = v[6 * b + 3 : 6 * b + 6].copy()
            I, new = body.inertia, w
            if w.any():
                new = _turned(I, w, h)
            v[6 * b + 3 : 6 * b + 6] = new
            v[6 * b : 6 * b + 3] += np.cross(w - new, body.com)
        return v


def _turned(I: FloatArray, w: FloatArray, h: float) -> FloatArray:
    """Newton's method on I (x - w) + h m x I m = 0, m = (x + w)/2."""
    x = w
    for _ in range(20):
        m = (x + w) / 2
        residual = I @ (x - w) + h * np.cross(m, I @ m)
        J = I + h / 2 * (_cross_matrix(m) @ I - _cross_matrix(I @ m))
        change = np.linalg.solve(J, residual)
        x = x - change
        if np.abs(change).max() <= 1e-16 * np.abs(w).max():
            break
    return x


def _cross_matrix(a: FloatArray) -> FloatArray:
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _orthogonal(R: FloatArray) -> FloatArray:
    """One Newton step to the nearest rotation: R (3 - R'R)/2."""
    return np.asarray(R @ (3 * np.eye(3) - R.T @ R) / 2)
