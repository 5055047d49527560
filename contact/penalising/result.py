"""What the penalty law hands back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sole.arrays import BoolArray, FloatArray, IntArray

CUT = 1e-12  # of the required force: less is round-off


@dataclass(frozen=True, eq=False)
class PenaltyForces:
    """The forces of one state, and how they came about; rows of open contacts are zero.

    `penalty_history` has N states: an axis (N, ...) in front of every array, rank and residual too.

    Parameters
    ----------
    forces : F (n, 3) [N], in the cones.
    required : F' (n, 3) [N], before saturation.
    desired : P''^d (n, 3) [m/s^2].
    active : (n,) gap <= 0.
    rank : of W_c, by the threshold rcond. Three less than expected: a contact got no force.
    residual : |W_c F'_c + b_c - P''^d| [m/s^2]: what no forces could give.
    """

    forces: FloatArray
    required: FloatArray
    desired: FloatArray
    active: BoolArray
    rank: int | IntArray
    residual: float | FloatArray

    @property
    def cut(self) -> BoolArray:
        """(n,) where (19) or (20) took something away: the motion is not the desired one.

        With a friction that cannot be given the normal forces of (18) are not those that the
        contact needs; they may even vanish while a point sinks. See docs/penalty.md.
        """
        changed = np.abs(self.forces - self.required).max(axis=-1)
        return np.asarray(changed > CUT * np.abs(self.required).max(axis=-1))
