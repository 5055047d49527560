"""The numbers of the penalty law [RengifoEtAl2009]: kp, kv, mu, epsilon; see `contact.penalty`."""

from __future__ import annotations

from dataclasses import dataclass

from contact.penalising.checks import at_least_zero, is_number, number
from sole.errors import SoleError

RCOND = 1e-10


@dataclass(frozen=True)
class PenaltyLaw:
    """The numbers of equation (17) and of Coulomb's law; none depends on the mechanism.

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
    friction: float = 0.7
    epsilon: float = 0.0
    rcond: float = RCOND

    def __post_init__(self) -> None:
        for name in ("kp", "kv", "friction"):
            object.__setattr__(self, name, at_least_zero(name, getattr(self, name)))
        check_rcond(self.rcond)
        object.__setattr__(self, "epsilon", number("epsilon", self.epsilon, "metres"))
        if self.epsilon > 0:
            raise SoleError(
                f"epsilon must not be positive, got {self.epsilon:g} m: a point touches while its "
                "height is at most 0, so every point would be pushed out of contact; a steady "
                f"penetration of that depth is epsilon = {-self.epsilon:g}"
            )


def check_law(law: object) -> None:
    """Refuse what is no `PenaltyLaw`."""
    if not isinstance(law, PenaltyLaw):
        raise SoleError(f"law must be a PenaltyLaw, got {law!r}")


def check_rcond(rcond: object) -> None:
    """Refuse what is no threshold in [0, 1)."""
    if not (is_number(rcond) and 0 <= rcond < 1):
        raise SoleError(f"rcond must be in [0, 1), got {rcond!r}")
