"""Foot, forces and ground at one instant: exact kinematics of the deformed nodes.

    p_i = c + R (x_i - o + u_i),   u = C f,
    velocity_k = (t1 . (p - p_start), t2 . (p - p_start), gap(p)),

o is the projected origin of the sole, c its place in the world, p_start the node at the
beginning of the increment. Everything but p, c and R is expressed in the sole frame. Contact
k = face * m + node.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from contact import coulomb as cone
from contact.frames import frames_of, rotation_of
from contact.ground import Ground
from contact.press.linear_sole import LinearSole
from contact.problem import Compliances
from sole.base.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class PressSetting:
    """The constants of a press: sole, ground, friction."""

    sole: LinearSole
    ground: Ground
    friction: float

    @cached_property
    def arms(self) -> FloatArray:
        """(m, 3) nodes from the projected origin, sole frame [m]."""
        return self.sole.points - self.sole.origin

    @cached_property
    def compliances(self) -> Compliances:
        """The sole's compliance as contact operators take it."""
        return Compliances.of([self.sole.compliance])

    @cached_property
    def node(self) -> IntArray:
        """(K,) node of every contact."""
        return np.tile(np.arange(len(self.arms)), self.ground.faces)

    @cached_property
    def rho(self) -> float:
        """1 / mean C_ii [N/m], the scale of the natural map."""
        C = self.sole.compliance
        return len(C) / float(np.trace(C))

    @cached_property
    def free(self) -> BoolArray:
        """(6,) motions of a loaded foot that follow the load.

        Without friction nothing stops the foot along the ground: it is guided, its x, y and
        yaw (sole frame) are held, and the small reaction of the guide shows in the wrench.
        """
        return np.array([False, False, True, True, True, False]) | (self.friction > 0)

    def load_on_foot(self, rotation: FloatArray, wrench: FloatArray) -> FloatArray:
        """Return a load (6,), given in the axes of the ground's frame, in the sole frame."""
        turn = rotation.T @ self.ground.frame
        return np.concatenate([turn @ wrench[:3], turn @ wrench[3:]])

    @cached_property
    def length(self) -> float:
        """Half the diagonal of the tread [m], the scale of moments."""
        return float(np.linalg.norm(np.ptp(self.arms[:, :2], axis=0))) / 2


@dataclass(frozen=True, eq=False, kw_only=True)
class PressState:
    """Contact forces (K, 3) in the sole frame and the pose (R, c) of the foot."""

    forces: FloatArray
    rotation: FloatArray
    place: FloatArray
    start: FloatArray

    def pose(self, origin: FloatArray) -> FloatArray:
        """Return (4, 4), sole to world, of a sole whose projected origin is at `origin` (3,)."""
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = self.rotation, self.place - self.rotation @ origin
        return pose

    def moved(self, delta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (R, c) after the motion `delta` (translation, rotation vector), sole frame."""
        return self.rotation @ rotation_of(delta[3:]), self.place + self.rotation @ delta[:3]


class PressView:
    """A state evaluated: displacements, gaps, frames, residuals.

    `displacement` (m, 3) [m] is C f unless it is given.
    """

    def __init__(
        self, setting: PressSetting, state: PressState, displacement: FloatArray | None = None
    ) -> None:
        self.setting, self.state = setting, state
        sole, m = setting.sole, len(setting.arms)
        R = state.rotation
        self.nodal = state.forces.reshape(-1, m, 3).sum(axis=0)
        if displacement is None:
            displacement = (sole.compliance @ self.nodal.ravel()).reshape(m, 3)
        self.displacement = displacement
        self.local = setting.arms + self.displacement
        self.world = self.local @ R.T + state.place
        gaps, normals = setting.ground.gaps(self.world, state.start)
        self.gaps = gaps.reshape(-1)
        self.frames = frames_of(normals.reshape(-1, 3) @ R)
        moved = np.tile((self.world - state.start) @ R, (setting.ground.faces, 1))
        self.velocity = np.einsum("kab,kb->ka", self.frames, moved)
        self.velocity[:, 2] = self.gaps
        self.reactions = np.einsum("kab,kb->ka", self.frames, state.forces)

    @cached_property
    def bends(self) -> tuple[FloatArray, FloatArray]:
        """(U, V), both (K, 3, 3): what round ground adds to small motions v = P dp.

        The contact frame turns with the normal by kappa v_t, so that, in frames at the new place,
        du = U v and dr = P df + V v (plus the turn of the foot).
        """
        turn = self.setting.ground.curvatures(self.world).reshape(-1, 3, 3)
        P = self.frames @ self.state.rotation.T  # world axes
        kappa = (P @ turn @ P.transpose(0, 2, 1))[:, :2, :2]
        moved = np.tile(self.world - self.state.start, (self.setting.ground.faces, 1))
        m = np.einsum("kab,kb->ka", P, moved)
        U, V = np.zeros((2, len(P), 3, 3))
        U[:] = np.eye(3)
        U[:, :2, :2] -= m[:, 2, None, None] * kappa
        V[:, :2, :2] = -self.reactions[:, 2, None, None] * kappa
        V[:, 2, :2] = np.einsum("ka,kab->kb", self.reactions[:, :2], kappa)
        return U, V

    @cached_property
    def wrench(self) -> FloatArray:
        """(6,) G' f, the wrench of the nodal forces about the projected origin [N, N m]."""
        return np.asarray(self.setting.sole.geometry.T @ self.nodal.ravel())

    def load(self, wrench: FloatArray) -> FloatArray:
        """Return a load (6,), given in the axes of the ground's frame, in the sole frame."""
        return self.setting.load_on_foot(self.state.rotation, wrench)

    @cached_property
    def rigid(self) -> FloatArray:
        """q (K, 3) = velocity - P C f: the contact velocities on a rigid sole."""
        elastic = self.displacement[self.setting.node]
        return np.asarray(self.velocity - np.einsum("kab,kb->ka", self.frames, elastic))

    @cached_property
    def scale(self) -> float:
        """|q| over the contacts that carry force [m]; 0 without any."""
        carrying = np.abs(self.reactions).max(axis=1) > 0
        return float(np.linalg.norm(self.rigid[carrying]))

    @cached_property
    def natural_map(self) -> float:
        """|r - P_K(r - rho (u + g))| / (rho |q|), q over the contacts that carry force."""
        mu, rho = self.setting.friction, self.setting.rho
        return self._relative(cone.natural_map(self.reactions, self.velocity, mu, rho))

    @cached_property
    def residual(self) -> float:
        """As `natural_map`, with Signorini's law alone added (`cone.residual`)."""
        mu, rho = self.setting.friction, self.setting.rho
        return self._relative(cone.residual(self.reactions, self.velocity, mu, rho))

    @cached_property
    def floor(self) -> float:
        """Part of the residual that is round-off: positions are much larger than q."""
        size = float(np.linalg.norm(self.local)) + float(np.linalg.norm(self.state.place))
        return 4e-16 * size / self.scale if self.scale else 0.0

    def _relative(self, force: FloatArray) -> float:
        norm = float(np.linalg.norm(force))
        if self.scale == 0.0:
            return 0.0 if norm == 0.0 else np.inf
        return norm / (self.setting.rho * self.scale)

    def imbalance(self, wrench: FloatArray | None, free: BoolArray) -> float:
        """Largest of |force error|/|force| and |moment error|/(|force| length).

        `wrench` is the load in the axes of the ground's frame; over the `free` (6,) motions
        only; 0 if the foot is held (no `wrench`).
        """
        if wrench is None:
            return 0.0
        error = np.where(free, self.wrench - self.load(wrench), 0.0)
        force = float(np.linalg.norm(wrench[:3]))
        moment = float(np.linalg.norm(error[3:])) / self.setting.length
        return max(float(np.linalg.norm(error[:3])), moment) / force
