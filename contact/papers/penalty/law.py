"""The parameters of the penalty law [RengifoEtAl2009] and the forces that it returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact.constants import FRICTION
from contact.papers.penalty.penalty_checks import is_number, require_not_negative, require_number
from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.errors import SoleError

RCOND = 1e-10
CUT = 1e-12  # of the required force: less is round-off


@dataclass(frozen=True)
class PenaltyLaw:
    """The parameters of equation (17) and of Coulomb's law; none depends on the mechanism.

    Parameters
    ----------
    kp : >= 0 [1/s^2]; 0: penetration is stopped but stays.
    kv : >= 0 [1/s].
    friction : Coulomb's mu >= 0.
    epsilon : <= 0 [m], height that a contact at rest goes to. The paper prints 1e-6 m, but means a
        steady penetration, which with contact at p_z <= 0 is -1e-6 m.
    rcond : in [0, 1); eigenvalues of W_c up to this part of the largest count as zero in (18). W is
        an inverse mass: of bodies that share no joint, those 1/rcond times as heavy as the lightest
        get no force. `PenaltyForces.rank` and `residual` show it.

    Raises
    ------
    SoleError
        For numbers out of these ranges, a positive epsilon among them.
    """

    kp: float
    kv: float
    friction: float = FRICTION
    epsilon: float = 0.0
    rcond: float = RCOND

    def __post_init__(self) -> None:
        for name in ("kp", "kv", "friction"):
            object.__setattr__(self, name, require_not_negative(name, getattr(self, name)))
        check_rcond(self.rcond)
        object.__setattr__(self, "epsilon", require_number("epsilon", self.epsilon, "metres"))
        if self.epsilon > 0:
            raise SoleError(
                f"epsilon must not be positive, got {self.epsilon:g} m: a point touches while its "
                "height is at most 0, so every point would be pushed out of contact; a steady "
                f"penetration of that depth is epsilon = {-self.epsilon:g}"
            )


@dataclass(frozen=True, eq=False)
class PenaltyForces:
    """The forces of one state and how they were found; rows of open contacts are zero.

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
        contact needs; they may even vanish while a point sinks. See docs/results/penalty.md.
        """
        changed = np.abs(self.forces - self.required).max(axis=-1)
        return np.asarray(changed > CUT * np.abs(self.required).max(axis=-1))


def check_law(law: object) -> None:
    """Refuse anything but a `PenaltyLaw`."""
    if not isinstance(law, PenaltyLaw):
        raise SoleError(f"law must be a PenaltyLaw, got {law!r}")


def check_rcond(rcond: object) -> None:
    """Refuse a threshold outside [0, 1)."""
    if not (is_number(rcond) and 0 <= rcond < 1):
        raise SoleError(f"rcond must be in [0, 1), got {rcond!r}")
