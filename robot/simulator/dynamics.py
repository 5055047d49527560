"""Articulated dynamics for contact: M, h and the Jacobians of the contact frames.

    M(q) dv/dt + h(q, v) = S'tau + sum J_k' w_k,      twist_k = J_k v,

v = (linear and angular velocity of the floating base in its own axes, joint velocities, twists of
free objects). J_k (6, nv) maps to the twist of frame k in its own axes (Pinocchio's LOCAL), w_k is
the wrench on it, likewise. Rotor inertias (armature) are part of M.

A frame a that touches a movable body with frame b is described by its motion relative to b:

    R = R_b' R_a,   p = R_b' (p_a - p_b),   J = J_a - X J_b,   X = [R' , -R' p^; 0, R'],

and J'w is the force on both, equal and opposite. (X transforms twists of b to the axes of a, where
joints that carry both have the same twist: their columns are 0.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from robot.simulator import dynamics_kernels as kernels
from sole.base.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    import pinocchio as pin

    from robot.simulator.touching import Push


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The dynamics at one (q, v); the arrays are copies.

    Parameters
    ----------
    M : (nv, nv) inertia with rotors. h : (nv,) Coriolis, centrifugal and gravity terms.
    J : (6B, nv) twists of the contact frames relative to what they touch, their axes.
    rotations, places : R (B, 3, 3), p (B, 3) of the contact frames relative to what they touch.
    turns : (B, 3, 3) contact frame to world.
    """

    M: FloatArray
    h: FloatArray
    J: FloatArray
    rotations: FloatArray
    places: FloatArray
    turns: FloatArray


class Dynamics:
    """Dynamics of one model at a fixed list of contact frames.

    Parameters
    ----------
    model : Pinocchio's, with a floating base.
    frames : ids of the contact frames.
    against : ids of the frames that they touch; 0 (the universe) for the fixed world.
    """

    def __init__(
        self, model: pin.Model, frames: Sequence[int], against: Sequence[int] | None = None
    ) -> None:
        self.model, self.frames = model, tuple(int(k) for k in frames)
        self.against = (0,) * len(self.frames) if against is None else tuple(against)
        self.data = model.createData()
        self.moves = _moved_by(model, self.frames) - _moved_by(model, self.against)
        self._poses = np.tile(np.eye(4), (2, len(self.frames), 1, 1))
        self._moved_data = model.createData()
        self._moving = [(0, b, k) for b, k in enumerate(self.frames)]
        self._moving += [(1, b, k) for b, k in enumerate(self.against) if k]

    def at(self, q: FloatArray, v: FloatArray) -> Snapshot:
        """Evaluate all terms at configuration `q` (nq,) and velocity `v` (nv,)."""
        return Snapshot(*self.terms(q, v), *self._frames())

    def terms(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return M (nv, nv) and h (nv,) alone; Jacobians of the joints are then up to date."""
        import pinocchio as pin

        M = pin.crba(self.model, self.data, q, pin.Convention.WORLD)
        return M, pin.nonLinearEffects(self.model, self.data, q, v)

    def frames_at(self, q: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return J, rotations and places of a `Snapshot` alone."""
        import pinocchio as pin

        pin.computeJointJacobians(self.model, self.data, q)
        return self._frames()[:3]

    def _frames(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return J, R, p and the turns; needs up-to-date Jacobians of the joints."""
        return kernels.describe_frames(self.data.J, self.moves, self.placed())

    def poses(self) -> tuple[FloatArray, FloatArray]:
        """Return R and p of a `Snapshot`; needs up-to-date Jacobians of the joints."""
        return self._frames()[1:3]

    def placed(self) -> FloatArray:
        """Return poses (2, B, 4, 4) of the frames and of what they touch, as kept here."""
        import pinocchio as pin

        for i, b, k in self._moving:
            self._poses[i, b] = pin.updateFramePlacement(self.model, self.data, k).homogeneous
        return self._poses

    def pushed(self, pushes: Sequence[Push]) -> FloatArray:
        """Return the generalised forces (nv,) of pushes; needs up-to-date Jacobians."""
        import pinocchio as pin

        force = np.zeros(self.model.nv)
        for push in pushes:
            world = pin.LOCAL_WORLD_ALIGNED
            J = pin.getFrameJacobian(self.model, self.data, push.frame, world)
            force += J.T @ push.wrench
        return force

    def bias(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Return dJ/dt v (6B,), d(twists)/dt at dv/dt = 0, axes of the contact frames.

        It is not evaluated for frames that touch a movable body: 0 there.
        """
        import pinocchio as pin

        data = self._moved_data  # of its own: the Jacobians of `data` stay
        pin.forwardKinematics(self.model, data, q, v, np.zeros(self.model.nv))
        found = np.zeros((len(self.frames), 6))
        for b, k in enumerate(self.frames):
            if not self.against[b]:
                found[b] = pin.getFrameAcceleration(self.model, data, k, pin.LOCAL).vector
        return found.reshape(-1)


def _moved_by(model: pin.Model, frames: Sequence[int]) -> IntArray:
    """Return (B, nv): 1 where a coordinate moves a frame, else 0."""
    found = np.zeros((len(frames), model.nv), dtype=np.int64)
    for b, frame in enumerate(frames):
        for joint in list(model.supports[model.frames[frame].parentJoint])[1:]:
            first = model.joints[joint].idx_v
            found[b, first : first + model.joints[joint].nv] = 1
    return found
