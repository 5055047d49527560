"""Articulated dynamics as a contact sees it: M, h and the Jacobians of the contact frames.

    M(q) dv/dt + h(q, v) = S'tau + sum J_k' w_k,      twist_k = J_k v,

v = (linear and angular velocity of the floating base in its own axes, joint velocities). J_k
(6, nv) maps to the twist of frame k in its own axes (Pinocchio's LOCAL), w_k is the wrench of the
ground on it, likewise. Rotor inertias (armature) are part of M.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sole.arrays import FloatArray

if TYPE_CHECKING:
    import pinocchio as pin


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot:
    """The robot at one (q, v); arrays are its own copies.

    Parameters
    ----------
    M : (nv, nv) inertia with rotors. h : (nv,) Coriolis, centrifugal and gravity terms.
    J : (6B, nv) twists of the contact frames, their axes.
    rotations, places : R (B, 3, 3), p (B, 3) of the contact frames, frame to world.
    kinetic, potential : [J]; the potential is 0 at z = 0.
    """

    M: FloatArray
    h: FloatArray
    J: FloatArray
    rotations: FloatArray
    places: FloatArray
    kinetic: float
    potential: float


class Dynamics:
    """Dynamics of one model at a fixed list of contact frames.

    Parameters
    ----------
    model : Pinocchio's, with a floating base.
    frames : ids of the contact frames.
    """

    def __init__(self, model: pin.Model, frames: Sequence[int]) -> None:
        self.model, self.frames = model, tuple(int(k) for k in frames)
        self.data = model.createData()

    def at(self, q: FloatArray, v: FloatArray) -> Snapshot:
        """Evaluate all terms at configuration `q` (nq,) and velocity `v` (nv,)."""
        import pinocchio as pin

        model, data, B = self.model, self.data, len(self.frames)
        pin.computeAllTerms(model, data, q, v)
        J = np.empty((6 * B, model.nv))
        R, p = np.empty((B, 3, 3)), np.empty((B, 3))
        for b, k in enumerate(self.frames):
            J[6 * b : 6 * b + 6] = pin.getFrameJacobian(model, data, k, pin.LOCAL)
            pose = pin.updateFramePlacement(model, data, k)
            R[b], p[b] = pose.rotation, pose.translation
        return Snapshot(
            M=np.array(data.M),
            h=np.array(data.nle),
            J=J,
            rotations=R,
            places=p,
            kinetic=float(data.kinetic_energy),
            potential=float(data.potential_energy),
        )
