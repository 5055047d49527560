"""A free rigid body on contact vertices for the penalty law: A, H, D, B [RengifoEtAl2009].

The zero frame (place p, rotation R = IR0, axes to world) is fixed to the body. In its axes

    0V = R^T dp/dt,   0w = R^T Iw,   0V' := R^T dIV/dt,   0w' := R^T dIw/dt,               (11)
    d(0V)/dt = 0V' - 0w x 0V,   d(0w)/dt = 0w',

so q_a = [0V'; 0w'] is not the derivative of q_v = [0V; 0w]. (The paper prints IV for Iw in the
second definition of (11), and a dot too many on the left of both derivatives.) With the centre of
mass at c and I about it, vertices at r_i, and the load Gamma_e on the origin of the frame,

    A q_a + H = Gamma_e + D F,                                                             (10)
    A = [m 1, -m c^; m c^, I_0],   I_0 = I - m c^ c^,
    H = [m w x (w x c) - m R^T g;  w x I_0 w - c x m R^T g],
    P' = D^T q_v,   D_i^T = R [1, -r_i^],
    P'' = D^T q_a + B,   B_i = -D_i^T [w x V; 0] + dD_i^T/dt q_v = R (w x (w x r_i)).      (15)

Points P and the forces F on them are in the axes of the world, z up; the ground is z = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from contact.frames import check_rotation, rotation_of
from contact.papers.penalty.forces import penalty_forces
from contact.papers.penalty.law import PenaltyForces, PenaltyLaw
from contact.papers.penalty.penalty_checks import require_positive_number
from contact.papers.penalty.space import ContactSpace
from contact.rigid_bodies import GRAVITY_VECTOR, RigidBody
from contact.step import Body
from sole.base.arrays import FloatArray, frozen, shaped
from sole.base.errors import ConfigError


@dataclass(frozen=True, eq=False, kw_only=True)
class VertexState:
    """Pose and twist of a body.

    Parameters
    ----------
    place : p (3,) of the zero frame, world [m].
    rotation : R (3, 3), zero frame to world.
    twist : q_v = [0V; 0w] (6,) in the zero frame [m/s, rad/s].

    Raises
    ------
    SoleError
        Wrong shapes, values that are not finite, or a matrix that is not a rotation.
    """

    place: FloatArray
    rotation: FloatArray
    twist: FloatArray

    def __post_init__(self) -> None:
        for name, shape in (("place", (3,)), ("rotation", (3, 3)), ("twist", (6,))):
            object.__setattr__(self, name, frozen(shaped(name, getattr(self, name), shape)))
        check_rotation(self.rotation, "the rotation of the body")

    @classmethod
    def at(
        cls,
        place: ArrayLike,
        rotation_vector: ArrayLike = (0.0, 0.0, 0.0),
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        spin: ArrayLike = (0.0, 0.0, 0.0),
    ) -> VertexState:
        """Return a state from a rotation vector [rad], velocity and spin in the *world*."""
        R = rotation_of(shaped("rotation_vector", rotation_vector, (3,)))
        V, w = shaped("velocity", velocity, (3,)), shaped("spin", spin, (3,))
        place = shaped("place", place, (3,))
        return cls(place=place, rotation=R, twist=np.concatenate([R.T @ V, R.T @ w]))

    @property
    def flat(self) -> FloatArray:
        """(p, R row by row, q_v) (18,): what an integrator carries."""
        return np.concatenate([self.place, self.rotation.ravel(), self.twist])

    @classmethod
    def of_flat(cls, y: ArrayLike) -> VertexState:
        """Return the state of a flat vector, R turned to the nearest rotation."""
        y = shaped("a flat state", y, (18,))
        U, _, V = np.linalg.svd(y[3:12].reshape(3, 3))
        return cls(place=y[:3], rotation=U @ V, twist=y[12:])


@dataclass(frozen=True, eq=False, kw_only=True)
class VertexDynamics:
    """Equations (10) and (15) at one state: A, H, D, B, Gamma_e and where the vertices are.

    Parameters
    ----------
    A, inverse : (6, 6), A^-1.   H, load : (6,).   D : (6, 3n).   B : (3n,).
    heights : (n,) [m].   velocities : P' (n, 3) [m/s], world.
    """

    A: FloatArray
    inverse: FloatArray
    H: FloatArray
    load: FloatArray
    D: FloatArray
    B: FloatArray
    heights: FloatArray
    velocities: FloatArray

    @property
    def space(self) -> ContactSpace:
        """W = D^T A^-1 D and b = D^T A^-1 (Gamma_e - H) + B of all vertices."""
        return ContactSpace.of_inverse(self.inverse, self.D, self.load - self.H, self.B)

    def contact(self, law: PenaltyLaw) -> PenaltyForces:
        """Return the forces by the penalty law, from the load of this state."""
        if not (self.heights <= 0).any():  # in flight: no need of W
            none = np.zeros((len(self.heights), 3))
            return PenaltyForces(none, none, none, np.zeros(len(none), bool), 0, 0.0)
        return penalty_forces(law, self.space, self.heights, self.velocities)

    def accelerations(self, forces: ArrayLike) -> FloatArray:
        """q_a = A^-1 (Gamma_e - H + D F) (6,) under `forces` (n, 3) [N], world."""
        F = shaped("forces", forces, self.velocities.shape).ravel()
        return np.asarray(self.inverse @ (self.load - self.H + self.D @ F))


class VertexBody:
    """A rigid body and its contact vertices, under gravity on the ground z = 0.

    Parameters
    ----------
    body : mass, inertia, centre of mass; its `contact.points` are the vertices. A compliance of
        the contact is not used, nor its friction: that is the law's.
    gravity : g (3,) [m/s^2], world.
    """

    def __init__(
        self, body: RigidBody, gravity: Sequence[float] | FloatArray = GRAVITY_VECTOR
    ) -> None:
        if body.contact.compliance is not None:
            raise ConfigError(
                "the penalty law is for rigid vertices: got a body on a compliant sole, expected "
                "Body(points=...) without compliance"
            )
        self.body = body
        self.gravity = frozen(shaped("gravity", gravity, (3,)))
        self.vertices = body.contact.points
        self.A = frozen(body.spatial_inertia)
        self.inverse = frozen(np.linalg.inv(self.A))
        # [1, -r_i^] of all vertices (n, 3, 6)
        skew = np.stack([_cross_matrix(r) for r in self.vertices])
        self._lever = frozen(np.concatenate([np.tile(np.eye(3), (len(skew), 1, 1)), -skew], axis=2))

    @classmethod
    def box(
        cls, mass: float, sides: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0), **options: ArrayLike
    ) -> VertexBody:
        """Return a homogeneous box on the four vertices of its lower face.

        Parameters
        ----------
        mass : [kg].
        sides : along x, y, z (3,) [m].
        com : centre of mass from the centre of the box (3,) [m]; the zero frame is at the centre of
            the lower face. The inertia about the centre of mass stays that of a homogeneous box.
        options : gravity.

        Raises
        ------
        SoleError
            For sides or a mass not positive.
        """
        require_positive_number("mass", mass)
        s = shaped("sides", sides, (3,))
        if not (s > 0).all():
            raise ConfigError(f"the sides of a box must be positive, got {s.tolist()} m")
        corners = [[x, y, 0.0] for x in (s[0] / 2, -s[0] / 2) for y in (s[1] / 2, -s[1] / 2)]
        I = mass / 12 * (s @ s - s * s)
        centre = np.array([0.0, 0.0, s[2] / 2]) + shaped("com", com, (3,))
        body = RigidBody(contact=Body(points=np.array(corners)), mass=mass, inertia=I, com=centre)
        return cls(body, **options)  # type: ignore[arg-type]

    def dynamics(self, state: VertexState, load: ArrayLike | None = None) -> VertexDynamics:
        """Return equations (10) and (15) at a state under a load Gamma_e (6,), zero frame."""
        outer = np.zeros(6) if load is None else shaped("load", load, (6,))
        return self._dynamics(state.place, state.rotation, state.twist, outer)

    def dynamics_of_flat(self, y: FloatArray, load: FloatArray) -> VertexDynamics:
        """Return the same at a flat state (18,), unchecked: for integrators."""
        return self._dynamics(y[:3], y[3:12].reshape(3, 3), y[12:18], load)

    def _dynamics(
        self, p: FloatArray, R: FloatArray, q_v: FloatArray, load: FloatArray
    ) -> VertexDynamics:
        m, c, w_ = self.body.mass, self.body.com, _cross_matrix(q_v[3:])
        centrifugal, weight = w_ @ w_, m * (R.T @ self.gravity)
        I_0 = self.A[3:, 3:]
        H = np.concatenate(
            [
                m * (centrifugal @ c) - weight,
                w_ @ (I_0 @ q_v[3:]) - _cross_matrix(c) @ weight,
            ]
        )
        D_T = R @ self._lever  # (n, 3, 6)
        return VertexDynamics(
            A=self.A,
            inverse=self.inverse,
            H=H,
            load=load,
            D=D_T.reshape(-1, 6).T,
            B=(self.vertices @ (R @ centrifugal).T).ravel(),
            heights=p[2] + self.vertices @ R[2],
            velocities=D_T @ q_v,
        )

    def rate(self, y: FloatArray, q_a: FloatArray) -> FloatArray:
        """dy/dt (18,) of a flat state: dp/dt = R V, dR/dt = R w^, and the corrected (11)."""
        R, V, w_ = y[3:12].reshape(3, 3), y[12:15], _cross_matrix(y[15:18])
        return np.concatenate([R @ V, (R @ w_).ravel(), q_a[:3] - w_ @ V, q_a[3:]])

    def lifts(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return p_z and p'_z of the vertices, (n,) each, of a flat state."""
        row = y[9:12]  # e_z^T R
        return y[2] + self.vertices @ row, row @ self._lever @ y[12:18]

    def energy(self, state: VertexState) -> float:
        """Kinetic and potential energy, 1/2 q_v^T A q_v - m g . (p + R c) [J]."""
        centre = state.place + state.rotation @ self.body.com
        kinetic = float(state.twist @ self.A @ state.twist) / 2
        return kinetic - self.body.mass * float(self.gravity @ centre)

    def momentum(self, state: VertexState) -> FloatArray:
        """Linear momentum and angular momentum about the centre of mass (6,), world."""
        V, w = state.twist[:3], state.twist[3:]
        linear = self.body.mass * (V + np.cross(w, self.body.com))
        return np.concatenate([state.rotation @ linear, state.rotation @ (self.body.inertia @ w)])


def _cross_matrix(a: FloatArray) -> FloatArray:
    x, y, z = a.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
