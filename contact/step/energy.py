"""The energy balance of a time step; exact to round-off for frozen geometry.

    contact = wrench + elastic + viscous + numerical,
    contact   = sum dt r . (A v_bar + P dU/dt)  = friction + push  (work of the ground),
    wrench    = sum dt w . v_bar      (work on the feet),
    elastic   = 1/2 U+'K U+ - 1/2 U'K U,
    viscous   = (eta/dt) dU'K dU,     numerical = (theta - 1/2) dU'K dU.

The rigid part of the robot loses (theta - 1/2) dv'M dv more; only the owner of M can compute it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sole.base.arrays import FloatArray

ROUND_OFF = 1e-12  # m/s: work per impulse that counts as zero


@dataclass(frozen=True)
class StepEnergy:
    """Energies of one step, all soles together [J].

    Parameters
    ----------
    friction : work of the tangential contact forces, never positive in an exact solution; the
        residual of the solver allows what docs/theory.md states.
    push : work of the normal ones: negative on touching, positive where a penetration is
        pushed out.
    wrench : work that the soles did on their feet.
    elastic : growth of the elastic energy.
    viscous : lost in the Kelvin-Voigt sole, never negative.
    numerical : lost by the time step in the sole, never negative for theta >= 1/2.
    """

    friction: float = 0.0
    push: float = 0.0
    wrench: float = 0.0
    elastic: float = 0.0
    viscous: float = 0.0
    numerical: float = 0.0

    @property
    def contact(self) -> float:
        """Work of the ground on the soles."""
        return self.friction + self.push

    @property
    def imbalance(self) -> float:
        """The error of the balance: round-off."""
        return self.contact - (self.wrench + self.elastic + self.viscous + self.numerical)

    def __add__(self, other: StepEnergy) -> StepEnergy:
        """Return the energies of two steps together."""
        return StepEnergy(
            self.friction + other.friction,
            self.push + other.push,
            self.wrench + other.wrench,
            self.elastic + other.elastic,
            self.viscous + other.viscous,
            self.numerical + other.numerical,
        )


def may_gain(
    spent: StepEnergy, impulse: FloatArray, change: FloatArray, S6: FloatArray, share: float
) -> bool:
    """Return whether pushing out penetrations may have added energy.

    It has not if push <= -friction + viscous + numerical + (theta - 1/2) sum dv'M dv, the last over
    the sub-steps and at least (theta - 1/2) d'S6^+ d / n.

    Parameters
    ----------
    spent : in the step. impulse : dt w (6B,). change : d (6B,) of the twists of the bodies.
    S6 : J6 M^-1 J6'. share : (theta - 1/2)/n, of n sub-steps.
    """
    small = ROUND_OFF * float(np.abs(impulse).max())
    rest = spent.push + spent.friction - spent.viscous - spent.numerical
    if rest <= small:
        return False
    lost = float(change @ np.linalg.lstsq(S6, change, rcond=1e-12)[0])
    return rest > share * max(lost, 0.0) + small
