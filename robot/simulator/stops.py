"""Joint limits: one-sided stops, implicit in time.

    tau = -side max(0, k e + d de/dt),   e = side (q+ - end),   de/dt = side v+,   q+ = q + dt v+,

for a joint that would be beyond an end (side 1 the upper, -1 the lower) after the step. An active
stop adds dt^2 k + dt d to the diagonal of M like a servo: stable for any k, d and dt. It only
pushes back, against an outward motion or a deflection, so it adds no energy.

A joint exceeds its end by |tau|/k at rest, and by about v max(dt, sqrt(I/k)) more if it has inertia
I and arrives with speed v: by default 0.2 mrad for 200 N m, 5 mrad for 5 rad/s and 1 kg m^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sole.base.arrays import FloatArray, frozen
from sole.base.errors import ConfigError, SoleError

STIFFNESS, DAMPING = 1e6, 2e3  # N m/rad, N m s/rad


@dataclass(frozen=True, eq=False, kw_only=True)
class Stops:
    """Stops at the ends of all joints' ranges.

    Parameters
    ----------
    lower, upper : (n,) [rad]; infinite where there is no end.
    stiffness : k [N m/rad]. damping : d [N m s/rad].
    """

    lower: FloatArray
    upper: FloatArray
    stiffness: float = STIFFNESS
    damping: float = DAMPING

    def __post_init__(self) -> None:
        n = np.shape(self.lower)
        for name in ("lower", "upper"):
            array = frozen(getattr(self, name))
            if array.shape != n or array.ndim != 1:
                raise SoleError(f"{name} has shape {array.shape}, expected {n}, one per joint")
            object.__setattr__(self, name, array)
        wrong = ~(self.lower < self.upper)
        if wrong.any():
            j = int(np.argmax(wrong))
            raise ConfigError(
                f"stops: joint {j} has the range {self.lower[j]:g} to {self.upper[j]:g} rad"
            )
        if not 0 < self.stiffness < np.inf:
            raise ConfigError(f"stops: stiffness must be positive, got {self.stiffness:g}")
        if not 0 <= self.damping < np.inf:
            raise ConfigError(f"stops: damping must not be negative, got {self.damping:g}")

    @classmethod
    def none(cls, n: int) -> Stops:
        """Return stops of n joints without limits."""
        return cls(lower=np.full(n, -np.inf), upper=np.full(n, np.inf))
