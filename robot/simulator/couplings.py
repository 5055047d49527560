"""Springs and dampers between two bodies, with six axes each, implicit in time.

With u = J v the twist of the lower frame relative to the upper one, in its own axes
(`robot.simulator.dynamics`), and d = (position of its origin, rotation vector) of the lower frame
likewise,

    w = -k d+ - c u+,    d+ = d + dt u+,

acts on the lower frame and its opposite on the upper one, so it does not change the momentum. A
step sees the constant force J'(-k d) and M' = M + dt J'(c + dt k) J: stable for any k and c. dd/dt
= u holds for small rotations; the error is of second order in d.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from robot.simulator.dynamics import Dynamics
from sole.base.arrays import FloatArray, frozen
from sole.base.errors import ConfigError, SoleError

if TYPE_CHECKING:
    import pinocchio as pin


@dataclass(frozen=True, eq=False, kw_only=True)
class Coupling:
    """A spring and damper between two frames that coincide when it is unloaded.

    Parameters
    ----------
    lower, upper : ids of the frames.
    stiffness : k (6,) [N/m, N m/rad]. damping : c (6,) [N s/m, N m s/rad]; axes of the lower frame.
    """

    lower: int
    upper: int
    stiffness: FloatArray
    damping: FloatArray

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            array = frozen(getattr(self, name))
            if array.shape != (6,):
                raise SoleError(f"coupling: {name} has shape {array.shape}, expected (6,)")
            if not (np.isfinite(array) & (array >= 0)).all():
                raise ConfigError(f"coupling: {name} must be finite and not negative")
            object.__setattr__(self, name, array)


@dataclass(frozen=True, eq=False, slots=True)
class SpringStep:
    """The couplings in one step: force (nv,) = constant - rate v+, rate (nv, nv)."""

    J: FloatArray
    still: FloatArray
    gain: FloatArray
    constant: FloatArray
    rate: FloatArray

    def wrenches(self, new: FloatArray) -> FloatArray:
        """Return w (m, 6) on the lower frames, their axes, for v+ (nv,)."""
        return np.asarray((self.still - self.gain * (self.J @ new)).reshape(-1, 6))

    def work(self, new: FloatArray, way: FloatArray) -> float:
        """Return the work [J] of these wrenches along dt v (nv,)."""
        return float(self.wrenches(new).reshape(-1) @ (self.J @ way))


class Couplings:
    """All couplings of a model."""

    def __init__(self, model: pin.Model, couplings: Sequence[Coupling]) -> None:
        frames, against = [c.lower for c in couplings], [c.upper for c in couplings]
        self.dynamics = Dynamics(model, frames, against)
        self.k = np.concatenate([c.stiffness for c in couplings])
        self.c = np.concatenate([c.damping for c in couplings])

    def deflections(self, rotations: FloatArray, places: FloatArray) -> FloatArray:
        """Return d (m, 6) [m, rad] for R (m, 3, 3) and p (m, 3) of lower in upper frames."""
        import pinocchio as pin

        turned = [pin.log3(R) for R in rotations]
        return np.concatenate([np.einsum("bji,bj->bi", rotations, places), turned], axis=1)

    def at(self, q: FloatArray, dt: float) -> SpringStep:
        """Return the couplings' terms of a step of `dt` from q."""
        J, rotations, places = self.dynamics.frames_at(q)
        still = -self.k * self.deflections(rotations, places).reshape(-1)
        gain = self.c + dt * self.k
        return SpringStep(J, still, gain, J.T @ still, J.T @ (gain[:, None] * J))

    def energy(self, q: FloatArray) -> float:
        """Return d'k d/2 [J]."""
        _, rotations, places = self.dynamics.frames_at(q)
        d = self.deflections(rotations, places).reshape(-1)
        return float(d @ (self.k * d)) / 2
