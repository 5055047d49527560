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
from robot.tree import link_frames, moved_by, tree_of, tree_sheet
from sole.base.arrays import FloatArray, IntArray, read_only
from sole.base.compiled import packed

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

    Attributes
    ----------
    robot : `LinkArrays` and `FrameArrays`, packed. links, terms : work space that every evaluation
        fills: a sheet of `robot.tree.open_tree`, and `RobotTerms`, packed.
    """

    def __init__(
        self, model: pin.Model, frames: Sequence[int], against: Sequence[int] | None = None
    ) -> None:
        self.model, self.frames = model, tuple(int(k) for k in frames)
        self.against = (0,) * len(self.frames) if against is None else tuple(against)
        B, nv, count = len(self.frames), model.nv, model.njoints
        frame_arrays = link_frames(model, self.frames, self.against)
        self.robot = packed(tree_of(model)), packed(frame_arrays)
        self.places = tree_sheet(count, nv)
        self.links = np.zeros(self.places.size)
        shapes = (nv, nv), (nv,), (6 * B, nv), (B, 3, 3), (B, 3), (B, 3, 3)
        self.terms = tuple(np.zeros(shape) for shape in shapes)
        self._moved_data = model.createData()
        self._moved: dict[int, IntArray] = {}

    def at(self, q: FloatArray, v: FloatArray) -> Snapshot:
        """Evaluate all terms at configuration `q` (nq,) and velocity `v` (nv,)."""
        self.find(q, v)
        return Snapshot(*(array.copy() for array in self.terms))

    def find(self, q: FloatArray, v: FloatArray) -> None:
        """Fill `links` and `terms` at q and v."""
        kernels.find_terms(self.robot, q, read_only(v), self.links, self.terms)

    def frames_at(self, q: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return J, rotations and places of a `Snapshot` alone."""
        snap = self.at(q, np.zeros(self.model.nv))
        return snap.J, snap.rotations, snap.places

    def pushed(self, pushes: Sequence[Push]) -> FloatArray:
        """Return the generalised forces (nv,) of pushes where `find` was called last."""
        force = np.zeros(self.model.nv)
        J, R, p = (self.places.part(self.links, name) for name in ("J", "R", "p"))
        for push in pushes:
            frame = self.model.frames[push.frame]
            k, moves = frame.parentJoint, self._moved.get(push.frame)
            if moves is None:
                moves = self._moved[push.frame] = moved_by(self.model, [push.frame])[0]
            about = push.wrench.copy()  # about the world's origin
            about[3:] += np.cross(p[k] + R[k] @ frame.placement.translation, push.wrench[:3])
            force += moves * (J @ about)
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
