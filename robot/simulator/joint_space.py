"""The linear algebra of a step in the coordinates of the joints.

    M' (v+ - v) = dt (f + J'w),      M' = L'L,      Y = L^-T J',

with L lower triangular. M' is zero for two joints on different branches, and so is L if the last
joints are eliminated first [Featherstone2005]: about a dozen of 36 entries per row remain. Y has
one row per joint, zero for joints that move no contact frame, so that

    S6 = J M'^-1 J' = Y'Y,       v_free = v + L^-1 L^-T dt f,       v+ = v_free + L^-1 (dt Y w)

cost less than the mass matrix itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from robot.simulator import joint_space_kernels as kernels
from robot.simulator.dynamics import Snapshot
from sole.base.arrays import BoolArray, FloatArray
from sole.base.errors import SoleError

if TYPE_CHECKING:
    import pinocchio as pin


class Condensed(NamedTuple):
    """The data of a robot that contact needs in one step.

    v_free (nv,), the velocity after it without contact; S6 (6B, 6B); the twists (6B,) of the
    frames before it, and after it without contact.
    """

    free: FloatArray
    S6: FloatArray
    twists: FloatArray
    free_twists: FloatArray


class JointSpace:
    """The equations of one model; keeps L and (Y, L^-T dt f) of the current step.

    Parameters
    ----------
    model : Pinocchio's model. contacts : number B of contact frames.
    linked : pairs of frames with springs between them, which add to M'.
    """

    def __init__(
        self, model: pin.Model, contacts: int, linked: Iterable[tuple[int, int]] = ()
    ) -> None:
        n = model.nv
        rows = [np.flatnonzero(row) for row in _pattern(model, linked)]
        counts, meets = np.array([len(row) for row in rows]), np.zeros((n, n), dtype=np.int64)
        for k, row in enumerate(rows):
            meets[k, : len(row)] = row
        Y = np.zeros((n, 6 * contacts + 1))
        self.factors = tuple(kernels.Factors(meets, counts, np.zeros((n, n)), Y))

    def condense(
        self,
        snap: Snapshot,
        v: FloatArray,
        force: FloatArray,
        first: int,
        joints: FloatArray,
        dt: float,
        springs: FloatArray | None = None,
    ) -> Condensed:
        """Set up a step of `dt` from `v` (nv,) and solve it without contact.

        Parameters
        ----------
        force : (nv,) force that does not depend on v+.
        first, joints : index of the first driven joint, and `JointForces.numbers` (6, n).
        springs : (nv, nv) added to M', within the pattern of `linked`.

        Raises
        ------
        SoleError
            M' is not positive definite.
        """
        M = snap.M if springs is None else snap.M + springs
        definite, *found = kernels.condense_robot(
            self.factors, M, snap.J, v, force, first, joints, dt
        )
        if not definite:
            raise SoleError("the inertia matrix is not positive definite: check the model")
        return Condensed(*found)

    def follow(self, free: FloatArray, wrenches: FloatArray, dt: float) -> FloatArray:
        """Return v+ (nv,) for the mean wrenches (B, 6) of the contact frames."""
        own = wrenches if wrenches.flags.writeable else wrenches.copy()  # else compiled anew
        return kernels.follow_wrenches(self.factors, free, own, dt)


def _pattern(model: pin.Model, linked: Iterable[tuple[int, int]]) -> BoolArray:
    """Return (nv, nv): where L has entries left of its diagonal, those of M' and fill-in."""

    def moving(joint: int) -> list[int]:
        above = (model.joints[k] for k in model.supports[joint] if k > 0)
        return [j.idx_v + i for j in above for i in range(j.nv)]

    meets = np.zeros((model.nv, model.nv), dtype=np.bool_)
    together = [moving(joint) for joint in range(1, model.njoints)]
    for pair in linked:
        together.append([k for f in pair for k in moving(model.frames[f].parentJoint)])
    for all_of in together:
        meets[np.ix_(all_of, all_of)] = True
    for k in range(model.nv - 1, -1, -1):
        row = np.flatnonzero(meets[k, :k])
        meets[np.ix_(row, row)] = True
    return np.tril(meets, -1)
